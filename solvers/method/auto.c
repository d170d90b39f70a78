/* The method that chooses: starts that may already be a solution, then interior-point, then newton. What each step took
 * is in the record. See auto.md for the reasons. */
#include <string.h>
#include <tgmath.h>

#include "base/clock.h"
#include "base/largest.h"
#include "base/memory.h"
#include "measure/iterate.h"
#include "method.h"
#include "method/gradient/cone_gradient.h"
#include "registry.h"
#include "step/columns.h"

NB_PRECISIONS(f32, f64);

enum {
    NEWTON_ITERATIONS = 100, /* of the last resort */
    NEWTON_OF_ELEMENTS = 1000,
    POLISHING_ITERATIONS = 2,
    LINEAR_ITERATIONS = 100,
    ADMM_ITERATIONS = 500,
    MOST_OPTIONS = 16
};

/* speeds below so many times the tolerance are rest, whose impulses are found to so much of it */
static const double rest = 100, polished = 1e-2;

/* what an iteration was made by, and what the state that a step ends with */
typedef enum chosen {
    START,
    INTERIOR_POINT,
    NEWTON,
    ADMM
} chosen;

enum {
    CHOSEN = NB_COLUMN_BEHIND_INTERIOR,
    COLUMNS
};

static const nb_column columns[COLUMNS] = {
    NB_COLUMNS_OF_SOLVES,
    NB_COLUMNS_OF_INTERIOR_POINT,
    [CHOSEN] = {"chosen", "1", "method of the iteration; in the final row, of the final state",
                "0=start 1=interior-point 2=newton 3=admm"},
};

/* a method of the table with the linear solver that it takes by itself */
typedef struct inner {
    nb_method *method;
    int32_t iterations; /* most, of a step */
    double values[MOST_OPTIONS], solver_values[MOST_OPTIONS], preconditioner_values[MOST_OPTIONS];
} inner;

typedef struct automatic {
    nb_method base;
    nb_method_settings settings;
    inner interior, polish, newton, admm; /* made when they are needed first */
    real *kept, *trial;                   /* [velocities + rows], [velocities] */
    int64_t kept_capacity, trial_capacity;
    /* of the present step */
    const nb_observer *heard; /* who listens to the step */
    chosen running;
    int32_t before; /* iterations made by others in this step */
    nb_newton_report last;
} automatic;

/* ---- the inner methods ---- */

static void drop_inner(inner *one) {
    if (one->method) one->method->type->destroy(one->method);
    one->method = NULL;
}

/* Creates it with these settings, completed by the method's and the solvers' defaults. */
static nb_status create_inner(const nb_method_class *type, nb_method_settings s, inner *one) {
    nb_status status;
    const nb_linear_solver_class *solver;
    const nb_preconditioner_class *preconditioner;
    NB_TRY(nb_linear_solver_find(s.linear_solver, &solver));
    NB_TRY(nb_preconditioner_find(s.preconditioner, &preconditioner));
    nb_options_standard(solver->options, solver->option_count, one->solver_values);
    nb_options_standard(preconditioner->options, preconditioner->option_count, one->preconditioner_values);
    s.linear_solver_values = one->solver_values;
    s.preconditioner_values = one->preconditioner_values;
    s.linear = (nb_linear_stop){.iterations = LINEAR_ITERATIONS, .tolerance = 0};
    s.newton_iterations = one->iterations;
    NB_TRY(type->create(type, &s, &one->method));
out:
    return status;
}

/* Makes it, or keeps one of so many iterations. */
static nb_status make_inner(const automatic *m, const char *name, int scene, int32_t iterations, double tolerance,
                            inner *one) {
    nb_status status = NB_OK;
    const nb_method_class *type;
    nb_method_settings s = m->settings;
    if (one->method && one->iterations == iterations) return NB_OK;
    drop_inner(one);
    one->iterations = iterations;
    NB_TRY(nb_method_find(name, &type));
    s.linear_solver = nb_method_linear_solver(type, scene);
    s.preconditioner = nb_method_preconditioner(type, scene);
    s.values = NULL;
    s.newton_tolerance = tolerance;
    NB_TRY(create_inner(type, s, one));
out:
    return status;
}

