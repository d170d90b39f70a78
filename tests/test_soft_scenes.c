/* Scenes of particles: whole runs that pass their checks and go through records and checkpoints; meshes. */
#include "check.h"

#include <string.h>

#include "base/memory.h"
#include "contact/surface.h"
#include "element/energy.h"
#include "reason.h"
#include "scenario_run.h"
#include "soft_mesh.h"
#include "table/recheck.h"

/* the scenario with a direct solver over the nodes */
static nb_request request_of(const char *scenario, const char *settings, int steps) {
    nb_request request = request_of_scenario(scenario, settings, steps, 1e-8);
    CHECK_OK(nb_request_set_option(&request, "form", "stiffness"));
    CHECK_OK(nb_request_set_option(&request, "geometric-stiffness", "diagonal"));
    request.info.warm_start = 1;
    return request;
}

static const nb_check *find_check(const nb_run *run, const char *name) {
    for (int i = 0; i < run->checks.count; i++)
        if (strstr(run->checks.items[i].name, name)) return &run->checks.items[i];
    fail_msg("%s has no check '%s'", run->info.scenario, name);
    return NULL;
}

/* ---- scenes ---- */

/* Elements far from their rest shape, by a method that knows none: they are folded into a mass with geometric
 * stiffness. Without it a bar at stretch 2 ends at 40 m/s. */
TEST(stretched_bars_are_solved) {
    const int steps = test_trials(120);
    nb_request request = request_of_scenario("bar", "", steps, 1e-8);
    strcpy(request.info.method, "auto");
    request.info.linear_solver[0] = '\0'; /* the method's own */
    request.info.newton_iterations = 0;   /* likewise */
    request.info.warm_start = 1;
    nb_run *done = run(&request);
    find_check(done, "volume");
    assert_int_equal(failures(done, 1), 0);
    for (int s = 0; s < steps; s++)
        CHECK_BELOW(done->steps[(size_t)s * NB_STEP_COLUMNS + NB_STEP_NATURAL_MAP_ERROR], 1e-8);
    nb_run_destroy(done);
}

/* Soft bodies on each other, by a method that solves every step: forces between them to round-off. */
TEST(soft_bodies_carry_each_other) {
    static const char *const settings[] = {"count=2 cells=1", "count=2 cells=1 shape=ball"};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        nb_request request = request_of_scenario("soft-stack", settings[i], 30, 1e-10);
        strcpy(request.info.method, "interior-point");
        request.info.linear_solver[0] = '\0'; /* the method's own */
        nb_run *done = run(&request);
        CHECK_NEAR(find_check(done, "force below body 2")->actual, find_check(done, "force below body 2")->expected,
                   1e-9);
        for (int k = 0; k < done->checks.count; k++) { /* a cube of one cell still rocks, and on its edges */
            const nb_check *check = &done->checks.items[k];
            assert_true(check->passed || strcmp(check->name, "speed in the end") == 0 ||
                        strcmp(check->name, "deepest penetration of all steps") == 0);
        }
        nb_run_destroy(done);
    }
}

/* A folded sheet on the ground and on itself: every step is solved, no energy is made, and at any of them its layers
 * are as they were, one above the other. */
TEST(a_folded_sheet_lies_on_itself) {
    const int steps = test_trials(40);
    nb_request request = request_of_scenario("fold", "layers=2 cells=3", steps, 1e-8);
    strcpy(request.info.method, "interior-point");
    request.info.linear_solver[0] = '\0'; /* the method's own */
    nb_run *done = run(&request);
    assert_int_equal(failures(done, 1), 0);
    for (int s = 0; s < steps; s++) {
        const double *row = done->steps + (size_t)s * NB_STEP_COLUMNS, *before = row - NB_STEP_COLUMNS;
        CHECK_BELOW(row[NB_STEP_LAW_PENETRATION], 1e-6);
        CHECK_BELOW(row[NB_STEP_MAX_PENETRATION], 1e-4); /* of 8 mm; faces turn by a hundredth a step */
        if (s == 0) continue;
        CHECK_BELOW(row[NB_STEP_POTENTIAL_ENERGY] + row[NB_STEP_KINETIC_ENERGY],
                    before[NB_STEP_POTENTIAL_ENERGY] + before[NB_STEP_KINETIC_ENERGY] + 1e-12);
    }
    if (steps == 40) assert_true(done->final.soft_contacts > 100);
    nb_run_destroy(done);
}

