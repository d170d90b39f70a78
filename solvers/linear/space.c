#include "linear/space.h"

#include <string.h>

static int32_t rows_of(const void *context) {
    return ((const nb_space_cpu *)context)->system->rows;
}

static void apply(void *context, const real *x, real *y) {
    nb_system_apply(((nb_space_cpu *)context)->system, x, y);
}

static void precondition(void *context, const real *x, real *y) {
    const nb_linear_request *request = ((nb_space_cpu *)context)->request;
    if (request->preconditioner)
        request->preconditioner->apply(request->preconditioner_state, x, y);
    else
        memcpy(y, x, (size_t)rows_of(context) * sizeof *x);
}

static double dot(void *context, const real *x, const real *y) {
    int32_t n = rows_of(context), i = 0;
    double sum[4] = {0}; /* four chains, so that the additions do not wait for each other */
    for (; i + 4 <= n; i += 4)
        for (int k = 0; k < 4; k++) sum[k] += (double)x[i + k] * (double)y[i + k];
    for (; i < n; i++) sum[0] += (double)x[i] * (double)y[i];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

static void dots(void *context, const real *x, const real *y, const real *z, double result[2]) {
    int32_t n = rows_of(context), i = 0;
    double sum[8] = {0};
    for (; i + 4 <= n; i += 4)
        for (int k = 0; k < 4; k++) {
            sum[k] += (double)x[i + k] * (double)y[i + k];
            sum[4 + k] += (double)x[i + k] * (double)z[i + k];
        }
    for (; i < n; i++) {
        sum[0] += (double)x[i] * (double)y[i];
        sum[4] += (double)x[i] * (double)z[i];
    }
    result[0] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    result[1] = (sum[4] + sum[5]) + (sum[6] + sum[7]);
}

static void copy(void *context, const real *x, real *y) {
    memcpy(y, x, (size_t)rows_of(context) * sizeof *x);
}

static void scale(void *context, real a, real *x) {
    for (int32_t i = 0, n = rows_of(context); i < n; i++) x[i] *= a;
}

static void axpy(void *context, real a, const real *x, real *y) {
    for (int32_t i = 0, n = rows_of(context); i < n; i++) y[i] += a * x[i];
}

static void xpby(void *context, const real *x, real b, real *y) {
    for (int32_t i = 0, n = rows_of(context); i < n; i++) y[i] = x[i] + b * y[i];
}

static void axpy2(void *context, real a, const real *restrict x1, real *restrict y1, real b, const real *restrict x2,
                  real *restrict y2) {
    for (int32_t i = 0, n = rows_of(context); i < n; i++) {
        y1[i] += a * x1[i];
        y2[i] += b * x2[i];
    }
}

static void xpby2(void *context, real b, const real *restrict x1, real *restrict y1, const real *restrict x2,
                  real *restrict y2) {
    for (int32_t i = 0, n = rows_of(context); i < n; i++) {
        y1[i] = x1[i] + b * y1[i];
        y2[i] = x2[i] + b * y2[i];
    }
}

nb_space nb_space_of_cpu(nb_space_cpu *cpu) {
    return (nb_space){cpu->system->rows, cpu, apply, precondition, dot, dots, copy, scale, axpy, xpby, axpy2, xpby2};
}
