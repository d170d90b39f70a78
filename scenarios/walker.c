/* A robot with six legs and twelve motors that walks (Tasora and Anitescu 2009, section 3.1: 37 parts, mu = 0.6, h =
 * 0.01 s; its measures and its gait are our choice). A leg has six links: a hip that a motor turns about the vertical,
 * a horn on it that a motor lifts, an arm on that, a rod below the arm that makes a parallelogram with it, the shank,
 * which so stays upright, and a foot. Motors do not give way: each holds its angle at the end of a step. */
#include <math.h>

#include "model/drive.h"
#include "planar.h"

enum {
    FRICTION,
    PERIOD,
    SWING,
    LIFT,
    TORSO
};

static const nb_option parameters[] = {
    [FRICTION] = {"mu", "1", 0.6, 0, 10, 0, NULL, "friction coefficient"},
    [PERIOD] = {"period", "s", 0.8, 0.05, 100, 0, NULL, "of the gait: three legs at a time"},
    [SWING] = {"swing", "rad", 0.3, 0, 0.8, 0, NULL, "how far hips turn to and fro"},
    [LIFT] = {"lift", "rad", 0.3, 0, 0.8, 0, NULL, "how far legs are lifted"},
    [TORSO] = {"mass", "kg", 1, 1e-3, 1e4, 0, NULL, "mass of the torso"},
};

enum {
    HIP,
    HORN,
    ARM,
    ROD,
    SHANK,
    FOOT,
    LINKS,
    LEGS = 6,
    FIRST = 2 /* bodies before the legs: ground and torso */
};

static const double PI = 3.14159265358979323846;
static const double margin = 0.002, foot = 0.015, height = 0.115, out_of_hip = 0.08, length = 0.07, apart = 0.03;

/* a link's box, and how far from the torso's middle and above its own it is; `side` 1 is left */
typedef struct part {
    nb_vec3 half;
    double aside, above, mass;
} part;

/* each motor with the link that it moves */
static const part parts[LINKS] = {
    [HIP] = {{0.02, 0.012, 0.025}, 0.068, 0, 0.06},         [HORN] = {{0.02, 0.01, 0.01}, 0.095, 0.015, 0.06},
    [ARM] = {{0.015, 0.02, 0.008}, 0.125, 0.015, 0.05},     [ROD] = {{0.01, 0.03, 0.006}, 0.115, -0.015, 0.04},
    [SHANK] = {{0.012, 0.008, 0.045}, 0.15, -0.0275, 0.05}, [FOOT] = {{0, 0, 0}, 0.15, -0.1, 0.04},
};

/* in x along the torso, and sideways from it */
static nb_vec3 spot(int leg, double aside, double above) {
    const int pair = leg / 2;
    return nb_vec3_of(0.1 * (pair - 1), (leg % 2 ? 1 : -1) * aside, height + above);
}

static nb_status add_links(nb_world *world, const double *p) {
    nb_status status;
    int32_t shape[LINKS], body;
    for (int i = 0; i < FOOT; i++) NB_TRY(nb_add_box_shape(world, parts[i].half, &shape[i]));
    NB_TRY(nb_add_sphere_shape(world, foot, &shape[FOOT]));
    for (int leg = 0; leg < LEGS; leg++)
        for (int i = 0; i < LINKS; i++)
            NB_TRY(nb_world_add_solid(world, NB_BODY_DYNAMIC, shape[i], parts[i].mass, p[FRICTION],
                                      spot(leg, parts[i].aside, parts[i].above), nb_quat_identity(), &body));
out:
    return status;
}

/* rigid, at a point of leg `leg`, about the frame's x axis */
static nb_status join(nb_world *world, nb_joint_kind kind, int32_t a, int32_t b, nb_vec3 at) {
    static const double rigid[6] = {0};
    int32_t joint;
    return nb_world_add_joint_at(world, kind, a, b, at, nb_quat_identity(), rigid, &joint);
}

static nb_status join_leg(nb_world *world, int leg) {
    nb_status status;
    const nb_quat upright = nb_quat_about(nb_vec3_of(0, 1, 0), -0.5 * PI); /* takes x to z */
    const int32_t torso = FIRST - 1, first = FIRST + LINKS * leg;
    int32_t motor;
    NB_TRY(nb_world_add_motor(world, NB_JOINT_REVOLUTE, first + HIP, torso, spot(leg, 0.05, 0), upright, INFINITY, 0,
                              &motor));
    NB_TRY(nb_world_add_motor(world, NB_JOINT_REVOLUTE, first + HORN, first + HIP, spot(leg, out_of_hip, 0.5 * apart),
                              nb_quat_identity(), INFINITY, 0, &motor));
    NB_TRY(join(world, NB_JOINT_FIXED, first + ARM, first + HORN, spot(leg, 0.1, 0.5 * apart)));
    NB_TRY(join(world, NB_JOINT_REVOLUTE, first + SHANK, first + ARM, spot(leg, out_of_hip + length, 0.5 * apart)));
    NB_TRY(join(world, NB_JOINT_SPHERICAL, first + ROD, first + HIP, spot(leg, out_of_hip, -0.5 * apart)));
    NB_TRY(join(world, NB_JOINT_SPHERICAL, first + SHANK, first + ROD, spot(leg, out_of_hip + length, -0.5 * apart)));
    NB_TRY(join(world, NB_JOINT_FIXED, first + FOOT, first + SHANK, spot(leg, parts[FOOT].aside, parts[FOOT].above)));
out:
    return status;
}

