#include "run_table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "file_readers.h"
#include "reason.h"
#include "run/scene_problem.h"
#include "singular_values.h"
#include "statistics/unsolved.h"
#include "table/outcome.h"
#include "table/statistics.h"
#include "text/table.h"

enum {
    MOST_COLUMNS = 96,
    CELL = 1024,
    DESCRIBED = 2000 /* rows of W at most: its singular values take some 3 n^3 operations */
};

/* how singular the W of a problem is */
typedef struct description {
    double rank, ratio, condition; /* NaN where it cannot be read or is too large */
} description;

/* a run in its line */
typedef struct line {
    nb_run_table *table;
    const nb_request *request;
    const nb_run *run;
} line;

/* a column of outcomes: a number with its format ("-" before it: so where there is none), or else a text */
typedef struct column {
    const char *title, *format;
    double (*number)(const line *l);
    const char *(*text)(const line *l, char text[CELL]);
} column;

struct nb_run_table {
    const nb_plan *plan; /* NULL: of a suite */
    const nb_suite *suite;
    const nb_plan_group *group; /* whose table is being printed; NULL: none yet */
    nb_table *table, *failures;
    int64_t failed;
    int fields; /* columns after the scene that tell runs apart */
    int field[NB_REQUEST_MOST_FIELDS];
    const column *columns[MOST_COLUMNS];
    int count;
    char described[NB_NAME_LENGTH]; /* the problem that came last, and its W */
    description description;
};

/* ---- whether it is solved ---- */

static int within(const nb_run *run, nb_step_column what, double tolerance) {
    if (tolerance <= 0) return 1; /* not asked for */
    for (int32_t i = 0; i < run->step_count; i++)
        if (!(run->steps[(int64_t)i * NB_STEP_COLUMNS + what] <= tolerance)) return 0;
    return run->step_count > 0;
}

int nb_run_converged(const nb_request *request, const nb_run *run) {
    if (*run->fault) return 0;
    if (!request->subject->has_contacts && request->info.linear_tolerance > 0)
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

/* whether it ended with the proof that a problem of which that is known has no solution */
static int is_proved(const nb_request *request, const nb_run *run) {
    return request->standard && nb_standard_is_infeasible(request->standard->best) &&
           nb_run_last(run, NB_STEP_REASON) == (double)NB_REASON_INFEASIBLE;
}

static int is_solved(const nb_request *request, const nb_run *run) {
    return nb_run_converged(request, run) || (!*run->fault && is_proved(request, run));
}

/* ---- how singular W is ---- */

static nb_status describe_matrix(const nb_csr_f64 *w, description *d) {
    double *values = NULL;
    nb_status status;
    NB_TRY(NB_ALLOCATE(w->rows, &values));
    NB_TRY(nb_singular_values(w, values));
    const int32_t rank = nb_singular_rank(w->rows, values);
    if (rank > 0) *d = (description){rank, (double)w->rows / rank, nb_singular_condition(w->rows, values)};
out:
    nb_free(values);
    return status;
}

static const char *path_of(const nb_suite *suite, const char *name) {
    for (int64_t i = 0; i < suite->files.count; i++)
        if (strcmp(suite->files.items[i].name, name) == 0) return suite->files.items[i].path;
    return NULL;
}

static const description *describe(const line *l) {
    nb_run_table *table = l->table;
    nb_fclib_problem *problem = NULL;
    const char *name = l->request->info.scenario, *path = path_of(table->suite, name);
    if (strcmp(table->described, name) == 0) return &table->description;
    snprintf(table->described, sizeof table->described, "%s", name);
    table->description = (description){NAN, NAN, NAN};
    if (path && nb_check_problem(path) == NB_OK && nb_problem_file_read(path, &problem) == NB_OK &&
        problem->data.w->rows <= DESCRIBED)
        describe_matrix(problem->data.w, &table->description);
    nb_fclib_destroy(problem);
    return &table->description;
}

/* ---- columns ---- */

/* Seconds of the whole run: the median over the timed repetitions ([repeat][step]), or those of the recorded pass. */
static double seconds(const nb_run *run, nb_step_column what) {
    enum {
        MOST = 1001
    };
    double sums[MOST];
    const double *repeats = nb_run_repeated(run, what);
    int32_t count = run->repeat_count < MOST ? run->repeat_count : MOST;
    if (!repeats) return nb_run_sum(run, what);
    for (int32_t r = 0; r < count; r++) {
        sums[r] = 0;
        for (int32_t s = 0; s < run->step_count; s++) sums[r] += repeats[(int64_t)r * run->step_count + s];
    }
    return nb_quantile(sums, nb_sort_sample(sums, count), 0.5);
}

/* the last iterate's, against the reference */
static double true_error(const nb_run *run) {
    const int64_t rows = run->step_count ? run->newton_start[run->step_count] : 0;
    return rows && run->reference.solution.q ? nb_run_newton_row(run, rows - 1)[NB_NEWTON_VELOCITY_ERROR] : NAN;
}

static int has_two_solutions(const nb_run *run) {
    return nb_reference_solution_apart(&run->reference) > 0;
}

static double reference_error(const nb_run *run) {
    const int has = run->reference.solution.q && !has_two_solutions(run);
    return has ? nb_reference_solution_error(&run->reference) : NAN;
}

static double worst_copy(const nb_batch *batch) {
    return batch->scenes ? nb_batch_worst_last(batch, NB_BATCH_NATURAL_MAP_ERROR) : NAN;
}

#define NUMBER(name, value)                      \
    static double number_##name(const line *l) { \
        return value;                            \
    }
