#include "operator/solve.h"

#include <string.h>
#include <tgmath.h>

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/largest.h"
#include "base/memory.h"

NB_PRECISIONS(f32, f64);

struct nb_solve {
    const nb_linear_solver_class *solver;
    const nb_preconditioner_class *preconditioner;
    void *solver_state, *preconditioner_state;
    double create_s;
    int64_t pattern_epoch, value_epoch;   /* what the states were set up for; 0: nothing */
    real *diagonal, *residual, *weighted; /* [rows] */
    real *null_vector;                    /* [rows] that the last solve found, where `found_null` */
    int found_null;
    int64_t capacity;
    nb_solve *reference; /* makes the solution that iterates are held against; NULL: none does */
    real *exact;         /* [rows] it */
    int64_t exact_capacity;
    int exact_known;
    int64_t finite_epoch; /* the values that were seen to be finite; 0: none */
    /* while a solve runs */
    nb_system *system;
    double unit; /* of its b and x */
    nb_solve_history *history;
    void *history_context;
    nb_status history_status;
    double energy_decrease, own_norm;   /* that the solver tells of before the monitor */
    double monitor_s;                   /* spent in the monitor */
    int64_t products, preconditionings; /* the monitor's products; the solver's calls of the preconditioner */
    nb_system_size size;                /* of the pattern that was set up */
    double entries_flops;               /* of its entries; NaN: not counted */
    nb_preconditioner_class counted;    /* the preconditioner as the solver sees it, its state being this struct */
};

/* ---- the preconditioner, its calls counted ---- */

static void count_apply(void *state, const real *r, real *z) {
    nb_solve *s = state;
    s->preconditionings++;
    s->preconditioner->apply(s->preconditioner_state, r, z);
}

static const real *pass_diagonal(const void *state) {
    const nb_solve *s = state;
    return s->preconditioner->diagonal(s->preconditioner_state);
}

static void pass_parts(const void *state, nb_preconditioner_parts *parts) {
    const nb_solve *s = state;
    nb_preconditioner_tell_parts(s->preconditioner, s->preconditioner_state, parts);
}

static void count_apply_by(void *state, const nb_vector_operations *o, const void *r, void *z) {
    nb_solve *s = state;
    s->preconditionings++;
    nb_preconditioner_apply_by(s->preconditioner, s->preconditioner_state, o, r, z);
}

static void count_calls(nb_solve *s) {
    s->counted = *s->preconditioner;
    s->counted.apply = count_apply;
    s->counted.apply_by = count_apply_by;
    if (s->counted.diagonal) s->counted.diagonal = pass_diagonal;
    if (nb_preconditioner_works_on_devices(&s->counted)) s->counted.parts = pass_parts;
}

/* ---- making ---- */

void nb_solve_destroy(nb_solve *solve) {
    if (!solve) return;
    if (solve->solver) solve->solver->destroy(solve->solver_state);
    if (solve->preconditioner) solve->preconditioner->destroy(solve->preconditioner_state);
    nb_free(solve->diagonal);
    nb_free(solve->residual);
    nb_free(solve->weighted);
    nb_free(solve->null_vector);
    nb_free(solve->exact);
    nb_solve_destroy(solve->reference);
    nb_free(solve);
}

nb_status nb_solve_create(const nb_linear_solver_class *solver, const double *solver_values,
                          const nb_preconditioner_class *preconditioner, const double *preconditioner_values,
                          nb_solve **solve) {
    nb_status status;
    nb_solve *s = NULL;
    *solve = NULL;
    NB_TRY(NB_ALLOCATE(1, &s));
    const double start = nb_clock_seconds();
    NB_TRY(solver->create(solver_values, &s->solver_state));
    s->solver = solver;
    if (preconditioner) {
        NB_TRY(preconditioner->create(preconditioner_values, &s->preconditioner_state));
        s->preconditioner = preconditioner;
        count_calls(s);
    }
    s->create_s = nb_clock_seconds() - start;
    *solve = s;
    return NB_OK;
out:
    nb_solve_destroy(s);
    return status;
}

double nb_solve_create_s(const nb_solve *solve) {
    return solve ? solve->create_s : 0;
}

