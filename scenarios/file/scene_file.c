#include "file/scene_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "file/json_input.h"
#include "file/scene_expect.h"
#include "file/scene_members.h"
#include "file/scene_parts.h"

enum {
    NAME = 64, /* as records have it, with its end */
    OPTIONS = 64
};

struct nb_scene_file {
    nb_json_file *json;
    char checksum[24];
    char name[NAME], method[NAME];
    char texts[OPTIONS][2][NAME];        /* of the method's options: name, value */
    const char *options[OPTIONS + 1][2]; /* the same, up to {NULL} */
    char friction[200];                  /* what is to be known of it, or "" */
    nb_scene_expectations expected;
    nb_scene_settings settings;
    nb_paper_steps steps;
    nb_scenario_class class;
};

enum {
    MU
};
static const nb_option parameters[] = {
    {"mu", "1", -1, -1, 10, 0, NULL, "friction of all bodies, pairs and particles; -1: each has its own"}};

/* ---- settings ---- */

static nb_status read_setting(const nb_input_at *at, const nb_scene_setting *setting, nb_scene_settings *settings) {
    const char *text = NULL;
    char number[32];
    nb_status status = NB_OK;
    double x;
    if (setting->kind == NB_SCENE_CHOICE || (setting->word && nb_input_is_text(at))) {
        NB_TRY(nb_input_text(at, &text));
    } else {
        NB_TRY(nb_input_real(at, &x));
        snprintf(number, sizeof number, "%.17g", x);
        text = number;
    }
    status = nb_scene_explain(at, nb_scene_setting_read(setting, "settings", text, settings));
out:
    return status;
}

/* The program writes all settings: a file of its own without this one is of a version whose torque was explicit. */
static void fill_gyroscopic(const nb_input_at *scene, const nb_input_at *settings, nb_scene_settings *to) {
    if (nb_input_member(scene, "ncpbench_version").value && !nb_input_member(settings, "gyroscopic-torque").value)
        to->gyroscopic = NB_GYROSCOPIC_EXPLICIT;
}

static nb_status read_settings(const nb_input_at *scene, nb_scene_settings *settings) {
    nb_status status = NB_OK;
    const nb_input_at object = nb_input_member(scene, "settings");
    const nb_scene_setting *setting;
    if (object.value) NB_TRY(nb_scene_check_members(&object, &nb_scene_settings_members));
    for (int i = 0; (setting = nb_scene_setting_at(i)) != NULL; i++) {
        const char *other = nb_scene_member_of_setting(setting->option.name);
        const nb_input_at at = nb_input_member(other ? scene : &object, other ? other : setting->option.name);
        if (at.value) NB_TRY(read_setting(&at, setting, settings));
    }
    fill_gyroscopic(scene, &object, settings);
out:
    return status;
}

static nb_status check_settings(const nb_input_at *scene, const nb_scene_settings *settings) {
    const nb_input_at margin = nb_input_member(scene, "contact_margin_m");
    if (settings->contact_margin > 0) return NB_OK;
    return nb_input_fail(&margin, "%g m must be positive", settings->contact_margin);
}

/* ---- how its steps are made ---- */

static nb_status read_option(const nb_input_at *at, char texts[2][NAME]) {
    nb_status status;
    const char *text = NULL;
    double number;
    if (nb_input_is_text(at)) {
        NB_TRY(nb_input_text(at, &text));
        if (strlen(text) >= NAME) NB_TRY(nb_input_fail(at, "is longer than %d characters", NAME - 1));
        snprintf(texts[1], NAME, "%s", text);
    } else {
        NB_TRY(nb_input_real(at, &number));
        snprintf(texts[1], NAME, "%.17g", number);
    }
    if (strlen(at->key) >= NAME) NB_TRY(nb_input_fail(at, "is longer than an option's name"));
    snprintf(texts[0], NAME, "%s", at->key);
out:
    return status;
}

/* Options of the method, as the command line calls them; whether the method has them, it says itself. */
static nb_status read_options(const nb_input_at *run, struct nb_scene_file *f) {
    nb_status status;
    nb_input_at at;
    const nb_input_at list = nb_input_member(run, "options");
    if (!list.value) return NB_OK;
    NB_TRY(nb_input_object(&list, NULL));
    for (int i = 0; nb_input_entry(&list, i, &at); i++) {
        if (i == OPTIONS) return nb_input_fail(&list, "has more than %d members", OPTIONS);
        NB_TRY(read_option(&at, f->texts[i]));
        for (int k = 0; k < 2; k++) f->options[i][k] = f->texts[i][k];
    }
    f->steps.options = (const char *const(*)[2])f->options;
out:
    return status;
}

