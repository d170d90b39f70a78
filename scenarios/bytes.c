#include "bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

nb_status nb_bytes_read(const char *path, char **data, int64_t *size) {
    nb_status status = NB_OK;
    struct stat info;
    int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* a pipe shall not make it wait */
    *size = 0;
    *data = NULL;
    if (file < 0 || fstat(file, &info) != 0)
        NB_TRY(nb_fail(NB_ERROR_IO, "cannot read '%.300s': %s", path, strerror(errno)));
    if (!S_ISREG(info.st_mode)) NB_TRY(nb_fail(NB_ERROR_IO, "cannot read '%.300s': it is no regular file", path));
    NB_TRY(NB_ALLOCATE((int64_t)info.st_size, data));
    while (*size < info.st_size) {
        ssize_t got = read(file, *data + *size, (size_t)(info.st_size - *size));
        if (got < 0) NB_TRY(nb_fail(NB_ERROR_IO, "cannot read '%.300s': %s", path, strerror(errno)));
        if (got == 0) break;
        *size += got;
    }
out:
    if (file >= 0) close(file);
    return status;
}
