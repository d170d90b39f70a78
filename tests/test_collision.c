/* Contact sets with known answers. */
#include "contact/contact.h"

#include "base/memory.h"
#include "contact/contact_cache.h"
#include "contact/narrow_phase.h"
#include "contact/polyhedra.h"
#include "scene.h"

static const double PI = 3.14159265358979323846;
static const double ROUND_OFF = 1e-14; /* coordinates of order one, a few operations */

static const nb_vec3 ORIGIN = {0, 0, 0}, X = {1, 0, 0}, Y = {0, 1, 0}, Z = {0, 0, 1};

static int kind_of(const nb_contact *contact) {
    return (int)(contact->feature >> 32 & 7);
}

static int has_contact_at(const nb_contacts *contacts, nb_vec3 point_a, nb_vec3 normal, double gap) {
    int found = 0;
    for (int32_t i = 0; i < contacts->count; i++) {
        const nb_contact *c = &contacts->items[i];
        found += nb_norm(nb_sub(c->point_a, point_a)) < 1e-12 && nb_norm(nb_sub(c->normal, normal)) < 1e-12 &&
                 fabs(c->gap - gap) < 1e-12;
    }
    return found;
}

/* two bodies of half-edge 1/2 boxes (or any given shapes); body 0 is the upper one, dynamic */
static test_scene pair_of(double margin) {
    test_scene scene = scene_create(2, 2, margin);
    scene_box_shape(&scene, 0.5, 0.5, 0.5);
    return scene;
}

static const nb_contacts *detect_boxes(test_scene *scene, nb_vec3 position, nb_quat turn) {
    scene->world.body_count = 0;
    scene_add(scene, NB_BODY_DYNAMIC, 0, position, turn);
    scene_add(scene, NB_BODY_DYNAMIC, 0, ORIGIN, nb_quat_identity());
    scene_detect(scene, 0);
    check_contacts(scene);
    return scene->contacts;
}

/* A feature turned by at most 30 degrees away from the other still faces it: an upright cube's lower corner, seen along
 * a vertical that is tilted towards one of its edges. */
TEST(test_features_turned_away) {
    test_scene scene = pair_of(0.01);
    const nb_polyhedron *box = &scene.world.shapes[0]->parts[0];
    const nb_piece piece = {.polyhedron = box, .vertices = box->vertices};
    for (int32_t v = 0; v < box->vertex_count; v++) {
        nb_vec3 corner = box->vertices[v], up = nb_vec3_of(0, 0, corner.z < 0 ? 1 : -1);
        for (int degrees = -80; degrees <= 80; degrees += 5) {
            if (degrees == -30) continue;  /* the limit itself */
            double a = degrees * PI / 180; /* away from the edge along x where it is negative */
            nb_vec3 normal = nb_vec3_of(sin(a) * (corner.x < 0 ? 1 : -1), 0, cos(a) * up.z);
            assert_int_equal(nb_vertex_faces(&piece, v, normal), degrees > -30);
        }
    }
    scene_destroy(&scene);
}

TEST(test_spheres) {
    test_scene scene = scene_create(2, 2, 0.01);
    int32_t big = scene_sphere_shape(&scene, 2), small = scene_sphere_shape(&scene, 1);
    scene_add(&scene, NB_BODY_FIXED, big, ORIGIN, nb_quat_identity())->friction = 0.9;
    nb_body *ball = scene_add(&scene, NB_BODY_DYNAMIC, small, nb_vec3_of(0, 3.005, 0), nb_quat_identity());
    ball->friction = 0.4;
    const nb_contacts *contacts = scene_detect(&scene, 0);
    assert_int_equal(contacts->count, 1);
    check_contacts(&scene);
    const nb_contact *c = &contacts->items[0];
    assert_int_equal(c->body_a, 1); /* the dynamic one, although it comes second */
    CHECK_NEAR(c->gap, 0.005, ROUND_OFF);
    CHECK_NEAR(c->normal.y, 1, ROUND_OFF);
    CHECK_NEAR(c->point_a.y, 2.005, ROUND_OFF);
    CHECK_NEAR(c->point_b.y, 2, ROUND_OFF);
    CHECK_NEAR(c->friction, 0.6, ROUND_OFF);
    ball->position.y = 3.011;
    assert_int_equal(scene_detect(&scene, 0)->count, 0);
    ball->position.y = 2.5;
    CHECK_NEAR(scene_detect(&scene, 0)->items[0].gap, -0.5, ROUND_OFF);
    ball->position = ORIGIN; /* one inside the other, no direction is nearest */
    scene_detect(&scene, 0);
    check_contacts(&scene);
    CHECK_NEAR(contacts->items[0].gap, -3, ROUND_OFF);
    scene_destroy(&scene);
}

