#include "plugin/check.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "record/run.h"
#include "run/resolve.h"

NB_PRECISIONS(f64);

#define UP_TO(type, member) (offsetof(type, member) + sizeof((type *)0)->member)

/* What is at least there of each structure, by its last member in version 1 of the ABI. Members that come later go
 * behind these, and these stay. */
enum {
    LEAST_PLUGIN = UP_TO(ncpbench_plugin, classes),
    LEAST_CLASS = UP_TO(ncpbench_class, precond_f64),
    LEAST_OPTION = UP_TO(ncpbench_option, reserved),
    LEAST_FUNCTIONS = UP_TO(ncpbench_solver_f64, solve), /* and of the three others alike */
    LEAST_METHOD = UP_TO(ncpbench_method_f64, solve),    /* from minor version 1 on */
    MOST_SIZE = 65536,                                   /* what claims more is no structure of ours */
    MOST_TEXT = 200,
    MOST_CHOICES = 64
};

/* 1 for lower-case letters, digits and single hyphens, at most NB_NAME_LENGTH - 1 of them */
static int is_name(const char *text) {
    size_t length = text ? strnlen(text, NB_NAME_LENGTH) : 0;
    if (length == 0 || length == NB_NAME_LENGTH) return 0;
    if (strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-") != length) return 0;
    return text[0] != '-' && text[length - 1] != '-' && !strstr(text, "--");
}

/* 1 for one line of at most MOST_TEXT printable characters */
static int is_line(const char *text) {
    size_t length = text ? strnlen(text, MOST_TEXT + 1) : 0;
    if (length == 0 || length > MOST_TEXT) return 0;
    for (const char *c = text; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f) return 0;
    return 1;
}

/* ---- options ---- */

static nb_status check_choices(const nb_plugin_class *type, const ncpbench_option *o) {
    int count = 0;
    for (; count <= MOST_CHOICES && o->choices[count]; count++)
        if (!is_line(o->choices[count]) || strlen(o->choices[count]) >= NB_SETTING_VALUE)
            return nb_fail(NB_ERROR_INPUT, "%s: option '%s': choice %d is no line of text", type->title, o->name,
                           count);
    if (count == 0 || count > MOST_CHOICES)
        return nb_fail(NB_ERROR_INPUT, "%s: option '%s': the list of choices must hold 1 to %d names and end with NULL",
                       type->title, o->name, (int)MOST_CHOICES);
    if (!(o->standard >= 0 && o->standard < count) || o->standard != floor(o->standard))
        return nb_fail(NB_ERROR_INPUT, "%s: option '%s': the default %g is no index of its %d choices", type->title,
                       o->name, o->standard, count);
    return NB_OK;
}

static nb_status check_option(const nb_plugin_class *type, int i, const ncpbench_option *o) {
    if (!is_name(o->name))
        return nb_fail(NB_ERROR_INPUT, "%s: option %d has no proper name (lower-case letters, digits, hyphens)",
                       type->title, i);
    if (strcmp(o->name, "plugin") == 0) /* records say by it where a class comes from */
        return nb_fail(NB_ERROR_INPUT, "%s: option %d: the name 'plugin' is reserved", type->title, i);
    for (int k = 0; k < i; k++)
        if (strcmp(type->options[k].name, o->name) == 0)
            return nb_fail(NB_ERROR_INPUT, "%s: two options have the name '%s'", type->title, o->name);
    if (!is_line(o->summary))
        return nb_fail(NB_ERROR_INPUT, "%s: option '%s' has no summary of one line", type->title, o->name);
    if (o->units && *o->units && !is_line(o->units))
        return nb_fail(NB_ERROR_INPUT, "%s: option '%s': its units are no line of text", type->title, o->name);
    if (o->choices) return check_choices(type, o);
    if (!(o->minimum <= o->standard && o->standard <= o->maximum) || !isfinite(o->standard))
        return nb_fail(NB_ERROR_INPUT, "%s: option '%s': the default %g is not in its range, %g to %g", type->title,
                       o->name, o->standard, o->minimum, o->maximum);
    return NB_OK;
}

static nb_status read_options(nb_plugin_class *type) {
    const ncpbench_class *p = &type->plugin;
    nb_option *options = NULL;
    nb_status status;
    if (p->option_count == 0) return NB_OK;
    if (!p->options || p->option_count > NB_MAX_OPTIONS)
        return nb_fail(NB_ERROR_INPUT, "%s: claims %u options; up to %d are taken", type->title, p->option_count,
                       (int)NB_MAX_OPTIONS);
    if (p->option_size < LEAST_OPTION || p->option_size > MOST_SIZE || p->option_size % _Alignof(ncpbench_option) != 0)
        return nb_fail(NB_ERROR_INPUT, "%s: says that an option has %u bytes; at least %d are expected", type->title,
                       p->option_size, (int)LEAST_OPTION);
    NB_TRY(NB_ALLOCATE(p->option_count, &options));
    type->options = options;
    for (uint32_t i = 0; i < p->option_count; i++) {
        const ncpbench_option *o = (const void *)((const char *)p->options + (size_t)i * p->option_size);
        NB_TRY(check_option(type, (int)i, o));
        options[i] = (nb_option){.name = o->name,
                                 .units = o->units && *o->units ? o->units : "1",
                                 .standard = o->standard,
                                 .minimum = o->minimum,
                                 .maximum = o->maximum,
                                 .integer = o->whole != 0,
                                 .choices = o->choices,
                                 .summary = o->summary};
    }
out:
    return status;
}

/* ---- functions ---- */

/* copies a table of functions, whose first member is its size; what an older plugin lacks stays zero */
static nb_status read_functions(const nb_plugin_class *type, const char *which, const void *from, int least,
                                size_t room, void *to) {
    uint32_t size;
    memcpy(&size, from, sizeof size);
    if (size < (uint32_t)least || size > MOST_SIZE)
        return nb_fail(NB_ERROR_INPUT, "%s: says that %s has %u bytes; at least %d are expected", type->title, which,
                       size, least);
    memcpy(to, from, size < room ? size : room);
    return NB_OK;
}

static nb_status missing(const nb_plugin_class *type, const char *which, const char *function) {
    return nb_fail(NB_ERROR_INPUT, "%s: the function %s of %s is missing (NULL)", type->title, function, which);
}

static nb_status read_solver(nb_plugin_class *type) {
    const ncpbench_class *p = &type->plugin;
    nb_status status = NB_OK;
    if (p->solver_f32) {
        NB_TRY(read_functions(type, "solver_f32", p->solver_f32, LEAST_FUNCTIONS, sizeof type->solver_f32,
                              &type->solver_f32));
        if (!type->solver_f32.solve) return missing(type, "solver_f32", "solve");
    }
    if (p->solver_f64) {
        NB_TRY(read_functions(type, "solver_f64", p->solver_f64, LEAST_FUNCTIONS, sizeof type->solver_f64,
                              &type->solver_f64));
        if (!type->solver_f64.solve) return missing(type, "solver_f64", "solve");
    }
out:
    return status;
}

static nb_status read_precond(nb_plugin_class *type) {
    const ncpbench_class *p = &type->plugin;
    nb_status status = NB_OK;
    if (p->precond_f32) {
        NB_TRY(read_functions(type, "precond_f32", p->precond_f32, LEAST_FUNCTIONS, sizeof type->precond_f32,
                              &type->precond_f32));
        if (!type->precond_f32.apply) return missing(type, "precond_f32", "apply");
    }
    if (p->precond_f64) {
        NB_TRY(read_functions(type, "precond_f64", p->precond_f64, LEAST_FUNCTIONS, sizeof type->precond_f64,
                              &type->precond_f64));
        if (!type->precond_f64.apply) return missing(type, "precond_f64", "apply");
    }
out:
    return status;
}

static nb_status read_method(nb_plugin_class *type) {
    nb_status status;
    const ncpbench_class *p = &type->plugin;
    NB_TRY(read_functions(type, "method_f64", p->method_f64, LEAST_METHOD, sizeof type->method_f64, &type->method_f64));
    if (!type->method_f64.solve) return missing(type, "method_f64", "solve");
    if (type->method_f64.iterations < 0)
        return nb_fail(NB_ERROR_INPUT, "%s: method_f64 claims %d iterations", type->title,
                       (int)type->method_f64.iterations);
out:
    return status;
}

/* ---- classes ---- */

/* what a class is called, and what several are */
static const char *const kind_names[NB_PLUGIN_KINDS] = {"linear solver", "preconditioner", "method"};
static const char *const kind_plurals[NB_PLUGIN_KINDS] = {"linear solvers", "preconditioners", "methods"};

static nb_status check_kind(nb_plugin_class *type) {
    const ncpbench_class *p = &type->plugin;
    int has[NB_PLUGIN_KINDS] = {[NB_PLUGIN_LINEAR_SOLVER] = p->solver_f32 || p->solver_f64,
                                [NB_PLUGIN_PRECONDITIONER] = p->precond_f32 || p->precond_f64,
                                [NB_PLUGIN_METHOD] = p->method_f64 != NULL};
    int count = 0;
    for (int kind = 0; kind < NB_PLUGIN_KINDS; kind++) {
        if (has[kind]) type->kind = (nb_plugin_kind)kind;
        count += has[kind];
    }
    if (count == 0)
        return nb_fail(NB_ERROR_INPUT,
                       "plugin '%.100s': '%s' has the functions of neither a linear solver nor a "
                       "preconditioner nor a method",
                       type->file, p->name);
    if (count > 1)
        return nb_fail(NB_ERROR_INPUT,
                       "plugin '%.100s': '%s' has the functions of both a %s and others; make it several "
                       "classes",
                       type->file, p->name, kind_names[type->kind]);
    type->offers[0] = p->solver_f32 || p->precond_f32;
    type->offers[1] = p->solver_f64 || p->precond_f64 || p->method_f64;
    snprintf(type->title, sizeof type->title, "%s '%s' of plugin '%.100s'", kind_names[type->kind], p->name,
             type->file);
    const uint32_t known = NCPBENCH_TAKES_PRECONDITIONER | NCPBENCH_NEEDS_ENTRIES | NCPBENCH_DIRECT;
    if (p->flags & ~known) return nb_fail(NB_ERROR_INPUT, "%s: unknown flags 0x%x", type->title, p->flags & ~known);
    return NB_OK;
}

/* the name of number `i` of those that are there, or NULL after the last */
static const char *built_in(nb_plugin_kind kind, int i) {
    const nb_linear_solver_class *solver = kind == NB_PLUGIN_LINEAR_SOLVER ? nb_linear_solver_at(i) : NULL;
    const nb_preconditioner_class *precond = kind == NB_PLUGIN_PRECONDITIONER ? nb_preconditioner_at(i) : NULL;
    const nb_method_class *method = kind == NB_PLUGIN_METHOD ? nb_method_at(i) : NULL;
    return solver ? solver->name : precond ? precond->name : method ? method->name : NULL;
}

/* names are compared without regard to who has them, so that no message is ambiguous */
static nb_status check_free(const nb_plugin_class *type, const nb_plugin_class *before, int count) {
    const char *name = type->plugin.name, *owner = NULL;
    const nb_plugin_class *other = nb_plugin_find(type->kind, name);
    for (int i = 0; built_in(type->kind, i) && !owner; i++)
        if (strcmp(built_in(type->kind, i), name) == 0) owner = "ncpbench itself";
    if (other) owner = other->file;
    for (int i = 0; i < count; i++)
        if (before[i].kind == type->kind && strcmp(before[i].plugin.name, name) == 0) owner = "the plugin itself";
    if (!owner) return NB_OK;
    return nb_fail(NB_ERROR_INPUT, "%s: the name is taken by %.100s; call it something else", type->title, owner);
}

static nb_status read_class(const char *path, int i, const ncpbench_class *from, nb_plugin_class *type) {
    nb_status status;
    uint32_t size = from->size;
    type->file = path;
    if (size < LEAST_CLASS || size > MOST_SIZE)
        return nb_fail(NB_ERROR_INPUT, "plugin '%.200s': says that its class %d has %u bytes; at least %d are expected",
                       path, i, size, (int)LEAST_CLASS);
    memcpy(&type->plugin, from, size < sizeof type->plugin ? size : sizeof type->plugin);
    if (!is_name(type->plugin.name))
        return nb_fail(NB_ERROR_INPUT,
                       "plugin '%.200s': its class %d has no proper name (lower-case letters, digits, hyphens)", path,
                       i);
    NB_TRY(check_kind(type));
    if (!is_line(type->plugin.summary)) return nb_fail(NB_ERROR_INPUT, "%s: has no summary of one line", type->title);
    NB_TRY(read_options(type));
    if (type->kind == NB_PLUGIN_LINEAR_SOLVER) NB_TRY(read_solver(type));
    if (type->kind == NB_PLUGIN_PRECONDITIONER) NB_TRY(read_precond(type));
    if (type->kind == NB_PLUGIN_METHOD) NB_TRY(read_method(type));
out:
    return status;
}

/* whether so many more of a kind can be added */
static nb_status check_room(const char *path, const nb_plugin_class *classes, int count) {
    for (int kind = 0; kind < NB_PLUGIN_KINDS; kind++) {
        int more = 0;
        for (int i = 0; i < count; i++) more += (int)classes[i].kind == kind;
        if (more > NB_PLUGIN_MOST || (more > 0 && nb_plugin_at((nb_plugin_kind)kind, NB_PLUGIN_MOST - more)))
            return nb_fail(NB_ERROR_INPUT, "plugin '%.200s': with its %d, plugins bring more than %d %s", path, more,
                           (int)NB_PLUGIN_MOST, kind_plurals[kind]);
    }
    return NB_OK;
}

nb_status nb_plugin_check(const char *path, const ncpbench_plugin *plugin, nb_plugin_class **classes, int *count) {
    nb_status status;
    int found = 0;
    if (!plugin) return nb_fail(NB_ERROR_INPUT, "plugin '%.300s': ncpbench_plugin_entry returns NULL", path);
    if (plugin->abi != NCPBENCH_PLUGIN_ABI)
        return nb_fail(NB_ERROR_INPUT, "plugin '%.300s' is made for plugin ABI %u; this program has %d", path,
                       plugin->abi, (int)NCPBENCH_PLUGIN_ABI);
    if (plugin->size < LEAST_PLUGIN || plugin->size > MOST_SIZE)
        return nb_fail(NB_ERROR_INPUT,
                       "plugin '%.300s' says that ncpbench_plugin has %u bytes; at least %d are expected", path,
                       plugin->size, (int)LEAST_PLUGIN);
    while (plugin->classes && found <= NB_PLUGIN_KINDS * NB_PLUGIN_MOST && plugin->classes[found]) found++;
    if (found == 0 || found > NB_PLUGIN_KINDS * NB_PLUGIN_MOST)
        return nb_fail(NB_ERROR_INPUT, "plugin '%.300s': its list of classes must hold 1 to %d and end with NULL", path,
                       (int)NB_PLUGIN_KINDS * NB_PLUGIN_MOST);
    NB_TRY(NB_ALLOCATE(found, classes));
    for (int i = 0; i < found; i++) {
        NB_TRY(read_class(path, i, plugin->classes[i], &(*classes)[i]));
        NB_TRY(check_free(&(*classes)[i], *classes, i));
    }
    NB_TRY(check_room(path, *classes, found));
    *count = found;
    return NB_OK;
out:
    for (int i = 0; *classes && i < found; i++) nb_free((void *)(uintptr_t)(*classes)[i].options);
    nb_free(*classes);
    *classes = NULL;
    return status;
}
