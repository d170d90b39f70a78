/* A Newton system as a folder of Matrix Market files. */
#ifndef NB_PROGRAM_EXPORT_FOLDER_H
#define NB_PROGRAM_EXPORT_FOLDER_H

#include "simulate.h"
#include "stored_system.h"

/* Writes A, b, H, J, C, S, g, h (.mtx) and system.json, which describes them and the run that `command` made, into the
 * folder `path`, which must not exist, or be empty. It appears whole or not at all. */
nb_status nb_export_folder(const char *path, const nb_stored_system *system, const nb_request *request,
                           const char *command);

#endif
