#include "sparse.h"

#include <string.h>

#include "base/memory.h"

static nb_status create(int32_t rows, int32_t columns, int64_t nonzeros, nb_sparse **matrix) {
    nb_status status;
    nb_sparse *a = NULL;
    NB_TRY(NB_ALLOCATE(1, &a));
    a->rows = rows;
    a->columns = columns;
    NB_TRY(NB_ALLOCATE((int64_t)rows + 1, &a->start));
    NB_TRY(NB_ALLOCATE(nonzeros, &a->column));
    NB_TRY(NB_ALLOCATE(nonzeros, &a->value));
out:
    if (status != NB_OK) {
        nb_sparse_destroy(a);
        a = NULL;
    }
    *matrix = a;
    return status;
}

void nb_sparse_destroy(nb_sparse *matrix) {
    if (!matrix) return;
    nb_free(matrix->start);
    nb_free(matrix->column);
    nb_free(matrix->value);
    nb_free(matrix);
}

/* next[b] = first place of bucket b, for a counting sort of `count` keys into `buckets` buckets */
static void first_places(int32_t buckets, int64_t count, const int32_t *key, int64_t *next) {
    memset(next, 0, ((size_t)buckets + 1) * sizeof *next);
    for (int64_t k = 0; k < count; k++) next[key[k] + 1]++;
    for (int32_t b = 0; b < buckets; b++) next[b + 1] += next[b];
}

/* sums neighbours of equal column within each row */
static void sum_duplicates(nb_sparse *a) {
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

nb_status nb_sparse_from_triplets(int32_t rows, int32_t columns, int64_t count, const int32_t *row,
                                  const int32_t *column, const double *value, nb_sparse **matrix) {
    nb_status status;
    nb_sparse *a = NULL;
    int64_t *order = NULL, *next = NULL;
    NB_TRY(create(rows, columns, count, &a));
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
        nb_sparse_destroy(a);
        a = NULL;
    }
    *matrix = a;
    return status;
}

nb_status nb_sparse_transpose(const nb_sparse *a, nb_sparse **matrix) {
    nb_status status;
    int32_t *row = NULL;
    *matrix = NULL;
    NB_TRY(NB_ALLOCATE(a->start[a->rows], &row));
    for (int32_t r = 0; r < a->rows; r++)
        for (int64_t k = a->start[r]; k < a->start[r + 1]; k++) row[k] = r;
    NB_TRY(nb_sparse_from_triplets(a->columns, a->rows, a->start[a->rows], a->column, row, a->value, matrix));
out:
    nb_free(row);
    return status;
}

/* appends row r of `a`, its columns moved to the right by `offset` */
static void append_row(const nb_sparse *a, int32_t r, int32_t offset, nb_sparse *to, int64_t *count) {
    for (int64_t k = a->start[r]; k < a->start[r + 1]; k++) {
        to->column[*count] = a->column[k] + offset;
        to->value[(*count)++] = a->value[k];
    }
}

nb_status nb_sparse_of_blocks(const nb_sparse *a, const nb_sparse *b, const nb_sparse *c, const nb_sparse *d,
                              nb_sparse **matrix) {
    const nb_sparse *block[2][2] = {{a, b}, {c, d}};
    int64_t count = 0, nonzeros = 0;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) nonzeros += block[i][j]->start[block[i][j]->rows];
    nb_status status = create(a->rows + c->rows, a->columns + b->columns, nonzeros, matrix);
    if (status != NB_OK) return status;
    for (int32_t r = 0; r < a->rows + c->rows; r++) {
        const nb_sparse *const *pair = block[r >= a->rows];
        int32_t inside = r < a->rows ? r : r - a->rows;
        append_row(pair[0], inside, 0, *matrix, &count);
        append_row(pair[1], inside, a->columns, *matrix, &count);
        (*matrix)->start[r + 1] = count;
    }
    return NB_OK;
}

nb_status nb_sparse_beside(const nb_sparse *a, const nb_sparse *b, nb_sparse **matrix) {
    int64_t none[1] = {0};
    const nb_sparse below[2] = {{0, a->columns, none, NULL, NULL}, {0, b->columns, none, NULL, NULL}};
    return nb_sparse_of_blocks(a, b, &below[0], &below[1], matrix);
}
