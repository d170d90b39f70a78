#include "execute.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/threads.h"
#include "command.h"
#include "exchange/write_matrix_market.h"
#include "interrupt.h"
#include "isolate.h"
#include "method/newton/limits.h"
#include "progress.h"
#include "run/blas.h"
#include "run/method_options.h"
#include "run/resolve.h"
#include "statistics/penetrating.h"
#include "statistics/unsolved.h"
#include "summary.h"
#include "table/outcome.h"
#include "text/plain.h"

NB_PRECISIONS(f64);

enum {
    MOST_NAMED = 10 /* failed copies, on standard error */
};

typedef struct session {
    const nb_plan *plan;
    nb_run_output run_output;
    const char *solution; /* where x of a linear system goes, or NULL */
    int accept_unmet;     /* of nb_output */
    nb_summary *summary;
    nb_progress_bar bar;
    nb_run **held;        /* [plan->count] runs that wait for their repetitions, or NULL */
    char *done;           /* [plan->count] 1: finished before the command was interrupted */
    int64_t repetitions;  /* of any run made so far */
    nb_unsolved unsolved; /* of all runs of scenarios made so far */
    int64_t unsolved_runs;
    const nb_request *first;    /* of these; NULL: none */
    nb_penetrating penetrating; /* of the same runs */
    int64_t penetrating_runs;
    int may_verify; /* 1: --verify-contacts is off and would do for the first of these */
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

/* The threads of a batch make scenes side by side, each alone, so that a scene's numbers are those of one thread. */
static void set_threads(const nb_run_info *info) {
    int threads = info->batch > 1 ? 1 : info->threads;
    nb_blas_set_threads(threads);
    nb_threads_set(threads);
}

/* Reports the fault of one run; the others go on unless it is of the kind that would meet them too. */
static nb_status report_fault(session *s, int64_t i, nb_status fault) {
    nb_progress_run_dropped(&s->bar, i);
    if (s->plan->count == 1 || fault == NB_ERROR_MEMORY || fault == NB_ERROR_IO) return fault;
    char label[256];
    nb_plan_label(s->plan, i, label, sizeof label);
    nb_command_report(label);
    if (s->exit_status == NB_EXIT_OK || s->exit_status == NB_EXIT_NOT_CONVERGED)
        s->exit_status = nb_status_exit_code(fault);
    return NB_OK;
}

/* the copies of a batch that did not reach their end, some of them by name */
static void name_failed_copies(const session *s, int64_t i, const nb_run *run) {
    const nb_batch *batch = &run->batch;
    char label[256];
    nb_plan_label(s->plan, i, label, sizeof label);
    for (int32_t k = 0; k < batch->fault_count && k < MOST_NAMED; k++) {
        nb_fail(NB_ERROR_NUMERIC, "copy %d of the batch, step %d: %s", (int)batch->faults[k].scene,
                (int)batch->faults[k].step, batch->faults[k].text);
        nb_command_report(label);
    }
    if (batch->fault_count <= MOST_NAMED) return;
    nb_fail(NB_ERROR_NUMERIC, "%d more copies failed; the record names them all", (int)batch->fault_count - MOST_NAMED);
    nb_command_report(label);
}

/* says why a run that asked for true errors has none, and what would give them */
static void name_missing_reference(const session *s, int64_t i, const nb_run *run) {
    char label[256];
    double error = run->usage.reference_error;
    if (isnan(error) || run->reference.solution.q) return;
    nb_plan_label(s->plan, i, label, sizeof label);
    if (error > NB_REFERENCE_REACHED)
        nb_fail(NB_ERROR_NUMERIC,
                "no reference, no true errors: both reference methods did not converge in the final step (natural map "
                "%.2g m/s or more, tolerance %g); try another --settle, such as 30, with --steps 1",
                error, NB_REFERENCE_REACHED);
    else
        nb_fail(NB_ERROR_NUMERIC,
                "no reference, no true errors: only %s converged in the final step, and is not compared with itself; "
                "try another --settle",
                run->info.method);
    nb_command_report(label);
}

/* says that a run that asked for true errors has none, since its last step has several solutions */
static void name_two_solutions(const session *s, int64_t i, const nb_run *run) {
    const nb_reference_solution *reference = &run->reference;
    const nb_solution_taken taken = nb_run_solution(run, NULL);
    char label[256];
    if (!(nb_reference_solution_apart(reference) > 0)) return;
    nb_plan_label(s->plan, i, label, sizeof label);
    nb_fail(
        NB_ERROR_NUMERIC,
        "no true errors: the final step has several solutions; those of %s (natural map %.1e m/s) and %s (%.1e) are "
        "%.2g m/s apart, and this run came to %s%s",
        reference->used.method, reference->used.natural_map_error, reference->other.method,
        reference->other.natural_map_error, nb_reference_solution_apart(reference),
        taken == NB_SOLUTION_FIRST || taken == NB_SOLUTION_SECOND ? "the " : "", nb_solution_names[taken]);
    nb_command_report(label);
}

/* says that a run begins at a state that some of the steps before did not solve */
static void name_settling(const session *s, int64_t i, const nb_run *run) {
    char label[256];
    if (!(run->usage.settle_unsolved > 0)) return;
    nb_plan_label(s->plan, i, label, sizeof label);
    nb_settle_fault(run->usage.settle_unsolved, (double)run->info.settle * run->info.batch, run->info.settle_tolerance,
                    run->usage.settle_error);
    nb_command_report(label);
}

/* a run that failed, by name on standard error: the record holds what came before */
static void name_fault(const session *s, int64_t i, const nb_run *run) {
    char label[256];
    if (!*run->fault) return;
    nb_plan_label(s->plan, i, label, sizeof label);
    nb_fail(NB_ERROR_NUMERIC, "%s", run->fault);
    nb_command_report(label);
}

/* what the accuracy limits that were asked for do not mean, on standard error */
static void name_limits(session *s, int64_t i, const nb_run *run) {
    const nb_request *request = s->plan->requests[i];
    double rows = nb_run_last(run, NB_STEP_ROWS), error = nb_run_last(run, NB_STEP_NATURAL_MAP_ERROR);
    double root = strcmp(request->info.precision, "f32") == 0 ? sqrt((double)FLT_EPSILON) : sqrt(DBL_EPSILON);
    char label[256];
    if (!request->limits || !(rows > 0)) return;
    nb_plan_label(s->plan, i, label, sizeof label);
    if (isnan(nb_run_last(run, NB_STEP_LIMIT_NORM_A)))
        nb_progress_note(
            &s->bar, "%s: no accuracy limits (NaN): the last system has %.0f rows, more than the %d of a dense inverse",
            label, rows, NB_LIMITS_MOST_ROWS);
    else if (!(error <= root))
        nb_progress_note(
            &s->bar, "%s: the accuracy limits are taken at an error of %.2g m/s, and say little before it is %.2g m/s",
            label, error, root);
}

/* what is to be known of a problem's file, on standard error */
static void name_problem(session *s, int64_t i, const nb_run *run) {
    char label[256];
    if (!*run->problem_words) return;
    nb_plan_label(s->plan, i, label, sizeof label);
    nb_progress_note(&s->bar, "%s: %s", label, run->problem_words);
}

/* what is wrong with the scene as it begins, on standard error */
static void name_start(session *s, int64_t i, const nb_run *run) {
    char label[256];
    if (!*run->start_words) return;
    nb_plan_label(s->plan, i, label, sizeof label);
    nb_progress_note(&s->bar, "%s: %s; the first step parts them at once", label, run->start_words);
}

/* what the method says of the run's last step, on standard error */
static void name_remark(session *s, int64_t i, const nb_run *run) {
    char label[256];
    if (!*run->remark || *run->fault) return;
    nb_plan_label(s->plan, i, label, sizeof label);
    nb_progress_note(&s->bar, "%s: %s", label, run->remark);
}

/* how many steps end with more overlap than they may have, on standard error */
static void name_overlap(session *s, int64_t i, const nb_run *run) {
    char label[256];
    const double allowed = s->plan->requests[i]->scene.verify_contacts;
    double worst = 0;
    int count = 0;
    for (int32_t k = 0; isfinite(allowed) && k < run->step_count; k++) {
        const double overlap = run->steps[(int64_t)k * NB_STEP_COLUMNS + NB_STEP_VERIFY_OVERLAP];
        count += overlap > allowed;
        worst = fmax(worst, overlap);
    }
    if (count == 0) return;
    nb_plan_label(s->plan, i, label, sizeof label);
    nb_progress_note(&s->bar, "%s: %d of %d steps overlap by more than --verify-contacts %g, by up to %.3g m", label,
                     count, (int)run->step_count, allowed, worst);
}

/* counts the steps of a scenario that are not solved */
static void count_unsolved(session *s, int64_t i, const nb_run *run) {
    const nb_request *request = s->plan->requests[i];
    const int64_t before = s->unsolved.steps;
    if (request->problem_path || *run->fault) return; /* the fault says more */
    nb_unsolved_add(run, &s->unsolved);
    if (s->unsolved.steps == before) return;
    s->unsolved_runs++;
    if (!s->first) s->first = request;
}

/* counts the steps of a scenario that penetrate by more than they may */
static void count_penetrating(session *s, int64_t i, const nb_run *run) {
    const int64_t before = s->penetrating.steps;
    if (*run->fault) return;
    nb_penetrating_add(run, &s->penetrating);
    if (s->penetrating.steps == before) return;
    s->penetrating_runs++;
    if (s->penetrating_runs > 1) return;
    s->may_verify = nb_request_may_verify(s->plan->requests[i]) && run->final.particles == 0;
}

/* The tolerance that its steps are held against. Where none was asked for, a method's own counts, with its option;
 * returns whether it does. */
static int name_tolerance(const nb_request *request, char *text, size_t size) {
    static const char option[] = "residual-tolerance";
    const nb_method_class *method = request->choices.method;
    const int place = nb_method_option_place(method, option);
    double values[NB_MAX_OPTIONS];
    if (place < 0 || request->info.newton_tolerance > 0) {
        snprintf(text, size, "%g m/s", nb_run_tolerance(&request->info));
        return 0;
    }
    nb_method_option_values(&request->info, method->options, method->option_count, values);
    snprintf(text, size, "--%s %g m/s", option, values[place]);
    return 1;
}

/* what solves such steps: more passes where these end too early, else `auto`, where it takes law and shapes. Friction
 * limits that follow iterations may never settle, and an exact finish knows how they change. A method with a tolerance
 * of its own ends where iterations stagnate, and more of them are no use. */
static const char *cure(const nb_request *request, const nb_unsolved *unsolved, int own_tolerance) {
    if (2 * unsolved->lagging > unsolved->steps)
        return "friction passes not converged: use more --friction-iterations, or --friction-coupling implicit";
    if (2 * unsolved->infeasible > unsolved->steps)
        return "infeasible: joints, walls or prescribed motion keep bodies in penetration; separate them at the start";
    if (2 * unsolved->wedged > unsolved->steps)
        return "bodies are wedged between contacts that stick, and may have no solution; use a smaller --time-step";
    const int stagnated = 2 * unsolved->stagnated > unsolved->steps;
    if (own_tolerance && stagnated) return "iterations stagnated: use a smaller --time-step";
    if (stagnated && nb_method_option_place(request->choices.method, "rho") >= 0)
        return "iterations stagnated at the smoothing: use a smaller --rho";
    const int takes = !own_tolerance && !nb_friction_has_facets(request->scene.friction_law) &&
                      !request->choices.method->finds_contacts && strcmp(request->info.method, "auto") != 0;
    if (!takes)
        return stagnated ? "iterations stagnated: wedged bodies may have no solution; use a smaller --time-step"
                         : "use more --newton-iterations";
    return nb_method_option_place(request->choices.method, "finish") >= 0
               ? "use --finish exact, or --method auto, which usually converges, in more time"
               : "use --method auto, which usually converges, in more time";
}

/* A line of its own: contacts that a method did not know of. */
static void tell_penetrating(const session *s) {
    const nb_penetrating *p = &s->penetrating;
    char runs[64] = "";
    if (p->steps == 0 || nb_interrupted) return;
    if (s->plan->count > 1)
        snprintf(runs, sizeof runs, " in %lld of %lld runs", (long long)s->penetrating_runs, (long long)s->plan->count);
    nb_print(stderr, "%lld of %lld steps%s end with penetration of up to %.3g m, where a solved one leaves %.3g m; ",
             (long long)p->steps, (long long)p->of, runs, p->worst, p->allowed);
    if (s->may_verify)
        nb_print(stderr, "contacts were not verified: use --verify-contacts %.1g, or a smaller --time-step\n",
                 p->allowed);
    else
        nb_print(stderr, "use a smaller --time-step\n");
}

/* the last line: a run whose steps are not solved is no good scene, whatever its status */
static void tell_unsolved(const session *s) {
    const nb_unsolved *u = &s->unsolved;
    char runs[64] = "", tolerance[64];
    if (!s->first || s->accept_unmet || nb_interrupted) return;
    if (s->exit_status != NB_EXIT_OK && s->exit_status != NB_EXIT_NOT_CONVERGED) return; /* a fault says more */
    if (s->plan->count > 1)
        snprintf(runs, sizeof runs, " in %lld of %lld runs", (long long)s->unsolved_runs, (long long)s->plan->count);
    const int own = name_tolerance(s->first, tolerance, sizeof tolerance);
    nb_print(stderr, "%lld of %lld steps%s not converged to %s (natural map up to %.2g m/s); %s\n", (long long)u->steps,
             (long long)u->of, runs, tolerance, u->worst, cure(s->first, u, own));
}

/* writes and shows a run that came to its end or failed; takes ownership of it */
static nb_status finish_run(session *s, int64_t i, nb_run *run) {
    nb_status status;
    NB_TRY(nb_run_output_write(&s->run_output, run));
    if (s->solution)
        NB_TRY(nb_matrix_market_write_vector(s->solution, run->reaction_count, run->reaction, "solution x"));
    if (s->summary) NB_TRY(nb_summary_print(s->summary, i, run));
    name_settling(s, i, run);
    name_fault(s, i, run);
    name_problem(s, i, run);
    name_start(s, i, run);
    name_remark(s, i, run);
    name_overlap(s, i, run);
    name_limits(s, i, run);
    name_failed_copies(s, i, run);
    name_missing_reference(s, i, run);
    name_two_solutions(s, i, run);
    count_unsolved(s, i, run);
    count_penetrating(s, i, run);
    judge(s, i, run);
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
    nb_progress_pass(&s->bar, i, 0, label);
    nb_status status = nb_isolated_simulate(request, nb_progress_step, &s->bar,
                                            recorded ? s->run_output.checkpoint : NULL, (int32_t)i, run);
    nb_progress_pass_done(&s->bar, status == NB_OK && (*run)->finished);
    if (status == NB_OK && ((*run)->finished || *(*run)->fault)) return NB_OK;
    if (status == NB_OK) nb_progress_run_done(&s->bar, i, "interrupted");
    nb_run_destroy(*run);
    *run = NULL;
    return status == NB_OK ? NB_OK : report_fault(s, i, status);
}

/* One more timed pass over a held run, unless it is interrupted. */
static nb_status repeat_run(session *s, int64_t i) {
    const nb_request *request = s->plan->requests[i];
    char label[256], text[300];
    nb_plan_label(s->plan, i, label, sizeof label);
    snprintf(text, sizeof text, "repetition %d: %s", s->held[i]->repeat_count + 1, label);
    set_threads(&request->info);
    nb_progress_pass(&s->bar, i, 1, text);
    nb_status status = nb_isolated_repeat(request, &s->held[i]);
    nb_progress_pass_done(&s->bar, status == NB_OK);
    if (status == NB_ERROR_INTERRUPTED) return NB_OK;
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

/* A run whose one repetition was interrupted is not for the record yet; a checkpoint has it. */
static nb_status leave_unrepeated(session *s, int64_t i) {
    if (s->run_output.checkpoint) nb_simulate_keep_complete(s->run_output.checkpoint, (int32_t)i, s->held[i]);
    nb_run_destroy(s->held[i]);
    s->held[i] = NULL;
    return NB_OK;
}

/* Warm-ups, the recorded pass, and where there is but one repetition, that too; several wait for all runs.
 *
 * The runs of this first round are made in the order of the command, not in a random one: each is in the record and in
 * the table as soon as it is finished, so that a kill or a power cut costs one run at most and --resume skips the rest.
 * In another order they would have to wait for those before them in the record (whose order tells curves and tables
 * what comes first), half of them on average. The recorded pass just before it is what warms a single repetition up.
 * For timings without drift, two repetitions or more are asked for. */
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
    nb_progress_run_done(&s->bar, i, *s->held[i]->fault ? "failed" : NULL);
    int failed = *s->held[i]->fault != 0; /* it is not made again for its times */
    if (info->repeats > 1 && !failed) return NB_OK;
    if (info->repeats == 1 && !failed) {
        NB_TRY(repeat_run(s, i));
        if (nb_interrupted && s->held[i]->repeat_count == 0) return leave_unrepeated(s, i);
    }
    NB_TRY(finish_held(s, i));
out:
    return status;
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
        nb_shuffle(order, count, &state);
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

nb_status nb_execute(const nb_plan *plan, const nb_output *output, int *exit_status) {
    session s = {.plan = plan,
                 .solution = output->solution,
                 .accept_unmet = output->accept_unmet,
                 .run_output = {output, "run", &s.bar, plan->count, &plan->requests[0]->info, &plan->inputs}};
    nb_status status;
    NB_TRY(NB_ALLOCATE(plan->count, &s.held));
    NB_TRY(NB_ALLOCATE(plan->count, &s.done));
    for (int64_t i = 0; output->made && i < plan->count; i++) {
        s.done[i] = output->made[i];
        s.run_output.count -= s.done[i];
    }
    if (!output->quiet) NB_TRY(nb_summary_create(plan, &s.summary));
    nb_interrupt_catch();
    NB_TRY(nb_run_output_open(&s.run_output, take_finished, &s));
    NB_TRY(nb_progress_begin(&s.bar, plan, s.done));
    for (int64_t i = 0; i < plan->count && !nb_interrupted; i++) NB_TRY(make_run(&s, i));
    NB_TRY(repeat_runs(&s));
out:
    status = nb_run_output_close(&s.run_output, status);
    for (int64_t i = 0; s.held && i < plan->count; i++) nb_run_destroy(s.held[i]);
    nb_free(s.held);
    nb_free(s.done);
    nb_progress_end(&s.bar);
    if (status == NB_OK) tell_penetrating(&s);
    if (status == NB_OK) tell_unsolved(&s);
    nb_summary_destroy(s.summary);
    *exit_status = nb_interrupted ? NB_EXIT_INTERRUPTED : s.exit_status;
    return status;
}
