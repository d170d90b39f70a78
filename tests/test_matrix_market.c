/* The Matrix Market format: what is read, by hand and as CHOLMOD reads it; what is refused, and that no damaged text
 * does harm; and that what is written reads back bit by bit, here and in CHOLMOD. */
#include "file/matrix_market.h"

#include <cholmod.h>
#include <endian.h>
#include <float.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "check.h"
#include "exchange/write_matrix_market.h"
#include "file/fclib.h"
#include "file/linear_problem.h"
#include "file/petsc_matrix.h"

static char path[] = "test_matrix_market_XXXXXX.mtx", other[] = "test_matrix_market_XXXXXX.mtx";

static int make_paths(void **state) {
    (void)state;
    int a = mkstemps(path, 4), b = mkstemps(other, 4);
    if (a < 0 || b < 0) return -1;
    close(a);
    close(b);
    return 0;
}

static int remove_paths(void **state) {
    (void)state;
    return unlink(path) + unlink(other);
}

static void write_text(const char *name, const char *text) {
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static nb_status parse(const char *text, nb_csr_f64 **matrix) {
    return nb_matrix_market_parse(text, (int64_t)strlen(text), "text", matrix);
}

static double entry(const nb_csr_f64 *a, int32_t row, int32_t column) {
    for (int64_t k = a->start[row]; k < a->start[row + 1]; k++)
        if (a->column[k] == column) return a->value[k];
    return 0;
}

/* the text holds the dense rows x columns matrix `expected`, of which `stored` entries are kept */
static void reads_as(const char *text, int32_t rows, int32_t columns, int64_t stored, const double *expected) {
    nb_csr_f64 *a;
    CHECK_OK(parse(text, &a));
    assert_int_equal(a->rows, rows);
    assert_int_equal(a->columns, columns);
    assert_int_equal(a->start[rows], stored);
    for (int32_t i = 0; i < rows; i++)
        for (int32_t j = 0; j < columns; j++) CHECK_NEAR(entry(a, i, j), expected[i * columns + j], 0);
    nb_csr_destroy_f64(a);
}

TEST(test_good_files) {
    reads_as("%%MatrixMarket matrix coordinate real general\n% a comment\n\n2 3 3\n1 1 1.5\n2 3 -2e-3\n 2\t1 +4.\n", 2,
             3, 3, (double[]){1.5, 0, 0, 4, 0, -2e-3});
    reads_as("%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 3\n2 1 -1", 2, 2, 3,
             (double[]){3, -1, -1, 0});
    reads_as("%%matrixmarket MATRIX Coordinate Integer General\r\n2 2 1\r\n2 2 7\r\n", 2, 2, 1, (double[]){0, 0, 0, 7});
    reads_as("%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n", 2, 2, 4, (double[]){1, 3, 2, 4});
    reads_as("%%MatrixMarket matrix array real symmetric\n2 2\n1\n2\n% between\n3\n\n", 2, 2, 4,
             (double[]){1, 2, 2, 3});
    /* an entry that stands twice is summed */
    reads_as("%%MatrixMarket matrix coordinate real general\n1 1 2\n1 1 1\n1 1 2\n", 1, 1, 1, (double[]){3});
    reads_as("%%MatrixMarket matrix coordinate real general\n1 1 0\n", 1, 1, 0, (double[]){0});
}

/* as other programs and editors leave them */
TEST(test_other_habits) {
    const double expected[] = {4, 0, 1, 3};
    reads_as("%%MatrixMarket matrix coordinate real general\r% old Macs\r2 2 3\r1 1 4\r\r2 1 1\r2 2 3\r", 2, 2, 3,
             expected);
    reads_as("\xef\xbb\xbf%%MatrixMarket matrix array real general\r\n2 2\r\n4\r\n1\r\n0\r\n3", 2, 2, 4, expected);
    reads_as("%%MatrixMarket matrix coordinate real general % why\n2 2 3 % 2 x 2, with 3\n1 1 4.0D0\n2 1 10d-1 %\n  % "
             "that is all\n2 2 .3E+1 % \"three\"\n%",
             2, 2, 3, expected);
}

#define REAL "%%MatrixMarket matrix coordinate real general\n"

TEST(test_bad_files) {
    static const struct {
        const char *text, *says;
        nb_status status;
    } files[] = {
        {"", "begin with", NB_ERROR_INPUT},
        {"%%MatrixMarke", "begin with", NB_ERROR_INPUT},
        {"\x89HDF\r\n\x1a\n", "begin with", NB_ERROR_INPUT},
        {"%%MatrixMarket", "line 1", NB_ERROR_INPUT},
        {"%%MatrixMarket matrix coordinate real\n", "expected '%%MatrixMarket matrix", NB_ERROR_INPUT},
        {"%MatrixMarket matrix coordinate real general\n", "begins with one % where there are two", NB_ERROR_INPUT},
        {"%%MatrixMarket vector coordinate real general\n", "line 1: the file holds a 'vector'", NB_ERROR_INPUT},
        {"%%MatrixMarket matrix coordinate real general extra\n", "line 1", NB_ERROR_INPUT},
        {"%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 1\n", "'complex'", NB_ERROR_INPUT},
        {"%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1\n", "'pattern'", NB_ERROR_INPUT},
        {"%%MatrixMarket matrix coordinate real skew-symmetric\n1 1 0\n", "skew", NB_ERROR_INPUT},
        {"%%MatrixMarket matrix sparse real general\n1 1 0\n", "'sparse'", NB_ERROR_INPUT},
        {REAL, "line 2", NB_ERROR_INPUT},
        {REAL "2 2\n", "expected rows, columns and entries, found 2 words", NB_ERROR_INPUT},
        {REAL "-2 2 0\n", "'-2'", NB_ERROR_INPUT},
        {REAL "0 0 0\n", "0 x 0", NB_ERROR_INPUT},
        {REAL "9223372036854775807 1 1\n1 1 1\n", "'9223372036854775807'", NB_ERROR_INPUT},
        {REAL "2147483647 1 1\n1 1 1\n", "2147483647 x 1", NB_ERROR_INPUT},
        /* headers that lie about how much there is */
        {REAL "2000000000 2000000000 1\n1 1 1\n", "proportion", NB_ERROR_INPUT},
        {REAL "2 2 999999999999999999\n1 1 1\n", "bytes for", NB_ERROR_INPUT},
        {"%%MatrixMarket matrix array real general\n2000000000 2000000000\n1\n", "bytes for", NB_ERROR_INPUT},
        {"%%MatrixMarket matrix array real symmetric\n2000000000 2000000000\n1\n", "bytes for", NB_ERROR_INPUT},
        {REAL "2 2 2\n1 1 1.00000\n", "after 1 of 2", NB_ERROR_INPUT},
        {REAL "2 2 1\n1 1 1\n2 2 1\n", "more entries", NB_ERROR_INPUT},
        {REAL "2 2 1\n3 1 1\n", "index 3", NB_ERROR_INPUT},
        {REAL "2 2 1\n1 0 1\n", "index 0", NB_ERROR_INPUT},
        {REAL "2 2 1\n1.5 1 1\n", "'1.5'", NB_ERROR_INPUT},
        {REAL "2 2 1\n1 1 nan\n", "'nan'", NB_ERROR_INPUT},
        {REAL "2 2 1\n1 1 inf\n", "'inf'", NB_ERROR_INPUT},
        {REAL "2 2 1\n1 1 0x1p3\n", "'0x1p3'", NB_ERROR_INPUT},
        {REAL "2 2 1\n1 1 1,5\n", "'1,5'", NB_ERROR_INPUT},
        {REAL "2 2 1\n1 1 1d2d\n", "'1d2d' is no number", NB_ERROR_INPUT},
        {REAL "2 2 1\n1 1 % 1\n", "expected row, column, value, found 2 words", NB_ERROR_INPUT},
        {REAL "2 2 1\n1 1 1e999\n", "overflows", NB_ERROR_INPUT},
        {REAL "1 1 2\n1 1 1e308\n1 1 1e308\n", "overflow", NB_ERROR_INPUT},
        {REAL "2 2 1\n1 1 1 1\n", "row, column, value", NB_ERROR_INPUT},
        {REAL "2 2 1\n1 1 1 1 1 1 1\n", "more words", NB_ERROR_INPUT},
        {REAL "2 2 1\n1 1 1\x01\n", "no text", NB_ERROR_INPUT},
        {REAL "2 2 1\n1 1 1111111111111111111111111111111111111111111111111111111111111111111111\n", "63",
         NB_ERROR_INPUT},
        {"%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n1 2 1\n", "above the diagonal", NB_ERROR_INPUT},
        {"%%MatrixMarket matrix coordinate real symmetric\n2 3 1\n2 1 1\n", "2 x 3", NB_ERROR_INPUT},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        nb_csr_f64 *a = (nb_csr_f64 *)(void *)path;
        CHECK_FAULT(parse(files[i].text, &a), files[i].status, files[i].says);
        assert_null(a);
        assert_null(strchr(nb_error_message(), '\n'));
    }
}

/* they are told by their first bytes, in text and where HDF5 is expected */
TEST(test_packed_files) {
    static const struct {
        const char *begin, *says;
    } files[] = {{"\x1f\x8b\x08", "is compressed by gzip: unpack it"},
                 {"BZh91AY", "bzip2"},
                 {"\xfd"
                  "7zXZ",
                  "xz"},
                 {"(\xb5/\xfd", "zstd"},
                 {"PK\x03\x04", "zip archive"},
                 {"\xff\xfe%", "UTF-16"}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        nb_csr_f64 *a;
        nb_fclib_problem *problem;
        write_text(path, files[i].begin);
        CHECK_FAULT(nb_matrix_market_read(path, &a), NB_ERROR_INPUT, files[i].says);
        CHECK_FAULT(nb_fclib_read(path, &problem), NB_ERROR_INPUT, files[i].says);
        assert_true(!a && !problem);
    }
}

/* any prefix of a good file, and any byte of it changed: read or refused, never worse (the sanitizers look on) */
TEST(test_damaged_files) {
    static const char good[] = "%%MatrixMarket matrix coordinate real symmetric\n% c\n3 3 4\n1 1 2\n2 1 -1.5e0\n2 2 "
                               "2\n3 3 1\n";
    static const char bytes[] = {'\0', '\n', ' ', '%', '9', '-', 'e', (char)0xff};
    char *text = malloc(sizeof good - 1); /* exactly as long, so that reading beyond is seen */
    nb_csr_f64 *a;
    assert_non_null(text);
    for (int64_t n = 0; n < (int64_t)sizeof good - 1; n++) {
        memcpy(text, good, sizeof good - 1);
        if (nb_matrix_market_parse(text + sizeof good - 1 - n, n, "suffix", &a) == NB_OK) nb_csr_destroy_f64(a);
        nb_status status = nb_matrix_market_parse(text, n, "prefix", &a);
        if (status == NB_OK) nb_csr_destroy_f64(a);
        if (n < (int64_t)sizeof good - 2) assert_int_not_equal(status, NB_OK);
        for (size_t b = 0; b < sizeof bytes; b++) {
            memcpy(text, good, sizeof good - 1);
            text[n] = bytes[b];
            if (nb_matrix_market_parse(text, sizeof good - 1, "changed", &a) == NB_OK) nb_csr_destroy_f64(a);
        }
    }
    free(text);
}

TEST(test_failing_allocations) {
    nb_csr_f64 *a = NULL;
    nb_status status = NB_ERROR_MEMORY;
    int64_t successes = 0;
    for (; status != NB_OK && successes < 100; successes++) {
        nb_allocation_fail_after(successes);
        status = parse(REAL "2 2 2\n1 1 1\n2 2 1\n", &a);
        nb_allocation_fail_after(-1);
        if (status != NB_OK) assert_int_equal(status, NB_ERROR_MEMORY);
    }
    CHECK_OK(status);
    assert_true(successes > 5); /* three triplet arrays and the matrix */
    nb_csr_destroy_f64(a);
}

/* ---- round trips ---- */

enum {
    ROWS = 30
};

/* doubles of all sizes, every tenth one a special case */
static double any_double(uint64_t *random) {
    static const double special[] = {0, -0.0, DBL_MAX, DBL_MIN, 4.9406564584124654e-324, 0.1, -DBL_MAX};
    uint64_t bits = test_random_bits(random);
    double x = ldexp(test_random(random, -1, 1), (int)(bits % 2000) - 1000);
    return bits / 4096 % 10 == 0 ? special[bits % 7] : x;
}

/* a sparse matrix, symmetric where asked for; every entry of its pattern is stored */
static void fill(nb_csr_f64 *a, int symmetric, uint64_t *random) {
    static double dense[ROWS][ROWS];
    static int64_t start[ROWS + 1];
    static int32_t column[ROWS * ROWS];
    static double value[ROWS * ROWS];
    static int there[ROWS][ROWS];
    int64_t count = 0;
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < ROWS; j++) {
            there[i][j] = test_random(random, 0, 1) < 0.3;
            dense[i][j] = any_double(random);
            if (symmetric && j < i) there[i][j] = there[j][i], dense[i][j] = dense[j][i];
        }
    for (int i = 0; i < ROWS; i++) {
        for (int j = 0; j < ROWS; j++)
            if (there[i][j]) column[count] = j, value[count++] = dense[i][j];
        start[i + 1] = count;
    }
    *a = (nb_csr_f64){
        .rows = ROWS, .columns = ROWS, .capacity = count, .start = start, .column = column, .value = value};
}

