/* What several scenarios use. */
#ifndef NB_SCENARIOS_COMMON_H
#define NB_SCENARIOS_COMMON_H

#include "measure/final_state.h"
#include "scenario.h"

/* Adds the fixed ground, a half-space below z = 0 turned by `turn`. */
nb_status nb_add_ground(nb_world *world, double friction, nb_quat turn, int32_t *body);

/* A box shape; half-sizes [m]. Gives its shape index. */
nb_status nb_add_box_shape(nb_world *world, nb_vec3 half, int32_t *shape);

/* A random vector within `size` [m] along each axis, the next ones of the sequence; zero without it. Scenes of bodies
 * that touch exactly have contacts on the edge of being open, and round-off then decides a Newton system. */
nb_vec3 nb_random_offset(uint64_t *seed, double size);

/* How fast contact forces and `external` ones make momentum grow that grew at `rate` in the snapshot's stage [N]: where
 * contacts act over several time steps (nb_snapshot_contact_weight), their part is that of one. */
double nb_balanced_rate(const nb_snapshot *final, double rate, double external);

/* how fast the vertical momentum of all bodies and particles with mass grew in the last step, so balanced [N] */
double nb_momentum_rate(const nb_world *initial, const nb_snapshot *final);

/* Checks from number `first` on are of a motion that backward Euler makes. Forces at rest, and rest, are of any
 * integrator. */
void nb_checks_of_motion(const nb_world *initial, int first, nb_checks *checks);

/* What lies on a plane or falls on it, in one implicit step of h: `pull` [m/s^2] presses it down. Moves its speed away
 * from the plane [m/s] and its gap [m]; returns the plane's force over the mass [m/s^2]. */
double nb_press_on_plane(double h, double pull, double *lift, double *gap);

/* What backward Euler leaves of a vibration of w [rad/s] after `steps` steps of h [s], over what it began with. */
double nb_vibration_left(double w, double h, double steps);

/* a premise (nb_check_presupposes) of known values of what is at rest */
extern const char *const nb_at_rest;

/* The vertical force [N] that all bodies which were built above height z [m] receive from those below, and their weight
 * [N]. */
double nb_force_across(const nb_world *initial, const nb_snapshot *final, double z, double *weight);

/* the total weight of the bodies and particles with mass [N] */
double nb_weight(const nb_world *world);

#endif
