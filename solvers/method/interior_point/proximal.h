/* The fallback: an over-relaxed proximal point whose steps are semismooth Newton solves (private to
 * solvers/method/interior_point).
 *
 *     x_k+1 = x_k + 1.5 (x - x_k),   x the solution of the problem with v + eps (x - x_k) for v
 *
 * eps is halved after a step that was solved, and five times as large after one that was not. A step counts as solved
 * where its map has fallen tenfold and stands below 0.3 rho eps |x - x_k|; it gets a dozen iterations. rho grows like
 * eps^(-1/2). Found on piles of falling bodies, where the path to a solution is long and full of kinks: ever more
 * careful steps do not pay there, nor do ever bolder ones; what else was tried is in NOTES.md. */
#ifndef NB_INTERIOR_POINT_PROXIMAL_H
#define NB_INTERIOR_POINT_PROXIMAL_H

#include "semismooth.h"

#define nb_proximal_start NB_REAL_NAME(nb_proximal_start)
#define nb_proximal_run NB_REAL_NAME(nb_proximal_run)

typedef struct nb_proximal {
    double *centre; /* [rows] x_k; the caller's */
    double eps;
    double weight; /* multiplies the weights rho of velocities in the map */
} nb_proximal;

/* A proximal point from x [rows], which goes to the centre. */
nb_proximal nb_proximal_start(const nb_scaled_problem *problem, const double *x, double weight, double *centre);

/* Goes on with it for about `budget` factorisations more; ends before where the scaled problem's `solved` or the
 * outcome's reason is set. */
nb_status nb_proximal_run(nb_proximal *proximal, nb_semismooth *semismooth, int32_t budget);

#endif
