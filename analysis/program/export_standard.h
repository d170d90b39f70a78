/* export of a standard set: its problems in FCLIB's format, for other programs. */
#ifndef NB_PROGRAM_EXPORT_STANDARD_H
#define NB_PROGRAM_EXPORT_STANDARD_H

#include "base/status.h"

/* Writes NAME.hdf5 for every problem of the set (run/standard_set.h) into `folder`, which is made where it is not
 * there; each is held to its SHA-256 first, and without `force` nothing is written over. `line` is the command's. Ends
 * with the first fault; the files before it stay. */
nb_status nb_export_standard(const char *which, const char *folder, int force, const char *line);

#endif
