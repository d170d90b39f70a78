/* The order of the island kernel's stages, written once. Whoever includes this says before how stages run:
 *
 *     NB_PROGRAM      how its functions are declared
 *     NB_EACH(call)   every thread `t` makes the call with its lane `l`; then a barrier
 *     NB_OWN(call)    the same without the barrier: what it shares nobody takes before the next one
 *     NB_GATHER(what) every body gathers its force and moves; then a barrier
 *     NB_REDUCE(mode) sums[] from those of all lanes; NB_SUM: all four are sums, NB_LARGEST: the last is the largest,
 *                     NB_ALL_LARGEST_BUT_FIRST
 *     NB_MINE(array)  where the thread's own entry is, of what each thread has one of
 *     NB_ONE(call)    one thread makes it
 *
 * Numbers that all threads share (sums, alpha, reasons) are local variables: each thread has the same. */
#ifndef NB_ISLAND_PROGRAM_H
#define NB_ISLAND_PROGRAM_H

#include "island/relax.h"
#include "linear/stops.h"

#define NB_PROGRAM_ARGUMENTS                                                                           \
    const nb_island *v, const nb_island_settings *p, const nb_island_shared *s, nb_island_lane *lanes, \
        nb_island_report *report
#define NB_PROGRAM_VALUES v, p, s, lanes, report

NB_FN nb_stops nb_island_stops(const nb_island_settings *p, double start) {
    nb_stops stops;
    stops.tolerance = p->linear_tolerance;
    stops.epsilon = (double)NB_REAL_EPSILON;
    stops.tiny = NB_REAL_BITS == 32 ? 1e-6 : 1e-12;
    stops.start = start;
    stops.least = stops.largest = 0;
    stops.elsewhere = 0;
    return stops;
}

/* a/b and 1/a. One division makes both, unless numbers are too large or small: it takes a GPU as long as ten products.
 */
NB_FN double nb_island_quotient(double a, double b, double *inverse) {
    double product = a * b, both = 1 / product;
    if (product > 1e-290 && product < 1e290) {
        *inverse = b * both;
        return a * (a * both);
    }
    *inverse = 1 / a;
    return a / b;
}

NB_PROGRAM nb_reason nb_island_pcr(NB_PROGRAM_ARGUMENTS, double start) {
    nb_stops stops = nb_island_stops(p, start);
    double sums[NB_ISLAND_SUMS], curvature = 0, inverse = 0, square = 0;
    int32_t done = 0;
    nb_reason reason = start == 0 ? NB_REASON_CONVERGED : NB_REASON_NONE;
    NB_EACH(nb_island_put(s, l, t, l->r));
    while (reason == NB_REASON_NONE) {
        NB_GATHER(NB_ISLAND_PRODUCT);
        NB_OWN(nb_island_pcr_product(s, l));
        NB_REDUCE(NB_SUM);
        double weighted = sums[0], beta = sums[1] * inverse;
        reason = nb_stops_at_residual(&stops, weighted, done, p->linear_iterations);
        if (reason == NB_REASON_NONE) reason = nb_stops_at_curvature(&stops, sums[1], weighted, weighted);
        if (reason != NB_REASON_NONE) break;
        curvature = sums[1];
        square = sums[2] + 2 * beta * sums[3] + beta * beta * square;
        if (!(square > 0)) { /* P A z = 0 although z . A z is not: a product under- or overflowed */
            reason = NB_REASON_BREAKDOWN;
            break;
        }
        double alpha = nb_island_quotient(curvature, square, &inverse);
        NB_EACH(nb_island_pcr_step(s, l, t, (real)alpha, (real)beta));
        done++;
    }
    report->linear_iterations = done;
    report->products = done + 1;
    return reason;
}

NB_PROGRAM nb_reason nb_island_pcg(NB_PROGRAM_ARGUMENTS, double start) {
    nb_stops stops = nb_island_stops(p, start);
    double sums[NB_ISLAND_SUMS], rz = start, beta = 0, square = start;
    int32_t done = 0;
    nb_reason reason = start == 0 ? NB_REASON_CONVERGED : NB_REASON_NONE;
    while (reason == NB_REASON_NONE) {
        reason = nb_stops_at_residual(&stops, rz, done, p->linear_iterations);
        if (reason != NB_REASON_NONE) break;
        NB_EACH(nb_island_pcg_direction(s, l, t, (real)beta));
        NB_GATHER(NB_ISLAND_PRODUCT);
        NB_OWN(nb_island_pcg_product(s, l));
        NB_REDUCE(NB_SUM);
        reason = nb_stops_at_curvature(&stops, sums[0], square, rz);
        if (reason != NB_REASON_NONE) break;
        double alpha = rz / sums[0];
        NB_OWN(nb_island_step(l, (real)alpha, l->d));
        NB_REDUCE(NB_SUM);
        beta = sums[0] / rz;
        square = sums[0] + beta * beta * square;
        rz = sums[0];
        done++;
    }
    report->linear_iterations = report->products = done;
    return reason;
}

