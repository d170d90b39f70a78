/* Worlds: what they take and refuse, moments of inertia, joints in place, energies; snapshots; random numbers. */
#include "check.h"

#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "model/energy.h"
#include "model/joint.h"
#include "model/world.h"
#include "snapshot.h"

static const double RIGID[6] = {0};

static nb_world *make_world(void) {
    nb_world *world;
    CHECK_OK(nb_world_create(&world));
    return world;
}

static nb_body good_body(void) {
    return (nb_body){.mass = 2, .inertia = {1, 2, 3}, .orientation = nb_quat_identity(), .shape = -1};
}

static int32_t add_box(nb_world *world, double x, double y, double z) {
    nb_shape *box;
    int32_t index;
    CHECK_OK(nb_shape_box(nb_vec3_of(x, y, z), &box));
    CHECK_OK(nb_world_add_shape(world, box, &index));
    return index;
}

TEST(worlds_count_what_they_are_given) {
    nb_world *world = make_world();
    nb_body body = good_body();
    int32_t index;
    for (int32_t i = 0; i < 100; i++) { /* beyond several reallocations */
        body.mass = 1 + i;
        CHECK_OK(nb_world_add_body(world, &body, &index));
        assert_int_equal(index, i);
    }
    for (int32_t i = 0; i < 100; i++) CHECK_NEAR(world->bodies[i].mass, 1 + i, 0);
    for (int32_t i = 0; i < 99; i++) {
        CHECK_OK(nb_world_add_joint_at(world, NB_JOINT_SPHERICAL, i, i + 1, nb_vec3_of(0, 0, 0), nb_quat_identity(),
                                       RIGID, &index));
        assert_int_equal(index, i);
    }
    assert_int_equal(world->body_count, 100);
    assert_int_equal(world->joint_count, 99);
    nb_world_destroy(world);
    nb_world_destroy(NULL);
}

TEST(impossible_bodies_are_refused) {
    nb_world *world = make_world();
    int32_t index;
#define REFUSED(change, word)                                                       \
    do {                                                                            \
        nb_body body = good_body();                                                 \
        change;                                                                     \
        CHECK_FAULT(nb_world_add_body(world, &body, &index), NB_ERROR_INPUT, word); \
    } while (0)
    REFUSED(body.mass = 0, "mass 0 kg");
    REFUSED(body.mass = -1, "mass -1 kg");
    REFUSED(body.mass = NAN, "mass");
    REFUSED(body.mass = INFINITY, "mass inf kg");
    REFUSED(body.inertia.y = 0, "principal moments (1, 0, 3)");
    REFUSED(body.shape = 0, "there is no shape 0");
    REFUSED(body.shape = -2, "there is no shape -2");
    REFUSED(body.friction = -0.1, "friction -0.1");
    REFUSED(body.friction = NAN, "friction");
    REFUSED(body.orientation = ((nb_quat){0, 0, 0, 0}), "unit length");
    REFUSED(body.orientation.x = 0.1, "unit length");
    REFUSED(body.position.z = NAN, "finite");
    REFUSED(body.linear_velocity.x = INFINITY, "finite");
    REFUSED(body.torque.y = NAN, "finite");
#undef REFUSED
    assert_int_equal(world->body_count, 0);
    nb_body fixed = {.kind = NB_BODY_FIXED, .orientation = nb_quat_identity(), .shape = -1};
    CHECK_OK(nb_world_add_body(world, &fixed, &index)); /* needs no mass */
    nb_world_destroy(world);
}

