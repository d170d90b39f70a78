/* Checks of a recorded run, computed again from its final state. */
#ifndef NB_ANALYSIS_TABLE_RECHECK_H
#define NB_ANALYSIS_TABLE_RECHECK_H

#include "record/run.h"
#include "scenario.h"

/* Builds the world of a run again from its recorded parameters and seed. *scenario is NULL, and *world with it, for a
 * run of a stored problem, and of a scene file that is gone or changed. *values holds the scenario's parameters. The
 * caller destroys *world and frees *values (nb_free). NB_ERROR_INPUT where the record does not fit the scenario. */
nb_status nb_run_rebuild(const nb_run *run, const nb_scenario_class **scenario, double **values, nb_world **world);

/* Builds the run's scenario again from its recorded parameters and seed, and holds the recorded final state against the
 * scenario's known values and the invariants of every scene. A run of a stored problem has no scenario to build: its
 * recorded checks are copied, and *recomputed is 0. NB_ERROR_INPUT where the record does not fit the scenario. */
nb_status nb_run_recheck(const nb_run *run, nb_checks *checks, int *recomputed);

#endif
