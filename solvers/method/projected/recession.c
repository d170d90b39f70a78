/* Whether impulses that grow without bound show that the relaxed law has no solution (projected.h): p in the cones with
 * N p = 0 and q.p < 0. Any solution has v = N z + q in the dual cones, v.p >= 0, but v.p = q.p. Along normals alone,
 * such a p shows it of Coulomb's law, too, whose solutions have v_n >= 0.
 *
 * What impulses have grown by is p and something else, ever less of it. Where growth is nearly all that there is, the
 * rest is taken out: p is projected onto N p = 0, by conjugate gradients, and onto the cones, in turns. They take no
 * more products than the method has made iterations, so that a step takes at most about twice as long for being asked.
 */
#include "recession.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/largest.h"
#include "base/memory.h"
#include "measure/iterate.h"
#include "projected.h"
#include "proof.h"
#include "registry.h"

NB_PRECISIONS(f32, f64);

enum {
    TURNS = 10,         /* of the two projections */
    PASSES = 2,         /* of conjugate gradients: the second one takes out the round-off of the first */
    GRADIENTS = 200,    /* at most, a pass */
    FREE_ROWS = 300000, /* rows times products that turns may take whatever the step has taken: some milliseconds */
    SWEEPS = 1024,
    SWEEPS_A_LOOK = 64
};

static const double grows = 0.6;       /* of the impulses before: growth that is worth a closer look */
static const double takes_part = 1e-3; /* of the largest: impulses that are part of a proof, if there is one */
static const double inner = 1 - 1e-6;  /* of mu: turns that come into this cone come to it after some turns */

/* ---- p by turns ---- */

static double product(const real *a, const real *b, int32_t count) {
    double sum = 0;
    for (int32_t r = 0; r < count; r++) sum += (double)a[r] * (double)b[r];
    return sum;
}

static double largest_of(const real *x, int32_t count) {
    double largest = 0;
    for (int32_t r = 0; r < count; r++) nb_raise(&largest, fabs((double)x[r]));
    return largest;
}

void nb_projected_drop_noise(const nb_projected *s, real *p) {
    if (s->facets == 0) return;
    const real least = (real)(64 * (double)NB_REAL_EPSILON * largest_of(p, s->rows));
    for (int32_t r = 0; r < s->rows; r++) p[r] = p[r] > least || p[r] < -least ? p[r] : 0;
}

/* vectors [rows] of the turns; part: 1 in rows that may have impulses, else 0 */
typedef struct turns {
    const nb_projected *s;
    real *p, *part, *r, *d, *nd, *in_cones;
    int64_t products; /* with N that it may still take */
} turns;

/* out = N x in the rows that take part */
static void apply(turns *t, const real *x, real *out) {
    const nb_projected *s = t->s;
    t->products--;
    s->p->exact->type->apply(s->p->exact, s->s, s->c, x, out);
    for (int32_t r = 0; r < s->rows; r++) out[r] *= t->part[r];
}

/* p less N^+ N p: the nearest one that is balanced */
static void balance(turns *t) {
    const int32_t rows = t->s->rows;
    const double eps = (double)NB_REAL_EPSILON;
    for (int pass = 0; pass < PASSES; pass++) {
        apply(t, t->p, t->r);
        memcpy(t->d, t->r, (size_t)rows * sizeof *t->d);
        double square = product(t->r, t->r, rows);
        const double enough = square * eps * eps;
        for (int k = 0; k < GRADIENTS && square > enough && t->products > 0 && !nb_interrupt_requested(); k++) {
            apply(t, t->d, t->nd);
            const double curvature = product(t->d, t->nd, rows);
            if (!(curvature > 0)) break;
            const real step = (real)(square / curvature);
            for (int32_t r = 0; r < rows; r++) {
                t->p[r] -= step * t->d[r];
                t->r[r] -= step * t->nd[r];
            }
            const double next = product(t->r, t->r, rows);
            const real share = (real)(next / square);
            for (int32_t r = 0; r < rows; r++) t->d[r] = t->r[r] + share * t->d[r];
            square = next;
        }
    }
}

/* onto the directions along which impulses may grow: in rows of joint coordinates without compliance those of their
 * infinite bounds */
