/* Broad phase: which of many axis-parallel boxes overlap.
 *
 * A binary tree of boxes, split at the median of the longest side and descended against itself: boxes of any mixture of
 * sizes, O(n log n) to build, and a number of box tests that grows with the boxes and their overlaps alone. A tree may
 * be kept while its boxes move: it is brought to where they are in O(n), and finds the same pairs. */
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

/* Whether two boxes overlap or touch. Without branches, whose outcome is any. */
NB_INLINE_FN int nb_boxes_overlap(const nb_vec3 *a_low, const nb_vec3 *a_high, const nb_vec3 *b_low,
                                  const nb_vec3 *b_high) {
    return (a_low->x <= b_high->x) & (b_low->x <= a_high->x) & (a_low->y <= b_high->y) & (b_low->y <= a_high->y) &
           (a_low->z <= b_high->z) & (b_low->z <= a_high->z);
}

/* A tree over boxes[first .. first + count - 1]; starts as all zeros. */
typedef struct nb_box_tree {
    struct nb_node *nodes; /* [2 count - 1] */
    int32_t *order;        /* [count] the boxes, subtree by subtree */
    int32_t first, count;
    double built; /* size of all nodes when it was built */
    int64_t node_capacity, order_capacity;
} nb_box_tree;

typedef struct nb_broad_phase {
    int64_t pair_count;
    int32_t (*pairs)[2]; /* [pair_count] indices of boxes, the smaller first, in no particular but a repeatable order */
    int64_t tests;       /* how many box tests the last search took */
    nb_box_tree tree;    /* private from here */
    int64_t pair_capacity;
} nb_broad_phase;

/* Finds all pairs of overlapping (or touching) boxes. *phase starts as all zeros; its memory is reused from call to
 * call. */
nb_status nb_broad_phase_search(nb_broad_phase *phase, int32_t count, const nb_bounds *boxes);

/* Brings the tree to these boxes: a new one where they are not as many as before, or where they have moved so far that
 * the nodes' surfaces have grown by half (a search then takes up to two and a half times the tests). */
nb_status nb_box_tree_update(nb_box_tree *tree, int32_t first, int32_t count, const nb_bounds *boxes);
void nb_box_tree_clear(nb_box_tree *tree);

/* Finds all such pairs within a tree, or of a box of one tree with a box of another; these are over the same `boxes`,
 * where they were last brought to. */
nb_status nb_broad_phase_within(nb_broad_phase *phase, const nb_box_tree *tree, const nb_bounds *boxes);
nb_status nb_broad_phase_between(nb_broad_phase *phase, const nb_box_tree *one, const nb_box_tree *other,
                                 const nb_bounds *boxes);

void nb_broad_phase_clear(nb_broad_phase *phase);

#endif
