/* A scene's motion under controls (core/task.h) with trajectories of their own, and its derivatives by these.
 *
 * A trajectory begins with what the control has at the start of the scene, and is linear between knots. These are at
 * the ends of steps, the last one at the end of the motion. The motion may be smoothed: it then goes on from each step
 * by the velocities of the step smoothed by rho (step_gradient.h). Derivatives are those of the motion itself. */
#ifndef NB_ANALYSIS_CONTROLLED_MOTION_H
#define NB_ANALYSIS_CONTROLLED_MOTION_H

#include "run/request.h"
#include "task.h"

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
