/* Convex polyhedra: building, validation, moving. */
#ifndef NB_MODEL_POLYHEDRON_H
#define NB_MODEL_POLYHEDRON_H

#include <stdint.h>

#include "base/status.h"
#include "base/vec3.h"

enum {
    NB_POLYHEDRON_MOST_VERTICES = 1000 /* two of so many take 0.2 s of detection, which grows with their product */
};

/* A convex polyhedron: planar faces with vertices counter-clockwise seen from outside, and its edges. */
typedef struct nb_polyhedron {
    int32_t vertex_count, face_count, edge_count;
    nb_vec3 *vertices;    /* [vertex_count] [m] */
    int32_t *face_start;  /* [face_count + 1] into face_vertex */
    int32_t *face_vertex; /* [face_start[face_count]] */
    nb_vec3 *face_normal; /* [face_count] outward, unit length */
    int32_t *edge_vertex; /* [edge_count][2] */
    int32_t *edge_face;   /* [edge_count][2] the two faces that meet there */
} nb_polyhedron;

/* Copies points and faces into *polyhedron, finds normals and edges, and checks that the solid is convex, closed and
 * turned outwards, with planar convex faces (all to within 1e-6 of its size). On a fault (NB_ERROR_INPUT, one line that
 * names the point or face, or more than NB_POLYHEDRON_MOST_VERTICES) *polyhedron is empty. The caller gives the arrays
 * back with nb_polyhedron_clear. */
nb_status nb_polyhedron_build(int32_t count, const nb_vec3 *points, int32_t face_count, const int32_t *face_start,
                              const int32_t *face_vertex, nb_polyhedron *polyhedron);

/* A copy with every point p at offset + turn p. */
nb_status nb_polyhedron_copy(const nb_polyhedron *from, nb_vec3 offset, nb_quat turn, nb_polyhedron *polyhedron);

/* Every point p goes to offset + turn p. */
void nb_polyhedron_move(nb_polyhedron *polyhedron, nb_vec3 offset, nb_quat turn);

/* the largest distance of a vertex from the origin [m] */
double nb_polyhedron_radius(const nb_polyhedron *polyhedron);

void nb_polyhedron_clear(nb_polyhedron *polyhedron);

#endif
