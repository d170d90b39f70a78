/* One block on a slope: friction with a closed-form motion, for checks of sticking and slipping, and of what a block
 * does that lands: by Coulomb's law it slides on, by the relaxed one it is launched. `incline` is a flat one;
 * `painleve-box` a high one on level ground, which tips over where mu > length/height (size, mass, speed and step as
 * published for a splitting for Coulomb's law, Song, Fan, Ascher and Pai 2026). */
#include <math.h>

#include "common.h"

enum {
    ANGLE,
    FRICTION,
    SPEED,
    MASS,
    LENGTH,
    LANDING,
    GAP,
    WIDTH,
    HEIGHT
};

#define PARAMETERS(angle, mu, speed, mass, length, width, height)                                                  \
    {                                                                                                              \
        [ANGLE] = {"angle", "rad", angle, 0, 1.3, 0, NULL, "slope"},                                               \
        [FRICTION] = {"mu", "1", mu, 0, 5, 0, NULL, "friction coefficient; more than length over height tips it"}, \
        [SPEED] = {"speed", "m/s", speed, 0, 100, 0, NULL, "initial speed down the slope"},                        \
        [MASS] = {"mass", "kg", mass, 1e-6, 1e6, 0, NULL, "mass of the block"},                                    \
        [LENGTH] = {"length", "m", length, 1e-3, 1e3, 0, NULL, "length of the block, down the slope"},             \
        [LANDING] = {"landing-speed",                                                                              \
                     "m/s",                                                                                        \
                     0,                                                                                            \
                     0,                                                                                            \
                     100,                                                                                          \
                     0,                                                                                            \
                     NULL,                                                                                         \
                     "initial speed into the slope, which the block touches without a gap"},                       \
        [GAP] = {"gap", "m", 0, 0, 1, 0, NULL, "initial distance from the slope"},                                 \
        [WIDTH] = {"width", "1", width, 1e-2, 1e2, 0, NULL, "width of the block over its length"},                 \
        [HEIGHT] = {"height", "1", height, 1e-2, 1e2, 0, NULL, "height of the block over its length"},             \
    }

static const nb_option of_incline[] = PARAMETERS(0.5, 0.3, 0, 1, 1, 1, 0.1);
static const nb_option of_painleve_box[] = PARAMETERS(0, 0.5, 4, 43.2, 0.6, 0.5, 2);

static nb_vec3 down_slope(double angle) {
    return nb_vec3_of(cos(angle), 0, -sin(angle));
}

static nb_vec3 out_of_slope(double angle) {
    return nb_vec3_of(sin(angle), 0, cos(angle));
}

static nb_status build(const double *p, uint64_t seed, nb_world **world) {
    nb_status status;
    int32_t shape, body;
    double half = p[LENGTH] / 2, high = half * p[HEIGHT];
    nb_quat turn = nb_quat_about(nb_vec3_of(0, 1, 0), p[ANGLE]);
    (void)seed; /* nothing is random here */
    NB_TRY(nb_world_create(world));
    (*world)->settings.contact_margin = fmin(0.1 * half, high);
    NB_TRY(nb_add_ground(*world, p[FRICTION], turn, &body));
    NB_TRY(nb_add_box_shape(*world, nb_vec3_of(half, half * p[WIDTH], high), &shape));
    NB_TRY(nb_world_add_solid(*world, NB_BODY_DYNAMIC, shape, p[MASS], p[FRICTION],
                              nb_quat_rotate(turn, nb_vec3_of(0, 0, high + p[GAP])), turn, &body));
    (*world)->bodies[body].linear_velocity =
        nb_add_scaled(nb_scale(p[SPEED], down_slope(p[ANGLE])), -p[LANDING], out_of_slope(p[ANGLE]));
    return NB_OK;
out:
    nb_world_destroy(*world);
    *world = NULL;
    return status;
}

/* down the slope and out of it, after the last step; forces in that step */
typedef struct motion {
    double speed, lift;        /* [m/s] */
    double way, gap;           /* [m] */
    double friction, pressure; /* up the slope, and out of it [N] */
} motion;

/* One step from the velocities that gravity makes, where the gap is worth `closing` as a velocity: by Coulomb's law the
 * block does not come nearer than that, and friction takes mu times the push off its speed, at most all of it; by the
 * relaxed one velocities go to the nearest point of lift + closing >= mu |speed|. */
static void meet_slope(int relaxed, double mu, double closing, motion *m) {
    double over = m->lift + closing;
    if (relaxed && over < mu * fabs(m->speed)) {
        m->speed = fmax(m->speed + mu * over, 0) / (1 + mu * mu);
        m->lift = mu * m->speed - closing;
    } else if (!relaxed && over < 0) {
        m->speed = fmax(m->speed + mu * over, 0);
        m->lift = -closing;
    }
}

/* Implicit Euler in closed form. */
static motion closed_form(const double *p, const nb_world *initial, double h, int32_t steps) {
    const nb_time_stepping *how = &initial->settings.stepping;
    const double g = nb_norm(initial->gravity), pull = h * g * sin(p[ANGLE]), weight = h * g * cos(p[ANGLE]),
                 taken_back = how->scheme == NB_STEPPING_IMPLICIT ? 1 : how->stabilization;
    const int relaxed = initial->settings.friction_law == NB_FRICTION_RELAXED ||
                        initial->settings.friction_law == NB_FRICTION_POLYHEDRAL_RELAXED;
    motion m = {.speed = p[SPEED], .lift = -p[LANDING], .gap = p[GAP]};
    for (int32_t i = 0; i < steps; i++) {
        const motion free = {.speed = m.speed + pull, .lift = m.lift - weight};
        m.speed = free.speed;
        m.lift = free.lift;
        meet_slope(relaxed, p[FRICTION], taken_back * m.gap / h, &m);
        m.way += h * m.speed;
        m.gap += h * m.lift;
        m.friction = p[MASS] * (free.speed - m.speed) / h;
        m.pressure = p[MASS] * (m.lift - free.lift) / h;
    }
    return m;
}

