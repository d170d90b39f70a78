/* A Newton system as a folder of Matrix Market files. */
#ifndef NB_PROGRAM_EXPORT_FOLDER_H
#define NB_PROGRAM_EXPORT_FOLDER_H

#include "run/simulate.h"
#include "stored_system.h"

/* Writes A, b, H, J, C, S, g, h (.mtx) and system.json, which describes them and the run that `command` made, into the
 * folder `path`, which must not exist, or be empty, or with `force` hold nothing but such files. It appears whole or
 * not at all. */
nb_status nb_export_folder(const char *path, int force, const nb_stored_system *system, const nb_request *request,
                           const char *command);

/* Whether the folder may be written; NB_ERROR_USAGE where not. */
nb_status nb_export_check(const char *path, int force);

#endif
