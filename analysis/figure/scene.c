#include "figure/scene.h"

#include <math.h>

#include "base/memory.h"
#include "figure/picture.h"
#include "measure/largest_error.h"
#include "table/outcome.h"
#include "table/recheck.h"

enum {
    MOMENTS = 4 /* pictures of a run */
};

/* the height of the highest body's centre, or particle, with mass; NaN where there is none */
static double highest(const nb_world *world, const nb_picture_state *state) {
    double height = NAN;
    for (int32_t i = 0; i < world->body_count; i++)
        if (world->bodies[i].kind == NB_BODY_DYNAMIC) height = fmax(height, state->q[7 * (int64_t)i + 2]);
    for (int32_t i = 0; i < world->particle_count; i++)
        if (world->particles[i].kind == NB_BODY_DYNAMIC) height = fmax(height, state->x[3 * (int64_t)i + 2]);
    return height;
}

/* the height of the first body with mass */
static double height_of_first(const nb_world *world, const double *q) {
    for (int32_t i = 0; i < world->body_count; i++)
        if (world->bodies[i].kind == NB_BODY_DYNAMIC) return q[7 * (int64_t)i + 2];
    return NAN;
}

/* the share of the other bodies with mass that are above the first one; NaN where there is none */
static double share_above_first(const nb_world *world, const double *q) {
    const double first = height_of_first(world, q);
    int32_t count = -1, above = 0; /* without the first */
    for (int32_t i = 0; i < world->body_count; i++)
        if (world->bodies[i].kind == NB_BODY_DYNAMIC) {
            count++;
            above += q[7 * (int64_t)i + 2] > first;
        }
    return count > 0 ? (double)above / count : NAN;
}

/* the centre of all that has mass and moves, and how far its particles are apart along the axes; NaN where there is
 * none */
static void write_middle(const nb_world *world, const nb_picture_state *state, FILE *file) {
    double mass = 0, middle[3] = {0}, low[3] = {INFINITY, INFINITY, INFINITY},
           high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int32_t i = 0; i < world->body_count; i++) {
        const nb_body *body = &world->bodies[i];
        if (body->kind != NB_BODY_DYNAMIC) continue;
        mass += body->mass;
        for (int a = 0; a < 3; a++) middle[a] += body->mass * state->q[7 * (int64_t)i + a];
    }
    for (int32_t i = 0; i < world->particle_count; i++) {
        const double own = world->particles[i].mass, *x = state->x + 3 * (int64_t)i;
        if (world->particles[i].kind != NB_BODY_DYNAMIC) continue;
        mass += own;
        for (int a = 0; a < 3; a++) {
            middle[a] += own * x[a];
            low[a] = fmin(low[a], x[a]);
            high[a] = fmax(high[a], x[a]);
        }
    }
    for (int a = 0; a < 3; a++) fprintf(file, "\t%.9g", middle[a] / mass);
    for (int a = 0; a < 3; a++) fprintf(file, "\t%.9g", low[a] <= high[a] ? high[a] - low[a] : NAN);
}

/* a line without numbers, which keeps the curves after it at their places */
static void write_none(int columns, FILE *file) {
    for (int i = 0; i < columns; i++) fputs(i ? "\tnan" : "nan", file);
    fputc('\n', file);
}

static int32_t last_frame(const nb_run *run) {
    return run->frame_count - 1; /* -1: the final state */
}

/* the run's world, as it was at first */
static nb_status build(const nb_run *run, nb_world **world) {
    const nb_scenario_class *scenario;
    double *values = NULL;
    nb_status status = nb_run_rebuild(run, &scenario, &values, world);
    nb_free(values);
    return status;
}

/* ---- states over time ---- */

static void write_strain(const nb_world *world, const nb_picture_state *state, double limit, FILE *file) {
    double least, most;
    nb_picture_strain(world, state, &least, &most);
    fprintf(file, "\t%.9g\t%.9g\t%.9g", isfinite(least) ? least : 0, isfinite(most) ? most : 0, limit);
}

