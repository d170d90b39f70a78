/* Contacts of deformable bodies with rigid ones, over the surface of tetrahedra (surface.h) and the particles that are
 * part of none:
 *
 *   particles   with every shape, as spheres of their radius (narrow_phase.h), of none points;
 *   faces       with the corners of polyhedra, and with spheres;
 *   edges       with the edges of polyhedra, and with corners and spheres beside them.
 *
 * A contact's point on a face or edge stays the same share of its particles over a step; the radius there is the same
 * share of theirs. A corner that is deeper in a body than the tetrahedron behind the nearest face is lost. Deformable
 * bodies do not touch each other, nor themselves. */
#ifndef NB_CONTACT_SOFT_CONTACTS_H
#define NB_CONTACT_SOFT_CONTACTS_H

#include "base/status.h"
#include "contact/list.h"
#include "contact/piece.h"
#include "contact/soft_search.h"
#include "model/world.h"

/* Appends them in the order of contacts.h; `pieces` are placed in this world. Cost: as of rigid contacts, linear in
 * what is on surfaces. A particle whose state is not finite is NB_ERROR_NUMERIC. */
nb_status nb_soft_contacts_find(nb_soft_collider *collider, const nb_world *world, double h, const nb_pieces *pieces,
                                nb_contacts *contacts);

void nb_soft_collider_clear(nb_soft_collider *collider);

#endif
