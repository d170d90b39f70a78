/* Projected block successive over-relaxation (psor), and its symmetric form (pssor): the sweeps of Tasora and Anitescu
 * for the relaxed law of friction (projected.h), block after block with the velocities of the nodes carried along. N is
 * never formed.
 *
 *     d = z_i - omega eta_i (N z + q)_i,   z_i <- lambda P(d) + (1 - lambda) z_i,   velocity += H^-1 J_i^T dz_i
 *
 * Contacts between rigid bodies are swept where they lie: a frame, two arms, 8 numbers of the problem's, and the
 * velocities of two bodies. On several threads they go subdomain by subdomain (subdomains.h), in another order than on
 * one: the number of threads makes the bits. A problem file's W is swept by its rows. */
#include <stddef.h>
#include <tgmath.h>

#include "base/memory.h"
#include "base/threads.h"
#include "nncg.h"
#include "subdomains.h"

NB_PRECISIONS(f32, f64);

enum {
    OMEGA,
    LAMBDA,
    COUPLING,
    ACCELERATION,
    JOINTS,
    EVERY,
    OPTIONS
};

static const nb_option options[OPTIONS] = {
    [OMEGA] = {"omega", "1", 1, 1e-3, 10, 0, NULL, "over-relaxation: factor of the step lengths"},
    [LAMBDA] = {"lambda", "1", 1, 1e-3, 1, 0, NULL, "share of the projected impulse that is taken"},
    [COUPLING] = NB_COUPLING_OPTION,
    [ACCELERATION] = NB_ACCELERATION_OPTION,
    [JOINTS] = NB_JOINTS_OPTION,
    [EVERY] = {"record-every", "1", 1, 1, 1000000, 1, NULL,
               "iterations from one row of the record, and one look at the tolerance, to the next"},
};

static const nb_column columns[NB_PROJECTED_OWN] = {NB_PROJECTED_COLUMNS};

enum {
    LEAST_SUBDOMAIN = 1000 /* contacts */
};

typedef struct psor {
    nb_projected_method base;
    /* of the present step */
    nb_sweep sweep;
    nb_nncg nncg;
    nb_subdomains subdomains; /* of contacts between rigid bodies; none: they go one after another */
} psor;

extern const nb_method_class NB_REAL_NAME(nb_pssor_method);

static int is_symmetric(const psor *m) {
    return m->base.base.type == &NB_REAL_NAME(nb_pssor_method);
}

static void drop(psor *m) {
    nb_projected_destroy(m->base.problem);
    nb_sweep_clear(&m->sweep);
    nb_nncg_clear(&m->nncg);
    nb_subdomains_clear(&m->subdomains);
    m->base.problem = NULL;
}

static nb_status begin_step(nb_projected_method *self, nb_problem *p) {
    psor *m = (psor *)self;
    nb_status status;
    nb_projected *s;
    drop(m);
    NB_TRY(nb_projected_create(p, &self->settings, is_symmetric(m) ? "method pssor" : "method psor",
                               (int32_t)self->values[EVERY], &s));
    self->problem = s;
    s->omega = self->values[OMEGA];
    if (self->values[JOINTS] == 1) NB_TRY(nb_projected_eliminate_joints(s));
    NB_TRY(nb_projected_couple(s, (nb_projected_coupling)self->values[COUPLING]));
    NB_TRY(nb_sweep_make(s, is_symmetric(m) ? 2 : 1, &m->sweep));
    if (self->values[ACCELERATION] == NB_ACCELERATION_NNCG) NB_TRY(nb_nncg_make(&m->sweep, NULL, 0, &m->nncg));
    if (m->sweep.is_rigid) {
        const int parts = nb_threads_for(m->sweep.rigid.contact_count, LEAST_SUBDOMAIN);
        if (parts > 1) NB_TRY(nb_subdomains_make(&m->sweep.rigid, parts, &m->subdomains));
    }
out:
    return status;
}

/* ---- one block ---- */

/* z <- lambda P(z - omega eta r) + (1 - lambda) z of contact i; dz, and |dz|/(omega eta lambda) as a velocity */
static inline real update(nb_projected *s, int32_t i, real *z, real omega, real lambda, real r[3], real dz[3]) {
    const real eta = omega * s->eta[s->bilaterals + i];
    real x[3], largest = 0;
    if (s->coupling == NB_COUPLING_FOLLOWED) nb_projected_follow(s, i, r);
    for (int k = 0; k < 3; k++) x[k] = z[k] - eta * r[k];
    nb_projected_admit(s, i, 1, x);
    for (int k = 0; k < 3; k++) {
        real step = x[k] - z[k];
        largest = nb_sweep_larger(largest, fabs(step));
        dz[k] = lambda * step;
        z[k] += dz[k];
    }
    return largest / eta;
}

static inline real relax_rigid(const psor *m, int32_t i, real omega, real lambda) {
    nb_projected *s = m->base.problem;
    real r[3], dz[3];
    nb_sweep_rigid_velocity(&m->sweep, i, r);
    const real moved = update(s, i, s->z + s->bilaterals + 3 * (ptrdiff_t)i, omega, lambda, r, dz);
    if (moved != 0) nb_sweep_push_rigid(&m->sweep, i, dz);
    return moved;
}

static real sweep_list(const psor *m, int32_t list, int backward, real omega, real lambda) {
    const int32_t begin = m->subdomains.start[list], count = m->subdomains.start[list + 1] - begin;
    real largest = 0;
    for (int32_t k = 0; k < count; k++)
        largest = nb_sweep_larger(
            largest, relax_rigid(m, m->subdomains.contact[begin + (backward ? count - 1 - k : k)], omega, lambda));
    return largest;
}

