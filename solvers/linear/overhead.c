/* Does nothing: x = 0. What remains of a run's time is the harness's own. */
#include <stddef.h>

#include "linear_solver.h"

NB_PRECISIONS(f32, f64);

static nb_status create(const double *values, void **state) {
    (void)values;
    *state = NULL;
    return NB_OK;
}

static nb_status set_up_pattern(void *state, nb_system *system) {
    (void)state;
    (void)system;
    return NB_OK;
}

static nb_status set_up_values(void *state, nb_system *system, nb_linear_outcome *outcome) {
    (void)state;
    (void)system;
    (void)outcome;
    return NB_OK;
}

static nb_status solve(void *state, nb_system *system, const nb_linear_request *request, real *x,
                       nb_linear_outcome *outcome) {
    (void)state;
    (void)system;
    if (request->monitor) request->monitor(request->monitor_context, 0, x);
    outcome->reason = NB_REASON_ITERATIONS;
    return NB_OK;
}

static void destroy(void *state) {
    (void)state;
}

const nb_linear_solver_class NB_REAL_NAME(nb_overhead) = {
    .name = "overhead",
    .summary = "does nothing: measures the overhead of the harness",
    .direct = 1,
    .idle = 1,
    .takes_unsymmetric = 1,
    .on_devices = 1,
    .create = create,
    .set_up_pattern = set_up_pattern,
    .set_up_values = set_up_values,
    .solve = solve,
    .destroy = destroy,
};
