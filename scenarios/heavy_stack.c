/* Boxes of equal size, each heavier than the one below by a constant ratio (paper, section 10.1.5 and fig. 14). */
#include <math.h>
#include <stdio.h>

#include "base/largest.h"
#include "common.h"
#include "papers.h"

enum {
    COUNT,
    BOTTOM_MASS,
    MASS_RATIO,
    BOX_SIZE,
    FRICTION
};

enum {
    LISTED = 10 /* interfaces with a check of their own, from the ground up */
};

/* the range of a box's mass [kg] in which forces keep some digits */
static const double LIGHTEST = 1e-12, HEAVIEST = 1e18;

static const nb_option parameters[] = {
    [COUNT] = {"count", "1", 5, 1, 200, 1, NULL, "boxes"},
    [BOTTOM_MASS] = {"bottom-mass", "kg", 8, 1e-6, 1e6, 0, NULL, "mass of the lowest box"},
    [MASS_RATIO] = {"mass-ratio", "1", 8, 1e-3, 1e3, 0, NULL, "mass of a box over that of the one below"},
    [BOX_SIZE] = {"box-size", "m", 1, 1e-3, 1e3, 0, NULL, "edge length"},
    [FRICTION] = {"mu", "1", 0.5, 0, 10, 0, NULL, "friction coefficient"},
};

static nb_status check_masses(const double *p) {
    double top = p[BOTTOM_MASS] * pow(p[MASS_RATIO], p[COUNT] - 1);
    if (top >= LIGHTEST && top <= HEAVIEST) return NB_OK;
    return nb_fail(NB_ERROR_USAGE, "heavy-stack: count = %g and mass-ratio = %g make a top box of %g kg (%g to %g kg)",
                   p[COUNT], p[MASS_RATIO], top, LIGHTEST, HEAVIEST);
}

static nb_status build(const double *p, uint64_t seed, nb_world **world) {
    nb_status status;
    int32_t box, body;
    double size = p[BOX_SIZE], mass = p[BOTTOM_MASS];
    (void)seed; /* nothing is random here */
    *world = NULL;
    NB_TRY(check_masses(p));
    NB_TRY(nb_world_create(world));
    (*world)->settings.contact_margin = 0.01 * size;
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

/* The normal force [N] that box `upper` receives from the body below it, and how far from the box's axis it acts [m].
 * The corners' forces themselves are not unique: four unknowns, three balances. */
static double interface_force(const nb_snapshot *final, int32_t upper, double *off_centre) {
    const double *centre = final->q_before + 7 * (int64_t)upper;
    double sum = 0, moment[2] = {0, 0};
    for (int32_t i = 0; i < final->contacts; i++) {
        const int32_t *pair = final->contact_bodies + 2 * (int64_t)i;
        int32_t low = pair[0] < pair[1] ? pair[0] : pair[1], high = pair[0] < pair[1] ? pair[1] : pair[0];
        if (high != upper || low != upper - 1) continue;
        sum += final->lambda_normal[i];
        for (int k = 0; k < 2; k++)
            moment[k] += final->lambda_normal[i] * (final->contact_point[3 * (int64_t)i + k] - centre[k]);
    }
    *off_centre = hypot(moment[0], moment[1]) / fabs(sum);
    return sum;
}

static void check(const double *p, const nb_world *initial, const nb_snapshot *final, nb_checks *checks) {
    int count = (int)p[COUNT];
    double above = 0, off_centre = 0, total = nb_weight(initial), unlisted = 0;
    char name[64];
    const double allowed = 1e-6 * total; /* 1e-8 m/s of all of it in a step of 1 ms */
    for (int32_t b = count; b >= 1; b--) {
        double off, force = interface_force(final, b, &off);
        above += initial->bodies[b].mass * nb_norm(initial->gravity);
        nb_raise(&off_centre, off);
        snprintf(name, sizeof name, "normal force below box %d", (int)b);
        if (b <= LISTED)
            nb_checks_add(checks, name, "N", force, above, allowed);
        else
            nb_raise(&unlisted, fabs(force - above));
    }
    if (count > LISTED) nb_checks_add(checks, "largest error of the other normal forces", "N", unlisted, 0, allowed);
    nb_checks_add_below(checks, "center of pressure off the axis", "m", off_centre, 1e-6 * p[BOX_SIZE]);
    /* a converged stack stays where it is to round-off; 1e-9 of its size leaves room for some hundred steps */
    nb_checks_add_below(checks, "drift", "m", nb_drift(initial, final), 1e-9 * p[BOX_SIZE]);
}

const nb_scenario_class nb_heavy_stack = {
    .name = "heavy-stack",
    .summary = "boxes of equal size, heaviest on top",
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .size_parameter = COUNT,
    .paper = &nb_paper_macklin,
    .time_step = 0.0083,
    .steps = 60,
    .newton_iterations = 20,
    .linear_iterations = 40,
    .build = build,
    .check = check,
};
