/* Splitting a symmetric sparse matrix at its diagonal (private to solvers/precond). */
#ifndef NB_PRECOND_TRIANGULAR_H
#define NB_PRECOND_TRIANGULAR_H

#include "system/csr.h"

#define nb_diagonal_places NB_REAL_NAME(nb_diagonal_places)

/* place[i]: where the diagonal entry of row i stands in the matrix */
void nb_diagonal_places(const nb_csr *matrix, int64_t *place);

#endif
