/* Two fingertips move a box to a pose (Le Cleac'h et al., IEEE Robotics and Automation Letters 2023, section VI-C). A
 * fingertip is a sphere that hangs on a spring at a point, its hand, which goes where it is told and does not turn. */
#include <math.h>
#include <string.h>

#include "papers.h"
#include "robot.h"
#include "step_gradient.h"

enum {
    FRICTION,
    MASS,
    HALF,
    RADIUS,
    GAP,
    STIFFNESS,
    GRIP,
    TO_X,
    TO_Z,
    TILT,
    PLAN
};

enum {
    STILL,
    CLOSE,
    CARRY
};

static const char *const plans[] = {"still", "close", "carry", NULL};

static const nb_option parameters[] = {
    [FRICTION] = {"mu", "1", 1.2, 0, 10, 0, NULL, "friction coefficient, of rubber"},
    [MASS] = {"mass", "kg", 0.5, 1e-3, 1e3, 0, NULL, "mass of the box"},
    [HALF] = {"half-size", "m", 0.05, 0.01, 1, 0, NULL, "half the edge length of the box"},
    [RADIUS] = {"radius", "m", 0.02, 0.002, 0.5, 0, NULL, "of the fingertips"},
    [GAP] = {"gap", "m", 0.02, 0, 0.5, 0, NULL, "between each fingertip and the box at the start"},
    [STIFFNESS] = {"stiffness", "N/m", 1000, 1, 1e6, 0, NULL, "of the springs that hold the fingertips"},
    [GRIP] = {"grip", "N", 12, 0, 1e4, 0, NULL, "force that the fingertips close with, by the plan"},
    [TO_X] = {"to-x", "m", 0.1, -1, 1, 0, NULL, "how far the box is to go aside"},
    [TO_Z] = {"to-z", "m", 0.1, 0, 1, 0, NULL, "how far the box is to go up"},
    [TILT] = {"tilt", "rad", 0.5, -1.5, 1.5, 0, NULL,
              "how far the box is to turn about y, its lower edges kept in mind"},
    [PLAN] = {"plan", "1", CARRY, 0, 0, 0, plans,
              "how the hands go: still: not at all; close: together, until they grip; carry: then with the box to its "
              "goal"},
};

/* bodies, the ground first; a finger before its hand */
enum {
    BOX = 1,
    FINGER = 2,
    BODIES_A_FINGER = 2
};

static const double FINGER_MASS = 0.05;
/* when hands have closed, and when they have come to the goal [s] */
static const double CLOSED = 0.2, ARRIVED = 0.8;

/* ---- where hands go ---- */

/* Of hand `side`, -1 or 1, along x, at this time. Where the box turns by an angle it rolls on the fingertips, which do
 * not, by their radius times that. */
static nb_vec3 position_of_hand(const double *p, double side, double t) {
    double rate, closed = p[PLAN] == STILL ? 0 : nb_ramp(t, 0, CLOSED, &rate);
    double carried = p[PLAN] == CARRY ? nb_ramp(t, CLOSED, ARRIVED, &rate) : 0, angle = carried * p[TILT];
    double reach = p[HALF] + p[RADIUS] + p[GAP] - closed * (p[GAP] + p[GRIP] / p[STIFFNESS]);
    nb_vec3 centre = nb_vec3_of(carried * p[TO_X], 0, p[HALF] + carried * p[TO_Z]);
    nb_vec3 off = nb_quat_rotate(nb_quat_about(nb_vec3_of(0, 1, 0), angle), nb_vec3_of(reach, 0, p[RADIUS] * angle));
    return nb_add_scaled(centre, side, off);
}

/* kept in prescribed: the parameters */
static void move_hands(nb_world *world, double h) {
    for (int i = 0; i < 2; i++) {
        nb_body *hand = &world->bodies[FINGER + BODIES_A_FINGER * i + 1];
        nb_vec3 to = position_of_hand(world->prescribed, 2 * i - 1, world->time + h);
        hand->linear_velocity = nb_scale(1 / h, nb_sub(to, hand->position));
    }
}

