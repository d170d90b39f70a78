/* The non-smooth Newton method of Macklin et al. 2019: damped steps on the compliance form (59), or the stiffness form
 * (64) or both equations at once (56), with lagged friction compliance W. See core/formulation.md for the equations in
 * impulses. */
#include <stdio.h>
#include <string.h>
#include <tgmath.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/interrupt.h"
#include "base/largest.h"
#include "base/memory.h"
#include "base/real.h"
#include "condensed.h"
#include "constraint/problem.h"
#include "device.h"
#include "device_step.h"
#include "limits.h"
#include "measure/iterate.h"
#include "method.h"
#include "method/gradient/cone_gradient.h"
#include "method/projected/recession.h"
#include "newton_options.h"
#include "newton_system.h"
#include "operator/primal.h"
#include "operator/saddle.h"
#include "operator/solve.h"
#include "polish.h"
#include "registry.h"
#include "step/columns.h"
#include "step/geometric_stiffness.h"

NB_PRECISIONS(f32, f64);

/* The length of a Newton step: t = 1, halved until a merit falls.
 * Source: Macklin et al. 2019, 8.1, where the merit is the 2-norm of the residual. */
typedef struct line_search {
    const real *du, *dz;            /* the step [velocities], [rows] */
    real *u_saved, *z_saved;        /* [velocities], [rows] overwritten */
    double before;                  /* the merit of the iterate */
    double (*merit)(void *context); /* of the problem's present iterate, 0 at a solution */
    void *context;
} line_search;

/* (u, z) += t (du, dz); returns the largest change of an impulse in velocity units, w |dz| [m/s] */
static double line_search_move(nb_problem *p, const real *du, const real *dz, real t) {
    double largest = 0;
    for (int32_t i = 0; i < p->velocities; i++) p->u[i] += t * du[i];
    for (int32_t r = 0; r < p->rows; r++) {
        p->z[r] += t * dz[r];
        nb_raise(&largest, (double)fabs(t * dz[r] * p->w[r]));
    }
    return largest;
}

/* Moves the problem's iterate by the first of t = 1, 1/2, ... at which the merit is at most (1 - 1e-4 t) of the one
 * before, and returns 1; after eight halvings without such a length 0, where the iterate was. *step_linf is the change
 * as above, or 0. */
static int line_search_run(const line_search *search, nb_problem *p, double *step_linf) {
    const int most_halvings = 8;
    real t = 1;
    memcpy(search->u_saved, p->u, (size_t)p->velocities * sizeof(real));
    memcpy(search->z_saved, p->z, (size_t)p->rows * sizeof(real));
    for (int halvings = 0; halvings <= most_halvings; halvings++, t /= 2) {
        *step_linf = line_search_move(p, search->du, search->dz, t);
        if (search->merit(search->context) <= (1 - 1e-4 * (double)t) * search->before) return 1;
        memcpy(p->u, search->u_saved, (size_t)p->velocities * sizeof(real));
        memcpy(p->z, search->z_saved, (size_t)p->rows * sizeof(real));
    }
    *step_linf = 0;
    return 0;
}

static const double alpha_minimum = 1e-3; /* lower clamp of alpha */

/* ---- columns ---- */

enum {
    FINISHING = NB_POLISH_COLUMN,
    LIMIT_RESIDUAL,
    LIMIT_STEP,
    SOLUTION_ENERGY,
    COLUMNS
};

static const nb_column columns[COLUMNS] = {
    NB_COLUMNS_OF_SOLVES,
    [FINISHING] = {"finish", "1", "1 in iterations of the semismooth Newton polish"},
    [LIMIT_RESIDUAL] = {"limit_residual", "m/s", "Tisseur's bound on the residual, eq. (92)"},
    [LIMIT_STEP] = {"limit_step", "m/s", "Tisseur's bound on the step, eq. (91)"},
    [SOLUTION_ENERGY] = {"solution_energy", "sqrt(J)", "energy norm of the system's solution, sqrt(du.H du + y.C y)"},
};

