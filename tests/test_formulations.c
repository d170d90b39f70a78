/* A soft block on the ground under two jointed boxes: the formulations take the same steps, and what they cost does not
 * grow where it is not to. */
#include <dlfcn.h>

#include "soft_scene.h"

NB_PRECISIONS(f64);

static const double h = 0.01;

enum {
    STEPS = 2, /* the boxes land; where they rock on, lagged friction does not converge, by any formulation */
    ROCKING = 6,
    NUMBERS = 3 * 48 + 2 * 7
};

/* stands before SuiteSparse's own, which it calls */
static int analyses;
void *cholmod_l_analyze(void *matrix, void *common);
void *cholmod_l_analyze(void *matrix, void *common) {
    void *(*own)(void *, void *);
    *(void **)&own = dlsym(RTLD_NEXT, "cholmod_l_analyze");
    analyses++;
    return own(matrix, common);
}

static double friction = 0.5;

/* 48 particles; contacts of particles with the ground, and of corners, faces and edges with the boxes */
static nb_world *make_world(double young, double poisson) {
    nb_world *world;
    nb_shape *shape;
    nb_soft_part part;
    int32_t index, box[2];
    const double compliance[6] = {0};
    CHECK_OK(nb_world_create(&world));
    world->settings.contact_margin = 0.005;
    CHECK_OK(nb_shape_half_space(&shape));
    soft_scene_solid(world, NB_BODY_FIXED, shape, 0, friction, nb_vec3_of(0, 0, 0), nb_quat_identity());
    CHECK_OK(nb_world_add_material(world, &(nb_material){NB_MATERIAL_LINEAR, young, poisson, 1000}, &index));
    CHECK_OK(nb_world_add_soft_box(world, 0, nb_vec3_of(0, 0, 0.001), nb_vec3_of(0.3, 0.3, 0.2),
                                   (const int32_t[3]){3, 3, 2}, &part));
    nb_soft_part_set_skin(world, &part, friction, 0);
    for (int i = 0; i < 2; i++) {
        CHECK_OK(nb_shape_box(nb_vec3_of(0.06, 0.08, 0.04), &shape));
        box[i] = soft_scene_solid(world, NB_BODY_DYNAMIC, shape, 2 + i, friction,
                                  nb_vec3_of(0.08 + 0.14 * i, 0.16, 0.243), nb_quat_identity());
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
TEST(formulations_end_in_one_state) {
    double first[NUMBERS], other[NUMBERS];
    make_steps(0, 1e5, 0.45, 1e-12, 1, first);
    for (int way = 1; way < WAYS; way++) {
        make_steps(way, 1e5, 0.45, 1e-12, 1, other);
        for (int k = 0; k < NUMBERS; k++) CHECK_NEAR(other[k], first[k], 1e-9);
    }
}

/* methods that know joints and contacts alone, with what a step of theirs is asked for */
static const struct {
    const char *method;
    double tolerance;
    int32_t iterations;
} simple[] = {{"interior-point", 1e-10, 500},
              {"auto", 1e-10, 500},
              {"psor", 1e-7, 20000},
              {"pssor", 1e-7, 20000},
              {"apgd", 1e-7, 20000}};

static void solve_by(soft_scene *s, size_t i) {
    strcpy(s->request.info.method, simple[i].method);
    s->request.info.newton_tolerance = simple[i].tolerance;
    s->request.info.newton_iterations = simple[i].iterations;
    nb_method_settings settings = nb_request_settings(&s->request);
    CHECK_OK(soft_scene_stepper.configure(s->stepper, simple[i].method, &settings));
    for (int k = 0; k < STEPS; k++) {
        CHECK_OK(soft_scene_step(s, h));
        assert_int_equal(s->outcome.reason, NB_REASON_CONVERGED);
        assert_true(s->outcome.errors.natural_map <= simple[i].tolerance);
    }
}

/* They get steps with elements folded into the mass, and solve the same problem: all errors are the harness's, over all
 * rows. */
TEST(methods_without_elements_end_in_the_same_state) {
    double first[NUMBERS], other[NUMBERS];
    make_steps(0, 1e5, 0.45, 1e-12, 1, first);
    for (size_t i = 0; i < sizeof simple / sizeof *simple; i++) {
        soft_scene s;
        soft_scene_begin(&s, make_world(1e5, 0.45), simple[i].method);
        solve_by(&s, i);
        state_of(s.world, other);
        for (int k = 0; k < NUMBERS; k++) CHECK_NEAR(other[k], first[k], fmax(1e-9, 10 * h * simple[i].tolerance));
        assert_true(s.final.soft_contacts > 20 && s.final.element_rows == 6 * 90);
        soft_scene_end(&s);
    }
}

/* grains that are particles, on the ground, sliding there, and on a box, which the ground carries */
static nb_world *make_grains(void) {
    nb_world *world;
    nb_shape *shape;
    int32_t index;
    const nb_vec3 places[3] = {{0.3, 0, 0.02}, {0.4, 0.1, 0.02}, {0.02, 0.01, 0.22}};
    CHECK_OK(nb_world_create(&world));
    world->settings.contact_margin = 0.005;
    CHECK_OK(nb_shape_half_space(&shape));
    soft_scene_solid(world, NB_BODY_FIXED, shape, 0, 0.5, nb_vec3_of(0, 0, 0), nb_quat_identity());
    CHECK_OK(nb_shape_box(nb_vec3_of(0.1, 0.1, 0.1), &shape));
    soft_scene_solid(world, NB_BODY_DYNAMIC, shape, 1, 0.5, nb_vec3_of(0, 0, 0.1), nb_quat_identity());
    for (int i = 0; i < 3; i++)
        CHECK_OK(nb_world_add_particle(world,
                                       &(nb_particle){.kind = NB_BODY_DYNAMIC,
                                                      .mass = 0.2,
                                                      .position = places[i],
                                                      .velocity = {i == 1 ? 1 : 0, 0, 0},
                                                      .friction = 0.5,
                                                      .radius = 0.02},
                                       &index));
    return world;
}

/* without elements, where the mass is that of bodies and particles: by hand, weights and a deceleration mu g */
TEST(contacts_of_bodies_and_particles_together) {
    for (size_t i = 0; i < sizeof simple / sizeof *simple; i++) {
        soft_scene s;
        double gravity, up = 0, tolerance = 100 * simple[i].tolerance;
        soft_scene_begin(&s, make_grains(), simple[i].method);
        gravity = -s.world->gravity.z;
        solve_by(&s, i);
        assert_int_equal(s.final.soft_contacts, 3);
        assert_true(s.final.contacts >= 7);
        CHECK_NEAR(s.world->particles[1].velocity.x, 1 - STEPS * h * 0.5 * gravity, tolerance);
        for (int k = 0; k < 3; k++) CHECK_NEAR(s.world->particles[k].velocity.z, 0, tolerance);
        CHECK_NEAR(s.world->particles[2].velocity.x, 0, tolerance);
        for (int32_t k = 0; k < s.final.contacts; k++)
            if (s.final.contact_bodies[2 * k + 1] == 0) up += nb_snapshot_contact_force(&s.final, k).z;
        CHECK_NEAR(up, (1 + 3 * 0.2) * gravity, 100 * tolerance);
        soft_scene_end(&s);
    }
}

/* what has no compliance cannot be folded away */
TEST(rods_are_refused) {
    soft_scene s;
    int32_t index;
    nb_world *world = make_grains();
    CHECK_OK(nb_world_add_spring(world, &(nb_spring){{0, 1}, 0.1, INFINITY}, &index));
    soft_scene_begin(&s, world, "interior-point");
    CHECK_FAULT(soft_scene_step(&s, h), NB_ERROR_NUMERIC, "invertible compliance");
    soft_scene_end(&s);
}

/* What is left to iterate on in the condensed form is contact: a hundredfold stiffness, and next to no change of
 * volume, count for little, where they make many times as many iterations of the others. */
TEST(condensed_iterations_hardly_grow) {
    static const double materials[][2] = {{1e5, 0.3}, {1e5, 0.49}, {1e7, 0.3}, {1e7, 0.49}};
    double numbers[NUMBERS], most = 0;
    for (int i = 0; i < 4; i++)
        most = fmax(most, make_steps(CONDENSED, materials[i][0], materials[i][1], 1e-4, 0, numbers));
    assert_true(most < 30);
    assert_true(make_steps(STIFFNESS, 1e7, 0.49, 1e-4, 0, numbers) > 2 * most);
    assert_true(make_steps(COMPLIANCE, 1e7, 0.49, 1e-4, 0, numbers) > 8 * most);
}

/* Steps of the scene by a method, condensed, of which the boxes rock in the later ones; how many are solved. */
static int rock(const char *method, double mu) {
    soft_scene s;
    int solved = 0, newton = strcmp(method, "newton") == 0;
    friction = mu;
    soft_scene_begin(&s, make_world(1e5, 0.3), method);
    friction = 0.5;
    if (newton) choose(&s, CONDENSED, 1e-8);
    s.request.info.newton_tolerance = 1e-8;
    s.request.info.newton_iterations = newton ? 100 : 1000;
    nb_method_settings settings = nb_request_settings(&s.request);
    CHECK_OK(soft_scene_stepper.configure(s.stepper, method, &settings));
    for (int k = 0; k < ROCKING; k++) {
        CHECK_OK(soft_scene_step(&s, h));
        solved += s.outcome.reason == NB_REASON_CONVERGED;
    }
    print_message("%s, mu %g: %d of %d steps solved\n", method, mu, solved, (int)ROCKING);
    soft_scene_end(&s);
    return solved;
}

/* The same steps without friction are solved by Newton's method, and with it by a method that does not lag it: it is
 * the lagged friction that keeps Newton's method from converging. */
TEST(it_is_lagged_friction_that_does_not_converge) {
    assert_int_equal(rock("newton", 0), ROCKING);
    assert_true(rock("newton", 0.5) < ROCKING);
    analyses = 0;
    assert_int_equal(rock("interior-point", 0.5), ROCKING);
    assert_int_equal(analyses, 1); /* of its mass: as below */
}

/* contacts come and go from step to step, and elements stay: the mass with them is analysed once */
TEST(the_order_of_elimination_is_kept) {
    double numbers[NUMBERS];
    analyses = 0;
    make_steps(CONDENSED, 1e5, 0.3, 1e-4, 0, numbers);
    assert_int_equal(analyses, 1);
}

RUN_TESTS(formulations_end_in_one_state, methods_without_elements_end_in_the_same_state,
          contacts_of_bodies_and_particles_together, rods_are_refused, it_is_lagged_friction_that_does_not_converge,
          the_order_of_elimination_is_kept, condensed_iterations_hardly_grow)
