/* Bilateral joints, and their rows: constraint values and their gradients. */
#ifndef NB_MODEL_JOINT_H
#define NB_MODEL_JOINT_H

#include <stdint.h>

#include "base/features.h"
#include "base/vec3.h"
#include "model/joint_motion.h"

typedef enum nb_joint_kind {
    NB_JOINT_FIXED,     /* 6 rows: 3 of position, 3 of rotation */
    NB_JOINT_SPHERICAL, /* 3 rows */
    NB_JOINT_REVOLUTE,  /* 5 rows: turns about the frame's x axis */
    NB_JOINT_PRISMATIC, /* 5 rows: slides along the frame's x axis */
    NB_JOINT_DISTANCE,  /* 1 row: the anchors stay `length` apart */
} nb_joint_kind;

/* A joint between body a and body b (-1: the world), stated by an anchor and a frame in each body's own frame. The
 * constraint is zero where the two anchors and frames coincide (for the kinds' rows).
 * Rows, in order: translation along the frame's x, y, z axes [m]; rotation about its x, y, z axes [rad]; a kind leaves
 * some out. A row's compliance e [m/N or rad/(N m)] makes it soft: c + e lambda = 0 (paper eq. (7)); 0 is rigid. */
typedef struct nb_joint {
    nb_joint_kind kind;
    int32_t body_a, body_b;
    nb_vec3 anchor_a, anchor_b; /* in the bodies' frames; in the world's where the body is -1 */
    nb_quat frame_a, frame_b;
    double compliance[6]; /* translation x, y, z; rotation x, y, z */
    /* Dampers [N s/m, N m s/rad], of kind fixed: what its three rows of translation, or of rotation, exert in place of
     * their constraint, -d v. nb_world_begin_step puts that end of body b where body a's is, and sets compliance h/d.
     */
    double damping[6];
    double length; /* distance joint [m] */
    /* of its free coordinate (model/coordinate.h) */
    int32_t limited;  /* 1: it has limits */
    double limits[2]; /* lower, upper [rad or m] */
    double friction;  /* dry friction [N m or N]; 0: none */
    double armature;  /* inertia of its rotor [kg m^2 or kg]; 0: none */
    int32_t counted;  /* 1: turns are counted from `turned`, the angle as the step began (or nearly) [rad] */
    double turned;
} nb_joint;

/* how many rows a joint of this kind has */
int nb_joint_rows(nb_joint_kind kind);

enum {
    NB_JOINT_MAX_ROWS = 6
};

typedef struct nb_joint_row {
    double value;                /* c [m or rad] */
    double compliance;           /* e [m/N or rad/(N m)] */
    nb_vec3 linear_a, angular_a; /* dc/dt = linear_a . v_a + angular_a . omega_a + the same for b */
    nb_vec3 linear_b, angular_b;
} nb_joint_row;

/* The rows of `joint` where body a is at (xa, qa) and body b at (xb, qb); a body of -1 is the world at the origin (its
 * gradients are given all the same, and ignored). Returns the number of rows. Gradients are exact derivatives of
 * `value` (tested against finite differences), for rotations of any size below pi. */
int nb_joint_evaluate(const nb_joint *joint, nb_vec3 xa, nb_quat qa, nb_vec3 xb, nb_quat qb,
                      nb_joint_row rows[NB_JOINT_MAX_ROWS]);

/* The small motion of the rows' gradients, `change`, where the bodies move by `move_a`, `move_b` [m] and turn by the
 * small vectors `turn_a`, `turn_b` [rad], in the world's axes; that of their values is what their gradients say, and is
 * here too. A body of -1 does not move. Returns the number of rows. */
int nb_joint_differentiate(const nb_joint *joint, nb_vec3 xa, nb_quat qa, nb_vec3 xb, nb_quat qb, nb_vec3 move_a,
                           nb_vec3 turn_a, nb_vec3 move_b, nb_vec3 turn_b, nb_joint_row change[NB_JOINT_MAX_ROWS]);

/* The same for many motions from one place, of which all but the motion is found once. */
typedef struct nb_joint_place {
    const nb_joint *joint; /* borrowed */
    int count;
    nb_joint_row rows[NB_JOINT_MAX_ROWS]; /* as nb_joint_evaluate has them */
    /* private */
    nb_vec3 arm_a, arm_b, reach; /* reach: from b's centre to a's anchor */
    nb_mat3 frame_b;
    nb_vec3 v; /* the rotation vector of a's frame seen from b's, and its change by turns of a */
    nb_vec3 by_turn[3];
    double k;
} nb_joint_place;