/* ---- the method at work ---- */

/* one linear system and its solver: the whole, or an island's */
typedef struct part {
    nb_system *system;
    nb_solve *solve;
    nb_law_range *ranges; /* [range_count] its share of the whole's rows */
} part;

typedef struct newton {
    nb_method base;
    nb_method_settings settings;
    double values[NB_NEWTON_OPTIONS];
    const nb_linear_solver_class *linear_solver;
    const nb_preconditioner_class *preconditioner; /* NULL where the solver takes none */
    int32_t part_count;
    part *parts;
    nb_law_range *ranges; /* of all parts */
    nb_system *whole;     /* the system over all rows (parts[0]'s, unless solved island by island) */
    nb_form *form;        /* of `whole`, which is solved in its place, or of the last step's; NULL: none */
    nb_polish *polish;
    int prepared; /* 1: the next step is */
    nb_device_step device_step;
    nb_solve *spare;             /* the last step's, on a device, where making it is expensive; or NULL */
    double create_s;             /* of the present step, in the solvers' create */
    double setup_s, start_scale; /* of the present step, [m/s] nb_measure_start_scale */
    nb_arena arena;
    real *y, *force, *du, *update_weight, *rows, *u_saved, *z_saved; /* [rows] or [velocities] */
    nb_geometric_stiffness geometric;
} newton;

/* ---- preparation of a step ---- */

static void drop_parts(newton *n) {
    if (n->settings.device && n->part_count == 1 && !n->spare) {
        n->spare = n->parts[0].solve;
        n->parts[0].solve = NULL;
    }
    for (int32_t i = 0; i < n->part_count; i++) {
        nb_solve_destroy(n->parts[i].solve);
        /* an island's own; a form's belongs to it */
        if (n->parts[i].system != n->whole && !n->form) nb_system_destroy(n->parts[i].system);
    }
    nb_free(n->parts);
    nb_free(n->ranges);
    nb_system_destroy(n->whole);
    nb_polish_destroy(n->polish);
    nb_device_step_clear(&n->device_step);
    nb_arena_clear(&n->arena);
    n->parts = NULL;
    n->ranges = NULL;
    n->whole = NULL;
    n->polish = NULL;
    n->part_count = 0;
}

static nb_status make_solver(newton *n, nb_solve **solve) {
    const nb_method_settings *s = &n->settings;
    if (n->spare) {
        *solve = n->spare;
        n->spare = NULL;
        nb_solve_restart(*solve);
        return NB_OK;
    }
    nb_status status = nb_settings_solve(s, solve);
    n->create_s += nb_solve_create_s(*solve);
    return status;
}

static nb_status make_parts(newton *n, nb_problem *p) {
    nb_status status;
    int by_island = n->values[NB_NEWTON_ISLANDS] == 1 && p->island_count > 1;
    if (n->values[NB_NEWTON_ISLANDS] == 1 && !p->type->island)
        return nb_fail(NB_ERROR_UNSUPPORTED, "--islands on does not support problem files");
    int32_t count = by_island ? p->island_count : 1;
    NB_TRY(NB_ALLOCATE(count, &n->parts));
    if (by_island) NB_TRY(NB_ALLOCATE((int64_t)count * p->range_count, &n->ranges));
    n->part_count = count;
    NB_TRY(nb_system_create(p->delassus, &n->whole));
    NB_TRY(nb_newton_set_blocks(p, n->whole));
    if (nb_newton_form(n->values)) {
        NB_TRY(n->form ? nb_form_renew(n->whole, &n->form)
                       : nb_form_create(nb_newton_form(n->values), n->whole, &n->form));
        n->parts[0].system = n->form->system;
        n->parts[0].system->device = n->settings.device;
        NB_TRY(make_solver(n, &n->parts[0].solve));
        return NB_OK;
    }
    for (int32_t i = 0; i < count; i++) {
        part *one = &n->parts[i];
        one->system = n->whole;
        if (by_island) {
            one->ranges = n->ranges + (ptrdiff_t)i * p->range_count;
            one->system = NULL;
            NB_TRY(nb_system_create(p->type->island(p, i, one->ranges), &one->system));
            NB_TRY(nb_newton_set_blocks(p, one->system));
        }
        one->system->device = n->settings.device;
        NB_TRY(make_solver(n, &one->solve));
    }
out:
    return status;
}

