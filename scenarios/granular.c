/* Spheres that fill a box and flow out of an opening at its side (Tasora and Anitescu 2009, section 3.2: 9,000 and
 * 50,000 spheres; their radius, step and friction are our choice). They begin as a loose lattice over the floor; with
 * `opening` 0 they stay. */
#include <math.h>

#include "base/largest.h"
#include "base/random.h"
#include "measure/infeasibility.h"
#include "planar.h"

enum {
    COUNT,
    RADIUS,
    DENSITY,
    FRICTION,
    WIDTH,
    OPENING,
    SPACING,
    JITTER
};

static const nb_option parameters[] = {
    [COUNT] = {"count", "1", 9000, 1, 1000000, 1, NULL, "spheres"},
    [RADIUS] = {"radius", "m", 0.005, 1e-6, 1e3, 0, NULL, "of a sphere"},
    [DENSITY] = {"density", "kg/m^3", 2500, 1e-3, 1e6, 0, NULL, "of a sphere"},
    [FRICTION] = {"mu", "1", 0.4, 0, 10, 0, NULL, "friction coefficient"},
    [WIDTH] = {"width", "1", 0, 0, 10000, 0, NULL, "width of the box in diameters; 0: as wide as the lattice is high"},
    [OPENING] = {"opening", "1", 6, 0, 10000, 0, NULL, "height of the opening along the floor in diameters; 0: none"},
    [SPACING] = {"spacing", "1", 0.05, 0, 10, 0, NULL, "gap between neighbors at the start, in diameters"},
    [JITTER] = {"jitter", "1", 0.02, 0, 0.5, 0, NULL,
                "random offset of a sphere at the start, in diameters, at most half the gap"},
};

/* the lattice's cells along a side, and their size */
typedef struct lattice {
    int32_t side;
    double pitch, half; /* half: of the box [m] */
} lattice;

static lattice lay_out(const double *p) {
    lattice l = {.pitch = 2 * p[RADIUS] * (1 + p[SPACING])};
    l.side = p[WIDTH] > 0 ? (int32_t)fmax(1, floor(p[WIDTH] / (1 + p[SPACING]))) : (int32_t)ceil(cbrt(p[COUNT]) - 1e-9);
    l.half = 0.5 * l.side * l.pitch;
    if (p[WIDTH] > 0) l.half = fmax(l.half, p[WIDTH] * p[RADIUS]);
    return l;
}

static nb_status add_wall(nb_world *world, const double *p, nb_vec3 half, nb_vec3 place) {
    nb_status status;
    int32_t shape, body;
    NB_TRY(nb_add_box_shape(world, half, &shape));
    NB_TRY(nb_world_add_solid(world, NB_BODY_FIXED, shape, 0, p[FRICTION], place, nb_quat_identity(), &body));
out:
    return status;
}

/* four walls, that towards x above the opening */
static nb_status add_walls(nb_world *world, const double *p, const lattice *l) {
    nb_status status;
    const double half = l->half, thick = 2 * p[RADIUS], open = 2 * p[RADIUS] * p[OPENING],
                 high = 0.5 * l->pitch * (ceil(p[COUNT] / ((double)l->side * l->side)) + 2),
                 low = fmin(open, 1.9 * high);
    NB_TRY(add_wall(world, p, nb_vec3_of(thick, half + 2 * thick, high), nb_vec3_of(-half - thick, 0, high)));
    NB_TRY(add_wall(world, p, nb_vec3_of(half, thick, high), nb_vec3_of(0, -half - thick, high)));
    NB_TRY(add_wall(world, p, nb_vec3_of(half, thick, high), nb_vec3_of(0, half + thick, high)));
    NB_TRY(add_wall(world, p, nb_vec3_of(thick, half + 2 * thick, high - 0.5 * low),
                    nb_vec3_of(half + thick, 0, high + 0.5 * low)));
out:
    return status;
}

