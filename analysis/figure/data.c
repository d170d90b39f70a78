#include "figure/data.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/largest.h"
#include "base/memory.h"
#include "constraint/ncp.h"
#include "figure/convergence.h"
#include "figure/devices.h"
#include "figure/profile.h"
#include "figure/scene.h"
#include "statistics/compared_run.h"
#include "statistics/outcome.h"
#include "statistics/statistics.h"
#include "text/json.h"

NB_PRECISIONS(f64);

/* ---- choosing runs ---- */

/* whether `value` is one of the choices "a|b|c" of this length */
static int among(const char *value, const char *choices, size_t length) {
    size_t n = strlen(value);
    for (const char *p = choices; p < choices + length;) {
        const char *bar = memchr(p, '|', (size_t)(choices + length - p));
        size_t this = (size_t)((bar ? bar : choices + length) - p);
        if (this == n && strncmp(p, value, n) == 0) return 1;
        p += this + 1;
    }
    return 0;
}

static int selected(const char *select, const nb_run_info *info) {
    char value[NB_NAME_LENGTH];
    for (const char *p = select; *p;) {
        size_t length = strcspn(p, " ");
        const char *equals = memchr(p, '=', length);
        if (equals && (!nb_run_setting(info, p, (size_t)(equals - p), value) ||
                       !among(value, equals + 1, (size_t)(p + length - equals - 1))))
            return 0;
        p += length;
        p += strspn(p, " ");
    }
    return 1;
}

/* one piece of a label: what an attribute, or "@NAME" a parameter of the scenario, adds to it */
typedef struct piece {
    const char *name;
    size_t length;
    char *text; /* [NB_NAME_LENGTH] */
} piece;

static void add_text(char text[NB_NAME_LENGTH], const char *value) {
    size_t used = strlen(text);
    snprintf(text + used, NB_NAME_LENGTH - used, "%s%s", used ? " " : "", value);
}

static nb_status take_parameter(void *context, const char *name, const char *value) {
    const piece *p = context;
    char named[NB_NAME_LENGTH], *end;
    if (strlen(name) != p->length || strncmp(name, p->name, p->length) != 0) return NB_OK;
    strtod(value, &end); /* a number says little by itself */
    snprintf(named, sizeof named, "%.20s=%.20s", name, value);
    add_text(p->text, *end ? value : named);
    return NB_OK;
}

/* the values of the keys "A+B+@C", one after the other; of keys "D?" those that `wanted` has a bit of, in order */
static void describe(const nb_run_info *info, const char *keys, unsigned wanted, char text[NB_NAME_LENGTH]) {
    *text = 0;
    for (const char *key = keys; *key;) {
        char value[NB_NAME_LENGTH];
        size_t length = strcspn(key, "+"), next = length + (key[length] == '+');
        int optional = length > 0 && key[length - 1] == '?', left_out = optional && !(wanted & 1);
        length -= (size_t)optional;
        piece p = {key + 1, length - 1, text};
        if (optional) wanted >>= 1;
        if (left_out)
            ;
        else if (*key == '@')
            (void)nb_json_read(info->parameters ? info->parameters : "{}", take_parameter,
                               &p); /* a fault adds nothing */
        else if (nb_run_setting(info, key, length, value))
            add_text(text, value);
        key += next;
    }
}

int nb_figure_place(const char *name, char names[][NB_NAME_LENGTH], int *count, int most) {
    int i = 0;
    while (i < *count && strcmp(names[i], name) != 0) i++;
    if (i < *count) return i;
    if (*count == most) return -1;
    snprintf(names[i], NB_NAME_LENGTH, "%s", name);
    (*count)++;
    return i;
}

/* what of a record a figure is drawn from */
typedef struct selection {
    const nb_figure_script *script;
    const nb_figure_choice *choice;
    int relaxed; /* 1: whatever the figure can show, as the record has none of its own runs */
} selection;

/* whether the run shows what the figure is of, so that it can be drawn though it is none of the figure's own */
static int shows(const nb_figure_script *script, const nb_run *run) {
    int64_t last = run->newton_start[run->step_count - 1], end = run->newton_start[run->step_count];
    if (strcmp(script->data, "linear") == 0) return last < end && run->linear_start[last] < run->linear_start[last + 1];
    return end > 0;
}

