#include "contact/contact.h"

#include <stdlib.h>

#include "base/interrupt.h"
#include "base/largest.h"
#include "base/memory.h"
#include "contact/broad_phase.h"
#include "contact/contact_cache.h"
#include "contact/narrow_phase.h"
#include "contact/piece.h"
#include "contact/soft_contacts.h"
#include "model/pair.h"

/* two pieces to be held against each other; body_a is dynamic, and the lower one of two that are */
typedef struct candidate {
    int32_t body_a, body_b, piece_a, piece_b;
} candidate;

enum {
    MANY = 1000 /* candidates: from here on their memory counts for more than the time to take it anew */
};

typedef struct nb_collider {
    nb_broad_phase broad;
    nb_box_tree tree; /* of the pieces' bounds, kept from detection to detection */
    nb_pieces pieces;
    nb_contact_cache cache; /* from the last detection */
    nb_soft_collider soft;
    int same_shapes;     /* 1: since the last detection, for the next one alone */
    const uint8_t *some; /* [bodies] those of which candidates have one; borrowed, NULL: all */
    nb_separated separated;
    int64_t candidate_count, candidate_capacity;
    candidate *candidates; /* [candidate_count] */
} nb_collider;

nb_status nb_contacts_create(nb_contacts **contacts) {
    nb_status status = NB_ALLOCATE(1, contacts);
    if (status != NB_OK) return status;
    NB_TRY(NB_ALLOCATE(1, &(*contacts)->collider));
out:
    if (status != NB_OK) {
        nb_free(*contacts);
        *contacts = NULL;
    }
    return status;
}

void nb_contacts_destroy(nb_contacts *contacts) {
    if (!contacts) return;
    nb_collider *collider = contacts->collider;
    nb_broad_phase_clear(&collider->broad);
    nb_box_tree_clear(&collider->tree);
    nb_pieces_clear(&collider->pieces);
    nb_contact_cache_clear(&collider->cache);
    nb_soft_collider_clear(&collider->soft);
    nb_free(collider->candidates);
    nb_separated_clear(&collider->separated);
    nb_free(collider);
    nb_free(contacts->items);
    nb_free(contacts->sides);
    nb_free(contacts);
}

static int dynamic(const nb_world *world, int32_t body) {
    return world->bodies[body].kind == NB_BODY_DYNAMIC;
}

/* solids with anything, and ellipsoids but with half-spaces */
static int unknown(const nb_piece *a, const nb_piece *b) {
    int ellipsoid = a->kind == NB_SHAPE_ELLIPSOID || b->kind == NB_SHAPE_ELLIPSOID;
    int half_space = a->kind == NB_SHAPE_HALF_SPACE || b->kind == NB_SHAPE_HALF_SPACE;
    return a->solid || b->solid || (ellipsoid && !half_space);
}

static nb_status add_candidate(const nb_world *world, int32_t i, int32_t j, nb_collider *collider) {
    candidate pair = {collider->pieces.items[i].body, collider->pieces.items[j].body, i, j};
    if (!dynamic(world, pair.body_a) && !dynamic(world, pair.body_b)) return NB_OK;
    if (collider->some && !collider->some[pair.body_a] && !collider->some[pair.body_b]) return NB_OK;
    if (nb_separated_has(&collider->separated, pair.body_a, pair.body_b)) return NB_OK;
    if (world->skips_unknown && unknown(&collider->pieces.items[i], &collider->pieces.items[j])) return NB_OK;
    if (!dynamic(world, pair.body_a) || (dynamic(world, pair.body_b) && pair.body_b < pair.body_a))
        pair = (candidate){pair.body_b, pair.body_a, j, i};
    nb_status status = NB_RESERVE(collider->candidate_count + 1, &collider->candidate_capacity, &collider->candidates);
    if (status == NB_OK) collider->candidates[collider->candidate_count++] = pair;
    return status;
}

static nb_encounter encounter_of(const nb_world *world, double h, int32_t piece_a, int32_t piece_b,
                                 nb_contacts *contacts) {
    const nb_moving_piece *a = &contacts->collider->pieces.moving[piece_a],
                          *b = &contacts->collider->pieces.moving[piece_b];
    return (nb_encounter){
        .a = *a,
        .b = *b,
        .margin = world->settings.contact_margin + world->settings.contact_thickness,
        .h = h,
        .friction = nb_world_friction(world, a->piece->body, b->piece->body),
        .planar = world->planar,
        .contacts = contacts,
    };
}

