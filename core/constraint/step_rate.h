/* What stands in the rows of a step beside the velocities, from the positions at its start (model/time_stepping.h). */
#ifndef NB_CONSTRAINT_STEP_RATE_H
#define NB_CONSTRAINT_STEP_RATE_H

#include "contact/list.h"
#include "model/world.h"

/* Of a contact's normal row in a step of h [m/s]: gap/h where the step is implicit. The velocities of restitution are
 * those of the world as it stands. */
double nb_contact_rate(const nb_world *world, const nb_contact *contact, double h);

/* The same of a gap where nothing bounces [m, rad]: of a joint's limit. */
double nb_gap_rate(const nb_world *world, double gap, double h);

/* Of row `row` of joint `joint`, whose value and compliance are these [m/s or rad/s]. */
double nb_joint_rate(const nb_world *world, int32_t joint, int row, double value, double compliance, double h);

#endif
