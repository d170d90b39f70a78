#include "run/resolve.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "accelerators.h"
#include "base/memory.h"
#include "method/device_step.h"
#include "plugin.h"
#include "registry.h"
#include "run/devices.h"

NB_PRECISIONS(f64);

static const char *scenario_name(const void *table, int i) {
    return ((const nb_scenario_class *const *)table)[i]->name;
}

nb_status nb_scenario_find(const char *name, const nb_scenario_class **scenario) {
    int count = 0;
    while (nb_scenarios[count]) count++;
    int i = nb_name_find(name, count, scenario_name, nb_scenarios);
    if (i < 0) return nb_name_unknown("scenario", name, count, scenario_name, nb_scenarios);
    *scenario = nb_scenarios[i];
    return NB_OK;
}

static const char *listed_name(const void *names, int i) {
    return ((const char *const *)names)[i];
}

/* the index of `name` among `count` names, into *value */
static nb_status choose(const char *kind, const char *name, const char *const *names, int count, int *value) {
    *value = nb_name_find(name, count, listed_name, names);
    return *value < 0 ? nb_name_unknown(kind, name, count, listed_name, names) : NB_OK;
}

static nb_status set_all(const nb_option *options, int count, const char *owner, const nb_setting *settings,
                         int setting_count, double *values) {
    if (count > NB_MAX_OPTIONS) return nb_fail(NB_ERROR_USAGE, "%s has more than %d options", owner, NB_MAX_OPTIONS);
    nb_options_standard(options, count, values);
    for (int i = 0; i < setting_count; i++) {
        nb_status status = nb_options_set(options, count, owner, settings[i].name, settings[i].value, values);
        if (status != NB_OK) return status;
    }
    return NB_OK;
}

static nb_status resolve_scenario(const nb_request *request, nb_choices *choices) {
    nb_status status;
    char owner[NB_NAME_LENGTH + 16];
    if (request->problem_path) {
        choices->scenario = NULL;
        if (request->setting_count == 0 && isnan(request->size)) return NB_OK;
        return nb_fail(NB_ERROR_USAGE, "a problem file has no parameters: --set and --size are for scenarios");
    }
    NB_TRY(nb_scenario_find(request->info.scenario, &choices->scenario));
    const nb_scenario_class *scenario = choices->scenario;
    snprintf(owner, sizeof owner, "scenario '%s'", scenario->name);
    NB_TRY(set_all(scenario->parameters, scenario->parameter_count, owner, request->settings, request->setting_count,
                   choices->parameters));
    if (isnan(request->size)) return NB_OK;
    if (scenario->size_parameter < 0) return nb_fail(NB_ERROR_USAGE, "--size: %s has no size", owner);
    char text[32];
    snprintf(text, sizeof text, "%.17g", request->size);
    NB_TRY(nb_options_set(scenario->parameters, scenario->parameter_count, owner,
                          scenario->parameters[scenario->size_parameter].name, text, choices->parameters));
out:
    return status;
}

int nb_method_takes_solver(const nb_method_class *method, const nb_request *request) {
    return !method->alone || request->linear;
}

static nb_status resolve_method(const nb_request *request, nb_choices *choices) {
    nb_status status;
    char owner[NB_NAME_LENGTH + 32];
    const nb_method_class *method;
    NB_TRY(nb_method_find(request->info.method, &method));
    const nb_plugin_class *plugin = nb_plugin_find(NB_PLUGIN_METHOD, method->name);
    NB_TRY(nb_plugin_check_precision(plugin, strcmp(request->info.precision, "f32") == 0));
    if (strcmp(request->info.precision, "mixed") == 0 && !nb_method_takes_solver(method, request))
        NB_TRY(nb_fail(NB_ERROR_USAGE, "--precision mixed is of linear solvers, and method '%s' takes none",
                       method->name));
    if (plugin && request->friction_ratio != 1)
        NB_TRY(nb_fail(NB_ERROR_UNSUPPORTED, "--friction-ratio is not offered with a plugin's method ('%s')",
                       method->name));
    choices->method = method;
    choices->method_plugin = plugin ? plugin->file : NULL;
    snprintf(owner, sizeof owner, "method '%s'", method->name);
    NB_TRY(set_all(method->options, method->option_count, owner, request->method_options, request->method_option_count,
                   choices->method_values));
out:
    return status;
}

