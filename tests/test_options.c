/* Named options: parsing, ranges, near misses. */
#include "base/options.h"

#include <string.h>

#include "check.h"

static const char *const kinds[] = {"plain", "damped", NULL};
static const nb_option options[] = {
    {"omega", "1", 0.7, 0.25, 2, 0, NULL, ""},
    {"length", "m", 1, 0, 10, 0, NULL, ""},
    {"count", "1", 5, 1, 100, 1, NULL, ""},
    {"kind", "", 1, 0, 0, 0, kinds, ""},
};
enum {
    OPTIONS = 4
};

static nb_status set(const char *name, const char *text, double *values) {
    return nb_options_set(options, OPTIONS, "solver 'x'", name, text, values);
}

static void values_are_set_in_order(void **state) {
    (void)state;
    double values[OPTIONS];
    nb_options_standard(options, OPTIONS, values);
    CHECK_NEAR(values[0], 0.7, 0);
    CHECK_NEAR(values[3], 1, 0);
    CHECK_OK(set("omega", "0.25", values)); /* both ends are in the range */
    CHECK_OK(set("length", "10", values));
    CHECK_OK(set("count", "1e2", values));
    CHECK_OK(set("kind", "plain", values));
    CHECK_NEAR(values[0], 0.25, 0);
    CHECK_NEAR(values[1], 10, 0);
    CHECK_NEAR(values[2], 100, 0);
    CHECK_NEAR(values[3], 0, 0);
}

static void bad_values_name_what_would_do(void **state) {
    (void)state;
    double values[OPTIONS];
    nb_options_standard(options, OPTIONS, values);
    CHECK_FAULT(set("omega", "2.5", values), NB_ERROR_USAGE, "solver 'x': omega = 2.5 is out of range (0.25 to 2)");
    CHECK_FAULT(set("length", "-1", values), NB_ERROR_USAGE, "(0 to 10 m)");
    CHECK_FAULT(set("count", "2.5", values), NB_ERROR_USAGE, "whole number");
    CHECK_FAULT(set("count", "nan", values), NB_ERROR_USAGE, "'nan'");
    CHECK_FAULT(set("count", "5x", values), NB_ERROR_USAGE, "'5x'");
    CHECK_FAULT(set("count", "", values), NB_ERROR_USAGE, "takes a number");
    CHECK_FAULT(set("kind", "dampd", values), NB_ERROR_USAGE, "did you mean 'damped'? (known: plain, damped)");
    CHECK_FAULT(set("omga", "1", values), NB_ERROR_USAGE, "did you mean 'omega'?");
    for (int i = 0; i < OPTIONS; i++) CHECK_NEAR(values[i], options[i].standard, 0); /* a fault changes nothing */
}

static const char *name_at(const void *names, int i) {
    return ((const char *const *)names)[i];
}

static void near_misses_are_suggested(void **state) {
    (void)state;
    static const char *const names[] = {"heavy-stack", "arch", "beam", "piling"};
    assert_int_equal(nb_name_find("beam", 4, name_at, names), 2);
    assert_int_equal(nb_name_find("beams", 4, name_at, names), -1);
    assert_int_equal(nb_name_nearest("beams", 4, name_at, names), 2);
    assert_int_equal(nb_name_nearest("heavy_stack", 4, name_at, names), 0);
    assert_int_equal(nb_name_nearest("pil", 4, name_at, names), 3); /* a beginning */
    assert_int_equal(nb_name_nearest("xyzzy-plugh", 4, name_at, names), -1);
    assert_int_equal(nb_name_nearest("", 4, name_at, names), -1);
    CHECK_FAULT(nb_name_unknown("scenario", "xyzzy", 4, name_at, names), NB_ERROR_USAGE,
                "unknown scenario 'xyzzy' (known: heavy-stack, arch, beam, piling)");
}

static const char *long_name_at(const void *names, int i) {
    static char name[32];
    (void)names;
    snprintf(name, sizeof name, "a-rather-long-name-%d", i);
    return name;
}

/* the list of known names is cut between two names, and says so */
static void long_lists_are_cut(void **state) {
    (void)state;
    nb_name_unknown("thing", "xyzzy", 100, long_name_at, NULL);
    const char *message = nb_error_message(), *end = strstr(message, ", ...)");
    assert_non_null(end);
    assert_true(strlen(message) < 420);
    assert_non_null(strstr(message, "name-0, a-rather"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_set_in_order),
        cmocka_unit_test(bad_values_name_what_would_do),
        cmocka_unit_test(near_misses_are_suggested),
        cmocka_unit_test(long_lists_are_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