/* CHOLMOD's reader finds the same entries, bit by bit */
static void cholmod_reads(const nb_csr_f64 *a, int symmetric) {
    cholmod_common common;
    cholmod_start(&common);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    cholmod_triplet *t = cholmod_read_triplet(file, &common);
    fclose(file);
    assert_non_null(t);
    assert_int_equal(t->nrow, a->rows);
    assert_int_equal(t->ncol, a->columns);
    assert_int_equal(t->stype, symmetric ? -1 : 0);
    size_t n = 0;
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t k = a->start[i]; k < a->start[i + 1]; k++) {
            if (symmetric && a->column[k] > i) continue;
            assert_true(n < t->nnz);
            assert_int_equal(((int *)t->i)[n], i);
            assert_int_equal(((int *)t->j)[n], a->column[k]);
            double theirs = ((double *)t->x)[n];
            if (fabs(a->value[k]) >= 1e308) /* it reads what is as large as that as infinity */
                assert_true(isinf(theirs));
            else
                CHECK_NEAR(theirs, a->value[k], 0);
            n++;
        }
    assert_int_equal(n, t->nnz);
    cholmod_free_triplet(&t, &common);
    cholmod_finish(&common);
}

TEST(test_matrices_read_back_bit_by_bit) {
    uint64_t seed = 71, random = seed;
    print_message("seed %llu\n", (unsigned long long)seed);
    for (int trial = 0; trial < 20; trial++) {
        nb_csr_f64 a;
        nb_csr_f64 *back;
        fill(&a, trial % 2, &random);
        CHECK_OK(nb_matrix_market_write(path, &a, "a random matrix"));
        CHECK_OK(nb_matrix_market_read(path, &back));
        assert_int_equal(back->rows, a.rows);
        assert_memory_equal(back->start, a.start, (ROWS + 1) * sizeof *a.start);
        assert_memory_equal(back->column, a.column, (size_t)nb_csr_nonzeros_f64(&a) * sizeof *a.column);
        assert_memory_equal(back->value, a.value, (size_t)nb_csr_nonzeros_f64(&a) * sizeof *a.value);
        cholmod_reads(&a, trial % 2);
        nb_csr_destroy_f64(back);
    }
}

