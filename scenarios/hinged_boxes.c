/* Two boxes with a hinge between them that stand on the ground as a roof (after Kamino's boxes_hinged, Tsounis et al.
 * 2025; the measures are ours). By the balance of moments about the hinge, feet at x_f and centres at x_c from a hinge
 * at the height H need mu >= |x_f - x_c|/H to stay; where x_f > x_c they else
 * slide apart. */
#include <math.h>

#include "linkage.h"

enum {
    ANGLE,
    FRICTION,
    LENGTH,
    MASS
};

static const nb_option parameters[] = {
    [ANGLE] = {"angle", "rad", 0.8, 0.2, 1.4, 0, NULL, "of the boxes, from the horizontal"},
    [FRICTION] = {"mu", "1", 0.6, 0, 10, 0, NULL, "friction coefficient; below 0.35 they slide apart"},
    [LENGTH] = {"length", "m", 0.5, 1e-3, 1e3, 0, NULL, "length of a box; a fifth of it is its width and height"},
    [MASS] = {"mass", "kg", 1, 1e-6, 1e6, 0, NULL, "mass of a box"},
};

/* the hinge over the foot, its height, and the centre of a box from it [m] */
static nb_vec3 foot_of(const double *p) {
    const double half = 0.1 * p[LENGTH], c = cos(p[ANGLE]), s = sin(p[ANGLE]);
    return nb_vec3_of(p[LENGTH] * c - half * s, 0, p[LENGTH] * s + half * c);
}

static double least_friction(const double *p) {
    const nb_vec3 foot = foot_of(p);
    return (foot.x - 0.5 * p[LENGTH] * cos(p[ANGLE])) / foot.z;
}

static nb_status build(const double *p, uint64_t seed, nb_world **world) {
    nb_status status;
    const double half = 0.1 * p[LENGTH];
    const nb_vec3 hinge = nb_vec3_of(0, 0, foot_of(p).z);
    int32_t body, joint;
    (void)seed; /* nothing is random here */
    NB_TRY(nb_world_create(world));
    (*world)->settings.contact_margin = 0.01 * p[LENGTH];
    NB_TRY(nb_add_ground(*world, p[FRICTION], nb_quat_identity(), &body));
    for (int side = -1; side <= 1; side += 2) {
        const nb_vec3 end = nb_vec3_of(side * p[LENGTH] * cos(p[ANGLE]), 0, hinge.z - p[LENGTH] * sin(p[ANGLE]));
        NB_TRY(nb_add_bar(*world, hinge, end, half, half, p[MASS], p[FRICTION], 1, &body));
    }
    NB_TRY(nb_pin(*world, NB_JOINT_REVOLUTE, 2, 1, hinge, nb_vec3_of(0, 1, 0), &joint));
    return NB_OK;
out:
    nb_world_destroy(*world);
    *world = NULL;
    return status;
}

static void check(const double *p, const nb_world *initial, const nb_snapshot *final, nb_checks *checks) {
    const double least = least_friction(p), drift = nb_drift(initial, final), apart = p[FRICTION] / fabs(least);
    nb_check_freedoms(initial, 7, 0, checks);
    nb_check_joints(initial, final, p[LENGTH], checks);
    nb_check_ground(initial, final, checks);
    if (apart > 1.05)
        nb_checks_add_below(checks, "way of a roof that stands", "m", drift, 1e-3 * p[LENGTH]);
    else if (least > 0 && apart < 0.95 && final->step_count * final->time_step > 2 * sqrt(p[LENGTH] / 9.81))
        nb_checks_add_below(checks, "height left of a roof that slides", "m", final->q[7 + 2],
                            0.9 * initial->bodies[1].position.z);
}

const nb_scenario_class nb_hinged_boxes = {
    .name = "hinged-boxes",
    .summary = "two boxes with a hinge, which stand as a roof or slide apart",
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .size_parameter = -1,
    .time_step = 0.01,
    .steps = 60,
    .newton_iterations = 30,
    .linear_iterations = 100,
    .build = build,
    .check = check,
};
