/* Energies of a world as it stands (of elements: element/energy.h; of cavities: model/cavity.h). */
#ifndef NB_MODEL_ENERGY_H
#define NB_MODEL_ENERGY_H

#include "model/world.h"

/* of all dynamic bodies and particles, and of rotors (nb_joint.armature) [J] */
double nb_world_kinetic_energy(const nb_world *world);
/* of gravity (zero at z = 0) and of soft joints, without motors [J] */
double nb_world_potential_energy(const nb_world *world);

#endif
