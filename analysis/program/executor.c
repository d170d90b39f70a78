#include "executor.h"

#include <math.h>
#include <poll.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/threads.h"
#include "interrupt.h"
#include "plugin/plugin.h"
#include "ranks.h"
#include "reason.h"
#include "run/blas.h"

NB_PRECISIONS(f64);

enum {
    AHEAD = 8, /* units, a job, that may be finished before an earlier one is: they wait in memory */
    ATTENTION_MS = 100
};

/* a pass in a process of its own */
typedef struct slot {
    nb_unit *unit; /* NULL: it is free */
    nb_job *job;
    int repeat;
    double begun;
    nb_isolated pass;
} slot;

typedef struct session {
    const nb_executor *executor;
    int isolated;
    int64_t room;
    nb_unit *units;       /* [room] unit n in units[n % room], from its beginning until it is closed */
    int64_t next, closed; /* unit to open, unit to close */
    slot *slots;          /* [jobs] */
    int32_t busy;         /* of them */
} session;

/* ---- units ---- */

static nb_status open_unit(session *s) {
    nb_status status;
    nb_unit *unit = &s->units[s->next % s->room];
    *unit = (nb_unit){.number = s->next++, .begun = nb_clock_seconds()};
    NB_TRY(s->executor->open(s->executor->context, unit));
    NB_TRY(NB_ALLOCATE(unit->count, &unit->order));
    for (int64_t i = 0; i < unit->count; i++) {
        const int32_t repeats = unit->items[i].request->info.repeats;
        unit->order[i] = i;
        if (repeats > unit->rounds) unit->rounds = repeats;
    }
    nb_shuffle(unit->order, unit->count, &unit->seed);
out:
    return status;
}

static void clear_unit(const session *s, nb_unit *unit) {
    for (int64_t i = 0; unit->items && i < unit->count; i++) nb_run_destroy(unit->items[i].run);
    if (s->executor->clear) s->executor->clear(s->executor->context, unit);
    nb_free(unit->items);
    nb_free(unit->order);
    *unit = (nb_unit){0};
}

static nb_status close_unit(session *s) {
    nb_unit *unit = &s->units[s->closed++ % s->room];
    nb_status status = s->executor->close(s->executor->context, unit);
    clear_unit(s, unit);
    return status;
}

/* Whether the run is made once more in this round. One whose repetition failed is left with those before. */
static int is_repeated(const nb_unit *unit, const nb_job *job) {
    return job->run && job->run->finished && unit->round < job->request->info.repeats &&
           job->run->repeat_count >= unit->round;
}

/* the next pass that can begin, a repetition the one at unit->at; NULL: none now, or with *over none at all */
static nb_job *next_pass(nb_unit *unit, int *repeat, int *over) {
    *over = 1;
    for (int64_t i = 0; i < unit->count; i++) *over &= !unit->items[i].busy;
    *repeat = 0;
    for (int64_t i = 0; i < unit->count; i++)
        if (!unit->items[i].over && !unit->items[i].busy) return &unit->items[i];
    for (int64_t i = 0; i < unit->count; i++)
        if (!unit->items[i].over) return NULL;
    *repeat = 1;
    for (; unit->round < unit->rounds; unit->round++, unit->at = 0) {
        for (; unit->at < unit->count; unit->at++) {
            nb_job *job = &unit->items[unit->order[unit->at]];
            if (job->busy) return NULL;
            if (is_repeated(unit, job)) return job;
        }
        nb_shuffle(unit->order, unit->count, &unit->seed);
    }
    return NULL;
}

/* ---- passes ---- */

/* The threads of a batch make scenes side by side, each alone, so that a scene's numbers are those of one thread. */
static void set_threads(const nb_run_info *info) {
    int threads = info->batch > 1 ? 1 : info->threads;
    nb_blas_set_threads(threads);
    nb_threads_set(threads);
}

static void show_pass(const session *s, const nb_job *job, int repeat) {
    nb_progress_bar *bar = s->executor->bar;
    char label[256], text[300];
    if (!bar) return;
    nb_plan_label(bar->plan, job->number, label, sizeof label);
    snprintf(text, sizeof text, "repetition %d: %s", job->run ? job->run->repeat_count + 1 : 0, label);
    nb_progress_pass(bar, job->number, repeat, repeat ? text : label);
}

static int reason_of(nb_ending ending) {
    return ending == NB_ENDED_LATE   ? NB_REASON_TIME_LIMIT
           : ending == NB_ENDED_DEAD ? NB_REASON_CRASHED
                                     : NB_REASON_REFUSED;
}

