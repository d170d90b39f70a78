#include "scaled_problem.h"

#include <string.h>
#include <tgmath.h>

#include "base/clock.h"
#include "base/largest.h"
#include "base/memory.h"
#include "constraint/bilateral.h"
#include "constraint/box.h"
#include "constraint/cone_law.h"
#include "constraint/rolling_law.h"
#include "measure/iterate.h"
#include "registry.h"

NB_PRECISIONS(f32, f64);

void nb_scaled_problem_destroy(nb_scaled_problem *c) {
    if (!c) return;
    nb_solve_destroy(c->solve);
    nb_system_destroy(c->system);
    nb_arena_clear(&c->arena);
    nb_free(c);
}

static void lay_out_vectors(nb_arena *a, nb_scaled_problem *c) {
    NB_PLACE(a, c->rows, &c->q);
    NB_PLACE(a, c->rows, &c->best);
    NB_PLACE(a, c->rows, &c->f);
    NB_PLACE(a, c->rows, &c->d);
    NB_PLACE(a, c->rows, &c->s);
    NB_PLACE(a, c->rows, &c->c);
    NB_PLACE(a, c->rows, &c->shift);
    NB_PLACE(a, c->rows, &c->in);
    NB_PLACE(a, c->rows, &c->out);
    NB_PLACE(a, c->whole ? 0 : c->p->velocities, &c->u_start);
    NB_PLACE(a, c->whole ? 0 : c->p->velocities, &c->du);
    NB_PLACE(a, c->whole ? c->rows : 0, &c->z);
    NB_PLACE(a, c->whole ? c->rows : 0, &c->value);
    NB_PLACE(a, c->whole ? c->rows : 0, &c->w);
}

static nb_status make_vectors(nb_scaled_problem *c) {
    lay_out_vectors(&c->arena, c);
    nb_status status = nb_arena_reserve(&c->arena);
    if (status == NB_OK) lay_out_vectors(&c->arena, c);
    return status;
}

static nb_status make_solver(nb_scaled_problem *c) {
    nb_status status;
    const nb_method_settings *s = c->settings;
    const nb_linear_solver_class *solver;
    const nb_preconditioner_class *preconditioner;
    NB_TRY(nb_settings_solver(s, &solver, &preconditioner));
    NB_TRY(nb_check_unsymmetric(solver, preconditioner));
    NB_TRY(nb_settings_solve(s, &c->solve));
    NB_TRY(nb_system_create(c->delassus, &c->system));
    NB_TRY(nb_system_use_blocks(c->system));
out:
    return status;
}

/* counts, vectors and solver of a problem of which the rest is set */
static nb_status make(nb_scaled_problem *c) {
    nb_status status;
    c->rows = c->delassus->rows;
    c->columns = (nb_scaled_columns){-1, -1, -1, -1};
    c->contact_rows = 3;
    for (int32_t i = 0; i < c->range_count; i++) {
        const nb_law_class *type = c->ranges[i].law->type;
        if (type != &nb_bilateral_class) c->count += c->ranges[i].blocks;
        if (type->cones > 0) c->contact_rows = type->rows;
        if (type == &nb_box_class) c->box = c->ranges[i];
    }
    if (c->count == 0) c->count = c->rows;
    NB_TRY(make_vectors(c));
    NB_TRY(make_solver(c));
out:
    return status;
}

nb_status nb_scaled_problem_create(nb_problem *p, const nb_method_settings *settings, nb_scaled_problem **problem) {
    nb_status status;
    nb_scaled_problem *c = NULL;
    *problem = NULL;
    for (int32_t i = 0; i < p->range_count; i++)
        if (!p->ranges[i].law->type->natural)
            return nb_fail(NB_ERROR_UNSUPPORTED, "the exact finish and interior-point do not know the law %s",
                           p->ranges[i].law->type->name);
    NB_TRY(NB_ALLOCATE(1, &c));
    c->p = p;
    c->settings = settings;
    c->delassus = p->exact;
    c->ranges = p->ranges;
    c->range_count = p->range_count;
    c->bilaterals = p->bilaterals;
    c->contacts = p->contacts;
    c->share = 1;
    NB_TRY(make(c));
out:
    if (status != NB_OK) {
        nb_scaled_problem_destroy(c);
        c = NULL;
    }
    *problem = c;
    return status;
}

