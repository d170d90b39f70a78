#include "run/options.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/threads.h"
#include "method.h"
#include "run/method_options.h"

NB_PRECISIONS(f64);

enum {
    FOR_SCENARIOS = 1,
    FOR_PROBLEMS = 2,
    FOR_BOTH = 3
};

#define AT(member) offsetof(nb_request, member)
#define CHOICES(...) ((const char *const[]){__VA_ARGS__, NULL})
#define OPTION(kind, use, member, argument, ...) \
    {                                            \
        kind, use, AT(member), 0, argument, {    \
            __VA_ARGS__                          \
        }                                        \
    }
#define NAME(flag, member, argument, summary) \
    OPTION(NB_OPTION_NAME, FOR_BOTH, info.member, argument, flag, "", 0, 0, 0, 0, NULL, summary)
#define CHOICE(flag, use, member, summary, ...) \
    OPTION(NB_OPTION_CHOICE, use, info.member, NULL, flag, "", 0, 0, 0, 0, CHOICES(__VA_ARGS__), summary)
#define ON_OFF(flag, use, member, summary) \
    OPTION(NB_OPTION_ON_OFF, use, member, "on|off", flag, "", 0, 0, 0, 0, CHOICES("off", "on"), summary)
#define NUMBER(flag, use, member, argument, units, minimum, maximum, summary) \
    OPTION(NB_OPTION_NUMBER, use, member, argument, flag, units, 0, minimum, maximum, 0, NULL, summary)
#define WHOLE(flag, use, member, minimum, maximum, summary) \
    OPTION(NB_OPTION_WHOLE, use, member, "N", flag, "1", 0, minimum, maximum, 1, NULL, summary)
#define SETTING(flag, use, list, counter, summary)                     \
    {                                                                  \
        NB_OPTION_SETTING, use, AT(list), AT(counter), "NAME=VALUE", { \
            flag, "", 0, 0, 0, 0, NULL, summary                        \
        }                                                              \
    }