static nb_status write_states(const nb_run *run, const nb_world *world, double limit, FILE *file) {
    nb_status status = NB_OK;
    double so_far = 0;
    int32_t step = 0;
    for (int32_t f = run->frame_count > 0 ? 0 : -1; f < run->frame_count; f++) {
        nb_picture_state state;
        double deepest = 0, time = f < 0 ? INFINITY : run->frame_time[f];
        NB_TRY(nb_picture_state_of(run, world, f, &state));
        for (; step < run->step_count; step++) {
            const double *row = run->steps + (int64_t)step * NB_STEP_COLUMNS;
            if (row[NB_STEP_TIME] > time + 0.5 * run->info.time_step) break;
            deepest = fmax(deepest, row[NB_STEP_MAX_PENETRATION]);
        }
        so_far = fmax(so_far, deepest);
        if (isinf(time)) time = nb_run_last(run, NB_STEP_TIME);
        fprintf(file, "%.9g\t%.9g\t%.9g\t%.9g\t%.9g", time, highest(world, &state), deepest, so_far,
                height_of_first(world, state.q));
        write_strain(world, &state, limit, file);
        fprintf(file, "\t%.9g", share_above_first(world, state.q));
        write_middle(world, &state, file);
        fputc('\n', file);
        if (f < 0) break;
    }
out:
    return status;
}

/* ---- pictures ---- */

static nb_status write_picture(const nb_picture *picture, int i, const char *folder, int panel, int number) {
    char path[512];
    snprintf(path, sizeof path, "%s/panel_%d_%d.rgb", folder, panel + 1, number + 1);
    return nb_picture_write(picture, i, NB_SCENE_WIDTH, NB_SCENE_HEIGHT, path);
}

nb_status nb_figure_write_scene(const nb_figure_runs *runs, int panel, const char *folder, FILE *file) {
    nb_status status = NB_OK;
    nb_world *world[NB_FIGURE_SERIES] = {NULL};
    nb_picture_state last[NB_FIGURE_SERIES];
    int place[NB_FIGURE_SERIES] = {0};
    nb_picture picture = {.states = last};
    for (int s = 0; s < runs->series_count[panel]; s++) {
        const nb_run *run = runs->run[panel][s];
        if (!run) continue;
        NB_TRY(build(run, &world[s]));
        place[s] = picture.count++;
        NB_TRY(nb_picture_state_of(run, world[s], last_frame(run), &last[place[s]]));
        if (!picture.world) picture.world = world[s];
        picture.strain = fmax(picture.strain, nb_picture_strain_limit(world[s], &last[place[s]], 1));
    }
    for (int s = 0; s < runs->series_count[panel]; s++) {
        if (world[s]) {
            NB_TRY(write_states(runs->run[panel][s], world[s], picture.strain, file));
            picture.world = world[s];
            NB_TRY(write_picture(&picture, place[s], folder, panel, s));
        } else {
            write_none(15, file);
        }
        fputs("\n\n", file);
    }
out:
    for (int s = 0; s < runs->series_count[panel]; s++) nb_world_destroy(world[s]);
    return status;
}

nb_status nb_figure_write_moments(const nb_figure_runs *runs, int panel, const char *folder, FILE *file) {
    nb_status status = NB_OK;
    nb_world *world = NULL;
    nb_picture_state moments[MOMENTS];
    nb_picture picture = {.states = moments};
    const nb_run *run = runs->run[panel][0];
    if (run) {
        NB_TRY(build(run, &world));
        picture.world = world;
        picture.count = run->frame_count < 1 ? 1 : run->frame_count < MOMENTS ? run->frame_count : MOMENTS;
        for (int i = 0; i < picture.count; i++) {
            int32_t frame =
                picture.count < 2 ? last_frame(run) : (int32_t)((int64_t)i * last_frame(run) / (picture.count - 1));
            NB_TRY(nb_picture_state_of(run, world, frame, &moments[i]));
        }
        picture.strain = nb_picture_strain_limit(world, moments, picture.count);
        for (int i = 0; i < picture.count; i++) {
            fprintf(file, "%.9g\t%.9g", moments[i].time, highest(world, &moments[i]));
            write_strain(world, &moments[i], picture.strain, file);
            write_middle(world, &moments[i], file);
            fputc('\n', file);
            NB_TRY(write_picture(&picture, i, folder, panel, i));
        }
    } else {
        write_none(11, file);
    }
    for (int s = 0; s < runs->series_count[panel]; s++) {
        if (s > 0) write_none(11, file);
        fputs("\n\n", file);
    }
out:
    nb_world_destroy(world);
    return status;
}

/* ---- contacts ---- */

/* the frame of the state after the step that is asked for; -1: the final state */
static nb_status find_frame(const nb_run *run, int32_t step, int32_t *frame) {
    *frame = -1;
    if (step < 0 || step == run->step_count - 1) return NB_OK;
    if (step >= run->step_count)
        return nb_fail(NB_ERROR_INPUT, "--at %d: the run of '%s' has the steps 0 to %d", (int)step, run->info.scenario,
                       (int)run->step_count - 1);
    *frame = nb_run_frame_after(run, step + 1);
    if (*frame < 0)
        return nb_fail(NB_ERROR_INPUT,
                       "--at %d: the run of '%s' stored %d states, none after step %d; --store-states 1 stores all",
                       (int)step, run->info.scenario, (int)run->frame_count, (int)step);
    return NB_OK;
}

