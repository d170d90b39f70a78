#include "base/file_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

/* the file is not named: whatever its name holds would reach the terminal */
static void say_once(int error) {
    static int said;
    if (!__atomic_exchange_n(&said, 1, __ATOMIC_RELAXED))
        fprintf(stderr, "ncpbench: warning: the file system has no locks (%s): do not write one file by two commands\n",
                strerror(error));
}

nb_file_lock nb_file_lock_take(int file, int exclusive) {
    if (flock(file, (exclusive ? LOCK_EX : LOCK_SH) | LOCK_NB) == 0) return NB_FILE_LOCK_OURS;
    /* EACCES: as fcntl's locks, by which NFS makes these, may say it */
    if (errno == EWOULDBLOCK || errno == EACCES) return NB_FILE_LOCK_ELSEWHERE;
    say_once(errno); /* ENOLCK, ENOSYS, EOPNOTSUPP; and what else file systems that have none come up with */
    return NB_FILE_LOCK_NONE;
}

nb_status nb_file_lock_explain(const char *path, const char *shown, int exclusive, int *absent) {
    *absent = 0;
    int file = open(path, (exclusive ? O_RDWR : O_RDONLY) | O_NONBLOCK | O_CLOEXEC);
    if (file < 0) return NB_OK;
    nb_file_lock lock = nb_file_lock_take(file, exclusive);
    close(file);
    *absent = lock == NB_FILE_LOCK_NONE;
    if (lock != NB_FILE_LOCK_ELSEWHERE) return NB_OK;
    return nb_fail(NB_ERROR_IO, "cannot %s '%.300s': it is open elsewhere, by a program that %s it",
                   exclusive ? "write" : "read", shown, exclusive ? "uses" : "writes");
}
