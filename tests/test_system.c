/* One linear system over a stored operator: its products, entries, diagonal and residual against dense arithmetic in
 * double, and what its epochs rebuild. */
#include "operator/system.h"

#include <string.h>

#include "base/memory.h"
#include "check.h"
#include "operator/delassus_matrix.h"

NB_PRECISIONS(f32, f64);

enum {
    ROWS = 23
};
static const uint64_t seed = 42;

/* sums of up to 23 products of numbers of order one */
static const double round_off = 200 * (double)NB_REAL_EPSILON;

typedef struct instance {
    nb_csr *matrix; /* owned by the operator */
    nb_delassus *delassus;
    nb_system *system;
    double dense[ROWS][ROWS]; /* A */
} instance;

/* dense A = S D S + C from what the system holds */
static void fill_dense(instance *t) {
    memset(t->dense, 0, sizeof t->dense);
    for (int32_t i = 0; i < ROWS; i++) {
        for (int64_t k = t->matrix->start[i]; k < t->matrix->start[i + 1]; k++) {
            int32_t j = t->matrix->column[k];
            t->dense[i][j] = (double)t->system->s[i] * (double)t->matrix->value[k] * (double)t->system->s[j];
        }
        t->dense[i][i] += (double)t->system->c[i];
    }
}

/* a symmetric matrix with about a third of its entries, weights with some zeros, and a right-hand side */
static void set_up(instance *t) {
    uint64_t state = seed;
    double full[ROWS][ROWS] = {{0}};
    int64_t count = 0;
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j <= i; j++)
            if (i == j || test_random(&state, 0, 1) < 0.3) {
                full[i][j] = full[j][i] = test_random(&state, -1, 1);
                count += i == j ? 1 : 2;
            }
    CHECK_OK(nb_csr_create(ROWS, ROWS, count, &t->matrix));
    count = 0;
    for (int32_t i = 0; i < ROWS; i++) {
        for (int32_t j = 0; j < ROWS; j++)
            if (full[i][j] != 0) {
                t->matrix->column[count] = j;
                t->matrix->value[count++] = (real)full[i][j];
            }
        t->matrix->start[i + 1] = count;
    }
    CHECK_OK(nb_delassus_matrix_create(t->matrix, 0, NULL, 0, NULL, &t->delassus));
    CHECK_OK(nb_system_create(t->delassus, &t->system));
    for (int i = 0; i < ROWS; i++) {
        t->system->s[i] = i % 7 == 3 ? 0 : (real)test_random(&state, 0, 1);
        t->system->c[i] = (real)test_random(&state, 0, 2);
        t->system->b[i] = (real)test_random(&state, -1, 1);
    }
    nb_system_values_changed(t->system);
    fill_dense(t);
}

static void tear_down(instance *t) {
    nb_system_destroy(t->system);
    nb_delassus_matrix_destroy(t->delassus);
}

static void check_entries(const instance *t, const nb_csr *a) {
    double seen[ROWS][ROWS] = {{0}};
    for (int32_t i = 0; i < ROWS; i++)
        for (int64_t k = a->start[i]; k < a->start[i + 1]; k++) {
            if (k > a->start[i]) assert_true(a->column[k] > a->column[k - 1]);
            seen[i][a->column[k]] = (double)a->value[k];
        }
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < ROWS; j++) CHECK_NEAR(seen[i][j], t->dense[i][j], 4 * (double)NB_REAL_EPSILON);
}

TEST(test_fresh_system_is_the_operator) {
    instance t;
    nb_system *fresh;
    const nb_csr *a;
    set_up(&t);
    CHECK_OK(nb_system_create(t.delassus, &fresh));
    CHECK_OK(nb_system_matrix(fresh, &a));
    assert_int_equal(fresh->rows, ROWS);
    assert_memory_equal(a->value, t.matrix->value, (size_t)t.matrix->start[ROWS] * sizeof(real));
    nb_system_destroy(fresh);
    tear_down(&t);
}

