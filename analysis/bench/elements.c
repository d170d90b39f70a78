#include "bench/kinds.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "bench/element_probe.h"
#include "run/resolve.h"
#include "step/stepper.h"

NB_PRECISIONS(f64);

enum {
    PROBED_NEWTON = 2,
    MOST_ITERATIONS = NB_TIMING_SAMPLES + 1, /* of which the first one warms up */
    FEW_ITERATIONS = 4,
    MANY_TETRAHEDRA = 20000, /* from here on as few */
    LINEAR_ITERATIONS = 5000,
    PARTS = 2 /* set-up, solve */
};

/* the formulations, each with the solver that goes with it */
static const struct {
    const char *form, *solver, *preconditioner;
} ways[] = {{"compliance", "pcr", "jacobi"}, {"stiffness", "pcr", "block-jacobi"}, {"condensed", "pcr", "jacobi"}};

static const double sample_s = 4e-3, linear_tolerance = 1e-4;

typedef struct bench {
    const nb_bench_item *item;
    nb_timing row;
    nb_bench_report *report;
    void *context;
    double probed[NB_ELEMENT_PROBES][NB_TIMING_SAMPLES]; /* [s] */
    int with_probe, reports, count;
    double parts[PARTS][NB_TIMING_SAMPLES]; /* [s] set-up and solve of Newton iterations */
} bench;

static nb_status hear_system(void *context, int32_t newton, void *system, const void *problem) {
    bench *b = context;
    int f32 = strcmp(b->item->precision, "f32") == 0;
    if (!b->with_probe || newton != PROBED_NEWTON) return NB_OK;
    void *own = (void *)(uintptr_t)problem; /* evaluated again where it is */
    return (f32 ? nb_element_probe_f32 : nb_element_probe_f64)(system, own, NB_TIMING_SAMPLES, sample_s, b->probed[0]);
}

/* the first iteration takes memory and orders the factor; the last report is of no solve */
static nb_status hear_newton(void *context, const nb_newton_report *report) {
    bench *b = context;
    if (b->reports++ == 0 || !report->solved || b->count == NB_TIMING_SAMPLES) return NB_OK;
    b->parts[0][b->count] = report->setup_s;
    b->parts[1][b->count++] = report->solve_s;
    return NB_OK;
}

static void set(nb_request *request, const char *name, const char *value) {
    nb_setting *setting = &request->settings[request->setting_count++];
    snprintf(setting->name, sizeof setting->name, "%s", name);
    snprintf(setting->value, sizeof setting->value, "%s", value);
}

/* a bar of 5 cells (cells/4)^2 tetrahedra */
static nb_status describe(const nb_bench_item *item, int way, nb_request *request) {
    nb_status status;
    char cells[32];
    int32_t across = (int32_t)fmax(1, round(cbrt(item->contacts / 20.0)));
    nb_request_standard(request);
    snprintf(request->info.scenario, sizeof request->info.scenario, "bar");
    snprintf(request->info.precision, sizeof request->info.precision, "%s", item->precision);
    snprintf(request->info.linear_solver, sizeof request->info.linear_solver, "%s", ways[way].solver);
    snprintf(request->info.preconditioner, sizeof request->info.preconditioner, "%s", ways[way].preconditioner);
    request->info.threads = item->threads;
    request->info.newton_iterations = item->contacts >= MANY_TETRAHEDRA ? FEW_ITERATIONS : MOST_ITERATIONS;
    request->info.linear_iterations = LINEAR_ITERATIONS;
    request->info.linear_tolerance = linear_tolerance;
    snprintf(cells, sizeof cells, "%d", (int)(4 * across));
    set(request, "cells", cells);
    set(request, "material", "neo-hookean");
    NB_TRY(nb_request_set_option(request, "form", ways[way].form));
    NB_TRY(nb_request_set_option(request, "geometric-stiffness", "diagonal"));
    NB_TRY(nb_simulate_prepare(request));
out:
    return status;
}

