/* Which convex sets may touch within a step, against all pairs: every two that come as near as the margin at the start
 * of the step, or at its end with their own velocities or others, are found, by balls in them; in order, once, of
 * bodies that no joint joins; and none that are farther than boxes around them allow. */
#include <string.h>

#include "check.h"
#include "method/single_level/set_pairs.h"
#include "model/world.h"
#include "scene.h"

enum {
    BODIES = 24
};

static const double h = 0.05;

static nb_world *random_world(uint64_t *seed) {
    nb_world *world;
    nb_shape *floor, *ball, *box;
    int32_t shape[3], body;
    CHECK_OK(nb_world_create(&world));
    world->settings.contact_margin = test_random(seed, 0.001, 0.1);
    CHECK_OK(nb_shape_half_space(&floor));
    CHECK_OK(nb_shape_sphere(0.3, &ball));
    CHECK_OK(nb_shape_box(nb_vec3_of(0.2, 0.3, 0.1), &box));
    CHECK_OK(nb_world_add_shape(world, floor, &shape[0]));
    CHECK_OK(nb_world_add_shape(world, ball, &shape[1]));
    CHECK_OK(nb_world_add_shape(world, box, &shape[2]));
    CHECK_OK(
        nb_world_add_solid(world, NB_BODY_FIXED, shape[0], 1, 0.5, nb_vec3_of(0, 0, 0), nb_quat_identity(), &body));
    for (int i = 1; i < BODIES; i++) {
        nb_vec3 at = test_random_vector(seed, -1.2, 1.2);
        at.z += 1.5;
        CHECK_OK(nb_world_add_solid(world, i % 5 == 0 ? NB_BODY_FIXED : NB_BODY_DYNAMIC, shape[1 + i % 2], 1, 0.5, at,
                                    test_random_turn(seed), &body));
        if (i % 5 == 0) continue;
        world->bodies[body].linear_velocity = test_random_vector(seed, -4, 4);
        world->bodies[body].angular_velocity = test_random_vector(seed, -4, 4);
    }
    for (int i = 1; i + 2 < BODIES; i += 3) {
        const double rigid[6] = {0};
        int32_t joint;
        if (i % 5 == 0) continue;
        CHECK_OK(nb_world_add_joint_at(world, NB_JOINT_SPHERICAL, i, i + 2, nb_vec3_of(0, 0, 0), nb_quat_identity(),
                                       rigid, &joint));
    }
    return world;
}

static int are_joined(const nb_world *world, int32_t i, int32_t j) {
    for (int32_t k = 0; k < world->joint_count; k++) {
        const nb_joint *joint = &world->joints[k];
        if ((joint->body_a == i && joint->body_b == j) || (joint->body_a == j && joint->body_b == i)) return 1;
    }
    return 0;
}

static nb_vec3 place(const nb_world *world, int32_t i, double time, const double *u) {
    return nb_add_scaled(world->bodies[i].position, time, nb_vec3_of(u[0], u[1], u[2]));
}

/* of a ball in the body's set */
static double inner(const nb_world *world, int32_t i) {
    return world->bodies[i].shape == 1 ? 0.3 : 0.1;
}

/* how far balls in the sets are at this time; from a half-space's plane */
static double distance(const nb_world *world, int32_t i, int32_t j, double time, const double *u) {
    nb_vec3 a = place(world, i, time, u + 6 * i), b = place(world, j, time, u + 6 * j);
    if (j == 0) return a.z - inner(world, i);
    return nb_norm(nb_sub(a, b)) - inner(world, i) - inner(world, j);
}

static int is_found(const nb_set_pairs *pairs, int32_t i, int32_t j) {
    int count = 0;
    for (int32_t k = 0; k < pairs->count; k++)
        count += (pairs->items[k].body_a == i && pairs->items[k].body_b == j) ||
                 (pairs->items[k].body_a == j && pairs->items[k].body_b == i);
    return count;
}

/* `u`: NULL, or velocities that the pairs were extended by */
static void check_pairs(const nb_world *world, const nb_set_pairs *pairs, const double *own, const double *free,
                        const double *u, int32_t counts[2]) {
    const double *const ways[3] = {own, free, u};
    for (int32_t k = 0; k < pairs->count; k++) {
        const nb_set_pair *p = &pairs->items[k];
        assert_int_equal(world->bodies[p->body_a].kind, NB_BODY_DYNAMIC);
        assert_true(world->bodies[p->body_b].kind != NB_BODY_DYNAMIC || p->body_a < p->body_b);
        assert_true(k == 0 || nb_set_pair_compare(p - 1, p) < 0);
    }
    for (int32_t i = 1; i < BODIES; i++)
        for (int32_t j = 0; j < i; j++) {
            int dynamic = world->bodies[i].kind == NB_BODY_DYNAMIC || world->bodies[j].kind == NB_BODY_DYNAMIC;
            double least = distance(world, i, j, 0, own), speed = 0;
            for (int way = 0; way < 3 && ways[way]; way++) {
                least = fmin(least, distance(world, i, j, h, ways[way]));
                for (int k = 0; k < 3; k++)
                    speed = fmax(speed, fmax(fabs(ways[way][6 * i + k]), fabs(ways[way][6 * j + k])));
            }
            if (!dynamic || are_joined(world, i, j)) {
                assert_int_equal(is_found(pairs, i, j), 0);
                continue;
            }
            if (least <= world->settings.contact_margin) {
                assert_int_equal(is_found(pairs, i, j), 1);
                counts[0]++;
            }
            /* what stands between boxes around the sets along one axis at least */
            double reach = sqrt(3) * (2 * 0.375 + 2 * h * speed + 2 * world->settings.contact_margin);
            if (distance(world, i, j, 0, own) > reach) {
                assert_int_equal(is_found(pairs, i, j), 0);
                counts[1]++;
            }
        }
}

