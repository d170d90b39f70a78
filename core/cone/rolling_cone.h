/* The cone of the impulses of a contact with rolling friction, x = (x_N, x_T, x_R) with a normal, a friction and a
 * rolling part of two entries each (one each in two dimensions),
 *
 *     K = { |x_T| <= mu x_N, |x_R| <= mu_r x_N },   K* = { y_N >= mu |y_T| + mu_r |y_R| }
 *
 * and what a semismooth method needs of it. It is two Lorentz cones (cone.h) that share their normal; neither it nor a
 * linear image of it is symmetric, unless it is the product of one cone and a point.
 *
 * The projection: with A = |x_T| and B = |x_R| the nearest point has a normal N, friction of the length min(A, mu N)
 * and rolling of the length min(B, mu_r N), in the directions of x, and N >= 0 is where
 *
 *     N - x_N = mu (A - mu N)+ + mu_r (B - mu_r N)+
 *
 * the difference being concave in N and growing: whichever of the two ends first is left out first. N = 0 where
 * x_N + mu A + mu_r B <= 0, the polar cone. Source: the optimality conditions, written down; Acary, Bourrier, "Coulomb
 * friction with rolling resistance as a cone complementarity problem", 2021, has the law. */
#ifndef NB_ROLLING_CONE_H
#define NB_ROLLING_CONE_H

#include <stdint.h>

/* The nearest point of K, and rest = x - point without cancellation; x, point and rest [dimension], 3 or 5. */
void nb_rolling_cone_project(int32_t dimension, double mu, double mu_r, const double *x, double *point, double *rest);

/* An element V of the generalised Jacobian of the projection at x [5] for mu = mu_r = 1, by its eigenvectors and
 * eigenvalues, each at least `floor` > 0: `along` three directions in the space of (e_N, t, r), with t = x_T/|x_T| and
 * r = x_R/|x_R|, and `across` those normal to t, and to r. */
typedef struct nb_rolling_slope {
    double axis[3][3]; /* orthonormal */
    double along[3], across[2];
    double t[2], r[2]; /* unit vectors, (1, 0) where x_T = 0, x_R = 0 */
} nb_rolling_slope;

void nb_rolling_cone_differentiate(const double x[5], double floor, nb_rolling_slope *slope);

/* The matrix with the same eigenvectors and other eigenvalues, row-major: V^-1 - 1 for 1/e - 1. */
void nb_rolling_slope_matrix(const nb_rolling_slope *slope, const double along[3], const double across[2],
                             double matrix[25]);

#endif
