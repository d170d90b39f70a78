/* Named options: defaults, ranges, choices, and the one line that a wrong name or value gets. */
#include "base/options.h"

#include <string.h>

#include "check.h"

static const char *const sweeps[] = {"forward", "symmetric", NULL};
static const nb_option options[] = {
    {.name = "omega", .units = "1", .standard = 1, .minimum = 0.1, .maximum = 1.9, .summary = "relaxation"},
    {.name = "count",
     .units = "bodies",
     .standard = 5,
     .minimum = 1,
     .maximum = 1000,
     .integer = 1,
     .summary = "bodies"},
    {.name = "sweep", .units = "1", .standard = 1, .choices = sweeps, .summary = "direction"},
    {.name = "time-step", .units = "s", .standard = 0.01, .minimum = 1e-6, .maximum = 1, .summary = "step"},
};
enum {
    OMEGA,
    COUNT,
    SWEEP,
    TIME_STEP,
    OPTIONS
};

static nb_status set(const char *name, const char *text, double values[OPTIONS]) {
    return nb_options_set(options, OPTIONS, "gauss-seidel", name, text, values);
}

TEST(test_standard_values) {
    double values[OPTIONS];
    nb_options_standard(options, OPTIONS, values);
    for (int i = 0; i < OPTIONS; i++) assert_true(values[i] == options[i].standard);
}

TEST(test_set_accepts_the_range) {
    double values[OPTIONS];
    nb_options_standard(options, OPTIONS, values);
    CHECK_OK(set("omega", "1.5", values));
    assert_true(values[OMEGA] == 1.5);
    CHECK_OK(set("omega", "0.1", values)); /* both ends belong to the range */
    CHECK_OK(set("omega", "1.9", values));
    assert_true(values[OMEGA] == 1.9);
    CHECK_OK(set("count", "1e2", values));
    assert_true(values[COUNT] == 100);
    CHECK_OK(set("sweep", "forward", values));
    assert_true(values[SWEEP] == 0);
    CHECK_OK(set("sweep", "symmetric", values));
    assert_true(values[SWEEP] == 1);
    assert_true(values[TIME_STEP] == 0.01);
}

