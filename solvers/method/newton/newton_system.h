/* The linear systems of the Newton method beside what laws fill in: K, regularisation, and the islands' shares. */
#ifndef NB_NEWTON_SYSTEM_H
#define NB_NEWTON_SYSTEM_H

#include "base/real.h"
#include "constraint/problem.h"
#include "linear_solver.h"
#include "method.h"
#include "operator/form.h"
#include "operator/system.h"

#define nb_newton_set_blocks NB_REAL_NAME(nb_newton_set_blocks)
#define nb_newton_check_laws NB_REAL_NAME(nb_newton_check_laws)
#define nb_newton_regularize NB_REAL_NAME(nb_newton_regularize)
#define nb_newton_copy_system NB_REAL_NAME(nb_newton_copy_system)
#define nb_newton_scatter_rows NB_REAL_NAME(nb_newton_scatter_rows)
#define nb_newton_solution_energy NB_REAL_NAME(nb_newton_solution_energy)
#define nb_newton_norms NB_REAL_NAME(nb_newton_norms)
#define nb_newton_residual NB_REAL_NAME(nb_newton_residual)

/* The energy norm of the system's solution, sqrt(|du|_H^2 + |y|_C^2) [sqrt(J)], which is the same in all forms: from
 * the solution `exact` of the form's system, or of `rows` itself where form is NULL. NaN where exact is NULL.
 * Overwrites du [velocities] and y [rows]; form->x and exact change places and back. */
double nb_newton_solution_energy(const nb_problem *p, const nb_system *rows, nb_form *form, real *exact, real *du,
                                 real *y);

/* Gives the system a symmetric K where a law of the problem has full blocks. */
nb_status nb_newton_set_blocks(const nb_problem *p, nb_system *system);

/* C += eps diag(A), or eps itself [1/kg], eq. (59) and section 8.4; the former not beyond round-off in rows that have
 * full blocks of compliance. */
void nb_newton_regularize(const nb_problem *p, real eps, int absolute, nb_system *system);

/* An island's share `own` of the system over all rows, whose part of the problem's ranges these are; and its unknowns
 * back among those of all rows. */
void nb_newton_copy_system(const nb_problem *p, const nb_law_range *ranges, const nb_system *whole, nb_system *own);
void nb_newton_scatter_rows(const nb_problem *p, const nb_law_range *ranges, const real *own, real *whole);

/* of its right-hand side, the residual of the iterate: the largest entry, and the 2-norm */
void nb_newton_norms(const nb_system *system, double *linf, double *l2);

/* The 2-norm of the problem's momentum g [N s, N m s] and the laws' residual h, which b holds before the momentum's
 * part is added to it; numbers of two units, as the paper adds them. A problem file has no g. */
double nb_newton_residual(const nb_problem *p, const nb_system *system);

/* NB_ERROR_UNSUPPORTED, by name, where a law of the problem has no Newton system. */
nb_status nb_newton_check_laws(const nb_problem *problem);

#endif
