/* Particles beside bodies: in the world, in the nodes of a step, and over steps. */
#include <string.h>

#include "base/memory.h"
#include "check.h"
#include "constraint/step.h"
#include "model/energy.h"
#include "run/resolve.h"
#include "run/simulate.h"
#include "step/stepper.h"

NB_PRECISIONS(f32, f64);

#define stepper_class NB_REAL_NAME(nb_stepper)

enum {
    STEPS = 20,
    PARTICLES = 3 /* falling, pushed; fixed; moved at a velocity */
};

static const double h = 0.01, epsilon = (double)NB_REAL_EPSILON;

static const nb_particle particles[PARTICLES] = {
    {.kind = NB_BODY_DYNAMIC, .mass = 0.25, .position = {1, -2, 3}, .velocity = {0.5, 0, 2}, .force = {0.1, -0.3, 0.7}},
    {.kind = NB_BODY_FIXED, .position = {4, 5, 6}, .force = {1, 1, 1}},
    {.kind = NB_BODY_KINEMATIC, .position = {-4, 0, 1}, .velocity = {0, 0.5, -0.25}},
};

/* a box on a plane, pushed along it; another one beside it; and the particles */
static nb_world *make_world(int with_particles) {
    nb_world *world;
    nb_shape *shape;
    int32_t box, plane, body;
    CHECK_OK(nb_world_create(&world));
    CHECK_OK(nb_shape_box(nb_vec3_of(0.5, 0.5, 0.5), &shape));
    CHECK_OK(nb_world_add_shape(world, shape, &box));
    CHECK_OK(nb_shape_half_space(&shape));
    CHECK_OK(nb_world_add_shape(world, shape, &plane));
    CHECK_OK(nb_world_add_solid(world, NB_BODY_FIXED, plane, 0, 0.5, nb_vec3_of(0, 0, 0), nb_quat_identity(), &body));
    for (int i = 0; i < 2; i++)
        CHECK_OK(nb_world_add_solid(world, NB_BODY_DYNAMIC, box, 1 + i, 0.5, nb_vec3_of(0, 3 * i, 0.5),
                                    nb_quat_identity(), &body));
    world->bodies[2].force = nb_vec3_of(30, 0, 0);
    for (int i = 0; i < PARTICLES && with_particles; i++) {
        int32_t index;
        CHECK_OK(nb_world_add_particle(world, &particles[i], &index));
        assert_int_equal(index, i);
    }
    return world;
}

/* ---- the world ---- */

TEST(bad_particles_are_refused) {
    nb_world *world;
    int32_t index;
    nb_particle particle = particles[0];
    CHECK_OK(nb_world_create(&world));
    CHECK_OK(nb_world_refuse_particles(world, "this"));
    particle.mass = 0;
    CHECK_FAULT(nb_world_add_particle(world, &particle, &index), NB_ERROR_INPUT, "mass 0");
    particle = particles[0];
    particle.velocity.y = INFINITY;
    CHECK_FAULT(nb_world_add_particle(world, &particle, &index), NB_ERROR_INPUT, "particle 0");
    assert_int_equal(world->particle_count, 0);
    CHECK_OK(nb_world_add_particle(world, &particles[1], &index));
    CHECK_FAULT(nb_world_refuse_particles(world, "this"), NB_ERROR_UNSUPPORTED, "this does not support particles");
    nb_world_destroy(world);
}

TEST(energies_count_particles) {
    nb_world *world = make_world(1), *bare = make_world(0);
    /* m v^2 / 2 and m g z of the one that has mass */
    CHECK_NEAR(nb_world_kinetic_energy(world) - nb_world_kinetic_energy(bare), 0.5 * 0.25 * (0.25 + 4), 1e-14);
    CHECK_NEAR(nb_world_potential_energy(world) - nb_world_potential_energy(bare), 0.25 * 9.81 * 3, 1e-13);
    nb_world_destroy(world);
    nb_world_destroy(bare);
}

/* ---- a step ---- */

TEST(nodes_are_bodies_and_particles) {
    nb_world *world = make_world(1);
    nb_contacts *contacts;
    nb_step *step;
    CHECK_OK(nb_contacts_create(&contacts));
    CHECK_OK(nb_step_create(&step));
    CHECK_OK(nb_contacts_detect(world, h, contacts));
    CHECK_OK(nb_step_begin(step, world, contacts, h, NB_GEOMETRY_UPDATED));
    nb_problem *p = nb_step_problem(step);
    const nb_nodes *nodes = p->nodes;
    const nb_mass *mass = p->delassus->mass;
    assert_true(contacts->count > 0);
    assert_ptr_equal(mass->nodes, nodes);
    assert_int_equal(nodes->bodies, 3);
    assert_int_equal(nodes->count, 3 + PARTICLES);
    assert_int_equal(p->velocities, 6 * 3 + 3 * PARTICLES);
    for (int i = 0; i < PARTICLES; i++) {
        real block[9], inverse[9];
        int32_t node = 3 + i;
        assert_int_equal(nodes->velocity[node], 18 + 3 * i);
        assert_int_equal(mass->moves[node], particles[i].kind == NB_BODY_DYNAMIC);
        for (int k = 0; k < 3; k++) { /* prescribed velocities stand in u, others begin at zero */
            const double v[3] = {particles[i].velocity.x, particles[i].velocity.y, particles[i].velocity.z};
            CHECK_NEAR(p->u[18 + 3 * i + k], particles[i].kind == NB_BODY_KINEMATIC ? v[k] : 0, 0);
        }
        if (!mass->moves[node]) continue;
        mass->type->block(mass, node, block);
        mass->type->inverse_block(mass, node, inverse);
        for (int k = 0; k < 9; k++) {
            CHECK_NEAR(block[k], k % 4 == 0 ? particles[i].mass : 0, 0);
            CHECK_NEAR(inverse[k], k % 4 == 0 ? 1 / particles[i].mass : 0, 0);
        }
    }
    assert_int_equal(p->island_count, 2); /* the boxes; whatever has no constraint is in none */
    nb_step_destroy(step);
    nb_contacts_destroy(contacts);
    nb_world_destroy(world);
}

