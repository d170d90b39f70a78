/* Products with half of a symmetric matrix of blocks (operator/half_blocks.h) are those of its entries, in every
 * instruction set, and an operator uses them where its values are symmetric alone. */
#include "check.h"

#include <string.h>

#include "base/instruction_set.h"
#include "base/memory.h"
#include "operator/delassus_matrix.h"
#include "operator/half_blocks.h"

NB_PRECISIONS(f32, f64);

enum {
    MOST_BLOCKS = 40,
    MOST_ROWS = 6 * MOST_BLOCKS
};

/* `share` of the pairs of blocks are coupled */
static void make_matrix(uint64_t *seed, int blocks, int width, double share, nb_csr **matrix) {
    static double dense[MOST_ROWS][MOST_ROWS];
    const int rows = blocks * width;
    int64_t used = 0;
    memset(dense, 0, sizeof dense);
    for (int i = 0; i < blocks; i++)
        for (int j = i; j < blocks; j++) {
            if (i != j && test_random(seed, 0, 1) >= share) continue;
            for (int r = i * width; r < (i + 1) * width; r++)
                for (int c = j * width; c < (j + 1) * width; c++)
                    dense[r][c] = dense[c][r] = (double)R(test_random(seed, 1, 2));
        }
    CHECK_OK(nb_csr_create(rows, rows, (int64_t)rows * rows, matrix));
    nb_csr *a = *matrix;
    for (int r = 0; r < rows; r++) {
        for (int c = 0; c < rows; c++) {
            if (dense[r][c] == 0) continue;
            a->column[used] = c;
            a->value[used++] = R(dense[r][c]);
        }
        a->start[r + 1] = used;
    }
}

static void check_product(const nb_csr *a, const real *x, const real *y, const char *what) {
    for (int32_t r = 0; r < a->rows; r++) {
        double sum = 0, size = 0;
        for (int64_t k = a->start[r]; k < a->start[r + 1]; k++) {
            const double product = (double)a->value[k] * (double)x[a->column[k]];
            sum += product;
            size += fabs(product);
        }
        if (!(fabs((double)y[r] - sum) <= 40 * (double)NB_REAL_EPSILON * size))
            fail_msg("%s, %d rows: row %d is %g, not %g", what, (int)a->rows, (int)r, (double)y[r], sum);
    }
}

TEST(products_are_those_of_entries) {
    static const char *const sets[] = {"baseline", "avx2", "avx512"};
    uint64_t seed = test_seed();
    for (int blocks = 1; blocks <= MOST_BLOCKS; blocks += blocks < 8 ? 1 : 16)
        for (int width = 3; width <= 6; width += 3) {
            nb_csr *a;
            nb_half_blocks half = {0};
            real x[MOST_ROWS], y[MOST_ROWS];
            make_matrix(&seed, blocks, width, 0.3, &a);
            CHECK_OK(nb_half_blocks_make(&half, a));
            assert_int_equal(half.width * half.count, a->rows);
            assert_true(half.width >= width); /* blocks of 3 that come in pairs are blocks of 6 */
            nb_half_blocks_load(&half, a);
            for (int c = 0; c < a->rows; c++) x[c] = R(test_random(&seed, -1, 1));
            for (int s = 0; s < 3; s++) {
                const int set = nb_instruction_set_named(sets[s]), padded = half.width == 6 ? 8 : 4;
                if (set < 0) continue;
                memset(half.y, 0, (size_t)(half.count * padded) * sizeof *half.y);
                for (int r = 0; r < a->rows; r++) half.x[r / half.width * padded + r % half.width] = x[r];
                nb_half_block_product_of(set)(&half);
                for (int r = 0; r < a->rows; r++) y[r] = half.y[r / half.width * padded + r % half.width];
                check_product(a, x, y, sets[s]);
            }
            memset(y, 1, sizeof y);
            nb_half_blocks_apply(&half, x, y);
            check_product(a, x, y, "applied");
            nb_half_blocks_clear(&half);
            nb_csr_destroy(a);
        }
}

/* rows of other sizes, or with columns of their own */
TEST(other_matrices_are_refused) {
    uint64_t seed = test_seed();
    nb_csr *a;
    nb_half_blocks half = {0};
    make_matrix(&seed, 7, 1, 1, &a); /* 7 full rows */
    CHECK_OK(nb_half_blocks_make(&half, a));
    assert_int_equal(half.width, 0);
    nb_csr_destroy(a);
    make_matrix(&seed, 12, 1, 0.5, &a);
    CHECK_OK(nb_half_blocks_make(&half, a));
    assert_int_equal(half.width, 0);
    nb_csr_destroy(a);
    nb_half_blocks_clear(&half);
}

/* one entry of the lower half is spoiled: half of the matrix does not have it */
TEST(an_operator_halves_symmetric_values_alone) {
    uint64_t seed = test_seed();
    nb_csr *a;
    nb_delassus *d;
    real x[MOST_ROWS], y[MOST_ROWS], before;
    make_matrix(&seed, 5, 6, 1, &a);
    CHECK_OK(nb_delassus_matrix_create(a, 0, NULL, 0, NULL, &d));
    for (int c = 0; c < a->rows; c++) x[c] = R(test_random(&seed, 0.5, 1));
    CHECK_OK(nb_delassus_matrix_halve(d));
    nb_delassus_matrix_values(d, 1);
    d->type->apply(d, NULL, NULL, x, y);
    check_product(a, x, y, "symmetric");
    before = y[29];
    a->value[a->start[29]] += 1;
    d->type->apply(d, NULL, NULL, x, y);
    assert_true(y[29] == before); /* that is how one sees which product it was */
    nb_delassus_matrix_values(d, 0);
    d->type->apply(d, NULL, NULL, x, y);
    check_product(a, x, y, "unsymmetric");
    nb_delassus_matrix_destroy(d);
}

RUN_TESTS(products_are_those_of_entries, other_matrices_are_refused, an_operator_halves_symmetric_values_alone)
