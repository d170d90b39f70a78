/* Worlds of boxes, spheres, wedges and a ground for the trajectory kernel, and its settings. */
#ifndef NB_TESTS_TRAJECTORY_SCENE_H
#define NB_TESTS_TRAJECTORY_SCENE_H

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "check.h"
#include "contact/contact.h"
#include "model/drive.h"
#include "trajectory/run.h"

enum {
    TRAJECTORY_STEPS = 4
};

static inline nb_vec3 random_vector(uint64_t *state, double size) {
    const double x = nb_random_uniform(state, -size, size), y = nb_random_uniform(state, -size, size);
    return nb_vec3_of(x, y, nb_random_uniform(state, -size, size));
}

static inline nb_quat random_turn(uint64_t *state) {
    const nb_vec3 v = random_vector(state, 1);
    return nb_quat_normalized(nb_quat_of(nb_random_uniform(state, 0.1, 1), v.x, v.y, v.z));
}

static inline void add_shapes(nb_world *world, int32_t shape[4]) {
    static const int32_t start[] = {0, 3, 6, 9, 12}, faces[] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
    const nb_vec3 points[] = {nb_vec3_of(-0.5, -0.4, -0.3), nb_vec3_of(0.6, -0.4, -0.3), nb_vec3_of(0, 0.7, -0.3),
                              nb_vec3_of(0, 0, 0.6)};
    nb_shape *made[4], *other;
    nb_vec3 centre, moments;
    nb_quat axes;
    double volume;
    CHECK_OK(nb_shape_half_space(&made[0]));
    CHECK_OK(nb_shape_box(nb_vec3_of(0.5, 0.4, 0.3), &made[1]));
    CHECK_OK(nb_shape_sphere(0.4, &made[2]));
    CHECK_OK(nb_shape_polyhedron(4, points, 4, start, faces, &made[3]));
    CHECK_OK(nb_shape_box(nb_vec3_of(0.2, 0.2, 0.2), &other)); /* of two parts */
    CHECK_OK(nb_shape_append(made[3], other, nb_vec3_of(0.1, 0.1, 0.4), nb_quat_about(nb_vec3_of(0, 0, 1), 0.3)));
    nb_shape_destroy(other);
    nb_shape_centre(made[3], &centre, &axes, &moments, &volume);
    for (int i = 0; i < 4; i++) CHECK_OK(nb_world_add_shape(world, made[i], &shape[i]));
}

/* bodies near each other above a ground, in any pose, moving; some overlap */
static inline nb_world *random_world(uint64_t *state, int bodies) {
    nb_world *world;
    int32_t shape[4], body;
    CHECK_OK(nb_world_create(&world));
    add_shapes(world, shape);
    CHECK_OK(
        nb_world_add_solid(world, NB_BODY_FIXED, shape[0], 0, 0.5, nb_vec3_of(0, 0, 0), nb_quat_identity(), &body));
    CHECK_OK(
        nb_world_add_solid(world, NB_BODY_FIXED, shape[1], 0, 0.3, nb_vec3_of(1, 0, 0.2), random_turn(state), &body));
    for (int i = 0; i < bodies; i++) {
        const nb_vec3 at = nb_add(random_vector(state, 0.8), nb_vec3_of(0, 0, 1));
        CHECK_OK(nb_world_add_solid(world, NB_BODY_DYNAMIC, shape[1 + i % 3], 1 + i, 0.2 + 0.1 * i, at,
                                    i % 4 == 0 ? nb_quat_identity() : random_turn(state), &body));
        world->bodies[body].linear_velocity = random_vector(state, 2);
        world->bodies[body].angular_velocity = random_vector(state, 3);
    }
    return world;
}

/* a tower of boxes of different masses on the ground, each a little beside the one below */
static inline nb_world *tower(int boxes, double beside) {
    nb_world *world;
    int32_t shape[4], body;
    CHECK_OK(nb_world_create(&world));
    add_shapes(world, shape);
    CHECK_OK(
        nb_world_add_solid(world, NB_BODY_FIXED, shape[0], 0, 0.5, nb_vec3_of(0, 0, 0), nb_quat_identity(), &body));
    for (int i = 0; i < boxes; i++)
        CHECK_OK(nb_world_add_solid(world, NB_BODY_DYNAMIC, shape[1], 1 + 0.3 * i, 0.5,
                                    nb_vec3_of(beside * i, 0.5 * beside * i, 0.3 + 0.6 * i), nb_quat_identity(),
                                    &body));
    return world;
}

