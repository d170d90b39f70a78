/* Pieces: the convex parts of all bodies, placed in the world, and how they move over the coming step. */
#ifndef NB_COLLISION_PIECE_H
#define NB_COLLISION_PIECE_H

#include <stdint.h>

#include "base/status.h"
#include "base/vec3.h"
#include "contact/broad_phase.h"
#include "model/shape.h"
#include "model/world.h"

/* a sphere, an ellipsoid, a half-space, a convex polyhedron or a solid of a body */
typedef struct nb_piece {
    nb_shape_kind kind;
    int32_t body, part;
    nb_vec3 centre; /* of a sphere, an ellipsoid, a polyhedron's or a solid's bounding sphere; a half-space: a point of
                       its plane [m] */
    double radius;  /* of that sphere [m] */
    const nb_polyhedron *polyhedron; /* topology; NULL for other kinds */
    const nb_solid *solid;           /* in its body's frame; NULL for other kinds */
    nb_vec3 *vertices;               /* [polyhedron->vertex_count] in the world [m] */
    /* [polyhedron->face_count] in the world; half-space: [1]; ellipsoid: its three half axes in the world [m] */
    nb_vec3 *normals;
} nb_piece;

/* a piece and how it moves over the step: any point p of it with linear + angular x (p - origin) */
typedef struct nb_moving_piece {
    const nb_piece *piece;
    nb_vec3 origin, linear, angular; /* [m], [m/s], [rad/s] */
    double turning_speed; /* no point of the piece has a speed from turning, towards anything, above this [m/s] */
} nb_moving_piece;

/* all pieces of a world: bounded ones first, in order of body and part, then half-spaces */
typedef struct nb_pieces {
    int32_t count, half_space_count;
    nb_piece *items;         /* [count + half_space_count] */
    nb_moving_piece *moving; /* [count + half_space_count] how they move over the step */
    nb_bounds *bounds;       /* [count] where each may be during the step, with half the contact margin around it */
    nb_vec3 *vectors;        /* private from here: vertices and normals */
    int64_t item_capacity, moving_capacity, bounds_capacity, vector_capacity;
} nb_pieces;

/* what a contact's name has room for: parts of a shape, and edges of a part */
enum {
    NB_PART_LIMIT = 1 << 14,
    NB_FEATURE_LIMIT = 1 << 16
};

/* Places all pieces of the world. *pieces starts as all zeros; its memory is reused from call to call. A shape with
 * more parts or edges than the limits is NB_ERROR_INPUT, a body whose state is not finite (or beyond 1e100)
 * NB_ERROR_NUMERIC. */
nb_status nb_pieces_place(const nb_world *world, double h, nb_pieces *pieces);

void nb_pieces_clear(nb_pieces *pieces);

/* height of a point over the plane of a face [m] */
NB_INLINE_FN double nb_face_height(const nb_piece *piece, int32_t face, nb_vec3 point) {
    const nb_polyhedron *p = piece->polyhedron;
    return nb_dot(piece->normals[face], nb_sub(point, piece->vertices[p->face_vertex[p->face_start[face]]]));
}

/* ---- where pieces are and how they move, which a GPU shares. Bodies are those of the world; all else of it that is
 * read is gravity and the settings. ---- */

NB_INLINE_FN double nb_smaller_of(double x, double y) {
    return x < y ? x : y;
}

NB_INLINE_FN double nb_larger_of(double x, double y) {
    return y > x ? y : x;
}

