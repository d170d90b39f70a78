/* The blocks of A that lie on a maximum-weight spanning forest of its graph (block_graph.h), factorised without fill:
 *
 *     P = M^-1,   M_ii = A_ii,   M_ij = A_ij where i and j are neighbours in the forest, else 0
 *
 * The weight of a pair is the size of its coupling, |D^-1/2 A_ij D^-1/2|_F with the blocks D on the diagonal. Where
 * A = H + a sum of positive semidefinite terms that act on one or two blocks each, as the stiffness form of bodies with
 * contacts and joints is, M is A with the off-diagonal parts of terms of two left out: positive definite, and
 * P A has no eigenvalue above 2. Where the graph is a forest, P = A^-1.
 *
 * Leaves are eliminated first, so that only the block of the parent changes. Of other systems, and within round-off, M
 * need not be positive: then its diagonal is raised by a share that grows until every pivot is (Manteuffel 1980). A row
 * whose diagonal is zero is left alone.
 *
 * With `extra` x, the heaviest x pairs a node of those that the forest leaves out are kept as well. What is said of M
 * and P A holds of any pairs. The factor then has fill: it is CHOLMOD's, in double (kept_pairs.h).
 *
 * Vaidya 1991; Bern, Gilbert, Hendrickson, Nguyen, Toledo, "Support-graph preconditioners", 2006; there, the diagonal
 * of what is dropped goes with it. */
#include <stdlib.h>
#include <string.h>
#include <tgmath.h>

#include "base/memory.h"
#include "base/union_find.h"
#include "blocks.h"
#include "dense_serial.h"
#include "precond/block_graph.h"
#include "precond/kept_pairs.h"
#include "preconditioner.h"

NB_PRECISIONS(f32, f64);

static const nb_option options[] = {
    {"extra", "1", 0, 0, 100, 0, NULL, "heaviest dropped couplings added back, per node; the factor then has fill"},
};

/* a pair of blocks that meet, i < j */
typedef struct edge {
    double weight;
    int32_t i, j;
    int kept;
} edge;

typedef struct tree {
    double extra;
    nb_kept_pairs filled; /* where `extra` is not 0 */
    nb_block_graph graph;
    edge *edges;                /* [graph.start[blocks] / 2] */
    int32_t *set;               /* [blocks] of union_find.h */
    int32_t *sequence, *parent; /* [blocks] parents first; -1: none */
    int32_t *head;              /* [blocks] its first link, or -1 */
    int32_t *link, *next;       /* [2 blocks] a neighbour in the forest, and the link that follows, or -1 */
    int64_t *place;             /* [blocks + 1] n^2 numbers of each */
    real *factors;              /* [place[blocks]] symmetric_block.h */
    real *towards;              /* [rows][widest] of block i with parent p: G = A_pi M'_ii^-1, p's rows x i's */
    real *coupling;             /* [widest^2] scratch */
    double setup_flops;
    real *diagonal; /* [rows] A's */
    int64_t edges_capacity, set_capacity, sequence_capacity, parent_capacity, head_capacity, link_capacity,
        next_capacity, place_capacity, factors_capacity, towards_capacity, coupling_capacity, diagonal_capacity;
} tree;

static nb_status create(const double *values, void **state) {
    tree *p;
    nb_status status = NB_ALLOCATE(1, &p);
    if (status == NB_OK) {
        p->extra = values[0];
        nb_kept_pairs_begin(&p->filled);
    }
    *state = p;
    return status;
}

static void destroy(void *state) {
    tree *p = state;
    if (!p) return;
    nb_block_graph_clear(&p->graph);
    nb_kept_pairs_end(&p->filled);
    void *owned[] = {p->edges, p->set,   p->sequence, p->parent,  p->head,     p->link,
                     p->next,  p->place, p->factors,  p->towards, p->coupling, p->diagonal};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) nb_free(owned[i]);
    nb_free(p);
}

/* elements, and contacts of their faces, act on three nodes and more: dropping a pair of them may leave no positive M
 */
static nb_status check_pairs(const nb_system *rows) {
    int32_t node[NB_BLOCK_NODES];
    if (!rows || !rows->delassus->type->block_nodes) return NB_OK;
    int nodes = rows->delassus->mass && nb_mass_couples(rows->delassus->mass) ? NB_BLOCK_NODES : 0;
    for (int32_t i = 0; i < rows->delassus->block_count && nodes <= 2; i++)
        nodes = rows->delassus->type->block_nodes(rows->delassus, i, node);
    if (nodes <= 2) return NB_OK;
    return nb_fail(NB_ERROR_USAGE,
                   "preconditioner 'tree' does not support rows of more than two nodes, such as those of "
                   "elements; use block-jacobi");
}

