/* A tyre on a rim that presses it to the ground and turns (after Larionov et al. 2023, fig. 11, "Tire wrinkling"): a
 * hollow ring of tetrahedra that holds a gas with a gauge pressure, of whose inner part the rim leads the inside. The
 * paper has a shell of 93000 triangles that bends; here a wall has a thickness, one layer of few tetrahedra, and no
 * wrinkles are to be expected. Pressure and friction coefficients are the paper's; there E is per length (400 kN/m),
 * here times the wall's inverse thickness; sizes, density and motion are ours. */
#include <math.h>

#include "base/memory.h"
#include "papers.h"
#include "robot.h"
#include "soft.h"

enum {
    ALONG,
    AROUND,
    RADIUS,
    TUBE,
    THICKNESS,
    PRESSURE,
    PRESS,
    SPIN,
    DURATION,
    FRICTION,
    MATERIAL,
    STIFFNESS,
    POISSON,
    DENSITY
};

static const nb_option parameters[] = {
    [ALONG] = {"along", "1", 12, 4, 64, 1, NULL, "cells of six tetrahedra along the ring"},
    [AROUND] = {"around", "1", 6, 4, 64, 1, NULL, "and around its tube"},
    [RADIUS] = {"radius", "m", 0.3, 1e-2, 10, 0, NULL, "of the ring, to the middle of its tube"},
    [TUBE] = {"tube", "m", 0.15, 1e-3, 5, 0, NULL, "outer radius of the tube; below that of the ring"},
    [THICKNESS] = {"thickness", "m", 0.015, 1e-4, 1, 0, NULL, "of the wall; below the radius of the tube"},
    [PRESSURE] = {"pressure", "atm", 0.68, 0, 100, 0, NULL, "gauge pressure in it at first"},
    [PRESS] = {"press", "m", 0.03, -1, 1, 0, NULL, "how far the rim comes down"},
    [SPIN] = {"spin", "rad/s", 10, -1000, 1000, 0, NULL, "of the rim in the end"},
    [DURATION] = {"duration", "s", 0.02, 1e-6, 100, 0, NULL, "in which the rim comes down, and then begins to turn"},
    [FRICTION] = {"mu", "1", 0.5, 0, 10, 0, NULL, "friction coefficient while it slides"},
    [MATERIAL] = {"material", "", NB_MATERIAL_NEO_HOOKEAN, 0, 0, 0, nb_material_names, "of the wall"},
    [STIFFNESS] = {"stiffness", "N/m", 4e5, 1, 1e12, 0, NULL, "Young's modulus times the thickness"},
    [POISSON] = {"poisson", "1", 0.45, -0.9, 0.4999, 0, NULL, "Poisson's ratio"},
    [DENSITY] = {"density", "kg/m^3", 1000, 1, 1e5, 0, NULL, "density"},
};

static double pi(void) {
    return acos(-1.0);
}

/* kept in prescribed: how far and in which time the rim comes down, its spin, and the axle's first height */
enum {
    KEPT_PRESS,
    KEPT_DURATION,
    KEPT_SPIN,
    KEPT_HEIGHT
};

/* height of the axle, and angle of the rim about y, at a time */
static void rim_at(const double *kept, double t, double *height, double *angle) {
    const double duration = kept[KEPT_DURATION], turning = fmax(0, t - duration);
    double rate;
    *height = kept[KEPT_HEIGHT] - kept[KEPT_PRESS] * nb_ramp(t, 0, duration, &rate);
    *angle = kept[KEPT_SPIN] * (turning < duration ? turning * turning / (2 * duration) : turning - duration / 2);
}

static void lead(nb_world *world, double h) {
    const double *kept = world->prescribed;
    double height, angle;
    rim_at(kept, world->time + h, &height, &angle);
    const nb_quat turn = nb_quat_about(nb_vec3_of(0, 1, 0), angle);
    for (int32_t i = 0; i < world->particle_count; i++) {
        nb_particle *of = &world->particles[i];
        if (of->kind != NB_BODY_KINEMATIC) continue;
        const nb_vec3 from_axle = nb_sub(of->rest, nb_vec3_of(0, 0, kept[KEPT_HEIGHT]));
        const nb_vec3 to = nb_add(nb_quat_rotate(turn, from_axle), nb_vec3_of(0, 0, height));
        of->velocity = nb_scale(1 / h, nb_sub(to, of->position));
    }
}

/* ---- mesh: particle ((i around + j) 2 + k), k 1 outside ---- */

static int32_t corner_at(const double *p, int32_t i, int32_t j, int32_t k) {
    const int32_t along = (int32_t)p[ALONG], around = (int32_t)p[AROUND];
    return ((i % along) * around + j % around) * 2 + k;
}

static nb_status add_particles(nb_world *world, const double *p) {
    nb_status status = NB_OK;
    const int32_t along = (int32_t)p[ALONG], around = (int32_t)p[AROUND];
    for (int32_t i = 0; i < along; i++)
        for (int32_t j = 0; j < around; j++)
            for (int k = 0; k < 2; k++) {
                const double a = 2 * pi() * i / along, b = 2 * pi() * j / around;
                const double tube = k ? p[TUBE] : p[TUBE] - p[THICKNESS], out = p[RADIUS] + tube * cos(b);
                const nb_particle particle = {
                    .kind = !k && cos(b) < -0.49 ? NB_BODY_KINEMATIC : NB_BODY_DYNAMIC,
                    .mass = 1,
                    .position = nb_vec3_of(out * sin(a), tube * sin(b), p[RADIUS] + p[TUBE] - out * cos(a))};
                int32_t index;
                NB_TRY(nb_world_add_particle(world, &particle, &index));
            }
out:
    return status;
}

