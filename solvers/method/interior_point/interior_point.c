/* The method that solves friction problems others do not: an interior point on the second-order cones with the De Saxce
 * term inside the Newton step, finished by a semismooth Newton method on the natural map; where both fail, a proximal
 * point, and restarts from other points. Before all this, steps of small islands of bodies go through a loop of their
 * own (island_phase.h). */
#include <math.h>
#include <string.h>
#include <tgmath.h>

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/largest.h"
#include "base/memory.h"
#include "cases.h"
#include "certificate.h"
#include "constraint/cone_rows.h"
#include "constraint/parts.h"
#include "device.h"
#include "interior_step.h"
#include "island_iterations.h"
#include "island_phase.h"
#include "measure/iterate.h"
#include "method.h"
#include "method/gradient/cone_gradient.h"
#include "method/projected/recession.h"
#include "semismooth.h"
#include "step/device_step_class.h"
#include "wedge.h"

NB_PRECISIONS(f32, f64);

/* The fallback: an over-relaxed proximal point whose steps are semismooth Newton solves.
 *
 *     x_k+1 = x_k + 1.5 (x - x_k),   x the solution of the problem with v + eps (x - x_k) for v
 *
 * eps is halved after a step that was solved, and five times as large after one that was not. A step counts as solved
 * where its map has fallen tenfold and stands below 0.3 rho eps |x - x_k|; it gets a dozen iterations. rho grows like
 * eps^(-1/2). Found on piles of falling bodies, where the path to a solution is long and full of kinks: ever more
 * careful steps do not pay there, nor do ever bolder ones; what else was tried is in NOTES.md. */
typedef struct proximal_point {
    double *centre; /* [rows] x_k; the caller's */
    double eps;
    double weight;     /* multiplies the weights rho of velocities in the map */
    double relaxation; /* 1.5 above: less where that gets nowhere */
} proximal_point;

enum {
    MOST_ITERATIONS = 12 /* of a step */
};

static const double first_eps = 1e-3, largest_eps = 1e8, over_relaxation = 1.5;

/* A proximal point from x [rows], which goes to the centre. */
static proximal_point proximal_start(const nb_scaled_problem *problem, const double *x, double weight, double *centre) {
    memcpy(centre, x, (size_t)problem->rows * sizeof *x);
    return (proximal_point){centre, first_eps, weight, over_relaxation};
}

/* Goes on with it for about `budget` factorisations more; ends before where the scaled problem's `solved` or the
 * outcome's reason is set. */
static nb_status proximal_run(proximal_point *p, nb_semismooth *s, int32_t budget) {
    nb_status status = NB_OK;
    nb_scaled_problem *c = s->problem;
    int32_t end = c->outcome->newton_iterations + budget;
    while (!c->solved && c->outcome->newton_iterations < end && p->eps < largest_eps) {
        double rho = 5 * p->weight / sqrt(p->eps);
        const nb_semismooth_task task = {NB_PHASE_PROXIMAL, rho, p->eps, p->centre, MOST_ITERATIONS, 0, 0};
        int done;
        memcpy(s->x, p->centre, (size_t)c->rows * sizeof *s->x);
        NB_TRY(nb_semismooth_run(s, &task, &done));
        for (int32_t r = 0; done && r < c->rows; r++) p->centre[r] += p->relaxation * (s->x[r] - p->centre[r]);
        p->eps *= done ? 0.5 : 5;
    }
out:
    return status;
}

enum {
    MOST_STEPS = 80,
    LEAST_STEPS = 120, /* that a step is to have for the loop to come first */
    MOST_SHORT = 3,
    MOST_IDLE = 8,
    MOST_IDLE_AGAIN = 3, /* of an interior point near the best x */
    FINISH_STEPS = 12,
    PROXIMAL_STEPS = 60,       /* from nowhere */
    BEFORE_CONTRADICTION = 25, /* from elsewhere */
    BEFORE_RESTART = 65,       /* with those */
    BEFORE_CERTIFICATE = 150,  /* with those */
    AFTER_MOTION = 400,        /* from the impulses of the geometry before */
    AFTER_STEP = 80,           /* from those of the step before, where joint coordinates have rows */
    MOST_GEOMETRIES = 100,
    MOST_UNCHANGED = 25, /* geometries after which the error is not halved */
    UNCHANGED_AT_ROUND_OFF = 4,
    UNCHANGED_AND_HALVED = 2, /* after so many the next is linearised half the way */
    LEAST_PART = 16, /* contacts and joint rows: to prepare a part takes as long as one or two factorisations */
    LEAST_WHOLE = 64 /* of a problem that is taken apart */
};

static const nb_column columns[NB_COLUMN_BEHIND_INTERIOR] = {NB_COLUMNS_OF_SOLVES, NB_COLUMNS_OF_INTERIOR_POINT};

