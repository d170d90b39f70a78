/* The least of half a sum of squares, by Gauss-Newton steps with Levenberg's damping (Nielsen's rule for it: Madsen,
 * Nielsen and Tingleff, Methods for non-linear least squares problems, 2004, section 3.2). Each linear problem is
 * solved by an orthogonal factorisation of [J; sqrt(damping)], so that J may lack rank. Everything in double. */
#ifndef NB_ANALYSIS_LEAST_SQUARES_H
#define NB_ANALYSIS_LEAST_SQUARES_H

#include <stdint.h>

#include "base/status.h"
#include "reason.h"

/* one evaluation, in numbers */
typedef struct nb_least_squares_report {
    double cost;     /* of where it now stands: the new one where the step was taken */
    double gradient; /* the largest component there */
    double step;     /* length of the step that was tried; 0 of the start */
    double damping;  /* that it was made with */
    int taken;       /* 1: the step was taken; 0: the cost did not fall, or there was none */
} nb_least_squares_report;

typedef struct nb_least_squares {
    int32_t unknowns, rows;
    int32_t iterations; /* steps tried at most, after the start */
    double
        tolerance; /* stop where ten steps, of which the last is taken, lower the cost by less than this part of it */
    void *context;
    /* Residual [rows] and jacobian [rows][unknowns] at x [unknowns]. *none = 1: there is nothing at x, which is then no
     * better than where it stands; at the start it must not be. */
    nb_status (*evaluate)(void *context, const double *x, double *residual, double *jacobian, int *none);
    /* after each evaluation, the start first; `x` is where it now stands. *stop = 1 ends it. May be NULL. */
    nb_status (*tell)(void *context, const nb_least_squares_report *report, const double *x, int *stop);
} nb_least_squares;

/* From x [unknowns], which is the least that was found in the end. *reason: NB_REASON_CONVERGED,
 * NB_REASON_ROUND_OFF, NB_REASON_STAGNATED (no step lowers the cost, however short), NB_REASON_ITERATIONS, or
 * NB_REASON_NONE where `tell` stopped it. */
nb_status nb_least_squares_solve(const nb_least_squares *problem, double *x, nb_reason *reason);

/* sum of x[i]^2 / 2 */
double nb_half_square(int32_t n, const double *x);

#endif
