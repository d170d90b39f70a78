#include "cholmod_factor.h"

#include <string.h>

#include "base/dense_room.h"
#include "base/long_call.h"
#include "base/ordering.h"
#include "base/threads.h"
#include "cholmod_analysis.h"

void nb_cholmod_factor_begin(nb_cholmod_factor *f) {
    memset(f, 0, sizeof *f);
    cholmod_l_start(&f->common);
    f->common.print = 0;
    f->common.try_catch = 1; /* no messages of its own */
    f->common.quick_return_if_not_posdef = 1;
    f->common.final_ll = 1;
}

static void release(nb_cholmod_factor *f) {
    if (nb_long_call_left()) return;
    cholmod_l_free_sparse(&f->matrix, &f->common);
    cholmod_l_free_factor(&f->factor, &f->common);
    cholmod_l_free_dense(&f->b, &f->common);
    cholmod_l_free_dense(&f->x, &f->common);
    cholmod_l_free_dense(&f->y, &f->common);
    cholmod_l_free_dense(&f->e, &f->common);
    cholmod_l_free_dense(&f->many_b, &f->common);
    cholmod_l_free_dense(&f->many_x, &f->common);
    cholmod_l_free_dense(&f->many_y, &f->common);
    cholmod_l_free_dense(&f->many_e, &f->common);
}

static nb_status out_of_memory(const nb_cholmod_factor *f) {
    const int rows = f->matrix ? (int)f->matrix->nrow : 0;
    if (!f->factor) return nb_fail(NB_ERROR_MEMORY, "out of memory in the Cholesky factorization of %d rows", rows);
    return nb_fail(NB_ERROR_MEMORY, "out of memory in the Cholesky factorization of %d rows: the factor takes %.2g GB",
                   rows, f->common.lnz * sizeof(double) / 1e9);
}

nb_status nb_cholmod_factor_reserve(nb_cholmod_factor *f, int32_t n, int64_t entries) {
    size_t rows = (size_t)n;
    release(f);
    f->matrix = cholmod_l_allocate_sparse(rows, rows, (size_t)entries, 1, 1, -1, CHOLMOD_REAL, &f->common);
    f->b = cholmod_l_zeros(rows, 1, CHOLMOD_REAL, &f->common);
    return f->matrix && f->b ? NB_OK : out_of_memory(f);
}

static void order(void *of) {
    nb_cholmod_factor *f = of;
    f->factor = nb_cholmod_analyse(f->matrix, &f->common);
}

nb_status nb_cholmod_factor_analyse(nb_cholmod_factor *f) {
    nb_ordering_begin();
    nb_status status = nb_long_call(nb_long_call_ordering((double)f->matrix->nzmax), order, f);
    nb_ordering_end();
    return status != NB_OK || f->factor ? status : out_of_memory(f);
}

int32_t nb_cholmod_factor_row(const nb_cholmod_factor *f, int64_t place) {
    const SuiteSparse_long *order = f->factor->Perm;
    return (int32_t)(order ? order[place] : place);
}

/* CHOLMOD cuts small loops of every supernode into four parts, which take longer to begin than to run */
static void factorise(void *of) {
    nb_cholmod_factor *f = of;
    const int before = nb_threads_hold();
    cholmod_l_factorize(f->matrix, f->factor, &f->common);
    nb_threads_release(before);
}

nb_status nb_cholmod_factor_make(nb_cholmod_factor *f, int32_t *failed) {
    nb_status status = NB_OK;
    *failed = -1;
    if (f->factor->is_super) NB_TRY(nb_dense_room()); /* dense blocks */
    NB_TRY(nb_long_call(f->common.fl, factorise, f));
    if (f->common.status == CHOLMOD_OUT_OF_MEMORY) return out_of_memory(f);
    if (f->common.status == CHOLMOD_NOT_POSDEF || f->factor->minor < f->factor->n) {
        *failed = nb_cholmod_factor_row(f, (int64_t)f->factor->minor);
        return NB_OK;
    }
    if (!f->x) status = nb_cholmod_factor_solve(f); /* of b = 0 */
out:
    return status;
}

nb_status nb_cholmod_factor_solve(nb_cholmod_factor *f) {
    if (f->matrix->nrow == 0) return NB_OK;
    return cholmod_l_solve2(CHOLMOD_A, f->factor, f->b, NULL, &f->x, NULL, &f->y, &f->e, &f->common) ? NB_OK
                                                                                                     : out_of_memory(f);
}

nb_status nb_cholmod_factor_reserve_many(nb_cholmod_factor *f, int columns) {
    if (f->many_b) return NB_OK;
    f->many_b = cholmod_l_zeros(f->matrix->nrow, (size_t)columns, CHOLMOD_REAL, &f->common);
    return f->many_b ? NB_OK : out_of_memory(f);
}

nb_status nb_cholmod_factor_solve_many(nb_cholmod_factor *f, int columns) {
    cholmod_dense b = *f->many_b;
    b.ncol = (size_t)columns;
    return cholmod_l_solve2(CHOLMOD_A, f->factor, &b, NULL, &f->many_x, NULL, &f->many_y, &f->many_e, &f->common)
               ? NB_OK
               : out_of_memory(f);
}

void nb_cholmod_factor_end(nb_cholmod_factor *f) {
    release(f);
    if (!nb_long_call_left()) cholmod_l_finish(&f->common);
}