TEST(test_vectors_read_back_bit_by_bit) {
    uint64_t random = 72;
    double x[ROWS];
    nb_csr_f64 *back;
    for (int i = 0; i < ROWS; i++) x[i] = any_double(&random);
    CHECK_OK(nb_matrix_market_write_array(path, ROWS, 1, x, "a vector"));
    CHECK_OK(nb_matrix_market_read(path, &back));
    assert_int_equal(back->rows, ROWS);
    assert_int_equal(back->columns, 1);
    assert_memory_equal(back->value, x, sizeof x);
    nb_csr_destroy_f64(back);
}

TEST(test_a_failed_write_leaves_the_earlier_file) {
    const double x[2] = {1, 2};
    char folder[64];
    CHECK_FAULT(nb_matrix_market_write_array("no-such-folder/x.mtx", 2, 1, x, ""), NB_ERROR_IO, "no-such-folder");
    CHECK_FAULT(nb_matrix_market_write_array(".", 2, 1, x, ""), NB_ERROR_IO, "a folder");
    CHECK_FAULT(nb_matrix_market_write_array("/dev/null", 2, 1, x, ""), NB_ERROR_IO, "regular");
    snprintf(folder, sizeof folder, "%s.partial-%ld", path, (long)getpid());
    assert_int_not_equal(access(folder, F_OK), 0); /* nothing is left of what was written before */
}