/* those of the harness; the settings of the scene come before SCENE_BEFORE */
#define SCENE_BEFORE "--lead"
static const nb_request_option own[] = {
    NAME("--method", method, "NAME", "see ncpbench list methods; solves a step"),
    NAME("--linear-solver", linear_solver, "NAME",
         "see ncpbench list linear-solvers; bilevel, interior-point, sap, single-level and smoothed take "
         "multifrontal, interior-point gmres for scenarios"),
    NAME("--preconditioner", preconditioner, "NAME",
         "see ncpbench list preconditioners; all: each but schur and ilut, one run after another; interior-point "
         "takes lu for scenarios"),
    NAME("--device", device, "NAME",
         "where to run (ncpbench list devices); list linear-solvers and list preconditioners say what goes there"),
    OPTION(NB_OPTION_ON_OFF, FOR_SCENARIOS, info.whole_steps, "off|on|trajectory", "--whole-steps", "", 0, 0, 0, 0,
           CHOICES("off", "on", "trajectory"),
           "all Newton iterations of a step in one launch; on a device, for small scenes and islands; trajectory: "
           "copies of a scene take many steps per launch, with detection, integration and measures"),
    CHOICE("--precision", FOR_BOTH, precision,
           "precision of all arithmetic; mixed: f64, but the linear solver stores in f32", "f32", "f64", "mixed"),
    WHOLE("--threads", FOR_BOTH, info.threads, 1, NB_MOST_THREADS, "threads; same N, same bits"),

    WHOLE("--steps", FOR_SCENARIOS, info.steps, 1, 10000000, "time steps"),
    NUMBER("--time-step", FOR_SCENARIOS, info.time_step, "S", "s", 1e-9, 10, "length h of a time step [s]"),
    OPTION(NB_OPTION_PATH, FOR_SCENARIOS, from, "RECORD[:RUN[:STEP]]", "--from", "", 0, 0, 0, 0, NULL,
           "initial state from a record; after STEP steps of RUN, from 0; after its final step, where no STEP "
           "is given; other steps need --store-states"),
    WHOLE("--settle", FOR_SCENARIOS, info.settle, 0, 10000000,
          "steps before the recorded ones; by method auto in f64, for every run"),
    NUMBER("--settle-tolerance", FOR_SCENARIOS, info.settle_tolerance, "X", "m/s", 1e-14, 1e6,
           "natural-map tolerance of these [m/s]; exit status 1 where one does not converge"),
    NUMBER("--size", FOR_SCENARIOS, size, "N", "1", 0, 1e9,
           "the scenario's size; one of its parameters, such as a number of bodies"),
    SETTING("--set", FOR_SCENARIOS, settings, setting_count,
            "a parameter (ncpbench list scenarios NAME); may be given for several names; of a list of scenarios it "
            "applies to those that have it"),
    WHOLE("--batch", FOR_SCENARIOS, info.batch, 1, NB_BATCH_MOST,
          "copies of the scene made at once, each on one of the threads; the first is the scene itself"),
    NUMBER(
        "--batch-perturbation", FOR_SCENARIOS, info.batch_perturbation, "X", "1", 0, 1,
        "how far the others start off it: places and velocities of the bodies within X of their radius [X radius/s]"),
    ON_OFF("--batch-seeds", FOR_SCENARIOS, info.batch_seeds,
           "the copies are the scenes of as many seeds, from --seed on, in place of perturbed ones"),
    WHOLE("--batch-contacts", FOR_SCENARIOS, info.batch_contacts, 0, 512,
          "contacts that a copy has room for; with --whole-steps trajectory; 0: 512 in f32, 256 in f64"),

    WHOLE("--lead", FOR_SCENARIOS, info.lead, 0, 1000000,
          "Newton iterations before those recorded; of each step, with the same solver in every run"),
    ON_OFF("--lead-exact", FOR_SCENARIOS, info.lead_exact,
           "solve their systems exactly; by Cholesky of the stiffness form, not by 200 iterations of PCR"),
    WHOLE("--newton-iterations", FOR_BOTH, info.newton_iterations, 1, 1000000, "most Newton iterations per step"),
    NUMBER("--newton-tolerance", FOR_BOTH, info.newton_tolerance, "X", "m/s", 0, 1e6,
           "stop at this natural-map error [m/s]; exit status 1 where a step does not converge; 0: never stop early, "
           "or 1e-6 with --whole-steps trajectory of interior-point"),
    NUMBER("--relative-tolerance", FOR_PROBLEMS, info.relative_tolerance, "X", "1", 0, 1e6,
           "stop at this natural map over ||q||; impulses as velocities; exit status 1 if not converged; 0: never"),
    WHOLE("--linear-iterations", FOR_BOTH, info.linear_iterations, 1, 10000000, "most iterations per solve"),
    NUMBER("--linear-tolerance", FOR_BOTH, info.linear_tolerance, "X", "1", 0, 1,
           "stop at ||b - A x|| <= X ||b||; in the norm --linear-norm; 0: at round-off"),
    CHOICE("--linear-norm", FOR_BOTH, linear_norm,
           "norm of that tolerance, r = b - A x: |r|, verified; |P r|, verified; or sqrt(r . P r), not verified",
           "true", "preconditioned", "natural"),
    OPTION(NB_OPTION_ON_OFF, FOR_SCENARIOS, info.warm_start, "off|on|unconstrained", "--warm-start", "", 0, 0, 0, 0,
           CHOICES("off", "on", "unconstrained"),
           "initial guess: velocities and multipliers of the previous step; or, without multipliers, the velocities "
           "that bodies have without contacts and joints; off: from zeros; auto, bilevel, sap, single-level and "
           "smoothed take on"),
    CHOICE(
        "--geometry", FOR_SCENARIOS, geometry,
        "constraints that hold at the end of a step: joints and elements; none; contacts, too (the others are linear); "
        "linearized steps take frozen, methods that find contacts themselves updated",
        "joints", "frozen", "updated"),
    SETTING(
        "--solver-option", FOR_BOTH, solver_options, solver_option_count,
        "an option of the linear solver; such as variant=l1; of a list of solvers it applies to those that have it"),
    {NB_OPTION_OF_SOLVER,
     FOR_BOTH,
     AT(solver_options),
     AT(solver_option_count),
     "K",
     {"--recycle", "1", 0, 0, 100, 1, NULL, "deflate pcg, pcr by Ritz vectors; K of the systems before"}},
    SETTING("--preconditioner-option", FOR_BOTH, preconditioner_options, preconditioner_option_count,
            "an option of the preconditioner"),
    SETTING("--method-option", FOR_BOTH, method_options, method_option_count, "an option of the method"),

    {NB_OPTION_SEED,
     FOR_BOTH,
     AT(info.seed),
     0,
     "N",
     {"--seed", "1", 0, 0, 9007199254740992.0, 1, NULL, "seed of random numbers"}},
    WHOLE("--repeat", FOR_BOTH, info.repeats, 0, 100000,
          "timed repetitions after the recorded run; two or more: in random order over all runs"),
    WHOLE("--warmup", FOR_BOTH, info.warmup, 0, 100000, "untimed runs before the repetitions"),
    ON_OFF("--linear-history", FOR_BOTH, linear_history, "record the residual of every linear iteration"),
    ON_OFF("--reference", FOR_SCENARIOS, info.reference,
           "record true errors of the final step; of every iterate, against a separately computed solution"),
    ON_OFF("--reference-linear", FOR_BOTH, info.reference_linear,
           "record energy errors of all linear iterates; against its system's separately computed solution"),
    ON_OFF("--limits", FOR_BOTH, limits, "record the accuracy limits (91), (92); of the final step; dense and slow"),
    WHOLE("--store-states", FOR_SCENARIOS, frame_interval, 1, 10000000,
          "record bodies, particles and contacts every N steps; 144 bytes per contact, 104 per body; for ParaView too "
          "(VTKHDF)"),
    {NB_OPTION_SWITCH,
     FOR_SCENARIOS,
     AT(store_iterates),
     0,
     NULL,
     {"--store-iterates", "", 0, 0, 0, 0, NULL,
      "errors of contacts at each iteration of these steps; 4 bytes per contact and iteration; beyond iteration 100 "
      "those of two significant digits, and the last"}},
    {NB_OPTION_SWITCH,
     FOR_BOTH,
     AT(store_systems),
     0,
     NULL,
     {"--store-systems", "", 0, 0, 0, 0, NULL, "record A, b and factors of every Newton system"}},
};

