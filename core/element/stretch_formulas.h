/* The singular values of 3 x 3 matrices with rotations on both sides, and how the stretch moves with the matrix, in
 * formulas over NB_LANE: a `real`, or a vector register of them with an element each. Whoever includes this defines
 * NB_LANE before, and three functions of it: nb_lane_sqrt; nb_lane_where(x, a, b), a where x > 0 and b elsewhere;
 * nb_lane_any(x), whether x > 0 anywhere (element/scalar_lane.h has them for `real`).
 *
 * Matrices are by rows; symmetric ones and strains are xx yy zz yz xz xy. */
#ifndef NB_ELEMENT_STRETCH_FORMULAS_H
#define NB_ELEMENT_STRETCH_FORMULAS_H

#include "base/features.h"
#include "base/real.h"

enum {
    NB_SVD_SWEEPS = 12 /* at most: some four are enough, more where singular values are many decades apart */
};

/* F = U diag(s) V^T with rotations U and V, s_0 >= s_1 >= |s_2|; s_2 has the sign of det F */
typedef struct nb_lane_svd {
    NB_LANE u[9], s[3], v[9];
} nb_lane_svd;

NB_FN NB_LANE nb_lane_largest(NB_LANE a, NB_LANE b) {
    return nb_lane_where(a - b, a, b);
}

NB_FN NB_LANE nb_lane_abs(NB_LANE a) {
    return nb_lane_where(a, a, -a);
}

/* c_p . c_q of two columns */
NB_FN NB_LANE nb_lane_columns(const NB_LANE m[9], int p, int q) {
    return m[p] * m[q] + m[3 + p] * m[3 + q] + m[6 + p] * m[6 + q];
}

/* Turns columns p and q of both matrices so that those of `a` become orthogonal. Returns something positive where they
 * were not yet, to round-off. */
NB_FN NB_LANE nb_lane_turn_columns(NB_LANE a[9], NB_LANE v[9], int p, int q) {
    const real tiny = NB_REAL_TINY * NB_REAL_TINY, square = NB_REAL_EPSILON * NB_REAL_EPSILON;
    NB_LANE of_p = nb_lane_columns(a, p, p), of_q = nb_lane_columns(a, q, q), both = nb_lane_columns(a, p, q);
    NB_LANE apart = of_q - of_p, root = nb_lane_sqrt(apart * apart + 4 * both * both);
    NB_LANE t = 2 * both / (nb_lane_abs(apart) + root + tiny);
    t = nb_lane_where(-apart, -t, t);
    NB_LANE c = 1 / nb_lane_sqrt(1 + t * t), s = c * t;
    for (int r = 0; r < 9; r += 3) {
        NB_LANE x = a[r + p], y = a[r + q];
        a[r + p] = c * x - s * y;
        a[r + q] = s * x + c * y;
        x = v[r + p];
        y = v[r + q];
        v[r + p] = c * x - s * y;
        v[r + q] = s * x + c * y;
    }
    return both * both - 16 * square * of_p * of_q;
}

/* Exchanges columns p and q of both where q's is the longer one: (q, -p), which is a rotation. */
NB_FN void nb_lane_order_columns(NB_LANE a[9], NB_LANE v[9], NB_LANE square[3], int p, int q) {
    NB_LANE longer = square[q] - square[p], x = square[p];
    square[p] = nb_lane_where(longer, square[q], x);
    square[q] = nb_lane_where(longer, x, square[q]);
    for (int r = 0; r < 9; r += 3) {
        x = a[r + p];
        a[r + p] = nb_lane_where(longer, a[r + q], x);
        a[r + q] = nb_lane_where(longer, -x, a[r + q]);
        x = v[r + p];
        v[r + p] = nb_lane_where(longer, v[r + q], x);
        v[r + q] = nb_lane_where(longer, -x, v[r + q]);
    }
}

/* column c of m = x over its length; where that is below `least` the column of m stays as it is */
NB_FN void nb_lane_set_unit(NB_LANE *m, int c, const NB_LANE x[3], real least) {
    NB_LANE length = nb_lane_sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
    NB_LANE safe = nb_lane_largest(length, least + 0 * length);
    for (int k = 0; k < 3; k++) m[3 * k + c] = nb_lane_where(length - least, x[k] / safe, m[3 * k + c]);
}

