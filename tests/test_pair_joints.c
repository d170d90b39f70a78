/* Joints in the single-level method: steps beside those of interior-point from the same states, where joints are rigid,
 * soft, driven, closed to loops or say something twice; the pendulum's rod and order. */
#include <string.h>

#include "base/memory.h"
#include "check.h"
#include "contact/contact.h"
#include "measure/measure.h"
#include "model/drive.h"
#include "run/resolve.h"
#include "step/stepper.h"

NB_PRECISIONS(f64);

typedef struct bench {
    nb_request request;
    nb_world *world;
    nb_contacts *contacts;
    nb_measure *measure;
    void *stepper;
    nb_snapshot final;
    nb_step_outcome outcome;
    nb_step_counts counts;
    nb_request *kept; /* what the stepper's settings point into: a bench is moved about */
} bench;

static bench open_bench(const char *method, const char *rho) {
    bench b = {0};
    nb_request *request = &b.request;
    nb_request_standard(request);
    snprintf(request->info.method, sizeof request->info.method, "%s", method);
    if (rho) CHECK_OK(nb_request_set_option(request, "rho", rho));
    if (!rho) request->info.newton_tolerance = 1e-10;
    if (!rho) request->info.newton_iterations = 100;
    return b;
}

static void begin_bench(bench *b) {
    CHECK_OK(nb_request_resolve(&b->request));
    b->kept = test_calloc(1, sizeof *b->kept);
    *b->kept = b->request;
    const nb_method_settings settings = nb_request_settings(b->kept);
    CHECK_OK(nb_stepper_f64.create(b->request.info.method, &settings, &b->stepper));
    CHECK_OK(nb_contacts_create(&b->contacts));
    CHECK_OK(nb_measure_create(&b->measure));
}

static bench open_scenario(const char *scenario, const char *name, const char *value, const char *method,
                           const char *rho) {
    bench b = open_bench(method, rho);
    snprintf(b.request.info.scenario, sizeof b.request.info.scenario, "%s", scenario);
    if (name) {
        nb_setting *setting = &b.request.settings[b.request.setting_count++];
        snprintf(setting->name, sizeof setting->name, "%s", name);
        snprintf(setting->value, sizeof setting->value, "%s", value);
    }
    begin_bench(&b);
    CHECK_OK(b.request.choices.scenario->build(b.request.choices.parameters, 1, &b.world));
    return b;
}

static void close_bench(bench *b) {
    nb_world_destroy(b->world);
    nb_contacts_destroy(b->contacts);
    nb_measure_destroy(b->measure);
    if (b->stepper) nb_stepper_f64.destroy(b->stepper);
    nb_snapshot_clear(&b->final);
    nb_free(b->request.info.parameters);
    test_free(b->kept);
}

static void make_step(bench *b, double h) {
    nb_world_begin_step(b->world, h);
    CHECK_OK(nb_contacts_detect(b->world, h, b->contacts));
    CHECK_OK(nb_stepper_f64.begin(b->stepper, b->world, b->contacts, h, NB_GEOMETRY_UPDATED));
    CHECK_OK(nb_measure_begin(b->measure, b->world, b->contacts, h, NB_GEOMETRY_UPDATED));
    CHECK_OK(nb_stepper_f64.step(b->stepper, b->world, b->contacts, h, 0, b->measure, NULL, &b->outcome, &b->counts,
                                 &b->final));
}

/* the largest difference of velocities of `steps` steps, each from where the first one's world is; the other one's
 * joints are at Newton's tolerance */
static double difference(bench *b, bench *other, double rho, int steps, double h) {
    double largest = 0;
    for (int k = 0; k < steps; k++) {
        memcpy(other->world->bodies, b->world->bodies, (size_t)b->world->body_count * sizeof(nb_body));
        make_step(b, h);
        make_step(other, h);
        assert_int_equal(b->outcome.reason, NB_REASON_CONVERGED);
        assert_int_equal(other->outcome.reason, NB_REASON_CONVERGED);
        for (int32_t i = 0; i < 6 * b->world->body_count; i++)
            largest = fmax(largest, fabs(b->final.u[i] - other->final.u[i]));
        CHECK_BELOW(other->outcome.errors.bilateral, rho / 10 * 5); /* units of speed are below 5 m/s */
    }
    return largest;
}

/* ---- scenes ---- */

/* Without contacts there is nothing that rho leaves: what is solved is solved to Newton's tolerance. */
TEST(linkages) {
    const char *const scenes[][3] = {{"pendulum", NULL, NULL}, {"four-bar", NULL, NULL}};
    for (size_t k = 0; k < sizeof scenes / sizeof *scenes; k++) {
        bench b = open_scenario(scenes[k][0], scenes[k][1], scenes[k][2], "interior-point", NULL),
              other = open_scenario(scenes[k][0], scenes[k][1], scenes[k][2], "single-level", "1e-9");
        CHECK_BELOW(difference(&b, &other, 1e-9, 20, 0.01), 1e-8);
        assert_true(other.outcome.newton_iterations <= 4);
        close_bench(&b);
        close_bench(&other);
    }
}

