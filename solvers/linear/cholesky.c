/* Sparse Cholesky by CHOLMOD: symbolic once a pattern, numeric once the values change. CHOLMOD 3 computes in double
 * only: a system in f32 is factorised in double, and its solution rounded. On a device that can (device.h), CHOLMOD
 * orders and analyses, and the device factorises and solves, in double as well.
 *
 * Chen, Davis, Hager, Rajamanickam, "Algorithm 887: CHOLMOD", 2008. The supernodal module is GPL (see README). */
#include <cholmod.h>
#include <tgmath.h>

#include "base/memory.h"
#include "base/ordering.h"
#include "device.h"
#include "linear/device_cholesky.h"
#include "linear_solver.h"

NB_PRECISIONS(f32, f64);

typedef struct cholesky {
    cholmod_common common;
    cholmod_sparse *matrix; /* lower triangle by columns = upper by rows */
    cholmod_factor *factor;
    cholmod_dense *b, *x, *y, *e;     /* y and e: CHOLMOD's workspace of a solve */
    const nb_device_cholesky *device; /* NULL: this processor */
    void *device_state;
    int32_t *place, *row, *column; /* [rows] of the system's in the order of elimination; [entries] in that order */
    int64_t place_capacity, row_capacity, column_capacity;
} cholesky;

static void release(cholesky *c) {
    cholmod_l_free_sparse(&c->matrix, &c->common);
    cholmod_l_free_factor(&c->factor, &c->common);
    cholmod_l_free_dense(&c->b, &c->common);
    cholmod_l_free_dense(&c->x, &c->common);
    cholmod_l_free_dense(&c->y, &c->common);
    cholmod_l_free_dense(&c->e, &c->common);
}

static nb_status create(const double *values, void **state) {
    (void)values;
    cholesky *c;
    nb_status status = NB_ALLOCATE(1, &c);
    *state = c;
    if (status != NB_OK) return status;
    cholmod_l_start(&c->common);
    c->common.print = 0;
    c->common.try_catch = 1; /* no messages of its own */
    c->common.quick_return_if_not_posdef = 1;
    c->common.final_ll = 1; /* L L^T throughout: an indefinite system shall fail, not pass as L D L^T */
    return status;
}

static nb_status out_of_memory(const nb_system *system) {
    return nb_fail(NB_ERROR_MEMORY, "out of memory in the Cholesky factorisation of %d rows", (int)system->rows);
}

/* the entries on and right of the diagonal of each row: read by columns, the lower triangle */
static void copy_values(cholesky *c, const nb_csr *a) {
    const SuiteSparse_long *start = c->matrix->p;
    double *value = c->matrix->x;
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
    const SuiteSparse_long *start = c->matrix->p, *index = c->matrix->i, *order = c->factor->Perm;
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
    release(c);
    size_t n = (size_t)a->rows, upper = 0;
    for (int32_t i = 0; i < a->rows; i++)
        for (int64_t k = a->start[i]; k < a->start[i + 1]; k++) upper += a->column[k] >= i;
    c->matrix = cholmod_l_allocate_sparse(n, n, upper, 1, 1, -1, CHOLMOD_REAL, &c->common);
    c->b = cholmod_l_allocate_dense(n, 1, n, CHOLMOD_REAL, &c->common);
    if (!c->matrix || !c->b) return out_of_memory(system);
    SuiteSparse_long *start = c->matrix->p, *row = c->matrix->i, place = 0;
    for (int32_t i = 0; i < a->rows; i++) {
        start[i] = place;
        for (int64_t k = a->start[i]; k < a->start[i + 1]; k++)
            if (a->column[k] >= i) row[place++] = a->column[k];
    }
    start[n] = place;
    copy_values(c, a);
    nb_ordering_begin();
    c->factor = cholmod_l_analyze(c->matrix, &c->common);
    nb_ordering_end();
    if (!c->factor) return out_of_memory(system);
    NB_TRY(set_up_device(c, system));
out:
    return status;
}

