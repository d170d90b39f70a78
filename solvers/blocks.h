/* Small dense blocks of a system, by rows: taken out of entries, factorised and solved with (private to solvers). */
#ifndef NB_SOLVERS_BLOCKS_H
#define NB_SOLVERS_BLOCKS_H

#include <tgmath.h>

#include "base/csr.h"
#include "base/real.h"
#include "symmetric_block.h"

/* block = the n x n entries on the diagonal from row `first` on */
static inline void nb_block_copy(const nb_csr *a, int32_t first, int32_t n, real *block) {
    for (int64_t i = 0; i < (int64_t)n * n; i++) block[i] = 0;
    for (int32_t i = 0; i < n; i++)
        for (int64_t k = a->start[first + i]; k < a->start[first + i + 1]; k++) {
            int32_t j = a->column[k] - first;
            if (j >= 0 && j < n) block[(int64_t)i * n + j] = a->value[k];
        }
}

/* The row to take as pivot j of the rest of a: the one whose entry in column j is largest against the size of its row
 * (`scale`); where all are round-off, the row of which least is left. */
static inline int32_t nb_block_pivot_row(int32_t n, const real *a, int32_t j, const real *scale) {
    int32_t best = j, emptiest = j;
    real largest = 0, least = -1;
    for (int32_t i = j; i < n; i++) {
        real size = scale[i] > 0 ? fabs(a[(int64_t)i * n + j]) / scale[i] : 0, left = 0;
        for (int32_t k = j; k < n; k++) left = fmax(left, fabs(a[(int64_t)i * n + k]));
        if (size > largest) best = i, largest = size;
        if (least < 0 || left < least) emptiest = i, least = left;
    }
    return largest > 64 * NB_REAL_EPSILON ? best : emptiest;
}

/* L U of the n x n matrix a with rows exchanged, in place: L below the diagonal, U above, the reciprocals of its
 * diagonal on it. exchange[j] [n] is the row that changed places with row j; scale [n] is scratch. A pivot that is
 * round-off against its row is taken to be the size of that row; an empty row's unknown is left alone. */
static inline void nb_block_factorize(int32_t n, real *a, int32_t *exchange, real *scale) {
    for (int32_t i = 0; i < n; i++) {
        scale[i] = 0;
        for (int32_t k = 0; k < n; k++) scale[i] = fmax(scale[i], fabs(a[(int64_t)i * n + k]));
    }
    for (int32_t j = 0; j < n; j++) {
        int32_t best = exchange[j] = nb_block_pivot_row(n, a, j, scale);
        real *row = a + (int64_t)j * n, *other = a + (int64_t)best * n, size = scale[best];
        scale[best] = scale[j];
        for (int32_t k = 0; k < n && best != j; k++) {
            real kept = row[k];
            row[k] = other[k];
            other[k] = kept;
        }
        if (!(fabs(row[j]) > 64 * NB_REAL_EPSILON * size)) row[j] = row[j] < 0 ? -size : size;
        row[j] = row[j] != 0 ? 1 / row[j] : 0;
        for (int32_t i = j + 1; i < n; i++) {
            real *below = a + (int64_t)i * n;
            below[j] *= row[j];
            for (int32_t k = j + 1; k < n; k++) below[k] -= below[j] * row[k];
        }
    }
}

/* x = A^-1 x by that factor */
static inline void nb_block_solve(int32_t n, const real *lu, const int32_t *exchange, real *x) {
    for (int32_t i = 0; i < n; i++) {
        real kept = x[exchange[i]];
        x[exchange[i]] = x[i];
        x[i] = kept;
    }
    for (int32_t i = 0; i < n; i++)
        for (int32_t k = 0; k < i; k++) x[i] -= lu[(int64_t)i * n + k] * x[k];
    for (int32_t i = n - 1; i >= 0; i--) {
        for (int32_t k = i + 1; k < n; k++) x[i] -= lu[(int64_t)i * n + k] * x[k];
        x[i] *= lu[(int64_t)i * n + i];
    }
}

#endif
