/* Solves a linear system as it stands, for one right-hand side after the other, outside any Newton iteration. */
#ifndef NB_STEP_LINEAR_SYSTEM_H
#define NB_STEP_LINEAR_SYSTEM_H

#include "base/real.h"
#include "method.h"
#include "stored_system.h"

#define nb_linear_system NB_REAL_NAME(nb_linear_system)
#define nb_linear_system_create NB_REAL_NAME(nb_linear_system_create)
#define nb_linear_system_solve NB_REAL_NAME(nb_linear_system_solve)
#define nb_linear_system_destroy NB_REAL_NAME(nb_linear_system_destroy)
#define nb_linear_system_columns NB_REAL_NAME(nb_linear_system_columns)

/* What its reports hold besides the harness's numbers. */
extern const nb_columns nb_linear_system_columns;

/* A, to be solved with by the linear solver and preconditioner of `settings`; nothing is added to A, whose rows each
 * count as a block of their own. `settings` and `a` are borrowed until it is destroyed. `asymmetry` as in
 * linear_problem.h. NB_ERROR_INPUT where the precision cannot hold an entry; NB_ERROR_USAGE where A is not symmetric
 * and the solver or preconditioner takes symmetric ones only. */
nb_status nb_linear_system_create(const nb_method_settings *settings, const nb_csr_f64 *a, double asymmetry,
                                  void **system);
/* A x = b from x = 0; b and x [rows]. The first solve has the time of `create` as its assembly, and the set-up; later
 * ones use what is set up. The observer hears the linear iterations and two reports: that of the solve, and the state
 * after it, whose residuals are those of b - A x in double: of the system given, which f32 rounds before it solves it.
 * NB_ERROR_INPUT where the precision cannot hold an entry of b. */
nb_status nb_linear_system_solve(void *system, const double *b, const nb_observer *observer, nb_step_outcome *outcome,
                                 double *x);
void nb_linear_system_destroy(void *system); /* NULL allowed */

#endif
