/* A house of cards: levels of leaning pairs, with flat cards between them, and cubes that fall on it. Sizes, lean,
 * friction and step are those that the public port of a splitting for Coulomb's law states for its scene (dartsim/dart,
 * pull request 3377, after Song, Fan, Ascher and Pai 2026); where the cubes fall is our choice, so that this is a
 * relative of the published scene.
 *
 * A pair that carries P stands on friction of (P + W/2)/((P + W) tan(lean)) at its feet, W being a card's weight: at
 * most 1/tan(lean), whatever it carries. Where friction is below 1/(2 tan(lean)), no pair stands. */
#include <math.h>

#include "common.h"

enum {
    LEVELS,
    LEAN,
    FRICTION,
    LENGTH,
    WIDTH,
    THICKNESS,
    DENSITY,
    CUBES,
    CUBE_SIZE,
    CUBE_DENSITY
};

static const nb_option parameters[] = {
    [LEVELS] = {"levels", "1", 4, 1, 40, 1, NULL, "of leaning pairs"},
    [LEAN] = {"lean", "rad", 1.1344640137963142, 0.2, 1.5, 0, NULL, "of a card from the ground; as given, 65 degrees"},
    [FRICTION] = {"mu", "1", 0.8, 0, 10, 0, NULL, "friction coefficient"},
    [LENGTH] = {"length", "m", 2.5, 1e-2, 1e2, 0, NULL, "of a card"},
    [WIDTH] = {"width", "m", 1.25, 1e-2, 1e2, 0, NULL, "of a card"},
    [THICKNESS] = {"thickness", "m", 0.04, 1e-4, 1, 0, NULL, "of a card"},
    [DENSITY] = {"density", "kg/m^3", 200, 1e-3, 1e6, 0, NULL, "of a card"},
    [CUBES] = {"cubes", "1", 0, 0, 16, 1, NULL, "that fall on the house, from 1 m above it and more"},
    [CUBE_SIZE] = {"cube-size", "m", 0.8, 1e-3, 1e2, 0, NULL, "edge length of a cube"},
    [CUBE_DENSITY] = {"cube-density", "kg/m^3", 500, 1e-3, 1e6, 0, NULL, "of a cube"},
};

static nb_status add_card(nb_world *world, const double *p, int32_t shape, double x, double z, double lean) {
    int32_t body;
    const double mass = p[DENSITY] * p[LENGTH] * p[WIDTH] * p[THICKNESS];
    return nb_world_add_solid(world, NB_BODY_DYNAMIC, shape, mass, p[FRICTION], nb_vec3_of(x, 0, z),
                              nb_quat_about(nb_vec3_of(0, -1, 0), lean), &body);
}

/* `least`: from which on pairs do not overlap; cards may be too thick for any */
static nb_status refuse_lean(const double *p, double least) {
    char more[40] = "thinner cards";
    if (least <= parameters[LEAN].maximum) snprintf(more, sizeof more, "%g rad and more", least);
    return nb_fail(NB_ERROR_USAGE,
                   "scenario 'card-house': lean = %g rad: neighboring pairs would overlap; take one level, or %s",
                   p[LEAN], more);
}

/* The upper edges of a pair's cards touch. Flat cards lie on pairs of the level, between which there is a little more
 * than their length: it lies on the upper edges, which are farther apart than that by less than their cards are thick.
 */
