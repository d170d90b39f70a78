/* What the Newton matrix of a step leaves out where contacts are found at the iterate: how their normals, tangents,
 * points and gaps move with the bodies (private to methods). */
#ifndef NB_PENALTY_BASIS_H
#define NB_PENALTY_BASIS_H

#include "penalty_change.h"

#define nb_penalty_basis NB_REAL_NAME(nb_penalty_basis)
#define nb_penalty_basis_clear NB_REAL_NAME(nb_penalty_basis_clear)
#define nb_penalty_basis_find NB_REAL_NAME(nb_penalty_basis_find)

typedef struct nb_penalty_basis {
    nb_penalty_change *change; /* [count] by_velocity: what is left out of d(J^T z)/du */
    int32_t count;
    nb_body *end;
    nb_body_turn *turn;
    double *u;
    int64_t capacity[4];
} nb_penalty_basis; /* starts as all zeros */

void nb_penalty_basis_clear(nb_penalty_basis *basis);

/* Of the contacts of bodies that push, at the problem's iterate; those whose features have no derivative are passed
 * over. `t` [9] of block i from place[i] on (nb_penalty_rows_slopes). */
nb_status nb_penalty_basis_find(nb_penalty_basis *basis, const nb_penalty_rows *rows, nb_problem *problem,
                                const int64_t *place, const double *t);

#endif
