#include "sparse.h"

/* appends row r of `a`, its columns moved to the right by `offset` */
static void append_row(const nb_csr_f64 *a, int32_t r, int32_t offset, nb_csr_f64 *to, int64_t *count) {
    for (int64_t k = a->start[r]; k < a->start[r + 1]; k++) {
        to->column[*count] = a->column[k] + offset;
        to->value[(*count)++] = a->value[k];
    }
}

nb_status nb_csr_of_blocks(const nb_csr_f64 *a, const nb_csr_f64 *b, const nb_csr_f64 *c, const nb_csr_f64 *d,
                           nb_csr_f64 **matrix) {
    const nb_csr_f64 *block[2][2] = {{a, b}, {c, d}};
    int64_t count = 0, nonzeros = 0;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) nonzeros += block[i][j]->start[block[i][j]->rows];
    nb_status status = nb_csr_create_f64(a->rows + c->rows, a->columns + b->columns, nonzeros, matrix);
    if (status != NB_OK) return status;
    for (int32_t r = 0; r < a->rows + c->rows; r++) {
        const nb_csr_f64 *const *pair = block[r >= a->rows];
        int32_t inside = r < a->rows ? r : r - a->rows;
        append_row(pair[0], inside, 0, *matrix, &count);
        append_row(pair[1], inside, a->columns, *matrix, &count);
        (*matrix)->start[r + 1] = count;
    }
    return NB_OK;
}

nb_status nb_csr_beside(const nb_csr_f64 *a, const nb_csr_f64 *b, nb_csr_f64 **matrix) {
    int64_t none[1] = {0};
    const nb_csr_f64 below[2] = {{.columns = a->columns, .start = none}, {.columns = b->columns, .start = none}};
    return nb_csr_of_blocks(a, b, &below[0], &below[1], matrix);
}
