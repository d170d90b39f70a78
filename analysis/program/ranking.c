#include "ranking.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "baseline.h"
#include "statistics/ranking.h"
#include "text/json.h"
#include "text/markup.h"
#include "text/plain.h"
#include "text/table.h"

enum {
    COLUMNS = 12
};

typedef struct ranking {
    const nb_comparing *of;
    nb_compared_runs runs; /* all, or those of one value of the setting: a list of its own of borrowed items */
    const char *value;     /* of the setting --by; NULL: there is none */
    nb_solver_costs costs;
    nb_ranked *rows;          /* [costs.solvers] */
    int64_t baseline, common; /* problems that all solvers tried and one at least solved */
} ranking;

static void name_solver(const ranking *r, const nb_ranked *row, char *label, size_t size) {
    const nb_compared_runs *runs = &r->runs;
    const int64_t first = r->costs.first[row->solver];
    nb_compared_run_label(runs, first, NB_COMPARED_SOLVER | NB_COMPARED_SHORT, label, size);
    if (!*label) snprintf(label, size, "%s", runs->items[first].info.linear_solver);
}

/* ---- as text, csv, tsv, markdown, LaTeX ---- */

static void number(char *cell, const char *format, double x) {
    if (isnan(x))
        snprintf(cell, NB_NAME_LENGTH, "-");
    else
        snprintf(cell, NB_NAME_LENGTH, format, x);
}

static void range(char *cell, const char *to, const nb_interval *x) {
    if (isnan(x->low))
        snprintf(cell, NB_NAME_LENGTH, "-");
    else
        snprintf(cell, NB_NAME_LENGTH, "%.3g%s%.3g", x->low, to, x->high);
}

/* of the table that people read; `to` stands between the ends of an interval */
static void fill_row(const ranking *r, const nb_ranked *row, const char *to, char cell[COLUMNS][256]) {
    if (row->group < 0)
        snprintf(cell[0], sizeof *cell, "-");
    else
        snprintf(cell[0], sizeof *cell, "%d", row->group + 1);
    name_solver(r, row, cell[1], sizeof *cell);
    snprintf(cell[2], sizeof *cell, "%lld/%lld", (long long)row->solved, (long long)row->tried);
    for (int k = 0; k < NB_RANKING_LEVELS; k++) number(cell[3 + k], "%.0f", 100 * row->share[k]);
    number(cell[7], "%.3g", row->seconds.value);
    range(cell[8], to, &row->seconds);
    number(cell[9], "%.3g", row->ratio.value);
    range(cell[10], to, &row->ratio);
    number(cell[11], "%.4g", row->work);
}

/* headings of the columns, ">" before those that are aligned right */
static void fill_titles(const ranking *r, const char *titles[COLUMNS]) {
    static const char *const of_work[NB_WORK_MEASURES] = {">operations", ">A x", ">linear it.", ">iterations"};
    static const char *const fixed[COLUMNS - 1] = {">group",         "solver",     ">solved",       ">1e-2 [%]",
                                                   ">1e-4 [%]",      ">1e-6 [%]",  ">1e-8 [%]",     ">time [s]",
                                                   ">95 % interval", ">/baseline", ">95 % interval"};
    memcpy(titles, fixed, sizeof fixed);
    titles[COLUMNS - 1] = of_work[r->costs.work];
}

static nb_status print_text(const ranking *r) {
    nb_table *table = NULL;
    nb_status status;
    const char *titles[COLUMNS];
    char cell[COLUMNS][256];
    fill_titles(r, titles);
    if (r->value) nb_print(stdout, "%s: %s\n", r->of->by, r->value);
    NB_TRY(nb_table_create(COLUMNS, titles, &table));
    for (int64_t i = 0; i < r->costs.solvers; i++) {
        fill_row(r, &r->rows[i], " .. ", cell);
        for (int k = 0; k < COLUMNS; k++) nb_table_cell(table, "%s", cell[k]);
    }
    NB_TRY(nb_table_print(table, stdout));
out:
    nb_table_destroy(table);
    return status;
}