TEST(impossible_joints_are_refused) {
    nb_world *world = make_world();
    nb_body body = good_body();
    int32_t index;
    CHECK_OK(nb_world_add_body(world, &body, &index));
    CHECK_OK(nb_world_add_body(world, &body, &index));
#define REFUSED(change, word)                                                                          \
    do {                                                                                               \
        nb_joint joint = {.body_a = 0, .body_b = 1, .frame_a = {1, 0, 0, 0}, .frame_b = {1, 0, 0, 0}}; \
        change;                                                                                        \
        CHECK_FAULT(nb_world_add_joint(world, &joint, &index), NB_ERROR_INPUT, word);                  \
    } while (0)
    REFUSED(joint.body_a = 2, "there is no body 2");
    REFUSED(joint.body_b = -2, "there is no body -2");
    REFUSED(joint.body_b = 0, "joins body 0 to itself");
    REFUSED((joint.body_a = -1, joint.body_b = -1), "joins body -1 to itself");
    REFUSED(joint.kind = (nb_joint_kind)7, "no kind 7");
    REFUSED(joint.compliance[4] = -1, "compliance -1");
    REFUSED(joint.compliance[0] = NAN, "compliance");
    REFUSED((joint.kind = NB_JOINT_DISTANCE, joint.length = -1), "length -1");
    REFUSED(joint.anchor_b.x = NAN, "anchors");
    REFUSED(joint.frame_b.w = 0, "frames");
#undef REFUSED
    CHECK_FAULT(
        nb_world_add_joint_at(world, NB_JOINT_FIXED, 5, 0, nb_vec3_of(0, 0, 0), nb_quat_identity(), RIGID, &index),
        NB_ERROR_INPUT, "there is no body 5");
    CHECK_FAULT(
        nb_world_add_joint_at(world, NB_JOINT_FIXED, 0, -3, nb_vec3_of(0, 0, 0), nb_quat_identity(), RIGID, &index),
        NB_ERROR_INPUT, "there is no body -3");
    assert_int_equal(world->joint_count, 0);
    nb_world_destroy(world);
}

TEST(solids_have_their_moments) {
    nb_world *world = make_world();
    nb_shape *shape;
    int32_t box = add_box(world, 0.5, 1, 1.5), sphere, plane, moved, body;
    CHECK_OK(nb_shape_sphere(0.3, &shape));
    CHECK_OK(nb_world_add_shape(world, shape, &sphere));
    CHECK_OK(nb_shape_half_space(&shape));
    CHECK_OK(nb_world_add_shape(world, shape, &plane));
    CHECK_OK(nb_shape_box(nb_vec3_of(1, 1, 1), &shape));
    CHECK_OK(nb_shape_append(shape, world->shapes[box], nb_vec3_of(3, 0, 0), nb_quat_identity()));
    CHECK_OK(nb_world_add_shape(world, shape, &moved));
    nb_quat turn = nb_quat_about(nb_vec3_of(0, 0, 1), 1);
    CHECK_OK(nb_world_add_solid(world, NB_BODY_DYNAMIC, box, 12, 0.4, nb_vec3_of(1, 2, 3), turn, &body));
    const nb_body *b = &world->bodies[body];
    /* m/12 (a^2 + b^2) with edges 1, 2, 3 and m = 12; sums of products of exact numbers: some epsilons */
    CHECK_NEAR(b->inertia.x, 13, 1e-13);
    CHECK_NEAR(b->inertia.y, 10, 1e-13);
    CHECK_NEAR(b->inertia.z, 5, 1e-13);
    CHECK_NEAR(b->position.z, 3, 0);
    CHECK_NEAR(b->orientation.w, turn.w, 0);
    CHECK_NEAR(nb_norm(b->linear_velocity) + nb_norm(b->angular_velocity), 0, 0);
    CHECK_OK(
        nb_world_add_solid(world, NB_BODY_DYNAMIC, sphere, 5, 0.4, nb_vec3_of(0, 0, 0), nb_quat_identity(), &body));
    CHECK_NEAR(world->bodies[body].inertia.y, 0.4 * 5 * 0.09, 1e-15);
    CHECK_OK(nb_world_add_solid(world, NB_BODY_FIXED, plane, 0, 0.4, nb_vec3_of(0, 0, 0), nb_quat_identity(), &body));
    nb_vec3 at = nb_vec3_of(0, 0, 0);
    nb_quat upright = nb_quat_identity();
    CHECK_FAULT(nb_world_add_solid(world, NB_BODY_DYNAMIC, plane, 1, 0, at, upright, &body), NB_ERROR_INPUT, "");
    CHECK_FAULT(nb_world_add_solid(world, NB_BODY_DYNAMIC, moved, 1, 0, at, upright, &body), NB_ERROR_INPUT,
                "center of mass");
    CHECK_FAULT(nb_world_add_solid(world, NB_BODY_DYNAMIC, -1, 1, 0, at, upright, &body), NB_ERROR_INPUT,
                "no shape -1");
    CHECK_FAULT(nb_world_add_solid(world, NB_BODY_DYNAMIC, box, -1, 0, at, upright, &body), NB_ERROR_INPUT, "mass -1");
    nb_world_destroy(world);
}