typedef struct interior_point {
    nb_method base;
    nb_method_settings settings;
    /* of the present step */
    nb_scaled_problem *problem;
    nb_interior *interior;
    nb_semismooth *semismooth;
    double *start;       /* [rows] */
    double *centre;      /* [rows] of the proximal point */
    real *iterate;       /* [velocities + rows] the best */
    real *first, *other; /* [velocities + rows] the start; the end from there, where it is left again */
    real *before;        /* [velocities + rows] where the present geometry is linearised */
    nb_cone_rows laws;
    /* its islands, which are solved one after another; NULL: it is solved as one */
    nb_parts *parts;
    struct part *part;     /* [parts->count] */
    double begun;          /* natural map of the iterate at which they were linearised first [m/s] */
    nb_island_phase phase; /* the first; its memory is kept from step to step */
    int looped;            /* 1: it solved some islands of the present step, and no part has these */
} interior_point;

/* the method at work on a part of the problem */
typedef struct part {
    interior_point method; /* `problem`, what solves it, and the laws */
    nb_step_outcome outcome;
    nb_trace trace;
    nb_observer observer; /* keeps the trace */
} part;

static void drop(interior_point *m) {
    for (int32_t i = 0; m->part && i < m->parts->count; i++) {
        nb_trace_clear(&m->part[i].trace);
        drop(&m->part[i].method);
    }
    nb_free(m->part);
    nb_parts_destroy(m->parts);
    m->part = NULL;
    m->parts = NULL;
    nb_semismooth_destroy(m->semismooth);
    nb_interior_destroy(m->interior);
    nb_scaled_problem_destroy(m->problem);
    nb_free(m->start);
    nb_free(m->centre);
    nb_free(m->iterate);
    nb_free(m->first);
    nb_free(m->other);
    nb_free(m->before);
    m->iterate = m->first = m->other = m->before = NULL;
    m->semismooth = NULL;
    m->interior = NULL;
    m->problem = NULL;
    m->start = m->centre = NULL;
}

/* what solves m->problem */
static nb_status make_phases(interior_point *m) {
    nb_status status;
    NB_TRY(nb_interior_create(m->problem, &m->interior));
    NB_TRY(nb_semismooth_create(m->problem, &m->semismooth));
    NB_TRY(NB_ALLOCATE(m->problem->rows, &m->start));
    NB_TRY(NB_ALLOCATE(m->problem->rows, &m->centre));
out:
    return status;
}

static nb_status make_parts(interior_point *m) {
    nb_status status;
    NB_TRY(NB_ALLOCATE(m->parts->count, &m->part));
    for (int32_t i = 0; i < m->parts->count; i++) {
        part *one = &m->part[i];
        one->method.settings = m->settings;
        one->method.laws = m->laws;
        NB_TRY(nb_scaled_problem_create_part(m->problem, &m->parts->part[i], &one->method.problem));
        one->method.problem->target = m->problem->target;
        one->observer = nb_trace_listen(&one->trace, one->method.problem);
        NB_TRY(make_phases(&one->method));
    }
out:
    return status;
}

/* [s] in the create of the linear solvers of the problem and its parts */
static double create_time(const interior_point *m) {
    double seconds = nb_solve_create_s(m->problem->solve);
    for (int32_t i = 0; m->part && i < m->parts->count; i++)
        seconds += nb_solve_create_s(m->part[i].method.problem->solve);
    return seconds;
}

static nb_status prepare(interior_point *m, nb_problem *p, nb_measure *measure, const nb_observer *observer,
                         nb_step_outcome *outcome) {
    nb_status status;
    int as_one = observer && observer->system; /* whose systems are asked for */
    const uint8_t *solved = m->looped ? m->phase.done : NULL;
    double tolerance = m->settings.newton_tolerance;
    real **kept[] = {&m->iterate, &m->first, &m->other, &m->before};
    drop(m);
    NB_TRY(nb_friction_or_rolling_rows_of(p, "method interior-point", &m->laws));
    NB_TRY(nb_scaled_problem_create(p, &m->settings, &m->problem));
    m->problem->columns = (nb_scaled_columns){-1, NB_COLUMN_PHASE, NB_COLUMN_STEP_LENGTH, NB_COLUMN_FACTORISATIONS};
    /* The linearised problem takes a tenth of the tolerance; with elements a hundredth, as their light particles turn
     * a small change of impulses into a large error of momentum. */
    m->problem->target = p->frozen ? 0 : tolerance > 0 ? tolerance / (p->whole ? 100 : 10) : 1e-14;
    nb_scaled_problem_begin_step(m->problem, measure, observer, outcome);
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        NB_TRY(NB_ALLOCATE((int64_t)p->velocities + nb_problem_whole(p)->rows, kept[i]));
    m->problem->held = m->looped ? m->phase.held : NULL;
    if (solved || (!as_one && p->exact->block_count >= LEAST_WHOLE))
        NB_TRY(nb_parts_create(p, LEAST_PART, solved, &m->parts));
    NB_TRY(m->parts && m->parts->count > 0 ? make_parts(m) : make_phases(m));
out:
    return status;
}