TEST(test_products) {
    instance t;
    set_up(&t);
    const nb_csr *a;
    CHECK_OK(nb_system_matrix(t.system, &a));
    real x[ROWS], y[ROWS], by_entries[ROWS], diagonal[ROWS], r[ROWS];
    uint64_t state = seed + 1;
    for (int i = 0; i < ROWS; i++) x[i] = (real)test_random(&state, -1, 1);
    nb_system_apply(t.system, x, y);
    nb_csr_apply(a, x, by_entries);
    nb_system_diagonal(t.system, diagonal);
    double norm = nb_system_residual(t.system, x, r), sum = 0;
    for (int i = 0; i < ROWS; i++) {
        double expected = 0;
        for (int j = 0; j < ROWS; j++) expected += t.dense[i][j] * (double)x[j];
        CHECK_NEAR((double)y[i], expected, round_off);
        CHECK_NEAR((double)by_entries[i], expected, round_off);
        CHECK_NEAR((double)diagonal[i], t.dense[i][i], round_off);
        CHECK_NEAR((double)r[i], (double)t.system->b[i] - expected, round_off);
        sum += (double)r[i] * (double)r[i];
    }
    CHECK_NEAR(norm, sqrt(sum), round_off);
    tear_down(&t);
}

TEST(test_entries_follow_the_epochs) {
    instance t;
    const nb_csr *a, *again;
    set_up(&t);
    CHECK_OK(nb_system_matrix(t.system, &a));
    check_entries(&t, a);

    /* the same values: the same matrix, and nothing is allocated */
    int64_t allocations = nb_allocation_count();
    CHECK_OK(nb_system_matrix(t.system, &again));
    assert_ptr_equal(again, a);

    /* new values of the operator, weights and C: same pattern, still nothing allocated */
    for (int64_t k = 0; k < t.matrix->start[ROWS]; k++) t.matrix->value[k] *= R(0.5);
    for (int i = 0; i < ROWS; i++) {
        t.system->s[i] += 1;
        t.system->c[i] *= 3;
    }
    nb_system_values_changed(t.system);
    fill_dense(&t);
    CHECK_OK(nb_system_matrix(t.system, &a));
    check_entries(&t, a);
    assert_int_equal(nb_allocation_count(), allocations);

    /* a new pattern: made anew */
    nb_system_pattern_changed(t.system);
    CHECK_OK(nb_system_matrix(t.system, &a));
    check_entries(&t, a);
    assert_true(nb_allocation_count() > allocations);
    tear_down(&t);
}

/* whichever allocation fails: a fault, no leak, and the next try succeeds */
TEST(test_failed_allocations) {
    instance t;
    set_up(&t);
    for (int64_t successes = 0;; successes++) {
        nb_system *system = NULL;
        const nb_csr *a;
        nb_allocation_fail_after(successes);
        nb_status status = nb_system_create(t.delassus, &system);
        if (status == NB_OK) status = nb_system_matrix(system, &a);
        nb_allocation_fail_after(-1);
        if (status == NB_OK) {
            nb_system_destroy(system);
            assert_true(successes > 8); /* all of them were tried */
            break;
        }
        assert_int_equal(status, NB_ERROR_MEMORY);
        if (system) CHECK_OK(nb_system_matrix(system, &a));
        nb_system_destroy(system);
    }
    tear_down(&t);
}

static nb_csr *of_diagonal(int32_t rows) {
    nb_csr *matrix;
    CHECK_OK(nb_csr_create(rows, rows, rows, &matrix));
    for (int32_t i = 0; i < rows; i++) {
        matrix->start[i + 1] = i + 1;
        matrix->column[i] = i;
    }
    return matrix;
}

TEST(test_blocks_of_a_stored_operator) {
    nb_csr *matrix;
    nb_delassus *d;
    static const int32_t blocks[] = {0, 1, 4}, groups[] = {0, 2};
    matrix = of_diagonal(4);
    CHECK_OK(nb_delassus_matrix_create(matrix, 2, blocks, 1, groups, &d));
    assert_int_equal(d->block_count, 2);
    assert_memory_equal(d->block_start, blocks, sizeof blocks);
    assert_int_equal(d->group_count, 1);
    assert_memory_equal(d->group_start, groups, sizeof groups);
    nb_delassus_matrix_destroy(d);

    matrix = of_diagonal(4);
    CHECK_OK(nb_delassus_matrix_create(matrix, 0, NULL, 0, NULL, &d)); /* a row a block, a block a group */
    assert_int_equal(d->block_count, 4);
    assert_int_equal(d->group_count, 4);
    for (int i = 0; i <= 4; i++) {
        assert_int_equal(d->block_start[i], i);
        assert_int_equal(d->group_start[i], i);
    }
    nb_delassus_matrix_destroy(d);
    nb_delassus_matrix_destroy(NULL);
}