enum {
    OWN = sizeof own / sizeof *own
};
_Static_assert(OWN + 48 < NB_OPTIONS_MOST, "room for the settings of the scene and the options of methods");

/* ---- all options ---- */

/* The harness's own with the settings of the scene among them, and behind them the options of methods; made when they
 * are asked for first. */
static struct {
    int count, own; /* of all; without those of methods */
    nb_request_option option[NB_OPTIONS_MOST];
    const nb_method_class *owner[NB_OPTIONS_MOST]; /* of those of methods */
    char name[NB_OPTIONS_MOST][NB_NAME_LENGTH];    /* with dashes, where the name is another table's */
} all;

static int is_own(const char *name) {
    for (int i = 0; i < all.own; i++)
        if (strcmp(all.option[i].option.name, name) == 0) return 1;
    return 0;
}

/* Adds an option that another table has, with dashes; its place. */
static int add_of_table(nb_request_option option) {
    const int n = all.count++;
    snprintf(all.name[n], NB_NAME_LENGTH, "--%s", option.option.name);
    all.option[n] = option;
    all.option[n].option.name = all.name[n];
    return n;
}

static void collect_of_scene(void) {
    static const nb_option_kind kinds[] = {
        [NB_SCENE_NUMBER] = NB_OPTION_NUMBER, [NB_SCENE_WHOLE] = NB_OPTION_WHOLE, [NB_SCENE_CHOICE] = NB_OPTION_ON_OFF};
    const nb_scene_setting *s;
    for (int i = 0; (s = nb_scene_setting_at(i)) != NULL && all.count < NB_OPTIONS_MOST; i++)
        add_of_table((nb_request_option){kinds[s->kind], s->of_files ? FOR_BOTH : FOR_SCENARIOS, AT(scene) + s->offset,
                                         0, s->argument, s->option});
}

static void collect_of_methods(void) {
    const nb_option *option;
    const nb_method_class *owner;
    char name[NB_NAME_LENGTH];
    for (int i = 0; (option = nb_method_option_at(i, &owner)) != NULL && all.count < NB_OPTIONS_MOST; i++) {
        snprintf(name, sizeof name, "--%s", option->name);
        if (is_own(name)) continue; /* by --method-option alone */
        all.owner[add_of_table((nb_request_option){NB_OPTION_OF_METHOD, FOR_BOTH, 0, 0,
                                                   option->choices   ? NULL
                                                   : option->integer ? "N"
                                                                     : "X",
                                                   *option})] = owner;
    }
}

