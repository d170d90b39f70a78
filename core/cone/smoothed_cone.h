/* Pairs x, y inside the Lorentz cone (cone.h) on the central path, x o y = rho e, by their difference w = x - y: with
 * rho = 0 they are the projections of w and -w. x o y = rho e holds exactly at any w, so that what is solved with w for
 * its unknown needs no step lengths to stay inside.
 *
 * In the spectral decomposition of w, of eigenvalues w_N -+ |w_T|, x and y have (sqrt(l^2 + 4 rho) +- l)/2. The slope
 * V = dx/dw has eigenvalues between 0 and 1, and 1 - V is that of -y: both are formed without a difference.
 *
 * Chen, Harker 1993; Kanzow 1996; Smale 1986; on the cone: Fukushima, Luo, Tseng 2001. */
#ifndef NB_SMOOTHED_CONE_H
#define NB_SMOOTHED_CONE_H

#include "cone.h"

typedef struct nb_smoothed_cone {
    double x[3], y[3];
    nb_cone_slope slope;      /* the eigenvectors, and V's eigenvalues */
    double low, high, across; /* of 1 - V */
} nb_smoothed_cone;

/* the positive root of t^2 - l t = rho */
NB_INLINE_FN double nb_smoothed_root(double l, double rho) {
    double root = sqrt(l * l + 4 * rho);
    return l > 0 ? 0.5 * (root + l) : 2 * rho / (root - l);
}

/* rho > 0. */
NB_INLINE_FN void nb_smoothed_cone_at(double rho, const double w[3], nb_smoothed_cone *p) {
    double length = sqrt(w[1] * w[1] + w[2] * w[2]);
    double x1 = nb_smoothed_root(w[0] - length, rho), x2 = nb_smoothed_root(w[0] + length, rho);
    double y1 = nb_smoothed_root(length - w[0], rho), y2 = nb_smoothed_root(-w[0] - length, rho);
    p->slope.t[0] = length > 0 ? w[1] / length : 1;
    p->slope.t[1] = length > 0 ? w[2] / length : 0;
    p->x[0] = 0.5 * (x1 + x2);
    p->y[0] = 0.5 * (y1 + y2);
    for (int k = 0; k < 2; k++) {
        p->x[1 + k] = 0.5 * (x2 - x1) * p->slope.t[k];
        p->y[1 + k] = 0.5 * (y2 - y1) * p->slope.t[k];
    }
    p->slope.low = x1 / (x1 + y1);
    p->slope.high = x2 / (x2 + y2);
    p->slope.across = x1 * x2 / (x1 * x2 + rho);
    p->low = y1 / (x1 + y1);
    p->high = y2 / (x2 + y2);
    p->across = rho / (x1 * x2 + rho);
}

/* The same of a number x between bounds, which may be infinite: y = x - w = rho/(x - low) - rho/(high - x), with rho =
 * 0 the projection of w and its rest; without any bound x = w. */
typedef struct nb_smoothed_box {
    double x, y;
    double slope, rest; /* V = dx/dw, 1 - V */
} nb_smoothed_box;

void nb_smoothed_box_at(double rho, double w, double low, double high, nb_smoothed_box *pair);

/* V, 1 - V and V (1 - V)^-1, row-major */
void nb_smoothed_cone_slope(const nb_smoothed_cone *pair, double slope[9]);
void nb_smoothed_cone_rest(const nb_smoothed_cone *pair, double rest[9]);
void nb_smoothed_cone_stiffness(const nb_smoothed_cone *pair, double stiffness[9]);

#endif
