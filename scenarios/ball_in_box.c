/* A soft ball that spins in a box of soft walls, whose floor is fixed (after Larionov et al. 2023, fig. 6, "Ball in a
 * box"). Materials, friction, the ball's spin and its velocity are the paper's, whose y points up; sizes, meshes and
 * the axis of the spin, which is across the motion, are ours. The spin of a ball of the paper's stiffness E bounds its
 * radius: density (spin radius)^2 stays below E for less than 2 cm. */
#include <math.h>

#include "base/memory.h"
#include "papers.h"
#include "soft.h"

enum {
    RADIUS,
    SHELLS,
    CELLS,
    SPIN,
    ALONG,
    UP,
    FRICTION,
    MATERIAL,
    BALL_YOUNG,
    BOX_YOUNG
};

static const nb_option parameters[] = {
    [RADIUS] = {"radius", "m", 0.01, 1e-4, 1, 0, NULL, "of the ball; walls are as thick, and four times it apart"},
    [SHELLS] = {"shells", "1", 1, 1, 12, 1, NULL, "of the ball: 20 times its cube tetrahedra"},
    [CELLS] = {"cells", "1", 1, 1, 4, 1, NULL, "of the box, along the thickness of a wall"},
    [SPIN] = {"spin", "1/min", 4800, -1e5, 1e5, 0, NULL, "of the ball at first, about y"},
    [ALONG] = {"along", "m/s", -0.923, -100, 100, 0, NULL, "velocity of the ball at first along x"},
    [UP] = {"up", "m/s", -0.385, -100, 100, 0, NULL, "and upwards"},
    [FRICTION] = {"mu", "1", 0.1, 0, 10, 0, NULL, "friction coefficient"},
    [MATERIAL] = {"material", "", NB_MATERIAL_NEO_HOOKEAN, 0, 0, 0, nb_material_names, "of ball and box"},
    [BALL_YOUNG] = {"ball-young", "Pa", 5e4, 1e3, 1e12, 0, NULL, "Young's modulus of the ball"},
    [BOX_YOUNG] = {"box-young", "Pa", 5e5, 1e3, 1e12, 0, NULL, "and of the box"},
};

enum {
    WIDE = 6 /* of the box, in thicknesses of its walls */
};

/* a box's lattice */
typedef struct lattice {
    int32_t cells, wall; /* along an edge, and of a wall */
    int32_t *particle;   /* [cells + 1]^3, -1: none */
} lattice;

static int in_wall(const lattice *of, const int32_t cell[3]) {
    for (int a = 0; a < 3; a++)
        if (cell[a] < of->wall || cell[a] >= of->cells - of->wall) return 1;
    return 0;
}

/* the corner of the lattice by its three places; the particle is made where it is first asked for */
static nb_status corner_of(nb_world *world, lattice *of, const int32_t at[3], double edge, int32_t *index) {
    nb_status status = NB_OK;
    const int32_t row = of->cells + 1;
    int32_t *known = &of->particle[(at[2] * row + at[1]) * row + at[0]];
    if (*known < 0) {
        const nb_particle particle = {
            .kind = at[2] == 0 ? NB_BODY_FIXED : NB_BODY_DYNAMIC,
            .mass = 1,
            .position = nb_vec3_of(edge * (at[0] - 0.5 * of->cells), edge * (at[1] - 0.5 * of->cells), edge * at[2])};
        status = nb_world_add_particle(world, &particle, known);
    }
    *index = *known;
    return status;
}

/* five tetrahedra, as in boxes of nb_world_add_soft_box; corners by their bits x, y, z */
static nb_status add_cell(nb_world *world, lattice *of, const int32_t cell[3], double edge) {
    static const int corner[5][4] = {{0, 3, 5, 6}, {1, 0, 3, 5}, {2, 0, 3, 6}, {4, 0, 5, 6}, {7, 3, 5, 6}};
    nb_status status = NB_OK;
    for (int t = 0; t < 5; t++) {
        int32_t index, particle[4];
        for (int a = 0; a < 4; a++) {
            const int bits = corner[t][a] ^ ((cell[0] + cell[1] + cell[2]) % 2);
            const int32_t at[3] = {cell[0] + (bits & 1), cell[1] + (bits >> 1 & 1), cell[2] + (bits >> 2)};
            NB_TRY(corner_of(world, of, at, edge, &particle[a]));
        }
        NB_TRY(nb_world_add_tetrahedron(world, particle, 0, NULL, &index));
    }
out:
    return status;
}

