/* Derivatives of a step of single-level against differences of the same smoothed step, forward against adjoint, and for
 * rho -> 0 against interior-point's, which come from other equations: sliding, sticking, separating, landing, stacks of
 * equal and of other masses, sets of several kinds. */
#include "gradient_scene.h"

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

typedef void scene_maker(gradient_scene *s);
static const struct {
    const char *name;
    scene_maker *make;
    int in_plane;
} scenes[] = {{"sticking", sticking, 1},         {"sliding", sliding, 0}, {"sliding in plane", sliding_in_plane, 1},
              {"frictionless", frictionless, 0}, {"landing", landing, 0}, {"separating", separating, 0},
              {"rolling", rolling, 0},           {"stacked", stacked, 0}, {"stacked in plane", stacked_in_plane, 1},
              {"unequal", unequal, 0},           {"rounded", rounded, 0}};

static gradient_scene *open_scene(size_t i, const char *method) {
    gradient_scene *s = gradient_scene_open();
    scenes[i].make(s);
    s->world->skips_unknown = strcmp(method, "single-level") == 0; /* what detection does not know */
    gradient_scene_start(s, method);
    return s;
}

/* ---- what holds in each ---- */

static void forward_is_the_difference(void **state) {
    (void)state;
    uint64_t random = test_seed();
    const double smoothings[] = {1e-2, 1e-4};
    for (size_t k = 0; k < sizeof scenes / sizeof *scenes; k++)
        for (int n = 0; n < 2; n++) {
            double inputs[GRADIENT_INPUTS], du[6 * GRADIENT_BODIES], by_difference[6 * GRADIENT_BODIES], worst = 0;
            gradient_scene *s = open_scene(k, "single-level");
            double rho = smoothings[n], largest = 1;
            gradient_scene_inputs(s, &random, inputs);
            double error = gradient_scene_difference(s, rho, inputs, 5e-6, by_difference);
            gradient_scene_place(s, inputs, 0);
            nb_step_gradient *gradient = gradient_scene_step(s, rho);
            CHECK_OK(gradient->type->forward(gradient, inputs, du));
            for (int i = 0; i < 6 * gradient->bodies; i++) {
                largest = fmax(largest, fabs(by_difference[i]));
                worst = fmax(worst, fabs(du[i] - by_difference[i]));
            }
            print_message("%s, rho %g: off by %.1e of %.1e, differences by %.1e; %d iterations, residual %.1e\n",
                          scenes[k].name, rho, worst, largest, error, (int)gradient->iterations, gradient->residual);
            /* what the extrapolation leaves is a small part of what it takes away */
            CHECK_BELOW(worst, 1e-7 * largest + 0.01 * error);
            nb_step_gradient_destroy(gradient);
            gradient_scene_close(s);
        }
}

/* by_u . (du/dinputs inputs) = inputs . (du/dinputs^T by_u), by factors of the reduced matrix and of its transpose */
static void adjoint_is_the_transpose(void **state) {
    (void)state;
    uint64_t random = test_seed();
    const double smoothings[] = {1e-2, 1e-5, 1e-8};
    for (size_t k = 0; k < sizeof scenes / sizeof *scenes; k++)
        for (int n = 0; n < 3; n++) {
            double inputs[GRADIENT_INPUTS], by_inputs[GRADIENT_INPUTS] = {0}, du[6 * GRADIENT_BODIES] = {0},
                                            by_u[6 * GRADIENT_BODIES], ahead = 0, back = 0, size = 0;
            gradient_scene *s = open_scene(k, "single-level");
            gradient_scene_inputs(s, &random, inputs);
            nb_step_gradient *gradient = gradient_scene_step(s, smoothings[n]);
            CHECK_OK(gradient->type->forward(gradient, inputs, du));
            for (int i = 0; i < 6 * gradient->bodies; i++) {
                by_u[i] = test_random(&random, -1, 1);
                ahead += by_u[i] * du[i];
            }
            CHECK_OK(gradient->type->adjoint(gradient, by_u, by_inputs));
            for (int i = 0; i < NB_INPUTS * gradient->bodies; i++) {
                back += by_inputs[i] * inputs[i];
                size += fabs(by_inputs[i] * inputs[i]);
            }
            print_message("%s, rho %g: %.1e\n", scenes[k].name, smoothings[n], fabs(ahead - back) / (1 + size));
            CHECK_NEAR(ahead, back, 1e-13 * (1 + size));
            nb_step_gradient_destroy(gradient);
            gradient_scene_close(s);
        }
}

/* ---- the method's own step is not touched ---- */

static void the_step_stays(void **state) {
    (void)state;
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

/* of the plane y = 0 alone: a face's one point holds no torque about its normal, and corners do */
static void stay_in_plane(double *inputs) {
    static const int across[] = {1, 3, 5};
    for (int i = 0; i < GRADIENT_BODIES; i++)
        for (int vector = 0; vector < 3; vector++)
            for (int k = 0; k < 3; k++) {
                inputs[NB_INPUTS * i + 6 * vector + across[k]] = 0;
            }
}

/* What interior-point says of the same step, from contacts that detection finds: both go to one derivative. */
static void as_interior_point(void **state) {
    (void)state;
    static const char *const methods[] = {"interior-point", "single-level"};
    uint64_t random = test_seed();
    for (size_t k = 0; k < sizeof scenes / sizeof *scenes; k++) {
        double inputs[GRADIENT_INPUTS], du[2][3][6 * GRADIENT_BODIES], off[3] = {0}, largest = 1;
        int bodies = 0;
        if (!scenes[k].in_plane) continue;
        for (int m = 0; m < 2; m++)
            for (int n = 0; n < 3; n++) {
                gradient_scene *s = open_scene(k, methods[m]);
                if (m == 0 && n == 0) gradient_scene_inputs(s, &random, inputs);
                stay_in_plane(inputs);
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
        CHECK_BELOW(off[1], 0.2 * off[0]);
        CHECK_BELOW(off[2], 0.2 * off[1]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forward_is_the_difference),
        cmocka_unit_test(adjoint_is_the_transpose),
        cmocka_unit_test(the_step_stays),
        cmocka_unit_test(as_interior_point),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
