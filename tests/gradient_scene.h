/* A world whose inputs (step_gradient.h) can be moved, for tests of derivatives: every body has a shape of its own. */
#ifndef NB_TESTS_GRADIENT_SCENE_H
#define NB_TESTS_GRADIENT_SCENE_H

#include <string.h>

#include "base/largest.h"
#include "check.h"
#include "contact/contact.h"
#include "model/drive.h"
#include "model/world.h"
#include "run/resolve.h"
#include "scenario_run.h"
#include "step/stepper.h"
#include "step_gradient.h"

enum {
    GRADIENT_BODIES = 8,
    GRADIENT_INPUTS = NB_INPUTS * GRADIENT_BODIES
};

typedef struct gradient_scene {
    nb_world *world;
    nb_contacts *contacts;
    nb_measure *measure;
    void *stepper;
    nb_request request;
    double h;
    int frozen;
    nb_body body[GRADIENT_BODIES]; /* as they begin */
    nb_vec3 vertex[GRADIENT_BODIES][8], half[GRADIENT_BODIES];
    double radius[GRADIENT_BODIES];
    nb_convex_set set[GRADIENT_BODIES]; /* the first of each, as it begins */
} gradient_scene;

static inline gradient_scene *gradient_scene_open(void) {
    gradient_scene *s = test_calloc(1, sizeof *s);
    CHECK_OK(nb_world_create(&s->world));
    CHECK_OK(nb_contacts_create(&s->contacts));
    CHECK_OK(nb_measure_create(&s->measure));
    s->world->settings.contact_margin = 0.02;
    s->world->gravity = nb_vec3_of(0, 0, -9.81);
    s->h = 0.01;
    return s;
}

static inline void gradient_scene_close(gradient_scene *s) {
    for (int32_t i = 0; i < GRADIENT_BODIES; i++) nb_convex_set_clear(&s->set[i]);
    if (s->stepper) nb_stepper_f64.destroy(s->stepper);
    nb_world_destroy(s->world);
    nb_contacts_destroy(s->contacts);
    nb_measure_destroy(s->measure);
    test_free(s);
}

/* a body with this shape, which it keeps to itself */
static inline nb_body *gradient_scene_add(gradient_scene *s, nb_body_kind kind, nb_shape *shape, double mass,
                                          double friction, nb_vec3 position, nb_quat turn) {
    int32_t index, body;
    CHECK_OK(nb_world_add_shape(s->world, shape, &index));
    CHECK_OK(nb_world_add_solid(s->world, kind, index, mass, friction, position, turn, &body));
    assert_true(body < GRADIENT_BODIES);
    return &s->world->bodies[body];
}

static inline nb_body *gradient_scene_box(gradient_scene *s, nb_vec3 half, double mass, double friction,
                                          nb_vec3 position, nb_quat turn) {
    nb_shape *shape;
    CHECK_OK(nb_shape_box(half, &shape));
    return gradient_scene_add(s, NB_BODY_DYNAMIC, shape, mass, friction, position, turn);
}

static inline nb_body *gradient_scene_sphere(gradient_scene *s, double radius, double mass, double friction,
                                             nb_vec3 position) {
    nb_shape *shape;
    CHECK_OK(nb_shape_sphere(radius, &shape));
    return gradient_scene_add(s, NB_BODY_DYNAMIC, shape, mass, friction, position, nb_quat_identity());
}

static inline nb_body *gradient_scene_ground(gradient_scene *s, double friction, nb_quat turn) {
    nb_shape *shape;
    CHECK_OK(nb_shape_half_space(&shape));
    return gradient_scene_add(s, NB_BODY_FIXED, shape, 1, friction, nb_vec3_of(0, 0, 0), turn);
}

