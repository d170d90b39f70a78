/* Whether HDF5 files can be read to their end. The library itself can lose objects that it has in use when it closes a
 * file, and says nothing: what was written is only known to be there once it was read. */
#ifndef NB_RESULTS_WHOLE_H
#define NB_RESULTS_WHOLE_H

#include "base/status.h"

/* Opens every object, and reads every attribute and every number, a chunk at a time. Links to other files are not
 * followed. NB_ERROR_INPUT with the name of the first object that cannot be read. A badly damaged file can crash the
 * library (nb_safe_read). */
nb_status nb_whole_read(const char *path);

/* The same of a file that was just written, before it takes its place, in a process of its own. NB_ERROR_IO: "cannot
 * write 'SHOWN': ..." and how it cannot be read. */
nb_status nb_whole_written(const char *path, const char *shown);

#endif
