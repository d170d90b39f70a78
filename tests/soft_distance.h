/* Distances of surfaces over all of their parts, and what holds for every contact of them: what tests of contacts of
 * deformable bodies share. */
#ifndef NB_TESTS_SOFT_DISTANCE_H
#define NB_TESTS_SOFT_DISTANCE_H

#include "contact/soft_contacts.h"
#include "soft_scene.h"

static inline nb_vec3 soft_nearest_on_segment(nb_vec3 a, nb_vec3 b, nb_vec3 x) {
    nb_vec3 along = nb_sub(b, a);
    return nb_add_scaled(a, fmin(1, fmax(0, nb_dot(along, nb_sub(x, a)) / nb_dot(along, along))), along);
}

static inline void soft_take_nearer(nb_vec3 between, nb_vec3 *nearest) {
    if (nb_norm(between) < nb_norm(*nearest)) *nearest = between;
}

/* from the face to the point, where that is shorter */
static inline void soft_from_face(const nb_vec3 c[3], nb_vec3 x, nb_vec3 *nearest) {
    nb_vec3 n = nb_normalized(nb_cross(nb_sub(c[1], c[0]), nb_sub(c[2], c[0])));
    int over = 1;
    for (int k = 0; k < 3; k++) {
        nb_vec3 a = c[k], b = c[(k + 1) % 3];
        soft_take_nearer(nb_sub(x, soft_nearest_on_segment(a, b, x)), nearest);
        over &= nb_dot(n, nb_cross(nb_sub(b, a), nb_sub(x, a))) >= 0;
    }
    if (over) soft_take_nearer(nb_scale(nb_dot(n, nb_sub(x, c[0])), n), nearest);
}

/* from one segment to the other: by golden sections of the distance along the first, which is convex */
static inline void soft_between_segments(nb_vec3 a, nb_vec3 b, nb_vec3 c, nb_vec3 d, nb_vec3 *nearest) {
    double low = 0, high = 1;
    for (int k = 0; k < 60; k++) {
        double x = low + 0.382 * (high - low), y = low + 0.618 * (high - low);
        nb_vec3 at_x = nb_add_scaled(a, x, nb_sub(b, a)), at_y = nb_add_scaled(a, y, nb_sub(b, a));
        double of_x = nb_norm(nb_sub(soft_nearest_on_segment(c, d, at_x), at_x));
        double of_y = nb_norm(nb_sub(soft_nearest_on_segment(c, d, at_y), at_y));
        if (of_x < of_y)
            high = y;
        else
            low = x;
    }
    nb_vec3 at = nb_add_scaled(a, (low + high) / 2, nb_sub(b, a));
    soft_take_nearer(nb_sub(soft_nearest_on_segment(c, d, at), at), nearest);
}

static inline void soft_corners_of(const nb_world *world, const nb_surface_face *face, nb_vec3 corner[3]) {
    for (int k = 0; k < 3; k++) corner[k] = world->particles[face->particle[k]].position;
}

/* the shortest way from the body that has the first particle to the other one, over every pair of their faces */
static inline nb_vec3 soft_way_between(const nb_world *world, const nb_surface *surface) {
    nb_vec3 nearest = {1e9, 0, 0}, back = {1e9, 0, 0};
    for (int32_t f = 0; f < surface->face_count; f++) {
        nb_vec3 one[3], two[3];
        soft_corners_of(world, &surface->faces[f], one);
        if (surface->body[surface->faces[f].particle[0]] != 0) continue;
        for (int32_t e = 0; e < surface->face_count; e++) {
            soft_corners_of(world, &surface->faces[e], two);
            if (surface->body[surface->faces[e].particle[0]] == 0) continue;
            for (int k = 0; k < 3; k++) {
                soft_from_face(one, two[k], &nearest);
                soft_from_face(two, one[k], &back);
                for (int j = 0; j < 3; j++)
                    soft_between_segments(one[k], one[(k + 1) % 3], two[j], two[(j + 1) % 3], &nearest);
            }
        }
    }
    return nb_norm(back) < nb_norm(nearest) ? nb_scale(-1, back) : nearest;
}

