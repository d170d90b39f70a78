#include "verified_step.h"

#include <math.h>
#include <stdio.h>

#include "base/clock.h"
#include "constraint/step.h"
#include "measure/iterate.h"

NB_PRECISIONS(f32, f64);

/* ---- rounds are told as one step: the state after the last iteration of each but the last round is left out ---- */

typedef struct listener {
    const nb_observer *to;
    int32_t before; /* iterations of the rounds before */
    int holds;      /* 1: `held` is what was told last */
    nb_newton_report held;
} listener;

static nb_status on_linear_iterate(void *context, int32_t iteration, const nb_linear_iterate *iterate) {
    const nb_observer *to = ((const listener *)context)->to;
    return to->linear(to->context, iteration, iterate);
}

static nb_status on_newton_report(void *context, const nb_newton_report *report) {
    listener *l = context;
    l->holds = !report->solved;
    if (l->holds) l->held = *report;
    return l->holds ? NB_OK : l->to->newton(l->to->context, report);
}

static nb_status on_system(void *context, int32_t newton, void *system, const void *problem) {
    const listener *l = context;
    return l->to->system(l->to->context, l->before + newton, system, problem);
}

static nb_observer observer_of(listener *l) {
    const nb_observer *to = l->to;
    return (nb_observer){.context = l,
                         .linear = to && to->linear ? on_linear_iterate : NULL,
                         .newton = to && to->newton ? on_newton_report : NULL,
                         .system = to && to->system ? on_system : NULL};
}

/* ---- the step ---- */

/* what a round took comes on top of the rounds before */
static void add_round(const nb_step_outcome *before, nb_step_outcome *outcome) {
    outcome->newton_iterations += before->newton_iterations;
    outcome->assembly_s += before->assembly_s;
    outcome->setup_s += before->setup_s;
    outcome->solve_s += before->solve_s;
    outcome->operator_applications += before->operator_applications;
    outcome->preconditioner_applications += before->preconditioner_applications;
}

/* ---- on the way ---- */

/* a step's verification on the way to its solution */
typedef struct early {
    double most; /* [m] */
    nb_verification *v;
} early;

/* the error at which most of what a solution overlaps by is there to see [m/s] */
static double near_of(double most, const nb_problem *p) {
    return most / (double)p->h;
}

static nb_status detect_early(void *context, nb_problem *p, nb_measure *measure, int *changed) {
    const early *e = context;
    nb_status status = NB_OK;
    nb_overlap overlap;
    const double start = nb_clock_seconds();
    *changed = 0;
    NB_TRY(nb_measure_verify(measure, p, e->most, NB_VERIFY_TURNING, &overlap));
    *changed = overlap.added + overlap.renewed > 0;
    e->v->contacts += overlap.added + overlap.renewed;
    e->v->look_s += nb_clock_seconds() - start;
out:
    return status;
}

/* after the last round nothing comes in */
static nb_status detect(nb_problem *p, nb_measure *measure, double most, nb_verification *v, int *again) {
    const double start = nb_clock_seconds();
    nb_overlap overlap;
    const nb_verify_mode mode = v->rounds < NB_VERIFY_ROUNDS ? NB_VERIFY_TAKE : NB_VERIFY_ONLY;
    nb_status status = nb_measure_verify(measure, p, most, mode, &overlap);
    if (status != NB_OK) return status;
    *again = overlap.added + overlap.renewed > 0;
    v->contacts += overlap.added + overlap.renewed;
    v->overlap = overlap.excess;
    v->look_s += nb_clock_seconds() - start;
    return NB_OK;
}

static void describe_overlap(double most, const nb_verification *v, nb_step_outcome *outcome) {
    if (v->overlap > most && !*outcome->remark)
        snprintf(outcome->remark, sizeof outcome->remark,
                 "two bodies overlap by %.3g m after %d rounds; --verify-contacts %g", v->overlap, (int)v->rounds,
                 most);
}

nb_status nb_verified_step(nb_method *method, nb_problem *p, nb_measure *measure, double most,
                           const nb_observer *observer, nb_step_outcome *outcome, nb_verification *v) {
    nb_status status;
    listener l = {.to = observer};
    const nb_observer own = observer_of(&l);
    int again;
    v->rounds = v->contacts = 0;
    v->overlap = NAN;
    v->look_s = 0;
    method->halfway = &(nb_halfway){detect_early, &(early){most, v}, near_of(most, p)};
    status = method->type->step(method, p, measure, &own, outcome);
    method->halfway = NULL;
    if (status != NB_OK) return status;
    while (outcome->reason != NB_REASON_DIVERGED && isfinite(outcome->errors.natural_map)) {
        const nb_step_outcome before = *outcome;
        NB_TRY(detect(p, measure, most, v, &again));
        if (!again) break;
        v->rounds++;
        l.before = outcome->newton_iterations;
        NB_TRY(method->type->step(method, p, measure, &own, outcome));
        add_round(&before, outcome);
    }
    describe_overlap(most, v, outcome);
    if (l.holds) NB_TRY(observer->newton(observer->context, &l.held));
out:
    return status;
}
