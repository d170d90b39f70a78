/* Deformable bodies in pictures (private to analysis/). */
#ifndef NB_ANALYSIS_FIGURE_PICTURE_SOFT_H
#define NB_ANALYSIS_FIGURE_PICTURE_SOFT_H

#include "base/status.h"
#include "contact/surface.h"
#include "figure/painter.h"
#include "model/world.h"

/* The tetrahedron that a face of the surface bounds; -1 of a triangle. */
int32_t nb_surface_element(const nb_surface *surface, const nb_world *world, const nb_surface_face *face);

/* Paints the surface of the tetrahedra with the particles at x [particles, 3], each face in the colour of J - 1 of its
 * tetrahedron: blue where that is -strain, orange where it is strain; triangles, whose two sides have a colour each;
 * and springs, but for those of sheets of triangles. What has diverged is left out. */
nb_status nb_paint_soft(nb_painter *p, const nb_world *world, const double *x, double strain);

#endif