static nb_status write_row(bench *b, const char *name, const double *samples, int count, double bytes) {
    nb_status status;
    snprintf(b->row.kernel, sizeof b->row.kernel, "elements:%.20s", name);
    b->row.bytes = bytes;
    NB_TRY(nb_bench_bandwidth(NULL, (isnan(bytes) ? 2000 : bytes) * b->row.contacts,
                              nb_bench_rate(&b->row, samples, count), &b->row.triad));
    NB_TRY(nb_bench_row(&b->row, samples, count, b->report, b->context));
out:
    return status;
}

static nb_status write_rows(bench *b, int way) {
    static const char *const part_names[PARTS] = {"set-up", "solve"};
    nb_status status = NB_OK;
    /* twice J, of 30 numbers and four corners, once K, and what is read and written of vectors over the rows */
    double bytes = (strcmp(b->item->precision, "f32") == 0 ? 4 : 8) * (2 * 30 + 36 + 12 * 6) + 2 * 4 * 4;
    if (way == 0) {
        NB_TRY(write_row(b, "apply", b->probed[NB_ELEMENT_APPLY], NB_TIMING_SAMPLES, bytes));
        NB_TRY(write_row(b, "values", b->probed[NB_ELEMENT_VALUES], NB_TIMING_SAMPLES, NAN));
    }
    for (int k = 0; k < PARTS; k++) {
        char name[32];
        snprintf(name, sizeof name, "%s:%s", ways[way].form, part_names[k]);
        NB_TRY(write_row(b, name, b->parts[k], b->count, NAN));
    }
out:
    return status;
}

/* Newton iterations of the first step by one formulation */
static nb_status measure_way(bench *b, int way) {
    nb_status status;
    nb_request request;
    nb_world *world = NULL;
    nb_contacts *contacts = NULL;
    nb_measure *measure = NULL;
    void *stepper = NULL;
    nb_step_outcome outcome;
    nb_step_counts counts;
    const nb_observer observer = {.context = b, .system = hear_system, .newton = hear_newton};
    const nb_stepper_class *type = strcmp(b->item->precision, "f32") == 0 ? &nb_stepper_f32 : &nb_stepper_f64;
    b->with_probe = way == 0;
    b->reports = b->count = 0;
    NB_TRY(describe(b->item, way, &request));
    nb_method_settings settings = nb_request_settings(&request);
    double h = request.info.time_step;
    NB_TRY(nb_scenario_build(request.choices.scenario, request.choices.parameters, request.info.seed, &world));
    world->prescribe(world, h);
    b->row.contacts = world->tetrahedron_count;
    NB_TRY(nb_contacts_create(&contacts));
    NB_TRY(nb_measure_create(&measure));
    NB_TRY(nb_measure_begin(measure, world, contacts, h, NB_GEOMETRY_JOINTS));
    NB_TRY(type->create("newton", &settings, &stepper));
    NB_TRY(type->begin(stepper, world, contacts, h, NB_GEOMETRY_JOINTS));
    NB_TRY(type->step(stepper, world, contacts, h, 0, measure, &observer, &outcome, &counts, NULL));
    NB_TRY(write_rows(b, way));
out:
    if (stepper) type->destroy(stepper);
    nb_measure_destroy(measure);
    nb_contacts_destroy(contacts);
    nb_world_destroy(world);
    nb_free(request.info.parameters);
    return status;
}

nb_status nb_bench_elements(const nb_bench_item *item, nb_bench_report *report, void *context) {
    nb_status status = NB_OK;
    bench b = {.item = item, .row = nb_bench_begin_row(item), .report = report, .context = context};
    if (strcmp(item->precision, "mixed") == 0)
        return nb_fail(NB_ERROR_UNSUPPORTED, "elements do not support precision mixed");
    for (int way = 0; way < (int)(sizeof ways / sizeof *ways) && status == NB_OK; way++) status = measure_way(&b, way);
    return status;
}
