/* Contacts as springs with smoothed friction, and velocities as the only unknowns: one implicit Euler step
 *
 *     g(u) = M (u - u~) - J^T z(u) = 0,     (M + J^T T J - dJ^T/du z) du = -g,     T = -dz/dvalue
 *
 * by inexact Newton iterations with halved steps. Friction takes its normal force from the gap at the end of the step
 * (implicit, an unsymmetric matrix), or from a gap that is known (lagged, a symmetric one). That is the gap of the
 * step's start, and in further passes that of the pass before. Where a gap ends below 0, contacts are too soft: they
 * are made stiffer, and the step is repeated.
 *
 * Source: Larionov et al. 2023, algorithms 1 and 2, corrected in two places: the residual's norm is that of M^-1, and
 * what bounds a linear solve is not touched by the line search. */
#include <stdio.h>
#include <string.h>
#include <tgmath.h>

#include "base/clock.h"
#include "base/largest.h"
#include "base/memory.h"
#include "constraint/cone_law.h"
#include "constraint/step.h"
#include "initial_contact.h"
#include "measure/iterate.h"
#include "model/integration.h"
#include "model/world.h"
#include "penalty_gradient.h"
#include "penalty_rows.h"
#include "penalty_start.h"
#include "registry.h"
#include "smoothed_newton.h"

NB_PRECISIONS(f32, f64);

/* What the smoothing comes to in a state: how fast contacts creep, and below which step equations have one solution. */
/* A contact sticks where it has friction and slips at less than eps. */
typedef struct penalty_state {
    double creep;         /* largest slip of contacts that stick [m/s]; NaN: none does */
    double creep_bound;   /* eps (1 - sqrt(1 - r)) [m/s] of the largest r below; NaN: none does */
    double share;         /* r = F/(mu lambda) < 1: of its friction that a contact that sticks carries */
    double stribeck_step; /* [s] below which a step has one solution at every load: for each node alone, the least of
                             nb_stribeck_step over the sum of its contacts; INFINITY: at every step */
} penalty_state;

/* one contact */
typedef struct point {
    real mu, lambda, normal, slip; /* lambda of the gap, the normal force of friction, |v_t| */
} point;

static point point_at(const nb_penalty_rows *rows, const nb_problem *p, const nb_law_range *range, int32_t i,
                      int32_t contact) {
    const real *value = p->value + range->first_row + 3 * (ptrdiff_t)i;
    const real lambda = nb_penalty_force(&rows->law, p->h * value[0]);
    return (point){((const nb_cone_law *)range->law)->mu[range->first + i], lambda,
                   rows->lagged ? rows->lagged[contact] : lambda, hypot(value[1], value[2])};
}

/* NaN gives way */
static void raise_to(double *most, double x) {
    if (!(*most >= x)) *most = x;
}

static void add_creep(const nb_smoothed_friction *law, const point *at, penalty_state *s) {
    const real most = fmax(at->mu, law->static_mu);
    if (!(most > 0 && at->lambda > 0 && at->slip < law->sliding_tolerance)) return;
    const real force = at->normal * nb_friction_slope_at(law, at->mu, at->slip).c * at->slip;
    raise_to(&s->creep, (double)at->slip);
    if (force < most * at->lambda) raise_to(&s->share, (double)(force / (most * at->lambda)));
}

/* the contact's share of 1/stribeck_step [kg/s] to its nodes */
static void add_fall(const nb_smoothed_friction *law, const nb_problem *p, int32_t block, const point *at,
                     double *fall) {
    int32_t node[NB_BLOCK_NODES];
    const double step = (double)nb_stribeck_step(law, at->mu, R(1), at->normal);
    if (isinf(step)) return;
    const int count = p->delassus->type->block_nodes(p->delassus, block, node);
    for (int k = 0; k < count; k++) fall[node[k]] += 1 / step;
}

