/* Worlds in which method smoothed works, step by step, for its tests. */
#ifndef NB_TESTS_SMOOTHED_SCENE_H
#define NB_TESTS_SMOOTHED_SCENE_H

#include <string.h>

#include "../scenarios/common.h"
#include "base/memory.h"
#include "check.h"
#include "constraint/smoothed_friction.h"
#include "constraint/step.h"
#include "method/smoothed/penalty_rows.h"
#include "run/resolve.h"
#include "run/simulate.h"
#include "scenario_run.h"
#include "step/stepper.h"

static const double gravity = 9.81, delta = 1e-3, eps = 1e-3, mu = 0.177;
static const nb_stepper_class *const type = &nb_stepper_f64;

enum {
    PASSES = 8
};

/* a world and the method at work in it */
typedef struct scene {
    nb_request request;
    nb_world *world;
    nb_contacts *contacts;
    nb_measure *measure;
    void *stepper;
    nb_step_outcome outcome;
    double stiffness, repeats, starts, least_gap, lag, pass; /* of the last step's last report */
    double detections, creep, creep_bound, stribeck_step, node_residual;
    double pass_lag[PASSES]; /* of the last report of each pass */
} scene;

static inline nb_status hear(void *context, const nb_newton_report *report) {
    scene *s = context;
    const nb_method_class *method = s->request.choices.method;
    const struct {
        const char *name;
        double *to;
    } wanted[] = {{"contact_stiffness", &s->stiffness}, {"repeats", &s->repeats},
                  {"second_starts", &s->starts},        {"least_gap", &s->least_gap},
                  {"friction_pass", &s->pass},          {"friction_lag", &s->lag},
                  {"detections", &s->detections},       {"creep", &s->creep},
                  {"creep_bound", &s->creep_bound},     {"stribeck_step", &s->stribeck_step},
                  {"residual_linf", &s->node_residual}};

    for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++)
        for (int i = 0; i < method->column_count; i++)
            if (strcmp(method->columns[i].name, wanted[k].name) == 0) *wanted[k].to = report->values[i];
    if (s->pass < PASSES) s->pass_lag[(int)s->pass] = s->lag;
    return NB_OK;
}

/* `options`: "name=value ..." */
static inline void open_scene(const char *options, const char *solver, scene *s) {
    memset(s, 0, sizeof *s);
    nb_request_standard(&s->request);
    strcpy(s->request.info.scenario, "incline");
    strcpy(s->request.info.method, "smoothed");
    strcpy(s->request.info.linear_solver, solver);
    set_options(options, &s->request);
    CHECK_OK(nb_simulate_prepare(&s->request));
    const nb_method_settings settings = nb_request_settings(&s->request);
    CHECK_OK(type->create("smoothed", &settings, &s->stepper));
    CHECK_OK(nb_contacts_create(&s->contacts));
    CHECK_OK(nb_measure_create(&s->measure));
    CHECK_OK(nb_world_create(&s->world));
    s->world->settings.contact_margin = 0.05;
}

static inline void close_scene(scene *s) {
    type->destroy(s->stepper);
    nb_measure_destroy(s->measure);
    nb_contacts_destroy(s->contacts);
    nb_world_destroy(s->world);
    nb_free(s->request.info.parameters);
}

static inline nb_status try_step(scene *s, double h) {
    nb_step_counts counts;
    const nb_observer observer = {.context = s, .newton = hear};
    nb_status status;
    NB_TRY(nb_contacts_detect(s->world, h, s->contacts));
    NB_TRY(type->begin(s->stepper, s->world, s->contacts, h, NB_GEOMETRY_JOINTS));
    NB_TRY(nb_measure_begin(s->measure, s->world, s->contacts, h, NB_GEOMETRY_JOINTS));
    NB_TRY(type->step(s->stepper, s->world, s->contacts, h, 1, s->measure, &observer, &s->outcome, &counts, NULL));
out:
    return status;
}

static inline void step(scene *s, double h) {
    CHECK_OK(try_step(s, h));
    if (!nb_reason_converged(s->outcome.reason))
        fail_msg("a step ends by %s after %d iterations", nb_reason_name(s->outcome.reason),
                 (int)s->outcome.newton_iterations);
}

/* ---- a particle on a slope of 10 degrees ---- */

static const double degree = 0.017453292519943295, slope = 10 * degree;

/* a particle of 1 kg at this gap above the plane z = 0 that gravity lies across */
static inline nb_particle *add_particle(scene *s, double friction, double gap, double speed) {
    int32_t index;
    const nb_particle particle = {.kind = NB_BODY_DYNAMIC,
                                  .mass = 1,
                                  .position = nb_vec3_of(0, 0, gap),
                                  .velocity = nb_vec3_of(speed, 0, 0),
                                  .friction = friction};
    s->world->gravity = nb_vec3_of(gravity * sin(slope), 0, -gravity * cos(slope));
    CHECK_OK(nb_add_ground(s->world, friction, nb_quat_identity(), &index));
    CHECK_OK(nb_world_add_particle(s->world, &particle, &index));
    return &s->world->particles[index];
}

/* the gap at which a contact of this stiffness carries `load` [N] */
static inline double loaded_gap(double kappa, double load) {
    return delta - sqrt(load * delta / (3 * kappa));
}

#endif
