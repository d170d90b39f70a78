/* Whether to stop: asked in every loop that may take long, of iterations, pairs, rows of a file, and before and after a
 * factorisation, so that a command ends soon after Ctrl-C. To ask costs a look at one number.
 *
 * A function that returns an nb_status asks by nb_interrupt_check, whose fault goes up as any other does: what was
 * being made is dropped, and is no result. A loop in a function that cannot fail ends where nb_interrupt_requested
 * says so, and its caller checks before it uses what was made. The answer stays: whoever asks later is told the same.
 */
#ifndef NB_BASE_INTERRUPT_H
#define NB_BASE_INTERRUPT_H

#include <stdint.h>

#include "base/status.h"

extern volatile int nb_interrupted; /* 0: go on; 1: stop soon, as signal handlers set it; else see below */

int nb_interrupt_answer(void); /* private */

/* 1: stop */
static inline int nb_interrupt_requested(void) {
    return nb_interrupted ? nb_interrupt_answer() : 0;
}

/* NB_ERROR_INTERRUPTED where that was asked for. */
nb_status nb_interrupt_check(void);

/* For tests: from now on questions are counted, and the answer is 1 from question `at` on, counted from 1; 0: never. */
void nb_interrupt_count(int64_t at);
/* How many questions there were since then. */
int64_t nb_interrupt_asked(void);
/* Back to where nobody wants anything to stop. */
void nb_interrupt_forget(void);

#endif
