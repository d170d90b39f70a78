/* The pack of general blocks: 1 to NB_BLOCK_ROWS rows each, with an explicit Jacobian over 1 to NB_BLOCK_NODES nodes of
 * any kind, each named once. What elements of deformable bodies, and contacts with their nodes, are made of. */
#ifndef NB_OPERATOR_GENERAL_PACK_H
#define NB_OPERATOR_GENERAL_PACK_H

#include "operator/pack.h"

#define nb_general_pack NB_REAL_NAME(nb_general_pack)
#define nb_general_blocks NB_REAL_NAME(nb_general_blocks)
#define nb_general_pack_class NB_REAL_NAME(nb_general_pack_class)
#define nb_general_pack_of NB_REAL_NAME(nb_general_pack_of)
#define nb_general_pack_number NB_REAL_NAME(nb_general_pack_number)

/* The blocks' rows, nodes and numbers. A Jacobian is [rows][columns], columns: the velocities of the block's nodes one
 * after the other. */
typedef struct nb_general_blocks {
    const int32_t *row_start;   /* [blocks + 1] first row of each */
    const int32_t *node_start;  /* [blocks + 1] first of its nodes in `node` */
    const int32_t *node;        /* [node_start[blocks]]; blocks of a group name theirs in one order */
    const int64_t *value_start; /* [blocks + 1] first number of its Jacobian (nb_general_pack_number) */
    const real *value;          /* [value_start[blocks]] the Jacobians */
} nb_general_blocks;

typedef struct nb_general_pack {
    nb_pack base; /* first */
    nb_general_blocks of;
} nb_general_pack;

extern const nb_pack_class nb_general_pack_class;

/* Fills value_start [blocks + 1] for blocks with these rows and nodes; returns the length of `value`. */
int64_t nb_general_pack_number(const nb_nodes *nodes, int32_t blocks, const int32_t *row_start,
                               const int32_t *node_start, const int32_t *node, int64_t *value_start);

/* over arrays that the caller keeps */
nb_general_pack nb_general_pack_of(const nb_nodes *nodes, int32_t blocks, nb_general_blocks of);

#endif
