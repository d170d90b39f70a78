/* export of a problem file: another's problem in FCLIB's format, or its checksum. */
#ifndef NB_PROGRAM_EXPORT_PROBLEM_H
#define NB_PROGRAM_EXPORT_PROBLEM_H

#include "base/status.h"
#include "file/fclib.h"

/* Reads the contact problem in `from`, of any format, and writes it to `to`: `global` as M, H, f, w, which a local
 * problem does not have (NB_ERROR_USAGE), else as W and q. `line` is the command's. */
nb_status nb_export_problem(const char *from, const char *to, int global, const char *line);

/* Prints a line with the SHA-256 of the numbers of the contact problem in `path`, a scene file's included
 * (file_data.h), and the path. */
nb_status nb_export_checksum(const char *path);

/* Writes NAME.hdf5 for every problem of the set (run/standard_set.h) into `folder`, which is made where it is not
 * there; each is held to its SHA-256 first, and without `force` nothing is written over. `line` is the command's. Ends
 * with the first fault; the files before it stay. */
nb_status nb_export_standard(const char *which, const char *folder, int force, const char *line);

#endif
