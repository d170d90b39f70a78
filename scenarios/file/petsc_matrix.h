/* Reads matrices and vectors in PETSc's binary format, as `export --format petsc` and PETSc's MatView write them:
 * big-endian, whole numbers of 32 bits, reals of 64. Memory is bounded by the size of the file, whatever its header
 * claims. Source: PETSc manual, MatLoad. */
#ifndef NB_SCENARIOS_PETSC_MATRIX_H
#define NB_SCENARIOS_PETSC_MATRIX_H

#include "base/csr.h"
#include "base/status.h"

/* 1 where the path ends in .petsc */
int nb_petsc_matrix_is(const char *path);

/* A vector is a matrix of one column. NB_ERROR_IO where the file cannot be read, NB_ERROR_INPUT where it is none, is
 * cut short, or holds columns out of order or numbers that are not finite. The caller destroys *matrix, which is NULL
 * on a fault. */
nb_status nb_petsc_matrix_read(const char *path, nb_csr_f64 **matrix);

#endif
