/* What sets each linear solver apart: iterates against textbook sweeps in dense double arithmetic, PCR against MINRES,
 * and what factorisations report of matrices that they cannot take. */
#include "base/memory.h"
#include "operator/solve.h"
#include "random_system.h"
#include "registry.h"

NB_PRECISIONS(f32, f64);

static const double epsilon = (double)NB_REAL_EPSILON;
static const uint64_t seeds[] = {4, 50, 600};
enum {
    SEEDS = sizeof seeds / sizeof *seeds,
    MOST_OPTIONS = 8
};

typedef struct setting {
    const char *name, *value; /* an option; name NULL: none */
} setting;

/* a history that nobody keeps */
static nb_status look_away(void *context, int32_t iteration, const nb_linear_iterate *iterate) {
    (void)context;
    (void)iteration;
    (void)iterate;
    return NB_OK;
}

/* x after so many iterations of the solver on the system, from zero, with no tolerance; `history` may be NULL */
static nb_solve_report run_watched(random_system *t, const char *solver_name, const setting *settings,
                                   const char *preconditioner_name, int iterations, nb_solve_history *history,
                                   real *x) {
    const nb_linear_solver_class *solver;
    const nb_preconditioner_class *preconditioner = NULL;
    double values[MOST_OPTIONS], preconditioner_values[MOST_OPTIONS];
    nb_solve *solve;
    nb_solve_report report;
    CHECK_OK(nb_linear_solver_find(solver_name, &solver));
    nb_options_standard(solver->options, solver->option_count, values);
    for (; settings && settings->name; settings++)
        CHECK_OK(nb_options_set(solver->options, solver->option_count, solver_name, settings->name, settings->value,
                                values));
    if (preconditioner_name) {
        CHECK_OK(nb_preconditioner_find(preconditioner_name, &preconditioner));
        nb_options_standard(preconditioner->options, preconditioner->option_count, preconditioner_values);
    }
    CHECK_OK(nb_solve_create(solver, values, preconditioner, preconditioner_values, &solve));
    CHECK_OK(nb_solve_run(solve, t->system, &(nb_linear_stop){.iterations = iterations, .tolerance = 0}, history, NULL,
                          x, &report));
    nb_solve_destroy(solve);
    return report;
}

static nb_solve_report run(random_system *t, const char *solver_name, const setting *settings,
                           const char *preconditioner_name, int iterations, real *x) {
    return run_watched(t, solver_name, settings, preconditioner_name, iterations, NULL, x);
}

static double largest_of(int rows, const double *x) {
    double largest = 0;
    for (int i = 0; i < rows; i++) largest = fmax(largest, fabs(x[i]));
    return largest;
}

/* C = 1/2: the eigenvalues of A lie between 1/2 and its largest row sum */
static double condition_of(random_system *t) {
    return 2 * largest_row_sum(t->rows, t->dense);
}

/* x += omega A_BB^-1 (b - A x)_B for the block of `width` rows from `first` on */
static void dense_relax(random_system *t, int first, int width, double omega, double *x) {
    double block[MOST][MOST] = {{0}}, r[MOST] = {0}, step[MOST];
    for (int i = 0; i < width; i++) {
        r[i] = (double)t->system->b[first + i];
        for (int j = 0; j < t->rows; j++) r[i] -= t->dense[first + i][j] * x[j];
        for (int j = 0; j < width; j++) block[i][j] = t->dense[first + i][first + j];
    }
    dense_solve(width, block, r, step);
    for (int i = 0; i < width; i++) x[first + i] += omega * step[i];
}

typedef struct sweep_case {
    const char *name;
    setting settings[3];
    double omega;
    int symmetric;
} sweep_case;

static const sweep_case gauss_seidel_cases[] = {
    {"forward", {{"sweep", "forward"}}, 1, 0},
    {"symmetric", {{"sweep", "symmetric"}}, 1, 1},
    {"over-relaxed", {{"omega", "1.5"}}, 1.5, 0},
    {"under-relaxed and symmetric", {{"sweep", "symmetric"}, {"omega", "0.75"}}, 0.75, 1},
};

