/* Vector registers of NB_WIDTH numbers, one a pair, and how rows of bodies become such registers (private to lanes/).
 * NB_WIDTH is how many numbers a register of the instruction set holds: 2, 4, 8 or 16, at most NB_LANES. Bodies are
 * `real`, NB_BODY_WIDTH to a register: as many, but half of them in precision `mixed`. */
#ifndef NB_LANES_LANES_H
#define NB_LANES_LANES_H

#include <stddef.h>
#include <stdint.h>

#include "operator/packed.h"

#define INLINE inline __attribute__((always_inline))

enum {
    WIDTH = NB_WIDTH,
    BODY_WIDTH = NB_BODY_WIDTH,
    PIECE = BODY_WIDTH < 8 ? BODY_WIDTH : 8,       /* numbers of a row that one register takes */
    PIECES = (6 + PIECE - 1) / PIECE,              /* registers for the six numbers of a row that are used */
    ROWS = BODY_WIDTH < 8 ? 1 : BODY_WIDTH / PIECE /* rows side by side in a register */
};

typedef storage lanes __attribute__((vector_size(NB_WIDTH * sizeof(storage)), may_alias));
typedef storage half_lanes
    __attribute__((vector_size(NB_WIDTH / 2 * sizeof(storage)), aligned(sizeof(storage)), may_alias));
typedef real body_lanes __attribute__((vector_size(NB_BODY_WIDTH * sizeof(real)), may_alias));
/* as rows lie in memory: they need not begin at a multiple of a register */
typedef real loose_lanes __attribute__((vector_size(NB_BODY_WIDTH * sizeof(real)), aligned(sizeof(real)), may_alias));
typedef double sum_lanes __attribute__((vector_size(NB_WIDTH * sizeof(storage))));

static INLINE lanes load(const storage *from) {
    return *(const lanes *)from;
}

static INLINE void store(storage *to, lanes value) {
    *(lanes *)to = value;
}

static INLINE body_lanes load_real(const real *from) {
    return *(const loose_lanes *)from;
}

static INLINE void store_real(real *to, body_lanes value) {
    *(loose_lanes *)to = value;
}

/* ---- which entries of two registers a shuffle takes, by their width ---- */

#define PASTE(a, b) PASTE_(a, b)
#define PASTE_(a, b) a##_##b

/* One step of a transposition, FIRST_WIDTH_STRIDE and SECOND_WIDTH_STRIDE: entries whose number has the bit `stride`
 * are exchanged with those of the other register that have not. */
#define FIRST_2_1 0, 2
#define SECOND_2_1 1, 3

/* steps that narrow registers do not take: nothing moves */
#define FIRST_2_2 0, 1
#define SECOND_2_2 2, 3
#define FIRST_2_4 0, 1
#define SECOND_2_4 2, 3
#define FIRST_4_4 0, 1, 2, 3
#define SECOND_4_4 4, 5, 6, 7

#define FIRST_4_1 0, 4, 2, 6
#define SECOND_4_1 1, 5, 3, 7
#define FIRST_4_2 0, 1, 4, 5
#define SECOND_4_2 2, 3, 6, 7

#define FIRST_8_1 0, 8, 2, 10, 4, 12, 6, 14
#define SECOND_8_1 1, 9, 3, 11, 5, 13, 7, 15
#define FIRST_8_2 0, 1, 8, 9, 4, 5, 12, 13
#define SECOND_8_2 2, 3, 10, 11, 6, 7, 14, 15
#define FIRST_8_4 0, 1, 2, 3, 8, 9, 10, 11
#define SECOND_8_4 4, 5, 6, 7, 12, 13, 14, 15

#define FIRST_16_1 0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30
#define SECOND_16_1 1, 17, 3, 19, 5, 21, 7, 23, 9, 25, 11, 27, 13, 29, 15, 31
#define FIRST_16_2 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29
#define SECOND_16_2 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31
#define FIRST_16_4 0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27
#define SECOND_16_4 4, 5, 6, 7, 20, 21, 22, 23, 12, 13, 14, 15, 28, 29, 30, 31

