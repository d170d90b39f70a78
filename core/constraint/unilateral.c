#include "constraint/unilateral.h"

#include <tgmath.h>

#include "base/largest.h"
#include "constraint/contact_row.h"

NB_PRECISIONS(f32, f64);

static real soft_of(const nb_law_range *range) {
    return ((const nb_unilateral_law *)range->law)->soft;
}

static void linearise(const nb_law_range *range, const nb_law_state *at, const nb_linearisation *how,
                      const nb_newton_weights *weights) {
    const real soft = soft_of(range);
    for (int32_t i = 0, r = range->first_row; i < range->blocks; i++, r++) {
        real rho, none;
        nb_ncp_factors(how->scaling, at->h, at->w[r] + soft, 0, 0, 0, &rho, &none);
        nb_normal_row row = nb_normal_row_of(how->function, how->paper_row_scaling, how->alpha_minimum, soft, rho,
                                             at->value[r], at->z[r]);
        weights->s[r] = row.s;
        weights->c[r] = row.c;
        weights->b[r] = row.b;
        weights->update[r] = row.update;
    }
}

static void scale(const nb_law_range *range, const nb_law_state *at, const nb_law_scale *scale) {
    const real soft = soft_of(range);
    for (int32_t i = 0, r = range->first_row; i < range->blocks; i++, r++) {
        real size = at->w[r] + soft;
        scale->s[r] = size > 0 ? 1 / sqrt(size) : 1;
        scale->c[r] = soft * scale->s[r] * scale->s[r];
        scale->d[r] = (double)scale->s[r];
    }
}

static void natural(const nb_law_range *range, const nb_natural_point *at, double *f) {
    for (int32_t i = 0, r = range->first_row; i < range->blocks; i++, r++) f[r] = fmin(at->x[r], at->rho * at->v[r]);
}

static void jacobian(const nb_law_range *range, const nb_natural_point *at, const double *f, double *b, real *k) {
    for (int32_t i = 0, r = range->first_row; i < range->blocks; i++, r++) {
        double slope = at->x[r] - at->rho * at->v[r] > 0 ? 1 : at->floor; /* of the projection */
        b[r] = -f[r] / (slope * at->rho);
        k[i] = (real)((1 / slope - 1) / at->rho);
    }
}

static void project(const nb_law_range *range, real *z) {
    for (int32_t i = 0, r = range->first_row; i < range->blocks; i++, r++) z[r] = z[r] > 0 ? z[r] : 0;
}

void nb_unilateral_error(const nb_law_state *at, int32_t row, real soft, nb_law_errors *errors) {
    double a = (double)(at->value[row] + soft * at->z[row]), force = (double)(at->w[row] * at->z[row]);
    nb_raise(&errors->complementarity, nb_normal_error(a, force, nb_law_noise(force)));
    nb_raise(&errors->penetration, (double)(-at->value[row] * at->h));
    if (isnan(a) || isnan(force)) errors->complementarity = (double)NAN;
}

static void error(const nb_law_range *range, const nb_law_state *at, nb_law_errors *errors) {
    for (int32_t i = 0, r = range->first_row; i < range->blocks; i++, r++)
        nb_unilateral_error(at, r, soft_of(range), errors);
}

const nb_law_class nb_unilateral_class = {
    .name = "unilateral",
    .rows = 1,
    .linearise = linearise,
    .scale = scale,
    .natural = natural,
    .jacobian = jacobian,
    .project = project,
    .error = error,
};