/* what motor m holds at time t: of a leg its hip, then its horn; legs 0, 3 and 4 step with each other, and 1, 2 and 5
 */
static double target(const double gait[3], int32_t m, double t) {
    const int leg = m / 2, second = (leg / 2 + leg % 2) % 2;
    const double side = leg % 2 ? 1 : -1, phase = 2 * PI * t / gait[0] + (second ? PI : 0),
                 begun = 1 - exp(-4 * t / gait[0]);
    double up = fmax(0, cos(phase));
    return m % 2 ? side * gait[2] * begun * up * up : -side * gait[1] * begun * sin(phase);
}

/* kept in prescribed: period, swing, lift */
static void walk(nb_world *world, double h) {
    for (int32_t m = 0; m < world->motor_count; m++) {
        world->motors[m].target = target(world->prescribed, m, world->time + h);
        world->motors[m].rate = (world->motors[m].target - target(world->prescribed, m, world->time)) / h;
    }
}

static nb_status build(const double *p, uint64_t seed, nb_world **world) {
    nb_status status;
    int32_t body, shape;
    (void)seed; /* nothing is random here */
    NB_TRY(nb_world_create(world));
    (*world)->settings.contact_margin = margin;
    NB_TRY(nb_add_ground(*world, p[FRICTION], nb_quat_identity(), &body));
    NB_TRY(nb_add_box_shape(*world, nb_vec3_of(0.13, 0.045, 0.02), &shape));
    NB_TRY(nb_world_add_solid(*world, NB_BODY_DYNAMIC, shape, p[TORSO], p[FRICTION], nb_vec3_of(0, 0, height),
                              nb_quat_identity(), &body));
    NB_TRY(add_links(*world, p));
    for (int leg = 0; leg < LEGS; leg++) NB_TRY(join_leg(*world, leg));
    for (int k = 0; k < 3; k++) (*world)->prescribed[k] = p[PERIOD + k];
    (*world)->prescribe = walk;
    return NB_OK;
out:
    nb_world_destroy(*world);
    *world = NULL;
    return status;
}

/* how far the motor that is farthest off is from what it is to hold at the end [rad] */
static double motor_error(const double *p, const nb_world *initial, const nb_snapshot *final) {
    double largest = 0;
    for (int32_t m = 0; m < initial->motor_count; m++) {
        const nb_joint *joint = &initial->joints[initial->motors[m].joint];
        const double *a = final->q + 7 * (int64_t)joint->body_a + 3, *b = final->q + 7 * (int64_t)joint->body_b + 3;
        nb_quat of_a = nb_quat_product((nb_quat){a[0], a[1], a[2], a[3]}, joint->frame_a);
        nb_quat of_b = nb_quat_product((nb_quat){b[0], b[1], b[2], b[3]}, initial->motors[m].frame);
        nb_quat between = nb_quat_product(nb_quat_conjugate(of_b), of_a);
        double angle = 2 * atan2(between.x, between.w);
        largest = fmax(largest, fabs(remainder(angle - target(p + PERIOD, m, final->time), 2 * PI)));
    }
    return largest;
}

static void check(const double *p, const nb_world *initial, const nb_snapshot *final, nb_checks *checks) {
    const double weight = nb_weight(initial), *torso = final->q + 7;
    nb_checks_add(checks, "vertical force on the ground", "N", nb_force_of_fixed(initial, final).z,
                  weight + nb_momentum_rate(initial, final), 1e-4 * weight);
    nb_checks_add(checks, "height of the torso", "m", torso[2], height, 0.5 * length * sin(p[LIFT]) + 0.01);
    if (!nb_takes_all_back(initial)) return;
    nb_checks_add_below(checks, "joint error", "m or rad", nb_joint_error(initial, final), 2e-3);
    nb_checks_add_below(checks, "motors from what they hold", "rad", motor_error(p, initial, final), 2e-3);
}

/* Its 50 iterations do not carry motors and joints through; 500 do. */
static const nb_paper_steps paper = {.source = "Tasora, Anitescu 2009",
                                     .method = "psor",
                                     .iterations = 50,
                                     .record_every = 50,
                                     .warm_start = 1,
                                     .time_stepping = NB_STEPPING_TASORA,
                                     .friction_law = NB_FRICTION_RELAXED};

const nb_scenario_class nb_walker = {
    .name = "walker",
    .summary = "a robot with six legs, twelve motors and 37 parts that walks",
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .size_parameter = -1,
    .checks_all = 1,
    .paper = &paper,
    .time_step = 0.01,
    .steps = 400,
    .newton_iterations = 50,
    .linear_iterations = 60,
    .build = build,
    .check = check,
};
