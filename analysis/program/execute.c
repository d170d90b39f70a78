#include "execute.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "command.h"
#include "exchange/write_matrix_market.h"
#include "executor.h"
#include "file/scene_file.h"
#include "interrupt.h"
#include "method/newton/limits.h"
#include "progress.h"
#include "run/method_options.h"
#include "run/resolve.h"
#include "run_table.h"
#include "statistics/parting.h"
#include "statistics/penetrating.h"
#include "statistics/unsolved.h"
#include "table/outcome.h"
#include "text/plain.h"

NB_PRECISIONS(f64);

/* What is said of runs on standard error: of each when it is made, and of steps that are not solved after the last. */

/* The caller sets what stands above the empty line, and the rest to zero. */
typedef struct run_notes {
    const nb_plan *plan;
    nb_progress_bar *bar; /* where notes go */

    nb_unsolved unsolved; /* of all runs of scenarios made so far */
    int64_t unsolved_runs;
    int joints, coordinates; /* 1: such a run has joints or elements; joints with limits, friction, rotors or efforts */
    const nb_request *first; /* of these; NULL: none */
    nb_penetrating penetrating; /* of the same runs */
    int64_t penetrating_runs;
    nb_parting parting;
    int partings_known; /* 0: not of all runs */
    int may_verify;     /* 1: --verify-contacts is off and would do for the first of these */
} run_notes;

enum {
    MOST_NAMED = 10 /* failed copies, on standard error */
};

/* a run, and what it is called */
typedef struct about {
    const run_notes *notes;
    const nb_request *request;
    const nb_run *run;
    char label[256];
} about;

/* the copies of a batch that did not reach their end, some of them by name */
static void name_failed_copies(const about *a) {
    const nb_run *run = a->run;
    const nb_batch *batch = &run->batch;
    for (int32_t k = 0; k < batch->fault_count && k < MOST_NAMED; k++) {
        nb_fail(NB_ERROR_NUMERIC, "copy %d of the batch, step %d: %s", (int)batch->faults[k].scene,
                (int)batch->faults[k].step, batch->faults[k].text);
        nb_command_report(a->label);
    }
    if (batch->fault_count <= MOST_NAMED) return;
    nb_fail(NB_ERROR_NUMERIC, "%d more copies failed; the record names them all", (int)batch->fault_count - MOST_NAMED);
    nb_command_report(a->label);
}

/* says why a run that asked for true errors has none, and what would give them */
static void name_missing_reference(const about *a) {
    const nb_run *run = a->run;
    double error = run->usage.reference_error;
    if (isnan(error) || run->reference.solution.q) return;
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
    nb_command_report(a->label);
}

/* says that a run that asked for true errors has none, since its last step has several solutions */
static void name_two_solutions(const about *a) {
    const nb_run *run = a->run;
    const nb_reference_solution *reference = &run->reference;
    const nb_solution_taken taken = nb_run_solution(run, NULL);
    if (!(nb_reference_solution_apart(reference) > 0)) return;
    nb_fail(NB_ERROR_NUMERIC,
            "no true errors: the final step has several solutions; those of %s (natural map %.1e m/s) and %s (%.1e) "
            "are %.2g m/s apart, and this run came to %s%s",
            reference->used.method, reference->used.natural_map_error, reference->other.method,
            reference->other.natural_map_error, nb_reference_solution_apart(reference),
            taken == NB_SOLUTION_FIRST || taken == NB_SOLUTION_SECOND ? "the " : "", nb_solution_names[taken]);
    nb_command_report(a->label);
}

/* says that a run begins at a state that some of the steps before did not solve */
static void name_settling(const about *a) {
    const nb_run *run = a->run;
    if (!(run->usage.settle_unsolved > 0)) return;
    nb_settle_fault(run->usage.settle_unsolved, (double)run->info.settle * run->info.batch, run->info.settle_tolerance,
                    run->usage.settle_error);
    nb_command_report(a->label);
}

/* a run that failed, by name on standard error: the record holds what came before */
static void name_fault(const about *a) {
    const nb_run *run = a->run;
    if (!*run->fault) return;
    nb_fail(NB_ERROR_NUMERIC, "%s", run->fault);
    nb_command_report(a->label);
}

