#include "linear_system.h"

#include <stdio.h>
#include <string.h>
#include <tgmath.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/norm.h"
#include "columns.h"
#include "operator/delassus_matrix.h"
#include "operator/solve.h"
#include "registry.h"

NB_PRECISIONS(f32, f64);

typedef struct nb_linear_system {
    const nb_method_settings *settings;
    const nb_csr_f64 *a;
    double assembly_s; /* of `create`, until a solve has told it */
    char remark[sizeof((nb_step_outcome *)0)->remark];
    nb_delassus *delassus;
    nb_system *system;
    uint8_t *filled; /* [rows] of the system */
    nb_solve *solve;
    real *x;
    double *residual; /* [rows] */
} nb_linear_system;

void nb_linear_system_destroy(void *system) {
    nb_linear_system *s = system;
    if (!s) return;
    nb_solve_destroy(s->solve);
    nb_system_destroy(s->system);
    nb_delassus_matrix_destroy(s->delassus);
    nb_free(s->filled);
    nb_free(s->x);
    nb_free(s->residual);
    nb_free(s);
}

static const nb_column columns[] = {NB_COLUMNS_OF_SOLVES};
const nb_columns nb_linear_system_columns = {columns, NB_COLUMN_OWN, NULL};

static nb_status convert(double from, const char *what, int64_t row, real *to) {
    *to = (real)from;
    if (isfinite(*to)) return NB_OK;
    return nb_fail(NB_ERROR_INPUT, "%s has the entry %g in row %lld, which %s cannot hold", what, from,
                   (long long)row + 1, NB_REAL_NAMED);
}

/* The diagonal entry included even where there is none: then `filled` is 1, except in a row without other values, whose
 * place on the diagonal is what a preconditioner puts its one into. */
static nb_status copy_row(const nb_csr_f64 *from, int32_t row, nb_csr *to, int64_t *count, uint8_t *filled) {
    int64_t k = from->start[row], end = from->start[row + 1];
    int seen = 0, empty = 1;
    while (k < end || !seen) {
        int due = !seen && (k == end || from->column[k] > row); /* the diagonal, which is missing */
        if (due) *filled = 1;
        to->column[*count] = due ? row : from->column[k];
        if (to->column[*count] == row) seen = 1;
        if (!due) {
            nb_status status = convert(from->value[k++], "A", row, &to->value[*count]);
            if (status != NB_OK) return status;
            if (to->value[*count] != 0) empty = 0;
        }
        ++*count;
    }
    if (empty) *filled = 0;
    to->start[row + 1] = *count;
    return NB_OK;
}

static nb_status make_system(const nb_csr_f64 *a, nb_linear_system *s) {
    nb_status status;
    nb_csr *matrix = NULL;
    int64_t count = 0;
    NB_TRY(nb_csr_create((int32_t)a->rows, (int32_t)a->rows, nb_csr_nonzeros_f64(a) + a->rows, &matrix));
    NB_TRY(NB_ALLOCATE(a->rows, &s->filled));
    for (int32_t i = 0; i < a->rows; i++) NB_TRY(copy_row(a, i, matrix, &count, &s->filled[i]));
    status = nb_delassus_matrix_create(matrix, 0, NULL, 0, NULL, &s->delassus);
    matrix = NULL; /* taken over in every case */
    NB_TRY(status);
    NB_TRY(nb_system_create(s->delassus, &s->system));
    s->system->filled = s->filled;
    NB_TRY(NB_ALLOCATE(a->rows, &s->x));
    NB_TRY(NB_ALLOCATE(a->rows, &s->residual));
out:
    nb_csr_destroy(matrix);
    return status;
}

/* `asymmetry`: of A (linear_problem.h) */
static nb_status make_solver(const nb_method_settings *settings, double asymmetry, nb_linear_system *s) {
    nb_status status;
    const nb_linear_solver_class *solver;
    const nb_preconditioner_class *preconditioner;
    NB_TRY(nb_settings_solver(settings, &solver, &preconditioner));
    if (asymmetry > 0 && nb_check_unsymmetric(solver, preconditioner) != NB_OK) {
        char why[512];
        snprintf(why, sizeof why, "%s", nb_error_message());
        NB_TRY(nb_fail(NB_ERROR_USAGE, "A is unsymmetric (by %.2g of its entries): %s", asymmetry, why));
    }
    if (s->system->symmetric && preconditioner && preconditioner->of_symmetric)
        snprintf(s->remark, sizeof s->remark, "preconditioner %s is %s: the matrix is symmetric", preconditioner->name,
                 preconditioner->of_symmetric);
    NB_TRY(nb_settings_solve(settings, &s->solve));
out:
    return status;
}

