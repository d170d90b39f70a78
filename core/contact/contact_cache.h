/* What the last detection found, for pairs of bodies of which neither has changed since: the same contacts, bit by bit.
 * At rest nothing else is left of the narrow phase. Only what had not changed at that detection either is kept: what
 * moves takes no memory here, and what comes to rest is taken over from the second detection after that on. Where
 * nothing at all has changed, moving or not, the last detection's own list stands. */
#ifndef NB_CONTACT_CONTACT_CACHE_H
#define NB_CONTACT_CONTACT_CACHE_H

#include <stdint.h>

#include "base/status.h"
#include "contact/list.h"
#include "contact/piece.h"
#include "model/world.h"

/* the contacts of two bodies: [count] from `begin` on */
typedef struct nb_contact_cache_pair {
    int32_t body_a, body_b, begin, count;
} nb_contact_cache_pair;

typedef struct nb_contact_cache {
    uint8_t *still; /* [bodies] 1: place, velocity, friction and shape are those of the last detection */
    int unchanged;  /* 1: all are, and all else that contacts between bodies depend on, and the list stands */
    int listed;     /* 1: the list is the last detection's; the caller makes it 0 where it changes the list otherwise */
    /* private from here: the last detection's */
    int ended;                      /* 1: it came to its end */
    int32_t pair_count, next_count; /* that are kept of the last one, and of the present one so far */
    int32_t cursor;
    nb_contact_cache_pair *pairs, *next; /* sorted by bodies */
    nb_contact *items;
    int32_t body_count, piece_count, joint_count;
    double world[10]; /* what all contacts depend on */
    int32_t *joined;  /* [2 * joint_count] the two bodies of each joint */
    nb_body *bodies;
    nb_piece *pieces;
    nb_vec3 *vectors; /* [vector_count] of all pieces */
    int64_t vector_count;
    int64_t still_capacity, pair_capacity, next_capacity, item_capacity, body_capacity, piece_capacity, vector_capacity,
        joined_capacity;
} nb_contact_cache; /* starts as all zeros */

/* Begins a detection in this world, whose pieces are placed: fills `still` and `unchanged`. */
nb_status nb_contact_cache_begin(nb_contact_cache *cache, const nb_world *world, double h, const nb_pieces *pieces);

/* Appends the contacts of these bodies where they are known; 0 where they are not. Pairs come in ascending order. */
nb_status nb_contact_cache_append(nb_contact_cache *cache, int32_t body_a, int32_t body_b, nb_contacts *contacts,
                                  int *taken);

/* The pair's contacts end the list, from `begin` on; they are kept where both bodies are `still`. */
nb_status nb_contact_cache_add(nb_contact_cache *cache, int32_t body_a, int32_t body_b, int32_t begin,
                               const nb_contacts *contacts);

/* Ends it: what was found is the last detection's now. Without this (after a fault) nothing is known. */
nb_status nb_contact_cache_end(nb_contact_cache *cache, const nb_world *world, double h, const nb_pieces *pieces,
                               const nb_contacts *contacts);

/* Whether a detection in this world with shapes as they were would find what the last one did: then it need not even
 * place pieces. */
int nb_contact_cache_stands(const nb_contact_cache *cache, const nb_world *world, double h);

/* Ends one of an unchanged world, for which nothing was looked for: what is known stays known. */
void nb_contact_cache_stand(nb_contact_cache *cache);

void nb_contact_cache_clear(nb_contact_cache *cache);

#endif
