/* The table of timings of an open record (private to results/); what stands where: schema.md. */
#ifndef NB_RESULTS_TIMINGS_H
#define NB_RESULTS_TIMINGS_H

#include <hdf5.h>

#include "base/status.h"
#include "record/timing.h"

/* `count` rows, at least one, into the empty group. */
nb_status nb_write_timings(hid_t group, const nb_timing *timings, int count);

/* *timings [*count] is allocated; NB_ERROR_INPUT where the group is not what nb_write_timings makes. */
nb_status nb_read_timings(hid_t group, nb_timing **timings, int *count);

#endif
