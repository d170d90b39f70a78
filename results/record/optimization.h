/* What `ncpbench optimize` leaves: a motion whose controls were optimised, in a file of its own. Schema
 * `ncpbench-optimization`, version 2 (schema.md). */
#ifndef NB_RESULTS_OPTIMIZATION_H
#define NB_RESULTS_OPTIMIZATION_H

#include "record/provenance.h"
#include "record/run.h"

typedef struct nb_optimization {
    nb_run_info info;
    char *parameters;                             /* of scene, method and solvers, as of a run */
    double seconds;                               /* that it took [s] */
    int32_t bodies, steps, controls, knots, rows; /* rows: evaluations, those of all smoothings one after another */
    /* [rows] of the smoothed motion where the optimisation then stands */
    double *smoothing;                 /* rho [J] */
    double *cost, *goal_cost;          /* all of it, and the part that is of goals */
    double *gradient, *step, *damping; /* nb_least_squares_report */
    int32_t *taken, *reason;           /* reason: why it ended there, an nb_reason; none where it went on */
    double *distance, *angle;          /* of the first goal's body from it [m], [rad] */
    /* [rows] the same of the motion that is not smoothed, with these controls; NaN where it was not made */
    double *exact_cost, *exact_distance, *exact_angle;
    int32_t *control_body, *control_input; /* [controls] nb_control */
    double *control_unit;
    int32_t *knot_step;        /* [knots] steps done when it is reached */
    double *start;             /* [controls] what courses begin with */
    double *first, *best;      /* [knots][controls] */
    double *time;              /* [steps + 1] [s] */
    double *q_first, *u_first; /* [steps + 1][bodies][7], [6] the smoothed motion at first */
    double *q_best, *u_best;   /* the smoothed motion in the end */
    double *q_exact, *u_exact; /* the motion that is not smoothed, with the controls of the end */
} nb_optimization;

extern const nb_members nb_optimization_members;

void nb_optimization_clear(nb_optimization *optimization);

/* Writes the file; what stands at `path` is replaced when it is whole. */
nb_status nb_optimization_write(const char *path, const nb_optimization *optimization, const char *command,
                                const nb_provenance *provenance);

/* Reads the file; *optimization, which is zero, is the caller's to clear, on a fault too. */
nb_status nb_optimization_read(const char *path, nb_optimization *optimization);

#endif