nb_status nb_scaled_problem_create_part(const nb_scaled_problem *whole, const nb_part *part,
                                        nb_scaled_problem **problem) {
    nb_status status;
    nb_scaled_problem *c = NULL;
    NB_TRY(NB_ALLOCATE(1, &c));
    c->p = whole->p;
    c->settings = whole->settings;
    c->whole = whole;
    c->part = part;
    c->delassus = part->delassus;
    c->ranges = part->ranges;
    c->range_count = part->range_count;
    c->share = (double)part->delassus->rows / whole->rows;
    for (int32_t i = 0; i < c->range_count; i++) {
        const nb_law_class *law = c->ranges[i].law->type;
        if (law == &nb_bilateral_class) c->bilaterals += c->ranges[i].blocks;
        if (law->cones > 0) c->contacts += c->ranges[i].blocks;
    }
    NB_TRY(make(c));
    c->columns = whole->columns;
out:
    if (status != NB_OK) {
        nb_scaled_problem_destroy(c);
        c = NULL;
    }
    *problem = c;
    return status;
}

void nb_scaled_problem_begin_step(nb_scaled_problem *c, nb_measure *measure, const nb_observer *observer,
                                  nb_step_outcome *outcome) {
    c->measure = measure;
    c->observer = observer;
    c->outcome = outcome;
    c->since = nb_clock_seconds();
    c->not_own = 0;
}

int32_t nb_scaled_problem_first(const nb_scaled_problem *c, int32_t i) {
    return c->bilaterals + c->contact_rows * i;
}

/* ---- natural maps of files ---- */

/* what natural maps of files are to hold of block i of a range of contacts */
static nb_natural_law natural_law(const nb_law_range *range, int32_t i) {
    const nb_cone_law *cone = (const nb_cone_law *)range->law;
    const nb_rolling_law *rolling = (const nb_rolling_law *)range->law;
    const int32_t k = range->first + i;
    if (range->law->type == &nb_rolling_class)
        return (nb_natural_law){NB_FRICTION_COULOMB,     0, NB_ROLLING_ROWS, 1, (double)rolling->mu[k],
                                (double)rolling->mu_r[k]};
    const int relaxed = range->law->type == &nb_relaxed_class;
    return (nb_natural_law){relaxed ? NB_FRICTION_RELAXED : NB_FRICTION_COULOMB, 0, 3, 0, (double)cone->mu[k], 0};
}

/* a block's rows in double */
static void widen(const nb_law_range *range, int32_t row, const real *from, double to[NB_BLOCK_ROWS]) {
    for (int32_t k = 0; k < range->law->type->rows; k++) to[k] = (double)from[row + k];
}

/* |q| of the rows as they are; of those of rolling as in measure/natural_map.h */
static double norm_of_q(nb_scaled_problem *c, const double *q) {
    double sum = 0;
    c->largest_q = 0;
    for (int32_t r = 0; r < c->rows; r++) nb_raise(&c->largest_q, fabs(q[r]));
    if (!(c->largest_q > 0)) c->largest_q = 1;
    for (int32_t i = 0; i < c->range_count; i++) {
        const nb_law_range *range = &c->ranges[i];
        const int32_t rows = range->law->type->rows;
        for (int32_t k = 0, r = range->first_row; k < range->blocks; k++, r += rows) {
            double w[NB_BLOCK_ROWS], length = 1;
            widen(range, r, c->p->w, w);
            if (range->law->type == &nb_rolling_class) {
                const nb_natural_law law = natural_law(range, k);
                length = nb_natural_map_length(&law, w);
            }
            for (int32_t j = 0; j < rows; j++) {
                const double own = q[r + j] / c->largest_q * (j < 3 ? 1 : length);
                sum += own * own;
            }
        }
    }
    return sqrt(sum);
}

