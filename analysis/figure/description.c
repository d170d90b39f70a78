#include "figure/description.h"

#include <stdio.h>
#include <string.h>

#include "statistics/unsolved.h"
#include "table/settings.h"

enum {
    LIST_LENGTH = 160 /* of the values that an attribute takes over the runs, as text */
};

/* ', ' and the value after those of the list, where it is not among them; "..." where there are too many */
static void add_value(char *list, size_t size, const char *value) {
    size_t used = strlen(list), length = strlen(value);
    for (const char *item = list; *item; item += strspn(item, ", ")) {
        size_t n = strcspn(item, ",");
        if (n == length && strncmp(item, value, n) == 0) return;
        item += n;
    }
    if (used + length + 8 < size)
        snprintf(list + used, size - used, "%s%s", used ? ", " : "", value);
    else if (strcmp(list + used - 3, "...") != 0)
        snprintf(list + used, size - used, ", ...");
}

/* the distinct values of a setting over the runs that have it, as "0.0083, 0.01" */
static void values_of(const nb_figure_runs *runs, const char *attribute, char list[LIST_LENGTH]) {
    *list = 0;
    for (int p = 0; p < runs->panel_count; p++)
        for (int s = 0; s < runs->series_count[p]; s++) {
            char value[NB_NAME_LENGTH];
            if (runs->run[p][s] && nb_setting_find(&runs->run[p][s]->info, attribute, strlen(attribute), value))
                add_value(list, LIST_LENGTH, *value ? value : "none");
        }
}

/* how steps start, of values "0, 1" as the attribute warm_start has them */
static void name_starts(const char *values, char list[LIST_LENGTH]) {
    static const char *const starts[] = {"zero", "warm", "unconstrained"};
    *list = '\0';
    for (const char *c = values; *c; c++)
        if (*c >= '0' && *c <= '2') add_value(list, LIST_LENGTH, starts[*c - '0']);
}

/* "smoothed: 3 of 900 steps unsolved" where such runs are drawn: what they draw may be no solution. Other methods'
 * errors are drawn, or are what a figure is about. */
static void describe_unsolved(const nb_figure_runs *runs, char *text, size_t size) {
    nb_unsolved sum = {0};
    *text = 0;
    for (int p = 0; p < runs->panel_count; p++)
        for (int s = 0; s < runs->series_count[p]; s++)
            if (runs->run[p][s] && strcmp(runs->run[p][s]->info.method, "smoothed") == 0)
                nb_unsolved_add(runs->run[p][s], &sum);
    if (sum.of > 0)
        snprintf(text, size, "smoothed: %lld of %lld steps not converged", (long long)sum.steps, (long long)sum.of);
}

void nb_figure_describe_runs(const nb_figure_runs *runs, const nb_figure_source *source, char *text, size_t size) {
    enum {
        METHOD,
        TIME_STEP,
        STEPS,
        SETTLE,
        NEWTON,
        LINEAR,
        PRECISION,
        DAMPING,
        REGULARIZATION,
        KIND,
        WARM,
        SEED,
        PRECONDITIONER,
        SCALING,
        NCP,
        THREADS,
        VALUES
    };
    static const char *const attributes[VALUES] = {[METHOD] = "method",
                                                   [TIME_STEP] = "time_step",
                                                   [STEPS] = "steps",
                                                   [SETTLE] = "settle",
                                                   [NEWTON] = "newton_iterations",
                                                   [LINEAR] = "linear_iterations",
                                                   [PRECISION] = "precision",
                                                   [DAMPING] = "damping",
                                                   [REGULARIZATION] = "regularization",
                                                   [KIND] = "regularization_kind",
                                                   [WARM] = "warm_start",
                                                   [SEED] = "seed",
                                                   [PRECONDITIONER] = "preconditioner",
                                                   [SCALING] = "scaling",
                                                   [NCP] = "ncp",
                                                   [THREADS] = "threads"};
    char of[VALUES][LIST_LENGTH];
    const nb_provenance *where = nb_figure_made_with(runs, source);
    for (int i = 0; i < VALUES; i++) values_of(runs, attributes[i], of[i]);
    char start[LIST_LENGTH];
    name_starts(of[WARM], start);
    const int newton = *of[NCP] != 0; /* other methods have no such functions */
    char damped[3 * LIST_LENGTH + 64] = "";
    if (newton)
        snprintf(damped, sizeof damped, ", damping %s, regularization %s (%s)", of[DAMPING], of[REGULARIZATION],
                 of[KIND]);
    size_t used = (size_t)snprintf(
        text, size,
        "h = %s s, %s step(s) after %s to settle, at most %s Newton x %s linear iterations, %s%s, %s start, seed "
        "%s\nMethod %s, preconditioner %s%s%s%s%s\n%s, %d cores, %s thread(s), %s build, ncpbench %s %.10s%s",
        of[TIME_STEP], of[STEPS], of[SETTLE], of[NEWTON], of[LINEAR], of[PRECISION], damped, start, of[SEED],
        of[METHOD], of[PRECONDITIONER], newton ? ", scaling " : "", newton ? of[SCALING] : "", newton ? ", " : "",
        newton ? of[NCP] : "", where->cpu_model, (int)where->cores, of[THREADS], where->build_type,
        where->ncpbench_version, where->git_commit, nb_figure_made_elsewhere(runs, source));
    if (runs->left_out > 0 && used < size)
        snprintf(text + used, size - used,
                 "\nNot drawn: %d more run(s) of the record, which differ from these in other settings alone, or were "
                 "too many.",
                 runs->left_out);
    used = strlen(text);
    if (runs->unfinished > 0 && used < size)
        snprintf(text + used, size - used, "\nNot drawn: %d run(s) that failed or were interrupted.", runs->unfinished);
    char unsolved[96];
    describe_unsolved(runs, unsolved, sizeof unsolved);
    used = strlen(text);
    if (*unsolved) snprintf(text + used, size - used, "\nMethod %s.", unsolved);
}

