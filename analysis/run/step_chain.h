/* One link of a chain of steps: a small change of a scene's state over a step (step_gradient.h). */
#ifndef NB_ANALYSIS_STEP_CHAIN_H
#define NB_ANALYSIS_STEP_CHAIN_H

#include "model/world.h"
#include "step_gradient.h"

/* Where `inputs` [bodies][NB_INPUTS] change, whose first twelve numbers a body are its state, the velocities at the end
 * of the step change by du [bodies][6] and the states of dynamic bodies by `state` [bodies][12]; those of others are
 * left alone. */
nb_status nb_step_chain_forward(nb_step_gradient *gradient, const nb_world *world, const double *inputs, double *du,
                                double *state);

#endif
