#include "run/converge.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "measure/measure.h"
#include "registry.h"
#include "run/request.h"
#include "step/stepper.h"

NB_PRECISIONS(f64);

/* What is tried. Direct solvers, and no more iterations than what converges at all takes. */
static const struct {
    const char *method, *linear_solver, *preconditioner;
} methods[2] = {{"interior-point", "gmres", "lu"}, {"newton", "cholesky", "none"}};

enum {
    MOST_ITERATIONS = 500,
    LINEAR_ITERATIONS = 200,
    REFINEMENTS = 20 /* iterations, where one method only confirms the other's solution */
};

/* one of them at work; its stepper remembers the impulses that it found */
typedef struct attempt {
    nb_reference_solution_try try;
    nb_snapshot solution;
    void *stepper;
} attempt;

/* the present step */
typedef struct task {
    nb_world *world;
    const nb_contacts *contacts;
    double h;
    nb_geometry geometry;
    nb_measure *measure; /* begun on it */
} task;

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

/* the standard values of the options of a solver and a preconditioner */
typedef struct option_values {
    double solver[NB_MAX_OPTIONS], preconditioner[NB_MAX_OPTIONS];
} option_values;

/* settings of method i, which borrow the values; to `tolerance`, or 0: to the end of the iterations */
static nb_status settle_on(int i, double tolerance, option_values *values, nb_method_settings *settings) {
    nb_status status;
    const nb_linear_solver_class *solver;
    const nb_preconditioner_class *preconditioner;
    NB_TRY(nb_linear_solver_find(methods[i].linear_solver, &solver));
    NB_TRY(nb_preconditioner_find(methods[i].preconditioner, &preconditioner));
    nb_options_standard(solver->options, solver->option_count, values->solver);
    nb_options_standard(preconditioner->options, preconditioner->option_count, values->preconditioner);
    *settings = nb_lead_settings();
    settings->linear_solver = methods[i].linear_solver;
    settings->preconditioner = methods[i].preconditioner;
    settings->linear_solver_values = values->solver;
    settings->preconditioner_values = values->preconditioner;
    settings->linear.iterations = LINEAR_ITERATIONS;
    settings->newton_iterations = tolerance > 0 ? MOST_ITERATIONS : REFINEMENTS;
    settings->newton_tolerance = tolerance;
out:
    return status;
}

/* One method's solution of the step, from nothing. It moves the world. */
static nb_status solve_alone(int i, const task *t, attempt *a) {
    nb_status status;
    option_values values;
    nb_method_settings settings;
    nb_step_outcome outcome;
    nb_step_counts counts;
    snprintf(a->try.method, NB_SOLVER_LENGTH, "%s", methods[i].method);
    snprintf(a->try.linear_solver, NB_SOLVER_LENGTH, "%s", methods[i].linear_solver);
    snprintf(a->try.preconditioner, NB_SOLVER_LENGTH, "%s", methods[i].preconditioner);
    a->try.natural_map_error = INFINITY;
    NB_TRY(settle_on(i, NB_REFERENCE_TOLERANCE, &values, &settings));
    NB_TRY(nb_stepper_f64.create(methods[i].method, &settings, &a->stepper));
    NB_TRY(nb_stepper_f64.begin(a->stepper, t->world, t->contacts, t->h, t->geometry));
    NB_TRY(nb_stepper_f64.step(a->stepper, t->world, t->contacts, t->h, 0, t->measure, NULL, &outcome, &counts,
                               &a->solution));
    a->try.newton_iterations = outcome.newton_iterations;
    if (isfinite(a->solution.error)) a->try.natural_map_error = a->solution.error;
out:
    return status;
}

/* the velocities of a solution as those of the world, for a warm start */
static void take_velocities(const nb_snapshot *solution, nb_world *world) {
    for (int32_t i = 0; i < world->body_count; i++) {
        const double *u = solution->u + 6 * (int64_t)i;
        if (world->bodies[i].kind != NB_BODY_DYNAMIC) continue;
        world->bodies[i].linear_velocity = nb_vec3_of(u[0], u[1], u[2]);
        world->bodies[i].angular_velocity = nb_vec3_of(u[3], u[4], u[5]);
    }
}

/* Method i from the solution of the other one. It moves away from that where it is no solution of its own equations.
 * What it ends at takes the place of its own attempt, where it is better. It moves the world. */
