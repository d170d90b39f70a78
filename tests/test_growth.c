/* Growth distances against closed forms, certificates of optimality, differences, and exchange. */
#include "growth.h"

#include <string.h>

#include "check.h"
#include "model/shape.h"

enum {
    BALL,
    ELLIPSOID,
    HALF_SPACE,
    BOX,
    CAPSULE,
    CYLINDER,
    CONE,
    PADDED,
    SUM,
    SETS
};

/* what an interior point in double leaves of numbers of order one */
static const double CLOSE = 1e-9;

static nb_convex_set sets[SETS];
static nb_shape *box, *small_box;
static nb_growth_workspace workspace;

static int make_sets(void **state) {
    (void)state;
    CHECK_OK(nb_shape_box(nb_vec3_of(0.5, 0.3, 0.8), &box));
    CHECK_OK(nb_shape_box(nb_vec3_of(0.2, 0.1, 0.3), &small_box));
    CHECK_OK(nb_convex_ball(0.7, &sets[BALL]));
    CHECK_OK(nb_convex_ellipsoid(nb_vec3_of(0.3, 0.9, 0.5), &sets[ELLIPSOID]));
    CHECK_OK(nb_convex_half_space(&sets[HALF_SPACE]));
    CHECK_OK(nb_convex_set_copy(&box->sets[0], &sets[BOX]));
    CHECK_OK(nb_convex_capsule(0.3, 0.9, &sets[CAPSULE]));
    CHECK_OK(nb_convex_cylinder(0.3, 0.9, &sets[CYLINDER]));
    CHECK_OK(nb_convex_cone(0.3, 0.9, &sets[CONE]));
    CHECK_OK(nb_convex_padded(small_box->sets, 0.1, &sets[PADDED]));
    CHECK_OK(nb_convex_sum(&sets[CYLINDER], small_box->sets, &sets[SUM]));
    return 0;
}

static int clear_sets(void **state) {
    (void)state;
    for (int i = 0; i < SETS; i++) nb_convex_set_clear(&sets[i]);
    nb_shape_destroy(box);
    nb_shape_destroy(small_box);
    nb_growth_workspace_clear(&workspace);
    return 0;
}

static nb_placed_set at(int set, double x, double y, double z) {
    return (nb_placed_set){&sets[set], nb_vec3_of(x, y, z), nb_quat_identity()};
}

static nb_growth solve(nb_placed_set a, nb_placed_set b) {
    const nb_placed_set pair[2] = {a, b};
    nb_growth growth;
    CHECK_OK(nb_growth_solve(pair, NB_GROWTH_TOLERANCE, &workspace, &growth));
    return growth;
}

static void check_vector(nb_vec3 actual, nb_vec3 expected, double tolerance) {
    CHECK_NEAR(actual.x, expected.x, tolerance);
    CHECK_NEAR(actual.y, expected.y, tolerance);
    CHECK_NEAR(actual.z, expected.z, tolerance);
}

static double metres(const nb_growth *growth) {
    double distance;
    CHECK_OK(nb_growth_metres(growth, &distance));
    return distance;
}

/* ---- closed forms ---- */

