#include "figure/profile.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "statistics/profile.h"
#include "statistics/solver_costs.h"
#include "table/outcome.h"

enum {
    POINTS = 301,
    BAND_SEED = 1
};

static const char *const work_notes[NB_WORK_MEASURES] = {
    "Work: operations of the linear solves, with set-ups and factorizations.",
    "Work: operator applications; a factorization counts in the time only.",
    "What a linear iteration costs differs by solver.", "What an iteration costs differs by method."};

/* ---- collecting ---- */

/* what is collected, before the best solvers are chosen */
typedef struct collection {
    nb_compared_runs compared;
    nb_solver_costs costs;
    double *ratio[2]; /* [problems][solvers] */
    int64_t *chosen;  /* [drawn] solvers, ascending */
    int drawn;
} collection;

static void clear_collection(collection *c) {
    nb_compared_runs_clear(&c->compared);
    nb_solver_costs_clear(&c->costs);
    nb_free(c->chosen);
    for (int measure = 0; measure < 2; measure++) nb_free(c->ratio[measure]);
}

/* Copies a label; of one that is too long the ends, in which others differ from it. */
static void shorten_label(const char *label, char name[NB_NAME_LENGTH]) {
    const int head = 26, tail = NB_NAME_LENGTH - 1 - 26 - 2;
    size_t length = strlen(label);
    if (length < NB_NAME_LENGTH)
        snprintf(name, NB_NAME_LENGTH, "%.*s", NB_NAME_LENGTH - 1, label);
    else
        snprintf(name, NB_NAME_LENGTH, "%.*s..%s", head, label, label + length - (size_t)tail);
}

static void name_solvers(const collection *c, nb_figure_runs *runs) {
    for (int s = 0; s < c->drawn; s++) {
        char label[256];
        int64_t first = c->costs.first[c->chosen[s]];
        nb_compared_run_label(&c->compared, first, NB_COMPARED_SOLVER | NB_COMPARED_SHORT, label, sizeof label);
        const char *text = *label ? label : c->compared.items[first].info.linear_solver;
        for (int p = 0; p < runs->panel_count; p++) shorten_label(text, runs->series_name[p][s]);
    }
}

static nb_status fill_costs(collection *c) {
    nb_status status;
    NB_TRY(nb_solver_costs_make(&c->compared, &c->costs));
    for (int measure = 0; measure < 2; measure++) {
        NB_TRY(NB_ALLOCATE(c->costs.problems * c->costs.solvers, &c->ratio[measure]));
        nb_profile_ratios(c->costs.cost[measure], c->costs.problems, (int)c->costs.solvers, c->ratio[measure]);
    }
out:
    return status;
}

/* ---- the best solvers, where they are too many to draw ---- */

typedef struct rank {
    int64_t solver, solved;
    double distance; /* mean logarithm of the ratio in work, where it solved */
} rank;

static int compare_ranks(const void *x, const void *y) {
    const rank *a = x, *b = y;
    if (a->solved != b->solved) return a->solved > b->solved ? -1 : 1;
    if (a->distance != b->distance) return a->distance < b->distance ? -1 : 1;
    return a->solver < b->solver ? -1 : a->solver > b->solver;
}

static int compare_indices(const void *x, const void *y) {
    const int64_t *a = x, *b = y;
    return *a < *b ? -1 : *a > *b;
}

static nb_status choose_solvers(collection *c) {
    nb_status status;
    rank *ranks = NULL;
    c->drawn = c->costs.solvers < NB_FIGURE_CURVES ? (int)c->costs.solvers : NB_FIGURE_CURVES;
    NB_TRY(NB_ALLOCATE(c->costs.solvers, &ranks));
    NB_TRY(NB_ALLOCATE(c->drawn, &c->chosen));
    for (int64_t s = 0; s < c->costs.solvers; s++) {
        ranks[s].solver = s;
        for (int64_t p = 0; p < c->costs.problems; p++) {
            double ratio = c->ratio[1][p * c->costs.solvers + s];
            if (!isfinite(c->costs.cost[1][p * c->costs.solvers + s])) continue;
            ranks[s].solved++;
            ranks[s].distance += isfinite(ratio) ? log(ratio) : 0;
        }
        if (ranks[s].solved > 0) ranks[s].distance /= (double)ranks[s].solved;
    }
    qsort(ranks, (size_t)c->costs.solvers, sizeof *ranks, compare_ranks);
    for (int i = 0; i < c->drawn; i++) c->chosen[i] = ranks[i].solver;
    qsort(c->chosen, (size_t)c->drawn, sizeof *c->chosen, compare_indices);
out:
    nb_free(ranks);
    return status;
}

