/* Contacts as springs with smoothed friction, and velocities as the only unknowns: one implicit Euler step
 *
 *     g(u) = M (u - u~) - J^T z(u) = 0,     (M + J^T T J) du = -g,     T = -dz/dvalue
 *
 * by inexact Newton iterations with halved steps. Friction takes its normal force from the gap at the end of the step
 * (implicit, an unsymmetric matrix), or from a gap that is known (lagged, a symmetric one). That is the gap of the
 * step's start, and in further passes that of the pass before. Where a gap ends below 0, contacts are too soft: they
 * are made stiffer, and the step is repeated.
 *
 * Source: Larionov et al. 2023, algorithms 1 and 2, corrected in two places: the residual's norm is that of M^-1, and
 * what bounds a linear solve is not touched by the line search. */
#include <string.h>
#include <tgmath.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/interrupt.h"
#include "base/largest.h"
#include "base/memory.h"
#include "constraint/step.h"
#include "measure/iterate.h"
#include "method.h"
#include "penalty_matrix.h"
#include "penalty_options.h"
#include "penalty_rows.h"
#include "penalty_start.h"
#include "penalty_state.h"
#include "registry.h"
#include "step/columns.h"

NB_PRECISIONS(f32, f64);

enum {
    STIFFNESS = NB_COLUMN_OWN,
    REPEATS,
    PASS,
    STARTS,
    LEAST_GAP,
    FORCING_TERM,
    STEP_LENGTH,
    LAG,
    CREEP,
    CREEP_BOUND,
    STRIBECK_STEP,
    COLUMNS
};

static const nb_column columns[COLUMNS] = {
    NB_COLUMNS_OF_SOLVES,
    [STIFFNESS] = {"contact_stiffness", "N/m", "stiffness of contacts (kappa)"},
    [REPEATS] = {"repeats", "1", "times that the step was repeated with stiffer contacts"},
    [PASS] = {"friction_pass", "1", "which of the step's solves with lagged friction it is, from 0"},
    [STARTS] = {"second_starts", "1", "times that iterations began again from the velocity without friction"},
    [LEAST_GAP] = {"least_gap", "1", "least gap at the end of the step over the contact tolerance"},
    [FORCING_TERM] = {"forcing_term", "1", "tolerance of the linear solve"},
    [STEP_LENGTH] = {"step_length", "1", "length of the step taken"},
    [LAG] = {"friction_lag", "N",
             "largest difference of a normal force and the one that its friction is of, after the iteration"},
    [CREEP] = {"creep", "m/s",
               "largest slip of contacts that stick (below the friction tolerance) at the end of the step"},
    [CREEP_BOUND] = {"creep_bound", "m/s",
                     "eps (1 - sqrt(1 - r)) of contacts that stick with the share r of their friction"},
    [STRIBECK_STEP] = {"stribeck_step", "s", "time step below which static friction leaves one solution at every load"},
};

enum {
    MOST_REPEATS = 30,
    MOST_HALVINGS = 30,
    LED = 3,      /* solves with given normal forces that lead to an implicit one */
    PATIENCE = 50 /* iterations with contacts, after which they begin again elsewhere */
};
static const double ARMIJO = 1e-4, LOOSEST = 0.01 /* tolerance of a linear solve */;
/* Residuals below this many units of round-off, and of them those that no step halves, are round-off. */
static const double UNITS_OF_ROUND_OFF = 1e3;

typedef struct smoothed {
    nb_method base;
    nb_method_settings settings;
    double values[NB_PENALTY_OPTIONS];
    double kappa; /* [N/m] from step to step; 0: none was taken */
    nb_penalty_rows rows;
    nb_penalty_matrix matrix;
    nb_solve *solve;
    nb_arena arena;
    real *zero;                       /* [rows] */
    real *start, *saved, *du, *force; /* [velocities] */
    real *gap, *gap_before, *normal;  /* [contacts] at the step's start, a step before; forces of friction */
    double *fall;                     /* [nodes] scratch of penalty_state.h */
    int32_t contacts;
    double stribeck_step; /* [s] the least of all steps so far; 0: none was made */
    /* of the present step */
    nb_problem *p;
    nb_measure *measure;
    const nb_observer *observer;
    nb_step_outcome *outcome;
    nb_newton_report report;
    double mass;     /* [kg] of all that moves */
    double residual; /* [m/s] sqrt(g . M^-1 g / mass) */
    double since;    /* clock at the row's begin */
    int32_t repeats, pass, starts;
    double lag;  /* [N] largest difference of a normal force and that of its friction, as lag() last found it */
    int stalled; /* 1: no step made the residual smaller */
} smoothed;

