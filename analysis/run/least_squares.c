#include "run/least_squares.h"

#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/dense_room.h"

/* Steps that together are to lower the cost: a single one may be short, where it is damped much. */
enum {
    WATCHED = 10
};

/* of the damping: at the start over the largest diagonal of J^T J, and where no step is short enough */
static const double first_damping = 1e-3, most_damping = 1e12;

typedef struct solver {
    const nb_least_squares *problem;
    double *x;                                   /* [unknowns] where it stands */
    double *residual, *jacobian;                 /* [rows], [rows][unknowns] there */
    double *try_x, *try_residual, *try_jacobian; /* the same of a step */
    double *gradient, *step;                     /* [unknowns] */
    double *matrix, *right;                      /* [rows + unknowns][unknowns], [rows + unknowns] */
    double cost, damping, growth, scale;
    nb_arena arena;
} solver;

static void place(nb_arena *a, solver *s) {
    const int64_t n = s->problem->unknowns, m = s->problem->rows;
    NB_PLACE(a, n, &s->try_x);
    NB_PLACE(a, n, &s->gradient);
    NB_PLACE(a, n, &s->step);
    NB_PLACE(a, m, &s->residual);
    NB_PLACE(a, m, &s->try_residual);
    NB_PLACE(a, m * n, &s->jacobian);
    NB_PLACE(a, m * n, &s->try_jacobian);
    NB_PLACE(a, (m + n) * n, &s->matrix);
    NB_PLACE(a, m + n, &s->right);
}

double nb_half_square(int32_t n, const double *x) {
    double sum = 0;
    for (int32_t i = 0; i < n; i++) sum += x[i] * x[i];
    return 0.5 * sum;
}

/* J^T r, its largest component, and the largest diagonal of J^T J */
static double find_gradient(solver *s) {
    const int32_t n = s->problem->unknowns, m = s->problem->rows;
    double largest = 0;
    s->scale = 0;
    for (int32_t k = 0; k < n; k++) {
        double sum = 0, square = 0;
        for (int32_t i = 0; i < m; i++) {
            double entry = s->jacobian[(int64_t)i * n + k];
            sum += entry * s->residual[i];
            square += entry * entry;
        }
        s->gradient[k] = sum;
        largest = fmax(largest, fabs(sum));
        s->scale = fmax(s->scale, square);
    }
    return largest;
}

/* the step that lowers the linearised cost most, damped */
static nb_status find_step(solver *s) {
    const int32_t n = s->problem->unknowns, m = s->problem->rows;
    memset(s->matrix, 0, (size_t)(m + n) * (size_t)n * sizeof *s->matrix);
    memcpy(s->matrix, s->jacobian, (size_t)m * (size_t)n * sizeof *s->matrix);
    for (int32_t k = 0; k < n; k++) s->matrix[((int64_t)m + k) * n + k] = sqrt(s->damping);
    for (int32_t i = 0; i < m; i++) s->right[i] = -s->residual[i];
    memset(s->right + m, 0, (size_t)n * sizeof *s->right);
    nb_status status = nb_dense_room();
    if (status != NB_OK) return status;
    lapack_int info = LAPACKE_dgels(LAPACK_ROW_MAJOR, 'N', m + n, n, 1, s->matrix, n, s->right, 1);
    if (info != 0) return nb_fail(NB_ERROR_NUMERIC, "LAPACK finds no least squares (dgels: %d)", (int)info);
    memcpy(s->step, s->right, (size_t)n * sizeof *s->step);
    for (int32_t k = 0; k < n; k++) s->try_x[k] = s->x[k] + s->step[k];
    return NB_OK;
}

/* how much the step lowers the linearised cost */
static double expected(const solver *s) {
    double sum = 0;
    for (int32_t k = 0; k < s->problem->unknowns; k++)
        sum += 0.5 * s->step[k] * (s->damping * s->step[k] - s->gradient[k]);
    return sum;
}