/* hands over what is drawn */
static nb_status keep_chosen(collection *c, nb_figure_runs *runs) {
    nb_status status;
    for (int measure = 0; measure < 2; measure++) {
        NB_TRY(NB_ALLOCATE(c->costs.problems * c->drawn, &runs->cost[measure]));
        NB_TRY(NB_ALLOCATE(c->costs.problems * c->drawn, &runs->ratio[measure]));
        for (int64_t p = 0; p < c->costs.problems; p++)
            for (int i = 0; i < c->drawn; i++) {
                runs->cost[measure][p * c->drawn + i] = c->costs.cost[measure][p * c->costs.solvers + c->chosen[i]];
                runs->ratio[measure][p * c->drawn + i] = c->ratio[measure][p * c->costs.solvers + c->chosen[i]];
            }
    }
    runs->problems = c->costs.problems;
    for (int p = 0; p < runs->panel_count; p++) runs->series_count[p] = c->drawn;
    name_solvers(c, runs);
out:
    return status;
}

/* ---- the accuracy ---- */

static const double system_accuracy = 1e-8; /* relative to ||b||, of Matrix Market systems */

/* What was asked for, what the first run was asked for, or the standard. */
static nb_status choose_accuracy(const nb_figure_source *source, double *accuracy) {
    nb_run *run = NULL;
    nb_status status = NB_OK;
    *accuracy = source->accuracy;
    if (*accuracy > 0) return NB_OK;
    for (int i = 0; i < source->count && !run && status == NB_OK; i++)
        if (nb_record_run_count(source->readers[i]) > 0) status = nb_record_read_run(source->readers[i], 0, &run);
    double standard = NB_FIGURE_ACCURACY;
    if (run && nb_run_is_system(run)) {
        *accuracy = run->info.linear_tolerance;
        standard = system_accuracy;
    } else if (run) {
        *accuracy = run->info.relative_tolerance;
    }
    nb_run_destroy(run);
    if (!(*accuracy > 0)) *accuracy = standard;
    return status;
}

/* ---- the caption ---- */

static int64_t count_unsolved(const collection *c) {
    int64_t unsolved = 0;
    for (int64_t p = 0; p < c->costs.problems; p++) {
        int reached = 0;
        for (int64_t s = 0; s < c->costs.solvers; s++)
            reached |= isfinite(c->costs.cost[0][p * c->costs.solvers + s]) != 0;
        unsolved += !reached;
    }
    return unsolved;
}

/* a sentence at the end of the caption */
__attribute__((format(printf, 2, 3))) static void say(nb_figure_runs *runs, const char *format, ...) {
    size_t used = strlen(runs->caption);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(runs->caption + used, sizeof runs->caption - used, format, arguments);
    va_end(arguments);
}

/* what stands on the figure itself, beside what speaks against its times */
static void note_choice(const collection *c, nb_figure_runs *runs) {
    int64_t pairs = c->costs.problems * c->costs.solvers;
    size_t used = 0, size = sizeof runs->note;
    if (c->drawn < c->costs.solvers)
        used = (size_t)snprintf(runs->note, size,
                                "The %d of %lld solvers that solved most (of equals, the nearest to the "
                                "best in work).",
                                c->drawn, (long long)c->costs.solvers);
    if (c->costs.tried < pairs)
        snprintf(runs->note + used, size - used,
                 "%s%lld of %lld pairs of problem and solver were never tried, and count in "
                 "no share.",
                 used ? " " : "", (long long)(pairs - c->costs.tried), (long long)pairs);
}

/* the accuracy as "1e-06 m/s" */
static void name_accuracy(const collection *c, double accuracy, int files, char text[64]) {
    snprintf(text, 64, "%g%s", accuracy,
             c->compared.error                            ? nb_cost_error_units[c->compared.error]
             : nb_compared_runs_are_systems(&c->compared) ? " ||b||"
             : files                                      ? " ||q||"
                                                          : " m/s");
}

static void write_title(const collection *c, double accuracy, int files, nb_figure_runs *runs) {
    char to[64], of[32] = "";
    name_accuracy(c, accuracy, files, to);
    if (c->drawn < c->costs.solvers) snprintf(of, sizeof of, " of %lld", (long long)c->costs.solvers);
    snprintf(runs->title, sizeof runs->title, "Profiles of %d%s solver%s over %lld problem%s, to %s", c->drawn, of,
             c->costs.solvers > 1 ? "s" : "", (long long)c->costs.problems, c->costs.problems > 1 ? "s" : "", to);
}

