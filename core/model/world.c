#include "model/world.h"

#include <string.h>

#include "base/memory.h"
#include "model/joint.h"

nb_status nb_world_create(nb_world **world) {
    nb_status status = NB_ALLOCATE(1, world);
    if (status != NB_OK) return status;
    (*world)->gravity = nb_vec3_of(0, 0, -9.81);
    (*world)->settings = nb_scene_settings_standard();
    (*world)->settings.contact_margin = 0.01;
    return NB_OK;
}

void nb_world_destroy(nb_world *world) {
    if (!world) return;
    for (int32_t i = 0; i < world->shape_count; i++) nb_shape_destroy(world->shapes[i]);
    nb_free(world->shapes);
    nb_free(world->bodies);
    nb_free(world->particles);
    nb_free(world->joints);
    nb_free(world->motors);
    nb_free(world->materials);
    nb_free(world->tetrahedra);
    nb_free(world->springs);
    nb_free(world->triangles);
    for (int32_t i = 0; i < world->cavity_count; i++) nb_free((void *)world->cavities[i].surface.triangles);
    nb_free(world->cavities);
    nb_free(world->pairs);
    nb_free(world->couplings);
    nb_tracks_destroy(world->tracks);
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

static int is_finite(nb_vec3 a) {
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

/* of unit length but for what single precision leaves */
static int is_unit(nb_quat q) {
    return fabs(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z - 1) < 1e-6;
}

/* in the plane y = 0, turned and turning about y alone, under forces in it */
static int is_planar(const nb_body *body) {
    return body->position.y == 0 && body->orientation.x == 0 && body->orientation.z == 0 &&
           body->linear_velocity.y == 0 && body->angular_velocity.x == 0 && body->angular_velocity.z == 0 &&
           body->force.y == 0 && body->torque.x == 0 && body->torque.z == 0;
}

static nb_status check_body(const nb_world *world, const nb_body *body) {
    int n = (int)world->body_count;
    nb_quat q = body->orientation;
    if (body->kind == NB_BODY_DYNAMIC &&
        !(positive(body->mass) && positive(body->inertia.x) && positive(body->inertia.y) && positive(body->inertia.z)))
        return nb_fail(NB_ERROR_INPUT, "body %d: mass %g kg and principal moments (%g, %g, %g) kg m^2 must be positive",
                       n, body->mass, body->inertia.x, body->inertia.y, body->inertia.z);
    if (body->shape < -1 || body->shape >= world->shape_count)
        return nb_fail(NB_ERROR_INPUT, "body %d: there is no shape %d", n, (int)body->shape);
    if (!(body->friction >= 0 && isfinite(body->friction)))
        return nb_fail(NB_ERROR_INPUT, "body %d: friction %g must be a number from 0 on", n, body->friction);
    if (!is_unit(q))
        return nb_fail(NB_ERROR_INPUT, "body %d: orientation (%g, %g, %g, %g) must be of unit length", n, q.w, q.x, q.y,
                       q.z);
    if (!(is_finite(body->position) && is_finite(body->linear_velocity) && is_finite(body->angular_velocity) &&
          is_finite(body->force) && is_finite(body->torque)))
        return nb_fail(NB_ERROR_INPUT, "body %d: place, velocities and forces must be finite", n);
    if (world->planar && body->kind == NB_BODY_DYNAMIC && !is_planar(body))
        return nb_fail(NB_ERROR_INPUT, "body %d of a planar world must lie, turn and be pushed in the plane y = 0", n);
    return NB_OK;
}

nb_status nb_world_add_body(nb_world *world, const nb_body *body, int32_t *index) {
    nb_status status;
    NB_TRY(check_body(world, body));
    NB_TRY(NB_RESERVE(world->body_count + 1, &world->body_capacity, &world->bodies));
    *index = world->body_count;
    world->bodies[world->body_count++] = *body;
out:
    return status;
}

nb_status nb_world_add_particle(nb_world *world, const nb_particle *particle, int32_t *index) {
    nb_status status;
    int n = (int)world->particle_count;
    if (world->planar) return nb_fail(NB_ERROR_UNSUPPORTED, "particle %d: a planar world has bodies alone", n);
    if (particle->kind == NB_BODY_DYNAMIC && !positive(particle->mass))
        return nb_fail(NB_ERROR_INPUT, "particle %d: mass %g kg must be positive", n, particle->mass);
    if (!(is_finite(particle->position) && is_finite(particle->velocity) && is_finite(particle->force)))
        return nb_fail(NB_ERROR_INPUT, "particle %d: place, velocity and force must be finite", n);
    if (!(particle->friction >= 0 && isfinite(particle->friction) && particle->radius >= 0 &&
          isfinite(particle->radius)))
        return nb_fail(NB_ERROR_INPUT, "particle %d: friction %g and radius %g m must be numbers from 0 on", n,
                       particle->friction, particle->radius);
    NB_TRY(NB_RESERVE(world->particle_count + 1, &world->particle_capacity, &world->particles));
    *index = world->particle_count;
    world->particles[world->particle_count] = *particle;
    world->particles[world->particle_count++].rest = particle->position;
out:
    return status;
}

nb_status nb_world_add_material(nb_world *world, const nb_material *material, int32_t *index) {
    nb_status status;
    NB_TRY(nb_material_check(material, world->material_count));
    NB_TRY(NB_RESERVE(world->material_count + 1, &world->material_capacity, &world->materials));
    *index = world->material_count;
    world->materials[world->material_count++] = *material;
out:
    return status;
}

/* each there and named once, and one of them with mass; "tetrahedron 3" in messages */
static nb_status check_corners(const nb_world *world, const char *what, int32_t which, int count,
                               const int32_t *particle) {
    int moving = 0;
    for (int i = 0; i < count; i++) {
        if (particle[i] < 0 || particle[i] >= world->particle_count)
            return nb_fail(NB_ERROR_INPUT, "%s %d: there is no particle %d", what, (int)which, (int)particle[i]);
        for (int k = 0; k < i; k++)
            if (particle[k] == particle[i])
                return nb_fail(NB_ERROR_INPUT, "%s %d has particle %d twice", what, (int)which, (int)particle[i]);
        moving += world->particles[particle[i]].kind == NB_BODY_DYNAMIC;
    }
    if (moving > 0) return NB_OK;
    return nb_fail(NB_ERROR_INPUT, "%s %d: none of its particles has mass", what, (int)which);
}

nb_status nb_world_add_tetrahedron(nb_world *world, const int32_t particle[4], int32_t material,
                                   const double activation[6], int32_t *index) {
    nb_status status;
    int32_t n = world->tetrahedron_count;
    nb_tetrahedron element = {.material = material};
    nb_vec3 corner[4];
    NB_TRY(check_corners(world, "tetrahedron", n, 4, particle));
    if (material < 0 || material >= world->material_count)
        return nb_fail(NB_ERROR_INPUT, "tetrahedron %d: there is no material %d", (int)n, (int)material);
    for (int i = 0; i < 4; i++) {
        element.particle[i] = particle[i];
        corner[i] = world->particles[particle[i]].position;
    }
    for (int k = 0; k < 6 && activation; k++) {
        element.activation[k] = activation[k];
        if (activation[k] == 0) continue;
        if (world->materials[material].kind != NB_MATERIAL_LINEAR || !isfinite(activation[k]))
            return nb_fail(NB_ERROR_INPUT, "tetrahedron %d: activation %g: only a linear material takes one", (int)n,
                           activation[k]);
    }
    NB_TRY(nb_rest_shape_of(corner, n, &element.rest));
    NB_TRY(NB_RESERVE(n + 1, &world->tetrahedron_capacity, &world->tetrahedra));
    *index = n;
    world->tetrahedra[world->tetrahedron_count++] = element;
    for (int i = 0; i < 4; i++) world->particles[particle[i]].rest = corner[i];
out:
    return status;
}

nb_status nb_world_add_spring(nb_world *world, const nb_spring *spring, int32_t *index) {
    nb_status status;
    int32_t n = world->spring_count;
    NB_TRY(check_corners(world, "spring", n, 2, spring->particle));
    if (!(spring->stiffness > 0) || !(spring->length >= 0 && isfinite(spring->length)))
        return nb_fail(NB_ERROR_INPUT, "spring %d: stiffness %g N/m must be positive, length %g m from 0 on", (int)n,
                       spring->stiffness, spring->length);
    NB_TRY(NB_RESERVE(n + 1, &world->spring_capacity, &world->springs));
    *index = n;
    world->springs[world->spring_count++] = *spring;
out:
    return status;
}

nb_status nb_world_add_triangle(nb_world *world, const int32_t particle[3], int32_t *index) {
    nb_status status;
    int32_t n = world->triangle_count;
    nb_triangle triangle;
    nb_vec3 corner[3];
    NB_TRY(check_corners(world, "triangle", n, 3, particle));
    for (int i = 0; i < 3; i++) {
        triangle.particle[i] = particle[i];
        corner[i] = world->particles[particle[i]].position;
    }
    if (!(nb_norm(nb_cross(nb_sub(corner[1], corner[0]), nb_sub(corner[2], corner[0]))) > 0))
        return nb_fail(NB_ERROR_INPUT, "triangle %d has no area", (int)n);
    NB_TRY(NB_RESERVE(n + 1, &world->triangle_capacity, &world->triangles));
    *index = n;
    world->triangles[world->triangle_count++] = triangle;
    for (int i = 0; i < 3; i++) world->particles[particle[i]].rest = corner[i];
out:
    return status;
}

void nb_world_particle_positions(const nb_world *world, double *x) {
    for (int32_t i = 0; i < world->particle_count; i++) {
        const nb_vec3 at = world->particles[i].position;
        x[3 * (int64_t)i] = at.x;
        x[3 * (int64_t)i + 1] = at.y;
        x[3 * (int64_t)i + 2] = at.z;
    }
}

double nb_world_cavity_volume(const nb_world *world, int32_t i) {
    const nb_cavity *surface = &world->cavities[i].surface;
    const nb_vec3 origin = world->particles[surface->triangles[0]].position;
    double sum = 0;
    for (int32_t t = 0; t < surface->triangle_count; t++) {
        nb_vec3 corner[3];
        for (int k = 0; k < 3; k++)
            corner[k] = nb_sub(world->particles[surface->triangles[3 * (int64_t)t + k]].position, origin);
        sum += nb_dot(corner[0], nb_cross(corner[1], corner[2]));
    }
    return sum / 6;
}

nb_status nb_world_add_cavity(nb_world *world, const nb_cavity *surface, nb_volume_model model, double compression,
                              double gauge_pressure, int32_t *index) {
    nb_status status;
    const int64_t corners = 3 * (int64_t)surface->triangle_count;
    nb_filled_cavity cavity = {.surface.triangle_count = surface->triangle_count};
    double *x = NULL;
    int32_t *triangles = NULL;
    NB_TRY(nb_cavity_check(surface, world->particle_count));
    NB_TRY(NB_ALLOCATE(3 * (int64_t)world->particle_count, &x));
    nb_world_particle_positions(world, x);
    NB_TRY(nb_cavity_check_volume(surface, x));
    NB_TRY(nb_volume_law_make(model, compression, gauge_pressure, nb_cavity_volume(surface, x), &cavity.law));
    NB_TRY(NB_RESERVE(world->cavity_count + 1, &world->cavity_capacity, &world->cavities));
    NB_TRY(NB_ALLOCATE(corners, &triangles));
    memcpy(triangles, surface->triangles, (size_t)corners * sizeof *triangles);
    cavity.surface.triangles = triangles;
    *index = world->cavity_count;
    world->cavities[world->cavity_count++] = cavity;
out:
    nb_free(x);
    return status;
}

nb_status nb_world_refuse_particles(const nb_world *world, const char *what) {
    if (world->particle_count == 0) return NB_OK;
    return nb_fail(NB_ERROR_UNSUPPORTED, "%s does not support particles (scene has %d)", what,
                   (int)world->particle_count);
}

/* principal moments of a solid of this shape and mass */
static nb_status solid_inertia(const nb_world *world, int32_t shape, double mass, nb_vec3 *inertia) {
    int n = (int)world->body_count;
    if (shape < 0 || shape >= world->shape_count)
        return nb_fail(NB_ERROR_INPUT, "body %d: there is no shape %d to give it its moments of inertia", n,
                       (int)shape);
    const nb_shape *solid = world->shapes[shape];
    nb_mass_properties properties = nb_shape_mass_properties(solid);
    double(*m)[3] = properties.inertia.m, density = mass / properties.volume;
    if (!nb_shape_is_centred(solid))
        return nb_fail(NB_ERROR_INPUT, "body %d: shape %d is no solid about its center of mass and principal axes", n,
                       (int)shape);
    *inertia = nb_vec3_of(density * m[0][0], density * m[1][1], density * m[2][2]);
    return NB_OK;
}

nb_status nb_world_add_solid(nb_world *world, nb_body_kind kind, int32_t shape, double mass, double friction,
                             nb_vec3 position, nb_quat orientation, int32_t *index) {
    nb_status status;
    nb_body body = {.kind = kind,
                    .mass = mass,
                    .position = position,
                    .orientation = orientation,
                    .shape = shape,
                    .friction = friction};
    if (kind == NB_BODY_DYNAMIC) NB_TRY(solid_inertia(world, shape, mass, &body.inertia));
    NB_TRY(nb_world_add_body(world, &body, index));
out:
    return status;
}

static nb_status check_joint(const nb_world *world, const nb_joint *joint) {
    int n = (int)world->joint_count;
    int32_t ends[2] = {joint->body_a, joint->body_b};
    if (joint->kind < NB_JOINT_FIXED || joint->kind > NB_JOINT_DISTANCE)
        return nb_fail(NB_ERROR_INPUT, "joint %d: there is no kind %d", n, (int)joint->kind);
    for (int i = 0; i < 2; i++)
        if (ends[i] < -1 || ends[i] >= world->body_count)
            return nb_fail(NB_ERROR_INPUT, "joint %d: there is no body %d", n, (int)ends[i]);
    if (joint->body_a == joint->body_b)
        return nb_fail(NB_ERROR_INPUT, "joint %d joins body %d to itself", n, (int)joint->body_a);
    for (int i = 0; i < 6; i++)
        if (!(joint->compliance[i] >= 0 && isfinite(joint->compliance[i])))
            return nb_fail(NB_ERROR_INPUT, "joint %d: compliance %g must be a number from 0 on", n,
                           joint->compliance[i]);
    for (int i = 0; i < 6; i++) {
        if (!(joint->damping[i] >= 0 && isfinite(joint->damping[i])))
            return nb_fail(NB_ERROR_INPUT, "joint %d: damping %g must be a number from 0 on", n, joint->damping[i]);
        if (joint->damping[i] > 0 && joint->kind != NB_JOINT_FIXED)
            return nb_fail(NB_ERROR_INPUT, "joint %d: damping is of joints of kind fixed", n);
        if ((joint->damping[i] > 0) != (joint->damping[i - i % 3] > 0))
            return nb_fail(NB_ERROR_INPUT,
                           "joint %d: the three numbers of damping of translation, and those of rotation, must all be "
                           "positive or all be 0",
                           n);
    }
    if (!(joint->length >= 0 && isfinite(joint->length)))
        return nb_fail(NB_ERROR_INPUT, "joint %d: length %g must be a number from 0 on", n, joint->length);
    if (!(is_finite(joint->anchor_a) && is_finite(joint->anchor_b)))
        return nb_fail(NB_ERROR_INPUT, "joint %d: anchors must be finite", n);
    if (joint->kind != NB_JOINT_DISTANCE && !(is_unit(joint->frame_a) && is_unit(joint->frame_b)))
        return nb_fail(NB_ERROR_INPUT, "joint %d: frames must be of unit length", n);
    return NB_OK;
}

nb_status nb_world_add_joint(nb_world *world, const nb_joint *joint, int32_t *index) {
    nb_status status;
    NB_TRY(check_joint(world, joint));
    NB_TRY(NB_RESERVE(world->joint_count + 1, &world->joint_capacity, &world->joints));
    *index = world->joint_count;
    nb_joint *added = &world->joints[world->joint_count++];
    *added = *joint;
    for (int i = 0; i < 6; i++)
        if (added->damping[i] > 0) added->compliance[i] = 1 / added->damping[i]; /* until a step begins */
out:
    return status;
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
        if (ends[i] < -1 || ends[i] >= world->body_count)
            return nb_world_add_joint(world, &joint, index); /* says which */
        nb_world_pose(world, ends[i], &x, &q);
        *anchors[i] = nb_quat_rotate(nb_quat_conjugate(q), nb_sub(anchor, x));
        *frames[i] = nb_quat_product(nb_quat_conjugate(q), frame);
    }
    memcpy(joint.compliance, compliance, sizeof joint.compliance);
    return nb_world_add_joint(world, &joint, index);
}
