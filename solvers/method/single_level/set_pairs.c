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

static void cover(nb_set_box *box, nb_vec3 point) {
    box->low = nb_vec3_of(fmin(box->low.x, point.x), fmin(box->low.y, point.y), fmin(box->low.z, point.z));
    box->high = nb_vec3_of(fmax(box->high.x, point.x), fmax(box->high.y, point.y), fmax(box->high.z, point.z));
}

static double margin_of(const nb_world *world) {
    return 0.5 * world->settings.contact_margin;
}

/* of nothing yet */
static nb_set_box box_of(const nb_world *world, nb_set_place place) {
    const nb_shape *shape = shape_of(world, place.body);
    const double radius = shape->kind == NB_SHAPE_COMPOUND ? 0 : shape->sets[place.set].radius;
    return (nb_set_box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, radius + margin_of(world)};
}

/* covers the set of a body at this place: its corners where these are known, else the centre of its ball */
static void cover_set(const nb_world *world, nb_set_place place, nb_vec3 at, nb_quat turn, nb_set_box *box) {
    const nb_shape *shape = shape_of(world, place.body);
    const nb_quat back = nb_quat_conjugate(world->bodies[place.body].orientation);
    const nb_vec3 moved = nb_quat_rotate(back, nb_sub(at, world->bodies[place.body].position));
    const nb_mat3 frame = nb_quat_matrix(nb_quat_product(back, turn));
    if (shape->kind != NB_SHAPE_COMPOUND) {
        cover(box, nb_add(moved, nb_mat3_apply(&frame, shape->sets[place.set].centre)));
        return;
    }
    const nb_polyhedron *part = &shape->parts[place.set];
    for (int32_t i = 0; i < part->vertex_count; i++)
        cover(box, nb_add(moved, nb_mat3_apply(&frame, part->vertices[i])));
}

static void cover_moved(const nb_world *world, nb_set_place place, double h, const double *u, nb_set_box *box) {
    const nb_body *body = &world->bodies[place.body];
    nb_vec3 v = nb_vec3_of(u[0], u[1], u[2]), w = nb_vec3_of(u[3], u[4], u[5]);
    if (body->kind == NB_BODY_FIXED)
        cover_set(world, place, body->position, body->orientation, box);
    else
        cover_set(world, place, nb_add_scaled(body->position, h, v), nb_quat_advance(body->orientation, h, w), box);
}

static nb_vec3 centre_of(const nb_world *world, nb_set_place place, const nb_set_box *box) {
    const nb_body *body = &world->bodies[place.body];
    return nb_add(body->position, nb_quat_rotate(body->orientation, nb_scale(0.5, nb_add(box->low, box->high))));
}

/* how far what the box covers goes from its centre along the direction */
static double reach(const nb_world *world, nb_set_place place, const nb_set_box *box, nb_vec3 direction) {
    nb_vec3 own = nb_quat_rotate(nb_quat_conjugate(world->bodies[place.body].orientation), direction);
    nb_vec3 size = nb_sub(box->high, box->low);
    return 0.5 * (fabs(own.x) * size.x + fabs(own.y) * size.y + fabs(own.z) * size.z) + box->around;
}

/* of a ball about what the box covers */
static double radius_of(const nb_set_box *box) {
    return 0.5 * nb_norm(nb_sub(box->high, box->low)) + box->around;
}

/* whether they are apart, as balls or along an axis of either */
static int are_apart(const nb_set_pairs *pairs, const nb_world *world, int32_t i, int32_t j) {
    const int32_t two[2] = {i, j};
    const nb_vec3 between = nb_sub(centre_of(world, pairs->places[j], &pairs->boxes[j]),
                                   centre_of(world, pairs->places[i], &pairs->boxes[i]));
    if (nb_norm(between) > radius_of(&pairs->boxes[i]) + radius_of(&pairs->boxes[j])) return 1;
    for (int side = 0; side < 2; side++) {
        nb_mat3 frame = nb_quat_matrix(world->bodies[pairs->places[two[side]].body].orientation);
        for (int axis = 0; axis < 3; axis++) {
            nb_vec3 d = nb_mat3_apply(&frame, nb_vec3_of(axis == 0, axis == 1, axis == 2));
            double reaches = reach(world, pairs->places[i], &pairs->boxes[i], d) +
                             reach(world, pairs->places[j], &pairs->boxes[j], d);
            if (fabs(nb_dot(between, d)) > reaches) return 1;
        }
    }
    return 0;
}

static nb_status move_sets(nb_set_pairs *pairs, const nb_world *world) {
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
    NB_TRY(NB_RESERVE(pairs->bounded, &pairs->box_capacity, &pairs->boxes));
    NB_TRY(NB_RESERVE(pairs->bounded, &pairs->bounds_capacity, &pairs->bounds));
out:
    return status;
}

/* ---- pairs ---- */

static int dynamic(const nb_world *world, int32_t body) {
    return world->bodies[body].kind == NB_BODY_DYNAMIC;
}

static nb_status add(nb_set_pairs *pairs, const nb_world *world, nb_set_place i, nb_set_place j) {
    if (!dynamic(world, i.body) && !dynamic(world, j.body)) return NB_OK;
    if (nb_separated_has(&pairs->separated, i.body, j.body)) return NB_OK;
    int swapped = !dynamic(world, i.body) || (dynamic(world, j.body) && j.body < i.body);
    nb_set_place a = swapped ? j : i, b = swapped ? i : j;
    nb_status status = NB_RESERVE(pairs->count + 1, &pairs->item_capacity, &pairs->items);
    if (status == NB_OK) pairs->items[pairs->count++] = (nb_set_pair){a.body, b.body, a.set, b.set};
    return status;
}