static int is_implicit(const smoothed *m) {
    return m->values[NB_PENALTY_COUPLING] == NB_PENALTY_IMPLICIT;
}

/* ---- evaluation ---- */

/* Impulses and momentum of the iterate, and its residual. */
static void look(smoothed *m) {
    nb_problem *p = m->p;
    double sum = 0;
    memset(p->z, 0, (size_t)p->rows * sizeof *p->z);
    p->type->evaluate(p, NULL);
    nb_penalty_rows_impulses(&m->rows, p, p->z);
    p->type->row_forces(p, p->z, m->force);
    for (int32_t i = 0; i < p->velocities; i++) p->momentum[i] -= m->force[i];
    p->type->velocity_step(p, m->zero, m->force);
    for (int32_t i = 0; i < p->velocities; i++)
        if (m->force[i] != 0) sum -= (double)p->momentum[i] * (double)m->force[i];
    m->residual = sqrt(sum / m->mass);
}

/* The normal forces that friction is of: of these gaps, continued from those a step before. */
static void take_normal_forces(smoothed *m, int continued) {
    const nb_smoothed_friction *law = &m->rows.law;
    for (int32_t i = 0; i < m->contacts; i++) {
        m->normal[i] = nb_penalty_force(law, m->gap[i]);
        if (continued) m->normal[i] = nb_smoothed_extrapolated(m->normal[i], nb_penalty_force(law, m->gap_before[i]));
    }
}

/* Finds the lag of the present gaps, which are left in m->gap. Returns the largest normal force [N]. */
static double find_lag(smoothed *m) {
    double largest = 0;
    m->lag = 0;
    nb_penalty_rows_gaps(m->p, m->gap);
    for (int32_t i = 0; i < m->contacts; i++) {
        const real now = nb_penalty_force(&m->rows.law, m->gap[i]);
        nb_raise(&m->lag, (double)fabs(now - m->normal[i]));
        nb_raise(&largest, (double)fmax(now, m->normal[i]));
    }
    return largest;
}

static int may_be_round_off(const smoothed *m) {
    return m->residual <= UNITS_OF_ROUND_OFF * (double)NB_REAL_EPSILON * nb_problem_velocity_scale(m->p);
}

/* ---- what is told ---- */

static int is_heard(const smoothed *m) {
    return m->observer && m->observer->newton;
}

static void begin_row(smoothed *m) {
    double *v = m->report.values;
    if (is_heard(m)) nb_measure_iterate(m->measure, m->p, &m->outcome->errors);
    nb_measure_report(m->p, &m->outcome->errors, &m->report);
    nb_columns_begin_solves(&m->report);
    v[NB_COLUMN_RESIDUAL_LINF] = is_heard(m) ? m->p->type->momentum_error(m->p) : 0;
    v[NB_COLUMN_RESIDUAL_L2] = m->residual;
    v[STIFFNESS] = (double)m->rows.law.stiffness;
    v[REPEATS] = m->repeats;
    v[PASS] = m->pass;
    v[STARTS] = m->starts;
    v[LEAST_GAP] = (double)(nb_penalty_rows_gaps(m->p, NULL) / m->rows.law.contact_tolerance);
    if (!isfinite(v[LEAST_GAP])) v[LEAST_GAP] = NAN;
    m->since = nb_clock_seconds();
}

static nb_status end_row(smoothed *m, double measure_s) {
    nb_newton_report *report = &m->report;
    if (m->rows.lagged) {
        find_lag(m);
        report->values[LAG] = m->lag;
    }
    report->assembly_s = nb_clock_seconds() - m->since - report->setup_s - report->solve_s - measure_s;
    nb_columns_end_iteration(report, m->outcome);
    return is_heard(m) ? m->observer->newton(m->observer->context, report) : NB_OK;
}

/* ---- one iteration ---- */

/* `before`: the residual of the iteration before; 0: there is none */
static double forcing_term(const smoothed *m, double before) {
    const double exponent = m->values[NB_PENALTY_FORCING] == NB_PENALTY_GOLDEN ? 1.618033988749895 : 2;
    if (m->values[NB_PENALTY_FORCING] == NB_PENALTY_FIXED) return m->settings.linear.tolerance;
    return before > 0 ? fmin(pow(m->residual / before, exponent), LOOSEST) : LOOSEST;
}

