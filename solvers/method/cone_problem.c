#include "cone_problem.h"

#include <string.h>
#include <tgmath.h>

#include "base/clock.h"
#include "base/largest.h"
#include "base/memory.h"
#include "cone.h"
#include "measure/iterate.h"
#include "registry.h"

NB_PRECISIONS(f32, f64);

void nb_cone_problem_destroy(nb_cone_problem *c) {
    if (!c) return;
    nb_solve_destroy(c->solve);
    nb_system_destroy(c->system);
    nb_arena_clear(&c->arena);
    nb_free(c);
}

static void place_vectors(nb_arena *a, nb_cone_problem *c) {
    NB_PLACE(a, c->rows, &c->q);
    NB_PLACE(a, c->rows, &c->best);
    NB_PLACE(a, c->rows, &c->f);
    NB_PLACE(a, c->rows, &c->s);
    NB_PLACE(a, c->rows, &c->c);
    NB_PLACE(a, c->rows, &c->in);
    NB_PLACE(a, c->rows, &c->out);
    NB_PLACE(a, c->p->velocities, &c->u_start);
    NB_PLACE(a, c->p->velocities, &c->du);
}

static nb_status make_vectors(nb_cone_problem *c) {
    place_vectors(&c->arena, c);
    nb_status status = nb_arena_reserve(&c->arena);
    if (status == NB_OK) place_vectors(&c->arena, c);
    return status;
}

static nb_status make_solver(nb_cone_problem *c) {
    nb_status status;
    const nb_method_settings *s = c->settings;
    const nb_linear_solver_class *solver;
    const nb_preconditioner_class *preconditioner;
    NB_TRY(nb_linear_solver_find(s->linear_solver, &solver));
    if (s->mixed) NB_TRY(nb_linear_solver_take_mixed(&solver));
    NB_TRY(nb_preconditioner_find(s->preconditioner, &preconditioner));
    if (!solver->takes_preconditioner) preconditioner = NULL;
    NB_TRY(nb_check_unsymmetric(solver, preconditioner));
    NB_TRY(nb_solve_create(solver, s->linear_solver_values, preconditioner, s->preconditioner_values, &c->solve));
    NB_TRY(nb_system_create(c->p->exact, &c->system));
    NB_TRY(nb_system_use_blocks(c->system));
out:
    return status;
}

nb_status nb_cone_problem_create(nb_problem *p, nb_measure *measure, const nb_method_settings *settings,
                                 const nb_observer *observer, nb_step_outcome *outcome, nb_cone_problem **problem) {
    nb_status status;
    nb_cone_problem *c = NULL;
    *problem = NULL;
    NB_TRY(NB_ALLOCATE(1, &c));
    c->p = p;
    NB_TRY(nb_cone_rows_of(p, "method interior-point", &c->laws));
    c->measure = measure;
    c->settings = settings;
    c->observer = observer;
    c->outcome = outcome;
    c->rows = p->rows;
    c->bilaterals = p->bilaterals;
    c->contacts = p->contacts;
    NB_TRY(make_vectors(c));
    NB_TRY(make_solver(c));
    c->since = nb_clock_seconds();
    *problem = c;
    return NB_OK;
out:
    nb_cone_problem_destroy(c);
    return status;
}

int32_t nb_cone_problem_first(const nb_cone_problem *c, int32_t i) {
    return c->bilaterals + 3 * i;
}

int nb_cone_problem_has_friction(const nb_cone_problem *c, int32_t i) {
    return c->s[nb_cone_problem_first(c, i) + 1] > 0;
}

/* ---- the linearisation ---- */

static void fill_weights(nb_cone_problem *c) {
    const nb_problem *p = c->p;
    const nb_bilateral_law *joints = c->laws.bilateral;
    const nb_cone_law *contacts = c->laws.cone;
    memset(c->c, 0, (size_t)c->rows * sizeof *c->c);
    for (int32_t r = 0; r < c->bilaterals; r++) {
        real size = p->w[r] + joints->compliance[r];
        c->s[r] = size > 0 ? 1 / sqrt(size) : 1;
        c->c[r] = joints->compliance[r] * c->s[r] * c->s[r];
    }
    for (int32_t i = 0; i < c->contacts; i++) {
        int32_t r = nb_cone_problem_first(c, i);
        real mu = contacts->mu[i], normal = p->w[r] + contacts->soft, across = p->w[r + 1];
        /* d/mu = (trace/3)^(-1/2) for the trace of W'_ii mu^2 */
        real both = 1 + contacts->ratio * contacts->ratio,
             weight = mu > 0 ? sqrt(3 / (normal + both * mu * mu * across)) : 1 / sqrt(normal);
        c->s[r] = weight;
        c->s[r + 1] = mu * weight;
        c->s[r + 2] = contacts->ratio * mu * weight;
        c->c[r] = contacts->soft * weight * weight;
    }
}

