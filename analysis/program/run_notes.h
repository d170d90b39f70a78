/* What is said of runs on standard error: of each when it is made, and of steps that are not solved after the last. */
#ifndef NB_PROGRAM_RUN_NOTES_H
#define NB_PROGRAM_RUN_NOTES_H

#include "progress.h"
#include "statistics/penetrating.h"
#include "statistics/unsolved.h"

/* The caller sets what stands above the empty line, and the rest to zero. */
typedef struct nb_run_notes {
    const nb_plan *plan;
    nb_progress_bar *bar; /* where notes go */

    nb_unsolved unsolved; /* of all runs of scenarios made so far */
    int64_t unsolved_runs;
    const nb_request *first;    /* of these; NULL: none */
    nb_penetrating penetrating; /* of the same runs */
    int64_t penetrating_runs;
    int may_verify; /* 1: --verify-contacts is off and would do for the first of these */
} nb_run_notes;

/* Notes on run `i` of the plan. */
void nb_run_notes_add(nb_run_notes *notes, int64_t i, const nb_run *run);

/* The last lines: steps that penetrate, and with `unsolved` those that are not solved, with what may help. */
void nb_run_notes_end(const nb_run_notes *notes, int unsolved);

#endif
