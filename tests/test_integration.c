/* Integrators on worlds, stage by stage: against closed forms and finer steps (order), what is prescribed, and what
 * goes from step to step. */
#include "model/integration.h"

#include "model/energy.h"
#include "run/scene_run.h"
#include "scenario_run.h"
#include "staged_scene.h"

NB_PRECISIONS(f64);

/* ---- closed forms ---- */

/* Velocities are exact, to what each step is solved to. Places are of order 2, but for what bdf2's first step by be
 * leaves, f h^2/2 (1 + 1/3 + ..). */
TEST(falls_are_exact) {
    const double h = 0.125, g = 9.81;
    for (int i = 0; i < NB_INTEGRATORS; i++) {
        scene s;
        open_scene((nb_integrator)i, "newton", "", &s);
        const nb_particle *particle = add_particle(&s, 2, nb_vec3_of(1, 2, 3), nb_vec3_of(0.5, 0, 1));
        begin(&s);
        for (int n = 0; n < 8; n++) step(&s, h);
        double z = 3 + 1 - g / 2;
        if (i == NB_INTEGRATOR_BE) z -= g * h / 2;
        if (i == NB_INTEGRATOR_BDF2) z -= g * h * h / 2 * 1.5 * (1 - pow(3, -8));
        CHECK_NEAR(particle->velocity.z, 1 - g, 1e-11);
        CHECK_NEAR(particle->position.z, z, 1e-11);
        CHECK_NEAR(particle->position.x, 1.5, 1e-11);
        CHECK_NEAR(s.world->time, 1, 0);
        close_scene(&s);
    }
}

/* Two masses m on a line, with springs k to what is fixed at both ends, and k between them: modes of w^2 = k/m, 3 k/m.
 */
TEST(springs_are_of_their_order) {
    const double k = 40, m = 2, time = 0.5, x[2] = {0.05, -0.02};
    const double w[2] = {sqrt(k / m), sqrt(3 * k / m)};
    const double sum = (x[0] + x[1]) * cos(w[0] * time), difference = (x[0] - x[1]) * cos(w[1] * time);
    for (int i = 0; i < NB_INTEGRATORS; i++) {
        double errors[2];
        for (int fine = 0; fine < 2; fine++) {
            const int steps = 200 << fine;
            scene s;
            open_scene((nb_integrator)i, "newton", "", &s);
            s.world->gravity = nb_vec3_of(0, 0, 0);
            for (int n = 0; n < 4; n++) {
                nb_particle *p = add_particle(&s, m, nb_vec3_of(n, 0, 0), nb_vec3_of(0, 0, 0));
                if (n == 0 || n == 3)
                    p->kind = NB_BODY_FIXED;
                else
                    p->position.x += x[n - 1];
            }
            for (int n = 0; n < 3; n++)
                CHECK_OK(nb_world_add_spring(s.world, &(nb_spring){{n, n + 1}, 1, k}, &(int32_t){0}));
            begin(&s);
            for (int n = 0; n < steps; n++) step(&s, time / steps);
            const nb_particle *p = s.world->particles;
            errors[fine] =
                hypot(p[1].position.x - 1 - (sum + difference) / 2, p[2].position.x - 2 - (sum - difference) / 2);
            close_scene(&s);
        }
        check_order((nb_integrator)i, errors, i == NB_INTEGRATOR_BE ? 1 : 2);
    }
}

/* ---- bodies that turn ---- */

static void tumble(nb_integrator integrator, int steps, nb_body *end) {
    scene s;
    int32_t index;
    const nb_body top = {.kind = NB_BODY_DYNAMIC,
                         .mass = 1,
                         .inertia = nb_vec3_of(1, 2, 3),
                         .orientation = nb_quat_identity(),
                         .angular_velocity = nb_vec3_of(0.3, 2, 0.1), /* about the middle axis, which it leaves */
                         .shape = -1};
    open_scene(integrator, "newton", "", &s);
    s.world->gravity = nb_vec3_of(0, 0, 0);
    CHECK_OK(nb_world_add_body(s.world, &top, &index));
    begin(&s);
    for (int n = 0; n < steps; n++) step(&s, 1.0 / steps);
    *end = s.world->bodies[0];
    close_scene(&s);
}

static double apart(const nb_body *a, const nb_body *b) {
    const nb_quat d = nb_quat_product(nb_quat_conjugate(a->orientation), b->orientation);
    return 2 * sqrt(d.x * d.x + d.y * d.y + d.z * d.z) + nb_norm(nb_sub(a->angular_velocity, b->angular_velocity));
}

