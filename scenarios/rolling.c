/* Balls and boxes that slide on the ground, and balls that come to roll: `backspin`, a ball that spins against its way
 * and comes back, and `rolling`, boxes and balls in all directions, as friction that is the same in all of them leaves
 * their ways straight. Both are known from a splitting for Coulomb's law (Song, Fan, Ascher and Pai 2026). A ball of
 * backspin ends at -80/7 m/s and -320/7 rad/s as published; its start and the sizes of `rolling` are ours.
 *
 * Friction takes mu g h off the speed of what slides in each step, until a box rests, and a ball, whose contact point
 * slides at w, loses 7/2 mu g h of w and 2/7 of that of its speed, until it rolls. */
#include <math.h>

#include "common.h"
#include "planar.h"

enum {
    RADIUS,
    MASS,
    FRICTION,
    SPEED,
    SPIN,
    COUNT = SPIN
};

#define COMMON(radius, mu, speed)                                                                                    \
    [RADIUS] = {"radius", "m", radius, 1e-3, 1e2, 0, NULL, "of a ball"}, [MASS] = {"mass", "kg", 1,    1e-6,         \
                                                                                   1e6,    0,    NULL, "of a body"}, \
    [FRICTION] = {"mu", "1", mu, 0, 10, 0, NULL, "friction coefficient"}, [SPEED] = {"speed", "m/s",                 \
                                                                                     speed,   0,                     \
                                                                                     100,     0,                     \
                                                                                     NULL,    "initial speed"}

static const nb_option of_backspin[] = {
    COMMON(0.25, 0.5, 4),
    [SPIN] = {"spin", "rad/s", 200, 0, 1e4, 0, NULL, "initial spin against the way of the ball"},
};

static const nb_option of_rolling[] = {
    COMMON(0.1, 0.3, 2),
    [COUNT] = {"count", "1", 16, 1, 1000, 1, NULL,
               "bodies; every other one is a box, as wide as a ball and half as high"},
};

/* body 1 + i; the ground is the first */
static nb_vec3 direction(int i, int count) {
    const double angle = 2 * acos(-1) * i / count;
    return nb_vec3_of(cos(angle), sin(angle), 0);
}

static nb_status build_bodies(const double *p, int count, double spin, nb_world **world) {
    nb_status status;
    int32_t ground, ball, box, body;
    const double r = p[RADIUS], circle = count > 1 ? 2 * r / sin(acos(-1) / count) : 0;
    NB_TRY(nb_world_create(world));
    (*world)->settings.contact_margin = 0.1 * r;
    NB_TRY(nb_add_ground(*world, p[FRICTION], nb_quat_identity(), &ground));
    NB_TRY(nb_add_sphere_shape(*world, r, &ball));
    NB_TRY(nb_add_box_shape(*world, nb_vec3_of(r, r, 0.5 * r), &box));
    for (int i = 0; i < count; i++) {
        const nb_vec3 way = direction(i, count);
        const int is_box = i % 2;
        NB_TRY(nb_world_add_solid(*world, NB_BODY_DYNAMIC, is_box ? box : ball, p[MASS], p[FRICTION],
                                  nb_vec3_of(circle * way.x, circle * way.y, is_box ? 0.5 * r : r),
                                  nb_quat_about(nb_vec3_of(0, 0, 1), atan2(way.y, way.x)), &body));
        (*world)->bodies[body].linear_velocity = nb_scale(p[SPEED], way);
        (*world)->bodies[body].angular_velocity = nb_vec3_of(way.y * spin, -way.x * spin, 0);
    }
    return NB_OK;
out:
    nb_world_destroy(*world);
    *world = NULL;
    return status;
}

/* of one body along its way, after the steps */
typedef struct motion {
    double speed, way, spin;
} motion;