void nb_joint_place_at(const nb_joint *joint, nb_vec3 xa, nb_quat qa, nb_vec3 xb, nb_quat qb, nb_joint_place *place);
int nb_joint_place_move(const nb_joint_place *place, nb_vec3 move_a, nb_vec3 turn_a, nb_vec3 move_b, nb_vec3 turn_b,
                        nb_joint_row change[NB_JOINT_MAX_ROWS]);

/* The same where no body moves, and in the place of that the frame on b turns, and its anchor moves, by these in the
 * world's axes; not of a distance joint. */
int nb_joint_place_reframe(const nb_joint_place *place, nb_vec3 shift, nb_vec3 turn,
                           nb_joint_row change[NB_JOINT_MAX_ROWS]);

/* How a row moves from these places on, for code that follows it by increments (constraint/joint_formulas.h). */
typedef struct nb_joint_start {
    nb_joint_motion motion;
    double numbers[NB_JOINT_NUMBERS];
} nb_joint_start;

/* The starts of the rows that nb_joint_evaluate gives at the same places; returns their number. */
int nb_joint_begin(const nb_joint *joint, nb_vec3 xa, nb_quat qa, nb_vec3 xb, nb_quat qb,
                   nb_joint_start starts[NB_JOINT_MAX_ROWS]);

/* ---- the same row by row, in functions that a GPU shares ---- */

/* whether a joint of this kind has row i of six: translation x, y, z; rotation x, y, z */
NB_INLINE_FN int nb_joint_has_row(nb_joint_kind kind, int i) {
    const int all = kind == NB_JOINT_FIXED       ? 0x3f
                    : kind == NB_JOINT_SPHERICAL ? 0x07
                    : kind == NB_JOINT_REVOLUTE  ? 0x37
                    : kind == NB_JOINT_PRISMATIC ? 0x3e
                                                 : 0x01;
    return all >> i & 1;
}

/* what the rows have in common, where the bodies are */
typedef struct nb_joint_frames {
    nb_vec3 xb, pa, pb, ra, rb; /* body b's centre; anchors, and the arms to them, in the world */
    nb_quat between, b;         /* a's frame seen from b's; b's frame in the world */
    nb_mat3 axes_b;
    nb_vec3 v; /* the rotation vector of `between`, and k of its inverse left Jacobian */
    double k;
} nb_joint_frames;

/* The rotation vector of a unit quaternion of rotation below pi, and the inverse of its left Jacobian: a change of the
 * rotation by the small vector d (in the outer frame) changes the vector by J^-1 d, with
 * J^-1 d = d - v x d / 2 + k v x (v x d),  k = (1 - (t/2) cot(t/2))/t^2. */
NB_INLINE_FN nb_vec3 nb_quat_rotation_vector(nb_quat q, double *k) {
    if (q.w < 0) q = nb_quat_of(-q.w, -q.x, -q.y, -q.z);
    const nb_vec3 v = nb_vec3_of(q.x, q.y, q.z);
    const double sine = nb_norm(v), angle = 2 * atan2(sine, q.w), scale = sine > 1e-9 ? angle / sine : 2;
    *k = angle > 1e-3 ? (1 - 0.5 * angle / tan(0.5 * angle)) / (angle * angle) : 1.0 / 12 + angle * angle / 720;
    return nb_scale(scale, v);
}

NB_INLINE_FN nb_joint_frames nb_joint_frames_at(const nb_joint *joint, nb_vec3 xa, nb_quat qa, nb_vec3 xb, nb_quat qb) {
    nb_joint_frames at;
    at.xb = xb;
    at.ra = nb_quat_rotate(qa, joint->anchor_a);
    at.rb = nb_quat_rotate(qb, joint->anchor_b);
    at.pa = nb_add(xa, at.ra);
    at.pb = nb_add(xb, at.rb);
    at.b = at.between = nb_quat_identity();
    at.axes_b = nb_quat_matrix(at.b);
    at.v = nb_vec3_of(0, 0, 0);
    at.k = 0;
    if (joint->kind == NB_JOINT_DISTANCE) return at; /* which has no use for these */
    at.b = nb_quat_product(qb, joint->frame_b);
    at.between = nb_quat_product(nb_quat_conjugate(at.b), nb_quat_product(qa, joint->frame_a));
    at.axes_b = nb_quat_matrix(at.b);
    at.v = nb_quat_rotation_vector(at.between, &at.k);
    return at;
}

