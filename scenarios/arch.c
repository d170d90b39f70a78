/* A self-supporting arch of voussoirs, light at the crown and heavy at the feet (paper, section 10.1.5 and fig. 14).
 *
 * Its axis is the funicular line of its own weights: with joints at equal distances along x and a horizontal thrust H,
 * the slope at a joint is V/H, V being the weight between it and the crown. Joints stand across the axis (near
 * the feet not quite), so that the thrust can pass through their middle; the feet lie flat on the ground. The outer
 * edges are chamfered: the six corners of a joint make the contacts as redundant as the paper's (126 here, 134 there).
 */
#include <math.h>

#include "base/largest.h"
#include "base/memory.h"
#include "common.h"
#include "papers.h"

enum {
    COUNT,
    FRICTION,
    CROWN_MASS,
    FOOT_MASS,
    SPAN,
    RISE,
    DEPTH,
    CHAMFER
};

static const double RIGHT_ANGLE = 1.57079632679489661923;

static const nb_option parameters[] = {
    [COUNT] = {"count", "1", 20, 4, 400, 1, NULL, "voussoirs"},
    [FRICTION] = {"mu", "1", 0.6, 0, 10, 0, NULL, "friction coefficient"},
    [CROWN_MASS] = {"crown-mass", "kg", 15, 1e-3, 1e6, 0, NULL, "mass of the lightest voussoirs"},
    [FOOT_MASS] = {"foot-mass", "kg", 110, 1e-3, 1e6, 0, NULL, "mass of the heaviest voussoirs"},
    [SPAN] = {"span", "m", 4, 1e-2, 1e3, 0, NULL, "distance of the feet"},
    [RISE] = {"rise", "m", 3, 1e-2, 1e3, 0, NULL, "height of the axis"},
    [DEPTH] = {"depth", "m", 0.5, 1e-3, 1e3, 0, NULL, "depth of the arch"},
    [CHAMFER] = {"chamfer", "1", 0.15, 0.01, 0.45, 0, NULL,
                 "width of the outer edges' chamfers, in depths and thicknesses"},
};

