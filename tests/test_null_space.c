/* What cannot be solved: right-hand sides outside the range of a redundant system, where the minimising Krylov methods
 * must stop at the least residual and not blow up x along the null space, and PCG must not call its divergence round-
 * off; and preconditioners of indefinite systems, which must stay positive. */
#include "check.h"

#include <string.h>

#include "linear_solver.h"
#include "operator/solve.h"
#include "random_system.h"

NB_PRECISIONS(f32, f64);

enum {
    ITERATIONS = 2000
};
static const uint64_t seeds[] = {3, 14, 159};

static const nb_linear_solver_class *solver_named(const char *name) {
    for (int i = 0; nb_linear_solvers[i]; i++)
        if (strcmp(nb_linear_solvers[i]->name, name) == 0) return nb_linear_solvers[i];
    fail_msg("no solver %s", name);
    return NULL;
}

/* the least of all residuals heard */
static nb_status hear(void *context, int32_t iteration, const nb_linear_iterate *iterate) {
    double *least = context;
    if (iteration == 0 || iterate->residual_l2 < *least) *least = iterate->residual_l2;
    return NB_OK;
}

/* Solves with the defaults of both; *least hears the least residual of all iterates. */
static nb_solve_report solve(const char *solver, const nb_preconditioner_class *p, nb_system *system, real *x,
                             double *least) {
    const nb_linear_solver_class *type = solver_named(solver);
    double values[8], solver_values[8];
    nb_solve *run;
    nb_solve_report report;
    nb_options_standard(p->options, p->option_count, values);
    nb_options_standard(type->options, type->option_count, solver_values);
    CHECK_OK(nb_solve_create(type, solver_values, p, values, &run));
    CHECK_OK(nb_solve_run(run, system, &(nb_linear_stop){.iterations = ITERATIONS, .tolerance = 0}, hear, least, x,
                          &report));
    nb_solve_destroy(run);
    return report;
}

/* a redundant system whose right-hand side has a part of a thousandth outside the range: repeated contacts that differ
 */
static void outside_the_range(uint64_t seed, random_system *t) {
    uint64_t state = seed;
    double norm = 0;
    print_message("seed %d\n", (int)seed);
    random_system_create(&state, 1, 0, t);
    for (int i = 0; i < t->rows; i++) norm += (double)t->system->b[i] * (double)t->system->b[i];
    for (int i = 0; i < t->rows; i++)
        t->system->b[i] += (real)(1e-3 * sqrt(norm / t->rows) * test_random(&state, -1, 1));
    nb_system_values_changed(t->system);
}

static int is_strong(const char *name) {
    static const char *const strong[] = {"lu", "ict", "ilut", "factor", "schwarz"};
    int found = 0;
    for (size_t k = 0; k < sizeof strong / sizeof *strong; k++) found = found || strcmp(name, strong[k]) == 0;
    return found;
}

static int is_definite(const char *name) {
    return strcmp(name, "block-ic") == 0 || strcmp(name, "spectral") == 0;
}

/* PCR minimises the residual in the norm of P, so that its 2-norm may grow again a little under a strong P: a factor of
 * ten over the least one heard (f32: a hundred; one of 80 grew by 43, on Arm). Without the stop that of MINRES grew by
 * 1e10 (f64). */
