/* compare: the runs of two records, or of one that differ in one setting, pair by pair; or all runs beside one. */
#include "statistics/compare.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "base/options.h"
#include "baseline.h"
#include "command.h"
#include "record/record.h"
#include "safe_read.h"
#include "statistics/settings.h"
#include "text/json.h"
#include "text/plain.h"
#include "text/table.h"

enum {
    KEY_FORMAT = 500,
    KEY_TO,
    KEY_BY,
    KEY_BASELINE,
    MOST_WARNINGS = 12
};

typedef enum output_format {
    FORMAT_TEXT,
    FORMAT_JSON,
    FORMAT_TSV
} output_format;

static const struct argp_option options[] = {
    {.name = "to",
     .key = KEY_TO,
     .arg = "X|energy:X",
     .doc =
         "compare what it took to reach this natural-map error [m/s]; of problem files, relative to ||q||; energy:X: "
         "this energy error in all linear solves, relative to the solution (run --reference-linear on)"},
    {.name = "by",
     .key = KEY_BY,
     .arg = "SETTING",
     .doc = "compare the runs of one record that differ in this setting alone: preconditioner, linear-solver, mu, ..."},
    {.name = "baseline",
     .key = KEY_BASELINE,
     .arg = "RUN",
     .doc =
         "compare all runs of one record with this run: its number, its settings (pcr,mu=0.3), or RECORD/RUN for one "
         "of another record"},
    {.name = "format", .key = KEY_FORMAT, .arg = "text|json|tsv", .doc = "how to print [text]"},
    {0},
};

typedef struct comparing {
    const char *path[2];
    double accuracy; /* 0: whole runs */
    int of_energy;   /* 1: the accuracy is of the energy error of linear solves */
    output_format format;
    char by[NB_NAME_LENGTH]; /* of one record, "" of two */
    const char *baseline;    /* of one record, the run as given, or NULL */
    char *baseline_path;     /* of its record, where that is another one, or NULL */
    int side[2];             /* which of the two records A and B of a pair are in */
    nb_record_reader *reader[2];
    nb_compared_runs compared[2];
    nb_comparison *list;
    int64_t count;
    char warnings[MOST_WARNINGS][640];
    int warning_count;
} comparing;

static const char *format_at(const void *names, int i) {
    return ((const char *const *)names)[i];
}

static nb_status take_by(comparing *c, const char *text) {
    if (!*text || strlen(text) >= sizeof c->by)
        return nb_fail(NB_ERROR_USAGE, "--by takes the name of a setting, such as preconditioner, not '%.80s'", text);
    snprintf(c->by, sizeof c->by, "%s", text);
    return NB_OK;
}

static nb_status set(void *context, int key, const char *text) {
    static const char *const formats[] = {"text", "json", "tsv"};
    comparing *c = context;
    if (key == ARGP_KEY_ARG) return nb_command_take(&nb_command_compare, text, &c->path[c->path[0] != NULL]);
    if (key == KEY_BY) return take_by(c, text);
    if (key == KEY_BASELINE) {
        c->baseline = text;
        return NB_OK;
    }
    if (key == KEY_TO) return nb_command_accuracy("compare", text, &c->accuracy, &c->of_energy);
    int i = nb_name_find(text, 3, format_at, formats);
    if (i < 0) return nb_name_unknown("--format", text, 3, format_at, formats);
    c->format = (output_format)i;
    return NB_OK;
}

