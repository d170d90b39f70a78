#include "table/linear_cost.h"

#include <math.h>

#include "table/outcome.h"

enum {
    VECTOR_FLOPS = 10 /* per unknown and iteration, of the vectors of pcg; pcr has a few more */
};

static double number(const nb_run *run, int64_t row, const char *name) {
    return nb_run_newton_number(run, row, nb_run_newton_column(run, name));
}

/* the first iterate of Newton row `row` whose error is small enough; -1: none is */
static int64_t first_within(const nb_run *run, int64_t row, int of_energy, double accuracy) {
    const int64_t first = run->linear_start[row], end = run->linear_start[row + 1];
    const double *error = run->linear + (of_energy ? NB_LINEAR_ENERGY_ERROR : NB_LINEAR_RESIDUAL_L2);
    const double own = of_energy ? number(run, row, "solution_energy") : 0;
    if (first == end) /* without a history: at its end */
        return !of_energy && number(run, row, "linear_residual") <= accuracy
                   ? (int64_t)number(run, row, "linear_iterations")
                   : -1;
    const double whole = own > 0 ? own : error[first * NB_LINEAR_COLUMNS];
    for (int64_t r = first; r < end; r++)
        if (error[r * NB_LINEAR_COLUMNS] <= accuracy * whole) return r - first;
    return -1;
}

double nb_linear_flops(const nb_run *run, int64_t row, double k, double share) {
    const int direct = number(run, row, "factor_nonzeros") > 0 && number(run, row, "linear_iterations") <= 1;
    return nb_flops_of(run, row, share) + (direct ? 0 : k * VECTOR_FLOPS * number(run, row, "unknowns"));
}

nb_cost nb_cost_of_error(const nb_run *run, int32_t step, nb_cost_error error, double accuracy) {
    if (error == NB_OF_MAP) return nb_cost_to(run, step, accuracy);
    nb_cost cost = {.reached = run->newton_start[step + 1] - run->newton_start[step] > 1};
    for (int64_t r = run->newton_start[step]; r < run->newton_start[step + 1] - 1; r++) {
        const double *row = nb_run_newton_row(run, r), all = number(run, r, "linear_iterations");
        const int64_t found = first_within(run, r, error == NB_OF_ENERGY, accuracy);
        const double k = found < 0 ? all : (double)found, share = all > 0 ? fmin(k / all, 1) : 1;
        cost.reached = cost.reached && found >= 0;
        cost.newton_iterations++;
        cost.linear_iterations += k;
        cost.work += share * number(run, r, "operator_applications");
        cost.flops += nb_linear_flops(run, r, k, share);
        cost.factorisations += nb_run_row_factorisations(run, r);
        cost.seconds += row[NB_NEWTON_ASSEMBLY_S] + row[NB_NEWTON_SETUP_S] + share * row[NB_NEWTON_SOLVE_S];
    }
    cost.seconds *= nb_run_time_scale(run, step);
    return cost;
}
