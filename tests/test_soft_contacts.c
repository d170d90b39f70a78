/* Contacts of deformable bodies over whole steps: rows, islands, and what they carry. */
#include "soft_scene.h"

#include "constraint/step.h"
#include "measure/momentum.h"
#include "scenario.h"

NB_PRECISIONS(f32, f64);

static const double g = 9.81, epsilon = (double)NB_REAL_EPSILON;

static nb_vec3 force_on_bodies(const nb_snapshot *final) {
    nb_vec3 sum = {0, 0, 0};
    for (int32_t i = 0; i < final->contacts; i++)
        if (nb_snapshot_soft(final, i) >= 0) sum = nb_sub(sum, nb_snapshot_contact_force(final, i));
    return sum;
}

static double deepest(const nb_snapshot *final) {
    double depth = 0;
    for (int32_t i = 0; i < final->contacts; i++) depth = fmax(depth, -final->gap[i]);
    return depth;
}

static double fastest(const nb_world *world) {
    double speed = 0;
    for (int32_t i = 0; i < world->particle_count; i++) speed = fmax(speed, nb_norm(world->particles[i].velocity));
    for (int32_t i = 0; i < world->body_count; i++) speed = fmax(speed, nb_norm(world->bodies[i].linear_velocity));
    return speed;
}

/* The harness's checks of any scene, but for penetration; in f32 momentum is balanced to what its tolerance leaves. */
static void check_laws(const nb_world *world, const nb_snapshot *final) {
    nb_checks checks = {0};
    nb_momentum_defect defect;
    CHECK_OK(nb_momentum_balance(world, final, &defect));
    CHECK_BELOW(defect.linear, NB_REAL_BITS == 64 ? 1e-6 : 0.02);
    CHECK_BELOW(defect.angular, NB_REAL_BITS == 64 ? 1e-6 : 0.02);
    if (NB_REAL_BITS == 32) return;
    nb_checks_general(world, final, 0, &checks);
    for (int i = 0; i < checks.count; i++)
        if (!checks.items[i].passed) fail_msg("%s: %g", checks.items[i].name, checks.items[i].actual);
}

static nb_world *make_ground(double friction, double angle) {
    nb_world *world;
    nb_shape *shape;
    int32_t index;
    CHECK_OK(nb_world_create(&world));
    world->settings.contact_margin = 0.005;
    CHECK_OK(nb_shape_half_space(&shape));
    soft_scene_solid(world, NB_BODY_FIXED, shape, 0, friction, nb_vec3_of(0, 0, 0),
                     nb_quat_about(nb_vec3_of(0, 1, 0), angle));
    CHECK_OK(nb_world_add_material(world, &(nb_material){NB_MATERIAL_LINEAR, 1e5, 0.45, 1000}, &index));
    return world;
}

/* ---- rows ---- */

/* Jacobians of contacts of one, two and three particles against differences of their values */
TEST(jacobians_match_differences) {
    if (NB_REAL_BITS == 32) return;
    uint64_t seed = test_seed();
    nb_world *world = make_ground(0.5, 0);
    nb_contacts *contacts;
    nb_step *step;
    nb_shape *shape;
    nb_soft_part part;
    int seen[4] = {0};
    const double h = 0.01;
    CHECK_OK(nb_world_add_soft_box(world, 0, nb_vec3_of(0, 0, 0.003), nb_vec3_of(0.3, 0.3, 0.2),
                                   (const int32_t[3]){3, 3, 2}, &part));
    nb_soft_part_set_skin(world, &part, 0.5, 0.002);
    CHECK_OK(nb_shape_box(nb_vec3_of(0.17, 0.04, 0.05), &shape));
    soft_scene_solid(world, NB_BODY_DYNAMIC, shape, 1, 0.5, nb_vec3_of(0.14, 0.16, 0.256),
                     nb_quat_about(nb_vec3_of(0, 0, 1), 0.4));
    CHECK_OK(nb_contacts_create(&contacts));
    CHECK_OK(nb_step_create(&step));
    CHECK_OK(nb_contacts_detect(world, h, contacts));
    CHECK_OK(nb_step_begin(step, world, contacts, h, NB_GEOMETRY_UPDATED));
    nb_problem *p = nb_step_problem(step);
    const nb_sum_view *view = nb_sum_view_of(p->delassus);
    const int32_t *order = nb_step_contact_order(step);
    for (int32_t v = 0; v < p->velocities; v++) p->u[v] = (real)test_random(&seed, -1e-3, 1e-3);
    for (int v = 0; v < 6; v++) p->u[v] = 0; /* of the ground */
    p->type->evaluate(p, NULL);
    for (int32_t i = 0; i < p->contacts; i++) {
        static real j[NB_BLOCK_ROWS * NB_BLOCK_COLUMNS];
        const nb_contact *c = &contacts->items[order[i]];
        int32_t node[NB_BLOCK_NODES], row = p->bilaterals + 3 * i;
        int count = nb_sum_whole_jacobian(view, p->bilaterals + i, node, j), columns = 0;
        seen[count - 1]++;
        assert_int_equal(count, nb_contacts_side(contacts, order[i])->count + 1);
        for (int n = 0; n < count; n++) columns += nb_node_velocities(p->nodes, node[n]);
        CHECK_NEAR(p->value[row], c->gap / h, 0.05); /* no unit is missing */
        for (int n = 0, column = 0; n < count; n++)
            for (int k = 0; k < nb_node_velocities(p->nodes, node[n]); k++, column++) {
                real *u = p->u + p->nodes->velocity[node[n]] + k, old = *u, high[3];
                *u = old + R(1e-4);
                p->type->evaluate(p, NULL);
                for (int r = 0; r < 3; r++) high[r] = p->value[row + r];
                *u = old - R(1e-4);
                p->type->evaluate(p, NULL);
                for (int r = 0; r < 3; r++) /* arms turn with h omega */
                    CHECK_NEAR((high[r] - p->value[row + r]) / 2e-4, j[r * columns + column], 3e-5);
                *u = old;
                p->type->evaluate(p, NULL);
            }
    }
    print_message("%d corners, %d edges, %d faces\n", seen[1], seen[2], seen[3]);
    assert_true(seen[1] > 0 && seen[2] > 0 && seen[3] > 0);
    nb_step_destroy(step);
    nb_contacts_destroy(contacts);
    nb_world_destroy(world);
}