/* what the accuracy limits that were asked for do not mean, on standard error */
static void name_limits(const about *a) {
    const nb_run *run = a->run;
    const nb_request *request = a->request;
    double rows = nb_run_last(run, NB_STEP_ROWS), error = nb_run_last(run, NB_STEP_NATURAL_MAP_ERROR);
    double root = strcmp(request->info.precision, "f32") == 0 ? sqrt((double)FLT_EPSILON) : sqrt(DBL_EPSILON);
    if (!request->limits || !(rows > 0)) return;
    if (isnan(nb_run_last(run, NB_STEP_LIMIT_NORM_A)))
        nb_progress_note(
            a->notes->bar,
            "%s: no accuracy limits (NaN): the last system has %.0f rows, more than the %d of a dense inverse",
            a->label, rows, NB_LIMITS_MOST_ROWS);
    else if (!(error <= root))
        nb_progress_note(
            a->notes->bar,
            "%s: the accuracy limits are taken at an error of %.2g m/s, and say little before it is %.2g m/s", a->label,
            error, root);
}

/* whether an earlier run of the plan is of the same scene with the same friction */
static int is_said(const about *a) {
    const nb_choices *own = &a->request->choices;
    for (int64_t i = 0; a->notes->plan->requests[i] != a->request; i++) {
        const nb_choices *other = &a->notes->plan->requests[i]->choices;
        if (other->scenario == own->scenario && other->parameters[0] == own->parameters[0]) return 1;
    }
    return 0;
}

/* says once of a scene file that friction left out makes its contacts frictionless */
static void name_friction(const about *a) {
    const nb_choices *choices = &a->request->choices;
    const char *words = choices->scenario && choices->scenario->file
                            ? nb_scene_file_friction(choices->scenario, choices->parameters)
                            : "";
    if (*words && !is_said(a)) nb_progress_note(a->notes->bar, "%s: %s", choices->scenario->name, words);
}

/* on standard error: what is to be known of a problem's file, what is wrong with the scene as it begins, what the
 * method says of the last step */
static void name_words(const about *a) {
    const nb_run *run = a->run;
    nb_progress_bar *bar = a->notes->bar;
    if (*run->problem_words) nb_progress_note(bar, "%s: %s", a->label, run->problem_words);
    if (*run->start_words)
        nb_progress_note(bar, "%s: %s; the first step corrects this at once", a->label, run->start_words);
    name_friction(a);
    if (*run->remark && !*run->fault) nb_progress_note(bar, "%s: %s", a->label, run->remark);
}

/* how many steps end with more overlap than they may have, on standard error */
static void name_overlap(const about *a) {
    const nb_run *run = a->run;
    const double allowed = a->request->scene.verify_contacts;
    double worst = 0;
    int count = 0;
    for (int32_t k = 0; isfinite(allowed) && k < run->step_count; k++) {
        const double overlap = run->steps[(int64_t)k * NB_STEP_COLUMNS + NB_STEP_VERIFY_OVERLAP];
        count += overlap > allowed;
        worst = fmax(worst, overlap);
    }
    if (count == 0) return;
    nb_progress_note(a->notes->bar, "%s: %d of %d steps overlap by more than --verify-contacts %g, by up to %.3g m",
                     a->label, count, (int)run->step_count, allowed, worst);
}

/* counts the steps of a scenario that are not solved */
static void count_unsolved(run_notes *n, const about *a) {
    const int64_t before = n->unsolved.steps;
    if (!a->request->subject->has_steps) return;
    nb_unsolved_add(a->run, &n->unsolved);
    if (n->unsolved.steps == before) return;
    n->unsolved_runs++;
    n->joints |= a->run->final.bilaterals > 0 || a->run->final.particles > 0;
    n->coordinates |= a->run->final.coordinate_rows > 0;
    if (!n->first) n->first = a->request;
}

/* counts the steps of a scenario that penetrate by more than they may */
static void count_penetrating(run_notes *n, const about *a) {
    const int64_t before = n->penetrating.steps;
    nb_penetrating_add(a->run, &n->penetrating);
    if (n->penetrating.steps == before) return;
    n->penetrating_runs++;
    if (n->penetrating_runs > 1) return;
    n->may_verify = nb_request_may_verify(a->request) && a->run->final.particles == 0;
}