/* Each sweep adds the round-off of sums over a row, which the solution of a block amplifies by its condition (at most
 * that of A). */
static void check_gauss_seidel(random_system *t, int width, const sweep_case *c) {
    double expected[MOST] = {0};
    real x[MOST];
    for (int sweep = 1; sweep <= 4; sweep++) {
        for (int first = 0; first < t->rows; first += width) dense_relax(t, first, width, c->omega, expected);
        for (int first = t->rows - width; c->symmetric && first >= 0; first -= width)
            dense_relax(t, first, width, c->omega, expected);
        nb_solve_report report = run(t, "gauss-seidel", c->settings, NULL, sweep, x);
        assert_int_equal(report.iterations, sweep);
        assert_int_equal(report.reason, NB_REASON_ITERATIONS);
        for (int i = 0; i < t->rows; i++)
            CHECK_NEAR((double)x[i], expected[i], 8 * epsilon * condition_of(t) * largest_of(t->rows, expected));
    }
}

/* the same matrix in blocks of one row, and without the entries between the tangents of a contact if `holes` */
static void regroup(random_system *t, int width, int holes, random_system *other) {
    double dense[MOST][MOST];
    int32_t start[MOST + 1];
    memcpy(dense, t->dense, sizeof dense);
    for (int i = 0; holes && i < t->rows; i += 3) {
        dense[i + 1][i + 2] = dense[i + 2][i + 1] = 0;
        for (int k = 0; k < 3; k++) dense[i + k][i + k] += largest_row_sum(t->rows, t->dense); /* stays definite */
    }
    for (int i = 0; i <= t->rows / width; i++) start[i] = width * i;
    system_of_dense(t->rows, dense, t->rows / width, start, 0, NULL, other);
    memcpy(other->system->b, t->system->b, (size_t)t->rows * sizeof *t->system->b);
}

TEST(test_gauss_seidel_sweeps) {
    for (int i = 0; i < SEEDS; i++) {
        random_system t, rows, holes;
        uint64_t state = seeds[i];
        print_message("seed %d\n", (int)seeds[i]);
        random_system_create(&state, 0, 0.5, &t);
        regroup(&t, 1, 0, &rows);
        regroup(&t, 3, 1, &holes);
        for (int k = 0; k < 4; k++) {
            print_message("  %s\n", gauss_seidel_cases[k].name);
            check_gauss_seidel(&t, 3, &gauss_seidel_cases[k]);
            check_gauss_seidel(&rows, 1, &gauss_seidel_cases[k]);
            check_gauss_seidel(&holes, 3, &gauss_seidel_cases[k]);
        }
        random_system_destroy(&holes);
        random_system_destroy(&rows);
        random_system_destroy(&t);
    }
}

TEST(test_gauss_seidel_refuses_wide_blocks) {
    random_system t;
    double dense[MOST][MOST] = {{0}};
    const int32_t start[] = {0, 6, 13};
    const nb_linear_solver_class *solver;
    nb_solve *solve;
    nb_solve_report report;
    real x[MOST];
    double values[MOST_OPTIONS];
    for (int i = 0; i < 13; i++) dense[i][i] = 1;
    system_of_dense(13, dense, 2, start, 0, NULL, &t);
    CHECK_OK(nb_linear_solver_find("gauss-seidel", &solver));
    nb_options_standard(solver->options, solver->option_count, values);
    CHECK_OK(nb_solve_create(solver, values, NULL, NULL, &solve));
    CHECK_FAULT(
        nb_solve_run(solve, t.system, &(nb_linear_stop){.iterations = 1, .tolerance = 0}, NULL, NULL, x, &report),
        NB_ERROR_UNSUPPORTED, "block 1 has 7");
    nb_solve_destroy(solve);
    random_system_destroy(&t);
}

