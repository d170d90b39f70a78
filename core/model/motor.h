/* Motors: a joint's free axis driven by implicit PD control.
 *
 * A motor's torque (force) at the end of a step of h, from the angle (way) s of body a against body b there, is
 *
 *     lambda = -k (s - target) - d ((s - s_0)/h - rate),    s_0 at the step's start
 *
 * which is the soft row c + e lambda = 0 (Macklin et al. 2019, eq. (7)) with
 *
 *     e = 1/(k + d/h),   c = s - e (k target + d (s_0/h + rate)):
 *
 * a motor is a joint of kind fixed whose free row has this compliance, and whose frame (anchor) on body b is turned
 * (shifted) by what s is held against. So it works with everything that takes joints. Angles are of any size: the one
 * next to the target counts. */
#ifndef NB_MODEL_MOTOR_H
#define NB_MODEL_MOTOR_H

#include <stdint.h>

#include "base/status.h"
#include "base/vec3.h"
#include "model/joint.h"

typedef struct nb_motor {
    int32_t joint;    /* of kind NB_JOINT_FIXED; its frames coincide where s = 0 */
    int along;        /* 1: it slides along the frame's x axis; 0: it turns about that */
    double stiffness; /* k [N m/rad or N/m] */
    double damping;   /* d [N m s/rad or N s/m] */
    double target;    /* [rad or m] */
    double rate;      /* of the target [rad/s or m/s] */
    nb_vec3 anchor;   /* of body b where s = 0 */
    nb_quat frame;
} nb_motor;

struct nb_world;

/* A joint between two bodies like nb_world_add_joint_at's revolute or prismatic one, with a motor at its free axis
 * which holds s = 0 until told otherwise. NB_ERROR_INPUT as there, for another kind, and where stiffness and damping
 * are not numbers from 0 on, one of them positive. */
nb_status nb_world_add_motor(struct nb_world *world, nb_joint_kind kind, int32_t body_a, int32_t body_b, nb_vec3 anchor,
                             nb_quat frame, double stiffness, double damping, int32_t *motor);

/* s as the world stands [rad or m] */
double nb_motor_position(const struct nb_world *world, int32_t motor);

/* Sets the motors' joints for the step of h that begins. */
void nb_motors_drive(struct nb_world *world, double h);

#endif
