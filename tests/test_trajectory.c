/* Trajectories on the emulated device: contacts, steps and measures against this processor's own. */
#include "base/memory.h"
#include "method.h"
#include "run/simulate.h"
#include "trajectory_scene.h"

NB_PRECISIONS(f32, f64);

enum {
    WORLDS = 60,
    BODIES = 6
};

/* The contacts that a launch finds are those of nb_contacts_detect, bit by bit and in the same order: with room for
 * just these, too, where near pairs are taken in several turns. */
TEST(test_contacts_are_the_processors) {
    const double h = 0.01;
    uint64_t state = test_seed();
    int64_t seen = 0;
    for (int i = 0; i < WORLDS; i++) {
        nb_world *world = random_world(&state, BODIES);
        const nb_world *borrowed = world;
        nb_contacts *mine;
        nb_contact theirs[512];
        int32_t count;
        nb_trajectories *t;
        const nb_island_settings settings = trajectory_settings(h);
        CHECK_OK(nb_contacts_create(&mine));
        CHECK_OK(nb_contacts_detect(world, h, mine));
        const nb_trajectories_start start = {&borrowed, 1, i % 2 ? mine->count : 0, h, 0};
        CHECK_OK(nb_trajectories_create(&nb_runtime_emulated, &start, &settings, 0, &t));
        CHECK_OK(t->type->advance(t, 0, NULL));
        CHECK_OK(nb_trajectories_contacts(t, 0, theirs, &count));
        assert_int_equal(count, mine->count);
        assert_memory_equal(theirs, mine->items, (size_t)count * sizeof *theirs);
        seen += count;
        t->type->destroy(t);
        nb_contacts_destroy(mine);
        nb_world_destroy(world);
    }
    assert_true(seen > 10 * WORLDS);
}

/* a batch of `scenario` whose copies are shaken, with whole steps or trajectories */
static nb_run *batch_of(const char *scenario, int whole, double tolerance) {
    nb_request request;
    nb_run *run;
    nb_request_standard(&request);
    snprintf(request.info.scenario, NB_NAME_LENGTH, "%s", scenario);
    snprintf(request.info.precision, NB_NAME_LENGTH, "%s", NB_REAL_NAMED);
    snprintf(request.info.device, NB_NAME_LENGTH, "emulated");
    snprintf(request.info.linear_solver, NB_NAME_LENGTH, "pcr");
    request.info.newton_iterations = 4;
    request.info.newton_tolerance = tolerance;
    request.info.linear_iterations = 8;
    request.info.steps = TRAJECTORY_STEPS;
    request.info.batch = 3;
    request.info.threads = 2;
    request.info.batch_perturbation = 1e-3; /* round-off does not decide which contacts there are */
    request.info.whole_steps = whole;
    CHECK_OK(nb_simulate_prepare(&request));
    CHECK_OK(nb_simulate(&request, NULL, NULL, &run));
    assert_true(run->finished);
    nb_free(request.info.parameters);
    return run;
}

/* A step is what a whole step is: the same iterates, and the errors that the harness measures in double. */
static void check_batch_of(const char *scenario, double tolerance) {
    nb_run *steps = batch_of(scenario, NB_WHOLE_STEPS_ON, tolerance),
           *trajectories = batch_of(scenario, NB_WHOLE_STEPS_TRAJECTORY, tolerance);
    const nb_batch *a = &steps->batch, *b = &trajectories->batch;
    for (int64_t i = 0; i < (int64_t)a->scenes * a->steps; i++) {
        const double *x = a->rows + i * NB_BATCH_COLUMNS, *y = b->rows + i * NB_BATCH_COLUMNS;
        assert_true(x[NB_BATCH_CONTACTS] > 0 && x[NB_BATCH_CONTACTS] == y[NB_BATCH_CONTACTS]);
        assert_true(x[NB_BATCH_NEWTON_ITERATIONS] == y[NB_BATCH_NEWTON_ITERATIONS]);
        assert_true(x[NB_BATCH_REASON] == y[NB_BATCH_REASON]);
        assert_true(x[NB_BATCH_OPERATOR_APPLICATIONS] == y[NB_BATCH_OPERATOR_APPLICATIONS]);
        /* the measure's round-off, and the sums' */
        CHECK_NEAR(y[NB_BATCH_NATURAL_MAP_ERROR], x[NB_BATCH_NATURAL_MAP_ERROR], 1e-12);
        CHECK_NEAR(y[NB_BATCH_KINETIC_ENERGY], x[NB_BATCH_KINETIC_ENERGY], 1e-12 * x[NB_BATCH_KINETIC_ENERGY]);
        CHECK_NEAR(y[NB_BATCH_POTENTIAL_ENERGY], x[NB_BATCH_POTENTIAL_ENERGY], 1e-13 * x[NB_BATCH_POTENTIAL_ENERGY]);
        CHECK_NEAR(y[NB_BATCH_MAX_PENETRATION], x[NB_BATCH_MAX_PENETRATION], 1e-14);
        if ((nb_reason)y[NB_BATCH_REASON] == NB_REASON_CONVERGED)
            assert_true(x[NB_BATCH_NATURAL_MAP_ERROR] <= tolerance && y[NB_BATCH_NATURAL_MAP_ERROR] <= tolerance);
    }
    for (int k = 0; k < a->scenes; k++) assert_int_equal(a->failed_checks[k], b->failed_checks[k]);
    nb_run_destroy(steps);
    nb_run_destroy(trajectories);
}

