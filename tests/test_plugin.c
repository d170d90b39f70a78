/* What a plugin's functions see of a system, and what becomes of what they say. The plugin is part of this program;
 * tests/plugins.py loads real ones. */
#include "plugin/plugin.h"

#include <fenv.h>

#include "base/memory.h"
#include "operator/solve.h"
#include "plugin/adapter.h"
#include "random_system.h"

NB_PRECISIONS(f32, f64);

/* what the plugin shall do, and what it saw */
static struct {
    random_system *expected;
    int created, patterns, values, solves, destroyed, applications;
    double option;
    int32_t reason, failed_row;
    const char *fault;
    int rounds; /* 1: leaves another rounding mode behind */
    nb_plugin_place during;
} script;

/* all that the plugin is shown, against the dense matrix in double; the host's fault where memory runs out */
static const char *check_shown(const ncpbench_system *shown) {
    const random_system *t = script.expected;
    real x[MOST] = {0}, y[MOST], diagonal[MOST];
    /* a row's sum of MOST products, each rounded; entries are of order 10 */
    double most = MOST * 100 * (double)NB_REAL_EPSILON;
    ncpbench_matrix a;
    assert_int_equal(shown->size, sizeof *shown);
    assert_int_equal(shown->rows, t->rows);
    shown->diagonal(shown->host, diagonal);
    const char *fault = shown->matrix(shown->host, &a);
    if (fault) return fault;
    assert_int_equal(a.rows, t->rows);
    for (int j = 0; j < t->rows; j++) {
        x[j] = 1;
        shown->apply(shown->host, x, y);
        x[j] = 0;
        for (int i = 0; i < t->rows; i++) CHECK_NEAR(y[i], t->dense[i][j], most);
        CHECK_NEAR(diagonal[j], t->dense[j][j], most);
        CHECK_NEAR(shown->b[j], t->system->b[j], 0);
        double row[MOST] = {0};
        for (int64_t k = a.start[j]; k < a.start[j + 1]; k++) row[a.column[k]] = (double)a.value[k];
        for (int i = 0; i < t->rows; i++) CHECK_NEAR(row[i], t->dense[j][i], most);
    }
    const nb_delassus *d = t->delassus;
    assert_int_equal(shown->block_count, d->block_count);
    assert_int_equal(shown->group_count, d->group_count);
    for (int i = 0; i <= d->block_count; i++) assert_int_equal(shown->block_start[i], d->block_start[i]);
    for (int i = 0; i <= d->group_count; i++) assert_int_equal(shown->group_start[i], d->group_start[i]);
    assert_int_equal(shown->node_start != NULL, d->type->block_nodes != NULL);
    for (int g = 0; shown->node_start && g < d->group_count; g++) {
        int32_t node[NB_BLOCK_NODES];
        assert_int_equal(shown->node_start[g + 1] - shown->node_start[g],
                         d->type->block_nodes(d, d->group_start[g], node));
        assert_memory_equal(shown->node + shown->node_start[g], node,
                            (size_t)(shown->node_start[g + 1] - shown->node_start[g]) * sizeof *node);
        for (int i = shown->node_start[g]; i < shown->node_start[g + 1]; i++)
            assert_true(shown->node[i] >= 0 && shown->node[i] < shown->node_count);
    }
    return NULL;
}

static const char *create(const double *values, int32_t precision, void **state) {
    script.created++;
    assert_int_equal(precision, NB_REAL_BITS);
    script.option = values ? values[0] : 0;
    *state = &script;
    return NULL;
}

static void destroy(void *state) {
    assert_ptr_equal(state, &script);
    script.destroyed++;
}

static const char *set_up_pattern(void *state, const ncpbench_system *system) {
    assert_ptr_equal(state, &script);
    script.patterns++;
    return check_shown(system);
}

static const char *set_up_values(void *state, const ncpbench_system *system, ncpbench_outcome *outcome) {
    assert_ptr_equal(state, &script);
    assert_int_equal(outcome->size, sizeof *outcome);
    assert_int_equal(outcome->failed_row, -1);
    script.values++;
    outcome->factor_nonzeros = 123;
    return check_shown(system);
}

