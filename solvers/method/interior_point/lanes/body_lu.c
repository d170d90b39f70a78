/* The kernels of body_lu.h for one instruction set: a row of a block is two vectors of four numbers. */
#include "contact_lanes.h"

#include <string.h>

#include "base/real.h"

NB_PRECISIONS(f64);

#define KERNELS_OF(set) KERNELS_OF_(set)
#define KERNELS_OF_(set) nb_body_lu_kernels_##set

static double *block_of(const nb_body_lu *lu, int32_t i, int32_t j) {
    return lu->block + (ptrdiff_t)lu->place[lu->bodies * i + j] * NB_BODY_LU_BLOCK;
}

/* ---- the matrix, transposed ---- */

static void begin(nb_body_lu *lu, const double *mass, const double *inertia) {
    memset(lu->block, 0, (size_t)lu->blocks * NB_BODY_LU_BLOCK * sizeof *lu->block);
    for (int32_t i = 0; i < lu->bodies; i++) {
        double *m = block_of(lu, i, i);
        const double *own = inertia + 6 * (ptrdiff_t)i;
        const double full[3][3] = {{own[0], own[3], own[4]}, {own[3], own[1], own[5]}, {own[4], own[5], own[2]}};
        for (int k = 0; k < 3; k++) {
            m[(STRIDE + 1) * k] = mass[i];
            memcpy(m + STRIDE * (3 + k) + 3, full[k], sizeof full[k]);
        }
    }
}

/* K^T G, G u = v + omega x arm: rows (k_i, arm x k_i) */
static INLINE void right_product(const lanes *k, const lanes arm[3], lanes t[3][6]) {
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) t[i][j] = k[3 * j + i];
        cross(arm, t[i], t[i] + 3);
    }
}

/* row i of G^T t */
static INLINE void left_product(lanes t[3][6], const lanes arm[3], int i, lanes row[6]) {
    const int p = (i + 1) % 3, q = (i + 2) % 3;
    if (i < 3)
        memcpy(row, t[i], sizeof t[i]);
    else
        for (int j = 0; j < 6; j++) row[j] = arm[p] * t[q][j] - arm[q] * t[p][j];
}

/* block[e] += sign G^T t for each contact's block of side e with side f */
static INLINE void add_products(lanes t[3][6], const lanes arm[3], double sign, int is_one, double *const block[LANES]) {
    for (int i = 0; i < 6; i++) {
        lanes row[6];
        left_product(t, arm, i, row);
        for (int j = 0; j < 6; j++) row[j] *= sign;
        double *const to[LANES] = {block[0] + STRIDE * i, block[1] + STRIDE * i, block[2] + STRIDE * i,
                                   block[3] + STRIDE * i};
        if (is_one)
            add_to_row(row, to[0]);
        else
            add_to_rows(row, to);
    }
}

static INLINE void add_contacts(nb_body_lu *lu, const int32_t (*body)[LANES], const nb_lanes (*arm)[3],
                                const nb_lanes *k, int is_one) {
    double unused[NB_BODY_LU_BLOCK] __attribute__((aligned(64))) = {0};
    for (int f = 0; f < 2; f++) {
        lanes t[3][6];
        if (is_one && body[f][0] < 0) continue;
        right_product(k, arm[f], t);
        for (int e = 0; e < 2; e++) {
            double *block[LANES];
            if (is_one && body[e][0] < 0) continue;
            for (int i = 0; i < LANES; i++)
                block[i] = body[e][i] < 0 || body[f][i] < 0 ? unused : block_of(lu, body[e][i], body[f][i]);
            add_products(t, arm[e], e == f ? 1 : -1, is_one, block);
        }
    }
}

static void add(nb_body_lu *lu, const int32_t (*body)[LANES], const nb_lanes (*arm)[3], const nb_lanes *k) {
    if (is_one_pair(body))
        add_contacts(lu, body, arm, k, 1);
    else
        add_contacts(lu, body, arm, k, 0);
}

