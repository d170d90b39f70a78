#include "base/long_call.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "base/interrupt.h"
#include "base/memory.h"

static const double few = 3e8; /* operations: a thread costs next to nothing beside more */

enum {
    PAUSE_NS = 50000000, /* between looks at nb_interrupted */
    SECOND_NS = 1000000000,
    STACK = 16 << 20
};

typedef struct call {
    nb_long_work *work;
    void *context;
    int ended;
    pthread_mutex_t lock;
    pthread_cond_t end;
} call;

static atomic_int left;

int nb_long_call_left(void) {
    return atomic_load(&left);
}

static void *run(void *of) {
    call *c = of;
    c->work(c->context);
    pthread_mutex_lock(&c->lock);
    c->ended = 1;
    pthread_cond_signal(&c->end);
    pthread_mutex_unlock(&c->lock);
    return NULL;
}

static int start(call *c, pthread_t *thread) {
    pthread_attr_t attributes;
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->end, NULL);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK);
    const int started = pthread_create(thread, &attributes, run, c) == 0;
    pthread_attr_destroy(&attributes);
    return started;
}

/* 0: interrupted before it ended */
static int await(call *c) {
    pthread_mutex_lock(&c->lock);
    while (!c->ended && nb_interrupted != 1) { /* not asked: tests count questions */
        struct timespec until;
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += PAUSE_NS;
        until.tv_sec += until.tv_nsec / SECOND_NS;
        until.tv_nsec %= SECOND_NS;
        pthread_cond_clockwait(&c->end, &c->lock, CLOCK_MONOTONIC, &until);
    }
    const int ended = c->ended;
    pthread_mutex_unlock(&c->lock);
    return ended;
}

nb_status nb_long_call(double operations, nb_long_work *work, void *context) {
    pthread_t thread;
    call *c = NULL;
    nb_status status = nb_interrupt_check();
    if (status != NB_OK) return status;
    if (operations < few) {
        work(context);
        return NB_OK;
    }
    status = NB_ALLOCATE(1, &c);
    if (status != NB_OK) return status;
    *c = (call){.work = work, .context = context};
    if (!start(c, &thread)) {
        work(context);
    } else if (await(c)) {
        pthread_join(thread, NULL);
    } else {
        nb_memory_keep();
        atomic_store(&left, 1);
        pthread_detach(thread);
        return nb_interrupt_check();
    }
    nb_free(c);
    return NB_OK;
}
