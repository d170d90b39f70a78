/* Where a step of single-level begins, one start after the other until it is solved (private to
 * solvers/method/single_level). */
#ifndef NB_SINGLE_LEVEL_PAIR_STARTS_H
#define NB_SINGLE_LEVEL_PAIR_STARTS_H

#include <stdint.h>

/* Starts after the first three go three times through the same velocities: none, those without contacts, those at the
 * start of the step, with scaled steps. They differ in what they do where the matrix comes near a singular one. */
enum {
    NB_START_AS_IT_IS, /* from what is remembered, if something is */
    NB_START_AT_REST,
    NB_START_PATH,                            /* at rest, and by the length of the central path (pair_path.h) */
    NB_START_SCALED,                          /* nothing */
    NB_START_MONOTONE = NB_START_SCALED + 3,  /* the matrix is made monotone after steps that were cut short */
    NB_START_RELAXED = NB_START_MONOTONE + 3, /* friction is relaxed while products are large */
    NB_START_COUNT = NB_START_RELAXED + 3
};

/* what is known from the steps before; {0}: nothing */
typedef struct nb_pair_starts {
    int32_t solved_by, in_a_row; /* the start that solved the last one; so many steps */
} nb_pair_starts;

/* The starts in the order of a step, into `starts`; returns how many. `warm`: steps begin from the one before, which is
 * `remembered`. The method bilevel (`apart`) is the paper's, and begins again once, where something was remembered. One
 * of the later starts that solved the step before comes second; first, where it solved two, but for every fourth step,
 * lest steps that became easy go on with it (first in all of them, walker takes 70 % more iterations). */
int nb_pair_starts_order(const nb_pair_starts *known, int warm, int remembered, int apart, int starts[NB_START_COUNT]);

/* most iterations of a step unless told otherwise: room for all starts */
enum {
    NB_SINGLE_LEVEL_ITERATIONS = 1500,
    NB_BILEVEL_ITERATIONS = 60
};

/* Most iterations of this start, of the `limit` of its step: a fiftieth, of bilevel half, and no fewer than 30; with
 * monotone matrices and relaxed friction three times, along the path twenty times as many. The limit itself is the
 * caller's to keep. */
int32_t nb_pair_starts_iterations(int32_t limit, int apart, int start);

/* Those in which a beginning of the path is approached. */
int32_t nb_pair_starts_approach(int32_t limit);

/* A step was solved by this one. */
void nb_pair_starts_solved(nb_pair_starts *known, int start);

#endif
