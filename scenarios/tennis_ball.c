/* A hollow ball with a gauge pressure flies at a wall and bounces off (Larionov et al. 2023, figs. 9 and 10, "Tennis
 * ball"). Its skin is two layers of equal thickness, rubber within and felt outside, of the paper's materials; the mesh
 * is a shell of prisms, three tetrahedra each, and radius and thickness are ours. The density of the felt is printed
 * so, which makes the ball half as heavy as a tennis ball. A drop from 254 cm hits the ground with 7.06 m/s.
 *
 * The skin is at rest in the beginning, and the pressure widens it on the way to the wall. */
#include <math.h>

#include "base/memory.h"
#include "soft.h"

enum {
    SPEED,
    PRESSURE,
    COMPRESSION,
    VOLUME,
    FREQUENCY,
    RADIUS,
    THICKNESS,
    WAY,
    FRICTION,
    MATERIAL
};

static const nb_option parameters[] = {
    [SPEED] = {"speed", "m/s", 44.7, 0.1, 1000, 0, NULL, "at the wall"},
    [PRESSURE] = {"pressure", "atm", 1, 0, 100, 0, NULL, "gauge pressure in it at first"},
    [COMPRESSION] = {"compression", "1/atm", 1, 1e-9, 1e9, 0, NULL,
                     "of what it holds, of a gas 1 over the pressure outside"},
    [VOLUME] = {"volume", "", NB_VOLUME_GAS, 0, 0, 0, nb_volume_model_names, "law of what it holds"},
    [FREQUENCY] = {"frequency", "1", 4, 1, NB_BALL_MOST_SHELLS, 1, NULL,
                   "of the mesh: 20 times its square triangles a sphere, 6 tetrahedra each"},
    [RADIUS] = {"radius", "m", 0.033, 1e-3, 10, 0, NULL, "outer radius"},
    [THICKNESS] = {"thickness", "1", 0.2, 1e-3, 0.9, 0, NULL, "of the skin, over the radius"},
    [WAY] = {"way", "m", 0.1, 0, 10, 0, NULL, "to the wall"},
    [FRICTION] = {"mu", "1", 0, 0, 10, 0, NULL, "friction coefficient"},
    [MATERIAL] = {"material", "", NB_MATERIAL_NEO_HOOKEAN, 0, 0, 0, nb_material_names, "kind of both layers"},
};

/* Young's modulus [Pa], Poisson's ratio, density [kg/m^3], from the inside to the outside */
static const double layer[2][3] = {{6e6, 0.4995, 934}, {5.4e6, 0.3, 4.69}};

static nb_status add_ball(nb_world *world, const double *p) {
    nb_status status;
    int32_t index, *inside = NULL;
    nb_soft_part part;
    const double radius = p[RADIUS];
    const int32_t frequency = (int32_t)p[FREQUENCY];
    NB_TRY(nb_world_add_ball_shell(world, 0, nb_vec3_of(radius + p[WAY], 0, 0), radius * (1 - p[THICKNESS]), radius,
                                   frequency, 2, &part, &inside));
    for (int32_t i = 0; i < part.tetrahedron_count; i++) /* those of a column after each other, from the inside */
        world->tetrahedra[part.first_tetrahedron + i].material = i / 3 % 2;
    nb_soft_part_set_masses(world, &part);
    nb_soft_part_set_skin(world, &part, p[FRICTION], 0);
    for (int32_t i = 0; i < part.particle_count; i++)
        world->particles[part.first_particle + i].velocity = nb_vec3_of(-p[SPEED], 0, 0);
    const nb_cavity surface = {NB_SHELL_TRIANGLES * frequency * frequency, inside};
    NB_TRY(nb_world_add_cavity(world, &surface, (nb_volume_model)p[VOLUME], p[COMPRESSION], p[PRESSURE], &index));
out:
    nb_free(inside);
    return status;
}

static nb_status build(const double *p, uint64_t seed, nb_world **world) {
    nb_status status;
    const nb_quat upright = nb_quat_about(nb_vec3_of(0, 1, 0), acos(-1.0) / 2); /* z of the wall along x */
    int32_t index;
    (void)seed; /* nothing is random here */
    *world = NULL;
    NB_TRY(nb_check_filling("tennis-ball", p[VOLUME], p[COMPRESSION], p[PRESSURE]));
    NB_TRY(nb_world_create(world));
    (*world)->settings.contact_margin = 0.02 * p[RADIUS];
    NB_TRY(nb_add_ground(*world, p[FRICTION], upright, &index));
    for (int i = 0; i < 2; i++) {
        const nb_material material = {(nb_material_kind)p[MATERIAL], layer[i][0], layer[i][1], layer[i][2]};
        NB_TRY(nb_world_add_material(*world, &material, &index));
    }
    NB_TRY(add_ball(*world, p));
    return NB_OK;
out:
    nb_world_destroy(*world);
    *world = NULL;
    return status;
}

/* The wall takes what the ball's momentum changes by across it; gravity acts along it. */
static void check(const double *p, const nb_world *initial, const nb_snapshot *final, nb_checks *checks) {
    const nb_soft_state ball = nb_soft_state_of(initial, final, 0, initial->particle_count);
    const double hard = ball.mass * p[SPEED] / final->time_step; /* that stops it within a step */
    nb_checks_add(checks, "force of the wall", "N", nb_force_of_fixed(initial, final).x, ball.rate.x, 1e-6 * hard);
}

const nb_scenario_class nb_tennis_ball = {
    .name = "tennis-ball",
    .summary = "a hollow ball with a gauge pressure bounces off a wall",
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .size_parameter = FREQUENCY,
    .time_step = 0.0001,
    .steps = 100,
    .newton_iterations = 60,
    .linear_iterations = 400,
    .build = build,
    .check = check,
};
