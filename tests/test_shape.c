#include "model/shape.h"

#include <string.h>

#include "base/memory.h"
#include "check.h"
#include "model/polyhedron.h"

static const double PI = 3.14159265358979323846;

/* round-off of sums of a few hundred terms of order one */
static const double ROUND_OFF = 1e-13;

static nb_quat random_turn(uint64_t *seed) {
    nb_quat q;
    do
        q = (nb_quat){test_random(seed, -1, 1), test_random(seed, -1, 1), test_random(seed, -1, 1),
                      test_random(seed, -1, 1)};
    while (q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z < 0.1);
    return nb_quat_normalized(q);
}

static nb_vec3 random_vector(uint64_t *seed) {
    nb_vec3 v = {test_random(seed, -1, 1), 0, 0};
    v.y = test_random(seed, -1, 1);
    v.z = test_random(seed, -1, 1);
    return v;
}

static void check_vector(nb_vec3 actual, nb_vec3 expected, double tolerance) {
    CHECK_NEAR(actual.x, expected.x, tolerance);
    CHECK_NEAR(actual.y, expected.y, tolerance);
    CHECK_NEAR(actual.z, expected.z, tolerance);
}

static void check_matrix(const nb_mat3 *actual, const nb_mat3 *expected, double tolerance) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) CHECK_NEAR(actual->m[i][j], expected->m[i][j], tolerance);
}

static nb_shape *tetrahedron(nb_vec3 a, nb_vec3 b, nb_vec3 c, nb_vec3 d) {
    const nb_vec3 points[4] = {a, b, c, d};
    const int32_t start[] = {0, 3, 6, 9, 12}, corner[] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2};
    nb_shape *shape;
    CHECK_OK(nb_shape_polyhedron(4, points, 4, start, corner, &shape));
    return shape;
}

TEST(test_box_is_a_polyhedron) {
    nb_shape *box;
    CHECK_OK(nb_shape_box(nb_vec3_of(1, 2, 3), &box));
    assert_int_equal(box->kind, NB_SHAPE_COMPOUND);
    assert_int_equal(box->part_count, 1);
    CHECK_NEAR(box->radius, sqrt(14), 0);
    const nb_polyhedron *p = &box->parts[0];
    assert_int_equal(p->vertex_count, 8);
    assert_int_equal(p->edge_count, 12);
    assert_int_equal(p->face_count, 6);
    for (int f = 0; f < 6; f++) {
        double sign = f % 2 ? 1 : -1;
        check_vector(p->face_normal[f], nb_vec3_of(f / 2 == 0 ? sign : 0, f / 2 == 1 ? sign : 0, f / 2 == 2 ? sign : 0),
                     0);
    }
    for (int e = 0; e < 12; e++) {
        /* the faces of an edge hold both its ends */
        for (int side = 0; side < 2; side++) {
            int f = p->edge_face[2 * e + side], found = 0;
            for (int k = p->face_start[f]; k < p->face_start[f + 1]; k++)
                found += p->face_vertex[k] == p->edge_vertex[2 * e] || p->face_vertex[k] == p->edge_vertex[2 * e + 1];
            assert_int_equal(found, 2);
        }
        assert_int_not_equal(p->edge_face[2 * e], p->edge_face[2 * e + 1]);
    }
    nb_mass_properties m = nb_shape_mass_properties(box);
    CHECK_NEAR(m.volume, 48, 48 * ROUND_OFF);
    check_vector(m.centre, nb_vec3_of(0, 0, 0), ROUND_OFF);
    check_matrix(&m.inertia, &(nb_mat3){{{16 * 13, 0, 0}, {0, 16 * 10, 0}, {0, 0, 16 * 5}}}, 208 * ROUND_OFF);
    nb_shape_destroy(box);
}

