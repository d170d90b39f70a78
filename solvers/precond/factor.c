/* A Cholesky factor of the diagonally scaled matrix, kept for as long as it is good:
 *
 *     L L^T = D^-1/2 A' D^-1/2 + sigma,   P = D^-1/2 (L L^T)^-1 D^-1/2,   A' this A, or one before
 *
 * It is CHOLMOD's, in double. The shift starts at 0 and grows until every pivot is positive. A row whose diagonal is
 * zero is left alone.
 *
 * A new step has a new factor. Within one, `refresh` says when: for each system; never (step); or
 * where the last solve took more than twice the iterations of the first one with the factor (auto).
 *
 * With `update` rho, on systems of the stiffness form, a factor of a step is kept up to date instead: rows of contacts
 * and joints whose weight changed by more than rho are updated in it (row_updates.h). */
#include <string.h>
#include <tgmath.h>

#include "base/memory.h"
#include "cholmod_factor.h"
#include "precond/row_updates.h"
#include "preconditioner.h"

NB_PRECISIONS(f32, f64);

enum {
    REFRESH,
    UPDATE
};

enum {
    EACH,
    STEP,
    AUTO
};

static const char *const refreshes[] = {[EACH] = "each", [STEP] = "step", [AUTO] = "auto", NULL};

static const nb_option options[] = {
    [REFRESH] = {"refresh", "1", EACH, 0, 0, 0, refreshes,
                 "the factor: with each system, each step, or when iterations have doubled"},
    [UPDATE] = {"update", "1", 0, 0, 1e9, 0, NULL,
                "in its place, rows whose weight changed by more than this factor; 0: none"},
};

typedef struct factor {
    int refresh;
    double update;
    int known;             /* 1: there is a factor of this step */
    int analysed;          /* 1: the present pattern is */
    int64_t serial;        /* of the last system, */
    int64_t pattern_epoch; /* and of its last pattern */
    int made;              /* 1: by the last set-up */
    int32_t first, last;   /* iterations of the first solve with the factor, -1: none yet; and of the last */
    nb_cholmod_factor library;
    nb_row_updates updates;
    int32_t rows;
    double *scale; /* [rows] D^-1/2 of the A that was factorised */
    double setup_flops;
    int64_t scale_capacity;
} factor;

static nb_status create(const double *values, void **state) {
    factor *p;
    nb_status status = NB_ALLOCATE(1, &p);
    if (status == NB_OK) {
        p->refresh = (int)values[REFRESH];
        p->update = values[UPDATE];
        nb_cholmod_factor_begin(&p->library);
    }
    *state = p;
    return status;
}

static void destroy(void *state) {
    factor *p = state;
    if (!p) return;
    nb_cholmod_factor_end(&p->library);
    nb_row_updates_clear(&p->updates);
    nb_free(p->scale);
    nb_free(p);
}

/* A factor that is kept for a step is kept while the pattern grows within it. */
static nb_status set_up_pattern(void *state, nb_system *system) {
    factor *p = state;
    const int grown = p->serial == system->serial && p->pattern_epoch < system->pattern_epoch;
    p->known = p->known && grown && (p->refresh != EACH || p->updates.fits);
    p->analysed = 0;
    p->serial = system->serial;
    p->pattern_epoch = system->pattern_epoch;
    return NB_OK;
}

static nb_status analyse(factor *p, const nb_system *system, const nb_csr *a) {
    nb_status status;
    int64_t upper = 0;
    p->rows = system->rows;
    NB_TRY(NB_RESERVE(a->rows, &p->scale_capacity, &p->scale));
    for (int32_t i = 0; i < a->rows; i++)
        for (int64_t k = a->start[i]; k < a->start[i + 1]; k++) upper += a->column[k] >= i;
    NB_TRY(nb_cholmod_factor_reserve(&p->library, a->rows, upper));
    SuiteSparse_long *start = p->library.matrix->p, *row = p->library.matrix->i, place = 0;
    for (int32_t i = 0; i < a->rows; i++) {
        start[i] = place;
        for (int64_t k = a->start[i]; k < a->start[i + 1]; k++)
            if (a->column[k] >= i) row[place++] = a->column[k];
    }
    start[a->rows] = place;
    NB_TRY(nb_cholmod_factor_analyse(&p->library));
    p->analysed = 1;
    p->updates.fits = 0;
    if (p->update > 0) NB_TRY(nb_row_updates_set_pattern(&p->updates, system, &p->library));
out:
    return status;
}

