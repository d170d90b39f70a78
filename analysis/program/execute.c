#include "execute.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/threads.h"
#include "blas.h"
#include "checkpoint.h"
#include "command.h"
#include "guard.h"
#include "interrupt.h"
#include "isolate.h"
#include "progress.h"
#include "record.h"
#include "resume.h"
#include "summary.h"
#include "surroundings.h"
#include "write_matrix_market.h"

typedef struct session {
    const nb_plan *plan;
    const nb_output *output;
    nb_record *record; /* NULL: none asked for */
    nb_summary *summary;
    nb_progress_bar bar;
    nb_run **held;                /* [plan->count] runs that wait for their repetitions, or NULL */
    char *done;                   /* [plan->count] 1: finished before the command was interrupted */
    char *source;                 /* the file that has those, or NULL */
    nb_checkpoint *checkpoint;    /* NULL: the command leaves none */
    int64_t written, repetitions; /* runs in the record; repetitions of any run made so far */
    int exit_status;
} session;

static nb_status open_new(session *s) {
    const nb_output *output = s->output;
    nb_provenance provenance;
    nb_surroundings(s->plan->requests[0]->info.threads, s->plan->requests[0]->info.seed, &provenance);
    return nb_record_create(output->path, output->title ? output->title : "", output->command, &provenance, &s->record);
}

/* The finished runs of an interrupted command, and where it goes on. */
static nb_status open_interrupted(session *s) {
    nb_status status;
    int missed = 0;
    NB_TRY(nb_checkpoint_read(s->output->path, &s->checkpoint));
    NB_TRY(nb_resume_find(s->plan, s->checkpoint, s->output->path, &s->source, s->done, &missed));
    NB_TRY(s->source ? nb_record_continue(s->output->path, s->source, &s->record) : open_new(s));
    nb_resume_tidy(s->output->path, s->source);
    for (int64_t i = 0; i < s->plan->count; i++) s->written += s->done[i];
    if (missed) s->exit_status = NB_EXIT_NOT_CONVERGED;
    fprintf(stderr, "%lld of %lld runs were finished\n", (long long)s->written, (long long)s->plan->count);
out:
    return status;
}

static nb_status open_record(session *s) {
    const nb_output *output = s->output;
    nb_status status;
    if (!output->path) return NB_OK;
    if (output->resume) return open_interrupted(s);
    /* before the record, which shall not look older than it */
    if (output->resumable) NB_TRY(nb_checkpoint_create(output->path, output->command, &s->checkpoint));
    if (!output->append) return open_new(s);
    NB_TRY(nb_guard(output->path, nb_read_record));
    NB_TRY(nb_record_append(output->path, &s->record));
out:
    return status;
}

/* From here on the command can be made whole. */
static void begin_checkpoints(session *s) {
    if (!s->checkpoint) return;
    s->checkpoint->interval = s->output->interval;
    if (s->output->resume) return;
    s->checkpoint->before = nb_record_count(s->record);
    nb_checkpoint_write(s->checkpoint, -1, NULL, NULL);
}

/* Where the checkpoint speaks of this process, what a killed one left is of no more use. */
static void drop_source(const session *s) {
    if (!s->source || !s->checkpoint || s->checkpoint->process != getpid() || s->checkpoint->failed) return;
    if (strcmp(s->source, s->output->path) != 0) unlink(s->source);
}

/* The checkpoint stays where there is more to do: after an interrupt, and after a fault that may pass. */
static void end_checkpoints(session *s, nb_status status) {
    if (!s->checkpoint) return;
    int more = nb_interrupted || status == NB_ERROR_IO || status == NB_ERROR_MEMORY;
    if (!more || s->written == s->plan->count) {
        nb_checkpoint_remove(s->checkpoint);
        s->checkpoint->process = getpid();
    } else if (nb_interrupted) {
        nb_progress_note(&s->bar, "go on with: ncpbench run --resume %s", s->output->path);
    }
    if (s->checkpoint->failed)
        nb_progress_note(&s->bar, "%s could not be written; an interrupted run would have started anew",
                         s->checkpoint->path);
    drop_source(s);
}

/* A record that replaces an earlier one without being complete must not cost the earlier one: that goes to *kept. */
static void back_up(session *s, char kept[4096]) {
    const char *path = s->output->path;
    int replaces = !s->output->append && !(s->source && strcmp(s->source, path) == 0);
    if (!replaces || !nb_record_set_aside(path, kept, 4096)) *kept = '\0';
}