TEST(test_sphere_on_half_space) {
    test_scene scene = scene_create(2, 2, 0.01);
    nb_quat tilt = nb_quat_about(X, 0.3);
    nb_vec3 normal = nb_quat_rotate(tilt, Z);
    scene_add(&scene, NB_BODY_FIXED, scene_half_space_shape(&scene), nb_vec3_of(0, 0, 1), tilt);
    nb_body *ball = scene_add(&scene, NB_BODY_DYNAMIC, scene_sphere_shape(&scene, 0.5),
                              nb_add_scaled(nb_vec3_of(0, 0, 1), 0.509, normal), nb_quat_identity());
    const nb_contacts *contacts = scene_detect(&scene, 0);
    assert_int_equal(contacts->count, 1);
    check_contacts(&scene);
    CHECK_NEAR(contacts->items[0].gap, 0.009, ROUND_OFF);
    CHECK_NEAR(nb_dot(contacts->items[0].normal, normal), 1, ROUND_OFF);
    ball->position = nb_add_scaled(nb_vec3_of(0, 0, 1), -0.2, normal);
    CHECK_NEAR(scene_detect(&scene, 0)->items[0].gap, -0.7, ROUND_OFF);
    scene_destroy(&scene);
}

/* the nearest point of a box of half-edge 1/2 on a face, an edge and a corner; the centre inside */
TEST(test_sphere_on_box) {
    test_scene scene = pair_of(0.01);
    scene_sphere_shape(&scene, 0.25);
    scene_add(&scene, NB_BODY_DYNAMIC, 0, ORIGIN, nb_quat_identity());
    nb_body *ball = scene_add(&scene, NB_BODY_DYNAMIC, 1, ORIGIN, nb_quat_identity());
    const double third = 0.25 / sqrt(3), half = 0.25 / sqrt(2);
    const struct {
        nb_vec3 centre, normal; /* towards the ball */
        double gap;
    } cases[] = {
        {{0.1, 0.2, 0.755}, {0, 0, 1}, 0.005},
        {{0.1, 0.2, 0.7}, {0, 0, 1}, -0.05},
        {{0.1, 0.2, 0.45}, {0, 0, 1}, -0.3},
        {{0.5 + half, 0.2, 0.5 + half}, {sqrt(0.5), 0, sqrt(0.5)}, 0},
        {{0.5 + third, -0.5 - third, 0.5 + third}, {1 / sqrt(3), -1 / sqrt(3), 1 / sqrt(3)}, 0},
        {{-0.4, 0.3, 0}, {-1, 0, 0}, -0.35},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ball->position = cases[i].centre;
        const nb_contacts *contacts = scene_detect(&scene, 0);
        check_contacts(&scene);
        assert_int_equal(contacts->count, 1);
        CHECK_NEAR(contacts->items[0].gap, cases[i].gap, ROUND_OFF);
        CHECK_NEAR(nb_dot(contacts->items[0].normal, cases[i].normal), -1, ROUND_OFF);
    }
    ball->position = ORIGIN;
    assert_int_equal(scene_detect(&scene, 0)->count, 1);
    check_contacts(&scene);
    CHECK_NEAR(scene.contacts->items[0].gap, -0.75, ROUND_OFF);
    scene_destroy(&scene);
}

