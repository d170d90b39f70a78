/* Small dense blocks in double, by rows, of at most NB_BLOCK_ROWS rows and columns: taken out of A, products, roots,
 * and what makes up for a block that is dropped (private to solvers/precond). */
#ifndef NB_PRECOND_DENSE_BLOCK_H
#define NB_PRECOND_DENSE_BLOCK_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/real.h"
#include "operator/block.h"
#include "precond/block_graph.h"

enum {
    NB_DENSE_BLOCK = NB_BLOCK_ROWS * NB_BLOCK_ROWS, /* numbers, at most */
    NB_DENSE_ROTATIONS = 2                          /* sweeps of Jacobi rotations */
};

/* out [n][m] = a [n][k] b [k][m] */
static inline void nb_dense_multiply(int32_t n, int32_t k, int32_t m, const double *a, const double *b, double *out) {
    for (int32_t i = 0; i < n; i++)
        for (int32_t j = 0; j < m; j++) {
            double sum = 0;
            for (int32_t l = 0; l < k; l++) sum += a[i * k + l] * b[l * m + j];
            out[i * m + j] = sum;
        }
}

static inline void nb_dense_transpose(int32_t n, int32_t m, const double *a, double *out) {
    for (int32_t i = 0; i < n; i++)
        for (int32_t j = 0; j < m; j++) out[j * n + i] = a[i * m + j];
}

/* out [n][m] = g a h^T, g [n][n], a [n][m], h [m][m] */
static inline void nb_dense_scale(int32_t n, int32_t m, const double *g, const double *a, const double *h,
                                  double *out) {
    double part[NB_DENSE_BLOCK], turned[NB_DENSE_BLOCK];
    nb_dense_multiply(n, n, m, g, a, part);
    nb_dense_transpose(m, m, h, turned);
    nb_dense_multiply(n, m, m, part, turned, out);
}

/* out [n][m] = the entries of `a` from (row, column) on; returns whether one is not zero */
static inline int nb_dense_gather(const nb_csr *a, int32_t row, int32_t n, int32_t column, int32_t m, double *out) {
    real entries[NB_DENSE_BLOCK];
    int any = 0;
    nb_block_gather(a, row, n, column, m, entries);
    for (int32_t k = 0; k < n * m; k++) {
        out[k] = (double)entries[k];
        any |= out[k] != 0;
    }
    return any;
}

/* Of the symmetric a [n][n], the lower c with c c^T = a and its inverse g. A pivot that is round-off against its
 * diagonal is taken to be the size of that; a row whose diagonal is zero is zero in both. Returns whether no pivot was
 * replaced. */
static inline int nb_dense_root(int32_t n, const double *a, double least, double *c, double *g) {
    int whole = 1;
    memset(c, 0, (size_t)(n * n) * sizeof *c);
    memset(g, 0, (size_t)(n * n) * sizeof *g);
    for (int32_t j = 0; j < n; j++) {
        double pivot = a[j * n + j];
        for (int32_t k = 0; k < j; k++) pivot -= c[j * n + k] * c[j * n + k];
        if (!(pivot > least * a[j * n + j])) {
            whole = 0;
            pivot = fabs(a[j * n + j]);
        }
        c[j * n + j] = sqrt(pivot);
        const double inverse = pivot > 0 ? 1 / c[j * n + j] : 0;
        for (int32_t i = j + 1; i < n; i++) {
            double x = a[i * n + j];
            for (int32_t k = 0; k < j; k++) x -= c[i * n + k] * c[j * n + k];
            c[i * n + j] = x * inverse;
        }
        g[j * n + j] = inverse;
        for (int32_t k = 0; k < j; k++) {
            double x = 0;
            for (int32_t l = k; l < j; l++) x += c[j * n + l] * g[l * n + k];
            g[j * n + k] = -x * inverse;
        }
    }
    return whole;
}

/* What makes up for the dropped f [n][m]: with orthonormal v_k and f_k = f v_k, adds the sum over k of f_k f_k^T /
 * |f_k| to `left` [n][n], and of |f_k| v_k v_k^T to `right` [m][m]. These two with f or -f beside them are positive
 * semidefinite for any v_k. Jacobi rotations make f_k orthogonal, where the trace is least. f is overwritten. */
static inline void nb_dense_compensate(int32_t n, int32_t m, double *f, double *left, double *right) {
    double v[NB_DENSE_BLOCK] = {0};
    for (int32_t k = 0; k < m; k++) v[k * m + k] = 1;
    for (int sweep = 0; sweep < NB_DENSE_ROTATIONS; sweep++)
        for (int32_t p = 0; p < m; p++)
            for (int32_t q = p + 1; q < m; q++) {
                double pp = 0, qq = 0, pq = 0;
                for (int32_t i = 0; i < n; i++) {
                    const double a = f[i * m + p], b = f[i * m + q];
                    pp += a * a;
                    qq += b * b;
                    pq += a * b;
                }
                if (!(pq * pq > 1e-4 * pp * qq)) continue;
                const double tau = (qq - pp) / (2 * pq), t = copysign(1, tau) / (fabs(tau) + sqrt(1 + tau * tau)),
                             cosine = 1 / sqrt(1 + t * t), sine = t * cosine;
                for (int32_t i = 0; i < n; i++) {
                    const double a = f[i * m + p], b = f[i * m + q];
                    f[i * m + p] = cosine * a - sine * b;
                    f[i * m + q] = sine * a + cosine * b;
                }
                for (int32_t i = 0; i < m; i++) {
                    const double a = v[i * m + p], b = v[i * m + q];
                    v[i * m + p] = cosine * a - sine * b;
                    v[i * m + q] = sine * a + cosine * b;
                }
            }
    for (int32_t k = 0; k < m; k++) {
        double size = 0;
        for (int32_t i = 0; i < n; i++) size += f[i * m + k] * f[i * m + k];
        if (!(size > 0)) continue;
        size = sqrt(size);
        for (int32_t i = 0; i < n; i++)
            for (int32_t j = 0; j < n; j++) left[i * n + j] += f[i * m + k] / size * f[j * m + k];
        for (int32_t i = 0; i < m; i++)
            for (int32_t j = 0; j < m; j++) right[i * m + j] += size * v[i * m + k] * v[j * m + k];
    }
}

/* out = a, in the precision of vectors; returns whether all numbers are finite there */
static inline int nb_dense_round(int32_t count, const double *a, real *out) {
    int finite = 1;
    for (int32_t k = 0; k < count; k++) {
        out[k] = (real)a[k];
        finite &= isfinite(out[k]) != 0;
    }
    return finite;
}

/* the operations of nb_dense_compensate, about */
static inline double nb_dense_compensation_flops(int32_t n, int32_t m) {
    return NB_DENSE_ROTATIONS * m * (m - 1.0) / 2 * (12.0 * n + 6.0 * m) + 2.0 * m * (n * n + m * m);
}

#endif
