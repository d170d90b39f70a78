#include "singular_values.h"

#include <float.h>
#include <lapacke.h>

#include "base/dense_room.h"
#include "base/long_call.h"
#include "base/memory.h"

typedef struct decomposition {
    int32_t rows, info;
    double *a, *values; /* [rows][rows], [rows] */
} decomposition;

static void decompose(void *of) {
    decomposition *d = of;
    double none;
    d->info = LAPACKE_dgesdd(LAPACK_COL_MAJOR, 'N', d->rows, d->rows, d->a, d->rows, d->values, &none, 1, &none, 1);
}

nb_status nb_singular_values(const nb_csr_f64 *matrix, double *values) {
    nb_status status;
    const int32_t n = matrix->rows;
    decomposition *d = NULL;
    if (n == 0) return NB_OK;
    NB_TRY(nb_dense_room());
    NB_TRY(NB_ALLOCATE(1, &d));
    *d = (decomposition){.rows = n, .values = values};
    NB_TRY(NB_ALLOCATE((int64_t)n * n, &d->a));
    for (int32_t i = 0; i < n; i++)
        for (int64_t k = matrix->start[i]; k < matrix->start[i + 1]; k++)
            d->a[(int64_t)i * n + matrix->column[k]] += matrix->value[k]; /* transposed, which has the same */
    NB_TRY(nb_long_call(4.0 * n * n * n, decompose, d));
    if (d->info != 0) status = nb_fail(NB_ERROR_NUMERIC, "LAPACK finds no singular values (dgesdd: %d)", (int)d->info);
out:
    if (d) nb_free(d->a);
    nb_free(d);
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
