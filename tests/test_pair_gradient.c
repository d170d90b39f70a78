/* Derivatives of a step of single-level against differences of the same smoothed step, forward against adjoint, and for
 * rho -> 0 against interior-point's, which come from other equations: sliding, sticking, separating, landing, stacks of
 * equal and of other masses, sets of several kinds. */
#include "gradient_scene.h"
#include "model/drive.h"

static const nb_vec3 X = {1, 0, 0}, Y = {0, 1, 0}, Z = {0, 0, 1};

/* ---- scenes ---- */

static nb_body *on_slope(gradient_scene *s, double angle, double mu) {
    nb_quat slope = nb_quat_about(Y, angle);
    gradient_scene_ground(s, mu, slope);
    return gradient_scene_box(s, nb_vec3_of(0.3, 0.2, 0.1), 2, mu, nb_quat_rotate(slope, nb_vec3_of(0, 0, 0.1)), slope);
}

static void sticking(gradient_scene *s) {
    on_slope(s, 0.2, 0.5);
}

static void sliding(gradient_scene *s) {
    nb_body *box = on_slope(s, 0.2, 0.25);
    box->linear_velocity = nb_quat_rotate(box->orientation, nb_vec3_of(1, 0.5, 0));
    box->angular_velocity = nb_quat_rotate(box->orientation, nb_vec3_of(0, 0, 0.7));
}

/* as in the plane y = 0 */
static void sliding_in_plane(gradient_scene *s) {
    nb_body *box = on_slope(s, 0.4, 0.3);
    box->linear_velocity = nb_quat_rotate(box->orientation, X);
}

static void frictionless(gradient_scene *s) {
    nb_body *box = on_slope(s, 0.2, 0);
    box->linear_velocity = nb_vec3_of(0.5, 0.2, 0);
}

static void landing(gradient_scene *s) {
    gradient_scene_ground(s, 0.4, nb_quat_identity());
    nb_quat turn = nb_quat_product(nb_quat_about(Y, 0.05), nb_quat_about(X, 0.03));
    nb_body *box = gradient_scene_box(s, nb_vec3_of(0.3, 0.2, 0.1), 2, 0.3, nb_vec3_of(0, 0, 0.13), turn);
    box->linear_velocity = nb_vec3_of(0.5, 0, -3);
    box->angular_velocity = nb_vec3_of(1, -2, 5);
    box->torque = nb_vec3_of(0.1, -0.2, 0.3);
}

static void separating(gradient_scene *s) {
    landing(s);
    s->world->bodies[1].position.z = 0.12;
    s->world->bodies[1].linear_velocity.z = 1;
}

static void rolling(gradient_scene *s) {
    nb_quat slope = nb_quat_about(X, 0.1);
    gradient_scene_ground(s, 0.4, slope);
    nb_body *ball = gradient_scene_sphere(s, 0.2, 1.5, 0.5, nb_scale(0.2, nb_quat_rotate(slope, Z)));
    ball->angular_velocity = nb_vec3_of(1, 5, 0);
    ball->linear_velocity = nb_cross(ball->angular_velocity, ball->position);
}

/* of equal masses, of which none is the lesser one */
static void stacked(gradient_scene *s) {
    gradient_scene_ground(s, 0.6, nb_quat_identity());
    for (int i = 0; i < 4; i++) {
        nb_body *box = gradient_scene_box(s, nb_vec3_of(0.2, 0.25, 0.1), 1, 0.5,
                                          nb_vec3_of(0.02 * i, 0.01 * i * i, 0.1 + 0.2 * i), nb_quat_about(Z, 0.3 * i));
        box->linear_velocity = nb_vec3_of(0.05 * i, 0, 0);
    }
}

static void turntable(gradient_scene *s) {
    gradient_scene_turntable(s, 0.1);
}

static void stacked_in_plane(gradient_scene *s) {
    gradient_scene_ground(s, 0.6, nb_quat_identity());
    for (int i = 0; i < 3; i++) {
        nb_body *box = gradient_scene_box(s, nb_vec3_of(0.2, 0.25, 0.1), 1, 0.5, nb_vec3_of(0.02 * i, 0, 0.1 + 0.2 * i),
                                          nb_quat_identity());
        box->force = nb_vec3_of(0.3 * i, 0, 0);
    }
}