static nb_status set_up_pattern(void *state, nb_system *system) {
    tree *p = state;
    nb_status status;
    const nb_csr *a;
    nb_block_graph *g = &p->graph;
    NB_TRY(check_pairs(system->origin));
    NB_TRY(nb_system_matrix(system, &a));
    NB_TRY(nb_block_graph_make(g, system, a));
    NB_TRY(NB_RESERVE(g->start[g->count] / 2, &p->edges_capacity, &p->edges));
    if (p->extra > 0) NB_TRY(nb_kept_pairs_reserve(&p->filled, g, a));
    NB_TRY(NB_RESERVE(g->count, &p->set_capacity, &p->set));
    NB_TRY(NB_RESERVE(g->count, &p->sequence_capacity, &p->sequence));
    NB_TRY(NB_RESERVE(g->count, &p->parent_capacity, &p->parent));
    NB_TRY(NB_RESERVE(g->count, &p->head_capacity, &p->head));
    NB_TRY(NB_RESERVE(2 * (int64_t)g->count, &p->link_capacity, &p->link));
    NB_TRY(NB_RESERVE(2 * (int64_t)g->count, &p->next_capacity, &p->next));
    NB_TRY(NB_RESERVE(g->count + 1, &p->place_capacity, &p->place));
    p->place[0] = 0;
    for (int32_t i = 0; i < g->count; i++) {
        const int64_t n = g->first[i + 1] - g->first[i];
        p->place[i + 1] = p->place[i] + n * n;
    }
    NB_TRY(NB_RESERVE(p->place[g->count], &p->factors_capacity, &p->factors));
    NB_TRY(NB_RESERVE((int64_t)a->rows * g->widest, &p->towards_capacity, &p->towards));
    NB_TRY(NB_RESERVE(a->rows, &p->diagonal_capacity, &p->diagonal));
    NB_TRY(NB_RESERVE((int64_t)g->widest * g->widest, &p->coupling_capacity, &p->coupling));
out:
    return status;
}

/* ---- the forest ---- */

/* |D_i^-1/2 A_ij D_j^-1/2|_F^2, by the factors L D L^T of the blocks on the diagonal */
static double weigh(tree *p, const nb_csr *a, int32_t i, int32_t j) {
    const int32_t *first = p->graph.first, n = first[i + 1] - first[i], m = first[j + 1] - first[j];
    const real *li = p->factors + p->place[i], *lj = p->factors + p->place[j];
    real *x = p->coupling;
    double sum = 0;
    p->setup_flops += n * m * (n + m + 2.0);
    nb_block_gather(a, first[i], n, first[j], m, x);
    for (int32_t r = 0; r < n; r++) /* L_i^-1 A_ij */
        for (int32_t k = 0; k < r; k++)
            for (int32_t c = 0; c < m; c++) x[r * m + c] -= li[r * n + k] * x[k * m + c];
    for (int32_t r = 0; r < n; r++)
        for (int32_t c = 0; c < m; c++) { /* L_j^-T from the right */
            for (int32_t k = 0; k < c; k++) x[r * m + c] -= lj[c * m + k] * x[r * m + k];
            sum += (double)(x[r * m + c] * li[r * n + r]) * (double)(x[r * m + c] * lj[c * m + c]);
        }
    return sum;
}

/* the heaviest first; among equals the first in the graph */
static int compare(const void *a, const void *b) {
    const edge *x = a, *y = b;
    if (x->weight != y->weight) return x->weight > y->weight ? -1 : 1;
    if (x->i != y->i) return x->i < y->i ? -1 : 1;
    return (x->j > y->j) - (x->j < y->j);
}

static void add_link(tree *p, int32_t from, int32_t to, int32_t *links) {
    p->link[*links] = to;
    p->next[*links] = p->head[from];
    p->head[from] = (*links)++;
}

/* Of the sorted pairs that the forest leaves out, the heaviest; all that are kept go to `filled`. */
static nb_status choose_extra(tree *p, const nb_csr *a, int64_t edges) {
    const double most = floor(p->extra * p->graph.count);
    int64_t added = 0;
    nb_kept_pairs_restart(&p->filled);
    for (int64_t k = 0; k < edges; k++) {
        if (!p->edges[k].kept && added < most && p->edges[k].weight > 0) {
            p->edges[k].kept = 1;
            added++;
        }
        if (p->edges[k].kept) nb_kept_pairs_add(&p->filled, p->edges[k].i, p->edges[k].j);
    }
    return nb_kept_pairs_analyse(&p->filled, a);
}