static double least_step(const nb_problem *p, const nb_world *world, const double *fall) {
    double least = INFINITY;
    for (int32_t i = 0; i < p->nodes->count; i++) {
        const int32_t particle = i - p->nodes->bodies;
        const double mass = particle < 0 ? world->bodies[i].mass : world->particles[particle].mass;
        if (fall[i] > 0) least = fmin(least, mass / fall[i]);
    }
    return least;
}

/* Of the problem's last evaluate, whose impulses are nb_penalty_rows_impulses. fall [nodes] is scratch. */
static penalty_state penalty_state_of(const nb_penalty_rows *rows, const nb_problem *p, const nb_world *world,
                                      double *fall) {
    penalty_state s = {(double)NAN, (double)NAN, (double)NAN, (double)INFINITY};
    int32_t contact = 0;
    memset(fall, 0, (size_t)p->nodes->count * sizeof *fall);
    for (int32_t k = 0; k < p->range_count; k++) {
        const nb_law_range *range = &p->ranges[k];
        if (range->law->type != &nb_cone_class) continue;
        for (int32_t i = 0; i < range->blocks; i++, contact++) {
            const point at = point_at(rows, p, range, i, contact);
            add_creep(&rows->law, &at, &s);
            add_fall(&rows->law, p, range->first_block + i, &at, fall);
        }
    }
    if (!isnan(s.share)) s.creep_bound = (double)nb_smoothed_creep(rows->law.sliding_tolerance, (real)s.share);
    s.stribeck_step = least_step(p, world, fall);
    return s;
}

/* A line about it: the creep of what sticks, and a warning where h is beyond `stribeck_step` [s]; "" where there is
 * neither. */
static void penalty_state_describe(const penalty_state *s, const nb_smoothed_friction *law, double h,
                                   double stribeck_step, char *text, size_t size) {
    size_t used = 0;
    *text = '\0';
    if (s->creep_bound > 0)
        used = (size_t)snprintf(
            text, size, "contacts that stick creep at up to %.3g m/s = eps (1 - sqrt(1 - r)), eps %.3g m/s, r %.4g",
            s->creep_bound, (double)law->sliding_tolerance, s->share);
    if (h > stribeck_step && used < size)
        snprintf(text + used, size - used,
                 "%swarning: the time step %.3g s is beyond %.3g s, above which friction that falls with slip may have "
                 "several solutions",
                 used ? "; " : "", h, stribeck_step);
}

enum {
    MOST_REPEATS = 30,
    MOST_JAMS = 3,        /* repeats in a row that leave the deepest contact as deep */
    MOST_DETECTIONS = 5,  /* that forget what is not found again */
    MOST_KEPT = 10,       /* after them: that keep it */
    LED = 3,              /* solves with given normal forces that lead to an implicit one */
    LEAD_ITERATIONS = 30, /* of a solve with a share of the implicit forces, at most */
    PATIENCE = 50         /* iterations with implicit friction, after which they begin again elsewhere */
};

static const double MOST_OF_ROUND_OFF = 2;

static int is_implicit(const nb_smoothed *m) {
    return m->values[NB_PENALTY_COUPLING] == NB_PENALTY_IMPLICIT;
}

/* ---- what depends on the rows ---- */

static nb_status restart_solver(nb_smoothed *m) {
    if (m->solve) {
        nb_solve_restart(m->solve);
        return NB_OK;
    }
    return nb_settings_solve(&m->settings, &m->solve);
}

/* what depends on which rows there are */
static nb_status make_for_rows(nb_smoothed *m) {
    nb_status status;
    NB_TRY(nb_penalty_rows_check(&m->rows, m->p));
    NB_TRY(nb_penalty_lag_reserve(&m->lag, m->p));
    NB_TRY(nb_penalty_joints_reserve(&m->joints, m->p));
    NB_TRY(NB_RESERVE(m->p->rows, &m->pull_capacity, &m->pull));
    NB_TRY(nb_penalty_matrix_make(&m->matrix, m->p, !is_implicit(m)));
    if (m->matrix.system) NB_TRY(nb_penalty_cavities_reserve(&m->cavities, m->p, m->matrix.system->rows));
    NB_TRY(restart_solver(m));
out:
    return status;
}

