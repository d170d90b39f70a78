#include "figure/optimization.h"

#include <string.h>

#include "base/memory.h"
#include "figure/picture.h"
#include "run/optimize.h"
#include "run/prepare.h"
#include "run/recheck.h"

enum {
    PICTURES = 4,
    SMALL = 3
};

static const double hardly_any = 1e-6, small[SMALL] = {1e-4, 1e-5, 1e-6}; /* [J] */

/* the request of the run, of a scenario with these parameters */
static nb_status prepare(const nb_run *run, const nb_scenario_class *scenario, const double *values,
                         nb_request *request) {
    nb_status status;
    nb_request_standard(request);
    memcpy(request->info.scenario, run->info.scenario, sizeof request->info.scenario);
    memcpy(request->info.method, run->info.method, sizeof request->info.method);
    request->info.steps = run->info.steps;
    request->info.time_step = run->info.time_step;
    request->info.newton_iterations = run->info.newton_iterations;
    request->info.newton_tolerance = run->info.newton_tolerance;
    request->info.seed = run->info.seed;
    NB_TRY(nb_simulate_prepare(request));
    for (int i = 0; i < scenario->parameter_count; i++) request->choices.parameters[i] = values[i];
out:
    return status;
}

/* Optimises the motion of a run's scene by its method; `world`: where its bodies begin, or NULL. */
static nb_status optimise(const nb_run *run, const nb_optimize_request *what, nb_optimization *o, nb_world **world) {
    nb_status status;
    const nb_scenario_class *scenario;
    nb_request *request = NULL;
    nb_world *rebuilt = NULL;
    double *values = NULL;
    NB_TRY(nb_run_rebuild(run, &scenario, &values, &rebuilt));
    if (!scenario) {
        status = nb_fail(NB_ERROR_INPUT, "a course takes runs of a scenario, such as grasp");
        goto out;
    }
    NB_TRY(NB_ALLOCATE(1, &request));
    NB_TRY(prepare(run, scenario, values, request));
    NB_TRY(nb_optimize(request, what, o));
    if (world) *world = rebuilt, rebuilt = NULL;
out:
    if (request) nb_free(request->info.parameters);
    nb_free(request);
    nb_free(values);
    nb_world_destroy(rebuilt);
    return status;
}

/* a line without numbers where there is none */
static void write_rows(const nb_optimization *o, FILE *file) {
    if (o->rows == 0) fputs("0\tnan\tnan\tnan\tnan\tnan\n", file);
    for (int32_t row = 0; row < o->rows; row++)
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

/* The same by each of the panel's runs, its method's, with smoothings that are all small. A motion without derivatives
 * ends the method's optimisation there. */
static nb_status write_methods(const nb_figure_runs *runs, int panel, FILE *file) {
    nb_status status = NB_OK;
    nb_optimize_request what = nb_optimize_standard();
    what.smoothing_count = SMALL;
    memcpy(what.smoothing, small, sizeof small);
    for (int s = 0; s < runs->series_count[panel] && status == NB_OK; s++) {
        nb_optimization o = {0};
        if (runs->run[panel][s]) status = optimise(runs->run[panel][s], &what, &o, NULL);
        if (status == NB_ERROR_NUMERIC) status = NB_OK;
        if (status == NB_OK) write_rows(&o, file);
        nb_optimization_clear(&o);
    }
    return status;
}

nb_status nb_figure_write_optimization(const nb_figure_runs *runs, int panel, const char *folder, FILE *file) {
    nb_status status;
    const nb_run *run = runs->run[panel][0];
    nb_world *world = NULL;
    nb_optimization o = {0}, other = {0};
    nb_optimize_request what = nb_optimize_standard();
    if (!run) return nb_fail(NB_ERROR_INPUT, "a course takes a run of the first method with each plan");
    NB_TRY(optimise(run, &what, &o, &world));
    write_rows(&o, file);
    what.smoothing_count = 1;
    what.smoothing[0] = hardly_any;
    NB_TRY(optimise(run, &what, &other, NULL));
    write_rows(&other, file);
    NB_TRY(write_pictures(&o, world, panel, folder, file));
    NB_TRY(write_methods(runs, panel, file));
out:
    nb_optimization_clear(&o);
    nb_optimization_clear(&other);
    nb_world_destroy(world);
    return status;
}
