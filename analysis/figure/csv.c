#include "figure/csv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SUMMARY                                                                                         \
    "scenario bodies joints tetrahedra contacts largest_island newton_iterations linear_iterations "    \
    "assembly_ms assembly_iqr_ms solve_ms solve_iqr_ms assembly_quarter_ms assembly_three_quarters_ms " \
    "solve_quarter_ms solve_three_quarters_ms both_ms both_quarter_ms both_three_quarters_ms repetitions"

/* the columns of each kind of data, as figure/data.h has them */
static const char *const columns[][2] = {
    {"linear", "iteration residual_l2_over_start preconditioned_residual_over_start"},
    {"quartiles", "iteration natural_map_error_least natural_map_error_quarter natural_map_error_median "
                  "natural_map_error_three_quarters natural_map_error_most complementarity_error_least "
                  "complementarity_error_quarter complementarity_error_median complementarity_error_three_quarters "
                  "complementarity_error_most"},
    {"summary", SUMMARY},
    {"cost", SUMMARY},
    {"reach", "steps contacts natural_map_error_most steps_to_1e-6 iterations_to_1e-6 factorisations_to_1e-6 "
              "linear_iterations_to_1e-6 ms_to_1e-6 steps_to_1e-8 iterations_to_1e-8 factorisations_to_1e-8 "
              "linear_iterations_to_1e-8 ms_to_1e-8"},
    {"profile", "cost share share_low share_high"},
    {"devices", "contacts time_us least_us most_us limit_us"},
    {"scene", "time_s top_m penetration_m penetration_so_far_m"},
    {"friction", "force_n compliance error"},
    {"scaling", "lambda error"},
};

/* curves of what needs no record */
static const char *const friction_curves[] = {"fischer-burmeister", "minimum-map"};
static const char *const scaling_curves[] = {"fischer-burmeister r=1", "fischer-burmeister r=1/4", "minimum-map r=1",
                                             "minimum-map r=1/4"};

static void write_names(const nb_figure_script *script, const nb_figure_runs *runs, FILE *file) {
    fputs("figure,panel,curve", file);
    if (strcmp(script->data, "newton") == 0) {
        fputs(",iteration", file);
        for (int c = 0; c < NB_NEWTON_COLUMNS; c++) fprintf(file, ",%s", nb_newton_columns[c].name);
    }
    if (strcmp(script->data, "convergence") == 0)
        fprintf(file, ",iteration,operator_applications,time_ms,%s",
                runs->linear ? nb_linear_columns[runs->column].name : nb_newton_columns[runs->column].name);
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        if (strcmp(columns[i][0], script->data) == 0)
            for (const char *c = columns[i][1]; *c;) {
                size_t length = strcspn(c, " ");
                fprintf(file, ",%.*s", (int)length, c);
                c += length + (c[length] == ' ');
            }
    fputc('\n', file);
}

/* in quotes where a comma or a quote would end it */
static void write_cell(const char *text, FILE *file) {
    if (!strpbrk(text, ",\"\n")) {
        fputs(text, file);
        return;
    }
    fputc('"', file);
    for (; *text; text++) fprintf(file, *text == '"' ? "\"%c" : "%c", *text);
    fputc('"', file);
}

static const char *curve_name(const nb_figure_script *script, const nb_figure_runs *runs, int panel, int series) {
    if (runs->panel_count > 0) return runs->series_name[panel][series];
    return strcmp(script->data, "friction") == 0 ? friction_curves[series % 2] : scaling_curves[series % 4];
}

static void write_row(const nb_figure_script *script, const nb_figure_runs *runs, int panel, int series, char *row,
                      FILE *file) {
    char *rest;
    if (strncmp(row, "nan\tnan\tnan", 11) == 0 || strcmp(row, "nan\n") == 0) return; /* a curve that is not there */
    write_cell(script->type.name, file);
    fputc(',', file);
    write_cell(runs->panel_count > 0 ? runs->panel_name[panel] : "", file);
    fputc(',', file);
    write_cell(curve_name(script, runs, panel, series), file);
    for (char *cell = strtok_r(row, "\t\n", &rest); cell; cell = strtok_r(NULL, "\t\n", &rest)) {
        fputc(',', file);
        write_cell(strcmp(cell, "nan") == 0 || strcmp(cell, "-nan") == 0 ? "" : cell, file);
    }
    fputc('\n', file);
}

static nb_status add_panel(const nb_figure_script *script, const nb_figure_runs *runs, int panel, const char *folder,
                           FILE *file) {
    char path[320], row[4096];
    int series = 0, rows = 0;
    snprintf(path, sizeof path, "%s/panel_%d.tsv", folder, panel + 1);
    FILE *data = fopen(path, "r");
    if (!data) return nb_fail(NB_ERROR_IO, "cannot read '%s': %s", path, strerror(errno));
    while (fgets(row, sizeof row, data)) {
        if (row[0] != '\n') {
            write_row(script, runs, panel, series, row, file);
            rows++;
        } else if (rows > 0) { /* the first of the two blank lines after a series */
            series++;
            rows = 0;
        }
    }
    fclose(data);
    return NB_OK;
}

nb_status nb_figure_csv(const nb_figure_script *script, const nb_figure_runs *runs, const char *folder, char **text) {
    size_t size;
    nb_status status = NB_OK;
    FILE *file = open_memstream(text, &size);
    if (!file) return nb_fail(NB_ERROR_MEMORY, "out of memory for a figure's table");
    write_names(script, runs, file);
    for (int p = 0; p < (runs->panel_count > 0 ? runs->panel_count : 1) && status == NB_OK; p++)
        status = add_panel(script, runs, p, folder, file);
    int failed = ferror(file);
    if (fclose(file) != 0 || failed) status = nb_fail(NB_ERROR_MEMORY, "out of memory for a figure's table");
    return status;
}
