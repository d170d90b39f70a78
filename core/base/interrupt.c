#include "base/interrupt.h"

#include <signal.h>
#include <stdatomic.h>

enum {
    COUNTED = 2 /* nb_interrupted while questions are counted */
};

_Static_assert(_Generic((sig_atomic_t)0, int : 1, default : 0), "signal handlers write an int");

volatile int nb_interrupted;

static _Atomic int64_t asked, stops_at; /* batches ask in several threads */

int nb_interrupt_answer(void) {
    if (nb_interrupted != COUNTED) return nb_interrupted != 0;
    const int64_t now = atomic_fetch_add(&asked, 1) + 1, at = atomic_load(&stops_at);
    return at > 0 && now >= at;
}

nb_status nb_interrupt_check(void) {
    return nb_interrupt_requested() ? nb_fail(NB_ERROR_INTERRUPTED, "interrupted") : NB_OK;
}

void nb_interrupt_count(int64_t at) {
    atomic_store(&asked, 0);
    atomic_store(&stops_at, at);
    nb_interrupted = COUNTED;
}

int64_t nb_interrupt_asked(void) {
    return atomic_load(&asked);
}

void nb_interrupt_forget(void) {
    nb_interrupted = 0;
}
