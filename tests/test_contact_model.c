/* Contacts that give way (model/contact_model.h): positions at rest and speeds of creep in closed form, in every method
 * of the relaxed law, whose velocities agree; and what is refused. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "check.h"
#include "constraint/cone_law.h"
#include "method/newton/contact_potential.h"
#include "model/contact_field.h"
#include "model/contact_model.h"
#include "registry.h"
#include "run/resolve.h"
#include "run/simulate.h"
#include "step/stepper.h"

NB_PRECISIONS(f64);

static const double g = 9.81, h = 0.01;

enum {
    BODIES = 4 /* at most */
};

static int knows(const nb_method_class *method) {
    return (int)(method->friction_laws >> NB_FRICTION_RELAXED & 1);
}

/* on a half-space, gravity leaning by `angle` from its normal toward x */
static nb_world *make_world(double angle) {
    nb_world *world;
    nb_shape *shape;
    int32_t index;
    CHECK_OK(nb_world_create(&world));
    CHECK_OK(nb_shape_half_space(&shape));
    CHECK_OK(nb_world_add_shape(world, shape, &index));
    CHECK_OK(nb_world_add_solid(world, NB_BODY_FIXED, index, 0, 0.5, nb_vec3_of(0, 0, 0), nb_quat_identity(), &index));
    world->gravity = nb_vec3_of(g * sin(angle), 0, -g * cos(angle));
    world->settings.contact_margin = 0.02;
    world->settings.contacts.model = NB_CONTACTS_SAP;
    world->settings.friction_law = NB_FRICTION_RELAXED;
    return world;
}

/* the last step's */
typedef struct result {
    nb_step_outcome outcome;
    nb_snapshot *final; /* NULL, or filled */
} result;

/* `option`: NULL, or of the method, to be on */
static void run_with(nb_world *world, const char *method, const char *option, int f32, int steps, double tolerance,
                     result *r) {
    nb_request request;
    void *stepper;
    nb_contacts *contacts;
    nb_measure *measure;
    nb_step_counts counts;
    const nb_stepper_class *type = f32 ? &nb_stepper_f32 : &nb_stepper_f64;
    nb_request_standard(&request);
    strcpy(request.info.scenario, "heavy-stack");
    strcpy(request.info.method, method);
    request.scene.contacts.model = world->settings.contacts.model;
    if (option) CHECK_OK(nb_request_set_option(&request, option, "on"));
    CHECK_OK(nb_simulate_prepare(&request));
    nb_method_settings settings = nb_request_settings(&request);
    settings.newton_iterations = 100000;
    settings.newton_tolerance = tolerance;
    CHECK_OK(type->create(method, &settings, &stepper));
    CHECK_OK(nb_contacts_create(&contacts));
    CHECK_OK(nb_measure_create(&measure));
    for (int s = 0; s < steps; s++) {
        CHECK_OK(nb_contacts_detect(world, h, contacts));
        CHECK_OK(type->begin(stepper, world, contacts, h, NB_GEOMETRY_FROZEN));
        CHECK_OK(nb_measure_begin(measure, world, contacts, h, NB_GEOMETRY_FROZEN));
        CHECK_OK(type->step(stepper, world, contacts, h, s > 0, measure, NULL, &r->outcome, &counts, r->final));
    }
    nb_measure_destroy(measure);
    nb_contacts_destroy(contacts);
    type->destroy(stepper);
    nb_free(request.info.parameters);
}

static void run(nb_world *world, const char *method, int f32, int steps, double tolerance, result *r) {
    run_with(world, method, NULL, f32, steps, tolerance, r);
}

static int32_t add_sphere(nb_world *world, double radius, nb_vec3 position) {
    nb_shape *shape;
    int32_t index;
    CHECK_OK(nb_shape_sphere(radius, &shape));
    CHECK_OK(nb_world_add_shape(world, shape, &index));
    CHECK_OK(nb_world_add_solid(world, NB_BODY_DYNAMIC, index, 1000, 0.5, position, nb_quat_identity(), &index));
    return index;
}

