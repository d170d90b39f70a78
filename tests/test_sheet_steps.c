/* Sheets that meet each other, and themselves, over whole steps: nothing goes through them, however fast. */
#include "soft_distance.h"

NB_PRECISIONS(f32, f64);

static const double g = 9.81, RADIUS = 0.005, h = 0.01;

/* a square sheet of edge 1 around the origin, turned and moved, with this velocity */
static nb_soft_part add_sheet(nb_world *world, int32_t cells, nb_quat turn, nb_vec3 at, nb_vec3 velocity,
                              double friction) {
    nb_soft_part part;
    CHECK_OK(nb_world_add_sheet(world, nb_vec3_of(-0.5, -0.5, 0), nb_vec3_of(1, 0, 0), nb_vec3_of(0, 1, 0),
                                (const int32_t[2]){cells, cells}, 0.5, 1000, &part));
    nb_soft_part_set_skin(world, &part, friction, RADIUS);
    soft_scene_move(world, &part, turn, at);
    for (int32_t i = part.first_particle; i < world->particle_count; i++) world->particles[i].velocity = velocity;
    return part;
}

static nb_vec3 momentum_of(const nb_world *world) {
    nb_vec3 sum = {0, 0, 0};
    for (int32_t i = 0; i < world->particle_count; i++)
        sum = nb_add_scaled(sum, world->particles[i].mass, world->particles[i].velocity);
    return sum;
}

/* Two sheets meet at random, by up to 20 thicknesses a step (0.6 of a cell's edge), as contacts are found that
 * velocities bring near: none goes through the other, and the middle of both keeps its velocity. (By 40 to 90, which is
 * more than a cell, they do in one step of two, as the faces that the step begins with are no longer those that meet.)
 */
TEST(fast_sheets_meet) {
    uint64_t seed = test_seed();
    const int tries = NB_REAL_BITS == 64 ? 12 : 3;
    double most = 0, fastest = 0;
    int touched = 0;
    for (int n = 0; n < tries; n++) {
        nb_world *world = soft_scene_world();
        nb_quat tilt = nb_quat_about(nb_normalized(soft_scene_vector(&seed, 1)), test_random(&seed, 0, 0.5));
        const double speed = test_random(&seed, 5, 20), mass = 1; /* 0.5 kg/m^2, two of 1 m^2 */
        nb_vec3 aside = nb_scale(2, soft_scene_vector(&seed, 1));
        soft_scene s;
        world->gravity = nb_vec3_of(0, 0, 0);
        world->settings.contact_margin = 0.002;
        aside.z = -speed;
        add_sheet(world, 3, nb_quat_identity(), nb_vec3_of(0, 0, 0), nb_vec3_of(0, 0, 0), n % 2 ? 0.5 : 0);
        add_sheet(world, 3, tilt, nb_vec3_of(0.3, 0.2, 0.3), aside, n % 2 ? 0.5 : 0);
        if (soft_pierced(world) > 0) { /* at the start, by the tilt */
            nb_world_destroy(world);
            continue;
        }
        fastest = fmax(fastest, speed * h / (2 * RADIUS));
        soft_scene_begin(&s, world, "interior-point");
        for (int i = 0; i < 8; i++) {
            const nb_vec3 before = momentum_of(world);
            CHECK_OK(soft_scene_step(&s, h));
            most = fmax(most, nb_norm(nb_sub(momentum_of(world), before)) / (mass * speed));
            touched += s.final.soft_contacts > 0;
            assert_int_equal(soft_pierced(world), 0);
        }
        soft_scene_end(&s);
    }
    print_message("up to %.0f thicknesses a step, %d steps with contacts: momentum off by %.1e\n", fastest, touched,
                  most);
    CHECK_BELOW(most, NB_REAL_BITS == 64 ? 1e-12 : 1e-5);
    assert_true(touched > tries && fastest > 10);
}

/* a particle shot at a sheet with 10 m a step, from either side, stays on its side */
TEST(a_particle_does_not_pass) {
    for (int below = 0; below < 2; below++) {
        const double side = below ? -1 : 1;
        nb_world *world = soft_scene_world();
        soft_scene s;
        int32_t index;
        world->gravity = nb_vec3_of(0, 0, 0);
        add_sheet(world, 4, nb_quat_identity(), nb_vec3_of(0, 0, 0), nb_vec3_of(0, 0, 0), 0.5);
        CHECK_OK(nb_world_add_particle(
            world,
            &(nb_particle){
                .mass = 0.01, .position = {0.07, 0.03, side * 0.2}, .velocity = {0, 0, -side * 1000}, .radius = RADIUS},
            &index));
        soft_scene_begin(&s, world, "newton");
        CHECK_OK(soft_scene_step(&s, h));
        const nb_vec3 x = world->particles[index].position;
        double height = 0; /* of the sheet below it: what the contact's faces have there */
        for (int32_t i = 0; i < s.final.contacts; i++) height = fmin(height, s.final.gap[i]);
        assert_true(s.final.contacts > 0 && fabs(x.z) < 9);
        CHECK_BELOW(-height, NB_REAL_BITS == 64 ? 1e-6 : 1e-3);
        for (int i = 0; i < 3; i++) CHECK_OK(soft_scene_step(&s, h));
        soft_scene_end(&s);
    }
}