TEST(test_box_on_half_space) {
    test_scene scene = scene_create(2, 2, 0.01);
    scene_add(&scene, NB_BODY_FIXED, scene_half_space_shape(&scene), ORIGIN, nb_quat_identity());
    /* a plate thinner than the margin: its upper corners are near the plane too, but do not face it */
    nb_body *plate = scene_add(&scene, NB_BODY_DYNAMIC, scene_box_shape(&scene, 1, 0.5, 0.002), nb_vec3_of(3, 4, 0.006),
                               nb_quat_identity());
    const nb_contacts *contacts = scene_detect(&scene, 0);
    assert_int_equal(contacts->count, 4);
    check_contacts(&scene);
    for (int i = 0; i < 4; i++)
        assert_int_equal(
            has_contact_at(contacts, nb_vec3_of(3 + (i & 1 ? 1 : -1), 4 + (i & 2 ? 0.5 : -0.5), 0.004), Z, 0.004), 1);
    plate->orientation = nb_quat_about(Y, 0.01); /* one end 0.01 up: out of the margin */
    assert_int_equal(scene_detect(&scene, 0)->count, 2);
    plate->orientation = nb_quat_about(Y, 0.003); /* both ends within it */
    assert_int_equal(scene_detect(&scene, 0)->count, 4);
    scene_destroy(&scene);
}

TEST(test_table_stands_on_sixteen_corners) {
    test_scene scene = scene_create(2, 2, 0.01);
    scene_add(&scene, NB_BODY_FIXED, scene_half_space_shape(&scene), ORIGIN, nb_quat_identity());
    nb_shape *table, *leg;
    CHECK_OK(nb_shape_box(nb_vec3_of(0.5, 0.4, 0.02), &table));
    CHECK_OK(nb_shape_box(nb_vec3_of(0.03, 0.03, 0.35), &leg));
    for (int i = 0; i < 4; i++)
        CHECK_OK(nb_shape_append(table, leg, nb_vec3_of(i & 1 ? 0.45 : -0.45, i & 2 ? 0.35 : -0.35, -0.37),
                                 nb_quat_identity()));
    nb_shape_destroy(leg);
    scene_add(&scene, NB_BODY_DYNAMIC, scene_add_shape(&scene, table), nb_vec3_of(0, 0, 0.725), nb_quat_identity());
    const nb_contacts *contacts = scene_detect(&scene, 0);
    assert_int_equal(contacts->count, 16);
    check_contacts(&scene);
    for (int i = 0; i < 16; i++) {
        nb_vec3 foot = {(i & 1 ? 0.45 : -0.45) + (i & 4 ? 0.03 : -0.03),
                        (i & 2 ? 0.35 : -0.35) + (i & 8 ? 0.03 : -0.03), 0.005};
        assert_int_equal(has_contact_at(contacts, foot, Z, 0.005), 1);
    }
    scene_destroy(&scene);
}

/* The contacts of two boxes face on face are the corners of the faces' overlap, wherever the upper one sits, whether
 * the boxes are apart, touch or have sunk into each other. */
TEST(test_box_on_box_overlap) {
    test_scene scene = pair_of(0.01);
    const double heights[] = {1.005, 1, 1 - 1e-9, 0.9, 0.6};
    const nb_vec3 shifts[] = {{0, 0, 0}, {0.3, 0, 0}, {0.3, 0.2, 0}, {-0.25, 0.4, 0}, {0, -0.6, 0}};
    for (int h = 0; h < 5; h++)
        for (int k = 0; k < 5; k++) {
            nb_vec3 shift = shifts[k];
            if (heights[h] < 0.9 && k > 0) continue; /* sunk that deep, a side is nearer than the top */
            const nb_contacts *contacts = detect_boxes(&scene, nb_add_scaled(shift, heights[h], Z), nb_quat_identity());
            assert_int_equal(contacts->count, 4);
            for (int i = 0; i < 4; i++) {
                nb_vec3 corner = {i & 1 ? fmin(0.5, 0.5 + shift.x) : fmax(-0.5, -0.5 + shift.x),
                                  i & 2 ? fmin(0.5, 0.5 + shift.y) : fmax(-0.5, -0.5 + shift.y), heights[h] - 0.5};
                assert_int_equal(has_contact_at(contacts, corner, Z, heights[h] - 1), 1);
            }
        }
    scene_destroy(&scene);
}

