/* Motors in a world, and what begins a step (motor.h has their law). */
#ifndef NB_MODEL_DRIVE_H
#define NB_MODEL_DRIVE_H

#include "model/coordinate.h"
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

/* position and orientation of a body that moves with these velocities for h */
NB_INLINE_FN void nb_body_after(const nb_body *body, double h, nb_vec3 velocity, nb_vec3 spin, nb_vec3 *x, nb_quat *q) {
    *x = nb_add_scaled(body->position, h, velocity);
    *q = nb_quat_advance(body->orientation, h, spin);
}

/* Moves a body that is not fixed by its velocities over a step of h. */
NB_INLINE_FN void nb_body_move(nb_body *body, double h) {
    body->position = nb_add_scaled(body->position, h, body->linear_velocity);
    /* what is at rest stays as it is: to normalise its orientation again is to round it again */
    if (nb_norm(body->linear_velocity) > 0 || nb_norm(body->angular_velocity) > 0)
        body->orientation = nb_quat_advance(body->orientation, h, body->angular_velocity);
}

/* Moves all that is not fixed by its velocities over a step of h, and the time. */
void nb_world_move(nb_world *world, double h);

/* dampers of a joint: c = 0 at the start of the step, and c + h/d lambda = 0 at its end */
NB_INLINE_FN void nb_joint_begin_dampers(nb_joint *joint, double h, nb_vec3 xa, nb_quat qa, nb_vec3 xb, nb_quat qb) {
    const nb_quat back = nb_quat_conjugate(qb);
    const nb_vec3 point = nb_add(xa, nb_quat_rotate(qa, joint->anchor_a));
    if (joint->damping[0] > 0) joint->anchor_b = nb_quat_rotate(back, nb_sub(point, xb));
    if (joint->damping[3] > 0) joint->frame_b = nb_quat_product(back, nb_quat_product(qa, joint->frame_a));
    for (int i = 0; i < 6; i++)
        if (joint->damping[i] > 0) joint->compliance[i] = h / joint->damping[i];
}

/* the joint of a motor without a limit of effort, whose coordinate stands at s */
NB_INLINE_FN void nb_joint_begin_motor(nb_joint *joint, const nb_motor *m, double s, double h) {
    double compliance, by_start;
    const double held = nb_motor_holds(m, s, h, &compliance, &by_start);
    joint->compliance[m->along ? NB_MOTOR_ROW_ALONG : NB_MOTOR_ROW_ABOUT] = compliance;
    if (m->along)
        joint->anchor_b = nb_add_scaled(m->anchor, held, nb_quat_rotate(m->frame, nb_vec3_of(1, 0, 0)));
    else
        joint->frame_b = nb_quat_product(m->frame, nb_quat_about(nb_vec3_of(1, 0, 0), held));
}

#endif
