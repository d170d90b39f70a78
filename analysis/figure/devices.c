#include "figure/devices.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

static const char *const panels[] = {"iteration", "accuracy"};

static int is_of_panel(const nb_timing *t, int panel, double accuracy) {
    char kernel[sizeof t->kernel];
    snprintf(kernel, sizeof kernel, "accuracy:%.0e", accuracy);
    return strcmp(t->kernel, panel == 0 ? "pcr" : kernel) == 0 && strcmp(t->order, "built") == 0;
}

/* words, for names in a script are split at spaces */
static void name_curve(const nb_timing *t, char name[NB_NAME_LENGTH]) {
    char threads[24] = "";
    if (t->threads > 1 && strcmp(t->device, "cpu") == 0)
        snprintf(threads, sizeof threads, "-%d-threads", (int)t->threads);
    snprintf(name, NB_NAME_LENGTH, "%s%s-%s", t->device, threads, t->precision);
}

/* emulated, or a device that a later program may have */
static int counts(const nb_timing *t) {
    return strcmp(t->device, "emulated") != 0;
}

static nb_status check_devices(const nb_figure_script *script, const nb_timing *timings, int count) {
    const char *missing = "", *also = "";
    int here = 0, there = 0;
    for (int i = 0; i < count; i++) {
        if (!is_of_panel(&timings[i], 0, 0)) continue;
        if (!counts(&timings[i]))
            also = " (rows of device emulated say nothing of a GPU)";
        else if (strcmp(timings[i].device, "cpu") == 0)
            here = 1;
        else
            there = 1;
    }
    if (here && there) return NB_OK;
    if (here != there) missing = here ? " of a GPU" : " of device cpu";
    return nb_fail(NB_ERROR_INPUT,
                   "figure %s: no timings of pcr%s%s, which 'ncpbench bench pcr,accuracy --device cpu,cuda' makes; "
                   "--from takes several records",
                   script->type.name, missing, there ? "" : also);
}

static void write_caption(const nb_figure_source *source, int left_out, nb_figure_runs *runs) {
    const nb_provenance *where = nb_record_provenance(source->readers[0]);
    const char *title = nb_record_attribute(source->readers[0], "title");
    char accuracy[96] = "";
    if (runs->panel_count > 1)
        snprintf(accuracy, sizeof accuracy, " Accuracy: true residual %g of its start, copies to the device included.",
                 runs->accuracy);
    snprintf(runs->caption, sizeof runs->caption,
             "%.200s%sPiles of boxes, bench: medians of 15 samples, bars from the least to the most. Dashed: the time "
             "in which what an iteration moves passes at the bandwidth\nmeasured in the same run (processor: triad "
             "over as much memory; GPU: copy).%s%s\n%s, %d cores%s%s, %s build, ncpbench %s %.10s%s",
             title, *title ? "\n" : "", accuracy,
             left_out ? " Rows of device emulated are left out: they say nothing of a GPU." : "", where->cpu_model,
             (int)where->cores, *where->gpu ? "; " : "", where->gpu, where->build_type, where->ncpbench_version,
             where->git_commit, source->count > 1 ? " (first record)" : "");
    for (int i = 0; i < source->count; i++)
        nb_figure_note_warnings(runs, source->readers[i], runs->caption, sizeof runs->caption);
}

/* those of all records, one after the other */
static nb_status read_timings(const nb_figure_source *source, nb_figure_runs *runs) {
    nb_status status = NB_OK;
    nb_timing *rows = NULL;
    int64_t capacity = 0;
    for (int i = 0; i < source->count; i++) {
        int count;
        NB_TRY(nb_record_read_timings(source->readers[i], &rows, &count));
        NB_TRY(NB_RESERVE(runs->timing_count + count, &capacity, &runs->timings));
        if (count > 0) memcpy(runs->timings + runs->timing_count, rows, (size_t)count * sizeof *rows);
        runs->timing_count += count;
        nb_free(rows);
        rows = NULL;
    }
out:
    nb_free(rows);
    return status;
}

nb_status nb_figure_collect_devices(const nb_figure_script *script, const nb_figure_source *source,
                                    nb_figure_runs *runs) {
    nb_status status;
    int left_out = 0;
    memset(runs, 0, sizeof *runs);
    NB_TRY(read_timings(source, runs));
    NB_TRY(check_devices(script, runs->timings, runs->timing_count));
    runs->accuracy = source->accuracy > 0 ? source->accuracy : 1e-4;
    /* a curve has its place, and so its colour, in both panels, whatever the order of the records' rows */
    for (int p = 0; p < 2; p++)
        for (int i = 0; i < runs->timing_count; i++) {
            char name[NB_NAME_LENGTH];
            const nb_timing *t = &runs->timings[i];
            left_out |= !counts(t);
            if (!is_of_panel(t, p, runs->accuracy) || !counts(t)) continue;
            name_curve(t, name);
            nb_figure_place(name, runs->series_name[0], &runs->series_count[0], NB_FIGURE_CURVES);
            snprintf(runs->panel_name[p], NB_NAME_LENGTH, "%s", panels[p]);
            runs->panel_count = p + 1;
        }
    nb_figure_share_series(runs);
    if (source->accuracy > 0 && runs->panel_count < 2)
        NB_TRY(nb_fail(NB_ERROR_INPUT,
                       "figure %s: the record has no solves to %g: 'bench accuracy' makes those to "
                       "1e-2, 1e-4 and 1e-6",
                       script->type.name, source->accuracy));
    runs->timed = 1;
    if (runs->panel_count < 2) snprintf(runs->title, sizeof runs->title, "Processor and GPU: an iteration of PCR");
    write_caption(source, left_out, runs);
out:
    if (status != NB_OK) nb_figure_runs_clear(runs);
    return status;
}

