/* Contacts as a list (contact.h says what a contact is). */
#ifndef NB_CONTACT_LIST_H
#define NB_CONTACT_LIST_H

#include <stdint.h>

#include "base/vec3.h"

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

#endif
