/* All linear solvers, one line each: the order is that of `ncpbench list`. */
#include <stddef.h>

#include "linear_solver.h"

NB_PRECISIONS(f32, f64);

#define ENTRIES              \
    ENTRY(nb_jacobi)         \
    ENTRY(nb_gauss_seidel)   \
    ENTRY(nb_pcg)            \
    ENTRY(nb_pcr)            \
    ENTRY(nb_minres)         \
    ENTRY(nb_gmres)          \
    ENTRY(nb_fgmres)         \
    ENTRY(nb_bicgstab)       \
    ENTRY(nb_cholesky)       \
    ENTRY(nb_dense_cholesky) \
    ENTRY(nb_ldl)            \
    ENTRY(nb_klu)            \
    ENTRY(nb_umfpack)        \
    ENTRY(nb_multifrontal)   \
    ENTRY(nb_overhead)

#define ENTRY(name) extern const nb_linear_solver_class NB_REAL_NAME(name);
ENTRIES
#undef ENTRY

#define ENTRY(name) &NB_REAL_NAME(name),
const nb_linear_solver_class *const nb_linear_solvers[] = {ENTRIES NULL};
