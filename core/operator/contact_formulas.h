/* What moves with a contact, in formulas over NB_LANE: a `real`, or a vector register of them with a contact each. One
 * source for the kernels of lanes/contacts.c and those on a GPU. Whoever includes this defines NB_LANE before. */
#ifndef NB_SYSTEM_CONTACT_FORMULAS_H
#define NB_SYSTEM_CONTACT_FORMULAS_H

#include "base/features.h"

enum {
    NB_MOTION_SCALE = 6 /* the word of a body's motion that holds 2 / (1 + e . e), e = h omega / 2 */
};

NB_FN NB_LANE nb_lane_dot(const NB_LANE a[3], const NB_LANE b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

NB_FN void nb_lane_cross(const NB_LANE a[3], const NB_LANE b[3], NB_LANE c[3]) {
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

/* e x arm and e x (e x arm), e = h omega / 2 */
NB_FN void nb_lane_turn(const NB_LANE motion[7], real h, const NB_LANE arm[3], NB_LANE once[3], NB_LANE twice[3]) {
    NB_LANE e[3];
    for (int k = 0; k < 3; k++) e[k] = motion[3 + k] * (h / 2);
    nb_lane_cross(e, arm, once);
    nb_lane_cross(e, once, twice);
}

/* the arm after its body has moved, and what it and its body's centre have moved by, per time */
NB_FN void nb_lane_advance(const NB_LANE motion[7], real h, const NB_LANE start[3], NB_LANE arm[3], NB_LANE moved[3]) {
    NB_LANE once[3], twice[3];
    nb_lane_turn(motion, h, start, once, twice);
    for (int k = 0; k < 3; k++) {
        NB_LANE change = motion[NB_MOTION_SCALE] * (once[k] + twice[k]);
        arm[k] = start[k] + change;
        moved[k] = motion[k] + change * (1 / h);
    }
}

/* The same of a contact. `turns` 1: its arm turns with the body; 0: it stays, and its end moves as the body's velocity
 * there says. */
NB_FN void nb_lane_advance_contact(const NB_LANE motion[7], real h, const NB_LANE start[3], NB_LANE turns,
                                   NB_LANE arm[3], NB_LANE moved[3]) {
    const NB_LANE scale = turns * motion[NB_MOTION_SCALE], stays = 2 * (1 - turns);
    NB_LANE once[3], twice[3];
    nb_lane_turn(motion, h, start, once, twice);
    for (int k = 0; k < 3; k++) {
        NB_LANE change = scale * (once[k] + twice[k]);
        arm[k] = start[k] + change;
        moved[k] = motion[k] + (change + stays * once[k]) * (1 / h);
    }
}

/* 2 / (1 + e . e) of a body that turns with omega */
NB_FN NB_LANE nb_lane_motion_scale(real h, const NB_LANE omega[3]) {
    return 2 / (1 + (h / 2) * (h / 2) * nb_lane_dot(omega, omega));
}

/* the velocity of a body's point */
NB_FN void nb_lane_velocity_at(const NB_LANE motion[6], const NB_LANE arm[3], NB_LANE velocity[3]) {
    nb_lane_cross(motion + 3, arm, velocity);
    for (int k = 0; k < 3; k++) velocity[k] += motion[k];
}

/* what a body adds to the diagonal: 1/m + (arm x d) . I^-1 (arm x d) for each direction d; inverse is 1/m and the
 * inertia's xx yy zz xy xz yz */
NB_FN void nb_lane_add_share(const NB_LANE inverse[7], const NB_LANE arm[3], const NB_LANE frame[9],
                             NB_LANE diagonal[3]) {
    for (int k = 0; k < 3; k++) {
        NB_LANE t[3];
        nb_lane_cross(arm, frame + 3 * k, t);
        diagonal[k] += inverse[0] + inverse[1] * t[0] * t[0] + inverse[2] * t[1] * t[1] + inverse[3] * t[2] * t[2] +
                       2 * (inverse[4] * t[0] * t[1] + inverse[5] * t[0] * t[2] + inverse[6] * t[1] * t[2]);
    }
}

#endif
