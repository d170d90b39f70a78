/* The linearised time steps from the request to the record: drift, recovery, restitution and gaps that are known, by
 * every method, and what is refused. Known values: Anitescu, Hart, ICIAM 2003, and Tasora, Anitescu 2009, worked out.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "check.h"
#include "constraint/step_rate.h"
#include "model/drive.h"
#include "registry.h"
#include "run/setting_effect.h"
#include "scenario_run.h"
#include "table/recheck.h"

NB_PRECISIONS(f64);

static nb_request request_of(const char *scenario, const char *settings, int steps, nb_stepping_scheme scheme) {
    nb_request request = request_of_scenario(scenario, settings, steps, 1e-10);
    request.scene.stepping.scheme = scheme;
    return request;
}

static void take_method(nb_request *request, const char *method) {
    strcpy(request->info.method, method);
    *request->info.linear_solver = '\0';
    request->info.newton_iterations = 20000;
    request->info.newton_tolerance = 1e-9;
}

static double most(const nb_run *run, int column, int32_t from) {
    double largest = -INFINITY;
    for (int32_t s = from; s < run->step_count; s++)
        largest = fmax(largest, run->steps[(ptrdiff_t)s * NB_STEP_COLUMNS + column]);
    return largest;
}

/* ---- joints ---- */

/* (|q|^2 - L^2)/2 is h^2 |v|^2/2 with K = 1, but for the square of the error before, and adds up without it: after 50 s
 * 9.81e-4 at most, and 1.42. The ratio is of the order of the number of steps. */
TEST(a_rod_drifts_as_known) {
    double error[2];
    for (int k = 0; k < 2; k++) {
        nb_request request = request_of("pendulum", "", 5000, NB_STEPPING_ANITESCU_HART);
        take_method(&request, "psor");
        request.scene.stepping.stabilization = k;
        nb_run *done = run(&request);
        assert_int_equal(failures(done, 1), 0);
        double length = 1 + most(done, NB_STEP_INFEASIBILITY, 0);
        error[k] = 0.5 * (length * length - 1);
        nb_run_destroy(done);
    }
    CHECK_NEAR(error[1], 9.81e-4, 0.01e-4);
    CHECK_NEAR(error[0], 1.42, 0.01);
}

/* What an ellipse that rocks on a table sinks into it, after 20 s: of second order in h with K = 1, of first order
 * where the errors of all steps add up. */
TEST(an_ellipse_sinks_in_as_known) {
    static const double known[2][2] = {{0.154, 0.0815}, {1.32e-4, 3.26e-5}};
    for (int k = 0; k < 4; k++) {
        const int own = k / 2, steps = k % 2 ? 4000 : 2000;
        nb_request request = request_of("ellipse", "", steps, NB_STEPPING_ANITESCU_HART);
        take_method(&request, "interior-point");
        request.info.time_step = 20.0 / steps;
        request.scene.stepping.stabilization = own;
        if (!own) request.scene.stepping.active_set = 0;
        nb_run *done = run(&request);
        CHECK_NEAR(most(done, NB_STEP_INFEASIBILITY, steps / 2), known[own][k % 2], 4e-3 * known[own][k % 2]);
        nb_run_destroy(done);
    }
}

