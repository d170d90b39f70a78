/* A wall of bricks in running bond on the ground: large, regular, highly redundant. */
#include <stdio.h>

#include "common.h"

enum {
    WIDTH,
    HEIGHT,
    FRICTION,
    LENGTH,
    MASS,
    OFFSET
};

enum {
    LISTED = 10 /* courses with a check, at most */
};

static const nb_option parameters[] = {
    [WIDTH] = {"width", "1", 8, 1, 2000, 1, NULL, "bricks in a course"},
    [HEIGHT] = {"height", "1", 6, 1, 2000, 1, NULL, "courses"},
    [FRICTION] = {"mu", "1", 0.6, 0, 10, 0, NULL, "friction coefficient"},
    [LENGTH] = {"brick-length", "m", 0.24, 1e-3, 1e3, 0, NULL, "length of a brick; half as wide, a third as high"},
    [MASS] = {"brick-mass", "kg", 3.5, 1e-6, 1e6, 0, NULL, "mass of a whole brick"},
    [OFFSET] = {"offset", "1", 0, 0, 1e-3, 0, NULL,
                "random offset of a brick along each axis at the start, in brick lengths, at most; what touched "
                "overlaps or parts"},
};

static double brick_height(const double *p) {
    return p[LENGTH] / 3;
}

/* one course; odd ones start and end with half a brick. Bricks touch, side by side as well. */
static nb_status build_course(nb_world *world, const double *p, int course, int32_t whole, int32_t half,
                              uint64_t *seed) {
    nb_status status = NB_OK;
    int odd = course % 2, width = (int)p[WIDTH];
    double x = -p[WIDTH] * p[LENGTH] / 2, z = (course + 0.5) * brick_height(p);
    for (int i = 0; i < width + odd; i++) {
        int short_one = odd && (i == 0 || i == width);
        double length = short_one ? p[LENGTH] / 2 : p[LENGTH];
        nb_vec3 place = nb_add(nb_vec3_of(x + length / 2, 0, z), nb_random_offset(seed, p[OFFSET] * p[LENGTH]));
        int32_t body;
        NB_TRY(nb_world_add_solid(world, NB_BODY_DYNAMIC, short_one ? half : whole, p[MASS] * (short_one ? 0.5 : 1),
                                  p[FRICTION], place, nb_quat_identity(), &body));
        x += length;
    }
out:
    return status;
}

static nb_status build(const double *p, uint64_t seed, nb_world **world) {
    nb_status status;
    int32_t ground, whole, half;
    nb_vec3 size = nb_vec3_of(p[LENGTH] / 2, p[LENGTH] / 4, brick_height(p) / 2);
    NB_TRY(nb_world_create(world));
    (*world)->settings.contact_margin = 0.02 * p[LENGTH];
    NB_TRY(nb_add_ground(*world, p[FRICTION], nb_quat_identity(), &ground));
    NB_TRY(nb_add_box_shape(*world, size, &whole));
    NB_TRY(nb_add_box_shape(*world, nb_vec3_of(size.x / 2, size.y, size.z), &half));
    for (int course = 0; course < (int)p[HEIGHT]; course++) NB_TRY(build_course(*world, p, course, whole, half, &seed));
    return NB_OK;
out:
    nb_world_destroy(*world);
    *world = NULL;
    return status;
}

static void check(const double *p, const nb_world *initial, const nb_snapshot *final, nb_checks *checks) {
    char name[64];
    double weight = nb_weight(initial), above;
    int courses = (int)p[HEIGHT], stride = (courses + LISTED - 1) / LISTED;
    for (int course = 0; course < courses; course += stride) {
        double force = nb_force_across(initial, final, course * brick_height(p), &above);
        snprintf(name, sizeof name, "force below course %d", course + 1);
        nb_checks_add(checks, name, "N", force, above, 1e-6 * weight);
    }
    /* gaps of a column may close, overlaps of a course open */
    nb_checks_add_below(checks, "drift", "m", nb_drift(initial, final),
                        p[LENGTH] * (1e-6 + 2 * p[OFFSET] * (p[WIDTH] + p[HEIGHT])));
}

const nb_scenario_class nb_wall = {
    .name = "wall",
    .summary = "bricks in running bond",
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .size_parameter = WIDTH,
    .time_step = 0.0083,
    .steps = 30,
    .newton_iterations = 20,
    .linear_iterations = 60,
    .build = build,
    .check = check,
};
