/* Siconos's text: what is read in both storages, what is refused and in which words, and that no damaged text does
 * harm. Where the two storages come from: the layout that Siconos 4.4 writes (test_siconos_library.c compares with it).
 */
#include "siconos_text.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "contact_file.h"

static nb_status parse(const char *text, nb_fclib_problem **problem) {
    return nb_siconos_parse(text, (int64_t)strlen(text), "text.dat", problem);
}

static double entry(const nb_fclib_problem *problem, int32_t row, int32_t column) {
    const nb_file_data *d = &problem->data;
    for (int64_t k = d->w->start[row]; k < d->w->start[row + 1]; k++)
        if (d->w->column[k] == column) return d->w->value[k];
    return 0;
}

/* two contacts in 2D; W(i, j) = 1 + i + 4 j, but nothing in its upper right block */
static const char dense[] = "2\n2\n0\n4\n4\n4\t4\n 1 2 3 4\n5 6 7 8\n 0 0 11 12\n 0.0 -0 15 1.6e1\n"
                            " -1 2 -3e0 4.5\n 0.5 0\n";
static const char blocks[] = "2\n2\n1\n4\n4\n3\n2\n2\n2\t4\t\n2\t4\t\n3\n3\n0\t1\t3\t\n0\t0\t1\t\n"
                             "0\n 1\n 2\n 5\n 6\n1\n 3\n 4\n 7\n 8\n2\n 11\n 12\n 15\n 16\n -1 2 -3 4.5 \n .5 0 ";

static void check_good(const nb_fclib_problem *problem) {
    const nb_file_data *d = &problem->data;
    const double q[4] = {-1, 2, -3, 4.5};
    assert_int_equal(d->dimension, 2);
    assert_int_equal(d->contacts, 2);
    assert_int_equal(d->bilaterals, 0);
    assert_int_equal(d->w->start[4], 12); /* zeros are not kept */
    for (int32_t i = 0; i < 4; i++) {
        CHECK_NEAR(d->q[i], q[i], 0);
        for (int32_t j = 0; j < 4; j++) CHECK_NEAR(entry(problem, i, j), i < 2 && j > 1 ? 0 : 1 + i + 4 * j, 0);
    }
    CHECK_NEAR(d->mu[0], 0.5, 0);
    CHECK_NEAR(d->mu[1], 0, 0);
    CHECK_NEAR(problem->norm_q, sqrt(1 + 4 + 9 + 20.25), 1e-15); /* one rounding of the root */
    assert_string_equal(problem->title, "");
}

static void both_storages_are_read(void **state) {
    (void)state;
    const char *texts[] = {dense, blocks};
    for (int i = 0; i < 2; i++) {
        nb_fclib_problem *problem;
        CHECK_OK(parse(texts[i], &problem));
        check_good(problem);
        nb_fclib_destroy(problem);
    }
}

static void a_last_number_of_old_files_is_skipped(void **state) {
    (void)state;
    char text[sizeof dense + 8];
    nb_fclib_problem *problem;
    snprintf(text, sizeof text, "%s0\n", dense);
    CHECK_OK(parse(text, &problem));
    check_good(problem);
    nb_fclib_destroy(problem);
    snprintf(text, sizeof text, "%s0 0\n", dense);
    CHECK_FAULT(parse(text, &problem), NB_ERROR_INPUT, "more numbers");
}

/* rows of blocks that hold none, before, between and behind, and blocks that are not square */
static void block_rows_may_be_empty(void **state) {
    (void)state;
    nb_fclib_problem *problem;
    const char *text = "3 1 1 3 3   1 3 2   1 2 3   1 3   4 1   0 0 1 1   1   0 7 8   1 2 3 0.1";
    CHECK_OK(parse(text, &problem));
    assert_int_equal(problem->data.w->start[3], 2);
    CHECK_NEAR(entry(problem, 1, 1), 7, 0);
    CHECK_NEAR(entry(problem, 1, 2), 8, 0);
    nb_fclib_destroy(problem);
    CHECK_OK(parse("3 1 1 3 3   0 1 1   3 3   2 0   0 0      1 2 3 0.1", &problem)); /* W = 0 */
    assert_int_equal(problem->data.w->start[3], 0);
    nb_fclib_destroy(problem);
}

