/* The interpreter: its start, files, and the classes that they mark. */
#include "embed.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static PyObject *layer; /* the module ncpbench._host; NULL: Python has not started */

/* ---- faults ---- */

/* the exception that is set, as one line; it is cleared */
static void explain(char fault[NB_PYTHON_FAULT]) {
    PyObject *kind, *value, *trace;
    PyErr_Fetch(&kind, &value, &trace);
    PyErr_NormalizeException(&kind, &value, &trace);
    if (value && trace) PyException_SetTraceback(value, trace);
    PyObject *text = layer && value ? PyObject_CallMethod(layer, "explain", "(O)", value)
                     : value        ? PyObject_Str(value)
                                    : NULL;
    const char *line = text ? PyUnicode_AsUTF8(text) : NULL;
    snprintf(fault, NB_PYTHON_FAULT, "%s", line ? line : "an exception that cannot be shown");
    PyErr_Clear();
    Py_XDECREF(text);
    Py_XDECREF(kind);
    Py_XDECREF(value);
    Py_XDECREF(trace);
}

/* ---- start ---- */

static volatile int forked;

static void note_fork(void) {
    forked = 1;
}

void nb_python_enter(void) {
    if (!forked) return;
    forked = 0;
    PyOS_AfterFork_Child();
}

/* Extension modules look for Python's symbols everywhere: its library was loaded for this object alone. */
static void show_library(void) {
    Dl_info info;
    if (dladdr((const void *)&_Py_NoneStruct, &info) && info.dli_fname)
        dlopen(info.dli_fname, RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD);
}

/* The virtual environment that is active must be of this Python. */
static int check_environment(const char *folder, char fault[NB_PYTHON_FAULT]) {
    char path[PATH_MAX], line[256];
    int major, minor, other = 0;
    if (snprintf(path, sizeof path, "%s/pyvenv.cfg", folder) >= (int)sizeof path) return 1;
    FILE *file = fopen(path, "r");
    while (file && !other && fgets(line, sizeof line, file))
        if (strncmp(line, "version", 7) == 0 && sscanf(line + strcspn(line, "="), "= %d.%d", &major, &minor) == 2)
            other = major != PY_MAJOR_VERSION || minor != PY_MINOR_VERSION;
    if (file) fclose(file);
    if (other)
        snprintf(fault, NB_PYTHON_FAULT,
                 "the virtual environment '%.80s' has Python %d.%d, and ncpbench was built for %d.%d", folder, major,
                 minor, PY_MAJOR_VERSION, PY_MINOR_VERSION);
    return !other;
}

/* the interpreter whose packages are found: of the active virtual environment, or the one found by CMake */
static int find_program(char program[PATH_MAX], char fault[NB_PYTHON_FAULT]) {
    const char *environment = getenv("VIRTUAL_ENV");
    if (!environment || !*environment || strlen(environment) > PATH_MAX / 2) {
        snprintf(program, PATH_MAX, "%s", NB_PYTHON_PROGRAM);
        return 1;
    }
    snprintf(program, PATH_MAX, "%s/bin/python3", environment);
    return check_environment(environment, fault);
}

/* Signals, locale and arguments are the program's. */
static PyStatus initialise(const char *program) {
    PyPreConfig before;
    PyConfig config;
    PyPreConfig_InitPythonConfig(&before);
    before.configure_locale = 0;
    before.coerce_c_locale = 0;
    before.utf8_mode = 1;
    PyStatus status = Py_PreInitialize(&before);
    if (PyStatus_Exception(status)) return status;
    PyConfig_InitPythonConfig(&config);
    config.install_signal_handlers = 0;
    config.parse_argv = 0;
    config.write_bytecode = 0;
    config.pathconfig_warnings = 0;
    status = PyConfig_SetBytesString(&config, &config.program_name, program);
    if (!PyStatus_Exception(status)) status = Py_InitializeFromConfig(&config);
    PyConfig_Clear(&config);
    return status;
}

/* the folder of the package: as it is installed, or in the sources */
static int find_package(char folder[PATH_MAX]) {
    Dl_info info;
    char own[PATH_MAX], file[PATH_MAX + 32];
    const char *slash = dladdr(&layer, &info) && realpath(info.dli_fname, own) ? strrchr(own, '/') : NULL;
    for (int k = 0; k < 2; k++) {
        if (k == 0 && !slash) continue;
        if (k == 0)
            snprintf(folder, PATH_MAX, "%.*s/" NB_PYTHON_INSTALLED, (int)(slash - own), own);
        else
            snprintf(folder, PATH_MAX, "%s", NB_PYTHON_SOURCE);
        snprintf(file, sizeof file, "%s/ncpbench/_host.py", folder);
        if (access(file, R_OK) == 0 && realpath(folder, own)) return snprintf(folder, PATH_MAX, "%s", own) < PATH_MAX;
    }
    return 0;
}

static int import_layer(char fault[NB_PYTHON_FAULT]) {
    char folder[PATH_MAX];
    if (!find_package(folder)) {
        snprintf(fault, NB_PYTHON_FAULT,
                 "the package ncpbench for Python is neither installed with the program nor in '%.150s'",
                 NB_PYTHON_SOURCE);
        return 0;
    }
    PyObject *path = PySys_GetObject("path"), *name = PyUnicode_DecodeFSDefault(folder),
             *error = PySys_GetObject("stderr");
    if (path && name) PyList_Insert(path, 0, name);
    if (error) PySys_SetObject("stdout", error); /* standard output is for data */
    Py_XDECREF(name);
    layer = PyImport_ImportModule("ncpbench._host");
    if (layer) return 1;
    explain(fault);
    return 0;
}

