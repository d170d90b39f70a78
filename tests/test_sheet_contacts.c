/* Contacts of sheets of triangles with each other, with themselves, with soft bodies and with rigid ones, against
 * distances found otherwise. */
#include "soft_distance.h"

NB_PRECISIONS(f64);

static const double ROUND_OFF = 1e-12, RADIUS = 0.02;

/* a crumpled sheet of 2 x 1 cells of about 0.5, its triangles with their corners in either order */
static nb_soft_part add_sheet(nb_world *world, uint64_t *seed, nb_vec3 at) {
    nb_soft_part part;
    const int32_t first = world->triangle_count;
    CHECK_OK(nb_world_add_sheet(world, nb_vec3_of(-0.5, -0.25, 0), nb_vec3_of(1, 0, 0), nb_vec3_of(0, 0.5, 0),
                                (const int32_t[2]){2, 1}, 1, 1, &part));
    nb_soft_part_set_skin(world, &part, 0.5, RADIUS);
    soft_scene_move(world, &part, soft_scene_turn(seed), at);
    for (int32_t i = part.first_particle; i < world->particle_count; i++)
        world->particles[i].position = nb_add(world->particles[i].position, soft_scene_vector(seed, 0.15));
    for (int32_t i = first; i < world->triangle_count; i++)
        if (test_random(seed, -1, 1) < 0) {
            int32_t *corner = world->triangles[i].particle, swap = corner[1];
            corner[1] = corner[2], corner[2] = swap;
        }
    return part;
}

/* ---- the surface ---- */

TEST(the_surface_of_a_sheet) {
    const int32_t n[2] = {5, 3}, flat[3] = {0, 1, 2};
    nb_world *world = soft_scene_world();
    nb_soft_part part;
    nb_surface surface = {0};
    int32_t border = 0, index;
    double mass = 0;
    CHECK_OK(nb_world_add_particle(world, &(nb_particle){.mass = 1}, &index)); /* of no triangle */
    CHECK_OK(
        nb_world_add_sheet(world, nb_vec3_of(1, 2, 3), nb_vec3_of(1, 0, 0), nb_vec3_of(0, 0.6, 0), n, 0.5, 100, &part));
    CHECK_OK(nb_surface_update(&surface, world));
    assert_int_equal(surface.point_count, 1 + 6 * 4);
    assert_int_equal(surface.face_count, 2 * 5 * 3);
    assert_int_equal(surface.edge_count, 3 * 5 * 3 + 5 + 3);
    assert_int_equal(world->spring_count, surface.edge_count);
    for (int32_t e = 0; e < surface.edge_count; e++) border += surface.edges[e].face[1] < 0;
    assert_int_equal(border, 2 * (5 + 3));
    assert_false(nb_surface_on_sheet(&surface, 0));
    for (int32_t i = 0; i < part.particle_count; i++) {
        assert_true(nb_surface_on_sheet(&surface, part.first_particle + i));
        assert_int_equal(surface.body[part.first_particle + i], surface.body[part.first_particle]);
        mass += world->particles[part.first_particle + i].mass;
    }
    CHECK_NEAR(mass, 0.5 * 0.6, ROUND_OFF);
    nb_surface_face *kept = surface.faces;
    CHECK_OK(nb_surface_update(&surface, world));
    assert_ptr_equal(surface.faces, kept);
    world->triangle_count--;
    CHECK_OK(nb_surface_update(&surface, world)); /* made anew where it is another */
    assert_int_equal(surface.face_count, 2 * 5 * 3 - 1);
    world->triangle_count++;
    CHECK_FAULT(nb_world_add_triangle(world, (const int32_t[3]){1, 2, 3}, &index), NB_ERROR_INPUT, "no area");
    CHECK_FAULT(nb_world_add_triangle(world, (const int32_t[3]){1, 2, 99}, &index), NB_ERROR_INPUT, "no particle 99");
    CHECK_FAULT(nb_world_add_triangle(world, (const int32_t[3]){1, 2, 1}, &index), NB_ERROR_INPUT, "twice");
    CHECK_OK(nb_world_add_triangle(world, flat, &index));
    CHECK_FAULT(
        nb_world_add_sheet(world, nb_vec3_of(0, 0, 0), nb_vec3_of(1, 0, 0), nb_vec3_of(0, 1, 0), n, 0, 1, &part),
        NB_ERROR_INPUT, "density");
    nb_surface_clear(&surface);
    nb_world_destroy(world);
}

/* ---- distances ---- */

