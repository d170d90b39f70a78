/* Nonsmooth Gauss-Seidel (NSGS): sweeps in which each contact is solved exactly with Coulomb's law (coulomb_block.h),
 * with the velocities of the nodes carried along, and joint rows as psor has them. N is never formed.
 *
 *     z_i <- z_i + omega (the contact's solution - z_i),   velocity += H^-1 J_i^T dz_i
 *
 * In coloured order contacts of one colour share no body that moves, and threads take them at once: the same bits for
 * any number of threads.
 *
 * Sources: Jourdan, Alart, Jean, "A Gauss-Seidel like algorithm to solve frictional contact problems", 1998; Acary,
 * Bremond, Huber, "On solving contact problems with Coulomb friction", 2018. */
#include <stddef.h>
#include <tgmath.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/threads.h"
#include "coulomb_block.h"
#include "nncg.h"
#include "operator/colouring.h"

NB_PRECISIONS(f32, f64);

enum {
    OMEGA,
    ORDER,
    ACCELERATION,
    JOINTS,
    EVERY,
    OPTIONS
};

enum {
    FORWARD,
    SYMMETRIC,
    SHUFFLED,
    COLOURED
};

static const char *const orders[] = {
    [FORWARD] = "forward", [SYMMETRIC] = "symmetric", [SHUFFLED] = "shuffled", [COLOURED] = "coloured", NULL};

static const nb_option options[OPTIONS] = {
    [OMEGA] = {"omega", "1", 1, 1e-3, 10, 0, NULL, "over-relaxation: factor of the step lengths"},
    [ORDER] = {"order", "1", FORWARD, 0, 0, 0, orders,
               "of contacts: that of the problem; the same and backward; random per sweep; by colors, on threads"},
    [ACCELERATION] = NB_ACCELERATION_OPTION,
    [JOINTS] = NB_JOINTS_OPTION,
    [EVERY] = {"record-every", "1", 1, 1, 1000000, 1, NULL,
               "iterations from one row of the record, and one look at the tolerance, to the next"},
};

static const nb_column columns[NB_PROJECTED_OWN] = {NB_PROJECTED_COLUMNS};

enum {
    LEAST_OF_THREAD = 500 /* contacts of a colour */
};

typedef struct nsgs {
    nb_projected_method base;
    /* of the present step */
    nb_sweep sweep;
    nb_nncg nncg;
    nb_coulomb_block *block; /* [contacts] */
    int64_t *order;          /* [contacts] */
    int32_t *start;          /* [colours + 1] of each colour in `order` */
    int32_t colours;         /* 1: all contacts, one after another */
    uint64_t random;
} nsgs;

static void drop(nsgs *m) {
    nb_projected_destroy(m->base.problem);
    nb_sweep_clear(&m->sweep);
    nb_nncg_clear(&m->nncg);
    nb_free(m->block);
    nb_free(m->order);
    nb_free(m->start);
    m->base.problem = NULL;
    m->block = NULL;
    m->order = NULL;
    m->start = NULL;
}

/* ---- the order of contacts ---- */

/* colour [contacts] of each, greedily over the entries of a matrix; how many there are */
static nb_status colour_entries(const nb_projected *s, int32_t *colour, int32_t *colours) {
    nb_status status;
    const nb_csr *a = s->eliminated ? s->eliminated->reduced : s->matrix;
    int32_t *mark = NULL; /* [colours] the last contact that met it, + 1 */
    NB_TRY(NB_ALLOCATE(s->contacts + 1, &mark));
    for (int32_t i = 0; i < s->contacts; i++) {
        const int32_t first = s->bilaterals + 3 * i;
        for (int64_t k = a->start[first]; k < a->start[first + 3]; k++) {
            const int32_t other = a->column[k] < s->bilaterals ? i : (a->column[k] - s->bilaterals) / 3;
            if (other < i) mark[colour[other]] = i + 1;
        }
        colour[i] = 0;
        while (mark[colour[i]] == i + 1) colour[i]++;
        if (colour[i] >= *colours) *colours = colour[i] + 1;
    }
out:
    nb_free(mark);
    return status;
}

/* the same over nodes; joint rows have colours as well, which are left out */
static nb_status colour_nodes(const nb_projected *s, int32_t *colour, int32_t *colours) {
    nb_colouring made = {0};
    const nb_delassus *d = s->p->exact;
    const nb_status status = nb_colouring_over_nodes(d, &made);
    for (int32_t c = 0; status == NB_OK && c < made.colours; c++) {
        int any = 0;
        for (int32_t g = made.start[c]; g < made.start[c + 1]; g++)
            for (int32_t b = d->group_start[made.group[g]]; b < d->group_start[made.group[g] + 1]; b++)
                if (b >= s->bilaterals && b < s->bilaterals + s->contacts)
                    colour[b - s->bilaterals] = *colours, any = 1;
        *colours += any;
    }
    nb_colouring_clear(&made);
    return status;
}

