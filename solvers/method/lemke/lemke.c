/* Lemke's method (pivoting.h) on the linear complementarity problem of each group of contacts that share bodies
 * (contact_lcp.h), for the polyhedral laws of friction. An iteration is one linearisation of the step: with frozen
 * geometry, and for problem files, there is one.
 *
 * A ray proves that relaxed friction has no solution only where its impulses balance (projected.h): then the step ends
 * as infeasible, else as `ray`. */
#include <string.h>
#include <tgmath.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/union_find.h"
#include "contact_lcp.h"
#include "model/coordinate.h"
#include "pivoting.h"

NB_PRECISIONS(f32, f64);

enum {
    MOST_UNKNOWNS = 3000,
    PIVOTS_AN_UNKNOWN = 50 /* at most */
};

enum {
    SHIFT,
    OPTIONS
};

static const nb_option options[OPTIONS] = {
    [SHIFT] =
        {"lemke-shift", "1", 0, 0, 1, 0, NULL,
         "added to the diagonal of the complementarity problem, whose own is 1: 1e-9 may help where pivots cycle"},
};

enum {
    PIVOTS = NB_PROJECTED_OWN,
    UNKNOWNS,
    COLUMNS
};

static const nb_column columns[COLUMNS] = {
    NB_PROJECTED_COLUMNS,
    [PIVOTS] = {"pivots", "1", "exchanges of basic variables in all groups of contacts, up to the next row"},
    [UNKNOWNS] = {"unknowns", "1", "of the largest group's complementarity problem"},
};

/* D's entries are rounded, and with redundant contacts not quite semidefinite: too little in f64 to be seen */
static const double least_shift = NB_REAL_BITS == 64 ? 0 : 4 * (double)NB_REAL_EPSILON;

typedef struct lemke {
    nb_projected_method base;
    /* of the present step */
    nb_csr *made;       /* D's entries where the problem has none stored */
    const nb_csr *d;    /* the same, or the problem's */
    int32_t *parent;    /* [rows] */
    int32_t *order;     /* [rows] group after group, ascending in each */
    int32_t *group_end; /* [groups] in `order` */
    int32_t groups;
    real *ray; /* [rows] */
    double pivots, unknowns;
} lemke;

static void drop(lemke *m) {
    nb_projected_destroy(m->base.problem);
    nb_csr_destroy(m->made);
    nb_free(m->parent);
    nb_free(m->order);
    nb_free(m->group_end);
    nb_free(m->ray);
    m->base.problem = NULL;
    m->made = NULL;
    m->parent = m->order = m->group_end = NULL;
    m->ray = NULL;
}

/* rows that are coupled through D, and the three of a contact */
static void unite_rows(lemke *m) {
    const nb_projected *s = m->base.problem;
    for (int32_t r = 0; r < s->rows; r++) m->parent[r] = r;
    for (int32_t i = 0; i < s->contacts; i++)
        for (int k = 1; k < 3; k++) nb_unite(m->parent, s->bilaterals + 3 * i, s->bilaterals + 3 * i + k);
    for (int32_t r = 0; r < s->rows; r++)
        for (int64_t k = m->d->start[r]; k < m->d->start[r + 1]; k++) nb_unite(m->parent, r, m->d->column[k]);
}

/* A root is the smallest row of its group, so that groups are numbered in the order of their roots. */
static nb_status order_rows(lemke *m) {
    nb_status status;
    const int32_t rows = m->base.problem->rows;
    int32_t *number = NULL, used = 0;
    NB_TRY(NB_ALLOCATE(rows, &number));
    m->groups = 0;
    for (int32_t r = 0; r < rows; r++) {
        const int32_t root = nb_root(m->parent, r);
        if (root == r) number[r] = m->groups++;
        m->group_end[number[root]]++;
    }
    for (int32_t g = 0; g < m->groups; g++) {
        used += m->group_end[g];
        m->group_end[g] = used - m->group_end[g]; /* where it begins; its end when all its rows stand there */
    }
    for (int32_t r = 0; r < rows; r++) m->order[m->group_end[number[nb_root(m->parent, r)]]++] = r;
out:
    nb_free(number);
    return status;
}

