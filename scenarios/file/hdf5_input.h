/* Reading HDF5 files that may be damaged or hostile: every size and type is checked before it is used, and what a file
 * claims is held against the bytes it has (private to scenarios/file).
 *
 * Objects are named by their whole path. Links are followed within the file, and not into others, so that a file cannot
 * make others be read. What MATLAB and numpy write is taken for what it stands for: any numbers of at most 64 bits, and
 * shapes n x 1 and 1 x n. Filters are those of the HDF5 library, and plugins that it finds.
 * Faults are one line that names the file and the object: NB_ERROR_IO where the file cannot be read or is open
 * elsewhere, else NB_ERROR_INPUT. */
#ifndef NB_SCENARIOS_HDF5_INPUT_H
#define NB_SCENARIOS_HDF5_INPUT_H

#include <stdint.h>

#include "base/status.h"

typedef struct nb_hdf5_input nb_hdf5_input;

nb_status nb_hdf5_open(const char *path, nb_hdf5_input **input);
void nb_hdf5_close(nb_hdf5_input *input); /* NULL allowed */

/* the path the file was opened by, for messages */
const char *nb_hdf5_path(const nb_hdf5_input *input);

/* 1 where `group` (its whole path) holds something of this name, if only a link that leads nowhere */
int nb_hdf5_has(const nb_hdf5_input *input, const char *group, const char *name);

/* The dataset GROUP/NAME of whole numbers that fit 32 bits, in one dimension; the caller frees *values. */
nb_status nb_hdf5_read_integers(const nb_hdf5_input *input, const char *group, const char *name, int64_t *count,
                                int32_t **values);
/* The dataset GROUP/NAME of one integer. */
nb_status nb_hdf5_read_integer(const nb_hdf5_input *input, const char *group, const char *name, int32_t *value);
/* The dataset GROUP/NAME of numbers, in one dimension; a NaN or an infinity is refused. The caller frees *values. */
nb_status nb_hdf5_read_numbers(const nb_hdf5_input *input, const char *group, const char *name, int64_t *count,
                               double **values);
/* The text in GROUP/NAME, of which control characters become spaces; "" where there is none or it is no fixed-length
 * string of at most 64 KiB. The caller frees *text. */
nb_status nb_hdf5_read_text(const nb_hdf5_input *input, const char *group, const char *name, char **text);

#endif
