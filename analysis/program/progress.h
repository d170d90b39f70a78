/* Progress on standard error: a bar with the time left on a terminal, plain lines elsewhere. */
#ifndef NB_PROGRAM_PROGRESS_H
#define NB_PROGRAM_PROGRESS_H

#include <stdint.h>

typedef struct nb_progress_bar {
    int64_t runs, steps;           /* in all; the steps of warm-ups and repetitions count too */
    int64_t runs_done, steps_done; /* before the current pass */
    char label[160];               /* of the current pass */
    int terminal;
    double begun, pass_begun, shown; /* clock [s]: of the first pass, of this one, of the last sign given */
} nb_progress_bar;

void nb_progress_begin(nb_progress_bar *bar, int64_t runs, int64_t steps);
void nb_progress_pass(nb_progress_bar *bar, const char *label);
/* an nb_progress (simulate.h); the context is the bar */
void nb_progress_step(void *context, int32_t step, int32_t steps);
/* A pass of so many steps is over; the bar is wiped away, so that a line can be printed. */
void nb_progress_pass_done(nb_progress_bar *bar, int32_t steps);
/* The current run is over, with a word if it went wrong ("interrupted"), else NULL. */
void nb_progress_run_done(nb_progress_bar *bar, const char *trouble);
/* A plain line of its own. */
void nb_progress_note(nb_progress_bar *bar, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