/* pieces whose bounding sphere comes near the plane */
static nb_status find_near_half_space(const nb_world *world, double h, int32_t plane, nb_contacts *contacts) {
    nb_collider *collider = contacts->collider;
    const nb_piece *half_space = &collider->pieces.items[plane];
    nb_encounter encounter = encounter_of(world, h, plane, plane, contacts);
    for (int32_t i = 0; i < collider->pieces.count; i++) {
        const nb_piece *piece = &collider->pieces.items[i];
        double height = nb_dot(half_space->normals[0], nb_sub(piece->centre, half_space->centre)) - piece->radius;
        encounter.a = collider->pieces.moving[i];
        if (nb_encounter_least_distance(&encounter, half_space->normals[0], height) > encounter.margin) continue;
        nb_status status = add_candidate(world, i, plane, collider);
        if (status != NB_OK) return status;
    }
    return NB_OK;
}

static int compare_candidates(const void *x, const void *y) {
    const candidate *a = x, *b = y;
    if (a->body_a != b->body_a) return a->body_a < b->body_a ? -1 : 1;
    if (a->body_b != b->body_b) return a->body_b < b->body_b ? -1 : 1;
    if (a->piece_a != b->piece_a) return a->piece_a < b->piece_a ? -1 : 1;
    return (a->piece_b > b->piece_b) - (a->piece_b < b->piece_b);
}

static nb_status find_candidates(const nb_world *world, double h, nb_contacts *contacts) {
    nb_collider *collider = contacts->collider;
    const nb_pieces *pieces = &collider->pieces;
    nb_status status = NB_OK;
    /* as many as the last time, so that they need not grow to it again */
    NB_TRY(NB_RESERVE(collider->candidate_count, &collider->broad.pair_capacity, &collider->broad.pairs));
    NB_TRY(NB_RESERVE(collider->candidate_count, &collider->candidate_capacity, &collider->candidates));
    collider->candidate_count = 0;
    NB_TRY(nb_box_tree_update(&collider->tree, 0, pieces->count, pieces->bounds));
    NB_TRY(nb_broad_phase_within(&collider->broad, &collider->tree, pieces->bounds));
    for (int64_t k = 0; k < collider->broad.pair_count; k++)
        NB_TRY(add_candidate(world, collider->broad.pairs[k][0], collider->broad.pairs[k][1], collider));
    for (int32_t k = 0; k < pieces->half_space_count; k++)
        NB_TRY(find_near_half_space(world, h, pieces->count + k, contacts));
    if (collider->candidate_count >= MANY) nb_broad_phase_clear(&collider->broad);
    if (collider->candidate_count > 0)
        qsort(collider->candidates, (size_t)collider->candidate_count, sizeof *collider->candidates,
              compare_candidates);
out:
    return status;
}

/* when they have been held against each other; how many there were is kept */
static void forget_candidates(nb_collider *collider) {
    if (collider->candidate_count < MANY) return;
    nb_free(collider->candidates);
    collider->candidates = NULL;
    collider->candidate_capacity = 0;
}

static int compare_contacts(const void *x, const void *y) {
    const nb_contact *a = x, *b = y;
    return (a->feature > b->feature) - (a->feature < b->feature);
}

/* Sorts the contacts of one body pair, which start at `begin`, and keeps one of each set of the same. */
static void tidy(nb_contacts *contacts, int32_t begin, double size) {
    nb_contact *items = contacts->items + begin;
    const int32_t count = contacts->count - begin;
    if (count < 2) return;
    qsort(items, (size_t)count, sizeof *items, compare_contacts);
    contacts->count = begin + nb_contacts_keep_first(items, count, size);
}

static int same_bodies(const candidate *a, const candidate *b) {
    return a->body_a == b->body_a && a->body_b == b->body_b;
}

/* the end of the candidates, from `first` on, of the same two bodies */
static int64_t end_of_bodies(const nb_collider *collider, int64_t first) {
    const candidate *pairs = collider->candidates;
    int64_t end = first + 1;
    while (end < collider->candidate_count && same_bodies(&pairs[first], &pairs[end])) end++;
    return end;
}

/* the candidates first .. end - 1, all of the same two bodies */
static nb_status collide_bodies(const nb_world *world, double h, int64_t first, int64_t end, nb_contacts *contacts) {
    int32_t begin = contacts->count;
    double size = INFINITY;
    for (int64_t k = first; k < end; k++) {
        const candidate *pair = &contacts->collider->candidates[k];
        nb_encounter encounter = encounter_of(world, h, pair->piece_a, pair->piece_b, contacts);
        nb_status status = nb_encounter_collide(&encounter);
        if (status != NB_OK) return status;
        size = fmin(size, fmin(encounter.a.piece->radius, encounter.b.piece->radius));
    }
    tidy(contacts, begin, size);
    return NB_OK;
}

