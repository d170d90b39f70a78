/* How large row blocks are at most. */
#ifndef NB_OPERATOR_BLOCK_H
#define NB_OPERATOR_BLOCK_H

#include "model/node.h"

enum {
    NB_BLOCK_ROWS = 6,                                 /* rows of a block */
    NB_BLOCK_NODES = 8,                                /* nodes that it names */
    NB_BLOCK_COLUMNS = NB_BLOCK_NODES * NB_NODE_WIDEST /* velocities of these */
};

#endif
