#include "run/defaults.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "method.h"
#include "run/method_options.h"

NB_PRECISIONS(f64);

/* of scenes that are ours, and of problem files */
static const nb_paper_steps none = {0};

static const nb_paper_steps *paper_of(const nb_scenario_class *scenario) {
    return scenario && scenario->paper ? scenario->paper : &none;
}

static int is_newton(const nb_method_class *method) {
    return strcmp(method->name, "newton") == 0;
}

static int asks_for_newton(const nb_request *request) {
    const nb_run_info *info = &request->info;
    const nb_method_class *newton = NULL;
    for (int i = 0; nb_methods[i]; i++)
        if (is_newton(nb_methods[i])) newton = nb_methods[i];
    for (int i = 0; newton && i < request->method_option_count; i++)
        if (nb_method_option_place(newton, request->method_options[i].name) >= 0) return 1;
    return *info->linear_solver || *info->preconditioner || request->solver_option_count > 0 ||
           request->preconditioner_option_count > 0 || info->linear_iterations > 0 || info->linear_tolerance > 0 ||
           request->limits || request->store_systems || strcmp(info->linear_norm, "true") != 0 ||
           strcmp(info->device, "cpu") != 0 || strcmp(info->precision, "mixed") == 0;
}

/* a scene file that names no method */
static int is_open(const nb_scenario_class *scenario) {
    return scenario && scenario->file && !scenario->paper->method;
}

const char *nb_default_method(const nb_scenario_class *scenario, const nb_request *request) {
    const char *method = paper_of(scenario)->method;
    if (is_open(scenario) && !asks_for_newton(request)) return "auto";
    return method ? method : "newton";
}

static int is_papers(const nb_scenario_class *scenario, const nb_method_class *method) {
    const nb_paper_steps *paper = paper_of(scenario);
    if (is_open(scenario)) return is_newton(method) || strcmp(method->name, "auto") == 0;
    return paper->method && strcmp(paper->method, method->name) == 0;
}

int32_t nb_default_iterations(const nb_scenario_class *scenario, const nb_method_class *method, const double *values) {
    int32_t iterations = method->newton_iterations;
    int warm;
    if (is_papers(scenario, method) && scenario->paper->iterations > 0) return scenario->paper->iterations;
    if (method->defaults) method->defaults(values, &iterations, &warm);
    if (iterations > 0) return iterations;
    return scenario ? scenario->newton_iterations : NB_PROBLEM_ITERATIONS;
}

int nb_default_warm_start(const nb_scenario_class *scenario, const nb_method_class *method, const double *values) {
    int32_t iterations;
    int warm = method->warm_start;
    if (method->defaults) method->defaults(values, &iterations, &warm);
    return warm || (is_papers(scenario, method) && scenario->paper->warm_start);
}

void nb_default_fill_method(nb_request *request) {
    char *method = request->info.method;
    if (!*method) snprintf(method, NB_NAME_LENGTH, "%s", nb_default_method(request->choices.scenario, request));
}

/* the method's option, unless it is asked for */
static nb_status fill_option(nb_request *request, const char *name, const char *text) {
    for (int i = 0; i < request->method_option_count; i++)
        if (strcmp(request->method_options[i].name, name) == 0) return NB_OK;
    return nb_request_set_option(request, name, text);
}

nb_status nb_default_fill_options(nb_request *request) {
    const nb_scenario_class *scenario = request->choices.scenario;
    char text[32];
    nb_status status = NB_OK;
    if (!is_papers(scenario, request->choices.method)) return NB_OK;
    const char *const(*option)[2] = scenario->paper->options;
    for (int i = 0; option && option[i][0]; i++) NB_TRY(fill_option(request, option[i][0], option[i][1]));
    if (scenario->paper->record_every == 0 || request->info.newton_tolerance > 0) return NB_OK;
    snprintf(text, sizeof text, "%d", (int)scenario->paper->record_every);
    NB_TRY(fill_option(request, request->choices.method->record_every, text));
out:
    return status;
}

static int solves(const nb_method_class *method, nb_friction_law law) {
    return method->friction_laws ? (int)(method->friction_laws >> law & 1) : law == NB_FRICTION_COULOMB;
}

static nb_friction_law law_for(const nb_method_class *method, nb_friction_law law) {
    const nb_friction_law round = nb_friction_is_relaxed(law) ? NB_FRICTION_RELAXED : NB_FRICTION_COULOMB;
    if (solves(method, law)) return law;
    return solves(method, round) ? round : NB_FRICTION_COULOMB;
}

/* A scene file's own settings, but for law and scheme, which its steps say: those of linearised steps where the scheme
 * is the file's, too. */
static void fill_of_file(const nb_scene_settings *own, nb_scene_settings *asked) {
    const int linearised = asked->stepping.scheme != NB_STEPPING_IMPLICIT;
    const nb_scene_setting *setting;
    for (int i = 0; (setting = nb_scene_setting_at(i)) != NULL; i++) {
        if (setting->offset == offsetof(nb_scene_settings, friction_law)) continue;
        if (setting->offset == offsetof(nb_scene_settings, impacts) && asked->integrator <= NB_INTEGRATOR_BE) continue;
        if (setting->linearised && !(linearised && asked->stepping.scheme == own->stepping.scheme)) continue;
        nb_scene_setting_fill(setting, own, asked);
    }
}

void nb_default_fill_steps(nb_request *request) {
    const nb_method_class *method = request->choices.method;
    const nb_scenario_class *scenario = request->choices.scenario;
    const nb_paper_steps *paper = paper_of(scenario);
    nb_scene_settings *asked = &request->scene;
    nb_time_stepping *steps = &asked->stepping;
    const int implicit = method->finds_contacts || method->springs || asked->integrator > NB_INTEGRATOR_BE;
    if (steps->scheme == NB_STEPPING_OPEN) steps->scheme = implicit ? NB_STEPPING_IMPLICIT : paper->time_stepping;
    const int of_file = asked->integrator == NB_INTEGRATOR_OPEN && scenario && scenario->settings;
    if ((of_file ? scenario->settings : asked)->integrator > NB_INTEGRATOR_BE && method->springs &&
        asked->impacts == NB_IMPACTS_OPEN)
        asked->impacts = NB_IMPACTS_INTEGRATOR;
    if (scenario && scenario->settings) fill_of_file(scenario->settings, asked);
    const int linearised = steps->scheme != NB_STEPPING_IMPLICIT;
    if (linearised && isnan(steps->stabilization) && paper->stabilization > 0 && steps->scheme == paper->time_stepping)
        steps->stabilization = paper->stabilization;
    if (linearised && isnan(steps->restitution) && paper->restitution > 0) steps->restitution = paper->restitution;
    if (asked->contacts.model == NB_CONTACTS_OPEN && method->gives_way) asked->contacts.model = NB_CONTACTS_SAP;
    if (asked->friction_law == NB_FRICTION_OPEN && asked->contacts.model > NB_CONTACTS_RIGID)
        asked->friction_law = NB_FRICTION_RELAXED;
    if (asked->friction_law == NB_FRICTION_OPEN) asked->friction_law = law_for(method, paper->friction_law);
    const int faceted = paper->facets > 0 && nb_friction_has_facets(asked->friction_law);
    if (asked->friction_facets == 0) asked->friction_facets = faceted ? paper->facets : NB_FACETS;
    if (request->info.warm_start < 0)
        request->info.warm_start = scenario && nb_default_warm_start(scenario, method, request->choices.method_values);
}
