/* Batches: what a copy does depends on its number and the seed alone; the checks that are shown are the worst. */
#include "run/batch.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/interrupt.h"
#include "base/memory.h"
#include "check.h"
#include "run/resolve.h"
#include "run/scene_run.h"
#include "run/simulate.h"

static void prepare(nb_request *request, const char *scenario, int32_t copies, int32_t threads) {
    nb_request_standard(request);
    snprintf(request->info.scenario, NB_NAME_LENGTH, "%s", scenario);
    request->info.steps = 3;
    request->info.batch = copies;
    request->info.threads = threads;
    CHECK_OK(nb_simulate_prepare(request));
}

static nb_run *batch_of(const char *scenario, int32_t copies, int32_t threads) {
    nb_request request;
    nb_run *run;
    prepare(&request, scenario, copies, threads);
    CHECK_OK(nb_simulate(&request, NULL, NULL, &run));
    nb_free(request.info.parameters);
    assert_true(run->finished);
    return run;
}

static const double *row_of(const nb_batch *batch, int32_t copy, int32_t step) {
    return batch->rows + ((int64_t)copy * batch->steps + step) * NB_BATCH_COLUMNS;
}

/* the copies that both batches have, bit by bit but for the times */
static void check_same_copies(const nb_batch *a, const nb_batch *b) {
    int32_t both = a->scenes < b->scenes ? a->scenes : b->scenes;
    assert_int_equal(a->steps, b->steps);
    for (int32_t k = 0; k < both; k++) {
        for (int32_t s = 0; s < a->steps; s++)
            for (int c = 0; c < NB_BATCH_COLUMNS; c++)
                if (c != NB_BATCH_STEP_S) assert_memory_equal(row_of(a, k, s) + c, row_of(b, k, s) + c, sizeof(double));
        assert_int_equal(a->failed_checks[k], b->failed_checks[k]);
    }
}

TEST(test_copies_depend_on_nothing_else) {
    const char *const scenarios[] = {"arch", "heavy-stack"};
    for (int i = 0; i < 2; i++) {
        nb_run *few = batch_of(scenarios[i], 3, 1), *many = batch_of(scenarios[i], 7, 1),
               *threaded = batch_of(scenarios[i], 7, 4);
        check_same_copies(&few->batch, &many->batch);
        check_same_copies(&many->batch, &threaded->batch);
        assert_memory_equal(&many->batch.worst, &threaded->batch.worst, sizeof many->batch.worst);
        assert_memory_equal(many->batch.worst_scene, threaded->batch.worst_scene, sizeof many->batch.worst_scene);
        assert_memory_equal(many->batch.failed_scenes, threaded->batch.failed_scenes, sizeof many->batch.worst_scene);
        assert_int_equal(threaded->batch.pass_count, 1);
        assert_true(threaded->batch.pass_s[0] > 0);
        nb_run_destroy(few);
        nb_run_destroy(many);
        nb_run_destroy(threaded);
    }
}

TEST(test_copy_0_is_the_scene) {
    nb_run *run = batch_of("arch", 2, 2), *alone = batch_of("arch", 1, 1);
    assert_int_equal(alone->batch.scenes, 0);
    for (int32_t s = 0; s < 3; s++) {
        const double *step = run->steps + (int64_t)s * NB_STEP_COLUMNS;
        for (int c = 0; c < NB_BATCH_COLUMNS; c++) {
            if (c == NB_BATCH_STEP_S) continue;
            double of_copy = row_of(&run->batch, 0, s)[c];
            assert_memory_equal(&of_copy, &step[nb_batch_step_column[c]], sizeof of_copy);
        }
        const double *of_alone = alone->steps + (int64_t)s * NB_STEP_COLUMNS;
        assert_memory_equal(step, of_alone, NB_STEP_DETECT_S * sizeof *step);
    }
    /* and copy 1 is not */
    assert_true(row_of(&run->batch, 1, 2)[NB_BATCH_POTENTIAL_ENERGY] !=
                row_of(&run->batch, 0, 2)[NB_BATCH_POTENTIAL_ENERGY]);
    nb_run_destroy(run);
    nb_run_destroy(alone);
}

