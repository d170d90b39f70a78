/* What a step of several stages leaves in a record: one row, and rows of iterations as of one step. */
#ifndef NB_ANALYSIS_STAGES_H
#define NB_ANALYSIS_STAGES_H

#include "method.h"
#include "record/columns.h"

/* Listens to the solves of a step, of stages and passes, for somebody else, whom it tells everything but the state that
 * a solve before the last ends at. Iterations are counted through. */
typedef struct nb_stage_listener {
    nb_observer observer;  /* to be told */
    const nb_observer *to; /* or NULL */
    int32_t before;        /* iterations of the solves before, which the caller counts */
    nb_newton_report held; /* the end of the last solve, where `holds` */
    int holds;
} nb_stage_listener;

/* The listener does not move as long as it is told anything. */
void nb_stage_listener_start(nb_stage_listener *listener, const nb_observer *to);

/* Tells what was held back: no solve follows. */
nb_status nb_stage_listener_tell(nb_stage_listener *listener);

/* The row of a step that has the stages of `row` so far, and then one more, `next`. Times and numbers of iterations and
 * products are added up; the error is the larger one, the reason the first that is none for a solution. All else is of
 * the last. */
void nb_stages_join(double row[NB_STEP_COLUMNS], const double next[NB_STEP_COLUMNS]);

/* The same of a stage that was made again: its error and its reason are those of `next`. */
void nb_stages_add_pass(double row[NB_STEP_COLUMNS], const double next[NB_STEP_COLUMNS]);

#endif
