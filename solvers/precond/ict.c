/* Incomplete Cholesky by threshold, of the diagonally scaled matrix plus a shift:
 *
 *     L L^T ~ D^-1/2 A D^-1/2 + sigma,   P = D^-1/2 (L L^T)^-1 D^-1/2
 *
 * Column after column is made from those before it, in the system's order or another one of its blocks (block_order.h).
 * Of column j of L stays what is larger than
 * `drop` times the norm of the lower part of the matrix's, and of that the `fill` largest entries. The shift grows from
 * its option until every pivot is positive (Manteuffel 1980); the first after 0 is a tenth of `drop`. Of 17
 * systems of walls that wanted one, none took less than 1e-4 at drop 1e-3, and 15 took 1e-3. A row whose diagonal is
 * zero is left alone. With drop 0, and fill enough, P = A^-1.
 *
 * Munksgaard 1980; Saad 2003, section 10.8. */
#include <tgmath.h>

#include "base/memory.h"
#include "precond/block_order.h"
#include "precond/kept.h"
#include "preconditioner.h"

NB_PRECISIONS(f32, f64);

static const char *const orders[] = NB_BLOCK_ORDERS;

static const nb_option options[] = {
    {"drop", "1", 1e-3, 0, 1, 0, NULL,
     "entries of a column of L below this times the norm of the scaled A's are dropped"},
    {"fill", "1", 200, 0, 1e6, 1, NULL, "most entries of a column below its diagonal"},
    {"shift", "1", 0, 0, 10, 0, NULL, "first shift tried, relative to the diagonal"},
    {"order", "1", NB_BLOCK_NATURAL, 0, 0, 0, orders,
     "of elimination, by blocks: reverse Cuthill-McKee, approximate minimum degree, nested dissection"},
};

enum {
    DROP,
    FILL,
    SHIFT,
    ORDER,
    ROOM = 8 /* entries of L, over those of A, for which there is room before any values are known */
};

typedef struct ict {
    double drop;
    int32_t fill, rows;
    real shift;
    int kind; /* of the order */
    nb_block_graph graph;
    int32_t *order, *place; /* [rows] row of A of each column of L, and its inverse */
    real *scale;            /* [rows] D^-1/2, by row of A */
    real *inverse, *y;      /* [rows] 1 / L_jj; of a solve, in the order */
    int64_t *start, *at;    /* [rows + 1] of each column; [rows] its first entry that is still to be used */
    int32_t *row;           /* [start[rows]] of L below its diagonal, ascending in a column */
    real *value;            /* [start[rows]] */
    int32_t *first, *next;  /* [rows] columns whose entry at `at` is in this row, as a list; -1: no more */
    int32_t *chosen;        /* [rows] scratch */
    nb_kept column;
    double setup_flops;
    int64_t order_capacity, place_capacity, scale_capacity, inverse_capacity, y_capacity, start_capacity, at_capacity,
        row_capacity, value_capacity, first_capacity, next_capacity, chosen_capacity;
} ict;

static nb_status create(const double *values, void **state) {
    ict *p;
    nb_status status = NB_ALLOCATE(1, &p);
    if (status == NB_OK) {
        p->drop = values[DROP];
        p->fill = (int32_t)values[FILL];
        p->shift = (real)values[SHIFT];
        p->kind = (int)values[ORDER];
    }
    *state = p;
    return status;
}

static void destroy(void *state) {
    ict *p = state;
    if (!p) return;
    nb_kept_clear(&p->column);
    nb_block_graph_clear(&p->graph);
    void *owned[] = {p->order, p->place, p->scale, p->inverse, p->y,    p->start,
                     p->at,    p->row,   p->value, p->first,   p->next, p->chosen};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) nb_free(owned[i]);
    nb_free(p);
}

static nb_status reserve_entries(ict *p, int64_t count) {
    nb_status status;
    NB_TRY(NB_RESERVE(count, &p->row_capacity, &p->row));
    NB_TRY(NB_RESERVE(count, &p->value_capacity, &p->value));
out:
    return status;
}