/* |F| a block below which a finish that is stuck has come to round-off. Rows beside large ones, as of motors far from
 * their targets, are small in |F|: more than round-off would hide what sticking joints and contacts still contradict.
 */
static double round_off_of(const nb_semismooth *s) {
    double size = 1;
    if (NB_REAL_BITS != 64) return 1e-5;
    for (int32_t r = 0; r < s->problem->rows; r++) nb_raise(&size, fabs(s->x[r]));
    return fmin(1e-11, 5e-13 * size);
}

/* The semismooth finish from x. Where it gets stuck next to a solution, it is precision that stops it. Where the
 * problem's own map is to be small this is no reason to stop, since that map weighs impulses differently: then the
 * velocities themselves must be round-off. */
static nb_status finish(interior_point *m, const double *x, int warm) {
    nb_scaled_problem *c = m->problem;
    int done;
    const nb_semismooth_task task = {NB_PHASE_SEMISMOOTH, 1, 0, NULL, FINISH_STEPS, warm, 0};
    memcpy(m->semismooth->x, x, (size_t)c->rows * sizeof *x);
    nb_status status = nb_semismooth_run(m->semismooth, &task, &done);
    if (status != NB_OK || c->solved) return status;
    double stuck = round_off_of(m->semismooth) * sqrt(c->count);
    int asked = m->settings.newton_tolerance > 0 || m->settings.relative_tolerance > 0;
    nb_scaled_problem_velocity(c, c->best, m->semismooth->v);
    const int spent = NB_REAL_BITS == 64 && nb_scaled_problem_is_at_round_off(c, m->semismooth->v);
    if (!spent && (!(m->semismooth->norm <= stuck) || (asked && !(c->target > 0)))) return NB_OK;
    if (!(c->target > 0)) c->outcome->reason = NB_REASON_ROUND_OFF;
    c->solved = 1;
    return NB_OK;
}

/* An iteration that finds where rows of joint limits start; x stays. */
static nb_status look_ahead(interior_point *m, double size, double theta, double *reach) {
    nb_status status = NB_OK;
    nb_scaled_problem *c = m->problem;
    *reach = size;
    if (m->interior->limits == 0) return NB_OK;
    nb_interior_start(m->interior, size, size, theta);
    nb_interior_measure(m->interior);
    nb_scaled_problem_begin(c, NB_PHASE_INTERIOR_POINT, m->interior->x, m->interior->v);
    if (c->solved) return NB_OK;
    NB_TRY(nb_interior_reach(m->interior, size, reach));
    NB_TRY(nb_scaled_problem_end(c, 0, m->interior->dx));
out:
    return status;
}

/* where an interior point stands */
typedef struct path {
    double tried; /* error where the finish was last tried; the end's, where the path is left */
    double least; /* error so far */
    double tau;   /* where the error was last below 0.9 of the least */
    int32_t steps, shorts, idle;
    int32_t most_idle; /* ends it */
} path;

/* Goes on along it. The finish is tried once the error is below 1e-2, again whenever it has fallen to a thirtieth of
 * the last try's, and where no progress is made. */
static nb_status run_path(interior_point *m, path *p) {
    nb_status status = NB_OK;
    nb_scaled_problem *c = m->problem;
    nb_interior *s = m->interior;
    const int32_t cones = c->contacts + c->box.blocks;
    double unit = 1 / sqrt(cones > 0 ? cones : 1);
    for (;; p->steps++) {
        NB_TRY(nb_interrupt_check());
        double error = unit * nb_interior_measure(s);
        nb_scaled_problem_begin(c, NB_PHASE_INTERIOR_POINT, s->x, s->v);
        if (c->solved) break;
        p->idle = error < 0.9 * p->least ? 0 : p->idle + 1;
        p->least = fmin(p->least, error);
        if (p->idle == 0) p->tau = s->tau;
        int end = p->shorts == MOST_SHORT || p->idle == p->most_idle || p->steps == MOST_STEPS;
        if (end || error < p->tried / 30) {
            p->tried = error;
            NB_TRY(finish(m, s->x, 0));
            if (c->solved || end) break;
            nb_scaled_problem_begin(c, NB_PHASE_INTERIOR_POINT, s->x, s->v);
        }
        NB_TRY(nb_interior_step(s));
        c->report.values[NB_COLUMN_CENTRING] = s->sigma;
        c->report.values[NB_COLUMN_THETA] = s->theta;
        c->report.values[NB_COLUMN_TAU] = s->tau;
        NB_TRY(nb_scaled_problem_end(c, s->alpha, s->dx_best));
        p->shorts = s->alpha < 0.02 ? p->shorts + 1 : 0;
    }
out:
    return status;
}

/* The interior point from an iterate of size e. */
static nb_status run_interior(interior_point *m, double size, double theta, path *p) {
    nb_status status;
    double reach;
    NB_TRY(look_ahead(m, size, theta, &reach));
    if (m->problem->solved) return NB_OK;
    nb_interior_start(m->interior, size, reach, theta);
    *p = (path){.tried = 0.3, .least = INFINITY, .most_idle = MOST_IDLE};
    NB_TRY(run_path(m, p));
out:
    return status;
}

