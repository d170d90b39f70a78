#include "figure/quantity.h"

#include <stdio.h>
#include <string.h>

#include "table/outcome.h"

static const nb_column relative_residual = {
    .name = "relative_residual", .units = "1", .long_name = "2-norm of the true residual b - A x over that of b"};

/* the next run from *i on, or NULL */
static const nb_run *next_run(const nb_figure_runs *runs, int *i) {
    const nb_run *run = NULL;
    for (; *i < NB_FIGURE_PANELS * NB_FIGURE_SERIES && !run; ++*i)
        run = runs->run[*i / NB_FIGURE_SERIES][*i % NB_FIGURE_SERIES];
    return run;
}

const nb_column *nb_figure_y_column(const nb_record_table *table, const nb_figure_runs *runs) {
    const nb_record_column *y = &table->columns[table->y];
    const nb_run *run;
    int i = 0;
    if (table->rows == NB_ROWS_LINEAR)
        return strcmp(y->name, relative_residual.name) == 0 ? &relative_residual : &nb_linear_columns[y->term[0]];
    while ((run = next_run(runs, &i)) != NULL) {
        int column = nb_run_newton_column(run, y->name);
        if (column >= 0) return nb_columns_at(&run->newton_columns, column);
    }
    return NULL;
}

nb_status nb_figure_y_check(const nb_record_table *table, const nb_figure_runs *runs) {
    const char *name = table->columns[table->y].name;
    const nb_run *run = NULL, *one;
    int i = 0;
    if (table->rows == NB_ROWS_LINEAR) return NB_OK;
    while ((one = next_run(runs, &i)) != NULL)
        if (nb_run_has_newton_numbers(run = one, name)) return NB_OK;
    if (!run) return NB_OK;
    if (nb_figure_y_column(table, runs))
        return nb_fail(NB_ERROR_INPUT, "none of these runs has numbers of %s; see list columns", name);
    return nb_name_unknown("--y", name, run->newton_columns.count, nb_columns_name_at, &run->newton_columns);
}

static int of_systems(const nb_figure_runs *runs) {
    const nb_run *run;
    int i = 0;
    while ((run = next_run(runs, &i)) != NULL)
        if (!nb_run_is_system(run)) return 0;
    return 1;
}

void nb_figure_y_name(const nb_record_table *table, const nb_figure_runs *runs, char *text, size_t size) {
    const nb_column *c = nb_figure_y_column(table, runs);
    int none = strcmp(c->units, "1") == 0 || (table->rows == NB_ROWS_LINEAR && of_systems(runs));
    const char *unit = none ? "" : c->units;
    snprintf(text, size, "%s%s%s%s", c->name, *unit ? " [" : "", unit, *unit ? "]" : "");
    for (char *t = text; *t && *t != '['; t++)
        if (*t == '_') *t = ' ';
}

void nb_figure_y_about(const nb_record_table *table, const nb_figure_runs *runs, nb_convergence_axis axis, char *text,
                       size_t size) {
    const nb_column *c = nb_figure_y_column(table, runs);
    char step[48] = "the final step", solve[64] = "";
    *text = '\0';
    if (!c) return; /* nb_figure_y_check refuses that */
    int linear = table->rows == NB_ROWS_LINEAR, systems = linear && of_systems(runs);
    const char *aside = strstr(c->long_name, " (see the attribute legend)"); /* which stands along the axis */
    int words = aside ? (int)(aside - c->long_name) : (int)strlen(c->long_name);
    if (table->step >= 0) snprintf(step, sizeof step, "step %d (from 0)", (int)table->step);
    if (linear) snprintf(solve, sizeof solve, ", linear solve of Newton iteration %d", (int)table->newton);
    if (systems) snprintf(step, sizeof step, "the linear solve");
    int used = snprintf(text, size, "Of %s%s: %.*s.", step, systems ? "" : solve, words, c->long_name);
    if (linear && axis != NB_CONVERGENCE_ITERATION && used > 0 && (size_t)used < size)
        snprintf(text + used, size - (size_t)used,
                 " Work and time of the solve are dealt to its iterations in equal shares%s.",
                 axis == NB_CONVERGENCE_TIME ? ", after assembly and set-up" : "");
}
