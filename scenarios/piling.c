/* Bodies dropped in layers into a heap: tables (a top and four legs), boxes or spheres (paper, section 10.1.5, fig.
 * 14). Every second layer is shifted by half a place, so that a body comes down on four. With no spacing and no tilt
 * they stand on each other from the start: boxes in any number then have about 15 contacts each. */
#include <math.h>

#include "base/largest.h"
#include "base/random.h"
#include "common.h"
#include "measure/infeasibility.h"
#include "papers.h"

enum {
    COUNT,
    SHAPE,
    MASS,
    FRICTION,
    SIZE,
    SPACING,
    JITTER,
    TILT,
    YAW,
    STAGGER,
    WALLS,
    OFFSET
};

static const double PI = 3.14159265358979323846;

enum {
    TABLE,
    BOX,
    SPHERE
};

static const char *const shapes[] = {[TABLE] = "table", [BOX] = "box", [SPHERE] = "sphere", NULL};

static const nb_option parameters[] = {
    [COUNT] = {"count", "1", 54, 1, 1000000, 1, NULL, "bodies"},
    [SHAPE] = {"shape", "1", TABLE, 0, 0, 0, shapes, "table, box or sphere"},
    [MASS] = {"mass", "kg", 4.7, 1e-6, 1e6, 0, NULL, "mass of a body"},
    [FRICTION] = {"mu", "1", 0.7, 0, 10, 0, NULL, "friction coefficient"},
    [SIZE] = {"size", "m", 0.3, 1e-3, 1e3, 0, NULL, "width of a body"},
    [SPACING] = {"spacing", "1", 0.02, 0, 10, 0, NULL, "gap between layers and neighbors at the start, in sizes"},
    [JITTER] = {"jitter", "1", 0.05, 0, 0.5, 0, NULL,
                "random sideways offset of a body at the start, in sizes, at most"},
    [TILT] = {"tilt", "rad", 0.15, 0, 1, 0, NULL, "random tilt of a body at the start, at most"},
    [YAW] = {"yaw", "rad", 0.3, 0, 3.2, 0, NULL, "random turn of a body about the vertical at the start, at most"},
    [STAGGER] = {"stagger", "1", 0.1, 0, 0.5, 0, NULL,
                 "shift of every second layer along both axes, in places of a row"},
    [WALLS] = {"walls", "1", 0, 0, 1, 1, NULL, "1: four walls around the heap"},
    [OFFSET] =
        {"offset", "1", 0, 0, 1e-3, 0, NULL,
         "random offset of a body along each axis at the start, in sizes, at most; what touched overlaps or parts"},
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

/* how the layers are laid out */
typedef struct lattice {
    int32_t row;   /* bodies in a row of a layer */
    double pitch;  /* distance of neighbours in a row [m] */
    double height; /* of a layer [m] */
    double below;  /* how far a body's centre is above the layer's lowest point [m] */
} lattice;

/* Room for a body of any permitted turn around its centre of mass; a table's is 0.847 of its size above its feet. A
 * tilt raises a corner by what it is aside, at most the half diagonal, and moves it aside by what it is below. */
static lattice lay_out(const double *p) {
    double size = p[SIZE], yaw = fmin(p[YAW], 0.25 * PI), tilt = sin(p[TILT]);
    double aside = 0.5 * (cos(yaw) + sin(yaw)) + 0.85 * tilt, above = 0.5 + 0.71 * tilt, below = above;
    if (p[SHAPE] == SPHERE) aside = above = below = 0.5;
    if (p[SHAPE] == TABLE) above = 0.154 + 0.71 * tilt, below = 0.847 + 0.71 * tilt;
    return (lattice){
        .row = (int32_t)ceil(cbrt(0.5 * p[COUNT]) - 1e-9), /* the tower is about twice as high as wide */
        .pitch = size * (2 * aside + 2 * p[JITTER] + p[SPACING]),
        .height = size * (above + below + p[SPACING]),
        .below = size * below,
    };
}

static nb_status add_walls(nb_world *world, const double *p, const lattice *l) {
    nb_status status = NB_OK;
    double half = (0.5 * l->row + 0.25) * l->pitch, thick = p[SIZE];
    double high = (ceil(p[COUNT] / (l->row * l->row)) + 1) * l->height;
    for (int i = 0; i < 4; i++) {
        int along_y = i / 2;
        double sign = i % 2 ? -1 : 1, place = sign * (half + thick / 2);
        nb_vec3 size =
            along_y ? nb_vec3_of(half + thick, thick / 2, high / 2) : nb_vec3_of(thick / 2, half + thick, high / 2);
        int32_t shape, body;
        NB_TRY(nb_add_box_shape(world, size, &shape));
        NB_TRY(nb_world_add_solid(world, NB_BODY_FIXED, shape, 0, p[FRICTION],
                                  nb_vec3_of(along_y ? 0 : place, along_y ? place : 0, high / 2), nb_quat_identity(),
                                  &body));
    }
out:
    return status;
}

/* a tilt about a random horizontal axis, after a turn about the vertical */
static nb_quat random_turn(const double *p, uint64_t *seed) {
    double yaw = nb_random_uniform(seed, -p[YAW], p[YAW]), tilt = nb_random_uniform(seed, -p[TILT], p[TILT]);
    double direction = nb_random_uniform(seed, 0, 2 * PI);
    return nb_quat_product(nb_quat_about(nb_vec3_of(cos(direction), sin(direction), 0), tilt),
                           nb_quat_about(nb_vec3_of(0, 0, 1), yaw));
}

static nb_status add_bodies(nb_world *world, const double *p, uint64_t seed, const lattice *l) {
    nb_status status;
    int32_t shape, body, count = (int32_t)p[COUNT];
    double shift = p[SIZE] * p[JITTER], first = -0.5 * (l->row - 1) * l->pitch;
    NB_TRY(add_body_shape(world, p, &shape));
    for (int32_t i = 0; i < count; i++) {
        int32_t layer = i / (l->row * l->row), row = i / l->row % l->row, column = i % l->row;
        double stagger = (layer % 2 ? 0.5 : -0.5) * p[STAGGER] * l->pitch;
        nb_vec3 place = nb_vec3_of(first + column * l->pitch + stagger, first + row * l->pitch + stagger,
                                   l->below + layer * l->height);
        place.x += nb_random_uniform(&seed, -shift, shift);
        place.y += nb_random_uniform(&seed, -shift, shift);
        nb_quat turn = random_turn(p, &seed);
        place = nb_add(place, nb_random_offset(&seed, p[OFFSET] * p[SIZE]));
        NB_TRY(nb_world_add_solid(world, NB_BODY_DYNAMIC, shape, p[MASS], p[FRICTION], place, turn, &body));
    }
out:
    return status;
}

static nb_status build(const double *p, uint64_t seed, nb_world **world) {
    nb_status status;
    int32_t ground;
    lattice l = lay_out(p);
    NB_TRY(nb_world_create(world));
    /* the legs of tables are slender: a generous margin finds about as many contacts as the paper's (850 for 936) */
    (*world)->settings.contact_margin = (p[SHAPE] == TABLE ? 0.08 : 0.02) * p[SIZE];
    NB_TRY(nb_add_ground(*world, p[FRICTION], nb_quat_identity(), &ground));
    if (p[WALLS] != 0) NB_TRY(add_walls(*world, p, &l));
    NB_TRY(add_bodies(*world, p, seed, &l));
    return NB_OK;
out:
    nb_world_destroy(*world);
    *world = NULL;
    return status;
}

/* kinetic energy and that of height [J] */
static double energy_of(const nb_body *body, double g, const double *q, const double *u) {
    nb_vec3 v = nb_vec3_of(u[0], u[1], u[2]), spin = nb_vec3_of(u[3], u[4], u[5]);
    nb_vec3 w = nb_quat_rotate(nb_quat_conjugate((nb_quat){q[3], q[4], q[5], q[6]}), spin);
    double turning = body->inertia.x * w.x * w.x + body->inertia.y * w.y * w.y + body->inertia.z * w.z * w.z;
    return body->mass * (0.5 * nb_dot(v, v) + g * q[2]) + 0.5 * turning;
}

static void check(const double *p, const nb_world *initial, const nb_snapshot *final, nb_checks *checks) {
    double weight = nb_weight(initial), g = nb_norm(initial->gravity), rate = nb_momentum_rate(initial, final),
           start = 0, energy = 0;
    for (int32_t b = 0; b < initial->body_count; b++) {
        const nb_body *body = &initial->bodies[b];
        if (body->kind != NB_BODY_DYNAMIC) continue;
        const double *u = final->u + 6 * (int64_t)b;
        start += body->mass * g * body->position.z;
        energy += energy_of(body, g, final->q + 7 * (int64_t)b, u);
    }
    /* what ground and walls carry is the weight plus the change of momentum, whatever the contacts between bodies do */
    nb_checks_add(checks, "vertical force on ground and walls", "N", nb_force_of_fixed(initial, final).z, weight + rate,
                  1e-4 * weight);
    /* neither contacts nor implicit Euler add any; penetration that is pushed out does */
    nb_checks_add_below(checks, "energy over that at the start", "1", energy / start, 1 + 1e-6);
    nb_checks_add_below(checks, "deepest penetration over the size", "1", nb_penetration_of(initial, final) / p[SIZE],
                        0.01 + nb_penetration_left(initial, final) / p[SIZE]);
}

const nb_scenario_class nb_piling = {
    .name = "piling",
    .summary = "tables, boxes or spheres dropped into a heap",
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .size_parameter = COUNT,
    .paper = &nb_paper_macklin,
    .time_step = 0.0083,
    .steps = 120,
    .newton_iterations = 4,
    .linear_iterations = 20,
    .build = build,
    .check = check,
};
