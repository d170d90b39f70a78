#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "file_readers.h"
#include "reason.h"
#include "run/scene_problem.h"
#include "singular_values.h"
#include "suite.h"
#include "summary.h"
#include "table/outcome.h"
#include "text/plain.h"

enum {
    LINE = 1024,
    DESCRIBED = 2000 /* rows of W at most: its singular values take some 3 n^3 operations */
};

struct nb_suite_table {
    const nb_suite *suite;
    char described[NB_NAME_LENGTH], description[96]; /* of the problem that came last */
    int fields;                                      /* columns that say what was run, beside the problem */
    int field[NB_REQUEST_MOST_FIELDS];
    int headed;      /* the first line is printed */
    char **failures; /* a line each */
    int64_t failure_count, capacity;
};

static int is_named(int field, const char *name) {
    return strcmp(nb_request_field_name(field), name) == 0;
}

nb_status nb_suite_table_create(const nb_suite *suite, nb_suite_table **table) {
    nb_status status = NB_ALLOCATE(1, table);
    if (status != NB_OK) return status;
    (*table)->suite = suite;
    for (int f = 0; f < nb_request_field_count(); f++)
        if (is_named(f, "method") || is_named(f, "linear-solver") || nb_parameter_grid_varies(suite->grid, f))
            (*table)->field[(*table)->fields++] = f;
    return NB_OK;
}

void nb_suite_table_destroy(nb_suite_table *table) {
    if (!table) return;
    for (int64_t i = 0; i < table->failure_count; i++) nb_free(table->failures[i]);
    nb_free(table->failures);
    nb_free(table);
}

static void print_heading(const nb_suite_table *table) {
    fputs("problem", stdout);
    for (int i = 0; i < table->fields; i++) nb_print(stdout, "\t%s", nb_request_field_name(table->field[i]));
    if (table->suite->files.set.count > 0) fputs("\tclass", stdout);
    fputs("\tflag\tcontacts", stdout);
    if (table->suite->describe) fputs("\trank\trows/rank\tcondition", stdout);
    fputs("\t/||q||\t/(1+sqrt||q||)\t/max(||q||,||r||,||u||)\titerations\tfactorisations\tseconds\n", stdout);
}

/* "problem	newton	cholesky": what tells the run from others */
static void identify(const nb_suite_table *table, const nb_request *request, char line[LINE]) {
    nb_text_plain(request->info.scenario, line, LINE); /* file names may hold anything */
    for (int i = 0; i < table->fields; i++) {
        char text[NB_REQUEST_FIELD_TEXT], plain[NB_REQUEST_FIELD_TEXT];
        size_t used = strlen(line);
        nb_request_field_text(table->field[i], request, text);
        nb_text_plain(text, plain, sizeof plain);
        snprintf(line + used, LINE - used, "\t%s", plain);
    }
}

/* ---- how singular W is ---- */

static nb_status describe_matrix(const nb_csr_f64 *w, char *text, size_t size) {
    double *values = NULL;
    nb_status status = NB_ALLOCATE(w->rows, &values);
    if (status == NB_OK) status = nb_singular_values(w, values);
    int32_t rank = status == NB_OK ? nb_singular_rank(w->rows, values) : 0;
    if (rank > 0)
        snprintf(text, size, "\t%d\t%.4g\t%.3g", (int)rank, (double)w->rows / rank,
                 nb_singular_condition(w->rows, values));
    nb_free(values);
    return status;
}

static const char *path_of(const nb_suite *suite, const char *name) {
    for (int64_t i = 0; i < suite->files.count; i++)
        if (strcmp(suite->files.items[i].name, name) == 0) return suite->files.items[i].path;
    return NULL;
}

/* "	rank	rows/rank	condition" of the problem, dashes where it cannot be read or is too large; "" where
 * nobody asked */
static const char *describe(nb_suite_table *table, const char *name) {
    nb_fclib_problem *problem = NULL;
    const char *path = path_of(table->suite, name);
    if (!table->suite->describe || strcmp(table->described, name) == 0) return table->description;
    snprintf(table->described, sizeof table->described, "%s", name);
    snprintf(table->description, sizeof table->description, "\t-\t-\t-");
    if (path && nb_check_problem(path) == NB_OK && nb_problem_file_read(path, &problem) == NB_OK &&
        problem->data.w->rows <= DESCRIBED)
        describe_matrix(problem->data.w, table->description, sizeof table->description);
    nb_fclib_destroy(problem);
    return table->description;
}

