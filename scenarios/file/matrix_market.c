#include "matrix_market.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/interrupt.h"
#include "base/memory.h"
#include "bytes.h"

enum {
    MOST_WORDS = 5,           /* of the banner; one more than an entry of a real matrix has */
    WORD = 64,                /* characters of a word, with its zero */
    LEAST_COORDINATE = 5,     /* bytes of an entry: "1 1 1", its newline apart */
    LEAST_ARRAY = 1,          /* "1" */
    EMPTY_LINES = 1000 * 1000 /* rows and columns beyond the bytes of the file, so many may be empty */
};

/* the text, a line at a time */
typedef struct parser {
    const char *name, *next, *end;
    int64_t line;
    int words;
    char word[MOST_WORDS][WORD];
    int coordinate, symmetric;
    int64_t rows, columns, entries;
    /* the triplets, both triangles */
    int64_t count, filled;
    int32_t *row, *column;
    double *value;
} parser;

static nb_status bad(const parser *p, const char *what) {
    return nb_fail(NB_ERROR_INPUT, "'%.300s', line %lld: %s", p->name, (long long)p->line, what);
}

static nb_status add_word(parser *p, const char *text, int64_t length) {
    if (p->words == MOST_WORDS) return bad(p, "more words than any line of a Matrix Market file has");
    if (length >= WORD) return bad(p, "a word of more than 63 characters");
    for (int64_t i = 0; i < length; i++)
        if (text[i] < '!' || text[i] > '~') return bad(p, "a character that is no text");
    memcpy(p->word[p->words], text, (size_t)length);
    p->word[p->words++][length] = '\0';
    return NB_OK;
}

/* at the end of a line: LF, CR LF, or CR */
static int ends_line(const parser *p) {
    return *p->next == '\n' || (*p->next == '\r' && (p->next + 1 == p->end || p->next[1] != '\n'));
}

static int is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

static void skip_line(parser *p) {
    while (p->next < p->end && !ends_line(p)) p->next++;
}

/* The words of the next line, up to a comment behind them; 0 words at the end of the text, and of a comment alone. */
static nb_status read_line(parser *p) {
    nb_status status = NB_OK;
    p->words = 0;
    p->line++;
    while (p->next < p->end && !ends_line(p)) {
        const char *begin = p->next;
        if (is_blank(*begin)) {
            p->next++;
            continue;
        }
        if (*begin == '%' && (p->words > 0 || p->line > 1)) {
            skip_line(p);
            break;
        }
        while (p->next < p->end && !ends_line(p) && !is_blank(*p->next)) p->next++;
        NB_TRY(add_word(p, begin, p->next - begin));
    }
    if (p->next < p->end) p->next++;
out:
    return status;
}

/* the next line that is neither blank nor a comment */
static nb_status read_content(parser *p) {
    nb_status status = NB_OK;
    do {
        NB_TRY(read_line(p));
    } while (p->words == 0 && p->next < p->end);
out:
    return status;
}

static nb_status unsupported(const parser *p, const char *word, const char *accepted) {
    return nb_fail(NB_ERROR_INPUT, "'%.300s': '%s' matrices are not offered: %s are", p->name, word, accepted);
}

/* its first word, with which the text must begin */
static nb_status read_signature(parser *p) {
    static const char signature[] = "%%MatrixMarket", mark[] = "\xef\xbb\xbf"; /* of UTF-8, which editors write */
    size_t length = strlen(signature);
    if (p->end - p->next >= 3 && memcmp(p->next, mark, 3) == 0) p->next += 3;
    size_t left = (size_t)(p->end - p->next);
    if (left >= length && strncasecmp(p->next, signature, length) == 0) return NB_OK;
    return nb_fail(NB_ERROR_INPUT, "'%.300s' is no Matrix Market file: it %s '%s'", p->name,
                   left >= length - 1 && strncasecmp(p->next, signature + 1, length - 1) == 0
                       ? "begins with one % where there are two in"
                       : "does not begin with",
                   signature);
}

