/* Bodies dropped in layers into a heap: tables (a top and four legs), boxes or spheres (paper, section 10.1.5, fig. 14). */
#include <math.h>

#include "base/random.h"
#include "common.h"

enum {
    COUNT,
    SHAPE,
    MASS,
    FRICTION,
    SIZE,
    SPACING,
    JITTER,
    TILT,
    WALLS
};

enum {
    TABLE,
    BOX,
    SPHERE
};

static const char *const shapes[] = {[TABLE] = "table", [BOX] = "box", [SPHERE] = "sphere", NULL};

static const nb_option parameters[] = {
    [COUNT] = {"count", "1", 54, 1, 200000, 1, NULL, "bodies"},
    [SHAPE] = {"shape", "1", TABLE, 0, 0, 0, shapes, "table, box or sphere"},
    [MASS] = {"mass", "kg", 4.7, 1e-6, 1e6, 0, NULL, "mass of a body"},
    [FRICTION] = {"mu", "1", 0.7, 0, 10, 0, NULL, "friction coefficient"},
    [SIZE] = {"size", "m", 0.5, 1e-3, 1e3, 0, NULL, "width of a body"},
    [SPACING] = {"spacing", "1", 0.1, 0, 10, 0, NULL, "gap between bodies at the start, in sizes; 0: they touch"},
    [JITTER] = {"jitter", "1", 0.05, 0, 0.5, 0, NULL, "random offset of a body at the start, in sizes, at most"},
    [TILT] = {"tilt", "rad", 0.2, 0, 1, 0, NULL, "random tilt of a body at the start, at most"},
    [WALLS] = {"walls", "1", 0, 0, 1, 1, NULL, "1: four walls around the heap"},
};

/* a top and four legs, as wide as high, centred */
static nb_status table_shape(double size, nb_shape **table) {
    nb_status status;
    nb_shape *leg = NULL;
    nb_vec3 centre, moments;
    nb_quat axes;
    double volume, thick = 0.08 * size, half = size / 2, high = size - thick;
    *table = NULL;
    NB_TRY(nb_shape_box(nb_vec3_of(half, half, thick / 2), table));
    NB_TRY(nb_shape_box(nb_vec3_of(thick / 2, thick / 2, high / 2), &leg));
    for (int i = 0; i < 4; i++)
        NB_TRY(nb_shape_append(*table, leg,
                               nb_vec3_of((i % 2 ? 1 : -1) * (half - thick / 2), (i / 2 ? 1 : -1) * (half - thick / 2),
                                          -(thick + high) / 2),
                               nb_quat_identity()));
    nb_shape_centre(*table, &centre, &axes, &moments, &volume);
out:
    nb_shape_destroy(leg);
    if (status != NB_OK) {
        nb_shape_destroy(*table);
        *table = NULL;
    }
    return status;
}

static nb_status add_body_shape(nb_world *world, const double *p, int32_t *index) {
    nb_status status;
    nb_shape *shape;
    double half = p[SIZE] / 2;
    if (p[SHAPE] == SPHERE)
        NB_TRY(nb_shape_sphere(half, &shape));
    else if (p[SHAPE] == BOX)
        NB_TRY(nb_shape_box(nb_vec3_of(half, half, half), &shape));
    else
        NB_TRY(table_shape(p[SIZE], &shape));
    NB_TRY(nb_world_add_shape(world, shape, index));
out:
    return status;
}

/* bodies in a row of a layer: the heap is about as high as wide */
static int row_length(const double *p) {
    return (int)ceil(cbrt(p[COUNT]) - 1e-9);
}

static nb_status add_walls(nb_world *world, const double *p, double half) {
    nb_status status = NB_OK;
    int n = row_length(p);
    double high = (p[COUNT] / (n * n) + 2) * p[SIZE] * (1 + p[SPACING]), thick = p[SIZE];
    for (int i = 0; i < 4; i++) {
        int along_y = i / 2;
        double sign = i % 2 ? -1 : 1, place = sign * (half + thick / 2);
        nb_vec3 size = along_y ? nb_vec3_of(half + thick, thick / 2, high / 2) : nb_vec3_of(thick / 2, half + thick, high / 2);
        int32_t shape, body;
        NB_TRY(nb_add_box_shape(world, size, &shape));
        NB_TRY(nb_world_add_solid(world, NB_BODY_FIXED, shape, 0, p[FRICTION],
                                  nb_vec3_of(along_y ? 0 : place, along_y ? place : 0, high / 2), nb_quat_identity(), &body));
    }
out:
    return status;
}