/* ---- lines ---- */

/* whether it ended with the proof that a problem of which that is known has no solution */
static int is_proved(const nb_request *request, const nb_run *run) {
    return request->standard && nb_standard_is_infeasible(request->standard->best) &&
           nb_run_last(run, NB_STEP_REASON) == (double)NB_REASON_INFEASIBLE;
}

/* The outcome. A solver's own "converged" does not count where a tolerance was asked for and is not met. */
static const char *flag_of(const nb_request *request, const nb_run *run, int solved) {
    int asked = request->info.relative_tolerance > 0 || request->info.newton_tolerance > 0;
    if (*run->fault || !asked) return nb_run_reason(run);
    if (solved) return is_proved(request, run) ? nb_run_reason(run) : nb_reason_name(NB_REASON_CONVERGED);
    double reason = nb_run_last(run, NB_STEP_REASON);
    return nb_reason_converged((nb_reason)reason) ? "tolerance-not-met" : nb_run_reason(run);
}

static nb_status note_failure(nb_suite_table *table, const char *identity, const char *flag, const nb_run *run) {
    nb_status status;
    char reason[LINE], plain[LINE], line[3 * LINE];
    double error = nb_run_last(run, NB_STEP_NATURAL_MAP_RELATIVE);
    if (*run->fault)
        snprintf(reason, sizeof reason, "%s", run->fault);
    else
        snprintf(reason, sizeof reason, "natural map %.3g ||q||%s%s", error, *run->remark ? "; " : "", run->remark);
    nb_text_plain(reason, plain, sizeof plain);
    snprintf(line, sizeof line, "%s\t%s\t%s", identity, flag, plain);
    NB_TRY(NB_RESERVE(table->failure_count + 1, &table->capacity, &table->failures));
    NB_TRY(nb_copy_text(line, &table->failures[table->failure_count]));
    table->failure_count++;
out:
    return status;
}

nb_status nb_suite_table_add(nb_suite_table *table, const nb_request *request, const nb_run *run, int *solved) {
    nb_status status;
    nb_step_time time;
    char identity[LINE];
    *solved = !*run->fault && (nb_run_converged(request, run) || is_proved(request, run));
    const char *flag = flag_of(request, run, *solved);
    NB_TRY(nb_run_step_time(run, &time));
    if (!table->headed++) print_heading(table);
    identify(table, request, identity);
    fputs(identity, stdout); /* cells with tabs between */
    if (request->standard) nb_print(stdout, "\t%s", request->standard->class);
    nb_print(stdout, "\t%s\t%.0f", flag, nb_run_last(run, NB_STEP_CONTACTS));
    fputs(describe(table, request->info.scenario), stdout);
    nb_print(stdout, "\t%.3g\t%.3g\t%.3g\t%.0f\t%.0f\t%.4g\n", nb_run_last(run, NB_STEP_NATURAL_MAP_RELATIVE),
             nb_run_last(run, NB_STEP_NATURAL_MAP_FCLIB), nb_run_last(run, NB_STEP_NATURAL_MAP_SICONOS),
             nb_run_last(run, NB_STEP_NEWTON_ITERATIONS), nb_run_factorisations(run), time.median);
    fflush(stdout);
    if (!*solved) NB_TRY(note_failure(table, identity, flag, run));
out:
    return status;
}

void nb_suite_table_end(const nb_suite_table *table) {
    if (table->failure_count == 0) return;
    fputs("\nproblem", stdout);
    for (int i = 0; i < table->fields; i++) nb_print(stdout, "\t%s", nb_request_field_name(table->field[i]));
    fputs("\tfailed\tbecause\n", stdout);
    for (int64_t i = 0; i < table->failure_count; i++) {
        fputs(table->failures[i], stdout); /* cells with tabs between */
        fputc('\n', stdout);
    }
    fflush(stdout);
}
