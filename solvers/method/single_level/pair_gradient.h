/* The gradient of a step as pairs of convex sets (pair_state.h), by the implicit function theorem on its central path
 * (private to solvers/method/single_level). */
#ifndef NB_SINGLE_LEVEL_PAIR_GRADIENT_H
#define NB_SINGLE_LEVEL_PAIR_GRADIENT_H

#include "pair_problem.h"
#include "step_gradient.h"

#define nb_pair_gradient NB_REAL_NAME(nb_pair_gradient)

/* The derivatives of the step that `pairs` is at the end of, by rho, and `problem` too (`differentiate` of method.h).
 * Both stay as they are. */
nb_status nb_pair_gradient(nb_pair_problem *pairs, const nb_method_settings *settings, nb_problem *problem, double rho,
                           double smoothing, nb_step_gradient **gradient);

#endif
