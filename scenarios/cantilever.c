/* A soft beam that is clamped at one end and sags under its weight: small deflections, which have a formula. */
#include <math.h>

#include "common.h"
#include "soft_mesh.h"

enum {
    CELLS,
    MATERIAL,
    YOUNG,
    POISSON,
    DENSITY
};

static const nb_option parameters[] = {
    [CELLS] = {"cells", "1", 2, 1, 16, 1, NULL,
               "across the beam, of five tetrahedra each; five times as many along it"},
    [MATERIAL] = {"material", "", 0, 0, 0, 0, nb_material_names, "of the beam"},
    [YOUNG] = {"young", "Pa", 1e8, 1e5, 1e12, 0, NULL, "Young's modulus"},
    [POISSON] = {"poisson", "1", 0.3, -0.9, 0.4999, 0, NULL, "Poisson's ratio"},
    [DENSITY] = {"density", "kg/m^3", 1000, 1, 1e5, 0, NULL, "density"},
};

static const double length = 1, height = 0.1;

static nb_status build(const double *p, uint64_t seed, nb_world **world) {
    nb_status status;
    const int32_t across = (int32_t)p[CELLS], cells[3] = {5 * across, across, across};
    const nb_material material = {(nb_material_kind)p[MATERIAL], p[YOUNG], p[POISSON], p[DENSITY]};
    nb_soft_part part;
    int32_t index;
    (void)seed; /* nothing is random here */
    *world = NULL;
    NB_TRY(nb_world_create(world));
    (*world)->settings.contact_margin = 0.01 * height;
    NB_TRY(nb_world_add_material(*world, &material, &index));
    NB_TRY(nb_world_add_soft_box(*world, index, nb_vec3_of(0, -height / 2, -height / 2),
                                 nb_vec3_of(length, height, height), cells, &part));
    for (int32_t i = 0; i < part.particle_count; i += cells[0] + 1) (*world)->particles[i].kind = NB_BODY_FIXED;
    return NB_OK;
out:
    nb_world_destroy(*world);
    *world = NULL;
    return status;
}

/* how far a thin beam's free end goes down, q L^4/(8 E I) for a load q = rho g A [m] */
static double thin_sag(const double *p, const nb_world *initial) {
    return 12 * p[DENSITY] * nb_norm(initial->gravity) * pow(length, 4) / (8 * p[YOUNG] * height * height);
}

/* of the slowest vibration of a thin beam, 3.516 (E I/(rho A L^4))^1/2 [rad/s] */
static double frequency(const double *p) {
    return 3.516 * height / (length * length) * sqrt(p[YOUNG] / (12 * p[DENSITY]));
}

/* how far the free end's middle line goes down, over what a thin beam's would */
static double sag(const double *p, const nb_world *initial, const nb_snapshot *final) {
    const int32_t across = (int32_t)p[CELLS], row = 5 * across + 1;
    double down = 0, count = 0;
    for (int32_t i = row - 1; i < final->particles; i += row) {
        if (fabs(initial->particles[i].position.z) > 0.51 * height / across)
            continue; /* the middle, or both beside it */
        down += initial->particles[i].position.z - final->particle_x[3 * (int64_t)i + 2];
        count++;
    }
    return down / count / thin_sag(p, initial);
}

/* Deflections of linear elasticity on 8 cells across, which another program found; the rest of the difference to 1 is
 * how stiff tetrahedra are, and more so the less their volume changes. */
static const double known[][2] = {{0, 0.913}, {0.3, 0.920}, {0.45, 0.889}, {0.49, 0.849}};

static void check(const double *p, const nb_world *initial, const nb_snapshot *final, nb_checks *checks) {
    double ratio = sag(p, initial, final), speed = 0;
    for (int64_t i = 0; i < 3 * (int64_t) final->particles; i++) speed = fmax(speed, fabs(final->particle_v[i]));
    /* the first step goes through the sag, at most */
    nb_checks_add_below(checks, "speed in the end", "m/s", speed,
                        1e-6 + thin_sag(p, initial) / final->time_step *
                                   nb_vibration_left(frequency(p), final->time_step, final->step_count - 1));
    nb_checks_of_motion(initial, checks->count - 1, checks);
    /* shear makes a beam of this height softer by a hundredth; meshes make it stiffer */
    nb_checks_add_below(checks, "deflection over a thin beam's", "1", ratio, 1.05);
    const int rest = checks->count;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (p[CELLS] == 8 && p[POISSON] == known[i][0])
            nb_check_presupposes(
                nb_checks_add(checks, "deflection over a thin beam's, eight cells", "1", ratio, known[i][1], 1e-3),
                nb_vibration_left(frequency(p), final->time_step, final->step_count) < 1e-4, nb_at_rest);
    nb_checks_of_motion(initial, rest, checks);
}

const nb_scenario_class nb_cantilever = {
    .name = "cantilever",
    .summary = "a soft beam, clamped at one end, sags under its weight",
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .size_parameter = CELLS,
    .time_step = 1,
    .steps = 4,
    .newton_iterations = 20,
    .linear_iterations = 1000,
    .build = build,
    .check = check,
};
