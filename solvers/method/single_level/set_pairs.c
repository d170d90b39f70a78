#include "set_pairs.h"

#include <stdlib.h>

#include "base/memory.h"

static const nb_shape *shape_of(const nb_world *world, int32_t body) {
    int32_t shape = world->bodies[body].shape;
    return shape < 0 ? NULL : world->shapes[shape];
}

static const nb_convex_set *set_of(const nb_world *world, nb_set_place place) {
    return &shape_of(world, place.body)->sets[place.set];
}

/* ---- where sets are ---- */

static void cover(nb_bounds *bounds, nb_vec3 point, double around) {
    bounds->low = nb_vec3_of(fmin(bounds->low.x, point.x - around), fmin(bounds->low.y, point.y - around),
                             fmin(bounds->low.z, point.z - around));
    bounds->high = nb_vec3_of(fmax(bounds->high.x, point.x + around), fmax(bounds->high.y, point.y + around),
                              fmax(bounds->high.z, point.z + around));
}

/* covers the set of a body at this place: by its corners where these are known, else by its ball */
static void cover_set(const nb_world *world, nb_set_place place, nb_vec3 at, nb_quat turn, double around,
                      nb_bounds *bounds) {
    const nb_shape *shape = shape_of(world, place.body);
    const nb_convex_set *set = &shape->sets[place.set];
    if (shape->kind != NB_SHAPE_COMPOUND) {
        cover(bounds, nb_add(at, nb_quat_rotate(turn, set->centre)), set->radius + around);
        return;
    }
    const nb_polyhedron *part = &shape->parts[place.set];
    nb_mat3 frame = nb_quat_matrix(turn);
    for (int32_t i = 0; i < part->vertex_count; i++)
        cover(bounds, nb_add(at, nb_mat3_apply(&frame, part->vertices[i])), around);
}

static void cover_moved(const nb_world *world, nb_set_place place, double h, const double *u, double around,
                        nb_bounds *bounds) {
    const nb_body *body = &world->bodies[place.body];
    nb_vec3 v = nb_vec3_of(u[0], u[1], u[2]), w = nb_vec3_of(u[3], u[4], u[5]);
    if (body->kind == NB_BODY_FIXED)
        cover_set(world, place, body->position, body->orientation, around, bounds);
    else
        cover_set(world, place, nb_add_scaled(body->position, h, v), nb_quat_advance(body->orientation, h, w), around,
                  bounds);
}

static double margin_of(const nb_world *world) {
    return 0.5 * world->settings.contact_margin;
}

static nb_status place_sets(nb_set_pairs *pairs, const nb_world *world) {
    nb_status status;
    int64_t count = 0;
    for (int32_t i = 0; i < world->body_count; i++) count += shape_of(world, i) ? shape_of(world, i)->set_count : 0;
    NB_TRY(NB_RESERVE(count, &pairs->place_capacity, &pairs->places));
    pairs->bounded = pairs->unbounded = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int32_t i = 0; i < world->body_count; i++)
            for (int32_t k = 0; shape_of(world, i) && k < shape_of(world, i)->set_count; k++) {
                nb_set_place place = {i, k};
                if ((set_of(world, place)->radius < INFINITY) == pass) continue;
                pairs->places[pairs->bounded + pairs->unbounded] = place;
                (pass == 0 ? &pairs->bounded : &pairs->unbounded)[0]++;
            }
    NB_TRY(NB_RESERVE(pairs->bounded, &pairs->bounds_capacity, &pairs->bounds));
out:
    return status;
}

/* ---- pairs ---- */

static int dynamic(const nb_world *world, int32_t body) {
    return world->bodies[body].kind == NB_BODY_DYNAMIC;
}

static uint64_t key_of(int32_t i, int32_t j) {
    return (uint64_t)(i < j ? i : j) << 32 | (uint64_t)(i < j ? j : i);
}

static int compare_keys(const void *x, const void *y) {
    uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
    return (a > b) - (a < b);
}

static nb_status list_joined(nb_set_pairs *pairs, const nb_world *world) {
    nb_status status = NB_RESERVE(world->joint_count, &pairs->joined_capacity, &pairs->joined);
    if (status != NB_OK) return status;
    pairs->joined_count = 0;
    for (int32_t i = 0; i < world->joint_count; i++) {
        const nb_joint *joint = &world->joints[i];
        if (joint->body_a >= 0 && joint->body_b >= 0)
            pairs->joined[pairs->joined_count++] = key_of(joint->body_a, joint->body_b);
    }
    if (pairs->joined_count > 0) qsort(pairs->joined, (size_t)pairs->joined_count, sizeof *pairs->joined, compare_keys);
    return NB_OK;
}

static int are_joined(const nb_set_pairs *pairs, int32_t i, int32_t j) {
    uint64_t key = key_of(i, j);
    return pairs->joined_count > 0 &&
           bsearch(&key, pairs->joined, (size_t)pairs->joined_count, sizeof key, compare_keys);
}

static nb_status add(nb_set_pairs *pairs, const nb_world *world, nb_set_place i, nb_set_place j) {
    if (!dynamic(world, i.body) && !dynamic(world, j.body)) return NB_OK;
    if (are_joined(pairs, i.body, j.body)) return NB_OK;
    int swapped = !dynamic(world, i.body) || (dynamic(world, j.body) && j.body < i.body);
    nb_set_place a = swapped ? j : i, b = swapped ? i : j;
    nb_status status = NB_RESERVE(pairs->count + 1, &pairs->item_capacity, &pairs->items);
    if (status == NB_OK) pairs->items[pairs->count++] = (nb_set_pair){a.body, b.body, a.set, b.set};
    return status;
}

