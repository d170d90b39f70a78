/* Trajectories on the emulated device: contacts, steps and measures against this processor's own. */
#include "base/memory.h"
#include "constraint/bilateral.h"
#include "constraint/step.h"
#include "method.h"
#include "model/drive.h"
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
        const nb_trajectories_start start = {
            .worlds = &borrowed, .copies = 1, .contact_slots = i % 2 ? mine->count : 0, .h = h};
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

/* Rows of joints begin a step as those of this processor do, bit by bit, where motors and dampers are, too. */
TEST(test_joint_rows_are_the_processors) {
    const double h = 0.01;
    uint64_t state = test_seed();
    for (int i = 0; i < WORLDS / 4; i++) {
        nb_world *world = random_world(&state, BODIES);
        const nb_world *borrowed = world;
        nb_island_settings settings = trajectory_settings(h);
        nb_trajectory_row made;
        nb_trajectories *t;
        nb_contacts *contacts;
        nb_step_arrays arrays;
        nb_step *step;
        add_joints(&state, world, 2, 0.3);
        const nb_trajectories_start start = {.worlds = &borrowed, .copies = 1, .contact_slots = 64, .h = h};
        settings.newton_iterations = 0;
        CHECK_OK(nb_trajectories_create(&nb_runtime_emulated, &start, &settings, 0, &t));
        CHECK_OK(t->type->advance(t, 1, &made));
        nb_world_begin_step(world, h);
        CHECK_OK(nb_contacts_create(&contacts));
        CHECK_OK(nb_step_create(&step));
        CHECK_OK(nb_step_begin(step, world, contacts, h, NB_GEOMETRY_JOINTS));
        nb_step_arrays_of(step, &arrays);
        const nb_problem *p = nb_step_problem(step);
        assert_true(p->bilaterals > 20);
        for (int32_t row = 0, first = 0; row < p->bilaterals; row++) {
            real j[12], rate, compliance, from[NB_JOINT_NUMBERS], own[NB_JOINT_MAX_ROWS * NB_JOINT_NUMBERS];
            int32_t motion, motions[NB_JOINT_MAX_ROWS];
            if (row == 0 || row >= first + nb_step_joint_starts(step, first, motions, own)) first = row;
            (void)nb_step_joint_starts(step, first, motions, own);
            CHECK_OK(nb_trajectories_joint_row(t, 0, nb_step_bilateral_order(step)[row], j, &rate, &compliance, &motion,
                                               from));
            assert_memory_equal(j, arrays.bilaterals[row].j, sizeof j);
            assert_memory_equal(&rate, &arrays.bilateral_rate[row], sizeof rate);
            assert_memory_equal(&compliance, &((const nb_bilateral_law *)p->ranges[0].law)->compliance[row],
                                sizeof compliance);
            assert_int_equal(motion, motions[row - first]);
            assert_memory_equal(from, own + (row - first) * NB_JOINT_NUMBERS, sizeof from);
        }
        t->type->destroy(t);
        nb_step_destroy(step);
        nb_contacts_destroy(contacts);
        nb_world_destroy(world);
    }
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
        assert_true(x[NB_BATCH_CONTACTS] == y[NB_BATCH_CONTACTS]);
        assert_true(x[NB_BATCH_CONTACTS] > 0 || strcmp(scenario, "delta") == 0);
        assert_true(x[NB_BATCH_NEWTON_ITERATIONS] == y[NB_BATCH_NEWTON_ITERATIONS]);
        assert_true(x[NB_BATCH_REASON] == y[NB_BATCH_REASON]);
        assert_true(x[NB_BATCH_OPERATOR_APPLICATIONS] == y[NB_BATCH_OPERATOR_APPLICATIONS]);
        /* the measure's round-off, and the sums' */
        CHECK_NEAR(y[NB_BATCH_NATURAL_MAP_ERROR], x[NB_BATCH_NATURAL_MAP_ERROR], 1e-12);
        CHECK_NEAR(y[NB_BATCH_KINETIC_ENERGY], x[NB_BATCH_KINETIC_ENERGY], 1e-12 * x[NB_BATCH_KINETIC_ENERGY]);
        CHECK_NEAR(y[NB_BATCH_POTENTIAL_ENERGY], x[NB_BATCH_POTENTIAL_ENERGY],
                   1e-13 * fabs(x[NB_BATCH_POTENTIAL_ENERGY]));
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

/* rows of joints of all kinds, soft ones, dampers, motors and what is prescribed for them */
TEST(test_steps_with_joints_are_whole_steps) {
    static const char text[] =
        "{\"shapes\": [{\"kind\": \"half-space\"}, {\"kind\": \"box\", \"half_sizes_m\": [0.2, 0.1, 0.1]}],"
        " \"bodies\": [{\"kind\": \"fixed\", \"shape\": 0, \"position_m\": [0, 0, 0], \"friction\": 0.5}";
    static const char joints[] =
        "], \"joints\": [{\"kind\": \"spherical\", \"bodies\": [1, 2], \"point_m\": [0.25, 0, 0.1]},"
        " {\"kind\": \"revolute\", \"bodies\": [2, 3], \"point_m\": [0.75, 0, 0.1], \"axis\": [0, 1, 0],"
        "  \"compliance\": [1e-6, 1e-6, 1e-6, 0, 1e-5, 1e-5]},"
        " {\"kind\": \"prismatic\", \"bodies\": [3, 4], \"point_m\": [1.25, 0, 0.1], \"axis\": [1, 0, 0]},"
        " {\"kind\": \"fixed\", \"bodies\": [4, 5], \"point_m\": [1.75, 0, 0.1], \"damping\": [0, 0, 0, 2, 2, 2]},"
        " {\"kind\": \"fixed\", \"bodies\": [5, 6], \"point_m\": [2.25, 0, 0.1], \"axis\": [0, 0, 1]},"
        " {\"kind\": \"fixed\", \"bodies\": [6, 7], \"point_m\": [2.75, 0, 0.1], \"damping\": [5, 5, 5, 2, 2, 2]},"
        " {\"kind\": \"distance\", \"bodies\": [-1, 1], \"anchors_m\": [[0, 0, 1], [0, 0, 0.1]], \"length_m\": 0.7,"
        "  \"compliance\": [1e-3, 0, 0, 0, 0, 0]}],"
        " \"motors\": [{\"joint\": 4, \"axis\": \"turns\", \"stiffness\": 50, \"damping\": 5, \"target\": 0.3}]}";
    char path[] = "/tmp/ncpbench-joints-XXXXXX.json";
    FILE *file = fdopen(mkstemps(path, 5), "w");
    assert_non_null(file);
    fputs(text, file);
    for (int i = 0; i < 7; i++)
        fprintf(file, ", {\"shape\": 1, \"density_kg_m3\": 300, \"position_m\": [%g, 0, 0.1], \"friction\": 0.5}",
                0.5 * i);
    fputs(joints, file);
    assert_int_equal(fclose(file), 0);
    check_batch_of(path, 0);
    remove(path);
    check_batch_of("hinged-boxes", 0);
    check_batch_of("delta", 0);
}

/* In f32 round-off bounds what can be reached: a step that says converged is so by the harness's measure in f64. */
TEST(test_converged_is_what_the_harness_says) {
    check_batch_of("heavy-stack", 3e-2);
    check_batch_of("incline", 1e-6);
    check_batch_of("hinged-boxes", 1e-2);
    check_batch_of("delta", 1e-5);
}

typedef nb_world *some_tower(int boxes, double beside);

static void check_rows(const nb_trajectory_row *a, const nb_trajectory_row *b) {
    assert_memory_equal(a, b, TRAJECTORY_STEPS * sizeof *a);
}

/* the same bits in any order of threads and of copies, and with others beside it */
static void check_alone(some_tower *build) {
    nb_trajectory_row alone[TRAJECTORY_STEPS], rows[3][TRAJECTORY_STEPS];
    nb_world *one = build(5, 0.02);
    ride(&nb_runtime_emulated, &one, 1, 0, TRAJECTORY_STEPS, alone);
    for (int i = 0; i < TRAJECTORY_STEPS; i++) assert_int_equal(alone[i].reason, NB_REASON_ITERATIONS);
    for (int order = 0; order < NB_ORDERS; order++) {
        nb_world *three[3] = {build(5, 0.03), build(5, 0.01), build(5, 0.02)};
        nb_emulated_set_order((nb_emulated_order)order);
        ride(&nb_runtime_emulated, three, 3, 96, TRAJECTORY_STEPS, rows[0]);
        check_rows(alone, rows[2]);
        end_three(one, three);
    }
    nb_emulated_set_order(NB_ORDER_FORWARD);
    nb_world_destroy(one);
}

TEST(test_copies_are_alone) {
    check_alone(tower);
    check_alone(joined_tower);
}

/* several launches are one of as many steps */
static void check_launches(some_tower *build) {
    nb_trajectory_row rows[TRAJECTORY_STEPS], part[2][TRAJECTORY_STEPS / 2];
    nb_world *one = build(3, 0.02), *other = build(3, 0.02);
    ride(&nb_runtime_emulated, &one, 1, 64, TRAJECTORY_STEPS, rows);
    for (int i = 0; i < 2; i++) ride(&nb_runtime_emulated, &other, 1, 64, TRAJECTORY_STEPS / 2, part[i]);
    assert_memory_equal(rows, part, sizeof rows);
    nb_world_destroy(one);
    nb_world_destroy(other);
}

TEST(test_launches_follow_each_other) {
    check_launches(tower);
    check_launches(joined_tower);
}

/* A wheel that turns by more than half a turn, on a device, is known to have done so: 2 atan(h omega/2) a step. */
TEST(test_turns_are_counted) {
    enum {
        STEPS = 12
    };
    const double none[6] = {0}, h = 0.01, omega = 40;
    nb_trajectory_row rows[STEPS];
    nb_world *world = tower(1, 0);
    nb_body *wheel = &world->bodies[1];
    int32_t joint;
    world->gravity = nb_vec3_of(0, 0, 0);
    wheel->position.z = 5;
    wheel->angular_velocity = nb_vec3_of(0, 0, omega);
    CHECK_OK(nb_world_add_joint_at(world, NB_JOINT_REVOLUTE, 1, -1, wheel->position,
                                   nb_quat_about(nb_vec3_of(0, 1, 0), -acos(0)), none, &joint));
    ride(&nb_runtime_emulated, &world, 1, 32, STEPS, rows);
    nb_world_count_turns(world);
    /* three damped iterations come to within 2 % of each velocity */
    CHECK_NEAR(world->joints[joint].turned, 2 * STEPS * atan(h * omega / 2), 0.8);
    nb_world_destroy(world);
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
    const nb_trajectories_start start = {.worlds = &borrowed, .copies = 1, .contact_slots = slots, .h = 0.01};
    const nb_island_settings settings = trajectory_settings(0.01);
    nb_trajectories *t;
    CHECK_FAULT(nb_trajectories_create(&nb_runtime_emulated, &start, &settings, 0, &t), NB_ERROR_UNSUPPORTED, what);
    assert_null(t);
}

static void push_body(nb_world *world, double h) {
    world->bodies[1].force.x = h;
}

static void follow_body(nb_world *world, double h) {
    world->motors[0].target = h * world->bodies[1].position.z;
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
    world = joined_tower(4, 0);
    world->joints[1].limited = 1;
    check_refused(world, 0, "limits (joint 1)");
    world->joints[1].limited = 0;
    world->joints[1].friction = 1;
    check_refused(world, 0, "friction (joint 1)");
    world->joints[1].friction = 0;
    world->joints[1].armature = 1;
    check_refused(world, 0, "armature (joint 1)");
    world->joints[1].armature = 0;
    world->motors[0].effort = 1;
    check_refused(world, 0, "efforts (motor 0)");
    world->motors[0].effort = 0;
    world->prescribe = push_body;
    check_refused(world, 0, "prescribed motions and forces of bodies");
    world->prescribe = follow_body;
    check_refused(world, 0, "motors whose targets depend on the state of bodies");
    world->prescribe = NULL;
    check_refused(world, NB_ISLAND_MOST_THREADS, "--batch-contacts must be at most");
    nb_world_destroy(world);
    world = joined_tower(200, 0);
    check_refused(world, 0, "rows of joints");
    nb_world_destroy(world);
}

RUN_TESTS(test_contacts_are_the_processors, test_joint_rows_are_the_processors, test_steps_are_whole_steps,
          test_steps_with_joints_are_whole_steps, test_converged_is_what_the_harness_says, test_copies_are_alone,
          test_launches_follow_each_other, test_turns_are_counted, test_copies_that_end, test_what_is_refused)
