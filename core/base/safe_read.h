/* Files tried out in a process of their own: the HDF5 library itself crashes on some damaged or hostile files or never
 * returns, and that shall be one line and an exit status as well. */
#ifndef NB_BASE_SAFE_READ_H
#define NB_BASE_SAFE_READ_H

#include "base/status.h"

/* Reads the whole file and lets go of it. */
typedef nb_status nb_file_reader(const char *path);

/* NB_OK where `read` gets through the file; else its fault, or NB_ERROR_INPUT where it dies of the file or takes more
 * processor time than any file of this size. What is no regular file (a folder, a pipe that would never end) is
 * NB_ERROR_IO. */
nb_status nb_safe_read(const char *path, nb_file_reader *read);

#endif
