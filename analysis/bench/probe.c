#include "bench/probe.h"

#include <math.h>

#include "base/clock.h"
#include "base/memory.h"
#include "linear/space.h"
#include "registry.h"
#include "system/solve.h"

enum {
    MOST_OPTIONS = 64,
    FEW = 10 /* iterations; times are differences, so that what is done once a solve does not count */
};

/* one system, and what works on it */
typedef struct subject {
    nb_system *system;
    nb_space *space;
    nb_solve *solve;
    real *rows; /* a solution */
    word *x, *y;
} subject;

static void clear(subject *s) {
    nb_space_destroy(s->space);
    nb_solve_destroy(s->solve);
    nb_free(s->rows);
    nb_free(s->x);
    nb_free(s->y);
}

static nb_status prepare(subject *s) {
    nb_status status;
    const nb_linear_solver_class *pcr;
    const nb_preconditioner_class *jacobi;
    double values[MOST_OPTIONS], jacobi_values[MOST_OPTIONS];
    NB_TRY(nb_linear_solver_find("pcr", &pcr));
    if (NB_WORD_BITS != NB_REAL_BITS) pcr = pcr->mixed;
    NB_TRY(nb_preconditioner_find("jacobi", &jacobi));
    nb_options_standard(pcr->options, pcr->option_count, values);
    nb_options_standard(jacobi->options, jacobi->option_count, jacobi_values);
    NB_TRY(nb_solve_create(pcr, values, jacobi, jacobi_values, &s->solve));
    NB_TRY(nb_space_create(&s->space));
    NB_TRY(nb_space_set_pattern(s->space, s->system));
    nb_space_set_values(s->space);
    nb_space_set_weights(s->space, NULL, NULL);
    int64_t words = nb_space_words(s->space);
    NB_TRY(NB_ALLOCATE(s->system->rows, &s->rows));
    NB_TRY(NB_ALLOCATE(words, &s->x));
    NB_TRY(NB_ALLOCATE(words, &s->y));
    nb_space_take(s->space, s->system->b, s->x);
out:
    return status;
}

static nb_status apply(subject *s, int count, double *seconds) {
    double start = nb_clock_seconds();
    for (int i = 0; i < count; i++) {
        nb_space_begin_product(s->space, 0, NULL, 1, s->x, NULL);
        nb_space_finish_product(s->space, s->x, s->y);
    }
    *seconds = (nb_clock_seconds() - start) / count;
    return NB_OK;
}

static nb_status solve(subject *s, int iterations, double *seconds) {
    nb_solve_report report;
    nb_status status = nb_solve_run(s->solve, s->system, iterations, 0, NULL, NULL, s->rows, &report);
    if (status == NB_OK && report.iterations != iterations)
        status = nb_fail(NB_ERROR_NUMERIC, "PCR stopped after %d of %d iterations: %s", (int)report.iterations,
                         iterations, nb_reason_name(report.reason));
    *seconds = report.solve_s;
    return status;
}

static nb_status iterate(subject *s, int count, double *seconds) {
    double few, many;
    nb_status status;
    NB_TRY(solve(s, FEW, &few));
    NB_TRY(solve(s, FEW + count, &many));
    *seconds = (many - few) / count;
out:
    return status;
}

nb_status nb_probe(void *system, nb_probe_kernel kernel, int samples, double least_s, nb_probe_sample *sample,
                   void *context, double *bytes) {
    nb_status status;
    subject s = {.system = system};
    nb_status (*run)(subject *, int, double *) = kernel == NB_PROBE_PCR ? iterate : apply;
    double seconds;
    int most = kernel == NB_PROBE_PCR ? 200 : 1000000, count = 5;
    NB_TRY(prepare(&s));
    *bytes = nb_space_bytes(s.space, kernel == NB_PROBE_PCR);
    NB_TRY(run(&s, count, &seconds));
    count = (int)fmin(most, ceil(least_s / fmax(seconds, 1e-9)));
    for (int i = 0; i < samples; i++) {
        NB_TRY(run(&s, count, &seconds));
        sample(context, seconds);
    }
out:
    clear(&s);
    return status;
}
