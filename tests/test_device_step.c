/* Whole steps on a device: one launch for all islands of a scene, one for all scenes of a batch. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/largest.h"
#include "base/memory.h"
#include "base/real.h"
#include "check.h"
#include "run/scene_run.h"
#include "run/simulate.h"
#include "runtime.h"

NB_PRECISIONS(f32, f64);

enum {
    PILLARS = 200, /* as many as the humanoids of Macklin et al. 2019, table 2 */
    STEPS = 3,
    COPIES = 5
};

static nb_request request_of(const char *scenario, int whole) {
    nb_request request;
    nb_request_standard(&request);
    snprintf(request.info.scenario, NB_NAME_LENGTH, "%s", scenario);
    snprintf(request.info.precision, NB_NAME_LENGTH, "%s", NB_REAL_NAMED);
    request.info.newton_iterations = 4;
    request.info.linear_iterations = 8; /* more would only let round-off grow */
    request.info.steps = STEPS;
    request.info.whole_steps = whole;
    if (whole) snprintf(request.info.device, NB_NAME_LENGTH, "emulated");
    return request;
}

/* pillars of two boxes, apart from each other, on one ground */
static nb_world *pillars(void) {
    nb_world *world;
    nb_shape *shape;
    int32_t ground, box, body;
    CHECK_OK(nb_world_create(&world));
    world->gravity = nb_vec3_of(0, 0, -9.81);
    CHECK_OK(nb_shape_half_space(&shape));
    CHECK_OK(nb_world_add_shape(world, shape, &ground));
    CHECK_OK(nb_shape_box(nb_vec3_of(0.5, 0.5, 0.5), &shape));
    CHECK_OK(nb_world_add_shape(world, shape, &box));
    CHECK_OK(nb_world_add_solid(world, NB_BODY_FIXED, ground, 0, 0.5, nb_vec3_of(0, 0, 0), nb_quat_identity(), &body));
    for (int i = 0; i < PILLARS; i++)
        for (int k = 0; k < 2; k++) /* masses differ, so that no two islands are alike */
            CHECK_OK(nb_world_add_solid(world, NB_BODY_DYNAMIC, box, 1 + 0.01 * i + k, 0.5,
                                        nb_vec3_of(3.0 * (i % 20), 3.0 * (i / 20), 0.5 + k), nb_quat_identity(),
                                        &body));
    return world;
}

/* As many figures: a box on the ground with a joint of each kind to a smaller one that hangs beside it or stands on the
 * one before, thrown and turning, so that rows move within the step. */
static nb_world *figures(void) {
    static const nb_joint_kind kinds[] = {NB_JOINT_REVOLUTE, NB_JOINT_SPHERICAL, NB_JOINT_FIXED, NB_JOINT_PRISMATIC,
                                          NB_JOINT_DISTANCE};
    const double soft[6] = {0, 0, 0, 1e-3, 1e-3, 1e-3};
    nb_world *world;
    nb_shape *shape;
    int32_t ground, trunk, limb, body, joint;
    CHECK_OK(nb_world_create(&world));
    world->gravity = nb_vec3_of(0, 0, -9.81);
    CHECK_OK(nb_shape_half_space(&shape));
    CHECK_OK(nb_world_add_shape(world, shape, &ground));
    CHECK_OK(nb_shape_box(nb_vec3_of(0.5, 0.5, 0.5), &shape));
    CHECK_OK(nb_world_add_shape(world, shape, &trunk));
    CHECK_OK(nb_shape_box(nb_vec3_of(0.1, 0.1, 0.1), &shape));
    CHECK_OK(nb_world_add_shape(world, shape, &limb));
    CHECK_OK(nb_world_add_solid(world, NB_BODY_FIXED, ground, 0, 0.5, nb_vec3_of(0, 0, 0), nb_quat_identity(), &body));
    for (int i = 0; i < PILLARS; i++) {
        double x = 4.0 * (i % 20), y = 4.0 * (i / 20); /* [m] */
        int32_t before;
        CHECK_OK(nb_world_add_solid(world, NB_BODY_DYNAMIC, trunk, 3 + 0.01 * i, 0.5, nb_vec3_of(x, y, 0.5),
                                    nb_quat_identity(), &before));
        for (int k = 0; k < 5; k++) {
            CHECK_OK(nb_world_add_solid(world, NB_BODY_DYNAMIC, limb, 0.5, 0.5, nb_vec3_of(x + 0.7 + 0.25 * k, y, 0.7),
                                        nb_quat_identity(), &body));
            world->bodies[body].linear_velocity = nb_vec3_of(0.1 * k, 1, 0.2 * (i % 7));
            world->bodies[body].angular_velocity = nb_vec3_of(3, 0.1 * i, -2.0 * k);
            if (kinds[k] == NB_JOINT_DISTANCE) {
                nb_joint link = {.kind = kinds[k], .body_a = before, .body_b = body, .length = 0.25};
                CHECK_OK(nb_world_add_joint(world, &link, &joint));
            } else {
                CHECK_OK(nb_world_add_joint_at(world, kinds[k], before, body, nb_vec3_of(x + 0.58 + 0.25 * k, y, 0.7),
                                               nb_quat_about(nb_vec3_of(0, 1, 0), 0.3 * k), soft, &joint));
            }
            before = body;
        }
    }
    return world;
}