/* A unit vector orthogonal to column 0 of u, in column 1: across the axis that is farthest from it. */
NB_FN void nb_lane_set_across(NB_LANE u[9]) {
    NB_LANE x = nb_lane_abs(u[0]), y = nb_lane_abs(u[3]), z = nb_lane_abs(u[6]), zero = 0 * x;
    NB_LANE least_x = nb_lane_where(x - y, zero, nb_lane_where(x - z, zero, zero + 1));
    NB_LANE least_y = nb_lane_where(least_x, zero, nb_lane_where(y - z, zero, zero + 1));
    NB_LANE least_z = 1 - least_x - least_y;
    const NB_LANE across[3] = {u[3] * least_z - u[6] * least_y, u[6] * least_x - u[0] * least_z,
                               u[0] * least_y - u[3] * least_x};
    nb_lane_set_unit(u, 1, across, 0);
}

/* One-sided Jacobi: columns of F are turned until they are orthogonal. Never squares F, so that small singular values
 * keep their digits relative to their own column; F of any size, of any rank, inverted or zero. */
NB_FN void nb_lane_svd_of(const NB_LANE f[9], nb_lane_svd *out) {
    const real least = NB_REAL_TINY;
    NB_LANE a[9], size = nb_lane_abs(f[0]), square[3], zero = 0 * f[0];
    for (int k = 1; k < 9; k++) size = nb_lane_largest(size, nb_lane_abs(f[k]));
    size = nb_lane_where(size, size, zero + 1);
    for (int k = 0; k < 9; k++) {
        a[k] = f[k] / size;
        out->v[k] = zero + R(k % 4 == 0);
        out->u[k] = out->v[k];
    }
    for (int sweep = 0; sweep < NB_SVD_SWEEPS; sweep++) {
        NB_LANE left = nb_lane_turn_columns(a, out->v, 0, 1);
        left = nb_lane_largest(left, nb_lane_turn_columns(a, out->v, 0, 2));
        left = nb_lane_largest(left, nb_lane_turn_columns(a, out->v, 1, 2));
        if (!nb_lane_any(left)) break;
    }
    for (int k = 0; k < 3; k++) square[k] = nb_lane_columns(a, k, k);
    nb_lane_order_columns(a, out->v, square, 0, 1);
    nb_lane_order_columns(a, out->v, square, 1, 2);
    nb_lane_order_columns(a, out->v, square, 0, 1);
    const NB_LANE first[3] = {a[0], a[3], a[6]}, second[3] = {a[1], a[4], a[7]};
    nb_lane_set_unit(out->u, 0, first, least);
    nb_lane_set_across(out->u);
    nb_lane_set_unit(out->u, 1, second, least);
    NB_LANE *u = out->u;
    u[2] = u[3] * u[7] - u[6] * u[4];
    u[5] = u[6] * u[1] - u[0] * u[7];
    u[8] = u[0] * u[4] - u[3] * u[1];
    for (int k = 0; k < 3; k++) out->s[k] = size * (u[k] * a[k] + u[3 + k] * a[3 + k] + u[6 + k] * a[6 + k]);
}

/* V diag(x) V^T */
NB_FN void nb_lane_symmetric(const NB_LANE v[9], const NB_LANE x[3], NB_LANE out[6]) {
    for (int k = 0; k < 6; k++) out[k] = 0 * x[0];
    for (int k = 0; k < 3; k++) {
        NB_LANE a = v[k], b = v[3 + k], c = v[6 + k], xa = x[k] * a, xb = x[k] * b;
        out[0] += xa * a;
        out[1] += xb * b;
        out[2] += x[k] * c * c;
        out[3] += xb * c;
        out[4] += xa * c;
        out[5] += xa * b;
    }
}

/* out = U V^T */
NB_FN void nb_lane_rotation(const nb_lane_svd *svd, NB_LANE out[9]) {
    const NB_LANE *u = svd->u, *v = svd->v;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            out[3 * i + j] = u[3 * i] * v[3 * j] + u[3 * i + 1] * v[3 * j + 1] + u[3 * i + 2] * v[3 * j + 2];
}

/* ---- how the stretch S of F = R S moves ---- */

