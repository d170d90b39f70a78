#include "table/rows.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "table/cost.h"
#include "table/linear_cost.h"
#include "table/outcome.h"
#include "table/statistics.h"
#include "text/plain.h"

static void write_number(double x, int digits, int first, FILE *file) {
    fprintf(file, first ? "%.*g" : "\t%.*g", digits, x);
}

/* no numbers */
static void write_absent(const nb_record_table *table, FILE *file) {
    for (int c = 0; c < table->count; c++) fputs(c == 0 ? "nan" : "\tnan", file);
    fputc('\n', file);
}

/* ---- rows of a record ---- */

nb_rows nb_rows_of_steps(const nb_run *run) {
    return (nb_rows){run->steps, run->step_count, NB_STEP_COLUMNS};
}

nb_rows nb_rows_of_copy(const nb_run *run, int32_t copy) {
    const nb_batch *batch = &run->batch;
    return (nb_rows){batch->rows + (int64_t)copy * batch->steps * NB_BATCH_COLUMNS, batch->steps, NB_BATCH_COLUMNS};
}

nb_rows nb_rows_of_newton(const nb_run *run, int64_t step) {
    if (step < 0 || step >= run->step_count) return (nb_rows){NULL, 0, 0};
    const int64_t first = run->newton_start[step];
    return (nb_rows){nb_run_newton_row(run, first), run->newton_start[step + 1] - first, run->newton_columns.count};
}

nb_rows nb_rows_of_linear(const nb_run *run, int64_t iteration) {
    if (iteration < 0) return (nb_rows){NULL, 0, 0};
    const int64_t first = run->linear_start[iteration];
    return (nb_rows){run->linear + first * NB_LINEAR_COLUMNS, run->linear_start[iteration + 1] - first,
                     NB_LINEAR_COLUMNS};
}

static int32_t step_of(const nb_record_table *table, const nb_run *run) {
    return table->step < 0 ? run->step_count - 1 : table->step;
}

/* the Newton iteration whose linear solve is drawn, or -1 */
static int64_t solve_of(const nb_record_table *table, const nb_run *run) {
    const int32_t step = step_of(table, run);
    const int64_t count = nb_rows_of_newton(run, step).count, row = table->newton < 0 ? count - 1 : table->newton;
    return row >= 0 && row < count ? run->newton_start[step] + row : -1;
}

nb_rows nb_rows_of_table(const nb_record_table *table, const nb_run *run) {
    if (table->rows == NB_ROWS_LINEAR) return nb_rows_of_linear(run, solve_of(table, run));
    return nb_rows_of_newton(run, step_of(table, run));
}

/* where a column's terms stand in a run's rows; negative: nowhere */
typedef struct places {
    int term[NB_COLUMN_TERMS];
} places;

static places places_of(const nb_record_column *c, const nb_run *run) {
    places p = {0};
    for (int i = 0; i < c->terms; i++)
        p.term[i] = *c->of[i] && c->term[i] >= 0 ? nb_run_newton_column(run, c->of[i]) : c->term[i];
    return p;
}

