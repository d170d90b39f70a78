#include "execute.h"

#include "base/memory.h"
#include "command.h"
#include "exchange/write_matrix_market.h"
#include "executor.h"
#include "interrupt.h"
#include "run_notes.h"
#include "run_table.h"

typedef struct session {
    const nb_plan *plan;
    nb_run_output run_output;
    const char *solution; /* where x of a linear system goes, or NULL */
    int accept_unmet;     /* of nb_output */
    nb_run_table *table;
    nb_progress_bar bar;
    char *done;     /* [plan->count] 1: finished before the command was interrupted */
    int64_t *order; /* [plan->count] runs to make: `alone` that are written when they are made, then others */
    int64_t alone;  /* whose several repetitions are made together */
    int64_t to_make;
    int64_t repetitions; /* of any run made so far */
    nb_run_notes notes;
    int exit_status;
} session;

/* what run `i` means for the exit status */
static void judge(session *s, int64_t i, const nb_run *run) {
    int good = !(run->usage.settle_unsolved > 0) && nb_run_converged(s->plan->requests[i], run);
    if (good || (s->accept_unmet && !*run->fault)) return;
    if (s->exit_status == NB_EXIT_OK) s->exit_status = NB_EXIT_NOT_CONVERGED;
}

/* A finished run of the same command before it was interrupted. */
static nb_status take_finished(void *context, const nb_run *run, int *own) {
    session *s = context;
    for (int64_t i = 0; (run->finished || *run->fault) && !*own && i < s->plan->count; i++) {
        if (s->done[i] || !nb_resume_is_run_of(s->plan->requests[i], &run->info)) continue;
        s->done[i] = 1;
        *own = 1;
        judge(s, i, run);
    }
    return NB_OK;
}

/* Reports the fault of one run; the others go on. */
static nb_status report_fault(void *context, const nb_job *job, nb_status fault) {
    session *s = context;
    char label[256];
    if (s->plan->count == 1) return fault;
    nb_plan_label(s->plan, job->number, label, sizeof label);
    nb_command_report(label);
    if (s->exit_status == NB_EXIT_OK || s->exit_status == NB_EXIT_NOT_CONVERGED)
        s->exit_status = nb_status_exit_code(fault);
    return NB_OK;
}

/* writes and shows a run that came to its end or failed */
static nb_status finish_run(session *s, int64_t i, const nb_run *run) {
    nb_status status;
    int solved;
    NB_TRY(nb_run_output_write(&s->run_output, run));
    if (s->solution)
        NB_TRY(nb_matrix_market_write_vector(s->solution, run->reaction_count, run->reaction, "solution x"));
    if (s->table) NB_TRY(nb_run_table_add(s->table, i, s->plan->requests[i], run, &solved));
    nb_run_notes_add(&s->notes, i, run);
    judge(s, i, run);
out:
    return status;
}

/* ---- what the executor asks for ---- */

/* Each run whose repetition follows at once is a unit. The runs are made in the order of the command, not in a random
 * one: each is in the record and in the table as soon as it is finished, so that a kill or a power cut costs one run at
 * most and --resume skips the rest. In another order they would have to wait for those before them in the record (whose
 * order tells curves and tables what comes first), half of them on average. The recorded pass just before it is what
 * warms a single repetition up. For timings without drift, two repetitions or more are asked for: such runs are one
 * unit, the last. */
static nb_status find_order(session *s, int64_t *units) {
    const nb_plan *plan = s->plan;
    int64_t count = 0;
    nb_status status = NB_ALLOCATE(plan->count, &s->order);
    for (int several = 0; several < 2 && status == NB_OK; several++) {
        if (several) s->alone = count;
        for (int64_t i = 0; i < plan->count; i++)
            if (!s->done[i] && several == (plan->requests[i]->info.repeats > 1)) s->order[count++] = i;
    }
    s->to_make = count;
    *units = s->alone + (count > s->alone);
    return status;
}

static nb_status open_unit(void *context, nb_unit *unit) {
    session *s = context;
    const int together = unit->number == s->alone;
    nb_status status;
    unit->count = together ? s->to_make - s->alone : 1;
    unit->seed = s->plan->requests[0]->info.seed;
    unit->repeated = &s->repetitions;
    NB_TRY(NB_ALLOCATE(unit->count, &unit->items));
    for (int64_t k = 0; k < unit->count; k++) {
        unit->items[k].number = s->order[unit->number + k];
        unit->items[k].request = s->plan->requests[unit->items[k].number];
    }
out:
    return status;
}

/* A run whose one repetition was interrupted is not for the record yet; a checkpoint has it. */
static int is_unrepeated(const nb_job *job) {
    return nb_interrupted && job->request->info.repeats == 1 && job->run->repeat_count == 0 && !*job->run->fault;
}

static nb_status close_unit(void *context, nb_unit *unit) {
    session *s = context;
    nb_status status = NB_OK;
    for (int64_t k = 0; k < unit->count; k++) {
        const nb_job *job = &unit->items[k];
        if (!job->run) continue;
        if (!is_unrepeated(job))
            NB_TRY(finish_run(s, job->number, job->run));
        else if (s->run_output.checkpoint)
            nb_simulate_keep_complete(s->run_output.checkpoint, (int32_t)job->number, job->run);
    }
out:
    return status;
}

nb_status nb_execute(const nb_plan *plan, const nb_output *output, int *exit_status) {
    session s = {.plan = plan,
                 .solution = output->solution,
                 .accept_unmet = output->accept_unmet,
                 .run_output = {output, "run", &s.bar, plan->count, &plan->requests[0]->info, &plan->inputs}};
    s.notes = (nb_run_notes){.plan = plan, .bar = &s.bar};
    nb_executor executor = {.context = &s,
                            .jobs = output->jobs > 1 ? output->jobs : 1,
                            .isolated = output->isolated,
                            .bar = &s.bar,
                            .open = open_unit,
                            .close = close_unit,
                            .close_interrupted = 1,
                            .dropped = report_fault};
    nb_status status;
    NB_TRY(NB_ALLOCATE(plan->count, &s.done));
    for (int64_t i = 0; output->made && i < plan->count; i++) {
        s.done[i] = output->made[i];
        s.run_output.count -= s.done[i];
    }
    if (!output->quiet) NB_TRY(nb_run_table_of_plan(plan, &s.table));
    nb_interrupt_catch();
    NB_TRY(nb_run_output_open(&s.run_output, take_finished, &s));
    NB_TRY(nb_progress_begin(&s.bar, plan, s.done, executor.jobs));
    NB_TRY(find_order(&s, &executor.units));
    executor.checkpoint = s.run_output.checkpoint;
    NB_TRY(nb_executor_make(&executor));
out:
    status = nb_run_output_close(&s.run_output, status);
    nb_free(s.order);
    nb_free(s.done);
    nb_progress_end(&s.bar);
    /* a fault says more than steps that are not solved */
    const int may_tell =
        !output->accept_unmet && (s.exit_status == NB_EXIT_OK || s.exit_status == NB_EXIT_NOT_CONVERGED);
    if (status == NB_OK && !nb_interrupted) nb_run_notes_end(&s.notes, may_tell);
    nb_run_table_destroy(s.table);
    *exit_status = nb_interrupted ? NB_EXIT_INTERRUPTED : s.exit_status;
    return status;
}
