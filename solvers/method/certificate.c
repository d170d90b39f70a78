#include "certificate.h"

#include <math.h>
#include <string.h>

static double product(const nb_conic *c, const double *a, const double *b) {
    double sum = 0;
    for (int32_t r = 0; r < c->rows; r++) sum += a[r] * b[r];
    return sum;
}

/* Whether what the last tenth of the compliance added to the impulses is a certificate: what both have in common are
 * the moderate impulses of the contacts that do have a solution. Rows of friction count in W p, since r has them; and
 * the best point known must not be one that a certificate rules out. */
static int is_certificate(nb_semismooth *s, const double *before) {
    const double least = NB_REAL_BITS == 64 ? 1e7 : 1e3;
    nb_conic *c = s->conic;
    double *p = s->dx, largest = 0; /* |W p| */
    for (int32_t r = 0; r < c->rows; r++) p[r] = s->x[r] - before[r];
    for (int32_t i = 0; i < c->contacts; i++) p[nb_conic_first(c, i)] = fmax(p[nb_conic_first(c, i)], 0);
    nb_conic_restore_friction(c);
    nb_conic_velocity(c, p, s->v);
    for (int32_t r = 0; r < c->rows; r++) largest = fmax(largest, fabs(s->v[r] - c->q[r]));
    double work = product(c, p, c->q);
    nb_conic_velocity(c, c->best, s->v);
    double of_best = product(c, p, s->v);
    nb_conic_make_frictionless(c);
    return work < 0 && -work >= least * largest && of_best <= work / 2;
}

static double largest_impulse(const nb_semismooth *s, const double *x) {
    double largest = 0;
    for (int32_t r = 0; r < s->conic->rows; r++) largest = fmax(largest, fabs(x[r]));
    return largest;
}

nb_status nb_certificate_find(nb_semismooth *s, double *zero, double *before, int *found) {
    const double last = NB_REAL_BITS == 64 ? 1e-11 : 1e-5;
    nb_status status = NB_OK;
    nb_conic *c = s->conic;
    *found = 0;
    if (c->contacts == 0) return NB_OK;
    nb_conic_make_frictionless(c);
    memset(s->x, 0, (size_t)c->rows * sizeof *s->x);
    memset(zero, 0, (size_t)c->rows * sizeof *zero);
    for (double eps = 1; eps >= last && !*found && !c->solved; eps /= 10) {
        int done;
        memcpy(before, s->x, (size_t)c->rows * sizeof *before);
        const nb_semismooth_task task = {NB_PHASE_CERTIFICATE, 1, eps, zero, 20, 0};
        NB_TRY(nb_semismooth_run(s, &task, &done));
        *found = is_certificate(s, before);
        /* a tenfold growth is what a p makes */
        if (eps < 1e-4 && largest_impulse(s, s->x) < 2 * largest_impulse(s, before)) break;
    }
out:
    nb_conic_restore_friction(c);
    return status;
}
