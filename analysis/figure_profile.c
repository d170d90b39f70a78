#include "figure_profile.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "digest.h"
#include "json.h"
#include "profile.h"

enum {
    POINTS = 301,
    BAND_SEED = 1
};

/* the cost beside the time */
typedef enum work_measure {
    PRODUCTS,
    LINEAR_ITERATIONS,
    OWN_ITERATIONS,
    WORK_MEASURES
} work_measure;

static const char *const work_names[WORK_MEASURES] = {"operator applications", "linear iterations", "iterations"};
static const char *const work_notes[WORK_MEASURES] = {
    "Work: products with the operator; a factorisation is none, and in the time alone.",
    "What a linear iteration costs differs by solver.", "What an iteration costs differs by method."};

/* ---- collecting ---- */

/* the solver's series; -1 where they are too many */
static int solver_of(const nb_digests *digests, int64_t i, int64_t *first, int *count) {
    for (int s = 0; s < *count; s++)
        if (strcmp(digests->items[first[s]].solver, digests->items[i].solver) == 0) return s;
    if (*count == NB_FIGURE_SERIES) return -1;
    first[*count] = i;
    return (*count)++;
}

/* scenes of different seeds are different problems */
static int same_problem(const nb_digest *a, const nb_digest *b) {
    return a->info.seed == b->info.seed && strcmp(a->problem, b->problem) == 0;
}

/* row[i]: the first of the table's rows for the problem of run i. A problem has as many rows as the longest of its runs
 * made steps. Returns all rows. */
static int64_t place_rows(const nb_digests *digests, int64_t *row) {
    int64_t rows = 0;
    for (int64_t i = 0; i < digests->count; i++) row[i] = -1;
    for (int64_t i = 0; i < digests->count; i++) {
        int32_t steps = 0;
        if (row[i] >= 0) continue;
        for (int64_t j = i; j < digests->count; j++) {
            if (!same_problem(&digests->items[j], &digests->items[i])) continue;
            row[j] = rows;
            if (digests->items[j].step_count > steps) steps = digests->items[j].step_count;
        }
        rows += steps;
    }
    return rows;
}

static void name_solvers(const nb_digests *digests, const int64_t *first, nb_figure_runs *runs) {
    for (int s = 0; s < runs->series_count[0]; s++) {
        char label[256];
        nb_digest_label(digests, first[s], NB_DIGEST_SOLVER | NB_DIGEST_SHORT, label, sizeof label);
        const char *text = *label ? label : digests->items[first[s]].info.linear_solver;
        int cut = strlen(text) >= NB_NAME_LENGTH;
        for (int p = 0; p < runs->panel_count; p++)
            snprintf(runs->series_name[p][s], NB_NAME_LENGTH, "%.*s%s", cut ? 61 : 63, text, cut ? ".." : "");
    }
}

/* whether an earlier run has the same settings */
static int repeats_another(const nb_digests *digests, int64_t i) {
    const nb_digest *d = &digests->items[i];
    for (int64_t j = 0; j < i; j++)
        if (strcmp(d->solver, digests->items[j].solver) == 0 && same_problem(d, &digests->items[j])) return 1;
    return 0;
}

/* whether all runs are of problem files */
static int all_of_files(const nb_digests *digests) {
    for (int64_t i = 0; i < digests->count; i++)
        if (!digests->items[i].of_file) return 0;
    return 1;
}

/* Products with A, where all runs count them; else linear iterations, or of problem files, whose methods may be of any
 * kind, the method's own. */
static work_measure choose_work(const nb_digests *digests) {
    for (int64_t i = 0; i < digests->count; i++)
        if (isnan(digests->items[i].work)) return all_of_files(digests) ? OWN_ITERATIONS : LINEAR_ITERATIONS;
    return PRODUCTS;
}

/* the costs of every run; what no run gives stays infinite */
static nb_status fill_costs(const nb_digests *digests, work_measure work, int64_t *first, nb_figure_runs *runs) {
    nb_status status;
    int solvers = 0;
    int64_t *row = NULL;
    for (int64_t i = 0; i < digests->count; i++)
        if (solver_of(digests, i, first, &solvers) < 0)
            return nb_fail(NB_ERROR_INPUT, "figure profile: the runs differ in more than %d solvers; draw fewer",
                           (int)NB_FIGURE_SERIES);
    NB_TRY(NB_ALLOCATE(digests->count, &row));
    runs->problems = place_rows(digests, row);
    int64_t entries = runs->missing = runs->problems * solvers;
    for (int measure = 0; measure < 2; measure++) {
        NB_TRY(NB_ALLOCATE(entries, &runs->cost[measure]));
        for (int64_t k = 0; k < entries; k++) runs->cost[measure][k] = INFINITY;
    }
    for (int64_t i = 0; i < digests->count; i++) {
        const nb_digest *d = &digests->items[i];
        int s = solver_of(digests, i, first, &solvers);
        if (repeats_another(digests, i)) continue; /* the first of several alike counts */
        for (int32_t step = 0; step < d->step_count; step++) {
            const nb_cost *c = &d->costs[step];
            int64_t entry = (row[i] + step) * solvers + s;
            runs->missing--;
            if (!c->reached) continue;
            runs->cost[0][entry] = c->seconds;
            runs->cost[1][entry] = work == PRODUCTS            ? c->work
                                   : work == LINEAR_ITERATIONS ? c->linear_iterations
                                                               : c->newton_iterations;
        }
    }
    for (int p = 0; p < runs->panel_count; p++) runs->series_count[p] = solvers;
out:
    nb_free(row);
    return status;
}

/* ---- the accuracy ---- */

