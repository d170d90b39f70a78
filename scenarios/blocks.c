/* Blocks that stand on each other, off their middles by as much as stays up (Le Cleac'h et al., IEEE Robotics and
 * Automation Letters 2023, figs 8 and 10): two, the upper one aside; and four, to and fro. At rest each block is
 * carried under the centre of mass of all above. */
#include <math.h>
#include <stdio.h>

#include "base/largest.h"
#include "common.h"
#include "papers.h"

enum {
    OFFSET,
    HALF_SIZE,
    MASS,
    FRICTION,
    COUNT
};

static nb_status build_stack(const double *p, int count, nb_world **world) {
    nb_status status;
    int32_t box, body;
    const double half = p[HALF_SIZE];
    NB_TRY(nb_world_create(world));
    (*world)->settings.contact_margin = 0.02 * half;
    NB_TRY(nb_add_ground(*world, p[FRICTION], nb_quat_identity(), &body));
    NB_TRY(nb_add_box_shape(*world, nb_vec3_of(half, half, half), &box));
    for (int i = 0; i < count; i++)
        NB_TRY(nb_world_add_solid(*world, NB_BODY_DYNAMIC, box, p[MASS], p[FRICTION],
                                  nb_vec3_of(i % 2 ? p[OFFSET] * half : 0, 0, (2 * i + 1) * half), nb_quat_identity(),
                                  &body));
    return NB_OK;
out:
    nb_world_destroy(*world);
    *world = NULL;
    return status;
}

/* force and place of all that block `upper` gets from below; where there are forces at all */
static double carried(const nb_snapshot *final, int32_t upper, nb_vec3 *centre) {
    double sum = 0;
    *centre = nb_vec3_of(0, 0, 0);
    for (int32_t i = 0; i < final->contacts; i++) {
        const int32_t *pair = final->contact_bodies + 2 * (int64_t)i;
        const double *at = final->contact_point + 3 * (int64_t)i;
        int32_t low = pair[0] < pair[1] ? pair[0] : pair[1], high = pair[0] < pair[1] ? pair[1] : pair[0];
        if (high != upper || low != upper - 1) continue;
        sum += final->lambda_normal[i];
        *centre = nb_add_scaled(*centre, final->lambda_normal[i], nb_vec3_of(at[0], at[1], at[2]));
    }
    if (sum != 0) *centre = nb_scale(1 / sum, *centre);
    return sum;
}

static void check(const double *p, const nb_world *initial, const nb_snapshot *final, nb_checks *checks) {
    const int count = initial->body_count - 1;
    const double weight = nb_weight(initial), half = p[HALF_SIZE];
    double above = 0, moment = 0, off = 0, momentum = 0;
    char name[64];
    for (int32_t b = count; b >= 1; b--) {
        const double *u = final->u + 6 * (int64_t)b;
        nb_vec3 centre;
        double force = carried(final, b, &centre), mass = initial->bodies[b].mass;
        above += mass * nb_norm(initial->gravity);
        moment += mass * nb_norm(initial->gravity) * initial->bodies[b].position.x;
        nb_raise(&off, hypot(centre.x - moment / above, centre.y));
        nb_raise(&momentum, mass * nb_norm(nb_vec3_of(u[0], u[1], u[2])));
        if (b > 4) continue;
        snprintf(name, sizeof name, "normal force below block %d", (int)b);
        nb_checks_add(checks, name, "N", force, above, 1e-5 * weight);
    }
    nb_checks_add_below(checks, "center of pressure off the center of mass above", "m", off, 1e-3 * half);
    nb_checks_add_below(checks, "momentum of a block", "N s", momentum, 1e-5 * weight * final->time_step);
    /* a smoothed contact stands rho/(m g h) of its size above the other */
    nb_checks_add_below(checks, "drift", "m", nb_drift(initial, final), 1e-3 * half);
}

static const nb_option parameters[] = {
    [OFFSET] = {"offset", "1", 0.4, 0, 0.95, 0, NULL, "of every other block along x, over the half-size"},
    [HALF_SIZE] = {"half-size", "m", 0.25, 1e-3, 1e3, 0, NULL, "half the edge length of a block"},
    [MASS] = {"mass", "kg", 1, 1e-6, 1e6, 0, NULL, "mass of a block"},
    [FRICTION] = {"mu", "1", 0.5, 0, 10, 0, NULL, "friction coefficient"},
    [COUNT] = {"count", "1", 4, 1, 1000, 1, NULL, "blocks"},
};

static nb_status build_two(const double *p, uint64_t seed, nb_world **world) {
    (void)seed; /* nothing is random here */
    return build_stack(p, 2, world);
}

static nb_status build_more(const double *p, uint64_t seed, nb_world **world) {
    (void)seed;
    return build_stack(p, (int)p[COUNT], world);
}

const nb_scenario_class nb_blocks = {
    .name = "blocks",
    .summary = "two blocks, the upper one aside",
    .parameters = parameters,
    .parameter_count = COUNT,
    .size_parameter = -1,
    .paper = &nb_paper_lecleach,
    .time_step = 0.01,
    .steps = 100,
    .newton_iterations = 40,
    .linear_iterations = 40,
    .build = build_two,
    .check = check,
};

const nb_scenario_class nb_stack_4 = {
    .name = "stack-4",
    .summary = "four blocks, to and fro",
    .parameters = parameters,
    .parameter_count = COUNT + 1,
    .size_parameter = COUNT,
    .paper = &nb_paper_lecleach,
    .time_step = 0.01,
    .steps = 100,
    .newton_iterations = 40,
    .linear_iterations = 60,
    .build = build_more,
    .check = check,
};