/* ---- the linearisation ---- */

/* the laws' scaling of their rows */
static void fill_weights(nb_scaled_problem *c) {
    const nb_problem *p = c->p;
    const nb_law_state at = nb_problem_state(p);
    const nb_law_scale scale = {c->s, c->c, c->shift, c->d};
    memset(c->shift, 0, (size_t)c->rows * sizeof *c->shift);
    for (int32_t i = 0; i < p->range_count; i++) p->ranges[i].law->type->scale(&p->ranges[i], &at, &scale);
}

/* q, in m/s times S, in units in which it has the root of as many blocks for its norm */
static void choose_unit(nb_scaled_problem *c) {
    double sum = 0;
    for (int32_t r = 0; r < c->rows; r++) sum += c->q[r] * c->q[r];
    c->moved = 1;
    c->unit = sum > 0 ? sqrt(sum / c->count) : 1;
    for (int32_t r = 0; r < c->rows; r++) c->q[r] /= c->unit;
}

/* S, C, q and the unit from the last evaluate */
static void fill_problem(nb_scaled_problem *c) {
    nb_problem *p = c->p;
    p->type->momentum_rows(p, c->out);
    fill_weights(c);
    for (int32_t r = 0; r < c->rows; r++) c->q[r] = (double)p->value[r] + (double)c->shift[r] - (double)c->out[r];
    c->norm_q = norm_of_q(c, c->q);
    for (int32_t r = 0; r < c->rows; r++) c->q[r] *= (double)c->s[r];
    choose_unit(c);
}

/* the same from the whole, which is linearised */
static void fill_part(nb_scaled_problem *c) {
    const nb_scaled_problem *whole = c->whole;
    const int32_t *row = c->part->row;
    for (int32_t r = 0; r < c->rows; r++) {
        c->s[r] = whole->s[row[r]];
        c->c[r] = whole->c[row[r]];
        c->shift[r] = whole->shift[row[r]];
        c->d[r] = whole->d[row[r]];
        c->q[r] = whole->unit * whole->q[row[r]];
        c->w[r] = c->p->w[row[r]];
    }
    c->norm_q = whole->norm_q;
    c->largest_q = whole->largest_q;
    choose_unit(c);
}

void nb_scaled_problem_linearise(nb_scaled_problem *c) {
    nb_problem *p = c->p;
    if (c->whole) {
        fill_part(c);
    } else {
        memset(c->in, 0, (size_t)c->rows * sizeof *c->in);
        p->type->evaluate(p, c->in); /* without impulses: value(u) and M (u - u~) */
        memcpy(c->u_start, p->u, (size_t)p->velocities * sizeof *p->u);
        fill_problem(c);
    }
    c->error = c->mark = INFINITY;
    c->idle = 0;
    c->solved = 0;
}

void nb_scaled_problem_set(nb_scaled_problem *c, const double *compliance, const double *q) {
    fill_weights(c);
    for (int32_t r = 0; r < c->rows; r++) {
        c->c[r] += (real)((double)c->s[r] * (double)c->s[r] * compliance[r]);
        c->q[r] = (double)c->s[r] * q[r];
    }
    choose_unit(c);
}

void nb_scaled_problem_restore_friction(nb_scaled_problem *c) {
    if (c->whole)
        fill_part(c);
    else
        fill_problem(c);
}

void nb_scaled_problem_make_frictionless(nb_scaled_problem *c) {
    c->moved = 1;
    for (int32_t i = 0; i < c->contacts; i++) {
        int32_t r = nb_scaled_problem_first(c, i);
        c->d[r] = (double)c->s[r];
        for (int32_t k = 1; k < c->contact_rows; k++) {
            c->s[r + k] = 0;
            c->d[r + k] = (double)c->s[r];
            c->q[r + k] = 0;
        }
    }
}

