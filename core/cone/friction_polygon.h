/* Friction whose directions are those of the corners of a regular polygon, d_i = (cos(2 pi i/l), sin(2 pi i/l)): the
 * disc |x_T| <= limit becomes limit P, P the convex hull of the l corners, and the cone {x_T in mu x_N P}. Two corners
 * make a segment: friction along the first tangent alone, which is that of a planar scene.
 *
 * Both are symmetric about every corner and the middle of every side, so that the nearest point lies in the sector of
 * the point itself: in its half, with the angle pi/l at the centre, there are one side, one corner, and the apex.
 *
 * Source: Anitescu, Hart (model/friction_law.h), with directions over the full circle. */
#ifndef NB_FRICTION_POLYGON_H
#define NB_FRICTION_POLYGON_H

#include <stdint.h>

/* corner i, d_i */
void nb_polygon_corner(int32_t corners, int32_t i, double d[2]);

/* the largest -d_i . v: how fast v goes against the corner that is the most against it. At least |v| cos(pi/l), at most
 * |v| (two corners: |v_1|). */
double nb_polygon_slip(int32_t corners, const double v[2]);

/* The nearest point of limit P, limit >= 0, in place. */
void nb_polygon_project(int32_t corners, double limit, double x[2]);

/* The nearest point of the cone, in place. */
void nb_polygon_project_cone(int32_t corners, double mu, double x[3]);

/* |w (z - P(z - v/w))| for the projection P on limit P: what friction z at slip v is off, as a velocity. */
double nb_polygon_error(int32_t corners, const double z[2], const double v[2], double w, double limit);

#endif
