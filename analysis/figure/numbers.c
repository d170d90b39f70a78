#include "figure/numbers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* the numbers of a panel's table; NaN where a cell is none */
typedef struct cells {
    double *x; /* [rows][columns], owned */
    int64_t rows, capacity;
    int columns;
} cells;

static nb_status add_row(cells *c, const char *line) {
    nb_status status = NB_RESERVE((c->rows + 1) * c->columns, &c->capacity, &c->x);
    if (status != NB_OK) return status;
    for (int k = 0; k < c->columns; k++) {
        char *end;
        double x = strtod(line, &end);
        const int number = end > line && strchr("\t\n", *end) && isfinite(x);
        c->x[c->rows * c->columns + k] = number ? x : (double)NAN;
        line += strcspn(line, "\t\n");
        line += *line == '\t';
    }
    c->rows++;
    return NB_OK;
}

/* Low and high: of the numbers that a logarithmic axis shows. */
enum {
    FIRST,
    LEAST,
    MOST,
    SUM,
    LOW,
    HIGH,
    STATISTICS
};
static const char *const statistic_names[STATISTICS] = {"first", "least", "most", "sum", "low", "high"};

/* the statistics of a column from row `from` on; returns how many numbers it has */
static int64_t sum_column(const cells *c, int64_t from, int column, double of[STATISTICS]) {
    int64_t count = 0;
    for (int64_t i = from; i < c->rows; i++) {
        const double x = c->x[i * c->columns + column];
        const int drawn = x > 1e-16 && x < 1e30;
        if (isnan(x)) continue;
        if (count++ == 0) memcpy(of, (double[STATISTICS]){x, x, x, 0, INFINITY, -INFINITY}, STATISTICS * sizeof *of);
        of[LEAST] = fmin(of[LEAST], x);
        of[MOST] = fmax(of[MOST], x);
        of[SUM] += x;
        if (drawn) of[LOW] = fmin(of[LOW], x);
        if (drawn) of[HIGH] = fmax(of[HIGH], x);
    }
    return count;
}

/* has_P_S_C, has_P_S and the statistics of the rows from `from` on */
static void write_columns(int panel, int series, const cells *c, int64_t from, FILE *file) {
    int any = 0;
    for (int k = 0; k < c->columns; k++) {
        double of[STATISTICS];
        if (sum_column(c, from, k, of) == 0) continue;
        fprintf(file, "has_%d_%d_%d = 1\n", panel, series, k + 1);
        any |= k > 0;
        for (int s = 0; s < STATISTICS; s++)
            if (isfinite(of[s]))
                fprintf(file, "%s_%d_%d_%d = %#.17g\n", statistic_names[s], panel, series, k + 1, of[s]);
    }
    if (any) fprintf(file, "has_%d_%d = 1\n", panel, series);
}

static void write_last(int panel, int series, const cells *c, FILE *file) {
    for (int k = 0; k < c->columns; k++) {
        const double x = c->x[(c->rows - 1) * c->columns + k];
        fprintf(file, isfinite(x) ? "last_%d_%d_%d = %.9g\n" : "last_%d_%d_%d = NaN\n", panel, series, k + 1, x);
    }
}

/* a panel's table, and what is told of it */
typedef struct panel {
    const nb_record_table *table;
    const nb_figure_runs *runs;
    nb_row_number numbers[NB_ROW_NUMBERS];
    int number_count, place; /* place: of the panel, from 1 */
    cells cells;
} panel;

static nb_status write_series(const panel *p, int series, int64_t from, FILE *file) {
    double values[NB_ROW_NUMBERS];
    const nb_run *run = series > 0 && p->place <= p->runs->panel_count ? p->runs->run[p->place - 1][series - 1] : NULL;
    const nb_status status = nb_row_numbers_take(p->numbers, p->number_count, p->table, run ? &run->info : NULL,
                                                 p->cells.x + from * p->cells.columns, p->cells.rows - from, values);
    if (status != NB_OK) return status;
    write_columns(p->place, series, &p->cells, from, file);
    for (int i = 0; i < p->number_count; i++)
        if (isfinite(values[i]))
            fprintf(file, "number_%s_%d_%d = %#.17g\n", p->numbers[i].name, p->place, series, values[i]);
    if (series == 0) return NB_OK;
    fprintf(file, "rows_%d_%d = %lld\n", p->place, series, (long long)(p->cells.rows - from));
    write_last(p->place, series, &p->cells, file);
    return NB_OK;
}

static nb_status write_panel(panel *p, FILE *table, FILE *file) {
    nb_status status = NB_OK;
    char line[2048];
    int series = 0;
    int64_t from = 0;
    p->cells.rows = 0;
    while (fgets(line, sizeof line, table)) {
        if (line[0] != '\n') {
            NB_TRY(add_row(&p->cells, line));
        } else if (p->cells.rows > from) { /* the first of the two blank lines after a series */
            NB_TRY(write_series(p, ++series, from, file));
            from = p->cells.rows;
        }
    }
    status = write_series(p, 0, 0, file);
out:
    return status;
}

nb_status nb_figure_write_numbers(const nb_figure_script *script, const nb_record_table *table,
                                  const nb_figure_runs *runs, const char *folder, FILE *file) {
    panel p = {.table = table, .runs = runs, .cells.columns = table->count};
    nb_status status = nb_script_read_numbers(script, p.numbers, &p.number_count);
    for (p.place = 1; status == NB_OK && (p.place == 1 || p.place <= runs->panel_count); p.place++) {
        char path[320];
        snprintf(path, sizeof path, "%s/panel_%d.tsv", folder, p.place);
        FILE *rows = fopen(path, "r");
        if (!rows) break; /* pictures have no table */
        status = write_panel(&p, rows, file);
        fclose(rows);
    }
    nb_free(p.cells.x);
    return status;
}
