/* Preconditioned conjugate residuals (Saad 2003; paper, section 8.2): each iterate minimises the residual in the norm of
 * the preconditioner over the Krylov space, so that the norm sqrt(r . P r) never grows. */
#include <tgmath.h>

#include "base/memory.h"
#include "linear_solver.h"
#include "linear/pcr.h"

typedef struct pcr {
    void *slab;
    int64_t capacity;
} pcr;

static nb_status pcr_create(const double *values, void **state) {
    (void)values;
    pcr *s;
    nb_status status = NB_ALLOCATE(1, &s);
    *state = s;
    return status;
}

static nb_status pcr_set_up_pattern(void *state, nb_system *system) {
    pcr *s = state;
    int64_t words = 6 * (int64_t)((system->rows + 15) / 16 * 16);
    if (s->slab && words <= s->capacity) return NB_OK;
    nb_free(s->slab);
    s->slab = NULL;
    s->capacity = words;
    return nb_allocate(words, sizeof(real), &s->slab);
}

static nb_status pcr_set_up_values(void *state, nb_system *system, nb_linear_outcome *outcome) {
    (void)state;
    (void)system;
    (void)outcome;
    return NB_OK;
}

static double dot(int32_t n, const real *x, const real *y) {
    double sum = 0;
    for (int32_t i = 0; i < n; i++) sum += (double)x[i] * (double)y[i];
    return sum;
}

static nb_status pcr_solve(void *state, nb_system *system, const nb_linear_request *request, real *x,
                           nb_linear_outcome *outcome) {
    pcr *s = state;
    int32_t n = system->rows;
    int64_t stride = (n + 15) / 16 * 16;
    real *r = s->slab, *z = r + stride, *p = z + stride, *az = p + stride, *ap = az + stride, *q = ap + stride;
    const nb_preconditioner_class *pre = request->preconditioner;
    for (int32_t i = 0; i < n; i++) r[i] = system->b[i];
    pre->apply(request->preconditioner_state, r, z);
    nb_system_apply(system, z, az);
    for (int32_t i = 0; i < n; i++) p[i] = z[i], ap[i] = az[i];
    double rho = dot(n, z, az), weighted = dot(n, r, z), start = weighted;
    double floor = 16.0 * (double)NB_REAL_EPSILON;
    if (request->monitor) request->monitor(request->monitor_context, 0, x);
    outcome->reason = NB_REASON_ITERATIONS;
    if (!(start > 0)) outcome->reason = NB_REASON_CONVERGED;
    while (outcome->reason == NB_REASON_ITERATIONS && outcome->iterations < request->iterations) {
        pre->apply(request->preconditioner_state, ap, q);
        double curvature = dot(n, ap, q);
        if (!(rho > 0) || !(curvature > 0)) {
            outcome->reason = rho < -floor * start ? NB_REASON_INDEFINITE : NB_REASON_ROUND_OFF;
            break;
        }
        real alpha = (real)(rho / curvature);
        for (int32_t i = 0; i < n; i++) {
            x[i] += alpha * p[i];
            r[i] -= alpha * ap[i];
            z[i] -= alpha * q[i];
        }
        nb_system_apply(system, z, az);
        double next = dot(n, z, az);
        weighted = dot(n, r, z);
        real beta = (real)(next / rho);
        rho = next;
        for (int32_t i = 0; i < n; i++) {
            p[i] = z[i] + beta * p[i];
            ap[i] = az[i] + beta * ap[i];
        }
        outcome->iterations++;
        if (request->monitor) request->monitor(request->monitor_context, outcome->iterations, x);
        if (weighted <= request->tolerance * request->tolerance * start) outcome->reason = NB_REASON_CONVERGED;
        else if (weighted <= floor * floor * start) outcome->reason = NB_REASON_ROUND_OFF;
    }
    return NB_OK;
}

static void pcr_destroy(void *state) {
    pcr *s = state;
    if (s) nb_free(s->slab);
    nb_free(s);
}

const nb_linear_solver_class nb_pcr = {
    .name = "pcr", .summary = "preconditioned conjugate residuals", .takes_preconditioner = 1, .create = pcr_create,
    .set_up_pattern = pcr_set_up_pattern, .set_up_values = pcr_set_up_values, .solve = pcr_solve, .destroy = pcr_destroy};
