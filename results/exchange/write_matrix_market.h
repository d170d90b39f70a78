/* Writes matrices and vectors in the Matrix Market exchange format, with 17 digits, so that they read back bit by bit.
 * NB_ERROR_IO where that fails; an earlier file is then left as it was. */
#ifndef NB_RESULTS_WRITE_MATRIX_MARKET_H
#define NB_RESULTS_WRITE_MATRIX_MARKET_H

#include "base/status.h"
#include "stored_system.h"

/* By coordinates: `symmetric` (the lower triangle alone) where the matrix equals its transpose but for rounding, else
 * `general`. Stored zeros are kept. `comment` is one line. */
nb_status nb_matrix_market_write(const char *path, const nb_csr_f64 *matrix, const char *comment);

/* A rows x columns array; x [columns][rows]. */
nb_status nb_matrix_market_write_array(const char *path, int64_t rows, int64_t columns, const double *x,
                                       const char *comment);

#endif
