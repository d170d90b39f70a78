#include "table/outcome.h"

#include <math.h>

#include "base/largest.h"
#include "base/memory.h"
#include "reason.h"
#include "table/statistics.h"

static double step_value(const nb_run *run, int32_t step, nb_step_column column) {
    return run->steps[(int64_t)step * NB_STEP_COLUMNS + column];
}

double nb_run_last(const nb_run *run, nb_step_column column) {
    return run->step_count ? step_value(run, run->step_count - 1, column) : NAN;
}

double nb_run_sum(const nb_run *run, nb_step_column column) {
    double sum = 0;
    for (int32_t i = 0; i < run->step_count; i++) sum += step_value(run, i, column);
    return sum;
}

const double *nb_run_repeated(const nb_run *run, int column) {
    if (run->repeat_count == 0) return NULL;
    switch (column) {
    case NB_STEP_ASSEMBLY_S: return run->repeat_assembly_s;
    case NB_STEP_SETUP_S: return run->repeat_setup_s;
    case NB_STEP_SOLVE_S: return run->repeat_solve_s;
    case NB_STEP_STEP_S: return run->repeat_step_s;
    default: return NULL;
    }
}

double nb_run_newton_iterations(const nb_run *run) {
    return run->step_count ? nb_run_sum(run, NB_STEP_NEWTON_ITERATIONS) / run->step_count : 0;
}

double nb_run_linear_iterations(const nb_run *run) {
    double sum = 0, count = 0;
    const int column = nb_run_newton_column(run, "linear_iterations");
    for (int64_t i = 0; run->step_count && i < run->newton_start[run->step_count]; i++) {
        double n = nb_run_newton_number(run, i, column);
        if (isfinite(n)) sum += n, count++;
    }
    return count > 0 ? sum / count : 0;
}

double nb_run_row_factorisations(const nb_run *run, int64_t row) {
    double several = nb_run_newton_number(run, row, nb_run_newton_column(run, "factorisations"));
    double nonzeros = nb_run_newton_number(run, row, nb_run_newton_column(run, "factor_nonzeros"));
    return isfinite(several) ? several : nonzeros > 0;
}

double nb_run_factorisations(const nb_run *run) {
    double count = 0;
    for (int64_t i = 0; run->step_count && i < run->newton_start[run->step_count]; i++)
        count += nb_run_row_factorisations(run, i);
    return count;
}

const char *const nb_solution_names[] = {"none", "first", "second", "another"};

nb_solution_taken nb_run_solution(const nb_run *run, double distance[2]) {
    const nb_reference_solution *reference = &run->reference;
    const int distances = nb_run_newton_column(run, nb_solution_columns[0].name);
    const double map[] = {reference->used.natural_map_error, reference->other.natural_map_error};
    double own = NAN, from[2] = {NAN, NAN};
    if (nb_reference_solution_apart(reference) > 0 && reference->step < run->step_count) {
        const int64_t row = run->newton_start[reference->step + 1] - 1;
        if (row >= run->newton_start[reference->step]) own = nb_run_newton_row(run, row)[NB_NEWTON_NATURAL_MAP_ERROR];
        for (int i = 0; i < 2 && own <= NB_REFERENCE_REACHED; i++)
            from[i] = nb_run_newton_number(run, row, distances < 0 ? -1 : distances + i);
    }
    for (int i = 0; distance && i < 2; i++) distance[i] = from[i];
    if (isnan(from[0]) || isnan(from[1])) return NB_SOLUTION_NONE;
    const int nearer = from[1] < from[0];
    if (nb_reference_solutions_differ(own, map[nearer], from[nearer])) return NB_SOLUTION_ANOTHER;
    return nearer ? NB_SOLUTION_SECOND : NB_SOLUTION_FIRST;
}

double nb_run_solve_residual(const nb_run *run, int32_t step) {
    return nb_run_newton_number(run, run->newton_start[step], nb_run_newton_column(run, "linear_residual"));
}

double nb_run_system_residual(const nb_run *run) {
    double largest = run->step_count ? nb_run_solve_residual(run, 0) : NAN;
    for (int32_t s = 1; s < run->step_count; s++) {
        const double x = nb_run_solve_residual(run, s);
        if (!(x <= largest)) largest = isnan(largest) ? largest : x; /* NaN stays */
    }
    return largest;
}

