/* The shapes of a world's bodies as one mesh of cells, for programs that draw. */
#ifndef NB_MODEL_MESH_H
#define NB_MODEL_MESH_H

#include <stdint.h>

#include "base/member.h"
#include "base/status.h"
#include "base/vec3.h"
#include "model/world.h"

/* kinds of cells, by VTK's numbers and with its order of corners */
enum {
    NB_CELL_TRIANGLE = 5,
    NB_CELL_POLYGON = 7,
    NB_CELL_QUAD = 9,
    NB_CELL_TETRAHEDRON = 10,
    NB_CELL_HEXAHEDRON = 12
};

/* A box, or whatever has its faces and edges, is one hexahedron; a polyhedron of four corners one tetrahedron; any
 * other polyhedron the cells of its faces. A sphere is triangles and quads along meridians about its z axis, their
 * corners on the sphere. A half-space is a square of its plane that reaches as far as the other bodies do in the given
 * world. Cells share no points with those of other polyhedra; corners of faces go counter-clockwise, seen from outside.
 */
typedef struct nb_mesh {
    int64_t point_count, cell_count, corner_count;
    nb_vec3 *points;     /* [point_count] in their body's frame [m] */
    int32_t *point_body; /* [point_count] */
    int64_t *cell_start; /* [cell_count + 1] into corners */
    int64_t *corners;    /* [corner_count] points */
    int32_t *cell_kind;  /* [cell_count] */
    int32_t *cell_body;  /* [cell_count] */
} nb_mesh;

extern const nb_members nb_mesh_members;

/* Fills *mesh, whatever it held before; the caller clears it. Bodies without a shape have no cells. */
nb_status nb_mesh_of_world(const nb_world *world, nb_mesh *mesh);
void nb_mesh_clear(nb_mesh *mesh);

/* Where point `i` is in the world, with the bodies at q [body, 7]. */
nb_vec3 nb_mesh_place(const nb_mesh *mesh, const double *q, int64_t i);

#endif
