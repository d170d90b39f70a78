/* Points are in a convex set by its inequalities just where they are in the shape by its geometry. */
#include "convex/convex_set.h"

#include <string.h>

#include "base/memory.h"
#include "check.h"
#include "model/shape.h"

enum {
    POINTS = 500, /* of a shape */
    ROWS = 64     /* of all sets here, at most */
};

/* points nearer to a surface than this are not asked about: round-off of a few products */
static const double NEAR = 1e-12;

static nb_vec3 random_point(uint64_t *seed, double reach) {
    nb_vec3 v = {test_random(seed, -reach, reach), 0, 0};
    v.y = test_random(seed, -reach, reach);
    v.z = test_random(seed, -reach, reach);
    return v;
}

static nb_quat random_turn(uint64_t *seed) {
    nb_quat q;
    do
        q = (nb_quat){test_random(seed, -1, 1), test_random(seed, -1, 1), test_random(seed, -1, 1),
                      test_random(seed, -1, 1)};
    while (q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z < 0.1);
    return nb_quat_normalized(q);
}

static double margin_of(const nb_convex_set *set, nb_vec3 r, double alpha, const double *epsilon) {
    double s[ROWS];
    assert_true(set->rows <= ROWS);
    nb_convex_set_slack(set, r, alpha, epsilon, s);
    return nb_convex_set_margin(set, s);
}

/* how deep a point lies inside, negative outside; the unknowns that make the set's margin greatest (or none) */
typedef double (*depth_function)(const void *shape, nb_vec3 r, double *epsilon);

/* At random points and scales the set and the geometry say the same, of enough points on both sides. */
static void compare(const char *what, const nb_convex_set *set, depth_function depth, const void *shape, double reach,
                    uint64_t *seed) {
    int inside = 0, outside = 0;
    for (int i = 0; i < POINTS; i++) {
        double alpha = test_random(seed, 0.3, 3), epsilon[16] = {0};
        nb_vec3 r = nb_add(set->centre, random_point(seed, reach));
        double deep = depth(shape, r, epsilon);
        if (fabs(deep) < NEAR) continue;
        double margin = margin_of(set, r, 1, epsilon);
        if (deep > 0 ? !(margin > -NEAR) : !(margin < NEAR))
            fail_msg("%s: (%g, %g, %g) lies %g m inside, by its inequalities %g", what, r.x, r.y, r.z, deep, margin);
        (deep > 0 ? &inside : &outside)[0]++;
        if (deep > 0) CHECK_BELOW(nb_norm(nb_sub(r, set->centre)), set->radius + NEAR);
        /* scaled about its centre: all numbers are alpha times what they were */
        nb_vec3 far = nb_add_scaled(set->centre, alpha, nb_sub(r, set->centre));
        for (int k = 0; k < set->unknowns; k++) epsilon[k] *= alpha;
        CHECK_NEAR(margin_of(set, far, alpha, epsilon), alpha * margin, 1e-13 * (1 + alpha * reach));
    }
    if (inside < POINTS / 50 || outside < POINTS / 50) fail_msg("%s: %d points inside, %d out", what, inside, outside);
    for (int i = 0; i < set->linear; i++) {
        double length = nb_norm(set->a[i]);
        if (length > 0) CHECK_NEAR(length, 1, 1e-14);
    }
}

/* ---- shapes of worlds ---- */

static double ellipsoid_depth(const void *shape, nb_vec3 r, double *epsilon) {
    nb_vec3 half = ((const nb_shape *)shape)->half;
    (void)epsilon;
    return 1 - sqrt(r.x * r.x / (half.x * half.x) + r.y * r.y / (half.y * half.y) + r.z * r.z / (half.z * half.z));
}

static double below_depth(const void *shape, nb_vec3 r, double *epsilon) {
    (void)shape, (void)epsilon;
    return -r.z;
}

static double polyhedron_depth(const void *shape, nb_vec3 r, double *epsilon) {
    const nb_polyhedron *p = shape;
    double least = INFINITY;
    (void)epsilon;
    for (int32_t f = 0; f < p->face_count; f++)
        least = fmin(least, nb_dot(p->face_normal[f], nb_sub(p->vertices[p->face_vertex[p->face_start[f]]], r)));
    return least;
}

TEST(test_sets_of_shapes) {
    uint64_t seed = test_seed();
    nb_shape *sphere, *ellipsoid, *half_space;
    CHECK_OK(nb_shape_sphere(0.7, &sphere));
    CHECK_OK(nb_shape_ellipsoid(nb_vec3_of(0.3, 0.9, 1.4), &ellipsoid));
    CHECK_OK(nb_shape_half_space(&half_space));
    assert_int_equal(sphere->set_count + ellipsoid->set_count + half_space->set_count, 3);
    compare("sphere", sphere->sets, ellipsoid_depth, sphere, 0.8, &seed);
    compare("ellipsoid", ellipsoid->sets, ellipsoid_depth, ellipsoid, 1.3, &seed);
    compare("half-space", half_space->sets, below_depth, half_space, 1, &seed);
    CHECK_NEAR(half_space->sets->b[0], 0, 0);
    nb_shape_destroy(sphere);
    nb_shape_destroy(ellipsoid);
    nb_shape_destroy(half_space);
}

