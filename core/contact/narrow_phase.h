/* Narrow phase: the contacts of two convex pieces. */
#ifndef NB_COLLISION_NARROW_PHASE_H
#define NB_COLLISION_NARROW_PHASE_H

#include "base/status.h"
#include "contact/encounter.h"

/* Appends all contacts of the two pieces. Half-spaces do not collide with each other. */
nb_status nb_encounter_collide(const nb_encounter *encounter);

#endif
