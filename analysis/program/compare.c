/* compare: the runs of two records, or of one that differ in one setting, pair by pair; or all runs beside one. */
#include "comparing.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "base/named_values.h"
#include "base/options.h"
#include "command.h"
#include "file_readers.h"
#include "table/conditions.h"
#include "table/settings.h"
#include "text/plain.h"

enum {
    KEY_FORMAT = 500,
    KEY_TO,
    KEY_BY,
    KEY_BASELINE,
    KEY_RANK,
    KEY_FAIL_ABOVE
};

static const double rank_accuracy = 1e-6; /* [m/s], unless --to says otherwise */

static const struct argp_option options[] = {
    {.name = "to",
     .key = KEY_TO,
     .arg = "X|energy:X|residual:X",
     .doc =
         "compare what it took to reach this natural-map error [m/s]; of problem files, relative to ||q||; energy:X: "
         "this energy error in all linear solves, relative to the solution (run --reference-linear on); residual:X: "
         "this true residual, relative to the first"},
    {.name = "by",
     .key = KEY_BY,
     .arg = "SETTING",
     .doc = "compare the runs of one record that differ in this setting alone: preconditioner, linear-solver, mu, ...; "
            "with --rank, rank within each value of a problem's setting, such as class"},
    {.name = "baseline",
     .key = KEY_BASELINE,
     .arg = "RUN",
     .doc =
         "compare all runs of one record with this run: its number, its settings (pcr,mu=0.3), or RECORD/RUN for one "
         "of another record"},
    {.name = "rank",
     .key = KEY_RANK,
     .doc = "rank the solvers of one or several records, best first, by their mean time to the accuracy (--to) [1e-6]; "
            "--baseline names the solver that ratios are over [the best]"},
    {.name = "fail-above",
     .key = KEY_FAIL_ABOVE,
     .arg = "R",
     .doc = "exit status 2 where a time is more than R times that of A, or of the baseline, by its interval"},
    {.name = "format",
     .key = KEY_FORMAT,
     .arg = "NAME",
     .doc = "how to print: text, json, tsv; with --rank also csv, latex (booktabs), markdown [text]"},
    {0},
};

static nb_status take_by(nb_comparing *c, const char *text) {
    if (!*text || strlen(text) >= sizeof c->by)
        return nb_fail(NB_ERROR_USAGE, "--by takes the name of a setting, such as preconditioner, not '%.80s'", text);
    snprintf(c->by, sizeof c->by, "%s", text);
    return NB_OK;
}

static nb_status take_format(nb_comparing *c, const char *text) {
    static const char *const formats[NB_COMPARE_FORMATS] = {"text", "json", "tsv", "csv", "latex", "markdown"};
    int format;
    nb_status status = nb_name_choose("--format", text, formats, NB_COMPARE_FORMATS, &format);
    if (status == NB_OK) c->format = (nb_compare_format)format;
    return status;
}

static nb_status set(void *context, int key, const char *text) {
    nb_comparing *c = context;
    switch (key) {
    case ARGP_KEY_ARG:
        if (c->paths == NB_COMPARING_RECORDS) return nb_command_take(&nb_command_compare, text, &c->path[0]);
        c->path[c->paths++] = text;
        return NB_OK;
    case KEY_BY: return take_by(c, text);
    case KEY_BASELINE: c->baseline = text; return NB_OK;
    case KEY_RANK: c->rank = 1; return NB_OK;
    case KEY_FAIL_ABOVE: return nb_command_number("--fail-above", text, "1", 0.01, 1000, &c->fail_above);
    case KEY_TO: return nb_command_accuracy("compare", text, &c->accuracy, &c->error);
    default: return take_format(c, text);
    }
}