void nb_solve_use_reference(nb_solve *solve, nb_solve *reference) {
    nb_solve_destroy(solve->reference);
    solve->reference = reference;
}

real *nb_solve_exact(const nb_solve *solve) {
    return solve->exact_known ? solve->exact : NULL;
}

void nb_solve_restart(nb_solve *solve) {
    if (solve->reference) nb_solve_restart(solve->reference);
    solve->pattern_epoch = solve->value_epoch = solve->finite_epoch = 0;
}

static nb_status make_room(nb_solve *s, int32_t rows) {
    nb_status status = NB_OK;
    if (s->diagonal && rows <= s->capacity) return NB_OK;
    int64_t a = s->capacity, b = a, c = a, d = a;
    NB_TRY(NB_RESERVE(rows + 1, &a, &s->diagonal));
    NB_TRY(NB_RESERVE(rows + 1, &b, &s->residual));
    NB_TRY(NB_RESERVE(rows + 1, &c, &s->weighted));
    NB_TRY(NB_RESERVE(rows + 1, &d, &s->null_vector));
    s->capacity = a;
out:
    return status;
}

/* in all rows, also those of other processes */
static double sum_over_all(const nb_system *system, double sum) {
    nb_system_reduce(system, NB_REDUCTION_SUM, &sum, 1);
    return sum;
}

static double norm(const nb_system *system, const real *x) {
    double sum = 0;
    for (int32_t i = 0; i < system->rows; i++) sum += (double)x[i] * (double)x[i];
    return sqrt(sum_over_all(system, sum));
}

static int all_finite(const nb_system *system, const real *x) {
    real sum = 0; /* 0 * x is NaN for a NaN or an infinity */
    for (int32_t i = 0; i < system->rows; i++) sum += 0 * x[i];
    return sum_over_all(system, (double)sum) == 0;
}

/* sqrt(r . P r), P the preconditioner or else the inverse diagonal */
static double weighted_norm(nb_solve *s, const real *r) {
    double sum = 0;
    int32_t rows = s->system->rows;
    const int64_t products = s->system->products; /* those of P are none of the solver's */
    if (s->preconditioner)
        s->preconditioner->apply(s->preconditioner_state, r, s->weighted);
    else
        for (int32_t i = 0; i < rows; i++) s->weighted[i] = s->diagonal[i] > 0 ? r[i] / s->diagonal[i] : 0;
    s->system->products = products;
    for (int32_t i = 0; i < rows; i++) sum += (double)r[i] * (double)s->weighted[i];
    return sqrt(fmax(sum_over_all(s->system, sum), 0));
}

static double product(const nb_system *system, const real *x, const real *y) {
    double sum = 0;
    for (int32_t i = 0; i < system->rows; i++) sum += (double)x[i] * (double)y[i];
    return sum_over_all(system, sum);
}

/* x . A x, with one product */
static double energy(nb_solve *s, const real *x, real *image) {
    nb_system_apply(s->system, x, image);
    return product(s->system, x, image);
}

/* sqrt(e^T A e), e = x - x*; overwrites s->residual and s->weighted */
static double energy_error(nb_solve *s, const real *x) {
    if (!s->exact_known) return NAN;
    for (int32_t i = 0; i < s->system->rows; i++) s->residual[i] = x[i] - s->exact[i];
    s->products++;
    return sqrt(energy(s, s->residual, s->weighted)); /* NaN where A is not positive definite */
}

/* hears an iterate */
static void monitor(void *context, int32_t iteration, const void *x) {
    nb_solve *s = context;
    double start = nb_clock_seconds();
    nb_linear_iterate iterate = {.residual_l2 = nb_system_residual(s->system, x, s->residual) * s->unit};
    iterate.preconditioned_residual = weighted_norm(s, s->residual) * s->unit;
    iterate.energy_error = energy_error(s, x) * s->unit;
    iterate.energy_decrease = s->energy_decrease * s->unit * s->unit;
    iterate.own_norm = s->own_norm;
    if (s->history_status == NB_OK) s->history_status = s->history(s->history_context, iteration, &iterate);
    s->products++;
    s->energy_decrease = s->own_norm = NAN;
    s->monitor_s += nb_clock_seconds() - start;
}

