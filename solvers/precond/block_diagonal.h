/* A block diagonal of inverses, each by its L D L^T (symmetric_block.h), and the product with it. Of the leading
 * blocks, as long as all have 6 rows, or all 3, a register takes one number of each of several blocks
 * (lanes/block_diagonal.c, compiled for every instruction set). Private to solvers/precond. */
#ifndef NB_PRECOND_BLOCK_DIAGONAL_H
#define NB_PRECOND_BLOCK_DIAGONAL_H

#include <stdint.h>

#include "base/real.h"
#include "base/status.h"

#define nb_block_diagonal NB_REAL_NAME(nb_block_diagonal)
#define nb_block_diagonal_make NB_REAL_NAME(nb_block_diagonal_make)
#define nb_block_diagonal_clear NB_REAL_NAME(nb_block_diagonal_clear)
#define nb_block_diagonal_load NB_REAL_NAME(nb_block_diagonal_load)
#define nb_block_diagonal_apply NB_REAL_NAME(nb_block_diagonal_apply)
#define nb_block_lanes NB_REAL_NAME(nb_block_lanes)

typedef struct nb_block_diagonal {
    int32_t count;
    const int32_t *start; /* [count + 1] first row of each block; the caller's */
    int64_t *place;       /* [count + 1] where its factor is */
    real *factor;         /* [place[count]] of each n x n, by rows, which the caller makes */
    /* private */
    int32_t leading, width; /* blocks that lanes solve; rows of each: 6, 3, or 0 */
    int set;                /* number of the instruction set (base/instruction_set.h) */
    real *value;            /* their factors, lane by lane */
} nb_block_diagonal;

/* z = P r of `groups` times 6 `lanes` rows. A group is `lanes` blocks of 6 rows, or pairs of blocks of 3. Of a group
 * `value` has the lower triangle of each factor by rows (of a pair one after the other), `lanes` numbers of each. */
typedef struct nb_block_lanes {
    int32_t lanes;
    void (*six)(int32_t groups, const real *value, const real *r, real *z);
    void (*three)(int32_t groups, const real *value, const real *r, real *z);
} nb_block_lanes;

/* Room for the blocks that begin at these rows, and lanes of an instruction set. *diagonal is zero, or was filled
 * before. The caller clears it, on a fault too. NB_ERROR_MEMORY. */
nb_status nb_block_diagonal_make(nb_block_diagonal *diagonal, int32_t count, const int32_t *start, int set);
void nb_block_diagonal_clear(nb_block_diagonal *diagonal);

/* takes over the factors, once they are made */
void nb_block_diagonal_load(nb_block_diagonal *diagonal);

/* z = P r, r and z apart. Allocates nothing. */
void nb_block_diagonal_apply(const nb_block_diagonal *diagonal, const real *r, real *z);

#endif