/* ---- building ---- */

static nb_status add_finger(nb_world *world, const double *p, int32_t shape, double side) {
    nb_status status;
    const double give = 1 / p[STIFFNESS], compliance[6] = {give, give, give, 0, 0, 0};
    int32_t finger, joint;
    nb_body hand = {.kind = NB_BODY_KINEMATIC,
                    .position = position_of_hand(p, side, 0),
                    .orientation = nb_quat_identity(),
                    .shape = -1};
    NB_TRY(nb_world_add_solid(world, NB_BODY_DYNAMIC, shape, FINGER_MASS, p[FRICTION], hand.position,
                              nb_quat_identity(), &finger));
    NB_TRY(nb_world_add_body(world, &hand, &joint));
    NB_TRY(nb_world_add_joint_at(world, NB_JOINT_FIXED, finger, finger + 1, hand.position, nb_quat_identity(),
                                 compliance, &joint));
out:
    return status;
}

static nb_status build(const double *p, uint64_t seed, nb_world **world) {
    nb_status status;
    int32_t shape, body;
    nb_shape *ball;
    (void)seed; /* nothing is random here */
    *world = NULL;
    if (p[RADIUS] > p[HALF])
        return nb_fail(NB_ERROR_USAGE,
                       "scenario 'grasp': radius %g m: fingertips stand at half the height of the box, "
                       "half-size %g m at most",
                       p[RADIUS], p[HALF]);
    NB_TRY(nb_world_create(world));
    /* all that may touch is a contact from the start: where contacts are smoothed it feels a force */
    (*world)->settings.contact_margin = 4 * p[HALF] + 2 * p[GAP] + fabs(p[TO_X]) + p[TO_Z];
    NB_TRY(nb_add_ground(*world, p[FRICTION], nb_quat_identity(), &body));
    NB_TRY(nb_add_box_shape(*world, nb_vec3_of(p[HALF], p[HALF], p[HALF]), &shape));
    NB_TRY(nb_world_add_solid(*world, NB_BODY_DYNAMIC, shape, p[MASS], p[FRICTION], nb_vec3_of(0, 0, p[HALF]),
                              nb_quat_identity(), &body));
    NB_TRY(nb_shape_sphere(p[RADIUS], &ball));
    NB_TRY(nb_world_add_shape(*world, ball, &shape));
    for (int i = 0; i < 2; i++) NB_TRY(add_finger(*world, p, shape, 2 * i - 1));
    memcpy((*world)->prescribed, p, (PLAN + 1) * sizeof *p);
    (*world)->prescribe = move_hands;
    return NB_OK;
out:
    nb_world_destroy(*world);
    *world = NULL;
    return status;
}

/* ---- the task ---- */

static void set_task(const double *p, nb_task *task) {
    task->goals[task->goal_count++] = (nb_goal){
        .body = BOX,
        .position = nb_vec3_of(p[TO_X], 0, p[HALF] + p[TO_Z]),
        .orientation = nb_quat_about(nb_vec3_of(0, 1, 0), p[TILT]),
        .place_unit = 1e-3,
        .turn_unit = 1e-2,
        .velocity_unit = 1e-2,
        .spin_unit = 1e-1,
    };
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 3; k++)
            task->controls[task->control_count++] =
                (nb_control){.body = FINGER + BODIES_A_FINGER * i + 1, .input = NB_INPUT_POSITION + k, .unit = 0.05};
}

/* ---- checks ---- */

/* of the fingers on the box: their force, and the mean of their normal forces */
static nb_vec3 force_of_fingers(const nb_snapshot *final, double *normal) {
    nb_vec3 sum = nb_vec3_of(0, 0, 0);
    *normal = 0;
    for (int32_t i = 0; i < final->contacts; i++) {
        const int32_t *pair = final->contact_bodies + 2 * (int64_t)i;
        const int side = pair[0] == BOX ? 0 : 1;
        if (pair[side] != BOX || pair[!side] < FINGER) continue;
        *normal += 0.5 * final->lambda_normal[i];
        sum = nb_add_scaled(sum, side ? -1 : 1, nb_snapshot_contact_force(final, i));
    }
    return sum;
}

