/* A robot arm grasps a soft ball, carries it and sets it on a scale (paper, section 10.1.1, fig. 1, table 2, "Fetch
 * Tomato"): 29 bodies and 28 joints, with a base, a torso that is lifted, wheels and a head, an arm of seven axes, two
 * fingers with pads, and the scale. The bodies are boxes, or masses alone, and the arm turns about upright axes; in the
 * paper it is a model of the Fetch robot, and somebody leads it. The ball is an icosahedron's faces laid on two spheres
 * about a core, 320 tetrahedra (the paper: 319), of the paper's material. */
#include <math.h>

#include "papers.h"
#include "robot.h"
#include "soft.h"

enum {
    FRICTION,
    SQUEEZE,
    GRIP,
    RADIUS,
    MATERIAL,
    YOUNG,
    POISSON,
    DENSITY
};

static const nb_option parameters[] = {
    [FRICTION] = {"mu", "1", 0.75, 0, 10, 0, NULL, "friction coefficient"},
    [SQUEEZE] = {"squeeze", "m", 0.008, 0, 0.03, 0, NULL, "how far each finger is driven into where the ball begins"},
    [GRIP] = {"grip", "N/m", 2000, 1, 1e7, 0, NULL, "stiffness of the fingers' motors"},
    [RADIUS] = {"radius", "m", 0.035, 0.02, 0.04, 0, NULL, "of the ball"},
    [MATERIAL] = {"material", "", 0, 0, 0, 0, nb_material_names, "of the ball"},
    [YOUNG] = {"young", "Pa", 1e5, 1e3, 1e12, 0, NULL, "Young's modulus"},
    [POISSON] = {"poisson", "1", 0.45, -0.9, 0.4999, 0, NULL, "Poisson's ratio"},
    [DENSITY] = {"density", "kg/m^3", 1000, 1, 1e5, 0, NULL, "density"},
};

/* links; the ground is the body before them */
enum {
    BASE,
    TORSO,
    PAN,
    TILT,
    CAMERA,
    SHOULDER,
    UPPER_ARM,
    UPPER_ROLL,
    ELBOW,
    FOREARM,
    WRIST,
    HAND,
    PALM,
    FINGER, /* two, and two pads */
    PAD = FINGER + 2,
    WHEEL = PAD + 2, /* six, and three parts that do not move */
    PART = WHEEL + 6,
    FRAME = PART + 3,
    COLUMN,
    PLATE,
    LINKS
};

static const double upper = 0.4, lower = 0.35;       /* lengths of the arm [m] */
static const double open = 0.01;                     /* between a pad and the ball at first [m] */
static const double turn[3] = {0.7, 0.6, -1.3};      /* of shoulder, elbow and hand [rad] */
static const double high = 0.12, plate_top = 0.05;   /* [m] */
static const double plate_mass = 0.2, spring = 2000; /* [kg], [N/m] */
enum {
    CLOSE, /* fingers, from this time to the next */
    CLOSED,
    RAISE,
    RAISED,
    SWING,
    SWUNG,
    LOWERED,
    RELEASE,
    RELEASED,
    TIMES
};
static const double at[TIMES] = {0.1, 0.4, 0.5, 0.9, 0.9, 2.2, 2.7, 2.8, 3.1}; /* [s] */
static const double weighed = 5;

/* mass alone */
static nb_link ghost(double x, double y, double z, double mass, int parent, nb_joint_kind kind, nb_vec3 axis) {
    return (nb_link){.half = nb_vec3_of(0.03, 0.03, 0.03),
                     .centre = nb_vec3_of(x, y, z),
                     .anchor = nb_vec3_of(x, y, z),
                     .axis = axis,
                     .mass = mass,
                     .stiffness = 1e5,
                     .damping = 1e3,
                     .kind = kind,
                     .parent = parent,
                     .ghost = 1};
}

static nb_link box(nb_link link, double hx, double hy, double hz) {
    link.half = nb_vec3_of(hx, hy, hz);
    link.ghost = 0;
    return link;
}

