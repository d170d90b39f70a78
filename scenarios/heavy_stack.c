/* Boxes of equal size, each heavier than the one below by a constant ratio (paper, section 10.1.5 and fig. 14). */
#include <math.h>
#include <stdio.h>

#include "common.h"

enum {
    COUNT,
    BOTTOM_MASS,
    MASS_RATIO,
    BOX_SIZE,
    FRICTION
};

static const nb_option parameters[] = {
    [COUNT] = {"count", "1", 5, 1, 200, 1, NULL, "boxes"},
    [BOTTOM_MASS] = {"bottom-mass", "kg", 8, 1e-6, 1e6, 0, NULL, "mass of the lowest box"},
    [MASS_RATIO] = {"mass-ratio", "1", 8, 1e-3, 1e3, 0, NULL, "mass of a box over that of the one below"},
    [BOX_SIZE] = {"box-size", "m", 1, 1e-3, 1e3, 0, NULL, "edge length"},
    [FRICTION] = {"mu", "1", 0.5, 0, 10, 0, NULL, "friction coefficient"},
};

static nb_status build(const double *p, uint64_t seed, nb_world **world) {
    nb_status status;
    int32_t box, body;
    double size = p[BOX_SIZE], mass = p[BOTTOM_MASS];
    (void)seed; /* nothing is random here */
    NB_TRY(nb_world_create(world));
    (*world)->contact_margin = 0.01 * size;
    NB_TRY(nb_add_ground(*world, p[FRICTION], nb_quat_identity(), &body));
    NB_TRY(nb_add_box_shape(*world, nb_vec3_of(size / 2, size / 2, size / 2), &box));
    for (int i = 0; i < (int)p[COUNT]; i++, mass *= p[MASS_RATIO])
        NB_TRY(nb_world_add_solid(*world, NB_BODY_DYNAMIC, box, mass, p[FRICTION], nb_vec3_of(0, 0, (i + 0.5) * size),
                                  nb_quat_identity(), &body));
    return NB_OK;
out:
    nb_world_destroy(*world);
    *world = NULL;
    return status;
}

/* the normal forces between box `upper` and the body below it, and the largest deviation of one corner from a quarter */
static double interface_force(const nb_snapshot *final, int32_t upper, double *unequal) {
    double sum = 0, corners[4] = {0};
    const double *centre = final->q_before + 7 * upper;
    for (int32_t i = 0; i < final->contacts; i++) {
        const int32_t *pair = final->contact_bodies + 2 * i;
        int32_t low = pair[0] < pair[1] ? pair[0] : pair[1], high = pair[0] < pair[1] ? pair[1] : pair[0];
        if (high != upper || low != upper - 1) continue;
        const double *point = final->contact_point + 3 * i;
        sum += final->lambda_normal[i];
        corners[(point[0] > centre[0]) + 2 * (point[1] > centre[1])] += final->lambda_normal[i];
    }
    *unequal = 0;
    for (int k = 0; k < 4; k++) *unequal = fmax(*unequal, fabs(corners[k] - sum / 4));
    return sum;
}

static void check(const double *p, const nb_world *initial, const nb_snapshot *final, nb_checks *checks) {
    int count = (int)p[COUNT], shown = count < 10 ? count : 10;
    double above = 0, drift = 0, unequal = 0, total = 0;
    char name[64];
    for (int32_t b = 1; b <= count; b++) total += initial->bodies[b].mass * 9.81;
    for (int32_t b = count; b >= 1; b--) {
        double corner, force = interface_force(final, b, &corner);
        above += initial->bodies[b].mass * 9.81;
        unequal = fmax(unequal, corner / above);
        snprintf(name, sizeof name, "normal force below box %d", (int)b);
        if (b <= shown) nb_checks_add(checks, name, "N", force, above, 1e-7 * total);
        drift = fmax(drift, nb_drift(initial, final, b));
    }
    nb_checks_add_below(checks, "difference of corners over the force", "1", unequal, 1e-6);
    /* a converged stack stays where it is to round-off; 1e-9 of its size leaves room for some hundred steps */
    nb_checks_add_below(checks, "drift", "m", drift, 1e-9 * p[BOX_SIZE]);
}

const nb_scenario_class nb_heavy_stack = {
    .name = "heavy-stack",
    .summary = "boxes of equal size, heaviest on top",
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .size_parameter = COUNT,
    .time_step = 0.0083,
    .steps = 60,
    .newton_iterations = 20,
    .linear_iterations = 40,
    .build = build,
    .check = check,
};
