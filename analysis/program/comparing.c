#include "comparing.h"

#include <math.h>
#include <string.h>

#include "text/json.h"
#include "text/plain.h"
#include "text/table.h"

void nb_comparing_print_interval(const nb_interval *x, nb_json *json, const char *name) {
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
    if (c->of_energy) nb_json_text(&json, "to_error", "energy");
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
            nb_json_number(&json, of_system ? "relative_residual" : "natural_map_error", x->side[k].error);
            if (c->accuracy > 0) nb_json_number(&json, "steps_reached", x->side[k].reached);
            nb_comparing_print_interval(&x->side[k].seconds, &json, "seconds");
            nb_json_end(&json);
        }
        if (nb_comparing_is_pair(x)) {
            nb_comparing_print_interval(&x->ratio, &json, "time_ratio");
            nb_json_number(&json, "newton_ratio", x->side[1].newton_iterations / x->side[0].newton_iterations);
            nb_json_number(&json, "linear_ratio", x->side[1].linear_iterations / x->side[0].linear_iterations);
            nb_json_number(&json, "operator_ratio", x->side[1].work / x->side[0].work);
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
    nb_print(stdout,
             "run\tin\tnewton_a\tnewton_b\tlinear_a\tlinear_b\toperator_a\toperator_b\terror_a\terror_b\treached_"
             "a\treached_b\tseconds_a\t"
             "seconds_b\tratio\tratio_low\tratio_high\ttime\twork_differs\terror_differs\tsolution_differs\n");
    for (int64_t i = 0; i < c->count; i++) {
        const nb_comparison *x = &c->list[i];
        nb_compared_side nothing = {NAN, NAN, NAN, NAN, NAN, {NAN, NAN, NAN}};
        const nb_compared_side *a = x->a < 0 ? &nothing : &x->side[0], *b = x->b < 0 ? &nothing : &x->side[1];
        nb_print(stdout,
                 "%s\t%s\t%g\t%g\t%g\t%g\t%g\t%g\t%.9g\t%.9g\t%g\t%g\t%.9g\t%.9g\t%.9g\t%.9g\t%.9g\t%s\t%d\t%d\t%d\n",
                 x->label, where(x), a->newton_iterations, b->newton_iterations, a->linear_iterations,
                 b->linear_iterations, a->work, b->work, a->error, b->error, a->reached, b->reached, a->seconds.value,
                 b->seconds.value, fabs(x->ratio.value), x->ratio.low, x->ratio.high,
                 x->a < 0 || x->b < 0 ? nb_verdict_names[x->verdict] : outcome_of(c, x), x->work_differs,
                 x->error_differs, x->solution_differs);
    }
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

static void add_row(const nb_comparing *c, const nb_comparison *x, nb_table *table) {
    const nb_compared_side *a = &x->side[0], *b = &x->side[1];
    nb_table_cell(table, "%s", x->label);
    change_cell(table, "%.0f", a->newton_iterations, b->newton_iterations);
    change_cell(table, "%.0f", a->linear_iterations, b->linear_iterations);
    change_cell(table, "%.0f", a->work, b->work);
    if (c->accuracy > 0)
        change_cell(table, "%.0f", a->reached, b->reached);
    else
        change_cell(table, "%.3g", a->error, b->error);
    nb_table_cell(table, "%.4g", a->seconds.value);
    nb_table_cell(table, "%.4g", b->seconds.value);
    if (isnan(x->ratio.value))
        nb_table_cell(table, "-");
    else
        nb_table_cell(table, "%.3f", x->ratio.value);
    if (isnan(x->ratio.low))
        nb_table_cell(table, "-");
    else
        nb_table_cell(table, "%.3f .. %.3f", x->ratio.low, x->ratio.high);
    nb_table_cell(table, "%s%s%s%s", outcome_of(c, x), x->work_differs ? "; iterations differ" : "",
                  x->error_differs ? "; final errors differ" : "", x->solution_differs ? "; solutions differ" : "");
}

/* what the times of a run say beside its baseline's */
static const char *outcome_beside(const nb_comparing *c, const nb_comparison *x) {
    static const char *const verdicts[] = {"alike", "faster", "slower", "unknown"};
    return outcome_in(c, x, verdicts, "not converged", "baseline not converged");
}

/* "12", and over the baseline's value */
static void ratio_cells(nb_table *table, const char *format, double value, double of) {
    if (isnan(value))
        nb_table_cell(table, "-");
    else
        nb_table_cell(table, format, value);
    if (isnan(value / of))
        nb_table_cell(table, "-");
    else
        nb_table_cell(table, "%.3g", value / of);
}

static void add_row_beside(const nb_comparing *c, const nb_comparison *x, nb_table *table) {
    const nb_compared_side *a = &x->side[0], *b = x->is_baseline ? a : &x->side[1];
    nb_table_cell(table, "%s", x->label);
    ratio_cells(table, "%.4g", b->seconds.value, a->seconds.value);
    if (x->is_baseline || isnan(x->ratio.low))
        nb_table_cell(table, "-");
    else
        nb_table_cell(table, "%.3g .. %.3g", x->ratio.low, x->ratio.high);
    ratio_cells(table, "%.0f", b->newton_iterations, a->newton_iterations);
    ratio_cells(table, "%.0f", b->linear_iterations, a->linear_iterations);
    ratio_cells(table, "%.0f", b->work, a->work);
    nb_table_cell(table, c->accuracy > 0 ? "%.0f" : "%.3g", c->accuracy > 0 ? b->reached : b->error);
    if (x->is_baseline)
        nb_table_cell(table, "baseline");
    else
        nb_table_cell(table, "%s%s", outcome_beside(c, x), x->solution_differs ? "; solutions differ" : "");
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
                     c->accuracy, c->of_energy ? " of the energy norm" : " m/s");
        else if (cause == 1)
            nb_print(stderr, "unknown: %d steps are too few for an interval over them (run with --steps 5, or 1)\n",
                     steps);
        else
            nb_print(stderr, "unknown: there are too few repetitions for an interval (run with --repeat 5)\n");
    }
}

/* whether all runs are of Matrix Market systems */
static int of_systems(const nb_comparing *c) {
    return nb_compared_runs_are_systems(&c->compared[0]) && nb_compared_runs_are_systems(&c->compared[1]);
}

static nb_status create_table(const nb_comparing *c, nb_table **table) {
    const char *error = of_systems(c) ? ">||b - A x||/||b||" : ">error [m/s]", *over = ">/baseline";
    const char *last = c->accuracy > 0 ? ">steps reached" : error;
    const char *pairs[] = {"run",    ">Newton it.", ">linear it.", ">A x",           last,
                           ">A [s]", ">B [s]",      ">B/A",        ">95 % interval", "outcome"};
    const char *beside[] = {"run",  ">time [s]", over, ">95 % interval", ">Newton it.", over, ">linear it.", over,
                            ">A x", over,        last, "outcome"};
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