/* Goes on with an interior point whose error stays while tau falls. Rows of redundant contacts contradict each other by
 * what round-off left in positions: the error stays at that size until tau has come to its square. */
static nb_status run_contradicted(interior_point *m, path *p) {
    const double largest = 1e-3; /* contradiction, of q */
    nb_status status = NB_OK;
    while (!m->problem->solved && p->idle == p->most_idle && p->tried < largest && m->interior->tau < 0.1 * p->tau) {
        p->idle = 0;
        p->tau = m->interior->tau;
        NB_TRY(run_path(m, p));
    }
out:
    return status;
}

/* Ends the step for a reason that is no solution, where there is none yet. */
static void end(interior_point *m, nb_reason reason) {
    if (m->problem->solved) return;
    m->problem->outcome->reason = reason;
    m->problem->solved = 1;
}

/* with compliant contacts there always is a solution */
static int gives_way(const interior_point *m) {
    return m->laws.cone->soft > 0 || m->laws.cone->softness;
}

/* Ends the step where it is proved that there is no solution. */
static nb_status refute(interior_point *m) {
    nb_status status;
    int found;
    int32_t count;
    if (m->problem->solved || gives_way(m)) return NB_OK;
    NB_TRY(nb_certificate_find(m->semismooth, m->start, m->interior->dx, &found));
    if (!found) NB_TRY(nb_cases_refute(m->problem, &found, &count));
    if (found) end(m, NB_REASON_INFEASIBLE);
out:
    return status;
}

/* Whether no solution is to be expected, though there may be one; `last`: nothing is left to try. */
static nb_status look_for_wedges(interior_point *m, int last, int *wedged) {
    *wedged = 0;
    if (m->problem->solved || gives_way(m) || !nb_island_phase_polishes(m->problem->p)) return NB_OK;
    return nb_wedge_find(m->semismooth, m->start, m->interior->dx, last, wedged);
}

/* Whether the best point known is hardly better than zero. From there a proximal point makes no progress either, while
 * another interior point may. */
static int is_nowhere(interior_point *m) {
    const double least = 0.1; /* of the size of q */
    nb_scaled_problem *c = m->problem;
    nb_scaled_problem_velocity(c, c->best, m->semismooth->v);
    return nb_scaled_problem_natural(c, 1, c->best, m->semismooth->v, m->semismooth->f) > least * sqrt(c->count);
}

/* An interior point from near the best x. Where the path from afar turns back, this one may not. */
static nb_status run_again(interior_point *m) {
    const double size = 0.1;
    nb_status status = NB_OK;
    path again = {.tried = 0.3, .least = INFINITY, .most_idle = MOST_IDLE_AGAIN};
    if (m->problem->solved || !nb_interior_restart(m->interior, m->problem->best, size)) return NB_OK;
    NB_TRY(run_path(m, &again));
    NB_TRY(run_contradicted(m, &again));
out:
    return status;
}

/* The proximal point before a certificate is looked for, with the interior point twice more in between. It goes on from
 * where that gets past contradictions, or improves the best x. */
static nb_status run_first(interior_point *m, path *interior, proximal_point *proximal) {
    nb_status status;
    nb_scaled_problem *c = m->problem;
    const double tried = interior->tried;
    NB_TRY(proximal_run(proximal, m->semismooth, BEFORE_CONTRADICTION));
    double before = c->error;
    NB_TRY(run_contradicted(m, interior));
    if (interior->tried < 0.1 * tried && c->error < before)
        *proximal = proximal_start(c, m->interior->x, proximal->weight, m->centre);
    NB_TRY(proximal_run(proximal, m->semismooth, BEFORE_RESTART - BEFORE_CONTRADICTION));
    before = c->error;
    NB_TRY(run_again(m));
    if (c->error < 0.3 * before) *proximal = proximal_start(c, c->best, proximal->weight, m->centre);
    NB_TRY(proximal_run(proximal, m->semismooth, BEFORE_CERTIFICATE - BEFORE_RESTART));
out:
    return status;
}

/* Solves the linearised problem from zero. The long search comes after proofs. Interior points from elsewhere take some
 * 40 factorisations each, and proximal points from the best x 300: those that follow are relaxed otherwise, since a
 * repetition ends where the first did. Where a wedge is found a solution may still be near: the interior points and the
 * most careful proximal point are tried. Where they come nearer by a digit the wedge is looked for again. */
