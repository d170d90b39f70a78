#include "bandwidth.h"

#include <math.h>
#include <stddef.h>

#include "base/clock.h"

enum {
    TRIALS = 7,
    CACHES = 8 /* a copy over so many of them leaves little in them */
};
static const double trial_bytes = 2e9; /* moved in a trial, so that launches and waits count little on a GPU */
static const double trial_s = 5e-3;    /* which is enough where the memory is slow */

/* seconds of a copy, as the mean over `rounds` */
static nb_status time_copies(const nb_runtime *runtime, void *to, const void *from, int64_t bytes, int rounds,
                             double *seconds) {
    nb_status status;
    NB_TRY(runtime->wait());
    double start = nb_clock_seconds();
    for (int i = 0; i < rounds; i++) NB_TRY(runtime->copy(to, from, bytes));
    NB_TRY(runtime->wait());
    *seconds = (nb_clock_seconds() - start) / rounds;
out:
    return status;
}

nb_status nb_runtime_bandwidth(const nb_runtime *runtime, double bytes, double *gb_s) {
    nb_status status;
    void *memory = NULL;
    double seconds, best = INFINITY, least = CACHES * (double)runtime->cache_bytes();
    int64_t half = (int64_t)(fmax(fmax(bytes, least), 4096) / 2);
    NB_TRY(runtime->allocate(2 * half, &memory));
    char *to = memory, *from = to + half;
    NB_TRY(runtime->clear(memory, 2 * half));
    NB_TRY(time_copies(runtime, to, from, half, 1, &seconds));
    int rounds = (int)fmax(1, fmin(trial_bytes / (2 * (double)half), trial_s / fmax(seconds, 1e-9)));
    for (int trial = 0; trial < TRIALS; trial++) {
        NB_TRY(time_copies(runtime, to, from, half, rounds, &seconds));
        best = fmin(best, seconds);
    }
    *gb_s = 1e-9 * 2 * (double)half / best;
out:
    runtime->free(memory);
    return status;
}