/* ---- islands ---- */

/* a box on the ground, two particles on the ground and one on the box: three islands; bilaterals are none of them */
TEST(particles_are_in_the_islands_of_what_they_touch) {
    nb_world *world = make_ground(0.5, 0);
    nb_shape *shape;
    soft_scene s;
    int32_t index;
    static const double places[3][3] = {{1, 0, 0}, {0.1, 0.1, 0.4}, {-1, 0, 0.01}};
    CHECK_OK(nb_shape_box(nb_vec3_of(0.2, 0.2, 0.2), &shape));
    soft_scene_solid(world, NB_BODY_DYNAMIC, shape, 1, 0.5, nb_vec3_of(0, 0, 0.2), nb_quat_identity());
    for (int i = 0; i < 3; i++)
        CHECK_OK(nb_world_add_particle(world,
                                       &(nb_particle){.mass = 0.5,
                                                      .position = {places[i][0], places[i][1], places[i][2]},
                                                      .friction = 0.5,
                                                      .radius = i == 2 ? 0.01 : 0},
                                       &index));
    soft_scene_begin(&s, world, "newton");
    CHECK_OK(soft_scene_step(&s, 0.01));
    assert_int_equal(s.counts.contacts, 4 + 3);
    assert_int_equal(s.counts.islands, 3);
    assert_int_equal(s.counts.largest_island, 5);
    assert_int_equal(s.final.soft_contacts, 3);
    CHECK_NEAR(force_on_bodies(&s.final).z, -1.5 * g, 1e-3 * g); /* all three rest */
    CHECK_BELOW(fastest(world), 1e-4);
    check_laws(world, &s.final);
    soft_scene_end(&s);
}

/* methods take such contacts alone, and beside those of bodies */
TEST(methods_solve_them) {
    static const char *const methods[] = {"newton", "interior-point", "psor", "pssor", "apgd", "auto"};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        for (int with_box = 0; with_box < 2; with_box++) {
            nb_world *world = make_ground(0.5, 0);
            soft_scene s;
            nb_shape *shape;
            int32_t index;
            CHECK_OK(nb_shape_box(nb_vec3_of(0.2, 0.2, 0.2), &shape));
            if (with_box)
                soft_scene_solid(world, NB_BODY_DYNAMIC, shape, 1, 0.5, nb_vec3_of(0, 0, 0.2), nb_quat_identity());
            else
                nb_shape_destroy(shape);
            CHECK_OK(nb_world_add_particle(
                world, &(nb_particle){.mass = 0.5, .position = {0.1, 0, with_box ? 0.4 : 0}, .friction = 0.5}, &index));
            soft_scene_begin(&s, world, methods[i]);
            CHECK_OK(soft_scene_step(&s, 0.01));
            CHECK_NEAR(force_on_bodies(&s.final).z, -0.5 * g, 1e-2 * g);
            soft_scene_end(&s);
        }
}

/* ---- what a soft block does ---- */

