/* Orders of elimination for the blocks of a system (private to solvers/precond).
 *
 * Cuthill, McKee 1969, "Reducing the bandwidth of sparse symmetric matrices"; Amestoy, Davis, Duff 1996, "An
 * approximate minimum degree ordering algorithm"; Karypis, Kumar 1998 (METIS), the last two by CHOLMOD. */
#ifndef NB_PRECOND_BLOCK_ORDER_H
#define NB_PRECOND_BLOCK_ORDER_H

#include "precond/block_graph.h"

#define nb_block_order_make NB_REAL_NAME(nb_block_order_make)

enum {
    NB_BLOCK_NATURAL, /* as the system has them */
    NB_BLOCK_RCM,     /* reverse Cuthill-McKee */
    NB_BLOCK_AMD,     /* approximate minimum degree */
    NB_BLOCK_NESTED   /* nested dissection */
};

/* the choices of an option, in the order of the numbers above */
#define NB_BLOCK_ORDERS                                                                                               \
    {                                                                                                                 \
        [NB_BLOCK_NATURAL] = "natural", [NB_BLOCK_RCM] = "rcm", [NB_BLOCK_AMD] = "amd", [NB_BLOCK_NESTED] = "nested", \
        NULL                                                                                                          \
    }

/* order [blocks]: the block of each place; position [blocks]: its inverse; scratch [blocks]. NB_ERROR_MEMORY. */
nb_status nb_block_order_make(const nb_block_graph *graph, int kind, int32_t *order, int32_t *position,
                              int64_t *scratch);

#endif