/* the axis and the joints of an arch of n voussoirs */
typedef struct geometry {
    int n;
    double *mass;  /* [n] */
    double *x, *z; /* [n + 1] the joints' middles */
    double *slope; /* [n + 1] of the axis there */
    double thrust; /* H [N] */
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

/* The inner and outer end of joint k: thicker towards the feet, and across the axis but for a turn that grows from
 * nothing at the crown to what lays the feet flat on the ground, slowly enough that no joints cross however many there
 * are. */
static void joint_ends(const double *p, const geometry *a, int k, nb_vec3 *inner, nb_vec3 *outer) {
    double s = 2.0 * k / a->n - 1, half = p[SPAN] * (0.03 + 0.03 * s * s);
    double turn = atan(a->slope[k]) + (s < 0 ? 1 : -1) * (RIGHT_ANGLE - atan(a->slope[0])) * s * s * s * s;
    nb_vec3 middle = nb_vec3_of(a->x[k], 0, a->z[k]), across = nb_vec3_of(-sin(turn), 0, cos(turn));
    if (k == 0 || k == a->n) across = nb_vec3_of(k == 0 ? -1 : 1, 0, 0); /* without round-off */
    *inner = nb_add_scaled(middle, -half, across);
    *outer = nb_add_scaled(middle, half, across);
}

/* The six corners of joint k, from the inner edge in front (y < 0) over the outer ones to the inner edge behind. */
static void joint_corners(const double *p, const geometry *a, int k, nb_vec3 corner[6]) {
    nb_vec3 inner, outer, shoulder;
    joint_ends(p, a, k, &inner, &outer);
    shoulder = nb_add_scaled(outer, p[CHAMFER], nb_sub(inner, outer));
    const nb_vec3 half[3] = {inner, shoulder, outer};
    for (int i = 0; i < 3; i++) {
        corner[i] = corner[5 - i] = half[i];
        corner[i].y = -p[DEPTH] * (i < 2 ? 0.5 : 0.5 - p[CHAMFER]);
        corner[5 - i].y = -corner[i].y;
    }
}

/* The voussoir between joints k and k + 1. Its chamfers are not quite planar: each is two triangles that meet in the
 * diagonal which leaves the solid convex. */
static nb_status voussoir_shape(const double *p, const geometry *a, int k, nb_shape **shape) {
    static const int32_t start[] = {0, 6, 12, 16, 20, 24, 28, 31, 34, 37, 40};
    static const int32_t faces[2][40] = {
        {0, 1, 2,  3, 4, 5, 6, 11, 10, 9, 8, 7, 0, 6, 7, 1, 5, 4, 10, 11,
         0, 5, 11, 6, 2, 8, 9, 3,  1,  7, 8, 1, 8, 2, 4, 3, 9, 4, 9,  10},
        {0, 1, 2,  3, 4, 5, 6, 11, 10, 9, 8, 7, 0, 6, 7, 1, 5,  4, 10, 11,
         0, 5, 11, 6, 2, 8, 9, 3,  1,  7, 2, 7, 8, 2, 4, 3, 10, 3, 9,  10},
    };
    nb_vec3 points[12];
    joint_corners(p, a, k, points);
    joint_corners(p, a, k + 1, points + 6);
    nb_vec3 normal = nb_cross(nb_sub(points[7], points[1]), nb_sub(points[8], points[1]));
    int outside = nb_dot(normal, nb_sub(points[2], points[1])) > 0;
    nb_status status = nb_shape_polyhedron(12, points, 10, start, faces[outside], shape);
    if (status == NB_ERROR_INPUT)
        return nb_fail(NB_ERROR_USAGE,
                       "arch: span = %g m, rise = %g m, count = %g and these masses make joints that cross", p[SPAN],
                       p[RISE], p[COUNT]);
    return status;
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
    (*world)->settings.contact_margin = 0.01 * p[SPAN];
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

/* The thrusts with which the arch can stand at all, without tension: at each joint, H z = M where the thrust passes
 * through height z of the joint, M being the moment of the weights on a beam that is simply supported at the points
 * where the feet press on the ground. Both lie between the edges of their faces. */
static void thrust_limits(const double *p, const geometry *a, const nb_world *initial, double *least, double *most) {
    nb_vec3 end[2], point[2];
    double reach[2];
    *least = 0;
    *most = INFINITY;
    joint_ends(p, a, a->n, &end[0], &end[1]);
    for (int i = 0; i < 2; i++) reach[i] = end[i].x; /* the narrowest and the widest supports, at -reach and reach */
    for (int k = 1; k < a->n; k++) {
        double low = INFINITY, high = 0;
        joint_ends(p, a, k, &point[0], &point[1]);
        for (int i = 0; i < 4; i++) {
            double x = point[i % 2].x, support = reach[i / 2], left = 0, moment = 0, z = point[i % 2].z;
            for (int b = 1; b <= a->n; b++) {
                const nb_body *body = &initial->bodies[b];
                double weight = body->mass * nb_norm(initial->gravity);
                left += weight * (support - body->position.x) / (2 * support);
                if (b <= k) moment -= weight * (x - body->position.x);
            }
            moment += left * (x + support);
            low = fmin(low, moment / z);
            high = fmax(high, moment / z);
        }
        *least = fmax(*least, low);
        *most = fmin(*most, high);
    }
}

/* Brings the thrusts with which the arch can stand down to those that friction bears: at each joint the part of the
 * thrust along its face, |V cos t - H sin t|, is at most mu times that across it, H cos t + V sin t. Both are linear in
 * H; V is the weight between the joint and the crown, t the turn of the face's normal from the horizontal. */
static void friction_limits(const double *p, const geometry *a, double *least, double *most) {
    for (int k = 0; k <= a->n; k++) {
        nb_vec3 inner, outer;
        joint_ends(p, a, k, &inner, &outer);
        const nb_vec3 across = nb_normalized(nb_sub(outer, inner));
        const double c = across.z, s = -across.x, v = a->slope[k] * a->thrust;
        for (int side = -1; side <= 1; side += 2) { /* side (V c - H s) <= mu (H c + V s) as q <= f H */
            const double f = side * s + p[FRICTION] * c, q = v * (side * c - p[FRICTION] * s);
            if (f > 0)
                *least = fmax(*least, q / f);
            else if (f < 0)
                *most = fmin(*most, q / f);
            else if (q > 0)
                *most = -INFINITY;
        }
    }
}

/* the horizontal thrust across the joints, from the ground at the left to the last voussoir: least and most [N] */
static void thrust_range(const nb_snapshot *final, int n, double *thrust) {
    for (int32_t i = 0; i < final->contacts; i++) {
        const int32_t *pair = final->contact_bodies + 2 * (int64_t)i;
        int32_t low = pair[0] < pair[1] ? pair[0] : pair[1], high = pair[0] < pair[1] ? pair[1] : pair[0];
        double push = nb_snapshot_contact_force(final, i).x * (pair[0] == high ? 1 : -1);
        if (low == high - 1) thrust[high - 1] += push;
        if (low == 0 && high == n) thrust[n] -= push; /* the right foot is pushed back */
    }
}

/* adds its checks, and says whether the arch can stand */
static int check_thrust(const double *p, const nb_world *initial, const nb_snapshot *final, nb_checks *checks) {
    geometry a = {0};
    double *thrust = NULL, weight = nb_weight(initial), spread = 0, least = NAN, most = NAN, first = NAN;
    int n = (int)p[COUNT];
    if (lay_out(p, nb_norm(initial->gravity), &a) == NB_OK && NB_ALLOCATE(n + 1, &thrust) == NB_OK) {
        thrust_limits(p, &a, initial, &least, &most);
        friction_limits(p, &a, &least, &most);
        thrust_range(final, n, thrust);
        first = thrust[0];
        for (int k = 1; k <= n; k++) nb_raise(&spread, fabs(thrust[k] - first));
    }
    nb_checks_add(checks, "difference of the thrust between sections", "N", spread, 0, 1e-6 * weight);
    /* forces in a redundant arch are not unique: an interval is all that can be known */
    nb_checks_add(checks, "thrust, within what is admissible", "N", first, 0.5 * (least + most),
                  0.5 * (most - least) + 1e-6 * weight);
    nb_free(thrust);
    release(&a);
    return !(least > most); /* NaN, for want of memory: it is to be seen */
}

static void check(const double *p, const nb_world *initial, const nb_snapshot *final, nb_checks *checks) {
    double weight = nb_weight(initial);
    nb_vec3 ground = nb_force_of_fixed(initial, final);
    nb_checks_add(checks, "vertical force of the ground", "N", ground.z, weight + nb_momentum_rate(initial, final),
                  1e-6 * weight);
    const int own = checks->count;
    nb_checks_add(checks, "horizontal force of the ground", "N", hypot(ground.x, ground.y), 0, 1e-6 * weight);
    const int can_stand = check_thrust(p, initial, final, checks);
    nb_checks_add_below(checks, "drift", "m", nb_drift(initial, final), 1e-6 * p[SPAN]);
    nb_checks_presuppose(checks, own, can_stand, "thrust and friction can hold the arch");
}

const nb_scenario_class nb_arch = {
    .name = "arch",
    .summary = "a self-supporting arch of voussoirs",
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .size_parameter = COUNT,
    .paper = &nb_paper_macklin,
    .time_step = 0.0083,
    .steps = 60,
    .newton_iterations = 6,
    .linear_iterations = 20,
    .build = build,
    .check = check,
};