static int are_one_file(const char *a, const char *b) {
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* the record that the baseline is in, where it is another one, as the second */
static nb_status take_baseline(comparing *c) {
    if (c->path[1] || *c->by)
        return nb_fail(NB_ERROR_USAGE, "compare: --baseline is for all runs of one record: leave out '%.80s'",
                       c->path[1] ? c->path[1] : "--by");
    nb_status status = nb_baseline_split(c->baseline, &c->baseline_path, &c->baseline);
    if (c->baseline_path && !are_one_file(c->path[0], c->baseline_path)) c->path[1] = c->baseline_path;
    c->side[0] = c->path[1] != NULL;
    c->side[1] = 0;
    return status;
}

static nb_status open_all(comparing *c) {
    nb_status status = NB_OK;
    c->compared[0].seeds = c->compared[1].seeds = *c->by || c->baseline;
    c->side[1] = c->path[1] != NULL;
    if (c->baseline) NB_TRY(take_baseline(c));
    for (int i = 0; i < 2 && c->path[i]; i++) {
        NB_TRY(nb_safe_read(c->path[i], nb_read_record));
        NB_TRY(nb_record_open(c->path[i], &c->reader[i]));
        NB_TRY(nb_record_expect_runs(c->reader[i], c->path[i]));
        c->compared[i].of_energy = c->of_energy;
        NB_TRY(nb_compared_runs_read(&c->compared[i], c->reader[i], c->accuracy));
    }
    NB_TRY(nb_compared_runs_settle((nb_compared_runs *const[]){&c->compared[0], &c->compared[1]}, 2));
out:
    return status;
}

/* The setting as a record calls it, "" where no run has one that is called so. Options of several things are a slip,
 * where the scene has no parameter of this name. */
static nb_status name_setting(const comparing *c, const char *asked, char by[NB_NAME_LENGTH]) {
    char name[NB_NAME_LENGTH], other[NB_NAME_LENGTH] = "";
    *by = '\0';
    for (int64_t i = 0; i < c->compared[0].count; i++)
        for (int k = 0; nb_setting_name(&c->compared[0].items[i].info, asked, strlen(asked), k, name); k++) {
            if (*by && strcmp(by, name) != 0) snprintf(other, sizeof other, "%s", by);
            snprintf(by, NB_NAME_LENGTH, "%s", name);
            if (!strchr(name, '.')) return NB_OK;
        }
    return *other ? nb_fail(NB_ERROR_USAGE, "compare: --by %s: write %s or %s", asked, other, by) : NB_OK;
}

/* the setting that is asked for; one that no run has, or that none differ in, is a slip */
static nb_status find_setting(comparing *c) {
    char first[NB_NAME_LENGTH] = "", value[NB_NAME_LENGTH], asked[sizeof c->by];
    int known = 0, varies = 0;
    nb_status status;
    snprintf(asked, sizeof asked, "%s", c->by);
    if (c->path[1]) return nb_fail(NB_ERROR_USAGE, "compare: --by is within one record; give one");
    NB_TRY(name_setting(c, asked, c->by));
    for (int64_t i = 0; *c->by && i < c->compared[0].count; i++) {
        if (!nb_compared_run_value(&c->compared[0].items[i], c->by, value)) continue;
        varies |= known && strcmp(first, value) != 0;
        if (!known++) snprintf(first, sizeof first, "%s", value);
    }
    if (!known) return nb_fail(NB_ERROR_USAGE, "compare: no run of '%.200s' has a setting '%s'", c->path[0], asked);
    if (!varies)
        return nb_fail(NB_ERROR_INPUT, "compare: all runs of '%.200s' have %s %s", c->path[0], c->by,
                       *first ? first : "none");
    c->compared[0].by = c->by;
out:
    return status;
}

/* whether the two are different runs of which both are there */
static int is_pair(const nb_comparison *x) {
    return x->a >= 0 && x->b >= 0 && !x->is_baseline;
}

/* the run that is A (side 0) or B (1) of a pair */
static const nb_compared_run *run_of(const comparing *c, const nb_comparison *x, int side) {
    return &c->compared[c->side[side]].items[side == 0 ? x->a : x->b];
}

/* ---- what makes the two hard to compare ---- */

/* the provenance of run `i` of record `r` */
static const nb_provenance *made_with(const comparing *c, int r, int64_t i) {
    const int of = c->side[r];
    return nb_record_provenance_at(c->reader[of], c->compared[of].items[i].provenance);
}

static void warn(comparing *c, const char *text) {
    for (int i = 0; i < c->warning_count; i++)
        if (strcmp(c->warnings[i], text) == 0) return;
    if (c->warning_count < MOST_WARNINGS) snprintf(c->warnings[c->warning_count++], sizeof *c->warnings, "%s", text);
}

/* Where the two runs of a pair were made with something else. */
static void warn_of_provenance(comparing *c, const nb_comparison *x) {
    static const char *const names[] = {"cpu_model",      "cores",      "threads",   "simd",
                                        "blas",           "blas_core",  "cholmod",   "compiler",
                                        "compiler_flags", "build_type", "git_commit"};
    const nb_provenance *of[2] = {made_with(c, 0, x->a), made_with(c, 1, x->b)};
    for (int f = 0; of[0] != of[1] && f < nb_provenance_members.count; f++) {
        const nb_member *field = &nb_provenance_members.items[f];
        char text[2][300], both[sizeof *c->warnings];
        int known = 0;
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) known |= strcmp(names[i], field->name) == 0;
        for (int i = 0; known && i < 2; i++) nb_member_text(field, of[i], 9, text[i], sizeof text[i]);
        if (!known || strcmp(text[0], text[1]) == 0) continue;
        snprintf(both, sizeof both, "%s differs: %s; %s", field->name, text[0], text[1]);
        warn(c, both);
    }
}