/* the pairs of the forest (Kruskal 1956), as links; and those that are kept beside them */
static nb_status choose_links(tree *p, const nb_csr *a) {
    const nb_block_graph *g = &p->graph;
    int64_t edges = 0;
    int32_t links = 0;
    for (int32_t i = 0; i < g->count; i++) {
        p->set[i] = i;
        p->head[i] = -1;
        for (int64_t k = g->start[i]; k < g->start[i + 1]; k++)
            if (g->neighbour[k] > i) p->edges[edges++] = (edge){weigh(p, a, i, g->neighbour[k]), i, g->neighbour[k], 0};
    }
    qsort(p->edges, (size_t)edges, sizeof *p->edges, compare);
    for (int64_t k = 0; k < edges; k++) {
        const int32_t i = p->edges[k].i, j = p->edges[k].j;
        if (!(p->edges[k].weight > 0) || nb_root(p->set, i) == nb_root(p->set, j)) continue;
        nb_unite(p->set, i, j);
        p->edges[k].kept = 1;
        add_link(p, i, j, &links);
        add_link(p, j, i, &links);
    }
    return p->extra > 0 ? choose_extra(p, a, edges) : NB_OK;
}

/* parents, and an order in which they come first */
static void order_blocks(tree *p) {
    const int32_t count = p->graph.count, unseen = -2;
    int32_t listed = 0;
    for (int32_t i = 0; i < count; i++) p->parent[i] = unseen;
    for (int32_t root = 0; root < count; root++) {
        if (p->parent[root] != unseen) continue;
        p->parent[root] = -1;
        p->sequence[listed++] = root;
        for (int32_t at = listed - 1; at < listed; at++) {
            const int32_t i = p->sequence[at];
            for (int32_t l = p->head[i]; l >= 0; l = p->next[l]) {
                if (p->parent[p->link[l]] != unseen) continue;
                p->parent[p->link[l]] = i;
                p->sequence[listed++] = p->link[l];
            }
        }
    }
}

/* ---- the factors ---- */

static void load_diagonal(tree *p, const nb_csr *a) {
    const int32_t *first = p->graph.first;
    for (int32_t i = 0; i < p->graph.count; i++) {
        const int32_t n = first[i + 1] - first[i];
        nb_block_gather(a, first[i], n, first[i], n, p->factors + p->place[i]);
    }
}

/* Factorises the block of i, which is final, and takes it out of its parent's; 0 where a pivot is not positive, or
 * round-off of the diagonal. */
static int eliminate(tree *p, const nb_csr *a, int32_t i) {
    const int32_t up = p->parent[i], *first = p->graph.first, n = first[i + 1] - first[i];
    real *factor = p->factors + p->place[i];
    nb_block_factorize_symmetric(n, factor, NB_PIVOT_SKIP);
    p->setup_flops += (double)n * n * n / 3;
    for (int32_t r = 0; r < n; r++) {
        const real inverse = factor[(int64_t)r * n + r], size = p->diagonal[first[i] + r];
        if (size != 0 && !(inverse > 0 && inverse * (64 * NB_REAL_EPSILON * size) < 1)) return 0;
    }
    if (up < 0) return 1;
    const int32_t m = first[up + 1] - first[up];
    p->setup_flops += 2.0 * n * n * m + (double)n * m * (m + 1);
    real *g = p->towards + (int64_t)first[i] * p->graph.widest, *parent = p->factors + p->place[up];
    nb_block_gather(a, first[up], m, first[i], n, p->coupling);
    memcpy(g, p->coupling, (size_t)m * (size_t)n * sizeof *g);
    for (int32_t r = 0; r < m; r++) nb_block_solve_symmetric(n, factor, g + (int64_t)r * n);
    for (int32_t r = 0; r < m; r++)
        for (int32_t c = 0; c <= r; c++)
            for (int32_t k = 0; k < n; k++)
                parent[(int64_t)r * m + c] -= p->coupling[(int64_t)r * n + k] * g[(int64_t)c * n + k];
    return 1;
}

