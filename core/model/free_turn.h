/* How a body turns over a stage of an integrator, and what its inertia and gyroscopic torque come to. */
#ifndef NB_MODEL_FREE_TURN_H
#define NB_MODEL_FREE_TURN_H

#include "model/world.h"

/* Orientation and angular velocity at the end of a stage of h from the body's, without constraints:
 *
 *     I(q) (w - R w*) = h (torque - w x I(q) w),   q = nb_quat_advance(q*, h, w),   R turns q* to q
 *
 * that is backward Euler of Euler's equations in the body's frame, by Newton's method. Where that does not converge,
 * the gyroscopic torque is left out: the body turns on as it does, and *spin is 0. */
void nb_free_turn(const nb_body *body, double h, nb_quat *turn, nb_vec3 *spin);

/* The angular velocity after h without constraints: the body's, which turns to this orientation with it, and what
 * inertia and gyroscopic torque of this orientation and angular velocity `spin` add. */
nb_vec3 nb_spin_after(const nb_body *body, double h, nb_quat turn, nb_vec3 spin);

/* The angular velocity w~ after a step of h of be without constraints (model/gyroscopic.h), and its derivatives. */
typedef struct nb_free_spin {
    nb_vec3 spin;
    nb_mat3 by_spin, by_torque; /* by the body's angular velocity, and by its torque [1/(kg m^2) s] */
} nb_free_spin;

/* By Newton's method to round-off. Where that does not converge, which needs three different moments and some radians a
 * step, h is divided into up to 4096 parts. Beyond, or where the body is not finite, the gyroscopic torque is left out:
 * it would do no work. */
void nb_free_spin_of(const nb_body *body, nb_gyroscopic_torque torque, double h, nb_free_spin *free);

/* in the world, at this orientation [kg m^2], and its inverse */
nb_mat3 nb_inertia_at(const nb_body *body, nb_quat turn);
nb_mat3 nb_inverse_inertia_at(const nb_body *body, nb_quat turn);

#endif