/* whether run `i` is drawn */
static nb_status belongs(const selection *by, nb_record_reader *reader, int i, const nb_run_head **head, int *drawn) {
    nb_run *run = NULL;
    nb_status status = nb_record_read_head(reader, i, head);
    *drawn = 0;
    if (status != NB_OK) return status;
    const nb_run_head *h = *head;
    if (!h->finished || h->step_count == 0 || !nb_figure_choice_holds(by->choice, &h->info)) return NB_OK;
    *drawn =
        by->relaxed ? by->script->also && selected(by->script->also, &h->info) : selected(by->script->select, &h->info);
    if (!by->relaxed || !*drawn) return NB_OK;
    status = nb_record_read_run(reader, i, &run);
    *drawn = status == NB_OK && shows(by->script, run);
    nb_run_destroy(run);
    return status;
}

/* The curves by the keys that always count, and which of the others tell runs of one of them apart. */
typedef struct variety {
    char name[NB_FIGURE_SERIES][NB_NAME_LENGTH];
    nb_run_info first[NB_FIGURE_SERIES]; /* whose parameters are not kept */
    unsigned differs[NB_FIGURE_SERIES];
    int count;
} variety;

static void compare_to_first(const char *keys, const nb_run_info *first, const nb_run_info *other, unsigned *differs) {
    char value[2][NB_NAME_LENGTH];
    unsigned bit = 1;
    for (const char *key = keys; *key; key += strspn(key, "+")) {
        size_t length = strcspn(key, "+");
        if (key[length - 1] == '?') {
            if (nb_run_setting(first, key, length - 1, value[0]) && nb_run_setting(other, key, length - 1, value[1]) &&
                strcmp(value[0], value[1]) != 0)
                *differs |= bit;
            bit <<= 1;
        }
        key += length;
    }
}

static nb_status find_variety(const selection *by, nb_record_reader *reader, variety *v) {
    const nb_figure_script *script = by->script;
    for (int i = 0; strchr(script->series, '?') && i < nb_record_run_count(reader); i++) {
        const nb_run_head *head;
        int drawn;
        nb_status status = belongs(by, reader, i, &head, &drawn);
        if (status != NB_OK) return status;
        if (drawn) {
            char name[NB_NAME_LENGTH];
            int known = v->count;
            describe(&head->info, script->series, 0, name);
            int s = nb_figure_place(name, v->name, &v->count, NB_FIGURE_SERIES);
            if (s >= known) {
                v->first[s] = head->info;
                v->first[s].parameters = NULL;
            }
            if (s >= 0) compare_to_first(script->series, &v->first[s], &head->info, &v->differs[s]);
        }
    }
    return NB_OK;
}

/* the name of the run's curve */
static void name_series(const nb_figure_script *script, const variety *v, const nb_run_info *info,
                        char text[NB_NAME_LENGTH]) {
    describe(info, script->series, 0, text);
    for (int s = 0; s < v->count; s++)
        if (v->differs[s] && strcmp(v->name[s], text) == 0) {
            describe(info, script->series, v->differs[s], text);
            return;
        }
}

int nb_figure_has_runs(const nb_figure_class *figure, nb_record_reader *reader) {
    int found = 0;
    const selection by = {.script = (const nb_figure_script *)figure};
    if (strcmp(by.script->data, "devices") == 0) return 0; /* which is of timings */
    for (int i = 0; i < nb_record_run_count(reader) && !found; i++) {
        const nb_run_head *head;
        int drawn;
        found = belongs(&by, reader, i, &head, &drawn) == NB_OK && drawn;
    }
    return found;
}

void nb_figure_share_series(nb_figure_runs *runs) {
    for (int p = 1; p < runs->panel_count; p++) {
        runs->series_count[p] = runs->series_count[0];
        memcpy(runs->series_name[p], runs->series_name[0], sizeof runs->series_name[0]);
    }
}