/* how far a body can reach beyond half its size when it is tilted and moved at random */
static double slack(const double *p) {
    return p[SIZE] * (p[JITTER] + (p[SHAPE] == SPHERE ? 0 : 0.9 * sin(p[TILT])));
}

static nb_status add_bodies(nb_world *world, const double *p, uint64_t seed, double pitch, double clear) {
    nb_status status;
    int32_t shape, body, n = row_length(p), count = (int32_t)p[COUNT];
    NB_TRY(add_body_shape(world, p, &shape));
    for (int32_t i = 0; i < count; i++) {
        int32_t layer = i / (n * n), row = i / n % n, column = i % n;
        double shift = p[SIZE] * p[JITTER], turn = nb_random_uniform(&seed, -p[TILT], p[TILT]);
        double direction = nb_random_uniform(&seed, 0, 6.283185307179586);
        nb_vec3 place = nb_vec3_of((column - (n - 1) / 2.0) * pitch + nb_random_uniform(&seed, -shift, shift),
                                   (row - (n - 1) / 2.0) * pitch + nb_random_uniform(&seed, -shift, shift),
                                   p[SIZE] / 2 + clear + layer * pitch);
        NB_TRY(nb_world_add_solid(world, NB_BODY_DYNAMIC, shape, p[MASS], p[FRICTION], place,
                                  nb_quat_about(nb_vec3_of(cos(direction), sin(direction), 0), turn), &body));
    }
out:
    return status;
}

static nb_status build(const double *p, uint64_t seed, nb_world **world) {
    nb_status status;
    int32_t ground;
    /* a body is placed by its centre of mass: a table's is 0.85 of its size above its feet */
    double high = p[SHAPE] == TABLE ? 0.35 * p[SIZE] : 0, pitch = p[SIZE] * (1 + p[SPACING]) + 2 * slack(p);
    NB_TRY(nb_world_create(world));
    (*world)->contact_margin = 0.02 * p[SIZE];
    NB_TRY(nb_add_ground(*world, p[FRICTION], nb_quat_identity(), &ground));
    if (p[WALLS] != 0) NB_TRY(add_walls(*world, p, row_length(p) * pitch / 2));
    NB_TRY(add_bodies(*world, p, seed, pitch, slack(p) + high));
    return NB_OK;
out:
    nb_world_destroy(*world);
    *world = NULL;
    return status;
}

static int is_fixed(const void *context, int32_t other) {
    return ((const nb_world *)context)->bodies[other].kind == NB_BODY_FIXED;
}

static void check(const double *p, const nb_world *initial, const nb_snapshot *final, nb_checks *checks) {
    double weight = nb_weight(initial), g = nb_norm(initial->gravity), energy = 0, deepest = 0, drop = 0;
    nb_vec3 support = nb_vec3_of(0, 0, 0), change = nb_vec3_of(0, 0, 0);
    for (int32_t b = 0; b < initial->body_count; b++) {
        const nb_body *body = &initial->bodies[b];
        if (body->kind != NB_BODY_DYNAMIC) continue;
        const double *u = final->u + 6 * (int64_t)b, *before = final->u_before + 6 * (int64_t)b;
        support = nb_add(support, nb_force_from(final, b, is_fixed, initial));
        for (int k = 0; k < 3; k++) (&change.x)[k] += body->mass * (u[k] - before[k]) / final->time_step;
        energy += 0.5 * body->mass * (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
        drop += body->mass * g * body->position.z;
    }
    for (int32_t i = 0; i < final->contacts; i++) deepest = fmax(deepest, -final->gap[i]);
    /* what ground and walls carry is the weight plus the change of momentum, whatever the contacts between bodies do */
    nb_checks_add(checks, "vertical force on ground and walls", "N", support.z, weight + change.z, 1e-4 * weight);
    nb_checks_add_below(checks, "kinetic energy over the energy of the drop", "1", energy / drop, 1);
    nb_checks_add_below(checks, "deepest penetration over the size", "1", deepest / p[SIZE], 0.02);
}

const nb_scenario_class nb_piling = {
    .name = "piling",
    .summary = "tables, boxes or spheres dropped into a heap",
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .size_parameter = COUNT,
    .time_step = 0.0083,
    .steps = 120,
    .newton_iterations = 4,
    .linear_iterations = 20,
    .build = build,
    .check = check,
};
