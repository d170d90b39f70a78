/* Listens to a method and writes what it hears into an nb_run. */
#ifndef NB_ANALYSIS_RECORDER_H
#define NB_ANALYSIS_RECORDER_H

#include "method.h"
#include "record/run.h"
#include "step/stepper.h"

typedef struct nb_recorder {
    nb_run *run; /* borrowed */
    nb_observer observer;
    const nb_stepper_class *keep_systems; /* or NULL */
    int32_t only_step, only_newton;       /* keep this system alone; -1: all */
    int own;                              /* columns of the method's own */
    int coulomb, distances, place;        /* columns behind them: nb_coulomb_column, nb_solution_columns,
                                             nb_place_columns; -1: none */
    uint8_t *modes;                       /* [mode_count] of contacts in the row told last */
    int32_t mode_count;
    int64_t mode_capacity;
    int iteration;            /* column of the number of iterations; -1: they are counted by rows */
    double last;              /* iterations before the row told last */
    nb_contact_errors errors; /* scratch of nb_recorder_add_frame */
    double deadline;          /* of the clock [s]: the iteration told after it ends the step with a fault; 0: none */
    int late;                 /* 1: that has happened */
} nb_recorder;

/* Sets the recorder up to write into `run`, which has the columns of its method. With `keep_systems` the systems of
 * every Newton iteration are kept, copied by the stepper that makes them. */
void nb_recorder_start(nb_recorder *recorder, nb_run *run, int linear_history, const nb_stepper_class *keep_systems);

void nb_recorder_clear(nb_recorder *recorder); /* gives back what it holds */

/* Whether the iterates of the step to come are kept, up to its frame. */
void nb_recorder_keep_iterates(nb_recorder *recorder, int keep);
/* The frame of the step that was recorded last; it is the last of its iterates where they are kept. */
nb_status nb_recorder_add_frame(nb_recorder *recorder, double time, const nb_snapshot *state);

/* The columns of a step that come from what its method says; the others are set to NaN. */
void nb_recorder_fill_step(const nb_step_outcome *outcome, const nb_step_counts *counts, double row[NB_STEP_COLUMNS]);

#endif