/* a box on a plane that turns, far from its axis, which leans a little; it is pushed, and held */
static inline void gradient_scene_turntable(gradient_scene *s, double height) {
    const nb_vec3 spin = nb_vec3_of(0.05, -0.03, 2), place = nb_vec3_of(0.5, 0.3, height);
    nb_body *table = gradient_scene_ground(s, 0.6, nb_quat_identity());
    table->kind = NB_BODY_KINEMATIC;
    table->position = nb_vec3_of(-0.2, 0.1, 0);
    table->angular_velocity = spin;
    const nb_vec3 velocity = nb_cross(spin, nb_sub(place, table->position));
    nb_body *box =
        gradient_scene_box(s, nb_vec3_of(0.3, 0.2, 0.1), 2, 0.5, place, nb_quat_about(nb_vec3_of(0, 0, 1), 0.4));
    box->force = nb_vec3_of(1, 0.5, 0);
    box->linear_velocity = velocity;
    box->angular_velocity = spin;
}

/* the same, and a box that hangs from the plane's body by a joint */
static inline void gradient_scene_driven(gradient_scene *s, double height) {
    const double compliance[6] = {1e-5, 2e-5, 1e-5, 1e-4, 1e-4, 1e-4};
    int32_t joint;
    gradient_scene_turntable(s, height);
    gradient_scene_box(s, nb_vec3_of(0.1, 0.08, 0.05), 1, 0.5, nb_vec3_of(-0.7, -0.4, 0.6), nb_quat_identity());
    CHECK_OK(nb_world_add_joint_at(s->world, NB_JOINT_REVOLUTE, 2, 0, nb_vec3_of(-0.6, -0.3, 0.7),
                                   nb_quat_about(nb_vec3_of(0, 1, 0), 0.3), compliance, &joint));
}

/* joints of every kind, soft ones and one to the world, over a ground */
static inline void gradient_scene_jointed(gradient_scene *s) {
    static const nb_joint_kind kinds[] = {NB_JOINT_SPHERICAL, NB_JOINT_REVOLUTE, NB_JOINT_PRISMATIC, NB_JOINT_FIXED,
                                          NB_JOINT_DISTANCE};
    const nb_vec3 x = {1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1};
    const double compliance[6] = {0, 1e-4, 0, 0, 1e-3, 0};
    gradient_scene_ground(s, 0.6, nb_quat_identity());
    for (int i = 0; i < 6; i++) {
        nb_quat turn = nb_quat_product(nb_quat_about(z, 0.4 * i), nb_quat_about(x, 0.1 * i));
        nb_body *body = gradient_scene_box(s, nb_vec3_of(0.1, 0.08, 0.05), 1 + 0.3 * i, 0.5,
                                           nb_vec3_of(0.5 * i, 0.1 * i, 0.06 + 0.2 * (i > 0)), turn);
        body->linear_velocity = nb_vec3_of(0.1 * i, 0.2, -0.3);
        body->angular_velocity = nb_vec3_of(0.5, 0.2 * i, -1);
    }
    for (int i = 0; i < 6; i++) {
        int32_t joint, a = i + 1, b = i < 5 ? i + 2 : -1; /* the last one to the world */
        CHECK_OK(nb_world_add_joint_at(s->world, kinds[i % 5], a, b, nb_vec3_of(0.5 * i + 0.25, 0.1, 0.2),
                                       nb_quat_about(y, 0.3 * i), compliance, &joint));
        if (kinds[i % 5] != NB_JOINT_DISTANCE) continue;
        s->world->joints[joint].anchor_a = nb_vec3_of(0.1, 0, 0);
        s->world->joints[joint].anchor_b = nb_vec3_of(0, 0.1, 0);
        s->world->joints[joint].length = 0.5;
    }
    /* frames that have come apart by a turn of some size */
    s->world->bodies[3].orientation =
        nb_quat_product(nb_quat_about(nb_normalized(nb_vec3_of(1, 2, 3)), 0.6), s->world->bodies[3].orientation);
}

