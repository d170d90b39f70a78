/* Vectors of 64 bytes, one entry a pair or body, and how rows of bodies become such vectors (private to lanes/). */
#ifndef NB_LANES_LANES_H
#define NB_LANES_LANES_H

#include <stddef.h>
#include <stdint.h>

#include "system/packed.h"

#define INLINE inline __attribute__((always_inline))

typedef real lanes __attribute__((vector_size(64), may_alias));
typedef double sum_lanes __attribute__((vector_size(64)));

static INLINE lanes load(const real *from) {
    return *(const lanes *)from;
}

static INLINE void store(real *to, lanes value) {
    *(lanes *)to = value;
}

#if NB_REAL_BITS == 32

typedef float half_lanes __attribute__((vector_size(32), may_alias));

/* a sum in double over all entries */
typedef struct sum {
    sum_lanes low, high;
} sum;

static INLINE void add_to(sum *total, lanes value) {
    half_lanes low = __builtin_shufflevector(value, value, 0, 1, 2, 3, 4, 5, 6, 7);
    half_lanes high = __builtin_shufflevector(value, value, 8, 9, 10, 11, 12, 13, 14, 15);
    total->low += __builtin_convertvector(low, sum_lanes);
    total->high += __builtin_convertvector(high, sum_lanes);
}

static INLINE double add_up(const sum *total) {
    sum_lanes t = total->low + total->high;
    return ((t[0] + t[1]) + (t[2] + t[3])) + ((t[4] + t[5]) + (t[6] + t[7]));
}

/* the rows i and i + 8 of 8 words each, one beside the other */
static INLINE lanes load_row(const real *low, const real *high) {
    return __builtin_shufflevector(*(const half_lanes *)low, *(const half_lanes *)high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9,
                                   10, 11, 12, 13, 14, 15);
}

static INLINE void store_row(lanes value, real *low, real *high) {
    *(half_lanes *)low = __builtin_shufflevector(value, value, 0, 1, 2, 3, 4, 5, 6, 7);
    *(half_lanes *)high = __builtin_shufflevector(value, value, 8, 9, 10, 11, 12, 13, 14, 15);
}

static INLINE void add_row(lanes value, real *low, real *high) {
    *(half_lanes *)low += __builtin_shufflevector(value, value, 0, 1, 2, 3, 4, 5, 6, 7);
    *(half_lanes *)high += __builtin_shufflevector(value, value, 8, 9, 10, 11, 12, 13, 14, 15);
}

/* One step of a transposition of 8 x 8: entries whose number has the bit `stride` are exchanged with those of the other
 * vector that have not. */
#define EXCHANGE(a, b, stride) EXCHANGE_##stride(a, b)
#define EXCHANGE_1(a, b)                                                                                    \
    do {                                                                                                    \
        lanes t = __builtin_shufflevector(a, b, 0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30); \
        b = __builtin_shufflevector(a, b, 1, 17, 3, 19, 5, 21, 7, 23, 9, 25, 11, 27, 13, 29, 15, 31);       \
        a = t;                                                                                              \
    } while (0)
#define EXCHANGE_2(a, b)                                                                                   \
    do {                                                                                                   \
        lanes t = __builtin_shufflevector(a, b, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29); \
        b = __builtin_shufflevector(a, b, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31);     \
        a = t;                                                                                             \
    } while (0)
#define EXCHANGE_4(a, b)                                                                                   \
    do {                                                                                                   \
        lanes t = __builtin_shufflevector(a, b, 0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27); \
        b = __builtin_shufflevector(a, b, 4, 5, 6, 7, 20, 21, 22, 23, 12, 13, 14, 15, 28, 29, 30, 31);     \
        a = t;                                                                                             \
    } while (0)

#else

typedef struct sum {
    sum_lanes all;
} sum;

static INLINE void add_to(sum *total, lanes value) {
    total->all += value;
}

static INLINE double add_up(const sum *total) {
    sum_lanes t = total->all;
    return ((t[0] + t[1]) + (t[2] + t[3])) + ((t[4] + t[5]) + (t[6] + t[7]));
}

static INLINE lanes load_row(const real *low, const real *high) {
    (void)high;
    return load(low);
}

static INLINE void store_row(lanes value, real *low, real *high) {
    (void)high;
    store(low, value);
}

static INLINE void add_row(lanes value, real *low, real *high) {
    (void)high;
    store(low, load(low) + value);
}

#define EXCHANGE(a, b, stride) EXCHANGE_##stride(a, b)
#define EXCHANGE_1(a, b)                                                    \
    do {                                                                    \
        lanes t = __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14); \
        b = __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15);       \
        a = t;                                                              \
    } while (0)
#define EXCHANGE_2(a, b)                                                   \
    do {                                                                   \
        lanes t = __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13); \
        b = __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15);     \
        a = t;                                                             \
    } while (0)
#define EXCHANGE_4(a, b)                                                   \
    do {                                                                   \
        lanes t = __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11); \
        b = __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15);     \
        a = t;                                                             \
    } while (0)

#endif

enum {
    SECOND = NB_LANES - 8 /* how far the second row of a register of rows is from the first: 8 in f32 */
};

/* 8 x 8, in every group of 8 entries */
static INLINE void transpose(lanes v[8]) {
    for (int i = 0; i < 8; i += 2) EXCHANGE(v[i], v[i + 1], 1);
    for (int i = 0; i < 8; i += 4) {
        EXCHANGE(v[i], v[i + 2], 2);
        EXCHANGE(v[i + 1], v[i + 3], 2);
    }
    for (int i = 0; i < 4; i++) EXCHANGE(v[i], v[i + 4], 4);
}

static INLINE real *row_of(const real *base, int32_t body) {
    return (real *)(uintptr_t)(base + (ptrdiff_t)body * NB_BODY_STRIDE);
}

/* the six velocities of NB_LANES bodies, one vector each */
static INLINE void load_bodies(const real *velocity, const int32_t *body, lanes v[8]) {
    for (int i = 0; i < 8; i++) v[i] = load_row(row_of(velocity, body[i]), row_of(velocity, body[SECOND + i]));
    transpose(v);
}

/* adds six forces on each of NB_LANES bodies, one body after the other, as they need not differ */
static INLINE void add_to_bodies(lanes f[8], const int32_t *body, real *force) {
    transpose(f);
    for (int i = 0; i < 8; i++) add_row(f[i], row_of(force, body[i]), row_of(force, body[SECOND + i]));
}

/* the forces on NB_LANES bodies from `first` on, cleared behind */
static INLINE void take_bodies(real *force, int32_t first, lanes f[8]) {
    for (int i = 0; i < 8; i++) {
        real *low = row_of(force, first + i), *high = row_of(force, first + SECOND + i);
        f[i] = load_row(low, high);
        store_row((lanes){0}, low, high);
    }
    transpose(f);
}

static INLINE void put_bodies(lanes v[8], int32_t first, real *velocity) {
    transpose(v);
    for (int i = 0; i < 8; i++) store_row(v[i], row_of(velocity, first + i), row_of(velocity, first + SECOND + i));
}

#endif
