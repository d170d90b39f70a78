/* Sparse Cholesky by CHOLMOD (cholmod_factor.h), which computes in double only: a system in f32 is factorised in
 * double, and its solution rounded. On a device that can (device.h), CHOLMOD orders and analyses, and the device
 * factorises and solves, in double as well. */
#include <tgmath.h>

#include "base/memory.h"
#include "cholmod_factor.h"
#include "device.h"
#include "linear/device_cholesky.h"
#include "linear_solver.h"

NB_PRECISIONS(f32, f64);

typedef struct cholesky {
    nb_cholmod_factor f;
    const nb_device_cholesky *device; /* NULL: this processor */
    void *device_state;
    int32_t *place, *row, *column; /* [rows] of the system's in the order of elimination; [entries] in that order */
    int64_t place_capacity, row_capacity, column_capacity;
} cholesky;

static nb_status create(const double *values, void **state) {
    (void)values;
    cholesky *c;
    nb_status status = NB_ALLOCATE(1, &c);
    *state = c;
    if (status == NB_OK) nb_cholmod_factor_begin(&c->f);
    return status;
}

/* the entries on and right of the diagonal of each row: read by columns, the lower triangle */
static void copy_values(cholesky *c, const nb_csr *a) {
    const SuiteSparse_long *start = c->f.matrix->p;
    double *value = c->f.matrix->x;
    for (int32_t i = 0; i < a->rows; i++) {
        SuiteSparse_long place = start[i];
        for (int64_t k = a->start[i]; k < a->start[i + 1]; k++)
            if (a->column[k] >= i) value[place++] = (double)a->value[k];
    }
}

/* the device that factorises, with what it has to know of the pattern */
static nb_status set_up_device(cholesky *c, const nb_system *system) {
    nb_status status = NB_OK;
    const nb_device_cholesky *device = system->device ? system->device->cholesky : NULL;
    const SuiteSparse_long *start = c->f.matrix->p, *index = c->f.matrix->i, *order = c->f.factor->Perm;
    if (device != c->device) {
        if (c->device) c->device->destroy(c->device_state);
        c->device = NULL;
        if (device) NB_TRY(device->create(&c->device_state));
        c->device = device;
    }
    if (!device) return NB_OK;
    NB_TRY(NB_RESERVE(system->rows, &c->place_capacity, &c->place));
    NB_TRY(NB_RESERVE(start[system->rows], &c->row_capacity, &c->row));
    NB_TRY(NB_RESERVE(start[system->rows], &c->column_capacity, &c->column));
    for (int32_t i = 0; i < system->rows; i++) c->place[order ? order[i] : i] = i;
    for (int32_t i = 0; i < system->rows; i++)
        for (SuiteSparse_long k = start[i]; k < start[i + 1]; k++) {
            int32_t one = c->place[i], other = c->place[index[k]];
            c->row[k] = one > other ? one : other;
            c->column[k] = one > other ? other : one;
        }
    NB_TRY(device->set_pattern(c->device_state, system->rows, start[system->rows], c->row, c->column));
out:
    return status;
}

static nb_status set_up_pattern(void *state, nb_system *system) {
    cholesky *c = state;
    const nb_csr *a;
    nb_status status;
    NB_TRY(nb_system_matrix(system, &a));
    int64_t upper = 0;
    for (int32_t i = 0; i < a->rows; i++)
        for (int64_t k = a->start[i]; k < a->start[i + 1]; k++) upper += a->column[k] >= i;
    NB_TRY(nb_cholmod_factor_reserve(&c->f, a->rows, upper));
    SuiteSparse_long *start = c->f.matrix->p, *row = c->f.matrix->i, place = 0;
    for (int32_t i = 0; i < a->rows; i++) {
        start[i] = place;
        for (int64_t k = a->start[i]; k < a->start[i + 1]; k++)
            if (a->column[k] >= i) row[place++] = a->column[k];
    }
    start[a->rows] = place;
    NB_TRY(nb_cholmod_factor_analyse(&c->f));
    NB_TRY(set_up_device(c, system));
out:
    return status;
}