/* blocks of one to three rows, K full and unsymmetric over entries that D does not have */
static void use_blocks(instance *t, nb_delassus **blocked, uint64_t *state) {
    static const int32_t blocks[] = {0, 3, 4, 6, 9, 12, 15, 18, 19, 22, 23};
    nb_csr *copy;
    int64_t nonzeros = t->matrix->start[ROWS];
    CHECK_OK(nb_csr_create(ROWS, ROWS, nonzeros, &copy));
    memcpy(copy->start, t->matrix->start, (ROWS + 1) * sizeof *copy->start);
    memcpy(copy->column, t->matrix->column, (size_t)nonzeros * sizeof *copy->column);
    memcpy(copy->value, t->matrix->value, (size_t)nonzeros * sizeof *copy->value);
    CHECK_OK(nb_delassus_matrix_create(copy, 10, blocks, 0, NULL, blocked));
    nb_system *system;
    CHECK_OK(nb_system_create(*blocked, &system));
    memcpy(system->s, t->system->s, ROWS * sizeof *system->s);
    memcpy(system->c, t->system->c, ROWS * sizeof *system->c);
    memcpy(system->b, t->system->b, ROWS * sizeof *system->b);
    assert_true(system->symmetric && !system->k);
    int64_t epoch = system->pattern_epoch;
    CHECK_OK(nb_system_use_blocks(system));
    assert_true(!system->symmetric && system->k && system->pattern_epoch > epoch);
    epoch = system->pattern_epoch;
    CHECK_OK(nb_system_use_blocks(system)); /* once is enough */
    assert_int_equal(system->pattern_epoch, epoch);
    for (int32_t i = 0; i < 10; i++) {
        int n = blocks[i + 1] - blocks[i];
        real *block = nb_system_diagonal_block(system, i);
        for (int r = 0; r < n; r++)
            for (int c = 0; c < n; c++) {
                assert_true(block[r * n + c] == 0);
                block[r * n + c] = (real)test_random(state, -1, 1);
                t->dense[blocks[i] + r][blocks[i] + c] += (double)block[r * n + c];
            }
    }
    nb_system_destroy(t->system);
    nb_delassus_matrix_destroy(t->delassus);
    t->system = system;
    t->delassus = *blocked;
    t->matrix = copy;
    nb_system_values_changed(system);
}

/* the products, diagonal and entries of a system with K are those of the dense matrix; its blocks follow their values
 * without allocation */
TEST(test_unsymmetric_blocks) {
    instance t;
    nb_delassus *blocked;
    const nb_csr *a;
    uint64_t state = seed + 7;
    real x[ROWS], y[ROWS], diagonal[ROWS];
    set_up(&t);
    use_blocks(&t, &blocked, &state);
    for (int i = 0; i < ROWS; i++) x[i] = (real)test_random(&state, -1, 1);
    for (int pass = 0; pass < 2; pass++) {
        nb_system_apply(t.system, x, y);
        nb_system_diagonal(t.system, diagonal);
        for (int i = 0; i < ROWS; i++) {
            double expected = 0;
            for (int j = 0; j < ROWS; j++) expected += t.dense[i][j] * (double)x[j];
            CHECK_NEAR((double)y[i], expected, round_off);
            CHECK_NEAR((double)diagonal[i], t.dense[i][i], round_off);
        }
        CHECK_OK(nb_system_matrix(t.system, &a));
        check_entries(&t, a);
        t.dense[1][2] += 1; /* once more with another value: row 1, column 2 of block 0 */
        nb_system_diagonal_block(t.system, 0)[5] += 1;
        nb_system_values_changed(t.system);
        int64_t allocations = nb_allocation_count();
        CHECK_OK(nb_system_matrix(t.system, &a));
        assert_int_equal(nb_allocation_count(), allocations);
    }
    tear_down(&t);
}

int main(void) {
    print_message("seed %llu\n", (unsigned long long)seed);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fresh_system_is_the_operator), cmocka_unit_test(test_products),
        cmocka_unit_test(test_entries_follow_the_epochs),    cmocka_unit_test(test_failed_allocations),
        cmocka_unit_test(test_blocks_of_a_stored_operator),  cmocka_unit_test(test_unsymmetric_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