/* ---- systems ---- */

TEST(test_systems) {
    nb_linear_problem *p;
    write_text(path, REAL "2 2 4\n1 1 2\n1 2 1\n2 1 1\n2 2 3\n");
    CHECK_OK(nb_linear_problem_read(path, NULL, &p)); /* b = A (1, 1) */
    CHECK_NEAR(p->b[0], 3, 0);
    CHECK_NEAR(p->b[1], 4, 0);
    nb_linear_problem_destroy(p);
    write_text(other, REAL "2 1 1\n2 1 5\n");
    CHECK_OK(nb_linear_problem_read(path, other, &p)); /* a sparse b */
    CHECK_NEAR(p->b[0], 0, 0);
    CHECK_NEAR(p->b[1], 5, 0);
    assert_int_equal(nb_csr_nonzeros_f64(p->a), 4);
    assert_true(p->asymmetry == 0);
    nb_linear_problem_destroy(p);
    write_text(other, REAL "3 1 1\n2 1 5\n");
    CHECK_FAULT(nb_linear_problem_read(path, other, &p), NB_ERROR_INPUT, "3 x 1");
    assert_null(p);
    char both[256];
    write_text(other, REAL "2 1 1\n2 1 5\n");
    snprintf(both, sizeof both, "%s,%s", other, path);
    CHECK_OK(nb_linear_problem_read(path, both, &p)); /* three right-hand sides */
    assert_int_equal(p->columns, 3);
    const double b[6] = {0, 5, 2, 1, 1, 3};
    assert_memory_equal(p->b, b, sizeof b);
    nb_linear_problem_destroy(p);
    write_text(path, REAL "2 3 1\n1 1 1\n");
    CHECK_FAULT(nb_linear_problem_read(path, NULL, &p), NB_ERROR_INPUT, "square");
    write_text(path, REAL "2 2 3\n1 1 2\n1 2 1\n2 2 3\n");
    CHECK_OK(nb_linear_problem_read(path, NULL, &p));
    assert_true(p->asymmetry > 0);
    nb_linear_problem_destroy(p);
    CHECK_FAULT(nb_linear_problem_read("none.mtx", NULL, &p), NB_ERROR_IO, "none.mtx");
    CHECK_FAULT(nb_linear_problem_read(".", NULL, &p), NB_ERROR_IO, "folder");
    assert_true(nb_linear_problem_is("A.MTX"));
    assert_false(nb_linear_problem_is("none.hdf5"));
}

