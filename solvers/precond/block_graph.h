/* The blocks of a system's rows (operator/system.h) as a graph: which of them meet in A, and their entries as small
 * dense matrices (private to solvers/precond). Of the stiffness form, blocks are nodes: bodies or particles. */
#ifndef NB_PRECOND_BLOCK_GRAPH_H
#define NB_PRECOND_BLOCK_GRAPH_H

#include "base/csr.h"
#include "operator/system.h"

#define nb_block_graph NB_REAL_NAME(nb_block_graph)
#define nb_block_graph_make NB_REAL_NAME(nb_block_graph_make)
#define nb_block_graph_widen NB_REAL_NAME(nb_block_graph_widen)
#define nb_block_graph_clear NB_REAL_NAME(nb_block_graph_clear)
#define nb_block_gather NB_REAL_NAME(nb_block_gather)

typedef struct nb_block_graph {
    int32_t count;        /* of blocks */
    int32_t widest;       /* rows of the largest one */
    const int32_t *first; /* [count + 1] first row of each; borrowed from the system's source */
    int64_t *start;       /* [count + 1] */
    int32_t *neighbour;   /* [start[count]] the others that each meets, ascending */
    /* private */
    int32_t *of_row, *seen;
    int64_t start_capacity, neighbour_capacity, of_row_capacity, seen_capacity;
} nb_block_graph;

/* The graph of `a`, the system's entries, whose pattern is symmetric; entries of zero count. *graph is zero, or was
 * filled before. The caller clears it, on a fault too. */
nb_status nb_block_graph_make(nb_block_graph *graph, const nb_system *system, const nb_csr *a);
/* Neighbours of neighbours become neighbours: the graph of A^2, where nothing cancels. */
nb_status nb_block_graph_widen(nb_block_graph *graph);
void nb_block_graph_clear(nb_block_graph *graph);

/* out [rows][columns] = the entries of `a` from (row, column) on; zero where it has none */
void nb_block_gather(const nb_csr *a, int32_t row, int32_t rows, int32_t column, int32_t columns, real *out);

#endif
