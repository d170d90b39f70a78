/* Geometric stiffness of elements, the derivative of J in J^T z (private to methods): of a tetrahedron with F = U
 * diag(s) V^T and principal stresses q = dPsi/ds, for each pair (i, j) of directions,
 *
 *     V_0 (2 (q_j - q_i) p t + (q_i s_i + q_j s_j) t^2),   x = u_i . dF v_j,  y = u_j . dF v_i,
 *     t = (x - y)/(s_i + s_j) the turn,   p = x - s_j t the shear dS_ij
 *
 * and of a spring tension/length across it. Stress that is compression makes them indefinite: the square of t is then
 * taken so large that with the material's own stiffness 4 G p^2 the sum is not. Of the three rows of principal
 * stretches, which have no shear, 4 G p^2 is added. `exact` takes the whole as it is, and what a convex model
 * (elastic_law.h) makes of the material's stiffness back. Either changes how iterations converge, not where to. */
#ifndef NB_PENALTY_GEOMETRY_H
#define NB_PENALTY_GEOMETRY_H

#include "constraint/problem.h"
#include "model/world.h"

#define nb_penalty_geometry_elements NB_REAL_NAME(nb_penalty_geometry_elements)
#define nb_penalty_geometry_add NB_REAL_NAME(nb_penalty_geometry_add)

/* element [blocks of the problem]: tetrahedron i as 2 i, spring i as 2 i + 1, others as -1 */
void nb_penalty_geometry_elements(const nb_problem *problem, const nb_world *world, int32_t *element);

/* sum [3 nodes][3 nodes] += h^2 times that of `element` at the problem's iterate, which is exact or definite, over the
 * velocities of the nodes of its block that have mass */
void nb_penalty_geometry_add(const nb_problem *problem, const nb_world *world, int32_t element, int exact, int nodes,
                             const int32_t *node, double *sum);

#endif
