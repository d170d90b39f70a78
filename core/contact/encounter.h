/* An encounter: a pair of convex pieces with their motion over the coming step, to which contacts are appended. */
#ifndef NB_CONTACT_ENCOUNTER_H
#define NB_CONTACT_ENCOUNTER_H

#include <stdint.h>

#include "base/status.h"
#include "base/vec3.h"
#include "contact/list.h"
#include "contact/piece.h"

typedef struct nb_encounter {
    nb_moving_piece a, b;
    double margin, h; /* [m], [s] */
    double friction;
    int planar;  /* of a planar world: contacts in the plane y = 0 alone */
    int swapped; /* the contacts' body a is this encounter's b */
    nb_contacts *contacts;
} nb_encounter;

/* what a contact's two features are; part of its name, so the numbers stay */
typedef enum nb_feature_kind {
    NB_FEATURE_VERTEX_FACE = 0, /* vertex (or sphere) of a, face (or half-space) of b */
    NB_FEATURE_FACE_VERTEX = 1,
    NB_FEATURE_EDGE_EDGE = 2,
    NB_FEATURE_NEAREST = 3,     /* the nearest points of two edges, their ends included */
    NB_FEATURE_VERTEX_EDGE = 4, /* sphere of a, edge of b */
    NB_FEATURE_EDGE_VERTEX = 5,
    NB_FEATURE_DEEPEST = 6, /* polyhedra that pass through each other without a sensible feature pair */
    NB_FEATURE_SETS = 7,    /* the two convex sets, by a method that finds contacts itself */
} nb_feature_kind;

static inline uint64_t nb_feature_name(int32_t part_a, int32_t part_b, nb_feature_kind kind, int32_t feature_a,
                                       int32_t feature_b) {
    return (uint64_t)part_a << 49 | (uint64_t)part_b << 35 | (uint64_t)kind << 32 | (uint64_t)feature_a << 16 |
           (uint64_t)feature_b;
}

/* Lengths below this part of the smaller piece's size count as zero when features are told apart: single precision's
 * round-off over a step or two, so that resting bodies keep their contacts. */
#define NB_TOUCHING 1e-7

/* Appends the contact of these points unless it is farther than the margin now and at the end of the step. In a planar
 * world the contact is moved into the plane; a normal that leads more across the plane than along it makes none. */
nb_status nb_encounter_add(const nb_encounter *encounter, nb_feature_kind kind, int32_t feature_a, int32_t feature_b,
                           nb_vec3 point_a, nb_vec3 point_b, nb_vec3 normal);

/* A lower bound over the step of the distance of the pieces along `axis` (unit, b to a), where it is `distance` now. */
static inline double nb_encounter_least_distance(const nb_encounter *encounter, nb_vec3 axis, double distance) {
    const nb_moving_piece *a = &encounter->a, *b = &encounter->b;
    double rate = nb_dot(axis, nb_sub(a->linear, b->linear)) - a->turning_speed - b->turning_speed;
    return distance + encounter->h * (rate < 0 ? rate : 0);
}

/* no two points farther apart than this come within the margin during the step [m] */
double nb_encounter_reach(const nb_encounter *encounter);

#endif
