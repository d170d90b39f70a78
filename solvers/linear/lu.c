#include "linear/lu.h"

#include <math.h>
#include <string.h>

#include "base/interrupt.h"
#include "base/memory.h"

NB_PRECISIONS(f32, f64);

const nb_option nb_lu_options[NB_LU_OPTIONS] = {
    {"refinements", "1", 1, 0, 10, 1, NULL, "steps of iterative refinement after the solution"},
};

enum {
    GMRES = 40, /* iterations of a cycle */
    CYCLES = 10 /* at most */
};
static const double few = 1e-8; /* of b: a residual that is good enough */

typedef struct lu {
    const nb_lu_library *library;
    void *state;
    int refinements;
    nb_lu_factors factors;
    nb_lu_matrix a;
    double size;   /* Frobenius norm of its values */
    double *x, *r; /* [rows] */
    double *basis; /* [GMRES + 1][rows] where a pivot was replaced */
    int64_t x_capacity, r_capacity, basis_capacity;
} lu;

/* ---- the matrix ---- */

void nb_lu_matrix_clear(nb_lu_matrix *a) {
    nb_free(a->start);
    nb_free(a->column);
    nb_free(a->value);
    nb_free(a->triple);
    *a = (nb_lu_matrix){0};
}

nb_status nb_lu_matrix_reserve(nb_lu_matrix *a, int64_t rows, int64_t nonzeros) {
    nb_status status;
    a->rows = rows;
    NB_TRY(NB_RESERVE(rows + 1, &a->start_capacity, &a->start));
    NB_TRY(NB_RESERVE(nonzeros, &a->column_capacity, &a->column));
    NB_TRY(NB_RESERVE(nonzeros, &a->value_capacity, &a->value));
    NB_TRY(NB_RESERVE(rows, &a->triple_capacity, &a->triple));
    memset(a->triple, 0, (size_t)rows);
out:
    return status;
}

/* the pattern, or the values, without the diagonal of filled rows */
static void copy_pattern(nb_lu_matrix *a, const nb_csr *entries, const uint8_t *filled) {
    SuiteSparse_long count = 0;
    for (int32_t i = 0; i < entries->rows; i++) {
        a->start[i] = count;
        for (int64_t k = entries->start[i]; k < entries->start[i + 1]; k++)
            if (!filled[i] || entries->column[k] != i) a->column[count++] = entries->column[k];
    }
    a->start[a->rows] = count;
}

static void copy_entries(nb_lu_matrix *a, const nb_csr *entries, const uint8_t *filled) {
    int64_t count = 0;
    for (int32_t i = 0; i < entries->rows; i++)
        for (int64_t k = entries->start[i]; k < entries->start[i + 1]; k++)
            if (!filled[i] || entries->column[k] != i) a->value[count++] = (double)entries->value[k];
}

static int same_columns(const nb_lu_matrix *a, SuiteSparse_long i, SuiteSparse_long k) {
    SuiteSparse_long length = a->start[i + 1] - a->start[i];
    return a->start[k + 1] - a->start[k] == length &&
           memcmp(a->column + a->start[i], a->column + a->start[k], (size_t)length * sizeof *a->column) == 0;
}

/* returns their Frobenius norm */
static double copy_values(nb_lu_matrix *a, const nb_csr *entries, const uint8_t *filled) {
    enum {
        SUMS = 4 /* one would have to wait for itself at each entry */
    };
    if (filled) {
        double square = 0;
        copy_entries(a, entries, filled);
        for (int64_t k = 0; k < a->start[a->rows]; k++) square += a->value[k] * a->value[k];
        return sqrt(square);
    }
    const int64_t count = entries->start[entries->rows];
    double sum[SUMS] = {0};
    int64_t k = 0;
    for (; k + SUMS <= count; k += SUMS)
        for (int i = 0; i < SUMS; i++) {
            a->value[k + i] = (double)entries->value[k + i];
            sum[i] += a->value[k + i] * a->value[k + i];
        }
    for (; k < count; k++) {
        a->value[k] = (double)entries->value[k];
        sum[0] += a->value[k] * a->value[k];
    }
    return sqrt((sum[0] + sum[1]) + (sum[2] + sum[3]));
}

