/* Forward-backward-forward splitting for Coulomb's law, on the linearised problem v = N z + q
 * (method/projected/projected.h). With De Saxce's term B(z) = mu |v_t(z)| e_n of each contact, the law is 0 in (N z + q
 * + B(z)) + normal cone of K at z:
 *
 *     y  the solution of the cone problem with N + 1/g and q + B(z) - z/g      (the resolvent)
 *     z <- P_K(y - g (B(y) - B(z)))
 *
 * g = 1/(2 mu_max lambda_max(N)) at first, and 0.7 of itself where g |B(y) - B(z)| > 0.9 |y - z|. The inner problem is
 * strongly convex; Nesterov's method with constant momentum solves it, or an interior point (inner_cone.h), which ends
 * by a bound of its error: |y - P(y - t F(y))|/(t modulus), t = 1/slope.
 *
 * Sources: Song, Fan, Ascher, Pai 2026 (the splitting for friction); Tseng, "A modified forward-backward splitting
 * method for maximal monotone mappings", 2000. */
#include <string.h>
#include <tgmath.h>

#include "base/largest.h"
#include "base/memory.h"
#include "inner_cone.h"
#include "method/projected/projected.h"

NB_PRECISIONS(f32, f64);

enum {
    INNER_SOLVER,
    INNER_TOLERANCE,
    INNER_ITERATIONS,
    EVERY,
    OPTIONS
};

static const nb_option options[OPTIONS] = {
    [INNER_SOLVER] = {"fbf-inner", "1", 0, 0, 0, 0, (const char *const[]){"apgd", "interior-point", NULL},
                      "what solves the inner problem"},
    [INNER_TOLERANCE] = {"fbf-tolerance", "1", 1e-2, 1e-12, 1, 0, NULL,
                         "an inner solve ends where its change falls to this share of |y - z|"},
    [INNER_ITERATIONS] = {"fbf-iterations", "1", 500, 1, 1000000, 1, NULL, "of an inner solve, at most"},
    [EVERY] = {"record-every", "1", 1, 1, 1000000, 1, NULL,
               "iterations from one row of the record, and one look at the tolerance, to the next"},
};

enum {
    STEP_LENGTH = NB_PROJECTED_OWN,
    INNER,
    SHORTER,
    COLUMNS
};

static const nb_column columns[COLUMNS] = {
    NB_PROJECTED_COLUMNS,
    [STEP_LENGTH] = {"splitting_step", "kg", "g of the last iteration"},
    [INNER] = {"inner_iterations", "1", "iterations of inner solves, up to the next row"},
    [SHORTER] = {"shorter_steps", "1", "iterations repeated with a shorter step, up to the next row"},
};

static const double first_step = 0.5, most_change = 0.9, shrink = 0.7, least_step = 1e-12;

typedef struct fbf {
    nb_projected_method base;
    /* of the present step; [rows] each, of x = z/scale */
    real *scale, *mu, *x, *y, *bx, *by; /* bx, by: B */
    real *a, *b, *before, *linear, *z;  /* scratch */
    double step, longest, spectrum;     /* g, where it began */
    int64_t inner, shorter;
    nb_inner_cone *cone; /* NULL: Nesterov's method */
    nb_arena arena;
} fbf;

static void lay_out(nb_arena *arena, fbf *m) {
    real **vectors[] = {&m->scale, &m->mu, &m->x, &m->y, &m->bx, &m->by, &m->a, &m->b, &m->before, &m->linear, &m->z};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) NB_PLACE(arena, m->base.problem->rows, vectors[i]);
}

static void drop(fbf *m) {
    nb_inner_cone_destroy(m->cone);
    nb_projected_destroy(m->base.problem);
    m->cone = NULL;
    m->base.problem = NULL;
}

static nb_status begin_step(nb_projected_method *self, nb_problem *p) {
    fbf *m = (fbf *)self;
    nb_status status;
    nb_projected *s;
    drop(m);
    NB_TRY(nb_projected_create(p, &self->settings, "method fbf", (int32_t)self->values[EVERY], &s));
    self->problem = s;
    s->by_rounds = 0;
    m->inner = m->shorter = 0;
    nb_arena_measure(&m->arena);
    lay_out(&m->arena, m);
    NB_TRY(nb_arena_reserve(&m->arena));
    lay_out(&m->arena, m);
    if (self->values[INNER_SOLVER] == 1) NB_TRY(nb_inner_cone_create(s, &m->cone));
out:
    return status;
}

