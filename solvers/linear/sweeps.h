/* When Jacobi and Gauss-Seidel stop (private to solvers/linear): at a tolerance on the residual that they compute
 * anyway. In the true norm b - A x is formed before that is believed. */
#ifndef NB_LINEAR_SWEEPS_H
#define NB_LINEAR_SWEEPS_H

#include "base/interrupt.h"
#include "linear/stops.h"
#include "linear_solver.h"

#define nb_iteration NB_REAL_NAME(nb_iteration)
#define nb_iteration_begin NB_REAL_NAME(nb_iteration_begin)
#define nb_iteration_stops NB_REAL_NAME(nb_iteration_stops)
#define nb_iteration_report NB_REAL_NAME(nb_iteration_report)

typedef struct nb_iteration {
    const nb_linear_request *request;
    nb_linear_outcome *outcome;
    const real *x;
    double start;                           /* squared norm that residuals are relative to */
    double tiny;                            /* relative size of a residual that is round-off */
    double factor;                          /* of the residual in truth over the one that was met, when last formed */
    double (*residual)(const void *solver); /* forms b - A x; returns its squared norm. NULL: what is met is believed */
    const void *solver;
} nb_iteration;

static inline nb_iteration nb_iteration_begin(const nb_linear_request *request, nb_linear_outcome *outcome,
                                              const real *x) {
    return (nb_iteration){
        .request = request, .outcome = outcome, .x = x, .tiny = NB_REAL_BITS == 32 ? 1e-6 : 1e-12, .factor = 1};
}

/* After a sweep whose residual was `weighted` squared, in the norm that the tolerance is of; sets the reason. Where a
 * residual is not in truth what was met, the next one is formed when that factor says so: seldom, as they fall alike.
 */
static inline int nb_iteration_stops(nb_iteration *it, double weighted) {
    nb_linear_outcome *outcome = it->outcome;
    double tolerance = it->request->stop.tolerance;
    int32_t most = it->request->stop.iterations;
    outcome->reason = nb_stops_at_sweep(it->start, tolerance, it->factor * weighted, outcome->iterations, most);
    if (it->residual && outcome->reason == NB_REASON_CONVERGED && it->start > 0) {
        double formed = it->residual(it->solver);
        if (weighted > 0) it->factor = formed / weighted;
        outcome->reason = nb_stops_at_sweep(it->start, tolerance, formed, outcome->iterations, most);
        /* what is left is in rows that sweeps leave alone, or rounding */
        if (outcome->reason == NB_REASON_NONE && weighted <= it->tiny * it->tiny * it->start)
            outcome->reason = NB_REASON_STAGNATED;
    }
    return outcome->reason != NB_REASON_NONE || nb_interrupt_requested();
}

static inline void nb_iteration_report(const nb_iteration *it) {
    if (it->request->monitor) it->request->monitor(it->request->monitor_context, it->outcome->iterations, it->x);
}

#endif