TEST(test_box_on_box_turned) {
    test_scene scene = pair_of(0.01);
    /* a square turned by 45 degrees over a square: an octagon of edge crossings */
    const nb_contacts *contacts = detect_boxes(&scene, nb_vec3_of(0, 0, 1.001), nb_quat_about(Z, PI / 4));
    assert_int_equal(contacts->count, 8);
    double cut = sqrt(0.5) - 0.5;
    for (int i = 0; i < 8; i++) {
        double x = i & 1 ? 0.5 : -0.5, y = i & 2 ? cut : -cut;
        nb_vec3 corner = i & 4 ? nb_vec3_of(x, y, 0.501) : nb_vec3_of(y, x, 0.501);
        assert_int_equal(has_contact_at(contacts, corner, Z, 0.001), 1);
    }
    for (int i = 0; i < 8; i++) assert_int_equal(kind_of(&contacts->items[i]), NB_FEATURE_EDGE_EDGE);
    /* the same, sunk in by a tenth */
    assert_int_equal(detect_boxes(&scene, nb_vec3_of(0, 0, 0.9), nb_quat_about(Z, PI / 4))->count, 8);
    for (int i = 0; i < 8; i++) {
        CHECK_NEAR(contacts->items[i].gap, -0.1, ROUND_OFF);
        CHECK_NEAR(contacts->items[i].normal.z, 1, ROUND_OFF);
    }
    /* a quarter turn changes nothing */
    assert_int_equal(detect_boxes(&scene, nb_vec3_of(0.2, 0.1, 1), nb_quat_about(Z, PI / 2))->count, 4);
    scene_destroy(&scene);
}

TEST(test_crossed_bricks) {
    test_scene scene = scene_create(2, 1, 0.01);
    scene_box_shape(&scene, 1, 0.25, 0.2);
    const nb_contacts *contacts = detect_boxes(&scene, nb_vec3_of(0, 0, 0.4), nb_quat_about(Z, PI / 2));
    assert_int_equal(contacts->count, 4);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(kind_of(&contacts->items[i]), NB_FEATURE_EDGE_EDGE);
        assert_int_equal(has_contact_at(contacts, nb_vec3_of(i & 1 ? 0.25 : -0.25, i & 2 ? 0.25 : -0.25, 0.2), Z, 0),
                         1);
    }
    /* rocking a little on one edge, it keeps all four */
    assert_int_equal(
        detect_boxes(&scene, nb_vec3_of(0, 0, 0.403), nb_quat_product(nb_quat_about(X, 0.01), nb_quat_about(Z, PI / 2)))
            ->count,
        4);
    scene_destroy(&scene);
}

/* boxes that touch along an edge, or at a corner, as in a grid, do not hold each other */
TEST(test_diagonal_neighbours_are_free) {
    test_scene scene = pair_of(0.01);
    assert_int_equal(detect_boxes(&scene, nb_vec3_of(1, 0, 1), nb_quat_identity())->count, 0);
    assert_int_equal(detect_boxes(&scene, nb_vec3_of(1, 0.3, -1), nb_quat_identity())->count, 0);
    assert_int_equal(detect_boxes(&scene, nb_vec3_of(1, 1, 1), nb_quat_identity())->count, 0);
    /* overlapping by a hair they do */
    assert_int_equal(detect_boxes(&scene, nb_vec3_of(1 - 1e-5, 0, 1), nb_quat_identity())->count, 4);
    scene_destroy(&scene);
}