int nb_request_option_count(void) {
    for (int i = 0; i < OWN && all.own == 0; i++) {
        if (strcmp(own[i].option.name, SCENE_BEFORE) == 0) collect_of_scene();
        all.option[all.count++] = own[i];
    }
    if (all.own > 0) return all.count;
    all.own = all.count;
    collect_of_methods();
    return all.count;
}

const nb_request_option *nb_request_option_at(int i) {
    return i < nb_request_option_count() ? &all.option[i] : NULL;
}

int nb_request_option_list(const nb_request_option *o) {
    const size_t list = o->kind == NB_OPTION_OF_METHOD ? AT(method_options) : AT(solver_options);
    int i = 0;
    if (o->kind != NB_OPTION_OF_METHOD && o->kind != NB_OPTION_OF_SOLVER) return -1;
    while (nb_request_option_at(i)->kind != NB_OPTION_SETTING || nb_request_option_at(i)->field != list) i++;
    return i;
}

/* the setting of the scene that it is, or NULL */
static const nb_scene_setting *setting_of(const nb_request_option *o) {
    const nb_scene_setting *setting;
    for (int i = 0; (setting = nb_scene_setting_at(i)) != NULL; i++)
        if (o->kind != NB_OPTION_OF_METHOD && o->field == AT(scene) + setting->offset) return setting;
    return NULL;
}

/* ---- from text ---- */

static nb_status find_choice(const nb_request_option *o, const char *text, int *found) {
    int count = 0;
    while (o->option.choices[count]) count++;
    return nb_name_choose(o->option.name, text, o->option.choices, count, found);
}

/* a number, or the word that stands for the standard one where that is none: what records hold is taken */
static nb_status find_number(const nb_request_option *o, const char *text, double *number) {
    const nb_scene_setting *setting = setting_of(o);
    if (setting && setting->word && strcmp(setting->word, text) == 0) {
        *number = setting->option.standard;
        return NB_OK;
    }
    return nb_options_set(&o->option, 1, "command line", o->option.name, text, number);
}

nb_status nb_request_copy_name(const char *option, const char *text, size_t length, char name[NB_NAME_LENGTH]) {
    if (length == 0 || length >= NB_NAME_LENGTH)
        return nb_fail(NB_ERROR_USAGE, "%s: '%.80s' is %s; at most %d characters are taken", option, text,
                       length == 0 ? "empty" : "too long", NB_NAME_LENGTH - 1);
    memcpy(name, text, length);
    name[length] = '\0';
    return NB_OK;
}

static nb_status add_setting(const nb_request_option *o, const char *name, const char *value, nb_request *request) {
    nb_setting *list = (nb_setting *)((char *)request + o->field);
    int *count = (int *)((char *)request + o->count_field);
    if (*count == NB_MAX_SETTINGS)
        return nb_fail(NB_ERROR_USAGE, "%s is given for more than %d names", o->option.name, NB_MAX_SETTINGS);
    if (strlen(value) == 0 || strlen(value) >= NB_SETTING_VALUE)
        return nb_fail(NB_ERROR_USAGE, "%s %s: '%.80s' is %s; at most %d characters are taken", o->option.name, name,
                       value, *value ? "too long" : "empty", NB_SETTING_VALUE - 1);
    nb_status status = nb_request_copy_name(o->option.name, name, strlen(name), list[*count].name);
    if (status == NB_OK) snprintf(list[(*count)++].value, NB_SETTING_VALUE, "%s", value);
    return status;
}

