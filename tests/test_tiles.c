/* Cholesky in tiles, emulated, against dense arithmetic: random sparse matrices of every size around that of a tile, in
 * one launch and in many, in any order of threads; the row at which it fails; what becomes of a lack of memory. */
#include <stdlib.h>
#include <string.h>

#include "base/largest.h"
#include "base/memory.h"
#include "check.h"
#include "cholesky.h"
#include "runtime.h"
#include "tile_plan.h"

enum {
    MOST_ROWS = 700,
    MOST_ENTRIES = 20000
};

typedef struct matrix {
    int32_t rows;
    int64_t entries;
    int32_t row[MOST_ENTRIES], column[MOST_ENTRIES];
    double value[MOST_ENTRIES];
} matrix;

static void add_entry(matrix *m, int32_t row, int32_t column, double value) {
    assert_true(m->entries < MOST_ENTRIES);
    m->row[m->entries] = row;
    m->column[m->entries] = column;
    m->value[m->entries++] = value;
}

/* A band, and entries far from it; each row's diagonal outweighs the rest of it by one (Gershgorin: positive definite,
 * of a condition of some tens). */
static void random_matrix(uint64_t *seed, int32_t rows, matrix *m) {
    static double size[MOST_ROWS];
    m->rows = rows;
    m->entries = 0;
    for (int32_t i = 0; i < rows; i++) size[i] = 1;
    for (int32_t i = 0; i < rows; i++)
        for (int32_t j = 0; j < i; j++) {
            int near = i - j < 4, wanted = near || test_random_bits(seed) % 100 == 0;
            if (!wanted || m->entries > MOST_ENTRIES - MOST_ROWS) continue;
            double value = test_random(seed, -1, 1);
            add_entry(m, i, j, value);
            size[i] += fabs(value);
            size[j] += fabs(value);
        }
    for (int32_t i = 0; i < rows; i++) add_entry(m, i, i, size[i]);
}

/* the largest |b - A x| */
static double residual(const matrix *m, const double *b, const double *x) {
    static double r[MOST_ROWS];
    double most = 0;
    memcpy(r, b, (size_t)m->rows * sizeof *r);
    for (int64_t k = 0; k < m->entries; k++) {
        r[m->row[k]] -= m->value[k] * x[m->column[k]];
        if (m->row[k] != m->column[k]) r[m->column[k]] -= m->value[k] * x[m->row[k]];
    }
    for (int32_t i = 0; i < m->rows; i++) nb_raise(&most, fabs(r[i]));
    return most;
}

static nb_status solve(const matrix *m, const double *b, double *x, int32_t *failed) {
    const nb_device_cholesky *type = &nb_cholesky_emulated;
    void *state;
    nb_status status = type->create(&state);
    if (status != NB_OK) return status;
    NB_TRY(type->set_pattern(state, m->rows, m->entries, m->row, m->column));
    NB_TRY(type->factorise(state, m->value, failed));
    NB_TRY(type->solve(state, b, x));
out:
    type->destroy(state);
    return status;
}

static const int32_t sizes[] = {0, 1, 2, 31, 32, 33, 63, 64, 65, 200, 512, 513, 700};

TEST(systems_are_solved) {
    static matrix m;
    static double b[MOST_ROWS], x[MOST_ROWS], first[MOST_ROWS];
    uint64_t seed = 41;
    int32_t failed;
    print_message("seed %llu\n", (unsigned long long)seed);
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        random_matrix(&seed, sizes[k], &m);
        for (int32_t i = 0; i < m.rows; i++) b[i] = test_random(&seed, -1, 1);
        for (int order = NB_ORDER_FORWARD; order < NB_ORDERS; order++) {
            nb_emulated_set_order((nb_emulated_order)order);
            nb_status status = solve(&m, b, x, &failed);
            nb_emulated_set_order(NB_ORDER_FORWARD);
            CHECK_OK(status);
            assert_int_equal(failed, -1);
            /* a backward stable factorisation: some hundred roundings of the largest row, about 50 */
            CHECK_NEAR(residual(&m, b, x), 0, 1e3 * 50 * 2.2e-16);
            if (order == NB_ORDER_FORWARD) memcpy(first, x, sizeof first);
            assert_memory_equal(x, first, (size_t)m.rows * sizeof *x);
        }
    }
}

