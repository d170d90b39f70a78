#include "figure/classes.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "statistics/profile.h"
#include "statistics/solver_costs.h"

static const double standard_accuracy = 1e-6, near = 2; /* times the least time */

enum {
    MOST_CLASSES = 32
};

/* what a solver did of each class */
typedef struct class_counts {
    char name[MOST_CLASSES][NB_NAME_LENGTH];
    int count, tried[MOST_CLASSES], solved[MOST_CLASSES], near[MOST_CLASSES];
} class_counts;

static const char *solver_name(const nb_run_info *info) {
    return strcmp(info->preconditioner, "none") == 0 ? info->linear_solver : info->preconditioner;
}

/* the class of the standard set that the scene is of, or its own name */
static void name_class(const nb_run_info *info, char class[NB_NAME_LENGTH]) {
    if (!nb_setting_find(info, "class", strlen("class"), class)) snprintf(class, NB_NAME_LENGTH, "%s", info->scenario);
}

/* the panel of each method, and its runs */
static nb_status take_runs(const nb_figure_script *script, const nb_figure_source *source, nb_figure_runs *runs,
                           nb_compared_runs compared[NB_FIGURE_PANELS]) {
    nb_status status = NB_OK;
    nb_record_reader *reader = source->readers[0];
    nb_run *run = NULL;
    for (int i = 0; i < nb_record_run_count(reader); i++) {
        const nb_run_head *head;
        NB_TRY(nb_record_read_head(reader, i, &head));
        if (!head->finished || !nb_figure_selects(script, &head->info) ||
            !nb_conditions_hold(source->where, &head->info))
            continue;
        const int p = nb_figure_place(head->info.method, runs->panel_name, &runs->panel_count, NB_FIGURE_PANELS);
        if (p < 0) continue;
        compared[p].error = source->accuracy > 0 ? source->error : NB_OF_RESIDUAL;
        NB_TRY(nb_record_read_run(reader, i, &run));
        NB_TRY(nb_compared_runs_take(&compared[p], run, runs->accuracy));
        nb_run_destroy(run);
        run = NULL;
    }
    if (runs->panel_count == 0)
        NB_TRY(nb_fail(NB_ERROR_INPUT, "figure %s: the record has none of its runs; 'ncpbench reproduce %s' makes them",
                       script->type.name, script->type.name));
out:
    nb_run_destroy(run);
    return status;
}

/* adds a problem's outcome to those of its class; every solver has every class */
static void count_problem(class_counts *of, const nb_run_info *problem, double cost, double ratio) {
    char class[NB_NAME_LENGTH];
    name_class(problem, class);
    const int c = nb_figure_place(class, of->name, &of->count, MOST_CLASSES);
    if (c < 0 || isnan(cost)) return;
    of->tried[c]++;
    of->solved[c] += isfinite(cost) != 0;
    of->near[c] += ratio <= near;
}

static void write_counts(const class_counts *of, FILE *file) {
    for (int c = 0; c < of->count; c++)
        fprintf(file, "%s\t%d\t%.9g\t%.9g\n", of->name[c], of->tried[c], (double)of->solved[c] / of->tried[c],
                (double)of->near[c] / of->tried[c]);
    fputs("\n\n", file);
}

/* "block-jacobi: 3 of 32 not solved: ..." */
static void name_failures(const char *solver, const char *const *failed, int count, int tried, nb_figure_runs *runs) {
    size_t used = strlen(runs->caption), size = sizeof runs->caption;
    used += (size_t)snprintf(runs->caption + used, size - used, "%s: %d of %d not solved", solver, count, tried);
    for (int i = 0; i < count && used < size; i++)
        used += (size_t)snprintf(runs->caption + used, size - used, "%s%s", i ? ", " : ": ", failed[i]);
    if (used < size) snprintf(runs->caption + used, size - used, "\n");
}

