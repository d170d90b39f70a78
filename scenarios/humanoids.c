/* Humanoids, each an island of its own: 25 links with 24 joints that motors drive, and a cube thrown at it, 26 bodies
 * as in the paper's scene of 200 (section 10.1.7, fig. 15, table 2), which took a model of MuJoCo's and a policy that
 * learned to run. These are boxes, and their motors swing each joint to and fro: they lie, kick, and roll over. With
 * `amplitude` 0 and `lying` 0 they stand. */
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "papers.h"
#include "robot.h"

enum {
    COUNT,
    LYING,
    AMPLITUDE,
    FREQUENCY,
    STIFFNESS,
    DAMPING,
    CUBE,
    FRICTION
};

static const nb_option parameters[] = {
    [COUNT] = {"count", "1", 200, 1, 20000, 1, NULL, "humanoids"},
    [LYING] = {"lying", "1", 1, 0, 1, 1, NULL, "1: they begin lying, each turned at random; 0: standing"},
    [AMPLITUDE] = {"amplitude", "rad", 0.4, 0, 1.5, 0, NULL, "how far each joint is driven to and fro"},
    [FREQUENCY] = {"frequency", "1/s", 1, 0, 20, 0, NULL, "how often"},
    [STIFFNESS] = {"stiffness", "N m/rad", 200, 1e-3, 1e7, 0, NULL,
                   "of the motors of hips and knees; others are softer"},
    [DAMPING] = {"damping", "N m s/rad", 5, 0, 1e6, 0, NULL, "damping of the motors"},
    [CUBE] = {"cube-mass", "kg", 2, 1e-6, 1e6, 0, NULL, "mass of the cube that falls on each"},
    [FRICTION] = {"mu", "1", 0.8, 0, 10, 0, NULL, "friction coefficient"},
};

enum {
    LINKS = 25
};

static const double PI = 3.14159265358979323846;
static const double pitch = 3;  /* [m] between neighbours */
static const double height = 1; /* [m] of a standing one's pelvis, about */
static const double margin = 0.01;

/* ahead is x, left y, up z; side 1 is left, -1 right */
static nb_link box(double hx, double hy, double hz, nb_vec3 centre, double mass) {
    return (nb_link){
        .half = nb_vec3_of(hx, hy, hz), .centre = centre, .mass = mass, .parent = -1, .kind = NB_JOINT_DISTANCE};
}

/* `axis` 0, 1, 2: x, y, z */
static nb_link joined(nb_link link, int parent, nb_vec3 anchor, int axis, double strength) {
    link.parent = parent;
    link.anchor = anchor;
    link.kind = NB_JOINT_REVOLUTE;
    link.axis = nb_vec3_of(axis == 0, axis == 1, axis == 2);
    link.stiffness = link.damping = strength;
    return link;
}

/* a small mass within a joint of two axes */
static nb_link between(nb_vec3 centre, int parent, int axis, double strength) {
    nb_link link = joined(box(0.04, 0.04, 0.04, centre, 0.5), parent, centre, axis, strength);
    link.ghost = 1;
    return link;
}

enum {
    PELVIS,
    ABDOMEN,
    CHEST,
    NECK,
    HEAD,
    LIMBS
};

static void make_links(const double *p, nb_link links[LINKS]) {
    int n = LIMBS;
    links[PELVIS] = box(0.08, 0.15, 0.06, nb_vec3_of(0, 0, 0.99), 10);
    links[ABDOMEN] = joined(box(0.07, 0.11, 0.05, nb_vec3_of(0, 0, 1.13), 5), PELVIS, nb_vec3_of(0, 0, 1.065), 2, 1);
    links[CHEST] = joined(box(0.09, 0.16, 0.12, nb_vec3_of(0, 0, 1.33), 14), ABDOMEN, nb_vec3_of(0, 0, 1.195), 1, 1);
    links[NECK] = between(nb_vec3_of(0, 0, 1.49), CHEST, 2, 0.1);
    links[HEAD] = joined(box(0.08, 0.07, 0.1, nb_vec3_of(0, 0, 1.63), 4), NECK, nb_vec3_of(0, 0, 1.49), 1, 0.1);
    for (int side = -1; side <= 1; side += 2) {
        double hip = 0.1 * side, shoulder = 0.24 * side;
        links[n] = between(nb_vec3_of(0, hip, 0.9), PELVIS, 0, 1);
        links[n + 1] = joined(box(0.05, 0.05, 0.17, nb_vec3_of(0, hip, 0.7), 7), n, nb_vec3_of(0, hip, 0.9), 1, 1);
        links[n + 2] =
            joined(box(0.04, 0.04, 0.17, nb_vec3_of(0, hip, 0.3), 3.5), n + 1, nb_vec3_of(0, hip, 0.5), 1, 1);
        links[n + 3] = between(nb_vec3_of(0, hip, 0.1), n + 2, 1, 0.5);
        links[n + 4] =
            joined(box(0.12, 0.045, 0.03, nb_vec3_of(0.04, hip, 0.03), 1.5), n + 3, nb_vec3_of(0, hip, 0.1), 0, 0.5);
        n += 5;
        links[n] = between(nb_vec3_of(0, shoulder, 1.4), CHEST, 1, 0.3);
        links[n + 1] =
            joined(box(0.035, 0.035, 0.12, nb_vec3_of(0, shoulder, 1.22), 2), n, nb_vec3_of(0, shoulder, 1.4), 0, 0.3);
        links[n + 2] = joined(box(0.03, 0.03, 0.11, nb_vec3_of(0, shoulder, 0.93), 1.2), n + 1,
                              nb_vec3_of(0, shoulder, 1.07), 1, 0.3);
        links[n + 3] = between(nb_vec3_of(0, shoulder, 0.79), n + 2, 2, 0.05);
        links[n + 4] = joined(box(0.02, 0.04, 0.07, nb_vec3_of(0, shoulder, 0.69), 0.5), n + 3,
                              nb_vec3_of(0, shoulder, 0.79), 1, 0.05);
        n += 5;
    }
    for (int i = 0; i < LINKS; i++) {
        links[i].stiffness *= p[STIFFNESS];
        links[i].damping *= p[DAMPING];
    }
}

