#include "figure/tables.h"

#include <errno.h>
#include <string.h>

#include "figure/data.h"
#include "figure/devices.h"
#include "figure/differences.h"
#include "figure/extension.h"
#include "figure/functions.h"
#include "figure/optimization.h"
#include "figure/profile.h"
#include "figure/scene.h"
#include "figure/spectra.h"
#include "figure/timings.h"
#include "table/rows.h"

/* ---- forces ---- */

static void write_final_forces(const nb_snapshot *final, FILE *file) {
    int lines = 0;
    for (int32_t i = 0; i < final->contacts; i++) {
        const int32_t *pair = final->contact_bodies + 2 * (int64_t)i;
        const double *at = final->contact_point + 3 * (int64_t)i;
        if (!(final->lambda_normal[i] > 0)) continue;
        int swap = pair[1] < pair[0];
        fprintf(file, "%d\t%d\t%.9g\t%.9g\t%.9g\t%.9g\n", (int)pair[swap], (int)pair[!swap], at[0], at[1], at[2],
                final->lambda_normal[i]);
        lines++;
    }
    if (lines == 0) fputs("nan\tnan\tnan\tnan\tnan\tnan\n", file);
}

/* Panel `panel`: for each run a line for each contact that carries something, lower bodies first: the two bodies, the
 * lower number first (-1: the world), the point [m] at the start of the step, and the normal force [N]. */
static nb_status write_forces(const nb_figure_runs *runs, int panel, const char *folder, FILE *file) {
    static const nb_snapshot none;
    (void)folder;
    for (int s = 0; s < runs->series_count[panel]; s++) {
        const nb_run *run = runs->run[panel][s];
        write_final_forces(run ? &run->final : &none, file);
        fputs("\n\n", file);
    }
    return NB_OK;
}

/* ---- tables that functions make ---- */

/* how they read what they draw, where it is not the runs that the script selects; and write a panel, a block for each
 * curve with two empty lines after it */
static const struct {
    nb_status (*collect)(const nb_figure_script *script, const nb_figure_source *source, nb_figure_runs *runs);
    nb_status (*write)(const nb_figure_runs *runs, int panel, const char *folder, FILE *file);
} functions[NB_SCRIPT_ROWS] = {
    [NB_ROWS_PROFILE] = {nb_figure_collect_profile, nb_figure_write_profile},
    [NB_ROWS_DEVICES] = {nb_figure_collect_devices, nb_figure_write_devices},
    [NB_ROWS_SCENE] = {NULL, nb_figure_write_scene},
    [NB_ROWS_MOMENTS] = {NULL, nb_figure_write_moments},
    [NB_ROWS_EXTENSION] = {NULL, nb_figure_write_extension},
    [NB_ROWS_FORCES] = {NULL, write_forces},
    [NB_ROWS_FRICTION] = {NULL, nb_figure_write_friction},
    [NB_ROWS_SCALING] = {NULL, nb_figure_write_scaling},
    [NB_ROWS_SPECTRA] = {NULL, nb_figure_write_spectra},
};

/* ---- collecting ---- */

nb_status nb_figure_collect(const nb_figure_script *script, const nb_record_table *table,
                            const nb_figure_source *source, nb_figure_runs *runs) {
    nb_status status = NB_OK;
    for (int i = 0; i < source->count; i++) NB_TRY(nb_conditions_find(source->where, source->readers[i]));
    if (functions[table->rows].collect) return functions[table->rows].collect(script, source, runs);
    if (strcmp(script->panel, "*") == 0) return nb_figure_collect_differences(script, table, source, runs);
    if (script->timings && nb_record_run_count(source->readers[0]) == 0)
        return nb_figure_collect_timings(script, source->readers[0], runs);
    return nb_figure_collect_selected(script, table, source, runs);
out:
    return status;
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

static nb_status write_panel(const nb_record_table *table, const nb_figure_source *source, const nb_figure_runs *runs,
                             int p, const char *folder) {
    nb_status status;
    char name[64];
    FILE *file = NULL;
    snprintf(name, sizeof name, "panel_%d.tsv", p + 1);
    NB_TRY(open_table(folder, name, &file));
    if (table->made && table->made->of_study)
        fputs(source->study ? source->study : "", file);
    else if (table->rows == NB_ROWS_OPTIMIZATION)
        NB_TRY(nb_figure_write_optimization(source, runs, p, folder, file));
    else if (table->made)
        NB_TRY(functions[table->rows].write(runs, p, folder, file));
    for (int s = 0; !table->made && s < runs->series_count[p]; s++) {
        NB_TRY(nb_record_table_write(table, runs->run[p][s], file));
        fputs("\n\n", file);
    }
    FILE *done = file;
    file = NULL;
    NB_TRY(close_table(done, folder));
out:
    if (file) fclose(file);
    return status;
}

nb_status nb_figure_write_tables(const nb_record_table *table, const nb_figure_source *source,
                                 const nb_figure_runs *runs, const char *folder) {
    nb_status status = NB_OK;
    int panels = table->made && table->made->curves ? 1 : runs->panel_count; /* without a record it is one */
    for (int p = 0; p < panels && status == NB_OK; p++) status = write_panel(table, source, runs, p, folder);
    return status;
}