/* one step of these islands, whose forces it leaves; returns the launches that it took */
static int64_t step_islands(nb_world *make(void), int whole, int contacts, nb_snapshot *final) {
    double row[NB_STEP_COLUMNS];
    nb_request request = request_of("heavy-stack", whole);
    nb_scene_run scene = {.request = &request};
    CHECK_OK(nb_request_set_option(&request, "islands", "on"));
    CHECK_OK(nb_simulate_prepare(&request));
    CHECK_OK(nb_scene_run_build(&scene));
    nb_world_destroy(scene.world);
    scene.world = make();
    int64_t before = nb_emulated_launches();
    CHECK_OK(nb_scene_run_advance(&scene, NULL, 0, final, row));
    assert_int_equal((int)row[NB_STEP_ISLANDS], PILLARS);
    assert_int_equal((int)row[NB_STEP_CONTACTS], contacts * PILLARS);
    nb_scene_run_clear(&scene);
    nb_free(request.info.parameters);
    return nb_emulated_launches() - before;
}

TEST(test_many_islands_in_one_launch) {
    nb_snapshot mine = {0}, theirs = {0};
    assert_int_equal(step_islands(pillars, 0, 8, &mine), 0);
    assert_int_equal(step_islands(pillars, 1, 8, &theirs), 1);
    for (int32_t i = 0; i < 8 * PILLARS; i++) { /* four contacts share a weight of 1 to 6 kg */
        assert_true(mine.lambda_normal[i] > 1);
        CHECK_NEAR(theirs.lambda_normal[i], mine.lambda_normal[i], /* as test_island.c allows */
                   1e4 * (double)NB_REAL_EPSILON * mine.lambda_normal[i]);
    }
    nb_snapshot_clear(&mine);
    nb_snapshot_clear(&theirs);
}

/* rows of joints follow the iterate in the launch as they do on this processor */
TEST(test_islands_with_joints_in_one_launch) {
    nb_snapshot mine = {0}, theirs = {0};
    const int rows = 5 + 3 + 6 + 5 + 1;
    double largest = 0;
    assert_int_equal(step_islands(figures, 0, 4, &mine), 0);
    assert_int_equal(step_islands(figures, 1, 4, &theirs), 1);
    for (int32_t i = 0; i < rows * PILLARS; i++) nb_raise(&largest, fabs(mine.lambda_bilateral[i]));
    assert_true(largest > 10); /* they hold what moves with metres a second */
    /* as above; and this processor evaluates joints at places of up to 76 m, which costs two digits of double */
    double tolerance = (NB_REAL_BITS == 32 ? 1e4 : 1e6) * (double)NB_REAL_EPSILON * largest;
    for (int32_t i = 0; i < rows * PILLARS; i++)
        CHECK_NEAR(theirs.lambda_bilateral[i], mine.lambda_bilateral[i], tolerance);
    nb_snapshot_clear(&mine);
    nb_snapshot_clear(&theirs);
}

/* shaken so much that round-off does not decide which contacts there are */
static nb_run *batch_of(int whole, int threads, int64_t *launches) {
    nb_request request = request_of("heavy-stack", whole);
    nb_run *run;
    request.info.batch = COPIES;
    request.info.threads = threads;
    request.info.batch_perturbation = 1e-3;
    CHECK_OK(nb_simulate_prepare(&request));
    int64_t before = nb_emulated_launches();
    CHECK_OK(nb_simulate(&request, NULL, NULL, &run));
    *launches = nb_emulated_launches() - before;
    assert_true(run->finished);
    nb_free(request.info.parameters);
    return run;
}

