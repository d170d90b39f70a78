/* Disks in a box that is shaken up and down, a large one below: it comes up (Anitescu and Hart, ICIAM 2003: 270 bodies,
 * h = 0.1 s, 50 s, friction and restitution 0.5; that the large one has three times the radius, and a shake takes 1.25
 * s, is our choice). */
#include <math.h>

#include "base/random.h"
#include "planar.h"

enum {
    COUNT,
    RADIUS,
    RATIO,
    FRICTION,
    WIDTH,
    AMPLITUDE,
    PERIOD,
    SPREAD,
    WALLS
};

static const nb_option parameters[] = {
    [COUNT] = {"count", "1", 270, 1, 20000, 1, NULL, "disks, the large one included"},
    [RADIUS] = {"radius", "m", 1, 1e-4, 1e3, 0, NULL, "radius of the others"},
    [RATIO] = {"ratio", "1", 3, 0.1, 20, 0, NULL, "radius of the large one over that"},
    [FRICTION] = {"mu", "1", 0.5, 0, 10, 0, NULL, "friction coefficient"},
    [WIDTH] = {"width", "1", 12, 2, 1000, 0, NULL, "width of the box in diameters of the others"},
    [AMPLITUDE] = {"amplitude", "m", 1, 0, 1e3, 0, NULL, "how far the box goes up and down"},
    [PERIOD] = {"period", "s", 1.25, 1e-3, 1e3, 0, NULL, "of a shake"},
    [SPREAD] = {"spread", "1", 0.05, 0, 0.3, 0, NULL,
                "random share of the others' radius, at most, that they are smaller by"},
    [WALLS] = {"wall-friction", "1", 1, 0, 10, 0, NULL, "friction at the two walls over that elsewhere"},
};

enum {
    BOX = 3 /* bodies: the floor and two walls; the large disk comes after them */
};

static const double PI = 3.14159265358979323846;

/* kept in prescribed: amplitude, period */
static void shake(nb_world *world, double h) {
    double omega = 2 * PI / world->prescribed[1], t = world->time;
    double way = world->prescribed[0] * (sin(omega * (t + h)) - sin(omega * t));
    for (int32_t b = 0; b < BOX; b++) world->bodies[b].linear_velocity = nb_vec3_of(0, 0, way / h);
}

static double half_width(const double *p) {
    return p[WIDTH] * p[RADIUS];
}

static nb_status add_box(nb_world *world, const double *p) {
    nb_status status;
    const double half = half_width(p), thick = 2 * p[RADIUS], deep = 2 * p[RATIO] * p[RADIUS] + p[RADIUS],
                 high = 8 * half + 4 * p[COUNT] * p[RADIUS] / p[WIDTH];
    const nb_vec3 sizes[BOX] = {nb_vec3_of(half + 2 * thick, deep, thick), nb_vec3_of(thick, deep, high),
                                nb_vec3_of(thick, deep, high)};
    const nb_vec3 places[BOX] = {nb_vec3_of(0, 0, -thick), nb_vec3_of(-half - thick, 0, high),
                                 nb_vec3_of(half + thick, 0, high)};
    for (int i = 0; i < BOX; i++) {
        int32_t shape, body;
        NB_TRY(nb_add_box_shape(world, sizes[i], &shape));
        /* a contact's friction is the geometric mean of its bodies' */
        NB_TRY(nb_world_add_solid(world, NB_BODY_KINEMATIC, shape, 0, p[FRICTION] * (i > 0 ? p[WALLS] * p[WALLS] : 1),
                                  places[i], nb_quat_identity(), &body));
    }
out:
    return status;
}

/* The others in rows above each other, every second one shifted, but where the large one is: it stands in the middle of
 * the floor. */
