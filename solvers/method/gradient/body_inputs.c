#include "body_inputs.h"

static nb_vec3 read_vector(const double *from) {
    return nb_vec3_of(from[0], from[1], from[2]);
}

static void write_vector(nb_vec3 from, double *to) {
    to[0] = from.x;
    to[1] = from.y;
    to[2] = from.z;
}

static void add(nb_vec3 from, double factor, double *to) {
    to[0] += factor * from.x;
    to[1] += factor * from.y;
    to[2] += factor * from.z;
}

/* what a body gains over the step, besides contacts and forces */
typedef struct gain {
    nb_vec3 faster;     /* u - u- - h g */
    nb_vec3 thrust;     /* moments times omega - omega~ */
    nb_free_spin free;  /* omega~ */
    nb_mat3 spin, push; /* moments times the derivatives of omega~ by omega- and by the torque */
} gain;

static gain gain_of(const nb_body_inputs *at) {
    const nb_body *body = at->body;
    gain g;
    nb_free_spin_of(body, at->gyroscopic, at->h, &g.free);
    g.faster = nb_sub(read_vector(at->u), nb_add_scaled(body->linear_velocity, at->h, at->gravity));
    g.thrust = nb_mat3_apply(at->moments, nb_sub(read_vector(at->u + 3), g.free.spin));
    g.spin = nb_mat3_product(at->moments, &g.free.by_spin);
    g.push = nb_mat3_product(at->moments, &g.free.by_torque);
    return g;
}

/* omega~ turns with all that it comes from, and stays where moments and torque grow alike. So its derivatives by the
 * body's rotation t and by the logarithm of the moments follow from the others:
 *
 *     t x omega~ - by_spin (t x omega-) - by_torque (t x torque),   -by_torque torque */

void nb_body_inputs_change(const nb_body_inputs *at, const double *in, double out[6]) {
    const nb_body *body = at->body;
    const gain g = gain_of(at);
    const nb_vec3 turn = read_vector(in + NB_INPUT_POSITION + 3);
    const double denser = in[NB_INPUT_MASS] / body->mass + in[NB_INPUT_INERTIA];
    nb_vec3 linear = nb_scale(-body->mass, read_vector(in + NB_INPUT_VELOCITY));
    linear = nb_add_scaled(linear, in[NB_INPUT_MASS], g.faster);
    linear = nb_add_scaled(linear, -at->h, read_vector(in + NB_INPUT_FORCE));
    /* the moments turn with the body: dI = [turn] I - I [turn] */
    nb_vec3 angular = nb_scale(denser, g.thrust);
    angular = nb_add(angular, nb_cross(turn, g.thrust));
    angular = nb_sub(angular, nb_mat3_apply(at->moments, nb_cross(turn, read_vector(at->u + 3))));
    const nb_vec3 spin = nb_sub(read_vector(in + NB_INPUT_VELOCITY + 3), nb_cross(turn, body->angular_velocity));
    const nb_vec3 push = nb_sub(nb_add_scaled(read_vector(in + NB_INPUT_FORCE + 3), -denser, body->torque),
                                nb_cross(turn, body->torque));
    angular = nb_sub(angular, nb_add(nb_mat3_apply(&g.spin, spin), nb_mat3_apply(&g.push, push)));
    write_vector(linear, out);
    write_vector(angular, out + 3);
}

void nb_body_inputs_back(const nb_body_inputs *at, const double by[6], double factor, double *by_inputs) {
    const nb_body *body = at->body;
    const gain g = gain_of(at);
    const nb_mat3 spin = nb_mat3_transposed(&g.spin), push = nb_mat3_transposed(&g.push);
    const nb_vec3 linear = read_vector(by), angular = read_vector(by + 3),
                  of_angular = nb_mat3_apply(at->moments, angular), by_spin = nb_mat3_apply(&spin, angular),
                  by_push = nb_mat3_apply(&push, angular);
    const double denser = nb_dot(angular, g.thrust) + nb_dot(by_push, body->torque);
    add(linear, -factor * body->mass, by_inputs + NB_INPUT_VELOCITY);
    add(linear, -factor * at->h, by_inputs + NB_INPUT_FORCE);
    add(by_spin, -factor, by_inputs + NB_INPUT_VELOCITY + 3);
    add(by_push, -factor, by_inputs + NB_INPUT_FORCE + 3);
    by_inputs[NB_INPUT_MASS] += factor * (nb_dot(linear, g.faster) + denser / body->mass);
    by_inputs[NB_INPUT_INERTIA] += factor * denser;
    nb_vec3 by_turn = nb_sub(nb_cross(g.thrust, angular), nb_cross(read_vector(at->u + 3), of_angular));
    by_turn = nb_add(by_turn, nb_cross(body->angular_velocity, by_spin));
    by_turn = nb_add(by_turn, nb_cross(body->torque, by_push));
    add(by_turn, factor, by_inputs + NB_INPUT_POSITION + 3);
}
