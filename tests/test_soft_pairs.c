/* Contacts of deformable bodies with each other and with themselves, against distances found otherwise. */
#include "soft_distance.h"

NB_PRECISIONS(f64);

static const double ROUND_OFF = 1e-12;

/* whether a plane across the way parts the two, which are convex */
static int are_apart(const nb_world *world, const nb_surface *surface, nb_vec3 way) {
    double most = -INFINITY, least = INFINITY;
    for (int32_t i = 0; i < world->particle_count; i++) {
        double along = nb_dot(world->particles[i].position, nb_normalized(way));
        if (surface->body[i] == 0)
            most = fmax(most, along);
        else
            least = fmin(least, along);
    }
    return nb_norm(way) > 0.01 && least > most;
}

/* a tetrahedron with some particles at random */
static void add_element(nb_world *world, uint64_t *seed, nb_vec3 at) {
    static const nb_vec3 corner[4] = {{-0.3, -0.3, -0.2}, {0.6, 0, 0}, {0, 0.7, 0}, {0, 0, 0.6}};
    nb_quat turn = soft_scene_turn(seed);
    int32_t particle[4], index;
    for (int k = 0; k < 4; k++) {
        nb_vec3 place = nb_add(at, nb_quat_rotate(turn, nb_add(corner[k], soft_scene_vector(seed, 0.1))));
        CHECK_OK(
            nb_world_add_particle(world, &(nb_particle){.mass = 1, .position = place, .friction = 0.5}, &particle[k]));
    }
    CHECK_OK(nb_world_add_tetrahedron(world, particle, 0, NULL, &index));
}

/* Two bodies apart: the nearest of their contacts is as far as their surfaces are, and of that direction. `boxes`: of
 * some cells, else one tetrahedron each. */
static void check_nearest(int boxes, int tries, int found[6]) {
    uint64_t seed = test_seed();
    int apart = 0;
    for (int i = 0; i < tries; i++) {
        nb_world *world = soft_scene_world();
        nb_contacts *contacts;
        nb_surface surface = {0};
        double friction = sqrt(0.5 * 0.5);
        for (int n = 0; n < 2; n++) {
            nb_vec3 at = n ? soft_scene_vector(&seed, 1.3) : nb_vec3_of(0, 0, 0);
            nb_soft_part part;
            if (!boxes) {
                add_element(world, &seed, at);
                continue;
            }
            CHECK_OK(nb_world_add_soft_box(world, 0, nb_vec3_of(-0.4, -0.3, -0.2), nb_vec3_of(0.8, 0.6, 0.4),
                                           (const int32_t[3]){2, 2, 1}, &part));
            soft_scene_move(world, &part, soft_scene_turn(&seed), at);
            nb_soft_part_set_skin(world, &part, 0.5, 0);
        }
        CHECK_OK(nb_surface_update(&surface, world));
        CHECK_OK(nb_contacts_create(&contacts));
        nb_vec3 way = soft_way_between(world, &surface);
        if (are_apart(world, &surface, way)) {
            world->settings.contact_margin = 0.3 + nb_norm(way);
            CHECK_OK(nb_contacts_detect(world, 0, contacts));
            assert_true(contacts->count > 0);
            int32_t nearest = 0;
            for (int32_t k = 0; k < contacts->count; k++) {
                soft_check_contact(world, contacts, k);
                CHECK_NEAR(contacts->items[k].friction, friction, ROUND_OFF);
                if (contacts->items[k].gap < contacts->items[nearest].gap) nearest = k;
                const nb_contact_side *side = &contacts->sides[k];
                assert_true(surface.body[side->particle[0]] != surface.body[side->particle[side->count - 1]]);
            }
            const nb_contact *c = &contacts->items[nearest];
            const nb_contact_side *side = &contacts->sides[nearest];
            double sign = surface.body[side->particle[0]] == 0 ? -1 : 1; /* normals point to the first side */
            CHECK_NEAR(c->gap, nb_norm(way), 1e-8);
            CHECK_NEAR(nb_dot(c->normal, nb_normalized(way)), sign, 1e-6);
            found[side->count + (side->second == 2)]++;
            apart++;
        }
        nb_contacts_destroy(contacts);
        nb_surface_clear(&surface);
        nb_world_destroy(world);
    }
    print_message("of %d apart, nearest: %d corners, %d of edge and corner, %d of face and corner, %d of two edges\n",
                  apart, found[2], found[3], found[4], found[5]);
}

TEST(bodies_apart) {
    int found[6] = {0};
    check_nearest(0, 300, found);
    assert_true(found[2] > 2 && found[3] > 10 && found[4] > 20 && found[5] > 20);
    memset(found, 0, sizeof found);
    check_nearest(1, 60, found);
    assert_true(found[3] > 5 && found[4] > 2);
}

/* ---- who touches ---- */

