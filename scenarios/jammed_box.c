/* A box pressed into the slot between two fixed walls that lean outwards, its lower edges in them by a given depth. By
 * the relaxed law of friction it may have no way out: where the walls lean by less than the friction angle, their
 * friction cones hold forces that are opposite (the friction cone is not pointed), and no velocity is in both duals. By
 * Coulomb's law there is none either: each case of open, sticking and sliding contacts is contradictory
 * (interior_point/cases.h).
 *
 * Source: the condition is that of Anitescu, Hart, ICIAM 2003; Pang, Stewart, 1999. */
#include <math.h>

#include "common.h"

enum {
    LEAN,
    FRICTION,
    DEPTH,
    SIZE,
    MASS
};

static const nb_option parameters[] = {
    [LEAN] = {"lean", "rad", 0.3, 0.05, 1.3, 0, NULL, "of both walls, outwards from the vertical"},
    [FRICTION] = {"mu", "1", 0.5, 0, 5, 0, NULL, "friction coefficient; beyond tan(lean) nothing frees the box"},
    [DEPTH] = {"depth", "1", 0.005, 0, 0.01, 0, NULL, "how deep the box is in both walls, over its size"},
    [SIZE] = {"size", "m", 0.1, 1e-3, 1e3, 0, NULL, "edge length of the box"},
    [MASS] = {"mass", "kg", 1, 1e-6, 1e6, 0, NULL, "mass of the box"},
};

static nb_status add_wall(nb_world *world, const double *p, double side) {
    nb_status status;
    int32_t shape, body;
    nb_shape *half_space;
    const double lean = p[LEAN], half = p[SIZE] / 2, turn = -side * (acos(-1.0) / 2 - lean);
    const nb_vec3 normal = nb_vec3_of(-side * cos(lean), 0, sin(lean)), edge = nb_vec3_of(side * half, 0, -half);
    NB_TRY(nb_shape_half_space(&half_space));
    NB_TRY(nb_world_add_shape(world, half_space, &shape));
    NB_TRY(nb_world_add_solid(world, NB_BODY_FIXED, shape, 0, p[FRICTION],
                              nb_add_scaled(edge, p[DEPTH] * p[SIZE], normal), nb_quat_about(nb_vec3_of(0, 1, 0), turn),
                              &body));
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
    NB_TRY(add_wall(*world, p, -1));
    NB_TRY(add_wall(*world, p, 1));
    NB_TRY(nb_add_box_shape(*world, nb_vec3_of(half, half, half), &shape));
    NB_TRY(nb_world_add_solid(*world, NB_BODY_DYNAMIC, shape, p[MASS], p[FRICTION], nb_vec3_of(0, 0, 0),
                              nb_quat_identity(), &body));
    return NB_OK;
out:
    nb_world_destroy(*world);
    *world = NULL;
    return status;
}

/* Where the walls lean by more than the friction angle the box goes straight up until it touches them, within the first
 * step, flies on with the speed of that, and lands where it touched. */
static void check(const double *p, const nb_world *initial, const nb_snapshot *final, nb_checks *checks) {
    const double g = nb_norm(initial->gravity), h = final->time_step, beyond = p[FRICTION] - tan(p[LEAN]);
    const double *u = final->u + 12, *q = final->q + 14, tolerance = 1e-7;
    double below = p[DEPTH] * p[SIZE] / sin(p[LEAN]), speed = 0, height = -below;
    for (int32_t i = 0; i < final->step_count; i++) {
        speed = fmax(speed - h * g, -height / h);
        height += h * speed;
    }
    /* no motion frees it, whatever a solver says */
    nb_checks_add_below(checks, "friction beyond the slope of the walls", "1", p[DEPTH] > 0 ? beyond : 0, 0);
    if (p[DEPTH] > 0 && beyond > 0) return;
    const int first = checks->count;
    nb_checks_add(checks, "speed upwards", "m/s", u[2], speed, tolerance * (1 + below / h));
    nb_checks_add(checks, "height", "m", q[2], height + below, tolerance * (below + h) * (1 + final->step_count));
    nb_checks_of_motion(initial, first, checks);
    nb_checks_add_below(checks, "speed sideways", "m/s", hypot(u[0], u[1]), tolerance * (1 + below / h));
    nb_checks_add_below(checks, "angular speed times size", "m/s", p[SIZE] * nb_norm(nb_vec3_of(u[3], u[4], u[5])),
                        tolerance * (1 + below / h));
}

const nb_scenario_class nb_jammed_box = {
    .name = "jammed-box",
    .summary = "a box in the grip of two walls: steep ones leave no solution",
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .size_parameter = -1,
    .begins_jammed = 1,
    .time_step = 0.01,
    .steps = 1,
    .newton_iterations = 100,
    .linear_iterations = 100,
    .build = build,
    .check = check,
};