TEST(joints_in_place_have_no_error) {
    uint64_t seed = 3;
    nb_world *world = make_world();
    nb_body body = good_body();
    int32_t a, joint;
    body.position = nb_vec3_of(0.3, -2, 1);
    body.orientation = nb_quat_about(nb_normalized(nb_vec3_of(1, 2, -1)), 2);
    CHECK_OK(nb_world_add_body(world, &body, &a));
    for (int side = 0; side < 2; side++) { /* the world first and second */
        nb_quat frame = nb_quat_about(nb_vec3_of(0, 1, 0), test_random(&seed, -3, 3));
        nb_joint_row rows[NB_JOINT_MAX_ROWS];
        nb_vec3 x[2] = {body.position, {0, 0, 0}};
        nb_quat q[2] = {body.orientation, {1, 0, 0, 0}};
        CHECK_OK(nb_world_add_joint_at(world, NB_JOINT_FIXED, side ? -1 : a, side ? a : -1, nb_vec3_of(4, 5, 6), frame,
                                       RIGID, &joint));
        assert_int_equal(nb_joint_evaluate(&world->joints[joint], x[side], q[side], x[1 - side], q[1 - side], rows), 6);
        for (int i = 0; i < 6; i++) CHECK_NEAR(rows[i].value, 0, 1e-14); /* round-off of coordinates up to 6 */
    }
    nb_world_destroy(world);
}

TEST(energies_are_those_of_textbooks) {
    nb_world *world = make_world();
    nb_body body = good_body();
    int32_t index;
    CHECK_NEAR(nb_world_kinetic_energy(world), 0, 0);
    body.linear_velocity = nb_vec3_of(3, 0, 4);
    body.orientation = nb_quat_about(nb_vec3_of(0, 0, 1), 1.5707963267948966); /* the body's x is the world's y */
    body.angular_velocity = nb_vec3_of(0, 2, 0);
    body.position = nb_vec3_of(0, 0, 10);
    CHECK_OK(nb_world_add_body(world, &body, &index));
    CHECK_NEAR(nb_world_kinetic_energy(world), 0.5 * 2 * 25 + 0.5 * 1 * 4, 1e-13);
    CHECK_NEAR(nb_world_potential_energy(world), 2 * 9.81 * 10, 1e-12);
    body.kind = NB_BODY_KINEMATIC; /* moves, but its energy is nobody's */
    CHECK_OK(nb_world_add_body(world, &body, &index));
    CHECK_NEAR(nb_world_kinetic_energy(world), 0.5 * 2 * 25 + 0.5 * 1 * 4, 1e-13);
    /* a spring of 50 N/m, stretched by 0.2 m, and a rigid row, which holds none */
    nb_joint spring = {.kind = NB_JOINT_DISTANCE, .body_a = 0, .body_b = -1, .compliance = {1 / 50.0}, .length = 9.8};
    CHECK_OK(nb_world_add_joint(world, &spring, &index));
    CHECK_NEAR(nb_world_potential_energy(world), 2 * 9.81 * 10 + 0.5 * 50 * 0.04, 1e-11);
    world->joints[0].compliance[0] = 0;
    CHECK_NEAR(nb_world_potential_energy(world), 2 * 9.81 * 10, 1e-12);
    nb_world_destroy(world);
}