/* du of the system at the iterate; the reason to stop where there is none */
static nb_status direction(smoothed *m, double before, double *measure_s) {
    const nb_observer *observer = m->observer;
    nb_linear_stop stop = m->settings.linear;
    nb_system *system = m->matrix.system;
    nb_solve_report solved;
    nb_status status;
    double *v = m->report.values;
    stop.tolerance = v[FORCING_TERM] = forcing_term(m, before);
    nb_penalty_rows_slopes(&m->rows, m->p, m->matrix.place, m->matrix.t);
    nb_penalty_matrix_assemble(&m->matrix, m->p);
    const double told = nb_clock_seconds();
    if (observer && observer->system)
        NB_TRY(observer->system(observer->context, m->outcome->newton_iterations, system, m->p));
    *measure_s = nb_clock_seconds() - told;
    NB_TRY(nb_solve_run(m->solve, system, &stop, observer ? observer->linear : NULL,
                        observer ? observer->context : NULL, m->matrix.x, &solved));
    *measure_s += solved.measure_s;
    nb_columns_add_solve(&solved, 1, &m->report);
    v[NB_COLUMN_FACTOR_NONZEROS] = (double)solved.factor_nonzeros;
    v[NB_COLUMN_LINEAR_ITERATIONS] = solved.iterations;
    v[NB_COLUMN_LINEAR_REASON] = solved.reason;
    v[NB_COLUMN_LINEAR_RESIDUAL] = solved.rhs_l2 > 0 ? solved.residual_l2 / solved.rhs_l2 : 0;
    int there = 0;
    for (int32_t r = 0; r < system->rows; r++) there |= m->matrix.x[r] != 0;
    if (!there) m->outcome->reason = nb_reason_converged(solved.reason) ? NB_REASON_STAGNATED : solved.reason;
    nb_penalty_matrix_spread(&m->matrix, m->p, m->du);
out:
    return status;
}

/* Moves by du, halved until the residual falls, so many times at most; else 0, and the iterate is where it was. */
static nb_status move(smoothed *m, int most, int *moved) {
    nb_problem *p = m->p;
    nb_status status = NB_OK;
    const double before = m->residual, term = fmin(m->report.values[FORCING_TERM], LOOSEST);
    double t = 1, largest = 0;
    memcpy(m->saved, p->u, (size_t)p->velocities * sizeof *p->u);
    for (int32_t i = 0; i < p->velocities; i++) nb_raise(&largest, (double)fabs(m->du[i]));
    *moved = 0;
    for (int halvings = 0; !*moved && halvings <= most; halvings++) {
        NB_TRY(nb_interrupt_check());
        t = ldexp(1.0, -halvings);
        for (int32_t i = 0; i < p->velocities; i++) p->u[i] = m->saved[i] + (real)t * m->du[i];
        look(m);
        *moved = m->residual <= (1 - ARMIJO * t * (1 - term)) * before; /* 0 for NaN */
    }
    if (!*moved) {
        t = 0;
        memcpy(p->u, m->saved, (size_t)p->velocities * sizeof *p->u);
        look(m);
    }
    m->report.values[STEP_LENGTH] = t;
    m->report.values[NB_COLUMN_STEP_LINF] = t * largest;
out:
    return status;
}

/* ---- the solve ---- */

/* At most so many Newton iterations from the iterate, until it is solved, to round-off at worst; stalled, or with a
 * reason to stop. */
static nb_status newton(smoothed *m, int32_t most) {
    nb_status status = NB_OK;
    const int32_t last = m->outcome->newton_iterations + most;
    double before = 0;
    m->stalled = 0;
    look(m);
    for (;;) {
        int moved = 0;
        double measure_s = 0;
        NB_TRY(nb_interrupt_check());
        if (!isfinite(m->residual)) m->outcome->reason = NB_REASON_DIVERGED;
        if (m->outcome->reason != NB_REASON_NONE || m->residual <= m->values[NB_PENALTY_RESIDUAL_TOLERANCE])
            return NB_OK;
        if (m->outcome->newton_iterations >= m->settings.newton_iterations) {
            m->outcome->reason = NB_REASON_ITERATIONS;
            return NB_OK;
        }
        m->stalled = m->outcome->newton_iterations >= last;
        if (m->stalled) return NB_OK;
        begin_row(m);
        const double now = m->residual;
        const int near = may_be_round_off(m);
        NB_TRY(direction(m, before, &measure_s));
        if (m->outcome->reason == NB_REASON_NONE) NB_TRY(move(m, near ? 1 : MOST_HALVINGS, &moved));
        NB_TRY(end_row(m, measure_s));
        before = now;
        if (m->outcome->reason != NB_REASON_NONE || (moved && !(near && m->residual > now / 2))) continue;
        m->stalled = !near;
        return NB_OK;
    }
out:
    return status;
}

