#include "run/batch.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "base/threads.h"
#include "run/devices.h"
#include "run/scene_run.h"

NB_PRECISIONS(f64);

/* a copy under way */
typedef struct copy {
    nb_scene_run scene;
    nb_snapshot final;
    int failed; /* 1: it had a fault, which is noted */
} copy;

/* the fault of the first copy that had one; of copy -1: of all together */
typedef struct fault {
    nb_status status;
    int32_t copy;
    char message[512];
} fault;

typedef struct job job;
typedef nb_status part(job *j, copy *c, int32_t k);

/* what the threads share */
struct job {
    const nb_request *request;
    nb_progress *progress;
    void *progress_context;
    nb_run *run;
    nb_batch *batch; /* its own; NULL: only the time counts */
    copy *copies;    /* [batch], where they go step by step together; what is done with each now, and the step */
    part *part;
    int32_t step;
    atomic_int next;      /* the copy that is next */
    atomic_int ends;      /* 1: after a fault of the run no further copy is begun */
    pthread_mutex_t lock; /* of what follows, and of the batch's checks and faults */
    int32_t copies_done, copies_failed;
    fault of_run, of_copy;
};

static int goes_on(const job *j) {
    return !atomic_load(&j->ends) && !nb_interrupt_requested();
}

static void keep_row(const job *j, int32_t k, int32_t step, const double *row) {
    if (!j->batch) return;
    double *to = j->batch->rows + ((int64_t)k * j->batch->steps + step) * NB_BATCH_COLUMNS;
    for (int c = 0; c < NB_BATCH_COLUMNS; c++) to[c] = row[nb_batch_step_column[c]];
}

static void count_copy(job *j) {
    j->copies_done++;
    if (j->progress)
        j->progress(j->progress_context, j->request->info.steps + j->copies_done,
                    j->request->info.steps + j->request->info.batch);
}

static void keep_first(fault *f, int32_t k, nb_status status) {
    if (f->status != NB_OK && f->copy <= k) return;
    f->status = status;
    f->copy = k;
    snprintf(f->message, sizeof f->message, "%s", nb_error_message());
}

/* A fault that lies in a scene, whose other copies go on; all others are the run's. */
static int is_of_a_copy(nb_status status) {
    return status == NB_ERROR_NUMERIC || status == NB_ERROR_UNSUPPORTED || status == NB_ERROR_INPUT;
}

/* the fault of copy k (c NULL: of all together) in step `step` */
static void keep_fault(job *j, copy *c, int32_t k, int32_t step, nb_status status) {
    if (status == NB_ERROR_INTERRUPTED) return; /* of all that go on */
    pthread_mutex_lock(&j->lock);
    if (c && is_of_a_copy(status)) {
        c->failed = 1;
        keep_first(&j->of_copy, k, status);
        j->copies_failed++;
        count_copy(j);
        status = j->batch ? nb_batch_add_fault(j->batch, k, step, nb_error_message()) : NB_OK;
    }
    if (status != NB_OK) {
        atomic_store(&j->ends, 1);
        keep_first(&j->of_run, k, status);
    }
    pthread_mutex_unlock(&j->lock);
}

/* of a copy; copy 0 is the scene itself, whose settling the run has */
static void keep_settling(job *j, const nb_settling *settling) {
    if (!j->batch) return;
    pthread_mutex_lock(&j->lock);
    nb_run_add_settling(j->run, settling);
    pthread_mutex_unlock(&j->lock);
}

static nb_status open_copy(job *j, copy *c, int32_t k) {
    nb_status status;
    c->failed = 0;
    c->scene.request = j->request;
    c->scene.copy = k;
    c->final.step_count = j->request->info.settle;
    NB_TRY(nb_scene_run_build(&c->scene));
    NB_TRY(nb_scene_run_settle(&c->scene));
    if (k > 0) keep_settling(j, &c->scene.settling);
out:
    return status;
}

static void clear_copy(copy *c) {
    nb_scene_run_clear(&c->scene);
    nb_snapshot_clear(&c->final);
}