/* Hollow balls: every step is solved, the record's pressure is that of its volume, and a free ball gains no energy. */
TEST(hollow_balls_hold_a_gas) {
    static const char *const scenes[][2] = {{"ball-squish", "frequency=1 duration=0.03"},
                                            {"tennis-ball", "frequency=1 way=0.01"}};
    for (int i = 0; i < 2; i++) {
        nb_request request = request_of_scenario(scenes[i][0], scenes[i][1], 30, 1e-8);
        strcpy(request.info.method, "auto");
        request.info.linear_solver[0] = '\0'; /* the method's own */
        nb_run *done = run(&request);
        const double *first = done->steps;
        /* of a gas, the pressure with that outside times the volume is the same in all steps */
        const double content = (first[NB_STEP_CAVITY_PRESSURE] + NB_ATMOSPHERE) * first[NB_STEP_CAVITY_VOLUME];
        assert_int_equal(failures(done, 1), 0);
        for (int s = 0; s < 30; s++) {
            const double *row = first + (size_t)s * NB_STEP_COLUMNS, *before = row - NB_STEP_COLUMNS;
            CHECK_BELOW(row[NB_STEP_NATURAL_MAP_ERROR], 1e-8);
            CHECK_NEAR((row[NB_STEP_CAVITY_PRESSURE] + NB_ATMOSPHERE) * row[NB_STEP_CAVITY_VOLUME], content,
                       1e-12 * content);
            if (s == 0 || i == 0) continue;
            CHECK_BELOW(row[NB_STEP_POTENTIAL_ENERGY] + row[NB_STEP_KINETIC_ENERGY],
                        before[NB_STEP_POTENTIAL_ENERGY] + before[NB_STEP_KINETIC_ENERGY] + 1e-9);
        }
        nb_run_destroy(done);
    }
}

/* Robots, with the paper's counts but for a tetrahedron in a hundred; their first steps are solved. */
TEST(robots_hold_soft_bodies) {
    static const struct {
        const char *scenario, *settings;
        int steps, bodies, joints, tetrahedra, papers;
    } scenes[] = {{"hand-ball", "", 25, 21, 21, 432, 427},
                  {"gripper", "", 3, 1, 0, 2250, 2241},
                  {"tomato", "", 45, 29, 28, 320, 319}};
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        nb_request request = request_of(scenes[i].scenario, scenes[i].settings, scenes[i].steps);
        request.info.newton_tolerance = 1e-7;
        request.info.newton_iterations = 60;
        CHECK_OK(nb_request_set_option(&request, "geometric-stiffness", "none"));
        nb_run *done = run(&request);
        assert_int_equal(failures(done, 1), 0);
        assert_true(done->final.soft_contacts > 0 || i == 1);
        assert_int_equal(done->info.bodies, 1 + scenes[i].bodies); /* and the ground */
        assert_int_equal(done->info.joints, scenes[i].joints);
        assert_int_equal(done->info.tetrahedra, scenes[i].tetrahedra);
        CHECK_NEAR(scenes[i].tetrahedra, scenes[i].papers, 0.012 * scenes[i].papers);
        print_message("%s: %d contacts after %d steps\n", scenes[i].scenario, (int)done->final.contacts,
                      scenes[i].steps);
        nb_run_destroy(done);
    }
}

/* Too few iterations on the way fail the check of momentum. */
TEST(unsolved_scenes_fail) {
    nb_request request = request_of("bar", "", 40);
    request.info.newton_iterations = 2;
    nb_run *done = run(&request);
    assert_false(find_check(done, "momentum defect over a body")->passed);
    nb_run_destroy(done);
}

