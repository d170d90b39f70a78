/* Balls in a closed box without gravity and friction, which bounce off each other and the walls without loss. With a
 * restitution of 1, z . (J v+ + J v-) = 0 at each contact that closes in a linearised step: the kinetic energy stays.
 * It falls where a ball meets a second one within the step that a first one sent it into, which is rarer the smaller
 * the step. 6^3 balls are known from a splitting for Coulomb's law (Song, Fan, Ascher and Pai 2026); sizes and speeds
 * are ours. */
#include <math.h>

#include "base/random.h"
#include "planar.h"

enum {
    SIDE,
    RADIUS,
    MASS,
    FRICTION,
    SPACING,
    SPEED
};

static const nb_option parameters[] = {
    [SIDE] = {"side", "1", 6, 1, 60, 1, NULL, "balls along an edge of the lattice that they begin in"},
    [RADIUS] = {"radius", "m", 0.1, 1e-3, 1e2, 0, NULL, "of a ball"},
    [MASS] = {"mass", "kg", 1, 1e-6, 1e6, 0, NULL, "of a ball"},
    [FRICTION] = {"mu", "1", 0, 0, 10, 0, NULL, "friction coefficient; more takes energy away"},
    [SPACING] = {"spacing", "1", 1, 0.01, 100, 0, NULL, "gap between neighbors at the start, in diameters"},
    [SPEED] = {"speed", "m/s", 1, 0, 100, 0, NULL, "of a ball along each axis at the start, at most"},
};

static nb_status add_walls(nb_world *world, const double *p, double half) {
    nb_status status;
    int32_t shape, body;
    nb_shape *plane;
    NB_TRY(nb_shape_half_space(&plane));
    NB_TRY(nb_world_add_shape(world, plane, &shape));
    for (int i = 0; i < 6; i++) {
        const double side = i % 2 ? 1 : -1;
        const nb_vec3 out = nb_vec3_of(i / 2 == 0 ? side : 0, i / 2 == 1 ? side : 0, i / 2 == 2 ? side : 0);
        /* the plane's z axis looks into the box */
        const nb_vec3 axis = i / 2 == 2 ? nb_vec3_of(1, 0, 0) : nb_cross(out, nb_vec3_of(0, 0, 1));
        const double angle = i / 2 < 2 ? 0.5 * acos(-1) : i % 2 ? acos(-1) : 0;
        NB_TRY(nb_world_add_solid(world, NB_BODY_FIXED, shape, 0, p[FRICTION], nb_scale(half, out),
                                  nb_quat_about(axis, angle), &body));
    }
out:
    return status;
}

static nb_status build(const double *p, uint64_t seed, nb_world **world) {
    nb_status status;
    int32_t shape, body;
    const int side = (int)p[SIDE];
    const double pitch = 2 * p[RADIUS] * (1 + p[SPACING]), v = p[SPEED];
    NB_TRY(nb_world_create(world));
    (*world)->gravity = nb_vec3_of(0, 0, 0);
    (*world)->settings.contact_margin = p[RADIUS];
    NB_TRY(add_walls(*world, p, 0.5 * side * pitch));
    NB_TRY(nb_add_sphere_shape(*world, p[RADIUS], &shape));
    for (int i = 0; i < side * side * side; i++) {
        const int row = i / side, layer = row / side;
        const nb_vec3 cell = nb_vec3_of(i % side, row % side, layer);
        NB_TRY(nb_world_add_solid(*world, NB_BODY_DYNAMIC, shape, p[MASS], p[FRICTION],
                                  nb_scale(pitch, nb_sub(cell, nb_scale(0.5 * (side - 1), nb_vec3_of(1, 1, 1)))),
                                  nb_quat_identity(), &body));
        (*world)->bodies[body].linear_velocity = nb_vec3_of(
            nb_random_uniform(&seed, -v, v), nb_random_uniform(&seed, -v, v), nb_random_uniform(&seed, -v, v));
    }
    return NB_OK;
out:
    nb_world_destroy(*world);
    *world = NULL;
    return status;
}

static void check(const double *p, const nb_world *initial, const nb_snapshot *final, nb_checks *checks) {
    const double half = p[SIDE] * p[RADIUS] * (1 + p[SPACING]);
    double before = 0, after = 0, out = 0;
    for (int32_t b = 0; b < initial->body_count; b++) {
        const nb_body *body = &initial->bodies[b];
        const double *u = final->u + 6 * (int64_t)b, *q = final->q + 7 * (int64_t)b;
        if (body->kind != NB_BODY_DYNAMIC) continue;
        before += 0.5 * body->mass * nb_dot(body->linear_velocity, body->linear_velocity);
        for (int k = 0; k < 3; k++) {
            after += 0.5 * (body->mass * u[k] * u[k] + body->inertia.x * u[3 + k] * u[3 + k]);
            out = fmax(out, fabs(q[k]) + p[RADIUS] - half);
        }
    }
    const double v = p[SPEED] / p[RADIUS], round_off = 1e-8 * final->step_count;
    const int energy = checks->count;
    nb_checks_add_below(checks, "kinetic energy over that at the start", "1", after / before, 1 + round_off);
    /* lost: 2 % in 1 s at 10 ms, as balls 20 cm apart go at 1 m/s */
    nb_checks_add_below(checks, "kinetic energy lost, over that at the start", "1", 1 - after / before,
                        round_off + 0.05 * v * final->time_step * v * final->time / fmin(1, p[SPACING] * p[SPACING]));
    nb_checks_presuppose(checks, energy, before > 0, "balls move");
    nb_checks_presuppose(checks, energy, p[FRICTION] == 0, "there is no friction");
    nb_checks_presuppose(checks, energy, initial->settings.stepping.restitution == 1, "restitution is 1");
    nb_checks_add_below(checks, "way of a ball into a wall over its radius", "1", out / p[RADIUS], 1e-6);
}

static const nb_paper_steps steps = {
    .source = "Song et al. 2026", .time_stepping = NB_STEPPING_ANITESCU_HART, .restitution = 1};

const nb_scenario_class nb_elastic_666 = {
    .name = "elastic-666",
    .summary = "6^3 balls that bounce in a box and keep their energy",
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .size_parameter = SIDE,
    .checks_all = 1,
    .paper = &steps,
    .time_step = 0.005,
    .steps = 200,
    .newton_iterations = 100,
    .linear_iterations = 100,
    .build = build,
    .check = check,
};
