/* The matrix over the velocities of bodies that pairs of convex sets leave (pair_state.h), 6 x 6 blocks between
 * bodies that move, as a system of the harness (private to solvers/method). */
#ifndef NB_METHOD_PAIR_MATRIX_H
#define NB_METHOD_PAIR_MATRIX_H

#include "method.h"
#include "method/pair_state.h"

#define nb_pair_matrix_make NB_REAL_NAME(nb_pair_matrix_make)
#define nb_pair_matrix_fill NB_REAL_NAME(nb_pair_matrix_fill)
#define nb_pair_matrix_aim NB_REAL_NAME(nb_pair_matrix_aim)
#define nb_pair_matrix_solve NB_REAL_NAME(nb_pair_matrix_solve)
#define nb_pair_matrix_drop NB_REAL_NAME(nb_pair_matrix_drop)

/* The pattern for the problem's pairs; the system stays where it has not changed. */
nb_status nb_pair_matrix_make(nb_pair_problem *problem);
/* The values from pairs that are eliminated. */
void nb_pair_matrix_fill(nb_pair_problem *problem);
/* The right-hand side for the residuals of pairs and bodies, and its solution in du. */
void nb_pair_matrix_aim(nb_pair_problem *problem);
nb_status nb_pair_matrix_solve(nb_pair_problem *problem, const nb_method_settings *settings,
                               const nb_observer *observer, int *solved);
void nb_pair_matrix_drop(nb_pair_problem *problem);

#endif
