/* Joints: rows, their gradients, and what each kind leaves free. */
#include "check.h"

#include "model/joint.h"
#include "model/world.h"

static nb_vec3 random_vec3(uint64_t *seed) {
    return nb_vec3_of(test_random(seed, -1, 1), test_random(seed, -1, 1), test_random(seed, -1, 1));
}

static nb_quat random_quat(uint64_t *seed) {
    return nb_quat_normalized((nb_quat){test_random(seed, -1, 1), test_random(seed, -1, 1), test_random(seed, -1, 1),
                                        test_random(seed, -1, 1)});
}

/* the rotation exp(omega t), from the left */
static nb_quat turned(nb_quat q, nb_vec3 omega, double t) {
    double speed = nb_norm(omega);
    return nb_quat_product(nb_quat_about(nb_normalized(omega), speed * t), q);
}

static const nb_joint_kind kinds[] = {NB_JOINT_FIXED, NB_JOINT_SPHERICAL, NB_JOINT_REVOLUTE, NB_JOINT_PRISMATIC,
                                      NB_JOINT_DISTANCE};

static nb_joint random_joint(uint64_t *seed, nb_joint_kind kind) {
    nb_joint joint = {.kind = kind, .body_a = 0, .body_b = 1, .length = 0.7};
    joint.anchor_a = random_vec3(seed);
    joint.anchor_b = random_vec3(seed);
    joint.frame_a = random_quat(seed);
    joint.frame_b = random_quat(seed);
    return joint;
}

TEST(gradients_match_central_differences) {
    uint64_t seed = 5;
    print_message("seed %llu\n", (unsigned long long)seed);
    const double t = 1e-5; /* error of the difference: t^2 times third derivatives, plus epsilon/t, both about 1e-10 */
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (int trial = 0; trial < 200; trial++) {
            nb_joint joint = random_joint(&seed, kinds[k]);
            nb_vec3 xa = random_vec3(&seed), xb = random_vec3(&seed), va = random_vec3(&seed), vb = random_vec3(&seed),
                    wa = random_vec3(&seed), wb = random_vec3(&seed);
            nb_quat qa = random_quat(&seed), qb = random_quat(&seed);
            nb_joint_row row[NB_JOINT_MAX_ROWS], less[NB_JOINT_MAX_ROWS], more[NB_JOINT_MAX_ROWS];
            int count = nb_joint_evaluate(&joint, xa, qa, xb, qb, row);
            assert_int_equal(count, nb_joint_rows(kinds[k]));
            nb_joint_evaluate(&joint, nb_add_scaled(xa, -t, va), turned(qa, wa, -t), nb_add_scaled(xb, -t, vb),
                              turned(qb, wb, -t), less);
            nb_joint_evaluate(&joint, nb_add_scaled(xa, t, va), turned(qa, wa, t), nb_add_scaled(xb, t, vb),
                              turned(qb, wb, t), more);
            for (int i = 0; i < count; i++) {
                double expected = (more[i].value - less[i].value) / (2 * t);
                if (fabs(expected) > 1e3) continue; /* the rotation vector turned over at pi between the two */
                double actual = nb_dot(row[i].linear_a, va) + nb_dot(row[i].angular_a, wa) +
                                nb_dot(row[i].linear_b, vb) + nb_dot(row[i].angular_b, wb);
                /* third derivatives of the rotation vector grow towards pi */
                CHECK_NEAR(actual, expected, 1e-6 * (1 + fabs(expected)));
            }
        }
}

TEST(moving_both_bodies_alike_changes_nothing) {
    uint64_t seed = 6;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        nb_joint joint = random_joint(&seed, kinds[k]);
        nb_vec3 xa = random_vec3(&seed), xb = random_vec3(&seed), shift = random_vec3(&seed);
        nb_quat qa = random_quat(&seed), qb = random_quat(&seed), turn = random_quat(&seed);
        nb_joint_row before[NB_JOINT_MAX_ROWS], after[NB_JOINT_MAX_ROWS];
        int count = nb_joint_evaluate(&joint, xa, qa, xb, qb, before);
        nb_joint_evaluate(&joint, nb_add(shift, nb_quat_rotate(turn, xa)), nb_quat_product(turn, qa),
                          nb_add(shift, nb_quat_rotate(turn, xb)), nb_quat_product(turn, qb), after);
        for (int i = 0; i < count; i++) CHECK_NEAR(after[i].value, before[i].value, 1e-13);
    }
}

