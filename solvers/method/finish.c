#include "finish.h"

#include <string.h>
#include <tgmath.h>
#include <umfpack.h>

#include "base/clock.h"
#include "base/memory.h"
#include "constraint/cone_rows.h"
#include "measure/iterate.h"

NB_PRECISIONS(f32, f64);

enum {
    MOST_ITERATIONS = 40,
    MOST_HALVINGS = 10
};

struct nb_finish {
    nb_problem *p;
    nb_cone_rows laws;
    nb_csr *delassus;         /* D, and the pattern of the Jacobian */
    SuiteSparse_long *start;  /* [rows + 1] */
    SuiteSparse_long *column; /* [nonzeros] */
    double *jacobian;         /* [nonzeros] */
    double *residual, *step;  /* [rows] */
    real *du, *z_before, *zero;
    void *symbolic; /* UMFPACK's ordering, kept from factorisation to factorisation */
};

void nb_finish_destroy(nb_finish *f) {
    if (!f) return;
    nb_csr_destroy(f->delassus);
    nb_free(f->start);
    nb_free(f->column);
    nb_free(f->jacobian);
    nb_free(f->residual);
    nb_free(f->step);
    nb_free(f->du);
    nb_free(f->z_before);
    nb_free(f->zero);
    umfpack_dl_free_symbolic(&f->symbolic);
    nb_free(f);
}

nb_status nb_finish_create(nb_problem *p, nb_finish **finish) {
    nb_status status;
    nb_finish *f = NULL;
    *finish = NULL;
    NB_TRY(NB_ALLOCATE(1, &f));
    f->p = p;
    NB_TRY(nb_cone_rows_of(p, "--finish exact", &f->laws));
    NB_TRY(p->delassus->type->pattern(p->delassus, &f->delassus));
    int64_t nonzeros = f->delassus->start[p->rows];
    NB_TRY(NB_ALLOCATE(p->rows + 1, &f->start));
    NB_TRY(NB_ALLOCATE(nonzeros, &f->column));
    NB_TRY(NB_ALLOCATE(nonzeros, &f->jacobian));
    NB_TRY(NB_ALLOCATE(p->rows, &f->residual));
    NB_TRY(NB_ALLOCATE(p->rows, &f->step));
    NB_TRY(NB_ALLOCATE(p->velocities, &f->du));
    NB_TRY(NB_ALLOCATE(p->rows, &f->z_before));
    NB_TRY(NB_ALLOCATE(p->rows, &f->zero));
    for (int32_t i = 0; i <= p->rows; i++) f->start[i] = f->delassus->start[i];
    for (int64_t k = 0; k < nonzeros; k++) f->column[k] = f->delassus->column[k];
    p->delassus->type->values(p->delassus, f->delassus);
    *finish = f;
    return NB_OK;
out:
    nb_finish_destroy(f);
    return status;
}

/* makes u follow z, u = u~ + M^-1 J^T z, and brings the values up to date */
static void follow(nb_finish *f) {
    nb_problem *p = f->p;
    p->type->evaluate(p, NULL);
    if (p->velocities == 0) return;
    p->type->velocity_step(p, f->zero, f->du); /* -H^-1 g */
    for (int32_t i = 0; i < p->velocities; i++) p->u[i] += f->du[i];
    p->type->evaluate(p, NULL);
}

static double entry(const nb_finish *f, int32_t row, int64_t k) {
    return (double)f->delassus->value[f->delassus->start[row] + k];
}

/* a row of the Jacobian: sum of weight[j] times row first + j of D, plus own[j] on the columns first + j */
static void write_row(nb_finish *f, int32_t row, int32_t first, int size, const double *weight, const double *own) {
    int64_t length = f->start[row + 1] - f->start[row];
    double *to = f->jacobian + f->start[row];
    for (int64_t k = 0; k < length; k++) {
        double sum = 0;
        for (int j = 0; j < size; j++)
            if (weight[j] != 0) sum += weight[j] * entry(f, first + j, k);
        int32_t inside = (int32_t)f->column[f->start[row] + k] - first;
        to[k] = inside >= 0 && inside < size ? sum + own[inside] : sum;
    }
}

