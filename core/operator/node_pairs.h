/* Which nodes share a row block, and where the block of each pair of nodes stands in a matrix over their velocities:
 * the pattern of J^T T J for a T that is block diagonal over the row blocks, and of H.
 *
 * The nodes are listed in slots. A pair's block is as tall and as wide as its nodes have velocities; entry (a, b) of
 * the block of slots i and j is number  entry[i] + a length[i] + (place of j in row i) + b  of the matrix by rows. */
#ifndef NB_OPERATOR_NODE_PAIRS_H
#define NB_OPERATOR_NODE_PAIRS_H

#include "operator/system.h"

#define nb_node_pairs NB_REAL_NAME(nb_node_pairs)
#define nb_node_pairs_make NB_REAL_NAME(nb_node_pairs_make)
#define nb_node_pairs_couple NB_REAL_NAME(nb_node_pairs_couple)
#define nb_node_pairs_clear NB_REAL_NAME(nb_node_pairs_clear)
#define nb_node_pairs_has NB_REAL_NAME(nb_node_pairs_has)
#define nb_node_pairs_find NB_REAL_NAME(nb_node_pairs_find)
#define nb_node_pairs_add NB_REAL_NAME(nb_node_pairs_add)
#define nb_node_pairs_add_mass NB_REAL_NAME(nb_node_pairs_add_mass)
#define nb_node_pairs_csr NB_REAL_NAME(nb_node_pairs_csr)

typedef struct nb_node_pairs {
    int32_t nodes;       /* listed: slots */
    int32_t *node;       /* [nodes] */
    int32_t *slot;       /* [all nodes] of a node, or -1 */
    int32_t *row;        /* [nodes + 1] first row of each slot in the matrix; the last: all rows */
    int64_t *start;      /* [nodes + 1] */
    int32_t *neighbour;  /* [start[nodes]] the slots that share a block with each, itself one of them, ascending */
    int32_t *offset;     /* [start[nodes]] their places within a row: entries before them */
    int32_t *length;     /* [nodes] entries of each of a slot's rows */
    int64_t *entry;      /* [nodes + 1] first entry of a slot's first row; the last: all entries */
    int64_t *group_node; /* [groups + 1] */
    int32_t *group_slot; /* the slots of each group of blocks, in the order that block_jacobian has them in */
    int64_t *group_pair; /* [groups + 1] */
    int32_t *pair_place; /* n n numbers a group of n nodes: the place of slot k in the rows of slot i, by i; or -1 */
} nb_node_pairs;

/* Fills *pairs, which is zero, for a source that has block_nodes. `all` 1: every node with mass, in their order; 0:
 * those that rows act on, as blocks name them. `mass` is H over all velocities (mass.h) where it couples nodes, and all
 * are wanted then; else NULL. `couples` [groups]: only groups with 1 make pairs; NULL: all do. The caller clears it, on
 * a fault too. */
nb_status nb_node_pairs_make(nb_node_pairs *pairs, const nb_delassus *delassus, const nb_csr *mass, int all,
                             const uint8_t *couples);
/* The same nodes with the pairs of other groups. */
nb_status nb_node_pairs_couple(nb_node_pairs *pairs, const nb_delassus *delassus, const nb_csr *mass,
                               const uint8_t *couples);
void nb_node_pairs_clear(nb_node_pairs *pairs);

/* the place of slot j in the rows of slot i; -1 where it is no neighbour */
int32_t nb_node_pairs_find(const nb_node_pairs *pairs, int32_t i, int32_t j);

/* Whether all pairs of a group's nodes are there. */
int nb_node_pairs_has(const nb_node_pairs *pairs, int32_t group);

/* value += `sum` [columns][columns] of a group that they are made of, columns: the velocities of its nodes one after
 * the other */
void nb_node_pairs_add(const nb_node_pairs *pairs, int32_t group, const double *sum, double *value);

/* value += H: the `matrix` that the pairs were made with, or, where that is NULL, the blocks of `mass` */
void nb_node_pairs_add_mass(const nb_node_pairs *pairs, const nb_mass *mass, const nb_csr *matrix, double *value);

/* A new matrix with this pattern and values of zero; the caller destroys it. */
nb_status nb_node_pairs_csr(const nb_node_pairs *pairs, nb_csr **matrix);

/* velocities of a slot */
static inline int nb_node_pairs_width(const nb_node_pairs *pairs, int32_t slot) {
    return (int)(pairs->row[slot + 1] - pairs->row[slot]);
}

/* velocities of all nodes of a group: the columns of its blocks' Jacobians */
static inline int nb_node_pairs_columns(const nb_node_pairs *pairs, int32_t group) {
    int columns = 0;
    for (int64_t n = pairs->group_node[group]; n < pairs->group_node[group + 1]; n++)
        columns += nb_node_pairs_width(pairs, pairs->group_slot[n]);
    return columns;
}

#endif
