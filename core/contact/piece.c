#include "contact/piece.h"

#include "base/memory.h"

static const nb_shape *shape_of(const nb_world *world, const nb_body *body) {
    return body->shape < 0 ? NULL : world->shapes[body->shape];
}

static int is_round(const nb_shape *shape) {
    return shape->kind == NB_SHAPE_SPHERE || shape->kind == NB_SHAPE_ELLIPSOID;
}

/* false for NaN and for numbers whose squares would overflow */
static int is_measurable(nb_vec3 v) {
    return fabs(v.x) < 1e100 && fabs(v.y) < 1e100 && fabs(v.z) < 1e100;
}

static nb_status check_body(const nb_world *world, int32_t index) {
    const nb_body *body = &world->bodies[index];
    nb_quat q = body->orientation;
    if (!is_measurable(body->position) || !is_measurable(body->linear_velocity) ||
        !is_measurable(body->angular_velocity) || !isfinite(q.w + q.x + q.y + q.z))
        return nb_fail(NB_ERROR_NUMERIC, "body %d has no finite place or velocity at time %g s", index, world->time);
    return NB_OK;
}

static nb_status check_shape(const nb_shape *shape, int32_t body) {
    int32_t parts = shape->part_count + shape->solid_count;
    if (parts >= NB_PART_LIMIT)
        return nb_fail(NB_ERROR_INPUT, "the shape of body %d has %d parts; at most %d can collide", body, parts,
                       NB_PART_LIMIT - 1);
    for (int32_t k = 0; k < shape->part_count; k++)
        if (shape->parts[k].edge_count >= NB_FEATURE_LIMIT)
            return nb_fail(NB_ERROR_INPUT, "part %d of the shape of body %d has %d edges; at most %d can collide", k,
                           body, shape->parts[k].edge_count, NB_FEATURE_LIMIT - 1);
    return NB_OK;
}

/* room for everything that is placed, so that pointers into it stay */
static nb_status reserve(const nb_world *world, nb_pieces *pieces) {
    int64_t vectors = 0, items = 0;
    nb_status status = NB_OK;
    pieces->count = pieces->half_space_count = 0;
    for (int32_t i = 0; i < world->body_count; i++) {
        const nb_shape *shape = shape_of(world, &world->bodies[i]);
        if (!shape || shape->kind == NB_SHAPE_NONE) continue;
        NB_TRY(check_body(world, i));
        NB_TRY(check_shape(shape, i));
        pieces->half_space_count += shape->kind == NB_SHAPE_HALF_SPACE;
        pieces->count += is_round(shape) + shape->part_count + shape->solid_count;
        vectors += shape->kind == NB_SHAPE_HALF_SPACE;
        vectors += shape->kind == NB_SHAPE_ELLIPSOID ? 3 : 0;
        for (int32_t k = 0; k < shape->part_count; k++)
            vectors += shape->parts[k].vertex_count + shape->parts[k].face_count;
    }
    items = (int64_t)pieces->count + pieces->half_space_count;
    NB_TRY(NB_RESERVE(items, &pieces->item_capacity, &pieces->items));
    NB_TRY(NB_RESERVE(items, &pieces->moving_capacity, &pieces->moving));
    NB_TRY(NB_RESERVE(pieces->count, &pieces->bounds_capacity, &pieces->bounds));
    NB_TRY(NB_RESERVE(vectors, &pieces->vector_capacity, &pieces->vectors));
out:
    return status;
}

static void place_axes(const nb_body *body, const nb_shape *shape, nb_vec3 *vectors, nb_piece *piece) {
    piece->normals = vectors;
    vectors[0] = nb_quat_rotate(body->orientation, nb_vec3_of(shape->half.x, 0, 0));
    vectors[1] = nb_quat_rotate(body->orientation, nb_vec3_of(0, shape->half.y, 0));
    vectors[2] = nb_quat_rotate(body->orientation, nb_vec3_of(0, 0, shape->half.z));
}

/* by its supports along the axes of the world */
static void bound_solid(const nb_body *body, const nb_solid *solid, nb_vec3 *low, nb_vec3 *high) {
    const nb_quat back = nb_quat_conjugate(body->orientation);
    double reach[6];
    for (int k = 0; k < 6; k++) {
        const double sign = k < 3 ? 1 : -1;
        nb_vec3 axis = {sign * (k % 3 == 0), sign * (k % 3 == 1), sign * (k % 3 == 2)};
        nb_vec3 point = nb_quat_rotate(body->orientation, nb_solid_support(solid, nb_quat_rotate(back, axis)));
        reach[k] = sign * nb_dot(axis, nb_add(body->position, point));
    }
    *high = nb_vec3_of(reach[0], reach[1], reach[2]);
    *low = nb_vec3_of(reach[3], reach[4], reach[5]);
}

static nb_bounds bounds_of(const nb_world *world, double h, const nb_moving_piece *m) {
    const nb_piece *piece = m->piece;
    nb_vec3 low, high;
    nb_piece_extent(piece, &low, &high);
    if (piece->solid) bound_solid(&world->bodies[piece->body], piece->solid, &low, &high);
    return nb_piece_bounds(world, h, m, low, high);
}

nb_status nb_pieces_place(const nb_world *world, double h, nb_pieces *pieces) {
    nb_status status = reserve(world, pieces);
    if (status != NB_OK) return status;
    nb_piece *next = pieces->items, *half_space = pieces->items + pieces->count;
    nb_vec3 *vectors = pieces->vectors;
    for (int32_t i = 0; i < world->body_count; i++) {
        const nb_body *body = &world->bodies[i];
        const nb_shape *shape = shape_of(world, body);
        if (!shape || shape->kind == NB_SHAPE_NONE) continue;
        nb_piece piece = {.kind = shape->kind, .body = i, .centre = body->position, .radius = shape->radius};
        if (shape->kind == NB_SHAPE_ELLIPSOID) {
            place_axes(body, shape, vectors, &piece);
            vectors += 3;
        }
        if (is_round(shape)) {
            *next++ = piece;
        } else if (shape->kind == NB_SHAPE_HALF_SPACE) {
            piece.normals = vectors++;
            piece.normals[0] = nb_normalized(nb_quat_rotate(body->orientation, nb_vec3_of(0, 0, 1)));
            *half_space++ = piece;
        }
        for (int32_t k = 0; k < shape->part_count; k++) {
            *next = piece;
            next->part = k;
            nb_piece_place_polyhedron(body, &shape->parts[k], vectors, next++);
            vectors += shape->parts[k].vertex_count + shape->parts[k].face_count;
        }
        for (int32_t k = 0; k < shape->solid_count; k++) {
            piece.part = k;
            piece.solid = &shape->solids[k];
            piece.radius = shape->sets[k].radius;
            piece.centre = nb_add(body->position, nb_quat_rotate(body->orientation, shape->sets[k].centre));
            *next++ = piece;
        }
    }
    for (int32_t i = 0; i < pieces->count + pieces->half_space_count; i++)
        pieces->moving[i] = nb_piece_moving(world, h, &pieces->items[i]);
    for (int32_t i = 0; i < pieces->count; i++) pieces->bounds[i] = bounds_of(world, h, &pieces->moving[i]);
    return NB_OK;
}

void nb_pieces_clear(nb_pieces *pieces) {
    nb_free(pieces->items);
    nb_free(pieces->moving);
    nb_free(pieces->bounds);
    nb_free(pieces->vectors);
    *pieces = (nb_pieces){0};
}
