/* Checks of a run by its start and its steps. */
#ifndef NB_ANALYSIS_RUN_CHECKS_H
#define NB_ANALYSIS_RUN_CHECKS_H

#include "record/run.h"
#include "scenario.h"

/* What the run's method makes of contacts, by its recorded options (of one that is not here, what is usual), and
 * whether it begins with a record's state. */
nb_check_premises nb_run_check_premises(const nb_run_info *info);

/* Holds the run's start, and the penetration of all its steps, against what they may be; `last` is a step more, or
 * NULL. What a record of an earlier version does not hold is left out. */
void nb_run_check_steps(const nb_run *run, const double *last, const nb_scenario_class *scenario,
                        const nb_world *initial, nb_checks *checks);

#endif