/* the two friction rows of the contact whose rows start at r; `shift` [1/kg] keeps redundant contacts solvable */
static void friction_rows(nb_finish *f, int32_t r, double mu, double shift) {
    const nb_problem *p = f->p;
    const double stretch[2] = {1, (double)f->laws.cone->ratio}, w = (double)p->w[r + 1];
    double z[3], v[2];
    z[0] = (double)p->z[r];
    for (int k = 0; k < 2; k++) {
        z[1 + k] = (double)p->z[r + 1 + k] / stretch[k];
        v[k] = (double)p->value[r + 1 + k] * stretch[k];
    }
    double m = z[0] > 0 ? mu * z[0] : 0, x[2] = {z[1] - v[0] / w, z[2] - v[1] / w}, length = hypot(x[0], x[1]);
    if (length <= m) { /* sticks: v_t = 0 */
        for (int i = 0; i < 2; i++) {
            double weight[3] = {0}, own[3] = {0};
            weight[1 + i] = stretch[i];
            own[1 + i] = shift;
            f->residual[r + 1 + i] = v[i];
            write_row(f, r + 1 + i, r, 3, weight, own);
        }
        return;
    }
    for (int i = 0; i < 2; i++) { /* slips: z_f = m x/|x| */
        double e = x[i] / length, weight[3] = {0}, own[3] = {0};
        f->residual[r + 1 + i] = w * (z[1 + i] - m * e);
        for (int j = 0; j < 2; j++) {
            double across = m / length * ((i == j) - e * x[j] / length); /* dProj/dx */
            weight[1 + j] = across * stretch[j];
            own[1 + j] = w * ((i == j) - across) / stretch[j];
        }
        own[0] = z[0] > 0 ? -w * mu * e : 0;
        own[1 + i] += shift;
        write_row(f, r + 1 + i, r, 3, weight, own);
    }
}

/* F and its generalised Jacobian at the present iterate; returns ||F||_2 */
static double linearize(nb_finish *f, double relative_shift) {
    const nb_problem *p = f->p;
    for (int32_t r = 0; r < p->bilaterals; r++) {
        double weight = 1, own = (double)f->laws.bilateral->compliance[r] + relative_shift * (double)p->w[r];
        f->residual[r] = (double)p->value[r] + (double)f->laws.bilateral->compliance[r] * (double)p->z[r];
        write_row(f, r, r, 1, &weight, &own);
    }
    for (int32_t i = 0; i < p->contacts; i++) {
        int32_t r = p->bilaterals + 3 * i;
        double soft = (double)f->laws.cone->soft, w = (double)p->w[r], force = w * (double)p->z[r];
        double a = (double)p->value[r] + soft * (double)p->z[r];
        double weight[3] = {a <= force, 0, 0}, own[3] = {a <= force ? soft + relative_shift * w : w, 0, 0};
        f->residual[r] = a <= force ? a : force;
        write_row(f, r, r, 3, weight, own);
        friction_rows(f, r, (double)f->laws.cone->mu[i], relative_shift * (double)p->w[r + 1]);
    }
    double sum = 0;
    for (int32_t r = 0; r < p->rows; r++) sum += f->residual[r] * f->residual[r];
    return sqrt(sum);
}

/* step = Jacobian^-1 residual, and nonzeros of the factors; 0 where UMFPACK cannot */
static int solve_step(nb_finish *f, int64_t *nonzeros) {
    void *numeric = NULL;
    SuiteSparse_long n = f->p->rows;
    double info[UMFPACK_INFO];
    int done = 0;
    if (!f->symbolic &&
        umfpack_dl_symbolic(n, n, f->start, f->column, f->jacobian, &f->symbolic, NULL, info) != UMFPACK_OK)
        return 0;
    if (umfpack_dl_numeric(f->start, f->column, f->jacobian, f->symbolic, &numeric, NULL, info) == UMFPACK_OK)
        done = umfpack_dl_solve(UMFPACK_Aat, f->start, f->column, f->jacobian, f->step, f->residual, numeric, NULL,
                                info) == UMFPACK_OK; /* rows stand where UMFPACK expects columns */
    if (numeric) *nonzeros = (int64_t)(info[UMFPACK_LNZ] + info[UMFPACK_UNZ]);
    umfpack_dl_free_numeric(&numeric);
    for (int32_t r = 0; done && r < n; r++) done = isfinite(f->step[r]);
    return done;
}

/* |residual - Jacobian step| over |residual| */
static double linear_residual(const nb_finish *f, double norm) {
    double sum = 0;
    for (int32_t r = 0; r < f->p->rows; r++) {
        double left = f->residual[r];
        for (int64_t k = f->start[r]; k < f->start[r + 1]; k++) left -= f->jacobian[k] * f->step[f->column[k]];
        sum += left * left;
    }
    return sqrt(sum) / norm;
}

