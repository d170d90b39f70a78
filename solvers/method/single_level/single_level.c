/* Collision and contact as one problem: an interior point on the inequalities of convex sets themselves
 * (pair_state.h), in which contact points and normals are unknowns beside velocities and impulses. Every pair of sets
 * has one contact, whose point is where the impulses of a step need it.
 *
 * The steps are Mehrotra's: a predictor towards rho, the centring that it asks for, the same matrix again with the
 * products of the predictor; a step keeps all cones by a twentieth, and is halved until one of the two violations
 * falls. Source: Le Cleac'h et al., "Single-level differentiable contact simulation", 2023, section V; the numbers that
 * it does not print as in its code. */
#include <string.h>
#include <tgmath.h>

#include "base/clock.h"
#include "base/memory.h"
#include "constraint/step.h"
#include "contact/narrow_phase.h"
#include "measure/iterate.h"
#include "measure/measure.h"
#include "method.h"
#include "pair_gradient.h"
#include "pair_joints.h"
#include "pair_path.h"
#include "pair_problem.h"
#include "pair_starts.h"
#include "pair_state.h"
#include "step/columns.h"

NB_PRECISIONS(f32, f64);

/* The contacts that a method has found itself (pair_state.h), as those of the step: each pair of sets has one, at its
 * p, with its normal and impulse. What detection finds where bodies come to be joins them, without impulses, so that
 * errors include contacts that were detected independently. What the step began with is none of them: a normal that
 * is fixed in the world calls a sphere that rolls over an edge deep in it. */
typedef struct found_contacts {
    nb_contacts list; /* one a pair, sorted; borrowed by the step until its next begin */
} found_contacts;     /* starts as all zeros */

static void found_contacts_clear(found_contacts *found) {
    nb_free(found->list.items);
    *found = (found_contacts){0};
}

/* from body b to body a, of the length of both N */
static nb_vec3 normal_of(const nb_contact_pair *pair) {
    return nb_scale(0.5, nb_sub(pair->g[1], pair->g[0]));
}

/* where a point of the body at the end of the step is at its start [m] */
static nb_vec3 at_start(const nb_pair_problem *s, int32_t body, nb_vec3 arm) {
    const nb_body *start = &s->world->bodies[body];
    nb_mat3 back = nb_mat3_transposed(&s->body[body].frame);
    nb_vec3 own = nb_mat3_apply(&back, nb_scale(s->length, arm));
    return nb_add(start->position, nb_quat_rotate(start->orientation, own));
}

/* The points stand apart by the gap along the normal, p amid them, so that moments are those of a force at p. */
static nb_contact contact_of(const nb_pair_problem *s, int32_t i) {
    const nb_contact_pair *pair = &s->pairs[i];
    const nb_set_pair *of = &s->found.items[i];
    nb_vec3 n = normal_of(pair);
    double length = nb_norm(n), gap = length > 0 ? (pair->x[3] - 1) / length : 0;
    nb_contact contact = {.body_a = of->body_a,
                          .body_b = of->body_b,
                          .normal = length > 0 ? nb_scale(1 / length, n) : nb_vec3_of(0, 0, 1),
                          .friction = pair->mu,
                          .feature = nb_feature_name(of->set_a, of->set_b, NB_FEATURE_SETS, 0, 0)};
    contact.point_a = at_start(s, of->body_a, nb_add_scaled(pair->arm[0], gap / 2, contact.normal));
    contact.point_b = at_start(s, of->body_b, nb_add_scaled(pair->arm[1], -gap / 2, contact.normal));
    contact.gap = nb_dot(contact.normal, nb_sub(contact.point_a, contact.point_b));
    return contact;
}

/* in the order of the pairs, which is that of the harness's lists */
static nb_status list_pairs(found_contacts *f, const nb_pair_problem *s) {
    nb_contacts *list = &f->list;
    nb_status status = NB_RESERVE(s->found.count, &list->capacity, &list->items);
    if (status != NB_OK) return status;
    for (int32_t i = 0; i < s->found.count; i++) list->items[i] = contact_of(s, i);
    list->count = s->found.count;
    return NB_OK;
}

