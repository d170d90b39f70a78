/* Elements that are inflated: what a free one becomes, and bodies that curl as one half of them grows. */
#include "soft_scene.h"

static const double h = 1; /* [s] long beside the bodies' periods, so that a few steps end at rest */

/* A bar of `cells` along x, held at x = 0; its upper half is of a material of its own, and nothing pulls it down. */
static nb_world *make_bar(double young, double poisson, nb_vec3 edges, const int32_t cells[3]) {
    nb_world *world = soft_scene_world();
    nb_soft_part part;
    int32_t index;
    world->gravity = nb_vec3_of(0, 0, 0);
    world->settings.contact_margin = 0.01 * edges.z / cells[2];
    world->materials[0] = (nb_material){NB_MATERIAL_LINEAR, young, poisson, 1200};
    CHECK_OK(nb_world_add_material(world, &(nb_material){NB_MATERIAL_LINEAR, young, poisson, 1200}, &index));
    CHECK_OK(nb_world_add_soft_box(world, 0, nb_vec3_of(0, -edges.y / 2, -edges.z / 2), edges, cells, &part));
    for (int32_t i = 0; i < part.tetrahedron_count; i++)
        world->tetrahedra[i].material = i / 5 / (cells[0] * cells[1]) >= cells[2] / 2;
    for (int32_t i = 0; i < part.particle_count; i += cells[0] + 1) world->particles[i].kind = NB_BODY_FIXED;
    return world;
}

static void inflate(nb_world *world, int32_t material, double strain) {
    for (int32_t i = 0; i < world->tetrahedron_count; i++)
        for (int k = 0; k < 3 && world->tetrahedra[i].material == material; k++)
            world->tetrahedra[i].activation[k] = strain;
}

/* by how much the free end is turned against the held one, downwards [rad]: the line from its lower edge to its upper
 */
static double end_angle(const nb_world *world, const int32_t cells[3]) {
    const int32_t row = cells[0] + 1, layer = row * (cells[1] + 1);
    nb_vec3 line = {0, 0, 0};
    for (int32_t j = 0; j <= cells[1]; j++) {
        const nb_particle *low = &world->particles[j * row + cells[0]], *high = low + cells[2] * layer;
        line = nb_add(line, nb_sub(high->position, low->position));
    }
    return atan2(line.x, line.z);
}

/* the angle when the upper half has been inflated in so many steps, and has come to rest */
static double curl(nb_world *world, double strain, int steps, const int32_t cells[3]) {
    soft_scene s;
    double angle = 0, before = 0;
    soft_scene_begin_form(&s, world, "newton", "stiffness");
    for (int step = 1; step <= steps + 8; step++) {
        inflate(world, 1, strain * fmin(1, (double)step / steps));
        CHECK_OK(soft_scene_step(&s, h));
        assert_int_equal(s.outcome.reason, NB_REASON_CONVERGED);
        before = angle;
        angle = end_angle(world, cells);
    }
    CHECK_NEAR(angle, before, 1e-6 * angle);
    soft_scene_end(&s);
    return angle;
}

/* Nothing holds it: every element has the strain that it wants, and no force. */
TEST(a_free_body_grows) {
    const int32_t cells[3] = {3, 2, 2};
    soft_scene s;
    nb_world *world = make_bar(1e6, 0.4, nb_vec3_of(0.3, 0.2, 0.2), cells);
    for (int32_t i = 0; i < world->particle_count; i++) world->particles[i].kind = NB_BODY_DYNAMIC;
    for (int half = 0; half < 2; half++) inflate(world, half, 0.2);
    soft_scene_begin(&s, world, "newton");
    for (int step = 0; step < 3; step++) CHECK_OK(soft_scene_step(&s, h));
    for (int32_t i = 0; i < world->particle_count; i++)
        for (int32_t k = 0; k < i; k++) {
            const nb_particle *a = &world->particles[i], *b = &world->particles[k];
            CHECK_NEAR(nb_norm(nb_sub(a->position, b->position)), 1.2 * nb_norm(nb_sub(a->rest, b->rest)), 1e-9);
        }
    soft_scene_end(&s);
}

/* A strip whose upper half grows by a small strain eps along all axes bends as one of two metals does: of halves of one
 * stiffness by kappa h/eps = 3/2 (Timoshenko 1925). Tetrahedra with one strain each are too stiff to bend; what is
 * missing goes at least as the square of the cells' size from the second mesh to the third (a ratio of 4, with a tenth
 * for the held end, which cannot widen), and is 5 % of 3/2 there. */
TEST(halves_bend_as_two_metals_do) {
    const double eps = 1e-4, height = 0.02;
    const nb_vec3 edges = {6 * height, height / 2, height};
    double missing[3];
    for (int i = 0; i < 3; i++) {
        const int32_t n = 2 << i, cells[3] = {6 * n, n / 2, n};
        missing[i] = 1.5 - curl(make_bar(1e6, 0, edges, cells), eps, 1, cells) / edges.x * height / eps;
        print_message("%d cells: kappa h/eps = 1.5 - %.4f\n", (int)n, missing[i]);
    }
    assert_true(missing[2] > 0 && missing[2] < 0.08);
    CHECK_BELOW(missing[1], missing[0] / 2);
    CHECK_BELOW(missing[2], missing[1] / 2.5);
}

/* A finger of the scenario `gripper`, with nothing in its way: how far it curls says nothing of its stiffness.
 * Another program, with meshes of its own, found 76.3 degrees. */
TEST(a_finger_curls) {
    const int32_t cells[3] = {18, 3, 2};
    const nb_vec3 edges = {0.12, 0.02, 0.02};
    double soft = curl(make_bar(1e4, 0.47, edges, cells), 0.25, 10, cells);
    double stiff = curl(make_bar(1e6, 0.47, edges, cells), 0.25, 10, cells);
    print_message("%.4f and %.4f degrees\n", soft * 180 / acos(-1), stiff * 180 / acos(-1));
    CHECK_NEAR(soft, stiff, 1e-6);
    CHECK_NEAR(stiff * 180 / acos(-1), 76.3, 0.5);
}

RUN_TESTS(a_free_body_grows, halves_bend_as_two_metals_do, a_finger_curls)
