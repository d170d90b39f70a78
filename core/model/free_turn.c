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
    const nb_vec3 own = nb_quat_rotate(nb_quat_conjugate(body->orientation), body->angular_velocity);
    const nb_vec3 torque = nb_sub(body->torque, nb_cross(spin, nb_mat3_apply(&inertia, spin)));
    return nb_add_scaled(nb_quat_rotate(turn, own), h, nb_mat3_apply(&inverse, torque));
}

/* ---- Euler's equations in the body's frame ---- */

/* dw/dt = -c w_j w_k + torque/I in the principal axes */
typedef struct euler {
    double c[3];    /* (I_k - I_j)/I_i */
    double push[3]; /* torque/I [rad/s^2] */
    int turns;      /* 0: all c are 0, of a ball */
} euler;

static euler euler_of(const nb_body *body) {
    const double inertia[3] = {body->inertia.x, body->inertia.y, body->inertia.z};
    euler e = {.turns = 0};
    for (int i = 0; i < 3; i++) {
        e.c[i] = (inertia[(i + 2) % 3] - inertia[(i + 1) % 3]) / inertia[i];
        e.turns |= e.c[i] != 0;
    }
    return e;
}

/* the world's torque on the body where it stands so */
static void push(const nb_body *body, nb_quat turn, euler *e) {
    const nb_vec3 torque = nb_quat_rotate(nb_quat_conjugate(turn), body->torque);
    e->push[0] = torque.x / body->inertia.x;
    e->push[1] = torque.y / body->inertia.y;
    e->push[2] = torque.z / body->inertia.z;
}

/* whether an iteration has come to round-off; *before: its last change */
static int is_enough(double change, double size, double *before) {
    const int enough = change <= ROUND_OFF * size || (change < 1e-12 * size && change >= *before);
    *before = change;
    return enough;
}

/* 1 + h d(c w_j w_k)/dw */
static nb_mat3 slope(const euler *e, double h, const double w[3]) {
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
static int step_back(const euler *e, double h, const double w[3], double end[3], nb_mat3 *inverse) {
    double before = INFINITY;
    for (int i = 0; i < 3; i++) end[i] = w[i];
    for (int n = 0; n < MOST_ITERATIONS; n++) {
        const nb_mat3 at = slope(e, h, end);
        double r[3];
        for (int i = 0; i < 3; i++)
            r[i] = end[i] - w[i] + h * (e->c[i] * end[(i + 1) % 3] * end[(i + 2) % 3] - e->push[i]);
        *inverse = nb_mat3_inverse(&at);
        const nb_vec3 step = nb_mat3_apply(inverse, nb_vec3_of(r[0], r[1], r[2]));
        end[0] -= step.x;
        end[1] -= step.y;
        end[2] -= step.z;
        if (is_enough(nb_norm(step), nb_norm(nb_vec3_of(end[0], end[1], end[2])), &before)) return 1;
    }
    return 0;
}

/* ---- a stage of an integrator ---- */

void nb_free_turn(const nb_body *body, double h, nb_quat *turn, nb_vec3 *spin) {
    const nb_vec3 own = nb_quat_rotate(nb_quat_conjugate(body->orientation), body->angular_velocity);
    const double start[3] = {own.x, own.y, own.z};
    double before = INFINITY;
    euler e = euler_of(body);
    *turn = body->orientation;
    *spin = body->angular_velocity;
    if (!e.turns) return;
    for (int n = 0; n < MOST_ITERATIONS; n++) { /* the torque stays in the world as the body turns */
        double end[3];
        nb_mat3 inverse;
        push(body, *turn, &e);
        if (!step_back(&e, h, start, end, &inverse)) break;
        const nb_vec3 was = *spin;
        *spin = nb_quat_rotate(body->orientation, nb_vec3_of(end[0], end[1], end[2]));
        *turn = nb_quat_advance(body->orientation, h, *spin);
        if (is_enough(nb_norm(nb_sub(*spin, was)), nb_norm(*spin), &before)) return;
    }
    *turn = nb_quat_advance(body->orientation, h, body->angular_velocity);
    *spin = nb_vec3_of(0, 0, 0);
}

/* ---- a step of be ---- */

const char *const nb_gyroscopic_names[NB_GYROSCOPIC_TORQUES + 1] = {
    [NB_GYROSCOPIC_IMPLICIT] = "implicit", [NB_GYROSCOPIC_EXPLICIT] = "explicit", NULL};

/* w [3] over h by the midpoint rule in `parts`, each a step of backward Euler to its middle and as far again; with the
 * derivatives by its start and by torque/I. 0 where Newton's method does not converge. */
static int midpoints(const euler *e, double h, int parts, double w[3], nb_mat3 *by_start, nb_mat3 *by_push) {
    *by_start = (nb_mat3){{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    *by_push = (nb_mat3){{{0}}};
    for (int n = 0; n < parts; n++) {
        nb_mat3 inverse, own;
        double middle[3];
        if (!step_back(e, h / parts / 2, w, middle, &inverse)) return 0;
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
static void explicit_spin(const nb_body *body, int gyroscopic, double h, nb_free_spin *free) {
    const nb_mat3 inertia = nb_inertia_at(body, body->orientation),
                  inverse = nb_inverse_inertia_at(body, body->orientation);
    const nb_vec3 w = body->angular_velocity, l = nb_mat3_apply(&inertia, w);
    static const nb_vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const nb_vec3 torque = gyroscopic ? nb_sub(body->torque, nb_cross(w, l)) : body->torque;
    free->spin = nb_add_scaled(w, h, nb_mat3_apply(&inverse, torque));
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
    const nb_vec3 start = nb_quat_rotate(nb_quat_conjugate(body->orientation), body->angular_velocity);
    const double inertia[3] = {body->inertia.x, body->inertia.y, body->inertia.z},
                 size = nb_norm(body->angular_velocity) + nb_norm(body->torque);
    euler e = euler_of(body);
    int solved = 0;
    const int turns = e.turns && size > 0 && isfinite(size); /* what neither turns nor begins to has no such torque */
    push(body, body->orientation, &e);
    for (int parts = 1; turns && torque == NB_GYROSCOPIC_IMPLICIT && parts <= MOST_PARTS && !solved; parts *= 2) {
        double w[3] = {start.x, start.y, start.z};
        solved = midpoints(&e, h, parts, w, &free->by_spin, &free->by_torque);
        free->spin = nb_quat_rotate(body->orientation, nb_vec3_of(w[0], w[1], w[2]));
    }
    if (!solved) {
        explicit_spin(body, torque == NB_GYROSCOPIC_EXPLICIT, h, free);
        return;
    }
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) free->by_torque.m[i][k] /= inertia[k];
    free->by_spin = nb_mat3_rotated(body->orientation, &free->by_spin);
    free->by_torque = nb_mat3_rotated(body->orientation, &free->by_torque);
}
