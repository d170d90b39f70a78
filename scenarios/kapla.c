/* A tower of planks as children build it: two planks a layer, each layer across the one below. All is as redundant as
 * it can be: each plank lies on two at four corners each. The planks are of the toy's size (118 x 23.5 x 7.8 mm, pine);
 * the tower is ours. */
#include <stdio.h>

#include "common.h"

enum {
    LAYERS,
    FRICTION,
    LENGTH,
    WIDTH,
    THICKNESS,
    DENSITY
};

enum {
    LISTED = 8 /* layers whose force is checked, at most */
};

static const nb_option parameters[] = {
    [LAYERS] = {"layers", "1", 20, 1, 2000, 1, NULL, "of two planks"},
    [FRICTION] = {"mu", "1", 0.4, 0, 10, 0, NULL, "friction coefficient"},
    [LENGTH] = {"length", "m", 0.118, 1e-3, 1e2, 0, NULL, "of a plank"},
    [WIDTH] = {"width", "1", 0.199, 1e-2, 0.49, 0, NULL, "of a plank over its length"},
    [THICKNESS] = {"thickness", "1", 0.066, 1e-3, 1, 0, NULL, "of a plank over its length"},
    [DENSITY] = {"density", "kg/m^3", 500, 1e-3, 1e6, 0, NULL, "of a plank"},
};

static nb_status build(const double *p, uint64_t seed, nb_world **world) {
    nb_status status;
    int32_t shape[2], body;
    const double length = p[LENGTH], wide = p[WIDTH] * length, thick = p[THICKNESS] * length,
                 aside = 0.5 * (length - wide);
    (void)seed; /* nothing is random here */
    NB_TRY(nb_world_create(world));
    (*world)->settings.contact_margin = 0.1 * thick;
    NB_TRY(nb_add_ground(*world, p[FRICTION], nb_quat_identity(), &body));
    NB_TRY(nb_add_box_shape(*world, nb_vec3_of(0.5 * length, 0.5 * wide, 0.5 * thick), &shape[0]));
    NB_TRY(nb_add_box_shape(*world, nb_vec3_of(0.5 * wide, 0.5 * length, 0.5 * thick), &shape[1]));
    for (int i = 0; i < 2 * (int)p[LAYERS]; i++) {
        const int layer = i / 2, across = layer % 2;
        const double at = i % 2 ? aside : -aside;
        NB_TRY(nb_world_add_solid(*world, NB_BODY_DYNAMIC, shape[across], p[DENSITY] * length * wide * thick,
                                  p[FRICTION], nb_vec3_of(across ? at : 0, across ? 0 : at, (layer + 0.5) * thick),
                                  nb_quat_identity(), &body));
    }
    return NB_OK;
out:
    nb_world_destroy(*world);
    *world = NULL;
    return status;
}

static void check(const double *p, const nb_world *initial, const nb_snapshot *final, nb_checks *checks) {
    const int layers = (int)p[LAYERS], stride = (layers + LISTED - 1) / LISTED;
    const double weight = nb_weight(initial), thick = p[THICKNESS] * p[LENGTH];
    char name[64];
    for (int layer = 0; layer < layers; layer += stride) {
        double above, force = nb_force_across(initial, final, layer * thick, &above);
        snprintf(name, sizeof name, "force below layer %d", layer + 1);
        nb_checks_add(checks, name, "N", force, above, 1e-6 * weight);
    }
    nb_checks_add_below(checks, "drift over the length of a plank", "1", nb_drift(initial, final) / p[LENGTH], 1e-6);
}

const nb_scenario_class nb_kapla = {
    .name = "kapla",
    .summary = "a tower of planks, two a layer",
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .size_parameter = LAYERS,
    .time_step = 0.005,
    .steps = 40,
    .newton_iterations = 40,
    .linear_iterations = 60,
    .build = build,
    .check = check,
};