/* ---- PETSc's binary format ---- */

static void write_petsc(int32_t count, const int32_t *words, int32_t reals, const double *value) {
    FILE *file = fopen(other, "wb");
    for (int32_t i = 0; i < count; i++) fwrite(&(uint32_t){htobe32((uint32_t)words[i])}, 4, 1, file);
    for (int32_t i = 0; i < reals; i++) {
        uint64_t bits;
        memcpy(&bits, &value[i], sizeof bits);
        fwrite(&(uint64_t){htobe64(bits)}, 8, 1, file);
    }
    fclose(file);
}

TEST(test_petsc_files) {
    static const struct {
        int32_t count, words[10], reals;
        double value[3];
        const char *says;
    } bad[] = {
        {0, {0}, 1, {1}, "no matrix or vector"},
        {2, {1211214, 3}, 2, {1, 2}, "24 bytes, and its header announces 32"},
        {2, {1211214, -1}, 0, {0}, "announces 0"},
        {2, {1211214, 1}, 1, {NAN}, "number 1 is not finite"},
        {3, {1211216, 1, 1}, 0, {0}, "12 bytes"},
        {9, {1211216, 2, 2, 3, 1, 2, 0, 0, 1}, 2, {1, 2}, "header announces 60"},
        {9, {1211216, 2, 2, 3, 1, 3, 0, 0, 1}, 3, {1, 2, 3}, "row 1 has 3 entries"},
        {9, {1211216, 2, 2, 3, 1, 1, 0, 0, 1}, 3, {1, 2, 3}, "rows have 2 entries"},
        {9, {1211216, 2, 2, 3, 1, 2, 0, 1, 1}, 3, {1, 2, 3}, "column 1 of row 1"},
        {9, {1211216, 2, 2, 3, 1, 2, 0, 0, 2}, 3, {1, 2, 3}, "column 2 of row 1"},
        {9, {1211216, 2, 2, 2147483647, 1, 2, 0, 0, 1}, 3, {1, 2, 3}, "60 bytes"},
    };
    const int32_t good[] = {1211216, 2, 2, 3, 1, 2, 0, 0, 1};
    const double value[] = {2, 1, 3}, dense[] = {2, 0, 1, 3};
    nb_csr_f64 *a;
    write_petsc(9, good, 3, value);
    CHECK_OK(nb_petsc_matrix_read(other, &a));
    for (int32_t i = 0; i < 2; i++)
        for (int32_t j = 0; j < 2; j++) {
            const int64_t k = nb_csr_find_f64(a, i, j);
            CHECK_NEAR(k < a->start[i + 1] && a->column[k] == j ? a->value[k] : 0, dense[2 * i + j], 0);
        }
    nb_csr_destroy_f64(a);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        write_petsc(bad[i].count, bad[i].words, bad[i].reals, bad[i].value);
        CHECK_FAULT(nb_petsc_matrix_read(other, &a), NB_ERROR_INPUT, bad[i].says);
        assert_null(a);
    }
    CHECK_FAULT(nb_petsc_matrix_read("none.petsc", &a), NB_ERROR_IO, "none.petsc");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_petsc_files),
        cmocka_unit_test(test_good_files),
        cmocka_unit_test(test_bad_files),
        cmocka_unit_test(test_other_habits),
        cmocka_unit_test(test_packed_files),
        cmocka_unit_test(test_damaged_files),
        cmocka_unit_test(test_failing_allocations),
        cmocka_unit_test(test_matrices_read_back_bit_by_bit),
        cmocka_unit_test(test_vectors_read_back_bit_by_bit),
        cmocka_unit_test(test_a_failed_write_leaves_the_earlier_file),
        cmocka_unit_test(test_systems),
    };
    return cmocka_run_group_tests(tests, make_paths, remove_paths);
}