/* Joints of all kinds between bodies first, first + 1, ..., the first one and the world, at rest where the bodies are
 * or apart: soft ones, some with dampers, and one with a motor. */
static inline void add_joints(uint64_t *state, nb_world *world, int32_t first, double apart) {
    static const nb_joint_kind kinds[] = {NB_JOINT_SPHERICAL, NB_JOINT_REVOLUTE, NB_JOINT_PRISMATIC, NB_JOINT_FIXED,
                                          NB_JOINT_DISTANCE};
    const int32_t last = world->body_count - 1;
    int32_t index;
    for (int32_t i = first; i <= last; i++) {
        const nb_joint_kind kind = kinds[(i - first) % 5];
        double compliance[6];
        for (int k = 0; k < 6; k++) compliance[k] = i % 2 ? 1e-5 * (1 + k) : 0;
        CHECK_OK(nb_world_add_joint_at(world, kind, i, i == first ? -1 : i - 1,
                                       nb_add(world->bodies[i].position, random_vector(state, 0.3)), random_turn(state),
                                       compliance, &index));
        nb_joint *joint = &world->joints[index];
        joint->anchor_a = nb_add(joint->anchor_a, random_vector(state, apart));
        if (apart > 0) joint->frame_a = random_turn(state);
        for (int k = 0; kind == NB_JOINT_FIXED && k < 3; k++) joint->damping[k] = 1 + k;
    }
    CHECK_OK(nb_world_add_motor(world, NB_JOINT_REVOLUTE, last, first, world->bodies[last].position, random_turn(state),
                                20, 3, &index));
    world->motors[index].target = 0.4;
    world->motors[index].rate = 0.1;
}

/* a tower whose boxes are joined */
static inline nb_world *joined_tower(int boxes, double beside) {
    uint64_t state = 7;
    nb_world *world = tower(boxes, beside);
    add_joints(&state, world, 1, 0);
    return world;
}

static inline nb_island_settings trajectory_settings(double h) {
    return (nb_island_settings){.ncp = NB_NCP_FISCHER_BURMEISTER,
                                .scaling = NB_SCALING_EFFECTIVE_MASS_CAPPED,
                                .solver = NB_ISLAND_PCR,
                                .precondition = 1,
                                .contacts_linear = 1,
                                .newton_iterations = 3,
                                .linear_iterations = 8,
                                .h = (real)h,
                                .damping = R(0.75),
                                .regularization = R(1e-6),
                                .alpha_minimum = R(1e-3),
                                .omega = 1};
}

/* those of exact steps, in f64 */
static inline nb_island_settings exact_settings(double h) {
    return (nb_island_settings){.exact = 1, .contacts_linear = 1, .newton_iterations = 60, .h = (real)h};
}

/* so many steps of these worlds to a tolerance, or 0, with a warm start or without; rows [count][steps] */
static inline void ride_to(const nb_runtime *runtime, nb_world *const *worlds, int count, int slots, double tolerance,
                           int warm, int steps, nb_trajectory_row *rows) {
    const double h = 0.01;
    const nb_world *borrowed[8];
    nb_trajectories *t;
    for (int i = 0; i < count; i++) borrowed[i] = worlds[i];
    const nb_trajectories_start start = {
        .worlds = borrowed, .copies = count, .contact_slots = slots, .h = h, .warm_start = warm};
    const nb_island_settings settings = tolerance > 0 ? exact_settings(h) : trajectory_settings(h);
    CHECK_OK(nb_trajectories_create(runtime, &start, &settings, tolerance, &t));
    CHECK_OK(t->type->advance(t, steps, rows));
    CHECK_OK(t->type->read(t, worlds));
    t->type->destroy(t);
}

static inline void ride(const nb_runtime *runtime, nb_world *const *worlds, int count, int slots, int steps,
                        nb_trajectory_row *rows) {
    ride_to(runtime, worlds, count, slots, 0, 0, steps, rows);
}

/* the last of three worlds is where the one is that moved alone, to the bit; destroys the three */
static inline void end_three(const nb_world *one, nb_world *const three[3]) {
    for (int32_t i = 0; i < one->body_count; i++)
        assert_memory_equal(&one->bodies[i].position, &three[2]->bodies[i].position, sizeof(nb_vec3));
    for (int i = 0; i < 3; i++) nb_world_destroy(three[i]);
}

#endif
