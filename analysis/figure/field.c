#include "figure/field.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "reason.h"
#include "statistics/profile.h"
#include "table/cost.h"
#include "table/outcome.h"
#include "table/settings.h"
#include "table/statistics.h"

enum {
    ACCURACIES = 3,
    MOST_CLASSES = NB_FIGURE_PANELS - 2 * ACCURACIES - 1,
    METHODS = NB_FIGURE_CURVES,
    POINTS = 201
};

static const double accuracies[ACCURACIES] = {1e-4, 1e-6, 1e-8};

typedef struct problem {
    char name[NB_NAME_LENGTH];
    int class;
    double cost[METHODS][ACCURACIES][2]; /* products, seconds; INFINITY: not reached, NaN: not tried */
} problem;

typedef struct field {
    problem *problems;
    int64_t count, capacity;
    char method[METHODS][NB_NAME_LENGTH], class[MOST_CLASSES][NB_NAME_LENGTH];
    int methods, classes;
    int64_t late[METHODS]; /* runs that a limit of time ended */
} field;

/* "admm kamino", "apgd followed" */
static void name_method(const nb_run_info *info, char name[NB_NAME_LENGTH]) {
    static const char *const words[] = {"method.preset", "method.coupling"}, *const usual[] = {"ncpbench", "desaxce"};
    char value[NB_NAME_LENGTH];
    snprintf(name, NB_NAME_LENGTH, "%.40s", info->method);
    for (int k = 0; k < 2; k++) {
        const size_t used = strlen(name);
        if (nb_setting_find(info, words[k], strlen(words[k]), value) && strcmp(value, usual[k]) != 0)
            snprintf(name + used, NB_NAME_LENGTH - used, "-%.20s", value);
    }
}

static nb_status find_problem(field *f, const nb_run_info *info, const char *title, problem **found) {
    char class[NB_NAME_LENGTH];
    nb_status status = NB_OK;
    *found = NULL;
    if (!nb_setting_find(info, "class", strlen("class"), class))
        snprintf(class, sizeof class, "%.30s", *title ? title : "files");
    if (strcmp(class, "infeasible") == 0) return NB_OK;
    const int c = nb_figure_place(class, f->class, &f->classes, MOST_CLASSES);
    if (c < 0) return NB_OK;
    for (int64_t p = 0; p < f->count && !*found; p++)
        if (f->problems[p].class == c && strcmp(f->problems[p].name, info->scenario) == 0) *found = &f->problems[p];
    if (*found) return NB_OK;
    NB_TRY(NB_RESERVE(f->count + 1, &f->capacity, &f->problems));
    *found = &f->problems[f->count++];
    **found = (problem){.class = c};
    snprintf((*found)->name, NB_NAME_LENGTH, "%s", info->scenario);
    for (int m = 0; m < METHODS; m++)
        for (int k = 0; k < ACCURACIES; k++) (*found)->cost[m][k][0] = (*found)->cost[m][k][1] = NAN;
out:
    return status;
}

static nb_status take_run(field *f, const nb_run *run, const char *title) {
    char name[NB_NAME_LENGTH];
    problem *p;
    nb_status status;
    const int reason = run->step_count > 0 ? (int)run->steps[NB_STEP_REASON] : NB_REASON_REFUSED;
    if (reason == NB_REASON_REFUSED || nb_run_is_system(run)) return NB_OK;
    NB_TRY(find_problem(f, &run->info, title, &p));
    name_method(&run->info, name);
    const int m = p ? nb_figure_place(name, f->method, &f->methods, METHODS) : -1;
    if (m < 0) return NB_OK;
    f->late[m] += reason == NB_REASON_TIME_LIMIT;
    for (int k = 0; k < ACCURACIES; k++) {
        const nb_cost cost = nb_cost_to(run, 0, accuracies[k]);
        const double of[2] = {isnan(cost.work) ? INFINITY : cost.work, cost.seconds};
        for (int j = 0; j < 2; j++) p->cost[m][k][j] = fmin(p->cost[m][k][j], cost.reached ? of[j] : INFINITY);
    }
out:
    return status;
}

static nb_status read_record(field *f, nb_record_reader *reader, const nb_conditions *where) {
    nb_status status = NB_OK;
    nb_run *run = NULL;
    for (int i = 0; i < nb_record_run_count(reader); i++) {
        const nb_run_head *head;
        NB_TRY(nb_record_read_head(reader, i, &head));
        if (!nb_conditions_hold(where, &head->info)) continue;
        NB_TRY(nb_record_read_run(reader, i, &run));
        NB_TRY(take_run(f, run, nb_record_attribute(reader, "title")));
        nb_run_destroy(run);
        run = NULL;
    }
out:
    nb_run_destroy(run);
    return status;
}

/* ---- tables ---- */

/* shares of the problems over a cost: `which` 0 products, 1 seconds */
static nb_status write_shares(const field *f, int accuracy, int which, FILE *file) {
    nb_status status;
    nb_profile_point curve[POINTS];
    double *cost = NULL, low = INFINITY, high = 0;
    NB_TRY(NB_ALLOCATE(f->count, &cost));
    for (int64_t p = 0; p < f->count; p++)
        for (int m = 0; m < f->methods; m++)
            for (int k = 0; k < ACCURACIES; k++) {
                const double of = f->problems[p].cost[m][k][which];
                if (isfinite(of)) high = fmax(high, of);
                if (isfinite(of) && of > 0) low = fmin(low, of);
            }
    if (!isfinite(low)) low = high = 1;
    for (int m = 0; m < f->methods; m++) {
        for (int64_t p = 0; p < f->count; p++) cost[p] = f->problems[p].cost[m][accuracy][which];
        for (int i = 0; i < POINTS; i++) curve[i].x = low * pow(1.05 * high / low, (double)i / (POINTS - 1));
        NB_TRY(nb_profile_curve(cost, f->count, 1, 1, POINTS, curve));
        for (int i = 0; i < POINTS; i++)
            fprintf(file, "%.9g\t%.9g\t%.9g\t%.9g\n", curve[i].x, curve[i].share, curve[i].low, curve[i].high);
        fputs("\n\n", file);
    }
out:
    nb_free(cost);
    return status;
}

