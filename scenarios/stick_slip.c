/* A box on a belt that runs, held by a spring. The belt takes it along until the spring pulls more than friction holds.
 * Where friction falls once the box slips, the spring pulls it back until it sticks again (after Larionov et al. 2023,
 * section V-C2). With v the speed along the belt, F the spring's pull, N the weight and V the belt's speed:
 *
 *     sticks   v = V,                     until F = mu_s N
 *     slips    m v' = mu N - F,           until v = V again
 *
 * which has the period 2 (mu_s - mu) N/(k V) + 2 (pi - atan((mu_s - mu) N/(V sqrt(k m))))/w, w = sqrt(k/m). Where
 * static friction is that of sliding the box swings about F = mu N, and never sticks again for longer than an instant.
 */
#include <math.h>

#include "common.h"

enum {
    MASS,
    STIFFNESS,
    SPEED,
    FRICTION,
    GAP
};

static const nb_option parameters[] = {
    [MASS] = {"mass", "kg", 1, 1e-6, 1e6, 0, NULL, "mass of the box"},
    [STIFFNESS] = {"stiffness", "N/m", 100, 1e-3, 1e9, 0, NULL, "of the spring"},
    [SPEED] = {"speed", "m/s", 0.1, 0, 100, 0, NULL, "of the belt, and of the box at the start"},
    [FRICTION] = {"mu", "1", 0.4, 0, 5, 0, NULL, "friction coefficient while the box slips"},
    [GAP] = {"gap", "m", 7.5e-4, 0, 1, 0, NULL,
             "between box and belt at the start; as given, springs of a tolerance of 1 mm carry the box"},
};

enum {
    BOX = 1 /* body; the belt is the first */
};

/* half the box's length and width, and height; from the belt's side of the box to where the spring is held [m] */
static const double HALF = 0.25, LOW = 0.0025, LENGTH = 10;

static nb_status build(const double *p, uint64_t seed, nb_world **world) {
    nb_status status;
    int32_t shape, index;
    nb_shape *plane;
    (void)seed; /* nothing is random here */
    NB_TRY(nb_world_create(world));
    (*world)->settings.contact_margin = LOW;
    NB_TRY(nb_shape_half_space(&plane));
    NB_TRY(nb_world_add_shape(*world, plane, &shape));
    NB_TRY(nb_world_add_solid(*world, NB_BODY_KINEMATIC, shape, 0, p[FRICTION], nb_vec3_of(0, 0, 0), nb_quat_identity(),
                              &index));
    NB_TRY(nb_add_box_shape(*world, nb_vec3_of(HALF, HALF, LOW), &shape));
    NB_TRY(nb_world_add_solid(*world, NB_BODY_DYNAMIC, shape, p[MASS], p[FRICTION], nb_vec3_of(0, 0, p[GAP] + LOW),
                              nb_quat_identity(), &index));
    for (int i = 0; i <= BOX; i++) (*world)->bodies[i].linear_velocity.x = p[SPEED];
    /* it pulls where friction does, so that neither tips the box over */
    const nb_joint spring = {.kind = NB_JOINT_DISTANCE,
                             .body_a = BOX,
                             .body_b = -1,
                             .anchor_a = nb_vec3_of(0, 0, -LOW),
                             .anchor_b = nb_vec3_of(-LENGTH, 0, 0),
                             .frame_a = nb_quat_identity(),
                             .frame_b = nb_quat_identity(),
                             .compliance = {1 / p[STIFFNESS]},
                             .length = LENGTH};
    NB_TRY(nb_world_add_joint(*world, &spring, &index));
    return NB_OK;
out:
    nb_world_destroy(*world);
    *world = NULL;
    return status;
}

typedef struct motion {
    double speed, way; /* along the belt [m/s], [m] */
    double lift, gap;  /* away from it */
    double friction;   /* along it, in the last step [N] */
} motion;

/* Implicit Euler in closed form, with one coefficient of friction: it makes the box as fast as the belt, or is all that
 * it can be. */
static motion closed_form(const double *p, double h, double g, int32_t steps) {
    motion m = {.speed = p[SPEED], .gap = p[GAP]};
    const double k = p[STIFFNESS], mass = p[MASS] + h * h * k;
    for (int32_t i = 0; i < steps; i++) {
        const double most = p[FRICTION] * p[MASS] * nb_press_on_plane(h, g, &m.lift, &m.gap);
        const double free = p[MASS] * m.speed - h * k * m.way;
        m.friction = fmin(fmax((mass * p[SPEED] - free) / h, -most), most);
        m.speed = (free + h * m.friction) / mass;
        m.way += h * m.speed;
    }
    return m;
}

static void check(const double *p, const nb_world *initial, const nb_snapshot *final, nb_checks *checks) {
    const double g = nb_norm(initial->gravity), h = final->time_step, weight = p[MASS] * g;
    const double *u = final->u + 6 * BOX, *q = final->q + 7 * BOX;
    const motion known = closed_form(p, h, g, final->step_count);
    /* a step converged to 1e-8 m/s leaves some 1e-8 m/s a step; the spring stands aslant while there is a gap */
    const double tolerance = 1e-7 * fmax(1, final->step_count * h * g) + 1e-3 * p[GAP];
    const int first = checks->count;
    nb_checks_add(checks, "speed along the belt", "m/s", u[0], known.speed, tolerance);
    nb_checks_add(checks, "way along the belt", "m", q[0], known.way, tolerance * fmax(1, final->time));
    nb_checks_add(checks, "height over the belt", "m", q[2] - LOW, known.gap, tolerance);
    nb_checks_add(checks, "friction along the belt", "N", nb_force_of_fixed(initial, final).x, known.friction,
                  1e-5 * weight + p[STIFFNESS] * tolerance * fmax(1, final->time) + p[MASS] * tolerance / h);
    nb_checks_of_motion(initial, first, checks);
}

static const char *const options[][2] = {{"static-mu", "0.6"}, {NULL, NULL}};

static const nb_paper_steps paper = {
    .source = "Larionov et al. 2023",
    .method = "smoothed",
    .options = options,
};

const nb_scenario_class nb_stick_slip = {
    .name = "stick-slip",
    .summary = "a box on a belt and a spring, which sticks and slips by turns",
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .size_parameter = -1,
    .paper = &paper,
    .time_step = 0.001,
    .steps = 1500,
    .newton_iterations = 40,
    .linear_iterations = 40,
    .build = build,
    .check = check,
};