/* The pressure on a block that slides acts mu height / 2 ahead of its middle, which is below the block where it stays
 * upright. One that friction stops has no more friction on it than gravity's part down the slope. */
static void check_upright(const double *p, const nb_world *initial, const nb_snapshot *final, int first,
                          nb_checks *checks) {
    const double *q = final->q + 7, g = nb_norm(initial->gravity),
                 brake = g * (p[FRICTION] * cos(p[ANGLE]) - sin(p[ANGLE])),
                 slides = brake * final->time > p[SPEED] ? p[SPEED] / brake : final->time;
    const nb_vec3 up = nb_quat_rotate((nb_quat){q[3], q[4], q[5], q[6]}, nb_vec3_of(0, 0, 1));
    const double tips = p[HEIGHT] * fmax(p[SPEED] > 0 ? p[FRICTION] : 0, fmin(p[FRICTION], tan(p[ANGLE])));
    nb_checks_presuppose(checks, first, tips <= 1, "the block stays upright");
    /* what is about to tip takes errors of solutions along by exp((g/length)^1/2 t) */
    nb_checks_presuppose(checks, first, fabs(tips - 1) > 1e-3 || sqrt(g / p[LENGTH]) * slides < 6,
                         "the block is not about to tip");
    if (tips <= 1) return;
    nb_check *tipped = nb_checks_add_below(checks, "upright where the block must tip", "1",
                                           nb_dot(up, out_of_slope(p[ANGLE])) > 1 - 1e-6, 0);
    nb_check_presupposes(tipped, final->time > 0.1, "the run lasts 0.1 s");
}

static void check(const double *p, const nb_world *initial, const nb_snapshot *final, nb_checks *checks) {
    double g = nb_norm(initial->gravity), h = final->time_step, weight = p[MASS] * g;
    const double *u = final->u + 6, *q = final->q + 7;
    nb_vec3 down = down_slope(p[ANGLE]), normal = out_of_slope(p[ANGLE]);
    nb_vec3 moved = nb_sub(nb_vec3_of(q[0], q[1], q[2]), initial->bodies[1].position);
    nb_vec3 force = nb_force_of_fixed(initial, final);
    const int first = checks->count;
    motion known = closed_form(p, initial, h, final->step_count);
    /* a step converged to 1e-8 m/s leaves some 1e-8 m/s a step; lagged friction creeps near the threshold, which fails
     */
    double tolerance = 1e-7 * fmax(1, final->step_count * h * g);
    nb_checks_add(checks, "speed down the slope", "m/s", nb_dot(down, nb_vec3_of(u[0], u[1], u[2])), known.speed,
                  tolerance);
    nb_checks_add(checks, "way down the slope", "m", nb_dot(down, moved), known.way, tolerance * fmax(1, final->time));
    nb_checks_add(checks, "speed out of the slope", "m/s", nb_dot(normal, nb_vec3_of(u[0], u[1], u[2])), known.lift,
                  tolerance);
    nb_checks_add(checks, "way out of the slope", "m", nb_dot(normal, moved), known.gap - p[GAP],
                  tolerance * fmax(1, final->time));
    nb_checks_of_motion(initial, first, checks);
    const int forces = checks->count;
    nb_checks_add(checks, "normal force", "N", nb_dot(normal, force), known.pressure, 1e-6 * weight);
    nb_checks_add(checks, "friction up the slope", "N", -nb_dot(down, force), known.friction, 1e-5 * weight);
    if (p[SPEED] > 0 || p[LANDING] > 0 || p[GAP] > 0) nb_checks_of_motion(initial, forces, checks);
    /* a polygon's corner is seldom in the direction of the slope */
    nb_checks_presuppose(checks, first, !nb_friction_has_facets(initial->settings.friction_law),
                         "the friction cone is round");
    nb_checks_presuppose(checks, first, !(initial->settings.stepping.restitution > 0), "nothing bounces");
    check_upright(p, initial, final, first, checks);
}

const nb_scenario_class nb_incline = {
    .name = "incline",
    .summary = "a block on a slope, sticking or sliding",
    .parameters = of_incline,
    .parameter_count = sizeof of_incline / sizeof *of_incline,
    .size_parameter = -1,
    .checks_all = 1,
    .time_step = 0.0083,
    .steps = 60,
    .newton_iterations = 40,
    .linear_iterations = 40,
    .build = build,
    .check = check,
};

const nb_scenario_class nb_painleve_box = {
    .name = "painleve-box",
    .summary = "a box that slides upright, or tips where mu > length/height",
    .parameters = of_painleve_box,
    .parameter_count = sizeof of_painleve_box / sizeof *of_painleve_box,
    .size_parameter = -1,
    .checks_all = 1,
    .time_step = 0.0166667,
    .steps = 60,
    .newton_iterations = 40,
    .linear_iterations = 40,
    .build = build,
    .check = check,
};