/* a pass that failed, and no repetition: nothing more is made of the run */
static nb_status drop(const session *s, nb_job *job, nb_ending ending, nb_status fault) {
    const nb_executor *e = s->executor;
    const nb_run_info *info = &job->request->info;
    nb_run_destroy(job->run);
    job->run = NULL;
    job->over = 1;
    if (fault == NB_ERROR_IO || fault == NB_ERROR_MEMORY) return fault; /* it would meet every other run as well */
    if (!e->records_faults && !(ending == NB_ENDED_LATE && info->time_limit > 0)) {
        if (e->bar) nb_progress_run_dropped(e->bar, job->number);
        return e->dropped(e->context, job, fault);
    }
    nb_status status = nb_run_create_failed(info, reason_of(ending), nb_error_message(), &job->run);
    if (e->bar && status == NB_OK) nb_progress_run_done(e->bar, job->number, "failed");
    return status;
}

/* What came of a warm-up or the recorded pass. It is the run's last one where the record is to have it. */
static nb_status end_pass(const session *s, nb_job *job, nb_run *run, nb_ending ending, nb_status fault) {
    nb_progress_bar *bar = s->executor->bar;
    const int whole = fault == NB_OK && run && (run->finished || *run->fault);
    if (bar) nb_progress_pass_done(bar, fault == NB_OK && run && run->finished);
    nb_run_destroy(job->run); /* a warm-up */
    job->run = whole ? run : NULL;
    if (!whole) nb_run_destroy(run);
    if (fault != NB_OK) return drop(s, job, ending, fault);
    job->over = !whole || ++job->passes > job->request->info.warmup || nb_interrupted;
    if (whole && job->over && job->passes <= job->request->info.warmup) {
        nb_run_destroy(job->run);
        job->run = NULL;
    }
    if (bar && job->over)
        nb_progress_run_done(bar, job->number, !job->run ? "interrupted" : *job->run->fault ? "failed" : NULL);
    return NB_OK;
}

/* what came of a repetition: *run is the run with it, or NULL where it was made in place */
static nb_status end_repetition(const session *s, nb_unit *unit, nb_job *job, nb_run *run, nb_ending ending,
                                nb_status fault) {
    const nb_executor *e = s->executor;
    int64_t *made = unit->repeated ? unit->repeated : &unit->made;
    if (e->bar) nb_progress_pass_done(e->bar, fault == NB_OK && ending == NB_ENDED_WELL);
    if (run) {
        nb_run_destroy(job->run);
        job->run = run;
    }
    if (fault == NB_ERROR_INTERRUPTED || ending == NB_ENDED_INTERRUPTED) return NB_OK;
    if (fault == NB_OK) job->run->repeat_order[job->run->repeat_count - 1] = (double)(*made)++;
    if (fault == NB_OK) return NB_OK;
    if (fault == NB_ERROR_IO || fault == NB_ERROR_MEMORY) return fault;
    if (e->bar) nb_progress_run_dropped(e->bar, job->number);
    return e->records_faults ? NB_OK : e->dropped(e->context, job, fault);
}

/* one pass in this process */
static nb_status make_pass(const session *s, nb_unit *unit, nb_job *job, int repeat) {
    const nb_executor *e = s->executor;
    const nb_request *request = job->request;
    const int recorded = job->passes == request->info.warmup;
    nb_run *run = NULL;
    nb_status status;
    set_threads(&request->info);
    show_pass(s, job, repeat);
    if (repeat) return end_repetition(s, unit, job, NULL, NB_ENDED_WELL, nb_simulate_repeat(request, job->run));
    status = nb_simulate_resumable(request, e->bar ? nb_progress_step : NULL, e->bar, recorded ? e->checkpoint : NULL,
                                   (int32_t)job->number, &run);
    return end_pass(s, job, run, NB_ENDED_REFUSED, status);
}

static nb_status start_pass(session *s, nb_unit *unit, nb_job *job, int repeat) {
    const nb_executor *e = s->executor;
    const int tells = e->bar && e->jobs == 1;
    nb_status status;
    slot *to = s->slots;
    while (to->unit) to++;
    set_threads(&job->request->info);
    if (tells) show_pass(s, job, repeat);
    NB_TRY(nb_isolated_start(job->request, tells ? nb_progress_step : NULL, tells ? e->bar : NULL,
                             repeat ? job->run : NULL, &to->pass));
    to->unit = unit;
    to->job = job;
    to->repeat = repeat;
    to->begun = nb_clock_seconds();
    job->busy = 1;
    s->busy++;
out:
    return status;
}