/* Against tr-bdf2 at a sixteenth of the finer step: its error is 256 times smaller. */
TEST(a_free_top_is_of_its_order) {
    nb_body fine, end[2];
    tumble(NB_INTEGRATOR_TR_BDF2, 3200, &fine);
    for (int i = 1; i < NB_INTEGRATORS; i++) {
        for (int k = 0; k < 2; k++) tumble((nb_integrator)i, 100 << k, &end[k]);
        check_order((nb_integrator)i, (double[]){apart(&end[0], &fine), apart(&end[1], &fine)}, 2);
    }
    const nb_mat3 principal = {{{1, 0, 0}, {0, 2, 0}, {0, 0, 3}}},
                  inertia = nb_mat3_rotated(fine.orientation, &principal);
    const nb_vec3 momentum = nb_mat3_apply(&inertia, fine.angular_velocity);
    CHECK_NEAR(nb_norm(momentum), sqrt(0.09 + 16 + 0.09), 2e-6);
    CHECK_NEAR(nb_dot(momentum, fine.angular_velocity), 0.09 + 8 + 0.03, 2e-6);
}

/* a heavy top with three moments, which a ball joint holds in the origin */
static void turn_heavy_top(nb_integrator integrator, int steps, nb_body *end) {
    scene s;
    int32_t index;
    const double rigid[6] = {0};
    const nb_vec3 arm = nb_vec3_of(0.3, 0.2, 0.4), spin = nb_vec3_of(1, 2, 5);
    const nb_body top = {.kind = NB_BODY_DYNAMIC,
                         .mass = 1,
                         .inertia = nb_vec3_of(0.1, 0.2, 0.25),
                         .position = arm,
                         .orientation = nb_quat_identity(),
                         .linear_velocity = nb_cross(spin, arm),
                         .angular_velocity = spin,
                         .shape = -1};
    open_scene(integrator, "newton", "", &s);
    CHECK_OK(nb_world_add_body(s.world, &top, &index));
    CHECK_OK(nb_world_add_joint_at(s.world, NB_JOINT_SPHERICAL, 0, -1, nb_vec3_of(0, 0, 0), nb_quat_identity(), rigid,
                                   &index));
    begin(&s);
    for (int n = 0; n < steps; n++) step(&s, 0.25 / steps);
    *end = s.world->bodies[0];
    close_scene(&s);
}

/* Its gyroscopic torque, whose spin the joint makes, is of the stage's end. By the differences of three runs. With
 * constraints sdirk2 is of order 1, and tr never damps what such a first step leaves in the velocities along them. */
TEST(a_heavy_top_is_of_its_order) {
    const double orders[NB_INTEGRATORS] = {1, 1, 2, 2, 1, 1};
    for (int i = 0; i < NB_INTEGRATORS; i++) {
        nb_body end[3];
        for (int k = 0; k < 3; k++) turn_heavy_top((nb_integrator)i, 50 << k, &end[k]);
        check_order((nb_integrator)i, (double[]){apart(&end[0], &end[1]), apart(&end[1], &end[2])}, orders[i]);
    }
}

/* theta'' = -g sin(theta) from rest at 90 degrees, by the classical Runge-Kutta method: to 1e-12 */
static void swing(double time, double *angle, double *rate) {
    const int steps = 4000;
    const double h = time / steps, g = 9.81;
    *angle = acos(-1) / 2;
    *rate = 0;
    for (int n = 0; n < steps; n++) {
        double a[4], w[4];
        for (int k = 0; k < 4; k++) {
            const double by = k == 0 ? 0 : k == 3 ? h : h / 2;
            w[k] = *rate + (k ? by * a[k - 1] : 0);
            a[k] = -g * sin(*angle + (k ? by * w[k - 1] : 0));
        }
        *angle += h / 6 * (w[0] + 2 * w[1] + 2 * w[2] + w[3]);
        *rate += h / 6 * (a[0] + 2 * a[1] + 2 * a[2] + a[3]);
    }
}