static nb_status solve_cold(interior_point *m, int first) {
    static const struct {
        double size, theta, weight, relaxation; /* size 0: no interior point */
        int32_t budget;                         /* of the proximal point */
    } tries[] = {{1, 1, 1, 1.5, 600},    {10, 0.9, 0.1, 1.5, 300}, {M_E, 0.8, 1, 1.5, 0}, {100, 1, 10, 1.5, 0},
                 {0.1, 0.95, 1, 1.5, 0}, {3, 1, 1, 1.5, 0},        {0.3, 1, 1, 1.5, 0},   {30, 0.9, 0.1, 1.5, 0},
                 {5, 0.95, 1, 1.5, 0},   {0, 0, 1, 0.5, 300},      {0, 0, 1, 1, 300},     {0, 0, 10, 1.5, 300},
                 {0, 0, 1, 1.2, 300},    {0, 0, 1, 0.7, 300},      {0, 0, 0.1, 1, 300}};
    nb_status status = NB_OK;
    nb_scaled_problem *c = m->problem;
    const int most = sizeof tries / sizeof *tries;
    int nowhere = 0, wedged = 0;
    double found = 0; /* the error where a wedge was found first */
    (void)first;
    for (int i = 0; i < (nowhere ? 5 : wedged ? 10 : most) && !c->solved; i++) {
        path interior = {0};
        if (tries[i].size > 0) NB_TRY(run_interior(m, tries[i].size, tries[i].theta, &interior));
        if (c->solved) break;
        nowhere = is_nowhere(m);
        proximal_point proximal = proximal_start(c, c->best, tries[i].weight, m->centre);
        proximal.relaxation = tries[i].relaxation;
        if (i == 0) {
            if (!nowhere) NB_TRY(run_first(m, &interior, &proximal));
            NB_TRY(refute(m));
            NB_TRY(look_for_wedges(m, 0, &wedged));
            found = c->error;
        }
        int32_t budget = wedged && i < 2 ? 0 : tries[i].budget;
        NB_TRY(proximal_run(&proximal, m->semismooth, nowhere ? PROXIMAL_STEPS : budget));
    }
    if (!wedged || c->error < 0.1 * found) NB_TRY(look_for_wedges(m, 1, &wedged));
    if (wedged) end(m, NB_REASON_WEDGED);
out:
    return status;
}

/* the zero start: what is prescribed stays, and islands in no part */
static void start_at_zero(const interior_point *m, nb_problem *p) {
    const nb_nodes *nodes = p->nodes;
    const uint8_t *held = m->problem->held;
    for (int32_t i = 0; i < nodes->count; i++)
        if (nb_problem_whole(p)->exact->mass->moves[i] && !(held && held[nodes->velocity[i]]))
            memset(p->u + nodes->velocity[i], 0, (size_t)nb_node_velocities(nodes, i) * sizeof *p->u);
    if (!held) memset(p->z, 0, (size_t)p->rows * sizeof *p->z);
    for (int32_t i = 0; held && i < m->parts->count; i++) {
        const nb_part *of = &m->parts->part[i];
        for (int32_t r = 0; r < of->delassus->rows; r++) p->z[of->row[r]] = 0;
    }
}

/* ---- the linearised problem, part by part where it has several ---- */

static int has_parts(const interior_point *m) {
    return m->part != NULL;
}

static void linearise(interior_point *m) {
    nb_scaled_problem *c = m->problem;
    nb_scaled_problem_linearise(c);
    if (has_parts(m) && c->p->whole) nb_parts_copy_values(m->parts, c->p);
    for (int32_t i = 0; has_parts(m) && i < m->parts->count; i++) {
        part *one = &m->part[i];
        nb_scaled_problem_linearise(one->method.problem);
        one->outcome = (nb_step_outcome){.newton_iterations = c->outcome->newton_iterations};
        nb_trace_restart(&one->trace);
    }
}

typedef nb_status phase(interior_point *m, int first);

/* Has a phase work on the problem, or on every part that is not solved. A part without a solution ends the step. */
static nb_status run_phase(interior_point *m, phase *run, int first) {
    nb_status status = NB_OK;
    nb_scaled_problem *c = m->problem;
    if (!has_parts(m)) return run(m, first);
    nb_scaled_problem_count_time(c);
    c->solved = 1;
    for (int32_t i = 0; i < m->parts->count && c->outcome->reason == NB_REASON_NONE; i++) {
        part *one = &m->part[i];
        nb_scaled_problem *own = one->method.problem;
        if (own->solved) continue;
        nb_scaled_problem_begin_step(own, NULL, &one->observer, &one->outcome);
        NB_TRY(run(&one->method, first));
        nb_scaled_problem_conclude(own);
        if (one->outcome.reason == NB_REASON_INFEASIBLE) c->outcome->reason = NB_REASON_INFEASIBLE;
        c->solved = c->solved && own->solved;
    }
out:
    return status;
}

/* The parts' solutions become the problem's; what they took, the outcome's. */
static nb_status join_parts(interior_point *m) {
    nb_status status;
    nb_step_outcome *sum = m->problem->outcome;
    const nb_trace **traces = NULL;
    NB_TRY(NB_ALLOCATE(m->parts->count, &traces));
    for (int32_t i = 0; i < m->parts->count; i++) {
        const nb_step_outcome *one = &m->part[i].outcome;
        traces[i] = &m->part[i].trace;
        sum->assembly_s += one->assembly_s;
        sum->setup_s += one->setup_s;
        sum->solve_s += one->solve_s;
        sum->operator_applications += one->operator_applications;
        sum->preconditioner_applications += one->preconditioner_applications;
    }
    NB_TRY(nb_island_iterations_report(m->problem, traces, m->parts->count));
out:
    nb_free(traces);
    return status;
}