static nb_status collide_candidates(const nb_world *world, double h, nb_contacts *contacts) {
    nb_status status = NB_OK;
    nb_collider *collider = contacts->collider;
    const candidate *pairs = collider->candidates;
    for (int64_t first = 0, end; first < collider->candidate_count; first = end) {
        int32_t a = pairs[first].body_a, b = pairs[first].body_b, begin = contacts->count;
        int taken;
        NB_TRY(nb_interrupt_check());
        end = end_of_bodies(collider, first);
        NB_TRY(nb_contact_cache_append(&collider->cache, a, b, contacts, &taken));
        if (!taken) NB_TRY(collide_bodies(world, h, first, end, contacts));
        NB_TRY(nb_contact_cache_add(&collider->cache, a, b, begin, contacts));
    }
out:
    return status;
}

/* leaves out what is farther than the active set reaches */
static void keep_active(const nb_world *world, nb_contacts *contacts) {
    int32_t kept = 0;
    if (world->settings.stepping.scheme == NB_STEPPING_IMPLICIT) return;
    for (int32_t i = 0; i < contacts->count; i++)
        if (contacts->items[i].gap <= world->settings.stepping.active_set) contacts->items[kept++] = contacts->items[i];
    contacts->count = kept;
}

static nb_status check_numbers(const nb_world *world, double h) {
    if (!(h >= 0) || !isfinite(h)) return nb_fail(NB_ERROR_INPUT, "the time step is %g s; it must not be negative", h);
    if (!(world->settings.contact_margin >= 0) || !isfinite(world->settings.contact_margin))
        return nb_fail(NB_ERROR_INPUT, "the contact margin is %g m; it must not be negative",
                       world->settings.contact_margin);
    if (!(world->settings.contact_thickness >= 0) || !isfinite(world->settings.contact_thickness))
        return nb_fail(NB_ERROR_INPUT, "the contact thickness is %g m; it must not be negative",
                       world->settings.contact_thickness);
    return NB_OK;
}

void nb_contacts_keep_shapes(nb_contacts *contacts) {
    contacts->collider->same_shapes = 1;
}

nb_status nb_contacts_detect(const nb_world *world, double h, nb_contacts *contacts) {
    nb_status status = NB_OK;
    const int same_shapes = contacts->collider->same_shapes;
    nb_pieces *pieces = &contacts->collider->pieces;
    nb_contact_cache *cache = &contacts->collider->cache;
    contacts->collider->same_shapes = 0;
    NB_TRY(check_numbers(world, h));
    if (same_shapes && world->particle_count == 0 && contacts->soft_count == 0 &&
        nb_contact_cache_stands(cache, world, h))
        return NB_OK;
    NB_TRY(nb_separated_list(&contacts->collider->separated, world));
    NB_TRY(nb_pieces_place(world, h, pieces));
    NB_TRY(nb_contact_cache_begin(cache, world, h, pieces));
    if (cache->unchanged && world->particle_count == 0 && contacts->soft_count == 0) {
        nb_contact_cache_stand(cache);
        return NB_OK;
    }
    contacts->count = contacts->soft_count = 0;
    NB_TRY(find_candidates(world, h, contacts));
    NB_TRY(collide_candidates(world, h, contacts));
    forget_candidates(contacts->collider);
    NB_TRY(nb_contact_cache_end(cache, world, h, pieces, contacts));
    NB_TRY(nb_soft_contacts_find(&contacts->collider->soft, world, h, pieces, contacts));
    for (int32_t i = 0; i < contacts->count; i++) contacts->items[i].gap -= world->settings.contact_thickness;
    keep_active(world, contacts);
out:
    if (status != NB_OK) contacts->count = contacts->soft_count = cache->ended = 0;
    return status;
}

/* the candidates that have one of `some` (NULL: all) */
static nb_status begin_some(const nb_world *world, double h, const uint8_t *some, nb_contacts *contacts) {
    nb_status status;
    nb_collider *collider = contacts->collider;
    nb_pieces *pieces = &collider->pieces;
    NB_TRY(check_numbers(world, h));
    NB_TRY(nb_separated_list(&collider->separated, world));
    NB_TRY(nb_pieces_place(world, h, pieces));
    for (int32_t i = 0; some && i < pieces->count; i++) pieces->bounds[i].active &= some[pieces->items[i].body];
    collider->some = some;
    status = find_candidates(world, h, contacts);
    collider->some = NULL;
out:
    return status;
}

