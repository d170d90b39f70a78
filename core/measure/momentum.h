/* How well the forces of a step account for the change of momentum they made: from the snapshot alone, without the
 * solver's own operators. */
#ifndef NB_MOMENTUM_H
#define NB_MOMENTUM_H

#include "model/world.h"
#include "snapshot.h"

typedef struct nb_momentum_defect {
    double linear;  /* |m (v - v-)/h - m g - f - (contacts, joints, elements)| over the weight m g */
    double angular; /* |I (w - w~)/h - (contacts, joints)| over weight and radius of gyration */
} nb_momentum_defect;

/* The largest defects of all dynamic bodies, and linear ones of particles; w~ is the angular velocity without
 * constraints. I is that of the start of the step (eq. (57)) and w~ as model/gyroscopic.h has it, or, in a stage of an
 * integrator, both are as model/integration.h has them. Arms of contacts, and joints and elements, are those of the
 * start or of the end of the step, as nb_geometry has them; where a method finds contacts itself, points lie opposite
 * each other at the end. The snapshot does not say which, so the best counts. Without
 * gravity a weight is that at 1 m/s^2. Fails where memory is short, or with NB_ERROR_INPUT where the snapshot is not
 * one of this world. Cost: linear in bodies, particles, joints, contacts and elements. */
nb_status nb_momentum_balance(const nb_world *world, const nb_snapshot *final, nb_momentum_defect *defect);

#endif
