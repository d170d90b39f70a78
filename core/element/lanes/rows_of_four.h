/* Four numbers in a row an element, as four registers with an element in each lane, and back: rows are loaded and
 * stored whole and turned over in registers (private to lanes/).
 *
 * Rows i, 4 + i, 8 + i, ... stand side by side in a register, i < 4: a turn of four by four among four registers then
 * brings the elements into order. */
#ifndef NB_ELEMENT_ROWS_OF_FOUR_H
#define NB_ELEMENT_ROWS_OF_FOUR_H

#include "lane_functions.h"

/* as it lies in memory: it need not begin at a multiple of its size */
typedef real row_of_four __attribute__((vector_size(4 * sizeof(real)), aligned(sizeof(real)), may_alias));

static INLINE row_of_four load_row(const real *from) {
    return *(const row_of_four *)from;
}

static INLINE void store_row(real *to, row_of_four row) {
    *(row_of_four *)to = row;
}

#if NB_BODY_WIDTH == 2 /* a register is half a row */

static INLINE void turn_rows(const row_of_four row[ELEMENT_WIDTH], element_lanes v[4]) {
    for (int k = 0; k < 4; k++) v[k] = (element_lanes){row[0][k], row[1][k]};
}

static INLINE void turn_back(const element_lanes v[4], row_of_four row[ELEMENT_WIDTH]) {
    for (int i = 0; i < ELEMENT_WIDTH; i++) row[i] = (row_of_four){v[0][i], v[1][i], v[2][i], v[3][i]};
}

#else

#if NB_BODY_WIDTH == 4

#define ODD_1 1, 5, 3, 7
#define EVEN_1 0, 4, 2, 6
#define ODD_2 2, 3, 6, 7
#define EVEN_2 0, 1, 4, 5

static INLINE element_lanes beside(const row_of_four *row) {
    return row[0];
}

static INLINE void apart(element_lanes v, row_of_four *row) {
    row[0] = v;
}

#elif NB_BODY_WIDTH == 8

#define ODD_1 1, 9, 3, 11, 5, 13, 7, 15
#define EVEN_1 0, 8, 2, 10, 4, 12, 6, 14
#define ODD_2 2, 3, 10, 11, 6, 7, 14, 15
#define EVEN_2 0, 1, 8, 9, 4, 5, 12, 13

static INLINE element_lanes beside(const row_of_four *row) {
    return __builtin_shufflevector(row[0], row[4], 0, 1, 2, 3, 4, 5, 6, 7);
}

static INLINE void apart(element_lanes v, row_of_four *row) {
    row[0] = __builtin_shufflevector(v, v, 0, 1, 2, 3);
    row[4] = __builtin_shufflevector(v, v, 4, 5, 6, 7);
}

#else

#define ODD_1 1, 17, 3, 19, 5, 21, 7, 23, 9, 25, 11, 27, 13, 29, 15, 31
#define EVEN_1 0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30
#define ODD_2 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31
#define EVEN_2 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29

typedef real two_rows __attribute__((vector_size(8 * sizeof(real)), may_alias));

static INLINE element_lanes beside(const row_of_four *row) {
    two_rows low = __builtin_shufflevector(row[0], row[4], 0, 1, 2, 3, 4, 5, 6, 7);
    two_rows high = __builtin_shufflevector(row[8], row[12], 0, 1, 2, 3, 4, 5, 6, 7);
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}

static INLINE void apart(element_lanes v, row_of_four *row) {
    row[0] = __builtin_shufflevector(v, v, 0, 1, 2, 3);
    row[4] = __builtin_shufflevector(v, v, 4, 5, 6, 7);
    row[8] = __builtin_shufflevector(v, v, 8, 9, 10, 11);
    row[12] = __builtin_shufflevector(v, v, 12, 13, 14, 15);
}

#endif

/* 4 x 4, in every group of four lanes */
static INLINE void turn(element_lanes v[4]) {
    element_lanes half[4];
    for (int i = 0; i < 4; i += 2) {
        half[i] = __builtin_shufflevector(v[i], v[i + 1], EVEN_1);
        half[i + 1] = __builtin_shufflevector(v[i], v[i + 1], ODD_1);
    }
    for (int i = 0; i < 2; i++) {
        v[i] = __builtin_shufflevector(half[i], half[i + 2], EVEN_2);
        v[i + 2] = __builtin_shufflevector(half[i], half[i + 2], ODD_2);
    }
}

/* v[k] = number k of every row */
static INLINE void turn_rows(const row_of_four row[ELEMENT_WIDTH], element_lanes v[4]) {
    for (int i = 0; i < 4; i++) v[i] = beside(row + i);
    turn(v);
}

static INLINE void turn_back(const element_lanes v[4], row_of_four row[ELEMENT_WIDTH]) {
    element_lanes turned[4] = {v[0], v[1], v[2], v[3]};
    turn(turned);
    for (int i = 0; i < 4; i++) apart(turned[i], row + i);
}

#endif
#endif