#define SHUFFLE(a, b, which, stride) __builtin_shufflevector(a, b, PASTE(PASTE(which, NB_BODY_WIDTH), stride))

static INLINE void exchange_1(body_lanes *a, body_lanes *b) {
    body_lanes first = SHUFFLE(*a, *b, FIRST, 1);
    *b = SHUFFLE(*a, *b, SECOND, 1);
    *a = first;
}

static INLINE void exchange_2(body_lanes *a, body_lanes *b) {
    body_lanes first = SHUFFLE(*a, *b, FIRST, 2);
    *b = SHUFFLE(*a, *b, SECOND, 2);
    *a = first;
}

static INLINE void exchange_4(body_lanes *a, body_lanes *b) {
    body_lanes first = SHUFFLE(*a, *b, FIRST, 4);
    *b = SHUFFLE(*a, *b, SECOND, 4);
    *a = first;
}

/* PIECE x PIECE, in every group of PIECE entries */
static INLINE void transpose(body_lanes v[PIECE]) {
    for (int i = 0; i < PIECE; i += 2) exchange_1(&v[i], &v[i + 1]);
    for (int i = 0; PIECE >= 4 && i < PIECE; i += 4)
        for (int k = i; k < i + 2; k++) exchange_2(&v[k], &v[k + 2]);
    for (int i = 0; PIECE >= 8 && i < 4; i++) exchange_4(&v[i], &v[i + 4]);
}

/* ---- halves ---- */

#define LOW_2 0
#define HIGH_2 1
#define LOW_4 0, 1
#define HIGH_4 2, 3
#define LOW_8 0, 1, 2, 3
#define HIGH_8 4, 5, 6, 7
#define LOW_16 0, 1, 2, 3, 4, 5, 6, 7
#define HIGH_16 8, 9, 10, 11, 12, 13, 14, 15

#if NB_STORAGE_BITS == 32

static INLINE half_lanes low_half(lanes v) {
    return __builtin_shufflevector(v, v, PASTE(LOW, NB_WIDTH));
}

static INLINE half_lanes high_half(lanes v) {
    return __builtin_shufflevector(v, v, PASTE(HIGH, NB_WIDTH));
}

static INLINE lanes join(half_lanes low, half_lanes high) {
    return __builtin_shufflevector(low, high, PASTE(LOW, NB_WIDTH), PASTE(HIGH, NB_WIDTH));
}

/* the sum in double over all entries */
static INLINE void add_to(sum_lanes *total, lanes value) {
    *total += __builtin_convertvector(low_half(value), sum_lanes);
    *total += __builtin_convertvector(high_half(value), sum_lanes);
}

#else

static INLINE void add_to(sum_lanes *total, lanes value) {
    *total += value;
}

#endif

static INLINE double add_up(sum_lanes total) {
    double sum = 0;
    for (size_t i = 0; i < sizeof total / sizeof(double); i++) sum += total[i];
    return sum;
}

/* piece `piece` of the row of the i-th of several bodies, or of the one that lies beside it in a register */
static INLINE real *row_of(const real *base, const int32_t *body, int i, int piece) {
    return (real *)(uintptr_t)(base + (ptrdiff_t)body[i] * NB_BODY_STRIDE + piece * PIECE);
}

/* ---- rows of bodies ---- */

#if NB_REAL_BITS == 32

/* PIECE numbers of a row; where ROWS is 2, those of the row `second` beside them */
static INLINE body_lanes load_row(const real *first, const real *second) {
    return ROWS == 1 ? load_real(first) : join(*(const half_lanes *)first, *(const half_lanes *)second);
}

static INLINE void store_row(body_lanes value, real *first, real *second) {
    if (ROWS == 1) {
        store_real(first, value);
    } else {
        *(half_lanes *)first = low_half(value);
        *(half_lanes *)second = high_half(value);
    }
}

/* one row after the other: they may be the same */
static INLINE void add_row(body_lanes value, real *first, real *second) {
    if (ROWS == 1) {
        store_real(first, load_real(first) + value);
    } else {
        *(half_lanes *)first += low_half(value);
        *(half_lanes *)second += high_half(value);
    }
}

