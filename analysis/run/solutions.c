#include "run/solutions.h"

#include <math.h>
#include <stdio.h>

nb_status nb_run_take_second_solution(nb_run *run) {
    nb_status status;
    nb_reference_solution *reference = &run->reference;
    const int distances = nb_columns_find(&run->newton_columns, nb_solution_columns[0].name);
    const int64_t width = run->newton_columns.count;
    if (!reference->solution.q || reference->second.q || distances < 0 || reference->step != run->step_count - 1)
        return NB_OK;
    const int64_t first = run->newton_start[reference->step], end = run->newton_start[reference->step + 1];
    if (end == first) return NB_OK;
    double *last = run->newton + (end - 1) * width;
    const double error = last[NB_NEWTON_VELOCITY_ERROR], force_error = last[NB_NEWTON_FORCE_ERROR];
    if (!nb_reference_solutions_differ(reference->used.natural_map_error, run->final.error, error)) return NB_OK;
    NB_TRY(nb_snapshot_copy(&run->final, &reference->second));
    reference->velocity_difference = error;
    reference->force_difference = force_error;
    reference->other = (nb_reference_solution_try){.newton_iterations = (int32_t)(end - first - 1),
                                                   .natural_map_error = run->final.error};
    snprintf(reference->other.method, NB_SOLVER_LENGTH, "%s", run->info.method);
    snprintf(reference->other.linear_solver, NB_SOLVER_LENGTH, "%s", run->info.linear_solver);
    snprintf(reference->other.preconditioner, NB_SOLVER_LENGTH, "%s", run->info.preconditioner);
    for (double *row = run->newton + first * width; row <= last; row += width) {
        row[distances] = row[NB_NEWTON_VELOCITY_ERROR];
        row[NB_NEWTON_VELOCITY_ERROR] = row[NB_NEWTON_FORCE_ERROR] = NAN;
    }
    last[distances + 1] = 0;
out:
    return status;
}
