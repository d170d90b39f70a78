#include "comparing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "statistics/ranking.h"
#include "text/json.h"
#include "text/markup.h"
#include "text/plain.h"
#include "text/table.h"

static void print_interval(const nb_interval *x, nb_json *json, const char *name) {
    nb_json_object(json, name);
    nb_json_number(json, "value", x->value);
    nb_json_number(json, "low", x->low);
    nb_json_number(json, "high", x->high);
    nb_json_end(json);
}

int nb_comparing_is_pair(const nb_comparison *x) {
    return x->a >= 0 && x->b >= 0 && !x->is_baseline;
}

const nb_compared_run *nb_comparing_run(const nb_comparing *c, const nb_comparison *x, int side) {
    return &c->compared[c->side[side]].items[side == 0 ? x->a : x->b];
}

static const char *where(const nb_comparison *x) {
    if (x->is_baseline) return "baseline";
    return x->b < 0 ? "only in A" : x->a < 0 ? "only in B" : "both";
}

/* What the times say; of steps that never came to the accuracy, or to the tolerance that the runs were asked for, which
 * of the two did: only A, only B or neither. */
static const char *outcome_in(const nb_comparing *c, const nb_comparison *x, const char *const verdicts[],
                              const char *only_a, const char *only_b) {
    int came[2];
    for (int k = 0; k < 2; k++)
        came[k] = c->accuracy > 0 ? x->side[k].reached > 0 : nb_comparing_run(c, x, k)->met != 0;
    if (came[0] && came[1]) return verdicts[x->verdict];
    return came[0] ? only_a : came[1] ? only_b : "neither converged";
}

static const char *outcome_of(const nb_comparing *c, const nb_comparison *x) {
    return outcome_in(c, x, nb_verdict_names, "only A converged", "only B converged");
}

void nb_comparing_print_json(const nb_comparing *c) {
    nb_json json = {.stream = stdout, .indent = 1};
    nb_json_object(&json, NULL);
    nb_json_text(&json, "a", c->path[c->side[0]]);
    if (c->path[1]) nb_json_text(&json, "b", c->path[c->side[1]]);
    if (c->baseline) nb_json_text(&json, "baseline", c->baseline);
    if (*c->by) nb_json_text(&json, "by", c->by);
    nb_json_number(&json, "to", c->accuracy > 0 ? c->accuracy : NAN);
    if (c->error) nb_json_text(&json, "to_error", c->error == NB_OF_ENERGY ? "energy" : "residual");
    nb_json_array(&json, "warnings");
    for (int i = 0; i < c->warning_count; i++) nb_json_text(&json, NULL, c->warnings[i]);
    nb_json_end(&json);
    nb_json_array(&json, "runs");
    for (int64_t i = 0; i < c->count; i++) {
        const nb_comparison *x = &c->list[i];
        nb_json_object(&json, NULL);
        nb_json_text(&json, "run", x->label);
        nb_json_text(&json, "in", where(x));
        for (int k = 0; k < 2; k++) {
            if ((k ? x->b : x->a) < 0) continue;
            nb_json_object(&json, k ? "b" : "a");
            char value[NB_NAME_LENGTH];
            int of_system = nb_comparing_run(c, x, k)->of_system;
            if (*c->by && nb_setting_value(&c->compared[0].items[k ? x->b : x->a].info, c->by, value))
                nb_json_text(&json, c->by, value);
            nb_json_number(&json, "newton_iterations", x->side[k].newton_iterations);
            nb_json_number(&json, "linear_iterations", x->side[k].linear_iterations);
            nb_json_number(&json, "operator_applications", x->side[k].work);
            nb_json_number(&json, "operations", x->side[k].flops);
            nb_json_number(&json, of_system ? "relative_residual" : "natural_map_error", x->side[k].error);
            if (c->accuracy > 0) nb_json_number(&json, "steps_reached", x->side[k].reached);
            print_interval(&x->side[k].seconds, &json, "seconds");
            nb_json_end(&json);
        }
        if (nb_comparing_is_pair(x)) {
            print_interval(&x->ratio, &json, "time_ratio");
            nb_json_number(&json, "newton_ratio", x->side[1].newton_iterations / x->side[0].newton_iterations);
            nb_json_number(&json, "linear_ratio", x->side[1].linear_iterations / x->side[0].linear_iterations);
            nb_json_number(&json, "operator_ratio", x->side[1].work / x->side[0].work);
            nb_json_number(&json, "operations_ratio", x->side[1].flops / x->side[0].flops);
            nb_json_text(&json, "time", nb_verdict_names[x->verdict]);
            nb_json_text(&json, "outcome", outcome_of(c, x));
            nb_json_flag(&json, "work_differs", x->work_differs);
            nb_json_flag(&json, "error_differs", x->error_differs);
            nb_json_flag(&json, "solution_differs", x->solution_differs);
            nb_json_number(&json, "parting_step", x->parting < 0 ? NAN : (double)x->parting);
        }
        nb_json_end(&json);
    }
    nb_json_end(&json);
    nb_json_end(&json);
}

