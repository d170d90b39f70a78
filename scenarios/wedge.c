/* A block that falls into the slot between two fixed walls that lean outwards, and slides down them. Friction makes up
 * what the normal forces N of the walls do not carry,
 *
 *     m (g - rate of its speed downwards) = 2 N (sin(lean) + mu cos(lean))
 *
 * Where friction takes its normal forces from the pass before, passes change by the factor -mu/tan(lean), less what the
 * block's mass takes of it. Between walls that lean by less than the friction angle they diverge. */
#include <math.h>

#include "common.h"
#include "papers.h"

enum {
    LEAN,
    FRICTION,
    FALL,
    SIZE,
    MASS
};

static const nb_option parameters[] = {
    [LEAN] = {"lean", "rad", 0.3, 0.05, 1.3, 0, NULL, "of both walls, outwards from the vertical"},
    [FRICTION] = {"mu", "1", 0.5, 0, 5, 0, NULL,
                  "friction coefficient; passes of lagged friction part beyond tan(lean)"},
    [FALL] = {"fall", "m", 0.01, 0, 1e3, 0, NULL, "from the start until the block touches the walls"},
    [SIZE] = {"size", "m", 0.1, 1e-3, 1e3, 0, NULL, "edge length of the block"},
    [MASS] = {"mass", "kg", 1, 1e-6, 1e6, 0, NULL, "mass of the block"},
};

/* a wall that the block's lower edge at this side touches once it has fallen */
static nb_status add_wall(nb_world *world, const double *p, double side) {
    nb_status status;
    int32_t shape, body;
    nb_shape *half_space;
    const double half = p[SIZE] / 2, turn = -side * (acos(-1.0) / 2 - p[LEAN]);
    NB_TRY(nb_shape_half_space(&half_space));
    NB_TRY(nb_world_add_shape(world, half_space, &shape));
    NB_TRY(nb_world_add_solid(world, NB_BODY_FIXED, shape, 0, p[FRICTION], nb_vec3_of(side * half, 0, -half),
                              nb_quat_about(nb_vec3_of(0, 1, 0), turn), &body));
out:
    return status;
}

static nb_status build(const double *p, uint64_t seed, nb_world **world) {
    nb_status status;
    int32_t shape, body;
    const double half = p[SIZE] / 2;
    (void)seed; /* nothing is random here */
    NB_TRY(nb_world_create(world));
    (*world)->settings.contact_margin = 0.02 * p[SIZE];
    for (int side = -1; side <= 1; side += 2) NB_TRY(add_wall(*world, p, side));
    NB_TRY(nb_add_box_shape(*world, nb_vec3_of(half, half, half), &shape));
    NB_TRY(nb_world_add_solid(*world, NB_BODY_DYNAMIC, shape, p[MASS], p[FRICTION], nb_vec3_of(0, 0, p[FALL]),
                              nb_quat_identity(), &body));
    return NB_OK;
out:
    nb_world_destroy(*world);
    *world = NULL;
    return status;
}

static void check(const double *p, const nb_world *initial, const nb_snapshot *final, nb_checks *checks) {
    const double g = nb_norm(initial->gravity), h = final->time_step, weight = p[MASS] * g;
    const double *u = final->u + 12, *q = final->q + 14;
    double lift = 0, height = p[FALL], force = 0, push = 0;
    for (int32_t i = 0; i < final->step_count; i++) push = nb_press_on_plane(h, g, &lift, &height);
    for (int32_t i = 0; i < final->contacts; i++) force += 0.5 * final->lambda_normal[i];
    /* Springs of a tolerance of 1 mm end by so much, over sin(lean), above the walls. In a step that ends with a slide
     * friction is all that it can be; in others it is not known. */
    const double above = 1.2e-3 / sin(p[LEAN]), share = 2 * (sin(p[LEAN]) + p[FRICTION] * cos(p[LEAN]));
    const int first = checks->count;
    nb_checks_add(checks, "height", "m", q[2], height, above);
    nb_checks_add(checks, "speed upwards", "m/s", u[2], lift, 1e-3 + above / h);
    nb_check_presupposes(nb_checks_add(checks, "normal force of a wall", "N", force, p[MASS] * push / share,
                                       1e-3 * weight + p[MASS] * above / (h * h) / share),
                         push > 0 && lift < 0, "the block lands in the final step");
    nb_checks_of_motion(initial, first, checks);
}

const nb_scenario_class nb_wedge = {
    .name = "wedge",
    .summary = "a block that slides into a slot between walls",
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .size_parameter = -1,
    .checks_springs = 1,
    .paper = &nb_paper_larionov,
    .time_step = 0.5,
    .steps = 1,
    .newton_iterations = 100,
    .linear_iterations = 100,
    .build = build,
    .check = check,
};
