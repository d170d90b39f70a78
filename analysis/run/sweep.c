#include "run/sweep.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/threads.h"
#include "run/batch.h"
#include "run/heed.h"
#include "run/resolve.h"

NB_PRECISIONS(f64);

/* how an option's text goes into the request */
typedef enum field_kind {
    FIELD_NAME,    /* char[NB_NAME_LENGTH], looked up by nb_simulate_prepare */
    FIELD_CHOICE,  /* char[NB_NAME_LENGTH], one of `choices` */
    FIELD_ON_OFF,  /* int */
    FIELD_SWITCH,  /* int, set to 1; takes no value */
    FIELD_WHOLE,   /* int32_t */
    FIELD_SEED,    /* uint64_t */
    FIELD_NUMBER,  /* double */
    FIELD_SETTING, /* a list of nb_setting: NAME=VALUE */
} field_kind;

enum {
    FOR_SCENARIOS = 1,
    FOR_PROBLEMS = 2,
    FOR_BOTH = 3
};

typedef struct sweep_option {
    field_kind kind;
    int use;                   /* FOR_... */
    size_t field, count_field; /* where in nb_request; count_field: of a list of settings */
    const char *argument;      /* as --help shows it; NULL: the choices */
    nb_option option;          /* the range and, in name, the option's name with its dashes */
} sweep_option;

#define AT(member) offsetof(nb_request, member)
#define CHOICES(...) ((const char *const[]){__VA_ARGS__, NULL})
#define OPTION(kind, use, member, argument, ...) \
    {                                            \
        kind, use, AT(member), 0, argument, {    \
            __VA_ARGS__                          \
        }                                        \
    }
#define NAME(flag, member, argument, summary) \
    OPTION(FIELD_NAME, FOR_BOTH, info.member, argument, flag, "", 0, 0, 0, 0, NULL, summary)
#define CHOICE(flag, use, member, summary, ...) \
    OPTION(FIELD_CHOICE, use, info.member, NULL, flag, "", 0, 0, 0, 0, CHOICES(__VA_ARGS__), summary)
#define ON_OFF(flag, use, member, summary) \
    OPTION(FIELD_ON_OFF, use, member, "on|off", flag, "", 0, 0, 0, 0, CHOICES("off", "on"), summary)
#define NUMBER(flag, use, member, argument, units, minimum, maximum, summary) \
    OPTION(FIELD_NUMBER, use, member, argument, flag, units, 0, minimum, maximum, 0, NULL, summary)
#define WHOLE(flag, use, member, minimum, maximum, summary) \
    OPTION(FIELD_WHOLE, use, member, "N", flag, "1", 0, minimum, maximum, 1, NULL, summary)
#define SETTING(flag, use, list, counter, summary)                 \
    {                                                              \
        FIELD_SETTING, use, AT(list), AT(counter), "NAME=VALUE", { \
            flag, "", 0, 0, 0, 0, NULL, summary                    \
        }                                                          \
    }