static nb_status read_banner(parser *p) {
    nb_status status;
    const char *kind = p->word[2], *field = p->word[3], *symmetry = p->word[4];
    NB_TRY(read_signature(p));
    NB_TRY(read_line(p));
    if (p->words > 1 && strcasecmp(p->word[1], "matrix") != 0)
        NB_TRY(nb_fail(NB_ERROR_INPUT, "'%.300s', line 1: the file holds a '%s', expected a 'matrix'", p->name,
                       p->word[1]));
    if (p->words != MOST_WORDS || strcasecmp(p->word[0], "%%MatrixMarket") != 0)
        NB_TRY(bad(p, "expected '%%MatrixMarket matrix coordinate|array real|integer general|symmetric'"));
    p->coordinate = strcasecmp(kind, "coordinate") == 0;
    p->symmetric = strcasecmp(symmetry, "symmetric") == 0;
    if (!p->coordinate && strcasecmp(kind, "array") != 0) NB_TRY(unsupported(p, kind, "coordinate and array"));
    if (strcasecmp(field, "real") != 0 && strcasecmp(field, "double") != 0 && strcasecmp(field, "integer") != 0)
        NB_TRY(unsupported(p, field, "real and integer"));
    if (!p->symmetric && strcasecmp(symmetry, "general") != 0)
        NB_TRY(unsupported(p, symmetry, "general and symmetric"));
out:
    return status;
}

/* a number without sign, of at most 18 digits */
static nb_status read_whole(const parser *p, const char *word, int64_t *whole) {
    size_t digits = strspn(word, "0123456789");
    *whole = 0;
    if (digits == 0 || word[digits] || digits > 18)
        return nb_fail(NB_ERROR_INPUT, "'%.300s', line %lld: '%s' is no number of rows, columns or entries", p->name,
                       (long long)p->line, word);
    *whole = strtoll(word, NULL, 10);
    return NB_OK;
}

/* holds what the header claims against the bytes that are left */
static nb_status check_sizes(parser *p) {
    int64_t left = p->end - p->next, least = p->coordinate ? LEAST_COORDINATE : LEAST_ARRAY;
    int64_t most = (left + 1) / (least + 1);
    if (p->rows < 1 || p->columns < 1 || p->rows >= INT32_MAX || p->columns >= INT32_MAX)
        return nb_fail(NB_ERROR_INPUT, "'%.300s': %lld x %lld: expected 1 to 2^31 - 2 rows and columns", p->name,
                       (long long)p->rows, (long long)p->columns);
    if (p->symmetric && p->rows != p->columns)
        return nb_fail(NB_ERROR_INPUT, "'%.300s': a symmetric matrix of %lld x %lld", p->name, (long long)p->rows,
                       (long long)p->columns);
    if (!p->coordinate) /* below 2^62 */
        p->entries = p->symmetric ? p->rows * (p->rows + 1) / 2 : p->rows * p->columns;
    if (p->entries > most)
        return nb_fail(NB_ERROR_INPUT, "'%.300s' claims %lld entries, but has bytes for %lld at most", p->name,
                       (long long)p->entries, (long long)most);
    if (p->rows > left + EMPTY_LINES || p->columns > left + EMPTY_LINES)
        return nb_fail(NB_ERROR_INPUT, "'%.300s' claims %lld x %lld, out of all proportion to its entries", p->name,
                       (long long)p->rows, (long long)p->columns);
    return NB_OK;
}

/* a line of another number of words than belongs there */
static nb_status check_words(const parser *p, int count, const char *what) {
    if (p->words == count) return NB_OK;
    return nb_fail(NB_ERROR_INPUT, "'%.300s', line %lld: expected %s, found %d word%s", p->name, (long long)p->line,
                   what, p->words, p->words == 1 ? "" : "s");
}

static nb_status read_sizes(parser *p) {
    nb_status status;
    NB_TRY(read_content(p));
    NB_TRY(check_words(p, p->coordinate ? 3 : 2, p->coordinate ? "rows, columns and entries" : "rows and columns"));
    NB_TRY(read_whole(p, p->word[0], &p->rows));
    NB_TRY(read_whole(p, p->word[1], &p->columns));
    if (p->coordinate) NB_TRY(read_whole(p, p->word[2], &p->entries));
    NB_TRY(check_sizes(p));
out:
    return status;
}

/* Fortran has a D before the exponent of what it takes for a double. */
static nb_status read_number(const parser *p, const char *word, double *value) {
    char text[WORD], *end;
    snprintf(text, sizeof text, "%s", word);
    char *exponent = strpbrk(text, "dD");
    if (exponent) *exponent = 'e';
    *value = strtod(text, &end);
    if (end == text || *end || text[strspn(text, "+-.0123456789eE")])
        return nb_fail(NB_ERROR_INPUT, "'%.300s', line %lld: '%s' is no number", p->name, (long long)p->line, word);
    if (!isfinite(*value))
        return nb_fail(NB_ERROR_INPUT, "'%.300s', line %lld: %s overflows", p->name, (long long)p->line, word);
    return NB_OK;
}