static void warn_of_pairs(comparing *c) {
    for (int64_t i = 0; i < c->count; i++)
        if (is_pair(&c->list[i])) warn_of_provenance(c, &c->list[i]);
}

static void warn_of_seeds(comparing *c) {
    int64_t pairs = 0;
    for (int64_t i = 0; i < c->count; i++) {
        const nb_comparison *x = &c->list[i];
        if (is_pair(x)) pairs += run_of(c, x, 0)->info.seed != run_of(c, x, 1)->info.seed;
    }
    if (pairs > 0 && c->warning_count < MOST_WARNINGS)
        snprintf(c->warnings[c->warning_count++], sizeof *c->warnings, "seed differs in %lld pair(s)",
                 (long long)pairs);
}

/* times that are of the recorded pass alone, and iterations at most that nobody asked for, as far as is known */
static void warn_of_runs(comparing *c) {
    int64_t cold = 0, limits = 0;
    for (int64_t i = 0; i < c->count; i++) {
        const nb_comparison *x = &c->list[i];
        if (!is_pair(x)) continue;
        const nb_compared_run *a = run_of(c, x, 0), *b = run_of(c, x, 1);
        cold += a->repeats == 0 || b->repeats == 0;
        limits += nb_compared_run_limits_differ(a, b);
    }
    if (cold > 0 && c->warning_count < MOST_WARNINGS)
        snprintf(
            c->warnings[c->warning_count++], sizeof *c->warnings,
            "times in %lld pair(s) are of a recorded pass, cold and once: no repetitions are recorded (--repeat 5)",
            (long long)cold);
    if (limits > 0 && c->warning_count < MOST_WARNINGS)
        snprintf(c->warnings[c->warning_count++], sizeof *c->warnings,
                 "newton_iterations or linear_iterations, at most, differ in %lld pair(s)", (long long)limits);
}

/* runs whose steps are of different problems, since they begin them with different states */
static void warn_of_trajectories(comparing *c) {
    int64_t pairs = 0;
    const nb_comparison *first = NULL;
    for (int64_t i = 0; i < c->count; i++) {
        const nb_comparison *x = &c->list[i];
        if (!is_pair(x) || x->parting < 0) continue;
        if (!first || x->parting < first->parting) first = x;
        pairs++;
    }
    if (first && c->warning_count < MOST_WARNINGS)
        snprintf(c->warnings[c->warning_count++], sizeof *c->warnings,
                 "in %lld pair(s) the runs are no longer on one trajectory, from step %d on (%.250s): later steps are "
                 "other problems; --from RECORD --steps 1 gives all runs one state",
                 (long long)pairs, (int)first->parting, first->label);
}

