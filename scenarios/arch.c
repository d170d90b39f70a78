/* A self-supporting arch of voussoirs, light at the crown and heavy at the feet (paper, section 10.1.5 and fig. 14).
 *
 * Its axis is the funicular line of its own weights: with joints at equal distances along x and a horizontal thrust H,
 * the slope at a joint is V/H, V being the weight between it and the crown. Joints stand across the axis, so that the
 * thrust can pass through their middle; the feet are cut horizontally and stand on the ground. */
#include <math.h>

#include "base/memory.h"
#include "common.h"

enum {
    COUNT,
    FRICTION,
    CROWN_MASS,
    FOOT_MASS,
    SPAN,
    RISE,
    DEPTH
};

static const nb_option parameters[] = {
    [COUNT] = {"count", "1", 20, 4, 400, 1, NULL, "voussoirs"},
    [FRICTION] = {"mu", "1", 0.6, 0, 10, 0, NULL, "friction coefficient"},
    [CROWN_MASS] = {"crown-mass", "kg", 15, 1e-3, 1e6, 0, NULL, "mass of the lightest voussoirs"},
    [FOOT_MASS] = {"foot-mass", "kg", 110, 1e-3, 1e6, 0, NULL, "mass of the heaviest voussoirs"},
    [SPAN] = {"span", "m", 4, 1e-2, 1e3, 0, NULL, "distance of the feet"},
    [RISE] = {"rise", "m", 3, 1e-2, 1e3, 0, NULL, "height of the axis"},
    [DEPTH] = {"depth", "m", 0.5, 1e-3, 1e3, 0, NULL, "depth of the arch"},
};

/* the axis and the joints of an arch of n voussoirs */
typedef struct geometry {
    int n;
    double *mass;   /* [n] */
    double *x, *z;  /* [n + 1] the joints' middles */
    double *slope;  /* [n + 1] of the axis there */
    double thrust;  /* H [N] */
} geometry;

static void release(geometry *a) {
    nb_free(a->mass);
    nb_free(a->x);
    nb_free(a->z);
    nb_free(a->slope);
}

static nb_status lay_out(const double *p, double g, geometry *a) {
    nb_status status;
    int n = (int)p[COUNT];
    double dx = p[SPAN] / n, half_weight = 0, height = 0;
    *a = (geometry){.n = n};
    NB_TRY(NB_ALLOCATE(n, &a->mass));
    NB_TRY(NB_ALLOCATE(n + 1, &a->x));
    NB_TRY(NB_ALLOCATE(n + 1, &a->z));
    NB_TRY(NB_ALLOCATE(n + 1, &a->slope));
    for (int i = 0; i < n; i++) { /* 0 in the middle, 1 at the outermost voussoirs */
        double middle = (n - 1) / 2.0, nearest = n % 2 ? 0 : 0.5, s = (fabs(i - middle) - nearest) / (middle - nearest);
        a->mass[i] = p[CROWN_MASS] + (p[FOOT_MASS] - p[CROWN_MASS]) * s * s;
        half_weight += 0.5 * g * a->mass[i];
    }
    double shear = half_weight;
    for (int k = 0; k <= n; k++) { /* shears first; the thrust follows from the rise */
        a->x[k] = -p[SPAN] / 2 + k * dx;
        a->slope[k] = shear;
        if (k < n) {
            a->z[k + 1] = a->z[k] + dx * (shear - 0.5 * g * a->mass[k]);
            height = fmax(height, a->z[k + 1]);
            shear -= g * a->mass[k];
        }
    }
    a->thrust = height / p[RISE];
    for (int k = 0; k <= n; k++) {
        a->slope[k] /= a->thrust;
        a->z[k] /= a->thrust;
    }
out:
    return status;
}

/* the inner and outer end of joint k: across the axis, thicker towards the feet; horizontal on the ground */
static void joint_ends(const double *p, const geometry *a, int k, nb_vec3 *inner, nb_vec3 *outer) {
    double s = 2.0 * k / a->n - 1, half = p[SPAN] * (0.03 + 0.03 * s * s), length = hypot(1, a->slope[k]);
    nb_vec3 middle = nb_vec3_of(a->x[k], 0, a->z[k]), across = nb_vec3_of(-a->slope[k] / length, 0, 1 / length);
    if (k == 0 || k == a->n) across = nb_vec3_of(k == 0 ? -1 : 1, 0, 0);
    *inner = nb_add_scaled(middle, -half, across);
    *outer = nb_add_scaled(middle, half, across);
}