/* Newton's method for scenes with elements: of three rows each, its steps are too long where shear gives way. */
static nb_status make_newton_of_elements(const automatic *m, int32_t iterations, inner *one) {
    nb_status status = NB_OK;
    const nb_method_class *type;
    nb_method_settings s = m->settings;
    if (one->method && one->iterations == iterations) return NB_OK;
    drop_inner(one);
    one->iterations = iterations;
    NB_TRY(nb_method_find("newton", &type));
    nb_options_standard(type->options, type->option_count, one->values);
    NB_TRY(nb_options_set(type->options, type->option_count, "newton", "form", "condensed", one->values));
    NB_TRY(nb_options_set(type->options, type->option_count, "newton", "line-search", "residual", one->values));
    s.values = one->values;
    s.linear_solver = "cholesky";
    s.preconditioner = "none";
    NB_TRY(create_inner(type, s, one));
out:
    return status;
}

/* ---- what they tell goes on with our columns ---- */

static nb_status on_linear_iterate(void *context, int32_t iteration, const nb_linear_iterate *iterate) {
    const automatic *m = context;
    return m->heard->linear(m->heard->context, iteration, iterate);
}

static nb_status on_system(void *context, int32_t newton, void *system, const void *problem) {
    const automatic *m = context;
    return m->heard->system(m->heard->context, m->before + newton, system, problem);
}

/* the state after a method's last iteration is told by the step, which may go on with another */
static nb_status on_newton_report(void *context, const nb_newton_report *report) {
    automatic *m = context;
    nb_newton_report own = *report;
    const int shared = m->running == NEWTON ? NB_COLUMN_OWN : m->running == ADMM ? 0 : CHOSEN; /* columns */
    for (int i = shared; i < CHOSEN; i++) own.values[i] = (double)NAN;
    own.values[CHOSEN] = m->running;
    m->last = own;
    return report->solved ? m->heard->newton(m->heard->context, &own) : NB_OK;
}

static nb_status run_inner(automatic *m, chosen which, nb_method *method, nb_problem *p, nb_measure *measure,
                           nb_step_outcome *outcome) {
    nb_status status;
    nb_step_outcome of_inner;
    const nb_observer observer = {.context = m,
                                  .linear = m->heard && m->heard->linear ? on_linear_iterate : NULL,
                                  .newton = m->heard && m->heard->newton ? on_newton_report : NULL,
                                  .system = m->heard && m->heard->system ? on_system : NULL};
    m->running = which;
    method->halfway = which == INTERIOR_POINT && method == m->interior.method ? m->base.halfway : NULL;
    m->before = outcome->newton_iterations;
    NB_TRY(method->type->step(method, p, measure, &observer, &of_inner));
    outcome->reason = of_inner.reason;
    outcome->errors = of_inner.errors;
    outcome->newton_iterations += of_inner.newton_iterations;
    outcome->assembly_s += of_inner.assembly_s;
    outcome->setup_s += of_inner.setup_s;
    outcome->solve_s += of_inner.solve_s;
    outcome->operator_applications += of_inner.operator_applications;
    outcome->preconditioner_applications += of_inner.preconditioner_applications;
out:
    return status;
}

/* ---- the start ---- */

static void set_at_rest(nb_problem *p) {
    const nb_nodes *nodes = p->nodes;
    for (int32_t i = 0; i < nodes->count; i++)
        if (nb_problem_whole(p)->exact->mass->moves[i])
            memset(p->u + nodes->velocity[i], 0, (size_t)nb_node_velocities(nodes, i) * sizeof *p->u);
}

static void start_at_zero(nb_problem *p) {
    if (p->nodes) set_at_rest(p);
    memset(p->z, 0, (size_t)p->rows * sizeof *p->z);
}

/* Whether the present iterate, whose errors nobody else asks for, is a solution: not where its momentum is off by more
 * than the tolerance. */
static int may_stay(const automatic *m, const nb_problem *p, nb_measure *measure, nb_step_outcome *outcome) {
    const double own = m->settings.newton_tolerance;
    return nb_measure_iterate_within(measure, p, own > 0 ? own : (double)INFINITY, &outcome->errors) &&
           nb_measure_converged(&outcome->errors, &m->settings);
}

/* Looks for a solution among three starts with the impulses that are there: bodies at rest, the velocities that are
 * there, and those that the impulses make, u~ + M^-1 J^T z. Rest comes first: velocities that a tolerance has let pass
 * would go on as drift. Where none is one, the velocities are left as they were: a start of a smaller error can be a
 * worse one to go on from (tables between walls: 23 iterations a step in place of 2). */
