/* Passes of runs in processes of their own. Where plugins are loaded, every pass is made like this: a plugin that
 * crashes, ends the program, never returns or overwrites memory costs its own run, and neither the record nor the other
 * runs. That holds for all runs, so that what is compared is made under the same conditions, and no thread is started
 * before a process is forked. */
#ifndef NB_PROGRAM_ISOLATE_H
#define NB_PROGRAM_ISOLATE_H

#include "base/child.h"
#include "plugin/load.h"
#include "run/simulate.h"

/* How a pass ended. */
typedef enum nb_ending {
    NB_ENDED_WELL,
    NB_ENDED_REFUSED,     /* with a fault of its own: bad input, no memory */
    NB_ENDED_LATE,        /* it took too long */
    NB_ENDED_DEAD,        /* it crashed, or ended the program */
    NB_ENDED_INTERRUPTED, /* with this program: no result, and no fault */
} nb_ending;

/* A pass under way: private to isolate.c but for `child` and `deadline`. */
typedef struct nb_isolated {
    nb_child child;
    double deadline; /* of the clock [s]; INFINITY: none */
    const nb_request *request;
    nb_progress *progress;
    void *progress_context;
    nb_run *repeated;
    struct nb_plugin_place *place;
    double limit_s;         /* 0: none */
    const char *limit_name; /* the option that gave it */
} nb_isolated;

/* Starts one pass of a run in a process of its own: a new run (`repeated` NULL), or one more timed repetition of
 * `repeated`. It may take request->info.time_limit seconds (0: any). All that is given is borrowed until the end. */
nb_status nb_isolated_start(const nb_request *request, nb_progress *progress, void *progress_context, nb_run *repeated,
                            nb_isolated *pass);

/* Waits for its end, the deadline, or an interrupt (interrupt.h). *run is the run where it ended well, the one with its
 * repetition too, and NULL otherwise. A fault is NB_ERROR_INPUT with one line that names the class, its plugin and the
 * function that was running, or the pass's own. The request's contact problem is filled as well. */
nb_status nb_isolated_end(nb_isolated *pass, nb_run **run, nb_ending *ending);

/* Ends a pass at once; {0} allowed. */
void nb_isolated_clear(nb_isolated *pass);

/* nb_simulate, where there are plugins in a process of its own. An interrupt ends it at once: NB_OK and a run that is
 * not finished. */
nb_status nb_isolated_simulate(const nb_request *request, nb_run **run);

/* The most seconds that such a process may take, as the option --plugin-limit gives it; at first there is no limit. */
nb_status nb_isolated_limit(const char *text);

/* The options --plugin, whose value goes to nb_plugin_load, and --plugin-limit. */
enum {
    NB_PLUGIN_KEY = 600,
    NB_PLUGIN_LIMIT_KEY
};

/* lines of an argp table */
#define NB_PLUGIN_OPTION(group_number)                                                                                 \
    {                                                                                                                  \
        .name = "plugin", .key = NB_PLUGIN_KEY, .arg = "FILE",                                                         \
        .doc = "load solvers from a shared object or FILE.py; linear solvers, preconditioners, methods; may be given " \
               "several times "                                                                                        \
               "(and the "                                                                                             \
               "variable NCPBENCH_PLUGINS names some, with ':' between them)",                                         \
        .group = (group_number)                                                                                        \
    }

#define NB_PLUGIN_LIMIT_OPTION(group_number)                                                    \
    {                                                                                           \
        .name = "plugin-limit", .key = NB_PLUGIN_LIMIT_KEY, .arg = "S",                         \
        .doc = "end a run after so many seconds; with plugins [never]", .group = (group_number) \
    }

#endif
