/* Files of their own, beside records: what one command found, with where it was found. */
#ifndef NB_RESULTS_RESULT_FILE_H
#define NB_RESULTS_RESULT_FILE_H

#include "base/member.h"
#include "record/provenance.h"

typedef struct nb_result_file {
    const char *schema; /* of version 2 */
    const char *inputs; /* what numbers of inputs mean */
    const char *command;
    const nb_provenance *provenance;
} nb_result_file;

/* Writes `data`, whose members these are, to the file `path`: whole, or not at all. NB_ERROR_IO where it cannot be. */
nb_status nb_result_file_write(const char *path, const nb_result_file *about, const nb_members *members,
                               const void *data);

/* Reads the members back into `data`, which is zero and the caller's to clear, on a fault too. NB_ERROR_INPUT where the
 * file has another schema or lacks a member. */
nb_status nb_result_file_read(const char *path, const char *schema, const nb_members *members, void *data);

#endif
