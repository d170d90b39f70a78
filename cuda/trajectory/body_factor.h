/* The matrix of a copy's bodies, factorized by the threads of a block: that of method/interior_point/body_lu.h,
 *
 *     A = M + sum over contacts of J^T K J,   J u = (u_a + omega_a x r_a) - (u_b + omega_b x r_b)
 *
 * in 6 x 6 blocks by rows, by the same elimination without exchanges in an order of least degree. A block of the factor
 * holds L = A D^-1 where its row comes later, D^-1 A where its column does; D^-1 of pivots is beside them. Blocks are
 * in the block's shared memory where they fit it, else in the copy's own. */
#ifndef NB_TRAJECTORY_BODY_FACTOR_H
#define NB_TRAJECTORY_BODY_FACTOR_H

#include "island/stages.h"
#include "trajectory/view.h"

/* ---- its pattern ---- */

/* who shares contacts with whom */
NB_FN void nb_body_factor_couple(const nb_body_factor *f, const nb_island *v, const nb_island_shared *s, int t,
                                 int threads) {
    const int32_t n = f->bodies;
    for (int32_t i = t; i < n; i += threads) {
        int32_t degree = 0;
        for (int32_t j = 0; j < n; j++) f->place[n * i + j] = j == i ? 0 : -1;
        for (int32_t e = s->side_start[i]; e < s->side_start[i + 1]; e++) {
            const int32_t element = s->side_list[e] / 2, slot = s->side_list[e] % 2 ? v->a[element] : v->b[element];
            f->other[e] = (uint8_t)(slot < n ? slot : NB_FACTOR_NO_BODY);
            if (slot >= n || f->place[n * i + slot] == 0) continue;
            f->place[n * i + slot] = 0;
            degree++;
        }
        f->degree[i] = degree;
    }
}

/* the first of those left with the fewest coupled ones */
NB_FN int32_t nb_body_factor_least(const nb_body_factor *f) {
    int32_t best = -1;
    for (int32_t i = 0; i < f->bodies; i++)
        if (f->degree[i] >= 0 && (best < 0 || f->degree[i] < f->degree[best])) best = i;
    return best;
}

NB_FN void nb_body_factor_number(const nb_body_factor *f, int32_t i, int32_t j, int32_t number) {
    f->place[f->bodies * i + j] = (int16_t)number;
    f->row[number] = (uint8_t)i;
    f->column[number] = (uint8_t)j;
}

/* those coupled with body i that come later are coupled with each other from here on */
NB_FN void nb_body_factor_join(const nb_body_factor *f, const uint8_t *later, int32_t count) {
    const int32_t n = f->bodies;
    for (int32_t p = 0; p < count; p++)
        for (int32_t q = 0; q < p; q++) {
            const int32_t i = later[p], j = later[q];
            if (f->place[n * i + j] >= 0) continue;
            f->place[n * i + j] = f->place[n * j + i] = 0;
            f->degree[i]++;
            f->degree[j]++;
        }
}

/* by one thread: the order, and the blocks' numbers */
NB_FN void nb_body_factor_order(const nb_body_factor *f) {
    const int32_t n = f->bodies;
    int32_t blocks = 0, listed = 0;
    for (int32_t k = 0; k < n; k++) {
        const int32_t i = nb_body_factor_least(f), first = listed;
        f->order[k] = i;
        f->rank[i] = k;
        f->first[k] = first;
        f->degree[i] = -1;
        nb_body_factor_number(f, i, i, blocks++);
        for (int32_t j = 0; j < n; j++) {
            if (f->degree[j] < 0 || f->place[n * i + j] < 0) continue;
            f->later[listed++] = (uint8_t)j;
            f->degree[j]--;
            nb_body_factor_number(f, i, j, blocks++);
            nb_body_factor_number(f, j, i, blocks++);
        }
        nb_body_factor_join(f, f->later + first, listed - first);
    }
    f->first[n] = listed;
    f->first[n + 1] = blocks;
}

