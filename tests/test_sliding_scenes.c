/* Scenes whose friction has a closed form, step by step: a box that sticks and slips on a belt, a block under a load
 * that grows, one between two walls, and blocks in a bowl. */
#include <string.h>

#include "base/memory.h"
#include "check.h"
#include "constraint/smoothed_friction.h"
#include "model/drive.h"
#include "run/resolve.h"
#include "run/simulate.h"
#include "scenario_run.h"
#include "step/stepper.h"

NB_PRECISIONS(f64);

static const double gravity = 9.81;
static const nb_stepper_class *const type = &nb_stepper_f64;

/* the world of a scenario, and a method at work in it */
typedef struct scene {
    nb_request request;
    nb_world *world;
    nb_contacts *contacts;
    nb_measure *measure;
    void *stepper;
    nb_step_outcome outcome;
    double lag; /* [N] of the last report */
} scene;

static nb_status hear(void *context, const nb_newton_report *report) {
    scene *s = context;
    const nb_method_class *method = s->request.choices.method;
    for (int i = 0; i < method->column_count; i++)
        if (strcmp(method->columns[i].name, "friction_lag") == 0) s->lag = report->values[i];
    return NB_OK;
}

/* parameters of the scenario and options of the method, "name=value ..." */
static void open_scene(const char *scenario, const char *method, const char *settings, const char *options, scene *s) {
    memset(s, 0, sizeof *s);
    s->request = request_of_scenario(scenario, settings, 1, strcmp(method, "smoothed") == 0 ? 0 : 1e-10);
    strcpy(s->request.info.method, method);
    *s->request.info.linear_solver = '\0';
    s->request.info.newton_iterations = 200;
    set_options(options, &s->request);
    CHECK_OK(nb_simulate_prepare(&s->request));
    const nb_method_settings how = nb_request_settings(&s->request);
    CHECK_OK(type->create(method, &how, &s->stepper));
    CHECK_OK(nb_contacts_create(&s->contacts));
    CHECK_OK(nb_measure_create(&s->measure));
    CHECK_OK(s->request.choices.scenario->build(s->request.choices.parameters, 1, &s->world));
}

static void close_scene(scene *s) {
    type->destroy(s->stepper);
    nb_measure_destroy(s->measure);
    nb_contacts_destroy(s->contacts);
    nb_world_destroy(s->world);
    nb_free(s->request.info.parameters);
}

static void step(scene *s, double h) {
    nb_step_counts counts;
    const nb_observer observer = {.context = s, .newton = hear};
    nb_world_begin_step(s->world, h);
    CHECK_OK(nb_contacts_detect(s->world, h, s->contacts));
    CHECK_OK(type->begin(s->stepper, s->world, s->contacts, h, NB_GEOMETRY_JOINTS));
    CHECK_OK(nb_measure_begin(s->measure, s->world, s->contacts, h, NB_GEOMETRY_JOINTS));
    CHECK_OK(type->step(s->stepper, s->world, s->contacts, h, 1, s->measure, &observer, &s->outcome, &counts, NULL));
    if (!nb_reason_converged(s->outcome.reason))
        fail_msg("a step ends by %s after %d iterations", nb_reason_name(s->outcome.reason),
                 (int)s->outcome.newton_iterations);
}

/* ---- stick-slip ---- */

/* from one greatest pull of the spring to the next */
typedef struct cycle {
    double period, slip; /* [s]; slip: while slower than the belt by more than it is while it sticks */
    double least, most;  /* pull [N] */
    double fastest;      /* slip [m/s] */
} cycle;

/* `static_mu` > 0: the coefficient of friction between rigid contacts while the box sticks, that of the scene is while
 * it slips */
