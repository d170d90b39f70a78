#include "figure/timings.h"

#include <string.h>

#include "base/memory.h"

/* the step column that a share of a Newton iteration counts in; -1: none */
static int column_of(const char *kernel) {
    static const struct {
        const char *kernel;
        int column;
    } shares[] = {{"newton:assemble", NB_STEP_ASSEMBLY_S},
                  {"newton:update", NB_STEP_ASSEMBLY_S},
                  {"newton:set-up", NB_STEP_SETUP_S},
                  {"newton:solve", NB_STEP_SOLVE_S}};
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
        if (strcmp(shares[i].kernel, kernel) == 0) return shares[i].column;
    return -1;
}

/* "f64", "f64-2-threads", "f64-shuffled": words, for names in a script are split at spaces */
static void name_panel(const nb_timing *t, char name[NB_NAME_LENGTH]) {
    char threads[24] = "";
    if (t->threads > 1) snprintf(threads, sizeof threads, "-%d-threads", (int)t->threads);
    int built = strcmp(t->order, "built") == 0;
    snprintf(name, NB_NAME_LENGTH, "%s%s%s%s", t->precision, threads, built ? "" : "-", built ? "" : t->order);
}

/* the row "newton" and the rows of its shares after it as a run of one step */
static nb_status make_run(const nb_timing *timings, int first, int count, nb_run **run) {
    const nb_timing *t = &timings[first];
    double row[NB_STEP_COLUMNS] = {0};
    nb_status status = nb_run_create(run);
    if (status != NB_OK) return status;
    snprintf((*run)->info.scenario, NB_NAME_LENGTH, "piling");
    (*run)->info.steps = (*run)->info.newton_iterations = 1;
    row[NB_STEP_CONTACTS] = t->contacts;
    for (int i = first + 1; i < count && strncmp(timings[i].kernel, "newton:", 7) == 0; i++) {
        int column = column_of(timings[i].kernel);
        if (column >= 0) row[column] += 1e-9 * timings[i].median * t->contacts;
    }
    status = nb_run_add_step(*run, row);
    if (status != NB_OK) {
        nb_run_destroy(*run);
        *run = NULL;
    }
    return status;
}

static nb_status add_points(const nb_timing *timings, int count, nb_figure_runs *runs) {
    nb_status status = NB_OK;
    for (int i = 0; i < count && status == NB_OK; i++) {
        char panel[NB_NAME_LENGTH];
        if (strcmp(timings[i].kernel, "newton") != 0) continue;
        name_panel(&timings[i], panel);
        int p = nb_figure_place(panel, runs->panel_name, &runs->panel_count, NB_FIGURE_PANELS);
        if (p < 0 || runs->series_count[p] == NB_FIGURE_CURVES) continue;
        int s = runs->series_count[p]++;
        snprintf(runs->series_name[p][s], NB_NAME_LENGTH, "%d", (int)timings[i].contacts);
        status = make_run(timings, i, count, &runs->run[p][s]);
    }
    return status;
}

static void write_caption(const nb_record_reader *reader, nb_figure_runs *runs) {
    const nb_provenance *where = nb_record_provenance(reader);
    snprintf(runs->caption, sizeof runs->caption, "%s, %d cores, %s build, ncpbench %s %.10s", where->cpu_model,
             (int)where->cores, where->build_type, where->ncpbench_version, where->git_commit);
    nb_figure_note_warnings(runs, reader, runs->caption, sizeof runs->caption);
}

nb_status nb_figure_collect_timings(const nb_figure_script *script, nb_record_reader *reader, nb_figure_runs *runs) {
    nb_status status;
    nb_timing *timings = NULL;
    int count;
    memset(runs, 0, sizeof *runs);
    NB_TRY(nb_record_read_timings(reader, &timings, &count));
    NB_TRY(add_points(timings, count, runs));
    if (runs->panel_count == 0)
        NB_TRY(nb_fail(NB_ERROR_INPUT, "figure %s: the record has neither its runs nor timings of newton",
                       script->type.name));
    runs->timed = 1;
    write_caption(reader, runs);
out:
    nb_free(timings);
    if (status != NB_OK) nb_figure_runs_clear(runs);
    return status;
}