/* The deflection comes nearer to a thin beam's with finer meshes, and from below. */
TEST(finer_beams_are_softer) {
    double last = 0.1;
    for (int cells = 1; cells <= 4; cells *= 2) {
        char settings[32];
        snprintf(settings, sizeof settings, "cells=%d", cells);
        nb_request request = request_of("cantilever", settings, 4);
        nb_run *done = run(&request);
        double ratio = find_check(done, "deflection")->actual;
        print_message("%d cells across: %.4f of a thin beam's deflection\n", cells, ratio);
        assert_true(ratio > last);
        assert_true(ratio < 1.01); /* of which 0.01 is shear */
        last = ratio;
        nb_run_destroy(done);
    }
    assert_true(last > 0.7);
}

/* energy is neither made nor lost where nothing moves: the work of gravity is what the sheet holds, and what was lost
 */
TEST(energies_count_elements) {
    nb_request request = request_of("sheet", "count=6", 40);
    nb_run *done = run(&request);
    const double *first = done->steps, *last = done->steps + (size_t)39 * NB_STEP_COLUMNS;
    assert_true(first[NB_STEP_POTENTIAL_ENERGY] > 1); /* stretched springs: 24 of 30 N/m, 0.05 m longer */
    for (int s = 1; s < 40; s++) {
        const double *row = done->steps + (size_t)s * NB_STEP_COLUMNS, *before = row - NB_STEP_COLUMNS;
        double now = row[NB_STEP_POTENTIAL_ENERGY] + row[NB_STEP_KINETIC_ENERGY];
        assert_true(now < before[NB_STEP_POTENTIAL_ENERGY] + before[NB_STEP_KINETIC_ENERGY] + 1e-9);
    }
    assert_true(last[NB_STEP_KINETIC_ENERGY] < 1e-3);
    nb_run_destroy(done);
}

/* ---- records ---- */

/* What a run ends with is there for the record, whose round trip is that of any snapshot (test_record.c), and checks of
 * what came back are those of the run. */
TEST(snapshots_hold_particles) {
    nb_request request = request_of("bar", "cells=4 material=neo-hookean", 3);
    nb_run *done = run(&request);
    nb_checks again = {0};
    int recomputed;
    assert_int_equal(done->final.particles, 5 * 2 * 2);
    assert_int_equal(done->final.element_rows, 20 * 6);
    assert_int_equal(done->info.tetrahedra, 20);
    CHECK_OK(nb_run_recheck(done, &again, &recomputed));
    assert_int_equal(again.count, done->checks.count);
    for (int i = 0; i < again.count; i++) CHECK_NEAR(again.items[i].actual, done->checks.items[i].actual, 0);
    done->final.particles--;
    CHECK_FAULT(nb_run_recheck(done, &again, &recomputed), NB_ERROR_INPUT, "20 particles with these parameters");
    done->final.particles++;
    nb_run_destroy(done);
}

/* Frames hold particles, whether there are bodies or not; the last one is the final state. */
TEST(frames_hold_particles) {
    nb_request request = request_of("bar", "cells=4 duration=0.05", 4);
    request.frame_interval = 2;
    nb_run *done = run(&request);
    const int64_t numbers = 3 * (int64_t)done->final.particles;
    assert_int_equal(done->frame_count, 2);
    assert_int_equal(done->frame_particles, done->final.particles);
    for (int64_t k = 0; k < numbers; k++) {
        CHECK_NEAR(done->frame_x[numbers + k], done->final.particle_x[k], 0);
        CHECK_NEAR(done->frame_v[numbers + k], done->final.particle_v[k], 0);
    }
    assert_true(memcmp(done->frame_x, done->final.particle_x, (size_t)numbers * sizeof(double)) != 0);
    assert_int_equal(done->mesh.cell_count, 20);
    assert_int_equal(done->mesh.point_count, done->final.particles);
    double volume = 0;
    for (int64_t i = 0; i < done->mesh.cell_count; i++) {
        nb_vec3 x[4];
        assert_int_equal(done->mesh.cell_kind[i], NB_CELL_TETRAHEDRON);
        for (int a = 0; a < 4; a++)
            x[a] = nb_mesh_position(&done->mesh, done->frames, done->frame_x,
                                    done->mesh.corners[done->mesh.cell_start[i] + a]);
        double six = nb_dot(nb_sub(x[1], x[0]), nb_cross(nb_sub(x[2], x[0]), nb_sub(x[3], x[0])));
        assert_true(six > 0); /* VTK's order of corners */
        volume += six / 6;
    }
    assert_true(volume > 0.9 * 0.4 * 0.1 * 0.1 && volume < 2 * 0.4 * 0.1 * 0.1);
    nb_run_destroy(done);
}

