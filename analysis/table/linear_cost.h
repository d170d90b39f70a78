/* What linear solves took to reach an accuracy (private to analysis/). */
#ifndef NB_ANALYSIS_LINEAR_COST_H
#define NB_ANALYSIS_LINEAR_COST_H

#include "table/cost.h"

/* Step `step` until every linear solve of it was accurate: NB_OF_ENERGY, its energy error is at most `accuracy` times
 * its solution's energy norm (newton/solution_energy; of runs without it, times the error of x = 0); NB_OF_RESIDUAL,
 * its true residual times that of the initial guess, or without a history, as of islands, at its end. reached is 0
 * where one was not, or where the record has no such history. Products, flops and seconds of a solve are its set-up,
 * and of the rest the share of its iterations. NB_OF_MAP: as nb_cost_to. */
nb_cost nb_cost_of_error(const nb_run *run, int32_t step, nb_cost_error error, double accuracy);

/* Operations of Newton row `row`'s linear solve after k iterations, `share` of all, with those of assembly, set-up and
 * the vectors (10 per unknown and iteration, as pcg has; a direct solver has none). */
double nb_linear_flops(const nb_run *run, int64_t row, double k, double share);

#endif