/* Halves the step until ||F|| falls; the iterate moves only where it does. */
static int search_line(nb_finish *f, double *norm, double shift, double *step_linf) {
    nb_problem *p = f->p;
    double t = 1;
    memcpy(f->z_before, p->z, (size_t)p->rows * sizeof(real));
    for (int halvings = 0; halvings <= MOST_HALVINGS; halvings++, t /= 2) {
        *step_linf = 0;
        for (int32_t r = 0; r < p->rows; r++) {
            p->z[r] = f->z_before[r] - (real)(t * f->step[r]);
            *step_linf = fmax(*step_linf, fabs(t * f->step[r] * (double)p->w[r]));
        }
        follow(f);
        double trial = linearize(f, shift);
        if (trial < (1 - 1e-4 * t) * *norm) {
            *norm = trial;
            return 1;
        }
    }
    memcpy(p->z, f->z_before, (size_t)p->rows * sizeof(real));
    follow(f);
    linearize(f, shift);
    return 0;
}

/* One semismooth Newton step; sets outcome->reason where it can't be made. */
static void iterate(nb_finish *f, double shift, double *norm, nb_newton_report *report, nb_step_outcome *outcome) {
    double start = nb_clock_seconds(), before = *norm;
    int solved = solve_step(f, &report->factor_nonzeros);
    report->solve_s = nb_clock_seconds() - start;
    report->linear_residual = solved ? linear_residual(f, before) : 1;
    start = nb_clock_seconds();
    int moved = solved && search_line(f, norm, shift, &report->step_linf);
    report->assembly_s = nb_clock_seconds() - start;
    report->solved = report->linear_iterations = 1;
    report->linear_reason = solved ? NB_REASON_EXACT : NB_REASON_SINGULAR;
    report->operator_applications = 1; /* as any direct solve */
    outcome->newton_iterations++;
    outcome->solve_s += report->solve_s;
    outcome->assembly_s += report->assembly_s;
    outcome->operator_applications += report->operator_applications;
    if (moved) return;
    report->step_linf = 0;
    if (!solved)
        outcome->reason = NB_REASON_SINGULAR;
    else /* no lower point along an exact direction: as small as it gets, or stuck */
        outcome->reason =
            *norm <= 1e3 * sqrt((double)f->p->rows) * (double)NB_REAL_EPSILON * nb_problem_velocity_scale(f->p)
                ? NB_REASON_ROUND_OFF
                : NB_REASON_STAGNATED;
}

/* the state reached, in outcome->errors and a report that tells of no iteration yet */
static void describe(nb_finish *f, nb_measure *measure, double norm, nb_newton_report *report,
                     nb_step_outcome *outcome) {
    nb_measure_iterate(measure, f->p, &outcome->errors);
    *report = (nb_newton_report){.finish = 1, .residual_l2 = norm};
    nb_measure_report(f->p, &outcome->errors, report);
    for (int32_t r = 0; r < f->p->rows; r++) report->residual_linf = fmax(report->residual_linf, fabs(f->residual[r]));
}

nb_status nb_finish_run(nb_finish *f, nb_measure *measure, const nb_method_settings *settings,
                        const nb_observer *observer, nb_newton_report *report, nb_step_outcome *outcome) {
    const double shift = 1e-10; /* relative to w: far below what is resolved, enough for redundant contacts */
    nb_status status = NB_OK;
    outcome->reason = NB_REASON_NONE;
    double start = nb_clock_seconds();
    follow(f);
    double norm = linearize(f, shift), begun_s = nb_clock_seconds() - start;
    outcome->setup_s += begun_s;
    for (int32_t k = 0;; k++) {
        describe(f, measure, norm, report, outcome);
        if (nb_measure_converged(&outcome->errors, settings)) outcome->reason = NB_REASON_CONVERGED;
        if (outcome->reason == NB_REASON_NONE && norm == 0) outcome->reason = NB_REASON_ROUND_OFF;
        if (outcome->reason == NB_REASON_NONE && k == MOST_ITERATIONS) outcome->reason = NB_REASON_ITERATIONS;
        if (outcome->reason != NB_REASON_NONE) break;
        if (k == 0) report->setup_s = begun_s;
        iterate(f, shift, &norm, report, outcome);
        if (observer && observer->newton) NB_TRY(observer->newton(observer->context, report));
    }
out:
    return status;
}