/* x = b / diagonal in one step, with the preconditioner where there is one */
static const char *solve(void *state, const ncpbench_system *system, const ncpbench_request *request, real *x,
                         ncpbench_outcome *outcome) {
    assert_ptr_equal(state, &script);
    script.solves++;
    script.during = *nb_plugin_now;
    assert_null(check_shown(system));
    assert_int_equal(request->iterations, 7);
    CHECK_NEAR(request->tolerance, 0.25, 0);
    for (int32_t i = 0; i < system->rows; i++) CHECK_NEAR(x[i], 0, 0);
    if (request->monitor) request->monitor(request->host, 0, x);
    request->precondition(request->host, system->b, x);
    if (request->monitor) {
        request->own_norm(request->host, 0.125);
        request->monitor(request->host, 1, x);
    }
    outcome->iterations = 1;
    outcome->reason = script.reason;
    outcome->failed_row = script.failed_row;
    assert_int_equal(outcome->factor_nonzeros, 123);
    if (script.rounds) fesetround(FE_DOWNWARD);
    return script.fault;
}

static void apply(void *state, const real *r, real *z) {
    assert_ptr_equal(state, &script);
    script.applications++;
    for (int i = 0; i < script.expected->rows; i++) z[i] = r[i] / (real)script.expected->dense[i][i];
}

static const nb_option option = {"level", "1", 5, 0, 9, 1, NULL, "a level"};
static nb_plugin_class mine = {
    .kind = NB_PLUGIN_LINEAR_SOLVER,
    .title = "linear solver 'mine' of plugin 'mine.so'",
    .file = "mine.so",
    .plugin = {.name = "mine",
               .summary = "of the test",
               .flags = NCPBENCH_TAKES_PRECONDITIONER | NCPBENCH_NEEDS_ENTRIES,
               .option_count = 1,
               .create = create,
               .destroy = destroy},
    .NB_REAL_NAME(solver) = {.set_up_pattern = set_up_pattern, .set_up_values = set_up_values, .solve = solve},
    .options = &option,
    .offers = {[NB_REAL_BITS == 64] = 1},
};
static nb_plugin_class diagonal = {
    .kind = NB_PLUGIN_PRECONDITIONER,
    .title = "preconditioner 'mine' of plugin 'mine.so'",
    .file = "mine.so",
    .plugin = {.name = "mine",
               .summary = "of the test",
               .flags = NCPBENCH_NEEDS_ENTRIES,
               .create = create,
               .destroy = destroy},
    .NB_REAL_NAME(precond) = {.set_up_pattern = set_up_pattern, .set_up_values = set_up_values, .apply = apply},
    .offers = {[NB_REAL_BITS == 64] = 1},
};

TEST(test_found_by_name) {
    const nb_linear_solver_class *solver;
    const nb_preconditioner_class *preconditioner;
    assert_int_equal(nb_linear_solver_find("mine", &solver), NB_ERROR_USAGE);
    CHECK_OK(nb_plugin_add(&mine));
    CHECK_OK(nb_plugin_add(&diagonal));
    CHECK_OK(nb_linear_solver_find("mine", &solver));
    CHECK_OK(nb_preconditioner_find("mine", &preconditioner));
    assert_ptr_equal(solver->options, &option);
    assert_int_equal(solver->takes_preconditioner, 1);
    assert_int_equal(solver->direct, 0);
    assert_ptr_equal(nb_plugin_find(NB_PLUGIN_LINEAR_SOLVER, "mine"), &mine);
    assert_ptr_equal(nb_plugin_find(NB_PLUGIN_PRECONDITIONER, "mine"), &diagonal);
    assert_null(nb_plugin_find(NB_PLUGIN_LINEAR_SOLVER, "pcr"));
    int i = 0;
    while (nb_linear_solver_at(i) != solver) assert_non_null(nb_linear_solver_at(i++));
    assert_null(nb_linear_solver_at(i + 1));
    assert_int_equal(nb_plugin_check_precision(&mine, NB_REAL_BITS != 32), NB_ERROR_UNSUPPORTED);
    CHECK_OK(nb_plugin_check_precision(&mine, NB_REAL_BITS == 32));
}

