/* Writes matrices and vectors in PETSc's binary format (MatLoad, VecLoad; PETSc manual, MatView of a binary viewer):
 * big-endian, places of 32 bits, values of 64. NB_ERROR_IO where that fails, NB_ERROR_UNSUPPORTED where a matrix has
 * 2^31 entries or more; an earlier file is then left as it was. */
#ifndef NB_RESULTS_WRITE_PETSC_H
#define NB_RESULTS_WRITE_PETSC_H

#include "base/status.h"
#include "stored_system.h"

/* Stored zeros are kept. */
nb_status nb_petsc_write(const char *path, const nb_csr_f64 *matrix);
/* x [count] */
nb_status nb_petsc_write_vector(const char *path, int64_t count, const double *x);

#endif
