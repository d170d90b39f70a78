/* A linear system A x = b from files in Matrix Market's or PETSc's binary format, with one or several right-hand sides.
 */
#ifndef NB_SCENARIOS_LINEAR_PROBLEM_H
#define NB_SCENARIOS_LINEAR_PROBLEM_H

#include <stddef.h>

#include "base/csr.h"
#include "base/status.h"

typedef struct nb_linear_problem {
    nb_csr_f64 *a;    /* square */
    double asymmetry; /* largest |a_ij - a_ji| over sqrt(a_ii a_jj), or over the larger of the two; 0: round-off */
    double *b;        /* [columns][rows] right-hand sides, one after the other */
    int32_t columns;
} nb_linear_problem;

/* 1 where the path ends in .mtx or .petsc, or the file begins as a Matrix Market file does */
int nb_linear_problem_is(const char *path);

/* The matrix of the folder that `export` wrote, FOLDER/A.petsc or A.mtx, in `path`, which is at most size - 1 bytes
 * long; 0 where it is no such folder. */
int nb_linear_problem_in_folder(const char *folder, char *path, size_t size);

/* What stands for b = A (1, 1, .., 1) in place of a file's name, and where a person reads it */
#define NB_LINEAR_ONES "ones"
#define NB_LINEAR_ONES_SHOWN "A 1"

/* The files with the right-hand sides of the matrix in `path`, which the caller frees; NULL: b = A (1, 1, .., 1). It is
 * `given`, a comma list, where that is not NULL (NULL for NB_LINEAR_ONES); else, where there is one in the same folder,
 * NAME_b.mtx of a matrix NAME.mtx (the SuiteSparse collection), and b.mtx of A.mtx (`export`); and so with .petsc. */
nb_status nb_linear_problem_find_rhs(const char *path, const char *given, char **rhs);

/* The right-hand sides are the columns of the n x k matrices of `rhs_files`, a comma list; NULL: b = A (1, 1, .., 1).
 * Faults as for nb_matrix_market_read, and
 * NB_ERROR_INPUT where A is not square or b does not fit. The caller destroys the problem. */
nb_status nb_linear_problem_read(const char *path, const char *rhs_files, nb_linear_problem **problem);
void nb_linear_problem_destroy(nb_linear_problem *problem); /* NULL allowed */

#endif
