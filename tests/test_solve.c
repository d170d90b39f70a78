/* The harness around one linear solve, with solvers that do as the test says: which set-up is due when, whose word
 * counts, what happens to breakdowns, NaN and faults. */
#include "operator/solve.h"

#include <string.h>

#include "base/memory.h"
#include "check.h"
#include "operator/delassus_matrix.h"

NB_PRECISIONS(f32, f64);

enum {
    ROWS = 3
};

/* what the solver under the test's control shall do, and what it saw */
static struct {
    int pattern_set_ups, value_set_ups, solves, destroyed;
    nb_reason break_in_set_up;
    nb_status fault_in_solve;
    real answer[ROWS];
    nb_reason reason;
    int iterates; /* reported to the monitor, 0 to iterates */
} script;

static nb_status obey_create(const double *values, void **state) {
    (void)values;
    return nb_allocate(1, 1, state);
}

static nb_status obey_set_up_pattern(void *state, nb_system *system) {
    (void)state;
    (void)system;
    script.pattern_set_ups++;
    return NB_OK;
}

static nb_status obey_set_up_values(void *state, nb_system *system, nb_linear_outcome *outcome) {
    (void)state;
    (void)system;
    script.value_set_ups++;
    outcome->reason = script.break_in_set_up;
    if (script.break_in_set_up != NB_REASON_NONE) outcome->failed_row = 2;
    return NB_OK;
}

static nb_status obey_solve(void *state, nb_system *system, const nb_linear_request *request, real *x,
                            nb_linear_outcome *outcome) {
    (void)state;
    (void)system;
    script.solves++;
    for (int i = 0; i < ROWS; i++) assert_true(x[i] == 0);
    for (int32_t k = 0; k <= script.iterates; k++) {
        for (int i = 0; i < ROWS && k == script.iterates; i++) x[i] = script.answer[i];
        if (request->monitor) request->monitor(request->monitor_context, k, x);
    }
    if (script.fault_in_solve != NB_OK) return nb_fail(script.fault_in_solve, "as the script says");
    outcome->reason = script.reason; /* whether true or not */
    outcome->iterations = script.iterates;
    return NB_OK;
}

static void obey_destroy(void *state) {
    script.destroyed += state != NULL;
    nb_free(state);
}

static const nb_linear_solver_class obeying = {
    .name = "obeying",
    .summary = "does as the test says",
    .create = obey_create,
    .set_up_pattern = obey_set_up_pattern,
    .set_up_values = obey_set_up_values,
    .solve = obey_solve,
    .destroy = obey_destroy,
};

typedef struct instance {
    nb_delassus *delassus;
    nb_system *system;
    nb_solve *solve;
    real x[ROWS];
    nb_solve_report report;
} instance;

/* A = diag(1, 2, 4), b = (1, 2, 4): the solution is (1, 1, 1) */
static void set_up(instance *t) {
    nb_csr *matrix;
    memset(&script, 0, sizeof script);
    script.reason = NB_REASON_CONVERGED;
    CHECK_OK(nb_csr_create(ROWS, ROWS, ROWS, &matrix));
    for (int32_t i = 0; i < ROWS; i++) {
        matrix->start[i + 1] = i + 1;
        matrix->column[i] = i;
        matrix->value[i] = (real)(1 << i);
        script.answer[i] = 1;
    }
    CHECK_OK(nb_delassus_matrix_create(matrix, 0, NULL, 0, NULL, &t->delassus));
    CHECK_OK(nb_system_create(t->delassus, &t->system));
    for (int32_t i = 0; i < ROWS; i++) t->system->b[i] = (real)(1 << i);
    CHECK_OK(nb_solve_create(&obeying, NULL, NULL, NULL, &t->solve));
}

static void tear_down(instance *t) {
    nb_solve_destroy(t->solve);
    assert_int_equal(script.destroyed, 1);
    nb_system_destroy(t->system);
    nb_delassus_matrix_destroy(t->delassus);
}

