#include "run/setting_effect.h"

#include <stdio.h>
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

/* what stands behind the prefix "method." or another; NULL: it has another one */
static const char *behind(const char *prefix, const char *name) {
    const size_t length = strlen(prefix);
    return strncmp(name, prefix, length) == 0 ? name + length : NULL;
}

static const nb_ignored not_ignored;

/* `remedy` NULL: another value of the setting that `by` begins with */
static nb_ignored ignored_by(const char *by, const char *remedy) {
    nb_ignored ignored;
    snprintf(ignored.by, sizeof ignored.by, "%s", by);
    if (remedy)
        snprintf(ignored.remedy, sizeof ignored.remedy, "%s", remedy);
    else
        snprintf(ignored.remedy, sizeof ignored.remedy, "another --%.*s", (int)strcspn(by, " "), by);
    return ignored;
}

/* ---- by another setting ---- */

static const char linearised[] = "--time-stepping anitescu-hart or tasora";

/* A setting that one value of another leaves without effect, or all values but one: "!be". */
static const struct {
    const char *name, *other, *value, *remedy; /* NULL: another value of `other` */
} pairs[] = {
    {"settle_tolerance", "settle", "0", NULL},
    {"batch_perturbation", "batch", "1", NULL},
    {"batch_perturbation", "batch-seeds", "1", NULL},
    {"batch_seeds", "batch", "1", NULL},
    {"lead_exact", "lead", "0", NULL},
    {"warmup", "repeat", "0", NULL},
    {"friction_direction", "friction-ratio", "1", NULL},
    {"impacts", "integrator", "be", NULL},
    {"gyroscopic_torque", "integrator", "!be", NULL}, /* stages have the torque of their end */
    {"facets", "friction-law", "coulomb", NULL},
    {"facets", "friction-law", "relaxed", NULL},
    {"contact_margin", "active-set", "!all", NULL},
    {"stabilization", "time-stepping", "implicit", linearised},
    {"recovery_speed", "time-stepping", "implicit", linearised},
    {"recovery_speed", "stabilization", "0", NULL},
    {"active_set", "time-stepping", "implicit", linearised},
    {"restitution", "time-stepping", "implicit", linearised},
    {"linear_tolerance", "method.forcing", "!fixed", NULL},
    {"preconditioner.blocks", "method.form", "!compliance", NULL},
    {"preconditioner.update", "method.form", "!stiffness", NULL},
};

/* a parameter that is looked for, and its text */
typedef struct search {
    const char *name;
    char *text; /* [NB_NAME_LENGTH] */
    int found;
} search;

static nb_status match(void *context, const nb_named_value *parameter) {
    search *s = context;
    if (!is(parameter->name, s->name)) return NB_OK;
    snprintf(s->text, NB_NAME_LENGTH, "%s", parameter->text);
    s->found = 1;
    return NB_OK;
}

/* the setting as text; 0: the run has none of this name */
static int find_text(const nb_run_info *info, const char *name, char text[NB_NAME_LENGTH]) {
    search s = {name, text, 0};
    for (int i = 0; i < nb_run_info_members.count; i++) {
        if (!is(name, nb_run_info_members.items[i].name)) continue;
        nb_member_text(&nb_run_info_members.items[i], info, 6, text, NB_NAME_LENGTH);
        return 1;
    }
    return nb_named_values_read(info->parameters, match, &s) == NB_OK && s.found;
}

static nb_ignored by_another(const nb_run_info *info, const char *name) {
    char text[NB_NAME_LENGTH], by[2 * NB_NAME_LENGTH];
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        const char *value = pairs[i].value, *other = pairs[i].other;
        const int all_but = *value == '!';
        if (!is(name, pairs[i].name) || !find_text(info, other, text)) continue;
        if ((strcmp(text, value + all_but) == 0) == all_but) continue;
        if (strcmp(other, "batch-seeds") == 0) snprintf(text, sizeof text, "on");
        const char *own = behind("method.", other);
        snprintf(by, sizeof by, "%s %s", own ? own : other, text);
        return ignored_by(by, pairs[i].remedy);
    }
    return not_ignored;
}

/* ---- by the linear solver ---- */