static const sweep_case jacobi_cases[] = {
    {"plain", {{"variant", "plain"}}, 1, 0},
    {"damped", {{"variant", "damped"}, {"omega", "0.4"}}, 0.4, 0},
    {"l1", {{"variant", "l1"}}, 1, 0},
};

/* x += omega d^-1 (b - A x). Plain Jacobi may grow: its errors grow with it, by |1 - D^-1 A| a sweep as x does. */
TEST(test_jacobi_sweeps) {
    for (int n = 0; n < 3 * SEEDS; n++) {
        const sweep_case *c = &jacobi_cases[n % 3];
        random_system t;
        uint64_t state = seeds[n / 3];
        double expected[MOST] = {0};
        real x[MOST];
        print_message("seed %d, %s\n", (int)seeds[n / 3], c->name);
        random_system_create(&state, 0, 0.5, &t);
        for (int sweep = 1; sweep <= 5; sweep++) {
            double step[MOST];
            for (int i = 0; i < t.rows; i++) {
                double d = 0;
                step[i] = (double)t.system->b[i];
                for (int j = 0; j < t.rows; j++) {
                    step[i] -= t.dense[i][j] * expected[j];
                    d += j == i || n % 3 == 2 ? fabs(t.dense[i][j]) : 0;
                }
                step[i] *= c->omega / d;
            }
            for (int i = 0; i < t.rows; i++) expected[i] += step[i];
            nb_solve_report report = run(&t, "jacobi", c->settings, NULL, sweep, x);
            assert_int_equal(report.iterations, sweep);
            /* sums over a row, relative to the diagonal: `rows` roundings of up to row sum / diagonal, a sweep */
            for (int i = 0; i < t.rows; i++)
                CHECK_NEAR((double)x[i], expected[i], 5 * t.rows * epsilon * largest_of(t.rows, expected));
        }
        random_system_destroy(&t);
    }
}

/* Both minimise |r| in the norm of P over the same space; their recurrences differ in round-off, which grows with the
 * condition and, as orthogonality is lost, with the iterations: ten of them here. */
TEST(test_pcr_is_minres) {
    static const char *const preconditioners[] = {"none", "jacobi", "block-jacobi", "ssor", "ic0"};
    for (int n = 0; n < 5 * SEEDS; n++) {
        random_system t;
        uint64_t state = seeds[n / 5];
        random_system_create(&state, 0, 0.5, &t);
        for (int iterations = 1; iterations <= 10; iterations++) {
            real x[MOST], y[MOST];
            double reference[MOST];
            nb_solve_report first = run(&t, "pcr", NULL, preconditioners[n % 5], iterations, x);
            nb_solve_report second = run(&t, "minres", NULL, preconditioners[n % 5], iterations, y);
            if (first.reason != NB_REASON_ITERATIONS || second.reason != NB_REASON_ITERATIONS) break; /* round-off */
            for (int i = 0; i < t.rows; i++) reference[i] = (double)y[i];
            for (int i = 0; i < t.rows; i++)
                CHECK_NEAR((double)x[i], reference[i],
                           10 * iterations * epsilon * condition_of(&t) * largest_of(t.rows, reference));
        }
        random_system_destroy(&t);
    }
}