/* the costs of one method's runs as its panel's table */
static nb_status write_shares(nb_compared_runs *compared, int p, nb_figure_runs *runs, FILE *file) {
    nb_status status;
    nb_solver_costs costs = {0};
    double *ratio = NULL;
    const nb_run_info **problem = NULL;
    const char **failed = NULL;
    NB_TRY(nb_compared_runs_settle((nb_compared_runs *const[]){compared}, 1));
    NB_TRY(nb_solver_costs_make(compared, &costs));
    NB_TRY(NB_ALLOCATE(costs.problems * costs.solvers, &ratio));
    NB_TRY(NB_ALLOCATE(costs.problems, &problem));
    NB_TRY(NB_ALLOCATE(costs.problems, &failed));
    nb_profile_ratios(costs.cost[0], costs.problems, (int)costs.solvers, ratio);
    for (int64_t i = 0; i < compared->count; i++)
        if (costs.problem[i] >= 0) problem[costs.problem[i]] = &compared->items[i].info;
    for (int64_t s = 0; s < costs.solvers && s < NB_FIGURE_CURVES; s++) {
        class_counts of = {.count = 0};
        int tried = 0, failures = 0;
        char *name = runs->series_name[p][runs->series_count[p]++];
        snprintf(name, NB_NAME_LENGTH, "%s", solver_name(&compared->items[costs.first[s]].info));
        for (int64_t k = 0; k < costs.problems; k++) {
            const double cost = costs.cost[0][k * costs.solvers + s];
            count_problem(&of, problem[k], cost, ratio[k * costs.solvers + s]);
            tried += !isnan(cost);
            if (isinf(cost)) failed[failures++] = problem[k]->scenario;
        }
        write_counts(&of, file);
        name_failures(name, failed, failures, tried, runs);
    }
out:
    nb_solver_costs_clear(&costs);
    nb_free(ratio);
    nb_free(problem);
    nb_free(failed);
    return status;
}

static nb_status make_panel(nb_compared_runs *compared, int p, nb_figure_runs *runs) {
    size_t size, used = strlen(runs->caption);
    FILE *file = open_memstream(&runs->table[p], &size);
    if (!file) return nb_fail(NB_ERROR_MEMORY, "out of memory for a figure's table");
    snprintf(runs->caption + used, sizeof runs->caption - used, "%s\n", runs->panel_name[p]);
    const nb_status status = write_shares(compared, p, runs, file);
    if (fclose(file) != 0 && status == NB_OK) return nb_fail(NB_ERROR_MEMORY, "out of memory for a figure's table");
    return status;
}

static void write_source(const nb_record_reader *reader, nb_figure_runs *runs) {
    const nb_provenance *where = nb_record_provenance(reader);
    const size_t used = strlen(runs->caption);
    snprintf(runs->caption + used, sizeof runs->caption - used, "%s, %s build, ncpbench %s %.10s", where->cpu_model,
             where->build_type, where->ncpbench_version, where->git_commit);
    nb_figure_note_warnings(runs, reader, runs->caption, sizeof runs->caption);
}

nb_status nb_figure_collect_classes(const nb_figure_script *script, const nb_figure_source *source,
                                    nb_figure_runs *runs) {
    nb_status status;
    nb_compared_runs *compared = NULL;
    memset(runs, 0, sizeof *runs);
    runs->accuracy = source->accuracy > 0 ? source->accuracy : standard_accuracy;
    NB_TRY(NB_ALLOCATE(NB_FIGURE_PANELS, &compared));
    NB_TRY(take_runs(script, source, runs, compared));
    for (int p = 0; p < runs->panel_count; p++) NB_TRY(make_panel(&compared[p], p, runs));
    write_source(source->readers[0], runs);
out:
    for (int p = 0; compared && p < NB_FIGURE_PANELS; p++) nb_compared_runs_clear(&compared[p]);
    nb_free(compared);
    if (status != NB_OK) nb_figure_runs_clear(runs);
    return status;
}

nb_status nb_figure_write_classes(const nb_figure_runs *runs, int panel, const char *folder, FILE *file) {
    (void)folder;
    fputs(runs->table[panel], file);
    return NB_OK;
}
