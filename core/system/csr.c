#include "system/csr.h"

#include "base/memory.h"

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
    nb_free(matrix);
}

void nb_csr_diagonal(const nb_csr *matrix, int64_t *place) {
    for (int32_t i = 0; i < matrix->rows; i++) {
        int64_t k = matrix->start[i];
        while (matrix->column[k] < i) k++;
        place[i] = k;
    }
}

void nb_csr_apply(const nb_csr *matrix, const real *x, real *y) {
    for (int32_t i = 0; i < matrix->rows; i++) {
        real sum = 0;
        for (int64_t k = matrix->start[i]; k < matrix->start[i + 1]; k++)
            sum += matrix->value[k] * x[matrix->column[k]];
        y[i] = sum;
    }
}