static nb_status collect(const selection *by, nb_record_reader *reader, nb_figure_runs *runs) {
    nb_status status;
    variety *v = NULL;
    memset(runs, 0, sizeof *runs);
    NB_TRY(NB_ALLOCATE(1, &v));
    NB_TRY(find_variety(by, reader, v));
    for (int i = 0; i < nb_record_run_count(reader); i++) {
        char panel[NB_NAME_LENGTH] = "", series[NB_NAME_LENGTH] = "";
        const nb_run_head *head;
        int p = -1, s, drawn;
        NB_TRY(belongs(by, reader, i, &head, &drawn));
        if (!drawn) continue;
        describe(&head->info, by->script->panel, 0, panel);
        name_series(by->script, v, &head->info, series);
        s = nb_figure_place(series, runs->series_name[0], &runs->series_count[0], NB_FIGURE_SERIES);
        if (s >= 0) p = nb_figure_place(panel, runs->panel_name, &runs->panel_count, NB_FIGURE_PANELS);
        if (p >= 0 && !runs->run[p][s]) /* the first of several alike is drawn */
            NB_TRY(nb_record_read_run(reader, i, &runs->run[p][s]));
        else
            runs->left_out++;
    }
    nb_figure_share_series(runs);
out:
    nb_free(v);
    if (status != NB_OK) nb_figure_runs_clear(runs);
    return status;
}

/* names the settings that the record's runs lack, and what makes such runs */
static nb_status fail_without_runs(const nb_figure_script *script) {
    const char *const *runs = script->type.runs;
    int more = 0;
    while (runs[0] && runs[more + 1]) more++;
    if (!runs[0]) return nb_fail(NB_ERROR_INPUT, "figure %s: the record has no runs for it", script->type.name);
    return nb_fail(
        NB_ERROR_INPUT,
        "figure %s: the record has none of its runs (%s); 'ncpbench reproduce %s' makes them%s: ncpbench run "
        "%s -o FILE.h5",
        script->type.name, *script->select ? script->select : "any", script->type.name,
        more ? ", of which the first are" : ", which are", runs[0]);
}

nb_status nb_figure_collect(const nb_figure_script *script, const nb_figure_source *source, nb_figure_runs *runs) {
    selection by = {.script = script, .choice = source->choice};
    nb_status status = collect(&by, source->readers[0], runs);
    if (status != NB_OK || runs->panel_count > 0) return status;
    by.relaxed = 1;
    status = collect(&by, source->readers[0], runs);
    if (status != NB_OK || runs->panel_count > 0) return status;
    nb_figure_runs_clear(runs);
    return fail_without_runs(script);
}

/* adds a sentence, unless it is there, after this if there is something before it */
static void add_once(char *text, size_t size, const char *between, const char *sentence) {
    size_t used = strlen(text);
    if (!strstr(text, sentence) && used < size)
        snprintf(text + used, size - used, "%s%s", used ? between : "", sentence);
}

void nb_figure_note_cold(nb_figure_runs *runs, int64_t cold, int64_t count, char *text, size_t size) {
    char sentence[160];
    if (cold == 0) return;
    snprintf(sentence, sizeof sentence,
             "Times of %s%lld run(s) are of the recorded pass, cold and made once (no --repeat).",
             cold < count ? "" : "all ", (long long)cold);
    add_once(text, size, "\n", sentence);
    add_once(runs->note, sizeof runs->note, " ", sentence);
}

/* "a virtual machine: other guests may disturb timings; busy" without what explains it: "a virtual machine; busy" */
static void shorten(char *text) {
    char *to = text;
    for (const char *from = text; *from;) {
        if (from[0] == ':' && from[1] == ' ') from += strcspn(from, ";");
        if (*from) *to++ = *from++;
    }
    *to = '\0';
}

void nb_figure_note_warnings(nb_figure_runs *runs, const nb_provenance *where, char *text, size_t size) {
    char sentence[sizeof where->warnings + 32], brief[sizeof where->warnings], noted[sizeof sentence];
    if (!*where->warnings) return;
    snprintf(sentence, sizeof sentence, "Against its times: %s.", where->warnings);
    add_once(text, size, "\n", sentence);
    snprintf(brief, sizeof brief, "%s", where->warnings);
    shorten(brief);
    snprintf(noted, sizeof noted, "Against its times: %s.", brief);
    add_once(runs->note, sizeof runs->note, " ", noted);
}

void nb_figure_runs_clear(nb_figure_runs *runs) {
    for (int p = 0; p < NB_FIGURE_PANELS; p++)
        for (int s = 0; s < NB_FIGURE_SERIES; s++) nb_run_destroy(runs->run[p][s]);
    for (int measure = 0; measure < 2; measure++) {
        nb_free(runs->cost[measure]);
        nb_free(runs->ratio[measure]);
    }
    nb_free(runs->scene);
    nb_free(runs->timings);
    memset(runs, 0, sizeof *runs);
}

/* ---- tables of runs ---- */

