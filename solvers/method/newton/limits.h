/* Tisseur's bounds on what Newton's method can reach in this precision (paper, section 10.5, eq. (91), (92)); private
 * to solvers.
 *
 * They are stated for the unknown x = diag(A) y, impulses in velocity units, so that the residual A' x (A' = A
 * diag(A)^-1) and the step are in m/s like the curves they stand beside, and neither differences of mass nor the
 * friction compliance, which grows without bound as a contact opens, enter the norms:
 *
 *     |r| >= ||A'|| |x| delta,    |dx| >= ||A'^-1|| delta |r| + |x| delta     (largest norm; delta: machine epsilon) */
#ifndef NB_NEWTON_LIMITS_H
#define NB_NEWTON_LIMITS_H

#include "method.h"

enum {
    NB_LIMITS_MOST_ROWS = 4096 /* rows; for a larger system there are no bounds */
};

#define nb_limits_compute NB_REAL_NAME(nb_limits_compute)

/* From the system assembled at the last iterate, by a dense inverse: systems above 4096 rows, or singular ones, give
 * NaN. Writes the norms to *outcome and the bounds to *limit_residual and *limit_step, where there are any; `residual`
 * is |r|. */
nb_status nb_limits_compute(nb_system *system, const nb_problem *p, double residual, nb_step_outcome *outcome,
                            double *limit_residual, double *limit_step);

#endif