static void lay_out_vectors(nb_arena *a, newton *n, const nb_problem *p) {
    NB_PLACE(a, p->rows, &n->y);
    NB_PLACE(a, p->rows, &n->force);
    NB_PLACE(a, p->rows, &n->update_weight);
    NB_PLACE(a, p->rows, &n->rows);
    NB_PLACE(a, p->rows, &n->z_saved);
    NB_PLACE(a, p->velocities, &n->du);
    NB_PLACE(a, p->velocities, &n->u_saved);
    if (n->values[NB_NEWTON_GEOMETRIC_STIFFNESS] == 1) nb_geometric_stiffness_lay_out(a, p, &n->geometric);
}

static nb_status make_vectors(newton *n, const nb_problem *p) {
    nb_arena_measure(&n->arena);
    lay_out_vectors(&n->arena, n, p);
    nb_status status = nb_arena_reserve(&n->arena);
    if (status == NB_OK) lay_out_vectors(&n->arena, n, p);
    return status;
}

/* ---- assembly of one Newton system ---- */

/* S, C and b of the laws alone, at the problem's last evaluate */
static void linearise(newton *n, nb_problem *p) {
    nb_system *system = n->whole;
    const nb_law_state state = nb_problem_state(p);
    const nb_linearisation how = {(nb_ncp_function)n->values[NB_NEWTON_NCP],
                                  (nb_ncp_scaling)n->values[NB_NEWTON_SCALING], n->values[NB_NEWTON_ROW_SCALING] == 1,
                                  (real)alpha_minimum};
    const nb_newton_weights weights = {system->s, system->c, system->b, n->update_weight, system->k, system->k_place};
    for (int32_t i = 0; i < p->range_count; i++)
        p->ranges[i].law->type->linearise(&p->ranges[i], &state, &how, &weights);
}

static void assemble(newton *n, nb_problem *p) {
    nb_system *system = n->whole;
    linearise(n, p);
    nb_newton_regularize(p, (real)n->values[NB_NEWTON_REGULARIZATION], n->values[NB_NEWTON_REGULARIZATION_KIND] == 1,
                         system);
    /* the literal form weighs the forces of the momentum residual as well */
    if (n->values[NB_NEWTON_ROW_SCALING] == 1) p->type->evaluate(p, system->s);
    nb_system_values_changed(system);
    if (n->form) return; /* takes b without the momentum's part */
    p->type->momentum_rows(p, n->rows);
    for (int32_t r = 0; r < p->rows; r++) system->b[r] += system->s[r] * n->rows[r];
}

/* ---- one linear solve ---- */

/* The unknowns of the whole in n->y, or a form's. */
static nb_status solve_parts(newton *n, nb_problem *p, const nb_observer *observer, nb_newton_report *report) {
    nb_status status = NB_OK;
    double residual = 0, norm = 0, *v = report->values;
    int by_island = n->part_count > 1;
    for (int32_t i = 0; i < n->part_count; i++) {
        part *one = &n->parts[i];
        nb_solve_report solved;
        real *x = n->form ? n->form->x : n->y;
        if (by_island) {
            nb_newton_copy_system(p, one->ranges, n->whole, one->system);
            x = n->rows; /* free until the next assembly */
        }
        NB_TRY(nb_solve_run(one->solve, one->system, &n->settings.linear,
                            !by_island && observer ? observer->linear : NULL, observer ? observer->context : NULL, x,
                            &solved));
        if (by_island) nb_newton_scatter_rows(p, one->ranges, x, n->y);
        double share = by_island ? (double)one->system->rows / (double)n->whole->rows : 1;
        nb_columns_add_solve(&solved, share, by_island, report);
        v[NB_COLUMN_FACTOR_NONZEROS] += (double)solved.factor_nonzeros;
        if (v[NB_COLUMN_LINEAR_ITERATIONS] < solved.iterations) v[NB_COLUMN_LINEAR_ITERATIONS] = solved.iterations;
        /* the worst part speaks for all */
        if (i == 0 || !nb_reason_converged(solved.reason)) v[NB_COLUMN_LINEAR_REASON] = solved.reason;
        residual = hypot(residual, solved.residual_l2);
        norm = hypot(norm, solved.rhs_l2);
    }
    v[NB_COLUMN_LINEAR_RESIDUAL] = norm > 0 ? residual / norm : 0;
out:
    return status;
}