/* Notes on run `i` of the plan. */
static void add_notes(run_notes *n, int64_t i, const nb_run *run) {
    about a = {n, n->plan->requests[i], run, ""};
    nb_plan_label(n->plan, i, a.label, sizeof a.label);
    name_settling(&a);
    name_fault(&a);
    name_words(&a);
    name_overlap(&a);
    name_limits(&a);
    name_failed_copies(&a);
    name_missing_reference(&a);
    name_two_solutions(&a);
    if (*run->fault) return; /* it says more */
    count_unsolved(n, &a);
    count_penetrating(n, &a);
    n->partings_known = nb_parting_add(&n->parting, run) == NB_OK && n->partings_known;
}

/* ---- after the last run ---- */

/* The tolerance that its steps are held against. Where none was asked for, a method's own counts, with its option;
 * returns whether it does. */
static int name_tolerance(const nb_request *request, char *text, size_t size) {
    const nb_method_class *method = request->choices.method;
    const double *values = request->choices.method_values;
    const int own = method->own_tolerance && method->why_unused(values, "newton-tolerance");
    const char *option = own ? method->own_tolerance : method->tolerance;
    if (!option || request->info.newton_tolerance > 0) {
        snprintf(text, size, "%g m/s", nb_run_tolerance(&request->info));
        return 0;
    }
    snprintf(text, size, "--%s %g%s", option, values[nb_method_option_place(method, option)], own ? "" : " m/s");
    return 1;
}

/* Prints what solves such steps: more passes where these end too early, else `auto`, where it takes law and shapes.
 * Friction limits that follow iterations may never settle, and an exact finish knows how they change, where joints are
 * frozen. A method with
 * a tolerance of its own ends where iterations stagnate, and more of them are no use. */
static void print_cure(const run_notes *n, int own_tolerance) {
    const nb_request *request = n->first;
    const nb_unsolved *unsolved = &n->unsolved;
    const int stagnated = 2 * unsolved->stagnated > unsolved->steps;
    const int takes_auto = !own_tolerance && !nb_friction_has_facets(request->scene.friction_law) &&
                           !nb_contact_model_is_field(request->scene.contacts.model) &&
                           !request->choices.method->finds_contacts && strcmp(request->info.method, "auto") != 0;
    const int exact = !n->joints || request->choices.geometry == NB_GEOMETRY_FROZEN;
    const char *own = exact ? nb_method_advice(&request->info, NB_SHORT_OF_ITERATIONS) : NULL, *cure = NULL;
    if (2 * unsolved->lagging > unsolved->steps)
        cure = nb_method_advice(&request->info, NB_SHORT_LAGGED);
    else if (n->coordinates && 2 * unsolved->infeasible > unsolved->steps)
        cure = "infeasible: joints, their limits, rigid motors and contacts contradict each other; correct limits and "
               "targets, or give motors an effort";
    else if (2 * unsolved->joints > unsolved->steps)
        cure =
            "joints have the largest error: correct anchors and frames that do not fit together, give them compliance, "
            "or use a smaller --time-step";
    else if (2 * unsolved->infeasible > unsolved->steps)
        cure = "infeasible: joints, walls or prescribed motion keep bodies in penetration; separate them at the start";
    else if (2 * unsolved->wedged > unsolved->steps)
        cure = "bodies are wedged between contacts that stick, and may have no solution; use a smaller --time-step";
    else if (own_tolerance && stagnated)
        cure = "iterations stagnated: use a smaller --time-step";
    else if (stagnated)
        cure = nb_method_advice(&request->info, NB_SHORT_STAGNATED);
    if (!cure && !takes_auto)
        cure = stagnated ? "iterations stagnated: wedged bodies may have no solution; use a smaller --time-step"
                         : "use more --newton-iterations";
    if (cure)
        nb_print(stderr, "%s\n", cure);
    else
        nb_print(stderr, "use %s%s--method auto, which usually converges, in more time\n", own ? own : "",
                 own ? ", or " : "");
}

/* " in 2 of 5 runs", where there are several */
static void name_runs(const run_notes *n, int64_t count, char text[64]) {
    *text = '\0';
    if (n->plan->count > 1) snprintf(text, 64, " in %lld of %lld runs", (long long)count, (long long)n->plan->count);
}

