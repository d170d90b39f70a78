#include "partial.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "record.h"

nb_status nb_partial_begin(const char *path, char **partial) {
    struct stat info;
    size_t size = strlen(path) + 32;
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode))
        return nb_fail(NB_ERROR_IO, "cannot write '%.300s': it is %s", path,
                       S_ISDIR(info.st_mode) ? "a folder" : "not a regular file");
    nb_status status = NB_ALLOCATE((int64_t)size, partial);
    if (status == NB_OK) snprintf(*partial, size, "%s.partial-%ld", path, (long)getpid());
    return status;
}

nb_status nb_partial_end(nb_status written, const char *partial, const char *path) {
    if (written == NB_OK && rename(partial, path) != 0)
        written = nb_fail(NB_ERROR_IO, "cannot write '%.300s': %s", path, strerror(errno));
    if (written != NB_OK) unlink(partial);
    return written;
}

int nb_record_set_aside(const char *path, char *kept, size_t size) {
    int length = snprintf(kept, size, "%s~", path);
    return length > 0 && (size_t)length < size && access(path, F_OK) == 0 && rename(path, kept) == 0;
}