/* ridge over ridge: the edges' lines cross at an angle; their distance is the difference in height */
TEST(test_edge_on_edge) {
    test_scene scene = scene_create(2, 1, 0.02);
    scene_box_shape(&scene, 0.5, 0.5, 0.5);
    const double heights[] = {0.015, 1e-9, -1e-3, -0.02};
    for (double angle = 0.7; angle < 2.5; angle += 0.3)
        for (int k = 0; k < 4; k++) {
            scene.world.body_count = 0;
            nb_quat ridge = nb_quat_about(X, PI / 4); /* its highest and lowest edges run along x */
            nb_vec3 place = {0.1, -0.2, sqrt(2) + heights[k]};
            scene_add(&scene, NB_BODY_DYNAMIC, 0, place, nb_quat_product(nb_quat_about(Z, angle), ridge));
            scene_add(&scene, NB_BODY_DYNAMIC, 0, ORIGIN, ridge);
            const nb_contacts *contacts = scene_detect(&scene, 0);
            assert_int_equal(contacts->count, 1);
            check_contacts(&scene);
            assert_int_equal(kind_of(&contacts->items[0]), NB_FEATURE_EDGE_EDGE);
            CHECK_NEAR(contacts->items[0].gap, heights[k], ROUND_OFF);
            CHECK_NEAR(contacts->items[0].normal.z, 1, ROUND_OFF);
            /* the lower ridge is y = 0, the upper one goes through (0.1, -0.2) in the direction (cos, sin) */
            CHECK_NEAR(contacts->items[0].point_b.y, 0, ROUND_OFF);
            CHECK_NEAR(contacts->items[0].point_b.x, 0.1 + 0.2 * cos(angle) / sin(angle), 10 * ROUND_OFF);
        }
    scene_destroy(&scene);
}

TEST(test_speed_widens_the_search) {
    const double h = 0.01, margin = 0.002, speed = 3, fall = h * h * 9.81;
    test_scene scene = scene_create(2, 3, margin);
    scene.world.gravity = nb_vec3_of(0, 0, -9.81);
    int32_t plane = scene_half_space_shape(&scene), box = scene_box_shape(&scene, 0.5, 0.5, 0.5),
            ball = scene_sphere_shape(&scene, 0.5);
    nb_body *floor = scene_add(&scene, NB_BODY_FIXED, plane, ORIGIN, nb_quat_identity());
    nb_body *body = scene_add(&scene, NB_BODY_DYNAMIC, ball, ORIGIN, nb_quat_identity());
    for (int k = 0; k < 4; k++) {
        body->shape = k & 1 ? box : ball;
        floor->shape = k & 2 ? box : plane;
        floor->position.z = k & 2 ? -0.5 : 0;
        body->linear_velocity = nb_vec3_of(0, 0, -speed);
        body->position.z = 0.5 + margin + h * speed + fall - 1e-9;
        assert_int_equal(scene_detect(&scene, h)->count, k & 1 ? 4 : 1);
        CHECK_NEAR(scene.contacts->items[0].gap, body->position.z - 0.5, ROUND_OFF); /* the gap is today's */
        body->position.z += 2e-9;
        assert_int_equal(scene_detect(&scene, h)->count, 0);
        body->linear_velocity = nb_vec3_of(0, 0, speed); /* going away: only the margin counts */
        body->position.z = 0.5 + margin - 1e-9;
        assert_true(scene_detect(&scene, h)->count > 0);
        body->position.z += 2e-9;
        assert_int_equal(scene_detect(&scene, h)->count, 0);
    }
    /* a kinematic floor that rises, without gravity of its own */
    floor->kind = NB_BODY_KINEMATIC, floor->shape = plane, floor->position = ORIGIN;
    floor->linear_velocity = nb_vec3_of(0, 0, 1);
    body->linear_velocity = ORIGIN, body->shape = ball;
    body->position.z = 0.5 + margin + h + fall - 1e-9;
    assert_int_equal(scene_detect(&scene, h)->count, 1);
    body->position.z += 2e-9;
    assert_int_equal(scene_detect(&scene, h)->count, 0);
    scene_destroy(&scene);
}

/* spinning brings a corner down by omega times its arm */
TEST(test_spin_widens_the_search) {
    const double h = 0.01, spin = 2;
    test_scene scene = scene_create(2, 2, 0);
    scene_add(&scene, NB_BODY_FIXED, scene_half_space_shape(&scene), ORIGIN, nb_quat_identity());
    nb_body *box =
        scene_add(&scene, NB_BODY_DYNAMIC, scene_box_shape(&scene, 1, 0.5, 0.25), ORIGIN, nb_quat_identity());
    box->angular_velocity = nb_vec3_of(0, spin, 0); /* the end at x = 1 goes down */
    box->position.z = 0.25 + h * spin - 1e-9;
    assert_int_equal(scene_detect(&scene, h)->count, 2);
    CHECK_NEAR(scene.contacts->items[0].point_a.x, 1, ROUND_OFF);
    box->position.z += 2e-9;
    assert_int_equal(scene_detect(&scene, h)->count, 0);
    scene_destroy(&scene);
}