/* the same as a frame of the record, which the final state may be, too */
static int32_t recorded_frame(const nb_run *run, int32_t frame) {
    return frame >= 0 ? frame : nb_run_frame_after(run, run->step_count);
}

static nb_status take_iterate(const nb_figure_runs *runs, const nb_run *run, int32_t frame, nb_show show,
                              nb_marks *marks) {
    const int32_t recorded = recorded_frame(run, frame);
    const int64_t iterate = nb_run_iterate_of(run, recorded, runs->iteration);
    if (show != NB_SHOW_ERRORS)
        return nb_fail(NB_ERROR_USAGE, "--at %d:%d is for errors: forces and modes are known of stored states alone",
                       (int)runs->step, (int)runs->iteration);
    if (iterate < 0)
        return nb_fail(NB_ERROR_INPUT,
                       "--at %d:%d: the run of '%s' kept no iterates of this step; make it again with --store-iterates",
                       (int)runs->step, (int)runs->iteration, run->info.scenario);
    nb_marks_take_iterate(run, recorded, iterate, marks);
    return NB_OK;
}

/* by ascending error; of forces those of pairs of bodies */
static nb_status read_marks(const nb_figure_runs *runs, const nb_run *run, nb_show show, int32_t *frame,
                            nb_marks *marks) {
    nb_status status;
    NB_TRY(find_frame(run, runs->step, frame));
    NB_TRY(nb_marks_read(run, *frame, marks));
    if (runs->iteration >= 0) NB_TRY(take_iterate(runs, run, *frame, show, marks));
    if (show == NB_SHOW_FORCES) nb_marks_merge_pairs(marks);
out:
    return status;
}

/* the contact of the largest force or error; NULL: there is none */
static const nb_mark *largest_of(const nb_marks *marks, nb_show show) {
    const nb_mark *largest = NULL;
    for (int32_t i = 0; i < marks->count; i++) {
        const nb_mark *own = &marks->items[i];
        const double value = show == NB_SHOW_FORCES ? nb_norm(own->force) : own->error;
        const double most = !largest ? -1 : show == NB_SHOW_FORCES ? nb_norm(largest->force) : largest->error;
        if (value >= most) largest = own;
    }
    return largest;
}

static double size_of(const nb_mark *mark, nb_show show) {
    return !mark ? 0 : show == NB_SHOW_FORCES ? nb_norm(mark->force) : mark->error;
}

/* decades of errors that colours tell apart; the least scale [m/s] on which round-off is pale */
#define DECADES 6
#define LEAST_SCALE 1e-8

/* the scale of pictures, of panels from `first` to before `end` */
static nb_status find_scale(const nb_figure_runs *runs, int first, int end, nb_mark_scale *scale) {
    nb_status status = NB_OK;
    double largest = 0;
    for (int p = first; p < end; p++)
        for (int s = 0; s < runs->series_count[p]; s++) {
            nb_marks marks = {0};
            int32_t frame;
            if (!runs->run[p][s]) continue;
            status = read_marks(runs, runs->run[p][s], scale->show, &frame, &marks);
            if (status == NB_OK) largest = fmax(largest, size_of(largest_of(&marks, scale->show), scale->show));
            nb_marks_clear(&marks);
            if (status != NB_OK) return status;
        }
    scale->high = largest > 0 && isfinite(largest) ? largest : 1;
    if (scale->show != NB_SHOW_FORCES) scale->high = fmax(LEAST_SCALE, pow(10, ceil(log10(scale->high) - 1e-9)));
    scale->low = scale->high * pow(10, -DECADES);
    return NB_OK;
}

static void write_marks(const nb_marks *marks, const nb_mark_scale *scale, double time, FILE *file) {
    int modes[NB_MODE_COUNT] = {0};
    const nb_mark *largest = largest_of(marks, scale->show);
    for (int32_t i = 0; i < marks->count; i++)
        if (marks->items[i].mode >= 0 && marks->items[i].mode < NB_MODE_COUNT) modes[marks->items[i].mode]++;
    fprintf(file, "%.9g\t%d", time, (int)marks->count);
    for (int i = 0; i < NB_MODE_COUNT; i++) fprintf(file, "\t%d", modes[i]);
    fprintf(file, "\t%.9g\t%.9g\t%.9g", size_of(largest, scale->show), scale->low, scale->high);
    if (largest)
        fprintf(file, "\t%d\t%d\t%.9g\t%.9g\t%.9g\n", (int)largest->body[0], (int)largest->body[1], largest->point.x,
                largest->point.y, largest->point.z);
    else
        fputs("\tnan\tnan\tnan\tnan\tnan\n", file);
}

