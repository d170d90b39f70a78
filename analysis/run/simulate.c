#include "run/simulate.h"
#include "plugin/class.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "base/memory_peak.h"
#include "device.h"
#include "file/linear_problem.h"
#include "run/batch.h"
#include "run/converge.h"
#include "run/devices.h"
#include "run/method_options.h"
#include "run/scene_problem.h"
#include "run/scene_run.h"
#include "run/standard_set.h"

NB_PRECISIONS(f64);

/* one run in progress */
typedef struct nb_simulation {
    const nb_request *request;
    nb_checkpoint *checkpoint; /* or NULL */
    int32_t index;             /* of the run in the checkpoint's plan */
    nb_scene_run scene;
    nb_fclib_problem *file;    /* a problem file, instead of a world */
    nb_linear_problem *linear; /* or a linear system */
    nb_method_settings settings;
    void *system;        /* of `linear`, with what its solver has set up; NULL before the first solve */
    int32_t solved;      /* right-hand sides */
    double *impulse;     /* [rows] the solution of the file's problem; of a linear system [columns][rows] */
    double started;      /* [s] */
    int64_t held;        /* [bytes] by then */
    nb_run_usage before; /* of the part that a checkpoint brought */
    FILE *keeper;        /* writes `kept`; NULL: nothing was kept yet */
    char *kept;          /* [kept_size] the state before the step at hand, where is_kept */
    size_t kept_size;
    int is_kept;
} simulation;

static void release(simulation *s) {
    if (s->system) s->scene.type->destroy_linear(s->system); /* of the type that is cleared next */
    nb_scene_run_clear(&s->scene);
    nb_fclib_destroy(s->file);
    nb_linear_problem_destroy(s->linear);
    nb_free(s->impulse);
    if (s->keeper) fclose(s->keeper);
    free(s->kept);
}

/* whether the state after so many recorded steps is stored */
static int is_stored(const simulation *s, int32_t steps) {
    const int interval = s->request->frame_interval;
    return interval > 0 && steps % interval == 0;
}

static nb_status record_step(const simulation *s, nb_recorder *recorder, const double row[NB_STEP_COLUMNS]) {
    nb_status status;
    nb_run *run = recorder->run;
    double start = nb_clock_seconds();
    NB_TRY(nb_run_add_step(run, row));
    if (is_stored(s, run->step_count)) NB_TRY(nb_recorder_add_frame(recorder, s->scene.world->time, &run->final));
    run->usage.record_s += nb_clock_seconds() - start;
out:
    return status;
}

/* ---- what it takes ---- */

static void begin_usage(simulation *s) {
    double work_s, transfer_s;
    const nb_device *device = NULL;
    s->started = nb_clock_seconds();
    s->held = nb_allocation_held();
    nb_allocation_peak_reset();
    nb_memory_peak_reset();
    /* what was before is no part of it */
    if (nb_device_find(s->request->info.device, &device) == NB_OK && device && device->take_times)
        device->take_times(&work_s, &transfer_s);
}

/* what the pass took up to now, the part before an interruption included */
static void take_usage(const simulation *s, nb_run *run) {
    double work_s, transfer_s;
    const nb_device *device = s->request->choices.device;
    run->usage.peak_bytes = fmax(s->before.peak_bytes, (double)(nb_allocation_peak() - s->held));
    run->usage.peak_resident_bytes = fmax(s->before.peak_resident_bytes, nb_memory_peak());
    run->usage.wall_s = s->before.wall_s + nb_clock_seconds() - s->started;
    if (!device || !device->take_times) {
        run->usage.device_work_s = run->usage.device_transfer_s = NAN;
    } else {
        device->take_times(&work_s, &transfer_s);
        run->usage.device_work_s += work_s;
        run->usage.device_transfer_s += transfer_s;
    }
}

/* ---- going on after an interruption ---- */

/* The state of a run's first step to come, as a checkpoint holds it. */
static nb_status put_state(const simulation *s, nb_stream *stream) {
    nb_status status;
    NB_TRY(nb_checkpoint_put_world(stream, s->scene.world));
    NB_TRY(s->scene.type->save(s->scene.stepper, stream));
    if (s->scene.integration) NB_TRY(nb_integration_save(s->scene.integration, stream));
out:
    return status;
}