/* What all parts stopped for, where the whole is not within its tolerance: the worst of it. */
static nb_reason parts_reason(const interior_point *m) {
    nb_reason reason = NB_REASON_ROUND_OFF;
    for (int32_t i = 0; i < m->parts->count; i++) {
        nb_reason one = m->part[i].outcome.reason;
        if (one == NB_REASON_ITERATIONS || one == NB_REASON_WEDGED) return one;
        if (one == NB_REASON_NONE) reason = NB_REASON_NONE;
    }
    return reason;
}

static nb_status conclude(interior_point *m) {
    nb_status status = NB_OK;
    nb_scaled_problem *c = m->problem;
    if (has_parts(m)) {
        NB_TRY(join_parts(m));
        nb_scaled_problem_judge(c);
        if (c->outcome->reason == NB_REASON_NONE) c->outcome->reason = parts_reason(m);
    } else {
        nb_scaled_problem_conclude(c);
    }
out:
    return status;
}

/* From the problem's impulses, which may be near the solution. Where they are not, geometries after the first go on by
 * a proximal point, and so do first ones with rows of joint coordinates, which take an interior point twice as long. */
static nb_status solve_warm(interior_point *m, int first) {
    nb_status status;
    nb_scaled_problem *c = m->problem;
    const int32_t budget = !first ? AFTER_MOTION : c->box.blocks > 0 ? AFTER_STEP : 0;
    nb_scaled_problem_read(c, m->start);
    NB_TRY(finish(m, m->start, 1));
    if (!c->solved && budget > 0) {
        proximal_point proximal = proximal_start(c, c->best, 1, m->centre);
        NB_TRY(proximal_run(&proximal, m->semismooth, budget));
    }
out:
    return status;
}

/* What parts are solved to, by how far off the whole is where it is linearised: a thousandth of that where all begins,
 * and less the nearer a solution is, as of an inexact Newton method. */
static void aim(interior_point *m, int first) {
    const double share = 1e-3;
    const nb_scaled_problem *c = m->problem;
    double off = c->errors.natural_map, target = c->target;
    if (first) m->begun = off;
    if (c->enough > 0 && m->begun > 0) nb_raise(&target, share * off * off / m->begun);
    for (int32_t i = 0; i < m->parts->count; i++) m->part[i].method.problem->target = target;
}

/* The problem linearised at its present velocities; `warm`: its impulses may be near the solution. Where they are not,
 * the velocities that come with `first` ones (of a lead, or of the step before) need not be near it either: gaps and
 * joints of bodies turned by these may have no solution. Then the problem at the start of the step is solved, from
 * zero. */
static nb_status solve_linearised(interior_point *m, nb_problem *p, int warm, int first) {
    nb_status status = NB_OK;
    nb_scaled_problem *c = m->problem;
    linearise(m);
    if (has_parts(m) && (warm || c->enough > 0)) {
        nb_scaled_problem_judge(c);
        if (c->outcome->reason != NB_REASON_NONE) return NB_OK;
        aim(m, first);
    }
    if (warm) NB_TRY(run_phase(m, solve_warm, first));
    if (!c->solved && warm && first && !p->frozen) {
        if (has_parts(m)) NB_TRY(join_parts(m));
        start_at_zero(m, p);
        linearise(m);
    }
    if (!c->solved) NB_TRY(run_phase(m, solve_cold, first));
    NB_TRY(conclude(m));
out:
    return status;
}

static void copy_iterate(nb_problem *p, real *to, int back) {
    p = nb_problem_whole(p);
    size_t u = (size_t)p->velocities, z = (size_t)p->rows;
    memcpy(back ? p->u : to, back ? to : p->u, u * sizeof *to);
    memcpy(back ? p->z : to + u, back ? to + u : p->z, z * sizeof *to);
}

/* Whether the error of the iterate kept is at most `units` units of round-off of what stands in its rows, and half the
 * digits, or round-off of positions. A problem whose map was round-off where impulses had grown beyond use may have
 * kept another iterate, of a smaller error. */
static int is_round_off(nb_problem *p, double error, double units) {
    const double eps = (double)NB_REAL_EPSILON;
    p->type->evaluate(p, NULL);
    return error <= fmax(fmin(units * eps, sqrt(eps)) * nb_problem_velocity_scale(p), nb_problem_position_error(p));
}

/* Under large impulses J^T z turns with the bodies so much that geometries swing about the solution: the next one is
 * linearised between the velocities found and those that they were found with. */
static void go_half_the_way(const interior_point *m, nb_problem *p) {
    for (int32_t i = 0; i < p->velocities; i++) p->u[i] = (p->u[i] + m->before[i]) / 2;
}

