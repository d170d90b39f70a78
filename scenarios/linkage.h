/* What scenes of bars and joints use. Loops of revolute joints have redundant rows: a plane loop of four has 20, and
 * its three bars 18 velocities and a freedom of their own. */
#ifndef NB_SCENARIOS_LINKAGE_H
#define NB_SCENARIOS_LINKAGE_H

#include "planar.h"

/* A box of this length from one point to another, whose x axis leads there; half-sizes across it [m], of the box's y
 * and z. `touches` 0: it has no contacts. */
nb_status nb_add_bar(nb_world *world, nb_vec3 from, nb_vec3 to, double half_y, double half_z, double mass,
                     double friction, int touches, int32_t *body);

/* A rigid joint at a point of the world, about this unit axis where it is revolute. */
nb_status nb_pin(nb_world *world, nb_joint_kind kind, int32_t a, int32_t b, nb_vec3 at, nb_vec3 axis, int32_t *joint);
/* The same with a motor that does not give way. */
nb_status nb_pin_motor(nb_world *world, int32_t a, int32_t b, nb_vec3 at, nb_vec3 axis);

/* Checks how many degrees of freedom the joints leave as the world was built, by the rank of their gradients, and how
 * many of their rows are redundant. Not of more than 1000 rows. */
void nb_check_freedoms(const nb_world *initial, int32_t freedoms, int32_t redundant, nb_checks *checks);

/* Checks that joints of bodies of this size [m] hold at the end, as far as a step leaves it. */
void nb_check_joints(const nb_world *initial, const nb_snapshot *final, double size, nb_checks *checks);

/* Checks that the ground carries what is above it. */
void nb_check_ground(const nb_world *initial, const nb_snapshot *final, nb_checks *checks);

/* Checks that the bodies have no more energy than they began with, by `most` of `size` [J]. */
void nb_check_energy(const nb_world *initial, const nb_snapshot *final, double size, double most, nb_checks *checks);

#endif
