/* Energies of a world as it stands (of elements: element/energy.h; of cavities: model/cavity.h). */
#ifndef NB_MODEL_ENERGY_H
#define NB_MODEL_ENERGY_H

#include "model/world.h"

/* of a body, translation and rotation [J] */
NB_INLINE_FN double nb_body_kinetic_energy(const nb_body *b) {
    nb_vec3 w = nb_quat_rotate(nb_quat_conjugate(b->orientation), b->angular_velocity);
    return 0.5 * (b->mass * nb_dot(b->linear_velocity, b->linear_velocity) + b->inertia.x * w.x * w.x +
                  b->inertia.y * w.y * w.y + b->inertia.z * w.z * w.z);
}

/* of all dynamic bodies and particles, and of rotors (nb_joint.armature) [J] */
double nb_world_kinetic_energy(const nb_world *world);
/* of gravity (zero at z = 0) and of soft joints, without motors [J] */
double nb_world_potential_energy(const nb_world *world);

#endif
