/* How long a command will still take: the time expected of its runs, by their work, corrected by the times of those
 * that are done. Plain arithmetic on plain numbers: nothing is measured here.
 *
 * The expectation before anything ran (nb_forecast_prior) knows the size of the scene and the iterations that are
 * allowed; it is wrong by factors, which differ from scene to scene and from solver to solver. The passes that are done
 * say how large these are, for all runs, for those with the same solver, of the same scenario, the same scene, and the
 * same scene with the same solver, each as far as there is evidence; a run of its own kind tells most about itself. */
#ifndef NB_ANALYSIS_FORECAST_H
#define NB_ANALYSIS_FORECAST_H

#include <stdint.h>

#include "base/status.h"

/* how much one pass of a run is */
typedef struct nb_forecast_work {
    double rows;              /* of a Newton system, about */
    double steps, settle;     /* recorded steps, and those before */
    double newton, linear;    /* iterations of a step, of a Newton iteration, at most; one of PCR counts as one */
    double tolerance;         /* > 0: Newton iterations end there */
    int direct, inner, bound; /* 1: the solver factorises; the method is an interior point; limits are computed */
    int reference;            /* 1: the last step is solved to convergence besides */
    double copies;            /* of a batch beside the scene itself */
} nb_forecast_work;

typedef enum nb_forecast_kind {
    NB_FORECAST_SOLVER,
    NB_FORECAST_SCENARIO,
    NB_FORECAST_SCENE,
    NB_FORECAST_BOTH, /* scene and solver */
    NB_FORECAST_KINDS
} nb_forecast_kind;

/* one run of the command */
typedef struct nb_forecast_run {
    int32_t kind[NB_FORECAST_KINDS]; /* numbers from 0, below the count of runs: runs of one kind have the same */
    double prior, repeat_prior;      /* [s] the expectation of its recorded pass (or a warm-up), of a repetition */
    double passes, repeats;          /* to make in all */
    double passes_done, repeats_done;
    double passes_s, repeats_s; /* [s] what those took */
} nb_forecast_run;

typedef struct nb_forecast {
    nb_forecast_run *runs; /* [count], owned */
    int64_t count;
    double after; /* [s] of what follows the runs, on the machine of the expectations */
    /* the pass in progress */
    int64_t at;                              /* its run, or -1 */
    int repeat;                              /* 1: it is a repetition */
    double fraction, elapsed;                /* how much of its work is done, and in how many seconds */
    double mean, *correction, *sum, *weight; /* scratch: [s] expected of a run, [count], ... */
} nb_forecast;

nb_status nb_forecast_create(int64_t count, nb_forecast *forecast);
void nb_forecast_clear(nb_forecast *forecast);

/* [s] of a recorded pass, or of a repetition, on a machine of today */
double nb_forecast_prior(const nb_forecast_work *work, int repeat);

/* The share of a pass that is done after so many of its recorded steps. */
double nb_forecast_share(const nb_forecast_work *work, double step);

/* [s] until all is done */
double nb_forecast_left(nb_forecast *forecast);

#endif
