/* Sparse LU by dense fronts with static pivoting: the structure of the factors is that of the symmetric pattern, found
 * once (a fill-reducing order, supernodes and their rows by CHOLMOD), and pivots are sought within a front alone. New
 * values are then dense arithmetic in memory that is there already: made for matrices that are factorised over and over
 * and whose diagonal blocks are good pivots, as those of contacts are. A matrix that lacks diagonal entries gets its
 * rows in another order (row_matching.h). lu.c sees to the rest: refinement, GMRES where pivots were replaced, and a
 * reason that says where these were not enough.
 *
 * Duff, Reid, "The multifrontal solution of unsymmetric sets of linear equations", 1984. */
#include <cholmod.h>
#include <math.h>
#include <string.h>

#include "base/frontal_matrix.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "base/ordering.h"
#include "linear/lu.h"
#include "linear/row_matching.h"

NB_PRECISIONS(f32, f64);

/* a front in the elimination tree; children come before their parents, and next to each other's subtrees */
typedef struct node {
    nb_frontal_matrix front; /* its `update` is on the stack while the factorisation runs */
    int32_t first;           /* first pivot, in the order of elimination */
    int32_t parent;          /* or -1 */
    const int32_t *row;      /* [rest] in the order of elimination, ascending */
    int32_t *place;          /* [rest] where these are among the parent's pivots and rest */
} node;

typedef struct multifrontal {
    nb_lu_matrix permuted; /* row k is A's row row_of[k], where `permutes` */
    int32_t *row_of;       /* [rows] */
    int permutes;
    int32_t unmatched; /* a column that shows that A is singular, or -1 */
    cholmod_common common;
    cholmod_factor *factor; /* the structure of its factors, over parts: the rows of a contact, or single ones */
    const nb_frontal_kernels *kernels;
    int32_t parts, nodes;
    int32_t *part_start;                          /* [parts + 1] first row */
    int32_t *part_of;                             /* [rows] */
    SuiteSparse_long *graph_start, *graph_column; /* [parts + 1]; which parts meet in A */
    int32_t *order, *rank;                        /* [rows] row of A that is eliminated k-th; k of a row */
    int32_t *row;                                 /* the nodes' */
    node *node;                                   /* [nodes] */
    int32_t *node_of;                             /* [rows] the node of each pivot */
    int32_t *waiting;                             /* [nodes] those whose updates are on the stack */
    int32_t *place;                               /* the nodes' */
    int32_t *exchange;                            /* [rows] */
    int64_t *target;                              /* [entries] where each goes among the numbers */
    double *number;                               /* [numbers] blocks, lowers, uppers and lefts */
    double *stack;                                /* of updates */
    double *size;                                 /* [rows] largest entry of a row, in the order of elimination */
    double *x, *some;                             /* [rows] in the order of elimination; [longest stride] */
    int64_t numbers, nonzeros;
    double flops;
    int64_t part_start_capacity, part_of_capacity, graph_start_capacity, graph_column_capacity, order_capacity,
        rank_capacity, row_capacity, node_capacity, node_of_capacity, waiting_capacity, place_capacity, row_of_capacity,
        exchange_capacity, target_capacity, number_capacity, stack_capacity, size_capacity, x_capacity, some_capacity;
} multifrontal;

static nb_status create(void **state) {
    multifrontal *m;
    nb_status status = NB_ALLOCATE(1, &m);
    *state = m;
    if (status != NB_OK) return status;
    cholmod_l_start(&m->common);
    m->common.print = 0;
    m->common.try_catch = 1; /* no messages of its own */
    m->common.supernodal = CHOLMOD_SUPERNODAL;
    m->kernels = nb_frontal_kernels_get();
    return status;
}

static void destroy(void *state) {
    multifrontal *m = state;
    if (!m) return;
    cholmod_l_free_factor(&m->factor, &m->common);
    cholmod_l_finish(&m->common);
    nb_lu_matrix_clear(&m->permuted);
    void *owned[] = {m->row_of, m->part_start, m->part_of, m->graph_start, m->graph_column, m->order,    m->rank,
                     m->row,    m->node,       m->node_of, m->waiting,     m->place,        m->exchange, m->target,
                     m->number, m->stack,      m->size,    m->x,           m->some};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) nb_free(owned[i]);
    nb_free(m);
}