/* whether its last set-up made a factor of all of A */
static int preconditioner_factorised(const nb_solve *s) {
    const nb_preconditioner_class *p = s->preconditioner;
    return p && p->factorises && (!p->factorised || p->factorised(s->preconditioner_state));
}

/* the solution that iterates are held against, by s->reference; without a device, and off the clock */
static nb_status find_exact(nb_solve *s, nb_system *system) {
    const nb_linear_stop stop = {.iterations = 200};
    const nb_device *device = system->device;
    nb_status status;
    nb_solve_report report;
    if (!s->reference) return NB_OK;
    NB_TRY(NB_RESERVE(system->rows + 1, &s->exact_capacity, &s->exact));
    system->device = NULL;
    status = nb_solve_run(s->reference, system, &stop, NULL, NULL, s->exact, &report);
    system->device = device;
    if (status != NB_OK || report.reason == NB_REASON_NAN) return status;
    nb_system_residual(system, s->exact, s->residual);
    const double left = weighted_norm(s->reference, s->residual);
    s->exact_known = left <= 1e-9 * sqrt(energy(s, s->exact, s->weighted));
out:
    return status;
}

/* brings solver and preconditioner up to date; a breakdown goes to outcome->reason */
static nb_status set_up(nb_solve *s, nb_system *system, nb_linear_outcome *outcome) {
    nb_status status = NB_OK;
    if (s->pattern_epoch != system->pattern_epoch) {
        s->value_epoch = 0;
        if (s->preconditioner) NB_TRY(s->preconditioner->set_up_pattern(s->preconditioner_state, system));
        NB_TRY(nb_interrupt_check());
        NB_TRY(s->solver->set_up_pattern(s->solver_state, system));
        NB_TRY(nb_interrupt_check());
        s->pattern_epoch = system->pattern_epoch;
    }
    if (s->value_epoch != system->value_epoch) {
        if (s->preconditioner)
            NB_TRY(s->preconditioner->set_up_values(s->preconditioner_state, system, &outcome->reason));
        if (outcome->reason == NB_REASON_NONE) NB_TRY(s->solver->set_up_values(s->solver_state, system, outcome));
        outcome->factorisations += s->solver->direct || preconditioner_factorised(s);
        s->value_epoch = outcome->reason == NB_REASON_NONE ? system->value_epoch : 0;
    }
out:
    return status;
}

static nb_status check_symmetry(const nb_solve *s, const nb_system *system) {
    const char *name = NULL;
    if (system->symmetric) return NB_OK;
    if (system->mirrored > 0 && s->solver->takes_mirrored && s->preconditioner && s->preconditioner->takes_mirrored)
        return NB_OK;
    if (s->preconditioner && !s->preconditioner->takes_unsymmetric) name = s->preconditioner->name;
    if (!s->solver->takes_unsymmetric) name = s->solver->name;
    if (!name) return NB_OK;
    return nb_fail(NB_ERROR_UNSUPPORTED, "%s does not support unsymmetric systems", name);
}

/* colours of the order that the solver or the preconditioner sweeps in */
static int32_t colours_of(const nb_solve *s) {
    int32_t colours = s->solver->colours ? s->solver->colours(s->solver_state) : 0;
    if (colours == 0 && s->preconditioner && s->preconditioner->colours)
        colours = s->preconditioner->colours(s->preconditioner_state);
    return colours;
}

/* Whether b and A are finite: b - A 0 is NaN for whatever is not in b or in any entry. For values that were seen before
 * only b is looked at. */
static int is_finite(nb_solve *s, nb_system *system, const real *zero) {
    if (s->finite_epoch == system->value_epoch) return all_finite(system, system->b);
    nb_system_diagonal(system, s->diagonal);
    nb_system_residual(system, zero, s->residual);
    if (!all_finite(system, s->residual) || !all_finite(system, s->diagonal)) return 0;
    s->finite_epoch = system->value_epoch;
    return 1;
}

static const nb_preconditioner_work unknown_work = {NAN, NAN, NAN, NAN};

/* a breakdown in any process is one in all */
static nb_reason agreed(const nb_system *system, nb_reason reason) {
    double largest = (double)reason;
    nb_system_reduce(system, NB_REDUCTION_LARGEST, &largest, 1);
    return (nb_reason)largest;
}

