#include "model/world.h"

#include <string.h>

#include "base/memory.h"
#include "model/joint.h"

nb_status nb_world_create(nb_world **world) {
    nb_status status = NB_ALLOCATE(1, world);
    if (status != NB_OK) return status;
    (*world)->gravity = nb_vec3_of(0, 0, -9.81);
    (*world)->contact_margin = 0.01;
    return NB_OK;
}

void nb_world_destroy(nb_world *world) {
    if (!world) return;
    for (int32_t i = 0; i < world->shape_count; i++) nb_shape_destroy(world->shapes[i]);
    nb_free(world->shapes);
    nb_free(world->bodies);
    nb_free(world->joints);
    nb_free(world);
}

nb_status nb_world_add_shape(nb_world *world, nb_shape *shape, int32_t *index) {
    nb_status status = NB_RESERVE(world->shape_count + 1, &world->shape_capacity, &world->shapes);
    if (status != NB_OK) {
        nb_shape_destroy(shape);
        return status;
    }
    *index = world->shape_count;
    world->shapes[world->shape_count++] = shape;
    return NB_OK;
}

static int positive(double x) {
    return x > 0 && isfinite(x);
}

nb_status nb_world_add_body(nb_world *world, const nb_body *body, int32_t *index) {
    nb_status status;
    if (body->kind == NB_BODY_DYNAMIC && !(positive(body->mass) && positive(body->inertia.x) &&
                                           positive(body->inertia.y) && positive(body->inertia.z)))
        return nb_fail(NB_ERROR_INPUT, "body %d: mass %g kg and principal moments (%g, %g, %g) kg m^2 must be positive",
                       (int)world->body_count, body->mass, body->inertia.x, body->inertia.y, body->inertia.z);
    if (body->shape < -1 || body->shape >= world->shape_count)
        return nb_fail(NB_ERROR_INPUT, "body %d: there is no shape %d", (int)world->body_count, (int)body->shape);
    if (!(body->friction >= 0))
        return nb_fail(NB_ERROR_INPUT, "body %d: friction %g must not be negative", (int)world->body_count, body->friction);
    NB_TRY(NB_RESERVE(world->body_count + 1, &world->body_capacity, &world->bodies));
    *index = world->body_count;
    world->bodies[world->body_count++] = *body;
out:
    return status;
}

nb_status nb_world_add_solid(nb_world *world, nb_body_kind kind, int32_t shape, double mass, double friction,
                             nb_vec3 position, nb_quat orientation, int32_t *index) {
    nb_body body = {.kind = kind, .mass = mass, .position = position, .orientation = orientation, .shape = shape,
                    .friction = friction, .inertia = {1, 1, 1}};
    if (kind == NB_BODY_DYNAMIC && shape >= 0 && shape < world->shape_count) {
        nb_mass_properties properties = nb_shape_mass_properties(world->shapes[shape]);
        double density = mass / properties.volume;
        body.inertia = nb_vec3_of(density * properties.inertia.m[0][0], density * properties.inertia.m[1][1],
                                  density * properties.inertia.m[2][2]);
    }
    return nb_world_add_body(world, &body, index);
}

nb_status nb_world_add_joint(nb_world *world, const nb_joint *joint, int32_t *index) {
    nb_status status;
    int32_t ends[2] = {joint->body_a, joint->body_b};
    for (int i = 0; i < 2; i++)
        if (ends[i] < -1 || ends[i] >= world->body_count)
            return nb_fail(NB_ERROR_INPUT, "joint %d: there is no body %d", (int)world->joint_count, (int)ends[i]);
    if (joint->body_a == joint->body_b)
        return nb_fail(NB_ERROR_INPUT, "joint %d joins body %d to itself", (int)world->joint_count, (int)joint->body_a);
    for (int i = 0; i < 6; i++)
        if (!(joint->compliance[i] >= 0))
            return nb_fail(NB_ERROR_INPUT, "joint %d: compliance %g must not be negative", (int)world->joint_count,
                           joint->compliance[i]);
    NB_TRY(NB_RESERVE(world->joint_count + 1, &world->joint_capacity, &world->joints));
    *index = world->joint_count;
    world->joints[world->joint_count++] = *joint;
out:
    return status;
}

/* where a body is; the world itself for -1 */
static void place_of(const nb_world *world, int32_t body, nb_vec3 *x, nb_quat *q) {
    *x = body < 0 ? nb_vec3_of(0, 0, 0) : world->bodies[body].position;
    *q = body < 0 ? nb_quat_identity() : world->bodies[body].orientation;
}

nb_status nb_world_add_joint_at(nb_world *world, nb_joint_kind kind, int32_t body_a, int32_t body_b, nb_vec3 anchor,
                                nb_quat frame, const double compliance[6], int32_t *index) {
    nb_joint joint = {.kind = kind, .body_a = body_a, .body_b = body_b};
    int32_t ends[2] = {body_a, body_b};
    nb_vec3 *anchors[2] = {&joint.anchor_a, &joint.anchor_b};
    nb_quat *frames[2] = {&joint.frame_a, &joint.frame_b};
    for (int i = 0; i < 2; i++) {
        nb_vec3 x;
        nb_quat q;
        if (ends[i] >= world->body_count) return nb_world_add_joint(world, &joint, index); /* says which */
        place_of(world, ends[i], &x, &q);
        *anchors[i] = nb_quat_rotate(nb_quat_conjugate(q), nb_sub(anchor, x));
        *frames[i] = nb_quat_product(nb_quat_conjugate(q), frame);
    }
    memcpy(joint.compliance, compliance, sizeof joint.compliance);
    return nb_world_add_joint(world, &joint, index);
}

double nb_world_kinetic_energy(const nb_world *world) {
    double energy = 0;
    for (int32_t i = 0; i < world->body_count; i++) {
        const nb_body *b = &world->bodies[i];
        if (b->kind != NB_BODY_DYNAMIC) continue;
        nb_vec3 w = nb_quat_rotate(nb_quat_conjugate(b->orientation), b->angular_velocity);
        energy += 0.5 * (b->mass * nb_dot(b->linear_velocity, b->linear_velocity) + b->inertia.x * w.x * w.x +
                         b->inertia.y * w.y * w.y + b->inertia.z * w.z * w.z);
    }
    return energy;
}

double nb_world_potential_energy(const nb_world *world) {
    double energy = 0;
    for (int32_t i = 0; i < world->body_count; i++)
        if (world->bodies[i].kind == NB_BODY_DYNAMIC)
            energy -= world->bodies[i].mass * nb_dot(world->gravity, world->bodies[i].position);
    for (int32_t j = 0; j < world->joint_count; j++) {
        const nb_joint *joint = &world->joints[j];
        nb_joint_row rows[NB_JOINT_MAX_ROWS];
        nb_vec3 xa, xb;
        nb_quat qa, qb;
        place_of(world, joint->body_a, &xa, &qa);
        place_of(world, joint->body_b, &xb, &qb);
        int count = nb_joint_evaluate(joint, xa, qa, xb, qb, rows);
        for (int k = 0; k < count; k++)
            if (rows[k].compliance > 0) energy += 0.5 * rows[k].value * rows[k].value / rows[k].compliance;
    }
    return energy;
}