NB_FN double *nb_body_factor_at(const nb_body_factor *f, int32_t i, int32_t j) {
    return f->block + NB_FACTOR_BLOCK * (int32_t)f->place[f->bodies * i + j];
}

/* ---- the matrix ---- */

/* sum += column q of J_e^T K J_f of contact `element`, for its sides e and f */
NB_FN void nb_body_factor_add(const nb_body_factor *f, const nb_island_shared *s, int32_t element, int e, int g, int q,
                              double sum[6]) {
    const int32_t n = s->elements;
    const double sign = e == g ? 1 : -1;
    double arm[3], turning[3] = {0, 0, 0}, moved[3], push[3], torque[3];
    turning[q % 3] = 1;
    for (int k = 0; k < 3; k++) {
        arm[k] = s->arm[(3 * g + k) * n + element];
        moved[k] = turning[k];
    }
    if (q >= 3) nb_lane_cross(turning, arm, moved);
    for (int k = 0; k < 3; k++) {
        push[k] = sign * (f->k[3 * k * n + element] * moved[0] + f->k[(3 * k + 1) * n + element] * moved[1] +
                          f->k[(3 * k + 2) * n + element] * moved[2]);
        arm[k] = s->arm[(3 * e + k) * n + element];
    }
    nb_lane_cross(arm, push, torque);
    for (int k = 0; k < 3; k++) {
        sum[k] += push[k];
        sum[3 + k] += torque[k];
    }
}

/* the columns of all blocks, one a thread */
NB_FN void nb_body_factor_assemble(const nb_body_factor *f, const nb_trajectory *c, const nb_island_shared *s, int t,
                                   int threads) {
    const int32_t columns = 6 * f->first[f->bodies + 1];
    for (int32_t item = t; item < columns; item += threads) {
        const int32_t number = item / 6, q = item % 6, i = f->row[number], j = f->column[number];
        double sum[6] = {0, 0, 0, 0, 0, 0};
        if (i == j)
            for (int k = 0; k < 3; k++) {
                sum[k] = q == k ? c->mass[i] : 0;
                sum[3 + k] = q >= 3 ? c->inertia[i].m[k][q - 3] : 0;
            }
        for (int32_t n = s->side_start[i]; n < s->side_start[i + 1]; n++) {
            const int32_t side = s->side_list[n] % 2;
            if (i == j || f->other[n] == j)
                nb_body_factor_add(f, s, s->side_list[n] / 2, side, i == j ? side : 1 - side, q, sum);
        }
        for (int k = 0; k < 6; k++) f->block[NB_FACTOR_BLOCK * number + 6 * k + q] = sum[k];
    }
}

/* ---- its factors ---- */

/* x = x D^-1 for a row x */
NB_FN void nb_body_factor_divide(const double *block, double x[6]) {
    double d[6][6], over[6];
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) d[i][j] = block[6 * i + j];
    for (int k = 0; k < 6; k++) {
        over[k] = 1 / d[k][k];
        for (int i = k + 1; i < 6; i++) {
            d[i][k] *= over[k];
            for (int j = k + 1; j < 6; j++) d[i][j] -= d[i][k] * d[k][j];
        }
    }
    for (int j = 0; j < 6; j++) {
        for (int m = 0; m < j; m++) x[j] -= x[m] * d[m][j];
        x[j] *= over[j];
    }
    for (int j = 5; j >= 0; j--)
        for (int m = j + 1; m < 6; m++) x[j] -= x[m] * d[m][j];
}

/* The rows of the blocks below pivot number k times D^-1, and D^-1 itself. */
NB_FN void nb_body_factor_scale(const nb_body_factor *f, int32_t k, int t, int threads) {
    const int32_t pivot = f->order[k], first = f->first[k], rows = 6 * (f->first[k + 1] - first + 1);
    const double *diagonal = nb_body_factor_at(f, pivot, pivot);
    for (int32_t item = t; item < rows; item += threads) {
        const int32_t p = item / 6 - 1, r = item % 6;
        double *to = 6 * r +
                     (p < 0 ? f->inverse + NB_FACTOR_BLOCK * pivot : nb_body_factor_at(f, f->later[first + p], pivot)),
               x[6];
        for (int j = 0; j < 6; j++) x[j] = p < 0 ? r == j : to[j];
        nb_body_factor_divide(diagonal, x);
        for (int j = 0; j < 6; j++) to[j] = x[j];
    }
}

