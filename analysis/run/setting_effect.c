#include "run/setting_effect.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/named_values.h"
#include "registry.h"
#include "run/defaults.h"
#include "run/method_options.h"
#include "text/plain.h"

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

/* A setting that one value of another leaves without effect, or all values but some: "!be", "!tr bdf2". */
static const struct {
    const char *name, *other, *value, *remedy; /* NULL: another value of `other` */
} pairs[] = {
    {"settle_tolerance", "settle", "0", NULL},
    {"batch_perturbation", "batch", "1", NULL},
    {"batch_perturbation", "batch-seeds", "1", NULL},
    {"batch_seeds", "batch", "1", NULL},
    {"batch_contacts", "whole-steps", "!2", "--whole-steps trajectory"},
    {"lead_exact", "lead", "0", NULL},
    {"warmup", "repeat", "0", NULL},
    {"friction_direction", "friction-ratio", "1", NULL},
    {"impacts", "integrator", "be", NULL},
    {"gyroscopic_torque", "integrator", "!be", NULL}, /* stages have the torque of their end */
    {"sap_beta", "contact-model", "!sap lagged similar", NULL},
    {"sap_sigma", "contact-model", "!sap lagged similar", NULL},
    {"sap_stiffness", "contact-model", "!sap lagged similar", NULL},
    {"sap_relaxation", "contact-model", "!sap", NULL},
    {"contact_dissipation", "contact-model", "!lagged similar", NULL},
    {"stiction_speed", "contact-model", "!lagged similar", NULL},
    {"spring_frequency", "contact-model", "!spring", NULL},
    {"spring_damping", "contact-model", "!spring", NULL},
    {"solref_time", "contact-model", "!mujoco", NULL},
    {"solref_damping", "contact-model", "!mujoco", NULL},
    {"solimp_d0", "contact-model", "!mujoco", NULL},
    {"solimp_dmax", "contact-model", "!mujoco", NULL},
    {"solimp_width", "contact-model", "!mujoco", NULL},
    {"impratio", "contact-model", "!mujoco", NULL},
    {"noslip", "contact-model", "!mujoco", NULL},
    {"facets", "friction-law", "coulomb", NULL},
    {"facets", "friction-law", "relaxed", NULL},
    {"contact_margin", "active-set", "!all", NULL},
    {"stabilization", "time-stepping", "implicit", linearised},
    {"recovery_speed", "time-stepping", "implicit", linearised},
    {"recovery_speed", "stabilization", "0", NULL},
    {"active_set", "time-stepping", "implicit", linearised},
    {"restitution", "time-stepping", "implicit", linearised},
};

/* whether the text is one of the words, with spaces between them */
static int is_word_of(const char *words, const char *text) {
    const size_t length = strlen(text);
    for (; *words; words += strcspn(words, " "), words += strspn(words, " "))
        if (strcspn(words, " ") == length && strncmp(words, text, length) == 0) return 1;
    return 0;
}

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
        if (is_word_of(value + all_but, text) == all_but) continue;
        if (strcmp(other, "batch-seeds") == 0) snprintf(text, sizeof text, "on");
        if (strcmp(other, "whole-steps") == 0) snprintf(text, sizeof text, "%s", is(text, "0") ? "off" : "on");
        snprintf(by, sizeof by, "%s %s", other, text);
        return ignored_by(by, pairs[i].remedy);
    }
    return not_ignored;
}

/* ---- by the linear solver ---- */

static int is_of_preconditioner(const char *name) {
    return is(name, "preconditioner") || is(name, "preconditioner_option") || behind("preconditioner.", name);
}

static const nb_method_class *method_of(const nb_run_info *info) {
    const nb_method_class *method;
    for (int i = 0; (method = nb_method_at(i)) != NULL; i++)
        if (strcmp(method->name, info->method) == 0) return method;
    return NULL;
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
    const nb_method_class *method = method_of(info);
    const int forces = method && method->forces;
    if (strcmp(info->linear_solver, "none") == 0 && (is_of_preconditioner(name) || is_one_of(name, iterating)))
        return ignored_by(info->method, "another --method"); /* which brings its own */
    if (!solver) return not_ignored;
    if (is_of_preconditioner(name) && !solver->takes_preconditioner)
        return ignored_by(info->linear_solver, "a --linear-solver that takes one");
    if (is_one_of(name, iterating) && solver->direct && !(forces && is(name, "linear_tolerance")))
        return ignored_by(info->linear_solver, "an iterative --linear-solver");
    if (is(name, "linear_norm") && !(info->linear_tolerance > 0) && !forces)
        return ignored_by("linear-tolerance 0", NULL);
    nb_ignored ignored = by_own_option(info, name, "linear-solver.", "--solver-option", solver->options,
                                       solver->option_count, solver->why_ignored);
    if (!*ignored.by && preconditioner)
        ignored = by_own_option(info, name, "preconditioner.", "--preconditioner-option", preconditioner->options,
                                preconditioner->option_count, preconditioner->why_ignored);
    return ignored;
}

