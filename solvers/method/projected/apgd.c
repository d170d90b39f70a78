/* Accelerated projected gradient descent for the relaxed law of friction (projected.h), with an adaptive step length
 * and restarts: Nesterov's method on the dual problem, min z.(N z)/2 + q.z over the friction cones.
 *
 *     z+ = P(y - t (N y + q)),   y+ = z+ + beta (z+ - z)
 *
 * The objective is quadratic: it is below its model with 1/t where d.(N d) <= |d|^2/t, d = z+ - y, in which nothing
 * cancels. N y comes from N z by the same sums as y, so that an iteration takes one product, and one more a backtrack.
 * All this is done to z/sqrt(eta): of joint rows always, since these are in m or rad, and of contacts with step lengths
 * by blocks. Cones stay what they are.
 *
 * Source: Mazhar, Heyn, Negrut, Tasora, "Using Nesterov's method to accelerate multibody dynamics with friction and
 * contact", ACM Trans. Graphics 34(3), 2015; restarts by O'Donoghue, Candes, 2015. */
#include <string.h>
#include <tgmath.h>

#include "base/largest.h"
#include "base/memory.h"
#include "projected.h"
#include "recession.h"

NB_PRECISIONS(f32, f64);

enum {
    SCALING,
    COUPLING,
    JOINTS,
    EVERY,
    OPTIONS
};

#define CHOICES(...) ((const char *const[]){__VA_ARGS__, NULL})
static const nb_option options[OPTIONS] = {
    [SCALING] = {"step-lengths", "", 0, 0, 0, 0, CHOICES("uniform", "blocks"),
                 "one for all contacts, as published, or in proportion to eta of each; of joint rows always so"},
    [COUPLING] = NB_COUPLING_OPTION,
    [JOINTS] = NB_JOINTS_OPTION,
    [EVERY] = {"record-every", "1", 1, 1, 1000000, 1, NULL,
               "iterations from one row of the record, and one look at the tolerance, to the next"},
};

enum {
    STEP_LENGTH = NB_PROJECTED_OWN,
    BACKTRACKS,
    RESTARTS,
    COLUMNS
};

static const nb_column columns[COLUMNS] = {
    NB_PROJECTED_COLUMNS,
    [STEP_LENGTH] = {"gradient_step", "kg", "t of the last iteration (over eta where it goes by blocks)"},
    [BACKTRACKS] = {"backtracks", "1", "operator applications repeated with a shorter step, up to the next row"},
    [RESTARTS] = {"restarts", "1", "restarts of the acceleration, up to the next row"},
};

enum {
    MOST_BACKTRACKS = 60
};

typedef struct apgd {
    nb_projected_method base;
    /* of the present step; [rows] each, of x = z/root */
    real *root;      /* of z by row: nb_projected_scales */
    double mean_eta; /* of contacts */
    real *x, *nx, *next, *nnext, *y, *ny, *z, *best;
    double theta, lipschitz, least; /* least: the residual of `best` */
    int64_t backtracks, restarts;   /* since the last row of the record */
    nb_arena arena;
} apgd;

static void lay_out(nb_arena *a, apgd *m) {
    real **vectors[] = {&m->root, &m->x, &m->nx, &m->next, &m->nnext, &m->y, &m->ny, &m->z, &m->best};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) NB_PLACE(a, m->base.problem->rows, vectors[i]);
}

static nb_status begin_step(nb_projected_method *self, nb_problem *p) {
    apgd *m = (apgd *)self;
    nb_status status;
    nb_projected_destroy(self->problem);
    self->problem = NULL;
    NB_TRY(nb_projected_create(p, &self->settings, "method apgd", (int32_t)self->values[EVERY], &self->problem));
    if (self->values[JOINTS] == 1) NB_TRY(nb_projected_eliminate_joints(self->problem));
    NB_TRY(nb_projected_couple(self->problem, (nb_projected_coupling)self->values[COUPLING]));
    m->lipschitz = 0;
    m->backtracks = m->restarts = 0;
    nb_arena_measure(&m->arena);
    lay_out(&m->arena, m);
    NB_TRY(nb_arena_reserve(&m->arena));
    lay_out(&m->arena, m);
out:
    return status;
}

static double product(const real *a, const real *b, int32_t count) {
    double sum = 0;
    for (int32_t r = 0; r < count; r++) sum += (double)a[r] * (double)b[r];
    return sum;
}

/* out = root N root x */
static void apply(apgd *m, const real *x, real *out) {
    const nb_projected *s = m->base.problem;
    for (int32_t r = 0; r < s->rows; r++) m->z[r] = m->root[r] * x[r];
    nb_projected_apply(s, m->z, out);
    for (int32_t r = 0; r < s->rows; r++) out[r] *= m->root[r];
    m->base.products++;
}

