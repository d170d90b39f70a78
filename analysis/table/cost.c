#include "table/cost.h"

#include <math.h>

#include "table/outcome.h"

const char *const nb_cost_error_units[] = {" m/s", " of the energy norm", " of the first residual"};

/* The median time of a whole solve; of a problem file, which is one step. What the set-up once a step takes is in it,
 * and in no iteration. */
static double solve_time(const nb_run *run) {
    nb_step_time time;
    if (nb_run_step_time(run, &time) == NB_OK) return time.median;
    return run->steps[NB_STEP_STEP_S];
}

/* What a step took besides its iterations: assembly and set-up that are done once, and the look whether the start is a
 * solution. */
static double time_once(const nb_run *run, int32_t step) {
    const double *row = run->steps + (int64_t)step * NB_STEP_COLUMNS;
    double once = row[NB_STEP_ASSEMBLY_S] + row[NB_STEP_SETUP_S] + row[NB_STEP_SOLVE_S];
    for (int64_t r = run->newton_start[step]; r < run->newton_start[step + 1]; r++) {
        const double *newton = nb_run_newton_row(run, r);
        double seconds = newton[NB_NEWTON_ASSEMBLY_S] + newton[NB_NEWTON_SETUP_S] + newton[NB_NEWTON_SOLVE_S];
        if (isfinite(seconds)) once -= seconds;
    }
    return once > 0 ? once : 0; /* 0 also where a fault left no times: NaN */
}

double nb_flops_of(const nb_run *run, int64_t row, double share) {
    static const char *const names[] = {
        "setup_flops",    "apply_flops", "operator_applications", "product_flops", "preconditioner_applications",
        "factor_nonzeros"};
    double x[6];
    for (int k = 0; k < 6; k++) x[k] = nb_run_newton_number(run, row, nb_run_newton_column(run, names[k]));
    const int assembly = nb_run_newton_column(run, "assembly_flops");
    if (assembly >= 0) x[0] += nb_run_newton_number(run, row, assembly); /* older records have none */
    return x[0] + share * (x[5] > 0 ? x[1] * x[2] : x[2] * x[3] + x[4] * x[1]);
}

/* the first iterate of the solve in Newton row `row`, of `most`, that is at most the accuracy by its history; else
 * `most` */
static double iterations_to(const nb_run *run, int64_t row, double most, double accuracy) {
    const int64_t first = run->linear_start[row], end = run->linear_start[row + 1];
    const double *residual = run->linear + NB_LINEAR_RESIDUAL_L2;
    for (int64_t r = first; r < end && (double)(r - first) < most; r++)
        if (residual[r * NB_LINEAR_COLUMNS] <= accuracy * residual[first * NB_LINEAR_COLUMNS])
            return (double)(r - first);
    return most;
}

static nb_cost cost_of_system(const nb_run *run, int32_t step, double accuracy) {
    const int64_t r = run->newton_start[step];
    const double *row = nb_run_newton_row(run, r);
    double most = nb_run_newton_number(run, r, nb_run_newton_column(run, "linear_iterations"));
    double iterations = iterations_to(run, r, most, accuracy), share = most > 0 ? iterations / most : 1;
    double work = nb_run_newton_number(run, r, nb_run_newton_column(run, "operator_applications"));
    int whole = !(iterations < most); /* 1: seconds are of whole repetitions */
    double seconds = row[NB_NEWTON_ASSEMBLY_S] + row[NB_NEWTON_SETUP_S] + share * row[NB_NEWTON_SOLVE_S];
    return (nb_cost){
        .reached = !whole || nb_run_solve_residual(run, step) <= accuracy,
        .newton_iterations = 1,
        .linear_iterations = iterations,
        .work = share * work,
        .flops = nb_flops_of(run, r, share),
        .factorisations = nb_run_row_factorisations(run, r),
        .seconds = whole && run->step_count == 1 ? solve_time(run) : seconds * nb_run_time_scale(run, step)};
}

nb_cost nb_cost_to(const nb_run *run, int32_t step, double accuracy) {
    if (nb_run_is_system(run)) return cost_of_system(run, step, accuracy);
    nb_cost cost = {.seconds = time_once(run, step)};
    int whole = 0; /* 1: seconds are of whole repetitions */
    const int linear = nb_run_newton_column(run, "linear_iterations");
    const int work = nb_run_newton_column(run, "operator_applications");
    for (int64_t r = run->newton_start[step]; r < run->newton_start[step + 1]; r++) {
        const double *row = nb_run_newton_row(run, r);
        double iterations = nb_run_newton_number(run, r, linear);
        double seconds = row[NB_NEWTON_ASSEMBLY_S] + row[NB_NEWTON_SETUP_S] + row[NB_NEWTON_SOLVE_S];
        double relative = row[NB_NEWTON_NATURAL_MAP_RELATIVE];
        int last = r == run->newton_start[step + 1] - 1; /* nothing was done after it */
        cost.reached = (isnan(relative) ? row[NB_NEWTON_NATURAL_MAP_ERROR] : relative) <= accuracy;
        if (last && cost.reached && !isnan(relative)) {
            cost.seconds = solve_time(run);
            whole = 1;
            cost.newton_iterations = run->steps[(int64_t)step * NB_STEP_COLUMNS + NB_STEP_NEWTON_ITERATIONS];
        }
        if (cost.reached || last) break;
        cost.newton_iterations++;
        if (isfinite(iterations)) cost.linear_iterations += iterations;
        cost.work += nb_run_newton_number(run, r, work);
        cost.flops += nb_flops_of(run, r, 1);
        cost.factorisations += nb_run_row_factorisations(run, r);
        if (isfinite(seconds)) cost.seconds += seconds;
    }
    if (!whole) cost.seconds *= nb_run_time_scale(run, step);
    return cost;
}