/* S, C, q and the unit from the last evaluate */
static void fill_problem(nb_cone_problem *c) {
    nb_problem *p = c->p;
    double sum = 0;
    p->type->momentum_rows(p, c->out);
    fill_weights(c);
    for (int32_t r = 0; r < c->rows; r++) {
        c->q[r] = (double)c->s[r] * ((double)p->value[r] - (double)c->out[r]);
        sum += c->q[r] * c->q[r];
    }
    c->moved = 1;
    c->unit = sum > 0 ? sqrt(sum / (c->contacts > 0 ? c->contacts : c->rows)) : 1;
    for (int32_t r = 0; r < c->rows; r++) c->q[r] /= c->unit;
}

void nb_cone_problem_linearise(nb_cone_problem *c) {
    nb_problem *p = c->p;
    memset(c->in, 0, (size_t)c->rows * sizeof *c->in);
    p->type->evaluate(p, c->in); /* without impulses: value(u) and M (u - u~) */
    memcpy(c->u_start, p->u, (size_t)p->velocities * sizeof *p->u);
    fill_problem(c);
    c->error = INFINITY;
    c->solved = 0;
}

void nb_cone_problem_restore_friction(nb_cone_problem *c) {
    fill_problem(c);
}

void nb_cone_problem_make_frictionless(nb_cone_problem *c) {
    c->moved = 1;
    for (int32_t i = 0; i < c->contacts; i++) {
        int32_t r = nb_cone_problem_first(c, i);
        c->s[r + 1] = c->s[r + 2] = 0;
        c->q[r + 1] = c->q[r + 2] = 0;
    }
}

void nb_cone_problem_read(const nb_cone_problem *c, double *x) {
    for (int32_t r = 0; r < c->rows; r++) x[r] = c->s[r] > 0 ? (double)c->p->z[r] / (c->unit * (double)c->s[r]) : 0;
}

/* velocities follow the impulses by the linearised geometry: nothing is evaluated anew */
void nb_cone_problem_write(nb_cone_problem *c, const double *x) {
    nb_problem *p = c->p;
    for (int32_t r = 0; r < c->rows; r++) p->z[r] = (real)(c->unit * (double)c->s[r] * x[r]);
    p->type->velocity_step(p, p->z, c->du);
    for (int32_t i = 0; i < p->velocities; i++) p->u[i] = c->u_start[i] + c->du[i];
}

void nb_cone_problem_velocity(nb_cone_problem *c, const double *x, double *v) {
    const nb_delassus *d = c->p->exact;
    for (int32_t r = 0; r < c->rows; r++) c->in[r] = (real)x[r];
    d->type->apply(d, c->s, c->c, c->in, c->out);
    for (int32_t r = 0; r < c->rows; r++) v[r] = (double)c->out[r] + c->q[r];
}

/* F of contact rows x, v: x - P(x - y) = y - P(y - x), since K is its own dual; the smaller of the two comes through
 * the rounding of their difference */
static void natural_of_contact(double rho, const double *x, const double *v, double f[3]) {
    double y[3] = {rho * (v[0] + sqrt(v[1] * v[1] + v[2] * v[2])), rho * v[1], rho * v[2]}, z[3];
    const double *small = x[0] > y[0] ? y : x, *large = x[0] > y[0] ? x : y;
    for (int k = 0; k < 3; k++) z[k] = small[k] - large[k];
    nb_cone_project(z, f);
    for (int k = 0; k < 3; k++) f[k] = small[k] - f[k];
}

double nb_cone_problem_natural(const nb_cone_problem *c, double rho, const double *x, const double *v, double *f) {
    double sum = 0;
    for (int32_t r = 0; r < c->bilaterals; r++) f[r] = v[r];
    for (int32_t i = 0; i < c->contacts; i++) {
        int32_t r = nb_cone_problem_first(c, i);
        natural_of_contact(rho, x + r, v + r, f + r);
    }
    for (int32_t r = 0; r < c->rows; r++) sum += f[r] * f[r];
    return sqrt(sum);
}

