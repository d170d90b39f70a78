#include "figure/tables.h"

#include <errno.h>
#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/options.h"
#include "base/status.h"
#include "element/energy.h"
#include "figure/classes.h"
#include "figure/data.h"
#include "figure/devices.h"
#include "figure/differences.h"
#include "figure/field.h"
#include "figure/functions.h"
#include "figure/optimization.h"
#include "figure/picture_soft.h"
#include "figure/profile.h"
#include "figure/scene.h"
#include "operator/delassus_matrix.h"
#include "operator/system.h"
#include "registry.h"
#include "table/linear_cost.h"
#include "table/recheck.h"
#include "table/rows.h"

NB_PRECISIONS(f64);

/* ---- spectra: eigenvalues of a stored system before and after its preconditioner ---- */
enum {
    NB_SPECTRA_ROWS = 1000 /* of a system at most: it is dense */
};

static const double spectra_accuracy = 1e-6;

enum {
    BODY_ROWS = 6,
    MOST_OPTIONS = 32
};

/* a system at work, with its preconditioner */
typedef struct spectrum {
    const nb_preconditioner_class *type;
    void *state;
    nb_delassus *delassus;
    nb_system *system;
    double *a, *p, *values, *unit; /* [rows^2], [rows^2], [rows], [rows] */
} spectrum;

static void clear(spectrum *s) {
    if (s->type) s->type->destroy(s->state);
    nb_system_destroy(s->system);
    nb_delassus_matrix_destroy(s->delassus);
    nb_free(s->a);
    nb_free(s->p);
    nb_free(s->values);
    nb_free(s->unit);
}

/* the matrix as a system of blocks of bodies, or of rows */
static nb_status make_system(const nb_csr_f64 *from, spectrum *s) {
    nb_status status;
    nb_csr_f64 *matrix = NULL;
    int32_t *start = NULL;
    const int32_t width = from->rows % BODY_ROWS == 0 ? BODY_ROWS : 1, blocks = from->rows / width;
    NB_TRY(NB_ALLOCATE((int64_t)blocks + 1, &start));
    for (int32_t i = 0; i <= blocks; i++) start[i] = i * width;
    NB_TRY(nb_csr_copy(from, &matrix));
    nb_csr_f64 *given = matrix;
    matrix = NULL; /* taken over */
    NB_TRY(nb_delassus_matrix_create(given, blocks, start, 0, NULL, &s->delassus));
    NB_TRY(nb_system_create(s->delassus, &s->system));
    NB_TRY(NB_ALLOCATE((int64_t)from->rows * from->rows, &s->a));
    NB_TRY(NB_ALLOCATE((int64_t)from->rows * from->rows, &s->p));
    NB_TRY(NB_ALLOCATE(from->rows, &s->values));
    NB_TRY(NB_ALLOCATE(from->rows, &s->unit));
out:
    nb_free(start);
    return status;
}

static nb_status set_up(const char *name, spectrum *s, nb_reason *reason) {
    nb_status status;
    double values[MOST_OPTIONS];
    const nb_preconditioner_class *type;
    *reason = NB_REASON_NONE;
    NB_TRY(nb_preconditioner_find(name, &type));
    nb_options_standard(type->options, type->option_count, values);
    NB_TRY(type->create(values, &s->state));
    s->type = type;
    NB_TRY(type->set_up_pattern(s->state, s->system));
    NB_TRY(type->set_up_values(s->state, s->system, reason));
out:
    return status;
}

/* A and P by columns, P's symmetric part; 0 where P is not symmetric */
static int fill(const nb_csr_f64 *from, spectrum *s) {
    const int32_t n = from->rows;
    double largest = 0, off = 0;
    for (int32_t i = 0; i < n; i++)
        for (int64_t e = from->start[i]; e < from->start[i + 1]; e++)
            s->a[(int64_t)from->column[e] * n + i] = from->value[e];
    for (int32_t i = 0; i < n; i++) {
        s->unit[i] = 1;
        s->type->apply(s->state, s->unit, s->p + (int64_t)i * n);
        s->unit[i] = 0;
    }
    for (int32_t i = 0; i < n; i++)
        for (int32_t k = 0; k < i; k++) {
            double *one = &s->p[(int64_t)i * n + k], *other = &s->p[(int64_t)k * n + i];
            largest = fmax(largest, fmax(fabs(*one), fabs(*other)));
            off = fmax(off, fabs(*one - *other));
            *one = *other = (*one + *other) / 2;
        }
    return off <= 1e-6 * largest;
}