/* What the records themselves say against their timings. */
static void warn_of_records(comparing *c) {
    const int several = c->reader[1] != NULL;
    for (int i = 0; i < 1 + several; i++)
        for (int k = 0; k < nb_record_provenance_count(c->reader[i]); k++) {
            const char *says = nb_record_provenance_at(c->reader[i], k)->warnings;
            const nb_provenance *other = several ? nb_record_provenance_at(c->reader[!i], 0) : NULL;
            int alike = several && nb_record_provenance_count(c->reader[0]) == 1 &&
                        nb_record_provenance_count(c->reader[1]) == 1 && strcmp(says, other->warnings) == 0;
            char text[sizeof *c->warnings];
            if (!*says) continue;
            snprintf(text, sizeof text, "timings of %s: %.500s",
                     !several          ? "the record"
                     : alike           ? "both records"
                     : c->side[0] == i ? "A"
                                       : "B",
                     says);
            warn(c, text);
        }
}

/* ---- printing ---- */

static const char *where(const nb_comparison *x) {
    if (x->is_baseline) return "baseline";
    return x->b < 0 ? "only in A" : x->a < 0 ? "only in B" : "both";
}

static void print_interval(const nb_interval *x, nb_json *json, const char *name) {
    nb_json_object(json, name);
    nb_json_number(json, "value", x->value);
    nb_json_number(json, "low", x->low);
    nb_json_number(json, "high", x->high);
    nb_json_end(json);
}

/* What the times say; of steps that never came to the accuracy, or to the tolerance that the runs were asked for, which
 * of the two did. */
static const char *outcome_of(const comparing *c, const nb_comparison *x) {
    int a = x->side[0].reached > 0, b = x->side[1].reached > 0;
    int met_a = run_of(c, x, 0)->met != 0, met_b = run_of(c, x, 1)->met != 0;
    if (!(c->accuracy > 0) && !(met_a && met_b))
        return met_a ? "only A met its tolerance" : met_b ? "only B met its tolerance" : "neither met its tolerance";
    if (c->accuracy > 0 && !(a && b)) return a ? "only A reached it" : b ? "only B reached it" : "neither reached it";
    return nb_verdict_names[x->verdict];
}