static nb_status write_marked(const nb_figure_runs *runs, int panel, const char *folder, nb_show show, FILE *file) {
    nb_status status = NB_OK;
    nb_world *world[NB_FIGURE_SERIES] = {NULL};
    nb_picture_state states[NB_FIGURE_SERIES];
    nb_marks marks[NB_FIGURE_SERIES] = {{0}};
    int place[NB_FIGURE_SERIES] = {0};
    nb_picture picture = {.states = states, .marks = marks, .scale = {.show = show}};
    const int alone = show == NB_SHOW_FORCES;
    NB_TRY(find_scale(runs, alone ? panel : 0, alone ? panel + 1 : runs->panel_count, &picture.scale));
    for (int s = 0; s < runs->series_count[panel]; s++) {
        const nb_run *run = runs->run[panel][s];
        int32_t frame;
        if (!run) continue;
        const int i = place[s] = picture.count++;
        NB_TRY(build(run, &world[s]));
        NB_TRY(read_marks(runs, run, show, &frame, &marks[i]));
        NB_TRY(nb_picture_state_of(run, world[s], frame, &states[i]));
        if (!picture.world) picture.world = world[s];
    }
    for (int s = 0; s < runs->series_count[panel]; s++) {
        if (world[s]) {
            write_marks(&marks[place[s]], &picture.scale, states[place[s]].time, file);
            picture.world = world[s];
            NB_TRY(write_picture(&picture, place[s], folder, panel, s));
        } else {
            write_none(13, file);
        }
        fputs("\n\n", file);
    }
out:
    for (int s = 0; s < runs->series_count[panel]; s++) nb_world_destroy(world[s]);
    for (int i = 0; i < picture.count; i++) nb_marks_clear(&marks[i]);
    return status;
}

nb_status nb_figure_write_scene_forces(const nb_figure_runs *runs, int panel, const char *folder, FILE *file) {
    return write_marked(runs, panel, folder, NB_SHOW_FORCES, file);
}

nb_status nb_figure_write_scene_errors(const nb_figure_runs *runs, int panel, const char *folder, FILE *file) {
    return write_marked(runs, panel, folder, NB_SHOW_ERRORS, file);
}

nb_status nb_figure_write_scene_modes(const nb_figure_runs *runs, int panel, const char *folder, FILE *file) {
    return write_marked(runs, panel, folder, NB_SHOW_MODES, file);
}

static void write_contacts(const nb_marks *marks, double at_most, FILE *file) {
    for (int32_t i = marks->count - 1; i >= 0; i--) {
        const nb_mark *own = &marks->items[i];
        fprintf(file, "%.9g\t%.9g\t%.9g\t%.9g\t%d\t%d\t%d\t%g\n", 100.0 * (marks->count - i) / marks->count, own->error,
                own->point.z, nb_norm(own->force), own->mode, (int)own->body[0], (int)own->body[1], at_most);
    }
}

nb_status nb_figure_write_contacts(const nb_figure_runs *runs, int panel, const char *folder, FILE *file) {
    static const double iterations[] = {1, 10, 100};
    nb_status status = NB_OK;
    nb_marks marks = {0};
    (void)folder;
    for (int s = 0; s < runs->series_count[panel]; s++) {
        const nb_run *run = runs->run[panel][s];
        int32_t frame;
        nb_marks_clear(&marks);
        if (run) NB_TRY(read_marks(runs, run, NB_SHOW_ERRORS, &frame, &marks));
        write_contacts(&marks, runs->iteration, file);
        for (size_t i = 0; run && runs->iteration < 0 && i < sizeof iterations / sizeof *iterations; i++) {
            const int32_t recorded = recorded_frame(run, frame);
            const int64_t iterate = nb_run_iterate_of(run, recorded, iterations[i]);
            if (iterate < 0) break;
            nb_marks_take_iterate(run, recorded, iterate, &marks);
            write_contacts(&marks, iterations[i], file);
        }
        if (marks.count == 0) write_none(8, file);
        fputs("\n\n", file);
    }
out:
    nb_marks_clear(&marks);
    return status;
}