static nb_status run(instance *t, nb_solve_history *history, void *context) {
    return nb_solve_run(t->solve, t->system, &(nb_linear_stop){.iterations = 10, .tolerance = 0}, history, context,
                        t->x, &t->report);
}

TEST(test_set_ups_follow_the_epochs) {
    instance t;
    set_up(&t);
    CHECK_OK(run(&t, NULL, NULL));
    CHECK_OK(run(&t, NULL, NULL));
    assert_int_equal(script.pattern_set_ups, 1);
    assert_int_equal(script.value_set_ups, 1);
    nb_system_values_changed(t.system);
    CHECK_OK(run(&t, NULL, NULL));
    assert_int_equal(script.pattern_set_ups, 1);
    assert_int_equal(script.value_set_ups, 2);
    nb_system_pattern_changed(t.system);
    CHECK_OK(run(&t, NULL, NULL));
    assert_int_equal(script.pattern_set_ups, 2);
    assert_int_equal(script.value_set_ups, 3);
    assert_int_equal(script.solves, 4);
    tear_down(&t);
}

/* a solver that calls (1, 1, 0) converged is shown to be off by the last right-hand side */
TEST(test_residual_is_the_harness_s_own) {
    instance t;
    set_up(&t);
    CHECK_OK(run(&t, NULL, NULL));
    CHECK_NEAR(t.report.residual_l2, 0, 0);
    CHECK_NEAR(t.report.rhs_l2, sqrt(21), 1e-14);
    assert_int_equal(t.report.reason, NB_REASON_CONVERGED);
    assert_int_equal(t.report.failed_row, -1);
    script.answer[2] = 0;
    CHECK_OK(run(&t, NULL, NULL));
    CHECK_NEAR(t.report.residual_l2, 4, 0);
    assert_true(t.report.setup_s >= 0 && t.report.solve_s >= 0);
    tear_down(&t);
}

typedef struct heard {
    int count;
    double plain[8], weighted[8];
    nb_status answer;
} heard;

static nb_status hear(void *context, int32_t iteration, const nb_linear_iterate *iterate) {
    heard *h = context;
    assert_int_equal(iteration, h->count);
    h->plain[h->count] = iterate->residual_l2;
    h->weighted[h->count++] = iterate->preconditioned_residual;
    return h->answer == NB_OK ? NB_OK : nb_fail(h->answer, "enough");
}

/* without a preconditioner the weighted norm is that of the inverse diagonal: sqrt(1/1 + 4/2 + 16/4) at x = 0 */
TEST(test_history_in_two_norms) {
    instance t;
    heard h = {0};
    set_up(&t);
    script.iterates = 2;
    CHECK_OK(run(&t, hear, &h));
    assert_int_equal(h.count, 3);
    CHECK_NEAR(h.plain[0], sqrt(21), 1e-14);
    CHECK_NEAR(h.weighted[0], sqrt(7), 1e-14);
    CHECK_NEAR(h.plain[2], 0, 0);
    CHECK_NEAR(h.weighted[2], 0, 0);
    assert_int_equal(t.report.iterations, 2);

    heard stubborn = {.answer = NB_ERROR_IO};
    CHECK_FAULT(run(&t, hear, &stubborn), NB_ERROR_IO, "enough");
    assert_int_equal(stubborn.count, 1);
    tear_down(&t);
}

/* a breakdown in set-up is a reason: nothing is solved, x is zero, and the set-up is tried again next time */
TEST(test_breakdown_in_set_up) {
    instance t;
    set_up(&t);
    script.break_in_set_up = NB_REASON_NOT_POSITIVE_DEFINITE;
    CHECK_OK(run(&t, NULL, NULL));
    assert_int_equal(t.report.reason, NB_REASON_NOT_POSITIVE_DEFINITE);
    assert_int_equal(t.report.failed_row, 2);
    assert_int_equal(script.solves, 0);
    for (int i = 0; i < ROWS; i++) assert_true(t.x[i] == 0);
    CHECK_NEAR(t.report.residual_l2, sqrt(21), 1e-14);
    script.break_in_set_up = NB_REASON_NONE;
    CHECK_OK(run(&t, NULL, NULL));
    assert_int_equal(script.value_set_ups, 2);
    assert_int_equal(t.report.reason, NB_REASON_CONVERGED);
    tear_down(&t);
}

