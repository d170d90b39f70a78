/* Every linear solver of the table, with every preconditioner where it takes one, run by the harness on random systems
 * of contacts: the contract of linear_solver.h, and solutions against dense elimination. */
#include "linear_solver.h"

#include "base/largest.h"
#include "base/memory.h"
#include "operator/solve.h"
#include "random_system.h"

NB_PRECISIONS(f32, f64);

enum {
    ENOUGH = 20000, /* iterations, of the slowest: l1-Jacobi on a redundant system */
    MOST_OPTIONS = 8
};
static const double epsilon = (double)NB_REAL_EPSILON;
static const uint64_t seeds[] = {1, 20, 300};
enum {
    SEEDS = sizeof seeds / sizeof *seeds
};

/* half the digits: far above the round-off of a residual, which is some n epsilon |A| |x| */
static double tolerance(void) {
    return sqrt(epsilon);
}

typedef struct rig {
    const nb_linear_solver_class *solver;
    const nb_preconditioner_class *preconditioner; /* or NULL */
    nb_solve *solve;
    real x[MOST];
    nb_solve_report report;
    int heard; /* calls of the history */
    double plain_first, plain_last, weighted_first, weighted_last, worst_growth;
} rig;

static int is(const rig *r, const char *name) {
    return strcmp(r->solver->name, name) == 0;
}

/* what a direct solver says of a singular system */
static nb_reason breakdown(const rig *r) {
    return strstr(r->solver->name, "cholesky") ? NB_REASON_NOT_POSITIVE_DEFINITE : NB_REASON_SINGULAR;
}

static void rig_create(const nb_linear_solver_class *solver, const nb_preconditioner_class *preconditioner, rig *r) {
    double values[MOST_OPTIONS], preconditioner_values[MOST_OPTIONS];
    *r = (rig){.solver = solver, .preconditioner = preconditioner};
    assert_true(solver->option_count <= MOST_OPTIONS);
    nb_options_standard(solver->options, solver->option_count, values);
    /* the only variant of Jacobi that converges on every positive definite system */
    if (is(r, "jacobi"))
        CHECK_OK(nb_options_set(solver->options, solver->option_count, "jacobi", "variant", "l1", values));
    if (preconditioner) {
        assert_true(preconditioner->option_count <= MOST_OPTIONS);
        nb_options_standard(preconditioner->options, preconditioner->option_count, preconditioner_values);
    }
    CHECK_OK(nb_solve_create(solver, values, preconditioner, preconditioner_values, &r->solve));
}

static nb_status hear(void *context, int32_t iteration, const nb_linear_iterate *iterate) {
    rig *r = context;
    const double plain = iterate->residual_l2, weighted = iterate->preconditioned_residual;
    assert_int_equal(iteration, r->heard);
    if (r->heard++ == 0) {
        r->plain_first = plain;
        r->weighted_first = weighted;
    } else {
        r->worst_growth = fmax(r->worst_growth, weighted - r->weighted_last);
    }
    r->plain_last = plain;
    r->weighted_last = weighted;
    return NB_OK;
}

static void rig_run(rig *r, random_system *t) {
    r->heard = 0;
    r->worst_growth = 0;
    memset(r->x, 0x7f, sizeof r->x); /* the harness starts from zero whatever was there */
    CHECK_OK(nb_solve_run(r->solve, t->system, &(nb_linear_stop){.iterations = ENOUGH, .tolerance = tolerance()}, hear,
                          r, r->x, &r->report));
}

/* calls check(rig, context) on a fresh rig of every solver, with every preconditioner where it takes one; on those
 * alone that take unsymmetric systems where `unsymmetric` */
