/* A soft bar whose clamped ends are pulled apart (paper, section 10.1.6 and fig. 13): how its volume changes tells
 * materials from each other. */
#include <math.h>

#include "common.h"
#include "element/energy.h"
#include "papers.h"
#include "soft_mesh.h"

enum {
    CELLS,
    MATERIAL,
    STRETCH,
    DURATION,
    YOUNG,
    POISSON,
    DENSITY
};

static const nb_option parameters[] = {
    [CELLS] = {"cells", "1", 8, 4, 200, 1, NULL, "along the bar, of five tetrahedra each; a fourth of them across it"},
    [MATERIAL] = {"material", "", 0, 0, 0, 0, nb_material_names, "of the bar"},
    [STRETCH] = {"stretch", "1", 2, 0.1, 10, 0, NULL, "length in the end over that at rest"},
    [DURATION] = {"duration", "s", 0.5, 1e-3, 1e3, 0, NULL, "of the pull, at a constant speed; then the ends hold"},
    [YOUNG] = {"young", "Pa", 1e5, 1, 1e12, 0, NULL, "Young's modulus"},
    [POISSON] = {"poisson", "1", 0.45, -0.9, 0.4999, 0, NULL, "Poisson's ratio"},
    [DENSITY] = {"density", "kg/m^3", 1000, 1e-3, 1e5, 0, NULL, "density"},
};

static const double length = 0.4, width = 0.1;

/* numbers kept for `pull` */
enum {
    WAY,
    TIME
};

static double way_at(const nb_world *world, double time) {
    return world->prescribed[WAY] * fmin(1, time / world->prescribed[TIME]);
}

static void pull(nb_world *world, double h) {
    double speed = (way_at(world, world->time + h) - way_at(world, world->time)) / h;
    for (int32_t i = 0; i < world->particle_count; i++)
        if (world->particles[i].kind == NB_BODY_KINEMATIC) world->particles[i].velocity = nb_vec3_of(speed, 0, 0);
}

static nb_status build(const double *p, uint64_t seed, nb_world **world) {
    nb_status status;
    const int32_t across = (int32_t)fmax(1, floor(p[CELLS] / 4)), cells[3] = {(int32_t)p[CELLS], across, across};
    const nb_material material = {(nb_material_kind)p[MATERIAL], p[YOUNG], p[POISSON], p[DENSITY]};
    nb_soft_part part;
    int32_t index;
    (void)seed; /* nothing is random here */
    *world = NULL;
    NB_TRY(nb_world_create(world));
    (*world)->gravity = nb_vec3_of(0, 0, 0);
    (*world)->settings.contact_margin = 0.01 * width;
    NB_TRY(nb_world_add_material(*world, &material, &index));
    NB_TRY(nb_world_add_soft_box(*world, index, nb_vec3_of(0, -width / 2, -width / 2), nb_vec3_of(length, width, width),
                                 cells, &part));
    for (int32_t i = 0; i < part.particle_count; i++) {
        nb_particle *particle = &(*world)->particles[i];
        if (i % (cells[0] + 1) == 0) particle->kind = NB_BODY_FIXED;
        if (i % (cells[0] + 1) == cells[0]) particle->kind = NB_BODY_KINEMATIC;
    }
    (*world)->prescribed[WAY] = (p[STRETCH] - 1) * length;
    (*world)->prescribed[TIME] = p[DURATION];
    (*world)->prescribe = pull;
    return NB_OK;
out:
    nb_world_destroy(*world);
    *world = NULL;
    return status;
}

/* The bar at rest, of 8 x 2 x 2 cells, E = 1e5 Pa and nu = 0.45: minima of the energy that a program without rows,
 * multipliers and time steps found. Linear elements are inverted beyond a stretch of 2.5. */
static const struct {
    nb_material_kind kind;
    double stretch, ratio;
} known[] = {
    {NB_MATERIAL_LINEAR, 2, 0.651398},
    {NB_MATERIAL_NEO_HOOKEAN, 2, 1.079001},
    {NB_MATERIAL_NEO_HOOKEAN, 3, 1.115301},
    {NB_MATERIAL_NEO_HOOKEAN_PRINCIPAL, 2, 1.079001},
    {NB_MATERIAL_NEO_HOOKEAN_PRINCIPAL, 3, 1.115301},
};

static void check(const double *p, const nb_world *initial, const nb_snapshot *final, nb_checks *checks) {
    double ratio = nb_volume_ratio(initial, final->particle_x), speed = 0;
    for (int64_t i = 0; i < 3 * (int64_t) final->particles; i++) speed = fmax(speed, fabs(final->particle_v[i]));
    const int at_rest = final->time >= 2 * p[DURATION];
    const char *held = "the bar is held for as long as it was pulled";
    const int first = checks->count;
    nb_check_presupposes(nb_checks_add_below(checks, "speed of the bar held", "m/s", speed, 1e-3 * length), at_rest,
                         held);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (p[MATERIAL] == known[i].kind && p[STRETCH] == known[i].stretch && p[CELLS] == 8 && p[YOUNG] == 1e5 &&
            p[POISSON] == 0.45)
            nb_check_presupposes(nb_checks_add(checks, "volume over that at rest", "1", ratio, known[i].ratio, 2e-5),
                                 at_rest, held);
    nb_checks_of_motion(initial, first, checks);
}

const nb_scenario_class nb_bar = {
    .name = "bar",
    .summary = "a soft bar whose ends are pulled apart",
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .size_parameter = CELLS,
    .paper = &nb_paper_macklin,
    .time_step = 0.01,
    .steps = 120,
    .newton_iterations = 40,
    .linear_iterations = 2000,
    .build = build,
    .check = check,
};
