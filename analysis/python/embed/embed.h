/* Solvers in Python: CPython as a plugin. The program opens this shared object for a plugin whose name ends in .py
 * (analysis/plugin/load.c), and everything in this folder is private to it.
 *
 * The layer, ncpbench/_host.py, loads the user's file, keeps what it marked, and is called here once a set-up, solve or
 * application. Vectors are handed over as views on the program's memory. The thread that starts Python keeps its lock:
 * threads of the user's run during calls alone, and a process can be forked between calls. */
#ifndef NB_PYTHON_EMBED_H
#define NB_PYTHON_EMBED_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>

#include "ncpbench/plugin.h"

enum {
    NB_PYTHON_FAULT = 256, /* characters of a fault */
    NB_PYTHON_ARRAYS = 16, /* that a state keeps of the vectors that it was handed last */
    NB_PYTHON_CLASSES = 48 /* of all files together */
};

/* ---- views.c: what functions in Python call ---- */

/* What is needed to take a vector of the user's: it must be contiguous, of `rows` numbers of the precision. */
typedef struct nb_python_shape {
    const char *title; /* "A.apply", of messages; NULL: outside a call, in which nothing can be asked for */
    int32_t rows, bits;
    void *host; /* of the function that is called */
} nb_python_shape;

/* _ncpbench.Map: y = A x, z = P r; the layer's classes are made of it */
typedef struct nb_python_map {
    PyObject ob_base;
    nb_python_shape shape;
    void (*apply)(void), (*diagonal)(void); /* of the plugin interface, for these bits; diagonal NULL: not known */
} nb_python_map;

/* _ncpbench.Request: what a solve is asked for */
typedef struct nb_python_request {
    PyObject ob_base;
    nb_python_shape shape;
    void (*monitor)(void);                     /* NULL: nobody listens */
    void (*own_norm)(void *host, double norm); /* NULL likewise, and of methods */
    int of_method;                             /* its monitor is told no number */
    int32_t limit, count;                      /* iterations: at most, and told so far */
    double tolerance;
} nb_python_request;

/* the module _ncpbench, for PyImport_AppendInittab */
PyObject *nb_python_module(void);

/* ---- interpreter.c ---- */

typedef struct nb_python_array {
    const void *at; /* NULL: none */
    int32_t rows;
    int writable;
    PyObject *array;
} nb_python_array;

/* what one class at work has */
typedef struct nb_python_state {
    PyObject *self;        /* the layer's object for it */
    nb_python_map *matrix; /* self.A, from the first pattern on */
    nb_python_map *preconditioner;
    nb_python_request *request;
    int32_t bits, rows;
    int entries; /* 1: it takes those of A */
    int tried;   /* 1: of a preconditioner: it was applied since the last pattern */
    int untold;  /* 1: `fault` is of an application, which cannot say it, and has not been told */
    int next;    /* of `arrays`, to be replaced */
    nb_python_array arrays[NB_PYTHON_ARRAYS];
    char fault[NB_PYTHON_FAULT];
} nb_python_state;

/* Starts Python where it has not, loads the file, and gives what it marked as a list of tuples (ncpbench/_host.py).
 * NULL: a fault. */
PyObject *nb_python_load(const char *path, char fault[NB_PYTHON_FAULT]);

/* Makes the layer's object of class `index` (the order in which they were loaded) with values of its `count` options.
 * NULL or a fault. */
const char *nb_python_create(int index, const double *values, int count, int32_t precision, void **state);
void nb_python_destroy(void *state);

/* Before each call from the program: brings Python up to date in a process that was forked. */
void nb_python_enter(void);

/* Calls a method of the layer's object with the arguments of a Py_BuildValue format in parentheses. NULL after an
 * exception, whose line is then in state->fault. */
PyObject *nb_python_call(nb_python_state *state, const char *name, const char *format, ...);

/* A memoryview of `bytes` bytes that are borrowed; None where there are none. A new reference; NULL: an exception. */
PyObject *nb_python_view(const void *data, size_t bytes, int writable);

/* The array of state->rows numbers at `at`; borrowed until as many others were asked for. NULL: state->fault. */
PyObject *nb_python_vector(nb_python_state *state, const void *at, int writable);

/* Takes matrix, preconditioner and request from the layer's object, which has just made them; NULL or a fault. */
const char *nb_python_adopt(nb_python_state *state);

/* The functions of calls.c and method.c, for tables. */
extern const ncpbench_solver_f32 nb_python_solver_f32;
extern const ncpbench_solver_f64 nb_python_solver_f64;
extern const ncpbench_precond_f32 nb_python_precond_f32;
extern const ncpbench_precond_f64 nb_python_precond_f64;
extern const ncpbench_method_f64 nb_python_method_f64;

#endif