/* the impulse on body a [N s] */
static nb_vec3 impulse_of(const nb_pair_problem *s, int32_t i) {
    const nb_contact_pair *pair = &s->pairs[i];
    return nb_scale(0.5 * s->mass[i] * s->speed, nb_sub(pair->force[0], pair->force[1]));
}

static void write_velocities(const nb_pair_problem *s, nb_problem *p) {
    for (int32_t i = 0; i < s->body_count; i++)
        for (int k = 0; s->body[i].moves && k < 6; k++)
            p->u[6 * (int64_t)i + k] = (real)(s->u[6 * (int64_t)i + k] * s->speed / (k < 3 ? 1 : s->length));
}

/* while the step has the contacts of pairs alone */
static void write_impulses(const nb_pair_problem *s, nb_problem *p) {
    const nb_step *step = nb_step_of(p);
    const int32_t *order = nb_step_contact_order(step);
    for (int32_t i = 0; i < p->contacts; i++) {
        real *z = p->z + p->bilaterals + 3 * (int64_t)i;
        double directions[3][3];
        nb_vec3 impulse = impulse_of(s, order[i]);
        nb_step_contact_directions(step, i, directions);
        for (int k = 0; k < 3; k++)
            z[k] = (real)nb_dot(nb_vec3_of(directions[k][0], directions[k][1], directions[k][2]), impulse);
    }
}

/* Gives the step's problem and the measure the contacts, velocities and impulses of the pairs as last evaluated. */
static nb_status found_contacts_write(found_contacts *f, const nb_pair_problem *s, nb_problem *p, nb_measure *measure) {
    nb_status status;
    nb_step *step = nb_step_of(p);
    int32_t added;
    NB_TRY(list_pairs(f, s));
    NB_TRY(nb_step_set_contacts(step, &f->list));
    write_velocities(s, p);
    nb_pair_joints_write_impulses(s, p);
    write_impulses(s, p);
    NB_TRY(nb_problem_detect(p, &added));
    NB_TRY(nb_measure_set_contacts(measure, nb_step_contacts(step)));
out:
    return status;
}

enum {
    RHO,
    RHO_UNIT,
    SINGLE_LEVEL_OPTIONS,
    INNER_TOLERANCE = SINGLE_LEVEL_OPTIONS,
    OPTIONS
};

static const char *const units_of_rho[] = {"weight", "product", NULL}; /* nb_pair_rho_unit */

static const nb_option options[OPTIONS] = {
    [RHO] = {"rho", "1", 1e-6, 1e-12, 1, 0, NULL,
             "smoothing: gap of a body at rest over the mean radius of what moves, at any time step"},
    [RHO_UNIT] = {"rho-unit", "1", 0, 0, 0, 0, units_of_rho,
                  "weight: the same gap at every time step; product: all products are rho (Le Cleac'h et al.)"},
    [INNER_TOLERANCE] = {"inner-tolerance", "1", 1e-4, 1e-12, 1, 0, NULL,
                         "tolerance of the collision solve of bilevel, in the unit of rho"},
};

enum {
    EQUALITY = NB_COLUMN_OWN,
    CONE,
    GAP,
    CENTRING,
    STEP_LENGTH,
    HALVINGS,
    PAIRS,
    INNER,
    COLUMNS
};

static const nb_column columns[COLUMNS] = {
    NB_COLUMNS_OF_SOLVES,
    [EQUALITY] = {"equality_violation", "1", "largest residual of an equation, in units of the scene"},
    [CONE] = {"cone_violation", "1", "largest deviation of a complementarity product from its target, in units of rho"},
    [GAP] = {"mu_gap", "1", "mean complementarity product, in units of rho"},
    [CENTRING] = {"centring", "1", "target of complementarity products over their mean"},
    [STEP_LENGTH] = {"step_length", "1", "length of the step taken"},
    [HALVINGS] = {"halvings", "1", "halvings of the step length"},
    [PAIRS] = {"pairs", "1", "pairs of convex sets that may touch"},
    [INNER] = {"inner_iterations", "1", "iterations of separate collision solves, all pairs: initial guess, bilevel"},
};