/* whether all of the bounds is farther than the margin from a half-space, which may move with its body for h */
static int is_clear(const nb_world *world, nb_set_place plane, const nb_bounds *bounds) {
    const nb_shape *shape = shape_of(world, plane.body);
    const nb_body *body = &world->bodies[plane.body];
    if (shape->kind != NB_SHAPE_HALF_SPACE || body->kind != NB_BODY_FIXED) return 0;
    nb_vec3 n = nb_quat_rotate(body->orientation, nb_vec3_of(0, 0, 1));
    nb_vec3 lowest = nb_vec3_of(n.x > 0 ? bounds->low.x : bounds->high.x, n.y > 0 ? bounds->low.y : bounds->high.y,
                                n.z > 0 ? bounds->low.z : bounds->high.z);
    return nb_dot(n, nb_sub(lowest, body->position)) > margin_of(world);
}

int nb_set_pair_compare(const nb_set_pair *a, const nb_set_pair *b) {
    if (a->body_a != b->body_a) return a->body_a < b->body_a ? -1 : 1;
    if (a->body_b != b->body_b) return a->body_b < b->body_b ? -1 : 1;
    if (a->set_a != b->set_a) return a->set_a < b->set_a ? -1 : 1;
    return (a->set_b > b->set_b) - (a->set_b < b->set_b);
}

static int compare(const void *x, const void *y) {
    return nb_set_pair_compare(x, y);
}

static nb_status search(nb_set_pairs *pairs, const nb_world *world) {
    nb_status status;
    pairs->count = 0;
    NB_TRY(nb_broad_phase_search(&pairs->broad, pairs->bounded, pairs->bounds));
    for (int64_t k = 0; k < pairs->broad.pair_count; k++)
        NB_TRY(add(pairs, world, pairs->places[pairs->broad.pairs[k][0]], pairs->places[pairs->broad.pairs[k][1]]));
    for (int32_t k = 0; k < pairs->unbounded; k++)
        for (int32_t i = 0; i < pairs->bounded; i++) {
            nb_set_place plane = pairs->places[pairs->bounded + k];
            if (!is_clear(world, plane, &pairs->bounds[i])) NB_TRY(add(pairs, world, pairs->places[i], plane));
        }
    if (pairs->count > 0) qsort(pairs->items, (size_t)pairs->count, sizeof *pairs->items, compare);
out:
    return status;
}

nb_status nb_set_pairs_find(nb_set_pairs *pairs, const nb_world *world, double h, const double *u_free) {
    static const double none[6] = {0};
    nb_status status;
    NB_TRY(place_sets(pairs, world));
    NB_TRY(list_joined(pairs, world));
    for (int32_t i = 0; i < pairs->bounded; i++) {
        nb_set_place place = pairs->places[i];
        const nb_body *body = &world->bodies[place.body];
        const double u[6] = {body->linear_velocity.x,  body->linear_velocity.y,  body->linear_velocity.z,
                             body->angular_velocity.x, body->angular_velocity.y, body->angular_velocity.z};
        nb_bounds *bounds = &pairs->bounds[i];
        *bounds = (nb_bounds){
            {INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, place.body, dynamic(world, place.body)};
        cover_moved(world, place, 0, none, margin_of(world), bounds);
        cover_moved(world, place, h, u, margin_of(world), bounds);
        cover_moved(world, place, h, u_free + 6 * (int64_t)place.body, margin_of(world), bounds);
    }
    NB_TRY(search(pairs, world));
out:
    return status;
}

static int within(const nb_bounds *inner, const nb_bounds *outer) {
    return inner->low.x >= outer->low.x && inner->low.y >= outer->low.y && inner->low.z >= outer->low.z &&
           inner->high.x <= outer->high.x && inner->high.y <= outer->high.y && inner->high.z <= outer->high.z;
}

nb_status nb_set_pairs_extend(nb_set_pairs *pairs, const nb_world *world, double h, const double *u, int32_t *added) {
    int outside = 0;
    int32_t before = pairs->count;
    *added = 0;
    for (int32_t i = 0; i < pairs->bounded; i++) {
        nb_set_place place = pairs->places[i];
        nb_bounds moved = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, 0, 0};
        cover_moved(world, place, h, u + 6 * (int64_t)place.body, 0, &moved);
        if (within(&moved, &pairs->bounds[i])) continue;
        outside = 1;
        cover_moved(world, place, h, u + 6 * (int64_t)place.body, margin_of(world), &pairs->bounds[i]);
    }
    if (!outside) return NB_OK;
    nb_status status = search(pairs, world);
    *added = pairs->count - before; /* bounds only grow: those that were there stay */
    return status;
}

void nb_set_pairs_clear(nb_set_pairs *pairs) {
    nb_free(pairs->items);
    nb_free(pairs->places);
    nb_free(pairs->bounds);
    nb_free(pairs->joined);
    nb_broad_phase_clear(&pairs->broad);
    *pairs = (nb_set_pairs){0};
}