static nb_status close_partial_record(session *s) {
    char kept[4096] = "";
    const char *path = s->output->path;
    back_up(s, kept);
    nb_status status = nb_record_close(s->record, 1);
    if (*kept && access(path, F_OK) != 0 && rename(kept, path) == 0) return status;
    if (*kept) nb_progress_note(&s->bar, "the earlier %s is kept as %s", path, kept);
    if (status == NB_OK)
        nb_progress_note(&s->bar, "%s holds the %lld of %lld runs that were finished", path, (long long)s->written,
                         (long long)s->plan->count);
    return status;
}

static nb_status close_record(session *s) {
    nb_status status = NB_OK;
    if (!s->record) return NB_OK;
    if (s->written == 0) {
        nb_progress_note(&s->bar, "no run was finished; %s is left as it was", s->output->path);
        nb_record_close(s->record, 0);
    } else {
        status = s->written < s->plan->count ? close_partial_record(s) : nb_record_close(s->record, 1);
    }
    s->record = NULL;
    return status;
}

/* how much a pass is: its steps and those made to settle; a copy of a batch counts as one step */
static int32_t pass_steps(const nb_run_info *info) {
    return info->steps + info->settle + (info->batch > 1 ? info->batch : 0);
}

/* The threads of a batch make scenes side by side, each alone, so that a scene's numbers are those of one thread. */
static void set_threads(const nb_run_info *info) {
    int threads = info->batch > 1 ? 1 : info->threads;
    nb_blas_set_threads(threads);
    nb_threads_set(threads);
}

/* Reports the fault of one run; the others go on unless it is of the kind that would meet them too. */
static nb_status report_fault(session *s, int64_t i, nb_status fault) {
    if (s->plan->count == 1 || fault == NB_ERROR_MEMORY || fault == NB_ERROR_IO) return fault;
    char label[256];
    nb_plan_label(s->plan, i, label, sizeof label);
    nb_command_report(label);
    if (s->exit_status == NB_EXIT_OK) s->exit_status = nb_status_exit_code(fault);
    return NB_OK;
}

/* writes and shows a finished run; takes it over */
static nb_status finish_run(session *s, int64_t i, nb_run *run) {
    nb_status status;
    if (s->record) NB_TRY(nb_record_write_run(s->record, run));
    if (s->output->solution)
        NB_TRY(nb_matrix_market_write_vector(s->output->solution, run->reaction_count, run->reaction, "solution x"));
    s->written++;
    if (s->checkpoint) {
        nb_checkpoint_write(s->checkpoint, -1, NULL, NULL);
        drop_source(s);
    }
    NB_TRY(nb_summary_print(s->summary, i, run));
    if (!nb_run_converged(s->plan->requests[i], run) && s->exit_status == NB_EXIT_OK)
        s->exit_status = NB_EXIT_NOT_CONVERGED;
out:
    nb_run_destroy(run);
    return status;
}

/* One pass over run `i`, with checkpoints where it is the one to be recorded; *run is NULL where it was interrupted or
 * failed. */
static nb_status simulate(session *s, int64_t i, int recorded, nb_run **run) {
    const nb_request *request = s->plan->requests[i];
    char label[256];
    nb_plan_label(s->plan, i, label, sizeof label);
    set_threads(&request->info);
    nb_progress_pass(&s->bar, label);
    nb_status status =
        nb_isolated_simulate(request, nb_progress_step, &s->bar, recorded ? s->checkpoint : NULL, (int32_t)i, run);
    nb_progress_pass_done(&s->bar, pass_steps(&request->info));
    if (status == NB_OK && (*run)->finished) return NB_OK;
    if (status == NB_OK) nb_progress_run_done(&s->bar, "interrupted");
    nb_run_destroy(*run);
    *run = NULL;
    return status == NB_OK ? NB_OK : report_fault(s, i, status);
}

/* One more timed pass over a held run. */
static nb_status repeat_run(session *s, int64_t i) {
    const nb_request *request = s->plan->requests[i];
    char label[256], text[300];
    nb_plan_label(s->plan, i, label, sizeof label);
    snprintf(text, sizeof text, "repetition %d: %s", s->held[i]->repeat_count + 1, label);
    set_threads(&request->info);
    nb_progress_pass(&s->bar, text);
    nb_status status = nb_isolated_repeat(request, &s->held[i]);
    nb_progress_pass_done(&s->bar, pass_steps(&request->info));
    if (status != NB_OK) return report_fault(s, i, status);
    nb_run *run = s->held[i];
    run->repeat_order[run->repeat_count - 1] = (double)s->repetitions++;
    return NB_OK;
}

