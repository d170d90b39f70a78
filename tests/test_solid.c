/* Solids: supports against growth distances from planes, masses against closed forms and against each other, and what
 * ordinary collision detection says of them. */
#include "model/solid.h"

#include <string.h>

#include "base/memory.h"
#include "check.h"
#include "contact/contact.h"
#include "contact/piece.h"
#include "growth.h"
#include "model/mesh.h"

static const double PI = 3.14159265358979323846;
static const double ROUND_OFF = 1e-12; /* of sums of a few hundred terms of order one */
static const double QUADRATURE = 1e-5; /* what nb_solid_mass_properties promises */

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

static nb_shape *box(double x, double y, double z) {
    nb_shape *shape;
    CHECK_OK(nb_shape_box(nb_vec3_of(x, y, z), &shape));
    return shape;
}

static nb_shape *ball(double radius) {
    nb_shape *shape;
    CHECK_OK(nb_shape_sphere(radius, &shape));
    return shape;
}

/* of two shapes, which it takes */
static nb_shape *sum_of(nb_shape *first, nb_shape *second) {
    nb_shape *shape;
    CHECK_OK(nb_shape_sum(first, second, &shape));
    nb_shape_destroy(first);
    nb_shape_destroy(second);
    return shape;
}

enum {
    KINDS = 8
};

static nb_shape *shape_of(int kind) {
    nb_shape *shape = NULL, *other;
    switch (kind) {
    case 0: CHECK_OK(nb_shape_capsule(0.3, 0.9, &shape)); break;
    case 1: CHECK_OK(nb_shape_cylinder(0.3, 0.9, &shape)); break;
    case 2: CHECK_OK(nb_shape_cone(0.4, 0.9, &shape)); break;
    case 3:
        other = box(0.5, 0.3, 0.2);
        CHECK_OK(nb_shape_padded(other, 0.15, &shape));
        nb_shape_destroy(other);
        break;
    case 4:
        CHECK_OK(nb_shape_ellipsoid(nb_vec3_of(0.2, 0.5, 0.3), &other));
        shape = sum_of(box(0.1, 0.4, 0.2), other);
        break;
    case 5:
        CHECK_OK(nb_shape_cone(0.4, 0.9, &other));
        shape = sum_of(other, ball(0.2));
        break;
    case 6:
        CHECK_OK(nb_shape_cylinder(0.2, 0.5, &other));
        shape = sum_of(shape_of(0), other);
        break;
    default: shape = sum_of(box(0.1, 0.4, 0.2), box(0.3, 0.1, 0.2)); break;
    }
    return shape;
}

/* ---- supports and surfaces ---- */

/* The plane that touches a solid from outside does so at alpha = 1: sets know nothing of supports. */
static void check_support(const nb_shape *shape, int32_t part, const nb_convex_set *plane, nb_vec3 direction,
                          nb_growth_workspace *workspace) {
    const nb_solid *solid = &shape->solids[part];
    const nb_vec3 n = nb_normalized(direction), down = nb_scale(-1, n), x = {1, 0, 0};
    nb_vec3 axis = nb_cross(nb_vec3_of(0, 0, 1), down); /* turns +z to down */
    nb_quat turn = nb_norm(axis) > 1e-9 ? nb_quat_about(nb_normalized(axis), acos(fmax(-1, fmin(1, down.z))))
                                        : nb_quat_about(x, down.z > 0 ? 0 : PI);
    const nb_placed_set pair[2] = {{&shape->sets[part], {0, 0, 0}, {1, 0, 0, 0}},
                                   {plane, nb_solid_support(solid, direction), turn}};
    nb_growth growth;
    CHECK_OK(nb_growth_solve(pair, NB_GROWTH_TOLERANCE, workspace, &growth));
    CHECK_NEAR(growth.alpha, 1, 1e-9);
}

