/* Integrators on worlds, stage by stage: against closed forms and finer steps (order), what is prescribed, what goes
 * from step to step; slides with smoothed friction. */
#include "model/integration.h"

#include <string.h>

#include "../scenarios/common.h"
#include "base/memory.h"
#include "check.h"
#include "model/drive.h"
#include "run/resolve.h"
#include "run/simulate.h"
#include "step/stepper.h"

NB_PRECISIONS(f64);

static const nb_stepper_class *const type = &nb_stepper_f64;

/* a world, and what makes its steps */
typedef struct scene {
    nb_request request;
    nb_world *world;
    nb_contacts *contacts;
    nb_measure *measure;
    nb_integration *integration;
    void *stepper;
} scene;

static void open_scene(nb_integrator integrator, const char *method, const char *options, scene *s) {
    memset(s, 0, sizeof *s);
    nb_request_standard(&s->request);
    strcpy(s->request.info.scenario, "incline");
    strcpy(s->request.info.method, method);
    s->request.info.newton_iterations = 100;
    if (strcmp(method, "newton") == 0) {
        s->request.info.newton_tolerance = 1e-12;
        strcpy(s->request.info.linear_solver, "cholesky");
    }
    while (*options) {
        char name[64], value[64];
        assert_int_equal(sscanf(options, "%63[^=]=%63s", name, value), 2);
        CHECK_OK(nb_request_set_option(&s->request, name, value));
        options += strcspn(options, " ");
        options += strspn(options, " ");
    }
    CHECK_OK(nb_simulate_prepare(&s->request));
    const nb_method_settings settings = nb_request_settings(&s->request);
    CHECK_OK(type->create(method, &settings, &s->stepper));
    CHECK_OK(nb_contacts_create(&s->contacts));
    CHECK_OK(nb_measure_create(&s->measure));
    CHECK_OK(nb_world_create(&s->world));
    s->world->settings.integrator = integrator;
}

static void close_scene(scene *s) {
    type->destroy(s->stepper);
    nb_measure_destroy(s->measure);
    nb_contacts_destroy(s->contacts);
    nb_integration_destroy(s->integration);
    nb_world_destroy(s->world);
    nb_free(s->request.info.parameters);
}

static void solve(scene *s, double h) {
    nb_step_counts counts;
    nb_step_outcome outcome;
    CHECK_OK(nb_contacts_detect(s->world, h, s->contacts));
    CHECK_OK(type->begin(s->stepper, s->world, s->contacts, h, NB_GEOMETRY_JOINTS));
    CHECK_OK(nb_measure_begin(s->measure, s->world, s->contacts, h, NB_GEOMETRY_JOINTS));
    CHECK_OK(type->step(s->stepper, s->world, s->contacts, h, 1, s->measure, NULL, &outcome, &counts, NULL));
    if (!nb_reason_converged(outcome.reason))
        fail_msg("%s: a step ends by %s after %d iterations", nb_integrator_names[s->world->settings.integrator],
                 nb_reason_name(outcome.reason), (int)outcome.newton_iterations);
}

/* when the world is whole */
static void begin(scene *s) {
    CHECK_OK(nb_integration_create(s->world, &s->integration));
}

static void step(scene *s, double h) {
    const int stages = nb_integration_begin(s->integration, s->world, h);
    for (int k = 0; k < stages; k++) {
        solve(s, nb_integration_begin_stage(s->integration, s->world, k));
        nb_integration_end_stage(s->integration, s->world, k);
    }
}

static nb_particle *add_particle(scene *s, double mass, nb_vec3 position, nb_vec3 velocity) {
    int32_t index;
    const nb_particle particle = {.kind = NB_BODY_DYNAMIC, .mass = mass, .position = position, .velocity = velocity};
    CHECK_OK(nb_world_add_particle(s->world, &particle, &index));
    return &s->world->particles[index];
}

static void check_order(nb_integrator integrator, const double errors[2], double order) {
    const double found = log2(errors[0] / errors[1]);
    print_message("%s: %.3g %.3g, order %.3f\n", nb_integrator_names[integrator], errors[0], errors[1], found);
    CHECK_NEAR(found, order, 0.1);
}

/* ---- closed forms ---- */

/* Velocities are exact, to what each step is solved to. Places are of order 2, but for what bdf2's first step by be
 * leaves, f h^2/2 (1 + 1/3 + ..). */
