/* A four-bar linkage in the plane y = 0: a crank and a rocker on the ground, a coupler between them, which swings under
 * gravity. Where one of the two is as long as the other, and the coupler as the ground, it is a parallelogram. */
#include <math.h>

#include "planar.h"

enum {
    CRANK,
    COUPLER,
    ROCKER,
    GROUND,
    ANGLE,
    DENSITY
};

static const nb_option parameters[] = {
    [CRANK] = {"crank", "m", 1, 0.1, 1.2, 0, NULL, "length of the crank"},
    [COUPLER] = {"coupler", "m", 2.2, 1.8, 3, 0, NULL, "length of the coupler"},
    [ROCKER] = {"rocker", "m", 1.6, 1.2, 2.5, 0, NULL, "length of the rocker"},
    [GROUND] = {"ground", "m", 2, 1.5, 3, 0, NULL, "distance of the two on the ground"},
    [ANGLE] = {"angle", "rad", 0.9, -3.1, 3.1, 0, NULL, "of the crank at the start, from the horizontal upwards"},
    [DENSITY] = {"density", "kg/m", 1, 1e-6, 1e6, 0, NULL, "of the bars"},
};

/* the ends of the crank and the rocker that the coupler joins, in (x, z) */
typedef struct linkage {
    double crank[2], rocker[2];
} linkage;

/* Where they are at this angle of the crank, the rocker's end above the line between; 0: nowhere. */
static int pose_linkage(const double *p, double angle, linkage *l) {
    l->crank[0] = p[CRANK] * cos(angle);
    l->crank[1] = p[CRANK] * sin(angle);
    double dx = p[GROUND] - l->crank[0], dz = -l->crank[1], far = hypot(dx, dz);
    double along = (p[COUPLER] * p[COUPLER] - p[ROCKER] * p[ROCKER] + far * far) / (2 * far),
           square = p[COUPLER] * p[COUPLER] - along * along;
    if (!(far > 0 && square > 1e-4 * far * far)) return 0;
    double across = sqrt(square);
    l->rocker[0] = l->crank[0] + (along * dx - across * dz) / far;
    l->rocker[1] = l->crank[1] + (along * dz + across * dx) / far;
    return 1;
}

/* a bar, CRANK, COUPLER or ROCKER, from here to there */
static nb_status add_bar(nb_world *world, const double *p, int bar, const double from[2], const double to[2]) {
    nb_status status;
    int32_t shape, body;
    double half = 0.5 * p[bar], thin = 0.03 * half;
    nb_quat turn = nb_quat_about(nb_vec3_of(0, 1, 0), -atan2(to[1] - from[1], to[0] - from[0]));
    NB_TRY(nb_add_box_shape(world, nb_vec3_of(half, thin, thin), &shape));
    NB_TRY(nb_world_add_solid(world, NB_BODY_DYNAMIC, shape, p[DENSITY] * 2 * half, 0,
                              nb_vec3_of(0.5 * (from[0] + to[0]), 0, 0.5 * (from[1] + to[1])), turn, &body));
    world->bodies[body].shape = -1; /* bars are behind each other */
out:
    return status;
}

static nb_status pin(nb_world *world, int32_t a, int32_t b, const double at[2]) {
    static const double rigid[6] = {0};
    int32_t joint;
    return nb_world_add_joint_at(world, NB_JOINT_REVOLUTE, a, b, nb_vec3_of(at[0], 0, at[1]),
                                 nb_quat_about(nb_vec3_of(0, 0, 1), acos(0)), rigid, &joint);
}

static nb_status build(const double *p, uint64_t seed, nb_world **world) {
    nb_status status;
    const double origin[2] = {0, 0}, foot[2] = {p[GROUND], 0};
    linkage l;
    (void)seed; /* nothing is random here */
    *world = NULL;
    if (!pose_linkage(p, p[ANGLE], &l))
        return nb_fail(NB_ERROR_USAGE,
                       "scenario 'four-bar': bars of %g, %g and %g m do not meet over %g m at angle = %g", p[CRANK],
                       p[COUPLER], p[ROCKER], p[GROUND], p[ANGLE]);
    NB_TRY(nb_world_create(world));
    (*world)->planar = 1;
    NB_TRY(add_bar(*world, p, CRANK, origin, l.crank));
    NB_TRY(add_bar(*world, p, COUPLER, l.crank, l.rocker));
    NB_TRY(add_bar(*world, p, ROCKER, foot, l.rocker));
    NB_TRY(pin(*world, 0, -1, origin));
    NB_TRY(pin(*world, 1, 0, l.crank));
    NB_TRY(pin(*world, 2, 1, l.rocker));
    NB_TRY(pin(*world, 2, -1, foot));
    return NB_OK;
out:
    nb_world_destroy(*world);
    *world = NULL;
    return status;
}

/* the angle of a bar at the end */
static double angle_of(const double *q) {
    return -2 * atan2(q[5], q[3]);
}

static void check(const double *p, const nb_world *initial, const nb_snapshot *final, nb_checks *checks) {
    const double h = final->time_step, g = nb_norm(initial->gravity);
    double start = 0, turned = 0, longest = fmax(p[CRANK], fmax(p[COUPLER], p[ROCKER])), energy = 0;
    for (int32_t b = 0; b < 3; b++) {
        const double *u = final->u + 6 * (int64_t)b;
        start += initial->bodies[b].mass * g * initial->bodies[b].position.z;
        energy += initial->bodies[b].mass * g * longest;
        turned = fmax(turned, h * fabs(u[4]));
    }
    nb_checks_add_below(checks, "way out of the plane", "m, m/s, rad/s", nb_out_of_plane(initial, final), 0);
    if (!nb_takes_all_back(initial)) return;
    const double second = longest * turned * turned; /* what a linearised step leaves */
    nb_checks_add_below(checks, "joint error", "m or rad", nb_joint_error(initial, final), 2 * second + 1e-6 * longest);
    double a = angle_of(final->q), b = angle_of(final->q + 7), c = angle_of(final->q + 14);
    double x = p[CRANK] * cos(a) + p[COUPLER] * cos(b) - p[ROCKER] * cos(c) - p[GROUND],
           z = p[CRANK] * sin(a) + p[COUPLER] * sin(b) - p[ROCKER] * sin(c);
    nb_checks_add_below(checks, "loop of the angles", "m", hypot(x, z), 8 * second + 1e-6 * longest);
    /* implicit Euler takes energy away, and linearised constraints give some */
    nb_checks_add_below(checks, "energy gained over the bars' weight and length", "1",
                        (nb_energy_at_end(initial, final) - start) / energy, 0.02);
}

const nb_scenario_class nb_four_bar = {
    .name = "four-bar",
    .summary = "a four-bar linkage that swings under gravity",
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .size_parameter = -1,
    .checks_all = 1,
    .time_step = 0.01,
    .steps = 1000,
    .newton_iterations = 20,
    .linear_iterations = 60,
    .build = build,
    .check = check,
};
