/* Rows that a step has beside those of joints and contacts (nb_step_add_rows). */
#ifndef NB_CONSTRAINT_ADDED_ROWS_H
#define NB_CONSTRAINT_ADDED_ROWS_H

#include "base/real.h"
#include "constraint/problem.h"
#include "model/world.h"
#include "operator/pack.h"

#define nb_step_rows NB_REAL_NAME(nb_step_rows)

/* Rows of another make than joints and contacts: a pack over the nodes of the step, and the law of its blocks. */
typedef struct nb_step_rows nb_step_rows;
struct nb_step_rows {
    /* Over nb_step_problem(step)->nodes, which stay where they are. The step has as many rows as the pack has when it
     * begins; islands whose blocks a pack mixes are one. */
    const nb_pack *pack;
    const nb_law *law; /* whose blocks have as many rows */
    /* Brings the pack's Jacobians to where the nodes are after moving with at->u for `moved` seconds: 0 as the step
     * begins, then at->h. value [rows of the pack]: what the rows have there, over at->h */
    void (*evaluate)(nb_step_rows *rows, const nb_world *world, const nb_problem *at, double moved, real *value);
};

#endif