static nb_status prepare(lemke *m, nb_problem *p) {
    nb_status status;
    nb_projected *s;
    drop(m);
    NB_TRY(nb_projected_create(p, &m->base.settings, "method lemke", 1, &s));
    m->base.problem = s;
    s->by_rounds = 0;
    if (s->boxes > 0) return nb_fail(NB_ERROR_UNSUPPORTED, "method lemke does not support " NB_COORDINATE_ROWS_NAME);
    if (p->contacts > 0 && s->facets == 0)
        return nb_fail(NB_ERROR_UNSUPPORTED, "method lemke does not support the friction law %s; use a polyhedral one",
                       s->laws.cone->base.type->name);
    if (!s->matrix) NB_TRY(p->exact->type->pattern(p->exact, &m->made));
    m->d = m->made ? m->made : s->matrix;
    NB_TRY(NB_ALLOCATE(p->rows, &m->parent));
    NB_TRY(NB_ALLOCATE(p->rows, &m->order));
    NB_TRY(NB_ALLOCATE(p->rows, &m->group_end));
    NB_TRY(NB_ALLOCATE(p->rows, &m->ray));
    unite_rows(m);
    NB_TRY(order_rows(m));
out:
    return status;
}

static nb_status check_size(lemke *m) {
    m->unknowns = 0;
    for (int32_t g = 0, begin = 0; g < m->groups; begin = m->group_end[g++]) {
        const int32_t rows = m->group_end[g] - begin;
        const int64_t unknowns = nb_contact_lcp_unknowns(m->base.problem, m->order + begin, rows);
        if (unknowns > MOST_UNKNOWNS || rows > MOST_UNKNOWNS)
            return nb_fail(NB_ERROR_UNSUPPORTED,
                           "method lemke supports at most %d unknowns, and as many rows, in an island of contacts "
                           "(%d rows with %d facets have %lld); use pgs, psor or apgd",
                           (int)MOST_UNKNOWNS, (int)rows, (int)m->base.problem->facets, (long long)unknowns);
        m->unknowns = fmax(m->unknowns, (double)unknowns);
    }
    return NB_OK;
}

/* ---- one linearisation ---- */

/* Without friction a ray of the law that is not relaxed proves as much: impulses along normals. */
static int is_along_normals(const nb_projected *s, const real *p) {
    for (int32_t i = 0; i < s->contacts; i++)
        for (int k = 1; k < 3; k++)
            if (p[s->bilaterals + 3 * i + k] != 0) return 0;
    return 1;
}

static nb_status check_ray(lemke *m, const nb_contact_lcp *lcp, const double *ray, nb_reason *reason) {
    nb_status status = NB_OK;
    int found = 0;
    memset(m->ray, 0, (size_t)m->base.problem->rows * sizeof *m->ray);
    nb_contact_lcp_write(lcp, ray, 0, m->ray);
    nb_projected_drop_noise(m->base.problem, m->ray);
    if (m->base.problem->relaxed || is_along_normals(m->base.problem, m->ray))
        NB_TRY(nb_projected_proves(m->base.problem, m->ray, &found));
    *reason = found ? NB_REASON_INFEASIBLE : NB_REASON_RAY;
out:
    return status;
}

/* The group's impulses; they stay as they are where there is no solution. */
static nb_status solve_group(lemke *m, const int32_t *row, int32_t rows, nb_reason *reason) {
    nb_status status;
    nb_contact_lcp lcp;
    nb_lemke_outcome outcome;
    double *z = NULL, *ray = NULL;
    NB_TRY(nb_contact_lcp_create(m->base.problem, m->d, row, rows, &lcp));
    NB_TRY(NB_ALLOCATE(lcp.unknowns, &z));
    NB_TRY(NB_ALLOCATE(lcp.unknowns, &ray));
    NB_TRY(nb_lemke(lcp.unknowns, lcp.m, lcp.q, fmax(m->base.values[SHIFT], least_shift),
                    PIVOTS_AN_UNKNOWN * (lcp.unknowns + 1), z, ray, &outcome));
    m->pivots += outcome.pivots;
    switch (outcome.end) {
    case NB_LEMKE_SOLVED: nb_contact_lcp_write(&lcp, z, 1, m->base.problem->z); break;
    case NB_LEMKE_RAY: NB_TRY(check_ray(m, &lcp, ray, reason)); break;
    case NB_LEMKE_CYCLED: *reason = NB_REASON_CYCLED; break;
    case NB_LEMKE_PIVOTS: *reason = NB_REASON_ITERATIONS; break;
    }
out:
    nb_contact_lcp_destroy(&lcp);
    nb_free(z);
    nb_free(ray);
    return status;
}

