/* The product with half of a symmetric matrix of blocks, of one instruction set (operator/half_blocks.h). Rows of 6 or
 * 3 numbers are registers of 8 or 4: what follows a row meets zeros of x, and goes into what is not used of y. */
#include "operator/half_blocks.h"

#include "lanes.h"

NB_PRECISIONS(f32, f64);

#define PRODUCT_OF(set) PRODUCT_OF_(set)
#define PRODUCT_OF_(set) NB_REAL_NAME(nb_half_block_product_##set)

enum {
    AHEAD = 4096 / sizeof(real), /* entries that are fetched before they are needed */
    LINE = 64 / sizeof(real)
};

#define LOOSE(width) __attribute__((vector_size((width) * sizeof(real)), aligned(sizeof(real)), may_alias))
typedef real eight LOOSE(8);
typedef real four LOOSE(4);

/* the sums of six registers, one after the other */
static INLINE eight sums_of_six(const eight q[6]) {
    const eight none = {0};
    const eight *last = &none;
    eight pair[4];
    for (int k = 0; k < 4; k++) {
        const eight a = k < 3 ? q[2 * k] : *last, b = k < 3 ? q[2 * k + 1] : *last;
        pair[k] = __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14) +
                  __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15);
    }
    const eight low = __builtin_shufflevector(pair[0], pair[1], 0, 1, 8, 9, 4, 5, 12, 13) +
                      __builtin_shufflevector(pair[0], pair[1], 2, 3, 10, 11, 6, 7, 14, 15),
                high = __builtin_shufflevector(pair[2], pair[3], 0, 1, 8, 9, 4, 5, 12, 13) +
                       __builtin_shufflevector(pair[2], pair[3], 2, 3, 10, 11, 6, 7, 14, 15);
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 8, 9, 10, 11) +
           __builtin_shufflevector(low, high, 4, 5, 6, 7, 12, 13, 14, 15);
}

static INLINE four sums_of_three(const four q[3]) {
    const four none = {0};
    const four first =
                   __builtin_shufflevector(q[0], q[1], 0, 4, 2, 6) + __builtin_shufflevector(q[0], q[1], 1, 5, 3, 7),
               last = __builtin_shufflevector(q[2], none, 0, 4, 2, 6) + __builtin_shufflevector(q[2], none, 1, 5, 3, 7);
    return __builtin_shufflevector(first, last, 0, 1, 4, 5) + __builtin_shufflevector(first, last, 2, 3, 6, 7);
}

/* y_i += A_ij x_j and y_j += A_ij^T x_i over the blocks of row i, with sums for y_i apart */
#define PRODUCT(vector, rows, padded, sums)                                                              \
    for (int32_t i = 0; i < h->count; i++) {                                                             \
        const real *own = h->x + (int64_t)i * (padded);                                                  \
        vector q[rows], x = *(const vector *)own;                                                        \
        for (int r = 0; r < (rows); r++) q[r] = *(const vector *)(value + r * (rows)) * x;               \
        value += (rows) * (rows);                                                                        \
        for (int64_t e = h->place[i]; e < h->place[i + 1]; e++, value += (rows) * (rows)) {              \
            real *to = h->y + (int64_t)h->column[e] * (padded);                                          \
            vector even = *(vector *)to, odd = {0};                                                      \
            for (int k = 0; k < (rows) * (rows); k += LINE) __builtin_prefetch(value + AHEAD + k, 0, 0); \
            x = *(const vector *)(h->x + (int64_t)h->column[e] * (padded));                              \
            for (int r = 0; r < (rows); r++) {                                                           \
                const vector row = *(const vector *)(value + r * (rows));                                \
                q[r] += row * x;                                                                         \
                if (r % 2)                                                                               \
                    odd += row * own[r];                                                                 \
                else                                                                                     \
                    even += row * own[r];                                                                \
            }                                                                                            \
            *(vector *)to = even + odd;                                                                  \
        }                                                                                                \
        *(vector *)(h->y + (int64_t)i * (padded)) += sums(q);                                            \
    }

/* The same of blocks of 6 where a register has fewer than 8 numbers: three rows of a block at a time, each in two
 * registers of four, so that sums stay in registers. */
static INLINE void product_by_halves(const nb_half_blocks *h) {
    const real *value = h->value;
    for (int32_t i = 0; i < h->count; i++) {
        const real *own = h->x + (int64_t)i * 8, *row = value;
        for (int half = 0; half < 6; half += 3, row = value + 18) {
            four low[3], high[3], x = *(const four *)own, end = *(const four *)(own + 4);
            for (int r = 0; r < 3; r++) {
                low[r] = *(const four *)(row + 6 * r) * x;
                high[r] = *(const four *)(row + 6 * r + 4) * end;
            }
            row += 36;
            for (int64_t e = h->place[i]; e < h->place[i + 1]; e++, row += 36) {
                const real *of = h->x + (int64_t)h->column[e] * 8;
                real *to = h->y + (int64_t)h->column[e] * 8;
                four y = *(four *)to, last = *(four *)(to + 4);
                for (int k = 0; k < 18; k += LINE) __builtin_prefetch(row + AHEAD + k, 0, 0);
                x = *(const four *)of;
                end = *(const four *)(of + 4);
                for (int r = 0; r < 3; r++) {
                    const four first = *(const four *)(row + 6 * r), second = *(const four *)(row + 6 * r + 4);
                    low[r] += first * x;
                    high[r] += second * end;
                    y += first * own[half + r];
                    last += second * own[half + r];
                }
                *(four *)to = y;
                *(four *)(to + 4) = last;
            }
            for (int r = 0; r < 3; r++) low[r] += high[r];
            *(four *)(h->y + (int64_t)i * 8 + half) += sums_of_three(low);
        }
        value += 36 * (1 + h->place[i + 1] - h->place[i]);
    }
}

void PRODUCT_OF(NB_INSTRUCTION_SET)(const nb_half_blocks *h) {
    const real *value = h->value;
    if (h->width == 6 && NB_WIDTH == 4) {
        product_by_halves(h);
    } else if (h->width == 6) {
        PRODUCT(eight, 6, 8, sums_of_six)
    } else {
        PRODUCT(four, 3, 4, sums_of_three)
    }
}