static cycle cycle_of(const char *method, const char *options, double static_mu, double h, double sticks) {
    scene s;
    cycle c = {0, 0, INFINITY, 0, 0};
    double before = 0, turned = 0;
    open_scene("stick-slip", method, "", options, &s);
    nb_body *belt = &s.world->bodies[0], *box = &s.world->bodies[1];
    for (int n = 1, turns = 0; turns < 2; n++) {
        if (static_mu > 0) belt->friction = box->friction = 0.1 - box->linear_velocity.x > sticks ? 0.4 : static_mu;
        step(&s, h);
        const double v = box->linear_velocity.x, slip = 0.1 - v, pull = 100 * box->position.x;
        if (before > 0 && v <= 0) { /* at the greatest pull */
            const double at = n * h - h * v / (v - before);
            c.period = at - turned;
            turned = at;
            turns++;
        }
        if (turns == 1) {
            c.slip += h * (slip > sticks);
            c.least = fmin(c.least, pull);
            c.most = fmax(c.most, pull);
            c.fastest = fmax(c.fastest, slip);
        }
        before = v;
        assert_true(n * h < 3);
    }
    close_scene(&s);
    return c;
}

/* Where friction falls at once, by rigid contacts whose coefficient is changed from step to step. A slip begins and
 * ends with a step, and backward Euler damps it: h each, and as much again to spare. */
TEST(box_sticks_and_slips_as_known) {
    const double h = 5e-4, k = 100, speed = 0.1, more = 0.2 * gravity, w = 10, pi = acos(-1);
    const double stick = 2 * more / (k * speed), slip = 2 * (pi - atan(more / (speed * w))) / w;
    CHECK_NEAR(stick, 0.392400, 5e-7);
    CHECK_NEAR(slip, 0.408432, 5e-7);
    const cycle c = cycle_of("interior-point", "", 0.6, h, 1e-6);
    CHECK_NEAR(c.period, stick + slip, 4 * h);
    CHECK_NEAR(c.slip, slip, 4 * h);
    CHECK_NEAR(c.fastest, speed + hypot(speed, more / w), 1e-3); /* 0.320215 m/s */
    CHECK_NEAR(c.most, 0.4 * gravity + hypot(more, w * speed), 1e-2);
    CHECK_NEAR(c.most + c.least, 2 * 0.4 * gravity, 2e-2);
}

/* As it falls within v_s = 10 eps the period is that of the smooth equation, to which the scene's come as h does; the
 * values are of an implicit Runge-Kutta method with tolerance 1e-8. The box sticks as by .9722 of what static friction
 * has more, the peak of the curve. */
TEST(box_slips_by_the_smoothed_law) {
    static const struct {
        const char *options;
        double period, fastest, h;
    } smoothed[] = {
        {"static-mu=0.6 friction-tolerance=1e-3 stribeck-velocity=1e-2", 0.817765, 0.328540, 5e-4},
        {"static-mu=0.6 friction-tolerance=1e-4 stribeck-velocity=1e-3", 0.797260, 0.318106, 2e-4},
    };
    for (int i = 0; i < 2; i++) {
        const double h = smoothed[i].h;
        const cycle coarse = cycle_of("smoothed", smoothed[i].options, 0, h, 0.01),
                    fine = cycle_of("smoothed", smoothed[i].options, 0, h / 2, 0.01);
        print_message("period %.6f, %.6f; slip at most %.6f, %.6f m/s\n", coarse.period, fine.period, coarse.fastest,
                      fine.fastest);
        assert_true(fabs(fine.period - smoothed[i].period) < fabs(coarse.period - smoothed[i].period));
        CHECK_NEAR(2 * fine.period - coarse.period, smoothed[i].period, 2e-4);
        CHECK_NEAR(2 * fine.fastest - coarse.fastest, smoothed[i].fastest, 2e-4);
    }
}

/* With one coefficient the motion has a closed form, which rigid contacts follow; what static friction holds is beyond
 * the cone. */
