/* Optimises the controls of a scene's motion (core/task.h): the least of
 *
 *     1/2 sum ((state at the end - goal)/unit)^2 + 1/2 sum ((knot - knot before)/unit)^2
 *
 * by damped Gauss-Newton steps (run/least_squares.h), whose Jacobian is that of the smoothed motion, forward through
 * its steps. One smoothing after another; each goes on from where the one before has come to. */
#ifndef NB_ANALYSIS_OPTIMIZE_H
#define NB_ANALYSIS_OPTIMIZE_H

#include <signal.h>

#include "record/optimization.h"
#include "run/request.h"
#include "task.h"

enum {
    NB_OPTIMIZE_SMOOTHINGS = 16, /* at most */
    NB_OPTIMIZE_MOST_KNOTS = 1000,
    NB_OPTIMIZE_MOST_ITERATIONS = 100000
};

typedef struct nb_optimize_request {
    int smoothing_count;
    double smoothing[NB_OPTIMIZE_SMOOTHINGS]; /* > 0 [J] */
    int32_t knots, iterations;                /* iterations: of each smoothing at most */
    double tolerance;                         /* nb_least_squares */
    /* after each evaluation, with its row as the last one; NULL: nobody listens */
    void (*tell)(void *context, const nb_optimization *so_far);
    void *context;
} nb_optimize_request;

/* What is taken unless told otherwise; nobody listens. */
nb_optimize_request nb_optimize_standard(void);

/* Of a prepared request. *optimization, which is zero, is the caller's to clear, on a fault too;
 * NB_ERROR_INTERRUPTED: its rows end early, and it has no motion of the end. */
nb_status nb_optimize(const nb_request *request, const nb_optimize_request *what, nb_optimization *optimization);

/* one motion; states [steps + 1] */
typedef struct nb_trajectory {
    double *time; /* [steps + 1] [s] */
    double *q;    /* [steps + 1][bodies][7] */
    double *u;    /* [steps + 1][bodies][6] */
} nb_trajectory;

typedef struct nb_controlled_motion {
    const nb_request *request; /* prepared; the caller's */
    nb_task task;
    int32_t bodies, steps, knots, unknowns; /* unknowns: knots x controls */
    int32_t *knot_step;                     /* [knots] steps done there */
    double *start;                          /* [controls] */
    double *plan;                           /* [unknowns] knot by knot: as the scenario's own plan has it */
    double *columns;                        /* [unknowns][bodies][12] derivatives of the present state */
    double *inputs, *du;                    /* [bodies][NB_INPUTS], [bodies][6] of one column */
    struct nb_body *before;                 /* [bodies] */
} nb_controlled_motion;

/* Sets it up from request, which the caller has set, with so many knots. NB_ERROR_USAGE where the
 * scenario has nothing to optimise, or there are more knots than steps. */
nb_status nb_controlled_motion_open(nb_controlled_motion *motion, int32_t knots);
void nb_controlled_motion_close(nb_controlled_motion *motion); /* also of one that is zero */

/* The motion with these knots [unknowns], smoothed by rho > 0 [J], or by 0 not at all. With `derivatives` the motion's
 * columns hold those of its last state afterwards. NB_ERROR_NUMERIC where a step cannot be smoothed,
 * NB_ERROR_INTERRUPTED. */
nb_status nb_controlled_motion_move(nb_controlled_motion *motion, const double *knots, double rho, int derivatives,
                                    const nb_trajectory *trajectory);

/* The state of all bodies at the end: of step `step`. */
static inline const double *nb_trajectory_q(const nb_controlled_motion *motion, const nb_trajectory *trajectory,
                                            int32_t step) {
    return trajectory->q + (ptrdiff_t)7 * motion->bodies * step;
}
static inline const double *nb_trajectory_u(const nb_controlled_motion *motion, const nb_trajectory *trajectory,
                                            int32_t step) {
    return trajectory->u + (ptrdiff_t)6 * motion->bodies * step;
}

#endif