/* whether all of the box is farther than the margin from a half-space, which may move with its body for h */
static int is_clear(const nb_world *world, nb_set_place plane, nb_set_place place, const nb_set_box *box) {
    const nb_shape *shape = shape_of(world, plane.body);
    const nb_body *body = &world->bodies[plane.body];
    if (shape->kind != NB_SHAPE_HALF_SPACE || body->kind != NB_BODY_FIXED) return 0;
    nb_vec3 n = nb_quat_rotate(body->orientation, nb_vec3_of(0, 0, 1));
    double height = nb_dot(n, nb_sub(centre_of(world, place, box), body->position));
    return height - reach(world, place, box, n) > margin_of(world);
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

/* a box along the world's axes about the ball about the set's own box: larger than that, whichever way the scene is
 * turned */
static void bound(nb_set_pairs *pairs, const nb_world *world, int32_t i) {
    const nb_set_place place = pairs->places[i];
    const nb_set_box *box = &pairs->boxes[i];
    const double radius = radius_of(box);
    const nb_vec3 centre = centre_of(world, place, box), half = nb_vec3_of(radius, radius, radius);
    pairs->bounds[i] = (nb_bounds){nb_sub(centre, half), nb_add(centre, half), place.body, dynamic(world, place.body)};
}

static nb_status search(nb_set_pairs *pairs, const nb_world *world) {
    nb_status status;
    pairs->count = 0;
    for (int32_t i = 0; i < pairs->bounded; i++) bound(pairs, world, i);
    NB_TRY(nb_broad_phase_search(&pairs->broad, pairs->bounded, pairs->bounds));
    for (int64_t k = 0; k < pairs->broad.pair_count; k++) {
        const int32_t i = pairs->broad.pairs[k][0], j = pairs->broad.pairs[k][1];
        if (!are_apart(pairs, world, i, j)) NB_TRY(add(pairs, world, pairs->places[i], pairs->places[j]));
    }
    for (int32_t k = 0; k < pairs->unbounded; k++)
        for (int32_t i = 0; i < pairs->bounded; i++) {
            nb_set_place plane = pairs->places[pairs->bounded + k];
            if (!is_clear(world, plane, pairs->places[i], &pairs->boxes[i]))
                NB_TRY(add(pairs, world, pairs->places[i], plane));
        }
    if (pairs->count > 0) qsort(pairs->items, (size_t)pairs->count, sizeof *pairs->items, compare);
out:
    return status;
}

nb_status nb_set_pairs_find(nb_set_pairs *pairs, const nb_world *world, double h, const double *u_free) {
    static const double none[6] = {0};
    nb_status status;
    NB_TRY(move_sets(pairs, world));
    NB_TRY(nb_separated_list(&pairs->separated, world));
    for (int32_t i = 0; i < pairs->bounded; i++) {
        nb_set_place place = pairs->places[i];
        const nb_body *body = &world->bodies[place.body];
        const double u[6] = {body->linear_velocity.x,  body->linear_velocity.y,  body->linear_velocity.z,
                             body->angular_velocity.x, body->angular_velocity.y, body->angular_velocity.z};
        nb_set_box *box = &pairs->boxes[i];
        *box = box_of(world, place);
        cover_moved(world, place, 0, none, box);
        cover_moved(world, place, h, u, box);
        cover_moved(world, place, h, u_free + 6 * (int64_t)place.body, box);
    }
    NB_TRY(search(pairs, world));
out:
    return status;
}

/* whether the points are inside of the box and its margin */
static int within(const nb_set_box *points, const nb_set_box *box, double margin) {
    return points->low.x >= box->low.x - margin && points->low.y >= box->low.y - margin &&
           points->low.z >= box->low.z - margin && points->high.x <= box->high.x + margin &&
           points->high.y <= box->high.y + margin && points->high.z <= box->high.z + margin;
}

nb_status nb_set_pairs_extend(nb_set_pairs *pairs, const nb_world *world, double h, const double *u, int32_t *added) {
    int outside = 0;
    int32_t before = pairs->count;
    *added = 0;
    for (int32_t i = 0; i < pairs->bounded; i++) {
        nb_set_place place = pairs->places[i];
        nb_set_box moved = box_of(world, place);
        cover_moved(world, place, h, u + 6 * (int64_t)place.body, &moved);
        if (within(&moved, &pairs->boxes[i], margin_of(world))) continue;
        outside = 1;
        cover_moved(world, place, h, u + 6 * (int64_t)place.body, &pairs->boxes[i]);
    }
    if (!outside) return NB_OK;
    nb_status status = search(pairs, world);
    *added = pairs->count - before; /* boxes only grow: those that were there stay */
    return status;
}

void nb_set_pairs_clear(nb_set_pairs *pairs) {
    nb_free(pairs->items);
    nb_free(pairs->places);
    nb_free(pairs->boxes);
    nb_free(pairs->bounds);
    nb_separated_clear(&pairs->separated);
    nb_broad_phase_clear(&pairs->broad);
    *pairs = (nb_set_pairs){0};
}