TEST(test_stops_at_the_least_residual) {
    static const char *const methods[] = {"pcr", "minres"};
    int tried = 0, wrong = 0;
    for (int seed = 1; seed <= 40; seed++)
        for (int m = 0; m < 2; m++)
            for (int i = 0; nb_preconditioners[i]; i++) {
                random_system t;
                real x[MOST];
                double least = 0;
                /* near the inverse of a singular A, lu magnifies what is outside of the range by 1/shift, and what is
                 * left is least in a norm that sees little else: with PCR 3 of 400 grew to 19 times the least. So do
                 * others that are nearly Cholesky. */
                int strong = is_strong(nb_preconditioners[i]->name);
                if (strong && m == 0) continue;
                /* with these, which are for positive definite systems, 1 of 40 diverges: its pivots are small, and no
                 * round-off */
                if (is_definite(nb_preconditioners[i]->name)) continue;
                outside_the_range((uint64_t)seed, &t);
                nb_solve_report r = solve(methods[m], nb_preconditioners[i], t.system, x, &least);
                print_message("%s %s: %s after %d, %.3g of least %.3g\n", methods[m], nb_preconditioners[i]->name,
                              nb_reason_name(r.reason), (int)r.iterations, r.residual_l2, least);
                /* less than the root of epsilon is not told from round-off. The last digits decide which of two stops
                 * comes first: with 1 of 400 it is the wrong one, or comes too late. */
                const int large = r.residual_l2 > sqrt((double)NB_REAL_EPSILON) * r.rhs_l2;
                tried++;
                assert_true(r.iterations < ITERATIONS);
                if (r.reason != (large ? NB_REASON_INCONSISTENT : NB_REASON_ROUND_OFF)) {
                    wrong++;
                    random_system_destroy(&t);
                    continue;
                }
                /* strong ones: least in a norm of P, which sees little of what is outside of the range */
                CHECK_BELOW(r.residual_l2, (strong ? 1000 : NB_REAL_BITS == 32 ? 100 : 10) * least);
                CHECK_BELOW(r.residual_l2, (strong ? 0.5 : 0.05) * r.rhs_l2);
                random_system_destroy(&t);
            }
    print_message("%d of %d stopped by another reason\n", wrong, tried);
    assert_true(100 * wrong <= tried);
}

TEST(test_pcg_says_that_it_diverged) {
    for (int seed = 0; seed < 3; seed++)
        for (int i = 0; nb_preconditioners[i]; i++) {
            random_system t;
            real x[MOST];
            double least = 0;
            outside_the_range(seeds[seed], &t);
            nb_solve_report r = solve("pcg", nb_preconditioners[i], t.system, x, &least);
            print_message("pcg %s: %s, residual %.3g of %.3g\n", nb_preconditioners[i]->name, nb_reason_name(r.reason),
                          r.residual_l2, r.rhs_l2);
            if (nb_reason_converged(r.reason)) CHECK_BELOW(r.residual_l2, 100 * least); /* else it must not say so */
            random_system_destroy(&t);
        }
}

/* A - 2 on the diagonal of every third row makes that row's diagonal negative; r . P r > 0 nevertheless */
TEST(test_positive_on_indefinite_systems) {
    for (int seed = 0; seed < 3; seed++)
        for (int i = 0; nb_preconditioners[i]; i++) {
            const nb_preconditioner_class *p = nb_preconditioners[i];
            random_system t;
            uint64_t state = seeds[seed];
            double values[8];
            void *preconditioner;
            nb_reason reason = NB_REASON_NONE;
            if (strcmp(p->name, "lu") == 0) continue; /* the inverse of A, and as indefinite */
            random_system_create(&state, 0, 0.5, &t);
            for (int k = 0; k < t.rows; k += 3) t.system->c[k] = (real)(-2 * t.dense[k][k]);
            nb_system_values_changed(t.system);
            nb_options_standard(p->options, p->option_count, values);
            CHECK_OK(p->create(values, &preconditioner));
            CHECK_OK(p->set_up_pattern(preconditioner, t.system));
            CHECK_OK(p->set_up_values(preconditioner, t.system, &reason));
            assert_int_equal(reason, NB_REASON_NONE);
            for (int k = 0; k < t.rows; k++) { /* unit vectors, then random ones: every row is seen */
                real r[MOST] = {0}, z[MOST];
                for (int n = 0; n < 2; n++) {
                    double product = 0;
                    r[k] = 1;
                    for (int j = 0; j < t.rows && n == 1; j++) r[j] = (real)test_random(&state, -1, 1);
                    p->apply(preconditioner, r, z);
                    for (int j = 0; j < t.rows; j++) product += (double)r[j] * (double)z[j];
                    assert_true(product > 0);
                }
            }
            p->destroy(preconditioner);
            random_system_destroy(&t);
        }
}

RUN_TESTS(test_stops_at_the_least_residual, test_pcg_says_that_it_diverged, test_positive_on_indefinite_systems)
