/* The checks themselves: states that are right pass, and every way of spoiling them is found. */
#include "check.h"

#include <string.h>

#include "base/memory.h"
#include "measure/momentum.h"
#include "run/resolve.h"
#include "run/run_checks.h"
#include "run/simulate.h"
#include "scenario_run.h"
#include "step/stepper.h"

/* ---- one check ---- */

TEST(bounds_are_held_and_nan_never_passes) {
    nb_checks checks = {0};
    nb_checks_add(&checks, "near", "N", 1.5, 1, 0.5);
    nb_checks_add(&checks, "far", "N", 1.6, 1, 0.5);
    nb_checks_add(&checks, "nan", "N", NAN, 1, 0.5);
    nb_checks_add(&checks, "unknown", "N", 1, NAN, 0.5);
    nb_checks_add(&checks, "boundless", "N", 1, 1, NAN);
    nb_checks_add_below(&checks, "below", "m", -7, 0);
    nb_checks_add_below(&checks, "above", "m", 1e-9, 0);
    nb_checks_add_below(&checks, "nan", "m", NAN, 1);
    static const int passed[] = {1, 0, 0, 0, 0, 1, 0, 0};
    assert_int_equal(checks.count, 8);
    for (int i = 0; i < 8; i++) assert_int_equal(checks.items[i].passed, passed[i]);
    assert_string_equal(checks.items[0].name, "near");
    assert_string_equal(checks.items[5].units, "m");
    for (int i = 0; i < NB_CHECK_MAX; i++) nb_checks_add_below(&checks, "one more", "1", 0, 1);
    assert_int_equal(checks.count, NB_CHECK_MAX); /* full: the rest is left out, nothing is overwritten */
}

/* what does not apply says the premise that was missing first, and has not failed; others are as they were */
TEST(premises_that_do_not_hold_are_told) {
    nb_checks checks = {0};
    nb_check *far = nb_checks_add(&checks, "far", "N", 1.6, 1, 0.5),
             *below = nb_checks_add_below(&checks, "b", "m", 1, 0);
    nb_check_presupposes(far, 1, "it rains");
    assert_true(!far->passed && *far->premise == '\0');
    nb_check_presupposes(far, 0, "it snows");
    nb_check_presupposes(far, 0, "it hails");
    assert_string_equal(far->premise, "it snows");
    assert_true(far->passed && !below->passed && *below->premise == '\0');
    nb_check_presupposes(NULL, 0, "there is a check");
    for (int i = 0; i < NB_CHECK_MAX; i++) below = nb_checks_add_below(&checks, "one more", "1", 0, 1);
    assert_null(below);
}

static int failed_of(const nb_checks *checks) {
    int failed = 0;
    for (int i = 0; i < checks->count; i++) failed += !checks->items[i].passed;
    return failed;
}

static int passes(const nb_checks *checks, const char *name) {
    for (int i = 0; i < checks->count; i++)
        if (strcmp(checks->items[i].name, name) == 0) return checks->items[i].passed;
    fail_msg("there is no check '%s'", name);
    return 0;
}

/* ---- a block of 2 kg, 2 m wide and 1 m high, that rests on four corners ---- */

static const double WEIGHT = 2 * 9.81, h = 0.01;

static nb_world *block_on_ground(void) {
    nb_world *world;
    nb_shape *box, *plane;
    int32_t index, body;
    CHECK_OK(nb_world_create(&world));
    CHECK_OK(nb_shape_half_space(&plane));
    CHECK_OK(nb_world_add_shape(world, plane, &index));
    CHECK_OK(nb_world_add_solid(world, NB_BODY_FIXED, index, 0, 0.5, nb_vec3_of(0, 0, 0), nb_quat_identity(), &body));
    CHECK_OK(nb_shape_box(nb_vec3_of(1, 1, 0.5), &box));
    CHECK_OK(nb_world_add_shape(world, box, &index));
    CHECK_OK(
        nb_world_add_solid(world, NB_BODY_DYNAMIC, index, 2, 0.5, nb_vec3_of(0, 0, 0.5), nb_quat_identity(), &body));
    return world;
}