/* dl/dv = -z and dz/dv = -G by central differences, in all three modes; z in the cone, and z.(c + R z) = 0 */
TEST(potentials_have_their_derivatives) {
    uint64_t seed = test_seed();
    int modes[3] = {0};
    for (int trial = 0; trial < 3000; trial++) {
        const double normal = pow(10, test_random(&seed, -2, 1)), tangent = pow(10, test_random(&seed, -2, 1)),
                     mu = trial % 10 ? test_random(&seed, 0.1, 1) : 0, step = 1e-6;
        double c[3], z[3], slope[9], near[2][3], l[2];
        for (int k = 0; k < 3; k++) c[k] = test_random(&seed, -1, 1);
        const double own = nb_contact_potential(normal, tangent, mu, c, z, slope), slip = hypot(z[1], z[2]);
        modes[z[0] == 0 ? 0 : slip < mu * z[0] * (1 - 1e-12) ? 1 : 2]++;
        assert_true(slip <= mu * z[0] * (1 + 1e-12));
        CHECK_NEAR(own, (normal * z[0] * z[0] + tangent * slip * slip) / 2, 1e-12 * (1 + own));
        CHECK_NEAR(z[0] * (c[0] + normal * z[0]) + z[1] * (c[1] + tangent * z[1]) + z[2] * (c[2] + tangent * z[2]), 0,
                   1e-12 * (1 + own));
        int smooth = 1; /* no mode changes within the differences */
        for (int k = 0; k < 3 && smooth; k++) {
            const double kept = c[k];
            for (int side = 0; side < 2; side++) {
                double other[9];
                c[k] = kept + (side ? -step : step);
                l[side] = nb_contact_potential(normal, tangent, mu, c, near[side], other);
                for (int e = 0; e < 9; e++)
                    smooth &= fabs(other[e] - slope[e]) < 1e-3 * (slope[0] + slope[4] + slope[8]) + 1e-30;
            }
            c[k] = kept;
            CHECK_NEAR((l[0] - l[1]) / (2 * step), -z[k], 1e-4 * (1 + own));
            for (int j = 0; j < 3 && smooth; j++)
                CHECK_NEAR((near[0][j] - near[1][j]) / (2 * step), -slope[3 * j + k],
                           1e-5 * (slope[0] + slope[4] + slope[8] + 1));
        }
    }
    for (int k = 0; k < 3; k++) assert_true(modes[k] > 100);
}

/* N_ii = diag(1, 7/2, 7/2)/m: the sphere sinks by beta^2 sqrt(25.5)/(12 pi^2) g h^2; with a stiffness k by m g/k where
 * that is softer, whatever dissipates */
TEST(a_sphere_sinks) {
    const nb_method_class *method;
    for (int i = 0; (method = nb_method_at(i)) != NULL; i++)
        for (int k = 0; k < 4 && knows(method); k++) {
            const double beta = k & 1 ? 0.5 : 1, near_rigid = beta * beta * sqrt(25.5) / (12 * M_PI * M_PI) * g * h * h;
            nb_world *world = make_world(0);
            const int32_t sphere = add_sphere(world, 0.1, nb_vec3_of(0, 0, 0.1));
            const double sunk = k < 2 ? near_rigid : 3 * near_rigid;
            nb_scene_settings *settings = &world->settings;
            result r = {0};
            settings->contacts.beta = beta;
            if (k >= 2) settings->contacts.stiffness = world->bodies[sphere].mass * g / sunk;
            if (k == 3) settings->contacts.relaxation = 0.02;
            run(world, method->name, 0, 300, 1e-11, &r);
            CHECK_NEAR(world->bodies[sphere].position.z, 0.1 - sunk, 1e-9);
            if (k == 0) CHECK_NEAR(0.1 - world->bodies[sphere].position.z, 4.1827e-5, 1e-9);
            nb_world_destroy(world);
        }
}

/* a particle in a sphere's shape: it does not turn */
static nb_body *add_point(nb_world *world) {
    const int32_t point = add_sphere(world, 1e-3, nb_vec3_of(0, 0, 1e-3));
    nb_body *body = &world->bodies[point];
    body->mass = 1;
    body->inertia = nb_vec3_of(1e9, 1e9, 1e9);
    return body;
}

/* settings, and what MuJoCo 4.0.0 comes to with elliptic cones after 15 s: the penetration of a sphere on level ground
 * and of a particle on a slope of 0.2 rad, and the particle's speed */
static const struct {
    double time, ratio, d0, dmax, width, impratio, sphere, particle, creep;
} of_mujoco[] = {
    {0.02, 1, 0.9, 0.95, 1e-3, 1, 0.00036718184246017915, 0.00036180383553443716, 0.0017622945657225643},
    {0.05, 0.7, 0.8, 0.93, 2e-3, 4, 0.001305059337325748, 0.0012942678393761493, 0.0012919804084535835},
};

static void set_mujoco(nb_world *world, int k) {
    nb_contact_choice *choice = &world->settings.contacts;
    choice->model = NB_CONTACTS_MUJOCO;
    choice->time_constant = of_mujoco[k].time;
    choice->ratio = of_mujoco[k].ratio;
    choice->impedance = of_mujoco[k].d0;
    choice->most_impedance = of_mujoco[k].dmax;
    choice->width = of_mujoco[k].width;
    choice->impedance_ratio = of_mujoco[k].impratio;
}

