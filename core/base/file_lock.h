/* Locks of whole files between processes (flock). Some file systems have none: NFS without its lock daemon, Lustre
 * mounted without them. Work goes on there, and a line on standard error says so once a process. */
#ifndef NB_BASE_FILE_LOCK_H
#define NB_BASE_FILE_LOCK_H

#include "base/status.h"

typedef enum nb_file_lock {
    NB_FILE_LOCK_OURS,      /* until the file is closed */
    NB_FILE_LOCK_ELSEWHERE, /* another process has one */
    NB_FILE_LOCK_NONE       /* the file system has no locks */
} nb_file_lock;

/* Locks the open file against others that write it or, `exclusive`, that read or write it; never waits. An exclusive
 * lock takes a file that is open for writing (NFS). */
nb_file_lock nb_file_lock_take(int file, int exclusive);

/* Why a library that locks files by itself (HDF5, with flock) could not open this one. NB_ERROR_IO where another
 * process has it open, by a message that names `shown`; *absent is 1 where the file system has no locks, so that the
 * library may try without. 0 and NB_OK: locks are not the reason. */
nb_status nb_file_lock_explain(const char *path, const char *shown, int exclusive, int *absent);

#endif