static const sweep_option options[] = {
    NAME("--method", method, "NAME", "way to solve the problem of a step; see ncpbench list methods"),
    NAME("--linear-solver", linear_solver, "NAME",
         "see ncpbench list linear-solvers; interior-point takes gmres for scenarios, multifrontal for files"),
    NAME("--preconditioner", preconditioner, "NAME",
         "see ncpbench list preconditioners; interior-point takes lu for scenarios"),
    NAME("--ncp", ncp, "NAME", "complementarity function; see ncpbench list ncp-functions"),
    NAME("--scaling", scaling, "NAME", "of the complementarity function; see ncpbench list scalings"),
    NAME("--device", device, "NAME", "where to run; see ncpbench list devices"),
    ON_OFF("--whole-steps", FOR_SCENARIOS, info.whole_steps,
           "a device makes all Newton iterations of a step in one launch; for small scenes and islands"),
    CHOICE("--precision", FOR_BOTH, precision, "of all arithmetic; mixed: f64, but the linear solver stores in f32",
           "f32", "f64", "mixed"),
    WHOLE("--threads", FOR_BOTH, info.threads, 1, NB_MOST_THREADS, "threads to work with"),

    WHOLE("--steps", FOR_SCENARIOS, info.steps, 1, 10000000, "time steps"),
    WHOLE("--settle", FOR_SCENARIOS, info.settle, 0, 10000000,
          "steps made before those that are recorded, with the same converged solver in every run"),
    NUMBER("--time-step", FOR_SCENARIOS, info.time_step, "S", "s", 1e-9, 10, "length h of a time step [s]"),
    WHOLE("--batch", FOR_SCENARIOS, info.batch, 1, NB_BATCH_MOST,
          "copies of the scene made at once, each on one of the threads; the first is the scene itself"),
    NUMBER(
        "--batch-perturbation", FOR_SCENARIOS, info.batch_perturbation, "X", "1", 0, 1,
        "how far the others start off it: places and velocities of the bodies within X of their radius [X radius/s]"),
    NUMBER("--size", FOR_SCENARIOS, size, "N", "1", 0, 1e9, "the scenario's size; see ncpbench list scenarios"),
    SETTING("--set", FOR_SCENARIOS, settings, setting_count,
            "a parameter of the scenario; may be given for several names"),
    NUMBER("--contact-margin", FOR_SCENARIOS, contact_margin, "M", "m", 0, 1e3,
           "gap below which contacts are made [m]"),
    NUMBER("--contact-compliance", FOR_SCENARIOS, contact_compliance, "E", "m/N", 0, 1,
           "how far a contact gives way to its normal force [m/N]; 0: rigid"),
    NUMBER("--contact-thickness", FOR_SCENARIOS, contact_thickness, "D", "m", 0, 1e3,
           "distance that touching bodies keep [m]; closer ones are pushed apart within a step"),
    NUMBER("--friction-ratio", FOR_SCENARIOS, friction_ratio, "R", "1", 0.01, 100,
           "friction across --friction-direction over that along it, which the scenario's mu is; 1: isotropic"),
    NUMBER("--friction-direction", FOR_SCENARIOS, friction_direction, "A", "rad", -4, 4,
           "horizontal direction, from the x towards the y axis [rad], laid into the plane of each contact"),

    WHOLE("--lead", FOR_SCENARIOS, info.lead, 0, 1000000,
          "Newton iterations of a step made before those that are recorded, with the same solver in every run"),
    WHOLE("--newton-iterations", FOR_BOTH, info.newton_iterations, 1, 1000000, "at most, a step"),
    NUMBER("--newton-tolerance", FOR_BOTH, info.newton_tolerance, "X", "m/s", 0, 1e6,
           "stop at this natural-map error [m/s]; exit status 1 where a step does not reach it; 0: never stop early"),
    NUMBER("--relative-tolerance", FOR_PROBLEMS, relative_tolerance, "X", "1", 0, 1e6,
           "stop at this natural map relative to ||q||; exit status 1 where it is not reached; 0: never"),
    WHOLE("--linear-iterations", FOR_BOTH, info.linear_iterations, 1, 10000000, "at most, a Newton iteration"),
    NUMBER("--linear-tolerance", FOR_BOTH, info.linear_tolerance, "X", "1", 0, 1,
           "stop at ||b - A x|| <= X ||b||; 0: at round-off"),
    NUMBER("--damping", FOR_BOTH, info.damping, "T", "1", 1e-6, 1, "length of the Newton step"),
    CHOICE("--line-search", FOR_BOTH, line_search, "of the Newton step", "none", "backtracking"),
    CHOICE("--finish", FOR_BOTH, finish, "end with the exact generalised Jacobian", "none", "exact"),
    OPTION(FIELD_ON_OFF, FOR_SCENARIOS, info.warm_start, "off|on|unconstrained", "--warm-start", "", 0, 0, 0, 0,
           CHOICES("off", "on", "unconstrained"),
           "start from the velocities and multipliers of the step before, or without multipliers from the velocities "
           "that bodies have without contacts and joints; off: from zeros"),
    ON_OFF("--islands", FOR_BOTH, info.islands, "solve the islands of the contact graph one by one"),
    NUMBER("--regularization", FOR_BOTH, info.regularization, "EPS", "1", 0, 1e6, "added to the diagonal of A"),
    CHOICE("--regularization-kind", FOR_BOTH, regularization_kind, "EPS diag(A) or EPS [1/kg]", "relative", "absolute"),
    CHOICE("--form", FOR_BOTH, form, "of the Newton system: eq. (59) or (64)", "compliance", "stiffness"),
    CHOICE("--row-scaling", FOR_BOTH, row_scaling, "sqrt(alpha) on both sides, or alpha as printed", "symmetric",
           "paper"),
    CHOICE("--geometry", FOR_SCENARIOS, geometry, "contact frames within a step", "updated", "frozen"),
    SETTING("--solver-option", FOR_BOTH, solver_options, solver_option_count,
            "an option of the linear solver, such as variant=l1"),
    SETTING("--preconditioner-option", FOR_BOTH, preconditioner_options, preconditioner_option_count,
            "an option of the preconditioner"),
    SETTING("--method-option", FOR_BOTH, method_options, method_option_count, "an option of the method"),

    {FIELD_SEED,
     FOR_BOTH,
     AT(info.seed),
     0,
     "N",
     {"--seed", "1", 0, 0, 9007199254740992.0, 1, NULL, "of random numbers"}},
    WHOLE("--repeat", FOR_BOTH, info.repeats, 0, 100000,
          "timed repetitions besides the recorded run; two or more: in random order over all runs"),
    WHOLE("--warmup", FOR_BOTH, info.warmup, 0, 100000, "runs thrown away before"),
    ON_OFF("--linear-history", FOR_BOTH, linear_history, "record the residual of every linear iteration"),
    ON_OFF("--reference", FOR_SCENARIOS, info.reference,
           "solve the last step to convergence besides, and record the true error of every iterate"),
    ON_OFF("--limits", FOR_BOTH, limits, "record the accuracy limits (91), (92) of the last step (dense, slow)"),
    WHOLE("--store-states", FOR_SCENARIOS, frame_interval, 1, 10000000,
          "record the bodies every N steps, for ParaView too (VTKHDF)"),
    {FIELD_SWITCH,
     FOR_BOTH,
     AT(store_systems),
     0,
     NULL,
     {"--store-systems", "", 0, 0, 0, 0, NULL, "record A, b and factors of every Newton system"}},
};