enum {
    MOST_HALVINGS = 25,
    MOST_SEARCHES = 10, /* for pairs that bodies come to have */
    MOST_STILL = 3
};

/* The way to the path begins at products of a tenth of what stops the fastest body: with the 0.01 of other starts, each
 * step goes a few hundredths of the way to balance; with the whole, 100 spheres lose 12 steps of 40 in the place of
 * one. The path itself begins at a hundredth, and where that is not reached, as between two folds, at ten and a hundred
 * times as much. */
static const double IMPULSES = 0.1, BEGINNING = 0.01, BEGINNING_GROWS = 10, LEAST_BEGINNING = 0.01;
enum {
    BEGINNINGS = 3
};
/* Products of collision stay below this on the way: with larger ones shapes are round, and the path is another. One
 * that is a corner, in place of a smooth bound, stops the path. */
static const double COLLISION = 0.01;

static const nb_pair_memory nothing;
static const double FRACTION = 0.95; /* of the way to the boundary */
/* Products do not run ahead of the equations: they aim at no less than this part of the largest residual. Without it, a
 * wall's reach rho while bodies are still out of balance, and no step goes anywhere. */
static const double AHEAD = 1e-3;
static const double SHORT = 0.1; /* of a step length */
/* What a new start stands still with: steps below this, so many in a row. */
static const double STILL = 1e-3;
/* Steps shorter than this are followed by one with a monotone matrix, where that is done. Done at all steps, piles of
 * spheres failed in half of them: it is Newton's no longer, and equations are not met. */
static const double CUT = 0.9;
/* Friction is Coulomb's where the mean product is this, or no more than twice rho, and relaxed so much above. */
static const double COULOMB = 1e-3, ABOVE = 4e-3;

typedef struct single_level {
    nb_method base;
    nb_method_settings settings;
    double values[OPTIONS];
    nb_pair_problem *pairs;
    found_contacts found;
    nb_pair_memory memory; /* of the step before, where the next one starts from it */
    double *best;          /* the point of the start that came nearest */
    int64_t best_capacity;
    /* of the present step */
    nb_problem *p;
    nb_measure *measure;
    const nb_observer *observer;
    nb_step_outcome *outcome;
    nb_newton_report report;
    int32_t grown; /* inner iterations that were told */
    int32_t began; /* iterations made before the pairs were found anew */
    double floor;  /* what products are brought to: rho, or where a path begins */
    nb_pair_path path;
    enum {
        NOT_FOLLOWED,
        FOLLOWED,
        LOST
    } way;                   /* whether the path is */
    int beginning, approach; /* which one it is; iterations since then */
    double last;             /* the step length before */
    nb_pair_starts starts;
    int start, still;      /* which start it is; steps in a row that went nowhere */
    double equality, cone; /* of the point */
    double since, not_own; /* clock up to which times were told; what was not the method's own since then */
} single_level;

static double elapsed_time(single_level *m) {
    double now = nb_clock_seconds(), own = now - m->since - m->not_own;
    m->since = now;
    m->not_own = 0;
    return own;
}

/* ---- what is told ---- */

/* Gives the harness the point, and measures it. */
static nb_status measure_point(single_level *m, nb_errors *errors) {
    nb_status status;
    double start = nb_clock_seconds();
    NB_TRY(found_contacts_write(&m->found, m->pairs, m->p, m->measure));
    nb_measure_iterate(m->measure, m->p, errors);
    m->not_own += nb_clock_seconds() - start;
out:
    return status;
}

static int is_heard(const single_level *m) {
    return m->observer && m->observer->newton;
}

static int is_at_limit(const single_level *m) {
    return m->outcome->newton_iterations >= m->settings.newton_iterations;
}