static nb_shape *tetrahedron(void) {
    const nb_vec3 points[4] = {{0, 0, 0}, {1, 0.1, 0}, {0.2, 1.2, 0}, {0.1, 0.3, 0.9}};
    const int32_t start[] = {0, 3, 6, 9, 12}, corner[] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2};
    nb_shape *shape;
    CHECK_OK(nb_shape_polyhedron(4, points, 4, start, corner, &shape));
    return shape;
}

/* sets go where parts go; their centres are the parts' centres of mass, inside of them */
TEST(test_sets_follow_parts) {
    uint64_t seed = test_seed();
    nb_shape *compound = tetrahedron(), *box;
    CHECK_OK(nb_shape_box(nb_vec3_of(0.5, 0.3, 0.8), &box));
    CHECK_OK(nb_shape_append(compound, box, nb_vec3_of(0.4, -0.6, 0.2), random_turn(&seed)));
    CHECK_OK(nb_shape_append(compound, compound, nb_vec3_of(-0.3, 0.2, 0.5), random_turn(&seed)));
    nb_vec3 centre, moments;
    nb_quat axes;
    double volume;
    nb_shape_centre(compound, &centre, &axes, &moments, &volume);
    assert_int_equal(compound->set_count, 4);
    assert_int_equal(compound->part_count, 4);
    for (int k = 0; k < 4; k++) {
        const nb_convex_set *set = &compound->sets[k];
        assert_int_equal(set->rows, k % 2 == 0 ? 4 : 6);
        compare("part", set, polyhedron_depth, &compound->parts[k], set->radius, &seed);
        for (int i = 0; i < set->rows; i++) CHECK_BELOW(1e-3, set->b[i]);
    }
    for (int k = 0; k < 4; k += 2) { /* of a tetrahedron the mean of its corners */
        nb_vec3 mean = {0};
        for (int i = 0; i < 4; i++) mean = nb_add_scaled(mean, 0.25, compound->parts[k].vertices[i]);
        CHECK_BELOW(nb_norm(nb_sub(mean, compound->sets[k].centre)), 1e-14);
    }
    nb_shape_destroy(compound);
    nb_shape_destroy(box);
}

/* a face in two triangles is one inequality */
TEST(test_faces_in_one_plane_are_one_row) {
    const nb_vec3 normals[7] = {{2, 0, 0}, {-1, 0, 0}, {0, 3, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -5}, {1, 1e-9, 0}};
    const double heights[7] = {2, 1, 3, 1, 1, 5, 1 + 1e-9};
    nb_convex_set set;
    CHECK_OK(nb_convex_polytope(7, normals, heights, nb_vec3_of(0.5, 0, 0), 2, &set));
    assert_int_equal(set.rows, 6);
    const double b[6] = {0.5, 1.5, 1, 1, 1, 1};
    for (int i = 0; i < 6; i++) CHECK_NEAR(set.b[i], b[i], 1e-15);
    nb_convex_set_clear(&set);
    CHECK_FAULT(nb_convex_polytope(6, normals, heights, nb_vec3_of(1.5, 0, 0), 2, &set), NB_ERROR_INPUT,
                "inequality 0");
    CHECK_FAULT(nb_convex_polytope(0, normals, heights, nb_vec3_of(0, 0, 0), 2, &set), NB_ERROR_INPUT, "inequalities");
    CHECK_FAULT(nb_convex_ball(-1, &set), NB_ERROR_INPUT, "-1 m");
    CHECK_FAULT(nb_convex_ellipsoid(nb_vec3_of(1, NAN, 1), &set), NB_ERROR_INPUT, "nan");
    CHECK_FAULT(nb_convex_cone(1, 0, &set), NB_ERROR_INPUT, "length 0 m");
    assert_null(set.memory);
}

/* ---- sets that no shape has yet ---- */

enum {
    RADIUS,
    LENGTH
};

static double capsule_depth(const void *shape, nb_vec3 r, double *epsilon) {
    const double *of = shape, half = 0.5 * of[LENGTH];
    epsilon[0] = fmax(-half, fmin(half, r.z));
    return of[RADIUS] - nb_norm(nb_vec3_of(r.x, r.y, r.z - epsilon[0]));
}

static double cylinder_depth(const void *shape, nb_vec3 r, double *epsilon) {
    const double *of = shape;
    (void)epsilon;
    return fmin(of[RADIUS] - hypot(r.x, r.y), 0.5 * of[LENGTH] - fabs(r.z));
}