static nb_status try_starts(automatic *m, nb_problem *p, nb_measure *measure, nb_step_outcome *outcome) {
    nb_status status;
    size_t size = (size_t)p->velocities * sizeof *p->u;
    NB_TRY(NB_RESERVE((int64_t)p->velocities + p->rows, &m->kept_capacity, &m->kept));
    NB_TRY(NB_RESERVE((int64_t)p->velocities + p->rows, &m->trial_capacity, &m->trial));
    memcpy(m->kept, p->u, size);
    outcome->reason = NB_REASON_CONVERGED;
    set_at_rest(p);
    if (may_stay(m, p, measure, outcome)) goto out;
    memcpy(p->u, m->kept, size);
    if (may_stay(m, p, measure, outcome)) goto out;
    real *none = m->trial + p->velocities;
    memset(none, 0, (size_t)p->rows * sizeof *none);
    p->type->evaluate(p, NULL);
    p->type->velocity_step(p, none, m->trial);
    for (int32_t i = 0; i < p->velocities; i++) p->u[i] += m->trial[i];
    nb_measure_iterate(measure, p, &outcome->errors);
    if (nb_measure_converged(&outcome->errors, &m->settings)) goto out;
    memcpy(p->u, m->kept, size);
    outcome->reason = NB_REASON_NONE;
out:
    return status;
}

/* ---- the step ---- */

static void copy_iterate(nb_problem *p, real *kept, int back) {
    p = nb_problem_whole(p);
    size_t u = (size_t)p->velocities, z = (size_t)p->rows;
    memcpy(back ? p->u : kept, back ? kept : p->u, u * sizeof *kept);
    memcpy(back ? p->z : kept + u, back ? kept + u : p->z, z * sizeof *kept);
}

/* whether a tolerance was asked for */
static int is_asked(const automatic *m) {
    return m->settings.newton_tolerance > 0 || m->settings.relative_tolerance > 0;
}

/* Whether there is nothing left to try: a tolerance that was asked for is met, or round-off reached where none was. */
static int is_done(const automatic *m, const nb_step_outcome *outcome) {
    if (outcome->reason == NB_REASON_INFEASIBLE) return 1;
    return is_asked(m) ? nb_measure_converged(&outcome->errors, &m->settings) : nb_reason_converged(outcome->reason);
}

/* what a step has come to, which a try of something else may leave worse */
typedef struct result {
    nb_errors errors;
    nb_reason reason;
    nb_newton_report last;
} result;

static nb_status keep(automatic *m, nb_problem *p, const nb_step_outcome *outcome, result *kept) {
    nb_status status = NB_RESERVE((int64_t)p->velocities + nb_problem_whole(p)->rows, &m->kept_capacity, &m->kept);
    if (status != NB_OK) return status;
    copy_iterate(p, m->kept, 0);
    *kept = (result){outcome->errors, outcome->reason, m->last};
    return NB_OK;
}

static void restore(automatic *m, nb_problem *p, const result *kept, nb_step_outcome *outcome) {
    copy_iterate(p, m->kept, 1);
    outcome->errors = kept->errors;
    outcome->reason = kept->reason;
    m->last = kept->last;
}

/* Another method from what the step has come to, within the step's limit; the better result stays. What it does not
 * know is left to others. Newton's method has elements as rows of their own. */
static nb_status try_method(automatic *m, chosen which, const char *name, int32_t most, inner *one, nb_problem *p,
                            nb_measure *measure, nb_step_outcome *outcome) {
    nb_status status;
    result before;
    const int32_t left = m->settings.newton_iterations - outcome->newton_iterations;
    const int elements = which == NEWTON && p->whole;
    if (left <= 0 || is_done(m, outcome)) return NB_OK;
    NB_TRY(keep(m, p, outcome, &before));
    if (elements && most < NEWTON_OF_ELEMENTS) most = NEWTON_OF_ELEMENTS;
    if (elements)
        NB_TRY(make_newton_of_elements(m, left < most ? left : most, one));
    else
        NB_TRY(make_inner(m, name, p->nodes != NULL, left < most ? left : most, m->settings.newton_tolerance, one));
    nb_problem *whole = elements ? nb_problem_whole(p) : p;
    if (which == ADMM || elements) start_at_zero(whole); /* where others went astray it would be long */
    if (elements) whole->type->stiffen(whole, NULL);     /* as interior-point may have left it */
    status = run_inner(m, which, one->method, whole, measure, outcome);
    if (status == NB_ERROR_UNSUPPORTED) {
        restore(m, p, &before, outcome);
        return NB_OK;
    }
    NB_TRY(status);
    const int better = outcome->errors.natural_map < before.errors.natural_map;
    if (is_done(m, outcome) && (better || is_asked(m))) return NB_OK;
    if (!better) restore(m, p, &before, outcome);
    outcome->reason = before.reason;
out:
    return status;
}

