/* Derivatives of one step against differences of the smoothed step, and forward against adjoint: sticking, sliding,
 * rolling, resting on redundant contacts, joints of every kind. */
#include "gradient_scene.h"

#include "base/memory.h"
#include "model/coordinate.h"
#include "model/drive.h"

static const nb_vec3 X = {1, 0, 0}, Y = {0, 1, 0}, Z = {0, 0, 1};

/* ---- scenes ---- */

static void flying(gradient_scene *s) {
    nb_body *body =
        gradient_scene_box(s, nb_vec3_of(0.3, 0.2, 0.1), 2, 0.5, nb_vec3_of(0, 0, 5), nb_quat_about(X, 0.4));
    body->angular_velocity = nb_vec3_of(3, -2, 4);
    body->linear_velocity = nb_vec3_of(1, 2, 3);
    body->torque = nb_vec3_of(0.1, 0.2, -0.3);
}

/* pushed a little: where friction is not called upon at all, y has |v_t| at v_t = 0, which has a kink */
static void resting(gradient_scene *s) {
    gradient_scene_ground(s, 0.5, nb_quat_identity());
    nb_body *box =
        gradient_scene_box(s, nb_vec3_of(0.3, 0.2, 0.1), 2, 0.5, nb_vec3_of(0, 0, 0.1), nb_quat_about(Z, 0.4));
    box->force = nb_vec3_of(1, 0.5, 0);
}

static void sticking(gradient_scene *s) {
    nb_quat slope = nb_quat_about(Y, 0.2);
    gradient_scene_ground(s, 0.5, slope);
    gradient_scene_box(s, nb_vec3_of(0.3, 0.2, 0.1), 2, 0.5, nb_quat_rotate(slope, nb_vec3_of(0, 0, 0.1)), slope);
}

static void sliding(gradient_scene *s) {
    nb_quat slope = nb_quat_about(Y, 0.2);
    gradient_scene_ground(s, 0.2, slope);
    nb_body *box =
        gradient_scene_box(s, nb_vec3_of(0.3, 0.2, 0.1), 2, 0.3, nb_quat_rotate(slope, nb_vec3_of(0, 0, 0.1)), slope);
    box->linear_velocity = nb_quat_rotate(slope, nb_vec3_of(1, 0.5, 0));
    box->angular_velocity = nb_quat_rotate(slope, nb_vec3_of(0, 0, 0.7));
}

static void landing(gradient_scene *s) {
    gradient_scene_ground(s, 0.4, nb_quat_identity());
    nb_quat turn = nb_quat_product(nb_quat_about(Y, 0.05), nb_quat_about(X, 0.03));
    nb_body *box = gradient_scene_box(s, nb_vec3_of(0.3, 0.2, 0.1), 2, 0.3, nb_vec3_of(0, 0, 0.13), turn);
    box->linear_velocity = nb_vec3_of(0.5, 0, -3);
    box->angular_velocity = nb_vec3_of(1, -2, 5);
}

static void rolling(gradient_scene *s) {
    gradient_scene_ground(s, 0.4, nb_quat_about(X, 0.1));
    nb_vec3 up = nb_quat_rotate(nb_quat_about(X, 0.1), Z);
    nb_body *ball = gradient_scene_sphere(s, 0.2, 1.5, 0.5, nb_scale(0.2, up));
    ball->angular_velocity = nb_vec3_of(1, 5, 0);
    ball->linear_velocity = nb_cross(ball->angular_velocity, nb_scale(0.2, up));
}

static void stacked(gradient_scene *s) {
    gradient_scene_ground(s, 0.6, nb_quat_identity());
    gradient_scene_box(s, nb_vec3_of(0.3, 0.3, 0.1), 3, 0.5, nb_vec3_of(0, 0, 0.1), nb_quat_identity());
    gradient_scene_box(s, nb_vec3_of(0.2, 0.2, 0.1), 1, 0.5, nb_vec3_of(0.05, 0.02, 0.3), nb_quat_about(Z, 0.3));
    nb_body *ball = gradient_scene_sphere(s, 0.1, 0.5, 0.4, nb_vec3_of(0.05, 0, 0.5));
    ball->linear_velocity = nb_vec3_of(0.6, 0, -0.1);
    ball = gradient_scene_sphere(s, 0.1, 0.5, 0, nb_vec3_of(0.36, 0, 0.2 + 0.08)); /* on the edge, no friction */
    ball->linear_velocity = nb_vec3_of(-0.1, 0.2, 0);
}