enum {
    OPTIONS = sizeof options / sizeof *options,
    FIRST_KEY = 1000,
    MOST_VALUES = NB_SWEEP_MOST_RUNS
};

/* the headings in --help, each before the option `first` */
static const struct {
    const char *first, *title;
} headers[] = {
    {"--method", "Solvers:"},
    {"--steps", "Scenario:"},
    {"--newton-iterations", "Newton iteration:"},
    {"--seed", "Measurement and record:"},
};

/* One thing that varies: an option (or one NAME of a setting) and its values; option -1 is the scenario or problem. */
typedef struct axis {
    int option;
    char *name; /* of a setting, else NULL */
    char **values;
    int64_t count, capacity;
} axis;

struct nb_sweep {
    axis *axes;
    int64_t count, capacity;
    int problems; /* the first axis holds paths of problem files */
};

static void clear_axis(axis *a) {
    for (int64_t i = 0; i < a->count; i++) nb_free(a->values[i]);
    nb_free(a->values);
    nb_free(a->name);
    *a = (axis){.option = a->option};
}

nb_status nb_sweep_create(nb_sweep **sweep) {
    nb_status status;
    NB_TRY(NB_ALLOCATE(1, sweep));
    NB_TRY(NB_RESERVE(1, &(*sweep)->capacity, &(*sweep)->axes));
    (*sweep)->axes[0].option = -1;
    (*sweep)->count = 1;
out:
    if (status != NB_OK) {
        nb_sweep_destroy(*sweep);
        *sweep = NULL;
    }
    return status;
}

void nb_sweep_destroy(nb_sweep *sweep) {
    if (!sweep) return;
    for (int64_t i = 0; i < sweep->count; i++) clear_axis(&sweep->axes[i]);
    nb_free(sweep->axes);
    nb_free(sweep);
}

static const char *choice_at(const void *choices, int i) {
    return ((const char *const *)choices)[i];
}

static nb_status find_choice(const sweep_option *o, const char *text, int *found) {
    int count = 0;
    while (o->option.choices[count]) count++;
    *found = nb_name_find(text, count, choice_at, o->option.choices);
    return *found >= 0 ? NB_OK : nb_name_unknown(o->option.name, text, count, choice_at, o->option.choices);
}

