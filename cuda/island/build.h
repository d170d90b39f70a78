/* Islands for the kernel (view.h) from a step that was begun, and their outcome back into its problem. */
#ifndef NB_ISLAND_BUILD_H
#define NB_ISLAND_BUILD_H

#include "base/arena.h"
#include "constraint/step.h"
#include "island/view.h"

#define nb_island_set NB_REAL_NAME(nb_island_set)
#define nb_island_set_build NB_REAL_NAME(nb_island_set_build)
#define nb_island_set_clear NB_REAL_NAME(nb_island_set_clear)
#define nb_island_set_take NB_REAL_NAME(nb_island_set_take)
#define nb_island_place NB_REAL_NAME(nb_island_place)

/* The islands of a step, or the whole step as one. Bodies on their own are taken together, some hundred
 * to an island without elements. */
typedef struct nb_island_set {
    int32_t count, most_threads;
    int64_t shared_bytes; /* of the island that needs most */
    nb_island *islands;   /* [count] */
    char *given, *made;   /* all their arrays, one island after the other: what the kernel takes, and what it makes */
    int64_t given_bytes, made_bytes;
    int32_t iterations; /* reports of each island */
    int history;
} nb_island_set;

/* Takes over the problem's present iterate (u, z); `history`: every iterate is kept, else the last. `by_island`: an
 * island each; else one for all rows. `relaxes`: with an order of sweeps, for Gauss-Seidel. `frozen`: the rows of
 * joints stay. NB_ERROR_UNSUPPORTED where one has more elements than a block has threads. The caller clears *set, also
 * after a fault. */
nb_status nb_island_set_build(nb_step *step, int by_island, int frozen, int32_t newton_iterations, int history,
                              int relaxes, nb_island_set *set);
void nb_island_set_clear(nb_island_set *set);

/* The iterate after Newton iteration `iteration` (of the history), or with -1 the last one, into the problem. */
void nb_island_set_take(const nb_island_set *set, int32_t iteration, nb_problem *problem);

/* Places the arrays of an island, whose counts are set, in the two arenas, of which it takes multiples of 256 bytes. */
void nb_island_place(nb_island *island, int32_t newton_iterations, int history, nb_arena *given, nb_arena *made);

#endif
