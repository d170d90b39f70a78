#include "model/free_turn.h"

#include <math.h>

enum {
    MOST_ITERATIONS = 100,
    MOST_PARTS = 4096 /* of a step, in which its midpoint rule is solved */
};
static const double ROUND_OFF = 1e-15;

static nb_mat3 rotated_diagonal(nb_quat turn, double x, double y, double z) {
    const nb_mat3 principal = {{{x, 0, 0}, {0, y, 0}, {0, 0, z}}};
    return nb_mat3_rotated(turn, &principal);
}

nb_mat3 nb_inertia_at(const nb_body *body, nb_quat turn) {
    return rotated_diagonal(turn, body->inertia.x, body->inertia.y, body->inertia.z);
}

nb_mat3 nb_inverse_inertia_at(const nb_body *body, nb_quat turn) {
    return rotated_diagonal(turn, 1 / body->inertia.x, 1 / body->inertia.y, 1 / body->inertia.z);
}

nb_vec3 nb_spin_after(const nb_body *body, double h, nb_quat turn, nb_vec3 spin) {
    const nb_mat3 inertia = nb_inertia_at(body, turn), inverse = nb_inverse_inertia_at(body, turn);
    const nb_vec3 torque = nb_sub(body->torque, nb_cross(spin, nb_mat3_apply(&inertia, spin)));
    return nb_add_scaled(body->angular_velocity, h, nb_mat3_apply(&inverse, torque));
}

void nb_free_turn(const nb_body *body, double h, nb_quat *turn, nb_vec3 *spin) {
    const nb_vec3 i = body->inertia;
    nb_vec3 w = body->angular_velocity;
    double before = INFINITY;
    *turn = body->orientation;
    *spin = w;
    if (i.x == i.y && i.y == i.z) return;
    for (int k = 0; k < MOST_ITERATIONS; k++) {
        const nb_quat q = nb_quat_advance(body->orientation, h, w);
        const nb_vec3 next = nb_spin_after(body, h, q, w);
        const double change = nb_norm(nb_sub(next, w));
        w = next;
        if (change <= ROUND_OFF * nb_norm(w) || (change < 1e-12 * nb_norm(w) && change >= before)) {
            *turn = nb_quat_advance(body->orientation, h, w);
            *spin = w;
            return;
        }
        before = change;
    }
}

/* ---- a step of be ---- */

const char *const nb_gyroscopic_names[NB_GYROSCOPIC_TORQUES + 1] = {
    [NB_GYROSCOPIC_IMPLICIT] = "implicit", [NB_GYROSCOPIC_EXPLICIT] = "explicit", NULL};

/* Euler's equations in the principal axes, dw/dt = -c w_j w_k + torque/I */
typedef struct euler {
    double c[3];    /* (I_k - I_j)/I_i */
    double push[3]; /* torque/I [rad/s^2] */
} euler;

/* 1 + (h/2) d(c w_j w_k)/dw */
static nb_mat3 slope(const euler *e, double h, const double w[3]) {
    nb_mat3 n = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        n.m[i][j] = h / 2 * e->c[i] * w[k];
        n.m[i][k] = h / 2 * e->c[i] * w[j];
    }
    return n;
}

/* w [3] over h by the midpoint rule; *inverse: of the slope there. 0 where Newton's method does not converge. */
static int midpoint(const euler *e, double h, double w[3], nb_mat3 *inverse) {
    double middle[3] = {w[0], w[1], w[2]}, before = INFINITY;
    for (int n = 0; n < MOST_ITERATIONS; n++) {
        const nb_mat3 at = slope(e, h, middle);
        double r[3];
        for (int i = 0; i < 3; i++)
            r[i] = middle[i] - w[i] + h / 2 * (e->c[i] * middle[(i + 1) % 3] * middle[(i + 2) % 3] - e->push[i]);
        *inverse = nb_mat3_inverse(&at);
        const nb_vec3 step = nb_mat3_apply(inverse, nb_vec3_of(r[0], r[1], r[2]));
        middle[0] -= step.x;
        middle[1] -= step.y;
        middle[2] -= step.z;
        const double change = nb_norm(step), size = nb_norm(nb_vec3_of(middle[0], middle[1], middle[2]));
        if (change <= ROUND_OFF * size || (change < 1e-12 * size && change >= before)) {
            for (int i = 0; i < 3; i++) w[i] = 2 * middle[i] - w[i];
            return 1;
        }
        before = change;
    }
    return 0;
}

