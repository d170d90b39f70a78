#include "model/free_turn.h"

const char *const nb_gyroscopic_names[NB_GYROSCOPIC_TORQUES + 1] = {
    [NB_GYROSCOPIC_IMPLICIT] = "implicit", [NB_GYROSCOPIC_EXPLICIT] = "explicit", NULL};

nb_mat3 nb_inertia_at(const nb_body *body, nb_quat turn) {
    return nb_turned_inertia(body, turn);
}

nb_mat3 nb_inverse_inertia_at(const nb_body *body, nb_quat turn) {
    return nb_turned_inverse_inertia(body, turn);
}

void nb_free_spin_of(const nb_body *body, nb_gyroscopic_torque torque, double h, nb_free_spin *free) {
    nb_turn_free_spin(body, torque, h, free);
}

nb_vec3 nb_spin_after(const nb_body *body, double h, nb_quat turn, nb_vec3 spin) {
    const nb_mat3 inertia = nb_inertia_at(body, turn), inverse = nb_inverse_inertia_at(body, turn);
    const nb_vec3 own = nb_quat_rotate(nb_quat_conjugate(body->orientation), body->angular_velocity);
    const nb_vec3 torque = nb_sub(body->torque, nb_cross(spin, nb_mat3_apply(&inertia, spin)));
    return nb_add_scaled(nb_quat_rotate(turn, own), h, nb_mat3_apply(&inverse, torque));
}

void nb_free_turn(const nb_body *body, double h, nb_quat *turn, nb_vec3 *spin) {
    const nb_vec3 own = nb_quat_rotate(nb_quat_conjugate(body->orientation), body->angular_velocity);
    const double start[3] = {own.x, own.y, own.z};
    double before = INFINITY;
    nb_euler e = nb_turn_euler_of(body);
    *turn = body->orientation;
    *spin = body->angular_velocity;
    if (!e.turns) return;
    for (int n = 0; n < NB_TURN_MOST_ITERATIONS; n++) { /* the torque stays in the world as the body turns */
        double end[3];
        nb_mat3 inverse;
        nb_turn_push(body, *turn, &e);
        if (!nb_turn_step_back(&e, h, start, end, &inverse)) break;
        const nb_vec3 was = *spin;
        *spin = nb_quat_rotate(body->orientation, nb_vec3_of(end[0], end[1], end[2]));
        *turn = nb_quat_advance(body->orientation, h, *spin);
        if (nb_turn_is_enough(nb_norm(nb_sub(*spin, was)), nb_norm(*spin), &before)) return;
    }
    *turn = nb_quat_advance(body->orientation, h, body->angular_velocity);
    *spin = nb_vec3_of(0, 0, 0);
}
