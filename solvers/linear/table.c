#include <stddef.h>

#include "linear/pcr.h"

const nb_linear_solver_class *const nb_linear_solvers[] = {&nb_pcr, NULL};
