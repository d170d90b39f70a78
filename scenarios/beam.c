/* A flexible beam of rigid segments, held at one end and pushed along its axis into a slot (paper, section 10.1.2,
 * fig. 7 and 16). Segments are joined rigidly in position and softly in bending and twist. The slot is a little turned
 * against the beam, so that it bends and rubs, and opens towards it as a shallow funnel: at a sharp mouth the fixed
 * normals of a step (edge against edge) would stop segments that pass. Without slot and speed it is a cantilever under
 * its own weight.
 *
 * With `arm` 1 the held end is the hand of a robot of 26 bodies and 26 joints, which make 42 of each with the beam's,
 * as in the paper: a model of the Fetch robot there, masses alone with motors here, whose base slides along the beam.
 * Its 252 rows of joints hang on each other in one chain, from links of 2 kg to segments of 3 g, and want some 400
 * iterations of `pcr` with `jacobi`: at 50, the scenario's own, what is left of each step makes it diverge (natural map
 * 42 m/s after 132 steps of 8.3 ms; 0.39 with `cholesky`, 0.12 without the arm). `--form stiffness --preconditioner
 * ic0` is as good as `cholesky` at 50: between nodes of a chain an incomplete factor lacks nothing. */
#include <math.h>

#include "papers.h"
#include "robot.h"

enum {
    COUNT,
    MASS,
    STIFFNESS,
    COMPLIANCE,
    SPEED,
    SLOT,
    CLEARANCE,
    TURN,
    FRICTION,
    LENGTH,
    ARM
};

static const nb_option parameters[] = {
    [COUNT] = {"count", "1", 16, 1, 2000, 1, NULL, "segments"},
    [MASS] = {"mass", "kg", 0.003, 1e-9, 1e6, 0, NULL, "mass of a segment"},
    [STIFFNESS] = {"stiffness", "N m/rad", 250, 1e-6, 1e12, 0, NULL, "stiffness of a joint about each axis"},
    [COMPLIANCE] = {"position-compliance", "m/N", 0, 0, 1, 0, NULL, "compliance of a joint's position; 0: rigid"},
    [SPEED] = {"insertion-speed", "m/s", 0.7, 0, 100, 0, NULL, "speed of the held end along the beam"},
    [SLOT] = {"slot", "1", 1, 0, 1, 1, NULL, "1: there is a slot to push into"},
    [CLEARANCE] = {"clearance", "m", 0.0005, 0, 1, 0, NULL, "gap between beam and slot on each side"},
    [TURN] = {"slot-turn", "rad", 0.004, -0.04, 0.04, 0, NULL,
              "how far the slot is turned against the beam, up and aside"},
    [FRICTION] = {"mu", "1", 0.5, 0, 10, 0, NULL, "friction coefficient"},
    [LENGTH] = {"segment-length", "m", 0.05, 1e-3, 1e3, 0, NULL, "length of a segment; 0.6 as wide, 0.4 as high"},
    [ARM] = {"arm", "1", 0, 0, 1, 1, NULL, "1: a robot holds the beam"},
};

static const double gravity = 9.81;
/* tangent of the funnel's angle: a segment that passes the mouth sinks by less than the usual clearance in a step */
static const double FUNNEL_SLOPE = 0.05;

/* ---- the arm: from the hand, which is the first body, to the base, each link joined to the one before it ---- */

enum {
    HAND_LINKS = 3, /* hand and two fingers */
    AXES = 7,       /* of the arm, from the wrist on */
    PARTS = 13,     /* head, wheels, and what else a robot carries */
    LIFT = HAND_LINKS + AXES,
    BASE,
    SLIDE,
    LINKS = SLIDE + 1 + PARTS,
    SLIDE_MOTOR = AXES + 1
};

static const double hand_before = 0.03; /* the hand's middle before the beam's end [m] */

static void make_arm(nb_link links[LINKS]) {
    const nb_vec3 x = nb_vec3_of(1, 0, 0), y = nb_vec3_of(0, 1, 0), z = nb_vec3_of(0, 0, 1);
    static const double apart[AXES] = {0.05, 0.1, 0.1, 0.15, 0.15, 0.1, 0.1}; /* of the arm's axes [m] */
    double place = -hand_before;
    for (int i = 0; i < LINKS; i++) {
        int axis = i - HAND_LINKS;
        nb_link *link = &links[i];
        *link = (nb_link){.half = nb_vec3_of(0.03, 0.03, 0.03),
                          .mass = i < LIFT ? 0.5 : 2,
                          .stiffness = 1e5,
                          .damping = 1e3,
                          .kind = NB_JOINT_FIXED,
                          .axis = x,
                          .parent = i < HAND_LINKS    ? 0
                                    : i == HAND_LINKS ? 0
                                    : i <= SLIDE      ? i - 1
                                                      : BASE,
                          .ghost = 1};
        if (i == 0) link->kind = NB_JOINT_DISTANCE; /* free */
        if (axis >= 0 && axis < AXES) {
            place -= apart[axis];
            link->kind = NB_JOINT_REVOLUTE;
            link->axis = axis % 2 ? y : x; /* roll, pitch, roll, ... */
        }
        if (i == LIFT - 1) link->axis = z;
        if (i == LIFT || i == SLIDE) link->kind = NB_JOINT_PRISMATIC;
        if (i == LIFT) link->axis = z;
        link->centre = link->anchor = nb_vec3_of(i < HAND_LINKS ? -hand_before : place, 0, 0);
    }
}

