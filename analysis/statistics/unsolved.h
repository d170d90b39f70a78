/* Steps that a run left unsolved. */
#ifndef NB_ANALYSIS_UNSOLVED_H
#define NB_ANALYSIS_UNSOLVED_H

#include "record/run.h"

/* A step is solved below this natural map [m/s] where no tolerance was asked for, or where the method met its own, in
 * another measure: what checks of forces and momentum allow is 1e-5 of a body's weight, g h = 0.08 m/s in the usual
 * step. In f32 it is NB_SOLVED_F32: gaps at world coordinates leave 1e-5 m/s and more. */
#define NB_SOLVED 1e-6
#define NB_SOLVED_F32 1e-3

typedef struct nb_unsolved {
    int64_t steps, of;  /* unsolved ones of all, those of all copies of a batch */
    int64_t lagging;    /* of the unsolved: passes of friction were asked for, and ended too early */
    int64_t stagnated;  /* of the unsolved: no iteration made the residual smaller any more */
    int64_t infeasible; /* of the unsolved: the method has a certificate that there is no solution */
    int64_t wedged;     /* of the unsolved: contacts that stick push against each other */
    int64_t joints;     /* of the unsolved: ended by themselves, and joints have the largest error */
    double worst;       /* the largest natural map among them [m/s]; infinite where one has none */
} nb_unsolved;

/* [m/s]: the tolerance that was asked for, or else one of the above */
double nb_run_tolerance(const nb_run_info *info);

/* Adds the run's to *sum. */
void nb_unsolved_add(const nb_run *run, nb_unsolved *sum);

#endif
