/* Ctrl-C and the like: ask a long command to stop after the present step, so that what is finished is kept. */
#ifndef NB_PROGRAM_INTERRUPT_H
#define NB_PROGRAM_INTERRUPT_H

#include <signal.h>

extern volatile sig_atomic_t nb_interrupted; /* 1: stop soon */

/* From now on SIGINT, SIGTERM and SIGHUP only set nb_interrupted (a second one kills), and a closed pipe is a failed
 * write and no longer the end: the record matters more than the table. */
void nb_interrupt_catch(void);

#endif
