/* Products with a block diagonal of inverses (precond/block_diagonal.h) solve its dense blocks, in every instruction
 * set and for any sizes of blocks. */
#include "check.h"

#include <string.h>

#include "base/instruction_set.h"
#include "precond/block_diagonal.h"
#include "symmetric_block.h"

NB_PRECISIONS(f32, f64);

enum {
    MOST_BLOCKS = 70, /* two groups of the widest lanes, of pairs of blocks, and a part of a third */
    MOST_SIZE = 6,
    MOST_ROWS = MOST_SIZE * MOST_BLOCKS
};

/* the sizes of blocks, one after the other; the last one goes on */
static const char *const sizes[] = {"6", "3", "1", "63", "666663", "333361", "2", "16", "33333", "6666666666351"};

static real blocks[MOST_BLOCKS][MOST_SIZE * MOST_SIZE];

/* B B^T + 1, with B random */
static void make_block(uint64_t *seed, int n, real *a) {
    double b[MOST_SIZE][MOST_SIZE];
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) b[i][k] = test_random(seed, -1, 1);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = i == j;
            for (int k = 0; k < n; k++) sum += b[i][k] * b[j][k];
            a[i * n + j] = R(sum);
        }
}

static void make_diagonal(uint64_t *seed, int count, const char *size, int set, int32_t *start, nb_block_diagonal *d) {
    for (int i = 0, k = 0; i < count; i++, k += size[k + 1] != 0) start[i + 1] = start[i] + size[k] - '0';
    CHECK_OK(nb_block_diagonal_make(d, count, start, set));
    for (int i = 0; i < count; i++) {
        const int n = start[i + 1] - start[i];
        real *factor = d->factor + d->place[i];
        make_block(seed, n, blocks[i]);
        memcpy(factor, blocks[i], (size_t)(n * n) * sizeof *factor);
        nb_block_factorize_symmetric(n, factor, NB_PIVOT_REPLACE);
    }
    nb_block_diagonal_load(d);
}

/* A z is r, but for round-off */
static void check_solution(int count, const int32_t *start, const real *r, const real *z, const char *what) {
    for (int i = 0; i < count; i++)
        for (int n = start[i + 1] - start[i], k = 0; k < n; k++) {
            double sum = 0, size = fabs((double)r[start[i] + k]);
            for (int l = 0; l < n; l++) {
                const double product = (double)blocks[i][k * n + l] * (double)z[start[i] + l];
                sum += product;
                size += fabs(product);
            }
            if (!(fabs(sum - (double)r[start[i] + k]) <= 40 * (double)NB_REAL_EPSILON * size))
                fail_msg("%s, block %d of %d: row %d is %g, not %g", what, i, count, k, sum, (double)r[start[i] + k]);
        }
}

TEST(dense_blocks_are_solved) {
    static const char *const sets[] = {"baseline", "avx2", "avx512"};
    uint64_t seed = test_seed();
    nb_block_diagonal d = {0};
    for (int s = 0; s < 3; s++)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
            for (int count = 1; count <= MOST_BLOCKS; count += count < 9 ? 1 : 1 + (int)test_random(&seed, 0, 12)) {
                const int set = nb_instruction_set_named(sets[s]);
                int32_t start[MOST_BLOCKS + 1] = {0};
                real r[MOST_ROWS + 1], z[MOST_ROWS + 1];
                if (set < 0) continue;
                make_diagonal(&seed, count, sizes[k], set, start, &d);
                for (int i = 0; i < start[count]; i++) r[i] = R(test_random(&seed, -1, 1));
                z[start[count]] = 7;
                nb_block_diagonal_apply(&d, r, z);
                check_solution(count, start, r, z, sets[s]);
                assert_true(z[start[count]] == 7); /* nothing is written behind the last row */
            }
    nb_block_diagonal_clear(&d);
}

RUN_TESTS(dense_blocks_are_solved)