static nb_status add_disks(nb_world *world, const double *p, uint64_t seed) {
    nb_status status;
    int32_t shape, body;
    const double r = p[RADIUS], large = p[RATIO] * r, room = 1.02 * r;
    const int across = (int)(half_width(p) / room - 0.5);
    NB_TRY(nb_add_sphere_shape(world, large, &shape));
    NB_TRY(nb_add_lamina(world, shape, p[RATIO] * p[RATIO], p[FRICTION], 0, large, &body));
    for (int32_t row = 0, placed = 1; placed < (int32_t)p[COUNT]; row++)
        for (int i = 0; i < across && placed < (int32_t)p[COUNT]; i++) {
            double x = room * (2 * i - across + 1 + (row % 2 ? 0.5 : -0.5)), z = room * (1 + sqrt(3) * row);
            if (hypot(x, z - large) < large + room) continue;
            double own = r * (1 - nb_random_uniform(&seed, 0, p[SPREAD]));
            NB_TRY(nb_add_sphere_shape(world, own, &shape));
            NB_TRY(nb_add_lamina(world, shape, own * own / (r * r), p[FRICTION], x, z, &body));
            placed++;
        }
out:
    return status;
}

static nb_status build(const double *p, uint64_t seed, nb_world **world) {
    nb_status status;
    *world = NULL;
    if (p[RATIO] > p[WIDTH])
        return nb_fail(NB_ERROR_USAGE,
                       "scenario 'brazil-nut': ratio = %g: the box of width = %g is too narrow for that", p[RATIO],
                       p[WIDTH]);
    NB_TRY(nb_world_create(world));
    (*world)->planar = 1;
    /* within a step disks are pushed about as far: a contact that is not there is gone through */
    (*world)->settings.contact_margin = p[RADIUS];
    NB_TRY(add_box(*world, p));
    NB_TRY(add_disks(*world, p, seed));
    (*world)->prescribed[0] = p[AMPLITUDE];
    (*world)->prescribed[1] = p[PERIOD];
    (*world)->prescribe = shake;
    return NB_OK;
out:
    nb_world_destroy(*world);
    *world = NULL;
    return status;
}

static void check(const double *p, const nb_world *initial, const nb_snapshot *final, nb_checks *checks) {
    double weight = nb_weight(initial), half = half_width(p), floor = final->q[2] + 2 * p[RADIUS], out = 0;
    double omega = 2 * PI / p[PERIOD];
    for (int32_t b = BOX; b < initial->body_count; b++) {
        const double *q = final->q + 7 * (int64_t)b, r = initial->shapes[initial->bodies[b].shape]->radius;
        out = fmax(out, fmax(fabs(q[0]) + r - half, r - (q[2] - floor)));
    }
    nb_checks_add_below(checks, "way out of the plane", "m, m/s, rad/s", nb_out_of_plane(initial, final), 0);
    nb_checks_add(checks, "height of the floor", "m", floor, p[AMPLITUDE] * sin(omega * final->time),
                  1e-9 * fmax(1, p[AMPLITUDE]));
    nb_checks_add(checks, "vertical force of the box", "N", nb_force_of_fixed(initial, final).z,
                  weight + nb_momentum_rate(initial, final), 1e-4 * weight);
    /* an implicit step holds the gap of points of the disks, which turn away from the contact */
    if (!nb_takes_all_back(initial) || initial->settings.stepping.scheme == NB_STEPPING_IMPLICIT) return;
    nb_checks_add_below(checks, "way into floor and walls over the radius", "1", out / p[RADIUS], 1e-3);
    nb_checks_add_below(checks, "overlap over the radius", "1", nb_sphere_overlap(initial, final) / p[RADIUS], 1e-3);
}

/* "Convex Relaxation Method. One QP/step"; the iterations are our choice */
static const nb_paper_steps paper = {.source = "Anitescu, Hart 2003",
                                     .method = "apgd",
                                     .iterations = 3000,
                                     .record_every = 100,
                                     .time_stepping = NB_STEPPING_ANITESCU_HART,
                                     .restitution = 0.5,
                                     .friction_law = NB_FRICTION_RELAXED};

const nb_scenario_class nb_brazil_nut = {
    .name = "brazil-nut",
    .summary = "270 disks in a shaken box; the large one comes up; in a plane",
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .size_parameter = COUNT,
    .checks_all = 1,
    .paper = &paper,
    .time_step = 0.1,
    .steps = 500,
    .newton_iterations = 200,
    .linear_iterations = 100,
    .build = build,
    .check = check,
};
