/* Motors in a world, and what begins a step (motor.h has their law). */
#ifndef NB_MODEL_DRIVE_H
#define NB_MODEL_DRIVE_H

#include "model/world.h"

/* A joint between two bodies like nb_world_add_joint_at's revolute or prismatic one, with a motor at its free axis
 * which holds s = 0 until told otherwise. NB_ERROR_INPUT as there, for another kind, and where stiffness and damping
 * are not numbers from 0 on, one of them positive; a stiffness may be INFINITY. */
nb_status nb_world_add_motor(nb_world *world, nb_joint_kind kind, int32_t body_a, int32_t body_b, nb_vec3 anchor,
                             nb_quat frame, double stiffness, double damping, int32_t *motor);

/* s as the world stands [rad or m] */
double nb_motor_position(const nb_world *world, int32_t motor);

/* To be called before each step of h, and before its contacts are detected: turns of joints, what is prescribed, then
 * joints with dampers and those of motors. */
void nb_world_begin_step(nb_world *world, double h);

/* the velocity of its point that is at `point` of the world; 0 of a fixed body */
nb_vec3 nb_body_velocity_at(const nb_body *body, nb_vec3 point);

/* Moves a body that is not fixed by its velocities over a step of h. */
NB_INLINE_FN void nb_body_move(nb_body *body, double h) {
    body->position = nb_add_scaled(body->position, h, body->linear_velocity);
    /* what is at rest stays as it is: to normalise its orientation again is to round it again */
    if (nb_norm(body->linear_velocity) > 0 || nb_norm(body->angular_velocity) > 0)
        body->orientation = nb_quat_advance(body->orientation, h, body->angular_velocity);
}

/* Moves all that is not fixed by its velocities over a step of h, and the time. */
void nb_world_move(nb_world *world, double h);

#endif