void nb_figure_describe_times(nb_figure_runs *runs, const nb_record_reader *reader, char *text, size_t size) {
    int32_t least = INT32_MAX, most = 0, count = 0, cold = 0;
    size_t used = strlen(text);
    for (int p = 0; p < runs->panel_count; p++)
        for (int s = 0; s < runs->series_count[p]; s++) {
            const nb_run *run = runs->run[p][s];
            if (!run) continue;
            count++;
            cold += run->repeat_count == 0;
            if (run->repeat_count > 0 && run->repeat_count < least) least = run->repeat_count;
            if (run->repeat_count > most) most = run->repeat_count;
        }
    char range[32] = "";
    if (most > least) snprintf(range, sizeof range, " to %d", (int)most);
    if (most > 0)
        snprintf(text + used, size - used, "\nTimes: of %d%s repetition(s) after the recorded pass.", (int)least,
                 range);
    nb_figure_note_cold(runs, cold, count, text, size);
    nb_figure_note_warnings(runs, reader, text, size);
}

/* "Intel(R) Xeon(R) CPU @ 2.80GHz" without what says nothing */
static void name_processor(const char *model, char *name, size_t size) {
    static const char *const noise[] = {"(R)", "(TM)", "(tm)", " CPU", " Processor"};
    size_t used = 0;
    for (const char *c = model; *c && used + 1 < size;) {
        size_t skip = 0;
        for (size_t i = 0; i < sizeof noise / sizeof *noise; i++)
            if (strncmp(c, noise[i], strlen(noise[i])) == 0) skip = strlen(noise[i]);
        if (skip)
            c += skip;
        else
            name[used++] = *c++;
    }
    name[used] = 0;
}

/* "6, 20" as "6/20" */
static void use_slashes(char list[LIST_LENGTH]) {
    char *to = list;
    for (const char *from = list; *from; from++)
        if (*from != ' ') *to++ = *from == ',' ? '/' : *from;
    *to = 0;
}

void nb_figure_describe_source(const nb_figure_runs *runs, const nb_figure_source *source, char *text, size_t size) {
    const nb_provenance *where = nb_figure_made_with(runs, source);
    const char *title = nb_record_attribute(source->readers[0], "title");
    char processor[96], made[3 * LIST_LENGTH + 64] = "", more[128] = "", unsolved[96];
    int gpu = strcmp(where->gpu, "none") != 0 ? (int)strcspn(where->gpu, ",") : 0; /* its name, without its numbers */
    if (runs->timed && *title) snprintf(made, sizeof made, "%.80s; ", title);      /* perhaps that it is a rehearsal */
    name_processor(where->cpu_model, processor, sizeof processor);
    if (!*runs->caption) {
        char step[LIST_LENGTH], newton[LIST_LENGTH], linear[LIST_LENGTH], precision[LIST_LENGTH];
        values_of(runs, "time_step", step);
        values_of(runs, "newton_iterations", newton);
        values_of(runs, "linear_iterations", linear);
        values_of(runs, "precision", precision);
        use_slashes(newton);
        use_slashes(linear);
        snprintf(made, sizeof made, "h = %.40s s, at most %.40s × %.40s iterations, %.40s; ", step, newton, linear,
                 precision);
    }
    if (runs->left_out > 0)
        snprintf(more, sizeof more, "; %d more run%s not drawn", runs->left_out, runs->left_out > 1 ? "s" : "");
    const size_t used = strlen(more);
    if (runs->unfinished > 0)
        snprintf(more + used, sizeof more - used, "; %d failed run%s not drawn", runs->unfinished,
                 runs->unfinished > 1 ? "s" : "");
    describe_unsolved(runs, unsolved, sizeof unsolved);
    snprintf(text, size, "%s%s%s%s, %d cores%s%.*s; ncpbench %s %.8s%s%s%.60s%s", made, unsolved, *unsolved ? "; " : "",
             processor, (int)where->cores, gpu ? "; " : "", gpu, where->gpu, where->ncpbench_version, where->git_commit,
             nb_figure_made_elsewhere(runs, source), source->record ? ", " : "", source->record ? source->record : "",
             more);
}