void nb_scaled_problem_read(const nb_scaled_problem *c, double *x) {
    for (int32_t r = 0; r < c->rows; r++) {
        real z = c->p->z[c->whole ? c->part->row[r] : r];
        x[r] = c->s[r] > 0 ? (double)z / (c->unit * (double)c->s[r]) : 0;
    }
}

static void write_impulses(const nb_scaled_problem *c, const double *x, real *z) {
    for (int32_t r = 0; r < c->rows; r++) z[r] = (real)(c->unit * (double)c->s[r] * x[r]);
}

/* velocities follow the impulses by the linearised geometry: nothing is evaluated again */
void nb_scaled_problem_follow(nb_scaled_problem *c) {
    nb_problem *p = c->p;
    p->type->velocity_step(p, p->z, c->du);
    for (int32_t i = 0; i < p->velocities; i++)
        if (!c->held || !c->held[i]) p->u[i] = c->u_start[i] + c->du[i];
}

void nb_scaled_problem_write(nb_scaled_problem *c, const double *x) {
    write_impulses(c, x, c->p->z);
    nb_scaled_problem_follow(c);
}

void nb_scaled_problem_velocity(nb_scaled_problem *c, const double *x, double *v) {
    const nb_delassus *d = c->delassus;
    for (int32_t r = 0; r < c->rows; r++) c->in[r] = (real)x[r];
    d->type->apply(d, c->s, c->c, c->in, c->out);
    for (int32_t r = 0; r < c->rows; r++) v[r] = (double)c->out[r] + c->q[r];
}

double nb_scaled_problem_natural(const nb_scaled_problem *c, double rho, const double *x, const double *v, double *f) {
    const nb_natural_point at = {.s = c->s, .x = x, .v = v, .unit = c->unit, .rho = rho};
    double sum = 0;
    for (int32_t i = 0; i < c->range_count; i++) c->ranges[i].law->type->natural(&c->ranges[i], &at, f);
    for (int32_t r = 0; r < c->rows; r++) sum += f[r] * f[r];
    return sqrt(sum);
}

/* ---- errors ---- */

/* the square of a block's natural map, of one of the laws that files have, as in measure/natural_map.h */
static double file_error(const nb_scaled_problem *c, const nb_law_range *range, int32_t i, int32_t row) {
    double z[NB_BLOCK_ROWS] = {0}, u[NB_BLOCK_ROWS] = {0}, w[NB_BLOCK_ROWS] = {0}, square = 0;
    widen(range, row, c->z, z);
    widen(range, row, c->value, u);
    widen(range, row, c->w, w);
    for (int32_t k = 0; k < range->law->type->rows; k++) {
        const double made = w[k] * z[k] / c->largest_q;
        square += made * made;
    }
    const double noise = (double)NB_REAL_EPSILON * sqrt(square), rate = u[0] / c->largest_q;
    if (range->law->type == &nb_bilateral_class) return rate * rate < noise * noise ? noise * noise : rate * rate;
    const nb_natural_law law = natural_law(range, i);
    return nb_natural_map_velocity_square(&law, w, c->largest_q, z, u, noise * c->largest_q);
}

static double file_errors(const nb_scaled_problem *c) {
    double sum = 0;
    for (int32_t i = 0; i < c->range_count; i++) {
        const nb_law_range *range = &c->ranges[i];
        const int32_t rows = range->law->type->rows;
        for (int32_t k = 0, r = range->first_row; k < range->blocks; k++, r += rows) sum += file_error(c, range, k, r);
    }
    return sum;
}

/* A part's errors at x, whose velocities are v, by the harness's formulas: momentum is balanced, and the geometry is
 * the linearised one. What is a norm of all rows is that of a whole made of such parts. */
