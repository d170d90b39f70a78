/* Broad phase: which of many axis-parallel boxes overlap.
 *
 * A binary tree of boxes, split at the median of the longest side and descended against itself: boxes of any mixture of
 * sizes, O(n log n) to build, and a number of box tests that grows with the boxes and their overlaps alone. */
#ifndef NB_COLLISION_BROAD_PHASE_H
#define NB_COLLISION_BROAD_PHASE_H

#include <stdint.h>

#include "base/status.h"
#include "base/vec3.h"

typedef struct nb_bounds {
    nb_vec3 low, high; /* [m], finite, low <= high */
    int32_t group;     /* boxes of one group are no pair: the parts of one body */
    int32_t active;    /* of a pair at least one must be active: fixed bodies do not collide among themselves */
} nb_bounds;

typedef struct nb_broad_phase {
    int64_t pair_count;
    int32_t (*pairs)[2];  /* [pair_count] indices of boxes, in no particular but a repeatable order */
    int64_t tests;        /* how many box tests the last search took */
    struct nb_node *tree; /* private from here */
    int32_t *order;
    int64_t pair_capacity, tree_capacity, order_capacity;
} nb_broad_phase;

/* Finds all pairs of overlapping (or touching) boxes. *phase starts as all zeros; its memory is reused from call to
 * call. */
nb_status nb_broad_phase_search(nb_broad_phase *phase, int32_t count, const nb_bounds *boxes);

/* The same for pairs of one of the first `count` boxes with one of the `others` behind them; the smaller index first.
 */
nb_status nb_broad_phase_search_between(nb_broad_phase *phase, int32_t count, int32_t others, const nb_bounds *boxes);

void nb_broad_phase_clear(nb_broad_phase *phase);

#endif
