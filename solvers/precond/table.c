#include <stddef.h>

#include "precond/preconditioners.h"

const nb_preconditioner_class *const nb_preconditioners[] = {
    &nb_precond_none, &nb_precond_jacobi, &nb_precond_block_jacobi, &nb_precond_ssor, &nb_precond_ic0, NULL,
};
