#include "certificate.h"

#include <math.h>
#include <string.h>

#include "base/largest.h"
#include "base/memory.h"
#include "method/projected/proof.h"

NB_PRECISIONS(f32, f64);

enum {
    REPEATS = 5 /* of the proximal step: each takes what is not of the null space out of p */
};

/* what the search works with */
typedef struct search {
    nb_scaled_problem *problem;
    nb_semismooth *semismooth;
    double *before; /* [rows] the iterate of the last eps */
    nb_proof proof;
    nb_csr *matrix; /* D, where nothing else is known of it */
} search;

static double product(const nb_scaled_problem *c, const double *a, const double *b) {
    double sum = 0;
    for (int32_t r = 0; r < c->rows; r++) sum += a[r] * b[r];
    return sum;
}

/* p = what the last step added to the impulses, but for what is noise in it: any p will do that passes the test */
static void copy_direction(const search *s, double *p) {
    const nb_scaled_problem *c = s->problem;
    const double noise = sqrt((double)NB_REAL_EPSILON);
    double largest = 0;
    for (int32_t r = 0; r < c->rows; r++) p[r] = s->semismooth->x[r] - s->before[r];
    for (int32_t i = 0; i < c->contacts; i++)
        p[nb_scaled_problem_first(c, i)] = fmax(p[nb_scaled_problem_first(c, i)], 0);
    for (int32_t i = 0; i < c->box.blocks; i++) { /* between two bounds nothing grows */
        double bounds[2], *own = &p[c->box.first_row + i];
        nb_scaled_problem_bounds(c, i, bounds);
        *own = fmin(fmax(*own, isinf(bounds[0]) ? bounds[0] : 0), isinf(bounds[1]) ? bounds[1] : 0);
    }
    for (int32_t r = 0; r < c->rows; r++) nb_raise(&largest, fabs(p[r]));
    for (int32_t r = 0; r < c->rows; r++)
        if (fabs(p[r]) <= noise * largest) p[r] = 0;
}

/* Whether p is a certificate, or worth making one of: the first asks that W p be nothing. Rows of friction count in W
 * p, since r has them; and the best point known must not be one that a certificate rules out. v: scratch. */
static int proves(const search *s, const double *p, int exactly, double *v) {
    nb_scaled_problem *c = s->problem;
    double largest = 0; /* of W p */
    nb_scaled_problem_velocity(c, p, v);
    for (int32_t r = 0; r < c->rows; r++) nb_raise(&largest, fabs(v[r] - c->q[r]));
    double work = product(c, p, c->q);
    nb_scaled_problem_velocity(c, c->best, v);
    if (!(work < 0 && -work >= 1e3 * largest && product(c, p, v) <= work / 2)) return 0;
    return !exactly || nb_proof_holds(&s->proof, c->q, p);
}

/* the same of the last step's p, in the problem without friction */
static int is_certificate(const search *s, int exactly) {
    copy_direction(s, s->semismooth->dx);
    nb_scaled_problem_restore_friction(s->problem);
    int found = proves(s, s->semismooth->dx, exactly, s->semismooth->v);
    nb_scaled_problem_make_frictionless(s->problem);
    return found;
}

/* Proximal steps from the iterate: the impulses that each adds go to p, what else is in them being less by a factor of
 * eps with each. */
static nb_status make_exact(const search *s, double eps, int *found) {
    nb_status status = NB_OK;
    nb_semismooth *semismooth = s->semismooth;
    const nb_scaled_problem *c = semismooth->problem;
    const nb_semismooth_task task = {NB_PHASE_CERTIFICATE, 1, eps, s->before, 20, 0, 0};
    *found = is_certificate(s, 1);
    for (int i = 0; i < REPEATS && !*found && !c->solved; i++) {
        int done;
        memcpy(s->before, semismooth->x, (size_t)c->rows * sizeof *s->before);
        NB_TRY(nb_semismooth_run(semismooth, &task, &done));
        *found = is_certificate(s, 1);
    }
out:
    return status;
}

static double largest_impulse(const nb_semismooth *s, const double *x) {
    double largest = 0;
    for (int32_t r = 0; r < s->problem->rows; r++) nb_raise(&largest, fabs(x[r]));
    return largest;
}

static nb_status try_smaller_compliances(const search *s, double *zero, int *found) {
    const double last = NB_REAL_BITS == 64 ? 1e-11 : 1e-5;
    nb_status status = NB_OK;
    nb_semismooth *semismooth = s->semismooth;
    nb_scaled_problem *c = semismooth->problem;
    memset(semismooth->x, 0, (size_t)c->rows * sizeof *semismooth->x);
    memset(zero, 0, (size_t)c->rows * sizeof *zero);
    for (double eps = 1; eps >= last && !*found && !c->solved; eps /= 10) {
        int done;
        memcpy(s->before, semismooth->x, (size_t)c->rows * sizeof *s->before);
        const nb_semismooth_task task = {NB_PHASE_CERTIFICATE, 1, eps, zero, 20, 0, 0};
        NB_TRY(nb_semismooth_run(semismooth, &task, &done));
        double size = largest_impulse(semismooth, semismooth->x);
        int grows = size >= 2 * largest_impulse(semismooth, s->before); /* tenfold, where there is a p */
        if (is_certificate(s, 0)) NB_TRY(make_exact(s, eps, found));
        if (eps < 1e-4 && !grows) break;
    }
out:
    return status;
}

static nb_status begin(nb_scaled_problem *c, search *s) {
    nb_status status = NB_OK;
    const nb_delassus *d = c->delassus;
    *s = (search){.problem = c};
    if (!d->type->block) {
        NB_TRY(d->type->pattern(d, &s->matrix));
        d->type->values(d, s->matrix);
    }
    s->proof = (nb_proof){.delassus = d, .matrix = s->matrix, .s = c->s, .c = c->c, .gives = NB_PROOF_NOTHING};
    NB_TRY(nb_proof_begin(&s->proof));
out:
    return status;
}

static void end(search *s) {
    nb_proof_end(&s->proof);
    nb_csr_destroy(s->matrix);
}

nb_status nb_certificate_holds(nb_scaled_problem *problem, const double *p, double *scratch, int *holds) {
    search s;
    nb_status status = begin(problem, &s);
    *holds = status == NB_OK && proves(&s, p, 1, scratch);
    end(&s);
    return status;
}

nb_status nb_certificate_find(nb_semismooth *semismooth, double *zero, double *before, int *found) {
    nb_scaled_problem *c = semismooth->problem;
    search s;
    *found = 0;
    if (c->contacts + c->box.blocks == 0) return NB_OK;
    nb_status status = begin(c, &s);
    s.semismooth = semismooth;
    s.before = before;
    if (status == NB_OK) {
        nb_scaled_problem_make_frictionless(c);
        status = try_smaller_compliances(&s, zero, found);
        nb_scaled_problem_restore_friction(c);
    }
    end(&s);
    return status;
}