static void falls_are_exact(void **state) {
    (void)state;
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
static void springs_are_of_their_order(void **state) {
    (void)state;
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
static void a_free_top_is_of_its_order(void **state) {
    (void)state;
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
static void a_pendulum_is_of_its_order(void **state) {
    (void)state;
    const double time = 0.5, orders[NB_INTEGRATORS] = {1, 2, 2, 2, 1};
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
static void what_is_prescribed_stays_on_its_way(void **state) {
    (void)state;
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
static void a_step_goes_on_from_what_was_saved(void **state) {
    (void)state;
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

/* ---- smoothed friction ---- */

/* The way of a particle on a slope until its speed is eps, from 0.1 m/s. */
static double way(nb_integrator integrator, const char *options, double h, double gap) {
    const double slope = 10 * 0.017453292519943295, g = 9.81;
    scene s;
    int32_t index;
    open_scene(integrator, "smoothed", options, &s);
    s.world->settings.contact_margin = 0.05;
    s.world->gravity = nb_vec3_of(g * sin(slope), 0, -g * cos(slope));
    CHECK_OK(nb_add_ground(s.world, 0.177, nb_quat_identity(), &index));
    nb_particle *particle = add_particle(&s, 1, nb_vec3_of(0, 0, gap), nb_vec3_of(0.1, 0, 0));
    particle->friction = 0.177;
    begin(&s);
    for (int n = 0; n < 4000 && particle->velocity.x > 1e-3; n++) step(&s, h);
    const double x = particle->position.x;
    close_scene(&s);
    print_message("%s, %s: %.5f m\n", nb_integrator_names[integrator], options, x);
    return x;
}

/* The closed form's .768915 m, less v0 h/2 by be. Under the load of its weight friction does not change, and lagging it
 * does nothing. From a gap, two passes in each stage are enough; there tr, which damps nothing, rebounds. */
static void all_integrators_stop_the_slide(void **state) {
    (void)state;
    const double kappa = 1e4, thickness = 1e-3, h = 0.02, load = 9.81 * cos(10 * 0.017453292519943295);
    const double loaded = thickness - sqrt(load * thickness / (3 * kappa));
    for (int i = 0; i < NB_INTEGRATORS; i++) {
        const double known = 0.768915 - (i == NB_INTEGRATOR_BE ? 0.1 * h / 2 : 0);
        CHECK_NEAR(way((nb_integrator)i, "contact-stiffness=10000", h, loaded), known, 1e-4);
        CHECK_NEAR(way((nb_integrator)i, "contact-stiffness=10000 friction-coupling=lagged", h, loaded), known, 1e-4);
        if (i == NB_INTEGRATOR_TR) continue;
        CHECK_NEAR(way((nb_integrator)i, "friction-coupling=lagged friction-iterations=2", h, thickness), known, 2e-4);
    }
}

static void press_in_turns(nb_world *world, double h) {
    world->gravity = nb_vec3_of(0, 0, -20 * (1 + 0.5 * sin(6 * (world->time + h))));
}

static const double stiffness = 200, delta = 0.5; /* of the contact below */

/* a particle of 1 kg that slides at 20 m/s, at this gap, and is pressed down by a load which changes */
static nb_particle *open_slide(nb_integrator integrator, const char *coupling, double gap, scene *s) {
    char options[256];
    int32_t index;
    snprintf(options, sizeof options, "contact-stiffness=%g contact-tolerance=%g friction-coupling=%s", stiffness,
             delta, coupling);
    open_scene(integrator, "smoothed", options, s);
    s->world->settings.contact_margin = 1;
    s->world->prescribe = press_in_turns;
    CHECK_OK(nb_add_ground(s->world, 0.3, nb_quat_identity(), &index));
    nb_particle *particle = add_particle(s, 1, nb_vec3_of(0, 0, gap), nb_vec3_of(20, 0, 0));
    particle->friction = 0.3;
    begin(s);
    return particle;
}

/* Lagged friction is of the normal force at the step's start in every stage: from a gap none in the first step, and
 * then that of the gap there, of which a step of bdf2 has two thirds. */
static void lagged_friction_is_of_the_steps_start(void **state) {
    (void)state;
    const double h = 0.05;
    for (int k = 0; k < 2; k++) {
        scene s;
        const nb_particle *particle = open_slide(k ? NB_INTEGRATOR_BDF2 : NB_INTEGRATOR_SDIRK2, "lagged", delta, &s);
        step(&s, h);
        CHECK_NEAR(particle->velocity.x, 20, 1e-12);
        const double closed = delta - particle->position.z, force = 3 * stiffness * closed * closed / delta;
        assert_true(force > 0.1);
        step(&s, h);
        CHECK_NEAR(particle->velocity.x, 20 - (k ? 2. / 3 : 1) * h * 0.3 * force, 1e-10);
        close_scene(&s);
    }
}

/* its velocity after a second, from a loaded start */
static double slid(nb_integrator integrator, const char *coupling, int steps) {
    scene s;
    const nb_particle *particle = open_slide(integrator, coupling, delta - sqrt(20 * delta / (3 * stiffness)), &s);
    for (int n = 0; n < steps; n++) step(&s, 1.0 / steps);
    const double speed = particle->velocity.x;
    close_scene(&s);
    return speed;
}

/* Friction of the normal force at the stage's end has order 2: implicit, or continued there from the step's start. */
static void extrapolated_friction_is_of_order_two(void **state) {
    (void)state;
    enum {
        STEPS = 200
    };
    const double exact =
        (4 * slid(NB_INTEGRATOR_TR_BDF2, "implicit", 2000) - slid(NB_INTEGRATOR_TR_BDF2, "implicit", 1000)) / 3;
    for (int i = 1; i < NB_INTEGRATORS; i++)
        for (int how = 0; how < 2; how++) {
            double errors[2];
            for (int k = 0; k < 2; k++)
                errors[k] = fabs(slid((nb_integrator)i, how ? "extrapolated" : "implicit", STEPS << k) - exact);
            check_order((nb_integrator)i, errors, 2);
        }
}

/* Five masses on four springs fall upright at 7.06 m/s: the part of that energy that their centre of mass has when they
 * have left the ground. */
static double rebound(nb_integrator integrator, double h) {
    enum {
        MASSES = 5
    };
    const double speed = 7.06, spacing = 0.1, thickness = 0.01;
    scene s;
    int32_t index;
    double v = 0, lowest = 0;
    open_scene(integrator, "smoothed", "contact-stiffness=1e5 contact-tolerance=0.01", &s);
    s.world->settings.contact_margin = 0.05;
    s.world->gravity = nb_vec3_of(0, 0, 0);
    CHECK_OK(nb_add_ground(s.world, 0, nb_quat_identity(), &index));
    for (int i = 0; i < MASSES; i++)
        add_particle(&s, 0.2, nb_vec3_of(0, 0, 1.1 * thickness + spacing * i), nb_vec3_of(0, 0, -speed));
    for (int i = 0; i + 1 < MASSES; i++)
        CHECK_OK(nb_world_add_spring(s.world, &(nb_spring){{i, i + 1}, spacing, 8.1e4}, &index));
    begin(&s);
    for (double t = 0; t < 0.1 && (v <= 0 || lowest < thickness); t += h) {
        step(&s, h);
        v = 0;
        lowest = INFINITY;
        for (int i = 0; i < MASSES; i++) {
            v += s.world->particles[i].velocity.z / MASSES;
            lowest = fmin(lowest, s.world->particles[i].position.z);
        }
    }
    close_scene(&s);
    return v * v / (speed * speed);
}

/* Larionov et al., fig. 10: at steps of 1 ms be rebounds least, then bdf2, then those of two stages, from below the
 * limit, at which those of order 2 are at 1/16 ms. */
static void rebounds_are_in_the_papers_order(void **state) {
    (void)state;
    double coarse[NB_INTEGRATORS], fine[NB_INTEGRATORS];
    for (int i = 0; i < NB_INTEGRATORS; i++) {
        coarse[i] = rebound((nb_integrator)i, 1e-3);
        fine[i] = rebound((nb_integrator)i, 6.25e-5);
        print_message("%s: %.3f, %.4f\n", nb_integrator_names[i], coarse[i], fine[i]);
        if (i != NB_INTEGRATOR_BE) CHECK_NEAR(fine[i], fine[NB_INTEGRATOR_TR], 1e-3);
    }
    const double limit = fine[NB_INTEGRATOR_TR_BDF2];
    assert_true(coarse[NB_INTEGRATOR_BE] < 0.5 * limit);
    assert_true(coarse[NB_INTEGRATOR_BE] < coarse[NB_INTEGRATOR_BDF2]);
    assert_true(coarse[NB_INTEGRATOR_BDF2] < coarse[NB_INTEGRATOR_SDIRK2]);
    CHECK_NEAR(coarse[NB_INTEGRATOR_SDIRK2], coarse[NB_INTEGRATOR_TR_BDF2], 0.01);
    assert_true(coarse[NB_INTEGRATOR_TR_BDF2] < limit && fine[NB_INTEGRATOR_BE] < 0.9 * limit);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(falls_are_exact),
        cmocka_unit_test(springs_are_of_their_order),
        cmocka_unit_test(a_free_top_is_of_its_order),
        cmocka_unit_test(a_pendulum_is_of_its_order),
        cmocka_unit_test(what_is_prescribed_stays_on_its_way),
        cmocka_unit_test(a_step_goes_on_from_what_was_saved),
        cmocka_unit_test(all_integrators_stop_the_slide),
        cmocka_unit_test(lagged_friction_is_of_the_steps_start),
        cmocka_unit_test(rebounds_are_in_the_papers_order),
        cmocka_unit_test(extrapolated_friction_is_of_order_two),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
