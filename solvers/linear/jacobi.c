/* Jacobi relaxation (plain, damped, l1) on the operator.
 *
 * Plain Jacobi diverges on contact scenes; what engines use is damped or l1-Jacobi (Baker, Falgout, Kolev, Yang 2011),
 * whose diagonal d_i = sum_j |a_ij| makes it converge on every symmetric positive definite system. */
#include <tgmath.h>

#include "base/memory.h"
#include "linear/sweeps.h"
#include "linear/vector_backend.h"
#include "linear_solver.h"

NB_PRECISIONS(f32, f64);

enum {
    PLAIN,
    DAMPED,
    L1
};

enum { /* vectors of the backend */
    SOLUTION,
    RESIDUAL,
    PRODUCT,
    VECTORS
};

static const char *const variants[] = {[PLAIN] = "plain", [DAMPED] = "damped", [L1] = "l1", NULL};

static const nb_option jacobi_options[] = {
    {"variant", "1", L1, 0, 0, 0, variants,
     "plain, damped by omega, or with the l1 row sums as diagonal, which never diverges"},
    {"omega", "1", 0.3, 1e-6, 2, 0, NULL, "damping factor of the damped variant"},
};

static const char *jacobi_why_ignored(const double *values, int i) {
    static const char *const why[] = {[PLAIN] = "variant plain", [L1] = "variant l1", [DAMPED] = NULL};
    return i == 1 ? why[(int)values[0]] : NULL;
}

typedef struct jacobi {
    int variant;
    real omega;
    nb_vector_backend *backend;
    real *inverse; /* [rows] omega / d */
    int64_t inverse_capacity;
    const nb_system *system; /* while a solve runs */
} jacobi;

static void jacobi_destroy(void *state) {
    jacobi *j = state;
    if (!j) return;
    nb_vector_backend_destroy(j->backend);
    nb_free(j->inverse);
    nb_free(j);
}

static nb_status jacobi_create(const double *values, void **state) {
    nb_status status;
    jacobi *j = NULL;
    NB_TRY(NB_ALLOCATE(1, &j));
    j->variant = (int)values[0];
    j->omega = j->variant == DAMPED ? (real)values[1] : 1;
    NB_TRY(nb_vector_backend_create(&j->backend));
out:
    if (status != NB_OK) {
        jacobi_destroy(j);
        j = NULL;
    }
    *state = j;
    return status;
}

static nb_status jacobi_set_up_pattern(void *state, nb_system *system) {
    jacobi *j = state;
    nb_status status;
    NB_TRY(nb_vector_backend_set_pattern(j->backend, system));
    NB_TRY(NB_RESERVE(system->rows, &j->inverse_capacity, &j->inverse));
    NB_TRY(nb_vector_backend_set_vectors(j->backend, VECTORS));
out:
    return status;
}

static nb_status jacobi_set_up_values(void *state, nb_system *system, nb_linear_outcome *outcome) {
    jacobi *j = state;
    (void)outcome;
    nb_status status = nb_vector_backend_set_values(j->backend);
    if (status != NB_OK) return status;
    nb_system_diagonal(system, j->inverse);
    if (j->variant == L1) {
        const nb_csr *a;
        status = nb_system_matrix(system, &a);
        if (status != NB_OK) return status;
        for (int32_t i = 0; i < system->rows; i++) {
            j->inverse[i] = 0;
            for (int64_t k = a->start[i]; k < a->start[i + 1]; k++) j->inverse[i] += fabs(a->value[k]);
        }
    }
    /* a row without anything on its diagonal is left alone */
    for (int32_t i = 0; i < system->rows; i++) j->inverse[i] = j->inverse[i] > 0 ? j->omega / j->inverse[i] : 0;
    return NB_OK;
}

static const real *jacobi_diagonal(const void *state) {
    return ((const jacobi *)state)->inverse;
}

static double square(const jacobi *j, nb_linear_norm norm, const storage *r) {
    if (norm == NB_NORM_NATURAL) return nb_vector_backend_dot(j->backend, r, r);
    double size = nb_vector_backend_norm(j->backend, norm, r);
    return size * size;
}

/* r = b - A x, with which the iteration goes on */
static double form_residual(const void *solver) {
    const jacobi *j = solver;
    storage *x = nb_vector_backend_vector(j->backend, SOLUTION), *r = nb_vector_backend_vector(j->backend, RESIDUAL);
    nb_vector_backend_residual(j->backend, j->system->b, x, r, nb_vector_backend_vector(j->backend, PRODUCT));
    return square(j, NB_NORM_TRUE, r);
}

/* With P = omega / d taken into the operator, the sweep x += P (b - A x) becomes x += r, r -= A r. */
static nb_status jacobi_solve(void *state, nb_system *system, const nb_linear_request *request, real *x,
                              nb_linear_outcome *outcome) {
    static const nb_preconditioner_class scaling = {.diagonal = jacobi_diagonal};
    jacobi *j = state;
    nb_vector_backend *backend = j->backend;
    storage *solution = nb_vector_backend_vector(backend, SOLUTION), *r = nb_vector_backend_vector(backend, RESIDUAL);
    nb_linear_norm norm = request->stop.tolerance > 0 ? request->stop.norm : NB_NORM_NATURAL;
    nb_iteration it = nb_iteration_begin(request, outcome, x);
    nb_status status = nb_vector_backend_set_weights(backend, &scaling, j);
    if (status != NB_OK) return status;
    nb_vector_backend_take(backend, system->b, r);
    nb_vector_backend_clear(backend, solution);
    j->system = system;
    it.solver = j;
    if (norm == NB_NORM_TRUE) it.residual = form_residual;
    double weighted = it.start = square(j, norm, r);
    for (;;) {
        if (request->monitor) nb_vector_backend_give(backend, solution, 0, NULL, x);
        nb_iteration_report(&it);
        if (nb_iteration_stops(&it, weighted)) break;
        nb_vector_backend_begin_product(backend, 0, NULL, 1, r, NULL);
        weighted = nb_vector_backend_finish_pcg(backend, r, 1, solution, r, norm == NB_NORM_NATURAL);
        if (norm != NB_NORM_NATURAL) weighted = square(j, norm, r);
        outcome->iterations++;
    }
    nb_vector_backend_give(backend, solution, 0, NULL, x);
    return nb_vector_backend_fault(backend);
}

const nb_linear_solver_class NB_REAL_NAME(nb_jacobi) = {
    .name = "jacobi",
    .summary = "Jacobi relaxation: plain, damped or l1",
    .options = jacobi_options,
    .option_count = sizeof jacobi_options / sizeof *jacobi_options,
    .on_devices = 1,
    .why_ignored = jacobi_why_ignored,
    .create = jacobi_create,
    .set_up_pattern = jacobi_set_up_pattern,
    .set_up_values = jacobi_set_up_values,
    .solve = jacobi_solve,
    .destroy = jacobi_destroy,
};
