/* Robots of two arms that pull out the drawers of cabinets by their handles, with the friction of two fingers: 32
 * bodies and 33 joints each, 6400 and 6600 of 200, as in the paper's scene (section 10.1.7, fig. 15, table 2), where a
 * network had learned to do so. These are boxes, and the way of the hands is known beforehand. Of a cabinet: two
 * drawers, and two doors that a rod links (the one loop of joints). */
#include <math.h>

#include "model/drive.h"
#include "papers.h"
#include "robot.h"

enum {
    COUNT,
    FRICTION,
    PULL,
    GRIP,
    DRAWER
};

static const nb_option parameters[] = {
    [COUNT] = {"count", "1", 200, 1, 20000, 1, NULL, "robots, each with a cabinet"},
    [FRICTION] = {"mu", "1", 0.8, 0, 10, 0, NULL, "friction coefficient"},
    [PULL] = {"pull", "m", 0.15, 0, 0.2, 0, NULL, "how far the hands are drawn back"},
    [GRIP] = {"grip", "N", 20, 1e-3, 1e6, 0, NULL, "force of each finger"},
    [DRAWER] = {"drawer-mass", "kg", 2, 1e-3, 1e4, 0, NULL, "mass of a drawer"},
};

/* bodies and joints of one robot with its cabinet, in order */
enum {
    TORSO,
    HEAD_PAN,
    HEAD,
    ARM, /* ARM_LINKS of the left, then of the right */
    ARM_LINKS = 10,
    FRAME = ARM + 2 * ARM_LINKS,
    DRAWERS, /* of a side: drawer, its handle, door, its handle */
    SIDE_LINKS = 4,
    LINKS = DRAWERS + 2 * SIDE_LINKS
};
enum { /* of an arm */
    PAN,
    LEAN,
    UPPER,
    FORE,
    ROLL,
    BEND,
    FLANGE,
    HAND,
    FINGERS
};

static const double shoulder = 0.2, reach = 0.3; /* beside the middle; length of upper and forearm [m] */
static const double high = 0.6;                  /* of arms and drawers [m] */
static const double gap = 0.015;                 /* between a finger and the handle at the start [m] */
static const double held = 4000;                 /* stiffness of the fingers' motors [N/m] */
static const double gripped = 0.3, pulled = 0.9; /* [s] */

static nb_vec3 unit(int axis) {
    return nb_vec3_of(axis == 0, axis == 1, axis == 2);
}

/* A link with a motor (or fixed, or a damper alone: stiffness 0); `axis` 0, 1, 2: x, y, z. */
static nb_link link_of(nb_vec3 half, nb_vec3 centre, double mass, int parent, nb_vec3 anchor, nb_joint_kind kind,
                       int axis, double stiffness, double damping) {
    return (nb_link){.half = half,
                     .centre = centre,
                     .mass = mass,
                     .parent = parent,
                     .anchor = anchor,
                     .kind = kind,
                     .axis = unit(axis),
                     .stiffness = stiffness,
                     .damping = damping};
}

/* a small mass within a joint of several axes */
static nb_link ghost(nb_vec3 at, int parent, int axis) {
    nb_link link = link_of(nb_vec3_of(0.04, 0.04, 0.04), at, 0.5, parent, at, NB_JOINT_REVOLUTE, axis, 1e4, 200);
    link.ghost = 1;
    return link;
}

/* the upper arm reaches aside, the forearm ahead; side 1 is left, -1 right */
static void make_arm(int side, nb_link *arm, int first) {
    double y = side * (shoulder + reach), finger = 0.01 + gap + 0.006;
    nb_vec3 root = nb_vec3_of(0, side * shoulder, high), elbow = nb_vec3_of(0, y, high);
    nb_vec3 wrist = nb_vec3_of(reach, y, high);
    arm[PAN] = ghost(root, TORSO, 2);
    arm[LEAN] = ghost(root, first + PAN, 0);
    arm[UPPER] = link_of(nb_vec3_of(0.03, 0.13, 0.03), nb_vec3_of(0, side * (shoulder + 0.5 * reach), high), 2,
                         first + LEAN, root, NB_JOINT_REVOLUTE, 1, 1e4, 200);
    arm[FORE] = link_of(nb_vec3_of(0.12, 0.025, 0.025), nb_vec3_of(0.5 * reach, y, high), 1.5, first + UPPER, elbow,
                        NB_JOINT_REVOLUTE, 2, 1e4, 200);
    arm[ROLL] = ghost(wrist, first + FORE, 0);
    arm[BEND] = ghost(wrist, first + ROLL, 1);
    arm[FLANGE] = ghost(wrist, first + BEND, 2);
    arm[HAND] = link_of(nb_vec3_of(0.02, 0.05, 0.02), nb_vec3_of(reach + 0.05, y, high), 0.5, first + FLANGE, wrist,
                        NB_JOINT_FIXED, 0, 0, 0);
    for (int f = 0; f < 2; f++) {
        double offset = f ? -finger : finger;
        nb_vec3 centre = nb_vec3_of(reach + 0.165, y + offset, high);
        arm[FINGERS + f] = link_of(nb_vec3_of(0.085, 0.006, 0.012), centre, 0.1, first + HAND, centre,
                                   NB_JOINT_PRISMATIC, 1, held, 100);
        if (f == 0) arm[FINGERS + f].axis = nb_vec3_of(0, -1, 0); /* inward */
    }
}