static nb_status read_run(const nb_input_at *scene, struct nb_scene_file *f) {
    nb_status status;
    nb_scene_head head = {.time_step = 0.01};
    nb_scene_run_values values = {.method = "", .steps = 60, .linear_iterations = 20};
    const nb_input_at run = nb_input_member(scene, "run"), named = nb_input_member(&run, "method"),
                      h = nb_input_member(scene, "time_step_s");
    NB_TRY(nb_scene_fill(scene, &nb_scene_members, NULL, &head));
    if (!(head.time_step >= 1e-9 && head.time_step <= 10))
        return nb_input_fail(&h, "%g s is out of range (1e-9 to 10)", head.time_step);
    if (run.value) NB_TRY(nb_scene_fill(&run, &nb_scene_run_members, NULL, &values));
    if (strlen(values.method) >= sizeof f->method) return nb_input_fail(&named, "is longer than a method's name");
    snprintf(f->method, sizeof f->method, "%s", values.method);
    f->class.time_step = head.time_step;
    f->class.steps = values.steps;
    f->class.newton_iterations = values.newton_iterations > 0 ? values.newton_iterations : 6;
    f->class.linear_iterations = values.linear_iterations;
    f->steps.iterations = values.newton_iterations;
    f->steps.warm_start = values.warm_start;
    if (run.value) NB_TRY(read_options(&run, f));
out:
    return status;
}

/* ---- the world ---- */

static nb_status read_world(const nb_input_at *scene, nb_world *world) {
    nb_status status;
    nb_scene_head head = {.time = world->time, .gravity = world->gravity, .planar = world->planar};
    NB_TRY(nb_scene_fill(scene, &nb_scene_members, NULL, &head));
    world->time = head.time;
    world->gravity = head.gravity;
    world->planar = head.planar;
    NB_TRY(read_settings(scene, &world->settings));
    NB_TRY(check_settings(scene, &world->settings));
    NB_TRY(nb_scene_read_shapes(scene, world));
    NB_TRY(nb_scene_read_bodies(scene, world));
    NB_TRY(nb_scene_read_soft(scene, world));
    NB_TRY(nb_scene_read_motion(scene, world));
    if (world->body_count + world->particle_count == 0)
        status = nb_input_fail(scene, "there are neither bodies nor particles");
out:
    return status;
}

static nb_status build_world(const nb_json_file *json, nb_world **world) {
    nb_status status = nb_world_create(world);
    if (status != NB_OK) return status;
    const nb_input_at scene = nb_input_root(json);
    status = read_world(&scene, *world);
    if (status != NB_OK) {
        nb_world_destroy(*world);
        *world = NULL;
    }
    return status;
}

static nb_status build(const struct nb_scene_file *file, const double *values, nb_world **world) {
    const double mu = values[MU];
    if (mu < 0 && mu != -1)
        return nb_fail(NB_ERROR_USAGE, "scenario '%.200s': mu = %g must be a number from 0 on, or -1", file->name, mu);
    nb_status status = build_world(file->json, world);
    if (status != NB_OK || mu < 0) return status;
    for (int32_t i = 0; i < (*world)->body_count; i++) (*world)->bodies[i].friction = mu;
    for (int32_t i = 0; i < (*world)->particle_count; i++) (*world)->particles[i].friction = mu;
    for (int32_t i = 0; i < (*world)->pair_count; i++) (*world)->pairs[i].friction = mu;
    return NB_OK;
}

/* what the file expects, with the friction that it has */
static void check(const struct nb_scene_file *file, const double *values, const nb_world *initial,
                  const nb_snapshot *final, nb_checks *checks) {
    const int first = checks->count;
    nb_scene_expectations_check(&file->expected, file->settings.integrator, initial, final, checks);
    nb_checks_presuppose(checks, first, values[MU] == -1, "friction is the file's own");
}

/* ---- files that were read ---- */

static struct {
    struct nb_scene_file **items;
    int64_t count, capacity;
} known;

static void destroy(struct nb_scene_file *file) {
    if (!file) return;
    nb_json_file_destroy(file->json);
    nb_scene_expectations_clear(&file->expected);
    nb_free(file);
}

static int ends_with(const char *name, const char *ending) {
    const size_t length = strlen(name), own = strlen(ending);
    return length > own && strcmp(name + length - own, ending) == 0;
}

int nb_scene_file_is(const char *name) {
    return ends_with(name, ".json") || ends_with(name, ".json.gz");
}

