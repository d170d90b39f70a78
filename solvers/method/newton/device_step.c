#include "device_step.h"

#include <tgmath.h>

#include "base/clock.h"
#include "base/memory.h"
#include "device.h"
#include "measure/iterate.h"
#include "polish.h"

NB_PRECISIONS(f32, f64);

/* what happened in iteration k, and its share of the time of all */
static void add_iteration(const nb_newton_report *report, nb_step_outcome *outcome) {
    outcome->solve_s += report->solve_s;
    outcome->operator_applications += report->values[NB_COLUMN_OPERATOR_APPLICATIONS];
    outcome->newton_iterations++;
}

/* Measures the iterate that the problem holds; the reason to stop there, if any. */
static void measure_iterate(nb_problem *p, const nb_method_settings *settings, nb_measure *measure, double scale,
                            nb_newton_report *report, nb_step_outcome *outcome) {
    nb_measure_iterate(measure, p, &outcome->errors);
    nb_measure_report(p, &outcome->errors, report);
    report->values[NB_POLISH_COLUMN] = 0;
    if (nb_measure_diverged(&outcome->errors, scale)) outcome->reason = NB_REASON_DIVERGED;
    if (nb_measure_converged(&outcome->errors, settings)) outcome->reason = NB_REASON_CONVERGED;
}

nb_status nb_device_step_build(nb_problem *p, const nb_method_settings *settings, const nb_device_step_way *way,
                               nb_device_step *step) {
    double start = nb_clock_seconds();
    *step = (nb_device_step){.type = settings->device->NB_REAL_NAME(step)};
    nb_status status = step->type->build(step->type->runtime, p, settings, way, &step->made);
    step->seconds = nb_clock_seconds() - start;
    return status;
}

nb_status nb_device_step_launch(nb_device_step *const *steps, int32_t count) {
    nb_status status;
    void **made = NULL;
    double start = nb_clock_seconds();
    if (count == 0) return NB_OK;
    NB_TRY(NB_ALLOCATE(count, &made));
    for (int32_t i = 0; i < count; i++) made[i] = steps[i]->made;
    NB_TRY(steps[0]->type->launch(steps[0]->type->runtime, made, count));
    double share = (nb_clock_seconds() - start) / count;
    for (int32_t i = 0; i < count; i++) steps[i]->seconds += share;
out:
    nb_free(made);
    return status;
}

void nb_device_step_clear(nb_device_step *step) {
    if (step->type) step->type->destroy(step->made);
    *step = (nb_device_step){0};
}

nb_status nb_device_step_read(const nb_device_step *step, nb_problem *p, const nb_method_settings *settings,
                              nb_measure *measure, const nb_observer *observer, nb_newton_report *report,
                              nb_step_outcome *outcome) {
    nb_status status = NB_OK;
    int32_t count = settings->newton_iterations;
    double scale = INFINITY; /* not known yet */
    measure_iterate(p, settings, measure, scale, report, outcome);
    p->type->evaluate(p, NULL);
    scale = nb_measure_start_scale(p, &outcome->errors);
    for (int32_t k = 0; k < count && outcome->reason == NB_REASON_NONE; k++) {
        nb_columns_begin_solves(report);
        step->type->take(step->made, k, p, report);
        report->solve_s = step->seconds / count;
        report->values[NB_COLUMN_LINEAR_RESIDUAL] = NAN;
        for (int i = NB_COLUMN_UNKNOWNS; i < NB_COLUMN_OWN; i++) report->values[i] = NAN;
        add_iteration(report, outcome);
        if (observer && observer->newton) NB_TRY(observer->newton(observer->context, report));
        measure_iterate(p, settings, measure, scale, report, outcome);
    }
out:
    return status;
}
