/* Small steps (--substeps) and their relaxation: against steps of their length, closed forms, and detection. */
#include <math.h>

#include "../scenarios/common.h"
#include "model/drive.h"
#include "model/energy.h"
#include "run/scene_run.h"
#include "scenario_run.h"

/* the world after `time` seconds in steps of `time`/steps, each of so many substeps; the caller clears *scene */
static const nb_world *world_after(const char *scenario, const char *settings, double time, int steps, int substeps,
                                   nb_request *request, nb_scene_run *scene) {
    double row[NB_STEP_COLUMNS];
    *request = request_of_scenario(scenario, settings, steps, 1e-13);
    *scene = (nb_scene_run){.request = request};
    request->info.time_step = time / steps;
    request->scene.substeps = substeps;
    CHECK_OK(nb_simulate_prepare(request));
    CHECK_OK(nb_scene_run_build(scene));
    for (int k = 0; k < steps; k++) CHECK_OK(nb_scene_run_advance(scene, NULL, 1, NULL, row));
    return scene->world;
}

static void clear(nb_scene_run *scene, nb_request *request) {
    nb_scene_run_clear(scene);
    nb_free(request->info.parameters);
}

static double energy_of(const nb_world *world) {
    return nb_world_kinetic_energy(world) + nb_world_potential_energy(world);
}

/* without contacts: steps of their length, bit by bit */
TEST(substeps_are_small_steps) {
    static const char *const scenes[][2] = {{"four-bar", ""}, {"pendulum", ""}, {"beam", "slot=0"}};
    for (int i = 0; i < 3; i++)
        for (int n = 1; n <= 8; n *= 2) {
            nb_request request[2];
            nb_scene_run scene[2];
            const double time = 0.0625;
            const nb_world *a = world_after(scenes[i][0], scenes[i][1], time, 8, n, &request[0], &scene[0]),
                           *b = world_after(scenes[i][0], scenes[i][1], time, 8 * n, 1, &request[1], &scene[1]);
            assert_true(a->time == b->time);
            for (int32_t k = 0; k < a->body_count; k++) {
                assert_memory_equal(&a->bodies[k].position, &b->bodies[k].position, sizeof(nb_vec3));
                assert_memory_equal(&a->bodies[k].orientation, &b->bodies[k].orientation, sizeof(nb_quat));
                assert_memory_equal(&a->bodies[k].linear_velocity, &b->bodies[k].linear_velocity, sizeof(nb_vec3));
                assert_memory_equal(&a->bodies[k].angular_velocity, &b->bodies[k].angular_velocity, sizeof(nb_vec3));
            }
            clear(&scene[0], &request[0]);
            clear(&scene[1], &request[1]);
        }
}

/* where contacts stay: the same but for round-off */
TEST(substeps_keep_contacts) {
    nb_request request[2];
    nb_scene_run scene[2];
    const nb_world *a = world_after("incline", "mu=0.1", 0.25, 10, 8, &request[0], &scene[0]),
                   *b = world_after("incline", "mu=0.1", 0.25, 80, 1, &request[1], &scene[1]);
    for (int32_t k = 0; k < a->body_count; k++)
        CHECK_BELOW(nb_norm(nb_sub(a->bodies[k].position, b->bodies[k].position)), 1e-11);
    clear(&scene[0], &request[0]);
    clear(&scene[1], &request[1]);
}

/* backward Euler is of order 1: twice as many substeps halve the energy that it loses */
TEST(substeps_shrink_the_drift) {
    double lost[3];
    for (int i = 0; i < 3; i++) {
        nb_request request;
        nb_scene_run scene;
        const nb_world *w = world_after("pendulum", "", 0.5, 50, 4 << i, &request, &scene);
        nb_world *start;
        CHECK_OK(nb_scenario_build(request.choices.scenario, request.choices.parameters, 1, &start));
        lost[i] = energy_of(start) - energy_of(w);
        nb_world_destroy(start);
        clear(&scene, &request);
    }
    CHECK_NEAR(lost[0] / lost[1], 2, 0.1);
    CHECK_NEAR(lost[1] / lost[2], 2, 0.05);
}

