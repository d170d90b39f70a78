/* The preconditioners of this folder, for table.c. */
#ifndef NB_PRECOND_PRECONDITIONERS_H
#define NB_PRECOND_PRECONDITIONERS_H

#include "preconditioner.h"

#define nb_precond_none NB_REAL_NAME(nb_precond_none)
#define nb_precond_jacobi NB_REAL_NAME(nb_precond_jacobi)
#define nb_precond_block_jacobi NB_REAL_NAME(nb_precond_block_jacobi)
#define nb_precond_ssor NB_REAL_NAME(nb_precond_ssor)
#define nb_precond_ic0 NB_REAL_NAME(nb_precond_ic0)

extern const nb_preconditioner_class nb_precond_none, nb_precond_jacobi, nb_precond_block_jacobi, nb_precond_ssor,
    nb_precond_ic0;

#endif
