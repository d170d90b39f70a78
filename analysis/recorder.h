/* Listens to a method and writes what it hears into an nb_run. */
#ifndef NB_ANALYSIS_RECORDER_H
#define NB_ANALYSIS_RECORDER_H

#include "method.h"
#include "method/stepper.h"
#include "run.h"

typedef struct nb_recorder {
    nb_run *run;        /* borrowed */
    nb_observer observer;
    int linear_history; /* 1: keep the residual of every linear iteration */
    int store_systems;  /* 1: keep the systems of every Newton iteration */
} nb_recorder;

/* Sets the recorder up to write into `run`. */
void nb_recorder_start(nb_recorder *recorder, nb_run *run, int linear_history, int store_systems);

/* The columns of a step that come from what its method says; the others are set to NaN. */
void nb_recorder_fill_step(const nb_step_outcome *outcome, const nb_step_counts *counts, double row[NB_STEP_COLUMNS]);

#endif
