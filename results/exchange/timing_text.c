#include "exchange/timing_text.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "record/partial.h"

#define COLUMNS (nb_timing_members.count - 1) /* without the samples, which are the last */

enum {
    MOST_BYTES = 1 << 27,
    MOST_FIELDS = 64,
    MOST_TEXT = 65536
};

static const char mark[] = "ncpbench-timings";
static const char escaped[] = "\t\n\r\\", letters[] = "tnr\\";

/* ---- writing ---- */

static void write_text(const char *text, FILE *file) {
    for (; *text; text++) {
        const char *found = strchr(escaped, *text);
        if (found) putc('\\', file);
        putc(found ? letters[found - escaped] : *text, file);
    }
}

static void write_field(const char *name, const char *value, FILE *file) {
    fprintf(file, "# %s\t", name);
    write_text(value, file);
    putc('\n', file);
}

static void write_head(const nb_timing_text *text, FILE *file) {
    char value[2048];
    write_field(mark, "1", file);
    write_field("title", text->title, file);
    write_field("command", text->command, file);
    write_field("created", text->created, file);
    for (int i = 0; i < nb_provenance_members.count; i++) {
        nb_member_text(&nb_provenance_members.items[i], &text->provenance, 17, value, sizeof value);
        write_field(nb_provenance_members.items[i].name, value, file);
    }
    for (int c = 0; c < COLUMNS; c++) fprintf(file, "%s\t", nb_timing_members.items[c].name);
    for (int i = 0; i < NB_TIMING_SAMPLES; i++)
        fprintf(file, "sample_%d%c", i, i + 1 < NB_TIMING_SAMPLES ? '\t' : '\n');
}

static void write_row(const nb_timing *row, FILE *file) {
    for (int c = 0; c < COLUMNS; c++) {
        const nb_member *column = &nb_timing_members.items[c];
        const char *member = (const char *)row + column->offset;
        int32_t integer;
        double number;
        switch (column->kind) {
        case NB_MEMBER_TEXT: write_text(member, file); break;
        case NB_MEMBER_INT32:
            memcpy(&integer, member, sizeof integer);
            fprintf(file, "%d", (int)integer);
            break;
        case NB_MEMBER_REAL:
            memcpy(&number, member, sizeof number);
            fprintf(file, "%.17g", number);
            break;
        default: break;
        }
        putc('\t', file);
    }
    for (int i = 0; i < NB_TIMING_SAMPLES; i++)
        fprintf(file, "%.17g%c", row->samples[i], i + 1 < NB_TIMING_SAMPLES ? '\t' : '\n');
}

nb_status nb_timing_text_write(const char *path, const nb_timing_text *text) {
    char *partial;
    nb_status status = nb_partial_begin(path, &partial);
    if (status != NB_OK) return status;
    FILE *file = fopen(partial, "w");
    if (!file) {
        status = nb_fail(NB_ERROR_IO, "cannot write '%.300s': %s", path, strerror(errno));
        nb_free(partial);
        return status;
    }
    write_head(text, file);
    for (int64_t i = 0; i < text->count; i++) write_row(&text->rows[i], file);
    int failed = ferror(file);
    if (fclose(file) != 0 || failed) status = nb_fail(NB_ERROR_IO, "cannot write '%.300s': %s", path, strerror(errno));
    status = nb_partial_end(status, partial, path);
    nb_free(partial);
    return status;
}

/* ---- reading ---- */

/* a text being read, cut up in place */
typedef struct reading {
    const char *path;
    char *rest; /* the lines that are still to come */
    int line;   /* the number of the last one, from 1 */
    nb_timing_text *text;
    char seen[3 + MOST_FIELDS]; /* title, command, created, fields: 1 where they were read */
    int64_t capacity;
} reading;

static nb_status refuse(const reading *r, const char *what, const char *detail) {
    return nb_fail(NB_ERROR_INPUT, "'%.200s', line %d: %s '%.60s'", r->path, r->line, what, detail);
}

/* The whole file with a closing zero. */
static nb_status read_bytes(const char *path, char **bytes) {
    struct stat info;
    nb_status status = NB_OK;
    FILE *file = fopen(path, "rb");
    *bytes = NULL;
    if (!file) return nb_fail(NB_ERROR_IO, "cannot read '%.300s': %s", path, strerror(errno));
    if (fstat(fileno(file), &info) != 0 || !S_ISREG(info.st_mode))
        NB_TRY(nb_fail(NB_ERROR_IO, "cannot read '%.300s': it is no regular file", path));
    if (info.st_size > MOST_BYTES)
        NB_TRY(nb_fail(NB_ERROR_INPUT, "'%.200s': %lld bytes are no text of timings", path, (long long)info.st_size));
    NB_TRY(NB_ALLOCATE(info.st_size + 1, bytes));
    if (fread(*bytes, 1, (size_t)info.st_size, file) != (size_t)info.st_size)
        NB_TRY(nb_fail(NB_ERROR_IO, "cannot read '%.300s': it ends early", path));
    if (memchr(*bytes, 0, (size_t)info.st_size))
        NB_TRY(nb_fail(NB_ERROR_INPUT, "'%.200s': no text of timings (it has a byte 0)", path));
out:
    fclose(file);
    return status;
}