/* Begins a row of the record at the present point, and says why the step ends here, if it does. */
static nb_status begin_row(single_level *m) {
    nb_status status = NB_OK;
    nb_step_outcome *outcome = m->outcome;
    const double rho = m->values[RHO], asked = m->settings.newton_tolerance;
    int solved = m->equality <= rho / 10 && m->cone <= rho / 10;
    const int64_t most = nb_pair_starts_iterations(m->settings.newton_iterations, m->pairs->apart > 0, m->start);
    int last = solved || outcome->reason != NB_REASON_NONE || is_at_limit(m) ||
               outcome->newton_iterations - m->began >= most || /* for these pairs */
               m->way == LOST || (m->start >= NB_START_SCALED && m->still >= MOST_STILL);
    if (last || is_heard(m) || asked > 0) NB_TRY(measure_point(m, &outcome->errors));
    nb_measure_report(m->p, &outcome->errors, &m->report);
    nb_columns_begin_solves(&m->report);
    m->report.values[EQUALITY] = m->equality;
    m->report.values[CONE] = m->cone;
    m->report.values[PAIRS] = m->pairs->found.count;
    if (outcome->reason != NB_REASON_NONE) goto out;
    if (nb_measure_converged(&outcome->errors, &m->settings))
        outcome->reason = NB_REASON_CONVERGED;
    else if (solved) /* a tolerance that rho does not reach */
        outcome->reason = asked > 0 ? NB_REASON_STAGNATED : NB_REASON_CONVERGED;
    else if (last)
        outcome->reason = NB_REASON_ITERATIONS;
out:
    return status;
}

static nb_status end_row(single_level *m) {
    nb_newton_report *report = &m->report;
    report->values[INNER] = m->pairs->grown - m->grown;
    m->grown = m->pairs->grown;
    report->assembly_s = elapsed_time(m);
    nb_columns_end_iteration(report, m->outcome);
    nb_status status = is_heard(m) ? m->observer->newton(m->observer->context, report) : NB_OK;
    m->since = nb_clock_seconds();
    return status;
}

/* ---- one iteration ---- */

/* the largest velocity of the residuals of momentum, and their norm [m/s] */
static void record_residual(single_level *m) {
    const nb_pair_problem *s = m->pairs;
    double largest = 0, sum = 0;
    for (int32_t i = 0; i < s->body_count; i++)
        for (int k = 0; s->body[i].moves && k < 6; k++) {
            double r = s->speed * fabs(s->r[6 * (int64_t)i + k]);
            largest = fmax(largest, r);
            sum += r * r;
        }
    m->report.values[NB_COLUMN_RESIDUAL_LINF] = largest;
    m->report.values[NB_COLUMN_RESIDUAL_L2] = sqrt(sum);
}

static nb_status solve(single_level *m, int first, int *solved) {
    nb_status status = NB_OK;
    nb_pair_problem *s = m->pairs;
    const nb_observer *observer = m->observer;
    *solved = 1;
    if (!s->system) return NB_OK;
    NB_TRY(nb_pair_problem_direction(s, &m->settings, observer, first ? m->outcome->newton_iterations : -1, m->p,
                                     &m->not_own, solved));
    const nb_solve_report *report = &s->report;
    double *v = m->report.values;
    m->not_own += report->setup_s + report->solve_s + report->measure_s;
    nb_columns_add_solve(report, 1, 0, &m->report);
    v[NB_COLUMN_FACTOR_NONZEROS] = (double)report->factor_nonzeros;
    v[NB_COLUMN_LINEAR_ITERATIONS] += report->iterations;
    v[NB_COLUMN_LINEAR_REASON] = report->reason;
    v[NB_COLUMN_LINEAR_RESIDUAL] = report->rhs_l2 > 0 ? report->residual_l2 / report->rhs_l2 : 0;
out:
    return status;
}

static double length_of(const single_level *m) {
    return fmin(1, FRACTION * nb_pair_problem_reach(m->pairs, 1 / FRACTION));
}