#define LAST(name, column) NUMBER(name, nb_run_last(l->run, NB_STEP_##column))
#define SECONDS(name, column) NUMBER(name, seconds(l->run, NB_STEP_##column))
NUMBER(steps, l->run->step_count)
NUMBER(newton, nb_run_newton_iterations(l->run))
NUMBER(linear, nb_run_linear_iterations(l->run))
NUMBER(residual, nb_run_system_residual(l->run))
NUMBER(factorisations, nb_run_factorisations(l->run))
NUMBER(true_error, true_error(l->run))
NUMBER(reference_error, reference_error(l->run))
NUMBER(copies, l->run->batch.scenes ? l->run->batch.scenes : 1)
NUMBER(worst_copy, worst_copy(&l->run->batch))
NUMBER(share_at_4, 100 * nb_batch_share(&l->run->batch, 1e-4))
NUMBER(share_at_6, 100 * nb_batch_share(&l->run->batch, 1e-6))
NUMBER(throughput, l->run->batch.scenes ? nb_batch_throughput(&l->run->batch) : NAN)
NUMBER(rank, describe(l)->rank)
NUMBER(ratio, describe(l)->ratio)
NUMBER(condition, describe(l)->condition)
LAST(contacts, CONTACTS)
LAST(rows, ROWS)
LAST(iterations, NEWTON_ITERATIONS)
LAST(natural_map, NATURAL_MAP_ERROR)
LAST(relative, NATURAL_MAP_RELATIVE)
LAST(fclib, NATURAL_MAP_FCLIB)
LAST(siconos, NATURAL_MAP_SICONOS)
SECONDS(assembly, ASSEMBLY_S)
SECONDS(setup, SETUP_S)
SECONDS(solve, SOLVE_S)
SECONDS(step, STEP_S)

static const char *text_rhs(const line *l, char text[CELL]) {
    (void)text;
    return l->request->rhs_shown;
}

static const char *text_class(const line *l, char text[CELL]) {
    (void)text;
    return l->request->standard->class;
}

/* with what the last step's reason leaves out: that the tolerance was not met, there or before */
static const char *text_reason(const line *l, char text[CELL]) {
    const nb_run *run = l->run;
    const double reason = nb_run_last(run, NB_STEP_REASON);
    const int in_the_end = run->step_count > 1 && isfinite(reason) && nb_reason_converged((nb_reason)reason);
    if (run->batch.fault_count > 0)
        snprintf(text, CELL, "%s, %d copies failed", nb_run_reason_words(run), (int)run->batch.fault_count);
    else if (*run->fault || nb_run_converged(l->request, run))
        return nb_run_reason_words(run);
    else
        snprintf(text, CELL, "%s%s", nb_run_reason_words(run), in_the_end ? ", not in every step" : ", not converged");
    return text;
}

static const char *text_fault(const line *l, char text[CELL]) {
    const nb_run *run = l->run;
    if (*run->fault) return run->fault;
    snprintf(text, CELL, "natural map %.3g ||q||%s%s", nb_run_last(run, NB_STEP_NATURAL_MAP_RELATIVE),
             *run->remark ? "; " : "", run->remark);
    return text;
}

/* The outcome. A solver's own "converged" does not count where a tolerance was asked for and is not met. */
static const char *text_flag(const line *l, char text[CELL]) {
    const nb_run_info *info = &l->request->info;
    const char *own = nb_run_reason(l->run);
    (void)text;
    if (*l->run->fault || !(info->relative_tolerance > 0 || info->newton_tolerance > 0)) return own;
    if (is_solved(l->request, l->run)) return is_proved(l->request, l->run) ? own : nb_reason_name(NB_REASON_CONVERGED);
    return nb_reason_converged((nb_reason)nb_run_last(l->run, NB_STEP_REASON)) ? "tolerance-not-met" : own;
}

