/* Where plugins are loaded, each run is made in a process of its own: a plugin that crashes, ends the program, never
 * returns or overwrites memory costs its own run, and neither the record nor the other runs. That holds for all runs,
 * so that what is compared is made under the same conditions, and no thread is started before a process is forked. */
#ifndef NB_PROGRAM_ISOLATE_H
#define NB_PROGRAM_ISOLATE_H

#include "run/simulate.h"

/* nb_simulate_resumable; where there are plugins nb_simulate in a process of its own, without checkpoints. How such a
 * process died is NB_ERROR_INPUT with one line that names the class, its plugin and the function that was running. An
 * interrupt (interrupt.h) ends it at once: NB_OK and a run that is not finished. The request's contact problem is
 * filled as well. */
nb_status nb_isolated_simulate(const nb_request *request, nb_progress *progress, void *progress_context,
                               nb_checkpoint *checkpoint, int32_t index, nb_run **run);

/* nb_simulate_repeat in a process of its own; *run is replaced by the run with its repetition, and left as it is on a
 * fault or an interrupt. */
nb_status nb_isolated_repeat(const nb_request *request, nb_run **run);

/* How a pass in a process of its own ended. */
typedef enum nb_ending {
    NB_ENDED_WELL,
    NB_ENDED_REFUSED,     /* with a fault of its own: bad input, no memory */
    NB_ENDED_LATE,        /* it took too long */
    NB_ENDED_DEAD,        /* it crashed, or ended the program */
    NB_ENDED_INTERRUPTED, /* with this program: no result, and no fault */
} nb_ending;

/* One pass of a run in a process of its own, plugins or not: a new run (*run is NULL), or one more timed repetition of
 * *run, which is replaced by the run with it. It may take request->info.time_limit seconds (0: any). Where it does not
 * end well *run is left as it is; the fault is NB_ERROR_INPUT with one line, or the pass's own. */
nb_status nb_isolated_pass(const nb_request *request, nb_run **run, nb_ending *ending);

/* The most seconds that such a process may take, as the option --plugin-limit gives it; at first there is no limit. */
nb_status nb_isolated_limit(const char *text);

#endif