static nb_status set_order(nsgs *m) {
    nb_status status;
    const nb_projected *s = m->base.problem;
    int32_t *colour = NULL;
    const int by_colours = m->base.values[ORDER] == COLOURED;
    NB_TRY(NB_ALLOCATE(s->contacts, &m->order));
    m->colours = 0;
    m->random = 1;
    if (by_colours) {
        NB_TRY(NB_ALLOCATE(s->contacts, &colour));
        NB_TRY(s->matrix || s->eliminated ? colour_entries(s, colour, &m->colours)
                                          : colour_nodes(s, colour, &m->colours));
    }
    if (m->colours == 0) m->colours = 1;
    NB_TRY(NB_ALLOCATE(m->colours + 2, &m->start));
    for (int32_t i = 0; i < s->contacts; i++) m->start[(by_colours ? colour[i] : 0) + 2]++;
    for (int32_t c = 0; c < m->colours; c++) m->start[c + 2] += m->start[c + 1];
    for (int32_t i = 0; i < s->contacts; i++) m->order[m->start[(by_colours ? colour[i] : 0) + 1]++] = i;
out:
    nb_free(colour);
    return status;
}

static nb_status begin_step(nb_projected_method *self, nb_problem *p) {
    nsgs *m = (nsgs *)self;
    nb_status status;
    nb_projected *s;
    drop(m);
    NB_TRY(nb_projected_create(p, &self->settings, "method nsgs", (int32_t)self->values[EVERY], &s));
    self->problem = s;
    s->by_rounds = 0;
    if (self->values[JOINTS] == 1) NB_TRY(nb_projected_eliminate_joints(s));
    if (p->contacts > 0 && s->laws.cone->base.type != &nb_cone_class)
        return nb_fail(NB_ERROR_UNSUPPORTED, "method nsgs does not support the friction law %s; use coulomb",
                       s->laws.cone->base.type->name);
    NB_TRY(nb_sweep_make(s, self->values[ORDER] == SYMMETRIC ? 2 : 1, &m->sweep));
    NB_TRY(NB_ALLOCATE(p->contacts, &m->block));
    if (self->values[ACCELERATION] == NB_ACCELERATION_NNCG) NB_TRY(nb_nncg_make(&m->sweep, NULL, 0, &m->nncg));
out:
    return status;
}

/* ---- one contact ---- */

/* the largest change of its impulse over its step length [m/s] */
static inline real relax(const nsgs *m, int32_t i, double omega) {
    const nb_projected *s = m->base.problem;
    real v[3], dz[3], *z = s->z + s->bilaterals + 3 * (ptrdiff_t)i, largest = 0;
    double to[3];
    if (m->sweep.is_rigid)
        nb_sweep_rigid_velocity(&m->sweep, i, v);
    else
        nb_sweep_contact_velocity(&m->sweep, i, v);
    const double velocity[3] = {(double)v[0], (double)v[1], (double)v[2]},
                 before[3] = {(double)z[0], (double)z[1], (double)z[2]};
    nb_coulomb_block_solve(&m->block[i], (double)s->laws.cone->mu[i], velocity, before, to);
    for (int k = 0; k < 3; k++) {
        dz[k] = (real)(omega * (to[k] - before[k]));
        z[k] += dz[k];
        largest = nb_sweep_larger(largest, fabs(dz[k]));
    }
    if (largest == 0) return 0;
    if (m->sweep.is_rigid)
        nb_sweep_push_rigid(&m->sweep, i, dz);
    else
        nb_sweep_push_contact(&m->sweep, i, dz);
    return largest / s->eta[s->bilaterals + i];
}

/* ---- sweeps ---- */

static real sweep_contacts(const nsgs *m, int32_t begin, int32_t end, int backward) {
    const double omega = m->base.values[OMEGA];
    real largest = 0;
    for (int32_t k = begin; k < end; k++)
        largest = nb_sweep_larger(largest, relax(m, (int32_t)m->order[backward ? end - 1 - (k - begin) : k], omega));
    return largest;
}