static const struct {
    const char *text, *word;
    nb_status status;
} faults[] = {
    {"", "ends where dimension is expected", NB_ERROR_INPUT},
    {" \n\n ", "ends where dimension", NB_ERROR_INPUT},
    {"hello", "line 1: 'hello' is no dimension", NB_ERROR_INPUT},
    {"\x89HDF\r\n", "'?HDF' is no dimension", NB_ERROR_INPUT},
    {"4 1 0 4 4 4 4", "rolling friction", NB_ERROR_UNSUPPORTED},
    {"5 1 0 5 5 5 5", "rolling friction", NB_ERROR_UNSUPPORTED},
    {"1 1 0 1 1 1 1", "dimension is 1, expected 2 to 5", NB_ERROR_INPUT},
    {"-3 1", "'-3' is no dimension", NB_ERROR_INPUT},
    {"3\n0\n", "line 2: number of contacts is 0", NB_ERROR_INPUT},
    {"3 999999999999999999 0", "number of contacts is 999999999999999999", NB_ERROR_INPUT},
    {"3 9999999999999999999 0", "'9999999999999999999' is no number of contacts", NB_ERROR_INPUT},
    {"3 715827881 0 2147483643 2147483643 1 1", "bytes for", NB_ERROR_INPUT},
    {"3 1 2 3 3 1", "compressed storage (2)", NB_ERROR_UNSUPPORTED},
    {"3 1 7 3 3 1 1 1 1", "storage of W is 7", NB_ERROR_INPUT},
    {"3 1 0 6 6 6 6", "global", NB_ERROR_INPUT},
    {"3 1 0 3 4 3 4", "the contacts have 3 rows, but the matrix has 4", NB_ERROR_INPUT},
    {"3 1 0 3 3 3 9 1", "once more is 9", NB_ERROR_INPUT},
    {"2 1 0 2 2 2 2 1 0 0", "bytes for", NB_ERROR_INPUT},
    {"2 1 0 2 2 2 2 1 0 0 0.5.5 1 1 0.1", "'0.5.5' is no entry of W", NB_ERROR_INPUT},
    {"2 1 0 2 2 2 2 1 0 0 nan 1 1 0.1", "'nan' is no entry of W", NB_ERROR_INPUT},
    {"2 1 0 2 2 2 2 1 0 0 1e999 1 1 0.1", "'1e999' is no finite number", NB_ERROR_INPUT},
    {"2 1 0 2 2 2 2 1 0 0 -1 1 1 0.1", "diagonal entry -1", NB_ERROR_INPUT},
    {"2 1 0 2 2 2 2 1 0 0 1 1e200 1 0.1", "q overflows", NB_ERROR_INPUT},
    {"2 1 0 2 2 2 2 1 0 0 1 1 1 -0.1", "coefficient of friction of contact 0 is -0.1", NB_ERROR_INPUT},
    {"2 1 0 2 2 2 2 1 0 0 1 1 1", "coefficient of friction", NB_ERROR_INPUT},
    {"2 1 1 2 2 1 3 1 2 2 2", "number of block rows or columns is 3", NB_ERROR_INPUT},
    {"2 1 1 2 2 1 2 1 2 1 2 2 1 0 1 0 0 1", "end of a block row or column is 1, expected 2 to 2", NB_ERROR_INPUT},
    {"2 1 1 2 2 1 1 1 1 2 2 1 0 1 0 0 1 1 1 1", "the last end of a block row or column is 1", NB_ERROR_INPUT},
    {"2 1 1 2 2 1 1 1 2 2 3 1 0 1 0 0 1 1 1 1", "starts of block rows is 3", NB_ERROR_INPUT},
    {"2 1 1 2 2 1 1 1 2 2 2 2 0 1 0 0 1 1 1 1", "once more is 2", NB_ERROR_INPUT},
    {"2 1 1 2 2 1 1 1 2 2 2 1 0 0 0 0 1 1 1 1", "the last first block of a block row is 0", NB_ERROR_INPUT},
    {"2 1 1 2 2 1 1 1 2 2 2 1 1 1 0 0 1 1 1 1 9 9 9", "does not begin at block 0", NB_ERROR_INPUT},
    {"2 1 1 2 2 1 1 1 2 2 2 1 0 1 1 0 1 1 1 1", "column of a block is 1", NB_ERROR_INPUT},
    {"2 1 1 2 2 1 1 1 2 2 2 1 0 1 0 5 1 1 1 1 9 9 9", "number of the next block is 5", NB_ERROR_INPUT},
    {"2 1 1 2 2 2147483646 1 1 2 2 2 2147483646 0 2147483646 0", "bytes for", NB_ERROR_INPUT},
    {"2 1 0 2 2 2 2 1 0 0 1 1 1 0.1234567890123456789012345678901234567890123456789012345678901234567890",
     "more than 63 characters", NB_ERROR_INPUT},
};