/* settled: the ground carries the weight, to 2e-6 of it where the precision allows; nothing is in the ground */
TEST(a_block_at_rest_carries_its_weight) {
    const double h = 0.03, weight = 1000 * 0.2 * 0.2 * 0.2 * g;
    nb_world *world = make_ground(0.5, 0);
    nb_soft_part part;
    soft_scene s;
    CHECK_OK(nb_world_add_soft_box(world, 0, nb_vec3_of(0, 0, 0.001), nb_vec3_of(0.2, 0.2, 0.2),
                                   (const int32_t[3]){2, 2, 2}, &part));
    nb_soft_part_set_skin(world, &part, 0.5, 0);
    soft_scene_begin(&s, world, "newton");
    for (int i = 0; i < 25; i++) CHECK_OK(soft_scene_step(&s, h));
    nb_vec3 force = force_on_bodies(&s.final);
    print_message("force over weight - 1: %.1e, across %.1e; deepest %.1e m; %.1e m/s\n", -force.z / weight - 1,
                  force.x / weight, deepest(&s.final), fastest(world));
    assert_int_equal(s.final.contacts, 9);
    CHECK_NEAR(-force.z / weight, 1, NB_REAL_BITS == 64 ? 2e-6 : 2e-3);
    CHECK_NEAR(force.x / weight, 0, NB_REAL_BITS == 64 ? 2e-6 : 2e-3);
    CHECK_BELOW(deepest(&s.final), NB_REAL_BITS == 64 ? 1e-11 : 1e-6);
    CHECK_BELOW(fastest(world), 1e-4);
    check_laws(world, &s.final);
    soft_scene_end(&s);
}

/* On a slope it stays where mu > tan(angle), else it goes down at g (sin - mu cos): its middle, after it has settled.
 */
TEST(a_block_on_a_slope_sticks_or_slides) {
    const double h = 0.01, angle = 0.4;
    for (int slides = 0; slides < 2; slides++) {
        const double mu = tan(angle) * (slides ? 0.9 : 1.1), v = g * (sin(angle) - mu * cos(angle));
        nb_world *world = make_ground(mu, angle);
        nb_soft_part part;
        soft_scene s;
        nb_vec3 speed[2] = {{0, 0, 0}, {0, 0, 0}}, down = nb_vec3_of(cos(angle), 0, -sin(angle));
        CHECK_OK(nb_world_add_soft_box(world, 0, nb_vec3_of(0, 0, 0), nb_vec3_of(0.3, 0.2, 0.1),
                                       (const int32_t[3]){2, 1, 1}, &part));
        nb_soft_part_set_skin(world, &part, mu, 0);
        for (int32_t i = 0; i < world->particle_count; i++)
            world->particles[i].position = nb_quat_rotate(world->bodies[0].orientation, world->particles[i].position);
        world->materials[0].young = 1e6; /* it hardly leans */
        soft_scene_begin(&s, world, "newton");
        for (int i = 0; i < 40; i++) {
            CHECK_OK(soft_scene_step(&s, h));
            double mass = 0;
            nb_vec3 *at = &speed[i >= 20];
            if (i != 19 && i != 39) continue;
            for (int32_t k = 0; k < world->particle_count; k++) {
                *at = nb_add_scaled(*at, world->particles[k].mass, world->particles[k].velocity);
                mass += world->particles[k].mass;
            }
            *at = nb_scale(1 / mass, *at);
        }
        double a = nb_dot(down, nb_sub(speed[1], speed[0])) / (20 * h);
        print_message("mu = %.3f tan: acceleration %.6f m/s^2, of a stiff block %.6f\n", slides ? 0.9 : 1.1, a,
                      slides ? v : 0);
        CHECK_NEAR(a, slides ? v : 0, NB_REAL_BITS == 64 ? 1e-4 : 1e-3);
        check_laws(world, &s.final);
        soft_scene_end(&s);
    }
}

/* ---- what a soft block carries ---- */

/* A needle thinner than a cell, led upright, stands on a face between particles: the block carries it, and it is where
 * the face is. `wide`: a bar that lies across edges, with its corners beside the block. */