/* the sum of the column's terms in a row; what is no number counts as zero where `finite` is 1 */
static double sum_of(const nb_record_column *c, const places *p, const double *row, int finite) {
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
static double share_of(const nb_record_column *c, const nb_run *run, int64_t row, double share) {
    double sum = 0;
    for (int i = 0; i < c->terms; i++) {
        int flops = strcmp(c->of[i], "flops") == 0;
        int before = flops || strcmp(c->of[i], "assembly_s") == 0 || strcmp(c->of[i], "setup_s") == 0;
        double all = nb_run_newton_number(run, row, nb_run_newton_column(run, "linear_iterations"));
        double x = flops ? nb_linear_flops(run, row, share * all, share)
                         : nb_run_newton_number(run, row, nb_run_newton_column(run, c->of[i]));
        sum += (before ? 1 : share) * (isfinite(x) ? x : 0);
    }
    return sum;
}

/* a solve without a history of its own, of a factorisation: the residual at its end */
static void write_end(const nb_record_table *table, const nb_run *run, FILE *file) {
    int64_t row = solve_of(table, run);
    for (int i = 0; i < table->count; i++) {
        const nb_record_column *c = &table->columns[i];
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

/* rows of steps, of Newton iterations or of linear ones */
static void write_iterations(const nb_record_table *table, const nb_run *run, const nb_rows *rows, FILE *file) {
    const int linear = table->rows == NB_ROWS_LINEAR;
    /* as in the median repetition */
    const double scale = table->rows == NB_ROWS_STEP ? 1 : nb_run_time_scale(run, step_of(table, run));
    const int64_t solve = linear ? solve_of(table, run) : -1, steps = rows->count - 1;
    double before[NB_TABLE_COLUMNS] = {0};
    places at[NB_TABLE_COLUMNS];
    for (int i = 0; i < table->count; i++) at[i] = places_of(&table->columns[i], run);
    for (int64_t r = 0; r < rows->count; r++) {
        const double *row = rows->first + r * rows->width;
        for (int i = 0; i < table->count; i++) {
            const nb_record_column *c = &table->columns[i];
            double unit = c->time ? c->unit * scale : c->unit, x = unit * sum_of(c, &at[i], row, 0);
            if (c->term[0] == NB_TERM_ITERATION) x = (double)r;
            if (c->function == NB_FUNCTION_START) x = over(x, unit * sum_of(c, &at[i], rows->first, 0));
            if (c->function == NB_FUNCTION_BEFORE && linear) {
                x = unit * share_of(c, run, solve, steps > 0 ? (double)r / (double)steps : 1);
            } else if (c->function == NB_FUNCTION_BEFORE && table->rows == NB_ROWS_STEP) {
                x = before[i] += x * (c->time ? nb_run_time_scale(run, (int32_t)r) : 1);
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
    double sum, first, last; /* of the first and the last step */
    const nb_record_column *of;
} sample;

static int same_values(const nb_record_column *a, const nb_record_column *b) {
    return a && b && a->terms == b->terms && memcmp(a->term, b->term, (size_t)a->terms * sizeof *a->term) == 0 &&
           memcmp(a->of, b->of, sizeof a->of) == 0 && a->unit == b->unit && a->accuracy == b->accuracy;
}

static double value_of(nb_column_function function, const sample *s) {
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
    case NB_FUNCTION_SUM: return s->sum;
    case NB_FUNCTION_FIRST: return s->first;
    case NB_FUNCTION_LAST: return s->last;
    default: return n < s->count ? (double)NAN : nb_quantile(v, n, 1); /* the worst */
    }
}

/* sorts its values; the last of them was set */
static void sort_sample(sample *s) {
    s->sum = 0;
    s->first = s->count > 0 ? s->values[0] : (double)NAN;
    for (int64_t i = 0; i < s->count; i++) s->sum += isnan(s->values[i]) ? 0 : s->values[i];
    s->numbers = nb_sort_sample(s->values, s->count);
}

double nb_column_function_value(nb_column_function function, double *values, int64_t count) {
    sample s = {.values = values, .count = count, .last = count > 0 ? values[count - 1] : (double)NAN};
    sort_sample(&s);
    return value_of(function, &s);
}

/* ---- iteration k of all steps ---- */

static void take_iteration(const nb_record_column *c, const nb_run *run, int64_t k, sample *s) {
    if (same_values(s->of, c)) return;
    const places at = places_of(c, run);
    s->count = 0;
    for (int32_t step = 0; step < run->step_count; step++) {
        const nb_rows rows = nb_rows_of_newton(run, step);
        double unit = c->time ? c->unit * nb_run_time_scale(run, step) : c->unit;
        s->last = NAN;
        if (k < rows.count) s->values[s->count++] = s->last = unit * sum_of(c, &at, rows.first + k * rows.width, 0);
    }
    sort_sample(s);
    s->of = c;
}

static nb_status write_all_steps(const nb_record_table *table, const nb_run *run, FILE *file) {
    sample s = {0};
    int64_t most = 0;
    nb_status status = NB_ALLOCATE(run->step_count, &s.values);
    if (status != NB_OK) return status;
    for (int32_t step = 0; step < run->step_count; step++) {
        const int64_t count = nb_rows_of_newton(run, step).count;
        if (count > most) most = count;
    }
    for (int64_t k = 0; k < most; k++) {
        s.of = NULL;
        for (int i = 0; i < table->count; i++) {
            const nb_record_column *c = &table->columns[i];
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

static int is_repeated(const nb_record_column *c, const nb_run *run) {
    int all = c->time && c->accuracy == 0 && run->repeat_count > 0;
    for (int i = 0; i < c->terms && all; i++) all = nb_run_repeated(run, c->term[i]) != NULL;
    return all;
}

static double time_in(const nb_record_column *c, const nb_run *run, int32_t repetition, int32_t step) {
    double sum = 0;
    for (int i = 0; i < c->terms; i++)
        sum += nb_run_repeated(run, c->term[i])[(int64_t)repetition * run->step_count + step];
    return c->unit * sum;
}

/* what a step took to reach the accuracy; NaN: it did not */
static double cost_of(const nb_record_column *c, const nb_run *run, int32_t step) {
    const nb_cost cost = nb_cost_of_error(run, step,
                                          c->term[0] >= NB_COST_RESIDUAL_ITERATIONS ? NB_OF_RESIDUAL
                                          : c->term[0] >= NB_COST_ENERGY_ITERATIONS ? NB_OF_ENERGY
                                                                                    : NB_OF_MAP,
                                          c->accuracy);
    if (!cost.reached) return NAN;
    switch (c->term[0]) {
    case NB_COST_NEWTON_ITERATIONS: return cost.newton_iterations;
    case NB_COST_FACTORISATIONS: return cost.factorisations;
    case NB_COST_LINEAR_ITERATIONS:
    case NB_COST_ENERGY_ITERATIONS:
    case NB_COST_RESIDUAL_ITERATIONS: return cost.linear_iterations;
    case NB_COST_ENERGY_FLOPS:
    case NB_COST_RESIDUAL_FLOPS: return cost.flops;
    default: return c->unit * cost.seconds;
    }
}

/* the Newton iterations of all steps */
static void take_newton(const nb_record_column *c, const nb_run *run, sample *s) {
    const places at = places_of(c, run);
    s->count = 0;
    for (int32_t step = 0; step < run->step_count; step++) {
        const nb_rows rows = nb_rows_of_newton(run, step);
        for (int64_t k = 0; k < rows.count - 1; k++)
            s->values[s->count++] = s->last = c->unit * sum_of(c, &at, rows.first + k * rows.width, 0);
    }
    sort_sample(s);
    s->of = c;
}

/* the steps of a run (copy -1), or of a copy of its batch */
static void take_steps(const nb_record_column *c, const nb_run *run, int32_t copy, sample *s) {
    if (same_values(s->of, c)) return;
    if (*c->of[0]) {
        take_newton(c, run, s);
        return;
    }
    const places at = places_of(c, run);
    const nb_rows rows = copy < 0 ? nb_rows_of_steps(run) : nb_rows_of_copy(run, copy);
    s->count = 0;
    for (int32_t step = 0; step < rows.count; step++)
        s->values[s->count++] = s->last = c->accuracy > 0
                                              ? cost_of(c, run, step)
                                              : c->unit * sum_of(c, &at, rows.first + (int64_t)step * rows.width, 0);
    if (copy < 0 && is_repeated(c, run)) {
        s->count = 0;
        for (int32_t r = 0; r < run->repeat_count; r++)
            for (int32_t step = 0; step < run->step_count; step++) s->values[s->count++] = time_in(c, run, r, step);
    }
    sort_sample(s);
    s->of = c;
}

/* room for them */
static nb_status create_sample(const nb_run *run, sample *s) {
    const int64_t passes = run->repeat_count > 0 ? run->repeat_count : 1, steps = run->step_count * passes;
    const int64_t newton = run->newton_start[run->step_count], most = steps > newton ? steps : newton;
    return NB_ALLOCATE(most > run->batch.steps ? most : run->batch.steps, &s->values);
}

/* a line of a run (copy -1), or of a copy of its batch */
static void write_line(const nb_record_table *table, const nb_run *run, int32_t copy, sample *s, FILE *file) {
    s->of = NULL;
    for (int i = 0; i < table->count; i++) {
        const nb_record_column *c = &table->columns[i];
        char text[NB_NAME_LENGTH];
        if (c->function != NB_FUNCTION_NONE) {
            take_steps(c, run, copy, s);
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

/* a line of the run, or one of each copy of its batch */
static nb_status write_lines(const nb_record_table *table, const nb_run *run, FILE *file) {
    const int of_copies = table->rows == NB_ROWS_BATCH;
    sample s = {0};
    nb_status status = create_sample(run, &s);
    if (status != NB_OK) return status;
    if (of_copies && run->batch.scenes == 0) write_absent(table, file);
    if (!of_copies) write_line(table, run, -1, &s, file);
    for (int32_t k = 0; of_copies && k < run->batch.scenes; k++) write_line(table, run, k, &s, file);
    nb_free(s.values);
    return NB_OK;
}

/* ---- public ---- */

nb_status nb_record_table_write(const nb_record_table *table, const nb_run *run, FILE *file) {
    const int of_steps = table->rows == NB_ROWS_STEP;
    if (run && (table->rows == NB_ROWS_RUN || table->rows == NB_ROWS_BATCH)) return write_lines(table, run, file);
    if (run && table->all_steps) return write_all_steps(table, run, file);
    const nb_rows rows = !run ? (nb_rows){NULL, 0, 0} : of_steps ? nb_rows_of_steps(run) : nb_rows_of_table(table, run);
    if (rows.count > 0 || (run && of_steps))
        write_iterations(table, run, &rows, file);
    else if (run && table->rows == NB_ROWS_LINEAR && nb_run_is_system(run))
        write_end(table, run, file);
    else /* there was no factor, or no Newton iteration */
        write_absent(table, file);
    return NB_OK;
}

nb_status nb_record_column_value(const nb_record_column *column, const nb_run *run, int32_t copy, double *value) {
    sample s = {0};
    nb_status status = create_sample(run, &s);
    if (status != NB_OK) return status;
    take_steps(column, run, copy, &s);
    *value = value_of(column->function, &s);
    nb_free(s.values);
    return NB_OK;
}