/* A block of 1 kg that begins 1 mm deep in the ground. An implicit step lifts it, at 1 mm/h, which it keeps; relaxed,
 * its velocity is 0, and a fall that ends on the ground ends at rest. */
TEST(relaxation_leaves_no_velocity) {
    const double h = 1.0 / 64, depth = 1e-3, g = 9.81;
    for (int n = 1; n <= 4; n *= 4)
        for (int relaxes = 0; relaxes < 2; relaxes++) {
            nb_request request = request_of_scenario("incline", "angle=0", 1, 1e-12);
            nb_scene_run scene = {.request = &request};
            double row[NB_STEP_COLUMNS];
            nb_snapshot final = {0};
            request.info.time_step = h;
            request.scene.substeps = n;
            request.scene.relax = relaxes ? NB_RELAX_ON : NB_RELAX_OFF;
            CHECK_OK(nb_simulate_prepare(&request));
            CHECK_OK(nb_scene_run_build(&scene));
            nb_body *block = &scene.world->bodies[0];
            for (int32_t k = 0; k < scene.world->body_count; k++)
                if (scene.world->bodies[k].kind == NB_BODY_DYNAMIC) block = &scene.world->bodies[k];
            const double height = block->position.z;
            block->position.z -= depth;
            CHECK_OK(nb_scene_run_advance(&scene, NULL, 0, &final, row));
            /* the first substep lifts it, the others brake it by gravity */
            CHECK_NEAR(block->linear_velocity.z,
                       relaxes || n > 1 ? fmax(0, relaxes ? 0 : depth * n / h - (n - 1) * g * h / n) : depth / h, 1e-9);
            CHECK_NEAR(row[NB_STEP_MAX_PENETRATION], 0, 1e-12);
            if (relaxes) CHECK_NEAR(block->position.z, height, 1e-12);
            CHECK_NEAR(final.q[7 * (block - scene.world->bodies) + 2], block->position.z, 0);
            assert_int_equal(row[NB_STEP_NEWTON_ITERATIONS] >= n * (1 + relaxes), 1);
            nb_snapshot_clear(&final);
            clear(&scene, &request);
        }
}

/* A ball at rest on contacts of a frequency and a damping ratio sinks by g/omega^2, and on those of a compliance e
 * by e m g, relaxed or not. */
TEST(springs_carry_by_their_frequency) {
    for (int k = 0; k < 8; k++) {
        nb_request request = request_of_scenario("piling", "shape=sphere count=1", 1, 1e-12);
        nb_scene_run scene = {.request = &request};
        double row[NB_STEP_COLUMNS];
        const double frequency = k < 3 ? 20 : 30, omega = 2 * 3.14159265358979 * frequency;
        request.info.time_step = 1.0 / 128;
        if (k < 6) {
            request.scene.contacts.model = NB_CONTACTS_SPRING;
            request.scene.contacts.frequency = frequency;
            request.scene.contacts.damping = k % 3 ? 4 : 1;
        } else {
            request.scene.contact_compliance = 1e-5;
        }
        request.scene.friction_law = NB_FRICTION_RELAXED;
        request.scene.substeps = 1 + k % 3;
        request.scene.relax = k % 2 ? NB_RELAX_ON : NB_RELAX_OFF;
        strcpy(request.info.method, "psor");
        *request.info.linear_solver = 0;
        request.info.newton_iterations = 1000;
        CHECK_OK(nb_simulate_prepare(&request));
        CHECK_OK(nb_scene_run_build(&scene));
        nb_world *w = scene.world;
        for (int32_t i = 0; i < w->body_count; i++)
            if (w->bodies[i].kind == NB_BODY_DYNAMIC) w->bodies[i].position.z = w->shapes[w->bodies[i].shape]->radius;
        nb_snapshot final = {0};
        for (int step = 0; step < 256; step++) CHECK_OK(nb_scene_run_advance(&scene, NULL, 1, &final, row));
        const double g = nb_norm(w->gravity),
                     known = k < 6 ? g / (omega * omega) : 1e-5 * g * w->bodies[w->body_count - 1].mass;
        CHECK_NEAR(row[NB_STEP_MAX_PENETRATION] / known, 1, 1e-6);
        nb_snapshot_clear(&final);
        clear(&scene, &request);
    }
}

