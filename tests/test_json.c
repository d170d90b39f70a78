/* JSON: what is written is what others read. */
#include "text/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

TEST(members_are_written) {
    char *text;
    size_t size;
    nb_json json = {.stream = open_memstream(&text, &size)};
    nb_json_object(&json, NULL);
    nb_json_text(&json, "say \"it\"", "back\\slash,\nline\tand \xc3\xa9");
    nb_json_number(&json, "third", 1.0 / 3.0);
    nb_json_number(&json, "short", 0.1);
    nb_json_number(&json, "none", NAN);
    nb_json_flag(&json, "yes", 1);
    nb_json_end(&json);
    fclose(json.stream);
    assert_string_equal(text, "{\"say \\\"it\\\"\": \"back\\\\slash,\\u000aline\\u0009and \xc3\xa9\", \"third\": "
                              "0.3333333333333333, \"short\": 0.1, \"none\": null, \"yes\": true}");
    free(text);
}

TEST(nested_values_have_commas_and_indents) {
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

RUN_TESTS(members_are_written, nested_values_have_commas_and_indents)