/* the rows in the order of their blocks */
static nb_status order_rows(ict *p, const nb_system *system, const nb_csr *a) {
    nb_status status = NB_OK;
    int32_t count = 0, *block = p->chosen, *position = p->first;
    if (p->kind == NB_BLOCK_NATURAL) {
        for (int32_t i = 0; i < a->rows; i++) p->order[i] = p->place[i] = i;
        return NB_OK;
    }
    NB_TRY(nb_block_graph_make(&p->graph, system, a));
    NB_TRY(nb_block_order_make(&p->graph, p->kind, block, position, p->at));
    for (int32_t k = 0; k < p->graph.count; k++)
        for (int32_t i = p->graph.first[block[k]]; i < p->graph.first[block[k] + 1]; i++) {
            p->place[i] = count;
            p->order[count++] = i;
        }
out:
    return status;
}

static nb_status set_up_pattern(void *state, nb_system *system) {
    ict *p = state;
    nb_status status;
    const nb_csr *a;
    NB_TRY(nb_system_matrix(system, &a));
    const int64_t n = p->rows = a->rows, all = n * (n - 1) / 2, room = ROOM / 2 * nb_csr_nonzeros(a);
    NB_TRY(NB_RESERVE(n, &p->order_capacity, &p->order));
    NB_TRY(NB_RESERVE(n, &p->place_capacity, &p->place));
    NB_TRY(NB_RESERVE(n, &p->scale_capacity, &p->scale));
    NB_TRY(NB_RESERVE(n, &p->inverse_capacity, &p->inverse));
    NB_TRY(NB_RESERVE(n, &p->y_capacity, &p->y));
    NB_TRY(NB_RESERVE(n + 1, &p->start_capacity, &p->start));
    NB_TRY(NB_RESERVE(n, &p->at_capacity, &p->at));
    NB_TRY(NB_RESERVE(n, &p->first_capacity, &p->first));
    NB_TRY(NB_RESERVE(n, &p->next_capacity, &p->next));
    NB_TRY(NB_RESERVE(n, &p->chosen_capacity, &p->chosen));
    NB_TRY(nb_kept_reserve(&p->column, p->rows));
    NB_TRY(reserve_entries(p, all < room ? all : room));
    NB_TRY(order_rows(p, system, a));
out:
    return status;
}

/* column j of the scaled matrix from its diagonal on, shifted; returns its norm without the shift */
static double load(ict *p, const nb_csr *a, int32_t j, real shift) {
    const int32_t own = p->order[j];
    double sum = 0;
    for (int64_t k = a->start[own]; k < a->start[own + 1]; k++) { /* its row: A is symmetric */
        const int32_t i = p->place[a->column[k]];
        if (i < j) continue;
        const real x = p->scale[own] * a->value[k] * p->scale[a->column[k]];
        p->setup_flops += 2;
        nb_kept_add(&p->column, i, x);
        sum += (double)x * (double)x;
    }
    nb_kept_add(&p->column, j, p->scale[own] > 0 ? shift : 1); /* a row left alone has a pivot of one */
    return sqrt(sum);
}

/* column k's entry at `at` is used up: it waits for the row of its next one */
static void wait(ict *p, int32_t k) {
    if (p->at[k] >= p->start[k + 1]) return;
    const int32_t row = p->row[p->at[k]];
    p->next[k] = p->first[row];
    p->first[row] = k;
}

/* takes the columns before that have an entry in row j out of column j */
static void subtract(ict *p, int32_t j) {
    for (int32_t k = p->first[j], after; k >= 0; k = after) {
        after = p->next[k];
        const real factor = p->value[p->at[k]];
        for (int64_t e = p->at[k]; e < p->start[k + 1]; e++) nb_kept_add(&p->column, p->row[e], -factor * p->value[e]);
        p->setup_flops += 2 * (double)(p->start[k + 1] - p->at[k]);
        p->at[k]++;
        wait(p, k);
    }
}