void nb_comparing_print_tsv(const nb_comparing *c) {
    nb_print(stdout, "run\tin\tnewton_a\tnewton_b\tlinear_a\tlinear_b\toperator_a\toperator_b\toperations_a\t"
                     "operations_b\terror_a\terror_b\treached_a\treached_b\tseconds_a\tseconds_b\tratio\tratio_"
                     "low\tratio_high\ttime\twork_differs\terror_differs\tsolution_differs\n");
    for (int64_t i = 0; i < c->count; i++) {
        const nb_comparison *x = &c->list[i];
        nb_compared_side nothing = {NAN, NAN, NAN, NAN, NAN, NAN, {NAN, NAN, NAN}};
        const nb_compared_side *a = x->a < 0 ? &nothing : &x->side[0], *b = x->b < 0 ? &nothing : &x->side[1];
        nb_print(stdout,
                 "%s\t%s\t%g\t%g\t%g\t%g\t%g\t%g\t%.9g\t%.9g\t%.9g\t%.9g\t%g\t%g\t%.9g\t%.9g\t%.9g\t%.9g\t%.9g\t%s\t%"
                 "d\t%d\t%d\n",
                 x->label, where(x), a->newton_iterations, b->newton_iterations, a->linear_iterations,
                 b->linear_iterations, a->work, b->work, a->flops, b->flops, a->error, b->error, a->reached, b->reached,
                 a->seconds.value, b->seconds.value, fabs(x->ratio.value), x->ratio.low, x->ratio.high,
                 x->a < 0 || x->b < 0 ? nb_verdict_names[x->verdict] : outcome_of(c, x), x->work_differs,
                 x->error_differs, x->solution_differs);
    }
}

/* "-" where there is no number */
static void number_cell(nb_table *table, const char *format, double x) {
    if (isnan(x))
        nb_table_cell(table, "-");
    else
        nb_table_cell(table, format, x);
}

static void interval_cell(nb_table *table, const char *format, double low, double high) {
    if (isnan(low))
        nb_table_cell(table, "-");
    else
        nb_table_cell(table, format, low, high);
}

/* "12" where both agree, else "12 -> 15" */
static void change_cell(nb_table *table, const char *format, double a, double b) {
    char x[32] = "-", y[32] = "-";
    if (!isnan(a)) snprintf(x, sizeof x, format, a);
    if (!isnan(b)) snprintf(y, sizeof y, format, b);
    if (strcmp(x, y) == 0)
        nb_table_cell(table, "%s", x);
    else
        nb_table_cell(table, "%s -> %s", x, y);
}

/* whether all runs count operations; else applications of A are their work */
static int counts_flops(const nb_comparing *c) {
    for (int k = 0; k < 2; k++)
        for (int64_t i = 0; i < c->compared[k].count; i++)
            if (isnan(c->compared[k].items[i].flops)) return 0;
    return 1;
}

static double work_of(const nb_comparing *c, const nb_compared_side *side) {
    return counts_flops(c) ? side->flops : side->work;
}

