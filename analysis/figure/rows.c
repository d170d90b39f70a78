#include "figure/rows.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "statistics/compared_run.h"
#include "statistics/energy_cost.h"
#include "statistics/outcome.h"
#include "statistics/statistics.h"
#include "text/plain.h"

static void write_number(double x, int digits, int first, FILE *file) {
    fprintf(file, first ? "%.*g" : "\t%.*g", digits, x);
}

/* no numbers */
static void write_absent(const nb_script_table *table, FILE *file) {
    for (int c = 0; c < table->count; c++) fputs(c == 0 ? "nan" : "\tnan", file);
    fputc('\n', file);
}

/* ---- iterations of one step ---- */

static int32_t step_of(const nb_script_table *table, const nb_run *run) {
    return table->step < 0 ? run->step_count - 1 : table->step;
}

/* the Newton iteration whose linear solve is drawn, or -1 */
static int64_t solve_of(const nb_script_table *table, const nb_run *run) {
    int32_t step = step_of(table, run);
    if (step < 0 || step >= run->step_count) return -1;
    int64_t first = run->newton_start[step], end = run->newton_start[step + 1];
    int64_t row = table->newton < 0 ? end - 1 : first + table->newton;
    return row >= first && row < end ? row : -1;
}

void nb_figure_rows_of(const nb_script_table *table, const nb_run *run, int64_t *first, int64_t *end) {
    int32_t step = step_of(table, run);
    *first = *end = 0;
    if (step < 0 || step >= run->step_count) return;
    *first = run->newton_start[step];
    *end = run->newton_start[step + 1];
    if (table->rows != NB_ROWS_LINEAR) return;
    int64_t row = solve_of(table, run);
    *first = row >= 0 ? run->linear_start[row] : 0;
    *end = row >= 0 ? run->linear_start[row + 1] : 0;
}

/* where a column's terms stand in a run's rows; negative: nowhere */
typedef struct places {
    int term[NB_SCRIPT_TERMS];
} places;

static places places_of(const nb_script_column *c, const nb_run *run) {
    places p = {0};
    for (int i = 0; i < c->terms; i++)
        p.term[i] = *c->of[i] && c->term[i] >= 0 ? nb_run_newton_column(run, c->of[i]) : c->term[i];
    return p;
}

/* the sum of the column's terms in a row; what is no number counts as zero where `finite` is 1 */
static double sum_of(const nb_script_column *c, const places *p, const double *row, int finite) {
    double sum = 0;
    for (int i = 0; i < c->terms; i++) {
        double x = p->term[i] >= 0 ? row[p->term[i]] : (double)NAN;
        sum += finite && !isfinite(x) ? 0 : x;
    }
    return sum;
}

static double over(double x, double start) {
    return start > 0 ? x / start : x;
}

/* What a linear solve took until an iterate after `share` of its iterations: of the solve that share, and assembly and
 * set-up, which come before, in whole. */
static double share_of(const nb_script_column *c, const nb_run *run, int64_t row, double share) {
    double sum = 0;
    for (int i = 0; i < c->terms; i++) {
        int before = strcmp(c->of[i], "assembly_s") == 0 || strcmp(c->of[i], "setup_s") == 0;
        double x = nb_run_newton_number(run, row, nb_run_newton_column(run, c->of[i]));
        sum += (before ? 1 : share) * (isfinite(x) ? x : 0);
    }
    return sum;
}

/* a solve without a history of its own, of a factorisation: the residual at its end */
static void write_end(const nb_script_table *table, const nb_run *run, FILE *file) {
    int64_t row = solve_of(table, run);
    for (int i = 0; i < table->count; i++) {
        const nb_script_column *c = &table->columns[i];
        double unit = c->time ? c->unit * nb_run_time_scale(run, step_of(table, run)) : c->unit;
        double x = nb_run_system_residual(run);
        if (c->term[0] == NB_TERM_ITERATION)
            x = nb_run_newton_number(run, row, nb_run_newton_column(run, "linear_iterations"));
        else if (c->function == NB_FUNCTION_BEFORE)
            x = unit * share_of(c, run, row, 1);
        else if (c->function != NB_FUNCTION_START)
            x *= nb_run_newton_number(run, row, nb_run_newton_column(run, "residual_l2"));
        write_number(x, c->digits, i == 0, file);
    }
    fputc('\n', file);
}

