/* Loaded by tests/locks.py: a file system that has no locks. The error is NB_TEST_LOCK_ERROR, a number. */
#include <errno.h>
#include <stdlib.h>
#include <sys/file.h>

int flock(int file, int operation) {
    const char *error = getenv("NB_TEST_LOCK_ERROR");
    (void)file;
    (void)operation;
    errno = error ? atoi(error) : ENOLCK;
    return -1;
}
