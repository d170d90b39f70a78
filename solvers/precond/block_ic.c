/* Incomplete Cholesky on the blocks of A (block_graph.h), robust: what it drops it compensates, so that pivots stay
 * positive where A is positive definite.
 *
 * With C_i C_i^T the diagonal blocks of A and G_i = C_i^-1, the scaled matrix G A G^T has ones on its diagonal. Column
 * after column of blocks is made from those before it. Of column j, block (i, j) stays where A has one. Other blocks F
 * are fill; one whose Frobenius norm is at most `drop` is dropped, and
 *
 *     sum over k of f_k f_k^T / |f_k| is added to pivot i,   sum over k of |f_k| v_k v_k^T to pivot j,
 *
 * where v_k are orthonormal and f_k = F v_k. With the dropped -F the sum of these terms is positive semidefinite for
 * any v_k. Jacobi rotations make f_k orthogonal; then the terms are (F F^T)^1/2 and (F^T F)^1/2, of the least trace. So
 * the product of the factors is A plus a positive semidefinite matrix, and P is positive definite
 * wherever A is.
 *
 * Blocks are eliminated in an order (block_order.h), of itself by reverse Cuthill-McKee. Kept is M = (1 + N) D (1 +
 * N)^T, which is A + the compensations, with D^-1 and N by blocks. Dependent rows inside a diagonal block, and
 * round-off, still need a shift of the scaled diagonal, which grows until every pivot is positive. A row whose diagonal
 * is zero is left alone: P is zero there.
 *
 * Ajiz, Jennings 1984, "A robust incomplete Choleski-conjugate gradient algorithm", by entries. */
#include <stdlib.h>
#include <string.h>
#include <tgmath.h>

#include "base/interrupt.h"
#include "base/memory.h"
#include "precond/block_order.h"
#include "precond/dense_block.h"
#include "preconditioner.h"

NB_PRECISIONS(f32, f64);

static const char *const orders[] = NB_BLOCK_ORDERS;

static const nb_option options[] = {
    {"drop", "1", 0.03, 0, 1, 0, NULL,
     "blocks of fill with a norm below this in the scaled matrix are dropped and compensated"},
    {"order", "1", NB_BLOCK_RCM, 0, 0, 0, orders,
     "of elimination: reverse Cuthill-McKee, approximate minimum degree, nested dissection"},
};

typedef struct block_ic {
    double drop;
    int kind; /* of the order */
    nb_block_graph graph;
    int32_t *order, *position; /* [blocks] block of each place in the order, and its inverse */
    int64_t *start;            /* [blocks + 1] of each column, by place */
    int64_t *at;               /* [blocks] its first entry that is still to be used */
    int32_t *row;              /* [start[blocks]] places, ascending in a column */
    real *value;               /* [start[blocks]][area] blocks by rows: of the factor, then of N */
    real *inverse;             /* [blocks][area] D^-1, by place */
    double *root, *scale;      /* [blocks][area] C and G, by block */
    double *pivot;             /* [blocks][area] by place: what is left of the scaled diagonal; then c^-1 of c c^T */
    int32_t *first, *next;     /* [blocks] columns whose entry at `at` is in this row, as a list; -1: no more */
    int32_t *slot;             /* [blocks] where a row's block is in `sum`; -1: nowhere */
    int32_t *found;            /* [blocks] rows of the column at hand */
    uint8_t *fill;             /* [blocks] 1: A has no block there */
    double *sum;               /* [found][area] */
    int32_t *begin;            /* [blocks] first row, by place */
    int64_t area;              /* of a block: widest^2 */
    double setup_flops;
    int64_t order_capacity, position_capacity, start_capacity, at_capacity, row_capacity, value_capacity,
        inverse_capacity, root_capacity, scale_capacity, pivot_capacity, first_capacity, next_capacity, slot_capacity,
        found_capacity, fill_capacity, sum_capacity, begin_capacity;
} block_ic;

static nb_status create(const double *values, void **state) {
    block_ic *p;
    nb_status status = NB_ALLOCATE(1, &p);
    if (status == NB_OK) {
        p->drop = values[0];
        p->kind = (int)values[1];
    }
    *state = p;
    return status;
}

