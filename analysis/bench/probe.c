#include "bench/probe.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "device.h"
#include "linear/vector_backend.h"
#include "operator/solve.h"
#include "registry.h"

NB_PRECISIONS(f32, f64, mixed);

enum {
    MOST_OPTIONS = 64,
    FEW = 10, /* iterations; times of iterations are differences, so that what is done once a solve does not count */
    DEVICE_FEW = 25, /* the same on a device, which records so many, and repeats that recording */
    MOST = 200,
    FEWEST = 5, /* samples of long solves, and of any that are possible */
    MOST_SAMPLES = 64,
    MOST_TO_ACCURACY = 2000
};

/* one system, and what works on it */
typedef struct subject {
    nb_system *system;
    nb_vector_backend *backend;
    nb_solve *solve;
    real *rows;    /* a solution */
    double copies; /* [s] of the last solve on a device */
    storage *x, *y;
    int few;
} subject;

static void clear(subject *s) {
    nb_vector_backend_destroy(s->backend);
    nb_solve_destroy(s->solve);
    nb_free(s->rows);
}

nb_status nb_probe_preconditioner(const char *text, const nb_preconditioner_class **type, double *values) {
    nb_status status;
    const char *value = strchr(text, '=');
    char name[32];
    snprintf(name, sizeof name, "%.*s", (int)(value ? value - text : (ptrdiff_t)strlen(text)), text);
    NB_TRY(nb_preconditioner_find(name, type));
    nb_options_standard((*type)->options, (*type)->option_count, values);
    if (value && (*type)->option_count == 0) return nb_fail(NB_ERROR_USAGE, "preconditioner '%s' has no options", name);
    if (value)
        NB_TRY(
            nb_options_set((*type)->options, (*type)->option_count, name, (*type)->options[0].name, value + 1, values));
out:
    return status;
}

static nb_status make_solver(subject *s, const char *name, const char *preconditioner) {
    nb_status status;
    const nb_linear_solver_class *solver;
    const nb_preconditioner_class *type;
    double values[MOST_OPTIONS], preconditioner_values[MOST_OPTIONS];
    NB_TRY(nb_linear_solver_find(name, &solver));
    if (NB_STORAGE_BITS != NB_REAL_BITS) NB_TRY(nb_linear_solver_take_mixed(&solver));
    NB_TRY(nb_probe_preconditioner(preconditioner, &type, preconditioner_values));
    nb_options_standard(solver->options, solver->option_count, values);
    NB_TRY(
        nb_solve_create(solver, values, solver->takes_preconditioner ? type : NULL, preconditioner_values, &s->solve));
    NB_TRY(NB_ALLOCATE(s->system->rows, &s->rows));
out:
    return status;
}

static nb_status make_backend(subject *s) {
    nb_status status;
    NB_TRY(nb_vector_backend_create(&s->backend));
    NB_TRY(nb_vector_backend_set_pattern(s->backend, s->system));
    NB_TRY(nb_vector_backend_set_values(s->backend));
    NB_TRY(nb_vector_backend_set_weights(s->backend, NULL, NULL));
    NB_TRY(nb_vector_backend_set_vectors(s->backend, 2));
    s->x = nb_vector_backend_vector(s->backend, 0);
    s->y = nb_vector_backend_vector(s->backend, 1);
    nb_vector_backend_take(s->backend, s->system->b, s->x);
    nb_vector_backend_clear(s->backend, s->y);
    NB_TRY(nb_vector_backend_fault(s->backend));
out:
    return status;
}

/* ---- products ---- */

/* seconds of a product; a device has done all `count` by then */
static nb_status apply(subject *s, int count, double *seconds) {
    if (s->system->device) nb_vector_backend_dot(s->backend, s->x, s->x);
    double start = nb_clock_seconds();
    for (int i = 0; i < count; i++) {
        nb_vector_backend_begin_product(s->backend, 0, NULL, 1, s->x, NULL);
        nb_vector_backend_finish_product(s->backend, s->x, s->y);
    }
    if (s->system->device) nb_vector_backend_dot(s->backend, s->x, s->x);
    *seconds = (nb_clock_seconds() - start) / count;
    return nb_vector_backend_fault(s->backend);
}

/* ---- iterations ---- */

/* On a device without what is copied to and from it: vectors of a large system take longer than iterations, and other
 * guests of the machine disturb that. */
static nb_status solve(subject *s, int iterations, double *seconds) {
    const nb_device *device = s->system->device;
    nb_solve_report report;
    if (device && device->take_times) device->take_times(seconds, &s->copies); /* what was before is no part of it */
    nb_status status = nb_solve_run(s->solve, s->system, &(nb_linear_stop){.iterations = iterations, .tolerance = 0},
                                    NULL, NULL, s->rows, &report);
    if (status == NB_OK && report.iterations != iterations)
        status = nb_fail(NB_ERROR_NUMERIC, "the solver stopped after %d of %d iterations: %s", (int)report.iterations,
                         iterations, nb_reason_name(report.reason));
    *seconds = report.solve_s;
    if (device && device->take_times) device->take_times(seconds, &s->copies);
    return status;
}

/* about; with what is done once a solve, as it only tells how long a sample will be */
static nb_status iterate(subject *s, int count, double *seconds) {
    nb_status status = solve(s, s->few + count, seconds);
    *seconds /= s->few + count;
    return status;
}

/* ---- a solve to an accuracy ---- */

/* The iterations after which the true residual is accurate enough, or 0. A solve that verifies it tells about how many;
 * it may have begun again where the recurrences were off, and so the residual of one that goes on without a look is
 * what counts. */
