#include "body_inputs.h"

static nb_vec3 take(const double *from) {
    return nb_vec3_of(from[0], from[1], from[2]);
}

static void put(nb_vec3 from, double *to) {
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
    nb_vec3 faster, turning; /* u - u- - h g, omega - omega- */
    nb_vec3 spin, thrust;    /* moments times omega-, and times turning */
    nb_vec3 torque;          /* thrust + h omega- x spin */
} gain;

static gain gain_of(const nb_body_inputs *at) {
    const nb_body *body = at->body;
    gain g;
    g.faster = nb_sub(take(at->u), nb_add_scaled(body->linear_velocity, at->h, at->gravity));
    g.turning = nb_sub(take(at->u + 3), body->angular_velocity);
    g.spin = nb_mat3_apply(at->moments, body->angular_velocity);
    g.thrust = nb_mat3_apply(at->moments, g.turning);
    g.torque = nb_add_scaled(g.thrust, at->h, nb_cross(body->angular_velocity, g.spin));
    return g;
}

void nb_body_inputs_change(const nb_body_inputs *at, const double *in, double out[6]) {
    const nb_body *body = at->body;
    const gain g = gain_of(at);
    const double h = at->h;
    nb_vec3 omega = body->angular_velocity, turn = take(in + NB_INPUT_POSITION + 3);
    nb_vec3 domega = take(in + NB_INPUT_VELOCITY + 3), dspin = nb_mat3_apply(at->moments, domega);
    nb_vec3 linear = nb_scale(-body->mass, take(in + NB_INPUT_VELOCITY));
    linear = nb_add_scaled(linear, in[NB_INPUT_MASS], g.faster);
    linear = nb_add_scaled(linear, -h, take(in + NB_INPUT_FORCE));
    nb_vec3 angular = nb_scale(in[NB_INPUT_MASS] / body->mass + in[NB_INPUT_INERTIA], g.torque);
    angular = nb_add_scaled(angular, -1, dspin);
    angular = nb_add_scaled(angular, h, nb_add(nb_cross(domega, g.spin), nb_cross(omega, dspin)));
    angular = nb_add_scaled(angular, -h, take(in + NB_INPUT_FORCE + 3));
    /* the moments turn with the body: dI = [turn] I - I [turn] */
    nb_vec3 of_thrust = nb_sub(nb_cross(turn, g.thrust), nb_mat3_apply(at->moments, nb_cross(turn, g.turning)));
    nb_vec3 of_spin = nb_sub(nb_cross(turn, g.spin), nb_mat3_apply(at->moments, nb_cross(turn, omega)));
    angular = nb_add(angular, nb_add_scaled(of_thrust, h, nb_cross(omega, of_spin)));
    put(linear, out);
    put(angular, out + 3);
}

void nb_body_inputs_back(const nb_body_inputs *at, const double by[6], double factor, double *by_inputs) {
    const nb_body *body = at->body;
    const gain g = gain_of(at);
    const double h = at->h;
    nb_vec3 omega = body->angular_velocity, linear = take(by), angular = take(by + 3), lever = nb_cross(angular, omega);
    nb_vec3 of_angular = nb_mat3_apply(at->moments, angular), of_lever = nb_mat3_apply(at->moments, lever);
    double denser = nb_dot(angular, g.torque);
    add(linear, -factor * body->mass, by_inputs + NB_INPUT_VELOCITY);
    add(linear, -factor * h, by_inputs + NB_INPUT_FORCE);
    add(angular, -factor * h, by_inputs + NB_INPUT_FORCE + 3);
    by_inputs[NB_INPUT_MASS] += factor * (nb_dot(linear, g.faster) + denser / body->mass);
    by_inputs[NB_INPUT_INERTIA] += factor * denser;
    nb_vec3 by_spin = nb_scale(h, nb_add(nb_cross(g.spin, angular), of_lever));
    add(nb_sub(by_spin, of_angular), factor, by_inputs + NB_INPUT_VELOCITY + 3);
    nb_vec3 by_turn = nb_sub(nb_cross(g.thrust, angular), nb_cross(g.turning, of_angular));
    by_turn = nb_add_scaled(by_turn, h, nb_sub(nb_cross(g.spin, lever), nb_cross(omega, of_lever)));
    add(by_turn, factor, by_inputs + NB_INPUT_POSITION + 3);
}
