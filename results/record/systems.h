/* The stored Newton systems of a run in an open record (private to results/). They can be large, so that only those
 * read them who want them. */
#ifndef NB_RESULTS_SYSTEMS_H
#define NB_RESULTS_SYSTEMS_H

#include <hdf5.h>

#include "record/run.h"

/* The group `systems` of a run that has some. */
nb_status nb_write_systems(hid_t run_group, const nb_run *run);

/* Whether the run keeps the system of this step and iteration; reads the one that *system names by them (cleared by the
 * caller). */
int nb_has_system(hid_t run_group, int32_t step, int32_t newton);
nb_status nb_read_system(hid_t run_group, nb_stored_system *system);

#endif
