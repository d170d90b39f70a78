#include "cone.h"

#include <math.h>

void nb_cone_project_friction(int32_t dimension, double mu, double *x) {
    double t = dimension == 2 ? fabs(x[1]) : hypot(x[1], x[2]);
    if (mu * t <= -x[0]) { /* in the polar cone; asked first, since without friction both cones hold (x_N, 0, 0) < 0 */
        for (int32_t k = 0; k < dimension; k++) x[k] = 0;
        return;
    }
    if (t <= mu * x[0]) return;
    double n = (x[0] + mu * t) / (1 + mu * mu);
    x[0] = n;
    for (int32_t k = 1; k < dimension; k++) x[k] *= mu * n / t;
}

void nb_cone_differentiate(const double x[3], double floor, nb_cone_slope *slope) {
    double t = nb_cone_tangential(x), n = x[0];
    slope->t[0] = t > 0 ? x[1] / t : 1;
    slope->t[1] = t > 0 ? x[2] / t : 0;
    if (t <= n)
        slope->low = slope->high = slope->across = 1;
    else if (t <= -n)
        slope->low = slope->high = slope->across = 0;
    else
        slope->low = 0, slope->high = 1, slope->across = (1 + n / t) / 2;
    slope->low = fmax(slope->low, floor);
    slope->high = fmax(slope->high, floor);
    slope->across = fmax(slope->across, floor);
}

void nb_cone_slope_matrix(const nb_cone_slope *slope, double low, double high, double across, double matrix[9]) {
    double sum = (high + low) / 2, difference = (high - low) / 2;
    const double *t = slope->t;
    matrix[0] = sum;
    for (int i = 0; i < 2; i++) {
        matrix[1 + i] = matrix[3 * (1 + i)] = difference * t[i];
        for (int j = 0; j < 2; j++) matrix[3 * (1 + i) + 1 + j] = (sum - across) * t[i] * t[j] + (i == j ? across : 0);
    }
}
