/* A sheet of springs, stretched between fixed edges, sags under its weight (paper, section 8.3 and fig. 12). */
#include <math.h>

#include "base/random.h"
#include "common.h"
#include "papers.h"

enum {
    COUNT,
    STRETCH,
    STIFFNESS,
    MASS,
    SPACING,
    NOISE
};

static const nb_option parameters[] = {
    [COUNT] = {"count", "1", 20, 3, 1000, 1, NULL, "particles along an edge; those of all four edges are fixed"},
    [STRETCH] = {"stretch", "1", 2, 0.5, 10, 0, NULL, "distance of particles over the rest length of springs"},
    [STIFFNESS] = {"stiffness", "N/m", 30, 1e-3, 1e9, 0, NULL, "of a spring"},
    [MASS] = {"mass", "kg", 0.01, 1e-6, 1e3, 0, NULL, "of a particle"},
    [SPACING] = {"rest-length", "m", 0.05, 1e-3, 1e2, 0, NULL, "of a spring"},
    [NOISE] = {"noise", "1", 0.1, 0, 1, 0, NULL,
               "how far particles begin off the plane, at most, over the rest length"},
};

/* none between two that are fixed */
static nb_status add_spring(nb_world *world, const double *p, int32_t a, int32_t b) {
    const nb_spring spring = {{a, b}, p[SPACING], p[STIFFNESS]};
    int32_t index;
    if (world->particles[a].kind == NB_BODY_FIXED && world->particles[b].kind == NB_BODY_FIXED) return NB_OK;
    return nb_world_add_spring(world, &spring, &index);
}

static nb_status build(const double *p, uint64_t seed, nb_world **world) {
    nb_status status;
    const int32_t n = (int32_t)p[COUNT];
    int32_t index;
    *world = NULL;
    NB_TRY(nb_world_create(world));
    (*world)->settings.contact_margin = 0.01 * p[SPACING];
    for (int32_t y = 0; y < n; y++)
        for (int32_t x = 0; x < n; x++) {
            int edge = x == 0 || y == 0 || x == n - 1 || y == n - 1;
            double off = edge ? 0 : p[NOISE] * p[SPACING] * nb_random_uniform(&seed, -1, 1);
            const nb_particle particle = {
                .kind = edge ? NB_BODY_FIXED : NB_BODY_DYNAMIC,
                .mass = p[MASS],
                .position = {p[STRETCH] * p[SPACING] * x, p[STRETCH] * p[SPACING] * y, off},
            };
            NB_TRY(nb_world_add_particle(*world, &particle, &index));
        }
    for (int32_t y = 0; y < n; y++)
        for (int32_t x = 0; x < n; x++) {
            if (x + 1 < n) NB_TRY(add_spring(*world, p, y * n + x, y * n + x + 1));
            if (y + 1 < n) NB_TRY(add_spring(*world, p, y * n + x, (y + 1) * n + x));
        }
    return NB_OK;
out:
    nb_world_destroy(*world);
    *world = NULL;
    return status;
}

/* the sum of the springs' forces on edges in the last step: the weight of what hangs there, and what moves it */
static void check(const double *p, const nb_world *initial, const nb_snapshot *final, nb_checks *checks) {
    const int32_t n = (int32_t)p[COUNT];
    nb_vec3 held = {0, 0, 0}, moved = {0, 0, 0};
    for (int32_t s = 0; s < initial->spring_count; s++) {
        const int32_t *end = initial->springs[s].particle;
        const double *a = final->particle_x + 3 * (int64_t)end[0], *b = final->particle_x + 3 * (int64_t)end[1];
        nb_vec3 apart = nb_vec3_of(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
        double pull = p[STIFFNESS] * (p[SPACING] - nb_norm(apart)); /* by Hooke's law, not the multipliers */
        for (int k = 0; k < 2; k++)
            if (initial->particles[end[k]].kind == NB_BODY_FIXED)
                held = nb_add_scaled(held, k ? -pull : pull, nb_normalized(apart));
    }
    for (int32_t i = 0; i < final->particles; i++) {
        const double *v = final->particle_v + 3 * (int64_t)i, *before = final->particle_v_before + 3 * (int64_t)i;
        if (initial->particles[i].kind != NB_BODY_DYNAMIC) continue;
        moved = nb_add_scaled(moved, p[MASS] / final->time_step,
                              nb_vec3_of(v[0] - before[0], v[1] - before[1], v[2] - before[2]));
    }
    double weight = p[MASS] * (n - 2) * (n - 2) * nb_norm(initial->gravity);
    nb_checks_add(checks, "force on the edges and change of momentum over the weight", "1", (moved.z + held.z) / weight,
                  -1, 1e-6);
}

const nb_scenario_class nb_sheet = {
    .name = "sheet",
    .summary = "a stretched sheet of springs sags under its weight",
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .size_parameter = COUNT,
    .paper = &nb_paper_macklin,
    .time_step = 0.01,
    .steps = 20,
    .newton_iterations = 60,
    .linear_iterations = 1000,
    .build = build,
    .check = check,
};