TEST(test_nan_in_the_system) {
    for (int where = 0; where < 3; where++) {
        instance t;
        set_up(&t);
        if (where == 0) t.system->b[1] = (real)NAN;
        if (where == 1) t.system->b[1] = (real)INFINITY;
        if (where == 2) t.system->c[1] = (real)NAN;
        nb_system_values_changed(t.system);
        CHECK_OK(run(&t, NULL, NULL));
        assert_int_equal(t.report.reason, NB_REASON_NAN);
        assert_int_equal(script.solves, 0);
        for (int i = 0; i < ROWS; i++) assert_true(t.x[i] == 0);
        tear_down(&t);
    }
}

TEST(test_answers_that_are_not_finite) {
    instance t;
    set_up(&t);
    script.answer[1] = (real)INFINITY;
    CHECK_OK(run(&t, NULL, NULL));
    assert_int_equal(t.report.reason, NB_REASON_DIVERGED);
    for (int i = 0; i < ROWS; i++) assert_true(t.x[i] == 0);
    CHECK_NEAR(t.report.residual_l2, sqrt(21), 1e-14);
    tear_down(&t);
}

/* what is said of x = (1, 1, 1 + error), and what the residual, (0, 0, 4 error), leaves of it */
static nb_reason judged(instance *t, nb_reason said, double error, double tolerance) {
    script.reason = said;
    script.answer[2] = (real)(1 + error);
    CHECK_OK(nb_solve_run(t->solve, t->system, &(nb_linear_stop){.iterations = 10, .tolerance = tolerance}, NULL, NULL,
                          t->x, &t->report));
    return t->report.reason;
}

TEST(test_reasons_are_held_against_the_residual) {
    instance t;
    set_up(&t);
    assert_int_equal(judged(&t, NB_REASON_CONVERGED, 0.01, 0.01), NB_REASON_CONVERGED);  /* 0.04 of |b| = 4.6 */
    assert_int_equal(judged(&t, NB_REASON_CONVERGED, 0.01, 0.008), NB_REASON_STAGNATED); /* 8.7e-3 is above */
    assert_int_equal(judged(&t, NB_REASON_CONVERGED, 0.5, 0.001), NB_REASON_STAGNATED);
    assert_int_equal(judged(&t, NB_REASON_CONVERGED, 0.5, 0), NB_REASON_STAGNATED);
    /* 1e-4 of x: below what f32 is taken at its word for, and round-off at worst in f64 */
    assert_int_equal(judged(&t, NB_REASON_CONVERGED, 0.9e-4, 1e-9),
                     NB_REAL_BITS == 32 ? NB_REASON_CONVERGED : NB_REASON_ROUND_OFF);
    assert_int_equal(judged(&t, NB_REASON_ROUND_OFF, 0.9, 0), NB_REASON_ROUND_OFF);
    assert_int_equal(judged(&t, NB_REASON_ROUND_OFF, 2, 0), NB_REASON_DIVERGED);
    assert_int_equal(judged(&t, NB_REASON_EXACT, 2, 0), NB_REASON_DIVERGED);
    assert_int_equal(judged(&t, NB_REASON_ITERATIONS, 2, 0), NB_REASON_ITERATIONS);
    tear_down(&t);
}

