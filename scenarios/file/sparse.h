/* Matrices put together of blocks (private to scenarios/file). */
#ifndef NB_SCENARIOS_SPARSE_H
#define NB_SCENARIOS_SPARSE_H

#include "base/csr.h"

/* [a b] side by side; both have as many rows. The caller destroys the matrix. */
nb_status nb_csr_beside(const nb_csr_f64 *a, const nb_csr_f64 *b, nb_csr_f64 **matrix);
/* [a b; c d] */
nb_status nb_csr_of_blocks(const nb_csr_f64 *a, const nb_csr_f64 *b, const nb_csr_f64 *c, const nb_csr_f64 *d,
                           nb_csr_f64 **matrix);

#endif