/* A corner that has come into another body leaves it through the nearest face; the rest of the bodies is apart. */
TEST(a_corner_inside) {
    nb_world *world = soft_scene_world();
    nb_contacts *contacts;
    nb_soft_part part;
    CHECK_OK(nb_contacts_create(&contacts));
    CHECK_OK(
        nb_world_add_soft_box(world, 0, nb_vec3_of(0, 0, 0), nb_vec3_of(1, 1, 1), (const int32_t[3]){2, 2, 2}, &part));
    CHECK_OK(
        nb_world_add_soft_box(world, 0, nb_vec3_of(0, 0, 0), nb_vec3_of(1, 1, 1), (const int32_t[3]){2, 2, 2}, &part));
    /* on its corner, that is 0.02 below the top */
    nb_vec3 diagonal = nb_normalized(nb_vec3_of(1, 1, 1)), axis = nb_normalized(nb_vec3_of(1, -1, 0));
    nb_quat turn = nb_quat_about(axis, acos(diagonal.z));
    if (nb_quat_rotate(turn, diagonal).z < 0.99) turn = nb_quat_conjugate(turn);
    soft_scene_move(world, &part, turn, nb_vec3_of(0.3, 0.35, 0.98));
    CHECK_OK(nb_contacts_detect(world, 0, contacts));
    int deep = 0;
    for (int32_t i = 0; i < contacts->count; i++) {
        soft_check_contact(world, contacts, i);
        if (!(contacts->items[i].gap < 0)) continue;
        deep++;
        CHECK_NEAR(contacts->items[i].gap, -0.02, ROUND_OFF);
        CHECK_NEAR(contacts->items[i].normal.z, -1, ROUND_OFF);
        assert_int_equal(contacts->sides[i].count, 4);
        assert_int_equal(contacts->sides[i].particle[3], part.first_particle);
    }
    assert_int_equal(deep, 1);
    nb_contacts_destroy(contacts);
    nb_world_destroy(world);
}

/* the bar's middle line goes around half a circle: two legs, `gap` apart where its length is `length` */
static void bend(nb_world *world, const nb_soft_part *part, double length, double gap, double height) {
    const double radius = (gap + height) / 2, half_turn = acos(-1) * radius, leg = (length - half_turn) / 2;
    for (int32_t i = part->first_particle; i < part->first_particle + part->particle_count; i++) {
        nb_vec3 *x = &world->particles[i].position;
        double along = x->x, up = x->z; /* up from 0 to height, outside the bend */
        if (along < leg)
            *x = nb_vec3_of(-along, x->y, -radius + height / 2 - up);
        else if (along > leg + half_turn)
            *x = nb_vec3_of(along - half_turn - 2 * leg, x->y, radius - height / 2 + up);
        else {
            double angle = (along - leg) / radius, r = radius - height / 2 + up;
            *x = nb_vec3_of(-leg - r * sin(angle), x->y, -r * cos(angle));
        }
    }
}

/* At rest no body touches itself, whatever the margin: straight or bent, thin or round. Bent from straight it does,
 * where its legs are near. */
TEST(bodies_at_rest_do_not_touch_themselves) {
    static const double margins[] = {0.001, 0.03, 0.2, 2};
    for (int kind = 0; kind < 4; kind++)
        for (size_t m = 0; m < sizeof margins / sizeof *margins; m++) {
            nb_world *world = soft_scene_world();
            nb_contacts *contacts;
            nb_soft_part part;
            CHECK_OK(nb_contacts_create(&contacts));
            if (kind == 0)
                CHECK_OK(nb_world_add_soft_ball(world, 0, nb_vec3_of(0, 0, 0), 0.2, 3, &part));
            else
                CHECK_OK(nb_world_add_soft_box(world, 0, nb_vec3_of(0, 0, 0), nb_vec3_of(1, 0.1, 0.1),
                                               (const int32_t[3]){20, 2, 2}, &part));
            if (kind >= 2) bend(world, &part, 1, 0.02, 0.1);
            if (kind == 2) CHECK_OK(nb_soft_part_set_rest(world, &part));
            world->settings.contact_margin = margins[m];
            CHECK_OK(nb_contacts_detect(world, 0.01, contacts));
            for (int32_t i = 0; i < contacts->count; i++) soft_check_contact(world, contacts, i);
            if (kind < 3 || margins[m] < 0.02)
                assert_int_equal(contacts->count, 0);
            else if (margins[m] < 0.1) { /* as far as the legs are */
                assert_true(contacts->count > 20);
                for (int32_t i = 0; i < contacts->count; i++) {
                    assert_true(contacts->items[i].gap > 0 && contacts->items[i].gap < margins[m]);
                    CHECK_NEAR(fabs(contacts->items[i].normal.z), 1, 0.2);
                }
            }
            nb_contacts_destroy(contacts);
            nb_world_destroy(world);
        }
}

/* ---- cost ---- */

