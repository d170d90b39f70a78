/* Linear solvers and preconditioners of a Python file, as the plugin interface has them. */
#include "embed.h"

#include <math.h>

#include "base/real.h"

NB_PRECISIONS(f32, f64);

#define ncpbench_system NB_REAL_NAME(ncpbench_system)
#define ncpbench_matrix NB_REAL_NAME(ncpbench_matrix)
#define ncpbench_request NB_REAL_NAME(ncpbench_request)
#define ncpbench_solver NB_REAL_NAME(ncpbench_solver)
#define ncpbench_precond NB_REAL_NAME(ncpbench_precond)
#define nb_python_solver NB_REAL_NAME(nb_python_solver)
#define nb_python_precond NB_REAL_NAME(nb_python_precond)

/* A can be asked for products from here to close_matrix */
static void open_matrix(nb_python_state *s, const ncpbench_system *system) {
    s->matrix->shape = (nb_python_shape){"A.apply", system->rows, NB_REAL_BITS, system->host};
    s->matrix->apply = (void (*)(void))system->apply;
    s->matrix->diagonal = (void (*)(void))system->diagonal;
}

static void close_matrix(nb_python_state *s) {
    s->matrix->shape.title = NULL;
}

static const char *set_up_pattern(void *state, const ncpbench_system *system) {
    nb_python_state *s = state;
    const size_t blocks = (size_t)system->block_count, groups = (size_t)system->group_count;
    nb_python_enter();
    s->rows = system->rows;
    s->tried = 0;
    const size_t starts = system->node_start ? groups + 1 : 0, nodes = starts ? (size_t)system->node_start[groups] : 0;
    const size_t positions = system->position ? 3 * blocks : 0;
    PyObject *done = nb_python_call(s, "set_up_pattern", "(iNNNNN)", (int)system->rows,
                                    nb_python_view(system->block_start, (blocks + 1) * sizeof(int32_t), 0),
                                    nb_python_view(system->group_start, (groups + 1) * sizeof(int32_t), 0),
                                    nb_python_view(system->node_start, starts * sizeof(int32_t), 0),
                                    nb_python_view(system->node, nodes * sizeof(int32_t), 0),
                                    nb_python_view(system->position, positions * sizeof(double), 0));
    if (!done) return s->fault;
    Py_DECREF(done);
    return nb_python_adopt(s);
}

static const char *call_set_up(nb_python_state *s, const ncpbench_system *system) {
    const size_t rows = (size_t)system->rows;
    ncpbench_matrix a = {.rows = system->rows};
    const char *fault = s->entries ? system->matrix(system->host, &a) : NULL;
    if (fault) return fault;
    const size_t entries = a.start ? (size_t)a.start[rows] : 0;
    PyObject *done = nb_python_call(
        s, "set_up_values", "(NNN)", nb_python_view(a.start, a.start ? (rows + 1) * sizeof(int64_t) : 0, 0),
        nb_python_view(a.column, entries * sizeof(int32_t), 0), nb_python_view(a.value, entries * sizeof(real), 0));
    Py_XDECREF(done);
    return done ? NULL : s->fault;
}

/* ---- linear solvers ---- */

static const char *set_up_solver(void *state, const ncpbench_system *system, ncpbench_outcome *outcome) {
    nb_python_state *s = state;
    (void)outcome;
    nb_python_enter();
    open_matrix(s, system);
    const char *fault = call_set_up(s, system);
    close_matrix(s);
    return fault;
}

/* the numbers that the layer makes of what the user's function returned */
static const char *take_outcome(PyObject *done, ncpbench_outcome *outcome) {
    int reason, iterations;
    if (!PyArg_ParseTuple(done, "ii", &reason, &iterations)) {
        PyErr_Clear();
        return "the layer in Python gives no outcome";
    }
    outcome->reason = reason;
    outcome->iterations = iterations;
    return NULL;
}

static const char *solve(void *state, const ncpbench_system *system, const ncpbench_request *request, real *x,
                         ncpbench_outcome *outcome) {
    nb_python_state *s = state;
    nb_python_enter();
    PyObject *b = nb_python_vector(s, system->b, 0), *to = b ? nb_python_vector(s, x, 1) : NULL;
    if (!to) return s->fault;
    open_matrix(s, system);
    nb_python_request *asked = s->request;
    asked->shape = (nb_python_shape){"request.monitor", system->rows, NB_REAL_BITS, request->host};
    asked->monitor = (void (*)(void))request->monitor;
    asked->own_norm = request->own_norm;
    asked->limit = request->iterations;
    asked->tolerance = request->tolerance;
    asked->count = 0;
    if (s->preconditioner && request->precondition) {
        s->preconditioner->shape =
            (nb_python_shape){"request.preconditioner.apply", system->rows, NB_REAL_BITS, request->host};
        s->preconditioner->apply = (void (*)(void))request->precondition;
    }
    if (request->monitor) request->monitor(request->host, 0, x);
    PyObject *done = nb_python_call(s, "solve", "(OO)", b, to);
    close_matrix(s);
    asked->shape.title = NULL;
    if (s->preconditioner) s->preconditioner->shape.title = NULL;
    const char *fault = done ? take_outcome(done, outcome) : s->fault;
    Py_XDECREF(done);
    return fault;
}

const ncpbench_solver nb_python_solver = {
    .size = sizeof nb_python_solver, .set_up_pattern = set_up_pattern, .set_up_values = set_up_solver, .solve = solve};

/* ---- preconditioners ---- */

/* It cannot say that it failed: z is then NaN, and the next set-up, or the end, tells why. */
static void apply(void *state, const real *r, real *z) {
    nb_python_state *s = state;
    nb_python_enter();
    PyObject *from = nb_python_vector(s, r, 0), *to = from ? nb_python_vector(s, z, 1) : NULL;
    PyObject *done = to ? nb_python_call(s, "apply", "(OO)", from, to) : NULL;
    if (!done) {
        s->untold = 1;
        for (int32_t i = 0; i < s->rows; i++) z[i] = (real)NAN;
    }
    Py_XDECREF(done);
}

/* an application to b, whose fault can be told here */
static const char *try_application(nb_python_state *s, const ncpbench_system *system) {
    PyObject *z = nb_python_call(s, "empty", "()"), *b = z ? nb_python_vector(s, system->b, 0) : NULL;
    PyObject *done = b ? nb_python_call(s, "apply", "(OO)", b, z) : NULL;
    Py_XDECREF(z);
    Py_XDECREF(done);
    s->tried = 1;
    return done ? NULL : s->fault;
}

/* A stays open: applications may take its products */
static const char *set_up_preconditioner(void *state, const ncpbench_system *system, ncpbench_outcome *outcome) {
    nb_python_state *s = state;
    (void)outcome;
    if (s->untold) {
        s->untold = 0;
        return s->fault;
    }
    nb_python_enter();
    open_matrix(s, system);
    const char *fault = call_set_up(s, system);
    return fault || s->tried ? fault : try_application(s, system);
}

const ncpbench_precond nb_python_precond = {.size = sizeof nb_python_precond,
                                            .set_up_pattern = set_up_pattern,
                                            .set_up_values = set_up_preconditioner,
                                            .apply = apply};