TEST(test_supports) {
    uint64_t seed = test_seed();
    nb_growth_workspace workspace = {0};
    nb_convex_set plane;
    CHECK_OK(nb_convex_half_space(&plane));
    for (int kind = 0; kind < KINDS; kind++) {
        nb_shape *shape = shape_of(kind), *bundle;
        const nb_shape *twice[2] = {shape, shape};
        const nb_vec3 offsets[2] = {random_vector(&seed), random_vector(&seed)};
        const nb_quat turns[2] = {random_turn(&seed), random_turn(&seed)};
        CHECK_OK(nb_shape_bundle(2, twice, offsets, turns, &bundle));
        for (int i = 0; i < 30; i++) {
            check_support(shape, 0, &plane, random_vector(&seed), &workspace);
            check_support(bundle, i % 2, &plane, random_vector(&seed), &workspace);
        }
        /* all points of the surface are within the bounding sphere */
        for (int i = 0; i < bundle->solids[1].point_count; i++)
            CHECK_BELOW(nb_norm(bundle->solids[1].points[i]), bundle->radius + 1e-14);
        nb_shape_destroy(shape);
        nb_shape_destroy(bundle);
    }
    nb_convex_set_clear(&plane);
    nb_growth_workspace_clear(&workspace);
}

/* ---- mass ---- */

static void check_properties(const nb_mass_properties *a, const nb_mass_properties *b, double size, double tolerance) {
    CHECK_NEAR(a->volume, b->volume, tolerance * b->volume);
    CHECK_BELOW(nb_norm(nb_sub(a->centre, b->centre)), tolerance * size);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            CHECK_NEAR(a->inertia.m[i][j], b->inertia.m[i][j], tolerance * b->volume * size * size);
}

/* by the midpoints of cells that the set has: nothing but its inequalities */
static nb_mass_properties counted(const nb_convex_set *set, int cells) {
    nb_mass_properties p = {0};
    nb_vec3 first = {0};
    double second[3][3] = {{0}}, width = 2 * set->radius / cells, s[64], cell = width * width * width;
    for (int i = 0; i < cells; i++)
        for (int j = 0; j < cells; j++)
            for (int k = 0; k < cells; k++) {
                nb_vec3 r = {(i + 0.5) * width - set->radius, (j + 0.5) * width - set->radius,
                             (k + 0.5) * width - set->radius};
                const double x[3] = {r.x, r.y, r.z};
                nb_convex_set_slack(set, nb_add(set->centre, r), 1, NULL, s);
                if (nb_convex_set_margin(set, s) < 0) continue;
                p.volume += cell;
                first = nb_add_scaled(first, cell, r);
                for (int a = 0; a < 3; a++)
                    for (int b = 0; b < 3; b++) second[a][b] += cell * x[a] * x[b];
            }
    p.centre = nb_add_scaled(set->centre, 1 / p.volume, first);
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            p.inertia.m[a][b] = (a == b ? second[0][0] + second[1][1] + second[2][2] : 0) - second[a][b];
    return p;
}

TEST(test_cylinder_and_cone_by_counting) {
    uint64_t seed = test_seed();
    for (int kind = 1; kind <= 2; kind++) {
        nb_shape *shape = shape_of(kind);
        /* turned, so that no face is along the cells; of 100^3 some 10^4 are at the surface */
        nb_convex_set turned;
        const nb_quat turn = random_turn(&seed);
        nb_mass_properties exact = nb_shape_mass_properties(shape);
        CHECK_OK(nb_convex_set_copy(shape->sets, &turned));
        nb_convex_set_move(&turned, nb_vec3_of(0, 0, 0), turn);
        exact.inertia = nb_mat3_rotated(turn, &exact.inertia);
        nb_mass_properties cells = counted(&turned, 100);
        check_properties(&cells, &exact, shape->radius, 3e-3);
        nb_convex_set_clear(&turned);
        nb_shape_destroy(shape);
    }
}