/* out = S N S x */
static void apply(fbf *m, const real *x, real *out) {
    const nb_projected *s = m->base.problem;
    const nb_delassus *d = s->p->exact;
    for (int32_t r = 0; r < s->rows; r++) m->z[r] = m->scale[r] * x[r];
    d->type->apply(d, s->s, s->c, m->z, out);
    for (int32_t r = 0; r < s->rows; r++) out[r] *= m->scale[r];
    m->base.products++;
}

static void project(const fbf *m, real *x) {
    const nb_projected *s = m->base.problem;
    for (int32_t r = s->bilaterals; r < s->contact_end; r += 3) nb_projected_project(s->facets, m->mu[r], x + r);
    for (int32_t r = s->contact_end; r < s->rows; r++) x[r] = nb_projected_clamp(s, r, m->scale[r], x[r]);
}

/* B(x), and S (N z + q) in `v` */
static void find_slip(fbf *m, const real *x, real *v, real *slip) {
    const nb_projected *s = m->base.problem;
    apply(m, x, v);
    for (int32_t r = 0; r < s->rows; r++) {
        v[r] += m->scale[r] * s->q[r];
        slip[r] = 0;
    }
    for (int32_t r = s->bilaterals; !s->relaxed && r < s->contact_end; r += 3)
        slip[r] = m->mu[r] * nb_projected_slip(s, v + r + 1);
}

static double distance(const real *a, const real *b, int32_t count) {
    double sum = 0;
    for (int32_t r = 0; r < count; r++) sum += ((double)a[r] - (double)b[r]) * ((double)a[r] - (double)b[r]);
    return sqrt(sum);
}

/* to = P_K(at - t (gradient of the inner problem)) */
static void descend(fbf *m, double modulus, double t, const real *at, real *to) {
    apply(m, at, m->b);
    for (int32_t r = 0; r < m->base.problem->rows; r++)
        to[r] = at[r] - (real)t * (m->b[r] + (real)modulus * at[r] + m->linear[r]);
    project(m, to);
}

/* whether y is off by a share of |y - z| at most, where it is off by `weight` times the last change, from m->before */
static int is_inner_solved(const fbf *m, double weight) {
    const int32_t rows = m->base.problem->rows;
    return weight * distance(m->y, m->before, rows) <= m->base.values[INNER_TOLERANCE] * distance(m->y, m->x, rows);
}

/* y by Nesterov's method, from x on */
static void solve_by_gradients(fbf *m, double modulus, double slope) {
    const int32_t rows = m->base.problem->rows, most = (int32_t)m->base.values[INNER_ITERATIONS];
    const real momentum = (real)((sqrt(slope) - sqrt(modulus)) / (sqrt(slope) + sqrt(modulus)));
    const size_t size = (size_t)rows * sizeof(real);
    memcpy(m->y, m->x, size);
    memcpy(m->a, m->x, size);
    for (int32_t k = 0; k < most; k++) {
        memcpy(m->before, m->y, size);
        descend(m, modulus, 1 / slope, m->a, m->y);
        for (int32_t r = 0; r < rows; r++) m->a[r] = m->y[r] + momentum * (m->y[r] - m->before[r]);
        m->inner++;
        if (is_inner_solved(m, 1)) break;
    }
}

/* y by an interior point, and a step of projected gradients */
static nb_status solve_by_cone(fbf *m, double modulus, double slope) {
    nb_status status = NB_OK;
    const int32_t most = (int32_t)m->base.values[INNER_ITERATIONS];
    nb_inner_cone_begin(m->cone, m->scale, m->linear, modulus);
    m->base.products++;
    for (int32_t k = 0, moved = 1;; k++) {
        nb_inner_cone_read(m->cone, m->before);
        project(m, m->before);
        descend(m, modulus, 1 / slope, m->before, m->y);
        if (is_inner_solved(m, slope / modulus) || !moved || k == most) break;
        NB_TRY(nb_inner_cone_advance(m->cone, &moved));
        m->base.products++;
        m->inner++;
    }
out:
    return status;
}