/* What is at rest has h K r = R_n m g' h, r = (1 - d)/d^2 (D T zeta)^2 g', with g' the gravity along the normal, and
 * creeps at h B v = R_t m g h sin(0.2); without slip it stays. As in MuJoCo. */
TEST(bodies_rest_as_in_mujoco) {
    const nb_method_class *method;
    for (int i = 0; (method = nb_method_at(i)) != NULL; i++)
        for (int k = 0; k < 8 && knows(method); k++) {
            const int set = k & 1, slope = k & 2, without_slip = k & 4;
            const double scale = of_mujoco[set].dmax * of_mujoco[set].time, across = slope ? g * cos(0.2) : g;
            double low = 0, r = 0, high = of_mujoco[set].width, d = 0;
            for (int n = 0; n < 60; n++) {
                r = (low + high) / 2;
                const double x = r / of_mujoco[set].width, y = x < 0.5 ? 2 * x * x : 1 - 2 * (1 - x) * (1 - x);
                d = of_mujoco[set].d0 + y * (of_mujoco[set].dmax - of_mujoco[set].d0);
                *(r < (1 - d) / (d * d) * pow(scale * of_mujoco[set].ratio, 2) * across ? &low : &high) = r;
            }
            const double creep = (1 - d) / (d * of_mujoco[set].impratio) * g * sin(0.2) * scale / 2;
            CHECK_NEAR(r, slope ? of_mujoco[set].particle : of_mujoco[set].sphere, 1e-12);
            if (slope) CHECK_NEAR(creep, of_mujoco[set].creep, 1e-12);
            nb_world *world = make_world(slope ? 0.2 : 0);
            nb_body *body = slope ? add_point(world) : &world->bodies[add_sphere(world, 0.1, nb_vec3_of(0, 0, 0.1))];
            const double height = body->position.z;
            result outcome = {0};
            set_mujoco(world, set);
            world->settings.contacts.no_slip_sweeps = without_slip ? 20 : 0;
            run(world, method->name, 0, 600, 1e-11, &outcome);
            CHECK_NEAR(height - body->position.z, r, 1e-8);
            if (slope) CHECK_NEAR(body->linear_velocity.x, without_slip ? 0 : creep, without_slip ? 1e-12 : 1e-8);
            if (slope && without_slip) { /* what sticks is braked by h B */
                body->linear_velocity.x = 1e-4;
                run(world, method->name, 0, 1, 1e-11, &outcome);
                CHECK_NEAR(body->linear_velocity.x, (1 - 2 * h / scale) * 1e-4, 1e-12);
            }
            nb_world_destroy(world);
        }
}

/* A slab of 1 kg on a slope of 0.2 rad, on four corners, creeps and sinks as in MuJoCo 4.0.0 after 15 s. */
TEST(a_slab_creeps_as_in_mujoco) {
    nb_world *world = make_world(0.2);
    nb_shape *shape;
    int32_t index;
    result r = {0};
    CHECK_OK(nb_shape_box(nb_vec3_of(0.5, 0.5, 0.05), &shape));
    CHECK_OK(nb_world_add_shape(world, shape, &index));
    CHECK_OK(
        nb_world_add_solid(world, NB_BODY_DYNAMIC, index, 10, 0.5, nb_vec3_of(0, 0, 0.05), nb_quat_identity(), &index));
    set_mujoco(world, 0);
    run(world, "sap", 0, 1500, 1e-12, &r);
    CHECK_NEAR(world->bodies[index].linear_velocity.x, 5.07930387e-4, 1e-10);
    CHECK_NEAR(0.05 - world->bodies[index].position.z, 1.0566392617780002e-4, 1e-8);
    nb_world_destroy(world);
}

/* N_ii = 1/m: on a slope of 0.2 rad a point that sticks creeps at sigma g h sin(0.2)/sqrt(3) */
TEST(a_point_creeps) {
    const nb_method_class *method;
    for (int i = 0; (method = nb_method_at(i)) != NULL; i++)
        for (int k = 0; k < 2 && knows(method); k++) {
            const double sigma = k ? 1e-4 : 1e-3;
            nb_world *world = make_world(0.2);
            const nb_body *body = add_point(world);
            result r = {0};
            world->settings.contacts.sigma = sigma;
            run(world, method->name, 0, 200, 1e-12, &r);
            CHECK_NEAR(body->linear_velocity.x, sigma * g * h * sin(0.2) / sqrt(3), 1e-10);
            if (k == 0) CHECK_NEAR(body->linear_velocity.x, 1.1252e-5, 1e-9);
            nb_world_destroy(world);
        }
}

