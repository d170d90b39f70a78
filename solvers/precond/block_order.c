#include "precond/block_order.h"

#include <cholmod.h>
#include <stdlib.h>
#include <string.h>

#include "base/ordering.h"

NB_PRECISIONS(f32, f64);

/* ---- reverse Cuthill-McKee ---- */

typedef struct levels {
    const nb_block_graph *graph;
    int32_t *order, *position; /* position -1: not in the order yet */
    int64_t *key;              /* [blocks] scratch */
} levels;

static int64_t degree(const nb_block_graph *g, int32_t i) {
    return g->start[i + 1] - g->start[i];
}

static int compare_keys(const void *a, const void *b) {
    const int64_t i = *(const int64_t *)a, j = *(const int64_t *)b;
    return (i > j) - (i < j);
}

/* Breadth first from `root` over what is not in the order, neighbors of fewer neighbors first, from place `begin` on.
 * Returns the place after the last; *last is a block of the last level with the fewest neighbors. */
static int32_t search(levels *l, int32_t root, int32_t begin, int32_t *last) {
    const nb_block_graph *g = l->graph;
    int32_t end = begin, level = begin;
    l->position[root] = begin;
    l->order[end++] = root;
    for (int32_t at = begin, limit = end; at < end; at++) {
        if (at == limit) {
            level = at;
            limit = end;
        }
        const int32_t own = end;
        for (int64_t e = g->start[l->order[at]]; e < g->start[l->order[at] + 1]; e++) {
            const int32_t j = g->neighbour[e];
            if (l->position[j] >= 0) continue;
            l->key[end++] = degree(g, j) << 32 | j;
            l->position[j] = 0;
        }
        qsort(l->key + own, (size_t)(end - own), sizeof *l->key, compare_keys);
        for (int32_t k = own; k < end; k++) l->order[k] = (int32_t)(l->key[k] & INT32_MAX);
    }
    *last = l->order[level];
    for (int32_t k = level; k < end; k++)
        if (degree(g, l->order[k]) < degree(g, *last)) *last = l->order[k];
    return end;
}

/* from the far end of a first search */
static void reverse_cuthill_mckee(levels *l) {
    const int32_t count = l->graph->count;
    int32_t end = 0, last;
    memset(l->position, -1, (size_t)count * sizeof *l->position);
    for (int32_t root = 0; root < count; root++) {
        if (l->position[root] >= 0) continue;
        const int32_t reached = search(l, root, end, &last);
        for (int32_t k = end; k < reached; k++) l->position[l->order[k]] = -1;
        end = search(l, last, end, &last);
    }
    for (int32_t k = 0; k < count / 2; k++) {
        const int32_t other = l->order[count - 1 - k];
        l->order[count - 1 - k] = l->order[k];
        l->order[k] = other;
    }
}

/* ---- orders of CHOLMOD ---- */

/* the lower triangle by columns */
static cholmod_sparse *pattern_of(const nb_block_graph *g, cholmod_common *common) {
    const size_t n = (size_t)g->count;
    cholmod_sparse *s =
        cholmod_l_allocate_sparse(n, n, (size_t)g->start[g->count] / 2, 1, 1, -1, CHOLMOD_PATTERN, common);
    if (!s) return NULL;
    SuiteSparse_long *start = s->p, *row = s->i, used = 0;
    for (int32_t i = 0; i < g->count; i++) {
        start[i] = used;
        for (int64_t e = g->start[i]; e < g->start[i + 1]; e++)
            if (g->neighbour[e] > i) row[used++] = g->neighbour[e];
    }
    start[g->count] = used;
    return s;
}

static nb_status order_by_cholmod(const nb_block_graph *g, int kind, int32_t *order, int64_t *scratch) {
    cholmod_common common;
    SuiteSparse_long *place = (SuiteSparse_long *)scratch;
    cholmod_l_start(&common);
    common.print = 0;
    common.try_catch = 1; /* no messages of its own */
    cholmod_sparse *s = pattern_of(g, &common);
    nb_ordering_begin();
    const int made = s && (kind == NB_BLOCK_AMD ? cholmod_l_amd(s, NULL, 0, place, &common)
                                                : cholmod_l_metis(s, NULL, 0, 1, place, &common));
    nb_ordering_end();
    cholmod_l_free_sparse(&s, &common);
    cholmod_l_finish(&common);
    if (!made) return nb_fail(NB_ERROR_MEMORY, "out of memory for an order of %d blocks", (int)g->count);
    for (int32_t k = 0; k < g->count; k++) order[k] = (int32_t)place[k];
    return NB_OK;
}

nb_status nb_block_order_make(const nb_block_graph *g, int kind, int32_t *order, int32_t *position, int64_t *scratch) {
    nb_status status = NB_OK;
    if (kind == NB_BLOCK_RCM)
        reverse_cuthill_mckee(&(levels){g, order, position, scratch});
    else if (kind == NB_BLOCK_NATURAL)
        for (int32_t k = 0; k < g->count; k++) order[k] = k;
    else if (g->count > 0)
        status = order_by_cholmod(g, kind, order, scratch);
    for (int32_t k = 0; k < g->count && status == NB_OK; k++) position[order[k]] = k;
    return status;
}