/* One phase: lists first, first + 2, .. (step 1: all) of those given, each by one thread. */
static real sweep_phase(const psor *m, int32_t first, int32_t end, int32_t step, int backward, real omega,
                        real lambda) {
    const int32_t lists = end > first ? (end - first + step - 1) / step : 0;
    real largest[NB_MOST_THREADS] = {0}, most = 0;
    if (lists == 0) return 0;
    NB_EACH_PART(k, lists, largest[k] = sweep_list(m, first + step * k, backward, omega, lambda););
    for (int32_t k = 0; k < lists; k++) most = nb_sweep_larger(most, largest[k]);
    return most;
}

/* inside of subdomains, then between them; backward the other way round */
static real sweep_subdomains(const psor *m, int backward, real omega, real lambda) {
    const int32_t subdomains = m->subdomains.count, lists = m->subdomains.lists;
    real largest = 0;
    for (int i = 0; i < 3; i++) {
        const int phase = backward ? 2 - i : i;
        const real own = phase == 0   ? sweep_phase(m, 0, subdomains, 1, backward, omega, lambda)
                         : phase == 1 ? sweep_phase(m, subdomains, lists, 2, backward, omega, lambda)
                                      : sweep_phase(m, subdomains + 1, lists, 2, backward, omega, lambda);
        largest = nb_sweep_larger(largest, own);
    }
    return largest;
}

static real relax_contact(const psor *m, int32_t i, real omega, real lambda) {
    nb_projected *s = m->base.problem;
    real r[3], dz[3];
    nb_sweep_contact_velocity(&m->sweep, i, r);
    const real moved = update(s, i, s->z + s->bilaterals + 3 * (ptrdiff_t)i, omega, lambda, r, dz);
    if (moved != 0) nb_sweep_push_contact(&m->sweep, i, dz);
    return moved;
}

/* ---- sweeps ---- */

static real sweep(const psor *m, int backward) {
    const nb_projected *s = m->base.problem;
    const int32_t contacts = s->contacts;
    const real omega = (real)m->base.values[OMEGA], lambda = (real)m->base.values[LAMBDA];
    real largest = backward ? 0 : nb_sweep_relax_joints(&m->sweep, 0, lambda * omega);
    if (m->subdomains.count > 0)
        largest = nb_sweep_larger(largest, sweep_subdomains(m, backward, omega, lambda));
    else if (m->sweep.is_rigid)
        for (int32_t i = 0; i < contacts; i++)
            largest = nb_sweep_larger(largest, relax_rigid(m, backward ? contacts - 1 - i : i, omega, lambda));
    else
        for (int32_t i = 0; i < contacts; i++)
            largest = nb_sweep_larger(largest, relax_contact(m, backward ? contacts - 1 - i : i, omega, lambda));
    return backward ? nb_sweep_larger(largest, nb_sweep_relax_joints(&m->sweep, 1, lambda * omega)) : largest;
}

static void recompute(nb_projected_method *self) {
    nb_sweep_refresh(&((const psor *)self)->sweep);
}

static nb_status read_problem(nb_projected_method *self) {
    psor *m = (psor *)self;
    nb_joint_sweep_linearise(&m->sweep.joints, self->problem, (real)(self->values[OMEGA] * self->values[LAMBDA]));
    nb_sweep_refresh(&m->sweep);
    nb_nncg_restart(&m->nncg);
    return NB_OK;
}

static nb_status iterate(nb_projected_method *self) {
    psor *m = (psor *)self;
    real largest = sweep(m, 0);
    if (is_symmetric(m)) largest = nb_sweep_larger(largest, sweep(m, 1));
    nb_nncg_step(&m->nncg);
    self->residual = (double)largest;
    self->products += is_symmetric(m) ? 2 : 1;
    return NB_OK;
}

static const nb_projected_method_class sweeps = {
    .begin_step = begin_step, .iterate = iterate, .read_problem = read_problem, .recompute = recompute};

static nb_status step(nb_method *self, nb_problem *p, nb_measure *measure, const nb_observer *observer,
                      nb_step_outcome *outcome) {
    nb_status status = nb_projected_method_step((nb_projected_method *)self, &sweeps, p, measure, observer, outcome);
    drop((psor *)self); /* every step has its own contacts: what the step's end makes may have this memory */
    return status;
}

static void destroy(nb_method *self) {
    psor *m = (psor *)self;
    if (!m) return;
    drop(m);
    nb_free(m);
}

static nb_status check(const nb_method_settings *settings, const nb_method_scene *scene) {
    return nb_projected_check_coupling(settings, scene, COUPLING);
}

static nb_status create(const nb_method_class *type, const nb_method_settings *settings, nb_method **self) {
    return nb_projected_method_create(type, settings, sizeof(psor), self);
}

#define SWEEPS(own_name, own_summary)                                                                                  \
    {                                                                                                                  \
        .name = (own_name), .summary = (own_summary), .options = options, .option_count = OPTIONS, .columns = columns, \
        .column_count = NB_PROJECTED_OWN, .alone = 1, .record_every = "record-every", .condenses = 1,                  \
        .friction_laws = NB_FRICTION_ROUND | NB_FRICTION_FACETED, .newton_iterations = 1000, .check = check,           \
        .create = create, .step = step, .destroy = destroy                                                             \
    }

const nb_method_class NB_REAL_NAME(nb_psor_method) =
    SWEEPS("psor", "projected block SOR on contacts and joints (Tasora, Anitescu 2009)");

const nb_method_class NB_REAL_NAME(nb_pssor_method) =
    SWEEPS("pssor", "projected block SSOR: forward and backward in each iteration");
