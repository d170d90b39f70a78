/* Parts of the reader in files of their own (private to results/). */
#ifndef NB_RESULTS_READER_H
#define NB_RESULTS_READER_H

#include <hdf5.h>

#include "record/fields.h"
#include "record/run.h"

/* The attributes of the object as members of the structure `to`. */
nb_status nb_read_fields(hid_t object, const nb_field *fields, int count, void *to);
/* Whether the texts of an object are those that were written; where its checksum was deleted this cannot be told. */
nb_status nb_check_texts(hid_t object, uint64_t checksum);
/* The arrays of a state; nothing where there are none. Contacts are of its bodies. */
nb_status nb_read_snapshot(hid_t group, nb_snapshot *snapshot);

/* Adds the systems stored in the group of a run, in the order of steps and iterations. */
nb_status nb_read_systems(hid_t run_group, nb_run *run);

/* Whether the run keeps the system of this step and iteration; reads the one that *system names by them (cleared by the
 * caller). */
int nb_has_system(hid_t run_group, int32_t step, int32_t newton);
nb_status nb_read_system(hid_t run_group, nb_stored_system *system);

#endif
