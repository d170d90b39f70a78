#include "operator/delassus_matrix.h"

#include <string.h>

#include "base/memory.h"

NB_PRECISIONS(f32, f64);

typedef struct delassus_matrix {
    nb_delassus base; /* first */
    nb_csr *matrix;
    int64_t *diagonal; /* [rows] places (csr.h) */
    int32_t *block_start, *group_start;
} delassus_matrix;

static void matrix_apply(const nb_delassus *d, const real *s, const real *c, const real *x, real *y) {
    const nb_csr *a = ((const delassus_matrix *)d)->matrix;
    for (int32_t i = 0; i < a->rows;) {
        const real *value = a->value + a->start[i];
        const int32_t *column = a->column + a->start[i];
        int64_t length = a->start[i + 1] - a->start[i];
        int rows = a->triple[i] ? 3 : 1;
        real sum[3] = {0};
        if (rows == 3)
            for (int64_t k = 0; k < length; k++) {
                real weighted = s[column[k]] * x[column[k]];
                for (int r = 0; r < 3; r++) sum[r] += value[r * length + k] * weighted;
            }
        else
            for (int64_t k = 0; k < length; k++) sum[0] += value[k] * (s[column[k]] * x[column[k]]);
        for (int r = 0; r < rows; r++, i++) y[i] = s[i] * sum[r] + c[i] * x[i];
    }
}

static void matrix_diagonal(const nb_delassus *d, real *diagonal) {
    const nb_csr *a = ((const delassus_matrix *)d)->matrix;
    for (int32_t i = 0; i < a->rows; i++) diagonal[i] = a->value[((const delassus_matrix *)d)->diagonal[i]];
}

static nb_status matrix_pattern(const nb_delassus *d, nb_csr **matrix) {
    nb_status status = nb_csr_copy(((const delassus_matrix *)d)->matrix, matrix);
    if (status == NB_OK) memset((*matrix)->value, 0, (size_t)nb_csr_nonzeros(*matrix) * sizeof *(*matrix)->value);
    return status;
}

static void matrix_values(const nb_delassus *d, nb_csr *matrix) {
    const nb_csr *a = ((const delassus_matrix *)d)->matrix;
    memcpy(matrix->value, a->value, (size_t)a->start[a->rows] * sizeof *a->value);
}

static const nb_delassus_class matrix_class = {
    .apply = matrix_apply,
    .diagonal = matrix_diagonal,
    .pattern = matrix_pattern,
    .values = matrix_values,
};

/* a copy of start[0 .. count], or 0, 1, .., count where it is NULL */
static nb_status copy_starts(int32_t count, const int32_t *start, int32_t **copy) {
    nb_status status = NB_ALLOCATE((int64_t)count + 1, copy);
    for (int32_t i = 0; status == NB_OK && i <= count; i++) (*copy)[i] = start ? start[i] : i;
    return status;
}

nb_status nb_delassus_matrix_create(nb_csr *matrix, int32_t block_count, const int32_t *block_start,
                                    int32_t group_count, const int32_t *group_start, nb_delassus **delassus) {
    nb_status status;
    delassus_matrix *s = NULL;
    *delassus = NULL;
    NB_TRY(NB_ALLOCATE(1, &s));
    s->matrix = matrix;
    if (!block_start) block_count = matrix->rows;
    if (!group_start) group_count = block_count;
    NB_TRY(NB_ALLOCATE(matrix->rows, &s->diagonal));
    nb_csr_diagonal(matrix, s->diagonal);
    NB_TRY(nb_csr_find_triples(matrix));
    NB_TRY(copy_starts(block_count, block_start, &s->block_start));
    NB_TRY(copy_starts(group_count, group_start, &s->group_start));
    s->base = (nb_delassus){.type = &matrix_class,
                            .rows = matrix->rows,
                            .block_count = block_count,
                            .block_start = s->block_start,
                            .group_count = group_count,
                            .group_start = s->group_start};
    *delassus = &s->base;
    return NB_OK;
out:
    if (s)
        nb_delassus_matrix_destroy(&s->base);
    else
        nb_csr_destroy(matrix);
    return status;
}

void nb_delassus_matrix_destroy(nb_delassus *delassus) {
    delassus_matrix *s = (delassus_matrix *)delassus;
    if (!s) return;
    nb_csr_destroy(s->matrix);
    nb_free(s->diagonal);
    nb_free(s->block_start);
    nb_free(s->group_start);
    nb_free(s);
}

nb_status nb_delassus_matrix_replace(nb_delassus *delassus, nb_csr *matrix) {
    delassus_matrix *s = (delassus_matrix *)delassus;
    nb_csr_destroy(s->matrix);
    s->matrix = matrix;
    nb_csr_diagonal(matrix, s->diagonal);
    return nb_csr_find_triples(matrix);
}

nb_csr *nb_delassus_matrix_of(const nb_delassus *d) {
    return d->type == &matrix_class ? ((const delassus_matrix *)d)->matrix : NULL;
}
