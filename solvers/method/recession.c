/* Whether impulses that grow without bound show that the relaxed law has no solution (projected.h): p in the cones with
 * N p = 0 and q.p < 0. Any solution has v = N z + q in the dual cones, v.p >= 0, but v.p = q.p. */
#include <math.h>

#include "balance.h"
#include "base/memory.h"
#include "projected.h"

NB_PRECISIONS(f32, f64);

static nb_status look(const nb_projected *s, const real *p, int *balanced) {
    nb_status status;
    const nb_delassus *d = s->p->exact;
    const int32_t velocities = s->matrix ? 0 : d->mass->nodes->velocity[d->mass->nodes->count];
    double *scratch = NULL;
    NB_TRY(NB_ALLOCATE((int64_t)s->rows + velocities + (s->matrix ? 0 : d->mass->nodes->count), &scratch));
    for (int32_t r = 0; r < s->rows; r++) scratch[r] = (double)p[r];
    double *sums = scratch + s->rows;
    *balanced = s->matrix ? nb_balanced_in_rows(s->matrix, s->s, scratch)
                          : nb_balanced_on_nodes(d, s->s, scratch, sums, sums + velocities);
out:
    nb_free(scratch);
    return status;
}

void nb_projected_drop_noise(const nb_projected *s, real *p) {
    real largest = 0;
    for (int32_t r = 0; s->facets > 0 && r < s->rows; r++) largest = (real)fmax(largest, fabs(p[r]));
    for (int32_t r = 0; s->facets > 0 && r < s->rows; r++)
        if (fabs(p[r]) <= 64 * (double)NB_REAL_EPSILON * (double)largest) p[r] = 0;
}

nb_status nb_projected_certify(nb_projected *s, const real *before, const real *now, int *found) {
    real *p = s->v;
    *found = 0;
    if (!s->relaxed || s->contacts == 0) return NB_OK;
    for (int32_t r = 0; r < s->rows; r++) p[r] = now[r] - before[r];
    for (int32_t i = 0; i < s->contacts; i++)
        nb_projected_project(s->facets, s->laws.cone->mu[i], p + s->bilaterals + 3 * (ptrdiff_t)i);
    nb_projected_drop_noise(s, p);
    return nb_projected_proves(s, p, found);
}

nb_status nb_projected_proves(nb_projected *s, const real *p, int *found) {
    double work = 0, sizes = 0, largest = 0, given = 0;
    *found = 0;
    for (int32_t r = 0; r < s->rows; r++) {
        work += (double)p[r] * (double)s->q[r];
        sizes += fabs((double)p[r] * (double)s->q[r]);
        largest = fmax(largest, fabs((double)p[r]));
        given = fmax(given, (double)s->c[r] * fabs((double)p[r]));
    }
    if (!(largest > 0) || !(-work > NB_BALANCE_NOTHING * sizes) || given > 0)
        return NB_OK; /* what gives way bears anything */
    return look(s, p, found);
}