static void each_fitting(int unsymmetric, void (*check)(rig *r, void *context), void *context) {
    for (int i = 0; nb_linear_solvers[i]; i++)
        for (int j = 0; nb_preconditioners[j]; j++) {
            rig r;
            int takes = nb_linear_solvers[i]->takes_preconditioner;
            if (j > 0 && !takes) break;
            if (unsymmetric && !nb_linear_solvers[i]->takes_unsymmetric) break;
            if (unsymmetric && takes && !nb_preconditioners[j]->takes_unsymmetric) continue;
            rig_create(nb_linear_solvers[i], takes ? nb_preconditioners[j] : NULL, &r);
            check(&r, context);
            nb_solve_destroy(r.solve);
        }
}

static void each_combination(void (*check)(rig *r, void *context), void *context) {
    each_fitting(0, check, context);
}

static void say(const rig *r) {
    print_message("  %s %s: %s after %d, residual %.3g of %.3g\n", r->solver->name,
                  r->preconditioner ? r->preconditioner->name : "-", nb_reason_name(r->report.reason),
                  (int)r->report.iterations, r->report.residual_l2, r->report.rhs_l2);
}

static double norm_of(int rows, const real *x) {
    double sum = 0;
    for (int i = 0; i < rows; i++) sum += (double)x[i] * (double)x[i];
    return sqrt(sum);
}

/* |b - A x| in double, from the dense matrix */
static double dense_residual(const random_system *t, const real *x) {
    double sum = 0;
    for (int i = 0; i < t->rows; i++) {
        double r = (double)t->system->b[i];
        for (int j = 0; j < t->rows; j++) r -= t->dense[i][j] * (double)x[j];
        sum += r * r;
    }
    return sqrt(sum);
}

/* what round-off makes of a residual: rows sums of `rows` products each, twice (x is rounded as well) */
static double residual_round_off(random_system *t, const real *x) {
    return 4 * t->rows * epsilon *
           (largest_row_sum(t->rows, t->dense) * norm_of(t->rows, x) + norm_of(t->rows, t->system->b));
}

/* The history: iterations 0 .. n, from |b| to the residual that is reported, which is that of dense arithmetic. */
static void check_history(rig *r, random_system *t) {
    assert_int_equal(r->heard, r->report.iterations + 1);
    /* the same sums, perhaps fused otherwise */
    CHECK_NEAR(r->plain_first, r->report.rhs_l2, 1e-15 * t->rows * r->report.rhs_l2);
    CHECK_NEAR(r->plain_last, r->report.residual_l2, 1e-15 * t->rows * r->report.residual_l2);
    CHECK_NEAR(r->report.residual_l2, dense_residual(t, r->x), residual_round_off(t, r->x));
}

/* The solver stops at `tolerance` of the true residual, which it formed itself. */
static void check_stopped_at_tolerance(rig *r, random_system *t) {
    if (is(r, "overhead")) {
        assert_int_equal(r->report.reason, NB_REASON_ITERATIONS);
        CHECK_NEAR(norm_of(t->rows, r->x), 0, 0);
    } else if (r->solver->direct) {
        assert_int_equal(r->report.reason, NB_REASON_EXACT);
        CHECK_BELOW(dense_residual(t, r->x), residual_round_off(t, r->x));
    } else {
        assert_true(nb_reason_converged(r->report.reason));
        /* it and the harness round in other orders */
        CHECK_BELOW(r->plain_last, 1.01 * tolerance() * r->plain_first);
    }
}

