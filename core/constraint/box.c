#include "constraint/box.h"

#include <tgmath.h>

#include "base/largest.h"
#include "constraint/contact_row.h"

NB_PRECISIONS(f32, f64);

static const nb_box_law *law_of(const nb_law_range *range) {
    return (const nb_box_law *)range->law;
}

/* x in the interval */
static double clipped(double x, double low, double high) {
    return x < low ? low : x > high ? high : x;
}

/* phi and its derivatives where b is infinite, too: a then */
static nb_ncp_normal_value ncp_of(nb_ncp_function function, real a, real b) {
    if (isinf(b)) return (nb_ncp_normal_value){a, 1, 0};
    return nb_ncp_normal(function, a, b);
}

static void linearise(const nb_law_range *range, const nb_law_state *at, const nb_linearisation *how,
                      const nb_newton_weights *weights) {
    const nb_box_law *law = law_of(range);
    for (int32_t i = range->first, r = range->first_row; i < range->first + range->blocks; i++, r++) {
        const real soft = law->compliance[i], z = at->z[r], v = at->value[r] + soft * z;
        real rho, none;
        nb_ncp_factors(how->scaling, at->h, at->w[r] + soft, 0, 0, 0, &rho, &none);
        const nb_ncp_normal_value above = ncp_of(how->function, -v, rho * (law->upper[i] - z)),
                                  below = ncp_of(how->function, -above.phi, rho * (z - law->lower[i]));
        const nb_ncp_normal_value both = {below.phi, below.alpha * above.alpha, below.beta + below.alpha * above.beta};
        nb_normal_row row = nb_normal_row_from(&both, 0, how->alpha_minimum, soft, rho);
        if (how->paper_row_scaling) { /* alpha on the force, as printed, would take off what acts at a bound */
            const real alpha = fmax(both.alpha, how->alpha_minimum);
            row = (nb_normal_row){1, both.beta * rho / alpha + soft, -both.phi / alpha, 1};
        }
        weights->s[r] = row.s;
        weights->c[r] = row.c;
        weights->b[r] = row.b;
        weights->update[r] = row.update;
    }
}

static void scale(const nb_law_range *range, const nb_law_state *at, const nb_law_scale *scale) {
    const nb_box_law *law = law_of(range);
    for (int32_t i = range->first, r = range->first_row; i < range->first + range->blocks; i++, r++) {
        const real size = at->w[r] + law->compliance[i];
        scale->s[r] = size > 0 ? 1 / sqrt(size) : 1;
        scale->c[r] = law->compliance[i] * scale->s[r] * scale->s[r];
        scale->d[r] = (double)scale->s[r];
    }
}

/* x less its projection: rho v inside, which then does not come through the rounding of x - rho v */
static void natural(const nb_law_range *range, const nb_natural_point *at, double *f) {
    const nb_box_law *law = law_of(range);
    for (int32_t i = range->first, r = range->first_row; i < range->first + range->blocks; i++, r++) {
        const double unit = at->unit * (double)at->s[r], low = (double)law->lower[i] / unit,
                     high = (double)law->upper[i] / unit;
        f[r] = clipped(at->rho * at->v[r], at->x[r] - high, at->x[r] - low);
    }
}

static void jacobian(const nb_law_range *range, const nb_natural_point *at, const double *f, double *b, real *k) {
    const nb_box_law *law = law_of(range);
    for (int32_t i = range->first, r = range->first_row; i < range->first + range->blocks; i++, r++) {
        const double unit = at->unit * (double)at->s[r], to = at->x[r] - at->rho * at->v[r];
        const int inside = to > (double)law->lower[i] / unit && to < (double)law->upper[i] / unit;
        const double slope = inside ? 1 : at->floor; /* of the projection */
        b[r] = -f[r] / (slope * at->rho);
        *k++ = (real)((1 / slope - 1) / at->rho);
    }
}

static void project(const nb_law_range *range, real *z) {
    const nb_box_law *law = law_of(range);
    for (int32_t i = range->first, r = range->first_row; i < range->first + range->blocks; i++, r++)
        z[r] = (real)clipped((double)z[r], (double)law->lower[i], (double)law->upper[i]);
}

/* A limit counts as complementarity, a row without bounds as a joint's, one with two as friction. */
static void error(const nb_law_range *range, const nb_law_state *at, nb_law_errors *errors) {
    const nb_box_law *law = law_of(range);
    for (int32_t i = range->first, r = range->first_row; i < range->first + range->blocks; i++, r++) {
        const double low = (double)law->lower[i], high = (double)law->upper[i], z = (double)at->z[r],
                     size = (double)(at->w[r] + law->compliance[i]),
                     v = (double)(at->value[r] + law->compliance[i] * at->z[r]);
        double *of = isinf(low) && isinf(high) ? &errors->bilateral
                     : isinf(high)             ? &errors->complementarity
                                               : &errors->friction;
        const double inside = clipped(v, size * (z - high), size * (z - low));
        nb_raise(of, fabs(inside));
        if (inside == v) nb_raise(of, nb_law_noise((double)(at->w[r] * at->z[r])));
        if (isnan(v) || isnan(z)) *of = (double)NAN;
    }
}

const nb_law_class nb_box_class = {
    .name = "box",
    .rows = 1,
    .linearise = linearise,
    .scale = scale,
    .natural = natural,
    .jacobian = jacobian,
    .project = project,
    .error = error,
};