static nb_status get_state(const simulation *s, nb_stream *stream) {
    nb_status status;
    NB_TRY(nb_checkpoint_get_world(stream, s->scene.world));
    NB_TRY(s->scene.type->load(s->scene.stepper, stream));
    if (s->scene.integration) NB_TRY(nb_integration_load(s->scene.integration, stream));
out:
    return status;
}

/* whether a checkpoint may be left: after a whole step that is not the last one, which makes the final state */
static int leaves_checkpoints(const simulation *s, const nb_run *run) {
    return s->checkpoint && !s->request->store_systems && run->step_count > 0 &&
           run->step_count < s->request->info.steps;
}

/* The state before a step is kept in memory, since an interrupted step leaves another one. */
static void keep_state(simulation *s) {
    if (!s->keeper) s->keeper = open_memstream(&s->kept, &s->kept_size);
    nb_stream stream = {.file = s->keeper, .path = "the state of a run", .unchecked = 1};
    s->is_kept = s->keeper && fseeko(s->keeper, 0, SEEK_SET) == 0 && put_state(s, &stream) == NB_OK &&
                 fflush(s->keeper) == 0; /* which says where it is, and how long */
    if (!s->is_kept) s->checkpoint->failed = 1;
}

/* what a checkpoint is written from */
typedef struct progress_made {
    const simulation *simulation;
    const nb_run *run;
} progress_made;

/* what the state of a run in a checkpoint begins with */
enum {
    AFTER_A_STEP,
    COMPLETE /* all of its steps; its repetition is to come */
};

static nb_status save(const void *context, nb_stream *stream) {
    const progress_made *made = context;
    const simulation *s = made->simulation;
    const int32_t what = AFTER_A_STEP;
    nb_status status;
    NB_TRY(nb_stream_put(stream, &what, sizeof what));
    NB_TRY(nb_stream_put(stream, s->kept, s->kept_size));
    NB_TRY(nb_members_put(&nb_run_members, NB_CHECKPOINT, made->run, stream));
out:
    return status;
}

static nb_status save_complete(const void *context, nb_stream *stream) {
    const int32_t what = COMPLETE;
    nb_status status = nb_stream_put(stream, &what, sizeof what);
    return status == NB_OK ? nb_members_put(&nb_run_members, NB_TRANSFER, context, stream) : status;
}

/* of the state that was kept before the step at hand */
static void leave_checkpoint(const simulation *s, nb_run *run) {
    progress_made made = {s, run};
    double start = nb_clock_seconds();
    if (!s->is_kept || !leaves_checkpoints(s, run)) return;
    take_usage(s, run);
    nb_checkpoint_write(s->checkpoint, s->index, save, &made);
    run->usage.record_s += nb_clock_seconds() - start;
}

/* One step, from a checkpoint on where it is time for one; the last one is held against what is known. An interrupted
 * step is none: NB_ERROR_INTERRUPTED. */
static nb_status make_step(simulation *s, nb_recorder *recorder, double row[NB_STEP_COLUMNS]) {
    nb_run *run = recorder->run;
    if (leaves_checkpoints(s, run)) {
        double start = nb_clock_seconds();
        keep_state(s);
        run->usage.record_s += nb_clock_seconds() - start;
        if (nb_checkpoint_due(s->checkpoint)) leave_checkpoint(s, run);
    }
    nb_status status = nb_interrupt_check();
    nb_recorder_keep_iterates(recorder, s->request->store_iterates && is_stored(s, run->step_count + 1));
    if (status == NB_OK)
        status = nb_scene_run_advance(&s->scene, recorder, s->request->info.warm_start, &run->final, row);
    if (status == NB_OK && run->step_count + 1 == s->request->info.steps)
        status = nb_scene_run_check(&s->scene, &run->final, run, row, &run->checks);
    if (status == NB_ERROR_INTERRUPTED) {
        nb_run_drop_step(run);
        leave_checkpoint(s, run);
    }
    return status;
}

/* A complete run that the checkpoint holds takes the place of *run; *found: it was there. Else `saved` is at the state.
 */
static nb_status take_complete(nb_stream *saved, nb_run **run, int *found) {
    nb_status status;
    int32_t what;
    NB_TRY(nb_stream_get(saved, &what, sizeof what));
    *found = what == COMPLETE;
    if (!*found) return NB_OK;
    nb_run_destroy(*run);
    NB_TRY(nb_run_create(run));
    NB_TRY(nb_members_get(&nb_run_members, NB_TRANSFER, *run, saved));
    nb_stream_close(saved);
out:
    return status;
}