/* ---- the solve ---- */

/* Friction whose normal forces are by a share those of the gap, the rest those that the iterate has. */
static nb_status lead(nb_smoothed *m, real share) {
    nb_status status;
    nb_penalty_lag_find(&m->lag, m->p, &m->rows.law);
    nb_penalty_lag_update(&m->lag, &m->rows.law, 0);
    m->rows.lagged = m->lag.normal;
    m->rows.share = share;
    status = nb_smoothed_newton(m, share > 0 ? LEAD_ITERATIONS : m->settings.newton_iterations);
    m->rows.lagged = NULL;
    m->rows.share = 0;
    return status;
}

/* To the velocity without friction. */
static nb_status leave_friction(nb_smoothed *m) {
    nb_status status;
    memcpy(m->p->u, m->start, (size_t)m->p->velocities * sizeof *m->p->u);
    m->rows.slippery = 1;
    status = nb_smoothed_newton(m, m->settings.newton_iterations);
    m->rows.slippery = 0;
    return status;
}

/* From the velocity without friction by way of friction that does not fall with slip: static friction at every slip,
 * and then that of sliding. Each has one solution at every load, as far as friction couples with nothing else. A step
 * beyond the Stribeck bound has a barrier of the residual on the way to where the box sticks, or slides. */
static nb_status start_level(nb_smoothed *m, int sliding) {
    nb_status status;
    const nb_smoothed_friction law = m->rows.law;
    m->starts++;
    NB_TRY(leave_friction(m));
    if (sliding)
        m->rows.law.static_mu = 0;
    else
        m->rows.law.stribeck_velocity = R(1e6);
    if (m->outcome->reason == NB_REASON_NONE) NB_TRY(nb_smoothed_newton(m, PATIENCE));
out:
    m->rows.law = law;
    return status;
}

/* From the velocity without friction, or `here`; where friction is implicit, by way of given normal forces and of
 * shares of the implicit ones, so many. */
static nb_status start_again(nb_smoothed *m, int shares, int here) {
    nb_status status = NB_OK;
    m->starts++;
    if (!here) NB_TRY(leave_friction(m));
    if (!is_implicit(m)) return NB_OK;
    for (int k = 0; k < (here ? 1 : LED) && m->outcome->reason == NB_REASON_NONE; k++) NB_TRY(lead(m, 0));
    for (int k = 1; k < shares && m->outcome->reason == NB_REASON_NONE; k++) NB_TRY(lead(m, (real)k / (real)shares));
out:
    return status;
}

/* Where friction falls with slip, iterations stall at its peak. Implicit friction has an unsymmetric matrix, and where
 * contacts jam the residual has least points that are no solutions. Iterations begin again elsewhere: at first, where
 * contacts were found at a solution of those before, near by. */
static nb_status solve(nb_smoothed *m) {
    static const int shares[] = {10, 40, 160};
    const int32_t most = is_implicit(m) && m->lag.contacts > 0 ? PATIENCE : m->settings.newton_iterations;
    nb_status status;
    NB_TRY(nb_smoothed_newton(m, most));
    for (size_t k = 0; m->stalled && k < sizeof shares / sizeof *shares; k++) {
        NB_TRY(start_again(m, shares[k], k == 0 && is_implicit(m) && m->detections > 0));
        if (m->outcome->reason != NB_REASON_NONE) return NB_OK;
        NB_TRY(nb_smoothed_newton(m, most));
    }
    for (int sliding = 0; m->stalled && m->rows.law.static_mu > 0 && sliding < 2; sliding++) {
        NB_TRY(start_level(m, sliding));
        if (m->outcome->reason != NB_REASON_NONE) return NB_OK;
        NB_TRY(nb_smoothed_newton(m, most));
    }
    if (m->stalled) m->outcome->reason = NB_REASON_STAGNATED;
out:
    return status;
}