static void compliant(gradient_scene *s) {
    landing(s);
    s->world->settings.contact_compliance = 1e-5;
}

static void relaxed(gradient_scene *s) {
    sliding(s);
    s->world->settings.friction_law = NB_FRICTION_RELAXED;
}

static void turntable(gradient_scene *s) {
    gradient_scene_turntable(s, 0.1);
}

static void driven(gradient_scene *s) {
    gradient_scene_driven(s, 0.1);
}

/* Links on the world, on each other or in pairs, by joints that turn and slide in turn. They begin with velocities that
 * joints take away, and a little apart. */
static void add_links(gradient_scene *s, int links, int chain) {
    const double compliance[6] = {1e-5, 2e-5, 1e-5, 1e-4, 1e-4, 1e-4};
    for (int i = 0; i < links; i++) {
        const nb_vec3 place = {0.3 * i, 0.05 * i, 1 + 0.1 * (i % 2)};
        const nb_quat turn = nb_quat_product(nb_quat_about(Z, 0.3 * i), nb_quat_about(X, 0.2));
        nb_body *body = gradient_scene_box(s, nb_vec3_of(0.1, 0.08, 0.05), 1 + 0.2 * i, 0.5, place, turn);
        body->linear_velocity = nb_vec3_of(0.1 * i, 0.2, -0.3);
        body->angular_velocity = nb_vec3_of(0.5, 0.2 * i, -1);
    }
    for (int i = 0; i < links; i += chain ? 1 : 2) {
        int32_t joint;
        CHECK_OK(nb_world_add_joint_at(s->world, i % 3 == 1 ? NB_JOINT_PRISMATIC : NB_JOINT_REVOLUTE, i,
                                       chain ? i - 1 : i + 1, nb_vec3_of(0.3 * i - 0.1, 0.1, 1.05),
                                       nb_quat_about(Y, 0.4 * i + 0.2), compliance, &joint));
    }
    nb_body *apart = &s->world->bodies[1];
    apart->orientation = nb_quat_product(nb_quat_about(nb_normalized(nb_vec3_of(1, 2, 3)), 0.1), apart->orientation);
}

/* one that is at its stop and one that comes there, along and about */
static void stopped(gradient_scene *s) {
    add_links(s, 4, 1);
    for (int k = 0; k < 4; k++) {
        s->world->joints[k].limited = 1;
        s->world->joints[k].limits[0] = k < 3 ? -0.002 : -2;
        s->world->joints[k].limits[1] = k == 1 ? 0.001 : 3;
    }
}

/* joints that hold and joints that move */
static void dry(gradient_scene *s) {
    add_links(s, 4, 1);
    for (int k = 0; k < 4; k++) s->world->joints[k].friction = k % 2 ? 0.5 : 200;
}

static void rotors(gradient_scene *s) {
    add_links(s, 4, 1);
    for (int k = 0; k < 4; k++) s->world->joints[k].armature = 0.05 + 0.1 * k;
}

/* motors at their efforts and within; one is damped, one does not give way, one drives a joint that a motor frees */
static void driven_to_efforts(gradient_scene *s) {
    add_links(s, 4, 1);
    for (int k = 0; k < 4; k++) {
        const nb_joint *joint = &s->world->joints[k];
        const nb_motor motor = {.joint = k,
                                .along = joint->kind == NB_JOINT_PRISMATIC,
                                .stiffness = k == 3 ? INFINITY : 300,
                                .damping = k == 1 ? 4 : 0,
                                .target = 0.1,
                                .rate = -0.5,
                                .anchor = joint->anchor_b,
                                .frame = joint->frame_b,
                                .effort = k == 2 ? 0.7 : 60};
        CHECK_OK(NB_RESERVE(s->world->motor_count + 1, &s->world->motor_capacity, &s->world->motors));
        s->world->motors[s->world->motor_count++] = motor;
    }
}

