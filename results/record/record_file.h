/* What merging needs of open records beyond record.h (private to results/). */
#ifndef NB_RESULTS_RECORD_FILE_H
#define NB_RESULTS_RECORD_FILE_H

#include <hdf5.h>

#include "base/status.h"
#include "record/provenance.h"

struct nb_record;
struct nb_record_reader;

enum {
    NB_RUN_NAME = 16,           /* bytes of a run's name */
    NB_RECORD_MOST_RUNS = 65536 /* that a reader finds */
};

/* The name of run `i` in /runs: of so many digits, so that names sort as runs do. */
void nb_record_run_name(char name[NB_RUN_NAME], int i, int digits);

/* Digits of the names in /runs: 4, or 5 where a record is to have more than 10,000. */
int nb_record_digits(hid_t runs);

/* that of the run that is written next */
void nb_record_next_name(const struct nb_record *record, char name[NB_RUN_NAME]);

/* the group /runs; borrowed */
hid_t nb_record_file_runs(const struct nb_record *record);
hid_t nb_record_reader_runs(const struct nb_record_reader *reader);

/* Reserves so many bytes on the disk, and some for attributes. NB_ERROR_IO where there are not as many. */
nb_status nb_record_file_reserve(const struct nb_record *record, int64_t bytes);

/* What a write into the record came to: `status`, whose message names the record where it is NB_ERROR_IO. */
nb_status nb_record_file_outcome(struct nb_record *record, nb_status status);

/* Flushes, and gives back what was reserved and not needed. */
nb_status nb_record_file_flush(struct nb_record *record);

/* One more run stands in /runs: links its states, and counts it. */
nb_status nb_record_file_counted(struct nb_record *record);

/* Adds a provenance as the next of /provenance/NNNN; *place is its number. */
nb_status nb_record_file_add_provenance(struct nb_record *record, const char *created, const char *command,
                                        const nb_provenance *provenance, int32_t *place);

#endif