static void unequal(gradient_scene *s) {
    gradient_scene_ground(s, 0.6, nb_quat_identity());
    gradient_scene_box(s, nb_vec3_of(0.3, 0.3, 0.1), 3, 0.5, nb_vec3_of(0, 0, 0.1), nb_quat_identity());
    gradient_scene_box(s, nb_vec3_of(0.2, 0.2, 0.1), 1, 0.5, nb_vec3_of(0.05, 0.02, 0.3), nb_quat_about(Z, 0.3));
    nb_body *ball = gradient_scene_sphere(s, 0.1, 0.5, 0.4, nb_vec3_of(0.05, 0, 0.5));
    ball->linear_velocity = nb_vec3_of(0.6, 0, -0.1);
    ball = gradient_scene_sphere(s, 0.1, 0.5, 0, nb_vec3_of(0.36, 0, 0.28)); /* on an edge, without friction */
    ball->linear_velocity = nb_vec3_of(-0.1, 0.2, 0);
}

/* cones among the inequalities, and unknowns of the sets' own */
static void rounded(gradient_scene *s) {
    nb_shape *shape;
    gradient_scene_ground(s, 0.6, nb_quat_about(X, 0.05));
    CHECK_OK(nb_shape_capsule(0.1, 0.3, &shape));
    gradient_scene_add(s, NB_BODY_DYNAMIC, shape, 1.5, 0.5, nb_vec3_of(0, 0, 0.1), nb_quat_about(Y, 1.5));
    CHECK_OK(nb_shape_ellipsoid(nb_vec3_of(0.2, 0.15, 0.1), &shape));
    nb_body *body =
        gradient_scene_add(s, NB_BODY_DYNAMIC, shape, 0.7, 0.4, nb_vec3_of(0, 0.05, 0.29), nb_quat_about(Z, 0.3));
    body->linear_velocity = nb_vec3_of(0.1, 0.2, -0.5);
    body->angular_velocity = nb_vec3_of(1, 2, 3);
}

/* ---- with joints ---- */

static const nb_vec3 HINGE = {0, 0, 2};

/* a rod in the plane y = 0, which turns about y at its ends */
static int32_t add_rod(gradient_scene *s, nb_vec3 from, nb_vec3 to) {
    nb_vec3 along = nb_sub(to, from);
    nb_body *rod = gradient_scene_box(s, nb_vec3_of(0.4 * nb_norm(along), 0.02, 0.03), 0.5, 0.5,
                                      nb_scale(0.5, nb_add(from, to)), nb_quat_about(Y, -atan2(along.z, along.x)));
    return (int32_t)(rod - s->world->bodies);
}

/* along or about y */
static const nb_quat ALONG_Y = {0.70710678118654752, 0, 0, 0.70710678118654752};

static nb_joint *join(gradient_scene *s, nb_joint_kind kind, int32_t a, int32_t b, nb_vec3 at, nb_quat frame) {
    static const double rigid[6] = {0};
    int32_t joint;
    CHECK_OK(nb_world_add_joint_at(s->world, kind, a, b, at, frame, rigid, &joint));
    return &s->world->joints[joint];
}

static nb_motor *drive(gradient_scene *s, int32_t a, int32_t b, nb_vec3 at, double stiffness) {
    int32_t motor;
    CHECK_OK(nb_world_add_motor(s->world, NB_JOINT_REVOLUTE, a, b, at, ALONG_Y, stiffness, 0, &motor));
    return &s->world->motors[motor];
}

static void pendulum(gradient_scene *s) {
    int32_t rod = add_rod(s, HINGE, nb_vec3_of(0.6, 0, 1.5));
    join(s, NB_JOINT_REVOLUTE, rod, -1, HINGE, ALONG_Y);
    s->world->bodies[rod].angular_velocity = nb_vec3_of(0, 3, 0);
}

