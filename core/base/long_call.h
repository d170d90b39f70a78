/* Calls of libraries that take long and cannot be asked to stop, as factorizations: Ctrl-C shall end them soon, too. */
#ifndef NB_BASE_LONG_CALL_H
#define NB_BASE_LONG_CALL_H

#include "base/status.h"

typedef void nb_long_work(void *context);

/* work(context), here where it takes few operations, else in a thread of its own that this one waits for. Where the
 * command is interrupted before it ends: NB_ERROR_INTERRUPTED, the work is left to itself, and nothing is given back
 * any more (nb_memory_keep), for it may use all that it was given, which therefore has to be from nb_allocate, also
 * `context` and where results go. What libraries allocated is not to be freed, either, once nb_long_call_left. */
nb_status nb_long_call(double operations, nb_long_work *work, void *context);

/* 1: work was left to itself, and the process has to end by _exit. */
int nb_long_call_left(void);

/* The operations of a fill-reducing order, about: of a matrix with so many entries. */
static inline double nb_long_call_ordering(double entries) {
    return 3000 * entries;
}

#endif
