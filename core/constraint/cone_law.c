#include "constraint/cone_law.h"

#include <stddef.h>
#include <tgmath.h>

#include "base/largest.h"
#include "cone/cone.h"
#include "constraint/newton_rows.h"
#include "constraint/unilateral.h"

NB_PRECISIONS(f32, f64);

static const nb_cone_law *law_of(const nb_law_range *range) {
    return (const nb_cone_law *)range->law;
}

/* without hypot's care for numbers near the ends of the range */
static double length_of(const double x[2]) {
    return sqrt(x[0] * x[0] + x[1] * x[1]);
}

static void linearise(const nb_law_range *range, const nb_law_state *at, const nb_linearisation *how,
                      const nb_newton_weights *weights) {
    const nb_cone_law *law = law_of(range);
    const ptrdiff_t first = range->first_row;
    const nb_newton_rows rows = {how->function,
                                 how->scaling,
                                 how->paper_row_scaling,
                                 at->h,
                                 how->alpha_minimum,
                                 law->soft,
                                 law->ratio,
                                 law->mu + range->first,
                                 at->value + first,
                                 at->z + first,
                                 at->w + first,
                                 weights->s + first,
                                 weights->c + first,
                                 weights->b + first,
                                 weights->update + first};
    nb_newton_rows_assemble(&rows, range->blocks);
}

/* ---- the natural map: the impulses that are admitted make the same cone x_N >= |x_T| of every contact ---- */

static void scale(const nb_law_range *range, const nb_law_state *at, const nb_law_scale *scale) {
    const nb_cone_law *law = law_of(range);
    const real ratio = law->ratio, both = 1 + ratio * ratio;
    for (int32_t i = 0; i < range->blocks; i++) {
        int32_t r = range->first_row + 3 * i;
        const nb_softness soft = nb_softness_of(law, range->first + i);
        real mu = law->mu[range->first + i], normal = at->w[r] + soft.normal, across = at->w[r + 1] + soft.tangent;
        /* d/mu = (trace/3)^(-1/2) for the trace of the diagonal block of D times mu^2 */
        real weight = mu > 0 ? sqrt(3 / (normal + both * mu * mu * across)) : 1 / sqrt(normal);
        scale->s[r] = weight;
        scale->s[r + 1] = mu * weight;
        scale->s[r + 2] = ratio * mu * weight;
        for (int k = 0; k < 3; k++) {
            scale->c[r + k] = (k ? soft.tangent : soft.normal) * scale->s[r + k] * scale->s[r + k];
            scale->shift[r + k] = soft.shift[k];
            scale->d[r + k] = (double)(mu > 0 ? scale->s[r + 1] : weight);
        }
    }
}

/* x - P(x - y) = y - P(y - x), since the cone is its own dual: the smaller of the two comes through the rounding of
 * their difference */
static void natural(const nb_law_range *range, const nb_natural_point *at, double *f) {
    const double rho = at->rho;
    for (int32_t i = 0; i < range->blocks; i++) {
        int32_t r = range->first_row + 3 * i;
        const double *x = at->x + r, *v = at->v + r;
        double y[3] = {rho * (v[0] + length_of(v + 1)), rho * v[1], rho * v[2]}, z[3];
        const double *small = x[0] > y[0] ? y : x, *large = x[0] > y[0] ? x : y;
        for (int k = 0; k < 3; k++) z[k] = small[k] - large[k];
        nb_cone_project(z, f + r);
        for (int k = 0; k < 3; k++) f[r + k] = small[k] - f[r + k];
    }
}

/* V^-1 F and V^-1 - 1 of the projection's slope V, both from the left by the inverse of 1 + e_N t^T, t = v_T/|v_T|,
 * the derivative of y by v */
static void jacobian_of_contact(const nb_natural_point *at, int32_t r, const double *f, double *b, real *k) {
    const double *x = at->x + r, *v = at->v + r, rho = at->rho, length = length_of(v + 1);
    double z[3] = {x[0] - rho * (v[0] + length), x[1] - rho * v[1], x[2] - rho * v[2]};
    double t[2] = {length > 0 ? v[1] / length : 0, length > 0 ? v[2] / length : 0};
    double block[9], inverse[9];
    nb_cone_slope slope;
    nb_cone_differentiate(z, at->floor, &slope);
    nb_cone_slope_matrix(&slope, 1 / slope.low, 1 / slope.high, 1 / slope.across, inverse);
    nb_cone_slope_matrix(&slope, 1 / slope.low - 1, 1 / slope.high - 1, 1 / slope.across - 1, block);
    for (int i = 0; i < 9; i++) block[i] /= rho;
    for (int i = 0; i < 3; i++) block[i] -= t[0] * block[3 + i] + t[1] * block[6 + i];
    for (int i = 0; i < 3; i++)
        b[r + i] = -(inverse[3 * i] * f[r] + inverse[3 * i + 1] * f[r + 1] + inverse[3 * i + 2] * f[r + 2]) / rho;
    b[r] -= t[0] * b[r + 1] + t[1] * b[r + 2];
    int frictionless = !(at->s[r + 1] > 0);
    if (frictionless) b[r + 1] = b[r + 2] = 0;
    for (int i = 0; i < 9; i++) k[i] = frictionless && i > 0 ? 0 : (real)block[i];
}

static void jacobian(const nb_law_range *range, const nb_natural_point *at, const double *f, double *b, real *k) {
    for (int32_t i = 0; i < range->blocks; i++)
        jacobian_of_contact(at, range->first_row + 3 * i, f, b, k + 9 * (ptrdiff_t)i);
}

/* ---- impulses alone, and the harness's errors ---- */

/* in the norm in which the friction is a disc */
static void project(const nb_law_range *range, real *z) {
    const nb_cone_law *law = law_of(range);
    for (int32_t i = 0; i < range->blocks; i++) {
        real *own = z + range->first_row + 3 * (ptrdiff_t)i;
        double x[3] = {(double)own[0], (double)own[1], (double)(own[2] / law->ratio)};
        nb_cone_project_friction(3, (double)law->mu[range->first + i], x);
        own[0] = (real)x[0];
        own[1] = (real)x[1];
        own[2] = law->ratio * (real)x[2];
    }
}

static void error(const nb_law_range *range, const nb_law_state *at, nb_law_errors *errors) {
    const nb_cone_law *law = law_of(range);
    const double ratio = (double)law->ratio;
    for (int32_t i = 0; i < range->blocks; i++) {
        int32_t r = range->first_row + 3 * i;
        const real *z = at->z + r, *value = at->value + r;
        const double tangent[2] = {(double)z[1], (double)z[2] / ratio},
                     slip[2] = {(double)value[1], ratio * (double)value[2]};
        double limit = fmax(0, (double)law->mu[range->first + i] * (double)z[0]);
        nb_unilateral_error(at, r, law->soft, errors);
        nb_raise(&errors->friction, nb_disc_error(tangent, slip, (double)at->w[r + 1], limit));
    }
}

const nb_law_class nb_cone_class = {
    .name = "cone",
    .rows = 3,
    .cones = 1,
    .cone = {{0, 1, 2}},
    .linearise = linearise,
    .scale = scale,
    .natural = natural,
    .jacobian = jacobian,
    .project = project,
    .error = error,
};
