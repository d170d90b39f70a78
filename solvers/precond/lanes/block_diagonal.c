/* Solves with the blocks of a block diagonal, of one instruction set (precond/block_diagonal.h): a register has a
 * number of each of NB_WIDTH blocks of 6 rows, or of as many pairs of blocks of 3. */
#include "precond/block_diagonal.h"

NB_PRECISIONS(f32, f64);

#define INLINE static inline __attribute__((always_inline))
#define LANES_OF(set) LANES_OF_(set)
#define LANES_OF_(set) NB_REAL_NAME(nb_block_lanes_##set)

typedef real lanes __attribute__((vector_size(NB_WIDTH * sizeof(real)), aligned(sizeof(real)), may_alias));

/* which entries of two registers a shuffle takes, by their width: both by turns, from the first half on and from the
 * second half on; those with even numbers, and with odd ones */
#define LOW_2 0, 2
#define HIGH_2 1, 3
#define EVEN_2 0, 2
#define ODD_2 1, 3
#define LOW_4 0, 4, 1, 5
#define HIGH_4 2, 6, 3, 7
#define EVEN_4 0, 2, 4, 6
#define ODD_4 1, 3, 5, 7
#define LOW_8 0, 8, 1, 9, 2, 10, 3, 11
#define HIGH_8 4, 12, 5, 13, 6, 14, 7, 15
#define EVEN_8 0, 2, 4, 6, 8, 10, 12, 14
#define ODD_8 1, 3, 5, 7, 9, 11, 13, 15
#define LOW_16 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define HIGH_16 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31
#define EVEN_16 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30
#define ODD_16 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31

#define PASTE(a, b) PASTE_(a, b)
#define PASTE_(a, b) a##b
#define SHUFFLE(a, b, which) __builtin_shufflevector(a, b, PASTE(which, NB_WIDTH))

/* Row k of block l is number 6 l + k as it lies in memory, and NB_WIDTH k + l in registers: of six registers, times
 * NB_WIDTH modulo their length - 1. A perfect shuffle, of which there are log2 of NB_WIDTH, is times 2. */
INLINE void load(const real *from, lanes v[6]) {
    for (int k = 0; k < 6; k++) v[k] = ((const lanes *)from)[k];
    for (int width = 1; width < NB_WIDTH; width *= 2) {
        const lanes u[6] = {v[0], v[1], v[2], v[3], v[4], v[5]};
        for (int k = 0; k < 3; k++) {
            v[2 * k] = SHUFFLE(u[k], u[k + 3], LOW_);
            v[2 * k + 1] = SHUFFLE(u[k], u[k + 3], HIGH_);
        }
    }
}

INLINE void store(lanes v[6], real *to) {
    for (int width = 1; width < NB_WIDTH; width *= 2) {
        const lanes u[6] = {v[0], v[1], v[2], v[3], v[4], v[5]};
        for (int k = 0; k < 3; k++) {
            v[k] = SHUFFLE(u[2 * k], u[2 * k + 1], EVEN_);
            v[k + 3] = SHUFFLE(u[2 * k], u[2 * k + 1], ODD_);
        }
    }
    for (int k = 0; k < 6; k++) ((lanes *)to)[k] = v[k];
}

/* x = (L D L^T)^-1 x, row i of L from number i (i + 1) / 2 on; by columns, so that steps wait least for one another */
INLINE void solve(int n, const lanes *l, lanes *x) {
    for (int k = 0; k < n; k++)
        for (int i = k + 1; i < n; i++) x[i] -= l[i * (i + 1) / 2 + k] * x[k];
    for (int i = 0; i < n; i++) x[i] *= l[i * (i + 1) / 2 + i];
    for (int k = n - 1; k >= 0; k--)
        for (int i = 0; i < k; i++) x[i] -= l[k * (k + 1) / 2 + i] * x[k];
}

static void solve_six(int32_t groups, const real *value, const real *r, real *z) {
    const lanes *l = (const lanes *)value;
    for (int32_t i = 0; i < groups; i++, l += 21, r += 6 * NB_WIDTH, z += 6 * NB_WIDTH) {
        lanes x[6];
        load(r, x);
        solve(6, l, x);
        store(x, z);
    }
}

static void solve_three(int32_t groups, const real *value, const real *r, real *z) {
    const lanes *l = (const lanes *)value;
    for (int32_t i = 0; i < groups; i++, l += 12, r += 6 * NB_WIDTH, z += 6 * NB_WIDTH) {
        lanes x[6];
        load(r, x);
        solve(3, l, x);
        solve(3, l + 6, x + 3);
        store(x, z);
    }
}

extern const nb_block_lanes LANES_OF(NB_INSTRUCTION_SET);
const nb_block_lanes LANES_OF(NB_INSTRUCTION_SET) = {.lanes = NB_WIDTH, .six = solve_six, .three = solve_three};