/* the voussoir between joints k and k + 1 */
static nb_status voussoir_shape(const double *p, const geometry *a, int k, nb_shape **shape) {
    static const int32_t start[] = {0, 4, 8, 12, 16, 20, 24};
    static const int32_t faces[] = {0, 1, 2, 3, 7, 6, 5, 4, 4, 5, 1, 0, 5, 6, 2, 1, 6, 7, 3, 2, 7, 4, 0, 3};
    nb_vec3 corner[4], points[8];
    joint_ends(p, a, k, &corner[0], &corner[3]);
    joint_ends(p, a, k + 1, &corner[1], &corner[2]);
    for (int i = 0; i < 8; i++) {
        points[i] = corner[i % 4];
        points[i].y = (i < 4 ? -0.5 : 0.5) * p[DEPTH];
    }
    return nb_shape_polyhedron(8, points, 6, start, faces, shape);
}

static nb_status add_voussoir(nb_world *world, const double *p, const geometry *a, int k) {
    nb_status status;
    nb_shape *shape;
    nb_vec3 centre, moments;
    nb_quat axes;
    double volume;
    int32_t index, body;
    NB_TRY(voussoir_shape(p, a, k, &shape));
    nb_shape_centre(shape, &centre, &axes, &moments, &volume);
    NB_TRY(nb_world_add_shape(world, shape, &index));
    NB_TRY(nb_world_add_solid(world, NB_BODY_DYNAMIC, index, a->mass[k], p[FRICTION], centre, axes, &body));
out:
    return status;
}

static nb_status build(const double *p, uint64_t seed, nb_world **world) {
    nb_status status;
    int32_t ground;
    geometry a = {0};
    (void)seed; /* nothing is random here */
    NB_TRY(nb_world_create(world));
    (*world)->contact_margin = 0.01 * p[SPAN];
    NB_TRY(lay_out(p, nb_norm((*world)->gravity), &a));
    NB_TRY(nb_add_ground(*world, p[FRICTION], nb_quat_identity(), &ground));
    for (int k = 0; k < a.n; k++) NB_TRY(add_voussoir(*world, p, &a, k));
out:
    release(&a);
    if (status != NB_OK) {
        nb_world_destroy(*world);
        *world = NULL;
    }
    return status;
}

static int is_before(const void *context, int32_t other) {
    return other == *(const int32_t *)context;
}

static void check(const double *p, const nb_world *initial, const nb_snapshot *final, nb_checks *checks) {
    int n = (int)p[COUNT];
    double weight = nb_weight(initial), least = INFINITY, most = -INFINITY, drift = 0, up = 0;
    const int32_t ground = 0;
    for (int32_t b = 1; b <= n; b++) {
        int32_t before = b - 1;
        /* the thrust on each voussoir from the one before it; on the first from the ground */
        double thrust = nb_force_from(final, b, is_before, &before).x;
        least = fmin(least, thrust);
        most = fmax(most, thrust);
        up += nb_force_from(final, b, is_before, &ground).z;
        drift = fmax(drift, nb_drift(initial, final, b));
    }
    nb_checks_add(checks, "vertical force on the ground", "N", up, weight, 1e-6 * weight);
    nb_checks_add(checks, "spread of the thrust over the sections", "N", most - least, 0, 1e-6 * weight);
    /* the feet stand on friction: no thrust beyond mu times half the weight; and arches push outwards */
    nb_checks_add_below(checks, "thrust over its friction limit", "1", most / (p[FRICTION] * weight / 2), 1 + 1e-6);
    nb_checks_add_below(checks, "pull instead of thrust over the weight", "1", -least / weight, 0);
    nb_checks_add_below(checks, "drift", "m", drift, 1e-6 * p[SPAN]);
}

const nb_scenario_class nb_arch = {
    .name = "arch",
    .summary = "a self-supporting arch of voussoirs",
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .size_parameter = COUNT,
    .time_step = 0.0083,
    .steps = 60,
    .newton_iterations = 6,
    .linear_iterations = 20,
    .build = build,
    .check = check,
};