/* With A = R^T dF, and the vector a of its skew part, [a] = A - A^T: dS = sym(A) - sym([w] S), w = (tr(S) - S)^-1 a.
 * That inverse has the eigenvalues 1/(s_j + s_k), kept below 1/NB_LEAST_SUM: a body stretched in one direction alone,
 * or inverted, has none. */
typedef struct nb_lane_stretch {
    NB_LANE r[9], s[6], turn[6]; /* R, S, (tr(S) - S)^-1 */
} nb_lane_stretch;

enum {
    NB_STRETCH_NUMBERS = 21 /* of the above */
};

static const real nb_least_sum = R(1e-2);

NB_FN void nb_lane_stretch_of(const nb_lane_svd *svd, nb_lane_stretch *out) {
    const NB_LANE *s = svd->s, least = nb_least_sum + 0 * s[0];
    const NB_LANE inverse[3] = {1 / nb_lane_largest(s[1] + s[2], least), 1 / nb_lane_largest(s[0] + s[2], least),
                                1 / nb_lane_largest(s[0] + s[1], least)};
    nb_lane_rotation(svd, out->r);
    nb_lane_symmetric(svd->v, s, out->s);
    nb_lane_symmetric(svd->v, inverse, out->turn);
}

/* y = m x, m symmetric */
NB_FN void nb_lane_symmetric_apply(const NB_LANE m[6], const NB_LANE x[3], NB_LANE y[3]) {
    y[0] = m[0] * x[0] + m[5] * x[1] + m[4] * x[2];
    y[1] = m[5] * x[0] + m[1] * x[1] + m[3] * x[2];
    y[2] = m[4] * x[0] + m[3] * x[1] + m[2] * x[2];
}

/* out = dS as a strain: xx yy zz, and twice yz xz xy */
NB_FN void nb_lane_stretch_forward(const NB_LANE r[9], const NB_LANE s[6], const NB_LANE turn[6], const NB_LANE df[9],
                                   NB_LANE out[6]) {
    NB_LANE a[9], w[3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) a[3 * i + j] = r[i] * df[j] + r[3 + i] * df[3 + j] + r[6 + i] * df[6 + j];
    const NB_LANE skew[3] = {a[7] - a[5], a[2] - a[6], a[3] - a[1]};
    nb_lane_symmetric_apply(turn, skew, w);
    out[0] = a[0] - (w[1] * s[4] - w[2] * s[5]);
    out[1] = a[4] - (w[2] * s[5] - w[0] * s[3]);
    out[2] = a[8] - (w[0] * s[3] - w[1] * s[4]);
    out[3] = a[5] + a[7] - (w[2] * s[4] - w[1] * s[5] + w[0] * (s[1] - s[2]));
    out[4] = a[2] + a[6] - (w[0] * s[5] - w[2] * s[3] + w[1] * (s[2] - s[0]));
    out[5] = a[1] + a[3] - (w[1] * s[3] - w[0] * s[4] + w[2] * (s[0] - s[1]));
}

/* The transpose: out [9] with out . dF = y . dS. */
NB_FN void nb_lane_stretch_backward(const NB_LANE r[9], const NB_LANE s[6], const NB_LANE turn[6], const NB_LANE y[6],
                                    NB_LANE out[9]) {
    NB_LANE w[3], a[9];
    const NB_LANE back[3] = {
        s[3] * (y[1] - y[2]) - (s[1] - s[2]) * y[3] - s[5] * y[4] + s[4] * y[5],
        s[4] * (y[2] - y[0]) + s[5] * y[3] - (s[2] - s[0]) * y[4] - s[3] * y[5],
        s[5] * (y[0] - y[1]) - s[4] * y[3] + s[3] * y[4] - (s[0] - s[1]) * y[5],
    };
    nb_lane_symmetric_apply(turn, back, w);
    a[0] = y[0];
    a[4] = y[1];
    a[8] = y[2];
    a[5] = y[3] - w[0];
    a[7] = y[3] + w[0];
    a[6] = y[4] - w[1];
    a[2] = y[4] + w[1];
    a[1] = y[5] - w[2];
    a[3] = y[5] + w[2];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            out[3 * i + j] = r[3 * i] * a[j] + r[3 * i + 1] * a[3 + j] + r[3 * i + 2] * a[6 + j];
}

#endif
