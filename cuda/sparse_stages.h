/* The stages of products with a sparse matrix by blocks of rows, and of many vectors at once (view.h). */
#ifndef NB_CUDA_SPARSE_STAGES_H
#define NB_CUDA_SPARSE_STAGES_H

#include "stages.h"

/* A lane's share of block b of M x, or of M^T x. What a number is added to stays in a register, as loops over rows are
 * unrolled. */
NB_FN void nb_stage_rows(const nb_view *v, const nb_pass *p, int32_t b, int lane, real sum[NB_BLOCK_ROWS]) {
    const nb_view_rows *m = &v->matrix[p->backward ? 1 : 0];
    const int32_t rows = m->first[b + 1] - m->first[b], width = (int32_t)(m->start[b + 1] - m->start[b]);
    const int32_t *column = m->column + m->start[b];
    const real *value = m->value + m->place[b];
    for (int k = 0; k < NB_BLOCK_ROWS; k++) sum[k] = 0;
    for (int32_t e = lane; e < width; e += NB_WARP) {
        const real x = (real)p->x[column[e]];
        for (int k = 0; k < NB_BLOCK_ROWS; k++)
            if (k < rows) sum[k] += value[(int64_t)k * width + e] * x;
    }
}

/* what the lanes of block b have added up */
NB_FN void nb_stage_rows_end(const nb_view *v, const nb_pass *p, int32_t b, const real sum[NB_BLOCK_ROWS]) {
    const nb_view_rows *m = &v->matrix[p->backward ? 1 : 0];
    const int32_t first = m->first[b], rows = m->first[b + 1] - first;
    for (int k = 0; k < NB_BLOCK_ROWS; k++)
        if (k < rows) p->out[v->place[first + k]] = (storage)sum[k];
}

NB_FN void nb_stage_axpys(const nb_view *v, const nb_pass *p, int64_t i) {
    real sum = 0;
    for (int32_t k = 0; k < p->counts[0]; k++) sum += v->axpy_a[k] * (real)v->axpy_x[k][i];
    p->y[i] = (storage)((real)p->y[i] + sum);
}

/* What one thread adds up of a group of pairs, every `step`th number from i on. What the last group has less is the
 * first pair again, which nobody takes. */
NB_FN void nb_stage_pairs(const nb_view *v, const nb_pass *p, int32_t group, int64_t i, int64_t step,
                          double sums[NB_SUMS]) {
    const storage *x[NB_PAIR_GROUP], *y[NB_PAIR_GROUP];
    const int64_t length = nb_view_length(v);
    for (int k = 0; k < NB_PAIR_GROUP; k++) {
        const int32_t pair = group * NB_PAIR_GROUP + k, at = pair < p->counts[0] ? pair : 0;
        x[k] = v->pair_x[at];
        y[k] = v->pair_y[at];
    }
    for (; i < length; i += step)
        for (int k = 0; k < NB_PAIR_GROUP; k++) sums[k] += (double)x[k][i] * (double)y[k][i];
}

/* where block `block` of the pass leaves its sum k; NULL: nobody takes it */
NB_FN double *nb_pair_sum_place(const nb_view *v, const nb_pass *p, int32_t block, int k) {
    const int32_t chunks = nb_pair_chunks(v), pair = block / chunks * NB_PAIR_GROUP + k;
    return pair < p->counts[0] ? &v->pair_sums[(int64_t)pair * NB_PAIR_BLOCKS + block % chunks] : (double *)0;
}

/* where the sum of a pair goes */
NB_FN double *nb_pair_total(const nb_view *v, const nb_pass *p, int32_t pair) {
    return p->slot > 0 ? &v->products[pair] : &v->sums[NB_REDUCED + pair];
}

/* what a thread of the block of a pair takes of its partial sums */
NB_FN double nb_stage_pair_sum(const nb_view *v, int32_t pair, int32_t thread) {
    return thread < nb_pair_chunks(v) ? v->pair_sums[(int64_t)pair * NB_PAIR_BLOCKS + thread] : 0;
}

/* ---- deflation by the device itself (nb_pcr_projection) ---- */

/* the iteration that it is at, counted from `first`; elsewhere than in the `count` from there on: -1 */
NB_FN int32_t nb_logged(const nb_pcr_slot *slot, int32_t first, int32_t count) {
    int32_t j = slot->state.iterations - first;
    return j < count ? j : -1;
}

/* c = (A W)^T z - W^T v; a thread does a row, here and below, with a barrier after each call */
NB_FN void nb_project_begin(const nb_view *v, const nb_pass *p, int32_t i, double *c) {
    const int32_t count = p->counts[0], j = nb_logged(&v->slots[1], p->counts[1], p->counts[2]);
    if (i >= count) return;
    c[i] = v->products[i] - v->products[count + i];
    if (j >= 0) v->images[(int64_t)j * count + i] = v->products[i];
}

/* step l of L d = c, and of L^T c = d */
NB_FN void nb_project_lower(const nb_view *v, const nb_pass *p, int32_t l, int32_t i, double *c, double *d) {
    const double *e = v->factor, pivot = e[(int64_t)l * v->factor_stride + l];
    if (i == l) d[l] = c[l] / pivot;
    if (i > l && i < p->counts[0]) c[i] -= e[(int64_t)i * v->factor_stride + l] * (c[l] / pivot);
}

NB_FN void nb_project_upper(const nb_view *v, int32_t l, int32_t i, double *d, double *c) {
    const double *e = v->factor + (int64_t)l * v->factor_stride;
    if (i == l) c[l] = d[l] / e[l];
    if (i < l) d[i] -= e[i] * (d[l] / e[l]);
}

NB_FN void nb_stage_collect(const nb_view *v, const nb_pass *p, int64_t i) {
    const int32_t j = nb_logged(&v->slots[1], p->counts[0], p->counts[1]);
    if (j >= 0)
        p->y[j * (int64_t)p->counts[2] + i] = (storage)((real)(1 / sqrt(v->slots[1].state.zaz)) * (real)p->x[i]);
}

/* what OWN_UPDATE decides by; its counts begin as those of OWN_COLLECT */
NB_FN void nb_own_log(const nb_view *v, const nb_pass *p, const nb_pcr_slot *before, double square) {
    const int32_t j = nb_logged(before, p->counts[0], p->counts[1]);
    if (j < 0 || before->state.reason != NB_REASON_NONE) return;
    v->log[3 * (int64_t)j] = before->state.zaz;
    v->log[3 * (int64_t)j + 1] = before->state.beta;
    v->log[3 * (int64_t)j + 2] = square;
}

#endif