/* copies by seed are the scenes of these seeds */
TEST(test_copies_of_as_many_seeds) {
    nb_run *run, *other;
    nb_request request;
    prepare(&request, "drop", 4, 2);
    request.info.batch_seeds = 1;
    request.info.seed = 7;
    CHECK_OK(nb_simulate(&request, NULL, NULL, &run));
    request.info.batch = 1;
    for (int32_t k = 0; k < 4; k++) {
        request.info.seed = 7 + (uint64_t)k;
        CHECK_OK(nb_simulate(&request, NULL, NULL, &other));
        for (int32_t s = 0; s < 3; s++)
            for (int c = 0; c < NB_BATCH_COLUMNS; c++)
                if (c != NB_BATCH_STEP_S)
                    assert_memory_equal(row_of(&run->batch, k, s) + c,
                                        other->steps + (int64_t)s * NB_STEP_COLUMNS + nb_batch_step_column[c],
                                        sizeof(double));
        nb_run_destroy(other);
    }
    assert_true(row_of(&run->batch, 1, 2)[NB_BATCH_POTENTIAL_ENERGY] !=
                row_of(&run->batch, 0, 2)[NB_BATCH_POTENTIAL_ENERGY]);
    nb_run_destroy(run);
    nb_free(request.info.parameters);
}

TEST(test_perturbation_has_its_size) {
    const double size = 1e-3;
    double largest = 0;
    for (int32_t copy = 0; copy < 40; copy++) {
        nb_world *world;
        nb_body body = {
            .mass = 1, .inertia = {1, 1, 1}, .orientation = {1, 0, 0, 0}, .shape = -1, .position = {3, 4, 5}};
        nb_shape *shape;
        CHECK_OK(nb_world_create(&world));
        CHECK_OK(nb_shape_sphere(0.25, &shape));
        CHECK_OK(nb_world_add_shape(world, shape, &body.shape));
        int32_t index;
        body.kind = NB_BODY_DYNAMIC;
        CHECK_OK(nb_world_add_body(world, &body, &index));
        body.kind = NB_BODY_FIXED;
        CHECK_OK(nb_world_add_body(world, &body, &index));
        nb_perturb(world, size, 7, copy);
        double moved = world->bodies[0].position.x - 3, speed = world->bodies[0].linear_velocity.z,
               turn = world->bodies[0].angular_velocity.y;
        assert_true((copy == 0) == (moved == 0 && speed == 0 && turn == 0));
        assert_true(fabs(moved) <= 0.25 * size + 1e-15 && fabs(speed) <= 0.25 * size && fabs(turn) <= size);
        assert_true(world->bodies[1].position.x == 3 && world->bodies[1].linear_velocity.z == 0);
        largest = fmax(largest, fabs(moved) / (0.25 * size));
        nb_world_destroy(world);
    }
    assert_true(largest > 0.8); /* of 39 uniform numbers: all below with 0.8^39 = 2e-4 */
}

