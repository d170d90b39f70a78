#include <math.h>
#include <stdio.h>

#include "base/largest.h"
#include "base/memory.h"
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

/* Adds to sum[b] [N] all contact forces on each body. */
static void sum_contact_forces(const nb_snapshot *final, nb_vec3 *sum) {
    for (int32_t i = 0; i < final->contacts; i++) {
        nb_vec3 force = contact_force(final, i);
        const int32_t *pair = final->contact_bodies + 2 * (int64_t)i;
        if (pair[0] >= 0) sum[pair[0]] = nb_add(sum[pair[0]], force);
        if (pair[1] >= 0) sum[pair[1]] = nb_sub(sum[pair[1]], force);
    }
}

/* The largest defect of linear momentum over a body's weight, |m (v - v-)/h - m g - f - (contact forces)|/(m g), of
 * bodies without joints; NaN where memory is short. */
static double momentum_defect(const nb_world *initial, const nb_snapshot *final) {
    double largest = 0;
    nb_vec3 *sum = NULL;
    char *joined = NULL;
    if (NB_ALLOCATE(initial->body_count, &sum) != NB_OK || NB_ALLOCATE(initial->body_count, &joined) != NB_OK) {
        nb_free(sum);
        return NAN;
    }
    sum_contact_forces(final, sum);
    for (int32_t j = 0; j < initial->joint_count; j++) {
        const nb_joint *joint = &initial->joints[j];
        if (joint->body_a >= 0) joined[joint->body_a] = 1;
        if (joint->body_b >= 0) joined[joint->body_b] = 1;
    }
    for (int32_t b = 0; b < initial->body_count; b++) {
        const nb_body *body = &initial->bodies[b];
        if (joined[b] || body->kind != NB_BODY_DYNAMIC) continue;
        const double *u = final->u + 6 * (int64_t)b, *before = final->u_before + 6 * (int64_t)b;
        nb_vec3 change = nb_vec3_of(u[0] - before[0], u[1] - before[1], u[2] - before[2]);
        nb_vec3 force = nb_add_scaled(nb_scale(body->mass / final->time_step, change), -body->mass, initial->gravity);
        double weight = body->mass * nb_norm(initial->gravity);
        nb_raise(&largest, nb_norm(nb_sub(nb_sub(force, body->force), sum[b])) / (weight > 0 ? weight : 1));
    }
    nb_free(sum);
    nb_free(joined);
    return largest;
}

void nb_checks_general(const nb_world *initial, const nb_snapshot *final, nb_checks *checks) {
    double weight = 0, cone = 0, pull = 0, penetration = 0;
    for (int32_t b = 0; b < initial->body_count; b++)
        if (initial->bodies[b].kind == NB_BODY_DYNAMIC) weight += initial->bodies[b].mass * nb_norm(initial->gravity);
    if (!(weight > 0)) weight = 1;
    for (int32_t i = 0; i < final->contacts; i++) {
        double normal = final->lambda_normal[i],
               friction = hypot(final->lambda_friction[2 * i], final->lambda_friction[2 * i + 1]);
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
