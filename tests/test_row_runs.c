/* Products with rows in runs (operator/row_runs.h) are those of the entries, in every instruction set and with any
 * number of threads. */
#include "check.h"

#include <string.h>

#include "base/instruction_set.h"
#include "base/memory.h"
#include "base/threads.h"
#include "operator/row_runs.h"

NB_PRECISIONS(f32, f64);

enum {
    COLUMNS = 1200,
    MOST_ROWS = 600
};

/* runs of 1, 3 and 6 rows with columns by threes, and of 1 to 7 rows with single columns; some are empty, some longer
 * than what is gathered at a time */
static void make_matrix(uint64_t *seed, int rows, nb_csr **matrix) {
    static const int sizes[] = {6, 3, 1, 6, 7, 2, 6, 3};
    CHECK_OK(nb_csr_create(rows, COLUMNS, (int64_t)rows * COLUMNS, matrix));
    nb_csr *a = *matrix;
    int64_t used = 0;
    for (int row = 0, run = 0; row < rows; run++) {
        const int threes = run % 5 != 4, step = threes ? 3 : 1;
        const double share = run % 7 == 6 ? 0.9 : run % 11 == 10 ? 0 : test_random(seed, 0, 0.15);
        int32_t columns[COLUMNS], count = 0;
        for (int c = 0; c < COLUMNS; c += step)
            for (int k = 0, in = test_random(seed, 0, 1) < share; in && k < step; k++) columns[count++] = c + k;
        for (int r = 0; r < sizes[run % 8] && row < rows; r++, row++) {
            for (int k = 0; k < count; k++) {
                a->column[used] = columns[k];
                a->value[used++] = R(test_random(seed, -1, 1));
            }
            a->start[row + 1] = used;
        }
    }
}

TEST(products_are_those_of_entries) {
    static const char *const sets[] = {"baseline", "avx2", "avx512"};
    uint64_t seed = test_seed();
    for (int rows = 1; rows <= MOST_ROWS; rows += rows < 20 ? 1 : 290) {
        nb_csr *a;
        nb_row_runs runs = {0};
        real x[COLUMNS], y[MOST_ROWS];
        make_matrix(&seed, rows, &a);
        CHECK_OK(nb_row_runs_make(&runs, a));
        assert_int_equal(runs.row[runs.count], rows);
        for (int c = 0; c < COLUMNS; c++) x[c] = R(test_random(&seed, -1, 1));
        for (int s = 0; s < 3; s++) {
            const int set = nb_instruction_set_named(sets[s]);
            if (set < 0) continue;
            memset(y, 1, sizeof y);
            nb_row_run_product_of(set)(&runs, a, x, y, 0, runs.count);
            for (int r = 0; r < rows; r++) {
                double sum = 0, size = 0;
                for (int64_t k = a->start[r]; k < a->start[r + 1]; k++) {
                    const double product = (double)a->value[k] * (double)x[a->column[k]];
                    sum += product;
                    size += fabs(product);
                }
                if (!(fabs((double)y[r] - sum) <= 40 * (double)NB_REAL_EPSILON * size))
                    fail_msg("%s, %d rows: row %d is %g, not %g", sets[s], rows, r, (double)y[r], sum);
            }
        }
        nb_row_runs_clear(&runs);
        nb_csr_destroy(a);
    }
}

/* rows by nodes of six unknowns, as the stiffness form has them: one run a node, one number a three of columns */
TEST(nodes_are_runs) {
    nb_csr *a;
    nb_row_runs runs = {0};
    const int32_t nodes = 4;
    int64_t used = 0;
    CHECK_OK(nb_csr_create(6 * nodes, 6 * nodes, (int64_t)36 * nodes * 2, &a));
    for (int32_t i = 0; i < nodes; i++) /* each with the one before or behind it */
        for (int r = 0; r < 6; r++) {
            for (int32_t c = 6 * (i & ~1); c < 6 * (i | 1) + 6; c++) a->column[used++] = c;
            a->start[6 * i + r + 1] = used;
        }
    CHECK_OK(nb_row_runs_make(&runs, a));
    assert_int_equal(runs.count, nodes);
    for (int32_t i = 0; i < nodes; i++) {
        assert_int_equal(runs.row[i + 1] - runs.row[i], 6);
        assert_int_equal(runs.place[i + 1] - runs.place[i], 4);
    }
    nb_row_runs_clear(&runs);
    nb_csr_destroy(a);
}

TEST(threads_leave_the_bits) {
    uint64_t seed = test_seed();
    nb_csr *a;
    nb_row_runs runs = {0};
    real x[COLUMNS], y[2][4 * MOST_ROWS];
    make_matrix(&seed, 4 * MOST_ROWS, &a);
    assert_true(nb_csr_nonzeros(a) > 2 * 200000); /* some parts */
    CHECK_OK(nb_row_runs_make(&runs, a));
    for (int c = 0; c < COLUMNS; c++) x[c] = R(test_random(&seed, -1, 1));
    nb_row_runs_apply(&runs, a, x, y[0]);
    for (int threads = 2; threads <= 3; threads++) {
        nb_threads_set(threads);
        memset(y[1], 1, sizeof y[1]);
        nb_row_runs_apply(&runs, a, x, y[1]);
        assert_memory_equal(y[0], y[1], sizeof y[0]);
    }
    nb_threads_set(1);
    nb_row_runs_clear(&runs);
    nb_csr_destroy(a);
}

RUN_TESTS(products_are_those_of_entries, nodes_are_runs, threads_leave_the_bits)
