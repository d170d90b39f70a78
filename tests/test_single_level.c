/* The single-level method on scenes whose solutions are known by hand: what rho leaves of gaps and of creep, where the
 * contact point of faces is, and that no scene without a sensible answer makes numbers that are none. */
#include <string.h>

#include "base/memory.h"
#include "check.h"
#include "contact/contact.h"
#include "measure/measure.h"
#include "model/world.h"
#include "record_file.h"
#include "run/resolve.h"
#include "step/stepper.h"

NB_PRECISIONS(f64);

static const double g = 9.81, h = 0.01;

typedef struct bench {
    nb_request request;
    nb_world *world;
    nb_contacts *contacts;
    nb_measure *measure;
    void *stepper;
    nb_snapshot final;
    nb_step_outcome outcome;
    nb_step_counts counts;
} bench;

static bench open_bench(double tilt) {
    bench b = {0};
    CHECK_OK(nb_world_create(&b.world));
    CHECK_OK(nb_contacts_create(&b.contacts));
    CHECK_OK(nb_measure_create(&b.measure));
    b.world->settings.contact_margin = 1e-3;
    b.world->gravity = nb_vec3_of(g * sin(tilt), 0, -g * cos(tilt));
    return b;
}

static void close_bench(bench *b) {
    nb_world_destroy(b->world);
    nb_contacts_destroy(b->contacts);
    nb_measure_destroy(b->measure);
    if (b->stepper) nb_stepper_f64.destroy(b->stepper);
    nb_snapshot_clear(&b->final);
}

static void choose_method(bench *b, const char *method, const char *rho) {
    nb_request *request = &b->request;
    nb_request_standard(request);
    strcpy(request->info.scenario, "wall"); /* any: the options are the method's */
    snprintf(request->info.method, sizeof request->info.method, "%s", method);
    CHECK_OK(nb_request_set_option(request, "rho", rho));
    CHECK_OK(nb_request_resolve(request));
    const nb_method_settings settings = nb_request_settings(request);
    CHECK_OK(nb_stepper_f64.create(method, &settings, &b->stepper));
}

static void choose(bench *b, const char *rho) {
    choose_method(b, "single-level", rho);
}

static void make_step_from(bench *b, int start) {
    CHECK_OK(nb_contacts_detect(b->world, h, b->contacts));
    CHECK_OK(nb_stepper_f64.begin(b->stepper, b->world, b->contacts, h, NB_GEOMETRY_UPDATED));
    CHECK_OK(nb_measure_begin(b->measure, b->world, b->contacts, h, NB_GEOMETRY_UPDATED));
    CHECK_OK(nb_stepper_f64.step(b->stepper, b->world, b->contacts, h, start, b->measure, NULL, &b->outcome, &b->counts,
                                 &b->final));
    for (int32_t i = 0; i < 6 * b->world->body_count; i++) assert_true(isfinite(b->final.u[i]));
}

static void make_step(bench *b) {
    make_step_from(b, NB_START_ZERO);
}

static int32_t add(bench *b, nb_body_kind kind, nb_shape *shape, double friction, nb_vec3 position, nb_quat turn) {
    int32_t index, body;
    CHECK_OK(nb_world_add_shape(b->world, shape, &index));
    CHECK_OK(nb_world_add_solid(b->world, kind, index, 2, friction, position, turn, &body));
    return body;
}

static int32_t add_floor(bench *b, double friction) {
    nb_shape *shape;
    CHECK_OK(nb_shape_half_space(&shape));
    return add(b, NB_BODY_FIXED, shape, friction, nb_vec3_of(0, 0, 0), nb_quat_identity());
}

static int32_t add_box(bench *b, nb_vec3 half, double friction, nb_vec3 position) {
    nb_shape *shape;
    CHECK_OK(nb_shape_box(half, &shape));
    return add(b, NB_BODY_DYNAMIC, shape, friction, position, nb_quat_identity());
}

static int32_t add_sphere(bench *b, double radius, nb_vec3 position) {
    nb_shape *shape;
    CHECK_OK(nb_shape_sphere(radius, &shape));
    return add(b, NB_BODY_DYNAMIC, shape, 0.5, position, nb_quat_identity());
}

/* the only contact of these two bodies that has an impulse */
static int32_t contact_of(const bench *b, int32_t body_a, int32_t body_b) {
    int32_t found = -1;
    for (int32_t i = 0; i < b->final.contacts; i++) {
        if (b->final.lambda_normal[i] == 0) continue;
        if (b->final.contact_bodies[2 * i] != body_a || b->final.contact_bodies[2 * i + 1] != body_b) continue;
        assert_int_equal(found, -1);
        found = i;
    }
    assert_true(found >= 0);
    return found;
}

