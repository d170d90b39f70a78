/* Whether contacts of a problem are wedged (private to solvers/method/interior_point): whether those that stick push
 * against each other, so that no solution is to be expected.
 *
 * Impulses p in the cones with p.q < 0 bound every solution of the relaxed law. Its velocities v = D z + q lie in the
 * dual cones, so p.v >= 0, and by Cauchy and Schwarz the velocities that its impulses z make change by at least
 *
 *     |dv| >= -p.q/|p|,    |x|^2 = x.D x
 *
 * in the norm of kinetic energy. Where D p = 0 there is no solution at all. A solution of Coulomb's law below the bound
 * has contacts of p that slide or part. The p of a compliance eps, -(D + eps) p in q + the dual cones, has a bound that
 * grows to the least |dv| of the relaxed law as eps goes to zero. */
#ifndef NB_INTERIOR_POINT_WEDGE_H
#define NB_INTERIOR_POINT_WEDGE_H

#include "semismooth.h"

#define nb_wedge_find NB_REAL_NAME(nb_wedge_find)

/* *found = 1 where a p was found whose bound is five times |dv| of the best point known, which must leave no more than
 * a hundredth of |q|. `whole`: where it leaves more, 1e4 times |q| will do: all of the problem is wedged. Only of
 * contacts alone with Coulomb's law that do not give way, else 0. Uses the semismooth method's iterate. zero and before
 * [rows] are scratch. */
nb_status nb_wedge_find(nb_semismooth *semismooth, double *zero, double *before, int whole, int *found);

#endif
