#include <poll.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "command.h"
#include "interrupt.h"
#include "suite.h"

enum {
    MOST_JOBS = 256,
    AHEAD = 8, /* problems, a job, that may be finished before an earlier one is: they wait in memory */
    ATTENTION_MS = 200
};

/* the suite in progress */
typedef struct session {
    const nb_suite *suite;
    nb_run_output run_output;
    nb_progress_bar bar;
    nb_suite_table *table;
    nb_suite_worker *workers; /* [room] problem p in workers[p % room], from its start until its runs are written */
    char *over;               /* [room] 1: its process is */
    int64_t room;
    int64_t next, written; /* problem to start, problem to write */
    int64_t done;          /* runs recorded before an interruption */
    nb_request *recalled;  /* [combinations] while those are gone through */
    nb_inputs inputs;      /* the files, and what the combinations take */
    int failed;            /* a run did */
    int changed;           /* a problem is not that of the standard set */
} session;

/* ---- runs of before an interruption ---- */

static nb_status show(session *s, const nb_request *request, const nb_run *run) {
    int solved;
    nb_status status = nb_suite_table_add(s->table, request, run, &solved);
    s->failed |= !solved;
    s->changed |= nb_standard_is_changed(run->fault);
    return status;
}

/* They were recorded in order, so they are the first of all. */
static nb_status take_recorded(void *context, const nb_run *run, int *own) {
    session *s = context;
    nb_status status = NB_OK;
    int64_t combinations = s->suite->combinations, problem = s->done / combinations, c = s->done % combinations;
    if (problem == s->suite->files.count)
        return nb_fail(NB_ERROR_INPUT, "the record holds more runs than the folder has problems for: it has changed");
    if (c == 0) NB_TRY(nb_suite_prepare(s->suite, problem, s->recalled));
    if (!nb_resume_is_run_of(&s->recalled[c], &run->info))
        return nb_fail(NB_ERROR_INPUT, "the folder has changed: run %lld is of '%s', and now would be of '%s'",
                       (long long)s->done, run->info.scenario, s->recalled[c].info.scenario);
    NB_TRY(show(s, &s->recalled[c], run));
    s->done++;
    *own = 1;
out:
    return status;
}

/* ---- problems ---- */

static nb_status start_next(session *s) {
    nb_status status;
    nb_request *requests = NULL;
    nb_suite_worker *worker = &s->workers[s->next % s->room];
    int64_t first = s->done - s->next * s->suite->combinations; /* for the problem that the interruption met */
    NB_TRY(NB_ALLOCATE(s->suite->combinations, &requests));
    NB_TRY(nb_suite_prepare(s->suite, s->next, requests));
    status = nb_suite_worker_start(s->suite, s->next, first > 0 ? first : 0, requests, worker);
    requests = NULL;
    s->over[s->next % s->room] = 0;
    s->next++;
out:
    nb_suite_clear_requests(s->suite, requests);
    return status;
}

static int at_work(const session *s) {
    int count = 0;
    for (int64_t p = s->written; p < s->next; p++) count += !s->over[p % s->room];
    return count;
}

/* Waits until a process is over, or a while. */
static void wait_for_one(session *s) {
    struct pollfd list[MOST_JOBS];
    int64_t problem[MOST_JOBS];
    int count = 0;
    for (int64_t p = s->written; p < s->next; p++) {
        if (s->over[p % s->room]) continue;
        problem[count] = p;
        list[count++] = (struct pollfd){.fd = s->workers[p % s->room].child.alive, .events = POLLIN};
    }
    if (poll(list, (nfds_t)count, ATTENTION_MS) <= 0) return;
    for (int i = 0; i < count; i++) {
        if (!list[i].revents) continue;
        nb_child_await(&s->workers[problem[i] % s->room].child, 0, NULL);
        s->over[problem[i] % s->room] = 1;
    }
}

