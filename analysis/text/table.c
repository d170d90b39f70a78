#include "text/table.h"

#include <stdarg.h>
#include <string.h>

#include "base/memory.h"
#include "text/plain.h"

struct nb_table {
    int columns;
    char **titles;
    int *widths; /* negative: aligned to the left, as printf has it */
    char **cells;
    int64_t cell_count, cell_capacity;
    int headed; /* the titles are printed */
    int tabs;
    nb_status fault;
};

nb_status nb_table_create(int columns, const char *const *titles, nb_table **created) {
    nb_table *table = NULL;
    nb_status status;
    NB_TRY(NB_ALLOCATE(1, &table));
    NB_TRY(NB_ALLOCATE(columns, &table->titles));
    NB_TRY(NB_ALLOCATE(columns, &table->widths));
    table->columns = columns;
    for (int i = 0; i < columns; i++) {
        int right = titles[i][0] == '>';
        NB_TRY(nb_copy_text(titles[i] + right, &table->titles[i]));
        table->widths[i] = right ? 1 : -1;
        nb_table_widen(table, i, table->titles[i]);
    }
out:
    if (status != NB_OK) {
        nb_table_destroy(table);
        table = NULL;
    }
    *created = table;
    return status;
}

void nb_table_use_tabs(nb_table *table) {
    table->tabs = 1;
}

void nb_table_widen(nb_table *table, int column, const char *text) {
    int length = (int)strlen(text), sign = table->widths[column] < 0 ? -1 : 1;
    if (length > sign * table->widths[column]) table->widths[column] = sign * length;
}

void nb_table_cell(nb_table *table, const char *format, ...) {
    char formatted[1024], text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(formatted, sizeof formatted, format, arguments);
    va_end(arguments);
    nb_text_plain(formatted, text, sizeof text);
    if (table->fault != NB_OK) return;
    table->fault = NB_RESERVE(table->cell_count + 1, &table->cell_capacity, &table->cells);
    if (table->fault == NB_OK) table->fault = nb_copy_text(text, &table->cells[table->cell_count]);
    if (table->fault != NB_OK) return;
    nb_table_widen(table, (int)(table->cell_count % table->columns), text);
    table->cell_count++;
}

static void print_row(const nb_table *table, char *const *cells, FILE *stream) {
    for (int i = 0; i < table->columns; i++) {
        int last_left = i == table->columns - 1 && table->widths[i] < 0; /* no blanks at the end of a line */
        int width = last_left || table->tabs ? 0 : table->widths[i];
        fprintf(stream, "%s%*s", i == 0 ? "" : table->tabs ? "\t" : "  ", width, cells[i]);
    }
    fputc('\n', stream);
}

nb_status nb_table_print(nb_table *table, FILE *stream) {
    if (table->fault != NB_OK) return table->fault;
    if (!table->headed) print_row(table, table->titles, stream);
    table->headed = 1;
    for (int64_t i = 0; i + table->columns <= table->cell_count; i += table->columns)
        print_row(table, &table->cells[i], stream);
    for (int64_t i = 0; i < table->cell_count; i++) nb_free(table->cells[i]);
    table->cell_count = 0;
    return NB_OK;
}

void nb_table_destroy(nb_table *table) {
    if (!table) return;
    for (int i = 0; table->titles && i < table->columns; i++) nb_free(table->titles[i]);
    for (int64_t i = 0; i < table->cell_count; i++) nb_free(table->cells[i]);
    nb_free(table->titles);
    nb_free(table->widths);
    nb_free(table->cells);
    nb_free(table);
}
