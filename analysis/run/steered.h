/* A scene's motion under controls (core/task.h) with courses of their own, and its derivatives by these.
 *
 * A course is linear between knots, which are at the ends of steps, the last one at the end of the motion; it begins
 * with what the control has at the start of the scene. The motion may be smoothed: it then goes on from each step by
 * the velocities of the step smoothed by rho (step_gradient.h), so that derivatives are those of the motion itself. */
#ifndef NB_ANALYSIS_STEERED_H
#define NB_ANALYSIS_STEERED_H

#include "run/request.h"
#include "task.h"

/* one motion; states [steps + 1] */
typedef struct nb_course {
    double *time; /* [steps + 1] [s] */
    double *q;    /* [steps + 1][bodies][7] */
    double *u;    /* [steps + 1][bodies][6] */
} nb_course;

typedef struct nb_steered {
    const nb_request *request; /* prepared; the caller's */
    nb_task task;
    int32_t bodies, steps, knots, unknowns; /* unknowns: knots x controls */
    int32_t *knot_step;                     /* [knots] steps done there */
    double *start;                          /* [controls] */
    double *plan;                           /* [unknowns] knot by knot: as the scenario's own plan has it */
    double *columns;                        /* [unknowns][bodies][12] derivatives of the present state */
    double *inputs, *du;                    /* [bodies][NB_INPUTS], [bodies][6] of one column */
    struct nb_body *before;                 /* [bodies] */
} nb_steered;

/* Sets it up from request, which the caller has set, with so many knots. NB_ERROR_USAGE where the
 * scenario has nothing to optimise, or there are more knots than steps. */
nb_status nb_steered_open(nb_steered *motion, int32_t knots);
void nb_steered_close(nb_steered *motion); /* also of one that is zero */

/* The motion with these knots [unknowns], smoothed by rho > 0 [J], or by 0 not at all. With `derivatives` the motion's
 * columns hold those of its last state afterwards. NB_ERROR_NUMERIC where a step cannot be smoothed,
 * NB_ERROR_INTERRUPTED. */
nb_status nb_steered_move(nb_steered *motion, const double *knots, double rho, int derivatives,
                          const nb_course *course);

/* The state of all bodies at the end: of step `step`. */
static inline const double *nb_course_q(const nb_steered *motion, const nb_course *course, int32_t step) {
    return course->q + (ptrdiff_t)7 * motion->bodies * step;
}
static inline const double *nb_course_u(const nb_steered *motion, const nb_course *course, int32_t step) {
    return course->u + (ptrdiff_t)6 * motion->bodies * step;
}

#endif