nb_status nb_request_option_apply(const nb_request_option *o, const char *name, const char *text, nb_request *request) {
    void *field = (char *)request + o->field;
    nb_status status = NB_OK;
    double number = 0;
    int choice = 0;
    switch (o->kind) {
    case NB_OPTION_NAME: NB_TRY(nb_request_copy_name(o->option.name, text, strlen(text), field)); break;
    case NB_OPTION_CHOICE:
        NB_TRY(find_choice(o, text, &choice));
        NB_TRY(nb_request_copy_name(o->option.name, text, strlen(text), field));
        break;
    case NB_OPTION_ON_OFF:
        NB_TRY(find_choice(o, text, &choice));
        *(int *)field = choice;
        break;
    case NB_OPTION_SWITCH: *(int *)field = 1; break;
    case NB_OPTION_PATH: *(const char **)field = text; break;
    case NB_OPTION_SETTING: NB_TRY(add_setting(o, name, text, request)); break;
    case NB_OPTION_WHOLE:
    case NB_OPTION_SEED:
    case NB_OPTION_NUMBER:
        NB_TRY(find_number(o, text, &number));
        if (o->kind == NB_OPTION_WHOLE) *(int32_t *)field = (int32_t)number;
        if (o->kind == NB_OPTION_SEED) *(uint64_t *)field = (uint64_t)number;
        if (o->kind == NB_OPTION_NUMBER) *(double *)field = number;
        break;
    case NB_OPTION_OF_SOLVER:
    case NB_OPTION_OF_METHOD:
        NB_TRY(o->option.choices ? find_choice(o, text, &choice) : find_number(o, text, &number));
        NB_TRY(add_setting(nb_request_option_at(nb_request_option_list(o)), o->option.name + 2, text, request));
        break;
    }
out:
    return status;
}

/* ---- to text ---- */

/* whether an option of the command line, of this kind, sets this one of a list */
static int has_short_form(nb_option_kind kind, const char *name) {
    const nb_request_option *o;
    for (int i = 0; (o = nb_request_option_at(i)) != NULL; i++)
        if (o->kind == kind && strcmp(o->option.name + 2, name) == 0) return 1;
    return 0;
}

/* those that have no option of their own */
static void settings_text(const nb_setting *list, int count, nb_option_kind shorts, char text[NB_OPTION_TEXT]) {
    size_t used = 0;
    *text = '\0';
    for (int i = 0; i < count && used < NB_OPTION_TEXT; i++)
        if (!has_short_form(shorts, list[i].name))
            used += (size_t)snprintf(text + used, NB_OPTION_TEXT - used, "%s%s=%s", used ? " " : "", list[i].name,
                                     list[i].value);
}

/* as it was set, or else as the run has it */
static double method_value(const nb_request_option *o, const nb_request *request) {
    nb_option option = o->option;
    option.name += 2;
    double value = 0;
    nb_method_option_values(&request->info, &option, 1, &value);
    for (int i = 0; i < request->method_option_count; i++)
        if (strcmp(request->method_options[i].name, option.name) == 0)
            (void)nb_options_set(&option, 1, "", option.name, request->method_options[i].value, &value);
    return value;
}

/* as it was set, or else its standard value */
static void solver_text(const nb_request_option *o, const nb_request *request, char text[NB_OPTION_TEXT]) {
    snprintf(text, NB_OPTION_TEXT, "%g", o->option.standard);
    for (int i = 0; i < request->solver_option_count; i++)
        if (strcmp(request->solver_options[i].name, o->option.name + 2) == 0)
            snprintf(text, NB_OPTION_TEXT, "%s", request->solver_options[i].value);
}

void nb_request_option_text(const nb_request_option *o, const nb_request *request, int digits,
                            char text[NB_OPTION_TEXT]) {
    const size_t size = NB_OPTION_TEXT;
    const void *field = (const char *)request + o->field;
    const nb_scene_setting *setting = setting_of(o);
    const nb_scene_settings scene = nb_request_scene(request);
    if (setting) {
        nb_scene_setting_text(setting, &scene, digits, text, size);
        return;
    }
    switch (o->kind) {
    case NB_OPTION_NAME:
    case NB_OPTION_CHOICE: snprintf(text, size, "%s", (const char *)field); break;
    case NB_OPTION_ON_OFF: /* left open: the first */
        snprintf(text, size, "%s", o->option.choices[*(const int *)field > 0 ? *(const int *)field : 0]);
        break;
    case NB_OPTION_SWITCH: snprintf(text, size, "%s", *(const int *)field ? "on" : "off"); break;
    case NB_OPTION_PATH:
        snprintf(text, size, "%s", *(const char *const *)field ? *(const char *const *)field : "");
        break;
    case NB_OPTION_WHOLE: snprintf(text, size, "%d", *(const int32_t *)field); break;
    case NB_OPTION_SEED: snprintf(text, size, "%llu", (unsigned long long)*(const uint64_t *)field); break;
    case NB_OPTION_NUMBER: snprintf(text, size, "%.*g", digits, *(const double *)field); break;
    case NB_OPTION_SETTING:
        settings_text(field, *(const int *)((const char *)request + o->count_field),
                      o->field == AT(method_options)   ? NB_OPTION_OF_METHOD
                      : o->field == AT(solver_options) ? NB_OPTION_OF_SOLVER
                                                       : NB_OPTION_SETTING,
                      text);
        break;
    case NB_OPTION_OF_SOLVER: solver_text(o, request, text); break;
    case NB_OPTION_OF_METHOD: nb_option_text(&o->option, method_value(o, request), digits, text, size); break;
    }
}

