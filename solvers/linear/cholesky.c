/* Sparse Cholesky by CHOLMOD: symbolic once a pattern, numeric once the values change. CHOLMOD 3 computes in double
 * only: a system in f32 is factorised in double, and its solution rounded.
 *
 * Chen, Davis, Hager, Rajamanickam, "Algorithm 887: CHOLMOD", 2008. The supernodal module is GPL (see README). */
#include <cholmod.h>
#include <tgmath.h>

#include "base/memory.h"
#include "linear_solver.h"

typedef struct cholesky {
    cholmod_common common;
    cholmod_sparse *matrix; /* lower triangle by columns = upper by rows */
    cholmod_factor *factor;
    cholmod_dense *b, *x, *y, *e; /* y and e: CHOLMOD's workspace of a solve */
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
    c->factor = cholmod_l_analyze(c->matrix, &c->common);
    if (!c->factor) return out_of_memory(system);
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
    cholmod_l_factorize(c->matrix, c->factor, &c->common);
    if (c->common.status == CHOLMOD_OUT_OF_MEMORY) return out_of_memory(system);
    if (c->common.status == CHOLMOD_NOT_POSDEF || c->factor->minor < c->factor->n) {
        const SuiteSparse_long *order = c->factor->Perm;
        outcome->reason = NB_REASON_NOT_POSITIVE_DEFINITE;
        outcome->failed_row = (int32_t)(order ? order[c->factor->minor] : (SuiteSparse_long)c->factor->minor);
        return NB_OK;
    }
    outcome->factor_nonzeros = (int64_t)c->common.lnz;
    for (int32_t i = 0; i < system->rows; i++) ((double *)c->b->x)[i] = 0;
    if (system->rows > 0 && !solve_once(c)) return out_of_memory(system);
out:
    return status;
}

static nb_status solve(void *state, nb_system *system, const nb_linear_request *request, real *x,
                       nb_linear_outcome *outcome) {
    cholesky *c = state;
    double *b = c->b->x;
    if (request->monitor) request->monitor(request->monitor_context, 0, x);
    for (int32_t i = 0; i < system->rows; i++) b[i] = (double)system->b[i];
    if (system->rows > 0 && !solve_once(c)) return out_of_memory(system);
    for (int32_t i = 0; i < system->rows; i++) x[i] = (real)((const double *)c->x->x)[i];
    outcome->reason = NB_REASON_EXACT;
    outcome->iterations = 1;
    outcome->factor_nonzeros = (int64_t)c->common.lnz;
    if (request->monitor) request->monitor(request->monitor_context, 1, x);
    return NB_OK;
}

static void destroy(void *state) {
    cholesky *c = state;
    if (!c) return;
    release(c);
    cholmod_l_finish(&c->common);
    nb_free(c);
}

const nb_linear_solver_class NB_REAL_NAME(nb_cholesky) = {
    .name = "cholesky",
    .summary = "sparse Cholesky (CHOLMOD); f32 systems are factorised in double",
    .needs_entries = 1,
    .direct = 1,
    .create = create,
    .set_up_pattern = set_up_pattern,
    .set_up_values = set_up_values,
    .solve = solve,
    .destroy = destroy,
};