static nb_status copy_name(const char *option, const char *text, size_t length, char name[NB_NAME_LENGTH]) {
    if (length == 0 || length >= NB_NAME_LENGTH)
        return nb_fail(NB_ERROR_USAGE, "%s: '%.80s' is %s; at most %d characters are taken", option, text,
                       length == 0 ? "empty" : "too long", NB_NAME_LENGTH - 1);
    memcpy(name, text, length);
    name[length] = '\0';
    return NB_OK;
}

static nb_status add_setting(const sweep_option *o, const char *name, const char *value, nb_request *request) {
    nb_setting *list = (nb_setting *)((char *)request + o->field);
    int *count = (int *)((char *)request + o->count_field);
    if (*count == NB_MAX_SETTINGS)
        return nb_fail(NB_ERROR_USAGE, "%s is given for more than %d names", o->option.name, NB_MAX_SETTINGS);
    nb_status status = copy_name(o->option.name, name, strlen(name), list[*count].name);
    if (status == NB_OK) status = copy_name(o->option.name, value, strlen(value), list[*count].value);
    if (status == NB_OK) ++*count;
    return status;
}

/* writes one value into the request */
static nb_status apply(const sweep_option *o, const char *name, const char *text, nb_request *request) {
    void *field = (char *)request + o->field;
    nb_status status = NB_OK;
    double number = 0;
    int choice = 0;
    switch (o->kind) {
    case FIELD_NAME: NB_TRY(copy_name(o->option.name, text, strlen(text), field)); break;
    case FIELD_CHOICE:
        NB_TRY(find_choice(o, text, &choice));
        NB_TRY(copy_name(o->option.name, text, strlen(text), field));
        break;
    case FIELD_ON_OFF:
        NB_TRY(find_choice(o, text, &choice));
        *(int *)field = choice;
        break;
    case FIELD_SWITCH: *(int *)field = 1; break;
    case FIELD_SETTING: NB_TRY(add_setting(o, name, text, request)); break;
    case FIELD_WHOLE:
    case FIELD_SEED:
    case FIELD_NUMBER:
        NB_TRY(nb_options_set(&o->option, 1, "command line", o->option.name, text, &number));
        if (o->kind == FIELD_WHOLE) *(int32_t *)field = (int32_t)number;
        if (o->kind == FIELD_SEED) *(uint64_t *)field = (uint64_t)number;
        if (o->kind == FIELD_NUMBER) *(double *)field = number;
    }
out:
    return status;
}

static nb_status add_value(axis *a, const char *what, const char *text, size_t length) {
    nb_status status;
    char *value = NULL;
    NB_TRY(NB_ALLOCATE((int64_t)length + 1, &value));
    memcpy(value, text, length);
    for (int64_t i = 0; i < a->count; i++)
        if (strcmp(a->values[i], value) == 0)
            NB_TRY(nb_fail(NB_ERROR_USAGE, "%s: '%.80s' stands twice in the list", what, value));
    if (a->count == MOST_VALUES) NB_TRY(nb_fail(NB_ERROR_USAGE, "%s: more than %d values", what, (int)MOST_VALUES));
    NB_TRY(NB_RESERVE(a->count + 1, &a->capacity, &a->values));
    a->values[a->count++] = value;
    value = NULL;
out:
    nb_free(value);
    return status;
}

/* adds the items of a comma list */
static nb_status add_list(axis *a, const char *what, const char *text) {
    for (const char *item = text;; item++) {
        size_t length = strcspn(item, ",");
        if (length == 0)
            return *text ? nb_fail(NB_ERROR_USAGE, "%s: empty item in the list '%.80s'", what, text)
                         : nb_fail(NB_ERROR_USAGE, "%s: a value is missing", what);
        nb_status status = add_value(a, what, item, length);
        if (status != NB_OK) return status;
        item += length;
        if (!*item) return NB_OK;
    }
}

nb_status nb_sweep_add_scenarios(nb_sweep *sweep, const char *names) {
    return add_list(&sweep->axes[0], "scenario", names);
}

nb_status nb_sweep_add_problem(nb_sweep *sweep, const char *path) {
    sweep->problems = 1;
    return add_value(&sweep->axes[0], "problem", path, strlen(path));
}

nb_status nb_sweep_replace_problem(nb_sweep *sweep, const char *path) {
    clear_axis(&sweep->axes[0]);
    return nb_sweep_add_problem(sweep, path);
}

