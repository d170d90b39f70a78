/* Contacts of particles, faces and edges of deformable bodies against distances found otherwise. */
#include "base/memory.h"
#include "check.h"
#include "contact/contact.h"
#include "contact/soft_contacts.h"
#include "soft_mesh.h"
#include "soft_scene.h"

NB_PRECISIONS(f64);

static const double ROUND_OFF = 1e-12;

/* ---- the surface ---- */

/* a box of cells: every particle of its hull, every face twice as often as cells have sides, outward, closed */
TEST(the_surface_of_a_box) {
    const int32_t cells[3] = {3, 2, 4};
    nb_world *world;
    nb_soft_part part;
    nb_surface surface = {0};
    int32_t index;
    double volume = 0;
    nb_vec3 area = {0, 0, 0};
    CHECK_OK(nb_world_create(&world));
    CHECK_OK(nb_world_add_particle(world, &(nb_particle){.mass = 1}, &index)); /* of no tetrahedron */
    CHECK_OK(nb_world_add_material(world, &(nb_material){NB_MATERIAL_LINEAR, 1e5, 0.3, 1000}, &index));
    CHECK_OK(nb_world_add_soft_box(world, 0, nb_vec3_of(1, 2, 3), nb_vec3_of(0.3, 0.2, 0.4), cells, &part));
    CHECK_OK(nb_surface_update(&surface, world));
    assert_int_equal(surface.point_count, 1 + 4 * 3 * 5 - 2 * 1 * 3);
    assert_int_equal(surface.face_count, 4 * (3 * 2 + 2 * 4 + 3 * 4));
    assert_int_equal(surface.edge_count, surface.face_count * 3 / 2);
    for (int32_t f = 0; f < surface.face_count; f++) {
        nb_vec3 p[3];
        for (int k = 0; k < 3; k++) p[k] = world->particles[surface.faces[f].particle[k]].position;
        nb_vec3 twice = nb_cross(nb_sub(p[1], p[0]), nb_sub(p[2], p[0]));
        volume += nb_dot(p[0], twice) / 6;
        area = nb_add(area, twice);
    }
    CHECK_NEAR(volume, 0.3 * 0.2 * 0.4, ROUND_OFF); /* outward, all of them */
    CHECK_NEAR(nb_norm(area), 0, ROUND_OFF);
    nb_surface_face *kept = surface.faces;
    CHECK_OK(nb_surface_update(&surface, world));
    assert_ptr_equal(surface.faces, kept);
    world->tetrahedra[0].particle[0] = world->tetrahedra[1].particle[0];
    CHECK_OK(nb_surface_update(&surface, world)); /* made anew where it is another */
    nb_surface_clear(&surface);
    nb_world_destroy(world);
}

/* ---- a particle against shapes ---- */

/* a corner cut off a cube, right-handed */
static const nb_vec3 tetrahedron[4] = {{0, 0, 0}, {1, 0, 0}, {0, 0.8, 0}, {0, 0, 0.7}};
static const int32_t face_start[5] = {0, 3, 6, 9, 12}, face_vertex[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2};

static nb_vec3 nearest_on_segment(nb_vec3 a, nb_vec3 b, nb_vec3 x) {
    nb_vec3 along = nb_sub(b, a);
    return nb_add_scaled(a, fmin(1, fmax(0, nb_dot(along, nb_sub(x, a)) / nb_dot(along, along))), along);
}

