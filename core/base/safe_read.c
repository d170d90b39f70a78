#include "base/safe_read.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/child.h"

/* what the child says by its exit status; anything else is a death (a sanitizer's is 1) */
enum {
    READ_WELL = 40,
    REFUSED,
    PATIENCE = 5,                /* seconds of processor time that reading may take, */
    BYTES_A_SECOND = 1000 * 1000 /* and what a file adds to it by its size: full of small objects it takes a fifth */
};

/* a damaged file can keep the HDF5 library in an endless loop */
static void limit_time(off_t bytes) {
    rlim_t seconds = PATIENCE + (rlim_t)(bytes / BYTES_A_SECOND);
    setrlimit(RLIMIT_CPU, &(struct rlimit){seconds, seconds + 1});
}

typedef struct reading {
    const char *path;
    off_t bytes;
    nb_file_reader *read;
} reading;

static int try_in_child(const void *context, FILE *answer) {
    const reading *r = context;
    (void)answer;
    limit_time(r->bytes);
    return r->read(r->path) == NB_OK ? READ_WELL : REFUSED;
}

nb_status nb_safe_read(const char *path, nb_file_reader *read) {
    struct stat info;
    nb_child child;
    if (stat(path, &info) != 0) return nb_fail(NB_ERROR_IO, "cannot read '%.300s': %s", path, strerror(errno));
    if (!S_ISREG(info.st_mode)) return nb_fail(NB_ERROR_IO, "cannot read '%.300s': it is not a regular file", path);
    const reading r = {path, info.st_size, read};
    if (nb_child_start("read in", try_in_child, &r, NB_CHILD_SILENT | NB_CHILD_BOUND, &child) != NB_OK)
        return read(path); /* in this process, then */
    nb_child_await(&child, 0, NULL);
    int said = child.exit_status;
    nb_child_clear(&child);
    if (said == READ_WELL) return NB_OK;
    if (said == REFUSED) return read(path); /* once more, for its message */
    return nb_fail(NB_ERROR_INPUT, "'%.300s': so badly damaged that the HDF5 library fails on it", path);
}