/* What only the Newton method heeds. Others would go on as if it had not been asked for. */
static const struct {
    const char *flag;
    size_t offset;
    int text; /* a name; else the bytes of a number */
    size_t size;
} of_newton[] = {
#define NAME_OF_NEWTON(flag, member) \
    { flag, offsetof(nb_request, member), 1, 0 }
#define NUMBER_OF_NEWTON(flag, member) \
    { flag, offsetof(nb_request, member), 0, sizeof((nb_request *)0)->member }
    NAME_OF_NEWTON("--ncp", info.ncp),
    NAME_OF_NEWTON("--scaling", info.scaling),
    NAME_OF_NEWTON("--form", info.form),
    NAME_OF_NEWTON("--row-scaling", info.row_scaling),
    NAME_OF_NEWTON("--line-search", info.line_search),
    NAME_OF_NEWTON("--finish", info.finish),
    NAME_OF_NEWTON("--regularization-kind", info.regularization_kind),
    NUMBER_OF_NEWTON("--regularization", info.regularization),
    NUMBER_OF_NEWTON("--damping", info.damping),
    NUMBER_OF_NEWTON("--islands", info.islands),
    NUMBER_OF_NEWTON("--limits", limits),
};

static int is_asked(const nb_request *request, const nb_request *standard, size_t option) {
    const char *asked = (const char *)request + of_newton[option].offset;
    const char *usual = (const char *)standard + of_newton[option].offset;
    return of_newton[option].text ? strcmp(asked, usual) != 0 : memcmp(asked, usual, of_newton[option].size) != 0;
}

static int heeds_newton_options(const nb_request *request) {
    return request->linear || strcmp(request->info.method, "newton") == 0;
}

/* refuses what the method would not heed, where it is another than the standard */
static nb_status check_newton_options(const nb_request *request) {
    nb_status status;
    nb_request *standard = NULL; /* too large for the stack */
    if (heeds_newton_options(request)) return NB_OK;
    NB_TRY(NB_ALLOCATE(1, &standard));
    nb_request_standard(standard);
    for (size_t i = 0; i < sizeof of_newton / sizeof *of_newton; i++)
        if (is_asked(request, standard, i))
            NB_TRY(nb_fail(NB_ERROR_USAGE, "%s is for method newton: method '%s' has no use for it", of_newton[i].flag,
                           request->info.method));
out:
    nb_free(standard);
    return status;
}

nb_status nb_request_drop_unheeded(nb_request *request) {
    nb_status status;
    nb_request *standard = NULL;
    if (heeds_newton_options(request)) return NB_OK;
    NB_TRY(NB_ALLOCATE(1, &standard));
    nb_request_standard(standard);
    for (size_t i = 0; i < sizeof of_newton / sizeof *of_newton; i++) {
        size_t size = of_newton[i].text ? NB_NAME_LENGTH : of_newton[i].size;
        memcpy((char *)request + of_newton[i].offset, (char *)standard + of_newton[i].offset, size);
    }
out:
    nb_free(standard);
    return status;
}

static const char *linear_solver_of(const nb_request *request, const nb_choices *choices) {
    return nb_method_linear_solver(choices->method, request->info.linear_solver, choices->scenario != NULL);
}

/* of a solver that takes none, "none" */
static const char *preconditioner_of(const nb_request *request, const nb_choices *choices) {
    if (choices->bare) return "none";
    return nb_method_preconditioner(choices->method, request->info.preconditioner, choices->scenario != NULL);
}

static nb_status resolve_preconditioner(const nb_request *request, nb_choices *choices) {
    nb_status status;
    char owner[NB_NAME_LENGTH + 32];
    const nb_preconditioner_class *preconditioner;
    if (*request->info.preconditioner) /* known it has to be, taken or not */
        NB_TRY(nb_preconditioner_find(request->info.preconditioner, &preconditioner));
    NB_TRY(nb_preconditioner_find(preconditioner_of(request, choices), &preconditioner));
    const nb_plugin_class *plugin = nb_plugin_find(NB_PLUGIN_PRECONDITIONER, preconditioner->name);
    NB_TRY(nb_plugin_check_precision(plugin, strcmp(request->info.precision, "f32") == 0));
    choices->preconditioner_plugin = plugin ? plugin->file : NULL;
    choices->preconditioner_options = preconditioner->options;
    choices->preconditioner_option_count = preconditioner->option_count;
    snprintf(owner, sizeof owner, "preconditioner '%s'", preconditioner->name);
    NB_TRY(set_all(preconditioner->options, preconditioner->option_count, owner, request->preconditioner_options,
                   choices->bare ? 0 : request->preconditioner_option_count, choices->preconditioner_values));
out:
    return status;
}

