#include "model/cavity.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

const char *const nb_volume_model_names[NB_VOLUME_MODELS + 1] = {
    [NB_VOLUME_GAS] = "gas",
    [NB_VOLUME_NEARLY_INCOMPRESSIBLE] = "nearly-incompressible",
    [NB_VOLUME_QUADRATIC] = "quadratic",
    NULL};

/* ---- whether it is closed ---- */

/* one side of a triangle, which goes from one particle to another */
typedef struct side {
    int32_t low, high; /* the two, by number */
    int32_t triangle;
    int forward; /* 1: from low to high */
} side;

static int compare_sides(const void *a, const void *b) {
    const side *p = a, *q = b;
    if (p->low != q->low) return p->low < q->low ? -1 : 1;
    if (p->high != q->high) return p->high < q->high ? -1 : 1;
    return p->triangle < q->triangle ? -1 : p->triangle > q->triangle;
}

static nb_status check_corners(const int32_t *corner, int32_t triangle, int32_t particle_count) {
    for (int k = 0; k < 3; k++) {
        if (corner[k] < 0 || corner[k] >= particle_count)
            return nb_fail(NB_ERROR_INPUT, "cavity: triangle %d has the corner %d, and there are %d particles",
                           (int)triangle, (int)corner[k], (int)particle_count);
        if (corner[k] == corner[(k + 1) % 3])
            return nb_fail(NB_ERROR_INPUT, "cavity: triangle %d has particle %d at two corners", (int)triangle,
                           (int)corner[k]);
    }
    return NB_OK;
}

/* `count` sides in order: in pairs, forward and back */
static nb_status check_sides(const side *sides, int32_t count) {
    for (int32_t i = 0, next; i < count; i = next) {
        const side *s = &sides[i];
        for (next = i + 1; next < count && sides[next].low == s->low && sides[next].high == s->high;) next++;
        if (next - i == 1)
            return nb_fail(NB_ERROR_INPUT,
                           "cavity: the surface is open at the edge of particles %d and %d: triangle %d alone has it",
                           (int)s->low, (int)s->high, (int)s->triangle);
        if (next - i > 2)
            return nb_fail(NB_ERROR_INPUT,
                           "cavity: the edge of particles %d and %d is of %d triangles, and must be of two",
                           (int)s->low, (int)s->high, (int)(next - i));
        if (s[0].forward == s[1].forward)
            return nb_fail(
                NB_ERROR_INPUT,
                "cavity: triangles %d and %d have corners in opposite senses: both go from particle %d to %d",
                (int)s[0].triangle, (int)s[1].triangle, (int)(s->forward ? s->low : s->high),
                (int)(s->forward ? s->high : s->low));
    }
    return NB_OK;
}

nb_status nb_cavity_check(const nb_cavity *cavity, int32_t particle_count) {
    nb_status status;
    side *sides = NULL;
    int32_t count = 0;
    if (cavity->triangle_count < 4 || cavity->triangle_count > INT32_MAX / 3)
        return nb_fail(NB_ERROR_INPUT, "cavity: it has %d triangles, and must have from 4 to %d",
                       (int)cavity->triangle_count, (int)(INT32_MAX / 3));
    NB_TRY(NB_ALLOCATE(3 * (int64_t)cavity->triangle_count, &sides));
    for (int32_t i = 0; i < cavity->triangle_count; i++) {
        const int32_t *corner = cavity->triangles + 3 * (int64_t)i;
        NB_TRY(check_corners(corner, i, particle_count));
        for (int k = 0; k < 3; k++) {
            const int32_t from = corner[k], to = corner[(k + 1) % 3];
            sides[count++] = (side){from < to ? from : to, from < to ? to : from, i, from < to};
        }
    }
    qsort(sides, (size_t)count, sizeof *sides, compare_sides);
    status = check_sides(sides, count);
out:
    nb_free(sides);
    return status;
}

nb_status nb_cavity_check_volume(const nb_cavity *cavity, const double *x) {
    const double volume = nb_cavity_volume(cavity, x);
    if (volume > 0 && isfinite(volume)) return NB_OK;
    return nb_fail(NB_ERROR_INPUT,
                   "cavity: it has a volume of %g m^3, and must have one above 0: the corners of its "
                   "triangles go counter-clockwise, seen from outside",
                   volume);
}

/* ---- volume ---- */

static void subtract(const double *a, const double *b, double d[3]) {
    for (int k = 0; k < 3; k++) d[k] = a[k] - b[k];
}

static void add_cross(const double a[3], const double b[3], double scale, double out[3]) {
    out[0] += scale * (a[1] * b[2] - a[2] * b[1]);
    out[1] += scale * (a[2] * b[0] - a[0] * b[2]);
    out[2] += scale * (a[0] * b[1] - a[1] * b[0]);
}

/* from a corner of the surface, so that no digits are lost to where it is in the world */
double nb_cavity_volume(const nb_cavity *cavity, const double *x) {
    double sum = 0;
    const double *origin = x + 3 * (int64_t)cavity->triangles[0];
    for (int32_t i = 0; i < cavity->triangle_count; i++) {
        const int32_t *corner = cavity->triangles + 3 * (int64_t)i;
        double p[3][3], n[3] = {0};
        for (int k = 0; k < 3; k++) subtract(x + 3 * (int64_t)corner[k], origin, p[k]);
        add_cross(p[1], p[2], 1, n);
        sum += p[0][0] * n[0] + p[0][1] * n[1] + p[0][2] * n[2];
    }
    return sum / 6;
}