/* L has no entry outside the tiles that the plan has: the reference fills a dense matrix */
TEST(the_plan_has_every_tile_that_fills) {
    static matrix m;
    nb_tile_plan plan = {0};
    uint64_t seed = 42;
    print_message("seed %llu\n", (unsigned long long)seed);
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        int32_t n = sizes[k], tiles = (n + NB_TILE - 1) / NB_TILE;
        random_matrix(&seed, n, &m);
        int64_t kept = 0;
        for (int64_t e = 0; e < m.entries; e++) /* nothing far from the diagonal but in the last third */
            if (m.row[e] - m.column[e] < 4 || m.row[e] > 2 * n / 3) {
                m.row[kept] = m.row[e];
                m.column[kept++] = m.column[e];
            }
        CHECK_OK(nb_tile_plan_make(&plan, n, kept, m.row, m.column));
        char *filled = calloc((size_t)tiles * (size_t)tiles + 1, 1);
        assert_non_null(filled);
        for (int64_t e = 0; e < kept; e++) filled[m.row[e] / NB_TILE * tiles + m.column[e] / NB_TILE] = 1;
        for (int32_t c = 0; c < tiles; c++)
            for (int32_t i = c + 1; i < tiles; i++)
                for (int32_t j = c + 1; j <= i; j++)
                    if (filled[i * tiles + c] && filled[j * tiles + c]) filled[i * tiles + j] = 1;
        int64_t count = 0;
        const nb_tiles *v = &plan.counts;
        for (int32_t c = 0; c < tiles; c++) {
            int32_t tile = v->column_start[c];
            for (int32_t i = c; i < tiles; i++) {
                if (!filled[i * tiles + c]) continue;
                count++;
                assert_int_equal(v->tile_row[tile++], i);
            }
            assert_int_equal(tile, v->column_start[c + 1]);
        }
        assert_int_equal(count, plan.tiles);
        free(filled);
    }
    nb_tile_plan_clear(&plan);
}

/* the first row whose pivot is not positive is the one that was spoilt: those before it do not see it */
TEST(the_failing_row_is_told) {
    static matrix m;
    static double b[MOST_ROWS], x[MOST_ROWS];
    uint64_t seed = 43;
    int32_t failed;
    print_message("seed %llu\n", (unsigned long long)seed);
    for (size_t k = 1; k < sizeof sizes / sizeof *sizes; k++)
        for (int trial = 0; trial < 3; trial++) {
            random_matrix(&seed, sizes[k], &m);
            int32_t spoilt = (int32_t)(test_random_bits(&seed) % (uint64_t)m.rows);
            m.value[m.entries - m.rows + spoilt] = trial == 0 ? -1 : trial == 1 ? 0 : (double)NAN;
            CHECK_OK(solve(&m, b, x, &failed));
            assert_int_equal(failed, spoilt);
        }
}

TEST(faults_leave_nothing_behind) {
    static matrix m;
    static double b[MOST_ROWS], x[MOST_ROWS];
    uint64_t seed = 44;
    int32_t failed;
    random_matrix(&seed, 200, &m);
    int64_t held = nb_allocation_held();
    nb_status status = NB_ERROR_MEMORY;
    for (int i = 0; status != NB_OK && i < 20; i++) {
        nb_allocation_fail_after(i);
        status = solve(&m, b, x, &failed);
        nb_allocation_fail_after(-1);
        assert_true(status == NB_OK || status == NB_ERROR_MEMORY);
        assert_int_equal(nb_allocation_held(), held);
    }
    assert_int_equal(status, NB_OK);
    status = NB_ERROR_DEVICE;
    for (int i = 0; status != NB_OK && i < 20; i++) {
        nb_emulated_fail_after(NB_ERROR_DEVICE, i);
        status = solve(&m, b, x, &failed);
        nb_emulated_fail_after(NB_OK, 0);
        assert_true(status == NB_OK || status == NB_ERROR_DEVICE);
        assert_int_equal(nb_allocation_held(), held);
    }
    assert_int_equal(status, NB_OK);
}

RUN_TESTS(systems_are_solved, the_plan_has_every_tile_that_fills, the_failing_row_is_told, faults_leave_nothing_behind)