static nb_status read_index(const parser *p, const char *word, int64_t limit, int32_t *index) {
    int64_t whole;
    nb_status status = read_whole(p, word, &whole);
    if (status != NB_OK) return status;
    if (whole < 1 || whole > limit)
        return nb_fail(NB_ERROR_INPUT, "'%.300s', line %lld: index %lld is outside 1 to %lld", p->name,
                       (long long)p->line, (long long)whole, (long long)limit);
    *index = (int32_t)(whole - 1);
    return NB_OK;
}

static void add_entry(parser *p, int32_t row, int32_t column, double value) {
    p->row[p->filled] = row;
    p->column[p->filled] = column;
    p->value[p->filled++] = value;
    if (!p->symmetric || row == column) return;
    p->row[p->filled] = column;
    p->column[p->filled] = row;
    p->value[p->filled++] = value;
}

static nb_status read_entries(parser *p) {
    nb_status status = NB_OK;
    int32_t row = 0, column = 0; /* of an array: column by column, from the diagonal where it is symmetric */
    int expected = p->coordinate ? 3 : 1;
    for (int64_t k = 0; k < p->entries; k++) {
        double value;
        NB_TRY(nb_interrupt_check());
        NB_TRY(read_content(p));
        if (p->words == 0)
            NB_TRY(nb_fail(NB_ERROR_INPUT, "'%.300s' ends after %lld of %lld entries", p->name, (long long)k,
                           (long long)p->entries));
        NB_TRY(check_words(p, expected, p->coordinate ? "row, column, value" : "one value"));
        if (p->coordinate) NB_TRY(read_index(p, p->word[0], p->rows, &row));
        if (p->coordinate) NB_TRY(read_index(p, p->word[1], p->columns, &column));
        if (p->coordinate && p->symmetric && row < column)
            NB_TRY(bad(p, "an entry above the diagonal of a symmetric matrix, which keeps its lower triangle alone"));
        NB_TRY(read_number(p, p->word[expected - 1], &value));
        add_entry(p, row, column, value);
        if (p->coordinate || ++row < p->rows) continue;
        column++;
        row = p->symmetric ? column : 0;
    }
    NB_TRY(read_content(p));
    if (p->words != 0) NB_TRY(bad(p, "more entries than the header says"));
out:
    return status;
}

/* the sums of entries that stand twice may overflow */
static nb_status check_sums(const parser *p, const nb_csr_f64 *matrix) {
    for (int64_t k = 0; k < matrix->start[matrix->rows]; k++)
        if (!isfinite(matrix->value[k]))
            return nb_fail(NB_ERROR_INPUT, "'%.300s': entries at the same place overflow in column %d", p->name,
                           (int)matrix->column[k] + 1);
    return NB_OK;
}

nb_status nb_matrix_market_parse(const char *data, int64_t size, const char *name, nb_csr_f64 **matrix) {
    nb_status status;
    parser p = {.name = name, .next = data, .end = data + size};
    *matrix = NULL;
    NB_TRY(read_banner(&p));
    NB_TRY(read_sizes(&p));
    p.count = p.symmetric ? 2 * p.entries : p.entries;
    NB_TRY(NB_ALLOCATE(p.count, &p.row));
    NB_TRY(NB_ALLOCATE(p.count, &p.column));
    NB_TRY(NB_ALLOCATE(p.count, &p.value));
    NB_TRY(read_entries(&p));
    NB_TRY(nb_csr_from_triplets_f64((int32_t)p.rows, (int32_t)p.columns, p.filled, p.row, p.column, p.value, matrix));
    NB_TRY(check_sums(&p, *matrix));
out:
    nb_free(p.row);
    nb_free(p.column);
    nb_free(p.value);
    if (status != NB_OK) {
        nb_csr_destroy_f64(*matrix);
        *matrix = NULL;
    }
    return status;
}

nb_status nb_matrix_market_read(const char *path, nb_csr_f64 **matrix) {
    nb_status status;
    char *data = NULL;
    int64_t size;
    *matrix = NULL;
    NB_TRY(nb_bytes_read(path, &data, &size));
    NB_TRY(nb_matrix_market_parse(data, size, path, matrix));
out:
    nb_free(data);
    return status;
}
