/* What the state after a run says of the scene that it began with. */
#ifndef NB_MEASURE_FINAL_STATE_H
#define NB_MEASURE_FINAL_STATE_H

#include "model/world.h"
#include "snapshot.h"

/* The force [N] of all fixed and kinematic bodies, through contacts, on all others, particles too. */
nb_vec3 nb_force_of_fixed(const nb_world *initial, const nb_snapshot *final);

/* how far the dynamic body that went farthest is from where it was built [m] */
double nb_drift(const nb_world *initial, const nb_snapshot *final);

/* the largest error of a rigid row of a joint at the end [m or rad]; a motor's own row is none */
double nb_joint_error(const nb_world *initial, const nb_snapshot *final);

#endif