/* when all bodies are there; `options`: "name=value ..." */
static inline void gradient_scene_start_with(gradient_scene *s, const char *method, const char *options) {
    for (int32_t i = 0; i < s->world->body_count; i++) {
        const nb_shape *shape = s->world->shapes[s->world->bodies[i].shape];
        s->body[i] = s->world->bodies[i];
        s->radius[i] = shape->radius;
        s->half[i] = shape->half;
        if (shape->set_count > 0) CHECK_OK(nb_convex_set_copy(&shape->sets[0], &s->set[i]));
        if (shape->kind == NB_SHAPE_COMPOUND) memcpy(s->vertex[i], shape->parts[0].vertices, 8 * sizeof(nb_vec3));
    }
    nb_request *request = &s->request;
    nb_request_standard(request);
    strcpy(request->info.scenario, "wall"); /* any: the options are those of the method */
    strcpy(request->info.method, method);
    /* smoothed solves another law than the natural map is of */
    request->info.newton_tolerance = strcmp(method, "smoothed") == 0 ? 0 : 1e-12;
    request->info.newton_iterations = 1000;
    set_options(options, request);
    CHECK_OK(nb_request_resolve(request));
    const nb_method_settings settings = nb_request_settings(request);
    CHECK_OK(nb_stepper_f64.create(method, &settings, &s->stepper));
}

static inline void gradient_scene_start(gradient_scene *s, const char *method) {
    gradient_scene_start_with(s, method, "");
}

static inline nb_vec3 gradient_vector(const double *from) {
    return nb_vec3_of(from[0], from[1], from[2]);
}

/* `set` as it was, grown about the origin of its frame: s of a point is what it was of the point that became it */
static inline void gradient_scene_grow(const nb_convex_set *was, double grown, nb_convex_set *set) {
    double *b = set->memory + (set->b - set->memory), *e = set->memory + (set->e - set->memory);
    for (int32_t k = 0; k < set->rows; k++) b[k] = grown * was->b[k];
    for (int32_t k = 0; k < set->rows * set->unknowns; k++) e[k] = grown * was->e[k];
    set->centre = nb_scale(grown, was->centre);
    set->radius = grown * was->radius;
}

/* the world at its start, with t times these inputs added */
static inline void gradient_scene_place(gradient_scene *s, const double *inputs, double t) {
    for (int32_t i = 0; i < s->world->body_count; i++) {
        const double *in = inputs + NB_INPUTS * i;
        nb_body *body = &s->world->bodies[i];
        nb_shape *shape = s->world->shapes[body->shape];
        nb_vec3 turn = gradient_vector(in + NB_INPUT_POSITION + 3);
        double denser = 1 + t * in[NB_INPUT_MASS] / s->body[i].mass, grown = 1 + t * in[NB_INPUT_SIZE];
        nb_quat q = nb_quat_about(nb_normalized(turn), t * nb_norm(turn));
        *body = s->body[i];
        body->position = nb_add_scaled(body->position, t, gradient_vector(in + NB_INPUT_POSITION));
        body->orientation = nb_quat_normalized(nb_quat_product(q, body->orientation));
        body->linear_velocity = nb_add_scaled(body->linear_velocity, t, gradient_vector(in + NB_INPUT_VELOCITY));
        body->angular_velocity = nb_add_scaled(body->angular_velocity, t, gradient_vector(in + NB_INPUT_VELOCITY + 3));
        body->force = nb_add_scaled(body->force, t, gradient_vector(in + NB_INPUT_FORCE));
        body->torque = nb_add_scaled(body->torque, t, gradient_vector(in + NB_INPUT_FORCE + 3));
        body->mass *= denser;
        body->inertia = nb_scale(denser * (1 + t * in[NB_INPUT_INERTIA]), body->inertia);
        body->friction += t * in[NB_INPUT_FRICTION];
        shape->radius = grown * s->radius[i];
        shape->half = nb_scale(grown, s->half[i]);
        if (shape->set_count > 0) gradient_scene_grow(&s->set[i], grown, &shape->sets[0]);
        for (int v = 0; shape->kind == NB_SHAPE_COMPOUND && v < 8; v++)
            shape->parts[0].vertices[v] = nb_scale(grown, s->vertex[i][v]);
    }
}

/* Makes a step of the world as it stands, with its gradient, or NULL where rho is 0. */
static inline nb_step_gradient *gradient_scene_step(gradient_scene *s, double rho) {
    nb_step_outcome outcome;
    nb_step_counts counts;
    CHECK_OK(nb_stepper_f64.differentiate(s->stepper, rho));
    nb_world_begin_step(s->world, s->h);
    CHECK_OK(nb_contacts_detect(s->world, s->h, s->contacts));
    CHECK_OK(nb_stepper_f64.begin(s->stepper, s->world, s->contacts, s->h, s->frozen));
    CHECK_OK(nb_measure_begin(s->measure, s->world, s->contacts, s->h, s->frozen));
    CHECK_OK(
        nb_stepper_f64.step(s->stepper, s->world, s->contacts, s->h, 0, s->measure, NULL, &outcome, &counts, NULL));
    return nb_stepper_f64.take_gradient(s->stepper);
}

