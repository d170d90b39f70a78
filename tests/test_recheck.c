/* Checks computed anew from what a run holds: the same as the run's own, and nothing that a bad record can upset. */
#include "run/recheck.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "check.h"
#include "run/simulate.h"

static void name_stack(nb_request *request) {
    nb_request_standard(request);
    strcpy(request->info.scenario, "heavy-stack");
    strcpy(request->settings[0].name, "count");
    strcpy(request->settings[0].value, "4");
    request->setting_count = 1;
}

/* a stack of four boxes, converged */
static nb_run *stack(void) {
    static nb_request request;
    nb_run *run;
    name_stack(&request);
    request.info.steps = 5;
    request.info.newton_iterations = 40;
    request.info.linear_iterations = 200;
    CHECK_OK(nb_simulate_prepare(&request));
    CHECK_OK(nb_simulate(&request, NULL, NULL, &run));
    nb_free(request.info.parameters);
    return run;
}

static void set_parameters(nb_run *run, const char *text) {
    nb_free(run->info.parameters);
    CHECK_OK(nb_copy_text(text, &run->info.parameters));
}

static void checks_are_those_of_the_run(void **state) {
    (void)state;
    nb_run *run = stack();
    nb_checks checks;
    int recomputed;
    CHECK_OK(nb_run_recheck(run, &checks, &recomputed));
    assert_int_equal(recomputed, 1);
    assert_int_equal(checks.count, run->checks.count);
    assert_in_range(checks.count, 3, NB_CHECK_MAX);
    for (int i = 0; i < checks.count; i++) {
        assert_string_equal(checks.items[i].name, run->checks.items[i].name);
        /* the same arithmetic on the same numbers */
        CHECK_NEAR(checks.items[i].actual, run->checks.items[i].actual, 0);
        assert_int_equal(checks.items[i].passed, 1);
    }
    nb_run_destroy(run);
}

static void a_changed_state_fails(void **state) {
    (void)state;
    nb_run *run = stack();
    nb_checks checks;
    int recomputed, failed = 0;
    run->final.lambda_normal[0] *= 1.5;
    CHECK_OK(nb_run_recheck(run, &checks, &recomputed));
    for (int i = 0; i < checks.count; i++) failed += !checks.items[i].passed;
    assert_in_range(failed, 1, checks.count);
    nb_run_destroy(run);
}

static void parameters_that_do_not_fit_are_faults_of_the_record(void **state) {
    (void)state;
    static const struct {
        const char *text, *word;
    } bad[] = {
        {"{\"count\": 7}", "recorded state 5"},
        {"{\"count\": 1e9}", "out of range"},
        {"{\"mu\": \"nan\"}", "nan"},
        {"{\"mu\": null}", "null"},
        {"{\"mu\": ", "JSON"},
        {"[1]", "JSON"},
    };
    nb_run *run = stack();
    nb_checks checks;
    int recomputed;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        set_parameters(run, bad[i].text);
        CHECK_FAULT(nb_run_recheck(run, &checks, &recomputed), NB_ERROR_INPUT, bad[i].word);
    }
    /* what is no parameter of the scenario is none of its business */
    set_parameters(run, "{\"count\": 4, \"linear-solver.variant\": \"l1\", \"gone\": 3}");
    CHECK_OK(nb_run_recheck(run, &checks, &recomputed));
    nb_run_destroy(run);
}

/* the world of a run that is described by its parameters alone */
static nb_world *described(nb_request *request) {
    const nb_scenario_class *scenario;
    double *values;
    nb_world *world;
    nb_run *run;
    CHECK_OK(nb_simulate_prepare(request));
    CHECK_OK(nb_simulate(request, NULL, NULL, &run));
    CHECK_OK(nb_run_rebuild(run, &scenario, &values, &world));
    nb_run_destroy(run);
    nb_free(values);
    nb_free(request->info.parameters);
    return world;
}

/* the program itself prints and reads these numbers: exactly */
static void all_settings_of_a_problem_come_back(void **state) {
    (void)state;
    static nb_request request;
    name_stack(&request);
    request.info.steps = request.info.newton_iterations = 1;
    strcpy(request.info.method, "psor");
    nb_world *world = described(&request);
    CHECK_NEAR(world->contact_margin, 0.01, 0); /* the scenario's */
    assert_int_equal(world->friction_law, NB_FRICTION_COULOMB);
    assert_true(isinf(world->stepping.recovery_speed));
    nb_world_destroy(world);
    name_stack(&request);
    request.info.steps = request.info.newton_iterations = 1;
    strcpy(request.info.method, "psor");
    request.contact_margin = 0.0123;
    request.contact_compliance = 1e-7;
    request.contact_thickness = 1e-3;
    request.friction_ratio = 0.7;
    request.friction_direction = 0.6;
    request.friction_law = NB_FRICTION_RELAXED;
    request.friction_facets = 12;
    request.time_stepping = NB_STEPPING_TASORA;
    request.stabilization = 0.3;
    request.recovery_speed = 0.9;
    request.restitution = 0.2;
    world = described(&request);
    const nb_time_stepping *stepping = &world->stepping;
    const double found[] = {world->contact_margin,   world->contact_compliance,   world->contact_thickness,
                            world->friction_ratio,   world->friction_direction.x, world->friction_direction.y,
                            world->friction_law,     world->friction_facets,      stepping->scheme,
                            stepping->stabilization, stepping->recovery_speed,    stepping->restitution};
    const double asked[] = {0.0123, 1e-7, 1e-3, 0.7, cos(0.6), sin(0.6), NB_FRICTION_RELAXED, 12, NB_STEPPING_TASORA,
                            0.3,    0.9,  0.2};
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) CHECK_NEAR(found[i], asked[i], 0);
    assert_true(isinf(stepping->active_set));
    nb_world_destroy(world);
}

static void contacts_with_bodies_that_are_not_there_are_refused(void **state) {
    (void)state;
    nb_run *run = stack();
    nb_checks checks;
    int recomputed;
    const int32_t bad[] = {-2, run->final.bodies, INT32_MAX, INT32_MIN};
    assert_true(run->final.contacts > 0);
    for (int i = 0; i < 4; i++) {
        run->final.contact_bodies[2 * run->final.contacts - 1] = bad[i];
        CHECK_FAULT(nb_run_recheck(run, &checks, &recomputed), NB_ERROR_INPUT, "recorded contact");
    }
    nb_run_destroy(run);
}

static void a_stored_problem_keeps_its_own_checks(void **state) {
    (void)state;
    nb_run *run;
    nb_checks checks;
    int recomputed;
    CHECK_OK(nb_run_create(&run));
    strcpy(run->info.scenario, "some.hdf5");
    nb_checks_add(&run->checks, "mine", "1", 1, 1, 0);
    CHECK_OK(nb_run_recheck(run, &checks, &recomputed));
    assert_int_equal(recomputed, 0);
    assert_int_equal(checks.count, 1);
    nb_run_destroy(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(checks_are_those_of_the_run),
        cmocka_unit_test(a_changed_state_fails),
        cmocka_unit_test(parameters_that_do_not_fit_are_faults_of_the_record),
        cmocka_unit_test(all_settings_of_a_problem_come_back),
        cmocka_unit_test(contacts_with_bodies_that_are_not_there_are_refused),
        cmocka_unit_test(a_stored_problem_keeps_its_own_checks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