static nb_status end_slot(session *s, slot *of) {
    const nb_executor *e = s->executor;
    nb_run *run;
    nb_ending ending;
    nb_status status = nb_isolated_end(&of->pass, &run, &ending);
    if (e->bar && e->jobs > 1) {
        show_pass(s, of->job, of->repeat);
        e->bar->pass_begun = of->begun;
    }
    status = of->repeat ? end_repetition(s, of->unit, of->job, run, ending, status)
                        : end_pass(s, of->job, run, ending, status);
    of->job->busy = 0;
    of->unit = NULL;
    s->busy--;
    return status;
}

/* Waits until a process is over, or a while, and ends those that are over, too late or interrupted. */
static nb_status end_slots(session *s) {
    struct pollfd list[NB_MOST_JOBS];
    const int32_t jobs = s->executor->jobs;
    nb_status status = NB_OK;
    if (s->busy == 0) return NB_OK;
    for (int32_t i = 0; i < jobs; i++)
        list[i] = (struct pollfd){.fd = s->slots[i].unit ? s->slots[i].pass.child.alive : -1, .events = POLLIN};
    poll(list, (nfds_t)jobs, ATTENTION_MS);
    for (int32_t i = 0; i < jobs; i++) {
        if (list[i].fd < 0) continue;
        const int late = nb_clock_seconds() > s->slots[i].pass.deadline;
        if (list[i].revents || late || nb_interrupted) NB_TRY(end_slot(s, &s->slots[i]));
    }
    if (s->executor->bar && jobs > 1) nb_progress_wait(s->executor->bar, s->busy);
out:
    return status;
}

/* ---- all together ---- */

/* the next pass of any unit that is open, or can be opened; *job NULL: there is none now */
static nb_status find_pass(session *s, nb_unit **unit, nb_job **job, int *repeat) {
    nb_status status = NB_OK;
    int over;
    *job = NULL;
    for (int64_t n = s->closed; !*job; n++) {
        if (n == s->next && (n == s->executor->units || n == s->closed + s->room)) break;
        if (n == s->next) NB_TRY(open_unit(s));
        *unit = &s->units[n % s->room];
        *job = next_pass(*unit, repeat, &over);
    }
out:
    return status;
}

/* begins as many passes as can be, or makes one */
static nb_status make_passes(session *s) {
    nb_status status = NB_OK;
    nb_unit *unit;
    nb_job *job;
    int repeat;
    do {
        NB_TRY(find_pass(s, &unit, &job, &repeat));
        if (job) unit->at += repeat;
        if (job) NB_TRY(s->isolated ? start_pass(s, unit, job, repeat) : make_pass(s, unit, job, repeat));
    } while (job && s->isolated && s->busy < s->executor->jobs);
out:
    return status;
}

static int is_over(nb_unit *unit) {
    int repeat, over;
    return !next_pass(unit, &repeat, &over) && over;
}

static nb_status close_units(session *s) {
    nb_status status = NB_OK;
    while (s->closed < s->next && is_over(&s->units[s->closed % s->room]) && !nb_interrupted) NB_TRY(close_unit(s));
out:
    return status;
}

nb_status nb_executor_make(const nb_executor *executor) {
    session s = {
        .executor = executor,
        .isolated = executor->isolated || executor->jobs > 1 ||
                    (nb_plugins_loaded() && nb_ranks_count() == 1), /* one process of each talks to the others */
        .room = (int64_t)AHEAD * executor->jobs,
        .next = executor->first,
        .closed = executor->first};
    nb_status status;
    NB_TRY(NB_ALLOCATE(s.room, &s.units));
    NB_TRY(NB_ALLOCATE(executor->jobs, &s.slots));
    while (s.closed < executor->units && !nb_interrupted) {
        if (s.busy < executor->jobs) NB_TRY(make_passes(&s));
        NB_TRY(end_slots(&s));
        NB_TRY(close_units(&s));
    }
    while (s.busy > 0) NB_TRY(end_slots(&s)); /* interrupted */
    while (s.closed < s.next && executor->close_interrupted) NB_TRY(close_unit(&s));
out:
    for (int32_t i = 0; s.slots && i < executor->jobs; i++) nb_isolated_clear(&s.slots[i].pass);
    for (; s.units && s.closed < s.next; s.closed++) clear_unit(&s, &s.units[s.closed % s.room]);
    nb_free(s.slots);
    nb_free(s.units);
    return status;
}