/* where the arm is stretched out the hand is over the ball */
static void make_links(const double *p, nb_link links[LINKS]) {
    const nb_vec3 x = nb_vec3_of(1, 0, 0), y = nb_vec3_of(0, 1, 0), z = nb_vec3_of(0, 0, 1);
    const double reach = upper + lower, r = p[RADIUS];
    links[BASE] = box(ghost(0, 0, 0.05, 50, -1, NB_JOINT_DISTANCE, x), 0.15, 0.15, 0.04);
    links[TORSO] = ghost(0, 0, 0.3, 2, BASE, NB_JOINT_PRISMATIC, z);
    links[TORSO].stiffness = 1e6, links[TORSO].damping = 1e4;
    links[PAN] = ghost(0, 0, 0.5, 0.5, TORSO, NB_JOINT_REVOLUTE, z);
    links[TILT] = ghost(0, 0, 0.55, 0.5, PAN, NB_JOINT_REVOLUTE, y);
    links[CAMERA] = ghost(0.05, 0, 0.6, 0.2, TILT, NB_JOINT_FIXED, x);
    links[SHOULDER] = ghost(0, 0, 0.37, 1, TORSO, NB_JOINT_REVOLUTE, z);
    links[UPPER_ARM] = box(ghost(upper / 2, 0, 0.37, 1, SHOULDER, NB_JOINT_REVOLUTE, y), upper / 2 - 0.02, 0.03, 0.03);
    links[UPPER_ARM].anchor = nb_vec3_of(0, 0, 0.37);
    links[UPPER_ROLL] = ghost(upper, 0, 0.37, 0.3, UPPER_ARM, NB_JOINT_REVOLUTE, x);
    links[ELBOW] = ghost(upper, 0, 0.29, 0.3, UPPER_ROLL, NB_JOINT_REVOLUTE, z);
    links[FOREARM] =
        box(ghost(upper + lower / 2, 0, 0.29, 0.7, ELBOW, NB_JOINT_REVOLUTE, x), lower / 2 - 0.02, 0.025, 0.025);
    links[WRIST] = ghost(reach, 0, 0.25, 0.3, FOREARM, NB_JOINT_REVOLUTE, y);
    links[HAND] = ghost(reach, 0, 0.2, 0.3, WRIST, NB_JOINT_REVOLUTE, z);
    links[PALM] = box(ghost(reach, 0, 0.135, 0.3, HAND, NB_JOINT_FIXED, x), 0.02, 0.07, 0.01);
    for (int side = 0; side < 2; side++) {
        double way = side ? -1 : 1; /* fingers close along y */
        nb_link *finger = &links[FINGER + side], *pad = &links[PAD + side];
        *finger = box(ghost(reach, way * (r + open + 0.008), 0.066, 0.1, PALM, NB_JOINT_PRISMATIC, nb_scale(-way, y)),
                      0.012, 0.004, 0.054);
        finger->stiffness = p[GRIP], finger->damping = 0.01 * p[GRIP];
        *pad =
            box(ghost(reach, way * (r + open + 0.002), r, 0.02, FINGER + side, NB_JOINT_FIXED, x), 0.015, 0.002, 0.018);
    }
    for (int i = 0; i < 6; i++)
        links[WHEEL + i] = ghost(0.12 * cos(i), 0.12 * sin(i), 0.05, 0.3, BASE, NB_JOINT_REVOLUTE, i < 2 ? y : z);
    for (int i = 0; i < 3; i++) links[PART + i] = ghost(0.1, 0.05 * i, 0.1, 0.2, BASE, NB_JOINT_FIXED, x);
    double sx = upper * cos(turn[0]) + lower * cos(turn[0] + turn[1]),
           sy = upper * sin(turn[0]) + lower * sin(turn[0] + turn[1]);
    links[FRAME] = ghost(sx, sy, 0.01, 1, -1, NB_JOINT_FIXED, x);
    links[COLUMN] = ghost(sx, sy, 0.03, 0.1, FRAME, NB_JOINT_PRISMATIC, z);
    links[COLUMN].stiffness = spring, links[COLUMN].damping = 0.015 * spring;
    links[PLATE] = box(ghost(sx, sy, plate_top - 0.004, plate_mass, COLUMN, NB_JOINT_FIXED, x), 0.05, 0.05, 0.004);
}

/* motors, in the order of their links */
enum {
    LIFT_MOTOR = 0,
    SHOULDER_MOTOR = 3,
    ELBOW_MOTOR = 6,
    HAND_MOTOR = 9,
    FINGER_MOTOR = 10
};

static void drive(nb_world *world, int32_t motor, double target, double rate) {
    world->motors[motor].target = target;
    world->motors[motor].rate = rate;
}

