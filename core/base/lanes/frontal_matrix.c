/* The kernels of frontal_matrix.h for one instruction set. */
#include "base/frontal_matrix.h"
#include "base/interrupt.h"
#include "base/real.h"

#include <float.h>
#include <math.h>
#include <string.h>

NB_PRECISIONS(f64);

#define KERNELS_OF(set) KERNELS_OF_(set)
#define KERNELS_OF_(set) nb_frontal_kernels_##set

enum {
    TILE = NB_WIDTH == 8 ? 8 : 4, /* rows that fit into the registers, by NB_FRONTAL_LANES columns */
    PARTS = NB_FRONTAL_LANES / NB_WIDTH
};

typedef double lanes __attribute__((vector_size(NB_WIDTH * sizeof(double))));

/* y -= a x, whole lanes from `begin` on */
static inline void subtract(int32_t begin, int32_t end, double a, const double *x, double *y) {
    for (int32_t i = begin; i < end; i += NB_WIDTH) *(lanes *)(y + i) -= a * *(const lanes *)(x + i);
}

/* ---- elimination ---- */

static void exchange_rows(int32_t length, double *a, double *b) {
    for (int32_t i = 0; i < length; i += NB_WIDTH) {
        lanes kept = *(lanes *)(a + i);
        *(lanes *)(a + i) = *(lanes *)(b + i);
        *(lanes *)(b + i) = kept;
    }
}

/* Brings a pivot to row j: the diagonal entry unless another is much larger. Returns the column's largest entry. */
static double choose_pivot(const nb_frontal_matrix *f, int32_t j) {
    const double enough = 0.1;
    double *column = f->block + j, largest = 0;
    int32_t width = f->width, best = j;
    for (int32_t i = j; i < f->pivots; i++) {
        double size = fabs(column[i * width]);
        if (size > largest) {
            largest = size;
            best = i;
        }
    }
    if (fabs(column[j * width]) >= enough * largest) best = j;
    f->exchange[j] = best;
    if (best != j) exchange_rows(width, f->block + j * width, f->block + best * width);
    return largest;
}

/* P block = L U by rows, U's diagonal inverted; returns the first column that had no entry, or -1 */
static int32_t factorise_block(const nb_frontal_matrix *f, int32_t *replaced) {
    const int32_t n = f->pivots, width = f->width;
    double pivot_row[NB_FRONTAL_PIVOTS] __attribute__((aligned(64))), size[NB_FRONTAL_PIVOTS];
    int32_t without = -1;
    memcpy(size, f->size, (size_t)n * sizeof *size);
    for (int32_t j = 0; j < n; j++) {
        double *row = f->block + j * width;
        double largest = choose_pivot(f, j), own = size[f->exchange[j]];
        size[f->exchange[j]] = size[j];
        if (largest == 0 && without < 0) without = j;
        if (!(largest > DBL_EPSILON * own)) {
            row[j] = copysign(sqrt(DBL_EPSILON) * (own > 0 ? own : 1), row[j]);
            if (*replaced < 0) *replaced = j;
        }
        row[j] = 1 / row[j];
        memcpy(pivot_row, row, (size_t)width * sizeof *row);
        memset(pivot_row, 0, (size_t)(j + 1) * sizeof *row); /* where L stands */
        for (int32_t i = j + 1; i < n; i++) {
            double *other = f->block + i * width, factor = other[j] * row[j];
            subtract((j + 1) / NB_WIDTH * NB_WIDTH, width, factor, pivot_row, other);
            other[j] = factor;
        }
    }
    return without;
}

/* upper = L^-1 P upper and left = left U^-1, lanes of both at a time */
static void substitute(const nb_frontal_matrix *f) {
    const int32_t n = f->pivots, width = f->width, stride = f->stride;
    for (int32_t j = 0; j < n; j++)
        if (f->exchange[j] != j) {
            int64_t best = f->exchange[j];
            exchange_rows(stride, f->upper + (int64_t)j * stride, f->upper + best * stride);
        }
    for (int32_t column = 0; column < f->rest && !nb_interrupt_requested(); column += NB_WIDTH) {
        double *upper = f->upper + column, *left = f->left + column;
        for (int64_t j = 0; j < n; j++) {
            lanes u = *(lanes *)(upper + j * stride), l = *(lanes *)(left + j * stride);
            for (int64_t k = 0; k < j; k++) {
                u -= f->block[j * width + k] * *(const lanes *)(upper + k * stride);
                l -= f->block[k * width + j] * *(const lanes *)(left + k * stride);
            }
            *(lanes *)(upper + j * stride) = u;
            *(lanes *)(left + j * stride) = l * f->block[j * width + j];
        }
    }
}

