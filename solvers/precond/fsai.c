/* Factorised sparse approximate inverse, by blocks (block_graph.h):
 *
 *     P = G^T G,   G lower triangular on the lower half of A's graph,   G A G^T has ones on its diagonal
 *
 * Row block i of G comes from the principal submatrix of A of block i and of the neighbours before it: of the blocks E
 * that solve A_ii E = (0, ..., 1), G_i is W E^T with W^T W the inverse of E's last block. That makes |1 - G L|_F least,
 * L the Cholesky factor of A, on the pattern. Application is two products.
 *
 * With `level` 2 neighbours of neighbours count as well.
 *
 * A pivot of a submatrix that vanishes is replaced (symmetric_block.h); a row whose diagonal is zero is left alone.
 *
 * Kolotilina, Yeremin 1993; by blocks, Janna, Ferronato, Gambolati 2010. */
#include <string.h>
#include <tgmath.h>

#include "base/memory.h"
#include "blocks.h"
#include "precond/block_graph.h"
#include "preconditioner.h"

NB_PRECISIONS(f32, f64);

static const nb_option options[] = {
    {"level", "1", 1, 1, 2, 1, NULL, "G is on the lower half of A's graph; 2: of A^2's"},
};

typedef struct fsai {
    int level;
    nb_block_graph graph;
    int64_t *place;      /* [blocks + 1] where each row block of G starts: its rows, one after the other */
    int32_t *column;     /* [] of a row block's entries, at `columns` */
    int64_t *columns;    /* [blocks + 1] */
    real *value;         /* [place[blocks]] */
    real *local, *right; /* scratch: the largest submatrix; its right-hand side */
    double setup_flops;
    int64_t place_capacity, column_capacity, columns_capacity, value_capacity, local_capacity, right_capacity;
} fsai;

static nb_status create(const double *values, void **state) {
    fsai *p;
    nb_status status = NB_ALLOCATE(1, &p);
    if (status == NB_OK) p->level = (int)values[0];
    *state = p;
    return status;
}

static void destroy(void *state) {
    fsai *p = state;
    if (!p) return;
    nb_block_graph_clear(&p->graph);
    void *owned[] = {p->place, p->column, p->columns, p->value, p->local, p->right};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) nb_free(owned[i]);
    nb_free(p);
}

/* the columns of row block i: those of neighbours before it, and its own; `out` NULL: their number alone */
static int64_t list_columns(const nb_block_graph *g, int32_t i, int32_t *out) {
    int64_t count = 0;
    for (int64_t e = g->start[i]; e <= g->start[i + 1]; e++) {
        const int32_t block = e < g->start[i + 1] && g->neighbour[e] < i ? g->neighbour[e] : i;
        for (int32_t r = g->first[block]; r < g->first[block + 1]; r++, count++)
            if (out) out[count] = r;
        if (block == i) break;
    }
    return count;
}

static nb_status set_up_pattern(void *state, nb_system *system) {
    fsai *p = state;
    nb_status status;
    const nb_csr *a;
    const nb_block_graph *g = &p->graph;
    int64_t largest = 0;
    NB_TRY(nb_system_matrix(system, &a));
    NB_TRY(nb_block_graph_make(&p->graph, system, a));
    if (p->level > 1) NB_TRY(nb_block_graph_widen(&p->graph));
    NB_TRY(NB_RESERVE(g->count + 1, &p->place_capacity, &p->place));
    NB_TRY(NB_RESERVE(g->count + 1, &p->columns_capacity, &p->columns));
    p->place[0] = p->columns[0] = 0;
    for (int32_t i = 0; i < g->count; i++) {
        const int64_t count = list_columns(g, i, NULL);
        if (count > largest) largest = count;
        p->columns[i + 1] = p->columns[i] + count;
        p->place[i + 1] = p->place[i] + count * (g->first[i + 1] - g->first[i]);
    }
    NB_TRY(NB_RESERVE(p->columns[g->count], &p->column_capacity, &p->column));
    NB_TRY(NB_RESERVE(p->place[g->count], &p->value_capacity, &p->value));
    NB_TRY(NB_RESERVE(largest * largest, &p->local_capacity, &p->local));
    NB_TRY(NB_RESERVE(largest, &p->right_capacity, &p->right));
    for (int32_t i = 0; i < g->count; i++) list_columns(g, i, p->column + p->columns[i]);
out:
    return status;
}