/* ---- steps ---- */

static void run(nb_world *world) {
    nb_request request;
    nb_contacts *contacts;
    nb_measure *measure;
    nb_step_outcome outcome;
    nb_step_counts counts;
    nb_snapshot final = {0};
    void *stepper;
    nb_request_standard(&request);
    strcpy(request.info.scenario, "heavy-stack");
    strcpy(request.info.linear_solver, "dense-cholesky");
    strcpy(request.info.precision, NB_REAL_NAMED);
    request.info.newton_iterations = 60;
    CHECK_OK(nb_simulate_prepare(&request));
    nb_method_settings settings = nb_request_settings(&request);
    CHECK_OK(nb_contacts_create(&contacts));
    CHECK_OK(nb_measure_create(&measure));
    CHECK_OK(stepper_class.create("newton", &settings, &stepper));
    for (int i = 0; i < STEPS; i++) {
        int warm = i % 2 ? NB_START_PREVIOUS : NB_START_ZERO;
        CHECK_OK(nb_contacts_detect(world, h, contacts));
        CHECK_OK(stepper_class.begin(stepper, world, contacts, h, 0));
        CHECK_OK(nb_measure_begin(measure, world, contacts, h, NB_GEOMETRY_UPDATED));
        CHECK_OK(stepper_class.step(stepper, world, contacts, h, warm, measure, NULL, &outcome, &counts,
                                    i == STEPS - 1 ? &final : NULL));
        /* the method's own tolerance, and round-off of velocities of order one; a hundred times less than what bodies
         * pick up in a step */
        CHECK_BELOW(outcome.errors.natural_map, 1e-3);
    }
    assert_int_equal(final.particles, world->particle_count); /* what a record is made of */
    for (int32_t i = 0; i < world->particle_count; i++) {
        const nb_particle *p = &world->particles[i];
        CHECK_NEAR(final.particle_x[3 * i + 2], p->position.z, 0);
        CHECK_NEAR(final.particle_v[3 * i + 2], p->velocity.z, 0);
        CHECK_NEAR(final.particle_x_before[3 * i + 2] + h * p->velocity.z, p->position.z, 1e-15);
    }
    nb_snapshot_clear(&final);
    stepper_class.destroy(stepper);
    nb_measure_destroy(measure);
    nb_contacts_destroy(contacts);
    nb_free(request.info.parameters);
}

static void check_vec3(nb_vec3 actual, nb_vec3 expected, double tolerance) {
    CHECK_NEAR(actual.x, expected.x, tolerance);
    CHECK_NEAR(actual.y, expected.y, tolerance);
    CHECK_NEAR(actual.z, expected.z, tolerance);
}

/* v_n = v + n h (g + f/m), x_n = x + h (v_1 + ... + v_n); the bodies do what they do without particles, bit by bit */
TEST(particles_fall_beside_bodies) {
    nb_world *world = make_world(1), *bare = make_world(0);
    run(world);
    run(bare);
    for (int i = 0; i < PARTICLES; i++) {
        const nb_particle *start = &particles[i], *end = &world->particles[i];
        nb_vec3 a = {0, 0, 0};
        if (start->kind == NB_BODY_DYNAMIC) a = nb_add_scaled(nb_vec3_of(0, 0, -9.81), 1 / start->mass, start->force);
        double n = STEPS, rounding = 4 * STEPS * epsilon * 10; /* of speeds below ten, a few times a step */
        check_vec3(end->velocity, nb_add_scaled(start->velocity, n * h, a), rounding);
        check_vec3(end->position,
                   nb_add_scaled(nb_add_scaled(start->position, n * h, start->velocity), h * h * n * (n + 1) / 2, a),
                   rounding);
    }
    assert_memory_equal(world->bodies, bare->bodies, 3 * sizeof *world->bodies);
    assert_true(bare->bodies[2].position.x > 0.2); /* 2 kg, 30 N against 9.8 N of friction for 0.2 s */
    nb_world_destroy(world);
    nb_world_destroy(bare);
}

RUN_TESTS(bad_particles_are_refused, energies_count_particles, nodes_are_bodies_and_particles,
          particles_fall_beside_bodies)
