/* The surface of a world's deformable bodies: the faces of tetrahedra that no other tetrahedron shares, triangles,
 * which are faces of sheets and touch from both sides, and what can touch of them. It depends on which particles the
 * tetrahedra and triangles join alone, and is kept from step to step. */
#ifndef NB_CONTACT_SURFACE_H
#define NB_CONTACT_SURFACE_H

#include <stdint.h>

#include "base/status.h"
#include "model/world.h"

typedef struct nb_surface_face {
    /* counter-clockwise from outside, and the one behind: all of its tetrahedron; of a triangle the last is -1 */
    int32_t particle[4];
} nb_surface_face;

typedef struct nb_surface_edge {
    int32_t particle[2];
    int32_t face[2]; /* the two that meet there; -1 for the second at a sheet's border */
} nb_surface_edge;

typedef struct nb_surface {
    int32_t point_count, face_count, edge_count;
    int32_t *points;        /* [point_count] particles, ascending: corners of faces, and those of no tetrahedron */
    nb_surface_face *faces; /* those of tetrahedra, then the triangles */
    nb_surface_edge *edges; /* one that more than two faces share has the first two: of tetrahedra, where it has any */
    int32_t *around_start;  /* [particles + 1] into `around` */
    int32_t *around;        /* the tetrahedra that have each particle */
    int32_t *edge_start;    /* [particles + 1] into `edges_at` */
    int32_t *edges_at;      /* the edges that have each particle */
    int32_t *body;          /* [particles] which are joined by these, directly or through others: the first one */
    /* private from here: what it was made of */
    int32_t tetrahedra, triangles, particles;
    int32_t *corners; /* [tetrahedra][4], then [triangles][3] */
    int64_t point_capacity, face_capacity, edge_capacity, corner_capacity, start_capacity, around_capacity,
        edge_start_capacity, edges_at_capacity, body_capacity;
} nb_surface; /* starts as all zeros */

/* whether the face is a triangle: it has no inside */
static inline int nb_surface_of_sheet(const nb_surface_face *face) {
    return face->particle[3] < 0;
}

/* whether the particle is a corner of triangles alone */
static inline int nb_surface_on_sheet(const nb_surface *surface, int32_t particle) {
    return surface->around_start[particle] == surface->around_start[particle + 1] &&
           surface->edge_start[particle] < surface->edge_start[particle + 1];
}

/* Brings it up to date with the world's elements and particles: at no cost but a comparison where it is. */
nb_status nb_surface_update(nb_surface *surface, const nb_world *world);

/* Whether the point is in one of the tetrahedra around these particles, where they are; on their border counts, but for
 * 1e-6 of their size. Those that have one of the `owners` do not count: the particles that the point is made of. */
int nb_surface_inside(const nb_surface *surface, const nb_world *world, int count, const int32_t *particle,
                      int owner_count, const int32_t *owners, nb_vec3 point);

void nb_surface_clear(nb_surface *surface);

#endif
