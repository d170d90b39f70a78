/* Incomplete Cholesky without fill, IC(0), of the diagonally scaled matrix plus a shift:
 *
 *     L L^T ~ D^-1/2 A D^-1/2 + sigma,   P = D^-1/2 (L L^T)^-1 D^-1/2
 *
 * The shift grows from its option until every pivot is positive (Manteuffel 1980). A row whose diagonal is zero is left
 * alone. */
#include <string.h>
#include <tgmath.h>

#include "base/memory.h"
#include "preconditioner.h"

NB_PRECISIONS(f32, f64);

static const nb_option options[] = {
    {"shift", "1", 0, 0, 10, 0, NULL, "first shift tried, relative to the diagonal"},
};

typedef struct ic0 {
    real shift;
    nb_csr *factor;        /* L by rows, the diagonal last in each */
    real *scale;           /* [rows] D^-1/2 */
    int32_t *column_place; /* [rows] scratch */
    double setup_flops;    /* of all tries */
} ic0;

static nb_status create(const double *values, void **state) {
    ic0 *p;
    nb_status status = NB_ALLOCATE(1, &p);
    if (status == NB_OK) p->shift = (real)values[0];
    *state = p;
    return status;
}

static void release(ic0 *p) {
    nb_csr_destroy(p->factor);
    nb_free(p->scale);
    nb_free(p->column_place);
    p->factor = NULL;
    p->scale = NULL;
    p->column_place = NULL;
}

static nb_status set_up_pattern(void *state, nb_system *system) {
    ic0 *p = state;
    nb_status status;
    const nb_csr *a;
    int64_t lower = 0;
    release(p);
    NB_TRY(nb_system_matrix(system, &a));
    for (int32_t i = 0; i < a->rows; i++)
        for (int64_t k = a->start[i]; k < a->start[i + 1]; k++) lower += a->column[k] <= i;
    NB_TRY(nb_csr_create(a->rows, a->rows, lower, &p->factor));
    NB_TRY(NB_ALLOCATE(a->rows, &p->scale));
    NB_TRY(NB_ALLOCATE(a->rows, &p->column_place));
    int64_t used = 0;
    for (int32_t i = 0; i < a->rows; i++) {
        p->factor->start[i] = used;
        for (int64_t k = a->start[i]; k < a->start[i + 1] && a->column[k] <= i; k++)
            p->factor->column[used++] = a->column[k];
    }
    p->factor->start[a->rows] = used;
out:
    return status;
}

/* the lower triangle of the scaled matrix, shifted, into the factor */
static void load(ic0 *p, const nb_csr *a, real shift) {
    nb_csr *l = p->factor;
    for (int32_t i = 0; i < a->rows; i++) {
        int64_t k = a->start[i];
        for (int64_t e = l->start[i]; e < l->start[i + 1]; e++, k++)
            l->value[e] = p->scale[i] * a->value[k] * p->scale[l->column[e]];
        l->value[l->start[i + 1] - 1] += p->scale[i] > 0 ? shift : 1; /* a row left alone has a pivot of one */
    }
}

/* The factorisation, row by row, in place; 0 where a pivot is not positive. */
static int factorize(ic0 *p) {
    nb_csr *l = p->factor;
    int32_t *where = p->column_place; /* entry of the row in progress in each column, or -1, counted from its start */
    memset(where, -1, (size_t)l->rows * sizeof *where);
    int64_t pairs = 0; /* products, each with its subtraction */
    for (int32_t i = 0; i < l->rows; i++) {
        int64_t first = l->start[i], last = l->start[i + 1] - 1;
        for (int64_t e = first; e <= last; e++) where[l->column[e]] = (int32_t)(e - first);
        real pivot = l->value[last];
        for (int64_t e = first; e < last; e++) { /* l_ij = (a_ij - sum_k l_ik l_jk) / l_jj over the shared pattern */
            int32_t j = l->column[e];
            int64_t diagonal = l->start[j + 1] - 1;
            real sum = l->value[e];
            for (int64_t f = l->start[j]; f < diagonal; f++)
                if (where[l->column[f]] >= 0) {
                    sum -= l->value[first + where[l->column[f]]] * l->value[f];
                    pairs++;
                }
            l->value[e] = sum / l->value[diagonal];
            pivot -= l->value[e] * l->value[e];
        }
        for (int64_t e = first; e <= last; e++) where[l->column[e]] = -1;
        p->setup_flops += 2 * (double)pairs + 3 * (double)(last - first) + 1; /* a division and the pivot's part each */
        pairs = 0;
        if (!(pivot > 16 * NB_REAL_EPSILON)) return 0;
        l->value[last] = sqrt(pivot);
    }
    return 1;
}

static nb_status set_up_values(void *state, nb_system *system, nb_reason *reason) {
    ic0 *p = state;
    const nb_csr *a;
    nb_status status = nb_system_matrix(system, &a);
    if (status != NB_OK) return status;
    nb_system_diagonal(system, p->scale);
    for (int32_t i = 0; i < a->rows; i++) p->scale[i] = p->scale[i] != 0 ? 1 / sqrt(fabs(p->scale[i])) : 0;
    p->setup_flops = 0;
    for (real shift = p->shift; shift < 100;) {
        load(p, a, shift);
        p->setup_flops += 2 * (double)nb_csr_nonzeros(p->factor) + a->rows;
        if (factorize(p)) return NB_OK;
        shift = shift > 0 ? 2 * shift : R(1e-3);
    }
    *reason = NB_REASON_NOT_POSITIVE_DEFINITE;
    return NB_OK;
}

static void apply(void *state, const real *r, real *z) {
    const ic0 *p = state;
    const nb_csr *l = p->factor;
    for (int32_t i = 0; i < l->rows; i++) {
        int64_t last = l->start[i + 1] - 1;
        real sum = p->scale[i] * r[i];
        for (int64_t e = l->start[i]; e < last; e++) sum -= l->value[e] * z[l->column[e]];
        z[i] = sum / l->value[last];
    }
    for (int32_t i = l->rows - 1; i >= 0; i--) {
        int64_t last = l->start[i + 1] - 1;
        z[i] /= l->value[last];
        for (int64_t e = l->start[i]; e < last; e++) z[l->column[e]] -= l->value[e] * z[i];
    }
    for (int32_t i = 0; i < l->rows; i++) z[i] *= p->scale[i];
}

/* both solves go through L; 2 operations an entry, one a pivot, and the scaling */
static void work(const void *state, nb_preconditioner_work *work) {
    const ic0 *p = state;
    const double entries = (double)nb_csr_nonzeros(p->factor), rows = p->factor->rows, own = sizeof(real);
    *work = (nb_preconditioner_work){.setup_flops = p->setup_flops,
                                     .apply_flops = 4 * entries,
                                     .apply_bytes = 2 * entries * (own + sizeof(int32_t)) + 3 * rows * own,
                                     .nonzeros = entries};
}

static void destroy(void *state) {
    ic0 *p = state;
    if (p) release(p);
    nb_free(p);
}

const nb_preconditioner_class NB_REAL_NAME(nb_precond_ic0) = {
    .name = "ic0",
    .summary = "incomplete Cholesky without fill, shifted until it exists",
    .suits = "stiffness",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .create = create,
    .set_up_pattern = set_up_pattern,
    .set_up_values = set_up_values,
    .apply = apply,
    .work = work,
    .destroy = destroy,
};