/* an entry of the scaled and shifted matrix; that of a row left alone is one */
static double entry(const factor *p, const nb_csr *a, int32_t i, int64_t k, double shift) {
    const int32_t j = a->column[k];
    if (p->scale[i] == 0 || p->scale[j] == 0) return i == j;
    return p->scale[i] * (double)a->value[k] * p->scale[j] + (i == j ? shift : 0);
}

/* *done 0 where a pivot is not positive, or may be round-off, as those of a singular A are */
static nb_status factorize(factor *p, const nb_csr *a, double shift, int *done) {
    int32_t failed;
    double *value = p->library.matrix->x;
    for (int32_t i = 0; i < a->rows; i++)
        for (int64_t k = a->start[i]; k < a->start[i + 1]; k++)
            if (a->column[k] >= i) *value++ = entry(p, a, i, k, shift);
    nb_status status = nb_cholmod_factor_make(&p->library, &failed);
    *done = status == NB_OK && failed < 0 &&
            cholmod_l_rcond(p->library.factor, &p->library.common) > fmax(64 * (double)NB_REAL_EPSILON, 1e-12);
    p->setup_flops += p->library.common.fl;
    return status;
}

/* updates take the place of a new factor with each system */
static int is_stale(const factor *p) {
    if (p->known && p->refresh == EACH && p->updates.fits) return 0;
    return !p->known || p->refresh == EACH || (p->refresh == AUTO && p->first >= 0 && p->last > 2 * p->first);
}

/* the factor that there is, with rows updated; p->known 0 where it is of no more use */
static nb_status update(factor *p, const nb_system *system) {
    int done;
    const nb_status status = nb_row_updates_make(&p->updates, system, p->scale, p->update, &p->library, &done);
    p->known = status == NB_OK && done;
    p->setup_flops += p->updates.flops;
    return status;
}

static nb_status set_up_values(void *state, nb_system *system, nb_reason *reason) {
    factor *p = state;
    nb_status status = NB_OK;
    const nb_csr *a;
    p->setup_flops = 0;
    p->made = is_stale(p);
    if (!p->made && p->updates.fits) status = update(p, system);
    p->made = p->made || !p->known;
    if (!p->made || status != NB_OK) return status;
    p->known = 0;
    status = nb_system_matrix(system, &a);
    if (status == NB_OK && !p->analysed) status = analyse(p, system, a);
    for (int32_t i = 0; status == NB_OK && i < a->rows; i++) {
        p->scale[i] = 0;
        for (int64_t k = a->start[i]; k < a->start[i + 1]; k++)
            if (a->column[k] == i && a->value[k] != 0) p->scale[i] = 1 / sqrt(fabs((double)a->value[k]));
    }
    for (double shift = 0; status == NB_OK && shift < 100; shift = fmax(4 * shift, 0x1p-50)) {
        status = factorize(p, a, shift, &p->known);
        if (!p->known) continue;
        nb_row_updates_take(&p->updates, system, p->scale);
        p->first = -1;
        return NB_OK;
    }
    *reason = NB_REASON_NOT_POSITIVE_DEFINITE;
    return status;
}

static void apply(void *state, const real *r, real *z) {
    factor *p = state;
    double *x = p->library.b->x;
    for (int32_t i = 0; i < p->rows; i++) x[i] = p->scale[i] * (double)r[i];
    nb_cholmod_factor_solve(&p->library); /* takes no memory after the first, which set-up made */
    if (p->rows > 0) x = p->library.x->x;
    for (int32_t i = 0; i < p->rows; i++) z[i] = (real)(p->scale[i] * x[i]);
}

static void solved(void *state, int32_t iterations) {
    factor *p = state;
    if (p->first < 0) p->first = iterations;
    p->last = iterations;
}

static int factorised(const void *state) {
    return ((const factor *)state)->made;
}

/* two operations an entry of L in each of two solves, and the scaling */
static void work(const void *state, nb_preconditioner_work *work) {
    const factor *p = state;
    const double rows = p->rows, own = sizeof(double), entries = p->library.common.lnz;
    *work = (nb_preconditioner_work){.setup_flops = p->setup_flops,
                                     .apply_flops = 4 * entries + 2 * rows,
                                     .apply_bytes = 2 * entries * own + 2 * rows * (double)sizeof(real),
                                     .nonzeros = entries};
}

const nb_preconditioner_class NB_REAL_NAME(nb_precond_factor) = {
    .name = "factor",
    .summary = "a Cholesky factor, of each system or kept for several",
    .suits = "stiffness",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .factorises = 1,
    .create = create,
    .set_up_pattern = set_up_pattern,
    .set_up_values = set_up_values,
    .apply = apply,
    .solved = solved,
    .factorised = factorised,
    .work = work,
    .destroy = destroy,
};