static void report_failure(int32_t row, nb_linear_outcome *outcome) {
    outcome->reason = NB_REASON_NOT_POSITIVE_DEFINITE;
    outcome->failed_row = row;
}

static nb_status factorise_on_device(cholesky *c, nb_linear_outcome *outcome) {
    int32_t failed;
    nb_status status = c->device->factorise(c->device_state, c->f.matrix->x, &failed);
    if (status == NB_OK && failed >= 0) report_failure(nb_cholmod_factor_row(&c->f, failed), outcome);
    outcome->factor_nonzeros = (int64_t)c->f.common.lnz; /* of the analysis */
    return status;
}

static nb_status solve_on_device(cholesky *c, const nb_system *system, real *x) {
    nb_status status;
    double *y = c->f.b->x;
    for (int32_t i = 0; i < system->rows; i++) y[c->place[i]] = (double)system->b[i];
    NB_TRY(c->device->solve(c->device_state, y, y));
    for (int32_t i = 0; i < system->rows; i++) x[i] = (real)y[c->place[i]];
out:
    return status;
}

static nb_status set_up_values(void *state, nb_system *system, nb_linear_outcome *outcome) {
    cholesky *c = state;
    const nb_csr *a;
    nb_status status;
    NB_TRY(nb_system_matrix(system, &a));
    copy_values(c, a);
    if (c->device) return factorise_on_device(c, outcome);
    int32_t failed;
    NB_TRY(nb_cholmod_factor_make(&c->f, &failed));
    if (failed >= 0)
        report_failure(failed, outcome);
    else
        outcome->factor_nonzeros = (int64_t)c->f.common.lnz;
out:
    return status;
}

static nb_status solve_here(cholesky *c, const nb_system *system, real *x) {
    nb_status status;
    double *b = c->f.b->x;
    for (int32_t i = 0; i < system->rows; i++) b[i] = (double)system->b[i];
    NB_TRY(nb_cholmod_factor_solve(&c->f));
    for (int32_t i = 0; i < system->rows; i++) x[i] = (real)((const double *)c->f.x->x)[i];
out:
    return status;
}

/* L and L^T are gone through once each */
static nb_preconditioner_work work_of(const cholesky *c, const nb_system *system) {
    const double entries = c->f.common.lnz, own = sizeof(double);
    return (nb_preconditioner_work){.setup_flops = c->f.common.fl,
                                    .apply_flops = 4 * entries,
                                    .apply_bytes = 2 * (entries + system->rows) * own,
                                    .nonzeros = entries};
}

static nb_status solve(void *state, nb_system *system, const nb_linear_request *request, real *x,
                       nb_linear_outcome *outcome) {
    cholesky *c = state;
    nb_status status;
    if (request->monitor) request->monitor(request->monitor_context, 0, x);
    NB_TRY(c->device ? solve_on_device(c, system, x) : solve_here(c, system, x));
    outcome->reason = NB_REASON_EXACT;
    outcome->iterations = 1;
    outcome->factor_nonzeros = (int64_t)c->f.common.lnz;
    outcome->work = work_of(c, system);
    if (request->monitor) request->monitor(request->monitor_context, 1, x);
out:
    return status;
}

static void destroy(void *state) {
    cholesky *c = state;
    if (!c) return;
    if (c->device) c->device->destroy(c->device_state);
    nb_free(c->place);
    nb_free(c->row);
    nb_free(c->column);
    nb_cholmod_factor_end(&c->f);
    nb_free(c);
}

const nb_linear_solver_class NB_REAL_NAME(nb_cholesky) = {
    .name = "cholesky",
    .summary = "sparse Cholesky (CHOLMOD); f32 systems are factorized in double",
    .direct = 1,
    .on_devices = 1,
    .create = create,
    .set_up_pattern = set_up_pattern,
    .set_up_values = set_up_values,
    .solve = solve,
    .destroy = destroy,
};