static void project(const apgd *m, real *x) {
    const nb_projected *s = m->base.problem;
    for (int32_t r = s->bilaterals; r < s->contact_end; r += 3)
        nb_projected_admit(s, (r - s->bilaterals) / 3, m->root[r], x + r);
    for (int32_t r = s->contact_end; r < s->rows; r++) x[r] = nb_projected_clamp(s, r, m->root[r], x[r]);
}

/* Where an iteration starts anew: from x, with nothing of what was before but the step length. */
static void restart(apgd *m) {
    const size_t size = (size_t)m->base.problem->rows * sizeof(real);
    memcpy(m->y, m->x, size);
    memcpy(m->ny, m->nx, size);
    m->theta = 1;
}

/* x and the rest from the problem's numbers as they are now; its z is x's. */
static void restart_from_problem(apgd *m) {
    const nb_projected *s = m->base.problem;
    m->mean_eta = nb_projected_scales(s, m->base.values[SCALING] == 1, m->root);
    for (int32_t r = 0; r < s->rows; r++) m->x[r] = s->z[r] / m->root[r];
    apply(m, m->x, m->nx);
    restart(m);
    m->least = INFINITY;
}

/* L of the first step: |N d|/|d| for d = 1, but no less than a diagonal block's mean, which the largest eigenvalue is
 * at least: d may be a null vector of N */
static void guess_step(apgd *m) {
    const nb_projected *s = m->base.problem;
    const int32_t rows = s->rows;
    for (int32_t r = 0; r < rows; r++) m->next[r] = 1;
    apply(m, m->next, m->nnext);
    m->lipschitz = sqrt(product(m->nnext, m->nnext, rows) / fmax(rows, 1));
    for (int32_t i = 0; i < s->blocks; i++) {
        const real root = m->root[nb_projected_row(s, i)];
        nb_raise(&m->lipschitz, (double)(root * root / s->eta[i]));
    }
    if (!(m->lipschitz > 0)) m->lipschitz = 1;
}

/* next = P(y - t g) and N next; d.(N d) and |d|^2 of the step */
static void try_step(apgd *m, double *curvature, double *square) {
    const nb_projected *s = m->base.problem;
    const real t = (real)(1 / m->lipschitz);
    for (int32_t r = 0; r < s->rows; r++) m->next[r] = m->y[r] - t * (m->ny[r] + m->root[r] * nb_projected_q(s, r));
    project(m, m->next);
    apply(m, m->next, m->nnext);
    *curvature = *square = 0;
    for (int32_t r = 0; r < s->rows; r++) {
        double d = (double)m->next[r] - (double)m->y[r];
        *curvature += d * ((double)m->nnext[r] - (double)m->ny[r]);
        *square += d * d;
    }
}

/* the largest change of an impulse over its step length eta, were it projected by itself */
static double residual_of(apgd *m) {
    const nb_projected *s = m->base.problem;
    double largest = 0;
    for (int32_t r = 0; r < s->bilaterals; r++) /* rad/s in the unit of contacts */
        nb_raise(&largest,
                 sqrt((double)s->eta[r] / m->mean_eta) * fabs((double)(m->nx[r] / m->root[r] + nb_projected_q(s, r))));
    for (int32_t r = s->contact_end; r < s->rows; r++) {
        const real eta = s->eta[s->bilaterals + s->contacts + (r - s->contact_end)], z = m->root[r] * m->x[r],
                   to = nb_projected_clamp(s, r, 1, z - eta * (m->nx[r] / m->root[r] + nb_projected_q(s, r)));
        nb_raise(&largest, fabs((double)(to - z)) / sqrt((double)eta * m->mean_eta));
    }
    for (int32_t i = 0; i < s->contacts; i++) {
        const int32_t r = s->bilaterals + 3 * i;
        const real eta = s->eta[s->bilaterals + i];
        real z[3];
        for (int k = 0; k < 3; k++)
            z[k] = m->root[r] * m->x[r + k] - eta * (m->nx[r + k] / m->root[r] + nb_projected_q(s, r + k));
        nb_projected_admit(s, i, 1, z);
        for (int k = 0; k < 3; k++) nb_raise(&largest, (double)(fabs(z[k] - m->root[r] * m->x[r + k]) / eta));
    }
    return largest;
}

static void swap(real **a, real **b) {
    real *kept = *a;
    *a = *b;
    *b = kept;
}

/* The shifts follow the velocities at x. */
static void follow(apgd *m) {
    nb_projected *s = m->base.problem;
    for (int32_t i = 0; i < s->contacts; i++) {
        const int32_t r = s->bilaterals + 3 * i;
        real v[3];
        for (int k = 0; k < 3; k++) v[k] = m->nx[r + k] / m->root[r] + nb_projected_q(s, r + k);
        nb_projected_follow(s, i, v);
    }
}

