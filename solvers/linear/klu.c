/* Sparse LU by KLU: block triangular form, a fill-reducing order and partial pivoting that prefers the diagonal. The
 * order is found once a pattern, the pivots with the first values; later values are factorised over the same pivots,
 * which is faster, and with new ones where that lets the entries of U grow.
 *
 * Davis, Palamadai Natarajan, "Algorithm 907: KLU", 2010. LGPL (see README). */
#include <klu.h>

#include "base/memory.h"
#include "linear/lu.h"

typedef struct klu {
    klu_l_common common;
    klu_l_symbolic *symbolic;
    klu_l_numeric *numeric;
} klu;

static nb_status library_create(void **state) {
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

static void library_destroy(void *state) {
    klu *k = state;
    if (k) release(k);
    nb_free(k);
}

static int analyse(void *state, const nb_lu_matrix *a) {
    klu *k = state;
    release(k);
    k->symbolic = klu_l_analyze(a->rows, a->start, a->column, &k->common);
    return k->symbolic != NULL;
}

/* over the pivots of the last values; 0 where that does not do */
static int factorise_again(klu *k, const nb_lu_matrix *a) {
    const double least = 1e-6; /* max |a| / max |u| by columns: ten digits are left, and refinement */
    return klu_l_refactor(a->start, a->column, a->value, k->symbolic, k->numeric, &k->common) &&
           k->common.status == KLU_OK &&
           klu_l_rgrowth(a->start, a->column, a->value, k->symbolic, k->numeric, &k->common) &&
           k->common.rgrowth > least;
}

static int factorise(void *state, const nb_lu_matrix *a, int32_t *failed_row, int64_t *nonzeros) {
    klu *k = state;
    if (!k->numeric || !factorise_again(k, a)) {
        klu_l_free_numeric(&k->numeric, &k->common);
        k->numeric = klu_l_factor(a->start, a->column, a->value, k->symbolic, &k->common);
        if (k->common.status == KLU_SINGULAR) {
            *failed_row = (int32_t)k->common.singular_col;
            return 1;
        }
        if (!k->numeric) return 0;
    }
    *nonzeros = k->numeric->lnz + k->numeric->unz;
    return 1;
}

static int library_solve(void *state, const nb_lu_matrix *a, double *x) {
    klu *k = state;
    return (int)klu_l_tsolve(k->symbolic, k->numeric, a->rows, 1, x, &k->common);
}

const nb_lu_library nb_lu_klu = {
    .name = "KLU",
    .create = library_create,
    .destroy = library_destroy,
    .analyse = analyse,
    .factorise = factorise,
    .solve = library_solve,
};

static nb_status create(const double *values, void **state) {
    return nb_lu_create(&nb_lu_klu, values, state);
}

const nb_linear_solver_class NB_REAL_NAME(nb_klu) = {
    .name = "klu",
    .summary = "sparse LU (KLU); f32 systems are factorised in double",
    .options = nb_lu_options,
    .option_count = NB_LU_OPTIONS,
    .needs_entries = 1,
    .direct = 1,
    .takes_unsymmetric = 1,
    .create = create,
    .set_up_pattern = nb_lu_set_up_pattern,
    .set_up_values = nb_lu_set_up_values,
    .solve = nb_lu_solve,
    .destroy = nb_lu_destroy,
};
