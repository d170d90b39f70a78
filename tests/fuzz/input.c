#include "input.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char path[256];

static void remove_file(void) {
    unlink(path);
}

const char *fuzz_file(const void *bytes, size_t size) {
    static int file = -1;
    if (file < 0) {
        const char *folder = getenv("TMPDIR");
        snprintf(path, sizeof path, "%s/ncpbench-fuzz-XXXXXX", folder ? folder : "/dev/shm");
        file = mkstemp(path);
        if (file < 0) abort();
        atexit(remove_file);
    }
    return ftruncate(file, 0) == 0 && pwrite(file, bytes, size, 0) == (ssize_t)size ? path : NULL;
}

void fuzz_check_status(nb_status status) {
    const char *message = nb_error_message();
    if (status == NB_OK) return;
    if (*message && !strchr(message, '\n')) return;
    fprintf(stderr, "status %d with the message '%s', which is not one line\n", (int)status, message);
    abort();
}

/* What HDF5 itself loses on a damaged file is not this project's. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) {
    return "leak:libhdf5\n";
}