/* With contacts both come together as rho falls: motors and soft joints, a robot on its feet, a beam in its slot. */
TEST(scenes_with_contacts) {
    const char *const scenes[][3] = {{"walker", NULL, NULL}, {"beam", "count", "6"}};
    const char *const rhos[] = {"1e-5", "1e-7"};
    for (size_t k = 0; k < sizeof scenes / sizeof *scenes; k++) {
        double off[2];
        for (int i = 0; i < 2; i++) {
            bench b = open_scenario(scenes[k][0], scenes[k][1], scenes[k][2], "interior-point", NULL),
                  other = open_scenario(scenes[k][0], scenes[k][1], scenes[k][2], "single-level", rhos[i]);
            off[i] = difference(&b, &other, atof(rhos[i]), 3, 0.01);
            close_bench(&b);
            close_bench(&other);
        }
        print_message("%s: %.3g %.3g\n", scenes[k][0], off[0], off[1]);
        CHECK_BELOW(off[1], 0.03 * off[0]);
    }
}

/* ---- small worlds ---- */

static int32_t add_rod(bench *b, nb_vec3 from, nb_vec3 to) {
    int32_t index, body;
    nb_shape *shape;
    nb_vec3 along = nb_sub(to, from);
    CHECK_OK(nb_shape_box(nb_vec3_of(0.5 * nb_norm(along), 0.02, 0.03), &shape));
    CHECK_OK(nb_world_add_shape(b->world, shape, &index));
    CHECK_OK(nb_world_add_solid(b->world, NB_BODY_DYNAMIC, index, 0.5, 0.5, nb_scale(0.5, nb_add(from, to)),
                                nb_quat_about(nb_vec3_of(0, 1, 0), -atan2(along.z, along.x)), &body));
    return body;
}

/* Three rods in a row that fall: joints of these kinds, the last end held by a motor where `driven`. `redundant`: the
 * first joint is there twice. */
static bench open_chain(const char *method, const char *rho, nb_joint_kind kind, double soft, int driven,
                        int redundant) {
    bench b = open_bench(method, rho);
    const double compliance[6] = {soft, soft, soft, soft, soft, soft};
    const nb_quat about_y = nb_quat_about(nb_vec3_of(0, 0, 1), 1.5707963267948966); /* the frame's x is y */
    strcpy(b.request.info.scenario, "four-bar");                                    /* any */
    begin_bench(&b);
    CHECK_OK(nb_world_create(&b.world));
    b.world->settings.contact_margin = 1e-3;
    b.world->gravity = nb_vec3_of(0, 0, -9.81);
    for (int i = 0, joint; i < 3; i++) {
        nb_vec3 from = nb_vec3_of(0.4 * i, 0, 1 + 0.1 * i), to = nb_vec3_of(0.4 * (i + 1), 0, 1 + 0.1 * (i + 1));
        int32_t body = add_rod(&b, from, to), motor;
        b.world->bodies[body].angular_velocity = nb_vec3_of(0.3, 2 - i, 0.1);
        if (driven && i == 2) {
            CHECK_OK(nb_world_add_motor(b.world, NB_JOINT_REVOLUTE, body, body - 1, from, about_y, 40, 2, &motor));
            b.world->motors[motor].target = 0.5;
            continue;
        }
        for (int k = 0; k <= (redundant && i == 0); k++)
            CHECK_OK(nb_world_add_joint_at(b.world, kind, body, body - 1, from, about_y, compliance, &joint));
    }
    return b;
}

/* Steps of small worlds, in which bodies turn far within a step. */
TEST(chains) {
    const struct {
        nb_joint_kind kind;
        double soft;
        int driven, redundant;
    } cases[] = {{NB_JOINT_REVOLUTE, 0, 0, 0}, {NB_JOINT_SPHERICAL, 0, 0, 0}, {NB_JOINT_PRISMATIC, 0, 0, 0},
                 {NB_JOINT_FIXED, 0, 0, 0},    {NB_JOINT_REVOLUTE, 0, 1, 0},  {NB_JOINT_SPHERICAL, 1e-4, 0, 0},
                 {NB_JOINT_REVOLUTE, 0, 0, 1}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        bench b = open_chain("interior-point", NULL, cases[k].kind, cases[k].soft, cases[k].driven, cases[k].redundant),
              other =
                  open_chain("single-level", "1e-9", cases[k].kind, cases[k].soft, cases[k].driven, cases[k].redundant);
        for (int i = 0; i < 10; i++) {
            CHECK_BELOW(difference(&b, &other, 1e-9, 1, 0.02), 1e-7);
            assert_true(other.outcome.newton_iterations <= 6);
        }
        close_bench(&b);
        close_bench(&other);
    }
}

/* The rod keeps its length, and the place it has come to is of the first order in h. */
TEST(the_pendulum) {
    double error[3], angle = 1.57079632679489662, rate = 0;
    for (int k = 0, fine = 200000; k < fine; k++) { /* the exact place after 0.5 s, by the midpoint rule */
        double h = 0.5 / fine, half = angle + 0.5 * h * rate, mid = rate - 0.5 * h * 9.81 * sin(angle);
        rate -= h * 9.81 * sin(half);
        angle += h * mid;
    }
    for (int k = 0; k < 3; k++) {
        bench b = open_scenario("pendulum", NULL, NULL, "single-level", "1e-9");
        const nb_body *bob = b.world->bodies;
        int steps = 100 << k;
        for (int i = 0; i < steps; i++) make_step(&b, 0.5 / steps);
        CHECK_NEAR(nb_norm(bob->position), 1, 1e-10);
        error[k] = hypot(bob->position.x - sin(angle), bob->position.z + cos(angle));
        close_bench(&b);
    }
    for (int k = 0; k < 2; k++) CHECK_NEAR(error[k] / error[k + 1], 2, 0.1);
}

RUN_TESTS(linkages, scenes_with_contacts, chains, the_pendulum)