/* With P = omega / d taken into the operator, the sweep x += P (b - A x) becomes x += r, r -= A r. */
NB_PROGRAM nb_reason nb_island_jacobi(NB_PROGRAM_ARGUMENTS, double start) {
    double sums[NB_ISLAND_SUMS], weighted = start;
    int32_t done = 0;
    nb_reason reason = nb_stops_at_sweep(start, p->linear_tolerance, weighted, done, p->linear_iterations);
    while (reason == NB_REASON_NONE) {
        NB_EACH(nb_island_put(s, l, t, l->r));
        NB_GATHER(NB_ISLAND_PRODUCT);
        NB_OWN(nb_island_product(s, l, l->r); nb_island_step(l, 1, l->r));
        NB_REDUCE(NB_SUM);
        weighted = sums[0];
        done++;
        reason = nb_stops_at_sweep(start, p->linear_tolerance, weighted, done, p->linear_iterations);
    }
    report->linear_iterations = report->products = done;
    return reason;
}

NB_PROGRAM nb_reason nb_island_gauss_seidel(NB_PROGRAM_ARGUMENTS) {
    double sums[NB_ISLAND_SUMS], start = 0;
    int32_t done = 0;
    nb_reason reason = p->linear_iterations == 0 ? NB_REASON_ITERATIONS : NB_REASON_NONE;
    NB_EACH(nb_island_clear_velocities(s, t, s->threads); nb_island_set_factor(s, l));
    while (reason == NB_REASON_NONE) {
        NB_OWN(nb_island_clear_sums(l));
        for (int32_t i = 0; i < v->turns; i++) NB_EACH(nb_island_relax(v, p, s, l, t, i));
        NB_REDUCE(NB_SUM);
        if (done == 0) start = sums[0];
        for (int32_t i = v->turns - 1; p->symmetric && i >= 0; i--) NB_EACH(nb_island_relax(v, p, s, l, t, i));
        done++;
        reason = nb_stops_at_sweep(start, p->linear_tolerance, sums[0], done, p->linear_iterations);
    }
    report->linear_iterations = done;
    report->products = p->symmetric ? 2 * done : done;
    return reason;
}

/* one Newton iteration; `relaxes`, which is known as the program is compiled: by Gauss-Seidel */
NB_PROGRAM void nb_island_iterate(NB_PROGRAM_ARGUMENTS, int relaxes) {
    double sums[NB_ISLAND_SUMS];
    nb_reason reason;
    NB_EACH(nb_island_set_motion(p, s, t, s->threads));
    NB_EACH(nb_island_assemble(v, p, s, l, t));
    NB_GATHER(NB_ISLAND_MOMENTUM);
    NB_OWN(nb_island_finish_rows(p, s, l));
    NB_REDUCE(NB_LARGEST);
    report->residual_l2 = sqrt(sums[0]);
    report->residual_linf = sums[3];
    report->linear_iterations = report->products = 0;
    if (!isfinite(sums[0]))
        reason = NB_REASON_NAN;
    else if (relaxes)
        reason = nb_island_gauss_seidel(NB_PROGRAM_VALUES);
    else if (p->solver == NB_ISLAND_PCR)
        reason = nb_island_pcr(NB_PROGRAM_VALUES, sums[1]);
    else if (p->solver == NB_ISLAND_PCG)
        reason = nb_island_pcg(NB_PROGRAM_VALUES, sums[1]);
    else
        reason = nb_island_jacobi(NB_PROGRAM_VALUES, sums[1]);
    NB_OWN(nb_island_take_solution(s, l, t));
    NB_REDUCE(NB_SUM);
    if (sums[0] != 0 || reason == NB_REASON_NAN) { /* 0 x is NaN where x is not finite */
        if (reason != NB_REASON_NAN) reason = NB_REASON_DIVERGED;
        NB_EACH(nb_island_drop_solution(s, l, t));
    }
    NB_GATHER(NB_ISLAND_UPDATE);
    NB_OWN(nb_island_move_rows(p, l));
    NB_REDUCE(NB_LARGEST);
    report->step_linf = sums[3];
    report->reason = reason;
}

NB_PROGRAM void nb_island_program(const nb_island *v, const nb_island_settings *p, const nb_island_shared *s,
                                  nb_island_lane *lanes, int relaxes) {
    NB_OWN(nb_island_load(v, l, t); nb_island_load_bodies(v, s, t, s->threads));
    for (int32_t i = 0; i < p->newton_iterations; i++) {
        nb_island_report report;
        report.unused = 0;
        nb_island_iterate(v, p, s, lanes, &report, relaxes);
        NB_ONE(v->reports[i] = report);
        if (i < v->kept || i + 1 == p->newton_iterations) /* the last one where it is the only one kept */
            NB_OWN(nb_island_store(v, s, l, t, s->threads, i < v->kept ? i : 0));
    }
}

#endif