static void take(solver *s) {
    double *residual = s->residual, *jacobian = s->jacobian;
    memcpy(s->x, s->try_x, (size_t)s->problem->unknowns * sizeof *s->x);
    s->residual = s->try_residual;
    s->jacobian = s->try_jacobian;
    s->try_residual = residual;
    s->try_jacobian = jacobian;
}

static nb_status try_step(solver *s, nb_least_squares_report *report) {
    nb_status status;
    int none = 0;
    report->step = sqrt(2 * nb_half_square(s->problem->unknowns, s->step));
    report->damping = s->damping;
    NB_TRY(s->problem->evaluate(s->problem->context, s->try_x, s->try_residual, s->try_jacobian, &none));
    double cost = none ? INFINITY : nb_half_square(s->problem->rows, s->try_residual), hoped = expected(s);
    report->taken = cost < s->cost;
    if (report->taken) {
        double gain = (s->cost - cost) / hoped;
        s->cost = cost;
        take(s);
        s->damping *= fmax(1.0 / 3, 1 - pow(2 * gain - 1, 3));
        s->damping = fmax(s->damping, DBL_MIN);
        s->growth = 2;
    } else {
        s->damping *= s->growth;
        s->growth *= 2;
    }
    report->cost = s->cost;
    report->gradient = find_gradient(s);
out:
    return status;
}

static nb_status start(solver *s, nb_least_squares_report *report) {
    nb_status status;
    int none = 0;
    NB_TRY(s->problem->evaluate(s->problem->context, s->x, s->residual, s->jacobian, &none));
    s->cost = none ? NAN : nb_half_square(s->problem->rows, s->residual);
    if (none) {
        char why[256];
        snprintf(why, sizeof why, "%s", nb_error_message()); /* of the evaluation */
        NB_TRY(nb_fail(NB_ERROR_NUMERIC, "there is no cost at the start: %s", why));
    }
    if (!isfinite(s->cost)) NB_TRY(nb_fail(NB_ERROR_NUMERIC, "there is no cost at the start"));
    *report = (nb_least_squares_report){.cost = s->cost, .gradient = find_gradient(s), .taken = 1};
    s->damping = first_damping * s->scale;
    s->growth = 2;
out:
    return status;
}

nb_status nb_least_squares_solve(const nb_least_squares *problem, double *x, nb_reason *reason) {
    nb_status status;
    solver s = {.problem = problem, .x = x};
    nb_least_squares_report report;
    double watched[WATCHED]; /* costs before the last steps */
    int stop = 0;
    *reason = NB_REASON_NONE;
    place(&s.arena, &s);
    NB_TRY(nb_arena_reserve(&s.arena));
    place(&s.arena, &s);
    NB_TRY(start(&s, &report));
    if (problem->tell) NB_TRY(problem->tell(problem->context, &report, x, &stop));
    for (int32_t k = 0; !stop && *reason == NB_REASON_NONE; k++) {
        watched[k % WATCHED] = s.cost;
        NB_TRY(find_step(&s));
        if (report.gradient == 0)
            *reason = NB_REASON_CONVERGED;
        else if (expected(&s) <= 2 * DBL_EPSILON * s.cost)
            *reason = NB_REASON_ROUND_OFF;
        else if (k == problem->iterations)
            *reason = NB_REASON_ITERATIONS;
        if (*reason != NB_REASON_NONE) break;
        NB_TRY(try_step(&s, &report));
        if (problem->tell) NB_TRY(problem->tell(problem->context, &report, x, &stop));
        const double before = k + 1 < WATCHED ? NAN : watched[(k + 1) % WATCHED];
        if (report.taken && before - s.cost <= problem->tolerance * before)
            *reason = NB_REASON_CONVERGED;
        else if (!report.taken && s.damping > most_damping * s.scale)
            *reason = NB_REASON_STAGNATED;
    }
out:
    nb_arena_clear(&s.arena);
    return status;
}
