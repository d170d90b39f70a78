/* Projected Gauss-Seidel on the linear complementarity problem of polyhedral friction. Relaxed friction in a polygon is
 * z = sum alpha_k f_k, f_k = (1, mu d_k), in which the law reads
 *
 *     0 <= f_k . v  _|_  alpha_k >= 0,    v = N z + q
 *
 * for every facet: lambda and z_n are gone, and the matrix F N F^T is positive semidefinite with a positive diagonal.
 * A sweep goes from joint row to joint row, then from facet to facet of one contact after another,
 *
 *     alpha_k <- max(0, alpha_k - omega (f_k . v)/(f_k . N_ii f_k))
 *
 * with the velocities of the nodes carried along. The law that is not relaxed comes by rounds, as Coulomb's does
 * (projected.h). Contacts without friction have one alpha. */
#include <string.h>
#include <tgmath.h>

#include "base/memory.h"
#include "blocks.h"
#include "nncg.h"

NB_PRECISIONS(f32, f64);

enum {
    OMEGA,
    ACCELERATION,
    EVERY,
    OPTIONS
};

static const nb_option options[OPTIONS] = {
    [OMEGA] = {"omega", "1", 1, 1e-3, 10, 0, NULL, "over-relaxation: factor of the step lengths"},
    [ACCELERATION] = NB_ACCELERATION_OPTION,
    [EVERY] = {"record-every", "1", 1, 1, 1000000, 1, NULL,
               "iterations from one row of the record, and one look at the tolerance, to the next"},
};

static const nb_column columns[NB_PROJECTED_OWN] = {NB_PROJECTED_COLUMNS};

typedef struct pgs {
    nb_projected_method base;
    /* of the present step */
    nb_sweep sweep;
    nb_nncg nncg;
    real *alpha;       /* [contacts][facets] */
    real *own;         /* [contacts][9] N_ii by rows */
    real (*corner)[2]; /* [facets] */
} pgs;

static void drop(pgs *m) {
    nb_projected_destroy(m->base.problem);
    nb_free(m->alpha);
    nb_free(m->own);
    nb_free(m->corner);
    nb_sweep_clear(&m->sweep);
    nb_nncg_clear(&m->nncg);
    m->base.problem = NULL;
    m->alpha = m->own = NULL;
    m->corner = NULL;
}

static nb_status begin_step(nb_projected_method *self, nb_problem *p) {
    pgs *m = (pgs *)self;
    nb_status status;
    nb_projected *s;
    drop(m);
    NB_TRY(nb_projected_create(p, &self->settings, "method pgs", (int32_t)self->values[EVERY], &s));
    self->problem = s;
    s->omega = self->values[OMEGA];
    const int32_t facets = s->facets;
    if (p->contacts > 0 && facets == 0)
        return nb_fail(NB_ERROR_UNSUPPORTED, "method pgs does not support the friction law %s; use a polyhedral one",
                       s->laws.cone->base.type->name);
    NB_TRY(NB_ALLOCATE((int64_t)p->contacts * facets, &m->alpha));
    NB_TRY(NB_ALLOCATE(9 * (int64_t)p->contacts, &m->own));
    NB_TRY(NB_ALLOCATE(facets, &m->corner));
    for (int32_t k = 0; k < facets; k++) {
        double corner[2];
        nb_polygon_corner(facets, k, corner);
        for (int j = 0; j < 2; j++) m->corner[k][j] = (real)corner[j];
    }
    NB_TRY(nb_sweep_make(s, 1, &m->sweep));
    if (self->values[ACCELERATION] == NB_ACCELERATION_NNCG)
        NB_TRY(nb_nncg_make(&m->sweep, m->alpha, (int64_t)p->contacts * facets, &m->nncg));
out:
    return status;
}

/* ---- one block ---- */

/* facet after facet; v: of the contact, kept up to date. The largest change, as a velocity. */
static real relax_facets(const real *own, real mu, int32_t facets, const real (*corner)[2], real omega, real v[3],
                         real *alpha, real dz[3]) {
    real largest = 0;
    for (int32_t k = 0; k < (mu > 0 ? facets : 1); k++) {
        const real f[3] = {1, mu * corner[k][0], mu * corner[k][1]};
        real push[3];
        for (int j = 0; j < 3; j++) push[j] = own[3 * j] * f[0] + own[3 * j + 1] * f[1] + own[3 * j + 2] * f[2];
        const real size = f[0] * push[0] + f[1] * push[1] + f[2] * push[2];
        const real slope = f[0] * v[0] + f[1] * v[1] + f[2] * v[2];
        real to = size > 0 ? alpha[k] - omega * slope / size : 0;
        if (!(to > 0)) to = 0;
        const real change = to - alpha[k];
        alpha[k] = to;
        for (int j = 0; j < 3; j++) {
            v[j] += change * push[j];
            dz[j] += change * f[j];
        }
        largest = fmax(largest, fabs(change) * size);
    }
    return largest;
}

