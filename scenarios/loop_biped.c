/* A biped that squats, with four loops (the measures are ours): a leg is two parallelograms above each other, so that
 * its knee's link and its foot stay parallel to the torso. Motors turn thighs and shanks by opposite angles: the feet
 * stay below the hips, and the torso's height is known. Each loop has three redundant rows. */
#include <math.h>

#include "linkage.h"

enum {
    SWING,
    PERIOD,
    TORSO,
    FRICTION
};

static const nb_option parameters[] = {
    [SWING] = {"swing", "rad", 0.4, 0, 0.8, 0, NULL, "how much deeper knees bend"},
    [PERIOD] = {"period", "s", 1, 0.05, 100, 0, NULL, "of a squat"},
    [TORSO] = {"mass", "kg", 5, 1e-3, 1e4, 0, NULL, "mass of the torso; of a bar 0.2 kg"},
    [FRICTION] = {"mu", "1", 0.8, 0, 10, 0, NULL, "friction coefficient"},
};

enum {
    THIGH,
    BACK_THIGH,
    KNEE,
    SHANK,
    BACK_SHANK,
    FOOT,
    LINKS,
    LEGS = 2
};

/* a thigh and a shank, between the bars of a loop, from leg to leg, height of a foot's pins, and knees' first bend */
static const double link = 0.25, apart = 0.06, aside = 0.1, ankle = 0.05, bend = 0.4;
static const double bar_mass = 0.2, half_foot = 0.08; /* [kg], [m] */
static const double PI = 3.14159265358979323846;

static double bend_at(const double *motion, double t) {
    return bend + 0.5 * motion[0] * (1 - cos(2 * PI * t / motion[1]));
}

static double height_at(double angle) {
    return ankle + 2 * link * cos(angle);
}

/* the pins of a leg at the hip (0), the knee (1) and the ankle (2), in front or at the back */
static nb_vec3 pin_at(int leg, int level, int back) {
    return nb_vec3_of((level == 1 ? link * sin(bend) : 0) - back * apart, leg ? aside : -aside,
                      height_at(bend) - level * link * cos(bend));
}

static void squat(nb_world *world, double h) {
    const double now = bend_at(world->prescribed, world->time), next = bend_at(world->prescribed, world->time + h);
    for (int32_t m = 0; m < world->motor_count; m++) {
        const double sign = m % 2 ? 1 : -1; /* thighs, then shanks */
        world->motors[m].target = sign * (next - bend);
        world->motors[m].rate = sign * (next - now) / h;
    }
}

static nb_status add_leg(nb_world *world, const double *p, int leg) {
    nb_status status;
    const double mass = bar_mass, thin = 0.01;
    const nb_vec3 middle = nb_scale(0.5, nb_add(pin_at(leg, 2, 0), pin_at(leg, 2, 1)));
    int32_t body, shape;
    for (int level = 0; level < 2; level++) {
        for (int back = 0; back < 2; back++)
            NB_TRY(nb_add_bar(world, pin_at(leg, level, back), pin_at(leg, level + 1, back), thin, thin, mass, 0, 0,
                              &body));
        if (level == 0) /* the knee is between the two */
            NB_TRY(nb_add_bar(world, pin_at(leg, 1, 1), pin_at(leg, 1, 0), thin, thin, mass, 0, 0, &body));
    }
    NB_TRY(nb_add_box_shape(world, nb_vec3_of(half_foot, 0.04, 0.02), &shape));
    NB_TRY(nb_world_add_solid(world, NB_BODY_DYNAMIC, shape, mass, p[FRICTION], nb_vec3_of(middle.x, middle.y, 0.02),
                              nb_quat_identity(), &body));
out:
    return status;
}

