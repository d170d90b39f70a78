/* The last digits of an island whose contacts are linear in the step: semismooth Newton on the natural map, then a
 * proximal point (private to solvers/method/interior_point).
 *
 * The equations and the rules are those of semismooth.h and interior_point.c, in the variables of island_loop.h.
 * Impulses are the unknowns; velocities are those of the impulses, so that momentum is balanced. The block of a contact
 * is
 *
 *     K = (N H + eps + shift)^-1 = G + G e_N (t . H G)/(1 - t . H G e_N),    G = (H + eps + shift)^-1
 *
 * (Sherman, Morrison; the denominator is at least 1/2), with G by eigenvalues. Those of H span 18 decades, in which
 * cofactors lose those that sliding contacts go by. */
#ifndef NB_INTERIOR_POINT_ISLAND_POLISH_H
#define NB_INTERIOR_POINT_ISLAND_POLISH_H

#include "island_loop.h"

/* Begins at the impulses of an island that has ended, to go on to polish.tolerance until the island has made
 * polish.most iterations, or polish.sure where its least error is above 1e4 tolerances by then. An island that is
 * solved there has ended again. */
void nb_island_polish_begin(nb_island *island);

/* One iteration, with one factorisation, of an island that has not `ended`. At the end it has its best impulses. */
void nb_island_polish_iterate(nb_island *island);

/* A contact's inverse (N H + C + diagonal)^-1, H = (V^-1 - 1)/rho, and right-hand side -N V^-1 F/rho, from x, v in `y`
 * and F in `residual`. */
void nb_island_polish_eliminate(nb_island_lane contact, double rho, double diagonal);

#endif
