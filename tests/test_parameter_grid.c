/* The options of runs: comma lists, their cross product, and what is refused. */
#include "run/parameter_grid.h"
#include "run/prepare.h"

#include <string.h>

#include "base/memory.h"
#include "check.h"

/* commands that make runs, and those that solve stored problems */
static const nb_request_use uses[2] = {NB_USE_RUNS, NB_USE_PROBLEMS};

/* the argp key of an option */
static int key_of(const char *name) {
    for (int problems = 0; problems < 2; problems++)
        for (const struct argp_option *o = nb_request_arguments(uses[problems]); o->name || o->doc; o++)
            if (o->name && strcmp(o->name, name) == 0) return o->key;
    fail_msg("no option %s", name);
    return 0;
}

static nb_status set(nb_parameter_grid *grid, const char *name, const char *text) {
    int known;
    nb_status status = nb_parameter_grid_set(grid, key_of(name), text, &known);
    assert_true(known);
    return status;
}

/* the text of a field of a request */
static const char *text_of(const nb_request *request, const char *name) {
    static char text[NB_REQUEST_FIELD_TEXT];
    for (int i = 0; i < nb_request_field_count(); i++) {
        if (strcmp(nb_request_field_name(i), name) != 0) continue;
        nb_request_field_text(i, request, text);
        return text;
    }
    fail_msg("no field %s", name);
    return NULL;
}

static nb_request request; /* large */

TEST(all_combinations_come_once_the_scenario_slowest) {
    nb_parameter_grid *grid;
    int64_t count;
    CHECK_OK(nb_parameter_grid_create(&grid));
    CHECK_OK(nb_parameter_grid_count(grid, &count));
    assert_int_equal(count, 0);
    CHECK_OK(nb_parameter_grid_add_scenarios(grid, "arch,beam"));
    CHECK_OK(set(grid, "linear-solver", "pcr,pcg,cholesky"));
    CHECK_OK(set(grid, "set", "mu=0.1,0.2"));
    CHECK_OK(nb_parameter_grid_count(grid, &count));
    assert_int_equal(count, 12);
    static const char *const scenes[] = {"arch", "beam"}, *const solvers[] = {"pcr", "pcg", "cholesky"},
                             *const settings[] = {"mu=0.1", "mu=0.2"};
    for (int i = 0; i < 12; i++) {
        CHECK_OK(nb_parameter_grid_request(grid, i, &request));
        assert_string_equal(request.info.scenario, scenes[i / 6]);
        assert_string_equal(request.info.linear_solver, solvers[i / 2 % 3]);
        assert_string_equal(text_of(&request, "set"), settings[i % 2]);
    }
    nb_parameter_grid_destroy(grid);
}

TEST(every_kind_of_option_lands_in_its_field) {
    static const char *const options[][3] = {
        {"method", "newton", "newton"},
        {"precision", "f32", "f32"},
        {"threads", "3", "3"},
        {"steps", "17", "17"},
        {"time-step", "0.25", "0.25"},
        {"size", "1e3", "1000"},
        {"contact-margin", "0.01", "0.01"},
        {"contact-compliance", "1e-4", "0.0001"},
        {"contact-thickness", "2e-3", "0.002"},
        {"friction-ratio", "2", "2"},
        {"friction-direction", "-0.5", "-0.5"},
        {"seed", "9007199254740992", "9007199254740992"},
        {"newton-tolerance", "1e-8", "1e-08"},
        {"relative-tolerance", "1e-9", "1e-09"},
        {"damping", "1", "1"},
        {"warm-start", "on", "on"},
        {"islands", "on", "on"},
        {"linear-history", "off", "off"},
        {"limits", "on", "on"},
        {"store-states", "4", "4"},
        {"store-systems", NULL, "on"},
        {"form", "stiffness", "stiffness"},
        {"solver-option", "variant=l1", "variant=l1"},
        {"preconditioner-option", "shift=0.1", "shift=0.1"},
        {"repeat", "5", "5"},
    };
    nb_parameter_grid *grid;
    CHECK_OK(nb_parameter_grid_create(&grid));
    CHECK_OK(nb_parameter_grid_add_problem(grid, "x/a,b.hdf5"));
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) CHECK_OK(set(grid, options[i][0], options[i][1]));
    CHECK_OK(nb_parameter_grid_request(grid, 0, &request));
    assert_string_equal(request.problem_path, "x/a,b.hdf5"); /* a path is no list */
    assert_string_equal(request.info.scenario, "a,b.hdf5");
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        assert_string_equal(text_of(&request, options[i][0]), options[i][2]);
    assert_int_equal(request.info.steps, 17);
    assert_true(request.info.seed == 9007199254740992u);
    assert_int_equal(request.store_systems, 1);
    nb_parameter_grid_destroy(grid);
}

