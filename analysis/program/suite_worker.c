#include <stdio.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/threads.h"
#include "isolate.h"
#include "reason.h"
#include "record/transfer.h"
#include "run/blas.h"
#include "suite.h"

/* ---- in the process of its own ---- */

/* what comes before the runs in the answer; without it the process died */
typedef struct answer_head {
    nb_status status; /* other than NB_OK: of the machine, and no fault of a run */
    char message[512];
} answer_head;

static int reason_of(nb_ending ending) {
    return ending == NB_ENDED_LATE   ? NB_REASON_TIME_LIMIT
           : ending == NB_ENDED_DEAD ? NB_REASON_CRASHED
                                     : NB_REASON_REFUSED;
}

/* faults that would meet every other run as well */
static int is_of_machine(nb_status status) {
    return status == NB_ERROR_IO || status == NB_ERROR_MEMORY;
}

/* the warm-ups and the recorded pass */
static nb_status make_run(const nb_request *request, nb_run **run) {
    nb_status status = NB_OK;
    for (int32_t pass = 0; pass <= request->info.warmup; pass++) {
        nb_ending ending;
        nb_run_destroy(*run);
        *run = NULL;
        status = nb_isolated_pass(request, run, &ending);
        if (is_of_machine(status)) return status;
        if (status != NB_OK) return nb_run_create_failed(&request->info, reason_of(ending), nb_error_message(), run);
    }
    return status;
}

/* The timed repetitions, each round of all combinations in a new random order, so that no solver is always the one
 * that runs warm. One that fails is left out; what was made before counts. */
static nb_status repeat_runs(const nb_suite_worker *w, int64_t count, nb_run **runs) {
    nb_status status = NB_OK;
    uint64_t state = w->requests[0].info.seed + (uint64_t)w->problem;
    int64_t *order = NULL, made = 0;
    int32_t rounds = 0;
    NB_TRY(NB_ALLOCATE(count, &order));
    for (int64_t c = 0; c < count; c++) {
        order[c] = c;
        if (w->requests[c].info.repeats > rounds) rounds = w->requests[c].info.repeats;
    }
    for (int32_t round = 0; round < rounds; round++) {
        nb_shuffle(order, count, &state);
        for (int64_t k = 0; k < count; k++) {
            nb_ending ending;
            int64_t c = order[k];
            if (!runs[c] || !runs[c]->finished || runs[c]->repeat_count < round) continue;
            if (round >= w->requests[c].info.repeats) continue;
            status = nb_isolated_pass(&w->requests[c], &runs[c], &ending);
            if (is_of_machine(status)) goto out;
            if (status == NB_OK) runs[c]->repeat_order[round] = (double)made++;
            status = NB_OK;
        }
    }
out:
    nb_free(order);
    return status;
}

/* What was solved is not the file that the records name: all runs failed. */
static nb_status refuse_changed(const nb_suite *suite, const nb_suite_worker *w, nb_run **runs) {
    char fault[256];
    nb_status status = NB_OK;
    snprintf(fault, sizeof fault, "'%.150s' was changed while the suite ran; solve it again",
             suite->files.items[w->problem].path);
    for (int64_t c = w->first; c < suite->combinations; c++) {
        nb_run_destroy(runs[c]);
        runs[c] = NULL;
        NB_TRY(nb_run_create_failed(&w->requests[c].info, NB_REASON_REFUSED, fault, &runs[c]));
    }
out:
    return status;
}

static nb_status make_runs(const nb_suite *suite, const nb_suite_worker *w, nb_run **runs) {
    nb_status status = NB_OK;
    for (int64_t c = w->first; c < suite->combinations; c++) {
        nb_blas_set_threads(w->requests[c].info.threads);
        nb_threads_set(w->requests[c].info.threads);
        NB_TRY(make_run(&w->requests[c], &runs[c]));
    }
    NB_TRY(repeat_runs(w, suite->combinations, runs));
    if (nb_suite_file_changed(&suite->files.items[w->problem])) status = refuse_changed(suite, w, runs);
out:
    return status;
}

typedef struct job {
    const nb_suite *suite;
    const nb_suite_worker *worker;
} job;

static int be_worker(const void *context, FILE *answer) {
    const job *j = context;
    nb_run **runs = NULL;
    answer_head head = {NB_OK, ""};
    head.status = NB_ALLOCATE(j->suite->combinations, &runs);
    if (head.status == NB_OK) head.status = make_runs(j->suite, j->worker, runs);
    snprintf(head.message, sizeof head.message, "%s", nb_error_message());
    if (fwrite(&head, sizeof head, 1, answer) == 1 && head.status == NB_OK)
        for (int64_t c = j->worker->first; c < j->suite->combinations; c++)
            if (nb_run_send(answer, runs[c]) != NB_OK) break;
    return 0;
}

/* ---- in the parent ---- */

nb_status nb_suite_worker_start(const nb_suite *suite, int64_t problem, int64_t first, nb_request *requests,
                                nb_suite_worker *worker) {
    const job j = {suite, worker};
    *worker = (nb_suite_worker){.problem = problem, .first = first, .requests = requests};
    worker->started = nb_clock_seconds();
    return nb_child_start("solve a problem in", be_worker, &j, NB_CHILD_BOUND, &worker->child);
}

nb_status nb_suite_worker_collect(const nb_suite *suite, nb_suite_worker *worker, nb_run **runs) {
    nb_status status = NB_OK;
    answer_head head = {NB_OK, ""};
    FILE *answer = worker->child.answer;
    int64_t c = worker->first;
    if (fread(&head, sizeof head, 1, answer) == 1) {
        if (head.status != NB_OK) return nb_fail(head.status, "%.*s", (int)sizeof head.message - 1, head.message);
        while (c < suite->combinations && nb_run_receive(answer, &runs[c]) == NB_OK) c++;
    }
    for (; c < suite->combinations; c++)
        NB_TRY(nb_run_create_failed(&worker->requests[c].info, NB_REASON_CRASHED,
                                    "the process that solved the problem's runs was killed", &runs[c]));
out:
    return status;
}

void nb_suite_worker_clear(const nb_suite *suite, nb_suite_worker *worker) {
    nb_child_clear(&worker->child);
    nb_suite_clear_requests(suite, worker->requests);
    *worker = (nb_suite_worker){0};
}
