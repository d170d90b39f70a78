/* Derivatives of steps of method smoothed: forward against differences of the step itself and against back, where
 * contacts stick, slide, roll and land, among joints that give way, with normals of the end and of the start. */
#include "gradient_scene.h"

static const nb_vec3 X = {1, 0, 0}, Y = {0, 1, 0}, Z = {0, 0, 1};

/* soft and wide, so that differences see no kink, and stiff enough that no step is repeated */
#define SPRINGS "contact-tolerance=0.01 friction-tolerance=0.02 contact-stiffness=1e4 residual-tolerance=1e-15 "

/* ---- scenes ---- */

static void resting(gradient_scene *s) {
    gradient_scene_ground(s, 0.5, nb_quat_identity());
    gradient_scene_box(s, nb_vec3_of(0.3, 0.2, 0.1), 2, 0.5, nb_vec3_of(0, 0, 0.106), nb_quat_identity());
}

static void sticking(gradient_scene *s) {
    const nb_quat slope = nb_quat_about(Y, 0.2);
    gradient_scene_ground(s, 0.5, slope);
    gradient_scene_box(s, nb_vec3_of(0.3, 0.2, 0.1), 2, 0.5, nb_quat_rotate(slope, nb_vec3_of(0, 0, 0.106)), slope);
}

static void sliding(gradient_scene *s) {
    sticking(s);
    nb_body *box = &s->world->bodies[1];
    box->friction = 0.1;
    box->linear_velocity = nb_quat_rotate(nb_quat_about(Y, 0.2), nb_vec3_of(1, 0.5, 0));
    box->angular_velocity = nb_quat_rotate(nb_quat_about(Y, 0.2), nb_vec3_of(0, 0, 0.7));
}

static void landing(gradient_scene *s) {
    gradient_scene_ground(s, 0.4, nb_quat_identity());
    const nb_quat turn = nb_quat_product(nb_quat_about(Y, 0.02), nb_quat_about(X, 0.015));
    nb_body *box = gradient_scene_box(s, nb_vec3_of(0.3, 0.2, 0.1), 2, 0.3, nb_vec3_of(0, 0, 0.12), turn);
    box->linear_velocity = nb_vec3_of(0.5, 0, -1);
    box->angular_velocity = nb_vec3_of(0.1, -0.2, 5);
}

static void rolling(gradient_scene *s) {
    const nb_vec3 up = nb_quat_rotate(nb_quat_about(X, 0.1), Z);
    gradient_scene_ground(s, 0.4, nb_quat_about(X, 0.1));
    nb_body *ball = gradient_scene_sphere(s, 0.2, 1.5, 0.5, nb_scale(0.207, up));
    ball->angular_velocity = nb_vec3_of(1, 5, 0);
    ball->linear_velocity = nb_cross(ball->angular_velocity, nb_scale(0.2, up));
}

/* a ball on a box that slides and turns on a box, and one without friction that touches its edge */
static void stacked(gradient_scene *s) {
    gradient_scene_ground(s, 0.6, nb_quat_identity());
    gradient_scene_box(s, nb_vec3_of(0.3, 0.3, 0.1), 3, 0.5, nb_vec3_of(0, 0, 0.105), nb_quat_identity());
    nb_body *box =
        gradient_scene_box(s, nb_vec3_of(0.2, 0.2, 0.1), 1, 0.5, nb_vec3_of(0.05, 0.02, 0.311), nb_quat_about(Z, 0.3));
    box->angular_velocity = nb_vec3_of(0, 0, 0.4);
    nb_body *ball = gradient_scene_sphere(s, 0.1, 0.5, 0.4, nb_vec3_of(0.05, 0, 0.517));
    ball->linear_velocity = nb_vec3_of(0.6, 0, -0.1);
    ball = gradient_scene_sphere(s, 0.1, 0.5, 0, nb_vec3_of(0.371, 0, 0.205 + 0.083));
    ball->linear_velocity = nb_vec3_of(-0.1, 0.2, 0);
}