TEST(test_steps_are_whole_steps) {
    check_batch_of("arch", 0);
    check_batch_of("heavy-stack", 0);
    check_batch_of("incline", 0);
}

/* In f32 round-off bounds what can be reached: a step that says converged is so by the harness's measure in f64. */
TEST(test_converged_is_what_the_harness_says) {
    check_batch_of("heavy-stack", 3e-2);
    check_batch_of("incline", 1e-6);
}

static void check_rows(const nb_trajectory_row *a, const nb_trajectory_row *b) {
    assert_memory_equal(a, b, TRAJECTORY_STEPS * sizeof *a);
}

/* the same bits in any order of threads and of copies, and with others beside it */
TEST(test_copies_are_alone) {
    nb_trajectory_row alone[TRAJECTORY_STEPS], rows[3][TRAJECTORY_STEPS];
    nb_world *one = tower(5, 0.02);
    ride(&nb_runtime_emulated, &one, 1, 0, TRAJECTORY_STEPS, alone);
    for (int i = 0; i < TRAJECTORY_STEPS; i++) assert_int_equal(alone[i].reason, NB_REASON_ITERATIONS);
    for (int order = 0; order < NB_ORDERS; order++) {
        nb_world *three[3] = {tower(5, 0.03), tower(5, 0.01), tower(5, 0.02)};
        nb_emulated_set_order((nb_emulated_order)order);
        ride(&nb_runtime_emulated, three, 3, 96, TRAJECTORY_STEPS, rows[0]);
        check_rows(alone, rows[2]);
        end_three(one, three);
    }
    nb_emulated_set_order(NB_ORDER_FORWARD);
    nb_world_destroy(one);
}

/* several launches are one of as many steps */
TEST(test_launches_follow_each_other) {
    nb_trajectory_row rows[TRAJECTORY_STEPS], part[2][TRAJECTORY_STEPS / 2];
    nb_world *one = tower(3, 0.02), *other = tower(3, 0.02);
    ride(&nb_runtime_emulated, &one, 1, 64, TRAJECTORY_STEPS, rows);
    for (int i = 0; i < 2; i++) ride(&nb_runtime_emulated, &other, 1, 64, TRAJECTORY_STEPS / 2, part[i]);
    assert_memory_equal(rows, part, sizeof rows);
    nb_world_destroy(one);
    nb_world_destroy(other);
}

/* A copy that diverges, and one with more contacts than slots, end; the one between them goes on. */
TEST(test_copies_that_end) {
    nb_trajectory_row rows[3][TRAJECTORY_STEPS];
    nb_world *worlds[3] = {tower(10, 0.02), tower(10, 0.02), tower(10, 0.02)};
    for (int w = 0; w < 2; w++) /* apart: few contacts */
        for (int i = 1; i <= 10; i++) worlds[w]->bodies[i].position.z += 0.5 * (i - 1);
    worlds[0]->bodies[1].linear_velocity.x = NAN;
    ride(&nb_runtime_emulated, worlds, 3, 32, TRAJECTORY_STEPS, rows[0]);
    assert_int_equal(rows[0][0].reason, NB_REASON_DIVERGED);
    assert_int_equal(rows[2][0].reason, NB_REASON_NONE);
    assert_true(rows[2][0].contacts > 32);
    for (int s = 0; s < TRAJECTORY_STEPS; s++) {
        assert_int_equal(rows[1][s].reason, NB_REASON_ITERATIONS);
        if (s > 0) assert_true(rows[0][s].reason == NB_REASON_NONE && rows[2][s].reason == NB_REASON_NONE);
    }
    for (int i = 0; i < 3; i++) nb_world_destroy(worlds[i]);
}

static void check_refused(nb_world *world, int slots, const char *what) {
    const nb_world *borrowed = world;
    const nb_trajectories_start start = {&borrowed, 1, slots, 0.01, 0};
    const nb_island_settings settings = trajectory_settings(0.01);
    nb_trajectories *t;
    CHECK_FAULT(nb_trajectories_create(&nb_runtime_emulated, &start, &settings, 0, &t), NB_ERROR_UNSUPPORTED, what);
    assert_null(t);
}

TEST(test_what_is_refused) {
    nb_world *world = tower(2, 0);
    nb_shape *shape;
    check_refused(world, 1000, "--batch-contacts must be at most");
    world->bodies[0].kind = NB_BODY_KINEMATIC;
    check_refused(world, 0, "kinematic bodies");
    world->bodies[0].kind = NB_BODY_FIXED;
    world->planar = 1;
    check_refused(world, 0, "planar scenes");
    world->planar = 0;
    CHECK_OK(nb_shape_capsule(0.1, 0.2, &shape));
    CHECK_OK(nb_world_add_shape(world, shape, &world->bodies[2].shape));
    check_refused(world, 0, "shape capsule (body 2)");
    nb_world_destroy(world);
}

RUN_TESTS(test_contacts_are_the_processors, test_steps_are_whole_steps, test_converged_is_what_the_harness_says,
          test_copies_are_alone, test_launches_follow_each_other, test_copies_that_end, test_what_is_refused)