static nb_status write_spectrum(const nb_run *run, FILE *file) {
    nb_status status = NB_OK;
    spectrum s = {0};
    nb_reason reason;
    int found = 0;
    const nb_csr_f64 *a = run && run->system_count > 0 ? &run->systems[0].a : NULL;
    if (!a || a->rows > NB_SPECTRA_ROWS) goto out;
    NB_TRY(make_system(a, &s));
    NB_TRY(set_up(run->info.preconditioner, &s, &reason));
    if (reason != NB_REASON_NONE || !fill(a, &s)) goto out;
    found = LAPACKE_dsygv(LAPACK_COL_MAJOR, 2, 'N', 'L', a->rows, s.a, a->rows, s.p, a->rows, s.values) == 0;
    const double condition = s.values[0] > 0 ? s.values[a->rows - 1] / s.values[0] : (double)NAN;
    const nb_cost cost = nb_cost_of_error(run, 0, NB_OF_ENERGY, spectra_accuracy);
    for (int32_t i = 0; i < a->rows && found; i++)
        fprintf(file, "%d\t%.9g\t%.9g\t%.9g\n", (int)i + 1, s.values[i], condition,
                cost.reached ? cost.linear_iterations : (double)NAN);
out:
    if (!found) fputs("nan\tnan\tnan\tnan\n", file);
    clear(&s);
    return status;
}

/* Of each run of a panel the eigenvalues of P A, ascending, an "index<TAB>eigenvalue" a line, then the condition number
 * and the iterations of the run's first step to an energy error of spectra_accuracy (NaN: not reached): A is its first
 * stored system (--store-systems), symmetric, P its preconditioner with standard options, of blocks of six rows where
 * their number is a multiple of six. A line of "nan" where there is no such system, it has more than NB_SPECTRA_ROWS
 * rows, or P is not symmetric positive definite. */
static nb_status write_spectra(const nb_figure_runs *runs, int panel, const char *folder, FILE *file) {
    nb_status status = NB_OK;
    (void)folder;
    for (int s = 0; s < runs->series_count[panel] && status == NB_OK; s++) {
        status = write_spectrum(runs->run[panel][s], file);
        fputs("\n\n", file);
    }
    return status;
}

/* ---- extension: how soft bodies are stretched in the last states of runs, and their surfaces ---- */

static nb_vec3 place_of(const double *x, int32_t particle) {
    return nb_vec3_of(x[3 * (int64_t)particle], x[3 * (int64_t)particle + 1], x[3 * (int64_t)particle + 2]);
}

/* seen from the front, a little from the right and from above */
static const double aside = 0.35, above = 0.3;

static void write_edges(const nb_world *world, const nb_surface *surface, const nb_surface_face *face, const double *x,
                        FILE *file) {
    nb_vec3 at[3];
    int32_t element = nb_surface_element(surface, world, face);
    if (element < 0) return;
    for (int k = 0; k < 3; k++) at[k] = place_of(x, face->particle[k]);
    nb_vec3 normal = nb_cross(nb_sub(at[1], at[0]), nb_sub(at[2], at[0]));
    if (nb_dot(normal, nb_vec3_of(aside, -1, above)) <= 0) return;
    for (int k = 0; k < 3; k++) {
        for (int end = 0; end < 2; end++) {
            nb_vec3 p = at[(k + end) % 3];
            fprintf(file, "%.6g\t%.6g\t%.6g\n", p.x + aside * p.y, p.z + above * p.y,
                    nb_volume_ratio_of(world, element, x));
        }
        fputc('\n', file);
    }
}

static nb_status write_surface(const nb_world *world, const double *x, const char *path) {
    nb_status status;
    nb_surface surface = {0};
    FILE *file = NULL;
    NB_TRY(nb_surface_update(&surface, world));
    file = fopen(path, "w");
    if (!file) NB_TRY(nb_fail(NB_ERROR_IO, "cannot write '%s': %s", path, strerror(errno)));
    for (int32_t i = 0; i < surface.face_count; i++) write_edges(world, &surface, &surface.faces[i], x, file);
out:
    if (file && (ferror(file) | fclose(file)) != 0 && status == NB_OK)
        status = nb_fail(NB_ERROR_IO, "cannot write '%s': %s", path, strerror(errno));
    nb_surface_clear(&surface);
    return status;
}

/* how long the particles lie along x */
static double length_of(const double *x, int32_t particles) {
    double low = INFINITY, high = -INFINITY;
    for (int32_t i = 0; i < particles; i++) {
        low = fmin(low, x[3 * (int64_t)i]);
        high = fmax(high, x[3 * (int64_t)i]);
    }
    return high - low;
}