/* ---- the structure ---- */

/* the parts, and which of them meet */
static nb_status make_graph(multifrontal *m, const nb_lu_matrix *a) {
    nb_status status;
    SuiteSparse_long count = 0;
    NB_TRY(NB_RESERVE(a->rows + 1, &m->part_start_capacity, &m->part_start));
    NB_TRY(NB_RESERVE(a->rows, &m->part_of_capacity, &m->part_of));
    NB_TRY(NB_RESERVE(a->rows + 1, &m->graph_start_capacity, &m->graph_start));
    NB_TRY(NB_RESERVE(a->start[a->rows], &m->graph_column_capacity, &m->graph_column));
    m->parts = 0;
    for (int32_t i = 0; i < a->rows; m->parts++) {
        int32_t end = i + (a->triple[i] ? 3 : 1);
        for (m->part_start[m->parts] = i; i < end; i++) m->part_of[i] = m->parts;
        m->part_start[m->parts + 1] = end;
    }
    for (int32_t p = 0; p < m->parts; p++) {
        SuiteSparse_long row = m->part_start[p], last = -1;
        m->graph_start[p] = count;
        for (SuiteSparse_long k = a->start[row]; k < a->start[row + 1]; k++) {
            SuiteSparse_long q = m->part_of[a->column[k]];
            if (q != last) m->graph_column[count++] = q;
            last = q;
        }
    }
    m->graph_start[m->parts] = count;
out:
    return status;
}

/* Whether every entry of the graph has its mirror image. Those left of the diagonal are met in the order in which their
 * rows have them; next [parts] is scratch. */
static int is_symmetric(const multifrontal *m, int32_t *next) {
    const SuiteSparse_long *start = m->graph_start, *column = m->graph_column;
    memset(next, 0, (size_t)m->parts * sizeof *next);
    for (int32_t i = 0; i < m->parts; i++) {
        SuiteSparse_long k = start[i];
        while (k < start[i + 1] && column[k] < i) k++;
        if (k - start[i] != next[i]) return 0;
        for (; k < start[i + 1]; k++) {
            SuiteSparse_long j = column[k];
            if (j == i) continue;
            SuiteSparse_long mirror = start[j] + next[j]++;
            if (mirror >= start[j + 1] || column[mirror] != i) return 0;
        }
    }
    return 1;
}

/* order, supernodes and their rows, of parts */
static nb_status analyse_graph(multifrontal *m, const nb_lu_matrix *a) {
    size_t n = (size_t)m->parts;
    double one[2] = {1, 0};
    cholmod_sparse graph = {.nrow = n,
                            .ncol = n,
                            .nzmax = (size_t)m->graph_start[n],
                            .p = m->graph_start,
                            .i = m->graph_column,
                            .stype = -1,
                            .itype = CHOLMOD_LONG,
                            .xtype = CHOLMOD_PATTERN,
                            .dtype = CHOLMOD_DOUBLE,
                            .sorted = 1,
                            .packed = 1};
    cholmod_sparse *transposed = NULL, *both = NULL;
    cholmod_l_free_factor(&m->factor, &m->common);
    /* CHOLMOD's own for single rows: up to so many columns of supernodes are merged for a few zeros */
    for (int i = 0; i < 3; i++) m->common.nrelax[i] = (size_t)((int64_t[]){4, 16, 48}[i] * m->parts / a->rows);
    if (is_symmetric(m, m->rank)) {
        m->factor = cholmod_l_analyze(&graph, &m->common);
    } else {
        graph.stype = 0;
        transposed = cholmod_l_transpose(&graph, 0, &m->common);
        if (transposed) both = cholmod_l_add(&graph, transposed, one, one, 0, 1, &m->common);
        if (both) {
            both->stype = -1;
            m->factor = cholmod_l_analyze(both, &m->common);
        }
    }
    cholmod_l_free_sparse(&transposed, &m->common);
    cholmod_l_free_sparse(&both, &m->common);
    return m->factor ? NB_OK
                     : nb_lu_fail(&nb_lu_multifrontal, a, m->common.status == CHOLMOD_OUT_OF_MEMORY, m->common.status);
}