/* the axis of this option (and setting name), emptied or new */
static nb_status find_axis(nb_sweep *sweep, int option, const char *name, axis **found) {
    for (int64_t i = 1; i < sweep->count; i++) {
        axis *a = &sweep->axes[i];
        if (a->option != option || (name && strcmp(name, a->name) != 0)) continue;
        clear_axis(a);
        *found = a;
        return name ? nb_copy_text(name, &a->name) : NB_OK;
    }
    nb_status status;
    NB_TRY(NB_RESERVE(sweep->count + 1, &sweep->capacity, &sweep->axes));
    *found = &sweep->axes[sweep->count++];
    **found = (axis){.option = option};
    if (name) NB_TRY(nb_copy_text(name, &(*found)->name));
out:
    return status;
}

/* cuts NAME=VALUE in two */
static nb_status split_setting(const sweep_option *o, const char *text, char name[NB_NAME_LENGTH], const char **value) {
    const char *sign = strchr(text, '=');
    if (!sign || sign == text) return nb_fail(NB_ERROR_USAGE, "%s takes NAME=VALUE, not '%.80s'", o->option.name, text);
    *value = sign + 1;
    return copy_name(o->option.name, text, (size_t)(sign - text), name);
}

nb_status nb_sweep_set(nb_sweep *sweep, int key, const char *text, int *known) {
    *known = key >= FIRST_KEY && key < FIRST_KEY + OPTIONS;
    if (!*known) return NB_OK;
    const sweep_option *o = &options[key - FIRST_KEY];
    char name[NB_NAME_LENGTH] = "", what[NB_NAME_LENGTH + 32];
    axis *a = NULL;
    nb_request *scratch = NULL; /* too large for the stack of every caller */
    nb_status status;
    NB_TRY(NB_ALLOCATE(1, &scratch));
    if (o->kind == FIELD_SETTING) NB_TRY(split_setting(o, text, name, &text));
    if (o->kind == FIELD_SWITCH) text = "on";
    snprintf(what, sizeof what, "%s%s%s", o->option.name, *name ? " " : "", name);
    NB_TRY(find_axis(sweep, key - FIRST_KEY, *name ? name : NULL, &a));
    NB_TRY(add_list(a, what, text));
    for (int64_t i = 0; i < a->count; i++) {
        scratch->setting_count = scratch->solver_option_count = scratch->preconditioner_option_count =
            scratch->method_option_count = 0;
        NB_TRY(apply(o, name, a->values[i], scratch));
    }
out:
    nb_free(scratch);
    return status;
}

nb_status nb_sweep_count(const nb_sweep *sweep, int64_t *count) {
    *count = 1;
    for (int64_t i = 0; i < sweep->count; i++) {
        *count *= sweep->axes[i].count; /* both are at most MOST_VALUES */
        if (*count > NB_SWEEP_MOST_RUNS)
            return nb_fail(NB_ERROR_USAGE, "the lists of values give more than %d runs; ask for fewer combinations",
                           (int)NB_SWEEP_MOST_RUNS);
    }
    return NB_OK;
}

/* the path, and the file's base name (its beginning, where it is long) as the scene */
static void set_problem(nb_request *request, const char *path) {
    const char *slash = strrchr(path, '/');
    request->problem_path = path;
    snprintf(request->info.scenario, NB_NAME_LENGTH, "%s", slash ? slash + 1 : path);
}

static int has_value(const nb_sweep *sweep, const char *option, const char *value) {
    for (int64_t a = 1; a < sweep->count; a++) {
        const axis *x = &sweep->axes[a];
        if (x->option < 0 || strcmp(options[x->option].option.name, option) != 0) continue;
        for (int64_t i = 0; i < x->count; i++)
            if (strcmp(x->values[i], value) == 0) return 1;
    }
    return 0;
}

nb_status nb_sweep_request(const nb_sweep *sweep, int64_t i, nb_request *request) {
    nb_status status;
    nb_request_standard(request);
    for (int64_t a = sweep->count - 1; a >= 0; a--) { /* the last axis varies fastest */
        const axis *x = &sweep->axes[a];
        const char *value = x->values[i % x->count];
        i /= x->count;
        if (x->option >= 0)
            NB_TRY(apply(&options[x->option], x->name, value, request));
        else if (sweep->problems)
            set_problem(request, value);
        else
            NB_TRY(copy_name("scenario", value, strlen(value), request->info.scenario));
    }
    /* beside newton's runs, which heed them, others are not refused for options that they do not heed */
    status = has_value(sweep, "--method", "newton") ? nb_request_drop_unheeded(request) : NB_OK;
out:
    return status;
}

