#include "singular_values.h"

#include <float.h>
#include <lapacke.h>

#include "base/dense_room.h"
#include "base/memory.h"

nb_status nb_singular_values(const nb_csr_f64 *matrix, double *values) {
    nb_status status;
    int32_t n = matrix->rows;
    double *a = NULL, none;
    if (n == 0) return NB_OK;
    NB_TRY(nb_dense_room());
    NB_TRY(NB_ALLOCATE((int64_t)n * n, &a));
    for (int32_t i = 0; i < n; i++)
        for (int64_t k = matrix->start[i]; k < matrix->start[i + 1]; k++)
            a[(int64_t)i * n + matrix->column[k]] += matrix->value[k]; /* transposed, which has the same */
    lapack_int info = LAPACKE_dgesdd(LAPACK_COL_MAJOR, 'N', n, n, a, n, values, &none, 1, &none, 1);
    if (info != 0) status = nb_fail(NB_ERROR_NUMERIC, "LAPACK finds no singular values (dgesdd: %d)", (int)info);
out:
    nb_free(a);
    return status;
}

int32_t nb_singular_rank(int32_t n, const double *values) {
    int32_t rank = 0;
    while (rank < n && values[rank] > n * DBL_EPSILON * values[0]) rank++;
    return rank;
}

double nb_singular_condition(int32_t n, const double *values) {
    int32_t rank = nb_singular_rank(n, values);
    return rank == 0 ? 0 : values[0] / values[rank - 1];
}
