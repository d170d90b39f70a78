#include "contact_potential.h"

#include <math.h>
#include <string.h>

/* dP/dy where y is in neither cone: y_n, |y_t| = length > 0, p_n of P(y) */
static void differentiate_sliding(double m, double length, double normal, const double t[2], double v[9]) {
    const double along = 1 / (1 + m * m), across = m * normal / length;
    v[0] = along;
    for (int i = 0; i < 2; i++) {
        v[1 + i] = v[3 * (1 + i)] = along * m * t[i];
        for (int j = 0; j < 2; j++)
            v[3 * (1 + i) + 1 + j] = along * m * m * t[i] * t[j] + across * ((i == j) - t[i] * t[j]);
    }
}

/* x = P(y), and its slope v [9] */
static void project(double m, const double y[3], double x[3], double v[9]) {
    const double length = sqrt(y[1] * y[1] + y[2] * y[2]);
    memset(v, 0, 9 * sizeof *v);
    memset(x, 0, 3 * sizeof *x);
    if (m * length <= -y[0]) return;
    if (length <= m * y[0]) {
        memcpy(x, y, 3 * sizeof *x);
        v[0] = v[4] = v[8] = 1;
        return;
    }
    const double normal = (y[0] + m * length) / (1 + m * m), t[2] = {y[1] / length, y[2] / length};
    x[0] = normal;
    for (int k = 0; k < 2; k++) x[1 + k] = m * normal * t[k];
    differentiate_sliding(m, length, normal, t, v);
}

double nb_contact_potential(double normal, double tangent, double mu, const double c[3], double z[3], double *g) {
    const double root[3] = {sqrt(normal), sqrt(tangent), sqrt(tangent)}, m = mu * root[1] / root[0];
    double x[3], y[3], v[9], sum = 0;
    for (int k = 0; k < 3; k++) y[k] = -c[k] / root[k];
    project(m, y, x, v);
    for (int k = 0; k < 3; k++) {
        z[k] = x[k] / root[k];
        sum += x[k] * x[k] / 2;
    }
    for (int k = 0; g && k < 9; k++) g[k] = v[k] / (root[k / 3] * root[k % 3]);
    return sum;
}
