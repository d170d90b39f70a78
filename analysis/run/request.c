#include "run/request.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void nb_request_standard(nb_request *request) {
    *request = (nb_request){.size = NAN, .linear_history = 1, .scene = nb_scene_settings_open()};
    nb_run_info *info = &request->info;
    const struct {
        char *field;
        const char *name;
    } names[] = {
        {info->device, "cpu"}, {info->precision, "f64"}, {info->linear_norm, "true"}, {info->geometry, "joints"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        snprintf(names[i].field, NB_NAME_LENGTH, "%s", names[i].name);
    info->settle_tolerance = NB_SETTLE_TOLERANCE;
    info->threads = 1;
    info->warm_start = -1;
    info->repeats = 1;
    info->seed = 1;
    info->batch = 1;
    info->batch_perturbation = 1e-6;
}

nb_scene_settings nb_request_scene(const nb_request *request) {
    const nb_scene_settings standard = nb_scene_settings_standard();
    return nb_scene_settings_filled(&request->scene, &standard);
}

nb_status nb_request_set_option(nb_request *request, const char *name, const char *value) {
    int i = 0;
    while (i < request->method_option_count && strcmp(request->method_options[i].name, name) != 0) i++;
    if (i == NB_MAX_SETTINGS) return nb_fail(NB_ERROR_USAGE, "more than %d options of the method", NB_MAX_SETTINGS);
    if (strlen(name) >= NB_NAME_LENGTH || strlen(value) >= NB_NAME_LENGTH)
        return nb_fail(NB_ERROR_USAGE, "'%.80s=%.80s' is too long", name, value);
    snprintf(request->method_options[i].name, NB_NAME_LENGTH, "%s", name);
    snprintf(request->method_options[i].value, NB_NAME_LENGTH, "%s", value);
    if (i == request->method_option_count) request->method_option_count++;
    return NB_OK;
}

nb_status nb_settle_fault(double unsolved, double steps, double tolerance, double worst) {
    return nb_fail(
        NB_ERROR_NUMERIC,
        "--settle: %.0f of %.0f steps not converged to --settle-tolerance %g m/s (natural map up to %.2g m/s)",
        unsolved, steps, tolerance, worst);
}
