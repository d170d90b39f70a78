/* The stages of packs other than contacts and joint rows (view.h): a thread does a block.
 *
 * Sources: core/element/tetrahedron_pack.h, whose formulas tetrahedra share, and core/operator/general_pack.h. */
#ifndef NB_CUDA_PACK_STAGES_H
#define NB_CUDA_PACK_STAGES_H

#include "element/scalar_lane.h"
#include "element/stretch_formulas.h"
#include "element/tetrahedron_pack.h"
#include "view.h"

/* the pack that an item is of; *item becomes its block, which may be one that only pads */
NB_FN const nb_view_pack *nb_pack_of_item(const nb_view *v, int32_t *item) {
    const nb_view_pack *pack = v->pack;
    while (*item >= pack->stride) *item -= (pack++)->stride;
    return pack;
}

/* ---- set-up ---- */

/* what the host sent */
NB_FN const void *nb_pack_source(const nb_view *v, const nb_view_pack *pack) {
    return v->pack_source + pack->source;
}

NB_FN void nb_tetrahedron_values(const nb_view *v, const nb_view_pack *pack, int32_t i) {
    int32_t element = pack->lane + i, lane = element % NB_ELEMENT_LANES;
    const nb_tetrahedron_group *g = (const nb_tetrahedron_group *)nb_pack_source(v, pack) + element / NB_ELEMENT_LANES;
    storage *to = v->number + pack->number + i;
    for (int k = 0; k < 9; k++) to[k * (int64_t)pack->stride] = (storage)g->gradient[k][lane];
    for (int k = 0; k < 9; k++) to[(9 + k) * (int64_t)pack->stride] = (storage)g->rotation[k][lane];
    for (int k = 0; k < 6; k++) to[(18 + k) * (int64_t)pack->stride] = (storage)g->stretch[k][lane];
    for (int k = 0; k < 6; k++) to[(24 + k) * (int64_t)pack->stride] = (storage)g->turn[k][lane];
}

NB_FN void nb_stage_pack_values(const nb_view *v, int32_t item) {
    const nb_view_pack *pack = nb_pack_of_item(v, &item);
    int32_t numbers = 3 * pack->rows * pack->pieces;
    if (item >= pack->blocks) return;
    if (pack->tetrahedra) {
        nb_tetrahedron_values(v, pack, item);
        return;
    }
    const real *from = (const real *)nb_pack_source(v, pack) + (int64_t)numbers * item;
    for (int32_t e = 0; e < numbers; e++) v->number[pack->number + (int64_t)e * pack->stride + item] = (storage)from[e];
}

/* K with the preconditioner's diagonal taken in */
NB_FN void nb_stage_pack_weights(const nb_view *v, const nb_pass *p, int32_t item) {
    const nb_view_pack *pack = nb_pack_of_item(v, &item);
    int32_t n = pack->rows, row = pack->first_row + n * item;
    if (!pack->coupled || item >= pack->blocks) return;
    for (int32_t e = 0; e < n * n; e++) {
        real scale =
            p->take_diagonal ? NB_SQRT(v->row_values[2][row + e / n]) * NB_SQRT(v->row_values[2][row + e % n]) : 1;
        v->k[pack->k + (int64_t)e * pack->stride + item] =
            (storage)(scale * v->k_source[pack->k_source + (int64_t)n * n * item + e]);
    }
}

/* ---- products ---- */

NB_FN void nb_load_stretch(const nb_view *v, const nb_view_pack *pack, int32_t i, real gradient[9],
                           nb_lane_stretch *at) {
    const storage *from = v->number + pack->number + i;
    for (int k = 0; k < 9; k++) gradient[k] = (real)from[k * (int64_t)pack->stride];
    for (int k = 0; k < 9; k++) at->r[k] = (real)from[(9 + k) * (int64_t)pack->stride];
    for (int k = 0; k < 6; k++) at->s[k] = (real)from[(18 + k) * (int64_t)pack->stride];
    for (int k = 0; k < 6; k++) at->turn[k] = (real)from[(24 + k) * (int64_t)pack->stride];
}

NB_FN void nb_leave_piece_force(const nb_view *v, const nb_view_pack *pack, int32_t i, int32_t piece,
                                const real force[3]) {
    for (int k = 0; k < 3; k++)
        v->piece_force[k * v->pieces + pack->piece + (int64_t)piece * pack->stride + i] = force[k];
}

