/* What linear solves took to reach an energy error (private to analysis/). */
#ifndef NB_ANALYSIS_ENERGY_COST_H
#define NB_ANALYSIS_ENERGY_COST_H

#include "table/cost.h"

/* Step `step` until every linear solve of it had an energy error of at most `accuracy` times its solution's energy norm
 * (newton/solution_energy; of runs without it, times the error of x = 0); reached is 0 where one had not, or where the
 * record has no energy errors. Products, flops and seconds of a solve are its set-up, and of the rest the share of its
 * iterations. */
nb_cost nb_energy_cost_to(const nb_run *run, int32_t step, double accuracy);

#endif