/* Contacts as they are where the iterate leads, what is made for their rows, and the iterate's residual with them;
 * `keep`: none of those before is lost. */
static nb_status find_contacts(nb_smoothed *m, int keep) {
    nb_problem *p = m->p;
    nb_status status;
    int same;
    NB_TRY(nb_penalty_contacts_find(&m->contacts, p, m->measure, m->values[NB_PENALTY_CONTACT_TOLERANCE], keep, &same));
    NB_TRY(nb_penalty_lag_carry(&m->lag, &m->contacts, p));
    if (m->rows.lagged) m->rows.lagged = m->lag.normal;
    if (!same) NB_TRY(make_for_rows(m));
    m->detections++;
    nb_smoothed_evaluate(m);
    m->found_residual = m->residual;
out:
    return status;
}

/* One iteration that knows how the contacts move, which were just found. */
static nb_status follow_contacts(nb_smoothed *m) {
    nb_status status;
    m->with_basis = 1;
    status = nb_smoothed_newton(m, 1);
    m->with_basis = m->stalled = 0;
    return status;
}

/* Contacts that do not settle are of no harm as long as nothing penetrates where the iterate leads. */
static nb_status end_unsettled(nb_smoothed *m) {
    nb_step_outcome *outcome = m->outcome;
    double depth;
    nb_status status;
    NB_TRY(nb_penalty_contacts_depth(&m->contacts, m->p, &depth));
    if (!(depth > 0)) return NB_OK;
    outcome->reason = NB_REASON_STAGNATED;
    snprintf(outcome->remark, sizeof outcome->remark,
             "contacts at the end of a step differ from those it was solved with after %d detections: bodies "
             "penetrate by %.3g m; use a smaller --time-step",
             (int)m->detections, depth);
out:
    return status;
}

/* Until the contacts that are found at a solution are those that it is of. Where edges of polyhedra meet they may be
 * others each time, and corners that were parted return: then none is lost any more. Iterations that know how contacts
 * move are made then, or from the start where asked for, as long as each halves the residual that is found. */
static nb_status solve_contacts(nb_smoothed *m) {
    int basis = m->values[NB_PENALTY_BASIS] > 0, left = MOST_DETECTIONS + MOST_KEPT;
    nb_status status;
    for (int k = 0;; k++) {
        const double before = m->found_residual;
        NB_TRY(basis && k > 0 ? follow_contacts(m) : solve(m));
        if (m->outcome->reason != NB_REASON_NONE) return NB_OK;
        if (m->values[NB_PENALTY_GEOMETRY] != NB_PENALTY_OF_ITERATE) return NB_OK;
        if (left == 0) return end_unsettled(m);
        const double solved = m->residual;
        NB_TRY(find_contacts(m, left <= MOST_KEPT));
        if (nb_smoothed_is_solved(m, 0) || nb_smoothed_may_be_round_off(m)) return NB_OK;
        /* a solve that ended at round-off comes no farther */
        if (!(basis && k > 0) && solved > m->values[NB_PENALTY_RESIDUAL_TOLERANCE] &&
            m->residual <= MOST_OF_ROUND_OFF * solved)
            return NB_OK;
        if (basis && k > 0 && !(m->residual <= before / 2)) basis = 0;
        if (basis && k > 0) continue;
        basis |= --left == MOST_KEPT; /* where detections alone go to and fro */
    }
out:
    return status;
}

/* From the step's start, with the present stiffness: one solve, or passes until friction is of the normal forces that
 * come of it. *lags: passes were asked for, and ended before. */