TEST(every_method_makes_the_same_steps) {
    const nb_method_class *method;
    uint64_t seed = test_seed();
    for (int i = 0; (method = nb_method_at(i)) != NULL; i++)
        for (int k = 0; k < 6; k++) {
            char settings[96];
            if (method->finds_contacts || method->springs || method->gives_way)
                continue; /* these know nothing that is linearised */
            snprintf(settings, sizeof settings, "length=%.9g angle=%.9g", test_random(&seed, 0.3, 3),
                     test_random(&seed, 0.3, 2.5));
            nb_request request =
                request_of("pendulum", settings, 60, k % 2 ? NB_STEPPING_TASORA : NB_STEPPING_ANITESCU_HART);
            take_method(&request, method->name);
            while (method->friction_laws && !(method->friction_laws >> request.scene.friction_law & 1))
                request.scene.friction_law++;
            request.info.time_step = test_random(&seed, 0.002, 0.03);
            if (k > 1) request.scene.stepping.stabilization = test_random(&seed, 0, 1);
            if (k > 3) request.scene.stepping.recovery_speed = test_random(&seed, 0, 0.02);
            nb_run *done = run(&request);
            nb_checks checks;
            int recomputed;
            if (failures(done, 1) != 0) fail_msg("%s: %s", method->name, done->info.parameters);
            CHECK_OK(nb_run_recheck(done, &checks, &recomputed));
            assert_int_equal(checks.count, done->checks.count);
            for (int c = 0; c < checks.count; c++) assert_int_equal(checks.items[c].passed, 1);
            assert_string_equal(done->info.geometry, "frozen");
            nb_run_destroy(done);
        }
}

/* K (C/h + s') - s' of a motor that does not give way, C against what it held at the start of the step */
TEST(what_is_driven_has_its_rate) {
    nb_world *world;
    int32_t body, motor;
    const double h = 0.01, at = 0.3, target = 0.34, rate = 5;
    const nb_body one = {.kind = NB_BODY_DYNAMIC,
                         .mass = 1,
                         .inertia = nb_vec3_of(1, 1, 1),
                         .orientation = nb_quat_identity(),
                         .shape = -1};
    CHECK_OK(nb_world_create(&world));
    CHECK_OK(nb_world_add_body(world, &one, &body));
    CHECK_OK(nb_world_add_motor(world, NB_JOINT_REVOLUTE, 0, -1, nb_vec3_of(0, 0, 0), nb_quat_identity(), INFINITY, 0,
                                &motor));
    world->bodies[0].orientation = nb_quat_about(nb_vec3_of(1, 0, 0), at);
    world->motors[0].target = target;
    world->motors[0].rate = rate;
    nb_world_begin_step(world, h);
    nb_joint_row rows[NB_JOINT_MAX_ROWS];
    assert_int_equal(nb_joint_evaluate(&world->joints[0], world->bodies[0].position, world->bodies[0].orientation,
                                       nb_vec3_of(0, 0, 0), nb_quat_identity(), rows),
                     6);
    const nb_joint_row *row = &rows[NB_MOTOR_ROW_ABOUT];
    CHECK_NEAR(row->value, at - target, 1e-15);
    CHECK_NEAR(row->compliance, 0, 0);
    for (int k = 0; k <= 4; k++) {
        double own = 0.25 * k;
        world->settings.stepping = nb_time_stepping_of(NB_STEPPING_TASORA);
        world->settings.stepping.stabilization = own;
        CHECK_NEAR(nb_joint_rate(world, 0, NB_MOTOR_ROW_ABOUT, row->value, 0, h),
                   own * (at - target + h * rate) / h - rate, 1e-12);
        CHECK_NEAR(nb_joint_rate(world, 0, 0, 0.002, 0, h), own * 0.2, 1e-12);
        CHECK_NEAR(nb_joint_rate(world, 0, 0, 0.002, 1e-6, h), 0.2, 1e-12); /* a force */
        world->settings.stepping.recovery_speed = 0.1;
        CHECK_NEAR(nb_joint_rate(world, 0, 0, -0.002, 0, h), fmax(-own * 0.2, -0.1), 1e-12);
    }
    world->settings.stepping = nb_time_stepping_of(NB_STEPPING_IMPLICIT);
    CHECK_NEAR(nb_joint_rate(world, 0, NB_MOTOR_ROW_ABOUT, row->value, 0, h), (at - target) / h, 1e-12);
    nb_world_destroy(world);
}

/* ---- contacts ---- */

/* A disk that falls parts with e times the speed at which it came, whatever K is, and stays on the table without
 * restitution. With e = 1 it comes back to where it fell from, but for what a step at the top leaves, g h^2. */