static nb_snapshot resting(const nb_world *world) {
    nb_snapshot s = {.step_count = 1, .time = 0.01, .time_step = 0.01};
    CHECK_OK(nb_snapshot_resize(&s, world->body_count, 0, 4));
    s.time_step = h;
    for (int32_t b = 0; b < 2; b++) {
        nb_vec3 x = world->bodies[b].position;
        const double q[7] = {x.x, x.y, x.z, 1, 0, 0, 0};
        memcpy(s.q + 7 * b, q, sizeof q);
        memcpy(s.q_before + 7 * b, q, sizeof q);
    }
    for (int i = 0; i < 4; i++) {
        s.lambda_normal[i] = WEIGHT / 4;
        s.contact_bodies[2 * i] = 1;
        s.contact_point[3 * i] = i % 2 ? 1 : -1;
        s.contact_point[3 * i + 1] = i / 2 ? 1 : -1;
        s.contact_normal[3 * i + 2] = 1;
        s.contact_tangent[6 * i] = 1;
        s.contact_tangent[6 * i + 4] = 1;
        s.mu[i] = 0.5;
    }
    return s;
}

TEST(general_checks_find_what_is_wrong) {
    static const char *const cone = "friction beyond the cone over a body's weight",
                             *const pull = "pulling normal force over a body's weight",
                             *const gap = "gap of contacts below zero, over the contact margin",
                             *const linear = "momentum defect over a body's weight",
                             *const angular = "angular momentum defect over weight times radius";
    nb_world *world = block_on_ground();
#define SPOILED(change, name)                    \
    do {                                         \
        nb_snapshot s = resting(world);          \
        nb_checks found = {0};                   \
        change;                                  \
        nb_checks_general(world, &s, 0, &found); \
        assert_false(passes(&found, name));      \
        nb_snapshot_clear(&s);                   \
    } while (0)
    nb_snapshot good = resting(world);
    nb_checks checks = {0};
    nb_checks_general(world, &good, 0, &checks);
    assert_int_equal(failed_of(&checks), 0);
    assert_int_equal(checks.count, 7);
    nb_snapshot_clear(&good);
    SPOILED(s.lambda_friction[0] = 0.51 * s.lambda_normal[0], cone);
    SPOILED(s.mu[3] = NAN, cone);
    SPOILED(s.lambda_friction[5] = NAN, cone);
    SPOILED(s.lambda_normal[0] = -0.01, pull);
    SPOILED(s.lambda_normal[0] = NAN, pull);
    SPOILED(s.gap[2] = -0.02 * world->settings.contact_margin, gap);
    SPOILED(s.gap[2] = NAN, gap);
    SPOILED(s.q[7 + 2] -= 0.02 * world->settings.contact_margin, "penetration over the contact margin");
    SPOILED(s.q[7 + 2] = NAN, "penetration over the contact margin");
    SPOILED(s.lambda_normal[1] *= 1.0001, linear);
    SPOILED(s.q[7 + 1] = 1e-4, "motion against velocities");
    SPOILED(s.q[7 + 5] = 1e-4, "motion against velocities");
    SPOILED(s.q[7] = NAN, "motion against velocities");
    SPOILED(s.u[6 + 2] = -1e-5, linear);
    SPOILED(s.u_before[6] = NAN, linear);
    SPOILED(s.contact_point[0] += 1e-3, angular);
    SPOILED((s.lambda_normal[0] += 1e-3, s.lambda_normal[1] -= 1e-3), angular);
    SPOILED(s.u[6 + 4] = 1e-5, angular);
    SPOILED(s.contact_bodies[0] = 2, linear);
    SPOILED(s.bodies = 1, linear);
    SPOILED(s.bilaterals = 1, linear);
#undef SPOILED
    nb_world_destroy(world);
}

/* A free gyroscope keeps its angular momentum; h I^-1 (w x I w) is what a step changes its spin by where that is
 * explicit. */