static void count_update(nb_newton_report *report, double start) {
    double seconds = nb_clock_seconds() - start;
    report->update_s += seconds;
    report->assembly_s += seconds;
}

/* Solves the assembled system: the update dz in n->y and the velocity step in n->du. */
static nb_status solve_system(newton *n, nb_problem *p, const nb_observer *observer, int32_t iteration,
                              nb_newton_report *report) {
    nb_status status;
    double start = nb_clock_seconds();
    if (n->form) {
        NB_TRY(nb_form_assemble(n->form, n->whole, p->momentum));
        report->setup_s += nb_clock_seconds() - start;
        report->values[NB_COLUMN_FACTOR_NONZEROS] = (double)n->form->factor_nonzeros;
    }
    if (observer && observer->system)
        NB_TRY(observer->system(observer->context, iteration, n->form ? n->form->system : n->whole, p));
    NB_TRY(solve_parts(n, p, observer, report));
    real *exact = n->part_count == 1 ? nb_solve_exact(n->parts[0].solve) : NULL;
    report->values[SOLUTION_ENERGY] = nb_newton_solution_energy(p, n->whole, n->form, exact, n->du, n->rows);
    start = nb_clock_seconds();
    if (n->form) {
        n->form->type->recover(n->form, n->whole, n->du, n->y);
    } else {
        for (int32_t r = 0; r < p->rows; r++) n->force[r] = n->whole->s[r] * n->y[r];
        p->type->velocity_step(p, n->force, n->du);
    }
    for (int32_t r = 0; r < p->rows; r++) n->y[r] *= n->update_weight[r];
    count_update(report, start);
out:
    return status;
}

/* ---- the step ---- */

/* an iterate that a line search looks at */
typedef struct trial {
    newton *n;
    nb_problem *p;
    nb_measure *measure;
} trial;

static double natural_map(void *context) {
    const trial *at = context;
    nb_errors errors;
    nb_measure_iterate(at->measure, at->p, &errors);
    return errors.natural_map;
}

/* 2-norm of (g, h), the residual of both equations (56) at once */
static double residual(void *context) {
    const trial *at = context;
    at->p->type->evaluate(at->p, NULL);
    linearise(at->n, at->p);
    return nb_newton_residual(at->p, at->n->whole);
}

/* 0 where no length makes the merit fall */
static int search_line(newton *n, nb_problem *p, nb_measure *measure, double before, double *step_linf) {
    trial at = {n, p, measure};
    const int by_residual = n->values[NB_NEWTON_LINE_SEARCH] == NB_NEWTON_SEARCH_RESIDUAL;
    const line_search search = {
        n->du, n->y, n->u_saved, n->z_saved, by_residual ? residual(&at) : before, by_residual ? residual : natural_map,
        &at};
    return line_search_run(&search, p, step_linf);
}

static nb_status report_iteration(const nb_observer *observer, const nb_newton_report *report) {
    return observer && observer->newton ? observer->newton(observer->context, report) : NB_OK;
}

