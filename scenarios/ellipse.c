/* An ellipse that falls on a table, spinning, and rocks there, in a plane (Anitescu and Hart, ICIAM 2003: axes 4 and 8,
 * from a height of 8, with a spin of 3; friction is our choice). */
#include <math.h>

#include "papers.h"
#include "planar.h"

enum {
    LONG,
    SHORT,
    HEIGHT,
    SPIN,
    FRICTION,
    MASS
};

static const nb_option parameters[] = {
    [LONG] = {"long", "m", 8, 1e-3, 1e3, 0, NULL, "axis that lies at the start"},
    [SHORT] = {"short", "m", 4, 1e-3, 1e3, 0, NULL, "axis that stands at the start"},
    [HEIGHT] = {"height", "m", 8, 0, 1e4, 0, NULL, "of the center at the start"},
    [SPIN] = {"spin", "rad/s", 3, -100, 100, 0, NULL, "at the start"},
    [FRICTION] = {"mu", "1", 0.3, 0, 10, 0, NULL, "friction coefficient"},
    [MASS] = {"mass", "kg", 1, 1e-6, 1e6, 0, NULL, "mass of the ellipse"},
};

static nb_status build(const double *p, uint64_t seed, nb_world **world) {
    nb_status status;
    nb_shape *ellipse;
    int32_t ground, shape, body;
    (void)seed; /* nothing is random here */
    *world = NULL;
    if (p[HEIGHT] < 0.5 * p[SHORT])
        return nb_fail(NB_ERROR_USAGE, "scenario 'ellipse': height = %g m is below half of short = %g m", p[HEIGHT],
                       p[SHORT]);
    NB_TRY(nb_world_create(world));
    (*world)->planar = 1;
    (*world)->settings.contact_margin = 0.01 * fmin(p[LONG], p[SHORT]);
    NB_TRY(nb_add_ground(*world, p[FRICTION], nb_quat_identity(), &ground));
    NB_TRY(nb_shape_ellipsoid(nb_vec3_of(0.5 * p[LONG], 0.5 * p[SHORT], 0.5 * p[SHORT]), &ellipse));
    NB_TRY(nb_world_add_shape(*world, ellipse, &shape));
    NB_TRY(nb_add_lamina(*world, shape, p[MASS], p[FRICTION], 0, p[HEIGHT], &body));
    (*world)->bodies[body].angular_velocity = nb_vec3_of(0, p[SPIN], 0);
    return NB_OK;
out:
    nb_world_destroy(*world);
    *world = NULL;
    return status;
}

/* height of the centre over the lowest point of an ellipse whose long axis is turned by `angle` */
static double support(const double *p, double angle) {
    return 0.5 * hypot(p[LONG] * sin(angle), p[SHORT] * cos(angle));
}

/* What a step may leave of the gap, over half the square of the angle turned. Linearised, the largest second derivative
 * of that height by the angle: it is the radius of curvature at the lowest point less the height, between b^2/a - a and
 * a^2/b - b. An implicit step holds the gap of a point of the ellipse: the radius of curvature, a^2/b at most. */
static double most_bent(const double *p, int implicit) {
    double a = 0.5 * fmax(p[LONG], p[SHORT]), b = 0.5 * fmin(p[LONG], p[SHORT]);
    return implicit ? a * a / b : fmax(a * a / b - b, a - b * b / a);
}

static void check(const double *p, const nb_world *initial, const nb_snapshot *final, nb_checks *checks) {
    const double *q = final->q + 7, *u = final->u + 6, h = final->time_step, weight = nb_weight(initial);
    double turned = h * fabs(u[4]), gap = q[2] - support(p, 2 * atan2(q[5], q[3]));
    nb_checks_add_below(checks, "way out of the plane", "m, m/s, rad/s", nb_out_of_plane(initial, final), 0);
    nb_checks_add(checks, "vertical force on the table", "N", nb_force_of_fixed(initial, final).z,
                  weight + nb_momentum_rate(initial, final), 1e-4 * weight);
    if (nb_takes_all_back(initial))
        nb_checks_add_below(
            checks, "penetration", "m", -gap,
            0.5 * most_bent(p, initial->settings.stepping.scheme == NB_STEPPING_IMPLICIT) * turned * turned +
                1e-3 * initial->settings.contact_margin);
}

const nb_scenario_class nb_ellipse = {
    .name = "ellipse",
    .summary = "an ellipse that falls on a table and rocks, in a plane",
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .size_parameter = -1,
    .checks_all = 1,
    .paper = &nb_paper_anitescu_hart,
    .time_step = 0.05,
    .steps = 400,
    .newton_iterations = 60,
    .linear_iterations = 40,
    .build = build,
    .check = check,
};