/* The law that is solved and Coulomb's are told apart: its own error is the solver's; that of a sphere at rest by
 * Coulomb's is what the model takes in, R_n m g h. */
TEST(errors_of_model_and_solver_stand_apart) {
    nb_world *world = make_world(0);
    result r = {0};
    add_sphere(world, 0.1, nb_vec3_of(0, 0, 0.1));
    run(world, "interior-point", 0, 300, 1e-11, &r);
    CHECK_BELOW(r.outcome.errors.natural_map, 1e-11);
    CHECK_NEAR(r.outcome.errors.penetration, 4.1827e-5, 1e-9);
    CHECK_NEAR(r.outcome.errors.coulomb, 4.1827e-5 / h, 1e-7);
    nb_world_destroy(world);
}

/* boxes and spheres on each other, a little into each other, that move and turn */
static nb_world *draw_free(uint64_t *seed) {
    nb_world *world = make_world(test_random(seed, 0, 0.3));
    nb_shape *shape;
    double z = 0;
    world->settings.contacts.beta = test_random(seed, 0.5, 1);
    world->settings.contacts.sigma = pow(10, test_random(seed, -4, -2));
    if (test_random_bits(seed) % 3 == 0) world->settings.contacts.model = NB_CONTACTS_MUJOCO;
    for (int i = 0; i < 2 + (int)(test_random_bits(seed) % (BODIES - 1)); i++) {
        const double size = test_random(seed, 0.08, 0.12);
        const int box = (int)(test_random_bits(seed) % 2);
        int32_t index;
        if (box)
            CHECK_OK(nb_shape_box(nb_vec3_of(size, size, size), &shape));
        else
            CHECK_OK(nb_shape_sphere(size, &shape));
        CHECK_OK(nb_world_add_shape(world, shape, &index));
        const nb_vec3 at = nb_vec3_of(test_random(seed, -0.02, 0.02), test_random(seed, -0.02, 0.02), z + size - 1e-4);
        CHECK_OK(nb_world_add_solid(world, NB_BODY_DYNAMIC, index, test_random(seed, 500, 1000),
                                    test_random(seed, 0, 1), at, nb_quat_identity(), &index));
        z = at.z + size;
        world->bodies[index].linear_velocity =
            nb_vec3_of(test_random(seed, -0.5, 0.5), test_random(seed, -0.5, 0.5), test_random(seed, -0.5, 0));
        world->bodies[index].angular_velocity = nb_vec3_of(test_random(seed, -1, 1), 0, test_random(seed, -1, 1));
    }
    return world;
}

/* often with a hinge between two */
static nb_world *draw(uint64_t *seed) {
    nb_world *world = draw_free(seed);
    if (test_random_bits(seed) % 2 == 0) {
        const double rigid[6] = {0};
        CHECK_OK(nb_world_add_joint_at(world, NB_JOINT_REVOLUTE, 1, 2, world->bodies[2].position, nb_quat_identity(),
                                       rigid, &(int32_t){0}));
    }
    return world;
}

/* Where 2 h = D T friction has no shift: after the pass without slip it obeys Coulomb's law at the normal impulses of
 * the soft solve, and momentum is kept. In both precisions. Joints are refused. */
