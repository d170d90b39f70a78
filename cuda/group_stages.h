/* The stages of sweeps in colour order (view.h): a thread does a group, all constraints between the same two bodies,
 * one after the other, with the velocities of the two in registers. Groups of one colour share no body that moves;
 * between two colours stands a barrier, or the end of a launch.
 *
 * What other blocks make of a block's rows is S J v, v = H^-1 J^T S x of these, as on the processor
 * (solvers/linear/gauss_seidel.c, solvers/precond/ssor.c). */
#ifndef NB_CUDA_GROUP_STAGES_H
#define NB_CUDA_GROUP_STAGES_H

#include "polynomial_stages.h"
#include "sparse_stages.h"
#include "stages.h"
#include "symmetric_block.h"

#define nb_pair NB_STORAGE_NAME(nb_pair)
#define nb_contact_frame NB_STORAGE_NAME(nb_contact_frame)

/* two bodies; v->bodies stands for the world */
typedef struct nb_pair {
    int32_t body[2];
    real velocity[2][6];
} nb_pair;

/* of one contact */
typedef struct nb_contact_frame {
    real direction[3][3], arm[2][3];
} nb_contact_frame;

NB_FN void nb_pair_load(const nb_view *v, int32_t a, int32_t b, nb_pair *pair) {
    pair->body[0] = a;
    pair->body[1] = b;
    for (int side = 0; side < 2; side++)
        for (int k = 0; k < 6; k++)
            pair->velocity[side][k] = v->velocity[(int64_t)NB_VELOCITY_NUMBERS * pair->body[side] + k];
}

NB_FN void nb_pair_store(const nb_view *v, const nb_pair *pair) {
    for (int side = 0; side < 2; side++)
        for (int k = 0; pair->body[side] < v->bodies && k < 6; k++)
            v->velocity[(int64_t)NB_VELOCITY_NUMBERS * pair->body[side] + k] = pair->velocity[side][k];
}

/* out = H^-1 (force, torque) of a body; registers are dearer than to read its masses again */
NB_FN void nb_inverse_apply(const nb_view *v, int32_t body, const real force[3], const real torque[3], real out[6]) {
    const real *m = v->inverse_mass + body;
    int64_t stride = v->body_stride;
    for (int k = 0; k < 6; k++) out[k] = 0;
    if (body >= v->bodies) return;
    for (int k = 0; k < 3; k++) out[k] = m[0] * force[k];
    out[3] = m[stride] * torque[0] + m[4 * stride] * torque[1] + m[5 * stride] * torque[2];
    out[4] = m[4 * stride] * torque[0] + m[2 * stride] * torque[1] + m[6 * stride] * torque[2];
    out[5] = m[5 * stride] * torque[0] + m[6 * stride] * torque[1] + m[3 * stride] * torque[2];
}

/* velocity += sign H^-1 (force, torque) */
NB_FN void nb_pair_push(const nb_view *v, nb_pair *pair, int side, real sign, const real force[3],
                        const real torque[3]) {
    real change[6];
    nb_inverse_apply(v, pair->body[side], force, torque, change);
    for (int k = 0; k < 6; k++) pair->velocity[side][k] += sign * change[k];
}

