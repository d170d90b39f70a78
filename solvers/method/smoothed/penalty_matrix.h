/* The Newton matrix M + J^T T J, and the geometric stiffness of elements, over the velocities of all nodes with mass. T
 * has full blocks, which need have no inverse nor symmetry (penalty_rows.h): that of an open contact is 0. The pattern
 * is that of the primal form (operator/primal.h), which takes T^-1 in place of T. Dense rows that cavities add to M are
 * left out (penalty_cavities.h). Private to methods. */
#ifndef NB_PENALTY_MATRIX_H
#define NB_PENALTY_MATRIX_H

#include "constraint/problem.h"
#include "model/world.h"
#include "operator/node_pairs.h"
#include "penalty_basis.h"

#define nb_penalty_matrix NB_REAL_NAME(nb_penalty_matrix)
#define nb_penalty_matrix_make NB_REAL_NAME(nb_penalty_matrix_make)
#define nb_penalty_matrix_clear NB_REAL_NAME(nb_penalty_matrix_clear)
#define nb_penalty_matrix_assemble NB_REAL_NAME(nb_penalty_matrix_assemble)
#define nb_penalty_matrix_damp NB_REAL_NAME(nb_penalty_matrix_damp)
#define nb_penalty_matrix_spread NB_REAL_NAME(nb_penalty_matrix_spread)

typedef struct nb_penalty_matrix {
    nb_system *system; /* what linear solvers are given; NULL: no node has mass */
    real *x;           /* [system->rows] its unknowns, for the caller to fill */
    int64_t *place;    /* [blocks + 1] where each block of T begins */
    double *t;         /* [place[blocks]] T, each block by rows, for the caller to fill */
    int32_t *element;  /* [blocks] of nb_penalty_geometry_elements */
    int exact; /* for the caller to set: derivatives of elements and cavities as they are; 0: definite parts of them */
    const nb_penalty_basis *basis; /* of the next matrices; NULL: nothing */
    /* private */
    const nb_world *world;
    double *position; /* [particles][3] at the iterate; NULL: there are no cavities */
    nb_node_pairs pairs;
    nb_csr *mass;  /* H where it couples nodes, else NULL */
    double *value; /* entries: those of the matrix, or where they are narrower `wide` */
    double *wide;
    nb_csr *matrix;
    nb_delassus *delassus;
} nb_penalty_matrix;

/* Only this allocates: a matrix with the pattern of the problem, which is a step, in the place of what *m had. *m is
 * zero, or was made before; the caller clears it, on a fault too. */
nb_status nb_penalty_matrix_make(nb_penalty_matrix *m, nb_problem *problem, int symmetric);
void nb_penalty_matrix_clear(nb_penalty_matrix *m);

/* The entries (1 + damping) M + J^T T J, with the elements' geometric stiffness (penalty_geometry.h) and less what
 * m->basis has, from T and the problem's J as it is, and the right-hand side -g, g = problem->momentum. */
void nb_penalty_matrix_assemble(nb_penalty_matrix *m, const nb_problem *problem, double damping);

/* g += damping M u of all that has mass; `scratch` [2 nb_nodes_length] */
void nb_penalty_matrix_damp(const nb_penalty_matrix *m, nb_problem *problem, double damping, real *scratch);

/* du [velocities] from x; 0 of what has no mass */
void nb_penalty_matrix_spread(const nb_penalty_matrix *m, const nb_problem *problem, real *du);

#endif