/* the next line without its end; NULL after the last */
static char *next_line(reading *r) {
    char *line = r->rest;
    if (!line || !*line) return NULL;
    r->rest = strchr(line, '\n');
    if (r->rest) *r->rest++ = 0;
    size_t length = strlen(line);
    if (length > 0 && line[length - 1] == '\r') line[length - 1] = 0; /* a copy through other systems */
    r->line++;
    return line;
}

/* undoes the escapes of a cell in place */
static nb_status unescape(const reading *r, char *cell) {
    char *to = cell;
    for (const char *from = cell; *from; from++) {
        if (*from != '\\') {
            *to++ = *from;
            continue;
        }
        const char *letter = from[1] ? strchr(letters, from[1]) : NULL;
        if (!letter) return refuse(r, "no such escape:", from);
        *to++ = escaped[letter - letters];
        from++;
    }
    *to = 0;
    return NB_OK;
}

static nb_status read_cell_text(const reading *r, char *cell, char *to, size_t size) {
    nb_status status = unescape(r, cell);
    if (status != NB_OK) return status;
    if (strlen(cell) >= size) return refuse(r, "too long a text:", cell);
    memcpy(to, cell, strlen(cell) + 1);
    return NB_OK;
}

static nb_status read_integer(const reading *r, const char *cell, int32_t *to) {
    char *end;
    errno = 0;
    long value = strtol(cell, &end, 10);
    if (end == cell || *end || errno || value < INT32_MIN || value > INT32_MAX)
        return refuse(r, "no whole number that fits:", cell);
    *to = (int32_t)value;
    return NB_OK;
}

static nb_status read_number(const reading *r, const char *cell, double *to) {
    char *end;
    *to = strtod(cell, &end);
    return end == cell || *end ? refuse(r, "no number:", cell) : NB_OK;
}

static nb_status read_field(const reading *r, const nb_member *field, char *cell, char *member) {
    double number = 0;
    int32_t integer = 0;
    nb_status status = NB_OK;
    switch (field->kind) {
    case NB_MEMBER_TEXT: return read_cell_text(r, cell, member, field->size);
    case NB_MEMBER_REAL:
        status = read_number(r, cell, &number);
        memcpy(member, &number, sizeof number);
        break;
    case NB_MEMBER_INT32:
        status = read_integer(r, cell, &integer);
        memcpy(member, &integer, sizeof integer);
        break;
    case NB_MEMBER_UINT64: {
        char *end;
        errno = 0;
        uint64_t value = strtoull(cell, &end, 10);
        if (*cell < '0' || *cell > '9' || *end || errno) return refuse(r, "no whole number that fits:", cell);
        memcpy(member, &value, sizeof value);
        break;
    }
    default: break;
    }
    return status;
}

/* a text of any length */
static nb_status read_long_text(const reading *r, char *cell, char **to) {
    nb_status status = unescape(r, cell);
    if (status != NB_OK) return status;
    if (strlen(cell) >= MOST_TEXT) return refuse(r, "too long a text:", cell);
    return nb_copy_text(cell, to);
}

/* "# name\tvalue" */
static nb_status read_head_line(reading *r, char *line) {
    char *name = line + 2, *value = strchr(line, '\t');
    int place = -1;
    if (strncmp(line, "# ", 2) != 0 || !value) return refuse(r, "no '# name', tab and value:", line);
    *value++ = 0;
    if (strcmp(name, "title") == 0) place = 0;
    if (strcmp(name, "command") == 0) place = 1;
    if (strcmp(name, "created") == 0) place = 2;
    for (int i = 0; i < nb_provenance_members.count; i++)
        if (strcmp(name, nb_provenance_members.items[i].name) == 0) place = 3 + i;
    if (place < 0) return refuse(r, "an unknown field:", name);
    if (r->seen[place]) return refuse(r, "given twice:", name);
    r->seen[place] = 1;
    if (place == 0) return read_long_text(r, value, &r->text->title);
    if (place == 1) return read_long_text(r, value, &r->text->command);
    if (place == 2) return read_cell_text(r, value, r->text->created, sizeof r->text->created);
    const nb_member *field = &nb_provenance_members.items[place - 3];
    return read_field(r, field, value, (char *)&r->text->provenance + field->offset);
}

