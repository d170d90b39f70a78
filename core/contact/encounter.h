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

NB_INLINE_FN uint64_t nb_feature_name(int32_t part_a, int32_t part_b, nb_feature_kind kind, int32_t feature_a,
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
NB_INLINE_FN double nb_encounter_least_distance(const nb_encounter *encounter, nb_vec3 axis, double distance) {
    const nb_moving_piece *a = &encounter->a, *b = &encounter->b;
    double rate = nb_dot(axis, nb_sub(a->linear, b->linear)) - a->turning_speed - b->turning_speed;
    return distance + encounter->h * (rate < 0 ? rate : 0);
}

/* no two points farther apart than this come within the margin during the step [m] */
NB_INLINE_FN double nb_encounter_reach(const nb_encounter *encounter) {
    const nb_moving_piece *a = &encounter->a, *b = &encounter->b;
    double speed = nb_norm(nb_sub(a->linear, b->linear)) + a->turning_speed + b->turning_speed;
    return encounter->margin + encounter->h * speed;
}

NB_INLINE_FN nb_feature_kind nb_feature_swapped(nb_feature_kind kind) {
    switch (kind) {
    case NB_FEATURE_VERTEX_FACE: return NB_FEATURE_FACE_VERTEX;
    case NB_FEATURE_FACE_VERTEX: return NB_FEATURE_VERTEX_FACE;
    case NB_FEATURE_VERTEX_EDGE: return NB_FEATURE_EDGE_VERTEX;
    case NB_FEATURE_EDGE_VERTEX: return NB_FEATURE_VERTEX_EDGE;
    case NB_FEATURE_EDGE_EDGE:
    case NB_FEATURE_NEAREST:
    case NB_FEATURE_DEEPEST:
    case NB_FEATURE_SETS: break;
    }
    return kind;
}

NB_INLINE_FN nb_vec3 nb_moving_velocity_at(const nb_moving_piece *moving, nb_vec3 point) {
    return nb_add(moving->linear, nb_cross(moving->angular, nb_sub(point, moving->origin)));
}

/* moves a contact's points and normal into the plane; 0: it lies across the plane */
NB_INLINE_FN int nb_lay_into_plane(nb_vec3 *point_a, nb_vec3 *point_b, nb_vec3 *normal) {
    const double most = 0.5; /* round-off of an iteration is far below, the face of a prism far above */
    if (fabs(normal->y) > most) return 0;
    point_a->y = point_b->y = 0;
    if (normal->y == 0) return 1; /* to normalise again is to round again */
    normal->y = 0;
    *normal = nb_normalized(*normal);
    return 1;
}

/* Fills *contact as nb_encounter_add appends it; 0: there is none. */
NB_INLINE_FN int nb_encounter_contact(const nb_encounter *encounter, nb_feature_kind kind, int32_t feature_a,
                                      int32_t feature_b, nb_vec3 point_a, nb_vec3 point_b, nb_vec3 normal,
                                      nb_contact *contact) {
    const nb_piece *a = encounter->a.piece, *b = encounter->b.piece;
    if (encounter->planar && !nb_lay_into_plane(&point_a, &point_b, &normal)) return 0;
    double gap = nb_dot(normal, nb_sub(point_a, point_b));
    double rate = nb_dot(
        normal, nb_sub(nb_moving_velocity_at(&encounter->a, point_a), nb_moving_velocity_at(&encounter->b, point_b)));
    if (gap + encounter->h * (rate < 0 ? rate : 0) > encounter->margin) return 0;
    const int swapped = encounter->swapped;
    contact->body_a = swapped ? b->body : a->body;
    contact->body_b = swapped ? a->body : b->body;
    contact->point_a = swapped ? point_b : point_a;
    contact->point_b = swapped ? point_a : point_b;
    contact->normal = swapped ? nb_scale(-1, normal) : normal;
    contact->gap = gap;
    contact->friction = encounter->friction;
    contact->feature = swapped ? nb_feature_name(b->part, a->part, nb_feature_swapped(kind), feature_b, feature_a)
                               : nb_feature_name(a->part, b->part, kind, feature_a, feature_b);
    return 1;
}

/* Whether two contacts of a pair of bodies have the same points, to `zero` [m], and the same normal: two vertices that
 * meet find each other twice, from either side. */
NB_INLINE_FN int nb_contact_is_same(const nb_contact *a, const nb_contact *b, double zero) {
    return nb_norm(nb_sub(a->point_a, b->point_a)) <= zero && nb_norm(nb_sub(a->point_b, b->point_b)) <= zero &&
           nb_norm(nb_sub(a->normal, b->normal)) <= NB_TOUCHING;
}

/* Keeps the first of each set of same contacts [count]; returns how many are left. `size`: the smallest radius of the
 * pieces that met. */
NB_INLINE_FN int32_t nb_contacts_keep_first(nb_contact *items, int32_t count, double size) {
    int32_t kept = 0;
    /* twice the tolerance of each of the two that found it, in two directions */
    const double zero = 4 * NB_TOUCHING * size;
    for (int32_t i = 0; i < count; i++) {
        int32_t j = 0;
        while (j < kept && !nb_contact_is_same(&items[i], &items[j], zero)) j++;
        if (j == kept) items[kept++] = items[i];
    }
    return kept;
}

#endif
