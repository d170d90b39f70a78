#include "embed.h"

#include <math.h>

/* ---- vectors ---- */

static PyObject *refuse(const nb_python_shape *s, const char *name, const char *got) {
    const char *kind = s->bits == 32 ? "float32" : "float64";
    return PyErr_Format(PyExc_TypeError, "%s: %s must be a contiguous array of %d %s numbers%s", s->title, name,
                        (int)s->rows, kind, got);
}

/* 1 and the buffer of a vector that fits; 0 and an exception */
static int take(const nb_python_shape *s, PyObject *from, const char *name, int writable, Py_buffer *buffer) {
    char got[96];
    const int flags = PyBUF_FORMAT | PyBUF_ND | (writable ? PyBUF_WRITABLE : 0);
    if (PyObject_GetBuffer(from, buffer, flags) != 0) {
        PyErr_Clear();
        snprintf(got, sizeof got, " (got %.40s%s)", Py_TYPE(from)->tp_name,
                 PyObject_CheckBuffer(from) ? (writable ? ", not contiguous or read-only" : ", not contiguous") : "");
        refuse(s, name, got);
        return 0;
    }
    const char *format = buffer->format ? buffer->format : "B";
    if (format[0] == (s->bits == 32 ? 'f' : 'd') && format[1] == '\0' &&
        buffer->len == (Py_ssize_t)s->rows * (s->bits / 8))
        return 1;
    snprintf(got, sizeof got, " (got %lld of type '%.8s')", (long long)(buffer->len / buffer->itemsize), format);
    PyBuffer_Release(buffer);
    refuse(s, name, got);
    return 0;
}

static int is_open(const nb_python_shape *s) {
    if (s->title) return 1;
    PyErr_SetString(PyExc_RuntimeError, "it is used outside the call that it was given to");
    return 0;
}

/* ---- _ncpbench.Map ---- */

static PyObject *map_apply(PyObject *self, PyObject *const *arguments, Py_ssize_t count) {
    const nb_python_map *m = (nb_python_map *)self;
    Py_buffer x, y;
    if (!is_open(&m->shape)) return NULL;
    if (count != 2)
        return PyErr_Format(PyExc_TypeError, "%s takes two vectors: its argument, and its result", m->shape.title);
    if (!take(&m->shape, arguments[0], "the first vector", 0, &x)) return NULL;
    if (!take(&m->shape, arguments[1], "the second vector", 1, &y)) {
        PyBuffer_Release(&x);
        return NULL;
    }
    const char *a = x.buf, *b = y.buf;
    const int apart = a + x.len <= b || b + y.len <= a;
    if (apart && m->shape.bits == 32)
        ((void (*)(void *, const float *, float *))m->apply)(m->shape.host, x.buf, y.buf);
    else if (apart)
        ((void (*)(void *, const double *, double *))m->apply)(m->shape.host, x.buf, y.buf);
    PyBuffer_Release(&x);
    PyBuffer_Release(&y);
    if (!apart) return PyErr_Format(PyExc_ValueError, "%s: the two vectors overlap", m->shape.title);
    return Py_NewRef(Py_None);
}

static PyObject *map_diagonal(PyObject *self, PyObject *to) {
    const nb_python_map *m = (nb_python_map *)self;
    Py_buffer y;
    if (!is_open(&m->shape) || !take(&m->shape, to, "the vector", 1, &y)) return NULL;
    if (m->diagonal && m->shape.bits == 32)
        ((void (*)(void *, float *))m->diagonal)(m->shape.host, y.buf);
    else if (m->diagonal)
        ((void (*)(void *, double *))m->diagonal)(m->shape.host, y.buf);
    PyBuffer_Release(&y);
    if (!m->diagonal) return PyErr_Format(PyExc_TypeError, "%s: the diagonal is not known", m->shape.title);
    return Py_NewRef(Py_None);
}

#define FAST(function) ((PyCFunction)(void (*)(void))(function))

static PyMethodDef map_methods[] = {
    {"apply", FAST(map_apply), METH_FASTCALL, "apply(x, y): y becomes the image of x; both contiguous, and apart"},
    {"fill_diagonal", map_diagonal, METH_O, "fill_diagonal(y): y becomes the diagonal"},
    {0},
};
static PyType_Slot map_slots[] = {{Py_tp_methods, map_methods}, {0}};
static PyType_Spec map_type = {"_ncpbench.Map", sizeof(nb_python_map), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                               map_slots};

/* ---- _ncpbench.Request ---- */

static PyObject *request_monitor(PyObject *self, PyObject *const *arguments, Py_ssize_t count) {
    nb_python_request *r = (nb_python_request *)self;
    Py_buffer buffer;
    if (count < 1 || count > 2) return PyErr_Format(PyExc_TypeError, "monitor takes x, or x and a norm");
    const double norm = count > 1 ? PyFloat_AsDouble(arguments[1]) : NAN;
    if (PyErr_Occurred() || !is_open(&r->shape)) return NULL;
    r->count++;
    if (!r->monitor) return Py_NewRef(Py_None);
    if (!take(&r->shape, arguments[0], "the iterate", 0, &buffer)) return NULL;
    if (r->own_norm) r->own_norm(r->shape.host, norm);
    if (r->of_method)
        ((void (*)(void *, const double *))r->monitor)(r->shape.host, buffer.buf);
    else if (r->shape.bits == 32)
        ((void (*)(void *, int32_t, const float *))r->monitor)(r->shape.host, r->count, buffer.buf);
    else
        ((void (*)(void *, int32_t, const double *))r->monitor)(r->shape.host, r->count, buffer.buf);
    PyBuffer_Release(&buffer);
    return Py_NewRef(Py_None);
}

static PyObject *request_iterations(PyObject *self, void *closure) {
    (void)closure;
    return PyLong_FromLong(((nb_python_request *)self)->limit);
}

static PyObject *request_tolerance(PyObject *self, void *closure) {
    (void)closure;
    return PyFloat_FromDouble(((nb_python_request *)self)->tolerance);
}

static PyObject *request_count(PyObject *self, void *closure) {
    (void)closure;
    return PyLong_FromLong(((nb_python_request *)self)->count);
}

static PyMethodDef request_methods[] = {
    {"monitor", FAST(request_monitor), METH_FASTCALL,
     "monitor(x, norm): an iteration came to x; norm, if given, is that of the residual which the solver judges by"},
    {0},
};
static PyGetSetDef request_members[] = {
    {"iterations", request_iterations, NULL, "at most this many", NULL},
    {"tolerance", request_tolerance, NULL, "stop at ||b - A x|| <= tolerance ||b||; 0: at round-off", NULL},
    {"count", request_count, NULL, "iterations told to monitor so far", NULL},
    {0},
};
static PyType_Slot request_slots[] = {{Py_tp_methods, request_methods}, {Py_tp_getset, request_members}, {0}};
static PyType_Spec request_type = {"_ncpbench.Request", sizeof(nb_python_request), 0,
                                   Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, request_slots};

/* ---- the module ---- */

static PyModuleDef module = {PyModuleDef_HEAD_INIT, .m_name = "_ncpbench", .m_size = -1};

static int add_type(PyObject *to, const char *name, PyType_Spec *spec) {
    PyObject *type = PyType_FromSpec(spec);
    return type && PyModule_AddObject(to, name, type) == 0;
}

PyObject *nb_python_module(void) {
    PyObject *made = PyModule_Create(&module);
    return made && add_type(made, "Map", &map_type) && add_type(made, "Request", &request_type) ? made : NULL;
}