/* a box on two strings from what does not move */
static void hanging(gradient_scene *s) {
    const nb_vec3 half = {0.2, 0.1, 0.05}, at = {0, 0, 1.4};
    gradient_scene_ground(s, 0.5, nb_quat_identity());
    gradient_scene_box(s, half, 1, 0.5, at, nb_quat_identity())->angular_velocity = nb_vec3_of(0.1, 0.5, 1);
    for (int i = -1; i < 2; i += 2) {
        nb_joint *string = join(s, NB_JOINT_DISTANCE, 1, 0, at, nb_quat_identity());
        string->anchor_a = nb_vec3_of(0.2 * i, 0, 0.05);
        string->anchor_b = nb_vec3_of(0.3 * i, 0.05, 1.9);
        string->length = nb_norm(nb_sub(nb_add(at, string->anchor_a), string->anchor_b));
    }
}

/* a loop in the plane: its hinges say twice that it stays there */
static void four_bar(gradient_scene *s) {
    const nb_vec3 at[] = {HINGE, {0.2, 0, 2.4}, {0.9, 0, 2.6}, {1, 0, 2}};
    int32_t before = -1;
    for (int i = 0; i < 3; i++) {
        int32_t rod = add_rod(s, at[i], at[i + 1]);
        join(s, NB_JOINT_REVOLUTE, rod, before, at[i], ALONG_Y);
        before = rod;
    }
    join(s, NB_JOINT_REVOLUTE, before, -1, at[3], ALONG_Y);
    s->world->bodies[0].torque = nb_vec3_of(0, 1, 0);
}

/* a motor that gives way, and one that does not, of a robot's leg */
static void driven(gradient_scene *s) {
    const nb_vec3 knee = {0.3, 0, 1.7}, ankle = {0.2, 0, 1.4}, toe = {0.5, 0, 1.3};
    int32_t hip = add_rod(s, HINGE, knee), leg = add_rod(s, knee, ankle), foot = add_rod(s, ankle, toe);
    join(s, NB_JOINT_REVOLUTE, hip, -1, HINGE, ALONG_Y);
    drive(s, leg, hip, knee, 40)->target = 0.3;
    drive(s, foot, leg, ankle, (double)INFINITY)->target = 0.02;
}

/* an arm from a ball and socket, with an elbow and a ball fixed to its end on the ground, or `above` it */
static nb_body *on_an_arm(gradient_scene *s, double mu, double above) {
    const nb_vec3 socket = {0, 0, 0.3}, elbow = {0.25, 0, 0.6}, wrist = {0.5, 0, 0.1 + above};
    gradient_scene_ground(s, mu, nb_quat_identity());
    int32_t upper = add_rod(s, socket, elbow), lower = add_rod(s, elbow, wrist);
    nb_body *ball = gradient_scene_sphere(s, 0.1, 1, mu, nb_vec3_of(0.6, 0, 0.1 + above));
    join(s, NB_JOINT_SPHERICAL, upper, -1, socket, ALONG_Y);
    join(s, NB_JOINT_REVOLUTE, lower, upper, elbow, ALONG_Y);
    join(s, NB_JOINT_FIXED, lower + 1, lower, wrist, ALONG_Y);
    return ball;
}

static void arm_sticks(gradient_scene *s) {
    on_an_arm(s, 0.5, 0)->force = nb_vec3_of(0, 1, 0);
}

static void arm_slides(gradient_scene *s) {
    nb_body *ball = on_an_arm(s, 0.3, 0);
    for (int i = 0; i < 3; i++) { /* about the socket's vertical */
        ball[-i].angular_velocity = nb_vec3_of(0, 0, 2);
        ball[-i].linear_velocity = nb_vec3_of(0, 2 * ball[-i].position.x, 0);
    }
}

static void arm_lifts_off(gradient_scene *s) {
    on_an_arm(s, 0.5, 0.01)->force = nb_vec3_of(0, 0, 40);
}

/* a ball that goes up and down on a carriage along x, on another one along y where this is not `held`; none turns */
static void on_carriages(gradient_scene *s, double speed, int held) {
    const nb_vec3 half = {0.1, 0.1, 0.1};
    nb_vec3 at = {0, 0, 0.5};
    int32_t below = -1;
    gradient_scene_ground(s, 0.4, nb_quat_identity());
    for (int i = 0; i < 3 - held; i++) {
        const int ball = i == 2 - held, along_x = i == 1 - held;
        nb_body *body = ball ? gradient_scene_sphere(s, 0.1, 1, 0.4, nb_vec3_of(0, 0, 0.1))
                             : gradient_scene_box(s, half, 2, 0.4, at, nb_quat_identity());
        int32_t index = (int32_t)(body - s->world->bodies);
        if (ball) body->force = nb_vec3_of(1, 2, -50);
        if (ball || along_x) body->linear_velocity.x = speed;
        join(s, NB_JOINT_PRISMATIC, index, below, at,
             ball      ? nb_quat_about(Y, 1.5707963267948966)
             : along_x ? nb_quat_identity()
                       : ALONG_Y);
        below = index;
        at.z += 0.3;
    }
}