/* keeps what is large of column j, which is done, over the root of its pivot */
static nb_status store(ict *p, int32_t j, double least, real pivot) {
    const int64_t begin = p->start[j];
    const double root = sqrt(fmax((double)pivot, 0));
    const int32_t count = nb_kept_choose(&p->column, NULL, j + 1, p->rows, least * root, p->fill, p->chosen);
    nb_status status = reserve_entries(p, begin + count);
    if (status != NB_OK) return status;
    p->inverse[j] = (real)(1 / root);
    for (int32_t e = 0; e < count; e++) {
        p->row[begin + e] = p->chosen[e];
        p->value[begin + e] = p->column.number[p->chosen[e]] * p->inverse[j];
    }
    p->setup_flops += count + 2;
    p->at[j] = begin;
    p->start[j + 1] = begin + count;
    wait(p, j);
    return NB_OK;
}

/* *exists 0 where a pivot is not positive, or so small that it may be round-off */
static nb_status factorize(ict *p, const nb_csr *a, real shift, int *exists) {
    nb_status status = NB_OK;
    for (int32_t j = 0; j < p->rows; j++) p->first[j] = -1;
    *exists = 1;
    p->start[0] = 0;
    for (int32_t j = 0; j < p->rows && *exists && status == NB_OK; j++) {
        const double norm = load(p, a, j, shift);
        subtract(p, j);
        const real pivot = p->column.number[j];
        *exists = pivot > 4096 * NB_REAL_EPSILON && isfinite(pivot);
        if (*exists) status = store(p, j, p->drop * norm, pivot);
        nb_kept_restart(&p->column);
    }
    return status;
}

static nb_status set_up_values(void *state, nb_system *system, nb_reason *reason) {
    ict *p = state;
    const nb_csr *a;
    nb_status status = nb_system_matrix(system, &a);
    if (status != NB_OK) return status;
    nb_system_diagonal(system, p->scale);
    for (int32_t i = 0; i < a->rows; i++) p->scale[i] = p->scale[i] != 0 ? 1 / sqrt(fabs(p->scale[i])) : 0;
    p->setup_flops = 0;
    const double first =
        fmin(fmax(0.1 * p->drop, 1e-6), 0.1); /* what dropping takes a pivot off by: less seldom helps */
    for (real shift = p->shift; shift < 100;) {
        int exists;
        status = factorize(p, a, shift, &exists);
        if (status != NB_OK || exists) return status;
        shift = fmax(10 * shift, (real)first);
    }
    *reason = NB_REASON_NOT_POSITIVE_DEFINITE;
    return NB_OK;
}

static void apply(void *state, const real *r, real *z) {
    const ict *p = state;
    real *y = p->y;
    for (int32_t j = 0; j < p->rows; j++) y[j] = p->scale[p->order[j]] * r[p->order[j]];
    for (int32_t j = 0; j < p->rows; j++) {
        y[j] *= p->inverse[j];
        for (int64_t e = p->start[j]; e < p->start[j + 1]; e++) y[p->row[e]] -= p->value[e] * y[j];
    }
    for (int32_t j = p->rows - 1; j >= 0; j--) {
        real sum = y[j];
        for (int64_t e = p->start[j]; e < p->start[j + 1]; e++) sum -= p->value[e] * y[p->row[e]];
        y[j] = sum * p->inverse[j];
    }
    for (int32_t j = 0; j < p->rows; j++) z[p->order[j]] = p->scale[p->order[j]] * y[j];
}

/* both solves go through L; 2 operations an entry, one a pivot */
static void work(const void *state, nb_preconditioner_work *work) {
    const ict *p = state;
    const double rows = p->rows, entries = (double)p->start[p->rows], own = sizeof(real);
    *work = (nb_preconditioner_work){.setup_flops = p->setup_flops,
                                     .apply_flops = 4 * entries + 4 * rows,
                                     .apply_bytes = 2 * entries * (own + sizeof(int32_t)) + 5 * rows * own,
                                     .nonzeros = entries + rows};
}

const nb_preconditioner_class NB_REAL_NAME(nb_precond_ict) = {
    .name = "ict",
    .summary = "incomplete Cholesky by threshold, shifted until it exists",
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
