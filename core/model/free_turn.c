#include "model/free_turn.h"

#include <math.h>

enum {
    MOST_ITERATIONS = 100
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
