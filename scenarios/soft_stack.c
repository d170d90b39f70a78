/* Soft bodies of equal size on each other, each turned against the one below, so that their meshes do not match: what
 * they touch each other with is faces, corners and edges of tetrahedra. */
#include <math.h>
#include <stdio.h>

#include "base/largest.h"
#include "soft.h"

enum {
    COUNT,
    STACKS,
    SHAPE,
    CELLS,
    SIZE,
    TURN,
    GAP,
    FRICTION,
    MATERIAL,
    YOUNG,
    POISSON,
    DENSITY
};

enum {
    CUBE,
    BALL,
    LISTED = 10 /* bodies with a check of their own, from the ground up, stack by stack */
};

static const char *const shapes[] = {"cube", "ball", NULL};

static const nb_option parameters[] = {
    [COUNT] = {"count", "1", 3, 1, 100, 1, NULL, "bodies of a stack"},
    [STACKS] = {"stacks", "1", 1, 1, 1000, 1, NULL, "side by side, twice a body's size apart"},
    [SHAPE] = {"shape", "", CUBE, 0, 0, 0, shapes, "of the bodies"},
    [CELLS] = {"cells", "1", 2, 1, 12, 1, NULL, "along an edge of a cube, of five tetrahedra each; shells of a ball"},
    [SIZE] = {"size", "m", 0.1, 1e-3, 10, 0, NULL, "edge of a cube, diameter of a ball"},
    [TURN] = {"turn", "1", 0.3, -10, 10, 0, NULL, "angle by which each is turned against the one below [rad]"},
    [GAP] = {"gap", "m", 1e-3, 0, 1, 0, NULL, "between them at first"},
    [FRICTION] = {"mu", "1", 0.5, 0, 10, 0, NULL, "friction coefficient"},
    [MATERIAL] = {"material", "", 0, 0, 0, 0, nb_material_names, "of the bodies"},
    [YOUNG] = {"young", "Pa", 1e5, 1e3, 1e12, 0, NULL, "Young's modulus"},
    [POISSON] = {"poisson", "1", 0.3, -0.9, 0.4999, 0, NULL, "Poisson's ratio"},
    [DENSITY] = {"density", "kg/m^3", 1000, 1, 1e5, 0, NULL, "density"},
};

/* the i-th body of a stack from the ground on, in its place */
static nb_status add_body(nb_world *world, const double *p, int32_t stack, int32_t i, nb_soft_part *part) {
    nb_status status;
    const int32_t cells = (int32_t)p[CELLS], each[3] = {cells, cells, cells};
    const double size = p[SIZE], height = (i + 0.5) * size + (i + 1) * p[GAP];
    nb_quat turn = nb_quat_about(nb_vec3_of(0, 0, 1), p[TURN] * i);
    if (p[SHAPE] == BALL)
        NB_TRY(nb_world_add_soft_ball(world, 0, nb_vec3_of(0, 0, 0), size / 2, cells, part));
    else
        NB_TRY(nb_world_add_soft_box(world, 0, nb_vec3_of(-size / 2, -size / 2, -size / 2),
                                     nb_vec3_of(size, size, size), each, part));
    for (int32_t k = part->first_particle; k < part->first_particle + part->particle_count; k++) {
        nb_vec3 *x = &world->particles[k].position;
        *x = nb_add(nb_quat_rotate(turn, *x), nb_vec3_of(2 * size * stack, 0, height));
    }
    NB_TRY(nb_soft_part_set_rest(world, part));
    nb_soft_part_set_skin(world, part, p[FRICTION], 0);
out:
    return status;
}

static nb_status build(const double *p, uint64_t seed, nb_world **world) {
    nb_status status;
    const nb_material material = {(nb_material_kind)p[MATERIAL], p[YOUNG], p[POISSON], p[DENSITY]};
    nb_soft_part part;
    int32_t index;
    (void)seed; /* nothing is random here */
    *world = NULL;
    NB_TRY(nb_world_create(world));
    (*world)->settings.contact_margin = 0.02 * p[SIZE];
    NB_TRY(nb_add_ground(*world, p[FRICTION], nb_quat_identity(), &index));
    NB_TRY(nb_world_add_material(*world, &material, &index));
    for (int32_t k = 0; k < (int32_t)p[STACKS]; k++)
        for (int32_t i = 0; i < (int32_t)p[COUNT]; i++) NB_TRY(add_body(*world, p, k, i, &part));
    return NB_OK;
out:
    nb_world_destroy(*world);
    *world = NULL;
    return status;
}

/* Whether the steps bring the stack to rest: it falls through the gaps, and then its slowest vibration along itself,
 * w = pi/2 (E/rho)^1/2/L, has less than a tenth left of the speed that is allowed. */
static int comes_to_rest(const double *p, const nb_snapshot *final, double g, double allowed) {
    const double fall = p[COUNT] * p[GAP], length = p[COUNT] * p[SIZE];
    const double w = 0.5 * acos(-1.0) * sqrt(p[YOUNG] / p[DENSITY]) / length, speed = sqrt(2 * g * fall) + g / w;
    const double steps = (final->time - sqrt(2 * fall / g)) / final->time_step;
    return steps > 0 && speed * nb_vibration_left(w, final->time_step, steps) < 0.1 * allowed;
}

/* What is below each body carries all of its stack from that body on: their weight, and what their momentum grows by.
 */
static void check(const double *p, const nb_world *initial, const nb_snapshot *final, nb_checks *checks) {
    const int32_t count = (int32_t)p[COUNT], bodies = count * (int32_t)p[STACKS];
    const int32_t each = initial->particle_count / bodies, all = count * each;
    const double g = nb_norm(initial->gravity), total = nb_soft_state_of(initial, final, 0, all).mass * g;
    double unlisted = 0, aside = 0, speed = 0;
    char name[64];
    for (int32_t i = 0; i < bodies; i++) {
        const int32_t stack = i / count, first = i * each, behind = (count - i % count) * each;
        const nb_soft_state above = nb_soft_state_of(initial, final, first, behind);
        const nb_soft_state body = nb_soft_state_of(initial, final, first, each);
        double force = nb_force_on_particles(final, first, behind, -1).z, needs = above.mass * g + above.rate.z;
        snprintf(name, sizeof name, "force below body %d", (int)i + 1);
        if (i < LISTED)
            nb_checks_add(checks, name, "N", force, needs, 1e-6 * total);
        else
            nb_raise(&unlisted, fabs(force - needs));
        nb_raise(&aside, hypot(body.middle.x - 2 * p[SIZE] * stack, body.middle.y));
        nb_raise(&speed, nb_norm(body.momentum) / body.mass);
    }
    if (bodies > LISTED) nb_checks_add_below(checks, "largest error of the other forces", "N", unlisted, 1e-6 * total);
    if (p[SHAPE] == BALL) return; /* these roll off each other */
    nb_checks_add_below(checks, "middles off the axis", "m", aside, 1e-2 * p[SIZE]);
    nb_check_presupposes(nb_checks_add_below(checks, "speed in the end", "m/s", speed, 1e-3),
                         comes_to_rest(p, final, g, 1e-3), nb_at_rest);
    nb_checks_of_motion(initial, checks->count - 1, checks);
}

const nb_scenario_class nb_soft_stack = {
    .name = "soft-stack",
    .summary = "soft bodies on each other",
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .size_parameter = COUNT,
    .time_step = 0.02,
    .steps = 60,
    .newton_iterations = 60,
    .linear_iterations = 400,
    .build = build,
    .check = check,
};