static void add_row(const nb_comparing *c, const nb_comparison *x, nb_table *table) {
    const nb_compared_side *a = &x->side[0], *b = &x->side[1];
    nb_table_cell(table, "%s", x->label);
    change_cell(table, "%.0f", a->newton_iterations, b->newton_iterations);
    change_cell(table, "%.0f", a->linear_iterations, b->linear_iterations);
    change_cell(table, counts_flops(c) ? "%.4g" : "%.0f", work_of(c, a), work_of(c, b));
    if (c->accuracy > 0)
        change_cell(table, "%.0f", a->reached, b->reached);
    else
        change_cell(table, "%.3g", a->error, b->error);
    nb_table_cell(table, "%.4g", a->seconds.value);
    nb_table_cell(table, "%.4g", b->seconds.value);
    number_cell(table, "%.3f", x->ratio.value);
    interval_cell(table, "%.3f .. %.3f", x->ratio.low, x->ratio.high);
    nb_table_cell(table, "%s%s%s%s", outcome_of(c, x), x->work_differs ? "; iterations differ" : "",
                  x->error_differs ? "; final errors differ" : "", x->solution_differs ? "; solutions differ" : "");
}

/* "12", and over the baseline's value */
static void ratio_cells(nb_table *table, const char *format, double value, double of) {
    number_cell(table, format, value);
    number_cell(table, "%.3g", value / of);
}

static void add_row_beside(const nb_comparing *c, const nb_comparison *x, nb_table *table) {
    static const char *const beside[] = {"alike", "faster", "slower", "unknown", "two processors"};
    const nb_compared_side *a = &x->side[0], *b = x->is_baseline ? a : &x->side[1];
    nb_table_cell(table, "%s", x->label);
    ratio_cells(table, "%.4g", b->seconds.value, x->verdict == NB_VERDICT_APART ? (double)NAN : a->seconds.value);
    interval_cell(table, "%.3g .. %.3g", x->is_baseline ? (double)NAN : x->ratio.low, x->ratio.high);
    ratio_cells(table, "%.0f", b->newton_iterations, a->newton_iterations);
    ratio_cells(table, "%.0f", b->linear_iterations, a->linear_iterations);
    ratio_cells(table, counts_flops(c) ? "%.4g" : "%.0f", work_of(c, b), work_of(c, a));
    nb_table_cell(table, c->accuracy > 0 ? "%.0f" : "%.3g", c->accuracy > 0 ? b->reached : b->error);
    if (x->is_baseline)
        nb_table_cell(table, "baseline");
    else
        nb_table_cell(table, "%s%s", outcome_in(c, x, beside, "not converged", "baseline not converged"),
                      x->solution_differs ? "; solutions differ" : "");
}

/* the steps of a pair that reached the accuracy are not all of them */
static int fell_short(const nb_comparing *c, const nb_comparison *x) {
    return c->accuracy > 0 && (x->side[0].reached < nb_comparing_run(c, x, 0)->step_count ||
                               x->side[1].reached < nb_comparing_run(c, x, 1)->step_count);
}

/* Why pairs have no verdict: the first of each cause. */
static void explain_unknown(const nb_comparing *c) {
    int said[3] = {0};
    for (int64_t i = 0; i < c->count; i++) {
        const nb_comparison *x = &c->list[i];
        if (!nb_comparing_is_pair(x) || strcmp(outcome_of(c, x), nb_verdict_names[NB_VERDICT_UNKNOWN]) != 0) continue;
        const int steps = nb_comparing_run(c, x, 0)->step_count, short_of = fell_short(c, x);
        const int cause = short_of ? 0 : c->accuracy > 0 && steps > 1 ? 1 : 2;
        if (said[cause]++) continue;
        if (cause == 0)
            nb_print(stderr,
                     "unknown: %.0f of %d steps of A and %.0f of %d of B reached %g%s; an interval requires that "
                     "all steps do\n",
                     x->side[0].reached, steps, x->side[1].reached, (int)nb_comparing_run(c, x, 1)->step_count,
                     c->accuracy, nb_cost_error_units[c->error]);
        else if (cause == 1)
            nb_print(stderr, "unknown: %d steps are too few for an interval over them (run with --steps 5, or 1)\n",
                     steps);
        else
            nb_print(stderr, "unknown: there are too few repetitions for an interval (run with --repeat 5)\n");
    }
}

static nb_status create_table(const nb_comparing *c, nb_table **table) {
    const int systems = nb_compared_runs_are_systems(&c->compared[0]) && nb_compared_runs_are_systems(&c->compared[1]);
    const char *error = systems ? ">||b - A x||/||b||" : ">error [m/s]", *over = ">/baseline";
    const char *last = c->accuracy > 0 ? ">steps reached" : error;
    const char *work = counts_flops(c) ? ">operations" : ">A x";
    const char *pairs[] = {"run",    ">Newton it.", ">linear it.",    work,     last, ">A [s]",
                           ">B [s]", ">B/A",        ">95 % interval", "outcome"};
    const char *beside[] = {"run", ">time [s]", over, ">95 % interval", ">Newton it.", over, ">linear it.", over,
                            work,  over,        last, "outcome"};
    return c->baseline ? nb_table_create(12, beside, table) : nb_table_create(10, pairs, table);
}

