#include "bench/kinds.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "bench/pairs.h"
#include "run/resolve.h"
#include "step/stepper.h"

NB_PRECISIONS(f64);

enum {
    STEP,
    FORWARD, /* to the central path, factors, and a column */
    ADJOINT, /* the same, and a row */
    PARTS
};

static const char *const part_names[PARTS] = {"step", "forward", "adjoint"};
static const char *const methods[] = {"newton", "interior-point", "single-level"};
static const double h = 0.01, tolerance = 1e-8, smoothing = 1e-8;

typedef struct bench {
    nb_timing row;
    nb_world *world;
    nb_body *start; /* [bodies] */
    nb_contacts *contacts;
    nb_measure *measure;
    double *inputs, *u;                     /* [bodies][NB_INPUTS], [bodies][6] */
    double parts[PARTS][NB_TIMING_SAMPLES]; /* [s] */
    int count;
} bench;

static nb_status build(bench *b, int32_t pairs) {
    nb_status status;
    const int32_t stacks = pairs > NB_BENCH_BLOCKS ? pairs / NB_BENCH_BLOCKS : 1;
    const int blocks = pairs < NB_BENCH_BLOCKS ? (int)pairs : NB_BENCH_BLOCKS;
    NB_TRY(nb_world_create(&b->world));
    NB_TRY(nb_bench_stacks(stacks, blocks, b->world));
    if (pairs == 1) b->world->bodies[1].linear_velocity.x = 1;
    const int64_t bodies = b->world->body_count;
    b->row.contacts = stacks * blocks;
    NB_TRY(NB_ALLOCATE(bodies, &b->start));
    NB_TRY(NB_ALLOCATE(NB_INPUTS * bodies, &b->inputs));
    NB_TRY(NB_ALLOCATE(6 * bodies, &b->u));
    memcpy(b->start, b->world->bodies, (size_t)bodies * sizeof *b->start);
    NB_TRY(nb_contacts_create(&b->contacts));
    NB_TRY(nb_measure_create(&b->measure));
out:
    return status;
}

/* A step from the start, and its derivatives by the first block's velocity, or of it: either from scratch. */
static nb_status sample(bench *b, void *stepper, int part) {
    nb_status status;
    const size_t bodies = (size_t)b->world->body_count;
    nb_step_outcome outcome;
    nb_step_counts counts;
    nb_step_gradient *g = NULL;
    memcpy(b->world->bodies, b->start, bodies * sizeof *b->start);
    NB_TRY(nb_contacts_detect(b->world, h, b->contacts));
    NB_TRY(nb_measure_begin(b->measure, b->world, b->contacts, h, NB_GEOMETRY_JOINTS));
    NB_TRY(nb_stepper_f64.begin(stepper, b->world, b->contacts, h, NB_GEOMETRY_JOINTS));
    NB_TRY(nb_stepper_f64.step(stepper, b->world, b->contacts, h, 0, b->measure, NULL, &outcome, &counts, NULL));
    g = nb_stepper_f64.take_gradient(stepper);
    memset(b->inputs, 0, NB_INPUTS * bodies * sizeof *b->inputs);
    memset(b->u, 0, 6 * bodies * sizeof *b->u);
    b->inputs[NB_INPUTS + NB_INPUT_VELOCITY] = b->u[6] = 1;
    double start = nb_clock_seconds();
    NB_TRY(part == FORWARD ? g->type->forward(g, b->inputs, b->u) : g->type->adjoint(g, b->u, b->inputs));
    b->parts[part][b->count] = g->made_s + nb_clock_seconds() - start;
    b->parts[STEP][b->count] = outcome.assembly_s + outcome.setup_s + outcome.solve_s;
out:
    nb_step_gradient_destroy(g);
    return status;
}

static nb_status measure(bench *b, const char *method, nb_bench_report *report, void *context) {
    nb_status status;
    nb_request request;
    void *stepper = NULL;
    nb_request_standard(&request);
    snprintf(request.info.scenario, sizeof request.info.scenario, "stack-4");
    snprintf(request.info.method, sizeof request.info.method, "%s", method);
    NB_TRY(nb_simulate_prepare(&request));
    nb_method_settings settings = nb_request_settings(&request);
    /* what single-level leaves is a matter of its rho */
    if (strcmp(method, "single-level") != 0) settings.newton_tolerance = tolerance;
    NB_TRY(nb_stepper_f64.create(method, &settings, &stepper));
    NB_TRY(nb_stepper_f64.differentiate(stepper, smoothing));
    for (int k = 0; k <= NB_TIMING_SAMPLES; k++) {
        if (k <= 1) b->count = 0; /* the first one warms up */
        NB_TRY(sample(b, stepper, FORWARD));
        NB_TRY(sample(b, stepper, ADJOINT));
        b->count++;
    }
    for (int k = 0; k < PARTS; k++) {
        snprintf(b->row.kernel, sizeof b->row.kernel, "gradient:%s:%s", method, part_names[k]);
        NB_TRY(nb_bench_row(&b->row, b->parts[k], b->count, report, context));
    }
out:
    if (stepper) nb_stepper_f64.destroy(stepper);
    nb_free(request.info.parameters);
    return status;
}

nb_status nb_bench_gradients(const nb_bench_item *item, nb_bench_report *report, void *context) {
    nb_status status;
    bench b = {.row = nb_bench_begin_row(item)};
    if (strcmp(item->precision, "f64") != 0)
        return nb_fail(NB_ERROR_UNSUPPORTED, "gradients support precision f64 only");
    NB_TRY(build(&b, item->contacts));
    NB_TRY(nb_bench_bandwidth(NULL, 1e4 * b.row.contacts, 0, &b.row.triad));
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) NB_TRY(measure(&b, methods[i], report, context));
out:
    nb_measure_destroy(b.measure);
    nb_contacts_destroy(b.contacts);
    nb_world_destroy(b.world);
    nb_free(b.start);
    nb_free(b.inputs);
    nb_free(b.u);
    return status;
}
