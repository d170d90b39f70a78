#include "smoothed_newton.h"

#include <string.h>
#include <tgmath.h>

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/largest.h"
#include "measure/iterate.h"

NB_PRECISIONS(f32, f64);

const nb_column nb_smoothed_columns[NB_SMOOTHED_COLUMNS] = {
    NB_COLUMNS_OF_SOLVES,
    [NB_SMOOTHED_STIFFNESS] = {"contact_stiffness", "N/m", "stiffness of contacts (kappa)"},
    [NB_SMOOTHED_REPEATS] = {"repeats", "1", "times that the step was repeated with stiffer contacts"},
    [NB_SMOOTHED_PASS] = {"friction_pass", "1", "which of the step's solves with lagged friction it is, from 0"},
    [NB_SMOOTHED_STARTS] = {"second_starts", "1",
                            "restarts of the iteration: from the velocity without friction, or near it"},
    [NB_SMOOTHED_LEAST_GAP] = {"least_gap", "1", "least gap at the end of the step over the contact tolerance"},
    [NB_SMOOTHED_FORCING_TERM] = {"forcing_term", "1", "tolerance of the linear solve"},
    [NB_SMOOTHED_STEP_LENGTH] = {"step_length", "1", "length of the step taken"},
    [NB_SMOOTHED_LAG] = {"friction_lag", "N",
                         "largest difference of a normal force and its lagged value, after the iteration"},
    [NB_SMOOTHED_DETECTIONS] = {"detections", "1", "contact detections at iterates of this step"},
    [NB_SMOOTHED_DETECTION_RESIDUAL] = {"detection_residual", "m/s",
                                        "initial residual with the contacts of the latest detection"},
    [NB_SMOOTHED_CREEP] = {"creep", "m/s",
                           "largest slip of sticking contacts (below the friction tolerance), end of the step"},
    [NB_SMOOTHED_CREEP_BOUND] = {"creep_bound", "m/s",
                                 "bound eps (1 - sqrt(1 - r)), sticking contacts with share r of friction"},
    [NB_SMOOTHED_STRIBECK_STEP] = {"stribeck_step", "s",
                                   "time step below which static friction leaves one solution at every load"},
};

enum {
    MOST_HALVINGS = 30,
    WHOLE_STEPS = 2 /* after which derivatives of elements are taken as they are */
};
static const double MOST_SHIFT = 1e4; /* of the mass, where a matrix is singular */
static const double STEEPEST = 0.9;   /* of a potential behind its least, over that before it */
static const double ARMIJO = 1e-4, LOOSEST = 1e-4 /* tolerance of a linear solve */;
/* Residuals below this many units of round-off, and of them those that no step halves, are round-off. */
static const double UNITS_OF_ROUND_OFF = 1e3;
static const double MOST_OF_A_NODE = 10; /* tolerances that a node's residual may be */

/* ---- evaluation ---- */

void nb_smoothed_evaluate(nb_smoothed *m) {
    nb_problem *p = m->p;
    double sum = 0;
    p->type->evaluate_values(p);
    nb_penalty_rows_impulses(&m->rows, p, p->z);
    nb_penalty_joints_write_impulses(&m->joints, p, p->z);
    p->type->evaluate_momentum(p, NULL);
    if (m->damping > 0) nb_penalty_matrix_damp(&m->matrix, p, m->damping, m->padded);
    p->type->velocity_step(p, NULL, m->force);
    for (int32_t i = 0; i < p->velocities; i++)
        if (m->force[i] != 0) sum -= (double)p->momentum[i] * (double)m->force[i];
    m->residual = sqrt((sum + nb_penalty_joints_error(&m->joints, &m->rows, p)) / m->mass);
}

/* by the velocity that its round-off is of */
static int may_be_round_off(const nb_smoothed *m, double scale) {
    return m->residual <= UNITS_OF_ROUND_OFF * (double)NB_REAL_EPSILON * scale;
}

int nb_smoothed_may_be_round_off(const nb_smoothed *m) {
    return may_be_round_off(m, nb_problem_velocity_scale(m->p));
}

