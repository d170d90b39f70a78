/* The Lorentz cone L = {x : x_N >= |x_T|} of one contact, x = (x_N, x_T1, x_T2), and its Jordan algebra: what an
 * interior-point and a semismooth method need of it. A contact without friction is the half-line x_N >= 0: it has
 * x_T = 0 here, which every function keeps exactly.
 *
 *     a o b = (a.b, a_N b_T + b_N a_T),   det x = x_N^2 - |x_T|^2,   eigenvalues x_N -+ |x_T|
 *
 * Near the boundary x_N - |x_T| is formed once and never as a difference of squares: without that an interior point
 * stops at an error of about 1e-6.
 *
 * Sources: Alizadeh, Goldfarb, "Second-order cone programming", 2003; Nesterov, Todd, 1997; for the projection
 * Fukushima, Luo, Tseng, 2001. */
#ifndef NB_CONE_H
#define NB_CONE_H

#include <math.h>
#include <stdint.h>

#include "base/features.h"

/* ---- here, and not in cone.c, since an interior point spends its time in them ---- */

NB_INLINE_FN double nb_cone_tangential(const double x[3]) {
    return sqrt(x[1] * x[1] + x[2] * x[2]);
}

/* (x_N - |x_T|)(x_N + |x_T|) */
NB_INLINE_FN double nb_cone_determinant(const double x[3]) {
    double t = nb_cone_tangential(x);
    return (x[0] - t) * (x[0] + t);
}

/* a_N b_N - a_T.b_T without cancellation where a is near the boundary of L */
NB_INLINE_FN double nb_cone_lorentz(const double a[3], const double b[3]) {
    double t = nb_cone_tangential(a);
    if (!(t > 0)) return a[0] * b[0];
    return (a[0] - t) * b[0] + (t * b[0] - (a[1] * b[1] + a[2] * b[2]));
}

/* the largest t with x + t dx in L, for x inside; INFINITY where there is none, NaN where x or dx holds one */
NB_INLINE_FN double nb_cone_step(const double x[3], const double dx[3]) {
    /* the first positive root of det(x + t dx) = c + 2 b t + a t^2, c > 0; b^2 >= a c for x inside L, but round-off
     * says otherwise where the line meets the apex */
    double a = nb_cone_determinant(dx), b = nb_cone_lorentz(x, dx), c = nb_cone_determinant(x);
    double square = b * b - a * c, root = square < 0 ? 0 : sqrt(square);
    if (b < 0) return c / (root - b);
    if (a < 0) return (b + root) / -a;
    return isnan(square) ? square : INFINITY;
}

/* out = a o b; out may be a or b */
NB_INLINE_FN void nb_cone_product(const double a[3], const double b[3], double out[3]) {
    double n = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    double t1 = a[0] * b[1] + b[0] * a[1], t2 = a[0] * b[2] + b[0] * a[2];
    out[0] = n;
    out[1] = t1;
    out[2] = t2;
}

/* out with x o out = r, for x inside L and of determinant `determinant`; out may be r */
NB_INLINE_FN void nb_cone_divide(const double x[3], double determinant, const double r[3], double out[3]) {
    double n = nb_cone_lorentz(x, r) / determinant;
    out[1] = (r[1] - n * x[1]) / x[0];
    out[2] = (r[2] - n * x[2]) / x[0];
    out[0] = n;
}

/* the Nesterov-Todd scaling of x and y inside L: the symmetric positive definite F with F x = F^-1 y = lambda */
typedef struct nb_cone_scaling {
    double size;     /* eta = (det y / det x)^(1/4) */
    double point[3]; /* w, det w = 1: F^2 = eta^2 (2 w w^T - diag(1, -1, -1)) */
    double lambda[3];
    double determinant; /* of lambda */
} nb_cone_scaling;

/* out = size (F / eta)^sign v for the point w */
NB_INLINE_FN void nb_cone_apply_point(double size, double sign, const double w[3], const double v[3], double out[3]) {
    double across = sign * (w[1] * v[1] + w[2] * v[2]), n = v[0];
    double along = sign * (n + across / (1 + w[0]));
    out[0] = size * (w[0] * n + across);
    out[1] = size * (v[1] + along * w[1]);
    out[2] = size * (v[2] + along * w[2]);
}

