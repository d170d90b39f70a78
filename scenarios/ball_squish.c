/* A hollow ball is squeezed between two planes, with or without something in it that resists a change of volume
 * (Larionov et al. 2023, fig. 8, table II, "Squish"). The mesh is a shell of prisms between two spheres, three
 * tetrahedra each; in the paper it is another. Radius, thickness, Poisson's ratio, density, and how far and how fast
 * the planes come are not stated there, and ours. */
#include <math.h>

#include "base/memory.h"
#include "robot.h"
#include "soft.h"

enum {
    VOLUME,
    COMPRESSION,
    PRESSURE,
    FREQUENCY,
    LAYERS,
    RADIUS,
    THICKNESS,
    SQUEEZE,
    DURATION,
    FRICTION,
    MATERIAL,
    YOUNG,
    POISSON,
    DENSITY
};

static const char *const volumes[] = {"gas", "nearly-incompressible", "quadratic", "none", NULL}; /* none: a hole */

static const nb_option parameters[] = {
    [VOLUME] = {"volume", "", NB_VOLUME_GAS, 0, 0, 0, volumes, "law of what the ball holds"},
    [COMPRESSION] = {"compression", "1/atm", 1, 1e-9, 1e9, 0, NULL,
                     "its compression, of a gas 1 over the pressure outside"},
    [PRESSURE] = {"pressure", "atm", 0, -1e6, 1e6, 0, NULL, "gauge pressure in it at first"},
    [FREQUENCY] = {"frequency", "1", 2, 1, NB_BALL_MOST_SHELLS, 1, NULL,
                   "of the mesh: 20 times its square triangles a sphere"},
    [LAYERS] = {"layers", "1", 1, 1, NB_BALL_MOST_SHELLS, 1, NULL, "of the mesh, from the inside to the outside"},
    [RADIUS] = {"radius", "m", 0.1, 1e-3, 10, 0, NULL, "outer radius"},
    [THICKNESS] = {"thickness", "1", 0.2, 1e-3, 0.9, 0, NULL, "of the shell, over the radius"},
    [SQUEEZE] = {"squeeze", "1", 0.74, 0, 0.95, 0, NULL,
                 "how far the planes come together in the end, over the diameter"},
    [DURATION] = {"duration", "s", 0.3, 1e-4, 100, 0, NULL, "in which they do"},
    [FRICTION] = {"mu", "1", 0, 0, 10, 0, NULL, "friction coefficient"},
    [MATERIAL] = {"material", "", NB_MATERIAL_NEO_HOOKEAN, 0, 0, 0, nb_material_names, "of the shell"},
    [YOUNG] = {"young", "Pa", 1e5, 1e3, 1e12, 0, NULL, "Young's modulus"},
    [POISSON] = {"poisson", "1", 0.4, -0.9, 0.4999, 0, NULL, "Poisson's ratio"},
    [DENSITY] = {"density", "kg/m^3", 1000, 1, 1e5, 0, NULL, "density"},
};

enum {
    PLATE = 1 /* body; the ground is the first */
};

/* kept in prescribed: how far the upper plane comes down, and in which time */
static void squeeze(nb_world *world, double h) {
    double before, after, rate;
    before = nb_ramp(world->time, 0, world->prescribed[1], &rate);
    after = nb_ramp(world->time + h, 0, world->prescribed[1], &rate);
    world->bodies[PLATE].linear_velocity.z = -world->prescribed[0] * (after - before) / h;
}

static nb_status add_ball(nb_world *world, const double *p) {
    nb_status status;
    int32_t index, *inside = NULL;
    nb_soft_part part;
    const double radius = p[RADIUS], frequency = p[FREQUENCY];
    NB_TRY(nb_world_add_ball_shell(world, 0, nb_vec3_of(0, 0, radius), radius * (1 - p[THICKNESS]), radius,
                                   (int32_t)frequency, (int32_t)p[LAYERS], &part, &inside));
    nb_soft_part_set_skin(world, &part, p[FRICTION], 0);
    const nb_cavity surface = {NB_SHELL_TRIANGLES * (int32_t)(frequency * frequency), inside};
    if (p[VOLUME] < NB_VOLUME_MODELS)
        NB_TRY(nb_world_add_cavity(world, &surface, (nb_volume_model)p[VOLUME], p[COMPRESSION], p[PRESSURE], &index));
out:
    nb_free(inside);
    return status;
}

static nb_status build(const double *p, uint64_t seed, nb_world **world) {
    nb_status status;
    const nb_material material = {(nb_material_kind)p[MATERIAL], p[YOUNG], p[POISSON], p[DENSITY]};
    const nb_quat over = nb_quat_about(nb_vec3_of(1, 0, 0), acos(-1.0));
    int32_t ground, plate, index;
    (void)seed; /* nothing is random here */
    *world = NULL;
    NB_TRY(nb_check_filling("ball-squish", p[VOLUME], p[COMPRESSION], p[PRESSURE]));
    NB_TRY(nb_world_create(world));
    (*world)->settings.contact_margin = 0.02 * p[RADIUS];
    NB_TRY(nb_add_ground(*world, p[FRICTION], nb_quat_identity(), &ground));
    NB_TRY(nb_world_add_solid(*world, NB_BODY_KINEMATIC, (*world)->bodies[ground].shape, 0, p[FRICTION],
                              nb_vec3_of(0, 0, 2 * p[RADIUS]), over, &plate));
    NB_TRY(nb_world_add_material(*world, &material, &index));
    NB_TRY(add_ball(*world, p));
    (*world)->prescribed[0] = 2 * p[RADIUS] * p[SQUEEZE];
    (*world)->prescribed[1] = p[DURATION];
    (*world)->prescribe = squeeze;
    return NB_OK;
out:
    nb_world_destroy(*world);
    *world = NULL;
    return status;
}

/* The planes carry the ball and what its momentum grows by. */
static void check(const double *p, const nb_world *initial, const nb_snapshot *final, nb_checks *checks) {
    (void)p; /* whatever it is made of */
    const nb_soft_state ball = nb_soft_state_of(initial, final, 0, initial->particle_count);
    const double weight = ball.mass * nb_norm(initial->gravity);
    const nb_vec3 planes = nb_force_of_fixed(initial, final);
    const double pressed = fabs(nb_force_on_particles(final, 0, initial->particle_count, PLATE).z) + weight;
    nb_checks_add(checks, "force of the planes", "N", planes.z, weight + ball.rate.z, 1e-6 * pressed);
}

const nb_scenario_class nb_ball_squish = {
    .name = "ball-squish",
    .summary = "a hollow ball that holds a gas is squeezed between two planes",
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .size_parameter = FREQUENCY,
    .time_step = 0.001,
    .steps = 300,
    .newton_iterations = 60,
    .linear_iterations = 400,
    .build = build,
    .check = check,
};