/* motors without limits, damped, about and along, and dampers between bodies and to a base that turns */
static void damped(gradient_scene *s) {
    const nb_vec3 point[3] = {{-0.1, 0.1, 1.05}, {0.2, 0.1, 1.05}, {0.5, 0.1, 1.05}};
    const double none[6] = {0};
    int32_t index;
    add_links(s, 4, 0);
    gradient_scene_ground(s, 0.6, nb_quat_identity());
    s->world->bodies[4].kind = NB_BODY_KINEMATIC;
    s->world->bodies[4].angular_velocity = nb_vec3_of(0.05, -0.03, 2);
    for (int k = 0; k < 2; k++) {
        CHECK_OK(nb_world_add_motor(s->world, k ? NB_JOINT_PRISMATIC : NB_JOINT_REVOLUTE, k, k + 1, point[k],
                                    nb_quat_about(Z, 0.5 + k), k ? 200 : 0, 3, &index));
        s->world->motors[index].target = 0.1;
        s->world->motors[index].rate = 0.3;
    }
    for (int k = 2; k < 4; k++) {
        CHECK_OK(nb_world_add_joint_at(s->world, NB_JOINT_FIXED, k, k == 2 ? 0 : 4, point[2], nb_quat_about(X, 0.5 + k),
                                       none, &index));
        for (int i = k == 2 ? 0 : 3; i < 6; i++) s->world->joints[index].damping[i] = 2 + i / 3;
    }
}

/* eight bodies in one row */
static void coupled(gradient_scene *s) {
    add_links(s, 8, 0);
    const nb_coupling coupling = {.count = 4, .joint = {2, 0, 3, 1}, .factor = {1, -2, 0.5, 1.5}, .offset = 0.003};
    CHECK_OK(nb_world_add_coupling(s->world, &coupling));
}

static void speed_up(nb_world *world, double h) {
    (void)h;
    world->bodies[4].angular_velocity.z = 2;
}

/* all of it on one arm, which lies on the ground and on a base that turns */
static void armed(gradient_scene *s) {
    add_links(s, 4, 1);
    gradient_scene_ground(s, 0.6, nb_quat_identity());
    s->world->bodies[3].position.z = 0.05;
    s->world->joints[0].body_b = 4;
    s->world->bodies[4].kind = NB_BODY_KINEMATIC;
    s->world->bodies[4].angular_velocity = nb_vec3_of(0.05, -0.03, 1.5);
    s->world->prescribe = speed_up;
    for (int k = 0; k < 4; k++) {
        s->world->joints[k].friction = 1;
        s->world->joints[k].armature = 0.02;
        s->world->joints[k].limited = k < 2;
        s->world->joints[k].limits[0] = -0.001;
        s->world->joints[k].limits[1] = 0.3;
    }
    const nb_coupling coupling = {.count = 3, .joint = {1, 2, 3}, .factor = {1, 1, -0.5}, .offset = 0};
    CHECK_OK(nb_world_add_coupling(s->world, &coupling));
}

typedef void scene_maker(gradient_scene *s);
static const struct {
    const char *name;
    scene_maker *make;
} scenes[] = {{"flying", flying},       {"resting", resting},
              {"sticking", sticking},   {"sliding", sliding},
              {"landing", landing},     {"rolling", rolling},
              {"stacked", stacked},     {"compliant", compliant},
              {"relaxed", relaxed},     {"jointed", gradient_scene_jointed},
              {"turntable", turntable}, {"driven", driven},
              {"stopped", stopped},     {"dry", dry},
              {"rotors", rotors},       {"efforts", driven_to_efforts},
              {"damped", damped},       {"coupled", coupled},
              {"armed", armed}};