TEST(test_no_more_room) {
    static nb_plugin_class others[NB_PLUGIN_MOST];
    static char names[NB_PLUGIN_MOST][16];
    for (int i = 1; nb_plugin_at(NB_PLUGIN_LINEAR_SOLVER, NB_PLUGIN_MOST - 1) == NULL; i++) {
        others[i] = mine;
        snprintf(names[i], sizeof names[i], "mine-%d", i);
        others[i].plugin.name = names[i];
        CHECK_OK(nb_plugin_add(&others[i]));
        assert_ptr_equal(nb_plugin_find(NB_PLUGIN_LINEAR_SOLVER, names[i]), &others[i]);
    }
    assert_int_equal(nb_plugin_add(&mine), NB_ERROR_INPUT);
    assert_null(nb_plugin_at(NB_PLUGIN_LINEAR_SOLVER, NB_PLUGIN_MOST));
}

/* a solve of a new random system by the two classes */
typedef struct rig {
    random_system t;
    nb_solve *solve;
    real x[MOST];
} rig;

static void rig_create(rig *r) {
    static const double values[] = {3};
    uint64_t random = 5;
    const nb_linear_solver_class *solver;
    const nb_preconditioner_class *preconditioner;
    memset(&script, 0, sizeof script);
    script.reason = NCPBENCH_CONVERGED;
    script.failed_row = -1;
    CHECK_OK(nb_linear_solver_find("mine", &solver));
    CHECK_OK(nb_preconditioner_find("mine", &preconditioner));
    random_system_create(&random, 0, 0.5, &r->t);
    script.expected = &r->t;
    CHECK_OK(nb_solve_create(solver, values, preconditioner, NULL, &r->solve));
}

static void rig_destroy(rig *r) {
    nb_solve_destroy(r->solve);
    random_system_destroy(&r->t);
    assert_int_equal(script.created, script.destroyed);
    assert_null(nb_plugin_now->type);
}

static nb_status count(void *context, int32_t iteration, const nb_linear_iterate *iterate) {
    int *heard = context;
    const double residual = iterate->residual_l2, weighted = iterate->preconditioned_residual, own = iterate->own_norm;
    if (iteration)
        CHECK_NEAR(own, 0.125, 0);
    else
        assert_true(isnan(own)); /* it told none */
    assert_int_equal(iteration, (*heard)++);
    assert_true(residual > 0 && weighted > 0);
    return NB_OK;
}

TEST(test_sees_the_system) {
    rig r;
    nb_solve_report report;
    int heard = 0;
    rig_create(&r);
    CHECK_OK(nb_solve_run(r.solve, r.t.system, &(nb_linear_stop){.iterations = 7, .tolerance = 0.25}, count, &heard,
                          r.x, &report));
    assert_int_equal(heard, 2);
    for (int i = 0; i < r.t.rows; i++) {
        double expected = (double)r.t.system->b[i] / r.t.dense[i][i];
        CHECK_NEAR(r.x[i], expected,
                   8 * (double)NB_REAL_EPSILON * fabs(expected)); /* a division, and the dense entry */
    }
    /* it says converged whatever comes of it, and is held against the true residual */
    int met = report.residual_l2 <= 0.25 * report.rhs_l2;
    assert_int_equal(report.reason, met ? NB_REASON_CONVERGED : NB_REASON_STAGNATED);
    assert_int_equal(report.iterations, 1);
    assert_int_equal(report.factor_nonzeros, 123);
    assert_int_equal(script.created, 2);
    assert_int_equal(script.patterns, 2);
    assert_int_equal(script.values, 2);
    assert_int_equal(script.applications, 4); /* a trial, the solve, and the monitor's norm of both iterates */
    assert_ptr_equal(script.during.type, &mine);
    assert_int_equal(script.during.call, NB_PLUGIN_SOLVE);
    /* new values alone */
    for (int i = 0; i < r.t.rows; i++) r.t.system->c[i] = 1;
    nb_system_values_changed(r.t.system);
    dense_of_system(&r.t);
    CHECK_OK(nb_solve_run(r.solve, r.t.system, &(nb_linear_stop){.iterations = 7, .tolerance = 0.25}, NULL, NULL, r.x,
                          &report));
    assert_int_equal(script.patterns, 2);
    assert_int_equal(script.values, 4);
    assert_int_equal(script.applications, 5); /* no further trial */
    rig_destroy(&r);
}

