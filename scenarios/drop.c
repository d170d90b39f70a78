/* A polytope that falls on the ground from a random place and turn, and comes to lie on a face (Le Cleac'h et al., IEEE
 * Robotics and Automation Letters 2023, figs 6 and 9): their pentagon in the plane, or one in space. */
#include <math.h>

#include "base/random.h"
#include "papers.h"
#include "planar.h"

enum {
    SET,
    FRICTION,
    MASS,
    INERTIA,
    HEIGHT,
    SPEED
};

static const char *const sets[] = {"pentagon", "polytope", NULL};

static const nb_option parameters[] = {
    [SET] = {"set", "1", 0, 0, 0, 0, sets, "pentagon, in the plane y = 0, or polytope, in space"},
    [FRICTION] = {"mu", "1", 0.2, 0, 10, 0, NULL, "friction coefficient"},
    [MASS] = {"mass", "kg", 1, 1e-6, 1e6, 0, NULL, "mass of the polytope"},
    [INERTIA] = {"inertia", "kg m^2", 0.2, 1e-6, 1e6, 0, NULL, "about any axis"},
    [HEIGHT] = {"height", "m", 0.5, 0.01, 100, 0, NULL,
                "of the lowest corner at the start, at most; half of it at least"},
    [SPEED] = {"speed", "1", 1, 0, 100, 0, NULL, "at the start, at most: m/s along each axis, rad/s about it"},
};

enum {
    PLANES = 7
};

/* how far every face is from the centre of mass; half the depth of the pentagon, a prism [m] */
static const double FACE = 0.4, DEPTH = 0.2;

static nb_status make_shape(int in_space, nb_shape **shape) {
    static const nb_vec3 flat[PLANES] = {{1, 0, 0.2},    {0, 0, 1}, {-1, 0, -0.3}, {0, 0, -1},
                                         {0.8, 0, -0.8}, {0, 1, 0}, {0, -1, 0}};
    static const nb_vec3 space[PLANES] = {{1, 0.3, 0.2},     {0, -0.2, 1}, {-1, 0.1, -0.3}, {0.1, 0.3, -1},
                                          {0.8, -0.5, -0.8}, {0.2, 1, 0},  {-0.1, -1, 0.3}};
    const nb_vec3 *normals = in_space ? space : flat;
    double heights[PLANES];
    for (int i = 0; i < PLANES; i++) heights[i] = (i >= 5 && !in_space ? DEPTH : FACE) * nb_norm(normals[i]);
    return nb_shape_polytope(PLANES, normals, heights, shape);
}

static double lowest_corner(const nb_shape *shape, nb_quat turn) {
    double lowest = INFINITY;
    for (int32_t i = 0; i < shape->parts[0].vertex_count; i++)
        lowest = fmin(lowest, nb_quat_rotate(turn, shape->parts[0].vertices[i]).z);
    return lowest;
}

/* uniform over all turns, or over those about y */
static nb_quat random_turn(int in_space, uint64_t *seed) {
    nb_quat q = {0, 0, 0, 0};
    double square = 0;
    if (!in_space) return nb_quat_about(nb_vec3_of(0, 1, 0), nb_random_uniform(seed, -acos(-1.0), acos(-1.0)));
    while (square < 0.01 || square > 1) {
        q.w = nb_random_uniform(seed, -1, 1), q.x = nb_random_uniform(seed, -1, 1);
        q.y = nb_random_uniform(seed, -1, 1), q.z = nb_random_uniform(seed, -1, 1);
        square = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    }
    return nb_quat_normalized(q);
}

static nb_vec3 random_vector(double size, uint64_t *seed) {
    nb_vec3 v = {nb_random_uniform(seed, -size, size), 0, 0};
    v.y = nb_random_uniform(seed, -size, size);
    v.z = nb_random_uniform(seed, -size, size);
    return v;
}

static nb_status build(const double *p, uint64_t seed, nb_world **world) {
    nb_status status;
    nb_shape *shape;
    int32_t index;
    const int in_space = p[SET] != 0;
    NB_TRY(nb_world_create(world));
    (*world)->planar = !in_space;
    (*world)->settings.contact_margin = 0.02 * FACE;
    NB_TRY(nb_add_ground(*world, p[FRICTION], nb_quat_identity(), &index));
    NB_TRY(make_shape(in_space, &shape));
    NB_TRY(nb_world_add_shape(*world, shape, &index));
    nb_body body = {.kind = NB_BODY_DYNAMIC,
                    .mass = p[MASS],
                    .inertia = nb_vec3_of(p[INERTIA], p[INERTIA], p[INERTIA]),
                    .orientation = random_turn(in_space, &seed),
                    .shape = index,
                    .friction = p[FRICTION],
                    .linear_velocity = random_vector(p[SPEED], &seed),
                    .angular_velocity = random_vector(p[SPEED], &seed)};
    if (!in_space) body.linear_velocity.y = body.angular_velocity.x = body.angular_velocity.z = 0;
    body.position.z = nb_random_uniform(&seed, 0.5, 1) * p[HEIGHT] - lowest_corner(shape, body.orientation);
    NB_TRY(nb_world_add_body(*world, &body, &index));
    return NB_OK;
out:
    nb_world_destroy(*world);
    *world = NULL;
    return status;
}

static void check(const double *p, const nb_world *initial, const nb_snapshot *final, nb_checks *checks) {
    const double *q = final->q + 7, *u = final->u + 6, weight = nb_weight(initial);
    const nb_shape *shape = initial->shapes[initial->bodies[1].shape];
    const double turned = final->time_step * nb_norm(nb_vec3_of(u[3], u[4], u[5]));
    double before = 0, low = q[2] + lowest_corner(shape, (nb_quat){q[3], q[4], q[5], q[6]});
    const nb_body *body = &initial->bodies[1];
    before = 0.5 * p[MASS] * nb_dot(body->linear_velocity, body->linear_velocity) +
             0.5 * p[INERTIA] * nb_dot(body->angular_velocity, body->angular_velocity) +
             p[MASS] * nb_norm(initial->gravity) * body->position.z;
    if (initial->planar)
        nb_checks_add_below(checks, "way out of the plane", "m, m/s, rad/s", nb_out_of_plane(initial, final), 0);
    nb_checks_add(checks, "vertical force on the ground", "N", nb_force_of_fixed(initial, final).z,
                  weight + nb_momentum_rate(initial, final), 1e-4 * weight);
    nb_checks_add_below(checks, "energy gained", "J", nb_energy_at_end(initial, final) - before, 1e-6 * before);
    if (nb_takes_all_back(initial)) /* a corner on its circle leaves its tangent by half the square of the angle */
        nb_checks_add_below(checks, "penetration", "m", -low, 0.5 * shape->radius * turned * turned + 1e-4 * FACE);
}

const nb_scenario_class nb_drop = {
    .name = "drop",
    .summary = "a polytope that falls on the ground, at random",
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .size_parameter = -1,
    .paper = &nb_paper_lecleach,
    .time_step = 0.01,
    .steps = 150,
    .newton_iterations = 40,
    .linear_iterations = 40,
    .build = build,
    .check = check,
};
