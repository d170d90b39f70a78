/* What scenes in the plane y = 0 use (planar of model/world.h). Spheres serve as disks, ellipsoids as ellipses. */
#ifndef NB_SCENARIOS_PLANAR_H
#define NB_SCENARIOS_PLANAR_H

#include "common.h"

/* A body in the plane, at (x, z), with the moments of a lamina of its shape, a sphere or an ellipsoid. */
nb_status nb_add_lamina(nb_world *world, int32_t shape, double mass, double friction, double x, double z,
                        int32_t *body);

nb_status nb_add_sphere_shape(nb_world *world, double radius, int32_t *shape);

/* how far bodies with mass are from the plane, how fast they leave it or turn out of it: the largest of all numbers
 * [m, m/s, rad/s] */
double nb_out_of_plane(const nb_world *initial, const nb_snapshot *final);

/* how deep spheres lie in each other at the end [m]; cost: the square of their number */
double nb_sphere_overlap(const nb_world *initial, const nb_snapshot *final);

/* kinetic energy and that of height of all bodies with mass [J] */
double nb_energy_at_end(const nb_world *initial, const nb_snapshot *final);

/* whether the steps take all of an error back in the next one: the errors that are left are those of one step */
int nb_takes_all_back(const nb_world *initial);

#endif