static nb_status check_seen(const reading *r) {
    static const char *const others[3] = {"title", "command", "created"};
    for (int i = 0; i < 3 + nb_provenance_members.count; i++) {
        if (r->seen[i]) continue;
        return nb_fail(NB_ERROR_INPUT, "'%.200s': the field '%s' is missing", r->path,
                       i < 3 ? others[i] : nb_provenance_members.items[i - 3].name);
    }
    return NB_OK;
}

/* cuts a line at its tabs; as many cells as columns */
static nb_status cut(const reading *r, char *line, int count, char *cells[]) {
    for (int i = 0; i < count; i++) {
        cells[i] = line;
        char *tab = strchr(line, '\t');
        if (!tab != (i == count - 1))
            return nb_fail(NB_ERROR_INPUT, "'%.200s', line %d: %s than %d cells", r->path, r->line,
                           tab ? "more" : "fewer", count);
        if (tab) *tab = 0, line = tab + 1;
    }
    return NB_OK;
}

enum {
    MOST_CELLS = 32 + NB_TIMING_SAMPLES
};

static nb_status check_titles(reading *r, char *line) {
    char *cells[MOST_CELLS], name[32];
    int columns = COLUMNS, count = columns + NB_TIMING_SAMPLES;
    nb_status status = cut(r, line, count, cells);
    for (int i = 0; status == NB_OK && i < count; i++) {
        snprintf(name, sizeof name, "sample_%d", i - columns);
        if (strcmp(cells[i], i < columns ? nb_timing_members.items[i].name : name) != 0)
            status = refuse(r, "a column of another name:", cells[i]);
    }
    return status;
}

static nb_status read_row(reading *r, char *line) {
    nb_status status;
    char *cells[MOST_CELLS];
    if (r->text->count == NB_TIMING_MOST_ROWS) return refuse(r, "too many rows:", line);
    int place = 0;
    NB_TRY(cut(r, line, COLUMNS + NB_TIMING_SAMPLES, cells));
    NB_TRY(NB_RESERVE(r->text->count + 1, &r->capacity, &r->text->rows));
    nb_timing *row = &r->text->rows[r->text->count];
    memset(row, 0, sizeof *row);
    for (int c = 0; c < COLUMNS; c++) {
        const nb_member *column = &nb_timing_members.items[c];
        NB_TRY(read_field(r, column, cells[place++], (char *)row + column->offset));
    }
    for (int i = 0; i < NB_TIMING_SAMPLES; i++) NB_TRY(read_number(r, cells[place + i], &row->samples[i]));
    if (nb_timings_check(row, 1) != NB_OK)
        return refuse(r, "contacts, scenes, threads or count of samples make no sense:", cells[0]);
    r->text->count++;
out:
    return status;
}

static nb_status read_lines(reading *r) {
    nb_status status = NB_OK;
    char *line = next_line(r);
    if (!line || strncmp(line, "# ", 2) != 0 || strncmp(line + 2, mark, sizeof mark - 1) != 0)
        return nb_fail(NB_ERROR_INPUT, "'%.200s': no text of timings (its first line is not '# %s')", r->path, mark);
    if (strcmp(line + 2 + sizeof mark - 1, "\t1") != 0) return refuse(r, "this program reads version 1:", line);
    while ((line = next_line(r)) && *line == '#') NB_TRY(read_head_line(r, line));
    NB_TRY(check_seen(r));
    if (!line) NB_TRY(nb_fail(NB_ERROR_INPUT, "'%.200s': the table is missing", r->path));
    NB_TRY(check_titles(r, line));
    while ((line = next_line(r))) NB_TRY(read_row(r, line));
    if (r->text->count == 0) NB_TRY(nb_fail(NB_ERROR_INPUT, "'%.200s': the table has no rows", r->path));
out:
    return status;
}

nb_status nb_timing_text_read(const char *path, nb_timing_text *text) {
    nb_status status;
    char *bytes = NULL;
    reading r = {.path = path, .text = text};
    *text = (nb_timing_text){0};
    NB_TRY(read_bytes(path, &bytes));
    r.rest = bytes;
    NB_TRY(read_lines(&r));
out:
    nb_free(bytes);
    return status;
}

void nb_timing_text_clear(nb_timing_text *text) {
    nb_free(text->title);
    nb_free(text->command);
    nb_free(text->rows);
    *text = (nb_timing_text){0};
}