static void record_step(single_level *m, double t, int halvings) {
    const nb_pair_problem *s = m->pairs;
    double largest = 0;
    for (int32_t k = 0; k < 6 * s->body_count; k++) largest = fmax(largest, fabs(t * s->du[k]) * s->speed);
    m->report.values[STEP_LENGTH] = t;
    m->report.values[HALVINGS] = halvings;
    m->report.values[NB_COLUMN_STEP_LINF] = largest;
}

/* Moves by the step, halved until one violation falls; `before`: that of products. */
static void move(single_level *m, double target, double before) {
    nb_pair_problem *s = m->pairs;
    double equality, aimed, t = length_of(m);
    int halvings = 0;
    for (;; halvings++, t /= 2) {
        nb_pair_problem_try(s, t, target, m->floor, &equality, &m->cone, &aimed);
        if (equality <= m->equality || aimed <= before || halvings == MOST_HALVINGS) break;
    }
    if (!isfinite(equality) || !isfinite(aimed)) { /* what is not a number is not gone on from */
        nb_pair_problem_try(s, 0, target, m->floor, &equality, &m->cone, &aimed);
        m->outcome->reason = NB_REASON_DIVERGED;
        t = 0;
    }
    m->equality = equality;
    record_step(m, t, halvings);
    /* What was halved to nothing tells of no boundary: at a point that is centred it goes nowhere but by round-off, and
     * to centre once more would keep it there. */
    m->last = halvings == MOST_HALVINGS ? 1 : t;
    m->still = t < STILL ? m->still + 1 : 0;
}

static double mean_product(const nb_pair_problem *s) {
    return s->degree > 0 ? s->product / s->degree : 0;
}

static nb_status iterate(single_level *m) {
    nb_status status = NB_OK;
    nb_pair_problem *s = m->pairs;
    const double mean = mean_product(s);
    double before;
    int solved = 1;
    record_residual(m);
    s->monotone = m->start >= NB_START_MONOTONE && m->start < NB_START_RELAXED && m->last < CUT;
    nb_pair_problem_eliminate(s, &solved);
    if (solved) NB_TRY(solve(m, 1, &solved));
    if (!solved) {
        m->outcome->reason = NB_REASON_SINGULAR;
        return NB_OK;
    }
    double t = length_of(m), after = s->degree > 0 ? nb_pair_problem_product(s, t) / s->degree : 0;
    double ratio = mean > 0 ? fmin(fmax(after / mean, 0), 1) : 0, sigma = ratio * ratio * ratio;
    double target = fmax(fmax(sigma * mean, m->floor), fmin(AHEAD * m->equality, mean));
    /* Steps that were cut short at the boundary go on being cut: then products are made equal, and nothing else. */
    int centres = m->last < SHORT;
    if (centres) target = fmax(target, mean);
    nb_pair_problem_aim(s, target, centres ? 0 : 0.5 * t, &before);
    NB_TRY(solve(m, 0, &solved));
    if (!solved) {
        m->outcome->reason = NB_REASON_SINGULAR;
        return NB_OK;
    }
    m->report.values[GAP] = mean;
    m->report.values[CENTRING] = mean > 0 ? target / mean : 0;
    move(m, target, before);
out:
    return status;
}

/* ---- along the central path ---- */

/* At rest, with impulses that can stop what moves. */
static void begin_approach(single_level *m) {
    nb_pair_problem *s = m->pairs;
    const double whole = nb_pair_problem_free_target(s);
    m->floor = fmax(BEGINNING * whole, LEAST_BEGINNING) * pow(BEGINNING_GROWS, m->beginning);
    m->approach = 0;
    m->last = 1;
    m->still = 0;
    nb_pair_problem_bound(s, 0); /* as pairs start */
    nb_pair_problem_go_on(s, 0);
    nb_pair_problem_start(s, &nothing, IMPULSES * whole);
    nb_pair_problem_bound(s, COLLISION);
    nb_pair_problem_evaluate(s, m->floor, &m->equality, &m->cone);
}