static nb_status add_cards(nb_world *world, const double *p, double *top) {
    nb_status status;
    int32_t shape;
    const int levels = (int)p[LEVELS];
    const double half = 0.5 * p[LENGTH], thick = 0.5 * p[THICKNESS], c = cos(p[LEAN]), s = sin(p[LEAN]),
                 high = 2 * (half * s + thick * c), aside = half * c + thick * s, pitch = p[LENGTH] + thick;
    *top = 0;
    if (levels > 1 && 4 * aside > pitch)
        return refuse_lean(
            p, ceil(1e3 * (acos(0.5 * pitch / hypot(p[LENGTH], p[THICKNESS])) + atan2(p[THICKNESS], p[LENGTH]))) / 1e3);
    NB_TRY(nb_add_box_shape(world, nb_vec3_of(half, 0.5 * p[WIDTH], thick), &shape));
    for (int pairs = levels; pairs > 0; pairs--) {
        for (int i = 0; i < pairs; i++) {
            const double x = (i - 0.5 * (pairs - 1)) * pitch;
            NB_TRY(add_card(world, p, shape, x - aside, *top + 0.5 * high, p[LEAN]));
            NB_TRY(add_card(world, p, shape, x + aside, *top + 0.5 * high, acos(-1) - p[LEAN]));
        }
        *top += high;
        for (int i = 0; i < pairs - 1; i++)
            NB_TRY(add_card(world, p, shape, (i - 0.5 * (pairs - 2)) * pitch, *top + thick, 0));
        if (pairs > 1) *top += 2 * thick;
    }
out:
    return status;
}

static nb_status add_cubes(nb_world *world, const double *p, double top) {
    nb_status status = NB_OK;
    int32_t shape, body;
    const int count = (int)p[CUBES];
    const double size = p[CUBE_SIZE], mass = p[CUBE_DENSITY] * size * size * size;
    if (count == 0) return NB_OK;
    NB_TRY(nb_add_box_shape(world, nb_vec3_of(0.5 * size, 0.5 * size, 0.5 * size), &shape));
    for (int i = 0; i < count; i++) /* neighbors are apart, and each falls after the one before */
        NB_TRY(nb_world_add_solid(world, NB_BODY_DYNAMIC, shape, mass, p[FRICTION],
                                  nb_vec3_of((i - 0.5 * (count - 1)) * 1.875 * size, 0, top + 0.5 * size + 1 + i),
                                  nb_quat_identity(), &body));
out:
    return status;
}

static nb_status build(const double *p, uint64_t seed, nb_world **world) {
    nb_status status;
    int32_t ground;
    double top;
    (void)seed; /* nothing is random here */
    NB_TRY(nb_world_create(world));
    (*world)->settings.contact_margin = 0.25 * p[THICKNESS];
    NB_TRY(nb_add_ground(*world, p[FRICTION], nb_quat_identity(), &ground));
    NB_TRY(add_cards(*world, p, &top));
    NB_TRY(add_cubes(*world, p, top));
    return NB_OK;
out:
    nb_world_destroy(*world);
    *world = NULL;
    return status;
}

static void check(const double *p, const nb_world *initial, const nb_snapshot *final, nb_checks *checks) {
    const double weight = nb_weight(initial);
    nb_checks_add(checks, "vertical force of the ground", "N", nb_force_of_fixed(initial, final).z,
                  weight + nb_momentum_rate(initial, final), 1e-5 * weight);
    nb_check *stands =
        nb_checks_add_below(checks, "drift over the length of a card", "1", nb_drift(initial, final) / p[LENGTH], 1e-3);
    nb_check_presupposes(stands, p[CUBES] == 0, "nothing falls on the house");
    nb_check_presupposes(stands, tan(p[LEAN]) * p[FRICTION] >= 1, "friction bears any load on cards that lean so");
    if (2 * tan(p[LEAN]) * p[FRICTION] >= 1) return;
    nb_check *falls = nb_checks_add_below(checks, "rest of a house that cannot stand", "1",
                                          nb_drift(initial, final) / p[LENGTH] > 1e-6 ? 0 : 1, 0);
    nb_check_presupposes(falls, final->time > 0.1, "the run lasts 0.1 s");
}

const nb_scenario_class nb_card_house = {
    .name = "card-house",
    .summary = "a house of cards, on which cubes can fall",
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .size_parameter = LEVELS,
    .time_step = 0.00416667,
    .steps = 120,
    .newton_iterations = 100,
    .linear_iterations = 60,
    .build = build,
    .check = check,
};