TEST(a_disk_bounces) {
    const double g = 9.81, h = 0.01, height = 1.3, stabilization[] = {NAN, NAN, 0, 0.9};
    for (int k = 0; k < 10; k++) {
        const int own = k < 4 ? 0 : k % 3 + 1; /* anitescu-hart; tasora with 0, 0.9 and its own K */
        const double e = k < 4 ? k / 3.0 : k / 9.0;
        nb_request request = request_of("ellipse", "long=1 short=1 height=1.3 spin=0", 90,
                                        own ? NB_STEPPING_TASORA : NB_STEPPING_ANITESCU_HART);
        request.info.time_step = h;
        request.scene.stepping.stabilization = stabilization[own];
        request.scene.stepping.restitution = e;
        nb_run *done = run(&request);
        double z = height, v = 0, peak = 0;
        for (int s = 0; s < 90; s++) {
            double gap = z - 0.5, free = v - h * g, bound = -gap / h;
            if (e > 0 && v < 0 && gap + h * free <= 0) bound = fmax(bound, -e * v);
            v = fmax(free, bound);
            z += h * v;
            if (v > 0) peak = fmax(peak, z);
            CHECK_NEAR(done->steps[(ptrdiff_t)s * NB_STEP_COLUMNS + NB_STEP_KINETIC_ENERGY], 0.5 * v * v, 1e-6);
        }
        CHECK_NEAR(done->final.q[7 + 2], z, 1e-7);
        assert_true(e == 0 ? fabs(z - 0.5) < 1e-7 : z > 0.5);
        if (e == 1) CHECK_NEAR(peak, height, g * h * h);
        nb_run_destroy(done);
    }
}

/* disks that begin deeper in each other than the thickness that they are to keep are parted at K D/h, or more slowly */
TEST(what_is_too_close_is_parted) {
    const double h = 0.01, thickness = 2e-3;
    for (int k = 0; k < 4; k++) {
        const double own = k < 2 ? 1 : 0.3, speed = k % 2 ? 0.05 : INFINITY;
        nb_request request = request_of("ellipse", "long=1 short=1 height=0.5 spin=0", 1, NB_STEPPING_TASORA);
        request.info.time_step = h;
        request.scene.contact_thickness = thickness;
        request.scene.stepping.stabilization = own;
        if (isfinite(speed)) request.scene.stepping.recovery_speed = speed;
        nb_run *done = run(&request);
        CHECK_NEAR(done->final.u[6 + 2], fmin(own * thickness / h, speed), 1e-9);
        CHECK_NEAR(done->final.gap[0], h * done->final.u[6 + 2] - thickness, 1e-11);
        CHECK_NEAR(done->steps[NB_STEP_MAX_PENETRATION], fmax(0, thickness - h * done->final.u[6 + 2]), 1e-11);
        nb_run_destroy(done);
    }
}

/* On a slope of the angle of friction a block slides on at its speed, by the relaxed law on a gap of h mu v/K. */
TEST(a_block_slides_on_its_gap) {
    static const char *const methods[] = {"newton", "interior-point", "psor", "pssor", "apgd"};
    const double h = 0.005, mu = 0.3;
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++)
        for (int k = 1; k <= 3; k++) {
            const double own = k / 3.0;
            char settings[96];
            snprintf(settings, sizeof settings, "mu=%.17g angle=%.17g speed=2", mu, atan(mu));
            nb_request request = request_of("incline", settings, 60, NB_STEPPING_TASORA);
            take_method(&request, methods[m]);
            request.info.time_step = h;
            request.scene.friction_law = NB_FRICTION_RELAXED;
            request.scene.stepping.stabilization = own;
            nb_run *done = run(&request);
            const double *u = done->final.u + 6, speed = cos(atan(mu)) * u[0] - sin(atan(mu)) * u[2];
            assert_true(speed > 1.5);
            assert_int_equal(done->final.contacts, 4);
            for (int c = 0; c < 4; c++) CHECK_NEAR(done->final.gap[c], h * mu * speed / own, 1e-7);
            nb_run_destroy(done);
        }
}