static nb_status confirm(int i, const task *t, const start *kept, const attempt *from, attempt *a) {
    nb_status status;
    option_values values;
    nb_method_settings settings;
    nb_step_outcome outcome;
    nb_step_counts counts;
    nb_snapshot refined = {0};
    NB_TRY(settle_on(i, 0, &values, &settings));
    NB_TRY(nb_stepper_f64.configure(from->stepper, methods[i].method, &settings));
    NB_TRY(nb_stepper_f64.begin(from->stepper, t->world, t->contacts, t->h, t->geometry));
    take_velocities(&from->solution, t->world);
    NB_TRY(nb_stepper_f64.prepare(from->stepper, t->world, t->contacts, 1, t->measure));
    put_back(kept, t->world);
    NB_TRY(nb_stepper_f64.step(from->stepper, t->world, t->contacts, t->h, 0, t->measure, NULL, &outcome, &counts,
                               &refined));
    if (refined.error < a->try.natural_map_error) {
        nb_snapshot own = a->solution;
        a->solution = refined;
        refined = own;
        a->try.natural_map_error = a->solution.error;
        a->try.newton_iterations = outcome.newton_iterations;
    }
out:
    nb_snapshot_clear(&refined);
    return status;
}

static int reached(const attempt *a) {
    return a->try.natural_map_error <= NB_REFERENCE_REACHED;
}

/* Which of the two is to be the reference of `own`: not its own, unless that is the only one. */
static int choice(const attempt attempts[2], const char *own) {
    int better = attempts[1].try.natural_map_error < attempts[0].try.natural_map_error;
    return own && strcmp(own, attempts[better].try.method) == 0 && reached(&attempts[!better]) ? !better : better;
}

/* The two are solutions apart from each other: both are kept, the first one first. `reference` was filled for `used`.
 */
static nb_status keep_both(nb_measure *measure, int used, attempt attempts[2], nb_reference_solution *reference) {
    nb_status status;
    const size_t size = 6 * (size_t)reference->solution.bodies * sizeof(double);
    reference->second = attempts[!used].solution;
    attempts[!used].solution = (nb_snapshot){0};
    if (used == 0) return NB_OK;
    nb_snapshot first = reference->second;
    reference->second = reference->solution;
    reference->solution = first;
    reference->used = attempts[0].try;
    reference->other = attempts[1].try;
    NB_TRY(nb_measure_set_reference(measure, &reference->solution));
    memcpy(reference->u_of_forces, nb_measure_velocities_of_forces(measure), size);
out:
    return status;
}

/* One becomes the solution, and the other is held against it. */
static nb_status choose(nb_measure *measure, const char *own, attempt attempts[2], nb_reference_solution *reference) {
    nb_status status;
    nb_errors errors;
    int used = choice(attempts, own);
    const attempt *other = &attempts[!used];
    int64_t n = 6 * (int64_t)attempts[used].solution.bodies;
    reference->used = attempts[used].try;
    reference->other = other->try;
    int own_alone = own && strcmp(own, reference->used.method) == 0;
    if (!reached(&attempts[used]) || own_alone) return NB_OK;
    reference->solution = attempts[used].solution;
    attempts[used].solution = (nb_snapshot){0};
    NB_TRY(nb_measure_set_reference(measure, &reference->solution));
    NB_TRY(NB_ALLOCATE(n, &reference->u_of_forces));
    memcpy(reference->u_of_forces, nb_measure_velocities_of_forces(measure), (size_t)n * sizeof(double));
    nb_measure_solution_errors(measure, &other->solution, &errors);
    reference->velocity_difference = errors.velocity_error;
    reference->force_difference = errors.force_error;
    if (nb_reference_solutions_differ(reference->used.natural_map_error, reference->other.natural_map_error,
                                      reference->velocity_difference))
        NB_TRY(keep_both(measure, used, attempts, reference));
out:
    return status;
}

static void drop(attempt attempts[2]) {
    for (int i = 0; i < 2; i++) {
        nb_stepper_f64.destroy(attempts[i].stepper);
        nb_snapshot_clear(&attempts[i].solution);
        attempts[i] = (attempt){0};
    }
}

/* The results of both methods, each by itself, and where one fails, from the other's solution. */
static nb_status solve_both(const task *t, attempt attempts[2]) {
    nb_status status;
    start kept = {0};
    NB_TRY(keep(t->world, &kept));
    for (int i = 0; i < 2; i++) {
        status = solve_alone(i, t, &attempts[i]);
        put_back(&kept, t->world);
        NB_TRY(status);
    }
    int farther = attempts[1].try.natural_map_error < attempts[0].try.natural_map_error;
    if (reached(&attempts[farther]) && !reached(&attempts[!farther])) {
        status = confirm(!farther, t, &kept, &attempts[farther], &attempts[!farther]);
        put_back(&kept, t->world);
        NB_TRY(status);
    }
out:
    nb_free(kept.bodies);
    return status;
}

/* ---- what was solved last ---- */

/* Runs of a comparison begin their last step at the same state, one after the other. */
static struct {
    char *problem; /* as write_problem says */
    int64_t size;
    double seconds;
    attempt attempts[2]; /* without steppers */
} last;

