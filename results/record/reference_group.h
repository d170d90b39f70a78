/* The converged solution of a run's last step in an open record (private to results/); what stands where: schema.md. */
#ifndef NB_RESULTS_REFERENCE_GROUP_H
#define NB_RESULTS_REFERENCE_GROUP_H

#include <hdf5.h>

#include "record/run.h"

/* The group `reference` of a run that has one; of another, nothing. */
nb_status nb_write_reference(hid_t run_group, const nb_reference_solution *reference);
nb_status nb_read_reference(hid_t run_group, nb_run *run);

#endif