/* b - A x of the system as it was given, whatever precision it was solved in */
static void find_residual(const nb_csr_f64 *a, const double *b, const double *x, double *residual) {
    for (int64_t i = 0; i < a->rows; i++) {
        residual[i] = b[i];
        for (int64_t k = a->start[i]; k < a->start[i + 1]; k++) residual[i] -= a->value[k] * x[a->column[k]];
    }
}

/* measured: the residual b - A x [rows] */
static nb_newton_report report_of(const double *residual, int32_t rows) {
    nb_newton_report r = {.constraint_error = (double)NAN,
                          .complementarity_error = (double)NAN,
                          .friction_error = (double)NAN,
                          .bilateral_error = (double)NAN,
                          .momentum_error = (double)NAN,
                          .natural_map_error = (double)NAN,
                          .file_error = (double)NAN,
                          .velocity_error = (double)NAN,
                          .force_error = (double)NAN,
                          .distance = {(double)NAN, (double)NAN}};
    double largest = 0;
    for (int i = 0; i < NB_METHOD_COLUMNS; i++) r.values[i] = (double)NAN;
    for (int32_t i = 0; i < rows; i++) nb_raise(&largest, fabs(residual[i]));
    r.values[NB_COLUMN_RESIDUAL_LINF] = largest;
    r.values[NB_COLUMN_RESIDUAL_L2] = nb_norm_of(rows, residual);
    return r;
}

static void fill_outcome(const nb_newton_report *report, nb_step_outcome *outcome) {
    const double none = (double)NAN;
    outcome->reason = (nb_reason)report->values[NB_COLUMN_LINEAR_REASON];
    outcome->newton_iterations = 1;
    outcome->errors =
        (nb_errors){none, none, none,         none,         none, none, none, {none, none, none, none, none},
                    none, none, {none, none}, {.serial = 0}};
    outcome->setup_s = report->setup_s;
    outcome->solve_s = report->solve_s;
    outcome->operator_applications = report->values[NB_COLUMN_OPERATOR_APPLICATIONS];
    outcome->preconditioner_applications = report->values[NB_COLUMN_PRECONDITIONER_APPLICATIONS];
    outcome->norm_a = outcome->norm_a_inverse = none;
}

nb_status nb_linear_system_create(const nb_method_settings *settings, const nb_csr_f64 *a, double asymmetry,
                                  void **system) {
    nb_status status;
    nb_linear_system *s = NULL;
    const double start = nb_clock_seconds();
    NB_TRY(NB_ALLOCATE(1, &s));
    s->settings = settings;
    s->a = a;
    NB_TRY(make_system(a, s));
    s->system->device = settings->device;
    s->system->symmetric = asymmetry == 0;
    NB_TRY(make_solver(settings, asymmetry, s));
    s->assembly_s = nb_clock_seconds() - start;
    *system = s;
    s = NULL;
out:
    nb_linear_system_destroy(s);
    return status;
}

nb_status nb_linear_system_solve(void *system, const double *b, const nb_observer *observer, nb_step_outcome *outcome,
                                 double *x) {
    nb_status status;
    nb_linear_system *s = system;
    nb_solve_report solved;
    const int32_t rows = s->system->rows;
    const double start = nb_clock_seconds();
    for (int32_t i = 0; i < rows; i++) NB_TRY(convert(b[i], "b", i, &s->system->b[i]));
    outcome->assembly_s = s->assembly_s + nb_clock_seconds() - start;
    s->assembly_s = 0;
    memcpy(outcome->remark, s->remark, sizeof s->remark);
    NB_TRY(nb_solve_run(s->solve, s->system, &s->settings->linear, observer ? observer->linear : NULL,
                        observer ? observer->context : NULL, s->x, &solved));
    for (int32_t i = 0; i < rows; i++) x[i] = (double)s->x[i];
    find_residual(s->a, b, x, s->residual);
    nb_newton_report before = report_of(b, rows), after = report_of(s->residual, rows);
    double *v = before.values, norm = v[NB_COLUMN_RESIDUAL_L2];
    nb_columns_begin_solves(&before);
    nb_columns_add_solve(&solved, 1, 0, &before);
    before.assembly_s = outcome->assembly_s;
    v[NB_COLUMN_STEP_LINF] = (double)NAN;
    v[NB_COLUMN_LINEAR_ITERATIONS] = solved.iterations;
    v[NB_COLUMN_LINEAR_REASON] = solved.reason;
    v[NB_COLUMN_LINEAR_RESIDUAL] = norm > 0 ? after.values[NB_COLUMN_RESIDUAL_L2] / norm : 0;
    v[NB_COLUMN_FACTOR_NONZEROS] = (double)solved.factor_nonzeros;
    fill_outcome(&before, outcome);
    if (observer && observer->newton) NB_TRY(observer->newton(observer->context, &before));
    if (observer && observer->newton) NB_TRY(observer->newton(observer->context, &after));
out:
    return status;
}