/* C = 1/2 bounds the eigenvalues of A from below, so that |x - A^-1 b| <= 2 |b - A x|. */
static void check_definite(rig *r, void *context) {
    random_system *t = context;
    double b[MOST], exact[MOST], error = 0, largest = largest_row_sum(t->rows, t->dense);
    rig_run(r, t);
    say(r);
    check_history(r, t);
    check_stopped_at_tolerance(r, t);
    if (is(r, "overhead")) return;
    for (int i = 0; i < t->rows; i++) b[i] = (double)t->system->b[i];
    dense_solve(t->rows, t->dense, b, exact);
    for (int i = 0; i < t->rows; i++) error += (exact[i] - (double)r->x[i]) * (exact[i] - (double)r->x[i]);
    /* between the solver's norm and the plain one lies at most the root of P's condition, about that of A */
    CHECK_BELOW(sqrt(error), 2 * 8 * tolerance() * sqrt(2 * largest) * r->report.rhs_l2);
    if (r->solver->direct) CHECK_BELOW(sqrt(error), 2 * residual_round_off(t, r->x));
    /* PCR minimises this norm; what growth there is is round-off in the residuals */
    if (is(r, "pcr")) CHECK_BELOW(r->worst_growth, 8 * t->rows * epsilon * r->weighted_first * sqrt(2 * largest));
}

TEST(test_definite_systems) {
    for (int i = 0; i < SEEDS; i++) {
        random_system t;
        uint64_t state = seeds[i];
        print_message("seed %d\n", (int)seeds[i]);
        random_system_create(&state, 0, 0.5, &t);
        each_combination(check_definite, &t);
        random_system_destroy(&t);
    }
}

/* Repeated contacts: iterations converge; a factorisation either reports what it met or is backward stable. */
static void check_redundant(rig *r, void *context) {
    random_system *t = context;
    rig_run(r, t);
    say(r);
    if (r->solver->direct && r->report.reason != NB_REASON_EXACT && !is(r, "overhead")) {
        /* static pivots do not show that a matrix is singular */
        assert_true(r->report.reason == breakdown(r) ||
                    (is(r, "multifrontal") && r->report.reason == NB_REASON_BREAKDOWN));
        assert_in_range(r->report.failed_row, 0, t->rows - 1);
        assert_int_equal(r->heard, 0);
        CHECK_NEAR(norm_of(t->rows, r->x), 0, 0);
        return;
    }
    check_history(r, t);
    check_stopped_at_tolerance(r, t);
    if (is(r, "pcr"))
        CHECK_BELOW(r->worst_growth, 8 * t->rows * epsilon * r->weighted_first * largest_row_sum(t->rows, t->dense));
}

TEST(test_redundant_systems) {
    for (int i = 0; i < SEEDS; i++) {
        random_system t;
        uint64_t state = seeds[i];
        print_message("seed %d\n", (int)seeds[i]);
        random_system_create(&state, 1, 0, &t);
        each_combination(check_redundant, &t);
        random_system_destroy(&t);
    }
}

static void check_zero_right_hand_side(rig *r, void *context) {
    random_system *t = context;
    rig_run(r, t);
    assert_true(is(r, "overhead") || nb_reason_converged(r->report.reason));
    assert_int_equal(r->heard, r->report.iterations + 1);
    CHECK_NEAR(norm_of(t->rows, r->x), 0, 0);
}

/* 4 x = 2: one step of any method, exact up to its rounding of square roots and quotients */
static void check_one_row(rig *r, void *context) {
    rig_run(r, context);
    if (is(r, "overhead")) return;
    assert_true(nb_reason_converged(r->report.reason));
    assert_true(r->report.iterations <= 2); /* relaxation finds out in a second one */
    CHECK_NEAR((double)r->x[0], 0.5, 4 * epsilon);
}

static void check_no_rows(rig *r, void *context) {
    rig_run(r, context);
    assert_true(is(r, "overhead") || nb_reason_converged(r->report.reason));
    CHECK_NEAR(r->report.residual_l2, 0, 0);
}

TEST(test_small_systems) {
    random_system t;
    uint64_t state = seeds[0];
    double four[MOST][MOST] = {{4}};
    random_system_create(&state, 0, 0.5, &t);
    memset(t.system->b, 0, (size_t)t.rows * sizeof *t.system->b);
    each_combination(check_zero_right_hand_side, &t);
    random_system_destroy(&t);
    system_of_dense(1, four, 0, NULL, 0, NULL, &t);
    t.system->b[0] = 2;
    each_combination(check_one_row, &t);
    random_system_destroy(&t);
    system_of_dense(0, four, 0, NULL, 0, NULL, &t);
    each_combination(check_no_rows, &t);
    random_system_destroy(&t);
}

