/* How a prescribed body carries what it holds over a step: by its displacement, and not by its velocity as the step
 * starts.
 *
 * A body that turns by C in h takes what is held at r from its centre to C r. At r its mean velocity is (C - 1) r/h,
 * and omega x r differs by r (omega)^2 h/2, inwards. What is held by velocities alone spirals outwards at that speed.
 * The difference is taken at one point for each body that is held, its centre: contacts all over the body then ask for
 * one motion, that of the body with the base. In a stage of an integrator C r is where the base leads, from the step's
 * start on, and what is held comes from where the same sum of earlier states leads the base's point
 * (model/integration.h). */
#ifndef NB_MODEL_CARRIED_H
#define NB_MODEL_CARRIED_H

#include "model/world.h"

/* where node `node`, bodies first, was as the world's step started [m]; a stage starts elsewhere */
nb_vec3 nb_carried_position(const nb_world *world, int32_t node);

/* The mean velocity of the base's point that was at `place` as the step started, over the step or stage of h from the
 * world's state, less that by the base's velocities [m/s]: with the arm of the start, or, where `at_end`, with that of
 * the end. 0 of a body that is not kinematic. */
nb_vec3 nb_carried_excess(const nb_world *world, int32_t base, nb_vec3 place, double h, int at_end);

/* The same of a joint with these rows at the start, where they are linear in the velocities, between a kinematic and a
 * dynamic body: what each row's value gets beside J u, so that both may move as one [m/s or rad/s]. The second: its
 * change where the rows change so and the bodies a and b move by `move` at the start of a step, not of a stage. Arrays
 * [NB_JOINT_MAX_ROWS]. Returns the number of rows; 0, and nothing written, of other joints. */
int nb_carried_joint(const nb_world *world, const nb_joint *joint, const nb_joint_row *rows, double h, double *excess);
int nb_carried_joint_change(const nb_world *world, const nb_joint *joint, const nb_joint_row *rows,
                            const nb_joint_row *change, double h, const nb_vec3 move[2], double *excess);

/* C x and C^T x of the base, which turns by C over h */
nb_vec3 nb_carried_on(const nb_body *base, double h, nb_vec3 x);
nb_vec3 nb_carried_back(const nb_body *base, double h, nb_vec3 x);

#endif
