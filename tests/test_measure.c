/* The harness's measures against values worked out by hand: a sphere on the ground, held by a spring. */
#include "check.h"

#include <string.h>

#include "constraint/step.h"
#include "contact/contact.h"
#include "measure/measure.h"

static const double h = 0.01, gravity = 9.81;

/* mass 2 kg, radius 0.5 m: w_n = 1/2, and w_f = 1/2 + r^2/(2/5 m r^2) = 7/4 in both tangents */
typedef struct scene {
    nb_world *world;
    nb_contacts *contacts;
    nb_measure *measure;
} scene;

static scene make_scene(int frozen) {
    scene s = {0};
    nb_shape *shape;
    int32_t index, ground, ball;
    CHECK_OK(nb_world_create(&s.world));
    CHECK_OK(nb_shape_half_space(&shape));
    CHECK_OK(nb_world_add_shape(s.world, shape, &index));
    CHECK_OK(
        nb_world_add_solid(s.world, NB_BODY_FIXED, index, 0, 0.5, nb_vec3_of(0, 0, 0), nb_quat_identity(), &ground));
    CHECK_OK(nb_shape_sphere(0.5, &shape));
    CHECK_OK(nb_world_add_shape(s.world, shape, &index));
    CHECK_OK(
        nb_world_add_solid(s.world, NB_BODY_DYNAMIC, index, 2, 0.5, nb_vec3_of(3, 0, 0.5), nb_quat_identity(), &ball));
    nb_joint spring = {.kind = NB_JOINT_DISTANCE, .body_a = ball, .body_b = -1, .length = 3, .compliance = {2e-4}};
    spring.anchor_b = nb_vec3_of(0, 0, 0.5);
    CHECK_OK(nb_world_add_joint(s.world, &spring, &index));
    CHECK_OK(nb_contacts_create(&s.contacts));
    CHECK_OK(nb_contacts_detect(s.world, h, s.contacts));
    assert_int_equal(s.contacts->count, 1);
    CHECK_OK(nb_measure_create(&s.measure));
    CHECK_OK(nb_measure_begin(s.measure, s.world, s.contacts, h, frozen));
    return s;
}

static void drop_scene(scene *s) {
    nb_measure_destroy(s->measure);
    nb_contacts_destroy(s->contacts);
    nb_world_destroy(s->world);
}

typedef struct iterate {
    double velocity[3], spring, normal, tangent[2]; /* of the sphere; impulses */
} iterate;

/* u of the ground and the sphere; z of the spring, the normal and the tangents x and y */
static nb_errors errors_of(const scene *s, iterate i) {
    nb_errors errors;
    double *u, *z;
    const double velocities[12] = {[6] = i.velocity[0], i.velocity[1], i.velocity[2]};
    const double impulses[4] = {i.spring, i.normal, i.tangent[0], i.tangent[1]};
    nb_measure_own_iterate(s->measure, &u, &z);
    memcpy(u, velocities, sizeof velocities);
    memcpy(z, impulses, sizeof impulses);
    nb_measure_evaluate(s->measure, &errors);
    return errors;
}

/* sums of a few products of numbers of order one */
#define CHECK_ERROR(actual, expected) CHECK_NEAR(actual, expected, 1e-13)

TEST(rest_has_no_error) {
    for (int frozen = 0; frozen < 2; frozen++) {
        scene s = make_scene(frozen);
        nb_errors e = errors_of(&s, (iterate){.normal = 2 * gravity * h});
        CHECK_ERROR(e.natural_map, 0);
        CHECK_ERROR(e.penetration, 0);
        assert_true(isnan(e.file.relative)); /* of problem files only */
        drop_scene(&s);
    }
}

TEST(momentum_is_a_velocity) {
    scene s = make_scene(0);
    nb_errors e = errors_of(&s, (iterate){.normal = 0}); /* nothing holds the weight */
    CHECK_ERROR(e.momentum, gravity * h);
    CHECK_ERROR(e.complementarity, 0);
    CHECK_ERROR(e.natural_map, gravity * h);
    e = errors_of(&s, (iterate){.normal = 2 * gravity * h + 0.3});
    CHECK_ERROR(e.momentum, 0.3 / 2);
    /* a tangential impulse acts at the lever of the radius: r z/(2/5 m r^2) = 5 z/(2 m r) [rad/s] times the radius of
     * gyration r sqrt(2/5) is the larger part */
    e = errors_of(&s, (iterate){.normal = 2 * gravity * h, .tangent = {0.04, 0}});
    CHECK_ERROR(e.momentum, 5 * 0.04 / (2 * 2) * sqrt(0.4));
    drop_scene(&s);
}

TEST(normal_errors_are_the_smaller_of_gap_and_force) {
    scene s = make_scene(0);
    nb_errors e = errors_of(&s, (iterate){.velocity = {0, 0, 1}, .normal = 0.4}); /* leaves, and is pushed */
    CHECK_ERROR(e.complementarity, 0.4 / 2);
    e = errors_of(&s, (iterate){.velocity = {0, 0, 0.1}, .normal = 0.4});
    CHECK_ERROR(e.complementarity, 0.1);
    e = errors_of(&s, (iterate){.velocity = {0, 0, -1}, .normal = 0.4}); /* sinks in by h */
    CHECK_ERROR(e.complementarity, 1);
    CHECK_ERROR(e.penetration, h);
    e = errors_of(&s, (iterate){.normal = -0.4}); /* is pulled */
    CHECK_ERROR(e.complementarity, 0.2);
    CHECK_ERROR(e.penetration, 0);
    drop_scene(&s);
}