/* ---- fronts ---- */

static int32_t round_up(int32_t count) {
    return (count + NB_FRONTAL_LANES - 1) / NB_FRONTAL_LANES * NB_FRONTAL_LANES;
}

/* the order of rows from that of parts */
static void order_rows(multifrontal *m) {
    const SuiteSparse_long *parts = m->factor->Perm;
    int32_t k = 0;
    for (int32_t p = 0; p < m->parts; p++)
        for (int32_t i = m->part_start[parts[p]]; i < m->part_start[parts[p] + 1]; i++, k++) {
            m->order[k] = i;
            m->rank[i] = k;
        }
}

/* The rows of supernode s, in the order of elimination, to row; returns how many, and how many of these are pivots. */
static int32_t expand_rows(const multifrontal *m, size_t s, int32_t *row, int32_t *pivots) {
    const cholmod_factor *l = m->factor;
    const SuiteSparse_long *super = l->super, *start = l->pi, *part = l->s, *order = l->Perm;
    int32_t count = 0;
    for (SuiteSparse_long k = start[s]; k < start[s + 1]; k++) {
        SuiteSparse_long p = order[part[k]];
        for (int32_t i = m->part_start[p]; i < m->part_start[p + 1]; i++, count++)
            if (row) row[count] = m->rank[i];
        if (k - start[s] == super[s + 1] - super[s] - 1) *pivots = count;
    }
    return count;
}

/* A front whose pivots and rest are row[0 .. count - 1]. */
static nb_status add_node(multifrontal *m, const int32_t *row, int32_t pivots, int32_t count) {
    nb_status status = NB_RESERVE(m->nodes + 1, &m->node_capacity, &m->node);
    if (status != NB_OK) return status;
    m->node[m->nodes] = (node){.front = {pivots, count - pivots, round_up(pivots), round_up(count - pivots), 0},
                               .first = row[0],
                               .row = row + pivots};
    for (int32_t i = 0; i < pivots; i++) m->node_of[row[i]] = m->nodes;
    m->nodes++;
    return NB_OK;
}

/* How many of the pivots row[0 .. pivots - 1] a front takes: no part is cut in two. */
static int32_t pivots_of_a_front(const multifrontal *m, const int32_t *row, int32_t pivots) {
    int32_t taken = NB_FRONTAL_PIVOTS;
    if (pivots <= taken) return pivots;
    while (m->part_of[m->order[row[taken]]] == m->part_of[m->order[row[taken - 1]]]) taken--;
    return taken;
}

/* The fronts of the supernodes, whose rows come one after the other. */
static nb_status make_nodes(multifrontal *m) {
    nb_status status;
    int64_t rows = 0;
    int32_t pivots = 0;
    for (size_t s = 0; s < m->factor->nsuper; s++) rows += expand_rows(m, s, NULL, &pivots);
    NB_TRY(NB_RESERVE(rows, &m->row_capacity, &m->row));
    int32_t *row = m->row;
    m->nodes = 0;
    for (size_t s = 0; s < m->factor->nsuper; s++) {
        int32_t count = expand_rows(m, s, row, &pivots);
        while (pivots > 0) {
            int32_t taken = pivots_of_a_front(m, row, pivots);
            NB_TRY(add_node(m, row, taken, count));
            row += taken;
            count -= taken;
            pivots -= taken;
        }
        row += count;
    }
out:
    return status;
}

/* where row r is among the pivots and the rest of a front */
static int32_t position_in(const node *t, int32_t r) {
    if (r < t->first + t->front.pivots) return r - t->first;
    int32_t low = 0, high = t->front.rest - 1;
    while (low < high) {
        int32_t middle = (low + high) / 2;
        if (t->row[middle] < r)
            low = middle + 1;
        else
            high = middle;
    }
    return t->front.pivots + low;
}

