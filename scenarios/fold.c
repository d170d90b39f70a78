/* A sheet folded in layers, which falls on the ground and on itself: what carries it there is contacts of the sheet
 * with itself. */
#include <math.h>

#include "base/largest.h"
#include "element/energy.h"
#include "measure/infeasibility.h"
#include "model/energy.h"
#include "soft.h"

enum {
    LAYERS,
    CELLS,
    SIZE,
    THICKNESS,
    GAP,
    FRICTION,
    STIFFNESS,
    DENSITY
};

static const nb_option parameters[] = {
    [LAYERS] = {"layers", "1", 2, 1, 20, 1, NULL, "of the sheet, one on the other"},
    [CELLS] = {"cells", "1", 4, 3, 100, 1, NULL, "along an edge of a layer, of two triangles each"},
    [SIZE] = {"size", "m", 0.2, 1e-3, 10, 0, NULL, "edge of a layer"},
    [THICKNESS] = {"thickness", "1", 0.12, 0.001, 0.2, 0, NULL, "of the sheet, over a cell's edge"},
    [GAP] = {"gap", "1", 2, 1.2, 3.5, 0, NULL, "between layers at first, and to the ground, over the thickness"},
    [FRICTION] = {"mu", "1", 0.4, 0, 10, 0, NULL, "friction coefficient"},
    [STIFFNESS] = {"stiffness", "N/m", 500, 1, 1e9, 0, NULL, "of the springs along all edges of triangles"},
    [DENSITY] = {"density", "kg/m^2", 0.4, 1e-3, 1e3, 0, NULL, "density"},
};

static double cell_of(const double *p) {
    return p[SIZE] / p[CELLS];
}

static double thickness_of(const double *p) {
    return p[THICKNESS] * cell_of(p);
}

/* particles along the sheet, across all layers */
static int32_t row_of(const double *p) {
    return (int32_t)p[LAYERS] * (int32_t)p[CELLS] + 1;
}

/* From flat to folded without a stretch: a layer goes back over the one below it, and its first cell rises from that
 * one's end to its height. */
static void fold(nb_world *world, const double *p) {
    const int32_t cells = (int32_t)p[CELLS], row = row_of(p);
    const double cell = cell_of(p), pitch = (1 + p[GAP]) * thickness_of(p), rise = sqrt(cell * cell - pitch * pitch);
    double x = 0, z = (0.5 + p[GAP]) * thickness_of(p);
    for (int32_t i = 0; i < row; i++) {
        const int32_t layer = (i - 1) / cells; /* that this cell ends in */
        if (i > 0) {
            const int rises = layer > 0 && (i - 1) % cells == 0;
            x += (layer % 2 ? -1 : 1) * (rises ? rise : cell);
            z += rises ? pitch : 0;
        }
        for (int32_t j = 0; j <= cells; j++) {
            nb_vec3 *at = &world->particles[j * row + i].position;
            *at = nb_vec3_of(x, at->y, z);
        }
    }
}

static nb_status build(const double *p, uint64_t seed, nb_world **world) {
    nb_status status;
    const int32_t cells = (int32_t)p[CELLS], counts[2] = {row_of(p) - 1, cells};
    nb_soft_part part;
    int32_t index;
    (void)seed; /* nothing is random here */
    *world = NULL;
    NB_TRY(nb_world_create(world));
    (*world)->settings.contact_margin = 0.25 * thickness_of(p);
    NB_TRY(nb_add_ground(*world, p[FRICTION], nb_quat_identity(), &index));
    NB_TRY(nb_world_add_sheet(*world, nb_vec3_of(0, -p[SIZE] / 2, 0), nb_vec3_of(p[LAYERS] * p[SIZE], 0, 0),
                              nb_vec3_of(0, p[SIZE], 0), counts, p[DENSITY], p[STIFFNESS], &part));
    nb_soft_part_set_skin(*world, &part, p[FRICTION], thickness_of(p) / 2);
    fold(*world, p);
    return NB_OK;
out:
    nb_world_destroy(*world);
    *world = NULL;
    return status;
}