static int start(char fault[NB_PYTHON_FAULT]) {
    char program[PATH_MAX];
    if (layer) return 1;
    if (Py_IsInitialized()) return import_layer(fault);
    if (!find_program(program, fault)) return 0;
    if (strncmp(Py_GetVersion(), PY_VERSION, strlen(NB_PYTHON_VERSION)) != 0) {
        snprintf(fault, NB_PYTHON_FAULT, "Python is %.20s here, and ncpbench was built for %s", Py_GetVersion(),
                 NB_PYTHON_VERSION);
        return 0;
    }
    show_library();
    PyImport_AppendInittab("_ncpbench", nb_python_module);
    PyStatus status = initialise(program);
    if (PyStatus_Exception(status)) {
        snprintf(fault, NB_PYTHON_FAULT, "Python does not start: %.200s",
                 status.err_msg ? status.err_msg : "no reason is given");
        return 0;
    }
    pthread_atfork(NULL, NULL, note_fork);
    return import_layer(fault);
}

/* ---- files ---- */

PyObject *nb_python_load(const char *path, char fault[NB_PYTHON_FAULT]) {
    if (!start(fault)) return NULL;
    PyObject *classes = PyObject_CallMethod(layer, "load", "(N)", PyUnicode_DecodeFSDefault(path));
    if (!classes) explain(fault);
    return classes;
}

/* ---- the state of a class at work ---- */

PyObject *nb_python_call(nb_python_state *state, const char *name, const char *format, ...) {
    va_list list;
    va_start(list, format);
    PyObject *arguments = Py_VaBuildValue(format, list);
    va_end(list);
    PyObject *function = arguments ? PyObject_GetAttrString(state->self, name) : NULL;
    PyObject *done = function ? PyObject_CallObject(function, arguments) : NULL;
    if (!done) explain(state->fault);
    Py_XDECREF(function);
    Py_XDECREF(arguments);
    return done;
}

PyObject *nb_python_view(const void *data, size_t bytes, int writable) {
    if (bytes == 0) return Py_NewRef(Py_None);
    return PyMemoryView_FromMemory((char *)(uintptr_t)data, (Py_ssize_t)bytes, writable ? PyBUF_WRITE : PyBUF_READ);
}

PyObject *nb_python_vector(nb_python_state *state, const void *at, int writable) {
    for (int i = 0; i < NB_PYTHON_ARRAYS; i++) {
        const nb_python_array *known = &state->arrays[i];
        if (known->array && known->at == at && known->writable == writable && known->rows == state->rows)
            return known->array;
    }
    nb_python_array *place = &state->arrays[state->next++ % NB_PYTHON_ARRAYS];
    Py_CLEAR(place->array);
    PyObject *view = nb_python_view(at, (size_t)state->rows * (size_t)(state->bits / 8), writable);
    PyObject *array = nb_python_call(state, "vector", "(N)", view);
    if (array) *place = (nb_python_array){at, state->rows, writable, array};
    return array;
}

/* the object of this name, which is kept; NULL for None */
static void *take(PyObject *self, const char *name) {
    PyObject *found = PyObject_GetAttrString(self, name);
    if (found == Py_None) Py_CLEAR(found);
    if (!found) PyErr_Clear();
    return found;
}

static void drop(nb_python_state *s) {
    Py_CLEAR(s->matrix);
    Py_CLEAR(s->preconditioner);
    Py_CLEAR(s->request);
}

const char *nb_python_adopt(nb_python_state *s) {
    drop(s);
    s->matrix = take(s->self, "matrix");
    s->preconditioner = take(s->self, "preconditioner");
    s->request = take(s->self, "request");
    return s->matrix && s->request ? NULL : "the layer in Python is not complete";
}

const char *nb_python_create(int index, const double *values, int count, int32_t precision, void **state) {
    static char fault[NB_PYTHON_FAULT];
    nb_python_enter();
    nb_python_state *s = calloc(1, sizeof *s);
    if (!s) return "out of memory";
    s->bits = precision;
    PyObject *self = PyObject_CallMethod(layer, "create", "(iiN)", index, (int)precision,
                                         nb_python_view(values, (size_t)count * sizeof *values, 0));
    if (!self) {
        explain(fault);
        free(s);
        return fault;
    }
    PyObject *entries = PyObject_GetAttrString(self, "entries");
    s->self = self;
    s->entries = entries && PyObject_IsTrue(entries) == 1;
    Py_XDECREF(entries);
    *state = s;
    return NULL;
}

void nb_python_destroy(void *state) {
    nb_python_state *s = state;
    if (!s) return;
    nb_python_enter();
    if (s->untold) PySys_FormatStderr("ncpbench: %s\n", s->fault);
    for (int i = 0; i < NB_PYTHON_ARRAYS; i++) Py_CLEAR(s->arrays[i].array);
    drop(s);
    Py_CLEAR(s->self);
    free(s);
}