/* Of the problems of a class (-1: of all) that both methods tried, how many one of them solves, and on how many of
 * these `m` takes less time. */
static int64_t count_wins(const field *f, int class, int m, int other, int64_t *decided) {
    int64_t wins = 0;
    *decided = 0;
    for (int64_t p = 0; p < f->count; p++) {
        const problem *of = &f->problems[p];
        const double a = of->cost[m][ACCURACIES - 1][1], b = of->cost[other][ACCURACIES - 1][1];
        if ((class >= 0 && of->class != class) || isnan(a) || isnan(b) || (isinf(a) && isinf(b))) continue;
        ++*decided;
        wins += a < b;
    }
    return wins;
}

static nb_status write_pairs(const field *f, int class, FILE *file) {
    for (int m = 0; m < f->methods; m++) {
        for (int other = 0; other < f->methods; other++) {
            int64_t decided;
            nb_interval share = {NAN, NAN, NAN};
            const double wins = (double)count_wins(f, class, m, other, &decided);
            if (m == other) decided = 0;
            if (decided > 0) nb_share_interval(wins / (double)decided, decided, &share);
            fprintf(file, "%lld\t%.9g\t%.9g\t%.9g\n", (long long)decided, share.value, share.low, share.high);
        }
        fputs("\n\n", file);
    }
    return NB_OK;
}

static nb_status write_panel(const field *f, int p, FILE *file) {
    if (p < 2 * ACCURACIES) return write_shares(f, p % ACCURACIES, p / ACCURACIES, file);
    return write_pairs(f, p - 2 * ACCURACIES - 1, file);
}

static nb_status make_panel(const field *f, int p, nb_figure_runs *runs) {
    size_t size;
    FILE *file = open_memstream(&runs->table[p], &size);
    if (!file) return nb_fail(NB_ERROR_MEMORY, "out of memory for a figure's table");
    const nb_status status = write_panel(f, p, file);
    if (fclose(file) != 0 && status == NB_OK) return nb_fail(NB_ERROR_MEMORY, "out of memory for a figure's table");
    if (p < 2 * ACCURACIES)
        snprintf(runs->panel_name[p], NB_NAME_LENGTH, "%s to %g", p < ACCURACIES ? "products" : "time",
                 accuracies[p % ACCURACIES]);
    else
        snprintf(runs->panel_name[p], NB_NAME_LENGTH, "%s",
                 p == 2 * ACCURACIES ? "all" : f->class[p - 2 * ACCURACIES - 1]);
    for (int m = 0; m < f->methods; m++) snprintf(runs->series_name[p][m], NB_NAME_LENGTH, "%s", f->method[m]);
    runs->series_count[p] = f->methods;
    return status;
}

static void write_caption(const field *f, const nb_figure_source *source, nb_figure_runs *runs) {
    const nb_provenance *where = nb_record_provenance(source->readers[0]);
    const size_t size = sizeof runs->caption;
    int plugins = 0;
    size_t used =
        (size_t)snprintf(runs->caption, size, "%lld problems. Runs that a limit of time ended:", (long long)f->count);
    for (int m = 0; m < f->methods; m++) {
        plugins |= strncmp(f->method[m], "siconos", strlen("siconos")) == 0;
        used += (size_t)snprintf(runs->caption + used, size - used, "%s %s %lld", m ? "," : "", f->method[m],
                                 (long long)f->late[m]);
    }
    snprintf(runs->caption + used, size - used, ".\n%s%s, %s build, ncpbench %s %.10s",
             plugins ? "" : "Siconos is left out: its plugin was not loaded.\n", where->cpu_model, where->build_type,
             where->ncpbench_version, where->git_commit);
    for (int i = 0; i < source->count; i++) nb_figure_note_warnings(runs, source->readers[i], runs->caption, size);
}

nb_status nb_figure_collect_field(const nb_figure_script *script, const nb_figure_source *source,
                                  nb_figure_runs *runs) {
    nb_status status = NB_OK;
    field f = {.count = 0};
    memset(runs, 0, sizeof *runs);
    for (int i = 0; i < source->count; i++) NB_TRY(read_record(&f, source->readers[i], source->where));
    if (f.count == 0)
        NB_TRY(nb_fail(NB_ERROR_INPUT,
                       "figure %s: the record has no runs on problem files; 'ncpbench suite' makes them",
                       script->type.name));
    runs->panel_count = 2 * ACCURACIES + 1 + f.classes;
    for (int p = 0; p < runs->panel_count; p++) NB_TRY(make_panel(&f, p, runs));
    write_caption(&f, source, runs);
out:
    nb_free(f.problems);
    if (status != NB_OK) nb_figure_runs_clear(runs);
    return status;
}

nb_status nb_figure_write_field(const nb_figure_runs *runs, int panel, const char *folder, FILE *file) {
    (void)folder;
    fputs(runs->table[panel], file);
    return NB_OK;
}
