/* Two mechanisms of the IFToMM Library of Computational Benchmark Problems (Gonzalez et al. 2006), of rods of 1 m and
 * 1 kg under gravity. Rows of their revolute joints are redundant, which have one degree of freedom alone; energy is
 * the measure.
 *
 *     four-bars   N + 1 upright rods on the ground, whose ends N rods couple: N parallelograms in the plane y = 0. They
 *                 start upright, the couplers at 1 m/s, and pass poses in which all rods lie on a line.
 *     bricard     Bricard's mechanism: five rods along the edges of a cube, joints across both of their rods */
#include <math.h>

#include "linkage.h"

static const double length = 1, thin = 0.005; /* [m] */

static nb_status add_rod(nb_world *world, nb_vec3 from, nb_vec3 to, double mass) {
    int32_t body;
    return nb_add_bar(world, from, to, thin, thin, mass, 0, 0, &body);
}

/* ---- four-bars ---- */

enum {
    COUNT,
    SPEED
};

static const nb_option parameters[] = {
    [COUNT] = {"count", "1", 4, 1, 1000, 1, NULL, "loops"},
    [SPEED] = {"speed", "m/s", 1, -100, 100, 0, NULL, "of the couplers at the start"},
};

static nb_vec3 end_at(int32_t i, double height) {
    return nb_vec3_of(i * length, 0, height);
}

static nb_status build_four_bars(const double *p, uint64_t seed, nb_world **world) {
    nb_status status;
    const int32_t count = (int32_t)p[COUNT];
    const nb_vec3 across = nb_vec3_of(0, 1, 0);
    int32_t joint;
    (void)seed; /* nothing is random here */
    NB_TRY(nb_world_create(world));
    for (int32_t i = 0; i <= count; i++) {
        NB_TRY(add_rod(*world, end_at(i, 0), end_at(i, length), 1));
        (*world)->bodies[i].linear_velocity = nb_vec3_of(0.5 * p[SPEED], 0, 0);
        (*world)->bodies[i].angular_velocity = nb_vec3_of(0, p[SPEED] / length, 0);
    }
    for (int32_t i = 0; i < count; i++) {
        NB_TRY(add_rod(*world, end_at(i, length), end_at(i + 1, length), 1));
        (*world)->bodies[count + 1 + i].linear_velocity = nb_vec3_of(p[SPEED], 0, 0);
    }
    for (int32_t i = 0; i <= count; i++) NB_TRY(nb_pin(*world, NB_JOINT_REVOLUTE, i, -1, end_at(i, 0), across, &joint));
    for (int32_t i = 0; i < 2 * count; i++)
        NB_TRY(nb_pin(*world, NB_JOINT_REVOLUTE, count + 1 + i / 2, i / 2 + i % 2, end_at(i / 2 + i % 2, length),
                      across, &joint));
    return NB_OK;
out:
    nb_world_destroy(*world);
    *world = NULL;
    return status;
}

static void check_four_bars(const double *p, const nb_world *initial, const nb_snapshot *final, nb_checks *checks) {
    const int32_t count = (int32_t)p[COUNT];
    nb_check_freedoms(initial, 1, 3 * count, checks);
    nb_check_joints(initial, final, length, checks);
    nb_check_energy(initial, final, nb_weight(initial) * length, 0.02, checks);
}

const nb_scenario_class nb_four_bars = {
    .name = "four-bars",
    .summary = "coupled four-bar linkages of the IFToMM benchmarks, which swing",
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .size_parameter = COUNT,
    .checks_all = 1,
    .time_step = 0.01,
    .steps = 1000,
    .newton_iterations = 30,
    .linear_iterations = 100,
    .build = build_four_bars,
    .check = check_four_bars,
};

/* ---- bricard ---- */

enum {
    RODS = 5
};

static const nb_option bricard_parameters[] = {{"mass", "kg", 1, 1e-6, 1e6, 0, NULL, "mass of a rod"}};

static nb_status build_bricard(const double *p, uint64_t seed, nb_world **world) {
    static const nb_vec3 corner[RODS + 1] = {{0, 0, 0}, {1, 0, 0}, {1, 0, -1}, {1, -1, -1}, {0, -1, -1}, {0, -1, 0}},
                                       axis[RODS + 1] = {{0, 0, 1}, {0, 1, 0}, {1, 0, 0},
                                                         {0, 0, 1}, {0, 1, 0}, {1, 0, 0}};
    nb_status status;
    int32_t joint;
    (void)seed; /* nothing is random here */
    NB_TRY(nb_world_create(world));
    for (int32_t i = 0; i < RODS; i++) NB_TRY(add_rod(*world, corner[i], corner[i + 1], *p));
    for (int32_t i = 0; i <= RODS; i++)
        NB_TRY(nb_pin(*world, NB_JOINT_REVOLUTE, i < RODS ? i : RODS - 1, i < RODS ? i - 1 : -1, corner[i], axis[i],
                      &joint));
    return NB_OK;
out:
    nb_world_destroy(*world);
    *world = NULL;
    return status;
}

static void check_bricard(const double *p, const nb_world *initial, const nb_snapshot *final, nb_checks *checks) {
    (void)p;
    nb_check_freedoms(initial, 1, 1, checks);
    nb_check_joints(initial, final, length, checks);
    nb_check_energy(initial, final, nb_weight(initial) * length, 0.02, checks);
}

const nb_scenario_class nb_bricard = {
    .name = "bricard",
    .summary = "Bricard's mechanism of the IFToMM benchmarks, which falls",
    .parameters = bricard_parameters,
    .parameter_count = 1,
    .size_parameter = -1,
    .checks_all = 1,
    .time_step = 0.01,
    .steps = 1000,
    .newton_iterations = 30,
    .linear_iterations = 100,
    .build = build_bricard,
    .check = check_bricard,
};