/* a joint made in place is satisfied, and stays so along what its kind leaves free */
TEST(free_directions_leave_the_rows_at_zero) {
    uint64_t seed = 7;
    for (int trial = 0; trial < 50; trial++)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            nb_world *world;
            int32_t a, b, index;
            CHECK_OK(nb_world_create(&world));
            nb_body body = {.mass = 1,
                            .inertia = {1, 1, 1},
                            .shape = -1,
                            .position = random_vec3(&seed),
                            .orientation = random_quat(&seed)};
            CHECK_OK(nb_world_add_body(world, &body, &a));
            body.position = random_vec3(&seed);
            body.orientation = random_quat(&seed);
            CHECK_OK(nb_world_add_body(world, &body, &b));
            nb_vec3 anchor = random_vec3(&seed), axis;
            nb_quat frame = random_quat(&seed);
            const double rigid[6] = {0};
            CHECK_OK(nb_world_add_joint_at(world, kinds[k], a, b, anchor, frame, rigid, &index));
            axis = nb_quat_rotate(frame, nb_vec3_of(1, 0, 0));
            double angle = test_random(&seed, -3, 3), way = test_random(&seed, -2, 2);
            nb_vec3 x = world->bodies[a].position;
            nb_quat q = world->bodies[a].orientation;
            if (kinds[k] == NB_JOINT_SPHERICAL) axis = nb_normalized(random_vec3(&seed));
            if (kinds[k] == NB_JOINT_SPHERICAL || kinds[k] == NB_JOINT_REVOLUTE) {
                nb_quat turn = nb_quat_about(axis, angle);
                x = nb_add(anchor, nb_quat_rotate(turn, nb_sub(x, anchor)));
                q = nb_quat_product(turn, q);
            }
            if (kinds[k] == NB_JOINT_PRISMATIC) x = nb_add_scaled(x, way, axis);
            nb_joint_row row[NB_JOINT_MAX_ROWS];
            int count = nb_joint_evaluate(&world->joints[index], x, q, world->bodies[b].position,
                                          world->bodies[b].orientation, row);
            for (int i = 0; i < count; i++) CHECK_NEAR(row[i].value, 0, 1e-12);
            nb_world_destroy(world);
        }
}

/* values and order of the rows, one displacement at a time: translation in frame b, then the rotation vector */
TEST(rows_come_in_order_with_their_compliance) {
    nb_joint joint = {.kind = NB_JOINT_FIXED, .body_a = 0, .body_b = 1, .frame_a = {1, 0, 0, 0}};
    joint.frame_b = nb_quat_about(nb_vec3_of(0, 0, 1), 1.5707963267948966); /* x of b is y of the world, y is -x */
    joint.frame_a = joint.frame_b;
    for (int i = 0; i < 6; i++) joint.compliance[i] = i + 1;
    nb_joint_row rows[NB_JOINT_MAX_ROWS];
    nb_vec3 zero = {0, 0, 0};
    nb_quat upright = nb_quat_identity();
    assert_int_equal(nb_joint_evaluate(&joint, nb_vec3_of(0.1, 0.2, 0.3), upright, zero, upright, rows), 6);
    const double translation[3] = {0.2, -0.1, 0.3};
    for (int i = 0; i < 3; i++) CHECK_NEAR(rows[i].value, translation[i], 1e-15);
    for (int i = 0; i < 6; i++) CHECK_NEAR(rows[i].compliance, i + 1, 0);
    nb_quat turn = nb_quat_about(nb_vec3_of(0, 1, 0), 0.7); /* about the world's y: x of b */
    nb_joint_evaluate(&joint, zero, turn, zero, upright, rows);
    const double rotation[3] = {0.7, 0, 0};
    for (int i = 0; i < 3; i++) CHECK_NEAR(rows[3 + i].value, rotation[i], 1e-15);
    static const struct {
        nb_joint_kind kind;
        int count, compliance[6];
    } known[] = {{NB_JOINT_SPHERICAL, 3, {1, 2, 3}},
                 {NB_JOINT_REVOLUTE, 5, {1, 2, 3, 5, 6}},
                 {NB_JOINT_PRISMATIC, 5, {2, 3, 4, 5, 6}},
                 {NB_JOINT_DISTANCE, 1, {1}}};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        joint.kind = known[k].kind;
        assert_int_equal(nb_joint_evaluate(&joint, zero, turn, zero, upright, rows), known[k].count);
        for (int i = 0; i < known[k].count; i++) CHECK_NEAR(rows[i].compliance, known[k].compliance[i], 0);
    }
}