/* One Newton iteration from the iterate whose errors are in *report. */
static nb_status iterate(newton *n, nb_problem *p, nb_measure *measure, const nb_observer *observer,
                         nb_newton_report *report, nb_step_outcome *outcome) {
    nb_status status;
    double *v = report->values;
    double start = nb_clock_seconds();
    p->type->evaluate(p, NULL);
    if (n->values[NB_NEWTON_GEOMETRIC_STIFFNESS] == 1) nb_geometric_stiffness_update(&n->geometric, p);
    if (outcome->newton_iterations == 0) n->start_scale = nb_measure_start_scale(p, &outcome->errors);
    assemble(n, p);
    report->assembly_s = nb_clock_seconds() - start;
    nb_newton_norms(n->whole, &v[NB_COLUMN_RESIDUAL_LINF], &v[NB_COLUMN_RESIDUAL_L2]);
    nb_columns_begin_solves(report);
    NB_TRY(solve_system(n, p, observer, outcome->newton_iterations, report));
    start = nb_clock_seconds();
    if (n->values[NB_NEWTON_GEOMETRIC_STIFFNESS] == 1) nb_geometric_stiffness_leave(&n->geometric, p);
    if (n->values[NB_NEWTON_LINE_SEARCH] == NB_NEWTON_NO_SEARCH)
        v[NB_COLUMN_STEP_LINF] = line_search_move(p, n->du, n->y, (real)n->values[NB_NEWTON_DAMPING]);
    else if (!search_line(n, p, measure, report->natural_map_error, &v[NB_COLUMN_STEP_LINF]))
        outcome->reason = NB_REASON_STAGNATED;
    if (n->values[NB_NEWTON_GEOMETRIC_STIFFNESS] == 1) nb_geometric_stiffness_keep(&n->geometric, p);
    count_update(report, start); /* the errors that a line search goes by are the method's work */
    nb_columns_end_iteration(report, outcome);
out:
    return status;
}

/* Up to `count` Newton iterations more, until a reason to stop; *report describes the state reached. */
static nb_status iterate_some(newton *n, nb_problem *p, nb_measure *measure, const nb_observer *observer, int32_t count,
                              nb_newton_report *report, nb_step_outcome *outcome) {
    nb_status status = NB_OK;
    for (int32_t k = 0;; k++) {
        NB_TRY(nb_interrupt_check());
        nb_measure_iterate(measure, p, &outcome->errors);
        nb_measure_report(p, &outcome->errors, report);
        report->values[FINISHING] = 0;
        if (nb_measure_diverged(&outcome->errors, n->start_scale)) outcome->reason = NB_REASON_DIVERGED;
        if (nb_measure_converged(&outcome->errors, &n->settings)) outcome->reason = NB_REASON_CONVERGED;
        if (outcome->reason != NB_REASON_NONE || k >= count) return NB_OK;
        NB_TRY(iterate(n, p, measure, observer, report, outcome));
        NB_TRY(report_iteration(observer, report));
    }
out:
    return status;
}

/* The hybrid: the exact finish is tried after every ten Newton iterations; where it does not converge, the iteration
 * continues from where it was. (To continue from the finish's best point is worse: it leaves the region where W is a
 * good guess.) */
static nb_status iterate_with_polish(newton *n, nb_problem *p, nb_measure *measure, const nb_observer *observer,
                                     nb_newton_report *report, nb_step_outcome *outcome) {
    const int32_t between = 10;
    nb_status status = NB_OK;
    for (int32_t left = n->settings.newton_iterations; outcome->reason == NB_REASON_NONE; left -= between) {
        NB_TRY(iterate_some(n, p, measure, observer, left < between ? left : between, report, outcome));
        if (outcome->reason != NB_REASON_NONE) break;
        nb_errors before = outcome->errors;
        memcpy(n->u_saved, p->u, (size_t)p->velocities * sizeof(real));
        memcpy(n->z_saved, p->z, (size_t)p->rows * sizeof(real));
        NB_TRY(nb_polish_run(n->polish, measure, observer, report, outcome));
        if (nb_reason_converged(outcome->reason)) break;
        /* the last try's result stands where it is the better one */
        if (left <= between && outcome->errors.natural_map <= before.natural_map) break;
        memcpy(p->u, n->u_saved, (size_t)p->velocities * sizeof(real));
        memcpy(p->z, n->z_saved, (size_t)p->rows * sizeof(real));
        outcome->errors = before;
        nb_measure_report(p, &before, report);
        report->values[FINISHING] = 0;
        if (left <= between) break;
        outcome->reason = NB_REASON_NONE;
    }
out:
    return status;
}