static int is_of_preconditioner(const char *name) {
    return is(name, "preconditioner") || is(name, "preconditioner_option") || behind("preconditioner.", name);
}

static int is_of_solver(const char *name) {
    return is(name, "solver_option") || behind("linear-solver.", name);
}

static const nb_linear_solver_class *solver_of(const nb_run_info *info) {
    const nb_linear_solver_class *solver;
    for (int i = 0; (solver = nb_linear_solver_at(i)) != NULL; i++)
        if (strcmp(solver->name, info->linear_solver) == 0) return solver;
    return NULL;
}

static const nb_preconditioner_class *preconditioner_of(const nb_run_info *info) {
    const nb_preconditioner_class *preconditioner;
    for (int i = 0; (preconditioner = nb_preconditioner_at(i)) != NULL; i++)
        if (strcmp(preconditioner->name, info->preconditioner) == 0) return preconditioner;
    return NULL;
}

/* values that the run's parameters give the options, "linear-solver.NAME" */
typedef struct given_values {
    const char *prefix;
    const nb_option *options;
    int count;
    double *values; /* [count] */
} given_values;

static nb_status take_value(void *context, const nb_named_value *parameter) {
    const given_values *v = context;
    const char *name = behind(v->prefix, parameter->name);
    for (int i = 0; name && i < v->count; i++)
        if (is(name, v->options[i].name))
            return nb_options_set(&v->options[i], 1, "recorded run", v->options[i].name, parameter->text,
                                  &v->values[i]);
    return NB_OK;
}

/* An option of the solver or preconditioner that another of its options leaves without effect. */
static nb_ignored by_own_option(const nb_run_info *info, const char *name, const char *prefix, const char *flag,
                                const nb_option *options, int count, const char *(*why)(const double *values, int i)) {
    double values[NB_MAX_OPTIONS];
    char remedy[2 * NB_NAME_LENGTH];
    const given_values given = {prefix, options, count, values};
    const char *option = behind(prefix, name);
    if (!option || !why || count > NB_MAX_OPTIONS) return not_ignored;
    nb_options_standard(options, count, values);
    (void)nb_named_values_read(info->parameters, take_value, (void *)&given); /* what is strange stays standard */
    for (int i = 0; i < count; i++) {
        const char *by = is(option, options[i].name) ? why(values, i) : NULL;
        if (!by) continue;
        snprintf(remedy, sizeof remedy, "another %s %.*s", flag, (int)strcspn(by, " "), by);
        return ignored_by(by, remedy);
    }
    return not_ignored;
}

/* a direct solver does not iterate */
static nb_ignored by_solver(const nb_run_info *info, const char *name) {
    static const char *const iterating[] = {"linear_iterations", "linear_tolerance", "linear_norm", NULL};
    const nb_linear_solver_class *solver = solver_of(info);
    const nb_preconditioner_class *preconditioner = preconditioner_of(info);
    char text[NB_NAME_LENGTH];
    const int forcing =
        find_text(info, "method.forcing", text); /* of the method, which looks at the tolerance itself */
    if (strcmp(info->linear_solver, "none") == 0 && (is_of_preconditioner(name) || is_one_of(name, iterating)))
        return ignored_by(info->method, "another --method"); /* which brings its own */
    if (!solver) return not_ignored;
    if (is_of_preconditioner(name) && !solver->takes_preconditioner)
        return ignored_by(info->linear_solver, "a --linear-solver that takes one");
    if (is_one_of(name, iterating) && solver->direct && !(forcing && is(name, "linear_tolerance")))
        return ignored_by(info->linear_solver, "an iterative --linear-solver");
    if (is(name, "linear_norm") && !(info->linear_tolerance > 0) && !forcing)
        return ignored_by("linear-tolerance 0", NULL);
    nb_ignored ignored = by_own_option(info, name, "linear-solver.", "--solver-option", solver->options,
                                       solver->option_count, solver->why_ignored);
    if (!*ignored.by && preconditioner)
        ignored = by_own_option(info, name, "preconditioner.", "--preconditioner-option", preconditioner->options,
                                preconditioner->option_count, preconditioner->why_ignored);
    return ignored;
}

