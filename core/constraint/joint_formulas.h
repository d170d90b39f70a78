/* What moves with a joint's row, in formulas: one source for this processor and a GPU. By increments from the start of
 * the step, so that no digits are lost to lengths or to places in the world: the rows of nb_joint_evaluate
 * (model/joint.h), which has them of any places in double, up to round-off.
 *
 * A body moves by h times its velocity and turns by the Cayley transform of e = h omega / 2 (contact_formulas.h, whose
 * NB_LANE is a `real` here). */
#ifndef NB_SYSTEM_JOINT_FORMULAS_H
#define NB_SYSTEM_JOINT_FORMULAS_H

#include "model/joint_motion.h"
#include "operator/contact_formulas.h"

/* y = x turned by the quaternion q (w x y z; sign -1: back) */
NB_FN void nb_quat_turn(const real q[4], real sign, const real x[3], real y[3]) {
    real once[3], twice[3];
    nb_lane_cross(q + 1, x, once);
    nb_lane_cross(q + 1, once, twice);
    for (int k = 0; k < 3; k++) y[k] = x[k] + 2 * (sign * q[0] * once[k] + twice[k]);
}

/* j = (l, arm_a x l, -l, -arm_b x l), linear and angular of a and of b */
NB_FN void nb_joint_pull(const real l[3], const real arm_a[3], const real arm_b[3], real j[12]) {
    nb_lane_cross(arm_a, l, j + 3);
    nb_lane_cross(l, arm_b, j + 9);
    for (int k = 0; k < 3; k++) {
        j[k] = l[k];
        j[6 + k] = -l[k];
    }
}

/* rows between two anchors; returns c / h */
NB_FN real nb_joint_moved_anchors(int motion, const real start[NB_JOINT_NUMBERS], real rate, real h,
                                  const real motion_a[7], const real motion_b[7], real j[12]) {
    real arm_a[3], arm_b[3], speed[3], moved_b[3], apart[3], direction[3] = {0, 0, 1};
    nb_lane_advance(motion_a, h, start + 3, arm_a, speed);
    nb_lane_advance(motion_b, h, start + 6, arm_b, moved_b);
    for (int k = 0; k < 3; k++) {
        speed[k] -= moved_b[k];
        apart[k] = start[9 + k] + h * speed[k];
    }
    if (motion == NB_JOINT_TRANSLATION) {
        nb_lane_advance(motion_b, h, start, direction, moved_b);
        rate = nb_lane_dot(direction, start + 9) * (1 / h) + nb_lane_dot(direction, speed);
        for (int k = 0; k < 3; k++) arm_b[k] += apart[k]; /* the axis turns with b: to a's anchor */
    } else {
        real length = NB_SQRT(nb_lane_dot(apart, apart)), sum = length + NB_SQRT(nb_lane_dot(start + 9, start + 9));
        /* |d + s| - |d| = s . (2 d + s) / (|d + s| + |d|) */
        if (sum > 0) rate += (nb_lane_dot(speed, start + 9) + nb_lane_dot(speed, apart)) / sum;
        for (int k = 0; length > 0 && k < 3; k++) direction[k] = apart[k] / length;
    }
    nb_joint_pull(direction, arm_a, arm_b, j);
    return rate;
}

/* The vector of the rotation q, and k of the inverse of its left Jacobian, as in model/joint.c; there tan is of the
 * half angle, whose sine and cosine are known here. */
NB_FN real nb_joint_rotation_vector(const real q[4], real v[3]) {
    real sign = q[0] < 0 ? R(-1) : R(1), cosine = sign * q[0], sine = NB_SQRT(nb_lane_dot(q + 1, q + 1));
    real angle = 2 * NB_ATAN2(sine, cosine), scale = sine > R(1e-9) ? angle / sine : R(2);
    for (int k = 0; k < 3; k++) v[k] = sign * scale * q[1 + k];
    if (angle > R(1e-3)) return (1 - R(0.5) * angle * cosine / sine) / (angle * angle);
    return R(1) / 12 + angle * angle / 720;
}

/* rows of rotation about the axis of b's frame, 0 to 2; returns c / h */
NB_FN real nb_joint_moved_frames(int axis, const real start[NB_JOINT_NUMBERS], real h, const real motion_a[7],
                                 const real motion_b[7], real j[12]) {
    real a[3], b[3], turn[3], own[3], q[4], v[3], unit[3], once[3], twice[3], gradient[3];
    for (int k = 0; k < 3; k++) {
        a[k] = motion_a[3 + k] * (h / 2);
        b[k] = motion_b[3 + k] * (h / 2);
        unit[k] = k == axis ? R(1) : R(0);
    }
    /* what a turns by against b: (w, turn) = (1, -b) (1, a) / |(1, b)| |(1, a)| */
    real norm = R(0.5) * NB_SQRT(motion_a[NB_MOTION_SCALE]) * NB_SQRT(motion_b[NB_MOTION_SCALE]);
    nb_lane_cross(a, b, turn);
    for (int k = 0; k < 3; k++) turn[k] = norm * (a[k] - b[k] + turn[k]);
    real w = norm * (1 + nb_lane_dot(a, b)), less = -nb_lane_dot(turn, turn) / (1 + w); /* w - 1 */
    nb_quat_turn(start + 4, -1, turn, own);
    nb_lane_cross(own, start + 1, q + 1);
    q[0] = start[0] + (less * start[0] - nb_lane_dot(own, start + 1));
    for (int k = 0; k < 3; k++) q[1 + k] = start[1 + k] + (less * start[1 + k] + start[0] * own[k] + q[1 + k]);
    real coefficient = nb_joint_rotation_vector(q, v);
    nb_lane_cross(v, unit, once);
    nb_lane_cross(v, once, twice);
    for (int k = 0; k < 3; k++) unit[k] += R(0.5) * once[k] + coefficient * twice[k];
    nb_quat_turn(start + 4, 1, unit, once);
    nb_lane_advance(motion_b, h, once, gradient, twice);
    for (int k = 0; k < 3; k++) {
        j[k] = j[6 + k] = 0;
        j[3 + k] = gradient[k];
        j[9 + k] = -gradient[k];
    }
    return (axis == 0 ? v[0] : axis == 1 ? v[1] : v[2]) * (1 / h);
}

/* The row j after its bodies moved for h: of velocity 0 to 5 and NB_MOTION_SCALE; the world does not move, and has the
 * scale 2. `rate` is c/h at the start [m/s or rad/s]. Returns c/h. */
NB_FN real nb_joint_moved(int motion, const real start[NB_JOINT_NUMBERS], real rate, real h, const real motion_a[7],
                          const real motion_b[7], real j[12]) {
    if (motion >= NB_JOINT_ROTATION_X)
        return nb_joint_moved_frames(motion - NB_JOINT_ROTATION_X, start, h, motion_a, motion_b, j);
    return nb_joint_moved_anchors(motion, start, rate, h, motion_a, motion_b, j);
}

#endif