nb_status nb_lu_matrix_copy(nb_lu_matrix *a, const nb_csr *entries, const uint8_t *filled) {
    int64_t nonzeros = entries->start[entries->rows];
    nb_status status = nb_lu_matrix_reserve(a, entries->rows, nonzeros);
    if (status != NB_OK) return status;
    if (filled) {
        copy_pattern(a, entries, filled);
        for (SuiteSparse_long i = 0; i + 2 < a->rows; i++)
            a->triple[i] = same_columns(a, i, i + 1) && same_columns(a, i, i + 2);
    } else {
        for (SuiteSparse_long i = 0; i <= a->rows; i++) a->start[i] = entries->start[i];
        for (int64_t k = 0; k < nonzeros; k++) a->column[k] = entries->column[k];
        if (entries->triple) memcpy(a->triple, entries->triple, (size_t)entries->rows);
    }
    copy_values(a, entries, filled);
    return NB_OK;
}

nb_status nb_lu_fail(const nb_lu_library *library, const nb_lu_matrix *a, int out_of_memory, int code) {
    if (out_of_memory)
        return nb_fail(NB_ERROR_MEMORY, "out of memory in the factorization of %ld rows by %s", (long)a->rows,
                       library->name);
    return nb_fail(NB_ERROR_NUMERIC, "%s cannot factorize %ld rows: it ended with status %d", library->name,
                   (long)a->rows, code);
}

/* ---- the solver ---- */

void nb_lu_destroy(void *state) {
    lu *l = state;
    if (!l) return;
    l->library->destroy(l->state);
    nb_lu_matrix_clear(&l->a);
    nb_free(l->x);
    nb_free(l->r);
    nb_free(l->basis);
    nb_free(l);
}

nb_status nb_lu_create(const nb_lu_library *library, const double *values, void **state) {
    nb_status status;
    lu *l = NULL;
    NB_TRY(NB_ALLOCATE(1, &l));
    l->library = library;
    l->refinements = (int)values[0];
    l->factors.failed_row = -1;
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
    l->factors = (nb_lu_factors){.failed_row = -1, .replaced_row = -1}; /* none of the last pattern's */
    NB_TRY(nb_system_matrix(system, &entries));
    NB_TRY(nb_lu_matrix_copy(&l->a, entries, system->filled));
    NB_TRY(NB_RESERVE(l->a.rows, &l->x_capacity, &l->x));
    NB_TRY(NB_RESERVE(l->a.rows, &l->r_capacity, &l->r));
    l->a.scaled = system->k && !system->symmetric; /* the maker of such a system scales it */
    if (l->a.rows > 0) NB_TRY(l->library->analyse(l->state, &l->a));
out:
    return status;
}

static double norm(int64_t count, const double *x) {
    double sum = 0;
    for (int64_t i = 0; i < count; i++) sum += x[i] * x[i];
    return sqrt(sum);
}

static nb_status factorise(lu *l, int fresh, nb_linear_outcome *outcome) {
    l->factors = (nb_lu_factors){.failed_row = -1, .replaced_row = -1};
    nb_status status = l->library->factorise(l->state, &l->a, fresh, &l->factors);
    if (status != NB_OK) return status;
    outcome->failed_row = l->factors.failed_row;
    if (l->factors.failed_row >= 0) outcome->reason = NB_REASON_SINGULAR;
    outcome->factor_nonzeros = l->factors.nonzeros;
    if (l->factors.replaced_row >= 0) status = NB_RESERVE((GMRES + 1) * l->a.rows, &l->basis_capacity, &l->basis);
    return status;
}