/* ---- by the method ---- */

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

/* An option that another method has, or one that others of the method's options leave without effect. */
static nb_ignored by_options_of_method(const nb_run_info *info, const nb_method_class *method, const char *name) {
    const char *prefixed = behind("method.", name), *own = prefixed ? prefixed : name;
    int place = method ? nb_method_option_place(method, own) : -1;
    double values[NB_MAX_OPTIONS];
    /* one that is not in the tables may have an option of any name */
    if (place < 0)
        return (method || !prefixed) && is_of_methods(own) ? ignored_by(info->method, "another --method") : not_ignored;
    if (!method->why_ignored) return not_ignored;
    nb_method_option_values(info, method->options, method->option_count, values);
    const char *why = method->why_ignored(values, place);
    return why ? ignored_by(why, NULL) : not_ignored;
}

/* what the harness offers and the method does not take */
static nb_ignored by_kind_of_method(const nb_method_class *method, const char *name) {
    static const char *const of_systems[] = {"linear_iterations", "linear_tolerance", "linear_norm", NULL};
    static const char *const of_start[] = {"lead", "lead_exact", NULL};
    const int solves = is_of_solver(name) || is_of_preconditioner(name) || is_one_of(name, of_systems);
    char remedy[2 * NB_NAME_LENGTH];
    if (method->alone && (solves || (is(name, "store_systems") && !method->own_systems)))
        return ignored_by(method->name, "a --method with linear systems");
    if (method->finds_contacts && (is(name, "geometry") || is_one_of(name, of_start))) /* it has its own */
        return ignored_by(method->name, "another --method");
    if (method->pivots && is(name, "newton_iterations")) return ignored_by(method->name, "another --method");
    if (!method->tolerance || !is(name, "newton_tolerance")) return not_ignored;
    snprintf(remedy, sizeof remedy, "--%s", method->tolerance);
    return ignored_by(method->name, remedy);
}

nb_ignored nb_info_ignored(const nb_run_info *info, const char *name) {
    const nb_method_class *method = method_of(info);
    nb_ignored ignored = by_options_of_method(info, method, name);
    if (!*ignored.by && method) ignored = by_kind_of_method(method, name);
    if (!*ignored.by) ignored = by_another(info, name);
    return *ignored.by ? ignored : by_solver(info, name);
}

int nb_info_uses(const nb_run_info *info, const char *name) {
    return !*nb_info_ignored(info, name).by;
}

/* ---- of requests ---- */

nb_ignored nb_request_ignored(const nb_request *request, const char *name) {
    static const char *const of_steps[] = {"method", "newton_iterations", "newton_tolerance", NULL};
    static const char *const of_bodies[] = {"preconditioner.blocks", "preconditioner.update", NULL};
    char by[2 * NB_NAME_LENGTH];
    const nb_stepping_scheme scheme = nb_request_scene(request).stepping.scheme;
    if (request->linear && (is_of_methods(name) || is_one_of(name, of_steps)))
        return ignored_by("a linear system", "a contact problem");
    if (request->linear && is_one_of(name, of_bodies)) return ignored_by("a linear system", "a contact problem");
    if (request->linear) return by_solver(&request->info, name);
    if (is(name, "linear_solver") && request->choices.method->alone) name = "solver_option";
    if (is(name, "geometry") && !request->problem_path && scheme != NB_STEPPING_IMPLICIT) {
        snprintf(by, sizeof by, "time-stepping %s", nb_stepping_names[scheme]);
        return ignored_by(by, NULL);
    }
    return nb_info_ignored(&request->info, name);
}

int nb_request_uses(const nb_request *request, const char *name) {
    return !*nb_request_ignored(request, name).by;
}

int nb_info_starts_as_usual(const nb_run_info *info) {
    const nb_method_class *method = method_of(info);
    const nb_scenario_class *scenario = NULL;
    for (int i = 0; nb_scenarios[i] && !scenario; i++)
        if (strcmp(nb_scenarios[i]->name, info->scenario) == 0) scenario = nb_scenarios[i];
    return info->warm_start == (method && nb_default_warm_start(scenario, method));
}
