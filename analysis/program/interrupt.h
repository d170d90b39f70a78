/* Ctrl-C and the like ask a long command to stop soon (base/interrupt.h), so that what is finished is kept. */
#ifndef NB_PROGRAM_INTERRUPT_H
#define NB_PROGRAM_INTERRUPT_H

#include "base/interrupt.h"

/* From now on SIGINT, SIGTERM and SIGHUP only set nb_interrupted. One that comes more than a second after the first
 * kills; sooner it is taken for the same wish. A closed pipe is a failed write and no longer the end: the record
 * matters more than the table. */
void nb_interrupt_catch(void);

#endif