/* From the velocity without friction, by way of friction of its normal forces where it is implicit. */
static nb_status start_again(smoothed *m) {
    nb_problem *p = m->p;
    const int32_t all = m->settings.newton_iterations;
    nb_status status;
    m->starts++;
    memcpy(p->u, m->start, (size_t)p->velocities * sizeof *p->u);
    m->rows.slippery = 1;
    status = newton(m, all);
    m->rows.slippery = 0;
    if (status != NB_OK || m->outcome->reason != NB_REASON_NONE || !is_implicit(m)) return status;
    for (int k = 0; k < LED && m->outcome->reason == NB_REASON_NONE; k++) {
        nb_penalty_rows_gaps(p, m->gap);
        take_normal_forces(m, 0);
        m->rows.lagged = m->normal;
        status = newton(m, all);
        m->rows.lagged = NULL;
        NB_TRY(status);
    }
out:
    return status;
}

/* Where friction falls with slip, iterations stall at its peak; from deep contacts, implicit friction of forces that
 * are far too large may keep steps short. They begin again elsewhere. */
static nb_status solve(smoothed *m) {
    nb_status status;
    NB_TRY(newton(m, m->contacts > 0 ? PATIENCE : m->settings.newton_iterations));
    if (!m->stalled) return NB_OK;
    NB_TRY(start_again(m));
    if (m->outcome->reason != NB_REASON_NONE) return NB_OK;
    NB_TRY(newton(m, m->settings.newton_iterations));
    if (m->stalled) m->outcome->reason = NB_REASON_STAGNATED;
out:
    return status;
}

/* From the step's start, with the present stiffness: one solve, or passes until friction is of the normal forces that
 * come of it. *lags: passes were asked for, and ended before. */
static nb_status solve_passes(smoothed *m, int *lags) {
    nb_problem *p = m->p;
    nb_status status = NB_OK;
    const double *v = m->values;
    const int passes = is_implicit(m) ? 1 : (int)v[NB_PENALTY_PASSES];
    memcpy(p->u, m->start, (size_t)p->velocities * sizeof *p->u);
    *lags = passes > 1 && v[NB_PENALTY_LAG_TOLERANCE] > 0;
    for (m->pass = 0;; m->pass++) {
        if (m->rows.lagged) take_normal_forces(m, m->pass == 0 && v[NB_PENALTY_COUPLING] == NB_PENALTY_EXTRAPOLATED);
        NB_TRY(solve(m));
        if (m->outcome->reason != NB_REASON_NONE || passes == 1) return NB_OK;
        const double largest = find_lag(m);
        if (m->lag <= v[NB_PENALTY_LAG_TOLERANCE] * largest) *lags = 0;
        if (m->pass + 1 == passes || (!*lags && v[NB_PENALTY_LAG_TOLERANCE] > 0)) return NB_OK;
    }
out:
    return status;
}

/* ---- the step's start ---- */

static void take_gaps(smoothed *m, const nb_world *world) {
    nb_penalty_start_gaps(m->p, world, m->start, m->gap, m->gap_before);
}

/* the mass of all that moves, and the first stiffness */
static void weigh(smoothed *m, const nb_world *world) {
    const double usual = 9.81, pull = nb_norm(world->gravity);
    double heaviest;
    m->mass = nb_penalty_start_mass(world, &heaviest);
    if (m->kappa > 0) return;
    m->kappa = m->values[NB_PENALTY_CONTACT_STIFFNESS];
    if (!(m->kappa > 0))
        m->kappa = (double)nb_penalty_stiffness((real)(heaviest * (pull > 0 ? pull : usual)),
                                                (real)m->values[NB_PENALTY_CONTACT_TOLERANCE]);
}

