#include "figure/optimization.h"

#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "figure/picture.h"
#include "record/optimization.h"
#include "table/recheck.h"

enum {
    PICTURES = 4,
    MOST_FILES = NB_SCRIPT_RUNS
};

/* first smoothings of the optimizations that `make` lines ask for [J] */
#define STANDARD 3e-3
#define HARDLY_ANY 1e-6
#define SMALL 1e-4

/* the optimizations that belong to the figure */
typedef struct files {
    nb_optimization items[MOST_FILES];
    int count;
} files;

static void clear_files(files *f) {
    for (int i = 0; i < f->count; i++) nb_optimization_clear(&f->items[i]);
}

/* Reads NAME-1.h5, NAME-2.h5, ... as far as there are any. */
static nb_status read_files(const nb_figure_source *source, files *f) {
    nb_status status = NB_OK;
    char path[4096];
    while (source->made && f->count < MOST_FILES) {
        snprintf(path, sizeof path, "%s-%d.h5", source->made, f->count + 1);
        if (access(path, F_OK) != 0) break;
        NB_TRY(nb_optimization_read(path, &f->items[f->count++]));
    }
out:
    return status;
}

/* The optimization of the run's scene by its method that begins with this smoothing; NULL: there is none. */
static const nb_optimization *find(const files *f, const nb_run *run, double smoothing) {
    for (int i = 0; run && i < f->count; i++) {
        const nb_optimization *o = &f->items[i];
        if (o->rows > 0 && o->smoothing[0] == smoothing && strcmp(o->info.method, run->info.method) == 0 &&
            strcmp(o->info.scenario, run->info.scenario) == 0 && strcmp(o->parameters, run->info.parameters) == 0)
            return o;
    }
    return NULL;
}

/* a line without numbers where there is none */
static void write_rows(const nb_optimization *o, FILE *file) {
    if (!o || o->rows == 0) fputs("0\tnan\tnan\tnan\tnan\tnan\n", file);
    for (int32_t row = 0; o && row < o->rows; row++)
        fprintf(file, "%d\t%.9g\t%.9g\t%.9g\t%.9g\t%.9g\n", (int)row, o->smoothing[row], o->cost[row],
                o->exact_cost[row], o->exact_distance[row], o->exact_angle[row]);
    fputs("\n\n", file);
}

static nb_status write_pictures(const nb_optimization *o, const nb_world *world, int panel, const char *folder,
                                FILE *file) {
    nb_status status = NB_OK;
    nb_picture_state states[PICTURES];
    for (int i = 0; i < PICTURES; i++) {
        const int32_t step = (int32_t)((int64_t)o->steps * i / (PICTURES - 1));
        states[i] = (nb_picture_state){.time = o->time[step], .q = o->q_exact + (ptrdiff_t)7 * o->bodies * step};
    }
    const nb_picture picture = {.world = world, .states = states, .count = PICTURES};
    for (int i = 0; i < PICTURES; i++) {
        char path[512];
        snprintf(path, sizeof path, "%s/panel_%d_%d.rgb", folder, panel + 1, i + 1);
        fprintf(file, "%.9g\n", states[i].time);
        NB_TRY(nb_picture_write(&picture, i, NB_SCENE_WIDTH, NB_SCENE_HEIGHT, path));
    }
    fputs("\n\n", file);
out:
    return status;
}

nb_status nb_figure_write_optimization(const nb_figure_source *source, const nb_figure_runs *runs, int panel,
                                       const char *folder, FILE *file) {
    nb_status status;
    const nb_run *run = runs->run[panel][0];
    const nb_scenario_class *scenario;
    nb_world *world = NULL;
    double *values = NULL;
    files *all = NULL;
    NB_TRY(NB_ALLOCATE(1, &all));
    NB_TRY(read_files(source, all));
    const nb_optimization *first = find(all, run, STANDARD);
    if (!first)
        NB_TRY(nb_fail(NB_ERROR_INPUT,
                       "figure lecleach-grasp: '%.200s-1.h5' is missing, or of other runs; 'ncpbench reproduce "
                       "lecleach-grasp' makes it and those after it",
                       source->made ? source->made : ""));
    NB_TRY(nb_run_rebuild(run, &scenario, &values, &world));
    write_rows(first, file);
    write_rows(find(all, run, HARDLY_ANY), file);
    NB_TRY(write_pictures(first, world, panel, folder, file));
    for (int s = 0; s < runs->series_count[panel]; s++) write_rows(find(all, runs->run[panel][s], SMALL), file);
out:
    if (all) clear_files(all);
    nb_free(all);
    nb_free(values);
    nb_world_destroy(world);
    return status;
}
