/* Contacts of deformable bodies, over the surface of tetrahedra and triangles (surface.h) and the particles that are
 * part of none.
 * With rigid ones:
 *
 *   particles   with every shape, as spheres of their radius (narrow_phase.h), of none points;
 *   faces       with the corners of polyhedra, and with spheres;
 *   edges       with the edges of polyhedra, and with corners and spheres beside them.
 *
 * A contact's point on a face or edge stays the same share of its particles over a step; the radius there is the same
 * share of theirs. A corner that is deeper in a body than the tetrahedron behind the nearest face is lost.
 *
 * With each other, and with themselves where they are folded:
 *
 *   particles   with faces that they are above of, or within the tetrahedron of; with edges that they are beside, and
 *               corners; each as a sphere of its radius (particles on no surface do not touch each other);
 *   edges       with edges, where their nearest points are within both, and neither has its faces in one plane.
 *
 * A body does not touch itself with parts that share a particle, nor with those that were no farther from each other at
 * rest than contacts reach (margin, thickness and radii): at rest it has no contacts with itself, whatever the margin.
 * A particle is not held against tetrahedra of its own. What is outside is told by the faces where they are at the
 * start of the step, so that what has passed deeper than a tetrahedron is not parted again.
 *
 * Triangles are faces of sheets, which have no inside: a contact's normal is the way between its two nearest points at
 * the start of the step, and its gap their distance less the radii, at least -(radii). The radii of its particles are
 * therefore half a sheet's thickness, and what keeps the sides: what has passed by more than that is on the other side.
 * Of solids against sheets the solid tells the side where it can (edges, and corners, which face one way alone). A
 * sheet does not touch itself with parts that were nearer to each other at rest than contacts reach, so that meshes may
 * be finer than the thickness. Nothing is found on the way but by the velocities at the step's start: whatever comes
 * nearer than contacts reach at these has its contact, on whichever side it is. */
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