/* A rod that is a constraint: sdirk2, whose first stage is of order 1, has that order with constraints. */
TEST(a_pendulum_is_of_its_order) {
    const double time = 0.5, orders[NB_INTEGRATORS] = {1, 2, 2, 2, 1, 2};
    double angle, rate;
    swing(time, &angle, &rate);
    for (int i = 0; i < NB_INTEGRATORS; i++) {
        double errors[2];
        for (int fine = 0; fine < 2; fine++) {
            const int steps = 200 << fine;
            scene s;
            int32_t index;
            const nb_joint rod = {.kind = NB_JOINT_DISTANCE, .body_a = 0, .body_b = -1, .length = 1};
            const nb_body bob = {.kind = NB_BODY_DYNAMIC,
                                 .mass = 1,
                                 .inertia = nb_vec3_of(0.01, 0.01, 0.01),
                                 .position = nb_vec3_of(1, 0, 0),
                                 .orientation = nb_quat_identity(),
                                 .shape = -1};
            open_scene((nb_integrator)i, "newton", "", &s);
            CHECK_OK(nb_world_add_body(s.world, &bob, &index));
            CHECK_OK(nb_world_add_joint(s.world, &rod, &index));
            begin(&s);
            for (int n = 0; n < steps; n++) step(&s, time / steps);
            const nb_vec3 x = s.world->bodies[0].position, v = s.world->bodies[0].linear_velocity;
            errors[fine] = hypot(x.x - sin(angle), x.z + cos(angle)) +
                           0.1 * hypot(v.x - rate * cos(angle), v.z - rate * sin(angle));
            CHECK_NEAR(nb_norm(x), 1, 1e-12);
            close_scene(&s);
        }
        check_order((nb_integrator)i, errors, orders[i]);
    }
}

/* ---- what is prescribed ---- */

static double way_at(double t) {
    return 0.3 * sin(5 * t);
}

/* body 0 goes to and fro and turns; its velocities lead from where it is meant to be now to where at the end */
static void prescribe(nb_world *world, double h) {
    const double t = world->time, turned = 0.5 * (way_at(t + h) - way_at(t));
    world->bodies[0].linear_velocity = nb_vec3_of((way_at(t + h) - way_at(t)) / h, 0, 0);
    world->bodies[0].angular_velocity = nb_vec3_of(0, 0, 2 / h * tan(turned / 2));
    for (int32_t i = 0; i < world->particle_count; i++)
        if (world->particles[i].kind == NB_BODY_KINEMATIC)
            world->particles[i].velocity = world->bodies[0].linear_velocity;
}

/* A kinematic body and a particle are where they are meant to be after each step; a particle that a rod holds to the
 * latter follows it. */
TEST(what_is_prescribed_stays_on_its_way) {
    for (int i = 1; i < NB_INTEGRATORS; i++) {
        scene s;
        int32_t index;
        const nb_body hand = {.kind = NB_BODY_KINEMATIC, .orientation = nb_quat_identity(), .shape = -1};
        open_scene((nb_integrator)i, "newton", "", &s);
        s.world->gravity = nb_vec3_of(0, 0, 0);
        s.world->prescribe = prescribe;
        CHECK_OK(nb_world_add_body(s.world, &hand, &index));
        add_particle(&s, 1, nb_vec3_of(0, 1, 0), nb_vec3_of(0, 0, 0))->kind = NB_BODY_KINEMATIC;
        add_particle(&s, 1, nb_vec3_of(1, 1, 0), nb_vec3_of(1.5, 0, 0));
        CHECK_OK(nb_world_add_spring(s.world, &(nb_spring){{0, 1}, 1, INFINITY}, &index));
        begin(&s);
        for (int n = 1; n <= 50; n++) {
            const double t = 0.02 * n;
            step(&s, 0.02);
            CHECK_NEAR(s.world->time, t, 1e-14);
            CHECK_NEAR(s.world->bodies[0].position.x, way_at(t), 1e-13);
            CHECK_NEAR(2 * atan2(s.world->bodies[0].orientation.z, s.world->bodies[0].orientation.w), 0.5 * way_at(t),
                       1e-13);
            CHECK_NEAR(s.world->particles[0].position.x, way_at(t), 1e-13);
            CHECK_NEAR(s.world->particles[1].position.x, 1 + way_at(t), 1e-9);
        }
        close_scene(&s);
    }
}

/* ---- going on ---- */

static void take_state(const nb_world *world, double state[14]) {
    const nb_body *b = &world->bodies[0];
    memcpy(state, &b->position, 3 * sizeof *state);
    memcpy(state + 3, &b->linear_velocity, 3 * sizeof *state);
    memcpy(state + 6, &b->orientation, 4 * sizeof *state);
    memcpy(state + 10, &b->angular_velocity, 3 * sizeof *state);
    state[13] = world->time;
}