/* one iteration; the residual of the x that it comes to */
static double advance(apgd *m) {
    const nb_projected *s = m->base.problem;
    const int32_t rows = s->rows;
    double curvature, square, uphill = 0;
    try_step(m, &curvature, &square);
    for (int i = 0; i < MOST_BACKTRACKS && curvature > m->lipschitz * square * (1 + 8 * (double)NB_REAL_EPSILON); i++) {
        m->lipschitz *= 2;
        m->backtracks++;
        try_step(m, &curvature, &square);
    }
    for (int32_t r = 0; r < rows; r++)
        uphill += (double)(m->ny[r] + m->root[r] * nb_projected_q(s, r)) * ((double)m->next[r] - (double)m->x[r]);
    double theta = (m->theta * sqrt(m->theta * m->theta + 4) - m->theta * m->theta) / 2;
    real beta = (real)(m->theta * (1 - m->theta) / (m->theta * m->theta + theta));
    m->theta = theta;
    for (int32_t r = 0; r < rows; r++) {
        m->y[r] = m->next[r] + beta * (m->next[r] - m->x[r]);
        m->ny[r] = m->nnext[r] + beta * (m->nnext[r] - m->nx[r]);
    }
    swap(&m->x, &m->next);
    swap(&m->nx, &m->nnext);
    if (uphill > 0) {
        restart(m);
        m->restarts++;
    }
    m->lipschitz *= 0.9;
    if (s->coupling == NB_COUPLING_FOLLOWED) follow(m);
    return residual_of(m);
}

/* the best x of the round into the problem's z */
static void write_impulses(nb_projected_method *self) {
    const apgd *m = (const apgd *)self;
    for (int32_t r = 0; r < self->problem->rows; r++) self->problem->z[r] = m->root[r] * m->best[r];
}

/* where the problem moves with each iterate the last one is */
static void keep_best(apgd *m, double residual) {
    if (!(residual <= m->least) && m->base.problem->coupling != NB_COUPLING_FOLLOWED) return;
    m->least = residual;
    memcpy(m->best, m->x, (size_t)m->base.problem->rows * sizeof *m->x);
}

static nb_status read_problem(nb_projected_method *self) {
    apgd *m = (apgd *)self;
    restart_from_problem(m);
    keep_best(m, residual_of(m));
    if (!(m->lipschitz > 0)) guess_step(m);
    self->residual = m->least;
    return NB_OK;
}

static nb_status iterate(nb_projected_method *self) {
    apgd *m = (apgd *)self;
    keep_best(m, advance(m));
    self->residual = m->least;
    return NB_OK;
}

/* x in the problem's unit */
static const real *impulses(nb_projected_method *self) {
    apgd *m = (apgd *)self;
    for (int32_t r = 0; r < self->problem->rows; r++) m->z[r] = m->root[r] * m->x[r];
    return m->z;
}

static void write_columns(nb_projected_method *self) {
    apgd *m = (apgd *)self;
    double *of = self->problem->report.values;
    of[STEP_LENGTH] = 1 / m->lipschitz;
    of[BACKTRACKS] = (double)m->backtracks;
    of[RESTARTS] = (double)m->restarts;
    m->backtracks = m->restarts = 0;
}

static const nb_projected_method_class gradients = {.begin_step = begin_step,
                                                    .iterate = iterate,
                                                    .read_problem = read_problem,
                                                    .write_impulses = write_impulses,
                                                    .impulses = impulses,
                                                    .write_columns = write_columns};

static nb_status step(nb_method *self, nb_problem *p, nb_measure *measure, const nb_observer *observer,
                      nb_step_outcome *outcome) {
    nb_projected_method *m = (nb_projected_method *)self;
    nb_status status;
    NB_TRY(nb_projected_method_step(m, &gradients, p, measure, observer, outcome));
    NB_TRY(nb_recession_search(p, measure, &m->settings, outcome));
out:
    return status;
}

static void destroy(nb_method *self) {
    apgd *m = (apgd *)self;
    if (!m) return;
    nb_projected_destroy(m->base.problem);
    nb_arena_clear(&m->arena);
    nb_free(m);
}

static nb_status check(const nb_method_settings *settings, const nb_method_scene *scene) {
    return nb_projected_check_coupling(settings, scene, COUPLING);
}

static nb_status create(const nb_method_class *type, const nb_method_settings *settings, nb_method **self) {
    return nb_projected_method_create(type, settings, sizeof(apgd), self);
}

const nb_method_class NB_REAL_NAME(nb_apgd_method) = {
    .name = "apgd",
    .summary = "accelerated projected gradient descent with restarts (Mazhar et al. 2015)",
    .options = options,
    .option_count = OPTIONS,
    .columns = columns,
    .column_count = COLUMNS,
    .alone = 1,
    .record_every = "record-every",
    .condenses = 1,
    .friction_laws = NB_FRICTION_ROUND | NB_FRICTION_FACETED,
    .newton_iterations = 1000,
    .check = check,
    .create = create,
    .step = step,
    .destroy = destroy,
};
