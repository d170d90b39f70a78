/* Contacts and their detection.
 *
 * A contact is a pair of closest points of two features (vertex-face or edge-edge; a sphere and a half-space are one
 * feature each) closer than the margin. Its normal is fixed in the world over a step (paper, section 3.3). Contact sets
 * are redundant on purpose: every feature pair counts. Those of deformable bodies are in soft_contacts.h. */
#ifndef NB_COLLISION_CONTACT_H
#define NB_COLLISION_CONTACT_H

#include <stdint.h>

#include "base/status.h"
#include "contact/list.h"
#include "model/world.h"

nb_status nb_contacts_create(nb_contacts **contacts);
void nb_contacts_destroy(nb_contacts *contacts);

/* All contacts of the world as it stands: of pairs of bodies (not both without mass, not joined directly by a joint),
 * and of particles and bodies. Their features are closer than contact_margin + contact_thickness of world->settings,
 * or would come so close within a step of length h [s] at their present velocities plus h * gravity. A linearised step
 * (model/time_stepping.h) has those of the active set. Deterministic. Cost: linear in bodies and contacts for piles; a
 * world of bodies that stands as at the last detection with the same list has this list already, which nobody else may
 * have changed. */
nb_status nb_contacts_detect(const nb_world *world, double h, nb_contacts *contacts);

/* Vouches that until the next detection all shapes stay what they were at the last one, which then need not place any
 * where bodies do, too. */
void nb_contacts_keep_shapes(nb_contacts *contacts);

/* Of the same, the contacts between bodies of which one is among `some` [bodies]. */
nb_status nb_contacts_detect_some(const nb_world *world, double h, const uint8_t *some, nb_contacts *contacts);

/* The same contacts after the world's bodies and particles moved there from `bodies` and `particles` [as many]: points
 * move with their nodes, without turning where nb_contact_turns says so, normals stay, and gaps change as the points
 * do. Then the second point goes to the normal through the first one. No contact comes or goes. */
void nb_contacts_follow(const nb_world *world, const nb_body *bodies, const nb_particle *particles,
                        nb_contacts *contacts);

/* How deep bodies are in each other as they stand [m], at least 0: the most that a gap of nb_contacts_detect(world, 0)
 * is below zero, pair by pair and without its list. The scratch memory of `contacts` serves; what it lists stays. */
nb_status nb_contacts_deepest(const nb_world *world, nb_contacts *contacts, double *depth);

/* Whether contact points of these two nodes turn with their bodies, as NB_GEOMETRY_UPDATED has them. Those of a sphere
 * or an ellipsoid do not: it touches with other points as it turns. */
int nb_contact_turns(const nb_world *world, int32_t body_a, int32_t body_b);

#endif