nb_status nb_contacts_detect_some(const nb_world *world, double h, const uint8_t *some, nb_contacts *contacts) {
    nb_status status;
    nb_collider *collider = contacts->collider;
    contacts->count = contacts->soft_count = collider->cache.listed = 0;
    NB_TRY(begin_some(world, h, some, contacts));
    for (int64_t first = 0, end; first < collider->candidate_count; first = end) {
        end = end_of_bodies(collider, first);
        NB_TRY(collide_bodies(world, h, first, end, contacts));
    }
    forget_candidates(collider);
    for (int32_t i = 0; i < contacts->count; i++) contacts->items[i].gap -= world->settings.contact_thickness;
    keep_active(world, contacts);
out:
    if (status != NB_OK) contacts->count = 0;
    return status;
}

static int turns(const nb_world *world, int32_t node) {
    if (node < 0 || node >= world->body_count || world->bodies[node].shape < 0) return 1;
    const nb_shape_kind kind = world->shapes[world->bodies[node].shape]->kind;
    return kind != NB_SHAPE_SPHERE && kind != NB_SHAPE_ELLIPSOID;
}

int nb_contact_turns(const nb_world *world, int32_t body_a, int32_t body_b) {
    return turns(world, body_a) && turns(world, body_b);
}

/* where the body's move from `from` takes the point */
static nb_vec3 followed(const nb_body *from, const nb_body *to, int turns, nb_vec3 point) {
    const nb_vec3 arm = nb_sub(point, from->position);
    if (to->kind == NB_BODY_FIXED) return point;
    if (!turns) return nb_add(to->position, arm);
    return nb_add(to->position,
                  nb_quat_rotate(to->orientation, nb_quat_rotate(nb_quat_conjugate(from->orientation), arm)));
}

void nb_contacts_follow(const nb_world *world, const nb_body *bodies, const nb_particle *particles,
                        nb_contacts *contacts) {
    for (int32_t i = 0; i < contacts->count; i++) {
        nb_contact *c = &contacts->items[i];
        const nb_contact_side *side = nb_contacts_side(contacts, i);
        const nb_vec3 apart = nb_sub(c->point_a, c->point_b);
        const int32_t a = c->body_a, b = c->body_b;
        if (!side) c->point_a = followed(&bodies[a], &world->bodies[a], turns(world, a), c->point_a);
        if (!side || side->second == 0)
            c->point_b = followed(&bodies[b], &world->bodies[b], turns(world, b), c->point_b);
        for (int k = 0; side && k < side->count; k++) {
            const int32_t p = side->particle[k];
            const nb_vec3 way = nb_sub(world->particles[p].position, particles[p].position);
            nb_vec3 *point = k < side->count - side->second ? &c->point_a : &c->point_b;
            *point = nb_add_scaled(*point, point == &c->point_a ? side->weight[k] : -side->weight[k], way);
        }
        c->gap += nb_dot(c->normal, nb_sub(nb_sub(c->point_a, c->point_b), apart));
        if (!side || side->second == 0) /* on one line, so that no torque comes of the two forces */
            c->point_b = nb_add_scaled(c->point_a, -(c->gap + world->settings.contact_thickness), c->normal);
    }
    contacts->collider->cache.listed = 0;
}

/* what the list's contacts come to; it is empty then */
static void find_deepest(const nb_world *world, nb_contacts *contacts, double *depth) {
    for (int32_t i = 0; i < contacts->count; i++) contacts->items[i].gap -= world->settings.contact_thickness;
    keep_active(world, contacts);
    for (int32_t i = 0; i < contacts->count; i++) nb_raise(depth, -contacts->items[i].gap);
    contacts->count = contacts->soft_count = 0;
}

nb_status nb_contacts_deepest(const nb_world *world, nb_contacts *contacts, double *depth) {
    nb_status status = NB_OK;
    nb_collider *collider = contacts->collider;
    nb_contacts few = {.collider = collider}; /* those of two bodies */
    *depth = 0;
    NB_TRY(begin_some(world, 0, NULL, &few));
    for (int64_t first = 0, end; first < collider->candidate_count; first = end) {
        end = end_of_bodies(collider, first);
        NB_TRY(collide_bodies(world, 0, first, end, &few));
        find_deepest(world, &few, depth);
    }
    forget_candidates(collider);
    NB_TRY(nb_soft_contacts_find(&collider->soft, world, 0, &collider->pieces, &few));
    find_deepest(world, &few, depth);
out:
    nb_free(few.items);
    nb_free(few.sides);
    return status;
}