int nb_sweep_varies(const nb_sweep *sweep, int i) {
    for (int64_t a = 1; a < sweep->count; a++)
        if (sweep->axes[a].option == i && sweep->axes[a].count > 1) return 1;
    return 0;
}

int nb_sweep_field_count(void) {
    return OPTIONS;
}

const char *nb_sweep_field_name(int i) {
    return options[i].option.name + 2;
}

static void settings_text(const nb_setting *list, int count, char text[NB_SWEEP_TEXT]) {
    size_t used = 0;
    *text = '\0';
    for (int i = 0; i < count && used < NB_SWEEP_TEXT; i++)
        used +=
            (size_t)snprintf(text + used, NB_SWEEP_TEXT - used, "%s%s=%s", i ? " " : "", list[i].name, list[i].value);
}

void nb_sweep_field_text(int i, const nb_request *request, char text[NB_SWEEP_TEXT]) {
    const sweep_option *o = &options[i];
    const void *field = (const char *)request + o->field;
    switch (o->kind) {
    case FIELD_NAME:
    case FIELD_CHOICE: snprintf(text, NB_SWEEP_TEXT, "%s", (const char *)field); break;
    case FIELD_ON_OFF: snprintf(text, NB_SWEEP_TEXT, "%s", o->option.choices[*(const int *)field]); break;
    case FIELD_SWITCH: snprintf(text, NB_SWEEP_TEXT, "%s", *(const int *)field ? "on" : "off"); break;
    case FIELD_WHOLE: snprintf(text, NB_SWEEP_TEXT, "%d", *(const int32_t *)field); break;
    case FIELD_SEED: snprintf(text, NB_SWEEP_TEXT, "%llu", (unsigned long long)*(const uint64_t *)field); break;
    case FIELD_NUMBER: snprintf(text, NB_SWEEP_TEXT, "%g", *(const double *)field); break;
    case FIELD_SETTING: settings_text(field, *(const int *)((const char *)request + o->count_field), text); break;
    }
}

int nb_sweep_field_counts(int i, const nb_request *request) {
    return nb_request_heeds(request, nb_sweep_field_name(i));
}

/* Settings stand in the parameters, with those that were left at their standard values, and the size is one. */
static int is_in_parameters(const sweep_option *o) {
    return o->kind == FIELD_SETTING || o->field == AT(size);
}

nb_status nb_sweep_identity(const nb_request *request, char **text) {
    size_t length;
    char *buffer = NULL, value[NB_SWEEP_TEXT];
    FILE *stream = open_memstream(&buffer, &length);
    if (!stream) return nb_fail(NB_ERROR_MEMORY, "out of memory for a run's settings");
    fprintf(stream, "%s\n%s\n", request->problem_path ? request->problem_path : "", request->info.scenario);
    for (int i = 0; i < OPTIONS; i++) {
        if (is_in_parameters(&options[i]) || !nb_sweep_field_counts(i, request)) continue;
        nb_sweep_field_text(i, request, value);
        if (options[i].kind == FIELD_NUMBER) /* every digit of it */
            snprintf(value, sizeof value, "%.17g",
                     *(const double *)(const void *)((const char *)request + options[i].field));
        fprintf(stream, "%d %s\n", i, value);
    }
    fputs(request->info.parameters ? request->info.parameters : "", stream);
    int failed = fclose(stream) != 0;
    nb_status status = failed ? nb_fail(NB_ERROR_MEMORY, "out of memory for a run's settings") : NB_OK;
    if (status == NB_OK) status = nb_copy_text(buffer, text);
    free(buffer);
    return status;
}

/* whether the option was given, and not `none` among its values */
static int asks_for(const nb_sweep *sweep, const char *option, const char *none) {
    for (int64_t a = 1; a < sweep->count; a++) {
        const axis *x = &sweep->axes[a];
        if (strcmp(options[x->option].option.name, option) != 0) continue;
        int given = 1;
        for (int64_t i = 0; i < x->count; i++) given &= strcmp(x->values[i], none) != 0;
        if (given) return 1;
    }
    return 0;
}

