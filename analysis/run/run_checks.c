#include "run/run_checks.h"

#include <math.h>
#include <string.h>

#include "base/named_values.h"
#include "measure/infeasibility.h"
#include "measure/start_errors.h"
#include "registry.h"
#include "run/method_options.h"
#include "run/request.h"

NB_PRECISIONS(f64);

static nb_status note_start(void *context, const nb_named_value *parameter) {
    *(int *)context |= strcmp(parameter->name, "from") == 0;
    return NB_OK;
}

nb_check_premises nb_run_check_premises(const nb_run_info *info) {
    static const char *const beyond[] = {"static-mu", "viscous-friction"}; /* of methods whose contacts are springs */
    nb_check_premises premises = {.tolerance = fmax(info->newton_tolerance, 0)};
    const nb_method_class *method;
    double values[NB_MAX_OPTIONS];
    (void)nb_named_values_read(info->parameters, note_start, &premises.elsewhere);
    if (nb_method_find(info->method, &method) != NB_OK || !method->springs) return premises;
    premises.springs = 1;
    nb_method_option_values(info, method->options, method->option_count, values);
    for (size_t i = 0; i < sizeof beyond / sizeof *beyond; i++) {
        const int place = nb_method_option_place(method, beyond[i]);
        premises.beyond_cone |= place >= 0 && values[place] > 0;
    }
    return premises;
}

/* the step that is farthest beyond what it may leave */
static void look_at_penetration(const double *row, double *depth, double *allowed) {
    const double deepest = row[NB_STEP_MAX_PENETRATION], most = row[NB_STEP_PENETRATION_ALLOWED];
    if (!(deepest - most > *depth - *allowed)) return;
    *depth = deepest;
    *allowed = most;
}

void nb_run_check_steps(const nb_run *run, const double *last, const nb_scenario_class *scenario,
                        const nb_world *initial, nb_checks *checks) {
    const double share = NB_PENETRATION_SHARE * initial->settings.contact_margin;
    double depth = 0, allowed = INFINITY;
    if (!isnan(run->usage.start_penetration)) {
        nb_check *start =
            nb_checks_add_below(checks, "penetration at the start", "m", run->usage.start_penetration, share);
        nb_check_presupposes(start, !scenario->begins_jammed, "bodies begin apart");
        if (initial->joint_count > 0) {
            nb_checks_add_below(checks, "joint error at the start", "m", run->usage.start_joint_error, share);
            nb_checks_add_below(checks, "joint rotation error at the start", "rad", run->usage.start_joint_turn,
                                NB_START_TURN);
        }
    }
    for (int32_t k = 0; k < run->step_count; k++)
        look_at_penetration(run->steps + (int64_t)k * NB_STEP_COLUMNS, &depth, &allowed);
    if (last) look_at_penetration(last, &depth, &allowed);
    if (isfinite(allowed)) nb_checks_add_below(checks, "deepest penetration of all steps", "m", depth, allowed);
}