/* All that a step's solution depends on, as bytes. Padding may make two of one, which costs a solve and no more. */
static nb_status write_problem(const task *t, char **problem, int64_t *size) {
    nb_status status;
    const nb_world *w = t->world;
    const double numbers[] = {t->h, t->geometry, w->gravity.x, w->gravity.y, w->gravity.z, w->planar};
    const struct {
        const void *bytes;
        size_t size;
    } parts[] = {{numbers, sizeof numbers},
                 {&w->settings, sizeof w->settings},
                 {w->bodies, (size_t)w->body_count * sizeof *w->bodies},
                 {w->joints, (size_t)w->joint_count * sizeof *w->joints},
                 {w->motors, (size_t)w->motor_count * sizeof *w->motors},
                 {w->couplings, (size_t)w->coupling_count * sizeof *w->couplings},
                 {t->contacts->items, (size_t)t->contacts->count * sizeof *t->contacts->items}};
    char *place;
    *size = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) *size += (int64_t)parts[i].size;
    NB_TRY(NB_ALLOCATE(*size, problem));
    place = *problem;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (parts[i].size > 0) memcpy(place, parts[i].bytes, parts[i].size);
        place += parts[i].size;
    }
out:
    return status;
}

static nb_status copy_attempts(const attempt from[2], attempt to[2]) {
    nb_status status = NB_OK;
    for (int i = 0; i < 2; i++) {
        to[i].try = from[i].try;
        NB_TRY(nb_snapshot_copy(&from[i].solution, &to[i].solution));
    }
out:
    return status;
}

/* Both results, from memory where the step is the one that was solved last. */
static nb_status solve_once(const task *t, attempt attempts[2], double *seconds) {
    nb_status status;
    char *problem = NULL;
    int64_t size;
    double began = nb_clock_seconds();
    NB_TRY(write_problem(t, &problem, &size));
    if (last.problem && last.size == size && memcmp(last.problem, problem, (size_t)size) == 0) {
        *seconds = last.seconds;
        NB_TRY(copy_attempts(last.attempts, attempts));
    } else {
        NB_TRY(solve_both(t, attempts));
        *seconds = nb_clock_seconds() - began;
        nb_free(last.problem);
        last.problem = NULL;
        drop(last.attempts);
        NB_TRY(copy_attempts(attempts, last.attempts));
        last.problem = problem;
        last.size = size;
        last.seconds = *seconds;
        problem = NULL;
    }
out:
    nb_free(problem);
    return status;
}

/* ---- public ---- */

nb_status nb_converge(nb_world *world, const nb_contacts *contacts, double h, nb_geometry geometry, const char *own,
                      nb_reference_solution *reference) {
    nb_status status;
    task t = {world, contacts, h, geometry, NULL};
    attempt attempts[2] = {0};
    nb_reference_solution_clear(reference);
    reference->tolerance = NB_REFERENCE_TOLERANCE;
    NB_TRY(nb_masses_of_world(world, &reference->masses));
    NB_TRY(nb_measure_create(&t.measure));
    NB_TRY(nb_measure_begin(t.measure, world, contacts, h, geometry));
    NB_TRY(solve_once(&t, attempts, &reference->seconds));
    NB_TRY(choose(t.measure, own, attempts, reference));
out:
    nb_measure_destroy(t.measure);
    drop(attempts);
    if (status != NB_OK) nb_reference_solution_clear(reference);
    return status;
}

/* Steps that have several solutions with other velocities (core/errors.md, "The true error"): what a finished run
 * says of them. */

nb_status nb_run_take_second_solution(nb_run *run) {
    nb_status status;
    nb_reference_solution *reference = &run->reference;
    const int distances = nb_columns_find(&run->newton_columns, nb_solution_columns[0].name);
    const int64_t width = run->newton_columns.count;
    if (!reference->solution.q || reference->second.q || distances < 0 || reference->step != run->step_count - 1)
        return NB_OK;
    const int64_t first = run->newton_start[reference->step], end = run->newton_start[reference->step + 1];
    if (end == first) return NB_OK;
    double *final = run->newton + (end - 1) * width;
    const double error = final[NB_NEWTON_VELOCITY_ERROR], force_error = final[NB_NEWTON_FORCE_ERROR];
    if (!nb_reference_solutions_differ(reference->used.natural_map_error, run->final.error, error)) return NB_OK;
    NB_TRY(nb_snapshot_copy(&run->final, &reference->second));
    reference->velocity_difference = error;
    reference->force_difference = force_error;
    reference->other = (nb_reference_solution_try){.newton_iterations = (int32_t)(end - first - 1),
                                                   .natural_map_error = run->final.error};
    snprintf(reference->other.method, NB_SOLVER_LENGTH, "%s", run->info.method);
    snprintf(reference->other.linear_solver, NB_SOLVER_LENGTH, "%s", run->info.linear_solver);
    snprintf(reference->other.preconditioner, NB_SOLVER_LENGTH, "%s", run->info.preconditioner);
    for (double *row = run->newton + first * width; row <= final; row += width) {
        row[distances] = row[NB_NEWTON_VELOCITY_ERROR];
        row[NB_NEWTON_VELOCITY_ERROR] = row[NB_NEWTON_FORCE_ERROR] = NAN;
    }
    final[distances + 1] = 0;
out:
    return status;
}