static nb_status add_arm(nb_world *world, int32_t *hand) {
    static const double rigid[6] = {0};
    nb_status status;
    nb_link links[LINKS];
    int32_t joint;
    const nb_placed here = {nb_vec3_of(0, 0, 0), nb_quat_identity()};
    make_arm(links);
    NB_TRY(nb_add_link_shapes(world, links, LINKS));
    NB_TRY(nb_add_robot(world, links, LINKS, 0, &here, hand));
    NB_TRY(nb_world_add_joint_at(world, NB_JOINT_FIXED, *hand + SLIDE, -1, links[SLIDE].anchor, nb_quat_identity(),
                                 rigid, &joint));
out:
    return status;
}

/* the arm moves on from what stays, so that its slide goes the other way */
static void push(nb_world *world, double h) {
    world->motors[SLIDE_MOTOR].target = -world->prescribed[0] * (world->time + h);
    world->motors[SLIDE_MOTOR].rate = -world->prescribed[0];
}

/* the holder's constant velocity; kept in prescribed[0] */
static void hold(nb_world *world, double h) {
    (void)h;
    world->bodies[0].linear_velocity = nb_vec3_of(world->prescribed[0], 0, 0);
}

static nb_status add_segments(nb_world *world, const double *p) {
    nb_status status;
    double l = p[LENGTH], soft = 1 / p[STIFFNESS], rigid = p[COMPLIANCE];
    const double compliance[6] = {rigid, rigid, rigid, soft, soft, soft};
    int32_t shape, holder, body, joint;
    nb_vec3 half = nb_vec3_of(l / 2, 0.3 * l, 0.2 * l);
    NB_TRY(nb_add_box_shape(world, half, &shape));
    if (p[ARM] != 0)
        NB_TRY(add_arm(world, &holder));
    else
        NB_TRY(nb_world_add_solid(world, NB_BODY_KINEMATIC, -1, 0, p[FRICTION], nb_vec3_of(0, 0, 0), nb_quat_identity(),
                                  &holder));
    for (int32_t i = 0, before = holder; i < (int32_t)p[COUNT]; i++, before = body) {
        NB_TRY(nb_world_add_solid(world, NB_BODY_DYNAMIC, shape, p[MASS], p[FRICTION], nb_vec3_of((i + 0.5) * l, 0, 0),
                                  nb_quat_identity(), &body));
        NB_TRY(nb_world_add_joint_at(world, NB_JOINT_FIXED, before, body, nb_vec3_of(i * l, 0, 0), nb_quat_identity(),
                                     compliance, &joint));
    }
    world->prescribed[0] = p[SPEED];
    world->prescribe = p[ARM] != 0 ? push : hold;
out:
    return status;
}

/* One side of the slot: inner face at height `inside` over the axis, from the mouth (x = 0) on; before it the funnel.
 */
static nb_status side_shape(const double *p, double inside, double half_width, nb_shape **shape) {
    static const int32_t start[] = {0, 5, 10, 14, 18, 22, 26, 30};
    static const int32_t faces[] = {0, 1, 2, 3, 4, 9, 8, 7, 6, 5, 0, 5, 6, 1, 1,
                                    6, 7, 2, 2, 7, 8, 3, 3, 8, 9, 4, 4, 9, 5, 0};
    double l = p[LENGTH], funnel = 1.5 * l, outside = inside + 0.4 * l;
    const double profile[5][2] = {{-funnel, inside + FUNNEL_SLOPE * funnel},
                                  {0, inside},
                                  {p[COUNT] * l, inside},
                                  {p[COUNT] * l, outside},
                                  {-funnel, outside}};
    nb_vec3 points[10];
    for (int i = 0; i < 10; i++)
        points[i] = nb_vec3_of(profile[i % 5][0], i < 5 ? -half_width : half_width, profile[i % 5][1]);
    return nb_shape_polyhedron(10, points, 7, start, faces, shape);
}