static nb_status find_iterations(subject *s, double accuracy, int *iterations) {
    const nb_linear_stop verified = {.iterations = MOST_TO_ACCURACY, .tolerance = accuracy, .norm = NB_NORM_TRUE};
    nb_solve_report report;
    nb_status status;
    *iterations = 0;
    NB_TRY(nb_solve_run(s->solve, s->system, &verified, NULL, NULL, s->rows, &report));
    if (report.reason != NB_REASON_CONVERGED) return NB_OK;
    for (int count = report.iterations; count <= MOST_TO_ACCURACY; count += 1 + count / 50) {
        const nb_linear_stop plain = {.iterations = count};
        NB_TRY(nb_solve_run(s->solve, s->system, &plain, NULL, NULL, s->rows, &report));
        if (report.residual_l2 > accuracy * report.rhs_l2) continue;
        *iterations = report.iterations;
        return NB_OK;
    }
out:
    return status;
}

typedef nb_status timed(subject *s, int count, double *seconds);

/* work that does not count, until the device's clocks have risen, which takes it some time from `start` on; once at
 * least, which tells how long it takes */
static nb_status warm_up(subject *s, timed *run, int count, double start, double *seconds) {
    const nb_device *device = s->system->device;
    nb_status status;
    do status = run(s, count, seconds);
    while (status == NB_OK && device && nb_clock_seconds() - start < device->warm_up_s);
    return status;
}

/* one after the other, as each is long enough; with copies, of which a preconditioner's are some */
static nb_status sample_solves(subject *s, const nb_probe_request *request, nb_probe_sample *sample, void *context,
                               nb_probe_outcome *outcome) {
    const double enough_s = 0.5;
    nb_status status;
    double seconds, total = 0, start = nb_clock_seconds(); /* solves that are tried warm it up */
    NB_TRY(find_iterations(s, request->accuracy, &outcome->iterations));
    if (outcome->iterations == 0) return NB_OK;
    NB_TRY(warm_up(s, solve, outcome->iterations, start, &seconds));
    for (int i = 0; i < request->samples && (i < FEWEST || total < enough_s); i++) {
        NB_TRY(solve(s, outcome->iterations, &seconds));
        seconds += s->copies;
        total += seconds;
        sample(context, seconds);
    }
out:
    return status;
}

/* ---- all ---- */

/* warms up; how many applications make a sample, `most` at most */
static nb_status choose_count(subject *s, const nb_probe_request *request, timed *run, int most, int *count) {
    double seconds;
    const int step = s->few;
    nb_status status = warm_up(s, run, s->few, nb_clock_seconds(), &seconds);
    *count = (int)fmin(most, ceil(request->least_s / fmax(seconds, 1e-9)));
    if (s->system->device) *count = (*count + step - 1) / step * step;
    return status;
}

static nb_status sample_products(subject *s, const nb_probe_request *request, nb_probe_sample *sample, void *context) {
    nb_status status;
    double seconds;
    int count;
    NB_TRY(choose_count(s, request, apply, 1000000, &count));
    for (int i = 0; i < request->samples; i++) {
        NB_TRY(apply(s, count, &seconds));
        sample(context, seconds);
    }
out:
    return status;
}

/* Differences to a short solve: the shortest of all, as other processes only lengthen one. Where each of them was
 * disturbed for so long that a longer solve took less time, the sample is none. */
static nb_status sample_iterations(subject *s, const nb_probe_request *request, nb_probe_sample *sample,
                                   void *context) {
    nb_status status;
    const int samples = request->samples < MOST_SAMPLES ? request->samples : MOST_SAMPLES;
    double few = INFINITY, seconds, many[MOST_SAMPLES];
    int count, possible = 0;
    NB_TRY(choose_count(s, request, iterate, MOST - s->few / DEVICE_FEW * DEVICE_FEW, &count));
    for (int i = 0; i < samples; i++) {
        NB_TRY(solve(s, s->few, &seconds));
        NB_TRY(solve(s, s->few + count, &many[i]));
        few = fmin(few, seconds);
    }
    for (int i = 0; i < samples; i++) possible += many[i] > few;
    if (possible < FEWEST && possible < samples)
        NB_TRY(nb_fail(NB_ERROR_NUMERIC, "the machine is too busy to time an iteration: %d of %d samples are possible",
                       possible, samples));
    for (int i = 0; i < samples; i++)
        if (many[i] > few) sample(context, (many[i] - few) / count);
out:
    return status;
}

nb_status nb_probe(void *system, const nb_probe_request *request, nb_probe_sample *sample, void *context,
                   nb_probe_outcome *outcome) {
    nb_status status;
    subject s = {.system = system, .few = ((const nb_system *)system)->device ? DEVICE_FEW : FEW};
    const int sweeps = request->kernel == NB_PROBE_GAUSS_SEIDEL;
    *outcome = (nb_probe_outcome){.bytes = (double)NAN};
    NB_TRY(make_backend(&s));
    if (request->kernel <= NB_PROBE_PCR)
        outcome->bytes = nb_vector_backend_bytes(s.backend, request->kernel == NB_PROBE_PCR);
    if (request->kernel == NB_PROBE_OPERATOR) {
        NB_TRY(sample_products(&s, request, sample, context));
    } else {
        NB_TRY(make_solver(&s, sweeps ? "gauss-seidel" : "pcr", request->preconditioner));
        if (request->kernel == NB_PROBE_ACCURACY)
            NB_TRY(sample_solves(&s, request, sample, context, outcome));
        else
            NB_TRY(sample_iterations(&s, request, sample, context));
    }
out:
    clear(&s);
    return status;
}