static gradient_scene *open_scene(size_t i, int frozen) {
    gradient_scene *s = gradient_scene_open();
    scenes[i].make(s);
    s->frozen = frozen;
    gradient_scene_start(s, "interior-point");
    return s;
}

/* ---- what holds in each ---- */

TEST(forward_is_the_difference) {
    uint64_t random = test_seed();
    const double smoothings[] = {1e-2, 1e-4};
    for (size_t k = 0; k < sizeof scenes / sizeof *scenes; k++)
        for (int n = 0; n < 4; n++) {
            double inputs[GRADIENT_INPUTS], by_difference[6 * GRADIENT_BODIES];
            gradient_scene *s = open_scene(k, n % 2);
            const double rho = smoothings[n / 2];
            gradient_scene_inputs(s, &random, inputs);
            double error = gradient_scene_difference(s, rho, inputs, 2e-5, by_difference);
            gradient_scene_place(s, inputs, 0);
            nb_step_gradient *gradient = gradient_scene_step(s, rho);
            double largest;
            const double worst = gradient_scene_miss(gradient, inputs, by_difference, &largest);
            print_message("%s%s, rho %g: off by %.1e of %.1e, differences by %.1e; %d iterations, residual %.1e\n",
                          scenes[k].name, s->frozen ? ", frozen" : "", rho, worst, largest, error,
                          (int)gradient->iterations, gradient->residual);
            /* what the extrapolation leaves is a small part of what it takes away */
            CHECK_BELOW(worst, 1e-7 * largest + 0.01 * error);
            nb_step_gradient_destroy(gradient);
            gradient_scene_close(s);
        }
}

/* by_u . (du/dinputs inputs) = inputs . (du/dinputs^T by_u), by factors of K and of its transpose */
TEST(adjoint_is_the_transpose) {
    uint64_t random = test_seed();
    const double smoothings[] = {1e-2, 1e-5, 1e-8};
    for (size_t k = 0; k < sizeof scenes / sizeof *scenes; k++)
        for (int n = 0; n < 6; n++) {
            double inputs[GRADIENT_INPUTS];
            gradient_scene *s = open_scene(k, n % 2);
            gradient_scene_inputs(s, &random, inputs);
            nb_step_gradient *gradient = gradient_scene_step(s, smoothings[n / 2]);
            /* round-off of two factorisations, of stiffnesses that grow like 1/rho */
            CHECK_BELOW(gradient_scene_asymmetry(gradient, inputs, &random), 1e-12 * (1 + 1e-6 / gradient->smoothing));
            nb_step_gradient_destroy(gradient);
            gradient_scene_close(s);
        }
}

/* What a method keeps from step to step leaves no trace: the derivatives of a step after others, of other contacts and
 * of more of them, are those of a new method, bit by bit; and those that other steps were solved between, as long as
 * they are asked for in the same order. */
TEST(steps_do_not_depend_on_those_before) {
    uint64_t random = test_seed();
    static double inputs[GRADIENT_INPUTS], du[2][6 * GRADIENT_BODIES], by_inputs[2][GRADIENT_INPUTS];
    const double rho = 1e-6;
    for (size_t k = 0; k < sizeof scenes / sizeof *scenes; k++) {
        double up[GRADIENT_INPUTS] = {0};
        gradient_scene *s = open_scene(k, 0);
        gradient_scene_inputs(s, &random, inputs);
        for (int i = 0; i < GRADIENT_BODIES; i++) up[NB_INPUTS * i + 2] = 0.05 * i;
        memset(by_inputs, 0, sizeof by_inputs);
        for (int again = 0; again < 2; again++) {
            nb_step_gradient *other = NULL;
            if (again) { /* bodies that are apart touch no more; then the same contacts, moved a little */
                gradient_scene_place(s, up, 1);
                nb_step_gradient_destroy(gradient_scene_step(s, rho));
                gradient_scene_place(s, inputs, 1e-4);
                nb_step_gradient_destroy(gradient_scene_step(s, rho));
            }
            gradient_scene_place(s, inputs, 0);
            nb_step_gradient *gradient = gradient_scene_step(s, rho);
            CHECK_OK(gradient->type->adjoint(gradient, gradient->u, by_inputs[again]));
            if (again) { /* takes the factors away */
                other = gradient_scene_step(s, rho);
                CHECK_OK(other->type->forward(other, inputs, du[1]));
            }
            CHECK_OK(gradient->type->forward(gradient, inputs, du[again]));
            assert_memory_equal(du[again], du[0], 6 * (size_t)gradient->bodies * sizeof **du);
            nb_step_gradient_destroy(gradient);
            nb_step_gradient_destroy(other);
        }
        assert_memory_equal(by_inputs[1], by_inputs[0], sizeof *by_inputs);
        gradient_scene_close(s);
    }
}

