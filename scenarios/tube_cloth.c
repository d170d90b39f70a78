/* A tube of cloth on a soft rod that is bent, as a sleeve on an elbow (after Larionov et al. 2023, fig. 7, table I,
 * "Tube cloth bend"). The rod is a prism of tetrahedra, one end of which is fixed and the other led about the middle;
 * the cloth is of triangles with springs along their edges, which nothing holds flat. Friction coefficients and the
 * compression that the rod may have are the paper's; its capsule and garment are other meshes, and sizes, materials and
 * motion are ours. */
#include <math.h>

#include "base/memory.h"
#include "papers.h"
#include "robot.h"
#include "soft.h"

enum {
    SECTIONS,
    AROUND,
    ANGLE,
    DURATION,
    COMPRESSION,
    FRICTION,
    MATERIAL,
    YOUNG,
    POISSON,
    DENSITY,
    STIFFNESS,
    CLOTH_DENSITY
};

static const nb_option parameters[] = {
    [SECTIONS] = {"sections", "1", 6, 4, 100, 1, NULL, "of the rod along its length, of three tetrahedra a wedge"},
    [AROUND] = {"around", "1", 6, 3, 100, 1, NULL, "wedges of the rod; the cloth has twice as many cells around"},
    [ANGLE] = {"angle", "rad", 0.8, -2, 2, 0, NULL, "by which the rod is bent in the end"},
    [DURATION] = {"duration", "s", 0.2, 1e-4, 100, 0, NULL, "in which it is"},
    [COMPRESSION] = {"compression", "1/atm", 1e9, 1e-9, 1e9, 0, NULL,
                     "of the rod's volume, by a quadratic law added to its elasticity"},
    [FRICTION] = {"mu", "1", 0.2, 0, 10, 0, NULL, "friction coefficient"},
    [MATERIAL] = {"material", "", NB_MATERIAL_NEO_HOOKEAN, 0, 0, 0, nb_material_names, "of the rod"},
    [YOUNG] = {"young", "Pa", 1e5, 1e3, 1e12, 0, NULL, "Young's modulus"},
    [POISSON] = {"poisson", "1", 0.4, -0.9, 0.4999, 0, NULL, "Poisson's ratio"},
    [DENSITY] = {"density", "kg/m^3", 1000, 1, 1e5, 0, NULL, "density"},
    [STIFFNESS] = {"stiffness", "N/m", 100, 1e-3, 1e9, 0, NULL, "of the cloth's springs"},
    [CLOTH_DENSITY] = {"cloth-density", "kg/m^2", 0.3, 1e-3, 1e3, 0, NULL, "of the cloth"},
};

/* length and radius of the rod, from where to where the cloth is on it, over the length, and how far from it [m] */
static const double LENGTH = 0.3, RADIUS = 0.04, FROM = 0.2, TO = 0.8, AWAY = 1.5e-3;

static double pi(void) {
    return acos(-1.0);
}

/* kept in prescribed: angle and duration */
static void bend(nb_world *world, double h) {
    double rate;
    const double angle = world->prescribed[0] * nb_ramp(world->time + h, 0, world->prescribed[1], &rate);
    const nb_quat turn = nb_quat_about(nb_vec3_of(0, 1, 0), angle);
    const nb_vec3 middle = nb_vec3_of(LENGTH / 2, 0, 0);
    for (int32_t i = 0; i < world->particle_count; i++) {
        nb_particle *of = &world->particles[i];
        if (of->kind != NB_BODY_KINEMATIC) continue;
        const nb_vec3 to = nb_add(middle, nb_quat_rotate(turn, nb_sub(of->rest, middle)));
        of->velocity = nb_scale(1 / h, nb_sub(to, of->position));
    }
}

/* ---- the rod: section i has its centre and then its corners ---- */

static int32_t rod_particles(const double *p) {
    return ((int32_t)p[SECTIONS] + 1) * ((int32_t)p[AROUND] + 1);
}

static nb_status add_rod_particles(nb_world *world, const double *p) {
    nb_status status = NB_OK;
    const int32_t sections = (int32_t)p[SECTIONS], around = (int32_t)p[AROUND];
    for (int32_t i = 0; i <= sections; i++)
        for (int32_t j = -1; j < around; j++) {
            const double a = 2 * pi() * j / around, r = j < 0 ? 0 : RADIUS;
            const nb_particle particle = {.kind = i == 0          ? NB_BODY_FIXED
                                                  : i == sections ? NB_BODY_KINEMATIC
                                                                  : NB_BODY_DYNAMIC,
                                          .mass = 1,
                                          .position = nb_vec3_of(LENGTH * i / sections, r * cos(a), r * sin(a))};
            int32_t index;
            NB_TRY(nb_world_add_particle(world, &particle, &index));
        }
out:
    return status;
}