/* signed distance of a point from the tetrahedron, and the direction away from it: over all of its features */
static double distance_from_tetrahedron(nb_vec3 x, nb_vec3 *out) {
    double deepest = -INFINITY, nearest = INFINITY;
    nb_vec3 deep_out = {0, 0, 0};
    for (int f = 0; f < 4; f++) {
        nb_vec3 p[3];
        for (int k = 0; k < 3; k++) p[k] = tetrahedron[face_vertex[3 * f + k]];
        nb_vec3 n = nb_normalized(nb_cross(nb_sub(p[1], p[0]), nb_sub(p[2], p[0])));
        double height = nb_dot(n, nb_sub(x, p[0]));
        nb_vec3 foot = nb_add_scaled(x, -height, n);
        int within = 1;
        for (int k = 0; k < 3; k++) {
            nb_vec3 a = p[k], b = p[(k + 1) % 3], on = nearest_on_segment(a, b, x);
            within &= nb_dot(n, nb_cross(nb_sub(b, a), nb_sub(foot, a))) >= 0;
            if (nb_norm(nb_sub(x, on)) < nearest) nearest = nb_norm(nb_sub(x, on)), *out = nb_normalized(nb_sub(x, on));
        }
        if (height > deepest) deepest = height, deep_out = n;
        if (within && height > 0 && height < nearest) nearest = height, *out = n;
    }
    if (deepest > 0) return nearest;
    *out = deep_out;
    return deepest;
}

static const nb_vec3 half = {0.4, 0.3, 0.2};

static double distance_from_box(nb_vec3 x, nb_vec3 *out) {
    nb_vec3 on = nb_vec3_of(fmin(half.x, fmax(-half.x, x.x)), fmin(half.y, fmax(-half.y, x.y)),
                            fmin(half.z, fmax(-half.z, x.z)));
    double distance = nb_norm(nb_sub(x, on));
    if (distance > 0) {
        *out = nb_scale(1 / distance, nb_sub(x, on));
        return distance;
    }
    double dx = fabs(x.x) - half.x, dy = fabs(x.y) - half.y, dz = fabs(x.z) - half.z, d = fmax(dx, fmax(dy, dz));
    *out = d == dx   ? nb_vec3_of(copysign(1, x.x), 0, 0)
           : d == dy ? nb_vec3_of(0, copysign(1, x.y), 0)
                     : nb_vec3_of(0, 0, copysign(1, x.z));
    return d;
}

static double distance_from_sphere(nb_vec3 x, nb_vec3 *out) {
    *out = nb_normalized(x);
    return nb_norm(x) - 0.35;
}

static double distance_from_half_space(nb_vec3 x, nb_vec3 *out) {
    *out = nb_vec3_of(0, 0, 1);
    return x.z;
}

static void make_tetrahedron(nb_shape **shape) {
    CHECK_OK(nb_shape_polyhedron(4, tetrahedron, 4, face_start, face_vertex, shape));
}
static void make_box(nb_shape **shape) {
    CHECK_OK(nb_shape_box(half, shape));
}
static void make_sphere(nb_shape **shape) {
    CHECK_OK(nb_shape_sphere(0.35, shape));
}
static void make_half_space(nb_shape **shape) {
    CHECK_OK(nb_shape_half_space(shape));
}

TEST(particles_against_every_shape) {
    static const struct {
        void (*make)(nb_shape **);
        double (*distance)(nb_vec3, nb_vec3 *);
    } shapes[] = {{make_tetrahedron, distance_from_tetrahedron},
                  {make_box, distance_from_box},
                  {make_sphere, distance_from_sphere},
                  {make_half_space, distance_from_half_space}};
    uint64_t seed = test_seed();
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        nb_world *world;
        nb_contacts *contacts;
        nb_shape *shape;
        int32_t body, inside = 0;
        CHECK_OK(nb_world_create(&world));
        CHECK_OK(nb_contacts_create(&contacts));
        shapes[i].make(&shape);
        soft_scene_solid(world, NB_BODY_FIXED, shape, 0, 0.9, nb_vec3_of(0, 0, 0), nb_quat_identity());
        CHECK_OK(nb_world_add_particle(world, &(nb_particle){.mass = 1, .friction = 0.4}, &body));
        world->settings.contact_margin = 10;
        nb_particle *particle = &world->particles[0];
        for (int k = 0; k < 500; k++) {
            nb_vec3 out, own = soft_scene_vector(&seed, 0.8);
            double distance = shapes[i].distance(own, &out);
            inside += distance < 0;
            world->bodies[0].position = soft_scene_vector(&seed, 2);
            world->bodies[0].orientation = soft_scene_turn(&seed);
            particle->position = nb_add(world->bodies[0].position, nb_quat_rotate(world->bodies[0].orientation, own));
            particle->radius = k % 3 == 0 ? test_random(&seed, 0, 0.2) : 0;
            CHECK_OK(nb_contacts_detect(world, 0, contacts));
            assert_int_equal(contacts->count, 1);
            const nb_contact *c = &contacts->items[0];
            assert_int_equal(c->body_a, 1); /* the node behind the body */
            assert_int_equal(c->body_b, 0);
            assert_int_equal(contacts->soft_count, 1);
            assert_int_equal(contacts->sides[0].count, 1);
            assert_int_equal(contacts->sides[0].particle[0], 0);
            CHECK_NEAR(contacts->sides[0].weight[0], 1, 0);
            CHECK_NEAR(c->friction, 0.6, ROUND_OFF);
            CHECK_NEAR(c->gap, distance - particle->radius, 1e-9);
            CHECK_NEAR(nb_norm(nb_sub(c->normal, nb_quat_rotate(world->bodies[0].orientation, out))), 0, 1e-6);
            CHECK_NEAR(nb_norm(nb_sub(nb_sub(c->point_a, c->point_b), nb_scale(c->gap, c->normal))), 0, ROUND_OFF);
        }
        assert_in_range(inside, 5, 495);
        nb_contacts_destroy(contacts);
        nb_world_destroy(world);
    }
}