/* points of a box and a ball over the ground, after random motions: against closed forms of their gaps */
TEST(contacts_follow_their_bodies) {
    uint64_t random = test_seed();
    for (int trial = 0; trial < 100; trial++) {
        nb_world *w;
        nb_contacts *contacts;
        nb_shape *shape[2];
        int32_t index, body[2];
        nb_body before[3];
        CHECK_OK(nb_world_create(&w));
        CHECK_OK(nb_contacts_create(&contacts));
        w->settings.contact_margin = 0.5;
        CHECK_OK(nb_add_ground(w, 0.5, nb_quat_identity(), &index));
        CHECK_OK(nb_shape_box(nb_vec3_of(0.1, 0.2, 0.3), &shape[0]));
        CHECK_OK(nb_shape_sphere(0.2, &shape[1]));
        for (int k = 0; k < 2; k++) {
            CHECK_OK(nb_world_add_shape(w, shape[k], &index));
            CHECK_OK(nb_world_add_solid(w, NB_BODY_DYNAMIC, index, 1, 0.5, nb_vec3_of(3 * k, 0, 0.3),
                                        nb_quat_identity(), &body[k]));
        }
        CHECK_OK(nb_contacts_detect(w, 0, contacts));
        assert_int_equal(contacts->count, 5);
        for (int step = 0; step < 3; step++) {
            memcpy(before, w->bodies, sizeof before);
            for (int k = 0; k < 2; k++) {
                nb_body *b = &w->bodies[body[k]];
                b->linear_velocity = nb_vec3_of(test_random(&random, -1, 1), 1, test_random(&random, -1, 1));
                b->angular_velocity = nb_vec3_of(test_random(&random, -9, 9), 2, test_random(&random, -9, 9));
                nb_body_move(b, 0.01);
            }
            nb_contacts_follow(w, before, NULL, contacts);
        }
        for (int32_t i = 0; i < contacts->count; i++) {
            const nb_contact *c = &contacts->items[i];
            const nb_body *b = &w->bodies[c->body_a];
            /* what of the first body's frame the point is */
            const nb_vec3 own = nb_quat_rotate(nb_quat_conjugate(b->orientation), nb_sub(c->point_a, b->position));
            if (c->body_a == body[1]) {
                CHECK_NEAR(c->gap, b->position.z - 0.2, 1e-14);
                continue;
            }
            CHECK_NEAR(c->gap, c->point_a.z, 1e-14);
            CHECK_NEAR(fabs(own.x), 0.1, 1e-14);
            CHECK_NEAR(fabs(own.y), 0.2, 1e-14);
            CHECK_NEAR(own.z, -0.3, 1e-14);
        }
        nb_contacts_destroy(contacts);
        nb_world_destroy(w);
    }
}

/* known values, energy and momentum hold with small steps and relaxation as with whole ones */
TEST(runs_of_substeps_pass_their_checks) {
    static const char *const scenes[][2] = {
        {"incline", ""}, {"four-bars", "count=2"}, {"wall", "width=2 height=2"}, {"loop-chain", "count=1"}};
    for (int i = 0; i < 8; i++) {
        nb_request request = request_of_scenario(scenes[i / 2][0], scenes[i / 2][1], 20, 1e-11);
        request.scene.substeps = 3;
        request.scene.relax = i % 2 ? NB_RELAX_ON : NB_RELAX_OFF;
        strcpy(request.info.method, "auto");
        *request.info.linear_solver = 0;
        request.info.newton_iterations = 2000;
        nb_run *done = run(&request);
        assert_int_equal(failures(done, 1), 0);
        assert_int_equal(done->final.step_count, 60);
        nb_run_destroy(done);
    }
}