static void print_markdown(const ranking *r) {
    const char *titles[COLUMNS];
    char cell[COLUMNS][256];
    fill_titles(r, titles);
    if (r->value) {
        nb_print(stdout, "%s: ", r->of->by);
        nb_markdown_write(r->value, stdout);
        nb_print(stdout, "\n\n");
    }
    for (int k = 0; k < COLUMNS; k++) nb_print(stdout, "| %s ", titles[k] + (*titles[k] == '>'));
    nb_print(stdout, "|\n");
    for (int k = 0; k < COLUMNS; k++) nb_print(stdout, "%s", *titles[k] == '>' ? "|--:" : "|---");
    nb_print(stdout, "|\n");
    for (int64_t i = 0; i < r->costs.solvers; i++) {
        fill_row(r, &r->rows[i], " .. ", cell);
        for (int k = 0; k < COLUMNS; k++) {
            nb_print(stdout, "| ");
            nb_markdown_write(cell[k], stdout);
            nb_print(stdout, " ");
        }
        nb_print(stdout, "|\n");
    }
}

static void put_tex(const char *text) {
    char plain[256];
    nb_text_plain(text, plain, sizeof plain);
    nb_tex_write(plain, strlen(plain), stdout);
}

static void print_latex(const ranking *r) {
    const char *titles[COLUMNS];
    char cell[COLUMNS][256];
    fill_titles(r, titles);
    nb_print(stdout, "\\begin{tabular}{");
    for (int k = 0; k < COLUMNS; k++) nb_print(stdout, *titles[k] == '>' ? "r" : "l");
    nb_print(stdout, "}\n\\toprule\n");
    if (r->value) {
        nb_print(stdout, "\\multicolumn{%d}{l}{", (int)COLUMNS);
        put_tex(r->value);
        nb_print(stdout, "} \\\\\n\\midrule\n");
    }
    for (int k = 0; k < COLUMNS; k++) {
        put_tex(titles[k] + (*titles[k] == '>'));
        nb_print(stdout, "%s", k + 1 < COLUMNS ? " & " : "");
    }
    nb_print(stdout, " \\\\\n\\midrule\n");
    for (int64_t i = 0; i < r->costs.solvers; i++) {
        fill_row(r, &r->rows[i], "--", cell);
        for (int k = 0; k < COLUMNS; k++) {
            put_tex(cell[k]);
            nb_print(stdout, "%s", k + 1 < COLUMNS ? " & " : "");
        }
        nb_print(stdout, " \\\\\n");
    }
    nb_print(stdout, "\\bottomrule\n\\end{tabular}\n");
}

/* one cell behind what stands before it; the separator may be a tab, which is no text of somebody's */
static void separate(char separator) {
    fputc(separator, stdout);
}

static void put_text(const char *text, char separator) {
    const char *quote = separator == ',' ? "\"" : "";
    nb_print(stdout, "%s%s%s", quote, text, quote);
}

static void print_names(const ranking *r, char separator) {
    static const char *const names[] = {"group",       "solver",     "solved",     "tried",      "share_1e-2",
                                        "share_1e-4",  "share_1e-6", "share_1e-8", "time_s",     "time_low_s",
                                        "time_high_s", "ratio",      "ratio_low",  "ratio_high", "work"};
    if (r->value) nb_print(stdout, "%s", r->of->by);
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        if (k > 0 || r->value) separate(separator);
        nb_print(stdout, "%s", names[k]);
    }
    nb_print(stdout, "\n");
}

/* for programs: every number in full; `headed`: the names stand above already */
static void print_separated(const ranking *r, char separator, int headed) {
    if (!headed) print_names(r, separator);
    for (int64_t i = 0; i < r->costs.solvers; i++) {
        const nb_ranked *x = &r->rows[i];
        const double value[] = {(double)x->solved, (double)x->tried, x->share[0],    x->share[1],     x->share[2],
                                x->share[3],       x->seconds.value, x->seconds.low, x->seconds.high, x->ratio.value,
                                x->ratio.low,      x->ratio.high,    x->work};
        char label[256];
        name_solver(r, x, label, sizeof label);
        if (r->value) put_text(r->value, separator), separate(separator);
        nb_print(stdout, "%d", x->group + 1);
        separate(separator);
        put_text(label, separator);
        for (size_t k = 0; k < sizeof value / sizeof *value; k++) {
            separate(separator);
            nb_print(stdout, "%.9g", value[k]);
        }
        nb_print(stdout, "\n");
    }
}

