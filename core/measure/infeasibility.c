#include "measure/infeasibility.h"

#include <math.h>

#include "base/largest.h"
#include "base/memory.h"
#include "model/coordinate.h"

static double joint_error(const nb_world *world, int32_t j) {
    const nb_joint *joint = &world->joints[j];
    nb_joint_row rows[NB_JOINT_MAX_ROWS];
    nb_vec3 x[2];
    nb_quat turn[2];
    double largest = 0;
    const int32_t ends[2] = {joint->body_a, joint->body_b};
    for (int i = 0; i < 2; i++) nb_world_pose(world, ends[i], &x[i], &turn[i]);
    int count = nb_joint_evaluate(joint, x[0], turn[0], x[1], turn[1], rows);
    for (int k = 0; k < count; k++)
        if (rows[k].compliance == 0 && nb_norm(rows[k].linear_a) > 0) nb_raise(&largest, fabs(rows[k].value));
    int along = 0;
    const double crossed =
        nb_limit_crossed(world, j, nb_coordinate_near(world, j), x[0], turn[0], x[1], turn[1], &along);
    if (along) nb_raise(&largest, crossed);
    return largest;
}

nb_status nb_infeasibility_of(const nb_world *world, nb_contacts *contacts, nb_infeasibility *infeasibility) {
    *infeasibility = (nb_infeasibility){0, 0};
    nb_status status = nb_contacts_deepest(world, contacts, &infeasibility->penetration);
    if (status != NB_OK) return status;
    for (int32_t j = 0; j < world->joint_count; j++) nb_raise(&infeasibility->joints, joint_error(world, j));
    return NB_OK;
}

static nb_vec3 vec3_at(const double *x) {
    return nb_vec3_of(x[0], x[1], x[2]);
}

static int fits(const nb_world *world, const nb_snapshot *state) {
    return state->bodies == world->body_count && state->particles == world->particle_count;
}

static int is_known(const nb_world *world, int32_t body) {
    return body < 0 || body >= world->body_count || world->bodies[body].shape < 0 ||
           world->shapes[world->bodies[body].shape]->kind < NB_SHAPE_CAPSULE;
}

/* the world with bodies and particles of its own, where the state has them */
static nb_status move_world(const nb_world *world, const nb_snapshot *state, nb_world *moved) {
    nb_status status;
    *moved = *world;
    moved->bodies = NULL, moved->particles = NULL;
    moved->skips_unknown = 1;
    NB_TRY(NB_ALLOCATE(world->body_count, &moved->bodies));
    NB_TRY(NB_ALLOCATE(world->particle_count, &moved->particles));
    for (int32_t i = 0; i < world->body_count; i++) {
        const double *q = state->q + 7 * (ptrdiff_t)i;
        moved->bodies[i] = world->bodies[i];
        moved->bodies[i].position = vec3_at(q);
        moved->bodies[i].orientation = (nb_quat){q[3], q[4], q[5], q[6]};
    }
    for (int32_t i = 0; i < world->particle_count; i++) {
        moved->particles[i] = world->particles[i];
        moved->particles[i].position = vec3_at(state->particle_x + 3 * (ptrdiff_t)i);
    }
out:
    return status;
}

double nb_penetration_of(const nb_world *world, const nb_snapshot *state) {
    nb_status status;
    nb_world moved = {0};
    nb_contacts *contacts = NULL;
    double depth = NAN;
    if (!fits(world, state)) return NAN;
    NB_TRY(nb_contacts_create(&contacts));
    NB_TRY(move_world(world, state, &moved));
    NB_TRY(nb_contacts_deepest(&moved, contacts, &depth));
    for (int32_t i = 0; i < state->contacts; i++) {
        const int32_t *bodies = state->contact_bodies + 2 * (ptrdiff_t)i;
        if (!is_known(world, bodies[0]) || !is_known(world, bodies[1])) nb_raise(&depth, -state->gap[i]);
    }
out:
    nb_free(moved.bodies);
    nb_free(moved.particles);
    nb_contacts_destroy(contacts);
    return status == NB_OK ? depth : NAN;
}

double nb_penetration_left(const nb_world *world, const nb_snapshot *state) {
    double way = 0, turn = 0, bent = 0;
    const double h = world->settings.substeps * state->time_step; /* normals are of the start of the whole step */
    if (!fits(world, state)) return NAN;
    for (int32_t i = 0; i < world->body_count; i++) {
        const nb_shape *shape = world->bodies[i].shape < 0 ? NULL : world->shapes[world->bodies[i].shape];
        const double *u = state->u + 6 * (ptrdiff_t)i;
        double angle = h * nb_norm(vec3_at(u + 3)), radius;
        nb_raise(&way, h * nb_norm(vec3_at(u)));
        if (!shape || shape->kind == NB_SHAPE_SPHERE || angle == 0) continue;
        radius = shape->radius;
        if (shape->kind == NB_SHAPE_ELLIPSOID) /* its largest radius of curvature, halved, may be more */
            nb_raise(&radius, radius * radius / (2 * fmin(shape->half.x, fmin(shape->half.y, shape->half.z))));
        nb_raise(&turn, angle);
        nb_raise(&bent, angle * angle * radius);
    }
    return bent + turn * way;
}

int nb_penetration_is_taken_back(const nb_scene_settings *settings) {
    const nb_time_stepping *stepping = &settings->stepping;
    if (settings->contacts.model != NB_CONTACTS_RIGID) return 0;
    return stepping->scheme == NB_STEPPING_IMPLICIT ||
           (stepping->stabilization == 1 && isinf(stepping->recovery_speed));
}

double nb_penetration_allowed(const nb_world *world, const nb_snapshot *state) {
    const nb_scene_settings *settings = &world->settings;
    double sunk = 0;
    if (!nb_penetration_is_taken_back(settings)) return NAN;
    if (settings->substeps > 1 && world->particle_count > 0) return NAN; /* what they come to touch is not found */
    for (int32_t i = 0; i < state->contacts; i++)
        nb_raise(&sunk, settings->contact_compliance * state->lambda_normal[i]);
    return NB_PENETRATION_SHARE * settings->contact_margin + sunk + nb_penetration_left(world, state) +
           (isfinite(settings->verify_contacts) ? settings->verify_contacts : 0);
}
