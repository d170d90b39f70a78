/* A system over nodes, seen from the nodes: the matrix B of its primal form (operator/primal.h), as LU libraries read
 * one (private to solvers/precond). The shift bounds T: rows without C and K are eliminated as if they gave way a
 * little. */
#ifndef NB_PRECOND_OVER_NODES_H
#define NB_PRECOND_OVER_NODES_H

#include "linear/lu.h"
#include "operator/primal.h"

#define nb_over_nodes NB_REAL_NAME(nb_over_nodes)
#define nb_over_nodes_set_pattern NB_REAL_NAME(nb_over_nodes_set_pattern)
#define nb_over_nodes_set_values NB_REAL_NAME(nb_over_nodes_set_values)
#define nb_over_nodes_clear NB_REAL_NAME(nb_over_nodes_clear)

typedef struct nb_over_nodes {
    nb_primal primal;
    nb_lu_matrix matrix; /* B, of the nodes that rows act on */
} nb_over_nodes;

/* For a system whose source fits (nb_primal_fits). Only this allocates; *over is zero, or was filled before. The caller
 * clears it, on a fault too. */
nb_status nb_over_nodes_set_pattern(nb_over_nodes *over, const nb_system *system);
/* T and B; `shift` is relative to the diagonal of S D S. */
void nb_over_nodes_set_values(nb_over_nodes *over, const nb_system *system, double shift);
void nb_over_nodes_clear(nb_over_nodes *over);

#endif