/* parents, and where children's rows are in them */
static nb_status link_nodes(multifrontal *m) {
    int64_t count = 0;
    for (int32_t k = 0; k < m->nodes; k++) count += m->node[k].front.rest;
    nb_status status = NB_RESERVE(count, &m->place_capacity, &m->place);
    if (status != NB_OK) return status;
    int32_t *place = m->place;
    for (int32_t k = 0; k < m->nodes; k++) {
        node *t = &m->node[k];
        t->parent = t->front.rest > 0 ? m->node_of[t->row[0]] : -1;
        t->place = place;
        for (int32_t i = 0; i < t->front.rest; i++) *place++ = position_in(&m->node[t->parent], t->row[i]);
    }
    return NB_OK;
}

/* the most that the stack holds while updates come and go */
static int64_t deepest_stack(const multifrontal *m) {
    int64_t held = 0, deepest = 0;
    int32_t count = 0;
    for (int32_t k = 0; k < m->nodes; k++) {
        int64_t own = (int64_t)m->node[k].front.stride * m->node[k].front.stride;
        if (held + own > deepest) deepest = held + own;
        for (; count > 0 && m->node[m->waiting[count - 1]].parent == k; count--) {
            int64_t stride = m->node[m->waiting[count - 1]].front.stride;
            held -= stride * stride;
        }
        held += own;
        m->waiting[count++] = k;
    }
    return deepest;
}

static nb_status make_room(multifrontal *m) {
    nb_status status;
    int32_t longest = 0;
    m->numbers = m->nonzeros = 0;
    m->flops = 0;
    for (int32_t k = 0; k < m->nodes; k++) {
        const nb_frontal_matrix *f = &m->node[k].front;
        m->numbers += 2 * (int64_t)f->pivots * (f->width + f->stride);
        m->nonzeros += (int64_t)f->pivots * (f->pivots + 2 * f->rest);
        for (int32_t p = f->pivots - 1; p >= 0; p--) m->flops += (1.0 + 2.0 * (p + f->rest)) * (p + f->rest);
        if (f->stride > longest) longest = f->stride;
    }
    NB_TRY(NB_RESERVE(m->numbers, &m->number_capacity, &m->number));
    NB_TRY(NB_RESERVE(m->nodes, &m->waiting_capacity, &m->waiting));
    NB_TRY(NB_RESERVE(deepest_stack(m), &m->stack_capacity, &m->stack));
    NB_TRY(NB_RESERVE(longest, &m->some_capacity, &m->some));
    double *number = m->number;
    for (int32_t k = 0; k < m->nodes; k++) {
        nb_frontal_matrix *f = &m->node[k].front;
        f->exchange = m->exchange + m->node[k].first;
        f->size = m->size + m->node[k].first;
        f->block = number;
        f->lower = f->block + (int64_t)f->pivots * f->width;
        f->upper = f->lower + (int64_t)f->pivots * f->width;
        f->left = f->upper + (int64_t)f->pivots * f->stride;
        number = f->left + (int64_t)f->pivots * f->stride;
    }
out:
    return status;
}

/* where the entries of A go */
static void find_targets(multifrontal *m, const nb_lu_matrix *a) {
    for (int32_t i = 0; i < a->rows && !nb_interrupt_requested(); i++) {
        int32_t row = m->rank[i], last = -1;
        const node *t = m->node;
        int64_t r = 0, c = 0;
        for (SuiteSparse_long e = a->start[i]; e < a->start[i + 1]; e++) {
            int32_t j = (int32_t)a->column[e], part = m->part_of[j], column = m->rank[m->part_start[part]];
            if (part != last) { /* the rows of a part are neighbours in every front */
                t = &m->node[m->node_of[row < column ? row : m->rank[j]]];
                r = position_in(t, row);
                c = position_in(t, column);
                last = part;
            }
            int64_t k = c + j - m->part_start[part];
            const nb_frontal_matrix *f = &t->front;
            const double *to = r < f->pivots && k < f->pivots ? f->block + r * f->width + k
                               : r < f->pivots                ? f->upper + r * f->stride + (k - f->pivots)
                                                              : f->left + k * f->stride + (r - f->pivots);
            m->target[e] = to - m->number;
        }
    }
}

