#include "run/blas.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/dense_room.h"

/* OpenBLAS's own, beside the BLAS interface; declared here because <cblas.h> may be another library's */
extern char *openblas_get_corename(void);
extern char *openblas_get_config(void);
extern void openblas_set_num_threads(int threads);

#define RESTARTED "NCPBENCH_BLAS_RESTARTED"

const char *nb_blas_core(void) {
    return openblas_get_corename();
}

const char *nb_blas_config(void) {
    return openblas_get_config();
}

int nb_blas_restarted(void) {
    return getenv(RESTARTED) != NULL;
}

/* whether address space is limited, and leaves no more than so many bytes */
static int is_space_below(double bytes) {
    struct rlimit space;
    unsigned long long pages = 0;
    if (getrlimit(RLIMIT_AS, &space) != 0 || space.rlim_cur == RLIM_INFINITY) return 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%llu", &pages) != 1) pages = 0;
    if (file) fclose(file);
    return (double)space.rlim_cur - (double)pages * (double)sysconf(_SC_PAGESIZE) <= bytes;
}

void nb_blas_set_threads(int threads) {
    const double spare = 0x1p30, of_thread = 0x1p20 * NB_DENSE_ROOM;
    openblas_set_num_threads(threads > 1 && is_space_below(spare + threads * of_thread) ? 1 : threads);
}

/* whether the first processor has all these features, each with a blank before it */
static int has_features(const char *const *features) {
    char line[8192] = "";
    FILE *file = fopen("/proc/cpuinfo", "r");
    if (!file) return 0;
    while (fgets(line, sizeof line, file) && strncmp(line, "flags", 5) != 0) line[0] = '\0';
    fclose(file);
    for (; *features; features++)
        if (!strstr(line, *features)) return 0;
    return 1;
}

static const char *suitable_core(void) {
    static const char *const avx512[] = {" avx512f", " avx512bw", " avx512dq", " avx512vl", NULL};
    static const char *const avx2[] = {" avx2", " fma", NULL};
    return has_features(avx512) ? "SkylakeX" : has_features(avx2) ? "Haswell" : NULL;
}

const char *nb_blas_better_core(void) {
    /* the core types without AVX; a processor with AVX2 is never one of them */
    static const char *const old[] = {"Prescott", "Core2",  "Penryn", "Dunnington",
                                      "Nehalem",  "Katmai", "Banias", "Atom"};
    for (size_t i = 0; i < sizeof old / sizeof *old; i++)
        if (strcasecmp(nb_blas_core(), old[i]) == 0) return suitable_core();
    return NULL;
}

/* OpenBLAS has started threads that may wait for memory for ever, and fork, exit() and dense algebra for them. What the
 * user wanted of them is no use there, and each run sets its own number. */
static int must_be_without_threads(void) {
    const char *threads = getenv("OPENBLAS_NUM_THREADS");
    struct rlimit space;
    if (threads && strcmp(threads, "1") == 0) return 0;
    return getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY;
}

/* Whether the command takes several threads and nobody said how they wait. OpenMP's (libgomp) try 300,000 times before
 * they sleep, at every barrier, for a thread that may have lost its processor to another program. */
static int must_bound_waiting(char **argv) {
    int several = 0;
    for (char **a = argv; *a; a++) {
        const char *value = strncmp(*a, "--threads", 9) != 0 ? NULL : (*a)[9] == '=' ? *a + 10 : a[1];
        several = several || (value && (atoi(value) > 1 || strchr(value, ','))); /* a list has one above 1 */
    }
    return several && !getenv("GOMP_SPINCOUNT") && !getenv("OMP_WAIT_POLICY");
}

void nb_blas_restart(char **argv) {
    const char *core = nb_blas_better_core();
    const int other_core = core && !getenv("OPENBLAS_CORETYPE") && !nb_blas_restarted(),
              bound = must_bound_waiting(argv);
    if (!other_core && !bound && !must_be_without_threads()) return;
    if (bound && setenv("GOMP_SPINCOUNT", "100", 0) != 0) return;
    if (other_core && (setenv("OPENBLAS_CORETYPE", core, 1) != 0 || setenv(RESTARTED, core, 1) != 0)) return;
    /* nb_blas_set_threads sets what a run uses; until then no thread shall wait about */
    if (setenv("OPENBLAS_NUM_THREADS", "1", must_be_without_threads()) == 0) execv("/proc/self/exe", argv);
    if (!other_core) return;
    unsetenv(RESTARTED); /* no restart: carry on, and warn in `info` and the record */
    unsetenv("OPENBLAS_CORETYPE");
}
