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

/* ---- the same in functions that a GPU shares ---- */

enum {
    NB_TURN_MOST_ITERATIONS = 100,
    NB_TURN_MOST_PARTS = 4096 /* of a step, in which its midpoint rule is solved */
};

NB_INLINE_FN nb_mat3 nb_rotated_diagonal(nb_quat turn, double x, double y, double z) {
    const nb_mat3 principal = {{{x, 0, 0}, {0, y, 0}, {0, 0, z}}};
    return nb_mat3_rotated(turn, &principal);
}

/* nb_inertia_at, nb_inverse_inertia_at */
NB_INLINE_FN nb_mat3 nb_turned_inertia(const nb_body *body, nb_quat turn) {
    return nb_rotated_diagonal(turn, body->inertia.x, body->inertia.y, body->inertia.z);
}

NB_INLINE_FN nb_mat3 nb_turned_inverse_inertia(const nb_body *body, nb_quat turn) {
    return nb_rotated_diagonal(turn, 1 / body->inertia.x, 1 / body->inertia.y, 1 / body->inertia.z);
}

/* ---- Euler's equations in the body's frame ---- */

/* dw/dt = -c w_j w_k + torque/I in the principal axes */
typedef struct nb_euler {
    double c[3];    /* (I_k - I_j)/I_i */
    double push[3]; /* torque/I [rad/s^2] */
    int turns;      /* 0: all c are 0, of a ball */
} nb_euler;

NB_INLINE_FN nb_euler nb_turn_euler_of(const nb_body *body) {
    const double inertia[3] = {body->inertia.x, body->inertia.y, body->inertia.z};
    nb_euler e;
    e.turns = 0;
    for (int i = 0; i < 3; i++) {
        e.c[i] = (inertia[(i + 2) % 3] - inertia[(i + 1) % 3]) / inertia[i];
        e.turns |= e.c[i] != 0;
    }
    return e;
}

/* the world's torque on the body where it stands so */
NB_INLINE_FN void nb_turn_push(const nb_body *body, nb_quat turn, nb_euler *e) {
    const nb_vec3 torque = nb_quat_rotate(nb_quat_conjugate(turn), body->torque);
    e->push[0] = torque.x / body->inertia.x;
    e->push[1] = torque.y / body->inertia.y;
    e->push[2] = torque.z / body->inertia.z;
}

/* whether an iteration has come to round-off; *before: its last change */
NB_INLINE_FN int nb_turn_is_enough(double change, double size, double *before) {
    const int enough = change <= 1e-15 * size || (change < 1e-12 * size && change >= *before);
    *before = change;
    return enough;
}

/* 1 + h d(c w_j w_k)/dw */
NB_INLINE_FN nb_mat3 nb_turn_slope(const nb_euler *e, double h, const double w[3]) {
    nb_mat3 n = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        n.m[i][j] = h * e->c[i] * w[k];
        n.m[i][k] = h * e->c[i] * w[j];
    }
    return n;
}

/* end [3] from w [3] over h by backward Euler; *inverse: of the slope there. 0 where Newton's method does not converge.
 */
NB_INLINE_FN int nb_turn_step_back(const nb_euler *e, double h, const double w[3], double end[3], nb_mat3 *inverse) {
    double before = INFINITY;
    for (int i = 0; i < 3; i++) end[i] = w[i];
    for (int n = 0; n < NB_TURN_MOST_ITERATIONS; n++) {
        const nb_mat3 at = nb_turn_slope(e, h, end);
        double r[3];
        for (int i = 0; i < 3; i++)
            r[i] = end[i] - w[i] + h * (e->c[i] * end[(i + 1) % 3] * end[(i + 2) % 3] - e->push[i]);
        *inverse = nb_mat3_inverse(&at);
        const nb_vec3 step = nb_mat3_apply(inverse, nb_vec3_of(r[0], r[1], r[2]));
        end[0] -= step.x;
        end[1] -= step.y;
        end[2] -= step.z;
        if (nb_turn_is_enough(nb_norm(step), nb_norm(nb_vec3_of(end[0], end[1], end[2])), &before)) return 1;
    }
    return 0;
}

