/* A row of n four-bar loops on the ground, of bars of 0.1 m and 1 kg whose joints turn by 45 degrees to either side
 * (after Kamino's boxes_fourbar, Tsounis et al. 2025). Neighbours share an upright. All shear under gravity until their
 * joints are at the limit. Each loop has three redundant rows. */
#include <math.h>

#include "base/largest.h"
#include "linkage.h"
#include "model/coordinate.h"

enum {
    COUNT,
    LEAN,
    FRICTION,
    MASS
};

static const nb_option parameters[] = {
    [COUNT] = {"count", "1", 4, 1, 1000, 1, NULL, "loops"},
    [LEAN] = {"lean", "rad", 0.1, -0.7, 0.7, 0, NULL, "of the uprights at the start"},
    [FRICTION] = {"mu", "1", 0.5, 0, 10, 0, NULL, "friction coefficient"},
    [MASS] = {"mass", "kg", 1, 1e-6, 1e6, 0, NULL, "mass of a bar"},
};

static const double length = 0.1, thick = 0.01, wide = 0.03, quarter = 0.78539816339744831; /* [m], [rad] */

/* pin i of the lower or the upper row */
static nb_vec3 pin_at(const double *p, int32_t i, int up) {
    return nb_vec3_of(length * (i + up * sin(p[LEAN])), 0, thick + length * up * cos(p[LEAN]));
}

/* a bar is a fifth shorter than its pins are apart, and so stays clear of the next one */
static nb_status add_bar(nb_world *world, const double *p, nb_vec3 from, nb_vec3 to) {
    int32_t body;
    const nb_vec3 end = nb_scale(0.1, nb_sub(to, from));
    return nb_add_bar(world, nb_add(from, end), nb_sub(to, end), wide, thick, p[MASS], p[FRICTION], 1, &body);
}

/* body 1 + i is upright i, then come the lower bars and the upper ones */
static nb_status pin(nb_world *world, const double *p, int32_t upright, int32_t bar, int up) {
    const int32_t count = (int32_t)p[COUNT];
    int32_t joint;
    nb_status status = nb_pin(world, NB_JOINT_REVOLUTE, 1 + upright, 2 + count + up * count + bar,
                              pin_at(p, upright, up), nb_vec3_of(0, 1, 0), &joint);
    if (status != NB_OK) return status;
    world->joints[joint].limited = 1;
    world->joints[joint].limits[0] = -quarter - p[LEAN];
    world->joints[joint].limits[1] = quarter - p[LEAN];
    return NB_OK;
}

static nb_status build(const double *p, uint64_t seed, nb_world **world) {
    nb_status status;
    const int32_t count = (int32_t)p[COUNT];
    int32_t body;
    (void)seed; /* nothing is random here */
    NB_TRY(nb_world_create(world));
    (*world)->settings.contact_margin = 0.002;
    NB_TRY(nb_add_ground(*world, p[FRICTION], nb_quat_identity(), &body));
    for (int32_t i = 0; i <= count; i++) NB_TRY(add_bar(*world, p, pin_at(p, i, 0), pin_at(p, i, 1)));
    for (int up = 0; up < 2; up++)
        for (int32_t i = 0; i < count; i++) NB_TRY(add_bar(*world, p, pin_at(p, i, up), pin_at(p, i + 1, up)));
    for (int32_t i = 0; i < count; i++)
        for (int k = 0; k < 4; k++) NB_TRY(pin(*world, p, i + k % 2, i, k / 2));
    return NB_OK;
out:
    nb_world_destroy(*world);
    *world = NULL;
    return status;
}

static nb_quat turn_at(const nb_snapshot *final, int32_t body) {
    const double *q = final->q + 7 * (int64_t)body;
    return (nb_quat){q[3], q[4], q[5], q[6]};
}

static nb_vec3 position_at(const nb_snapshot *final, int32_t body) {
    const double *q = final->q + 7 * (int64_t)body;
    return nb_vec3_of(q[0], q[1], q[2]);
}

static void check(const double *p, const nb_world *initial, const nb_snapshot *final, nb_checks *checks) {
    const int32_t count = (int32_t)p[COUNT];
    double beyond = 0;
    int along;
    nb_check_freedoms(initial, count + 6, 3 * count, checks);
    nb_check_joints(initial, final, length * count, checks);
    nb_check_ground(initial, final, checks);
    nb_check_energy(initial, final, nb_weight(initial) * length, 0.02, checks);
    if (!nb_takes_all_back(initial)) return;
    for (int32_t i = 0; i < initial->joint_count; i++) {
        const int32_t a = initial->joints[i].body_a, b = initial->joints[i].body_b;
        nb_raise(&beyond, nb_limit_crossed(initial, i, 0, position_at(final, a), turn_at(final, a),
                                           position_at(final, b), turn_at(final, b), &along));
    }
    nb_checks_add_below(checks, "joints beyond 45 degrees", "rad", beyond, 1e-4);
}

const nb_scenario_class nb_loop_chain = {
    .name = "loop-chain",
    .summary = "a row of four-bar loops that shear to their joints' limits",
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .size_parameter = COUNT,
    .checks_all = 1,
    .time_step = 0.005,
    .steps = 100,
    .newton_iterations = 50,
    .linear_iterations = 200,
    .build = build,
    .check = check,
};