/* all groups; reason: of one that was not solved, a proof before all else */
static nb_status solve(lemke *m, nb_reason *reason) {
    nb_status status = NB_OK;
    *reason = NB_REASON_NONE;
    m->pivots = 0;
    if (m->made) m->base.problem->p->exact->type->values(m->base.problem->p->exact, m->made);
    for (int32_t g = 0, begin = 0; g < m->groups; begin = m->group_end[g++]) {
        nb_reason own = NB_REASON_NONE;
        NB_TRY(solve_group(m, m->order + begin, m->group_end[g] - begin, &own));
        if (own == NB_REASON_INFEASIBLE || *reason == NB_REASON_NONE) *reason = own;
    }
out:
    return status;
}

/* what a step ends with whose one linear problem was solved, and that did not meet the tolerance */
static nb_reason reason_of_one(const lemke *m, const nb_step_outcome *outcome) {
    const double size = nb_problem_velocity_scale(m->base.problem->p);
    return outcome->errors.natural_map <= 1e4 * (double)NB_REAL_EPSILON * size ? NB_REASON_ROUND_OFF
                                                                               : NB_REASON_STAGNATED;
}

static nb_status step(nb_method *self, nb_problem *p, nb_measure *measure, const nb_observer *observer,
                      nb_step_outcome *outcome) {
    lemke *m = (lemke *)self;
    nb_status status;
    nb_reason failed = NB_REASON_NONE;
    double start = nb_clock_seconds();
    *outcome = (nb_step_outcome){.reason = NB_REASON_NONE, .norm_a = (double)NAN, .norm_a_inverse = (double)NAN};
    NB_TRY(prepare(m, p));
    NB_TRY(check_size(m));
    NB_TRY(nb_projected_begin(m->base.problem, measure, observer, outcome));
    outcome->setup_s += nb_clock_seconds() - start;
    for (int32_t k = 0;; k++) {
        NB_TRY(nb_projected_check(m->base.problem, k, (double)NAN, NULL));
        double *of = m->base.problem->report.values;
        of[PIVOTS] = of[UNKNOWNS] = (double)NAN;
        if (failed != NB_REASON_NONE && outcome->reason != NB_REASON_CONVERGED) outcome->reason = failed;
        if (outcome->reason == NB_REASON_NONE && k > 0) {
            const nb_reason reason = reason_of_one(m, outcome);
            if (p->frozen || reason == NB_REASON_ROUND_OFF) outcome->reason = reason;
        }
        if (outcome->reason != NB_REASON_NONE) break;
        start = nb_clock_seconds();
        if (k > 0) NB_TRY(nb_projected_linearise(m->base.problem, k));
        NB_TRY(solve(m, &failed));
        of[PIVOTS] = m->pivots;
        of[UNKNOWNS] = m->unknowns;
        NB_TRY(nb_projected_write_row(m->base.problem, 1, 0, nb_clock_seconds() - start));
    }
    NB_TRY(nb_projected_finish(m->base.problem));
out:
    return status;
}

static void destroy(nb_method *self) {
    lemke *m = (lemke *)self;
    if (!m) return;
    drop(m);
    nb_free(m);
}

static nb_status create(const nb_method_class *type, const nb_method_settings *settings, nb_method **self) {
    return nb_projected_method_create(type, settings, sizeof(lemke), self);
}

const nb_method_class NB_REAL_NAME(nb_lemke_method) = {
    .name = "lemke",
    .summary = "Lemke's pivots on the linear complementarity problem of polyhedral friction; dense",
    .options = options,
    .option_count = OPTIONS,
    .columns = columns,
    .column_count = COLUMNS,
    .alone = 1,
    .pivots = 1,
    .condenses = 1,
    .friction_laws = NB_FRICTION_FACETED,
    .newton_iterations = 20,
    .create = create,
    .step = step,
    .destroy = destroy,
};