static real relax_contact(const pgs *m, int32_t i) {
    const nb_projected *s = m->base.problem;
    real v[3], dz[3] = {0}, *z = s->z + s->bilaterals + 3 * (ptrdiff_t)i;
    nb_sweep_contact_velocity(&m->sweep, i, v);
    const real largest =
        relax_facets(m->own + 9 * (ptrdiff_t)i, s->laws.cone->mu[i], s->facets, (const real(*)[2])m->corner,
                     (real)m->base.values[OMEGA], v, m->alpha + (ptrdiff_t)i * s->facets, dz);
    for (int k = 0; k < 3; k++) z[k] += dz[k];
    if (largest > 0) nb_sweep_push_contact(&m->sweep, i, dz);
    return largest;
}

/* ---- sweeps ---- */

static real sweep(const pgs *m) {
    real largest = nb_sweep_relax_joints(&m->sweep, 0, (real)m->base.values[OMEGA]);
    for (int32_t i = 0; i < m->base.problem->contacts; i++) largest = fmax(largest, relax_contact(m, i));
    return largest;
}

static void recompute(nb_projected_method *self) {
    nb_sweep_refresh(&((const pgs *)self)->sweep);
}

/* alpha of impulses in the cone: those of the two corners at their sides, and the same of all for what is left of z_n,
 * whose friction is zero; z becomes theirs */
static void split_impulse(const pgs *m, int32_t i) {
    const nb_projected *s = m->base.problem;
    const int32_t l = s->facets;
    const real mu = s->laws.cone->mu[i];
    real *z = s->z + s->bilaterals + 3 * (ptrdiff_t)i, *alpha = m->alpha + (ptrdiff_t)i * l;
    memset(alpha, 0, (size_t)l * sizeof *alpha);
    nb_projected_project(l, mu, z);
    if (!(mu > 0)) {
        alpha[0] = z[0];
        return;
    }
    real left = z[0];
    for (int32_t k = 0; k < l; k++) {
        const real *a = m->corner[k], *b = m->corner[(k + 1) % l];
        const real det = a[0] * b[1] - a[1] * b[0];
        const real x = l > 2 ? (z[1] * b[1] - z[2] * b[0]) / (mu * det) : a[0] * z[1] / mu,
                   y = l > 2 ? (a[0] * z[2] - a[1] * z[1]) / (mu * det) : 0;
        const real nothing = -16 * NB_REAL_EPSILON * z[0]; /* on a corner both sides may miss it by round-off */
        if (x < nothing || y < nothing) continue;
        alpha[k] += fmax(x, (real)0);
        alpha[(k + 1) % l] += fmax(y, (real)0);
        left -= x + y;
        break;
    }
    for (int32_t k = 0; k < l; k++) alpha[k] += fmax(left, (real)0) / (real)l;
    z[0] = z[1] = z[2] = 0;
    for (int32_t k = 0; k < l; k++) {
        z[0] += alpha[k];
        for (int j = 0; j < 2; j++) z[1 + j] += mu * alpha[k] * m->corner[k][j];
    }
}

/* what contacts have of their own, from the problem */
static nb_status read_problem(nb_projected_method *self) {
    pgs *m = (pgs *)self;
    const nb_projected *s = self->problem;
    for (int32_t i = 0; i < s->contacts; i++) {
        nb_projected_block(s, NULL, i, m->own + 9 * (ptrdiff_t)i);
        split_impulse(m, i);
    }
    nb_joint_sweep_linearise(&m->sweep.joints, s, (real)m->base.values[OMEGA]);
    recompute(self);
    nb_nncg_restart(&m->nncg);
    return NB_OK;
}

static nb_status iterate(nb_projected_method *self) {
    pgs *m = (pgs *)self;
    self->residual = (double)sweep(m);
    nb_nncg_step(&m->nncg);
    self->products++;
    return NB_OK;
}

static const nb_projected_method_class sweeps = {
    .begin_step = begin_step, .iterate = iterate, .read_problem = read_problem, .recompute = recompute};

static nb_status step(nb_method *self, nb_problem *p, nb_measure *measure, const nb_observer *observer,
                      nb_step_outcome *outcome) {
    return nb_projected_method_step((nb_projected_method *)self, &sweeps, p, measure, observer, outcome);
}

static void destroy(nb_method *self) {
    pgs *m = (pgs *)self;
    if (!m) return;
    drop(m);
    nb_free(m);
}

static nb_status create(const nb_method_class *type, const nb_method_settings *settings, nb_method **self) {
    return nb_projected_method_create(type, settings, sizeof(pgs), self);
}

const nb_method_class NB_REAL_NAME(nb_pgs_method) = {
    .name = "pgs",
    .summary = "projected Gauss-Seidel on the linear complementarity problem of polyhedral friction",
    .options = options,
    .option_count = OPTIONS,
    .columns = columns,
    .column_count = NB_PROJECTED_OWN,
    .alone = 1,
    .record_every = "record-every",
    .condenses = 1,
    .friction_laws = NB_FRICTION_FACETED,
    .newton_iterations = 1000,
    .create = create,
    .step = step,
    .destroy = destroy,
};