static nb_status resolve_solver(const nb_request *request, nb_choices *choices) {
    nb_status status;
    const nb_linear_solver_class *solver;
    char owner[NB_NAME_LENGTH + 32];
    int f32 = strcmp(request->info.precision, "f32") == 0;
    NB_TRY(nb_linear_solver_find(linear_solver_of(request, choices), &solver));
    if (strcmp(request->info.precision, "mixed") == 0) NB_TRY(nb_linear_solver_take_mixed(&solver));
    const nb_plugin_class *plugin = nb_plugin_find(NB_PLUGIN_LINEAR_SOLVER, solver->name);
    NB_TRY(nb_plugin_check_precision(plugin, f32));
    choices->solver_plugin = plugin ? plugin->file : NULL;
    choices->bare = !solver->takes_preconditioner;
    choices->solver_options = solver->options;
    choices->solver_option_count = solver->option_count;
    snprintf(owner, sizeof owner, "linear solver '%s'", solver->name);
    NB_TRY(set_all(solver->options, solver->option_count, owner, request->solver_options, request->solver_option_count,
                   choices->solver_values));
out:
    return status;
}

/* whether the method's systems are such as the solver and its preconditioner take */
static nb_status check_symmetry(const nb_request *request, const nb_choices *choices) {
    nb_status status;
    const nb_linear_solver_class *solver;
    const nb_preconditioner_class *preconditioner;
    char message[400];
    if (!choices->method->unsymmetric || request->linear) return NB_OK;
    NB_TRY(nb_linear_solver_find(linear_solver_of(request, choices), &solver));
    NB_TRY(nb_preconditioner_find(preconditioner_of(request, choices), &preconditioner));
    status = nb_check_unsymmetric(solver, preconditioner);
    if (status == NB_OK) return NB_OK;
    snprintf(message, sizeof message, "%s", nb_error_message());
    return nb_fail(status, "method '%s': %s", choices->method->name, message);
out:
    return status;
}

/* runs that a device takes at all */
static nb_status check_runs_on_device(const nb_request *request, const nb_method_settings *settings) {
    const nb_run_info *info = &request->info;
    if (strcmp(info->method, "newton") != 0)
        return nb_fail(NB_ERROR_UNSUPPORTED, "method '%s' is not offered on device %s: newton is", info->method,
                       info->device);
    if (request->problem_path)
        return nb_fail(NB_ERROR_UNSUPPORTED, "device %s takes scenarios, no problem files", info->device);
    if (info->batch > 1 && info->threads > 1 && !settings->whole_steps)
        return nb_fail(NB_ERROR_UNSUPPORTED,
                       "--batch with --threads %d is not offered on device %s: --threads 1 is, or "
                       "--whole-steps on",
                       (int)info->threads, info->device);
    /* a process that CUDA was opened in cannot hand it on to the processes that runs have where plugins are loaded */
    if (settings->device == &nb_device_cuda &&
        (nb_plugin_at(NB_PLUGIN_LINEAR_SOLVER, 0) || nb_plugin_at(NB_PLUGIN_PRECONDITIONER, 0)))
        return nb_fail(NB_ERROR_UNSUPPORTED, "device %s is not offered where plugins are loaded", info->device);
    return NB_OK;
}

/* what a device other than this processor can do: the linear solve, by what is made of products and vectors */
static nb_status check_device(const nb_request *request, const nb_method_settings *settings) {
    const nb_linear_solver_class *solver;
    const nb_preconditioner_class *preconditioner;
    const char *device = request->info.device;
    nb_status status;
    if (settings->whole_steps && !settings->device)
        return nb_fail(NB_ERROR_UNSUPPORTED, "--whole-steps on is for a device such as cuda, not for cpu");
    if (!settings->device) return NB_OK;
    NB_TRY(check_runs_on_device(request, settings));
    NB_TRY(nb_linear_solver_find(settings->linear_solver, &solver));
    NB_TRY(nb_preconditioner_find(settings->preconditioner, &preconditioner));
    if (settings->whole_steps) return nb_device_step_check(settings);
    if (!solver->on_devices)
        return nb_fail(
            NB_ERROR_UNSUPPORTED,
            "linear solver '%s' is not offered on device %s: jacobi, gauss-seidel, pcg, pcr, minres, cholesky are",
            solver->name, device);
    if (solver->takes_preconditioner && !nb_preconditioner_works_on_devices(preconditioner))
        return nb_fail(NB_ERROR_UNSUPPORTED,
                       "preconditioner '%s' is not offered on device %s: none, jacobi, block-jacobi, ssor are",
                       preconditioner->name, device);
    if (settings->stiffness_form || settings->exact_finish)
        return nb_fail(NB_ERROR_UNSUPPORTED, "--%s is not offered on device %s",
                       settings->stiffness_form ? "form stiffness" : "finish exact", device);
out:
    return status;
}