static void project(const nb_projected *s, real share, real *p) {
    for (int32_t r = s->contact_end; r < s->rows; r++) {
        const int32_t i = r - s->contact_end;
        const int lower = p[r] < 0 && isinf(s->lower[i]), upper = p[r] > 0 && isinf(s->upper[i]);
        if (s->c[r] > 0 || !(lower || upper)) p[r] = 0;
    }
    for (int32_t i = 0; i < s->contacts; i++)
        nb_projected_project(s->facets, share * s->laws.cone->mu[i], p + s->bilaterals + 3 * (ptrdiff_t)i);
}

/* joint rows, and contacts and joint coordinates whose impulses are no noise */
static void choose_part(const turns *t) {
    const nb_projected *s = t->s;
    const double least = takes_part * largest_of(t->p, s->rows);
    for (int32_t r = 0; r < s->bilaterals; r++) t->part[r] = 1;
    for (int32_t i = 0; i < s->contacts; i++) {
        const int32_t r = s->bilaterals + 3 * i;
        const int pushes = (double)t->p[r] > least;
        t->part[r] = (real)pushes;
        t->part[r + 1] = t->part[r + 2] = (real)(pushes && s->relaxed && s->laws.cone->mu[i] > 0);
    }
    for (int32_t r = s->contact_end; r < s->rows; r++) t->part[r] = (real)(fabs((double)t->p[r]) > least);
    for (int32_t r = 0; r < s->rows; r++) t->p[r] *= t->part[r];
}

static nb_status search_in_turns(nb_projected *s, const real *p, int64_t products, int *found) {
    nb_status status;
    turns t = {.s = s, .products = products};
    real *memory = NULL;
    const size_t size = (size_t)s->rows * sizeof *memory;
    NB_TRY(NB_ALLOCATE(6 * (int64_t)s->rows, &memory));
    real **vectors[] = {&t.p, &t.part, &t.r, &t.d, &t.nd, &t.in_cones};
    for (int k = 0; k < 6; k++) *vectors[k] = memory + k * (int64_t)s->rows;
    memcpy(t.p, p, size);
    choose_part(&t);
    const double nothing = NB_PROOF_NOTHING * largest_of(t.p, s->rows);
    for (int turn = 0; turn < TURNS && !*found && t.products > 0; turn++) {
        double off = 0;
        balance(&t);
        NB_TRY(nb_interrupt_check());
        if (!(largest_of(t.p, s->rows) > nothing)) break; /* nothing of it balances */
        memcpy(t.in_cones, t.p, size);
        project(s, 1, t.in_cones);
        for (int32_t r = 0; r < s->rows; r++) nb_raise(&off, fabs((double)(t.in_cones[r] - t.p[r])));
        if (off <= NB_PROOF_NOTHING * largest_of(t.p, s->rows)) {
            nb_projected_drop_noise(s, t.in_cones);
            NB_TRY(nb_projected_proves(s, t.in_cones, found));
        }
        project(s, (real)inner, t.p);
    }
out:
    nb_free(memory);
    return status;
}

nb_status nb_projected_certify(nb_projected *s, const real *before, const real *now, int32_t iterations, int *found) {
    nb_status status = NB_OK;
    real *p = s->v;
    const int64_t free = FREE_ROWS / (s->rows + 1), products = iterations / 2 > free ? iterations / 2 : free;
    *found = 0;
    if (s->contacts + s->boxes == 0) return NB_OK;
    for (int32_t r = 0; r < s->rows; r++) {
        const int tangent = r >= s->bilaterals && r < s->contact_end && (r - s->bilaterals) % 3 > 0;
        p[r] = tangent && !s->relaxed ? 0 : now[r] - before[r];
    }
    project(s, 1, p);
    nb_projected_drop_noise(s, p);
    NB_TRY(nb_projected_proves(s, p, found));
    if (*found || largest_of(p, s->rows) < grows * largest_of(before, s->rows) || !(product(p, s->q, s->rows) < 0))
        return NB_OK;
    NB_TRY(search_in_turns(s, p, products, found));
    if (!*found) NB_TRY(search_in_turns(s, now, products, found)); /* all of it, which has grown likewise */
out:
    return status;
}

