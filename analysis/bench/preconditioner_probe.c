#include "bench/preconditioner_probe.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "operator/system.h"
#include "operator/system_size.h"
#include "preconditioner.h"

NB_PRECISIONS(f32, f64);

enum {
    MOST_OPTIONS = 8
};
static const double most_s = 1; /* of set-ups, from which on there is no other sample */

/* one under way */
typedef struct subject {
    const nb_preconditioner_class *type;
    void *state;
    nb_system *system;
    real *r, *z; /* [rows] */
} subject;

/* one set-up [s], or NaN where it breaks down; the system's entries are made before */
static nb_status set_up(subject *s, double *seconds) {
    nb_status status;
    nb_reason reason = NB_REASON_NONE;
    const nb_csr *a;
    NB_TRY(nb_system_matrix(s->system, &a));
    const double start = nb_clock_seconds();
    NB_TRY(s->type->set_up_values(s->state, s->system, &reason));
    *seconds = reason == NB_REASON_NONE ? nb_clock_seconds() - start : NAN;
out:
    return status;
}

/* the mean of an application over least_s at least [s] */
static double apply(subject *s, double least_s) {
    const double start = nb_clock_seconds();
    double passed;
    int count = 0;
    do {
        s->type->apply(s->state, s->r, s->z);
        count++;
        passed = nb_clock_seconds() - start;
    } while (passed < least_s);
    return passed / count;
}

/* *found 0 where it breaks down */
static nb_status measure(subject *s, double least_s, nb_preconditioner_times *times, int *found) {
    nb_status status;
    double seconds, sum = 0;
    nb_preconditioner_work work;
    *found = 0;
    NB_TRY(s->type->set_up_pattern(s->state, s->system));
    NB_TRY(set_up(s, &seconds));
    if (isnan(seconds)) return NB_OK;
    times->set_ups = 0;
    while (times->set_ups < NB_TIMING_SAMPLES && (times->set_ups == 0 || sum < most_s)) {
        NB_TRY(set_up(s, &times->set_up[times->set_ups]));
        sum += times->set_up[times->set_ups++];
    }
    apply(s, least_s);
    for (int i = 0; i < NB_TIMING_SAMPLES; i++) times->apply[i] = apply(s, least_s);
    s->type->work(s->state, &work);
    times->nonzeros = (int64_t)(work.nonzeros > 0 ? work.nonzeros : nb_system_size_of(s->system).nonzeros);
    times->apply_bytes = work.apply_bytes > 0 ? work.apply_bytes : NAN;
    *found = 1;
out:
    return status;
}

static nb_status probe_one(const nb_preconditioner_class *type, nb_system *system, double least_s, real *vectors,
                           nb_preconditioner_heard *hear, void *context) {
    nb_status status;
    int found;
    double values[MOST_OPTIONS];
    nb_preconditioner_times times = {.name = type->name};
    subject s = {.type = type, .system = system, .r = vectors, .z = vectors + system->rows};
    nb_options_standard(type->options, type->option_count, values);
    NB_TRY(type->create(values, &s.state));
    NB_TRY(measure(&s, least_s, &times, &found));
    if (found) NB_TRY(hear(context, &times));
out:
    type->destroy(s.state);
    return status;
}

/* What one application of each is measured against: a product with A. Of the symmetric A half moves at least. */
static nb_status probe_product(nb_system *system, double least_s, real *vectors, nb_preconditioner_heard *hear,
                               void *context) {
    const double nonzeros = nb_system_size_of(system).nonzeros, rows = system->rows;
    nb_preconditioner_times times = {.name = "product",
                                     .nonzeros = (int64_t)nonzeros,
                                     .apply_bytes = ((nonzeros + rows) / 2 + 2 * rows) * (double)sizeof(real)};
    for (int i = -1; i < NB_TIMING_SAMPLES; i++) { /* the first does not count */
        const double start = nb_clock_seconds();
        double passed = 0;
        int count = 0;
        for (; passed < least_s; count++, passed = nb_clock_seconds() - start)
            nb_system_apply(system, vectors, vectors + system->rows);
        if (i >= 0) times.apply[i] = passed / count;
    }
    return hear(context, &times);
}

nb_status nb_preconditioner_probe(void *system, int32_t most, double least_s, nb_preconditioner_heard *hear,
                                  void *context) {
    nb_status status;
    nb_system *s = system;
    real *vectors = NULL;
    NB_TRY(NB_ALLOCATE(2 * (int64_t)s->rows, &vectors));
    for (int32_t i = 0; i < s->rows; i++) vectors[i] = s->b[i];
    NB_TRY(probe_product(s, least_s, vectors, hear, context));
    for (int i = 0; nb_preconditioners[i]; i++) {
        const nb_preconditioner_class *type = nb_preconditioners[i];
        if (strcmp(type->name, "none") == 0 || type->takes_mirrored || type->of_symmetric || !type->work ||
            (type->factorises && s->rows > most))
            continue;
        NB_TRY(probe_one(type, s, least_s, vectors, hear, context));
    }
out:
    nb_free(vectors);
    return status;
}