/* the rotation vector has its angle and its gradient at all sizes, from nothing to just below pi */
TEST(rotations_of_any_size_are_exact) {
    static const double angles[] = {0, 1e-12, 1e-7, 9e-4, 1.1e-3, 0.1, 1, 3, 3.14};
    nb_joint joint = {
        .kind = NB_JOINT_FIXED, .body_a = 0, .body_b = 1, .frame_a = {1, 0, 0, 0}, .frame_b = {1, 0, 0, 0}};
    nb_vec3 axis = nb_normalized(nb_vec3_of(1, -2, 3)), zero = {0, 0, 0}, spin = {0.3, 0.9, -0.4};
    const double component[3] = {axis.x, axis.y, axis.z}, t = 1e-5;
    for (size_t k = 0; k < sizeof angles / sizeof *angles; k++) {
        nb_quat q = nb_quat_about(axis, angles[k]), minus = {-q.w, -q.x, -q.y, -q.z};
        nb_joint_row row[NB_JOINT_MAX_ROWS], same[NB_JOINT_MAX_ROWS], less[NB_JOINT_MAX_ROWS], more[NB_JOINT_MAX_ROWS];
        nb_joint_evaluate(&joint, zero, q, zero, nb_quat_identity(), row);
        nb_joint_evaluate(&joint, zero, minus, zero, nb_quat_identity(), same); /* the same rotation */
        nb_joint_evaluate(&joint, zero, turned(q, spin, -t), zero, nb_quat_identity(), less);
        nb_joint_evaluate(&joint, zero, turned(q, spin, t), zero, nb_quat_identity(), more);
        for (int i = 0; i < 3; i++) {
            CHECK_NEAR(row[3 + i].value, angles[k] * component[i], 1e-15 + 1e-15 * angles[k]);
            CHECK_NEAR(same[3 + i].value, row[3 + i].value, 1e-15);
            if (angles[k] > 3.1) continue; /* the difference would reach across pi */
            /* difference: epsilon times the value over t, and t^2 times third derivatives that grow to 1e3 near pi */
            CHECK_NEAR(nb_dot(row[3 + i].angular_a, spin), (more[3 + i].value - less[3 + i].value) / (2 * t), 1e-7);
            CHECK_NEAR(nb_norm(nb_add(row[3 + i].angular_a, row[3 + i].angular_b)), 0, 1e-15);
        }
    }
    joint.kind = NB_JOINT_DISTANCE; /* anchors that coincide have no direction: any unit vector will do */
    joint.length = 2;
    nb_joint_row row[NB_JOINT_MAX_ROWS];
    nb_joint_evaluate(&joint, zero, nb_quat_identity(), zero, nb_quat_identity(), row);
    CHECK_NEAR(row[0].value, -2, 0);
    CHECK_NEAR(nb_norm(row[0].linear_a), 1, 0);
}

RUN_TESTS(gradients_match_central_differences, moving_both_bodies_alike_changes_nothing,
          free_directions_leave_the_rows_at_zero, rows_come_in_order_with_their_compliance,
          rotations_of_any_size_are_exact)
