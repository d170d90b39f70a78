/* A stored matrix as a Delassus operator: its four functions by hand, what it copies and what it takes over, and no
 * leak at any allocation that fails. */
#include "operator/delassus_matrix.h"

#include <string.h>

#include "base/memory.h"
#include "check.h"

NB_PRECISIONS(f32, f64);

enum {
    ROWS = 3,
    ENTRIES = 7
};

/* [ 4 1 0 ; 1 0 -2 ; 0 -2 5 ], with its zero on the diagonal stored; all numbers are exact in both precisions */
static nb_csr *small_matrix(void) {
    static const int64_t start[] = {0, 2, 5, 7};
    static const int32_t column[] = {0, 1, 0, 1, 2, 1, 2};
    static const real value[] = {4, 1, 1, 0, -2, -2, 5};
    nb_csr *matrix;
    CHECK_OK(nb_csr_create(ROWS, ROWS, ENTRIES, &matrix));
    memcpy(matrix->start, start, sizeof start);
    memcpy(matrix->column, column, sizeof column);
    memcpy(matrix->value, value, sizeof value);
    return matrix;
}

/* y = s * (D (s * x)) + c * x with s = (1, 2, 0), c = (0, 1/2, 3), x = (1, -1, 2): D (1, -2, 0) = (2, 1, 4) */
TEST(test_product) {
    nb_delassus *d;
    static const real s[] = {1, 2, 0}, c[] = {0, R(0.5), 3}, x[] = {1, -1, 2};
    static const double expected[] = {2, 1.5, 6};
    real y[ROWS] = {-7, -7, -7};
    CHECK_OK(nb_delassus_matrix_create(small_matrix(), 0, NULL, 0, NULL, &d));
    assert_int_equal(d->rows, ROWS);
    d->type->apply(d, s, c, x, y);
    for (int i = 0; i < ROWS; i++) CHECK_NEAR((double)y[i], expected[i], 0);
    nb_delassus_matrix_destroy(d);
}

TEST(test_diagonal_pattern_and_values) {
    nb_csr *matrix = small_matrix(), *copy;
    nb_delassus *d;
    real diagonal[ROWS] = {-7, -7, -7};
    CHECK_OK(nb_delassus_matrix_create(matrix, 0, NULL, 0, NULL, &d));
    d->type->diagonal(d, diagonal);
    CHECK_NEAR((double)diagonal[0], 4, 0);
    CHECK_NEAR((double)diagonal[1], 0, 0);
    CHECK_NEAR((double)diagonal[2], 5, 0);

    CHECK_OK(d->type->pattern(d, &copy));
    assert_int_equal(copy->rows, ROWS);
    assert_memory_equal(copy->start, matrix->start, (ROWS + 1) * sizeof *copy->start);
    assert_memory_equal(copy->column, matrix->column, ENTRIES * sizeof *copy->column);
    for (int k = 0; k < ENTRIES; k++) CHECK_NEAR((double)copy->value[k], 0, 0);

    matrix->value[4] = matrix->value[5] = 7; /* the matrix stays the caller's to change */
    d->type->values(d, copy);
    assert_memory_equal(copy->value, matrix->value, ENTRIES * sizeof *copy->value);
    nb_csr_destroy(copy);
    nb_delassus_matrix_destroy(d);
}

TEST(test_blocks_and_groups_are_copied) {
    nb_delassus *d;
    int32_t blocks[] = {0, 1, 3}, groups[] = {0, 2};
    CHECK_OK(nb_delassus_matrix_create(small_matrix(), 2, blocks, 1, groups, &d));
    blocks[1] = groups[1] = -1; /* no longer read */
    assert_int_equal(d->block_count, 2);
    assert_int_equal(d->block_start[1], 1);
    assert_int_equal(d->block_start[2], 3);
    assert_int_equal(d->group_count, 1);
    assert_int_equal(d->group_start[1], 2);
    nb_delassus_matrix_destroy(d);

    blocks[1] = 1; /* blocks without groups: a group each */
    CHECK_OK(nb_delassus_matrix_create(small_matrix(), 2, blocks, 0, NULL, &d));
    assert_int_equal(d->group_count, 2);
    for (int i = 0; i <= 2; i++) assert_int_equal(d->group_start[i], i);
    nb_delassus_matrix_destroy(d);
}

TEST(test_no_rows) {
    nb_csr *matrix, *copy;
    nb_delassus *d;
    real nothing[1] = {3};
    CHECK_OK(nb_csr_create(0, 0, 0, &matrix));
    CHECK_OK(nb_delassus_matrix_create(matrix, 0, NULL, 0, NULL, &d));
    assert_int_equal(d->rows, 0);
    assert_int_equal(d->block_count, 0);
    assert_int_equal(d->group_count, 0);
    d->type->apply(d, nothing, nothing, nothing, nothing + 1);
    d->type->diagonal(d, nothing);
    CHECK_NEAR((double)nothing[0], 3, 0);
    CHECK_OK(d->type->pattern(d, &copy));
    d->type->values(d, copy);
    assert_int_equal(copy->start[0], 0);
    nb_csr_destroy(copy);
    nb_delassus_matrix_destroy(d);
    nb_delassus_matrix_destroy(NULL);
}

/* The matrix is taken over on a fault as well: with any of its allocations failing nothing leaks (the sanitizers look)
 * and no operator comes back. */
TEST(test_failed_allocations) {
    int failed = 0;
    for (nb_status status = NB_ERROR_MEMORY; status != NB_OK; failed++) {
        nb_csr *matrix = small_matrix();
        nb_delassus *d = (nb_delassus *)&failed;
        nb_allocation_fail_after(failed);
        status = nb_delassus_matrix_create(matrix, 0, NULL, 0, NULL, &d);
        nb_allocation_fail_after(-1);
        if (status != NB_OK) {
            assert_int_equal(status, NB_ERROR_MEMORY);
            assert_null(d);
        }
        nb_delassus_matrix_destroy(d);
    }
    assert_int_equal(failed,
                     10); /* the operator, its diagonal, triples, four of runs, blocks, groups; then it succeeded */

    nb_delassus *d;
    nb_csr *copy;
    CHECK_OK(nb_delassus_matrix_create(small_matrix(), 0, NULL, 0, NULL, &d));
    for (int successes = 0; successes < 4; successes++) { /* the copy, its starts, columns and values */
        copy = (nb_csr *)&failed;
        nb_allocation_fail_after(successes);
        nb_status status = d->type->pattern(d, &copy);
        nb_allocation_fail_after(-1);
        assert_int_equal(status, NB_ERROR_MEMORY);
        assert_null(copy);
    }
    nb_delassus_matrix_destroy(d);
}

RUN_TESTS(test_product, test_diagonal_pattern_and_values, test_blocks_and_groups_are_copied, test_no_rows,
          test_failed_allocations)