TEST(test_round_pairs) {
    /* balls: alpha = d / (r + r), the point divides d by the radii, and metres are exact */
    nb_growth g = solve(at(BALL, 1, 2, 3), at(BALL, 1, 5, 7));
    CHECK_NEAR(g.alpha, 5 / 1.4, CLOSE);
    check_vector(g.point, nb_vec3_of(1, 3.5, 5), CLOSE);
    check_vector(g.normal[0], nb_vec3_of(0, 0.6 / 1.4, 0.8 / 1.4), CLOSE);
    CHECK_NEAR(metres(&g), 5 - 1.4, CLOSE);
    /* a ball over a plane, and in it */
    g = solve(at(BALL, 3, 4, 0.5), at(HALF_SPACE, 0, 0, 0));
    CHECK_NEAR(g.alpha, 0.5 / 0.7, CLOSE);
    check_vector(g.point, nb_vec3_of(3, 4, 0), CLOSE);
    check_vector(g.normal[0], nb_vec3_of(0, 0, -1 / 0.7), CLOSE);
    CHECK_NEAR(metres(&g), -0.2, CLOSE);
    /* ellipsoid over a plane: the support of its half axes */
    nb_placed_set tilted = at(ELLIPSOID, 0, 0, 2);
    tilted.turn = nb_quat_about(nb_vec3_of(1, 0, 0), 0.4);
    g = solve(tilted, at(HALF_SPACE, 0, 0, 0));
    CHECK_NEAR(g.alpha, 2 / hypot(0.9 * sin(0.4), 0.5 * cos(0.4)), CLOSE);
    /* capsules side by side, and crossed: axes as segments of alpha L */
    g = solve(at(CAPSULE, 0, 0, 0), at(CAPSULE, 1.2, 0, 0.1));
    CHECK_NEAR(g.alpha, 1.2 / 0.6, CLOSE);
    CHECK_NEAR(g.point.x, 0.6, CLOSE);
    nb_placed_set crossed = at(CAPSULE, 0, 0.9, 0);
    crossed.turn = nb_quat_about(nb_vec3_of(0, 1, 0), 1.1);
    g = solve(at(CAPSULE, 0, 0, 0), crossed);
    CHECK_NEAR(g.alpha, 0.9 / 0.6, CLOSE);
    check_vector(g.point, nb_vec3_of(0, 0.45, 0), CLOSE);
    /* end to end: alpha (L/2 + r) from each side */
    g = solve(at(CAPSULE, 0, 0, 0), at(CAPSULE, 0, 0, 3));
    CHECK_NEAR(g.alpha, 1.5 / 0.75, CLOSE);
    /* a cone's tip under a plane's normal: 3H/4 + H/4 */
    g = solve(at(CONE, 0, 0, 0), at(CONE, 0, 0, 1.8));
    CHECK_NEAR(g.alpha, 1.8 / 0.9, CLOSE);
    /* cylinders on one axis meet face to face: one p amid the faces */
    g = solve(at(CYLINDER, 0, 0, 0), at(CYLINDER, 0, 0, 1.8));
    CHECK_NEAR(g.alpha, 2, CLOSE);
    check_vector(g.point, nb_vec3_of(0, 0, 0.9), 1e-6);
}

TEST(test_boxes) {
    nb_growth g = solve(at(BOX, 0, 0, 0), at(BOX, 0.1, 0.2, 2.4));
    CHECK_NEAR(g.alpha, 2.4 / 1.6, CLOSE);
    check_vector(g.normal[0], nb_vec3_of(0, 0, 1 / 1.6), CLOSE);
    CHECK_NEAR(g.point.z, 1.2, CLOSE);
    CHECK_BELOW(fabs(g.point.x - 0.05), 0.75 - 0.05); /* where the faces overlap at alpha = 1.5 */
    CHECK_NEAR(metres(&g), 0.8, CLOSE);
    /* touching: an ordinary number */
    g = solve(at(BOX, 0, 0, 0), at(BOX, 0, 0, 1.6));
    CHECK_NEAR(g.alpha, 1, CLOSE);
    CHECK_NEAR(metres(&g), 0, CLOSE);
    /* box on the ground, deep in it by a quarter */
    g = solve(at(BOX, 5, 6, 0.4), at(HALF_SPACE, 0, 0, 0));
    CHECK_NEAR(g.alpha, 0.5, CLOSE);
    CHECK_NEAR(metres(&g), -0.4, CLOSE);
    /* far away, of very different sizes */
    g = solve(at(BOX, 0, 0, 0), at(BALL, 1e4, 0, 0));
    CHECK_NEAR(g.alpha, 1e4 / 1.2, 1e-5);
    CHECK_NEAR(metres(&g), 1e4 - 1.2, 1e-5);
}

/* ---- certificates ---- */

static nb_quat random_turn(uint64_t *seed) {
    nb_quat q;
    do
        q = (nb_quat){test_random(seed, -1, 1), test_random(seed, -1, 1), test_random(seed, -1, 1),
                      test_random(seed, -1, 1)};
    while (q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z < 0.1);
    return nb_quat_normalized(q);
}