/* contacts with larger gaps are left out, and those up to there are found */
TEST(the_active_set_is_by_distance) {
    for (int k = 0; k < 2; k++) {
        nb_request request =
            request_of("granular", "count=8 opening=0 spacing=0.1 jitter=0", 1, NB_STEPPING_ANITESCU_HART);
        request.info.time_step = 1e-5;
        request.scene.stepping.active_set =
            k ? 0.0011 : 0.0009; /* gaps of half of 0.001 to floor and walls, of 0.001 between */
        nb_run *done = run(&request);
        assert_int_equal(done->final.contacts, k ? 32 : 20);
        nb_run_destroy(done);
    }
}

/* ---- the same steps elsewhere ---- */

TEST(devices_make_the_same_steps) {
    double q[2][3];
    for (int k = 0; k < 2; k++) {
        nb_request request = request_of("pendulum", "", 50, NB_STEPPING_TASORA);
        strcpy(request.info.linear_solver, "pcr");
        request.scene.stepping.stabilization = 0.7;
        request.info.newton_iterations = 20;
        request.info.newton_tolerance = 0;
        if (k) {
            strcpy(request.info.device, "emulated");
            request.info.whole_steps = 1;
        }
        nb_run *done = run(&request);
        assert_int_equal(failures(done, 1), 0);
        memcpy(q[k], done->final.q, sizeof q[k]);
        nb_run_destroy(done);
    }
    for (int i = 0; i < 3; i++) CHECK_NEAR(q[0][i], q[1][i], 1e-9);
}

/* the step that has the solution of an implicit one with frozen geometry is that one */
TEST(with_all_taken_back_it_is_the_frozen_step) {
    nb_run *done[2];
    for (int k = 0; k < 2; k++) {
        nb_request request =
            request_of("piling", "count=8 shape=box", 40, k ? NB_STEPPING_ANITESCU_HART : NB_STEPPING_IMPLICIT);
        take_method(&request, "interior-point");
        strcpy(request.info.geometry, "frozen");
        done[k] = run(&request);
        assert_true(done[k]->final.contacts > 8);
    }
    assert_memory_equal(done[0]->final.q, done[1]->final.q, (size_t)done[0]->final.bodies * 7 * sizeof(double));
    assert_true(done[0]->steps[NB_STEP_INFEASIBILITY] == done[1]->steps[NB_STEP_INFEASIBILITY]);
    for (int k = 0; k < 2; k++) nb_run_destroy(done[k]);
}

TEST(what_does_not_fit_is_refused) {
    nb_request request = request_of("incline", "", 1, NB_STEPPING_IMPLICIT);
    request.scene.stepping.restitution = 0.5;
    CHECK_OK(nb_simulate_prepare(&request));
    assert_false(nb_request_uses(&request, "restitution"));
    nb_free(request.info.parameters);
    request = request_of("cantilever", "", 1, NB_STEPPING_TASORA);
    CHECK_OK(nb_simulate_prepare(&request));
    nb_run *none;
    CHECK_FAULT(nb_simulate(&request, NULL, NULL, &none), NB_ERROR_UNSUPPORTED, "particles");
    nb_run_destroy(none);
    nb_free(request.info.parameters);
}

RUN_TESTS(a_rod_drifts_as_known, an_ellipse_sinks_in_as_known, every_method_makes_the_same_steps,
          what_is_driven_has_its_rate, a_disk_bounces, what_is_too_close_is_parted, a_block_slides_on_its_gap,
          the_active_set_is_by_distance, devices_make_the_same_steps, with_all_taken_back_it_is_the_frozen_step,
          what_does_not_fit_is_refused)
