/* What runs take of their scenario's paper: as listed and recorded, and as far as options leave it open. */
#include "run/defaults.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/named_values.h"
#include "check.h"
#include "method.h"
#include "run/parameter_grid.h"
#include "run/prepare.h"
#include "scenario_run.h"

/* the setting that makes a large scene small enough for two steps, or NULL */
static const char *const *smaller(const char *scenario) {
    static const char *const small[][3] = {{"humanoids", "count", "1"},       {"cabinets", "count", "1"},
                                           {"granular", "count", "60"},       {"brazil-nut", "count", "12"},
                                           {"piling", "count", "4"},          {"soft-stack", "count", "1"},
                                           {"cantilever", "cells", "1"},      {"bar", "cells", "4"},
                                           {"ball-squish", "frequency", "1"}, {"tennis-ball", "frequency", "1"}};
    for (size_t i = 0; i < sizeof small / sizeof *small; i++)
        if (strcmp(scenario, small[i][0]) == 0) return small[i] + 1;
    return NULL;
}

static nb_request request; /* large */

static void take(nb_parameter_grid *grid, const char *option, const char *text) {
    int known;
    for (int i = 0; i < nb_request_option_count(); i++)
        if (strcmp(nb_request_option_at(i)->option.name, option) == 0) {
            CHECK_OK(nb_parameter_grid_set(grid, NB_OPTION_KEY + i, text, &known));
            return;
        }
    fail_msg("no option %s", option);
}

/* Prepares a run of the scenario with options in the words of the command line, each with a value. */
static nb_status prepare(const char *scenario, const char *options) {
    nb_status status;
    nb_parameter_grid *grid = NULL;
    char text[NB_DEFAULT_TEXT], *rest = text;
    snprintf(text, sizeof text, "%s", options);
    CHECK_OK(nb_parameter_grid_create(&grid));
    CHECK_OK(nb_parameter_grid_add_scenarios(grid, scenario));
    for (const char *name; (name = strtok_r(rest, " ", &rest)) != NULL;) take(grid, name, strtok_r(rest, " ", &rest));
    NB_TRY(nb_parameter_grid_request(grid, 0, &request));
    NB_TRY(nb_simulate_prepare(&request));
out:
    nb_parameter_grid_destroy(grid);
    return status;
}

static void drop(void) {
    nb_free(request.info.parameters);
    request.info.parameters = NULL;
}

/* What is listed asks for the same run when it is given as options; so does the method alone, by its name. */
TEST(defaults_are_what_is_listed) {
    for (int i = 0; nb_scenarios[i]; i++) {
        const char *name = nb_scenarios[i]->name;
        char text[NB_DEFAULT_TEXT], method[NB_DEFAULT_TEXT], *own = NULL, *listed = NULL, *named = NULL;
        CHECK_OK(nb_default_text(nb_scenarios[i], text));
        assert_true(strlen(text) + 1 < sizeof text);
        CHECK_OK(prepare(name, ""));
        CHECK_OK(nb_request_identity(&request, &own));
        snprintf(method, sizeof method, "--method %s", request.info.method);
        drop();
        CHECK_OK(prepare(name, text));
        CHECK_OK(nb_request_identity(&request, &listed));
        assert_string_equal(listed, own);
        drop();
        CHECK_OK(prepare(name, method));
        CHECK_OK(nb_request_identity(&request, &named));
        assert_string_equal(named, own);
        drop();
        nb_free(own);
        nb_free(listed);
        nb_free(named);
    }
}

/* a setting of the scene as the record has it */
typedef struct wanted {
    const char *name;
    double value;
} wanted;

static nb_status take_setting(void *context, const nb_named_value *parameter) {
    wanted *w = context;
    const nb_scene_setting *setting = nb_scene_setting_find(w->name);
    nb_scene_settings settings = nb_scene_settings_open();
    if (strcmp(parameter->name, w->name) != 0) return NB_OK;
    CHECK_OK(nb_scene_setting_read(setting, "record", parameter->text, &settings));
    w->value = nb_scene_setting_value(setting, &settings);
    return NB_OK;
}

static void take_parameter(const nb_run *done, const char *name, double *value) {
    wanted w = {name, NAN};
    CHECK_OK(nb_named_values_read(done->info.parameters, take_setting, &w));
    *value = w.value;
}

