/* With faults.c: makes malloc, calloc and realloc fail as well, where the caller lies in the library whose file name
 * contains the text of the variable NB_FAULTS_CALLER. For experiments by hand (faults.py --everywhere NAME), without
 * sanitizers: these functions stand before the C library's own. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t bytes);
extern void *__libc_realloc(void *old, size_t bytes);
extern int64_t nb_fault_event(int kind, const char *what);

static const char *meant;

__attribute__((constructor)) static void begin(void) {
    meant = getenv("NB_FAULTS_CALLER");
}

static int fails(void *caller) {
    static _Thread_local int within;
    Dl_info info;
    if (!meant || within) return 0;
    within = 1;
    int met = dladdr(caller, &info) && strstr(info.dli_fname, meant) &&
              nb_fault_event(0, info.dli_sname ? info.dli_sname : "malloc");
    within = 0;
    return met;
}

void *malloc(size_t bytes) {
    return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes) {
    return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(count, bytes);
}

void *realloc(void *old, size_t bytes) {
    return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(old, bytes);
}
