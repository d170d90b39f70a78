#ifndef NB_LINEAR_PCR_H
#define NB_LINEAR_PCR_H
#include "linear_solver.h"
#define nb_pcr NB_REAL_NAME(nb_pcr)
extern const nb_linear_solver_class nb_pcr;
#endif
