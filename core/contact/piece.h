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

/* The piece with its velocities over a step of length h: those of its body and, where that is dynamic, h * gravity. */
nb_moving_piece nb_piece_moving(const nb_world *world, double h, const nb_piece *piece);

/* height of a point over the plane of a face [m] */
static inline double nb_face_height(const nb_piece *piece, int32_t face, nb_vec3 point) {
    const nb_polyhedron *p = piece->polyhedron;
    return nb_dot(piece->normals[face], nb_sub(point, piece->vertices[p->face_vertex[p->face_start[face]]]));
}

#endif