/* the end of a copy that made all its steps */
static nb_status keep_copy(job *j, copy *c, int32_t k) {
    nb_checks checks = {.count = 0};
    nb_status status = nb_scene_run_check(&c->scene, &c->final, NULL, NULL, &checks);
    if (status != NB_OK) return status;
    pthread_mutex_lock(&j->lock);
    if (j->batch) nb_batch_add_checks(j->batch, k, &checks);
    count_copy(j);
    pthread_mutex_unlock(&j->lock);
    return NB_OK;
}

/* Runs a thread's work in so many threads, this one included; those that cannot be had are done without. */
static void run_threads(job *j, void *(*work)(void *)) {
    const nb_run_info *info = &j->request->info;
    pthread_t others[NB_MOST_THREADS];
    int started = 0, count = info->threads < info->batch ? info->threads : info->batch;
    atomic_store(&j->next, 0);
    while (started < count - 1 && pthread_create(&others[started], NULL, work, j) == 0) started++;
    work(j);
    for (int i = 0; i < started; i++) pthread_join(others[i], NULL);
}

/* ---- one copy after the other, each from beginning to end ---- */

static void make_copy(job *j, copy *c, int32_t k) {
    int32_t step = 0;
    nb_status status = open_copy(j, c, k);
    for (; status == NB_OK && step < j->request->info.steps && goes_on(j); step += status == NB_OK) {
        double row[NB_STEP_COLUMNS];
        status = nb_scene_run_advance(&c->scene, NULL, j->request->info.warm_start, &c->final, row);
        if (status == NB_OK) keep_row(j, k, step, row);
    }
    if (status == NB_OK && step == j->request->info.steps) status = keep_copy(j, c, k);
    if (status != NB_OK) keep_fault(j, c, k, step, status);
    clear_copy(c);
}

/* One thread's work: the next copy, until there are no more. Copies are begun in order: when one ends the run, all
 * before it were begun, and the first fault is found whatever the threads do. */
static void *make_copies(void *context) {
    job *j = context;
    copy *c = NULL;
    nb_status status = NB_ALLOCATE(1, &c);
    if (status != NB_OK) keep_fault(j, NULL, -1, 0, status);
    while (goes_on(j)) {
        int32_t k = atomic_fetch_add(&j->next, 1);
        if (k >= j->request->info.batch) break;
        make_copy(j, c, k);
    }
    nb_free(c);
    return NULL;
}

/* ---- all copies step by step together, with one launch of the device a step ---- */

static nb_status begin_step(job *j, copy *c, int32_t k) {
    (void)k;
    return nb_scene_run_begin(&c->scene, NULL, j->request->info.warm_start);
}

static nb_status end_step(job *j, copy *c, int32_t k) {
    double row[NB_STEP_COLUMNS];
    nb_status status = nb_scene_run_end(&c->scene, NULL, j->request->info.warm_start, &c->final, row);
    if (status == NB_OK) keep_row(j, k, j->step, row);
    return status;
}

/* one thread's work: a part of the next copy, until there are no more */
static void *take_part(void *context) {
    job *j = context;
    while (goes_on(j)) {
        int32_t k = atomic_fetch_add(&j->next, 1);
        if (k >= j->request->info.batch) break;
        copy *c = &j->copies[k];
        nb_status status = c->failed ? NB_OK : j->part(j, c, k);
        if (status != NB_OK) keep_fault(j, c, k, j->step, status);
    }
    return NULL;
}

static void do_part(job *j, part *what) {
    j->part = what;
    if (goes_on(j)) run_threads(j, take_part);
}

/* a launch for all copies that have not failed */
static void launch_step(job *j, nb_scene_run **scenes) {
    int32_t count = 0;
    if (!goes_on(j)) return;
    for (int32_t k = 0; k < j->request->info.batch; k++)
        if (!j->copies[k].failed) scenes[count++] = &j->copies[k].scene;
    nb_status status = nb_scene_run_launch(scenes, count);
    if (status != NB_OK) keep_fault(j, NULL, -1, j->step, status);
}

/* ---- all but the last step of all copies by the device, many steps a launch ---- */

enum {
    MOST_STEPS = 32 /* of a launch: what the host waits for at a time */
};

/* copies on the device */
typedef struct device_copies {
    nb_trajectories *trajectories;
    nb_trajectory_row *rows; /* [count][steps] of a launch */
    nb_world **worlds;       /* [count] */
    int32_t *copies;         /* [count] their numbers */
    int32_t count;
} device_copies;

