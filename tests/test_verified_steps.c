/* Steps whose contacts are verified at their end (--verify-contacts), by where bodies come to be alone: bullets and
 * walls, boxes that turn, what has nothing to verify, and what says that it stays. */
#include <math.h>
#include <string.h>

#include "constraint/step.h"
#include "run/scene_run.h"
#include "scenario_run.h"
#include "step/verified_step.h"

/* a scene of method `auto`, without bodies and gravity; in f32 where the tolerance is above 1e-5 m/s */
static void open_scene(double h, double most, double tolerance, nb_request *request, nb_scene_run *scene) {
    *request = request_of_scenario("incline", "", 1, 1e-8); /* whose settings it takes */
    *scene = (nb_scene_run){.request = request};
    strcpy(request->info.method, "auto");
    strcpy(request->info.precision, tolerance > 1e-5 ? "f32" : "f64");
    *request->info.linear_solver = 0;
    request->info.newton_tolerance = tolerance;
    request->info.newton_iterations = 2000;
    request->info.time_step = h;
    request->scene.verify_contacts = most;
    CHECK_OK(nb_simulate_prepare(request));
    CHECK_OK(nb_scene_run_build(scene));
    nb_world_destroy(scene->world);
    CHECK_OK(nb_world_create(&scene->world));
    scene->world->settings.contact_margin = 1e-3;
    scene->world->settings.verify_contacts = most;
    scene->world->gravity = nb_vec3_of(0, 0, 0);
}

static nb_body *add(nb_world *world, nb_body_kind kind, nb_shape *shape, double density, nb_vec3 position) {
    int32_t index, body;
    CHECK_OK(nb_world_add_shape(world, shape, &index));
    CHECK_OK(nb_world_add_solid(world, kind, index, density, 0.5, position, nb_quat_identity(), &body));
    return &world->bodies[body];
}

static nb_shape *ball(double radius) {
    nb_shape *shape;
    CHECK_OK(nb_shape_sphere(radius, &shape));
    return shape;
}

static nb_shape *box(double x, double y, double z) {
    nb_shape *shape;
    CHECK_OK(nb_shape_box(nb_vec3_of(x, y, z), &shape));
    return shape;
}

/* ---- what is fast ---- */

/* A bullet of 5 cm at 50 m/s meets a wall of 5 cm in steps of 33 ms, in which it goes 1.65 m; and one at rest that
 * another one drives on, of which the velocities at the start say nothing: without verification it is in the wall. */
TEST(bullets_do_not_pass_a_wall) {
    const double h = 0.033, r = 0.025, allowed = 1e-4;
    uint64_t random = test_seed();
    for (int k = 0; k < 24; k++) {
        nb_request request;
        nb_scene_run scene;
        double row[NB_STEP_COLUMNS];
        const int driven = k % 2, verified = k < 20, round = k / 2 % 2;
        open_scene(h, verified ? allowed : INFINITY, k % 5 == 4 ? 1e-4 : 1e-8, &request, &scene);
        nb_world *w = scene.world;
        const double y = driven ? 0 : test_random(&random, -0.5, 0.5);
        add(w, NB_BODY_FIXED, box(0.025, 1, 1), 1, nb_vec3_of(0, 0, 0));
        nb_vec3 place = {driven ? -0.3 : test_random(&random, -1.6, -0.1), y, 0};
        add(w, NB_BODY_DYNAMIC, round ? ball(r) : box(r, r, r), 1000, place);
        if (driven) add(w, NB_BODY_DYNAMIC, round ? ball(r) : box(r, r, r), 1000, nb_vec3_of(-0.9, 0, 0));
        w->bodies[driven ? 2 : 1].linear_velocity.x = 50;
        double farthest = -1;
        for (int step = 0; step < 5; step++) {
            CHECK_OK(nb_scene_run_advance(&scene, NULL, 1, NULL, row));
            for (int32_t b = 1; b < w->body_count; b++) farthest = fmax(farthest, w->bodies[b].position.x);
        }
        if (verified || !driven) CHECK_BELOW(farthest, -0.025 - r + 1.1 * allowed + (k % 5 == 4 ? 1e-4 : 0));
        if (!verified && driven) assert_true(farthest > -0.01);
        nb_scene_run_clear(&scene);
        nb_free(request.info.parameters);
    }
}

/* ---- what turns ---- */

static double depth(const nb_world *world, nb_contacts *contacts) {
    double deep;
    CHECK_OK(nb_contacts_deepest(world, contacts, &deep));
    return deep;
}

/* boxes that turn and fall, over a floor that none is in, or in each other */
static void add_boxes(nb_world *w, uint64_t *random) {
    nb_shape *shape;
    CHECK_OK(nb_shape_half_space(&shape));
    add(w, NB_BODY_FIXED, shape, 1, nb_vec3_of(0, 0, 0));
    w->gravity.z = -9.81;
    for (int i = 0; i < 3; i++) {
        nb_body *body = add(w, NB_BODY_DYNAMIC, box(0.1, 0.12, 0.15), 1000,
                            nb_vec3_of(0, test_random(random, -0.1, 0.1), 0.22 + 0.45 * i));
        body->orientation =
            nb_quat_about(nb_normalized(nb_vec3_of(test_random(random, -1, 1), test_random(random, -1, 1), 1)),
                          test_random(random, -3, 3));
        body->linear_velocity = nb_vec3_of(test_random(random, -1, 1), 0, test_random(random, -6, 0));
        body->angular_velocity = nb_vec3_of(test_random(random, -20, 20), test_random(random, -20, 20), 0);
    }
}

