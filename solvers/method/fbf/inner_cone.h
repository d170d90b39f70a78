/* The inner problem of a splitting by an interior point (private to solvers/method/fbf):
 *
 *     y = P_K(y - (S (N z + q) + b + (y - x)/g)),   z = S y,   S the scales of rows
 *
 * the relaxed law's, whatever the step's law is: strongly convex. It is solved from its own start; what is taken over
 * from solve to solve is memory. Source: interior_point/interior_step.h. */
#ifndef NB_FBF_INNER_CONE_H
#define NB_FBF_INNER_CONE_H

#include "method/projected/projected.h"

#define nb_inner_cone NB_REAL_NAME(nb_inner_cone)
#define nb_inner_cone_create NB_REAL_NAME(nb_inner_cone_create)
#define nb_inner_cone_destroy NB_REAL_NAME(nb_inner_cone_destroy)
#define nb_inner_cone_begin NB_REAL_NAME(nb_inner_cone_begin)
#define nb_inner_cone_read NB_REAL_NAME(nb_inner_cone_read)
#define nb_inner_cone_advance NB_REAL_NAME(nb_inner_cone_advance)

typedef struct nb_inner_cone nb_inner_cone;

/* For a step's problem, which is linearised. NB_ERROR_UNSUPPORTED where its law of friction is polyhedral. */
nb_status nb_inner_cone_create(const nb_projected *problem, nb_inner_cone **inner);
void nb_inner_cone_destroy(nb_inner_cone *inner); /* NULL allowed */

/* Begins a solve: scale [rows] S, linear [rows] S q + b - x/g, modulus 1/g. */
void nb_inner_cone_begin(nb_inner_cone *inner, const real *scale, const real *linear, double modulus);

/* y [rows] of the iterate, taken into the cones */
void nb_inner_cone_read(nb_inner_cone *inner, real *y);

/* One iteration: a factorisation, and a product with N. *moved = 0: no step was possible. */
nb_status nb_inner_cone_advance(nb_inner_cone *inner, int *moved);

#endif
