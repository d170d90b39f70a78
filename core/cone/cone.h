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

#include <stdint.h>

/* (x_N - |x_T|)(x_N + |x_T|) */
double nb_cone_determinant(const double x[3]);

/* the largest t with x + t dx in L, for x inside; INFINITY where there is none */
double nb_cone_step(const double x[3], const double dx[3]);

/* out = a o b; out may be a or b */
void nb_cone_product(const double a[3], const double b[3], double out[3]);

/* out with x o out = r, for x inside L and of determinant `determinant`; out may be r */
void nb_cone_divide(const double x[3], double determinant, const double r[3], double out[3]);

/* the Nesterov-Todd scaling of x and y inside L: the symmetric positive definite F with F x = F^-1 y = lambda */
typedef struct nb_cone_scaling {
    double size;     /* eta = (det y / det x)^(1/4) */
    double point[3]; /* w, det w = 1: F^2 = eta^2 (2 w w^T - diag(1, -1, -1)) */
    double lambda[3];
    double determinant; /* of lambda */
} nb_cone_scaling;

void nb_cone_scale(const double x[3], const double y[3], nb_cone_scaling *scaling);

/* out = F v, out = F^-1 v; out may be v */
void nb_cone_apply(const nb_cone_scaling *scaling, const double v[3], double out[3]);
void nb_cone_apply_inverse(const nb_cone_scaling *scaling, const double v[3], double out[3]);

/* F^2, row-major */
void nb_cone_square(const nb_cone_scaling *scaling, double matrix[9]);

/* out = the nearest point of L; out may be x */
void nb_cone_project(const double x[3], double out[3]);

/* The nearest point of the friction cone |x_T| <= mu x_N, x [dimension] in two or three dimensions, in place. */
void nb_cone_project_friction(int32_t dimension, double mu, double *x);

/* |w (z - P(z - v/w))| for the projection P on the disc of radius `limit`: what friction z at slip v is off, as a
 * velocity. */
double nb_disc_error(const double z[2], const double v[2], double w, double limit);

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