static void write_iterations(const nb_script_table *table, const nb_run *run, FILE *file) {
    int linear = table->rows == NB_ROWS_LINEAR, width = linear ? NB_LINEAR_COLUMNS : run->newton_columns.count;
    const double *rows = linear ? run->linear : run->newton;
    double before[NB_SCRIPT_COLUMNS] = {0};
    places at[NB_SCRIPT_COLUMNS];
    for (int i = 0; i < table->count; i++) at[i] = places_of(&table->columns[i], run);
    int64_t first, end;
    nb_figure_rows_of(table, run, &first, &end);
    if (first == end) { /* there was no factor, or no Newton iteration */
        if (linear && nb_run_is_system(run))
            write_end(table, run, file);
        else
            write_absent(table, file);
        return;
    }
    double scale = nb_run_time_scale(run, step_of(table, run)); /* as in the median repetition */
    int64_t solve = linear ? solve_of(table, run) : -1, steps = end - first - 1;
    for (int64_t r = first; r < end; r++) {
        const double *row = rows + r * width;
        for (int i = 0; i < table->count; i++) {
            const nb_script_column *c = &table->columns[i];
            double unit = c->time ? c->unit * scale : c->unit, x = unit * sum_of(c, &at[i], row, 0);
            if (c->term[0] == NB_TERM_ITERATION) x = (double)(r - first);
            if (c->function == NB_FUNCTION_START) x = over(x, unit * sum_of(c, &at[i], rows + first * width, 0));
            if (c->function == NB_FUNCTION_BEFORE && linear) {
                x = unit * share_of(c, run, solve, steps > 0 ? (double)(r - first) / (double)steps : 1);
            } else if (c->function == NB_FUNCTION_BEFORE) {
                x = c->term[0] >= 0 ? before[i] : (double)NAN;
                before[i] += unit * sum_of(c, &at[i], row, 1);
            }
            write_number(x, c->digits, i == 0, file);
        }
        fputc('\n', file);
    }
}

/* ---- statistics ---- */

/* the values that a function is of; columns next to each other often share them */
typedef struct sample {
    double *values; /* sorted, those that are no numbers at the end */
    int64_t count, numbers;
    double last; /* of the last step */
    const nb_script_column *of;
} sample;

static int same_values(const nb_script_column *a, const nb_script_column *b) {
    return a && b && a->terms == b->terms && memcmp(a->term, b->term, (size_t)a->terms * sizeof *a->term) == 0 &&
           memcmp(a->of, b->of, sizeof a->of) == 0 && a->unit == b->unit && a->accuracy == b->accuracy;
}

static double value_of(nb_script_function function, const sample *s) {
    const double *v = s->values;
    int64_t n = s->numbers;
    switch (function) {
    case NB_FUNCTION_LEAST: return nb_quantile(v, n, 0);
    case NB_FUNCTION_QUARTER: return nb_quantile(v, n, 0.25);
    case NB_FUNCTION_MEDIAN: return nb_quantile(v, n, 0.5);
    case NB_FUNCTION_THREE_QUARTERS: return nb_quantile(v, n, 0.75);
    case NB_FUNCTION_MOST: return nb_quantile(v, n, 1);
    case NB_FUNCTION_SPREAD: return nb_quantile(v, n, 0.75) - nb_quantile(v, n, 0.25);
    case NB_FUNCTION_MEAN: return nb_mean(v, n);
    case NB_FUNCTION_COUNT: return (double)n;
    case NB_FUNCTION_LAST: return s->last;
    default: return n < s->count ? (double)NAN : nb_quantile(v, n, 1); /* the worst */
    }
}

/* ---- iteration k of all steps ---- */

static void take_iteration(const nb_script_column *c, const nb_run *run, int64_t k, sample *s) {
    if (same_values(s->of, c)) return;
    const places at = places_of(c, run);
    s->count = 0;
    for (int32_t step = 0; step < run->step_count; step++) {
        int64_t row = run->newton_start[step] + k;
        double unit = c->time ? c->unit * nb_run_time_scale(run, step) : c->unit;
        s->last = NAN;
        if (row >= run->newton_start[step + 1]) continue;
        s->values[s->count++] = s->last = unit * sum_of(c, &at, nb_run_newton_row(run, row), 0);
    }
    s->numbers = nb_sort_sample(s->values, s->count);
    s->of = c;
}

