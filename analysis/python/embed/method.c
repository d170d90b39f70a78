/* Methods of a Python file, as the plugin interface has them. */
#include "embed.h"

#include <stdio.h>

/* W can be asked for products from here to close_problem */
static void open_problem(nb_python_state *s, const ncpbench_contacts_f64 *problem) {
    s->matrix->shape = (nb_python_shape){"W.apply", s->rows, 64, problem->host};
    s->matrix->apply = (void (*)(void))problem->apply;
    s->matrix->diagonal = NULL;
}

static void close_problem(nb_python_state *s) {
    s->matrix->shape.title = NULL;
}

/* the problem as Python has it: not timed, as reading a file is not */
static const char *convert(void *state, const ncpbench_contacts_f64 *problem) {
    nb_python_state *s = state;
    const ncpbench_matrix_f64 *w = &problem->w;
    const size_t rows = (size_t)w->rows, entries = (size_t)w->start[rows], contacts = (size_t)problem->contacts;
    const size_t named = problem->body ? contacts : 0;
    nb_python_enter();
    s->rows = w->rows;
    PyObject *done = nb_python_call(s, "convert", "(iNNNNNNNNN)", (int)problem->joints,
                                    nb_python_view(w->start, (rows + 1) * sizeof *w->start, 0),
                                    nb_python_view(w->column, entries * sizeof *w->column, 0),
                                    nb_python_view(w->value, entries * sizeof *w->value, 0),
                                    nb_python_view(problem->q, rows * sizeof *problem->q, 0),
                                    nb_python_view(problem->mu, contacts * sizeof *problem->mu, 0),
                                    nb_python_view(problem->body, 2 * named * sizeof *problem->body, 0),
                                    nb_python_view(problem->feature, named * sizeof *problem->feature, 0),
                                    nb_python_view(problem->previous, named * sizeof *problem->previous, 0),
                                    nb_python_view(problem->frame, 9 * named * sizeof *problem->frame, 0));
    if (!done) return s->fault;
    Py_DECREF(done);
    return nb_python_adopt(s);
}

static const char *take_outcome(PyObject *done, ncpbench_method_outcome *outcome) {
    int reason;
    long long iterations, factorisations;
    const char *words;
    if (!PyArg_ParseTuple(done, "iLLs", &reason, &iterations, &factorisations, &words)) {
        PyErr_Clear();
        return "the layer in Python gives no outcome";
    }
    outcome->reason = reason;
    outcome->iterations = iterations;
    outcome->factorisations = factorisations;
    snprintf(outcome->words, sizeof outcome->words, "%s", words);
    return NULL;
}

static const char *solve(void *state, const ncpbench_contacts_f64 *problem, const ncpbench_method_request_f64 *request,
                         double *r, ncpbench_method_outcome *outcome) {
    nb_python_state *s = state;
    nb_python_request *asked = s->request;
    nb_python_enter();
    PyObject *to = nb_python_vector(s, r, 1);
    if (!to) return s->fault;
    open_problem(s, problem);
    asked->shape = (nb_python_shape){"request.monitor", s->rows, 64, request->host};
    asked->monitor = (void (*)(void))request->monitor;
    asked->of_method = 1;
    asked->limit = request->iterations;
    asked->tolerance = request->tolerance;
    asked->count = 0;
    PyObject *done = nb_python_call(s, "solve_problem", "(O)", to);
    close_problem(s);
    asked->shape.title = NULL;
    const char *fault = done ? take_outcome(done, outcome) : s->fault;
    Py_XDECREF(done);
    return fault;
}

const ncpbench_method_f64 nb_python_method_f64 = {
    .size = sizeof nb_python_method_f64, .convert = convert, .solve = solve};
