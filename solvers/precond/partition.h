/* A graph of blocks cut into connected parts of about one size, by METIS, which CHOLMOD carries: bisection upon
 * bisection (Karypis, Kumar 1998; private to solvers/precond). */
#ifndef NB_PRECOND_PARTITION_H
#define NB_PRECOND_PARTITION_H

#include "precond/block_graph.h"

#define nb_partition NB_REAL_NAME(nb_partition)
#define nb_partition_make NB_REAL_NAME(nb_partition_make)
#define nb_partition_clear NB_REAL_NAME(nb_partition_clear)

typedef struct nb_partition {
    int32_t parts;
    int32_t *start;  /* [parts + 1] */
    int32_t *member; /* [blocks] of each part, ascending */
    /* private */
    int32_t *place;
    int64_t start_capacity, member_capacity, place_capacity;
} nb_partition;

/* Parts of three quarters to one and a half times `size` blocks, about; one part of a smaller graph. NB_ERROR_MEMORY.
 * *partition is zero, or was filled before. The caller clears it, on a fault too. */
nb_status nb_partition_make(nb_partition *partition, const nb_block_graph *graph, int32_t size);
void nb_partition_clear(nb_partition *partition);

#endif
