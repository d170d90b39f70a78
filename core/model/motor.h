/* Motors: a joint's free axis driven by implicit PD control, or without giving way.
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
 * next to the target counts. With k = INFINITY the motor holds s = target at the end of each step, e = 0: a motion that
 * is prescribed. */
#ifndef NB_MODEL_MOTOR_H
#define NB_MODEL_MOTOR_H

#include <stdint.h>

#include "base/vec3.h"

/* the free row among those of the fixed joint */
enum {
    NB_MOTOR_ROW_ALONG = 0, /* translation along x */
    NB_MOTOR_ROW_ABOUT = 3  /* rotation about x */
};

typedef struct nb_motor {
    int32_t joint;    /* of kind NB_JOINT_FIXED without a limit of effort; its frames coincide where s = 0 */
    int along;        /* 1: it slides along the frame's x axis; 0: it turns about that */
    double stiffness; /* k [N m/rad or N/m], or INFINITY */
    double damping;   /* d [N m s/rad or N s/m] */
    double target;    /* [rad or m] */
    double rate;      /* of the target [rad/s or m/s] */
    nb_vec3 anchor;   /* of body b where s = 0 */
    nb_quat frame;
    /* |lambda| at most [N m or N]; 0: any. With it, the joint is revolute (prismatic), or a fixed one that a motor
     * before frees along this axis, and the motor's row is one of the joint's free coordinate (model/coordinate.h). */
    double effort;
} nb_motor;

#endif
