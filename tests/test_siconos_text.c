/* Siconos's text: what is read in all storages, what is refused and in which words, and that no damaged text does harm.
 * Where the storages come from: the layout that Siconos 4.4 writes (test_siconos_library.c compares with it). */
#include "file/siconos_text.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "file/contact_file.h"

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

static const char triplets[] =
    "2\n2\n2\n4\n4\n1\nCSparse Version 3.2.0, Sept 12, 2017.  Copyright (c) Timothy A. Davis, 2006-2016\n"
    "triplet: 4-by-4, nzmax: 14 nnz: 13\n    0 0 : 1\n    1 0 : 2\n    3 0 : 4\n    2 0 : 3\n    0 1 : 5\n    1 1 : "
    "2.5\n"
    "    1 1 : 3.5\n    2 1 : 7\n    3 1 : 8\n    2 2 : 11\n    3 2 : 12\n    2 3 : 15\n    3 3 : 16\n"
    " -1 2 -3 4.5 \n .5 0 ";
static const char by_columns[] =
    "2\n2\n2\n4\n4\n2\nCSparse Version 3.2.0, Sept 12, 2017.  Copyright (c) Timothy A. Davis, 2006-2016\n"
    "4-by-4, nzmax: 12 nnz: 12, 1-norm: 31\n    col 0 : locations 0 to 3\n      0 : 1\n      1 : 2\n      2 : 3\n"
    "      3 : 4\n    col 1 : locations 4 to 7\n      0 : 5\n      1 : 6\n      2 : 7\n      3 : 8\n"
    "    col 2 : locations 8 to 9\n      2 : 11\n      3 : 12\n    col 3 : locations 10 to 11\n      3 : 16\n      2 : "
    "15\n"
    " -1 2 -3 4.5 \n .5 0 ";

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

TEST(all_storages_are_read) {
    const char *texts[] = {dense, blocks, triplets, by_columns};
    for (int i = 0; i < 4; i++) {
        nb_fclib_problem *problem;
        CHECK_OK(parse(texts[i], &problem));
        check_good(problem);
        assert_int_equal(problem->digits, i < 2 ? 0 : 6);
        assert_int_equal(problem->global, 0);
        nb_fclib_destroy(problem);
    }
}