/* ---- who touches, and when ---- */

TEST(what_does_not_move_does_not_touch) {
    nb_world *world;
    nb_contacts *contacts;
    nb_shape *shape;
    int32_t index;
    CHECK_OK(nb_world_create(&world));
    CHECK_OK(nb_contacts_create(&contacts));
    CHECK_OK(nb_shape_half_space(&shape));
    soft_scene_solid(world, NB_BODY_FIXED, shape, 0, 0.5, nb_vec3_of(0, 0, 0), nb_quat_identity());
    CHECK_OK(nb_world_add_particle(world, &(nb_particle){.mass = 1}, &index));
    world->particles[0].position = nb_vec3_of(0, 0, 0.5);
    CHECK_OK(nb_contacts_detect(world, 0.01, contacts));
    assert_int_equal(contacts->count, 0); /* far */
    world->particles[0].velocity = nb_vec3_of(0, 0, -48.9);
    CHECK_OK(nb_contacts_detect(world, 0.01, contacts));
    assert_int_equal(contacts->count, 0); /* 0.5 - 0.489 - h^2 g > the margin of 0.01 */
    world->particles[0].velocity = nb_vec3_of(0, 0, -49);
    CHECK_OK(nb_contacts_detect(world, 0.01, contacts));
    assert_int_equal(contacts->count, 1);
    world->particles[0].kind = NB_BODY_KINEMATIC;
    CHECK_OK(nb_contacts_detect(world, 0.01, contacts));
    assert_int_equal(contacts->count, 0); /* with the ground, which has no mass either */
    world->particles[0].velocity.x = NAN;
    CHECK_FAULT(nb_contacts_detect(world, 0.01, contacts), NB_ERROR_NUMERIC, "particle 0");
    CHECK_FAULT(nb_world_add_particle(world, &(nb_particle){.mass = 1, .radius = -1}, &index), NB_ERROR_INPUT,
                "radius -1");
    CHECK_FAULT(nb_world_add_particle(world, &(nb_particle){.mass = 1, .friction = NAN}, &index), NB_ERROR_INPUT,
                "particle 1: friction");
    nb_contacts_destroy(contacts);
    nb_world_destroy(world);
}

/* ---- faces and edges ---- */

