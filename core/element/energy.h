/* What elements hold as energy. */
#ifndef NB_ELEMENT_ENERGY_H
#define NB_ELEMENT_ENERGY_H

#include "model/world.h"

/* The energy of the tetrahedra and springs where the particles are [J]. 0 at rest: of Neo-Hookean ones less what the
 * formula has there. Rods hold none. */
double nb_elastic_energy(const nb_world *world);

/* The energy of what the world's cavities hold [J]. */
double nb_cavity_energy(const nb_world *world);

/* Fills s [3] with the principal stretches of tetrahedron i, largest first; the last one is negative where it is
 * inverted. */
void nb_principal_stretches(const nb_world *world, int32_t i, double s[3]);

/* The volume J of tetrahedron i with the particles at x [particles, 3], over that at rest; negative where it is
 * inverted.
 */
double nb_volume_ratio_of(const nb_world *world, int32_t i, const double *x);

/* The volume of the tetrahedra with the particles at x [particles, 3], over that at rest; inverted ones count less than
 * nothing. */
double nb_volume_ratio(const nb_world *world, const double *x);

#endif