/* Four fixed sides around the beam's path, with the mouth a little before its tip, which a turned slot would touch. */
static nb_status add_slot(nb_world *world, const double *p) {
    nb_status status = NB_OK;
    double l = p[LENGTH], half[2] = {0.2 * l + p[CLEARANCE], 0.3 * l + p[CLEARANCE]};
    nb_quat turn =
        nb_quat_product(nb_quat_about(nb_vec3_of(0, 1, 0), -p[TURN]), nb_quat_about(nb_vec3_of(0, 0, 1), p[TURN]));
    for (int side = 0; side < 4; side++) {
        nb_quat place = nb_quat_product(turn, nb_quat_about(nb_vec3_of(1, 0, 0), 0.5 * side * 3.14159265358979323846));
        nb_shape *shape;
        int32_t index, body;
        NB_TRY(side_shape(p, half[side % 2], half[1 - side % 2] + 0.4 * l, &shape));
        NB_TRY(nb_world_add_shape(world, shape, &index));
        NB_TRY(nb_world_add_solid(world, NB_BODY_FIXED, index, 0, p[FRICTION], nb_vec3_of((p[COUNT] + 0.1) * l, 0, 0),
                                  place, &body));
    }
out:
    return status;
}

static nb_status build(const double *p, uint64_t seed, nb_world **world) {
    nb_status status;
    (void)seed; /* nothing is random here */
    NB_TRY(nb_world_create(world));
    (*world)->gravity = nb_vec3_of(0, 0, -gravity);
    (*world)->settings.contact_margin = p[CLEARANCE] + 0.1 * p[LENGTH];
    NB_TRY(add_segments(*world, p));
    if (p[SLOT] != 0) NB_TRY(add_slot(*world, p));
    return NB_OK;
out:
    nb_world_destroy(*world);
    *world = NULL;
    return status;
}

/* how far the tip of the hanging chain sinks: each joint turns by the moment of the weights beyond it over its
 * stiffness, and gives way to those weights where it is soft in position */
static double cantilever_deflection(const double *p) {
    int n = (int)p[COUNT];
    double l = p[LENGTH], sink = 0;
    for (int j = 0; j < n; j++) {
        double beyond = n - j, moment = p[MASS] * gravity * l * beyond * beyond / 2;
        sink += moment / p[STIFFNESS] * (beyond - 0.5) * l; /* the last segment's centre */
        sink += beyond * p[MASS] * gravity * p[COMPLIANCE];
    }
    return sink;
}

static void check(const double *p, const nb_world *initial, const nb_snapshot *final, nb_checks *checks) {
    const int64_t holders = p[ARM] != 0 ? LINKS : 1;
    const double *held = final->q, *tip = final->q + 7 * (holders - 1 + (int64_t)p[COUNT]);
    /* the arm's motors give way: at 0.7 m/s by 4 mm, after up to 6 in the first 0.15 s */
    const double usual = 0.7, gives = 5e-3 * fmax(1, p[SPEED] / usual);
    nb_check_presupposes(
        nb_checks_add(checks, "way of the held end", "m", held[0] - initial->bodies[0].position.x,
                      p[SPEED] * final->time, p[ARM] != 0 ? gives : 1e-9 * (1 + p[SPEED] * final->time)),
        p[ARM] == 0 || final->time >= 0.25, "the arm is at its speed, after 0.25 s");
    if (p[COMPLIANCE] == 0)
        nb_checks_add_below(checks, "joint error", "m", nb_joint_error(initial, final), 1e-4 * p[LENGTH]);
    if (p[SLOT] == 0 && p[SPEED] == 0 && p[ARM] == 0) {
        /* small-angle theory: its own error is of the order of the squared slope */
        double expected = cantilever_deflection(p), slope = expected / (p[COUNT] * p[LENGTH]);
        const double n = p[COUNT], w = 3.516 * sqrt(p[STIFFNESS] / p[MASS]) / (n * n * p[LENGTH]);
        nb_check_presupposes(nb_checks_add(checks, "deflection of the cantilever", "m", -tip[2], expected,
                                           (1e-4 + slope * slope) * expected),
                             nb_vibration_left(w, final->time_step, final->step_count) < 1e-5, nb_at_rest);
        nb_checks_of_motion(initial, checks->count - 1, checks);
    }
}

const nb_scenario_class nb_beam = {
    .name = "beam",
    .summary = "a flexible beam pushed into a slot",
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .size_parameter = COUNT,
    .paper = &nb_paper_macklin,
    .time_step = 0.0083,
    .steps = 132,
    .newton_iterations = 6,
    .linear_iterations = 50,
    .build = build,
    .check = check,
};