static nb_device_step_way way_of(const newton *n) {
    return (nb_device_step_way){.alpha_minimum = alpha_minimum,
                                .ncp = (nb_ncp_function)n->values[NB_NEWTON_NCP],
                                .scaling = (nb_ncp_scaling)n->values[NB_NEWTON_SCALING],
                                .paper_row_scaling = n->values[NB_NEWTON_ROW_SCALING] == 1,
                                .damping = n->values[NB_NEWTON_DAMPING],
                                .regularization = n->values[NB_NEWTON_REGULARIZATION],
                                .regularization_absolute = n->values[NB_NEWTON_REGULARIZATION_KIND] == 1,
                                .islands = n->values[NB_NEWTON_ISLANDS] == 1};
}

static nb_status newton_trajectories(const nb_method *self, const nb_trajectories_start *start,
                                     nb_trajectories **trajectories) {
    const newton *n = (const newton *)self;
    const nb_device_step_way way = way_of(n);
    const nb_device_step_class *type = n->settings.device->NB_REAL_NAME(step);
    return type->trajectories(type->runtime, start, &n->settings, &way, trajectories);
}

static nb_status newton_prepare(nb_method *self, nb_problem *p) {
    newton *n = (newton *)self;
    const nb_device_step_way way = way_of(n);
    nb_status status;
    n->prepared = 0;
    drop_parts(n);
    NB_TRY(nb_newton_check_laws(p));
    NB_TRY(make_vectors(n, p));
    double start = nb_clock_seconds();
    n->create_s = 0;
    NB_TRY(make_parts(n, p));
    if (n->values[NB_NEWTON_FINISH] == 1) {
        NB_TRY(nb_polish_create(p, &n->settings, &n->polish));
        n->create_s += nb_polish_create_s(n->polish);
    }
    n->setup_s = nb_clock_seconds() - start - n->create_s;
    if (n->settings.whole_steps) NB_TRY(nb_device_step_build(p, &n->settings, &way, &n->device_step));
    n->prepared = 1;
out:
    return status;
}

static nb_status newton_launch(nb_method *const *selves, int32_t count) {
    nb_status status;
    nb_device_step **steps = NULL;
    if (count == 0 || !((const newton *)selves[0])->settings.whole_steps) return NB_OK;
    NB_TRY(NB_ALLOCATE(count, &steps));
    for (int32_t i = 0; i < count; i++) steps[i] = &((newton *)selves[i])->device_step;
    NB_TRY(nb_device_step_launch(steps, count));
out:
    nb_free(steps);
    return status;
}

/* Of rigid contacts alone: soft bodies have few redundant ones. */
static void advise_form(const newton *n, const nb_problem *p, nb_step_outcome *outcome) {
    enum {
        LEAST = 50 /* contacts */
    };
    const nb_preconditioner_class *preconditioner = n->preconditioner;
    if (*outcome->remark || n->form || !preconditioner || !preconditioner->suits) return;
    if (!p->nodes || p->nodes->bodies < p->nodes->count || p->contacts < LEAST) return;
    snprintf(outcome->remark, sizeof outcome->remark,
             "preconditioner %s is for --form %s: the compliance matrix of %d contacts fills its factors in",
             preconditioner->name, preconditioner->suits, (int)p->contacts);
}