static void judge(nb_scaled_problem *c, const double *x, const double *v, nb_errors *errors) {
    const nb_law_state state = {c->p->h, c->value, c->z, c->w};
    nb_law_errors own = {0};
    write_impulses(c, x, c->z);
    for (int32_t r = 0; r < c->rows; r++)
        c->value[r] =
            c->s[r] > 0 ? (real)(c->unit * (v[r] - (double)c->c[r] * x[r]) / (double)c->s[r]) - c->shift[r] : 0;
    for (int32_t i = 0; i < c->range_count; i++) c->ranges[i].law->type->error(&c->ranges[i], &state, &own);
    *errors = (nb_errors){.complementarity = own.complementarity,
                          .friction = own.friction,
                          .bilateral = own.bilateral,
                          .natural_map = own.bilateral,
                          .file = {NAN, NAN, NAN, NAN, NAN}};
    nb_raise(&errors->natural_map, own.complementarity);
    nb_raise(&errors->natural_map, own.friction);
    if (!(c->settings->relative_tolerance > 0)) return;
    double whole = sqrt(file_errors(c) / c->share);
    errors->file.relative = c->norm_q > 0 ? whole / c->norm_q : whole;
}

/* The harness's errors, on its own time. */
static void measure(nb_scaled_problem *c, nb_errors *errors) {
    double start = nb_clock_seconds();
    nb_measure_iterate(c->measure, c->p, errors);
    c->not_own += nb_clock_seconds() - start;
}

/* the method's own time since the last call */
static double elapsed_time(nb_scaled_problem *c) {
    double now = nb_clock_seconds(), own = now - c->since - c->not_own;
    c->since = now;
    c->not_own = 0;
    return own;
}

/* ---- one iteration ---- */

/* the norms of a row vector in velocities [m/s] */
static void velocity_norms(const nb_scaled_problem *c, const double *f, double *largest, double *norm) {
    double sum = 0;
    *largest = 0;
    for (int32_t r = 0; r < c->rows; r++) {
        double value = c->unit * fabs(f[r]) / c->d[r];
        nb_raise(largest, value);
        sum += value * value;
    }
    *norm = sqrt(sum);
}

double nb_scaled_problem_free_velocity(const nb_scaled_problem *c) {
    double largest, norm;
    velocity_norms(c, c->q, &largest, &norm);
    return largest;
}

/* Whether a map of this norm at x is what precision leaves; where x grows beyond all bounds, a map that is not small
 * against q is still round-off where it is small against x: not to half the digits of f32 (every scene but stacks of
 * masses beyond 1 to 8^4 comes to 60 eps there, these to eps |x|), nor to ten of f64. */
static int is_round_off(const nb_scaled_problem *c, double norm, const double *x) {
    double eps = (double)NB_REAL_EPSILON, count = c->count, sum = count;
    for (int32_t r = 0; r < c->rows; r++) sum += x[r] * x[r];
    return norm <= 2 * eps * sqrt(sum) && norm <= fmin(1e6 * eps, sqrt(eps)) * sqrt(count);
}

int nb_scaled_problem_is_at_round_off(nb_scaled_problem *c, const double *v) {
    const double eps = (double)NB_REAL_EPSILON, units = 4 * eps; /* seen: 0.7 to 2.4, and above 1e6 elsewhere */
    double largest, norm, largest_x, norm_x;
    nb_scaled_problem_natural(c, 1, c->best, v, c->f);
    velocity_norms(c, c->f, &largest, &norm);
    velocity_norms(c, c->best, &largest_x, &norm_x);
    return largest <= units * largest_x && norm <= units * norm_x &&
           largest <= sqrt(eps) * nb_scaled_problem_free_velocity(c);
}

/* What meets the tolerance is kept in any case: the flag speaks of it. */
static void keep_best(nb_scaled_problem *c, const nb_errors *errors, int converged, double linear_error,
                      const double *x) {
    double error = c->target > 0                  ? linear_error
                   : isnan(errors->file.relative) ? errors->natural_map
                                                  : errors->file.relative;
    if (!converged && !(error < c->error)) return;
    c->error = error;
    c->errors = *errors;
    memcpy(c->best, x, (size_t)c->rows * sizeof *x);
}