/* corner towards corner: no face or edge pair is there to see it, but the bodies will meet */
TEST(test_corners_on_collision_course) {
    test_scene scene = pair_of(0.001);
    nb_vec3 place = {1.02, 1.02, 1.02};
    detect_boxes(&scene, place, nb_quat_identity());
    scene.world.bodies[0].linear_velocity = nb_vec3_of(-5, -5, -5);
    const nb_contacts *contacts = scene_detect(&scene, 0.01);
    assert_int_equal(contacts->count, 1);
    check_contacts(&scene);
    assert_int_equal(kind_of(&contacts->items[0]), NB_FEATURE_NEAREST);
    CHECK_NEAR(contacts->items[0].gap, 0.02 * sqrt(3), ROUND_OFF);
    /* on the way past each other nothing holds them */
    scene.world.bodies[0].linear_velocity = nb_vec3_of(-5, -5, 0);
    assert_int_equal(scene_detect(&scene, 0.01)->count, 0);
    scene.world.bodies[0].position.z = 1.0005;
    assert_int_equal(scene_detect(&scene, 0.002)->count, 0);
    scene_destroy(&scene);
}

TEST(test_pairs_left_out) {
    test_scene scene = scene_create(4, 1, 0.01);
    int32_t box = scene_box_shape(&scene, 0.5, 0.5, 0.5);
    for (int i = 0; i < 3; i++) scene_add(&scene, NB_BODY_DYNAMIC, box, nb_vec3_of(i, 0, 0), nb_quat_identity());
    scene_add(&scene, NB_BODY_DYNAMIC, -1, nb_vec3_of(0.5, 0, 0), nb_quat_identity()); /* no shape: no contact */
    assert_int_equal(scene_detect(&scene, 0)->count, 8);
    nb_joint joints[] = {{.kind = NB_JOINT_FIXED, .body_a = 2, .body_b = 1}, {.body_a = -1, .body_b = 0}};
    scene.world.joints = joints;
    scene.world.joint_count = 2;
    assert_int_equal(scene_detect(&scene, 0)->count, 4);
    assert_int_equal(scene.contacts->items[0].body_a, 0);
    assert_int_equal(scene.contacts->items[0].body_b, 1);
    scene.world.joint_count = 0;
    scene.world.bodies[0].kind = NB_BODY_FIXED;
    scene.world.bodies[1].kind = NB_BODY_KINEMATIC;
    assert_int_equal(scene_detect(&scene, 0)->count, 4);
    assert_int_equal(scene.contacts->items[0].body_a, 2);
    assert_int_equal(scene.contacts->items[0].body_b, 1);
    scene_destroy(&scene);
}

TEST(test_bad_states_are_named) {
    test_scene scene = pair_of(0.01);
    detect_boxes(&scene, nb_vec3_of(0, 0, 1), nb_quat_identity());
    scene.world.bodies[1].position.y = NAN;
    CHECK_FAULT(nb_contacts_detect(&scene.world, 0, scene.contacts), NB_ERROR_NUMERIC, "body 1");
    assert_int_equal(scene.contacts->count, 0);
    scene.world.bodies[1].position.y = 1e300;
    CHECK_FAULT(nb_contacts_detect(&scene.world, 0, scene.contacts), NB_ERROR_NUMERIC, "body 1");
    scene.world.bodies[1].position.y = 0;
    scene.world.bodies[0].orientation.w = INFINITY;
    CHECK_FAULT(nb_contacts_detect(&scene.world, 0, scene.contacts), NB_ERROR_NUMERIC, "body 0");
    CHECK_FAULT(nb_contacts_detect(&scene.world, NAN, scene.contacts), NB_ERROR_INPUT, "time step");
    scene.world.settings.contact_margin = -1;
    CHECK_FAULT(nb_contacts_detect(&scene.world, 0, scene.contacts), NB_ERROR_INPUT, "margin");
    scene_destroy(&scene);
}

