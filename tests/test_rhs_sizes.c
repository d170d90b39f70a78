/* Linear systems whose right-hand sides have squares beyond the range of the precision: every solver finds the same
 * solution, bit by bit in powers of two, for the same reason. */
#include <string.h>
#include <tgmath.h>

#include "base/norm.h"
#include "check.h"
#include "registry.h"
#include "step/linear_system.h"

NB_PRECISIONS(f32, f64);

enum {
    ROWS = 3,
    MOST_OPTIONS = 16
};

static int64_t start[] = {0, 2, 5, 7};
static int32_t column[] = {0, 1, 0, 1, 2, 1, 2};
static double value[] = {4, 1, 1, 3, -1, -1, 2};
static const nb_csr_f64 a = {.rows = ROWS, .columns = ROWS, .start = start, .column = column, .value = value};

static nb_reason solve(const nb_linear_solver_class *solver, double size, double x[ROWS]) {
    const double b[ROWS] = {1 * size, 2 * size, -1.5 * size};
    double values[MOST_OPTIONS];
    nb_step_outcome outcome = {0};
    nb_options_standard(solver->options, solver->option_count, values);
    const nb_method_settings settings = {.linear_solver = solver->name,
                                         .linear_solver_values = values,
                                         .preconditioner = "none",
                                         .linear = {.iterations = 100, .tolerance = NB_REAL_BITS == 64 ? 1e-8 : 1e-4}};
    void *system;
    CHECK_OK(nb_linear_system_create(&settings, &a, 0, &system));
    CHECK_OK(nb_linear_system_solve(system, b, NULL, &outcome, x));
    nb_linear_system_destroy(system);
    return outcome.reason;
}

TEST(sizes_change_no_bit) {
    /* up to b = 1.7e38 in f32, whose products with A are out of range */
    const int most = NB_REAL_BITS == 64 ? 1000 : 124;
    const int exponents[] = {-most, -most / 2 - 20, most / 2 + 20, most, NB_REAL_BITS == 64 ? 1022 : 126};
    for (int i = 0; nb_linear_solver_at(i); i++) {
        const nb_linear_solver_class *solver = nb_linear_solver_at(i);
        double was[ROWS], x[ROWS];
        if (strcmp(solver->name, "overhead") == 0) continue; /* it does nothing */
        nb_reason reason = solve(solver, 1, was);
        assert_true(nb_reason_converged(reason) || reason == NB_REASON_ROUND_OFF);
        for (size_t k = 0; k < sizeof exponents / sizeof *exponents; k++) {
            nb_reason own = solve(solver, ldexp(1.0, exponents[k]), x);
            if (own != reason)
                fail_msg("%s, 2^%d: %s in place of %s", solver->name, exponents[k], nb_reason_name(own),
                         nb_reason_name(reason));
            /* the last bits are lost below the range of normal numbers alone */
            const double known = NB_REAL_BITS == 64 ? 1e-14 : 1e-6;
            for (int r = 0; r < ROWS; r++) CHECK_NEAR(ldexp(x[r], -exponents[k]), was[r], known);
        }
    }
}

/* A^-1 b of what the report had: b = 1e-160, 1e-300, 1e155, 1e200 (1, 2) */
TEST(norms_know_no_range) {
    const double sizes[] = {1e-320, 1e-300, 1e-160, 1, 1e155, 1e300};
    for (int i = 0; i < 6; i++) {
        const double x[] = {3 * sizes[i], -4 * sizes[i]};
        CHECK_NEAR(nb_norm_of(2, x) / sizes[i], 5, i == 0 ? 1e-3 : 1e-14);
    }
    assert_true(isnan(nb_norm_of(2, (double[]){1, (double)NAN})) && isinf(nb_norm_of(2, (double[]){1, INFINITY})));
    CHECK_NEAR(nb_norm_of(0, NULL), 0, 0);
}

RUN_TESTS(sizes_change_no_bit, norms_know_no_range)