/* two steps of each, by what its paper says, which the record has */
TEST(every_scenario_runs_as_it_stands) {
    for (int i = 0; nb_scenarios[i]; i++) {
        const nb_scenario_class *scenario = nb_scenarios[i];
        const nb_paper_steps ours = {.method = "newton"}, *paper = scenario->paper ? scenario->paper : &ours;
        const char *const *setting = smaller(scenario->name);
        double stepping, law;
        nb_request_standard(&request);
        strcpy(request.info.scenario, scenario->name);
        request.info.steps = 2;
        request.linear_history = 0;
        if (setting) {
            request.setting_count = 1;
            strcpy(request.settings[0].name, setting[0]);
            strcpy(request.settings[0].value, setting[1]);
        }
        CHECK_OK(nb_simulate_prepare(&request));
        nb_run *done;
        CHECK_OK(nb_simulate(&request, NULL, NULL, &done));
        print_message("%s: %s, %s\n", scenario->name, done->info.method,
                      nb_stepping_names[request.scene.stepping.scheme]);
        assert_true(done->finished);
        assert_string_equal(done->fault, "");
        assert_string_equal(done->info.method, paper->method ? paper->method : ours.method);
        take_parameter(done, "time-stepping", &stepping);
        take_parameter(done, "friction-law", &law);
        assert_int_equal(stepping, paper->time_stepping);
        assert_int_equal(law, paper->friction_law);
        if (paper->iterations > 0) assert_int_equal(done->info.newton_iterations, paper->iterations);
        nb_run_destroy(done);
        drop();
    }
}

TEST(options_replace_defaults) {
    static const struct {
        const char *scenario, *options, *method;
        int stepping, law, facets, iterations, warm_start;
        const char *geometry;
    } known[] = {
        {"granular", "", "psor", NB_STEPPING_TASORA, NB_FRICTION_RELAXED, 8, 120, 1, "frozen"},
        {"granular", "--newton-iterations 7 --warm-start off", "psor", NB_STEPPING_TASORA, NB_FRICTION_RELAXED, 8, 7, 0,
         "frozen"},
        {"granular", "--friction-law coulomb", "psor", NB_STEPPING_TASORA, NB_FRICTION_COULOMB, 8, 120, 1, "frozen"},
        {"granular", "--time-stepping implicit", "psor", NB_STEPPING_IMPLICIT, NB_FRICTION_RELAXED, 8, 120, 1,
         "joints"},
        /* another method: the same steps, its own iterations and start */
        {"granular", "--method apgd", "apgd", NB_STEPPING_TASORA, NB_FRICTION_RELAXED, 8, 1000, 0, "frozen"},
        {"granular", "--method auto", "auto", NB_STEPPING_TASORA, NB_FRICTION_RELAXED, 8, 5000, 1, "frozen"},
        /* one that finds contacts where bodies come to be, by Coulomb's law */
        {"granular", "--method single-level", "single-level", NB_STEPPING_IMPLICIT, NB_FRICTION_COULOMB, 8, 1500, 1,
         "updated"},
        {"disks", "", "lemke", NB_STEPPING_ANITESCU_HART, NB_FRICTION_POLYHEDRAL_RELAXED, 2, 20, 0, "frozen"},
        {"disks", "--facets 4", "lemke", NB_STEPPING_ANITESCU_HART, NB_FRICTION_POLYHEDRAL_RELAXED, 4, 20, 0, "frozen"},
        /* one without facets: the law that they come to */
        {"disks", "--method interior-point", "interior-point", NB_STEPPING_ANITESCU_HART, NB_FRICTION_RELAXED, 8, 5000,
         0, "frozen"},
        {"drop", "", "single-level", NB_STEPPING_IMPLICIT, NB_FRICTION_COULOMB, 8, 1500, 1, "updated"},
        {"drop", "--method newton", "newton", NB_STEPPING_IMPLICIT, NB_FRICTION_COULOMB, 8, 40, 0, "joints"},
        {"arch", "", "newton", NB_STEPPING_IMPLICIT, NB_FRICTION_COULOMB, 8, 6, 0, "joints"},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        CHECK_OK(prepare(known[i].scenario, known[i].options));
        assert_string_equal(request.info.method, known[i].method);
        assert_int_equal(request.scene.stepping.scheme, known[i].stepping);
        assert_int_equal(request.scene.friction_law, known[i].law);
        assert_int_equal(request.scene.friction_facets, known[i].facets);
        assert_int_equal(request.info.newton_iterations, known[i].iterations);
        assert_int_equal(request.info.warm_start, known[i].warm_start);
        assert_string_equal(request.info.geometry, known[i].geometry);
        drop();
    }
}

static int recorded_every(void) {
    static const char key[] = "method.record-every=";
    const char *at = strstr(request.info.parameters, key);
    assert_non_null(at);
    return atoi(at + sizeof key - 1);
}

