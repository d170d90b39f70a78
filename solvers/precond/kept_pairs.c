#include "precond/kept_pairs.h"

#include <string.h>
#include <tgmath.h>

#include "base/memory.h"

NB_PRECISIONS(f32, f64);

void nb_kept_pairs_begin(nb_kept_pairs *k) {
    *k = (nb_kept_pairs){0};
    nb_cholmod_factor_begin(&k->factor);
}

void nb_kept_pairs_end(nb_kept_pairs *k) {
    void *owned[] = {k->head, k->link, k->next, k->mark, k->start, k->source, k->scale};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) nb_free(owned[i]);
    nb_cholmod_factor_end(&k->factor);
}

nb_status nb_kept_pairs_reserve(nb_kept_pairs *k, const nb_block_graph *graph, const nb_csr *a) {
    nb_status status;
    k->graph = graph;
    k->analysed = 0;
    NB_TRY(NB_RESERVE(graph->count, &k->head_capacity, &k->head));
    NB_TRY(NB_RESERVE(graph->start[graph->count], &k->link_capacity, &k->link));
    NB_TRY(NB_RESERVE(graph->start[graph->count], &k->next_capacity, &k->next));
    NB_TRY(NB_RESERVE(graph->count, &k->mark_capacity, &k->mark));
    NB_TRY(NB_RESERVE(a->rows + 1, &k->start_capacity, &k->start));
    NB_TRY(NB_RESERVE(nb_csr_nonzeros(a), &k->source_capacity, &k->source));
    NB_TRY(NB_RESERVE(a->rows, &k->scale_capacity, &k->scale));
out:
    return status;
}

void nb_kept_pairs_restart(nb_kept_pairs *k) {
    for (int32_t i = 0; i < k->graph->count; i++) k->head[i] = -1;
    k->links = 0;
}

static void add_link(nb_kept_pairs *k, int32_t from, int32_t to) {
    k->link[k->links] = to;
    k->next[k->links] = k->head[from];
    k->head[from] = (int32_t)k->links++;
}

void nb_kept_pairs_add(nb_kept_pairs *k, int32_t i, int32_t j) {
    add_link(k, i, j);
    add_link(k, j, i);
}

/* start and source; *changed 1 where they were others */
static void find_entries(nb_kept_pairs *k, const nb_csr *a, int *changed) {
    const nb_block_graph *g = k->graph;
    int64_t used = 0;
    *changed = !k->analysed;
    memset(k->mark, -1, (size_t)g->count * sizeof *k->mark);
    for (int32_t i = 0; i < g->count; i++) {
        k->mark[i] = i;
        for (int32_t l = k->head[i]; l >= 0; l = k->next[l]) k->mark[k->link[l]] = i;
        for (int32_t r = g->first[i]; r < g->first[i + 1]; r++) {
            k->start[r] = used;
            for (int64_t e = a->start[r]; e < a->start[r + 1]; e++) {
                if (a->column[e] < r || k->mark[g->of_row[a->column[e]]] != i) continue;
                if (k->source[used] != e) *changed = 1;
                k->source[used++] = e;
            }
        }
    }
    if (k->start[a->rows] != used) *changed = 1;
    k->start[a->rows] = used;
}

nb_status nb_kept_pairs_analyse(nb_kept_pairs *k, const nb_csr *a) {
    nb_status status = NB_OK;
    int changed;
    find_entries(k, a, &changed);
    if (!changed) return NB_OK;
    k->analysed = 0;
    NB_TRY(nb_cholmod_factor_reserve(&k->factor, a->rows, k->start[a->rows]));
    SuiteSparse_long *start = k->factor.matrix->p, *row = k->factor.matrix->i;
    for (int32_t r = 0; r <= a->rows; r++) start[r] = k->start[r];
    for (int64_t e = 0; e < k->start[a->rows]; e++) row[e] = a->column[k->source[e]];
    NB_TRY(nb_cholmod_factor_analyse(&k->factor));
    k->analysed = 1;
out:
    return status;
}

nb_status nb_kept_pairs_factorize(nb_kept_pairs *k, const nb_csr *a, const real *size, double shift, int *done) {
    double *value = k->factor.matrix->x;
    const double least = 4096 * (double)NB_REAL_EPSILON;
    int32_t failed;
    for (int32_t r = 0; r < a->rows; r++) k->scale[r] = size[r] > 0 ? 1 / sqrt((double)size[r]) : 0;
    for (int32_t r = 0; r < a->rows; r++)
        for (int64_t e = k->start[r]; e < k->start[r + 1]; e++) {
            const int32_t c = a->column[k->source[e]];
            value[e] = k->scale[r] * (double)a->value[k->source[e]] * k->scale[c];
            if (c == r) value[e] = k->scale[r] > 0 ? value[e] + shift : 1;
        }
    const nb_status status = nb_cholmod_factor_make(&k->factor, &failed);
    *done = status == NB_OK && failed < 0 && cholmod_l_rcond(k->factor.factor, &k->factor.common) > least;
    return status;
}

void nb_kept_pairs_solve(nb_kept_pairs *k, const real *r, real *z) {
    const int32_t rows = k->graph->first[k->graph->count];
    if (rows == 0) return;
    double *b = k->factor.b->x;
    for (int32_t i = 0; i < rows; i++) b[i] = k->scale[i] * (double)r[i];
    nb_cholmod_factor_solve(&k->factor); /* takes no memory after the first, which set-up made */
    const double *x = k->factor.x->x;
    for (int32_t i = 0; i < rows; i++) z[i] = (real)(k->scale[i] * x[i]);
}

/* two operations an entry of L in each of two solves, and the scaling */
void nb_kept_pairs_add_work(const nb_kept_pairs *k, nb_preconditioner_work *work) {
    const double rows = k->graph->first[k->graph->count], entries = k->factor.common.lnz;
    work->nonzeros += entries;
    work->apply_flops += 4 * entries + 2 * rows;
    work->apply_bytes += (2 * entries + 4 * rows) * (double)sizeof(double) + 2 * rows * (double)sizeof(real);
}
