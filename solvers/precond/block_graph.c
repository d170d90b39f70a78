#include "precond/block_graph.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

NB_PRECISIONS(f32, f64);

void nb_block_graph_clear(nb_block_graph *g) {
    nb_free(g->start);
    nb_free(g->neighbour);
    nb_free(g->of_row);
    nb_free(g->seen);
    *g = (nb_block_graph){0};
}

static int compare(const void *a, const void *b) {
    const int32_t i = *(const int32_t *)a, j = *(const int32_t *)b;
    return (i > j) - (i < j);
}

/* The blocks that block i meets, into `out` where that is not NULL; returns how many. `seen` holds no i before. */
static int64_t visit(nb_block_graph *g, const nb_csr *a, int32_t i, int32_t *out) {
    int64_t count = 0;
    g->seen[i] = i;
    for (int64_t k = a->start[g->first[i]]; k < a->start[g->first[i + 1]]; k++) {
        const int32_t j = g->of_row[a->column[k]];
        if (g->seen[j] == i) continue;
        g->seen[j] = i;
        if (out) out[count] = j;
        count++;
    }
    return count;
}

nb_status nb_block_graph_make(nb_block_graph *g, const nb_system *system, const nb_csr *a) {
    nb_status status;
    const nb_delassus *d = system->delassus;
    g->count = d->block_count;
    g->first = d->block_start;
    g->widest = 0;
    NB_TRY(NB_RESERVE(g->count + 1, &g->start_capacity, &g->start));
    NB_TRY(NB_RESERVE(a->rows, &g->of_row_capacity, &g->of_row));
    NB_TRY(NB_RESERVE(g->count, &g->seen_capacity, &g->seen));
    for (int32_t i = 0; i < g->count; i++) {
        const int32_t n = g->first[i + 1] - g->first[i];
        if (n > g->widest) g->widest = n;
        for (int32_t r = g->first[i]; r < g->first[i + 1]; r++) g->of_row[r] = i;
    }
    memset(g->seen, -1, (size_t)g->count * sizeof *g->seen);
    g->start[0] = 0;
    for (int32_t i = 0; i < g->count; i++) g->start[i + 1] = g->start[i] + visit(g, a, i, NULL);
    NB_TRY(NB_RESERVE(g->start[g->count], &g->neighbour_capacity, &g->neighbour));
    memset(g->seen, -1, (size_t)g->count * sizeof *g->seen);
    for (int32_t i = 0; i < g->count; i++) {
        int32_t *own = g->neighbour + g->start[i];
        qsort(own, (size_t)visit(g, a, i, own), sizeof *own, compare);
    }
out:
    return status;
}

/* the neighbours of block i and theirs, the same */
static int64_t visit_twice(nb_block_graph *g, int32_t i, int32_t *out) {
    int64_t count = 0;
    g->seen[i] = i;
    for (int64_t e = g->start[i]; e < g->start[i + 1]; e++)
        for (int64_t f = g->start[g->neighbour[e]]; f <= g->start[g->neighbour[e] + 1]; f++) {
            const int32_t j = f < g->start[g->neighbour[e] + 1] ? g->neighbour[f] : g->neighbour[e];
            if (g->seen[j] == i) continue;
            g->seen[j] = i;
            if (out) out[count] = j;
            count++;
        }
    return count;
}

nb_status nb_block_graph_widen(nb_block_graph *g) {
    nb_status status;
    nb_block_graph wide = {0};
    NB_TRY(NB_RESERVE(g->count + 1, &wide.start_capacity, &wide.start));
    memset(g->seen, -1, (size_t)g->count * sizeof *g->seen);
    wide.start[0] = 0;
    for (int32_t i = 0; i < g->count; i++) wide.start[i + 1] = wide.start[i] + visit_twice(g, i, NULL);
    NB_TRY(NB_RESERVE(wide.start[g->count], &wide.neighbour_capacity, &wide.neighbour));
    memset(g->seen, -1, (size_t)g->count * sizeof *g->seen);
    for (int32_t i = 0; i < g->count; i++) {
        int32_t *own = wide.neighbour + wide.start[i];
        qsort(own, (size_t)visit_twice(g, i, own), sizeof *own, compare);
    }
    nb_free(g->start);
    nb_free(g->neighbour);
    g->start = wide.start;
    g->neighbour = wide.neighbour;
    g->start_capacity = wide.start_capacity;
    g->neighbour_capacity = wide.neighbour_capacity;
    return NB_OK;
out:
    nb_block_graph_clear(&wide);
    return status;
}

void nb_block_gather(const nb_csr *a, int32_t row, int32_t rows, int32_t column, int32_t columns, real *out) {
    memset(out, 0, (size_t)rows * (size_t)columns * sizeof *out);
    for (int32_t r = 0; r < rows; r++) {
        const int64_t end = a->start[row + r + 1];
        for (int64_t k = nb_csr_find(a, row + r, column); k < end && a->column[k] < column + columns; k++)
            out[(int64_t)r * columns + a->column[k] - column] = a->value[k];
    }
}