/* the forces J^T sy of block i on its pieces */
NB_FN void nb_pack_forces(const nb_view *v, const nb_view_pack *pack, int32_t i, const real sy[NB_BLOCK_ROWS]) {
    if (pack->tetrahedra) {
        nb_lane_stretch at;
        real b[9], f[9], force[3], first[3] = {0, 0, 0};
        nb_load_stretch(v, pack, i, b, &at);
        nb_lane_stretch_backward(at.r, at.s, at.turn, sy, f);
        for (int a = 0; a < 3; a++) {
            for (int k = 0; k < 3; k++) {
                force[k] = f[3 * k] * b[3 * a] + f[3 * k + 1] * b[3 * a + 1] + f[3 * k + 2] * b[3 * a + 2];
                first[k] -= force[k];
            }
            nb_leave_piece_force(v, pack, i, 1 + a, force);
        }
        nb_leave_piece_force(v, pack, i, 0, first);
        return;
    }
    const storage *j = v->number + pack->number + i;
    for (int32_t c = 0; c < pack->pieces; c++) {
        real force[3] = {0, 0, 0};
        for (int r = 0; r < NB_BLOCK_ROWS; r++)
            for (int k = 0; k < 3; k++)
                if (r < pack->rows)
                    force[k] += (real)j[(3 * (int64_t)(r * pack->pieces + c) + k) * pack->stride] * sy[r];
        nb_leave_piece_force(v, pack, i, c, force);
    }
}

NB_FN void nb_piece_velocity(const nb_view *v, const nb_view_pack *pack, int32_t i, int32_t piece, real out[3]) {
    const real *from = v->velocity + v->piece_place[pack->piece + (int64_t)piece * pack->stride + i];
    for (int k = 0; k < 3; k++) out[k] = from[k];
}

/* J times the velocities of block i's pieces */
NB_FN void nb_pack_velocities(const nb_view *v, const nb_view_pack *pack, int32_t i, real out[NB_BLOCK_ROWS]) {
    real u[3];
    for (int r = 0; r < NB_BLOCK_ROWS; r++) out[r] = 0;
    if (pack->tetrahedra) {
        nb_lane_stretch at;
        real b[9], df[9], first[3];
        nb_load_stretch(v, pack, i, b, &at);
        nb_piece_velocity(v, pack, i, 0, first);
        for (int k = 0; k < 9; k++) df[k] = 0;
        for (int a = 0; a < 3; a++) {
            nb_piece_velocity(v, pack, i, 1 + a, u);
            for (int k = 0; k < 9; k++) df[k] += (u[k / 3] - first[k / 3]) * b[3 * a + k % 3];
        }
        nb_lane_stretch_forward(at.r, at.s, at.turn, df, out);
        return;
    }
    const storage *j = v->number + pack->number + i;
    for (int32_t c = 0; c < pack->pieces; c++) {
        nb_piece_velocity(v, pack, i, c, u);
        for (int r = 0; r < NB_BLOCK_ROWS; r++)
            for (int k = 0; k < 3; k++)
                if (r < pack->rows) out[r] += (real)j[(3 * (int64_t)(r * pack->pieces + c) + k) * pack->stride] * u[k];
    }
}

/* K y of block i */
NB_FN void nb_pack_coupled(const nb_view *v, const nb_view_pack *pack, int32_t i, const real y[NB_BLOCK_ROWS],
                           real out[NB_BLOCK_ROWS]) {
    for (int r = 0; r < NB_BLOCK_ROWS; r++) {
        out[r] = 0;
        for (int c = 0; c < NB_BLOCK_ROWS; c++)
            if (pack->coupled && r < pack->rows && c < pack->rows)
                out[r] += (real)v->k[pack->k + (int64_t)(pack->rows * r + c) * pack->stride + i] * y[c];
    }
}

/* what one of a node's lanes gathers of the forces on its pieces */
NB_FN void nb_gather_pieces(const nb_view *v, int32_t node, int lane, real total[6]) {
    for (int32_t e = v->piece_start[node] + lane; e < v->piece_start[node + 1]; e += NB_BODY_LANES) {
        int32_t entry = v->piece_list[e], angular = entry % 2;
        for (int k = 0; k < 3; k++) {
            real force = v->piece_force[k * v->pieces + entry / 2];
            total[k] += angular ? 0 : force;
            total[3 + k] += angular ? force : 0;
        }
    }
}

#endif