static void print_json(const comparing *c) {
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
            int of_system = run_of(c, x, k)->of_system;
            if (*c->by && nb_compared_run_value(&c->compared[0].items[k ? x->b : x->a], c->by, value))
                nb_json_text(&json, c->by, value);
            nb_json_number(&json, "newton_iterations", x->side[k].newton_iterations);
            nb_json_number(&json, "linear_iterations", x->side[k].linear_iterations);
            nb_json_number(&json, "operator_applications", x->side[k].work);
            nb_json_number(&json, of_system ? "relative_residual" : "natural_map_error", x->side[k].error);
            if (c->accuracy > 0) nb_json_number(&json, "steps_reached", x->side[k].reached);
            print_interval(&x->side[k].seconds, &json, "seconds");
            nb_json_end(&json);
        }
        if (is_pair(x)) {
            print_interval(&x->ratio, &json, "time_ratio");
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

static void print_tsv(const comparing *c) {
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

static void add_row(const comparing *c, const nb_comparison *x, nb_table *table) {
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
    nb_table_cell(table, "%s%s%s%s", outcome_of(c, x), x->work_differs ? ", other work" : "",
                  x->error_differs ? ", other error" : "", x->solution_differs ? ", other solution" : "");
}

/* what the times of a run say beside its baseline's */
static const char *outcome_beside(const comparing *c, const nb_comparison *x) {
    static const char *const verdicts[] = {"alike", "faster", "slower", "unknown"};
    int a = x->side[0].reached > 0, b = x->side[1].reached > 0;
    int met_a = run_of(c, x, 0)->met != 0, met_b = run_of(c, x, 1)->met != 0;
    if (!(c->accuracy > 0) && !(met_a && met_b))
        return met_a ? "tolerance not met" : met_b ? "baseline's tolerance not met" : "neither met its tolerance";
    if (c->accuracy > 0 && !(a && b))
        return a ? "accuracy not reached" : b ? "baseline's accuracy not reached" : "neither reached it";
    return verdicts[x->verdict];
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

static void add_row_beside(const comparing *c, const nb_comparison *x, nb_table *table) {
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
        nb_table_cell(table, "%s%s", outcome_beside(c, x), x->solution_differs ? ", other solution" : "");
}

/* the steps of a pair that reached the accuracy are not all of them */
static int fell_short(const comparing *c, const nb_comparison *x) {
    return c->accuracy > 0 &&
           (x->side[0].reached < run_of(c, x, 0)->step_count || x->side[1].reached < run_of(c, x, 1)->step_count);
}

/* Why pairs have no verdict: the first of each cause. */
static void explain_unknown(const comparing *c) {
    int said[3] = {0};
    for (int64_t i = 0; i < c->count; i++) {
        const nb_comparison *x = &c->list[i];
        if (!is_pair(x) || strcmp(outcome_of(c, x), nb_verdict_names[NB_VERDICT_UNKNOWN]) != 0) continue;
        const int steps = run_of(c, x, 0)->step_count, short_of = fell_short(c, x);
        const int cause = short_of ? 0 : c->accuracy > 0 && steps > 1 ? 1 : 2;
        if (said[cause]++) continue;
        if (cause == 0)
            nb_print(stderr,
                     "unknown: %.0f of %d steps of A and %.0f of %d of B reached %g%s; an interval requires that "
                     "all steps do\n",
                     x->side[0].reached, steps, x->side[1].reached, (int)run_of(c, x, 1)->step_count, c->accuracy,
                     c->of_energy ? " of the energy norm" : " m/s");
        else if (cause == 1)
            nb_print(stderr, "unknown: %d steps are too few for an interval over them (run with --steps 5, or 1)\n",
                     steps);
        else
            nb_print(stderr, "unknown: there are too few repetitions for an interval (run with --repeat 5)\n");
    }
}

/* whether all runs are of Matrix Market systems */
static int of_systems(const comparing *c) {
    return nb_compared_runs_are_systems(&c->compared[0]) && nb_compared_runs_are_systems(&c->compared[1]);
}

static nb_status create_table(const comparing *c, nb_table **table) {
    const char *error = of_systems(c) ? ">||b - A x||/||b||" : ">error [m/s]", *over = ">/baseline";
    const char *last = c->accuracy > 0 ? ">steps reached" : error;
    const char *pairs[] = {"run",    ">Newton it.", ">linear it.", ">A x",           last,
                           ">A [s]", ">B [s]",      ">B/A",        ">95 % interval", "outcome"};
    const char *beside[] = {"run",  ">time [s]", over, ">95 % interval", ">Newton it.", over, ">linear it.", over,
                            ">A x", over,        last, "outcome"};
    return c->baseline ? nb_table_create(12, beside, table) : nb_table_create(10, pairs, table);
}

static nb_status print_text(const comparing *c) {
    nb_table *table = NULL;
    nb_status status;
    int64_t rows = 0;
    NB_TRY(create_table(c, &table));
    for (int64_t i = 0; i < c->count; i++) {
        const nb_comparison *x = &c->list[i];
        if (!is_pair(x) && !x->is_baseline) continue;
        (c->baseline ? add_row_beside : add_row)(c, x, table);
        rows++;
    }
    if (rows > 0) NB_TRY(nb_table_print(table, stdout));
    explain_unknown(c);
    if (rows == 0) nb_print(stdout, *c->by ? "no two runs differ in %s alone\n" : "no run is in both records\n", c->by);
    for (int64_t i = 0; i < c->count; i++)
        if (!is_pair(&c->list[i]) && !c->list[i].is_baseline)
            nb_print(stdout, "%s: %s\n", c->baseline ? "without a baseline" : where(&c->list[i]), c->list[i].label);
out:
    nb_table_destroy(table);
    return status;
}

static nb_status find_pairs(comparing *c) {
    nb_status status = NB_OK;
    const nb_compared_runs *a = &c->compared[c->side[0]], *b = &c->compared[c->side[1]];
    if (c->baseline) {
        int64_t index;
        NB_TRY(nb_baseline_find(a, c->path[c->side[0]], c->baseline, &index));
        return nb_compare_with(a, index, b, c->accuracy, &c->list, &c->count);
    }
    if (*c->by) {
        NB_TRY(find_setting(c));
        return nb_compare_by(a, c->by, c->accuracy, &c->list, &c->count);
    }
    return nb_compare(a, b, c->accuracy, &c->list, &c->count);
out:
    return status;
}

static nb_status compare(int argc, char **argv, int *exit_status) {
    (void)exit_status;
    comparing c = {0};
    nb_status status;
    NB_TRY(nb_command_parse(&nb_command_compare, argc, argv, set, &c));
    if (!c.path[0] || (!c.path[1] && !*c.by && !c.baseline))
        NB_TRY(nb_fail(NB_ERROR_USAGE,
                       "compare: %s missing: ncpbench compare A.h5 B.h5, A.h5 --by SETTING or A.h5 --baseline RUN",
                       c.path[0] ? "the second record is" : "two records are"));
    NB_TRY(open_all(&c));
    NB_TRY(find_pairs(&c));
    warn_of_pairs(&c);
    if (c.path[1] && !c.baseline) warn_of_seeds(&c);
    warn_of_runs(&c);
    warn_of_trajectories(&c);
    warn_of_records(&c);
    for (int i = 0; i < c.warning_count; i++) nb_print(stderr, "warning: %s\n", c.warnings[i]);
    if (c.format == FORMAT_JSON) print_json(&c);
    if (c.format == FORMAT_TSV) print_tsv(&c);
    if (c.format == FORMAT_TEXT) NB_TRY(print_text(&c));
out:
    nb_free(c.list);
    nb_free(c.baseline_path);
    for (int i = 0; i < 2; i++) {
        nb_compared_runs_clear(&c.compared[i]);
        nb_record_reader_close(c.reader[i]);
    }
    return status;
}

const nb_command nb_command_compare = {
    .name = "compare",
    .arguments = "A.h5 B.h5\nA.h5 --by SETTING\nA.h5 --baseline [RECORD/]RUN",
    .summary = "hold the runs of two records, or of one, against each other",
    .details =
        "Runs are paired by their settings (seed and repetitions aside, and iterations at most where they are the "
        "scenarios' own). With --by, those of one record that differ in this setting alone are: A is the value that "
        "stands first in the record, B each of the others. With --baseline, all runs of a record are held against one: "
        "times, iterations and work as numbers and over the baseline's. Runs of other scenarios are held against the "
        "run "
        "of theirs that has the baseline's solver settings. Times are medians over the timed "
        "repetitions (--repeat), B/A their ratio with a 95 % bootstrap interval, for which five are needed; B is "
        "faster or slower where the interval leaves 1 out, and unknown without one. With --to, times and "
        "iterations are those until a step reached the accuracy, with what is done once a step: the share of these in "
        "the recorded pass, of the step's median repetition. Medians are then over steps, of a run of one step over "
        "its repetitions; a step that never did takes forever. Matrix Market systems are judged by ||b - A x||/||b||. "
        "'A x' is the "
        "work: products with the operator (results/schema.md), "
        "'-' with a plugin's method, which counts none. Steps of two runs are one problem only where they begin with "
        "one state: a warning names the first step where energies or recorded states differ beyond round-off (1e-10). "
        "'Other solution': the last step has several, as reference solutions (run) show, and the two came to different "
        "ones; iterations and times are then of two problems.",
    .examples = "  # pairs that differ in the linear solver alone; all runs beside one\n"
                "  ncpbench compare a.h5 --by linear-solver\n"
                "  ncpbench compare a.h5 --baseline pcr,mu=0.5\n",
    .options = options,
    .run = compare,
};
