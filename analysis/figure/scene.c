#include "figure/scene.h"

#include <math.h>

#include "base/memory.h"
#include "figure/picture.h"
#include "run/recheck.h"
#include "statistics/outcome.h"

/* the height of the highest centre of a body with mass, NaN where there is none */
static double highest(const nb_world *world, const double *q) {
    double height = NAN;
    for (int32_t i = 0; i < world->body_count; i++)
        if (world->bodies[i].kind == NB_BODY_DYNAMIC) height = fmax(height, q[7 * (int64_t)i + 2]);
    return height;
}

/* the height of the first body with mass */
static double height_of_first(const nb_world *world, const double *q) {
    for (int32_t i = 0; i < world->body_count; i++)
        if (world->bodies[i].kind == NB_BODY_DYNAMIC) return q[7 * (int64_t)i + 2];
    return NAN;
}

static nb_status write_states(const nb_run *run, FILE *file) {
    nb_status status;
    const nb_scenario_class *scenario;
    double *values = NULL, so_far = 0;
    nb_world *world = NULL;
    int32_t step = 0;
    NB_TRY(nb_run_rebuild(run, &scenario, &values, &world));
    if (world) NB_TRY(nb_world_refuse_particles(world, "a picture of a scene"));
    int drawable =
        scenario && world && (run->frame_count > 0 ? run->info.bodies : run->final.bodies) == world->body_count;
    for (int32_t f = 0; drawable && f < (run->frame_count > 0 ? run->frame_count : 1); f++) {
        const double *q = run->frame_count > 0 ? run->frames + (int64_t)f * 7 * run->info.bodies : run->final.q;
        double deepest = 0, time = run->frame_count > 0 ? run->frame_time[f] : INFINITY;
        if (!q) break;
        for (; step < run->step_count; step++) {
            const double *row = run->steps + (int64_t)step * NB_STEP_COLUMNS;
            if (row[NB_STEP_TIME] > time + 0.5 * run->info.time_step) break;
            deepest = fmax(deepest, row[NB_STEP_MAX_PENETRATION]);
        }
        so_far = fmax(so_far, deepest);
        if (isinf(time)) time = nb_run_last(run, NB_STEP_TIME);
        fprintf(file, "%.9g\t%.9g\t%.9g\t%.9g\t%.9g\n", time, highest(world, q), deepest, so_far,
                height_of_first(world, q));
    }
out:
    nb_free(values);
    nb_world_destroy(world);
    return status;
}

static nb_picture last_of(const nb_run *run) {
    return (nb_picture){run, run->frame_count > 0 ? run->frame_count - 1 : 0};
}

static nb_status write_pictures(const nb_figure_runs *runs, int p, const char *folder) {
    nb_status status = NB_OK;
    nb_picture beside[NB_FIGURE_SERIES];
    int count = 0;
    for (int s = 0; s < runs->series_count[p]; s++)
        if (runs->run[p][s]) beside[count++] = last_of(runs->run[p][s]);
    for (int s = 0; s < runs->series_count[p]; s++) {
        char path[512];
        if (!runs->run[p][s]) continue;
        snprintf(path, sizeof path, "%s/panel_%d_%d.rgb", folder, p + 1, s + 1);
        const nb_picture picture = last_of(runs->run[p][s]);
        NB_TRY(nb_picture_write(&picture, beside, count, NB_SCENE_WIDTH, NB_SCENE_HEIGHT, path));
    }
out:
    return status;
}

nb_status nb_figure_write_scene(const nb_figure_runs *runs, int panel, const char *folder, FILE *file) {
    nb_status status;
    for (int s = 0; s < runs->series_count[panel]; s++) {
        const nb_run *run = runs->run[panel][s];
        if (run)
            NB_TRY(write_states(run, file));
        else
            fputs("nan\tnan\tnan\tnan\tnan\n", file);
        fputs("\n\n", file);
    }
    NB_TRY(write_pictures(runs, panel, folder));
out:
    return status;
}

nb_status nb_figure_write_frames(const nb_figure_runs *runs, int panel, const char *folder, FILE *file) {
    nb_status status = NB_OK;
    for (int s = 0; s < runs->series_count[panel] && status == NB_OK; s++) {
        const nb_run *run = runs->run[panel][s];
        nb_picture picture[NB_SCENE_FRAMES];
        const int count =
            run && run->frame_count < NB_SCENE_FRAMES ? (run->frame_count > 0 ? run->frame_count : 1) : NB_SCENE_FRAMES;
        for (int f = 0; run && f < count; f++)
            picture[f] =
                (nb_picture){run, count > 1 ? (int32_t)lround((double)f * (run->frame_count - 1) / (count - 1)) : 0};
        for (int f = 0; run && f < count; f++) {
            char path[512];
            const int32_t frame = picture[f].frame;
            snprintf(path, sizeof path, "%s/panel_%d_%d_%d.rgb", folder, panel + 1, s + 1, f + 1);
            NB_TRY(nb_picture_write(&picture[f], picture, count, NB_FRAME_WIDTH, NB_FRAME_HEIGHT, path));
            fprintf(file, "%.9g\n", run->frame_count > 0 ? run->frame_time[frame] : nb_run_last(run, NB_STEP_TIME));
        }
        fputs(run ? "\n\n" : "nan\n\n\n", file);
    }
out:
    return status;
}