/* ---- its factors ---- */

/* Gauss-Jordan without exchanges */
static void invert(double *block) {
    lanes *row = (lanes *)block;
    for (int p = 0; p < 6; p++) {
        double *pivot = block + STRIDE * p + p;
        const double scale = 1 / *pivot;
        *pivot = 1;
        const lanes low = row[2 * p] * scale, high = row[2 * p + 1] * scale;
        for (int i = 0; i < 6; i++) {
            if (i == p) continue;
            const double factor = block[STRIDE * i + p];
            block[STRIDE * i + p] = 0;
            row[2 * i] -= factor * low;
            row[2 * i + 1] -= factor * high;
        }
        row[2 * p] = low;
        row[2 * p + 1] = high;
    }
}

/* c = keep c + sign a b */
static inline __attribute__((always_inline)) void multiply(const double *a, const double *b, double keep, double sign,
                                                           double *c) {
    const lanes *from = (const lanes *)b;
    lanes *out = (lanes *)c;
    for (int i = 0; i < 6; i++) {
        lanes low = keep * out[2 * i], high = keep * out[2 * i + 1];
        for (int k = 0; k < 6; k++) {
            const double factor = sign * a[STRIDE * i + k];
            low += factor * from[2 * k];
            high += factor * from[2 * k + 1];
        }
        out[2 * i] = low;
        out[2 * i + 1] = high;
    }
}

static void factorise(nb_body_lu *lu) {
    for (int32_t n = 0; n < lu->bodies; n++) {
        const int32_t k = lu->order[n];
        double *diagonal = block_of(lu, k, k);
        invert(diagonal);
        for (uint64_t m = lu->later[k]; m; m &= m - 1) {
            const int32_t i = __builtin_ctzll(m);
            double *lower = block_of(lu, i, k), product[NB_BODY_LU_BLOCK] __attribute__((aligned(64)));
            memset(product, 0, sizeof product);
            multiply(lower, diagonal, 1, 1, product);
            memcpy(lower, product, sizeof product);
            for (uint64_t q = lu->later[k]; q; q &= q - 1) {
                const int32_t j = __builtin_ctzll(q);
                multiply(product, block_of(lu, k, j), 1, -1, block_of(lu, i, j));
            }
        }
    }
}

/* y + sign A^T x in two registers */
static INLINE void add_transposed(const double *block, const double *x, double sign, lanes y[2]) {
    const lanes *row = (const lanes *)block;
    for (int i = 0; i < 6; i++) {
        const double factor = sign * x[i];
        y[0] += factor * row[2 * i];
        y[1] += factor * row[2 * i + 1];
    }
}

static void solve(const nb_body_lu *lu, double *x) {
    for (int32_t n = 0; n < lu->bodies; n++) {
        const int32_t k = lu->order[n];
        lanes own[2] = {{0}}, *to = (lanes *)(x + STRIDE * k);
        add_transposed(block_of(lu, k, k), x + STRIDE * k, 1, own);
        to[0] = own[0];
        to[1] = own[1];
        for (uint64_t m = lu->later[k]; m; m &= m - 1) {
            const int32_t i = __builtin_ctzll(m);
            add_transposed(block_of(lu, k, i), x + STRIDE * k, -1, (lanes *)(x + STRIDE * i));
        }
    }
    for (int32_t n = lu->bodies - 1; n >= 0; n--) {
        const int32_t k = lu->order[n];
        lanes *own = (lanes *)(x + STRIDE * k), sum[2] = {own[0], own[1]};
        for (uint64_t m = lu->later[k]; m; m &= m - 1) {
            const int32_t j = __builtin_ctzll(m);
            add_transposed(block_of(lu, j, k), x + STRIDE * j, -1, sum);
        }
        own[0] = sum[0];
        own[1] = sum[1];
    }
}

const nb_body_lu_kernels KERNELS_OF(NB_INSTRUCTION_SET) = {begin, add, factorise, solve};