TEST(friction_without_slip_is_exact) {
    uint64_t seed = test_seed();
    int stuck = 0, slid = 0, less = 0;
    for (int trial = 0; trial < 40; trial++) {
        const uint64_t own = seed;
        const int f32 = trial % 4 == 3;
        const double small = f32 ? 1e-4 : 1e-10;
        nb_snapshot final[2] = {0};
        result r[2] = {{.final = &final[0]}, {.final = &final[1]}};
        for (int k = 0; k < 2; k++) {
            uint64_t again = own;
            nb_world *world = draw_free(&again);
            set_mujoco(world, 0);
            world->settings.contacts.time_constant = 2 * h / of_mujoco[0].dmax;
            world->settings.contacts.no_slip_sweeps = k ? 100000 : 0;
            run(world, "interior-point", f32, 1, f32 ? 1e-5 : 1e-11, &r[k]);
            nb_world_destroy(world);
            seed = again;
        }
        assert_int_equal(final[0].contacts, final[1].contacts);
        assert_memory_equal(final[0].lambda_normal, final[1].lambda_normal,
                            (size_t) final[0].contacts * sizeof(double));
        assert_true(r[1].outcome.errors.natural_map == r[0].outcome.errors.natural_map);
        CHECK_BELOW(r[1].outcome.errors.momentum, small);
        double slip[2] = {0};
        for (int32_t i = 0; i < final[1].contacts; i++) {
            const double *v = final[1].slip + 2 * i, *z = final[1].lambda_friction + 2 * i,
                         most = final[1].mu[i] * final[1].lambda_normal[i], fast = hypot(v[0], v[1]);
            if (!(final[1].lambda_normal[i] > 0)) continue;
            for (int k = 0; k < 2; k++) slip[k] = fmax(slip[k], hypot(final[k].slip[2 * i], final[k].slip[2 * i + 1]));
            CHECK_BELOW(hypot(z[0], z[1]), most * (1 + (f32 ? 1e-6 : 1e-13)));
            fast > 10 * small ? slid++ : stuck++;
            for (int k = 0; k < 2 && fast > 10 * small; k++)
                CHECK_NEAR(z[k], -most * v[k] / fast, most * 2 * small / fast + 1e-12);
        }
        less += slip[1] < slip[0];
        for (int k = 0; k < 2; k++) nb_snapshot_clear(&final[k]);
    }
    assert_true(stuck > 30 && slid > 30 && less > 8);
    nb_request request;
    nb_run *made = NULL;
    nb_request_standard(&request);
    strcpy(request.info.scenario, "loop-biped");
    strcpy(request.info.method, "interior-point");
    request.scene.contacts.model = NB_CONTACTS_MUJOCO;
    request.scene.contacts.no_slip_sweeps = 3;
    CHECK_OK(nb_simulate_prepare(&request));
    CHECK_FAULT(nb_simulate(&request, NULL, NULL, &made), NB_ERROR_UNSUPPORTED, "--noslip does not support joints");
    nb_run_destroy(made);
    nb_free(request.info.parameters);
}

/* lagged friction, and sweeps of 1e5 at most */
static int may_fail(const nb_method_class *method) {
    return strcmp(method->name, "newton") == 0 || strcmp(method->name + strlen(method->name) - 3, "sor") == 0;
}

/* All methods to 1e-6 of the fastest, where natural maps are 1e-8 of it: velocities are off by a few natural maps. */
TEST(methods_agree) {
    const nb_method_class *method;
    uint64_t seed = test_seed();
    int lost = 0;
    for (int trial = 0; trial < 20; trial++) {
        const uint64_t own = seed;
        double fastest = 0;
        result r = {0};
        nb_world *reference = draw(&seed);
        run(reference, "interior-point", 0, 1, 1e-12, &r);
        for (int32_t b = 0; b < reference->body_count; b++)
            fastest = fmax(fastest, nb_norm(reference->bodies[b].linear_velocity));
        for (int i = 0; (method = nb_method_at(i)) != NULL; i++) {
            uint64_t again = own;
            if (!knows(method)) continue;
            nb_world *world = draw(&again);
            run(world, method->name, 0, 1, 1e-8 * fastest, &r);
            if (may_fail(method) && !nb_reason_converged(r.outcome.reason)) {
                lost++;
                nb_world_destroy(world);
                continue;
            }
            CHECK_BELOW(r.outcome.errors.natural_map, 1e-8 * fastest);
            for (int32_t b = 0; b < world->body_count; b++)
                CHECK_BELOW(nb_norm(nb_sub(world->bodies[b].linear_velocity, reference->bodies[b].linear_velocity)),
                            1e-6 * fastest);
            nb_world_destroy(world);
        }
        nb_world_destroy(reference);
    }
    assert_in_range(lost, 0, 12);
}

/* hinges with narrow limits between neighbours, and a particle that meets the ground */
static void add_limits(nb_world *world, uint64_t *seed) {
    const double rigid[6] = {0};
    const int32_t bodies = world->body_count;
    int32_t index;
    for (int32_t b = 2; b < bodies; b++) {
        const nb_vec3 aside = nb_vec3_of(test_random(seed, -0.1, 0.1), test_random(seed, -0.1, 0.1), 0);
        const nb_quat frame = nb_quat_about(nb_vec3_of(0, 0, 1), test_random(seed, -3, 3));
        CHECK_OK(nb_world_add_joint_at(world, NB_JOINT_REVOLUTE, b, b - 1, nb_add(world->bodies[b].position, aside),
                                       frame, rigid, &index));
        nb_joint *joint = &world->joints[index];
        joint->limited = 1;
        joint->limits[0] = -test_random(seed, 0, 0.003);
        joint->limits[1] = test_random(seed, 0, 0.003);
        joint->friction = test_random(seed, 0, 5);
    }
    const nb_particle particle = {.kind = NB_BODY_DYNAMIC,
                                  .mass = test_random(seed, 0.1, 2),
                                  .friction = 0.5,
                                  .position = nb_vec3_of(1, 0, test_random(seed, -1e-3, 1e-3)),
                                  .velocity = nb_vec3_of(test_random(seed, -1, 1), 0, test_random(seed, -1, 0))};
    CHECK_OK(nb_world_add_particle(world, &particle, &index));
}