/* combinations that make no sense, in the words of the command line */
static nb_status check_combinations(const nb_request *request, const nb_method_settings *settings) {
    int file = request->problem_path != NULL;
    if (request->linear && (settings->newton_tolerance > 0 || settings->relative_tolerance > 0 ||
                            request->store_systems || request->limits))
        return nb_fail(NB_ERROR_USAGE, "a Matrix Market system has no Newton iterations: its tolerance is "
                                       "--linear-tolerance, and --limits and --store-systems are for other problems");
    if (settings->exact_finish && !file && !settings->frozen_geometry)
        return nb_fail(NB_ERROR_USAGE,
                       "--finish exact needs --geometry frozen: its Jacobian is that of the start of the step");
    if (request->friction_ratio != 1 && (settings->whole_steps || settings->paper_row_scaling))
        return nb_fail(NB_ERROR_UNSUPPORTED, "--friction-ratio is not offered with --%s",
                       settings->whole_steps ? "whole-steps on" : "row-scaling paper");
    if (settings->stiffness_form && settings->islands)
        return nb_fail(NB_ERROR_USAGE, "--islands on is for --form compliance");
    if (settings->stiffness_form && settings->paper_row_scaling)
        return nb_fail(NB_ERROR_USAGE, "--row-scaling paper is for --form compliance");
    if (settings->stiffness_form && file)
        return nb_fail(NB_ERROR_UNSUPPORTED, "--form stiffness needs velocities, which a problem file does not have");
    if (settings->islands && file)
        return nb_fail(NB_ERROR_UNSUPPORTED, "--islands on is for scenarios: a problem file is solved as a whole");
    return NB_OK;
}

static nb_status resolve_settings(const nb_request *request, nb_choices *choices) {
    static const char *const forms[] = {"compliance", "stiffness"}, *const rows[] = {"symmetric", "paper"},
                             *const geometries[] = {"updated", "frozen"}, *const searches[] = {"none", "backtracking"},
                             *const finishes[] = {"none", "exact"}, *const kinds[] = {"relative", "absolute"},
                             *const precisions[] = {"f64", "f32", "mixed"};
    nb_status status;
    const nb_run_info *info = &request->info;
    nb_method_settings *s = &choices->settings;
    int ncp, scaling, precision;
    NB_TRY(choose("NCP function", info->ncp, nb_ncp_function_names, NB_NCP_FUNCTIONS, &ncp));
    NB_TRY(choose("scaling", info->scaling, nb_scaling_names, NB_SCALINGS, &scaling));
    NB_TRY(choose("form", info->form, forms, 2, &s->stiffness_form));
    NB_TRY(choose("row scaling", info->row_scaling, rows, 2, &s->paper_row_scaling));
    NB_TRY(choose("geometry", info->geometry, geometries, 2, &s->frozen_geometry));
    NB_TRY(choose("line search", info->line_search, searches, 2, &s->backtracking));
    NB_TRY(choose("finish", info->finish, finishes, 2, &s->exact_finish));
    NB_TRY(choose("regularization kind", info->regularization_kind, kinds, 2, &s->regularization_absolute));
    NB_TRY(choose("precision", info->precision, precisions, 3, &precision));
    choices->f32 = precision == 1;
    s->mixed = precision == 2;
    NB_TRY(nb_device_find(info->device, &s->device));
    s->ncp = (nb_ncp_function)ncp;
    s->scaling = (nb_ncp_scaling)scaling;
    s->islands = info->islands;
    s->whole_steps = info->whole_steps;
    s->limits = request->limits;
    s->lead_iterations = info->lead;
    s->newton_iterations = info->newton_iterations;
    s->linear_iterations = info->linear_iterations;
    s->newton_tolerance = info->newton_tolerance;
    s->relative_tolerance = request->relative_tolerance;
    s->linear_tolerance = info->linear_tolerance;
    s->damping = info->damping;
    s->regularization = info->regularization;
    s->alpha_minimum = 1e-3;
    s->linear_solver = linear_solver_of(request, choices);
    s->preconditioner = preconditioner_of(request, choices);
    s->linear_solver_values = choices->solver_values;
    s->preconditioner_values = choices->preconditioner_values;
    s->method_values = choices->method_values;
    NB_TRY(check_combinations(request, s));
    NB_TRY(check_device(request, s));
out:
    return status;
}

nb_status nb_request_resolve(const nb_request *request, nb_choices *choices) {
    nb_status status;
    memset(choices, 0, sizeof *choices);
    NB_TRY(resolve_scenario(request, choices));
    NB_TRY(resolve_method(request, choices));
    NB_TRY(check_newton_options(request));
    if (nb_method_takes_solver(choices->method, request)) {
        NB_TRY(resolve_solver(request, choices));
        NB_TRY(resolve_preconditioner(request, choices));
        NB_TRY(check_symmetry(request, choices));
    }
    NB_TRY(resolve_settings(request, choices));
out:
    return status;
}