nb_status nb_batch_try(const nb_request *request) {
    nb_status status;
    nb_scene_run scene = {.request = request}, *const scenes[] = {&scene};
    nb_trajectories *trajectories = NULL;
    char message[400];
    if (request->info.whole_steps != NB_WHOLE_STEPS_TRAJECTORY) return NB_OK;
    NB_TRY(nb_scene_run_build(&scene));
    NB_TRY(nb_scene_run_trajectories(scenes, 1, &trajectories));
    trajectories->type->destroy(trajectories);
out:
    nb_scene_run_clear(&scene);
    if (status != NB_ERROR_UNSUPPORTED) return status;
    snprintf(message, sizeof message, "%s", nb_error_message());
    return nb_fail(status, "scenario '%s': %s", request->info.scenario, message);
}

/* what did not fit in a step that was not made */
static nb_status say_full(const nb_trajectory_row *row, int32_t slots) {
    if (row->crowded)
        return nb_fail(NB_ERROR_UNSUPPORTED, "%d contacts of two bodies; --whole-steps trajectory has no room for them",
                       (int)row->contacts);
    return nb_fail(NB_ERROR_UNSUPPORTED, "%d contacts; --batch-contacts has room for %d", (int)row->contacts,
                   (int)slots);
}

/* one step of copy k, which took `seconds` */
static void keep_trajectory_row(job *j, int32_t k, int32_t step, const nb_trajectory_row *row, int32_t slots,
                                double seconds) {
    if (j->copies[k].failed) return;
    if (row->reason == NB_REASON_NONE) {
        keep_fault(j, &j->copies[k], k, step, say_full(row, slots));
        return;
    }
    if (j->batch) {
        double *to = j->batch->rows + ((int64_t)k * j->batch->steps + step) * NB_BATCH_COLUMNS;
        const double own[NB_BATCH_COLUMNS] = {
            [NB_BATCH_CONTACTS] = row->contacts,
            [NB_BATCH_NEWTON_ITERATIONS] = row->newton_iterations,
            [NB_BATCH_OPERATOR_APPLICATIONS] = row->products,
            [NB_BATCH_REASON] = row->reason,
            [NB_BATCH_NATURAL_MAP_ERROR] = row->natural_map,
            [NB_BATCH_KINETIC_ENERGY] = row->kinetic_energy,
            [NB_BATCH_POTENTIAL_ENERGY] = row->potential_energy,
            [NB_BATCH_STEP_S] = seconds,
            [NB_BATCH_MAX_PENETRATION] = row->penetration,
        };
        memcpy(to, own, sizeof own);
    }
    if (row->reason == NB_REASON_DIVERGED)
        keep_fault(
            j, &j->copies[k], k, step + 1,
            nb_fail(NB_ERROR_NUMERIC, "step %d diverged (natural-map error %.2g m/s)", (int)step, row->natural_map));
}

/* the copies that were opened, on the device */
static nb_status send_copies(job *j, nb_scene_run **scenes, device_copies *r) {
    nb_status status;
    const int32_t most = j->request->info.batch;
    NB_TRY(NB_ALLOCATE(most, &r->copies));
    NB_TRY(NB_ALLOCATE(most, &r->worlds));
    for (int32_t k = 0; k < most; k++) {
        if (j->copies[k].failed) continue;
        r->copies[r->count] = k;
        r->worlds[r->count] = j->copies[k].scene.world;
        scenes[r->count++] = &j->copies[k].scene;
    }
    if (r->count == 0) return NB_OK;
    NB_TRY(NB_ALLOCATE((int64_t)r->count * MOST_STEPS, &r->rows));
    NB_TRY(nb_scene_run_trajectories(scenes, r->count, &r->trajectories));
out:
    return status;
}

/* where the device has brought the worlds */
static nb_status fetch_copies(job *j, const device_copies *r, int32_t steps) {
    nb_status status = r->trajectories->type->read(r->trajectories, r->worlds);
    for (int32_t i = 0; status == NB_OK && i < r->count; i++) {
        copy *c = &j->copies[r->copies[i]];
        for (int32_t s = 0; s < steps; s++) r->worlds[i]->time += j->request->info.time_step;
        c->final.step_count += steps;
    }
    return status;
}