/* the solvers of one ranking */
static void put_ranking(const ranking *r, nb_json *json) {
    char label[256];
    nb_json_number(json, "problems", (double)r->costs.problems);
    nb_json_text(json, "work", nb_work_names[r->costs.work]);
    nb_json_array(json, "solvers");
    for (int64_t i = 0; i < r->costs.solvers; i++) {
        const nb_ranked *x = &r->rows[i];
        nb_json_object(json, NULL);
        name_solver(r, x, label, sizeof label);
        nb_json_text(json, "solver", label);
        nb_json_number(json, "group", x->group < 0 ? (double)NAN : x->group + 1);
        nb_json_number(json, "solved", (double)x->solved);
        nb_json_number(json, "tried", (double)x->tried);
        nb_json_array(json, "shares");
        for (int k = 0; k < NB_RANKING_LEVELS; k++) nb_json_number(json, NULL, x->share[k]);
        nb_json_end(json);
        nb_comparing_print_interval(&x->seconds, json, "seconds");
        nb_comparing_print_interval(&x->ratio, json, "ratio");
        nb_json_number(json, "work", x->work);
        nb_json_end(json);
    }
    nb_json_end(json);
}

static void print_json(const nb_comparing *c, const ranking *rankings, int64_t count) {
    nb_json json = {.stream = stdout, .indent = 1};
    nb_json_object(&json, NULL);
    nb_json_number(&json, "to", c->accuracy);
    nb_json_array(&json, "warnings");
    for (int i = 0; i < c->warning_count; i++) nb_json_text(&json, NULL, c->warnings[i]);
    nb_json_end(&json);
    if (!*c->by) put_ranking(&rankings[0], &json);
    if (*c->by) {
        nb_json_text(&json, "by", c->by);
        nb_json_array(&json, "rankings");
        for (int64_t i = 0; i < count; i++) {
            nb_json_object(&json, NULL);
            nb_json_text(&json, "value", rankings[i].value);
            put_ranking(&rankings[i], &json);
            nb_json_end(&json);
        }
        nb_json_end(&json);
    }
    nb_json_end(&json);
}

/* ---- the whole ---- */

/* which of these runs' solvers the baseline is; -1: none of them, or there is no baseline */
static nb_status find_baseline(ranking *r) {
    const nb_comparing *c = r->of;
    int64_t run;
    r->baseline = -1;
    if (!c->baseline) return NB_OK;
    nb_status status = nb_baseline_find(&c->compared[0], c->path[0], c->baseline, 1, &run);
    for (int64_t i = 0; status == NB_OK && i < r->runs.count; i++)
        if (nb_compared_run_same_solver(&r->runs.items[i], &c->compared[0].items[run]))
            r->baseline = r->costs.solver[i];
    return status;
}

/* solvers beyond the threshold: by the interval's lower end, where there is one */
static int count_above(const ranking *r) {
    const nb_ranked *base = &r->rows[0];
    int above = 0;
    for (int64_t i = 0; i < r->costs.solvers; i++)
        if (r->rows[i].solver == r->baseline) base = &r->rows[i];
    for (int64_t i = 0; r->of->fail_above > 0 && i < r->costs.solvers; i++) {
        const nb_ranked *x = &r->rows[i];
        const double least = isnan(x->ratio.low) ? x->ratio.value : x->ratio.low;
        char label[256];
        if (x == base || (least <= r->of->fail_above && x->solved >= base->solved)) continue;
        name_solver(r, x, label, sizeof label);
        nb_print(stderr, "fails: %s takes %.3g times the baseline and solves %lld problems (baseline: %lld)\n", label,
                 x->ratio.value, (long long)x->solved, (long long)base->solved);
        above++;
    }
    return above;
}

