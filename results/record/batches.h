/* Checks, and the batch of a run, in an open record (private to results/); what stands where: schema.md. */
#ifndef NB_RESULTS_BATCHES_H
#define NB_RESULTS_BATCHES_H

#include <hdf5.h>

#include "record/run.h"

/* The group `checks` of `parent`. */
nb_status nb_write_checks(hid_t parent, const nb_checks *checks);
nb_status nb_read_checks(hid_t parent, nb_checks *checks);

/* The group `batch` of a run that is one; of another, nothing. */
nb_status nb_write_batch(hid_t run_group, const nb_run *run);
nb_status nb_read_batch(hid_t run_group, nb_run *run);

#endif
