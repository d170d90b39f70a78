/* The pattern of a matrix by blocks of rows: which blocks are coupled, and the sparse rows that this makes. */
#ifndef NB_BASE_BLOCK_PATTERN_H
#define NB_BASE_BLOCK_PATTERN_H

#include <stdint.h>

#include "base/status.h"

/* where couplings are named, in one pass to count and one to list them */
typedef struct nb_block_links {
    int64_t *start;
    int32_t *other; /* NULL while they are counted */
} nb_block_links;

/* Names the coupling of block j in the rows of block i. */
static inline void nb_block_link(nb_block_links *links, int32_t i, int32_t j) {
    if (links->other)
        links->other[links->start[i + 1]++] = j;
    else
        links->start[i + 2]++;
}

/* Fills *start [count + 1] and *other [start[count]]: the blocks that each is coupled with, itself among them,
 * ascending, each once. `list` names couplings, the same in each of two calls, in any order and any number of times.
 * The caller frees both, on a fault too. */
nb_status nb_block_pattern_make(int32_t count, void (*list)(const void *of, nb_block_links *links), const void *of,
                                int64_t **start, int32_t **other);

/* entries of the matrix, whose block i has the rows row[i] to row[i + 1] - 1 */
int64_t nb_block_pattern_entries(int32_t count, const int32_t *row, const int64_t *start, const int32_t *other);

/* The matrix by rows: row_start [rows + 1], column [entries]. */
void nb_block_pattern_expand(int32_t count, const int32_t *row, const int64_t *start, const int32_t *other,
                             int64_t *row_start, int32_t *column);

#endif