/* ---- what is told ---- */

int nb_smoothed_is_heard(const nb_smoothed *m) {
    return m->observer && m->observer->newton;
}

void nb_smoothed_begin_row(nb_smoothed *m) {
    double *v = m->report.values;
    if (nb_smoothed_is_heard(m)) nb_measure_iterate(m->measure, m->p, &m->outcome->errors);
    nb_measure_report(m->p, &m->outcome->errors, &m->report);
    nb_columns_begin_solves(&m->report);
    v[NB_COLUMN_RESIDUAL_LINF] = nb_smoothed_is_heard(m) ? m->p->type->momentum_error(m->p) : 0;
    v[NB_COLUMN_RESIDUAL_L2] = m->residual;
    v[NB_SMOOTHED_STIFFNESS] = (double)m->rows.law.stiffness;
    v[NB_SMOOTHED_REPEATS] = m->repeats;
    v[NB_SMOOTHED_PASS] = m->pass;
    v[NB_SMOOTHED_STARTS] = m->starts;
    v[NB_SMOOTHED_DETECTIONS] = m->detections;
    if (m->detections > 0) v[NB_SMOOTHED_DETECTION_RESIDUAL] = m->found_residual;
    v[NB_SMOOTHED_LEAST_GAP] = (double)(nb_penalty_rows_gaps(m->p, NULL) / m->rows.law.contact_tolerance);
    if (!isfinite(v[NB_SMOOTHED_LEAST_GAP])) v[NB_SMOOTHED_LEAST_GAP] = NAN;
    m->since = nb_clock_seconds();
}

static nb_status end_row(nb_smoothed *m, double measure_s) {
    nb_newton_report *report = &m->report;
    if (m->rows.lagged) {
        nb_penalty_lag_find(&m->lag, m->p, &m->rows.law);
        report->values[NB_SMOOTHED_LAG] = m->lag.largest;
    }
    report->assembly_s = nb_clock_seconds() - m->since - report->setup_s - report->solve_s - measure_s;
    nb_columns_end_iteration(report, m->outcome);
    return nb_smoothed_is_heard(m) ? m->observer->newton(m->observer->context, report) : NB_OK;
}

/* ---- one iteration ---- */

/* `before`: the residual of the iteration before; 0: there is none */
static double forcing_term(const nb_smoothed *m, double before) {
    const double exponent = m->values[NB_PENALTY_FORCING] == NB_PENALTY_GOLDEN ? 1.618033988749895 : 2;
    if (m->values[NB_PENALTY_FORCING] == NB_PENALTY_FIXED) return m->settings.linear.tolerance;
    return before > 0 ? fmin(pow(m->residual / before, exponent), LOOSEST) : LOOSEST;
}

/* The momentum takes what the rows of rigid joints ask for besides their impulses. */
static void pull_joints(nb_smoothed *m) {
    if (!m->joints.any) return;
    nb_penalty_joints_pull(&m->joints, &m->rows, m->p, m->pull);
    m->p->type->row_forces(m->p, m->pull, m->force);
    for (int32_t i = 0; i < m->p->velocities; i++) m->p->momentum[i] -= m->force[i];
}

