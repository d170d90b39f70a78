/* A point mass on a rod, released from rest: how a rod's length drifts where a step does not hold it (Anitescu and
 * Hart, ICIAM 2003). The rod is the constraint |q| = L, linearised n . v, n = q/|q|. */
#include <math.h>

#include "papers.h"
#include "planar.h"

enum {
    LENGTH,
    MASS,
    ANGLE
};

static const nb_option parameters[] = {
    [LENGTH] = {"length", "m", 1, 1e-3, 1e3, 0, NULL, "length of the rod"},
    [MASS] = {"mass", "kg", 1, 1e-6, 1e6, 0, NULL, "mass at its end"},
    [ANGLE] = {"angle", "rad", 1.57079632679489662, 0, 3, 0, NULL, "from the vertical at the start"},
};

static nb_status build(const double *p, uint64_t seed, nb_world **world) {
    nb_status status;
    int32_t body, joint;
    double own = 0.01 * p[MASS] * p[LENGTH] * p[LENGTH]; /* it does not turn */
    const nb_joint rod = {.kind = NB_JOINT_DISTANCE, .body_a = 0, .body_b = -1, .length = p[LENGTH]};
    const nb_body bob = {.kind = NB_BODY_DYNAMIC,
                         .mass = p[MASS],
                         .inertia = nb_vec3_of(own, own, own),
                         .position = nb_vec3_of(p[LENGTH] * sin(p[ANGLE]), 0, -p[LENGTH] * cos(p[ANGLE])),
                         .orientation = nb_quat_identity(),
                         .shape = -1};
    (void)seed; /* nothing is random here */
    NB_TRY(nb_world_create(world));
    (*world)->planar = 1;
    NB_TRY(nb_world_add_body(*world, &bob, &body));
    NB_TRY(nb_world_add_joint(*world, &rod, &joint));
    return NB_OK;
out:
    nb_world_destroy(*world);
    *world = NULL;
    return status;
}

/* what the rod's error of a linearised step asks for [m/s] */
static double recovery(const nb_time_stepping *way, double error, double h) {
    return fmin(fmax(way->stabilization * error / h, -way->recovery_speed), way->recovery_speed);
}

/* the linearised steps in closed form: v+ = v* - n (n . v* + K (|q| - L)/h), v* = v + h g */
static void closed_form(const nb_world *initial, double length, double h, int32_t steps, nb_vec3 *q, nb_vec3 *v) {
    *q = initial->bodies[0].position;
    *v = nb_vec3_of(0, 0, 0);
    for (int32_t i = 0; i < steps; i++) {
        double rate = recovery(&initial->settings.stepping, nb_norm(*q) - length, h);
        nb_vec3 n = nb_normalized(*q), free = nb_add_scaled(*v, h, initial->gravity);
        *v = nb_add_scaled(free, -(nb_dot(n, free) + rate), n);
        *q = nb_add_scaled(*q, h, *v);
    }
}

static void check(const double *p, const nb_world *initial, const nb_snapshot *final, nb_checks *checks) {
    double h = final->time_step, length = p[LENGTH];
    nb_vec3 q = nb_vec3_of(final->q[0], final->q[1], final->q[2]),
            v = nb_vec3_of(final->u[0], final->u[1], final->u[2]);
    nb_vec3 before = nb_vec3_of(final->q_before[0], final->q_before[1], final->q_before[2]), known_q, known_v;
    double way = h * nb_norm(v), far = nb_norm(before);
    nb_checks_add_below(checks, "way out of the plane", "m, m/s", nb_out_of_plane(initial, final), 0);
    if (initial->settings.stepping.scheme == NB_STEPPING_IMPLICIT) {
        /* exact where joints hold at the end of the step, and as below where they are frozen */
        nb_checks_add(checks, "length of the rod", "m", nb_norm(q), length, 1e-7 * length + 0.5 * way * way / length);
        return;
    }
    closed_form(initial, length, h, final->step_count, &known_q, &known_v);
    double rate = recovery(&initial->settings.stepping, far - length, h);
    nb_checks_add(checks, "length of the rod after the final step", "m", nb_norm(q),
                  sqrt(far * far - 2 * h * rate * far + way * way), 1e-7 * length);
    nb_checks_add(checks, "drift (|q|^2 - L^2)/2", "m^2", 0.5 * (nb_dot(q, q) - length * length),
                  0.5 * (nb_dot(known_q, known_q) - length * length), 1e-6 * length * length);
    nb_checks_add_below(checks, "way from the closed form", "m", nb_norm(nb_sub(q, known_q)), 1e-4 * length);
}

const nb_scenario_class nb_pendulum = {
    .name = "pendulum",
    .summary = "a mass on a rod: drift of the rod's length",
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .size_parameter = -1,
    .checks_all = 1,
    .paper = &nb_paper_anitescu_hart,
    .time_step = 0.01,
    .steps = 5000,
    .newton_iterations = 20,
    .linear_iterations = 20,
    .build = build,
    .check = check,
};
