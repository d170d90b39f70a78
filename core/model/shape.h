/* Shapes that collide: spheres, half-spaces, compounds of convex polyhedra; and ellipsoids, with half-spaces alone.
 *
 * A shape lives in its body's frame: origin at the centre of mass, axes along the principal axes of inertia
 * (nb_shape_centre moves it there). A shape may be shared by many bodies. */
#ifndef NB_MODEL_SHAPE_H
#define NB_MODEL_SHAPE_H

#include <stdint.h>

#include "base/status.h"
#include "base/vec3.h"
#include "convex/convex_set.h"
#include "model/polyhedron.h"

typedef enum nb_shape_kind {
    NB_SHAPE_NONE,       /* collides with nothing */
    NB_SHAPE_SPHERE,     /* about the origin */
    NB_SHAPE_HALF_SPACE, /* solid below the plane z = 0 of the body's frame; for fixed and kinematic bodies */
    NB_SHAPE_COMPOUND,   /* the union of convex polyhedra */
    NB_SHAPE_ELLIPSOID,  /* about the origin, with the body's axes; it meets half-spaces and nothing else */
} nb_shape_kind;

typedef struct nb_shape {
    nb_shape_kind kind;
    double radius; /* sphere [m]; others: of the bounding sphere about the origin */
    nb_vec3 half;  /* half axes of a sphere or an ellipsoid [m] */
    int32_t part_count;
    nb_polyhedron *parts; /* [part_count] */
    /* the same by inequalities: one of a sphere, a half-space or an ellipsoid, one a part of a compound, about the
       part's centre of mass */
    int32_t set_count;
    nb_convex_set *sets; /* [set_count] */
} nb_shape;

/* mass, inertia tensor about the centre of mass, and that centre, for a solid of density 1 */
typedef struct nb_mass_properties {
    double volume;   /* [m^3] */
    nb_vec3 centre;  /* [m] */
    nb_mat3 inertia; /* about the centre, for density 1 [m^5] */
} nb_mass_properties;

/* Makers: the caller owns *shape and destroys it. Bad measures are NB_ERROR_INPUT. */
nb_status nb_shape_sphere(double radius, nb_shape **shape);
nb_status nb_shape_ellipsoid(nb_vec3 half, nb_shape **shape);
nb_status nb_shape_half_space(nb_shape **shape);
/* a box of half-sizes `half` about the origin */
nb_status nb_shape_box(nb_vec3 half, nb_shape **shape);
/* the convex hull of `count` points, given with its faces: face_start [face_count + 1], face_vertex; vertices
 * counter-clockwise from outside. Fails where a face is not planar or the solid is not convex and closed. */
nb_status nb_shape_polyhedron(int32_t count, const nb_vec3 *points, int32_t face_count, const int32_t *face_start,
                              const int32_t *face_vertex, nb_shape **shape);
/* Adds the parts of `other`, moved by `offset` and turned by `turn`, to the compound *shape (may overlap). */
nb_status nb_shape_append(nb_shape *shape, const nb_shape *other, nb_vec3 offset, nb_quat turn);
void nb_shape_destroy(nb_shape *shape);

/* Exact, by the divergence theorem; parts of a compound are summed (they must not overlap for this to be true). */
nb_mass_properties nb_shape_mass_properties(const nb_shape *shape);

/* Moves the shape so that its centre of mass is the origin and its axes are principal; gives where that frame was, seen
 * from the old one, and the principal moments for density 1. */
void nb_shape_centre(nb_shape *shape, nb_vec3 *centre, nb_quat *axes, nb_vec3 *moments, double *volume);

#endif