/* whether what moves is at rest but for what a tolerance lets pass */
static int is_at_rest(const automatic *m, nb_problem *p) {
    const nb_nodes *nodes = p->nodes;
    double largest = 0;
    for (int32_t i = 0; i < nodes->count; i++)
        for (int k = 0; nb_problem_whole(p)->exact->mass->moves[i] && k < nb_node_velocities(nodes, i); k++)
            nb_raise(&largest, fabs((double)p->u[nodes->velocity[i] + k]));
    return largest <= rest * m->settings.newton_tolerance;
}

/* At rest the impulses are found to a hundredth of the tolerance, where two factorisations do that: with them and no
 * velocities the next steps are solved, too. */
static nb_status polish(automatic *m, nb_problem *p, nb_measure *measure, nb_step_outcome *outcome) {
    nb_status status;
    result before;
    double tolerance = polished * m->settings.newton_tolerance;
    if (m->settings.newton_iterations - outcome->newton_iterations < POLISHING_ITERATIONS) return NB_OK;
    if (outcome->errors.natural_map <= tolerance || !is_at_rest(m, p)) return NB_OK;
    NB_TRY(keep(m, p, outcome, &before));
    NB_TRY(make_inner(m, "interior-point", 1, POLISHING_ITERATIONS, tolerance, &m->polish));
    NB_TRY(run_inner(m, INTERIOR_POINT, m->polish.method, p, measure, outcome));
    if (!(outcome->errors.natural_map < before.errors.natural_map)) restore(m, p, &before, outcome);
    outcome->reason = before.reason;
out:
    return status;
}

static nb_status auto_step(nb_method *self, nb_problem *p, nb_measure *measure, const nb_observer *observer,
                           nb_step_outcome *outcome) {
    automatic *m = (automatic *)self;
    nb_status status = NB_OK;
    double start = nb_clock_seconds();
    *outcome = (nb_step_outcome){.reason = NB_REASON_NONE, .norm_a = NAN, .norm_a_inverse = NAN};
    m->heard = observer;
    if (p->nodes) { /* of a file nothing but zero is known */
        NB_TRY(try_starts(m, p, measure, outcome));
        nb_measure_report(p, &outcome->errors, &m->last);
        m->last.values[CHOSEN] = START;
        outcome->assembly_s = nb_clock_seconds() - start; /* to look is what the method does */
    }
    if (outcome->reason == NB_REASON_NONE) {
        NB_TRY(make_inner(m, "interior-point", p->nodes != NULL, m->settings.newton_iterations,
                          m->settings.newton_tolerance, &m->interior));
        NB_TRY(run_inner(m, INTERIOR_POINT, m->interior.method, p, measure, outcome));
        if (!is_done(m, outcome)) {
            NB_TRY(try_method(m, NEWTON, "newton", NEWTON_ITERATIONS, &m->newton, p, measure, outcome));
            NB_TRY(try_method(m, ADMM, "admm", ADMM_ITERATIONS, &m->admm, p, measure, outcome));
        } else if (p->nodes && m->settings.newton_tolerance > 0)
            NB_TRY(polish(m, p, measure, outcome));
    }
    m->last.solved = 0;
    if (observer && observer->newton) NB_TRY(observer->newton(observer->context, &m->last));
out:
    return status;
}

static void auto_destroy(nb_method *self) {
    automatic *m = (automatic *)self;
    if (!m) return;
    nb_cone_gradient_clear(self);
    drop_inner(&m->interior);
    drop_inner(&m->polish);
    drop_inner(&m->newton);
    drop_inner(&m->admm);
    nb_free(m->kept);
    nb_free(m->trial);
    nb_free(m);
}

static nb_status auto_create(const nb_method_class *type, const nb_method_settings *settings, nb_method **self) {
    automatic *m = NULL;
    nb_status status = NB_ALLOCATE(1, &m);
    *self = NULL;
    if (status != NB_OK) return status;
    m->base.type = type;
    m->settings = *settings;
    *self = &m->base;
    return NB_OK;
}

const nb_method_class NB_REAL_NAME(nb_auto_method) = {
    .name = "auto",
    .summary = "reuses the previous step's solution, else interior-point, newton or admm; fixed solvers",
    .columns = columns,
    .column_count = COLUMNS,
    .alone = 1,
    .own_systems = 1,
    .condenses = 1,
    .friction_laws = NB_FRICTION_ROUND,
    .warm_start = 1,
    .newton_iterations = 5000,
    .create = auto_create,
    .step = auto_step,
    .differentiate = nb_cone_gradient,
    .destroy = auto_destroy,
};