/* ---- what is known from the last detection ---- */

/* a pile that touches itself: two kinds of boxes in a grid */
static test_scene make_pile(uint64_t *seed) {
    test_scene scene = scene_create(60, 4, 0.02);
    int32_t box = scene_box_shape(&scene, 0.5, 0.5, 0.5);
    int32_t flat = scene_box_shape(&scene, 0.8, 0.6, 0.2);
    for (int i = 0; i < 48; i++) {
        int row = i / 4 % 4, layer = i / 16;
        nb_vec3 place = {1.01 * (i % 4), 1.01 * row, 0.5 + 1.005 * layer};
        scene_add(&scene, i == 7 ? NB_BODY_FIXED : NB_BODY_DYNAMIC, i % 5 == 0 ? flat : box, place,
                  nb_quat_about(Z, test_random(seed, -0.05, 0.05)));
        scene.world.bodies[i].friction = 0.5;
    }
    return scene;
}

/* the deepest of the list's contacts where bodies stand, by a list and without one; the scene's own stays */
static void check_deepest(test_scene *scene, nb_contacts *other) {
    const int32_t count = scene->contacts->count;
    const nb_contact last = scene->contacts->items[count - 1];
    double depth, deepest = 0;
    CHECK_OK(nb_contacts_detect(&scene->world, 0, other));
    for (int32_t i = 0; i < other->count; i++) deepest = fmax(deepest, -other->items[i].gap);
    assert_true(deepest > 0);
    CHECK_OK(nb_contacts_deepest(&scene->world, scene->contacts, &depth));
    assert_true(depth == deepest);
    assert_int_equal(scene->contacts->count, count);
    assert_memory_equal(&scene->contacts->items[count - 1], &last, sizeof last);
}

/* the same bits as a list that knows nothing finds */
static void check_as_anew(test_scene *scene, double h) {
    nb_contacts *anew;
    CHECK_OK(nb_contacts_create(&anew));
    CHECK_OK(nb_contacts_detect(&scene->world, h, anew));
    CHECK_OK(nb_contacts_detect(&scene->world, h, scene->contacts));
    assert_true(anew->count > 100);
    assert_int_equal(scene->contacts->count, anew->count);
    for (int32_t i = 0; i < anew->count; i++) {
        const nb_contact *x = &anew->items[i], *y = &scene->contacts->items[i];
        assert_int_equal(x->body_a, y->body_a);
        assert_int_equal(x->body_b, y->body_b);
        assert_true(x->feature == y->feature);
        assert_memory_equal(&x->point_a, &y->point_a, 3 * sizeof x->point_a + 2 * sizeof x->gap);
    }
    check_deepest(scene, anew);
    nb_contacts_destroy(anew);
}

TEST(test_known_contacts_are_those_found_anew) {
    uint64_t seed = 17;
    print_message("seed %llu\n", (unsigned long long)seed);
    test_scene scene = make_pile(&seed);
    for (int trial = 0; trial < 60; trial++) {
        nb_world *world = &scene.world;
        double h = trial % 10 == 9 ? 0.02 : 0.01;
        int32_t i = (int32_t)test_random(&seed, 0, world->body_count);
        nb_body *body = &world->bodies[i];
        switch (trial % 8) {
        case 0: break; /* nothing moves */
        case 1: body->position.x += 1e-9; break;
        case 2: body->angular_velocity.z += 20; break;
        case 3: body->friction += 0.1; break;
        case 4: body->shape = !body->shape; break;
        case 5: world->settings.contact_thickness = 1e-3 * trial; break;
        case 6: body->orientation = nb_quat_advance(body->orientation, 1, nb_vec3_of(1e-3, 0, 0)); break;
        case 7: world->body_count -= trial % 16 == 7; break;
        default: break;
        }
        check_as_anew(&scene, h);
        check_as_anew(&scene, h);
    }
    scene_destroy(&scene);
}

