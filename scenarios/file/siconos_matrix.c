#include "siconos_matrix.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/interrupt.h"
#include "base/memory.h"

enum {
    DENSE = 0,  /* Siconos's NM_DENSE, */
    BLOCKS = 1, /* NM_SPARSE_BLOCK, */
    SPARSE = 2, /* NM_SPARSE, and of these */
    TRIPLETS = 1,
    BY_COLUMNS = 2,
    BY_ROWS = 3
};

/* the matrix as triplets */
typedef struct reading {
    nb_siconos_words *words;
    const nb_siconos_matrix *matrix;
    char entry[16]; /* "entry of W" */
    int64_t count, row_capacity, column_capacity, value_capacity;
    int32_t *row, *column;
    double *value;
} reading;

/* the blocks of a matrix */
typedef struct blocks {
    int64_t count, lines[2];       /* blocks; block rows, block columns */
    int32_t *ends[2];              /* [lines] */
    int64_t filled;                /* block rows that first[] speaks of */
    int32_t *first, *block_column; /* [filled + 1], [count] */
} blocks;

/* the next number is the entry (row, column) */
static nb_status read_entry(reading *r, int64_t row, int64_t column) {
    if (nb_interrupt_requested()) return nb_interrupt_check();
    double value;
    nb_status status;
    NB_TRY(nb_siconos_real(r->words, r->entry, &value));
    if (value == 0) return NB_OK;
    NB_TRY(NB_RESERVE(r->count + 1, &r->row_capacity, &r->row));
    NB_TRY(NB_RESERVE(r->count + 1, &r->column_capacity, &r->column));
    NB_TRY(NB_RESERVE(r->count + 1, &r->value_capacity, &r->value));
    r->row[r->count] = (int32_t)row;
    r->column[r->count] = (int32_t)column;
    r->value[r->count++] = value;
out:
    return status;
}

/* ---- dense, and in blocks ---- */

/* the entries of rows and columns begin .. end - 1, column by column */
static nb_status read_block(reading *r, const int64_t begin[2], const int64_t end[2]) {
    nb_status status;
    NB_TRY(nb_siconos_check_left(r->words, "a block of a matrix", (end[0] - begin[0]) * (end[1] - begin[1])));
    for (int64_t j = begin[1]; j < end[1]; j++)
        for (int64_t i = begin[0]; i < end[0]; i++) NB_TRY(read_entry(r, i, j));
out:
    return status;
}

static nb_status read_dense(reading *r) {
    nb_status status;
    int64_t begin[2] = {0, 0}, end[2];
    const int64_t size[2] = {r->matrix->rows, r->matrix->columns};
    for (int i = 0; i < 2; i++)
        NB_TRY(nb_siconos_whole(r->words, "number of rows or columns, once more", size[i], size[i], &end[i]));
    NB_TRY(read_block(r, begin, end));
out:
    return status;
}

/* `count` whole numbers that do not fall, from `first` up to `last` */
static nb_status read_offsets(nb_siconos_words *w, const char *what, int64_t count, int64_t first, int64_t last,
                              int32_t **offsets) {
    nb_status status;
    int64_t previous = first, value = first;
    NB_TRY(nb_siconos_check_left(w, what, count));
    NB_TRY(NB_ALLOCATE(count, offsets));
    for (int64_t i = 0; i < count; i++) {
        NB_TRY(nb_siconos_whole(w, what, previous, last, &value));
        (*offsets)[i] = (int32_t)value;
        previous = value;
    }
    if (value != last)
        return nb_fail(NB_ERROR_INPUT, "'%.300s', line %lld: the last %s is %lld, expected %lld", w->name,
                       (long long)w->line, what, (long long)value, (long long)last);
out:
    return status;
}

static nb_status read_block_pattern(reading *r, blocks *b) {
    nb_status status;
    nb_siconos_words *w = r->words;
    const int64_t size[2] = {r->matrix->rows, r->matrix->columns};
    int64_t value;
    NB_TRY(nb_siconos_whole(w, "number of blocks", 0, INT32_MAX - 1, &b->count));
    for (int i = 0; i < 2; i++)
        NB_TRY(nb_siconos_whole(w, "number of block rows or columns", 1, size[i], &b->lines[i]));
    for (int i = 0; i < 2; i++)
        NB_TRY(read_offsets(w, "end of a block row or column", b->lines[i], 0, size[i], &b->ends[i]));
    NB_TRY(nb_siconos_whole(w, "number of starts of block rows", 1, b->lines[0] + 1, &b->filled));
    NB_TRY(nb_siconos_whole(w, "number of blocks, once more", b->count, b->count, &value));
    NB_TRY(read_offsets(w, "first block of a block row", b->filled, 0, b->count, &b->first));
    NB_TRY(nb_siconos_check_left(w, "the blocks' columns", b->count));
    NB_TRY(NB_ALLOCATE(b->count, &b->block_column));
    for (int64_t k = 0; k < b->count; k++) {
        NB_TRY(nb_siconos_whole(w, "column of a block", 0, b->lines[1] - 1, &value));
        b->block_column[k] = (int32_t)value;
    }
out:
    return status;
}

