#include "polish.h"

#include <math.h>

#include "base/memory.h"
#include "measure/iterate.h"
#include "method/interior_point/semismooth.h"
#include "registry.h"

NB_PRECISIONS(f32, f64);

enum {
    MOST_ITERATIONS = 40,
    PATIENCE = 4,
    MOST_OPTIONS = 16
};

struct nb_polish {
    nb_problem *p;
    nb_method_settings settings;
    double solver_values[MOST_OPTIONS]; /* of the direct solver, where another was asked for */
    nb_scaled_problem *problem;
    nb_semismooth *semismooth;
};

void nb_polish_destroy(nb_polish *f) {
    if (!f) return;
    nb_semismooth_destroy(f->semismooth);
    nb_scaled_problem_destroy(f->problem);
    nb_free(f);
}

/* The solver asked for, or a direct one where it takes symmetric systems only. */
static nb_status choose_solver(nb_polish *f) {
    nb_status status;
    const nb_linear_solver_class *solver;
    const nb_preconditioner_class *preconditioner;
    nb_method_settings *s = &f->settings;
    NB_TRY(nb_linear_solver_find(s->linear_solver, &solver));
    NB_TRY(nb_preconditioner_find(s->preconditioner, &preconditioner));
    if (solver->takes_unsymmetric && (!solver->takes_preconditioner || preconditioner->takes_unsymmetric)) return NB_OK;
    s->linear_solver = "multifrontal";
    s->linear_solver_values = f->solver_values;
    s->mixed = 0;
    NB_TRY(nb_linear_solver_find(s->linear_solver, &solver));
    nb_options_standard(solver->options, solver->option_count, f->solver_values);
out:
    return status;
}

nb_status nb_polish_create(nb_problem *p, const nb_method_settings *settings, nb_polish **polish) {
    nb_status status;
    nb_polish *f = NULL;
    *polish = NULL;
    NB_TRY(NB_ALLOCATE(1, &f));
    f->p = p;
    f->settings = *settings;
    NB_TRY(choose_solver(f));
    NB_TRY(nb_scaled_problem_create(p, &f->settings, &f->problem));
    if (!p->frozen) NB_TRY(nb_fail(NB_ERROR_USAGE, "--finish exact requires --geometry frozen in scenes with joints"));
    NB_TRY(nb_semismooth_create(f->problem, &f->semismooth));
    f->problem->columns.finish = NB_POLISH_COLUMN;
    *polish = f;
    return NB_OK;
out:
    nb_polish_destroy(f);
    return status;
}

double nb_polish_create_s(const nb_polish *f) {
    return nb_solve_create_s(f->problem->solve);
}

/* Whether an error is round-off of what stands in the rows, and has half the digits of the velocities that the rows
 * would have without impulses: between masses of all sizes the former alone says little. */
static int is_round_off(const nb_polish *f, double error) {
    const double eps = (double)NB_REAL_EPSILON;
    return error <= 1e3 * sqrt((double)f->p->rows) * eps * nb_problem_velocity_scale(f->p) &&
           error <= sqrt(eps) * nb_scaled_problem_free_velocity(f->problem);
}

/* Where steps came near a solution and no nearer, damped ones follow. */
static nb_status iterate(nb_polish *f) {
    const nb_semismooth_task task = {NB_PHASE_NONE, 1, 0, NULL, MOST_ITERATIONS, 1, PATIENCE};
    nb_semismooth *s = f->semismooth;
    int done;
    nb_status status = nb_semismooth_run(s, &task, &done);
    if (status != NB_OK || f->problem->solved || s->damped) return status;
    return nb_semismooth_run(s, &task, &done);
}

nb_status nb_polish_run(nb_polish *f, nb_measure *measure, const nb_observer *observer, nb_newton_report *report,
                        nb_step_outcome *outcome) {
    nb_status status;
    nb_scaled_problem *c = f->problem;
    nb_scaled_problem_begin_step(c, measure, observer, outcome);
    outcome->reason = NB_REASON_NONE;
    f->settings.newton_iterations = outcome->newton_iterations + MOST_ITERATIONS;
    nb_scaled_problem_linearise(c);
    nb_scaled_problem_read(c, f->semismooth->x);
    NB_TRY(iterate(f));
    nb_scaled_problem_write(c, c->best);
    nb_measure_iterate(measure, f->p, &outcome->errors);
    nb_measure_report(f->p, &outcome->errors, report);
    report->values[NB_POLISH_COLUMN] = 1;
    if (nb_reason_converged(outcome->reason)) return NB_OK;
    if (is_round_off(f, outcome->errors.natural_map))
        outcome->reason = NB_REASON_ROUND_OFF;
    else if (outcome->reason == NB_REASON_NONE)
        outcome->reason = NB_REASON_STAGNATED;
out:
    return status;
}
