#include "base/csr.h"

#include <string.h>

#include "base/memory.h"
#include "base/real.h"

NB_PRECISIONS(f32, f64);

nb_status nb_csr_make(int32_t rows, int32_t columns, int64_t capacity, nb_csr *matrix) {
    nb_status status;
    *matrix = (nb_csr){.rows = rows, .columns = columns, .capacity = capacity};
    NB_TRY(NB_ALLOCATE(rows + (int64_t)1, &matrix->start));
    NB_TRY(NB_ALLOCATE(capacity, &matrix->column));
    NB_TRY(NB_ALLOCATE(capacity, &matrix->value));
out:
    if (status != NB_OK) nb_csr_clear(matrix);
    return status;
}

nb_status nb_csr_create(int32_t rows, int32_t columns, int64_t capacity, nb_csr **matrix) {
    nb_csr *a = NULL;
    nb_status status = NB_ALLOCATE(1, &a);
    if (status == NB_OK) status = nb_csr_make(rows, columns, capacity, a);
    if (status != NB_OK) {
        nb_csr_destroy(a);
        a = NULL;
    }
    *matrix = a;
    return status;
}

void nb_csr_clear(nb_csr *matrix) {
    nb_free(matrix->start);
    nb_free(matrix->column);
    nb_free(matrix->value);
    nb_free(matrix->triple);
    *matrix = (nb_csr){0};
}

void nb_csr_destroy(nb_csr *matrix) {
    if (matrix) nb_csr_clear(matrix);
    nb_free(matrix);
}

int64_t nb_csr_nonzeros(const nb_csr *matrix) {
    return matrix->start ? matrix->start[matrix->rows] : 0;
}

int64_t nb_csr_find(const nb_csr *matrix, int32_t row, int32_t column) {
    int64_t low = matrix->start[row], high = matrix->start[row + 1];
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (matrix->column[middle] < column)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

nb_status nb_csr_copy(const nb_csr *a, nb_csr **matrix) {
    int64_t nonzeros = nb_csr_nonzeros(a);
    nb_status status = nb_csr_create(a->rows, a->columns, nonzeros, matrix);
    if (status != NB_OK) return status;
    memcpy((*matrix)->start, a->start, ((size_t)a->rows + 1) * sizeof *a->start);
    memcpy((*matrix)->column, a->column, (size_t)nonzeros * sizeof *a->column);
    memcpy((*matrix)->value, a->value, (size_t)nonzeros * sizeof *a->value);
    return NB_OK;
}

/* next[b] = first place of bucket b, for a counting sort of `count` keys into `buckets` buckets */
static void first_places(int32_t buckets, int64_t count, const int32_t *key, int64_t *next) {
    memset(next, 0, ((size_t)buckets + 1) * sizeof *next);
    for (int64_t k = 0; k < count; k++) next[key[k] + 1]++;
    for (int32_t b = 0; b < buckets; b++) next[b + 1] += next[b];
}

nb_status nb_csr_transpose(const nb_csr *a, nb_csr **matrix) {
    nb_status status;
    int64_t nonzeros = nb_csr_nonzeros(a), *next = NULL;
    *matrix = NULL;
    NB_TRY(NB_ALLOCATE(a->columns + (int64_t)1, &next));
    NB_TRY(nb_csr_create(a->columns, a->rows, nonzeros, matrix));
    first_places(a->columns, nonzeros, a->column, next);
    memcpy((*matrix)->start, next, ((size_t)a->columns + 1) * sizeof *next);
    for (int32_t r = 0; r < a->rows; r++)
        for (int64_t k = a->start[r]; k < a->start[r + 1]; k++) {
            int64_t place = next[a->column[k]]++;
            (*matrix)->column[place] = r;
            (*matrix)->value[place] = a->value[k];
        }
out:
    nb_free(next);
    return status;
}

/* sums neighbours of equal column within each row */
static void sum_duplicates(nb_csr *a) {
    int64_t kept = 0, k = 0;
    for (int32_t r = 0; r < a->rows; r++) {
        int64_t begin = kept, end = a->start[r + 1];
        for (; k < end; k++) {
            if (kept > begin && a->column[kept - 1] == a->column[k]) {
                a->value[kept - 1] += a->value[k];
            } else {
                a->column[kept] = a->column[k];
                a->value[kept++] = a->value[k];
            }
        }
        a->start[r + 1] = kept;
    }
}

nb_status nb_csr_from_triplets(int32_t rows, int32_t columns, int64_t count, const int32_t *row, const int32_t *column,
                               const real *value, nb_csr **matrix) {
    nb_status status;
    nb_csr *a = NULL;
    int64_t *order = NULL, *next = NULL;
    NB_TRY(nb_csr_create(rows, columns, count, &a));
    NB_TRY(NB_ALLOCATE(count, &order));
    NB_TRY(NB_ALLOCATE((int64_t)(rows > columns ? rows : columns) + 1, &next));
    /* by column first, then stably by row */
    first_places(columns, count, column, next);
    for (int64_t k = 0; k < count; k++) order[next[column[k]]++] = k;
    first_places(rows, count, row, next);
    memcpy(a->start, next, ((size_t)rows + 1) * sizeof *next);
    for (int64_t i = 0; i < count; i++) {
        int64_t place = next[row[order[i]]]++;
        a->column[place] = column[order[i]];
        a->value[place] = value[order[i]];
    }
    sum_duplicates(a);
out:
    nb_free(order);
    nb_free(next);
    if (status != NB_OK) {
        nb_csr_destroy(a);
        a = NULL;
    }
    *matrix = a;
    return status;
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
