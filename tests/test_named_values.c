/* Named values: what is written reads back, in one order, whatever bytes names and texts have. */
#include "base/named_values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "check.h"

enum {
    VALUES = 12,
    LENGTH = 20,
    TRIALS = 500
};

typedef struct known {
    char name[LENGTH + 1], text[LENGTH + 1];
    double number;
    int is_number, found;
} known;

static void draw_text(uint64_t *seed, char text[LENGTH + 1]) {
    static const char hard[] = "=:\n\\nec.a\xff";
    const int length = (int)test_random(seed, 0, LENGTH);
    for (int i = 0; i < length; i++) text[i] = hard[(int)test_random(seed, 0, sizeof hard - 1)];
    text[length] = '\0';
}

/* a double of any bits that is a number */
static double draw_number(uint64_t *seed) {
    double x;
    do {
        const uint64_t bits = test_random_bits(seed);
        memcpy(&x, &bits, sizeof x);
    } while (!isfinite(x));
    return x;
}

static nb_status find(void *context, const nb_named_value *value) {
    known *all = context;
    for (int i = 0; i < VALUES; i++) {
        if (all[i].found || strcmp(all[i].name, value->name) != 0 || all[i].is_number != value->is_number) continue;
        if (value->is_number ? strtod(value->text, NULL) != all[i].number : strcmp(value->text, all[i].text) != 0)
            continue;
        all[i].found = 1;
        return NB_OK;
    }
    return nb_fail(NB_ERROR_INPUT, "'%s' was not written", value->name);
}

static char *write_all(const known *all, int first) {
    char *lines = NULL, *sorted;
    size_t size;
    FILE *stream = open_memstream(&lines, &size);
    for (int k = 0; k < VALUES; k++) {
        const known *one = &all[(first + k) % VALUES];
        if (one->is_number)
            nb_named_number_write(stream, "", one->name, one->number);
        else
            nb_named_text_write(stream, "", one->name, one->text);
    }
    fclose(stream);
    CHECK_OK(nb_named_values_sort(lines, &sorted));
    free(lines);
    return sorted;
}

TEST(all_values_read_back_in_one_order) {
    uint64_t seed = test_seed();
    for (int trial = 0; trial < TRIALS; trial++) {
        known all[VALUES] = {0};
        for (int i = 0; i < VALUES; i++) {
            draw_text(&seed, all[i].name);
            draw_text(&seed, all[i].text);
            all[i].number = draw_number(&seed);
            all[i].is_number = i % 2;
        }
        char *values = write_all(all, 0), *others = write_all(all, 1 + trial % (VALUES - 1));
        assert_string_equal(values, others);
        CHECK_OK(nb_named_values_read(values, find, all));
        for (int i = 0; i < VALUES; i++) assert_int_equal(all[i].found, 1);
        nb_free(values);
        nb_free(others);
    }
}

static nb_status refuse(void *context, const nb_named_value *value) {
    ++*(int *)context;
    return nb_fail(NB_ERROR_USAGE, "no %s", value->name);
}

TEST(options_are_values_of_their_kinds) {
    static const char *const kinds[] = {"plain", "l1", NULL};
    static const nb_option options[] = {
        {"shift", "1/kg", 0.1, 0, 1, 0, NULL, ""},
        {"kind", "", 1, 0, 0, 0, kinds, ""},
    };
    double values[2];
    char *lines = NULL, *sorted;
    size_t size;
    FILE *stream = open_memstream(&lines, &size);
    nb_options_standard(options, 2, values);
    nb_named_options_write(stream, "solver.", options, 2, values);
    nb_named_number_write(stream, "", "third", 1.0 / 3);
    fclose(stream);
    CHECK_OK(nb_named_values_sort(lines, &sorted));
    assert_string_equal(sorted, "solver.kind:l1\nsolver.shift=0.1\nthird=0.3333333333333333\n");
    int calls = 0;
    CHECK_FAULT(nb_named_values_read(sorted, refuse, &calls), NB_ERROR_USAGE, "no solver.kind");
    assert_int_equal(calls, 1);
    CHECK_OK(nb_named_values_read(NULL, refuse, &calls));
    CHECK_OK(nb_named_values_read("", refuse, &calls));
    nb_allocation_fail_after(0);
    CHECK_FAULT(nb_named_values_read(sorted, refuse, &calls), NB_ERROR_MEMORY, "out of memory");
    nb_allocation_fail_after(-1);
    assert_int_equal(calls, 1);
    free(lines);
    nb_free(sorted);
}

/* leaks are the sanitizer's to find */
TEST(memory_may_run_out_while_sorting) {
    char *sorted;
    for (int after = 0; after < 3; after++) {
        nb_allocation_fail_after(after);
        CHECK_FAULT(nb_named_values_sort("b=1\na=2\n", &sorted), NB_ERROR_MEMORY, "out of memory");
        assert_null(sorted);
    }
    nb_allocation_fail_after(-1);
    CHECK_OK(nb_named_values_sort("b=1\na=2\n", &sorted));
    assert_string_equal(sorted, "a=2\nb=1\n");
    nb_free(sorted);
}

RUN_TESTS(all_values_read_back_in_one_order, options_are_values_of_their_kinds, memory_may_run_out_while_sorting)
