/* Writes tar archives in POSIX's ustar format. The bytes of the first file begin at 512, one of the places where HDF5
 * looks for its superblock: an archive whose first file is a record opens as this record.
 *
 * Source: POSIX.1-2017, pax, "ustar Interchange Format". */
#ifndef NB_RESULTS_WRITE_TAR_H
#define NB_RESULTS_WRITE_TAR_H

#include <stdint.h>

#include "base/status.h"

/* a file of an archive */
typedef struct nb_tar_file {
    const char *name, *path, *text; /* its bytes are those of the file `path`; with NULL those of `text` */
} nb_tar_file;

/* The files stand in `folder`, with this time of change [s since 1970]: equal files make equal archives. NB_ERROR_IO
 * where a file cannot be read or the archive not be written, NB_ERROR_UNSUPPORTED where one has 8 GiB or more, or a
 * name over 99 bytes (a folder over 154); an earlier file is then left as it was. */
nb_status nb_tar_write(const char *path, const char *folder, int64_t seconds, int count, const nb_tar_file *files);

#endif