/* a padded box: Steiner's formula, and moments by its 27 pieces, of which eight are one ball, and four one cylinder */
TEST(test_padded_box) {
    uint64_t seed = test_seed();
    const double h[3] = {0.5, 0.3, 0.2}, r = 0.15, volume = 8 * h[0] * h[1] * h[2];
    nb_mass_properties expected = {0};
    double square[3], ball_volume = 4.0 / 3.0 * PI * r * r * r; /* integrals of x^2, y^2, z^2 */
    expected.volume = volume + ball_volume;
    for (int a = 0; a < 3; a++) {
        square[a] = volume * h[a] * h[a] / 3;
        /* an eighth of a ball at each corner: x^2 of (h + x) over the half x > 0: h^2 + 2 h 3r/8 + r^2/5 */
        square[a] += ball_volume * (h[a] * h[a] + 0.75 * h[a] * r + 0.2 * r * r);
    }
    for (int a = 0; a < 3; a++) {
        int b = (a + 1) % 3, c = (a + 2) % 3;
        double plates = 2 * r * 4 * h[b] * h[c], rods = PI * r * r * 2 * h[a];
        expected.volume += plates + rods;
        square[a] += plates * (h[a] * h[a] + h[a] * r + r * r / 3);
        square[b] += plates * h[b] * h[b] / 3;
        square[c] += plates * h[c] * h[c] / 3;
        square[a] += rods * h[a] * h[a] / 3;
        /* quarters of a cylinder: half of it has its centre at 4r/(3 pi) */
        square[b] += rods * (h[b] * h[b] + 8 * h[b] * r / (3 * PI) + 0.25 * r * r);
        square[c] += rods * (h[c] * h[c] + 8 * h[c] * r / (3 * PI) + 0.25 * r * r);
    }
    for (int a = 0; a < 3; a++) expected.inertia.m[a][a] = square[(a + 1) % 3] + square[(a + 2) % 3];
    nb_shape *core = box(h[0], h[1], h[2]), *padded, *moved;
    CHECK_OK(nb_shape_padded(core, r, &padded));
    nb_mass_properties actual = nb_shape_mass_properties(padded);
    check_properties(&actual, &expected, padded->radius, ROUND_OFF);
    /* turned and moved */
    const nb_vec3 offset = random_vector(&seed);
    const nb_quat turn = random_turn(&seed);
    CHECK_OK(nb_shape_bundle(1, (const nb_shape *const[]){padded}, &offset, &turn, &moved));
    actual = nb_shape_mass_properties(moved);
    expected.centre = offset;
    expected.inertia = nb_mat3_rotated(turn, &expected.inertia);
    check_properties(&actual, &expected, padded->radius, ROUND_OFF);
    nb_shape_destroy(core);
    nb_shape_destroy(padded);
    nb_shape_destroy(moved);
}

/* an irregular polyhedron, with a face in two triangles */
static nb_shape *wedge(void) {
    const nb_vec3 points[5] = {{0, 0, 0}, {0.9, 0.1, 0}, {1, 1.2, 0}, {-0.1, 0.8, 0}, {0.3, 0.4, 0.7}};
    const int32_t start[] = {0, 3, 6, 9, 12, 15, 18}, corner[] = {0, 2, 1, 0, 3, 2, 0, 1, 4, 1, 2, 4, 2, 3, 4, 3, 0, 4};
    nb_shape *shape;
    CHECK_OK(nb_shape_polyhedron(5, points, 6, start, corner, &shape));
    return shape;
}

