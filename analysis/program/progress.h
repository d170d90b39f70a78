/* Progress on standard error: a bar with the time left on a terminal, plain lines elsewhere. */
#ifndef NB_PROGRAM_PROGRESS_H
#define NB_PROGRAM_PROGRESS_H

#include <stdint.h>

#include "run/forecast.h"

typedef struct nb_progress_bar {
    int64_t runs, runs_done;       /* in all, and before the current pass */
    nb_forecast forecast;          /* owned */
    const nb_forecast_work *works; /* [runs] how much a pass of each is */
    char label[160];               /* of the current pass */
    int terminal;
    double begun, pass_begun, shown; /* clock [s]: of the first pass, of this one, of the last sign given */
} nb_progress_bar;

/* Takes the forecast over. */
void nb_progress_begin(nb_progress_bar *bar, nb_forecast *forecast, const nb_forecast_work *works);
void nb_progress_end(nb_progress_bar *bar);
/* Run `run` is passed over, for the record or (a warm-up) to be forgotten, or with `repeat` once more. */
void nb_progress_pass(nb_progress_bar *bar, int64_t run, int repeat, const char *label);
/* an nb_progress (run/progress.h); the context is the bar */
void nb_progress_step(void *context, int32_t step, int32_t steps);
/* A pass is over; the bar is wiped away, so that a line can be printed. */
void nb_progress_pass_done(nb_progress_bar *bar);
/* The current run is over, with a word if it went wrong ("interrupted"), else NULL. Its repetitions may follow. */
void nb_progress_run_done(nb_progress_bar *bar, int64_t run, const char *trouble);
/* Run `run` failed: nothing more is made of it. */
void nb_progress_run_dropped(nb_progress_bar *bar, int64_t run);
/* A plain line of its own. */
void nb_progress_note(nb_progress_bar *bar, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