static void destroy(void *state) {
    block_ic *p = state;
    if (!p) return;
    nb_block_graph_clear(&p->graph);
    void *owned[] = {p->order, p->position, p->start, p->at,   p->row,   p->value, p->inverse, p->root, p->scale,
                     p->pivot, p->first,    p->next,  p->slot, p->found, p->fill,  p->sum,     p->begin};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) nb_free(owned[i]);
    nb_free(p);
}

static inline int32_t size_of(const block_ic *p, int32_t block) {
    return p->graph.first[block + 1] - p->graph.first[block];
}

static nb_status set_up_pattern(void *state, nb_system *system) {
    block_ic *p = state;
    nb_status status;
    const nb_csr *a;
    nb_block_graph *g = &p->graph;
    NB_TRY(nb_system_matrix(system, &a));
    NB_TRY(nb_block_graph_make(g, system, a));
    p->area = (int64_t)g->widest * g->widest;
    NB_TRY(NB_RESERVE(g->count, &p->order_capacity, &p->order));
    NB_TRY(NB_RESERVE(g->count, &p->position_capacity, &p->position));
    NB_TRY(NB_RESERVE(g->count + 1, &p->start_capacity, &p->start));
    NB_TRY(NB_RESERVE(g->count, &p->at_capacity, &p->at));
    NB_TRY(NB_RESERVE(g->count * p->area, &p->inverse_capacity, &p->inverse));
    NB_TRY(NB_RESERVE(g->count * p->area, &p->root_capacity, &p->root));
    NB_TRY(NB_RESERVE(g->count * p->area, &p->scale_capacity, &p->scale));
    NB_TRY(NB_RESERVE(g->count * p->area, &p->pivot_capacity, &p->pivot));
    NB_TRY(NB_RESERVE(g->count, &p->first_capacity, &p->first));
    NB_TRY(NB_RESERVE(g->count, &p->next_capacity, &p->next));
    NB_TRY(NB_RESERVE(g->count, &p->slot_capacity, &p->slot));
    NB_TRY(NB_RESERVE(g->count, &p->found_capacity, &p->found));
    NB_TRY(NB_RESERVE(g->count, &p->fill_capacity, &p->fill));
    NB_TRY(NB_RESERVE(g->count, &p->begin_capacity, &p->begin));
    memset(p->slot, -1, (size_t)g->count * sizeof *p->slot);
    NB_TRY(nb_block_order_make(g, p->kind, p->order, p->position, p->at));
    for (int32_t k = 0; k < g->count; k++) p->begin[k] = g->first[p->order[k]];
out:
    return status;
}

/* ---- the factor ---- */

/* c [n][m] -= a [n][k] b^T, b [m][k]; sizes are constants where this is inlined */
static inline void subtract_product(int32_t n, int32_t m, int32_t k, const real *a, const real *b, double *c) {
    for (int32_t i = 0; i < n; i++)
        for (int32_t j = 0; j < m; j++) {
            double sum = 0;
            for (int32_t l = 0; l < k; l++) sum += (double)a[i * k + l] * (double)b[j * k + l];
            c[i * m + j] -= sum;
        }
}

/* C, G and the pivots of A's diagonal blocks, with a shift */
static void scale_diagonal(block_ic *p, const nb_csr *a, double shift) {
    double d[NB_DENSE_BLOCK];
    for (int32_t i = 0; i < p->graph.count; i++) {
        const int32_t n = size_of(p, i), row = p->graph.first[i];
        double *c = p->root + i * p->area, *g = p->scale + i * p->area, *e = p->pivot + p->position[i] * p->area;
        nb_dense_gather(a, row, n, row, n, d);
        nb_dense_root(n, d, 64 * (double)NB_REAL_EPSILON, c, g);
        nb_dense_scale(n, n, g, d, g, e);
        for (int32_t k = 0; k < n; k++) e[k * n + k] = g[k * n + k] > 0 ? e[k * n + k] + shift : 1;
        p->setup_flops += 14.0 * n * n * n / 3;
    }
}