/* The path is followed from where the method comes near it; where it does not, the next beginning is tried. */
static nb_status approach(single_level *m) {
    if (m->way != NOT_FOLLOWED) return NB_OK;
    if (nb_pair_path_is_near(m->floor, m->equality, m->cone)) {
        m->way = FOLLOWED;
        return nb_pair_path_begin(&m->path, m->pairs, m->floor, m->equality, m->cone);
    }
    if (m->approach++ < nb_pair_starts_approach(m->settings.newton_iterations) && m->still < MOST_STILL) return NB_OK;
    if (++m->beginning < BEGINNINGS)
        begin_approach(m);
    else
        m->way = LOST;
    return NB_OK;
}

static nb_status follow(single_level *m) {
    nb_status status = NB_OK;
    nb_pair_problem *s = m->pairs;
    const double target = m->path.target;
    const int32_t retreats = m->path.retreats;
    int solved = 1;
    record_residual(m);
    s->monotone = 0;
    nb_pair_problem_eliminate(s, &solved);
    if (solved) NB_TRY(solve(m, 1, &solved));
    if (solved) {
        nb_pair_path_aim(&m->path, s);
        NB_TRY(solve(m, 0, &solved));
    }
    if (!solved) {
        m->outcome->reason = NB_REASON_SINGULAR;
        return NB_OK;
    }
    if (nb_pair_path_go(&m->path, s, m->values[RHO], &m->cone) == NB_PAIR_PATH_LOST) m->way = LOST;
    m->equality = m->path.equality;
    m->report.values[GAP] = target;
    m->report.values[CENTRING] = m->path.target / target;
    record_step(m, m->path.step_length, m->path.retreats > retreats ? m->path.retreats - retreats : 0);
out:
    return status;
}

/* ---- the step ---- */

/* how far friction is relaxed at the present point */
static double relaxed_part(const single_level *m) {
    const double least = fmax(COULOMB, 2 * m->values[RHO]);
    return m->start < NB_START_RELAXED ? 0 : fmin(fmax((mean_product(m->pairs) - least) / ABOVE, 0), 1);
}

/* Evaluates with friction relaxed so far. */
static void relax(single_level *m, double part) {
    nb_pair_problem_relax(m->pairs, part);
    nb_pair_problem_evaluate(m->pairs, m->values[RHO], &m->equality, &m->cone);
}

/* Iterates from the start of all pairs until something ends the step. */
static nb_status run(single_level *m) {
    nb_status status;
    nb_pair_problem_relax(m->pairs, 0);
    m->way = NOT_FOLLOWED;
    m->floor = m->values[RHO];
    m->last = 1;
    m->still = 0;
    m->began = m->outcome->newton_iterations;
    m->outcome->reason = NB_REASON_NONE;
    m->beginning = 0;
    if (m->start == NB_START_PATH) {
        begin_approach(m);
    } else {
        nb_pair_problem_start(m->pairs, m->start == NB_START_AS_IT_IS ? &m->memory : &nothing, 0);
        nb_pair_problem_evaluate(m->pairs, m->floor, &m->equality, &m->cone);
    }
    for (;;) {
        if (m->start == NB_START_PATH) NB_TRY(approach(m));
        if (m->start >= NB_START_RELAXED) relax(m, relaxed_part(m));
        NB_TRY(begin_row(m));
        if (m->outcome->reason != NB_REASON_NONE) break;
        NB_TRY(m->way == FOLLOWED ? follow(m) : iterate(m));
        NB_TRY(end_row(m));
    }
    if (m->start == NB_START_PATH) {
        nb_pair_problem_bound(m->pairs, 0);
        nb_pair_problem_evaluate(m->pairs, m->values[RHO], &m->equality, &m->cone);
    }
    if (m->start >= NB_START_RELAXED) relax(m, 0); /* what it comes to is Coulomb's law */
out:
    return status;
}

static int is_solved(const single_level *m) {
    return m->outcome->reason == NB_REASON_CONVERGED || m->outcome->reason == NB_REASON_STAGNATED;
}