static void stand_on_block(int wide) {
    const double h = 0.03, mass = 0.2;
    static const double rigid[6] = {0};
    nb_world *world = make_ground(0.5, 0);
    nb_shape *shape;
    nb_soft_part part;
    soft_scene s;
    int32_t joint;
    world->materials[0].young = 2e5;
    CHECK_OK(nb_world_add_soft_box(world, 0, nb_vec3_of(0, 0, 0), nb_vec3_of(0.3, 0.3, 0.2),
                                   (const int32_t[3]){3, 3, 1}, &part));
    nb_soft_part_set_skin(world, &part, 0.5, 0);
    nb_vec3 size = wide ? nb_vec3_of(0.3, 0.01, 0.01) : nb_vec3_of(0.005, 0.005, 0.1);
    nb_vec3 place = nb_vec3_of(wide ? 0.15 : 0.16, wide ? 0.157 : 0.13, 0.2 + size.z + 0.001);
    CHECK_OK(nb_shape_box(size, &shape));
    nb_quat turn = wide ? nb_quat_about(nb_vec3_of(1, 0, 0), atan(1)) : nb_quat_identity();
    if (wide) place.z += (sqrt(2) - 1) * size.z; /* on its edge */
    int32_t body = soft_scene_solid(world, NB_BODY_DYNAMIC, shape, mass, 0.5, place, turn);
    CHECK_OK(nb_world_add_joint_at(world, NB_JOINT_PRISMATIC, body, -1, place,
                                   nb_quat_about(nb_vec3_of(0, 1, 0), -2 * atan(1)), rigid, &joint));
    soft_scene_begin(&s, world, "newton");
    for (int i = 0; i < 30; i++) CHECK_OK(soft_scene_step(&s, h));
    nb_vec3 on_needle = {0, 0, 0}, on_ground = {0, 0, 0};
    int of_faces = 0, of_edges = 0;
    for (int32_t i = 0; i < s.final.contacts; i++) {
        int32_t k = nb_snapshot_soft(&s.final, i);
        assert_true(k >= 0);
        nb_vec3 *on = s.final.contact_bodies[2 * i + 1] == body ? &on_needle : &on_ground;
        *on = nb_sub(*on, nb_snapshot_contact_force(&s.final, i));
        if (s.final.contact_bodies[2 * i + 1] != body || !(s.final.lambda_normal[i] > 1e-3 * mass * g)) continue;
        int count = 0;
        for (int n = 0; n < 4; n++) count += s.final.soft_particle[4 * k + n] >= 0;
        of_edges += count == 2;
        of_faces += count == 3;
    }
    print_message("%s: on it %.8f of its weight, by %d edges and %d faces; deepest %.1e m, %.1e m/s, sunk %.2e m\n",
                  wide ? "bar" : "needle", on_needle.z / (mass * g), of_edges, of_faces, deepest(&s.final),
                  fastest(world), place.z - world->bodies[body].position.z);
    CHECK_NEAR(on_needle.z / (mass * g), 1, NB_REAL_BITS == 64 ? 1e-4 : 1e-2);
    CHECK_NEAR(-on_ground.z / ((18 + mass) * g), 1, NB_REAL_BITS == 64 ? 1e-4 : 1e-2);
    CHECK_BELOW(deepest(&s.final), NB_REAL_BITS == 64 ? 1e-9 : 1e-5);
    CHECK_BELOW(fastest(world), 1e-3);
    CHECK_BELOW(place.z - world->bodies[body].position.z, 0.02); /* the block gives way, no more */
    assert_true(wide ? of_edges > 0 : of_faces > 0);
    check_laws(world, &s.final);
    soft_scene_end(&s);
}

TEST(a_needle_stands_on_a_face) {
    stand_on_block(0);
}

TEST(a_bar_lies_on_edges) {
    stand_on_block(1);
}

/* ---- contacts on the way ---- */

/* A particle that is thrown at a body finds it within the step, where the body was far at its start (detection.h). */
TEST(contacts_come_on_the_way) {
    const double h = 0.01;
    nb_world *world = make_ground(0.5, 0);
    nb_contacts *contacts;
    nb_step *step;
    int32_t index, added;
    CHECK_OK(nb_world_add_particle(world, &(nb_particle){.mass = 1, .position = {0, 0, 0.1}, .friction = 0.5}, &index));
    CHECK_OK(nb_contacts_create(&contacts));
    CHECK_OK(nb_step_create(&step));
    CHECK_OK(nb_contacts_detect(world, h, contacts));
    assert_int_equal(contacts->count, 0);
    CHECK_OK(nb_step_begin(step, world, contacts, h, NB_GEOMETRY_UPDATED));
    nb_problem *p = nb_step_problem(step);
    p->u[p->nodes->velocity[1] + 2] = -11; /* to 0.01 below the ground */
    p->u[p->nodes->velocity[1]] = 3;
    CHECK_OK(nb_problem_detect(p, &added));
    assert_int_equal(added, 1);
    assert_int_equal(p->contacts, 1);
    CHECK_NEAR(p->value[0] * h, -0.01, 4 * epsilon);
    const nb_contact *c = &nb_step_contacts(step)->items[0];
    CHECK_NEAR(c->gap, 0.1, 1e-6);
    CHECK_NEAR(c->point_a.z, 0.1, 1e-6); /* at the start of the step */
    CHECK_NEAR(c->point_a.x, 0, 1e-6);
    nb_step_destroy(step);
    nb_contacts_destroy(contacts);
    nb_world_destroy(world);
}

RUN_TESTS(jacobians_match_differences, particles_are_in_the_islands_of_what_they_touch, methods_solve_them,
          a_block_at_rest_carries_its_weight, a_block_on_a_slope_sticks_or_slides, a_needle_stands_on_a_face,
          a_bar_lies_on_edges, contacts_come_on_the_way)
