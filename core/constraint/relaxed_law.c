/* The convex relaxation of Coulomb's law: the cone law with the velocity itself in the dual cone, in place of the one
 * with mu |v_t| added to its normal. It is Coulomb's law of the normal velocity v_n - mu |v_t|. */
#include <stddef.h>
#include <tgmath.h>

#include "base/largest.h"
#include "cone/cone.h"
#include "constraint/cone_law.h"
#include "constraint/newton_rows.h"

NB_PRECISIONS(f32, f64);

enum {
    AT_ONCE = 256 /* contacts */
};

static const nb_cone_law *law_of(const nb_law_range *range) {
    return (const nb_cone_law *)range->law;
}

/* What gives way besides: dv stands for dv + R dz. */
static void add_softness(const nb_softness *softness, ptrdiff_t row, const nb_newton_weights *weights) {
    for (int k = 0; k < 3; k++)
        weights->c[row + k] +=
            (k ? softness->tangent : softness->normal) * weights->s[row + k] * weights->update[row + k];
}

/* As Coulomb's rows with c_n - mu |c_t| in the place of v_n, lagged as W is. */
static void linearise(const nb_law_range *range, const nb_law_state *at, const nb_linearisation *how,
                      const nb_newton_weights *weights) {
    const nb_cone_law *law = law_of(range);
    real value[3 * AT_ONCE], inverse_mass[3 * AT_ONCE];
    for (int32_t i = 0; i < range->blocks; i += AT_ONCE) {
        const ptrdiff_t r = range->first_row + 3 * (ptrdiff_t)i;
        const int32_t count = range->blocks - i < AT_ONCE ? range->blocks - i : AT_ONCE;
        const real *mu = law->mu + range->first + i;
        for (int32_t k = 0; k < count; k++) {
            real *c = value + 3 * (ptrdiff_t)k, *w = inverse_mass + 3 * (ptrdiff_t)k;
            nb_softness softness = nb_softness_of(law, range->first + i + k);
            if (!law->softness) softness.normal = 0; /* rows of one compliance have it by themselves */
            nb_softness_add(&softness, at->value + r + 3 * (ptrdiff_t)k, at->z + r + 3 * (ptrdiff_t)k, c);
            for (int j = 0; j < 3; j++)
                w[j] = at->w[r + 3 * (ptrdiff_t)k + j] + (j ? softness.tangent : softness.normal);
            const real across = law->ratio * c[2];
            c[0] -= mu[k] * sqrt(c[1] * c[1] + across * across);
        }
        const nb_newton_rows rows = {how->function,
                                     how->scaling,
                                     how->paper_row_scaling,
                                     at->h,
                                     how->alpha_minimum,
                                     law->softness ? 0 : law->soft,
                                     law->ratio,
                                     mu,
                                     value,
                                     at->z + r,
                                     inverse_mass,
                                     weights->s + r,
                                     weights->c + r,
                                     weights->b + r,
                                     weights->update + r};
        nb_newton_rows_assemble(&rows, count);
        for (int32_t k = 0; law->softness && k < count; k++)
            add_softness(&law->softness[range->first + i + k], r + 3 * (ptrdiff_t)k, weights);
    }
}

static void scale(const nb_law_range *range, const nb_law_state *at, const nb_law_scale *to) {
    nb_cone_class.scale(range, at, to);
}

static void project(const nb_law_range *range, real *z) {
    nb_cone_class.project(range, z);
}

/* f = x - P(x - y) for the cone {x_N >= |x_T|}, which is its own dual, so that f = y - P(y - x): the smaller of the two
 * comes through the rounding of their difference */
static void map(const double x[3], const double y[3], double f[3]) {
    const double *small = x[0] > y[0] ? y : x, *large = x[0] > y[0] ? x : y;
    double z[3];
    for (int k = 0; k < 3; k++) z[k] = small[k] - large[k];
    nb_cone_project(z, f);
    for (int k = 0; k < 3; k++) f[k] = small[k] - f[k];
}

static void natural(const nb_law_range *range, const nb_natural_point *at, double *f) {
    for (int32_t i = 0; i < range->blocks; i++) {
        const ptrdiff_t r = range->first_row + 3 * (ptrdiff_t)i;
        const double *v = at->v + r, y[3] = {at->rho * v[0], at->rho * v[1], at->rho * v[2]};
        map(at->x + r, y, f + r);
    }
}