/* one tetrahedron, at random, and what it is made of */
static nb_world *make_element(uint64_t *seed, nb_vec3 corner[4]) {
    nb_world *world;
    int32_t index, particle[4];
    CHECK_OK(nb_world_create(&world));
    CHECK_OK(nb_world_add_material(world, &(nb_material){NB_MATERIAL_LINEAR, 1e5, 0.3, 1000}, &index));
    nb_vec3 at = soft_scene_vector(seed, 1);
    nb_quat turn = soft_scene_turn(seed);
    int mirrored = test_random(seed, 0, 1) < 0.5; /* both orders of corners are allowed */
    for (int k = 0; k < 4; k++) {
        int from = mirrored && k > 1 ? 5 - k : k;
        corner[k] = nb_add(at, nb_quat_rotate(turn, tetrahedron[from]));
        CHECK_OK(nb_world_add_particle(world, &(nb_particle){.mass = 1, .position = corner[k], .friction = 0.5},
                                       &particle[k]));
    }
    CHECK_OK(nb_world_add_tetrahedron(world, particle, 0, NULL, &index));
    return world;
}

static nb_vec3 sum_of(const nb_world *world, const nb_contact_side *side) {
    nb_vec3 sum = {0, 0, 0};
    for (int k = 0; k < side->count; k++)
        sum = nb_add_scaled(sum, side->weight[k], world->particles[side->particle[k]].position);
    return sum;
}

/* A ball beside an element touches it where it is nearest: on a corner, an edge or a face, as its distance tells. */
TEST(spheres_against_elements) {
    uint64_t seed = test_seed();
    int found[4] = {0};
    for (int i = 0; i < 400; i++) {
        nb_vec3 corner[4], own, out;
        nb_world *world = make_element(&seed, corner);
        nb_contacts *contacts;
        nb_shape *shape;
        do own = soft_scene_vector(&seed, 1);
        while (distance_from_tetrahedron(own, &out) < 0.02);
        double distance = distance_from_tetrahedron(own, &out), radius = test_random(&seed, 0.01, 0.4);
        /* the element's frame, from its corners: those of `tetrahedron` are along its axes */
        nb_vec3 ends[4] = {corner[0], corner[1], corner[2], corner[3]};
        if (fabs(nb_norm(nb_sub(corner[2], corner[0])) - 0.8) > 0.01) ends[2] = corner[3], ends[3] = corner[2];
        nb_vec3 place = ends[0];
        place = nb_add_scaled(place, own.x, nb_sub(ends[1], ends[0]));
        place = nb_add_scaled(place, own.y / 0.8, nb_sub(ends[2], ends[0]));
        place = nb_add_scaled(place, own.z / 0.7, nb_sub(ends[3], ends[0]));
        CHECK_OK(nb_contacts_create(&contacts));
        CHECK_OK(nb_shape_sphere(radius, &shape));
        soft_scene_solid(world, NB_BODY_DYNAMIC, shape, 1, 0.5, place, soft_scene_turn(&seed));
        world->settings.contact_margin = 5;
        CHECK_OK(nb_contacts_detect(world, 0, contacts));
        const nb_contact *nearest = &contacts->items[0];
        for (int32_t k = 0; k < contacts->count; k++) {
            const nb_contact *c = &contacts->items[k];
            if (c->gap < nearest->gap) nearest = c;
            CHECK_NEAR(nb_norm(nb_sub(c->point_a, sum_of(world, &contacts->sides[k]))), 0, ROUND_OFF);
            CHECK_NEAR(nb_norm(nb_sub(nb_sub(c->point_a, c->point_b), nb_scale(c->gap, c->normal))), 0, ROUND_OFF);
            for (int32_t other = 0; other < k; other++) /* told apart by their names */
                assert_false(contacts->items[other].body_a == c->body_a &&
                             contacts->items[other].feature == c->feature);
        }
        CHECK_NEAR(nearest->gap, distance - radius, 1e-9);
        found[contacts->sides[nearest - contacts->items].count]++;
        nb_contacts_destroy(contacts);
        nb_world_destroy(world);
    }
    print_message("nearest: %d corners, %d edges, %d faces\n", found[1], found[2], found[3]);
    assert_true(found[1] > 5 && found[2] > 5 && found[3] > 5);
}

/* A box near an element: the nearest of all its contacts is as far as the two solids are, which alternating projections
 * tell. */
