#include "summary.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "reason.h"
#include "statistics/unsolved.h"
#include "table/outcome.h"
#include "table/statistics.h"
#include "text/table.h"

enum {
    MOST_COLUMNS = 96
};

struct nb_summary {
    const nb_plan *plan;
    const nb_plan_group *group; /* whose table is being printed; NULL: none yet */
    nb_table *table;
    int problems;   /* runs of stored problems */
    int linear;     /* of linear systems */
    int batches;    /* runs of the group are batches */
    int references; /* have true errors */
    int fields;     /* columns after the scene that tell runs apart */
    int field[MOST_COLUMNS];
};

/* Seconds of the whole run: the median over the timed repetitions ([repeat][step]), or those of the recorded pass. */
static double seconds(const nb_run *run, nb_step_column column) {
    enum {
        MOST = 1001
    };
    double sums[MOST];
    const double *repeats = nb_run_repeated(run, column);
    int32_t count = run->repeat_count < MOST ? run->repeat_count : MOST;
    if (!repeats) return nb_run_sum(run, column);
    for (int32_t r = 0; r < count; r++) {
        sums[r] = 0;
        for (int32_t s = 0; s < run->step_count; s++) sums[r] += repeats[(int64_t)r * run->step_count + s];
    }
    return nb_quantile(sums, nb_sort_sample(sums, count), 0.5);
}

static int within(const nb_run *run, nb_step_column column, double tolerance) {
    if (tolerance <= 0) return 1; /* not asked for */
    for (int32_t i = 0; i < run->step_count; i++)
        if (!(run->steps[(int64_t)i * NB_STEP_COLUMNS + column] <= tolerance)) return 0;
    return run->step_count > 0;
}

int nb_run_converged(const nb_request *request, const nb_run *run) {
    if (*run->fault) return 0;
    if (request->linear && request->info.linear_tolerance > 0)
        return nb_run_system_residual(run) <= request->info.linear_tolerance * (1 + 1e-6);
    const nb_batch *batch = &run->batch;
    nb_unsolved unsolved = {0};
    nb_unsolved_add(run, &unsolved);
    if (batch->fault_count > 0 || unsolved.lagging > 0) return 0;
    for (int64_t i = 0; request->info.newton_tolerance > 0 && i < (int64_t)batch->scenes * batch->steps; i++)
        if (!(batch->rows[i * NB_BATCH_COLUMNS + NB_BATCH_NATURAL_MAP_ERROR] <= request->info.newton_tolerance))
            return 0;
    return within(run, NB_STEP_NATURAL_MAP_ERROR, request->info.newton_tolerance) &&
           within(run, NB_STEP_NATURAL_MAP_RELATIVE, request->info.relative_tolerance);
}

/* the linear solver always; the steps have a column of their own */
static int shown(const nb_plan_group *group, int field) {
    const char *name = nb_request_field_name(field);
    return strcmp(name, "linear-solver") == 0 || (group->varies[field] && strcmp(name, "steps") != 0);
}

/* the columns wide enough for all that will come */
static void widen(nb_summary *summary) {
    const nb_plan_group *group = summary->group;
    for (int64_t run = group->first; run < group->first + group->count; run++) {
        const nb_request *request = summary->plan->requests[run];
        nb_table_widen(summary->table, 0, request->info.scenario);
        for (int i = 0; i < summary->fields; i++) {
            char text[NB_REQUEST_FIELD_TEXT];
            nb_request_field_text(summary->field[i], request, text);
            nb_table_widen(summary->table, 1 + i, text);
        }
        if (summary->linear) nb_table_widen(summary->table, 1 + summary->fields, request->rhs_shown);
    }
}