/* what was worked with; `due`: it was set up for this solve */
static nb_preconditioner_work work_of(const nb_solve *s, const nb_linear_outcome *outcome, int due) {
    nb_preconditioner_work work = {0};
    if (s->solver->direct) {
        work = outcome->work;
        due = outcome->factorisations;
    } else if (s->preconditioner && s->preconditioner->work && s->value_epoch > 0) {
        s->preconditioner->work(s->preconditioner_state, &work);
    } else if (s->preconditioner) {
        work = unknown_work;
    }
    work.setup_flops = due ? due * work.setup_flops : 0;
    return work;
}

/* set-up and solution, timed; x is 0 where the result is not finite */
static nb_status solve(nb_solve *s, nb_system *system, nb_linear_request *request, real *x, nb_solve_report *report) {
    nb_status status;
    nb_linear_outcome outcome = {.failed_row = -1, .work = unknown_work, .null_vector = s->null_vector};
    const int due = s->value_epoch != system->value_epoch, new_pattern = s->pattern_epoch != system->pattern_epoch;
    double start = nb_clock_seconds();
    NB_TRY(nb_interrupt_check());
    system->asked_epoch = 0;
    NB_TRY(set_up(s, system, &outcome));
    NB_TRY(nb_interrupt_check());
    outcome.reason = agreed(system, outcome.reason);
    double ready = nb_clock_seconds();
    report->setup_s = ready - start;
    report->colours = colours_of(s);
    if (outcome.reason == NB_REASON_NONE) {
        s->monitor_s = 0;
        s->products = s->preconditionings = 0;
        int64_t before = system->products;
        NB_TRY(s->solver->solve(s->solver_state, system, request, x, &outcome));
        if (s->preconditioner && s->preconditioner->solved)
            s->preconditioner->solved(s->preconditioner_state, outcome.iterations);
        NB_TRY(nb_interrupt_check()); /* of which it says nothing but that it has ended */
        report->products = system->products - before - s->products;
        if (report->products == 0) report->products = outcome.iterations;
        report->preconditionings = s->preconditionings - outcome.shown_preconditionings;
        report->solve_s = nb_clock_seconds() - ready - s->monitor_s - outcome.shown_s;
        NB_TRY(s->history_status);
    }
    if (!all_finite(system, x)) {
        memset(x, 0, (size_t)system->rows * sizeof *x);
        outcome.reason = NB_REASON_DIVERGED;
    }
    s->found_null = outcome.found_null;
    report->reason = outcome.reason;
    report->iterations = outcome.iterations;
    report->failed_row = outcome.failed_row;
    report->factor_nonzeros = outcome.factor_nonzeros;
    report->factorisations = outcome.factorisations;
    report->recycled = outcome.recycled;
    report->work = work_of(s, &outcome, due || new_pattern);
    if (new_pattern) s->size = nb_system_size_of(system);
    report->size = s->size;
    if (new_pattern) s->entries_flops = NAN;
    if (system->asked_epoch > 0 && isnan(s->entries_flops)) s->entries_flops = nb_system_entries_flops(system);
    if (due || new_pattern)
        report->assembly_flops = system->assembly_flops + (system->asked_epoch > 0 ? s->entries_flops : 0);
out:
    return status;
}

/* the true residual over b, in the norm that is kinder; that of the preconditioner knows no rows without a diagonal */
static double kind_residual(nb_solve *s, const nb_solve_report *report) {
    double plain = report->residual_l2 / report->rhs_l2;
    if (!s->system->symmetric) return plain; /* r . P r is no norm */
    double without = 0;                      /* rows without a diagonal */
    for (int32_t i = 0; i < s->system->rows; i++) without += !(s->diagonal[i] > 0);
    if (sum_over_all(s->system, without) > 0) return plain;
    double start = weighted_norm(s, s->system->b);
    return start > 0 ? fmin(plain, weighted_norm(s, s->residual) / start) : plain;
}

/* the largest entry on A's diagonal */
static double largest_entry(nb_solve *s) {
    double most = 0;
    for (int32_t i = 0; i < s->system->rows; i++) nb_raise(&most, (double)fabs(s->diagonal[i]));
    nb_system_reduce(s->system, NB_REDUCTION_LARGEST, &most, 1);
    return most;
}

