#include "run/stages.h"

#include <string.h>

#include "base/largest.h"
#include "reason.h"

NB_PRECISIONS(f64);

static nb_status hear_linear(void *context, int32_t iteration, const nb_linear_iterate *iterate) {
    const nb_observer *to = ((const nb_stage_listener *)context)->to;
    return to->linear(to->context, iteration, iterate);
}

static nb_status hear_newton(void *context, const nb_newton_report *report) {
    nb_stage_listener *l = context;
    l->holds = !report->solved;
    if (l->holds) l->held = *report;
    return l->holds ? NB_OK : l->to->newton(l->to->context, report);
}

static nb_status hear_system(void *context, int32_t newton, void *system, const void *problem) {
    const nb_stage_listener *l = context;
    return l->to->system(l->to->context, l->before + newton, system, problem);
}

void nb_stage_listener_start(nb_stage_listener *l, const nb_observer *to) {
    *l = (nb_stage_listener){.to = to, .observer.context = l};
    if (to && to->linear) l->observer.linear = hear_linear;
    if (to && to->newton) l->observer.newton = hear_newton;
    if (to && to->system) l->observer.system = hear_system;
}

nb_status nb_stage_listener_tell(nb_stage_listener *l) {
    return l->holds ? l->to->newton(l->to->context, &l->held) : NB_OK;
}

void nb_stages_add_pass(double row[NB_STEP_COLUMNS], const double next[NB_STEP_COLUMNS]) {
    static const int summed[] = {NB_STEP_NEWTON_ITERATIONS,
                                 NB_STEP_DETECT_S,
                                 NB_STEP_ASSEMBLY_S,
                                 NB_STEP_SETUP_S,
                                 NB_STEP_SOLVE_S,
                                 NB_STEP_STEP_S,
                                 NB_STEP_OPERATOR_APPLICATIONS,
                                 NB_STEP_PRECONDITIONER_APPLICATIONS};
    double joined[NB_STEP_COLUMNS];
    memcpy(joined, next, sizeof joined);
    for (size_t i = 0; i < sizeof summed / sizeof *summed; i++) joined[summed[i]] += row[summed[i]];
    memcpy(row, joined, sizeof joined);
}

void nb_stages_join(double row[NB_STEP_COLUMNS], const double next[NB_STEP_COLUMNS]) {
    double error = next[NB_STEP_NATURAL_MAP_ERROR];
    const double reason = row[NB_STEP_REASON];
    nb_raise(&error, row[NB_STEP_NATURAL_MAP_ERROR]);
    nb_stages_add_pass(row, next);
    row[NB_STEP_NATURAL_MAP_ERROR] = error;
    if (!nb_reason_converged((nb_reason)reason)) row[NB_STEP_REASON] = reason;
}