NB_INLINE_FN nb_vec3 nb_joint_axis(const nb_joint_frames *at, int i) {
    return nb_vec3_of(at->axes_b.m[0][i], at->axes_b.m[1][i], at->axes_b.m[2][i]);
}

/* along axis i of b's frame, e: c = e . (pa - pb) */
NB_INLINE_FN nb_joint_row nb_joint_translation_row(const nb_joint_frames *at, int i) {
    const nb_vec3 e = nb_joint_axis(at, i);
    nb_joint_row row;
    row.compliance = 0;
    row.value = nb_dot(e, nb_sub(at->pa, at->pb));
    row.linear_a = e;
    row.angular_a = nb_cross(at->ra, e);
    row.linear_b = nb_scale(-1, e);
    /* the axis turns with b: its lever reaches from b's centre to a's anchor */
    row.angular_b = nb_scale(-1, nb_cross(nb_sub(at->pa, at->xb), e));
    return row;
}

/* component i of the rotation vector of a's frame seen from b's frame */
NB_INLINE_FN nb_joint_row nb_joint_rotation_row(const nb_joint_frames *at, int i) {
    /* dv = J^-1 R_b^T (omega_a - omega_b); row i of J^-1 is e + (v x e)/2 + k v x (v x e), as J^-T turns v's sign */
    const nb_vec3 e = nb_vec3_of(i == 0, i == 1, i == 2), ve = nb_cross(at->v, e);
    const nb_vec3 own = nb_add(nb_add_scaled(e, 0.5, ve), nb_scale(at->k, nb_cross(at->v, ve)));
    nb_joint_row row;
    row.compliance = 0;
    row.value = i == 0 ? at->v.x : i == 1 ? at->v.y : at->v.z;
    row.angular_a = nb_mat3_apply(&at->axes_b, own);
    row.angular_b = nb_scale(-1, row.angular_a);
    row.linear_a = row.linear_b = nb_vec3_of(0, 0, 0);
    return row;
}

NB_INLINE_FN nb_joint_row nb_joint_distance_row(double length, const nb_joint_frames *at) {
    const nb_vec3 d = nb_sub(at->pa, at->pb);
    const double distance = nb_norm(d);
    /* coincident anchors have no direction: any unit vector is a subgradient */
    const nb_vec3 n = distance > 0 ? nb_scale(1 / distance, d) : nb_vec3_of(0, 0, 1);
    nb_joint_row row;
    row.compliance = 0;
    row.value = distance - length;
    row.linear_a = n;
    row.angular_a = nb_cross(at->ra, n);
    row.linear_b = nb_scale(-1, n);
    row.angular_b = nb_scale(-1, nb_cross(at->rb, n));
    return row;
}

/* row i of six, which the joint has */
NB_INLINE_FN nb_joint_row nb_joint_row_at(const nb_joint *joint, const nb_joint_frames *at, int i) {
    nb_joint_row row = joint->kind == NB_JOINT_DISTANCE ? nb_joint_distance_row(joint->length, at)
                       : i < 3                          ? nb_joint_translation_row(at, i)
                                                        : nb_joint_rotation_row(at, i - 3);
    row.compliance = joint->compliance[i];
    return row;
}

NB_INLINE_FN void nb_joint_put_vector(nb_vec3 from, double *to) {
    to[0] = from.x;
    to[1] = from.y;
    to[2] = from.z;
}

NB_INLINE_FN void nb_joint_put_quat(nb_quat from, double *to) {
    to[0] = from.w;
    to[1] = from.x;
    to[2] = from.y;
    to[3] = from.z;
}

/* how that row moves from there on */
NB_INLINE_FN nb_joint_start nb_joint_start_at(const nb_joint *joint, const nb_joint_frames *at, int i) {
    nb_joint_start start;
    for (int k = 0; k < 3; k++) start.numbers[k] = 0;
    nb_joint_put_vector(at->ra, start.numbers + 3);
    nb_joint_put_vector(at->rb, start.numbers + 6);
    nb_joint_put_vector(nb_sub(at->pa, at->pb), start.numbers + 9);
    if (joint->kind == NB_JOINT_DISTANCE) {
        start.motion = NB_JOINT_LENGTH;
    } else if (i < 3) {
        start.motion = NB_JOINT_TRANSLATION;
        nb_joint_put_vector(nb_joint_axis(at, i), start.numbers);
    } else {
        start.motion = (nb_joint_motion)(NB_JOINT_ROTATION_X + i - 3);
        nb_joint_put_quat(at->between, start.numbers);
        nb_joint_put_quat(at->b, start.numbers + 4);
    }
    return start;
}

#endif
