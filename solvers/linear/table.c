#include <stddef.h>

#include "linear/solvers.h"

const nb_linear_solver_class *const nb_linear_solvers[] = {
    &nb_jacobi, &nb_gauss_seidel, &nb_pcg, &nb_pcr, &nb_minres, &nb_cholesky, &nb_dense_cholesky, &nb_ldl, &nb_overhead,
    NULL,
};
