#include "constraint/rolling_law.h"

#include <stddef.h>
#include <tgmath.h>

#include "base/largest.h"
#include "cone/cone.h"
#include "cone/rolling_cone.h"
#include "constraint/contact_row.h"
#include "constraint/unilateral.h"

NB_PRECISIONS(f32, f64);

enum {
    ROWS = NB_ROLLING_ROWS
};

static const nb_rolling_law *law_of(const nb_law_range *range) {
    return (const nb_rolling_law *)range->law;
}

/* without hypot's care for numbers near the ends of the range */
static double length_of(const double x[2]) {
    return sqrt(x[0] * x[0] + x[1] * x[1]);
}

/* ---- Newton's method: two contacts of one normal, one for friction and one for rolling ---- */

static void linearise(const nb_law_range *range, const nb_law_state *at, const nb_linearisation *how,
                      const nb_newton_weights *weights) {
    const nb_rolling_law *law = law_of(range);
    for (int32_t i = 0; i < range->blocks; i++) {
        int32_t r = range->first_row + ROWS * i;
        const real limits[2] = {law->mu[range->first + i], law->mu_r[range->first + i]};
        for (int k = 0; k < 2; k++) {
            int32_t first = r + 1 + 2 * k;
            const real value[3] = {at->value[r], at->value[first], at->value[first + 1]},
                       z[3] = {at->z[r], at->z[first], at->z[first + 1]};
            const nb_contact_row row =
                nb_contact_row_of(how->function, how->scaling, how->paper_row_scaling, at->h, how->alpha_minimum, 0, 1,
                                  limits[k], value, z, at->w[r], at->w[first]);
            weights->s[r] = row.s[0];
            weights->c[r] = row.c[0];
            weights->b[r] = row.b[0];
            weights->update[r] = row.update[0];
            for (int32_t j = 0; j < 2; j++) {
                weights->s[first + j] = row.s[1];
                weights->c[first + j] = row.c[1];
                weights->b[first + j] = row.b[1 + j];
                weights->update[first + j] = row.update[1];
            }
        }
    }
}

/* ---- the natural map: the impulses that are admitted make the same cone x_N >= max(|x_T|, |x_R|) of every contact ---
 */

static void scale(const nb_law_range *range, const nb_law_state *at, const nb_law_scale *scale) {
    const nb_rolling_law *law = law_of(range);
    for (int32_t i = 0; i < range->blocks; i++) {
        int32_t r = range->first_row + ROWS * i;
        const real limits[2] = {law->mu[range->first + i], law->mu_r[range->first + i]};
        real trace = at->w[r], count = 1;
        for (int k = 0; k < 2; k++) {
            trace += 2 * limits[k] * limits[k] * at->w[r + 1 + 2 * k];
            count += limits[k] > 0 ? 2 : 0;
        }
        real weight = sqrt(count / trace); /* the diagonal of the block has the mean 1 */
        scale->s[r] = weight;
        scale->d[r] = (double)(limits[0] > 0 ? limits[0] * weight : weight);
        for (int k = 0; k < 4; k++) {
            real limit = limits[k / 2];
            scale->s[r + 1 + k] = limit * weight;
            scale->d[r + 1 + k] = (double)(limit > 0 ? limit * weight : weight);
        }
        for (int k = 0; k < ROWS; k++) scale->c[r + k] = 0;
    }
}

/* the velocities that x is orthogonal to: those of the rows, and both slips in the normal's (De Saxce) */
static void tilt(double rho, const double v[ROWS], double y[ROWS]) {
    for (int k = 0; k < ROWS; k++) y[k] = rho * v[k];
    y[0] = rho * (v[0] + length_of(v + 1) + length_of(v + 3));
}

/* x - P(x - y) = y + (x - y - P(x - y)): the smaller of the two comes through the rounding of their difference */
static void natural(const nb_law_range *range, const nb_natural_point *at, double *f) {
    for (int32_t i = 0; i < range->blocks; i++) {
        int32_t r = range->first_row + ROWS * i;
        const double *x = at->x + r;
        double y[ROWS], difference[ROWS], point[ROWS], rest[ROWS];
        tilt(at->rho, at->v + r, y);
        for (int k = 0; k < ROWS; k++) difference[k] = x[k] - y[k];
        nb_rolling_cone_project(ROWS, 1, 1, difference, point, rest);
        for (int k = 0; k < ROWS; k++) f[r + k] = x[0] > y[0] ? y[k] + rest[k] : x[k] - point[k];
    }
}