/* Where no tolerance was asked for: whether the best error has not been halved for long, and is small enough to be
 * round-off of the systems, of positions, or of impulses that cancel. In mixed precision the systems' is larger, and
 * the way is longer. */
static int is_exhausted(nb_scaled_problem *c) {
    const int mixed = c->settings->mixed, patience = mixed ? 40 : 8;
    const double units = mixed                ? 1e6
                         : NB_REAL_BITS == 64 ? 1e4
                                              : -1; /* of round-off of the rows' velocities; f32 never */
    int asked = c->settings->newton_tolerance > 0 || c->settings->relative_tolerance > 0;
    c->idle = c->error < 0.5 * c->mark ? 0 : c->idle + 1;
    if (c->idle == 0) c->mark = c->error;
    const double places = units > 0 ? nb_problem_position_error(c->p) : 0;
    return !asked && c->idle >= patience &&
           c->error <= fmax(units * (double)NB_REAL_EPSILON * nb_scaled_problem_free_velocity(c), places);
}

/* a number of a column that the method may have */
static void set_column(nb_scaled_problem *c, int column, double number) {
    if (column >= 0) c->report.values[column] = number;
}

/* Whether the linearised problem, off by this much, is solved as well as the problem's own map asks for. A map that is
 * far beyond the velocities at hand asks for nothing: it is that of an iterate on its way (bodies that spin). */
static int is_enough(const nb_scaled_problem *c, double linf, const nb_errors *errors) {
    const double beyond = 1e2;
    if (!(c->target > 0 && c->enough > 0)) return 0;
    return linf <= c->enough * fmin(errors->natural_map, beyond * nb_scaled_problem_free_velocity(c));
}

/* measures x, also in the norms of its own equations; returns whether it solves the linearised problem */
static int measure_iterate(nb_scaled_problem *c, const double *x, const double *v, nb_errors *errors,
                           double residuals[2]) {
    double norm = nb_scaled_problem_natural(c, 1, x, v, c->f), linf, l2;
    velocity_norms(c, c->f, &linf, &l2);
    if (c->whole) {
        judge(c, x, v, errors);
    } else {
        nb_scaled_problem_write(c, x);
        measure(c, errors);
    }
    int exact = is_round_off(c, norm, x);
    int converged = nb_measure_converged(errors, c->settings) && !(c->whole && c->target > 0);
    keep_best(c, errors, converged, linf, x);
    exact |= is_exhausted(c);
    if (converged)
        c->outcome->reason = NB_REASON_CONVERGED;
    else if (exact && !(c->target > 0))
        c->outcome->reason = NB_REASON_ROUND_OFF;
    residuals[0] = linf;
    residuals[1] = l2;
    return exact || linf <= c->target || is_enough(c, linf, errors);
}

void nb_scaled_problem_begin(nb_scaled_problem *c, nb_phase phase, const double *x, const double *v) {
    nb_step_outcome *outcome = c->outcome;
    nb_errors errors = c->errors;
    int solved = 0;
    double *of = c->report.values, residuals[2] = {NAN, NAN};
    if (phase != NB_PHASE_CERTIFICATE) solved = measure_iterate(c, x, v, &errors, residuals);
    nb_measure_report(c->p, &errors, &c->report);
    nb_columns_begin_solves(&c->report);
    of[NB_COLUMN_RESIDUAL_LINF] = residuals[0];
    of[NB_COLUMN_RESIDUAL_L2] = residuals[1];
    set_column(c, c->columns.finish, 1);
    set_column(c, c->columns.phase, phase);
    set_column(c, c->columns.factorisations, 0);
    if (outcome->reason == NB_REASON_NONE && outcome->newton_iterations >= c->settings->newton_iterations)
        outcome->reason = NB_REASON_ITERATIONS;
    c->solved = solved || outcome->reason != NB_REASON_NONE;
}

/* ---- its linear systems ---- */

