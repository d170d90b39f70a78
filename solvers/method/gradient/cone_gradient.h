/* The gradient of a step whose complementarity is smoothed (smoothed_step.h), by the implicit function theorem: for any
 * method that solves the step's own equations (private to solvers). */
#ifndef NB_GRADIENT_CONE_GRADIENT_H
#define NB_GRADIENT_CONE_GRADIENT_H

#include "method.h"
#include "step_gradient.h"

#define nb_cone_gradient NB_REAL_NAME(nb_cone_gradient)
#define nb_cone_gradient_clear NB_REAL_NAME(nb_cone_gradient_clear)

/* `differentiate` of a method (method.h), which has to clear in the end what is kept from step to step. */
nb_status nb_cone_gradient(nb_method *self, nb_problem *problem, double smoothing, nb_step_gradient **gradient);
void nb_cone_gradient_clear(nb_method *self);

#endif
