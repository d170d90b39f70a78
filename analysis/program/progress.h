/* Progress on standard error: a bar on a terminal, plain lines elsewhere, with the time so far and, where runs that are
 * done tell it, the time left. */
#ifndef NB_PROGRAM_PROGRESS_H
#define NB_PROGRAM_PROGRESS_H

#include <stdint.h>

#include "plan.h"

/* one run of a command */
typedef struct nb_timed_run {
    int64_t kind;            /* the first run that is like it but for the seed */
    int64_t passes, repeats; /* to be begun yet: recorded passes and warm-ups; repetitions */
    double pass_s, repeat_s; /* [s] what those of its kind took, kept with the kind's first run; 0: none is done */
} nb_timed_run;

typedef struct nb_progress_bar {
    const nb_plan *plan;             /* borrowed */
    nb_timed_run *each;              /* [plan->count], owned */
    int64_t runs_done;               /* before the current pass */
    int64_t passes, passes_done;     /* with repetitions: to make in all, and made */
    int64_t at;                      /* the run of the pass in progress, or -1 */
    int repeat;                      /* 1: it is a repetition */
    int32_t first_step, step, steps; /* of it: done when the first was told of, by now, in all */
    char label[160];                 /* of it, as it is printed */
    int terminal;
    int32_t jobs;                             /* passes at a time */
    double begun, pass_begun, stepped, shown; /* clock [s]: of the first pass, of this one, of first_step, of the last
                                                 update */
} nb_progress_bar;

/* `done` [plan->count]: 1 for runs that are not made, as they are finished */
nb_status nb_progress_begin(nb_progress_bar *bar, const nb_plan *plan, const char *done, int32_t jobs);
void nb_progress_end(nb_progress_bar *bar);
/* Run `run` is passed over, for the record or (a warm-up) to be forgotten, or with `repeat` once more. */
void nb_progress_pass(nb_progress_bar *bar, int64_t run, int repeat, const char *label);
/* an nb_progress (run/request.h); the context is the bar */
void nb_progress_step(void *context, int32_t step, int32_t steps);
/* So many passes are under way side by side. */
void nb_progress_wait(nb_progress_bar *bar, int32_t busy);
/* A pass is over, with `whole` to its end; the bar is wiped away, so that a line can be printed. */
void nb_progress_pass_done(nb_progress_bar *bar, int whole);
/* The current run is over, with a word if it went wrong ("interrupted"), else NULL. Its repetitions may follow. */
void nb_progress_run_done(nb_progress_bar *bar, int64_t run, const char *trouble);
/* Run `run` failed: nothing more is made of it. */
void nb_progress_run_dropped(nb_progress_bar *bar, int64_t run);
/* A plain line of its own. */
void nb_progress_note(nb_progress_bar *bar, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* [s] until all runs [count] are made; NaN where that is unknown. Run `at` (-1: none) is being made, `repeat` once
 * more, for `elapsed` seconds by now, and takes `rest` more by its own steps (NaN: they do not tell). */
double nb_time_left(const nb_timed_run *runs, int64_t count, int64_t at, int repeat, double elapsed, double rest);

#endif