/* a wedge between two sections as three tetrahedra, cut so that neighbours fit: from low numbers to high ones */
static nb_status add_wedge(nb_world *world, int32_t a, int32_t b, int32_t c, int32_t next) {
    nb_status status = NB_OK;
    const int32_t low = b < c ? b : c, high = b < c ? c : b;
    const int32_t corners[3][4] = {
        {a, low, high, high + next}, {a, low + next, low, high + next}, {a, a + next, low + next, high + next}};
    for (int t = 0; t < 3; t++) {
        int32_t index, own[4] = {corners[t][0], corners[t][1], corners[t][2], corners[t][3]};
        if (b > c) own[1] = corners[t][2], own[2] = corners[t][1];
        NB_TRY(nb_world_add_tetrahedron(world, own, 0, NULL, &index));
    }
out:
    return status;
}

/* the triangles around the rod and of its ends, counter-clockwise seen from outside */
static void list_skin(const double *p, int32_t *next) {
    const int32_t sections = (int32_t)p[SECTIONS], around = (int32_t)p[AROUND], row = around + 1;
    for (int32_t j = 0; j < around; j++) {
        const int32_t b = 1 + j, c = 1 + (j + 1) % around, low = b < c ? b : c, high = b < c ? c : b,
                      end = sections * row;
        const int32_t caps[6] = {0, c, b, end, end + b, end + c};
        for (int k = 0; k < 6; k++) *next++ = caps[k];
        for (int32_t i = 0; i < sections; i++) {
            const int32_t at = i * row;
            const int32_t one[6] = {at + low, at + high, at + high + row, at + low, at + high + row, at + low + row};
            const int32_t other[6] = {at + low, at + high + row, at + high, at + low, at + low + row, at + high + row};
            for (int k = 0; k < 6; k++) *next++ = b < c ? one[k] : other[k];
        }
    }
}

static nb_status add_rod(nb_world *world, const double *p) {
    nb_status status;
    const int32_t sections = (int32_t)p[SECTIONS], around = (int32_t)p[AROUND], row = around + 1;
    const int32_t triangles = 2 * around * (sections + 1);
    int32_t index, *skin = NULL;
    nb_soft_part part = {0};
    NB_TRY(NB_ALLOCATE(3 * (int64_t)triangles, &skin));
    NB_TRY(add_rod_particles(world, p));
    for (int32_t i = 0; i < sections; i++)
        for (int32_t j = 0; j < around; j++)
            NB_TRY(add_wedge(world, i * row, i * row + 1 + j, i * row + 1 + (j + 1) % around, row));
    part.particle_count = world->particle_count;
    part.tetrahedron_count = world->tetrahedron_count;
    nb_soft_part_set_masses(world, &part);
    nb_soft_part_set_skin(world, &part, p[FRICTION], 0);
    list_skin(p, skin);
    const nb_cavity surface = {triangles, skin};
    NB_TRY(nb_world_add_cavity(world, &surface, NB_VOLUME_QUADRATIC, p[COMPRESSION], 0, &index));
out:
    nb_free(skin);
    return status;
}

/* ---- the cloth: particle k (around it) + j, behind the rod's ---- */

static int32_t cloth_cells(const double *p) {
    return 3 * (int32_t)p[AROUND] / 2; /* along the rod */
}

static nb_status add_spring(nb_world *world, const double *p, int32_t a, int32_t b) {
    int32_t index;
    const nb_vec3 apart = nb_sub(world->particles[a].position, world->particles[b].position);
    const nb_spring spring = {.particle = {a, b}, .length = nb_norm(apart), .stiffness = p[STIFFNESS]};
    return nb_world_add_spring(world, &spring, &index);
}

static nb_status add_triangle(nb_world *world, const double *p, int32_t a, int32_t b, int32_t c) {
    nb_particle *of = world->particles;
    const int32_t corner[3] = {a, b, c};
    const nb_vec3 area = nb_cross(nb_sub(of[b].position, of[a].position), nb_sub(of[c].position, of[a].position));
    int32_t index;
    for (int k = 0; k < 3; k++) of[corner[k]].mass += p[CLOTH_DENSITY] * nb_norm(area) / 6;
    return nb_world_add_triangle(world, corner, &index);
}