/* diag(2, [3 1; 1 3], 0, 5), b = (2, 4, 4, 0, 5): x = (1, 1, 1, 0, 1) with the empty row left alone */
static void check_empty_row(rig *r, void *context) {
    random_system *t = context;
    rig_run(r, t);
    if (is(r, "overhead")) return;
    if (r->solver->direct) {
        assert_int_equal(r->report.reason, breakdown(r));
        assert_int_equal(r->report.failed_row, 3);
        return;
    }
    assert_true(nb_reason_converged(r->report.reason));
    /* eigenvalues are 2 to 5: an error is at most half the residual; |b| = 8 */
    for (int i = 0; i < t->rows; i++) CHECK_NEAR((double)r->x[i], i == 3 ? 0 : 1, i == 3 ? 0 : 16 * tolerance());
}

TEST(test_empty_row) {
    random_system t;
    double a[MOST][MOST] = {{2}, {0, 3, 1}, {0, 1, 3}, {0}, {0, 0, 0, 0, 5}};
    const real b[] = {2, 4, 4, 0, 5};
    system_of_dense(5, a, 0, NULL, 0, NULL, &t);
    memcpy(t.system->b, b, sizeof b);
    each_combination(check_empty_row, &t);
    random_system_destroy(&t);
}

/* Who calls itself converged is so: the condition is 5 at most, and 5 more between the norms of P. Relaxation and
 * preconditioners that leave a row of zero diagonal alone do not see its residual. */
static void check_zero_diagonal(rig *r, void *context) {
    random_system *t = context;
    rig_run(r, t);
    if (nb_reason_converged(r->report.reason) && !(r->report.residual_l2 <= 100 * tolerance() * r->report.rhs_l2)) {
        say(r);
        fail_msg("not converged");
    }
    if (r->report.rhs_l2 == 0) assert_true(is(r, "overhead") || r->solver->direct || r->report.residual_l2 == 0);
    if (is(r, "minres") && strcmp(r->preconditioner->name, "none") == 0)
        assert_true(nb_reason_converged(r->report.reason));
    if (is(r, "ldl")) assert_int_equal(r->report.reason, NB_REASON_EXACT);
}

TEST(test_zero_diagonal) {
    double cases[][MOST][MOST] = {{{0, 1}, {1, 0}}, {{0, 1}, {1, 0}, {0, 0, 5}}, {{2, 1}, {1, 0}}};
    const real b[][3] = {{1, 2, 0}, {1, 2, 5}, {0, 1, 0}, {1, 0, 0}, {0, 0, 0}};
    for (int c = 0; c < 3; c++)
        for (int k = 0; k < 5; k++) {
            random_system t;
            int rows = c == 1 ? 3 : 2;
            system_of_dense(rows, cases[c], 0, NULL, 0, NULL, &t);
            memcpy(t.system->b, b[k], (size_t)rows * sizeof(real));
            each_combination(check_zero_diagonal, &t);
            random_system_destroy(&t);
        }
}

/* 0 x = 1: the residual cannot be made less, which is no convergence; 0 x = 0 is */
static void check_nothing(rig *r, void *context) {
    random_system *t = context;
    rig_run(r, t);
    if (r->solver->direct) return;
    if (t->system->b[0] != 0) assert_int_not_equal(r->report.reason, NB_REASON_CONVERGED);
    if (t->system->b[0] == 0) assert_int_equal(r->report.reason, NB_REASON_CONVERGED);
}

TEST(test_zero_matrix) {
    random_system t;
    double zero[MOST][MOST] = {{0}};
    system_of_dense(2, zero, 0, NULL, 0, NULL, &t);
    each_combination(check_nothing, &t);
    t.system->b[0] = t.system->b[1] = 1;
    each_combination(check_nothing, &t);
    random_system_destroy(&t);
}