TEST(test_worst_check_is_kept) {
    nb_batch forward = {0}, backward = {0};
    const double actual[4] = {1.0, 1.2, NAN, 0.7}; /* of 1 +- 0.25 */
    nb_checks checks[4] = {{0}};
    CHECK_OK(nb_batch_allocate(&forward, 4, 1));
    CHECK_OK(nb_batch_allocate(&backward, 4, 1));
    for (int k = 0; k < 4; k++) {
        nb_checks_add(&checks[k], "value", "m", actual[k], 1, 0.25);
        nb_checks_add_below(&checks[k], "limit", "m", k == 1 ? 0.5 : 0.25, 1);
        nb_check_presupposes(nb_checks_add_below(&checks[k], "some", "m", 0.5, k == 0 ? 0 : 1), k > 1, "it is late");
        nb_check_presupposes(nb_checks_add_below(&checks[k], "none", "m", 2, 1), 0, "it is early");
    }
    for (int k = 0; k < 2; k++) nb_batch_add_checks(&forward, k, &checks[k]);
    assert_int_equal(forward.worst_scene[0], 1); /* the nearest to failing */
    assert_int_equal(forward.worst_scene[1], 1);
    for (int k = 2; k < 4; k++) nb_batch_add_checks(&forward, k, &checks[k]);
    for (int k = 3; k >= 0; k--) nb_batch_add_checks(&backward, k, &checks[k]);
    assert_int_equal(forward.worst_scene[0], 2); /* NaN is the farthest off */
    assert_int_equal(forward.failed_scenes[0], 2);
    assert_int_equal(forward.failed_scenes[1], 0);
    assert_int_equal(forward.worst_scene[2], 2); /* the first copy that it applies to */
    assert_string_equal(forward.worst.items[2].premise, "");
    assert_int_equal(forward.failed_scenes[2] + forward.failed_scenes[3], 0);
    assert_string_equal(forward.worst.items[3].premise, "it is early");
    assert_int_equal(forward.failed_checks[3], 1);
    assert_memory_equal(forward.worst_scene, backward.worst_scene, sizeof forward.worst_scene);
    assert_memory_equal(forward.failed_scenes, backward.failed_scenes, sizeof forward.failed_scenes);
    nb_batch_clear(&forward);
    nb_batch_clear(&backward);
}

TEST(test_what_is_not_offered) {
    nb_request request;
    nb_request_standard(&request);
    snprintf(request.info.scenario, NB_NAME_LENGTH, "arch");
    request.info.batch = NB_BATCH_MOST;
    request.info.steps = 10000;
    assert_int_equal(nb_simulate_prepare(&request), NB_ERROR_USAGE);
    assert_non_null(strstr(nb_error_message(), "--batch 65536"));
    request.info.batch = 4;
    request.info.threads = 2;
    CHECK_OK(nb_simulate_prepare(&request));
    request.choices.solver_plugin = "mine.so";
    assert_int_equal(nb_request_check(&request), NB_ERROR_USAGE);
    assert_non_null(strstr(nb_error_message(), "--threads 1"));
    nb_free(request.info.parameters);
}

/* stops after the third copy */
static void stop_at(void *context, int32_t done, int32_t steps) {
    (void)steps;
    if (done >= *(int *)context) nb_interrupted = 1;
}

TEST(test_interrupted_batch_is_unfinished) {
    nb_request request;
    nb_run *run;
    int after = 3 + 3;
    prepare(&request, "arch", 64, 2);
    CHECK_OK(nb_simulate(&request, stop_at, &after, &run));
    nb_interrupt_forget();
    assert_false(run->finished);
    assert_int_equal(run->step_count, 3);
    assert_int_equal(run->batch.pass_count, 0);
    assert_true(isnan(row_of(&run->batch, 63, 0)[NB_BATCH_CONTACTS]));
    nb_run_destroy(run);
    nb_free(request.info.parameters);
}

TEST(test_repetitions_add_passes) {
    nb_request request;
    nb_run *run;
    prepare(&request, "heavy-stack", 3, 2);
    CHECK_OK(nb_simulate(&request, NULL, NULL, &run));
    CHECK_OK(nb_simulate_repeat(&request, run));
    CHECK_OK(nb_simulate_repeat(&request, run));
    assert_int_equal(run->batch.pass_count, 3);
    assert_int_equal(run->repeat_count, 2);
    nb_run_destroy(run);
    nb_free(request.info.parameters);
}

RUN_TESTS(test_copies_depend_on_nothing_else, test_copy_0_is_the_scene, test_perturbation_has_its_size,
          test_worst_check_is_kept, test_what_is_not_offered, test_interrupted_batch_is_unfinished,
          test_repetitions_add_passes, test_copies_of_as_many_seeds)
