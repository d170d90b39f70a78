/* `differentiate` of method smoothed (method.h): by the implicit function theorem, of the step's own equations
 *
 *     g(u, inputs) = (1 + alpha h) M u - M u~ - J^T z = 0
 *
 * with the exact derivative of J^T z (penalty_change.h), which Newton's method on them does without. Their friction is
 * smooth, so that nothing more is smoothed. The stiffness of contacts is held. Private to methods. */
#ifndef NB_PENALTY_GRADIENT_H
#define NB_PENALTY_GRADIENT_H

#include "method.h"
#include "step_gradient.h"

#define nb_penalty_gradient NB_REAL_NAME(nb_penalty_gradient)
#define nb_penalty_gradient_clear NB_REAL_NAME(nb_penalty_gradient_clear)

/* NB_ERROR_USAGE for a smoothing other than NB_SMOOTHING_OWN, NB_ERROR_UNSUPPORTED, by name, for friction that is not
 * implicit and for what nb_check_differentiable and nb_contact_features_of refuse. */
nb_status nb_penalty_gradient(nb_method *self, nb_problem *problem, double smoothing, nb_step_gradient **gradient);

/* what is kept from step to step, in the end */
void nb_penalty_gradient_clear(nb_method *self);

#endif