static nb_status build(const double *p, uint64_t seed, nb_world **world) {
    nb_status status;
    int32_t body, shape;
    const lattice l = lay_out(p);
    const double shift = 2 * p[RADIUS] * fmin(p[JITTER], 0.5 * p[SPACING]),
                 mass = p[DENSITY] * 4.0 / 3.0 * acos(-1) * p[RADIUS] * p[RADIUS] * p[RADIUS];
    NB_TRY(nb_world_create(world));
    /* within a step spheres are pushed about as far: a contact that is not there is gone through */
    (*world)->settings.contact_margin = p[RADIUS];
    NB_TRY(nb_add_ground(*world, p[FRICTION], nb_quat_identity(), &body));
    NB_TRY(add_walls(*world, p, &l));
    NB_TRY(nb_add_sphere_shape(*world, p[RADIUS], &shape));
    for (int32_t i = 0; i < (int32_t)p[COUNT]; i++) {
        const int32_t column = i % l.side, row = i / l.side % l.side, layer = i / (l.side * l.side);
        nb_vec3 place = nb_vec3_of(l.pitch * (column - 0.5 * (l.side - 1)), l.pitch * (row - 0.5 * (l.side - 1)),
                                   l.pitch * (layer + 0.5));
        place.x += nb_random_uniform(&seed, -shift, shift);
        place.y += nb_random_uniform(&seed, -shift, shift);
        place.z += nb_random_uniform(&seed, -shift, shift);
        NB_TRY(nb_world_add_solid(*world, NB_BODY_DYNAMIC, shape, mass, p[FRICTION], place, nb_quat_identity(), &body));
    }
    return NB_OK;
out:
    nb_world_destroy(*world);
    *world = NULL;
    return status;
}

static void check(const double *p, const nb_world *initial, const nb_snapshot *final, nb_checks *checks) {
    double weight = nb_weight(initial), start = 0, out = 0;
    const lattice l = lay_out(p);
    for (int32_t b = 0; b < initial->body_count; b++) {
        const nb_body *body = &initial->bodies[b];
        const double *q = final->q + 7 * (int64_t)b;
        if (body->kind != NB_BODY_DYNAMIC) continue;
        start -= body->mass * nb_dot(initial->gravity, body->position);
        nb_raise(&out, p[RADIUS] - q[2]);
        /* inside, or outside beyond the opening */
        if (q[0] < l.half) nb_raise(&out, fmax(fabs(q[1]), -q[0]) + p[RADIUS] - l.half);
        if (p[OPENING] == 0) nb_raise(&out, q[0] + p[RADIUS] - l.half);
    }
    nb_checks_add(checks, "vertical force on ground and walls", "N", nb_force_of_fixed(initial, final).z,
                  weight + nb_momentum_rate(initial, final), 1e-4 * weight);
    nb_checks_add_below(checks, "energy over that at the start", "1", nb_energy_at_end(initial, final) / start,
                        1 + 1e-6);
    if (!nb_takes_all_back(initial)) return;
    nb_checks_add_below(checks, "deepest penetration over the radius", "1",
                        nb_penetration_of(initial, final) / p[RADIUS], 0.004);
    nb_checks_add_below(checks, "way through floor and walls over the radius", "1", out / p[RADIUS], 0.004);
}

/* It says 0 < K < 1 and no more: K is that of the scheme. */
static const nb_paper_steps paper = {.source = "Tasora, Anitescu 2009",
                                     .method = "psor",
                                     .iterations = 120,
                                     .record_every = 120, /* a look at the residual is as dear as four sweeps */
                                     .warm_start = 1,
                                     .time_stepping = NB_STEPPING_TASORA,
                                     .friction_law = NB_FRICTION_RELAXED};

const nb_scenario_class nb_granular = {
    .name = "granular",
    .summary = "spheres that fill a box and flow out of it at one side",
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .size_parameter = COUNT,
    .checks_all = 1,
    .paper = &paper,
    .time_step = 0.01,
    .steps = 100,
    .newton_iterations = 120,
    .linear_iterations = 20,
    .build = build,
    .check = check,
};
