/* Semismooth Newton on the natural map of a scaled problem (scaled_problem.h), or of its proximal neighbour (private to
 * solvers):
 *
 *     F(x) = x - P(x - rho y(v)),   v = S D S x + C x + q + eps (x - centre)
 *     (S D S + C + eps + N H) dx = -N V^-1 F/rho,   H = (V^-1 - 1)/rho,   V in the generalised Jacobian of P
 *
 * where N is the inverse of dy/dv, 1 but for the cone's |v_T| e_N. The eigenvalues of V are kept from zero, so that H
 * exists, and |F| is reduced by halving the step. Quadratic near a solution, degenerate ones included: where an
 * interior point's error only goes down like the root of tau.
 *
 * Where contacts are redundant the impulses are not unique, and what round-off has put into gaps cannot be solved for:
 * Newton's step is then far too long. Damped steps (Levenberg and Marquardt's: a shift that goes up where a step fails
 * and down where it does not) leave that part alone. */
#ifndef NB_INTERIOR_POINT_SEMISMOOTH_H
#define NB_INTERIOR_POINT_SEMISMOOTH_H

#include "base/arena.h"
#include "scaled_problem.h"

#define nb_semismooth NB_REAL_NAME(nb_semismooth)
#define nb_semismooth_create NB_REAL_NAME(nb_semismooth_create)
#define nb_semismooth_destroy NB_REAL_NAME(nb_semismooth_destroy)
#define nb_semismooth_run NB_REAL_NAME(nb_semismooth_run)

typedef struct nb_semismooth {
    nb_scaled_problem *problem; /* borrowed */
    double *x, *own, *v;        /* [rows] the iterate, its velocities, and those of the task */
    double *f;                  /* [rows] the map */
    double norm;                /* |F| */
    int damped;                 /* 1: the last task was one of damped steps */
    double *x_before, *dx, *b;  /* [rows] */
    nb_arena arena;             /* holds them */
} nb_semismooth;

/* what is solved */
typedef struct nb_semismooth_task {
    nb_phase phase;
    double rho;           /* weight of velocities in the map */
    double eps;           /* 0: the problem itself */
    const double *centre; /* [rows] where eps > 0 */
    int32_t iterations;   /* at most */
    int warm;             /* damps the steps where they begin next to a solution */
    int patience;         /* ends after so many steps in a row that took less than a tenth off |F|; 0: never */
    /* (eps > 0) ends at |F| < 0.1 of its start and < 0.3 rho eps |x - centre| */
} nb_semismooth_task;

nb_status nb_semismooth_create(nb_scaled_problem *problem, nb_semismooth **semismooth);
void nb_semismooth_destroy(nb_semismooth *semismooth); /* NULL allowed */

/* From semismooth->x, which it moves. *done = 1 where the task's end was reached; the scaled problem's `solved` and the
 * outcome's reason end it as well. */
nb_status nb_semismooth_run(nb_semismooth *semismooth, const nb_semismooth_task *task, int *done);

#endif
