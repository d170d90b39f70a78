/* Runs of one record taken over into another, whole: what merging shards does (schema.md, /sweep). */
#ifndef NB_RESULTS_MERGE_H
#define NB_RESULTS_MERGE_H

#include "record/record.h"

/* Adds the provenance at this place of the reader's record as /provenance/NNNN, with its own command and moment, in
 * the order of the calls; *added is its place. */
nb_status nb_record_copy_provenance(nb_record *record, const nb_record_reader *reader, int place, int32_t *added);

/* Room on the disk for the runs that are to be copied: HDF5 cannot go on after a write that failed. NB_ERROR_IO where
 * there are not so many bytes. */
nb_status nb_record_reserve(nb_record *record, int64_t bytes);

/* Copies run i of the reader's record (H5Ocopy) as the next run, with its provenance at place `provenance`. Unlike runs
 * that are made, copies need not be on the disk one by one, but when all are (nb_record_end_copies). */
nb_status nb_record_copy_run(nb_record *record, const nb_record_reader *reader, int i, int32_t provenance);

/* All runs are copied: they go to the disk, and room that they did not need is given back. */
nb_status nb_record_end_copies(nb_record *record);

/* Whether two runs came to the same results: every dataset but for those that are in seconds, and the order of
 * repetitions. */
nb_status nb_record_same_results(const nb_record_reader *a, int i, const nb_record_reader *b, int j, int *same);

#endif