/* out = F v, out = F^-1 v; out may be v */
NB_INLINE_FN void nb_cone_apply(const nb_cone_scaling *s, const double v[3], double out[3]) {
    nb_cone_apply_point(s->size, 1, s->point, v, out);
}

NB_INLINE_FN void nb_cone_apply_inverse(const nb_cone_scaling *s, const double v[3], double out[3]) {
    nb_cone_apply_point(1 / s->size, -1, s->point, v, out);
}

NB_INLINE_FN void nb_cone_scale(const double x[3], const double y[3], nb_cone_scaling *s) {
    double root_x = sqrt(nb_cone_determinant(x)), root_y = sqrt(nb_cone_determinant(y));
    double dot = x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
    double twice_gamma = sqrt(2 * (1 + dot / (root_x * root_y)));
    s->size = sqrt(root_y / root_x);
    for (int k = 1; k < 3; k++) s->point[k] = (y[k] / root_y - x[k] / root_x) / twice_gamma;
    s->point[0] = sqrt(1 + s->point[1] * s->point[1] + s->point[2] * s->point[2]);
    s->determinant = root_x * root_y;
    nb_cone_apply(s, x, s->lambda);
}

/* F^2, row-major */
NB_INLINE_FN void nb_cone_square(const nb_cone_scaling *s, double matrix[9]) {
    double square = s->size * s->size;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) matrix[3 * i + j] = square * 2 * s->point[i] * s->point[j];
    matrix[0] = square * (1 + 2 * (s->point[1] * s->point[1] + s->point[2] * s->point[2]));
    matrix[4] += square;
    matrix[8] += square;
}

/* ---- projections ---- */

/* out = the nearest point of L; out may be x */
NB_INLINE_FN void nb_cone_project(const double x[3], double out[3]) {
    double t = nb_cone_tangential(x), n = x[0];
    double scale = 1;
    if (t <= -n) { /* in the polar cone */
        n = scale = 0;
    } else if (t > n) {
        n = (n + t) / 2;
        scale = n / t;
    }
    out[0] = n;
    out[1] = scale * x[1];
    out[2] = scale * x[2];
}

/* The nearest point of the friction cone |x_T| <= mu x_N, x [dimension] in two or three dimensions, in place. */
void nb_cone_project_friction(int32_t dimension, double mu, double *x);

/* |w (z - P(z - v/w))| for the projection P on the disc of radius `limit`: what friction z at slip v is off, as a
 * velocity. */
NB_INLINE_FN double nb_disc_error(const double z[2], const double v[2], double w, double limit) {
    const double x[2] = {z[0] - v[0] / w, z[1] - v[1] / w};
    const double length = sqrt(x[0] * x[0] + x[1] * x[1]);
    /* not by way of x: a large z would swallow v */
    if (length <= limit) return sqrt(v[0] * v[0] + v[1] * v[1]);
    const double scale = limit / length, off[2] = {z[0] - scale * x[0], z[1] - scale * x[1]};
    return w * sqrt(off[0] * off[0] + off[1] * off[1]);
}

/* An element V of the generalised Jacobian of the projection at x, by its eigenvalues, each at least `floor` > 0:
 * `low` in the direction (1, -t)/sqrt 2, `high` in (1, t)/sqrt 2 and `across` in that of the tangent plane normal to
 * t = x_T/|x_T|. */
typedef struct nb_cone_slope {
    double low, high, across;
    double t[2]; /* a unit vector, (1, 0) where x_T = 0 */
} nb_cone_slope;

void nb_cone_differentiate(const double x[3], double floor, nb_cone_slope *slope);

/* The matrix with the same eigenvectors and other eigenvalues, row-major: V^-1 - 1 for the three (1/e - 1). */
void nb_cone_slope_matrix(const nb_cone_slope *slope, double low, double high, double across, double matrix[9]);

#endif
