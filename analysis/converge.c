#include "converge.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "measure.h"
#include "method/stepper.h"
#include "registry.h"
#include "resolve.h"

/* What is tried. Direct solvers, and no more iterations than what converges at all takes. */
static const struct {
    const char *method, *linear_solver, *preconditioner;
} methods[2] = {{"interior-point", "gmres", "lu"}, {"newton", "cholesky", "none"}};

enum {
    MOST_ITERATIONS = 500,
    LINEAR_ITERATIONS = 200
};

/* one of them at work */
typedef struct attempt {
    nb_reference_try try;
    nb_snapshot solution;
} attempt;

/* the world as it was before a step moved it */
typedef struct start {
    nb_body *bodies; /* [body_count] */
    double time;
} start;

static nb_status keep(const nb_world *world, start *kept) {
    nb_status status = NB_ALLOCATE(world->body_count, &kept->bodies);
    if (status != NB_OK) return status;
    memcpy(kept->bodies, world->bodies, (size_t)world->body_count * sizeof *world->bodies);
    kept->time = world->time;
    return NB_OK;
}

static void put_back(const start *kept, nb_world *world) {
    memcpy(world->bodies, kept->bodies, (size_t)world->body_count * sizeof *world->bodies);
    world->time = kept->time;
}

/* the standard values of the options of a method, its solver and preconditioner */
typedef struct option_values {
    double method[NB_MAX_OPTIONS], solver[NB_MAX_OPTIONS], preconditioner[NB_MAX_OPTIONS];
} option_values;

/* settings of method i, which borrow the values */
static nb_status settle_on(int i, int frozen, option_values *values, nb_method_settings *settings) {
    nb_status status;
    const nb_method_class *method;
    const nb_linear_solver_class *solver;
    const nb_preconditioner_class *preconditioner;
    const nb_method_settings asked = {.frozen_geometry = frozen};
    NB_TRY(nb_method_find(methods[i].method, &method));
    NB_TRY(nb_linear_solver_find(methods[i].linear_solver, &solver));
    NB_TRY(nb_preconditioner_find(methods[i].preconditioner, &preconditioner));
    nb_options_standard(method->options, method->option_count, values->method);
    nb_options_standard(solver->options, solver->option_count, values->solver);
    nb_options_standard(preconditioner->options, preconditioner->option_count, values->preconditioner);
    *settings = nb_reference_settings(&asked);
    settings->linear_solver = methods[i].linear_solver;
    settings->preconditioner = methods[i].preconditioner;
    settings->method_values = values->method;
    settings->linear_solver_values = values->solver;
    settings->preconditioner_values = values->preconditioner;
    settings->linear_iterations = LINEAR_ITERATIONS;
    settings->newton_iterations = MOST_ITERATIONS;
    settings->newton_tolerance = NB_REFERENCE_TOLERANCE;
out:
    return status;
}

/* One method's solution of the step. It moves the world. */
static nb_status attempt_step(int i, nb_world *world, const nb_contacts *contacts, double h, int frozen,
                              nb_measure *measure, attempt *a) {
    nb_status status;
    option_values values;
    nb_method_settings settings;
    nb_step_outcome outcome;
    nb_step_counts counts;
    void *stepper = NULL;
    snprintf(a->try.method, NB_SOLVER_LENGTH, "%s", methods[i].method);
    snprintf(a->try.linear_solver, NB_SOLVER_LENGTH, "%s", methods[i].linear_solver);
    snprintf(a->try.preconditioner, NB_SOLVER_LENGTH, "%s", methods[i].preconditioner);
    a->try.natural_map_error = INFINITY;
    NB_TRY(settle_on(i, frozen, &values, &settings));
    NB_TRY(nb_stepper_f64.create(methods[i].method, &settings, &stepper));
    NB_TRY(nb_stepper_f64.begin(stepper, world, contacts, h, frozen));
    NB_TRY(nb_stepper_f64.step(stepper, world, contacts, h, 0, measure, NULL, &outcome, &counts, &a->solution));
    a->try.newton_iterations = outcome.newton_iterations;
    if (isfinite(a->solution.error)) a->try.natural_map_error = a->solution.error;
out:
    nb_stepper_f64.destroy(stepper);
    return status;
}

/* the better one becomes the solution, and the other is held against it */
static nb_status choose(nb_measure *measure, attempt attempts[2], nb_reference *reference) {
    nb_status status;
    nb_errors errors;
    int used = attempts[1].try.natural_map_error < attempts[0].try.natural_map_error;
    const attempt *other = &attempts[!used];
    int64_t n = 6 * (int64_t)attempts[used].solution.bodies;
    reference->used = attempts[used].try;
    reference->other = other->try;
    reference->solution = attempts[used].solution;
    attempts[used].solution = (nb_snapshot){0};
    NB_TRY(nb_measure_set_reference(measure, &reference->solution));
    NB_TRY(NB_ALLOCATE(n, &reference->u_of_forces));
    memcpy(reference->u_of_forces, nb_measure_velocities_of_forces(measure), (size_t)n * sizeof(double));
    nb_measure_solution_errors(measure, &other->solution, &errors);
    reference->velocity_difference = errors.velocity_error;
    reference->force_difference = errors.force_error;
out:
    return status;
}

nb_status nb_converge(nb_world *world, const nb_contacts *contacts, double h, int frozen, nb_reference *reference) {
    nb_status status;
    nb_measure *measure = NULL;
    attempt attempts[2] = {0};
    start kept = {0};
    double began = nb_clock_seconds();
    nb_reference_clear(reference);
    reference->tolerance = NB_REFERENCE_TOLERANCE;
    NB_TRY(keep(world, &kept));
    NB_TRY(nb_masses_of_world(world, &reference->masses));
    NB_TRY(nb_measure_create(&measure));
    NB_TRY(nb_measure_begin(measure, world, contacts, h, frozen));
    for (int i = 0; i < 2; i++) {
        status = attempt_step(i, world, contacts, h, frozen, measure, &attempts[i]);
        put_back(&kept, world);
        NB_TRY(status);
    }
    NB_TRY(choose(measure, attempts, reference));
    reference->seconds = nb_clock_seconds() - began;
out:
    nb_measure_destroy(measure);
    for (int i = 0; i < 2; i++) nb_snapshot_clear(&attempts[i].solution);
    nb_free(kept.bodies);
    if (status != NB_OK) nb_reference_clear(reference);
    return status;
}
