/* Coulomb's law and its convex relaxation with friction in a polygon (friction_polygon.h): what linear complementarity
 * problems are made of. With d_i the polygon's corners, and the friction z_t = sum beta_i d_i,
 *
 *     0 <= v_n  [- mu lambda]  _|_  z_n >= 0,    0 <= lambda + d_i . v_t  _|_  beta_i >= 0,
 *     0 <= mu z_n - sum beta_i  _|_  lambda >= 0
 *
 * where what is in brackets belongs to the relaxed law. lambda is the slip against the corners, the largest -d_i . v_t.
 *
 * Source: Anitescu, Hart, "Constrained-based simulation of multi-rigid-body dynamics with contact and friction", ICIAM
 * 2003, whose directions cover half a circle only. */
#include <stddef.h>
#include <tgmath.h>

#include "base/largest.h"
#include "cone/friction_polygon.h"
#include "constraint/cone_law.h"
#include "constraint/unilateral.h"

NB_PRECISIONS(f32, f64);

static const nb_cone_law *law_of(const nb_law_range *range) {
    return (const nb_cone_law *)range->law;
}

/* in the norm in which the friction is a regular polygon */
static void project(const nb_law_range *range, real *z) {
    const nb_cone_law *law = law_of(range);
    for (int32_t i = 0; i < range->blocks; i++) {
        real *own = z + range->first_row + 3 * (ptrdiff_t)i;
        double x[3] = {(double)own[0], (double)own[1], (double)(own[2] / law->ratio)};
        nb_polygon_project_cone(law->facets, (double)law->mu[range->first + i], x);
        own[0] = (real)x[0];
        own[1] = (real)x[1];
        own[2] = law->ratio * (real)x[2];
    }
}

static void error(const nb_law_range *range, const nb_law_state *at, nb_law_errors *errors) {
    const nb_cone_law *law = law_of(range);
    const double ratio = (double)law->ratio;
    for (int32_t i = 0; i < range->blocks; i++) {
        const ptrdiff_t r = range->first_row + 3 * (ptrdiff_t)i;
        const real *z = at->z + r, *value = at->value + r;
        const double friction[2] = {(double)z[1], (double)z[2] / ratio},
                     slip[2] = {(double)value[1], ratio * (double)value[2]};
        const double limit = fmax(0, (double)law->mu[range->first + i] * (double)z[0]);
        nb_unilateral_error(at, (int32_t)r, law->soft, errors);
        nb_raise(&errors->friction, nb_polygon_error(law->facets, friction, slip, (double)at->w[r + 1], limit));
    }
}

/* The natural map in velocities, of the cone in x = (a z_n, b z_t) and y = (v_n/a, v_t/b), a^2 = w_n and b^2 = w_t, as
 * in relaxed_law.c. */
static void relaxed_error(const nb_law_range *range, const nb_law_state *at, nb_law_errors *errors) {
    const nb_cone_law *law = law_of(range);
    const double ratio = (double)law->ratio;
    for (int32_t i = 0; i < range->blocks; i++) {
        const ptrdiff_t r = range->first_row + 3 * (ptrdiff_t)i;
        const real *z = at->z + r, *v = at->value + r;
        const double a = sqrt((double)at->w[r]), b = sqrt((double)at->w[r + 1]);
        const double x[3] = {a * (double)z[0], b * (double)z[1], b * (double)z[2] / ratio},
                     y[3] = {(double)(v[0] + law->soft * z[0]) / a, (double)v[1] / b, ratio * (double)v[2] / b};
        double p[3], f[3];
        for (int k = 0; k < 3; k++) p[k] = f[k] = x[k] - y[k];
        nb_polygon_project_cone(law->facets, (double)law->mu[range->first + i] * b / a, p);
        for (int k = 0; k < 3; k++) f[k] = x[0] > y[0] ? y[k] + (f[k] - p[k]) : x[k] - p[k];
        nb_raise(&errors->complementarity, a * fabs(f[0]));
        if (x[0] > y[0]) nb_raise(&errors->complementarity, nb_law_noise(a * x[0]));
        nb_raise(&errors->friction, b * sqrt(f[1] * f[1] + f[2] * f[2]));
        nb_raise(&errors->penetration, (double)(-v[0] * at->h));
    }
}

const nb_law_class nb_polyhedral_class = {
    .name = "polyhedral",
    .rows = 3,
    .relaxes = &nb_cone_class,
    .project = project,
    .error = error,
};

const nb_law_class nb_polyhedral_relaxed_class = {
    .name = "polyhedral-relaxed",
    .rows = 3,
    .relaxes = &nb_cone_class,
    .project = project,
    .error = relaxed_error,
};