/* a new table where the run belongs to another group than the one before */
static nb_status turn_to_group(nb_summary *summary, const nb_plan_group *group) {
    static const char *const of_scenarios[] = {">steps",      ">contacts",          ">newton",
                                               ">linear",     ">natural map [m/s]", ">assembly [s]",
                                               ">set-up [s]", ">solve [s]",         "reason"};
    static const char *const of_problems[] = {
        ">contacts", ">newton", ">linear", ">seconds", ">/||q||", ">/(1+sqrt||q||)", ">/max(||q||,||r||,||u||)",
        "reason"};
    static const char *const of_systems[] = {
        "b", ">rows", ">iterations", ">set-up [s]", ">solve [s]", ">||b - A x||/||b||", "reason"};
    const char *titles[MOST_COLUMNS], *const *outcome = of_scenarios;
    int n = 0, outcomes = 9;
    if (summary->problems) outcomes = 8, outcome = of_problems;
    if (summary->linear) outcomes = 7, outcome = of_systems;
    if (group == summary->group) return NB_OK;
    if (summary->group) putchar('\n');
    nb_table_destroy(summary->table);
    summary->group = group;
    summary->fields = summary->batches = summary->references = 0;
    for (int64_t run = group->first; run < group->first + group->count; run++) {
        if (summary->plan->requests[run]->info.batch > 1) summary->batches = 1;
        if (summary->plan->requests[run]->info.reference) summary->references = 1;
    }
    titles[n++] = summary->linear ? "system" : summary->problems ? "problem" : "scenario";
    for (int i = 0; i < nb_request_field_count(); i++) {
        if (!shown(group, i)) continue;
        summary->field[summary->fields++] = i;
        titles[n++] = nb_request_field_name(i);
    }
    for (int i = 0; i < outcomes; i++) titles[n++] = outcome[i];
    if (summary->references) {
        titles[n++] = ">true error [m/s]";
        titles[n++] = ">error of the reference [m/s]";
    }
    if (summary->batches) {
        titles[n++] = ">copies";
        titles[n++] = ">worst map [m/s]";
        titles[n++] = ">steps/s";
    }
    nb_status status = nb_table_create(n, titles, &summary->table);
    if (status == NB_OK) widen(summary);
    return status;
}

nb_status nb_summary_create(const nb_plan *plan, nb_summary **summary) {
    nb_status status = NB_ALLOCATE(1, summary);
    if (status != NB_OK) return status;
    (*summary)->plan = plan;
    (*summary)->problems = plan->requests[0]->problem_path != NULL;
    (*summary)->linear = plan->requests[0]->linear;
    return NB_OK;
}

void nb_summary_destroy(nb_summary *summary) {
    if (!summary) return;
    nb_table_destroy(summary->table);
    nb_free(summary);
}

static void problem_cells(nb_table *table, const nb_run *run) {
    nb_table_cell(table, "%.0f", nb_run_last(run, NB_STEP_CONTACTS));
    nb_table_cell(table, "%.0f", nb_run_last(run, NB_STEP_NEWTON_ITERATIONS));
    nb_table_cell(table, "%.1f", nb_run_linear_iterations(run));
    nb_table_cell(table, "%.4g", seconds(run, NB_STEP_STEP_S));
    nb_table_cell(table, "%.3g", nb_run_last(run, NB_STEP_NATURAL_MAP_RELATIVE));
    nb_table_cell(table, "%.3g", nb_run_last(run, NB_STEP_NATURAL_MAP_FCLIB));
    nb_table_cell(table, "%.3g", nb_run_last(run, NB_STEP_NATURAL_MAP_SICONOS));
}

static void system_cells(nb_table *table, const nb_request *request, const nb_run *run) {
    nb_table_cell(table, "%s", request->rhs_shown);
    nb_table_cell(table, "%.0f", nb_run_last(run, NB_STEP_ROWS));
    nb_table_cell(table, "%.0f", nb_run_linear_iterations(run));
    nb_table_cell(table, "%.4g", seconds(run, NB_STEP_SETUP_S));
    nb_table_cell(table, "%.4g", seconds(run, NB_STEP_SOLVE_S));
    nb_table_cell(table, "%.3g", nb_run_system_residual(run));
}