static nb_status join_leg(nb_world *world, int leg) {
    static const struct {
        int a, b, level, back;
    } passive[] = {
        {BACK_THIGH, -1, 0, 1},   {KNEE, THIGH, 1, 0}, {KNEE, BACK_THIGH, 1, 1},
        {BACK_SHANK, KNEE, 1, 1}, {FOOT, SHANK, 2, 0}, {FOOT, BACK_SHANK, 2, 1},
    };
    const nb_vec3 axis = nb_vec3_of(0, 1, 0);
    const int32_t first = 2 + LINKS * leg; /* the torso is body 1 */
    nb_status status;
    int32_t joint;
    NB_TRY(nb_pin_motor(world, first + THIGH, 1, pin_at(leg, 0, 0), axis));
    NB_TRY(nb_pin_motor(world, first + SHANK, first + KNEE, pin_at(leg, 1, 0), axis));
    for (size_t i = 0; i < sizeof passive / sizeof *passive; i++)
        NB_TRY(nb_pin(world, NB_JOINT_REVOLUTE, first + passive[i].a, passive[i].b < 0 ? 1 : first + passive[i].b,
                      pin_at(leg, passive[i].level, passive[i].back), axis, &joint));
out:
    return status;
}

static nb_status build(const double *p, uint64_t seed, nb_world **world) {
    nb_status status;
    int32_t body, shape;
    (void)seed; /* nothing is random here */
    NB_TRY(nb_world_create(world));
    (*world)->settings.contact_margin = 0.002;
    NB_TRY(nb_add_ground(*world, p[FRICTION], nb_quat_identity(), &body));
    NB_TRY(nb_add_box_shape(*world, nb_vec3_of(0.1, 0.15, 0.1), &shape));
    NB_TRY(nb_world_add_solid(*world, NB_BODY_DYNAMIC, shape, p[TORSO], 0, nb_vec3_of(-0.5 * apart, 0, height_at(bend)),
                              nb_quat_identity(), &body));
    (*world)->bodies[body].shape = -1;
    for (int leg = 0; leg < LEGS; leg++) NB_TRY(add_leg(*world, p, leg));
    for (int leg = 0; leg < LEGS; leg++) NB_TRY(join_leg(*world, leg));
    (*world)->prescribed[0] = p[SWING];
    (*world)->prescribed[1] = p[PERIOD];
    (*world)->prescribe = squat;
    return NB_OK;
out:
    nb_world_destroy(*world);
    *world = NULL;
    return status;
}

/* Whether feet stay flat on the ground: it pushes, at a point below them. Legs are as heavy as twelve bars; thighs and
 * shanks turn by opposite angles. */
static int feet_stay(const double *p, double g, double h) {
    enum {
        SAMPLES = 200
    };
    for (int i = 0; i < SAMPLES; i++) {
        double s[3], c[3]; /* of a knee from the ankle, ahead and up, before, now and after */
        for (int k = 0; k < 3; k++) {
            const double angle = bend_at(p, p[PERIOD] * i / SAMPLES + (k - 1) * h);
            s[k] = link * sin(angle);
            c[k] = link * cos(angle);
        }
        const double ahead = (s[0] - 2 * s[1] + s[2]) / (h * h), up = (c[0] - 2 * c[1] + c[2]) / (h * h),
                     push = p[TORSO] * (g + 2 * up) + LEGS * bar_mass * (6 * g + 5 * up),
                     moment = LEGS * bar_mass * 3 * (s[1] * (g + up) - ahead * (ankle + c[1]));
        if (!(fabs(moment) < half_foot * push)) return 0;
    }
    return 1;
}

static void check(const double *p, const nb_world *initial, const nb_snapshot *final, nb_checks *checks) {
    const double *torso = final->q + 7;
    nb_check_freedoms(initial, 6, 12, checks);
    nb_check_joints(initial, final, link, checks);
    nb_check_ground(initial, final, checks);
    if (!nb_takes_all_back(initial)) return;
    const int stands = checks->count;
    nb_checks_add(checks, "height of the torso", "m", torso[2], height_at(bend_at(p, final->time)), 2e-3);
    nb_checks_add_below(checks, "rotation of the torso", "rad", 2 * hypot(hypot(torso[4], torso[5]), torso[6]), 2e-2);
    nb_checks_presuppose(checks, stands, feet_stay(p, nb_norm(initial->gravity), final->time_step),
                         "feet stay flat on the ground");
}

const nb_scenario_class nb_loop_biped = {
    .name = "loop-biped",
    .summary = "a biped of four loops that squats",
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .size_parameter = -1,
    .checks_all = 1,
    .time_step = 0.005,
    .steps = 200,
    .newton_iterations = 50,
    .linear_iterations = 200,
    .build = build,
    .check = check,
};
