#include "friction_polygon.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

/* The sector of a point: from corner to corner, with its middle `out` and `along` to the left of that. In these
 * coordinates it is (a, b), a >= 0, and the corner on its side (c, s). */
typedef struct sector {
    double out[2], along[2];
    double a, b, c, s;
} sector;

static sector sector_of(int32_t corners, const double x[2]) {
    const double width = 2 * pi / corners, angle = atan2(x[1], x[0]);
    const double middle = (floor(angle / width) + 0.5) * width;
    sector of = {.out = {cos(middle), sin(middle)}, .c = cos(pi / corners), .s = sin(pi / corners)};
    if (corners == 2) { /* round-off of pi/2 would give the segment a width */
        of.c = 0;
        of.out[0] = 0;
    }
    of.along[0] = -of.out[1];
    of.along[1] = of.out[0];
    of.a = of.out[0] * x[0] + of.out[1] * x[1];
    of.b = of.along[0] * x[0] + of.along[1] * x[1];
    return of;
}

static void leave(const sector *of, double a, double b, double x[2]) {
    for (int k = 0; k < 2; k++) x[k] = a * of->out[k] + copysign(b, of->b) * of->along[k];
}

void nb_polygon_corner(int32_t corners, int32_t i, double d[2]) {
    d[0] = cos(2 * pi * i / corners);
    d[1] = sin(2 * pi * i / corners);
    for (int k = 0; k < 2; k++)
        if (fabs(d[k]) < 1e-13) d[k] = 0; /* on an axis, but for round-off of pi */
}

double nb_polygon_slip(int32_t corners, const double v[2]) {
    if (corners == 2) return fabs(v[0]);
    const double opposite[2] = {-v[0], -v[1]};
    const sector of = sector_of(corners, opposite);
    return of.c * of.a + of.s * fabs(of.b);
}

void nb_polygon_project(int32_t corners, double limit, double x[2]) {
    const sector of = sector_of(corners, x);
    if (of.a <= limit * of.c && fabs(of.b) <= limit * of.s) return;
    leave(&of, fmin(of.a, limit * of.c), fmin(fabs(of.b), limit * of.s), x);
}

void nb_polygon_project_cone(int32_t corners, double mu, double x[3]) {
    const sector of = sector_of(corners, x + 1);
    const double c = mu * of.c, s = mu * of.s, b = fabs(of.b);
    double n = x[0];
    if (n >= 0 && of.a <= c * n && b <= s * n) return;
    const double on_side = (n + c * of.a) / (1 + c * c); /* the normal of the nearest point of the side's plane */
    if (on_side >= 0 && b <= s * on_side) {
        x[0] = on_side;
        leave(&of, c * on_side, b, x + 1);
        return;
    }
    n = fmax(0, (n + c * of.a + s * b) / (1 + mu * mu)); /* that of the edge through the corner */
    x[0] = n;
    leave(&of, c * n, s * n, x + 1);
}

double nb_polygon_error(int32_t corners, const double z[2], const double v[2], double w, double limit) {
    const double x[2] = {z[0] - v[0] / w, z[1] - v[1] / w};
    double p[2] = {x[0], x[1]};
    nb_polygon_project(corners, limit, p);
    /* not by way of x where nothing is cut off: a large z would swallow v */
    if (p[0] == x[0] && p[1] == x[1]) return hypot(v[0], v[1]);
    return w * hypot(z[0] - p[0], z[1] - p[1]);
}