static const char *text_true_error(const line *l, char text[CELL]) {
    static const char *const taken[] = {"- (two solutions)", "- (first of two)", "- (second of two)",
                                        "- (neither of two)"};
    if (has_two_solutions(l->run)) return taken[nb_run_solution(l->run, NULL)]; /* no errors against one of two */
    snprintf(text, CELL, isnan(number_true_error(l)) ? "-" : "%.3g", number_true_error(l));
    return text;
}

#undef NUMBER
#define NUMBER(title, format, name) \
    { title, format, number_##name, NULL }
#define TEXT(title, name) \
    { title, NULL, NULL, text_##name }
#define END \
    { NULL, NULL, NULL, NULL }
#define CONTACTS NUMBER(">contacts", "%.0f", contacts)
#define LINEAR NUMBER(">linear", "%.1f", linear)
#define TIMES NUMBER(">set-up [s]", "%.4g", setup), NUMBER(">solve [s]", "%.4g", solve)
#define MAPS                                                                       \
    NUMBER(">/||q||", "%.3g", relative), NUMBER(">/(1+sqrt||q||)", "%.3g", fclib), \
        NUMBER(">/max(||q||,||r||,||u||)", "%.3g", siconos)

static const column of_scenarios[] = {NUMBER(">steps", "%.0f", steps),
                                      CONTACTS,
                                      NUMBER(">newton", "%.1f", newton),
                                      LINEAR,
                                      NUMBER(">natural map [m/s]", "%.3g", natural_map),
                                      NUMBER(">assembly [s]", "%.4g", assembly),
                                      TIMES,
                                      TEXT("reason", reason),
                                      END};
static const column of_problems[] = {CONTACTS, NUMBER(">newton", "%.0f", iterations),
                                     LINEAR,   NUMBER(">seconds", "%.4g", step),
                                     MAPS,     TEXT("reason", reason),
                                     END};
static const column of_systems[] = {TEXT("b", rhs),
                                    NUMBER(">rows", "%.0f", rows),
                                    NUMBER(">iterations", "%.0f", linear),
                                    TIMES,
                                    NUMBER(">||b - A x||/||b||", "%.3g", residual),
                                    TEXT("reason", reason),
                                    END};
static const column *columns_of(const nb_subject *subject) {
    return subject == &nb_subject_scene ? of_scenarios : subject == &nb_subject_problem ? of_problems : of_systems;
}

static const column of_references[] = {TEXT(">true error [m/s]", true_error),
                                       NUMBER(">error of the reference [m/s]", "-%.3g", reference_error), END};
static const column of_batches[] = {
    NUMBER(">copies", "%.0f", copies),           NUMBER(">worst map [m/s]", "-%.3g", worst_copy),
    NUMBER(">to 1e-4 [%]", "-%.3g", share_at_4), NUMBER(">to 1e-6 [%]", "-%.3g", share_at_6),
    NUMBER(">steps/s", "-%.4g", throughput),     END};
static const column of_sets[] = {TEXT("class", class), END};
static const column of_files[] = {TEXT("flag", flag), CONTACTS, END};
static const column of_matrices[] = {NUMBER("rank", "-%.0f", rank), NUMBER("rows/rank", "-%.4g", ratio),
                                     NUMBER("condition", "-%.3g", condition), END};
static const column of_solves[] = {MAPS, NUMBER(">iterations", "%.0f", iterations),
                                   NUMBER(">factorisations", "%.0f", factorisations), NUMBER(">seconds", "%.4g", step),
                                   END};
static const column of_failures[] = {TEXT("failed", flag), TEXT("because", fault), END};

/* ---- tables ---- */

static void add_columns(nb_run_table *table, const column *columns) {
    while (columns->title) table->columns[table->count++] = columns++;
}

static nb_status create_table(const nb_run_table *table, const char *subject, nb_table **created) {
    const char *titles[2 * MOST_COLUMNS];
    int n = 0;
    titles[n++] = subject;
    for (int i = 0; i < table->fields; i++) titles[n++] = nb_request_field_name(table->field[i]);
    for (int i = 0; i < table->count; i++) titles[n++] = table->columns[i]->title;
    return nb_table_create(n, titles, created);
}

/* the columns wide enough for all that will come */
static void widen(const nb_run_table *table) {
    const nb_plan_group *group = table->group;
    for (int64_t run = group->first; run < group->first + group->count; run++) {
        const nb_request *request = table->plan->requests[run];
        nb_table_widen(table->table, 0, request->info.scenario);
        for (int i = 0; i < table->fields; i++) {
            char text[NB_REQUEST_FIELD_TEXT];
            nb_request_field_text(table->field[i], request, text);
            nb_table_widen(table->table, 1 + i, text);
        }
        if (request->subject == &nb_subject_system) nb_table_widen(table->table, 1 + table->fields, request->rhs_shown);
    }
}

/* the linear solver always; the steps have a column of their own */
static int shown(const nb_plan_group *group, int field) {
    const char *name = nb_request_field_name(field);
    return strcmp(name, "linear-solver") == 0 || (group->varies[field] && strcmp(name, "steps") != 0);
}

/* a new table where the run belongs to another group than the one before */
static nb_status turn_to_group(nb_run_table *table, const nb_plan_group *group) {
    const nb_subject *subject = table->plan->requests[0]->subject;
    int batches = 0, references = 0;
    if (group == table->group) return NB_OK;
    if (table->group) putchar('\n');
    nb_table_destroy(table->table);
    table->group = group;
    table->fields = table->count = 0;
    for (int64_t run = group->first; run < group->first + group->count; run++) {
        batches |= table->plan->requests[run]->info.batch > 1;
        references |= table->plan->requests[run]->info.reference;
    }
    for (int i = 0; i < nb_request_field_count(); i++)
        if (shown(group, i)) table->field[table->fields++] = i;
    add_columns(table, columns_of(subject));
    if (references) add_columns(table, of_references);
    if (batches) add_columns(table, of_batches);
    nb_status status = create_table(table, subject->name, &table->table);
    if (status == NB_OK) widen(table);
    return status;
}

nb_status nb_run_table_of_plan(const nb_plan *plan, nb_run_table **table) {
    nb_status status = NB_ALLOCATE(1, table);
    if (status == NB_OK) (*table)->plan = plan;
    return status;
}

static int is_named(int field, const char *name) {
    return strcmp(nb_request_field_name(field), name) == 0;
}

nb_status nb_run_table_of_suite(const nb_suite *suite, nb_run_table **created) {
    nb_run_table *table;
    nb_status status = NB_ALLOCATE(1, created);
    if (status != NB_OK) return status;
    table = *created;
    table->suite = suite;
    for (int f = 0; f < nb_request_field_count(); f++)
        if (is_named(f, "method") || is_named(f, "linear-solver") || nb_parameter_grid_varies(suite->grid, f))
            table->field[table->fields++] = f;
    add_columns(table, of_failures);
    NB_TRY(create_table(table, "problem", &table->failures));
    nb_table_use_tabs(table->failures);
    table->count = 0;
    if (suite->files.set.count > 0) add_columns(table, of_sets);
    add_columns(table, of_files);
    if (suite->describe) add_columns(table, of_matrices);
    add_columns(table, of_solves);
    NB_TRY(create_table(table, "problem", &table->table));
    nb_table_use_tabs(table->table);
out:
    return status;
}

void nb_run_table_destroy(nb_run_table *table) {
    if (!table) return;
    nb_table_destroy(table->table);
    nb_table_destroy(table->failures);
    nb_free(table);
}

/* what tells the run from others */
static void identify(const line *l, nb_table *to) {
    const nb_run_table *table = l->table;
    nb_table_cell(to, "%s", l->request->info.scenario);
    for (int f = 0; f < table->fields; f++) {
        char text[NB_REQUEST_FIELD_TEXT];
        nb_request_field_text(table->field[f], l->request, text);
        /* a preconditioner that is not taken says "none" itself */
        int said = nb_request_uses_field(table->field[f], l->request) || strcmp(text, "none") == 0;
        nb_table_cell(to, "%s", table->suite || (said && *text) ? text : "-");
    }
}

static void add_cell(const line *l, const column *c, nb_table *to) {
    char text[CELL];
    const double value = c->number ? c->number(l) : NAN;
    const int dash = c->format && *c->format == '-';
    if (c->text)
        nb_table_cell(to, "%s", c->text(l, text));
    else if (dash && isnan(value))
        nb_table_cell(to, "-");
    else
        snprintf(text, sizeof text, c->format + dash, value), nb_table_cell(to, "%s", text);
}

nb_status nb_run_table_add(nb_run_table *table, int64_t i, const nb_request *request, const nb_run *run, int *solved) {
    const line l = {table, request, run};
    nb_status status = table->plan ? turn_to_group(table, nb_plan_group_of(table->plan, i)) : NB_OK;
    if (status != NB_OK) return status;
    identify(&l, table->table);
    for (int k = 0; k < table->count; k++) add_cell(&l, table->columns[k], table->table);
    *solved = is_solved(request, run);
    if (table->failures && !*solved) {
        identify(&l, table->failures);
        for (const column *c = of_failures; c->title; c++) add_cell(&l, c, table->failures);
        table->failed++;
    }
    status = nb_table_print(table->table, stdout);
    fflush(stdout);
    return status;
}

nb_status nb_run_table_end(nb_run_table *table) {
    if (table->failed == 0) return NB_OK;
    putchar('\n');
    nb_status status = nb_table_print(table->failures, stdout);
    fflush(stdout);
    return status;
}