static int are_one_file(const char *a, const char *b) {
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* the record that the baseline is in, where it is another one, as the second */
static nb_status take_baseline(nb_comparing *c) {
    if (c->path[1] || *c->by)
        return nb_fail(NB_ERROR_USAGE, "compare: --baseline requires one record; leave out '%.80s'",
                       c->path[1] ? c->path[1] : "--by");
    nb_status status = nb_baseline_split(c->baseline, &c->baseline_path, &c->baseline);
    if (c->baseline_path && !are_one_file(c->path[0], c->baseline_path)) c->path[1] = c->baseline_path;
    c->side[0] = c->path[1] != NULL;
    c->side[1] = 0;
    return status;
}

static nb_status open_all(nb_comparing *c) {
    nb_status status = NB_OK;
    c->compared[0].seeds = c->compared[1].seeds = (*c->by && !c->rank) || c->baseline;
    c->side[1] = c->path[1] != NULL;
    if (c->baseline && !c->rank) NB_TRY(take_baseline(c));
    for (int i = 0; i < NB_COMPARING_RECORDS && c->path[i]; i++) {
        NB_TRY(nb_safe_read(c->path[i], nb_read_record));
        NB_TRY(nb_record_open(c->path[i], &c->reader[i]));
        NB_TRY(nb_record_expect_runs(c->reader[i], c->path[i]));
        nb_compared_runs *into = &c->compared[c->rank ? 0 : i];
        into->error = c->error;
        NB_TRY(nb_compared_runs_read(into, c->reader[i], NULL, c->accuracy));
    }
    NB_TRY(nb_compared_runs_settle((nb_compared_runs *const[]){&c->compared[0], &c->compared[1]}, 2));
out:
    return status;
}

/* The setting as a record calls it, "" where no run has one that is called so. Options of several things are a slip,
 * where the scene has no parameter of this name. */
static nb_status name_setting(const nb_comparing *c, const char *asked, char by[NB_NAME_LENGTH]) {
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

/* the values of --by in the order in which they stand in the records; a setting that no run has is a slip */
static nb_status list_values(nb_comparing *c, nb_ranking_value **values, int64_t *count) {
    nb_status status;
    int64_t capacity = 0;
    char asked[sizeof c->by], value[NB_NAME_LENGTH];
    snprintf(asked, sizeof asked, "%s", c->by);
    NB_TRY(name_setting(c, asked, c->by));
    for (int64_t i = 0; *c->by && i < c->compared[0].count; i++) {
        int64_t k = 0;
        if (!nb_setting_value(&c->compared[0].items[i].info, c->by, value)) continue;
        while (k < *count && strcmp((*values)[k].text, value) != 0) k++;
        if (k < *count) continue;
        NB_TRY(NB_RESERVE(*count + 1, &capacity, values));
        memcpy((*values)[(*count)++].text, value, sizeof value);
    }
    if (*count == 0)
        status = nb_fail(NB_ERROR_USAGE, "compare: no run of '%.200s' has a setting '%s'", c->path[0], asked);
out:
    return status;
}

/* the setting that is asked for; one that no runs differ in is a slip */
static nb_status find_setting(nb_comparing *c) {
    nb_status status;
    nb_ranking_value *values = NULL;
    int64_t count = 0;
    if (c->path[1]) return nb_fail(NB_ERROR_USAGE, "compare: --by is within one record; give one");
    NB_TRY(list_values(c, &values, &count));
    if (count == 1)
        status = nb_fail(NB_ERROR_INPUT, "compare: all runs of '%.200s' have %s %s", c->path[0], c->by,
                         *values[0].text ? values[0].text : "none");
    c->compared[0].by = c->by;
out:
    nb_free(values);
    return status;
}

/* ---- the baseline ---- */

nb_status nb_baseline_split(const char *text, char **path, const char **run) {
    const char *slash = strrchr(text, '/');
    struct stat file;
    *path = NULL;
    *run = text;
    if (!slash) return NB_OK;
    nb_status status = nb_copy_text(text, path);
    if (status != NB_OK) return status;
    (*path)[slash - text] = '\0';
    if (stat(*path, &file) == 0 && S_ISREG(file.st_mode)) {
        *run = slash + 1;
    } else {
        nb_free(*path);
        *path = NULL;
    }
    return NB_OK;
}

/* a word by which a run is named */
typedef struct naming {
    const char *item;
    size_t length;
    int found;
} naming;

static nb_status match_method(void *context, const nb_named_value *parameter) {
    naming *w = context;
    w->found |= !parameter->is_number && strncmp(parameter->name, "method.", 7) == 0 &&
                strlen(parameter->text) == w->length && strncmp(parameter->text, w->item, w->length) == 0;
    return NB_OK;
}

/* whether the run has the setting NAME=VALUE, or one of this value */
static int has_item(const nb_run_info *info, const char *item, size_t length) {
    char value[NB_NAME_LENGTH];
    if (memchr(item, '=', length)) return nb_condition_holds(item, length, ',', info);
    naming w = {item, length, 0};
    (void)nb_named_values_read(info->parameters, match_method, &w); /* a fault finds nothing */
    for (int i = 0; i < nb_run_info_members.count && !w.found; i++) {
        const nb_member *field = &nb_run_info_members.items[i];
        if (field->kind != NB_MEMBER_TEXT || !nb_setting_kind(field->name)) continue;
        nb_member_text(field, info, 6, value, sizeof value);
        w.found = strlen(value) == length && strncmp(value, item, length) == 0;
    }
    return w.found;
}

static int has_items(const nb_run_info *info, const char *list) {
    for (const char *item = list;; item++) {
        const size_t length = strcspn(item, ",");
        if (length == 0 || !has_item(info, item, length)) return 0;
        item += length;
        if (!*item) return 1;
    }
}

/* "0000 (arch, linear_solver pcr), 0001 (...)": the first runs, of those that `list` names where it is given */
static void list_runs(const nb_compared_runs *set, const char *list, char *text, size_t size) {
    size_t used = 0;
    int named = 0;
    *text = '\0';
    for (int64_t i = 0; i < set->count && used < size; i++) {
        char label[256];
        if (list && !has_items(&set->items[i].info, list)) continue;
        if (named++ == 4) {
            snprintf(text + used, size - used, ", ...");
            return;
        }
        nb_compared_run_label(set, i, NB_COMPARED_PROBLEM | NB_COMPARED_SOLVER, label, sizeof label);
        used += (size_t)snprintf(text + used, size - used, "%s%04lld (%.100s)", used ? ", " : "", (long long)i, label);
    }
}

/* whether `run` leaves open which of the two it means */
static int are_rivals(const nb_compared_run *a, const nb_compared_run *b, int any_problem) {
    return (!any_problem && strcmp(a->info.scenario, b->info.scenario) == 0) || !nb_compared_run_same_solver(a, b) ||
           strcmp(a->info.precision, b->info.precision) != 0;
}

nb_status nb_baseline_find(const nb_compared_runs *set, const char *path, const char *run, int any_problem,
                           int64_t *index) {
    char runs[600], *end;
    *index = -1;
    if (*run && strspn(run, "0123456789") == strlen(run)) {
        const long long number = strtoll(run, &end, 10);
        if (number < set->count) *index = number;
    }
    for (int64_t i = 0; i < set->count && *index < 0; i++)
        if (has_items(&set->items[i].info, run)) *index = i;
    if (*index < 0) {
        list_runs(set, NULL, runs, sizeof runs);
        return nb_fail(NB_ERROR_USAGE, "--baseline '%.80s': no such run in '%.200s', which has %s", run, path, runs);
    }
    if (!has_items(&set->items[*index].info, run)) return NB_OK; /* a number */
    for (int64_t i = *index + 1; i < set->count; i++) {
        if (!has_items(&set->items[i].info, run) || !are_rivals(&set->items[i], &set->items[*index], any_problem))
            continue;
        list_runs(set, run, runs, sizeof runs);
        return nb_fail(NB_ERROR_USAGE, "--baseline '%.80s' names several runs: %s; give a number, or more settings",
                       run, runs);
    }
    return NB_OK;
}

/* ---- what makes the two hard to compare ---- */

/* the provenance of run `i` of record `r` */
static const nb_provenance *made_with(const nb_comparing *c, int r, int64_t i) {
    const int of = c->side[r];
    return nb_record_provenance_at(c->reader[of], c->compared[of].items[i].provenance);
}

/* a warning, unless it is there or there are too many */
__attribute__((format(printf, 2, 3))) static void warn(nb_comparing *c, const char *format, ...) {
    char text[sizeof *c->warnings];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    for (int i = 0; i < c->warning_count; i++)
        if (strcmp(c->warnings[i], text) == 0) return;
    if (c->warning_count < NB_COMPARING_WARNINGS) memcpy(c->warnings[c->warning_count++], text, sizeof text);
}

/* Where the two runs of a pair were made with something else. */
static void warn_of_provenance(nb_comparing *c, const nb_comparison *x) {
    static const char *const names[] = {"cpu_model",      "cores",      "threads",   "simd",
                                        "blas",           "blas_core",  "cholmod",   "compiler",
                                        "compiler_flags", "build_type", "git_commit"};
    const nb_provenance *of[2] = {made_with(c, 0, x->a), made_with(c, 1, x->b)};
    for (int f = 0; of[0] != of[1] && f < nb_provenance_members.count; f++) {
        const nb_member *field = &nb_provenance_members.items[f];
        char text[2][300];
        int known = 0;
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) known |= strcmp(names[i], field->name) == 0;
        for (int i = 0; known && i < 2; i++) nb_member_text(field, of[i], 9, text[i], sizeof text[i]);
        if (!known || strcmp(text[0], text[1]) == 0) continue;
        warn(c, "%s differs: %s; %s", field->name, text[0], text[1]);
    }
}

static void warn_of_seeds(nb_comparing *c) {
    int64_t pairs = 0;
    for (int64_t i = 0; i < c->count; i++) {
        const nb_comparison *x = &c->list[i];
        if (nb_comparing_is_pair(x))
            pairs += nb_comparing_run(c, x, 0)->info.seed != nb_comparing_run(c, x, 1)->info.seed;
    }
    if (pairs > 0) warn(c, "seed differs in %lld pair(s)", (long long)pairs);
}

/* times that are of the recorded pass alone, and iterations at most that nobody asked for, as far as is known */
static void warn_of_runs(nb_comparing *c) {
    int64_t cold = 0, limits = 0;
    for (int64_t i = 0; i < c->count; i++) {
        const nb_comparison *x = &c->list[i];
        if (!nb_comparing_is_pair(x)) continue;
        const nb_compared_run *a = nb_comparing_run(c, x, 0), *b = nb_comparing_run(c, x, 1);
        cold += a->repeats == 0 || b->repeats == 0;
        limits += nb_compared_run_limits_differ(a, b);
    }
    if (cold > 0)
        warn(c, "times in %lld pair(s) are of a recorded pass, cold and once: no repetitions are recorded (--repeat 5)",
             (long long)cold);
    if (limits > 0)
        warn(c, "newton_iterations or linear_iterations, at most, differ in %lld pair(s)", (long long)limits);
}

/* runs whose steps are of different problems, since they begin them with different states */
static void warn_of_trajectories(nb_comparing *c) {
    int64_t pairs = 0;
    const nb_comparison *first = NULL;
    for (int64_t i = 0; i < c->count; i++) {
        const nb_comparison *x = &c->list[i];
        if (!nb_comparing_is_pair(x) || x->parting < 0) continue;
        if (!first || x->parting < first->parting) first = x;
        pairs++;
    }
    if (first)
        warn(c,
             "in %lld pair(s) the runs are no longer on one trajectory, from step %d on (%.250s): later steps are "
             "other problems; --from RECORD --steps 1 gives all runs one state",
             (long long)pairs, (int)first->parting, first->label);
}

/* runs that solved their final step, and came to other velocities than their errors explain */
static void warn_of_solutions(nb_comparing *c) {
    int64_t pairs = 0;
    const nb_comparison *worst = NULL;
    for (int64_t i = 0; i < c->count; i++) {
        const nb_comparison *x = &c->list[i];
        if (!nb_comparing_is_pair(x) || !(x->states_apart > 0)) continue;
        if (!worst || x->states_apart > worst->states_apart) worst = x;
        pairs++;
    }
    if (worst)
        warn(c,
             "in %lld pair(s) both runs solved the final step from one state to velocities that differ by up to %.2g "
             "m/s (%.250s): that step has several solutions",
             (long long)pairs, worst->states_apart, worst->label);
}

/* preconditioners in a formulation where they cannot serve, as the runs say */
static void warn_of_forms(nb_comparing *c) {
    for (int i = 0; i < 2; i++)
        for (int64_t k = 0; k < c->compared[i].count; k++) {
            const nb_compared_run *run = &c->compared[i].items[k];
            if (strncmp(run->remark, "preconditioner ", 15) == 0) warn(c, "%s: %s", run->info.scenario, run->remark);
        }
}

/* What the records themselves say against their timings. */
static void warn_of_records(nb_comparing *c) {
    const int several = c->reader[1] != NULL, many = c->reader[1] && c->reader[2];
    for (int i = 0; i < NB_COMPARING_RECORDS && c->reader[i]; i++)
        for (int k = 0; k < nb_record_provenance_count(c->reader[i]); k++) {
            const char *says = nb_record_provenance_at(c->reader[i], k)->warnings;
            const nb_provenance *other = several ? nb_record_provenance_at(c->reader[i == 0], 0) : NULL;
            int alike = several && !many && nb_record_provenance_count(c->reader[0]) == 1 &&
                        nb_record_provenance_count(c->reader[1]) == 1 && strcmp(says, other->warnings) == 0;
            const char *whose = !several          ? "the record"
                                : many            ? c->path[i]
                                : alike           ? "both records"
                                : c->side[0] == i ? "A"
                                                  : "B";
            if (*says) warn(c, "timings of %.100s: %.500s", whose, says);
        }
}

/* two processors of which the times in one table are: they do not compare */
static nb_status note_processors(nb_comparing *c, const nb_provenance *a, const nb_provenance *b) {
    if (c->fail_above > 0)
        return nb_fail(NB_ERROR_INPUT,
                       "compare: --fail-above requires times of one processor (got %.100s %s, %.100s %s)", a->cpu_model,
                       a->simd, b->cpu_model, b->simd);
    warn(c, "times are of several processors, %.100s (%s) and %.100s (%s): only work, iterations and errors compare",
         a->cpu_model, a->simd, b->cpu_model, b->simd);
    return NB_OK;
}

/* runs of one ranking that several processors made, as shards on several machines do */
static nb_status look_at_processors(nb_comparing *c) {
    nb_status status = NB_OK;
    const nb_run_head *run;
    const nb_provenance *first = NULL;
    for (int i = 0; i < NB_COMPARING_RECORDS && c->reader[i]; i++)
        for (int k = 0; k < nb_record_run_count(c->reader[i]); k++) {
            NB_TRY(nb_record_read_head(c->reader[i], k, &run));
            const nb_provenance *own = nb_record_provenance_at(c->reader[i], run->provenance);
            if (!first) first = own;
            if (nb_provenance_same_processor(first, own)) continue;
            c->compared[0].apart = 1;
            NB_TRY(note_processors(c, first, own));
        }
out:
    return status;
}

/* marks the pair where its runs are of two processors */
static nb_status look_at_processors_of(nb_comparing *c, nb_comparison *x) {
    const nb_provenance *a = made_with(c, 0, x->a), *b = made_with(c, 1, x->b);
    if (nb_provenance_same_processor(a, b)) return NB_OK;
    x->verdict = NB_VERDICT_APART;
    x->ratio = (nb_interval){NAN, NAN, NAN};
    return note_processors(c, a, b);
}

static nb_status find_pairs(nb_comparing *c) {
    nb_status status = NB_OK;
    const nb_compared_runs *a = &c->compared[c->side[0]], *b = &c->compared[c->side[1]];
    if (c->baseline) {
        int64_t index;
        NB_TRY(nb_baseline_find(a, c->path[c->side[0]], c->baseline, 0, &index));
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

/* pairs of which B takes more than the threshold times A's time, by the interval's lower end where there is one */
static int count_above(const nb_comparing *c) {
    int above = 0;
    for (int64_t i = 0; c->fail_above > 0 && i < c->count; i++) {
        const nb_comparison *x = &c->list[i];
        const double least = isnan(x->ratio.low) ? x->ratio.value : x->ratio.low;
        if (!nb_comparing_is_pair(x) || !(least > c->fail_above)) continue;
        nb_print(stderr, "fails: %s takes %.3g times as long, more than %g\n", x->label, x->ratio.value, c->fail_above);
        above++;
    }
    return above;
}

static nb_status print_pairs(nb_comparing *c, int *above) {
    nb_status status;
    NB_TRY(find_pairs(c));
    for (int64_t i = 0; i < c->count; i++)
        if (nb_comparing_is_pair(&c->list[i])) {
            NB_TRY(look_at_processors_of(c, &c->list[i]));
            warn_of_provenance(c, &c->list[i]);
        }
    if (c->path[1] && !c->baseline) warn_of_seeds(c);
    warn_of_runs(c);
    warn_of_trajectories(c);
    warn_of_solutions(c);
    warn_of_forms(c);
    warn_of_records(c);
    for (int i = 0; i < c->warning_count; i++) nb_print(stderr, "warning: %s\n", c->warnings[i]);
    if (c->format == NB_COMPARE_JSON) nb_comparing_print_json(c);
    if (c->format == NB_COMPARE_TSV) nb_comparing_print_tsv(c);
    if (c->format == NB_COMPARE_TEXT) NB_TRY(nb_comparing_print_text(c));
    *above = count_above(c);
out:
    return status;
}

static nb_status print_ranking(nb_comparing *c, int *above) {
    nb_status status = NB_OK;
    nb_ranking_value *values = NULL;
    int64_t count = 0;
    if (*c->by) NB_TRY(list_values(c, &values, &count));
    if (*c->by && /* only a problem's setting makes classes of them */
        (nb_setting_kind(c->by) ? nb_setting_kind(c->by) : nb_setting_parameter_kind(c->by)) != NB_COMPARED_PROBLEM)
        NB_TRY(
            nb_fail(NB_ERROR_USAGE,
                    "compare: --rank --by requires a setting of problems, such as class; '%s' is one of solvers, which "
                    "are ranked",
                    c->by));
    warn_of_forms(c);
    NB_TRY(look_at_processors(c));
    warn_of_records(c);
    for (int i = 0; i < c->warning_count; i++) nb_print(stderr, "warning: %s\n", c->warnings[i]);
    NB_TRY(nb_ranking_print(c, count, values, above));
out:
    nb_free(values);
    return status;
}

static nb_status check_request(nb_comparing *c) {
    if (!c->rank && c->format > NB_COMPARE_TSV)
        return nb_fail(NB_ERROR_USAGE, "compare: --format csv, latex and markdown require --rank");
    if (c->rank && !(c->accuracy > 0)) c->accuracy = rank_accuracy;
    if (c->paths > 2 && !c->rank)
        return nb_fail(NB_ERROR_USAGE, "compare: more than two records require --rank ('%.200s' is one too many)",
                       c->path[2]);
    if (c->path[0] && (c->path[1] || *c->by || c->baseline || c->rank)) return NB_OK;
    return nb_fail(
        NB_ERROR_USAGE,
        "compare: %s missing: ncpbench compare A.h5 B.h5, A.h5 --by SETTING, A.h5 --baseline RUN or A.h5 --rank",
        c->path[0] ? "the second record is" : "two records are");
}

static nb_status compare(int argc, char **argv, int *exit_status) {
    nb_comparing c = {0};
    nb_status status;
    int above = 0;
    NB_TRY(nb_command_parse(&nb_command_compare, argc, argv, set, &c));
    NB_TRY(check_request(&c));
    NB_TRY(open_all(&c));
    NB_TRY(c.rank ? print_ranking(&c, &above) : print_pairs(&c, &above));
    if (above) *exit_status = NB_EXIT_CHECK_FAILED;
out:
    nb_free(c.list);
    nb_free(c.baseline_path);
    for (int i = 0; i < 2; i++) nb_compared_runs_clear(&c.compared[i]);
    for (int i = 0; i < NB_COMPARING_RECORDS; i++) nb_record_reader_close(c.reader[i]);
    return status;
}

const nb_command nb_command_compare = {
    .name = "compare",
    .arguments = "A.h5 B.h5\nA.h5 --by SETTING\nA.h5 --baseline [RECORD/]RUN\nA.h5... --rank [--by SETTING]",
    .summary = "compare the runs of two records, or of one",
    .details =
        "Runs are paired by their settings (seed and repetitions aside, and iterations at most where they are the "
        "scenarios' own). With --by, those of one record that differ in this setting alone are: A is the value that "
        "stands first in the record, B each of the others. With --baseline, all runs of a record are held against "
        "one: times, iterations and work as numbers and over the baseline's. Runs of other scenarios are held against "
        "the run of theirs that has the baseline's solver settings. Times are medians over the timed repetitions "
        "(--repeat), B/A their ratio with a 95 % bootstrap interval, for which five are needed; B is faster or slower "
        "where the interval leaves 1 out, and unknown without one. With --to, times and iterations are those until a "
        "step reached the accuracy, with what is done once per step: the share of these in the recorded pass, of the "
        "step's median repetition. Medians are then over steps, of a run of one step over its repetitions; a step "
        "that never did takes forever. Matrix Market systems are judged by ||b - A x||/||b||. The work is "
        "operations of the linear solves, with set-ups and preconditioners, or, where a run does not count these, "
        "products with the operator, 'A x' (results/schema.md); '-' with a plugin's method. Steps of two "
        "runs are one problem only where they begin with one state: a warning names the first step where energies or "
        "recorded states differ beyond round-off (1e-10). 'Solutions differ': the final step has several, as "
        "reference solutions (run) show, and the two came to different ones; iterations and times are then of two "
        "problems. With --rank a scene with its steps is a problem, all other settings are a solver, and a row has: "
        "the group, whose solvers the intervals do not separate from its best; problems solved of those tried; the "
        "share of these with an error of at most 1e-2, 1e-4, 1e-6, 1e-8, in m/s, or over ||q|| of problem files; the "
        "geometric mean of "
        "the times to the accuracy, shifted by 0.1 ms, and the ratio to the baseline's, with 95 % bootstrap intervals "
        "over problems; the mean work, shifted by 10: operations of the linear solves with factorizations, or, where "
        "a method does not count these, products or iterations. Means and order are of the problems that all solvers "
        "tried and at least one solved. A failure costs ten times the most that any solver took for the problem. "
        "Problems without contact forces are left out. A problem that a standard set knows to be infeasible is solved "
        "by a method that ends with this reason, which is known of all accuracies. --by class makes a ranking for "
        "each class of problems. Times compare where one kind of processor made them, with one instruction set of the "
        "kernels; work, iterations and errors compare in any case. Pairs of two processors have no ratio and the "
        "outcome 'two processors'; a ranking of several is by work, and has no times. A bundle (ncpbench bundle) is "
        "taken as a record.",
    .examples = "  # pairs that differ only in the linear solver; all runs compared with one\n"
                "  ncpbench compare a.h5 --by linear-solver\n"
                "  ncpbench compare a.h5 --baseline pcr,mu=0.5\n"
                "  # all solvers, best first, as a table for a paper\n"
                "  ncpbench compare a.h5 --rank --to 1e-4 --format latex\n",
    .options = options,
    .run = compare,
};
