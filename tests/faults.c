/* A library to be preloaded into ncpbench (LD_PRELOAD) by faults.py: counts the program's allocations and what it asks
 * of the disk, and makes the k-th of them fail.
 *
 * What is asked for stands in a file (variable NB_FAULTS) that every process maps, so that the counts go on over forks
 * and a restart. Allocations are those of core/base/memory.c, the only caller of aligned_alloc. Writes of streams are
 * met by giving fopen's and fdopen's streams functions of their own. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    ALLOCATION,
    DISK,
    KINDS
};

/* what a disk does after the operation that fails */
enum {
    ONCE,      /* goes on as if nothing had been */
    FULL,      /* has no more room */
    CUT_SHORT, /* likewise, and the first write that fails leaves half of its bytes */
};

/* the file; faults.py knows this layout */
typedef struct control {
    int64_t fail_at[KINDS]; /* 1: the first; 0: none */
    int64_t manner, error;
    atomic_llong count[KINDS], hits;
    char what[64]; /* the function that failed first */
} control;

static control *asked;

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("NB_FAULTS");
    if (!path || strcmp(program_invocation_short_name, "ncpbench") != 0) return;
    int file = open(path, O_RDWR | O_CLOEXEC);
    void *memory = file < 0 ? MAP_FAILED : mmap(NULL, sizeof *asked, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (file >= 0) close(file);
    if (memory != MAP_FAILED) asked = memory;
}

/* the function behind ours; a name of a function becomes a pointer to one by its bytes */
static void next(const char *name, void *function) {
    void *found = dlsym(RTLD_NEXT, name);
    memcpy(function, &found, sizeof found);
}