/* V^-1 F and V^-1 - 1 of the projection's slope V */
static void jacobian(const nb_law_range *range, const nb_natural_point *at, const double *f, double *b, real *k) {
    const double rho = at->rho;
    for (int32_t i = 0; i < range->blocks; i++, k += 9) {
        const ptrdiff_t r = range->first_row + 3 * (ptrdiff_t)i;
        const double *x = at->x + r, *v = at->v + r, *own = f + r;
        double z[3] = {x[0] - rho * v[0], x[1] - rho * v[1], x[2] - rho * v[2]}, block[9], inverse[9];
        nb_cone_slope slope;
        nb_cone_differentiate(z, at->floor, &slope);
        nb_cone_slope_matrix(&slope, 1 / slope.low, 1 / slope.high, 1 / slope.across, inverse);
        nb_cone_slope_matrix(&slope, 1 / slope.low - 1, 1 / slope.high - 1, 1 / slope.across - 1, block);
        int frictionless = !(at->s[r + 1] > 0);
        for (int j = 0; j < 3; j++) {
            const double *row = inverse + 3 * j;
            b[r + j] = frictionless && j > 0 ? 0 : -(row[0] * own[0] + row[1] * own[1] + row[2] * own[2]) / rho;
        }
        for (int j = 0; j < 9; j++) k[j] = frictionless && j > 0 ? 0 : (real)(block[j] / rho);
    }
}

/* The natural map in velocities: of x = (a z_n, b z_t) and y = (c_n/a, c_t/b), a^2 = w_n and b^2 = w_t, whose cone is
 * {mu' x_n >= |x_t|}, mu' = mu b/a, the residual is (a f_n, b f_t). Without friction it is Coulomb's. */
static void error_of_contact(double mu, double ratio, const double c[3], const double z[3], const double w[2],
                             nb_law_errors *errors) {
    const double a = sqrt(w[0]), b = sqrt(w[1]), slope = mu * b / a;
    const double x[3] = {a * z[0], b * z[1], b * z[2] / ratio}, y[3] = {c[0] / a, c[1] / b, ratio * c[2] / b};
    double p[3], f[3];
    for (int k = 0; k < 3; k++) p[k] = f[k] = x[k] - y[k];
    nb_cone_project_friction(3, slope, p);
    /* f - P(f) + y where impulses are large: they do not swallow velocities */
    for (int k = 0; k < 3; k++) f[k] = x[0] > y[0] ? y[k] + (f[k] - p[k]) : x[k] - p[k];
    nb_raise(&errors->complementarity, a * fabs(f[0]));
    if (x[0] > y[0]) nb_raise(&errors->complementarity, nb_law_noise(a * x[0]));
    nb_raise(&errors->friction, b * sqrt(f[1] * f[1] + f[2] * f[2]));
}

static void error(const nb_law_range *range, const nb_law_state *at, nb_law_errors *errors) {
    const nb_cone_law *law = law_of(range);
    for (int32_t i = 0; i < range->blocks; i++) {
        const ptrdiff_t r = range->first_row + 3 * (ptrdiff_t)i;
        const real *value = at->value + r, *z = at->z + r;
        const double x[3] = {(double)z[0], (double)z[1], (double)z[2]}, w[2] = {(double)at->w[r], (double)at->w[r + 1]};
        const nb_softness soft = nb_softness_of(law, range->first + i);
        double c[3];
        for (int k = 0; k < 3; k++)
            c[k] = (double)value[k] + (double)soft.shift[k] + (double)(k ? soft.tangent : soft.normal) * x[k];
        error_of_contact((double)law->mu[range->first + i], (double)law->ratio, c, x, w, errors);
        nb_raise(&errors->penetration, (double)(-value[0] * at->h));
    }
}

const nb_law_class nb_relaxed_class = {
    .name = "relaxed",
    .rows = 3,
    .relaxes = &nb_cone_class,
    .cones = 1,
    .cone = {{0, 1, 2}},
    .linearise = linearise,
    .scale = scale,
    .natural = natural,
    .jacobian = jacobian,
    .project = project,
    .error = error,
};
