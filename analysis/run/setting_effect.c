#include "run/setting_effect.h"

#include <string.h>

#include "base/named_values.h"
#include "registry.h"
#include "run/defaults.h"
#include "run/method_options.h"

NB_PRECISIONS(f64);

/* "linear-iterations" is "linear_iterations" */
static int is(const char *name, const char *attribute) {
    return nb_name_is(attribute, name, strlen(name));
}

static int is_one_of(const char *name, const char *const *attributes) {
    while (*attributes && !is(name, *attributes)) attributes++;
    return *attributes != NULL;
}

static int is_of_preconditioner(const char *name) {
    return is(name, "preconditioner") || is(name, "preconditioner_option") || strncmp(name, "preconditioner.", 15) == 0;
}

static const nb_linear_solver_class *solver_of(const nb_run_info *info) {
    const nb_linear_solver_class *solver;
    for (int i = 0; (solver = nb_linear_solver_at(i)) != NULL; i++)
        if (strcmp(solver->name, info->linear_solver) == 0) return solver;
    return NULL;
}

/* a direct solver does not iterate; with "none" the method brings its own */
static const char *ignoring_solver(const nb_run_info *info, const char *name) {
    static const char *const iterating[] = {"linear_iterations", "linear_tolerance", "linear_norm", NULL};
    int preconditioner = is_of_preconditioner(name);
    if (!preconditioner && !is_one_of(name, iterating)) return NULL;
    if (strcmp(info->linear_solver, "none") == 0) return info->method;
    const nb_linear_solver_class *solver = solver_of(info);
    if (!solver || (preconditioner ? solver->takes_preconditioner : !solver->direct)) return NULL;
    return info->linear_solver;
}

static const nb_method_class *method_of(const nb_run_info *info) {
    const nb_method_class *method;
    for (int i = 0; (method = nb_method_at(i)) != NULL; i++)
        if (strcmp(method->name, info->method) == 0) return method;
    return NULL;
}

static int is_of_methods(const char *name) {
    const nb_method_class *owner;
    return nb_method_option_find(name, &owner) != NULL;
}

/* Whether it is an option that another method has, or one that others of the method's options leave without effect; by
 * what. */
static int is_ignored_by_method(const nb_run_info *info, const char *name, const char **why) {
    static const char prefix[] = "method.";
    const nb_method_class *method = method_of(info);
    const char *own = strncmp(name, prefix, sizeof prefix - 1) == 0 ? name + sizeof prefix - 1 : name;
    int place = method ? nb_method_option_place(method, own) : -1;
    double values[NB_MAX_OPTIONS];
    /* one that is not in the tables may have an option of any name */
    *why = info->method;
    if (place < 0) return (method || own == name) && is_of_methods(own);
    if (!method->why_ignored) return 0;
    nb_method_option_values(info, method->options, method->option_count, values);
    *why = method->why_ignored(values, place);
    return *why != NULL;
}

/* a parameter and a value of it */
typedef struct question {
    const char *name, *value;
    int yes;
} question;

static nb_status answer(void *context, const nb_named_value *parameter) {
    question *q = context;
    q->yes |= strcmp(parameter->name, q->name) == 0 && strcmp(parameter->text, q->value) == 0;
    return NB_OK;
}

static int has(const nb_run_info *info, const char *name, const char *value) {
    question q = {name, value, 0};
    return nb_named_values_read(info->parameters, answer, &q) == NB_OK && q.yes;
}

/* stages have the torque of their end */
static const char *ignoring_gyroscopic(const nb_run_info *info) {
    for (int i = NB_INTEGRATOR_BE + 1; i < NB_INTEGRATORS; i++)
        if (has(info, "integrator", nb_integrator_names[i])) return "an integrator with stages";
    return NULL;
}

/* a setting of the scene that another one leaves without effect */
static const char *ignoring_scene(const nb_run_info *info, const char *name) {
    if (is(name, "friction_direction") && has(info, "friction-ratio", "1")) return "friction-ratio 1";
    if (is(name, "gyroscopic_torque")) return ignoring_gyroscopic(info);
    if (!is(name, "facets")) return NULL;
    if (has(info, "friction-law", "coulomb")) return "friction-law coulomb";
    return has(info, "friction-law", "relaxed") ? "friction-law relaxed" : NULL;
}

const char *nb_info_why_ignored(const nb_run_info *info, const char *name) {
    const char *why;
    if ((is(name, "batch_perturbation") || is(name, "batch_seeds")) && info->batch <= 1) return "batch 1";
    if (is(name, "settle_tolerance") && info->settle == 0) return "settle 0";
    if (is(name, "batch_perturbation") && info->batch_seeds) return "batch-seeds on";
    if (is_ignored_by_method(info, name, &why)) return why;
    why = ignoring_scene(info, name);
    if (why) return why;
    if (is(name, "linear_norm") && !(info->linear_tolerance > 0)) return "linear-tolerance 0";
    const nb_method_class *method = method_of(info);
    if (is(name, "geometry") && method && method->finds_contacts) return info->method; /* it has its own */
    return ignoring_solver(info, name);
}

int nb_info_uses(const nb_run_info *info, const char *name) {
    return nb_info_why_ignored(info, name) == NULL;
}

const char *nb_request_why_ignored(const nb_request *request, const char *name) {
    static const char *const iterating[] = {"newton_iterations", "newton_tolerance", NULL};
    if (!request->linear) return nb_info_why_ignored(&request->info, name);
    if (is_of_methods(name) || is_one_of(name, iterating)) return "a linear system";
    return ignoring_solver(&request->info, name);
}

int nb_request_uses(const nb_request *request, const char *name) {
    return nb_request_why_ignored(request, name) == NULL;
}

int nb_info_starts_as_usual(const nb_run_info *info) {
    const nb_method_class *method = method_of(info);
    const nb_scenario_class *scenario = NULL;
    for (int i = 0; nb_scenarios[i] && !scenario; i++)
        if (strcmp(nb_scenarios[i]->name, info->scenario) == 0) scenario = nb_scenarios[i];
    return info->warm_start == (method && nb_default_warm_start(scenario, method));
}