/* The same in `parts`, with the derivatives of w by its start and by torque/I. */
static int midpoints(const euler *e, double h, int parts, double w[3], nb_mat3 *by_start, nb_mat3 *by_push) {
    *by_start = (nb_mat3){{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    *by_push = (nb_mat3){{{0}}};
    for (int n = 0; n < parts; n++) {
        nb_mat3 inverse, own;
        if (!midpoint(e, h / parts, w, &inverse)) return 0;
        own = inverse;
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
static void explicit_spin(const nb_body *body, int gyroscopic, double h, nb_free_spin *free) {
    const nb_mat3 inertia = nb_inertia_at(body, body->orientation),
                  inverse = nb_inverse_inertia_at(body, body->orientation);
    const nb_vec3 w = body->angular_velocity, l = nb_mat3_apply(&inertia, w);
    static const nb_vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    free->spin = gyroscopic ? nb_spin_after(body, h, body->orientation, w)
                            : nb_add_scaled(w, h, nb_mat3_apply(&inverse, body->torque));
    for (int k = 0; k < 3; k++) {
        const nb_vec3 turning = nb_add(nb_cross(axes[k], l), nb_cross(w, nb_mat3_apply(&inertia, axes[k])));
        const nb_vec3 column = nb_add_scaled(axes[k], gyroscopic ? -h : 0, nb_mat3_apply(&inverse, turning));
        free->by_spin.m[0][k] = column.x;
        free->by_spin.m[1][k] = column.y;
        free->by_spin.m[2][k] = column.z;
        for (int i = 0; i < 3; i++) free->by_torque.m[i][k] = h * inverse.m[i][k];
    }
}

void nb_free_spin_of(const nb_body *body, nb_gyroscopic_torque torque, double h, nb_free_spin *free) {
    const nb_quat into = nb_quat_conjugate(body->orientation);
    const nb_vec3 start = nb_quat_rotate(into, body->angular_velocity), push = nb_quat_rotate(into, body->torque);
    const double inertia[3] = {body->inertia.x, body->inertia.y, body->inertia.z};
    euler e = {.push = {push.x / inertia[0], push.y / inertia[1], push.z / inertia[2]}};
    int solved = 0, turns = 0;
    for (int i = 0; i < 3; i++) {
        e.c[i] = (inertia[(i + 2) % 3] - inertia[(i + 1) % 3]) / inertia[i];
        turns |= e.c[i] != 0;
    }
    /* what neither turns nor begins to has no such torque, and a ball has none */
    turns &= nb_norm(start) + nb_norm(push) > 0 && isfinite(nb_norm(start) + nb_norm(push));
    for (int parts = 1; turns && torque == NB_GYROSCOPIC_IMPLICIT && parts <= MOST_PARTS && !solved; parts *= 2) {
        double w[3] = {start.x, start.y, start.z};
        solved = midpoints(&e, h, parts, w, &free->by_spin, &free->by_torque);
        free->spin = nb_quat_rotate(body->orientation, nb_vec3_of(w[0], w[1], w[2]));
    }
    if (!solved) {
        explicit_spin(body, turns && torque == NB_GYROSCOPIC_EXPLICIT, h, free);
        return;
    }
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) free->by_torque.m[i][k] /= inertia[k];
    free->by_spin = nb_mat3_rotated(body->orientation, &free->by_spin);
    free->by_torque = nb_mat3_rotated(body->orientation, &free->by_torque);
}