/* ---- by the method ---- */

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
    const int solves = is(name, "solver_option") || behind("linear-solver.", name) || is_of_preconditioner(name) ||
                       is_one_of(name, of_systems);
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

/* a setting of the harness that the values of the method's options leave without effect */
static nb_ignored by_choices_of_method(const nb_run_info *info, const nb_method_class *method, const char *name) {
    double values[NB_MAX_OPTIONS];
    if (!method->why_unused) return not_ignored;
    nb_method_option_values(info, method->options, method->option_count, values);
    const char *why = method->why_unused(values, name);
    return why ? ignored_by(why, NULL) : not_ignored;
}

nb_ignored nb_info_ignored(const nb_run_info *info, const char *name) {
    const nb_method_class *method = method_of(info);
    nb_ignored ignored = by_options_of_method(info, method, name);
    if (!*ignored.by && method) ignored = by_kind_of_method(method, name);
    if (!*ignored.by && method) ignored = by_choices_of_method(info, method, name);
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
    if (!request->subject->has_contacts) {
        const int other = is_of_methods(name) || is_one_of(name, of_steps) || is_one_of(name, of_bodies);
        return other ? ignored_by("a linear system", "a contact problem") : by_solver(&request->info, name);
    }
    if (is(name, "linear_solver") && request->choices.method->alone) name = "solver_option";
    if (is(name, "geometry") && request->subject->has_steps && scheme != NB_STEPPING_IMPLICIT) {
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
    double values[NB_MAX_OPTIONS];
    if (!method) return !info->warm_start;
    nb_method_option_values(info, method->options, method->option_count, values);
    return info->warm_start == nb_default_warm_start(scenario, method, values);
}

/* Which of a grid's options act: each that was given is looked for in every run. One that acts in no run is refused;
 * one that acts in some is named, so that a sweep does not take runs for different that are one. */

/* what became of one option */
typedef struct fate {
    int acts;
    char by[256];                    /* what leaves it without effect: "jacobi, cholesky" */
    char remedy[2 * NB_NAME_LENGTH]; /* for the first of these */
} fate;

struct nb_unused_options {
    const nb_parameter_grid *grid;
    nb_request *scratch;
    fate *fates; /* [count], an option each */
    int64_t count;
};

nb_status nb_unused_options_create(const nb_parameter_grid *grid, nb_unused_options **unused) {
    nb_status status;
    nb_given_option given;
    nb_unused_options *u = NULL;
    NB_TRY(NB_ALLOCATE(1, &u));
    u->grid = grid;
    while (nb_parameter_grid_given(grid, u->count, &given)) u->count++;
    NB_TRY(NB_ALLOCATE(u->count, &u->fates));
    NB_TRY(NB_ALLOCATE(1, &u->scratch));
out:
    if (status != NB_OK) {
        nb_unused_options_destroy(u);
        u = NULL;
    }
    *unused = u;
    return status;
}

void nb_unused_options_destroy(nb_unused_options *unused) {
    if (!unused) return;
    nb_free(unused->fates);
    nb_free(unused->scratch);
    nb_free(unused);
}

/* an option that is replaced where it cannot act; it was asked for what the run has */
static int is_as_made(const nb_given_option *given, const nb_request *request) {
    static const size_t replaced[] = {offsetof(nb_request, info.geometry), offsetof(nb_request, info.preconditioner)};
    const nb_request_option *option = nb_request_option_at(given->option);
    char text[NB_OPTION_TEXT];
    for (size_t i = 0; i < sizeof replaced / sizeof *replaced; i++) {
        if (given->name || option->field != replaced[i]) continue;
        nb_request_option_text(option, request, 6, text);
        return given->count == 1 && strcmp(given->values[0], text) == 0 ? 1 : -1;
    }
    return 0;
}

/* Whether its one value is the one that holds where nobody says: what asks for nothing is not refused. */
static int asks_for_nothing(const nb_unused_options *u, const nb_given_option *given, const nb_request *request) {
    const nb_request_option *option = nb_request_option_at(given->option);
    char before[NB_OPTION_TEXT], after[NB_OPTION_TEXT];
    const struct nb_method_class_f64 *owner;
    const int made = is_as_made(given, request);
    if (made || given->count > 1) return made > 0;
    if (given->name && option->field != offsetof(nb_request, method_options)) return 0;
    if (given->name) {
        const nb_option *own = nb_method_option_find(given->name, &owner);
        if (!own) return 0;
        nb_option_text(own, own->standard, 6, before, sizeof before);
        return strcmp(before, given->values[0]) == 0;
    }
    if (option->field == offsetof(nb_request, info.method)) return strcmp(given->values[0], "newton") == 0;
    nb_request_standard(u->scratch);
    nb_request_option_text(option, u->scratch, 17, before);
    if (nb_request_option_apply(option, "", given->values[0], u->scratch) != NB_OK) return 0;
    nb_request_option_text(option, u->scratch, 17, after);
    return strcmp(before, after) == 0;
}

/* the setting as setting_effect.h calls it */
static void name_setting(const nb_given_option *given, char name[NB_NAME_LENGTH + 32]) {
    const size_t field = nb_request_option_at(given->option)->field;
    const char *prefix = field == offsetof(nb_request, solver_options)           ? "linear-solver."
                         : field == offsetof(nb_request, preconditioner_options) ? "preconditioner."
                         : field == offsetof(nb_request, method_options)         ? "method."
                                                                                 : "";
    snprintf(name, NB_NAME_LENGTH + 32, "%s%s", prefix,
             given->name ? given->name : nb_request_option_at(given->option)->option.name + 2);
}

/* "jacobi" in "jacobi, cholesky" */
static int is_listed(const char *list, const char *word) {
    const size_t length = strlen(word);
    for (const char *at = strstr(list, word); at; at = strstr(at + 1, word))
        if ((at == list || at[-1] == ' ') && (at[length] == '\0' || at[length] == ',')) return 1;
    return 0;
}

static void add(fate *f, const char *by, const char *remedy) {
    const size_t used = strlen(f->by);
    if (!used) snprintf(f->remedy, sizeof f->remedy, "%s", remedy);
    if (!is_listed(f->by, by) && used + strlen(by) + 3 < sizeof f->by)
        snprintf(f->by + used, sizeof f->by - used, "%s%s", used ? ", " : "", by);
}

void nb_unused_options_look(nb_unused_options *u, const nb_request *request) {
    nb_given_option given;
    char name[NB_NAME_LENGTH + 32];
    for (int64_t i = 0; i < u->count && nb_parameter_grid_given(u->grid, i, &given); i++) {
        fate *f = &u->fates[i];
        name_setting(&given, name);
        const nb_ignored ignored = nb_request_option_at(given.option)->field == offsetof(nb_request, settings)
                                       ? (nb_ignored){{0}, {0}}
                                       : nb_request_ignored(request, name);
        const char *lacks = nb_parameter_grid_lacks(&given, request);
        if (asks_for_nothing(u, &given, request) || !(*ignored.by || lacks))
            f->acts = 1;
        else
            add(f, *ignored.by ? ignored.by : lacks, ignored.remedy);
    }
}

/* "--recycle", or "--solver-option restart" where there is no short form */
static void name_option(const nb_given_option *given, char text[2 * NB_NAME_LENGTH]) {
    const nb_request_option *o;
    snprintf(text, 2 * NB_NAME_LENGTH, "%s%s%s", nb_request_option_at(given->option)->option.name,
             given->name ? " " : "", given->name ? given->name : "");
    for (int i = 0; given->name && (o = nb_request_option_at(i)) != NULL; i++)
        if (nb_request_option_list(o) == given->option && strcmp(o->option.name + 2, given->name) == 0)
            snprintf(text, 2 * NB_NAME_LENGTH, "%s", o->option.name);
}

nb_status nb_unused_options_check(const nb_unused_options *u) {
    nb_given_option given;
    char name[2 * NB_NAME_LENGTH];
    for (int64_t i = 0; i < u->count && nb_parameter_grid_given(u->grid, i, &given); i++) {
        const fate *f = &u->fates[i];
        if (f->acts || !*f->by) continue;
        name_option(&given, name);
        return nb_fail(NB_ERROR_USAGE, "%s has no effect with %s; use %s%sleave it out", name, f->by, f->remedy,
                       *f->remedy ? ", or " : "");
    }
    return NB_OK;
}

void nb_unused_options_note(const nb_unused_options *u, FILE *stream) {
    nb_given_option given;
    char name[2 * NB_NAME_LENGTH];
    for (int64_t i = 0; i < u->count && nb_parameter_grid_given(u->grid, i, &given); i++) {
        const fate *f = &u->fates[i];
        if (given.count > 1 || !f->acts || !*f->by) continue;
        name_option(&given, name);
        nb_print(stream, "%s has no effect with %s\n", name, f->by);
    }
}

int nb_unused_options_note_varying(const nb_unused_options *u, FILE *stream) {
    nb_given_option given;
    char name[2 * NB_NAME_LENGTH];
    int noted = 0;
    for (int64_t i = 0; i < u->count && nb_parameter_grid_given(u->grid, i, &given); i++) {
        const fate *f = &u->fates[i];
        if (given.count == 1 || !*f->by) continue;
        name_option(&given, name);
        nb_print(stream, "%s %s means nothing to %s", noted++ ? ";" : "", name + 2, f->by);
    }
    return noted;
}
