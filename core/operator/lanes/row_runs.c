/* The product with runs of rows of one instruction set (operator/row_runs.h). */
#include "operator/row_runs.h"

#include "lanes.h"

NB_PRECISIONS(f32, f64);

#define PRODUCT_OF(set) PRODUCT_OF_(set)
#define PRODUCT_OF_(set) NB_REAL_NAME(nb_row_run_product_##set)

enum {
    PART = 192,                 /* columns that are gathered at a time: a multiple of threes */
    AHEAD = 4096 / sizeof(real) /* entries that are fetched before they are needed */
};

/* registers of less than BODY_WIDTH numbers, as they lie in memory */
#define LOOSE(width) __attribute__((vector_size((width) * sizeof(real)), aligned(sizeof(real)), may_alias))
typedef real loose_2 LOOSE(2);
typedef real loose_4 LOOSE(4);
typedef real loose_8 LOOSE(8);
typedef real loose_16 LOOSE(16);

/* half of the numbers of `wide`, each added to one of the other half; then what is left of so many columns */
#define FOLD(wide, width, narrow)                                                                 \
    loose_##width narrow = __builtin_shufflevector(wide, wide, PASTE(LOW, PASTE(TWICE, width))) + \
                           __builtin_shufflevector(wide, wide, PASTE(HIGH, PASTE(TWICE, width))); \
    if (k + (width) <= count) {                                                                   \
        (narrow) += *(const loose_##width *)(value + k) * *(const loose_##width *)(x + k);        \
        k += (width);                                                                             \
    }
#define TWICE_2 4
#define TWICE_4 8
#define TWICE_8 16

/* a . x, in one stream of memory, two registers at a time */
static INLINE real dot(int count, const real *value, const real *x) {
    body_lanes sum = {0}, other = {0};
    int k = 0;
    for (; k + 2 * BODY_WIDTH <= count; k += 2 * BODY_WIDTH) {
        __builtin_prefetch(value + k + AHEAD, 0, 0);
        __builtin_prefetch(value + k + AHEAD + BODY_WIDTH, 0, 0);
        sum += load_real(value + k) * *(const body_lanes *)(x + k);
        other += load_real(value + k + BODY_WIDTH) * *(const body_lanes *)(x + k + BODY_WIDTH);
    }
    if (k + BODY_WIDTH <= count) {
        sum += load_real(value + k) * *(const body_lanes *)(x + k);
        k += BODY_WIDTH;
    }
    sum += other;
#if NB_BODY_WIDTH == 16
    FOLD(sum, 8, eight)
#elif NB_BODY_WIDTH == 8
    const body_lanes eight = sum;
#endif
#if NB_BODY_WIDTH >= 8
    FOLD(eight, 4, four)
#elif NB_BODY_WIDTH == 4
    const body_lanes four = sum;
#endif
#if NB_BODY_WIDTH >= 4
    FOLD(four, 2, two)
#else
    const body_lanes two = sum;
#endif
    real rest = two[0] + two[1];
    if (k < count) rest += value[k] * x[k];
    return rest;
}

static INLINE void gather_columns(const int32_t *column, int threes, int count, const real *x, real *out) {
    if (threes)
        for (int k = 0; k < count; k += 3, column++)
            for (int i = 0; i < 3; i++) out[k + i] = x[*column + i];
    else
        for (int k = 0; k < count; k++) out[k] = x[column[k]];
}

static INLINE void multiply(int rows, const int32_t *column, int threes, const real *value, int64_t length,
                            const real *x, real *y) {
    real some[PART] __attribute__((aligned(64)));
    for (int r = 0; r < rows; r++) y[r] = 0;
    for (int64_t done = 0; done < length; done += PART) {
        const int count = length - done < PART ? (int)(length - done) : PART;
        gather_columns(column + (threes ? done / 3 : done), threes, count, x, some);
        for (int r = 0; r < rows; r++) y[r] += dot(count, value + r * length + done, some);
    }
}

void PRODUCT_OF(NB_INSTRUCTION_SET)(const nb_row_runs *runs, const nb_csr *a, const real *x, real *y, int32_t begin,
                                    int32_t end) {
    for (int32_t k = begin; k < end; k++) {
        const int32_t first = runs->row[k], *column = runs->column + runs->place[k];
        const int64_t at = a->start[first], length = a->start[first + 1] - at;
        const int rows = runs->row[k + 1] - first;
        if (rows == 6 && runs->threes[k]) /* constants: loops unrolled */
            multiply(6, column, 1, a->value + at, length, x, y + first);
        else if (rows == 3 && runs->threes[k])
            multiply(3, column, 1, a->value + at, length, x, y + first);
        else
            multiply(rows, column, runs->threes[k], a->value + at, length, x, y + first);
    }
}