static void jointed(gradient_scene *s) {
    gradient_scene_jointed(s);
    for (int32_t i = 0; i < s->world->joint_count; i++)
        for (int k = 0; k < 6; k++) s->world->joints[i].compliance[k] = 1e-4 * (1 + k);
    s->world->bodies[1].position.z = 0.054;
}

/* rigid joints among those that give way, in the air */
static void hinged(gradient_scene *s) {
    gradient_scene_jointed(s);
    for (int32_t i = 1; i < s->world->body_count; i++) s->world->bodies[i].position.z += 1;
    for (int32_t i = 0; i < s->world->joint_count; i++)
        if (s->world->joints[i].body_b < 0) s->world->joints[i].anchor_b.z += 1;
}

static void turntable(gradient_scene *s) {
    gradient_scene_turntable(s, 0.106);
}

static void driven(gradient_scene *s) {
    gradient_scene_driven(s, 0.106);
}

static const double share = 1e-6; /* by which rigid joints give way: the derivatives leave out its own, by w */

typedef void scene_maker(gradient_scene *s);
static const struct {
    const char *name;
    scene_maker *make;
    const char *options;
} scenes[] = {{"resting", resting, ""},
              {"sticking", sticking, ""},
              {"sliding", sliding, ""},
              {"landing", landing, ""},
              {"rolling", rolling, ""},
              {"stacked", stacked, ""},
              {"stacked, normals of the start", stacked, "contact-geometry=start "},
              {"landing, normals of the start", landing, "contact-geometry=start "},
              {"sliding, Stribeck", sliding, "static-mu=0.6 stribeck-velocity=2 viscous-friction=0.3 "},
              {"jointed", jointed, ""},
              {"jointed, damped", jointed, "rayleigh-mass=0.7 rayleigh-stiffness=2e-3 "},
              {"hinged", hinged, "rayleigh-stiffness=2e-3 joint-compliance=1e-6 "},
              {"turntable", turntable, ""},
              {"turntable, normals of the start", turntable, "contact-geometry=start "},
              {"driven", driven, ""}};

static const int geometries[] = {NB_GEOMETRY_JOINTS, NB_GEOMETRY_UPDATED, NB_GEOMETRY_FROZEN};

static gradient_scene *open_scene(size_t i, int geometry) {
    char options[256];
    gradient_scene *s = gradient_scene_open();
    scenes[i].make(s);
    s->frozen = geometry;
    snprintf(options, sizeof options, "%s%s", SPRINGS, scenes[i].options);
    gradient_scene_start_with(s, "smoothed", options);
    return s;
}

/* ---- what holds in each ---- */

TEST(forward_is_the_difference) {
    uint64_t random = test_seed();
    for (size_t k = 0; k < sizeof scenes / sizeof *scenes; k++)
        for (size_t n = 0; n < sizeof geometries / sizeof *geometries; n++) {
            double inputs[GRADIENT_INPUTS], by_difference[6 * GRADIENT_BODIES];
            gradient_scene *s = open_scene(k, geometries[n]);
            gradient_scene_inputs(s, &random, inputs);
            const double error = gradient_scene_difference(s, NB_SMOOTHING_OWN, inputs, 1e-5, by_difference);
            gradient_scene_place(s, inputs, 0);
            nb_step_gradient *gradient = gradient_scene_step(s, NB_SMOOTHING_OWN);
            double largest;
            const double worst = gradient_scene_miss(gradient, inputs, by_difference, &largest);
            print_message("%s, geometry %d: off by %.1e of %.1e, differences by %.1e; residual %.1e\n", scenes[k].name,
                          geometries[n], worst, largest, error, gradient->residual);
            /* second derivatives jump at v = 0 and at the tolerances: what differences miss there is of their own error
             */
            CHECK_BELOW(worst, (1e-7 + (scenes[k].make == hinged ? 2 * share : 0)) * largest + 3 * error);
            nb_step_gradient_destroy(gradient);
            gradient_scene_close(s);
        }
}