/* A face that slides while it turns has open velocities. One that rests, sticks or slides without a turn has redundant
 * contacts as well, but not these; and by the convex law velocities are one and the same, whatever the forces. */
TEST(a_face_that_slides_and_turns_is_open) {
    static const char *const methods[] = {"interior-point", "newton", "auto"};
    for (size_t k = 0; k < sizeof scenes / sizeof *scenes; k++)
        for (int n = 0; n < 3; n++) {
            int open = -1;
            gradient_scene *s = gradient_scene_open();
            scenes[k].make(s);
            s->frozen = 1;
            gradient_scene_start(s, methods[n]);
            nb_step_gradient *gradient = gradient_scene_step(s, 1e-8);
            CHECK_OK(gradient->type->look(gradient, &open));
            print_message("%s by %s: %d\n", scenes[k].name, methods[n], open);
            /* stacked: a ball turns the upper box on the lower one */
            assert_int_equal(open, strcmp(scenes[k].name, "sliding") == 0 || strcmp(scenes[k].name, "stacked") == 0);
            nb_step_gradient_destroy(gradient);
            gradient_scene_close(s);
        }
    gradient_scene *s = gradient_scene_open(); /* without a turn */
    int open = -1;
    sliding(s);
    s->world->bodies[1].angular_velocity = nb_vec3_of(0, 0, 0);
    s->frozen = 1;
    gradient_scene_start(s, "interior-point");
    nb_step_gradient *gradient = gradient_scene_step(s, 1e-8);
    CHECK_OK(gradient->type->look(gradient, &open));
    assert_int_equal(open, 0);
    nb_step_gradient_destroy(gradient);
    gradient_scene_close(s);
}

/* Looking leaves the step on its path: derivatives after it are those before it, but for round-off. */
TEST(looking_changes_nothing) {
    uint64_t random = test_seed();
    for (size_t k = 0; k < sizeof scenes / sizeof *scenes; k++) {
        int open;
        double inputs[GRADIENT_INPUTS], du[2][6 * GRADIENT_BODIES], largest = 1;
        gradient_scene *s = open_scene(k, 1);
        gradient_scene_inputs(s, &random, inputs);
        nb_step_gradient *gradient = gradient_scene_step(s, 1e-6);
        CHECK_OK(gradient->type->forward(gradient, inputs, du[0]));
        CHECK_OK(gradient->type->look(gradient, &open));
        CHECK_OK(gradient->type->forward(gradient, inputs, du[1]));
        for (int i = 0; i < 6 * gradient->bodies; i++) largest = fmax(largest, fabs(du[0][i]));
        for (int i = 0; i < 6 * gradient->bodies; i++) CHECK_NEAR(du[1][i], du[0][i], 1e-9 * largest); /* 1e-13/rho */
        nb_step_gradient_destroy(gradient);
        gradient_scene_close(s);
    }
}

/* ---- what is known of rho -> 0 ---- */

static const double small = 1e-9; /* rho [J] */

/* du of body 1 by one of its inputs */
static void by_input(nb_step_gradient *gradient, int input, double du[6]) {
    double inputs[GRADIENT_INPUTS] = {0}, all[6 * GRADIENT_BODIES];
    inputs[NB_INPUTS + input] = 1;
    CHECK_OK(gradient->type->forward(gradient, inputs, all));
    memcpy(du, all + 6, 6 * sizeof *du);
}