/* of M with its diagonal raised by a share of itself; *done 0 where a pivot is not positive */
static nb_status factorize(tree *p, const nb_csr *a, real shift, int *done) {
    if (p->extra > 0) {
        const nb_status status = nb_kept_pairs_factorize(&p->filled, a, p->diagonal, (double)shift, done);
        p->setup_flops += p->filled.factor.common.fl;
        return status;
    }
    load_diagonal(p, a);
    const int32_t *first = p->graph.first;
    for (int32_t i = 0; i < p->graph.count; i++)
        for (int32_t n = first[i + 1] - first[i], r = 0; r < n; r++)
            p->factors[p->place[i] + (int64_t)r * n + r] += shift * p->diagonal[first[i] + r];
    *done = 1;
    for (int32_t k = p->graph.count - 1; k >= 0 && *done; k--) *done = eliminate(p, a, p->sequence[k]);
    return NB_OK;
}

static nb_status make_values(tree *p, nb_system *system, nb_reason *reason) {
    const nb_csr *a;
    nb_status status = nb_system_matrix(system, &a);
    if (status != NB_OK) return status;
    const int32_t *first = p->graph.first;
    nb_system_diagonal(system, p->diagonal);
    for (int32_t i = 0; i < a->rows; i++) p->diagonal[i] = fabs(p->diagonal[i]);
    load_diagonal(p, a);
    p->setup_flops = 0;
    for (int32_t i = 0; i < p->graph.count; i++) {
        const double n = first[i + 1] - first[i];
        nb_block_factorize_symmetric((int32_t)n, p->factors + p->place[i], NB_PIVOT_REPLACE);
        p->setup_flops += n * n * n / 3;
    }
    status = choose_links(p, a);
    order_blocks(p);
    for (real shift = 0; shift < 100 && status == NB_OK;) {
        int done;
        status = factorize(p, a, shift, &done);
        if (done) return status;
        shift = fmax(8 * shift, 64 * NB_REAL_EPSILON);
    }
    *reason = NB_REASON_NOT_POSITIVE_DEFINITE;
    return status;
}

static nb_status set_up_values(void *state, nb_system *system, nb_reason *reason) {
    nb_dense_serial_begin();
    const nb_status status = make_values(state, system, reason);
    nb_dense_serial_end();
    return status;
}

static void apply(void *state, const real *r, real *z) {
    tree *p = state;
    if (p->extra > 0) {
        nb_kept_pairs_solve(&p->filled, r, z);
        return;
    }
    const int32_t *first = p->graph.first, count = p->graph.count;
    memcpy(z, r, (size_t)first[count] * sizeof *z);
    for (int32_t k = count - 1; k >= 0; k--) {
        const int32_t i = p->sequence[k], up = p->parent[i], n = first[i + 1] - first[i];
        const real *g = p->towards + (int64_t)first[i] * p->graph.widest;
        real *x = z + first[i];
        for (int32_t a = 0; up >= 0 && a < first[up + 1] - first[up]; a++)
            for (int32_t b = 0; b < n; b++) z[first[up] + a] -= g[(int64_t)a * n + b] * x[b];
        nb_block_solve_symmetric(n, p->factors + p->place[i], x);
    }
    for (int32_t k = 0; k < count; k++) {
        const int32_t i = p->sequence[k], up = p->parent[i], n = first[i + 1] - first[i];
        const real *g = p->towards + (int64_t)first[i] * p->graph.widest;
        for (int32_t a = 0; up >= 0 && a < first[up + 1] - first[up]; a++)
            for (int32_t b = 0; b < n; b++) z[first[i] + b] -= g[(int64_t)a * n + b] * z[first[up] + a];
    }
}

/* to the leading order in a block's size: 2 n^2 of a solve, and two passes over what is between a block and its parent
 */
static void work(const void *state, nb_preconditioner_work *work) {
    const tree *p = state;
    const int32_t *first = p->graph.first, count = p->graph.count;
    *work = (nb_preconditioner_work){.setup_flops = p->setup_flops};
    if (p->extra > 0) {
        nb_kept_pairs_add_work(&p->filled, work);
        return;
    }
    for (int32_t i = 0; i < count; i++) {
        const double n = first[i + 1] - first[i];
        const int32_t up = p->parent[i];
        const double between = up < 0 ? 0 : n * (first[up + 1] - first[up]);
        work->apply_flops += 2 * n * n + 4 * between;
        work->nonzeros += n * (n + 1) / 2 + between;
        work->apply_bytes += (n * (n + 1) / 2 + 2 * between + 3 * n) * (double)sizeof(real);
    }
}

const nb_preconditioner_class NB_REAL_NAME(nb_precond_tree) = {
    .name = "tree",
    .summary = "the heaviest spanning forest of the nodes' couplings, factorized without fill",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .form = "stiffness",
    .create = create,
    .set_up_pattern = set_up_pattern,
    .set_up_values = set_up_values,
    .apply = apply,
    .work = work,
    .destroy = destroy,
};