/* the method sap with limits and dry friction of joints, and with a particle; a solution is that of interior-point */
TEST(limits_of_joints_and_particles_hold) {
    uint64_t seed = test_seed();
    int reached = 0;
    for (int trial = 0; trial < 40; trial++) {
        uint64_t again = seed;
        result r = {0};
        nb_world *reference = draw_free(&seed), *world = draw_free(&again);
        add_limits(reference, &seed);
        add_limits(world, &again);
        run(reference, "interior-point", 0, 1, 1e-11, &r);
        run(world, "sap", 0, 1, 1e-8, &r);
        CHECK_BELOW(r.outcome.errors.natural_map, 1e-8);
        for (int32_t b = 0; b < world->body_count; b++)
            CHECK_BELOW(nb_norm(nb_sub(world->bodies[b].linear_velocity, reference->bodies[b].linear_velocity)), 1e-6);
        CHECK_BELOW(nb_norm(nb_sub(world->particles[0].velocity, reference->particles[0].velocity)), 1e-6);
        reached += world->particles[0].velocity.z > -g * h;
        nb_world_destroy(world);
        nb_world_destroy(reference);
    }
    assert_true(reached > 10);
}

/* contacts a hundred times stiffer in R, by way of softer ones */
TEST(a_continuation_leads_to_the_solution) {
    uint64_t seed = test_seed();
    for (int trial = 0; trial < 10; trial++) {
        uint64_t again = seed;
        double fastest = 0;
        result r = {0};
        nb_world *reference = draw(&seed), *world = draw(&again);
        /* that of MuJoCo is as soft from the start */
        reference->settings.contacts.model = world->settings.contacts.model = NB_CONTACTS_SAP;
        reference->settings.contacts.beta = world->settings.contacts.beta = 0.05;
        run(reference, "interior-point", 0, 1, 1e-11, &r);
        run_with(world, "sap", "continuation", 0, 1, 1e-8, &r);
        CHECK_BELOW(r.outcome.errors.natural_map, 1e-8);
        for (int32_t b = 0; b < world->body_count; b++)
            fastest = fmax(fastest, nb_norm(reference->bodies[b].linear_velocity));
        for (int32_t b = 0; b < world->body_count; b++)
            CHECK_BELOW(nb_norm(nb_sub(world->bodies[b].linear_velocity, reference->bodies[b].linear_velocity)),
                        1e-6 * fastest);
        nb_world_destroy(world);
        nb_world_destroy(reference);
    }
}

/* what a point with its own block has in f32 to the digits of f32 */
TEST(single_precision_sinks_alike) {
    const nb_method_class *method;
    for (int i = 0; (method = nb_method_at(i)) != NULL; i++) {
        if (!knows(method)) continue;
        nb_world *world = make_world(0);
        result r = {0};
        const int32_t sphere = add_sphere(world, 0.1, nb_vec3_of(0, 0, 0.1));
        run(world, method->name, 1, 300, 1e-6, &r);
        CHECK_NEAR(0.1 - world->bodies[sphere].position.z, 4.1827e-5, 1e-7);
        nb_world_destroy(world);
    }
}

/* the loops of a robot in f32 by the method sap, whose multipliers of joint rows take as few iterations as in f64 */
TEST(joints_hold_in_single_precision) {
    int32_t iterations[2] = {0};
    for (int f32 = 0; f32 < 2; f32++) {
        nb_request request;
        nb_run *made;
        nb_request_standard(&request);
        strcpy(request.info.scenario, "walker");
        strcpy(request.info.method, "sap");
        if (f32) strcpy(request.info.precision, "f32");
        request.scene.contacts.model = NB_CONTACTS_SAP;
        request.scene.stepping.scheme = NB_STEPPING_IMPLICIT;
        request.info.steps = 30;
        request.linear_history = 0;
        CHECK_OK(nb_simulate_prepare(&request));
        CHECK_OK(nb_simulate(&request, NULL, NULL, &made));
        for (int32_t i = 0; i < made->step_count; i++) {
            const double *row = made->steps + (ptrdiff_t)i * NB_STEP_COLUMNS;
            CHECK_BELOW(row[NB_STEP_NATURAL_MAP_ERROR], f32 ? 1e-4 : 1e-11);
            iterations[f32] += (int32_t)row[NB_STEP_NEWTON_ITERATIONS];
        }
        nb_run_destroy(made);
        nb_free(request.info.parameters);
    }
    assert_in_range(iterations[1], 0, 2 * iterations[0]);
}