TEST(checks_know_the_motion_on_the_belt) {
    static const char *const settings[] = {"", "gap=0", "mass=3 stiffness=500 speed=0.3 mu=0.2 gap=0.002", "speed=0"};
    for (size_t i = 0; i < 2 * sizeof settings / sizeof *settings; i++) {
        nb_request request = request_of_scenario("stick-slip", settings[i / 2], 120, 1e-10);
        request.info.time_step = 0.01;
        request.info.newton_iterations = 1000;
        *request.info.linear_solver = '\0';
        strcpy(request.info.method, i % 2 ? "psor" : "interior-point");
        nb_run *done = run(&request);
        assert_int_equal(failures(done, 1), 0);
        for (int k = 0; k < done->checks.count; k++) /* a belt may add energy */
            if (strcmp(done->checks.items[k].name, "energy from nothing") != 0)
                assert_string_equal(done->checks.items[k].premise, "");
        nb_run_destroy(done);
    }
    nb_request standard;
    nb_request_standard(&standard);
    strcpy(standard.info.scenario, "stick-slip");
    standard.info.steps = 450; /* sticks */
    nb_run *done = run(&standard);
    assert_string_equal(done->info.method, "smoothed");
    assert_int_equal(failures(done, 1), 0);
    int beyond = 0;
    for (int k = 0; k < done->checks.count; k++)
        beyond += strcmp(done->checks.items[k].premise, "friction has one coefficient") == 0 &&
                  done->checks.items[k].actual > 1e-3;
    assert_int_equal(beyond, 1);
    nb_run_destroy(done);
}

/* ---- load-ramp ---- */

/* how many checks fail of a run that ends at 2.4 tau, by then with eleven times the load */
static int failed_on_ramp(const char *method, const char *settings, const char *coupling, double h, double tau) {
    nb_request request = request_of_scenario("load-ramp", settings, (int)(2.4 * tau / h), 0);
    const int smoothed = strcmp(method, "smoothed") == 0;
    strcpy(request.info.method, method);
    *request.info.linear_solver = '\0';
    request.info.time_step = h;
    request.info.newton_tolerance = smoothed ? 0 : 1e-10;
    request.info.newton_iterations = smoothed ? 200 : 2000;
    if (smoothed) CHECK_OK(nb_request_set_option(&request, "friction-coupling", coupling));
    nb_run *done = run(&request);
    const int failed = failures(done, 0);
    if (failed) CHECK_BELOW(2e-3, done->final.u[6]); /* it slips, not creeps */
    nb_run_destroy(done);
    return failed;
}

/* Lagged friction slips at steps above tau ln(1/r), sharp to 2 %; implicit friction and rigid contacts hold at all. */
TEST(load_slips_at_its_step) {
    static const struct {
        const char *settings;
        double tau, r;
    } ramps[] = {{"", 0.5, 0.9}, {"growth-time=2 share=0.8 mass=5 mu=0.7", 2, 0.8}};
    static const double ratio[] = {0.98, 1.02, 3};
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 3; k++) {
            const double h = ratio[k] * ramps[i].tau * log(1 / ramps[i].r);
            assert_int_equal(failed_on_ramp("smoothed", ramps[i].settings, "lagged", h, ramps[i].tau), k > 0);
            assert_int_equal(failed_on_ramp("smoothed", ramps[i].settings, "implicit", h, ramps[i].tau), 0);
            assert_int_equal(failed_on_ramp("interior-point", ramps[i].settings, "", h, ramps[i].tau), 0);
            assert_int_equal(failed_on_ramp("psor", ramps[i].settings, "", h, ramps[i].tau), 0);
        }
    assert_int_equal(failed_on_ramp("interior-point", "share=1.2 gap=0.01", "", 0.02, 0.5),
                     0); /* slides all the time */
}

/* ---- wedge ---- */

/* One step, by so many passes of lagged friction; 0: implicit. The normal force of a wall; the factor by which passes
 * change there, if asked for: mu h^2 K |A^-1_nt|/(1 + h^2 K A^-1_nn), with A = m along the vertical and K the stiffness
 * of all contacts. */