#define NEXT(name, result, ...)           \
    static result (*actual)(__VA_ARGS__); \
    if (!actual) next(#name, (void *)&actual)

/* The number of this event, where it shall fail (with errno set); else 0. */
int64_t nb_fault_event(int kind, const char *what);

int64_t nb_fault_event(int kind, const char *what) {
    if (!asked) return 0;
    int64_t number = atomic_fetch_add(&asked->count[kind], 1) + 1, at = asked->fail_at[kind];
    int fails = at > 0 && (asked->manner == ONCE ? number == at : number >= at);
    if (!fails) return 0;
    if (atomic_fetch_add(&asked->hits, 1) == 0) snprintf(asked->what, sizeof asked->what, "%s", what);
    errno = kind == DISK ? (int)asked->error : ENOMEM;
    return number;
}

/* ---- memory ---- */

void *aligned_alloc(size_t alignment, size_t bytes) {
    NEXT(aligned_alloc, void *, size_t, size_t);
    return nb_fault_event(ALLOCATION, "aligned_alloc") ? NULL : actual(alignment, bytes);
}

/* ---- files ---- */

static int is_regular(int file) {
    struct stat info;
    int kept = errno, regular = fstat(file, &info) == 0 && S_ISREG(info.st_mode);
    errno = kept;
    return regular;
}

/* how many of the bytes to write: all, half of them, or -1 for a fault */
static ssize_t allowed(int file, size_t bytes, const char *what) {
    if (!is_regular(file)) return (ssize_t)bytes;
    int64_t number = nb_fault_event(DISK, what);
    if (!number) return (ssize_t)bytes;
    return asked->manner == CUT_SHORT && number == asked->fail_at[DISK] && bytes > 1 ? (ssize_t)(bytes / 2) : -1;
}

ssize_t write(int file, const void *data, size_t bytes) {
    NEXT(write, ssize_t, int, const void *, size_t);
    ssize_t count = allowed(file, bytes, "write");
    return count < 0 ? -1 : actual(file, data, (size_t)count);
}

ssize_t pwrite(int file, const void *data, size_t bytes, off_t offset) {
    NEXT(pwrite, ssize_t, int, const void *, size_t, off_t);
    ssize_t count = allowed(file, bytes, "pwrite");
    return count < 0 ? -1 : actual(file, data, (size_t)count, offset);
}

ssize_t pwrite64(int file, const void *data, size_t bytes, off64_t offset) {
    return pwrite(file, data, bytes, offset);
}

int ftruncate(int file, off_t bytes) {
    NEXT(ftruncate, int, int, off_t);
    return nb_fault_event(DISK, "ftruncate") ? -1 : actual(file, bytes);
}

int ftruncate64(int file, off64_t bytes) {
    return ftruncate(file, bytes);
}

int truncate(const char *path, off_t bytes) {
    NEXT(truncate, int, const char *, off_t);
    return nb_fault_event(DISK, "truncate") ? -1 : actual(path, bytes);
}

int posix_fallocate(int file, off_t offset, off_t bytes) {
    NEXT(posix_fallocate, int, int, off_t, off_t);
    return nb_fault_event(DISK, "posix_fallocate") ? (int)asked->error : actual(file, offset, bytes);
}

int fsync(int file) {
    NEXT(fsync, int, int);
    return nb_fault_event(DISK, "fsync") ? -1 : actual(file);
}

int rename(const char *from, const char *to) {
    NEXT(rename, int, const char *, const char *);
    return nb_fault_event(DISK, "rename") ? -1 : actual(from, to);
}

int mkdir(const char *path, mode_t mode) {
    NEXT(mkdir, int, const char *, mode_t);
    return nb_fault_event(DISK, "mkdir") ? -1 : actual(path, mode);
}

int mkstemp(char *path) {
    NEXT(mkstemp, int, char *);
    return nb_fault_event(DISK, "mkstemp") ? -1 : actual(path);
}

int open(const char *path, int flags, ...) {
    NEXT(open, int, const char *, int, ...);
    va_list rest;
    va_start(rest, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    return flags & (O_CREAT | O_WRONLY | O_RDWR) && nb_fault_event(DISK, "open") ? -1 : actual(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    return open(path, flags, mode);
}

/* ---- streams that are written ---- */

enum {
    STREAMS = 64
};
static struct {
    FILE *stream;
    int file;
} streams[STREAMS];

static ssize_t stream_read(void *cookie, char *data, size_t bytes) {
    return read((int)(intptr_t)cookie, data, bytes);
}

/* as the C library's own streams do: on until all is written or something fails */
static ssize_t stream_write(void *cookie, const char *data, size_t bytes) {
    size_t done = 0;
    while (done < bytes) {
        ssize_t count = write((int)(intptr_t)cookie, data + done, bytes - done);
        if (count < 0) return (ssize_t)done;
        done += (size_t)count;
    }
    return (ssize_t)done;
}

static int stream_seek(void *cookie, off64_t *offset, int whence) {
    off_t reached = lseek((int)(intptr_t)cookie, *offset, whence);
    *offset = reached;
    return reached < 0 ? -1 : 0;
}

static int stream_close(void *cookie) {
    int file = (int)(intptr_t)cookie;
    for (int i = 0; i < STREAMS; i++)
        if (streams[i].stream && streams[i].file == file) streams[i].stream = NULL;
    return close(file);
}

static FILE *make_stream(int file, const char *mode) {
    cookie_io_functions_t functions = {stream_read, stream_write, stream_seek, stream_close};
    FILE *stream = file < 0 ? NULL : fopencookie((void *)(intptr_t)file, mode, functions);
    for (int i = 0; stream && i < STREAMS; i++) {
        if (streams[i].stream) continue;
        streams[i].stream = stream;
        streams[i].file = file;
        return stream;
    }
    return stream;
}

FILE *fopen(const char *path, const char *mode) {
    NEXT(fopen, FILE *, const char *, const char *);
    if (!asked || *mode != 'w') return actual(path, mode);
    return make_stream(open(path, O_CREAT | O_TRUNC | (strchr(mode, '+') ? O_RDWR : O_WRONLY), 0666), mode);
}

FILE *fopen64(const char *path, const char *mode) {
    return fopen(path, mode);
}

FILE *fdopen(int file, const char *mode) {
    NEXT(fdopen, FILE *, int, const char *);
    return asked && *mode == 'w' ? make_stream(file, mode) : actual(file, mode);
}

int fileno(FILE *stream) {
    NEXT(fileno, int, FILE *);
    for (int i = 0; i < STREAMS; i++)
        if (stream && streams[i].stream == stream) return streams[i].file;
    return actual(stream);
}