/* the values of the permuted rows, and their pattern where it is new */
static void permute_rows(multifrontal *m, const nb_lu_matrix *a, int new_pattern) {
    nb_lu_matrix *b = &m->permuted;
    SuiteSparse_long count = 0;
    for (SuiteSparse_long i = 0; i < a->rows; i++) {
        const SuiteSparse_long first = a->start[m->row_of[i]], length = a->start[m->row_of[i] + 1] - first;
        memcpy(b->value + count, a->value + first, (size_t)length * sizeof *a->value);
        if (new_pattern) memcpy(b->column + count, a->column + first, (size_t)length * sizeof *a->column);
        b->start[i] = count;
        count += length;
    }
    b->start[a->rows] = count;
}

static nb_status match_rows(multifrontal *m, const nb_lu_matrix *a) {
    nb_status status;
    m->unmatched = -1;
    m->permutes = nb_row_matching_wanted(a);
    if (!m->permutes) return NB_OK;
    NB_TRY(NB_RESERVE(a->rows, &m->row_of_capacity, &m->row_of));
    NB_TRY(nb_row_matching_find(a, m->row_of, &m->unmatched));
    NB_TRY(nb_lu_matrix_reserve(&m->permuted, a->rows, a->start[a->rows]));
    permute_rows(m, a, 1);
out:
    return status;
}

static nb_status analyse(void *state, const nb_lu_matrix *a) {
    multifrontal *m = state;
    nb_status status;
    NB_TRY(match_rows(m, a));
    if (m->permutes) a = &m->permuted;
    NB_TRY(NB_RESERVE(a->rows, &m->order_capacity, &m->order));
    NB_TRY(NB_RESERVE(a->rows, &m->rank_capacity, &m->rank));
    NB_TRY(NB_RESERVE(a->rows, &m->node_of_capacity, &m->node_of));
    NB_TRY(NB_RESERVE(a->rows, &m->exchange_capacity, &m->exchange));
    NB_TRY(NB_RESERVE(a->rows, &m->size_capacity, &m->size));
    NB_TRY(NB_RESERVE(a->rows, &m->x_capacity, &m->x));
    NB_TRY(NB_RESERVE(a->start[a->rows], &m->target_capacity, &m->target));
    NB_TRY(make_graph(m, a));
    NB_TRY(nb_interrupt_check());
    nb_ordering_begin();
    status = analyse_graph(m, a);
    nb_ordering_end();
    if (status != NB_OK) goto out;
    NB_TRY(nb_interrupt_check());
    order_rows(m);
    NB_TRY(make_nodes(m));
    NB_TRY(nb_interrupt_check());
    NB_TRY(link_nodes(m));
    NB_TRY(nb_interrupt_check());
    NB_TRY(make_room(m));
    NB_TRY(nb_interrupt_check());
    find_targets(m, a);
out:
    return status;
}

/* ---- values ---- */

static void load(multifrontal *m, const nb_lu_matrix *a) {
    memset(m->number, 0, (size_t)m->numbers * sizeof *m->number);
    for (SuiteSparse_long i = 0; i < a->rows; i++) {
        double largest = 0;
        for (SuiteSparse_long e = a->start[i]; e < a->start[i + 1]; e++) {
            m->number[m->target[e]] = a->value[e];
            double size = fabs(a->value[e]);
            if (size > largest) largest = size;
        }
        m->size[m->rank[i]] = largest;
    }
}

/* y[place[i]] += x[i] */
static inline void add(int32_t count, const int32_t *restrict place, const double *restrict x, double *restrict y) {
    if (count > 0 && place[count - 1] - place[0] == count - 1) {
        y += place[0];
        for (int32_t i = 0; i < count; i++) y[i] += x[i];
    } else {
        for (int32_t i = 0; i < count; i++) y[place[i]] += x[i];
    }
}

/* a child's update into its parent's front */
static void add_update(const node *child, const nb_frontal_matrix *f) {
    const int32_t *place = child->place, count = child->front.rest, n = f->pivots;
    int32_t inner = 0; /* rows of the child that are pivots of the parent */
    while (inner < count && place[inner] < n) inner++;
    for (int32_t i = 0; i < count; i++) {
        const double *from = child->front.update + (int64_t)i * child->front.stride;
        int64_t row = place[i], outer = row - n;
        if (i < inner) {
            add(inner, place, from, f->block + row * f->width);
            add(count - inner, place + inner, from + inner, f->upper + row * f->stride - n);
        } else {
            for (int32_t j = 0; j < inner; j++) f->left[place[j] * (int64_t)f->stride + outer] += from[j];
            add(count - inner, place + inner, from + inner, f->update + outer * f->stride - n);
        }
    }
}