static double force_of_wall(double lean, double friction, double h, int passes, double *factor) {
    char text[128];
    snprintf(text, sizeof text, "lean=%.17g mu=%.17g", lean, friction);
    nb_request request = request_of_scenario("wedge", text, 1, 0);
    strcpy(request.info.method, "smoothed");
    *request.info.linear_solver = '\0';
    request.info.newton_iterations = 2000;
    request.info.time_step = h;
    if (passes > 0) {
        snprintf(text, sizeof text, "%d", passes);
        CHECK_OK(nb_request_set_option(&request, "friction-coupling", "lagged"));
        CHECK_OK(nb_request_set_option(&request, "friction-iterations", text));
        CHECK_OK(nb_request_set_option(&request, "lag-tolerance", "0")); /* all passes are wanted */
    }
    nb_run *done = run(&request);
    double force = 0, slope = 0;
    const nb_smoothed_friction law = {
        .stiffness =
            nb_run_newton_number(done, done->newton_start[1] - 1, nb_run_newton_column(done, "contact_stiffness")),
        .contact_tolerance = 1e-3,
        .sliding_tolerance = 1e-3};
    for (int i = 0; i < done->final.contacts; i++) {
        force += 0.5 * done->final.lambda_normal[i];
        slope -= nb_penalty_slope(&law, done->final.gap[i]);
    }
    if (factor) {
        const double n = sin(lean), t = cos(lean), stiff = h * h * slope;
        *factor = friction * stiff * n * t / (1 + stiff * n * n);
        assert_int_equal(failures(done, 1), 0);
        assert_true(done->final.u[14] * t < -1e-3); /* slides at more than eps */
    }
    nb_run_destroy(done);
    return force;
}

/* Passes come to the implicit solution by the factor, and beyond 1 they do not: a step that is "converged" then has the
 * force of a wall without friction, or none. */
TEST(passes_part_in_a_wedge) {
    static const struct {
        double lean, mu, h;
    } slots[] = {{0.3, 0.15, 0.5}, {0.3, 0.25, 0.1}, {0.6, 0.4, 0.05}, {0.3, 0.5, 0.5}, {0.1, 0.3, 0.1}};
    for (size_t i = 0; i < sizeof slots / sizeof *slots; i++) {
        const double lean = slots[i].lean, friction = slots[i].mu, h = slots[i].h;
        double factor, off[2];
        const double exact = force_of_wall(lean, friction, h, 0, &factor);
        for (int k = 0; k < 2; k++) off[k] = force_of_wall(lean, friction, h, 9 + k, NULL) - exact;
        print_message("lean %g, mu %g, h %g: %.4f N; factor %.4f, seen %.4f; off by %.3g N after 10 passes\n", lean,
                      friction, h, exact, factor, off[1] / off[0], off[1]);
        if (factor < 1)
            CHECK_NEAR(off[1] / off[0], -factor, 0.02 * factor);
        else
            CHECK_BELOW(0.9 * exact, fmin(fabs(off[0]), fabs(off[1])));
    }
    const double weight = gravity, one = force_of_wall(0.3, 0.5, 0.5, 1, NULL);
    CHECK_NEAR(one, weight / (2 * sin(0.3)), 5e-3 * one);
    CHECK_NEAR(force_of_wall(0.3, 0.5, 0.5, 0, NULL), weight / (2 * (sin(0.3) + 0.5 * cos(0.3))), 5e-3 * one);
}

/* ---- bowl ---- */

/* how far a block slides in .75 s, and how many checks fail; coupling NULL: by rigid contacts, whose way is known */
static double way_in_bowl(const char *settings, const char *coupling, double h, int *failed) {
    nb_request request = request_of_scenario("bowl", settings, (int)(0.75 / h + 0.5), coupling ? 0 : 1e-10);
    strcpy(request.info.method, coupling ? "smoothed" : "interior-point");
    *request.info.linear_solver = '\0';
    request.info.time_step = h;
    request.info.newton_iterations = 200;
    if (coupling) CHECK_OK(nb_request_set_option(&request, "friction-coupling", coupling));
    nb_run *done = run(&request);
    const nb_check *way = &done->checks.items[done->checks.count - 2];
    assert_non_null(strstr(way->name, "way down the wall"));
    *failed = failures(done, coupling == NULL);
    if (!coupling) CHECK_NEAR(way->actual, way->expected, 1e-7 + 1e-6 * way->expected);
    const double actual = way->actual;
    nb_run_destroy(done);
    return actual;
}