/* a batch's copies are runs of their own, on any number of threads; copy 0 is the scene */
TEST(copies_of_a_batch_take_substeps) {
    for (int relaxes = 0; relaxes < 2; relaxes++) {
        nb_run *made[3]; /* alone; on one thread; on three */
        for (int k = 0; k < 3; k++) {
            nb_request request = request_of_scenario("wall", "width=2 height=2", 4, 1e-10);
            request.scene.substeps = 3;
            request.scene.relax = relaxes ? NB_RELAX_ON : NB_RELAX_OFF;
            strcpy(request.info.method, "interior-point");
            *request.info.linear_solver = 0;
            request.info.newton_iterations = 2000;
            request.info.batch = k ? 3 : 1;
            request.info.threads = k == 2 ? 3 : 1;
            made[k] = run(&request);
        }
        const nb_batch *batch = &made[1]->batch;
        for (int32_t i = 0; i < 3 * 4; i++)
            for (int c = 0; c < NB_BATCH_COLUMNS; c++) {
                const double *row = batch->rows + (ptrdiff_t)i * NB_BATCH_COLUMNS;
                if (c == NB_BATCH_STEP_S) continue;
                assert_memory_equal(row + c, made[2]->batch.rows + (row - batch->rows) + c, sizeof *row);
                if (i < 4)
                    assert_memory_equal(row + c, made[0]->steps + i * NB_STEP_COLUMNS + nb_batch_step_column[c],
                                        sizeof *row);
                if (c == NB_BATCH_NATURAL_MAP_ERROR) CHECK_BELOW(row[c], 1e-10);
            }
        assert_memory_not_equal(batch->rows, batch->rows + 4 * NB_BATCH_COLUMNS, NB_BATCH_COLUMNS * sizeof(double));
        for (int k = 0; k < 3; k++) nb_run_destroy(made[k]);
    }
}

/* boxes and balls that slide and roll apart: islands solved one by one, or as one problem */
TEST(islands_take_substeps) {
    for (int relaxes = 0; relaxes < 2; relaxes++) {
        nb_run *made[2];
        for (int k = 0; k < 2; k++) {
            nb_request request = request_of_scenario("rolling", "", 10, 1e-11);
            request.scene.substeps = 4;
            request.scene.relax = relaxes ? NB_RELAX_ON : NB_RELAX_OFF;
            set_options(k ? "islands=on" : "islands=off", &request);
            made[k] = run(&request);
            CHECK_BELOW(made[k]->steps[9 * NB_STEP_COLUMNS + NB_STEP_NATURAL_MAP_ERROR], 1e-11);
            assert_true(made[k]->steps[9 * NB_STEP_COLUMNS + NB_STEP_ISLANDS] > 3);
        }
        for (int32_t i = 0; i < 7 * made[0]->final.bodies; i++)
            CHECK_NEAR(made[1]->final.q[i], made[0]->final.q[i], 1e-10);
        for (int k = 0; k < 2; k++) nb_run_destroy(made[k]);
    }
}

/* in single precision to its digits, of a block that slides on a slope and of bars that swing */
TEST(substeps_in_single_precision) {
    static const char *const scenes[][2] = {{"incline", "mu=0.1"}, {"four-bar", ""}};
    for (int i = 0; i < 4; i++) {
        nb_run *made[2];
        for (int k = 0; k < 2; k++) {
            nb_request request = request_of_scenario(scenes[i / 2][0], scenes[i / 2][1], 10, k ? 1e-4 : 1e-11);
            request.scene.substeps = 8;
            request.scene.relax = i % 2 ? NB_RELAX_ON : NB_RELAX_OFF;
            strcpy(request.info.method, "interior-point");
            *request.info.linear_solver = 0;
            if (k) strcpy(request.info.precision, "f32");
            made[k] = run(&request);
            CHECK_BELOW(made[k]->steps[9 * NB_STEP_COLUMNS + NB_STEP_NATURAL_MAP_ERROR], k ? 1e-4 : 1e-11);
        }
        for (int32_t b = 0; b < 7 * made[0]->final.bodies; b++)
            CHECK_NEAR(made[1]->final.q[b], made[0]->final.q[b], 1e-4);
        for (int k = 0; k < 2; k++) nb_run_destroy(made[k]);
    }
}

RUN_TESTS(substeps_are_small_steps, substeps_keep_contacts, substeps_shrink_the_drift, relaxation_leaves_no_velocity,
          contacts_follow_their_bodies, springs_carry_by_their_frequency, runs_of_substeps_pass_their_checks,
          copies_of_a_batch_take_substeps, islands_take_substeps, substeps_in_single_precision)
