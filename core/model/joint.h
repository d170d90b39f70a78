/* Bilateral joints, and their rows: constraint values and their gradients. */
#ifndef NB_MODEL_JOINT_H
#define NB_MODEL_JOINT_H

#include <stdint.h>

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

#endif