/* kept in prescribed: amplitude, frequency. Joints swing out of step: each a golden share of a turn after the one
 * before. */
static void swing(nb_world *world, double h) {
    double amplitude = world->prescribed[0], omega = 2 * PI * world->prescribed[1], t = world->time + h;
    for (int32_t m = 0; m < world->motor_count; m++) {
        double phase = 2 * PI * fmod(0.61803398874989485 * m, 1);
        /* from the pose that they were built in */
        world->motors[m].target = amplitude * (sin(omega * t + phase) - sin(phase) * exp(-4 * t));
        world->motors[m].rate = amplitude * (omega * cos(omega * t + phase) + 4 * sin(phase) * exp(-4 * t));
    }
}

static nb_placed pose_of(const double *p, int32_t i, uint64_t *seed) {
    int32_t row = (int32_t)ceil(sqrt(p[COUNT]));
    int32_t line = i / row;
    nb_vec3 spot = nb_vec3_of(pitch * (i % row), pitch * line, 0);
    nb_quat turn = nb_quat_about(nb_vec3_of(0, 0, 1), nb_random_uniform(seed, -PI, PI));
    if (p[LYING] == 0) return (nb_placed){spot, turn};
    /* on its back or its front, its waist over the spot, higher than anything of it is off its axis */
    double way = nb_random_uniform(seed, 0, 1) < 0.5 ? 0.5 * PI : -0.5 * PI;
    turn = nb_quat_product(turn, nb_quat_about(nb_vec3_of(0, 1, 0), way));
    spot.z = 0.25;
    return (nb_placed){nb_sub(spot, nb_quat_rotate(turn, nb_vec3_of(0, 0, height))), turn};
}

static nb_status add_cube(nb_world *world, const double *p, int32_t shape, const nb_placed *at) {
    int32_t body;
    nb_vec3 over = nb_add(at->position, nb_quat_rotate(at->turn, nb_vec3_of(0, 0, p[LYING] != 0 ? 1.2 : 1)));
    /* clear of the standing, in front of their chests */
    over = nb_add(over, p[LYING] != 0 ? nb_vec3_of(0, 0, 0.5) : nb_quat_rotate(at->turn, nb_vec3_of(0.6, 0, 0)));
    if (p[LYING] == 0) over.z = 0.1;
    return nb_world_add_solid(world, NB_BODY_DYNAMIC, shape, p[CUBE], p[FRICTION], over, at->turn, &body);
}

static nb_status build(const double *p, uint64_t seed, nb_world **world) {
    nb_status status;
    int32_t ground, first, cube;
    nb_link links[LINKS];
    make_links(p, links);
    NB_TRY(nb_world_create(world));
    (*world)->settings.contact_margin = margin;
    NB_TRY(nb_add_ground(*world, p[FRICTION], nb_quat_identity(), &ground));
    NB_TRY(nb_add_link_shapes(*world, links, LINKS));
    NB_TRY(nb_add_box_shape(*world, nb_vec3_of(0.1, 0.1, 0.1), &cube));
    for (int32_t i = 0; i < (int32_t)p[COUNT]; i++) {
        nb_placed at = pose_of(p, i, &seed);
        NB_TRY(nb_add_robot(*world, links, LINKS, p[FRICTION], &at, &first));
        NB_TRY(add_cube(*world, p, cube, &at));
    }
    (*world)->prescribed[0] = p[AMPLITUDE];
    (*world)->prescribed[1] = p[FREQUENCY];
    (*world)->prescribe = swing;
    return NB_OK;
out:
    nb_world_destroy(*world);
    *world = NULL;
    return status;
}

static void check(const double *p, const nb_world *initial, const nb_snapshot *final, nb_checks *checks) {
    double weight = nb_weight(initial), lowest = INFINITY;
    for (int32_t i = 0; i < (int32_t)p[COUNT]; i++)
        lowest = fmin(lowest, final->q[7 * (1 + (int64_t)i * (LINKS + 1) + HEAD) + 2]);
    /* what the ground carries is the weight plus the change of momentum, whatever motors do */
    nb_checks_add(checks, "vertical force on the ground", "N", nb_force_of_fixed(initial, final).z,
                  weight + nb_momentum_rate(initial, final), 1e-4 * weight);
    nb_checks_add_below(checks, "joint error", "m or rad", nb_joint_error(initial, final), 1e-3);
    if (p[LYING] == 0 && p[AMPLITUDE] == 0 && p[STIFFNESS] >= 200 && p[FRICTION] > 0.3)
        nb_checks_add(checks, "height of the lowest head", "m", lowest, 1.63, 0.02);
}

const nb_scenario_class nb_humanoids = {
    .name = "humanoids",
    .summary = "humanoids with motors at their joints, who lie and kick or stand",
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .size_parameter = COUNT,
    .paper = &nb_paper_macklin,
    .time_step = 0.0083,
    .steps = 60,
    .newton_iterations = 4,
    .linear_iterations = 10,
    .build = build,
    .check = check,
};