/* Restitution is of the paper's steps; a tolerance is looked at in every iteration. */
TEST(numbers_of_the_paper_go_with_what_they_are_of) {
    CHECK_OK(prepare("brazil-nut", ""));
    assert_true(nb_request_scene(&request).stepping.restitution == 0.5);
    assert_int_equal(recorded_every(), 100);
    drop();
    CHECK_OK(prepare("brazil-nut", "--time-stepping implicit --newton-tolerance 1e-6"));
    assert_true(nb_request_scene(&request).stepping.restitution == 0);
    assert_int_equal(recorded_every(), 1);
    drop();
    CHECK_OK(prepare("brazil-nut", "--restitution 0.2 --record-every 7"));
    assert_true(nb_request_scene(&request).stepping.restitution == 0.2);
    assert_int_equal(recorded_every(), 7);
    drop();
    static const char *const ways[][2] = {
        {"", "method.static-mu=0.6\n"}, {"--static-mu 0.7", "method.static-mu=0.7\n"}, {"--method newton", NULL}};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        CHECK_OK(prepare("stick-slip", ways[i][0]));
        const char *at = strstr(request.info.parameters, "static-mu");
        assert_int_equal(at != NULL, ways[i][1] != NULL);
        if (ways[i][1]) assert_non_null(strstr(request.info.parameters, ways[i][1]));
        drop();
    }
}

/* What is refused before there is a method is no matter of the method. */
TEST(a_wrong_parameter_is_not_laid_to_the_method) {
    assert_int_equal(prepare("arch", "--set mu=9999"), NB_ERROR_USAGE);
    assert_null(strstr(nb_error_message(), "is the method of"));
    drop();
}

static const char *summary_of(const char *option) {
    for (int i = 0; i < nb_request_option_count(); i++)
        if (strcmp(nb_request_option_at(i)->option.name, option) == 0) return nb_request_option_at(i)->option.summary;
    fail_msg("no option %s", option);
    return "";
}

/* What --help says of methods with defaults of their own names them all. */
TEST(texts_name_the_methods_with_defaults) {
    for (int m = 0; nb_methods[m]; m++) {
        const nb_method_class *method = nb_methods[m];
        const char *solver = method->linear_solver;
        if (method->warm_start) assert_non_null(strstr(summary_of("--warm-start"), method->name));
        if (!solver) continue;
        assert_non_null(strstr(summary_of("--linear-solver"), method->name));
        assert_non_null(strstr(summary_of("--linear-solver"), solver));
    }
}

/* Of step 1 of a box that sticks to a slope, by `admm` with these options: z.(N z)/2 + q.z of its start over that of
 * the solution. Impulses s times those of the solution have 2 s - s^2. */
static double share_at_start(const char *options, int32_t *iterations, int32_t *warm) {
    nb_run *done;
    nb_request_standard(&request);
    strcpy(request.info.scenario, "incline");
    strcpy(request.info.method, "admm");
    request.info.steps = 2;
    request.info.warm_start = -1;
    request.info.newton_tolerance = 1e-12;
    request.setting_count = 1;
    request.settings[0] = (nb_setting){"mu", "0.9"};
    set_options(options, &request);
    done = run(&request);
    request.info.parameters = NULL;
    *iterations = done->info.newton_iterations;
    *warm = done->info.warm_start;
    const int column = nb_run_newton_column(done, "dual_objective"), columns = done->newton_columns.count;
    const double *first = done->newton + done->newton_start[1] * columns,
                 *last = done->newton + (done->newton_start[2] - 1) * columns;
    const double share = first[column] / last[column];
    CHECK_BELOW(last[column], -1e-6);
    nb_run_destroy(done);
    return share;
}

/* Kamino's presets bring its limit and its start; what is asked for replaces both. */
TEST(presets_have_a_limit_and_a_start) {
    static const char *const kamino[] = {"preset=kamino", "preset=kamino-balanced"};
    int32_t iterations, warm;
    for (int i = 0; i < 2; i++) {
        CHECK_NEAR(share_at_start(kamino[i], &iterations, &warm), 0.99, 1e-9);
        assert_int_equal(iterations, 200);
        assert_int_equal(warm, 1);
    }
    CHECK_NEAR(share_at_start("preset=pinocchio", &iterations, &warm), 0, 1e-9);
    assert_int_equal(iterations, 1000);
    assert_int_equal(warm, 0);
    static const char *const words[][3] = {
        {"--newton-iterations 7", "7", "1"}, {"--warm-start off", "200", "0"}, {"", "200", "1"}};
    for (int i = 0; i < 3; i++) {
        char options[128];
        snprintf(options, sizeof options, "--method admm --method-option preset=kamino %s", words[i][0]);
        CHECK_OK(prepare("incline", options));
        assert_int_equal(request.info.newton_iterations, atoi(words[i][1]));
        assert_int_equal(request.info.warm_start, atoi(words[i][2]));
        drop();
    }
}

RUN_TESTS(defaults_are_what_is_listed, every_scenario_runs_as_it_stands, options_replace_defaults,
          numbers_of_the_paper_go_with_what_they_are_of, texts_name_the_methods_with_defaults,
          a_wrong_parameter_is_not_laid_to_the_method, presets_have_a_limit_and_a_start)
