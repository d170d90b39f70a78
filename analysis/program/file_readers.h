/* What commands do with files from elsewhere before they rely on them (nb_safe_read). */
#ifndef NB_PROGRAM_FILE_READERS_H
#define NB_PROGRAM_FILE_READERS_H

#include "base/safe_read.h"

/* For records: the runs without their stored systems, and the timings; and all there is, which takes longer. */
nb_status nb_read_record(const char *path);
nb_status nb_read_whole_record(const char *path);

/* Whether a problem can be read: an FCLIB file, a Matrix Market system, or a scene, which takes no process of its own.
 */
nb_status nb_check_problem(const char *path);

#endif
