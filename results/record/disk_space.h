/* Disk space for a run, made sure of before HDF5 touches the record: a library file whose write failed half-way cannot
 * be mended, and would cost the runs that were already in it. */
#ifndef NB_RESULTS_DISK_SPACE_H
#define NB_RESULTS_DISK_SPACE_H

#include <stdint.h>

#include "record/run.h"

/* More bytes than the run can take in a record. */
int64_t nb_disk_space_of_run(const nb_run *run);

/* Extends the file by so many bytes that are there on the disk. NB_ERROR_IO where they are not (the file is as before);
 * the message names `shown`, the file as the user knows it. */
nb_status nb_disk_space_reserve(const char *path, const char *shown, int64_t bytes);

#endif