void nb_scaled_problem_block(nb_scaled_problem *c, int32_t i, const double *block) {
    real *place = nb_system_diagonal_block(c->system, c->bilaterals + i);
    const real *s = c->s + nb_scaled_problem_first(c, i);
    const int32_t rows = c->contact_rows;
    for (int32_t j = 0; j < rows; j++)
        for (int32_t k = 0; k < rows; k++) place[rows * j + k] = s[j] > 0 && s[k] > 0 ? (real)block[rows * j + k] : 0;
}

void nb_scaled_problem_box_entry(nb_scaled_problem *c, int32_t i, double entry) {
    *nb_system_diagonal_block(c->system, c->box.first_block + i) = (real)entry;
}

void nb_scaled_problem_bounds(const nb_scaled_problem *c, int32_t i, double bounds[2]) {
    const nb_box_law *law = (const nb_box_law *)c->box.law;
    const double unit = c->unit * (double)c->s[c->box.first_row + i];
    bounds[0] = (double)law->lower[c->box.first + i] / unit;
    bounds[1] = (double)law->upper[c->box.first + i] / unit;
}

void nb_scaled_problem_set_matrix(nb_scaled_problem *c, double shift) {
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
}

/* one run of the linear solver, counted */
static nb_status run_solver(nb_scaled_problem *c, real *x, nb_solve_report *solved) {
    nb_status status;
    const nb_observer *observer = c->observer;
    NB_TRY(nb_solve_run(c->solve, c->system, &c->settings->linear, observer ? observer->linear : NULL,
                        observer ? observer->context : NULL, x, solved));
    double *v = c->report.values;
    c->not_own += solved->setup_s + solved->solve_s + solved->measure_s;
    nb_columns_add_solve(solved, c->share, 0, &c->report);
    v[NB_COLUMN_FACTOR_NONZEROS] = (double)solved->factor_nonzeros;
    v[NB_COLUMN_LINEAR_ITERATIONS] += solved->iterations;
    if (c->columns.factorisations >= 0) v[c->columns.factorisations] += c->share * solved->factorisations;
out:
    return status;
}

nb_status nb_scaled_problem_solve(nb_scaled_problem *c, const double *b, double *dx, int *solved) {
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
        c->report.values[NB_COLUMN_LINEAR_REASON] = report.reason;
        c->report.values[NB_COLUMN_LINEAR_RESIDUAL] = report.rhs_l2 > 0 ? report.residual_l2 / report.rhs_l2 : 0;
        c->told = 1;
    }
out:
    return status;
}

nb_status nb_scaled_problem_end(nb_scaled_problem *c, double t, const double *dx) {
    nb_newton_report *report = &c->report;
    double largest, norm, *v = report->values;
    set_column(c, c->columns.step_length, t);
    velocity_norms(c, dx, &largest, &norm);
    v[NB_COLUMN_STEP_LINF] = t > 0 ? t * largest : 0;
    report->assembly_s = elapsed_time(c);
    nb_columns_end_iteration(report, c->outcome);
    nb_status status = c->observer && c->observer->newton ? c->observer->newton(c->observer->context, report) : NB_OK;
    c->since = nb_clock_seconds();
    return status;
}

void nb_scaled_problem_count_time(nb_scaled_problem *c) {
    c->outcome->assembly_s += elapsed_time(c);
}

void nb_scaled_problem_judge(nb_scaled_problem *c) {
    measure(c, &c->errors);
    c->outcome->errors = c->errors;
    if (c->outcome->reason == NB_REASON_NONE && nb_measure_converged(&c->errors, c->settings)) {
        c->outcome->reason = NB_REASON_CONVERGED;
        c->solved = 1;
    }
}

void nb_scaled_problem_conclude(nb_scaled_problem *c) {
    if (c->whole) {
        write_impulses(c, c->best, c->z);
    } else {
        nb_scaled_problem_write(c, c->best);
        measure(c, &c->errors);
    }
    c->outcome->errors = c->errors;
    c->outcome->assembly_s += elapsed_time(c);
}
