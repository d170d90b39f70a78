/* The matrix over the velocities of bodies that pairs of convex sets leave (pair_state.h), 6 x 6 blocks between
 * bodies that move, as a system of the harness (private to solvers/method/single_level). */
#ifndef NB_SINGLE_LEVEL_PAIR_MATRIX_H
#define NB_SINGLE_LEVEL_PAIR_MATRIX_H

#include "method.h"
#include "pair_state.h"

#define nb_pair_matrix_make NB_REAL_NAME(nb_pair_matrix_make)
#define nb_pair_matrix_begin NB_REAL_NAME(nb_pair_matrix_begin)
#define nb_pair_matrix_add NB_REAL_NAME(nb_pair_matrix_add)
#define nb_pair_matrix_end NB_REAL_NAME(nb_pair_matrix_end)
#define nb_pair_matrix_begin_side NB_REAL_NAME(nb_pair_matrix_begin_side)
#define nb_pair_matrix_add_side NB_REAL_NAME(nb_pair_matrix_add_side)
#define nb_pair_matrix_solve NB_REAL_NAME(nb_pair_matrix_solve)
#define nb_pair_matrix_drop NB_REAL_NAME(nb_pair_matrix_drop)

/* The pattern for the problem's pairs; the system stays where it has not changed. */
nb_status nb_pair_matrix_make(nb_pair_problem *problem);
/* The values: those of bodies; of pair i, right after it is eliminated; those of joints. */
void nb_pair_matrix_begin(nb_pair_problem *problem);
void nb_pair_matrix_add(nb_pair_problem *problem, int32_t i);
void nb_pair_matrix_end(nb_pair_problem *problem);
/* The right-hand side for the residuals of bodies and joints; what pair i leaves of its own. */
void nb_pair_matrix_begin_side(nb_pair_problem *problem);
void nb_pair_matrix_add_side(nb_pair_problem *problem, int32_t i, const double *left);
/* The solution, in du. */
nb_status nb_pair_matrix_solve(nb_pair_problem *problem, const nb_method_settings *settings,
                               const nb_observer *observer, int *solved);
void nb_pair_matrix_drop(nb_pair_problem *problem);

#endif
