/* Which convex sets of a world's bodies may come to touch within a step, for methods that need no contacts: of bodies
 * that are not separated (model/pair.h; private to solvers/method/single_level). */
#ifndef NB_SINGLE_LEVEL_SET_PAIRS_H
#define NB_SINGLE_LEVEL_SET_PAIRS_H

#include <stdint.h>

#include "base/status.h"
#include "base/vec3.h"
#include "contact/broad_phase.h"
#include "model/pair.h"

/* sets of two bodies: a is dynamic, and the lower one of two that are */
typedef struct nb_set_pair {
    int32_t body_a, body_b, set_a, set_b;
} nb_set_pair;

/* their order: by the bodies, then by the sets */
int nb_set_pair_compare(const nb_set_pair *a, const nb_set_pair *b);

typedef struct nb_set_place {
    int32_t body, set;
} nb_set_place;

/* Where a set may be during the step: what is `around` the points of a box, in the frame that its body has as the step
 * starts, so that pairs are the same whichever way the scene is turned. */
typedef struct nb_set_box {
    nb_vec3 low, high; /* [m] of corners, or of the centre of a ball */
    double around;     /* [m] the ball's radius, and half the margin */
} nb_set_box;

typedef struct nb_set_pairs {
    int32_t count;
    nb_set_pair *items; /* [count] sorted */
    /* private from here: bounded sets first */
    int32_t bounded, unbounded;
    nb_set_place *places; /* [bounded + unbounded] */
    nb_set_box *boxes;    /* [bounded] */
    nb_bounds *bounds;    /* [bounded] along the world's axes, about the boxes */
    nb_broad_phase broad;
    nb_separated separated;
    int64_t item_capacity, place_capacity, box_capacity, bounds_capacity;
} nb_set_pairs; /* starts as all zeros */

/* Finds them for bodies that move from where the world has them, for h, with their velocities or with u_free
 * [bodies][6], or anything between. */
nb_status nb_set_pairs_find(nb_set_pairs *pairs, const nb_world *world, double h, const double *u_free);

/* Adds those that bodies with the velocities u [bodies][6] may touch, too; `added`: how many. */
nb_status nb_set_pairs_extend(nb_set_pairs *pairs, const nb_world *world, double h, const double *u, int32_t *added);

void nb_set_pairs_clear(nb_set_pairs *pairs);

#endif