static nb_status write_all_steps(const nb_script_table *table, const nb_run *run, FILE *file) {
    sample s = {0};
    int64_t most = 0;
    nb_status status = NB_ALLOCATE(run->step_count, &s.values);
    if (status != NB_OK) return status;
    for (int32_t step = 0; step < run->step_count; step++) {
        int64_t rows = run->newton_start[step + 1] - run->newton_start[step];
        if (rows > most) most = rows;
    }
    for (int64_t k = 0; k < most; k++) {
        s.of = NULL;
        for (int i = 0; i < table->count; i++) {
            const nb_script_column *c = &table->columns[i];
            double x = (double)k;
            if (c->term[0] != NB_TERM_ITERATION) {
                take_iteration(c, run, k, &s);
                x = value_of(c->function, &s);
            }
            write_number(x, c->digits, i == 0, file);
        }
        fputc('\n', file);
    }
    nb_free(s.values);
    return NB_OK;
}

/* ---- a run ---- */

/* the times of all repetitions of a step column [repeat_count][step_count], or NULL */
static const double *repeated(const nb_run *run, int column) {
    switch (column) {
    case NB_STEP_ASSEMBLY_S: return run->repeat_assembly_s;
    case NB_STEP_SETUP_S: return run->repeat_setup_s;
    case NB_STEP_SOLVE_S: return run->repeat_solve_s;
    case NB_STEP_STEP_S: return run->repeat_step_s;
    default: return NULL;
    }
}

static int is_repeated(const nb_script_column *c, const nb_run *run) {
    int all = c->time && c->accuracy == 0 && run->repeat_count > 0;
    for (int i = 0; i < c->terms && all; i++) all = repeated(run, c->term[i]) != NULL;
    return all;
}

static double time_in(const nb_script_column *c, const nb_run *run, int32_t repetition, int32_t step) {
    double sum = 0;
    for (int i = 0; i < c->terms; i++) sum += repeated(run, c->term[i])[(int64_t)repetition * run->step_count + step];
    return c->unit * sum;
}

/* what a step took to reach the accuracy; NaN: it did not */
static double cost_of(const nb_script_column *c, const nb_run *run, int32_t step) {
    const int of_energy = c->term[0] >= NB_COST_ENERGY_ITERATIONS;
    nb_cost cost = (of_energy ? nb_energy_cost_to : nb_cost_to)(run, step, c->accuracy);
    if (!cost.reached) return NAN;
    switch (c->term[0]) {
    case NB_COST_NEWTON_ITERATIONS: return cost.newton_iterations;
    case NB_COST_FACTORISATIONS: return cost.factorisations;
    case NB_COST_LINEAR_ITERATIONS:
    case NB_COST_ENERGY_ITERATIONS: return cost.linear_iterations;
    case NB_COST_ENERGY_FLOPS: return cost.flops;
    default: return c->unit * cost.seconds;
    }
}

static void take_steps(const nb_script_column *c, const nb_run *run, sample *s) {
    if (same_values(s->of, c)) return;
    const places at = places_of(c, run);
    s->count = 0;
    for (int32_t step = 0; step < run->step_count; step++)
        s->values[s->count++] = s->last =
            c->accuracy > 0 ? cost_of(c, run, step)
                            : c->unit * sum_of(c, &at, run->steps + (int64_t)step * NB_STEP_COLUMNS, 0);
    if (is_repeated(c, run)) {
        s->count = 0;
        for (int32_t r = 0; r < run->repeat_count; r++)
            for (int32_t step = 0; step < run->step_count; step++) s->values[s->count++] = time_in(c, run, r, step);
    }
    s->numbers = nb_sort_sample(s->values, s->count);
    s->of = c;
}

/* the steps of a copy of the run's batch */
static void take_copy(const nb_script_column *c, const nb_run *run, int32_t k, sample *s) {
    if (same_values(s->of, c)) return;
    const nb_batch *batch = &run->batch;
    const double *rows = batch->rows + (int64_t)k * batch->steps * NB_BATCH_COLUMNS;
    const places at = places_of(c, run);
    s->count = 0;
    for (int32_t step = 0; step < batch->steps; step++)
        s->values[s->count++] = s->last = c->unit * sum_of(c, &at, rows + (int64_t)step * NB_BATCH_COLUMNS, 0);
    s->numbers = nb_sort_sample(s->values, s->count);
    s->of = c;
}

