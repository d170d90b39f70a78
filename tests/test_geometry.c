/* What a step takes at its start and at its end (model/time_stepping.h, nb_geometry), by states alone: balls that roll,
 * the energy of solved steps, overlap where bodies are. */
#include <math.h>
#include <stdlib.h>

#include "measure/infeasibility.h"
#include "run/scene_run.h"
#include "scenario_run.h"

/* ---- rolling ---- */

static const double radius = 0.15, length = 0.0083;

/* a ball on a plane that is turned by `angle` about y, rolling down at `speed` without slip */
static void build_ball(double angle, double speed, nb_world **world) {
    const nb_quat turn = {cos(angle / 2), 0, sin(angle / 2), 0};
    const nb_vec3 normal = nb_quat_rotate(turn, nb_vec3_of(0, 0, 1)), down = nb_quat_rotate(turn, nb_vec3_of(1, 0, 0));
    nb_shape *shape;
    int32_t index, body;
    CHECK_OK(nb_world_create(world));
    (*world)->settings.contact_margin = 0.1 * radius;
    CHECK_OK(nb_shape_half_space(&shape));
    CHECK_OK(nb_world_add_shape(*world, shape, &index));
    CHECK_OK(nb_world_add_solid(*world, NB_BODY_FIXED, index, 0, 0.9, nb_vec3_of(0, 0, 0), turn, &body));
    CHECK_OK(nb_shape_sphere(radius, &shape));
    CHECK_OK(nb_world_add_shape(*world, shape, &index));
    CHECK_OK(nb_world_add_solid(*world, NB_BODY_DYNAMIC, index, 2, 0.9, nb_scale(radius, normal), nb_quat_identity(),
                                &body));
    (*world)->bodies[body].linear_velocity = nb_scale(speed, down);
    (*world)->bodies[body].angular_velocity = nb_scale(1 / radius, nb_cross(normal, nb_scale(speed, down)));
}

/* A ball rolls on, at its height, and down a slope with 5/7 of the pull along it (2/5 m r^2 its inertia), whatever the
 * geometry: the point of a sphere does not turn with it. */
TEST(balls_roll_as_they_must) {
    const double angle[] = {0, 0.3}, g = 9.81;
    for (int k = 0; k < 2 * NB_GEOMETRIES; k++) {
        nb_request request = request_of_scenario("incline", "", 1, 1e-13); /* whose settings the method takes */
        nb_scene_run scene = {.request = &request};
        double row[NB_STEP_COLUMNS], speed = 5, height = 0;
        strcpy(request.info.method, "interior-point");
        *request.info.linear_solver = 0;
        strcpy(request.info.geometry, nb_geometry_names[k / 2]);
        request.info.time_step = length;
        CHECK_OK(nb_simulate_prepare(&request));
        CHECK_OK(nb_scene_run_build(&scene));
        nb_world_destroy(scene.world);
        build_ball(angle[k % 2], speed, &scene.world);
        const nb_body *ball = &scene.world->bodies[1];
        const nb_vec3 normal = nb_quat_rotate(scene.world->bodies[0].orientation, nb_vec3_of(0, 0, 1));
        for (int step = 0; step < 60; step++) {
            CHECK_OK(nb_scene_run_advance(&scene, NULL, 0, NULL, row));
            speed += length * 5 / 7. * g * sin(angle[k % 2]);
            height = fmax(height, fabs(nb_dot(ball->position, normal) - radius));
        }
        print_message("%s, %.1f rad: speed off by %.1e m/s, height by %.1e m\n", request.info.geometry, angle[k % 2],
                      nb_norm(ball->linear_velocity) - speed, height);
        CHECK_NEAR(nb_norm(ball->linear_velocity), speed, 1e-12 * speed);
        CHECK_BELOW(height, 1e-12);
        nb_scene_run_clear(&scene);
        nb_free(request.info.parameters);
    }
}

/* ---- energy and overlap ---- */

/* what a step did, by its states */
typedef struct work {
    double energy;   /* gained [J] */
    double pushed;   /* work that contacts may do, whose gap was below zero at the start [J] */
    double impulses; /* sum of |z| and of |M u|: an error of 1 m/s and rad/s may do as many J */
} work;

static nb_vec3 vec3_at(const double *x) {
    return nb_vec3_of(x[0], x[1], x[2]);
}

