/* A linear solver to start from (solvers/README.md, "Adding a solver"). Preconditioned steepest descent: each step
 * minimizes the energy along the preconditioned residual. */
#include "base/interrupt.h"
#include "base/memory.h"
#include "linear_solver.h"

NB_PRECISIONS(f32, f64);

typedef struct descent {
    real *r, *z, *az; /* [rows] residual, preconditioned residual, and its image */
    int64_t r_capacity, z_capacity, az_capacity;
} descent;

static nb_status descent_create(const double *values, void **state) {
    (void)values; /* it has no options */
    return nb_allocate(1, sizeof(descent), state);
}

/* once for a new pattern: memory is taken here, never in solve */
static nb_status descent_set_up_pattern(void *state, nb_system *system) {
    descent *s = state;
    nb_status status;
    NB_TRY(NB_RESERVE(system->rows, &s->r_capacity, &s->r));
    NB_TRY(NB_RESERVE(system->rows, &s->z_capacity, &s->z));
    NB_TRY(NB_RESERVE(system->rows, &s->az_capacity, &s->az));
out:
    return status;
}

/* for new values: nothing to factorize */
static nb_status descent_set_up_values(void *state, nb_system *system, nb_linear_outcome *outcome) {
    (void)state, (void)system, (void)outcome;
    return NB_OK;
}

static double dot(int32_t n, const real *a, const real *b) {
    double sum = 0; /* in double in both precisions */
    for (int32_t i = 0; i < n; i++) sum += (double)a[i] * (double)b[i];
    return sum;
}

/* `square` = r . r, which was `start` at x = 0 */
static nb_reason why_stop(const nb_linear_request *request, int32_t iteration, double square, double start,
                          double curvature) {
    if (square <= request->stop.tolerance * request->stop.tolerance * start) return NB_REASON_CONVERGED;
    if (square <= (double)NB_REAL_EPSILON * (double)NB_REAL_EPSILON * start) return NB_REASON_ROUND_OFF;
    if (!(curvature > 0)) return NB_REASON_INDEFINITE;
    return iteration == request->stop.iterations ? NB_REASON_ITERATIONS : NB_REASON_NONE;
}

static nb_status descent_solve(void *state, nb_system *system, const nb_linear_request *request, real *x,
                               nb_linear_outcome *outcome) {
    descent *s = state;
    int32_t n = system->rows;
    double start = 0;
    for (int32_t i = 0; i < n; i++) s->r[i] = system->b[i]; /* x is zero on entry */
    for (int32_t k = 0;; k++) {
        if (request->monitor) request->monitor(request->monitor_context, k, x);
        request->preconditioner->apply(request->preconditioner_state, s->r, s->z);
        nb_system_apply(system, s->z, s->az); /* A z, without the entries of A */
        double rz = dot(n, s->r, s->z), curvature = dot(n, s->z, s->az), square = dot(n, s->r, s->r);
        if (k == 0) start = square;
        outcome->iterations = k;
        outcome->reason = why_stop(request, k, square, start, curvature);
        if (outcome->reason != NB_REASON_NONE || nb_interrupt_requested()) return NB_OK;
        real t = (real)(rz / curvature);
        for (int32_t i = 0; i < n; i++) {
            x[i] += t * s->z[i];
            s->r[i] -= t * s->az[i];
        }
    }
}

static void descent_destroy(void *state) {
    descent *s = state;
    if (!s) return;
    nb_free(s->r);
    nb_free(s->z);
    nb_free(s->az);
    nb_free(s);
}

const nb_linear_solver_class NB_REAL_NAME(nb_steepest_descent) = {
    .name = "steepest-descent",
    .summary = "preconditioned steepest descent",
    .takes_preconditioner = 1,
    .true_norm_only = 1, /* of its tolerance: the other norms of stop.h are refused */
    .create = descent_create,
    .set_up_pattern = descent_set_up_pattern,
    .set_up_values = descent_set_up_values,
    .solve = descent_solve,
    .destroy = descent_destroy,
};