/* the rows of all copies: what is counted alike, what is measured within round-off; times differ */
static void compare_batches(const nb_batch *a, const nb_batch *b, double tolerance) {
    for (int64_t i = 0; i < (int64_t)COPIES * STEPS; i++) {
        const double *x = a->rows + i * NB_BATCH_COLUMNS, *y = b->rows + i * NB_BATCH_COLUMNS;
        assert_true(x[NB_BATCH_CONTACTS] == y[NB_BATCH_CONTACTS]);
        assert_true(x[NB_BATCH_NEWTON_ITERATIONS] == y[NB_BATCH_NEWTON_ITERATIONS]);
        assert_true(x[NB_BATCH_REASON] == y[NB_BATCH_REASON]);
        CHECK_NEAR(y[NB_BATCH_NATURAL_MAP_ERROR], x[NB_BATCH_NATURAL_MAP_ERROR], tolerance);
        CHECK_NEAR(y[NB_BATCH_KINETIC_ENERGY], x[NB_BATCH_KINETIC_ENERGY], tolerance * x[NB_BATCH_POTENTIAL_ENERGY]);
        CHECK_NEAR(y[NB_BATCH_POTENTIAL_ENERGY], x[NB_BATCH_POTENTIAL_ENERGY],
                   tolerance * x[NB_BATCH_POTENTIAL_ENERGY]);
    }
    for (int k = 0; k < COPIES; k++) assert_int_equal(a->failed_checks[k], b->failed_checks[k]);
}

TEST(test_a_batch_takes_a_launch_a_step) {
    int64_t launches;
    nb_run *mine = batch_of(0, 2, &launches);
    assert_int_equal(launches, 0);
    nb_run *theirs = batch_of(1, 1, &launches), *threaded = batch_of(1, 3, &launches);
    assert_int_equal(launches, 2 * STEPS); /* those of the scene itself, which comes first, and of all copies */
    /* round-off of an iteration grows to the tenfold or less (test_island.c), over 12 iterations of three steps; seen:
     * 1e-14 in f64 and 1e-5 in f32 */
    compare_batches(&mine->batch, &theirs->batch, NB_REAL_BITS == 32 ? 1e-3 : 1e-11);
    for (int64_t i = 0; i < (int64_t)COPIES * STEPS; i++)
        assert_memory_equal(theirs->batch.rows + i * NB_BATCH_COLUMNS, threaded->batch.rows + i * NB_BATCH_COLUMNS,
                            NB_BATCH_STEP_S * sizeof(double));
    for (int s = 0; s < STEPS; s++) /* copy 0 is the scene itself */
        assert_true(theirs->batch.rows[s * NB_BATCH_COLUMNS + NB_BATCH_KINETIC_ENERGY] ==
                    theirs->steps[s * NB_STEP_COLUMNS + NB_STEP_KINETIC_ENERGY]);
    assert_true(isnan(mine->batch.device_work_s[0]) && theirs->batch.device_work_s[0] > 0);
    nb_run_destroy(mine);
    nb_run_destroy(theirs);
    nb_run_destroy(threaded);
}

/* A launch that fails is the whole batch's fault, and no copy's. */
TEST(test_a_device_lost_in_a_batch) {
    nb_request request = request_of("heavy-stack", 1);
    nb_run *run;
    request.info.batch = COPIES;
    CHECK_OK(nb_simulate_prepare(&request));
    nb_emulated_fail_after(NB_ERROR_DEVICE, STEPS + 1);
    CHECK_FAULT(nb_simulate(&request, NULL, NULL, &run), NB_ERROR_DEVICE, "device emulated: it was lost");
    nb_emulated_fail_after(NB_OK, 0);
    assert_int_equal(run->batch.fault_count, 0);
    assert_false(run->finished);
    assert_int_equal(run->step_count, STEPS);
    nb_run_destroy(run);
    nb_free(request.info.parameters);
}

RUN_TESTS(test_many_islands_in_one_launch, test_islands_with_joints_in_one_launch, test_a_batch_takes_a_launch_a_step,
          test_a_device_lost_in_a_batch)