TEST(friction_errors_are_distances_to_the_disc) {
    scene s = make_scene(0);
    const double w = 1.75, n = 4;                                                /* the disc has the radius 2 */
    nb_errors e = errors_of(&s, (iterate){.normal = n, .tangent = {-1.2, 1.6}}); /* sticks on the rim */
    CHECK_ERROR(e.friction, 0);
    e = errors_of(&s, (iterate){.normal = n, .tangent = {-3, 4}}); /* beyond it by 3 */
    CHECK_ERROR(e.friction, w * 3);
    e = errors_of(&s,
                  (iterate){.velocity = {0, 2, 0}, .normal = n, .tangent = {0, -2}}); /* slides against full friction */
    CHECK_ERROR(e.friction, 0);
    e = errors_of(&s,
                  (iterate){.velocity = {0, 2, 0}, .normal = n}); /* slides against none: 2/w lies within the disc */
    CHECK_ERROR(e.friction, 2);
    e = errors_of(&s, (iterate){.velocity = {0, 7, 0}, .normal = n}); /* 7/w = 4 does not: the rim counts */
    CHECK_ERROR(e.friction, w * 2);
    e = errors_of(&s, (iterate){.velocity = {0, 7, 0}, .normal = n, .tangent = {0, 2}}); /* friction that drives */
    CHECK_ERROR(e.friction, w * 4);
    e = errors_of(&s, (iterate){.normal = -n, .tangent = {0.5, 0}}); /* no disc at all */
    CHECK_ERROR(e.friction, w * 0.5);
    drop_scene(&s);
}

TEST(bilateral_errors_know_compliance) {
    for (int frozen = 0; frozen < 2; frozen++) {
        scene s = make_scene(frozen);
        nb_errors e = errors_of(&s, (iterate){.velocity = {0.5, 0, 0}});
        CHECK_ERROR(e.bilateral, 0.5);
        /* e/h^2 = 2 [1/kg]: an impulse of -0.25 N s holds it */
        e = errors_of(&s, (iterate){.velocity = {0.5, 0, 0}, .spring = -0.25});
        CHECK_ERROR(e.bilateral, 0);
        e = errors_of(&s, (iterate){.velocity = {0.5, 0, 0}, .spring = 0.25});
        CHECK_ERROR(e.bilateral, 1);
        /* across, the length grows by the square alone; a frozen geometry does not see it */
        e = errors_of(&s, (iterate){.velocity = {0, 3, 0}});
        CHECK_ERROR(e.bilateral, frozen ? 0 : (hypot(3, 0.03) - 3) / h);
        drop_scene(&s);
    }
}

TEST(the_natural_map_is_the_largest_and_nan_stays) {
    scene s = make_scene(0);
    nb_errors e = errors_of(&s, (iterate){.velocity = {1, 2, -3}, .spring = 1, .normal = 4, .tangent = {5, 6}});
    CHECK_ERROR(e.natural_map, fmax(fmax(e.complementarity, e.friction), fmax(e.bilateral, e.momentum)));
    assert_true(isnan(errors_of(&s, (iterate){.velocity = {NAN, 0, 0}, .normal = 1}).natural_map));
    assert_true(isnan(errors_of(&s, (iterate){.spring = NAN}).natural_map));
    assert_true(isnan(errors_of(&s, (iterate){.normal = NAN}).natural_map));
    assert_true(isnan(errors_of(&s, (iterate){.normal = 1, .tangent = {0, NAN}}).natural_map));
    drop_scene(&s);
    nb_measure_destroy(NULL);
}

/* of a step of its own, and of frozen and moving ones one after the other */
TEST(rows_of_a_frozen_step_may_be_shared) {
    const iterate at = {{0.1, -0.2, 0.3}, 0.4, 0.5, {0.6, -0.7}};
    nb_step *rows;
    CHECK_OK(nb_step_create(&rows));
    scene beside = make_scene(0);
    for (int k = 0; k < 4; k++) {
        const int frozen = k % 2;
        scene own = make_scene(frozen);
        CHECK_OK(nb_step_begin(rows, own.world, own.contacts, h, frozen));
        assert_int_equal(nb_step_may_be_shared(rows), frozen);
        CHECK_OK(nb_measure_begin_beside(beside.measure, rows, own.world, own.contacts, h, frozen));
        const nb_errors expected = errors_of(&own, at), errors = errors_of(&beside, at);
        assert_true(expected.natural_map > 0.1);
        assert_memory_equal(&errors, &expected, sizeof errors);
        assert_memory_equal(nb_measure_values(beside.measure), nb_measure_values(own.measure), 4 * sizeof(double));
        for (int32_t r = 0; r < 4; r++) assert_true(nb_step_problem(rows)->z[r] == 0);
        drop_scene(&own);
    }
    drop_scene(&beside);
    nb_step_destroy(rows);
}

RUN_TESTS(rest_has_no_error, momentum_is_a_velocity, normal_errors_are_the_smaller_of_gap_and_force,
          friction_errors_are_distances_to_the_disc, bilateral_errors_know_compliance,
          the_natural_map_is_the_largest_and_nan_stays, rows_of_a_frozen_step_may_be_shared)
