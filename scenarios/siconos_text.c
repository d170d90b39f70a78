#include "siconos_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/csr.h"
#include "base/memory.h"
#include "bytes.h"

enum {
    WORD = 64,     /* characters of a number, with the zero at its end */
    LEAST = 2,     /* bytes that a number takes, with the blank after it */
    DENSE = 0,     /* Siconos's NM_DENSE, */
    BLOCKS = 1,    /* NM_SPARSE_BLOCK, */
    COMPRESSED = 2 /* NM_SPARSE */
};

/* the text, a number at a time, and W as triplets */
typedef struct parser {
    const char *name, *next, *end;
    int64_t line;
    char word[WORD];
    int64_t rows; /* of W, and columns */
    int64_t count, row_capacity, column_capacity, value_capacity;
    int32_t *row, *column;
    double *value;
} parser;

/* the blocks of W */
typedef struct blocks {
    int64_t count, lines[2];       /* blocks; block rows, block columns */
    int32_t *ends[2];              /* [lines] */
    int64_t filled;                /* block rows that first[] speaks of */
    int32_t *first, *block_column; /* [filled + 1], [count] */
} blocks;

/* ---- numbers ---- */

static nb_status bad(const parser *p, const char *what) {
    return nb_fail(NB_ERROR_INPUT, "'%.300s', line %lld: %s", p->name, (long long)p->line, what);
}

static int is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* skips blanks; 0 at the end of the text */
static int find_word(parser *p) {
    for (; p->next < p->end && is_blank(*p->next); p->next++) p->line += *p->next == '\n';
    return p->next < p->end;
}

/* the next word into p->word; `what` is expected */
static nb_status read_word(parser *p, const char *what) {
    int length = 0;
    if (!find_word(p)) return nb_fail(NB_ERROR_INPUT, "'%.300s' ends where %s is expected", p->name, what);
    for (; p->next < p->end && !is_blank(*p->next); p->next++) {
        if (length == WORD - 1)
            return nb_fail(NB_ERROR_INPUT, "'%.300s', line %lld: a word of more than %d characters, expected %s",
                           p->name, (long long)p->line, WORD - 1, what);
        p->word[length++] = *p->next < '!' || *p->next > '~' ? '?' : *p->next;
    }
    p->word[length] = '\0';
    return NB_OK;
}

static nb_status refuse(const parser *p, const char *what) {
    return nb_fail(NB_ERROR_INPUT, "'%.300s', line %lld: '%s' is no %s", p->name, (long long)p->line, p->word, what);
}

/* a whole number from `least` to `most` */
static nb_status read_whole(parser *p, const char *what, int64_t least, int64_t most, int64_t *whole) {
    nb_status status = read_word(p, what);
    if (status != NB_OK) return status;
    size_t digits = strspn(p->word, "0123456789");
    if (digits == 0 || p->word[digits] || digits > 18) return refuse(p, what);
    *whole = strtoll(p->word, NULL, 10);
    if (*whole >= least && *whole <= most) return NB_OK;
    return nb_fail(NB_ERROR_INPUT, "'%.300s', line %lld: %s is %lld, expected %lld to %lld", p->name,
                   (long long)p->line, what, (long long)*whole, (long long)least, (long long)most);
}

static nb_status read_real(parser *p, const char *what, double *value) {
    char *end;
    nb_status status = read_word(p, what);
    if (status != NB_OK) return status;
    *value = strtod(p->word, &end);
    if (*end || p->word[strspn(p->word, "+-.0123456789eE")]) return refuse(p, what);
    return isfinite(*value) ? NB_OK : refuse(p, "finite number");
}

/* whether the rest of the text can hold so many numbers */
static nb_status check_left(const parser *p, const char *what, int64_t count) {
    int64_t most = (p->end - p->next + 1) / LEAST;
    if (count <= most) return NB_OK;
    return nb_fail(NB_ERROR_INPUT, "'%.300s', line %lld: %s takes %lld numbers, but there are bytes for %lld at most",
                   p->name, (long long)p->line, what, (long long)count, (long long)most);
}

static nb_status read_reals(parser *p, const char *what, int64_t count, double **values) {
    nb_status status;
    NB_TRY(check_left(p, what, count));
    NB_TRY(NB_ALLOCATE(count, values));
    for (int64_t i = 0; i < count; i++) NB_TRY(read_real(p, what, &(*values)[i]));
out:
    return status;
}

/* ---- W ---- */

