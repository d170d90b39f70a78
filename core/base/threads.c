#include "base/threads.h"

static int most = 1;

void nb_threads_set(int count) {
    most = count < 1 ? 1 : count > NB_MOST_THREADS ? NB_MOST_THREADS : count;
}

int nb_threads_for(int64_t size, int64_t least) {
    int64_t parts = size / least;
    return parts < 1 ? 1 : parts < most ? (int)parts : most;
}
