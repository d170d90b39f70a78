#include "copies.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/threads.h"

static nb_vec3 shaken(nb_vec3 v, double size, uint64_t *state) {
    nb_vec3 by;
    by.x = nb_random_uniform(state, -size, size);
    by.y = nb_random_uniform(state, -size, size);
    by.z = nb_random_uniform(state, -size, size);
    return nb_add(v, by);
}

void nb_batch_perturb(nb_world *world, double size, uint64_t seed, int32_t copy) {
    uint64_t state = seed;
    if (copy == 0) return;
    state = nb_random_bits(&state) + (uint64_t)copy; /* sequences of neighbouring states do not resemble each other */
    state = nb_random_bits(&state);
    for (int32_t i = 0; i < world->body_count; i++) {
        nb_body *body = &world->bodies[i];
        if (body->kind != NB_BODY_DYNAMIC) continue;
        double radius = body->shape >= 0 ? world->shapes[body->shape]->radius : 0;
        if (!(radius > 0)) radius = 1;
        body->position = shaken(body->position, size * radius, &state);
        body->linear_velocity = shaken(body->linear_velocity, size * radius, &state);
        body->angular_velocity = shaken(body->angular_velocity, size, &state);
    }
}

nb_status nb_batch_check(const nb_request *request, int has_plugin) {
    const nb_run_info *info = &request->info;
    if (info->batch <= 1) return NB_OK;
    if ((int64_t)info->batch * info->steps > NB_BATCH_MOST_STEPS)
        return nb_fail(NB_ERROR_USAGE, "--batch %d of %d steps each: more than %d steps in all are not kept in memory",
                       (int)info->batch, (int)info->steps, (int)NB_BATCH_MOST_STEPS);
    if (has_plugin && info->threads > 1)
        return nb_fail(NB_ERROR_USAGE,
                       "--batch %d with --threads %d: a plugin is not taken to be fit for several "
                       "threads; give --threads 1",
                       (int)info->batch, (int)info->threads);
    return NB_OK;
}

/* what the threads share */
typedef struct job {
    const nb_request *request;
    nb_progress *progress;
    void *progress_context;
    const volatile sig_atomic_t *interrupted;
    nb_batch *batch;      /* NULL: only the time counts */
    atomic_int next;      /* the copy that is to be made next */
    atomic_int ends;      /* 1: after a fault no further copy is begun */
    pthread_mutex_t lock; /* of what follows, and of the batch's checks */
    int32_t copies_done;
    nb_status fault; /* of copy `faulty` */
    int32_t faulty;
    char message[512];
} job;

static void keep_rows(nb_batch *batch, int32_t copy, const double *rows) {
    double *to = batch->rows + (int64_t)copy * batch->steps * NB_BATCH_COLUMNS;
    for (int32_t s = 0; s < batch->steps; s++)
        for (int c = 0; c < NB_BATCH_COLUMNS; c++) *to++ = rows[(int64_t)s * NB_STEP_COLUMNS + nb_batch_step_column[c]];
}

static void keep_copy(job *j, int32_t copy, const nb_copy *made) {
    if (j->batch) {
        keep_rows(j->batch, copy, made->rows);
        j->batch->max_penetration[copy] = made->max_penetration;
    }
    pthread_mutex_lock(&j->lock);
    if (j->batch) nb_batch_take_checks(j->batch, copy, &made->checks);
    j->copies_done++;
    if (j->progress)
        j->progress(j->progress_context, j->request->info.steps + j->copies_done,
                    j->request->info.steps + j->request->info.batch);
    pthread_mutex_unlock(&j->lock);
}

static void keep_fault(job *j, int32_t copy, nb_status status) {
    atomic_store(&j->ends, 1);
    pthread_mutex_lock(&j->lock);
    if (j->fault == NB_OK || copy < j->faulty) {
        j->fault = status;
        j->faulty = copy;
        snprintf(j->message, sizeof j->message, "%s", nb_error_message());
    }
    pthread_mutex_unlock(&j->lock);
}

/* One thread's work: the next copy, until there are no more. Copies are begun in order: when one fails, all before it
 * were begun, and the first fault is found whatever the threads do. */
static void *work(void *context) {
    job *j = context;
    int32_t copy = 0;
    nb_copy made = {0};
    nb_status status = NB_ALLOCATE(j->request->info.steps * (int64_t)NB_STEP_COLUMNS, &made.rows);
    while (status == NB_OK && !atomic_load(&j->ends) && !(j->interrupted && *j->interrupted)) {
        copy = atomic_fetch_add(&j->next, 1);
        if (copy >= j->request->info.batch) break;
        status = nb_simulate_copy(j->request, copy, j->interrupted, &made);
        if (status == NB_OK && made.finished) keep_copy(j, copy, &made);
    }
    if (status != NB_OK) keep_fault(j, copy, status);
    nb_free(made.rows);
    return NULL;
}

/* Runs `work` in so many threads, this one included; those that cannot be had are done without. */
static void run_threads(job *j, int count) {
    pthread_t others[NB_MOST_THREADS];
    int started = 0;
    while (started < count - 1 && pthread_create(&others[started], NULL, work, j) == 0) started++;
    work(j);
    for (int i = 0; i < started; i++) pthread_join(others[i], NULL);
}

nb_status nb_batch_make(const nb_request *request, nb_progress *progress, void *progress_context,
                        const volatile sig_atomic_t *interrupted, int repeated, nb_run *run, int *done) {
    const nb_run_info *info = &request->info;
    nb_status status = NB_OK;
    job j = {.request = request,
             .progress = progress,
             .progress_context = progress_context,
             .interrupted = interrupted,
             .batch = repeated ? NULL : &run->batch};
    *done = 0;
    if (!repeated) NB_TRY(nb_batch_allocate(&run->batch, info->batch, info->steps));
    pthread_mutex_init(&j.lock, NULL);
    double start = nb_clock_seconds();
    run_threads(&j, info->threads < info->batch ? info->threads : info->batch);
    double seconds = nb_clock_seconds() - start;
    pthread_mutex_destroy(&j.lock);
    if (j.fault != NB_OK) NB_TRY(nb_fail(j.fault, "copy %d of the batch: %.400s", (int)j.faulty, j.message));
    *done = j.copies_done == info->batch;
    if (*done) NB_TRY(nb_batch_add_pass(&run->batch, seconds));
out:
    return status;
}
