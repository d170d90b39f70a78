/* The kernels of body_lu.h for one instruction set: a row of a block is two vectors of four numbers. */
#include "method/interior_point/body_lu.h"

#include <stddef.h>
#include <string.h>

#include "base/real.h"

NB_PRECISIONS(f64);

#define KERNELS_OF(set) KERNELS_OF_(set)
#define KERNELS_OF_(set) nb_body_lu_kernels_##set

enum {
    STRIDE = NB_BODY_LU_STRIDE
};

typedef double lanes __attribute__((vector_size(4 * sizeof(double)), may_alias));

static double *block_of(const nb_body_lu *lu, int32_t i, int32_t j) {
    return lu->block + (ptrdiff_t)lu->place[lu->bodies * i + j] * NB_BODY_LU_BLOCK;
}

/* ---- the matrix ---- */

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

/* K G, G u = v + omega x arm: rows (k_i, arm x k_i) */
static void right_product(const double *k, const double *arm, double sign, double *t) {
    for (int i = 0; i < 3; i++) {
        const double *row = k + 3 * i;
        const double all[STRIDE] = {row[0],
                                    row[1],
                                    row[2],
                                    arm[1] * row[2] - arm[2] * row[1],
                                    arm[2] * row[0] - arm[0] * row[2],
                                    arm[0] * row[1] - arm[1] * row[0]};
        for (int j = 0; j < STRIDE; j++) t[STRIDE * i + j] = sign * all[j];
    }
}

/* block += sign G^T t */
static void add_left_product(const double *t, const double *arm, double sign, double *block) {
    lanes *out = (lanes *)block;
    const double x = sign * arm[0], y = sign * arm[1], z = sign * arm[2];
    for (int half = 0; half < 2; half++) {
        const lanes *row = (const lanes *)t + half, t0 = row[0], t1 = row[2], t2 = row[4];
        out[half] += sign * t0;
        out[2 + half] += sign * t1;
        out[4 + half] += sign * t2;
        out[6 + half] += y * t2 - z * t1;
        out[8 + half] += z * t0 - x * t2;
        out[10 + half] += x * t1 - y * t0;
    }
}

static void add(nb_body_lu *lu, int32_t a, int32_t b, const double (*arm)[3], const double *k) {
    double t[3 * STRIDE] __attribute__((aligned(64)));
    if (a >= 0) {
        right_product(k, arm[0], 1, t);
        add_left_product(t, arm[0], 1, block_of(lu, a, a));
        if (b >= 0) add_left_product(t, arm[1], -1, block_of(lu, b, a));
    }
    if (b >= 0) {
        right_product(k, arm[1], -1, t);
        add_left_product(t, arm[1], -1, block_of(lu, b, b));
        if (a >= 0) add_left_product(t, arm[0], 1, block_of(lu, a, b));
    }
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

/* y -= A x */
static void subtract(const double *block, const double *x, double *y) {
    const lanes *row = (const lanes *)block, *at = (const lanes *)x;
    for (int i = 0; i < 6; i++) {
        const lanes sum = row[2 * i] * at[0] + row[2 * i + 1] * at[1];
        y[i] -= (sum[0] + sum[2]) + (sum[1] + sum[3]);
    }
}

static void solve(const nb_body_lu *lu, double *x) {
    for (int32_t n = 0; n < lu->bodies; n++) {
        const int32_t k = lu->order[n];
        for (uint64_t m = lu->later[k]; m; m &= m - 1) {
            const int32_t i = __builtin_ctzll(m);
            subtract(block_of(lu, i, k), x + STRIDE * k, x + STRIDE * i);
        }
    }
    for (int32_t n = lu->bodies - 1; n >= 0; n--) {
        const int32_t k = lu->order[n];
        double *own = x + STRIDE * k, minus[STRIDE] __attribute__((aligned(64))) = {0};
        for (uint64_t m = lu->later[k]; m; m &= m - 1) {
            const int32_t j = __builtin_ctzll(m);
            subtract(block_of(lu, k, j), x + STRIDE * j, own);
        }
        subtract(block_of(lu, k, k), own, minus);
        for (int i = 0; i < 6; i++) own[i] = -minus[i];
    }
}

const nb_body_lu_kernels KERNELS_OF(NB_INSTRUCTION_SET) = {begin, add, factorise, solve};
