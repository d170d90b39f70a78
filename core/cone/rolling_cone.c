#include "rolling_cone.h"

#include <math.h>
#include <string.h>

/* x = (n, a, b): what is left of a and b where the limits of friction and rolling bind */
typedef struct nearest {
    double normal;
    double excess[2]; /* a - mu N, b - mu_r N where positive, else 0 */
    int polar;        /* 1: it is 0 */
} nearest;

static double length_of(int32_t count, const double *x) {
    return count == 1 ? fabs(x[0]) : hypot(x[0], x[1]);
}

static nearest find(double n, const double mu[2], const double length[2]) {
    nearest at = {.polar = n + mu[0] * length[0] + mu[1] * length[1] <= 0};
    if (at.polar) return at;
    int first = length[0] * mu[1] <= length[1] * mu[0] ? 0 : 1, last = 1 - first; /* which limit ends to bind first */
    double own = mu[last] * length[last], both = mu[first] * length[first] + own;
    at.normal = (n + both) / (1 + mu[0] * mu[0] + mu[1] * mu[1]);
    if (mu[first] * at.normal > length[first]) at.normal = (n + own) / (1 + mu[last] * mu[last]);
    if (mu[last] * at.normal > length[last]) at.normal = n;
    for (int i = 0; i < 2; i++) at.excess[i] = fmax(length[i] - mu[i] * at.normal, 0);
    return at;
}

void nb_rolling_cone_project(int32_t dimension, double mu, double mu_r, const double *x, double *point, double *rest) {
    const int32_t count = (dimension - 1) / 2;
    const double limit[2] = {mu, mu_r}, length[2] = {length_of(count, x + 1), length_of(count, x + 1 + count)};
    nearest at = find(x[0], limit, length);
    point[0] = at.normal;
    rest[0] = at.polar ? x[0] : -(mu * at.excess[0] + mu_r * at.excess[1]);
    for (int i = 0; i < 2; i++)
        for (int32_t k = 1 + i * count; k < 1 + (i + 1) * count; k++) {
            int binds = at.excess[i] > 0;
            point[k] = at.polar ? 0 : binds ? x[k] * (limit[i] * at.normal / length[i]) : x[k];
            rest[k] = at.polar ? x[k] : binds ? x[k] * (at.excess[i] / length[i]) : 0;
        }
}

/* ---- its slope ---- */

static void set_axes(nb_rolling_slope *slope, const double axis[3][3], double first, double second, double third) {
    memcpy(slope->axis, axis, sizeof slope->axis);
    slope->along[0] = first;
    slope->along[1] = second;
    slope->along[2] = third;
}

static void set_direction(double length, const double x[2], double direction[2]) {
    direction[0] = length > 0 ? x[0] / length : 1;
    direction[1] = length > 0 ? x[1] / length : 0;
}

void nb_rolling_cone_differentiate(const double x[5], double floor, nb_rolling_slope *slope) {
    const double h = M_SQRT1_2, d = 1 / sqrt(3), e = 1 / sqrt(6);
    const double plain[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, with_t[3][3] = {{h, h, 0}, {h, -h, 0}, {0, 0, 1}},
                 with_r[3][3] = {{h, 0, h}, {h, 0, -h}, {0, 1, 0}},
                 with_both[3][3] = {{d, d, d}, {h, -h, 0}, {e, e, -2 * e}};
    const double ones[2] = {1, 1}, length[2] = {hypot(x[1], x[2]), hypot(x[3], x[4])};
    nearest at = find(x[0], ones, length);
    int t = at.excess[0] > 0, r = at.excess[1] > 0;
    set_direction(length[0], x + 1, slope->t);
    set_direction(length[1], x + 3, slope->r);
    if (at.polar)
        set_axes(slope, plain, 0, 0, 0);
    else if (t && r)
        set_axes(slope, with_both, 1, 0, 0);
    else
        set_axes(slope, t ? with_t : r ? with_r : plain, 1, t || r ? 0 : 1, 1);
    for (int i = 0; i < 2; i++) slope->across[i] = at.polar ? 0 : at.excess[i] > 0 ? at.normal / length[i] : 1;
    for (int i = 0; i < 3; i++) slope->along[i] = fmax(slope->along[i], floor);
    for (int i = 0; i < 2; i++) slope->across[i] = fmax(slope->across[i], floor);
}

void nb_rolling_slope_matrix(const nb_rolling_slope *slope, const double along[3], const double across[2],
                             double matrix[25]) {
    const double *t = slope->t, *r = slope->r;
    double v[5][5] = {{0}}; /* the eigenvectors */
    for (int i = 0; i < 3; i++) {
        const double *axis = slope->axis[i],
                     own[5] = {axis[0], axis[1] * t[0], axis[1] * t[1], axis[2] * r[0], axis[2] * r[1]};
        memcpy(v[i], own, sizeof own);
    }
    v[3][1] = -t[1];
    v[3][2] = t[0];
    v[4][3] = -r[1];
    v[4][4] = r[0];
    for (int i = 0; i < 25; i++) matrix[i] = 0;
    for (int k = 0; k < 5; k++)
        for (int i = 0; i < 5; i++)
            for (int j = 0; j < 5; j++) matrix[5 * i + j] += (k < 3 ? along[k] : across[k - 3]) * v[k][i] * v[k][j];
}
