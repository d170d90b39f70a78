/* A bowl that is shaken up and down, with a block on each of its three flat walls. The walls are nearly as steep as
 * friction holds, tan(slope) = r mu. What presses a block to its wall and what pulls it down change together, as the
 * bowl's acceleration a does:
 *
 *     N = m (g + a) cos(slope),     F = m (g + a) sin(slope) = r mu N
 *
 * so that blocks stay where they are for r < 1. Friction that takes N from the start of a step lets them slip whenever
 * the load grows by more than a factor 1/r in it. It stands for the bowl of Larionov et al. 2023, figs 1 and 5, which
 * three soft pads lift: there, too, lagged friction slips and implicit friction does not; sizes and motion are ours. */
#include <math.h>

#include "base/largest.h"
#include "common.h"
#include "papers.h"

enum {
    FRICTION,
    SHARE,
    SHAKE,
    FREQUENCY,
    MASS,
    GAP
};

static const nb_option parameters[] = {
    [FRICTION] = {"mu", "1", 0.65, 0.01, 2, 0, NULL, "friction coefficient"},
    [SHARE] = {"share", "1", 0.98, 0, 2, 0, NULL, "r: the slope of the walls over mu; above 1 the blocks slide"},
    [SHAKE] = {"shake", "1", 0.5, 0, 0.99, 0, NULL, "greatest acceleration of the bowl over gravity"},
    [FREQUENCY] = {"frequency", "1/s", 4, 0.01, 1e3, 0, NULL, "of the bowl's motion"},
    [MASS] = {"mass", "kg", 1, 1e-6, 1e6, 0, NULL, "mass of a block"},
    [GAP] = {"gap", "m", 7.7e-4, 0, 0.05, 0, NULL,
             "under the blocks at the start; as given, springs of a tolerance of 1 mm carry them"},
};

enum {
    WALLS = 3 /* bodies; then as many blocks */
};

/* from the bowl's lowest point to the blocks, along the wall; half a block's length and width, and height [m] */
static const double OUT = 0.5, HALF = 0.05, LOW = 0.005;

static double slope_of(const double *p) {
    return atan(p[SHARE] * p[FRICTION]);
}

static double frequency_of(const double *p) {
    return 2 * acos(-1.0) * p[FREQUENCY]; /* [rad/s] */
}

/* the bowl's mean speed upwards in a step that ends at t, whose acceleration is -shake g sin(frequency t) */
static double speed_of(const double *p, double g, double t, double h) {
    const double w = frequency_of(p);
    return p[SHAKE] * g / (w * w) * (sin(w * t) - sin(w * (t - h))) / h;
}

static double speed_at_start(const double *p, double g) {
    return p[SHAKE] * g / frequency_of(p);
}

/* kept in prescribed: the parameters */
static void shake(nb_world *world, double h) {
    const double speed = speed_of(world->prescribed, nb_norm(world->gravity), world->time + h, h);
    for (int i = 0; i < WALLS; i++) world->bodies[i].linear_velocity.z = speed;
}

/* turns z to the normal of wall i, and x to what leads up it */
static nb_quat turn_of(const double *p, int i) {
    return nb_quat_product(nb_quat_about(nb_vec3_of(0, 0, 1), 2 * acos(-1.0) * i / WALLS),
                           nb_quat_about(nb_vec3_of(0, 1, 0), -slope_of(p)));
}

static nb_status build(const double *p, uint64_t seed, nb_world **world) {
    nb_status status;
    int32_t shape, body;
    nb_shape *plane;
    (void)seed; /* nothing is random here */
    NB_TRY(nb_world_create(world));
    (*world)->settings.contact_margin = LOW;
    NB_TRY(nb_shape_half_space(&plane));
    NB_TRY(nb_world_add_shape(*world, plane, &shape));
    for (int i = 0; i < WALLS; i++)
        NB_TRY(nb_world_add_solid(*world, NB_BODY_KINEMATIC, shape, 0, p[FRICTION], nb_vec3_of(0, 0, 0), turn_of(p, i),
                                  &body));
    NB_TRY(nb_add_box_shape(*world, nb_vec3_of(HALF, HALF, LOW), &shape));
    for (int i = 0; i < WALLS; i++)
        NB_TRY(nb_world_add_solid(*world, NB_BODY_DYNAMIC, shape, p[MASS], p[FRICTION],
                                  nb_quat_rotate(turn_of(p, i), nb_vec3_of(OUT, 0, LOW + p[GAP])), turn_of(p, i),
                                  &body));
    for (int i = 0; i < 2 * WALLS; i++)
        (*world)->bodies[i].linear_velocity.z = speed_at_start(p, nb_norm((*world)->gravity));
    for (int i = 0; i <= GAP; i++) (*world)->prescribed[i] = p[i];
    (*world)->prescribe = shake;
    return NB_OK;
out:
    nb_world_destroy(*world);
    *world = NULL;
    return status;
}

/* Implicit Euler in closed form, from this gap on: how far a block slides down its wall. */
static double closed_form(const double *p, double gap, double h, double g, int32_t steps) {
    double lift = 0, slip = 0, way = 0, speed = speed_at_start(p, g);
    for (int32_t i = 0; i < steps; i++) {
        const double before = speed, slope = slope_of(p);
        speed = speed_of(p, g, (i + 1) * h, h);
        const double load = g + (speed - before) / h;
        const double pressure = nb_press_on_plane(h, load * cos(slope), &lift, &gap);
        slip = fmax(slip + h * (load * sin(slope) - p[FRICTION] * pressure), 0);
        way += h * slip;
    }
    return way;
}

static void check(const double *p, const nb_world *initial, const nb_snapshot *final, nb_checks *checks) {
    const double g = nb_norm(initial->gravity), h = final->time_step;
    const double known = closed_form(p, p[GAP], h, g, final->step_count),
                 carried = closed_form(p, 0, h, g, final->step_count);
    const double share = fmin(p[SHARE], 1), creep = 1e-3 * final->time * (1 - sqrt(1 - share));
    double farthest = -INFINITY, aside = 0;
    for (int i = 0; i < WALLS; i++) {
        const double *wall = final->q + 7 * i, *block = final->q + 7 * (WALLS + i);
        const nb_vec3 from = nb_vec3_of(block[0] - wall[0], block[1] - wall[1], block[2] - wall[2]),
                      at = nb_quat_rotate(nb_quat_conjugate(turn_of(p, i)), from);
        farthest = fmax(farthest, OUT - at.x);
        nb_raise(&aside, fabs(at.y));
    }
    /* what sticks by springs of a slip tolerance of 1e-3 m/s creeps, and may be carried from the start */
    const int own = checks->count;
    nb_checks_add(checks, "way down the wall, of the block that went farthest", "m", farthest, known,
                  fmax(fabs(known - carried), fabs(carried + 1.1 * creep - known)) + 1e-3 * known);
    nb_checks_of_motion(initial, own, checks);
    nb_checks_add_below(checks, "way aside", "m", aside, 1e-5 + 1e-3 * known);
    nb_checks_presuppose(checks, own, known < OUT - 2 * HALF, "the blocks do not come to each other");
}

const nb_scenario_class nb_bowl = {
    .name = "bowl",
    .summary = "blocks on the walls of a bowl that is shaken",
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .size_parameter = -1,
    .checks_springs = 1,
    .paper = &nb_paper_larionov,
    .time_step = 0.01,
    .steps = 75,
    .newton_iterations = 40,
    .linear_iterations = 40,
    .build = build,
    .check = check,
};