TEST(against_all_pairs) {
    uint64_t seed = test_seed();
    int32_t counts[2] = {0}, grown = 0;
    nb_set_pairs pairs = {0};
    for (int round = 0; round < 40; round++) {
        nb_world *world = random_world(&seed);
        double own[6 * BODIES] = {0}, free[6 * BODIES] = {0}, u[6 * BODIES] = {0};
        int32_t added;
        for (int i = 0; i < BODIES; i++) {
            const nb_body *b = &world->bodies[i];
            const nb_vec3 v = b->linear_velocity, w = b->angular_velocity;
            const double velocities[6] = {v.x, v.y, v.z, w.x, w.y, w.z};
            for (int k = 0; k < 6; k++) {
                own[6 * i + k] = velocities[k];
                if (b->kind != NB_BODY_DYNAMIC) continue;
                free[6 * i + k] = velocities[k] + test_random(&seed, -2, 2);
                u[6 * i + k] = test_random(&seed, -12, 12);
            }
        }
        CHECK_OK(nb_set_pairs_find(&pairs, world, h, free));
        check_pairs(world, &pairs, own, free, NULL, counts);
        int32_t before = pairs.count;
        CHECK_OK(nb_set_pairs_extend(&pairs, world, h, free, &added)); /* nothing new */
        assert_int_equal(added, 0);
        CHECK_OK(nb_set_pairs_extend(&pairs, world, h, u, &added));
        assert_int_equal(added, pairs.count - before);
        /* extended boxes have no second margin: those that touch are found */
        check_pairs(world, &pairs, own, free, NULL, counts);
        for (int32_t i = 1; i < BODIES; i++)
            for (int32_t j = 0; j < i; j++)
                if (distance(world, i, j, h, u) < 0 && !are_joined(world, i, j) &&
                    (world->bodies[i].kind == NB_BODY_DYNAMIC || world->bodies[j].kind == NB_BODY_DYNAMIC))
                    assert_int_equal(is_found(&pairs, i, j), 1);
        grown += added;
        nb_world_destroy(world);
    }
    print_message("%d near, %d far, %d added\n", counts[0], counts[1], grown);
    assert_true(counts[0] > 500 && counts[1] > 100 && grown > 100);
    nb_set_pairs_clear(&pairs);
}

static void turn_by(nb_quat turn, double *velocity) {
    const nb_vec3 v = nb_quat_rotate(turn, nb_vec3_of(velocity[0], velocity[1], velocity[2])),
                  w = nb_quat_rotate(turn, nb_vec3_of(velocity[3], velocity[4], velocity[5]));
    memcpy(velocity, (double[6]){v.x, v.y, v.z, w.x, w.y, w.z}, 6 * sizeof *velocity);
}

/* a scene that is turned as a whole has the same pairs */
TEST(no_axes_matter) {
    uint64_t seed = test_seed();
    nb_set_pairs pairs = {0}, turned = {0};
    int32_t added, all = 0;
    for (int round = 0; round < 40; round++) {
        nb_world *world = random_world(&seed);
        const nb_quat turn = test_random_turn(&seed);
        double free[6 * BODIES], u[6 * BODIES];
        for (int k = 0; k < 6 * BODIES; k++) {
            const int moves = world->bodies[k / 6].kind == NB_BODY_DYNAMIC;
            free[k] = moves ? test_random(&seed, -4, 4) : 0;
            u[k] = moves ? test_random(&seed, -12, 12) : 0;
        }
        CHECK_OK(nb_set_pairs_find(&pairs, world, h, free));
        CHECK_OK(nb_set_pairs_extend(&pairs, world, h, u, &added));
        for (int i = 0; i < BODIES; i++) {
            nb_body *b = &world->bodies[i];
            b->position = nb_quat_rotate(turn, b->position);
            b->orientation = nb_quat_product(turn, b->orientation);
            b->linear_velocity = nb_quat_rotate(turn, b->linear_velocity);
            b->angular_velocity = nb_quat_rotate(turn, b->angular_velocity);
            turn_by(turn, free + 6 * i);
            turn_by(turn, u + 6 * i);
        }
        CHECK_OK(nb_set_pairs_find(&turned, world, h, free));
        CHECK_OK(nb_set_pairs_extend(&turned, world, h, u, &added));
        assert_int_equal(turned.count, pairs.count);
        for (int32_t k = 0; k < pairs.count; k++)
            assert_int_equal(nb_set_pair_compare(&turned.items[k], &pairs.items[k]), 0);
        all += pairs.count;
        nb_world_destroy(world);
    }
    assert_true(all > 1000);
    nb_set_pairs_clear(&pairs);
    nb_set_pairs_clear(&turned);
}

RUN_TESTS(against_all_pairs, no_axes_matter)