/* update -= left upper, a tile at a time */
static void multiply(const nb_frontal_matrix *f) {
    const int64_t stride = f->stride;
    for (int64_t column = 0; column < f->rest && !nb_interrupt_requested(); column += NB_FRONTAL_LANES)
        for (int64_t row = 0; row < f->rest; row += TILE) {
            const double *l = f->left + row, *u = f->upper + column;
            double *out = f->update + row * stride + column;
            lanes sum[TILE][PARTS];
            for (int i = 0; i < TILE; i++)
                for (int p = 0; p < PARTS; p++) sum[i][p] = *(lanes *)(out + i * stride + p * NB_WIDTH);
            for (int32_t k = 0; k < f->pivots; k++, l += stride, u += stride)
                for (int p = 0; p < PARTS; p++) {
                    lanes part = *(const lanes *)(u + p * NB_WIDTH);
                    for (int i = 0; i < TILE; i++) sum[i][p] -= l[i] * part;
                }
            for (int i = 0; i < TILE; i++)
                for (int p = 0; p < PARTS; p++) *(lanes *)(out + i * stride + p * NB_WIDTH) = sum[i][p];
        }
}

/* L and U by columns, for the solution */
static void transpose(const nb_frontal_matrix *f) {
    const int32_t n = f->pivots, width = f->width;
    for (int32_t i = 0; i < n; i++)
        for (int32_t j = 0; j < i; j++) {
            double *below = f->block + i * width + j, *above = f->block + j * width + i;
            f->lower[j * width + i] = *below;
            *below = *above;
            *above = 0;
        }
}

static int32_t eliminate(const nb_frontal_matrix *f, int32_t *replaced) {
    int32_t without = factorise_block(f, replaced);
    substitute(f);
    if (without >= 0) {
        const double *left = f->left + (int64_t)without * f->stride;
        int32_t i = 0;
        while (i < f->rest && left[i] == 0) i++;
        if (i < f->rest) without = -1;
    }
    multiply(f);
    transpose(f);
    return without;
}

/* ---- solution ---- */

static void forward(const nb_frontal_matrix *f, double *x, double *out) {
    const int32_t n = f->pivots, width = f->width, stride = f->stride;
    double y[NB_FRONTAL_PIVOTS] __attribute__((aligned(64))) = {0};
    for (int32_t i = 0; i < n; i++) {
        double kept = x[f->exchange[i]];
        x[f->exchange[i]] = x[i];
        y[i] = kept;
    }
    memset(out, 0, (size_t)stride * sizeof *out);
    for (int32_t j = 0; j < n; j++) {
        subtract(j / NB_WIDTH * NB_WIDTH, width, y[j], f->lower + j * width, y);
        subtract(0, stride, -y[j], f->left + (int64_t)j * stride, out);
    }
    memcpy(x, y, (size_t)n * sizeof *x);
}

static double dot(int32_t length, const double *x, const double *y) {
    lanes sums = {0};
    double sum = 0;
    for (int32_t i = 0; i < length; i += NB_WIDTH) sums += *(const lanes *)(x + i) * *(const lanes *)(y + i);
    for (int i = 0; i < NB_WIDTH; i++) sum += sums[i];
    return sum;
}

static void backward(const nb_frontal_matrix *f, const double *in, double *x) {
    const int32_t n = f->pivots, width = f->width, stride = f->stride;
    double y[NB_FRONTAL_PIVOTS] __attribute__((aligned(64))) = {0};
    for (int32_t j = 0; j < n; j++) y[j] = x[j] - dot(stride, f->upper + (int64_t)j * stride, in);
    for (int32_t j = n - 1; j >= 0; j--) {
        double value = y[j] * f->block[j * width + j];
        subtract(0, j + 1, value, f->block + j * width, y);
        x[j] = value;
    }
}

static void forward_transposed(const nb_frontal_matrix *f, double *x, double *out) {
    const int32_t n = f->pivots, width = f->width, stride = f->stride;
    double y[NB_FRONTAL_PIVOTS] __attribute__((aligned(64))) = {0};
    memset(out, 0, (size_t)stride * sizeof *out);
    for (int32_t j = 0; j < n; j++) {
        const double *column = f->block + j * width; /* what y has of it so far */
        y[j] = (x[j] - dot(width, column, y)) * column[j];
        subtract(0, stride, -y[j], f->upper + (int64_t)j * stride, out);
    }
    memcpy(x, y, (size_t)n * sizeof *x);
}

static void backward_transposed(const nb_frontal_matrix *f, const double *in, double *x) {
    const int32_t n = f->pivots, width = f->width, stride = f->stride;
    double y[NB_FRONTAL_PIVOTS] __attribute__((aligned(64))) = {0};
    for (int32_t j = n - 1; j >= 0; j--)
        y[j] = x[j] - dot(stride, f->left + (int64_t)j * stride, in) - dot(width, f->lower + j * width, y);
    for (int32_t i = n - 1; i >= 0; i--) {
        double kept = y[f->exchange[i]];
        y[f->exchange[i]] = y[i];
        y[i] = kept;
    }
    memcpy(x, y, (size_t)n * sizeof *x);
}

extern const nb_frontal_kernels KERNELS_OF(NB_INSTRUCTION_SET);
const nb_frontal_kernels KERNELS_OF(NB_INSTRUCTION_SET) = {eliminate, forward, backward, forward_transposed,
                                                           backward_transposed};