/* by_u . (du/dinputs inputs) = inputs . (du/dinputs^T by_u) */
TEST(adjoint_is_the_transpose) {
    uint64_t random = test_seed();
    for (size_t k = 0; k < sizeof scenes / sizeof *scenes; k++) {
        double inputs[GRADIENT_INPUTS];
        gradient_scene *s = open_scene(k, NB_GEOMETRY_JOINTS);
        gradient_scene_inputs(s, &random, inputs);
        nb_step_gradient *gradient = gradient_scene_step(s, NB_SMOOTHING_OWN);
        /* matrices as stiff as h^2 times some 1e5 N/m, or as 1/share */
        CHECK_BELOW(gradient_scene_asymmetry(gradient, inputs, &random),
                    scenes[k].make == hinged ? 1e-14 / share : 1e-11);
        nb_step_gradient_destroy(gradient);
        gradient_scene_close(s);
    }
}

/* What a method keeps from step to step leaves no trace, and gradients of one matrix may be asked in any order. */
TEST(steps_do_not_depend_on_those_before) {
    uint64_t random = test_seed();
    static double inputs[GRADIENT_INPUTS], du[3][6 * GRADIENT_BODIES];
    gradient_scene *s = open_scene(5, NB_GEOMETRY_JOINTS);
    gradient_scene_inputs(s, &random, inputs);
    nb_step_gradient *one = gradient_scene_step(s, NB_SMOOTHING_OWN);
    CHECK_OK(one->type->forward(one, inputs, du[0]));
    gradient_scene_place(s, inputs, 1e-4);
    nb_step_gradient *two = gradient_scene_step(s, NB_SMOOTHING_OWN);
    CHECK_OK(two->type->forward(two, inputs, du[1]));
    CHECK_OK(one->type->forward(one, inputs, du[2]));
    assert_memory_equal(du[2], du[0], 6 * (size_t)one->bodies * sizeof **du);
    nb_step_gradient_destroy(one);
    nb_step_gradient_destroy(two);
    gradient_scene_close(s);
}

/* At v = 0, where |v| has a kink, the friction of a box at rest has derivatives: those of 2 mu lambda v/eps. A sideways
 * impulse of 1 N s moves it by 1/(m + 2 h mu N/eps), N the normal forces over the step, for small masses' turns it
 * does not tilt. */
TEST(nothing_is_undefined_at_rest) {
    double inputs[GRADIENT_INPUTS] = {0}, du[6 * GRADIENT_BODIES];
    gradient_scene *s = gradient_scene_open();
    gradient_scene_ground(s, 0.5, nb_quat_identity());
    gradient_scene_sphere(s, 0.1, 2, 0.5, nb_vec3_of(0, 0, 0.106));
    gradient_scene_start_with(s, "smoothed", SPRINGS);
    s->world->bodies[1].inertia = nb_vec3_of(1e9, 1e9, 1e9); /* it does not roll */
    nb_step_gradient *gradient = gradient_scene_step(s, NB_SMOOTHING_OWN);
    for (int i = 0; i < 6; i++)
        if (i != 2) CHECK_NEAR(gradient->u[6 + i], 0, 0); /* exactly at rest along the ground */
    for (int k = 0; k < NB_INPUTS; k++) {
        memset(inputs, 0, sizeof inputs);
        inputs[NB_INPUTS + k] = 1;
        CHECK_OK(gradient->type->forward(gradient, inputs, du));
        for (int i = 0; i < 6 * gradient->bodies; i++) assert_true(isfinite(du[i]));
        if (k != NB_INPUT_FORCE) continue;
        const double load = 2 * (gradient->u[8] / s->h + 9.81); /* N */
        CHECK_NEAR(du[6], s->h / (2 + s->h * 2 * 0.5 * load / 0.02), 1e-9);
    }
    nb_step_gradient_destroy(gradient);
    gradient_scene_close(s);
}

RUN_TESTS(forward_is_the_difference, adjoint_is_the_transpose, steps_do_not_depend_on_those_before,
          nothing_is_undefined_at_rest)