/* the angle of the turn from a to b */
static double angle_between(nb_quat a, nb_quat b) {
    nb_quat d = nb_quat_product(b, nb_quat_conjugate(a));
    return 2 * atan2(sqrt(d.x * d.x + d.y * d.y + d.z * d.z), fabs(d.w));
}

static const char *const at_goal = "the plan is done, and 0.15 s more";

static void check(const double *p, const nb_world *initial, const nb_snapshot *final, nb_checks *checks) {
    const double *q = final->q + 7 * (int64_t)BOX, *u = final->u + 6 * (int64_t)BOX;
    const double weight = p[MASS] * nb_norm(initial->gravity);
    const nb_vec3 goal = nb_vec3_of(p[TO_X], 0, p[HALF] + p[TO_Z]), place = nb_vec3_of(q[0], q[1], q[2]);
    const nb_quat turn = {q[3], q[4], q[5], q[6]};
    double normal, rate = p[MASS] * (u[2] - final->u_before[6 * BOX + 2]) / final->time_step, ground = 0;
    nb_vec3 force = force_of_fingers(final, &normal);
    for (int32_t i = 0; i < final->contacts; i++)
        if (final->contact_bodies[2 * (int64_t)i] + final->contact_bodies[2 * (int64_t)i + 1] == BOX)
            ground += fabs(nb_snapshot_contact_force(final, i).z);
    nb_checks_add(checks, "vertical force on the box", "N", force.z + ground,
                  weight + nb_balanced_rate(final, rate, -weight), 1e-4 * weight);
    nb_checks_add_below(checks, "joint error", "m or rad", nb_joint_error(initial, final), 1e-4);
    if (p[PLAN] != CARRY) return;
    const int late = checks->count, arrived = final->time >= ARRIVED + 0.15;
    if (p[TILT] == 0 && 2 * p[FRICTION] * p[GRIP] < 0.9 * weight) /* all that friction carries is 2 mu F */
        nb_check_presupposes(nb_checks_add(checks, "height, where it slips", "m", q[2], p[HALF], 1e-3 * p[HALF]),
                             arrived, at_goal);
    if (2 * p[FRICTION] * p[GRIP] < 1.5 * weight || p[GRIP] > 0.5 * p[STIFFNESS] * p[HALF] || fabs(p[TILT]) > 0.5)
        return;
    if (p[TILT] == 0) nb_checks_add(checks, "normal force of a finger", "N", normal, p[GRIP], 1e-3 * p[GRIP]);
    /* springs give way to the weight; where the box has rolled on fingertips, to the couple of their two forces */
    const double couple = p[GRIP] * p[RADIUS] * fabs(p[TILT]), arm = p[STIFFNESS] * p[HALF];
    nb_checks_add_below(checks, "distance from the goal", "m", nb_norm(nb_sub(place, goal)),
                        0.6 * weight / p[STIFFNESS] + 0.002);
    nb_checks_add_below(checks, "angle from the goal", "rad",
                        angle_between(turn, nb_quat_about(nb_vec3_of(0, 1, 0), p[TILT])),
                        1.5 * couple / (arm * p[HALF]) + 0.002);
    nb_checks_presuppose(checks, late, arrived, at_goal);
}

const nb_scenario_class nb_grasp = {
    .name = "grasp",
    .summary = "two fingertips move a box to a pose",
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .size_parameter = -1,
    .paper = &nb_paper_lecleach,
    .time_step = 0.02,
    .steps = 50,
    .newton_iterations = 40,
    .linear_iterations = 40,
    .build = build,
    .check = check,
    .set_task = set_task,
};