static nb_status find_tolerance(void *context, const char *name, const char *value) {
    if (strcmp(name, "relative-tolerance") == 0) *(double *)context = strtod(value, NULL);
    return NB_OK;
}

/* what was asked for, what the first run was asked for, or the standard */
static nb_status choose_accuracy(const nb_figure_source *source, double *accuracy) {
    nb_run *run = NULL;
    nb_status status = NB_OK;
    *accuracy = source->accuracy;
    if (*accuracy > 0) return NB_OK;
    for (int i = 0; i < source->count && !run && status == NB_OK; i++)
        if (nb_record_run_count(source->readers[i]) > 0) status = nb_record_read_run(source->readers[i], 0, &run);
    if (run && run->info.parameters) status = nb_json_read(run->info.parameters, find_tolerance, accuracy);
    nb_run_destroy(run);
    if (!(*accuracy > 0)) *accuracy = NB_FIGURE_ACCURACY;
    return status;
}

static void write_caption(const nb_figure_source *source, double accuracy, work_measure work, int files,
                          nb_figure_runs *runs) {
    const nb_provenance *where = nb_record_provenance(source->readers[0]);
    int solvers = runs->series_count[0];
    int64_t unsolved = 0;
    for (int64_t p = 0; p < runs->problems; p++) {
        int reached = 0;
        for (int s = 0; s < solvers; s++) reached |= isfinite(runs->cost[0][p * solvers + s]) != 0;
        unsolved += !reached;
    }
    char missing[96] = "";
    if (runs->missing > 0)
        snprintf(missing, sizeof missing, ", and so do %lld that a solver was not run on", (long long)runs->missing);
    snprintf(runs->caption, sizeof runs->caption,
             "Problems: %lld%s, to a natural-map error of %g%s; no solver reached it in %lld. Failures count as never "
             "reached%s.\nTop: share of problems within a factor of the best solver (Dolan and Moré 2002). Bottom: "
             "share within a cost (Moré and Wild 2009). Time: assembly, set-up, solves of %s.\nBands: 95 %% bootstrap "
             "over problems, point by point; steps of one run are taken as independent. %s\n"
             "%s, %d cores, %d thread(s), %s build, ncpbench %s %.10s%s",
             (long long)runs->problems, files ? "" : " (a time step each)", accuracy, files ? " ||q||" : " m/s",
             (long long)unsolved, missing, files ? "the median repetition" : "the recorded pass", work_notes[work],
             where->cpu_model, (int)where->cores, (int)where->threads, where->build_type, where->ncpbench_version,
             where->git_commit, source->count > 1 ? " (first record)" : "");
}

nb_status nb_figure_collect_profile(const nb_figure_source *source, nb_figure_runs *runs) {
    nb_status status = NB_OK;
    nb_digests digests = {0};
    int64_t first[NB_FIGURE_SERIES];
    memset(runs, 0, sizeof *runs);
    double accuracy;
    NB_TRY(choose_accuracy(source, &accuracy));
    for (int i = 0; i < source->count; i++) NB_TRY(nb_digests_read(&digests, source->readers[i], accuracy));
    if (digests.count == 0) NB_TRY(nb_fail(NB_ERROR_INPUT, "figure profile: the records hold no runs"));
    runs->panel_count = 4;
    work_measure work = choose_work(&digests);
    for (int p = 0; p < 4; p++)
        snprintf(runs->panel_name[p], NB_NAME_LENGTH, "%s", p % 2 == 0 ? "time" : work_names[work]);
    NB_TRY(fill_costs(&digests, work, first, runs));
    name_solvers(&digests, first, runs);
    write_caption(source, accuracy, work, all_of_files(&digests), runs);
out:
    nb_digests_clear(&digests);
    return status;
}

/* ---- tables ---- */

/* points from the least to the largest finite quantity, evenly in the logarithm, and a little beyond */
static void place_points(const double *quantity, int64_t entries, int performance, nb_profile_point *curve) {
    double low = INFINITY, high = 0;
    for (int64_t i = 0; i < entries; i++)
        if (isfinite(quantity[i]) && quantity[i] > 0) {
            low = fmin(low, quantity[i]);
            high = fmax(high, quantity[i]);
        }
    if (performance || !isfinite(low)) low = 1;
    if (!performance) low /= 1.1;
    high = fmax(1.15 * high, 2 * low);
    for (int k = 0; k < POINTS; k++) curve[k].x = low * pow(high / low, (double)k / (POINTS - 1));
    curve[0].x = low; /* the best have exactly 1 */
}

nb_status nb_figure_write_profile(const nb_figure_runs *runs, int panel, FILE *file) {
    nb_status status;
    int solvers = runs->series_count[panel], performance = panel < 2;
    int64_t entries = runs->problems * solvers;
    const double *cost = runs->cost[panel % 2];
    double *ratio = NULL;
    nb_profile_point curve[POINTS];
    NB_TRY(NB_ALLOCATE(entries, &ratio));
    nb_profile_ratios(cost, runs->problems, solvers, ratio);
    const double *quantity = performance ? ratio : cost;
    place_points(quantity, entries, performance, curve);
    for (int s = 0; s < solvers; s++) {
        NB_TRY(nb_profile_curve(quantity + s, runs->problems, solvers, BAND_SEED, POINTS, curve));
        for (int k = 0; k < POINTS; k++)
            fprintf(file, "%.9g\t%.9g\t%.9g\t%.9g\n", curve[k].x, curve[k].share, curve[k].low, curve[k].high);
        fputs("\n\n", file);
    }
out:
    nb_free(ratio);
    return status;
}