static void scenario_cells(nb_table *table, const nb_run *run) {
    nb_table_cell(table, "%d", run->step_count);
    nb_table_cell(table, "%.0f", nb_run_last(run, NB_STEP_CONTACTS));
    nb_table_cell(table, "%.1f", nb_run_newton_iterations(run));
    nb_table_cell(table, "%.1f", nb_run_linear_iterations(run));
    nb_table_cell(table, "%.3g", nb_run_last(run, NB_STEP_NATURAL_MAP_ERROR));
    nb_table_cell(table, "%.4g", seconds(run, NB_STEP_ASSEMBLY_S));
    nb_table_cell(table, "%.4g", seconds(run, NB_STEP_SETUP_S));
    nb_table_cell(table, "%.4g", seconds(run, NB_STEP_SOLVE_S));
}

/* the outcome of all copies: their number, the worst, and how fast they were made */
static void batch_cells(nb_table *table, const nb_run *run) {
    const nb_batch *batch = &run->batch;
    nb_table_cell(table, "%d", batch->scenes ? (int)batch->scenes : 1);
    nb_table_cell(table, batch->scenes ? "%.3g" : "-", nb_batch_worst_last(batch, NB_BATCH_NATURAL_MAP_ERROR));
    nb_table_cell(table, batch->scenes ? "%.4g" : "-", nb_batch_throughput(batch));
}

/* the last iterate against the reference, and how good that is itself */
static void reference_cells(nb_table *table, const nb_run *run) {
    const nb_reference_solution *reference = &run->reference;
    int64_t rows = run->step_count ? run->newton_start[run->step_count] : 0;
    double error = rows ? nb_run_newton_row(run, rows - 1)[NB_NEWTON_VELOCITY_ERROR] : NAN;
    int has = reference->solution.q != NULL;
    if (nb_reference_solution_apart(reference) > 0) { /* no errors against one of two */
        static const char *const taken[] = {"- (two solutions)", "- (first of two)", "- (second of two)",
                                            "- (neither of two)"};
        nb_table_cell(table, "%s", taken[nb_run_solution(run, NULL)]);
        nb_table_cell(table, "-");
        return;
    }
    nb_table_cell(table, has ? "%.3g" : "-", error);
    nb_table_cell(table, has ? "%.3g" : "-", nb_reference_solution_error(reference));
}

/* what the last step's reason leaves out: that the tolerance was not met, there or before */
static const char *shortfall(const nb_request *request, const nb_run *run) {
    if (*run->fault || nb_run_converged(request, run)) return "";
    double reason = nb_run_last(run, NB_STEP_REASON);
    int in_the_end = run->step_count > 1 && isfinite(reason) && nb_reason_converged((nb_reason)reason);
    return in_the_end ? ", not in every step" : ", not converged";
}

nb_status nb_summary_print(nb_summary *summary, int64_t i, const nb_run *run) {
    const nb_request *request = summary->plan->requests[i];
    nb_status status = turn_to_group(summary, nb_plan_group_of(summary->plan, i));
    if (status != NB_OK) return status;
    nb_table *table = summary->table;
    nb_table_cell(table, "%s", request->info.scenario);
    for (int f = 0; f < summary->fields; f++) {
        char text[NB_REQUEST_FIELD_TEXT];
        nb_request_field_text(summary->field[f], request, text);
        /* a preconditioner that is not taken says "none" itself */
        int said = nb_request_uses_field(summary->field[f], request) || strcmp(text, "none") == 0;
        nb_table_cell(table, "%s", said && *text ? text : "-");
    }
    if (summary->linear)
        system_cells(table, request, run);
    else if (summary->problems)
        problem_cells(table, run);
    else
        scenario_cells(table, run);
    if (run->batch.fault_count > 0)
        nb_table_cell(table, "%s, %d copies failed", nb_run_reason(run), (int)run->batch.fault_count);
    else
        nb_table_cell(table, "%s%s", nb_run_reason(run), shortfall(request, run));
    if (summary->references) reference_cells(table, run);
    if (summary->batches) batch_cells(table, run);
    status = nb_table_print(table, stdout);
    fflush(stdout);
    return status;
}
