#include "precond/row_operations.h"

#include <string.h>

NB_PRECISIONS(f32, f64);

static int32_t rows_of(const void *state) {
    return ((const nb_system *)state)->rows;
}

static void copy(void *state, const void *x, void *y) {
    memmove(y, x, (size_t)rows_of(state) * sizeof(real));
}

static double dot(void *state, const void *x, const void *y) {
    const real *a = x, *b = y;
    double sum = 0;
    for (int32_t i = 0, n = rows_of(state); i < n; i++) sum += (double)a[i] * (double)b[i];
    return sum;
}

static double product(void *state, const void *y, void *out, int with_sum) {
    nb_system_apply(state, y, out);
    return with_sum ? dot(state, y, out) : 0;
}

static void axpy(void *state, double a, const void *x, void *y) {
    const real *from = x;
    real *to = y;
    for (int32_t i = 0, n = rows_of(state); i < n; i++) to[i] += (real)a * from[i];
}

static void combine(void *state, double a, const void *x, double b, void *y) {
    const real *from = x;
    real *to = y;
    for (int32_t i = 0, n = rows_of(state); i < n; i++) to[i] = (real)a * from[i] + (real)b * to[i];
}

nb_vector_operations nb_row_operations(nb_system *system, void *const *vector) {
    return (nb_vector_operations){.state = system,
                                  .vector = vector,
                                  .epsilon = (double)NB_REAL_EPSILON,
                                  .by_rows = 1,
                                  .load = copy,
                                  .product = product,
                                  .dot = dot,
                                  .copy = copy,
                                  .axpy = axpy,
                                  .combine = combine};
}
