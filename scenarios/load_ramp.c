/* A block that is pressed down and pulled by forces which grow in step, N = m g e^(t/tau) and F = r mu N. It holds for
 * r < 1. Where friction takes its normal force from the start of a step it holds
 *
 *     F(t + h) <= mu N(t),     that is h <= tau ln(1/r)
 *
 * and else slips; implicit friction holds at every step (after Larionov et al. 2023, section V-A). */
#include <math.h>

#include "common.h"
#include "papers.h"

enum {
    MASS,
    FRICTION,
    SHARE,
    TIME,
    GAP
};

static const nb_option parameters[] = {
    [MASS] = {"mass", "kg", 1, 1e-6, 1e6, 0, NULL, "mass of the block, whose weight is the load at the start"},
    [FRICTION] = {"mu", "1", 0.4, 0, 5, 0, NULL, "friction coefficient"},
    [SHARE] = {"share", "1", 0.9, 0, 10, 0, NULL, "r: the pull over mu times the load; above 1 the block slides"},
    [TIME] = {"growth-time", "s", 0.5, 1e-3, 1e9, 0, NULL, "tau: in it the forces grow by a factor e"},
    [GAP] = {"gap", "m", 7.5e-4, 0, 1, 0, NULL,
             "under the block at the start; as given, springs of a tolerance of 1 mm carry it"},
};

/* half the block's length and width, and height [m] */
static const double HALF = 0.25, LOW = 0.025;

/* the load over the weight at a time */
static double growth(const double *p, double t) {
    return exp(t / p[TIME]);
}

/* Kept in prescribed: the parameters. The pull is where friction is, so that neither tips the block over. */
static void load(nb_world *world, double h) {
    const double *p = world->prescribed;
    nb_body *block = &world->bodies[1];
    const double weight = p[MASS] * nb_norm(world->gravity), grown = growth(p, world->time + h);
    block->force = nb_vec3_of(p[SHARE] * p[FRICTION] * grown * weight, 0, -(grown - 1) * weight);
    block->torque = nb_cross(nb_vec3_of(0, 0, -LOW), block->force);
}

static nb_status build(const double *p, uint64_t seed, nb_world **world) {
    nb_status status;
    int32_t shape, body;
    (void)seed; /* nothing is random here */
    NB_TRY(nb_world_create(world));
    (*world)->settings.contact_margin = 0.1 * LOW;
    NB_TRY(nb_add_ground(*world, p[FRICTION], nb_quat_identity(), &body));
    NB_TRY(nb_add_box_shape(*world, nb_vec3_of(HALF, HALF, LOW), &shape));
    NB_TRY(nb_world_add_solid(*world, NB_BODY_DYNAMIC, shape, p[MASS], p[FRICTION], nb_vec3_of(0, 0, p[GAP] + LOW),
                              nb_quat_identity(), &body));
    for (int i = 0; i <= GAP; i++) (*world)->prescribed[i] = p[i];
    (*world)->prescribe = load;
    return NB_OK;
out:
    nb_world_destroy(*world);
    *world = NULL;
    return status;
}

/* Implicit Euler in closed form, from this gap on: along the pull, and the load of the last step over the mass. */
static void closed_form(const double *p, double gap, double h, double g, int32_t steps, double *speed,
                        double *pressure) {
    double lift = 0;
    *speed = *pressure = 0;
    for (int32_t i = 0; i < steps; i++) {
        const double pull = g * growth(p, (i + 1) * h);
        *pressure = nb_press_on_plane(h, pull, &lift, &gap);
        *speed = fmax(*speed + h * p[FRICTION] * (p[SHARE] * pull - *pressure), 0);
    }
}

static void check(const double *p, const nb_world *initial, const nb_snapshot *final, nb_checks *checks) {
    const double g = nb_norm(initial->gravity), h = final->time_step, loaded = p[MASS] * g * growth(p, final->time);
    const nb_vec3 force = nb_force_of_fixed(initial, final);
    double speed, pressure, carried, carries;
    closed_form(p, 0, h, g, final->step_count, &carried, &carries);
    closed_form(p, p[GAP], h, g, final->step_count, &speed, &pressure);
    /* What sticks by springs creeps at no more than their slip tolerance, of 1e-3 m/s. They may carry the block from
     * the start, and sink while the load grows: the first steps have 1 % of its weight in that. */
    const int first = checks->count;
    nb_checks_add(checks, "speed along the pull", "m/s", final->u[6], speed,
                  1e-3 + 1e-6 * speed + fabs(speed - carried));
    nb_checks_of_motion(initial, first, checks);
    const int forces = checks->count;
    nb_checks_add(checks, "normal force", "N", force.z, p[MASS] * pressure,
                  0.01 * loaded + p[MASS] * fabs(pressure - carries));
    if (p[GAP] > 0) nb_checks_of_motion(initial, forces, checks);
}

const nb_scenario_class nb_load_ramp = {
    .name = "load-ramp",
    .summary = "a block under a load that grows, and a pull that friction holds",
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .size_parameter = -1,
    .checks_springs = 1,
    .paper = &nb_paper_larionov,
    .time_step = 0.1,
    .steps = 12,
    .newton_iterations = 40,
    .linear_iterations = 40,
    .build = build,
    .check = check,
};
