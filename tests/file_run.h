/* A method on a problem file's data, in the precision of the file that includes it. */
#ifndef NB_TESTS_FILE_RUN_H
#define NB_TESTS_FILE_RUN_H

#include "base/memory.h"
#include "check.h"
#include "constraint/file_problem.h"
#include "measure/measure.h"
#include "method.h"
#include "registry.h"

/* By the method `name`, with these settings but for the solver, which is the method's own, and iterations, as many as
 * it takes of itself where the settings have none: the reactions z in the file's rows. */
static inline void solve_file_data(const char *name, nb_method_settings settings, const nb_file_data *data,
                                   const nb_observer *observer, nb_step_outcome *outcome, double *z) {
    const nb_linear_solver_class *solver;
    const nb_method_class *method;
    double values[16], *rows;
    nb_problem *p;
    nb_measure *measure;
    nb_method *state;
    CHECK_OK(nb_method_find(name, &method));
    CHECK_OK(nb_linear_solver_find(method->linear_solver ? method->linear_solver : "cholesky", &solver));
    assert_true(solver->option_count <= 16);
    nb_options_standard(solver->options, solver->option_count, values);
    if (settings.newton_iterations == 0)
        settings.newton_iterations = method->newton_iterations ? method->newton_iterations : 1000;
    settings.linear.iterations = 1;
    settings.linear_solver = solver->name;
    settings.linear_solver_values = values;
    settings.preconditioner = "none";
    CHECK_OK(nb_file_problem_create(data, &p));
    CHECK_OK(nb_measure_create_file(data, &measure));
    CHECK_OK(method->create(method, &settings, &state));
    CHECK_OK(method->step(state, p, measure, observer, outcome));
    CHECK_OK(NB_ALLOCATE(p->rows + 1, &rows));
    for (int32_t r = 0; r < p->rows; r++) rows[r] = (double)p->z[r];
    nb_file_data_from_rows(data, rows, z);
    nb_free(rows);
    method->destroy(state);
    nb_measure_destroy(measure);
    nb_file_problem_destroy(p);
}

#endif
