/* Writes a run into an open record (private to results/); what stands where: schema.md. */
#ifndef NB_RESULTS_WRITER_H
#define NB_RESULTS_WRITER_H

#include <hdf5.h>

#include "record/run.h"

/* The whole run into the empty group. On a fault the group holds half a run: the caller drops it. */
nb_status nb_write_run(hid_t group, const nb_run *run, int32_t provenance);

#endif
