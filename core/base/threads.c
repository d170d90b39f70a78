#include "base/threads.h"

/* OpenMP's; NULL where the compiler has none */
extern int omp_get_max_active_levels(void) __attribute__((weak));
extern void omp_set_max_active_levels(int levels) __attribute__((weak));

static int most = 1;

void nb_threads_set(int count) {
    most = count < 1 ? 1 : count > NB_MOST_THREADS ? NB_MOST_THREADS : count;
}

int nb_threads_for(int64_t size, int64_t least) {
    int64_t parts = size / least;
    return parts < 1 ? 1 : parts < most ? (int)parts : most;
}

int nb_threads_hold(void) {
    const int before = omp_get_max_active_levels ? omp_get_max_active_levels() : 0;
    nb_threads_release(0);
    return before;
}

void nb_threads_release(int before) {
    if (omp_set_max_active_levels) omp_set_max_active_levels(before);
}