/* What knows bodies alone says so. */
TEST(others_refuse_particles) {
    for (int i = 1; i < 3; i++) {
        nb_run *none;
        nb_request request = request_of("sheet", "count=4", 1);
        if (i == 1) request.info.reference = 1;
        if (i == 2) request.info.batch = 2;
        CHECK_OK(nb_simulate_prepare(&request));
        CHECK_FAULT(nb_simulate(&request, NULL, NULL, &none), NB_ERROR_UNSUPPORTED, "scene has 16");
        nb_run_destroy(none);
        nb_free(request.info.parameters);
    }
}

/* ---- meshes ---- */

TEST(meshes_fill_their_shapes) {
    for (int shells = 1; shells <= 4; shells++) {
        nb_world *world;
        nb_soft_part part;
        int32_t index;
        double mass = 0, volume = 0, least = INFINITY;
        const nb_material material = {NB_MATERIAL_LINEAR, 1e5, 0.3, 500};
        CHECK_OK(nb_world_create(&world));
        CHECK_OK(nb_world_add_material(world, &material, &index));
        CHECK_OK(nb_world_add_soft_ball(world, 0, nb_vec3_of(1, 2, 3), 0.1, shells, &part));
        assert_int_equal(part.tetrahedron_count, 20 * shells * shells * shells);
        int on_sphere = 0;
        for (int32_t i = 0; i < part.particle_count; i++) {
            double r = nb_norm(nb_sub(world->particles[i].position, nb_vec3_of(1, 2, 3)));
            on_sphere += fabs(r - 0.1) < 1e-12;
            mass += world->particles[i].mass;
        }
        assert_int_equal(on_sphere, 10 * shells * shells + 2); /* Euler: of 20 k^2 triangles */
        for (int32_t i = 0; i < part.tetrahedron_count; i++) {
            const nb_rest_shape *rest = &world->tetrahedra[i].rest;
            volume += rest->volume;
            least = fmin(least, rest->volume);
        }
        CHECK_NEAR(mass, 500 * volume, 1e-12);
        assert_true(least > 0.2 * volume / part.tetrahedron_count); /* none is thin */
        double whole = 4. / 3 * M_PI * 1e-3;
        assert_true(volume < whole && volume > whole * (1 - 0.6 / (shells * shells)));
        /* at rest, and what its boundary encloses is what its elements sum to */
        assert_true(nb_elastic_energy(world) == 0 || fabs(nb_elastic_energy(world)) < 1e-20);
        nb_world_destroy(world);
    }
}

/* n (3 layers - 2) tetrahedra for n triangles on the sphere, none thin, with the ball's volume but for what chords cut
 * off; and a surface that is closed and goes outward. */