static nb_status read_block_values(reading *r, const blocks *b) {
    nb_status status = NB_OK;
    int64_t value, line = 0;
    if (b->first[0] != 0) return nb_siconos_bad(r->words, "the first block row does not begin at block 0");
    for (int64_t k = 0; k < b->count; k++) {
        while (b->first[line + 1] <= k) line++;
        int32_t at[2] = {(int32_t)line, b->block_column[k]};
        int64_t begin[2], end[2];
        for (int i = 0; i < 2; i++) {
            begin[i] = at[i] > 0 ? b->ends[i][at[i] - 1] : 0;
            end[i] = b->ends[i][at[i]];
        }
        NB_TRY(nb_siconos_whole(r->words, "number of the next block", k, k, &value));
        NB_TRY(read_block(r, begin, end));
    }
out:
    return status;
}

static nb_status read_blocks(reading *r) {
    nb_status status;
    blocks b = {0};
    NB_TRY(read_block_pattern(r, &b));
    NB_TRY(read_block_values(r, &b));
out:
    for (int i = 0; i < 2; i++) nb_free(b.ends[i]);
    nb_free(b.first);
    nb_free(b.block_column);
    return status;
}

/* ---- sparse ---- */

/* a whole number from `least` to `most` at *text, behind which *text then stands */
static int take_whole(const char **text, int64_t least, int64_t most, int64_t *whole) {
    size_t digits = strspn(*text, "0123456789");
    if (digits == 0 || digits > 18) return 0;
    *whole = strtoll(*text, NULL, 10);
    *text += digits;
    return *whole >= least && *whole <= most;
}

/* the word "ROWS-by-COLUMNS," that was read */
static nb_status check_size(const reading *r) {
    const char *c = r->words->word;
    int64_t rows, columns;
    int is_size = take_whole(&c, 0, INT32_MAX, &rows) && strncmp(c, "-by-", 4) == 0 && (c += 4, 1) &&
                  take_whole(&c, 0, INT32_MAX, &columns) && strcmp(c, ",") == 0;
    if (!is_size) return nb_siconos_refuse(r->words, "size of a sparse matrix, such as '3-by-3,'");
    if (rows == r->matrix->rows && columns == r->matrix->columns) return NB_OK;
    return nb_fail(NB_ERROR_INPUT, "'%.300s', line %lld: %c is %lld x %lld, but its sparse storage '%s'",
                   r->words->name, (long long)r->words->line, r->matrix->name, (long long)r->matrix->rows,
                   (long long)r->matrix->columns, r->words->word);
}

/* the lines before the entries; *nonzeros receives their number, without which a text of that size cannot be */
static nb_status read_heading(reading *r, int triplets, int64_t *nonzeros) {
    nb_status status;
    nb_siconos_words *w = r->words;
    NB_TRY(nb_siconos_expect(w, "CSparse"));
    nb_siconos_skip_line(w);
    if (triplets) NB_TRY(nb_siconos_expect(w, "triplet:"));
    NB_TRY(nb_siconos_word(w, "size of a sparse matrix"));
    NB_TRY(check_size(r));
    NB_TRY(nb_siconos_expect(w, "nzmax:"));
    NB_TRY(nb_siconos_word(w, "room for entries"));
    NB_TRY(nb_siconos_expect(w, "nnz:"));
    NB_TRY(nb_siconos_word(w, "number of entries"));
    const char *c = w->word;
    if (!take_whole(&c, 0, INT32_MAX - 1, nonzeros) || strcmp(c, triplets ? "" : ",") != 0)
        return nb_siconos_refuse(w, "number of entries");
    if (!triplets) {
        NB_TRY(nb_siconos_expect(w, "1-norm:"));
        NB_TRY(nb_siconos_word(w, "1-norm"));
    }
    NB_TRY(nb_siconos_check_left(w, "a sparse matrix", 3 * *nonzeros));
out:
    return status;
}

static nb_status read_triplets(reading *r, int64_t nonzeros) {
    nb_status status = NB_OK;
    nb_siconos_words *w = r->words;
    for (int64_t k = 0; k < nonzeros; k++) {
        int64_t i, j;
        NB_TRY(nb_siconos_whole(w, "row of an entry", 0, r->matrix->rows - 1, &i));
        NB_TRY(nb_siconos_whole(w, "column of an entry", 0, r->matrix->columns - 1, &j));
        NB_TRY(nb_siconos_expect(w, ":"));
        NB_TRY(read_entry(r, i, j));
    }
out:
    return status;
}