/* kept in prescribed: how far a finger closes */
static void move(nb_world *world, double h) {
    static const int32_t arm[3] = {SHOULDER_MOTOR, ELBOW_MOTOR, HAND_MOTOR};
    double t = world->time + h, rate, back, way;
    way = nb_ramp(t, at[RAISE], at[RAISED], &rate) * high;
    way += nb_ramp(t, at[SWUNG], at[LOWERED], &back) * (plate_top - high);
    drive(world, LIFT_MOTOR, way, rate * high + back * (plate_top - high));
    for (int i = 0; i < 3; i++) {
        way = nb_ramp(t, at[SWING], at[SWUNG], &rate);
        drive(world, arm[i], turn[i] * way, turn[i] * rate);
    }
    way = nb_ramp(t, at[CLOSE], at[CLOSED], &rate) - nb_ramp(t, at[RELEASE], at[RELEASED], &back);
    for (int side = 0; side < 2; side++)
        drive(world, FINGER_MOTOR + side, way * world->prescribed[0], (rate - back) * world->prescribed[0]);
}

static nb_status build(const double *p, uint64_t seed, nb_world **world) {
    nb_status status;
    int32_t ground, first, index;
    nb_soft_part ball;
    nb_link links[LINKS];
    const nb_placed here = {nb_vec3_of(0, 0, 0), nb_quat_identity()};
    const nb_material material = {(nb_material_kind)p[MATERIAL], p[YOUNG], p[POISSON], p[DENSITY]};
    (void)seed; /* nothing is random here */
    make_links(p, links);
    NB_TRY(nb_world_create(world));
    (*world)->settings.contact_margin = 0.003;
    NB_TRY(nb_add_ground(*world, p[FRICTION], nb_quat_identity(), &ground));
    NB_TRY(nb_add_link_shapes(*world, links, LINKS));
    NB_TRY(nb_add_robot(*world, links, LINKS, p[FRICTION], &here, &first));
    (*world)->bodies[first + BASE].kind = NB_BODY_FIXED;
    NB_TRY(nb_world_add_material(*world, &material, &index));
    NB_TRY(nb_world_add_layered_ball(*world, index, nb_vec3_of(upper + lower, 0, p[RADIUS]), p[RADIUS],
                                     NB_BALL_ICOSAHEDRON, 2, 2, &ball));
    nb_soft_part_set_skin(*world, &ball, p[FRICTION], 0);
    (*world)->prescribed[0] = open + p[SQUEEZE];
    (*world)->prescribe = move;
    return NB_OK;
out:
    nb_world_destroy(*world);
    *world = NULL;
    return status;
}

static void check(const double *p, const nb_world *initial, const nb_snapshot *final, nb_checks *checks) {
    const int32_t plate = 1 + PLATE;
    const double *on = final->q + 7 * (int64_t)plate;
    const nb_soft_state ball = nb_soft_state_of(initial, final, 0, initial->particle_count);
    double weight = ball.mass * nb_norm(initial->gravity), way = initial->bodies[plate].position.z - on[2];
    nb_checks_add(checks, "vertical force on the ball", "N",
                  nb_force_on_particles(final, 0, initial->particle_count, -1).z, weight + ball.rate.z, 1e-4 * weight);
    nb_checks_add_below(checks, "joint error", "m or rad", nb_joint_error(initial, final), 1e-4);
    /* others may slip, or flow through the fingers */
    const int carried = p[FRICTION] >= 0.75 && p[SQUEEZE] >= 0.008 && p[GRIP] >= 2000 && p[DENSITY] <= 1000 &&
                        p[YOUNG] >= 1e5,
              late = checks->count;
    nb_checks_add(checks, "force of the scale on the ball", "N",
                  nb_force_on_particles(final, 0, initial->particle_count, plate).z, weight, 1e-3 * weight);
    nb_checks_add(checks, "weight that the scale shows", "N",
                  spring * way - (plate_mass + 0.1) * nb_norm(initial->gravity), weight, 1e-3 * weight);
    nb_checks_add_below(checks, "distance of the ball from the scale's middle", "m",
                        hypot(ball.middle.x - on[0], ball.middle.y - on[1]), 0.03);
    nb_checks_presuppose(checks, late, carried, "the fingers carry the ball without slip");
    nb_checks_presuppose(checks, late, final->time >= weighed, "the ball has been set down");
}

const nb_scenario_class nb_tomato = {
    .name = "tomato",
    .summary = "a robot arm grasps a soft ball and sets it on a scale",
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .size_parameter = -1,
    .paper = &nb_paper_macklin,
    .time_step = 0.0083,
    .steps = 650,
    .newton_iterations = 4,
    .linear_iterations = 50,
    .build = build,
    .check = check,
};
