/* Makes the recorded states of a run a VTKHDF file's as well (private to results/). */
#ifndef NB_RESULTS_WRITE_STATES_H
#define NB_RESULTS_WRITE_STATES_H

#include <hdf5.h>

#include "record/run.h"

/* Adds to /states of the run's group, which is there, what VTK looks for; nothing where there is nothing to be seen. */
nb_status nb_write_states(hid_t run_group, const nb_run *run);

/* Makes /VTKHDF of the file, the name that VTK looks for, stand for the states of the run of this name where it has any
 * and no run before had. */
nb_status nb_link_states(hid_t file, const char *run);

#endif