static nb_placed_set random_place(int set, uint64_t *seed) {
    nb_placed_set placed = {&sets[set], {test_random(seed, -2, 2), 0, 0}, random_turn(seed)};
    placed.position.y = test_random(seed, -2, 2);
    placed.position.z = test_random(seed, -2, 2);
    return placed;
}

/* Primal and dual feasible and without a gap: no other alpha is less, whoever found it. */
static void check_certificate(const nb_placed_set pair[2], const nb_growth *g) {
    double gap = 0, weight = 0, s[64];
    for (int i = 0; i < 2; i++) {
        const nb_convex_set *set = pair[i].set;
        nb_vec3 r = nb_quat_rotate(nb_quat_conjugate(pair[i].turn), nb_sub(g->point, pair[i].position)), sum = {0};
        nb_convex_set_slack(set, r, g->alpha, g->epsilon[i], s);
        CHECK_BELOW(-nb_convex_set_margin(set, s), CLOSE);
        CHECK_BELOW(-nb_convex_set_margin(set, g->lambda[i]), CLOSE);
        for (int32_t k = 0; k < set->rows; k++) {
            gap += s[k] * g->lambda[i][k];
            weight += set->b[k] * g->lambda[i][k];
            sum = nb_add_scaled(sum, g->lambda[i][k], set->a[k]);
        }
        check_vector(nb_quat_rotate(pair[i].turn, sum), g->normal[i], 1e-14 * (1 + nb_norm(sum)));
        for (int32_t u = 0; u < set->unknowns; u++) {
            double total = 0;
            for (int32_t k = 0; k < set->rows; k++) total += set->e[k * set->unknowns + u] * g->lambda[i][k];
            CHECK_NEAR(total, 0, CLOSE);
        }
    }
    CHECK_NEAR(gap, 0, CLOSE * (1 + g->alpha));
    if (g->alpha > 1e-3) /* alpha's own multiplier is zero */
        CHECK_NEAR(weight, 1, 1e-7);
    else
        CHECK_BELOW(weight, 1 + CLOSE);
    check_vector(nb_add(g->normal[0], g->normal[1]), nb_vec3_of(0, 0, 0), CLOSE * (1 + nb_norm(g->normal[0])));
}

TEST(test_certificates) {
    uint64_t seed = test_seed();
    for (int trial = 0; trial < 20; trial++)
        for (int a = 0; a < SETS; a++)
            for (int b = 0; b < SETS; b++) {
                if (a == HALF_SPACE && b == HALF_SPACE) continue;
                nb_placed_set pair[2] = {random_place(a, &seed), random_place(b, &seed)};
                if (trial % 2) pair[0].turn = pair[1].turn = nb_quat_identity();
                nb_growth g = solve(pair[0], pair[1]);
                check_certificate(pair, &g);
                /* exchanged, the same */
                nb_growth other = solve(pair[1], pair[0]);
                CHECK_NEAR(other.alpha, g.alpha, CLOSE * (1 + g.alpha));
            }
}

/* ---- the gradient ---- */

/* alpha with frame i of the pair moved along coordinate k by x */
static double moved(const nb_placed_set from[2], int i, int k, double x) {
    nb_placed_set pair[2] = {from[0], from[1]};
    const nb_vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    if (k < 3)
        pair[i].position = nb_add_scaled(pair[i].position, x, axes[k]);
    else
        pair[i].turn = nb_quat_product(nb_quat_about(axes[k - 3], x), pair[i].turn);
    return solve(pair[0], pair[1]).alpha;
}

