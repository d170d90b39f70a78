/* Whether a relaxed law of friction has no solution, asked by methods that have not found one (private to
 * solvers). Sweeps of psor on the same problem show it, as their impulses then grow along a proof (projected.h,
 * recession.c). */
#ifndef NB_PROJECTED_RECESSION_H
#define NB_PROJECTED_RECESSION_H

#include "method.h"

#define nb_recession_search NB_REAL_NAME(nb_recession_search)

/* Where the step ends without a solution, and friction is relaxed: outcome->reason becomes infeasible if the problem,
 * as it is linearised at the iterate, has none. The iterate and its errors stay; its sweeps count as set-up. Takes
 * memory. */
nb_status nb_recession_search(nb_problem *problem, nb_measure *measure, const nb_method_settings *settings,
                              nb_step_outcome *outcome);

#endif
