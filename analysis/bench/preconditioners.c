#include "bench/kinds.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "bench/preconditioner_probe.h"
#include "run/resolve.h"
#include "step/stepper.h"

NB_PRECISIONS(f64);

enum {
    PROBED_NEWTON = 3,      /* by then contacts are open, stuck and sliding */
    LINEAR_ITERATIONS = 60, /* of those before */
    MOST_FACTORISED = 3000  /* rows: in space, factors of larger ones take a thousand products and more */
};

static const double sample_s = 4e-3;

typedef struct bench {
    const nb_bench_item *item;
    nb_timing row;
    nb_bench_report *report;
    void *context;
} bench;

static void name_row(bench *b, const nb_preconditioner_times *times, const char *part, double bytes) {
    snprintf(b->row.kernel, sizeof b->row.kernel, "precond:%.14s:%s", times->name, part);
    b->row.bytes = bytes;
}

/* memory's speed is measured once, over what an application moves */
static nb_status hear(void *context, const nb_preconditioner_times *times) {
    bench *b = context;
    nb_status status;
    b->row.contacts = (int32_t)fmin((double)times->nonzeros, INT32_MAX);
    const double bytes = isnan(times->apply_bytes) ? 12.0 * b->row.contacts : times->apply_bytes;
    name_row(b, times, "apply", times->apply_bytes / b->row.contacts);
    NB_TRY(nb_bench_bandwidth(NULL, bytes, nb_bench_rate(&b->row, times->apply, NB_TIMING_SAMPLES), &b->row.triad));
    NB_TRY(nb_bench_row(&b->row, times->apply, NB_TIMING_SAMPLES, b->report, b->context));
    if (times->set_ups == 0) return NB_OK;
    name_row(b, times, "set-up", NAN);
    NB_TRY(nb_bench_row(&b->row, times->set_up, times->set_ups, b->report, b->context));
out:
    return status;
}

static nb_status hear_system(void *context, int32_t newton, void *system, const void *problem) {
    bench *b = context;
    const int f32 = strcmp(b->item->precision, "f32") == 0;
    (void)problem;
    if (newton != PROBED_NEWTON) return NB_OK;
    return (f32 ? nb_preconditioner_probe_f32 : nb_preconditioner_probe_f64)(system, MOST_FACTORISED, sample_s, hear,
                                                                             b);
}

nb_status nb_bench_preconditioners(const nb_bench_item *item, nb_bench_report *report, void *context) {
    nb_status status;
    nb_request request;
    nb_world *world = NULL;
    nb_contacts *contacts = NULL;
    nb_measure *measure = NULL;
    void *stepper = NULL;
    nb_step_outcome outcome;
    nb_step_counts counts;
    bench b = {.item = item, .row = nb_bench_begin_row(item), .report = report, .context = context};
    const nb_observer observer = {.context = &b, .system = hear_system};
    const nb_stepper_class *type = strcmp(item->precision, "f32") == 0 ? &nb_stepper_f32 : &nb_stepper_f64;
    NB_TRY(nb_bench_pile(item, item->contacts, &request));
    if (strcmp(item->precision, "mixed") == 0)
        NB_TRY(nb_fail(NB_ERROR_UNSUPPORTED, "preconditioners do not support precision mixed"));
    NB_TRY(nb_request_set_option(&request, "form", "stiffness"));
    snprintf(request.info.preconditioner, sizeof request.info.preconditioner, "block-jacobi");
    request.info.newton_iterations = PROBED_NEWTON + 1;
    request.info.linear_iterations = LINEAR_ITERATIONS;
    nb_free(request.info.parameters);
    request.info.parameters = NULL;
    NB_TRY(nb_simulate_prepare(&request));
    nb_method_settings settings = nb_request_settings(&request);
    const double h = request.info.time_step;
    NB_TRY(nb_scenario_build(request.choices.scenario, request.choices.parameters, request.info.seed, &world));
    NB_TRY(nb_contacts_create(&contacts));
    NB_TRY(nb_contacts_detect(world, h, contacts));
    NB_TRY(nb_measure_create(&measure));
    NB_TRY(nb_measure_begin(measure, world, contacts, h, NB_GEOMETRY_JOINTS));
    NB_TRY(type->create("newton", &settings, &stepper));
    NB_TRY(type->begin(stepper, world, contacts, h, NB_GEOMETRY_JOINTS));
    NB_TRY(type->step(stepper, world, contacts, h, 0, measure, &observer, &outcome, &counts, NULL));
out:
    if (stepper) type->destroy(stepper);
    nb_measure_destroy(measure);
    nb_contacts_destroy(contacts);
    nb_world_destroy(world);
    nb_free(request.info.parameters);
    return status;
}