/* work as each method's recurrence has it, whether or not the harness measures residuals in between */
TEST(test_work_is_counted) {
    static const struct {
        const char *name, *preconditioner;
        setting settings[2];
        int start, each, first_call, each_call; /* products and calls of P: at the start, and an iteration */
    } cases[] = {
        {"pcg", NULL, {{0}}, 0, 1, 0, 0},
        {"pcg", "jacobi", {{0}}, 0, 1, 0, 0}, /* taken into the operator */
        {"pcg", "ssor", {{0}}, 0, 1, 1, 1},
        {"pcr", "jacobi", {{0}}, 1, 1, 0, 0},
        {"pcr", "ssor", {{0}}, 1, 1, 1, 1},
        {"minres", "ssor", {{0}}, 0, 1, 1, 1},
        {"jacobi", NULL, {{0}}, 0, 1, 0, 0},
        {"gauss-seidel", NULL, {{"sweep", "forward"}}, 0, 1, 0, 0},
        {"gauss-seidel", NULL, {{"sweep", "symmetric"}}, 0, 2, 0, 0},
        {"cholesky", NULL, {{0}}, 1, 0, 0, 0},
        {"dense-cholesky", NULL, {{0}}, 1, 0, 0, 0},
        {"ldl", NULL, {{0}}, 1, 0, 0, 0},
        {"overhead", NULL, {{0}}, 0, 0, 0, 0},
    };
    for (size_t n = 0; n < 2 * (sizeof cases / sizeof *cases); n++) {
        random_system t;
        real x[MOST];
        uint64_t state = seeds[1];
        int iterations = 3, watched = (int)(n % 2);
        random_system_create(&state, 0, 0.5, &t);
        nb_solve_report report = run_watched(&t, cases[n / 2].name, cases[n / 2].settings, cases[n / 2].preconditioner,
                                             iterations, watched ? look_away : NULL, x);
        if (report.products != cases[n / 2].start + iterations * cases[n / 2].each)
            fail_msg("%s: %d products in %d iterations", cases[n / 2].name, (int)report.products, iterations);
        if (report.preconditionings != cases[n / 2].first_call + iterations * cases[n / 2].each_call)
            fail_msg("%s: %d calls of %s in %d iterations", cases[n / 2].name, (int)report.preconditionings,
                     cases[n / 2].preconditioner, iterations);
        random_system_destroy(&t);
    }
}

/* a diagonal matrix with one entry below zero, and the same made definite again in the same solver */
TEST(test_cholesky_names_the_row) {
    static const char *const names[] = {"cholesky", "dense-cholesky"};
    for (int n = 0; n < 2; n++) {
        random_system t;
        double dense[MOST][MOST] = {{0}};
        const nb_linear_solver_class *solver;
        nb_solve *solve;
        nb_solve_report report;
        real x[MOST];
        for (int i = 0; i < 9; i++) dense[i][i] = i == 5 ? -1 : 2;
        system_of_dense(9, dense, 0, NULL, 0, NULL, &t);
        for (int i = 0; i < 9; i++) t.system->b[i] = 2;
        CHECK_OK(nb_linear_solver_find(names[n], &solver));
        CHECK_OK(nb_solve_create(solver, NULL, NULL, NULL, &solve));
        CHECK_OK(
            nb_solve_run(solve, t.system, &(nb_linear_stop){.iterations = 1, .tolerance = 0}, NULL, NULL, x, &report));
        assert_int_equal(report.reason, NB_REASON_NOT_POSITIVE_DEFINITE);
        assert_int_equal(report.failed_row, 5);
        t.system->c[5] = 3;
        nb_system_values_changed(t.system);
        CHECK_OK(
            nb_solve_run(solve, t.system, &(nb_linear_stop){.iterations = 1, .tolerance = 0}, NULL, NULL, x, &report));
        assert_int_equal(report.reason, NB_REASON_EXACT);
        assert_int_equal(report.failed_row, -1);
        /* roots and quotients of exact numbers, rounded */
        for (int i = 0; i < 9; i++) CHECK_NEAR((double)x[i], 1, 4 * epsilon);
        nb_solve_destroy(solve);
        random_system_destroy(&t);
    }
}