static void say_problems(const collection *c, double accuracy, int files, nb_figure_runs *runs) {
    char to[64];
    name_accuracy(c, accuracy, files, to);
    say(runs, "Problems: %lld%s, to %s of %s; no solver reached it in %lld. Failures count as never reached.",
        (long long)c->costs.problems,
        files ? "" : " (a scene each: solved where all its steps are, at the sum of their costs)",
        c->compared.error == NB_OF_ENERGY            ? "an energy error"
        : c->compared.error == NB_OF_RESIDUAL        ? "a residual"
        : nb_compared_runs_are_systems(&c->compared) ? "a residual ||b - A x||"
                                                     : "a natural-map error",
        to, (long long)count_unsolved(c));
    note_choice(c, runs);
    say(runs, "%s%s", *runs->note ? "\n" : "", runs->note);
}

static void say_bands(const collection *c, nb_figure_runs *runs) {
    if (c->costs.problems < NB_PROFILE_LEAST)
        say(runs, "No bands: they take %d problems, and there are %lld.", NB_PROFILE_LEAST,
            (long long)c->costs.problems);
    else
        say(runs, "Bands: 95 %% bootstrap over the %lld problems, point by point.", (long long)c->costs.problems);
}

/* whether runs were added elsewhere, or with another program */
static int is_of_several(const nb_record_reader *reader) {
    int several = 0;
    for (int k = 1; k < nb_record_provenance_count(reader); k++)
        several |= !nb_provenance_alike(nb_record_provenance(reader), nb_record_provenance_at(reader, k));
    return several;
}

static void write_caption(const nb_figure_source *source, const collection *c, double accuracy, int files,
                          nb_figure_runs *runs) {
    const nb_provenance *where = nb_record_provenance(source->readers[0]);
    write_title(c, accuracy, files, runs);
    say_problems(c, accuracy, files, runs);
    say(runs, "\nTop: share of problems within a factor of the best solver (Dolan and Moré 2002). Bottom: share within "
              "a cost "
              "(Moré and Wild 2009). ");
    say(runs, "Time: assembly, set-up, solves, of the median repetition.\n");
    say_bands(c, runs);
    say(runs, " %s\n%s, %d cores, %d thread(s), %s build, ncpbench %s %.10s%s", work_notes[c->costs.work],
        where->cpu_model, (int)where->cores, (int)where->threads, where->build_type, where->ncpbench_version,
        where->git_commit,
        source->count > 1                   ? " (first record)"
        : is_of_several(source->readers[0]) ? " (first of several)"
                                            : "");
    nb_figure_note_cold(runs, c->costs.cold, c->compared.count, runs->caption, sizeof runs->caption);
    for (int i = 0; i < source->count; i++)
        nb_figure_note_warnings(runs, source->readers[i], runs->caption, sizeof runs->caption);
}

nb_status nb_figure_collect_profile(const nb_figure_script *script, const nb_figure_source *source,
                                    nb_figure_runs *runs) {
    (void)script;
    nb_status status = NB_OK;
    collection c = {0};
    memset(runs, 0, sizeof *runs);
    double accuracy;
    NB_TRY(choose_accuracy(source, &accuracy));
    c.compared.error = source->error;
    for (int i = 0; i < source->count; i++)
        NB_TRY(nb_compared_runs_read(&c.compared, source->readers[i], source->where, accuracy));
    if (c.compared.count == 0) NB_TRY(nb_fail(NB_ERROR_INPUT, "figure profile: the records hold no runs"));
    NB_TRY(nb_compared_runs_settle((nb_compared_runs *const[]){&c.compared}, 1));
    NB_TRY(fill_costs(&c));
    runs->panel_count = 4;
    for (int p = 0; p < 4; p++)
        snprintf(runs->panel_name[p], NB_NAME_LENGTH, "%s", p % 2 == 0 ? "time" : nb_work_names[c.costs.work]);
    NB_TRY(choose_solvers(&c));
    NB_TRY(keep_chosen(&c, runs));
    write_caption(source, &c, accuracy, nb_compared_runs_are_files(&c.compared), runs);
out:
    clear_collection(&c);
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

nb_status nb_figure_write_profile(const nb_figure_runs *runs, int panel, const char *folder, FILE *file) {
    (void)folder;
    nb_status status = NB_OK;
    int solvers = runs->series_count[panel], performance = panel < 2;
    const double *quantity = performance ? runs->ratio[panel % 2] : runs->cost[panel % 2];
    nb_profile_point curve[POINTS];
    place_points(quantity, runs->problems * solvers, performance, curve);
    for (int s = 0; s < solvers; s++) {
        NB_TRY(nb_profile_curve(quantity + s, runs->problems, solvers, BAND_SEED, POINTS, curve));
        for (int k = 0; k < POINTS; k++)
            fprintf(file, "%.9g\t%.9g\t%.9g\t%.9g\n", curve[k].x, curve[k].share, curve[k].low, curve[k].high);
        fputs("\n\n", file);
    }
out:
    return status;
}