/* the method's unit of speed: that of a fall from the radius of the one box, unless that is long */
static double speed_of(nb_vec3 half) {
    return fmin(sqrt(g * nb_norm(half)), 0.05 * nb_norm(half) / h);
}

/* gap times impulse is rho L times the impulse of the weight; the impulse is the weight's; p is where the weight acts,
 * although a face lies on a plane and detection has four corners. */
TEST(a_box_at_rest) {
    const char *const rhos[] = {"1e-3", "1e-6", "1e-9"};
    const nb_vec3 half = {0.3, 0.2, 0.1};
    for (int k = 0; k < 3; k++) {
        double rho = atof(rhos[k]), length = nb_norm(half);
        bench b = open_bench(0);
        int32_t floor = add_floor(&b, 0.5), box = add_box(&b, half, 0.5, nb_vec3_of(0.7, -0.4, half.z));
        choose(&b, rhos[k]);
        make_step(&b);
        assert_int_equal(b.outcome.reason, NB_REASON_CONVERGED);
        assert_true(b.outcome.newton_iterations <= 9);
        int32_t i = contact_of(&b, box, floor);
        double impulse = h * b.final.lambda_normal[i], up = b.final.u[6 * box + 2], unit = 2 * speed_of(half);
        CHECK_NEAR(impulse, 2 * (up + g * h), rho * unit);
        CHECK_NEAR(b.final.gap[i], h * up, rho * length);
        CHECK_NEAR(b.final.gap[i] * impulse, rho * length * 2 * g * h, 0.2 * rho * length * 2 * g * h);
        CHECK_NEAR(b.final.contact_point[3 * i], 0.7, 1e-7 * length);
        CHECK_NEAR(b.final.contact_point[3 * i + 1], -0.4, 1e-7 * length);
        CHECK_NEAR(b.final.contact_normal[3 * i + 2], 1, 1e-12);
        CHECK_BELOW(b.outcome.errors.momentum, rho * speed_of(half));
        close_bench(&b);
    }
}

/* Where friction holds, what rho leaves is a creep of rho m g h sqrt(g L) Jt/((mu Jn)^2 - Jt^2). */
TEST(a_box_that_creeps) {
    const nb_vec3 half = {0.3, 0.2, 0.1};
    const double rho = 1e-6, tilt = 0.3, mu = 0.5;
    bench b = open_bench(tilt);
    int32_t floor = add_floor(&b, mu), box = add_box(&b, half, mu, nb_vec3_of(0, 0, half.z));
    choose(&b, "1e-6");
    make_step(&b);
    assert_int_equal(b.outcome.reason, NB_REASON_CONVERGED);
    int32_t i = contact_of(&b, box, floor);
    const double *friction = b.final.lambda_friction + 2 * i, *slip = b.final.slip + 2 * i;
    double normal = h * b.final.lambda_normal[i], along = h * hypot(friction[0], friction[1]),
           creep = hypot(slip[0], slip[1]),
           expected = rho * 2 * g * h * sqrt(g * nb_norm(half)) * along / (mu * mu * normal * normal - along * along);
    CHECK_NEAR(along, 2 * (g * h * sin(tilt) - creep), 1e-5);
    CHECK_NEAR(creep, expected, 0.2 * expected);
    CHECK_NEAR(friction[0] * slip[0] + friction[1] * slip[1], -along / h * creep, 1e-6 * along / h * creep);
    /* the resultant goes through the centre of mass: p moves down the slope by half.z tan(tilt) */
    CHECK_NEAR(b.final.contact_point[3 * i], half.z * tan(tilt), 1e-3);
    close_bench(&b);
}

/* What slides is slowed by mu g cos(tilt). */
TEST(a_box_that_slides) {
    const nb_vec3 half = {0.3, 0.2, 0.1};
    const double tilt = 0.3, mu = 0.1;
    bench b = open_bench(tilt);
    add_floor(&b, mu);
    int32_t box = add_box(&b, half, mu, nb_vec3_of(0, 0, half.z));
    choose(&b, "1e-9");
    for (int k = 1; k <= 5; k++) {
        make_step(&b);
        assert_int_equal(b.outcome.reason, NB_REASON_CONVERGED);
        CHECK_NEAR(b.final.u[6 * box], k * h * g * (sin(tilt) - mu * cos(tilt)), 1e-6);
        CHECK_BELOW(b.outcome.errors.natural_map, 1e-5);
    }
    close_bench(&b);
}

