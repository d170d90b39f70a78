/* JSON: what is written reads back, and nothing malformed is taken. */
#include "text/json.h"

#include <string.h>

#include "base/memory.h"
#include "check.h"

/* the members of an object as "name=value;" */
static nb_status collect(void *context, const char *name, const char *value) {
    char *text = context;
    size_t used = strlen(text);
    snprintf(text + used, 256 - used, "%s=%s;", name, value);
    return NB_OK;
}

static void written_members_read_back(void **state) {
    (void)state;
    static const char *const kinds[] = {"plain", "l1", NULL};
    static const nb_option options[] = {
        {"shift", "1/kg", 0.1, 0, 1, 0, NULL, ""},
        {"kind", "", 1, 0, 0, 0, kinds, ""},
    };
    double values[2];
    nb_options_standard(options, 2, values);
    char *text;
    size_t size;
    nb_json json = {.stream = open_memstream(&text, &size)};
    nb_json_object(&json, NULL);
    nb_json_text(&json, "say \"it\"", "back\\slash,\nline\tand \xc3\xa9");
    nb_json_number(&json, "third", 1.0 / 3.0);
    nb_json_number(&json, "short", 0.1);
    nb_json_number(&json, "none", NAN);
    nb_json_flag(&json, "yes", 1);
    nb_json_options(&json, "solver.", options, 2, values);
    nb_json_end(&json);
    fclose(json.stream);
    char members[256] = "";
    CHECK_OK(nb_json_read(text, collect, members));
    assert_string_equal(members,
                        "say \"it\"=back\\slash,\nline\tand \xc3\xa9;third=0.3333333333333333;short=0.1;none=null;"
                        "yes=true;solver.shift=0.1;solver.kind=l1;");
    free(text);
}

static void nested_values_have_commas_and_indents(void **state) {
    (void)state;
    char *text;
    size_t size;
    nb_json json = {.stream = open_memstream(&text, &size), .indent = 1};
    nb_json_object(&json, NULL);
    nb_json_array(&json, "a");
    nb_json_number(&json, NULL, 1);
    nb_json_number(&json, NULL, 2);
    nb_json_end(&json);
    nb_json_object(&json, "empty");
    nb_json_end(&json);
    nb_json_end(&json);
    fclose(json.stream);
    assert_string_equal(text, "{\n  \"a\": [\n    1,\n    2\n  ],\n  \"empty\": {}\n}\n");
    free(text);
}

static void escapes_are_decoded(void **state) {
    (void)state;
    char members[256] = "";
    CHECK_OK(nb_json_read(" { \"a\\u00e9\\u20AC\" : \"\\u0041\\/\\n\" , \"b\":-1e-3 } ", collect, members));
    assert_string_equal(members, "a\xc3\xa9\xe2\x82\xac=A/\n;b=-1e-3;");
    CHECK_OK(nb_json_read("{}", collect, members));
}

static void malformed_text_is_refused(void **state) {
    (void)state;
    static const char *const bad[] = {
        "",
        "[]",
        "{",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1",
        "{\"a\":1,}",
        "{\"a\":1}x",
        "{\"a\":[1]}",
        "{\"a\":{}}",
        "{\"a\" 1}",
        "{a:1}",
        "{\"a\":\"b}",
        "{\"a\":\"\\x\"}",
        "{\"a\":inf}",
        "{\"a\":0x}",
        "{\"a\":1 2}",
        "{\"a\":\"\\u12",
        "{\"a\":\"\\u12g4\"}",
        "{\"a\":\"\\",
        "{\"a\":-}",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char members[256] = "";
        nb_status status = nb_json_read(bad[i], collect, members);
        if (status != NB_ERROR_INPUT) fail_msg("'%s' was taken", bad[i]);
    }
}

static nb_status refuse(void *context, const char *name, const char *value) {
    (void)context, (void)value;
    return nb_fail(NB_ERROR_USAGE, "no %s", name);
}

static void a_fault_of_the_member_ends_the_reading(void **state) {
    (void)state;
    CHECK_FAULT(nb_json_read("{\"first\":1,\"second\":2}", refuse, NULL), NB_ERROR_USAGE, "no first");
    char members[256] = "";
    nb_allocation_fail_after(0);
    CHECK_FAULT(nb_json_read("{}", collect, members), NB_ERROR_MEMORY, "out of memory");
    nb_allocation_fail_after(-1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(written_members_read_back),
        cmocka_unit_test(nested_values_have_commas_and_indents),
        cmocka_unit_test(escapes_are_decoded),
        cmocka_unit_test(malformed_text_is_refused),
        cmocka_unit_test(a_fault_of_the_member_ends_the_reading),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