/* Two ways to one solid: closed forms of two terms, and quadrature, which three terms or other kinds take. */
TEST(test_quadrature) {
    nb_shape *exact, *other, *numeric;
    nb_mass_properties a, b;
    double worst = 0;
    for (int trial = 0; trial < 4; trial++) {
        switch (trial) {
        case 0: /* capsule and ball: a thicker capsule */
            CHECK_OK(nb_shape_capsule(0.5, 0.9, &exact));
            numeric = sum_of(shape_of(0), ball(0.2));
            break;
        case 1: exact = box(0.4, 0.5, 0.4), numeric = shape_of(7); break;
        case 2: /* padded twice */
            other = wedge();
            CHECK_OK(nb_shape_padded(other, 0.3, &exact));
            numeric = sum_of(sum_of(other, ball(0.1)), ball(0.2));
            break;
        default: /* balls */ exact = ball(0.5), numeric = sum_of(ball(0.3), ball(0.2)); break;
        }
        a = nb_shape_mass_properties(exact), b = nb_shape_mass_properties(numeric);
        worst = fmax(worst, fabs(b.volume / a.volume - 1));
        check_properties(&b, &a, exact->radius, QUADRATURE);
        nb_shape_destroy(exact);
        nb_shape_destroy(numeric);
    }
    print_message("largest relative error of a volume: %.1e\n", worst);
}

TEST(test_capsule_and_bundle) {
    nb_shape *capsule = shape_of(0), *bundle, *sphere = ball(0.4);
    nb_mass_properties p = nb_shape_mass_properties(capsule);
    CHECK_NEAR(p.volume, PI * 0.09 * 0.9 + 4.0 / 3.0 * PI * 0.027, ROUND_OFF);
    CHECK_NEAR(p.inertia.m[2][2], PI * 0.09 * 0.9 * 0.045 + 4.0 / 3.0 * PI * 0.027 * 0.036, ROUND_OFF);
    /* two balls side by side, by the parallel axis theorem; the centre goes to the origin */
    const nb_vec3 offsets[2] = {{1, 0, 0}, {1, 2, 0}};
    const nb_quat turns[2] = {{1, 0, 0, 0}, {1, 0, 0, 0}};
    CHECK_OK(nb_shape_bundle(2, (const nb_shape *const[]){sphere, sphere}, offsets, turns, &bundle));
    nb_vec3 centre, moments;
    nb_quat axes;
    double volume, one = 4.0 / 3.0 * PI * 0.064;
    nb_shape_centre(bundle, &centre, &axes, &moments, &volume);
    CHECK_NEAR(volume, 2 * one, ROUND_OFF);
    CHECK_BELOW(nb_norm(nb_sub(centre, nb_vec3_of(1, 1, 0))), ROUND_OFF);
    CHECK_NEAR(moments.y, 2 * one * 0.4 * 0.16, ROUND_OFF);
    CHECK_NEAR(moments.x, 2 * one * (0.4 * 0.16 + 1), ROUND_OFF);
    CHECK_BELOW(nb_norm(nb_sub(bundle->sets[1].centre, nb_vec3_of(0, 1, 0))), ROUND_OFF);
    CHECK_NEAR(bundle->radius, 1.4, ROUND_OFF);
    nb_shape_destroy(capsule);
    nb_shape_destroy(bundle);
    nb_shape_destroy(sphere);
}

/* ---- collision detection, pictures, faults ---- */