/* Two boxes, the upper one shifted: each contact has its one point under the weights above. */
TEST(two_boxes) {
    const nb_vec3 half = {0.25, 0.25, 0.25};
    for (int offset = 0; offset < 3; offset++) {
        double x = 0.1 * offset;
        bench b = open_bench(0);
        int32_t floor = add_floor(&b, 0.5), low = add_box(&b, half, 0.5, nb_vec3_of(0, 0, 0.25)),
                high = add_box(&b, half, 0.5, nb_vec3_of(x, 0, 0.75));
        choose(&b, "1e-8");
        make_step(&b);
        assert_int_equal(b.outcome.reason, NB_REASON_CONVERGED);
        int32_t i = contact_of(&b, low, floor), k = contact_of(&b, low, high);
        CHECK_NEAR(b.final.lambda_normal[i], 4 * g, 1e-2);
        CHECK_NEAR(b.final.lambda_normal[k], 2 * g, 1e-2);
        CHECK_NEAR(b.final.contact_point[3 * i], x / 2, 1e-4);
        CHECK_NEAR(b.final.contact_point[3 * k], x, 1e-4);
        CHECK_NEAR(b.final.contact_point[3 * k + 1], 0, 1e-5);
        CHECK_NEAR(b.final.contact_normal[3 * k + 2], -1, 1e-6); /* from b to a: the lower one is a */
        close_bench(&b);
    }
}

/* A push that brings a body where no pair was looked for at the start. */
TEST(a_row_of_spheres) {
    enum {
        SPHERES = 5
    };
    const double gap = 0.002, speed = 5, radius = 0.1;
    bench b = open_bench(0);
    b.world->gravity = nb_vec3_of(0, 0, 0);
    for (int i = 0; i < SPHERES; i++) add_sphere(&b, radius, nb_vec3_of(i * (2 * radius + gap), 0, 0));
    b.world->bodies[0].linear_velocity.x = speed;
    choose(&b, "1e-9");
    make_step(&b);
    assert_int_equal(b.outcome.reason, NB_REASON_CONVERGED);
    double last = (speed - gap / h * SPHERES * (SPHERES - 1) / 2) / SPHERES;
    for (int i = 0; i < SPHERES; i++) CHECK_NEAR(b.final.u[6 * i], last + gap / h * (SPHERES - 1 - i), 1e-4);
    close_bench(&b);
}

/* Without friction the push on a ball goes along the normal at its end, so that it comes to rest on the edge in the
 * direction of where it would be without contact. The edge's normal turns by 32 degrees meanwhile: by one that is fixed
 * in the world the ball is in the edge by radius (1 - cos), or 1.5 m/s. */
TEST(a_ball_around_an_edge) {
    const double radius = 0.1, step[2] = {0.02, -0.05}; /* without contact, of the centre */
    const char *const rhos[] = {"1e-5", "1e-8"};
    for (int k = 0; k < 2; k++) {
        bench b = open_bench(0);
        nb_shape *shape;
        b.world->gravity = nb_vec3_of(0, 0, 0);
        CHECK_OK(nb_shape_box(nb_vec3_of(0.2, 0.2, 0.2), &shape));
        int32_t box = add(&b, NB_BODY_FIXED, shape, 0, nb_vec3_of(-0.2, 0, -0.2), nb_quat_identity());
        double at[2] = {radius * sqrt(0.5), radius * sqrt(0.5)}; /* from the edge, which is along y */
        int32_t ball = add_sphere(&b, radius, nb_vec3_of(at[0], 0, at[1]));
        b.world->bodies[ball].friction = 0;
        b.world->bodies[ball].linear_velocity = nb_vec3_of(step[0] / h, 0, step[1] / h);
        choose(&b, rhos[k]);
        make_step(&b);
        assert_int_equal(b.outcome.reason, NB_REASON_CONVERGED);
        /* the products of the box's faces, which are rho too, round the edge: its normal is off by ten rho */
        const double rounded = 20 * atof(rhos[k]), free[2] = {at[0] + step[0], at[1] + step[1]},
                     away = hypot(free[0], free[1]);
        for (int i = 0; i < 2; i++)
            CHECK_NEAR(b.final.u[6 * ball + 2 * i], (radius * free[i] / away - at[i]) / h, rounded * radius / h);
        int32_t found = 0; /* by the harness */
        for (int32_t i = 0; i < b.final.contacts; i++) {
            found += b.final.lambda_normal[i] == 0 && b.final.contact_bodies[2 * i + 1] == box;
            CHECK_NEAR(b.final.contact_normal[3 * i], free[0] / away, rounded);
            CHECK_NEAR(b.final.gap[i], 0, rounded * radius);
        }
        assert_int_equal(found, 1);
        CHECK_BELOW(b.outcome.errors.natural_map, rounded * radius / h);
        close_bench(&b);
    }
}