/* No solver calls a solution exact that x = 0 would be better than: in f32 it may not even be one that f32 can hold. */
static void check_ill_conditioned(rig *r, void *context) {
    random_system *t = context;
    rig_run(r, t);
    if (r->report.reason != NB_REASON_EXACT || r->report.residual_l2 <= r->report.rhs_l2) return;
    say(r);
    fail_msg("off by more than b");
}

/* Hilbert's matrices, of conditions from 19 to 10^16 */
TEST(test_ill_conditioned) {
    for (int rows = 2; rows <= 12; rows++) {
        random_system t;
        double hilbert[MOST][MOST] = {{0}};
        uint64_t state = seeds[0];
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < rows; j++) hilbert[i][j] = 1.0 / (i + j + 1);
        system_of_dense(rows, hilbert, 0, NULL, 0, NULL, &t);
        for (int k = 0; k < 5; k++) {
            for (int i = 0; i < rows; i++) t.system->b[i] = (real)test_random(&state, -1, 1);
            each_combination(check_ill_conditioned, &t);
        }
        random_system_destroy(&t);
    }
}

static void check_not_finite(rig *r, void *context) {
    random_system *t = context;
    rig_run(r, t);
    assert_int_equal(r->report.reason, NB_REASON_NAN);
    assert_int_equal(r->heard, 0);
    for (int i = 0; i < t->rows; i++) assert_true(r->x[i] == 0);
}

/* in b, on the diagonal, and off it */
TEST(test_not_finite) {
    for (int where = 0; where < 6; where++) {
        random_system t;
        uint64_t state = seeds[0];
        real bad = where % 2 ? (real)INFINITY : (real)NAN;
        random_system_create(&state, 0, 0.5, &t);
        if (where / 2 == 0) t.system->b[7] = bad;
        if (where / 2 == 1) t.system->c[7] = bad;
        if (where / 2 == 2) t.matrix->value[t.matrix->start[0] + 1] = t.matrix->value[t.matrix->start[1]] = bad;
        nb_system_values_changed(t.system);
        each_combination(check_not_finite, &t);
        random_system_destroy(&t);
    }
}

/* New values give the new solution and take no memory; a new pattern of the same entries gives the same bits, and so
 * does a fresh solver. */
static void check_epochs(rig *r, void *context) {
    random_system *t = context;
    real first[MOST], second[MOST];
    rig fresh;
    size_t size = (size_t)t->rows * sizeof *first;
    rig_run(r, t);
    memcpy(first, r->x, size);
    int64_t allocations = nb_allocation_count();
    for (int i = 0; i < t->rows; i++) t->system->c[i] += 1;
    nb_system_values_changed(t->system);
    rig_run(r, t);
    rig_run(r, t); /* and without a set-up */
    assert_int_equal(nb_allocation_count(), allocations);
    memcpy(second, r->x, size);
    dense_of_system(t);
    check_stopped_at_tolerance(r, t);
    assert_true(is(r, "overhead") || memcmp(first, second, size) != 0);

    rig_create(r->solver, r->preconditioner, &fresh);
    rig_run(&fresh, t);
    assert_memory_equal(fresh.x, second, size);
    nb_solve_destroy(fresh.solve);

    for (int i = 0; i < t->rows; i++) t->system->c[i] = R(0.5);
    nb_system_pattern_changed(t->system);
    rig_run(r, t);
    assert_memory_equal(r->x, first, size);
    dense_of_system(t);
}

TEST(test_epochs) {
    random_system t;
    uint64_t state = seeds[1];
    random_system_create(&state, 0, 0.5, &t);
    each_combination(check_epochs, &t);
    random_system_destroy(&t);
}