nb_status nb_comparing_print_text(const nb_comparing *c) {
    nb_table *table = NULL;
    nb_status status;
    int64_t rows = 0;
    NB_TRY(create_table(c, &table));
    for (int64_t i = 0; i < c->count; i++) {
        const nb_comparison *x = &c->list[i];
        if (!nb_comparing_is_pair(x) && !x->is_baseline) continue;
        (c->baseline ? add_row_beside : add_row)(c, x, table);
        rows++;
    }
    if (rows > 0) NB_TRY(nb_table_print(table, stdout));
    explain_unknown(c);
    if (rows == 0) nb_print(stdout, *c->by ? "no two runs differ in %s alone\n" : "no run is in both records\n", c->by);
    for (int64_t i = 0; i < c->count; i++)
        if (!nb_comparing_is_pair(&c->list[i]) && !c->list[i].is_baseline)
            nb_print(stdout, "%s: %s\n", c->baseline ? "without a baseline" : where(&c->list[i]), c->list[i].label);
out:
    nb_table_destroy(table);
    return status;
}

/* `compare --rank`: the solvers of one or several records, best first (private to program/). */

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

static nb_status print_ranking(const ranking *r) {
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

static void put_markdown(const char *text) {
    nb_markdown_write(text, stdout);
}

static void put_tex(const char *text) {
    char plain[256];
    nb_text_plain(text, plain, sizeof plain);
    nb_tex_write(plain, strlen(plain), stdout);
}

/* a line of the table for each solver; `to` stands between the ends of an interval */
static void print_rows(const ranking *r, const char *before, const char *between, const char *after, const char *to,
                       void (*put)(const char *)) {
    char cell[COLUMNS][256];
    for (int64_t i = 0; i < r->costs.solvers; i++) {
        fill_row(r, &r->rows[i], to, cell);
        for (int k = 0; k < COLUMNS; k++) {
            fputs(k ? between : before, stdout);
            put(cell[k]);
        }
        fputs(after, stdout);
    }
}

static void print_markdown(const ranking *r) {
    const char *titles[COLUMNS];
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
    print_rows(r, "| ", " | ", " |\n", " .. ", put_markdown);
}

static void print_latex(const ranking *r) {
    const char *titles[COLUMNS];
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
        fputs(k + 1 < COLUMNS ? " & " : " \\\\\n\\midrule\n", stdout);
    }
    print_rows(r, "", " & ", " \\\\\n", "--", put_tex);
    nb_print(stdout, "\\bottomrule\n\\end{tabular}\n");
}

static void put_text(const char *text, char separator) {
    const char *quote = separator == ',' ? "\"" : "";
    nb_print(stdout, "%s%s%s", quote, text, quote);
}

/* the separator may be a tab, which nb_print escapes */
static void print_names(const ranking *r, char separator) {
    const char *names = "group\tsolver\tsolved\ttried\tshare_1e-2\tshare_1e-4\tshare_1e-6\tshare_1e-8\ttime_s\t"
                        "time_low_s\ttime_high_s\tratio\tratio_low\tratio_high\twork\n";
    if (r->value) nb_print(stdout, "%s", r->of->by), fputc(separator, stdout);
    for (; *names; names++) fputc(*names == '\t' ? separator : *names, stdout);
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
        if (r->value) put_text(r->value, separator), fputc(separator, stdout);
        nb_print(stdout, "%d", x->group + 1);
        fputc(separator, stdout);
        put_text(label, separator);
        for (size_t k = 0; k < sizeof value / sizeof *value; k++) {
            fputc(separator, stdout);
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
        print_interval(&x->seconds, json, "seconds");
        print_interval(&x->ratio, json, "ratio");
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
        nb_print(stderr,
                 "%s%sno times and work: of the problems that all solvers tried none was solved; --to sets another "
                 "accuracy\n",
                 value, colon);
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
        if (c->format == NB_COMPARE_TEXT) NB_TRY(print_ranking(r));
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
