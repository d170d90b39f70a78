/* A soft block on the ground under two jointed boxes: the formulations take the same steps, and what they cost does not
 * grow where it is not to. */
#include "soft_scene.h"

NB_PRECISIONS(f64);

static const double h = 0.01;

enum {
    STEPS = 2, /* the boxes land; where they rock on, lagged friction does not converge, by any formulation */
    NUMBERS = 3 * 48 + 2 * 7
};

/* 48 particles; contacts of particles with the ground, and of corners, faces and edges with the boxes */
static nb_world *make_world(double young, double poisson) {
    nb_world *world;
    nb_shape *shape;
    nb_soft_part part;
    int32_t index, box[2];
    const double compliance[6] = {0};
    CHECK_OK(nb_world_create(&world));
    world->contact_margin = 0.005;
    CHECK_OK(nb_shape_half_space(&shape));
    soft_scene_solid(world, NB_BODY_FIXED, shape, 0, 0.5, nb_vec3_of(0, 0, 0), nb_quat_identity());
    CHECK_OK(nb_world_add_material(world, &(nb_material){NB_MATERIAL_LINEAR, young, poisson, 1000}, &index));
    CHECK_OK(nb_world_add_soft_box(world, 0, nb_vec3_of(0, 0, 0.001), nb_vec3_of(0.3, 0.3, 0.2),
                                   (const int32_t[3]){3, 3, 2}, &part));
    nb_soft_part_set_skin(world, &part, 0.5, 0);
    for (int i = 0; i < 2; i++) {
        CHECK_OK(nb_shape_box(nb_vec3_of(0.06, 0.08, 0.04), &shape));
        box[i] = soft_scene_solid(world, NB_BODY_DYNAMIC, shape, 2 + i, 0.5, nb_vec3_of(0.08 + 0.14 * i, 0.16, 0.243),
                                  nb_quat_identity());
    }
    CHECK_OK(nb_world_add_joint_at(world, NB_JOINT_SPHERICAL, box[0], box[1], nb_vec3_of(0.15, 0.16, 0.243),
                                   nb_quat_identity(), compliance, &index));
    return world;
}

/* the formulation, with the solver and preconditioner that go with it */
static const struct {
    const char *form, *solver, *preconditioner;
} ways[] = {{"compliance", "cholesky", "none"},
            {"compliance", "pcr", "jacobi"},
            {"stiffness", "pcr", "block-jacobi"},
            {"condensed", "pcr", "jacobi"}};
enum {
    WAYS = sizeof ways / sizeof *ways,
    COMPLIANCE = 1,
    STIFFNESS,
    CONDENSED
};

static void choose(soft_scene *s, int way, double linear_tolerance) {
    nb_free(s->request.info.parameters);
    s->request.info.parameters = NULL;
    CHECK_OK(nb_request_set_option(&s->request, "form", ways[way].form));
    strcpy(s->request.info.linear_solver, ways[way].solver);
    strcpy(s->request.info.preconditioner, ways[way].preconditioner);
    s->request.info.linear_iterations = 4000;
    s->request.info.linear_tolerance = linear_tolerance;
    s->request.info.newton_tolerance = 1e-9;
    CHECK_OK(nb_simulate_prepare(&s->request));
    nb_method_settings settings = nb_request_settings(&s->request);
    CHECK_OK(soft_scene_stepper.configure(s->stepper, "newton", &settings));
}

static void state_of(const nb_world *world, double *to) {
    for (int32_t i = 0; i < world->particle_count; i++) {
        const nb_vec3 *x = &world->particles[i].position;
        *to++ = x->x, *to++ = x->y, *to++ = x->z;
    }
    for (int32_t i = 1; i < world->body_count; i++) {
        const nb_body *b = &world->bodies[i];
        *to++ = b->position.x, *to++ = b->position.y, *to++ = b->position.z;
        *to++ = b->orientation.w, *to++ = b->orientation.x, *to++ = b->orientation.y, *to++ = b->orientation.z;
    }
}

/* Steps of the scene; its state in the end. Returns products with the operator a Newton iteration. */
static double make_steps(int way, double young, double poisson, double linear_tolerance, int converges, double *state) {
    soft_scene s;
    double products = 0, iterations = 0;
    soft_scene_begin(&s, make_world(young, poisson), "newton");
    choose(&s, way, linear_tolerance);
    for (int i = 0; i < STEPS; i++) {
        CHECK_OK(soft_scene_step(&s, h));
        if (converges) assert_int_equal(s.outcome.reason, NB_REASON_CONVERGED);
        products += s.outcome.operator_applications;
        iterations += s.outcome.newton_iterations;
    }
    assert_true(s.counts.contacts > 20);
    state_of(s.world, state);
    print_message("%g Pa, nu %g, %s by %s: %.0f Newton iterations of %.1f products, %d contacts\n", young, poisson,
                  ways[way].form, ways[way].solver, iterations, products / iterations, (int)s.counts.contacts);
    soft_scene_end(&s);
    return products / iterations;
}

/* to 1e-9 m/s a step, each over 0.01 s */
static void formulations_end_in_one_state(void **state) {
    (void)state;
    double first[NUMBERS], other[NUMBERS];
    make_steps(0, 1e5, 0.45, 1e-12, 1, first);
    for (int way = 1; way < WAYS; way++) {
        make_steps(way, 1e5, 0.45, 1e-12, 1, other);
        for (int k = 0; k < NUMBERS; k++) CHECK_NEAR(other[k], first[k], 1e-9);
    }
}

/* What is left to iterate on in the condensed form is contact: a hundredfold stiffness, and next to no change of
 * volume, count for little, where they make many times as many iterations of the others. */
static void condensed_iterations_hardly_grow(void **state) {
    (void)state;
    static const double materials[][2] = {{1e5, 0.3}, {1e5, 0.49}, {1e7, 0.3}, {1e7, 0.49}};
    double numbers[NUMBERS], most = 0;
    for (int i = 0; i < 4; i++)
        most = fmax(most, make_steps(CONDENSED, materials[i][0], materials[i][1], 1e-4, 0, numbers));
    assert_true(most < 30);
    assert_true(make_steps(STIFFNESS, 1e7, 0.49, 1e-4, 0, numbers) > 2 * most);
    assert_true(make_steps(COMPLIANCE, 1e7, 0.49, 1e-4, 0, numbers) > 8 * most);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formulations_end_in_one_state),
        cmocka_unit_test(condensed_iterations_hardly_grow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