TEST(momentum_counts_gyroscopic_torque_and_forces) {
    uint64_t seed = 11;
    nb_world *world;
    int32_t index;
    CHECK_OK(nb_world_create(&world));
    nb_body body = {.mass = 3, .inertia = {1, 2, 4}, .shape = -1, .force = {1, -2, 3}, .torque = {0.3, 0.1, -0.7}};
    body.orientation = nb_quat_normalized((nb_quat){test_random(&seed, -1, 1), 0.3, -0.5, 0.2});
    body.angular_velocity = nb_vec3_of(1, -2, 0.5);
    CHECK_OK(nb_world_add_body(world, &body, &index));
    world->settings.gyroscopic = NB_GYROSCOPIC_EXPLICIT;
    nb_snapshot s = {0};
    CHECK_OK(nb_snapshot_resize(&s, 1, 0, 0));
    s.time_step = h;
    const double q[7] = {0, 0, 0, body.orientation.w, body.orientation.x, body.orientation.y, body.orientation.z};
    memcpy(s.q, q, sizeof q);
    memcpy(s.q_before, q, sizeof q);
    /* in the body's frame, where Euler's equations are components */
    nb_quat into = nb_quat_conjugate(body.orientation);
    nb_vec3 w = nb_quat_rotate(into, body.angular_velocity), t = nb_quat_rotate(into, body.torque);
    nb_vec3 after = nb_vec3_of(w.x + h * (t.x - (4 - 2) * w.y * w.z) / 1, w.y + h * (t.y - (1 - 4) * w.z * w.x) / 2,
                               w.z + h * (t.z - (2 - 1) * w.x * w.y) / 4);
    after = nb_quat_rotate(body.orientation, after);
    const double before[6] = {0, 0, 0, 1, -2, 0.5};
    const double u[6] = {h * 1.0 / 3, -h * 2.0 / 3, h * (1 - 9.81), after.x, after.y, after.z};
    memcpy(s.u_before, before, sizeof before);
    memcpy(s.u, u, sizeof u);
    nb_momentum_defect defect;
    CHECK_OK(nb_momentum_balance(world, &s, &defect));
    CHECK_BELOW(defect.linear, 1e-13); /* round-off of velocities of 1, over h */
    CHECK_BELOW(defect.angular, 1e-13);
    s.u[3] += 1e-6;
    CHECK_OK(nb_momentum_balance(world, &s, &defect));
    CHECK_BELOW(1e-6, defect.angular);
    nb_snapshot_clear(&s);
    nb_world_destroy(world);
}

/* Three bodies hang from the world by joints of several kinds, listed against the order of their islands, while others
 * lie on the ground: multipliers still belong to their joints, in every step and after a warm start. */
