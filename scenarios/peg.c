/* A peg that falls into a hole a little wider than itself, between four fixed walls, and stands on its ground (Le
 * Cleac'h et al., IEEE Robotics and Automation Letters 2023, fig. 7). */
#include <math.h>

#include "papers.h"
#include "planar.h"

enum {
    CLEARANCE,
    TILT,
    HEIGHT,
    FRICTION,
    MASS
};

static const nb_option parameters[] = {
    [CLEARANCE] = {"clearance", "m", 0.01, 1e-3, 0.1, 0, NULL, "on each side of the peg"},
    [TILT] = {"tilt", "1", 0.5, 0, 0.9, 0, NULL, "of the peg at the start, over what the clearance has room for"},
    [HEIGHT] = {"height", "m", 0.05, 1e-3, 10, 0, NULL, "of the peg over the hole at the start"},
    [FRICTION] = {"mu", "1", 0.1, 0, 10, 0, NULL, "friction coefficient"},
    [MASS] = {"mass", "kg", 1, 1e-6, 1e6, 0, NULL, "mass of the peg"},
};

/* half as wide and half as long as the peg is; how deep the hole is, and half as thick as its walls [m] */
static const double WIDE = 0.1, LONG = 0.25, DEEP = 0.4, THICK = 0.1;

/* of four that touch at their edges; those along x are as long as the hole and both others */
static nb_status add_wall(nb_world *world, const double *p, int along_x, double side) {
    nb_status status;
    int32_t shape, body;
    const double from = WIDE + p[CLEARANCE], middle = side * (from + THICK);
    const nb_vec3 half = nb_vec3_of(along_x ? from + 2 * THICK : THICK, along_x ? THICK : from, 0.5 * DEEP);
    NB_TRY(nb_add_box_shape(world, half, &shape));
    NB_TRY(nb_world_add_solid(world, NB_BODY_FIXED, shape, 0, p[FRICTION],
                              nb_vec3_of(along_x ? 0 : middle, along_x ? middle : 0, 0.5 * DEEP), nb_quat_identity(),
                              &body));
out:
    return status;
}

static nb_status build(const double *p, uint64_t seed, nb_world **world) {
    nb_status status;
    int32_t shape, body;
    const double tilt = p[TILT] * p[CLEARANCE] / LONG; /* each end goes aside by so much of the clearance */
    (void)seed;                                        /* nothing is random here */
    NB_TRY(nb_world_create(world));
    (*world)->settings.contact_margin = 0.2 * p[CLEARANCE];
    NB_TRY(nb_add_ground(*world, p[FRICTION], nb_quat_identity(), &body));
    for (int k = 0; k < 4; k++) NB_TRY(add_wall(*world, p, k / 2, k % 2 ? 1 : -1));
    NB_TRY(nb_add_box_shape(*world, nb_vec3_of(WIDE, WIDE, LONG), &shape));
    NB_TRY(nb_world_add_solid(*world, NB_BODY_DYNAMIC, shape, p[MASS], p[FRICTION],
                              nb_vec3_of(0, 0, DEEP + p[HEIGHT] + LONG * cos(tilt) + WIDE * sin(tilt)),
                              nb_quat_about(nb_vec3_of(0, 1, 0), tilt), &body));
    return NB_OK;
out:
    nb_world_destroy(*world);
    *world = NULL;
    return status;
}

/* It falls freely until it is in; it is through the hole at the latest when it is on the ground. */
static void check(const double *p, const nb_world *initial, const nb_snapshot *final, nb_checks *checks) {
    const int32_t peg = initial->body_count - 1;
    const double *q = final->q + 7 * (int64_t)peg, weight = nb_weight(initial);
    const nb_quat turn = {q[3], q[4], q[5], q[6]};
    const nb_vec3 axis = nb_quat_rotate(turn, nb_vec3_of(0, 0, 1));
    double out = 0, low = INFINITY;
    for (int i = 0; i < 8; i++) {
        nb_vec3 r = nb_quat_rotate(turn, nb_vec3_of(i & 1 ? WIDE : -WIDE, i & 2 ? WIDE : -WIDE, i & 4 ? LONG : -LONG));
        low = fmin(low, q[2] + r.z);
        /* of corners between the walls */
        if (q[2] + r.z < DEEP) out = fmax(out, fmax(fabs(q[0] + r.x), fabs(q[1] + r.y)) - WIDE - p[CLEARANCE]);
    }
    nb_checks_add(checks, "vertical force of walls and ground", "N", nb_force_of_fixed(initial, final).z,
                  weight + nb_momentum_rate(initial, final), 1e-4 * weight);
    nb_checks_add_below(checks, "penetration of the ground", "m", -low, 1e-2 * p[CLEARANCE]);
    nb_checks_add_below(checks, "penetration of the walls", "m", out, 1e-2 * p[CLEARANCE]);
    nb_checks_add_below(checks, "tilt over what the clearance has room for", "1",
                        hypot(axis.x, axis.y) * LONG / p[CLEARANCE], 2);
}

const nb_scenario_class nb_peg = {
    .name = "peg",
    .summary = "a peg that falls into a hole",
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .size_parameter = -1,
    .paper = &nb_paper_lecleach,
    .time_step = 0.01,
    .steps = 100,
    .newton_iterations = 60,
    .linear_iterations = 60,
    .build = build,
    .check = check,
};