static void add_body(const nb_world *world, int32_t i, const nb_snapshot *s, work *w) {
    const nb_body *body = &world->bodies[i];
    const double *u = s->u + 6 * i, *before = s->u_before + 6 * i, *q = s->q_before + 7 * i, h = s->time_step;
    if (body->kind != NB_BODY_DYNAMIC) return;
    const nb_quat back = nb_quat_conjugate((nb_quat){q[3], q[4], q[5], q[6]});
    const nb_vec3 v = vec3_at(u), v0 = vec3_at(before), spin = nb_quat_rotate(back, vec3_at(u + 3)),
                  spin0 = nb_quat_rotate(back, vec3_at(before + 3)), inertia = body->inertia;
    const nb_vec3 l = {inertia.x * spin.x, inertia.y * spin.y, inertia.z * spin.z},
                  l0 = {inertia.x * spin0.x, inertia.y * spin0.y, inertia.z * spin0.z};
    w->energy += 0.5 * body->mass * (nb_dot(v, v) - nb_dot(v0, v0)) + 0.5 * (nb_dot(spin, l) - nb_dot(spin0, l0)) -
                 body->mass * h * nb_dot(world->gravity, v);
    w->impulses += body->mass * nb_norm(v) + nb_norm(l);
}

static nb_vec3 velocity_at(const nb_snapshot *s, int32_t body, nb_vec3 point) {
    if (body < 0) return nb_vec3_of(0, 0, 0);
    const double *u = s->u + 6 * body;
    return nb_add(vec3_at(u), nb_cross(vec3_at(u + 3), nb_sub(point, vec3_at(s->q_before + 7 * body))));
}

static void add_contact(const nb_snapshot *s, int32_t i, work *w) {
    const nb_vec3 n = vec3_at(s->contact_normal + 3 * i), point = vec3_at(s->contact_point + 3 * i);
    const nb_vec3 apart =
        nb_sub(velocity_at(s, s->contact_bodies[2 * i], point), velocity_at(s, s->contact_bodies[2 * i + 1], point));
    const double gap = s->gap[i] - s->time_step * nb_dot(n, apart); /* at the start */
    w->pushed += fmax(0, -gap) * fmax(0, s->lambda_normal[i]);
    w->impulses +=
        s->time_step * (fabs(s->lambda_normal[i]) + hypot(s->lambda_friction[2 * i], s->lambda_friction[2 * i + 1]));
}

static work work_of(const nb_world *world, const nb_snapshot *s) {
    work w = {0};
    for (int32_t i = 0; i < s->bodies; i++) add_body(world, i, s, &w);
    for (int32_t i = 0; i < s->contacts; i++) add_contact(s, i, &w);
    for (int32_t i = 0; i < s->bilaterals; i++) w.impulses += s->time_step * fabs(s->lambda_bilateral[i]);
    return w;
}

/* The deepest of the step's contacts between spheres, or a sphere and a half-space, by their centres. (What meets
 * within the step and was not near at its start is no contact of it.) */
static double deepest_sphere(const nb_world *world, const nb_snapshot *s) {
    double deepest = 0;
    for (int32_t i = 0; i < s->contacts; i++) {
        const nb_body *a = &world->bodies[s->contact_bodies[2 * i]], *b = &world->bodies[s->contact_bodies[2 * i + 1]];
        const nb_shape *of_a = world->shapes[a->shape], *of_b = world->shapes[b->shape];
        const nb_vec3 apart = nb_sub(a->position, b->position);
        if (of_a->kind != NB_SHAPE_SPHERE) continue;
        if (of_b->kind == NB_SHAPE_SPHERE) deepest = fmax(deepest, of_a->radius + of_b->radius - nb_norm(apart));
        if (of_b->kind == NB_SHAPE_HALF_SPACE)
            deepest = fmax(deepest, of_a->radius - nb_dot(apart, nb_quat_rotate(b->orientation, nb_vec3_of(0, 0, 1))));
    }
    return deepest;
}

static int is_driven(const nb_world *world) {
    int driven = world->motor_count > 0;
    for (int32_t i = 0; i < world->body_count; i++) driven |= world->bodies[i].kind == NB_BODY_KINEMATIC;
    return driven;
}