/* A contact that carries nothing has a gap and an impulse whose product rho leaves: min(a, w z) is largest where both
 * are the same, sqrt(rho L m c w/h). */
TEST(a_ball_without_weight) {
    const double radius = 0.1, rhos[] = {1e-6, 1e-8, 1e-10};
    const char *const names[] = {"1e-6", "1e-8", "1e-10"};
    for (int k = 0; k < 3; k++) {
        bench b = open_bench(0);
        b.world->gravity = nb_vec3_of(0, 0, 0);
        add_floor(&b, 0);
        int32_t ball = add_sphere(&b, radius, nb_vec3_of(0, 0, radius));
        choose(&b, names[k]);
        make_step(&b);
        assert_int_equal(b.outcome.reason, NB_REASON_CONVERGED);
        double c = 0.05 * radius / h, expected = sqrt(rhos[k] * radius * c / h);
        CHECK_NEAR(b.final.u[6 * ball + 2], expected, 0.1 * expected);
        CHECK_NEAR(b.outcome.errors.natural_map, expected, 0.1 * expected);
        close_bench(&b);
    }
}

/* Where contact is a point collision by itself knows it, and bilevel finds the same step: a ball that rolls down. Where
 * faces lie on faces it does not: of stacks aside, what single-level solves in ten iterations, it does not in thirty.
 */
TEST(bilevel_beside_it) {
    const char *const methods[] = {"single-level", "bilevel"};
    double u[2][6];
    for (int k = 0; k < 2; k++) {
        bench b = open_bench(0.3);
        add_floor(&b, 0.5);
        int32_t ball = add_sphere(&b, 0.2, nb_vec3_of(0, 0, 0.2));
        choose_method(&b, methods[k], "1e-8");
        for (int i = 0; i < 5; i++) {
            make_step(&b);
            assert_int_equal(b.outcome.reason, NB_REASON_CONVERGED);
        }
        memcpy(u[k], b.final.u + 6 * ball, sizeof u[k]);
        CHECK_NEAR(u[k][0], 5 * h * g * sin(0.3) / 1.4, 1e-3);
        CHECK_NEAR(u[k][4], u[k][0] / 0.2, 1e-3);
        close_bench(&b);
    }
    for (int i = 0; i < 6; i++) CHECK_NEAR(u[0][i], u[1][i], 2e-3);
    for (int k = 0; k < 2; k++) {
        bench b = open_bench(0);
        int failures = 0;
        add_floor(&b, 0.5);
        for (int i = 0; i < 4; i++)
            add_box(&b, nb_vec3_of(0.25, 0.25, 0.25), 0.5, nb_vec3_of(i % 2 ? 0.1 : 0, 0, 0.25 * (2 * i + 1)));
        choose_method(&b, methods[k], "1e-6");
        for (int i = 0; i < 10; i++) {
            make_step(&b);
            failures += b.outcome.reason != NB_REASON_CONVERGED;
        }
        if (k == 0) assert_int_equal(failures, 0);
        if (k == 1) assert_true(failures > 0);
        close_bench(&b);
    }
}

/* Scenes without a sensible answer: the method ends with a reason, and with numbers. */
TEST(degenerate_scenes) {
    for (int k = 0; k < 6; k++) {
        bench b = open_bench(0);
        const nb_vec3 half = {0.2, 0.2, 0.2};
        if (k != 5) add_floor(&b, 0.5);
        if (k == 0) add_sphere(&b, 0.2, nb_vec3_of(0, 0, 0)), add_sphere(&b, 0.2, nb_vec3_of(0, 0, 0)); /* concentric */
        if (k == 1) add_box(&b, half, 0.5, nb_vec3_of(0, 0, 1)), add_box(&b, half, 0.5, nb_vec3_of(0, 0, 1));
        if (k == 2) add_box(&b, half, 0.5, nb_vec3_of(0, 0, -5)); /* far below */
        if (k == 3) add_box(&b, half, 0, nb_vec3_of(0, 0, 0.2));  /* no friction */
        if (k == 4) add_box(&b, half, 1e9, nb_vec3_of(0, 0, 0.2));
        if (k == 5) add_box(&b, half, 0.5, nb_vec3_of(0, 0, 0)); /* no pair at all */
        choose(&b, "1e-6");
        make_step(&b);
        assert_true(b.outcome.reason != NB_REASON_NONE);
        if (k >= 3) assert_int_equal(b.outcome.reason, NB_REASON_CONVERGED);
        close_bench(&b);
    }
}

