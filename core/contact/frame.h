/* The frame of a contact: its normal, and two tangents in which friction is told. */
#ifndef NB_CONTACT_FRAME_H
#define NB_CONTACT_FRAME_H

#include "model/world.h"

/* Two unit tangents so that (n, t1, t2) is right-handed and orthonormal. In a planar world, whose normals lie in the
 * plane, t1 does so too and t2 is y: nothing couples the plane with what leads out of it. Where friction depends on the
 * direction, t1 is that direction, laid into the contact's plane. */
void nb_contact_tangents(const nb_world *world, nb_vec3 n, nb_vec3 *t1, nb_vec3 *t2);

#endif
