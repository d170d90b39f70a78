/* Timings as text: what `ncpbench bench -o FILE.tsv` leaves on a machine that has no HDF5, and `ncpbench import` makes
 * a record of. Lines of tab-separated cells:
 *
 *     # ncpbench-timings  1
 *     # title             ...       title, command, created and the fields of /provenance, one a line
 *     kernel precision ... fraction sample_0 ... sample_14
 *     ...                           one row a timing, as in the record's /bench
 *
 * In texts \t, \n, \r and \\ stand for a tab, ends of line and a backslash. Numbers have as many digits as bring the
 * same bits back. */
#ifndef NB_RESULTS_TIMING_TEXT_H
#define NB_RESULTS_TIMING_TEXT_H

#include "record/record.h"

typedef struct nb_timing_text {
    char *title, *command; /* owned */
    char created[64];
    nb_provenance provenance;
    nb_timing *rows; /* [count], owned */
    int64_t count;
} nb_timing_text;

/* Writes the file whole or not at all. */
nb_status nb_timing_text_write(const char *path, const nb_timing_text *text);

/* NB_ERROR_IO where the file cannot be read, NB_ERROR_INPUT with the line and what is wrong with it where it is no such
 * text. The caller clears *text, also after a fault. */
nb_status nb_timing_text_read(const char *path, nb_timing_text *text);
void nb_timing_text_clear(nb_timing_text *text);

#endif
