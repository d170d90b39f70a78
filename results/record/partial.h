/* Files that appear whole or not at all: written under another name beside the target, and renamed at the
 * end. Where the target is a link to a file, that file is replaced and the link stays. */
#ifndef NB_RESULTS_PARTIAL_H
#define NB_RESULTS_PARTIAL_H

#include <stdio.h>

#include "base/status.h"

/* The name to write under, for the caller to free. NB_ERROR_IO where `path` cannot become a file
 * (nb_file_check_target). */
nb_status nb_partial_begin(const char *path, char **partial);

/* Renames `partial` to `path` where `written` is NB_OK, else removes it; returns `written` or the fault of renaming. */
nb_status nb_partial_end(nb_status written, const char *partial, const char *path);

/* A text file from its first byte to its last, by `write`. */
typedef nb_status nb_partial_writer(const void *context, FILE *file);
nb_status nb_partial_write(const char *path, nb_partial_writer *write, const void *context);

#endif