/* V^-1 F and V^-1 - 1 of the projection's slope V, both from the left by the inverse of dy/dv = 1 + e_N (t, r)^T */
static void jacobian_of_contact(const nb_natural_point *at, int32_t r, const double *f, double *b, real *k) {
    const double *v = at->v + r, length[2] = {length_of(v + 1), length_of(v + 3)};
    double z[ROWS], y[ROWS], slips[ROWS] = {0}, block[ROWS * ROWS], inverse[ROWS * ROWS], along[3], across[2];
    nb_rolling_slope slope;
    tilt(at->rho, v, y);
    for (int i = 0; i < ROWS; i++) z[i] = at->x[r + i] - y[i];
    for (int i = 1; i < ROWS; i++) slips[i] = length[(i - 1) / 2] > 0 ? v[i] / length[(i - 1) / 2] : 0;
    nb_rolling_cone_differentiate(z, at->floor, &slope);
    for (int i = 0; i < 3; i++) along[i] = 1 / slope.along[i];
    for (int i = 0; i < 2; i++) across[i] = 1 / slope.across[i];
    nb_rolling_slope_matrix(&slope, along, across, inverse);
    for (int i = 0; i < 3; i++) along[i] = (along[i] - 1) / at->rho;
    for (int i = 0; i < 2; i++) across[i] = (across[i] - 1) / at->rho;
    nb_rolling_slope_matrix(&slope, along, across, block);
    for (int i = 0; i < ROWS; i++) {
        b[r + i] = 0;
        for (int j = 0; j < ROWS; j++) b[r + i] -= inverse[ROWS * i + j] * f[r + j] / at->rho;
    }
    for (int i = 1; i < ROWS; i++) {
        b[r] -= slips[i] * b[r + i];
        for (int j = 0; j < ROWS; j++) block[j] -= slips[i] * block[ROWS * i + j];
    }
    for (int i = 0; i < ROWS; i++) {
        int idle = i > 0 && !(at->s[r + i] > 0);
        if (idle) b[r + i] = 0;
        for (int j = 0; j < ROWS; j++) {
            int left_out = idle || (j > 0 && !(at->s[r + j] > 0));
            k[ROWS * i + j] = left_out ? 0 : (real)block[ROWS * i + j];
        }
    }
}

static void jacobian(const nb_law_range *range, const nb_natural_point *at, const double *f, double *b, real *k) {
    for (int32_t i = 0; i < range->blocks; i++)
        jacobian_of_contact(at, range->first_row + ROWS * i, f, b, k + ROWS * ROWS * (ptrdiff_t)i);
}

/* ---- impulses alone, and the harness's errors ---- */

static void project(const nb_law_range *range, real *z) {
    const nb_rolling_law *law = law_of(range);
    for (int32_t i = 0; i < range->blocks; i++) {
        real *own = z + range->first_row + ROWS * (ptrdiff_t)i;
        double x[ROWS], point[ROWS], rest[ROWS];
        for (int k = 0; k < ROWS; k++) x[k] = (double)own[k];
        nb_rolling_cone_project(ROWS, (double)law->mu[range->first + i], (double)law->mu_r[range->first + i], x, point,
                                rest);
        for (int k = 0; k < ROWS; k++) own[k] = (real)point[k];
    }
}

/* each disc by itself, as a contact's: moments in rad/s */
static void error(const nb_law_range *range, const nb_law_state *at, nb_law_errors *errors) {
    const nb_rolling_law *law = law_of(range);
    for (int32_t i = 0; i < range->blocks; i++) {
        int32_t r = range->first_row + ROWS * i;
        const real limits[2] = {law->mu[range->first + i], law->mu_r[range->first + i]};
        nb_unilateral_error(at, r, 0, errors);
        for (int k = 0; k < 2; k++) {
            int32_t first = r + 1 + 2 * k;
            const double z[2] = {(double)at->z[first], (double)at->z[first + 1]},
                         v[2] = {(double)at->value[first], (double)at->value[first + 1]};
            double most = fmax(0, (double)limits[k] * (double)at->z[r]);
            nb_raise(&errors->friction, nb_disc_error(z, v, (double)at->w[first], most));
        }
    }
}

const nb_law_class nb_rolling_class = {
    .name = "rolling",
    .rows = ROWS,
    .cones = 2,
    .cone = {{0, 1, 2}, {0, 3, 4}},
    .linearise = linearise,
    .scale = scale,
    .natural = natural,
    .jacobian = jacobian,
    .project = project,
    .error = error,
};