/* *sum is the block of row i in the column at hand; a new one is zero, and fill */
static nb_status find_slot(block_ic *p, int32_t i, int32_t *count, double **sum) {
    if (p->slot[i] < 0) {
        const nb_status status = NB_RESERVE((*count + 1) * p->area, &p->sum_capacity, &p->sum);
        if (status != NB_OK) return status;
        p->slot[i] = *count;
        p->found[*count] = i;
        memset(p->sum + *count * p->area, 0, (size_t)p->area * sizeof *p->sum);
        p->fill[i] = 1;
        ++*count;
    }
    *sum = p->sum + p->slot[i] * p->area;
    return NB_OK;
}

/* the blocks of A in column j from the diagonal down, scaled */
static nb_status load(block_ic *p, const nb_csr *a, int32_t j, int32_t *count) {
    const nb_block_graph *g = &p->graph;
    const int32_t block = p->order[j], m = size_of(p, block);
    double full[NB_DENSE_BLOCK];
    nb_status status = NB_OK;
    for (int64_t e = g->start[block]; e < g->start[block + 1]; e++) {
        const int32_t other = g->neighbour[e], n = size_of(p, other);
        double *sum;
        if (p->position[other] < j || !nb_dense_gather(a, g->first[other], n, g->first[block], m, full)) continue;
        NB_TRY(find_slot(p, p->position[other], count, &sum));
        p->fill[p->position[other]] = 0;
        nb_dense_scale(n, m, p->scale + other * p->area, full, p->scale + block * p->area, sum);
        p->setup_flops += 2.0 * n * m * (n + m);
    }
out:
    return status;
}

/* column k's entry at `at` is used up: it waits for the row of its next one */
static void wait(block_ic *p, int32_t k) {
    if (p->at[k] >= p->start[k + 1]) return;
    const int32_t row = p->row[p->at[k]];
    p->next[k] = p->first[row];
    p->first[row] = k;
}

/* subtracts from column j what the columns before it that have a block in row j make */
static nb_status subtract(block_ic *p, int32_t j, int32_t *count) {
    const int32_t m = size_of(p, p->order[j]);
    nb_status status = NB_OK;
    for (int32_t k = p->first[j], after; k >= 0; k = after) {
        const int32_t inner = size_of(p, p->order[k]);
        const real *own = p->value + p->at[k] * p->area;
        after = p->next[k];
        for (int64_t e = p->at[k] + 1; e < p->start[k + 1]; e++) {
            const int32_t n = size_of(p, p->order[p->row[e]]);
            double *sum;
            NB_TRY(find_slot(p, p->row[e], count, &sum));
            if (n == 6 && m == 6 && inner == 6)
                subtract_product(6, 6, 6, p->value + e * p->area, own, sum);
            else if (n == 3 && m == 3 && inner == 3)
                subtract_product(3, 3, 3, p->value + e * p->area, own, sum);
            else
                subtract_product(n, m, inner, p->value + e * p->area, own, sum);
            p->setup_flops += 2.0 * n * m * inner;
        }
        p->at[k]++;
        wait(p, k);
    }
out:
    return status;
}

/* drops the fill of column j that is small; returns how many blocks stay */
static int32_t drop_fill(block_ic *p, int32_t j, int32_t count) {
    const int32_t m = size_of(p, p->order[j]);
    int32_t kept = 0;
    for (int32_t k = 0; k < count; k++) {
        const int32_t i = p->found[k], n = size_of(p, p->order[i]);
        double *f = p->sum + p->slot[i] * p->area, size = 0;
        for (int32_t l = 0; l < n * m; l++) size += f[l] * f[l];
        if (!p->fill[i] || size > p->drop * p->drop) {
            p->found[kept++] = i;
            continue;
        }
        p->slot[i] = -1;
        nb_dense_compensate(n, m, f, p->pivot + i * p->area, p->pivot + j * p->area);
        p->setup_flops += nb_dense_compensation_flops(n, m);
    }
    return kept;
}

static int ascending(const void *a, const void *b) {
    const int32_t i = *(const int32_t *)a, j = *(const int32_t *)b;
    return (i > j) - (i < j);
}

/* Column j of the factor; *exists 0 where its pivot is not positive, or so small that it may be round-off. The pivot's
 * root's inverse takes its place. */
