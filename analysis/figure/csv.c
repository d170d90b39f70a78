#include "figure/csv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "text/plain.h"

static void write_names(const nb_record_table *table, FILE *file) {
    fputs("figure,panel,curve", file);
    for (int c = 0; c < table->count; c++) fprintf(file, ",%s", table->columns[c].name);
    fputc('\n', file);
}

/* made plain, in quotes where a comma or a quote would end it */
static void write_cell(const char *text, FILE *file) {
    int quoted = strpbrk(text, ",\"") != NULL;
    if (quoted) fputc('"', file);
    for (size_t part; *text; text += part + (text[part] == '"')) {
        part = strcspn(text, "\"");
        nb_print(file, text[part] ? "%.*s\"\"" : "%.*s", (int)part, text);
    }
    if (quoted) fputc('"', file);
}

static const char *curve_name(const nb_record_table *table, const nb_figure_runs *runs, int panel, int series) {
    if (runs->panel_count > 0) return runs->series_name[panel][series];
    return table->made->curves[series];
}

/* whether the row has no numbers at all: its curve is not there */
static int is_absent(const char *row) {
    while (strncmp(row, "nan\t", 4) == 0) row += 4;
    return strcmp(row, "nan\n") == 0;
}

static void write_row(const char *figure, const nb_record_table *table, const nb_figure_runs *runs, int panel,
                      int series, char *row, FILE *file) {
    char *rest;
    if (is_absent(row)) return;
    write_cell(figure, file);
    fputc(',', file);
    write_cell(runs->panel_count > 0 ? runs->panel_name[panel] : "", file);
    fputc(',', file);
    write_cell(curve_name(table, runs, panel, series), file);
    for (char *cell = strtok_r(row, "\t\n", &rest); cell; cell = strtok_r(NULL, "\t\n", &rest)) {
        fputc(',', file);
        write_cell(strcmp(cell, "nan") == 0 || strcmp(cell, "-nan") == 0 ? "" : cell, file);
    }
    fputc('\n', file);
}

static nb_status add_panel(const char *figure, const nb_record_table *table, const nb_figure_runs *runs, int panel,
                           const char *folder, FILE *file) {
    char path[320], row[4096];
    int series = 0, rows = 0;
    snprintf(path, sizeof path, "%s/panel_%d.tsv", folder, panel + 1);
    FILE *data = fopen(path, "r");
    if (!data) return nb_fail(NB_ERROR_IO, "cannot read '%s': %s", path, strerror(errno));
    while (fgets(row, sizeof row, data)) {
        if (row[0] != '\n') {
            write_row(figure, table, runs, panel, series, row, file);
            rows++;
        } else if (rows > 0) { /* the first of the two blank lines after a series */
            series++;
            rows = 0;
        }
    }
    fclose(data);
    return NB_OK;
}

nb_status nb_figure_csv(const char *figure, const nb_record_table *table, const nb_figure_runs *runs,
                        const char *folder, char **text) {
    size_t size;
    nb_status status = NB_OK;
    FILE *file = open_memstream(text, &size);
    if (!file) return nb_fail(NB_ERROR_MEMORY, "out of memory for a figure's table");
    write_names(table, file);
    for (int p = 0; p < (runs->panel_count > 0 ? runs->panel_count : 1) && status == NB_OK; p++)
        status = add_panel(figure, table, runs, p, folder, file);
    int failed = ferror(file);
    if (fclose(file) != 0 || failed) status = nb_fail(NB_ERROR_MEMORY, "out of memory for a figure's table");
    return status;
}
