/* What pairs of convex sets start the next step from: the unknowns that the last one ended with, pair by pair (private
 * to solvers/method/single_level). */
#ifndef NB_SINGLE_LEVEL_PAIR_MEMORY_H
#define NB_SINGLE_LEVEL_PAIR_MEMORY_H

#include "base/stream.h"
#include "pair_state.h"

#define nb_pair_memory NB_REAL_NAME(nb_pair_memory)
#define nb_pair_memory_keep NB_REAL_NAME(nb_pair_memory_keep)
#define nb_pair_memory_clear NB_REAL_NAME(nb_pair_memory_clear)
#define nb_pair_memory_load NB_REAL_NAME(nb_pair_memory_load)
#define nb_pair_memory_save NB_REAL_NAME(nb_pair_memory_save)
#define nb_pair_memory_forget NB_REAL_NAME(nb_pair_memory_forget)
#define nb_pair_memory_recall NB_REAL_NAME(nb_pair_memory_recall)

typedef struct nb_pair_memory {
    int64_t count, numbers;
    nb_set_pair *of; /* [count] in the order of nb_set_pairs */
    int64_t *first;  /* [count + 1] of a pair's unknowns; where p is from the centre of body a at the end of the step */
    double *x;       /* [numbers] */
    double length, speed; /* the units that they are in */
    int64_t of_capacity, first_capacity, x_capacity;
} nb_pair_memory; /* starts as all zeros, and remembers nothing */

/* The unknowns of all pairs as they are. */
nb_status nb_pair_memory_keep(nb_pair_memory *memory, const nb_pair_problem *problem);
/* Those of pair i, `more` added to what is in cones; 0: it is new, or has another form, or the units are others. */
int nb_pair_memory_recall(const nb_pair_memory *memory, const nb_pair_problem *problem, int32_t i, double more);
void nb_pair_memory_forget(nb_pair_memory *memory);

nb_status nb_pair_memory_save(const nb_pair_memory *memory, nb_stream *stream);
nb_status nb_pair_memory_load(nb_pair_memory *memory, nb_stream *stream);
void nb_pair_memory_clear(nb_pair_memory *memory);

#endif