static nb_status solve_passes(nb_smoothed *m, int *lags) {
    nb_problem *p = m->p;
    nb_status status = NB_OK;
    const double *v = m->values;
    const int passes = is_implicit(m) ? 1 : (int)v[NB_PENALTY_PASSES];
    memcpy(p->u, m->start, (size_t)p->velocities * sizeof *p->u);
    nb_penalty_joints_begin(&m->joints);
    *lags = passes > 1 && v[NB_PENALTY_LAG_TOLERANCE] > 0;
    for (m->pass = 0;; m->pass++) {
        if (m->rows.lagged)
            nb_penalty_lag_update(&m->lag, &m->rows.law,
                                  m->pass == 0 && v[NB_PENALTY_COUPLING] == NB_PENALTY_EXTRAPOLATED);
        NB_TRY(solve_contacts(m));
        if (m->outcome->reason != NB_REASON_NONE || passes == 1) return NB_OK;
        const double largest = nb_penalty_lag_find(&m->lag, p, &m->rows.law);
        if (m->lag.largest <= v[NB_PENALTY_LAG_TOLERANCE] * largest) *lags = 0;
        if (m->pass + 1 == passes || (!*lags && v[NB_PENALTY_LAG_TOLERANCE] > 0)) return NB_OK;
    }
out:
    return status;
}

/* ---- the step's start ---- */

/* the mass of all that moves, and the first stiffness */
static void weigh(nb_smoothed *m, const nb_world *world) {
    const double usual = 9.81, pull = nb_norm(world->gravity);
    double heaviest;
    m->mass = nb_penalty_start_mass(world, &heaviest);
    if (m->kappa > 0) return;
    m->kappa = m->values[NB_PENALTY_CONTACT_STIFFNESS];
    if (!(m->kappa > 0))
        m->kappa = (double)nb_penalty_stiffness((real)(heaviest * (pull > 0 ? pull : usual)),
                                                (real)m->values[NB_PENALTY_CONTACT_TOLERANCE]);
}

static void lay_out_vectors(nb_arena *a, nb_smoothed *m) {
    const int64_t velocities = m->p->velocities;
    NB_PLACE(a, velocities, &m->start);
    NB_PLACE(a, velocities, &m->saved);
    NB_PLACE(a, velocities, &m->du);
    NB_PLACE(a, velocities, &m->force);
    NB_PLACE(a, m->p->nodes->count, &m->fall);
    NB_PLACE(a, 2 * nb_nodes_length(m->p->nodes), &m->padded);
}

static nb_status begin(nb_smoothed *m) {
    nb_status status;
    double h;
    nb_problem *p = m->p;
    const nb_step *step = nb_step_of(p);
    if (!step)
        return nb_fail(NB_ERROR_UNSUPPORTED, "method smoothed requires velocities, which a problem file does not have");
    const nb_world *world = nb_step_world(step, &h);
    if (world->settings.stepping.scheme != NB_STEPPING_IMPLICIT)
        return nb_fail(NB_ERROR_UNSUPPORTED,
                       "method smoothed requires --time-stepping implicit: gaps at the end of the step");
    weigh(m, world);
    m->rows =
        (nb_penalty_rows){.law = nb_penalty_law(m->values, m->kappa),
                          .acts = (real)(world->integration ? nb_integration_contact_weight(world->integration) : 1),
                          .damping = (real)m->values[NB_PENALTY_RAYLEIGH_STIFFNESS] / p->h,
                          .rigid = fmax((real)m->values[NB_PENALTY_JOINT_COMPLIANCE], sqrt(NB_REAL_EPSILON))};
    m->damping = m->values[NB_PENALTY_RAYLEIGH_MASS] * (double)p->h;
    nb_arena_measure(&m->arena);
    lay_out_vectors(&m->arena, m);
    NB_TRY(nb_arena_reserve(&m->arena));
    lay_out_vectors(&m->arena, m);
    NB_TRY(make_for_rows(m));
    memcpy(m->start, p->u, (size_t)p->velocities * sizeof *p->u);
    if (is_implicit(m)) return NB_OK;
    nb_penalty_lag_start(&m->lag, p, world);
    m->rows.lagged = m->lag.normal;
out:
    return status;
}