/* the state of this run that a checkpoint holds, or NULL */
static nb_stream *saved_of(const simulation *s) {
    nb_stream *saved = s->checkpoint ? &s->checkpoint->saved : NULL;
    return saved && saved->file && s->checkpoint->run == s->index ? saved : NULL;
}

/* the state to start the first recorded step from: a checkpoint's, or a settled scene's */
static nb_status start(simulation *s, nb_run *run) {
    nb_status status;
    nb_stream *saved = saved_of(s);
    if (saved) {
        NB_TRY(get_state(s, saved));
        NB_TRY(nb_members_get(&nb_run_members, NB_CHECKPOINT, run, saved));
        s->before = run->usage;
        nb_stream_close(saved);
    } else {
        NB_TRY(nb_scene_run_settle(&s->scene));
        nb_run_add_settling(run, &s->scene.settling);
    }
    run->final.step_count = s->request->info.settle + s->scene.world->settings.substeps * run->step_count;
out:
    return status;
}

static nb_status make_steps(simulation *s, nb_recorder *recorder, nb_progress *progress, void *progress_context) {
    nb_status status;
    nb_run *run = recorder->run;
    const nb_run_info *info = &s->request->info;
    NB_TRY(start(s, run));
    s->started = nb_clock_seconds(); /* building and settling are no part of the pass */
    nb_allocation_peak_reset();
    nb_memory_peak_reset();
    for (int32_t step = run->step_count; step < info->steps; step++) {
        double row[NB_STEP_COLUMNS];
        NB_TRY(make_step(s, recorder, row));
        NB_TRY(record_step(s, recorder, row));
        if (progress) progress(progress_context, step + 1, info->steps);
        if (row[NB_STEP_REASON] != NB_REASON_DIVERGED || run->step_count == info->steps) continue;
        const char *advice = nb_method_advice(&s->request->info, NB_SHORT_DIVERGED);
        if (*s->scene.remark) advice = s->scene.remark; /* the method's own word on this step */
        if (*run->start_words) advice = run->start_words;
        snprintf(run->fault, sizeof run->fault,
                 "step %d of %d diverged (natural-map error %.2g m/s) and those after it were not made%s%.150s",
                 (int)step, (int)info->steps, row[NB_STEP_NATURAL_MAP_ERROR], advice ? "; " : "", advice ? advice : "");
        return NB_OK;
    }
    NB_TRY(nb_run_take_second_solution(run));
    run->finished = 1;
out:
    return status;
}

/* Whether a fault is an outcome of the run, which the record tells: one of the scene's, after steps that were made. One
 * before any concerns what was asked for, or this machine. */
static int is_outcome(nb_status status, const nb_run *run) {
    int of_scene = status == NB_ERROR_NUMERIC || status == NB_ERROR_UNSUPPORTED || status == NB_ERROR_INPUT;
    return of_scene && run->step_count > 0;
}

static nb_status run_steps(simulation *s, nb_recorder *recorder, nb_progress *progress, void *progress_context) {
    nb_status status;
    nb_run *run = recorder->run;
    NB_TRY(nb_scene_run_build(&s->scene));
    if (run->info.reference) NB_TRY(nb_world_refuse_particles(s->scene.world, "--reference on"));
    if (run->info.batch > 1) NB_TRY(nb_world_refuse_particles(s->scene.world, "--batch"));
    run->info.bodies = s->scene.world->body_count;
    run->info.joints = s->scene.world->joint_count;
    run->info.tetrahedra = s->scene.world->tetrahedron_count;
    run->info.triangles = s->scene.world->triangle_count;
    NB_TRY(nb_scene_run_look_at_start(&s->scene, run));
    if (s->request->frame_interval > 0) NB_TRY(nb_mesh_of_world(s->scene.world, &run->mesh));
    status = make_steps(s, recorder, progress, progress_context);
    if (is_outcome(status, run)) {
        char why[256];
        snprintf(why, sizeof why, "step %d: %.200s", (int)run->step_count, nb_error_message());
        nb_reason reason = status == NB_ERROR_NUMERIC ? NB_REASON_DIVERGED : NB_REASON_REFUSED;
        return nb_run_add_fault(run, reason, why);
    }
out:
    return status;
}

/* ---- problems from files ---- */