/* a line of a run (copy -1), or of a copy of its batch */
static void write_line(const nb_script_table *table, const nb_run *run, int32_t copy, sample *s, FILE *file) {
    s->of = NULL;
    for (int i = 0; i < table->count; i++) {
        const nb_script_column *c = &table->columns[i];
        char text[NB_NAME_LENGTH];
        if (c->function != NB_FUNCTION_NONE) {
            if (copy >= 0)
                take_copy(c, run, copy, s);
            else
                take_steps(c, run, s);
            write_number(value_of(c->function, s), c->digits, i == 0, file);
        } else if (c->term[0] == NB_TERM_ITERATION) {
            write_number(copy, c->digits, i == 0, file);
        } else if (c->term[0] == NB_TERM_REPETITIONS) {
            write_number(run->repeat_count, c->digits, i == 0, file);
        } else if (c->term[0] == NB_TERM_MEMORY) {
            write_number(run->usage.peak_bytes, c->digits, i == 0, file);
        } else {
            nb_member_text(&nb_run_info_members.items[c->term[0]], &run->info, c->digits, text, sizeof text);
            nb_print(file, i == 0 ? "%s" : "\t%s", text);
        }
    }
    fputc('\n', file);
}

static nb_status write_run(const nb_script_table *table, const nb_run *run, FILE *file) {
    sample s = {0};
    int64_t passes = run->repeat_count > 0 ? run->repeat_count : 1;
    nb_status status = NB_ALLOCATE(run->step_count * passes, &s.values);
    if (status != NB_OK) return status;
    write_line(table, run, -1, &s, file);
    nb_free(s.values);
    return NB_OK;
}

static nb_status write_copies(const nb_script_table *table, const nb_run *run, FILE *file) {
    sample s = {0};
    nb_status status = NB_ALLOCATE(run->batch.steps, &s.values);
    if (status != NB_OK) return status;
    if (run->batch.scenes == 0) write_absent(table, file);
    for (int32_t k = 0; k < run->batch.scenes; k++) write_line(table, run, k, &s, file);
    nb_free(s.values);
    return NB_OK;
}

/* ---- steps ---- */

static void write_steps(const nb_script_table *table, const nb_run *run, FILE *file) {
    for (int32_t step = 0; step < run->step_count; step++) {
        for (int i = 0; i < table->count; i++) {
            const nb_script_column *c = &table->columns[i];
            const places at = places_of(c, run);
            double x = step;
            if (c->term[0] != NB_TERM_ITERATION)
                x = c->unit * sum_of(c, &at, run->steps + (int64_t)step * NB_STEP_COLUMNS, 0);
            write_number(x, c->digits, i == 0, file);
        }
        fputc('\n', file);
    }
}

/* ---- public ---- */

nb_status nb_figure_write_rows(const nb_script_table *table, const nb_run *run, FILE *file) {
    if (!run)
        write_absent(table, file);
    else if (table->rows == NB_ROWS_RUN)
        return write_run(table, run, file);
    else if (table->rows == NB_ROWS_BATCH)
        return write_copies(table, run, file);
    else if (table->rows == NB_ROWS_STEP)
        write_steps(table, run, file);
    else if (table->all_steps)
        return write_all_steps(table, run, file);
    else
        write_iterations(table, run, file);
    return NB_OK;
}

nb_status nb_figure_value(const nb_script_column *column, const nb_run *run, int32_t copy, double *value) {
    sample s = {0};
    const int64_t steps = copy >= 0 ? run->batch.steps : run->step_count;
    const int64_t passes = copy < 0 && run->repeat_count > 0 ? run->repeat_count : 1;
    nb_status status = NB_ALLOCATE(steps * passes, &s.values);
    if (status != NB_OK) return status;
    if (copy >= 0)
        take_copy(column, run, copy, &s);
    else
        take_steps(column, run, &s);
    *value = value_of(column->function, &s);
    nb_free(s.values);
    return NB_OK;
}
