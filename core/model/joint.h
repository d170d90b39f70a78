/* The rows of bilateral joints: constraint values and their gradients. */
#ifndef NB_MODEL_JOINT_H
#define NB_MODEL_JOINT_H

#include "model/joint_motion.h"
#include "model/world.h"

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

/* How a row moves from these places on, for code that follows it by increments (constraint/joint_formulas.h). */
typedef struct nb_joint_start {
    nb_joint_motion motion;
    double numbers[NB_JOINT_NUMBERS];
} nb_joint_start;

/* The starts of the rows that nb_joint_evaluate gives at the same places; returns their number. */
int nb_joint_begin(const nb_joint *joint, nb_vec3 xa, nb_quat qa, nb_vec3 xb, nb_quat qb,
                   nb_joint_start starts[NB_JOINT_MAX_ROWS]);

#endif