static void describe_problem(const nb_fclib_problem *problem, nb_run *run) {
    size_t size = sizeof run->problem_words, used = 0;
    if (problem->digits > 0)
        used = (size_t)snprintf(run->problem_words, size, "matrices of %d digits, as Siconos prints sparse storages",
                                problem->digits);
    if (problem->ambiguous)
        snprintf(run->problem_words + used, size - used,
                 "%sread as rolling friction in two dimensions; a plasticity problem looks the same", used ? "; " : "");
}

static nb_status open_problem(simulation *s) {
    nb_status status;
    NB_TRY(nb_problem_file_read(s->request->problem_path, &s->file));
    if (s->request->standard) NB_TRY(nb_standard_problem_check(s->request->standard, &s->file->data));
    s->file->data.friction_law = s->request->scene.friction_law;
    s->file->data.facets = s->request->scene.friction_facets;
    NB_TRY(nb_scene_run_choose(&s->scene));
    NB_TRY(nb_measure_create_file(&s->file->data, &s->scene.measure));
    NB_TRY(NB_ALLOCATE(nb_file_data_problem_rows(&s->file->data), &s->impulse));
out:
    return status;
}

/* One solve of the problem, in one row of the record. */
static nb_status solve_problem(simulation *s, const nb_observer *observer, double row[NB_STEP_COLUMNS]) {
    nb_step_outcome outcome;
    nb_step_counts counts;
    nb_status status = s->scene.type->solve(s->scene.stepper, &s->file->data, s->scene.measure, observer, &outcome,
                                            &counts, s->impulse);
    if (status != NB_OK) return status;
    nb_recorder_fill_step(&outcome, &counts, row);
    memcpy(s->scene.remark, outcome.remark, sizeof s->scene.remark);
    row[NB_STEP_NATURAL_MAP_FCLIB] = outcome.errors.file.fclib;
    row[NB_STEP_NATURAL_MAP_RELATIVE] = outcome.errors.file.relative;
    row[NB_STEP_NATURAL_MAP_SICONOS] = outcome.errors.file.siconos;
    row[NB_STEP_STEP_S] = outcome.assembly_s + outcome.setup_s + outcome.solve_s;
    return NB_OK;
}

/* reactions and velocities of the contacts, in the file's own order */
static nb_status record_solution(const simulation *s, nb_run *run) {
    nb_status status;
    const nb_file_data *data = &s->file->data;
    int32_t rows = nb_file_data_rows(data);
    double *z = NULL, *u = NULL;
    run->reaction_count = rows - data->bilaterals;
    NB_TRY(NB_ALLOCATE(rows, &z));
    NB_TRY(NB_ALLOCATE(rows, &u));
    NB_TRY(NB_ALLOCATE(run->reaction_count, &run->reaction));
    NB_TRY(NB_ALLOCATE(run->reaction_count, &run->velocity));
    nb_file_data_from_rows(data, s->impulse, z);
    nb_file_data_velocities(data, z, u);
    memcpy(run->reaction, z + data->bilaterals, (size_t)run->reaction_count * sizeof *z);
    memcpy(run->velocity, u + data->bilaterals, (size_t)run->reaction_count * sizeof *u);
out:
    nb_free(z);
    nb_free(u);
    return status;
}

/* ---- linear systems from files ---- */

static nb_status open_linear(simulation *s) {
    nb_status status;
    char *rhs = NULL;
    NB_TRY(nb_linear_problem_find_rhs(s->request->problem_path, s->request->rhs, &rhs));
    NB_TRY(nb_linear_problem_read(s->request->problem_path, rhs, &s->linear));
    NB_TRY(nb_scene_run_choose(&s->scene));
    s->settings = nb_request_settings(s->request);
    NB_TRY(NB_ALLOCATE((int64_t)s->linear->columns * s->linear->a->rows, &s->impulse));
out:
    nb_free(rhs);
    return status;
}

/* A solve with the next right-hand side, in one row of the record. */
static nb_status solve_linear(simulation *s, const nb_observer *observer, double row[NB_STEP_COLUMNS]) {
    nb_status status;
    nb_step_outcome outcome;
    const nb_linear_problem *p = s->linear;
    nb_step_counts counts = {.rows = (int32_t)p->a->rows, .verification.rounds = -1};
    const int64_t first = (int64_t)s->solved * p->a->rows;
    if (!s->system) NB_TRY(s->scene.type->create_linear(&s->settings, p->a, p->asymmetry, &s->system));
    NB_TRY(s->scene.type->solve_linear(s->system, p->b + first, observer, &outcome, s->impulse + first));
    s->solved++;
    nb_recorder_fill_step(&outcome, &counts, row);
    row[NB_STEP_STEP_S] = outcome.assembly_s + outcome.setup_s + outcome.solve_s;
out:
    return status;
}