/* The nearest contact of those found is as far as `way` is long, less the radius of as many sides, and along it. */
static void check_nearest(nb_world *world, nb_vec3 way, double radius, int of[6]) {
    nb_contacts *contacts;
    nb_surface surface = {0};
    CHECK_OK(nb_surface_update(&surface, world));
    CHECK_OK(nb_contacts_create(&contacts));
    world->settings.contact_margin = 0.05 + nb_norm(way);
    CHECK_OK(nb_contacts_detect(world, 0, contacts));
    int32_t nearest = -1;
    for (int32_t k = 0; k < contacts->count; k++) {
        const nb_contact_side *side = nb_contacts_side(contacts, k);
        if (!side) continue;
        if (side->second > 0) soft_check_contact(world, contacts, k);
        int same = side->second > 0 && surface.body[side->particle[0]] == surface.body[side->particle[side->count - 1]];
        if (same) continue; /* crumpled as they are, sheets may touch themselves */
        if (nearest < 0 || contacts->items[k].gap < contacts->items[nearest].gap) nearest = k;
    }
    assert_true(nearest >= 0);
    const nb_contact *c = &contacts->items[nearest];
    const nb_contact_side *side = nb_contacts_side(contacts, nearest);
    double sign = surface.body[side->particle[0]] == 0 ? -1 : 1; /* normals point to the first side */
    CHECK_NEAR(c->gap, nb_norm(way) - radius, 1e-8);
    CHECK_NEAR(nb_dot(c->normal, nb_normalized(way)), sign, 1e-6);
    of[side->second > 0 ? side->count + (side->second == 2) : side->count]++;
    nb_contacts_destroy(contacts);
    nb_surface_clear(&surface);
}

TEST(sheets_apart) {
    uint64_t seed = test_seed();
    int of[6] = {0}, apart = 0;
    for (int i = 0; i < 300; i++) {
        nb_world *world = soft_scene_world();
        nb_surface surface = {0};
        add_sheet(world, &seed, nb_vec3_of(0, 0, 0));
        add_sheet(world, &seed, soft_scene_vector(&seed, 0.6));
        CHECK_OK(nb_surface_update(&surface, world));
        nb_vec3 way = soft_way_between(world, &surface);
        if (soft_pierced(world) == 0 && nb_norm(way) > 0.01) {
            check_nearest(world, way, 2 * RADIUS, of); /* to gaps below zero, too */
            apart++;
        }
        nb_surface_clear(&surface);
        nb_world_destroy(world);
    }
    print_message("of %d apart, nearest: %d corners, %d of edge and corner, %d of face and corner, %d of two edges\n",
                  apart, of[2], of[3], of[4], of[5]);
    assert_true(apart > 100 && of[2] > 0 && of[3] > 10 && of[4] > 10 && of[5] > 20);
}

/* whether no particle of the second part is inside of the box around the origin */
static int is_outside(const nb_world *world, const nb_soft_part *part, nb_quat turn, nb_vec3 half) {
    for (int32_t i = part->first_particle; i < part->first_particle + part->particle_count; i++) {
        nb_vec3 x = nb_quat_rotate(nb_quat_conjugate(turn), world->particles[i].position);
        if (fabs(x.x) < half.x && fabs(x.y) < half.y && fabs(x.z) < half.z) return 0;
    }
    return 1;
}

/* a sheet and a box: of tetrahedra, or rigid, whose distance is that of one of tetrahedra in its place */
TEST(sheets_beside_boxes) {
    uint64_t seed = test_seed();
    const nb_vec3 half = {0.3, 0.2, 0.15}, low = nb_scale(-1, half), edges = nb_scale(2, half);
    for (int rigid = 0; rigid < 2; rigid++) {
        int of[6] = {0}, apart = 0;
        for (int i = 0; i < 200; i++) {
            nb_world *world = soft_scene_world(), *measured = soft_scene_world();
            nb_surface surface = {0};
            nb_soft_part box, part;
            nb_quat turn = soft_scene_turn(&seed);
            nb_vec3 at = soft_scene_vector(&seed, 0.6);
            uint64_t again = seed;
            CHECK_OK(nb_world_add_soft_box(measured, 0, low, edges, (const int32_t[3]){1, 1, 1}, &box));
            soft_scene_move(measured, &box, turn, nb_vec3_of(0, 0, 0));
            part = add_sheet(measured, &seed, at);
            CHECK_OK(nb_surface_update(&surface, measured));
            nb_vec3 way = soft_way_between(measured, &surface);
            if (rigid) {
                nb_shape *shape;
                CHECK_OK(nb_shape_box(half, &shape));
                soft_scene_solid(world, NB_BODY_DYNAMIC, shape, 1, 0.5, nb_vec3_of(0, 0, 0), turn);
                add_sheet(world, &again, at);
                way = nb_scale(-1, way); /* normals point to the sheet, which is body 0 there */
            }
            if (soft_pierced(measured) == 0 && is_outside(measured, &part, turn, half) && nb_norm(way) > 0.01) {
                check_nearest(rigid ? world : measured, way, RADIUS, of);
                apart++;
            }
            nb_surface_clear(&surface);
            nb_world_destroy(measured);
            nb_world_destroy(world);
        }
        print_message("%s box, %d apart: %d %d %d %d %d\n", rigid ? "rigid" : "soft", apart, of[1], of[2], of[3], of[4],
                      of[5]);
        assert_true(apart > 60);
        if (rigid) assert_true(of[1] > 5 && of[2] > 10 && of[3] > 5);
        if (!rigid) assert_true(of[3] > 5 && of[4] > 10 && of[5] > 10);
    }
}

