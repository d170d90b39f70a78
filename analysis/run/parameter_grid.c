#include "run/parameter_grid.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "file/scene_file.h"
#include "registry.h"
#include "run/defaults.h"
#include "run/find_scenario.h"
#include "run/method_options.h"
#include "run/resolve.h"

NB_PRECISIONS(f64);

enum {
    MOST_VALUES = NB_PARAMETER_GRID_MOST_RUNS
};

/* One thing that varies: an option (or one NAME of a setting) and its values; option -1 is the scenario or problem. */
typedef struct axis {
    int option;
    char *name; /* of a setting, else NULL */
    char **values;
    int64_t count, capacity;
} axis;

struct nb_parameter_grid {
    axis *axes;
    int64_t count, capacity;
    int problems;    /* the first axis holds paths of problem files */
    const char *rhs; /* of their linear systems, or NULL */
};

static void clear_axis(axis *a) {
    for (int64_t i = 0; i < a->count; i++) nb_free(a->values[i]);
    nb_free(a->values);
    nb_free(a->name);
    *a = (axis){.option = a->option};
}

nb_status nb_parameter_grid_create(nb_parameter_grid **grid) {
    nb_status status;
    NB_TRY(NB_ALLOCATE(1, grid));
    NB_TRY(NB_RESERVE(1, &(*grid)->capacity, &(*grid)->axes));
    (*grid)->axes[0].option = -1;
    (*grid)->count = 1;
out:
    if (status != NB_OK) {
        nb_parameter_grid_destroy(*grid);
        *grid = NULL;
    }
    return status;
}

