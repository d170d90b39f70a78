/* Contacts as a list (contact.h says what a contact is). */
#ifndef NB_CONTACT_LIST_H
#define NB_CONTACT_LIST_H

#include <stddef.h>
#include <stdint.h>

#include "base/vec3.h"

enum {
    NB_CONTACT_PARTICLES = 4 /* at most, of both sides: a corner and three of a face, or two of each of two edges */
};

typedef struct nb_contact {
    /* Nodes. Between rigid bodies a is dynamic; b is any other body (dynamic, fixed or kinematic). Of a contact with a
     * deformable body a is the number of bodies plus that of a particle, and b the rigid body, or likewise a particle.
     */
    int32_t body_a, body_b;
    nb_vec3 point_a, point_b; /* closest points on the bodies, in the world [m] */
    nb_vec3 normal;           /* unit, from body b to body a */
    double gap;               /* normal . (point_a - point_b) less the world's contact thickness [m] */
    double friction;          /* coefficient of this contact */
    uint64_t feature;         /* names the feature pair; stable from step to step, unique within a body pair */
} nb_contact;

/* What a contact of deformable bodies has of their particles. Its point on the first side moves as the sum of these
 * particles, each times its weight, which sum to 1. Where the second side is deformable, too, the last `second` of them
 * are its, with weights that sum to -1: all together move as the points do relative to each other. */
typedef struct nb_contact_side {
    int32_t count, second; /* of all; of the second side, 0 where that is a body */
    int32_t particle[NB_CONTACT_PARTICLES];
    double weight[NB_CONTACT_PARTICLES];
} nb_contact_side;

typedef struct nb_contacts {
    int32_t count;
    nb_contact *items;  /* [count], sorted by (body_a, body_b, feature), so that those of deformable bodies are last */
    int32_t soft_count; /* how many these are */
    nb_contact_side *sides;          /* [soft_count] their particles */
    int64_t capacity, side_capacity; /* private */
    struct nb_collider *collider;    /* private: scratch memory of the broad phase */
} nb_contacts;

/* the particles of contact i; NULL where it is between bodies */
static inline const nb_contact_side *nb_contacts_side(const nb_contacts *contacts, int32_t i) {
    int32_t rigid = contacts->count - contacts->soft_count;
    return i < rigid ? NULL : &contacts->sides[i - rigid];
}

#endif