TEST(multipliers_belong_to_their_joints) {
    static const nb_joint_kind kinds[] = {NB_JOINT_SPHERICAL, NB_JOINT_FIXED, NB_JOINT_REVOLUTE};
    static const double rigid[6] = {0};
    nb_world *world = block_on_ground();
    int32_t hung[3], index;
    for (int i = 0; i < 3; i++) {
        nb_body body = {.mass = 1 + i, .inertia = {1, 2, 3}, .shape = -1, .position = {10 + i, 0, 5}};
        body.orientation = nb_quat_identity();
        CHECK_OK(nb_world_add_body(world, &body, &hung[i]));
    }
    for (int i = 2; i >= 0; i--)
        CHECK_OK(nb_world_add_joint_at(world, kinds[i], i == 1 ? -1 : hung[i], i == 1 ? hung[i] : -1,
                                       nb_vec3_of(10, 1, 5), nb_quat_identity(), rigid, &index));
    nb_request request;
    nb_contacts *contacts;
    nb_measure *measure;
    nb_step_outcome outcome;
    nb_step_counts counts;
    nb_snapshot final = {0};
    void *stepper;
    nb_request_standard(&request);
    strcpy(request.info.scenario, "incline");
    strcpy(request.info.linear_solver, "cholesky");
    request.info.newton_iterations = 60;
    CHECK_OK(nb_simulate_prepare(&request));
    nb_method_settings settings = nb_request_settings(&request);
    CHECK_OK(nb_contacts_create(&contacts));
    CHECK_OK(nb_measure_create(&measure));
    CHECK_OK(nb_stepper_f64.create("newton", &settings, &stepper));
    for (int step = 0; step < 5; step++) {
        nb_momentum_defect defect;
        CHECK_OK(nb_contacts_detect(world, h, contacts));
        CHECK_OK(nb_stepper_f64.begin(stepper, world, contacts, h, NB_GEOMETRY_UPDATED));
        CHECK_OK(nb_measure_begin(measure, world, contacts, h, NB_GEOMETRY_UPDATED));
        CHECK_OK(nb_stepper_f64.step(stepper, world, contacts, h, 1, measure, NULL, &outcome, &counts, &final));
        assert_int_equal(counts.islands, 4);
        CHECK_OK(nb_momentum_balance(world, &final, &defect));
        CHECK_BELOW(defect.linear, 1e-7); /* a step converges to 1e-9 m/s, that is 1e-8 of a weight over h */
        CHECK_BELOW(defect.angular, 1e-7);
    }
    nb_stepper_f64.destroy(stepper);
    nb_measure_destroy(measure);
    nb_contacts_destroy(contacts);
    nb_snapshot_clear(&final);
    nb_free(request.info.parameters);
    nb_world_destroy(world);
}

/* ---- whole scenes: a converged state passes; whatever is changed in it is noticed ---- */

typedef struct scene {
    const nb_scenario_class *scenario;
    double values[64];
    nb_world *initial;
    nb_run *run;
} scene;

static scene converged(const char *name, const char *settings, int frozen) {
    nb_request request;
    scene s = {0};
    nb_request_standard(&request);
    snprintf(request.info.scenario, sizeof request.info.scenario, "%s", name);
    strcpy(request.info.linear_solver, "cholesky");
    if (frozen) strcpy(request.info.geometry, "frozen");
    request.info.steps = 5;
    request.info.newton_iterations = 60;
    request.info.newton_tolerance = 1e-11;
    request.linear_history = 0;
    for (int i = 0; nb_scenarios[i]; i++)
        if (strcmp(nb_scenarios[i]->name, name) == 0) s.scenario = nb_scenarios[i];
    nb_options_standard(s.scenario->parameters, s.scenario->parameter_count, s.values);
    while (*settings) {
        nb_setting *setting = &request.settings[request.setting_count++];
        int used = 0;
        assert_int_equal(sscanf(settings, "%63[^=]=%63s%n", setting->name, setting->value, &used), 2);
        CHECK_OK(nb_options_set(s.scenario->parameters, s.scenario->parameter_count, name, setting->name,
                                setting->value, s.values));
        settings += used;
        settings += *settings == ' ';
    }
    CHECK_OK(nb_simulate_prepare(&request));
    CHECK_OK(s.scenario->build(s.values, request.info.seed, &s.initial));
    CHECK_OK(nb_simulate(&request, NULL, NULL, &s.run));
    nb_free(request.info.parameters);
    return s;
}

static int failed_checks(const scene *s) {
    nb_checks checks = {0};
    nb_checks_general(s->initial, &s->run->final, 0, &checks);
    s->scenario->check(s->values, s->initial, &s->run->final, &checks);
    return failed_of(&checks);
}