static nb_status add_cloth(nb_world *world, const double *p) {
    nb_status status = NB_OK;
    const int32_t first = rod_particles(p), cells = cloth_cells(p), around = 2 * (int32_t)p[AROUND];
    for (int32_t k = 0; k <= cells; k++)
        for (int32_t j = 0; j < around; j++) {
            const double a = 2 * pi() * j / around, r = RADIUS + AWAY;
            const nb_particle particle = {
                .kind = NB_BODY_DYNAMIC,
                .mass = 1,
                .friction = p[FRICTION],
                .position = nb_vec3_of(LENGTH * (FROM + (TO - FROM) * k / cells), r * cos(a), r * sin(a))};
            int32_t index;
            NB_TRY(nb_world_add_particle(world, &particle, &index));
        }
    for (int32_t i = first; i < world->particle_count; i++) world->particles[i].mass = 0;
    for (int32_t k = 0; k <= cells; k++)
        for (int32_t j = 0; j < around; j++) {
            const int32_t at = first + k * around + j, next = first + k * around + (j + 1) % around;
            NB_TRY(add_spring(world, p, at, next));
            if (k == cells) continue;
            NB_TRY(add_spring(world, p, at, at + around));
            NB_TRY(add_spring(world, p, at, next + around));
            NB_TRY(add_triangle(world, p, at, next, next + around));
            NB_TRY(add_triangle(world, p, at, next + around, at + around));
        }
out:
    return status;
}

static nb_status build(const double *p, uint64_t seed, nb_world **world) {
    nb_status status;
    const nb_material material = {(nb_material_kind)p[MATERIAL], p[YOUNG], p[POISSON], p[DENSITY]};
    int32_t index;
    (void)seed; /* nothing is random here */
    *world = NULL;
    NB_TRY(nb_world_create(world));
    (*world)->settings.contact_margin = AWAY;
    NB_TRY(nb_world_add_material(*world, &material, &index));
    NB_TRY(add_rod(*world, p));
    NB_TRY(add_cloth(*world, p));
    (*world)->prescribed[0] = p[ANGLE];
    (*world)->prescribed[1] = p[DURATION];
    (*world)->prescribe = bend;
    return NB_OK;
out:
    nb_world_destroy(*world);
    *world = NULL;
    return status;
}

/* The rod is a prism at first, and what touches the cloth carries its weight and what its momentum grows by. */
static void check(const double *p, const nb_world *initial, const nb_snapshot *final, nb_checks *checks) {
    const int32_t first = rod_particles(p), count = initial->particle_count - first;
    const double prism = 0.5 * p[AROUND] * sin(2 * pi() / p[AROUND]) * RADIUS * RADIUS * LENGTH;
    const nb_soft_state cloth = nb_soft_state_of(initial, final, first, count);
    const nb_vec3 force = nb_force_on_particles(final, first, count, -1);
    const double weight = cloth.mass * nb_norm(initial->gravity), size = weight + nb_norm(cloth.rate);
    double around = 2 * p[AROUND], r = RADIUS + AWAY;
    nb_checks_add(checks, "volume of the rod at first", "m^3", nb_world_cavity_volume(initial, 0), prism, 1e-9 * prism);
    nb_checks_add(checks, "mass of the cloth", "kg", cloth.mass,
                  p[CLOTH_DENSITY] * around * 2 * r * sin(pi() / around) * (TO - FROM) * LENGTH, 1e-9 * cloth.mass);
    nb_checks_add(checks, "force on the cloth upwards", "N", force.z, weight + cloth.rate.z, 1e-4 * size);
    nb_checks_add(checks, "force on the cloth along x", "N", force.x, cloth.rate.x, 1e-4 * size);
}

const nb_scenario_class nb_tube_cloth = {
    .name = "tube-cloth",
    .summary = "a tube of cloth on a soft rod that is bent",
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .size_parameter = AROUND,
    .checks_springs = 1,
    .paper = &nb_paper_larionov,
    .time_step = 0.005,
    .steps = 20,
    .newton_iterations = 40,
    .linear_iterations = 40,
    .build = build,
    .check = check,
};