/* w [3] over h by the midpoint rule in `parts`, each a step of backward Euler to its middle and as far again; with the
 * derivatives by its start and by torque/I. 0 where Newton's method does not converge. */
NB_INLINE_FN int nb_turn_midpoints(const nb_euler *e, double h, int parts, double w[3], nb_mat3 *by_start,
                                   nb_mat3 *by_push) {
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            by_start->m[i][k] = i == k;
            by_push->m[i][k] = 0;
        }
    for (int n = 0; n < parts; n++) {
        nb_mat3 inverse, own;
        double middle[3];
        if (!nb_turn_step_back(e, h / parts / 2, w, middle, &inverse)) return 0;
        for (int i = 0; i < 3; i++) w[i] = 2 * middle[i] - w[i];
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++) own.m[i][k] = 2 * inverse.m[i][k] - (i == k);
        *by_start = nb_mat3_product(&own, by_start);
        *by_push = nb_mat3_product(&own, by_push);
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++) by_push->m[i][k] += h / parts * inverse.m[i][k];
    }
    return 1;
}

/* without gyroscopic torque, or with that of the start */
NB_INLINE_FN void nb_turn_explicit_spin(const nb_body *body, int gyroscopic, double h, nb_free_spin *free_spin) {
    const nb_mat3 inertia = nb_turned_inertia(body, body->orientation),
                  inverse = nb_turned_inverse_inertia(body, body->orientation);
    const nb_vec3 w = body->angular_velocity, l = nb_mat3_apply(&inertia, w);
    const nb_vec3 axes[3] = {nb_vec3_of(1, 0, 0), nb_vec3_of(0, 1, 0), nb_vec3_of(0, 0, 1)};
    const nb_vec3 torque = gyroscopic ? nb_sub(body->torque, nb_cross(w, l)) : body->torque;
    free_spin->spin = nb_add_scaled(w, h, nb_mat3_apply(&inverse, torque));
    for (int k = 0; k < 3; k++) {
        const nb_vec3 turning = nb_add(nb_cross(axes[k], l), nb_cross(w, nb_mat3_apply(&inertia, axes[k])));
        const nb_vec3 column = nb_add_scaled(axes[k], gyroscopic ? -h : 0, nb_mat3_apply(&inverse, turning));
        free_spin->by_spin.m[0][k] = column.x;
        free_spin->by_spin.m[1][k] = column.y;
        free_spin->by_spin.m[2][k] = column.z;
        for (int i = 0; i < 3; i++) free_spin->by_torque.m[i][k] = h * inverse.m[i][k];
    }
}

/* nb_free_spin_of */
NB_INLINE_FN void nb_turn_free_spin(const nb_body *body, nb_gyroscopic_torque torque, double h,
                                    nb_free_spin *free_spin) {
    const nb_vec3 start = nb_quat_rotate(nb_quat_conjugate(body->orientation), body->angular_velocity);
    const double inertia[3] = {body->inertia.x, body->inertia.y, body->inertia.z},
                 size = nb_norm(body->angular_velocity) + nb_norm(body->torque);
    nb_euler e = nb_turn_euler_of(body);
    int solved = 0;
    const int turns = e.turns && size > 0 && isfinite(size); /* what neither turns nor begins to has no such torque */
    nb_turn_push(body, body->orientation, &e);
    for (int parts = 1; turns && torque == NB_GYROSCOPIC_IMPLICIT && parts <= NB_TURN_MOST_PARTS && !solved;
         parts *= 2) {
        double w[3] = {start.x, start.y, start.z};
        solved = nb_turn_midpoints(&e, h, parts, w, &free_spin->by_spin, &free_spin->by_torque);
        free_spin->spin = nb_quat_rotate(body->orientation, nb_vec3_of(w[0], w[1], w[2]));
    }
    if (!solved) {
        nb_turn_explicit_spin(body, torque == NB_GYROSCOPIC_EXPLICIT, h, free_spin);
        return;
    }
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) free_spin->by_torque.m[i][k] /= inertia[k];
    free_spin->by_spin = nb_mat3_rotated(body->orientation, &free_spin->by_spin);
    free_spin->by_torque = nb_mat3_rotated(body->orientation, &free_spin->by_torque);
}

#endif
