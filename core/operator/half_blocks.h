/* The half of a symmetric matrix of square blocks of 6 or of 3 rows, and the product with it: each block right of the
 * diagonal is read once and counts in its row and in its column. Of blocks of 6 rows a product moves 0.6 of the memory
 * that row_runs.h moves (lanes/half_blocks.c, compiled for every instruction set and picked like kernels.h). */
#ifndef NB_OPERATOR_HALF_BLOCKS_H
#define NB_OPERATOR_HALF_BLOCKS_H

#include "base/csr.h"
#include "base/real.h"

#define nb_half_blocks NB_REAL_NAME(nb_half_blocks)
#define nb_half_blocks_make NB_REAL_NAME(nb_half_blocks_make)
#define nb_half_blocks_clear NB_REAL_NAME(nb_half_blocks_clear)
#define nb_half_blocks_load NB_REAL_NAME(nb_half_blocks_load)
#define nb_half_blocks_apply NB_REAL_NAME(nb_half_blocks_apply)
#define nb_half_block_product NB_REAL_NAME(nb_half_block_product)
#define nb_half_block_product_of NB_REAL_NAME(nb_half_block_product_of)

enum {
    NB_HALF_BLOCK_SLACK = 8 /* numbers behind the last block that may be read */
};

typedef struct nb_half_blocks {
    int32_t count, width; /* blocks on the diagonal, rows of each: 6, 3, or 0 where the matrix is not such a one */
    int64_t *place;       /* [count + 1] in `column` */
    int32_t *column;      /* [place[count]] numbers of the blocks right of the diagonal, ascending in a row */
    real *value;          /* of each row of blocks: its own block, then those right of it, each by rows */
    real *x, *y;          /* [count][8 or 4] both sides of a product; zero behind the rows of x */
} nb_half_blocks;

/* y = A x, in half->x and half->y; y is zero before */
typedef void nb_half_block_product(const nb_half_blocks *half);

/* that of an instruction set, by its number (base/instruction_set.h) */
nb_half_block_product *nb_half_block_product_of(int set);

/* Of a pattern that is final and symmetric; the values are still to be loaded. *half is zero, or was filled before. The
 * caller clears it, on a fault too. */
nb_status nb_half_blocks_make(nb_half_blocks *half, const nb_csr *a);
void nb_half_blocks_clear(nb_half_blocks *half);

/* the values of that matrix, as long as width is not 0 */
void nb_half_blocks_load(nb_half_blocks *half, const nb_csr *a);

/* y = A x, x and y apart, on one thread. Allocates nothing. */
void nb_half_blocks_apply(const nb_half_blocks *half, const real *x, real *y);

#endif