TEST(a_last_number_of_old_files_is_skipped) {
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
TEST(block_rows_may_be_empty) {
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

/* A column without entries at the beginning is "0 to -1". W by rows is that by columns, transposed. */
TEST(columns_may_be_empty) {
    const char *kinds[] = {"2", "3"};
    for (int rows = 0; rows < 2; rows++) {
        char text[400];
        nb_fclib_problem *problem;
        snprintf(text, sizeof text,
                 "3 1 2 3 3 %s\nCSparse Version\n3-by-3, nzmax: 4 nnz: 2, 1-norm: 3\n col 0 : locations 0 to -1\n"
                 " col 1 : locations 0 to 1\n 0 : 1\n 2 : 2\n col 2 : locations 2 to 1\n 1 2 3 0.1",
                 kinds[rows]);
        CHECK_OK(parse(text, &problem));
        assert_int_equal(problem->data.w->start[3], 2);
        CHECK_NEAR(rows ? entry(problem, 1, 0) : entry(problem, 0, 1), 1, 0);
        CHECK_NEAR(rows ? entry(problem, 1, 2) : entry(problem, 2, 1), 2, 0);
        nb_fclib_destroy(problem);
    }
}

/* One contact in 2D: M = diag(2, 4, 5), H of two columns, by W = H^T M^-1 H and q = H^T M^-1 q + b; the matrices in
 * storages of their own. */
TEST(global_problems_are_condensed) {
    static const char *const texts[] = {
        "2 1  0 3 3 3 3  2 0 0  0 4 0  0 0 5   0 3 2 3 2  1 0 1  0 2 0   6 8 10   0.5 -7   0.3",
        "2 1  0 3 3 3 3  2 0 0  0 4 0  0 0 5   0 3 2 3 2  1 0 1  0 2 0   6 8 10   0.5 -7   0.3 0",
        "2 1  2 3 3 1\nCSparse x\ntriplet: 3-by-3, nzmax: 9 nnz: 3\n 0 0 : 2 1 1 : 4 2 2 : 5   1 3 2 2 2 1 1 3 2 3 2 0 "
        "1 "
        "2 0 0 0 1 0 1 0 1 2 0  6 8 10   0.5 -7   0.3",
        "2 1  1 3 3 1 1 1 3 3 2 1 0 1 0 0 2 0 0  0 4 0  0 0 5   2 3 2 2\nCSparse x\n3-by-2, nzmax: 3 nnz: 3, 1-norm: "
        "2\n"
        "col 0 : locations 0 to 1\n0 : 1\n2 : 1\ncol 1 : locations 2 to 2\n1 : 2\n6 8 10   0.5 -7   0.3",
    };
    for (int i = 0; i < 4; i++) {
        nb_fclib_problem *problem;
        CHECK_OK(parse(texts[i], &problem));
        assert_int_equal(problem->global, 1);
        assert_int_equal(problem->velocities, 3);
        assert_int_equal(problem->digits, i < 2 ? 0 : 6);
        CHECK_NEAR(entry(problem, 0, 0), 0.5 + 0.2, 1e-15); /* a rounding or two */
        CHECK_NEAR(entry(problem, 1, 1), 1, 1e-15);
        CHECK_NEAR(entry(problem, 0, 1), 0, 0);
        CHECK_NEAR(problem->data.q[0], 3 + 2 + 0.5, 1e-15 * 6);
        CHECK_NEAR(problem->data.q[1], 4 - 7, 1e-15 * 6);
        CHECK_NEAR(problem->data.mu[0], 0.3, 0);
        nb_fclib_destroy(problem);
    }
}

/* mu_r behind mu: five rows a contact, or three where as many numbers follow. One number behind one contact is mu_r
 * unless it is a whole one, which Siconos 2 wrote. */
TEST(rolling_friction_is_read) {
    static const struct {
        const char *text;
        int dimension, rolling;
    } texts[] = {
        {"5 1 2 5 5 1\nCSparse x\ntriplet: 5-by-5, nzmax: 5 nnz: 1\n 0 0 : 2  1 2 3 4 5  0.5 0.25", 5, 1},
        {"5 1 2 5 5 1\nCSparse x\ntriplet: 5-by-5, nzmax: 5 nnz: 1\n 0 0 : 2  1 2 3 4 5  0.5 0.25 1", 5, 1},
        {"3 1 2 3 3 1\nCSparse x\ntriplet: 3-by-3, nzmax: 5 nnz: 1\n 0 0 : 2  1 2 3  0.5 2.5e-1", 3, 1},
        {"3 1 2 3 3 1\nCSparse x\ntriplet: 3-by-3, nzmax: 5 nnz: 1\n 0 0 : 2  1 2 3  0.5 1", 3, 0},
        {"3 2 2 6 6 1\nCSparse x\ntriplet: 6-by-6, nzmax: 5 nnz: 1\n 0 0 : 2  1 2 3 1 2 3  0.5 0 0.25 0", 3, 1},
        {"3 2 2 6 6 1\nCSparse x\ntriplet: 6-by-6, nzmax: 5 nnz: 1\n 0 0 : 2  1 2 3 1 2 3  0.5 0", 3, 0},
        {"3 1 0 1 1 1 1 2 0 1 3 1 3 1 0 1   4  1 2 3  0.5 .25", 3, 1}, /* global */
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        nb_fclib_problem *problem;
        CHECK_OK(parse(texts[i].text, &problem));
        const nb_file_data *d = &problem->data;
        assert_int_equal(d->dimension, texts[i].dimension);
        assert_int_equal(problem->rolling, texts[i].rolling);
        assert_int_equal(problem->ambiguous, texts[i].rolling && d->dimension == 3 && !problem->global);
        assert_int_equal(d->mu_r != NULL, texts[i].rolling);
        CHECK_NEAR(d->mu[0], 0.5, 0);
        if (d->mu_r) CHECK_NEAR(d->mu_r[0], 0.25, 0);
        nb_fclib_destroy(problem);
    }
    nb_fclib_problem *problem;
    CHECK_FAULT(parse("3 1 0 1 1 1 1 2 0 1 3 1 3 1 0 1   4  1 2 3  0.5 -.25", &problem), NB_ERROR_INPUT,
                "the coefficient of rolling friction of contact 0 is -0.25");
}

/* Siconos's plasticity problems have the same numbers, or a model's before the matrix. A contact problem may begin
 * alike: with storage, and a matrix of one velocity. */
TEST(plasticity_is_no_rolling_friction) {
#define CONES "3 3 3 0 0 0 3 0 0 0 3 -1 0 0 0.1 0.2"
    static const struct {
        const char *name, *text, *word;
    } texts[] = {
        {"text.dat", "3 1 1 0 3 3 " CONES, "'text.dat' is a plasticity problem (Drucker-Prager)"},
        {"text.dat", "3\n1\n2\n0\n3\n3\n" CONES, "(von Mises)"},
        {"text.dat", "3 1 0 2 3 3 1 CSparse", "is a plasticity problem"},
        {"data/mc2d_footing_1.dat", "3 1 0 3 3 " CONES, "'data/mc2d_footing_1.dat' is a plasticity problem"},
        {"plasticity_2d_example1.dat", "3 1 0 3 3 " CONES, "is a plasticity problem"},
    };
    nb_fclib_problem *problem;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        CHECK_FAULT(nb_siconos_parse(texts[i].text, (int64_t)strlen(texts[i].text), texts[i].name, &problem),
                    NB_ERROR_INPUT, texts[i].word);
        assert_null(problem);
    }
    CHECK_OK(nb_siconos_parse("3 1 0 3 3 " CONES, (int64_t)strlen("3 1 0 3 3 " CONES), "mc2d/a.dat", &problem));
    assert_int_equal(problem->ambiguous, 1);
    nb_fclib_destroy(problem);
#undef CONES
}

/* Where there are as many velocities as rows of contacts, what follows the matrix tells: M = diag(2, 4), H = diag(1,
 * 3). A local problem may have a q that looks like the beginning of H. */
TEST(global_problems_may_have_the_size_of_local_ones) {
    nb_fclib_problem *problem;
    CHECK_OK(parse("2 1  0 2 2 2 2  2 0 0 4   0 2 2 2 2  1 0 0 3   6 8   0.5 -7   0.3", &problem));
    assert_int_equal(problem->global, 1);
    CHECK_NEAR(entry(problem, 1, 1), 9. / 4, 1e-15);
    CHECK_NEAR(problem->data.q[1], 6 - 7, 1e-15);
    nb_fclib_destroy(problem);
    CHECK_OK(parse("2 1  0 2 2 2 2  2 0 0 4   0 2 2", &problem));
    assert_int_equal(problem->global, 0);
    CHECK_NEAR(problem->data.mu[0], 2, 0);
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
    {"4 1 0 4 4 4 4", "line 1: dimension is 4, expected 2, 3 or 5 (rolling friction)", NB_ERROR_INPUT},
    {"5 1 0 5 5 5 5", "bytes for", NB_ERROR_INPUT},
    {"1 1 0 1 1 1 1", "dimension is 1, expected 2 to 5", NB_ERROR_INPUT},
    {"-3 1", "'-3' is no dimension", NB_ERROR_INPUT},
    {"3\n0\n", "line 2: number of contacts is 0", NB_ERROR_INPUT},
    {"3 999999999999999999 0", "number of contacts is 999999999999999999", NB_ERROR_INPUT},
    {"3 9999999999999999999 0", "'9999999999999999999' is no number of contacts", NB_ERROR_INPUT},
    {"3 429496727 0 1288490181 1288490181 1 1", "bytes for", NB_ERROR_INPUT},
    {"3 1 7 3 3 1 1 1 1", "storage of a matrix is 7", NB_ERROR_INPUT},
    {"3 1 0 6 6 6 6", "the force of each velocity takes 6 numbers", NB_ERROR_INPUT},
    {"3 1 0 3 4 3 4", "the first matrix is 3 x 4: expected W, of the contacts' 3 rows", NB_ERROR_INPUT},
    {"2 1 0 3 3 3 3 2 0 0 0 4 0 0 0 5 0 2 3", "H is 2 x 3, expected the 3 rows of M and the contacts' 2",
     NB_ERROR_INPUT},
    {"2 1 0 3 3 3 3 2 0 0 0 x 0 0 0 5", "'x' is no entry of M", NB_ERROR_INPUT},
    {"2 1 0 3 3 3 3 2 0 0 0 0 0 0 0 5 0 3 2 3 2 1 0 1 0 2 0 6 8 10 0.5 -7 0.3", "text.dat': M is singular in the block",
     NB_ERROR_INPUT},
    {"2 1 0 3 3 3 3 2 0 0 0 4 0 0 0 5 0 3 2 3 2 1 0 1 0 2 0 6 8 10 0.5 -7 0.3 0 0", "more numbers", NB_ERROR_INPUT},
    {"3 1 2 3 3 1", "ends where CSparse is expected", NB_ERROR_INPUT},
    {"3 1 2 3 3 4 1 1 1", "kind of a sparse matrix is 4, expected 1 to 3", NB_ERROR_INPUT},
    {"3 1 2 3 3 1\n(null)\n", "'(null)' stands where 'CSparse' is expected", NB_ERROR_INPUT},
    {"3 1 2 3 3 1\nCSparse\n3-by-3, nzmax: 1 nnz: 0", "'3-by-3,' stands where 'triplet:' is expected", NB_ERROR_INPUT},
    {"3 1 2 3 3 1\nCSparse\ntriplet: 3-by-4, nzmax: 1 nnz: 0", "W is 3 x 3, but its sparse storage '3-by-4,'",
     NB_ERROR_INPUT},
    {"3 1 2 3 3 1\nCSparse\ntriplet: 3by4, nzmax: 1 nnz: 0", "'3by4,' is no size of a sparse matrix", NB_ERROR_INPUT},
    {"3 1 2 3 3 1\nCSparse\ntriplet: 3-by-3, nzmax: 1 nnz: 0, 1 2 3 0.1", "'0,' is no number of entries",
     NB_ERROR_INPUT},
    {"3 1 2 3 3 1\nCSparse\ntriplet: 3-by-3, nzmax: 1 nnz: 2147483646", "bytes for", NB_ERROR_INPUT},
    {"3 1 2 3 3 1\nCSparse\ntriplet: 3-by-3, nzmax: 1 nnz: 1\n3 0 : 1 1 2 3 0.1",
     "row of an entry is 3, expected 0 to 2", NB_ERROR_INPUT},
    {"3 1 2 3 3 1\nCSparse\ntriplet: 3-by-3, nzmax: 1 nnz: 1\n0 0 : nan 1 2 3 0.1", "'nan' is no entry of W",
     NB_ERROR_INPUT},
    {"3 1 2 3 3 2\nCSparse\n3-by-3, nzmax: 1 nnz: 1, 1-norm: 1\ncol 1 : locations 0 to 0",
     "number of the next column is 1, expected 0 to 0", NB_ERROR_INPUT},
    {"3 1 2 3 3 2\nCSparse\n3-by-3, nzmax: 1 nnz: 1, 1-norm: 1\ncol 0 : locations 0 to 1 1 2 3 4 5 6",
     "'1' is no last location of a column", NB_ERROR_INPUT},
    {"3 1 2 3 3 2\nCSparse\n3-by-3, nzmax: 1 nnz: 1, 1-norm: 1\ncol 0 : locations 0 to -2 1 2 3 4 5 6",
     "'-2' is no last location of a column", NB_ERROR_INPUT},
    {"3 1 2 3 3 2\nCSparse\n3-by-3, nzmax: 1 nnz: 1, 1-norm: 1\ncol 0 : locations 0 to -1 col 1 : locations 0 to -1 "
     "col 2 : locations 0 to -1 1 2 3 0.1",
     "fewer entries than it says", NB_ERROR_INPUT},
    {"2 1 2 3 3 1\nCSparse\ntriplet: 3-by-3, nzmax: 3 nnz: 3\n 0 0 : 2 1 1 : 4 2 2 : 5 2 3 2 3\nCSparse\n3-by-2,",
     "H is 3 x 2 by compressed rows", NB_ERROR_INPUT},
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

TEST(faults_get_one_clear_line) {
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
TEST(damaged_texts_do_no_harm) {
    static const char global[] = "2 1 0 3 3 3 3 2 0 0 0 4 0 0 0 5 0 3 2 3 2 1 0 1 0 2 0 6 8 10 0.5 -7 .5 0";
    const char *texts[] = {dense, blocks, triplets, by_columns, global};
    const char changes[] = "09-. e\nx";
    for (int t = 0; t < 5; t++) {
        char copy[sizeof triplets + sizeof by_columns];
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
TEST(files_are_recognised) {
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
    CHECK_FAULT(nb_siconos_read("/dev/null", &problem), NB_ERROR_IO, "not a regular file");
}

RUN_TESTS(all_storages_are_read, a_last_number_of_old_files_is_skipped, columns_may_be_empty, rolling_friction_is_read,
          plasticity_is_no_rolling_friction, global_problems_are_condensed,
          global_problems_may_have_the_size_of_local_ones, block_rows_may_be_empty, faults_get_one_clear_line,
          damaged_texts_do_no_harm, files_are_recognised)