/* Fills all of a piece but kind, body and part; its vertices, then its normals, are written to `vectors`. */
NB_INLINE_FN void nb_piece_place_polyhedron(const nb_body *body, const nb_polyhedron *polyhedron, nb_vec3 *vectors,
                                            nb_piece *piece) {
    nb_mat3 turn = nb_quat_matrix(body->orientation);
    nb_vec3 sum = nb_vec3_of(0, 0, 0);
    double square = 0;
    piece->polyhedron = polyhedron;
    piece->vertices = vectors;
    piece->normals = vectors + polyhedron->vertex_count;
    for (int32_t i = 0; i < polyhedron->vertex_count; i++) {
        piece->vertices[i] = nb_add(body->position, nb_mat3_apply(&turn, polyhedron->vertices[i]));
        sum = nb_add(sum, piece->vertices[i]);
    }
    for (int32_t i = 0; i < polyhedron->face_count; i++)
        piece->normals[i] = nb_normalized(nb_mat3_apply(&turn, polyhedron->face_normal[i]));
    piece->centre = nb_scale(1.0 / polyhedron->vertex_count, sum);
    for (int32_t i = 0; i < polyhedron->vertex_count; i++) {
        const nb_vec3 apart = nb_sub(piece->vertices[i], piece->centre);
        square = nb_larger_of(square, nb_dot(apart, apart));
    }
    piece->radius = sqrt(square);
}

/* The piece with its velocities over a step of length h: those of its body and, where that is dynamic, h * gravity. */
NB_INLINE_FN nb_moving_piece nb_piece_moving(const nb_world *world, double h, const nb_piece *piece) {
    const nb_body *body = &world->bodies[piece->body];
    const nb_vec3 zero = nb_vec3_of(0, 0, 0);
    nb_moving_piece m;
    m.piece = piece;
    m.origin = body->position;
    m.linear = m.angular = zero;
    m.turning_speed = 0;
    if (body->kind == NB_BODY_FIXED) return m;
    m.linear = body->linear_velocity;
    if (body->kind == NB_BODY_DYNAMIC) m.linear = nb_add_scaled(m.linear, h, world->gravity);
    m.angular = body->angular_velocity;
    double arm = nb_norm(nb_sub(piece->centre, body->position));
    /* a sphere that turns about its own centre comes nearer to nothing; a turning plane sweeps all of any scene */
    if (piece->polyhedron || piece->solid || piece->kind == NB_SHAPE_ELLIPSOID) arm += piece->radius;
    if (piece->kind == NB_SHAPE_HALF_SPACE) arm = 1e9;
    m.turning_speed = nb_norm(m.angular) * arm;
    return m;
}

/* the box about its vertices; of other kinds the centre */
NB_INLINE_FN void nb_piece_extent(const nb_piece *piece, nb_vec3 *low, nb_vec3 *high) {
    *low = *high = piece->centre;
    for (int32_t i = 0; i < (piece->polyhedron ? piece->polyhedron->vertex_count : 0); i++) {
        nb_vec3 v = piece->vertices[i];
        *low = nb_vec3_of(nb_smaller_of(v.x, low->x), nb_smaller_of(v.y, low->y), nb_smaller_of(v.z, low->z));
        *high = nb_vec3_of(nb_larger_of(high->x, v.x), nb_larger_of(high->y, v.y), nb_larger_of(high->z, v.z));
    }
}

/* Where a piece of this extent is during the step, and half the margin around it: boxes apart mean pieces out of reach.
 */
NB_INLINE_FN nb_bounds nb_piece_bounds(const nb_world *world, double h, const nb_moving_piece *m, nb_vec3 low,
                                       nb_vec3 high) {
    const nb_piece *piece = m->piece;
    const nb_vec3 way = nb_scale(h, m->linear);
    double around = 0.5 * (world->settings.contact_margin + world->settings.contact_thickness) + h * m->turning_speed;
    if (!piece->polyhedron && !piece->solid) around += piece->radius;
    const nb_vec3 room = nb_vec3_of(around, around, around);
    nb_bounds bounds;
    bounds.low = nb_sub(nb_add(low, nb_vec3_of(fmin(0.0, way.x), fmin(0.0, way.y), fmin(0.0, way.z))), room);
    bounds.high = nb_add(nb_add(high, nb_vec3_of(fmax(0.0, way.x), fmax(0.0, way.y), fmax(0.0, way.z))), room);
    bounds.group = piece->body;
    bounds.active = world->bodies[piece->body].kind == NB_BODY_DYNAMIC;
    return bounds;
}

#endif