static void carriages_stick(gradient_scene *s) {
    on_carriages(s, 0, 0);
}

static void carriages_slide(gradient_scene *s) {
    on_carriages(s, 0.5, 0);
}

/* friction and joint hold the same */
static void held_twice(gradient_scene *s) {
    on_carriages(s, 0, 1);
}

/* where interior-point has the same derivatives for rho -> 0: a face's one point holds no torque about its normal, and
 * corners do; a point of a ball that turns stays on it over a step, and here it does not */
typedef enum alike {
    ELSEWHERE,
    IN_PLANE, /* of the plane y = 0 alone */
    ALIKE
} alike;

typedef void scene_maker(gradient_scene *s);
static const struct {
    const char *name;
    scene_maker *make;
    alike as;
} scenes[] = {{"sticking", sticking, IN_PLANE},
              {"sliding", sliding, ELSEWHERE},
              {"sliding in plane", sliding_in_plane, IN_PLANE},
              {"frictionless", frictionless, ELSEWHERE},
              {"landing", landing, ELSEWHERE},
              {"separating", separating, ELSEWHERE},
              {"rolling", rolling, ELSEWHERE},
              {"stacked", stacked, ELSEWHERE},
              {"turntable", turntable, ELSEWHERE},
              {"stacked in plane", stacked_in_plane, IN_PLANE},
              {"unequal", unequal, ELSEWHERE},
              {"rounded", rounded, ELSEWHERE},
              {"jointed", gradient_scene_jointed, ELSEWHERE},
              {"pendulum", pendulum, ALIKE},
              {"hanging", hanging, ALIKE},
              {"four-bar", four_bar, ALIKE},
              {"driven", driven, ALIKE},
              {"arm sticks", arm_sticks, ELSEWHERE},
              {"arm slides", arm_slides, ELSEWHERE},
              {"arm lifts off", arm_lifts_off, ALIKE},
              {"carriages stick", carriages_stick, ALIKE},
              {"carriages slide", carriages_slide, ALIKE},
              {"held twice", held_twice, ALIKE}};

static gradient_scene *open_scene(size_t i, const char *method) {
    gradient_scene *s = gradient_scene_open();
    scenes[i].make(s);
    s->world->skips_unknown = strcmp(method, "single-level") == 0; /* what detection does not know */
    gradient_scene_start(s, method);
    return s;
}

/* ---- what holds in each ---- */

TEST(forward_is_the_difference) {
    uint64_t random = test_seed();
    const double smoothings[] = {1e-2, 1e-4};
    for (size_t k = 0; k < sizeof scenes / sizeof *scenes; k++)
        for (int n = 0; n < 2; n++) {
            double inputs[GRADIENT_INPUTS], by_difference[6 * GRADIENT_BODIES];
            if (scenes[k].make == held_twice) continue; /* too stiff for differences in double */
            gradient_scene *s = open_scene(k, "single-level");
            const double rho = smoothings[n];
            gradient_scene_inputs(s, &random, inputs);
            double error = gradient_scene_difference(s, rho, inputs, 5e-6, by_difference);
            gradient_scene_place(s, inputs, 0);
            nb_step_gradient *gradient = gradient_scene_step(s, rho);
            double largest;
            const double worst = gradient_scene_miss(gradient, inputs, by_difference, &largest);
            print_message("%s, rho %g: off by %.1e of %.1e, differences by %.1e; %d iterations, residual %.1e\n",
                          scenes[k].name, rho, worst, largest, error, (int)gradient->iterations, gradient->residual);
            /* what the extrapolation leaves is a small part of what it takes away */
            CHECK_BELOW(worst, 1e-7 * largest + 0.01 * error);
            nb_step_gradient_destroy(gradient);
            gradient_scene_close(s);
        }
}