static void make_cabinet_side(const double *p, int side, nb_link *links, int first) {
    double y = side * (shoulder + reach), front = 0.57;
    links[0] = link_of(nb_vec3_of(0.15, 0.15, 0.08), nb_vec3_of(front + 0.15, y, high), p[DRAWER], FRAME,
                       nb_vec3_of(front, y, high), NB_JOINT_PRISMATIC, 0, 0, 5);
    links[1] = link_of(nb_vec3_of(0.02, 0.01, 0.04), nb_vec3_of(front - 0.04, y, high), 0.1, first,
                       nb_vec3_of(front, y, high), NB_JOINT_FIXED, 0, 0, 0);
    links[2] = link_of(nb_vec3_of(0.01, 0.3, 0.2), nb_vec3_of(front + 0.01, side * 0.35, 0.25), 3, FRAME,
                       nb_vec3_of(front + 0.01, side * 0.65, 0.25), NB_JOINT_REVOLUTE, 2, 0, 5);
    links[3] = link_of(nb_vec3_of(0.01, 0.01, 0.06), nb_vec3_of(front - 0.04, side * 0.15, 0.25), 0.1, first + 2,
                       nb_vec3_of(front, side * 0.15, 0.25), NB_JOINT_FIXED, 0, 0, 0);
}

static void make_links(const double *p, nb_link links[LINKS]) {
    links[TORSO] = link_of(nb_vec3_of(0.06, 0.1, 0.35), nb_vec3_of(0, 0, 0.4), 20, -1, nb_vec3_of(0, 0, 0),
                           NB_JOINT_FIXED, 0, 0, 0);
    links[HEAD_PAN] = ghost(nb_vec3_of(0, 0, 0.8), TORSO, 2);
    links[HEAD] = link_of(nb_vec3_of(0.06, 0.08, 0.05), nb_vec3_of(0, 0, 0.9), 1, HEAD_PAN, nb_vec3_of(0, 0, 0.8),
                          NB_JOINT_REVOLUTE, 1, 1e4, 200);
    links[FRAME] = link_of(nb_vec3_of(0.02, 0.7, 0.5), nb_vec3_of(0.95, 0, 0.5), 30, -1, nb_vec3_of(0.95, 0, 0),
                           NB_JOINT_FIXED, 0, 0, 0);
    for (int i = 0, side = 1; i < 2; i++, side = -1) {
        make_arm(side, links + ARM + i * ARM_LINKS, ARM + i * ARM_LINKS);
        make_cabinet_side(p, side, links + DRAWERS + i * SIDE_LINKS, DRAWERS + i * SIDE_LINKS);
    }
}

static nb_status add_rod(nb_world *world, int32_t first) {
    int32_t joint;
    nb_joint rod = {.kind = NB_JOINT_DISTANCE,
                    .body_a = first + DRAWERS + 2,
                    .body_b = first + DRAWERS + SIDE_LINKS + 2,
                    .anchor_a = nb_vec3_of(0, 0.05, 0), /* 0.4 aside of the middle */
                    .anchor_b = nb_vec3_of(0, -0.05, 0),
                    .frame_a = nb_quat_identity(),
                    .frame_b = nb_quat_identity(),
                    .length = 0.8};
    return nb_world_add_joint(world, &rod, &joint);
}

/* the turns of shoulder and elbow about the vertical that draw the wrist back by d; the wrist's is what keeps the hand
 * ahead */
static void draw_back(double d, double turn[2]) {
    double x = reach - d, y = reach, way = atan2(y, x), open = acos(0.5 * hypot(x, y) / reach);
    turn[0] = way + open - 0.5 * acos(-1);
    turn[1] = way - open - turn[0];
}

static double ramp(double t, double from, double to) {
    double s = fmin(1, fmax(0, (t - from) / (to - from)));
    return s * s * (3 - 2 * s);
}

