/* Geometric stiffness of particles on the diagonal of H, from how the rows' forces changed with the last step:
 *
 *     c_k = [(J(u_n+1) - J(u_n))^T z_n+1]_k / du_k,   H_kk = M_kk - min(0, c_k)
 *
 * with the step du that was taken. Zero in a first iteration, where du is about 0, and in what is no particle.
 *
 * Source: Macklin et al. 2019, eq. (71)-(74), with a minus before (M du) in (73): formulation.md. */
#ifndef NB_STEP_GEOMETRIC_STIFFNESS_H
#define NB_STEP_GEOMETRIC_STIFFNESS_H

#include "base/arena.h"
#include "base/real.h"
#include "constraint/problem.h"

#define nb_geometric_stiffness NB_REAL_NAME(nb_geometric_stiffness)
#define nb_geometric_stiffness_lay_out NB_REAL_NAME(nb_geometric_stiffness_lay_out)
#define nb_geometric_stiffness_leave NB_REAL_NAME(nb_geometric_stiffness_leave)
#define nb_geometric_stiffness_keep NB_REAL_NAME(nb_geometric_stiffness_keep)
#define nb_geometric_stiffness_update NB_REAL_NAME(nb_geometric_stiffness_update)

typedef struct nb_geometric_stiffness {
    int known;    /* 1: a step was taken, and the next three are of it */
    real *du;     /* [velocities] the step; the velocities before it, until it is taken */
    real *before; /* [velocities] J(u_n)^T z_n+1 */
    real *after;  /* [velocities] scratch */
} nb_geometric_stiffness;

void nb_geometric_stiffness_lay_out(nb_arena *a, const nb_problem *p, nb_geometric_stiffness *g);

/* Before the iterate moves on; when it has moved, with the rows as they were; and when rows have followed: H then is
 * brought up to date. */
void nb_geometric_stiffness_leave(nb_geometric_stiffness *g, const nb_problem *p);
void nb_geometric_stiffness_keep(nb_geometric_stiffness *g, const nb_problem *p);
void nb_geometric_stiffness_update(nb_geometric_stiffness *g, nb_problem *p);

#endif