/* a row of nothing, which keeps the series after it at their places */
static void write_absent(FILE *file) {
    fputs("nan", file);
    for (int c = 0; c < NB_NEWTON_COLUMNS; c++) fputs("\tnan", file);
    fputc('\n', file);
}

static double over(double x, double start) {
    return start > 0 ? x / start : x;
}

static void write_linear(const nb_run *run, FILE *file) {
    int64_t row = run->newton_start[run->step_count - 1];
    int iterated = row < run->newton_start[run->step_count] && run->linear_start[row] < run->linear_start[row + 1];
    if (!iterated) { /* there was no factor, or no Newton iteration */
        write_absent(file);
        return;
    }
    int64_t first = run->linear_start[row];
    const double *start = run->linear + first * NB_LINEAR_COLUMNS;
    for (int64_t k = first; k < run->linear_start[row + 1]; k++) {
        const double *x = run->linear + k * NB_LINEAR_COLUMNS;
        fprintf(file, "%lld\t%.9g\t%.9g\n", (long long)(k - first), over(x[0], start[0]), over(x[1], start[1]));
    }
}

static void write_newton(const nb_run *run, FILE *file) {
    int64_t first = run->newton_start[run->step_count - 1];
    double scale = nb_run_time_scale(run, run->step_count - 1);
    for (int64_t r = first; r < run->newton_start[run->step_count]; r++) {
        fprintf(file, "%lld", (long long)(r - first));
        for (int c = 0; c < NB_NEWTON_COLUMNS; c++) {
            int time = c == NB_NEWTON_ASSEMBLY_S || c == NB_NEWTON_SETUP_S || c == NB_NEWTON_SOLVE_S;
            fprintf(file, "\t%.9g", (time ? scale : 1) * run->newton[r * NB_NEWTON_COLUMNS + c]);
        }
        fputc('\n', file);
    }
}

/* minimum, quartiles and maximum of a column over the steps, at Newton iteration k */
static void write_spread(const nb_run *run, int64_t k, int column, double *sample, FILE *file) {
    int64_t count = 0;
    for (int32_t s = 0; s < run->step_count; s++) {
        int64_t row = run->newton_start[s] + k;
        if (row < run->newton_start[s + 1]) sample[count++] = run->newton[row * NB_NEWTON_COLUMNS + column];
    }
    count = nb_sort_sample(sample, count);
    for (int i = 0; i <= 4; i++) fprintf(file, "\t%.9g", nb_quantile(sample, count, i / 4.0));
}

static nb_status write_quartiles(const nb_run *run, FILE *file) {
    double *sample;
    int64_t most = 0;
    nb_status status = NB_ALLOCATE(run->step_count, &sample);
    if (status != NB_OK) return status;
    for (int32_t s = 0; s < run->step_count; s++) {
        int64_t rows = run->newton_start[s + 1] - run->newton_start[s];
        if (rows > most) most = rows;
    }
    for (int64_t k = 0; k < most; k++) {
        fprintf(file, "%lld", (long long)k);
        write_spread(run, k, NB_NEWTON_NATURAL_MAP_ERROR, sample, file);
        write_spread(run, k, NB_NEWTON_COMPLEMENTARITY_ERROR, sample, file);
        fputc('\n', file);
    }
    nb_free(sample);
    return NB_OK;
}

/* the quartiles of a time, or of the sum of several, over all steps and repetitions; without any over the steps of the
 * recorded pass [ms] */
typedef struct quartiles {
    double low, median, high;
} quartiles;

enum {
    ASSEMBLY = 1,
    SOLVE = 2 /* with set-up */
};

/* the times of `what` in one pass: repetition r, or -1: the recorded one */
static double time_of(const nb_run *run, int what, int32_t r, int32_t step) {
    const double *row = run->steps + (int64_t)step * NB_STEP_COLUMNS;
    int64_t at = (int64_t)r * run->step_count + step;
    double seconds = 0;
    if (what & ASSEMBLY) seconds += r < 0 ? row[NB_STEP_ASSEMBLY_S] : run->repeat_assembly_s[at];
    if (what & SOLVE) seconds += r < 0 ? row[NB_STEP_SETUP_S] : run->repeat_setup_s[at];
    if (what & SOLVE) seconds += r < 0 ? row[NB_STEP_SOLVE_S] : run->repeat_solve_s[at];
    return seconds;
}

