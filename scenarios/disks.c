/* Disks on a plank, in a plane: `disks`, 21 in a pyramid as cannon balls lie (Anitescu and Hart, ICIAM 2003; friction
 * is our choice), and `three-disks`, the smallest one, which stands exactly where mu > tan 15 degrees = 2 - sqrt(3). */
#include <math.h>

#include "papers.h"
#include "planar.h"

enum {
    RADIUS,
    MASS,
    FRICTION,
    ROWS,
    PLANK
};

#define COMMON(mu)                                                                             \
    [RADIUS] = {"radius", "m", 3, 1e-3, 1e3, 0, NULL, "radius of a disk"},                     \
    [MASS] = {"mass", "kg", 1, 1e-6, 1e6, 0, NULL, "mass of a disk"}, [FRICTION] = {"mu", "1", \
                                                                                    mu,   0,   \
                                                                                    10,   0,   \
                                                                                    NULL, "friction coefficient"}

static const nb_option of_three[] = {COMMON(0.3)};
static const nb_option of_disks[] = {
    COMMON(0.3),
    [ROWS] = {"rows", "1", 6, 1, 60, 1, NULL, "disks in the lowest row, and rows"},
    [PLANK] = {"plank", "1", 2, 1, 100, 0, NULL, "length of the plank over that of the lowest row"},
};

static nb_status add_plank(nb_world *world, const double *p, int rows, double longer) {
    nb_status status;
    int32_t shape, body;
    nb_vec3 half = nb_vec3_of(longer * rows * p[RADIUS], 2 * p[RADIUS], 0.5 * p[RADIUS]);
    NB_TRY(nb_add_box_shape(world, half, &shape));
    NB_TRY(nb_world_add_solid(world, NB_BODY_FIXED, shape, 0, p[FRICTION], nb_vec3_of(0, 0, -half.z),
                              nb_quat_identity(), &body));
out:
    return status;
}

static nb_status build_pile(const double *p, int rows, double longer, nb_world **world) {
    nb_status status;
    int32_t shape, body;
    double r = p[RADIUS];
    NB_TRY(nb_world_create(world));
    (*world)->planar = 1;
    (*world)->settings.contact_margin = 0.1 * r;
    NB_TRY(add_plank(*world, p, rows, longer));
    NB_TRY(nb_add_sphere_shape(*world, r, &shape));
    for (int row = 0; row < rows; row++)
        for (int i = 0; i < rows - row; i++)
            NB_TRY(nb_add_lamina(*world, shape, p[MASS], p[FRICTION], r * (2 * i - (rows - row - 1)),
                                 r * (1 + row * sqrt(3)), &body));
    return NB_OK;
out:
    nb_world_destroy(*world);
    *world = NULL;
    return status;
}

static void check_pile(const double *p, const nb_world *initial, const nb_snapshot *final, nb_checks *checks) {
    double weight = nb_weight(initial), start = 0, turned = 0;
    for (int32_t b = 0; b < initial->body_count; b++)
        if (initial->bodies[b].kind == NB_BODY_DYNAMIC) {
            start -= initial->bodies[b].mass * nb_dot(initial->gravity, initial->bodies[b].position);
            turned = fmax(turned, final->time_step * fabs(final->u[6 * (int64_t)b + 4]));
        }
    /* The distance of two centres is a convex function of them: it is never less than its linearisation. An implicit
     * step holds the gap of points of the disks, which turn away from the contact. */
    if (initial->settings.stepping.scheme != NB_STEPPING_IMPLICIT) turned = 0;
    nb_checks_add_below(checks, "way out of the plane", "m, m/s, rad/s", nb_out_of_plane(initial, final), 0);
    nb_checks_add(checks, "vertical force on the plank", "N", nb_force_of_fixed(initial, final).z,
                  weight + nb_momentum_rate(initial, final), 1e-4 * weight);
    if (!nb_takes_all_back(initial)) return;
    /* what has sunk in is pushed out again, which adds some */
    if (initial->settings.stepping.scheme != NB_STEPPING_IMPLICIT)
        nb_checks_add_below(checks, "energy over that at the start", "1", nb_energy_at_end(initial, final) / start,
                            1 + 1e-6);
    nb_checks_add_below(checks, "overlap over the radius", "1", nb_sphere_overlap(initial, final) / p[RADIUS],
                        turned * turned + 1e-6);
}

static nb_status build_three(const double *p, uint64_t seed, nb_world **world) {
    (void)seed; /* nothing is random here */
    return build_pile(p, 2, 4, world);
}

static void check_three(const double *p, const nb_world *initial, const nb_snapshot *final, nb_checks *checks) {
    const double threshold = 2 - sqrt(3), drift = nb_drift(initial, final) / p[RADIUS];
    check_pile(p, initial, final, checks);
    if (p[FRICTION] > threshold) nb_checks_add_below(checks, "drift over the radius", "1", drift, 1e-7);
    if (p[FRICTION] < threshold)
        nb_checks_add_below(checks, "rest where the disks must part", "1", drift > 1e-7 ? 0 : 1, 0);
}

static nb_status build(const double *p, uint64_t seed, nb_world **world) {
    (void)seed; /* nothing is random here */
    return build_pile(p, (int)p[ROWS], p[PLANK], world);
}

const nb_scenario_class nb_three_disks = {
    .name = "three-disks",
    .summary = "a disk on two, in a plane, which stand where mu > 2 - sqrt(3)",
    .parameters = of_three,
    .parameter_count = sizeof of_three / sizeof *of_three,
    .size_parameter = -1,
    .checks_all = 1,
    .time_step = 0.05,
    .steps = 40,
    .newton_iterations = 100,
    .linear_iterations = 40,
    .build = build_three,
    .check = check_three,
};

const nb_scenario_class nb_disks = {
    .name = "disks",
    .summary = "21 disks on a plank, as cannon balls lie, in a plane",
    .parameters = of_disks,
    .parameter_count = sizeof of_disks / sizeof *of_disks,
    .size_parameter = ROWS,
    .checks_all = 1,
    .paper = &nb_paper_anitescu_hart,
    .time_step = 0.05,
    .steps = 200,
    .newton_iterations = 100,
    .linear_iterations = 100,
    .build = build,
    .check = check_pile,
};