TEST(every_spoiled_number_is_noticed) {
    static const struct {
        const char *name, *settings;
        int frozen;
    } scenes[] = {{"heavy-stack", "count=3", 0},
                  {"arch", "count=5", 0},
                  {"arch", "count=5", 1},
                  {"incline", "", 0},
                  {"incline", "mu=1.2", 1},
                  {"wall", "width=2 height=2", 0},
                  {"beam", "count=3", 0},
                  {"beam", "count=3 insertion-speed=2", 1},
                  {"piling", "count=3 shape=sphere tilt=0 spacing=0", 0}};
    for (size_t k = 0; k < sizeof scenes / sizeof *scenes; k++) {
        scene s = converged(scenes[k].name, scenes[k].settings, scenes[k].frozen);
        nb_snapshot *f = &s.run->final;
        if (failed_checks(&s) != 0) fail_msg("%s %s fails as it is", scenes[k].name, scenes[k].settings);
        struct {
            const char *name;
            double *values;
            int64_t count;
        } arrays[] = {{"q", f->q, 7 * (int64_t)f->bodies},
                      {"u", f->u, 6 * (int64_t)f->bodies},
                      {"lambda_bilateral", f->lambda_bilateral, f->bilaterals},
                      {"lambda_normal", f->lambda_normal, f->contacts},
                      {"lambda_friction", f->lambda_friction, 2 * (int64_t)f->contacts},
                      {"gap", f->gap, f->contacts}};
        for (size_t a = 0; a < sizeof arrays / sizeof *arrays; a++)
            for (int64_t i = 0; i < arrays[a].count; i++) {
                int32_t body = a == 0 ? (int32_t)(i / 7) : a == 1 ? (int32_t)(i / 6) : -1;
                /* where a fixed body is, and with what spin a ghost turns, is nobody's business */
                if (body >= 0 && s.initial->bodies[body].kind != NB_BODY_DYNAMIC) continue;
                double kept = arrays[a].values[i];
                arrays[a].values[i] = NAN;
                if (failed_checks(&s) == 0) fail_msg("%s: %s[%d] may be NaN", scenes[k].name, arrays[a].name, (int)i);
                arrays[a].values[i] = kept;
                if (a == 0 || a == 5) continue;
                /* a force off by a hundredth of a body's weight, a velocity by what that makes of it in a step */
                double mass = s.initial->bodies[s.initial->body_count - 1].kind == NB_BODY_DYNAMIC
                                  ? s.initial->bodies[s.initial->body_count - 1].mass
                                  : s.initial->bodies[1].mass;
                arrays[a].values[i] += a == 1 ? 0.0983 * f->time_step : 0.0983 * mass;
                if (failed_checks(&s) == 0) fail_msg("%s: %s[%d] may be wrong", scenes[k].name, arrays[a].name, (int)i);
                arrays[a].values[i] = kept;
            }
        assert_int_equal(failed_checks(&s), 0);
        nb_run_destroy(s.run);
        nb_world_destroy(s.initial);
    }
}

/* ---- premises of scenes ---- */

/* Whether all checks hold, and whether one of them does not apply. */
static int left_out(const char *scenario, const char *settings, double time_step, int steps) {
    nb_request request = request_of_scenario(scenario, settings, steps, 1e-10);
    strcpy(request.info.method, "auto");
    *request.info.linear_solver = '\0';
    if (time_step > 0) request.info.time_step = time_step;
    nb_run *done = run(&request);
    int count = 0;
    if (failed_of(&done->checks) > 0) fail_msg("%s %s: %d steps", scenario, settings, steps);
    for (int i = 0; i < done->checks.count; i++)
        count += *done->checks.items[i].premise && strcmp(done->checks.items[i].name, "energy from nothing") != 0;
    nb_run_destroy(done);
    return count > 0;
}

/* the scene at rest by `auto`, by an integrator */
static nb_run *run_by(nb_integrator integrator, const char *scenario, const char *settings, int steps) {
    nb_request request = request_of_scenario(scenario, settings, steps, 1e-10);
    strcpy(request.info.method, "auto");
    *request.info.linear_solver = '\0';
    request.scene.integrator = integrator;
    return run(&request);
}

/* Whatever makes the steps, the ground carries the weight, and what rests stays: all of it applies. The force is the
 * impulse of a step over its length, also where contacts act over a stage and its other half (decoupled-tr). */