/* ---- fields: Drake's models lagged and similar, of the method sap alone ---- */

static const nb_contact_model fields[] = {NB_CONTACTS_LAGGED, NB_CONTACTS_SIMILAR};

/* dl/dv = -z and dz/dv = -G by central differences, G positive semidefinite, and friction below mu n */
TEST(fields_have_their_derivatives) {
    const double step = 1e-6;
    uint64_t seed = test_seed();
    int closed = 0, compared = 0;
    for (int trial = 0; trial < 4000; trial++) {
        const nb_contact_field f = {.similar = trial % 2,
                                    .p = test_random(&seed, -1, 1),
                                    .r = test_random(&seed, 0.1, 2),
                                    .dissipation = trial % 3 ? test_random(&seed, 0, 2) : 0,
                                    .mu = test_random(&seed, 0, 1),
                                    .bound = test_random(&seed, 0, 1),
                                    .e = pow(10, test_random(&seed, -2, 0))};
        double v[3], z[3], own[9], near[2][3], other[9], l[2], along[3], bent = 0;
        for (int k = 0; k < 3; k++) v[k] = test_random(&seed, -1, 1), along[k] = test_random(&seed, -1, 1);
        const double at = nb_contact_field_potential(&f, v, z, own), size = own[0] + own[4] + own[8] + 1;
        closed += z[0] > 0;
        assert_true(at >= 0 && z[0] >= 0);
        assert_true(hypot(z[1], z[2]) <= (f.similar ? f.mu * z[0] : f.bound) * (1 + 1e-12));
        for (int k = 0; k < 9; k++) bent += own[k] * along[k / 3] * along[k % 3];
        assert_true(bent >= -1e-12 * size);
        for (int k = 0; k < 3; k++) {
            const double kept = v[k];
            int smooth = 1; /* it does not open within the differences */
            for (int side = 0; side < 2; side++) {
                v[k] = kept + (side ? -step : step);
                l[side] = nb_contact_field_potential(&f, v, near[side], other);
                smooth &= (near[side][0] > 0) == (z[0] > 0);
            }
            v[k] = kept;
            CHECK_NEAR((l[0] - l[1]) / (2 * step), -z[k], 1e-6 * (1 + at));
            for (int j = 0; j < 3 && smooth; j++, compared++)
                CHECK_NEAR((near[0][j] - near[1][j]) / (2 * step), -own[3 * j + k], 1e-6 * size / (f.e * f.e));
        }
    }
    assert_in_range(closed, 1000, 3900);
    assert_true(compared > 30000);
}

/* Where v' - w z(v') = v - w z for a v' near v, the error is v - v' to first order. */
TEST(the_error_of_a_field_is_a_velocity) {
    const double near = 1e-5, w[3] = {0.5, 0.7, 0.7}, mu = 0.5;
    uint64_t seed = test_seed();
    for (int trial = 0; trial < 200; trial++) {
        const nb_contact_field f = {
            .similar = trial % 2, .p = 1, .r = 1, .mu = mu, .bound = 0.5, .e = 0.1, .lead = 0.3};
        const nb_cone_law law = {.base = {&nb_field_class}, .mu = &mu, .ratio = 1, .field = &f};
        const nb_law_range range = {.law = &law.base, .blocks = 1};
        double v[3], to[3], z[3];
        nb_law_errors errors = {0};
        for (int k = 0; k < 3; k++)
            v[k] = test_random(&seed, -0.3, 0.3), to[k] = v[k] + near * test_random(&seed, -1, 1);
        nb_contact_field_potential(&f, to, z, NULL);
        for (int k = 0; k < 3; k++) z[k] += (v[k] - to[k]) / w[k];
        const double value[3] = {v[0] + f.lead, v[1], v[2]};
        const nb_law_state at = {h, value, z, w};
        nb_field_class.error(&range, &at, &errors);
        CHECK_NEAR(errors.complementarity, fabs(v[0] - to[0]), 0.01 * near);
        CHECK_NEAR(errors.friction, hypot(v[1] - to[1], v[2] - to[2]), 0.01 * near);
    }
}

