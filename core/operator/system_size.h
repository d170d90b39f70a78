/* How large a system is, and what a product with it takes, by count. */
#ifndef NB_OPERATOR_SYSTEM_SIZE_H
#define NB_OPERATOR_SYSTEM_SIZE_H

#include "operator/system.h"

#define nb_system_size_of NB_REAL_NAME(nb_system_size_of)
#define nb_system_entries_flops NB_REAL_NAME(nb_system_entries_flops)

typedef struct nb_system_size {
    double unknowns;
    /* Numbers that a product with A reads: the entries of A where A is a matrix, with C and K; where A is made of nodes
     * those of J, H^-1, C and K. NaN where H couples nodes: only its factor is known. */
    double nonzeros;
    double product_flops; /* additions and multiplications of a product: 2 an entry, of J 4, which is read twice */
} nb_system_size;

/* Additions and multiplications of making A's entries where a solver asks for them (nb_system_matrix), S apart: of
 * H^-1 J^T, and of every pair of rows that act on a node. 0 where A is a matrix; NaN where H couples nodes. */
double nb_system_entries_flops(const nb_system *system);

/* Of the system's present pattern; its entries are not made. Takes as long as a product, or less. */
nb_system_size nb_system_size_of(const nb_system *system);

#endif
