/* Parts of the reader in files of their own (private to results/). */
#ifndef NB_RESULTS_READER_H
#define NB_RESULTS_READER_H

#include <hdf5.h>

#include "run.h"

/* Adds the systems stored in the group of a run, in the order of steps and iterations. */
nb_status nb_read_systems(hid_t run_group, nb_run *run);

/* Whether the run keeps the system of this step and iteration; reads the one that *system names by them (cleared by the
 * caller). */
int nb_has_system(hid_t run_group, int32_t step, int32_t newton);
nb_status nb_read_system(hid_t run_group, nb_stored_system *system);

#endif
