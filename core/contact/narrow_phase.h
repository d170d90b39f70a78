/* Narrow phase: the contacts of two convex pieces.
 *
 * An encounter is a pair of pieces with their motion over the coming step; colliding it appends its contacts. */
#ifndef NB_COLLISION_NARROW_PHASE_H
#define NB_COLLISION_NARROW_PHASE_H

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

/* Appends all contacts of the two pieces. Half-spaces do not collide with each other. */
nb_status nb_encounter_collide(const nb_encounter *encounter);

/* The same for two polyhedra: vertex-face pairs both ways and edge-edge pairs whose nearest points lie within the face
 * or within both edges, where each feature faces the other.
 *
 * Pieces apart: every such pair. Pieces that touch or pass through each other: those whose normal is near the axis of
 * least penetration (separating axis theorem over face normals and edge cross products, faces preferred), so that boxes
 * sunk into each other are pushed apart through the faces that met. Where no pair remains although the pieces overlap
 * or would meet within the step, one contact stands in: the deepest vertex, or the nearest points of two edges. */
nb_status nb_encounter_collide_polyhedra(const nb_encounter *encounter);

/* whether the point, seen along the face's normal, lies in the face or at most `tolerance` [m] beyond its border */
int nb_face_contains(const nb_piece *piece, int32_t face, nb_vec3 point, double tolerance);

/* Whether a vertex can meet a plane with this normal that comes from below: no edge descends from it, against the
 * normal, by more than 30 degrees. (With none at all only the lowest vertex of a box that rocks would count.) */
int nb_vertex_faces(const nb_piece *piece, int32_t vertex, nb_vec3 normal);

/* Appends the contact of these points unless it is farther than the margin now and at the end of the step. In a planar
 * world the contact is moved into the plane; a normal that leads more across the plane than along it makes none. */
nb_status nb_encounter_add(const nb_encounter *encounter, nb_feature_kind kind, int32_t feature_a, int32_t feature_b,
                           nb_vec3 point_a, nb_vec3 point_b, nb_vec3 normal);

/* A lower bound over the step of the distance of the pieces along `axis` (unit, b to a), where it is `distance` now. */
double nb_encounter_least_distance(const nb_encounter *encounter, nb_vec3 axis, double distance);

/* no two points farther apart than this come within the margin during the step [m] */
double nb_encounter_reach(const nb_encounter *encounter);

#endif
