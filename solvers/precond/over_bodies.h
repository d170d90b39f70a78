/* A system over bodies, seen from the bodies (private to solvers/precond): with T = (C + K + shift)^-1, which is block
 * diagonal, and J weighted by S,
 *
 *     (J H^-1 J^T + T^-1)^-1 = T - T J B^-1 J^T T,   B = H + J^T T J     (Woodbury 1950)
 *
 * B has 6 x 6 blocks, one for a body and two for every pair of bodies that touch: many times fewer entries than A has,
 * where every contact meets all others on its two bodies. It is the matrix of the stiffness form, with K.
 *
 * Everything is kept in double. Blocks of T^-1 spread over sixteen orders of magnitude in an interior-point method, so
 * that T is kept in three factors, X D^-1 Y by elimination with complete pivoting: X and Y are well conditioned, D
 * takes the spread, and T is the inverse of a matrix near T^-1 wherever it is used. The shift bounds T: rows without C
 * and K are eliminated as if they gave way a little. */
#ifndef NB_PRECOND_OVER_BODIES_H
#define NB_PRECOND_OVER_BODIES_H

#include "linear/lu.h"
#include "operator/system.h"

#define nb_over_bodies NB_REAL_NAME(nb_over_bodies)
#define nb_over_bodies_fits NB_REAL_NAME(nb_over_bodies_fits)
#define nb_over_bodies_create NB_REAL_NAME(nb_over_bodies_create)
#define nb_over_bodies_destroy NB_REAL_NAME(nb_over_bodies_destroy)
#define nb_over_bodies_set_pattern NB_REAL_NAME(nb_over_bodies_set_pattern)
#define nb_over_bodies_set_values NB_REAL_NAME(nb_over_bodies_set_values)
#define nb_over_bodies_matrix NB_REAL_NAME(nb_over_bodies_matrix)
#define nb_over_bodies_begin NB_REAL_NAME(nb_over_bodies_begin)
#define nb_over_bodies_finish NB_REAL_NAME(nb_over_bodies_finish)

typedef struct nb_over_bodies nb_over_bodies;

/* Whether the system is made of bodies. */
int nb_over_bodies_fits(const nb_system *system);

nb_status nb_over_bodies_create(nb_over_bodies **over);
void nb_over_bodies_destroy(nb_over_bodies *over); /* NULL allowed */

/* For a system that fits. Only this allocates. */
nb_status nb_over_bodies_set_pattern(nb_over_bodies *over, const nb_system *system);
/* T and B; `shift` is relative to the diagonal of S D S. */
void nb_over_bodies_set_values(nb_over_bodies *over, const nb_system *system, double shift);
/* B, in 6 x 6 blocks; owned by `over` */
const nb_lu_matrix *nb_over_bodies_matrix(const nb_over_bodies *over);

/* f = J^T T r, as long as B has rows; owned by `over` */
double *nb_over_bodies_begin(nb_over_bodies *over, const real *r);
/* z = T (r - J v), for v = B^-1 f, which may be f itself */
void nb_over_bodies_finish(const nb_over_bodies *over, const real *r, const double *v, real *z);

#endif