/* ---- the step ---- */

/* The step fails where contacts are still `least` [m] deep. Where they are so at every stiffness there is no room for
 * what is between them, or friction jams it: in a stage that starts between walls which friction is steeper than. */
static void fail_step(nb_smoothed *m, double least) {
    nb_step_outcome *outcome = m->outcome;
    outcome->reason = NB_REASON_DIVERGED;
    if (m->jams == MOST_JAMS)
        snprintf(outcome->remark, sizeof outcome->remark,
                 "contacts stay %.3g m deep at up to %.3g N/m: the step starts without room for them, or friction jams "
                 "them; "
                 "a smaller --time-step may help",
                 -least, m->kappa);
    else
        snprintf(outcome->remark, sizeof outcome->remark,
                 "contacts of %.3g N/m are still %.3g m deep after %d repeats of the step", m->kappa, -least,
                 (int)m->repeats);
}

/* Stiffer contacts where the deepest of a solved step is below 0; *again: the step is to be repeated. Beside stiffer
 * ones than the precision holds, masses are round-off. */
static void stiffen(nb_smoothed *m, int *again) {
    const double as_deep = 0.9;
    nb_step_outcome *outcome = m->outcome;
    const real least = nb_penalty_rows_gaps(m->p, NULL), raised = nb_penalty_raised(&m->rows.law, least);
    const double h = (double)m->p->h;
    *again = outcome->reason == NB_REASON_NONE && least < 0;
    if (!*again) return;
    m->jams = m->repeats > 0 && (double)least <= as_deep * m->deepest ? m->jams + 1 : 0;
    m->deepest = (double)least;
    if (m->jams == MOST_JAMS || m->repeats == MOST_REPEATS ||
        (double)raised * h * h > m->mass / (double)NB_REAL_EPSILON) {
        fail_step(m, (double)least);
        *again = 0;
        return;
    }
    m->repeats++;
    m->rows.law.stiffness = raised;
    m->kappa = (double)raised;
}

static nb_status solve_repeats(nb_smoothed *m, const nb_world *world) {
    nb_status status;
    int again = 1, lags;
    for (m->repeats = 0; again;) {
        NB_TRY(solve_passes(m, &lags));
        stiffen(m, &again);
        if (again && m->rows.lagged) nb_penalty_lag_start(&m->lag, m->p, world);
    }
    if (m->outcome->reason == NB_REASON_NONE && lags) m->outcome->reason = NB_REASON_FRICTION_LAG;
out:
    return status;
}

/* what the smoothing comes to at the end of the step, in its last row and in words */
static void describe_state(nb_smoothed *m, const nb_world *world) {
    nb_step_outcome *outcome = m->outcome;
    const penalty_state state = penalty_state_of(&m->rows, m->p, world, m->fall);
    double *v = m->report.values;
    v[NB_SMOOTHED_CREEP] = state.creep;
    v[NB_SMOOTHED_CREEP_BOUND] = state.creep_bound;
    if (isfinite(state.stribeck_step)) v[NB_SMOOTHED_STRIBECK_STEP] = state.stribeck_step;
    if (!(m->stribeck_step > 0 && m->stribeck_step < state.stribeck_step)) m->stribeck_step = state.stribeck_step;
    if (!*outcome->remark) /* that says why the step failed */
        penalty_state_describe(&state, &m->rows.law, (double)(m->rows.acts * m->p->h), m->stribeck_step,
                               outcome->remark, sizeof outcome->remark);
}

