/* A delta robot (Clavel 1988; the measures are ours): three arms that motors turn, and between each and the platform
 * two rods that make a parallelogram, so that the platform does not turn. Where the arms are is known, and so the
 * platform: it is at the distance of a rod from three points.
 *
 * Rods are free to spin. Backward Euler makes them, by h (I/I_axis)/2 times the rate at which their direction turns in
 * a cone, and fast spins are not solved: 346, 190, 97, 49 rad/s after 0.6 s with a period of 0.2 s and steps of 5
 * ms, 2.5 ms and so on. */
#include <math.h>

#include "linkage.h"

enum {
    SWING,
    PERIOD,
    PLATFORM,
    ROD
};

static const nb_option parameters[] = {
    [SWING] = {"swing", "rad", 0.3, 0, 0.6, 0, NULL, "how far arms turn to and fro"},
    [PERIOD] = {"period", "s", 1, 0.3, 100, 0, NULL, "of this motion"},
    [PLATFORM] = {"platform-mass", "kg", 1, 1e-3, 1e3, 0, NULL, "mass of the platform"},
    [ROD] = {"rod-mass", "kg", 0.05, 1e-4, 1e3, 0, NULL, "mass of a rod; of an arm four times as much"},
};

enum {
    ARMS = 3,
    RODS = 6
};

/* of the base, an arm, a rod and the platform; half of what rods of a pair are apart; of arms below the horizontal */
static const double base = 0.2, arm = 0.2, rod = 0.4, platform = 0.06, apart = 0.04, mean = 0.3;
static const double PI = 3.14159265358979323846;

static nb_vec3 outwards(int k) {
    return nb_vec3_of(cos(2 * PI * k / ARMS), sin(2 * PI * k / ARMS), 0);
}

static nb_vec3 sideways(int k) {
    return nb_cross(nb_vec3_of(0, 0, 1), outwards(k));
}

static nb_vec3 elbow(int k, double angle) {
    return nb_add_scaled(nb_vec3_of(0, 0, -arm * sin(angle)), base + arm * cos(angle), outwards(k));
}

/* of arm k at time t; motion [2]: swing and period */
static double angle_at(const double *motion, int k, double t) {
    const double begun = 1 - exp(-4 * t / motion[1]);
    return mean + motion[0] * begun * begun * sin(2 * PI * (t / motion[1] + (double)k / ARMS));
}

/* the platform's centre, the lower of the two points that are a rod's length from all three centres */
static nb_vec3 platform_at(const double angles[ARMS]) {
    nb_vec3 c[ARMS];
    for (int k = 0; k < ARMS; k++) c[k] = nb_add_scaled(elbow(k, angles[k]), -platform, outwards(k));
    const nb_vec3 first = nb_sub(c[1], c[0]), second = nb_sub(c[2], c[0]), x = nb_normalized(first);
    const double d = nb_norm(first), i = nb_dot(x, second);
    const nb_vec3 y = nb_normalized(nb_add_scaled(second, -i, x)), z = nb_cross(x, y);
    const double j = nb_dot(y, second), u = 0.5 * d, v = (i * i + j * j) / (2 * j) - i * u / j;
    const double w = sqrt(rod * rod - u * u - v * v) * (z.z > 0 ? -1 : 1);
    return nb_add_scaled(nb_add_scaled(nb_add_scaled(c[0], u, x), v, y), w, z);
}

static void move(nb_world *world, double h) {
    for (int k = 0; k < ARMS; k++) {
        world->motors[k].target = angle_at(world->prescribed, k, world->time + h) - mean;
        world->motors[k].rate = (world->motors[k].target + mean - angle_at(world->prescribed, k, world->time)) / h;
    }
}