/* the runs that have the value, all where it is NULL */
static nb_status take_runs(ranking *r) {
    const nb_compared_runs *all = &r->of->compared[0];
    char value[NB_NAME_LENGTH];
    r->runs = *all;
    r->runs.items = NULL;
    r->runs.count = 0;
    nb_status status = NB_ALLOCATE(all->count, &r->runs.items);
    for (int64_t i = 0; status == NB_OK && i < all->count; i++)
        if (!r->value || (nb_setting_value(&all->items[i].info, r->of->by, value) && strcmp(value, r->value) == 0))
            r->runs.items[r->runs.count++] = all->items[i];
    return status;
}

static nb_status make(ranking *r) {
    nb_status status;
    NB_TRY(take_runs(r));
    NB_TRY(nb_solver_costs_make(&r->runs, &r->costs));
    NB_TRY(find_baseline(r));
    NB_TRY(nb_rank(&r->costs, r->baseline, &r->common, &r->rows));
out:
    return status;
}

/* What the means are of, where that is not every problem, and what there is too little of. */
static void print_notes(const ranking *r) {
    const char *value = r->value ? r->value : "", *colon = r->value ? ": " : "";
    const long long problems = r->costs.problems, common = r->common;
    if (r->costs.without_forces > 0)
        nb_print(stderr, "%s%sleft out, as no contact has a force: %lld of %lld problems\n", value, colon,
                 (long long)r->costs.without_forces, (long long)r->costs.without_forces + problems);
    if (common == 0 && problems > 0)
        nb_print(stderr, "%s%sno times and work: no problem was tried by every solver and solved by one\n", value,
                 colon);
    else if (common < problems)
        nb_print(stderr,
                 "%s%stimes, work and order are of %lld of %lld problems: those that every solver tried and at least "
                 "one solved\n",
                 value, colon, common, problems);
    if (common < NB_RANKING_LEAST)
        nb_print(stderr, "%s%sno intervals and groups: they require %d problems, and there are %lld\n", value, colon,
                 NB_RANKING_LEAST, common);
}

static nb_status print(const nb_comparing *c, const ranking *rankings, int64_t count) {
    nb_status status = NB_OK;
    for (int64_t i = 0; i < count; i++) {
        const ranking *r = &rankings[i];
        if (i > 0 && (c->format == NB_COMPARE_TEXT || c->format == NB_COMPARE_MARKDOWN)) nb_print(stdout, "\n");
        if (c->format == NB_COMPARE_TEXT) NB_TRY(print_text(r));
        if (c->format == NB_COMPARE_MARKDOWN) print_markdown(r);
        if (c->format == NB_COMPARE_LATEX) print_latex(r);
        if (c->format == NB_COMPARE_CSV) print_separated(r, ',', i > 0);
        if (c->format == NB_COMPARE_TSV) print_separated(r, '\t', i > 0);
    }
    if (c->format == NB_COMPARE_JSON) print_json(c, rankings, count);
    for (int64_t i = 0; i < count; i++) print_notes(&rankings[i]);
out:
    return status;
}

nb_status nb_ranking_print(const nb_comparing *c, int64_t values, const nb_ranking_value *value, int *above) {
    nb_status status;
    ranking *rankings = NULL;
    const int64_t count = values > 0 ? values : 1;
    NB_TRY(NB_ALLOCATE(count, &rankings));
    for (int64_t i = 0; i < count; i++) {
        rankings[i] = (ranking){.of = c, .value = values > 0 ? value[i].text : NULL};
        NB_TRY(make(&rankings[i]));
    }
    NB_TRY(print(c, rankings, count));
    for (int64_t i = 0; i < count; i++) *above += count_above(&rankings[i]);
out:
    for (int64_t i = 0; rankings && i < count; i++) {
        nb_free(rankings[i].runs.items);
        nb_free(rankings[i].rows);
        nb_solver_costs_clear(&rankings[i].costs);
    }
    nb_free(rankings);
    return status;
}