#else

static INLINE body_lanes load_row(const real *first, const real *second) {
    (void)second;
    return load_real(first);
}

static INLINE void store_row(body_lanes value, real *first, real *second) {
    (void)second;
    store_real(first, value);
}

static INLINE void add_row(body_lanes value, real *first, real *second) {
    (void)second;
    store_real(first, load_real(first) + value);
}

#endif

/* the six velocities of BODY_WIDTH bodies, one register each */
static INLINE void gather(const real *velocity, const int32_t *body, body_lanes v[8]) {
    const int beside = (ROWS - 1) * PIECE;
    for (int piece = 0; piece < PIECES; piece++) {
        for (int i = 0; i < PIECE; i++)
            v[piece * PIECE + i] =
                load_row(row_of(velocity, body, i, piece), row_of(velocity, body, beside + i, piece));
        transpose(v + piece * PIECE);
    }
}

/* adds six forces on each of BODY_WIDTH bodies, one body after the other, as they need not differ */
static INLINE void scatter(body_lanes f[8], const int32_t *body, real *force) {
    const int beside = (ROWS - 1) * PIECE;
    for (int piece = 0; piece < PIECES; piece++) transpose(f + piece * PIECE);
    for (int i = 0; i < PIECE; i++)
        for (int piece = 0; piece < PIECES; piece++)
            add_row(f[piece * PIECE + i], row_of(force, body, i, piece), row_of(force, body, beside + i, piece));
}

/* the forces on BODY_WIDTH bodies from the row `first` on, cleared behind */
static INLINE void take_bodies(real *first, body_lanes f[8]) {
    const int beside = (ROWS - 1) * PIECE;
    for (int piece = 0; piece < PIECES; piece++) {
        for (int i = 0; i < PIECE; i++) {
            real *one = first + i * NB_BODY_STRIDE + piece * PIECE, *other = one + beside * NB_BODY_STRIDE;
            f[piece * PIECE + i] = load_row(one, other);
            store_row((body_lanes){0}, one, other);
        }
        transpose(f + piece * PIECE);
    }
}

static INLINE void put_bodies(body_lanes v[8], real *first) {
    const int beside = (ROWS - 1) * PIECE;
    for (int piece = 0; piece < PIECES; piece++) {
        transpose(v + piece * PIECE);
        for (int i = 0; i < PIECE; i++) {
            real *one = first + i * NB_BODY_STRIDE + piece * PIECE, *other = one + beside * NB_BODY_STRIDE;
            store_row(v[piece * PIECE + i], one, other);
        }
    }
}

#if NB_STORAGE_BITS == NB_REAL_BITS

/* the six velocities of WIDTH bodies, one register each */
static INLINE void load_bodies(const real *velocity, const int32_t *body, lanes v[8]) {
    gather(velocity, body, v);
}

/* adds six forces on each of WIDTH bodies */
static INLINE void add_to_bodies(lanes f[8], const int32_t *body, real *force) {
    scatter(f, body, force);
}

static INLINE void add_to_real(sum_lanes *total, body_lanes value) {
    add_to(total, value);
}

#else

static INLINE void load_bodies(const real *velocity, const int32_t *body, lanes v[8]) {
    body_lanes low[8], high[8];
    gather(velocity, body, low);
    gather(velocity, body + BODY_WIDTH, high);
    for (int k = 0; k < 6; k++)
        v[k] = join(__builtin_convertvector(low[k], half_lanes), __builtin_convertvector(high[k], half_lanes));
}

static INLINE void add_to_bodies(lanes f[8], const int32_t *body, real *force) {
    body_lanes low[8] = {{0}}, high[8] = {{0}};
    for (int k = 0; k < 6; k++) {
        low[k] = __builtin_convertvector(low_half(f[k]), body_lanes);
        high[k] = __builtin_convertvector(high_half(f[k]), body_lanes);
    }
    scatter(low, body, force);
    scatter(high, body + BODY_WIDTH, force);
}

static INLINE void add_to_real(sum_lanes *total, body_lanes value) {
    *total += value;
}

#endif

#endif