static void place_vectors(nb_arena *a, smoothed *m) {
    const int64_t velocities = m->p->velocities;
    NB_PLACE(a, m->p->rows, &m->zero);
    NB_PLACE(a, velocities, &m->start);
    NB_PLACE(a, velocities, &m->saved);
    NB_PLACE(a, velocities, &m->du);
    NB_PLACE(a, velocities, &m->force);
    NB_PLACE(a, m->contacts, &m->gap);
    NB_PLACE(a, m->contacts, &m->gap_before);
    NB_PLACE(a, m->contacts, &m->normal);
    NB_PLACE(a, m->p->nodes->count, &m->fall);
}

static nb_status make_solver(smoothed *m) {
    const nb_linear_solver_class *solver;
    const nb_preconditioner_class *preconditioner;
    const nb_method_settings *s = &m->settings;
    nb_status status;
    if (m->solve) {
        nb_solve_restart(m->solve);
        return NB_OK;
    }
    NB_TRY(nb_settings_solver(s, &solver, &preconditioner));
    NB_TRY(nb_solve_create(solver, s->linear_solver_values, preconditioner, s->preconditioner_values, &m->solve));
out:
    return status;
}

static nb_status begin(smoothed *m) {
    nb_status status;
    double h;
    nb_problem *p = m->p;
    const nb_step *step = nb_step_of(p);
    if (!step)
        return nb_fail(NB_ERROR_UNSUPPORTED, "method smoothed needs velocities, which a problem file does not have");
    const nb_world *world = nb_step_world(step, &h);
    if (world->settings.stepping.scheme != NB_STEPPING_IMPLICIT)
        return nb_fail(NB_ERROR_UNSUPPORTED,
                       "method smoothed needs --time-stepping implicit: gaps at the end of the step");
    weigh(m, world);
    m->rows = (nb_penalty_rows){.law = nb_penalty_law(m->values, m->kappa)};
    NB_TRY(nb_penalty_rows_check(&m->rows, p));
    m->contacts = nb_penalty_rows_contacts(p);
    nb_arena_measure(&m->arena);
    place_vectors(&m->arena, m);
    NB_TRY(nb_arena_reserve(&m->arena));
    place_vectors(&m->arena, m);
    NB_TRY(nb_penalty_matrix_make(&m->matrix, p, !is_implicit(m)));
    NB_TRY(make_solver(m));
    memcpy(m->start, p->u, (size_t)p->velocities * sizeof *p->u);
    if (is_implicit(m)) return NB_OK;
    take_gaps(m, world);
    m->rows.lagged = m->normal;
out:
    return status;
}

/* ---- the step ---- */

/* Stiffer contacts where the deepest of a solved step is below 0; *again: the step is to be repeated. Beside stiffer
 * ones than the precision holds, masses are round-off. */
static void stiffen(smoothed *m, int *again) {
    nb_step_outcome *outcome = m->outcome;
    const real least = nb_penalty_rows_gaps(m->p, NULL), raised = nb_penalty_raised(&m->rows.law, least);
    const double h = (double)m->p->h;
    *again = outcome->reason == NB_REASON_NONE && least < 0;
    if (!*again) return;
    if (m->repeats == MOST_REPEATS || (double)raised * h * h > m->mass / (double)NB_REAL_EPSILON) {
        outcome->reason = NB_REASON_DIVERGED;
        snprintf(outcome->remark, sizeof outcome->remark,
                 "contacts of %.3g N/m are still %.3g m deep after %d repeats of the step", m->kappa, -(double)least,
                 (int)m->repeats);
        *again = 0;
        return;
    }
    m->repeats++;
    m->rows.law.stiffness = raised;
    m->kappa = (double)raised;
}

static nb_status solve_repeats(smoothed *m, const nb_world *world) {
    nb_status status;
    int again = 1, lags;
    for (m->repeats = 0; again;) {
        NB_TRY(solve_passes(m, &lags));
        stiffen(m, &again);
        if (again && m->rows.lagged) take_gaps(m, world);
    }
    if (m->outcome->reason == NB_REASON_NONE && lags) m->outcome->reason = NB_REASON_FRICTION_LAG;
out:
    return status;
}

/* what the smoothing comes to at the end of the step, in its last row and in words */
static void tell_state(smoothed *m, const nb_world *world) {
    nb_step_outcome *outcome = m->outcome;
    const nb_penalty_state state = nb_penalty_state_of(&m->rows, m->p, world, m->fall);
    double *v = m->report.values;
    v[CREEP] = state.creep;
    v[CREEP_BOUND] = state.creep_bound;
    if (isfinite(state.stribeck_step)) v[STRIBECK_STEP] = state.stribeck_step;
    if (!(m->stribeck_step > 0 && m->stribeck_step < state.stribeck_step)) m->stribeck_step = state.stribeck_step;
    if (outcome->reason != NB_REASON_DIVERGED)
        nb_penalty_state_tell(&state, &m->rows.law, (double)m->p->h, m->stribeck_step, outcome->remark,
                              sizeof outcome->remark);
}