nb_status nb_projected_proves(nb_projected *s, const real *p, int *found) {
    nb_status status;
    nb_proof proof = {.delassus = s->p->exact, .matrix = s->matrix, .s = s->s, .c = s->c};
    double *numbers = NULL; /* p, and q of the problem, without Coulomb's shift */
    *found = 0;
    NB_TRY(NB_ALLOCATE(2 * (int64_t)s->rows, &numbers));
    NB_TRY(nb_proof_begin(&proof));
    for (int32_t r = 0; r < s->rows; r++) {
        const int normal = r >= s->bilaterals && r < s->contact_end && (r - s->bilaterals) % 3 == 0;
        numbers[r] = (double)p[r];
        numbers[s->rows + r] = (double)s->q[r] - (s->shift && normal ? (double)s->shift[(r - s->bilaterals) / 3] : 0);
    }
    *found = nb_proof_holds(&proof, numbers + s->rows, numbers);
out:
    nb_proof_end(&proof);
    nb_free(numbers);
    return status;
}

/* ---- for methods that sweep not ---- */

/* whether there is nothing but joints, their coordinates and relaxed contacts that do not give way */
static int is_relaxed(const nb_problem *p) {
    int relaxed = 0;
    for (int32_t i = 0; i < p->range_count; i++) {
        const nb_law_class *type = p->ranges[i].law->type;
        if (type == &nb_relaxed_class || type == &nb_polyhedral_relaxed_class)
            relaxed = !((const nb_cone_law *)p->ranges[i].law)->softness;
        else if (type != &nb_bilateral_class && type != &nb_box_class)
            return 0;
    }
    return relaxed;
}

static nb_status sweep(nb_problem *p, nb_measure *measure, const nb_method_settings *settings, nb_reason *reason) {
    nb_status status;
    nb_method *psor = NULL;
    const nb_method_class *type;
    nb_method_settings own = *settings;
    nb_step_outcome outcome;
    double values[8];
    char text[16];
    NB_TRY(nb_method_find("psor", &type));
    nb_options_standard(type->options, type->option_count, values);
    snprintf(text, sizeof text, "%d", (int)SWEEPS_A_LOOK);
    NB_TRY(nb_options_set(type->options, type->option_count, type->name, "record-every", text, values));
    own.values = values;
    own.newton_iterations = SWEEPS;
    NB_TRY(type->create(type, &own, &psor));
    NB_TRY(type->step(psor, p, measure, NULL, &outcome));
    *reason = outcome.reason;
out:
    if (psor) type->destroy(psor);
    return status;
}

nb_status nb_recession_search(nb_problem *p, nb_measure *measure, const nb_method_settings *settings,
                              nb_step_outcome *outcome) {
    nb_status status = NB_OK;
    nb_reason reason = NB_REASON_NONE;
    nb_errors errors;
    real *kept = NULL;
    const size_t u = (size_t)p->velocities, z = (size_t)p->rows;
    const double start = nb_clock_seconds();
    /* a step of so many iterations, whatever they come to, is as short as they are */
    const int asked = settings->newton_tolerance > 0 || settings->relative_tolerance > 0;
    if (nb_reason_converged(outcome->reason) || outcome->reason == NB_REASON_INFEASIBLE || !asked || !is_relaxed(p))
        return NB_OK;
    NB_TRY(NB_ALLOCATE((int64_t)p->velocities + p->rows, &kept));
    memcpy(kept, p->u, u * sizeof *kept);
    memcpy(kept + u, p->z, z * sizeof *kept);
    memset(p->z, 0, z * sizeof *p->z);
    NB_TRY(sweep(p, measure, settings, &reason));
    memcpy(p->u, kept, u * sizeof *kept);
    memcpy(p->z, kept + u, z * sizeof *kept);
    p->type->evaluate(p, NULL);
    nb_measure_iterate(measure, p, &errors);
    if (reason == NB_REASON_INFEASIBLE) outcome->reason = reason;
    outcome->setup_s += nb_clock_seconds() - start;
out:
    nb_free(kept);
    return status;
}