static nb_status store(block_ic *p, int32_t j, int32_t count, int *exists) {
    const int32_t m = size_of(p, p->order[j]);
    const double least = 4096 * (double)NB_REAL_EPSILON;
    double c[NB_DENSE_BLOCK], g[NB_DENSE_BLOCK], turned[NB_DENSE_BLOCK], w[NB_DENSE_BLOCK],
        *pivot = p->pivot + j * p->area;
    nb_status status;
    NB_TRY(NB_RESERVE(p->start[j] + count, &p->row_capacity, &p->row));
    NB_TRY(NB_RESERVE((p->start[j] + count) * p->area, &p->value_capacity, &p->value));
    *exists = nb_dense_root(m, pivot, least, c, g);
    for (int32_t k = 0; k < m; k++) *exists &= c[k * m + k] * c[k * m + k] > least && isfinite(c[k * m + k]);
    nb_dense_transpose(m, m, g, turned);
    memcpy(pivot, g, (size_t)(m * m) * sizeof *pivot);
    qsort(p->found, (size_t)count, sizeof *p->found, ascending);
    for (int32_t k = 0; k < count; k++) {
        const int32_t i = p->found[k], n = size_of(p, p->order[i]);
        const int64_t e = p->start[j] + k;
        real *value = p->value + e * p->area;
        nb_dense_multiply(n, m, m, p->sum + p->slot[i] * p->area, turned, w);
        for (int32_t l = 0; l < n * m; l++) value[l] = (real)w[l];
        subtract_product(n, n, m, value, value, p->pivot + i * p->area);
        p->row[e] = i;
        p->slot[i] = -1;
        p->setup_flops += 2.0 * n * m * (n + m);
    }
    p->setup_flops += 4.0 * m * m * m / 3;
    p->at[j] = p->start[j];
    p->start[j + 1] = p->start[j] + count;
    wait(p, j);
out:
    return status;
}

/* N and D^-1 from the factor W of the scaled matrix: with H = c_j^-1 G_j, N_ij = C_i W_ij H and D_j^-1 = H^T H. Returns
 * whether they are finite. */
static int unscale(block_ic *p) {
    int finite = 1;
    double h[NB_DENSE_BLOCK], turned[NB_DENSE_BLOCK], w[NB_DENSE_BLOCK], part[NB_DENSE_BLOCK], out[NB_DENSE_BLOCK];
    for (int32_t j = 0; j < p->graph.count; j++) {
        const int32_t block = p->order[j], m = size_of(p, block);
        nb_dense_multiply(m, m, m, p->pivot + j * p->area, p->scale + block * p->area, h);
        nb_dense_transpose(m, m, h, turned);
        nb_dense_multiply(m, m, m, turned, h, out);
        finite &= nb_dense_round(m * m, out, p->inverse + j * p->area);
        for (int64_t e = p->start[j]; e < p->start[j + 1]; e++) {
            const int32_t other = p->order[p->row[e]], n = size_of(p, other);
            real *value = p->value + e * p->area;
            for (int32_t l = 0; l < n * m; l++) w[l] = (double)value[l];
            nb_dense_multiply(n, n, m, p->root + other * p->area, w, part);
            nb_dense_multiply(n, m, m, part, h, out);
            finite &= nb_dense_round(n * m, out, value);
            p->setup_flops += 2.0 * n * m * (n + m);
        }
        p->setup_flops += 4.0 * m * m * m;
    }
    return finite;
}

/* *exists 0 where a pivot is not positive */
static nb_status factorize(block_ic *p, const nb_csr *a, double shift, int *exists) {
    const int32_t blocks = p->graph.count;
    nb_status status = NB_OK;
    scale_diagonal(p, a, shift);
    for (int32_t j = 0; j < blocks; j++) p->first[j] = -1;
    *exists = 1;
    p->start[0] = 0;
    for (int32_t j = 0; j < blocks && *exists; j++) {
        int32_t count = 0;
        status = j % 256 == 0 ? nb_interrupt_check() : NB_OK;
        if (status == NB_OK) status = load(p, a, j, &count);
        if (status == NB_OK) status = subtract(p, j, &count);
        if (status == NB_OK) status = store(p, j, drop_fill(p, j, count), exists);
        if (status != NB_OK) break;
    }
    if (status != NB_OK) memset(p->slot, -1, (size_t)blocks * sizeof *p->slot);
    return status;
}