/* Contacts and joints that move with the bodies are linearised again at the velocities found, until nothing is gained.
 * The best iterate stays. *begun: the error after the first geometry. */
static nb_status follow_motion(interior_point *m, nb_problem *p, nb_step_outcome *outcome, double *begun) {
    nb_status status = NB_OK;
    const double round_off = m->settings.mixed ? 1e6 : 1e4; /* units, as of the linearised problem */
    double least = INFINITY;
    nb_errors errors;
    int warm = 0, idle = 0;
    for (int32_t r = 0; r < p->rows; r++) warm |= p->z[r] != 0;
    for (int k = 0; k < MOST_GEOMETRIES; k++) {
        NB_TRY(nb_interrupt_check());
        if (idle >= UNCHANGED_AND_HALVED && !p->whole) go_half_the_way(m, p);
        copy_iterate(p, m->before, 0);
        NB_TRY(solve_linearised(m, p, warm, k == 0));
        if (k == 0) *begun = outcome->errors.natural_map;
        if (outcome->errors.natural_map < 0.5 * least)
            idle = 0;
        else
            idle++;
        if (outcome->errors.natural_map < least) {
            least = outcome->errors.natural_map;
            errors = outcome->errors;
            copy_iterate(p, m->iterate, 0);
        }
        if (outcome->reason != NB_REASON_NONE || p->frozen || !m->problem->solved) break;
        if (idle >= MOST_UNCHANGED || (idle >= UNCHANGED_AT_ROUND_OFF && is_round_off(p, least, round_off))) break;
        warm = 1;
    }
    if (isfinite(least)) {
        copy_iterate(p, m->iterate, 1);
        outcome->errors = errors;
    }
    if (outcome->reason == NB_REASON_NONE)
        outcome->reason = m->problem->solved && is_round_off(p, least, 1e4) ? NB_REASON_ROUND_OFF : NB_REASON_STAGNATED;
    if (outcome->reason == NB_REASON_ROUND_OFF && !is_round_off(p, least, 1e6)) outcome->reason = NB_REASON_STAGNATED;
out:
    return status;
}

static int is_done(nb_reason reason) {
    return nb_reason_converged(reason) || reason == NB_REASON_ROUND_OFF || reason == NB_REASON_INFEASIBLE ||
           reason == NB_REASON_WEDGED || reason == NB_REASON_ITERATIONS;
}

/* The outer iteration. A geometry that is still off by much need not be solved by all digits: often it cannot be, and
 * what it takes to try is for nothing. Where this comes near a solution and no nearer, it begins anew and solves each
 * as well as it can. */
static nb_status iterate(interior_point *m, nb_problem *p, nb_step_outcome *outcome) {
    const double share = 1e-4, near = 1e-2;
    const int moves = m->problem->target > 0 && !p->whole; /* light particles want all digits */
    nb_status status;
    double begun = 0;
    copy_iterate(p, m->first, 0);
    m->problem->enough = moves ? share : 0;
    NB_TRY(follow_motion(m, p, outcome, &begun));
    if (!moves || is_done(outcome->reason) || !(outcome->errors.natural_map < near * begun)) return NB_OK;
    const nb_step_outcome before = *outcome;
    copy_iterate(p, m->other, 0);
    copy_iterate(p, m->first, 1);
    m->problem->enough = 0;
    outcome->reason = NB_REASON_NONE;
    NB_TRY(follow_motion(m, p, outcome, &begun));
    if (!is_done(outcome->reason) && before.errors.natural_map < outcome->errors.natural_map) {
        copy_iterate(p, m->other, 1);
        outcome->errors = before.errors;
        outcome->reason = before.reason;
    }
out:
    return status;
}

/* Whether the loop over islands comes first. It takes no linear solver of the harness's, so that one that was asked for
 * is heard; only its polish comes to the last digits; and an iterate near the solution wants a semismooth step or two.
 */
static int wants_loop(const interior_point *m, nb_problem *p, nb_measure *measure, const nb_observer *observer) {
    const double least = nb_island_phase_polishes(p) ? 1e-10 : 1e-7, near = 100; /* [m/s], of the tolerance */
    const nb_method_settings *settings = &m->settings;
    const nb_method_class *type = m->base.type;
    nb_errors errors;
    if (!(settings->newton_tolerance >= least) || settings->newton_iterations < LEAST_STEPS || settings->mixed)
        return 0;
    if (strcmp(settings->linear_solver, type->scene_solver) != 0) return 0;
    if (strcmp(settings->preconditioner, type->scene_preconditioner) != 0) return 0;
    if ((observer && observer->system) || !nb_island_phase_applies(p)) return 0;
    nb_measure_iterate(measure, p, &errors);
    return !(errors.natural_map <= near * settings->newton_tolerance);
}