/* motors of one robot, in the order of its links: head 2, arm 9 (hands are fixed), cabinet 4 */
enum {
    HEAD_MOTORS = 2,
    ARM_MOTORS = 9,
    MOTORS = HEAD_MOTORS + 2 * ARM_MOTORS + 4,
    FINGER_MOTOR = 7
};

/* what the motors of a left arm aim at: pan, elbow, flange, fingers. Kept in prescribed: pull, grip. */
static void aims(const nb_world *world, double t, double aim[4]) {
    double turn[2];
    draw_back(world->prescribed[0] * ramp(t, gripped, pulled), turn);
    aim[0] = turn[0];
    aim[1] = turn[1];
    aim[2] = -turn[0] - turn[1];
    aim[3] = (gap + world->prescribed[1] / held) * ramp(t, 0, gripped);
}

static void pull(nb_world *world, double h) {
    static const int motor[] = {PAN, FORE, FLANGE, FINGER_MOTOR, FINGER_MOTOR + 1}, of[] = {0, 1, 2, 3, 3};
    double before[4], after[4];
    aims(world, world->time, before);
    aims(world, world->time + h, after);
    for (int32_t first = 0; first < world->motor_count; first += MOTORS)
        for (int i = 0; i < 2; i++)
            for (int k = 0; k < 5; k++) {
                nb_motor *m = world->motors + first + HEAD_MOTORS + i * ARM_MOTORS + motor[k];
                double side = i && of[k] < 3 ? -1 : 1; /* of the right arm, turns are the other way */
                m->target = side * after[of[k]];
                m->rate = side * (after[of[k]] - before[of[k]]) / h; /* the mean of the step */
            }
}

static nb_status build(const double *p, uint64_t seed, nb_world **world) {
    nb_status status;
    int32_t ground, first, row = (int32_t)ceil(sqrt(p[COUNT]));
    nb_link links[LINKS];
    (void)seed; /* nothing is random here */
    make_links(p, links);
    NB_TRY(nb_world_create(world));
    (*world)->settings.contact_margin = 0.004;
    NB_TRY(nb_add_ground(*world, p[FRICTION], nb_quat_identity(), &ground));
    NB_TRY(nb_add_link_shapes(*world, links, LINKS));
    for (int32_t i = 0; i < (int32_t)p[COUNT]; i++) {
        const int32_t line = i / row;
        const nb_placed at = {nb_vec3_of(2 * (i % row), 2 * line, 0.01), nb_quat_identity()};
        NB_TRY(nb_add_robot(*world, links, LINKS, p[FRICTION], &at, &first));
        NB_TRY(add_rod(*world, first));
    }
    (*world)->prescribed[0] = p[PULL];
    (*world)->prescribed[1] = p[GRIP];
    (*world)->prescribe = pull;
    return NB_OK;
out:
    nb_world_destroy(*world);
    *world = NULL;
    return status;
}

/* how far a body came towards the robot [m] */
static double way_of(const nb_world *initial, const nb_snapshot *final, int64_t body) {
    return initial->bodies[body].position.x - final->q[7 * body];
}

static void check(const double *p, const nb_world *initial, const nb_snapshot *final, nb_checks *checks) {
    double least = INFINITY, most = -INFINITY, hand = 0;
    for (int32_t i = 0; i < (int32_t)p[COUNT]; i++)
        for (int side = 0; side < 2; side++) {
            int64_t first = 1 + (int64_t)i * LINKS;
            double way = way_of(initial, final, first + DRAWERS + side * SIDE_LINKS);
            least = fmin(least, way);
            most = fmax(most, way);
            hand = way_of(initial, final, first + ARM + side * ARM_LINKS + HAND);
        }
    nb_checks_add_below(checks, "joint error", "m or rad", nb_joint_error(initial, final), 1e-4);
    const int late = checks->count;
    nb_checks_add(checks, "way of the hands", "m", hand, p[PULL], 2e-3);
    if (p[FRICTION] == 0) nb_checks_add_below(checks, "way of the drawer that came farthest", "m", fabs(most), 1e-3);
    if (p[FRICTION] * p[GRIP] >= 10 && p[DRAWER] <= 2)
        nb_checks_add(checks, "way of the drawer that came least", "m", least, hand, 2e-3);
    nb_checks_presuppose(checks, late, final->time >= pulled + 0.1, "the hands have been drawn back, and held");
}

const nb_scenario_class nb_cabinets = {
    .name = "cabinets",
    .summary = "two-armed robots pull drawers out by their fingers' friction",
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .size_parameter = COUNT,
    .paper = &nb_paper_macklin,
    .time_step = 0.0083,
    .steps = 130,
    .newton_iterations = 5,
    .linear_iterations = 25,
    .build = build,
    .check = check,
};