nb_status nb_lu_set_up_values(void *state, nb_system *system, nb_linear_outcome *outcome) {
    lu *l = state;
    const nb_csr *entries;
    nb_status status = nb_system_matrix(system, &entries);
    if (status != NB_OK || l->a.rows == 0) return status;
    l->size = copy_values(&l->a, entries, system->filled);
    return factorise(l, 0, outcome);
}

/* ---- solutions ---- */

/* y = A x */
static void apply(const nb_lu_matrix *a, const double *x, double *y) {
    for (SuiteSparse_long i = 0; i < a->rows;) {
        const SuiteSparse_long *column = a->column + a->start[i], length = a->start[i + 1] - a->start[i];
        const double *value = a->value + a->start[i];
        int rows = a->triple[i] ? 3 : 1;
        double sum[3] = {0};
        if (rows == 3)
            for (SuiteSparse_long k = 0; k < length; k++)
                for (int r = 0; r < 3; r++) sum[r] += value[r * length + k] * x[column[k]];
        else
            for (SuiteSparse_long k = 0; k < length; k++) sum[0] += value[k] * x[column[k]];
        for (int r = 0; r < rows; r++, i++) y[i] = sum[r];
    }
}

/* r = b - A x; returns its 2-norm */
static double residual(lu *l, const real *b) {
    double square = 0;
    apply(&l->a, l->x, l->r);
    for (SuiteSparse_long i = 0; i < l->a.rows; i++) {
        l->r[i] = (double)b[i] - l->r[i];
        square += l->r[i] * l->r[i];
    }
    return sqrt(square);
}

/* x = A^-1 b unrefined; *size = |b - A x| */
static nb_status solve_plain(lu *l, const real *b, double *size) {
    for (SuiteSparse_long i = 0; i < l->a.rows; i++) l->x[i] = (double)b[i];
    nb_status status = l->library->solve(l->state, &l->a, 0, l->x);
    *size = residual(l, b);
    return status;
}

/* ---- replaced pivots ---- */

/* the small least-squares problem of GMRES: H y = size e_1 by rotations, as H gains columns */
typedef struct small {
    double h[GMRES][GMRES + 1]; /* by columns; of each, its upper triangle after the rotations */
    double cosine[GMRES], sine[GMRES], g[GMRES + 1];
} small;

/* rotates column j; returns the residual with it */
static double rotate(small *s, int j) {
    double *h = s->h[j];
    for (int i = 0; i < j; i++) {
        double upper = h[i];
        h[i] = s->cosine[i] * upper + s->sine[i] * h[i + 1];
        h[i + 1] = s->cosine[i] * h[i + 1] - s->sine[i] * upper;
    }
    double length = hypot(h[j], h[j + 1]);
    s->cosine[j] = length > 0 ? h[j] / length : 1;
    s->sine[j] = length > 0 ? h[j + 1] / length : 0;
    h[j] = length;
    s->g[j + 1] = -s->sine[j] * s->g[j];
    s->g[j] *= s->cosine[j];
    return fabs(s->g[j + 1]);
}

/* the sum of the first `count` vectors of the basis with the solution of the small problem, into the first */
static void combine(lu *l, small *s, int count) {
    const SuiteSparse_long n = l->a.rows;
    double *y = s->g;
    for (int j = count - 1; j >= 0; j--) {
        for (int k = j + 1; k < count; k++) y[j] -= s->h[k][j] * y[k];
        y[j] = s->h[j][j] > 0 ? y[j] / s->h[j][j] : 0;
    }
    for (SuiteSparse_long i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < count; j++) sum += y[j] * l->basis[j * n + i];
        l->basis[i] = sum;
    }
}

/* One cycle of GMRES (Saad, Schultz 1986) on A M^-1 from the residual r, of norm `size`, to `enough`; x and r follow.
 * Factors M with k replaced pivots are those of A plus a matrix of rank k, so that k + 1 iterations do but for
 * rounding. */
