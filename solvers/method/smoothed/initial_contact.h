/* How contacts stand where a run begins, for methods that have them as springs, by their option "initial-contact". A
 * scene whose contacts touch at gap 0 would begin with four times the load that a spring at half its tolerance carries,
 * and jump. */
#ifndef NB_INITIAL_CONTACT_H
#define NB_INITIAL_CONTACT_H

#include "method.h"

/* Of a scene that was built, before any step, by the options "initial-contact" and "contact-tolerance" [m], delta:
 *
 *     touching   leaves the scene as it is
 *     gap        raises, against gravity, what another one carries, until contacts have a gap of delta
 *     loaded     sinks what touches into its springs, by the method's own steps from rest, in which contacts stick:
 *                their friction is 2 at least, or static friction where the method is given that. Stiffnesses
 *                that steps ask for which move something by more than delta are forgotten
 *
 * Velocities, time, and what touches nothing, stay. Bodies on a joint, and particles of an element, are raised
 * together. NB_ERROR_NUMERIC: a step was not solved, or bodies still move after a hundred, faster than the method's
 * "friction-tolerance". NB_ERROR_UNSUPPORTED: nothing can be raised, for bodies carry each
 * other in a ring. Without gravity there is nothing to do. */
nb_status nb_initial_contact_take(const nb_scene_start *scene);

#endif