/* ---- for --help ---- */

/* the headings in --help, each before the option `first`; those of methods are made */
static const struct {
    const char *first, *title;
    int details; /* 1: the short --help has the names alone */
} headers[] = {
    {"--method", "Solvers:", 0},
    {"--steps", "Scenario:", 0},
    {"--batch", "Copies of the scene:", 1},
    {"--contact-margin", "Contacts and friction:", 1},
    {"--time-stepping", "Time stepping:", 1},
    {"--lead", "Iterations:", 0},
    {"--seed", "Measurement and record:", 0},
};

enum {
    HEADERS = sizeof headers / sizeof *headers,
    LAST_GROUP = 90
};

/* whether a request leaves it to the scenario; of numbers, where one is outside its range (0 or NaN) */
static int is_open(const nb_request_option *o, const char *value) {
    const int number = o->kind == NB_OPTION_WHOLE || o->kind == NB_OPTION_NUMBER;
    return o->field == AT(info.method) || o->field == AT(info.warm_start) ||
           (number && !(strtod(value, NULL) >= o->option.minimum));
}

/* what stands for what is filled in later */
static void describe_open(const nb_request_option *o, int for_problems, char text[NB_OPTION_TEXT]) {
    if (for_problems && o->field == AT(info.method))
        snprintf(text, NB_OPTION_TEXT, "newton");
    else if (for_problems)
        snprintf(text, NB_OPTION_TEXT, "%d", NB_PROBLEM_ITERATIONS);
    else
        snprintf(text, NB_OPTION_TEXT, "%s", o->field == AT(frame_interval) ? "never" : "the scenario's own");
}

/* "what it is [m/s]; and more": of a method, as the harness's own have their units in their texts */
static void describe_summary(const nb_request_option *o, char text[NB_OPTION_TEXT]) {
    const char *summary = o->option.summary, *units = o->option.units, *end = strchr(summary, ';');
    const int length = end ? (int)(end - summary) : (int)strlen(summary);
    if (o->kind != NB_OPTION_OF_METHOD || !*units || strcmp(units, "1") == 0)
        snprintf(text, NB_OPTION_TEXT, "%s", summary);
    else
        snprintf(text, NB_OPTION_TEXT, "%.*s [%s]%s", length, summary, units, summary + length);
}

/* "what it is [default]" */
static void describe(const nb_request_option *o, const nb_request *standard, int for_problems,
                     char text[NB_OPTION_TEXT]) {
    char value[NB_OPTION_TEXT] = "";
    if (o->kind != NB_OPTION_SETTING && o->kind != NB_OPTION_SWITCH) nb_request_option_text(o, standard, 6, value);
    const nb_scene_setting *setting = setting_of(o);
    if (setting && setting->open && !for_problems) /* which have no scenario */
        snprintf(value, sizeof value, "%s", setting->open);
    else if (!setting && is_open(o, value))
        describe_open(o, for_problems, value);
    /* newton's */
    if (o->field == AT(info.linear_solver)) snprintf(value, sizeof value, "pcr");
    if (o->field == AT(info.preconditioner)) snprintf(value, sizeof value, "jacobi");
    describe_summary(o, text);
    const size_t used = strlen(text);
    if (*value) snprintf(text + used, NB_OPTION_TEXT - used, " [%.100s]", value);
}

