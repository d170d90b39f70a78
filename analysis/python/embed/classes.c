/* What a file marked, as classes of the plugin interface; and the function that the program opens files with. */
#include "embed.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static ncpbench_class made[NB_PYTHON_CLASSES]; /* in the order in which they were loaded */
static ncpbench_method_f64 methods[NB_PYTHON_CLASSES];
static int made_count;

/* create functions know no class, so every class has its own */
#define SLOTS_1(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15)
#define SLOTS_2(X) X(16) X(17) X(18) X(19) X(20) X(21) X(22) X(23) X(24) X(25) X(26) X(27) X(28) X(29) X(30) X(31)
#define SLOTS_3(X) X(32) X(33) X(34) X(35) X(36) X(37) X(38) X(39) X(40) X(41) X(42) X(43) X(44) X(45) X(46) X(47)
#define SLOTS(X) SLOTS_1(X) SLOTS_2(X) SLOTS_3(X)
#define CREATE(i)                                                                          \
    static const char *create_##i(const double *values, int32_t precision, void **state) { \
        return nb_python_create(i, values, (int)made[i].option_count, precision, state);   \
    }
#define ENTRY(i) create_##i,
SLOTS(CREATE)
static const char *(*const creates[])(const double *, int32_t, void **) = {SLOTS(ENTRY)};
static_assert(sizeof creates / sizeof *creates == NB_PYTHON_CLASSES, "one slot a class");

/* ---- options ---- */

/* the names as a list that ends with NULL; NULL for None, or an exception */
static const char *const *read_choices(PyObject *from) {
    if (from == Py_None) return NULL;
    const Py_ssize_t count = PySequence_Size(from);
    const char **names = count < 0 ? NULL : calloc((size_t)count + 1, sizeof *names);
    for (Py_ssize_t i = 0; names && i < count; i++) {
        PyObject *item = PySequence_GetItem(from, i);
        const char *text = item ? PyUnicode_AsUTF8(item) : NULL;
        names[i] = text ? strdup(text) : NULL;
        Py_XDECREF(item);
        if (names[i]) continue;
        while (i > 0) free((char *)(uintptr_t)names[--i]);
        free(names);
        return NULL;
    }
    return names;
}

static int read_option(PyObject *from, ncpbench_option *to) {
    const char *name, *summary, *units;
    PyObject *choices;
    int whole;
    if (!PyArg_ParseTuple(from, "sssdddiO", &name, &summary, &units, &to->standard, &to->minimum, &to->maximum, &whole,
                          &choices))
        return 0;
    to->name = strdup(name);
    to->summary = strdup(summary);
    to->units = strdup(units);
    to->whole = whole;
    to->choices = read_choices(choices);
    return to->name && to->summary && to->units && !PyErr_Occurred();
}

static int read_options(PyObject *from, ncpbench_class *to) {
    const Py_ssize_t count = PySequence_Size(from);
    if (count <= 0) return count == 0;
    ncpbench_option *options = calloc((size_t)count, sizeof *options);
    to->options = options; /* its owner, where reading fails, too */
    for (Py_ssize_t i = 0; options && i < count; i++) {
        PyObject *item = PySequence_GetItem(from, i);
        const int read = item && read_option(item, &options[i]);
        Py_XDECREF(item);
        if (!read) return 0;
    }
    to->option_count = (uint32_t)count;
    to->option_size = sizeof *options;
    return options != NULL;
}

/* ---- classes ---- */

/* kinds as ncpbench/_host.py has them */
enum {
    SOLVER,
    PRECONDITIONER,
    METHOD
};

/* Fills the class of the next slot from a tuple; what is not filled where it fails is never looked at. */
static int read_class(PyObject *from) {
    int kind, precisions, iterations;
    unsigned flags;
    const char *name, *summary;
    PyObject *options;
    if (!PyArg_ParseTuple(from, "iIiissO", &kind, &flags, &precisions, &iterations, &name, &summary, &options))
        return 0;
    ncpbench_class *to = &made[made_count];
    *to = (ncpbench_class){.size = sizeof *to,
                           .flags = flags,
                           .name = strdup(name),
                           .summary = strdup(summary),
                           .create = creates[made_count],
                           .destroy = nb_python_destroy};
    if (kind == SOLVER && precisions & 1) to->solver_f32 = &nb_python_solver_f32;
    if (kind == SOLVER && precisions & 2) to->solver_f64 = &nb_python_solver_f64;
    if (kind == PRECONDITIONER && precisions & 1) to->precond_f32 = &nb_python_precond_f32;
    if (kind == PRECONDITIONER && precisions & 2) to->precond_f64 = &nb_python_precond_f64;
    if (kind == METHOD) {
        methods[made_count] = nb_python_method_f64;
        methods[made_count].iterations = iterations;
        to->method_f64 = &methods[made_count];
    }
    if (!to->name || !to->summary || !read_options(options, to)) return 0;
    made_count++;
    return 1;
}

static const ncpbench_plugin *read_classes(PyObject *from, const char **fault) {
    const Py_ssize_t count = PySequence_Size(from);
    ncpbench_plugin *plugin = calloc(1, sizeof *plugin);
    const ncpbench_class **list = count < 0 ? NULL : calloc((size_t)count + 1, sizeof *list);
    Py_ssize_t i = 0;
    *fault = "out of memory";
    for (; plugin && list && i < count; i++) {
        PyObject *item = PySequence_GetItem(from, i);
        *fault = made_count == NB_PYTHON_CLASSES ? "files in Python bring more than 48 classes"
                                                 : "its classes cannot be read";
        const int read = item && made_count < NB_PYTHON_CLASSES && read_class(item);
        Py_XDECREF(item);
        if (!read) break;
        list[i] = &made[made_count - 1];
    }
    if (!plugin || !list || i < count) {
        free(plugin);
        free(list);
        return NULL;
    }
    *plugin = (ncpbench_plugin){.abi = NCPBENCH_PLUGIN_ABI, .size = sizeof *plugin, .classes = list};
    *fault = NULL;
    return plugin;
}

NCPBENCH_EXPORT const ncpbench_plugin *ncpbench_plugin_open(const char *path, const char **fault) {
    static char text[NB_PYTHON_FAULT];
    PyObject *classes = nb_python_load(path, text);
    *fault = text;
    if (!classes) return NULL;
    const ncpbench_plugin *plugin = read_classes(classes, fault);
    PyErr_Clear();
    Py_DECREF(classes);
    return plugin;
}