/* [1 2; 2 1], eigenvalues 3 and -1: no positive pivot in the second row; LDL and MINRES solve it, to (1, 1) */
TEST(test_indefinite) {
    random_system t;
    real x[MOST];
    double dense[MOST][MOST] = {{1, 2}, {2, 1}};
    system_of_dense(2, dense, 0, NULL, 0, NULL, &t);
    t.system->b[0] = 3;
    t.system->b[1] = 3;
    assert_int_equal(run(&t, "dense-cholesky", NULL, NULL, 1, x).failed_row, 1);
    assert_int_equal(run(&t, "cholesky", NULL, NULL, 1, x).reason, NB_REASON_NOT_POSITIVE_DEFINITE);
    assert_int_equal(run(&t, "ldl", NULL, NULL, 1, x).reason, NB_REASON_EXACT);
    for (int i = 0; i < 2; i++) CHECK_NEAR((double)x[i], 1, 16 * epsilon); /* the condition is 3 */
    t.system->b[1] = -1;                                                   /* x = (-5/3, 7/3), in two steps */
    assert_true(nb_reason_converged(run(&t, "minres", NULL, "none", 5, x).reason));
    CHECK_NEAR((double)x[0], -5.0 / 3, 64 * epsilon);
    CHECK_NEAR((double)x[1], 7.0 / 3, 64 * epsilon);
    t.system->b[0] = 1; /* (1, -1): the direction of negative curvature */
    assert_int_equal(run(&t, "pcg", NULL, "none", 5, x).reason, NB_REASON_INDEFINITE);
    assert_int_equal(run(&t, "pcr", NULL, "none", 5, x).reason, NB_REASON_INDEFINITE);
    random_system_destroy(&t);
}

/* A - 3/4 of its largest row sum on every second diagonal entry: both signs, and LDL is backward stable */
TEST(test_ldl_on_random_indefinite_systems) {
    for (int n = 0; n < SEEDS; n++) {
        random_system base, t;
        uint64_t state = seeds[n];
        double dense[MOST][MOST], b[MOST], exact[MOST];
        real x[MOST];
        random_system_create(&state, 0, 0.5, &base);
        memcpy(dense, base.dense, sizeof dense);
        for (int i = 0; i < base.rows; i += 2) dense[i][i] -= 1.5 * largest_row_sum(base.rows, base.dense);
        system_of_dense(base.rows, dense, 0, NULL, 0, NULL, &t);
        for (int i = 0; i < t.rows; i++) b[i] = (double)(t.system->b[i] = base.system->b[i]);
        assert_int_equal(run(&t, "cholesky", NULL, NULL, 1, x).reason, NB_REASON_NOT_POSITIVE_DEFINITE);
        nb_solve_report report = run(&t, "ldl", NULL, NULL, 1, x);
        assert_int_equal(report.reason, NB_REASON_EXACT);
        dense_solve(t.rows, t.dense, b, exact);
        /* rows eps |A| |x| for the residual, with Bunch-Kaufman's modest growth */
        CHECK_BELOW(report.residual_l2, 8 * t.rows * epsilon * largest_row_sum(t.rows, t.dense) * sqrt((double)t.rows) *
                                            largest_of(t.rows, exact));
        random_system_destroy(&t);
        random_system_destroy(&base);
    }
}

TEST(test_ldl_on_a_singular_system) {
    random_system t;
    real x[MOST];
    double dense[MOST][MOST] = {{1, 1, 0}, {1, 1, 0}, {0, 0, 4}};
    system_of_dense(3, dense, 0, NULL, 0, NULL, &t);
    for (int i = 0; i < 3; i++) t.system->b[i] = 1;
    nb_solve_report report = run(&t, "ldl", NULL, NULL, 1, x);
    assert_int_equal(report.reason, NB_REASON_SINGULAR);
    assert_int_equal(report.failed_row, 1);
    for (int i = 0; i < 3; i++) assert_true(x[i] == 0);
    random_system_destroy(&t);
}

RUN_TESTS(test_gauss_seidel_sweeps, test_gauss_seidel_refuses_wide_blocks, test_jacobi_sweeps, test_pcr_is_minres,
          test_work_is_counted, test_cholesky_names_the_row, test_indefinite, test_ldl_on_a_singular_system,
          test_ldl_on_random_indefinite_systems)