TEST(test_set_refuses_bad_numbers) {
    static const struct {
        const char *name, *text, *word;
    } cases[] = {
        {"omega", "", "takes a number"},
        {"omega", "fast", "'fast'"},
        {"omega", "1.5x", "'1.5x'"},
        {"omega", "1,5", "'1,5'"},
        {"omega", "nan", "'nan'"},
        {"omega", "inf", "'inf'"},
        {"omega", "1e999", "'1e999'"},
        {"omega", "2", "out of range (0.1 to 1.9"},
        {"omega", "-1", "out of range"},
        {"omega", "0.0999999", "out of range"},
        {"count", "2.5", "whole number"},
        {"count", "0", "out of range (1 to 1000 bodies)"},
        {"time-step", "2", "(1e-06 to 1 s)"},
        {"sweep", "1", "forward, symmetric"},
        {"sweep", "", "forward, symmetric"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double values[OPTIONS], before[OPTIONS];
        nb_options_standard(options, OPTIONS, values);
        memcpy(before, values, sizeof values);
        CHECK_FAULT(set(cases[i].name, cases[i].text, values), NB_ERROR_USAGE, cases[i].word);
        /* the line names who asked for what, and nothing was changed */
        assert_non_null(strstr(nb_error_message(), "gauss-seidel"));
        assert_non_null(strstr(nb_error_message(), cases[i].name));
        assert_null(strchr(nb_error_message(), '\n'));
        assert_memory_equal(values, before, sizeof values);
    }
}

/* a line for every mistake: the nearest name where one is near, and all that are known */
TEST(test_unknown_names) {
    static const struct {
        const char *name, *hint;
    } cases[] = {{"omga", "did you mean 'omega'?"},
                 {"Omega", "did you mean 'omega'?"},
                 {"OMEGA", "did you mean 'omega'?"},
                 {"time", "did you mean 'time-step'?"},
                 {"time_step", "did you mean 'time-step'?"},
                 {"swept", "did you mean 'sweep'?"},
                 {"temperature", NULL},
                 {"", NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double values[OPTIONS];
        nb_options_standard(options, OPTIONS, values);
        CHECK_FAULT(set(cases[i].name, "1", values), NB_ERROR_USAGE, "known: omega, count, sweep, time-step");
        if (cases[i].hint)
            assert_non_null(strstr(nb_error_message(), cases[i].hint));
        else
            assert_null(strstr(nb_error_message(), "did you mean"));
    }
}

TEST(test_unknown_choice) {
    double values[OPTIONS];
    nb_options_standard(options, OPTIONS, values);
    CHECK_FAULT(set("sweep", "symetric", values), NB_ERROR_USAGE, "did you mean 'symmetric'?");
    CHECK_FAULT(set("sweep", "symetric", values), NB_ERROR_USAGE, "sweep");
}

TEST(test_hostile_names_are_cut) {
    char name[5000];
    memset(name, 'a', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    double values[OPTIONS];
    nb_options_standard(options, OPTIONS, values);
    CHECK_FAULT(set(name, "1", values), NB_ERROR_USAGE, "aaa");
    CHECK_FAULT(set("omega", name, values), NB_ERROR_USAGE, "omega");
    CHECK_FAULT(set("sweep", name, values), NB_ERROR_USAGE, "known: forward, symmetric");
}

static const char *numbered_name(const void *context, int i) {
    return ((const char(*)[16])context)[i];
}

TEST(test_name_find) {
    static const char names[][16] = {"pcg", "pcr", "minres"};
    assert_int_equal(nb_name_find("pcr", 3, numbered_name, names), 1);
    assert_int_equal(nb_name_find("pc", 3, numbered_name, names), -1);
    assert_int_equal(nb_name_find("PCR", 3, numbered_name, names), -1);
    assert_int_equal(nb_name_find("minres", 2, numbered_name, names), -1);
}

/* what was typed is the beginning of a name, or of a later word of one, or differs by few letters: in this order */
TEST(test_name_hint) {
    static const char names[][16] = {"heavy-stack", "arch",          "beam",          "piling",        "pcg",
                                     "pcr",         "macklin-fig01", "macklin-fig18", "linear-solvers"};
    enum {
        NAMES = sizeof names / sizeof *names
    };
    static const struct {
        const char *typed, *hint;
    } cases[] = {
        {"beams", "; did you mean 'beam'?"},
        {"heavy_stack", "; did you mean 'heavy-stack'?"},
        {"arhc", "; did you mean 'arch'?"},
        {"prc", "; did you mean 'pcr'?"},         /* two letters swapped are one edit */
        {"pil", "; did you mean 'piling'?"},      /* a beginning, and not pcg or pcr, two edits away */
        {"pc", "; did you mean 'pcg' or 'pcr'?"}, /* both begin so */
        {"p", "; did you mean 'piling', 'pcg' or 'pcr'?"},
        {"fig18", "; did you mean 'macklin-fig18'?"}, /* a whole word, and not fig01, two edits away */
        {"fig", "; did you mean 'macklin-fig01' or 'macklin-fig18'?"},
        {"solvers", "; did you mean 'linear-solvers'?"},
        {"Solver", "; did you mean 'linear-solvers'?"},
        {"xyzzy-plugh", ""},
        {"", ""},
    };
    char hint[256];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        nb_name_hint("", cases[i].typed, NAMES, numbered_name, names, hint, sizeof hint);
        assert_string_equal(hint, cases[i].hint);
    }
    nb_name_hint("--", "beams", NAMES, numbered_name, names, hint, sizeof hint);
    assert_string_equal(hint, "; did you mean '--beam'?");
    nb_name_hint("", "pc", NAMES, numbered_name, names, hint, 12); /* cut, not written past its end */
    assert_int_equal(strlen(hint), 11);
}

TEST(test_names_have_two_dashes) {
    assert_true(nb_name_is("linear-solver", "linear_solver=pcr", 13));
    assert_true(nb_name_is("linear_solver", "linear-solver", 13));
    assert_true(nb_name_is("", "x", 0));
    assert_false(nb_name_is("linear-solver", "linear-solver", 12));
    assert_false(nb_name_is("linear-solve", "linear-solver", 13));
    assert_false(nb_name_is("linear-solver", "linear.solver", 13));
    assert_false(nb_name_is("linearssolver", "linear-solver", 13));
}

static const char *long_name(const void *unused, int i) {
    static char name[32];
    (void)unused;
    snprintf(name, sizeof name, "a-rather-long-name-%d", i);
    return name;
}

/* the list of known names is cut between two names, and says so */
TEST(test_long_lists_are_cut) {
    CHECK_FAULT(nb_name_unknown("thing", "xyzzy", 100, long_name, NULL), NB_ERROR_USAGE, ", ...)");
    assert_true(strlen(nb_error_message()) < 420);
    assert_non_null(strstr(nb_error_message(), "name-0, a-rather"));
}

RUN_TESTS(test_standard_values, test_set_accepts_the_range, test_set_refuses_bad_numbers, test_unknown_names,
          test_unknown_choice, test_hostile_names_are_cut, test_name_find, test_name_hint, test_names_have_two_dashes,
          test_long_lists_are_cut)