static nb_status write_runs(session *s, nb_suite_worker *worker, nb_run **runs) {
    nb_status status = NB_OK;
    int64_t solved = 0, failed = 0;
    const char *words = "";
    for (int64_t c = worker->first; c < s->suite->combinations; c++) {
        int fine;
        NB_TRY(nb_run_output_write(&s->run_output, runs[c]));
        NB_TRY(nb_suite_table_add(s->table, &worker->requests[c], runs[c], &fine));
        solved += fine;
        failed += !fine;
        s->changed |= nb_standard_is_changed(runs[c]->fault);
        if (*runs[c]->problem_words) words = runs[c]->problem_words;
    }
    s->failed |= failed > 0;
    nb_progress_note(&s->bar, "[%lld/%lld] %s: %lld solved, %lld failed, %.2f s%s%s", (long long)worker->problem + 1,
                     (long long)s->suite->files.count, s->suite->files.items[worker->problem].name, (long long)solved,
                     (long long)failed, nb_clock_seconds() - worker->started, *words ? "; " : "", words);
out:
    return status;
}

/* The next problem in order, whose process is over. */
static nb_status write_next(session *s) {
    nb_status status;
    nb_run **runs = NULL;
    nb_suite_worker *worker = &s->workers[s->written % s->room];
    NB_TRY(NB_ALLOCATE(s->suite->combinations, &runs));
    NB_TRY(nb_suite_worker_collect(s->suite, worker, runs));
    NB_TRY(write_runs(s, worker, runs));
    s->written++;
out:
    for (int64_t c = 0; runs && c < s->suite->combinations; c++) nb_run_destroy(runs[c]);
    nb_free(runs);
    nb_suite_worker_clear(s->suite, worker);
    return status;
}

static nb_status go_through(session *s) {
    nb_status status = NB_OK;
    int64_t count = s->suite->files.count;
    while (s->written < count && !nb_interrupted) {
        while (s->next < count && s->next < s->written + s->room && at_work(s) < s->suite->jobs) NB_TRY(start_next(s));
        wait_for_one(s);
        while (s->written < s->next && s->over[s->written % s->room] && !nb_interrupted) NB_TRY(write_next(s));
    }
out:
    return status;
}

/* The files, and what the runs take beside them. */
static nb_status gather_inputs(session *s) {
    nb_status status = NB_OK;
    const nb_suite *suite = s->suite;
    for (int64_t i = 0; i < suite->files.count; i++) {
        char name[NB_NAME_LENGTH + 2];
        snprintf(name, sizeof name, "'%s'", suite->files.items[i].name);
        NB_TRY(nb_inputs_add(&s->inputs, name, suite->files.items[i].sha256));
    }
    for (int64_t c = 0; c < suite->combinations; c++) {
        nb_request of_all = s->recalled[c];
        of_all.problem_path = NULL;
        NB_TRY(nb_inputs_add_request(&s->inputs, &of_all));
    }
out:
    return status;
}

static nb_status begin(session *s) {
    nb_status status;
    const nb_suite *suite = s->suite;
    s->room = (int64_t)AHEAD * suite->jobs;
    NB_TRY(NB_ALLOCATE(suite->combinations, &s->recalled));
    NB_TRY(NB_ALLOCATE(s->room, &s->workers));
    NB_TRY(NB_ALLOCATE(s->room, &s->over));
    NB_TRY(nb_suite_prepare(suite, 0, s->recalled));
    s->run_output.info = &s->recalled[0].info;
    NB_TRY(gather_inputs(s));
    s->run_output.inputs = &s->inputs;
    NB_TRY(nb_suite_table_create(suite, &s->table));
    nb_interrupt_catch();
    NB_TRY(nb_run_output_open(&s->run_output, take_recorded, s));
    s->next = s->written = s->done / suite->combinations;
out:
    return status;
}

nb_status nb_suite_run(const nb_suite *suite, const nb_output *output, int *exit_status) {
    session s = {.suite = suite,
                 .run_output = {output, "suite", &s.bar, suite->files.count * suite->combinations, NULL, NULL}};
    nb_status status;
    NB_TRY(begin(&s));
    NB_TRY(go_through(&s));
    nb_suite_table_end(s.table);
out:
    for (int64_t p = s.written; p < s.next; p++) nb_suite_worker_clear(suite, &s.workers[p % s.room]);
    status = nb_run_output_close(&s.run_output, status);
    nb_suite_clear_requests(suite, s.recalled);
    nb_inputs_clear(&s.inputs);
    nb_free(s.workers);
    nb_free(s.over);
    nb_suite_table_destroy(s.table);
    *exit_status = nb_interrupted ? NB_EXIT_INTERRUPTED
                   : s.changed    ? nb_status_exit_code(NB_ERROR_INPUT)
                   : s.failed     ? NB_EXIT_NOT_CONVERGED
                                  : NB_EXIT_OK;
    return status;
}
