#include "cone.h"

#include <math.h>

static double tangential(const double x[3]) {
    return sqrt(x[1] * x[1] + x[2] * x[2]);
}

double nb_cone_determinant(const double x[3]) {
    double t = tangential(x);
    return (x[0] - t) * (x[0] + t);
}

/* a_N b_N - a_T.b_T without cancellation where a is near the boundary of L */
static double lorentz(const double a[3], const double b[3]) {
    double t = tangential(a);
    if (!(t > 0)) return a[0] * b[0];
    return (a[0] - t) * b[0] + (t * b[0] - (a[1] * b[1] + a[2] * b[2]));
}

double nb_cone_step(const double x[3], const double dx[3]) {
    /* the first positive root of det(x + t dx) = c + 2 b t + a t^2, c > 0; b^2 >= a c for x inside L, but round-off
     * says otherwise where the line meets the apex */
    double a = nb_cone_determinant(dx), b = lorentz(x, dx), c = nb_cone_determinant(x);
    double root = sqrt(fmax(b * b - a * c, 0));
    if (b < 0) return c / (root - b);
    return a < 0 ? (b + root) / -a : INFINITY;
}

void nb_cone_product(const double a[3], const double b[3], double out[3]) {
    double n = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    double t1 = a[0] * b[1] + b[0] * a[1], t2 = a[0] * b[2] + b[0] * a[2];
    out[0] = n;
    out[1] = t1;
    out[2] = t2;
}

void nb_cone_divide(const double x[3], double determinant, const double r[3], double out[3]) {
    double n = lorentz(x, r) / determinant;
    out[1] = (r[1] - n * x[1]) / x[0];
    out[2] = (r[2] - n * x[2]) / x[0];
    out[0] = n;
}

void nb_cone_scale(const double x[3], const double y[3], nb_cone_scaling *s) {
    double det_x = nb_cone_determinant(x), det_y = nb_cone_determinant(y);
    double root_x = sqrt(det_x), root_y = sqrt(det_y);
    double dot = x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
    double twice_gamma = sqrt(2 * (1 + dot / (root_x * root_y)));
    s->size = sqrt(root_y / root_x);
    for (int k = 1; k < 3; k++) s->point[k] = (y[k] / root_y - x[k] / root_x) / twice_gamma;
    s->point[0] = sqrt(1 + s->point[1] * s->point[1] + s->point[2] * s->point[2]);
    s->determinant = root_x * root_y;
    nb_cone_apply(s, x, s->lambda);
}

static void apply(double size, double sign, const double w[3], const double v[3], double out[3]) {
    double across = sign * (w[1] * v[1] + w[2] * v[2]), n = v[0];
    double along = sign * (n + across / (1 + w[0]));
    out[0] = size * (w[0] * n + across);
    out[1] = size * (v[1] + along * w[1]);
    out[2] = size * (v[2] + along * w[2]);
}

void nb_cone_apply(const nb_cone_scaling *s, const double v[3], double out[3]) {
    apply(s->size, 1, s->point, v, out);
}

void nb_cone_apply_inverse(const nb_cone_scaling *s, const double v[3], double out[3]) {
    apply(1 / s->size, -1, s->point, v, out);
}

void nb_cone_square(const nb_cone_scaling *s, double matrix[9]) {
    double square = s->size * s->size;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) matrix[3 * i + j] = square * 2 * s->point[i] * s->point[j];
    matrix[0] = square * (1 + 2 * (s->point[1] * s->point[1] + s->point[2] * s->point[2]));
    matrix[4] += square;
    matrix[8] += square;
}

void nb_cone_project(const double x[3], double out[3]) {
    double t = tangential(x), n = x[0];
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

static double length_of(const double x[2]) {
    return sqrt(x[0] * x[0] + x[1] * x[1]);
}

double nb_disc_error(const double z[2], const double v[2], double w, double limit) {
    double x[2] = {z[0] - v[0] / w, z[1] - v[1] / w};
    double length = length_of(x);
    if (length <= limit) return length_of(v); /* not by way of x: a large z would swallow v */
    double scale = limit / length;
    return w * length_of((double[2]){z[0] - scale * x[0], z[1] - scale * x[1]});
}

void nb_cone_differentiate(const double x[3], double floor, nb_cone_slope *slope) {
    double t = tangential(x), n = x[0];
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