/* ---- times ---- */

/* The harness's errors, on its own time. */
static void measure(nb_cone_problem *c, nb_errors *errors) {
    double start = nb_clock_seconds();
    nb_measure_iterate(c->measure, c->p, errors);
    c->not_own += nb_clock_seconds() - start;
}

/* the method's own time since the last call */
static double take_time(nb_cone_problem *c) {
    double now = nb_clock_seconds(), own = now - c->since - c->not_own;
    c->since = now;
    c->not_own = 0;
    return own;
}

/* ---- one iteration ---- */

/* the norms of a row vector in velocities [m/s] */
static void velocity_norms(const nb_cone_problem *c, const double *f, double *largest, double *norm) {
    double sum = 0;
    *largest = 0;
    for (int32_t r = 0; r < c->bilaterals; r++) {
        double value = c->unit * fabs(f[r]) / (double)c->s[r];
        nb_raise(largest, value);
        sum += value * value;
    }
    for (int32_t i = 0; i < c->contacts; i++) {
        int32_t r = nb_cone_problem_first(c, i);
        double d = (double)(nb_cone_problem_has_friction(c, i) ? c->s[r + 1] : c->s[r]);
        for (int k = 0; k < 3; k++) {
            double value = c->unit * fabs(f[r + k]) / d;
            nb_raise(largest, value);
            sum += value * value;
        }
    }
    *norm = sqrt(sum);
}

/* Whether a map of this norm at x is what precision leaves; where x grows beyond all bounds, a map that is not small
 * against q is none the less: not to half the digits of f32 (every scene but stacks of masses beyond 1 to 8^4 comes to
 * 60 eps there, these to eps |x|), nor to ten of f64. */
static int is_round_off(const nb_cone_problem *c, double norm, const double *x) {
    double eps = (double)NB_REAL_EPSILON, count = c->contacts > 0 ? c->contacts : c->rows, sum = count;
    for (int32_t r = 0; r < c->rows; r++) sum += x[r] * x[r];
    return norm <= 2 * eps * sqrt(sum) && norm <= fmin(1e6 * eps, sqrt(eps)) * sqrt(count);
}

/* What meets the tolerance is kept in any case: the flag speaks of it. */
static void keep_best(nb_cone_problem *c, const nb_errors *errors, int converged, double linear_error,
                      const double *x) {
    double error = c->target > 0                  ? linear_error
                   : isnan(errors->file.relative) ? errors->natural_map
                                                  : errors->file.relative;
    if (!converged && !(error < c->error)) return;
    c->error = error;
    c->errors = *errors;
    memcpy(c->best, x, (size_t)c->rows * sizeof *x);
}

/* measures x; returns whether it solves the linearised problem */
static int look(nb_cone_problem *c, const double *x, const double *v, nb_errors *errors) {
    nb_newton_report *report = &c->report;
    double norm = nb_cone_problem_natural(c, 1, x, v, c->f);
    velocity_norms(c, c->f, &report->residual_linf, &report->residual_l2);
    nb_cone_problem_write(c, x);
    measure(c, errors);
    int exact = is_round_off(c, norm, x), converged = nb_measure_converged(errors, c->settings);
    keep_best(c, errors, converged, report->residual_linf, x);
    if (converged)
        c->outcome->reason = NB_REASON_CONVERGED;
    else if (exact && !(c->target > 0))
        c->outcome->reason = NB_REASON_ROUND_OFF;
    return exact || report->residual_linf <= c->target;
}

void nb_cone_problem_begin(nb_cone_problem *c, nb_phase phase, const double *x, const double *v) {
    nb_step_outcome *outcome = c->outcome;
    nb_errors errors = c->errors;
    int solved = 0;
    c->report = (nb_newton_report){
        .phase = phase, .centring = NAN, .theta = NAN, .tau = NAN, .residual_linf = NAN, .residual_l2 = NAN};
    if (phase != NB_PHASE_CERTIFICATE) solved = look(c, x, v, &errors);
    nb_measure_report(c->p, &errors, &c->report);
    if (outcome->reason == NB_REASON_NONE && outcome->newton_iterations >= c->settings->newton_iterations)
        outcome->reason = NB_REASON_ITERATIONS;
    c->solved = solved || outcome->reason != NB_REASON_NONE;
}

