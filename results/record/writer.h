/* Writes runs and attributes into an open record (private to results/); what stands where: schema.md. */
#ifndef NB_RESULTS_WRITER_H
#define NB_RESULTS_WRITER_H

#include <hdf5.h>

#include "record/fields.h"
#include "record/h5.h"
#include "record/run.h"

/* The members of the structure `from` as attributes of the object. */
nb_status nb_write_fields(hid_t object, const nb_field *fields, int count, const void *from);

/* The axis 0, 1, 2, ... as a data set of the group, and axes of the group as the dimension scales of its data set
 * `name`.
 */
nb_status nb_write_axis(hid_t group, const nb_meaning *meaning, int64_t count);
nb_status nb_attach_axes(hid_t group, const char *name, int rank, const nb_meaning *const axes[]);
/* The checksum of an object's texts as its attribute. */
nb_status nb_write_texts_checksum(hid_t object, uint64_t checksum);

/* The arrays of a state, those of `final`, into the group; of a problem file nothing. */
nb_status nb_write_snapshot(hid_t group, const nb_snapshot *snapshot);

/* The whole run into the empty group. On a fault the group holds half a run: the caller drops it. */
nb_status nb_write_run(hid_t group, const nb_run *run);

#endif