static void faults_get_one_clear_line(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        nb_fclib_problem *problem;
        print_message("%s\n", faults[i].word);
        CHECK_FAULT(parse(faults[i].text, &problem), faults[i].status, faults[i].word);
        assert_null(problem);
        assert_non_null(strstr(nb_error_message(), "text.dat"));
        assert_null(strchr(nb_error_message(), '\n'));
    }
}

/* good texts cut short, and with one character changed: read or refused, and never harmful (sanitizers look on) */
static void damaged_texts_do_no_harm(void **state) {
    (void)state;
    const char *texts[] = {dense, blocks};
    const char changes[] = "09-. e\nx";
    for (int t = 0; t < 2; t++) {
        char copy[sizeof dense + sizeof blocks];
        int64_t size = (int64_t)strlen(texts[t]);
        nb_fclib_problem *problem;
        for (int64_t cut = 0; cut < size; cut++) {
            nb_status status = nb_siconos_parse(texts[t], cut, "cut.dat", &problem);
            /* only what follows the last number may go: its own digits, and blanks */
            if (cut < size - 4) assert_int_not_equal(status, NB_OK);
            nb_fclib_destroy(problem);
        }
        for (int64_t at = 0; at < size; at++)
            for (size_t c = 0; c < strlen(changes); c++) {
                memcpy(copy, texts[t], (size_t)size);
                copy[at] = changes[c];
                nb_status status = nb_siconos_parse(copy, size, "changed.dat", &problem);
                assert_int_equal(status == NB_OK, problem != NULL);
                nb_fclib_destroy(problem);
            }
    }
}

/* a file is told by its content or its name */
static void files_are_recognised(void **state) {
    (void)state;
    static const char *const names[] = {"test_siconos_XXXXXX.dat", "test_siconos_XXXXXX.txt"};
    for (int i = 0; i < 2; i++) {
        char path[64];
        nb_fclib_problem *problem;
        snprintf(path, sizeof path, "%s", names[i]);
        int file = mkstemps(path, 4);
        assert_true(write(file, blocks, strlen(blocks)) == (ssize_t)strlen(blocks));
        close(file);
        CHECK_OK(nb_contact_file_read(path, &problem));
        check_good(problem);
        nb_fclib_destroy(problem);
        file = open(path, O_WRONLY | O_TRUNC);
        assert_true(write(file, "\x89HDF", 4) == 4);
        close(file);
        CHECK_FAULT(nb_contact_file_read(path, &problem), NB_ERROR_INPUT, "HDF5");
        unlink(path);
    }
    nb_fclib_problem *problem;
    CHECK_FAULT(nb_contact_file_read("no/such.dat", &problem), NB_ERROR_IO, "no/such.dat");
    CHECK_FAULT(nb_siconos_read("/dev/null", &problem), NB_ERROR_IO, "no regular file");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_storages_are_read),   cmocka_unit_test(a_last_number_of_old_files_is_skipped),
        cmocka_unit_test(block_rows_may_be_empty),  cmocka_unit_test(faults_get_one_clear_line),
        cmocka_unit_test(damaged_texts_do_no_harm), cmocka_unit_test(files_are_recognised),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
