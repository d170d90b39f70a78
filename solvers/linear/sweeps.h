/* When Jacobi and Gauss-Seidel stop (private to solvers/linear): at a tolerance on the residual that they have at hand,
 * in the norm of the diagonal. */
#ifndef NB_LINEAR_SWEEPS_H
#define NB_LINEAR_SWEEPS_H

#include "linear/stops.h"
#include "linear_solver.h"

#define nb_iteration NB_REAL_NAME(nb_iteration)
#define nb_iteration_stops NB_REAL_NAME(nb_iteration_stops)
#define nb_iteration_tell NB_REAL_NAME(nb_iteration_tell)

typedef struct nb_iteration {
    const nb_linear_request *request;
    nb_linear_outcome *outcome;
    const real *x;
    double start;
} nb_iteration;

/* after a sweep whose residual, in the inverse diagonal's norm, was `weighted` squared; sets the reason */
static inline int nb_iteration_stops(nb_iteration *it, double weighted) {
    nb_linear_outcome *outcome = it->outcome;
    if (outcome->iterations == 0) it->start = weighted;
    outcome->reason = nb_stops_at_sweep(it->start, it->request->stop.tolerance, weighted, outcome->iterations,
                                        it->request->stop.iterations);
    return outcome->reason != NB_REASON_NONE;
}

static inline void nb_iteration_tell(const nb_iteration *it) {
    if (it->request->monitor) it->request->monitor(it->request->monitor_context, it->outcome->iterations, it->x);
}

#endif