/* The first phase, which ends the step where it solves all islands. Those that it solves are left out of the others. */
static nb_status solve_islands(interior_point *m, nb_problem *p, nb_measure *measure, const nb_observer *observer,
                               nb_step_outcome *outcome) {
    nb_status status;
    const double tolerance = m->settings.newton_tolerance * (1 - 1e-6); /* the harness rounds otherwise */
    const int32_t most = m->settings.newton_iterations;
    int solved;
    m->looped = 0;
    if (!wants_loop(m, p, measure, observer)) return NB_OK;
    NB_TRY(nb_island_phase_run(&m->phase, p, tolerance, most, measure, observer, m->base.halfway, outcome, &solved));
    m->looped = m->phase.done_count > 0;
    if (!solved) return NB_OK;
    nb_measure_iterate(measure, p, &outcome->errors);
    if (nb_measure_converged(&outcome->errors, &m->settings)) outcome->reason = NB_REASON_CONVERGED;
out:
    return status;
}

/* the other phases */
static nb_status solve_whole(interior_point *m, nb_problem *p, nb_measure *measure, const nb_observer *observer,
                             nb_step_outcome *outcome) {
    nb_status status;
    double start = nb_clock_seconds();
    NB_TRY(prepare(m, p, measure, observer, outcome));
    outcome->setup_s += nb_clock_seconds() - start - create_time(m);
    NB_TRY(iterate(m, p, outcome));
out:
    return status;
}

static nb_status interior_point_step(nb_method *self, nb_problem *p, nb_measure *measure, const nb_observer *observer,
                                     nb_step_outcome *outcome) {
    interior_point *m = (interior_point *)self;
    nb_status status;
    *outcome = (nb_step_outcome){.reason = NB_REASON_NONE, .norm_a = NAN, .norm_a_inverse = NAN};
    NB_TRY(solve_islands(m, p, measure, observer, outcome));
    if (outcome->reason == NB_REASON_NONE) NB_TRY(solve_whole(m, p, measure, observer, outcome));
    NB_TRY(nb_recession_search(p, measure, &m->settings, outcome));
    nb_newton_report report;
    nb_measure_report(p, &outcome->errors, &report);
    if (observer && observer->newton) NB_TRY(observer->newton(observer->context, &report));
out:
    return status;
}

/* with a factorisation over the bodies: 10 to 250 times faster than those of problem files */
static const char scene_solver[] = "gmres", scene_preconditioner[] = "lu";

/* what copies that a device takes through their steps cannot be */
static nb_status interior_point_check(const nb_method_settings *s, const nb_method_scene *scene) {
    const double least = 1e-7; /* what the loop comes to without its polish [m/s] */
    const char *needs =
        !s->whole_steps                                       ? NULL
        : s->mixed                                            ? "--precision f64"
        : scene->settings.friction_law != NB_FRICTION_COULOMB ? "--friction-law coulomb"
        : scene->settings.friction_ratio != 1                 ? "--friction-ratio 1"
        : !(s->newton_tolerance >= least)                     ? "--newton-tolerance 1e-7 or more"
        : strcmp(s->linear_solver, scene_solver) != 0 || strcmp(s->preconditioner, scene_preconditioner) != 0
            ? "no --linear-solver and --preconditioner"
            : NULL;
    if (!needs) return NB_OK;
    return nb_fail(NB_ERROR_UNSUPPORTED, "--whole-steps trajectory of method interior-point requires %s", needs);
}

static nb_status interior_point_trajectories(const nb_method *self, const nb_trajectories_start *start,
                                             nb_trajectories **trajectories) {
    const nb_method_settings *settings = &((const interior_point *)self)->settings;
    const nb_device_step_class *type = settings->device->NB_REAL_NAME(step);
    return type->exact_trajectories(type->runtime, start, settings, trajectories);
}

static void interior_point_destroy(nb_method *self) {
    interior_point *m = (interior_point *)self;
    if (!m) return;
    nb_cone_gradient_clear(self);
    drop(m);
    nb_island_phase_clear(&m->phase);
    nb_free(m);
}

static nb_status interior_point_create(const nb_method_class *type, const nb_method_settings *settings,
                                       nb_method **self) {
    interior_point *m = NULL;
    nb_status status = NB_ALLOCATE(1, &m);
    *self = NULL;
    if (status != NB_OK) return status;
    m->base.type = type;
    m->settings = *settings;
    *self = &m->base;
    return NB_OK;
}

const nb_method_class NB_REAL_NAME(nb_interior_point_method) = {
    .name = "interior-point",
    .linear_solver = "multifrontal",
    .scene_solver = scene_solver,
    .scene_preconditioner = scene_preconditioner,
    .unsymmetric = 1,
    .condenses = 1,
    .friction_laws = NB_FRICTION_ROUND,
    .columns = columns,
    .column_count = NB_COLUMN_BEHIND_INTERIOR,
    .newton_iterations = 5000,
    .summary = "interior point on the friction cones, semismooth finish, proximal fallback",
    .check = interior_point_check,
    .create = interior_point_create,
    .trajectories = interior_point_trajectories,
    .trajectory_tolerance = 1e-6,
    .step = interior_point_step,
    .differentiate = nb_cone_gradient,
    .destroy = interior_point_destroy,
};