/* the points of a contact as its particles have them, the second with its sign */
static inline nb_vec3 soft_sum_of(const nb_world *world, const nb_contact_side *side, int begin, int end) {
    nb_vec3 sum = {0, 0, 0};
    for (int k = begin; k < end; k++)
        sum = nb_add_scaled(sum, side->weight[k], world->particles[side->particle[k]].position);
    return sum;
}

static inline void soft_check_contact(const nb_world *world, const nb_contacts *contacts, int32_t i) {
    const nb_contact *c = &contacts->items[i];
    const nb_contact_side *side = nb_contacts_side(contacts, i);
    int first = side->count - side->second;
    double sum[2] = {0, 0}, radius[2] = {0, 0};
    for (int k = 0; k < side->count; k++) {
        sum[k >= first] += side->weight[k];
        radius[k >= first] += fabs(side->weight[k]) * world->particles[side->particle[k]].radius;
        assert_true(k < first ? side->weight[k] >= 0 : side->weight[k] <= 0);
        for (int n = 0; n < k; n++) assert_true(side->particle[n] != side->particle[k]);
    }
    CHECK_NEAR(sum[0], 1, 1e-12);
    CHECK_NEAR(sum[1], -1, 1e-12);
    CHECK_NEAR(nb_norm(c->normal), 1, 1e-12);
    CHECK_NEAR(nb_norm(nb_sub(nb_sub(c->point_a, c->point_b), nb_scale(c->gap, c->normal))), 0, 1e-9);
    nb_vec3 a = nb_add_scaled(soft_sum_of(world, side, 0, first), -radius[0], c->normal);
    nb_vec3 b = nb_add_scaled(nb_scale(-1, soft_sum_of(world, side, first, side->count)), radius[1], c->normal);
    CHECK_NEAR(nb_norm(nb_sub(a, c->point_a)), 0, 1e-12);
    CHECK_NEAR(nb_norm(nb_sub(b, c->point_b)), 0, 1e-12);
    assert_true(c->body_a >= world->body_count && c->body_b >= world->body_count);
    if (i == 0) return;
    const nb_contact *last = c - 1; /* in order, and told apart by names */
    assert_true(last->body_a < c->body_a || (last->body_a == c->body_a && last->body_b < c->body_b) ||
                (last->body_a == c->body_a && last->body_b == c->body_b && last->feature < c->feature));
}

/* how many edges of triangles pass through triangles that they share no particle with */
static inline int soft_pierced(const nb_world *world) {
    nb_surface surface = {0};
    int count = 0;
    CHECK_OK(nb_surface_update(&surface, world));
    for (int32_t e = 0; e < surface.edge_count; e++)
        for (int32_t f = 0; f < surface.face_count; f++) {
            const int32_t *end = surface.edges[e].particle, *face = surface.faces[f].particle;
            nb_vec3 corner[3], a = world->particles[end[0]].position, b = world->particles[end[1]].position;
            int shared = 0, within = 1;
            for (int k = 0; k < 3; k++) shared |= face[k] == end[0] || face[k] == end[1];
            soft_corners_of(world, &surface.faces[f], corner);
            nb_vec3 n = nb_cross(nb_sub(corner[1], corner[0]), nb_sub(corner[2], corner[0]));
            double from = nb_dot(n, nb_sub(a, corner[0])), to = nb_dot(n, nb_sub(b, corner[0]));
            if (shared || from * to >= 0) continue;
            nb_vec3 at = nb_add_scaled(a, from / (from - to), nb_sub(b, a));
            for (int k = 0; k < 3; k++)
                within &= nb_dot(n, nb_cross(nb_sub(corner[(k + 1) % 3], corner[k]), nb_sub(at, corner[k]))) > 0;
            count += within;
        }
    nb_surface_clear(&surface);
    return count;
}

#endif
