/* A cube on a table that turns. Friction holds it where w^2 r <= mu g, and it then goes round with the table; else it
 * slides out. The scene is known from a splitting for Coulomb's law (Song, Fan, Ascher and Pai 2026); its sizes are
 * ours. */
#include <math.h>

#include "common.h"

enum {
    SPEED,
    RADIUS,
    FRICTION,
    SIZE,
    MASS
};

static const nb_option parameters[] = {
    [SPEED] = {"speed", "rad/s", 2, 0, 100, 0, NULL, "of the table"},
    [RADIUS] = {"radius", "m", 1, 1e-3, 1e3, 0, NULL, "from the axis to the cube at the start"},
    [FRICTION] = {"mu", "1", 0.5, 0, 1, 0, NULL, "friction coefficient; more would tip the cube over"},
    [SIZE] = {"size", "m", 0.1, 1e-3, 1e2, 0, NULL, "edge length of the cube"},
    [MASS] = {"mass", "kg", 1, 1e-6, 1e6, 0, NULL, "of the cube"},
};

enum {
    CUBE = 1 /* body; the table is the first */
};

static nb_status build(const double *p, uint64_t seed, nb_world **world) {
    nb_status status;
    int32_t shape, body;
    nb_shape *plane;
    const double half = 0.5 * p[SIZE];
    (void)seed; /* nothing is random here */
    NB_TRY(nb_world_create(world));
    (*world)->settings.contact_margin = 0.1 * p[SIZE];
    NB_TRY(nb_shape_half_space(&plane));
    NB_TRY(nb_world_add_shape(*world, plane, &shape));
    NB_TRY(nb_world_add_solid(*world, NB_BODY_KINEMATIC, shape, 0, p[FRICTION], nb_vec3_of(0, 0, 0), nb_quat_identity(),
                              &body));
    NB_TRY(nb_add_box_shape(*world, nb_vec3_of(half, half, half), &shape));
    NB_TRY(nb_world_add_solid(*world, NB_BODY_DYNAMIC, shape, p[MASS], p[FRICTION], nb_vec3_of(p[RADIUS], 0, half),
                              nb_quat_identity(), &body));
    for (int i = 0; i <= CUBE; i++) (*world)->bodies[i].angular_velocity.z = p[SPEED];
    (*world)->bodies[CUBE].linear_velocity.y = p[SPEED] * p[RADIUS];
    return NB_OK;
out:
    nb_world_destroy(*world);
    *world = NULL;
    return status;
}

static void check(const double *p, const nb_world *initial, const nb_snapshot *final, nb_checks *checks) {
    const double *q = final->q + 7 * CUBE, *u = final->u + 6 * CUBE, g = nb_norm(initial->gravity), r = p[RADIUS],
                 pull = p[SPEED] * p[SPEED] * r, hold = p[FRICTION] * g;
    nb_checks_add(checks, "normal force", "N", nb_force_of_fixed(initial, final).z, p[MASS] * g, 1e-6 * p[MASS] * g);
    const nb_quat turn = {final->q[3], final->q[4], final->q[5], final->q[6]};
    const nb_vec3 place = nb_quat_rotate(turn, nb_vec3_of(r, 0, 0));
    nb_check *check = nb_checks_add_below(checks, "way of the cube on the table, over the radius", "1",
                                          hypot(q[0] - place.x, q[1] - place.y) / r, 1e-8 * final->step_count);
    /* within a step the cube goes along a chord, and in a circle across it: the pull is that of the step's middle */
    nb_check_presupposes(check, pull <= hold, "friction holds the cube");
    check = nb_checks_add(checks, "spin of what stays", "rad/s", u[5], p[SPEED], 1e-6 * fmax(1, p[SPEED]));
    nb_check_presupposes(check, pull <= hold, "friction holds the cube");
    check = nb_checks_add_below(checks, "radius at the start over that of what slides", "1", r / hypot(q[0], q[1]),
                                1 - 1e-6);
    nb_check_presupposes(check, pull > 1.02 * hold, "friction cannot hold the cube");
}

const nb_scenario_class nb_turntable = {
    .name = "turntable",
    .summary = "a cube on a table that turns, which stays where w^2 r <= mu g",
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .size_parameter = -1,
    .time_step = 0.005,
    .steps = 200,
    .newton_iterations = 40,
    .linear_iterations = 40,
    .build = build,
    .check = check,
};
