#include "linear/lu.h"

#include "base/memory.h"

const nb_option nb_lu_options[NB_LU_OPTIONS] = {
    {"refinements", "1", 1, 0, 10, 1, NULL, "steps of iterative refinement after the solution"},
};

void nb_lu_destroy(void *state) {
    nb_lu *lu = state;
    if (!lu) return;
    lu->library->destroy(lu->state);
    nb_free(lu->start);
    nb_free(lu->column);
    nb_free(lu->value);
    nb_free(lu->x);
    nb_free(lu->r);
    nb_free(lu);
}

nb_status nb_lu_create(const nb_lu_library *library, const double *values, void **state) {
    nb_status status;
    nb_lu *lu = NULL;
    NB_TRY(NB_ALLOCATE(1, &lu));
    lu->library = library;
    lu->refinements = (int)values[0];
    NB_TRY(library->create(&lu->state));
out:
    if (status != NB_OK) {
        nb_lu_destroy(lu);
        lu = NULL;
    }
    *state = lu;
    return status;
}

static nb_status out_of_memory(const nb_lu *lu) {
    return nb_fail(NB_ERROR_MEMORY, "out of memory in the factorisation of %ld rows by %s", (long)lu->rows,
                   lu->library->name);
}

static void copy_values(nb_lu *lu, const nb_csr *a) {
    for (int64_t k = 0; k < a->start[a->rows]; k++) lu->value[k] = (double)a->value[k];
}

nb_status nb_lu_set_up_pattern(void *state, nb_system *system) {
    nb_lu *lu = state;
    const nb_csr *a;
    nb_status status;
    NB_TRY(nb_system_matrix(system, &a));
    int64_t nonzeros = a->start[a->rows];
    lu->rows = a->rows;
    NB_TRY(NB_RESERVE(lu->rows + 1, &lu->start_capacity, &lu->start));
    NB_TRY(NB_RESERVE(nonzeros, &lu->column_capacity, &lu->column));
    NB_TRY(NB_RESERVE(nonzeros, &lu->value_capacity, &lu->value));
    NB_TRY(NB_RESERVE(lu->rows, &lu->x_capacity, &lu->x));
    NB_TRY(NB_RESERVE(lu->rows, &lu->r_capacity, &lu->r));
    for (SuiteSparse_long i = 0; i <= lu->rows; i++) lu->start[i] = a->start[i];
    for (int64_t k = 0; k < nonzeros; k++) lu->column[k] = a->column[k];
    copy_values(lu, a);
    if (lu->rows > 0 && !lu->library->analyse(lu->state, lu)) return out_of_memory(lu);
out:
    return status;
}

nb_status nb_lu_set_up_values(void *state, nb_system *system, nb_linear_outcome *outcome) {
    nb_lu *lu = state;
    const nb_csr *a;
    nb_status status = nb_system_matrix(system, &a);
    if (status != NB_OK || lu->rows == 0) return status;
    copy_values(lu, a);
    if (!lu->library->factorise(lu->state, lu, outcome)) return out_of_memory(lu);
    lu->factor_nonzeros = outcome->factor_nonzeros;
    return NB_OK;
}

/* r = b - A x */
static void residual(nb_lu *lu, const real *b) {
    for (SuiteSparse_long i = 0; i < lu->rows; i++) {
        double sum = (double)b[i];
        for (SuiteSparse_long k = lu->start[i]; k < lu->start[i + 1]; k++) sum -= lu->value[k] * lu->x[lu->column[k]];
        lu->r[i] = sum;
    }
}

nb_status nb_lu_solve(void *state, nb_system *system, const nb_linear_request *request, real *x,
                      nb_linear_outcome *outcome) {
    nb_lu *lu = state;
    if (request->monitor) request->monitor(request->monitor_context, 0, x);
    for (SuiteSparse_long i = 0; i < lu->rows; i++) lu->x[i] = (double)system->b[i];
    if (lu->rows > 0 && !lu->library->solve(lu->state, lu, lu->x)) return out_of_memory(lu);
    for (int step = 0; lu->rows > 0 && step < lu->refinements; step++) {
        residual(lu, system->b);
        if (!lu->library->solve(lu->state, lu, lu->r)) return out_of_memory(lu);
        for (SuiteSparse_long i = 0; i < lu->rows; i++) lu->x[i] += lu->r[i];
    }
    for (SuiteSparse_long i = 0; i < lu->rows; i++) x[i] = (real)lu->x[i];
    outcome->reason = NB_REASON_EXACT;
    outcome->iterations = 1;
    outcome->factor_nonzeros = lu->factor_nonzeros;
    if (request->monitor) request->monitor(request->monitor_context, 1, x);
    return NB_OK;
}
