/* What friction holds on a body that turns as prescribed stays where it is on that body. */
#include "model/carried.h"

#include "staged_scene.h"

NB_PRECISIONS(f64);

static const double rate = 3, radius = 0.3; /* [rad/s], [m] */

/* a table about z, or, where `across`, a board about x, which is level after half a second */
static void add_table(scene *s, int across) {
    nb_shape *shape;
    int32_t index, body;
    CHECK_OK(nb_shape_box(nb_vec3_of(2, 2, 0.1), &shape));
    CHECK_OK(nb_world_add_shape(s->world, shape, &index));
    const nb_quat turn = across ? nb_quat_about(nb_vec3_of(1, 0, 0), -0.15) : nb_quat_identity();
    CHECK_OK(nb_world_add_solid(s->world, NB_BODY_KINEMATIC, index, 1, 0.5,
                                nb_quat_rotate(turn, nb_vec3_of(0, 0, -0.1)), turn, &body));
    s->world->bodies[body].angular_velocity = across ? nb_vec3_of(0.3, 0, 0) : nb_vec3_of(0, 0, rate);
    s->world->bodies[body].linear_velocity =
        nb_cross(s->world->bodies[body].angular_velocity, s->world->bodies[body].position);
}

/* moving with the table, as all that it holds */
static nb_body *add_box(scene *s, nb_vec3 place) {
    const nb_body *table = &s->world->bodies[0];
    nb_shape *shape;
    int32_t index, body;
    CHECK_OK(nb_shape_box(nb_vec3_of(0.02, 0.03, 0.01), &shape));
    CHECK_OK(nb_world_add_shape(s->world, shape, &index));
    const nb_vec3 arm = nb_quat_rotate(table->orientation, place);
    CHECK_OK(nb_world_add_solid(s->world, NB_BODY_DYNAMIC, index, 0.1, 0.5, nb_add(table->position, arm),
                                table->orientation, &body));
    table = s->world->bodies;
    nb_body *box = &s->world->bodies[body];
    box->angular_velocity = table->angular_velocity;
    box->linear_velocity = nb_add(table->linear_velocity, nb_cross(table->angular_velocity, arm));
    return box;
}

/* how far the box is from its place on the table, along it and away from the axis, after a second */
static double drift(nb_integrator integrator, const char *method, const char *options, int across, double h) {
    const nb_vec3 place = nb_vec3_of(across ? 0 : radius, across ? radius : 0, 0.11);
    scene s;
    open_scene(integrator, method, options, &s);
    add_table(&s, across);
    nb_body *box = add_box(&s, place);
    if (integrator != NB_INTEGRATOR_BE) begin(&s);
    for (int n = 0; n < (int)round(1 / h); n++) {
        if (integrator != NB_INTEGRATOR_BE)
            step(&s, h);
        else
            solve(&s, h);
    }
    const nb_body *table = &s.world->bodies[0];
    const nb_vec3 now = nb_quat_rotate(nb_quat_conjugate(table->orientation), nb_sub(box->position, table->position));
    const double off = hypot(now.x, now.y) - radius;
    print_message("%s, %s, %s, h = %g s: %.1e m\n", nb_integrator_names[integrator], method, across ? "board" : "table",
                  h, off);
    close_scene(&s);
    return off;
}

TEST(a_turntable_keeps_what_it_holds) {
    CHECK_NEAR(drift(NB_INTEGRATOR_BE, "interior-point", "", 0, 0.01), 0, 1e-10);
    CHECK_NEAR(drift(NB_INTEGRATOR_BE, "psor", "", 0, 0.01), 0, 1e-9);
    CHECK_NEAR(drift(NB_INTEGRATOR_BE, "smoothed", "friction-tolerance=1e-4", 0, 0.01), 0, 1e-3); /* which creeps */
}

TEST(second_order_integrators_are_of_order_2) {
    for (int i = NB_INTEGRATOR_BE + 1; i < NB_INTEGRATORS; i++) {
        const nb_integrator integrator = (nb_integrator)i;
        double off[2];
        if (integrator == NB_INTEGRATOR_SDIRK2)
            continue; /* its second stage asks for 5.1 times the force, which is too much */
        for (int k = 0; k < 2; k++) off[k] = drift(integrator, "interior-point", "", 0, 0.01 / (1 << k));
        CHECK_BELOW(fabs(off[0]), 1e-4);
        CHECK_BELOW(fabs(off[1]), 0.3 * fabs(off[0]));
    }
}

TEST(a_board_keeps_what_it_holds) {
    /* normals turn, too; by velocities of the start it was 1.3e-4 m */
    CHECK_NEAR(drift(NB_INTEGRATOR_BE, "interior-point", "", 1, 0.01), 0, 1e-6);
}

TEST(a_turntable_keeps_a_particle) {
    scene s;
    open_scene(NB_INTEGRATOR_BE, "newton", "", &s);
    add_table(&s, 0);
    nb_particle *particle = add_particle(&s, 0.1, nb_vec3_of(radius, 0, 0.01), nb_vec3_of(0, rate * radius, 0));
    particle->radius = 0.01;
    particle->friction = 0.5;
    for (int n = 0; n < 100; n++) solve(&s, 0.01);
    CHECK_NEAR(hypot(particle->position.x, particle->position.y), radius, 1e-9);
    close_scene(&s);
}

/* whose rows are linear: the ball joint leads its end where the table's is at the end of each step */
TEST(linear_joints_end_where_the_table_does) {
    static const double rigid[6] = {0};
    scene s;
    int32_t joint;
    open_scene(NB_INTEGRATOR_BE, "newton", "", &s);
    s.geometry = NB_GEOMETRY_FROZEN;
    add_table(&s, 0);
    const nb_body *box = add_box(&s, nb_vec3_of(radius, 0, 0.5));
    CHECK_OK(
        nb_world_add_joint_at(s.world, NB_JOINT_SPHERICAL, 1, 0, box->position, nb_quat_identity(), rigid, &joint));
    for (int n = 0; n < 20; n++) {
        solve(&s, 0.01);
        CHECK_NEAR(hypot(box->position.x, box->position.y), radius, 1e-10);
    }
    close_scene(&s);
}

RUN_TESTS(a_turntable_keeps_what_it_holds, second_order_integrators_are_of_order_2, a_board_keeps_what_it_holds,
          a_turntable_keeps_a_particle, linear_joints_end_where_the_table_does)