/* with K of positive definite symmetric part, of eigenvalues from 1/2 (random_system_add_blocks) */
TEST(test_unsymmetric_systems) {
    for (int i = 0; i < SEEDS; i++) {
        random_system t;
        uint64_t state = seeds[i];
        print_message("seed %d\n", (int)seeds[i]);
        random_system_create(&state, 0, 0.5, &t);
        random_system_add_blocks(&state, &t);
        each_fitting(1, check_definite, &t);
        each_fitting(1, check_epochs, &t);
        random_system_destroy(&t);
    }
}

/* an unsymmetric system of random numbers and of any signs, one block: what needs pivots */
static void check_indefinite(rig *r, void *context) {
    random_system *t = context;
    double b[MOST], exact[MOST], error = 0;
    if (!r->solver->direct || is(r, "overhead")) return;
    rig_run(r, t);
    say(r);
    check_history(r, t);
    check_stopped_at_tolerance(r, t);
    for (int i = 0; i < t->rows; i++) b[i] = (double)t->system->b[i];
    dense_solve(t->rows, t->dense, b, exact);
    for (int i = 0; i < t->rows; i++) nb_raise(&error, fabs(exact[i] - (double)r->x[i]));
    /* 1e4: well above the conditions of such matrices */
    CHECK_BELOW(error, 1e4 * t->rows * epsilon * (1 + norm_of(t->rows, r->x)));
}

TEST(test_pivots) {
    for (int i = 0; i < SEEDS; i++) {
        random_system t;
        uint64_t state = seeds[i];
        double dense[MOST][MOST] = {{0}};
        const int32_t block[] = {0, 24};
        print_message("seed %d\n", (int)seeds[i]);
        for (int k = 0; k < 24; k++) dense[k][k] = 1;
        system_of_dense(24, dense, 1, block, 1, (int32_t[]){0, 1}, &t);
        CHECK_OK(nb_system_use_blocks(t.system));
        real *k = nb_system_diagonal_block(t.system, 0);
        for (int e = 0; e < 24 * 24; e++)
            k[e] = (real)(test_random(&state, -1, 1) - (e % 25 == 0)); /* zeros on average */
        for (int e = 0; e < 24; e++) t.system->b[e] = (real)test_random(&state, -1, 1);
        nb_system_values_changed(t.system);
        dense_of_system(&t);
        each_fitting(1, check_indefinite, &t);
        random_system_destroy(&t);
    }
}

static void check_options(const char *owner, const nb_option *options, int count) {
    double values[MOST_OPTIONS];
    for (int i = 0; i < count; i++) {
        char above[64], below[64];
        nb_options_standard(options, count, values);
        snprintf(above, sizeof above, "%.17g", options[i].maximum + 1);
        snprintf(below, sizeof below, "%.17g", options[i].minimum - 1);
        const char *bad[] = {above, below, "nan", "", "3x"};
        for (int k = 0; k < 5; k++)
            CHECK_FAULT(nb_options_set(options, count, owner, options[i].name, bad[k], values), NB_ERROR_USAGE,
                        options[i].name);
    }
    CHECK_FAULT(nb_options_set(options, count, owner, "no-such-option", "1", values), NB_ERROR_USAGE, "no-such-option");
}

TEST(test_options_are_checked) {
    for (int i = 0; nb_linear_solvers[i]; i++)
        check_options(nb_linear_solvers[i]->name, nb_linear_solvers[i]->options, nb_linear_solvers[i]->option_count);
    for (int i = 0; nb_preconditioners[i]; i++)
        check_options(nb_preconditioners[i]->name, nb_preconditioners[i]->options, nb_preconditioners[i]->option_count);
}

RUN_TESTS(test_definite_systems, test_redundant_systems, test_small_systems, test_empty_row, test_zero_diagonal,
          test_zero_matrix, test_ill_conditioned, test_not_finite, test_epochs, test_unsymmetric_systems, test_pivots,
          test_options_are_checked)
