/* Steps that have several solutions with other velocities (core/errors.md, "The true error"): what a finished run
 * says of them. */
#ifndef NB_ANALYSIS_SOLUTIONS_H
#define NB_ANALYSIS_SOLUTIONS_H

#include "record/run.h"

/* Looks at the end of a run that has a reference. Where that is a solution apart from the reference, the last step has
 * two, whatever the reference's methods agreed on: the run's own becomes the second one, and the true errors of the
 * step's rows, which are then none, become their distances from the first one. */
nb_status nb_run_take_second_solution(nb_run *run);

#endif