TEST(test_sphere_and_half_space) {
    nb_shape *shape;
    CHECK_OK(nb_shape_sphere(2, &shape));
    nb_mass_properties m = nb_shape_mass_properties(shape);
    CHECK_NEAR(m.volume, 32 * PI / 3, 34 * ROUND_OFF);
    CHECK_NEAR(m.inertia.m[1][1], 0.4 * 4 * 32 * PI / 3, 54 * ROUND_OFF);
    nb_vec3 centre, moments;
    nb_quat axes;
    double volume;
    nb_shape_centre(shape, &centre, &axes, &moments, &volume);
    check_vector(moments, nb_vec3_of(1.6 * volume, 1.6 * volume, 1.6 * volume), 54 * ROUND_OFF);
    CHECK_NEAR(axes.w, 1, 0);
    nb_shape_destroy(shape);
    CHECK_OK(nb_shape_half_space(&shape));
    assert_int_equal(shape->kind, NB_SHAPE_HALF_SPACE);
    nb_shape_centre(shape, &centre, &axes, &moments, &volume);
    check_vector(centre, nb_vec3_of(0, 0, 0), 0);
    CHECK_NEAR(volume, 0, 0);
    nb_shape_destroy(shape);
}

/* the integral of x x^T over a tetrahedron is V/20 (sum of v v^T + 16 c c^T); its volume det/6 */
TEST(test_tetrahedron_against_closed_form) {
    uint64_t seed = 20190623;
    print_message("seed %llu\n", (unsigned long long)seed);
    for (int trial = 0; trial < 50; trial++) {
        nb_vec3 v[4];
        for (int i = 0; i < 4; i++) v[i] = random_vector(&seed);
        double det = nb_dot(nb_sub(v[1], v[0]), nb_cross(nb_sub(v[2], v[0]), nb_sub(v[3], v[0])));
        if (fabs(det) < 1e-2) continue;
        if (det < 0) {
            nb_vec3 swap = v[1];
            v[1] = v[2], v[2] = swap, det = -det;
        }
        nb_shape *shape = tetrahedron(v[0], v[1], v[2], v[3]);
        nb_mass_properties m = nb_shape_mass_properties(shape);
        nb_vec3 centre = nb_scale(0.25, nb_add(nb_add(v[0], v[1]), nb_add(v[2], v[3])));
        CHECK_NEAR(m.volume, det / 6, ROUND_OFF);
        check_vector(m.centre, centre, 1e-12); /* the sums are divided by a volume of 1e-3 or more */
        double second[3][3] = {{0}}, trace = 0;
        for (int k = 0; k < 4; k++) {
            nb_vec3 d = nb_sub(v[k], centre);
            double x[3] = {d.x, d.y, d.z};
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++) second[i][j] += det / 120 * x[i] * x[j];
            trace += det / 120 * nb_dot(d, d);
        }
        nb_mat3 expected;
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) expected.m[i][j] = (i == j ? trace : 0) - second[i][j];
        check_matrix(&m.inertia, &expected, ROUND_OFF);
        nb_shape_destroy(shape);
    }
}

