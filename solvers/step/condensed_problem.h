/* A step's problem with the rows of elements folded into the mass, for methods that know joints and contacts alone
 * (private to solvers/step). With e the rows of elements, c the others, linearised at the velocities u of an
 * evaluation, and g its momentum with the impulses z_c and none in e,
 *
 *     z_e = -E^-1 (value_e + J_e du),     H_e = H + J_e^T E^-1 J_e
 *     H_e du = J_c^T dz_c - g - J_e^T E^-1 value_e,     D_e = J_c H_e^-1 J_c^T
 *
 * Rows of joints and contacts with this D_e, whose entries are made (a solve with the factor of H_e a row), are a
 * problem like those of files; and one that is not linear, as moving geometry is not: elements are linearised anew
 * wherever the method evaluates it. Where that does not come to an end, H takes geometric stiffness of particles.
 * `whole` of it is the step's own problem, whose impulses of elements follow wherever the method asks for velocities,
 * so that the harness measures all rows.
 *
 * solvers/condensed.h has the algebra. */
#ifndef NB_STEP_CONDENSED_PROBLEM_H
#define NB_STEP_CONDENSED_PROBLEM_H

#include "constraint/problem.h"

#define nb_condensed_problem NB_REAL_NAME(nb_condensed_problem)
#define nb_condensed_problem_make NB_REAL_NAME(nb_condensed_problem_make)
#define nb_condensed_problem_of NB_REAL_NAME(nb_condensed_problem_of)
#define nb_condensed_problem_destroy NB_REAL_NAME(nb_condensed_problem_destroy)
#define nb_has_elements NB_REAL_NAME(nb_has_elements)

typedef struct nb_condensed_problem nb_condensed_problem;

/* whether rows of the problem are of elements */
int nb_has_elements(const nb_problem *problem);

/* The problem of the step as its rows are now, which is borrowed; *condensed is NULL, or one of an earlier step, whose
 * analysis of H_e is kept where the elements are the same. NB_ERROR_UNSUPPORTED where rows other than these stand
 * behind the contacts, or an element's compliance has no inverse. */
nb_status nb_condensed_problem_make(nb_problem *whole, nb_condensed_problem **condensed);
void nb_condensed_problem_destroy(nb_condensed_problem *condensed); /* NULL allowed */

nb_problem *nb_condensed_problem_of(nb_condensed_problem *condensed);

#endif