/* -m g/k whatever dissipates, in both precisions */
TEST(a_sphere_sinks_in_a_field) {
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 4; k++) {
            nb_world *world = make_world(0);
            const int32_t sphere = add_sphere(world, 0.1, nb_vec3_of(0, 0, 0.1));
            result r = {0};
            world->settings.contacts.model = fields[i];
            world->settings.contacts.stiffness = world->bodies[sphere].mass * g / 2e-4;
            world->settings.contacts.dissipation = k & 1 ? 20 : 0;
            run(world, "sap", k / 2, 400, k / 2 ? 1e-6 : 1e-11, &r);
            CHECK_NEAR(0.1 - world->bodies[sphere].position.z, 2e-4, k / 2 ? 1e-6 : 1e-9);
            nb_world_destroy(world);
        }
}

/* On a slope of 0.2 rad mu v/(v^2 + e^2)^1/2 = tan(0.2), so that v = e t/(1 - t^2)^1/2, t = tan(0.2)/mu. Of lagged the
 * depth is that of rest; of similar it is less by h mu ((v^2 + e^2)^1/2 - e). */
TEST(a_point_creeps_in_a_field) {
    const double t = tan(0.2) / 0.5, depth = g * cos(0.2) / 1e5;
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++) {
            const double e = k ? 1e-4 : 1e-3, v = e * t / sqrt(1 - t * t), less = h * 0.5 * (hypot(v, e) - e);
            nb_world *world = make_world(0.2);
            nb_body *body = add_point(world);
            result r = {0};
            world->settings.contacts.model = fields[i];
            world->settings.contacts.stiffness = 1e5;
            world->settings.contacts.stiction = e;
            run(world, "sap", 0, 400, 1e-12, &r);
            CHECK_NEAR(body->linear_velocity.x, v, 1e-6 * v);
            CHECK_NEAR(1e-3 - body->position.z, depth - (i ? less : 0), 1e-9);
            nb_world_destroy(world);
        }
}

/* by mu g v/(v^2 + e^2)^1/2 in each step, v at its end */
TEST(a_sliding_point_brakes_in_a_field) {
    for (int i = 0; i < 2; i++) {
        nb_world *world = make_world(0);
        nb_body *body = add_point(world);
        result r = {0};
        world->settings.contacts.model = fields[i];
        body->linear_velocity.x = 5;
        run(world, "sap", 0, 50, 1e-11, &r);
        const double before = body->linear_velocity.x;
        run(world, "sap", 0, 1, 1e-11, &r);
        const double v = body->linear_velocity.x;
        CHECK_NEAR(before - v, 0.5 * g * h * v / hypot(v, 1e-3), 1e-7 * g * h);
        nb_world_destroy(world);
    }
}

/* piles with hinges that slide and turn: impulses are those of velocities, and momentum is kept */
TEST(piles_are_solved_in_a_field) {
    uint64_t seed = test_seed();
    for (int trial = 0; trial < 40; trial++) {
        nb_world *world = draw(&seed);
        result r = {0};
        world->settings.contacts.model = fields[trial % 2];
        world->settings.contacts.dissipation = trial % 4 < 2 ? 0 : 5;
        run(world, "sap", 0, 1, 1e-8, &r);
        CHECK_BELOW(r.outcome.errors.natural_map, 1e-8);
        nb_world_destroy(world);
    }
}

/* all methods but sap */
TEST(a_field_is_refused_by_others) {
    const nb_method_class *method;
    for (int i = 0; (method = nb_method_at(i)) != NULL; i++)
        for (int k = 0; k < 2; k++) {
            nb_request request;
            nb_request_standard(&request);
            strcpy(request.info.scenario, "heavy-stack");
            strcpy(request.info.method, method->name);
            request.scene.contacts.model = fields[k];
            if (method->gives_way)
                CHECK_OK(nb_simulate_prepare(&request));
            else
                CHECK_FAULT(nb_simulate_prepare(&request), NB_ERROR_UNSUPPORTED, "use --method sap");
            nb_free(request.info.parameters);
        }
}

RUN_TESTS(potentials_have_their_derivatives, a_sphere_sinks, bodies_rest_as_in_mujoco, a_slab_creeps_as_in_mujoco,
          a_point_creeps, errors_of_model_and_solver_stand_apart, friction_without_slip_is_exact, methods_agree,
          limits_of_joints_and_particles_hold, a_continuation_leads_to_the_solution, single_precision_sinks_alike,
          joints_hold_in_single_precision, fields_have_their_derivatives, the_error_of_a_field_is_a_velocity,
          a_sphere_sinks_in_a_field, a_point_creeps_in_a_field, a_sliding_point_brakes_in_a_field,
          piles_are_solved_in_a_field, a_field_is_refused_by_others)