static double cone_depth(const void *shape, nb_vec3 r, double *epsilon) {
    const double *of = shape, up = r.z + 0.25 * of[LENGTH];
    (void)epsilon;
    return fmin(up, of[RADIUS] * (1 - up / of[LENGTH]) - hypot(r.x, r.y));
}

static const nb_vec3 BOX = {0.4, 0.7, 0.2};

static nb_vec3 nearest_in_box(nb_vec3 half, nb_vec3 r) {
    return nb_vec3_of(fmax(-half.x, fmin(half.x, r.x)), fmax(-half.y, fmin(half.y, r.y)),
                      fmax(-half.z, fmin(half.z, r.z)));
}

/* the ball's point is what is left of r outside of the box */
static double padded_depth(const void *shape, nb_vec3 r, double *epsilon) {
    nb_vec3 left = nb_sub(r, nearest_in_box(BOX, r));
    epsilon[0] = left.x, epsilon[1] = left.y, epsilon[2] = left.z;
    return ((const double *)shape)[RADIUS] - nb_norm(left);
}

static const nb_vec3 OTHER = {0.3, 0.1, 0.5};

static double boxes_depth(const void *shape, nb_vec3 r, double *epsilon) {
    (void)shape;
    epsilon[0] = r.x * BOX.x / (BOX.x + OTHER.x);
    epsilon[1] = r.y * BOX.y / (BOX.y + OTHER.y);
    epsilon[2] = r.z * BOX.z / (BOX.z + OTHER.z);
    return fmin(BOX.x + OTHER.x - fabs(r.x), fmin(BOX.y + OTHER.y - fabs(r.y), BOX.z + OTHER.z - fabs(r.z)));
}

TEST(test_round_sets_and_sums) {
    uint64_t seed = test_seed();
    const double size[] = {[RADIUS] = 0.45, [LENGTH] = 1.1};
    nb_convex_set set;
    nb_shape *box, *other;
    CHECK_OK(nb_convex_capsule(size[RADIUS], size[LENGTH], &set));
    compare("capsule", &set, capsule_depth, size, 1.1, &seed);
    nb_convex_set_clear(&set);
    CHECK_OK(nb_convex_cylinder(size[RADIUS], size[LENGTH], &set));
    compare("cylinder", &set, cylinder_depth, size, 0.9, &seed);
    nb_convex_set_clear(&set);
    CHECK_OK(nb_convex_cone(size[RADIUS], size[LENGTH], &set));
    compare("cone", &set, cone_depth, size, 0.7, &seed);
    nb_convex_set_clear(&set);
    CHECK_OK(nb_shape_box(BOX, &box));
    CHECK_OK(nb_shape_box(OTHER, &other));
    CHECK_OK(nb_convex_padded(box->sets, size[RADIUS], &set));
    compare("padded box", &set, padded_depth, size, 1.2, &seed);
    nb_convex_set_clear(&set);
    CHECK_OK(nb_convex_sum(box->sets, other->sets, &set));
    compare("sum of boxes", &set, boxes_depth, NULL, 1.2, &seed);
    /* moved and copied */
    nb_quat turn = random_turn(&seed);
    nb_vec3 offset = random_point(&seed, 1), r = random_point(&seed, 0.5);
    nb_convex_set moved;
    double epsilon[3], s[ROWS], t[ROWS];
    boxes_depth(NULL, r, epsilon);
    CHECK_OK(nb_convex_set_copy(&set, &moved));
    nb_convex_set_move(&moved, offset, turn);
    nb_convex_set_slack(&set, r, 1.3, epsilon, s);
    nb_convex_set_slack(&moved, nb_add(offset, nb_quat_rotate(turn, r)), 1.3, epsilon, t);
    for (int i = 0; i < set.rows; i++) CHECK_NEAR(s[i], t[i], 1e-14);
    nb_convex_set_clear(&moved);
    nb_convex_set_clear(&set);
    nb_shape_destroy(box);
    nb_shape_destroy(other);
}

/* Whatever allocation fails, nothing is lost and the shape is as it was. */
TEST(test_no_memory) {
    nb_shape *box, *shape;
    CHECK_OK(nb_shape_box(BOX, &box));
    int64_t held = nb_allocation_held();
    for (int fail = 0;; fail++) {
        nb_allocation_fail_after(fail);
        nb_status status = nb_shape_box(OTHER, &shape);
        if (status == NB_OK) {
            status = nb_shape_append(shape, box, nb_vec3_of(1, 0, 0), nb_quat_identity());
            assert_int_equal(shape->part_count, status == NB_OK ? 2 : 1);
            assert_int_equal(shape->set_count, shape->part_count);
            nb_shape_destroy(shape);
        }
        nb_allocation_fail_after(-1);
        assert_int_equal(nb_allocation_held(), held);
        if (status == NB_OK) break;
    }
    nb_shape_destroy(box);
}

RUN_TESTS(test_sets_of_shapes, test_sets_follow_parts, test_faces_in_one_plane_are_one_row, test_round_sets_and_sums,
          test_no_memory)