/* "col J : locations BEGIN to LAST": *end receives LAST + 1, which is BEGIN where there are none */
static nb_status read_column_heading(reading *r, int64_t j, int64_t begin, int64_t nonzeros, int64_t *end) {
    nb_status status;
    nb_siconos_words *w = r->words;
    int64_t value;
    NB_TRY(nb_siconos_expect(w, "col"));
    NB_TRY(nb_siconos_whole(w, "number of the next column", j, j, &value));
    NB_TRY(nb_siconos_expect(w, ":"));
    NB_TRY(nb_siconos_expect(w, "locations"));
    NB_TRY(nb_siconos_whole(w, "first location of a column", begin, begin, &value));
    NB_TRY(nb_siconos_expect(w, "to"));
    *end = 0;
    if (begin > 0) {
        NB_TRY(nb_siconos_whole(w, "last location of a column", begin - 1, nonzeros - 1, end));
        ++*end;
        return NB_OK;
    }
    NB_TRY(nb_siconos_word(w, "last location of a column")); /* -1 for none */
    const char *c = w->word;
    if (strcmp(c, "-1") == 0) return NB_OK;
    if (!take_whole(&c, 0, nonzeros - 1, end) || *c) return nb_siconos_refuse(w, "last location of a column");
    ++*end;
out:
    return status;
}

/* `lines` columns of indices below `inner`; where `by_rows`, both change places */
static nb_status read_columns(reading *r, int by_rows, int64_t nonzeros) {
    nb_status status = NB_OK;
    nb_siconos_words *w = r->words;
    int64_t k = 0, end, i;
    for (int64_t j = 0; j < r->matrix->columns; j++) {
        NB_TRY(read_column_heading(r, j, k, nonzeros, &end));
        for (; k < end; k++) {
            NB_TRY(nb_siconos_whole(w, "row of an entry", 0, r->matrix->rows - 1, &i));
            NB_TRY(nb_siconos_expect(w, ":"));
            NB_TRY(read_entry(r, by_rows ? j : i, by_rows ? i : j));
        }
    }
    if (k < nonzeros) return nb_siconos_bad(w, "a sparse matrix has fewer entries than it says");
out:
    return status;
}

static nb_status read_sparse(reading *r) {
    nb_status status;
    int64_t origin, nonzeros = 0;
    NB_TRY(nb_siconos_whole(r->words, "kind of a sparse matrix", TRIPLETS, BY_ROWS, &origin));
    if (origin == BY_ROWS && r->matrix->rows != r->matrix->columns)
        return nb_fail(NB_ERROR_INPUT,
                       "'%.300s': %c is %lld x %lld by compressed rows, which Siconos prints by the wrong number",
                       r->words->name, r->matrix->name, (long long)r->matrix->rows, (long long)r->matrix->columns);
    NB_TRY(read_heading(r, origin == TRIPLETS, &nonzeros));
    NB_TRY(origin == TRIPLETS ? read_triplets(r, nonzeros) : read_columns(r, origin == BY_ROWS, nonzeros));
out:
    return status;
}

/* ---- the whole ---- */

nb_status nb_siconos_matrix_begin(nb_siconos_words *words, nb_siconos_matrix *matrix) {
    nb_status status;
    NB_TRY(nb_siconos_whole(words, "storage of a matrix", DENSE, SPARSE, &matrix->storage));
    NB_TRY(nb_siconos_whole(words, "number of rows of a matrix", 1, INT32_MAX - 1, &matrix->rows));
    NB_TRY(nb_siconos_whole(words, "number of columns of a matrix", 1, INT32_MAX - 1, &matrix->columns));
out:
    return status;
}

nb_status nb_siconos_matrix_read(nb_siconos_words *words, const nb_siconos_matrix *matrix, int *digits,
                                 nb_csr_f64 **to) {
    nb_status status;
    reading r = {.words = words, .matrix = matrix};
    snprintf(r.entry, sizeof r.entry, "entry of %c", matrix->name);
    NB_TRY(matrix->storage == DENSE ? read_dense(&r) : matrix->storage == BLOCKS ? read_blocks(&r) : read_sparse(&r));
    if (matrix->storage == SPARSE) *digits = NB_SICONOS_DIGITS;
    NB_TRY(nb_csr_from_triplets_f64((int32_t)matrix->rows, (int32_t)matrix->columns, r.count, r.row, r.column, r.value,
                                    to));
out:
    nb_free(r.row);
    nb_free(r.column);
    nb_free(r.value);
    return status;
}