static motion closed_form(const double *p, int is_box, double spin, double g, double h, int32_t steps) {
    motion m = {.speed = p[SPEED], .spin = -spin};
    const double share = is_box ? 1 : 2.0 / 7;
    double slip = is_box ? m.speed : m.speed + p[RADIUS] * spin;
    for (int32_t i = 0; i < steps; i++) {
        const double slower = fmin(p[FRICTION] * g * h, share * slip);
        slip -= slower / share;
        m.speed -= slower;
        if (!is_box) m.spin += 2.5 * slower / p[RADIUS];
        m.way += h * m.speed;
    }
    return m;
}

static void check_bodies(const double *p, double spin, const nb_world *initial, const nb_snapshot *final,
                         nb_checks *checks) {
    const double g = nb_norm(initial->gravity), h = final->time_step;
    const int count = initial->body_count - 1, first = checks->count;
    double speed = 0, way = 0, aside = 0, turn = 0;
    for (int i = 0; i < count; i++) {
        const double *q = final->q + 7 * (int64_t)(i + 1), *u = final->u + 6 * (int64_t)(i + 1);
        const nb_vec3 ahead = direction(i, count), across = nb_vec3_of(-ahead.y, ahead.x, 0),
                      v = nb_vec3_of(u[0], u[1], u[2]), w = nb_vec3_of(u[3], u[4], u[5]),
                      moved = nb_sub(nb_vec3_of(q[0], q[1], q[2]), initial->bodies[i + 1].position);
        const motion known = closed_form(p, i % 2, spin, g, h, final->step_count);
        speed = fmax(speed, fabs(nb_dot(v, ahead) - known.speed));
        way = fmax(way, fabs(nb_dot(moved, ahead) - known.way));
        aside = fmax(aside, fabs(nb_dot(moved, across)));
        turn = fmax(turn, nb_norm(nb_sub(w, nb_scale(known.spin, across))));
    }
    /* a step converged to 1e-8 m/s leaves some 1e-8 m/s a step */
    const double tolerance = 1e-7 * fmax(1, final->step_count * h * g);
    nb_checks_add_below(checks, "error of a speed", "m/s", speed, tolerance);
    nb_checks_add_below(checks, "error of a way", "m", way, tolerance * fmax(1, final->time));
    nb_checks_add_below(checks, "way across the direction", "m", aside, tolerance * fmax(1, final->time));
    nb_checks_add_below(checks, "error of a spin", "rad/s", turn, 5 * tolerance / p[RADIUS]);
    nb_checks_presuppose(checks, first, count == 1 || p[FRICTION] < 2, "boxes do not tip over");
}

static nb_status build_backspin(const double *p, uint64_t seed, nb_world **world) {
    (void)seed; /* nothing is random here */
    return build_bodies(p, 1, p[SPIN], world);
}

static void check_backspin(const double *p, const nb_world *initial, const nb_snapshot *final, nb_checks *checks) {
    check_bodies(p, p[SPIN], initial, final, checks);
}

static nb_status build_rolling(const double *p, uint64_t seed, nb_world **world) {
    (void)seed;
    return build_bodies(p, (int)p[COUNT], 0, world);
}

static void check_rolling(const double *p, const nb_world *initial, const nb_snapshot *final, nb_checks *checks) {
    check_bodies(p, 0, initial, final, checks);
}

const nb_scenario_class nb_backspin = {
    .name = "backspin",
    .summary = "a ball that spins against its way, and rolls back",
    .parameters = of_backspin,
    .parameter_count = sizeof of_backspin / sizeof *of_backspin,
    .size_parameter = -1,
    .time_step = 0.0166667,
    .steps = 240,
    .newton_iterations = 40,
    .linear_iterations = 40,
    .build = build_backspin,
    .check = check_backspin,
};

const nb_scenario_class nb_rolling = {
    .name = "rolling",
    .summary = "boxes and balls that slide and roll in all directions",
    .parameters = of_rolling,
    .parameter_count = sizeof of_rolling / sizeof *of_rolling,
    .size_parameter = COUNT,
    .time_step = 0.005,
    .steps = 200,
    .newton_iterations = 40,
    .linear_iterations = 40,
    .build = build_rolling,
    .check = check_rolling,
};