int nb_run_is_system(const nb_run *run) {
    return run->info.bodies == 0 && run->step_count > 0 && isnan(nb_run_last(run, NB_STEP_NATURAL_MAP_ERROR)) &&
           isnan(nb_run_last(run, NB_STEP_NATURAL_MAP_RELATIVE)) && !isnan(nb_run_solve_residual(run, 0));
}

const char *nb_run_reason_words(const nb_run *run) {
    return nb_run_last(run, NB_STEP_REASON) == NB_REASON_ROUND_OFF ? "converged to round-off" : nb_run_reason(run);
}

const char *nb_run_reason(const nb_run *run) {
    double reason = nb_run_last(run, NB_STEP_REASON);
    return reason >= 0 && reason < NB_REASON_COUNT ? nb_reason_name((nb_reason)reason) : "-";
}

static double median(double *sample, int64_t count) {
    return nb_quantile(sample, nb_sort_sample(sample, count), 0.5);
}

nb_status nb_run_step_time(const nb_run *run, nb_step_time *time) {
    nb_status status;
    double *sample = NULL, *medians = NULL; /* [steps], [repetitions] */
    int32_t repeats = run->repeat_step_s ? run->repeat_count : 0;
    *time = (nb_step_time){NAN, NAN, NAN};
    NB_TRY(NB_ALLOCATE(run->step_count, &sample));
    NB_TRY(NB_ALLOCATE(repeats, &medians));
    for (int32_t s = 0; s < run->step_count; s++) sample[s] = step_value(run, s, NB_STEP_STEP_S);
    time->median = median(sample, run->step_count);
    for (int32_t r = 0; r < repeats; r++) {
        for (int32_t s = 0; s < run->step_count; s++) sample[s] = run->repeat_step_s[(int64_t)r * run->step_count + s];
        medians[r] = median(sample, run->step_count);
    }
    int64_t count = nb_sort_sample(medians, repeats);
    if (count > 0) time->median = nb_quantile(medians, count, 0.5);
    if (count > 1) time->least = medians[0], time->most = medians[count - 1];
out:
    nb_free(sample);
    nb_free(medians);
    return status;
}

static double recorded_work_time(const nb_run *run, int32_t step) {
    return step_value(run, step, NB_STEP_ASSEMBLY_S) + step_value(run, step, NB_STEP_SETUP_S) +
           step_value(run, step, NB_STEP_SOLVE_S);
}

double nb_run_work_time(const nb_run *run, int32_t step) {
    double *sample, time;
    int32_t count = run->repeat_assembly_s ? run->repeat_count : 0;
    if (count == 0 || NB_ALLOCATE(count, &sample) != NB_OK) return recorded_work_time(run, step);
    for (int32_t r = 0; r < count; r++) {
        int64_t at = (int64_t)r * run->step_count + step;
        sample[r] = run->repeat_assembly_s[at] + run->repeat_setup_s[at] + run->repeat_solve_s[at];
    }
    time = median(sample, count);
    nb_free(sample);
    return time;
}

double nb_run_time_scale(const nb_run *run, int32_t step) {
    double scale = nb_run_work_time(run, step) / recorded_work_time(run, step);
    return run->repeat_count > 0 && isfinite(scale) && scale > 0 ? scale : 1;
}

double nb_batch_throughput(const nb_batch *batch) {
    enum {
        MOST = 1001
    };
    double sample[MOST];
    int32_t first = batch->pass_count > 1, count = batch->pass_count - first;
    if (count < 1) return NAN;
    if (count > MOST) count = MOST;
    for (int32_t i = 0; i < count; i++) sample[i] = batch->pass_s[first + i];
    double made = (double)batch->scenes * batch->steps;
    for (int32_t i = 0; i < batch->fault_count; i++) made -= batch->steps - batch->faults[i].step;
    return made / median(sample, count);
}

double nb_batch_share(const nb_batch *batch, double tolerance) {
    const int64_t steps = (int64_t)batch->scenes * batch->steps;
    int64_t count = 0;
    for (int64_t i = 0; i < steps; i++)
        count += batch->rows[i * NB_BATCH_COLUMNS + NB_BATCH_NATURAL_MAP_ERROR] <= tolerance;
    return steps > 0 ? (double)count / (double)steps : NAN;
}

double nb_batch_worst_last(const nb_batch *batch, nb_batch_column column) {
    double worst = -INFINITY;
    if (batch->scenes == 0 || batch->steps == 0) return NAN;
    for (int32_t k = 0; k < batch->scenes; k++)
        nb_raise(&worst, batch->rows[((int64_t)(k + 1) * batch->steps - 1) * NB_BATCH_COLUMNS + column]);
    return worst;
}
