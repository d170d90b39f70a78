#include "linear/lu.h"

#include "base/memory.h"

const nb_option nb_lu_options[NB_LU_OPTIONS] = {
    {"refinements", "1", 1, 0, 10, 1, NULL, "steps of iterative refinement after the solution"},
};

typedef struct lu {
    const nb_lu_library *library;
    void *state;
    int refinements;
    int64_t factor_nonzeros;
    nb_lu_matrix a;
    double *x, *r; /* [rows] */
    int64_t x_capacity, r_capacity;
} lu;

/* ---- the matrix ---- */

void nb_lu_matrix_clear(nb_lu_matrix *a) {
    nb_free(a->start);
    nb_free(a->column);
    nb_free(a->value);
    *a = (nb_lu_matrix){0};
}

nb_status nb_lu_matrix_reserve(nb_lu_matrix *a, int64_t rows, int64_t nonzeros) {
    nb_status status;
    a->rows = rows;
    NB_TRY(NB_RESERVE(rows + 1, &a->start_capacity, &a->start));
    NB_TRY(NB_RESERVE(nonzeros, &a->column_capacity, &a->column));
    NB_TRY(NB_RESERVE(nonzeros, &a->value_capacity, &a->value));
out:
    return status;
}

static void copy_values(nb_lu_matrix *a, const nb_csr *entries) {
    for (int64_t k = 0; k < entries->start[entries->rows]; k++) a->value[k] = (double)entries->value[k];
}

nb_status nb_lu_matrix_take(nb_lu_matrix *a, const nb_csr *entries) {
    int64_t nonzeros = entries->start[entries->rows];
    nb_status status = nb_lu_matrix_reserve(a, entries->rows, nonzeros);
    if (status != NB_OK) return status;
    for (SuiteSparse_long i = 0; i <= a->rows; i++) a->start[i] = entries->start[i];
    for (int64_t k = 0; k < nonzeros; k++) a->column[k] = entries->column[k];
    copy_values(a, entries);
    return NB_OK;
}

nb_status nb_lu_out_of_memory(const nb_lu_library *library, const nb_lu_matrix *a) {
    return nb_fail(NB_ERROR_MEMORY, "out of memory in the factorisation of %ld rows by %s", (long)a->rows,
                   library->name);
}

/* ---- the solver ---- */

void nb_lu_destroy(void *state) {
    lu *l = state;
    if (!l) return;
    l->library->destroy(l->state);
    nb_lu_matrix_clear(&l->a);
    nb_free(l->x);
    nb_free(l->r);
    nb_free(l);
}

nb_status nb_lu_create(const nb_lu_library *library, const double *values, void **state) {
    nb_status status;
    lu *l = NULL;
    NB_TRY(NB_ALLOCATE(1, &l));
    l->library = library;
    l->refinements = (int)values[0];
    NB_TRY(library->create(&l->state));
out:
    if (status != NB_OK) {
        nb_lu_destroy(l);
        l = NULL;
    }
    *state = l;
    return status;
}

nb_status nb_lu_set_up_pattern(void *state, nb_system *system) {
    lu *l = state;
    const nb_csr *entries;
    nb_status status;
    NB_TRY(nb_system_matrix(system, &entries));
    NB_TRY(nb_lu_matrix_take(&l->a, entries));
    NB_TRY(NB_RESERVE(l->a.rows, &l->x_capacity, &l->x));
    NB_TRY(NB_RESERVE(l->a.rows, &l->r_capacity, &l->r));
    if (l->a.rows > 0 && !l->library->analyse(l->state, &l->a)) return nb_lu_out_of_memory(l->library, &l->a);
out:
    return status;
}

nb_status nb_lu_set_up_values(void *state, nb_system *system, nb_linear_outcome *outcome) {
    lu *l = state;
    const nb_csr *entries;
    nb_status status = nb_system_matrix(system, &entries);
    if (status != NB_OK || l->a.rows == 0) return status;
    copy_values(&l->a, entries);
    if (!l->library->factorise(l->state, &l->a, &outcome->failed_row, &l->factor_nonzeros))
        return nb_lu_out_of_memory(l->library, &l->a);
    if (outcome->failed_row >= 0) outcome->reason = NB_REASON_SINGULAR;
    outcome->factor_nonzeros = l->factor_nonzeros;
    return NB_OK;
}

/* r = b - A x */
static void residual(lu *l, const real *b) {
    const nb_lu_matrix *a = &l->a;
    for (SuiteSparse_long i = 0; i < a->rows; i++) {
        double sum = (double)b[i];
        for (SuiteSparse_long k = a->start[i]; k < a->start[i + 1]; k++) sum -= a->value[k] * l->x[a->column[k]];
        l->r[i] = sum;
    }
}

nb_status nb_lu_solve(void *state, nb_system *system, const nb_linear_request *request, real *x,
                      nb_linear_outcome *outcome) {
    lu *l = state;
    SuiteSparse_long n = l->a.rows;
    if (request->monitor) request->monitor(request->monitor_context, 0, x);
    for (SuiteSparse_long i = 0; i < n; i++) l->x[i] = (double)system->b[i];
    if (n > 0 && !l->library->solve(l->state, &l->a, l->x)) return nb_lu_out_of_memory(l->library, &l->a);
    for (int step = 0; n > 0 && step < l->refinements; step++) {
        residual(l, system->b);
        if (!l->library->solve(l->state, &l->a, l->r)) return nb_lu_out_of_memory(l->library, &l->a);
        for (SuiteSparse_long i = 0; i < n; i++) l->x[i] += l->r[i];
    }
    for (SuiteSparse_long i = 0; i < n; i++) x[i] = (real)l->x[i];
    outcome->reason = NB_REASON_EXACT;
    outcome->iterations = 1;
    outcome->factor_nonzeros = l->factor_nonzeros;
    if (request->monitor) request->monitor(request->monitor_context, 1, x);
    return NB_OK;
}