/* a box with its corners cut off, and a plane that touches nothing; a prism that is the same on both sides of y = 0 */
TEST(test_polytopes) {
    nb_vec3 normals[16] = {{1, 0, 0}, {-2, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    double heights[16] = {1, 2, 1, 1, 1, 1};
    nb_shape *shape;
    for (int i = 0; i < 8; i++) {
        normals[6 + i] = nb_vec3_of(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1);
        heights[6 + i] = 2.5; /* leaves 0.5 of each edge: a tetrahedron of 1/48 is gone from each corner */
    }
    normals[14] = nb_vec3_of(1, 1, 0), heights[14] = 7;
    CHECK_OK(nb_shape_polytope(15, normals, heights, &shape));
    assert_int_equal(shape->parts[0].face_count, 14);
    assert_int_equal(shape->parts[0].vertex_count, 24);
    CHECK_NEAR(nb_shape_mass_properties(shape).volume, 8 - 8.0 / 48, ROUND_OFF);
    nb_shape_destroy(shape);
    const nb_vec3 prism[5] = {{1, 0, 0.2}, {-0.7, 0, 1}, {0.1, 0, -1}, {0, 1, 0}, {0, -1, 0}};
    CHECK_OK(nb_shape_polytope(5, prism, (const double[]){1, 1, 1, 0.5, 0.5}, &shape));
    assert_int_equal(shape->parts[0].vertex_count, 6);
    for (int i = 0; i < 6; i++) { /* each corner has its image, bit by bit */
        nb_vec3 v = shape->parts[0].vertices[i];
        int found = 0;
        for (int k = 0; k < 6; k++) {
            nb_vec3 w = shape->parts[0].vertices[k];
            found += w.x == v.x && w.y == -v.y && w.z == v.z;
        }
        assert_int_equal(found, 1);
    }
    nb_shape_destroy(shape);
    CHECK_FAULT(nb_shape_polytope(3, prism, heights, &shape), NB_ERROR_INPUT, "4 to 64");
    CHECK_FAULT(nb_shape_polytope(4, prism, heights, &shape), NB_ERROR_INPUT, "no solid");
    heights[0] = -5;
    CHECK_FAULT(nb_shape_polytope(15, normals, heights, &shape), NB_ERROR_INPUT, "no solid");
}

/* two half boxes side by side are one box; a table's moments by the parallel axis theorem */
TEST(test_compound_sums_parts) {
    nb_shape *half, *table, *leg;
    CHECK_OK(nb_shape_box(nb_vec3_of(0.5, 2, 3), &half));
    nb_shape *copy;
    CHECK_OK(nb_shape_box(nb_vec3_of(2, 0.5, 3), &copy)); /* turned by a quarter it is the other half */
    CHECK_OK(nb_shape_append(half, copy, nb_vec3_of(1, 0, 0), nb_quat_about(nb_vec3_of(0, 0, 1), 0.5 * PI)));
    nb_mass_properties m = nb_shape_mass_properties(half);
    CHECK_NEAR(m.volume, 48, 48 * ROUND_OFF);
    check_vector(m.centre, nb_vec3_of(0.5, 0, 0), ROUND_OFF);
    check_matrix(&m.inertia, &(nb_mat3){{{208, 0, 0}, {0, 160, 0}, {0, 0, 80}}}, 208 * ROUND_OFF);
    CHECK_NEAR(half->radius, sqrt(1.5 * 1.5 + 4 + 9), ROUND_OFF);
    nb_shape_destroy(half);
    nb_shape_destroy(copy);

    CHECK_OK(nb_shape_box(nb_vec3_of(1, 1, 0.1), &table));
    CHECK_OK(nb_shape_box(nb_vec3_of(0.1, 0.1, 0.5), &leg));
    for (int i = 0; i < 4; i++)
        CHECK_OK(
            nb_shape_append(table, leg, nb_vec3_of(i & 1 ? 0.8 : -0.8, i & 2 ? 0.8 : -0.8, -0.6), nb_quat_identity()));
    m = nb_shape_mass_properties(table);
    double top = 0.8, one = 0.04, z = -0.6 * 4 * one / (top + 4 * one);
    CHECK_NEAR(m.volume, top + 4 * one, ROUND_OFF);
    check_vector(m.centre, nb_vec3_of(0, 0, z), ROUND_OFF);
    double zz = 4 * one * (0.01 + 0.01) / 3 + 4 * one * 2 * 0.64 + top * 2.0 / 3;
    double xx = top * (1 + 0.01) / 3 + top * z * z + 4 * one * ((0.01 + 0.25) / 3 + 0.64 + (-0.6 - z) * (-0.6 - z));
    check_matrix(&m.inertia, &(nb_mat3){{{xx, 0, 0}, {0, xx, 0}, {0, 0, zz}}}, ROUND_OFF);
    nb_vec3 centre, moments;
    nb_quat axes;
    double volume;
    nb_shape_centre(table, &centre, &axes, &moments, &volume);
    CHECK_NEAR(axes.w, 1, 0); /* two equal moments must not turn the axes */
    check_vector(centre, nb_vec3_of(0, 0, z), ROUND_OFF);
    check_vector(moments, nb_vec3_of(xx, xx, zz), ROUND_OFF);
    nb_shape_destroy(table);
    nb_shape_destroy(leg);
}

/* A box moved and turned anywhere is found again: the frame maps the centred shape back onto the given one. */
TEST(test_centre_finds_principal_frame) {
    uint64_t seed = 7;
    print_message("seed %llu\n", (unsigned long long)seed);
    for (int trial = 0; trial < 50; trial++) {
        nb_shape *box;
        nb_vec3 half = nb_vec3_of(test_random(&seed, 0.3, 1), test_random(&seed, 0.3, 1), test_random(&seed, 0.3, 1));
        nb_vec3 offset = random_vector(&seed), centre, moments;
        nb_quat turn = random_turn(&seed), axes;
        double volume, m = 8 * half.x * half.y * half.z / 3;
        CHECK_OK(nb_shape_box(half, &box));
        nb_polyhedron moved, original;
        CHECK_OK(nb_polyhedron_copy(&box->parts[0], offset, turn, &moved));
        CHECK_OK(nb_polyhedron_copy(&moved, nb_vec3_of(0, 0, 0), nb_quat_identity(), &original));
        nb_polyhedron_clear(&box->parts[0]);
        box->parts[0] = moved;
        nb_shape_centre(box, &centre, &axes, &moments, &volume);
        check_vector(centre, offset, ROUND_OFF);
        CHECK_NEAR(volume, 3 * m, ROUND_OFF);
        double sum = 2 * m * (half.x * half.x + half.y * half.y + half.z * half.z);
        CHECK_NEAR(moments.x + moments.y + moments.z, sum, ROUND_OFF);
        double product = m * m * m * (half.y * half.y + half.z * half.z) * (half.x * half.x + half.z * half.z) *
                         (half.x * half.x + half.y * half.y);
        CHECK_NEAR(moments.x * moments.y * moments.z, product, ROUND_OFF * (1 + product));
        CHECK_NEAR(box->radius, nb_norm(half), ROUND_OFF);
        for (int i = 0; i < 8; i++) /* eigenvectors of a tensor known to 1e-16, at most 1e-12 off by the stop */
            check_vector(nb_add(centre, nb_quat_rotate(axes, box->parts[0].vertices[i])), original.vertices[i], 1e-14);
        nb_mass_properties again = nb_shape_mass_properties(box);
        check_matrix(&again.inertia, &(nb_mat3){{{moments.x, 0, 0}, {0, moments.y, 0}, {0, 0, moments.z}}},
                     1e-11 * sum);
        nb_polyhedron_clear(&original);
        nb_shape_destroy(box);
    }
}

static nb_status build(int32_t points, const nb_vec3 *point, int32_t faces, const int32_t *start,
                       const int32_t *corner) {
    nb_shape *shape;
    nb_status status = nb_shape_polyhedron(points, point, faces, start, corner, &shape);
    if (status != NB_OK) assert_null(shape);
    nb_shape_destroy(shape);
    return status;
}

TEST(test_bad_polyhedra_are_named) {
    const nb_vec3 cube[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}};
    const int32_t start[] = {0, 4, 8, 12, 16, 20, 24};
    const int32_t corner[] = {0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4, 2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6};
    nb_vec3 points[9];
    int32_t corners[24];
    CHECK_OK(build(8, cube, 6, start, corner));
#define RESET memcpy(points, cube, sizeof cube), memcpy(corners, corner, sizeof corner)
    RESET, points[7].z = NAN;
    CHECK_FAULT(build(8, points, 6, start, corner), NB_ERROR_INPUT, "point 7");
    RESET, points[7].z = 1.1;
    CHECK_FAULT(build(8, points, 6, start, corner), NB_ERROR_INPUT, "face");
    RESET, points[7] = nb_vec3_of(0.2, 0.2, 0.2);
    CHECK_FAULT(build(8, points, 6, start, corner), NB_ERROR_INPUT, "convex");
    RESET, corners[0] = 2, corners[1] = 6, corners[2] = 4, corners[3] = 0;
    CHECK_FAULT(build(8, cube, 6, start, corners), NB_ERROR_INPUT, "face 0 of the polyhedron is turned inwards");
    RESET, corners[1] = 6, corners[2] = 4; /* a bow tie */
    CHECK_FAULT(build(8, cube, 6, start, corners), NB_ERROR_INPUT, "face 0");
    RESET, corners[5] = 8;
    CHECK_FAULT(build(8, cube, 6, start, corners), NB_ERROR_INPUT, "names point 8");
    CHECK_FAULT(build(8, cube, 5, start, corner), NB_ERROR_INPUT, "not closed");
    CHECK_FAULT(build(3, cube, 4, start, corner), NB_ERROR_INPUT, "at least 4");
    const int32_t short_face[] = {0, 4, 8, 12, 16, 20, 22};
    CHECK_FAULT(build(8, cube, 6, short_face, corner), NB_ERROR_INPUT, "fewer than 3");
    RESET, points[8] = nb_vec3_of(0.5, 0.5, 0.5);
    CHECK_FAULT(build(9, points, 6, start, corner), NB_ERROR_INPUT, "points - edges + faces");
    RESET;
    for (int i = 0; i < 8; i++) points[i].z = 0;
    CHECK_FAULT(build(8, points, 6, start, corner), NB_ERROR_INPUT, "face");
    const int32_t twice[] = {0, 4, 8, 12, 16, 20, 24};
    memcpy(corners + 20, corner + 16, 4 * sizeof *corner);
    CHECK_FAULT(build(8, cube, 6, twice, corners), NB_ERROR_INPUT, "more than one face");
#undef RESET
}

TEST(test_bad_measures_are_named) {
    nb_shape *shape, *box;
    CHECK_FAULT(nb_shape_sphere(-1, &shape), NB_ERROR_INPUT, "radius");
    CHECK_FAULT(nb_shape_sphere(NAN, &shape), NB_ERROR_INPUT, "radius");
    CHECK_FAULT(nb_shape_box(nb_vec3_of(1, 0, 1), &shape), NB_ERROR_INPUT, "half-sizes");
    CHECK_FAULT(nb_shape_box(nb_vec3_of(1, INFINITY, 1), &shape), NB_ERROR_INPUT, "half-sizes");
    CHECK_OK(nb_shape_sphere(1, &shape));
    CHECK_OK(nb_shape_box(nb_vec3_of(1, 1, 1), &box));
    CHECK_FAULT(nb_shape_append(box, shape, nb_vec3_of(0, 0, 0), nb_quat_identity()), NB_ERROR_INPUT, "compound");
    nb_shape_destroy(shape);
    nb_shape_destroy(box);
    nb_shape_destroy(NULL);
}

/* every allocation in turn fails: a status, no leak (the sanitizer looks), and the compound is as before */
TEST(test_memory_faults) {
    nb_status status = NB_ERROR_MEMORY;
    for (int successes = 0; status != NB_OK; successes++) {
        nb_shape *box;
        nb_allocation_fail_after(successes);
        status = nb_shape_box(nb_vec3_of(1, 1, 1), &box);
        nb_allocation_fail_after(-1);
        assert_true(status == NB_OK ? box != NULL : status == NB_ERROR_MEMORY && box == NULL);
        nb_shape_destroy(box);
        assert_true(successes < 100);
    }
    nb_shape *box;
    CHECK_OK(nb_shape_box(nb_vec3_of(1, 1, 1), &box));
    status = NB_ERROR_MEMORY;
    for (int successes = 0; status != NB_OK; successes++) {
        nb_allocation_fail_after(successes);
        status = nb_shape_append(box, box, nb_vec3_of(3, 0, 0), nb_quat_identity());
        nb_allocation_fail_after(-1);
        assert_int_equal(box->part_count, status == NB_OK ? 2 : 1);
    }
    CHECK_NEAR(nb_shape_mass_properties(box).volume, 16, 16 * ROUND_OFF);
    nb_shape_destroy(box);
}

RUN_TESTS(test_box_is_a_polyhedron, test_sphere_and_half_space, test_tetrahedron_against_closed_form, test_polytopes,
          test_compound_sums_parts, test_centre_finds_principal_frame, test_bad_polyhedra_are_named,
          test_bad_measures_are_named, test_memory_faults)