TEST(sheets_beside_balls_and_planes) {
    uint64_t seed = test_seed();
    const double ball = 0.1;
    for (int i = 0; i < 200; i++) {
        nb_world *world = soft_scene_world();
        nb_shape *shape;
        nb_vec3 at = soft_scene_vector(&seed, 0.5), way = {1e9, 0, 0};
        int of[6] = {0};
        if (i % 2) {
            CHECK_OK(nb_shape_half_space(&shape));
            soft_scene_solid(world, NB_BODY_FIXED, shape, 0, 0.5, nb_vec3_of(0, 0, -1), nb_quat_identity());
        } else {
            CHECK_OK(nb_shape_sphere(ball, &shape));
            soft_scene_solid(world, NB_BODY_DYNAMIC, shape, 1, 0.5, at, nb_quat_identity());
        }
        nb_soft_part part = add_sheet(world, &seed, nb_vec3_of(0, 0, 0));
        for (int32_t t = 0; t < world->triangle_count && i % 2 == 0; t++) {
            nb_vec3 corner[3];
            for (int k = 0; k < 3; k++) corner[k] = world->particles[world->triangles[t].particle[k]].position;
            soft_from_face(corner, at, &way);
        }
        for (int32_t k = 0; k < part.particle_count && i % 2; k++) {
            double height = world->particles[part.first_particle + k].position.z + 1;
            if (height < nb_norm(way)) way = nb_vec3_of(0, 0, -height);
        }
        check_nearest(world, way, RADIUS + (i % 2 ? 0 : ball), of); /* a ball in the sheet: by where its middle is */
        nb_world_destroy(world);
    }
}

/* ---- which side ---- */

/* Above and below the same face, in whichever order its corners are: the normal is of the side where the point is. */
TEST(both_sides_touch) {
    for (int turned = 0; turned < 2; turned++)
        for (int below = 0; below < 2; below++) {
            nb_world *world = soft_scene_world();
            nb_contacts *contacts;
            int32_t particle[4], index;
            const nb_vec3 place[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.3, 0.3, below ? -0.03 : 0.03}};
            for (int k = 0; k < 4; k++)
                CHECK_OK(nb_world_add_particle(world, &(nb_particle){.mass = 1, .position = place[k], .radius = RADIUS},
                                               &particle[k]));
            const int32_t corner[3] = {particle[0], particle[turned ? 2 : 1], particle[turned ? 1 : 2]};
            CHECK_OK(nb_world_add_triangle(world, corner, &index));
            CHECK_OK(nb_contacts_create(&contacts));
            CHECK_OK(nb_contacts_detect(world, 0, contacts));
            assert_int_equal(contacts->count, 1);
            CHECK_NEAR(contacts->items[0].gap, 0.03 - 2 * RADIUS, ROUND_OFF);
            CHECK_NEAR(contacts->items[0].normal.z, below ? 1 : -1, ROUND_OFF); /* from the point to the face */
            soft_check_contact(world, contacts, 0);
            nb_contacts_destroy(contacts);
            nb_world_destroy(world);
        }
}

/* ---- a sheet with itself ---- */

