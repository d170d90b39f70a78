/* Sparse LU by UMFPACK: multifrontal, on dense kernels (BLAS), which pays on large factors. The order is found once a
 * pattern, the pivots with every set of values.
 *
 * Davis, "Algorithm 832: UMFPACK V4.3", 2004. GPL (see README). */
#include <string.h>
#include <umfpack.h>

#include "base/dense_room.h"
#include "base/long_call.h"
#include "base/memory.h"
#include "base/ordering.h"
#include "linear/lu.h"

NB_PRECISIONS(f32, f64);

enum {
    LARGE = 2000 /* rows from which on nested dissection pays */
};

typedef struct umfpack {
    double control[UMFPACK_CONTROL], info[UMFPACK_INFO];
    void *symbolic, *numeric;
    const nb_lu_matrix *a;      /* of the call that is on */
    SuiteSparse_long said;      /* of that */
    SuiteSparse_long *integers; /* [rows] workspace of a solve */
    double *numbers, *b;        /* [rows] */
    int64_t integer_capacity, number_capacity, b_capacity;
} umfpack;

static nb_status create(void **state) {
    umfpack *u;
    nb_status status = NB_ALLOCATE(1, &u);
    if (status == NB_OK) {
        umfpack_dl_defaults(u->control);
        u->control[UMFPACK_IRSTEP] = 0; /* lu.c refines */
    }
    *state = u;
    return status;
}

static void destroy(void *state) {
    umfpack *u = state;
    if (!u || nb_long_call_left()) return;
    umfpack_dl_free_symbolic(&u->symbolic);
    umfpack_dl_free_numeric(&u->numeric);
    nb_free(u->integers);
    nb_free(u->numbers);
    nb_free(u->b);
    nb_free(u);
}

static nb_status failed(const nb_lu_matrix *a, SuiteSparse_long said) {
    return nb_lu_fail(&nb_lu_umfpack, a, said == UMFPACK_ERROR_out_of_memory, (int)said);
}

static void order(void *state) {
    umfpack *u = state;
    const nb_lu_matrix *a = u->a;
    u->said = umfpack_dl_symbolic(a->rows, a->rows, a->start, a->column, a->value, &u->symbolic, u->control, u->info);
}

static nb_status analyse(void *state, const nb_lu_matrix *a) {
    umfpack *u = state;
    nb_status status;
    umfpack_dl_free_symbolic(&u->symbolic);
    umfpack_dl_free_numeric(&u->numeric);
    u->control[UMFPACK_ORDERING] = a->rows > LARGE ? UMFPACK_ORDERING_METIS : UMFPACK_ORDERING_AMD;
    NB_TRY(NB_RESERVE(a->rows, &u->integer_capacity, &u->integers));
    NB_TRY(NB_RESERVE(a->rows, &u->number_capacity, &u->numbers));
    NB_TRY(NB_RESERVE(a->rows, &u->b_capacity, &u->b));
    nb_ordering_begin();
    u->a = a;
    status = nb_long_call(nb_long_call_ordering((double)a->start[a->rows]), order, u);
    nb_ordering_end();
    if (status == NB_OK && u->said != UMFPACK_OK) status = failed(a, u->said);
out:
    return status;
}

/* the first column without a pivot: the row of A that failed */
static SuiteSparse_long failed_column(umfpack *u, const nb_lu_matrix *a) {
    SuiteSparse_long reciprocals, k = 0;
    umfpack_dl_get_numeric(NULL, NULL, NULL, NULL, NULL, NULL, NULL, u->integers, u->numbers, &reciprocals, NULL,
                           u->numeric);
    while (k < a->rows - 1 && u->numbers[k] != 0) k++;
    return u->integers[k];
}

static void eliminate(void *state) {
    umfpack *u = state;
    const nb_lu_matrix *a = u->a;
    u->said = umfpack_dl_numeric(a->start, a->column, a->value, u->symbolic, &u->numeric, u->control, u->info);
}

static nb_status factorise(void *state, const nb_lu_matrix *a, int fresh, nb_lu_factors *factors) {
    umfpack *u = state;
    (void)fresh; /* always */
    nb_status status;
    NB_TRY(nb_dense_room());
    umfpack_dl_free_numeric(&u->numeric);
    u->a = a;
    NB_TRY(nb_long_call(u->info[UMFPACK_FLOPS_ESTIMATE], eliminate, u));
    if (u->said == UMFPACK_WARNING_singular_matrix) {
        factors->failed_row = (int32_t)failed_column(u, a);
        return NB_OK;
    }
    factors->nonzeros = (int64_t)(u->info[UMFPACK_LNZ] + u->info[UMFPACK_UNZ]);
    factors->flops = u->info[UMFPACK_FLOPS];
    if (u->said != UMFPACK_OK) status = failed(a, u->said);
out:
    return status;
}

static nb_status solve(void *state, const nb_lu_matrix *a, int transposed, double *x) {
    umfpack *u = state;
    memcpy(u->b, x, (size_t)a->rows * sizeof *x);
    SuiteSparse_long said = umfpack_dl_wsolve(transposed ? UMFPACK_A : UMFPACK_Aat, a->start, a->column, a->value, x,
                                              u->b, u->numeric, u->control, NULL, u->integers, u->numbers);
    return said == UMFPACK_OK ? NB_OK : failed(a, said);
}

const nb_lu_library nb_lu_umfpack = {
    .name = "UMFPACK",
    .create = create,
    .destroy = destroy,
    .analyse = analyse,
    .factorise = factorise,
    .solve = solve,
};

NB_LU_SOLVER(umfpack, "sparse LU (UMFPACK), on dense kernels")