/* ---- differences ---- */

/* small inputs in all directions; friction that is none stays none */
static inline void gradient_scene_inputs(const gradient_scene *s, uint64_t *random, double *inputs) {
    memset(inputs, 0, GRADIENT_INPUTS * sizeof *inputs);
    for (int32_t i = 0; i < s->world->body_count; i++)
        for (int k = 0; k < NB_INPUTS; k++) {
            int fixed = s->body[i].kind != NB_BODY_DYNAMIC;
            double size = test_random(random, -1, 1);
            if (fixed && k >= NB_INPUT_VELOCITY && k < NB_INPUT_SIZE) continue;
            if (k == NB_INPUT_FRICTION && s->body[i].friction == 0) continue;
            inputs[NB_INPUTS * i + k] = size;
        }
}

/* the velocities of the smoothed step from inputs moved by t */
static inline void gradient_scene_velocities(gradient_scene *s, double rho, const double *inputs, double t, double *u) {
    gradient_scene_place(s, inputs, t);
    nb_step_gradient *gradient = gradient_scene_step(s, rho);
    memcpy(u, gradient->u, 6 * (size_t)gradient->bodies * sizeof *u);
    nb_step_gradient_destroy(gradient);
}

/* Richardson's extrapolation of central differences of the smoothed step; returns its own estimate of the error */
static inline double gradient_scene_difference(gradient_scene *s, double rho, const double *inputs, double t,
                                               double *du) {
    double at[4][6 * GRADIENT_BODIES], error = 0;
    const double place[4] = {-t, -t / 2, t / 2, t};
    for (int k = 0; k < 4; k++) gradient_scene_velocities(s, rho, inputs, place[k], at[k]);
    for (int i = 0; i < 6 * s->world->body_count; i++) {
        double narrow = (at[2][i] - at[1][i]) / t, wide = (at[3][i] - at[0][i]) / (2 * t);
        du[i] = (4 * narrow - wide) / 3;
        error = fmax(error, fabs(narrow - wide) / 3);
    }
    return error;
}

/* how far du by these inputs is from `by_difference`, at most; *largest: the largest of these, at least 1 */
static inline double gradient_scene_miss(nb_step_gradient *gradient, const double *inputs, const double *by_difference,
                                         double *largest) {
    double du[6 * GRADIENT_BODIES], worst = 0;
    *largest = 1;
    CHECK_OK(gradient->type->forward(gradient, inputs, du));
    for (int i = 0; i < 6 * gradient->bodies; i++) {
        nb_raise(largest, fabs(by_difference[i]));
        nb_raise(&worst, fabs(du[i] - by_difference[i]));
    }
    return worst;
}

/* by_u . (du/dinputs inputs) less inputs . (du/dinputs^T by_u), of random by_u, over 1 + the sizes of the terms */
static inline double gradient_scene_asymmetry(nb_step_gradient *gradient, const double *inputs, uint64_t *random) {
    double by_inputs[GRADIENT_INPUTS] = {0}, du[6 * GRADIENT_BODIES] = {0}, by_u[6 * GRADIENT_BODIES];
    double ahead = 0, back = 0, size = 0;
    CHECK_OK(gradient->type->forward(gradient, inputs, du));
    for (int i = 0; i < 6 * gradient->bodies; i++) {
        by_u[i] = test_random(random, -1, 1);
        ahead += by_u[i] * du[i];
    }
    CHECK_OK(gradient->type->adjoint(gradient, by_u, by_inputs));
    for (int i = 0; i < NB_INPUTS * gradient->bodies; i++) {
        back += by_inputs[i] * inputs[i];
        size += fabs(by_inputs[i] * inputs[i]);
    }
    return fabs(ahead - back) / (1 + size);
}

#endif
