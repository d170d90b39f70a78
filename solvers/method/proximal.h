/* The fallback: an over-relaxed proximal point whose steps are semismooth Newton solves (private to solvers/method).
 *
 *     x_k+1 = x_k + 1.5 (x - x_k),   x the solution of the problem with v + eps (x - x_k) for v
 *
 * Slow and hard to stop: it solves nearly everything at several times the factorisations. */
#ifndef NB_METHOD_PROXIMAL_H
#define NB_METHOD_PROXIMAL_H

#include "semismooth.h"

#define nb_proximal_run NB_REAL_NAME(nb_proximal_run)

/* From x [rows], with at most `budget` factorisations; ends where the cone problem's `solved` or the outcome's reason
 * is set. `weight` multiplies the weights of velocities in the map. centre [rows] is scratch. */
nb_status nb_proximal_run(nb_semismooth *semismooth, const double *x, double weight, int32_t budget, double *centre);

#endif
