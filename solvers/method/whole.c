#include "method/whole.h"

#include <tgmath.h>

#include "base/clock.h"
#include "device.h"
#include "newton.h"

/* what happened in iteration k, and its share of the time of all */
static void add_iteration(const nb_newton_report *report, nb_step_outcome *outcome) {
    outcome->solve_s += report->solve_s;
    outcome->operator_applications += report->operator_applications;
    outcome->newton_iterations++;
}

/* Measures the iterate that the problem holds; the reason to stop there, if any. */
static void look(nb_problem *p, const nb_method_settings *settings, nb_measure *measure, double *u, double *z,
                 nb_newton_report *report, nb_step_outcome *outcome) {
    *report = (nb_newton_report){0};
    nb_newton_measure(p, measure, u, z, &outcome->errors);
    nb_newton_report_errors(p, &outcome->errors, report);
    if (!isfinite(outcome->errors.natural_map)) outcome->reason = NB_REASON_DIVERGED;
    if (nb_newton_converged(settings, &outcome->errors)) outcome->reason = NB_REASON_CONVERGED;
}

nb_status nb_whole_iterate(nb_problem *p, const nb_method_settings *settings, nb_measure *measure, double *u, double *z,
                           const nb_observer *observer, nb_newton_report *report, nb_step_outcome *outcome) {
    nb_status status = NB_OK;
    const nb_whole_class *class = settings->device->NB_REAL_NAME(whole);
    void *made = NULL;
    int32_t count = settings->newton_iterations;
    look(p, settings, measure, u, z, report, outcome);
    if (outcome->reason != NB_REASON_NONE) return NB_OK;
    double start = nb_clock_seconds();
    NB_TRY(class->run(p, settings, &made));
    double share = (nb_clock_seconds() - start) / count;
    for (int32_t k = 0; k < count && outcome->reason == NB_REASON_NONE; k++) {
        class->take(made, k, p, report);
        report->solve_s = share;
        report->linear_residual = NAN;
        report->solved = 1;
        add_iteration(report, outcome);
        if (observer && observer->newton) NB_TRY(observer->newton(observer->context, report));
        look(p, settings, measure, u, z, report, outcome);
    }
out:
    class->destroy(made);
    return status;
}
