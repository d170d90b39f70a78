/* Contacts and their detection.
 *
 * A contact is a pair of closest points of two features (vertex-face or edge-edge; a sphere and a half-space are one
 * feature each) closer than the margin. Its normal is fixed in the world over a step (paper, section 3.3). Contact sets
 * are redundant on purpose: every feature pair counts. */
#ifndef NB_COLLISION_CONTACT_H
#define NB_COLLISION_CONTACT_H

#include <stdint.h>

#include "base/status.h"
#include "base/vec3.h"
#include "model/world.h"

typedef struct nb_contact {
    int32_t body_a, body_b;   /* a is dynamic; b is any other body (dynamic, fixed or kinematic) */
    nb_vec3 point_a, point_b; /* closest points on the bodies, in the world [m] */
    nb_vec3 normal;           /* unit, from body b to body a */
    double gap;               /* normal . (point_a - point_b) less the world's contact thickness [m] */
    double friction;          /* coefficient of this contact */
    uint64_t feature;         /* names the feature pair; stable from step to step, unique within a body pair */
} nb_contact;

typedef struct nb_contacts {
    int32_t count;
    nb_contact *items;            /* [count], sorted by (body_a, body_b, feature) */
    int64_t capacity;             /* private */
    struct nb_collider *collider; /* private: scratch memory of the broad phase */
} nb_contacts;

nb_status nb_contacts_create(nb_contacts **contacts);
void nb_contacts_destroy(nb_contacts *contacts);

/* All contacts of the world as it stands: pairs of bodies (not both without mass, not joined directly by a joint) with
 * features closer than world->contact_margin (and contact_thickness), or that would come closer within a step of length
 * h [s] at their present velocities plus h * gravity. Deterministic. Cost: linear in bodies and contacts for piles. */
nb_status nb_contacts_detect(const nb_world *world, double h, nb_contacts *contacts);

#endif