static nb_status keep_best(single_level *m, double *least) {
    nb_status status = NB_OK;
    double violation = fmax(m->equality, m->cone);
    if (!(violation < *least)) return NB_OK;
    *least = violation;
    NB_TRY(NB_RESERVE(nb_pair_problem_numbers(m->pairs), &m->best_capacity, &m->best));
    nb_pair_problem_store(m->pairs, m->best);
out:
    return status;
}

/* what the pairs' bodies have when the step begins: at rest where nothing is remembered */
static void begin_velocities(single_level *m) {
    if (m->base.warm && m->pairs->found.count > 0) nb_pair_problem_go_on(m->pairs, m->memory.count > 0);
}

/* `again`: others went before */
static nb_status run_from(single_level *m, int start, int again) {
    const int velocities = start >= NB_START_SCALED ? (start - NB_START_SCALED) % 3 : 0;
    m->start = start;
    nb_pair_problem_scale(m->pairs, start >= NB_START_SCALED);
    if (velocities == 1)
        nb_pair_problem_release(m->pairs);
    else if (start != NB_START_AS_IT_IS)
        nb_pair_problem_go_on(m->pairs, velocities == 2);
    else if (again)
        begin_velocities(m);
    return run(m);
}

/* Begins again elsewhere where a start leads nowhere; where all do, the step ends at the best point of their ends. */
static nb_status run_from_starts(single_level *m) {
    nb_status status = NB_OK;
    double least = INFINITY;
    int starts[NB_START_COUNT];
    const int count = nb_pair_starts_order(&m->starts, m->base.warm, m->memory.count > 0, m->pairs->apart > 0, starts);
    for (int k = 0; k < count; k++) {
        NB_TRY(run_from(m, starts[k], k > 0));
        if (is_solved(m)) {
            nb_pair_starts_solved(&m->starts, starts[k]);
            return NB_OK;
        }
        if (k + 1 == count || is_at_limit(m)) break;
        NB_TRY(keep_best(m, &least));
    }
    m->starts = (nb_pair_starts){0};
    if (m->pairs->apart > 0 || !(least < fmax(m->equality, m->cone))) return NB_OK;
    nb_pair_problem_restore(m->pairs, m->best);
    nb_pair_problem_evaluate(m->pairs, m->values[RHO], &m->equality, &m->cone);
    NB_TRY(begin_row(m));
out:
    return status;
}

static nb_status single_level_step(nb_method *self, nb_problem *p, nb_measure *measure, const nb_observer *observer,
                                   nb_step_outcome *outcome) {
    single_level *m = (single_level *)self;
    nb_status status;
    int32_t added = 1;
    *outcome = (nb_step_outcome){.reason = NB_REASON_NONE, .norm_a = (double)NAN, .norm_a_inverse = (double)NAN};
    m->p = p;
    m->measure = measure;
    m->observer = observer;
    m->outcome = outcome;
    m->since = nb_clock_seconds();
    m->not_own = 0;
    m->pairs->apart = self->type->option_count > INNER_TOLERANCE ? m->values[INNER_TOLERANCE] : 0;
    m->pairs->grown = m->grown = 0;
    NB_TRY(nb_pair_problem_begin(m->pairs, p, m->pairs->apart > 0 ? "method bilevel" : "method single-level"));
    nb_pair_problem_measure_rho(m->pairs, (nb_pair_rho_unit)m->values[RHO_UNIT]);
    if (!self->warm) nb_pair_memory_forget(&m->memory);
    begin_velocities(m);
    for (int searches = 0; added > 0 && searches < MOST_SEARCHES; searches++) {
        NB_TRY(run_from_starts(m));
        NB_TRY(nb_pair_problem_extend(m->pairs, &added));
    }
    if (self->warm && outcome->reason == NB_REASON_CONVERGED)
        NB_TRY(nb_pair_memory_keep(&m->memory, m->pairs));
    else
        nb_pair_memory_forget(&m->memory);
    outcome->assembly_s += elapsed_time(m);
    m->report.solved = 0;
    if (is_heard(m)) NB_TRY(observer->newton(observer->context, &m->report));
out:
    return status;
}