TEST(all_integrators_are_held_against_forces_and_rest) {
    static const char *const scenes[][2] = {{"heavy-stack", "count=3"}, {"blocks", ""}, {"arch", "count=10"}};
    for (int i = 0; i < NB_INTEGRATORS; i++)
        for (size_t k = 0; k < sizeof scenes / sizeof *scenes; k++) {
            nb_run *done = run_by((nb_integrator)i, scenes[k][0], scenes[k][1], 4);
            for (int c = 0; c < done->checks.count; c++)
                if (!done->checks.items[c].passed || *done->checks.items[c].premise)
                    fail_msg("%s of %s: %s is %g of %g", nb_integrator_names[i], scenes[k][0],
                             done->checks.items[c].name, done->checks.items[c].actual, done->checks.items[c].expected);
            nb_run_destroy(done);
        }
    nb_run *done = run_by(NB_INTEGRATOR_DECOUPLED_TR, "heavy-stack", "", 4);
    CHECK_NEAR(done->final.contact_weight, 2, 0);
    double force = 0;
    for (int32_t i = 0; i < done->final.contacts; i++)
        if (done->final.contact_bodies[2 * i] == 0 || done->final.contact_bodies[2 * i + 1] == 0)
            force += done->final.lambda_normal[i];
    CHECK_NEAR(force, 367364.88, 1e-3);
    nb_run_destroy(done);
}

/* A contact gives way by its compliance times its force, with contact forces of any weight. */
TEST(compliance_is_of_forces_with_all_integrators) {
    const double e = 1e-7;
    for (int i = 0; i < NB_INTEGRATORS; i++) {
        nb_request request = request_of_scenario("heavy-stack", "count=1", 4, 1e-10);
        strcpy(request.info.method, "auto");
        *request.info.linear_solver = '\0';
        request.scene.integrator = (nb_integrator)i;
        request.scene.contact_compliance = e;
        nb_run *done = run(&request);
        assert_true(done->final.contacts == 4 && failed_of(&done->checks) == 0);
        for (int c = 0; c < 4; c++)
            CHECK_NEAR(done->final.gap[c], -e * done->final.lambda_normal[c], 1e-6 * e * done->final.lambda_normal[c]);
        nb_run_destroy(done);
    }
}

/* the check of energy from nothing */
static const nb_check *energy_of(const nb_run *done) {
    for (int c = 0; c < done->checks.count; c++)
        if (strcmp(done->checks.items[c].name, "energy from nothing") == 0) return &done->checks.items[c];
    fail_msg("no check of energy");
    return NULL;
}

/* A box that falls, rods and a linkage gain no energy by any integrator, but for its errors; where these make impacts
 * themselves, they do, and so does what begins in the ground. */
TEST(energy_from_nothing_is_found) {
    static const char *const scenes[][2] = {{"drop", "height=0.3"}, {"four-bar", ""}, {"pendulum", ""}};
    for (int i = 0; i < NB_INTEGRATORS; i++)
        for (size_t k = 0; k < sizeof scenes / sizeof *scenes; k++) {
            nb_request request = request_of_scenario(scenes[k][0], scenes[k][1], 50, 1e-10);
            strcpy(request.info.method, "auto");
            *request.info.linear_solver = '\0';
            request.scene.integrator = (nb_integrator)i;
            request.scene.stepping.scheme = NB_STEPPING_IMPLICIT;
            nb_run *done = run(&request);
            const nb_check *energy = energy_of(done);
            if (!energy->passed || *energy->premise)
                fail_msg("%s of %s: %g J of %g", nb_integrator_names[i], scenes[k][0], energy->actual,
                         energy->tolerance);
            nb_run_destroy(done);
        }
    for (int i = NB_INTEGRATOR_TR; i < NB_INTEGRATOR_DECOUPLED_TR; i++) {
        nb_request request = request_of_scenario("drop", "height=0.3", 50, 1e-10);
        strcpy(request.info.method, "auto");
        *request.info.linear_solver = '\0';
        request.scene.integrator = (nb_integrator)i;
        request.scene.impacts = NB_IMPACTS_INTEGRATOR;
        nb_run *done = run(&request);
        assert_false(energy_of(done)->passed);
        nb_run_destroy(done);
    }
    nb_run *done = run_by(NB_INTEGRATOR_BE, "walker", "", 2);
    assert_string_equal(energy_of(done)->premise, "nothing drives the scene");
    nb_run_destroy(done);
}