/* every reason is ours of the same name; others are faults that name the class */
TEST(test_reasons) {
    static const char *const names[] = {NULL,         "converged", "exact",      "round-off",
                                        "iterations", "diverged",  "indefinite", "not-positive-definite",
                                        "singular",   "breakdown", "stagnated",  NULL};
    for (int32_t reason = 0; reason < (int32_t)(sizeof names / sizeof *names); reason++) {
        rig r;
        nb_solve_report report;
        rig_create(&r);
        script.reason = reason;
        for (int i = 0; i < r.t.rows; i++) r.t.system->b[i] = 0; /* no residual that contradicts */
        nb_status status = nb_solve_run(r.solve, r.t.system, &(nb_linear_stop){.iterations = 7, .tolerance = 0.25},
                                        NULL, NULL, r.x, &report);
        assert_int_equal(status, names[reason] ? NB_OK : NB_ERROR_NUMERIC);
        if (names[reason])
            assert_string_equal(nb_reason_name(report.reason), names[reason]);
        else
            assert_non_null(
                strstr(nb_error_message(), "linear solver 'mine' of plugin 'mine.so': solve: gives the reason"));
        rig_destroy(&r);
    }
}

TEST(test_faults) {
    rig r;
    nb_solve_report report;
    rig_create(&r);
    script.fault = "as the test says";
    assert_int_equal(nb_solve_run(r.solve, r.t.system, &(nb_linear_stop){.iterations = 7, .tolerance = 0.25}, NULL,
                                  NULL, r.x, &report),
                     NB_ERROR_NUMERIC);
    assert_string_equal(nb_error_message(), "linear solver 'mine' of plugin 'mine.so': solve: as the test says");
    rig_destroy(&r);
}

TEST(test_rounding_is_restored) {
    rig r;
    nb_solve_report report;
    rig_create(&r);
    script.rounds = 1;
    CHECK_OK(nb_solve_run(r.solve, r.t.system, &(nb_linear_stop){.iterations = 7, .tolerance = 0.25}, NULL, NULL, r.x,
                          &report));
    assert_int_equal(fegetround(), FE_TONEAREST);
    rig_destroy(&r);
}

/* the harness's own part: nothing is lost where memory runs out, and nothing is taken while it solves */
TEST(test_memory) {
    rig r;
    nb_solve_report report;
    nb_status status = NB_ERROR_MEMORY;
    int failures = 0;
    rig_create(&r);
    for (; status != NB_OK; failures++) {
        nb_allocation_fail_after(failures);
        status = nb_solve_run(r.solve, r.t.system, &(nb_linear_stop){.iterations = 7, .tolerance = 0.25}, NULL, NULL,
                              r.x, &report);
        nb_allocation_fail_after(-1);
        if (status != NB_OK) assert_non_null(strstr(nb_error_message(), "memory"));
        assert_true(failures < 100);
    }
    assert_true(failures > 3);
    int64_t before = nb_allocation_count();
    nb_system_values_changed(r.t.system);
    CHECK_OK(nb_solve_run(r.solve, r.t.system, &(nb_linear_stop){.iterations = 7, .tolerance = 0.25}, NULL, NULL, r.x,
                          &report));
    assert_int_equal(nb_allocation_count(), before);
    rig_destroy(&r);
}

RUN_TESTS(test_found_by_name, test_sees_the_system, test_reasons, test_faults, test_rounding_is_restored, test_memory,
          test_no_more_room)
