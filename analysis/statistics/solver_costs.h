/* What every solver took for every problem of a set of runs: the matrix that profiles and rankings are made from. */
#ifndef NB_ANALYSIS_SOLVER_COSTS_H
#define NB_ANALYSIS_SOLVER_COSTS_H

#include "statistics/compared_run.h"

/* the cost beside the time */
typedef enum nb_work_measure {
    NB_WORK_FLOPS,             /* operations of linear solves, with set-ups and factorizations */
    NB_WORK_PRODUCTS,          /* with the operator, where a run does not count operations */
    NB_WORK_LINEAR_ITERATIONS, /* where a run does not count products */
    NB_WORK_OWN_ITERATIONS,    /* of problem files, whose methods may be of any kind */
    NB_WORK_MEASURES
} nb_work_measure;
extern const char *const nb_work_names[NB_WORK_MEASURES];

/* A scene with its steps is a problem (after the first step solvers go different ways, so that later steps are no
 * problems that they share); a combination of the other settings is a solver. Zero is a matrix of none. */
typedef struct nb_solver_costs {
    nb_work_measure work;
    int by_work;             /* 1: times do not compare (nb_compared_runs.apart) */
    int64_t *solver, *first; /* [runs] the solver of each, and [solvers] the first run of each */
    int64_t *problem;        /* [runs]; -1: a run without steps */
    int32_t *steps;          /* [problems] of the longest of its runs */
    int64_t solvers, problems, tried;
    int64_t cold;           /* solved runs without timed repetitions */
    int64_t without_forces; /* problems left out, as a run of each shows that no contact force is needed */
    /* [problems][solvers] seconds, and work, of all steps together until each reached the accuracy; INFINITY where one
     * did not or the run has fewer steps than another of its problem; NaN where the solver has no run */
    double *cost[2];
    /* [problems][solvers] the largest natural-map error at the end of a step [m/s], of a problem file over ||q||: in
     * the unit of the accuracy; NaN as above */
    double *error;
} nb_solver_costs;

/* of runs that were read with an accuracy, and settled; of several runs of one solver and problem the first counts */
nb_status nb_solver_costs_make(const nb_compared_runs *compared, nb_solver_costs *costs);
void nb_solver_costs_clear(nb_solver_costs *costs);

/* Whether all runs are of problem files. */
int nb_compared_runs_are_files(const nb_compared_runs *compared);

#endif