static nb_status add_box(nb_world *world, const double *p) {
    nb_status status;
    lattice of = {WIDE * (int32_t)p[CELLS], (int32_t)p[CELLS], NULL};
    const int64_t corners = (int64_t)(of.cells + 1) * (of.cells + 1) * (of.cells + 1);
    nb_soft_part part = {0};
    NB_TRY(NB_ALLOCATE(corners, &of.particle));
    for (int64_t i = 0; i < corners; i++) of.particle[i] = -1;
    for (int32_t i = 0; i < of.cells * of.cells * of.cells; i++) {
        const int32_t cell[3] = {i % of.cells, i / of.cells % of.cells, i / (of.cells * of.cells)};
        if (in_wall(&of, cell)) NB_TRY(add_cell(world, &of, cell, p[RADIUS] / p[CELLS]));
    }
    part.particle_count = world->particle_count;
    part.tetrahedron_count = world->tetrahedron_count;
    nb_soft_part_set_masses(world, &part);
    nb_soft_part_set_skin(world, &part, p[FRICTION], 0);
out:
    nb_free(of.particle);
    return status;
}

static nb_status add_ball(nb_world *world, const double *p) {
    nb_status status;
    const nb_vec3 middle = nb_vec3_of(0, 0, 0.5 * WIDE * p[RADIUS]);
    const nb_vec3 spin = nb_vec3_of(0, p[SPIN] * acos(-1.0) / 30, 0);
    nb_soft_part part;
    NB_TRY(nb_world_add_soft_ball(world, 1, middle, p[RADIUS], (int32_t)p[SHELLS], &part));
    nb_soft_part_set_skin(world, &part, p[FRICTION], 0);
    for (int32_t i = part.first_particle; i < part.first_particle + part.particle_count; i++)
        world->particles[i].velocity =
            nb_add(nb_vec3_of(p[ALONG], 0, p[UP]), nb_cross(spin, nb_sub(world->particles[i].position, middle)));
out:
    return status;
}

static nb_status build(const double *p, uint64_t seed, nb_world **world) {
    nb_status status;
    const nb_material box = {(nb_material_kind)p[MATERIAL], p[BOX_YOUNG], 0.1, 10000},
                      ball = {(nb_material_kind)p[MATERIAL], p[BALL_YOUNG], 0.45, 500};
    int32_t index;
    (void)seed; /* nothing is random here */
    *world = NULL;
    NB_TRY(nb_world_create(world));
    (*world)->settings.contact_margin = 0.1 * p[RADIUS];
    NB_TRY(nb_world_add_material(*world, &box, &index));
    NB_TRY(nb_world_add_material(*world, &ball, &index));
    NB_TRY(add_box(*world, p));
    NB_TRY(add_ball(*world, p));
    return NB_OK;
out:
    nb_world_destroy(*world);
    *world = NULL;
    return status;
}

/* The ball's particles are behind the box's, which has as many as corners that are not within the hole. */
static int32_t box_particles(const double *p) {
    const int32_t cells = WIDE * (int32_t)p[CELLS], hole = cells - 2 * (int32_t)p[CELLS];
    return (cells + 1) * (cells + 1) * (cells + 1) - (hole - 1) * (hole - 1) * (hole - 1);
}

/* What touches the ball changes its momentum, but for its weight, and it stays in the box; and what the box is made of
 * has the volume of six walls. */
static void check(const double *p, const nb_world *initial, const nb_snapshot *final, nb_checks *checks) {
    const int32_t first = box_particles(p), count = initial->particle_count - first;
    const nb_soft_state ball = nb_soft_state_of(initial, final, first, count);
    const nb_vec3 force = nb_force_on_particles(final, first, count, -1);
    const double weight = ball.mass * nb_norm(initial->gravity), hard = nb_norm(ball.rate) + weight;
    const double wide = WIDE * p[RADIUS], hole = (WIDE - 2) * p[RADIUS], half = 0.5 * hole;
    double volume = 0;
    for (int32_t i = 0; i < initial->tetrahedron_count; i++)
        if (initial->tetrahedra[i].material == 0) volume += initial->tetrahedra[i].rest.volume;
    nb_checks_add(checks, "volume of the walls", "m^3", volume, wide * wide * wide - hole * hole * hole,
                  1e-9 * wide * wide * wide);
    nb_checks_add(checks, "force on the ball along x", "N", force.x, ball.rate.x, 1e-6 * hard);
    nb_checks_add(checks, "force on the ball upwards", "N", force.z, weight + ball.rate.z, 1e-6 * hard);
    nb_checks_add_below(checks, "middle of the ball out of the hole's middle", "m",
                        fmax(fabs(ball.middle.x), fabs(ball.middle.z - 0.5 * wide)), half);
}

const nb_scenario_class nb_ball_in_box = {
    .name = "ball-in-box",
    .summary = "a soft ball that spins bounces in a box of soft walls",
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .size_parameter = SHELLS,
    .checks_springs = 1,
    .paper = &nb_paper_larionov,
    .time_step = 0.001,
    .steps = 50,
    .newton_iterations = 40,
    .linear_iterations = 40,
    .build = build,
    .check = check,
};
