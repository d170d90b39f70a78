#include "safe_read.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "file/linear_problem.h"
#include "file/scene_file.h"
#include "record/record.h"
#include "run/child.h"
#include "run/scene_problem.h"

/* what the child says by its exit status; anything else is a death (a sanitizer's is 1) */
enum {
    READ_WELL = 40,
    REFUSED,
    PATIENCE = 5,                     /* seconds of processor time that reading may take, */
    BYTES_A_SECOND = 10 * 1000 * 1000 /* and what a file adds to it by its size */
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
    if (nb_scene_file_is(path)) return read(path); /* without that library */
    const reading r = {path, info.st_size, read};
    if (nb_child_start("read in", try_in_child, &r, NB_CHILD_SILENT, &child) != NB_OK)
        return read(path); /* in this process, then */
    nb_child_await(&child, 0, NULL);
    int said = child.exit_status;
    nb_child_clear(&child);
    if (said == READ_WELL) return NB_OK;
    if (said == REFUSED) return read(path); /* once more, for its message */
    return nb_fail(NB_ERROR_INPUT, "'%.300s': so badly damaged that the HDF5 library fails on it", path);
}

nb_status nb_read_record(const char *path) {
    nb_record_reader *reader = NULL;
    nb_timing *timings = NULL;
    int count;
    nb_status status;
    NB_TRY(nb_record_open(path, &reader));
    for (int i = 0; i < nb_record_run_count(reader) && status == NB_OK; i++) {
        nb_run *run = NULL;
        status = nb_record_read_run(reader, i, &run);
        nb_run_destroy(run);
    }
    if (status == NB_OK) status = nb_record_read_timings(reader, &timings, &count);
out:
    nb_free(timings);
    nb_record_reader_close(reader);
    return status;
}

nb_status nb_read_problem(const char *path) {
    if (nb_linear_problem_is(path)) {
        nb_linear_problem *linear = NULL;
        nb_status read = nb_linear_problem_read(path, NULL, &linear);
        nb_linear_problem_destroy(linear);
        return read;
    }
    nb_fclib_problem *problem = NULL;
    nb_status status = nb_problem_file_read(path, &problem);
    nb_fclib_destroy(problem);
    return status;
}