/* a sheet falls on another that lies on the ground: the first step by every method */
TEST(methods_agree) {
    static const char *const methods[] = {"newton", "interior-point", "psor", "pssor", "apgd", "auto"};
    double first = 0;
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        nb_world *world = soft_scene_world();
        nb_shape *shape;
        soft_scene s;
        world->settings.contact_margin = 0.001;
        CHECK_OK(nb_shape_half_space(&shape));
        soft_scene_solid(world, NB_BODY_FIXED, shape, 0, 0.5, nb_vec3_of(0, 0, -RADIUS), nb_quat_identity());
        add_sheet(world, 2, nb_quat_identity(), nb_vec3_of(0, 0, 0), nb_vec3_of(0, 0, 0), 0.5);
        nb_soft_part upper = add_sheet(world, 2, nb_quat_about(nb_vec3_of(0, 0, 1), 0.4),
                                       nb_vec3_of(0.2, 0.1, 2 * RADIUS + 0.0005), nb_vec3_of(0.1, 0, -0.5), 0.5);
        soft_scene_begin(&s, world, methods[i]);
        CHECK_OK(soft_scene_step(&s, h));
        double momentum = 0;
        for (int32_t k = upper.first_particle; k < world->particle_count; k++)
            momentum += world->particles[k].mass * world->particles[k].velocity.z;
        double force = (momentum + 0.5 * 0.5 + 0.5 * g * h) / h; /* on the upper one: half a kilogram */
        print_message("%s: %.6f N, %d iterations\n", methods[i], force, (int)s.outcome.newton_iterations);
        assert_true(force > 5);
        if (i == 0) first = force;
        CHECK_NEAR(force, first, (NB_REAL_BITS == 64 ? 5e-3 : 2e-2) * first); /* 100 sweeps leave 3e-3 */
        soft_scene_end(&s);
    }
}

/* Without gravity and a hold a sheet that turns and is torn at keeps its momentum, and turns on as backward Euler has
 * it: sum m x+ x (v+ - v-) = 0, which is not so about the places before. */
TEST(free_sheets_keep_momentum) {
    static const char *const methods[] = {"newton", "interior-point"};
    const double tolerance = NB_REAL_BITS == 64 ? 1e-11 : 1e-5; /* a hundred times what was seen */
    uint64_t seed = test_seed();
    double left = 0, most = 0;
    for (int n = 0; n < 6; n++) {
        nb_world *world = soft_scene_world();
        const nb_vec3 spin = soft_scene_vector(&seed, 5), along = soft_scene_vector(&seed, 10);
        soft_scene s;
        world->gravity = nb_vec3_of(0, 0, 0);
        add_sheet(world, 3 + n, soft_scene_turn(&seed), soft_scene_vector(&seed, 1), along, 0.5);
        for (int32_t i = 0; i < world->particle_count; i++) {
            nb_vec3 *v = &world->particles[i].velocity;
            *v = nb_add(nb_add(*v, nb_cross(spin, world->particles[i].position)), soft_scene_vector(&seed, 0.5));
        }
        soft_scene_begin(&s, world, methods[n % 2]);
        for (int k = 0; k < 3; k++) {
            nb_vec3 linear = {0, 0, 0}, angular = {0, 0, 0}, before = {0, 0, 0};
            CHECK_OK(soft_scene_step(&s, h));
            assert_int_equal(s.outcome.reason, NB_REASON_CONVERGED);
            assert_int_equal(s.final.contacts, 0);
            for (int32_t i = 0; i < world->particle_count; i++) {
                const double *v = s.final.particle_v + 3 * i, *was = s.final.particle_v_before + 3 * i,
                             *x = s.final.particle_x + 3 * i, *x_before = s.final.particle_x_before + 3 * i;
                nb_vec3 push =
                    nb_scale(world->particles[i].mass, nb_vec3_of(v[0] - was[0], v[1] - was[1], v[2] - was[2]));
                linear = nb_add(linear, push);
                angular = nb_add(angular, nb_cross(nb_vec3_of(x[0], x[1], x[2]), push));
                before = nb_add(before, nb_cross(nb_vec3_of(x_before[0], x_before[1], x_before[2]), push));
            }
            most = fmax(most, nb_norm(before));
            left = fmax(left, fmax(nb_norm(linear), nb_norm(angular)));
        }
        soft_scene_end(&s);
    }
    print_message("momentum off by %.1e; about the places before by %.1e\n", left, most);
    CHECK_BELOW(left, tolerance);
    assert_true(most > 10 * tolerance); /* else it shows nothing */
}

RUN_TESTS(fast_sheets_meet, a_particle_does_not_pass, methods_agree, free_sheets_keep_momentum)
