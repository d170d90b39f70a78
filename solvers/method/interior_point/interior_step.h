/* One iteration of the interior point: a primal-dual step with Nesterov-Todd scaling, in which the De Saxce term
 * |y_T| e_N is linearised with everything else (private to solvers/method/interior_point).
 *
 *     (S D S + C + N H) dx = N F g - r,   dy = F g - H dx,   H = F^2,   N = 1 - theta e_N t^T,   t = y_T/|y_T|
 *
 * with the primal residual r = v + |v_T| e_N ... written with y: r = v + |y_T| e_N - y, and g = lambda^-1 o r_c.
 * A contact with rolling friction has two cones that share their normal, and y is split between them: y_N = s_1 + s_2,
 * with (s_1, y_T) and (s_2, y_R) each complementary to its part of x. Eliminated cone by cone, they add up to one
 * block,
 *
 *     H = E_1^T F_1^2 E_1 + E_2^T F_2^2 E_2,   E_k takes the entries of cone k out of the contact's rows
 *
 * and N = 1 - theta e_N (t_1, t_2)^T: no unknown is added. For one cone a contact this is what stands above.
 * A row with bounds lower <= x <= upper likewise has v = y_1 - y_2, with (x - lower, y_1) and (upper - x, y_2)
 * complementary: H = y_1/(x - lower) + y_2/(upper - x).
 *
 * Lagging that term, as others do, makes the matrix symmetric and fails on the harder half of the published problems.
 * Predictor and corrector of Mehrotra, further correctors of Gondzio where the step is short. */
#ifndef NB_INTERIOR_POINT_INTERIOR_STEP_H
#define NB_INTERIOR_POINT_INTERIOR_STEP_H

#include "base/arena.h"
#include "cone/cone.h"
#include "scaled_problem.h"

#define nb_interior NB_REAL_NAME(nb_interior)
#define nb_interior_create NB_REAL_NAME(nb_interior_create)
#define nb_interior_destroy NB_REAL_NAME(nb_interior_destroy)
#define nb_interior_start NB_REAL_NAME(nb_interior_start)
#define nb_interior_restart NB_REAL_NAME(nb_interior_restart)
#define nb_interior_reach NB_REAL_NAME(nb_interior_reach)
#define nb_interior_measure NB_REAL_NAME(nb_interior_measure)
#define nb_interior_step NB_REAL_NAME(nb_interior_step)

/* Where the entries of one cone are: its normal and tangents. Behind the contacts' come those of joint coordinates, a
 * half-line for each bound of a row: sign x + offset >= 0, without tangents. */
typedef struct nb_interior_cone {
    int32_t row[3]; /* -1: none */
    double sign, offset;
} nb_interior_cone;

typedef struct nb_interior {
    nb_scaled_problem *problem; /* borrowed */
    int32_t cones;              /* those of all contacts, one after the other, and half-lines */
    int32_t of_contacts;        /* how many are of contacts */
    int32_t limits;             /* rows with one bound */
    double *x, *v;              /* [rows] the iterate, and its velocities */
    double *y;                  /* [3 cones] their parts of y */
    double theta, tau;          /* of N; x.y a cone */
    double alpha, sigma;        /* of the last step: length, centring */
    int relaxed;                /* 1: friction is not Coulomb's: y = v, theta = 0 */
    int idle;                   /* the last step did nothing for the residual */
    double *residual;           /* [rows] r, and v of the bilaterals */
    double *dx, *dx_best, *b;   /* [rows] */
    double *dy, *dy_best, *g;   /* [3 cones], and [rows] at least */
    double *t;                  /* [2 cones] */
    nb_cone_scaling *scaling;   /* [cones] */
    nb_interior_cone *cone;     /* [cones] */
    nb_arena arena;             /* holds them */
} nb_interior;

nb_status nb_interior_create(nb_scaled_problem *problem, nb_interior **interior);
void nb_interior_destroy(nb_interior *interior); /* NULL allowed */

/* x = y = size e, x = 0 in bilateral rows; rows with one bound start `reach` from it, those with two in the middle. */
void nb_interior_start(nb_interior *interior, double size, double reach, double theta);

/* The restart near `x` [rows]: P(x - y) + size e and P(y - x) + size e, which solve the problem where x does and size =
 * 0. 0: the problem has bounds, or contacts of two cones, and nothing is done. */
int nb_interior_restart(nb_interior *interior, const double *x, double size);

/* How large impulses at joint limits may be, in *reach, `size` at least: those that hold the limits near by like
 * equations. Limits of long arms bear up to 1e6 times what contacts do; an interior point that starts where contacts do
 * takes five times as many iterations to them, or does not converge. One factorisation. */
nb_status nb_interior_reach(nb_interior *interior, double size, double *reach);

/* Brings v, the residual and tau up to date with x and y; returns the natural map's norm. */
double nb_interior_measure(nb_interior *interior);

/* One step from an iterate that was looked at: one factorisation, two to seven solves. alpha = 0: none was possible. */
nb_status nb_interior_step(nb_interior *interior);

#endif
