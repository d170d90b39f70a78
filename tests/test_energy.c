/* The energy error of linear iterates, and what pcg and pcr say of its decrease, against dense solutions. */
#include "base/memory.h"
#include "operator/solve.h"
#include "random_system.h"
#include "registry.h"

NB_PRECISIONS(f64);

enum {
    MOST_HEARD = 64
};

typedef struct history {
    int count;
    double error[MOST_HEARD], decrease[MOST_HEARD]; /* entry k: of iterate k; of the step to it */
} history;

static nb_status hear(void *context, int32_t iteration, const nb_linear_iterate *iterate) {
    history *h = context;
    assert_int_equal(iteration, h->count);
    assert_true(h->count < MOST_HEARD);
    h->error[h->count] = iterate->energy_error;
    h->decrease[h->count++] = iterate->energy_decrease;
    return NB_OK;
}

/* so many iterations from zero, with a reference or without */
static void solve(const char *solver, const char *preconditioner, nb_system *system, int iterations, int reference,
                  history *h, real *x) {
    nb_solve *made;
    nb_solve_report report;
    double values[16], of_preconditioner[16];
    nb_method_settings settings = {.linear_solver = solver,
                                   .preconditioner = preconditioner,
                                   .linear_solver_values = values,
                                   .preconditioner_values = of_preconditioner,
                                   .reference_linear = reference};
    const nb_linear_solver_class *type;
    const nb_preconditioner_class *with;
    CHECK_OK(nb_linear_solver_find(solver, &type));
    CHECK_OK(nb_preconditioner_find(preconditioner, &with));
    nb_options_standard(type->options, type->option_count, values);
    nb_options_standard(with->options, with->option_count, of_preconditioner);
    CHECK_OK(nb_settings_solve(&settings, &made));
    *h = (history){0};
    CHECK_OK(nb_solve_run(made, system, &(nb_linear_stop){.iterations = iterations}, hear, h, x, &report));
    nb_solve_destroy(made);
}

/* sqrt(e^T A e) of x */
static double dense_error(random_system *t, const real *x, const double *exact) {
    double sum = 0;
    for (int i = 0; i < t->rows; i++)
        for (int j = 0; j < t->rows; j++) sum += (x[i] - exact[i]) * t->dense[i][j] * (x[j] - exact[j]);
    return sqrt(sum);
}

static const char *const solvers[] = {"pcg", "pcr", "minres", "gmres"};
static const char *const preconditioners[] = {"none", "jacobi", "block-jacobi", "ic0"};

/* Each iterate's, to what 1e-14 of the solution leaves of it; and the same bits of the iterate with it and without. */
TEST(test_energy_error_is_that_of_dense_solutions) {
    uint64_t seed = test_seed();
    random_system t;
    random_system_create(&seed, 0, 0.5, &t);
    double b[MOST], exact[MOST];
    for (int i = 0; i < t.rows; i++) b[i] = t.system->b[i];
    dense_solve(t.rows, t.dense, b, exact);
    for (int n = 0; n < 16; n++)
        for (int k = 0; k <= 12; k += 3) {
            history with, without;
            real x[MOST], alone[MOST];
            solve(solvers[n % 4], preconditioners[n / 4], t.system, k, 1, &with, x);
            solve(solvers[n % 4], preconditioners[n / 4], t.system, k, 0, &without, alone);
            assert_memory_equal(x, alone, (size_t)t.rows * sizeof *x);
            const int last = with.count - 1; /* fewer than k where it converged */
            CHECK_NEAR(with.error[last], dense_error(&t, x, exact), 1e-6 * with.error[last] + 1e-13 * with.error[0]);
            assert_true(isnan(without.error[last]));
        }
    random_system_destroy(&t);
}

/* The square of the error at iterate k is the sum of all decreases after it: sums of the next d are lower bounds, the
 * closer the larger d is. Round-off of recurrences is relative to the first. */
TEST(test_sums_of_decreases_bound_the_error) {
    uint64_t seed = test_seed();
    for (int n = 0; n < 8; n++) {
        random_system t;
        history h;
        real x[MOST];
        random_system_create(&seed, 0, 0.5, &t);
        solve(solvers[n % 2], preconditioners[n / 2], t.system, MOST_HEARD - 1, 1, &h, x);
        const double round_off = 1e-10 * h.error[0] * h.error[0];
        assert_true(h.count > 8 && isnan(h.decrease[0]));
        for (int k = 0; k < h.count; k++) {
            double sum = 0;
            for (int d = 1; k + d < h.count; d++) {
                const double before = sum;
                sum += h.decrease[k + d];
                assert_true(sum >= before);
                assert_true(sum <= h.error[k] * h.error[k] + round_off);
                CHECK_NEAR(sum, h.error[k] * h.error[k] - h.error[k + d] * h.error[k + d], round_off);
            }
        }
        assert_true(h.error[h.count - 1] <= 1e-6 * h.error[0]); /* so that the last sum is the whole */
        random_system_destroy(&t);
    }
}

/* others do not know it */
TEST(test_decreases_of_others_are_not_known) {
    uint64_t seed = test_seed();
    random_system t;
    history h;
    real x[MOST];
    random_system_create(&seed, 0, 0.5, &t);
    for (int n = 2; n < 4; n++) {
        solve(solvers[n], "jacobi", t.system, 6, 1, &h, x);
        for (int k = 0; k < h.count; k++) assert_true(isnan(h.decrease[k]));
    }
    random_system_destroy(&t);
}

/* b outside the range of a singular A has no solution to be held against */
TEST(test_no_solution_no_error) {
    random_system t;
    history h;
    real x[MOST];
    double dense[MOST][MOST] = {{1, 1}, {1, 1}};
    system_of_dense(2, dense, 0, NULL, 0, NULL, &t);
    t.system->b[0] = 1;
    solve("pcg", "jacobi", t.system, 4, 1, &h, x);
    for (int k = 0; k < h.count; k++) assert_true(isnan(h.error[k]));
    random_system_destroy(&t);
}

RUN_TESTS(test_energy_error_is_that_of_dense_solutions, test_sums_of_decreases_bound_the_error,
          test_decreases_of_others_are_not_known, test_no_solution_no_error)
