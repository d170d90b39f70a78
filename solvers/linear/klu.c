/* Sparse LU by KLU: block triangular form, a fill-reducing order and partial pivoting that prefers the diagonal. The
 * order is found once a pattern, the pivots with the first values; later values are factorised over the same pivots,
 * which is faster, and with new ones where the solution shows that these do not do (lu.c).
 *
 * Davis, Palamadai Natarajan, "Algorithm 907: KLU", 2010. LGPL (see README). */
#include <klu.h>

#include "base/long_call.h"
#include "base/memory.h"
#include "linear/lu.h"

NB_PRECISIONS(f32, f64);

typedef struct klu {
    klu_l_common common;
    klu_l_symbolic *symbolic;
    klu_l_numeric *numeric;
    const nb_lu_matrix *a; /* of the call that is on */
} klu;

static nb_status create(void **state) {
    klu *k;
    nb_status status = NB_ALLOCATE(1, &k);
    if (status == NB_OK) klu_l_defaults(&k->common);
    *state = k;
    return status;
}

static void release(klu *k) {
    klu_l_free_numeric(&k->numeric, &k->common);
    klu_l_free_symbolic(&k->symbolic, &k->common);
}

static void destroy(void *state) {
    klu *k = state;
    if (k && !nb_long_call_left()) release(k);
    nb_free(k);
}

static nb_status failed(const klu *k, const nb_lu_matrix *a) {
    return nb_lu_fail(&nb_lu_klu, a, k->common.status == KLU_OUT_OF_MEMORY, (int)k->common.status);
}

static void order(void *state) {
    klu *k = state;
    k->symbolic = klu_l_analyze(k->a->rows, k->a->start, k->a->column, &k->common);
}

static nb_status analyse(void *state, const nb_lu_matrix *a) {
    const SuiteSparse_long none = -1, by_largest = 2;
    klu *k = state;
    release(k);
    k->common.scale = a->scaled ? none : by_largest;
    k->common.flops = 0;
    k->a = a;
    nb_status status = nb_long_call(nb_long_call_ordering((double)a->start[a->rows]), order, k);
    return status != NB_OK || k->symbolic ? status : failed(k, a);
}

static void eliminate(void *state) {
    klu *k = state;
    k->numeric = klu_l_factor(k->a->start, k->a->column, k->a->value, k->symbolic, &k->common);
}

/* over the pivots that are there; without factors where they do not do */
static void eliminate_again(void *state) {
    klu *k = state;
    if (!klu_l_refactor(k->a->start, k->a->column, k->a->value, k->symbolic, k->numeric, &k->common) ||
        k->common.status != KLU_OK)
        klu_l_free_numeric(&k->numeric, &k->common);
}

static nb_status factorise(void *state, const nb_lu_matrix *a, int fresh, nb_lu_factors *factors) {
    klu *k = state;
    nb_status status;
    k->a = a;
    if (fresh) klu_l_free_numeric(&k->numeric, &k->common);
    if (k->numeric) NB_TRY(nb_long_call(k->common.flops, eliminate_again, k));
    factors->old_pivots = k->numeric != NULL;
    if (!factors->old_pivots) {
        NB_TRY(nb_long_call((double)a->rows * (double)a->rows * (double)a->rows, eliminate, k));
        if (k->common.status == KLU_SINGULAR) {
            factors->failed_row = (int32_t)k->common.singular_col;
            return NB_OK;
        }
        if (!k->numeric) return failed(k, a);
    }
    factors->nonzeros = k->numeric->lnz + k->numeric->unz;
    klu_l_flops(k->symbolic, k->numeric, &k->common);
    factors->flops = k->common.flops;
out:
    return status;
}

static nb_status solve(void *state, const nb_lu_matrix *a, int transposed, double *x) {
    klu *k = state;
    SuiteSparse_long done = transposed ? klu_l_solve(k->symbolic, k->numeric, a->rows, 1, x, &k->common)
                                       : klu_l_tsolve(k->symbolic, k->numeric, a->rows, 1, x, &k->common);
    return done ? NB_OK : failed(k, a);
}

const nb_lu_library nb_lu_klu = {
    .name = "KLU",
    .create = create,
    .destroy = destroy,
    .analyse = analyse,
    .factorise = factorise,
    .solve = solve,
};

NB_LU_SOLVER(klu, "sparse LU (KLU)")
