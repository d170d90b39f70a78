#include "base/mapped_array.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/memory.h"

/* a file from here on; and handed back in such pieces (whole pages on any machine) */
static const size_t piece = (size_t)1 << 20;

/* a file without a name, which ends with this process, or -1 */
static int make_file(size_t bytes) {
    char path[4096];
    const char *folder = getenv("TMPDIR");
    int length = snprintf(path, sizeof path, "%s/ncpbench-XXXXXX", folder && *folder ? folder : "/var/tmp");
    int file = length < (int)sizeof path ? mkstemp(path) : -1;
    if (file < 0) return -1;
    unlink(path);
    fcntl(file, F_SETFD, FD_CLOEXEC);
    if (posix_fallocate(file, 0, (off_t)bytes) == 0) return file;
    close(file);
    return -1;
}

/* from memory into a file; 0 where no file can be made */
static int move_out(nb_mapped_array *mapped, size_t bytes, void *pointer, size_t used) {
    void *old;
    int file = make_file(bytes);
    if (file < 0) return 0;
    void *base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (base == MAP_FAILED) {
        close(file);
        return 0;
    }
    memcpy(&old, pointer, sizeof old);
    if (old) memcpy(base, old, used);
    nb_free(old);
    *mapped = (nb_mapped_array){.base = base, .bytes = bytes, .file = file, .capacity = mapped->capacity};
    return 1;
}

static nb_status grow(nb_mapped_array *mapped, size_t bytes) {
    int error = posix_fallocate(mapped->file, (off_t)mapped->bytes, (off_t)(bytes - mapped->bytes));
    void *base = error ? MAP_FAILED : mremap(mapped->base, mapped->bytes, bytes, MREMAP_MAYMOVE);
    if (base == MAP_FAILED)
        return nb_fail(NB_ERROR_IO, "no room for the history of a long run: %s", strerror(error ? error : errno));
    mapped->base = base;
    mapped->bytes = bytes;
    return NB_OK;
}

/* what lies a whole piece behind the end is written and will not be looked at before the run is recorded */
static void rest_behind(nb_mapped_array *mapped, size_t used) {
    size_t end = used / piece * piece;
    if (end <= mapped->rested) return;
    madvise(mapped->base + mapped->rested, end - mapped->rested, MADV_DONTNEED);
    mapped->rested = end;
}

nb_status nb_mapped_array_reserve(nb_mapped_array *mapped, int64_t count, size_t size, void *pointer) {
    nb_status status;
    void *old;
    int64_t *capacity = &mapped->capacity;
    memcpy(&old, pointer, sizeof old);
    if (old && count <= *capacity) {
        if (mapped->base && count > 0) rest_behind(mapped, (size_t)(count - 1) * size);
        return NB_OK;
    }
    int64_t grown = *capacity < 8 ? 8 : 2 * *capacity;
    if (grown < count) grown = count;
    if (size == 0 || (uint64_t)grown > (uint64_t)INT64_MAX / size || (size_t)grown * size < piece)
        return nb_reserve(count, size, capacity, pointer);
    size_t bytes = (size_t)grown * size;
    if (mapped->base)
        NB_TRY(grow(mapped, bytes));
    else if (!move_out(mapped, bytes, pointer, (size_t)*capacity * size))
        return nb_reserve(count, size, capacity, pointer);
    memcpy(pointer, &mapped->base, sizeof mapped->base);
    *capacity = grown;
    return NB_OK;
out:
    return status;
}

void nb_mapped_array_rest(const nb_mapped_array *mapped) {
    if (mapped->base) madvise(mapped->base, mapped->bytes, MADV_DONTNEED);
}

void nb_mapped_array_free(nb_mapped_array *mapped, void *array) {
    if (mapped->base) {
        munmap(mapped->base, mapped->bytes);
        close(mapped->file);
    } else {
        nb_free(array);
    }
    *mapped = (nb_mapped_array){0};
}