/* What verification allows is all that bodies come to overlap by. Nothing is done where nothing overlaps. To 1e-6 m/s
 * the island loop solves, which looks on the way. */
TEST(boxes_that_turn_do_not_overlap) {
    enum {
        STEPS = 30
    };
    const double allowed = 1e-4;
    uint64_t random = test_seed();
    int overlapping = 0, stayed = 0, rounds = 0, early = 0;
    nb_contacts *contacts;
    CHECK_OK(nb_contacts_create(&contacts));
    for (int k = 0; k < 12; k++) {
        nb_request request[2];
        nb_scene_run scene[2];
        double row[2][NB_STEP_COLUMNS], deep[2], before = 0;
        int same = 1;
        const uint64_t seed = test_random_bits(&random);
        for (int i = 0; i < 2; i++) {
            uint64_t own = seed;
            open_scene(0.0083, i ? allowed : INFINITY, k % 2 ? 1e-6 : 1e-8, &request[i], &scene[i]);
            add_boxes(scene[i].world, &own);
        }
        for (int step = 0; step < STEPS; step++) {
            for (int i = 0; i < 2; i++) {
                CHECK_OK(nb_scene_run_advance(&scene[i], NULL, 1, NULL, row[i]));
                deep[i] = depth(scene[i].world, contacts);
            }
            const double excess = row[1][NB_STEP_VERIFY_OVERLAP];
            const int of_step = (int)row[1][NB_STEP_VERIFY_ROUNDS];
            assert_true(isnan(row[0][NB_STEP_VERIFY_ROUNDS]) && isnan(row[0][NB_STEP_VERIFY_OVERLAP]));
            assert_true(row[1][NB_STEP_REASON] == NB_REASON_CONVERGED);
            overlapping += deep[0] > 2 * allowed;
            stayed += excess > allowed;
            rounds += of_step;
            early += of_step == 0 && row[1][NB_STEP_VERIFY_CONTACTS] > 0;
            if (before <= allowed) CHECK_NEAR(excess, deep[1], 1e-12); /* looked at otherwise */
            assert_true(deep[1] <= before + excess + 1e-12);
            assert_true(of_step == NB_VERIFY_ROUNDS || excess <= allowed);
            assert_true(of_step == 0 || row[1][NB_STEP_VERIFY_CONTACTS] > 0);
            before = deep[1];
            same &= row[1][NB_STEP_VERIFY_CONTACTS] == 0;
            for (int32_t b = 0; same && b < scene[0].world->body_count; b++)
                assert_memory_equal(&scene[0].world->bodies[b].position, &scene[1].world->bodies[b].position,
                                    sizeof(nb_vec3));
        }
        for (int i = 0; i < 2; i++) nb_scene_run_clear(&scene[i]);
        for (int i = 0; i < 2; i++) nb_free(request[i].info.parameters);
    }
    nb_contacts_destroy(contacts);
    print_message(
        "without, %d of 360 steps overlap by 0.2 mm; with, %d gain 0.1 mm, after %d rounds; %d had looked on the way\n",
        overlapping, stayed, rounds, early);
    assert_in_range(overlapping, 3, 12 * STEPS);
    assert_in_range(stayed, 0, 3);
    assert_in_range(early, 3, 12 * STEPS);
}

/* Less than what a tolerance makes of a step cannot be met: five rounds, and a word on it. */
TEST(what_stays_is_told) {
    nb_request request;
    nb_scene_run scene;
    uint64_t random = 1;
    int told = 0;
    open_scene(0.0083, 1e-12, 1e-8, &request, &scene);
    add_boxes(scene.world, &random);
    for (int step = 0; step < 20; step++) {
        double row[NB_STEP_COLUMNS];
        CHECK_OK(nb_scene_run_advance(&scene, NULL, 1, NULL, row));
        const int stays = row[NB_STEP_VERIFY_OVERLAP] > 1e-12;
        assert_true(row[NB_STEP_REASON] == NB_REASON_CONVERGED);
        told += stays;
        assert_in_range((int)row[NB_STEP_VERIFY_ROUNDS], 0, NB_VERIFY_ROUNDS);
        if (stays) assert_true(row[NB_STEP_VERIFY_ROUNDS] == NB_VERIFY_ROUNDS);
        assert_true((strstr(scene.remark, "--verify-contacts") != NULL) == stays);
    }
    assert_in_range(told, 1, 20);
    nb_scene_run_clear(&scene);
    nb_free(request.info.parameters);
}

RUN_TESTS(bullets_do_not_pass_a_wall, boxes_that_turn_do_not_overlap, what_stays_is_told)