static void add_to_corners(const int32_t *corner, const double n[3], double *out) {
    for (int k = 0; k < 3; k++)
        for (int j = 0; j < 3; j++) out[3 * (int64_t)corner[k] + j] += n[j];
}

/* a third of each triangle's area vector for each corner: the derivative, as the fans of a closed surface are closed */
void nb_cavity_add_gradient(const nb_cavity *cavity, const double *x, double scale, double *out) {
    for (int32_t i = 0; i < cavity->triangle_count; i++) {
        const int32_t *corner = cavity->triangles + 3 * (int64_t)i;
        double d[2][3], n[3] = {0};
        for (int k = 0; k < 2; k++) subtract(x + 3 * (int64_t)corner[k + 1], x + 3 * (int64_t)corner[0], d[k]);
        add_cross(d[0], d[1], scale / 6, n);
        add_to_corners(corner, n, out);
    }
}

void nb_cavity_add_curvature(const nb_cavity *cavity, const double *x, const double *y, double scale, double *out) {
    for (int32_t i = 0; i < cavity->triangle_count; i++) {
        const int32_t *corner = cavity->triangles + 3 * (int64_t)i;
        double d[2][3], e[2][3], n[3] = {0};
        for (int k = 0; k < 2; k++) {
            subtract(x + 3 * (int64_t)corner[k + 1], x + 3 * (int64_t)corner[0], d[k]);
            subtract(y + 3 * (int64_t)corner[k + 1], y + 3 * (int64_t)corner[0], e[k]);
        }
        add_cross(e[0], d[1], scale / 6, n);
        add_cross(d[0], e[1], scale / 6, n);
        add_to_corners(corner, n, out);
    }
}

/* ---- laws ---- */

nb_status nb_volume_law_make(nb_volume_model model, double compression, double gauge_pressure, double volume,
                             nb_volume_law *law) {
    const double share = compression * gauge_pressure; /* pressure over the modulus */
    if (!(compression > 0) || !isfinite(compression))
        return nb_fail(NB_ERROR_USAGE, "cavity: compression must be above 0 1/atm, and is %g", compression);
    if (!(volume > 0) || !isfinite(volume))
        return nb_fail(NB_ERROR_USAGE, "cavity: the volume must be above 0 m^3, and is %g", volume);
    *law = (nb_volume_law){.model = model, .modulus = NB_ATMOSPHERE / compression};
    switch (model) {
    case NB_VOLUME_GAS: law->rest = volume * (1 + share); break;
    case NB_VOLUME_NEARLY_INCOMPRESSIBLE: law->rest = volume * exp(share); break;
    default: law->rest = share < 1 ? volume / (1 - share) : -1; break;
    }
    if (law->rest > 0 && isfinite(law->rest)) return NB_OK;
    return nb_fail(NB_ERROR_USAGE,
                   "cavity: the law %s with compression %g 1/atm has no gauge pressure of %g atm; it must be %s %g",
                   nb_volume_model_names[model], compression, gauge_pressure,
                   model == NB_VOLUME_GAS ? "above" : "below", (model == NB_VOLUME_GAS ? -1 : 1) / compression);
}

double nb_volume_energy(const nb_volume_law *law, double volume) {
    const double e = (volume - law->rest) / law->rest, unit = law->modulus * law->rest;
    if (law->model == NB_VOLUME_QUADRATIC) return 0.5 * unit * e * e;
    if (!(volume > 0)) return isnan(volume) ? volume : INFINITY;
    if (law->model == NB_VOLUME_GAS) return unit * (e - log1p(e));
    return unit * ((1 + e) * log1p(e) - e);
}

double nb_volume_pressure(const nb_volume_law *law, double volume) {
    const double e = (volume - law->rest) / law->rest;
    if (law->model == NB_VOLUME_GAS) return -law->modulus * e / (1 + e);
    return -law->modulus * (law->model == NB_VOLUME_QUADRATIC ? e : log1p(e));
}

double nb_volume_stiffness(const nb_volume_law *law, double volume) {
    if (law->model == NB_VOLUME_GAS) return law->modulus * law->rest / (volume * volume);
    return law->modulus / (law->model == NB_VOLUME_QUADRATIC ? law->rest : volume);
}

void nb_cavity_add_stiffness(const nb_cavity *cavity, const nb_volume_law *law, const double *x, double volume,
                             const double *gradient, int32_t particle_count, const double *y, double *out) {
    double along = 0;
    for (int64_t i = 0; i < 3 * (int64_t)particle_count; i++) along += gradient[i] * y[i];
    along *= nb_volume_stiffness(law, volume);
    for (int64_t i = 0; i < 3 * (int64_t)particle_count; i++) out[i] += along * gradient[i];
    nb_cavity_add_curvature(cavity, x, y, -nb_volume_pressure(law, volume), out);
}
