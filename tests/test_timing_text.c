/* Timings as text: what is read is what was written, a record made of it is the one that would have been written at
 * once, and whatever is no such text is one line. */
#include "exchange/timing_text.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

#include "random_timing.h"
#include "record_file.h"

enum {
    ROWS = 40
};

static void make_text(uint64_t *seed, nb_timing_text *text) {
    *text = (nb_timing_text){.created = "2026-01-02T03:04:05Z", .count = ROWS};
    test_random_provenance(seed, &text->provenance);
    snprintf(text->provenance.warnings, sizeof text->provenance.warnings, "a tab\t, \\t, two\nlines\r and \\");
    CHECK_OK(nb_copy_text("", &text->title));
    CHECK_OK(nb_copy_text("ncpbench bench 'a\tb' \\n", &text->command));
    CHECK_OK(NB_ALLOCATE(ROWS, &text->rows));
    for (int i = 0; i < ROWS; i++) text->rows[i] = test_random_timing(seed);
    text->rows[3].samples[0] = 5e-324;
    text->rows[4].fraction = INFINITY;
}

static void check_same_text(const nb_timing_text *a, const nb_timing_text *b) {
    assert_string_equal(a->title, b->title);
    assert_string_equal(a->command, b->command);
    assert_string_equal(a->created, b->created);
    check_same_members(&nb_provenance_members, &a->provenance, &b->provenance);
    assert_int_equal(a->count, b->count);
    for (int64_t i = 0; i < a->count; i++) check_same_timing(&a->rows[i], &b->rows[i]);
}

static void test_round_trip(void **state) {
    uint64_t seed = test_seed();
    nb_timing_text text, back;
    (void)state;
    make_text(&seed, &text);
    CHECK_OK(nb_timing_text_write(test_path("a.tsv"), &text));
    CHECK_OK(nb_timing_text_read(test_path("a.tsv"), &back));
    check_same_text(&text, &back);
    assert_int_equal(test_count_files(""), 1);
    nb_timing_text_clear(&text);
    nb_timing_text_clear(&back);
}

static void write_record(const nb_timing_text *text, const char *path) {
    nb_record *record;
    CHECK_OK(nb_record_create_at(path, text->title, text->command, text->created, &text->provenance, &record));
    CHECK_OK(nb_record_write_timings(record, text->rows, (int)text->count));
    CHECK_OK(nb_record_close(record, 1));
}

static void check_record(const char *path, const nb_timing_text *text) {
    nb_record_reader *reader;
    nb_timing *rows;
    int count;
    CHECK_OK(nb_record_open(path, &reader));
    assert_string_equal(nb_record_attribute(reader, "title"), text->title);
    assert_string_equal(nb_record_attribute(reader, "command"), text->command);
    assert_string_equal(nb_record_attribute(reader, "created"), text->created);
    check_same_members(&nb_provenance_members, nb_record_provenance(reader), &text->provenance);
    CHECK_OK(nb_record_read_timings(reader, &rows, &count));
    assert_int_equal(count, text->count);
    for (int i = 0; i < count; i++) check_same_timing(&rows[i], &text->rows[i]);
    nb_free(rows);
    nb_record_reader_close(reader);
}

/* by way of the text or not (HDF5 keeps times of its own, so that the bytes are not compared) */
static void test_the_record_is_the_same(void **state) {
    uint64_t seed = test_seed();
    nb_timing_text text, back;
    (void)state;
    make_text(&seed, &text);
    CHECK_OK(nb_timing_text_write(test_path("a.tsv"), &text));
    CHECK_OK(nb_timing_text_read(test_path("a.tsv"), &back));
    write_record(&text, test_path("direct.h5"));
    write_record(&back, test_path("imported.h5"));
    check_record(test_path("direct.h5"), &text);
    check_record(test_path("imported.h5"), &text);
    nb_timing_text_clear(&text);
    nb_timing_text_clear(&back);
}

