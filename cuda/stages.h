/* The stages of the passes (view.h), each a function of an item's number: the kernels run them over threads, the
 * emulation in a loop. Between two stages of a kernel stands a barrier or an exchange in a warp, which the stages leave
 * to their callers; within one, no thread reads what another writes.
 *
 * The recurrences are those of solvers/linear/vector_backend.h, the operator is core/operator/sum.h: a contact's force
 * acts on body a with its arm and against it on body b. */
#ifndef NB_CUDA_STAGES_H
#define NB_CUDA_STAGES_H

#include "pack_stages.h"

NB_FN void nb_cross(const real a[3], const real b[3], real c[3]) {
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

NB_FN void nb_load3(const storage *from, int64_t stride, real to[3]) {
    for (int k = 0; k < 3; k++) to[k] = (real)from[k * stride];
}

NB_FN void nb_load_frame(const nb_view *v, int32_t i, real n[3], real t1[3], real t2[3]) {
    nb_load3(v->frame + i, v->contact_stride, n);
    nb_load3(v->frame + 3 * (int64_t)v->contact_stride + i, v->contact_stride, t1);
    nb_cross(n, t1, t2);
}

/* ---- set-up ---- */

NB_FN void nb_contact_values(const nb_view *v, int32_t i) {
    const nb_contact_rows *c = &v->contact_rows[v->contact_source[i]];
    for (int k = 0; k < 6; k++) v->frame[k * (int64_t)v->contact_stride + i] = (storage)c->direction[k / 3][k % 3];
    for (int k = 0; k < 3; k++) {
        v->arm[k * (int64_t)v->contact_stride + i] = (storage)c->arm_a[k];
        v->arm[(3 + k) * (int64_t)v->contact_stride + i] = (storage)c->arm_b[k];
    }
}

NB_FN void nb_contact_side_values(const nb_view *v, int32_t e) {
    int32_t entry = v->contact_list[e];
    const nb_contact_rows *c = &v->contact_rows[v->contact_source[entry / 2]];
    const real *arm = entry % 2 ? c->arm_b : c->arm_a;
    for (int k = 0; k < 3; k++) v->side_arm[k * (int64_t)v->contact_sides + e] = (storage)arm[k];
}

NB_FN void nb_joint_row_values(const nb_view *v, int32_t j) {
    for (int k = 0; k < 12; k++) v->row[k * (int64_t)v->joint_stride + j] = (storage)v->joint_row_source[j].j[k];
}

NB_FN void nb_joint_row_side_values(const nb_view *v, int32_t e) {
    int32_t entry = v->joint_list[e];
    const real *half = v->joint_row_source[entry / 2].j + 6 * (entry % 2);
    for (int k = 0; k < 6; k++) v->side_row[k * (int64_t)v->joint_sides + e] = (storage)half[k];
}

NB_FN void nb_stage_values(const nb_view *v, int32_t i, int packs) {
    if (i < v->contacts) nb_contact_values(v, i);
    if (i < v->contact_sides) nb_contact_side_values(v, i);
    if (i < v->joint_rows) nb_joint_row_values(v, i);
    if (i < v->joint_sides) nb_joint_row_side_values(v, i);
    if (packs && i < v->pack_items) nb_stage_pack_values(v, i);
}

NB_FN void nb_stage_weights(const nb_view *v, const nb_pass *p, int32_t r, int packs) {
    if (packs && r < v->pack_items) nb_stage_pack_weights(v, p, r);
    if (packs && r >= v->rows) return;
    int32_t at = v->place[r];
    real diagonal = p->take_diagonal ? v->row_values[2][r] : 1;
    real root = p->take_diagonal ? NB_SQRT(diagonal) : 1;
    v->root[r] = root;
    v->s[at] = (storage)(v->row_values[0][r] * root);
    v->c[at] = (storage)(v->row_values[1][r] * diagonal);
}

NB_FN void nb_stage_take(const nb_view *v, const nb_pass *p, int32_t r) {
    p->y[v->place[r]] = (storage)(v->root[r] * v->row_values[0][r]);
}

NB_FN void nb_stage_give(const nb_view *v, const nb_pass *p, int32_t r) {
    int32_t at = v->place[r];
    real value = (real)p->x[at];
    if (p->d) value += p->a * (real)p->d[at];
    v->row_values[0][r] = v->root[r] * value;
}

NB_FN void nb_stage_scaled(const nb_view *v, const nb_pass *p, int32_t r, double sums[NB_SUMS]) {
    double root = (double)v->root[r], x = (double)p->x[v->place[r]];
    double scaled = !p->inverse ? root * x : root > 0 ? x / root : 0;
    sums[0] += scaled * scaled;
}

/* ---- products ---- */

/* `count` rows, row k at `at` + k stride: y = a x + b y, with its sums, and s y. All is read before anything is
 * written: what is written might be read next as far as the compiler knows, and a thread would wait for memory once a
 * row. */
NB_FN void nb_update_rows(const nb_view *v, const nb_pass *p, int count, int64_t at, int64_t stride, real *sy,
                          double sums[NB_SUMS]) {
    storage y[3], x[3], c[3], s[3];
    for (int k = 0; k < count; k++) {
        y[k] = p->y[at + k * stride];
        x[k] = p->x ? p->x[at + k * stride] : (storage)0;
        c[k] = p->with_sums ? v->c[at + k * stride] : (storage)0;
        s[k] = v->s[at + k * stride];
    }
    for (int k = 0; k < count; k++) {
        if (p->x) p->y[at + k * stride] = y[k] = (storage)(p->a * (real)x[k] + p->b * (real)y[k]);
        sy[k] = (real)s[k] * (real)y[k];
        if (!p->with_sums) continue;
        double square = (double)y[k] * (double)y[k];
        sums[0] += square;
        sums[1] += (double)c[k] * square;
    }
}

NB_FN void nb_update_contact(const nb_view *v, const nb_pass *p, int32_t i, double sums[NB_SUMS]) {
    real n[3], t1[3], t2[3], f[3];
    nb_load_frame(v, i, n, t1, t2);
    nb_update_rows(v, p, 3, i, v->contact_stride, f, sums);
    for (int k = 0; k < 3; k++)
        v->force[k * (int64_t)v->contact_stride + i] = f[0] * n[k] + f[1] * t1[k] + f[2] * t2[k];
}

/* K y is of the block's own rows, which this thread has updated */
NB_FN void nb_update_pack(const nb_view *v, const nb_pass *p, int32_t item, double sums[NB_SUMS]) {
    real y[NB_BLOCK_ROWS], sy[NB_BLOCK_ROWS], coupled[NB_BLOCK_ROWS];
    const nb_view_pack *pack = nb_pack_of_item(v, &item);
    if (item >= pack->blocks) return;
    for (int k = 0; k < NB_BLOCK_ROWS; k++) {
        int64_t at = pack->row + (int64_t)k * pack->stride + item;
        sy[k] = 0;
        if (k < pack->rows) nb_update_rows(v, p, 1, at, 0, &sy[k], sums);
        y[k] = k < pack->rows ? (real)p->y[at] : 0;
    }
    nb_pack_forces(v, pack, item, sy);
    if (!p->with_sums) return;
    nb_pack_coupled(v, pack, item, y, coupled);
    for (int k = 0; k < NB_BLOCK_ROWS; k++) sums[1] += (double)y[k] * (double)coupled[k];
}

NB_FN void nb_stage_update(const nb_view *v, const nb_pass *p, int32_t i, int packs, double sums[NB_SUMS]) {
    int32_t j = i - v->contact_stride;
    int64_t at = 2 * (int64_t)v->contact_stride + i; /* of joint row j */
    if (i < v->contacts) nb_update_contact(v, p, i, sums);
    if (j >= 0 && j < v->joint_rows) nb_update_rows(v, p, 1, at, 0, &v->force[at], sums);
    if (packs && j >= v->joint_stride) nb_update_pack(v, p, j - v->joint_stride, sums);
}

/* what one of a body's lanes gathers of its force and torque */
NB_FN void nb_stage_gather(const nb_view *v, int32_t body, int lane, int packs, real total[6]) {
    for (int k = 0; k < 6; k++) total[k] = 0;
    for (int32_t e = v->contact_start[body] + lane; e < v->contact_start[body + 1]; e += NB_BODY_LANES) {
        int32_t entry = v->contact_list[e], i = entry / 2;
        real f[3], arm[3], torque[3], sign = entry % 2 ? R(-1) : R(1);
        for (int k = 0; k < 3; k++) f[k] = sign * v->force[k * (int64_t)v->contact_stride + i];
        nb_load3(v->side_arm + e, v->contact_sides, arm);
        nb_cross(arm, f, torque);
        for (int k = 0; k < 3; k++) {
            total[k] += f[k];
            total[3 + k] += torque[k];
        }
    }
    for (int32_t e = v->joint_start[body] + lane; e < v->joint_start[body + 1]; e += NB_BODY_LANES) {
        real f = v->force[3 * (int64_t)v->contact_stride + v->joint_list[e] / 2];
        for (int k = 0; k < 6; k++) total[k] += (real)v->side_row[k * (int64_t)v->joint_sides + e] * f;
    }
    if (packs) nb_gather_pieces(v, body, lane, total);
}

/* velocity = H^-1 force; returns their product */
NB_FN double nb_stage_body(const nb_view *v, int32_t body, int packs, const real f[6]) {
    const real *m = v->inverse_mass + body;
    int64_t stride = v->body_stride;
    real *velocity = v->velocity + (int64_t)NB_VELOCITY_NUMBERS * body, out[6];
    double sum = 0;
    out[0] = m[0] * f[0];
    out[1] = (packs ? m[7 * stride] : m[0]) * f[1];
    out[2] = (packs ? m[8 * stride] : m[0]) * f[2];
    out[3] = m[stride] * f[3] + m[4 * stride] * f[4] + m[5 * stride] * f[5];
    out[4] = m[4 * stride] * f[3] + m[2 * stride] * f[4] + m[6 * stride] * f[5];
    out[5] = m[5 * stride] * f[3] + m[6 * stride] * f[4] + m[3 * stride] * f[5];
    for (int k = 0; k < 6; k++) {
        velocity[k] = out[k];
        sum += (double)f[k] * (double)out[k];
    }
    return sum;
}

/* what a pass reads of a row of the product A y: all of a contact before it writes any, as in nb_update_rows */
typedef struct nb_product_row {
    storage y, s, c, out, d, ad;
} nb_product_row;

NB_FN nb_product_row nb_load_product_row(const nb_view *v, const nb_pass *p, int64_t at) {
    nb_product_row row;
    row.y = p->y[at];
    row.s = v->s[at];
    row.c = v->c[at];
    row.out = p->kind == NB_PASS_PRODUCT ? (storage)0 : p->out[at];
    row.d = p->kind == NB_PASS_PCR ? p->d[at] : (storage)0;
    row.ad = p->kind == NB_PASS_PRODUCT ? (storage)0 : p->ad[at];
    return row;
}

/* the row of the product, of what J makes of the velocities */
NB_FN real nb_product_of(const nb_product_row *row, real velocity) {
    return (real)row->s * velocity + (real)row->c * (real)row->y;
}

/* what becomes of the row, which the product makes `ay` */
NB_FN void nb_finish_row(const nb_pass *p, int64_t at, const nb_product_row *row, real ay, double sums[NB_SUMS]) {
    if (p->kind == NB_PASS_PRODUCT) {
        p->out[at] = (storage)ay;
    } else if (p->kind == NB_PASS_PCR) {
        real ad = (real)(storage)(ay + p->b * (real)row->ad);
        p->out[at] = (storage)((real)row->out + p->a * (real)row->d);
        p->d[at] = (storage)((real)row->y + p->b * (real)row->d);
        p->ad[at] = (storage)ad;
        sums[0] += (double)ad * (double)ad;
    } else {
        real r = (real)(storage)((real)row->ad - p->a * ay);
        p->out[at] = (storage)((real)row->out + p->a * (real)row->y);
        p->ad[at] = (storage)r;
        sums[0] += (double)r * (double)r;
    }
}

/* how fast the bodies' points at contact i move apart, in the world's axes */
NB_FN void nb_relative_velocity(const nb_view *v, int32_t i, real relative[3]) {
    const real *a = v->velocity + (int64_t)NB_VELOCITY_NUMBERS * v->contact_a[i];
    const real *b = v->velocity + (int64_t)NB_VELOCITY_NUMBERS * v->contact_b[i];
    real arm[3], turn_a[3], turn_b[3];
    nb_load3(v->arm + i, v->contact_stride, arm);
    nb_cross(a + 3, arm, turn_a);
    nb_load3(v->arm + 3 * (int64_t)v->contact_stride + i, v->contact_stride, arm);
    nb_cross(b + 3, arm, turn_b);
    for (int k = 0; k < 3; k++) relative[k] = (a[k] - b[k]) + (turn_a[k] - turn_b[k]);
}

NB_FN real nb_joint_row_velocity(const nb_view *v, int32_t j) {
    const real *a = v->velocity + (int64_t)NB_VELOCITY_NUMBERS * v->joint_a[j];
    const real *b = v->velocity + (int64_t)NB_VELOCITY_NUMBERS * v->joint_b[j];
    real sum = 0;
    for (int k = 0; k < 6; k++)
        sum += (real)v->row[k * (int64_t)v->joint_stride + j] * a[k] +
               (real)v->row[(6 + k) * (int64_t)v->joint_stride + j] * b[k];
    return sum;
}

/* a product may go into a vector that holds anything */
NB_FN void nb_clear_padding(const nb_view *v, const nb_pass *p, int32_t i) {
    int32_t j = i - v->contact_stride;
    for (int k = 0; i >= v->contacts && j < 0 && k < 3; k++) p->out[k * (int64_t)v->contact_stride + i] = 0;
    if (j >= v->joint_rows && j < v->joint_stride) p->out[3 * (int64_t)v->contact_stride + j] = 0;
}

NB_FN void nb_finish_pack(const nb_view *v, const nb_pass *p, int32_t item, double sums[NB_SUMS]) {
    real y[NB_BLOCK_ROWS], ay[NB_BLOCK_ROWS], coupled[NB_BLOCK_ROWS];
    const nb_view_pack *pack = nb_pack_of_item(v, &item);
    int64_t row = pack->row + item;
    if (item >= pack->blocks) {
        for (int k = 0; p->kind == NB_PASS_PRODUCT && k < pack->rows; k++) p->out[row + (int64_t)k * pack->stride] = 0;
        return;
    }
    for (int k = 0; k < NB_BLOCK_ROWS; k++) y[k] = k < pack->rows ? (real)p->y[row + (int64_t)k * pack->stride] : 0;
    nb_pack_velocities(v, pack, item, ay);
    nb_pack_coupled(v, pack, item, y, coupled);
    for (int k = 0; k < NB_BLOCK_ROWS; k++) {
        int64_t at = row + (int64_t)k * pack->stride;
        if (k >= pack->rows) break;
        nb_product_row one = nb_load_product_row(v, p, at);
        nb_finish_row(p, at, &one, nb_product_of(&one, ay[k]) + coupled[k], sums);
    }
}

NB_FN void nb_finish_contact(const nb_view *v, const nb_pass *p, int32_t i, double sums[NB_SUMS]) {
    nb_product_row row[3];
    real direction[3][3], u[3];
    for (int k = 0; k < 3; k++) row[k] = nb_load_product_row(v, p, k * (int64_t)v->contact_stride + i);
    nb_load_frame(v, i, direction[0], direction[1], direction[2]);
    nb_relative_velocity(v, i, u);
    for (int k = 0; k < 3; k++) {
        real velocity = direction[k][0] * u[0] + direction[k][1] * u[1] + direction[k][2] * u[2];
        nb_finish_row(p, k * (int64_t)v->contact_stride + i, &row[k], nb_product_of(&row[k], velocity), sums);
    }
}

NB_FN void nb_stage_finish(const nb_view *v, const nb_pass *p, int32_t i, int packs, double sums[NB_SUMS]) {
    int32_t j = i - v->contact_stride;
    if (p->kind == NB_PASS_PRODUCT) nb_clear_padding(v, p, i);
    if (i < v->contacts) nb_finish_contact(v, p, i, sums);
    if (j >= 0 && j < v->joint_rows) {
        int64_t at = 3 * (int64_t)v->contact_stride + j;
        nb_product_row row = nb_load_product_row(v, p, at);
        nb_finish_row(p, at, &row, nb_product_of(&row, nb_joint_row_velocity(v, j)), sums);
    }
    if (packs && j >= v->joint_stride) nb_finish_pack(v, p, j - v->joint_stride, sums);
}

/* ---- vectors ---- */

/* one block of a block diagonal of factors: out = (L D L^T)^-1 x */
NB_FN void nb_stage_block(const nb_view *v, const nb_pass *p, int32_t block) {
    const nb_view_rows *m = &v->matrix[0];
    const int32_t *place = v->place + m->first[block];
    const real *l = m->value + m->place[block];
    int32_t n = m->first[block + 1] - m->first[block];
    for (int32_t i = 0; i < n; i++) {
        real value = (real)p->x[place[i]];
        for (int32_t k = 0; k < i; k++) value -= l[(int64_t)i * n + k] * (real)p->out[place[k]];
        p->out[place[i]] = (storage)value;
    }
    for (int32_t i = n - 1; i >= 0; i--) {
        real value = (real)p->out[place[i]] * l[(int64_t)i * n + i];
        for (int32_t k = i + 1; k < n; k++) value -= l[(int64_t)k * n + i] * (real)p->out[place[k]];
        p->out[place[i]] = (storage)value;
    }
}

/* the residual moves as z has moved */
NB_FN void nb_stage_residual(const nb_view *v, const nb_pass *p, int64_t i, double sums[NB_SUMS]) {
    const storage z = p->d[i], r = (storage)((real)p->y[i] + (real)-v->slots[0].state.alpha * (real)p->x[i]);
    const double normed = p->inverse ? (double)r : (double)z;
    p->y[i] = r;
    sums[0] += normed * normed;
    sums[1] += (double)r * (double)z;
}

NB_FN void nb_stage_entry(const nb_pass *p, int64_t i, double sums[NB_SUMS]) {
    switch (p->kind) {
    case NB_PASS_DOT: sums[0] += (double)p->x[i] * (double)p->y[i]; break;
    case NB_PASS_COPY: p->y[i] = p->x[i]; break;
    case NB_PASS_AXPY: p->y[i] = (storage)((real)p->y[i] + p->a * (real)p->x[i]); break;
    default: p->y[i] = (storage)(p->a * (real)p->x[i] + p->b * (real)p->y[i]);
    }
}

/* What a thread of the block that ends `count` sums adds up of the partial ones, from `first` on; all are loaded before
 * the first is added. */
NB_FN void nb_stage_reduce(const nb_view *v, const nb_pass *p, int32_t thread, int first, int count,
                           double sums[NB_SUMS]) {
    double partial[NB_SUMS][NB_MOST_BLOCKS / NB_THREADS];
    for (int k = first; k < first + count; k++)
        for (int turn = 0; turn < NB_MOST_BLOCKS / NB_THREADS; turn++) {
            int32_t i = thread + turn * NB_THREADS;
            partial[k][turn] = i < p->counts[k] ? v->partial_sums[k * NB_MOST_BLOCKS + i] : 0;
        }
    for (int k = first; k < first + count; k++)
        for (int turn = 0; turn < NB_MOST_BLOCKS / NB_THREADS; turn++) sums[k] += partial[k][turn];
}

/* ---- PCR by the device itself ---- */

/* the sums that a pass decides by: the first of them, and how many */
NB_CONSTANT_FN int nb_own_first_sum(nb_pass_kind kind) {
    return kind == NB_PASS_OWN_UPDATE ? NB_SUM_OF_AD : NB_SUM_OF_NORM;
}

NB_CONSTANT_FN int nb_own_sum_count(nb_pass_kind kind) {
    return kind == NB_PASS_OWN_UPDATE ? 1 : 4;
}

/* What a thread adds up of them. The norm, which not all have, comes by itself, as registers are few. */
NB_FN void nb_own_reduce(const nb_view *v, const nb_pass *p, nb_pass_kind kind, int32_t thread, double sums[NB_SUMS]) {
    if (kind == NB_PASS_OWN_UPDATE) {
        nb_stage_reduce(v, p, thread, NB_SUM_OF_AD, 1, sums);
    } else {
        nb_stage_reduce(v, p, thread, NB_SUM_OF_RESIDUAL, 3, sums);
        if (p->counts[NB_SUM_OF_NORM] > 0) nb_stage_reduce(v, p, thread, NB_SUM_OF_NORM, 1, sums);
    }
}

/* The state after the decision that opens a pass, from the one before and the sums that the passes before left. */
NB_FN nb_pcr_slot nb_own_decision(const nb_pcr_slot *before, nb_pass_kind kind, const double sums[NB_SUMS]) {
    nb_pcr_slot slot = *before;
    if (slot.state.reason != NB_REASON_NONE) return slot;
    if (kind == NB_PASS_OWN_UPDATE) {
        nb_pcr_step(&slot.state, sums[NB_SUM_OF_AD]);
        slot.pending = slot.state.reason == NB_REASON_NONE;
    } else if (slot.pending) {
        nb_pcr_advance(&slot.state, sums[NB_SUM_OF_RESIDUAL], sums[NB_SUM_OF_ENERGY] + sums[NB_SUM_OF_ENERGY + 1]);
        nb_pcr_check(&slot.state, sqrt(sums[NB_SUM_OF_NORM]));
        slot.pending = 0;
    }
    return slot;
}

/* where the state after it goes */
NB_FN nb_pcr_slot *nb_own_target(const nb_view *v, nb_pass_kind kind) {
    return kind == NB_PASS_OWN_DECIDE ? v->told : &v->slots[kind == NB_PASS_OWN_PCR];
}

/* the pass of the host's that this one is, with the numbers of the state */
NB_FN nb_pass nb_own_pass(const nb_pass *own, const nb_pcr_state *state) {
    nb_pass p = *own;
    if (own->kind == NB_PASS_OWN_PCR) {
        p.kind = NB_PASS_PCR;
        p.a = (real)state->alpha;
        p.b = (real)state->beta;
    } else {
        p.kind = NB_PASS_UPDATE;
        p.a = (real)-state->alpha;
        p.b = 1;
    }
    return p;
}

#endif