static nb_status set_up_values(void *state, nb_system *system, nb_reason *reason) {
    block_ic *p = state;
    const nb_csr *a;
    nb_status status = nb_system_matrix(system, &a);
    if (status != NB_OK) return status;
    p->setup_flops = 0;
    for (double shift = 0; shift < 100; shift = fmax(4 * shift, 1e-4)) {
        int exists;
        status = factorize(p, a, shift, &exists);
        if (status != NB_OK) return status;
        if (!exists) continue;
        if (!unscale(p)) *reason = NB_REASON_NAN;
        return NB_OK;
    }
    *reason = NB_REASON_NOT_POSITIVE_DEFINITE;
    return NB_OK;
}

/* ---- an application; `wide` is a constant where this is inlined, or 0: blocks are of several sizes ---- */

static inline void solve(const block_ic *p, int32_t wide, real *z) {
    const int32_t blocks = p->graph.count;
    for (int32_t j = 0; j < blocks; j++) {
        const int32_t m = wide ? wide : size_of(p, p->order[j]);
        const real *x = z + p->begin[j];
        for (int64_t e = p->start[j]; e < p->start[j + 1]; e++) {
            const int32_t i = p->row[e], n = wide ? wide : size_of(p, p->order[i]);
            const real *value = p->value + e * p->area;
            real *y = z + p->begin[i];
            for (int32_t k = 0; k < n; k++)
                for (int32_t l = 0; l < m; l++) y[k] -= value[k * m + l] * x[l];
        }
    }
    for (int32_t j = blocks - 1; j >= 0; j--) {
        const int32_t m = wide ? wide : size_of(p, p->order[j]);
        const real *inverse = p->inverse + j * p->area;
        real *x = z + p->begin[j], sum[NB_BLOCK_ROWS] = {0};
        for (int32_t k = 0; k < m; k++)
            for (int32_t l = 0; l < m; l++) sum[l] += inverse[k * m + l] * x[k];
        for (int64_t e = p->start[j]; e < p->start[j + 1]; e++) {
            const int32_t i = p->row[e], n = wide ? wide : size_of(p, p->order[i]);
            const real *value = p->value + e * p->area, *y = z + p->begin[i];
            for (int32_t k = 0; k < n; k++)
                for (int32_t l = 0; l < m; l++) sum[l] -= value[k * m + l] * y[k];
        }
        memcpy(x, sum, (size_t)m * sizeof *x);
    }
}

static void apply(void *state, const real *r, real *z) {
    const block_ic *p = state;
    const int32_t rows = p->graph.first[p->graph.count];
    const int even = rows == p->graph.count * p->graph.widest;
    memcpy(z, r, (size_t)rows * sizeof *z);
    if (even && p->graph.widest == 6)
        solve(p, 6, z);
    else if (even && p->graph.widest == 3)
        solve(p, 3, z);
    else
        solve(p, 0, z);
}

/* both solves go through N: 2 operations a number of its in each, and 2 a number of D^-1 */
static void work(const void *state, nb_preconditioner_work *work) {
    const block_ic *p = state;
    const double own = sizeof(real);
    double numbers = 0, pivots = 0;
    for (int32_t j = 0; j < p->graph.count; j++) {
        const double m = size_of(p, p->order[j]);
        pivots += m * m;
        for (int64_t e = p->start[j]; e < p->start[j + 1]; e++) numbers += m * size_of(p, p->order[p->row[e]]);
    }
    *work = (nb_preconditioner_work){.setup_flops = p->setup_flops,
                                     .apply_flops = 4 * numbers + 2 * pivots,
                                     .apply_bytes = (2 * numbers + pivots + 3 * p->graph.first[p->graph.count]) * own +
                                                    2 * (double)p->start[p->graph.count] * sizeof(int32_t),
                                     .nonzeros = numbers + pivots};
}

const nb_preconditioner_class NB_REAL_NAME(nb_precond_block_ic) = {
    .name = "block-ic",
    .summary = "incomplete Cholesky by blocks of bodies: what is dropped is compensated",
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