TEST(test_pieces_and_detection) {
    uint64_t seed = test_seed();
    nb_world *world;
    nb_contacts *contacts;
    nb_pieces pieces = {0};
    nb_shape *plane;
    nb_mesh mesh;
    int32_t index, body;
    CHECK_OK(nb_world_create(&world));
    CHECK_OK(nb_shape_half_space(&plane));
    CHECK_OK(nb_world_add_shape(world, plane, &index));
    CHECK_OK(nb_world_add_solid(world, NB_BODY_FIXED, index, 0, 0.5, nb_vec3_of(0, 0, 0), nb_quat_identity(), &body));
    nb_shape *capsule = shape_of(0);
    CHECK_OK(nb_world_add_shape(world, capsule, &index));
    CHECK_OK(nb_world_add_solid(world, NB_BODY_DYNAMIC, index, 1, 0.5, nb_vec3_of(0, 0, 5), random_turn(&seed), &body));
    /* the box around the piece is the capsule's own, with half the margin and the way of a step */
    world->settings.contact_margin = 0;
    CHECK_OK(nb_pieces_place(world, 0, &pieces));
    assert_int_equal(pieces.count, 1);
    nb_vec3 along = nb_quat_rotate(world->bodies[body].orientation, nb_vec3_of(0, 0, 0.45));
    CHECK_NEAR(pieces.bounds[0].high.x, fabs(along.x) + 0.3, 1e-14);
    CHECK_NEAR(pieces.bounds[0].low.z, 5 - fabs(along.z) - 0.3, 1e-14);
    /* far from the ground it is no matter; near it, it is refused by name */
    CHECK_OK(nb_contacts_create(&contacts));
    CHECK_OK(nb_contacts_detect(world, 0.01, contacts));
    world->bodies[body].position.z = 0.5;
    CHECK_FAULT(nb_contacts_detect(world, 0.01, contacts), NB_ERROR_UNSUPPORTED, "capsule");
    world->skips_unknown = 1; /* a method finds them */
    CHECK_OK(nb_contacts_detect(world, 0.01, contacts));
    assert_int_equal(contacts->count, 0);
    CHECK_OK(nb_mesh_of_world(world, &mesh));
    assert_int_equal(mesh.cell_count, 1 + capsule->solids[0].triangle_count);
    nb_mesh_clear(&mesh);
    nb_pieces_clear(&pieces);
    nb_contacts_destroy(contacts);
    nb_world_destroy(world);
}

TEST(test_faults) {
    nb_shape *shape, *plane, *pair = box(1, 1, 1), *one = box(1, 1, 1);
    CHECK_OK(nb_shape_half_space(&plane));
    CHECK_OK(nb_shape_append(pair, one, nb_vec3_of(5, 0, 0), nb_quat_identity()));
    const nb_vec3 offset = {0, 0, 0};
    const nb_quat turn = {1, 0, 0, 0};
    CHECK_FAULT(nb_shape_capsule(-1, 1, &shape), NB_ERROR_INPUT, "capsule");
    CHECK_FAULT(nb_shape_cylinder(1, 0, &shape), NB_ERROR_INPUT, "cylinder");
    CHECK_FAULT(nb_shape_cone(NAN, 1, &shape), NB_ERROR_INPUT, "cone");
    CHECK_FAULT(nb_shape_padded(pair, 1, &shape), NB_ERROR_INPUT, "one part");
    CHECK_FAULT(nb_shape_padded(one, 0, &shape), NB_ERROR_INPUT, "0 m");
    CHECK_FAULT(nb_shape_sum(pair, one, &shape), NB_ERROR_INPUT, "2 and 1 parts");
    CHECK_FAULT(nb_shape_sum(one, plane, &shape), NB_ERROR_INPUT, "half-space");
    CHECK_FAULT(nb_shape_bundle(1, (const nb_shape *const[]){plane}, &offset, &turn, &shape), NB_ERROR_INPUT,
                "half-space");
    CHECK_FAULT(nb_shape_bundle(0, NULL, NULL, NULL, &shape), NB_ERROR_INPUT, "no shapes");
    assert_null(shape);
    /* whatever allocation fails, nothing is lost */
    int64_t held = nb_allocation_held();
    nb_status status = NB_ERROR_MEMORY;
    for (int fail = 0; status != NB_OK; fail++) {
        nb_allocation_fail_after(fail);
        status = nb_shape_sum(one, one, &shape);
        nb_allocation_fail_after(-1);
        if (status == NB_OK) nb_shape_destroy(shape);
        assert_int_equal(nb_allocation_held(), held);
    }
    nb_shape_destroy(pair);
    nb_shape_destroy(one);
    nb_shape_destroy(plane);
}

RUN_TESTS(test_supports, test_cylinder_and_cone_by_counting, test_padded_box, test_quadrature, test_capsule_and_bundle,
          test_pieces_and_detection, test_faults)
