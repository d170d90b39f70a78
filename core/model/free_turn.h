/* How a body turns over a stage of an integrator by its own: with the torque on it and no constraints. */
#ifndef NB_MODEL_FREE_TURN_H
#define NB_MODEL_FREE_TURN_H

#include "model/world.h"

/* Where inertia and gyroscopic torque of a step of h are taken: orientation and angular velocity.
 *
 * A step of be has those of its start. A stage of another integrator has those of its end, where the body is without
 * constraints:
 *
 *     I(q) (w - w*) = h (torque - w x I(q) w),   q = nb_quat_advance(q*, h, w)
 *
 * by iteration, each time nearer by about h |w|. Where that does not converge, which is beyond about a radian a stage,
 * they are those of the start. Constraints that change w within the stage are not seen: then the torque is of first
 * order. */
void nb_free_turn(const nb_world *world, const nb_body *body, double h, nb_quat *turn, nb_vec3 *spin);

/* of the inertia at this orientation */
nb_mat3 nb_inertia_at(const nb_body *body, nb_quat turn);

#endif
