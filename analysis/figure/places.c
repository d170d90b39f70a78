#include "figure/places.h"

#include <math.h>

#include "statistics/largest_words.h"
#include "text/table.h"

static void add_count(nb_table *table, double count) {
    if (isnan(count))
        nb_table_cell(table, "-");
    else
        nb_table_cell(table, "%.0f", count);
}

static void add_run(const nb_record_table *drawn, const nb_run *run, const char *panel, const char *curve,
                    nb_table *table) {
    const nb_rows rows = nb_rows_of_table(drawn, run);
    for (int64_t i = 0; i < rows.count; i++) {
        const int64_t row = (rows.first - run->newton) / rows.width + i;
        char place[160];
        nb_largest_words(run, row, place, sizeof place);
        nb_table_cell(table, "%s", panel);
        nb_table_cell(table, "%s", curve);
        nb_table_cell(table, "%lld", (long long)i);
        nb_table_cell(table, "%.3g", nb_run_newton_row(run, row)[NB_NEWTON_NATURAL_MAP_ERROR]);
        nb_table_cell(table, "%s", *place ? place : "-");
        for (int c = NB_PLACE_OPEN; c <= NB_PLACE_CHANGED; c++)
            add_count(table, nb_largest_number(run, row, (nb_place_column)c));
    }
}

nb_status nb_figure_print_places(const nb_record_table *drawn, const nb_figure_runs *runs, FILE *stream) {
    static const char *const titles[] = {"scenario",           "curve",         ">iteration",
                                         ">natural map [m/s]", "largest error", ">open",
                                         ">sticking",          ">sliding",      ">changed"};
    nb_table *table;
    nb_status status;
    int any = 0;
    if (drawn->rows != NB_ROWS_NEWTON || drawn->made || drawn->all_steps) return NB_OK;
    status = nb_table_create(sizeof titles / sizeof *titles, titles, &table);
    for (int p = 0; p < runs->panel_count && status == NB_OK; p++)
        for (int s = 0; s < runs->series_count[p]; s++) {
            const nb_run *run = runs->run[p][s];
            if (!run || !nb_run_has_newton_numbers(run, nb_place_columns[NB_PLACE_KIND].name)) continue;
            add_run(drawn, run, runs->panel_name[p], runs->series_name[p][s], table);
            any = 1;
        }
    if (status == NB_OK && any) status = nb_table_print(table, stream);
    nb_table_destroy(table);
    return status;
}
