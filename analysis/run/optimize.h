/* Optimises the controls of a scene's motion (core/task.h, run/controlled_motion.h): the least of
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

#endif