/* x of the system at the iterate, with `shift` times M more; *there: it is not 0 */
static nb_status solve_system(nb_smoothed *m, const nb_linear_stop *stop, double shift, double *measure_s, int *there) {
    const nb_observer *observer = m->observer;
    nb_system *system = m->matrix.system;
    nb_solve_report solved;
    nb_status status;
    double *v = m->report.values;
    *there = 0;
    if (!system) return NB_OK;
    nb_penalty_matrix_assemble(&m->matrix, m->p, m->damping + shift);
    const double told = nb_clock_seconds();
    if (observer && observer->system && shift == 0)
        NB_TRY(observer->system(observer->context, m->outcome->newton_iterations, system, m->p));
    *measure_s += nb_clock_seconds() - told;
    NB_TRY(nb_solve_run(m->solve, system, stop, observer && shift == 0 ? observer->linear : NULL,
                        observer ? observer->context : NULL, m->matrix.x, &solved));
    if (m->values[NB_PENALTY_CAVITIES] == 0)
        NB_TRY(nb_penalty_cavities_correct(&m->cavities, m->p, &m->matrix, m->solve, stop, &solved));
    *measure_s += solved.measure_s;
    nb_columns_add_solve(&solved, 1, 0, &m->report);
    v[NB_COLUMN_FACTOR_NONZEROS] = (double)solved.factor_nonzeros;
    v[NB_COLUMN_LINEAR_ITERATIONS] = solved.iterations;
    v[NB_COLUMN_LINEAR_REASON] = solved.reason;
    v[NB_COLUMN_LINEAR_RESIDUAL] = solved.rhs_l2 > 0 ? solved.residual_l2 / solved.rhs_l2 : 0;
    for (int32_t r = 0; r < system->rows; r++) *there |= m->matrix.x[r] != 0;
out:
    return status;
}

/* du of the system at the iterate; the reason to stop where there is none. The matrix of implicit friction can be
 * singular, or nearly so for the precision: then with more and more mass. */
static nb_status direction(nb_smoothed *m, double before, double *measure_s) {
    nb_linear_stop stop = m->settings.linear;
    nb_status status;
    double *v = m->report.values;
    int there = 0;
    stop.tolerance = v[NB_SMOOTHED_FORCING_TERM] = forcing_term(m, before);
    nb_penalty_rows_slopes(&m->rows, m->p, m->matrix.place, m->matrix.t);
    pull_joints(m);
    if (m->with_basis) NB_TRY(nb_penalty_basis_find(&m->basis, &m->rows, m->p, m->matrix.place, m->matrix.t));
    m->matrix.basis = m->with_basis ? &m->basis : NULL;
    NB_TRY(solve_system(m, &stop, 0, measure_s, &there));
    for (double shift = 1; !there && v[NB_COLUMN_LINEAR_REASON] == NB_REASON_SINGULAR && shift <= MOST_SHIFT;
         shift *= 10)
        NB_TRY(solve_system(m, &stop, shift, measure_s, &there));
    const nb_reason reason = (nb_reason)v[NB_COLUMN_LINEAR_REASON];
    if (!there) m->outcome->reason = nb_reason_converged(reason) ? NB_REASON_STAGNATED : reason;
    nb_penalty_matrix_spread(&m->matrix, m->p, m->du);
    nb_penalty_joints_turn(&m->joints, &m->rows, m->p, m->du);
out:
    return status;
}

/* Whether the residual is, or du is less than a velocity can be told by: stiff rows then leave a residual that no step
 * makes smaller. */
static int is_near_round_off(const nb_smoothed *m) {
    const nb_problem *p = m->p;
    const double scale = nb_problem_velocity_scale(p);
    double largest = 0;
    if (may_be_round_off(m, scale)) return 1;
    for (int32_t i = 0; i < p->velocities; i++) nb_raise(&largest, (double)fabs(m->du[i]));
    return largest <= (double)NB_REAL_EPSILON * scale;
}

/* g . du: with a potential, its slope along du */
static double slope_along(const nb_smoothed *m) {
    double sum = 0;
    for (int32_t i = 0; i < m->p->velocities; i++)
        if (m->du[i] != 0) sum += (double)m->p->momentum[i] * (double)m->du[i];
    return sum;
}

/* The iterate by t du from where the step begins. */
static void go(nb_smoothed *m, double t) {
    nb_problem *p = m->p;
    if (t == 0) memcpy(p->u, m->saved, (size_t)p->velocities * sizeof *p->u);
    for (int32_t i = 0; t != 0 && i < p->velocities; i++) p->u[i] = m->saved[i] + (real)t * m->du[i];
    nb_penalty_joints_move(&m->joints, (real)t);
    nb_smoothed_evaluate(m);
}

/* Moves by du, halved until the residual falls, so many times at most; *t 0: the iterate is where it was. Where all
 * forces have a potential, it is enough that this falls, by the mean of its slopes at both ends: at an indefinite
 * stiffness the residual may rise all the way down. */
