/* A mass that couples nodes (operator/mass.h): H is a sparse matrix, such as M + h^2 K of elastic bodies, with a factor
 * by CHOLMOD. It has no blocks. What is made with it is for sources that go by nb_sum_class_for (operator/sum.h).
 *
 * CHOLMOD computes in double: H is kept and H^-1 applied in double in f32 as well. What elements make of the motions
 * that they do not resist is a difference of large numbers, which f32 would lose. */
#ifndef NB_SOLVERS_SPARSE_MASS_H
#define NB_SOLVERS_SPARSE_MASS_H

#include "operator/mass.h"

#define nb_sparse_mass_class NB_REAL_NAME(nb_sparse_mass_class)
#define nb_sparse_mass_create NB_REAL_NAME(nb_sparse_mass_create)
#define nb_sparse_mass_make NB_REAL_NAME(nb_sparse_mass_make)
#define nb_sparse_mass_set_values NB_REAL_NAME(nb_sparse_mass_set_values)
#define nb_sparse_mass_solve NB_REAL_NAME(nb_sparse_mass_solve)
#define nb_sparse_mass_factor_nonzeros NB_REAL_NAME(nb_sparse_mass_factor_nonzeros)
#define nb_sparse_mass_destroy NB_REAL_NAME(nb_sparse_mass_destroy)

extern const nb_mass_class nb_sparse_mass_class;

/* A mass over `nodes`, which like `moves` [nodes] stays the caller's for as long. `h` is over all velocities
 * (nodes->velocity), symmetric, with both triangles and ascending columns, and is copied but for the rows and columns
 * of nodes without mass: those velocities are prescribed. NB_ERROR_NUMERIC where what is left is not positive definite.
 */
nb_status nb_sparse_mass_create(const nb_nodes *nodes, const uint8_t *moves, const nb_csr_f64 *h, nb_mass **mass);

/* The same without values, which nb_sparse_mass_set_values is to give it before it is used: a new mass where *mass is
 * NULL, else that one, whose order and analysis are kept where nodes with mass and pattern are what they were. After a
 * fault *mass can only be destroyed. */
nb_status nb_sparse_mass_make(const nb_nodes *nodes, const uint8_t *moves, const nb_csr_f64 *h, nb_mass **mass);

/* Takes other values; `h` has the pattern of the one that the mass was created with. After a fault the mass can only be
 * destroyed, or given values again. */
nb_status nb_sparse_mass_set_values(nb_mass *mass, const nb_csr_f64 *h);

/* x = H^-1 x, over the velocities of nodes with mass in their order, in double */
void nb_sparse_mass_solve(const nb_mass *mass, double *x);

int64_t nb_sparse_mass_factor_nonzeros(const nb_mass *mass);

void nb_sparse_mass_destroy(nb_mass *mass); /* NULL allowed */

#endif
