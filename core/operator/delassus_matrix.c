#include "operator/delassus_matrix.h"

#include <string.h>

#include "base/memory.h"
#include "base/threads.h"
#include "operator/half_blocks.h"
#include "operator/row_runs.h"

NB_PRECISIONS(f32, f64);

typedef struct delassus_matrix {
    nb_delassus base; /* first */
    nb_csr *matrix;
    nb_row_runs runs;
    nb_half_blocks half;
    int halves, halved; /* 1: products may read half; it has the values */
    int64_t *diagonal;  /* [rows] places (csr.h) */
    real *weighted;     /* [rows] S x of a product */
    int32_t *block_start, *group_start;
} delassus_matrix;

static void matrix_apply(const nb_delassus *d, const real *s, const real *c, const real *x, real *y) {
    const delassus_matrix *m = (const delassus_matrix *)d;
    const real *from = s ? m->weighted : x;
    for (int32_t i = 0; s && i < d->rows; i++) m->weighted[i] = s[i] * x[i];
    if (m->halved && nb_threads_for(m->matrix->start[d->rows], NB_ROW_RUNS_LEAST) == 1)
        nb_half_blocks_apply(&m->half, from, y);
    else
        nb_row_runs_apply(&m->runs, m->matrix, from, y);
    for (int32_t i = 0; s && i < d->rows; i++) y[i] *= s[i];
    for (int32_t i = 0; c && i < d->rows; i++) y[i] += c[i] * x[i];
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
    NB_TRY(nb_row_runs_make(&s->runs, matrix));
    NB_TRY(NB_ALLOCATE(matrix->rows, &s->weighted));
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
    nb_row_runs_clear(&s->runs);
    nb_half_blocks_clear(&s->half);
    nb_free(s->diagonal);
    nb_free(s->weighted);
    nb_free(s->block_start);
    nb_free(s->group_start);
    nb_free(s);
}

nb_status nb_delassus_matrix_replace(nb_delassus *delassus, nb_csr *matrix) {
    delassus_matrix *s = (delassus_matrix *)delassus;
    nb_csr_destroy(s->matrix);
    s->matrix = matrix;
    nb_csr_diagonal(matrix, s->diagonal);
    s->halved = 0;
    const nb_status status = s->halves ? nb_half_blocks_make(&s->half, matrix) : NB_OK;
    return status == NB_OK ? nb_row_runs_make(&s->runs, matrix) : status;
}

nb_status nb_delassus_matrix_halve(nb_delassus *delassus) {
    delassus_matrix *s = (delassus_matrix *)delassus;
    s->halves = 1;
    return nb_half_blocks_make(&s->half, s->matrix);
}

void nb_delassus_matrix_values(nb_delassus *delassus, int symmetric) {
    delassus_matrix *s = (delassus_matrix *)delassus;
    s->halved = symmetric && s->half.width > 0;
    if (s->halved) nb_half_blocks_load(&s->half, s->matrix);
}

nb_csr *nb_delassus_matrix_of(const nb_delassus *d) {
    return d->type == &matrix_class ? ((const delassus_matrix *)d)->matrix : NULL;
}