static nb_status find_length(nb_smoothed *m, int most, double *t) {
    nb_status status = NB_OK;
    const double before = m->residual, term = fmin(m->report.values[NB_SMOOTHED_FORCING_TERM], LOOSEST);
    const double slope = slope_along(m);
    const int has_potential =
        most > 1 && m->rows.lagged && m->rows.share == 0 && !m->joints.any && !m->with_basis && slope < 0;
    for (int by_slope = 0; by_slope <= has_potential; by_slope++)
        for (int halvings = 0; halvings <= most; halvings++) {
            NB_TRY(nb_interrupt_check());
            *t = ldexp(1.0, -halvings);
            go(m, *t);
            if (m->residual <= (1 - ARMIJO * *t * (1 - term)) * before) return NB_OK; /* not so for NaN */
            if (by_slope && slope_along(m) <= -STEEPEST * slope) return NB_OK;
        }
    *t = 0;
    go(m, 0);
out:
    return status;
}

static nb_status move(nb_smoothed *m, int most, int *moved) {
    nb_problem *p = m->p;
    nb_status status = NB_OK;
    double t, largest = 0;
    memcpy(m->saved, p->u, (size_t)p->velocities * sizeof *p->u);
    for (int32_t i = 0; i < p->velocities; i++) nb_raise(&largest, (double)fabs(m->du[i]));
    NB_TRY(find_length(m, most, &t));
    *moved = t > 0;
    m->report.values[NB_SMOOTHED_STEP_LENGTH] = t;
    m->report.values[NB_COLUMN_STEP_LINF] = t * largest;
out:
    return status;
}

/* ---- Newton's method ---- */

int nb_smoothed_is_solved(const nb_smoothed *m, double before) {
    const double most = m->values[NB_PENALTY_RESIDUAL_TOLERANCE];
    if (!(m->residual <= most)) return 0;
    return !(m->p->type->momentum_error(m->p) > MOST_OF_A_NODE * most) || (before > 0 && m->residual > before / 2);
}

nb_status nb_smoothed_newton(nb_smoothed *m, int32_t most) {
    nb_status status = NB_OK;
    const int32_t last = m->outcome->newton_iterations + most;
    double before = 0;
    int whole = 0; /* steps in a row */
    m->stalled = 0;
    nb_smoothed_evaluate(m);
    for (;;) {
        int moved = 0;
        double measure_s = 0;
        NB_TRY(nb_interrupt_check());
        if (!isfinite(m->residual)) m->outcome->reason = NB_REASON_DIVERGED;
        if (m->outcome->reason != NB_REASON_NONE || nb_smoothed_is_solved(m, before)) return NB_OK;
        if (m->outcome->newton_iterations >= m->settings.newton_iterations) {
            m->outcome->reason = NB_REASON_ITERATIONS;
            return NB_OK;
        }
        m->stalled = m->outcome->newton_iterations >= last;
        if (m->stalled) return NB_OK;
        nb_smoothed_begin_row(m);
        const double now = m->residual;
        m->matrix.exact = m->matrix.system && !m->matrix.system->symmetric && whole >= WHOLE_STEPS;
        NB_TRY(direction(m, before, &measure_s));
        const int near = is_near_round_off(m) || now <= m->values[NB_PENALTY_RESIDUAL_TOLERANCE];
        if (m->outcome->reason == NB_REASON_NONE) NB_TRY(move(m, near ? 1 : MOST_HALVINGS, &moved));
        NB_TRY(end_row(m, measure_s));
        before = now;
        const int again = !moved && !near && m->matrix.exact;
        whole = m->report.values[NB_SMOOTHED_STEP_LENGTH] == 1 ? whole + 1 : 0;
        if (again && m->outcome->reason == NB_REASON_NONE) continue;
        if (m->outcome->reason != NB_REASON_NONE || (moved && !(near && m->residual > now / 2))) continue;
        m->stalled = !near;
        return NB_OK;
    }
out:
    return status;
}
