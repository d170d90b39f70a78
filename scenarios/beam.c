/* A flexible beam of rigid segments, held at one end and pushed along its axis into a slot (paper, section 10.1.2,
 * fig. 7 and 16). Segments are joined rigidly in position and softly in bending and twist. The slot is a little turned
 * against the beam, so that it bends and rubs. Without slot and speed it is a cantilever under its own weight. */
#include <math.h>

#include "model/joint.h"
#include "common.h"

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
    LENGTH
};

static const nb_option parameters[] = {
    [COUNT] = {"count", "1", 16, 1, 2000, 1, NULL, "segments"},
    [MASS] = {"mass", "kg", 0.003, 1e-9, 1e6, 0, NULL, "mass of a segment"},
    [STIFFNESS] = {"stiffness", "N m/rad", 250, 1e-6, 1e12, 0, NULL, "stiffness of a joint about each axis"},
    [COMPLIANCE] = {"position-compliance", "m/N", 0, 0, 1, 0, NULL, "compliance of a joint's position; 0: rigid"},
    [SPEED] = {"insertion-speed", "m/s", 0.5, 0, 100, 0, NULL, "speed of the held end along the beam"},
    [SLOT] = {"slot", "1", 1, 0, 1, 1, NULL, "1: there is a slot to push into"},
    [CLEARANCE] = {"clearance", "m", 0.0005, 0, 1, 0, NULL, "gap between beam and slot on each side"},
    [TURN] = {"slot-turn", "rad", 0.004, -0.1, 0.1, 0, NULL, "how far the slot is turned against the beam"},
    [FRICTION] = {"mu", "1", 0.5, 0, 10, 0, NULL, "friction coefficient"},
    [LENGTH] = {"segment-length", "m", 0.05, 1e-3, 1e3, 0, NULL, "length of a segment; 0.6 as wide, 0.4 as high"},
};

static const double gravity = 9.81;

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
    NB_TRY(nb_world_add_solid(world, NB_BODY_KINEMATIC, -1, 0, p[FRICTION], nb_vec3_of(0, 0, 0), nb_quat_identity(),
                              &holder));
    for (int32_t i = 0, before = holder; i < (int32_t)p[COUNT]; i++, before = body) {
        NB_TRY(nb_world_add_solid(world, NB_BODY_DYNAMIC, shape, p[MASS], p[FRICTION], nb_vec3_of((i + 0.5) * l, 0, 0),
                                  nb_quat_identity(), &body));
        NB_TRY(nb_world_add_joint_at(world, NB_JOINT_FIXED, before, body, nb_vec3_of(i * l, 0, 0), nb_quat_identity(),
                                     compliance, &joint));
    }
    world->prescribed[0] = p[SPEED];
    world->prescribe = hold;
out:
    return status;
}

/* four fixed boxes around the beam's path, from a tenth of a segment before its tip on */
static nb_status add_slot(nb_world *world, const double *p) {
    nb_status status = NB_OK;
    double l = p[LENGTH], start = (p[COUNT] - 0.1) * l, depth = p[COUNT] * l, thick = 0.4 * l;
    double width = 0.3 * l + p[CLEARANCE], height = 0.2 * l + p[CLEARANCE];
    nb_vec3 mouth = nb_vec3_of(start, 0, 0);
    nb_quat turn = nb_quat_product(nb_quat_about(nb_vec3_of(0, 1, 0), p[TURN]), nb_quat_about(nb_vec3_of(0, 0, 1), p[TURN]));
    for (int side = 0; side < 4; side++) {
        int upright = side / 2; /* above and below, then left and right */
        double sign = side % 2 ? -1 : 1;
        nb_vec3 half = upright ? nb_vec3_of(depth / 2, thick / 2, height + thick) : nb_vec3_of(depth / 2, width, thick / 2);
        nb_vec3 place = upright ? nb_vec3_of(depth / 2, sign * (width + thick / 2), 0)
                                : nb_vec3_of(depth / 2, 0, sign * (height + thick / 2));
        int32_t shape, body;
        NB_TRY(nb_add_box_shape(world, half, &shape));
        NB_TRY(nb_world_add_solid(world, NB_BODY_FIXED, shape, 0, p[FRICTION], nb_add(mouth, nb_quat_rotate(turn, place)),
                                  turn, &body));
    }
out:
    return status;
}

static nb_status build(const double *p, uint64_t seed, nb_world **world) {
    nb_status status;
    (void)seed; /* nothing is random here */
    NB_TRY(nb_world_create(world));
    (*world)->gravity = nb_vec3_of(0, 0, -gravity);
    (*world)->contact_margin = p[CLEARANCE] + 0.1 * p[LENGTH];
    NB_TRY(add_segments(*world, p));
    if (p[SLOT] != 0) NB_TRY(add_slot(*world, p));
    return NB_OK;
out:
    nb_world_destroy(*world);
    *world = NULL;
    return status;
}

/* how far the tip of the hanging chain sinks: each joint turns by the moment of the weights beyond it over its stiffness */
static double cantilever_deflection(const double *p) {
    int n = (int)p[COUNT];
    double l = p[LENGTH], sink = 0;
    for (int j = 0; j < n; j++) {
        double beyond = n - j, moment = p[MASS] * gravity * l * beyond * beyond / 2;
        sink += moment / p[STIFFNESS] * (beyond - 0.5) * l; /* the last segment's centre */
    }
    return sink;
}

/* the largest error of a rigid joint row [m], from the final positions */
static double joint_error(const nb_world *initial, const nb_snapshot *final) {
    double largest = 0;
    for (int32_t j = 0; j < initial->joint_count; j++) {
        const nb_joint *joint = &initial->joints[j];
        const double *a = final->q + 7 * (int64_t)joint->body_a, *b = final->q + 7 * (int64_t)joint->body_b;
        nb_joint_row rows[NB_JOINT_MAX_ROWS];
        int count = nb_joint_evaluate(joint, nb_vec3_of(a[0], a[1], a[2]), (nb_quat){a[3], a[4], a[5], a[6]},
                                      nb_vec3_of(b[0], b[1], b[2]), (nb_quat){b[3], b[4], b[5], b[6]}, rows);
        for (int k = 0; k < count; k++)
            if (rows[k].compliance == 0) largest = fmax(largest, fabs(rows[k].value));
    }
    return largest;
}

static void check(const double *p, const nb_world *initial, const nb_snapshot *final, nb_checks *checks) {
    const double *held = final->q, *tip = final->q + 7 * (int64_t)p[COUNT];
    nb_checks_add(checks, "way of the held end", "m", held[0], p[SPEED] * final->time, 1e-9 * (1 + p[SPEED] * final->time));
    if (p[COMPLIANCE] == 0) nb_checks_add_below(checks, "joint error", "m", joint_error(initial, final), 1e-4 * p[LENGTH]);
    if (p[SLOT] == 0 && p[SPEED] == 0) {
        /* small-angle theory: its own error is of the order of the squared slope */
        double expected = cantilever_deflection(p), slope = expected / (p[COUNT] * p[LENGTH]);
        nb_checks_add(checks, "deflection of the cantilever", "m", -tip[2], expected, (1e-4 + slope * slope) * expected);
    }
}

const nb_scenario_class nb_beam = {
    .name = "beam",
    .summary = "a flexible beam pushed into a slot",
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .size_parameter = COUNT,
    .time_step = 0.0083,
    .steps = 132,
    .newton_iterations = 6,
    .linear_iterations = 50,
    .build = build,
    .check = check,
};
