/* Two rods and a chain of light balls between them (after Kamino's boxes_nunchaku, Tsounis et al. 2025; the measures
 * are ours). It falls on the ground, or hangs by its first rod. Sweeps over joints converge by the ratio of the masses.
 *
 * What is held farther out than 1.2 rad comes down as a whip: joint impulses z at arms r turn a light ball of inertia I
 * by h r z/I > 1 of what they should, where linearized joints do not converge. */
#include <math.h>

#include "linkage.h"

enum {
    COUNT,
    RATIO,
    BALL_MASS,
    HELD,
    ANGLE,
    FRICTION,
    GAP
};

static const nb_option parameters[] = {
    [COUNT] = {"count", "1", 6, 1, 200, 1, NULL, "balls"},
    [RATIO] = {"mass-ratio", "1", 50, 1e-3, 1e6, 0, NULL, "mass of a rod over that of a ball"},
    [BALL_MASS] = {"ball-mass", "kg", 0.01, 1e-6, 1e3, 0, NULL, "mass of a ball"},
    [HELD] = {"held", "1", 0, 0, 1, 1, NULL, "1: the first rod is held, and the others hang from it"},
    [ANGLE] = {"angle", "rad", 0, 0, 1.2, 0, NULL, "of what is held at the start, from the vertical"},
    [FRICTION] = {"mu", "1", 0.5, 0, 10, 0, NULL, "friction coefficient"},
    [GAP] = {"gap", "m", 0.01, 0, 10, 0, NULL, "height of what is not held over the ground"},
};

static const double rod = 0.3, radius = 0.02, pitch = 0.05; /* [m] */

/* the direction of the chain at the start, and a point on it [m] from the first rod's end */
static nb_vec3 direction(const double *p) {
    return p[HELD] > 0 ? nb_vec3_of(sin(p[ANGLE]), 0, -cos(p[ANGLE])) : nb_vec3_of(1, 0, 0);
}

static nb_vec3 place(const double *p, double s) {
    const double height = p[HELD] > 0 ? 2 * rod + pitch * p[COUNT] + 1 : radius + p[GAP];
    return nb_add_scaled(nb_vec3_of(0, 0, height), s, direction(p));
}

static nb_status build(const double *p, uint64_t seed, nb_world **world) {
    nb_status status;
    const int32_t count = (int32_t)p[COUNT];
    const double mass = p[RATIO] * p[BALL_MASS], end = pitch * count;
    int32_t body, ball, joint;
    (void)seed; /* nothing is random here */
    NB_TRY(nb_world_create(world));
    (*world)->settings.contact_margin = 0.002;
    NB_TRY(nb_add_ground(*world, p[FRICTION], nb_quat_identity(), &body));
    NB_TRY(nb_add_bar(*world, place(p, -rod), place(p, 0), radius, radius, mass, p[FRICTION], 1, &body));
    if (p[HELD] > 0) (*world)->bodies[body].kind = NB_BODY_FIXED;
    NB_TRY(nb_add_sphere_shape(*world, radius, &ball));
    for (int32_t i = 0; i < count; i++)
        NB_TRY(nb_world_add_solid(*world, NB_BODY_DYNAMIC, ball, p[BALL_MASS], p[FRICTION], place(p, pitch * (i + 0.5)),
                                  nb_quat_identity(), &body));
    NB_TRY(nb_add_bar(*world, place(p, end), place(p, end + rod), radius, radius, mass, p[FRICTION], 1, &body));
    for (int32_t i = 0; i <= count; i++)
        NB_TRY(nb_pin(*world, NB_JOINT_SPHERICAL, i + 2, i + 1, place(p, pitch * i), nb_vec3_of(1, 0, 0), &joint));
    return NB_OK;
out:
    nb_world_destroy(*world);
    *world = NULL;
    return status;
}

static void check(const double *p, const nb_world *initial, const nb_snapshot *final, nb_checks *checks) {
    const int32_t free = (int32_t)p[COUNT] + (p[HELD] > 0 ? 1 : 2); /* bodies */
    const double weight = nb_weight(initial), length = 2 * rod + pitch * p[COUNT];
    nb_check_freedoms(initial, 6 * free - 3 * ((int32_t)p[COUNT] + 1), 0, checks);
    nb_check_joints(initial, final, length, checks);
    nb_check_energy(initial, final, weight * length, 0.02, checks);
    if (p[HELD] > 0)
        nb_checks_add(checks, "vertical force of the held rod", "N", final->lambda_bilateral[2],
                      weight + nb_momentum_rate(initial, final), 1e-4 * weight);
    else
        nb_check_ground(initial, final, checks);
}

const nb_scenario_class nb_nunchaku = {
    .name = "nunchaku",
    .summary = "two rods and a chain of light balls, which fall or hang",
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .size_parameter = COUNT,
    .checks_all = 1,
    .time_step = 0.002,
    .steps = 500,
    .newton_iterations = 30,
    .linear_iterations = 100,
    .build = build,
    .check = check,
};