/* Where part t begins: contacts between the same two bodies, which follow each other, are in one part. */
static int32_t part_begin(const nsgs *m, int t, int parts, int32_t begin, int32_t end) {
    const nb_contact_rows *contacts = m->sweep.rigid.contacts;
    int32_t k = begin + nb_part_begin(t, parts, end - begin, 1);
    for (; k > begin && k < end; k++) {
        const nb_contact_rows *contact = &contacts[m->order[k]], *before = &contacts[m->order[k - 1]];
        if (contact->a != before->a || contact->b != before->b) break;
    }
    return k;
}

/* those of one colour */
static real sweep_colour(const nsgs *m, int32_t begin, int32_t end) {
    const int parts = m->sweep.is_rigid && m->colours > 1 ? nb_threads_for(end - begin, LEAST_OF_THREAD) : 1;
    real largest[NB_MOST_THREADS] = {0}, most = 0;
    if (parts == 1) return sweep_contacts(m, begin, end, 0);
    NB_EACH_PART(t, parts,
                 largest[t] = sweep_contacts(m, part_begin(m, t, parts, begin, end),
                                             part_begin(m, t + 1, parts, begin, end), 0););
    for (int t = 0; t < parts; t++) most = nb_sweep_larger(most, largest[t]);
    return most;
}

static real sweep(const nsgs *m, int backward) {
    const int32_t contacts = m->base.problem->contacts;
    const real omega = (real)m->base.values[OMEGA];
    real largest = backward ? sweep_contacts(m, 0, contacts, 1) : nb_sweep_relax_joints(&m->sweep, 0, omega);
    if (backward) return nb_sweep_larger(largest, nb_sweep_relax_joints(&m->sweep, 1, omega));
    for (int32_t c = 0; c < m->colours; c++)
        largest = nb_sweep_larger(largest, sweep_colour(m, m->start[c], m->start[c + 1]));
    return largest;
}

static void recompute(nb_projected_method *self) {
    nb_sweep_refresh(&((const nsgs *)self)->sweep);
}

static nb_status read_problem(nb_projected_method *self) {
    nsgs *m = (nsgs *)self;
    const nb_projected *s = self->problem;
    const nb_rigid_rows *rigid = m->sweep.is_rigid ? &m->sweep.rigid : NULL;
    nb_status status = NB_OK;
    if (!m->order) NB_TRY(set_order(m)); /* the pattern is that of the first linearisation */
    for (int32_t i = 0; i < s->contacts; i++) {
        real own[9];
        double of[9];
        nb_projected_block(s, rigid, i, own);
        for (int k = 0; k < 9; k++) of[k] = (double)own[k];
        nb_coulomb_block_begin(&m->block[i], of);
    }
    nb_joint_sweep_linearise(&m->sweep.joints, s, (real)self->values[OMEGA]);
    nb_sweep_refresh(&m->sweep);
    nb_nncg_restart(&m->nncg);
out:
    return status;
}

static nb_status iterate(nb_projected_method *self) {
    nsgs *m = (nsgs *)self;
    const int symmetric = self->values[ORDER] == SYMMETRIC;
    if (self->values[ORDER] == SHUFFLED) nb_shuffle(m->order, self->problem->contacts, &m->random);
    real largest = sweep(m, 0);
    if (symmetric) largest = nb_sweep_larger(largest, sweep(m, 1));
    nb_nncg_step(&m->nncg);
    self->residual = (double)largest;
    self->products += 1 + symmetric;
    return NB_OK;
}

static const nb_projected_method_class sweeps = {
    .begin_step = begin_step, .iterate = iterate, .read_problem = read_problem, .recompute = recompute};

static nb_status step(nb_method *self, nb_problem *p, nb_measure *measure, const nb_observer *observer,
                      nb_step_outcome *outcome) {
    nb_status status = nb_projected_method_step((nb_projected_method *)self, &sweeps, p, measure, observer, outcome);
    drop((nsgs *)self); /* as psor does */
    return status;
}

static void destroy(nb_method *self) {
    nsgs *m = (nsgs *)self;
    if (!m) return;
    drop(m);
    nb_free(m);
}

static nb_status create(const nb_method_class *type, const nb_method_settings *settings, nb_method **self) {
    return nb_projected_method_create(type, settings, sizeof(nsgs), self);
}

const nb_method_class NB_REAL_NAME(nb_nsgs_method) = {
    .name = "nsgs",
    .summary = "nonsmooth Gauss-Seidel: each contact solved exactly with Coulomb's law",
    .options = options,
    .option_count = OPTIONS,
    .columns = columns,
    .column_count = NB_PROJECTED_OWN,
    .alone = 1,
    .record_every = "record-every",
    .condenses = 1,
    .friction_laws = 1 << NB_FRICTION_COULOMB,
    .newton_iterations = 1000,
    .create = create,
    .step = step,
    .destroy = destroy,
};
