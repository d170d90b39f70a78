/* The kernels of body_lu.h for one instruction set: a row of a block is two vectors of four numbers. */
#include "contact_lanes.h"

#include <string.h>

#include "base/real.h"

NB_PRECISIONS(f64);

#define KERNELS_OF(set) KERNELS_OF_(set)
#define KERNELS_OF_(set) nb_body_lu_kernels_##set

/* a row of a block in PARTS registers */
enum {
    WIDTH = NB_WIDTH,
    PARTS = STRIDE / WIDTH
};
typedef double part __attribute__((vector_size(WIDTH * sizeof(double)), may_alias));
typedef int64_t part_bits __attribute__((vector_size(WIDTH * sizeof(double))));

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

/* rows 3 to 5 of G^T t; the others are those of t */
static INLINE void left_product(lanes t[3][6], const lanes arm[3], lanes turned[3][6]) {
    for (int j = 0; j < 6; j++) {
        turned[0][j] = arm[1] * t[2][j] - arm[2] * t[1][j];
        turned[1][j] = arm[2] * t[0][j] - arm[0] * t[2][j];
        turned[2][j] = arm[0] * t[1][j] - arm[1] * t[0][j];
    }
}

/* rows `first` to first + 2 of blocks += sign r */
static INLINE void add_three(const rows r[3], int count, double sign, int first, double *const block[LANES]) {
    for (int i = 0; i < 3; i++) {
        double *to[LANES];
        for (int n = 0; n < count; n++) to[n] = block[n] + STRIDE * (first + i);
        add_rows(&r[i], count, sign, to);
    }
}

static INLINE void reduce(lanes t[3][6], int count, rows r[3]) {
    for (int i = 0; i < 3; i++) r[i] = count == SUMMED ? summed_rows(t[i]) : rows_of(t[i]);
}

static INLINE void add_contacts(nb_body_lu *lu, const int32_t (*body)[LANES], const nb_lanes (*arm)[3],
                                const nb_lanes *k, int count) {
    double unused[NB_BODY_LU_BLOCK] __attribute__((aligned(64))) = {0};
    for (int f = 0; f < 2; f++) {
        lanes t[3][6], turned[3][6];
        rows r[3], r_turned[3];
        if (count == SUMMED && body[f][0] < 0) continue;
        right_product(k, arm[f], t);
        reduce(t, count, r);
        for (int e = 0; e < 2; e++) {
            const double sign = e == f ? 1 : -1;
            double *block[LANES];
            if (count == SUMMED && body[e][0] < 0) continue;
            for (int i = 0; i < count; i++)
                block[i] = body[e][i] < 0 || body[f][i] < 0 ? unused : block_of(lu, body[e][i], body[f][i]);
            add_three(r, count, sign, 0, block);
            left_product(t, arm[e], turned);
            reduce(turned, count, r_turned);
            add_three(r_turned, count, sign, 3, block);
        }
    }
}

static void add(nb_body_lu *lu, const int32_t (*body)[LANES], const nb_lanes (*arm)[3], const nb_lanes *k) {
    if (is_one_pair(body[0], body[1]))
        add_contacts(lu, body, arm, k, SUMMED);
    else
        add_contacts(lu, body, arm, k, LANES);
}

/* ---- its factors ---- */

/* where a row has not its number `column` */
static INLINE void others_of(int column, part_bits others[PARTS]) {
    for (int n = 0; n < PARTS; n++)
        for (int k = 0; k < WIDTH; k++) others[n][k] = WIDTH * n + k == column ? 0 : -1;
}

/* Gauss-Jordan without exchanges. Numbers of a row are set by masks: stored one by one, the row would wait for them. */
static void invert(double *block) {
    part row[6][PARTS];
    memcpy(row, block, sizeof row);
#pragma GCC unroll 6
    for (int p = 0; p < 6; p++) {
        const double scale = 1 / row[p][p / WIDTH][p % WIDTH];
        part_bits others[PARTS];
        others_of(p, others);
        for (int n = 0; n < PARTS; n++) {
            const part own = row[p][n] * scale, one = scale + (part){0};
            row[p][n] = (part)(((part_bits)own & others[n]) | ((part_bits)one & ~others[n]));
        }
#pragma GCC unroll 6
        for (int i = 0; i < 6; i++) {
            if (i == p) continue;
            const double factor = row[i][p / WIDTH][p % WIDTH];
            for (int n = 0; n < PARTS; n++) row[i][n] = (part)((part_bits)row[i][n] & others[n]) - factor * row[p][n];
        }
    }
    memcpy(block, row, sizeof row);
}

/* c = sign a b, added to c where that is `kept`; row by row, so that a may be c */
static INLINE void multiply(const double *a, const double *b, int kept, double sign, double *c) {
    const part *from = (const part *)b;
    part *out = (part *)c;
    for (int i = 0; i < 6; i++) {
        double factor[6];
        memcpy(factor, a + STRIDE * i, sizeof factor);
        for (int n = 0; n < PARTS; n++) {
            part sum = {0};
            if (kept) sum = out[PARTS * i + n];
            for (int k = 0; k < 6; k++) sum += sign * factor[k] * from[PARTS * k + n];
            out[PARTS * i + n] = sum;
        }
    }
}

static void factorise(nb_body_lu *lu) {
    for (int32_t n = 0; n < lu->bodies; n++) {
        const int32_t k = lu->order[n];
        double *diagonal = block_of(lu, k, k);
        invert(diagonal);
        for (uint64_t m = lu->later[k]; m; m &= m - 1) {
            const int32_t i = __builtin_ctzll(m);
            double *lower = block_of(lu, i, k);
            multiply(lower, diagonal, 0, 1, lower);
            for (uint64_t q = lu->later[k]; q; q &= q - 1) {
                const int32_t j = __builtin_ctzll(q);
                multiply(lower, block_of(lu, k, j), 1, -1, block_of(lu, i, j));
            }
        }
    }
}

/* y += sign block^T x; two sums at a time, as one waits for the other bodies' */
static INLINE void add_transposed(const double *block, const double *x, double sign, part y[PARTS]) {
    const part *row = (const part *)block;
    for (int n = 0; n < PARTS; n++) {
        part even = y[n], odd = {0};
        for (int i = 0; i < 6; i += 2) {
            even += sign * x[i] * row[PARTS * i + n];
            odd += sign * x[i + 1] * row[PARTS * (i + 1) + n];
        }
        y[n] = even + odd;
    }
}

static void solve(const nb_body_lu *lu, double *x) {
    for (int32_t n = 0; n < lu->bodies; n++) {
        const int32_t k = lu->order[n];
        double *own = x + STRIDE * k;
        part product[PARTS] = {{0}};
        add_transposed(block_of(lu, k, k), own, 1, product);
        memcpy(own, product, sizeof product);
        for (uint64_t m = lu->later[k]; m; m &= m - 1) {
            const int32_t i = __builtin_ctzll(m);
            add_transposed(block_of(lu, k, i), own, -1, (part *)(x + STRIDE * i));
        }
    }
    for (int32_t n = lu->bodies - 1; n >= 0; n--) {
        const int32_t k = lu->order[n];
        for (uint64_t m = lu->later[k]; m; m &= m - 1) {
            const int32_t j = __builtin_ctzll(m);
            add_transposed(block_of(lu, j, k), x + STRIDE * j, -1, (part *)(x + STRIDE * k));
        }
    }
}

const nb_body_lu_kernels KERNELS_OF(NB_INSTRUCTION_SET) = {begin, add, factorise, solve};
