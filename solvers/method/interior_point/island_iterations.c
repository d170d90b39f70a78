#include "island_iterations.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/largest.h"
#include "base/memory.h"
#include "measure/iterate.h"

NB_PRECISIONS(f32, f64);

/* ---- what is kept ---- */

static int has_listener(const nb_scaled_problem *whole) {
    return whole->observer && whole->observer->newton;
}

static nb_status keep(void *context, const nb_newton_report *report) {
    nb_status status = NB_OK;
    nb_trace *t = context;
    int32_t rows = t->problem->rows;
    if (!has_listener(t->problem->whole)) goto out;
    NB_TRY(NB_RESERVE(t->count + 1, &t->report_capacity, &t->reports));
    NB_TRY(NB_RESERVE((int64_t)(t->count + 1) * rows, &t->z_capacity, &t->z));
    t->reports[t->count] = *report;
    memcpy(t->z + (int64_t)t->count * rows, t->problem->z, (size_t)rows * sizeof *t->z);
out:
    if (status == NB_OK) t->count++;
    return status;
}

nb_observer nb_trace_listen(nb_trace *trace, const nb_scaled_problem *part) {
    trace->problem = part;
    return (nb_observer){.context = trace, .newton = keep};
}

void nb_trace_restart(nb_trace *trace) {
    trace->count = 0;
}

void nb_trace_clear(nb_trace *trace) {
    nb_free(trace->reports);
    nb_free(trace->z);
    *trace = (nb_trace){0};
}

/* ---- merged iterations ---- */

/* the impulses at the beginning of a merged iteration, of all parts */
static void set_state(nb_scaled_problem *whole, const nb_trace *const *traces, int32_t count, int32_t iteration) {
    for (int32_t i = 0; i < count; i++) {
        const nb_scaled_problem *part = traces[i]->problem;
        const real *z = iteration < traces[i]->count ? traces[i]->z + (int64_t)iteration * part->rows : part->z;
        for (int32_t r = 0; r < part->rows; r++) whole->p->z[part->part->row[r]] = z[r];
    }
    nb_scaled_problem_follow(whole);
}

/* adds a part's iteration to a merged one */
static void add(const nb_newton_report *one, int factorisations, nb_newton_report *iteration) {
    static const int largest[] = {NB_COLUMN_STEP_LINF, NB_COLUMN_LINEAR_ITERATIONS, NB_COLUMN_LINEAR_RESIDUAL,
                                  NB_COLUMN_COLOURS};
    static const int sums[] = {NB_COLUMN_OPERATOR_APPLICATIONS, NB_COLUMN_PRECONDITIONER_APPLICATIONS,
                               NB_COLUMN_FACTOR_NONZEROS};
    double *v = iteration->values;
    iteration->assembly_s += one->assembly_s;
    iteration->setup_s += one->setup_s;
    iteration->solve_s += one->solve_s;
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++) v[sums[i]] += one->values[sums[i]];
    for (int i = NB_COLUMN_UNKNOWNS; i < NB_COLUMN_OWN; i++) v[i] += one->values[i];
    if (factorisations >= 0) v[factorisations] += one->values[factorisations];
    for (size_t i = 0; i < sizeof largest / sizeof *largest; i++) nb_raise(&v[largest[i]], one->values[largest[i]]);
    v[NB_COLUMN_RESIDUAL_L2] = hypot(v[NB_COLUMN_RESIDUAL_L2], one->values[NB_COLUMN_RESIDUAL_L2]);
}

static void merge(const nb_scaled_problem *whole, const nb_trace *const *traces, int32_t count, int32_t iteration,
                  nb_newton_report *report) {
    const int factorisations = whole->columns.factorisations, residual = NB_COLUMN_RESIDUAL_LINF;
    const nb_newton_report *leading = NULL;
    nb_newton_report sum = {.solved = 1};
    for (int32_t i = 0; i < count; i++) {
        const nb_newton_report *one = iteration < traces[i]->count ? &traces[i]->reports[iteration] : NULL;
        if (!one) continue;
        /* NaN in the phase of certificates */
        if (!leading || !(one->values[residual] <= leading->values[residual])) leading = one;
        add(one, factorisations, &sum);
    }
    report->solved = 1;
    report->assembly_s = sum.assembly_s;
    report->setup_s = sum.setup_s;
    report->solve_s = sum.solve_s;
    if (!leading) return; /* there are no more merged iterations than the longest trace has */
    memcpy(report->values, leading->values, sizeof report->values);
    for (int k = NB_COLUMN_RESIDUAL_L2; k < NB_COLUMN_OWN; k++)
        if (k != NB_COLUMN_LINEAR_REASON) report->values[k] = sum.values[k];
    if (factorisations >= 0) report->values[factorisations] = sum.values[factorisations];
}

nb_status nb_island_iterations_report(nb_scaled_problem *whole, const nb_trace *const *traces, int32_t count) {
    nb_status status = NB_OK;
    nb_step_outcome *outcome = whole->outcome;
    const nb_observer *observer = whole->observer;
    int32_t iterations = 0;
    for (int32_t i = 0; i < count; i++)
        if (traces[i]->count > iterations) iterations = traces[i]->count;
    for (int32_t k = 0; k < iterations; k++) {
        nb_errors errors;
        nb_newton_report report;
        outcome->newton_iterations++;
        if (!has_listener(whole)) continue;
        set_state(whole, traces, count, k);
        nb_measure_iterate(whole->measure, whole->p, &errors);
        nb_measure_report(whole->p, &errors, &report);
        merge(whole, traces, count, k, &report);
        NB_TRY(observer->newton(observer->context, &report));
    }
    set_state(whole, traces, count, iterations);
out:
    whole->since = nb_clock_seconds();
    return status;
}
