/* Small dense symmetric blocks, by rows: factorised and solved with. One source for C and CUDA (private to solvers and
 * cuda). */
#ifndef NB_SOLVERS_SYMMETRIC_BLOCK_H
#define NB_SOLVERS_SYMMETRIC_BLOCK_H

#include <stdint.h>

#include "base/features.h"

/* what becomes of a pivot that is round-off against its diagonal entry */
typedef enum nb_block_pivot {
    NB_PIVOT_SKIP,   /* its unknown is left alone */
    NB_PIVOT_REPLACE /* it is taken to be the size of that entry, so that the inverse stays positive definite */
} nb_block_pivot;

/* L D L^T of the symmetric n x n matrix a, in place: L below the diagonal, D^-1 on it. Only the lower triangle is read.
 * A row whose diagonal is zero is left alone. */
NB_FN void nb_block_factorize_symmetric(int32_t n, real *a, nb_block_pivot rule) {
    const real least = 64 * NB_REAL_EPSILON;
    for (int32_t j = 0; j < n; j++) {
        real *row = a + (int64_t)j * n, diagonal = NB_ABS(row[j]);
        for (int32_t k = 0; k < j; k++) row[j] -= row[k] * row[k] * a[(int64_t)k * n + k];
        if (!(row[j] > least * diagonal)) row[j] = rule == NB_PIVOT_REPLACE ? diagonal : 0;
        for (int32_t i = j + 1; i < n; i++) {
            real *below = a + (int64_t)i * n;
            for (int32_t k = 0; k < j; k++) below[j] -= below[k] * a[(int64_t)k * n + k] * row[k];
            below[j] = row[j] > 0 ? below[j] / row[j] : 0;
        }
    }
    for (int32_t j = 0; j < n; j++) {
        real *pivot = &a[(int64_t)j * n + j];
        *pivot = *pivot > 0 ? 1 / *pivot : 0;
    }
}

/* x = A^-1 x by that factor */
NB_FN void nb_block_solve_symmetric(int32_t n, const real *l, real *x) {
    for (int32_t i = 0; i < n; i++)
        for (int32_t k = 0; k < i; k++) x[i] -= l[(int64_t)i * n + k] * x[k];
    for (int32_t i = 0; i < n; i++) x[i] *= l[(int64_t)i * n + i];
    for (int32_t i = n - 1; i >= 0; i--)
        for (int32_t k = i + 1; k < n; k++) x[i] -= l[(int64_t)k * n + i] * x[k];
}

#endif