static nb_status newton_step(nb_method *self, nb_problem *p, nb_measure *measure, const nb_observer *observer,
                             nb_step_outcome *outcome) {
    newton *n = (newton *)self;
    nb_status status;
    nb_newton_report report;
    *outcome = (nb_step_outcome){.reason = NB_REASON_NONE, .norm_a = NAN, .norm_a_inverse = NAN};
    if (!n->prepared) {
        NB_TRY(newton_prepare(self, p));
        NB_TRY(newton_launch(&self, 1));
    }
    n->prepared = 0;
    n->start_scale = INFINITY; /* not known yet */
    if (n->values[NB_NEWTON_GEOMETRIC_STIFFNESS] == 1) {
        if (!p->type->stiffen)
            return nb_fail(NB_ERROR_UNSUPPORTED, "--geometric-stiffness diagonal requires particles (scene has none)");
        n->geometric.known = 0;
        p->type->stiffen(p, NULL);
    }
    outcome->setup_s += n->setup_s;
    if (n->settings.whole_steps)
        NB_TRY(nb_device_step_read(&n->device_step, p, &n->settings, measure, observer, &report, outcome));
    else if (n->values[NB_NEWTON_FINISH] == 1)
        NB_TRY(iterate_with_polish(n, p, measure, observer, &report, outcome));
    else
        NB_TRY(iterate_some(n, p, measure, observer, n->settings.newton_iterations, &report, outcome));
    if (outcome->reason == NB_REASON_NONE) outcome->reason = NB_REASON_ITERATIONS;
    NB_TRY(nb_recession_search(p, measure, &n->settings, outcome));
    /* the residual of the state reached, and what bounds it */
    p->type->evaluate(p, NULL);
    assemble(n, p);
    double *v = report.values;
    nb_newton_norms(n->whole, &v[NB_COLUMN_RESIDUAL_LINF], &v[NB_COLUMN_RESIDUAL_L2]);
    if (n->settings.limits)
        NB_TRY(nb_limits_compute(n->whole, p, v[NB_COLUMN_RESIDUAL_LINF], outcome, &v[LIMIT_RESIDUAL], &v[LIMIT_STEP]));
    NB_TRY(report_iteration(observer, &report));
    advise_form(n, p, outcome);
out:
    return status;
}

static void newton_destroy(nb_method *self) {
    newton *n = (newton *)self;
    if (!n) return;
    nb_cone_gradient_clear(self);
    drop_parts(n);
    nb_form_destroy(n->form);
    nb_solve_destroy(n->spare);
    nb_free(n);
}

static nb_status newton_create(const nb_method_class *type, const nb_method_settings *settings, nb_method **self) {
    nb_status status;
    newton *n = NULL;
    *self = NULL;
    NB_TRY(NB_ALLOCATE(1, &n));
    n->base.type = type;
    n->settings = *settings;
    nb_options_standard(nb_newton_options, NB_NEWTON_OPTIONS, n->values);
    if (settings->values) memcpy(n->values, settings->values, sizeof n->values);
    NB_TRY(nb_settings_solver(settings, &n->linear_solver, &n->preconditioner));
    *self = &n->base;
    return NB_OK;
out:
    nb_free(n);
    return status;
}

const nb_method_class NB_REAL_NAME(nb_newton_method) = {
    .name = "newton",
    .summary = "non-smooth Newton with a symmetric system per iteration (Macklin et al. 2019)",
    .options = nb_newton_options,
    .option_count = NB_NEWTON_OPTIONS,
    .columns = columns,
    .column_count = COLUMNS,
    .on_devices = 1,
    .friction_laws = NB_FRICTION_ROUND,
    .limits = 1,
    .advice = nb_newton_advice,
    .check = nb_newton_check,
    .spellings = nb_newton_spellings,
    .why_ignored = nb_newton_why_ignored,
    .why_unused = nb_newton_why_unused,
    .create = newton_create,
    .prepare = newton_prepare,
    .launch = newton_launch,
    .trajectories = newton_trajectories,
    .step = newton_step,
    .differentiate = nb_cone_gradient,
    .destroy = newton_destroy,
};