/* ---- its linear systems ---- */

void nb_cone_problem_block(nb_cone_problem *c, int32_t i, const double block[9]) {
    real *place = nb_system_block_place(c->system, c->bilaterals + i);
    int frictionless = !nb_cone_problem_has_friction(c, i);
    for (int k = 0; k < 9; k++) place[k] = frictionless && k > 0 ? 0 : (real)block[k];
}

nb_status nb_cone_problem_factorise(nb_cone_problem *c, double shift) {
    nb_system *system = c->system;
    for (int32_t r = 0; r < c->rows; r++) {
        system->s[r] = c->s[r];
        system->c[r] = c->s[r] > 0 ? c->c[r] + (real)shift : 1; /* x_T = 0 without friction */
    }
    if (c->moved)
        nb_system_values_changed(system);
    else
        nb_system_blocks_changed(system);
    c->moved = 0;
    c->told = 0;
    return NB_OK;
}

/* one run of the linear solver, counted */
static nb_status run_solver(nb_cone_problem *c, real *x, nb_solve_report *solved) {
    nb_status status;
    const nb_observer *observer = c->observer;
    NB_TRY(nb_solve_run(c->solve, c->system, &c->settings->linear, observer ? observer->linear : NULL,
                        observer ? observer->context : NULL, x, solved));
    nb_newton_report *report = &c->report;
    c->not_own += solved->setup_s + solved->solve_s + solved->measure_s;
    report->setup_s += solved->setup_s;
    report->solve_s += solved->solve_s;
    report->factor_nonzeros = solved->factor_nonzeros;
    report->colours = solved->colours;
    report->factorisations += solved->factorisations;
    report->linear_iterations += solved->iterations;
    report->operator_applications += (double)solved->products;
    report->preconditioner_applications += (double)solved->preconditionings;
out:
    return status;
}

nb_status nb_cone_problem_solve(nb_cone_problem *c, const double *b, double *dx, int *solved) {
    nb_status status = NB_OK;
    nb_system *system = c->system;
    nb_solve_report report;
    for (int32_t r = 0; r < c->rows; r++) system->b[r] = (real)b[r];
    if (!c->told && c->observer && c->observer->system) {
        double start = nb_clock_seconds();
        NB_TRY(c->observer->system(c->observer->context, c->outcome->newton_iterations, system, c->p));
        c->not_own += nb_clock_seconds() - start;
    }
    NB_TRY(run_solver(c, c->in, &report));
    *solved = report.reason != NB_REASON_NAN && report.reason != NB_REASON_DIVERGED &&
              report.reason != NB_REASON_SINGULAR && report.reason != NB_REASON_BREAKDOWN;
    for (int32_t r = 0; r < c->rows; r++) dx[r] = (double)c->in[r];
    if (!c->told) { /* the first solve speaks for all of this matrix */
        c->report.linear_reason = report.reason;
        c->report.linear_residual = report.rhs_l2 > 0 ? report.residual_l2 / report.rhs_l2 : 0;
        c->told = 1;
    }
out:
    return status;
}

nb_status nb_cone_problem_end(nb_cone_problem *c, double t, const double *dx) {
    nb_step_outcome *outcome = c->outcome;
    nb_newton_report *report = &c->report;
    report->solved = 1;
    report->step_length = t;
    double largest, norm;
    velocity_norms(c, dx, &largest, &norm);
    report->step_linf = t > 0 ? t * largest : 0;
    report->assembly_s = take_time(c);
    outcome->newton_iterations++;
    outcome->assembly_s += report->assembly_s;
    outcome->setup_s += report->setup_s;
    outcome->solve_s += report->solve_s;
    outcome->operator_applications += report->operator_applications;
    outcome->preconditioner_applications += report->preconditioner_applications;
    nb_status status = c->observer && c->observer->newton ? c->observer->newton(c->observer->context, report) : NB_OK;
    c->since = nb_clock_seconds();
    return status;
}

void nb_cone_problem_conclude(nb_cone_problem *c) {
    nb_cone_problem_write(c, c->best);
    measure(c, &c->errors);
    c->outcome->errors = c->errors;
    c->outcome->assembly_s += take_time(c);
}