/* the principal submatrix of row block i, by rows, its lower triangle alone; returns its size */
static int32_t load(fsai *p, const nb_csr *a, int32_t i) {
    const int32_t *column = p->column + p->columns[i];
    const int32_t n = (int32_t)(p->columns[i + 1] - p->columns[i]);
    for (int32_t r = 0; r < n; r++) {
        real *row = p->local + (int64_t)r * n;
        int64_t k = a->start[column[r]];
        const int64_t end = a->start[column[r] + 1];
        for (int32_t c = 0; c <= r; c++) {
            while (k < end && a->column[k] < column[c]) k++;
            row[c] = k < end && a->column[k] == column[c] ? a->value[k] : 0;
        }
    }
    return n;
}

/* Row block i of G. With L D L^T the submatrix, whose last rows are the block's own, W E^T is D^-1/2 L^-T's last
 * columns, transposed: each is one back substitution. */
static void make_rows(fsai *p, const nb_csr *a, int32_t i) {
    const int32_t n = load(p, a, i), own = p->graph.first[i + 1] - p->graph.first[i];
    const real *l = p->local;
    nb_block_factorize_symmetric(n, p->local, NB_PIVOT_REPLACE);
    for (int32_t k = 0; k < own; k++) {
        const int32_t last = n - own + k;
        real *x = p->right, *row = p->value + p->place[i] + (int64_t)k * n;
        memset(x, 0, (size_t)n * sizeof *x);
        x[last] = sqrt(l[(int64_t)last * n + last]);
        for (int32_t r = last; r >= 0; r--)
            for (int32_t c = 0; x[r] != 0 && c < r; c++) x[c] -= l[(int64_t)r * n + c] * x[r];
        memcpy(row, x, (size_t)n * sizeof *row);
    }
    p->setup_flops += (double)n * n * n / 3 + own * (double)n * n;
}

static nb_status set_up_values(void *state, nb_system *system, nb_reason *reason) {
    fsai *p = state;
    const nb_csr *a;
    nb_status status = nb_system_matrix(system, &a);
    (void)reason;
    if (status != NB_OK) return status;
    p->setup_flops = 0;
    for (int32_t i = 0; i < p->graph.count; i++) make_rows(p, a, i);
    return NB_OK;
}

static void apply(void *state, const real *r, real *z) {
    const fsai *p = state;
    const nb_block_graph *g = &p->graph;
    memset(z, 0, (size_t)g->first[g->count] * sizeof *z);
    for (int32_t i = 0; i < g->count; i++) {
        const int32_t *column = p->column + p->columns[i];
        const int32_t n = (int32_t)(p->columns[i + 1] - p->columns[i]);
        const real *row = p->value + p->place[i];
        for (int32_t k = g->first[i]; k < g->first[i + 1]; k++, row += n) {
            real y = 0;
            for (int32_t c = 0; c < n; c++) y += row[c] * r[column[c]];
            for (int32_t c = 0; c < n; c++) z[column[c]] += row[c] * y;
        }
    }
}

static void parts(const void *state, nb_preconditioner_parts *parts) {
    const fsai *p = state;
    parts->vectors = 1;
    parts->matrix = (nb_block_matrix){.count = p->graph.count,
                                      .start = p->graph.first,
                                      .columns = p->columns,
                                      .column = p->column,
                                      .place = p->place,
                                      .value = p->value};
}

static void apply_by(void *state, const nb_vector_operations *o, const void *r, void *z) {
    (void)state;
    o->multiply(o->state, 0, r, o->vector[0]);
    o->multiply(o->state, 1, o->vector[0], z);
}

/* a multiplication and an addition an entry of G, twice */
static void work(const void *state, nb_preconditioner_work *work) {
    const fsai *p = state;
    const int32_t count = p->graph.count;
    const double rows = p->graph.first[count], own = sizeof(real);
    double entries = 0;
    for (int32_t i = 0; i < count; i++) { /* without those right of the diagonal, which are zero */
        const double n = p->graph.first[i + 1] - p->graph.first[i];
        entries += n * (double)(p->columns[i + 1] - p->columns[i]) - n * (n - 1) / 2;
    }
    *work = (nb_preconditioner_work){
        .setup_flops = p->setup_flops,
        .apply_flops = 4 * entries,
        .apply_bytes = (double)p->place[count] * own + (double)p->columns[count] * sizeof(int32_t) + 2 * rows * own,
        .nonzeros = entries};
}

const nb_preconditioner_class NB_REAL_NAME(nb_precond_fsai) = {
    .name = "fsai",
    .summary = "factorized sparse approximate inverse by blocks, on A's graph",
    .suits = "stiffness",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .create = create,
    .set_up_pattern = set_up_pattern,
    .set_up_values = set_up_values,
    .apply = apply,
    .parts = parts,
    .apply_by = apply_by,
    .work = work,
    .destroy = destroy,
};