/* What pivot number k takes off the rows of the blocks of those that come later. */
NB_FN void nb_body_factor_reduce(const nb_body_factor *f, int32_t k, int t, int threads) {
    const int32_t pivot = f->order[k], first = f->first[k], later = f->first[k + 1] - first;
    for (int32_t item = t; item < 6 * later * later; item += threads) {
        const int32_t i = f->later[first + item / 6 / later], j = f->later[first + item / 6 % later], r = item % 6;
        const double *lower = nb_body_factor_at(f, i, pivot) + 6 * r, *upper = nb_body_factor_at(f, pivot, j);
        double *to = nb_body_factor_at(f, i, j) + 6 * r;
        for (int q = 0; q < 6; q++) {
            double sum = to[q];
            for (int m = 0; m < 6; m++) sum -= lower[m] * upper[6 * m + q];
            to[q] = sum;
        }
    }
}

/* D^-1 times the columns of the blocks beside pivots */
NB_FN void nb_body_factor_finish(const nb_body_factor *f, int t, int threads) {
    const int32_t columns = 6 * f->first[f->bodies + 1];
    for (int32_t item = t; item < columns; item += threads) {
        const int32_t number = item / 6, q = item % 6, i = f->row[number];
        const double *inverse = f->inverse + NB_FACTOR_BLOCK * i;
        double *to = f->block + NB_FACTOR_BLOCK * number + q, x[6];
        if (f->rank[i] >= f->rank[f->column[number]]) continue;
        for (int m = 0; m < 6; m++) x[m] = to[6 * m];
        for (int r = 0; r < 6; r++) {
            double sum = 0;
            for (int m = 0; m < 6; m++) sum += inverse[6 * r + m] * x[m];
            to[6 * r] = sum;
        }
    }
}

/* ---- a solution ---- */

/* x [6][stride] without what pivot number k makes of it in those that come later */
NB_FN void nb_body_factor_forward(const nb_body_factor *f, int32_t k, double *x, int32_t stride, int t, int threads) {
    const int32_t pivot = f->order[k], first = f->first[k], rows = 6 * (f->first[k + 1] - first);
    for (int32_t item = t; item < rows; item += threads) {
        const int32_t i = f->later[first + item / 6], r = item % 6;
        const double *lower = nb_body_factor_at(f, i, pivot) + 6 * r;
        double sum = x[r * stride + i];
        for (int m = 0; m < 6; m++) sum -= lower[m] * x[m * stride + pivot];
        x[r * stride + i] = sum;
    }
}

/* y = D^-1 x */
NB_FN void nb_body_factor_middle(const nb_body_factor *f, const double *x, double *y, int32_t stride, int t,
                                 int threads) {
    for (int32_t item = t; item < 6 * f->bodies; item += threads) {
        const int32_t i = item / 6, r = item % 6;
        const double *inverse = f->inverse + NB_FACTOR_BLOCK * i + 6 * r;
        double sum = 0;
        for (int m = 0; m < 6; m++) sum += inverse[m] * x[m * stride + i];
        y[r * stride + i] = sum;
    }
}

NB_FN void nb_body_factor_back(const nb_body_factor *f, int32_t k, double *y, int32_t stride, int t, int threads) {
    const int32_t pivot = f->order[k];
    for (int32_t r = t; r < 6; r += threads) {
        double sum = y[r * stride + pivot];
        for (int32_t p = f->first[k]; p < f->first[k + 1]; p++) {
            const int32_t j = f->later[p];
            const double *upper = nb_body_factor_at(f, pivot, j) + 6 * r;
            for (int m = 0; m < 6; m++) sum -= upper[m] * y[m * stride + j];
        }
        y[r * stride + pivot] = sum;
    }
}

#endif
