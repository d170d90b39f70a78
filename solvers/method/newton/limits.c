#include "limits.h"

#include <lapacke.h>
#include <math.h>

#include "base/dense_room.h"
#include "base/largest.h"
#include "base/memory.h"

NB_PRECISIONS(f32, f64);

/* the largest row sum of |a| */
static double norm_inf(const double *a, int32_t n) {
    double largest = 0;
    for (int32_t i = 0; i < n; i++) {
        double sum = 0;
        for (int32_t j = 0; j < n; j++) sum += fabs(a[(int64_t)i * n + j]);
        nb_raise(&largest, sum);
    }
    return largest;
}

nb_status nb_limits_compute(nb_system *system, const nb_problem *p, double residual, nb_step_outcome *outcome,
                            double *limit_residual, double *limit_step) {
    nb_status status = NB_OK;
    const nb_csr *matrix;
    double *a = NULL, *diagonal = NULL, scale = 0, delta = (double)NB_REAL_EPSILON;
    int32_t n = p->rows, *pivots = NULL;
    if (n == 0 || n > NB_LIMITS_MOST_ROWS) return NB_OK;
    NB_TRY(nb_dense_room());
    NB_TRY(nb_system_matrix(system, &matrix));
    NB_TRY(NB_ALLOCATE((int64_t)n * n, &a));
    NB_TRY(NB_ALLOCATE(n, &pivots));
    NB_TRY(NB_ALLOCATE(n, &diagonal));
    for (int32_t i = 0; i < n; i++)
        for (int64_t k = matrix->start[i]; k < matrix->start[i + 1]; k++)
            if (matrix->column[k] == i) diagonal[i] = (double)matrix->value[k];
    for (int32_t i = 0; i < n; i++) {
        double y = system->s[i] > 0 ? (double)p->z[i] / (double)system->s[i] : (double)p->z[i];
        scale = fmax(scale, fabs(diagonal[i] * y));
        for (int64_t k = matrix->start[i]; k < matrix->start[i + 1]; k++) {
            int32_t j = matrix->column[k];
            a[(int64_t)i * n + j] = diagonal[j] > 0 ? (double)matrix->value[k] / diagonal[j] : (double)(i == j);
        }
    }
    outcome->norm_a = norm_inf(a, n);
    *limit_residual = outcome->norm_a * scale * delta;
    if (LAPACKE_dgetrf(LAPACK_ROW_MAJOR, n, n, a, n, pivots) == 0 &&
        LAPACKE_dgetri(LAPACK_ROW_MAJOR, n, a, n, pivots) == 0) {
        outcome->norm_a_inverse = norm_inf(a, n);
        *limit_step = outcome->norm_a_inverse * delta * residual + scale * delta;
    }
out:
    nb_free(a);
    nb_free(pivots);
    nb_free(diagonal);
    return status;
}