/* mean height of a layer without its outermost cells, where it goes over into the next */
static double height_of(const double *p, const nb_snapshot *final, int32_t layer) {
    const int32_t cells = (int32_t)p[CELLS], row = row_of(p);
    double sum = 0;
    int32_t count = 0;
    for (int32_t j = 0; j <= cells; j++)
        for (int32_t i = layer * cells + 1; i < (layer + 1) * cells; i++, count++)
            sum += final->particle_x[3 * ((int64_t)j * row + i) + 2];
    return sum / count;
}

/* of motion, springs and gravity */
static double energy_of(const nb_world *initial, const nb_snapshot *final) {
    double energy = 0, g = nb_norm(initial->gravity);
    for (int32_t s = 0; s < initial->spring_count; s++) {
        const nb_spring *of = &initial->springs[s];
        const double *a = final->particle_x + 3 * (int64_t)of->particle[0],
                     *b = final->particle_x + 3 * (int64_t)of->particle[1];
        double stretch = nb_norm(nb_vec3_of(a[0] - b[0], a[1] - b[1], a[2] - b[2])) - of->length;
        energy += of->stiffness * stretch * stretch / 2;
    }
    for (int32_t i = 0; i < initial->particle_count; i++) {
        const double *v = final->particle_v + 3 * (int64_t)i;
        energy += initial->particles[i].mass *
                  (0.5 * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) + g * final->particle_x[3 * (int64_t)i + 2]);
    }
    return energy;
}

/* The ground carries all of the sheet, layers are above each other in their order, and no edge goes through a face. */
static void check(const double *p, const nb_world *initial, const nb_snapshot *final, nb_checks *checks) {
    const nb_soft_state all = nb_soft_state_of(initial, final, 0, initial->particle_count);
    const double weight = all.mass * nb_norm(initial->gravity), thickness = thickness_of(p);
    double least = INFINITY;
    for (int32_t k = 0; k < (int32_t)p[LAYERS]; k++) {
        double height = height_of(p, final, k), below = k > 0 ? height_of(p, final, k - 1) : -thickness / 2;
        least = fmin(least, (height - below) / thickness);
    }
    nb_checks_add(checks, "force of the ground less change of momentum, over the weight", "1",
                  (nb_force_of_fixed(initial, final).z - all.rate.z) / weight, 1, 1e-6);
    nb_checks_add_below(checks, "edges through faces", "1", nb_pierced_triangles(initial, final->particle_x), 0);
    nb_checks_add_below(checks, "thickness missing between layers, at most", "1", 1 - least, 0.01);
    nb_checks_add_below(checks, "penetration over the thickness", "1", nb_penetration_of(initial, final) / thickness,
                        0.01);
    nb_checks_add_below(checks, "energy over that at first", "1",
                        energy_of(initial, final) / (nb_world_potential_energy(initial) + nb_elastic_energy(initial)),
                        1);
    /* the gaps are fallen through, and as much time again and some steps bring the sheet to rest */
    const double fall = sqrt(2 * p[LAYERS] * p[GAP] * thickness / nb_norm(initial->gravity));
    nb_check_presupposes(
        nb_checks_add_below(checks, "speed of the middle", "m/s", nb_norm(all.momentum) / all.mass, 0.01),
        final->time >= 2 * fall + 10 * final->time_step, nb_at_rest);
    nb_checks_of_motion(initial, checks->count - 1, checks);
}

const nb_scenario_class nb_fold = {
    .name = "fold",
    .summary = "a folded sheet falls on the ground and on itself",
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .size_parameter = CELLS,
    .time_step = 0.005,
    .steps = 40,
    .newton_iterations = 60,
    .linear_iterations = 400,
    .build = build,
    .check = check,
};