/* Whether A, whose diagonal is at most `most`, takes v to zero, but for rounding. The Rayleigh quotient tells
 * eigenvalues of 1e-12 of the largest one from zero, which |A v| does not where v was rounded. */
static int is_null(nb_solve *s, const real *v, double most, real *image) {
    const double epsilon = (double)NB_REAL_EPSILON, little = 4e3 * epsilon;
    double size = norm(s->system, v);
    nb_system_apply(s->system, v, image);
    return norm(s->system, image) <= 100 * sqrt(epsilon) * most * size &&
           fabs(product(s->system, v, image)) <= little * most * size * size;
}

/* Whether b is outside the range of A: a solver that got no further has left a null vector v of the symmetric A with
 * b . v not zero, its residual r (least in the 2-norm), P r (least in the norm of P), an x that was blown up along it,
 * or what it tells of itself. Overwrites s->diagonal and s->weighted. */
static int is_inconsistent(nb_solve *s, const real *x, const nb_solve_report *report, double tolerance) {
    const nb_reason reason = report->reason;
    int ended = reason == NB_REASON_ROUND_OFF || reason == NB_REASON_EXACT || reason == NB_REASON_STAGNATED ||
                reason == NB_REASON_BREAKDOWN || reason == NB_REASON_DIVERGED;
    const real *const nulls[] = {s->residual, s->weighted, x, s->null_vector};
    real *const images[] = {s->weighted, s->diagonal, s->weighted, s->weighted};
    if (!ended || !s->system->symmetric ||
        !(report->residual_l2 > fmax(tolerance, sqrt((double)NB_REAL_EPSILON)) * report->rhs_l2))
        return 0;
    nb_system_diagonal(s->system, s->diagonal);
    double most = largest_entry(s);
    int candidates = reason == NB_REASON_EXACT ? 1 : 3 + s->found_null; /* of factors, large x are no sign */
    for (int i = 0; i < candidates; i++) {
        if (i == 1) weighted_norm(s, s->residual); /* P r */
        /* residuals and x of a solver that diverged are larger than the part of b that has no solution */
        double along = fabs(product(s->system, s->system->b, nulls[i])), size = norm(s->system, nulls[i]);
        if (along > 1e-3 * fmin(report->residual_l2, report->rhs_l2) * size && is_null(s, nulls[i], most, images[i]))
            return 1;
    }
    return 0;
}

/* What the solver's norm may not have seen of the residual: P may leave rows of zero diagonal alone, and of x = 0 no
 * norm can say that it is a solution. It goes to s->weighted; the result is its norm. */
static double unseen(nb_solve *s, const real *x) {
    int32_t rows = s->system->rows;
    int nothing = norm(s->system, x) == 0;
    for (int32_t i = 0; i < rows; i++) s->weighted[i] = nothing || s->diagonal[i] == 0 ? s->residual[i] : 0;
    return norm(s->system, s->weighted);
}

/* Holds what the solver said of its result against the true residual, in s->residual: solvers judge by residuals that
 * they carry along. A factor of a hundred allows for other norms than the true one, and one of 1.01 for a residual that
 * the solver formed itself, in its own precision; with a residual larger than b it is no solution. */
static nb_reason verify(nb_solve *s, const real *x, const nb_solve_report *report, const nb_linear_stop *stop) {
    const double tiny = NB_REAL_BITS == 32 ? 1e-6 : 1e-12, little = 1e-4, root = sqrt((double)NB_REAL_EPSILON);
    double b = report->rhs_l2, tolerance = stop->tolerance;
    int converged = report->reason == NB_REASON_CONVERGED, in_truth = stop->norm == NB_NORM_TRUE && tolerance > 0;
    double most = converged ? fmax((in_truth ? 1.01 : 100) * tolerance, 100 * tiny) : 1;
    if (!nb_reason_converged(report->reason) || report->residual_l2 <= fmin(most, fmax(tolerance, root)) * b)
        return report->reason;
    nb_system_diagonal(s->system, s->diagonal);
    if (report->reason != NB_REASON_EXACT) {
        double size = unseen(s, x);
        if (size > fmax(tolerance, root) * b)
            return is_null(s, s->weighted, largest_entry(s), s->residual) ? NB_REASON_INCONSISTENT
                                                                          : NB_REASON_BREAKDOWN;
    }
    if (report->residual_l2 <= most * b) return report->reason;
    if (s->solver->direct && !converged) return NB_REASON_SINGULAR; /* no norm of a preconditioner can explain this */
    double relative = in_truth ? report->residual_l2 / b : kind_residual(s, report);
    if (relative <= most) return report->reason;
    if (converged) return relative <= little ? NB_REASON_ROUND_OFF : NB_REASON_STAGNATED;
    return NB_REASON_DIVERGED;
}