/* the row of the system that a factorisation failed at, by its place in the order of elimination */
static void report_failure(const cholesky *c, int64_t place, nb_linear_outcome *outcome) {
    const SuiteSparse_long *order = c->factor->Perm;
    outcome->reason = NB_REASON_NOT_POSITIVE_DEFINITE;
    outcome->failed_row = (int32_t)(order ? order[place] : place);
}

static nb_status factorise_on_device(cholesky *c, nb_linear_outcome *outcome) {
    int32_t failed;
    nb_status status = c->device->factorise(c->device_state, c->matrix->x, &failed);
    if (status == NB_OK && failed >= 0) report_failure(c, failed, outcome);
    outcome->factor_nonzeros = (int64_t)c->common.lnz; /* of the analysis */
    return status;
}

static nb_status solve_on_device(cholesky *c, const nb_system *system, real *x) {
    nb_status status;
    double *y = c->b->x;
    for (int32_t i = 0; i < system->rows; i++) y[c->place[i]] = (double)system->b[i];
    NB_TRY(c->device->solve(c->device_state, y, y));
    for (int32_t i = 0; i < system->rows; i++) x[i] = (real)y[c->place[i]];
out:
    return status;
}

/* a first solve, so that later ones find their workspace allocated */
static int solve_once(cholesky *c) {
    return cholmod_l_solve2(CHOLMOD_A, c->factor, c->b, NULL, &c->x, NULL, &c->y, &c->e, &c->common);
}

static nb_status set_up_values(void *state, nb_system *system, nb_linear_outcome *outcome) {
    cholesky *c = state;
    const nb_csr *a;
    nb_status status;
    NB_TRY(nb_system_matrix(system, &a));
    copy_values(c, a);
    if (c->device) return factorise_on_device(c, outcome);
    cholmod_l_factorize(c->matrix, c->factor, &c->common);
    if (c->common.status == CHOLMOD_OUT_OF_MEMORY) return out_of_memory(system);
    if (c->common.status == CHOLMOD_NOT_POSDEF || c->factor->minor < c->factor->n) {
        report_failure(c, (int64_t)c->factor->minor, outcome);
        return NB_OK;
    }
    outcome->factor_nonzeros = (int64_t)c->common.lnz;
    for (int32_t i = 0; i < system->rows; i++) ((double *)c->b->x)[i] = 0;
    if (system->rows > 0 && !solve_once(c)) return out_of_memory(system);
out:
    return status;
}

static nb_status solve_here(cholesky *c, const nb_system *system, real *x) {
    double *b = c->b->x;
    for (int32_t i = 0; i < system->rows; i++) b[i] = (double)system->b[i];
    if (system->rows > 0 && !solve_once(c)) return out_of_memory(system);
    for (int32_t i = 0; i < system->rows; i++) x[i] = (real)((const double *)c->x->x)[i];
    return NB_OK;
}

static nb_status solve(void *state, nb_system *system, const nb_linear_request *request, real *x,
                       nb_linear_outcome *outcome) {
    cholesky *c = state;
    nb_status status;
    if (request->monitor) request->monitor(request->monitor_context, 0, x);
    NB_TRY(c->device ? solve_on_device(c, system, x) : solve_here(c, system, x));
    outcome->reason = NB_REASON_EXACT;
    outcome->iterations = 1;
    outcome->factor_nonzeros = (int64_t)c->common.lnz;
    if (request->monitor) request->monitor(request->monitor_context, 1, x);
out:
    return status;
}

static void destroy(void *state) {
    cholesky *c = state;
    if (!c) return;
    release(c);
    if (c->device) c->device->destroy(c->device_state);
    nb_free(c->place);
    nb_free(c->row);
    nb_free(c->column);
    cholmod_l_finish(&c->common);
    nb_free(c);
}

const nb_linear_solver_class NB_REAL_NAME(nb_cholesky) = {
    .name = "cholesky",
    .summary = "sparse Cholesky (CHOLMOD); f32 systems are factorised in double",
    .needs_entries = 1,
    .direct = 1,
    .on_devices = 1,
    .create = create,
    .set_up_pattern = set_up_pattern,
    .set_up_values = set_up_values,
    .solve = solve,
    .destroy = destroy,
};