void nb_parameter_grid_destroy(nb_parameter_grid *grid) {
    if (!grid) return;
    for (int64_t i = 0; i < grid->count; i++) clear_axis(&grid->axes[i]);
    nb_free(grid->axes);
    nb_free(grid);
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

/* reads a scene file, once and for all; a path that is too long for a name gives way to the name of its scene */
static nb_status take_scene_file(char **value) {
    const nb_scenario_class *scenario;
    nb_status status;
    char *name;
    if (!nb_scene_file_is(*value)) return NB_OK;
    NB_TRY(nb_scene_file_find(*value, NULL, &scenario));
    if (strlen(*value) < NB_NAME_LENGTH) return NB_OK;
    NB_TRY(nb_copy_text(scenario->name, &name));
    nb_free(*value);
    *value = name;
out:
    return status;
}

nb_status nb_parameter_grid_add_scenarios(nb_parameter_grid *grid, const char *names) {
    axis *a = &grid->axes[0];
    nb_status status = add_list(a, "scenario", names);
    for (int64_t i = 0; i < a->count && status == NB_OK; i++) status = take_scene_file(&a->values[i]);
    return status;
}

nb_status nb_parameter_grid_add_problem(nb_parameter_grid *grid, const char *path) {
    grid->problems = 1;
    return add_value(&grid->axes[0], "problem", path, strlen(path));
}

nb_status nb_parameter_grid_replace_problem(nb_parameter_grid *grid, const char *path) {
    clear_axis(&grid->axes[0]);
    return nb_parameter_grid_add_problem(grid, path);
}

/* the axis of this option (and setting name), emptied or new */
static nb_status find_axis(nb_parameter_grid *grid, int option, const char *name, axis **found) {
    for (int64_t i = 1; i < grid->count; i++) {
        axis *a = &grid->axes[i];
        if (a->option != option || (name && strcmp(name, a->name) != 0)) continue;
        clear_axis(a);
        *found = a;
        return name ? nb_copy_text(name, &a->name) : NB_OK;
    }
    nb_status status;
    NB_TRY(NB_RESERVE(grid->count + 1, &grid->capacity, &grid->axes));
    *found = &grid->axes[grid->count++];
    **found = (axis){.option = option};
    if (name) NB_TRY(nb_copy_text(name, &(*found)->name));
out:
    return status;
}

/* cuts NAME=VALUE in two */
static nb_status split_setting(const nb_request_option *o, const char *text, char name[NB_NAME_LENGTH],
                               const char **value) {
    const char *sign = strchr(text, '=');
    if (!sign || sign == text) return nb_fail(NB_ERROR_USAGE, "%s takes NAME=VALUE, not '%.80s'", o->option.name, text);
    *value = sign + 1;
    return nb_request_copy_name(o->option.name, text, (size_t)(sign - text), name);
}

/* the items of a comma list, or, of the preconditioner `all`, all that there are but for those that are another one on
 * symmetric systems */
static nb_status add_values(axis *a, const nb_request_option *o, const char *what, const char *text) {
    const nb_preconditioner_class *one;
    nb_status status = NB_OK;
    if (strcmp(o->option.name, "--preconditioner") != 0 || strcmp(text, "all") != 0) return add_list(a, what, text);
    for (int i = 0; (one = nb_preconditioner_at(i)) != NULL && status == NB_OK; i++)
        if (!one->of_symmetric) status = add_value(a, what, one->name, strlen(one->name));
    return status;
}

nb_status nb_parameter_grid_set(nb_parameter_grid *grid, int key, const char *text, int *known) {
    int option = key - NB_OPTION_KEY;
    *known = option >= 0 && option < nb_request_option_count();
    if (!*known) return NB_OK;
    const nb_request_option *o = nb_request_option_at(option);
    char name[NB_NAME_LENGTH] = "", what[NB_NAME_LENGTH + 32];
    axis *a = NULL;
    nb_request *scratch = NULL; /* too large for the stack of every caller */
    nb_status status;
    NB_TRY(NB_ALLOCATE(1, &scratch));
    if (o->kind == NB_OPTION_SETTING) NB_TRY(split_setting(o, text, name, &text));
    if (o->kind == NB_OPTION_SWITCH) text = "on";
    snprintf(what, sizeof what, "%s%s%s", o->option.name, *name ? " " : "", name);
    if (nb_request_option_list(o) >= 0) {
        option = nb_request_option_list(o);
        snprintf(name, sizeof name, "%s", o->option.name + 2);
    }
    NB_TRY(find_axis(grid, option, *name ? name : NULL, &a));
    NB_TRY(add_values(a, o, what, text));
    for (int64_t i = 0; i < a->count; i++) {
        scratch->setting_count = scratch->solver_option_count = scratch->preconditioner_option_count =
            scratch->method_option_count = 0;
        NB_TRY(nb_request_option_apply(o, name, a->values[i], scratch));
    }
out:
    nb_free(scratch);
    return status;
}

nb_status nb_parameter_grid_set_solver(nb_parameter_grid *grid, const char *what, const char *name, int count,
                                       const char *const *values) {
    nb_status status;
    axis *a;
    int option = 0;
    while (strcmp(nb_request_option_at(option)->option.name, "--solver-option") != 0) option++;
    NB_TRY(find_axis(grid, option, name, &a));
    for (int i = 0; i < count; i++) NB_TRY(add_value(a, what, values[i], strlen(values[i])));
out:
    return status;
}

void nb_parameter_grid_set_rhs(nb_parameter_grid *grid, const char *rhs) {
    grid->rhs = rhs;
}

nb_status nb_parameter_grid_count_up_to(const nb_parameter_grid *grid, int64_t most, int64_t *count) {
    *count = 1;
    for (int64_t i = 0; i < grid->count; i++) {
        *count *= grid->axes[i].count; /* of at most MOST_VALUES */
        if (*count > most)
            return nb_fail(NB_ERROR_USAGE, "the lists of values give more than %lld runs; ask for fewer combinations",
                           (long long)most);
    }
    return NB_OK;
}

nb_status nb_parameter_grid_count(const nb_parameter_grid *grid, int64_t *count) {
    return nb_parameter_grid_count_up_to(grid, NB_PARAMETER_GRID_MOST_RUNS, count);
}

/* the path, and the file's base name (its beginning, where it is long) as the scene */
static void set_problem(nb_request *request, const char *path) {
    const char *slash = strrchr(path, '/');
    request->problem_path = path;
    snprintf(request->info.scenario, NB_NAME_LENGTH, "%s", slash ? slash + 1 : path);
}

/* ---- options for some in a list ---- */

/* what options are of: the option that names it, and in a request its settings */
typedef struct owner_kind {
    const char *named_by; /* "" of scenarios: the first axis */
    size_t settings, count;
} owner_kind;

enum {
    OF_SCENARIO,
    OF_SOLVER,
    OF_PRECONDITIONER,
    OF_METHOD,
    OWNER_KINDS
};

static const owner_kind owner_kinds[OWNER_KINDS] = {
    [OF_SCENARIO] = {"", offsetof(nb_request, settings), offsetof(nb_request, setting_count)},
    [OF_SOLVER] = {"--linear-solver", offsetof(nb_request, solver_options), offsetof(nb_request, solver_option_count)},
    [OF_PRECONDITIONER] = {"--preconditioner", offsetof(nb_request, preconditioner_options),
                           offsetof(nb_request, preconditioner_option_count)},
    [OF_METHOD] = {"--method", offsetof(nb_request, method_options), offsetof(nb_request, method_option_count)},
};

static int find_option(const nb_option *options, int count, const char *name) {
    for (int i = 0; i < count; i++)
        if (strcmp(options[i].name, name) == 0) return 1;
    return 0;
}

/* whether the scenario, solver, ... of this name has the option; one that is unknown is refused elsewhere */
static int owner_has(int kind, const char *owner, const char *name) {
    const nb_scenario_class *scenario;
    const nb_linear_solver_class *solver;
    const nb_preconditioner_class *preconditioner;
    const nb_method_class *method;
    switch (kind) {
    case OF_SCENARIO:
        return nb_scenario_find(owner, &scenario) == NB_OK &&
               find_option(scenario->parameters, scenario->parameter_count, name);
    case OF_SOLVER:
        return nb_linear_solver_find(owner, &solver) == NB_OK &&
               find_option(solver->options, solver->option_count, name);
    case OF_PRECONDITIONER:
        return nb_preconditioner_find(owner, &preconditioner) == NB_OK &&
               find_option(preconditioner->options, preconditioner->option_count, name);
    default: return nb_method_find(owner, &method) == NB_OK && nb_method_option_place(method, name) >= 0;
    }
}

/* the axis of this option; "" of scenarios; NULL where it was not given */
static const axis *axis_of(const nb_parameter_grid *grid, const char *option) {
    for (int64_t a = 0; a < grid->count; a++) {
        const axis *x = &grid->axes[a];
        if (strcmp(x->option < 0 ? "" : nb_request_option_at(x->option)->option.name, option) == 0) return x;
    }
    return NULL;
}

/* the method, which may be left open; "" of a problem file's scenario */
static const char *method_for(const char *method, const char *scenario_name, const nb_request *request) {
    const nb_scenario_class *scenario = NULL;
    if (*method) return method;
    if (*scenario_name && nb_scenario_find(scenario_name, &scenario) != NB_OK) return "";
    return nb_default_method(scenario, request);
}

/* The methods of the grid's runs, one after the other, some more than once; NULL after the last. The request is any of
 * the grid: all ask for the same settings. */
static const char *method_at(const nb_parameter_grid *grid, const nb_request *request, int64_t i) {
    const axis *methods = axis_of(grid, "--method"), *scenes = &grid->axes[0];
    const int64_t scene_count = grid->problems ? 1 : scenes->count;
    if (i >= (methods ? methods->count : 1) * scene_count) return NULL;
    return method_for(methods ? methods->values[i / scene_count] : "",
                      grid->problems ? "" : scenes->values[i % scene_count], request);
}

static const char *method_in(const nb_request *request) {
    return method_for(request->info.method, request->problem_path ? "" : request->info.scenario, request);
}

/* the solver or preconditioner that a method takes where none is named */
static const char *standard_of(int kind, const char *method_name, int scene) {
    const nb_method_class *method;
    if (nb_method_find(method_name, &method) != NB_OK) return "";
    return kind == OF_SOLVER ? nb_method_linear_solver(method, scene) : nb_method_preconditioner(method, scene);
}

/* whether one in the grid's list has the option */
static int some_has(const nb_parameter_grid *grid, const nb_request *request, int kind, const char *name) {
    const axis *named = axis_of(grid, owner_kinds[kind].named_by);
    const char *method;
    for (int64_t i = 0; named && i < named->count; i++)
        if (owner_has(kind, named->values[i], name)) return 1;
    for (int64_t i = 0; !named && (method = method_at(grid, request, i)) != NULL; i++)
        if (owner_has(kind, kind == OF_METHOD ? method : standard_of(kind, method, !grid->problems), name)) return 1;
    return 0;
}

static const char *owner_in(int kind, const nb_request *request) {
    const nb_run_info *info = &request->info;
    if (kind == OF_SCENARIO) return info->scenario;
    if (kind == OF_METHOD) return method_in(request);
    const char *name = kind == OF_SOLVER ? info->linear_solver : info->preconditioner;
    return *name ? name : standard_of(kind, method_in(request), !request->problem_path);
}

/* An option that others in the list have applies to these: a run is not refused for it. What none has stays, and is
 * refused. */
static void drop_options(const nb_parameter_grid *grid, nb_request *request, int kind) {
    nb_setting *settings = (nb_setting *)(void *)((char *)request + owner_kinds[kind].settings);
    int *count = (int *)(void *)((char *)request + owner_kinds[kind].count), kept = 0;
    const char *owner = owner_in(kind, request);
    for (int i = 0; i < *count; i++)
        if (owner_has(kind, owner, settings[i].name) || !some_has(grid, request, kind, settings[i].name))
            settings[kept++] = settings[i];
    *count = kept;
}

static int has_limits(const nb_method_class *method) {
    return method->limits != 0;
}

/* whether a method of the grid is such, and the run's is not */
static int others_are(const nb_parameter_grid *grid, const nb_request *request,
                      int (*is)(const nb_method_class *method)) {
    const nb_method_class *method;
    const char *name;
    int some = 0;
    for (int64_t i = 0; !some && (name = method_at(grid, request, i)) != NULL; i++)
        some = nb_method_find(name, &method) == NB_OK && is(method);
    return some && nb_method_find(method_in(request), &method) == NB_OK && !is(method);
}

/* and of --size */
static void drop_size(const nb_parameter_grid *grid, nb_request *request) {
    const nb_scenario_class *scenario;
    int some = 0;
    for (int64_t i = 0; i < grid->axes[0].count; i++)
        some |= nb_scenario_find(grid->axes[0].values[i], &scenario) == NB_OK && scenario->size_parameter >= 0;
    if (some && nb_scenario_find(request->info.scenario, &scenario) == NB_OK && scenario->size_parameter < 0)
        request->size = NAN;
}

static void drop_unused(const nb_parameter_grid *grid, nb_request *request) {
    for (int kind = grid->problems ? OF_SOLVER : OF_SCENARIO; kind < OWNER_KINDS; kind++)
        drop_options(grid, request, kind);
    if (others_are(grid, request, has_limits)) request->limits = 0;
    if (!grid->problems) drop_size(grid, request);
}

/* ---- requests ---- */

nb_status nb_parameter_grid_request(const nb_parameter_grid *grid, int64_t i, nb_request *request) {
    nb_status status = NB_OK;
    nb_request_standard(request);
    for (int64_t a = grid->count - 1; a >= 0; a--) { /* the last axis varies fastest */
        const axis *x = &grid->axes[a];
        const char *value = x->values[i % x->count];
        i /= x->count;
        if (x->option >= 0)
            NB_TRY(nb_request_option_apply(nb_request_option_at(x->option), x->name, value, request));
        else if (grid->problems)
            set_problem(request, value), request->rhs = grid->rhs;
        else
            NB_TRY(nb_request_copy_name("scenario", value, strlen(value), request->info.scenario));
    }
    drop_unused(grid, request);
out:
    return status;
}

/* whether the axis is that of option `i` */
static int is_of(const axis *x, int i) {
    const nb_request_option *o = nb_request_option_at(i);
    if (nb_request_option_list(o) < 0) return x->option == i;
    return x->option == nb_request_option_list(o) && strcmp(x->name, o->option.name + 2) == 0;
}

char *const *nb_parameter_grid_values(const nb_parameter_grid *grid, const char *option, int64_t *count) {
    int place = 0;
    while (strcmp(nb_request_option_at(place)->option.name, option) != 0) place++;
    *count = 0;
    for (int64_t a = 1; a < grid->count; a++) {
        if (!is_of(&grid->axes[a], place)) continue;
        *count = grid->axes[a].count;
        return grid->axes[a].values;
    }
    return NULL;
}

int nb_parameter_grid_varies(const nb_parameter_grid *grid, int i) {
    for (int64_t a = 1; a < grid->count; a++)
        if (is_of(&grid->axes[a], i) && grid->axes[a].count > 1) return 1;
    return 0;
}

int nb_parameter_grid_given(const nb_parameter_grid *grid, int64_t i, nb_given_option *given) {
    if (i + 1 >= grid->count) return 0;
    const axis *x = &grid->axes[i + 1];
    *given = (nb_given_option){x->option, x->name, x->values, x->count};
    return 1;
}

const char *nb_parameter_grid_lacks(const nb_given_option *given, const nb_request *request) {
    for (int kind = 0; given->name && kind < OWNER_KINDS; kind++)
        if (nb_request_option_at(given->option)->field == owner_kinds[kind].settings &&
            !owner_has(kind, owner_in(kind, request), given->name))
            return owner_in(kind, request);
    return NULL;
}
