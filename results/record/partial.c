#include "record/partial.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "record/record.h"

nb_status nb_partial_begin(const char *path, char **partial) {
    nb_status status;
    char *real = NULL;
    *partial = NULL;
    NB_TRY(nb_file_check_target(path));
    NB_TRY(nb_file_resolve(path, &real));
    size_t size = strlen(real) + 32;
    NB_TRY(NB_ALLOCATE((int64_t)size, partial));
    snprintf(*partial, size, "%s.partial-%ld", real, (long)getpid());
out:
    nb_free(real);
    return status;
}

nb_status nb_partial_end(nb_status written, const char *partial, const char *path) {
    char *real = NULL;
    if (written == NB_OK) written = nb_file_resolve(path, &real);
    if (written == NB_OK && rename(partial, real) != 0)
        written = nb_fail(NB_ERROR_IO, "cannot write '%.300s': %s", path, strerror(errno));
    if (written != NB_OK) unlink(partial);
    nb_free(real);
    return written;
}

nb_status nb_partial_write(const char *path, nb_partial_writer *write, const void *context) {
    char *partial = NULL;
    nb_status status = nb_partial_begin(path, &partial);
    if (status != NB_OK) return status;
    FILE *file = fopen(partial, "w");
    if (file) status = write(context, file);
    int failed = !file || fflush(file) != 0 || ferror(file), cause = errno;
    if (file && fclose(file) != 0 && !failed) failed = 1, cause = errno;
    if (failed && status == NB_OK) status = nb_fail(NB_ERROR_IO, "cannot write '%.300s': %s", path, strerror(cause));
    status = nb_partial_end(status, partial, path);
    nb_free(partial);
    return status;
}

/* gives the file a second name; where the file system has no such thing, another one */
static int name_again(const char *path, const char *kept) {
    if (link(path, kept) == 0) return 1;
    if (errno == EEXIST || access(kept, F_OK) == 0) return 0;
    return rename(path, kept) == 0;
}

int nb_record_set_aside(const char *path, char *kept, size_t size) {
    enum {
        MOST = 10000
    };
    struct stat info;
    char *real = lstat(path, &info) == 0 && S_ISLNK(info.st_mode) ? realpath(path, NULL) : NULL;
    const char *from = real ? real : path;
    int length = snprintf(kept, size, "%s~", from), done = 0;
    for (int i = 2; i < MOST && length > 0 && (size_t)length < size && access(from, F_OK) == 0; i++) {
        done = name_again(from, kept);
        if (done || access(kept, F_OK) != 0) break;
        length = snprintf(kept, size, "%s~%d", from, i); /* one kept earlier stays as well */
    }
    if (!done) *kept = '\0';
    free(real);
    return done;
}

int nb_record_restore(const char *path, const char *kept) {
    struct stat now, before;
    if (stat(path, &now) != 0) return rename(kept, path) == 0;
    if (stat(kept, &before) != 0 || now.st_dev != before.st_dev || now.st_ino != before.st_ino) return 0;
    return unlink(kept) == 0;
}