/* What is saved between two steps leads to the same bits; without it bdf2, tr and tr-bdf2 begin anew. */
TEST(a_step_goes_on_from_what_was_saved) {
    for (int i = 1; i < NB_INTEGRATORS; i++)
        for (int saved = 0; saved < 2; saved++) {
            scene s;
            int32_t index;
            double ends[2][14];
            char *bytes = NULL;
            size_t size = 0;
            const nb_body top = {.kind = NB_BODY_DYNAMIC,
                                 .mass = 1,
                                 .inertia = nb_vec3_of(1, 2, 3),
                                 .orientation = nb_quat_identity(),
                                 .linear_velocity = nb_vec3_of(1, 2, 3),
                                 .angular_velocity = nb_vec3_of(0.3, 2, 0.1),
                                 .shape = -1};
            open_scene((nb_integrator)i, "newton", "", &s);
            CHECK_OK(nb_world_add_body(s.world, &top, &index));
            begin(&s);
            for (int n = 0; n < 3; n++) step(&s, 0.01);
            const nb_body between = s.world->bodies[0];
            const double time = s.world->time;
            nb_stream stream = {.file = open_memstream(&bytes, &size), .path = "test", .unchecked = 1};
            CHECK_OK(nb_integration_save(s.integration, &stream));
            nb_stream_close(&stream);
            for (int n = 0; n < 2; n++) step(&s, 0.01);
            take_state(s.world, ends[0]);
            nb_integration_destroy(s.integration);
            begin(&s);
            stream = (nb_stream){.file = fmemopen(bytes, size, "rb"), .path = "test", .left = (int64_t)size};
            if (saved) CHECK_OK(nb_integration_load(s.integration, &stream));
            nb_stream_close(&stream);
            s.world->bodies[0] = between;
            s.world->time = time;
            for (int n = 0; n < 2; n++) step(&s, 0.01);
            take_state(s.world, ends[1]);
            const int same = memcmp(ends[0], ends[1], sizeof ends[0]) == 0;
            assert_int_equal(same, saved || i == NB_INTEGRATOR_SDIRK2);
            free(bytes);
            close_scene(&s);
        }
}

/* E(0.5 s) - E(0), after so many steps */
static double drift_of(const char *scenario, const char *settings, nb_integrator integrator, int steps) {
    nb_request request = request_of_scenario(scenario, settings, steps, 1e-10);
    nb_scene_run made = {.request = &request};
    double row[NB_STEP_COLUMNS], drift;
    request.info.time_step = 0.5 / steps;
    request.scene.integrator = integrator;
    CHECK_OK(nb_simulate_prepare(&request));
    CHECK_OK(nb_scene_run_build(&made));
    drift = -nb_world_kinetic_energy(made.world) - nb_world_potential_energy(made.world);
    for (int k = 0; k < steps; k++) CHECK_OK(nb_scene_run_advance(&made, NULL, 1, NULL, row));
    drift += nb_world_kinetic_energy(made.world) + nb_world_potential_energy(made.world);
    nb_scene_run_clear(&made);
    nb_free(request.info.parameters);
    return drift;
}

/* The measure of the IFToMM's benchmarks: loops of redundant joints lose energy by the integrator's order. sdirk2 comes
 * to the first alone with joints (core/formulation.md). */
TEST(loops_drift_by_the_order) {
    static const struct {
        const char *scenario, *settings;
        double most; /* lost by bdf2 at 10 ms [J] */
    } scenes[] = {{"bricard", "", 2e-3}, {"four-bars", "count=2", 1.5e-2}};
    static const struct {
        nb_integrator integrator;
        double ratio;
    } kinds[] = {{NB_INTEGRATOR_BE, 2}, {NB_INTEGRATOR_BDF2, 4}, {NB_INTEGRATOR_TR_BDF2, 4}, {NB_INTEGRATOR_SDIRK2, 2}};
    for (size_t s = 0; s < 2; s++)
        for (size_t i = 0; i < 4; i++) {
            const double coarse = drift_of(scenes[s].scenario, scenes[s].settings, kinds[i].integrator, 50),
                         fine = drift_of(scenes[s].scenario, scenes[s].settings, kinds[i].integrator, 100);
            print_message("%s, %d: %.3g, %.3g J\n", scenes[s].scenario, (int)kinds[i].integrator, coarse, fine);
            CHECK_BELOW(fine, 0);
            CHECK_NEAR(coarse / fine, kinds[i].ratio, 0.1 * kinds[i].ratio);
            if (kinds[i].integrator == NB_INTEGRATOR_BDF2) CHECK_BELOW(-coarse, scenes[s].most);
        }
}

RUN_TESTS(falls_are_exact, springs_are_of_their_order, a_free_top_is_of_its_order, a_heavy_top_is_of_its_order,
          a_pendulum_is_of_its_order, loops_drift_by_the_order, what_is_prescribed_stays_on_its_way,
          a_step_goes_on_from_what_was_saved)
