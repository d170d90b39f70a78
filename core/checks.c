#include <math.h>
#include <stdio.h>

#include "base/largest.h"
#include "scenario.h"

static nb_check *next_check(nb_checks *checks, const char *name, const char *units) {
    if (checks->count == NB_CHECK_MAX) return NULL;
    nb_check *check = &checks->items[checks->count++];
    snprintf(check->name, sizeof check->name, "%s", name);
    snprintf(check->units, sizeof check->units, "%s", units);
    return check;
}

void nb_checks_add(nb_checks *checks, const char *name, const char *units, double actual, double expected,
                   double tolerance) {
    nb_check *check = next_check(checks, name, units);
    if (!check) return;
    check->actual = actual;
    check->expected = expected;
    check->tolerance = tolerance;
    check->passed = fabs(actual - expected) <= tolerance;
}

void nb_checks_add_below(nb_checks *checks, const char *name, const char *units, double actual, double limit) {
    nb_check *check = next_check(checks, name, units);
    if (!check) return;
    check->actual = actual;
    check->expected = 0;
    check->tolerance = limit;
    check->passed = actual <= limit;
}

static nb_vec3 vec3_at(const double *x, int32_t i) {
    return nb_vec3_of(x[3 * i], x[3 * i + 1], x[3 * i + 2]);
}

/* the force of contact i on its first body [N] */
static nb_vec3 contact_force(const nb_snapshot *final, int32_t i) {
    nb_vec3 force = nb_scale(final->lambda_normal[i], vec3_at(final->contact_normal, i));
    for (int k = 0; k < 2; k++)
        force = nb_add_scaled(force, final->lambda_friction[2 * i + k], vec3_at(final->contact_tangent, 2 * i + k));
    return force;
}

/* m (v - v-)/h - m g - (sum of contact forces), over m g: linear momentum of bodies without joints */
static double momentum_defect(const nb_world *initial, const nb_snapshot *final) {
    double largest = 0;
    for (int32_t b = 0; b < initial->body_count; b++) {
        const nb_body *body = &initial->bodies[b];
        int joined = body->kind != NB_BODY_DYNAMIC;
        for (int32_t j = 0; j < initial->joint_count; j++)
            joined |= initial->joints[j].body_a == b || initial->joints[j].body_b == b;
        if (joined) continue;
        const double *u = final->u + 6 * b, *before = final->u_before + 6 * b;
        nb_vec3 change = nb_vec3_of(u[0] - before[0], u[1] - before[1], u[2] - before[2]);
        nb_vec3 force = nb_add_scaled(nb_scale(body->mass / final->time_step, change), -body->mass, initial->gravity);
        double scale = body->mass * nb_norm(initial->gravity);
        force = nb_sub(force, body->force);
        for (int32_t i = 0; i < final->contacts; i++) {
            if (final->contact_bodies[2 * i] == b) force = nb_sub(force, contact_force(final, i));
            if (final->contact_bodies[2 * i + 1] == b) force = nb_add(force, contact_force(final, i));
        }
        nb_raise(&largest, nb_norm(force) / (scale > 0 ? scale : 1));
    }
    return largest;
}

void nb_checks_general(const nb_world *initial, const nb_snapshot *final, nb_checks *checks) {
    double weight = 0, cone = 0, pull = 0, penetration = 0;
    for (int32_t b = 0; b < initial->body_count; b++)
        if (initial->bodies[b].kind == NB_BODY_DYNAMIC) weight += initial->bodies[b].mass * nb_norm(initial->gravity);
    if (!(weight > 0)) weight = 1;
    for (int32_t i = 0; i < final->contacts; i++) {
        double normal = final->lambda_normal[i], friction = hypot(final->lambda_friction[2 * i], final->lambda_friction[2 * i + 1]);
        nb_raise(&cone, (friction - final->mu[i] * fmax(normal, 0)) / weight);
        nb_raise(&pull, -normal / weight);
        nb_raise(&penetration, -final->gap[i]);
    }
    /* forces in the scene's weight; what a step converged to 1e-6 m/s keeps by a wide margin */
    nb_checks_add_below(checks, "friction beyond the cone over the weight", "1", cone, 1e-6);
    nb_checks_add_below(checks, "pulling normal force over the weight", "1", pull, 1e-6);
    nb_checks_add_below(checks, "penetration", "m", penetration, 1e-4);
    nb_checks_add_below(checks, "momentum defect over a body's weight", "1", momentum_defect(initial, final), 1e-5);
}
