#include "run/resolve.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "accelerators.h"
#include "base/memory.h"
#include "plugin/plugin.h"
#include "registry.h"
#include "run/defaults.h"
#include "run/devices.h"
#include "run/find_scenario.h"
#include "run/method_options.h"
#include "run/start_state.h"

NB_PRECISIONS(f64);

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

static nb_status resolve_scenario(nb_request *request) {
    nb_status status;
    nb_choices *choices = &request->choices;
    char owner[NB_NAME_LENGTH + 16];
    if (!request->subject->has_steps) {
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

/* Whether the request's linear solver and preconditioner are used: all methods but those that bring their own, and all
 * linear systems, take them. */
static int takes_solver(const nb_method_class *method, const nb_request *request) {
    return !method->alone || !request->subject->has_contacts;
}

/* A setting of the method's options, of which some may be for others: these go on as if it had not been given, where it
 * is their standard anyway, and on linear systems. */
static nb_status set_method_option(nb_request *request, const char *owner, const nb_setting *setting) {
    nb_status status;
    nb_choices *choices = &request->choices;
    const nb_method_class *method = choices->method, *other;
    int own = nb_method_option_place(method, setting->name);
    const nb_option *option = own < 0 ? nb_method_option_find(setting->name, &other) : &method->options[own];
    double value;
    if (!option)
        return nb_options_set(method->options, method->option_count, owner, setting->name, setting->value,
                              choices->method_values);
    NB_TRY(nb_options_set(option, 1, owner, option->name, setting->value,
                          own < 0 ? &value : &choices->method_values[own]));
    if (own < 0 && value != option->standard && request->subject->has_contacts)
        status =
            nb_fail(NB_ERROR_USAGE, "--%s requires --method %s (got '%s')", option->name, other->name, method->name);
out:
    return status;
}

static int computes_limits(const nb_method_class *method) {
    return method->limits;
}

/* bounds that the method does not compute */
static nb_status check_limits(const nb_request *request, const nb_method_class *method) {
    char names[256];
    if (!request->limits || method->limits || !request->subject->has_contacts) return NB_OK;
    nb_method_names(computes_limits, names, sizeof names);
    return nb_fail(NB_ERROR_USAGE, "--limits requires --method %s (got '%s')", names, method->name);
}

static nb_status resolve_method(nb_request *request) {
    nb_status status;
    nb_choices *choices = &request->choices;
    char owner[NB_NAME_LENGTH + 32];
    const nb_method_class *method;
    nb_default_fill_method(request);
    NB_TRY(nb_method_find(request->info.method, &method));
    const nb_plugin_class *plugin = nb_plugin_find(NB_PLUGIN_METHOD, method->name);
    NB_TRY(nb_plugin_check_precision(plugin, strcmp(request->info.precision, "f32") == 0));
    if (strcmp(request->info.precision, "mixed") == 0 && !takes_solver(method, request))
        NB_TRY(nb_fail(NB_ERROR_USAGE, "--precision mixed requires a method with linear systems (got '%s')",
                       method->name));
    if (plugin && nb_request_scene(request).friction_ratio != 1)
        NB_TRY(nb_fail(NB_ERROR_UNSUPPORTED, "a plugin's method ('%s') does not support --friction-ratio other than 1",
                       method->name));
    if (method->tolerance) request->info.newton_tolerance = 0; /* has no effect (setting_effect.h) */
    choices->method = method;
    choices->method_plugin = plugin ? plugin->file : NULL;
    snprintf(owner, sizeof owner, "method '%s'", method->name);
    NB_TRY(set_all(method->options, method->option_count, owner, NULL, 0, choices->method_values));
    NB_TRY(nb_default_fill_options(request));
    for (int i = 0; i < request->method_option_count; i++)
        NB_TRY(set_method_option(request, owner, &request->method_options[i]));
    NB_TRY(check_limits(request, method));
out:
    return status;
}

/* what was left open, from the scenario or as a file takes it */
static void fill_open(nb_request *request) {
    nb_run_info *info = &request->info;
    const nb_scenario_class *scenario = request->choices.scenario;
    if (info->time_step == 0) info->time_step = scenario ? scenario->time_step : 1;
    if (info->steps == 0) info->steps = scenario ? scenario->steps : 1;
    if (info->newton_iterations == 0)
        info->newton_iterations =
            nb_default_iterations(scenario, request->choices.method, request->choices.method_values);
    if (info->whole_steps == NB_WHOLE_STEPS_TRAJECTORY && info->newton_tolerance == 0)
        info->newton_tolerance = request->choices.method->trajectory_tolerance;
    if (info->linear_iterations == 0)
        info->linear_iterations = scenario ? scenario->linear_iterations : NB_PROBLEM_ITERATIONS;
}

static void name_as(const char *text, char name[NB_NAME_LENGTH]) {
    snprintf(name, NB_NAME_LENGTH, "%s", text);
}

/* of a solver that takes none (`bare`) it becomes "none", whatever was asked for */
static nb_status resolve_preconditioner(nb_request *request, int bare) {
    nb_status status;
    nb_choices *choices = &request->choices;
    char *name = request->info.preconditioner;
    char owner[NB_NAME_LENGTH + 32];
    const nb_preconditioner_class *preconditioner;
    if (*name) NB_TRY(nb_preconditioner_find(name, &preconditioner)); /* known it has to be, taken or not */
    if (bare) name_as("none", name);
    if (!*name) name_as(nb_method_preconditioner(choices->method, choices->scenario != NULL), name);
    NB_TRY(nb_preconditioner_find(name, &preconditioner));
    const nb_plugin_class *plugin = nb_plugin_find(NB_PLUGIN_PRECONDITIONER, preconditioner->name);
    NB_TRY(nb_plugin_check_precision(plugin, strcmp(request->info.precision, "f32") == 0));
    choices->preconditioner_plugin = plugin ? plugin->file : NULL;
    choices->preconditioner_options = preconditioner->options;
    choices->preconditioner_option_count = preconditioner->option_count;
    snprintf(owner, sizeof owner, "preconditioner '%s'", preconditioner->name);
    NB_TRY(set_all(preconditioner->options, preconditioner->option_count, owner, request->preconditioner_options,
                   bare ? 0 : request->preconditioner_option_count, choices->preconditioner_values));
out:
    return status;
}

static nb_status resolve_solver(nb_request *request) {
    nb_status status;
    nb_choices *choices = &request->choices;
    const nb_linear_solver_class *solver;
    char owner[NB_NAME_LENGTH + 32];
    char *name = request->info.linear_solver;
    int f32 = strcmp(request->info.precision, "f32") == 0;
    if (!*name) name_as(nb_method_linear_solver(choices->method, choices->scenario != NULL), name);
    NB_TRY(nb_linear_solver_find(name, &solver));
    if (strcmp(request->info.precision, "mixed") == 0) NB_TRY(nb_linear_solver_take_mixed(&solver));
    const nb_plugin_class *plugin = nb_plugin_find(NB_PLUGIN_LINEAR_SOLVER, solver->name);
    NB_TRY(nb_plugin_check_precision(plugin, f32));
    choices->solver_plugin = plugin ? plugin->file : NULL;
    choices->solver_options = solver->options;
    choices->solver_option_count = solver->option_count;
    snprintf(owner, sizeof owner, "linear solver '%s'", solver->name);
    NB_TRY(set_all(solver->options, solver->option_count, owner, request->solver_options, request->solver_option_count,
                   choices->solver_values));
    NB_TRY(resolve_preconditioner(request, !solver->takes_preconditioner));
out:
    return status;
}

/* whether the method's systems are such as the solver and its preconditioner take */
static nb_status check_symmetry(const nb_request *request) {
    nb_status status;
    const nb_choices *choices = &request->choices;
    const nb_linear_solver_class *solver;
    const nb_preconditioner_class *preconditioner;
    char message[400];
    if (!choices->method->unsymmetric || !request->subject->has_contacts) return NB_OK;
    NB_TRY(nb_linear_solver_find(request->info.linear_solver, &solver));
    NB_TRY(nb_preconditioner_find(request->info.preconditioner, &preconditioner));
    status = nb_check_unsymmetric(solver, preconditioner);
    if (status == NB_OK) return NB_OK;
    snprintf(message, sizeof message, "%s", nb_error_message());
    return nb_fail(status, "method '%s': %s", choices->method->name, message);
out:
    return status;
}

static int method_on_devices(const nb_method_class *method) {
    return method->on_devices;
}

static int makes_trajectories(const nb_method_class *method) {
    return method->trajectories != NULL;
}

static int solver_on_devices(const nb_linear_solver_class *solver) {
    return solver->on_devices;
}

/* fails: this is not offered on the device, and `names` are */
static nb_status not_on_device(const char *kind, const char *name, const char *device, const char *names) {
    return nb_fail(NB_ERROR_UNSUPPORTED, "%s '%s' does not support device %s; use %s", kind, name, device, names);
}

/* runs that a device takes at all */
static nb_status check_runs_on_device(const nb_request *request, const nb_method_settings *settings) {
    const nb_run_info *info = &request->info;
    int (*const offered)(const nb_method_class *) =
        info->whole_steps == NB_WHOLE_STEPS_TRAJECTORY ? makes_trajectories : method_on_devices;
    char names[256];
    if (!offered(request->choices.method)) {
        nb_method_names(offered, names, sizeof names);
        return not_on_device("method", info->method, info->device, names);
    }
    if (!request->subject->has_steps)
        return nb_fail(NB_ERROR_UNSUPPORTED, "device %s does not support problem files; use device cpu", info->device);
    if (info->batch > 1 && info->threads > 1 && !settings->whole_steps)
        return nb_fail(NB_ERROR_UNSUPPORTED,
                       "--batch with --threads %d does not support device %s; use --threads 1 or --whole-steps on",
                       (int)info->threads, info->device);
    /* a process that CUDA was opened in cannot hand it on to the processes that runs have where plugins are loaded */
    if (settings->device == &nb_device_cuda && nb_plugins_loaded())
        return nb_fail(NB_ERROR_UNSUPPORTED, "device %s does not support plugins", info->device);
    return NB_OK;
}

/* a norm of the tolerance that the solver does not measure, or the device not in whole steps */
static nb_status check_norm(const nb_request *request, const nb_method_settings *settings) {
    nb_status status = NB_OK;
    const nb_linear_solver_class *solver;
    const char *norm = request->info.linear_norm;
    if (!(settings->linear.tolerance > 0)) return NB_OK;
    if (settings->whole_steps && settings->linear.norm != NB_NORM_NATURAL)
        return nb_fail(NB_ERROR_UNSUPPORTED,
                       "--whole-steps with --linear-tolerance requires --linear-norm natural (got '%s')", norm);
    if (settings->linear.norm == NB_NORM_TRUE || !takes_solver(request->choices.method, request)) return NB_OK;
    NB_TRY(nb_linear_solver_find(settings->linear_solver, &solver));
    if (solver->true_norm_only)
        status = nb_fail(NB_ERROR_UNSUPPORTED, "linear solver '%s' does not support --linear-norm %s; use true",
                         solver->name, norm);
out:
    return status;
}

/* what a device other than this processor can do: the linear solve, by what is made of products and vectors */
static nb_status check_device(const nb_request *request, const nb_method_settings *settings) {
    const nb_linear_solver_class *solver;
    const nb_preconditioner_class *preconditioner;
    const char *device = request->info.device;
    char names[512];
    nb_status status;
    if (settings->whole_steps && !settings->device)
        return nb_fail(NB_ERROR_UNSUPPORTED, "--whole-steps requires a device such as cuda (got 'cpu')");
    if (!settings->device) return NB_OK;
    NB_TRY(check_runs_on_device(request, settings));
    NB_TRY(nb_linear_solver_find(settings->linear_solver, &solver));
    NB_TRY(nb_preconditioner_find(settings->preconditioner, &preconditioner));
    if (settings->whole_steps) return NB_OK; /* which the method looks at */
    if (!solver->on_devices) {
        nb_linear_solver_names(solver_on_devices, names, sizeof names);
        return not_on_device("linear solver", solver->name, device, names);
    }
    if (solver->takes_preconditioner && !nb_preconditioner_works_on_devices(preconditioner)) {
        nb_preconditioner_names(nb_preconditioner_works_on_devices, names, sizeof names);
        return not_on_device("preconditioner", preconditioner->name, device, names);
    }
out:
    return status;
}

/* whether the solutions that linear iterates are held against can be made */
static nb_status check_reference_linear(const nb_request *request) {
    const nb_run_info *info = &request->info;
    if (!info->reference_linear) return NB_OK;
    if (request->choices.f32)
        return nb_fail(NB_ERROR_USAGE, "--reference-linear on requires --precision f64 or mixed (got 'f32')");
    if (!request->linear_history)
        return nb_fail(NB_ERROR_USAGE, "--reference-linear on requires --linear-history on (got 'off')");
    if (info->whole_steps)
        return nb_fail(NB_ERROR_USAGE, "--reference-linear on requires --whole-steps off (got 'on')");
    if (!takes_solver(request->choices.method, request))
        return nb_fail(NB_ERROR_USAGE, "--reference-linear on requires a method with linear systems (got '%s')",
                       request->choices.method->name);
    return NB_OK;
}

static nb_status resolve_plain(nb_request *request) {
    static const char *const precisions[] = {"f64", "f32", "mixed"};
    static const char *const norms[NB_LINEAR_NORMS] = {
        [NB_NORM_TRUE] = "true", [NB_NORM_PRECONDITIONED] = "preconditioned", [NB_NORM_NATURAL] = "natural"};
    nb_status status;
    nb_choices *choices = &request->choices;
    int precision, geometry;
    NB_TRY(nb_name_choose("linear-norm", request->info.linear_norm, norms, NB_LINEAR_NORMS, &choices->norm));
    NB_TRY(nb_name_choose("geometry", request->info.geometry, nb_geometry_names, NB_GEOMETRIES, &geometry));
    NB_TRY(nb_name_choose("precision", request->info.precision, precisions, 3, &precision));
    if (request->scene.stepping.scheme != NB_STEPPING_IMPLICIT)
        geometry = NB_GEOMETRY_FROZEN;
    else if (choices->method->finds_contacts && geometry == NB_GEOMETRY_JOINTS)
        geometry = NB_GEOMETRY_UPDATED;
    choices->geometry = (nb_geometry)geometry;
    name_as(nb_geometry_names[geometry], request->info.geometry);
    choices->f32 = precision == 1;
    choices->mixed = precision == 2;
    NB_TRY(nb_device_find(request->info.device, &choices->device));
    NB_TRY(check_reference_linear(request));
out:
    return status;
}

nb_status nb_request_resolve(nb_request *request) {
    nb_status status;
    memset(&request->choices, 0, sizeof request->choices);
    request->subject = nb_subject_of(request->problem_path);
    NB_TRY(resolve_scenario(request));
    NB_TRY(resolve_method(request));
    nb_default_fill_steps(request);
    if (takes_solver(request->choices.method, request)) {
        NB_TRY(resolve_solver(request));
        NB_TRY(check_symmetry(request));
    } else {
        name_as("none", request->info.linear_solver);
        name_as("none", request->info.preconditioner);
    }
    NB_TRY(resolve_plain(request));
    fill_open(request);
out:
    return status;
}

nb_method_settings nb_request_settings(const nb_request *request) {
    const nb_run_info *info = &request->info;
    const nb_choices *choices = &request->choices;
    return (nb_method_settings){
        .device = choices->device,
        .mixed = choices->mixed,
        .whole_steps = info->whole_steps,
        .limits = request->limits,
        .reference_linear = info->reference_linear,
        .newton_iterations = info->newton_iterations,
        .linear = {info->linear_iterations, info->linear_tolerance, (nb_linear_norm)choices->norm},
        .lead_iterations = choices->method->finds_contacts ? 0 : info->lead,
        .lead_exact = info->lead_exact,
        .newton_tolerance = info->newton_tolerance,
        .relative_tolerance = request->info.relative_tolerance,
        .linear_solver = info->linear_solver,
        .preconditioner = info->preconditioner,
        .linear_solver_values = choices->solver_values,
        .preconditioner_values = choices->preconditioner_values,
        .values = choices->method_values};
}

/* a batch that is not offered */
/* a state that the run cannot begin with */
static nb_status check_start(const nb_request *request) {
    const nb_start_state *start = request->start;
    if (!start) return NB_OK;
    if (request->info.batch > 1)
        return nb_fail(NB_ERROR_USAGE,
                       "--from requires --batch 1 (got %d): each copy of a batch has a different initial state",
                       (int)request->info.batch);
    if (strcmp(start->scenario, request->info.scenario) == 0) return NB_OK;
    return nb_fail(NB_ERROR_INPUT, "--from '%.200s': its run is of scenario '%s', not '%s'", request->from,
                   start->scenario, request->info.scenario);
}

/* what copies that a device takes through their steps cannot be */
static nb_status check_trajectories(const nb_request *request) {
    const nb_run_info *info = &request->info;
    const char *needs = info->batch <= 1                                   ? "--batch 2 or more"
                        : info->batch_seeds                                ? "--batch-seeds off"
                        : request->choices.geometry == NB_GEOMETRY_UPDATED ? "--geometry joints or frozen"
                        : info->warm_start > 1                             ? "--warm-start on or off"
                        : info->lead > 0                                   ? "--lead 0"
                                                                           : NULL;
    if (info->whole_steps != NB_WHOLE_STEPS_TRAJECTORY || !needs) return NB_OK;
    return nb_fail(NB_ERROR_USAGE, "--whole-steps trajectory requires %s", needs);
}

static nb_status check_batch(const nb_request *request) {
    const nb_run_info *info = &request->info;
    const nb_choices *choices = &request->choices;
    int has_plugin = choices->solver_plugin || choices->preconditioner_plugin || choices->method_plugin;
    if (info->batch <= 1) return NB_OK;
    if ((int64_t)info->batch * info->steps > NB_BATCH_MOST_STEPS)
        return nb_fail(NB_ERROR_USAGE, "--batch %d of %d steps each: more than %d steps in all are not kept in memory",
                       (int)info->batch, (int)info->steps, (int)NB_BATCH_MOST_STEPS);
    if (has_plugin && info->threads > 1)
        return nb_fail(NB_ERROR_USAGE, "--batch %d with --threads %d does not support plugins; use --threads 1",
                       (int)info->batch, (int)info->threads);
    return NB_OK;
}

/* whether the method solves the law of friction, and contacts that are fields */
static int solves(const nb_method_class *method, const nb_scene_settings *scene) {
    return (int)(method->friction_laws >> scene->friction_law & 1) &&
           (method->gives_way || !nb_contact_model_is_field(scene->contacts.model));
}

/* a law of friction that the method does not solve */
static nb_status check_friction_law(const nb_request *request) {
    const nb_method_class *method;
    const int gives = request->scene.contacts.model > NB_CONTACTS_RIGID;
    char names[256] = "";
    if (request->scene.friction_law == NB_FRICTION_COULOMB &&
        (!request->subject->has_contacts || !request->choices.method->friction_laws))
        return NB_OK;
    if (!request->subject->has_contacts)
        return nb_fail(NB_ERROR_USAGE, "--friction-law requires contacts, which a linear system does not have");
    if (nb_friction_has_facets(request->scene.friction_law) && (request->info.reference || request->info.lead > 0))
        return nb_fail(NB_ERROR_UNSUPPORTED, "--%s does not support --friction-law %s",
                       request->info.lead > 0 ? "lead" : "reference on",
                       nb_friction_law_names[request->scene.friction_law]);
    if (solves(request->choices.method, &request->scene)) return NB_OK;
    for (int i = 0; (method = nb_method_at(i)) != NULL; i++)
        if (solves(method, &request->scene) &&
            (!method->gives_way || nb_contact_model_is_regular(request->scene.contacts.model))) {
            size_t used = strlen(names);
            snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", method->name);
        }
    return nb_fail(NB_ERROR_UNSUPPORTED, "method '%s' does not support --%s %s; use --method %s",
                   request->choices.method->name, gives ? "contact-model" : "friction-law",
                   gives ? nb_contact_model_names[request->scene.contacts.model]
                         : nb_friction_law_names[request->scene.friction_law],
                   names);
}

/* what contacts that give way cannot be */
static nb_status check_contact_model(const nb_request *request) {
    const nb_scene_settings *scene = &request->scene;
    if (scene->contacts.model <= NB_CONTACTS_RIGID && request->choices.method->gives_way)
        return nb_fail(NB_ERROR_UNSUPPORTED,
                       "method '%s' does not support --contact-model rigid; use --contact-model sap",
                       request->choices.method->name);
    if (scene->contacts.model <= NB_CONTACTS_RIGID) return NB_OK;
    const char *needs = scene->friction_law != NB_FRICTION_RELAXED       ? "--friction-law relaxed"
                        : scene->stepping.scheme != NB_STEPPING_IMPLICIT ? "--time-stepping implicit"
                        : scene->integrator > NB_INTEGRATOR_BE           ? "--integrator be"
                        : scene->contact_compliance > 0                  ? "--contact-compliance 0"
                        : scene->relax > NB_RELAX_OFF && scene->contacts.model != NB_CONTACTS_SPRING ? "--relax off"
                        : isfinite(scene->verify_contacts) ? "--verify-contacts off"
                        : scene->contacts.no_slip_sweeps > 0 && request->choices.geometry == NB_GEOMETRY_UPDATED
                            ? "--geometry joints or frozen with --noslip"
                        : nb_contact_model_is_field(scene->contacts.model) && request->info.lead > 0 ? "--lead 0"
                        : nb_contact_model_is_field(scene->contacts.model) && request->info.reference
                            ? "--reference off"
                            : NULL;
    if (!needs) return NB_OK;
    return nb_fail(NB_ERROR_USAGE, "--contact-model %s requires %s", nb_contact_model_names[scene->contacts.model],
                   needs);
}

/* what is of implicit steps alone */
static nb_status check_stepping(const nb_request *request) {
    const nb_integrator integrator = request->scene.integrator;
    if (integrator > NB_INTEGRATOR_BE && request->scene.stepping.scheme != NB_STEPPING_IMPLICIT)
        return nb_fail(NB_ERROR_USAGE, "--integrator %s requires --time-stepping implicit",
                       nb_integrator_names[integrator]);
    if (integrator <= NB_INTEGRATOR_BE && request->scene.impacts > NB_IMPACTS_OPEN)
        return nb_fail(NB_ERROR_USAGE, "--impacts requires --integrator tr, bdf2, tr-bdf2, sdirk2 or decoupled-tr");
    if (integrator > NB_INTEGRATOR_BE && request->info.whole_steps)
        return nb_fail(NB_ERROR_UNSUPPORTED, "--whole-steps does not support --integrator %s; use be",
                       nb_integrator_names[integrator]);
    return NB_OK;
}

/* what steps that are verified at their end cannot be */
static nb_status check_verification(const nb_request *request) {
    const nb_choices *choices = &request->choices;
    const nb_method_class *method = choices->method;
    if (!isfinite(request->scene.verify_contacts)) return NB_OK;
    if (request->scene.stepping.scheme != NB_STEPPING_IMPLICIT)
        return nb_fail(NB_ERROR_USAGE, "--verify-contacts requires --time-stepping implicit (got '%s')",
                       nb_stepping_names[request->scene.stepping.scheme]);
    if (request->scene.integrator > NB_INTEGRATOR_BE)
        return nb_fail(NB_ERROR_USAGE, "--verify-contacts requires --integrator be (got '%s')",
                       nb_integrator_names[request->scene.integrator]);
    if (method->finds_contacts || method->springs)
        return nb_fail(NB_ERROR_UNSUPPORTED, "--verify-contacts does not support method '%s', whose contacts %s",
                       method->name, method->springs ? "are springs" : "are its own");
    if (choices->geometry == NB_GEOMETRY_UPDATED)
        return nb_fail(NB_ERROR_USAGE, "--verify-contacts requires --geometry joints or frozen (got 'updated')");
    if (request->scene.contact_compliance > 0)
        return nb_fail(NB_ERROR_USAGE, "--verify-contacts requires --contact-compliance 0 (got %g)",
                       request->scene.contact_compliance);
    if (request->info.whole_steps)
        return nb_fail(NB_ERROR_USAGE, "--verify-contacts requires --whole-steps off (got 'on')");
    if (request->info.reference)
        return nb_fail(NB_ERROR_USAGE, "--verify-contacts requires --reference off (got 'on')");
    return NB_OK;
}

/* what steps that are made of small ones cannot be */
static nb_status check_substeps(const nb_request *request) {
    const nb_scene_settings *scene = &request->scene;
    const nb_method_class *method = request->choices.method;
    const int relaxes = scene->relax > NB_RELAX_OFF;
    const char *what = relaxes ? "--relax on" : "--substeps";
    if (!relaxes && scene->substeps <= 1) return NB_OK;
    if (scene->integrator > NB_INTEGRATOR_BE)
        return nb_fail(NB_ERROR_USAGE, "%s requires --integrator be (got '%s')", what,
                       nb_integrator_names[scene->integrator]);
    if (isfinite(scene->verify_contacts))
        return nb_fail(NB_ERROR_USAGE, "%s requires --verify-contacts off (got %g)", what, scene->verify_contacts);
    if (request->info.whole_steps) return nb_fail(NB_ERROR_USAGE, "%s requires --whole-steps off (got 'on')", what);
    if (method->finds_contacts || (relaxes && method->springs))
        return nb_fail(NB_ERROR_UNSUPPORTED, "%s does not support method '%s', whose contacts %s", what, method->name,
                       method->springs ? "are springs" : "are its own");
    return NB_OK;
}

/* whose steps have iterates of one problem, with one set of contacts */
static nb_status check_iterates(const nb_request *request) {
    const nb_scene_settings *scene = &request->scene;
    const nb_method_class *method = request->choices.method;
    const char *needs = request->frame_interval == 0           ? "--store-states"
                        : scene->integrator > NB_INTEGRATOR_BE ? "--integrator be"
                        : scene->substeps > 1                  ? "--substeps 1"
                        : scene->relax > NB_RELAX_OFF          ? "--relax off"
                        : isfinite(scene->verify_contacts)     ? "--verify-contacts off"
                                                               : NULL;
    if (!request->store_iterates) return NB_OK;
    if (needs) return nb_fail(NB_ERROR_USAGE, "--store-iterates requires %s", needs);
    if (method->finds_contacts || method->springs)
        return nb_fail(NB_ERROR_UNSUPPORTED,
                       "--store-iterates does not support method '%s', whose contacts change within a step",
                       method->name);
    return NB_OK;
}

int nb_request_may_verify(const nb_request *request) {
    nb_request verified = *request;
    verified.scene.verify_contacts = 1;
    return !isfinite(request->scene.verify_contacts) && check_verification(&verified) == NB_OK &&
           check_substeps(&verified) == NB_OK;
}

nb_status nb_request_check(const nb_request *request) {
    nb_status status;
    const nb_choices *choices = &request->choices;
    nb_method_settings settings = nb_request_settings(request);
    const nb_method_scene scene = {!request->subject->has_steps, choices->geometry, nb_request_scene(request)};
    if (!request->subject->has_contacts &&
        (settings.newton_tolerance > 0 || settings.relative_tolerance > 0 || request->store_systems || request->limits))
        return nb_fail(NB_ERROR_USAGE,
                       "a Matrix Market system has no Newton iterations: use --linear-tolerance, without "
                       "--limits and --store-systems");
    NB_TRY(check_contact_model(request));
    NB_TRY(check_friction_law(request));
    NB_TRY(check_stepping(request));
    NB_TRY(check_verification(request));
    NB_TRY(check_substeps(request));
    NB_TRY(check_iterates(request));
    NB_TRY(check_norm(request, &settings));
    NB_TRY(check_device(request, &settings));
    if (choices->method->check) NB_TRY(choices->method->check(&settings, &scene));
    NB_TRY(check_trajectories(request));
    NB_TRY(check_batch(request));
    NB_TRY(check_start(request));
out:
    return status;
}
