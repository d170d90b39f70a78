#include "operator/csr.h"

#include <string.h>

#include "base/memory.h"

NB_PRECISIONS(f32, f64);

nb_status nb_csr_create(int32_t rows, int64_t nonzeros, nb_csr **matrix) {
    nb_status status;
    nb_csr *a = NULL;
    NB_TRY(NB_ALLOCATE(1, &a));
    a->rows = rows;
    NB_TRY(NB_ALLOCATE(rows + 1, &a->start));
    NB_TRY(NB_ALLOCATE(nonzeros, &a->column));
    NB_TRY(NB_ALLOCATE(nonzeros, &a->value));
out:
    if (status != NB_OK) {
        nb_csr_destroy(a);
        a = NULL;
    }
    *matrix = a;
    return status;
}

void nb_csr_destroy(nb_csr *matrix) {
    if (!matrix) return;
    nb_free(matrix->start);
    nb_free(matrix->column);
    nb_free(matrix->value);
    nb_free(matrix->triple);
    nb_free(matrix);
}

void nb_csr_diagonal(const nb_csr *matrix, int64_t *place) {
    for (int32_t i = 0; i < matrix->rows; i++) {
        int64_t k = matrix->start[i];
        while (matrix->column[k] < i) k++;
        place[i] = k;
    }
}

static int same_columns(const nb_csr *a, int32_t i, int32_t k) {
    int64_t length = a->start[i + 1] - a->start[i];
    return a->start[k + 1] - a->start[k] == length &&
           memcmp(a->column + a->start[i], a->column + a->start[k], (size_t)length * sizeof *a->column) == 0;
}

nb_status nb_csr_find_triples(nb_csr *matrix) {
    nb_status status = NB_OK;
    if (!matrix->triple) status = NB_ALLOCATE(matrix->rows, &matrix->triple);
    if (status != NB_OK) return status;
    for (int32_t i = 0; i < matrix->rows; i++)
        matrix->triple[i] = i + 2 < matrix->rows && same_columns(matrix, i, i + 1) && same_columns(matrix, i, i + 2);
    return NB_OK;
}

void nb_csr_apply(const nb_csr *matrix, const real *x, real *y) {
    for (int32_t i = 0; i < matrix->rows;) {
        const real *value = matrix->value + matrix->start[i];
        const int32_t *column = matrix->column + matrix->start[i];
        int64_t length = matrix->start[i + 1] - matrix->start[i];
        if (matrix->triple && matrix->triple[i]) {
            real sum[3] = {0};
            for (int64_t k = 0; k < length; k++)
                for (int r = 0; r < 3; r++) sum[r] += value[r * length + k] * x[column[k]];
            for (int r = 0; r < 3; r++) y[i++] = sum[r];
        } else {
            real sum = 0;
            for (int64_t k = 0; k < length; k++) sum += value[k] * x[column[k]];
            y[i++] = sum;
        }
    }
}