/* A block that slides down a slope of `angle`: v+ = v + h g (sin - mu cos), and nothing else moves it. */
TEST(a_sliding_block) {
    static const char *const methods[] = {"newton", "interior-point", "auto"};
    const double angle = 0.4, mu = 0.3, mass = 2;
    for (int n = 0; n < 6; n++) {
        gradient_scene *s = gradient_scene_open();
        nb_quat slope = nb_quat_about(Y, angle);
        double du[6];
        gradient_scene_ground(s, mu, slope);
        gradient_scene_box(s, nb_vec3_of(0.3, 0.2, 0.05), mass, mu, nb_quat_rotate(slope, nb_vec3_of(0, 0, 0.05)),
                           slope);
        nb_vec3 down = nb_quat_rotate(slope, X), up = nb_quat_rotate(slope, Z);
        s->world->bodies[1].linear_velocity = down;
        s->frozen = n % 2;
        gradient_scene_start(s, methods[n / 2]);
        nb_step_gradient *gradient = gradient_scene_step(s, small);
        by_input(gradient, NB_INPUT_FRICTION, du); /* d sqrt(mu mu_1) = d mu_1 / 2 */
        CHECK_NEAR(nb_dot(gradient_vector(du), down), -0.5 * s->h * 9.81 * cos(angle), 1e-6);
        by_input(gradient, NB_INPUT_VELOCITY, du);
        CHECK_NEAR(nb_dot(gradient_vector(du), down), down.x + mu * up.x, 1e-6); /* what presses slows down */
        CHECK_NEAR(nb_dot(gradient_vector(du), up), 0, 1e-6);
        by_input(gradient, NB_INPUT_FORCE + 2, du);
        CHECK_NEAR(nb_dot(gradient_vector(du), down), s->h / mass * (down.z + mu * up.z), 1e-6);
        by_input(gradient, NB_INPUT_MASS, du);
        for (int i = 0; i < 6; i++) CHECK_NEAR(du[i], 0, 1e-6);
        nb_step_gradient_destroy(gradient);
        gradient_scene_close(s);
    }
}

/* One that sticks moves with nothing but the ground: not by forces, nor by its mass, and its corners stay on the plane
 * where it is put: v_n = -gap/h. */
TEST(a_sticking_block) {
    const double angle = 0.2, mu = 0.5;
    gradient_scene *s = gradient_scene_open();
    nb_quat slope = nb_quat_about(Y, angle);
    nb_vec3 up = nb_quat_rotate(slope, Z);
    double du[6];
    gradient_scene_ground(s, mu, slope);
    gradient_scene_box(s, nb_vec3_of(0.3, 0.2, 0.05), 2, mu, nb_quat_rotate(slope, nb_vec3_of(0, 0, 0.05)), slope);
    gradient_scene_start(s, "interior-point");
    nb_step_gradient *gradient = gradient_scene_step(s, small);
    for (int input = NB_INPUT_VELOCITY; input < NB_INPUT_SIZE; input++) {
        by_input(gradient, input, du);
        for (int i = 0; i < 6; i++) CHECK_NEAR(du[i], 0, 2e-5);
    }
    by_input(gradient, NB_INPUT_POSITION + 2, du);
    const double normal[3] = {up.x, up.y, up.z};
    for (int i = 0; i < 3; i++) CHECK_NEAR(du[i], -up.z / s->h * normal[i], 1e-3);
    by_input(gradient, NB_INPUT_SIZE, du);
    CHECK_NEAR(nb_dot(gradient_vector(du), up), 0.05 / s->h, 1e-3); /* its corners go down by its half height */
    nb_step_gradient_destroy(gradient);
    gradient_scene_close(s);
}

RUN_TESTS(forward_is_the_difference, adjoint_is_the_transpose, steps_do_not_depend_on_those_before,
          a_face_that_slides_and_turns_is_open, looking_changes_nothing, a_sliding_block, a_sticking_block)