/* A row of loops that falls with a fifth too much kinetic energy is found: its many joints leave no room for it. */
TEST(energy_from_joints_is_found) {
    nb_request request = request_of_scenario("loop-chain", "count=40", 50, 1e-8);
    strcpy(request.info.method, "auto");
    *request.info.linear_solver = '\0';
    nb_run *done = run(&request);
    nb_world *initial;
    nb_checks checks = {0};
    const nb_check_premises premises = nb_run_check_premises(&done->info);
    CHECK_OK(nb_scenario_build(request.choices.scenario, request.choices.parameters, 1, &initial));
    assert_true(energy_of(done)->passed && !*energy_of(done)->premise);
    for (int32_t k = 0; k < done->step_count; k++)
        done->steps[(ptrdiff_t)k * NB_STEP_COLUMNS + NB_STEP_KINETIC_ENERGY] *= 1.2;
    nb_energy_check(done, NULL, request.choices.scenario, initial, &premises, &checks);
    assert_int_equal(checks.count, 1);
    assert_false(checks.items[0].passed);
    nb_world_destroy(initial);
    nb_run_destroy(done);
}

/* An arch stands by what friction can bear at its joints, and that is when it does: one that must fall is not held
 * against what it bears, one that stands has not moved. */
TEST(an_arch_stands_by_its_friction) {
    static const struct {
        const char *settings;
        int falls;
    } known[] = {{"count=10 mu=0.1", 1},
                 {"count=10 mu=0.3", 0},
                 {"count=12 mu=0.4 rise=0.8", 1},
                 {"count=12 mu=0.5 rise=0.8", 0}};
    for (int i = 0; i < 4; i++) {
        nb_request request = request_of_scenario("arch", known[i].settings, 4, 1e-10);
        strcpy(request.info.method, "auto");
        *request.info.linear_solver = '\0';
        nb_run *done = run(&request);
        const nb_check *drift = &done->checks.items[done->checks.count - 1];
        assert_string_equal(drift->name, "drift");
        assert_int_equal(failed_of(&done->checks), 0);
        assert_int_equal(*drift->premise != '\0', known[i].falls);
        assert_int_equal(drift->actual > 1e-6, known[i].falls);
        nb_run_destroy(done);
    }
}

TEST(what_presupposes_time_says_so) {
    assert_true(left_out("soft-stack", "count=1 cells=1", 0, 1));
    assert_false(left_out("soft-stack", "count=1 cells=1", 0, 40));
    assert_true(left_out("fold", "layers=1", 0, 1)); /* which falls freely: nothing is divided by what it weighs then */
    assert_true(left_out("fold", "cells=6 gap=1.2 layers=1", 1e-3, 1)); /* edges in a face's plane pass through none */
    assert_true(left_out("beam", "arm=1 count=2", 0, 2));
    assert_true(left_out("beam", "slot=0 insertion-speed=0 count=2", 0, 1));
    assert_false(left_out("beam", "slot=0 insertion-speed=0 count=2", 1, 20));
    assert_false(left_out("cantilever", "cells=1", 0, 1)); /* the first step is as fast as what is left allows */
    assert_true(left_out("cabinets", "count=1", 0, 1));
}

RUN_TESTS(bounds_are_held_and_nan_never_passes, premises_that_do_not_hold_are_told,
          all_integrators_are_held_against_forces_and_rest, energy_from_nothing_is_found, energy_from_joints_is_found,
          compliance_is_of_forces_with_all_integrators, an_arch_stands_by_its_friction, what_presupposes_time_says_so,
          general_checks_find_what_is_wrong, momentum_counts_gyroscopic_torque_and_forces,
          multipliers_belong_to_their_joints, every_spoiled_number_is_noticed)