/* arm k is body 3 k, its rods the next two; the platform is the last */
static nb_status add_leg(nb_world *world, const double *p, int k, nb_vec3 centre) {
    nb_status status;
    const nb_vec3 from = elbow(k, mean), to = nb_add_scaled(centre, platform, outwards(k));
    int32_t body;
    NB_TRY(nb_add_bar(world, nb_scale(base, outwards(k)), from, 0.015, 0.015, 4 * p[ROD], 0, 0, &body));
    for (int side = -1; side <= 1; side += 2)
        NB_TRY(nb_add_bar(world, nb_add_scaled(from, side * apart, sideways(k)),
                          nb_add_scaled(to, side * apart, sideways(k)), 0.01, 0.01, p[ROD], 0, 0, &body));
out:
    return status;
}

static nb_status join_leg(nb_world *world, int k, nb_vec3 centre) {
    nb_status status;
    const nb_vec3 x = nb_vec3_of(1, 0, 0), from = elbow(k, mean), to = nb_add_scaled(centre, platform, outwards(k));
    int32_t joint;
    NB_TRY(nb_pin_motor(world, 3 * k, -1, nb_scale(base, outwards(k)), sideways(k)));
    for (int side = 0; side < 2; side++) {
        const double aside = side ? apart : -apart;
        const int32_t own = 3 * k + 1 + side;
        NB_TRY(nb_pin(world, NB_JOINT_SPHERICAL, own, 3 * k, nb_add_scaled(from, aside, sideways(k)), x, &joint));
        NB_TRY(nb_pin(world, NB_JOINT_SPHERICAL, 3 * ARMS, own, nb_add_scaled(to, aside, sideways(k)), x, &joint));
    }
out:
    return status;
}

static nb_status build(const double *p, uint64_t seed, nb_world **world) {
    nb_status status;
    const double angles[ARMS] = {mean, mean, mean};
    const nb_vec3 centre = platform_at(angles);
    int32_t shape, body;
    (void)seed; /* nothing is random here */
    NB_TRY(nb_world_create(world));
    for (int k = 0; k < ARMS; k++) NB_TRY(add_leg(*world, p, k, centre));
    NB_TRY(nb_add_box_shape(*world, nb_vec3_of(platform, platform, 0.01), &shape));
    NB_TRY(nb_world_add_solid(*world, NB_BODY_DYNAMIC, shape, p[PLATFORM], 0, centre, nb_quat_identity(), &body));
    (*world)->bodies[body].shape = -1;
    for (int k = 0; k < ARMS; k++) NB_TRY(join_leg(*world, k, centre));
    (*world)->prescribed[0] = p[SWING];
    (*world)->prescribed[1] = p[PERIOD];
    (*world)->prescribe = move;
    return NB_OK;
out:
    nb_world_destroy(*world);
    *world = NULL;
    return status;
}

static void check(const double *p, const nb_world *initial, const nb_snapshot *final, nb_checks *checks) {
    const double *q = final->q + 7 * 3 * (int64_t)ARMS;
    double angles[ARMS];
    for (int k = 0; k < ARMS; k++) angles[k] = angle_at(p, k, final->time);
    const nb_vec3 off = nb_sub(nb_vec3_of(q[0], q[1], q[2]), platform_at(angles));
    nb_check_freedoms(initial, RODS, 0, checks); /* each rod turns about itself */
    nb_check_joints(initial, final, rod, checks);
    if (!nb_takes_all_back(initial)) return;
    nb_checks_add_below(checks, "platform from where arms hold it", "m", nb_norm(off), 1e-3);
    nb_checks_add_below(checks, "rotation of the platform", "rad", 2 * hypot(hypot(q[4], q[5]), q[6]), 1e-3);
}

const nb_scenario_class nb_delta = {
    .name = "delta",
    .summary = "a delta robot, whose platform three motors move",
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .size_parameter = -1,
    .checks_all = 1,
    .time_step = 0.005,
    .steps = 200,
    .newton_iterations = 30,
    .linear_iterations = 100,
    .build = build,
    .check = check,
};