/* x and A x of every right-hand side, where contact problems have reactions and velocities */
static nb_status record_linear(const simulation *s, nb_run *run) {
    nb_status status;
    const nb_csr_f64 *a = s->linear->a;
    const int64_t count = (int64_t)s->linear->columns * a->rows;
    run->reaction_count = count;
    NB_TRY(NB_ALLOCATE(count, &run->reaction));
    NB_TRY(NB_ALLOCATE(count, &run->velocity));
    memcpy(run->reaction, s->impulse, (size_t)count * sizeof(double));
    for (int64_t first = 0; first < count; first += a->rows)
        for (int64_t i = 0; i < a->rows; i++)
            for (int64_t k = a->start[i]; k < a->start[i + 1]; k++)
                run->velocity[first + i] += a->value[k] * s->impulse[first + a->column[k]];
out:
    return status;
}

/* ---- subjects ---- */

static nb_status run_file(simulation *s, nb_recorder *recorder, nb_progress *progress, void *progress_context) {
    nb_status status;
    const nb_subject *subject = s->request->subject;
    double row[NB_STEP_COLUMNS];
    (void)progress, (void)progress_context;
    NB_TRY(subject->open(s));
    if (s->file) describe_problem(s->file, recorder->run);
    s->started = nb_clock_seconds(); /* nor is reading the file */
    for (int32_t k = 0, count = s->linear ? s->linear->columns : 1; k < count; k++) {
        NB_TRY(subject->solve(s, &recorder->observer, row));
        NB_TRY(nb_run_add_step(recorder->run, row));
    }
    NB_TRY(subject->keep(s, recorder->run));
    recorder->run->finished = 1;
out:
    return status;
}

static nb_status open_scene(simulation *s) {
    nb_status status = nb_scene_run_build(&s->scene);
    return status == NB_OK ? nb_scene_run_settle(&s->scene) : status;
}

static nb_status advance_scene(simulation *s, const nb_observer *observer, double row[NB_STEP_COLUMNS]) {
    (void)observer;
    return nb_scene_run_advance(&s->scene, NULL, s->request->info.warm_start, NULL, row);
}

const nb_subject nb_subject_scene = {"scenario", 1, 1, run_steps, open_scene, advance_scene, NULL};
const nb_subject nb_subject_problem = {"problem", 0, 1, run_file, open_problem, solve_problem, record_solution};
const nb_subject nb_subject_system = {"system", 0, 0, run_file, open_linear, solve_linear, record_linear};

const nb_subject *nb_subject_of(const char *path) {
    if (!path) return &nb_subject_scene;
    return nb_linear_problem_is(path) ? &nb_subject_system : &nb_subject_problem;
}

/* ---- public ---- */

/* the request's own description, with its own copy of the parameters */
static nb_status copy_info(const nb_run_info *from, nb_run_info *to) {
    *to = *from;
    to->parameters = NULL;
    return nb_copy_text(from->parameters ? from->parameters : "", &to->parameters);
}

nb_status nb_simulate(const nb_request *request, nb_progress *progress, void *progress_context, nb_run **run) {
    return nb_simulate_resumable(request, progress, progress_context, NULL, 0, run);
}

void nb_simulate_keep_complete(nb_checkpoint *checkpoint, int32_t index, const nb_run *run) {
    nb_checkpoint_write(checkpoint, index, save_complete, run);
}

static nb_status describe(const nb_request *request, nb_run *run) {
    nb_status status;
    NB_TRY(copy_info(&request->info, &run->info));
    const nb_stepper_class *type = strcmp(request->info.precision, "f32") == 0 ? &nb_stepper_f32 : &nb_stepper_f64;
    NB_TRY(request->subject->has_contacts
               ? nb_run_set_newton_columns(run, request->choices.method->columns, request->choices.method->column_count)
               : nb_run_set_newton_columns(run, type->linear_columns->items, type->linear_columns->count));
    if (request->scene.friction_law != NB_FRICTION_COULOMB)
        NB_TRY(nb_columns_add(&run->newton_columns, &nb_coulomb_column, 1));
    if (request->info.reference) NB_TRY(nb_columns_add(&run->newton_columns, nb_solution_columns, NB_SOLUTION_COLUMNS));
    if (request->subject->has_contacts)
        NB_TRY(nb_columns_add(&run->newton_columns, nb_place_columns, NB_PLACE_COLUMNS));
out:
    return status;
}

