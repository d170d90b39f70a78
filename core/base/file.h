/* Files by names that a user gives: what stands there may be a pipe that nobody serves, a device, or a link. */
#ifndef NB_BASE_FILE_H
#define NB_BASE_FILE_H

#include <stdio.h>

#include "base/status.h"

/* Opens a regular file to be read ('r') or written anew ('w'), in binary; never waits. NB_ERROR_IO where it cannot be
 * opened, or is a folder, a pipe or a device. *file is NULL then, else the caller closes it. */
nb_status nb_file_open(const char *path, char mode, FILE **file);

/* Whether a file may be put under this name: nothing stands there yet, or a regular file, or a link to one; and its
 * folder can be written to. NB_ERROR_IO with the reason otherwise. */
nb_status nb_file_check_target(const char *path);

/* Where the file to write really goes, for the caller to nb_free: a link to a file stays a link. Checks nothing. */
nb_status nb_file_resolve(const char *path, char **real);

/* The next name of a comma list: copies it to `path`, cut where it is too long, and moves *list behind it; 0 at the
 * end, when *list is NULL. What exists by the name that the whole rest makes is one file. */
enum {
    NB_FILE_NAME = 4096
};
int nb_file_list_next(const char **list, char path[NB_FILE_NAME]);

#endif