TEST(test_gradient_by_differences) {
    uint64_t seed = test_seed();
    const double step = 1e-4; /* errors: 1e-8 times third derivatives, 1e-11 / 1e-4 of round-off */
    int smooth = 0, all = 0;
    for (int a = 0; a < SETS; a++)
        for (int b = 0; b < SETS; b++) {
            nb_placed_set pair[2] = {random_place(a, &seed), random_place(b, &seed)};
            if ((a == HALF_SPACE && b == HALF_SPACE) || solve(pair[0], pair[1]).alpha < 0.2) continue;
            nb_growth g = solve(pair[0], pair[1]);
            for (int i = 0; i < 2; i++)
                for (int k = 0; k < 6; k++) {
                    double right = moved(pair, i, k, step), left = moved(pair, i, k, -step);
                    double bend = right - 2 * g.alpha + left, slope = (right - left) / (2 * step);
                    all++;
                    /* a kink, where another face or corner takes over, lies within few of the steps */
                    if (fabs(bend) > 1e3 * step * step) continue;
                    smooth++;
                    CHECK_NEAR(g.gradient[i][k], slope, 2e-5 * (1 + g.alpha));
                }
        }
    print_message("%d of %d derivatives are away from kinks\n", smooth, all);
    assert_true(smooth > 0.95 * all);
}

/* ---- what has no answer ---- */

TEST(test_faults) {
    nb_growth g;
    double distance;
    nb_placed_set planes[2] = {at(HALF_SPACE, 0, 0, 0), at(HALF_SPACE, 0, 0, -1)};
    CHECK_FAULT(nb_growth_solve(planes, NB_GROWTH_TOLERANCE, &workspace, &g), NB_ERROR_INPUT, "two half-spaces");
    /* concentric: alpha is 0, and there is no direction */
    g = solve(at(BALL, 1, 1, 1), at(BOX, 1, 1, 1));
    CHECK_NEAR(g.alpha, 0, CLOSE);
    CHECK_FAULT(nb_growth_metres(&g, &distance), NB_ERROR_INPUT, "no direction");
    g = solve(at(CONE, 0, 0, 0), at(CONE, 0, 0, 0));
    CHECK_NEAR(g.alpha, 0, CLOSE);
    g = solve(at(BOX, 0, 0, -1), at(HALF_SPACE, 0, 0, 0));
    CHECK_NEAR(g.alpha, 0, CLOSE);
    CHECK_FAULT(nb_growth_metres(&g, &distance), NB_ERROR_INPUT, "no direction");
    /* nothing in it, or flat: b <= 0 */
    nb_convex_set empty = {0};
    planes[0] = (nb_placed_set){&empty, {0, 0, 0}, {1, 0, 0, 0}};
    planes[1] = at(BALL, 0, 0, 0);
    CHECK_FAULT(nb_growth_solve(planes, NB_GROWTH_TOLERANCE, &workspace, &g), NB_ERROR_INPUT, "is empty");
    const nb_vec3 normals[2] = {{0, 0, 1}, {0, 0, -1}};
    const double b[2] = {0, 0};
    empty = (nb_convex_set){.rows = 2, .linear = 2, .a = normals, .b = b, .radius = 1};
    planes[0].position.z = 1;
    CHECK_FAULT(nb_growth_solve(planes, NB_GROWTH_TOLERANCE, &workspace, &g), NB_ERROR_INPUT, "empty or flat");
    planes[0] = at(BOX, NAN, 0, 0);
    CHECK_FAULT(nb_growth_solve(planes, NB_GROWTH_TOLERANCE, &workspace, &g), NB_ERROR_INPUT, "not finite");
    /* a set without end against one with is an ordinary pair: a slab of half-width 1, which grows */
    const double heights[2] = {1, 1};
    nb_convex_set slab;
    CHECK_OK(nb_convex_polytope(2, normals, heights, nb_vec3_of(0, 0, 0), INFINITY, &slab));
    g = solve((nb_placed_set){&slab, {7, 8, 0}, {1, 0, 0, 0}}, at(BALL, 0, 0, 3.4));
    CHECK_NEAR(g.alpha, 3.4 / 1.7, CLOSE);
    nb_convex_set_clear(&slab);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_pairs),  cmocka_unit_test(test_boxes),
        cmocka_unit_test(test_certificates), cmocka_unit_test(test_gradient_by_differences),
        cmocka_unit_test(test_faults),
    };
    return cmocka_run_group_tests(tests, make_sets, clear_sets);
}
