/* Shapes that collide: spheres, half-spaces, compounds of convex polyhedra; ellipsoids, with half-spaces alone; and
 * capsules, cylinders, cones, padded polytopes, Minkowski sums and unions of all these, which only methods that find
 * contact points themselves (convex/convex_set.h) let touch anything.
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
#include "model/solid.h"

typedef enum nb_shape_kind {
    NB_SHAPE_NONE,       /* collides with nothing */
    NB_SHAPE_SPHERE,     /* about the origin */
    NB_SHAPE_HALF_SPACE, /* solid below the plane z = 0 of the body's frame; for fixed and kinematic bodies */
    NB_SHAPE_COMPOUND,   /* the union of convex polyhedra */
    NB_SHAPE_ELLIPSOID,  /* about the origin, with the body's axes; it meets half-spaces and nothing else */
    NB_SHAPE_CAPSULE,    /* from here on: solids, which meet nothing in ordinary collision detection */
    NB_SHAPE_CYLINDER,
    NB_SHAPE_CONE,
    NB_SHAPE_PADDED, /* a polyhedron and all within a radius of it */
    NB_SHAPE_SUM,    /* a Minkowski sum */
    NB_SHAPE_BUNDLE, /* a union */
} nb_shape_kind;

typedef struct nb_shape {
    nb_shape_kind kind;
    double radius; /* sphere [m]; others: of the bounding sphere about the origin */
    nb_vec3 half;  /* half axes of a sphere or an ellipsoid [m] */
    int32_t part_count;
    nb_polyhedron *parts; /* [part_count] */
    int32_t solid_count;
    nb_solid *solids; /* [solid_count] one, of a bundle several, of other kinds none */
    /* the same by inequalities: one of a sphere, a half-space or an ellipsoid, one a part of a compound, about the
       part's centre of mass, one a solid */
    int32_t set_count;
    nb_convex_set *sets; /* [set_count] */
} nb_shape;

/* the kind's name, as messages and files have it: "half-space" */
const char *nb_shape_kind_name(nb_shape_kind kind);

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
/* the polyhedron of all r with normals[i] . r <= heights[i], which must be bounded; up to 64 of them, of which those
 * that bound nothing are left out */
nb_status nb_shape_polytope(int32_t count, const nb_vec3 *normals, const double *heights, nb_shape **shape);
/* Adds the parts of `other`, moved by `offset` and turned by `turn`, to the compound *shape (may overlap). */
nb_status nb_shape_append(nb_shape *shape, const nb_shape *other, nb_vec3 offset, nb_quat turn);
void nb_shape_destroy(nb_shape *shape);

/* Makers of solids, in solid_shape.c. Axes are along z, and `length` is that of the cylinder, without caps. A cone
 * stands on its base, z = -height/4, so that its centre of mass is the origin. */
nb_status nb_shape_capsule(double radius, double length, nb_shape **shape);
nb_status nb_shape_cylinder(double radius, double length, nb_shape **shape);
nb_status nb_shape_cone(double radius, double height, nb_shape **shape);
/* a polyhedron of one part with a ball of `radius` about every point */
nb_status nb_shape_padded(const nb_shape *polyhedron, double radius, nb_shape **shape);
/* the Minkowski sum of two convex shapes: anything but half-spaces, and compounds and bundles of more than one part */
nb_status nb_shape_sum(const nb_shape *first, const nb_shape *second, nb_shape **shape);
/* the union of `count` shapes, anything but half-spaces, shape i at offsets[i] and turned by turns[i] */
nb_status nb_shape_bundle(int32_t count, const nb_shape *const *shapes, const nb_vec3 *offsets, const nb_quat *turns,
                          nb_shape **shape);

/* A shape of solids as they are, each with its set: `count` solids of a bundle, one of any other kind of solid. Takes
 * over what solids and sets hold (also on a fault) and leaves them empty; that the two of a pair are one body is the
 * caller's promise. */
nb_status nb_shape_of_solids(nb_shape_kind kind, int32_t count, nb_solid *solids, nb_convex_set *sets,
                             nb_shape **shape);

/* Exact, by the divergence theorem, but for sums that nb_solid_mass_properties names. Parts of a compound or a bundle
 * are summed: where they overlap, mass is there twice. */
nb_mass_properties nb_shape_mass_properties(const nb_shape *shape);

/* Whether its centre of mass is the origin and its axes are principal, to 1e-6 of its size. */
int nb_shape_is_centred(const nb_shape *shape);

/* Moves the shape so that its centre of mass is the origin and its axes are principal; gives where that frame was, seen
 * from the old one, and the principal moments for density 1. */
void nb_shape_centre(nb_shape *shape, nb_vec3 *centre, nb_quat *axes, nb_vec3 *moments, double *volume);

#endif