static nb_status find_quartiles(const nb_run *run, int what, quartiles *q) {
    double *sample;
    int64_t count = 0;
    nb_status status = NB_ALLOCATE((int64_t)run->step_count * (run->repeat_count > 0 ? run->repeat_count : 1), &sample);
    if (status != NB_OK) return status;
    for (int32_t r = run->repeat_count > 0 ? 0 : -1; r < run->repeat_count && (r >= 0 || count == 0); r++)
        for (int32_t s = 0; s < run->step_count; s++) sample[count++] = 1e3 * time_of(run, what, r, s);
    count = nb_sort_sample(sample, count);
    *q = (quartiles){NAN, NAN, NAN};
    if (count > 0)
        *q = (quartiles){nb_quantile(sample, count, 0.25), nb_quantile(sample, count, 0.5),
                         nb_quantile(sample, count, 0.75)};
    nb_free(sample);
    return NB_OK;
}

static nb_status write_summary(const nb_run *run, FILE *file) {
    const double *last = run->steps + (int64_t)(run->step_count - 1) * NB_STEP_COLUMNS;
    quartiles assembly, solve, both;
    nb_status status;
    NB_TRY(find_quartiles(run, ASSEMBLY, &assembly));
    NB_TRY(find_quartiles(run, SOLVE, &solve));
    NB_TRY(find_quartiles(run, ASSEMBLY | SOLVE, &both));
    fprintf(file, "%s\t%d\t%d\t%d\t%g\t%g\t%d\t%d", run->info.scenario, (int)run->info.bodies, (int)run->info.joints,
            (int)run->info.tetrahedra, last[NB_STEP_CONTACTS], last[NB_STEP_LARGEST_ISLAND],
            (int)run->info.newton_iterations, (int)run->info.linear_iterations);
    fprintf(file, "\t%.4g\t%.3g\t%.4g\t%.3g", assembly.median, assembly.high - assembly.low, solve.median,
            solve.high - solve.low);
    fprintf(file, "\t%.9g\t%.9g\t%.9g\t%.9g", assembly.low, assembly.high, solve.low, solve.high);
    fprintf(file, "\t%.9g\t%.9g\t%.9g\t%d\n", both.median, both.low, both.high, (int)run->repeat_count);
out:
    return status;
}

/* What a step took in the mean until its error was at most `accuracy`: how many of the steps came there, and over these
 * iterations, factorisations, linear iterations, and the median time [ms], with what is done once a step. `sample`
 * [steps] is for working. */
static void write_cost_to(const nb_run *run, double accuracy, double *sample, FILE *file) {
    nb_cost sum = {0};
    int64_t reached = 0;
    for (int32_t s = 0; s < run->step_count; s++) {
        nb_cost cost = nb_cost_to(run, s, accuracy), whole = nb_cost_to(run, s, -1);
        if (!cost.reached) continue;
        sum.newton_iterations += cost.newton_iterations;
        sum.factorisations += cost.factorisations;
        sum.linear_iterations += cost.linear_iterations;
        double once = nb_run_work_time(run, s) - whole.seconds;
        sample[reached++] = 1e3 * (cost.seconds + fmax(once, 0));
    }
    double n = reached ? (double)reached : NAN;
    int64_t count = nb_sort_sample(sample, reached);
    fprintf(file, "\t%lld\t%.9g\t%.9g\t%.9g\t%.9g", (long long)reached, sum.newton_iterations / n,
            sum.factorisations / n, sum.linear_iterations / n, count ? nb_quantile(sample, count, 0.5) : NAN);
}

static nb_status write_reach(const nb_run *run, FILE *file) {
    double *sample, worst = 0;
    nb_status status = NB_ALLOCATE(run->step_count, &sample);
    if (status != NB_OK) return status;
    for (int32_t s = 0; s < run->step_count; s++)
        nb_raise(&worst, run->steps[(int64_t)s * NB_STEP_COLUMNS + NB_STEP_NATURAL_MAP_ERROR]);
    fprintf(file, "%d\t%g\t%.9g", (int)run->step_count, nb_run_last(run, NB_STEP_CONTACTS), worst);
    write_cost_to(run, 1e-6, sample, file);
    write_cost_to(run, 1e-8, sample, file);
    fputc('\n', file);
    nb_free(sample);
    return NB_OK;
}

/* ---- curves of the complementarity functions ---- */