TEST(layered_balls_are_balls) {
    for (int faces = 0; faces < 2; faces++)
        for (int frequency = 1; frequency <= 4; frequency++)
            for (int layers = 1; layers <= 3; layers++) {
                nb_world *world;
                nb_soft_part part;
                nb_surface surface = {0};
                int32_t index, n = (faces ? 12 : 20) * frequency * frequency;
                double volume = 0, least = INFINITY, enclosed = 0, whole = 4. / 3 * M_PI * 1e-3;
                const nb_material material = {NB_MATERIAL_LINEAR, 1e5, 0.3, 500};
                CHECK_OK(nb_world_create(&world));
                CHECK_OK(nb_world_add_material(world, &material, &index));
                CHECK_OK(nb_world_add_layered_ball(world, 0, nb_vec3_of(1, 2, 3), 0.1, (nb_ball_faces)faces, frequency,
                                                   layers, &part));
                assert_int_equal(part.tetrahedron_count, n * (3 * layers - 2));
                assert_int_equal(part.particle_count, 1 + layers * (n / 2 + 2)); /* Euler */
                for (int32_t i = 0; i < part.tetrahedron_count; i++) {
                    volume += world->tetrahedra[i].rest.volume;
                    least = fmin(least, world->tetrahedra[i].rest.volume);
                }
                CHECK_OK(nb_surface_update(&surface, world));
                assert_int_equal(surface.face_count, n);
                assert_int_equal(surface.edge_count, 3 * n / 2);
                for (int32_t f = 0; f < n; f++) {
                    nb_vec3 p[3];
                    for (int k = 0; k < 3; k++) {
                        p[k] = nb_sub(world->particles[surface.faces[f].particle[k]].position, nb_vec3_of(1, 2, 3));
                        CHECK_NEAR(nb_norm(p[k]), 0.1, 1e-12);
                    }
                    double share = nb_dot(p[0], nb_cross(p[1], p[2])) / 6;
                    assert_true(share > 0);
                    enclosed += share;
                }
                CHECK_NEAR(enclosed, volume, 1e-12);
                assert_true(least > 0.03 * volume / part.tetrahedron_count);
                if (layers == 1)
                    print_message("%s, %d: %.3f of the ball\n", faces ? "cube" : "icosahedron", frequency,
                                  volume / whole);
                assert_true(volume < whole && volume > whole * (1 - (faces ? 1.3 : 0.6) / (frequency * frequency)));
                nb_surface_clear(&surface);
                nb_world_destroy(world);
            }
}

TEST(bad_meshes_are_refused) {
    nb_world *world;
    nb_soft_part part;
    int32_t index;
    const nb_material light = {NB_MATERIAL_LINEAR, 1e5, 0.3, 0};
    CHECK_OK(nb_world_create(&world));
    CHECK_FAULT(nb_world_add_soft_ball(world, 0, nb_vec3_of(0, 0, 0), 1, 2, &part), NB_ERROR_INPUT,
                "there is no material 0");
    CHECK_OK(nb_world_add_material(world, &light, &index));
    CHECK_FAULT(nb_world_add_soft_ball(world, 0, nb_vec3_of(0, 0, 0), 1, 2, &part), NB_ERROR_INPUT,
                "material 0 has no density");
    world->materials[0].density = 1;
    CHECK_FAULT(nb_world_add_soft_ball(world, 0, nb_vec3_of(0, 0, 0), 1, 0, &part), NB_ERROR_INPUT, "0 shells");
    CHECK_FAULT(nb_world_add_layered_ball(world, 0, nb_vec3_of(0, 0, 0), 1, NB_BALL_CUBE, 2, 0, &part), NB_ERROR_INPUT,
                "0 layers");
    CHECK_FAULT(nb_world_add_layered_ball(world, 1, nb_vec3_of(0, 0, 0), 1, NB_BALL_CUBE, 2, 2, &part), NB_ERROR_INPUT,
                "material 1 is not there");
    CHECK_FAULT(
        nb_world_add_soft_box(world, 0, nb_vec3_of(0, 0, 0), nb_vec3_of(1, 1, 1), (const int32_t[3]){1, 0, 1}, &part),
        NB_ERROR_INPUT, "0 cells");
    CHECK_FAULT(
        nb_world_add_soft_box(world, 0, nb_vec3_of(0, 0, 0), nb_vec3_of(1, 0, 1), (const int32_t[3]){1, 1, 1}, &part),
        NB_ERROR_INPUT, "tetrahedron 0 has a volume of 0");
    nb_world_destroy(world);
}

RUN_TESTS(robots_hold_soft_bodies, layered_balls_are_balls, stretched_bars_are_solved, soft_bodies_carry_each_other,
          a_folded_sheet_lies_on_itself, hollow_balls_hold_a_gas, unsolved_scenes_fail, finer_beams_are_softer,
          energies_count_elements, snapshots_hold_particles, frames_hold_particles, others_refuse_particles,
          meshes_fill_their_shapes, bad_meshes_are_refused)
