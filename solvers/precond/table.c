/* All preconditioners, one line each: the order is that of `ncpbench list`. */
#include <stddef.h>

#include "preconditioner.h"

NB_PRECISIONS(f32, f64);

#define ENTRIES                    \
    ENTRY(nb_precond_none)         \
    ENTRY(nb_precond_jacobi)       \
    ENTRY(nb_precond_block_jacobi) \
    ENTRY(nb_precond_ssor)         \
    ENTRY(nb_precond_ic0)          \
    ENTRY(nb_precond_ict)          \
    ENTRY(nb_precond_block_ic)     \
    ENTRY(nb_precond_ilut)         \
    ENTRY(nb_precond_tree)         \
    ENTRY(nb_precond_chebyshev)    \
    ENTRY(nb_precond_schwarz)      \
    ENTRY(nb_precond_spectral)     \
    ENTRY(nb_precond_fsai)         \
    ENTRY(nb_precond_factor)       \
    ENTRY(nb_precond_schur)        \
    ENTRY(nb_precond_lu)

#define ENTRY(name) extern const nb_preconditioner_class NB_REAL_NAME(name);
ENTRIES
#undef ENTRY

#define ENTRY(name) &NB_REAL_NAME(name),
const nb_preconditioner_class *const nb_preconditioners[] = {ENTRIES NULL};