/* fig. 6: W and phi_f = v - W lambda_f against lambda_f, for one particle sliding at 0.5 m/s under 10 N with mu = 0.5
 */
static void write_friction(FILE *file) {
    const double speed = 0.5, limit = 5;
    for (int function = 0; function < NB_NCP_FUNCTIONS; function++) {
        for (int i = 0; i <= 490; i++) { /* the limit is a row of the table */
            double force = 7.0 * i / 490;
            double w = nb_ncp_friction((nb_ncp_function)function, speed, force, limit, 1, 1);
            fprintf(file, "%.9g\t%.9g\t%.9g\n", force, w, speed - w * force);
        }
        fputs("\n\n", file);
    }
}

/* fig. 9: phi(c, r lambda) for c = lambda/4 - 1/8, with r = 1 and with r = 1/4 */
static void write_scaling(FILE *file) {
    for (int function = 0; function < NB_NCP_FUNCTIONS; function++)
        for (int scaled = 0; scaled < 2; scaled++) {
            for (int i = 0; i <= 400; i++) {
                double lambda = -1 + 3.0 * i / 400, r = scaled ? 0.25 : 1;
                nb_ncp_normal_value value = nb_ncp_normal((nb_ncp_function)function, lambda / 4 - 0.125, r * lambda);
                fprintf(file, "%.9g\t%.9g\n", lambda, value.phi);
            }
            fputs("\n\n", file);
        }
}

/* ---- files ---- */

static nb_status open_table(const char *folder, const char *name, FILE **file) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    *file = fopen(path, "w");
    return *file ? NB_OK : nb_fail(NB_ERROR_IO, "cannot write '%s': %s", path, strerror(errno));
}

static nb_status close_table(FILE *file, const char *folder) {
    int failed = ferror(file);
    if (fclose(file) != 0 || failed)
        return nb_fail(NB_ERROR_IO, "cannot write a table in '%s': %s", folder, strerror(errno));
    return NB_OK;
}

static nb_status write_run(const char *kind, const nb_figure_runs *runs, const nb_run *run, FILE *file) {
    if (!run)
        write_absent(file);
    else if (strcmp(kind, "linear") == 0)
        write_linear(run, file);
    else if (strcmp(kind, "convergence") == 0)
        nb_figure_write_convergence(runs, run, file);
    else if (strcmp(kind, "newton") == 0)
        write_newton(run, file);
    else if (strcmp(kind, "summary") == 0 || strcmp(kind, "cost") == 0)
        return write_summary(run, file);
    else if (strcmp(kind, "reach") == 0)
        return write_reach(run, file);
    else if (strcmp(kind, "scene") == 0)
        return nb_figure_write_states(run, file);
    else
        return write_quartiles(run, file);
    return NB_OK;
}

static nb_status write_panel(const nb_figure_script *script, const nb_figure_runs *runs, int p, const char *folder) {
    nb_status status;
    char name[64];
    FILE *file = NULL;
    snprintf(name, sizeof name, "panel_%d.tsv", p + 1);
    NB_TRY(open_table(folder, name, &file));
    int profile = strcmp(script->data, "profile") == 0, devices = strcmp(script->data, "devices") == 0;
    if (profile) NB_TRY(nb_figure_write_profile(runs, p, file));
    if (devices) nb_figure_write_devices(runs, p, file);
    for (int s = 0; !profile && !devices && s < runs->series_count[p]; s++) {
        NB_TRY(write_run(script->data, runs, runs->run[p][s], file));
        fputs("\n\n", file);
    }
    FILE *done = file;
    file = NULL;
    NB_TRY(close_table(done, folder));
out:
    if (file) fclose(file);
    return status;
}

nb_status nb_figure_write_data(const nb_figure_script *script, const nb_figure_runs *runs, const char *folder) {
    nb_status status = NB_OK;
    int friction = strcmp(script->data, "friction") == 0;
    if (friction || strcmp(script->data, "scaling") == 0) {
        FILE *file;
        NB_TRY(open_table(folder, "panel_1.tsv", &file));
        if (friction)
            write_friction(file);
        else
            write_scaling(file);
        return close_table(file, folder);
    }
    for (int p = 0; p < runs->panel_count; p++) {
        NB_TRY(write_panel(script, runs, p, folder));
        if (strcmp(script->data, "scene") == 0) NB_TRY(nb_figure_write_scenes(runs, p, folder));
    }
out:
    return status;
}