/* what the world says, for those who ask for nothing else */
static void fill_class(const nb_world *world, struct nb_scene_file *f) {
    f->settings = world->settings;
    f->steps.source = f->name;
    f->steps.method = *f->method ? f->method : NULL;
    f->steps.time_stepping = world->settings.stepping.scheme;
    f->steps.friction_law = world->settings.friction_law;
    f->class.name = f->name;
    f->class.summary = "a scene from a file";
    f->class.parameters = parameters;
    f->class.parameter_count = 1;
    f->class.size_parameter = -1;
    f->class.paper = &f->steps;
    f->class.checks_all = f->class.checks_springs = 1; /* what is expected is of the file's own settings */
    f->class.check_file = check;
    f->class.file = f;
    f->class.build_file = build;
    f->class.settings = &f->settings;
}

static nb_status take_json(const nb_json_file *json, struct nb_scene_file *f) {
    nb_status status;
    nb_world *world = NULL;
    const nb_input_at scene = nb_input_root(json);
    NB_TRY(build_world(json, &world));
    NB_TRY(read_run(&scene, f));
    NB_TRY(nb_scene_expectations_read(&scene, world, &f->expected));
    fill_class(world, f);
    nb_scene_tell_friction(&scene, world, f->friction, sizeof f->friction);
out:
    nb_world_destroy(world);
    return status;
}

/* the path, or as many of its last components as a name of a record has room for */
static void name_of(const char *path, char *name) {
    const size_t length = strlen(path);
    const char *from = length < NAME ? path : path + length - (NAME - 1), *slash = strchr(from, '/');
    if (from > path && from[-1] != '/' && slash) from = slash + 1;
    snprintf(name, NAME, "%s", from);
}

/* `name` NULL: by its path */
static nb_status read_file(const char *path, const char *name, struct nb_scene_file *f) {
    nb_status status;
    NB_TRY(nb_json_file_read(path, &f->json));
    if (name)
        snprintf(f->name, NAME, "%s", name);
    else
        name_of(path, f->name);
    for (int64_t i = 0; i < known.count; i++)
        if (strcmp(known.items[i]->name, f->name) == 0)
            return nb_fail(NB_ERROR_USAGE, "'%.200s' and '%.200s' have one name in records, '%s'", path,
                           known.items[i]->json->path, f->name);
    snprintf(f->checksum, sizeof f->checksum, "%016llx", (unsigned long long)f->json->checksum);
    NB_TRY(take_json(f->json, f));
out:
    return status;
}

static const nb_scenario_class *find_known(const char *path, const char *name) {
    for (int64_t i = 0; i < known.count; i++)
        if (strcmp(known.items[i]->name, name) == 0 || strcmp(known.items[i]->json->path, path) == 0)
            return &known.items[i]->class;
    return NULL;
}

nb_status nb_scene_file_find(const char *path, const char *name, const nb_scenario_class **scenario) {
    nb_status status;
    struct nb_scene_file *file = NULL;
    *scenario = find_known(path, name ? name : path);
    if (*scenario) return NB_OK;
    NB_TRY(NB_RESERVE(known.count + 1, &known.capacity, &known.items));
    NB_TRY(NB_ALLOCATE(1, &file));
    NB_TRY(read_file(path, name, file));
    known.items[known.count++] = file;
    *scenario = &file->class;
    return NB_OK;
out:
    destroy(file);
    return status;
}

const nb_scenario_class *nb_scene_file_at(int64_t i) {
    return i < known.count ? &known.items[i]->class : NULL;
}

const char *nb_scene_file_text(const nb_scenario_class *scenario, const char *name) {
    const nb_input_at scene = nb_input_root(scenario->file->json), at = nb_input_member(&scene, name);
    const char *text = "";
    return at.value && nb_input_text(&at, &text) == NB_OK ? text : "";
}

const char *nb_scene_file_friction(const nb_scenario_class *scenario, const double *values) {
    return values[MU] == -1 ? scenario->file->friction : "";
}

const char *nb_scene_file_path(const nb_scenario_class *scenario) {
    return scenario->file->json->path;
}

const char *nb_scene_file_checksum(const nb_scenario_class *scenario) {
    return scenario->file->checksum;
}

nb_status nb_scene_file_world(const char *path, nb_world **world, double *time_step) {
    nb_status status;
    struct nb_scene_file *file = NULL;
    *world = NULL;
    NB_TRY(NB_ALLOCATE(1, &file));
    NB_TRY(nb_json_file_read(path, &file->json));
    const nb_input_at scene = nb_input_root(file->json);
    NB_TRY(read_run(&scene, file));
    NB_TRY(build_world(file->json, world));
    *time_step = file->class.time_step;
out:
    destroy(file);
    return status;
}

nb_status nb_scene_file_try(const char *text, int64_t size) {
    nb_status status;
    struct nb_scene_file *file = NULL;
    NB_TRY(NB_ALLOCATE(1, &file));
    NB_TRY(nb_json_file_parse("scene.json", text, size, &file->json));
    NB_TRY(take_json(file->json, file));
out:
    destroy(file);
    return status;
}
