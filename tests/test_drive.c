/* Motors: the joint that a motor sets is the PD law at the end of the step, at any angle and way. */
#include "check.h"

#include <string.h>

#include "model/drive.h"
#include "model/energy.h"
#include "model/motor.h"

static nb_vec3 random_vec3(uint64_t *seed) {
    return nb_vec3_of(test_random(seed, -1, 1), test_random(seed, -1, 1), test_random(seed, -1, 1));
}

static nb_quat random_quat(uint64_t *seed) {
    return nb_quat_normalized((nb_quat){test_random(seed, -1, 1), test_random(seed, -1, 1), test_random(seed, -1, 1),
                                        test_random(seed, -1, 1)});
}

/* two bodies, or the world and one, with a motor between them */
static nb_world *random_world(uint64_t *seed, nb_joint_kind kind, double stiffness, double damping, nb_vec3 *axis,
                              nb_vec3 *anchor) {
    nb_world *world;
    int32_t body, motor;
    CHECK_OK(nb_world_create(&world));
    for (int i = 0; i < 2; i++) {
        nb_body one = {.kind = NB_BODY_DYNAMIC,
                       .mass = 1,
                       .inertia = nb_vec3_of(1, 1, 1),
                       .shape = -1,
                       .position = random_vec3(seed),
                       .orientation = random_quat(seed)};
        CHECK_OK(nb_world_add_body(world, &one, &body));
    }
    nb_quat frame = random_quat(seed);
    *anchor = random_vec3(seed);
    *axis = nb_quat_rotate(frame, nb_vec3_of(1, 0, 0));
    int32_t other = test_random(seed, 0, 1) < 0.5 ? -1 : 1;
    CHECK_OK(nb_world_add_motor(world, kind, 0, other, *anchor, frame, stiffness, damping, &motor));
    return world;
}

/* moves the first body along or about the axis */
static void move(nb_world *world, const nb_body *from, int along, nb_vec3 axis, nb_vec3 anchor, double by) {
    nb_body *body = &world->bodies[0];
    *body = *from;
    if (along) {
        body->position = nb_add_scaled(body->position, by, axis);
    } else {
        nb_quat turn = nb_quat_about(axis, by);
        body->position = nb_add(anchor, nb_quat_rotate(turn, nb_sub(body->position, anchor)));
        body->orientation = nb_quat_product(turn, body->orientation);
    }
}

TEST(rows_are_the_law) {
    uint64_t seed = test_seed();
    for (int trial = 0; trial < 400; trial++) {
        const int along = trial % 2, only_damping = trial % 5 == 0, only_stiffness = trial % 5 == 1;
        double k = only_damping ? 0 : test_random(&seed, 0.1, 100),
               d = only_stiffness ? 0 : test_random(&seed, 0.1, 10);
        double h = test_random(&seed, 1e-4, 0.1);
        nb_vec3 axis, anchor;
        nb_world *world = random_world(&seed, along ? NB_JOINT_PRISMATIC : NB_JOINT_REVOLUTE, k, d, &axis, &anchor);
        nb_body from = world->bodies[0];
        nb_motor *motor = &world->motors[0];
        nb_joint *joint = &world->joints[0];
        CHECK_NEAR(nb_motor_position(world, 0), 0, 1e-12);
        motor->target = test_random(&seed, -20, 20); /* several turns */
        motor->rate = test_random(&seed, -3, 3);
        double start = motor->target + test_random(&seed, -1, 1), end = start + test_random(&seed, -1, 1);
        move(world, &from, along, axis, anchor, start);
        CHECK_NEAR(nb_motor_position(world, 0), start, 1e-10);
        nb_world_begin_step(world, h);
        move(world, &from, along, axis, anchor, end);
        nb_vec3 xb = joint->body_b < 0 ? nb_vec3_of(0, 0, 0) : world->bodies[1].position;
        nb_quat qb = joint->body_b < 0 ? nb_quat_identity() : world->bodies[1].orientation;
        nb_joint_row rows[NB_JOINT_MAX_ROWS];
        int count = nb_joint_evaluate(joint, world->bodies[0].position, world->bodies[0].orientation, xb, qb, rows);
        assert_int_equal(count, 6);
        double size = k * 20 + d * (1 / h + 3);
        double law = -k * (end - motor->target) - d * ((end - start) / h - motor->rate);
        for (int r = 0; r < 6; r++) {
            if (r != (along ? 0 : 3)) {
                CHECK_NEAR(rows[r].value, 0, 1e-9); /* what no motor drives stays */
                assert_true(rows[r].compliance == 0);
            } else if (along || fabs(rows[r].value) < 3) { /* beyond, a turn ends */
                CHECK_NEAR(-rows[r].value / rows[r].compliance, law, 1e-9 * size);
            }
        }
        CHECK_NEAR(nb_world_potential_energy(world), 9.81 * (world->bodies[0].position.z + world->bodies[1].position.z),
                   1e-9);
        nb_world_destroy(world);
    }
}

TEST(what_is_refused) {
    nb_world *world;
    int32_t body, motor;
    nb_body one = {.kind = NB_BODY_DYNAMIC,
                   .mass = 1,
                   .inertia = nb_vec3_of(1, 1, 1),
                   .shape = -1,
                   .orientation = nb_quat_identity()};
    const nb_vec3 zero = {0, 0, 0};
    CHECK_OK(nb_world_create(&world));
    CHECK_OK(nb_world_add_body(world, &one, &body));
    CHECK_FAULT(nb_world_add_motor(world, NB_JOINT_SPHERICAL, 0, -1, zero, nb_quat_identity(), 1, 1, &motor),
                NB_ERROR_INPUT, "revolute or prismatic");
    CHECK_FAULT(nb_world_add_motor(world, NB_JOINT_REVOLUTE, 0, -1, zero, nb_quat_identity(), 0, 0, &motor),
                NB_ERROR_INPUT, "one of them positive");
    CHECK_FAULT(nb_world_add_motor(world, NB_JOINT_REVOLUTE, 0, -1, zero, nb_quat_identity(), -1, 2, &motor),
                NB_ERROR_INPUT, "one of them positive");
    CHECK_FAULT(nb_world_add_motor(world, NB_JOINT_REVOLUTE, 0, 5, zero, nb_quat_identity(), 1, 2, &motor),
                NB_ERROR_INPUT, "no body 5");
    assert_int_equal(world->motor_count, 0);
    assert_int_equal(world->joint_count, 0);
    nb_world_destroy(world);
}

RUN_TESTS(rows_are_the_law, what_is_refused)
