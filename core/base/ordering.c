#include "base/ordering.h"

#include <pthread.h>

static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;

void nb_ordering_begin(void) {
    pthread_mutex_lock(&one);
}

void nb_ordering_end(void) {
    pthread_mutex_unlock(&one);
}
