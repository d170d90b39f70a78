/* A world, what makes its steps, and an integrator that makes them of stages: as runs do it, for tests of worlds that
 * no scenario has. */
#ifndef NB_TESTS_STAGED_SCENE_H
#define NB_TESTS_STAGED_SCENE_H

#include <string.h>

#include "../scenarios/common.h"
#include "base/memory.h"
#include "check.h"
#include "model/integration.h"
#include "registry.h"
#include "run/resolve.h"
#include "run/simulate.h"
#include "scenario_run.h"
#include "step/stepper.h"

static const nb_stepper_class *const type = &nb_stepper_f64;

/* a world, and what makes its steps */
typedef struct scene {
    nb_request request;
    nb_world *world;
    nb_contacts *contacts;
    nb_measure *measure;
    nb_integration *integration;
    void *stepper;
    nb_geometry geometry;
} scene;

/* A world without anything but the settings of worlds, and the method with options "name=value ...". */
static inline void open_scene(nb_integrator integrator, const char *method, const char *options, scene *s) {
    memset(s, 0, sizeof *s);
    nb_request_standard(&s->request);
    strcpy(s->request.info.scenario, "incline");
    strcpy(s->request.info.method, method);
    const nb_method_class *class;
    CHECK_OK(nb_method_find(method, &class));
    s->request.info.newton_iterations = class->record_every ? 100000 : 100;        /* sweeps, or Newton's */
    if (strcmp(method, "smoothed") != 0) s->request.info.newton_tolerance = 1e-12; /* of Coulomb's law */
    if (strcmp(method, "newton") == 0) strcpy(s->request.info.linear_solver, "cholesky");
    set_options(options, &s->request);
    CHECK_OK(nb_simulate_prepare(&s->request));
    const nb_method_settings settings = nb_request_settings(&s->request);
    CHECK_OK(type->create(method, &settings, &s->stepper));
    CHECK_OK(nb_contacts_create(&s->contacts));
    CHECK_OK(nb_measure_create(&s->measure));
    CHECK_OK(nb_world_create(&s->world));
    s->world->settings.integrator = integrator;
    s->geometry = NB_GEOMETRY_JOINTS;
    s->world->settings.impacts = NB_IMPACTS_INTEGRATOR;
}

static inline void close_scene(scene *s) {
    type->destroy(s->stepper);
    nb_measure_destroy(s->measure);
    nb_contacts_destroy(s->contacts);
    nb_integration_destroy(s->integration);
    nb_world_destroy(s->world);
    nb_free(s->request.info.parameters);
}

static inline void solve(scene *s, double h) {
    nb_step_counts counts;
    nb_step_outcome outcome;
    CHECK_OK(nb_contacts_detect(s->world, h, s->contacts));
    CHECK_OK(type->begin(s->stepper, s->world, s->contacts, h, s->geometry));
    CHECK_OK(nb_measure_begin(s->measure, s->world, s->contacts, h, s->geometry));
    CHECK_OK(type->step(s->stepper, s->world, s->contacts, h, 1, s->measure, NULL, &outcome, &counts, NULL));
    if (!nb_reason_converged(outcome.reason))
        fail_msg("%s: a step ends by %s after %d iterations", nb_integrator_names[s->world->settings.integrator],
                 nb_reason_name(outcome.reason), (int)outcome.newton_iterations);
}

/* when the world is whole */
static inline void begin(scene *s) {
    CHECK_OK(nb_integration_create(s->world, &s->integration));
}

static inline void step(scene *s, double h) {
    int stages = nb_integration_begin(s->integration, s->world, h);
    for (int k = 0; k < stages; k++) {
        const double length = nb_integration_begin_stage(s->integration, s->world, k);
        do solve(s, length);
        while (nb_integration_repeats_stage(s->integration, s->world, k));
        if (nb_integration_end_stage(s->integration, s->world, k)) k = -1, stages = 1;
    }
}

static inline nb_particle *add_particle(scene *s, double mass, nb_vec3 position, nb_vec3 velocity) {
    int32_t index;
    const nb_particle particle = {.kind = NB_BODY_DYNAMIC, .mass = mass, .position = position, .velocity = velocity};
    CHECK_OK(nb_world_add_particle(s->world, &particle, &index));
    return &s->world->particles[index];
}

static inline void check_order(nb_integrator integrator, const double errors[2], double order) {
    const double found = log2(errors[0] / errors[1]);
    print_message("%s: %.3g %.3g, order %.3f\n", nb_integrator_names[integrator], errors[0], errors[1], found);
    CHECK_NEAR(found, order, 0.1);
}

#endif