static void write_bytes(const char *name, const void *bytes, size_t size) {
    FILE *file = fopen(test_path(name), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

/* a good text with `from` replaced by `to` once; it must be refused for a reason that holds `says` */
static void refused(const char *good, const char *from, const char *to, const char *says) {
    nb_timing_text text;
    char bad[65536];
    const char *place = strstr(good, from);
    assert_non_null(place);
    int length = snprintf(bad, sizeof bad, "%.*s%s%s", (int)(place - good), good, to, place + strlen(from));
    assert_in_range(length, 1, sizeof bad - 1);
    write_bytes("bad.tsv", bad, (size_t)length);
    CHECK_FAULT(nb_timing_text_read(test_path("bad.tsv"), &text), NB_ERROR_INPUT, says);
    assert_null(strchr(nb_error_message(), '\n'));
    nb_timing_text_clear(&text);
}

static void make_good(uint64_t seed, char **good, size_t *size) {
    nb_timing_text text;
    make_text(&seed, &text);
    text.count = 2;
    snprintf(text.rows[0].kernel, sizeof text.rows[0].kernel, "first");
    text.rows[0].contacts = 123456;
    CHECK_OK(nb_timing_text_write(test_path("good.tsv"), &text));
    unsigned char *bytes = test_read_bytes(test_path("good.tsv"), size);
    *good = calloc(*size + 1, 1);
    assert_non_null(*good);
    memcpy(*good, bytes, *size);
    free(bytes);
    nb_timing_text_clear(&text);
}

static void test_hostile_texts(void **state) {
    char *good, long_text[2000];
    size_t size;
    (void)state;
    make_good(7, &good, &size);
    memset(long_text, 'x', sizeof long_text);
    long_text[sizeof long_text - 1] = 0;
    refused(good, "# ncpbench-timings\t1", "# ncpbench-timings\t2", "version 1");
    refused(good, "# ncpbench-timings\t1", "# something\telse", "no text of timings");
    refused(good, "# title", "# tittle", "tittle");
    refused(good, "# command", "# title", "twice");
    refused(good, "# title\t", "# title ", "line 2");
    refused(good, "\\\\t, two", "\\x, two", "escape");
    refused(good, "# os\t", "# oz\t", "oz");
    refused(good, "# os\t", long_text, "'os' is missing");
    refused(good, "kernel\t", "kernel\tkernel\t", "more than");
    refused(good, "device\tprecision", "precision\tdevice", "another name");
    refused(good, "kernel\tdevice", "device", "fewer");
    refused(good, "first\t", "", "fewer");
    refused(good, "first\t", "a kernel's name that takes more room than there is\t", "too long");
    refused(good, "123456", "0", "make no sense");
    refused(good, "123456", "99999999999", "whole number");
    refused(good, "123456", "12x", "whole number");
    refused(good, "123456", "", "whole number");
    refused(good, "\nfirst\t", "\n\nfirst\t", "fewer");
    refused(good, "sample_14\n", "sample_14\r\r\n", "another name");
    free(good);
}

/* every beginning of a good text, and the text with a byte 0 */
static void test_cut_texts(void **state) {
    char *good;
    size_t size;
    nb_timing_text text;
    (void)state;
    make_good(8, &good, &size);
    const char *second = strrchr(good, '\n');
    while (second[-1] != '\n') second--;
    for (size_t length = 0; length < size; length += 1 + length / 40) {
        write_bytes("cut.tsv", good, length);
        nb_status status = nb_timing_text_read(test_path("cut.tsv"), &text);
        /* a first row that is whole makes a table; so does a last number that lost digits */
        if (good + length < second - 40) assert_int_equal(status, NB_ERROR_INPUT);
        nb_timing_text_clear(&text);
    }
    good[100] = 0;
    write_bytes("zero.tsv", good, size);
    CHECK_FAULT(nb_timing_text_read(test_path("zero.tsv"), &text), NB_ERROR_INPUT, "byte 0");
    nb_timing_text_clear(&text);
    CHECK_FAULT(nb_timing_text_read(test_path("none.tsv"), &text), NB_ERROR_IO, "none.tsv");
    CHECK_FAULT(nb_timing_text_read(test_folder, &text), NB_ERROR_IO, "no regular file");
    free(good);
}

/* ends of line as other systems write them */
static void test_carriage_returns(void **state) {
    char *good;
    size_t size, n = 0;
    nb_timing_text text, same;
    (void)state;
    make_good(9, &good, &size);
    char *other = malloc(2 * size);
    assert_non_null(other);
    for (size_t i = 0; i < size; i++) {
        if (good[i] == '\n') other[n++] = '\r';
        other[n++] = good[i];
    }
    write_bytes("other.tsv", other, n);
    CHECK_OK(nb_timing_text_read(test_path("other.tsv"), &text));
    CHECK_OK(nb_timing_text_read(test_path("good.tsv"), &same));
    check_same_text(&text, &same);
    nb_timing_text_clear(&text);
    nb_timing_text_clear(&same);
    free(other);
    free(good);
}

#define WITH_FOLDER(test) cmocka_unit_test_setup_teardown(test, NULL, test_folder_empty)

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_FOLDER(test_round_trip), WITH_FOLDER(test_the_record_is_the_same), WITH_FOLDER(test_hostile_texts),
        WITH_FOLDER(test_cut_texts),  WITH_FOLDER(test_carriage_returns),
    };
    return cmocka_run_group_tests(tests, test_folder_create, test_folder_destroy);
}