TEST(boxes_against_elements) {
    uint64_t seed = test_seed();
    int found[4] = {0}, apart = 0;
    for (int i = 0; i < 300; i++) {
        nb_vec3 corner[4], out;
        nb_world *world = make_element(&seed, corner);
        nb_contacts *contacts;
        nb_shape *shape;
        nb_vec3 middle = nb_scale(0.25, nb_add(nb_add(corner[0], corner[1]), nb_add(corner[2], corner[3])));
        nb_vec3 place = nb_add(middle, soft_scene_vector(&seed, 1.2));
        nb_quat turn = soft_scene_turn(&seed);
        CHECK_OK(nb_contacts_create(&contacts));
        CHECK_OK(nb_shape_box(half, &shape));
        soft_scene_solid(world, NB_BODY_DYNAMIC, shape, 1, 0.5, place, turn);
        world->settings.contact_margin = 10;
        /* the least |x - y| over the element's x and the box's y */
        nb_vec3 y = place, x = middle;
        nb_vec3 ends[4] = {corner[0], corner[1], corner[2], corner[3]};
        if (fabs(nb_norm(nb_sub(corner[2], corner[0])) - 0.8) > 0.01) ends[2] = corner[3], ends[3] = corner[2];
        for (int k = 0; k < 2000; k++) {
            nb_vec3 e[3], own, box = nb_quat_rotate(nb_quat_conjugate(turn), nb_sub(x, place));
            box = nb_vec3_of(fmin(half.x, fmax(-half.x, box.x)), fmin(half.y, fmax(-half.y, box.y)),
                             fmin(half.z, fmax(-half.z, box.z)));
            y = nb_add(place, nb_quat_rotate(turn, box));
            for (int j = 0; j < 3; j++) e[j] = nb_normalized(nb_sub(ends[1 + j], ends[0]));
            own = nb_vec3_of(nb_dot(e[0], nb_sub(y, ends[0])), nb_dot(e[1], nb_sub(y, ends[0])),
                             nb_dot(e[2], nb_sub(y, ends[0])));
            double far = fmax(0, distance_from_tetrahedron(own, &out));
            own = nb_add_scaled(own, -far, out);
            x = ends[0];
            x = nb_add_scaled(nb_add_scaled(nb_add_scaled(x, own.x, e[0]), own.y, e[1]), own.z, e[2]);
        }
        double distance = nb_norm(nb_sub(x, y));
        if (distance > 0.02) {
            CHECK_OK(nb_contacts_detect(world, 0, contacts));
            assert_true(contacts->count > 0);
            const nb_contact *nearest = &contacts->items[0];
            for (int32_t k = 0; k < contacts->count; k++) {
                const nb_contact *c = &contacts->items[k];
                if (c->gap < nearest->gap) nearest = c;
                CHECK_NEAR(nb_norm(nb_sub(c->point_a, sum_of(world, &contacts->sides[k]))), 0, ROUND_OFF);
                CHECK_NEAR(nb_dot(c->normal, c->normal), 1, ROUND_OFF);
            }
            CHECK_NEAR(nearest->gap, distance, 1e-3); /* what 2000 projections leave */
            found[contacts->sides[nearest - contacts->items].count]++;
            apart++;
        }
        nb_contacts_destroy(contacts);
        nb_world_destroy(world);
    }
    print_message("of %d apart, nearest: %d corners, %d edges, %d faces\n", apart, found[1], found[2], found[3]);
    assert_true(found[1] > 10 && found[2] > 10 && found[3] > 10);
}

