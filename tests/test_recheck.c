/* Checks computed anew from what a run holds: the same as the run's own, and nothing that a bad record can upset. */
#include "table/recheck.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "check.h"
#include "run/options.h"
#include "run/prepare.h"
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

TEST(checks_are_those_of_the_run) {
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

TEST(a_changed_state_fails) {
    nb_run *run = stack();
    nb_checks checks;
    int recomputed, failed = 0;
    run->final.lambda_normal[0] *= 1.5;
    CHECK_OK(nb_run_recheck(run, &checks, &recomputed));
    for (int i = 0; i < checks.count; i++) failed += !checks.items[i].passed;
    assert_in_range(failed, 1, checks.count);
    nb_run_destroy(run);
}

TEST(parameters_that_do_not_fit_are_faults_of_the_record) {
    static const struct {
        const char *text, *word;
    } bad[] = {
        {"count=7\n", "recorded state 5"},
        {"count=1e9\n", "out of range"},
        {"mu:nan\n", "nan"},
        {"mu:null\n", "null"},
        {"mu\n", "mu"},
    };
    nb_run *run = stack();
    nb_checks checks;
    int recomputed;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        set_parameters(run, bad[i].text);
        CHECK_FAULT(nb_run_recheck(run, &checks, &recomputed), NB_ERROR_INPUT, bad[i].word);
    }
    /* what is no parameter of the scenario is none of its business */
    set_parameters(run, "count=4\ngone=3\nlinear-solver.variant:l1\n");
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

/* the request of one step that any setting of the scene fits */
static void name_step(const nb_scene_setting *setting, nb_request *request) {
    name_stack(request);
    request->info.steps = request->info.newton_iterations = 1;
    strcpy(request->info.method, "psor"); /* which takes all laws of friction */
    if (setting && strcmp(setting->option.name, "impacts") == 0) request->scene.integrator = NB_INTEGRATOR_TR;
    if (setting && setting->linearised) request->scene.stepping.scheme = NB_STEPPING_TASORA;
}

/* a value that is none of the standard ones, as the command line has it */
static void unusual_value(const nb_scene_setting *setting, char text[NB_NAME_LENGTH]) {
    const nb_option *o = &setting->option;
    const double value = o->minimum + (o->integer ? 5 : 1.0 / 3) * fmin(1, o->maximum - o->minimum);
    if (o->choices)
        snprintf(text, NB_NAME_LENGTH, "%s", o->choices[1]);
    else
        snprintf(text, NB_NAME_LENGTH, "%.17g", value);
}

/* Each is asked for as the command line does, reaches the world, and comes back from the record: exactly, as the
 * program itself prints and reads the numbers. The others stay as they are. */
TEST(all_settings_of_a_scene_come_back) {
    static nb_request request;
    const nb_scene_setting *setting, *other;
    for (int i = 0; (setting = nb_scene_setting_at(i)) != NULL; i++) {
        char text[NB_NAME_LENGTH], option[NB_NAME_LENGTH + 2];
        int o = 0, differ = 0;
        name_step(setting, &request);
        nb_world *plain = described(&request);
        name_step(setting, &request);
        unusual_value(setting, text);
        snprintf(option, sizeof option, "--%s", setting->option.name);
        while (o < nb_request_option_count() && strcmp(nb_request_option_at(o)->option.name, option) != 0) o++;
        assert_in_range(o, 0, nb_request_option_count() - 1);
        CHECK_OK(nb_request_option_apply(nb_request_option_at(o), NULL, text, &request));
        const double asked = nb_scene_setting_value(setting, &request.scene);
        nb_world *world = described(&request);
        CHECK_NEAR(nb_scene_setting_value(setting, &world->settings), asked, 0);
        for (int k = 0; (other = nb_scene_setting_at(k)) != NULL; k++)
            differ +=
                nb_scene_setting_value(other, &world->settings) != nb_scene_setting_value(other, &plain->settings);
        if (strcmp(setting->option.name, "active-set") == 0) {
            CHECK_NEAR(world->settings.contact_margin, asked, 0); /* so far it reaches */
            differ--;
        }
        if (strcmp(setting->option.name, "contact-model") == 0) { /* whose law it is */
            assert_int_equal(world->settings.friction_law, NB_FRICTION_RELAXED);
            differ--;
        }
        if (differ != 1) fail_msg("--%s changes %d settings", setting->option.name, differ);
        nb_world_destroy(plain);
        nb_world_destroy(world);
    }
}

/* in a record both are scene.NAME */
TEST(no_parameter_has_the_name_of_a_setting) {
    const nb_scenario_class *scenario;
    for (int i = 0; (scenario = nb_scenarios[i]) != NULL; i++)
        for (int k = 0; k < scenario->parameter_count; k++)
            assert_null(nb_scene_setting_find(scenario->parameters[k].name));
}

/* what a record lacks is standard: the margin is the scenario's own, and K the scheme's; but the gyroscopic torque is
 * that of versions without the setting */
TEST(settings_that_a_record_leaves_out_are_standard) {
    const nb_scene_setting *setting;
    const nb_scenario_class *scenario;
    double *values;
    nb_world *world;
    nb_run *run = stack();
    nb_scene_settings standard = nb_scene_settings_standard();
    standard.gyroscopic = NB_GYROSCOPIC_EXPLICIT;
    set_parameters(run, "count=4\n");
    CHECK_OK(nb_run_rebuild(run, &scenario, &values, &world));
    CHECK_NEAR(world->settings.contact_margin, 0.01, 0);
    for (int i = 0; (setting = nb_scene_setting_at(i)) != NULL; i++)
        if (setting->offset != offsetof(nb_scene_settings, contact_margin))
            assert_true(nb_scene_setting_value(setting, &world->settings) ==
                        nb_scene_setting_value(setting, &standard));
    nb_world_destroy(world);
    nb_free(values);
    set_parameters(run, "count=4\ntime-stepping:tasora\n");
    CHECK_OK(nb_run_rebuild(run, &scenario, &values, &world));
    CHECK_NEAR(world->settings.stepping.stabilization, 0.5, 0);
    nb_world_destroy(world);
    nb_free(values);
    nb_run_destroy(run);
}

TEST(contacts_with_bodies_that_are_not_there_are_refused) {
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

TEST(a_stored_problem_keeps_its_own_checks) {
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

RUN_TESTS(checks_are_those_of_the_run, a_changed_state_fails, parameters_that_do_not_fit_are_faults_of_the_record,
          all_settings_of_a_scene_come_back, settings_that_a_record_leaves_out_are_standard,
          no_parameter_has_the_name_of_a_setting, contacts_with_bodies_that_are_not_there_are_refused,
          a_stored_problem_keeps_its_own_checks)
