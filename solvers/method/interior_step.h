/* One iteration of the interior point: a primal-dual step with Nesterov-Todd scaling, in which the De Saxce term
 * |y_T| e_N is linearised with everything else (private to solvers/method).
 *
 *     (S D S + C + N H) dx = N F g - r,   dy = F g - H dx,   H = F^2,   N = 1 - theta e_N t^T,   t = y_T/|y_T|
 *
 * with the primal residual r = v + |v_T| e_N ... written with y: r = v + |y_T| e_N - y, and g = lambda^-1 o r_c.
 * Lagging that term, as others do, makes the matrix symmetric and fails on the harder half of the published problems.
 * Predictor and corrector of Mehrotra, further correctors of Gondzio where the step is short. */
#ifndef NB_METHOD_INTERIOR_STEP_H
#define NB_METHOD_INTERIOR_STEP_H

#include "base/arena.h"
#include "cone.h"
#include "scaled_problem.h"

#define nb_interior NB_REAL_NAME(nb_interior)
#define nb_interior_create NB_REAL_NAME(nb_interior_create)
#define nb_interior_destroy NB_REAL_NAME(nb_interior_destroy)
#define nb_interior_start NB_REAL_NAME(nb_interior_start)
#define nb_interior_look NB_REAL_NAME(nb_interior_look)
#define nb_interior_step NB_REAL_NAME(nb_interior_step)

typedef struct nb_interior {
    nb_scaled_problem *problem;                  /* borrowed */
    double *x, *y, *v;                           /* [rows] the iterate, and its velocities; y of contacts only */
    double theta, tau;                           /* of N; x.y a contact */
    double alpha, sigma;                         /* of the last step: length, centring */
    int relaxed;                                 /* 1: friction is not Coulomb's: y = v, theta = 0 */
    int idle;                                    /* the last step did nothing for the residual */
    double *residual;                            /* [rows] r, and v of the bilaterals */
    double *dx, *dy, *dx_best, *dy_best, *g, *b; /* [rows] */
    double *t;                                   /* [2 contacts] */
    nb_cone_scaling *scaling;                    /* [contacts] */
    nb_arena arena;                              /* holds them */
} nb_interior;

nb_status nb_interior_create(nb_scaled_problem *problem, nb_interior **interior);
void nb_interior_destroy(nb_interior *interior); /* NULL allowed */

/* x = y = size e, x = 0 in bilateral rows */
void nb_interior_start(nb_interior *interior, double size, double theta);

/* Brings v, the residual and tau up to date with x and y; returns the natural map's norm. */
double nb_interior_look(nb_interior *interior);

/* One step from an iterate that was looked at: one factorisation, two to seven solves. alpha = 0: none was possible. */
nb_status nb_interior_step(nb_interior *interior);

#endif