/* Contacts of bodies that stay are taken over, those of others are not. */
TEST(test_what_stays_is_known) {
    uint64_t seed = 18;
    test_scene scene = make_pile(&seed);
    nb_pieces pieces = {0};
    nb_contact_cache known = {0};
    int taken;
    scene_detect(&scene, 0.01);
    CHECK_OK(nb_pieces_place(&scene.world, 0.01, &pieces));
    CHECK_OK(nb_contact_cache_begin(&known, &scene.world, 0.01, &pieces));
    assert_int_equal(known.still[0], 0);
    CHECK_OK(nb_contact_cache_add(&known, 0, 1, 0, scene.contacts)); /* not kept: 0 and 1 may have moved */
    CHECK_OK(nb_contact_cache_end(&known, &scene.world, 0.01, &pieces, scene.contacts));
    CHECK_OK(nb_contact_cache_begin(&known, &scene.world, 0.01, &pieces));
    assert_int_equal(known.still[0], 1);
    CHECK_OK(nb_contact_cache_append(&known, 0, 1, scene.contacts, &taken));
    assert_int_equal(taken, 0);
    CHECK_OK(nb_contact_cache_add(&known, 0, 1, 0, scene.contacts));
    CHECK_OK(nb_contact_cache_end(&known, &scene.world, 0.01, &pieces, scene.contacts));
    scene.world.bodies[2].linear_velocity.z = 1e-12;
    CHECK_OK(nb_contact_cache_begin(&known, &scene.world, 0.01, &pieces));
    for (int32_t i = 0; i < scene.world.body_count; i++) assert_int_equal(known.still[i], i != 2);
    int32_t before = scene.contacts->count;
    CHECK_OK(nb_contact_cache_append(&known, 0, 1, scene.contacts, &taken));
    assert_int_equal(taken, 1);
    assert_int_equal(scene.contacts->count, 2 * before);
    CHECK_OK(nb_contact_cache_append(&known, 1, 3, scene.contacts, &taken)); /* no such pair was there */
    assert_int_equal(taken, 0);
    CHECK_OK(nb_contact_cache_begin(&known, &scene.world, 0.02, &pieces));
    assert_int_equal(known.still[0], 0);
    nb_contact_cache_clear(&known);
    nb_pieces_clear(&pieces);
    scene_destroy(&scene);
}

TEST(test_memory) {
    test_scene scene = pair_of(0.01);
    detect_boxes(&scene, nb_vec3_of(0, 0, 1), nb_quat_identity());
    scene_detect(&scene, 0); /* nothing has moved: contacts are kept from now on */
    int64_t before = nb_allocation_count();
    scene_detect(&scene, 0);
    assert_int_equal(nb_allocation_count(), before); /* everything is kept from call to call */
    nb_contacts_destroy(scene.contacts);
    nb_contacts_destroy(NULL);
    nb_status status = NB_ERROR_MEMORY;
    double depth;
    for (int successes = 0; status != NB_OK; successes++) {
        nb_allocation_fail_after(successes);
        status = nb_contacts_create(&scene.contacts);
        if (status == NB_OK) status = nb_contacts_detect(&scene.world, 0, scene.contacts);
        if (status == NB_OK) status = nb_contacts_deepest(&scene.world, scene.contacts, &depth);
        nb_allocation_fail_after(-1);
        assert_true(status == NB_OK || status == NB_ERROR_MEMORY);
        assert_true(successes < 100);
        if (status != NB_OK) nb_contacts_destroy(scene.contacts);
    }
    assert_int_equal(scene.contacts->count, 4);
    scene_destroy(&scene);
}

RUN_TESTS(test_features_turned_away, test_spheres, test_sphere_on_half_space, test_sphere_on_box,
          test_box_on_half_space, test_table_stands_on_sixteen_corners, test_box_on_box_overlap, test_box_on_box_turned,
          test_crossed_bricks, test_diagonal_neighbours_are_free, test_edge_on_edge, test_speed_widens_the_search,
          test_spin_widens_the_search, test_corners_on_collision_course, test_pairs_left_out, test_bad_states_are_named,
          test_known_contacts_are_those_found_anew, test_what_stays_is_known, test_memory)
