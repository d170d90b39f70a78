/* What a device brings to the solver cholesky (device.h): the factorisation itself and the triangular solves, in double
 * in every precision. The order of elimination is the caller's, and so is what is not numeric. */
#ifndef NB_LINEAR_DEVICE_CHOLESKY_H
#define NB_LINEAR_DEVICE_CHOLESKY_H

#include <stdint.h>

#include "base/status.h"

typedef struct nb_device_cholesky {
    nb_status (*create)(void **state);
    void (*destroy)(void *state); /* NULL allowed */
    /* A symmetric matrix of `rows` rows whose entry k, of `entries`, is at row[k] and column[k] <= row[k], in the order
     * of elimination; the rest of its lower triangle is zero. Only this allocates. */
    nb_status (*set_pattern)(void *state, int32_t rows, int64_t entries, const int32_t *row, const int32_t *column);
    /* A = L L^T of these values [entries]; *failed_row is the first whose pivot was not positive, or -1. */
    nb_status (*factorise)(void *state, const double *values, int32_t *failed_row);
    /* x = A^-1 b [rows], in the order of elimination; they may be the same */
    nb_status (*solve)(void *state, const double *b, double *x);
} nb_device_cholesky;

#endif