static nb_status run_gmres(lu *l, const real *b, double enough, double *size) {
    const SuiteSparse_long n = l->a.rows;
    nb_status status = NB_OK;
    small s = {.g = {*size}};
    int count = 0;
    for (SuiteSparse_long i = 0; i < n; i++) l->basis[i] = l->r[i] / *size;
    for (double left = *size; count < GMRES && left > enough && !nb_interrupt_requested(); count++) {
        double *v = l->basis + count * n, *w = v + n, *h = s.h[count];
        memcpy(l->r, v, (size_t)n * sizeof *v);
        NB_TRY(l->library->solve(l->state, &l->a, 0, l->r));
        apply(&l->a, l->r, w);
        for (int pass = 0; pass < 2; pass++)
            for (int j = 0; j <= count; j++) {
                const double *u = l->basis + j * n;
                double along = 0;
                for (SuiteSparse_long i = 0; i < n; i++) along += u[i] * w[i];
                for (SuiteSparse_long i = 0; i < n; i++) w[i] -= along * u[i];
                h[j] += along;
            }
        double length = h[count + 1] = norm(n, w);
        for (SuiteSparse_long i = 0; length > 0 && i < n; i++) w[i] /= length;
        left = rotate(&s, count);
        if (!(length > 0) || !isfinite(left)) left = 0; /* the space is invariant, or rounding has ended it */
    }
    combine(l, &s, count);
    NB_TRY(l->library->solve(l->state, &l->a, 0, l->basis));
    for (SuiteSparse_long i = 0; i < n; i++) l->x[i] += l->basis[i];
    *size = residual(l, b);
out:
    return status;
}

/* whether r is a null vector of A^T to what the factors are good for: no x leaves less of b then, and A is singular */
static int is_left_null(const lu *l, double size, double *image) {
    const nb_lu_matrix *a = &l->a;
    memset(image, 0, (size_t)a->rows * sizeof *image);
    for (SuiteSparse_long i = 0; i < a->rows; i++)
        for (SuiteSparse_long k = a->start[i]; k < a->start[i + 1]; k++) image[a->column[k]] += a->value[k] * l->r[i];
    return norm(a->rows, image) <= 1e-7 * l->size * size;
}

/* cycles that each lower the residual by a tenth at least */
static nb_status run_cycles(lu *l, const real *b, double enough, double *size) {
    nb_status status = NB_OK;
    double before = INFINITY;
    for (int cycle = 0; cycle<CYCLES && * size> enough && *size <= 0.9 * before; cycle++) {
        before = *size;
        NB_TRY(run_gmres(l, b, enough, size));
        NB_TRY(nb_interrupt_check());
    }
out:
    return status;
}

/* The rest of a solve over replaced pivots that refinement leaves at `size` > `enough`: from there, then from x = 0.
 * The reason where both end early: static pivots were not enough, unless A is singular. */
static nb_status solve_replaced(lu *l, const real *b, double enough, double size, nb_linear_outcome *outcome) {
    nb_status status;
    if (isfinite(size)) NB_TRY(run_cycles(l, b, enough, &size));
    if (size <= enough) return NB_OK;
    memset(l->x, 0, (size_t)l->a.rows * sizeof *l->x);
    size = residual(l, b);
    NB_TRY(run_cycles(l, b, enough, &size));
    if (size <= enough) return NB_OK;
    outcome->reason = is_left_null(l, size, l->basis) ? NB_REASON_SINGULAR : NB_REASON_BREAKDOWN;
    outcome->failed_row = l->factors.replaced_row;
out:
    return status;
}

/* ---- the solve ---- */

/* Solves and refines. Pivots that were right for earlier values are seen to be wrong for these by the residual, which
 * the refinement needs anyway; then new ones are found. A residual that is small against neither b nor A and x says
 * that the factors are no good; one that is larger than b, which x = 0 would do better, that A is singular to this
 * precision. */
