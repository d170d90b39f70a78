#include "cone_block.h"

#include <math.h>

#include "convex/convex_set.h"

/* u . J v of a cone: u_0 v_0 less the others */
static double hyperbolic(int32_t n, const double *u, const double *v) {
    double sum = u[0] * v[0];
    for (int32_t i = 1; i < n; i++) sum -= u[i] * v[i];
    return sum;
}

static double dot(int32_t n, const double *u, const double *v) {
    double sum = 0;
    for (int32_t i = 0; i < n; i++) sum += u[i] * v[i];
    return sum;
}

double nb_cone_block_determinant(int32_t n, const double *u) {
    double tail = sqrt(dot(n - 1, u + 1, u + 1));
    return (u[0] - tail) * (u[0] + tail);
}

/* By the hyperbolic rotation that takes u to a multiple of e, d becomes rho / |u|, and t (|rho_1| - rho_0) = 1. */
double nb_cone_block_step(int32_t n, const double *u, const double *d) {
    if (n == 1) return d[0] < 0 ? fmin(1, -u[0] / d[0]) : 1;
    double length = sqrt(nb_cone_block_determinant(n, u)), first = hyperbolic(n, u, d) / length, square = 0;
    double factor = (first + d[0]) / (u[0] + length);
    for (int32_t i = 1; i < n; i++) {
        double rest = d[i] - factor * u[i];
        square += rest * rest;
    }
    double least = sqrt(square) - first;
    return least > 0 ? fmin(1, length / least) : 1;
}

/* by the point where both meet */
void nb_cone_block_scale(int32_t n, const double *s, const double *z, double *w, double *eta) {
    double length_s = sqrt(nb_cone_block_determinant(n, s)), length_z = sqrt(nb_cone_block_determinant(n, z));
    double half = sqrt(0.5 * (1 + dot(n, s, z) / (length_s * length_z)));
    w[0] = (s[0] / length_s + z[0] / length_z) / (2 * half);
    for (int32_t i = 1; i < n; i++) w[i] = (s[i] / length_s - z[i] / length_z) / (2 * half);
    *eta = sqrt(length_s / length_z);
}

void nb_cone_block_apply(int32_t n, const double *w, double eta, double sign, const double *v, double *out) {
    double along = dot(n - 1, w + 1, v + 1), factor = sign > 0 ? eta : 1 / eta;
    double first = w[0] * v[0] + sign * along, tail = sign * v[0] + along / (1 + w[0]);
    for (int32_t i = 1; i < n; i++) out[i] = factor * (v[i] + tail * w[i]);
    out[0] = factor * first;
}

void nb_cone_block_correct(int32_t n, const double *lambda, const double *a, const double *b, double target,
                           double *d) {
    double r[NB_CONVEX_CONE_ROWS];
    if (n == 1) {
        d[0] = lambda[0] + (a[0] * b[0] - target) / lambda[0];
        return;
    }
    r[0] = dot(n, lambda, lambda) + dot(n, a, b) - target;
    for (int32_t i = 1; i < n; i++) r[i] = 2 * lambda[0] * lambda[i] + a[0] * b[i] + b[0] * a[i];
    d[0] = hyperbolic(n, lambda, r) / nb_cone_block_determinant(n, lambda);
    for (int32_t i = 1; i < n; i++) d[i] = (r[i] - d[0] * lambda[i]) / lambda[0];
}
