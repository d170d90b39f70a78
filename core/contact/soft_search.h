/* What the sources that look for contacts of deformable bodies share (private to core/contact; soft_contacts.h is for
 * others). */
#ifndef NB_CONTACT_SOFT_SEARCH_H
#define NB_CONTACT_SOFT_SEARCH_H

#include "base/status.h"
#include "contact/broad_phase.h"
#include "contact/list.h"
#include "contact/narrow_phase.h"
#include "contact/piece.h"
#include "contact/surface.h"
#include "model/world.h"

typedef struct nb_soft_contact {
    nb_contact contact;
    nb_contact_side side;
} nb_soft_contact;

/* a contact that may be one: of a corner of a piece, so high above its face */
typedef struct nb_soft_candidate {
    int32_t part, corner;
    double height; /* [m] */
    nb_soft_contact contact;
} nb_soft_candidate;

/* scratch memory, kept from call to call */
typedef struct nb_soft_collider {
    nb_surface surface;
    nb_broad_phase broad;
    nb_bounds *bounds;                        /* of the pieces, then of what is on the surface: points, faces, edges */
    nb_box_tree pieces, points, faces, edges; /* over these, kept from search to search */
    struct nb_placed_face *placed_faces;      /* [surface.face_count] where surfaces touch each other */
    struct nb_placed_edge *placed_edges;      /* [surface.edge_count] */
    int64_t tests;                            /* of boxes that the last search took */
    int64_t candidate_count, found_count;
    nb_soft_candidate *candidates; /* [candidate_count] */
    nb_soft_contact *found;        /* [found_count] */
    int64_t bounds_capacity, candidate_capacity, found_capacity, placed_face_capacity, placed_edge_capacity;
} nb_soft_collider; /* starts as all zeros */

/* one search in one world */
typedef struct nb_soft_search {
    nb_soft_collider *of;
    const nb_world *world;
    double h;
    const nb_pieces *pieces;
    nb_contacts *contacts;
} nb_soft_search;

/* the particle's velocity over the step, without constraints */
static inline nb_vec3 nb_soft_velocity(const nb_soft_search *s, const nb_particle *p) {
    if (p->kind == NB_BODY_FIXED) return nb_vec3_of(0, 0, 0);
    return p->kind == NB_BODY_DYNAMIC ? nb_add_scaled(p->velocity, s->h, s->world->gravity) : p->velocity;
}

/* Corners of the piece against the face, or a sphere: candidates (nb_soft_candidate). */
nb_status nb_soft_collide_face(const nb_soft_search *s, int32_t face, const nb_piece *piece);

/* Appends to what was found. */
nb_status nb_soft_add(const nb_soft_search *s, const nb_soft_contact *contact);

/* Appends the contacts that candidates make, of one corner of a piece those of all faces that it is above of and, where
 * it is below some, of the one that is nearest: it has come in there. */
nb_status nb_soft_take_candidates(const nb_soft_search *s);

/* Appends the contacts of the edge with edges of the piece, or a sphere. */
nb_status nb_soft_collide_edge(const nb_soft_search *s, int32_t edge, const nb_piece *piece);

/* Appends the contacts of surfaces with each other and themselves, candidates among them. */
nb_status nb_soft_collide_surfaces(const nb_soft_search *s);

#endif