/* a box on a slope, and one that falls on it in the third step */
static bench open_landing(void) {
    bench b = open_bench(0.2);
    const nb_vec3 half = {0.3, 0.2, 0.1};
    add_floor(&b, 0.5);
    add_box(&b, half, 0.5, nb_vec3_of(0, 0, half.z));
    b.world->bodies[add_box(&b, half, 0.5, nb_vec3_of(0, 0, 3 * half.z + 0.1))].linear_velocity.z = -4;
    choose(&b, "1e-8");
    return b;
}

/* What pairs start from in the next step saves iterations, and leads to the same step; a pair that is new starts from
 * its collision, and one that is gone is no matter. */
TEST(a_warm_start) {
    int total[2] = {0};
    bench b[2] = {open_landing(), open_landing()};
    for (int i = 0; i < 12; i++) {
        if (i == 8) b[0].world->bodies[2].position.x += 5; /* its pair is gone, another is new */
        memcpy(b[1].world->bodies, b[0].world->bodies, (size_t)b[0].world->body_count * sizeof(nb_body));
        for (int k = 0; k < 2; k++) {
            make_step_from(&b[k], k == 0 ? NB_START_ZERO : NB_START_PREVIOUS);
            assert_int_equal(b[k].outcome.reason, NB_REASON_CONVERGED);
            total[k] += b[k].outcome.newton_iterations;
        }
        for (int32_t j = 0; j < 18; j++) CHECK_NEAR(b[0].final.u[j], b[1].final.u[j], 1e-6);
    }
    print_message("iterations from collisions %d, from the step before %d\n", total[0], total[1]);
    assert_true(total[1] < 0.9 * total[0]);
    for (int k = 0; k < 2; k++) close_bench(&b[k]);
}

/* A method that is saved and loaded goes on as if nothing had been. */
TEST(a_checkpoint) {
    nb_stream stream;
    bench b[2] = {open_landing(), open_landing()};
    const char *path = test_path("pairs");
    for (int i = 0; i < 5; i++) make_step_from(&b[0], NB_START_PREVIOUS);
    CHECK_OK(nb_stream_create(path, &stream));
    CHECK_OK(nb_stepper_f64.save(b[0].stepper, &stream));
    CHECK_OK(nb_stream_finish(&stream, path, 0));
    CHECK_OK(nb_stream_open(path, &stream));
    CHECK_OK(nb_stepper_f64.load(b[1].stepper, &stream));
    nb_stream_close(&stream);
    memcpy(b[1].world->bodies, b[0].world->bodies, (size_t)b[0].world->body_count * sizeof(nb_body));
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 2; k++) make_step_from(&b[k], NB_START_PREVIOUS);
        assert_int_equal(b[0].outcome.newton_iterations, b[1].outcome.newton_iterations);
        assert_memory_equal(b[0].final.u, b[1].final.u, 18 * sizeof(double));
    }
    for (int k = 0; k < 2; k++) close_bench(&b[k]);
}

/* What it does not know, it refuses by name. */
TEST(refusals) {
    bench b = open_bench(0);
    add_floor(&b, 0.5);
    add_box(&b, nb_vec3_of(0.2, 0.2, 0.2), 0.5, nb_vec3_of(0, 0, 0.2));
    b.world->settings.contact_compliance = 1e-6;
    choose(&b, "1e-6");
    CHECK_OK(nb_contacts_detect(b.world, h, b.contacts));
    CHECK_OK(nb_stepper_f64.begin(b.stepper, b.world, b.contacts, h, NB_GEOMETRY_UPDATED));
    CHECK_OK(nb_measure_begin(b.measure, b.world, b.contacts, h, NB_GEOMETRY_UPDATED));
    CHECK_FAULT(
        nb_stepper_f64.step(b.stepper, b.world, b.contacts, h, 0, b.measure, NULL, &b.outcome, &b.counts, &b.final),
        NB_ERROR_UNSUPPORTED, "compliance");
    close_bench(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_at_rest),
        cmocka_unit_test(a_box_that_creeps),
        cmocka_unit_test(a_box_that_slides),
        cmocka_unit_test(two_boxes),
        cmocka_unit_test(a_row_of_spheres),
        cmocka_unit_test(degenerate_scenes),
        cmocka_unit_test(a_warm_start),
        cmocka_unit_test(a_checkpoint),
        cmocka_unit_test(refusals),
        cmocka_unit_test(bilevel_beside_it),
        cmocka_unit_test(a_ball_around_an_edge),
        cmocka_unit_test(a_ball_without_weight),
    };
    return cmocka_run_group_tests(tests, test_folder_create, test_folder_destroy);
}
