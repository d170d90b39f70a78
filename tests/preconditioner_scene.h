/* Newton systems that scenes make, for tests of preconditioners: those of a step of newton with a direct solver, or of
 * another method with its own, from zero impulses, after some that settle the scene as `--settle` does; and how many
 * iterations a Krylov method takes on one.
 */
#ifndef NB_TESTS_PRECONDITIONER_SCENE_H
#define NB_TESTS_PRECONDITIONER_SCENE_H

#include <string.h>

#include "base/memory.h"
#include "check.h"
#include "operator/solve.h"
#include "registry.h"
#include "run/resolve.h"
#include "run/simulate.h"
#include "step/stepper.h"

typedef struct scene_systems {
    const char *scene, *form, *method; /* NULL: stiffness, newton */
    const char *settings[4][2];        /* name, value */
    int settle, newton;                /* steps before; iterations of the one that is heard */
    void (*hear)(void *context, int iteration, nb_system *system);
    void *context;
} scene_systems;

static inline nb_status scene_hear(void *context, int32_t iteration, void *system, const void *problem) {
    scene_systems *s = context;
    (void)problem;
    s->hear(s->context, iteration, system);
    return NB_OK;
}

typedef struct scene_parts {
    const nb_stepper_class *type;
    nb_world *world;
    nb_contacts *contacts;
    nb_measure *measure;
} scene_parts;

static inline void scene_steps(const scene_parts *p, const char *method, const nb_method_settings *settings,
                               nb_geometry geometry, double h, int steps, int warm, scene_systems *s) {
    void *stepper;
    nb_observer observer = {.context = s, .system = s ? scene_hear : NULL};
    CHECK_OK(p->type->create(method, settings, &stepper));
    for (int step = 0; step < steps; step++) {
        nb_step_outcome outcome;
        nb_step_counts counts;
        if (p->world->prescribe) p->world->prescribe(p->world, h);
        CHECK_OK(nb_contacts_detect(p->world, h, p->contacts));
        CHECK_OK(p->type->begin(stepper, p->world, p->contacts, h, geometry));
        CHECK_OK(nb_measure_begin(p->measure, p->world, p->contacts, h, geometry));
        CHECK_OK(
            p->type->step(stepper, p->world, p->contacts, h, warm, p->measure, &observer, &outcome, &counts, NULL));
    }
    p->type->destroy(stepper);
}

/* s->hear hears the systems of the step after s->settle ones */
static inline void scene_make_systems(scene_systems *s) {
    nb_request request;
    scene_parts p;
    nb_request_standard(&request);
    strcpy(request.info.scenario, s->scene);
    strcpy(request.info.precision, sizeof(real) == 4 ? "f32" : "f64");
    strcpy(request.info.method, s->method ? s->method : "newton");
    if (!s->method) {
        strcpy(request.info.linear_solver, s->form && strcmp(s->form, "saddle") == 0 ? "umfpack" : "cholesky");
        CHECK_OK(nb_request_set_option(&request, "form", s->form ? s->form : "stiffness"));
    }
    for (int k = 0; k < 4 && s->settings[k][0]; k++) {
        nb_setting *setting = &request.settings[request.setting_count++];
        strcpy(setting->name, s->settings[k][0]);
        strcpy(setting->value, s->settings[k][1]);
    }
    request.info.newton_iterations = s->newton;
    CHECK_OK(nb_simulate_prepare(&request));
    nb_method_settings settings = nb_request_settings(&request), settling = nb_lead_settings();
    settling.newton_iterations = 1000;
    settling.newton_tolerance = NB_SETTLE_TOLERANCE;
    CHECK_OK(request.choices.scenario->build(request.choices.parameters, request.info.seed, &p.world));
    CHECK_OK(nb_contacts_create(&p.contacts));
    CHECK_OK(nb_measure_create(&p.measure));
    p.type = &nb_stepper_f64;
    scene_steps(&p, "auto", &settling, NB_GEOMETRY_JOINTS, request.info.time_step, s->settle, 1, NULL);
    p.type = sizeof(real) == 4 ? &nb_stepper_f32 : &nb_stepper_f64;
    scene_steps(&p, request.info.method, &settings, request.choices.geometry, request.info.time_step, 1, 0, s);
    nb_measure_destroy(p.measure);
    nb_contacts_destroy(p.contacts);
    nb_world_destroy(p.world);
    nb_free(request.info.parameters);
}

/* "NAME" or "NAME OPTION=VALUE": iterations to a true residual of `tolerance`, or -1 where it does not come there */
static inline int scene_iterations(nb_system *system, const char *solver_name, const char *preconditioner,
                                   double tolerance, int limit, nb_solve_report *report) {
    const nb_linear_solver_class *solver;
    const nb_preconditioner_class *type;
    nb_solve *solve;
    nb_linear_stop stop = {.iterations = limit, .tolerance = tolerance};
    double solver_values[16], values[16];
    char name[64] = "", option[64], value[64];
    real *x;
    int options = sscanf(preconditioner, "%63s %63[^=]=%63s", name, option, value);
    CHECK_OK(nb_linear_solver_find(solver_name, &solver));
    CHECK_OK(nb_preconditioner_find(name, &type));
    nb_options_standard(solver->options, solver->option_count, solver_values);
    nb_options_standard(type->options, type->option_count, values);
    if (options == 3) CHECK_OK(nb_options_set(type->options, type->option_count, name, option, value, values));
    CHECK_OK(NB_ALLOCATE(system->rows, &x));
    CHECK_OK(nb_solve_create(solver, solver_values, type, values, &solve));
    CHECK_OK(nb_solve_run(solve, system, &stop, NULL, NULL, x, report));
    nb_solve_destroy(solve);
    nb_free(x);
    return report->reason == NB_REASON_CONVERGED ? report->iterations : -1;
}

#endif
