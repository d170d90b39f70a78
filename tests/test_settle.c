/* Scenes that are settled: in the state of as many steps by `auto`, whatever the run takes; steps that were not solved
 * are told. */
#include "run/scene_run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "check.h"
#include "run/simulate.h"

static void name(nb_request *request, const char *scenario, const char *method) {
    nb_request_standard(request);
    snprintf(request->info.scenario, NB_NAME_LENGTH, "%s", scenario);
    snprintf(request->info.method, NB_NAME_LENGTH, "%s", method);
    request->scene.friction_law = NB_FRICTION_COULOMB;
    request->scene.stepping.scheme = NB_STEPPING_IMPLICIT;
    request->linear_history = 0;
}

static void set(nb_request *request, const char *parameter, const char *value) {
    nb_setting *setting = &request->settings[request->setting_count++];
    snprintf(setting->name, NB_NAME_LENGTH, "%s", parameter);
    snprintf(setting->value, NB_NAME_LENGTH, "%s", value);
}

static nb_run *made(nb_request *request) {
    nb_run *run;
    CHECK_OK(nb_simulate_prepare(request));
    CHECK_OK(nb_simulate(request, NULL, NULL, &run));
    nb_free(request->info.parameters);
    request->info.parameters = NULL; /* it may be made again */
    return run;
}

/* what is run after settling: each begins at the same state */
static const struct {
    const char *method, *precision;
    int law, stepping;
} ways[] = {
    {"newton", "f64", NB_FRICTION_COULOMB, NB_STEPPING_IMPLICIT},
    {"psor", "f32", NB_FRICTION_RELAXED, NB_STEPPING_IMPLICIT},
    {"apgd", "f64", NB_FRICTION_COULOMB, NB_STEPPING_TASORA},
    {"single-level", "f64", NB_FRICTION_COULOMB, NB_STEPPING_IMPLICIT},
};

static int unsolved(const nb_run *run, int32_t steps) {
    int count = 0;
    for (int32_t i = 0; i < steps; i++)
        count += !(run->steps[i * NB_STEP_COLUMNS + NB_STEP_NATURAL_MAP_ERROR] <= NB_SETTLE_TOLERANCE);
    return count;
}

TEST(settled_is_as_many_solved_steps) {
    static const struct {
        const char *scenario, *parameter, *value;
        int32_t steps;
    } scenes[] = {{"ellipse", "mu", "0.3", 12},
                  {"brazil-nut", "count", "6", 6},
                  {"heavy-stack", "count", "3", 5},
                  {"walker", NULL, NULL, 8}};
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        nb_request request;
        name(&request, scenes[i].scenario, "auto");
        if (scenes[i].parameter) set(&request, scenes[i].parameter, scenes[i].value);
        request.info.steps = scenes[i].steps + 1;
        request.info.newton_tolerance = NB_SETTLE_TOLERANCE;
        nb_run *solved = made(&request);
        for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
            name(&request, scenes[i].scenario, ways[k].method);
            if (scenes[i].parameter) set(&request, scenes[i].parameter, scenes[i].value);
            snprintf(request.info.precision, NB_NAME_LENGTH, "%s", ways[k].precision);
            request.scene.friction_law = ways[k].law;
            request.scene.stepping.scheme = ways[k].stepping;
            request.info.newton_iterations = 1;
            request.info.settle = scenes[i].steps;
            request.info.steps = 1;
            nb_run *run = made(&request);
            assert_int_equal(run->final.bodies, solved->final.bodies);
            /* the same arithmetic on the same numbers */
            assert_memory_equal(run->final.q_before, solved->final.q_before,
                                7 * (size_t)run->final.bodies * sizeof(double));
            assert_memory_equal(run->final.u_before, solved->final.u_before,
                                6 * (size_t)run->final.bodies * sizeof(double));
            CHECK_NEAR(run->usage.settle_unsolved, unsolved(solved, scenes[i].steps), 0);
            nb_run_destroy(run);
        }
        nb_run_destroy(solved);
    }
}

/* A stack at rest: the velocities are zero, and with the impulses of settling the step is solved where it starts, to
 * the precision's own round-off. */
TEST(impulses_go_on_in_both_precisions) {
    static const char *const precisions[] = {"f64", "f32"};
    const double limits[] = {1e-10, 1e-5};
    for (int i = 0; i < 2; i++) {
        nb_request request;
        name(&request, "heavy-stack", "newton");
        snprintf(request.info.precision, NB_NAME_LENGTH, "%s", precisions[i]);
        request.info.settle = 20;
        request.info.steps = request.info.newton_iterations = 1;
        for (request.info.warm_start = 0; request.info.warm_start < 2; request.info.warm_start++) {
            nb_run *run = made(&request);
            double error = nb_run_newton_row(run, 0)[NB_NEWTON_NATURAL_MAP_ERROR];
            assert_int_equal(error <= limits[i], request.info.warm_start);
            nb_run_destroy(run);
        }
    }
}

/* a box that has no room: no step has a solution */
TEST(steps_without_a_solution_are_told) {
    nb_request request;
    for (int32_t copies = 1; copies <= 2; copies++) {
        name(&request, "jammed-box", "newton");
        request.info.settle = 2;
        request.info.steps = request.info.newton_iterations = 1;
        request.info.batch = copies;
        nb_run *run = made(&request);
        CHECK_NEAR(run->usage.settle_unsolved, 2 * copies, 0);
        assert_true(run->usage.settle_error > 1e-3);
        nb_run_destroy(run);
    }
    request.info.settle_tolerance = 10;
    nb_run *accepted = made(&request);
    CHECK_NEAR(accepted->usage.settle_unsolved, 0, 0);
    nb_run_destroy(accepted);
    request.info.settle = 0;
    nb_run *none = made(&request);
    assert_true(isnan(none->usage.settle_unsolved) && isnan(none->usage.settle_error));
    nb_run_destroy(none);
}

TEST(what_cannot_tell_refuses) {
    nb_request request;
    name(&request, "jammed-box", "newton");
    request.info.settle = 2;
    CHECK_OK(nb_simulate_prepare(&request));
    nb_scene_run scene = {.request = &request};
    CHECK_OK(nb_scene_run_build(&scene));
    CHECK_FAULT(nb_scene_run_settle_all(&scene), NB_ERROR_NUMERIC, "2 of 2 steps not converged");
    nb_scene_run_clear(&scene);
    nb_free(request.info.parameters);
}

RUN_TESTS(settled_is_as_many_solved_steps, impulses_go_on_in_both_precisions, steps_without_a_solution_are_told,
          what_cannot_tell_refuses)