/* What was solved is another law than the harness measures: to a tolerance that it does not reach. */
static nb_status finish(nb_smoothed *m, const nb_world *world) {
    nb_step_outcome *outcome = m->outcome;
    nb_measure_iterate(m->measure, m->p, &outcome->errors);
    if (outcome->reason == NB_REASON_NONE)
        outcome->reason = nb_measure_converged(&outcome->errors, &m->settings) || !(m->settings.newton_tolerance > 0)
                              ? NB_REASON_CONVERGED
                              : NB_REASON_STAGNATED;
    nb_smoothed_begin_row(m);
    if (m->rows.lagged) {
        nb_penalty_lag_find(&m->lag, m->p, &m->rows.law);
        m->report.values[NB_SMOOTHED_LAG] = m->lag.largest;
    }
    describe_state(m, world);
    m->report.solved = 0;
    return nb_smoothed_is_heard(m) ? m->observer->newton(m->observer->context, &m->report) : NB_OK;
}

static nb_status smoothed_step(nb_method *self, nb_problem *p, nb_measure *measure, const nb_observer *observer,
                               nb_step_outcome *outcome) {
    nb_smoothed *m = (nb_smoothed *)self;
    nb_status status;
    double h, begun = nb_clock_seconds();
    *outcome = (nb_step_outcome){.reason = NB_REASON_NONE, .norm_a = (double)NAN, .norm_a_inverse = (double)NAN};
    m->p = p;
    m->measure = measure;
    m->observer = observer;
    m->outcome = outcome;
    m->pass = m->starts = m->detections = 0;
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
    const nb_smoothed *m = (const nb_smoothed *)self;
    nb_status status;
    NB_TRY(nb_stream_put(stream, &m->kappa, sizeof m->kappa));
    NB_TRY(nb_stream_put(stream, &m->stribeck_step, sizeof m->stribeck_step));
out:
    return status;
}

static nb_status smoothed_load(nb_method *self, nb_stream *stream) {
    nb_smoothed *m = (nb_smoothed *)self;
    nb_status status;
    NB_TRY(nb_stream_get(stream, &m->kappa, sizeof m->kappa));
    NB_TRY(nb_stream_get(stream, &m->stribeck_step, sizeof m->stribeck_step));
out:
    return status;
}

static void smoothed_destroy(nb_method *self) {
    nb_smoothed *m = (nb_smoothed *)self;
    if (!m) return;
    nb_penalty_gradient_clear(self);
    nb_penalty_matrix_clear(&m->matrix);
    nb_penalty_cavities_clear(&m->cavities);
    nb_penalty_lag_clear(&m->lag);
    nb_penalty_joints_clear(&m->joints);
    nb_penalty_basis_clear(&m->basis);
    nb_free(m->pull);
    nb_penalty_contacts_clear(&m->contacts);
    nb_solve_destroy(m->solve);
    nb_arena_clear(&m->arena);
    nb_free(m);
}

static nb_status smoothed_create(const nb_method_class *type, const nb_method_settings *settings, nb_method **self) {
    nb_smoothed *m = NULL;
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
    .columns = nb_smoothed_columns,
    .column_count = NB_SMOOTHED_COLUMNS,
    .linear_solver = "multifrontal",
    .springs = 1,
    .tolerance = "residual-tolerance",
    .smooths = "friction-tolerance",
    .forces = 1,
    .spellings = nb_penalty_spellings,
    .warm_start = 1,
    .newton_iterations = 20000,
    .advice = nb_penalty_advice,
    .leaves_cone = nb_penalty_leaves_cone,
    .prepare_scene = nb_initial_contact_take,
    .check = nb_penalty_check,
    .why_ignored = nb_penalty_why_ignored,
    .why_unused = nb_penalty_why_unused,
    .create = smoothed_create,
    .step = smoothed_step,
    .differentiate = nb_penalty_gradient,
    .save = smoothed_save,
    .load = smoothed_load,
    .destroy = smoothed_destroy,
};