static nb_status advance_copies(job *j, nb_scene_run **scenes, int32_t steps) {
    nb_status status;
    device_copies r = {.count = 0};
    NB_TRY(send_copies(j, scenes, &r));
    while (r.count > 0 && j->step < steps && goes_on(j)) {
        const int32_t left = steps - j->step, made = left < MOST_STEPS ? left : MOST_STEPS;
        const double start = nb_clock_seconds();
        NB_TRY(r.trajectories->type->advance(r.trajectories, made, r.rows));
        const double seconds = (nb_clock_seconds() - start) / ((double)made * r.count);
        for (int32_t i = 0; i < r.count; i++)
            for (int32_t s = 0; s < made; s++)
                keep_trajectory_row(j, r.copies[i], j->step + s, &r.rows[(int64_t)i * made + s],
                                    r.trajectories->contact_slots, seconds);
        j->step += made;
    }
    if (r.count > 0) NB_TRY(fetch_copies(j, &r, j->step));
out:
    if (r.trajectories) r.trajectories->type->destroy(r.trajectories);
    nb_free(r.rows);
    nb_free(r.worlds);
    nb_free(r.copies);
    return status;
}

static nb_status make_together(job *j) {
    nb_status status;
    int32_t count = j->request->info.batch;
    nb_scene_run **scenes = NULL;
    NB_TRY(NB_ALLOCATE(count, &scenes));
    NB_TRY(NB_ALLOCATE(count, &j->copies));
    do_part(j, open_copy);
    if (j->request->info.whole_steps == NB_WHOLE_STEPS_TRAJECTORY && goes_on(j))
        NB_TRY(advance_copies(j, scenes, j->request->info.steps - 1));
    for (; j->step < j->request->info.steps && goes_on(j); j->step++) {
        do_part(j, begin_step);
        launch_step(j, scenes);
        do_part(j, end_step);
    }
    do_part(j, keep_copy);
out:
    for (int32_t k = 0; j->copies && k < count; k++) clear_copy(&j->copies[k]);
    nb_free(j->copies);
    nb_free(scenes);
    return status;
}

/* ---- the batch ---- */

static nb_status make_all(job *j) {
    if (j->request->info.whole_steps) return make_together(j);
    run_threads(j, make_copies);
    return NB_OK;
}

/* a batch of which nothing is left has failed */
static nb_status judge(const job *j) {
    const fault *f = j->of_run.status != NB_OK                    ? &j->of_run
                     : j->copies_failed == j->request->info.batch ? &j->of_copy
                                                                  : NULL;
    if (!f) return NB_OK;
    if (f->copy < 0) return nb_fail(f->status, "%s", f->message);
    return nb_fail(f->status, "copy %d of the batch: %.400s", (int)f->copy, f->message);
}

nb_status nb_batch_make(const nb_request *request, nb_progress *progress, void *progress_context, int repeated,
                        nb_run *run, int *done) {
    const nb_run_info *info = &request->info;
    nb_status status = NB_OK;
    const nb_device *device = NULL;
    double work_s = NAN, transfer_s = NAN;
    job j = {.request = request,
             .progress = progress,
             .progress_context = progress_context,
             .run = run,
             .batch = repeated ? NULL : &run->batch};
    *done = 0;
    NB_TRY(nb_device_find(info->device, &device));
    if (!repeated) NB_TRY(nb_batch_allocate(&run->batch, info->batch, info->steps));
    if (device && device->take_times) device->take_times(&work_s, &transfer_s); /* what was before is no part of it */
    pthread_mutex_init(&j.lock, NULL);
    double start = nb_clock_seconds();
    status = make_all(&j);
    double seconds = nb_clock_seconds() - start;
    pthread_mutex_destroy(&j.lock);
    NB_TRY(status);
    NB_TRY(judge(&j));
    if (device && device->take_times) device->take_times(&work_s, &transfer_s);
    *done = j.copies_done == info->batch;
    if (*done) NB_TRY(nb_batch_add_pass(&run->batch, seconds, work_s, transfer_s));
out:
    return status;
}