static nb_status run(nb_solve *s, nb_system *system, const nb_linear_stop *stop, nb_solve_history *history,
                     void *history_context, real *x, nb_solve_report *report) {
    nb_status status;
    int32_t rows = system->rows;
    nb_linear_request request = {.stop = *stop,
                                 .monitor = history ? monitor : NULL,
                                 .monitor_context = s,
                                 .energy_decrease = &s->energy_decrease,
                                 .own_norm = &s->own_norm,
                                 .preconditioner = s->preconditioner ? &s->counted : NULL,
                                 .preconditioner_state = s};
    double start = nb_clock_seconds();
    *report = (nb_solve_report){.failed_row = -1, .size = {NAN, NAN, NAN}, .work = unknown_work};
    memset(x, 0, (size_t)rows * sizeof *x);
    NB_TRY(check_symmetry(s, system));
    NB_TRY(make_room(s, rows));
    if (!is_finite(s, system, x)) {
        report->reason = NB_REASON_NAN;
        report->residual_l2 = report->rhs_l2 = NAN;
        report->measure_s = nb_clock_seconds() - start;
        return NB_OK;
    }
    report->rhs_l2 = norm(system, system->b);
    s->system = system;
    s->history = history;
    s->history_context = history_context;
    s->history_status = NB_OK;
    s->energy_decrease = s->own_norm = NAN;
    s->exact_known = 0;
    if (history) NB_TRY(find_exact(s, system));
    NB_TRY(solve(s, system, &request, x, report));
    report->residual_l2 = nb_system_residual(system, x, s->residual);
    report->reason =
        is_inconsistent(s, x, report, stop->tolerance) ? NB_REASON_INCONSISTENT : verify(s, x, report, stop);
    report->measure_s = nb_clock_seconds() - start - report->setup_s - report->solve_s;
out:
    return status;
}

/* The power of two, or 1, that b is divided by for a solve: squares of what is far from 1 under- or overflow, in f32
 * products with A, too. */
static double unit_of(const nb_system *system) {
    const int most = NB_REAL_BITS == 64 ? 300 : 40; /* digits of two that need none */
    double largest = 0;
    int exponent;
    for (int32_t i = 0; i < system->rows; i++) nb_raise(&largest, fabs((double)system->b[i]));
    nb_system_reduce(system, NB_REDUCTION_LARGEST, &largest, 1);
    if (!(largest > 0) || !isfinite(largest)) return 1;
    frexp(largest, &exponent);
    if (exponent <= most && exponent >= -most) return 1;
    return ldexp(1.0, exponent < -1000 ? -1000 : exponent - 1);
}

/* x = unit x in two factors, neither of which is out of range where the product is not */
static void multiply(int32_t count, double unit, real *x) {
    int exponent;
    frexp(unit, &exponent);
    const real half = (real)ldexp(1.0, (exponent - 1) / 2), rest = (real)ldexp(1.0, exponent - 1 - (exponent - 1) / 2);
    for (int32_t i = 0; i < count; i++) x[i] = x[i] * half * rest;
}

nb_status nb_solve_run(nb_solve *s, nb_system *system, const nb_linear_stop *stop, nb_solve_history *history,
                       void *history_context, real *x, nb_solve_report *report) {
    const double unit = s->unit = unit_of(system);
    if (unit == 1) return run(s, system, stop, history, history_context, x, report);
    multiply(system->rows, 1 / unit, system->b);
    nb_status status = run(s, system, stop, history, history_context, x, report);
    multiply(system->rows, unit, system->b);
    multiply(system->rows, unit, x);
    report->rhs_l2 *= unit;
    report->residual_l2 *= unit;
    return status;
}