static int takes(const nb_method_class *method, nb_request_use use) {
    if (use == NB_USE_DERIVATIVES) return method->differentiate != NULL;
    return use == NB_USE_RUNS || !(method->finds_contacts || method->springs || method->gives_way);
}

/* whether it is of methods alone that are refused */
static int is_refused(int i, nb_request_use use) {
    int refused = all.owner[i] != NULL;
    for (int m = 0; nb_methods[m] && refused; m++)
        refused = !takes(nb_methods[m], use) || nb_method_option_place(nb_methods[m], all.name[i] + 2) < 0;
    return refused;
}

/* "a|b" for a choice, "NAME", ... */
static void describe_argument(const nb_request_option *o, char text[NB_NAME_LENGTH]) {
    size_t used = 0;
    snprintf(text, NB_NAME_LENGTH, "%s", o->argument ? o->argument : "");
    for (int i = 0; o->option.choices && o->option.choices[i] && used < NB_NAME_LENGTH; i++)
        used += (size_t)snprintf(text + used, NB_NAME_LENGTH - used, "%s%s", i ? "|" : "", o->option.choices[i]);
}

/* The heading of option `i`, where it begins a group, whose number that is; those of methods come before the last of
 * the harness's own. */
static const char *heading(int i, int *group, int *details, char made[NB_NAME_LENGTH]) {
    if (all.owner[i] && (i == all.own || all.owner[i] != all.owner[i - 1])) {
        *group = i == all.own ? HEADERS : *group + 1;
        *details = 1;
        snprintf(made, NB_NAME_LENGTH, "Method %s:", all.owner[i]->name);
        return made;
    }
    for (int h = 0; h < HEADERS; h++)
        if (strcmp(nb_request_option_at(i)->option.name, headers[h].first) == 0) {
            *group = h + 1 < HEADERS ? h + 1 : LAST_GROUP;
            *details = headers[h].details;
            return headers[h].title;
        }
    return NULL;
}

/* Adds the other spellings that the owner has for the option that the list ends with; returns how long it then is.
 * --help has one spelling of each. */
static int add_spellings(struct argp_option *list, int n, const nb_method_class *owner) {
    const struct argp_option written = list[n - 1];
    for (const char *const(*s)[2] = owner ? owner->spellings : NULL; s && (*s)[0]; s++) {
        if (strcmp((*s)[0], written.name) != 0) continue;
        list[n] = written;
        list[n].name = (*s)[1];
        list[n++].flags = OPTION_ALIAS | OPTION_HIDDEN;
    }
    return n;
}

const struct argp_option *nb_request_arguments(nb_request_use use) {
    static struct argp_option list[2 * NB_OPTIONS_MOST];
    static char texts[NB_OPTIONS_MOST][NB_OPTION_TEXT], arguments[NB_OPTIONS_MOST][NB_NAME_LENGTH],
        titles[NB_OPTIONS_MOST][NB_NAME_LENGTH];
    static nb_request standard;
    nb_request_standard(&standard);
    const int for_problems = use == NB_USE_PROBLEMS;
    int n = 0, group = 0, details = 0;
    const char *title = NULL; /* of a group that has no option yet: an empty group has none */
    for (int i = 0; i < nb_request_option_count(); i++) {
        const nb_request_option *o = nb_request_option_at(i);
        const char *next = heading(i, &group, &details, titles[i]);
        if (next) title = next;
        if (!(o->use & (for_problems ? FOR_PROBLEMS : FOR_SCENARIOS))) continue;
        const int hidden = is_refused(i, use);
        if (title && !hidden)
            list[n++] = (struct argp_option){.doc = title, .group = group, .flags = details ? NB_OPTION_DETAILS : 0};
        if (!hidden) title = NULL;
        describe(o, &standard, for_problems, texts[i]);
        describe_argument(o, arguments[i]);
        list[n++] = (struct argp_option){.name = o->option.name + 2,
                                         .key = NB_OPTION_KEY + i,
                                         .arg = *arguments[i] ? arguments[i] : NULL,
                                         .flags = hidden ? OPTION_HIDDEN : 0,
                                         .doc = texts[i],
                                         .group = group};
        n = add_spellings(list, n, all.owner[i]);
    }
    list[n] = (struct argp_option){0};
    return list;
}