static nb_status single_level_differentiate(nb_method *self, nb_problem *p, double smoothing,
                                            nb_step_gradient **gradient) {
    single_level *m = (single_level *)self;
    return nb_pair_gradient(m->pairs, &m->settings, p, m->values[RHO], smoothing, gradient);
}

static nb_status single_level_save(const nb_method *self, nb_stream *stream) {
    const single_level *m = (const single_level *)self;
    nb_status status;
    NB_TRY(nb_stream_put(stream, &m->starts, sizeof m->starts));
    NB_TRY(nb_pair_memory_save(&m->memory, stream));
out:
    return status;
}

static nb_status single_level_load(nb_method *self, nb_stream *stream) {
    single_level *m = (single_level *)self;
    nb_status status;
    NB_TRY(nb_stream_get(stream, &m->starts, sizeof m->starts));
    NB_TRY(nb_pair_memory_load(&m->memory, stream));
out:
    return status;
}

static nb_status check(const nb_method_settings *settings, const nb_method_scene *scene) {
    (void)settings;
    if (scene->file)
        return nb_fail(
            NB_ERROR_UNSUPPORTED,
            "methods single-level and bilevel require the bodies' shapes, which a problem file does not have");
    if (scene->geometry == NB_GEOMETRY_FROZEN)
        return nb_fail(
            NB_ERROR_UNSUPPORTED,
            "methods single-level and bilevel find contacts at the end of a step; they do not support --geometry "
            "frozen or linearized --time-stepping");
    if (scene->settings.friction_ratio != 1)
        return nb_fail(NB_ERROR_UNSUPPORTED,
                       "methods single-level and bilevel do not support --friction-ratio other than 1");
    return NB_OK;
}

static void single_level_destroy(nb_method *self) {
    single_level *m = (single_level *)self;
    if (!m) return;
    nb_pair_problem_destroy(m->pairs);
    found_contacts_clear(&m->found);
    nb_pair_memory_clear(&m->memory);
    nb_pair_path_clear(&m->path);
    nb_free(m->best);
    nb_free(m);
}

static nb_status single_level_create(const nb_method_class *type, const nb_method_settings *settings,
                                     nb_method **self) {
    nb_status status;
    single_level *m = NULL;
    *self = NULL;
    NB_TRY(NB_ALLOCATE(1, &m));
    m->base.type = type;
    m->settings = *settings;
    nb_options_standard(options, OPTIONS, m->values);
    if (settings->values) memcpy(m->values, settings->values, (size_t)type->option_count * sizeof *m->values);
    NB_TRY(nb_pair_problem_create(settings, &m->pairs));
    *self = &m->base;
out:
    if (status != NB_OK) single_level_destroy((nb_method *)m);
    return status;
}

/* what the two methods have in common */
static const char *single_level_advice(nb_shortfall how, const double *values) {
    (void)values;
    return how == NB_SHORT_STAGNATED ? "iterations stagnated at the smoothing: use a smaller --rho" : NULL;
}

#define BOTH                                                                                                 \
    .options = options, .columns = columns, .column_count = COLUMNS, .linear_solver = "multifrontal",        \
    .finds_contacts = 1, .smooths = "rho", .unsymmetric = 1, .warm_start = 1, .advice = single_level_advice, \
    .check = check, .create = single_level_create, .step = single_level_step, .save = single_level_save,     \
    .load = single_level_load, .destroy = single_level_destroy

const nb_method_class NB_REAL_NAME(nb_single_level_method) = {
    .name = "single-level",
    .summary = "collision and contact as one problem: interior point on convex sets",
    .option_count = SINGLE_LEVEL_OPTIONS,
    .newton_iterations = NB_SINGLE_LEVEL_ITERATIONS,
    .differentiate = single_level_differentiate,
    BOTH,
};

const nb_method_class NB_REAL_NAME(nb_bilevel_method) = {
    .name = "bilevel",
    .summary = "like single-level, but collision solved first and differentiated (its baseline)",
    .option_count = OPTIONS,
    .newton_iterations = NB_BILEVEL_ITERATIONS,
    BOTH,
};