/* the next number is the entry (row, column) */
static nb_status read_entry(parser *p, int64_t row, int64_t column) {
    double value;
    nb_status status;
    NB_TRY(read_real(p, "entry of W", &value));
    if (value == 0) return NB_OK;
    NB_TRY(NB_RESERVE(p->count + 1, &p->row_capacity, &p->row));
    NB_TRY(NB_RESERVE(p->count + 1, &p->column_capacity, &p->column));
    NB_TRY(NB_RESERVE(p->count + 1, &p->value_capacity, &p->value));
    p->row[p->count] = (int32_t)row;
    p->column[p->count] = (int32_t)column;
    p->value[p->count++] = value;
out:
    return status;
}

/* the entries of rows and columns begin .. end - 1, column by column */
static nb_status read_block(parser *p, const int64_t begin[2], const int64_t end[2]) {
    nb_status status;
    NB_TRY(check_left(p, "a block of W", (end[0] - begin[0]) * (end[1] - begin[1])));
    for (int64_t j = begin[1]; j < end[1]; j++)
        for (int64_t i = begin[0]; i < end[0]; i++) NB_TRY(read_entry(p, i, j));
out:
    return status;
}

static nb_status read_dense(parser *p) {
    nb_status status;
    int64_t begin[2] = {0, 0}, end[2];
    for (int i = 0; i < 2; i++) NB_TRY(read_whole(p, "number of rows of W, once more", p->rows, p->rows, &end[i]));
    NB_TRY(read_block(p, begin, end));
out:
    return status;
}

/* `count` whole numbers that do not fall, from `first` up to `last` */
static nb_status read_offsets(parser *p, const char *what, int64_t count, int64_t first, int64_t last,
                              int32_t **offsets) {
    nb_status status;
    int64_t previous = first, value = first;
    NB_TRY(check_left(p, what, count));
    NB_TRY(NB_ALLOCATE(count, offsets));
    for (int64_t i = 0; i < count; i++) {
        NB_TRY(read_whole(p, what, previous, last, &value));
        (*offsets)[i] = (int32_t)value;
        previous = value;
    }
    if (value != last)
        return nb_fail(NB_ERROR_INPUT, "'%.300s', line %lld: the last %s is %lld, expected %lld", p->name,
                       (long long)p->line, what, (long long)value, (long long)last);
out:
    return status;
}

static nb_status read_block_pattern(parser *p, blocks *b) {
    nb_status status;
    int64_t value;
    NB_TRY(read_whole(p, "number of blocks", 0, INT32_MAX - 1, &b->count));
    for (int i = 0; i < 2; i++) NB_TRY(read_whole(p, "number of block rows or columns", 1, p->rows, &b->lines[i]));
    for (int i = 0; i < 2; i++)
        NB_TRY(read_offsets(p, "end of a block row or column", b->lines[i], 0, p->rows, &b->ends[i]));
    NB_TRY(read_whole(p, "number of starts of block rows", 1, b->lines[0] + 1, &b->filled));
    NB_TRY(read_whole(p, "number of blocks, once more", b->count, b->count, &value));
    NB_TRY(read_offsets(p, "first block of a block row", b->filled, 0, b->count, &b->first));
    NB_TRY(check_left(p, "the blocks' columns", b->count));
    NB_TRY(NB_ALLOCATE(b->count, &b->block_column));
    for (int64_t k = 0; k < b->count; k++) {
        NB_TRY(read_whole(p, "column of a block", 0, b->lines[1] - 1, &value));
        b->block_column[k] = (int32_t)value;
    }
out:
    return status;
}

static nb_status read_block_values(parser *p, const blocks *b) {
    nb_status status = NB_OK;
    int64_t value, line = 0;
    if (b->first[0] != 0) return bad(p, "the first block row does not begin at block 0");
    for (int64_t k = 0; k < b->count; k++) {
        while (b->first[line + 1] <= k) line++;
        int32_t at[2] = {(int32_t)line, b->block_column[k]};
        int64_t begin[2], end[2];
        for (int i = 0; i < 2; i++) {
            begin[i] = at[i] > 0 ? b->ends[i][at[i] - 1] : 0;
            end[i] = b->ends[i][at[i]];
        }
        NB_TRY(read_whole(p, "number of the next block", k, k, &value));
        NB_TRY(read_block(p, begin, end));
    }
out:
    return status;
}

