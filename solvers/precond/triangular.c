#include "precond/triangular.h"

void nb_diagonal_places(const nb_csr *matrix, int64_t *place) {
    for (int32_t i = 0; i < matrix->rows; i++) {
        int64_t k = matrix->start[i];
        while (matrix->column[k] < i) k++; /* the diagonal is always there */
        place[i] = k;
    }
}