static nb_status finish_held(session *s, int64_t i) {
    nb_run *run = s->held[i];
    s->held[i] = NULL;
    return run ? finish_run(s, i, run) : NB_OK;
}

/* Warm-ups, the recorded pass, and where there is but one repetition, that too; several wait for all runs.
 *
 * The runs of this first round are made in the order of the command, not in a random one: each is in the record and in
 * the table as soon as it is finished, so that a kill or a power cut costs one run at most and --resume skips the rest.
 * In another order they would have to wait for those before them in the record (whose order tells curves and tables
 * what comes first), half of them on average. The recorded pass just before it is what warms a single repetition up.
 * Who wants timings free of drift asks for two repetitions or more. */
static nb_status make_run(session *s, int64_t i) {
    const nb_run_info *info = &s->plan->requests[i]->info;
    nb_status status = NB_OK;
    if (s->done[i]) return NB_OK;
    for (int32_t pass = 0; pass <= info->warmup && !nb_interrupted; pass++) {
        nb_run_destroy(s->held[i]); /* a warm-up */
        s->held[i] = NULL;
        NB_TRY(simulate(s, i, pass == info->warmup, &s->held[i]));
        if (!s->held[i]) return NB_OK; /* failed or interrupted */
    }
    nb_progress_run_done(&s->bar, NULL);
    if (info->repeats > 1) return NB_OK;
    if (info->repeats == 1 && !nb_interrupted) NB_TRY(repeat_run(s, i));
    NB_TRY(finish_held(s, i));
out:
    return status;
}

static void shuffle(int64_t *order, int64_t count, uint64_t *state) {
    for (int64_t i = count - 1; i > 0; i--) {
        int64_t j = (int64_t)(nb_random_bits(state) % (uint64_t)(i + 1)), t = order[i];
        order[i] = order[j];
        order[j] = t;
    }
}

/* The timed repetitions of all held runs, each round in a new random order, so that no solver is always the one that
 * runs warm. */
static nb_status repeat_runs(session *s) {
    int64_t *order = NULL, count = s->plan->count;
    uint64_t state = s->plan->requests[0]->info.seed;
    int32_t rounds = 0;
    nb_status status;
    NB_TRY(NB_ALLOCATE(count, &order));
    for (int64_t i = 0; i < count; i++) {
        order[i] = i;
        if (s->plan->requests[i]->info.repeats > rounds) rounds = s->plan->requests[i]->info.repeats;
    }
    for (int32_t round = 0; round < rounds; round++) {
        shuffle(order, count, &state);
        for (int64_t k = 0; k < count && !nb_interrupted; k++) {
            int64_t i = order[k];
            if (s->held[i] && round < s->plan->requests[i]->info.repeats) NB_TRY(repeat_run(s, i));
        }
    }
    for (int64_t i = 0; i < count; i++) NB_TRY(finish_held(s, i));
out:
    nb_free(order);
    return status;
}

static void begin_progress(session *s) {
    int64_t steps = 0;
    for (int64_t i = 0; i < s->plan->count; i++) {
        const nb_run_info *info = &s->plan->requests[i]->info;
        if (!s->done[i]) steps += (1 + (int64_t)info->warmup + info->repeats) * pass_steps(info);
    }
    nb_progress_begin(&s->bar, s->plan->count, steps);
    for (int64_t i = 0; i < s->plan->count; i++) s->bar.runs_done += s->done[i];
}

nb_status nb_execute(const nb_plan *plan, const nb_output *output, int *exit_status) {
    session s = {.plan = plan, .output = output};
    nb_status status, closed;
    NB_TRY(NB_ALLOCATE(plan->count, &s.held));
    NB_TRY(NB_ALLOCATE(plan->count, &s.done));
    NB_TRY(nb_summary_create(plan, &s.summary));
    nb_interrupt_catch();
    NB_TRY(open_record(&s));
    begin_checkpoints(&s);
    begin_progress(&s);
    for (int64_t i = 0; i < plan->count && !nb_interrupted; i++) NB_TRY(make_run(&s, i));
    NB_TRY(repeat_runs(&s));
out:
    closed = close_record(&s);
    if (status == NB_OK) status = closed;
    end_checkpoints(&s, status);
    for (int64_t i = 0; s.held && i < plan->count; i++) nb_run_destroy(s.held[i]);
    nb_free(s.held);
    nb_free(s.done);
    nb_free(s.source);
    nb_checkpoint_destroy(s.checkpoint);
    nb_summary_destroy(s.summary);
    *exit_status = nb_interrupted ? NB_EXIT_INTERRUPTED : s.exit_status;
    return status;
}