/* a cell's six tetrahedra along its diagonal, one for each order of the three directions */
static nb_status add_cell(nb_world *world, const double *p, int32_t i, int32_t j) {
    static const int order[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    nb_status status = NB_OK;
    for (int t = 0; t < 6; t++) {
        int32_t at[3] = {0}, particle[4] = {corner_at(p, i, j, 0)}, index;
        for (int a = 0; a < 3; a++) {
            at[order[t][a]] = 1;
            particle[a + 1] = corner_at(p, i + at[0], j + at[1], at[2]);
        }
        if (t >= 3) { /* the odd orders */
            const int32_t swapped = particle[1];
            particle[1] = particle[2];
            particle[2] = swapped;
        }
        NB_TRY(nb_world_add_tetrahedron(world, particle, 0, NULL, &index));
    }
out:
    return status;
}

static nb_status add_tyre(nb_world *world, const double *p) {
    nb_status status;
    const int32_t along = (int32_t)p[ALONG], around = (int32_t)p[AROUND];
    int32_t index, *inside = NULL, *next;
    nb_soft_part part = {0};
    NB_TRY(NB_ALLOCATE(6 * (int64_t)along * around, &inside));
    NB_TRY(add_particles(world, p));
    next = inside;
    for (int32_t i = 0; i < along; i++)
        for (int32_t j = 0; j < around; j++) {
            const int32_t low = corner_at(p, i, j, 0), high = corner_at(p, i + 1, j + 1, 0),
                          further = corner_at(p, i + 1, j, 0), aside = corner_at(p, i, j + 1, 0);
            const int32_t corners[6] = {low, high, further, low, aside, high};
            NB_TRY(add_cell(world, p, i, j));
            for (int c = 0; c < 6; c++) *next++ = corners[c];
        }
    part.particle_count = world->particle_count;
    part.tetrahedron_count = world->tetrahedron_count;
    nb_soft_part_set_masses(world, &part);
    nb_soft_part_set_skin(world, &part, p[FRICTION], 0);
    const nb_cavity surface = {2 * along * around, inside};
    NB_TRY(nb_world_add_cavity(world, &surface, NB_VOLUME_GAS, 1, p[PRESSURE], &index));
out:
    nb_free(inside);
    return status;
}

static nb_status build(const double *p, uint64_t seed, nb_world **world) {
    nb_status status;
    const nb_material material = {(nb_material_kind)p[MATERIAL], p[STIFFNESS] / p[THICKNESS], p[POISSON], p[DENSITY]};
    int32_t index;
    (void)seed; /* nothing is random here */
    *world = NULL;
    if (p[TUBE] >= p[RADIUS] || p[THICKNESS] >= p[TUBE])
        return nb_fail(NB_ERROR_USAGE, "scenario 'tyre' requires thickness < tube < radius (got %g, %g, %g m)",
                       p[THICKNESS], p[TUBE], p[RADIUS]);
    NB_TRY(nb_world_create(world));
    (*world)->settings.contact_margin = 0.1 * p[THICKNESS];
    NB_TRY(nb_add_ground(*world, p[FRICTION], nb_quat_identity(), &index));
    NB_TRY(nb_world_add_material(*world, &material, &index));
    NB_TRY(add_tyre(*world, p));
    (*world)->prescribed[KEPT_PRESS] = p[PRESS];
    (*world)->prescribed[KEPT_DURATION] = p[DURATION];
    (*world)->prescribed[KEPT_SPIN] = p[SPIN];
    (*world)->prescribed[KEPT_HEIGHT] = p[RADIUS] + p[TUBE];
    (*world)->prescribe = lead;
    return NB_OK;
out:
    nb_world_destroy(*world);
    *world = NULL;
    return status;
}

/* The ring's sections are polygons in planes through the axle, and straight between them: n sin(2 pi/n) of the first
 * moment of a polygon of m corners. The rim is where its motion has it. */
static void check(const double *p, const nb_world *initial, const nb_snapshot *final, nb_checks *checks) {
    const double inner = p[TUBE] - p[THICKNESS], along = p[ALONG], around = p[AROUND];
    const double section = 0.5 * around * inner * inner * sin(2 * pi() / around);
    const double known = along * sin(2 * pi() / along) * p[RADIUS] * section;
    const double *x = final->particle_x;
    double height, angle, gap = INFINITY, off = 0;
    rim_at(initial->prescribed, final->time, &height, &angle);
    for (int32_t i = 0; i < initial->particle_count; i++) {
        const nb_vec3 rest = initial->particles[i].position;
        gap = fmin(gap, x[3 * (int64_t)i + 2]);
        if (initial->particles[i].kind != NB_BODY_KINEMATIC) continue;
        off = fmax(off, fabs(x[3 * (int64_t)i + 2] - height - (rest.z - p[RADIUS] - p[TUBE]) * cos(angle) +
                             rest.x * sin(angle)));
    }
    nb_checks_add(checks, "volume of the cavity at first", "m^3", nb_world_cavity_volume(initial, 0), known,
                  1e-9 * known);
    nb_checks_add_below(checks, "height of the rim off its motion", "m", off, 1e-9 * p[RADIUS]);
    nb_checks_add_below(checks, "depth below the ground", "m", -gap, 0.1 * p[THICKNESS]);
}

const nb_scenario_class nb_tyre = {
    .name = "tyre",
    .summary = "an inflated tire on a rim that presses it down and turns",
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .size_parameter = ALONG,
    .checks_springs = 1,
    .paper = &nb_paper_larionov,
    .time_step = 0.00125,
    .steps = 40,
    .newton_iterations = 40,
    .linear_iterations = 40,
    .build = build,
    .check = check,
};
