/* Dense factorisations by LAPACK in the system's own precision: Cholesky, and L D L^T with Bunch-Kaufman pivoting for
 * indefinite or singular systems. For small systems. */
#include <lapacke.h>
#include <string.h>
#include <tgmath.h>

#include "base/dense_room.h"
#include "base/long_call.h"
#include "base/memory.h"
#include "linear_solver.h"

NB_PRECISIONS(f32, f64);

enum {
    MOST_ROWS = 8192
};

#if NB_REAL_BITS == 32
#define potrf LAPACKE_spotrf_work
#define potrs LAPACKE_spotrs_work
#define sytrf LAPACKE_ssytrf_work
#define sytrs LAPACKE_ssytrs_work
#else
#define potrf LAPACKE_dpotrf_work
#define potrs LAPACKE_dpotrs_work
#define sytrf LAPACKE_dsytrf_work
#define sytrs LAPACKE_dsytrs_work
#endif

typedef struct dense {
    int32_t rows;
    real *factor; /* [rows][rows] lower triangle by columns */
    int *pivots;
    real *work;
    int work_size, info;
} dense;

static nb_status create(const double *values, void **state) {
    (void)values;
    dense *d;
    nb_status status = NB_ALLOCATE(1, &d);
    *state = d;
    return status;
}

static nb_status set_up_pattern(void *state, nb_system *system) {
    dense *d = state;
    nb_status status;
    int32_t n = system->rows;
    if (n > MOST_ROWS)
        return nb_fail(NB_ERROR_UNSUPPORTED, "dense solvers support at most %d rows (system has %d); use cholesky",
                       MOST_ROWS, (int)n);
    nb_free(d->factor);
    nb_free(d->pivots);
    nb_free(d->work);
    *d = (dense){.rows = n, .work_size = 64 * n + 1};
    NB_TRY(NB_ALLOCATE((int64_t)n * n, &d->factor));
    NB_TRY(NB_ALLOCATE(n, &d->pivots));
    NB_TRY(NB_ALLOCATE(d->work_size, &d->work));
    const nb_csr *a;
    NB_TRY(nb_dense_room());
    NB_TRY(nb_system_matrix(system, &a)); /* makes its pattern now, not in set_up_values */
out:
    return status;
}

static nb_status fill(dense *d, nb_system *system) {
    const nb_csr *a;
    nb_status status = nb_system_matrix(system, &a);
    if (status != NB_OK) return status;
    memset(d->factor, 0, (size_t)d->rows * (size_t)d->rows * sizeof *d->factor);
    for (int32_t i = 0; i < d->rows; i++)
        for (int64_t k = a->start[i]; k < a->start[i + 1]; k++)
            d->factor[(int64_t)i * d->rows + a->column[k]] = a->value[k]; /* symmetric: rows serve as columns */
    return NB_OK;
}

static int64_t triangle(const dense *d) {
    return (int64_t)d->rows * (d->rows + 1) / 2;
}

static void factorise_cholesky(void *state) {
    dense *d = state;
    d->info = potrf(LAPACK_COL_MAJOR, 'L', d->rows, d->factor, d->rows);
}

static void factorise_ldl(void *state) {
    dense *d = state;
    d->info = sytrf(LAPACK_COL_MAJOR, 'L', d->rows, d->factor, d->rows, d->pivots, d->work, d->work_size);
}

/* `bad`: what a pivot is that failed */
static nb_status factorise(dense *d, nb_system *system, nb_long_work *work, nb_reason bad, nb_linear_outcome *outcome) {
    nb_status status;
    const double n = d->rows;
    NB_TRY(fill(d, system));
    if (d->rows == 0) return NB_OK;
    NB_TRY(nb_long_call(n * n * n / 3, work, d));
    outcome->factor_nonzeros = triangle(d);
    if (d->info > 0) {
        outcome->reason = bad;
        outcome->failed_row = d->info - 1;
    }
out:
    return status;
}

static nb_status cholesky_set_up_values(void *state, nb_system *system, nb_linear_outcome *outcome) {
    return factorise(state, system, factorise_cholesky, NB_REASON_NOT_POSITIVE_DEFINITE, outcome);
}

static nb_status ldl_set_up_values(void *state, nb_system *system, nb_linear_outcome *outcome) {
    return factorise(state, system, factorise_ldl, NB_REASON_SINGULAR, outcome); /* an exactly zero pivot */
}

static nb_preconditioner_work work_of(const dense *d) {
    const double n = d->rows, entries = (double)triangle(d), own = sizeof(real);
    return (nb_preconditioner_work){n * n * n / 3, 2 * n * n, 2 * (entries + n) * own, entries};
}

static nb_status finish(const dense *d, const nb_linear_request *request, real *x, nb_linear_outcome *outcome) {
    outcome->reason = NB_REASON_EXACT;
    outcome->iterations = 1;
    outcome->work = work_of(d);
    outcome->factor_nonzeros = triangle(d);
    if (request->monitor) request->monitor(request->monitor_context, 1, x);
    return NB_OK;
}

static nb_status cholesky_solve(void *state, nb_system *system, const nb_linear_request *request, real *x,
                                nb_linear_outcome *outcome) {
    dense *d = state;
    if (request->monitor) request->monitor(request->monitor_context, 0, x);
    memcpy(x, system->b, (size_t)d->rows * sizeof *x);
    if (d->rows > 0) potrs(LAPACK_COL_MAJOR, 'L', d->rows, 1, d->factor, d->rows, x, d->rows);
    return finish(d, request, x, outcome);
}

static nb_status ldl_solve(void *state, nb_system *system, const nb_linear_request *request, real *x,
                           nb_linear_outcome *outcome) {
    dense *d = state;
    if (request->monitor) request->monitor(request->monitor_context, 0, x);
    memcpy(x, system->b, (size_t)d->rows * sizeof *x);
    if (d->rows > 0) sytrs(LAPACK_COL_MAJOR, 'L', d->rows, 1, d->factor, d->rows, d->pivots, x, d->rows);
    return finish(d, request, x, outcome);
}

static void destroy(void *state) {
    dense *d = state;
    if (!d) return;
    nb_free(d->factor);
    nb_free(d->pivots);
    nb_free(d->work);
    nb_free(d);
}

const nb_linear_solver_class NB_REAL_NAME(nb_dense_cholesky) = {
    .name = "dense-cholesky",
    .summary = "dense Cholesky (LAPACK) in the system's precision, for small systems",
    .direct = 1,
    .create = create,
    .set_up_pattern = set_up_pattern,
    .set_up_values = cholesky_set_up_values,
    .solve = cholesky_solve,
    .destroy = destroy,
};

const nb_linear_solver_class NB_REAL_NAME(nb_ldl) = {
    .name = "ldl",
    .summary = "dense L D L^T with pivoting (LAPACK), for indefinite systems; small ones",
    .direct = 1,
    .create = create,
    .set_up_pattern = set_up_pattern,
    .set_up_values = ldl_set_up_values,
    .solve = ldl_solve,
    .destroy = destroy,
};
