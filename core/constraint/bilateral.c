#include "constraint/bilateral.h"

#include <tgmath.h>

#include "base/largest.h"

NB_PRECISIONS(f32, f64);

static const real *compliances(const nb_law_range *range) {
    return ((const nb_bilateral_law *)range->law)->compliance + range->first;
}

static void linearise(const nb_law_range *range, const nb_law_state *at, const nb_linearisation *how,
                      const nb_newton_weights *weights) {
    (void)how; /* linear as it is */
    const real *compliance = compliances(range);
    for (int32_t i = 0, r = range->first_row; i < range->blocks; i++, r++) {
        weights->s[r] = weights->update[r] = 1;
        weights->c[r] = compliance[i];
        weights->b[r] = -(at->value[r] + compliance[i] * at->z[r]);
    }
}

static void scale(const nb_law_range *range, const nb_law_state *at, const nb_law_scale *scale) {
    const real *compliance = compliances(range);
    for (int32_t i = 0, r = range->first_row; i < range->blocks; i++, r++) {
        real size = at->w[r] + compliance[i];
        scale->s[r] = size > 0 ? 1 / sqrt(size) : 1;
        scale->c[r] = compliance[i] * scale->s[r] * scale->s[r];
        scale->d[r] = (double)scale->s[r];
    }
}

static void natural(const nb_law_range *range, const nb_natural_point *at, double *f) {
    for (int32_t i = 0, r = range->first_row; i < range->blocks; i++, r++) f[r] = at->v[r];
}

static void jacobian(const nb_law_range *range, const nb_natural_point *at, const double *f, double *b, real *k) {
    (void)at; /* linear as it is */
    for (int32_t i = 0, r = range->first_row; i < range->blocks; i++, r++) {
        b[r] = -f[r];
        k[i] = 0;
    }
}

static void project(const nb_law_range *range, real *z) {
    (void)range; /* all are admitted */
    (void)z;
}

static void error(const nb_law_range *range, const nb_law_state *at, nb_law_errors *errors) {
    const real *compliance = compliances(range);
    for (int32_t i = 0, r = range->first_row; i < range->blocks; i++, r++) {
        nb_raise(&errors->bilateral, (double)fabs(at->value[r] + compliance[i] * at->z[r]));
        nb_raise(&errors->bilateral, nb_law_noise((double)(at->w[r] * at->z[r])));
    }
}

const nb_law_class nb_bilateral_class = {
    .name = "bilateral",
    .rows = 1,
    .linearise = linearise,
    .scale = scale,
    .natural = natural,
    .jacobian = jacobian,
    .project = project,
    .error = error,
};
