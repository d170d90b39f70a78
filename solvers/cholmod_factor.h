/* A sparse Cholesky factor by CHOLMOD, in double: symbolic once a pattern, numeric once the values change, with all
 * that a solve works with, so that later ones allocate nothing.
 *
 * Chen, Davis, Hager, Rajamanickam, "Algorithm 887: CHOLMOD", 2008. The supernodal module is GPL (see README). */
#ifndef NB_SOLVERS_CHOLMOD_FACTOR_H
#define NB_SOLVERS_CHOLMOD_FACTOR_H

#include <cholmod.h>
#include <stdint.h>

#include "base/status.h"

typedef struct nb_cholmod_factor {
    cholmod_common common;
    cholmod_sparse *matrix; /* [n x n] the upper triangle by rows: CHOLMOD reads its lower triangle by columns */
    cholmod_factor *factor;
    cholmod_dense *b, *x, *y, *e; /* [n] right-hand side and solution; y and e: CHOLMOD's workspace of a solve */
    cholmod_dense *many_b, *many_x, *many_y, *many_e; /* the same of several solves at once */
} nb_cholmod_factor;

/* To be called first; never fails. What is not positive definite shall fail, not pass as L D L^T. */
void nb_cholmod_factor_begin(nb_cholmod_factor *f);

/* Room for another pattern of n rows, with `entries` on and right of the diagonal, which the caller fills: matrix->p
 * [n + 1], matrix->i and matrix->x [entries]. NB_ERROR_MEMORY. */
nb_status nb_cholmod_factor_reserve(nb_cholmod_factor *f, int32_t n, int64_t entries);

/* Orders and analyses the pattern. NB_ERROR_MEMORY. */
nb_status nb_cholmod_factor_analyse(nb_cholmod_factor *f);

/* Factorises the values. *failed is the row where the matrix is not positive definite, in its own order; -1: it is.
 * NB_ERROR_MEMORY. */
nb_status nb_cholmod_factor_make(nb_cholmod_factor *f, int32_t *failed);

/* x from b, once it was made. NB_ERROR_MEMORY, of the first solve alone, which `make` does. */
nb_status nb_cholmod_factor_solve(nb_cholmod_factor *f);

/* Room for `columns` right-hand sides at once: many_b [columns][n]. NB_ERROR_MEMORY. */
nb_status nb_cholmod_factor_reserve_many(nb_cholmod_factor *f, int columns);

/* many_x from the first so many columns of many_b, once it was made. NB_ERROR_MEMORY, of the first with so many alone.
 */
nb_status nb_cholmod_factor_solve_many(nb_cholmod_factor *f, int columns);

/* the matrix's row that is `place`-th in the order of elimination */
int32_t nb_cholmod_factor_row(const nb_cholmod_factor *f, int64_t place);

void nb_cholmod_factor_end(nb_cholmod_factor *f);

#endif
