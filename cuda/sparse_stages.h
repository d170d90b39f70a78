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

/* what a thread of the block of a pair takes of its partial sums */
NB_FN double nb_stage_pair_sum(const nb_view *v, int32_t pair, int32_t thread) {
    return thread < nb_pair_chunks(v) ? v->pair_sums[(int64_t)pair * NB_PAIR_BLOCKS + thread] : 0;
}

#endif