/* a point that has come into a body leaves it through the face that is nearest, and no other one */
TEST(corners_leave_through_one_face) {
    const int32_t cells[3] = {2, 2, 2};
    nb_world *world;
    nb_contacts *contacts;
    nb_shape *shape;
    nb_soft_part part;
    int32_t index;
    CHECK_OK(nb_world_create(&world));
    CHECK_OK(nb_contacts_create(&contacts));
    CHECK_OK(nb_world_add_material(world, &(nb_material){NB_MATERIAL_LINEAR, 1e5, 0.3, 1000}, &index));
    CHECK_OK(nb_world_add_soft_box(world, 0, nb_vec3_of(0, 0, 0), nb_vec3_of(1, 1, 1), cells, &part));
    CHECK_OK(nb_shape_box(nb_vec3_of(0.02, 0.02, 0.2), &shape));
    /* a needle of square section, on its corner, 0.01 into the top and 0.1 beside the edge of the body */
    nb_quat turn = nb_quat_about(nb_normalized(nb_vec3_of(1, 1, 0)), 0.4);
    nb_vec3 tip = {0, 0, 1};
    for (int k = 0; k < 4; k++) { /* the lowest of the lower end's */
        nb_vec3 end = nb_quat_rotate(turn, nb_vec3_of(k & 1 ? 0.02 : -0.02, k & 2 ? 0.02 : -0.02, -0.2));
        if (end.z < tip.z) tip = end;
    }
    soft_scene_solid(world, NB_BODY_DYNAMIC, shape, 1, 0.5, nb_sub(nb_vec3_of(0.9, 0.83, 0.99), tip), turn);
    CHECK_OK(nb_contacts_detect(world, 0, contacts));
    int touching = 0;
    for (int32_t i = 0; i < contacts->count; i++) {
        const nb_contact *c = &contacts->items[i];
        if (contacts->sides[i].count != 3) continue;
        CHECK_NEAR(c->normal.z, -1, ROUND_OFF);
        touching += c->gap < 0;
        if (c->gap < 0) CHECK_NEAR(c->gap, -0.01, ROUND_OFF);
    }
    assert_int_equal(touching, 1);
    nb_contacts_destroy(contacts);
    nb_world_destroy(world);
}

/* ---- cost ---- */

/* a mat of n x n cells on as many boxes: tests of boxes, and contacts, a part of the surface stay what they are */
TEST(searches_grow_with_the_surface) {
    double tests[3], found[3];
    for (int i = 0; i < 3; i++) {
        const int32_t n = 4 << i, cells[3] = {n, n, 1};
        nb_world *world;
        nb_contacts *contacts;
        nb_shape *shape;
        nb_soft_part part;
        nb_pieces pieces = {0};
        nb_soft_collider collider = {0};
        int32_t index, box;
        CHECK_OK(nb_world_create(&world));
        CHECK_OK(nb_contacts_create(&contacts));
        CHECK_OK(nb_world_add_material(world, &(nb_material){NB_MATERIAL_LINEAR, 1e5, 0.3, 1000}, &index));
        CHECK_OK(nb_world_add_soft_box(world, 0, nb_vec3_of(0, 0, 0.001), nb_vec3_of(n, n, 1), cells, &part));
        CHECK_OK(nb_shape_box(nb_vec3_of(0.45, 0.45, 0.45), &shape));
        CHECK_OK(nb_world_add_shape(world, shape, &box));
        for (int32_t k = 0; k < n * n; k++)
            CHECK_OK(nb_world_add_solid(world, NB_BODY_DYNAMIC, box, 1, 0.5,
                                        nb_vec3_of(k % n + 0.5, k / n + 0.5, -0.45), nb_quat_identity(), &index));
        CHECK_OK(nb_pieces_place(world, 0.01, &pieces));
        CHECK_OK(nb_soft_contacts_find(&collider, world, 0.01, &pieces, contacts));
        const nb_surface *surface = &collider.surface;
        double parts = pieces.count + surface->point_count + surface->face_count + surface->edge_count;
        tests[i] = (double)collider.tests / parts;
        found[i] = contacts->count / parts;
        print_message("%.0f boxes and parts of the surface: %.1f tests and %.2f contacts each\n", parts, tests[i],
                      found[i]);
        nb_soft_collider_clear(&collider);
        nb_pieces_clear(&pieces);
        nb_contacts_destroy(contacts);
        nb_world_destroy(world);
    }
    CHECK_BELOW(tests[2], 1.5 * tests[0]); /* 15 times as many */
    CHECK_NEAR(found[2], found[1], 0.3 * found[1]);
}

RUN_TESTS(the_surface_of_a_box, particles_against_every_shape, what_does_not_move_does_not_touch,
          spheres_against_elements, boxes_against_elements, corners_leave_through_one_face,
          searches_grow_with_the_surface)
