/* What problems from files have in common, whatever format they come from. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/csr.h"
#include "base/memory.h"
#include "condense.h"
#include "fclib.h"

nb_status nb_fclib_condense(const char *path, nb_fclib_problem *problem) {
    nb_status status;
    int32_t rows = problem->jacobian->columns;
    NB_TRY(NB_ALLOCATE(rows, &problem->q));
    memcpy(problem->q, problem->free_velocity, (size_t)rows * sizeof *problem->q);
    problem->global = 1;
    problem->velocities = problem->mass->rows;
    status = nb_condense(problem->mass, problem->jacobian, problem->force, problem->q, &problem->w);
    if (status == NB_ERROR_INPUT) { /* name the file, which the condensation does not know */
        char reason[256];
        snprintf(reason, sizeof reason, "%s", nb_error_message());
        status = nb_fail(NB_ERROR_INPUT, "'%.300s': %s", path, reason);
    }
out:
    return status;
}

nb_status nb_fclib_finish(const char *path, nb_fclib_problem *problem) {
    nb_file_data *data = &problem->data;
    const nb_csr_f64 *w = problem->w;
    double sum = 0;
    for (int32_t r = 0; r < w->rows; r++) {
        sum += problem->q[r] * problem->q[r];
        for (int64_t k = w->start[r]; k < w->start[r + 1]; k++) {
            if (!isfinite(w->value[k])) return nb_fail(NB_ERROR_INPUT, "'%s': W overflows in row %d", path, (int)r);
            if (w->column[k] == r && w->value[k] < 0)
                return nb_fail(NB_ERROR_INPUT,
                               "'%s': W has the diagonal entry %g in row %d: it must be positive semidefinite", path,
                               w->value[k], (int)r);
        }
    }
    if (!isfinite(sum)) return nb_fail(NB_ERROR_INPUT, "'%s': q overflows", path);
    problem->norm_q = sqrt(sum);
    data->w = w;
    data->q = problem->q;
    data->mu = problem->mu;
    data->mu_r = problem->mu_r;
    return NB_OK;
}

void nb_fclib_destroy(nb_fclib_problem *problem) {
    if (!problem) return;
    nb_csr_destroy_f64(problem->w);
    nb_csr_destroy_f64(problem->mass);
    nb_csr_destroy_f64(problem->jacobian);
    nb_free(problem->force);
    nb_free(problem->free_velocity);
    nb_free(problem->q);
    nb_free(problem->mu);
    nb_free(problem->mu_r);
    nb_free(problem->title);
    nb_free(problem->description);
    nb_free(problem->math_info);
    nb_free(problem);
}
