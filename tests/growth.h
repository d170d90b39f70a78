/* The growth distance of two convex sets: the least alpha at which both, scaled by it about their centres, have a point
 * in common (convex_set.h). It has no unit; alpha - 1 over the length of its gradient is a distance to first order, and
 * the distance itself of two balls, or of a ball and a half-space.
 *
 * Source: Ong and Gilbert, "Growth distances", 1996; Tracy, Howell, Manchester, "Differentiable collision detection for
 * a set of convex primitives", 2022; the gradient from the multipliers: Le Cleac'h et al., "Single-level differentiable
 * contact simulation", 2023, (15) and (41). */
#ifndef NB_TESTS_GROWTH_H
#define NB_TESTS_GROWTH_H

#include "base/status.h"
#include "cone_program.h"
#include "convex/convex_set.h"

/* a set, and where its body's frame is: a point r of it is at position + turn r */
typedef struct nb_placed_set {
    const nb_convex_set *set;
    nb_vec3 position;
    nb_quat turn;
} nb_placed_set;

typedef struct nb_growth {
    double alpha;
    nb_vec3 point; /* the point in common; where there are many, as of parallel faces, one amid them [m] */
    /* N_i = R_i A_i^T lambda_i, out of set i, not normalised; N_1 = -N_0 as near as the solution is [1/m] */
    nb_vec3 normal[2];
    /* d alpha by the place of frame i [1/m], then by a turn about that frame's origin [1/rad], both in the world */
    double gradient[2][6];
    const double *lambda[2], *epsilon[2]; /* [rows], [unknowns] of the sets; in the workspace, until its next use */
    double gap;                           /* alpha is at most so far above the least */
    int32_t iterations;
} nb_growth;

/* memory of solutions; starts as all zeros */
typedef struct nb_growth_workspace {
    nb_cone_program program;
} nb_growth_workspace;

/* a tolerance of the gap that leaves to round-off what is its own */
#define NB_GROWTH_TOLERANCE 1e-12

/* Solves for the pair to a gap of `tolerance`. NB_ERROR_INPUT where a set does not have its centre inside (an empty
 * set, one without interior), or where neither is bounded (two half-spaces): these have no growth distance.
 * NB_ERROR_NUMERIC where round-off keeps it from 1e-7. */
nb_status nb_growth_solve(const nb_placed_set pair[2], double tolerance, nb_growth_workspace *workspace,
                          nb_growth *growth);

/* (alpha - 1) / |N| [m]; NB_ERROR_INPUT where the centres lie in one place (or a centre in a half-space): alpha is 0
 * there, and no direction parts the sets. */
nb_status nb_growth_metres(const nb_growth *growth, double *metres);

void nb_growth_workspace_clear(nb_growth_workspace *workspace);

#endif
