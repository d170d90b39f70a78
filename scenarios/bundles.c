/* Unions and Minkowski sums that fall on the ground side by side (Le Cleac'h et al., IEEE Robotics and Automation
 * Letters 2023, fig. 2): for methods that find contact points themselves, single-level and bilevel. */
#include <math.h>

#include "papers.h"
#include "planar.h"

enum {
    HEIGHT,
    TILT,
    FRICTION,
    DENSITY
};

enum {
    SHAPES = 4
};

static const nb_option parameters[] = {
    [HEIGHT] = {"height", "m", 0.2, 0.02, 100, 0, NULL, "of the bounding spheres over the ground at the start"},
    [TILT] = {"tilt", "rad", 0.5, -3.2, 3.2, 0, NULL, "of all bodies at the start, about an oblique axis"},
    [FRICTION] = {"mu", "1", 0.5, 0, 10, 0, NULL, "friction coefficient"},
    [DENSITY] = {"density", "kg/m^3", 500, 1e-3, 1e6, 0, NULL, "of all bodies"},
};

/* of the bodies' middles [m] */
static const double APART = 0.8;

/* a box with an ellipsoid about every point of it */
static nb_status make_sum(nb_shape **shape) {
    nb_shape *box = NULL, *ellipsoid = NULL;
    nb_status status;
    NB_TRY(nb_shape_box(nb_vec3_of(0.2, 0.12, 0.05), &box));
    NB_TRY(nb_shape_ellipsoid(nb_vec3_of(0.08, 0.08, 0.16), &ellipsoid));
    NB_TRY(nb_shape_sum(box, ellipsoid, shape));
out:
    nb_shape_destroy(box);
    nb_shape_destroy(ellipsoid);
    return status;
}

