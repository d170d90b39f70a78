/* The shapes of a world's bodies, and its elements, as one mesh of cells, for programs that draw. */
#ifndef NB_MODEL_MESH_H
#define NB_MODEL_MESH_H

#include <stdint.h>

#include "base/member.h"
#include "base/status.h"
#include "base/vec3.h"
#include "model/world.h"

/* kinds of cells, by VTK's numbers and with its order of corners */
enum {
    NB_CELL_LINE = 3,
    NB_CELL_TRIANGLE = 5,
    NB_CELL_POLYGON = 7,
    NB_CELL_QUAD = 9,
    NB_CELL_TETRAHEDRON = 10,
    NB_CELL_HEXAHEDRON = 12
};

/* A box, or whatever has its faces and edges, is one hexahedron; a polyhedron of four corners one tetrahedron; any
 * other polyhedron the cells of its faces. A sphere is triangles and quads along meridians about its z axis, their
 * corners on the sphere; capsules and other solids are the triangles of their surfaces. A half-space is a square of its
 * plane that reaches as far as the other bodies do in the given world. Cells share no points with those of other
 * polyhedra; corners of faces go counter-clockwise, seen from outside. Behind them come all particles as points, and
 * their tetrahedra, triangles and springs as cells. */
typedef struct nb_mesh {
    int64_t point_count, cell_count, corner_count;
    nb_vec3 *points;     /* [point_count] in their body's frame [m]; 0 of particles */
    int32_t *point_body; /* [point_count]; -1 - p: particle p */
    int64_t *cell_start; /* [cell_count + 1] into corners */
    int64_t *corners;    /* [corner_count] points */
    int32_t *cell_kind;  /* [cell_count] */
    int32_t *cell_body;  /* [cell_count]; -1: an element's */
    double *cell_volume; /* [cell_count] at rest [m^3] of elements that are tetrahedra; 0 of other cells */
} nb_mesh;

extern const nb_members nb_mesh_members;

/* Fills *mesh, whatever it held before; the caller clears it. Bodies without a shape, and particles without elements,
 * have no cells. */
nb_status nb_mesh_of_world(const nb_world *world, nb_mesh *mesh);
void nb_mesh_clear(nb_mesh *mesh);

/* NB_ERROR_INPUT where the bodies, the particles and the corners of elements that it names are not all there. */
nb_status nb_mesh_check(const nb_mesh *mesh, int32_t bodies, int32_t particles);

/* Where point `i` is in the world, with the bodies at q [body, 7] and the particles at x [particle, 3]. */
nb_vec3 nb_mesh_position(const nb_mesh *mesh, const double *q, const double *x, int64_t i);
/* The mean velocity of the corners of cell `i`, an element's, with the particles' at v [particle, 3]. */
nb_vec3 nb_mesh_element_velocity(const nb_mesh *mesh, const double *v, int64_t i);
/* The volume of cell `i` over that at rest, less one, with the particles at x [particle, 3]: below -1 where it is
 * inverted; NaN where it is no element that is a tetrahedron. */
double nb_mesh_volumetric_strain(const nb_mesh *mesh, const double *x, int64_t i);

#endif