/* a row without a diagonal is none in the preconditioner's norm: its residual still counts, and no x takes it away */
TEST(test_row_without_a_diagonal) {
    instance t;
    set_up(&t);
    t.system->s[2] = 0; /* A = diag(1, 2, 0), b = (1, 2, 4) */
    nb_system_values_changed(t.system);
    assert_int_equal(judged(&t, NB_REASON_CONVERGED, 0, 1e-3), NB_REASON_INCONSISTENT);
    assert_int_equal(judged(&t, NB_REASON_ROUND_OFF, 0, 1e-3), NB_REASON_INCONSISTENT);
    t.system->b[2] = 0;
    assert_int_equal(judged(&t, NB_REASON_CONVERGED, 0, 1e-3), NB_REASON_CONVERGED);
    tear_down(&t);
}

TEST(test_fault_in_solve) {
    instance t;
    set_up(&t);
    script.fault_in_solve = NB_ERROR_MEMORY;
    CHECK_FAULT(run(&t, NULL, NULL), NB_ERROR_MEMORY, "as the script says");
    tear_down(&t);
}

TEST(test_no_rows) {
    nb_csr *matrix;
    nb_delassus *d;
    nb_system *system;
    instance t;
    real x[1];
    set_up(&t);
    CHECK_OK(nb_csr_create(0, 0, 0, &matrix));
    CHECK_OK(nb_delassus_matrix_create(matrix, 0, NULL, 0, NULL, &d));
    CHECK_OK(nb_system_create(d, &system));
    nb_solve *solve;
    CHECK_OK(nb_solve_create(&obeying, NULL, NULL, NULL, &solve));
    nb_solve_report report;
    /* the script's solver writes three numbers: keep it from it */
    script.break_in_set_up = NB_REASON_EXACT;
    CHECK_OK(nb_solve_run(solve, system, &(nb_linear_stop){.iterations = 10, .tolerance = 0}, NULL, NULL, x, &report));
    CHECK_NEAR(report.rhs_l2, 0, 0);
    CHECK_NEAR(report.residual_l2, 0, 0);
    nb_solve_destroy(solve);
    script.destroyed--;
    nb_system_destroy(system);
    nb_delassus_matrix_destroy(d);
    tear_down(&t);
}

/* a solver, or a preconditioner, for symmetric systems only is refused one that is not */
TEST(test_unsymmetric_systems) {
    static nb_linear_solver_class general;
    static const nb_preconditioner_class narrow = {.name = "narrow", .create = obey_create, .destroy = obey_destroy};
    instance t;
    nb_solve *solve;
    set_up(&t);
    t.system->symmetric = 0;
    assert_int_equal(run(&t, NULL, NULL), NB_ERROR_UNSUPPORTED);
    assert_string_equal(nb_error_message(), "obeying does not support unsymmetric systems");
    assert_int_equal(script.solves, 0);
    general = obeying;
    general.takes_unsymmetric = 1;
    CHECK_OK(nb_solve_create(&general, NULL, &narrow, NULL, &solve));
    assert_int_equal(
        nb_solve_run(solve, t.system, &(nb_linear_stop){.iterations = 10, .tolerance = 0}, NULL, NULL, t.x, &t.report),
        NB_ERROR_UNSUPPORTED);
    assert_string_equal(nb_error_message(), "narrow does not support unsymmetric systems");
    nb_solve_destroy(solve);
    CHECK_OK(nb_solve_create(&general, NULL, NULL, NULL, &solve));
    CHECK_OK(
        nb_solve_run(solve, t.system, &(nb_linear_stop){.iterations = 10, .tolerance = 0}, NULL, NULL, t.x, &t.report));
    assert_int_equal(script.solves, 1);
    nb_solve_destroy(solve);
    t.system->symmetric = 1;
    CHECK_OK(run(&t, NULL, NULL));
    assert_int_equal(script.solves, 2);
    script.destroyed -= 3;
    tear_down(&t);
}

RUN_TESTS(test_set_ups_follow_the_epochs, test_residual_is_the_harness_s_own, test_history_in_two_norms,
          test_breakdown_in_set_up, test_nan_in_the_system, test_answers_that_are_not_finite,
          test_reasons_are_held_against_the_residual, test_row_without_a_diagonal, test_fault_in_solve, test_no_rows,
          test_unsymmetric_systems)