/* three capsules across each other */
static nb_status make_jack(nb_shape **shape) {
    const nb_vec3 offsets[3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    const double quarter = 0.5 * acos(-1.0);
    const nb_quat turns[3] = {nb_quat_identity(), nb_quat_about(nb_vec3_of(1, 0, 0), quarter),
                              nb_quat_about(nb_vec3_of(0, 1, 0), quarter)};
    nb_shape *capsule;
    nb_status status = nb_shape_capsule(0.07, 0.5, &capsule);
    if (status != NB_OK) return status;
    status = nb_shape_bundle(3, (const nb_shape *const[]){capsule, capsule, capsule}, offsets, turns, shape);
    nb_shape_destroy(capsule);
    return status;
}

/* a cylinder with a cone for its head, and a padded box across its foot */
static nb_status make_rocket(nb_shape **shape) {
    const nb_vec3 offsets[3] = {{0, 0, 0}, {0, 0, 0.2 + 0.05}, {0, 0, -0.2}};
    const nb_quat turns[3] = {nb_quat_identity(), nb_quat_identity(), nb_quat_identity()};
    nb_shape *cylinder = NULL, *cone = NULL, *box = NULL, *foot = NULL;
    nb_status status;
    NB_TRY(nb_shape_cylinder(0.1, 0.4, &cylinder));
    NB_TRY(nb_shape_cone(0.1, 0.2, &cone));
    NB_TRY(nb_shape_box(nb_vec3_of(0.2, 0.08, 0.02), &box));
    NB_TRY(nb_shape_padded(box, 0.02, &foot));
    NB_TRY(nb_shape_bundle(3, (const nb_shape *const[]){cylinder, cone, foot}, offsets, turns, shape));
out:
    nb_shape_destroy(cylinder);
    nb_shape_destroy(cone);
    nb_shape_destroy(box);
    nb_shape_destroy(foot);
    return status;
}

/* the sum of a cone and a cylinder */
static nb_status make_bell(nb_shape **shape) {
    nb_shape *cone = NULL, *cylinder = NULL;
    nb_status status;
    NB_TRY(nb_shape_cone(0.15, 0.3, &cone));
    NB_TRY(nb_shape_cylinder(0.06, 0.1, &cylinder));
    NB_TRY(nb_shape_sum(cone, cylinder, shape));
out:
    nb_shape_destroy(cone);
    nb_shape_destroy(cylinder);
    return status;
}

static nb_status build(const double *p, uint64_t seed, nb_world **world) {
    static nb_status (*const makers[SHAPES])(nb_shape * *shape) = {make_sum, make_jack, make_rocket, make_bell};
    nb_status status;
    int32_t index;
    (void)seed; /* nothing is random here */
    NB_TRY(nb_world_create(world));
    (*world)->settings.contact_margin = 0.002;
    NB_TRY(nb_add_ground(*world, p[FRICTION], nb_quat_identity(), &index));
    for (int i = 0; i < SHAPES; i++) {
        nb_body body = {.kind = NB_BODY_DYNAMIC, .friction = p[FRICTION]};
        nb_shape *shape;
        nb_vec3 centre, moments;
        nb_quat axes;
        double volume;
        NB_TRY(makers[i](&shape));
        nb_shape_centre(shape, &centre, &axes, &moments, &volume);
        body.position = nb_vec3_of((i - 0.5 * (SHAPES - 1)) * APART, 0, shape->radius + p[HEIGHT]);
        NB_TRY(nb_world_add_shape(*world, shape, &body.shape));
        body.mass = p[DENSITY] * volume;
        body.inertia = nb_scale(p[DENSITY], moments);
        body.orientation = nb_quat_product(nb_quat_about(nb_vec3_of(0.6, 0.64, 0.48), p[TILT]), axes);
        NB_TRY(nb_world_add_body(*world, &body, &index));
    }
    return NB_OK;
out:
    nb_world_destroy(*world);
    *world = NULL;
    return status;
}

/* of all solids of a shape at this place */
static double lowest_point(const nb_shape *shape, const double *q) {
    const nb_quat turn = {q[3], q[4], q[5], q[6]};
    const nb_vec3 down = nb_quat_rotate(nb_quat_conjugate(turn), nb_vec3_of(0, 0, -1));
    double lowest = INFINITY;
    for (int32_t i = 0; i < shape->solid_count; i++)
        lowest = fmin(lowest, q[2] + nb_quat_rotate(turn, nb_solid_support(&shape->solids[i], down)).z);
    return lowest;
}

static void check(const double *p, const nb_world *initial, const nb_snapshot *final, nb_checks *checks) {
    double low = INFINITY, turned = 0, weight = nb_weight(initial), before = 0;
    (void)p;
    for (int32_t b = 1; b < initial->body_count; b++) {
        const double *u = final->u + 6 * (int64_t)b;
        const nb_shape *shape = initial->shapes[initial->bodies[b].shape];
        double angle = final->time_step * nb_norm(nb_vec3_of(u[3], u[4], u[5]));
        low = fmin(low, lowest_point(shape, final->q + 7 * (int64_t)b));
        turned = fmax(turned, 0.5 * shape->radius * angle * angle);
        before += initial->bodies[b].mass * nb_norm(initial->gravity) * initial->bodies[b].position.z;
    }
    nb_checks_add(checks, "vertical force on the ground", "N", nb_force_of_fixed(initial, final).z,
                  weight + nb_momentum_rate(initial, final), 1e-4 * weight);
    nb_checks_add_below(checks, "energy gained", "J", nb_energy_at_end(initial, final) - before, 1e-6 * before);
    nb_checks_add_below(checks, "penetration", "m", -low, turned + 1e-4);
}

const nb_scenario_class nb_bundles = {
    .name = "bundles",
    .summary = "unions and Minkowski sums that fall; for single-level",
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .size_parameter = -1,
    .paper = &nb_paper_lecleach,
    .time_step = 0.01,
    .steps = 100,
    .newton_iterations = 40,
    .linear_iterations = 40,
    .build = build,
    .check = check,
};
