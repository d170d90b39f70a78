/* What steps have derivatives of the kind of this folder, and of the methods beside it (private to solvers). */
#ifndef NB_GRADIENT_DIFFERENTIABLE_H
#define NB_GRADIENT_DIFFERENTIABLE_H

#include "model/world.h"

/* NB_ERROR_UNSUPPORTED, by name, where a scene has what is not differentiated: particles, steps linearised at their
 * start, polyhedral friction, friction that depends on the direction. */
nb_status nb_check_differentiable(const nb_world *world);

/* The same for damping of motors and joints, which looks back at the start, of a method that leaves that out. */
nb_status nb_check_undamped(const nb_world *world, const char *method);

#endif