/* One curve's points, as the record has them; without any, a line without numbers, which keeps the curves after it at
 * their places. */
static void write_curve(const nb_figure_runs *runs, int panel, const char *curve, FILE *file) {
    int points = 0;
    for (int i = 0; i < runs->timing_count; i++) {
        char name[NB_NAME_LENGTH];
        const nb_timing *t = &runs->timings[i];
        if (!is_of_panel(t, panel, runs->accuracy) || !counts(t)) continue;
        name_curve(t, name);
        if (strcmp(name, curve) != 0) continue;
        double scale = 1e-3 * t->contacts;
        fprintf(file, "%d\t%.9g\t%.9g\t%.9g\t%.9g\n", (int)t->contacts, scale * t->median, scale * t->least,
                scale * t->most, panel == 0 ? scale * t->bytes / t->triad : (double)NAN);
        points++;
    }
    if (points == 0) fputs("nan\tnan\tnan\tnan\tnan\n", file);
}

nb_status nb_figure_write_devices(const nb_figure_runs *runs, int panel, const char *folder, FILE *file) {
    (void)folder;
    for (int s = 0; s < runs->series_count[panel]; s++) {
        write_curve(runs, panel, runs->series_name[panel][s], file);
        fputs("\n\n", file);
    }
    return NB_OK;
}

/* ---- bandwidth ---- */

/* the preconditioner whose application it times, whose bytes are known; else "" */
static void name_applied(const nb_timing *t, char name[NB_NAME_LENGTH]) {
    static const char before[] = "precond:", after[] = ":apply";
    const char *from = t->kernel + strlen(before), *end = strstr(t->kernel, after);
    const int applied = strncmp(t->kernel, before, strlen(before)) == 0 && end && isfinite(t->bytes);
    snprintf(name, NB_NAME_LENGTH, "%.*s", applied ? (int)(end - from) : 0, from);
}

nb_status nb_figure_collect_bandwidth(const nb_figure_script *script, const nb_figure_source *source,
                                      nb_figure_runs *runs) {
    nb_status status;
    memset(runs, 0, sizeof *runs);
    NB_TRY(read_timings(source, runs));
    for (int i = 0; i < runs->timing_count; i++) {
        char name[NB_NAME_LENGTH];
        name_applied(&runs->timings[i], name);
        if (!*name) continue;
        nb_figure_place(name, runs->series_name[0], &runs->series_count[0], NB_FIGURE_CURVES);
        nb_figure_place(runs->timings[i].precision, runs->panel_name, &runs->panel_count, NB_FIGURE_PANELS);
    }
    if (runs->panel_count == 0)
        NB_TRY(nb_fail(NB_ERROR_INPUT,
                       "figure %s: no timings of preconditioners, which 'ncpbench bench preconditioners' makes",
                       script->type.name));
    nb_figure_share_series(runs);
    runs->timed = 1;
    const nb_provenance *where = nb_record_provenance(source->readers[0]);
    snprintf(runs->caption, sizeof runs->caption, "%s, %d cores, %s build, ncpbench %s %.10s", where->cpu_model,
             (int)where->cores, where->build_type, where->ncpbench_version, where->git_commit);
    nb_figure_note_warnings(runs, source->readers[0], runs->caption, sizeof runs->caption);
out:
    if (status != NB_OK) nb_figure_runs_clear(runs);
    return status;
}

nb_status nb_figure_write_bandwidth(const nb_figure_runs *runs, int panel, const char *folder, FILE *file) {
    (void)folder;
    for (int s = 0; s < runs->series_count[panel]; s++) {
        int points = 0;
        for (int i = 0; i < runs->timing_count; i++) {
            char name[NB_NAME_LENGTH];
            const nb_timing *t = &runs->timings[i];
            name_applied(t, name);
            if (strcmp(name, runs->series_name[panel][s]) != 0 || strcmp(t->precision, runs->panel_name[panel]) != 0)
                continue;
            fprintf(file, "%.9g\t%.9g\t%.9g\n", t->bytes * t->contacts, t->bytes / t->median, t->triad);
            points++;
        }
        if (points == 0) fputs("nan\tnan\tnan\n", file);
        fputs("\n\n", file);
    }
    return NB_OK;
}