/* Blocks creep alike with implicit friction at every step, and slip with lagged friction, the farther the longer the
 * step. */
TEST(lagged_friction_slips_in_a_bowl) {
    static const char *const settings[] = {"", "share=1.03", "shake=0.9 frequency=2 mu=0.4 mass=3", "share=1.2 gap=0"};
    int failed;
    double before = INFINITY;
    for (double h = 0.01; h > 0.002; h /= 2) {
        const double implicit = way_in_bowl("", "implicit", h, &failed);
        assert_int_equal(failed, 0);
        CHECK_NEAR(implicit, 6.5e-4, 2e-5); /* creep, eps (1 - sqrt(1 - r)) 0.75 s = 6.44e-4 m */
        const double lagged = way_in_bowl("", "lagged", h, &failed);
        print_message("h %g: %.3g m implicit, %.3g m lagged\n", h, implicit, lagged);
        assert_true(failed > 0 || h < 0.005);
        CHECK_BELOW(2 * implicit, lagged);
        CHECK_BELOW(lagged, before / 2);
        before = lagged;
    }
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        way_in_bowl(settings[i], NULL, 0.01, &failed);
        assert_int_equal(failed, 0);
    }
}

/* A cube of 0.1 m at 6 m/s with mu 0.5 and steps of 5 ms stops after 3.6547 m and never leaves the ground; the relaxed
 * law launches it, in the first step by h mu v+ = 11.95 mm, v+ = (v - mu h g)/(1 + mu^2). A block on a slope of tan 0.5
 * with mu 0.4 goes 1.75487 m in 2 s, and a h t/2 more. */
TEST(published_values_of_friction) {
    static const struct {
        const char *settings;
        nb_friction_law law;
        int steps;
        double way, lift, tolerance; /* of all steps [m] */
    } known[] = {
        {"angle=0 speed=6 length=0.1 height=1 mu=0.5", NB_FRICTION_COULOMB, 300, 3.6547, 0, 5e-5},
        {"angle=0 speed=6 length=0.1 height=1 mu=0.5", NB_FRICTION_RELAXED, 1, 0.0239019, 0.01195095, 5e-8},
        {"angle=0.4636476090008061 mu=0.4", NB_FRICTION_COULOMB, 400, 1.75487 + 0.87743 * 0.005, 0, 5e-6},
    };
    for (int i = 0; i < 3; i++) {
        nb_request request = request_of_scenario("incline", known[i].settings, known[i].steps, 1e-10);
        request.info.time_step = 0.005;
        request.scene.friction_law = known[i].law;
        nb_run *done = run(&request);
        const double *q = done->final.q + 7; /* of the block */
        const double down = request.info.steps == 400 ? 0.4636476090008061 : 0;
        const double way = q[0] * cos(down) - q[2] * sin(down);
        assert_true(fabs(way - known[i].way) < known[i].tolerance);
        if (down == 0) assert_true(fabs(q[2] - 0.05 - known[i].lift) < known[i].tolerance);
        nb_run_destroy(done);
    }
}

/* springs may carry what rigid contacts let fall: no run is too short for the checks */
TEST(checks_hold_from_the_first_step) {
    static const char *const scenarios[] = {"load-ramp", "bowl", "wedge", "stick-slip"};
    for (int i = 0; i < 4; i++)
        for (int steps = 1; steps <= 32; steps *= 2) {
            nb_request request;
            nb_request_standard(&request);
            strcpy(request.info.scenario, scenarios[i]);
            request.info.steps = steps;
            request.info.time_step = 1e-3;
            nb_run *done = run(&request);
            assert_int_equal(failures(done, 1), 0);
            nb_run_destroy(done);
        }
}

RUN_TESTS(box_sticks_and_slips_as_known, box_slips_by_the_smoothed_law, checks_know_the_motion_on_the_belt,
          load_slips_at_its_step, passes_part_in_a_wedge, lagged_friction_slips_in_a_bowl, published_values_of_friction,
          checks_hold_from_the_first_step)