static nb_status read_blocks(parser *p) {
    nb_status status;
    blocks b = {0};
    NB_TRY(read_block_pattern(p, &b));
    NB_TRY(read_block_values(p, &b));
out:
    for (int i = 0; i < 2; i++) nb_free(b.ends[i]);
    nb_free(b.first);
    nb_free(b.block_column);
    return status;
}

static nb_status read_matrix(parser *p, nb_csr_f64 **w) {
    nb_status status;
    int64_t storage, size;
    NB_TRY(read_whole(p, "storage of W", DENSE, COMPRESSED, &storage));
    if (storage == COMPRESSED)
        return nb_fail(NB_ERROR_UNSUPPORTED,
                       "'%.300s': W is in compressed storage (2), which Siconos prints to six digits; dense (0) and "
                       "sparse-block (1) storage are read",
                       p->name);
    for (int i = 0; i < 2; i++) {
        NB_TRY(read_whole(p, "number of rows or columns of W", 1, INT32_MAX - 1, &size));
        if (size != p->rows)
            return nb_fail(
                NB_ERROR_INPUT,
                "'%.300s', line %lld: the contacts have %lld rows, but the matrix has %lld (a global problem? "
                "Of Siconos's text, local ones are read)",
                p->name, (long long)p->line, (long long)p->rows, (long long)size);
    }
    NB_TRY(storage == DENSE ? read_dense(p) : read_blocks(p));
    NB_TRY(nb_csr_from_triplets_f64((int32_t)p->rows, (int32_t)p->rows, p->count, p->row, p->column, p->value, w));
out:
    return status;
}

/* ---- the whole ---- */

static nb_status read_head(parser *p, nb_fclib_problem *problem) {
    nb_status status;
    int64_t dimension, contacts;
    NB_TRY(read_whole(p, "dimension", 2, 5, &dimension));
    if (dimension > 3)
        return nb_fail(NB_ERROR_UNSUPPORTED,
                       "'%.300s': %lld rows a contact (rolling friction) are not offered: 2 or 3 are", p->name,
                       (long long)dimension);
    NB_TRY(read_whole(p, "number of contacts", 1, INT32_MAX / 3 - 1, &contacts));
    problem->data.dimension = (int32_t)dimension;
    problem->data.contacts = (int32_t)contacts;
    p->rows = dimension * contacts;
    NB_TRY(check_left(p, "q and mu", p->rows + contacts));
out:
    return status;
}

static nb_status read_problem(parser *p, nb_fclib_problem *problem) {
    nb_status status;
    NB_TRY(read_head(p, problem));
    NB_TRY(read_matrix(p, &problem->w));
    NB_TRY(read_reals(p, "entry of q", p->rows, &problem->q));
    NB_TRY(read_reals(p, "coefficient of friction", problem->data.contacts, &problem->mu));
    for (int32_t i = 0; i < problem->data.contacts; i++)
        if (problem->mu[i] < 0)
            return nb_fail(NB_ERROR_INPUT,
                           "'%.300s': the coefficient of friction of contact %d is %g: expected at least 0", p->name,
                           (int)i, problem->mu[i]);
    if (find_word(p)) NB_TRY(read_word(p, "end")); /* Siconos 2 said whether W is complete */
    if (find_word(p)) return bad(p, "more numbers than a contact problem has");
    NB_TRY(nb_fclib_finish(p->name, problem));
out:
    return status;
}

nb_status nb_siconos_parse(const char *data, int64_t size, const char *name, nb_fclib_problem **problem) {
    nb_status status;
    parser p = {.name = name, .next = data, .end = data + size, .line = 1};
    *problem = NULL;
    NB_TRY(NB_ALLOCATE(1, problem));
    char **texts[] = {&(*problem)->title, &(*problem)->description, &(*problem)->math_info};
    for (int i = 0; i < 3; i++) NB_TRY(nb_copy_text("", texts[i]));
    NB_TRY(read_problem(&p, *problem));
out:
    nb_free(p.row);
    nb_free(p.column);
    nb_free(p.value);
    if (status != NB_OK) {
        nb_fclib_destroy(*problem);
        *problem = NULL;
    }
    return status;
}

nb_status nb_siconos_read(const char *path, nb_fclib_problem **problem) {
    nb_status status;
    char *data = NULL;
    int64_t size;
    *problem = NULL;
    NB_TRY(nb_bytes_read(path, &data, &size));
    NB_TRY(nb_siconos_parse(data, size, path, problem));
out:
    nb_free(data);
    return status;
}
