#include "dense_serial.h"

#include <pthread.h>

extern int openblas_get_num_threads(void);
extern void openblas_set_num_threads(int threads);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int inside, before; /* how many have begun; the threads that OpenBLAS had then */

void nb_dense_serial_begin(void) {
    pthread_mutex_lock(&lock);
    if (inside++ == 0) {
        before = openblas_get_num_threads();
        if (before != 1) openblas_set_num_threads(1);
    }
    pthread_mutex_unlock(&lock);
}

void nb_dense_serial_end(void) {
    pthread_mutex_lock(&lock);
    if (--inside == 0 && before != 1) openblas_set_num_threads(before);
    pthread_mutex_unlock(&lock);
}
