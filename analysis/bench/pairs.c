#include "bench/pairs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "registry.h"
#include "run/resolve.h"
#include "step/stepper.h"

NB_PRECISIONS(f64);

enum {
    BLOCKS = NB_BENCH_BLOCKS,
    PARTS = 3,
    STEPS = 2 /* of which the first one warms up */
};

static const char *const part_names[PARTS] = {"assemble", "set-up", "solve"};
static const double half = 0.25, h = 0.01;

typedef struct bench {
    nb_timing row;
    double parts[PARTS][NB_TIMING_SAMPLES]; /* [s] of an iteration */
    int counts, count;                      /* 1: this step is timed */
} bench;

static nb_status hear_newton(void *context, const nb_newton_report *report) {
    bench *b = context;
    if (!b->counts || !report->solved || b->count == NB_TIMING_SAMPLES) return NB_OK;
    b->parts[0][b->count] = report->assembly_s;
    b->parts[1][b->count] = report->setup_s;
    b->parts[2][b->count++] = report->solve_s;
    return NB_OK;
}

nb_status nb_bench_stacks(int32_t stacks, int blocks, nb_world *world) {
    nb_status status;
    nb_shape *shape;
    int32_t ground, block, body, across = (int32_t)ceil(sqrt(stacks));
    world->gravity = nb_vec3_of(0, 0, -9.81);
    world->settings.contact_margin = 1e-3;
    NB_TRY(nb_shape_half_space(&shape));
    NB_TRY(nb_world_add_shape(world, shape, &ground));
    NB_TRY(nb_shape_box(nb_vec3_of(half, half, half), &shape));
    NB_TRY(nb_world_add_shape(world, shape, &block));
    NB_TRY(nb_world_add_solid(world, NB_BODY_FIXED, ground, 1, 0.5, nb_vec3_of(0, 0, 0), nb_quat_identity(), &body));
    for (int32_t i = 0; i < stacks; i++)
        for (int k = 0; k < blocks; k++) {
            const int32_t line = i / across;
            nb_vec3 at = {4 * half * (i % across) + (k % 2 ? 0.4 * half : 0), 4 * half * line, half * (2 * k + 1)};
            NB_TRY(nb_world_add_solid(world, NB_BODY_DYNAMIC, block, 1, 0.5, at, nb_quat_identity(), &body));
        }
out:
    return status;
}

static nb_status write_rows(bench *b, nb_bench_report *report, void *context) {
    nb_status status = NB_OK;
    NB_TRY(nb_bench_bandwidth(NULL, 1e4 * b->row.contacts, 0, &b->row.triad));
    for (int k = 0; k < PARTS; k++) {
        snprintf(b->row.kernel, sizeof b->row.kernel, "pairs:%s", part_names[k]);
        NB_TRY(nb_bench_row(&b->row, b->parts[k], b->count, report, context));
    }
out:
    return status;
}

nb_status nb_bench_pairs(const nb_bench_item *item, nb_bench_report *report, void *context) {
    nb_status status;
    nb_request request;
    nb_world *world = NULL;
    nb_contacts *contacts = NULL;
    nb_measure *measure = NULL;
    void *stepper = NULL;
    nb_step_outcome outcome;
    nb_step_counts counts;
    const int32_t stacks = item->contacts > BLOCKS ? item->contacts / BLOCKS : 1;
    bench b = {.row = nb_bench_begin_row(item)};
    const nb_observer observer = {.context = &b, .newton = hear_newton};
    b.row.contacts = BLOCKS * stacks;
    nb_request_standard(&request);
    if (strcmp(item->precision, "f64") != 0) return nb_fail(NB_ERROR_UNSUPPORTED, "pairs support precision f64 only");
    snprintf(request.info.scenario, sizeof request.info.scenario, "stack-4");
    snprintf(request.info.method, sizeof request.info.method, "single-level");
    NB_TRY(nb_simulate_prepare(&request));
    const nb_method_settings settings = nb_request_settings(&request);
    NB_TRY(nb_world_create(&world));
    NB_TRY(nb_bench_stacks(stacks, BLOCKS, world));
    NB_TRY(nb_contacts_create(&contacts));
    NB_TRY(nb_measure_create(&measure));
    NB_TRY(nb_stepper_f64.create("single-level", &settings, &stepper));
    for (int k = 0; k < STEPS; k++) {
        b.counts = k > 0;
        NB_TRY(nb_contacts_detect(world, h, contacts));
        NB_TRY(nb_measure_begin(measure, world, contacts, h, NB_GEOMETRY_JOINTS));
        NB_TRY(nb_stepper_f64.begin(stepper, world, contacts, h, NB_GEOMETRY_JOINTS));
        NB_TRY(nb_stepper_f64.step(stepper, world, contacts, h, 0, measure, &observer, &outcome, &counts, NULL));
    }
    NB_TRY(write_rows(&b, report, context));
out:
    if (stepper) nb_stepper_f64.destroy(stepper);
    nb_measure_destroy(measure);
    nb_contacts_destroy(contacts);
    nb_world_destroy(world);
    nb_free(request.info.parameters);
    return status;
}