/* What was solved is another law than the harness measures: to a tolerance that it does not reach. */
static nb_status finish(smoothed *m, const nb_world *world) {
    nb_step_outcome *outcome = m->outcome;
    nb_measure_iterate(m->measure, m->p, &outcome->errors);
    if (outcome->reason == NB_REASON_NONE)
        outcome->reason = nb_measure_converged(&outcome->errors, &m->settings) || !(m->settings.newton_tolerance > 0)
                              ? NB_REASON_CONVERGED
                              : NB_REASON_STAGNATED;
    begin_row(m);
    if (m->rows.lagged) {
        find_lag(m);
        m->report.values[LAG] = m->lag;
    }
    tell_state(m, world);
    m->report.solved = 0;
    return is_heard(m) ? m->observer->newton(m->observer->context, &m->report) : NB_OK;
}

static nb_status smoothed_step(nb_method *self, nb_problem *p, nb_measure *measure, const nb_observer *observer,
                               nb_step_outcome *outcome) {
    smoothed *m = (smoothed *)self;
    nb_status status;
    double h, begun = nb_clock_seconds();
    *outcome = (nb_step_outcome){.reason = NB_REASON_NONE, .norm_a = (double)NAN, .norm_a_inverse = (double)NAN};
    m->p = p;
    m->measure = measure;
    m->observer = observer;
    m->outcome = outcome;
    m->pass = m->starts = 0;
    NB_TRY(begin(m));
    outcome->setup_s = nb_clock_seconds() - begun;
    const nb_world *world = nb_step_world(nb_step_of(p), &h);
    NB_TRY(solve_repeats(m, world));
    NB_TRY(finish(m, world));
out:
    return status;
}

/* ---- the class ---- */

static nb_status smoothed_save(const nb_method *self, nb_stream *stream) {
    const smoothed *m = (const smoothed *)self;
    nb_status status;
    NB_TRY(nb_stream_put(stream, &m->kappa, sizeof m->kappa));
    NB_TRY(nb_stream_put(stream, &m->stribeck_step, sizeof m->stribeck_step));
out:
    return status;
}

static nb_status smoothed_load(nb_method *self, nb_stream *stream) {
    smoothed *m = (smoothed *)self;
    nb_status status;
    NB_TRY(nb_stream_get(stream, &m->kappa, sizeof m->kappa));
    NB_TRY(nb_stream_get(stream, &m->stribeck_step, sizeof m->stribeck_step));
out:
    return status;
}

static void smoothed_destroy(nb_method *self) {
    smoothed *m = (smoothed *)self;
    if (!m) return;
    nb_penalty_matrix_clear(&m->matrix);
    nb_solve_destroy(m->solve);
    nb_arena_clear(&m->arena);
    nb_free(m);
}

static nb_status smoothed_create(const nb_method_class *type, const nb_method_settings *settings, nb_method **self) {
    smoothed *m = NULL;
    *self = NULL;
    nb_status status = NB_ALLOCATE(1, &m);
    if (status != NB_OK) return status;
    m->base.type = type;
    m->settings = *settings;
    nb_options_standard(nb_penalty_options, NB_PENALTY_OPTIONS, m->values);
    if (settings->values) memcpy(m->values, settings->values, sizeof m->values);
    *self = &m->base;
    return NB_OK;
}

const nb_method_class NB_REAL_NAME(nb_smoothed_method) = {
    .name = "smoothed",
    .summary = "contacts as springs with smoothed friction, implicit or lagged (Larionov et al. 2023)",
    .options = nb_penalty_options,
    .option_count = NB_PENALTY_OPTIONS,
    .columns = columns,
    .column_count = COLUMNS,
    .linear_solver = "multifrontal",
    .springs = 1,
    .warm_start = 1,
    .newton_iterations = 200,
    .advice = "a larger --contact-stiffness may help",
    .check = nb_penalty_check,
    .why_ignored = nb_penalty_why_ignored,
    .create = smoothed_create,
    .step = smoothed_step,
    .save = smoothed_save,
    .load = smoothed_load,
    .destroy = smoothed_destroy,
};