/* y, whose B is that of x */
static nb_status solve_inner(fbf *m) {
    const nb_projected *s = m->base.problem;
    const double modulus = 1 / m->step, slope = 1.1 * m->spectrum + modulus; /* the spectrum is from below */
    for (int32_t r = 0; r < s->rows; r++) m->linear[r] = m->scale[r] * s->q[r] + m->bx[r] - (real)modulus * m->x[r];
    if (m->cone) return solve_by_cone(m, modulus, slope);
    solve_by_gradients(m, modulus, slope);
    return NB_OK;
}

static nb_status read_problem(nb_projected_method *self) {
    fbf *m = (fbf *)self;
    const nb_projected *s = self->problem;
    double friction = 0;
    nb_projected_scales(s, 0, m->scale);
    for (int32_t r = 0; r < s->rows; r++) {
        m->mu[r] = r < s->bilaterals || r >= s->contact_end ? 0 : s->laws.cone->mu[(r - s->bilaterals) / 3];
        m->x[r] = s->z[r] / m->scale[r];
        nb_raise(&friction, (double)m->mu[r]);
    }
    m->spectrum = nb_projected_spectrum(s, m->scale, m->a, m->b);
    self->products += NB_PROJECTED_POWER_STEPS;
    m->longest = m->spectrum > 0 ? first_step / (fmax(s->relaxed ? 0 : friction, 1e-3) * m->spectrum) : 1;
    m->step = m->longest;
    find_slip(m, m->x, m->a, m->bx);
    return NB_OK;
}

static nb_status iterate(nb_projected_method *self) {
    fbf *m = (fbf *)self;
    const nb_projected *s = self->problem;
    double moved, residual = 0;
    nb_status status;
    for (;;) {
        NB_TRY(solve_inner(m));
        find_slip(m, m->y, m->a, m->by);
        moved = distance(m->y, m->x, s->rows);
        if (m->step * distance(m->by, m->bx, s->rows) <= most_change * moved || m->step < least_step * m->longest)
            break;
        m->step *= shrink;
        m->shorter++;
    }
    memcpy(m->before, m->x, (size_t)s->rows * sizeof(real));
    for (int32_t r = 0; r < s->rows; r++) m->x[r] = m->y[r] - (real)m->step * (m->by[r] - m->bx[r]);
    project(m, m->x);
    for (int32_t r = 0; r < s->rows; r++)
        nb_raise(&residual, fabs((double)m->x[r] - (double)m->before[r]) / (m->step * (double)m->scale[r]));
    find_slip(m, m->x, m->a, m->bx);
    self->residual = residual;
out:
    return status;
}

static void write_impulses(nb_projected_method *self) {
    const fbf *m = (const fbf *)self;
    for (int32_t r = 0; r < self->problem->rows; r++) self->problem->z[r] = m->scale[r] * m->x[r];
}

static void write_columns(nb_projected_method *self) {
    fbf *m = (fbf *)self;
    double *of = self->problem->report.values;
    of[STEP_LENGTH] = m->step;
    of[INNER] = (double)m->inner;
    of[SHORTER] = (double)m->shorter;
    m->inner = m->shorter = 0;
}

static const nb_projected_method_class splittings = {.begin_step = begin_step,
                                                     .iterate = iterate,
                                                     .read_problem = read_problem,
                                                     .write_impulses = write_impulses,
                                                     .write_columns = write_columns};

static nb_status step(nb_method *self, nb_problem *p, nb_measure *measure, const nb_observer *observer,
                      nb_step_outcome *outcome) {
    return nb_projected_method_step((nb_projected_method *)self, &splittings, p, measure, observer, outcome);
}

static void destroy(nb_method *self) {
    fbf *m = (fbf *)self;
    if (!m) return;
    drop(m);
    nb_arena_clear(&m->arena);
    nb_free(m);
}

static nb_status create(const nb_method_class *type, const nb_method_settings *settings, nb_method **self) {
    return nb_projected_method_create(type, settings, sizeof(fbf), self);
}

const nb_method_class NB_REAL_NAME(nb_fbf_method) = {
    .name = "fbf",
    .summary = "forward-backward-forward splitting for Coulomb's law (Song et al. 2026)",
    .options = options,
    .option_count = OPTIONS,
    .columns = columns,
    .column_count = COLUMNS,
    .alone = 1,
    .record_every = "record-every",
    .condenses = 1,
    .friction_laws = NB_FRICTION_ROUND | NB_FRICTION_FACETED,
    .newton_iterations = 1000,
    .create = create,
    .step = step,
    .destroy = destroy,
};
