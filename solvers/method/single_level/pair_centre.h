/* The central path of a step as pairs of convex sets (private to solvers/method/single_level). */
#ifndef NB_SINGLE_LEVEL_PAIR_CENTRE_H
#define NB_SINGLE_LEVEL_PAIR_CENTRE_H

#include "pair_problem.h"

#define nb_pair_centre NB_REAL_NAME(nb_pair_centre)

static const double nb_pair_centre_least = 1e-6; /* residual of a point that is on the path */

/* Newton's method from the present point to where all equations hold and all products are their targets: `target`,
 * times the parts of each pair. *residual: what is left, of equations as they are and of products over their targets;
 * *iterations that led there. */
nb_status nb_pair_centre(nb_pair_problem *pairs, const nb_method_settings *settings, double target, double *residual,
                         int32_t *iterations);

#endif