NB_FN real nb_dot3(const real a[3], const real b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

NB_FN void nb_load_contact(const nb_view *v, int32_t i, nb_contact_frame *c) {
    nb_load_frame(v, i, c->direction[0], c->direction[1], c->direction[2]);
    nb_load3(v->arm + i, v->contact_stride, c->arm[0]);
    nb_load3(v->arm + 3 * (int64_t)v->contact_stride + i, v->contact_stride, c->arm[1]);
}

/* J times the velocities of the two bodies */
NB_FN void nb_contact_velocities(const nb_contact_frame *c, const nb_pair *pair, real out[3]) {
    real turn[2][3], relative[3];
    for (int side = 0; side < 2; side++) nb_cross(pair->velocity[side] + 3, c->arm[side], turn[side]);
    for (int k = 0; k < 3; k++) relative[k] = (pair->velocity[0][k] - pair->velocity[1][k]) + (turn[0][k] - turn[1][k]);
    for (int k = 0; k < 3; k++) out[k] = nb_dot3(c->direction[k], relative);
}

/* velocities += H^-1 J^T y */
NB_FN void nb_contact_push(const nb_view *v, const nb_contact_frame *c, const real y[3], nb_pair *pair) {
    real force[3], torque[3];
    for (int k = 0; k < 3; k++)
        force[k] = y[0] * c->direction[0][k] + y[1] * c->direction[1][k] + y[2] * c->direction[2][k];
    for (int side = 0; side < 2; side++) {
        nb_cross(c->arm[side], force, torque);
        nb_pair_push(v, pair, side, side ? R(-1) : R(1), force, torque);
    }
}

/* ---- pivots ---- */

/* the block of a contact, by rows */
NB_FN void nb_contact_block(const nb_view *v, int32_t i, real block[9]) {
    int64_t stride = v->contact_stride;
    nb_contact_frame c;
    nb_load_contact(v, i, &c);
    for (int k = 0; k < 9; k++) block[k] = 0;
    for (int side = 0; side < 2; side++)
        for (int k = 0; k < 3; k++) {
            real at_k[3], moved[6];
            nb_cross(c.arm[side], c.direction[k], at_k);
            nb_inverse_apply(v, side ? v->contact_b[i] : v->contact_a[i], c.direction[k], at_k, moved);
            for (int l = 0; l <= k; l++) {
                real at_l[3];
                nb_cross(c.arm[side], c.direction[l], at_l);
                block[3 * k + l] += nb_dot3(c.direction[l], moved) + nb_dot3(at_l, moved + 3);
            }
        }
    for (int k = 0; k < 3; k++)
        for (int l = 0; l <= k; l++) {
            block[3 * k + l] *= (real)v->s[k * stride + i] * (real)v->s[l * stride + i];
            if (k == l) block[4 * k] += (real)v->c[k * stride + i];
        }
}

NB_FN real nb_joint_row_entry(const nb_view *v, int32_t j) {
    int64_t at = 3 * (int64_t)v->contact_stride + j;
    real sum = 0, half[6], moved[6];
    for (int side = 0; side < 2; side++) {
        for (int k = 0; k < 6; k++) half[k] = (real)v->row[(6 * side + k) * (int64_t)v->joint_stride + j];
        nb_inverse_apply(v, side ? v->joint_b[j] : v->joint_a[j], half, half + 3, moved);
        sum += nb_dot3(half, moved) + nb_dot3(half + 3, moved + 3);
    }
    return (real)v->s[at] * (real)v->s[at] * sum + (real)v->c[at];
}

/* the diagonal entries of a block as triangles take them */
NB_FN real nb_row_pivot(real entry) {
    return entry != 0 ? 1 / NB_ABS(entry) : R(0);
}

NB_FN void nb_stage_pivots(const nb_view *v, const nb_pass *p, int32_t i) {
    int32_t j = i - v->contact_stride;
    if (i < v->contacts) {
        real block[9];
        int at = 0;
        nb_contact_block(v, i, block);
        if (p->by_rows)
            for (int k = 0; k < 3; k++) block[4 * k] = nb_row_pivot(block[4 * k]);
        else
            nb_block_factorize_symmetric(3, block, NB_PIVOT_SKIP);
        for (int k = 0; k < 3; k++)
            for (int l = 0; l <= k; l++) v->pivots[at++ * (int64_t)v->contact_stride + i] = block[3 * k + l];
    }
    if (j >= 0 && j < v->joint_rows) {
        real entry = nb_joint_row_entry(v, j);
        if (p->by_rows)
            entry = nb_row_pivot(entry);
        else
            nb_block_factorize_symmetric(1, &entry, NB_PIVOT_SKIP);
        v->pivots[6 * (int64_t)v->contact_stride + j] = entry;
    }
}

NB_FN void nb_load_pivots(const nb_view *v, int32_t i, real block[9]) {
    int at = 0;
    for (int k = 0; k < 3; k++)
        for (int l = 0; l <= k; l++)
            block[3 * k + l] = block[3 * l + k] = v->pivots[at++ * (int64_t)v->contact_stride + i];
}

/* ---- Gauss-Seidel ---- */

/* One block of `n` rows at at[0], at[1], ..., which see the velocities u: x += a A_BB^-1 (b - A x); y = S times the
 * step. Returns the square of the residual in the pass's norm. */
NB_FN double nb_relax_rows(const nb_view *v, const nb_pass *p, int n, const int64_t *at, const real *factor,
                           const real *u, real *y) {
    real residual[3];
    double square = 0;
    for (int k = 0; k < n; k++)
        y[k] = residual[k] = (real)p->x[at[k]] - (real)v->s[at[k]] * u[k] - (real)v->c[at[k]] * (real)p->out[at[k]];
    nb_block_solve_symmetric(n, factor, y);
    for (int k = 0; k < n; k++) {
        real step = p->a * y[k];
        if (y[k] != 0)
            square += (double)(p->norm == NB_NORM_PRECONDITIONED ? y[k] : residual[k]) *
                      (double)(p->norm == NB_NORM_TRUE ? residual[k] : y[k]);
        p->out[at[k]] = (storage)((real)p->out[at[k]] + step);
        y[k] = (real)v->s[at[k]] * step;
    }
    return square;
}

/* ---- triangles ---- */

/* One block of `n` rows at at[0], at[1], ..., row after row: z = (r - a (what comes before)) / d forward, z -= a (what
 * comes after) / d backward; y = S z. */
NB_FN void nb_triangle_rows(const nb_view *v, const nb_pass *p, int n, const int64_t *at, const real *block,
                            const real *u, real *y) {
    real z[3];
    for (int turn = 0; turn < n; turn++) {
        int k = p->backward ? n - 1 - turn : turn;
        real sum = (real)v->s[at[k]] * u[k], inverse = block[k * n + k];
        for (int done = 0; done < turn; done++) {
            int l = p->backward ? n - 1 - done : done;
            sum += block[k * n + l] * z[l];
        }
        z[k] = p->backward ? (real)p->out[at[k]] - p->a * sum * inverse : ((real)p->x[at[k]] - p->a * sum) * inverse;
        p->out[at[k]] = (storage)(p->backward ? p->b * z[k] : z[k]);
        y[k] = (real)v->s[at[k]] * z[k];
    }
}

/* ---- groups ---- */

NB_FN double nb_sweep_rows(const nb_view *v, const nb_pass *p, int n, const int64_t *at, const real *pivots,
                           const real *u, real *y) {
    if (p->kind == NB_PASS_RELAX) return nb_relax_rows(v, p, n, at, pivots, u, y);
    nb_triangle_rows(v, p, n, at, pivots, u, y);
    return 0;
}

NB_FN double nb_sweep_contact(const nb_view *v, const nb_pass *p, int32_t i, nb_pair *pair) {
    int64_t at[3];
    real pivots[9], u[3], y[3];
    nb_contact_frame c;
    for (int k = 0; k < 3; k++) at[k] = k * (int64_t)v->contact_stride + i;
    nb_load_contact(v, i, &c);
    nb_load_pivots(v, i, pivots);
    nb_contact_velocities(&c, pair, u);
    double square = nb_sweep_rows(v, p, 3, at, pivots, u, y);
    nb_contact_push(v, &c, y, pair);
    return square;
}

NB_FN double nb_sweep_joint_row(const nb_view *v, const nb_pass *p, int32_t j, nb_pair *pair) {
    int64_t at = 3 * (int64_t)v->contact_stride + j;
    real half[2][6], u = 0, y;
    for (int side = 0; side < 2; side++)
        for (int k = 0; k < 6; k++) {
            half[side][k] = (real)v->row[(6 * side + k) * (int64_t)v->joint_stride + j];
            u += half[side][k] * pair->velocity[side][k];
        }
    double square = nb_sweep_rows(v, p, 1, &at, &v->pivots[6 * (int64_t)v->contact_stride + j], &u, &y);
    for (int side = 0; side < 2; side++) nb_pair_push(v, pair, side, y, half[side], half[side] + 3);
    return square;
}

/* One group's turn. Sum: the squares of the residuals that a relaxation meets. */
NB_FN void nb_stage_group(const nb_view *v, const nb_pass *p, int32_t group, double sums[NB_SUMS]) {
    int32_t first = v->group_first[group], count = v->group_count[group], j = first - v->contact_stride;
    nb_pair pair;
    if (j < 0)
        nb_pair_load(v, v->contact_a[first], v->contact_b[first], &pair);
    else
        nb_pair_load(v, v->joint_a[j], v->joint_b[j], &pair);
    for (int32_t k = 0; k < count; k++) {
        int32_t turn = p->backward ? count - 1 - k : k;
        sums[0] += j < 0 ? nb_sweep_contact(v, p, first + turn, &pair) : nb_sweep_joint_row(v, p, j + turn, &pair);
    }
    nb_pair_store(v, &pair);
}

/* the item of every kind but BODY, ROWS, REDUCE, RELAX, TRIANGLE, PAIRS and PAIR_SUMS */
NB_FN void nb_stage_item(const nb_view *v, const nb_pass *p, int64_t i, int packs, double sums[NB_SUMS]) {
    switch (p->kind) {
    case NB_PASS_VALUES: nb_stage_values(v, (int32_t)i, packs); break;
    case NB_PASS_WEIGHTS: nb_stage_weights(v, p, (int32_t)i, packs); break;
    case NB_PASS_TAKE: nb_stage_take(v, p, (int32_t)i); break;
    case NB_PASS_GIVE: nb_stage_give(v, p, (int32_t)i); break;
    case NB_PASS_SCALED: nb_stage_scaled(v, p, (int32_t)i, sums); break;
    case NB_PASS_UPDATE: nb_stage_update(v, p, (int32_t)i, packs, sums); break;
    case NB_PASS_PRODUCT:
    case NB_PASS_PCR:
    case NB_PASS_PCG: nb_stage_finish(v, p, (int32_t)i, packs, sums); break;
    case NB_PASS_FACTORS: nb_stage_factors(v, (int32_t)i); break;
    case NB_PASS_START:
    case NB_PASS_STEP: nb_stage_step(v, p, (int32_t)i, packs); break;
    case NB_PASS_AXPYS: nb_stage_axpys(v, p, i); break;
    case NB_PASS_OWN_COLLECT: nb_stage_collect(v, p, i); break;
    case NB_PASS_OWN_RESIDUAL: nb_stage_residual(v, p, i, sums); break;
    case NB_PASS_BLOCKS: nb_stage_block(v, p, (int32_t)i); break;
    case NB_PASS_PIVOTS: nb_stage_pivots(v, p, (int32_t)i); break;
    default: nb_stage_entry(p, i, sums);
    }
}

#endif
