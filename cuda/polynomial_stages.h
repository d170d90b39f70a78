/* The stages of a polynomial in M A (view.h), the operation `iterate` of core/vector_operations.h: a thread does a
 * constraint's part of a step. It ends one product, applies M, moves z and leaves the forces of the next product. So a
 * step is two passes, and the frames of contacts are read once. M is a diagonal, or, where a scene has contacts alone,
 * the inverse of each one's block. */
#ifndef NB_CUDA_POLYNOMIAL_STAGES_H
#define NB_CUDA_POLYNOMIAL_STAGES_H

#include "stages.h"
#include "symmetric_block.h"

/* the factor of a contact's block, from where the host's order has it */
NB_FN void nb_stage_factors(const nb_view *v, int32_t block) {
    const nb_view_rows *m = &v->matrix[0];
    const real *from = m->value + m->place[block];
    int32_t i = v->place[m->first[block]];
    int at = 0;
    for (int k = 0; k < 3; k++)
        for (int l = 0; l <= k; l++) v->contact_factors[at++ * (int64_t)v->contact_stride + i] = from[3 * k + l];
}

/* r of a contact = M r */
NB_FN void nb_inner_contact(const nb_view *v, const nb_pass *p, int32_t i, real r[3]) {
    real factor[9];
    int at = 0;
    if (p->ad) {
        for (int k = 0; k < 3; k++) r[k] *= (real)p->ad[k * (int64_t)v->contact_stride + i];
        return;
    }
    for (int k = 0; k < 3; k++)
        for (int l = 0; l <= k; l++) factor[3 * k + l] = v->contact_factors[at++ * (int64_t)v->contact_stride + i];
    nb_block_solve_symmetric(3, factor, r);
}

/* of a row: r, z, the last step of z, the operator's s and c; all of a constraint is read before any is written */
typedef struct nb_step_row {
    storage r, z, step, s, c;
} nb_step_row;

NB_FN nb_step_row nb_load_step_row(const nb_view *v, const nb_pass *p, int64_t at) {
    nb_step_row row;
    row.r = p->x[at];
    row.s = v->s[at];
    row.z = p->kind == NB_PASS_START ? (storage)0 : p->y[at];
    row.c = p->kind == NB_PASS_START ? (storage)0 : v->c[at];
    row.step = p->kind == NB_PASS_START ? (storage)0 : p->ends & NB_STEP_FIRST ? row.z : p->d[at];
    return row;
}

/* the residual r - A z of a row, of what J makes of the velocities; START: r itself, as z is zero */
NB_FN real nb_step_residual(const nb_pass *p, const nb_step_row *row, real velocity) {
    if (p->kind == NB_PASS_START) return (real)row->r;
    return (real)row->r - ((real)row->s * velocity + (real)row->c * (real)row->z);
}

/* moves z of a row by the step that M makes of the residual; returns s z */
NB_FN real nb_step_to(const nb_pass *p, int64_t at, const nb_step_row *row, real m) {
    storage step = (storage)(p->kind == NB_PASS_START ? p->b * m : p->a * (real)row->step + p->b * m);
    storage z = (storage)((real)row->z + (real)step);
    p->y[at] = z;
    if (p->kind == NB_PASS_STEP && !(p->ends & NB_STEP_LAST)) p->d[at] = step;
    return (real)row->s * (real)z;
}

NB_FN void nb_step_contact(const nb_view *v, const nb_pass *p, int32_t i) {
    nb_step_row row[3];
    real direction[3][3], u[3] = {0, 0, 0}, m[3], f[3];
    for (int k = 0; k < 3; k++) row[k] = nb_load_step_row(v, p, k * (int64_t)v->contact_stride + i);
    nb_load_frame(v, i, direction[0], direction[1], direction[2]);
    if (p->kind == NB_PASS_STEP) nb_relative_velocity(v, i, u);
    for (int k = 0; k < 3; k++)
        m[k] = nb_step_residual(p, &row[k], direction[k][0] * u[0] + direction[k][1] * u[1] + direction[k][2] * u[2]);
    nb_inner_contact(v, p, i, m);
    for (int k = 0; k < 3; k++) f[k] = nb_step_to(p, k * (int64_t)v->contact_stride + i, &row[k], m[k]);
    for (int k = 0; !(p->ends & NB_STEP_LAST) && k < 3; k++)
        v->force[k * (int64_t)v->contact_stride + i] =
            f[0] * direction[0][k] + f[1] * direction[1][k] + f[2] * direction[2][k];
}

NB_FN void nb_step_joint_row(const nb_view *v, const nb_pass *p, int32_t j) {
    int64_t at = 3 * (int64_t)v->contact_stride + j;
    nb_step_row row = nb_load_step_row(v, p, at);
    real u = p->kind == NB_PASS_STEP ? nb_joint_row_velocity(v, j) : R(0);
    real f = nb_step_to(p, at, &row, (real)p->ad[at] * nb_step_residual(p, &row, u));
    if (!(p->ends & NB_STEP_LAST)) v->force[at] = f;
}

/* M is a diagonal */
NB_FN void nb_step_pack(const nb_view *v, const nb_pass *p, int32_t item) {
    real z[NB_BLOCK_ROWS], u[NB_BLOCK_ROWS], coupled[NB_BLOCK_ROWS], f[NB_BLOCK_ROWS];
    const nb_view_pack *pack = nb_pack_of_item(v, &item);
    const int step = p->kind == NB_PASS_STEP;
    if (item >= pack->blocks) return;
    for (int k = 0; k < NB_BLOCK_ROWS; k++) {
        z[k] = step && k < pack->rows ? (real)p->y[pack->row + (int64_t)k * pack->stride + item] : 0;
        u[k] = coupled[k] = f[k] = 0;
    }
    if (step) {
        nb_pack_velocities(v, pack, item, u);
        nb_pack_coupled(v, pack, item, z, coupled);
    }
    for (int k = 0; k < NB_BLOCK_ROWS; k++) {
        int64_t at = pack->row + (int64_t)k * pack->stride + item;
        if (k >= pack->rows) break;
        nb_step_row row = nb_load_step_row(v, p, at);
        f[k] = nb_step_to(p, at, &row, (real)p->ad[at] * (nb_step_residual(p, &row, u[k]) - coupled[k]));
    }
    if (!(p->ends & NB_STEP_LAST)) nb_pack_forces(v, pack, item, f);
}

NB_FN void nb_stage_step(const nb_view *v, const nb_pass *p, int32_t i, int packs) {
    int32_t j = i - v->contact_stride;
    if (i < v->contacts) nb_step_contact(v, p, i);
    if (j >= 0 && j < v->joint_rows) nb_step_joint_row(v, p, j);
    if (packs && j >= v->joint_stride) nb_step_pack(v, p, j - v->joint_stride);
}

#endif