static int32_t row_of_a(const multifrontal *m, int32_t row) {
    return m->permutes ? m->row_of[row] : row;
}

/* Updates are handed on by a stack: those of a node's children are on its top when it is their turn. */
static nb_status factorise(void *state, const nb_lu_matrix *a, int fresh, nb_lu_factors *factors) {
    multifrontal *m = state;
    int32_t *waiting = m->waiting, count = 0;
    double *top = m->stack;
    (void)fresh; /* every factorisation looks for its own pivots */
    factors->failed_row = m->unmatched;
    if (m->unmatched >= 0) return NB_OK;
    if (m->permutes) permute_rows(m, a, 0);
    load(m, m->permutes ? &m->permuted : a);
    for (int32_t k = 0; k < m->nodes && !nb_interrupt_requested(); k++) {
        nb_frontal_matrix *f = &m->node[k].front;
        int64_t length = (int64_t)f->stride * f->stride;
        f->update = top;
        memset(f->update, 0, (size_t)length * sizeof *top);
        for (; count > 0 && m->node[waiting[count - 1]].parent == k; count--) {
            const node *child = &m->node[waiting[count - 1]];
            add_update(child, f);
            top = child->front.update;
        }
        int32_t replaced = -1, failed = m->kernels->eliminate(f, &replaced);
        if (replaced >= 0 && factors->replaced_row < 0)
            factors->replaced_row = row_of_a(m, m->order[m->node[k].first + replaced]);
        /* that is no proof where the matrix is no longer A, but for replaced pivots */
        if (failed >= 0 && factors->replaced_row == row_of_a(m, m->order[m->node[k].first + failed])) {
            factors->failed_row = row_of_a(m, m->order[m->node[k].first + failed]);
            return NB_OK;
        }
        memmove(top, f->update, (size_t)length * sizeof *top);
        f->update = top;
        top += length;
        waiting[count++] = k;
    }
    factors->nonzeros = m->nonzeros;
    factors->flops = m->flops;
    return nb_interrupt_check();
}

static nb_status solve(void *state, const nb_lu_matrix *a, int transposed, double *x) {
    multifrontal *m = state;
    const nb_frontal_kernels *kernels = m->kernels;
    /* A x = b has the rows of b in their new places, A^T x = b those of x */
    const int32_t *order = m->order;
    for (SuiteSparse_long k = 0; k < a->rows; k++) m->x[k] = x[transposed ? order[k] : row_of_a(m, order[k])];
    for (int32_t k = 0; k < m->nodes; k++) {
        const node *t = &m->node[k];
        (transposed ? kernels->forward_transposed : kernels->forward)(&t->front, m->x + t->first, m->some);
        for (int32_t i = 0; i < t->front.rest; i++) m->x[t->row[i]] -= m->some[i];
    }
    for (int32_t k = m->nodes - 1; k >= 0; k--) {
        const node *t = &m->node[k];
        for (int32_t i = 0; i < t->front.rest; i++) m->some[i] = m->x[t->row[i]];
        for (int32_t i = t->front.rest; i < t->front.stride; i++) m->some[i] = 0;
        (transposed ? kernels->backward_transposed : kernels->backward)(&t->front, m->some, m->x + t->first);
    }
    for (SuiteSparse_long k = 0; k < a->rows; k++) x[transposed ? row_of_a(m, order[k]) : order[k]] = m->x[k];
    return NB_OK;
}

const nb_lu_library nb_lu_multifrontal = {
    .name = "multifrontal LU",
    .create = create,
    .destroy = destroy,
    .analyse = analyse,
    .factorise = factorise,
    .solve = solve,
};

NB_LU_SOLVER(multifrontal, "sparse LU by dense fronts, static pivoting; values after values of one pattern")
