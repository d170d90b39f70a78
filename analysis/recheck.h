/* Checks of a recorded run, computed anew from its final state. */
#ifndef NB_ANALYSIS_RECHECK_H
#define NB_ANALYSIS_RECHECK_H

#include "run.h"

/* Builds the run's scenario again from its recorded parameters and seed, and holds the recorded final state against the
 * scenario's known values and the invariants of every scene. A run of a stored problem has no scenario to build: its
 * recorded checks are copied, and *recomputed is 0. NB_ERROR_INPUT where the record does not fit the scenario. */
nb_status nb_run_recheck(const nb_run *run, nb_checks *checks, int *recomputed);

#endif