/* the least distance of corners from faces and of edges from each other, of all that share no corner */
static double distance_from_itself(const nb_world *world) {
    nb_vec3 nearest = {1e9, 0, 0};
    for (int32_t t = 0; t < world->triangle_count; t++)
        for (int32_t o = 0; o < world->triangle_count; o++) {
            const int32_t *one = world->triangles[t].particle, *two = world->triangles[o].particle;
            nb_vec3 x[3], y[3];
            for (int k = 0; k < 3; k++) x[k] = world->particles[one[k]].position;
            for (int k = 0; k < 3; k++) y[k] = world->particles[two[k]].position;
            for (int k = 0; k < 3; k++) {
                if (two[k] != one[0] && two[k] != one[1] && two[k] != one[2]) soft_from_face(x, y[k], &nearest);
                for (int j = 0; j < 3; j++) {
                    int32_t a = one[k], b = one[(k + 1) % 3], c = two[j], d = two[(j + 1) % 3];
                    if (a == c || a == d || b == c || b == d) continue;
                    soft_between_segments(x[k], x[(k + 1) % 3], y[j], y[(j + 1) % 3], &nearest);
                }
            }
        }
    return nb_norm(nearest);
}

/* Rolled up, a sheet is as far from itself as its turns are; flat it has no contacts with itself, whatever the margin
 * and even where it is thicker than its cells are long. */
TEST(sheets_touch_themselves) {
    uint64_t seed = test_seed();
    static const double radius[] = {0.005, 0.02, 0.2};
    for (int i = 0; i < 3; i++) {
        nb_world *world = soft_scene_world();
        nb_contacts *contacts;
        nb_soft_part part;
        CHECK_OK(nb_contacts_create(&contacts));
        CHECK_OK(nb_world_add_sheet(world, nb_vec3_of(0, 0, 0), nb_vec3_of(2, 0, 0), nb_vec3_of(0, 0.3, 0),
                                    (const int32_t[2]){40, 3}, 1, 1, &part));
        for (size_t k = 0; k < sizeof radius / sizeof *radius; k++) {
            nb_soft_part_set_skin(world, &part, 0.5, radius[k]);
            world->settings.contact_margin = test_random(&seed, 0, 0.3);
            CHECK_OK(nb_contacts_detect(world, 0.01, contacts));
            assert_int_equal(contacts->count, 0);
        }
        nb_soft_part_set_skin(world, &part, 0.5, 0.005);
        const double pitch = test_random(&seed, 0.02, 0.03) / (2 * acos(-1)); /* of a spiral, a radian */
        for (int32_t p = part.first_particle; p < world->particle_count; p++) {
            nb_vec3 *x = &world->particles[p].position;
            double angle = (sqrt(0.01 + 2 * pitch * x->x) - 0.1) / pitch, r = 0.1 + pitch * angle; /* of its length */
            *x = nb_add(nb_vec3_of(r * cos(angle), x->y, r * sin(angle)), soft_scene_vector(&seed, 0.001));
        }
        double distance = distance_from_itself(world), least = INFINITY;
        world->settings.contact_margin = 0.025; /* with the radii less than what is left out in the plane */
        CHECK_OK(nb_contacts_detect(world, 0, contacts));
        for (int32_t k = 0; k < contacts->count; k++) {
            soft_check_contact(world, contacts, k);
            least = fmin(least, contacts->items[k].gap);
        }
        CHECK_NEAR(least, distance - 0.01, 1e-8);
        nb_contacts_destroy(contacts);
        nb_world_destroy(world);
    }
}

/* A sheet over another with the same mesh: one contact where two corners meet, not one for each of their faces. */
TEST(equal_meshes_meet_once) {
    nb_world *world = soft_scene_world();
    nb_contacts *contacts;
    nb_soft_part part;
    world->settings.contact_margin = 0.001;
    for (int n = 0; n < 2; n++) {
        CHECK_OK(nb_world_add_sheet(world, nb_vec3_of(0, 0, 0.04 * n), nb_vec3_of(1, 0, 0), nb_vec3_of(0, 1, 0),
                                    (const int32_t[2]){4, 4}, 1, 1, &part));
        nb_soft_part_set_skin(world, &part, 0.5, RADIUS);
    }
    CHECK_OK(nb_contacts_create(&contacts));
    CHECK_OK(nb_contacts_detect(world, 0.001, contacts));
    assert_int_equal(contacts->count, 25);
    for (int32_t i = 0; i < contacts->count; i++) CHECK_NEAR(contacts->items[i].gap, 0, ROUND_OFF);
    nb_contacts_destroy(contacts);
    nb_world_destroy(world);
}

RUN_TESTS(the_surface_of_a_sheet, sheets_apart, sheets_beside_boxes, sheets_beside_balls_and_planes, both_sides_touch,
          sheets_touch_themselves, equal_meshes_meet_once)
