#include "wedge.h"

#include <math.h>
#include <string.h>

#include "cone/cone.h"
#include "constraint/cone_law.h"

NB_PRECISIONS(f32, f64);

/* of the best point's |dv|; of |q|, as the next: relaxed solutions beyond it are none */
static const double far = 5, near = 1e-2, beyond = 1e4;

/* x.D x in v's place, from the velocities of x, and no less than what round-off makes of it */
static double square(nb_scaled_problem *c, const double *x, double *v) {
    double sum = 0, sizes = 0;
    nb_scaled_problem_velocity(c, x, v);
    for (int32_t r = 0; r < c->rows; r++) {
        sum += x[r] * (v[r] - c->q[r]);
        sizes += x[r] * x[r]; /* the diagonal of D is near 1 */
    }
    return fmax(sum, 64 * (double)NB_REAL_EPSILON * sizes);
}

/* -p.q/|p| of the iterate, taken into the cones; v is scratch */
static double bound_of(nb_scaled_problem *c, double *p, double *v) {
    double work = 0;
    for (int32_t r = 0; r < c->rows; r += 3) {
        double x[3];
        nb_cone_project(p + r, x);
        memcpy(p + r, x, sizeof x);
    }
    for (int32_t r = 0; r < c->rows; r++) work += p[r] * c->q[r];
    return work < 0 ? -work / sqrt(square(c, p, v)) : 0;
}

/* |dv| of the best point known; INFINITY where that is none to speak of; NAN where that is as good as a solution */
static double best_change(nb_semismooth *s) {
    const double solved = 2e-8; /* wedged tables stop at 9e-7 and above */
    nb_scaled_problem *c = s->problem;
    nb_scaled_problem_velocity(c, c->best, s->v);
    const double error = nb_scaled_problem_natural(c, 1, c->best, s->v, s->f);
    if (error <= solved * sqrt(c->count)) return (double)NAN;
    return error <= near * sqrt(c->count) ? sqrt(square(c, c->best, s->v)) : INFINITY;
}

/* the bound of the iterate less `share` of the one before */
static double bound_less(nb_semismooth *s, const double *before, double share) {
    for (int32_t r = 0; r < s->problem->rows; r++) s->dx[r] = s->x[r] - share * before[r];
    return bound_of(s->problem, s->dx, s->v);
}

/* What one more digit of eps adds is nearer to a p that cancels than all of it. */
static nb_status try_smaller_compliances(nb_semismooth *s, double *zero, double *before, double enough, int *found) {
    const double last = 1e-11;
    nb_status status = NB_OK;
    const nb_scaled_problem *c = s->problem;
    const size_t size = (size_t)c->rows * sizeof *s->x;
    memset(s->x, 0, size);
    memset(zero, 0, size);
    for (double eps = 1; eps >= last && !*found && !c->solved; eps /= 10) {
        const nb_semismooth_task task = {NB_PHASE_CERTIFICATE, 5 / sqrt(eps), eps, zero, 40, 0, 0};
        int done;
        memcpy(before, s->x, size);
        NB_TRY(nb_semismooth_run(s, &task, &done));
        *found = bound_less(s, before, 0) > enough || bound_less(s, before, 1) > enough;
    }
out:
    return status;
}

nb_status nb_wedge_find(nb_semismooth *semismooth, double *zero, double *before, int whole, int *found) {
    nb_scaled_problem *c = semismooth->problem;
    const nb_law_range *coulomb = c->ranges;
    *found = 0;
    if (NB_REAL_BITS != 64 || c->settings->mixed || c->bilaterals > 0 || c->range_count != 1) return NB_OK;
    if (coulomb->law->type != &nb_cone_class || ((const nb_cone_law *)coulomb->law)->soft > 0) return NB_OK;
    const double change = best_change(semismooth);
    if (isnan(change)) return NB_OK;
    const double enough = change < INFINITY ? far * change : beyond * sqrt(c->count);
    if (!(change < INFINITY) && !whole) return NB_OK;
    nb_cone_law law = *(const nb_cone_law *)coulomb->law;
    nb_law_range relaxed = *coulomb;
    law.base.type = &nb_relaxed_class;
    relaxed.law = &law.base;
    c->ranges = &relaxed;
    const nb_status status = try_smaller_compliances(semismooth, zero, before, enough, found);
    c->ranges = coulomb;
    return status;
}