/* whichever allocation fails: one fault, nothing lost (the sanitizers would say) */
TEST(memory_may_run_out) {
    for (int64_t successes = 0; successes < 4; successes++) {
        nb_world *world = NULL;
        nb_shape *shape = NULL;
        nb_body body = good_body();
        int32_t index;
        CHECK_OK(nb_shape_sphere(1, &shape));
        nb_allocation_fail_after(successes);
        nb_status status = nb_world_create(&world);
        if (status == NB_OK) {
            status = nb_world_add_shape(world, shape, &index);
            if (status == NB_OK) status = nb_world_add_body(world, &body, &index);
            if (status == NB_OK)
                status = nb_world_add_joint_at(world, NB_JOINT_FIXED, index, -1, nb_vec3_of(0, 0, 0),
                                               nb_quat_identity(), RIGID, &index);
        } else {
            nb_shape_destroy(shape);
        }
        nb_allocation_fail_after(-1);
        assert_int_equal(status, NB_ERROR_MEMORY);
        nb_world_destroy(world);
    }
    for (int64_t successes = 0; successes < 14; successes++) {
        nb_snapshot snapshot = {0};
        nb_allocation_fail_after(successes);
        assert_int_equal(nb_snapshot_resize(&snapshot, 2, 3, 4), NB_ERROR_MEMORY);
        nb_allocation_fail_after(-1);
        assert_null(snapshot.q);
        assert_int_equal(snapshot.contacts, 0);
    }
}

TEST(snapshots_have_room_and_forces) {
    nb_snapshot snapshot = {.step_count = 7};
    CHECK_OK(nb_snapshot_resize(&snapshot, 2, 3, 4));
    assert_int_equal(snapshot.step_count, 7);
    memset(snapshot.q, 1, 2 * 7 * sizeof(double));
    memset(snapshot.contact_tangent, 1, 4 * 6 * sizeof(double));
    CHECK_OK(nb_snapshot_resize(&snapshot, 3, 0, 1));
    assert_int_equal(snapshot.bodies, 3);
    assert_int_equal(snapshot.bilaterals, 0);
    assert_int_equal(snapshot.contacts, 1);
    for (int i = 0; i < 21; i++) CHECK_NEAR(snapshot.q[i], 0, 0);
    snapshot.lambda_normal[0] = 10;
    snapshot.lambda_friction[0] = 3;
    snapshot.lambda_friction[1] = -4;
    snapshot.contact_normal[2] = 1;
    snapshot.contact_tangent[1] = 1;  /* tangent 1 = y */
    snapshot.contact_tangent[3] = -1; /* tangent 2 = -x */
    nb_vec3 force = nb_snapshot_contact_force(&snapshot, 0);
    CHECK_NEAR(force.x, 4, 0);
    CHECK_NEAR(force.y, 3, 0);
    CHECK_NEAR(force.z, 10, 0);
    nb_snapshot_clear(&snapshot);
    nb_snapshot_clear(&snapshot); /* twice does no harm */
    assert_int_equal(nb_snapshot_resize(&snapshot, -1, 0, 0), NB_ERROR_MEMORY);
}

TEST(random_numbers_are_the_published_ones) {
    /* the first outputs of splitmix64 for the seed 1234567, from the authors' reference */
    static const uint64_t known[] = {6457827717110365317u, 3203168211198807973u, 9817491932198370423u,
                                     4593380528125082431u, 16408922859458223821u};
    uint64_t seed = 1234567, other = 99;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) assert_true(nb_random_bits(&seed) == known[i]);
    double sum = 0, least = 1, most = 0;
    for (int i = 0; i < 10000; i++) {
        double x = nb_random_uniform(&other, -2, 3);
        assert_true(x >= -2 && x < 3);
        sum += x;
        least = fmin(least, (x + 2) / 5);
        most = fmax(most, (x + 2) / 5);
    }
    CHECK_NEAR(sum / 10000, 0.5, 5 * 5 / sqrt(12) / 100); /* five standard deviations of the mean */
    assert_true(least < 0.01 && most > 0.99);
}

RUN_TESTS(worlds_count_what_they_are_given, impossible_bodies_are_refused, impossible_joints_are_refused,
          solids_have_their_moments, joints_in_place_have_no_error, energies_are_those_of_textbooks, memory_may_run_out,
          snapshots_have_room_and_forces, random_numbers_are_the_published_ones)
