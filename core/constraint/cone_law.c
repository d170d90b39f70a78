#include "constraint/cone_law.h"

#include <stddef.h>
#include <tgmath.h>

#include "base/largest.h"
#include "cone.h"
#include "constraint/newton_rows.h"
#include "constraint/unilateral.h"

NB_PRECISIONS(f32, f64);

static const nb_cone_law *law_of(const nb_law_range *range) {
    return (const nb_cone_law *)range->law;
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

/* without hypot's care for numbers near the ends of the range */
static double length_of(const double x[2]) {
    return sqrt(x[0] * x[0] + x[1] * x[1]);
}

/* |w (z_f - Proj(z_f - v/w))| for the disc of radius `limit` */
static double friction_error(const double z[2], const double v[2], double w, double limit) {
    double x[2] = {z[0] - v[0] / w, z[1] - v[1] / w};
    double length = length_of(x);
    if (length <= limit) return length_of(v); /* not by way of x: a large z would swallow v */
    double scale = limit / length;
    return w * length_of((double[2]){z[0] - scale * x[0], z[1] - scale * x[1]});
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
        nb_raise(&errors->friction, friction_error(tangent, slip, (double)at->w[r + 1], limit));
    }
}

const nb_law_class nb_cone_class = {
    .name = "cone",
    .rows = 3,
    .linearise = linearise,
    .project = project,
    .error = error,
};