/* by_u . (du/dinputs inputs) = inputs . (du/dinputs^T by_u), by factors of the reduced matrix and of its transpose */
TEST(adjoint_is_the_transpose) {
    uint64_t random = test_seed();
    const double smoothings[] = {1e-2, 1e-5, 1e-8, NB_SMOOTHING_OWN};
    for (size_t k = 0; k < sizeof scenes / sizeof *scenes; k++)
        for (int n = 0; n < 4; n++) {
            double inputs[GRADIENT_INPUTS];
            gradient_scene *s = open_scene(k, "single-level");
            gradient_scene_inputs(s, &random, inputs);
            nb_step_gradient *gradient = gradient_scene_step(s, smoothings[n]);
            const double off = gradient_scene_asymmetry(gradient, inputs, &random);
            print_message("%s, rho %g: %.1e\n", scenes[k].name, smoothings[n], off);
            CHECK_BELOW(off, 1e-13);
            nb_step_gradient_destroy(gradient);
            gradient_scene_close(s);
        }
}

/* ---- the method's own step is not touched ---- */

TEST(the_step_stays) {
    for (size_t k = 0; k < sizeof scenes / sizeof *scenes; k++) {
        double u[2][6 * GRADIENT_BODIES];
        for (int n = 0; n < 2; n++) {
            gradient_scene *s = open_scene(k, "single-level");
            for (int step = 0; step < 3; step++) nb_step_gradient_destroy(gradient_scene_step(s, n * 1e-4));
            for (int i = 0; i < 6 * s->world->body_count; i++) {
                const nb_body *b = &s->world->bodies[i / 6];
                nb_vec3 v = i % 6 < 3 ? b->linear_velocity : b->angular_velocity;
                u[n][i] = i % 3 == 0 ? v.x : i % 3 == 1 ? v.y : v.z;
            }
            if (n == 1) assert_memory_equal(u[0], u[1], 6 * (size_t)s->world->body_count * sizeof(double));
            gradient_scene_close(s);
        }
    }
}

/* ---- rho -> 0 ---- */

static void stay_in_plane(double *inputs) {
    static const int across[] = {1, 3, 5};
    for (int i = 0; i < GRADIENT_BODIES; i++)
        for (int vector = 0; vector < 3; vector++)
            for (int k = 0; k < 3; k++) {
                inputs[NB_INPUTS * i + 6 * vector + across[k]] = 0;
            }
}

/* What interior-point says of the same step, from contacts that detection finds: both go to one derivative. */
TEST(as_interior_point) {
    static const char *const methods[] = {"interior-point", "single-level"};
    uint64_t random = test_seed();
    for (size_t k = 0; k < sizeof scenes / sizeof *scenes; k++) {
        double inputs[GRADIENT_INPUTS], du[2][3][6 * GRADIENT_BODIES], off[3] = {0}, largest = 1;
        int bodies = 0;
        if (scenes[k].as == ELSEWHERE) continue;
        for (int m = 0; m < 2; m++)
            for (int n = 0; n < 3; n++) {
                gradient_scene *s = open_scene(k, methods[m]);
                if (m == 0 && n == 0) gradient_scene_inputs(s, &random, inputs);
                if (scenes[k].as == IN_PLANE) stay_in_plane(inputs);
                nb_step_gradient *gradient = gradient_scene_step(s, pow(10, -5 - n));
                CHECK_OK(gradient->type->forward(gradient, inputs, du[m][n]));
                bodies = gradient->bodies;
                nb_step_gradient_destroy(gradient);
                gradient_scene_close(s);
            }
        for (int n = 0; n < 3; n++)
            for (int i = 0; i < 6 * bodies; i++) {
                largest = fmax(largest, fabs(du[0][n][i]));
                off[n] = fmax(off[n], fabs(du[1][n][i] - du[0][n][i]));
            }
        print_message("%s: off by %.1e, %.1e, %.1e of %.1e\n", scenes[k].name, off[0], off[1], off[2], largest);
        for (int n = 0; n < 2; n++) CHECK_BELOW(off[n + 1], fmax(0.2 * off[n], 3e-6 * largest));
    }
}

RUN_TESTS(forward_is_the_difference, adjoint_is_the_transpose, the_step_stays, as_interior_point)