nb_status nb_sweep_check_unheeded(const nb_sweep *sweep, const nb_request *request) {
    const nb_run_info *info = &request->info;
    int its_options = asks_for(sweep, "--preconditioner-option", "");
    if (!its_options && !asks_for(sweep, "--preconditioner", "none")) return NB_OK;
    if (strcmp(info->linear_solver, "none") == 0)
        return nb_fail(NB_ERROR_USAGE, "--preconditioner%s: method '%s' brings its own solver and takes none",
                       its_options ? "-option" : "", info->method);
    return nb_fail(NB_ERROR_USAGE, "--preconditioner%s: linear solver '%s' takes none (see ncpbench list)",
                   its_options ? "-option" : "", info->linear_solver);
}

/* what stands for a number that is filled in later */
static void describe_open(const sweep_option *o, int for_problems, char text[NB_SWEEP_TEXT]) {
    if (for_problems)
        snprintf(text, NB_SWEEP_TEXT, "%d", NB_PROBLEM_ITERATIONS);
    else
        snprintf(text, NB_SWEEP_TEXT, "%s", o->field == AT(frame_interval) ? "never" : "the scenario's own");
}

/* "what it is [default]" */
static void describe(int i, const nb_request *standard, int for_problems, char text[NB_SWEEP_TEXT]) {
    const sweep_option *o = &options[i];
    char value[NB_SWEEP_TEXT] = "";
    if (o->kind != FIELD_SETTING && o->kind != FIELD_SWITCH) nb_sweep_field_text(i, standard, value);
    /* a number left at 0 or NaN, outside its range, is filled in from the scenario; of problem files these are the
     * iterations */
    int number = o->kind == FIELD_WHOLE || o->kind == FIELD_NUMBER;
    int open = number && !(strtod(value, NULL) >= o->option.minimum);
    if (open) describe_open(o, for_problems, value);
    /* newton's: it is the standard */
    if (o->field == AT(info.linear_solver)) snprintf(value, sizeof value, "pcr");
    if (o->field == AT(info.preconditioner)) snprintf(value, sizeof value, "jacobi");
    snprintf(text, NB_SWEEP_TEXT, *value ? "%s [%.100s]" : "%s", o->option.summary, value);
}

/* "a|b" for a choice, "NAME", ... */
static void describe_argument(const sweep_option *o, char text[NB_NAME_LENGTH]) {
    size_t used = 0;
    snprintf(text, NB_NAME_LENGTH, "%s", o->argument ? o->argument : "");
    for (int i = 0; o->option.choices && o->option.choices[i] && used < NB_NAME_LENGTH; i++)
        used += (size_t)snprintf(text + used, NB_NAME_LENGTH - used, "%s%s", i ? "|" : "", o->option.choices[i]);
}

const struct argp_option *nb_sweep_options(int for_problems) {
    enum {
        HEADERS = sizeof headers / sizeof *headers
    };
    static struct argp_option list[OPTIONS + HEADERS + 1];
    static char texts[OPTIONS][NB_SWEEP_TEXT], arguments[OPTIONS][NB_NAME_LENGTH];
    static nb_request standard;
    nb_request_standard(&standard);
    int n = 0, group = 0, headed = 0; /* the group whose heading was written last: an empty group has none */
    for (int i = 0; i < OPTIONS; i++) {
        const sweep_option *o = &options[i];
        if (group < HEADERS && strcmp(o->option.name, headers[group].first) == 0) group++;
        if (!(o->use & (for_problems ? FOR_PROBLEMS : FOR_SCENARIOS))) continue;
        if (group > headed) list[n++] = (struct argp_option){.doc = headers[group - 1].title, .group = group};
        headed = group;
        describe(i, &standard, for_problems, texts[i]);
        describe_argument(o, arguments[i]);
        list[n++] = (struct argp_option){.name = o->option.name + 2,
                                         .key = FIRST_KEY + i,
                                         .arg = *arguments[i] ? arguments[i] : NULL,
                                         .doc = texts[i],
                                         .group = group};
    }
    list[n] = (struct argp_option){0};
    return list;
}