static nb_status solve_refined(lu *l, const real *b, nb_linear_outcome *outcome) {
    nb_status status;
    double size, start = 0, enough;
    for (SuiteSparse_long i = 0; i < l->a.rows; i++) start += (double)b[i] * (double)b[i];
    start = sqrt(start);
    enough = few * start;
    outcome->reason = NB_REASON_EXACT;
    NB_TRY(solve_plain(l, b, &size));
    if (!(size <= enough) && l->factors.old_pivots) {
        NB_TRY(factorise(l, 1, outcome));
        outcome->factorisations++;
        if (outcome->reason == NB_REASON_SINGULAR) return NB_OK;
        NB_TRY(solve_plain(l, b, &size));
    }
    for (int step = 0; step < l->refinements && !nb_interrupt_requested(); step++) {
        /* it falls further, but where a pivot was replaced */
        int known = size <= enough && step + 1 == l->refinements && l->factors.replaced_row < 0;
        NB_TRY(l->library->solve(l->state, &l->a, 0, l->r));
        for (SuiteSparse_long i = 0; i < l->a.rows; i++) l->x[i] += l->r[i];
        if (!known) size = residual(l, b);
    }
    if (size <= enough) return NB_OK;
    if (l->factors.replaced_row >= 0) return solve_replaced(l, b, enough, size, outcome);
    if (size > start) {
        outcome->reason = NB_REASON_SINGULAR;
    } else if (!(size <= enough + few * l->size * norm(l->a.rows, l->x))) {
        outcome->reason = NB_REASON_ROUND_OFF;
    }
out:
    return status;
}

/* Rounds a solution to the precision of the system: f32 may not hold it to better than x = 0 would be. */
static void round_solution(lu *l, const real *b, nb_linear_outcome *outcome) {
    double start = 0;
    for (SuiteSparse_long i = 0; i < l->a.rows; i++) {
        l->x[i] = (double)(real)l->x[i];
        start += (double)b[i] * (double)b[i];
    }
    start = sqrt(start);
    if (outcome->reason == NB_REASON_SINGULAR || outcome->reason == NB_REASON_BREAKDOWN ||
        (double)NB_REAL_EPSILON * l->size * norm(l->a.rows, l->x) <= start)
        return;
    if (residual(l, b) > start) outcome->reason = NB_REASON_SINGULAR;
}

/* of a solution with all its steps of refinement, and the residuals that these take */
static nb_preconditioner_work work_of(const lu *l) {
    const double times = 1 + l->refinements, entries = (double)l->factors.nonzeros, own = sizeof(double);
    const double a = (double)(l->a.rows > 0 ? l->a.start[l->a.rows] : 0);
    return (nb_preconditioner_work){.setup_flops = l->factors.flops,
                                    .apply_flops = times * 2 * (entries + a),
                                    .apply_bytes = times * (entries + a + 2 * (double)l->a.rows) * own,
                                    .nonzeros = entries};
}

nb_status nb_lu_solve(void *state, nb_system *system, const nb_linear_request *request, real *x,
                      nb_linear_outcome *outcome) {
    lu *l = state;
    nb_status status = NB_OK;
    outcome->reason = l->factors.failed_row < 0 ? NB_REASON_EXACT : NB_REASON_SINGULAR; /* as found with another b */
    outcome->failed_row = l->factors.failed_row;
    if (l->a.rows > 0 && l->factors.failed_row < 0) NB_TRY(solve_refined(l, system->b, outcome));
    if (NB_REAL_BITS == 32 && l->factors.failed_row < 0) round_solution(l, system->b, outcome);
    if (outcome->reason == NB_REASON_SINGULAR || outcome->reason == NB_REASON_BREAKDOWN) return NB_OK;
    if (request->monitor) request->monitor(request->monitor_context, 0, x);
    outcome->iterations = 1;
    outcome->factor_nonzeros = l->factors.nonzeros;
    outcome->work = work_of(l);
    for (SuiteSparse_long i = 0; i < l->a.rows; i++) x[i] = (real)l->x[i];
    if (request->monitor) request->monitor(request->monitor_context, 1, x);
out:
    return status;
}
