/* The linear solvers of this folder, for table.c. */
#ifndef NB_LINEAR_SOLVERS_H
#define NB_LINEAR_SOLVERS_H

#include "linear_solver.h"

#define nb_jacobi NB_REAL_NAME(nb_jacobi)
#define nb_gauss_seidel NB_REAL_NAME(nb_gauss_seidel)
#define nb_pcg NB_REAL_NAME(nb_pcg)
#define nb_pcr NB_REAL_NAME(nb_pcr)
#define nb_minres NB_REAL_NAME(nb_minres)
#define nb_cholesky NB_REAL_NAME(nb_cholesky)
#define nb_dense_cholesky NB_REAL_NAME(nb_dense_cholesky)
#define nb_ldl NB_REAL_NAME(nb_ldl)
#define nb_overhead NB_REAL_NAME(nb_overhead)

extern const nb_linear_solver_class nb_jacobi, nb_gauss_seidel, nb_pcg, nb_pcr, nb_minres, nb_cholesky,
    nb_dense_cholesky, nb_ldl, nb_overhead;

#endif