TEST(an_option_counts_as_given_last) {
    nb_parameter_grid *grid;
    int64_t count;
    CHECK_OK(nb_parameter_grid_create(&grid));
    CHECK_OK(nb_parameter_grid_add_scenarios(grid, "arch"));
    CHECK_OK(set(grid, "steps", "1,2,3"));
    CHECK_OK(set(grid, "steps", "4"));
    CHECK_OK(set(grid, "set", "mu=0.1,0.2"));
    CHECK_OK(set(grid, "set", "count=5,6"));
    CHECK_OK(set(grid, "set", "mu=0.7"));
    CHECK_OK(nb_parameter_grid_count(grid, &count));
    assert_int_equal(count, 2);
    CHECK_OK(nb_parameter_grid_request(grid, 1, &request));
    assert_int_equal(request.info.steps, 4);
    assert_int_equal(request.setting_count, 2);
    assert_non_null(strstr(text_of(&request, "set"), "mu=0.7"));
    assert_non_null(strstr(text_of(&request, "set"), "count=6"));
    nb_parameter_grid_destroy(grid);
}

TEST(bad_values_are_refused_with_a_line) {
    static const struct {
        const char *option, *text, *word; /* of the message */
    } bad[] = {
        {"steps", "0", "--steps = 0"},
        {"steps", "-1", "--steps = -1"},
        {"steps", "1.5", "whole"},
        {"steps", "many", "'many'"},
        {"steps", "1e400", "'1e400'"},
        {"steps", "1e300", "out of range"},
        {"steps", "", "missing"},
        {"steps", "1,,2", "empty item"},
        {"steps", ",1", "empty item"},
        {"steps", "1,", "empty item"},
        {"steps", "1,1", "twice"},
        {"time-step", "0", "out of range"},
        {"time-step", "nan", "'nan'"},
        {"time-step", "inf", "'inf'"},
        {"time-step", "0.01s", "'0.01s'"},
        {"damping", "0", "out of range"},
        {"damping", "1.01", "out of range"},
        {"linear-tolerance", "-1e-9", "out of range"},
        {"seed", "-1", "out of range"},
        {"seed", "1e17", "out of range"},
        {"precision", "f16", "f32"},
        {"islands", "yes", "on"},
        {"form", "complianc", "did you mean 'compliance'"},
        {"set", "mu", "NAME=VALUE"},
        {"set", "=1", "NAME=VALUE"},
        {"set", "mu=", "missing"},
        {"set", "mu=0.1,0.1", "twice"},
        {"linear-solver", "0123456789012345678901234567890123456789012345678901234567890123", "too long"},
        {"set", "0123456789012345678901234567890123456789012345678901234567890123=1", "too long"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        nb_parameter_grid *grid;
        CHECK_OK(nb_parameter_grid_create(&grid));
        CHECK_FAULT(set(grid, bad[i].option, bad[i].text), NB_ERROR_USAGE, bad[i].word);
        if (!strstr(nb_error_message(), bad[i].option))
            fail_msg("'%s' does not name %s", nb_error_message(), bad[i].option);
        nb_parameter_grid_destroy(grid);
    }
}

/* those of methods that found no room would be missing */
TEST(all_options_have_room) {
    assert_in_range(nb_request_option_count(), 1, NB_OPTIONS_MOST - 1);
    assert_ptr_equal(nb_request_option_at(NB_OPTIONS_MOST), NULL);
}

TEST(too_many_runs_are_refused) {
    nb_parameter_grid *grid;
    int64_t count;
    char list[8192] = "1";
    for (int i = 2; i <= 65; i++) snprintf(list + strlen(list), 16, ",%d", i);
    CHECK_OK(nb_parameter_grid_create(&grid));
    CHECK_OK(nb_parameter_grid_add_scenarios(grid, "arch"));
    CHECK_OK(set(grid, "steps", list));
    CHECK_OK(set(grid, "newton-iterations", list));
    CHECK_FAULT(nb_parameter_grid_count(grid, &count), NB_ERROR_USAGE, "4096");
    nb_parameter_grid_destroy(grid);
    CHECK_OK(nb_parameter_grid_create(&grid));
    for (int i = 66; i <= 1200; i++) snprintf(list + strlen(list), 16, ",%d", i);
    CHECK_OK(nb_parameter_grid_add_scenarios(grid, "arch"));
    CHECK_OK(set(grid, "steps", list));
    CHECK_OK(nb_parameter_grid_count(grid, &count));
    assert_int_equal(count, 1200);
    for (int i = 0; i < NB_MAX_SETTINGS + 1; i++) {
        char text[32];
        snprintf(text, sizeof text, "p%d=1", i);
        CHECK_OK(set(grid, "set", text));
    }
    CHECK_FAULT(nb_parameter_grid_request(grid, 0, &request), NB_ERROR_USAGE, "--set");
    nb_parameter_grid_destroy(grid);
}

/* options that say nothing for a stored problem are not offered for it, and the other way round */
TEST(options_fit_what_is_run) {
    int steps[2] = {0}, relative[2] = {0};
    for (int problems = 0; problems < 2; problems++)
        for (const struct argp_option *o = nb_request_arguments(uses[problems]); o->name || o->doc; o++) {
            if (!o->name) continue;
            steps[problems] += strcmp(o->name, "steps") == 0;
            relative[problems] += strcmp(o->name, "relative-tolerance") == 0;
            assert_true(strlen(o->doc) > 5);
        }
    assert_int_equal(steps[0], 1);
    assert_int_equal(steps[1], 0);
    assert_int_equal(relative[0], 0);
    assert_int_equal(relative[1], 1);
}

static nb_status fill_sweep(void) {
    nb_parameter_grid *grid;
    nb_status status = nb_parameter_grid_create(&grid);
    if (status != NB_OK) {
        assert_null(grid);
        return status;
    }
    status = nb_parameter_grid_add_scenarios(grid, "arch,beam");
    if (status == NB_OK) status = set(grid, "set", "mu=0.1,0.2");
    if (status == NB_OK) status = set(grid, "steps", "1,2");
    nb_parameter_grid_destroy(grid);
    return status;
}

/* whichever allocation fails, the fault comes back (and the sanitizers see no leak) */
TEST(allocation_failures_come_back) {
    int n = 0;
    for (; n < 100; n++) {
        nb_allocation_fail_after(n);
        nb_status status = fill_sweep();
        if (status == NB_OK) break;
        assert_int_equal(status, NB_ERROR_MEMORY);
    }
    nb_allocation_fail_after(-1);
    assert_in_range(n, 10, 99); /* many could fail, and in the end none did */
}

RUN_TESTS(all_combinations_come_once_the_scenario_slowest, every_kind_of_option_lands_in_its_field,
          an_option_counts_as_given_last, bad_values_are_refused_with_a_line, all_options_have_room,
          too_many_runs_are_refused, options_fit_what_is_run, allocation_failures_come_back)
