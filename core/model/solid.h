/* Convex solids with round surfaces: Minkowski sums of ellipsoids, segments, cylinders, cones and polyhedra. A capsule
 * is a ball and a segment, a padded polytope a ball and a polyhedron. What they touch is found by their inequalities
 * (convex/convex_set.h); here are their supports, their mass properties and their pictures. */
#ifndef NB_MODEL_SOLID_H
#define NB_MODEL_SOLID_H

#include <stdint.h>

#include "base/status.h"
#include "base/vec3.h"
#include "model/polyhedron.h"

/* mass, inertia tensor about the centre of mass, and that centre, for a solid of density 1 */
typedef struct nb_mass_properties {
    double volume;   /* [m^3] */
    nb_vec3 centre;  /* [m] */
    nb_mat3 inertia; /* about the centre, for density 1 [m^5] */
} nb_mass_properties;

typedef enum nb_term_kind {
    NB_TERM_ELLIPSOID, /* or a ball */
    NB_TERM_SEGMENT,   /* along z, from -half.z to half.z */
    NB_TERM_CYLINDER,  /* about z; radius half.x */
    NB_TERM_CONE,      /* about z, of radius half.x from its base at -half.z/2 to its tip at 3 half.z/2 */
    NB_TERM_POLYHEDRON,
} nb_term_kind;

/* one term of the sum, about its origin */
typedef struct nb_term {
    nb_term_kind kind;
    nb_vec3 half;             /* half axes [m] */
    nb_polyhedron polyhedron; /* all zeros for other kinds */
    nb_quat turn;
} nb_term;

typedef struct nb_solid {
    int32_t term_count;
    nb_term *terms; /* [term_count] */
    nb_vec3 offset; /* of the sum [m] */
    /* a closed surface of points of it, for pictures: its corners counter-clockwise, seen from outside */
    int32_t point_count, triangle_count;
    nb_vec3 *points;    /* [point_count] [m] */
    int32_t *triangles; /* [triangle_count][3] */
} nb_solid;

/* The sum of `count` terms, whose polyhedra are copied. The caller gives it back with nb_solid_clear. */
nb_status nb_solid_build(int32_t count, const nb_term *terms, nb_vec3 offset, nb_solid *solid);
/* The sum of two, or a copy where `second` is NULL. */
nb_status nb_solid_sum(const nb_solid *first, const nb_solid *second, nb_solid *solid);
/* Every point p goes to offset + turn p. */
void nb_solid_move(nb_solid *solid, nb_vec3 offset, nb_quat turn);
void nb_solid_clear(nb_solid *solid);

/* A point of the solid farthest along `direction`, which need not be of unit length. */
nb_vec3 nb_solid_support(const nb_solid *solid, nb_vec3 direction);

/* Direction (i, j) of n along the edges of an octant, of 8: i + j <= n. They are corners of triangles that close around
 * the origin: (i, j), (i + 1, j), (i, j + 1) and (i + 1, j), (i + 1, j + 1), (i, j + 1), counter-clockwise seen from
 * outside but for octants that are mirrored. */
static inline nb_vec3 nb_octant_direction(int octant, int n, int i, int j) {
    return nb_vec3_of((octant & 1 ? -1 : 1) * (double)i, (octant & 2 ? -1 : 1) * (double)j,
                      (octant & 4 ? -1 : 1) * (double)(n - i - j));
}
static inline int nb_octant_mirrored(int octant) {
    return (octant & 1) ^ (octant >> 1 & 1) ^ (octant >> 2 & 1);
}

/* Exact of one term, of a capsule, and of a polyhedron with a ball. Of other sums by the divergence theorem on points
 * of the surface in NB_SOLID_DIRECTIONS directions an octant's edge, extrapolated: to 1e-5 of the volume, and of the
 * moments by the square of the radius. */
nb_mass_properties nb_solid_mass_properties(const nb_solid *solid);

enum {
    NB_SOLID_DIRECTIONS = 96
};

/* Integrals of 1, x and x x^T over a solid, and sums of them. */
typedef struct nb_solid_integrals {
    double volume;
    nb_vec3 first;
    double second[3][3];
} nb_solid_integrals;

/* Adds the signed tetrahedron (0, a, b, c). */
void nb_add_tetrahedron(nb_solid_integrals *sum, nb_vec3 a, nb_vec3 b, nb_vec3 c);
/* Adds what a polyhedron has, seen from `about`: every face, fanned into triangles, spans signed tetrahedra. */
void nb_add_polyhedron(nb_solid_integrals *sum, const nb_polyhedron *polyhedron, nb_vec3 about);
/* The properties of what was summed with the origin at `about`, its centre of mass but for round-off. */
nb_mass_properties nb_mass_properties_of(const nb_solid_integrals *sum, nb_vec3 about);

#endif