static double rest_length(const nb_world *world) {
    double low = INFINITY, high = -INFINITY;
    for (int32_t i = 0; i < world->particle_count; i++) {
        low = fmin(low, world->particles[i].position.x);
        high = fmax(high, world->particles[i].position.x);
    }
    return high - low;
}

static nb_status write_extension_of(const nb_run *run, const char *path, FILE *file) {
    nb_status status;
    const nb_scenario_class *scenario;
    double *values = NULL, least = INFINITY, most = -INFINITY;
    nb_world *world = NULL;
    const double *x = run->final.particle_x;
    NB_TRY(nb_run_rebuild(run, &scenario, &values, &world));
    if (!world || world->tetrahedron_count == 0 || !x)
        NB_TRY(nb_fail(NB_ERROR_INPUT, "scenario '%s' has no tetrahedra, whose volume this figure shows",
                       run->info.scenario));
    for (int32_t i = 0; i < world->tetrahedron_count; i++) {
        least = fmin(least, nb_volume_ratio_of(world, i, x));
        most = fmax(most, nb_volume_ratio_of(world, i, x));
    }
    fprintf(file, "%.9g\t%.9g\t%.9g\t%.9g\n", length_of(x, world->particle_count) / rest_length(world),
            nb_volume_ratio(world, x), least, most);
    NB_TRY(write_surface(world, x, path));
out:
    nb_free(values);
    nb_world_destroy(world);
    return status;
}

/* Panel `panel`: for each run a line with its length along x over that at rest, its volume over that at rest, and the
 * least and the largest volume of an element over its own at rest. Beside the table panel_P_S_surface.tsv of each run:
 * the edges of its surface that face the viewer, two lines of x, y [m] and that volume of the element behind them for
 * each, then an empty one. NB_ERROR_INPUT where the record does not fit the scenario, or has no tetrahedra. */
static nb_status write_extension(const nb_figure_runs *runs, int panel, const char *folder, FILE *file) {
    nb_status status = NB_OK;
    for (int s = 0; s < runs->series_count[panel]; s++) {
        char path[512];
        snprintf(path, sizeof path, "%s/panel_%d_%d_surface.tsv", folder, panel + 1, s + 1);
        if (runs->run[panel][s])
            NB_TRY(write_extension_of(runs->run[panel][s], path, file));
        else
            fputs("nan\tnan\tnan\tnan\n", file);
        fputs("\n\n", file);
    }
out:
    return status;
}

/* ---- timings: points from the timings of kernels that a record of `ncpbench bench` holds ---- */

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

/* Each timed Newton iteration as a run of one step and one iteration that took its shares' medians; a panel is
 * a precision, a number of threads and an order. NB_ERROR_INPUT where the record has none. */
static nb_status collect_timings(const nb_figure_script *script, nb_record_reader *reader, nb_figure_runs *runs) {
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

/* ---- forces: what acts in the contacts of the last states of runs ---- */

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
    [NB_ROWS_SCENE_FORCES] = {NULL, nb_figure_write_scene_forces},
    [NB_ROWS_SCENE_ERRORS] = {NULL, nb_figure_write_scene_errors},
    [NB_ROWS_SCENE_MODES] = {NULL, nb_figure_write_scene_modes},
    [NB_ROWS_CONTACTS] = {NULL, nb_figure_write_contacts},
    [NB_ROWS_EXTENSION] = {NULL, write_extension},
    [NB_ROWS_FORCES] = {NULL, write_forces},
    [NB_ROWS_FRICTION] = {NULL, nb_figure_write_friction},
    [NB_ROWS_SCALING] = {NULL, nb_figure_write_scaling},
    [NB_ROWS_BANDWIDTH] = {nb_figure_collect_bandwidth, nb_figure_write_bandwidth},
    [NB_ROWS_CLASSES] = {nb_figure_collect_classes, nb_figure_write_classes},
    [NB_ROWS_FIELD] = {nb_figure_collect_field, nb_figure_write_field},
    [NB_ROWS_SPECTRA] = {NULL, write_spectra},
};

/* ---- collecting ---- */

nb_status nb_figure_collect(const nb_figure_script *script, const nb_record_table *table,
                            const nb_figure_source *source, nb_figure_runs *runs) {
    nb_status status = NB_OK;
    for (int i = 0; i < source->count; i++) NB_TRY(nb_conditions_find(source->where, source->readers[i]));
    if (functions[table->rows].collect) return functions[table->rows].collect(script, source, runs);
    if (strcmp(script->panel, "*") == 0) return nb_figure_collect_differences(script, table, source, runs);
    if (script->timings && nb_record_run_count(source->readers[0]) == 0)
        return collect_timings(script, source->readers[0], runs);
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
