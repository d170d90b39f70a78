/* An order of sweeps in which neighbours in it may be taken at once: the groups of blocks (system.h) in colours, of
 * which no two of one colour act on each other. Greedy: group after group takes the first colour that none of those
 * before it, that it shares a node or an entry of A with, has. */
#ifndef NB_SYSTEM_COLOURING_H
#define NB_SYSTEM_COLOURING_H

#include "base/status.h"
#include "operator/system.h"

#define nb_colouring NB_REAL_NAME(nb_colouring)
#define nb_colouring_make NB_REAL_NAME(nb_colouring_make)
#define nb_colouring_over_nodes NB_REAL_NAME(nb_colouring_over_nodes)
#define nb_colouring_clear NB_REAL_NAME(nb_colouring_clear)

typedef struct nb_colouring {
    int32_t colours;
    int32_t *start;    /* [colours + 1] of each colour in `group` */
    int32_t *group;    /* [groups] by colour, ascending within one */
    int32_t *block;    /* [blocks] the same order, block by block */
    int64_t looked_at; /* over nodes: colours of neighbours that were looked at, which is what it took */
    /* private */
    int32_t *colour, *scratch;
    int64_t start_capacity, group_capacity, block_capacity, colour_capacity, scratch_capacity;
} nb_colouring;

/* For the system's pattern; over nodes without its entries. `colouring` is zero before the first call. */
nb_status nb_colouring_make(nb_system *system, nb_colouring *colouring);
/* The same for a source over nodes that H does not couple, which has no system yet. */
nb_status nb_colouring_over_nodes(const nb_delassus *delassus, nb_colouring *colouring);
void nb_colouring_clear(nb_colouring *colouring);

#endif
