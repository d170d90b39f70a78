/* Vectors of four contacts, and how rows of bodies become such vectors (private to lanes/). A row has six numbers and
 * two that stay 0. */
#ifndef NB_INTERIOR_POINT_CONTACT_LANES_H
#define NB_INTERIOR_POINT_CONTACT_LANES_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "base/features.h"
#include "method/interior_point/body_lu.h"

#define INLINE inline __attribute__((always_inline))

enum {
    LANES = NB_BODY_LU_LANES,
    STRIDE = NB_BODY_LU_STRIDE
};

typedef nb_lanes lanes;
typedef int64_t masks __attribute__((vector_size(LANES * sizeof(double)), may_alias));
typedef double whole __attribute__((vector_size(STRIDE * sizeof(double)), may_alias));
typedef double pair __attribute__((vector_size(2 * sizeof(double)), may_alias));

/* ---- numbers ---- */

static INLINE lanes pick(masks which, lanes a, lanes b) {
    return (lanes)((which & (masks)a) | (~which & (masks)b));
}

static INLINE lanes all(double x) {
    return (lanes){x, x, x, x};
}

static INLINE lanes root(lanes x) {
    lanes r = x;
    for (int i = 0; i < LANES; i++) r[i] = sqrt(x[i]);
    return r;
}

static INLINE lanes size_of(lanes x) {
    return (lanes)((masks)x & INT64_MAX);
}

static INLINE lanes dot(const lanes a[3], const lanes b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static INLINE void cross(const lanes a[3], const lanes b[3], lanes out[3]) {
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static INLINE double sum_of(lanes x) {
    return (x[0] + x[2]) + (x[1] + x[3]);
}

/* ---- rows ---- */

/* numbers 0 to 3 of four rows to a vector a number, and back */
static INLINE void transpose(lanes v[LANES]) {
    const lanes a = __builtin_shufflevector(v[0], v[1], 0, 4, 2, 6),
                b = __builtin_shufflevector(v[0], v[1], 1, 5, 3, 7);
    const lanes c = __builtin_shufflevector(v[2], v[3], 0, 4, 2, 6),
                d = __builtin_shufflevector(v[2], v[3], 1, 5, 3, 7);
    v[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
    v[1] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
    v[2] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
    v[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}

/* the six numbers of four rows */
static INLINE void load_rows(const double *const row[LANES], lanes v[6]) {
    pair last[LANES];
    for (int i = 0; i < LANES; i++) {
        v[i] = *(const lanes *)row[i];
        last[i] = *(const pair *)(row[i] + LANES);
    }
    transpose(v);
    const lanes even = __builtin_shufflevector(last[0], last[2], 0, 1, 2, 3),
                odd = __builtin_shufflevector(last[1], last[3], 0, 1, 2, 3);
    v[4] = __builtin_shufflevector(even, odd, 0, 4, 2, 6);
    v[5] = __builtin_shufflevector(even, odd, 1, 5, 3, 7);
}

enum {
    SUMMED = 1 /* a count of rows: contacts of one pair of bodies, whose rows are summed; otherwise LANES */
};

/* six numbers of four contacts as rows, or the sums over the contacts as the first row */
typedef struct rows {
    lanes low[LANES];
    pair high[LANES];
} rows;

static INLINE rows rows_of(const lanes v[6]) {
    rows r = {.low = {v[0], v[1], v[2], v[3]}};
    const lanes even = __builtin_shufflevector(v[4], v[5], 0, 4, 2, 6),
                odd = __builtin_shufflevector(v[4], v[5], 1, 5, 3, 7);
    transpose(r.low);
    r.high[0] = __builtin_shufflevector(even, even, 0, 1);
    r.high[1] = __builtin_shufflevector(odd, odd, 0, 1);
    r.high[2] = __builtin_shufflevector(even, even, 2, 3);
    r.high[3] = __builtin_shufflevector(odd, odd, 2, 3);
    return r;
}

static INLINE rows summed_rows(const lanes v[6]) {
    const lanes a = __builtin_shufflevector(v[0], v[1], 0, 4, 2, 6) + __builtin_shufflevector(v[0], v[1], 1, 5, 3, 7),
                b = __builtin_shufflevector(v[2], v[3], 0, 4, 2, 6) + __builtin_shufflevector(v[2], v[3], 1, 5, 3, 7),
                c = __builtin_shufflevector(v[4], v[5], 0, 4, 2, 6) + __builtin_shufflevector(v[4], v[5], 1, 5, 3, 7);
    rows r = {.low = {__builtin_shufflevector(a, b, 0, 1, 4, 5) + __builtin_shufflevector(a, b, 2, 3, 6, 7)}};
    r.high[0] = __builtin_shufflevector(c, c, 0, 1) + __builtin_shufflevector(c, c, 2, 3);
    return r;
}

/* Adds `sign` times `count` rows, one after the other, as they need not differ; as a whole where a register takes one:
 * what is read as a whole soon would wait for parts. */
static INLINE void add_rows(const rows *r, int count, double sign, double *const to[LANES]) {
    for (int i = 0; i < count; i++) {
        if (NB_WIDTH == 8) {
            const lanes high = __builtin_shufflevector(r->high[i], (pair){0}, 0, 1, 2, 3);
            *(whole *)to[i] += sign * __builtin_shufflevector(r->low[i], high, 0, 1, 2, 3, 4, 5, 6, 7);
        } else {
            *(lanes *)to[i] += sign * r->low[i];
            *(pair *)(to[i] + LANES) += sign * r->high[i];
        }
    }
}

/* whether four contacts of bodies a and b are all of one pair */
static INLINE int is_one_pair(const int32_t a[LANES], const int32_t b[LANES]) {
    int differ = 0;
    for (int i = 1; i < LANES; i++) differ |= (a[i] ^ a[0]) | (b[i] ^ b[0]);
    return !differ;
}

#endif