/* a mat of n x n cells on another: tests of boxes, and contacts, a part of the surface stay what they are */
TEST(searches_grow_with_the_surface) {
    double tests[3], found[3];
    for (int i = 0; i < 3; i++) {
        const int32_t n = 4 << i, cells[3] = {n, n, 1};
        nb_world *world = soft_scene_world();
        nb_contacts *contacts;
        nb_soft_part part;
        nb_pieces pieces = {0};
        nb_soft_collider collider = {0};
        CHECK_OK(nb_contacts_create(&contacts));
        world->settings.contact_margin = 0.01;
        for (int k = 0; k < 2; k++)
            CHECK_OK(nb_world_add_soft_box(world, 0, nb_vec3_of(0.31 * k, 0.17 * k, 1.001 * k), nb_vec3_of(n, n, 1),
                                           cells, &part));
        CHECK_OK(nb_soft_contacts_find(&collider, world, 0.01, &pieces, contacts));
        double parts = collider.surface.point_count + collider.surface.face_count + collider.surface.edge_count;
        tests[i] = (double)collider.tests / parts;
        found[i] = contacts->count / parts;
        print_message("%.0f parts of surfaces: %.1f tests and %.2f contacts each\n", parts, tests[i], found[i]);
        nb_soft_collider_clear(&collider);
        nb_contacts_destroy(contacts);
        nb_world_destroy(world);
    }
    CHECK_BELOW(tests[2], 1.5 * tests[0]); /* 13 times as many */
    CHECK_NEAR(found[2], found[1], 0.3 * found[1]);
}

/* What a search keeps from those before changes no bit of what it finds, and it asks for memory no more once it has
 * seen as many contacts. */
TEST(what_is_kept_changes_nothing) {
    uint64_t seed = test_seed();
    nb_world *world = soft_scene_world();
    nb_contacts *kept;
    nb_soft_part part;
    int32_t compared = 0;
    world->settings.contact_margin = 0.05;
    CHECK_OK(nb_world_add_soft_ball(world, 0, nb_vec3_of(0, 0, 0), 0.5, 3, &part));
    CHECK_OK(nb_world_add_soft_box(world, 0, nb_vec3_of(-0.5, -0.5, 0.5), nb_vec3_of(1, 1, 0.5),
                                   (const int32_t[3]){3, 3, 2}, &part));
    CHECK_OK(nb_world_add_sheet(world, nb_vec3_of(-1, -1, 1.02), nb_vec3_of(2, 0, 0), nb_vec3_of(0, 2, 0),
                                (const int32_t[2]){6, 5}, 0.5, 1000, &part));
    CHECK_OK(nb_contacts_create(&kept));
    for (int step = 0; step < 60; step++) {
        const double by = step % 15 == 14 ? 0.3 : 0.01; /* after which trees are made anew */
        nb_contacts *made;
        for (int32_t i = 0; i < world->particle_count; i++) {
            nb_vec3 *x = &world->particles[i].position;
            *x = nb_add(*x, soft_scene_vector(&seed, by));
        }
        CHECK_OK(nb_contacts_create(&made));
        CHECK_OK(nb_contacts_detect(world, 0.01, made));
        CHECK_OK(nb_contacts_detect(world, 0.01, kept));
        int64_t before = nb_allocation_count();
        CHECK_OK(nb_contacts_detect(world, 0.01, kept));
        if (step > 0) assert_int_equal(nb_allocation_count(), before);
        assert_int_equal(kept->count, made->count);
        assert_int_equal(kept->soft_count, made->soft_count);
        for (int32_t i = 0; i < made->count; i++, compared++) { /* padding apart */
            const nb_contact *a = &kept->items[i], *b = &made->items[i];
            assert_true(a->body_a == b->body_a && a->body_b == b->body_b && a->feature == b->feature);
            assert_memory_equal(&a->point_a, &b->point_a, sizeof a->point_a);
            assert_memory_equal(&a->point_b, &b->point_b, sizeof a->point_b);
            assert_memory_equal(&a->normal, &b->normal, sizeof a->normal);
            assert_memory_equal(&a->gap, &b->gap, sizeof a->gap);
            const nb_contact_side *c = nb_contacts_side(kept, i), *d = nb_contacts_side(made, i);
            assert_true(c->count == d->count && c->second == d->second);
            assert_memory_equal(c->particle, d->particle, (size_t)c->count * sizeof *c->particle);
            assert_memory_equal(c->weight, d->weight, (size_t)c->count * sizeof *c->weight);
        }
        nb_contacts_destroy(made);
    }
    print_message("%d contacts compared\n", (int)compared);
    assert_true(compared > 1000);
    nb_contacts_destroy(kept);
    nb_world_destroy(world);
}

RUN_TESTS(bodies_apart, a_corner_inside, bodies_at_rest_do_not_touch_themselves, searches_grow_with_the_surface,
          what_is_kept_changes_nothing)