/* Rigid scenes without joints and drives, by methods that solve their steps, at any length: no energy but what is
 * pushed out, and no overlap of spheres. */
TEST(solved_steps_gain_no_energy) {
    static const char *const methods[] = {"auto", "interior-point"};
    static const struct {
        const char *scenario, *settings;
    } scenes[] = {{"piling", "count=12 shape=sphere"},
                  {"piling", "count=8 shape=box"},
                  {"piling", "count=4"},
                  {"granular", "count=20"},
                  {"disks", "rows=4"},
                  {"three-disks", "mu=0.2"},
                  {"incline", "speed=1"},
                  {"heavy-stack", "count=3"},
                  {"wall", "width=2 height=3"},
                  {"arch", "count=6 mu=0.3"},
                  {"drop", "height=0.02"},
                  {"ellipse", "height=2.1"}};
    const uint64_t first = test_seed();
    uint64_t seed = first;
    int steps = 0;
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        const double tolerance = 1e-9, h = exp(test_random(&seed, log(5e-4), log(0.05)));
        nb_request request = request_of_scenario(scenes[i].scenario, scenes[i].settings, 15, tolerance);
        nb_scene_run scene = {.request = &request};
        nb_snapshot final = {0};
        double row[NB_STEP_COLUMNS];
        strcpy(request.info.method, methods[test_random_bits(&seed) % 2]);
        *request.info.linear_solver = 0;
        request.info.time_step = h;
        request.info.newton_iterations = 0;
        request.info.seed = test_random_bits(&seed) % 1000;
        CHECK_OK(nb_simulate_prepare(&request));
        CHECK_OK(nb_scene_run_build(&scene));
        assert_false(is_driven(scene.world));
        for (int step = 0; step < request.info.steps; step++) {
            CHECK_OK(nb_scene_run_advance(&scene, NULL, 1, &final, row));
            if (!nb_reason_converged((nb_reason)row[NB_STEP_REASON])) break; /* which others are about */
            const work w = work_of(scene.world, &final);
            const double deepest = deepest_sphere(scene.world, &final);
            steps++;
            assert_true(nb_penetration_of(scene.world, &final) == row[NB_STEP_MAX_PENETRATION]);
            if (!(w.energy <= w.pushed + 10 * tolerance * w.impulses) || deepest > 2 * h * tolerance)
                fail_msg("seed %llu: %s %s by %s at h = %g, step %d: %g J gained, %g pushed; %g m deep",
                         (unsigned long long)first, scenes[i].scenario, scenes[i].settings, request.info.method, h,
                         step, w.energy, w.pushed, deepest);
        }
        nb_snapshot_clear(&final);
        nb_scene_run_clear(&scene);
        nb_free(request.info.parameters);
    }
    print_message("seed %llu: %d solved steps\n", (unsigned long long)first, steps);
    assert_true(steps > 100);
}

/* An ellipse that rocks on a table is in it by more than its linear contact says: the column has what is there, by the
 * ellipse's own formula. */
TEST(penetration_is_where_bodies_are) {
    nb_request request = request_of_scenario("ellipse", "", 100, 1e-10);
    nb_scene_run scene = {.request = &request};
    nb_snapshot final = {0};
    double row[NB_STEP_COLUMNS], most = 0;
    strcpy(request.info.method, "interior-point");
    *request.info.linear_solver = 0;
    CHECK_OK(nb_simulate_prepare(&request));
    CHECK_OK(nb_scene_run_build(&scene));
    for (int step = 0; step < request.info.steps; step++) {
        CHECK_OK(nb_scene_run_advance(&scene, NULL, 1, &final, row));
        const double *q = final.q + 7, angle = 2 * atan2(q[5], q[3]);
        const double depth = fmax(0, hypot(4 * sin(angle), 2 * cos(angle)) - q[2]);
        CHECK_NEAR(row[NB_STEP_MAX_PENETRATION], depth, 1e-12);
        CHECK_BELOW(row[NB_STEP_LAW_PENETRATION], 1e-11);
        most = fmax(most, depth);
    }
    CHECK_NEAR(most, 0.0456, 1e-4);
    nb_snapshot_clear(&final);
    nb_scene_run_clear(&scene);
    nb_free(request.info.parameters);
}

RUN_TESTS(balls_roll_as_they_must, solved_steps_gain_no_energy, penetration_is_where_bodies_are)