/* the recorded pass, and the copies of a batch */
static nb_status make(simulation *s, nb_progress *progress, void *progress_context, nb_run *run) {
    nb_status status;
    nb_recorder recorder = {.run = run};
    const nb_request *request = s->request;
    const nb_stepper_class *type = strcmp(request->info.precision, "f32") == 0 ? &nb_stepper_f32 : &nb_stepper_f64;
    NB_TRY(describe(request, run));
    nb_recorder_start(&recorder, run, request->linear_history, request->store_systems ? type : NULL);
    if (request->store_one) recorder.only_step = request->store_step;
    recorder.only_newton = request->store_newton;
    begin_usage(s);
    if (request->problem_path && request->info.time_limit > 0)
        recorder.deadline = s->started + request->info.time_limit;
    status = request->subject->run(s, &recorder, progress, progress_context);
    /* the record has what it came to */
    if (recorder.late) status = nb_run_add_fault(run, NB_REASON_TIME_LIMIT, nb_error_message());
    if (status != NB_OK) goto out;
    memcpy(run->remark, s->scene.remark, sizeof s->scene.remark);
    snprintf(run->solver_words, sizeof run->solver_words, "%s", nb_plugin_description());
    take_usage(s, run);
    if (run->finished && request->info.batch > 1)
        NB_TRY(nb_batch_make(request, progress, progress_context, 0, run, &run->finished));
out:
    nb_recorder_clear(&recorder);
    return status;
}

nb_status nb_simulate_resumable(const nb_request *request, nb_progress *progress, void *progress_context,
                                nb_checkpoint *checkpoint, int32_t index, nb_run **run) {
    nb_status status;
    simulation s = {.request = request, .scene.request = request, .checkpoint = checkpoint, .index = index};
    nb_stream *saved = saved_of(&s);
    int complete = 0;
    NB_TRY(nb_run_create(run));
    if (saved) NB_TRY(take_complete(saved, run, &complete));
    if (!complete) status = make(&s, progress, progress_context, *run);
    if (status == NB_ERROR_INTERRUPTED) status = NB_OK; /* the run says so */
out:
    release(&s);
    return status;
}

/* one repetition's times of every step */
static nb_status grow_repeats(nb_run *run, int32_t steps) {
    nb_status status = NB_OK;
    double **columns[] = {&run->repeat_setup_s, &run->repeat_solve_s, &run->repeat_assembly_s, &run->repeat_step_s};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        int64_t capacity = (int64_t)run->repeat_count * steps;
        NB_TRY(nb_reserve(capacity + steps, sizeof(double), &capacity, columns[i]));
    }
    int64_t capacity = run->repeat_count;
    NB_TRY(NB_RESERVE(capacity + 1, &capacity, &run->repeat_order));
out:
    return status;
}

nb_status nb_simulate_repeat(const nb_request *request, nb_run *run) {
    nb_status status;
    int done;
    simulation s = {.request = request, .scene.request = request};
    NB_TRY(grow_repeats(run, run->step_count));
    NB_TRY(request->subject->open(&s));
    for (int32_t step = 0; step < run->step_count; step++) {
        double row[NB_STEP_COLUMNS];
        int64_t place = (int64_t)run->repeat_count * run->step_count + step;
        NB_TRY(request->subject->solve(&s, NULL, row));
        run->repeat_setup_s[place] = row[NB_STEP_SETUP_S];
        run->repeat_solve_s[place] = row[NB_STEP_SOLVE_S];
        run->repeat_assembly_s[place] = row[NB_STEP_ASSEMBLY_S];
        run->repeat_step_s[place] = row[NB_STEP_STEP_S];
    }
    if (request->info.batch > 1) NB_TRY(nb_batch_make(request, NULL, NULL, 1, run, &done));
    NB_TRY(nb_interrupt_check());
    run->repeat_order[run->repeat_count] = run->repeat_count; /* of a run alone; those who repeat several know better */
    run->repeat_count++;
out:
    release(&s);
    return status;
}