/* A line of its own: contacts that a method did not know of. */
static void tell_penetrating(const run_notes *n) {
    const nb_penetrating *p = &n->penetrating;
    char runs[64];
    if (p->steps == 0) return;
    name_runs(n, n->penetrating_runs, runs);
    nb_print(stderr, "%lld of %lld steps%s end with penetration of up to %.3g m, where a solved one leaves %.3g m; ",
             (long long)p->steps, (long long)p->of, runs, p->worst, p->allowed);
    if (n->may_verify)
        nb_print(stderr, "contacts were not verified: use --verify-contacts %.1g, or a smaller --time-step\n",
                 p->allowed);
    else
        nb_print(stderr, "use a smaller --time-step\n");
}

/* such runs solve other problems from there on */
static void tell_parting(const run_notes *n) {
    if (n->parting.runs == 0 || !n->partings_known) return;
    nb_print(stderr,
             "%lld of %lld runs leave the trajectory of the first run of their scene, from step %d on: later steps are "
             "other problems; compare solvers from one state, --from RECORD --steps 1\n",
             (long long)n->parting.runs, (long long)n->plan->count, (int)n->parting.first);
}

/* a run whose steps are not solved is no good scene, whatever its status */
static void tell_unsolved(const run_notes *n) {
    const nb_unsolved *u = &n->unsolved;
    char runs[64], tolerance[64];
    if (!n->first) return;
    name_runs(n, n->unsolved_runs, runs);
    if (n->first->info.reference_linear && n->first->info.newton_tolerance == 0) { /* a study of linear solves */
        nb_print(stderr,
                 "%lld of %lld steps%s ended at the limit of %d Newton iterations, as asked for; the linear solves "
                 "have energy "
                 "errors: compare --to energy:1e-6\n",
                 (long long)u->steps, (long long)u->of, runs, (int)n->first->info.newton_iterations);
        return;
    }
    const int own = name_tolerance(n->first, tolerance, sizeof tolerance);
    nb_print(stderr, "%lld of %lld steps%s not converged to %s (natural map up to %.2g m/s); ", (long long)u->steps,
             (long long)u->of, runs, tolerance, u->worst);
    print_cure(n, own);
}

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
    run_notes notes;
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
        NB_TRY(nb_matrix_market_write_array(s->solution, run->reaction_count / run->step_count, run->step_count,
                                            run->reaction, "solution x"));
    if (s->table) NB_TRY(nb_run_table_add(s->table, i, s->plan->requests[i], run, &solved));
    add_notes(&s->notes, i, run);
    judge(s, i, run);
out:
    return status;
}

/* ---- what the executor asks for ---- */

/* Each run whose repetition follows at once is a unit. The runs are made in the order of the command, not in a
 * random one: each is in the record and in the table as soon as it is finished, so that a kill or a power cut costs
 * one run at most and --resume skips the rest. In another order they would have to wait for those before them in
 * the record (whose order tells curves and tables what comes first), half of them on average. The recorded pass
 * just before it is what warms a single repetition up. For timings without drift, two repetitions or more are asked
 * for: such runs are one unit, the last. */
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
        if (s->plan->shards > 0) job->run->sweep_run = (int32_t)s->plan->runs[job->number].number + 1;
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
    s.notes = (run_notes){.plan = plan, .bar = &s.bar, .partings_known = 1};
    nb_executor executor = {.context = &s,
                            .jobs = output->jobs > 1 ? output->jobs : 1,
                            .isolated = output->isolated,
                            .bar = &s.bar,
                            .open = open_unit,
                            .close = close_unit,
                            .close_interrupted = 1,
                            .dropped = report_fault};
    nb_status status;
    if (plan->shards > 0) s.run_output.sweep = &plan->sweep;
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
    if (status == NB_OK && !nb_interrupted) tell_parting(&s.notes);
    if (status == NB_OK && !nb_interrupted) tell_penetrating(&s.notes);
    nb_parting_clear(&s.notes.parting);
    if (status == NB_OK && !nb_interrupted && may_tell) tell_unsolved(&s.notes);
    nb_run_table_destroy(s.table);
    *exit_status = nb_interrupted ? NB_EXIT_INTERRUPTED : s.exit_status;
    return status;
}
